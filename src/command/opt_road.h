/* `tepal opt`: passes in a row, from MLIR through Calyx and a netlist to SystemVerilog. */
#ifndef TEPAL_COMMAND_OPT_ROAD_H
#define TEPAL_COMMAND_OPT_ROAD_H

#include "command/compile.h"

/* What the passes so far have made: in this order. */
typedef enum RoadForm {
    FORM_MLIR,   /* a module that MLIR knows */
    FORM_CALYX,  /* a Calyx program, to be printed in CIRCT's dialect */
    FORM_NATIVE, /* the same, to be printed as a .futil file */
    FORM_HW,     /* a netlist, to be printed in CIRCT's hw, comb and seq dialects */
    FORM_SV,     /* the same, to be printed as SystemVerilog */
    FORM_FOLDER  /* the same, written as a built design */
} RoadForm;

typedef struct Road {
    Session *session;
    MlirModule module;
    const char *output; /* the file that the result will go to; NULL: stdout */
    RoadForm form;
    bool generic; /* a Calyx program and a netlist are printed in MLIR's generic form */
    TepalBuildOptions options; /* of the compilation */
    Compilation compilation;   /* from FORM_CALYX on */
} Road;

/* A pass that begins or follows FORM_CALYX. */
typedef struct RoadPass {
    const char *name, *description;
    /* `options` is the text between braces. NULL: what it does is done by another pass already. */
    bool (*run)(Road *road, const char *options);
} RoadPass;

extern const RoadPass road_passes[];
extern const int road_pass_count;

/* True for a pass of ours, of any form. */
bool road_is_own(const char *name);
/* Begins with road->module, text of the file `path`; if it is at the stage calyx or hw, there. */
bool road_begin(Road *road, const char *path);
/* Runs a pipeline. */
bool road_run(Road *road, const char *pipeline);
/* The text of what was made, if it is not FORM_MLIR. */
bool road_print(Road *road, Text *text);

#endif
