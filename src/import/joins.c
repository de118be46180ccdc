/* Operations that take tensors apart and put them together: slices, splits, joins, padding. */
#include <string.h>
#include "import/indexing.h"
#include "import/elementwise.h"
#include "import/operations.h"
#include "import/quantized.h"
#include "import/shape.h"

/* --- parts --------------------------------------------------------------------------------- */

Value *value_slice(Call *call, Value *value, int dim, int64_t start, int64_t count, int64_t step) {
    const TensorType *type = &value->type;
    if (start == 0 && count == type->shape[dim] && step == 1) return value;
    int64_t shape[MAX_RANK], offsets[MAX_RANK] = {0}, strides[MAX_RANK];
    memcpy(shape, type->shape, sizeof shape);
    shape[dim] = count;
    if (value->stored) {
        Stored *view = arena_copy(call->arena, value->stored, sizeof *view);
        view->type = tensor_type(type->dtype, type->rank, shape);
        view->offset += start * view->strides[dim];
        view->strides[dim] *= step;
        return value_constant(call->arena, view);
    }
    for (int i = 0; i < type->rank; i++) strides[i] = i == dim ? step : 1;
    offsets[dim] = start;
    MlirValue part = build_extract(call->builder, call_mlir(call, value), offsets, shape, strides);
    return value_new(call->arena, type->dtype, type->rank, shape, part);
}

/* An index from the end if negative. */
static bool wrap_index(Call *call, int64_t *index, int64_t size) {
    int64_t given = *index;
    if (*index < 0) *index += size;
    if (*index >= 0 && *index < size) return true;
    return call_fail(call, "index %lld is out of range for size %lld", (long long)given,
                     (long long)size);
}

static bool read_dim(Call *call, Value *self, int *dim) {
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor has no dimension");
    return call_dim(call, "dim", self->type.rank, dim);
}

static bool emit_select(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (!read_dim(call, self, &dim)) return false;
    int64_t index = call_integer(call, "index");
    if (!wrap_index(call, &index, self->type.shape[dim])) return false;
    return call_result(call, 0,
                       value_drop_dim(call, value_slice(call, self, dim, index, 1, 1), dim));
}

/* Bounds from the end if negative, and cut to the size, as in Python. */
static int64_t clamp_bound(int64_t bound, int64_t size) {
    if (bound < 0) bound += size;
    return bound < 0 ? 0 : bound > size ? size : bound;
}

bool read_slice(Call *call, int64_t size, Slice *slice) {
    int64_t step = call_integer(call, "step");
    int64_t start = call_has(call, "start") ? call_integer(call, "start") : 0;
    int64_t end = call_has(call, "end") ? call_integer(call, "end") : size;
    if (step < 1) return call_fail(call, "step must be positive, it is %lld", (long long)step);
    start = clamp_bound(start, size);
    end = clamp_bound(end, size);
    slice->start = start;
    slice->count = end <= start ? 0 : (end - start - 1) / step + 1;
    slice->step = slice->count == 1 ? 1 : step;
    return true;
}

static bool emit_slice(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (!read_dim(call, self, &dim)) return false;
    Slice slice;
    if (!read_slice(call, self->type.shape[dim], &slice)) return false;
    return call_result(call, 0, value_slice(call, self, dim, slice.start, slice.count, slice.step));
}

static bool emit_narrow(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (!read_dim(call, self, &dim)) return false;
    int64_t size = self->type.shape[dim], length = call_integer(call, "length");
    int64_t start = call_integer(call, "start");
    if (start < 0) start += size;
    if (start < 0 || length < 0 || start > size || length > size - start) {
        return call_fail(call, "start and length do not fit the size %lld", (long long)size);
    }
    return call_result(call, 0, value_slice(call, self, dim, start, length, 1));
}

/* Parts of these sizes, which must add up to the whole. */
static bool split(Call *call, Value *self, int dim, int count, const int64_t *sizes) {
    int64_t start = 0, size = self->type.shape[dim];
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 0 || sizes[i] > size - start) {
            return call_fail(call, "parts of %s do not fit the size %lld",
                             shape_text(call->arena, count, sizes), (long long)size);
        }
        if (!call_result(call, i, value_slice(call, self, dim, start, sizes[i], 1))) return false;
        start += sizes[i];
    }
    return start == size ||
           call_fail(call, "the parts do not add up to the size %lld", (long long)size);
}

static bool emit_split_sizes(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0, count;
    const char *name = call->operation->option ? "split_size" : "split_sizes";
    const int64_t *sizes = call_integers(call, name, &count);
    return read_dim(call, self, &dim) && split(call, self, dim, count, sizes);
}

/* Equal parts of `part`, the last one with the rest. */
static bool split_evenly(Call *call, Value *self, int dim, int64_t part) {
    int64_t size = self->type.shape[dim];
    if (part < 1) return call_fail(call, "the size of a part must be positive");
    int64_t count = (size - 1) / part + 1;
    if (count > call->node->output_count) {
        return call_fail(call, "it has %lld parts, but the node %d results", (long long)count,
                         call->node->output_count);
    }
    int64_t *sizes = arena_array(call->arena, (size_t)count, sizeof *sizes);
    for (int64_t i = 0; i < count; i++) sizes[i] = i + 1 < count ? part : size - i * part;
    return split(call, self, dim, (int)count, sizes);
}

static bool emit_split(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    return read_dim(call, self, &dim) &&
           split_evenly(call, self, dim, call_integer(call, "split_size"));
}

static bool emit_chunk(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (!read_dim(call, self, &dim)) return false;
    int64_t chunks = call_integer(call, "chunks"), size = self->type.shape[dim];
    if (chunks < 1) return call_fail(call, "chunks must be positive");
    return split_evenly(call, self, dim, (size - 1) / chunks + 1);
}

static bool emit_unbind(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (!read_dim(call, self, &dim)) return false;
    for (int64_t i = 0; i < self->type.shape[dim]; i++) {
        Value *part = value_drop_dim(call, value_slice(call, self, dim, i, 1, 1), dim);
        if (!call_result(call, (int)i, part)) return false;
    }
    return true;
}

/* --- joins --------------------------------------------------------------------------------- */

static bool check_joined(Call *call, const TensorType *first, const TensorType *other, int dim) {
    bool same = first->rank == other->rank;
    for (int i = 0; same && i < first->rank; i++) {
        same = i == dim || first->shape[i] == other->shape[i];
    }
    return same || call_fail(call, "the shapes %s and %s do not fit",
                             shape_text(call->arena, first->rank, first->shape),
                             shape_text(call->arena, other->rank, other->shape));
}

Value *value_concatenate(Call *call, int count, Value *const *values, int dim) {
    TensorType type = values[0]->type;
    type.dtype = promote_values(count, values);
    for (int i = 1; i < count; i++) {
        if (!check_joined(call, &type, &values[i]->type, dim)) return NULL;
        type.shape[dim] += values[i]->type.shape[dim];
    }
    if (count == 1) return values[0];
    MlirValue joined =
        build_empty(call->builder, call_type(call, type.dtype, type.rank, type.shape));
    int64_t offsets[MAX_RANK] = {0};
    for (int i = 0; i < count; i++) {
        MlirValue part = call_mlir(call, call_cast(call, values[i], type.dtype));
        joined = build_insert_into(call->builder, part, joined, offsets);
        offsets[dim] += values[i]->type.shape[dim];
    }
    return value_new(call->arena, type.dtype, type.rank, type.shape, joined);
}

static bool emit_cat(Call *call) {
    int count, kept = 0, dim = 0;
    Value **values = call_tensors(call, "tensors", &count);
    /* Old models join empty vectors of shape [0] with anything: they add nothing. */
    for (int i = 0; i < count; i++) {
        bool empty = values[i]->type.rank == 1 && values[i]->type.shape[0] == 0;
        if (!empty) values[kept++] = values[i];
    }
    if (kept == 0) return call_fail(call, "there is nothing to join");
    if (!read_dim(call, values[0], &dim)) return false;
    Value *result = value_concatenate(call, kept, values, dim);
    return result && call_result(call, 0, result);
}

static bool emit_stack(Call *call) {
    int count, dim = 0;
    Value **values = call_tensors(call, "tensors", &count);
    if (count == 0) return call_fail(call, "there is nothing to join");
    int rank = values[0]->type.rank + 1;
    if (rank > MAX_RANK) return call_fail(call, "the rank of the result is too large");
    if (!call_dim(call, "dim", rank, &dim)) return false;
    for (int i = 0; i < count; i++) {
        const TensorType *type = &values[i]->type;
        int64_t shape[MAX_RANK];
        if (type->rank != rank - 1) return call_fail(call, "the ranks of the tensors differ");
        for (int n = 0; n < rank; n++) {
            shape[n] = n == dim ? 1 : type->shape[n > dim ? n - 1 : n];
        }
        values[i] = value_reshape(call, values[i], rank, shape);
    }
    Value *result = value_concatenate(call, count, values, dim);
    return result && call_result(call, 0, result);
}

/* The tensor beside itself: dimension i of size n as n * repeats[i], new dimensions in front. */
static bool emit_repeat(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    int count, dims[MAX_RANK], wide = 0;
    const int64_t *repeats = call_integers(call, "repeats", &count);
    int64_t shape[MAX_RANK], apart[2 * MAX_RANK];
    if (count < type->rank || count + type->rank > MAX_RANK) {
        return call_fail(call, "%d repeats for a tensor of rank %d", count, type->rank);
    }
    for (int i = 0; i < count; i++) {
        int from = i - (count - type->rank);
        int64_t size = from >= 0 ? type->shape[from] : 1;
        if (repeats[i] < 1 || repeats[i] > INT32_MAX) {
            return call_fail(call, "%lld repeats are not supported", (long long)repeats[i]);
        }
        shape[i] = size * repeats[i];
        apart[wide++] = repeats[i];
        if (from < 0) continue;
        dims[from] = wide;
        apart[wide++] = size;
    }
    MlirType result = call_type(call, type->dtype, wide, apart);
    MlirValue spread = build_spread(call->builder, call_mlir(call, self), result, dims);
    Value *value = value_new(call->arena, type->dtype, wide, apart, spread);
    return call_result(call, 0, value_reshape(call, value, count, shape));
}

/* --- turned and rolled --------------------------------------------------------------------- */

Value *value_flip(Call *call, Value *value, const bool *flags) {
    const TensorType *type = &value->type;
    Builder *builder = call->builder;
    MlirAffineExpr places[MAX_RANK];
    if (value->stored) {
        Stored *view = arena_copy(call->arena, value->stored, sizeof *view);
        for (int i = 0; i < type->rank; i++) {
            if (!flags[i]) continue;
            view->offset += (type->shape[i] - 1) * view->strides[i];
            view->strides[i] = -view->strides[i];
        }
        return value_constant(call->arena, view);
    }
    for (int i = 0; i < type->rank; i++) {
        places[i] = affine_dim(builder, i, flags[i] ? -1 : 1);
        if (!flags[i]) continue;
        MlirAffineExpr last = mlirAffineConstantExprGet(builder->context, type->shape[i] - 1);
        places[i] = affine_plus(places[i], last);
    }
    MlirAffineMap maps[] = {mlirAffineMapGet(builder->context, type->rank, 0, type->rank, places),
                            map_identity(builder, type->rank)};
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)type->rank);
    MlirValue input = call_mlir(call, value);
    MlirValue init = build_empty(builder, call_type(call, type->dtype, type->rank, type->shape));
    Generic turned = generic_begin(builder, iterators, 1, &input, 1, &init, maps);
    MlirValue result = generic_end(&turned, generic_input(&turned, 0));
    return value_new(call->arena, type->dtype, type->rank, type->shape, result);
}

static bool emit_flip(Call *call) {
    Value *self = call_tensor(call, "self");
    bool flags[MAX_RANK] = {false};
    int count, dim = 0;
    const int64_t *dims = call_integers(call, "dims", &count);
    for (int i = 0; i < count; i++) {
        if (!call_wrap_dim(call, "dims", dims[i], self->type.rank, &dim)) return false;
        flags[dim] = true;
    }
    return call_result(call, 0, value_flip(call, self, flags));
}

static Value *roll(Call *call, Value *value, int dim, int64_t shift) {
    int64_t size = value->type.shape[dim];
    shift = (shift % size + size) % size;
    if (shift == 0) return value;
    Value *parts[] = {value_slice(call, value, dim, size - shift, shift, 1),
                      value_slice(call, value, dim, 0, size - shift, 1)};
    return value_concatenate(call, 2, parts, dim);
}

/* Without dims, the flat tensor is rolled. */
static bool emit_roll(Call *call) {
    Value *self = call_tensor(call, "self"), *value = self;
    int count, dim_count, dim = 0;
    const int64_t *shifts = call_integers(call, "shifts", &count);
    const int64_t *dims = call_integers(call, "dims", &dim_count);
    if (dim_count == 0 && count == 1) {
        int64_t flat[] = {tensor_type_elements(&self->type)};
        value = roll(call, value_reshape(call, self, 1, flat), 0, shifts[0]);
        return call_result(call, 0, value_reshape(call, value, self->type.rank, self->type.shape));
    }
    if (count != dim_count) return call_fail(call, "shifts and dims differ in number");
    if (self->type.rank == 0) return call_result(call, 0, self);
    for (int i = 0; i < count; i++) {
        if (!call_wrap_dim(call, "dims", dims[i], self->type.rank, &dim)) return false;
        value = roll(call, value, dim, shifts[i]);
    }
    return call_result(call, 0, value);
}

/* --- padding ------------------------------------------------------------------------------- */

typedef struct Padding {
    int count; /* dimensions that are padded: the last ones */
    int64_t low[MAX_RANK], high[MAX_RANK];
} Padding;

/* The list has a pair for each dimension, the last dimension first. */
static bool read_padding(Call *call, const char *name, const TensorType *type, Padding *padding) {
    int count;
    const int64_t *list = call_integers(call, name, &count);
    if (count % 2 != 0 || count / 2 > type->rank) {
        return call_fail(call, "%d numbers of padding do not fit rank %d", count, type->rank);
    }
    padding->count = count / 2;
    for (int i = 0; i < padding->count; i++) {
        int dim = type->rank - 1 - i;
        padding->low[dim] = list[2 * i];
        padding->high[dim] = list[2 * i + 1];
        int64_t size = type->shape[dim], most = INT64_C(1) << 30;
        if (padding->low[dim] < -size || padding->high[dim] < -size || padding->low[dim] > most ||
            padding->high[dim] > most || size + padding->low[dim] + padding->high[dim] < 1) {
            return call_fail(call, "padding %s does not fit %s",
                             shape_text(call->arena, count, list),
                             tensor_type_text(call->arena, type));
        }
    }
    return true;
}

/* A negative padding cuts; NULL with a message if nothing is left. */
static Value *cut(Call *call, Value *value, Padding *padding) {
    int rank = value->type.rank;
    for (int dim = rank - padding->count; dim < rank; dim++) {
        int64_t start = padding->low[dim] < 0 ? -padding->low[dim] : 0;
        int64_t end = padding->high[dim] < 0 ? -padding->high[dim] : 0;
        int64_t left = value->type.shape[dim] - start - end;
        if (left < 1 && start + end > 0) {
            call_fail(call, "negative padding takes all of dimension %d away", dim);
            return NULL;
        }
        value = value_slice(call, value, dim, start, left, 1);
        if (start) padding->low[dim] = 0;
        if (end) padding->high[dim] = 0;
    }
    return value;
}

static bool pad_constant(Call *call, Value *self, Padding *padding, Number number) {
    Value *value = cut(call, self, padding);
    if (!value) return false;
    TensorType type = value->type;
    bool needed = false;
    for (int i = 0; i < type.rank; i++) {
        type.shape[i] += padding->low[i] + padding->high[i];
        needed |= padding->low[i] || padding->high[i];
    }
    if (!needed) return call_result(call, 0, value);
    MlirValue scalar = scalar_number(call->builder, type.dtype, number);
    MlirValue padded =
        build_pad(call->builder, call_mlir(call, value), padding->low, padding->high, scalar);
    return call_give(call, type.dtype, type.rank, type.shape, padded);
}

/* The part that stands before or after the tensor along a dimension. */
static Value *border(Call *call, Value *value, int dim, int64_t count, bool before,
                     const char *mode) {
    int64_t size = value->type.shape[dim];
    if (strcmp(mode, "circular") == 0) {
        return value_slice(call, value, dim, before ? size - count : 0, count, 1);
    }
    if (strcmp(mode, "replicate") == 0) {
        int64_t shape[MAX_RANK];
        Value *edge = value_slice(call, value, dim, before ? 0 : size - 1, 1, 1);
        memcpy(shape, edge->type.shape, sizeof shape);
        shape[dim] = count;
        return broadcast_to(call, edge, edge->type.rank, shape);
    }
    bool flags[MAX_RANK] = {false};
    flags[dim] = true;
    Value *inner = value_slice(call, value, dim, before ? 1 : size - 1 - count, count, 1);
    return value_flip(call, inner, flags);
}

static bool pad_mirror(Call *call, Value *value, Padding *padding, const char *mode) {
    int64_t spare = strcmp(mode, "reflect") == 0 ? 1 : 0;
    bool replicates = strcmp(mode, "replicate") == 0;
    value = cut(call, value, padding);
    if (!value) return false;
    for (int dim = value->type.rank - padding->count; dim < value->type.rank; dim++) {
        int64_t size = value->type.shape[dim] - spare;
        Value *parts[3];
        int count = 0;
        if (!replicates && (padding->low[dim] > size || padding->high[dim] > size)) {
            return call_fail(call, "padding of mode %s is larger than the input", mode);
        }
        if (padding->low[dim]) {
            parts[count++] = border(call, value, dim, padding->low[dim], true, mode);
        }
        parts[count++] = value;
        if (padding->high[dim]) {
            parts[count++] = border(call, value, dim, padding->high[dim], false, mode);
        }
        value = value_concatenate(call, count, parts, dim);
    }
    return call_result(call, 0, value);
}

static bool emit_pad(Call *call) {
    Value *self = call_tensor(call, "self");
    Padding padding = {0};
    const char *mode = call_string(call, "mode");
    if (!read_padding(call, "pad", &self->type, &padding)) return false;
    bool has_value = call_has(call, "value");
    Number number = has_value ? call_number(call, "value") : number_of_integer(0);
    if (strcmp(mode, "constant") == 0) return pad_constant(call, self, &padding, number);
    if (has_value && number.real != 0) return call_fail(call, "mode %s takes no value", mode);
    if (strcmp(mode, "reflect") == 0 || strcmp(mode, "replicate") == 0 ||
        strcmp(mode, "circular") == 0) {
        return pad_mirror(call, self, &padding, mode);
    }
    return call_fail(call, "mode %s is not supported", string_printable(call->arena, mode, 40));
}

static bool emit_constant_pad(Call *call) {
    Value *self = call_tensor(call, "self");
    Padding padding = {0};
    return read_padding(call, "pad", &self->type, &padding) &&
           pad_constant(call, self, &padding, call_number(call, "value"));
}

/* reflection_pad2d and its kind say the mode in their names. */
static bool emit_mirror_pad(Call *call) {
    Value *self = call_tensor(call, "self");
    Padding padding = {0};
    int count;
    call_integers(call, "padding", &count);
    if (count != 2 * (call->operation->option & 3))
        return call_fail(call, "padding has a wrong length");
    return read_padding(call, "padding", &self->type, &padding) &&
           pad_mirror(call, self, &padding, call->operation->option & 4 ? "replicate" : "reflect");
}

/* Rows that differ in little. */
// clang-format off
#define MIRROR(name, n, bits)                                                                      \
    {"aten." name "_pad" #n "d.default", "(Tensor self, SymInt[] padding) -> Tensor",              \
     .emit = emit_mirror_pad, .option = n | bits}
// clang-format on

const Operation join_operations[] = {
    {"aten.select.int", "(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", .emit = emit_select,
     .integers = integers_move},
    {"aten.slice.Tensor",
     "(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
     .emit = emit_slice, .integers = integers_move},
    {"aten.narrow.default", "(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
     .emit = emit_narrow, .integers = integers_move},
    {"aten.split_with_sizes.default",
     "(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
     .emit = emit_split_sizes, .integers = integers_move},
    {"aten.split.sizes", "(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]",
     .emit = emit_split_sizes, .option = 1, .integers = integers_move},
    {"aten.split.Tensor", "(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
     .emit = emit_split, .integers = integers_move},
    {"aten.chunk.default", "(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
     .emit = emit_chunk, .integers = integers_move},
    {"aten.unbind.int", "(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", .emit = emit_unbind,
     .integers = integers_move},
    {"aten.cat.default", "(Tensor[] tensors, int dim=0) -> Tensor", .emit = emit_cat,
     .integers = integers_move},
    {"aten.concat.default", "(Tensor[] tensors, int dim=0) -> Tensor", .emit = emit_cat,
     .integers = integers_move},
    {"aten.concatenate.default", "(Tensor[] tensors, int dim=0) -> Tensor", .emit = emit_cat,
     .integers = integers_move},
    {"aten.stack.default", "(Tensor[] tensors, int dim=0) -> Tensor", .emit = emit_stack,
     .integers = integers_move},
    {"aten.repeat.default", "(Tensor self, SymInt[] repeats) -> Tensor", .emit = emit_repeat,
     .integers = integers_move},
    {"aten.flip.default", "(Tensor self, int[] dims) -> Tensor", .emit = emit_flip,
     .integers = integers_move},
    {"aten.roll.default", "(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
     .emit = emit_roll, .integers = integers_move},
    {"aten.pad.default",
     "(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor",
     .emit = emit_pad},
    {"aten.constant_pad_nd.default", "(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
     .emit = emit_constant_pad},
    MIRROR("reflection", 1, 0),
    MIRROR("reflection", 2, 0),
    MIRROR("reflection", 3, 0),
    MIRROR("replication", 1, 4),
    MIRROR("replication", 2, 4),
    MIRROR("replication", 3, 4),
    {.name = NULL},
};
