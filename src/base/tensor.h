/* A dense tensor in memory, row-major: what .npy files, the reference and the simulation exchange.
 */
#ifndef TEPAL_BASE_TENSOR_H
#define TEPAL_BASE_TENSOR_H

#include "base/number.h"

enum { MAX_RANK = 16 };
/* Larger tensors than this have no place in a design, and are mostly a sign of a damaged file. */
#define MAX_TENSOR_BYTES (UINT64_C(1) << 32)

typedef struct Tensor {
    const char *name;
    Scalar type;
    bool is_unsigned; /* an integer that the model calls unsigned: matters to files only */
    bool is_bool;     /* i1 that the model calls bool */
    int rank;
    int64_t shape[MAX_RANK];
    size_t elements;
    void *data; /* elements x scalar_bytes(type) bytes, or NULL while only the type is known */
} Tensor;

#endif
