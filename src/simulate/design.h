/* A folder that `tepal build` made, as `tepal sim` needs it. */
#ifndef TEPAL_SIMULATE_DESIGN_H
#define TEPAL_SIMULATE_DESIGN_H

#include "simulate/interface.h"

typedef struct Design {
    const char *folder; /* as the user named it */
    const char *path;   /* the same, absolute */
    Interface interface;
    int file_count;
    const char **files;       /* Verilog files, relative to the folder, from files.f */
    const char *reference;    /* file of the stage `linalg` */
    int64_t predicted_cycles; /* from report.json, as what follows; -1 if it gives none */
    int64_t parallel;
    double clock; /* MHz */
    const char *target;
} Design;

/* Reads the descriptions in the folder, and looks that the files they name are there: all files of
 * files.f, and the memory images that these name. STATUS_INPUT diagnostics. */
bool design_open(Arena *arena, Diagnostics *diagnostics, const char *folder, Design *design);

/* A path inside the design's folder. */
char *design_path(Arena *arena, const Design *design, const char *name);

/* Writes a file of that name there, whole or not at all. False with a STATUS_TOOL diagnostic. */
bool design_write(Arena *arena, Diagnostics *diagnostics, const Design *design, const char *name,
                  const Text *text);

#endif
