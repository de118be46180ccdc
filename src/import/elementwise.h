/* What the elementwise family offers to the others: promotion, broadcasting, one generic. */
#ifndef TEPAL_IMPORT_ELEMENTWISE_H
#define TEPAL_IMPORT_ELEMENTWISE_H

#include "import/call.h"

enum {
    MAX_ELEMENT_INPUTS = 8,
    /* Options of an elementwise operation. */
    ELEMENT_BOOL = 1,       /* the body gives a bool */
    ELEMENT_FLOAT = 2,      /* integers become float32 first */
    ELEMENT_WIDE = 4,       /* 16-bit floats are computed in float32 */
    ELEMENT_ANY = 8,        /* inputs are bools: x != 0 */
    ELEMENT_CONDITION = 16, /* the first input is a bool that does not decide the dtype */
    ELEMENT_REAL = 32,      /* only floats are accepted */
    ELEMENT_INTEGER = 64    /* the body gives an int32 */
};

/* The shape that two shapes broadcast to; false if they do not fit. */
bool broadcast_shape(Call *call, int *rank, int64_t *shape, const TensorType *type);

/* PyTorch's dtype of the result of an operation on these values. */
Dtype promote_values(int count, Value *const *values);

/* result[i] = body(inputs[i] ...) on values broadcast to one shape. NULL with a message. */
Value *element_wise(Call *call, int count, Value *const *values, Dtype dtype, int options,
                    ElementBody body);

/* The emit function of rows that have a formula: all tensors of the schema are its inputs, in
 * order, and numbers that PyTorch treats like tensors (other, exponent, self). */
bool emit_elementwise(Call *call);

/* A value of this shape: expanded along new dimensions and those of size 1. */
Value *broadcast_to(Call *call, Value *value, int rank, const int64_t *shape);

#endif
