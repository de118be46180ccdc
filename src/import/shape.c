/* Operations that give a tensor another shape or order of dimensions: views and permutations. */
#include "import/shape.h"
#include <string.h>
#include "import/elementwise.h"
#include "import/operations.h"
#include "import/quantized.h"

/* --- the same elements in another shape ---------------------------------------------------- */

Value *value_reshape(Call *call, Value *value, int rank, const int64_t *shape) {
    const TensorType *type = &value->type;
    if (type->rank == rank && memcmp(type->shape, shape, (size_t)rank * sizeof *shape) == 0) {
        return value;
    }
    if (value->stored) {
        const void *dense = stored_dense(call->arena, value->stored);
        Stored *stored = stored_new(call->arena, type->dtype, rank, shape, dense);
        if (stored_is_splat(value->stored)) memset(stored->strides, 0, sizeof stored->strides);
        return value_constant(call->arena, stored);
    }
    MlirValue result = build_reshape(call->builder, call_mlir(call, value), rank, shape);
    return value_new(call->arena, type->dtype, rank, shape, result);
}

/* A list of sizes, one of which may be -1 for what is left. */
static bool complete_sizes(Call *call, const char *name, int64_t elements, int *rank,
                           int64_t *shape) {
    int count, open = -1;
    const int64_t *sizes = call_integers(call, name, &count);
    int64_t product = 1;
    if (count > MAX_RANK) return call_fail(call, "rank %d is too large", count);
    for (int i = 0; i < count; i++) {
        shape[i] = sizes[i];
        if (sizes[i] == -1 && open < 0) {
            open = i;
        } else if (sizes[i] < 1 || sizes[i] > elements || product > elements) {
            return call_fail(call, "%lld elements do not fit %s", (long long)elements,
                             shape_text(call->arena, count, sizes));
        } else {
            product *= sizes[i];
        }
    }
    if (open >= 0) shape[open] = elements / product;
    if (open >= 0) product *= shape[open];
    *rank = count;
    return product == elements ||
           call_fail(call, "%lld elements do not fit %s", (long long)elements,
                     shape_text(call->arena, count, sizes));
}

static bool emit_view(Call *call) {
    Value *self = call_tensor(call, "self");
    int64_t shape[MAX_RANK];
    int rank = 0;
    const char *name = call->operation->option ? "shape" : "size";
    if (!complete_sizes(call, name, tensor_type_elements(&self->type), &rank, shape)) return false;
    return call_result(call, 0, value_reshape(call, self, rank, shape));
}

static bool emit_flatten(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    int first = 0, last = 0, rank = 0;
    int64_t shape[MAX_RANK];
    if (!call_dim(call, "start_dim", type->rank, &first)) return false;
    if (!call_dim(call, "end_dim", type->rank, &last)) return false;
    if (first > last) return call_fail(call, "start_dim is after end_dim");
    if (type->rank == 0) shape[rank++] = 1;
    for (int i = 0; i < type->rank; i++) {
        if (i > first && i <= last) {
            shape[rank - 1] *= type->shape[i];
        } else {
            shape[rank++] = type->shape[i];
        }
    }
    return call_result(call, 0, value_reshape(call, self, rank, shape));
}

/* --- permutations -------------------------------------------------------------------------- */

Value *value_permute(Call *call, Value *value, const int *dims) {
    const TensorType *type = &value->type;
    int64_t shape[MAX_RANK];
    int inverse[MAX_RANK];
    bool moves = false;
    for (int i = 0; i < type->rank; i++) {
        shape[i] = type->shape[dims[i]];
        inverse[dims[i]] = i;
        moves |= dims[i] != i;
    }
    if (!moves) return value;
    if (value->stored) {
        Stored *view = arena_copy(call->arena, value->stored, sizeof *view);
        view->type = tensor_type(type->dtype, type->rank, shape);
        for (int i = 0; i < type->rank; i++) view->strides[i] = value->stored->strides[dims[i]];
        return value_constant(call->arena, view);
    }
    MlirType result = call_type(call, type->dtype, type->rank, shape);
    MlirValue moved = build_spread(call->builder, call_mlir(call, value), result, inverse);
    return value_new(call->arena, type->dtype, type->rank, shape, moved);
}

static bool emit_permute(Call *call) {
    Value *self = call_tensor(call, "self");
    int count, dims[MAX_RANK];
    bool seen[MAX_RANK] = {false};
    const int64_t *list = call_integers(call, "dims", &count);
    if (count != self->type.rank) {
        return call_fail(call, "%d dims for a tensor of rank %d", count, self->type.rank);
    }
    for (int i = 0; i < count; i++) {
        if (!call_wrap_dim(call, "dims", list[i], count, &dims[i])) return false;
        if (seen[dims[i]]) return call_fail(call, "dims names dimension %d twice", dims[i]);
        seen[dims[i]] = true;
    }
    return call_result(call, 0, value_permute(call, self, dims));
}

static bool swap(Call *call, Value *self, int a, int b) {
    int dims[MAX_RANK];
    for (int i = 0; i < self->type.rank; i++) dims[i] = i == a ? b : i == b ? a : i;
    return call_result(call, 0, value_permute(call, self, dims));
}

static bool emit_transpose(Call *call) {
    Value *self = call_tensor(call, "self");
    int a, b;
    bool axes = call->operation->option;
    return call_dim(call, axes ? "axis0" : "dim0", self->type.rank, &a) &&
           call_dim(call, axes ? "axis1" : "dim1", self->type.rank, &b) && swap(call, self, a, b);
}

/* t: of a matrix; a vector stays. mT: the last two dimensions. */
static bool emit_t(Call *call) {
    Value *self = call_tensor(call, "self");
    int rank = self->type.rank, is_mt = call->operation->option;
    if (is_mt ? rank < 2 : rank > 2) {
        return call_fail(call, "a tensor of rank %d has no such transpose", rank);
    }
    return rank < 2 ? call_result(call, 0, self) : swap(call, self, rank - 2, rank - 1);
}

/* --- operations that change nothing -------------------------------------------------------- */

/* Memory formats and devices do not change a value. */
static bool emit_same(Call *call) {
    return call_result(call, 0, call_tensor(call, "self"));
}

static bool emit_dropout(Call *call) {
    if (call_bool(call, "train")) {
        return call_fail(call,
                         "training mode is not supported: call model.eval() before the export");
    }
    return call_result(call, 0, call_tensor(call, "input"));
}

/* Without training: the input, and a mask of ones. */
static bool emit_native_dropout(Call *call) {
    Value *input = call_tensor(call, "input");
    const TensorType *type = &input->type;
    if (!call_has(call, "train") || call_bool(call, "train")) {
        return call_fail(call,
                         "training mode is not supported: call model.eval() before the export");
    }
    Stored *mask = stored_splat(call->arena, DTYPE_BOOL, type->rank, type->shape, 1, 1);
    return call_result(call, 0, input) && call_result(call, 1, value_constant(call->arena, mask));
}

/* --- dimensions of size 1 ------------------------------------------------------------------- */

Value *value_drop_dim(Call *call, Value *value, int dim) {
    const TensorType *type = &value->type;
    int64_t shape[MAX_RANK];
    int rank = 0;
    for (int i = 0; i < type->rank; i++) {
        if (i != dim) shape[rank++] = type->shape[i];
    }
    if (!value->stored) return value_reshape(call, value, rank, shape);
    Stored *view = arena_copy(call->arena, value->stored, sizeof *view);
    view->type = tensor_type(type->dtype, rank, shape);
    for (int i = dim; i < rank; i++) view->strides[i] = value->stored->strides[i + 1];
    return value_constant(call->arena, view);
}

/* Removes the flagged dimensions whose size is 1; others stay. */
static bool squeeze(Call *call, Value *self, const bool *flags) {
    Value *value = self;
    for (int i = self->type.rank - 1; i >= 0; i--) {
        if (flags[i] && self->type.shape[i] == 1) value = value_drop_dim(call, value, i);
    }
    return call_result(call, 0, value);
}

static bool emit_squeeze(Call *call) {
    bool flags[MAX_RANK];
    for (int i = 0; i < MAX_RANK; i++) flags[i] = true;
    return squeeze(call, call_tensor(call, "self"), flags);
}

static bool emit_squeeze_dim(Call *call) {
    Value *self = call_tensor(call, "self");
    bool flags[MAX_RANK] = {false};
    int dim;
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    flags[dim] = true;
    return squeeze(call, self, flags);
}

static bool emit_squeeze_dims(Call *call) {
    Value *self = call_tensor(call, "self");
    bool flags[MAX_RANK] = {false};
    int count, dim = 0;
    const int64_t *dims = call_integers(call, "dim", &count);
    for (int i = 0; i < count; i++) {
        if (!call_wrap_dim(call, "dim", dims[i], self->type.rank, &dim)) return false;
        flags[dim] = true;
    }
    return squeeze(call, self, flags);
}

/* The shape with `sizes` in place of dimension `dim`, or before it if `insert`. */
static bool replace_dim(Call *call, Value *self, int dim, bool insert, int count,
                        const int64_t *sizes) {
    const TensorType *type = &self->type;
    int64_t shape[2 * MAX_RANK];
    int rank = 0;
    if (type->rank + count > MAX_RANK)
        return call_fail(call, "the rank of the result is too large");
    for (int i = 0; i <= type->rank; i++) {
        for (int n = 0; i == dim && n < count; n++) shape[rank++] = sizes[n];
        if (i < type->rank && (i != dim || insert)) shape[rank++] = type->shape[i];
    }
    return call_result(call, 0, value_reshape(call, self, rank, shape));
}

static bool emit_unsqueeze(Call *call) {
    Value *self = call_tensor(call, "self");
    static const int64_t one[] = {1};
    int dim = 0;
    return call_wrap_dim(call, "dim", call_integer(call, "dim"), self->type.rank + 1, &dim) &&
           replace_dim(call, self, dim, true, 1, one);
}

static bool emit_unflatten(Call *call) {
    Value *self = call_tensor(call, "self");
    int64_t sizes[MAX_RANK];
    int dim = 0, count = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor has no dimension to unflatten");
    return call_dim(call, "dim", self->type.rank, &dim) &&
           complete_sizes(call, "sizes", self->type.shape[dim], &count, sizes) &&
           replace_dim(call, self, dim, false, count, sizes);
}

static bool emit_movedim(Call *call) {
    Value *self = call_tensor(call, "self");
    int rank = self->type.rank, dims[MAX_RANK], next = 0, source = 0, destination = 0;
    if (!call_dim(call, "source", rank, &source)) return false;
    if (!call_dim(call, "destination", rank, &destination)) return false;
    for (int i = 0; i < rank; i++) {
        if (i == destination) {
            dims[i] = source;
            continue;
        }
        if (next == source) next++;
        dims[i] = next++;
    }
    return call_result(call, 0, value_permute(call, self, dims));
}

/* --- expand --------------------------------------------------------------------------------- */

/* A size of -1 keeps what is there. */
static bool emit_expand(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    int rank;
    int64_t shape[MAX_RANK];
    const int64_t *sizes = call_integers(call, "size", &rank);
    if (rank > MAX_RANK || rank < type->rank) {
        return call_fail(call, "%d sizes for a tensor of rank %d", rank, type->rank);
    }
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - type->rank);
        shape[i] = sizes[i] == -1 && from >= 0 ? type->shape[from] : sizes[i];
        if (shape[i] < 1 ||
            (from >= 0 && type->shape[from] != shape[i] && type->shape[from] != 1)) {
            return call_fail(call, "%s does not expand to %s", tensor_type_text(call->arena, type),
                             shape_text(call->arena, rank, sizes));
        }
    }
    return call_result(call, 0, broadcast_to(call, self, rank, shape));
}

static bool emit_expand_as(Call *call) {
    Value *self = call_tensor(call, "self"), *other = call_tensor(call, "other");
    int rank = other->type.rank;
    int64_t shape[MAX_RANK];
    memcpy(shape, other->type.shape, sizeof shape);
    if (!broadcast_shape(call, &rank, shape, &self->type)) return false;
    return call_result(call, 0, broadcast_to(call, self, rank, shape));
}

static bool emit_view_as(Call *call) {
    Value *self = call_tensor(call, "self"), *other = call_tensor(call, "other");
    if (tensor_type_elements(&self->type) != tensor_type_elements(&other->type)) {
        return call_fail(call, "the shapes do not fit");
    }
    return call_result(call, 0, value_reshape(call, self, other->type.rank, other->type.shape));
}

/* An in-place copy; as a function, the new value of self. */
static bool emit_copy(Call *call) {
    Value *self = call_tensor(call, "self"), *source = call_tensor(call, "src");
    int rank = self->type.rank;
    int64_t shape[MAX_RANK];
    memcpy(shape, self->type.shape, sizeof shape);
    if (!broadcast_shape(call, &rank, shape, &source->type)) return false;
    source = call_cast(call, source, self->type.dtype);
    return call_result(call, 0, broadcast_to(call, source, rank, shape));
}

/* [batch, channels * r * r, h, w] as [batch, channels, h * r, w * r]. */
static bool emit_pixel_shuffle(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    int64_t r = call_integer(call, "upscale_factor");
    if (type->rank < 3 || type->rank > MAX_RANK - 2 || r < 1 || r > 1024 ||
        type->shape[type->rank - 3] % (r * r) != 0) {
        return call_fail(call, "a factor of %lld does not fit %s", (long long)r,
                         tensor_type_text(call->arena, type));
    }
    int lead = type->rank - 3, dims[MAX_RANK], wide = type->rank + 2;
    int64_t split[MAX_RANK], shape[MAX_RANK], channels = type->shape[lead] / (r * r);
    int64_t height = type->shape[lead + 1], width = type->shape[lead + 2];
    int64_t parts[] = {channels, r, r, height, width};
    const int order[] = {0, 3, 1, 4, 2};
    int64_t joined[] = {channels, height * r, width * r};
    for (int i = 0; i < wide; i++) {
        split[i] = i < lead ? type->shape[i] : parts[i - lead];
        dims[i] = i < lead ? i : lead + order[i - lead];
    }
    for (int i = 0; i < type->rank; i++) shape[i] = i < lead ? type->shape[i] : joined[i - lead];
    Value *moved = value_permute(call, value_reshape(call, self, wide, split), dims);
    return call_result(call, 0, value_reshape(call, moved, type->rank, shape));
}

const Operation shape_operations[] = {
    {"aten.view.default", "(Tensor(a) self, SymInt[] size) -> Tensor(a)", .emit = emit_view,
     .integers = integers_move},
    {"aten._unsafe_view.default", "(Tensor self, SymInt[] size) -> Tensor", .emit = emit_view,
     .integers = integers_move},
    {"aten.reshape.default", "(Tensor(a) self, SymInt[] shape) -> Tensor(a)", .emit = emit_view,
     .option = 1, .integers = integers_move},
    {"aten.flatten.using_ints", "(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
     .emit = emit_flatten, .integers = integers_move},
    {"aten.unflatten.int", "(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
     .emit = emit_unflatten, .integers = integers_move},
    {"aten.view_as.default", "(Tensor(a) self, Tensor other) -> Tensor(a)", .emit = emit_view_as,
     .integers = integers_move},
    {"aten.reshape_as.default", "(Tensor(a) self, Tensor other) -> Tensor(a)", .emit = emit_view_as,
     .integers = integers_move},
    {"aten.squeeze.default", "(Tensor(a) self) -> Tensor(a)", .emit = emit_squeeze,
     .integers = integers_move},
    {"aten.squeeze.dim", "(Tensor(a) self, int dim) -> Tensor(a)", .emit = emit_squeeze_dim,
     .integers = integers_move},
    {"aten.squeeze.dims", "(Tensor(a) self, int[] dim) -> Tensor(a)", .emit = emit_squeeze_dims,
     .integers = integers_move},
    {"aten.unsqueeze.default", "(Tensor(a) self, int dim) -> Tensor(a)", .emit = emit_unsqueeze,
     .integers = integers_move},
    {"aten.expand.default", "(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
     .emit = emit_expand, .ignored = "implicit", .integers = integers_move},
    {"aten.expand_as.default", "(Tensor(a) self, Tensor other) -> Tensor(a)",
     .emit = emit_expand_as, .integers = integers_move},
    {"aten.broadcast_to.default", "(Tensor(a) self, SymInt[] size) -> Tensor(a)",
     .emit = emit_expand, .integers = integers_move},
    {"aten.movedim.int", "(Tensor(a) self, int source, int destination) -> Tensor(a)",
     .emit = emit_movedim, .integers = integers_move},
    {"aten.copy.default", "(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
     .emit = emit_copy, .ignored = "non_blocking"},
    {"aten.pixel_shuffle.default", "(Tensor self, int upscale_factor) -> Tensor",
     .emit = emit_pixel_shuffle, .integers = integers_move},
    {"aten.permute.default", "(Tensor(a) self, int[] dims) -> Tensor(a)", .emit = emit_permute,
     .integers = integers_move},
    {"aten.transpose.int", "(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
     .emit = emit_transpose, .integers = integers_move},
    {"aten.swapaxes.default", "(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
     .emit = emit_transpose, .option = 1, .integers = integers_move},
    {"aten.t.default", "(Tensor(a) self) -> Tensor(a)", .emit = emit_t, .integers = integers_move},
    {"aten.numpy_T.default", "(Tensor(a) self) -> Tensor(a)", .emit = emit_t,
     .integers = integers_move},
    {"aten.mT.default", "(Tensor(a) self) -> Tensor(a)", .emit = emit_t, .option = 1,
     .integers = integers_move},
    {"aten.clone.default", "(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
     .emit = emit_same, .ignored = "memory_format", .integers = integers_move},
    {"aten.contiguous.default",
     "(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)",
     .emit = emit_same, .ignored = "memory_format", .integers = integers_move},
    {"aten.detach.default", "(Tensor(a) self) -> Tensor(a)", .emit = emit_same,
     .integers = integers_move},
    {"aten.alias.default", "(Tensor(a) self) -> Tensor(a)", .emit = emit_same,
     .integers = integers_move},
    {"aten.lift_fresh_copy.default", "(Tensor self) -> Tensor", .emit = emit_same},
    /* Without training it returns the very tensor, so that in-place operations see both names. */
    {"aten.dropout.default", "(Tensor(a) input, float p, bool train) -> Tensor(a)",
     .emit = emit_dropout, .ignored = "p", .integers = integers_move},
    {"aten.feature_dropout.default", "(Tensor(a) input, float p, bool train) -> Tensor(a)",
     .emit = emit_dropout, .ignored = "p", .integers = integers_move},
    {"aten.native_dropout.default", "(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
     .emit = emit_native_dropout, .ignored = "p"},
    {"aten.alpha_dropout.default", "(Tensor(a) input, float p, bool train) -> Tensor(a)",
     .emit = emit_dropout, .ignored = "p", .integers = integers_move},
    {.name = NULL},
};
