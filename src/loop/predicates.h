/* Predicates as conjunctions, and i1 values that exclude each other. */
#ifndef TEPAL_LOOP_PREDICATES_H
#define TEPAL_LOOP_PREDICATES_H

#include "loop/loop.h"

enum { MOST_LEAVES = 32 };

/* The conjuncts of a predicate (-1: none), into `leaves` of MOST_LEAVES items. Returns how many
 * there are, which may be more. */
int predicate_leaves(const Nest *nest, int predicate, int *leaves);

/* True if the first predicate holds only where the second does. Never true by mistake. */
bool predicate_implies(const Nest *nest, int first, int second);

/* The condition of the COMPARE or FLOAT_COMPARE that is 1 exactly where this one is 0. */
int opposite_condition(const Operation *compare);

/* True if one of the two i1 values is 1 exactly where the other is 0. Never true by mistake. */
bool values_are_opposite(const Nest *nest, int first, int second);

#endif
