/* The calyx dialect of CIRCT: what its printer and its reader share. */
#ifndef TEPAL_CALYX_DIALECT_H
#define TEPAL_CALYX_DIALECT_H

#include "calyx/calyx.h"

/* A std cell that is an operation of its own, such as calyx.std_add. */
bool primitive_is_operation(const Primitive *primitive);
bool cell_is_register(const Cell *cell);

/* Ports of a cell in the order of its operation's results, with clk, reset, go and done. */
enum { MOST_RESULTS = 128 };
typedef struct ResultPort {
    const char *name;
    int width;
} ResultPort;
int cell_results(const Cell *cell, ResultPort ports[MOST_RESULTS]);

#endif
