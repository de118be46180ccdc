/* Simplification of single operations. */
#ifndef TEPAL_LOOP_FOLD_H
#define TEPAL_LOOP_FOLD_H

#include "loop/loop.h"

/* Appends `operation`, or something simpler with the same value, to the body and returns the index
 * of its value; -1 for a STORE that never happens. Operands are already in the body. */
int fold_operation(Arena *arena, Nest *nest, Operation operation);

/* Folds and merges the operations of a body, and drops what no store needs. */
void nest_simplify(Arena *arena, Nest *nest);

#endif
