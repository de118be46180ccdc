/* The road of a model, from file to netlist: what `tepal build` runs, stage by stage. */
#ifndef TEPAL_COMMAND_COMPILE_H
#define TEPAL_COMMAND_COMPILE_H

#include "base/vector.h"
#include "calyx/construct.h"
#include "import/import.h"
#include "loop/passes.h"
#include "report/report.h"
#include "rtl/rtl.h"
#include "schedule/schedule.h"
#include "tepal/tepal.h"

/* In the order of the road. */
typedef enum Stage {
    STAGE_LINALG,
    STAGE_AFFINE,
    STAGE_LOOPS,
    STAGE_CALYX,
    STAGE_HW,
    STAGE_COUNT
} Stage;

/* A file of a design, by its name in the folder. */
typedef struct DesignFile {
    const char *name;
    const char *text;
    size_t length;
} DesignFile;
typedef Vector(DesignFile) DesignFiles;

/* Everything that one compilation makes; what was not reached is NULL. */
typedef struct Compilation {
    Arena *arena;
    Diagnostics *diagnostics;
    const TepalBuildOptions *options;
    Session *session;
    Stage first;       /* where it began: linalg (or affine), or at a text, calyx or hw */
    DesignFiles files; /* which that text carried */
    Model model;
    const char *linalg_text; /* the stages that later passes overwrite */
    const char *affine_text;
    const char *reference_text; /* linalg, with names: the same design comes of it */
    Program *program;
    Schedule *schedule;
    CalyxProgram *calyx;
    Netlist *netlist;
    const char *area; /* what the design takes of --target's device, at least */
    StageTime times[STAGE_COUNT + 1];
    int time_count;
} Compilation;

/* Compiles up to and with `last`, from linalg or, if the model is a text of a later stage, from
 * there. False, with diagnostics, on an error. The caller frees the arena and the session. */
bool compile(Compilation *compilation, Stage last);

/* Compiles the stages `first` .. `last` of a compilation with a session. The stage linalg imports
 * options->model, unless model.module is there already. */
bool compile_stages(Compilation *compilation, Stage first, Stage last);

/* The number of units that were asked for, 1 if none was. */
int compile_parallel(const Compilation *compilation);

/* True if the device of --target, if there is one, may have room for the design. Otherwise reports
 * what it needs, and which --parallel would fit: for that the model is compiled again. */
bool compile_fits(Compilation *compilation);

/* The same of the weights alone, as they are at the stage affine: the memories of a design hold at
 * least these, whatever --parallel is. */
bool compile_weights_fit(Compilation *compilation);

/* Writes what --emit asks for. */
bool compile_emit(Compilation *compilation);
/* The last stage that --emit needs; false, with a usage message, if a stage has no such name. */
bool compile_emit_stage(const TepalBuildOptions *options, Stage *last);

/* Writes the folder of a built design: at once, or not at all. */
bool compile_write(Compilation *compilation, const char *folder);
/* The memory images only. */
bool compile_write_images(Compilation *compilation, const char *folder);

/* A file of hardware/ that the design needs. */
typedef struct HardwareFile {
    const char *name; /* "float_add" */
    const char *text;
    size_t length;
} HardwareFile;
typedef Vector(HardwareFile) HardwareFiles;
bool compile_hardware(Compilation *compilation, HardwareFiles *files);

/* True if `folder` may be written: absent, or made by Tepal. */
bool compile_may_write(Diagnostics *diagnostics, const char *folder);

#endif
