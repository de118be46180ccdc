/* Elements picked by indices that are computed: embedding, index, gather; and by their place:
 * diagonals and triangles.
 *
 * PyTorch stops at an index that is out of range. Hardware cannot: such an index reads the nearest
 * element, so that no access leaves its memory. */
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/indexing.h"
#include "import/operations.h"
#include "import/shape.h"

/* --- one element ---------------------------------------------------------------------------- */

MlirValue safe_index(Builder *body, MlirValue index, Dtype dtype, int64_t size, bool wraps) {
    Formula f = {body, DTYPE_INT64};
    index = scalar_cast(body, index, dtype, DTYPE_INT64);
    MlirValue zero = scalar_number(body, DTYPE_INT64, number_of_integer(0));
    MlirValue last = scalar_number(body, DTYPE_INT64, number_of_integer(size - 1));
    if (wraps) {
        MlirValue from_end =
            plus(f, index, scalar_number(body, DTYPE_INT64, number_of_integer(size)));
        index = choose(f, compare(f, ORDER_LESS, index, zero), from_end, index);
    }
    index = clamped(f, index, zero, last);
    return build1(body, "arith.index_cast", index_type(body->context), index);
}

MlirValue loop_index(Generic *generic, int loop) {
    Builder *body = &generic->body;
    return build1(body, "arith.index_cast", index_type(body->context),
                  generic_index(generic, loop));
}

/* --- picks ---------------------------------------------------------------------------------- */

/* result[front..., picked..., back...] = self[front..., index(picked), ..., back...]: the
 * dimensions of self in order come from loops or from index tensors. */
typedef struct Pick {
    Value *self;
    bool wraps;
    int rank; /* of the result */
    int64_t shape[MAX_RANK];
    int loops[MAX_RANK];   /* for each dimension of self: the loop, or -1 ... */
    int sources[MAX_RANK]; /* ... and then the index tensor */
    int count;             /* of index tensors */
    Value *indices[MAX_RANK];
    MlirAffineMap maps[MAX_RANK + 1];
} Pick;

static Value *build_pick(Call *call, Pick *pick) {
    const TensorType *type = &pick->self->type;
    MlirValue inputs[MAX_RANK], places[MAX_RANK], table = call_mlir(call, pick->self);
    for (int i = 0; i < pick->count; i++) inputs[i] = call_mlir(call, pick->indices[i]);
    pick->maps[pick->count] = map_identity(call->builder, pick->rank);
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)pick->rank);
    MlirValue init =
        build_empty(call->builder, call_type(call, type->dtype, pick->rank, pick->shape));
    Generic generic =
        generic_begin(call->builder, iterators, pick->count, inputs, 1, &init, pick->maps);
    for (int i = 0; i < type->rank; i++) {
        if (pick->loops[i] >= 0) {
            places[i] = loop_index(&generic, pick->loops[i]);
            continue;
        }
        int source = pick->sources[i];
        places[i] = safe_index(&generic.body, generic_input(&generic, source),
                               pick->indices[source]->type.dtype, type->shape[i], pick->wraps);
    }
    MlirValue element = build_element(&generic.body, table, type->rank, places);
    return value_new(call->arena, type->dtype, pick->rank, pick->shape,
                     generic_end(&generic, element));
}

bool check_index(Call *call, const Value *index) {
    if (dtype_is_integer(index->type.dtype)) return true;
    return call_fail(call,
                     "indices of dtype %s are not supported (the size of the result would "
                     "depend on data)",
                     dtype_name(index->type.dtype));
}

Value *value_pick(Call *call, Value *value, Value *index, int dim, bool wraps) {
    Pick pick = {.self = value, .wraps = wraps, .count = 1, .indices = {index}};
    const TensorType *type = &value->type, *by = &index->type;
    int dims[MAX_RANK];
    if (!check_index(call, index)) return NULL;
    if (type->rank + by->rank - 1 > MAX_RANK) {
        call_fail(call, "the rank is too large");
        return NULL;
    }
    for (int i = 0; i < type->rank; i++) {
        if (i != dim) {
            pick.loops[i] = pick.rank;
            pick.shape[pick.rank++] = type->shape[i];
            continue;
        }
        pick.loops[i] = -1;
        for (int n = 0; n < by->rank; n++) {
            dims[n] = pick.rank;
            pick.shape[pick.rank++] = by->shape[n];
        }
    }
    pick.maps[0] = map_of_dims(call->builder, pick.rank, by->rank, dims);
    return build_pick(call, &pick);
}

static bool pick_along(Call *call, Value *self, Value *index, int dim) {
    Value *picked = value_pick(call, self, index, dim, false);
    return picked && call_result(call, 0, picked);
}

static bool emit_embedding(Call *call) {
    Value *weight = call_tensor(call, "weight");
    if (weight->type.rank != 2) return call_fail(call, "the weight needs 2 dimensions");
    return pick_along(call, weight, call_tensor(call, "indices"), 0);
}

static bool emit_index_select(Call *call) {
    Value *self = call_tensor(call, "self"), *index = call_tensor(call, "index");
    int dim = 0;
    if (self->type.rank == 0 || index->type.rank > 1) {
        return call_fail(call, "0-d tensors and indices of several dimensions are not supported");
    }
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    int64_t one[] = {1};
    if (index->type.rank == 0) index = value_reshape(call, index, 1, one);
    return pick_along(call, self, index, dim);
}

Value *value_gather(Call *call, Value *self, Value *index, int dim) {
    const TensorType *type = &self->type, *by = &index->type;
    if (!check_index(call, index)) return NULL;
    Pick pick = {.self = self, .rank = type->rank, .count = 1, .indices = {index}};
    for (int i = 0; i < type->rank; i++) {
        pick.loops[i] = i == dim ? -1 : i;
        pick.shape[i] = by->shape[i];
        if (i != dim && by->shape[i] > type->shape[i]) {
            call_fail(call, "the index is larger than self in dimension %d", i);
            return NULL;
        }
    }
    pick.maps[0] = map_identity(call->builder, type->rank);
    return build_pick(call, &pick);
}

static bool emit_gather(Call *call) {
    Value *self = call_tensor(call, "self"), *index = call_tensor(call, "index");
    int dim = 0;
    if (self->type.rank == 0 || self->type.rank != index->type.rank) {
        return call_fail(call, "self and index need the same number of dimensions");
    }
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    Value *picked = value_gather(call, self, index, dim);
    return picked && call_result(call, 0, picked);
}

/* --- self[i, :, j] -------------------------------------------------------------------------- */

int place_of_indices(int count, Value *const *indices) {
    int first = -1, last = -1, given = 0;
    for (int i = 0; i < count; i++) {
        if (!indices[i]) continue;
        if (first < 0) first = i;
        last = i;
        given++;
    }
    return last - first + 1 == given ? first : 0;
}

static bool emit_index(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    Pick pick = {.self = self, .wraps = true};
    int count, rank = 0, dims[MAX_RANK];
    int64_t shape[MAX_RANK];
    Value **indices = call_tensors(call, "indices", &count);
    if (count > type->rank) return call_fail(call, "more indices than dimensions");
    for (int i = 0; i < count; i++) {
        if (!indices[i]) continue;
        if (!check_index(call, indices[i])) return false;
        if (!broadcast_shape(call, &rank, shape, &indices[i]->type)) return false;
        pick.indices[pick.count++] = indices[i];
    }
    if (pick.count == 0) return call_result(call, 0, self);
    if (type->rank - pick.count + rank > MAX_RANK) return call_fail(call, "the rank is too large");
    int front = place_of_indices(count, indices), from = 0, source = 0;
    for (int i = 0; i <= type->rank; i++) {
        for (int n = 0; i == front && n < rank; n++) {
            dims[n] = pick.rank;
            pick.shape[pick.rank++] = shape[n];
        }
        if (i == type->rank) break;
        bool indexed = i < count && indices[i];
        pick.loops[i] = indexed ? -1 : pick.rank;
        if (indexed) pick.sources[i] = source++;
        if (!indexed) pick.shape[pick.rank++] = type->shape[i];
    }
    for (from = 0; from < pick.count; from++) {
        const TensorType *by = &pick.indices[from]->type;
        int own[MAX_RANK];
        for (int n = 0; n < by->rank; n++) {
            int at = rank - by->rank + n;
            own[n] = by->shape[n] == 1 && shape[at] != 1 ? -1 : dims[at];
        }
        pick.maps[from] = map_of_dims(call->builder, pick.rank, by->rank, own);
    }
    return call_result(call, 0, build_pick(call, &pick));
}

/* --- by place -------------------------------------------------------------------------------- */

/* Dimensions dim1 and dim2 become one, at the end. */
static bool emit_diagonal(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    Builder *builder = call->builder;
    int64_t offset = call_integer(call, "offset"), shape[MAX_RANK];
    int a = 0, b = 0, rank = 0;
    MlirAffineExpr places[MAX_RANK];
    if (type->rank < 2) return call_fail(call, "the input needs at least 2 dimensions");
    if (!call_dim(call, "dim1", type->rank, &a) || !call_dim(call, "dim2", type->rank, &b))
        return false;
    if (a == b) return call_fail(call, "dim1 and dim2 are the same");
    int64_t skip_a = offset < 0 ? -offset : 0, skip_b = offset > 0 ? offset : 0;
    int64_t rows = type->shape[a] - skip_a, columns = type->shape[b] - skip_b;
    int64_t length = rows < columns ? rows : columns;
    for (int i = 0; i < type->rank; i++) {
        if (i == a || i == b) continue;
        places[i] = affine_dim(builder, rank, 1);
        shape[rank++] = type->shape[i];
    }
    places[a] = places[b] = affine_dim(builder, rank, 1);
    shape[rank++] = length;
    self = value_slice(call, self, a, skip_a, length, 1);
    self = value_slice(call, self, b, skip_b, length, 1);
    MlirAffineMap maps[] = {mlirAffineMapGet(builder->context, rank, 0, type->rank, places),
                            map_identity(builder, rank)};
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)rank);
    MlirValue input = call_mlir(call, self);
    MlirValue init = build_empty(builder, call_type(call, type->dtype, rank, shape));
    Generic copy = generic_begin(builder, iterators, 1, &input, 1, &init, maps);
    MlirValue result = generic_end(&copy, generic_input(&copy, 0));
    return call_give(call, type->dtype, rank, shape, result);
}

/* tril keeps what is on or below a diagonal, triu what is on or above it. */
static bool emit_triangle(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    Builder *builder = call->builder;
    int64_t diagonal = call_integer(call, "diagonal");
    bool upper = call->operation->option;
    if (type->rank < 2) return call_fail(call, "the input needs at least 2 dimensions");
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)type->rank);
    MlirAffineMap identity = map_identity(builder, type->rank), maps[] = {identity, identity};
    MlirValue input = call_mlir(call, self);
    MlirValue init = build_empty(builder, call_type(call, type->dtype, type->rank, type->shape));
    Generic generic = generic_begin(builder, iterators, 1, &input, 1, &init, maps);
    Formula f = {&generic.body, DTYPE_INT64};
    MlirValue row = generic_index(&generic, type->rank - 2);
    MlirValue column = generic_index(&generic, type->rank - 1);
    MlirValue bound =
        plus(f, row, scalar_number(&generic.body, DTYPE_INT64, number_of_integer(diagonal)));
    MlirValue keeps = compare(f, upper ? ORDER_GREATER_EQUAL : ORDER_LESS_EQUAL, column, bound);
    MlirValue zero = scalar_number(&generic.body, type->dtype, number_of_integer(0));
    MlirValue result = generic_end(&generic, choose(f, keeps, generic_input(&generic, 0), zero));
    return call_give(call, type->dtype, type->rank, type->shape, result);
}

const Operation indexing_operations[] = {
    /* padding_idx and the two flags matter to gradients only. */
    {"aten.embedding.default",
     "(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, "
     "bool sparse=False) -> Tensor",
     .emit = emit_embedding, .ignored = "padding_idx scale_grad_by_freq sparse"},
    {"aten.index.Tensor", "(Tensor self, Tensor?[] indices) -> Tensor", .emit = emit_index},
    {"aten.index_select.default", "(Tensor self, int dim, Tensor index) -> Tensor",
     .emit = emit_index_select},
    {"aten.gather.default",
     "(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
     .emit = emit_gather, .ignored = "sparse_grad"},
    {"aten.diagonal.default", "(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
     .emit = emit_diagonal},
    {"aten.tril.default", "(Tensor self, SymInt diagonal=0) -> Tensor", .emit = emit_triangle},
    {"aten.triu.default", "(Tensor self, SymInt diagonal=0) -> Tensor", .emit = emit_triangle,
     .option = 1},
    {.name = NULL},
};
