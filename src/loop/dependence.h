/* Conflicts between accesses as integer sets: what dependences, interchange and distribution ask
 * isl. */
#ifndef TEPAL_LOOP_DEPENDENCE_H
#define TEPAL_LOOP_DEPENDENCE_H

#include "loop/passes.h"

/* True if the own loops of the nest may run in another order: order[k] is the loop that becomes the
 * k-th own loop (both count from nest->outer). No two accesses of one element, one of them a store,
 * may change places. */
bool nest_allows_order(const Program *program, const Nest *nest, const int *order);

/* True if an access of `later` in an iteration of their innermost common loop meets one of
 * `earlier` in a later iteration: then `loop { earlier; later }` must not become `loop { earlier }
 * loop { later }`. Both nests stand directly in that loop, which is loop `level` of both. */
bool nests_conflict_backward(const Program *program, const Nest *earlier, const Nest *later,
                             int level);

#endif
