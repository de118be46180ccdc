/* Views of memories: where an element of a view lies in the memory behind it. */
#ifndef TEPAL_MLIR_VIEWS_H
#define TEPAL_MLIR_VIEWS_H

#include "mlir/affine.h"

/* A part of an offset that is known at run time only. */
typedef struct DynamicTerm {
    MlirValue value;
    int64_t coefficient;
} DynamicTerm;

/* Element [i0, i1, ...] of a view is element offset + sum of strides[k] x ik of its memory, seen as
 * one row. */
typedef struct View {
    MlirValue value, base;
    int rank;
    int64_t shape[MAX_RANK], strides[MAX_RANK], offset;
    Vector(DynamicTerm) terms;
} View;

bool is_view_op(MlirOperation op);
/* The memory itself as a view. False if its type is not static with identity layout. */
bool view_of_memory(MlirValue memory, View *view);
/* The result of a view operation on `source`. False if that cannot be told. */
bool view_of_op(Arena *arena, MlirOperation op, const View *source, View *view);

/* One load or store. */
typedef struct Access {
    MlirOperation op;
    int memory_operand; /* its position; the indices follow */
    View view;
} Access;
typedef Vector(Access) AccessList;

/* All accesses to a memory, directly or through views, and the view operations, sources first.
 * False, with a diagnostic, if something else is done with it. */
bool collect_accesses(Session *session, MlirValue memory, AccessList *accesses, OpList *views);

/* An access as one affine expression per dimension of a memory's shape. */
typedef struct Position {
    int rank;
    int64_t constants[MAX_RANK];
    int64_t factors[MAX_RANK][MAX_RANK]; /* [dimension of the memory][of the view] */
    int64_t term_factors[MAX_RANK][8];   /* [dimension of the memory][dynamic term] */
} Position;

/* Splits the linear position of a view's elements over the dimensions of `shape`, so that each
 * stays in its range for all elements of the view. Where that cannot be done without division,
 * returns false and in
 * `*bad` the dimension that overflows into the one before. */
bool position_of_view(const View *view, int rank, const int64_t *shape, Position *position,
                      int *bad);

#endif
