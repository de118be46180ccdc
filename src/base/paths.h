/* Where the files are that belong to Tepal but are not part of the executable. */
#ifndef TEPAL_BASE_PATHS_H
#define TEPAL_BASE_PATHS_H

#include "base/arena.h"

/* The SystemVerilog library: $TEPAL_HARDWARE, else beside the executable (../hardware,
 * ../share/tepal/hardware), else the source folder it was built from. NULL if there is none. */
const char *hardware_folder(Arena *arena);

/* MLIR's folder of shared libraries, which holds libmlir_c_runner_utils.so for its JIT. */
const char *mlir_library_folder(void);

#endif
