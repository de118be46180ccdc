/* Affine forms, ranges and the editing of bodies: what construction, checker and passes share.
 *
 * Everything new is in the arena that is handed in. */
#ifndef TEPAL_LOOP_BODY_H
#define TEPAL_LOOP_BODY_H

#include "loop/loop.h"

/* All values of a form, both ends included. Ends saturate at the limits of int64_t. */
typedef struct Range {
    int64_t low, high;
} Range;

Range range_add(Range a, Range b);
Range range_scale(Range a, int64_t factor);
Range range_union(Range a, Range b);
Range range_intersection(Range a, Range b); /* low > high if there is none */
/* Bits of the narrowest integer that holds the range in two's complement; without a sign bit if
 * nothing is negative and `is_signed` is false. */
int range_width(Range range, bool is_signed);

/* --- affine forms over the loops of a nest --- */

Affine affine_new(Arena *arena, int loops, int64_t constant);
Affine affine_copy(Arena *arena, const Affine *form, int loops);
bool affine_equal(const Affine *a, const Affine *b, int loops);
bool affine_is_constant(const Affine *form, int loops);
/* a + factor x b */
Affine affine_sum(Arena *arena, const Affine *a, const Affine *b, int64_t factor, int loops);
Range affine_range(const Nest *nest, const Affine *form);

/* --- operations --- */

bool operation_is_access(const Operation *operation); /* LOAD or STORE */
/* Operands in use: those of the opcode and the computed address. */
int operation_operands(const Operation *operation);
/* Which operand is the computed address, -1 if none is. */
int operation_address(const Operation *operation);
/* True for what can be removed when nothing uses it. */
bool operation_is_pure(const Operation *operation);
/* Same result, given that both stand at the same place. */
bool operation_equal(const Operation *a, const Operation *b, int loops);

/* Drops operations that no store needs. */
void nest_remove_dead(Arena *arena, Nest *nest);
/* Puts the operations that `keep` marks in a new body. Operands are renumbered; what is used must
 * be kept. */
void nest_compact(Arena *arena, Nest *nest, const bool *keep);

/* An index into `body` for a new operation with these operands (-1: none). */
int append_constant(Arena *arena, Nest *nest, Scalar type, Bits bits);
int append_index(Arena *arena, Nest *nest, const Affine *form);
int append_unary(Arena *arena, Nest *nest, Opcode opcode, Scalar type, int a);
int append_binary(Arena *arena, Nest *nest, Opcode opcode, int a, int b);
int append_select(Arena *arena, Nest *nest, int condition, int a, int b);
/* a compare; `opcode` is COMPARE or FLOAT_COMPARE. */
int append_compare(Arena *arena, Nest *nest, Opcode opcode, int condition, int a, int b);
/* a AND b of predicates, where -1 is "always". */
int append_and(Arena *arena, Nest *nest, int a, int b);
/* An i1 that is 1 where form >= 0, or form == 0 if `equality`. -1 if that is always so. The compare
 * is of an INDEX with a constant, which the dependence analysis understands. `*never`: it never
 * holds. */
int append_constraint(Arena *arena, Nest *nest, const Affine *form, bool equality, bool *never);

/* A name for a nest that no nest of the program has. */
char *unique_nest_name(Program *program, const char *name);

/* --- affine predicates --- */

/* A conjunct of a predicate: form >= 0, or form == 0. */
typedef struct Constraint {
    Affine form;
    bool equality;
} Constraint;
typedef Vector(Constraint) Constraints;

/* The affine conjuncts of a predicate, appended to `list`; true if they are all of it, false if it
 * has other parts too (then the list describes a larger set). */
bool predicate_constraints(Arena *arena, const Nest *nest, int predicate, Constraints *list);

/* The ranges of all loops, narrowed by those constraints that bound one loop. `box` has
 * nest->loop_count items. False if no iteration is left. */
bool constraints_box(const Nest *nest, const Constraints *list, Range *box);
Range affine_range_in(const Nest *nest, const Affine *form, const Range *box);

/* A nest that copies one memory to another of its type and size: target[i] = source[i]. */
Node *copy_node(Program *program, const char *name, int source, int target);

#endif
