/* What our passes need to know of linalg operations. */
#ifndef TEPAL_MLIR_LINALG_H
#define TEPAL_MLIR_LINALG_H

#include "mlir/ir.h"

/* An operation that computes on whole tensors or memrefs: generic, a named one, map, fill ... */
bool is_linalg_op(MlirOperation op);
/* How many of the operands are inputs; the others are outputs ("outs"). */
int linalg_input_count(MlirOperation op);
/* The argument of the body that stands for an operand's element; null if there is none. */
MlirValue linalg_body_argument(MlirOperation op, int operand);
/* True if the body does not use the old element of this operand. */
bool linalg_ignores(MlirOperation op, int operand);

/* A linalg.generic without its body's terminator; `body` gets the block, whose arguments are the
 * elements of inputs, then of outputs. Maps as many as operands. On tensors it has one result per
 * output. */
typedef struct GenericParts {
    int input_count, output_count;
    const MlirValue *operands;
    const MlirAffineMap *maps;
    int loop_count;
    const bool *reductions; /* by loop; NULL: all parallel */
} GenericParts;
MlirOperation build_generic(Builder *builder, const GenericParts *parts, MlirBlock *body);
void build_linalg_yield(MlirBlock body, MlirLocation location, int count, const MlirValue *values);
/* linalg.index of a loop. */
MlirValue build_linalg_index(Builder *builder, int loop);

MlirValue build_tensor_empty(Builder *builder, MlirType type);
/* linalg.fill of a tensor (the result) or a memref (null). */
MlirValue build_linalg_fill(Builder *builder, MlirValue element, MlirValue target);
MlirAttribute zero_of(MlirType element);

#endif
