/* Constant tensors as strided views of bytes. */
#include <string.h>
#include "base/text.h"
#include "import/weights.h"

bool stored_check(Diagnostics *diagnostics, const char *place, const char *name,
                  const Stored *stored, uint64_t size) {
    const TensorType *type = &stored->type;
    if (stored->offset < 0) {
        return error_at(diagnostics, STATUS_INPUT, place, "%s: negative storage offset %lld", name,
                        (long long)stored->offset);
    }
    size_t last = (size_t)stored->offset, item = dtype_info(type->dtype)->size;
    bool fits = true, empty = false;
    for (int i = 0; i < type->rank; i++) {
        size_t span = 0;
        if (stored->strides[i] < 0) {
            return error_at(diagnostics, STATUS_INPUT, place, "%s: negative stride %lld", name,
                            (long long)stored->strides[i]);
        }
        empty |= type->shape[i] == 0;
        if (type->shape[i] == 0) continue;
        fits =
            fits && size_multiply((size_t)(type->shape[i] - 1), (size_t)stored->strides[i], &span);
        fits = fits && size_add(last, span, &last);
    }
    size_t bytes = 0;
    fits = fits && size_add(last, 1, &last) && size_multiply(last, item, &bytes);
    if (empty || (fits && bytes <= size)) return true;
    if (!fits) {
        return error_at(diagnostics, STATUS_INPUT, place,
                        "%s: shape and strides overflow, they reach past the data", name);
    }
    return error_at(diagnostics, STATUS_INPUT, place,
                    "%s needs %zu bytes, has %llu: shape, strides or offset reach past the data",
                    name, bytes, (unsigned long long)size);
}

Stored *stored_new(Arena *arena, Dtype dtype, int rank, const int64_t *shape, const void *bytes) {
    Stored *stored = arena_new_of(arena, Stored);
    stored->type = tensor_type(dtype, rank, shape);
    stored->bytes = bytes;
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        stored->strides[i] = stride;
        stride *= shape[i];
    }
    return stored;
}

Stored *stored_splat(Arena *arena, Dtype dtype, int rank, const int64_t *shape, double number,
                     int64_t integer) {
    const DtypeInfo *info = dtype_info(dtype);
    unsigned char *bytes = arena_alloc(arena, sizeof(Bits));
    Bits bits = info->is_float ? bits_from_double(info->scalar, number) : (Bits)integer;
    if (!info->is_float) bits &= bits_mask(info->scalar.width);
    bits_store(info->scalar, bytes, 0, bits);
    Stored *stored = stored_new(arena, dtype, rank, shape, bytes);
    memset(stored->strides, 0, sizeof stored->strides);
    return stored;
}

bool stored_is_splat(const Stored *stored) {
    for (int i = 0; i < stored->type.rank; i++) {
        if (stored->type.shape[i] > 1 && stored->strides[i] != 0) return false;
    }
    return true;
}

static bool is_dense(const Stored *stored) {
    int64_t stride = 1;
    for (int i = stored->type.rank - 1; i >= 0; i--) {
        if (stored->type.shape[i] > 1 && stored->strides[i] != stride) return false;
        stride *= stored->type.shape[i];
    }
    return true;
}

void *stored_dense(Arena *arena, const Stored *stored) {
    const TensorType *type = &stored->type;
    size_t item = dtype_info(type->dtype)->size;
    int64_t elements = tensor_type_elements(type);
    char *dense = arena_array(arena, (size_t)elements + 1, item);
    const char *source = (const char *)stored->bytes + (size_t)stored->offset * item;
    if (elements > 0 && is_dense(stored)) {
        memcpy(dense, source, (size_t)elements * item);
        return dense;
    }
    /* An odometer over all but the last dimension. */
    int64_t at[MAX_RANK] = {0};
    int64_t place = 0;
    for (int64_t i = 0; i < elements; i++) {
        memcpy(dense + (size_t)i * item, source + (size_t)place * item, item);
        for (int d = type->rank - 1; d >= 0; d--) {
            place += stored->strides[d];
            if (++at[d] < type->shape[d]) break;
            place -= stored->strides[d] * type->shape[d];
            at[d] = 0;
        }
    }
    return dense;
}

static double double_of(const DtypeInfo *info, Bits bits) {
    if (info->is_float) return bits_to_double(info->scalar, bits);
    bool is_signed = !info->is_unsigned && !info->is_bool;
    return is_signed ? (double)bits_signed(info->scalar.width, bits) : (double)bits;
}

Bits stored_first(const Stored *stored) {
    return bits_load(dtype_info(stored->type.dtype)->scalar, stored->bytes, (size_t)stored->offset);
}

double stored_first_double(const Stored *stored) {
    return double_of(dtype_info(stored->type.dtype), stored_first(stored));
}

double *stored_doubles(Arena *arena, const Stored *stored) {
    const DtypeInfo *info = dtype_info(stored->type.dtype);
    const void *dense = stored_dense(arena, stored);
    size_t elements = (size_t)tensor_type_elements(&stored->type);
    double *doubles = arena_array(arena, elements + 1, sizeof *doubles);
    for (size_t i = 0; i < elements; i++) {
        doubles[i] = double_of(info, bits_load(info->scalar, dense, i));
    }
    return doubles;
}

Stored *stored_as_float(Arena *arena, const Stored *stored, Dtype dtype) {
    const DtypeInfo *from = dtype_info(stored->type.dtype), *to = dtype_info(dtype);
    if (!to->is_float || (!from->is_float && from->size > 4)) return NULL;
    const TensorType *type = &stored->type;
    if (stored_is_splat(stored)) {
        return stored_splat(arena, dtype, type->rank, type->shape, stored_first_double(stored), 0);
    }
    size_t elements = (size_t)tensor_type_elements(type);
    const double *doubles = stored_doubles(arena, stored);
    void *bytes = arena_array(arena, elements + 1, to->size);
    for (size_t i = 0; i < elements; i++) {
        bits_store(to->scalar, bytes, i, bits_from_double(to->scalar, doubles[i]));
    }
    return stored_new(arena, dtype, type->rank, type->shape, bytes);
}
