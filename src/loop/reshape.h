/* Changes of a nest's loops: splitting, moving, unrolling. Each keeps the order of what conflicts
 * as it says. */
#ifndef TEPAL_LOOP_RESHAPE_H
#define TEPAL_LOOP_RESHAPE_H

#include "loop/loop.h"

/* Loop l of trip count n becomes l of ceil(n / inner) and, right inside, a new loop l + 1 of
 * `inner`. Where inner does not divide n, accesses of iterations that did not exist get a
 * predicate. The order stays. */
void nest_split(Arena *arena, Nest *nest, int loop, int64_t inner);

/* Own loop `loop` becomes the innermost one. The caller knows that the order may change. */
void nest_move_innermost(Arena *arena, Nest *nest, int loop);

/* The innermost loop becomes copies of the body, one after the other: the same order. */
void nest_unroll_innermost(Arena *arena, Nest *nest);

#endif
