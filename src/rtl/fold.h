/* Simplification of expressions while they are made. */
#ifndef TEPAL_RTL_FOLD_H
#define TEPAL_RTL_FOLD_H

#include "rtl/netlist.h"

/* An expression equal to `node` and simpler, or -1 if `node` is to be made as it is. May put the
 * operands of `node` into a better order. */
Expression expression_fold(Netlist *netlist, Module *module, ExpressionNode *node);

#endif
