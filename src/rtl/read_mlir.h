/* Netlists from CIRCT's hw, comb and seq dialects in MLIR's generic form. */
#ifndef TEPAL_RTL_READ_MLIR_H
#define TEPAL_RTL_READ_MLIR_H

#include "mlir/session.h"
#include "rtl/netlist.h"

/* The netlist of a module of hw.modules, as netlist_print_generic or CIRCT prints it; checked. All
 * have a clock `clk` and a reset `reset`; the last one is the top. NULL, with diagnostics, if it
 * holds what a netlist of Tepal cannot say. */
Netlist *netlist_read_mlir(Session *session, MlirModule module);

#endif
