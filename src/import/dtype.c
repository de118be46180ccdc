/* PyTorch's scalar types: one table. */
#include "import/dtype.h"
#include <string.h>
#include "base/text.h"

#define INTEGER(code, name, bits, is_unsigned)                                                     \
    {                                                                                              \
        code, name, bits / 8, true, false, is_unsigned, false, {                                   \
            SCALAR_INTEGER, bits, 0                                                                \
        }                                                                                          \
    }
#define FLOAT(code, name, bits, exponent)                                                          \
    {                                                                                              \
        code, name, bits / 8, true, true, false, false, {                                          \
            SCALAR_FLOAT, bits, exponent                                                           \
        }                                                                                          \
    }
#define FOREIGN(code, name, size)                                                                  \
    {                                                                                              \
        (Dtype) code, name, size, false, true, false, false, {                                     \
            0                                                                                      \
        }                                                                                          \
    }

static const DtypeInfo dtypes[] = {
    INTEGER(DTYPE_UINT8, "uint8", 8, true),
    INTEGER(DTYPE_INT8, "int8", 8, false),
    INTEGER(DTYPE_INT16, "int16", 16, false),
    INTEGER(DTYPE_INT32, "int32", 32, false),
    INTEGER(DTYPE_INT64, "int64", 64, false),
    FLOAT(DTYPE_FLOAT16, "float16", 16, 5),
    FLOAT(DTYPE_FLOAT32, "float32", 32, 8),
    FLOAT(DTYPE_FLOAT64, "float64", 64, 11),
    FOREIGN(9, "complex32", 4),
    FOREIGN(10, "complex64", 8),
    FOREIGN(11, "complex128", 16),
    {DTYPE_BOOL, "bool", 1, true, false, false, true, {SCALAR_INTEGER, 1, 0}},
    FLOAT(DTYPE_BFLOAT16, "bfloat16", 16, 8),
    INTEGER(DTYPE_UINT16, "uint16", 16, true),
    FOREIGN(29, "float8_e4m3fn", 1),
    FOREIGN(30, "float8_e5m2", 1),
    FOREIGN(31, "float8_e4m3fnuz", 1),
    FOREIGN(32, "float8_e5m2fnuz", 1),
    FOREIGN(33, "float8_e8m0fnu", 1),
    INTEGER(DTYPE_UINT32, "uint32", 32, true),
    INTEGER(DTYPE_UINT64, "uint64", 64, true),
};

const DtypeInfo *dtype_info(int64_t code) {
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if ((int64_t)dtypes[i].dtype == code) return &dtypes[i];
    }
    return NULL;
}

const char *dtype_name(Dtype dtype) {
    const DtypeInfo *info = dtype_info(dtype);
    return info ? info->name : "unknown";
}

bool dtype_is_float(Dtype dtype) {
    const DtypeInfo *info = dtype_info(dtype);
    return info && info->is_float;
}

bool dtype_is_unsigned(Dtype dtype) {
    const DtypeInfo *info = dtype_info(dtype);
    return info && (info->is_unsigned || info->is_bool);
}

bool dtype_is_integer(Dtype dtype) {
    const DtypeInfo *info = dtype_info(dtype);
    return info && !info->is_float && !info->is_bool;
}

/* The larger of two floats; float16 and bfloat16 meet in float32. */
static Dtype promote_floats(const DtypeInfo *a, const DtypeInfo *b) {
    if (a->size == b->size) return DTYPE_FLOAT32;
    return a->size > b->size ? a->dtype : b->dtype;
}

/* A signed type holds an unsigned one only if it is wider: uint8 and int8 meet in int16. PyTorch
 * has no type for uint16 to uint64 with a signed one; the next wider signed one is the nearest. */
static Dtype promote_integers(const DtypeInfo *a, const DtypeInfo *b) {
    if (a->is_unsigned == b->is_unsigned) return a->size > b->size ? a->dtype : b->dtype;
    const DtypeInfo *is_signed = a->is_unsigned ? b : a;
    const DtypeInfo *is_unsigned = a->is_unsigned ? a : b;
    if (is_signed->size > is_unsigned->size) return is_signed->dtype;
    static const Dtype wider[] = {[1] = DTYPE_INT16, [2] = DTYPE_INT32, [4] = DTYPE_INT64};
    return is_unsigned->size < 8 ? wider[is_unsigned->size] : DTYPE_INT64;
}

Dtype dtype_promote(Dtype a, Dtype b) {
    if (a == b) return a;
    const DtypeInfo *left = dtype_info(a), *right = dtype_info(b);
    if (!left || left->is_bool) return b;
    if (!right || right->is_bool) return a;
    if (left->is_float && right->is_float) return promote_floats(left, right);
    if (left->is_float) return a;
    if (right->is_float) return b;
    return promote_integers(left, right);
}

TensorType tensor_type(Dtype dtype, int rank, const int64_t *shape) {
    TensorType type = {.dtype = dtype, .rank = rank};
    for (int i = 0; i < rank && i < MAX_RANK; i++) type.shape[i] = shape[i];
    return type;
}

bool tensor_type_equal(const TensorType *a, const TensorType *b) {
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    return memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

int64_t tensor_type_elements(const TensorType *type) {
    int64_t elements = 1;
    for (int i = 0; i < type->rank; i++) elements *= type->shape[i];
    return elements;
}

const char *shape_text(Arena *arena, int rank, const int64_t *shape) {
    Text text = text_new(arena);
    text_append(&text, "[");
    for (int i = 0; i < rank; i++) {
        if (i) text_append(&text, ", ");
        if (shape[i] < 0) text_append(&text, "?");
        if (shape[i] >= 0) text_printf(&text, "%lld", (long long)shape[i]);
    }
    text_append(&text, "]");
    return text_string(&text);
}

const char *tensor_type_text(Arena *arena, const TensorType *type) {
    return string_format(arena, "%s%s", dtype_name(type->dtype),
                         shape_text(arena, type->rank, type->shape));
}
