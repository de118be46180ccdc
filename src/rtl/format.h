/* Expressions as SystemVerilog text. Private to the printer. */
#ifndef TEPAL_RTL_FORMAT_H
#define TEPAL_RTL_FORMAT_H

#include "rtl/netlist.h"

/* Appends an expression. `column` is where it starts; what does not fit into the line is broken
 * before operators and aligned with its start. */
void format_expression(const Module *module, Expression expression, int column, Text *text);
/* "8'd17", "1'b0", "32'h3f800000". */
void format_constant(int width, Bits value, Text *text);

#endif
