/* Calyx programs from CIRCT's calyx dialect in MLIR's generic form. */
#ifndef TEPAL_CALYX_READ_MLIR_H
#define TEPAL_CALYX_READ_MLIR_H

#include "calyx/calyx.h"
#include "mlir/session.h"

/* The program of a module of components, as calyx_print_generic or CIRCT prints it; checked. NULL,
 * with diagnostics, if it holds what Tepal has no cells or no control for. Memories have no data:
 * images are files of their own. */
CalyxProgram *calyx_read_mlir(Session *session, MlirModule module);

#endif
