/* PyTorch's scalar types, by the codes of torch.export's files, and types of tensors. */
#ifndef TEPAL_IMPORT_DTYPE_H
#define TEPAL_IMPORT_DTYPE_H

#include "base/arena.h"
#include "base/number.h"
#include "base/tensor.h"

typedef enum Dtype {
    DTYPE_UNKNOWN = 0,
    DTYPE_UINT8 = 1,
    DTYPE_INT8 = 2,
    DTYPE_INT16 = 3,
    DTYPE_INT32 = 4,
    DTYPE_INT64 = 5,
    DTYPE_FLOAT16 = 6,
    DTYPE_FLOAT32 = 7,
    DTYPE_FLOAT64 = 8,
    DTYPE_BOOL = 12,
    DTYPE_BFLOAT16 = 13,
    DTYPE_UINT16 = 28,
    DTYPE_UINT32 = 34,
    DTYPE_UINT64 = 35
} Dtype;

typedef struct DtypeInfo {
    Dtype dtype;
    const char *name;  /* PyTorch's: "float32" */
    size_t size;       /* bytes in a file */
    bool is_supported; /* false for complex and 8-bit floats: known, but not compiled */
    bool is_float, is_unsigned, is_bool;
    Scalar scalar;
} DtypeInfo;

/* NULL for a code that torch.export does not have. */
const DtypeInfo *dtype_info(int64_t code);

const char *dtype_name(Dtype dtype);
bool dtype_is_float(Dtype dtype);
bool dtype_is_integer(Dtype dtype); /* bool is none */
bool dtype_is_unsigned(Dtype dtype);

/* PyTorch's type of the result of an operation on two tensors of these types. */
Dtype dtype_promote(Dtype a, Dtype b);

typedef struct TensorType {
    Dtype dtype;
    int rank;
    int64_t shape[MAX_RANK];
} TensorType;

TensorType tensor_type(Dtype dtype, int rank, const int64_t *shape);
bool tensor_type_equal(const TensorType *a, const TensorType *b);
int64_t tensor_type_elements(const TensorType *type); /* of a type whose size was checked */
/* "float32[1, 64]"; a size that is not known, -1, shows as "?" */
const char *tensor_type_text(Arena *arena, const TensorType *type);
/* "[1, 64]" */
const char *shape_text(Arena *arena, int rank, const int64_t *shape);

#endif
