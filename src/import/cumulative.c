/* Running sums and products, and the order of elements: cumsum, cumprod, sort, topk.
 *
 * An element's rank is the number of elements that come before it: n x n comparisons, all of them
 * independent, then each index is stored at its rank. */
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/indexing.h"
#include "import/operations.h"
#include "import/reduce.h"
#include "import/shape.h"

/* --- running sums ------------------------------------------------------------------------------
 */

/* The dimension is the outermost loop, so that the others are between an element and the next. */
Value *value_running(Call *call, Value *value, int dim, ScalarOp op) {
    const TensorType *type = &value->type;
    int64_t sizes[MAX_RANK], offsets[MAX_RANK] = {0};
    int loops[MAX_RANK], count = 1;
    if (type->shape[dim] == 1) return value;
    sizes[0] = type->shape[dim] - 1;
    for (int i = 0; i < type->rank; i++) {
        loops[i] = i == dim ? 0 : count;
        if (i != dim) sizes[count++] = type->shape[i];
    }
    MlirValue input = call_mlir(call, value), before[MAX_RANK], here[MAX_RANK];
    Value *first = value_slice(call, value, dim, 0, 1, 1);
    MlirValue empty =
        build_empty(call->builder, call_type(call, type->dtype, type->rank, type->shape));
    MlirValue init = build_insert_into(call->builder, call_mlir(call, first), empty, offsets);
    Carried carried = carried_begin(call->builder, count, sizes, init);
    Builder *body = &carried.body;
    MlirType index = index_type(body->context);
    for (int i = 0; i < type->rank; i++) before[i] = here[i] = carried.indices[loops[i]];
    here[dim] = build2(body, "arith.addi", index, before[dim], build_integer(body, index, 1));
    MlirValue total = build_element(body, carried.tensor, type->rank, before);
    MlirValue element = build_element(body, input, type->rank, here);
    total = scalar_op(body, op, type->dtype, total, element);
    MlirValue next = build_set_element(body, total, carried.tensor, type->rank, here);
    return value_new(call->arena, type->dtype, type->rank, type->shape,
                     carried_end(&carried, next));
}

static bool emit_running(Call *call) {
    Value *self = call_tensor(call, "self");
    Dtype from = self->type.dtype, other = dtype_is_float(from) ? from : DTYPE_INT64;
    Dtype dtype = call_dtype(call, "dtype", other), wide = dtype_compute(dtype);
    int dim = 0;
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    if (dtype == DTYPE_BOOL) return call_fail(call, "dtype bool is not supported");
    self = call_cast(call, self, wide);
    if (self->type.rank > 0)
        self =
            value_running(call, self, dim, call->operation->option ? SCALAR_MULTIPLY : SCALAR_ADD);
    return call_result(call, 0, call_cast(call, self, dtype));
}

/* --- order -------------------------------------------------------------------------------------
 */

/* a < b, where NaN is the largest. */
static MlirValue less(Formula f, MlirValue a, MlirValue b) {
    MlirValue plain = compare(f, ORDER_LESS, a, b);
    if (!dtype_is_float(f.dtype)) return plain;
    MlirValue number = scalar_op(f.body, SCALAR_XOR, DTYPE_BOOL, compare(f, ORDER_UNEQUAL, a, a),
                                 scalar_number(f.body, DTYPE_BOOL, number_of_integer(1)));
    MlirValue rest =
        scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, compare(f, ORDER_UNEQUAL, b, b), number);
    return scalar_op(f.body, SCALAR_OR, DTYPE_BOOL, plain, rest);
}

/* For each element the number of those before it along a dimension; equal ones keep their order. */
static Value *ranks(Call *call, Value *self, int dim, bool descending) {
    const TensorType *type = &self->type;
    int rank = type->rank, own[MAX_RANK], others[MAX_RANK];
    char iterators[MAX_RANK + 2] = {0};
    for (int i = 0; i < rank; i++) {
        iterators[i] = 'p';
        own[i] = others[i] = i;
    }
    iterators[rank] = 'r';
    others[dim] = rank;
    MlirValue zero = scalar_number(call->builder, DTYPE_INT64, number_of_integer(0));
    MlirValue init =
        build_filled(call->builder, call_type(call, DTYPE_INT64, rank, type->shape), zero);
    MlirAffineMap at_own = map_of_dims(call->builder, rank + 1, rank, own);
    MlirAffineMap maps[] = {at_own, map_of_dims(call->builder, rank + 1, rank, others), at_own};
    MlirValue input = call_mlir(call, self), inputs[] = {input, input};
    Generic generic = generic_begin(call->builder, iterators, 2, inputs, 1, &init, maps);
    Formula f = {&generic.body, type->dtype}, count = {&generic.body, DTYPE_INT64};
    MlirValue element = generic_input(&generic, 0), other = generic_input(&generic, 1);
    MlirValue above = less(f, element, other), below = less(f, other, element);
    MlirValue earlier =
        compare(count, ORDER_LESS, generic_index(&generic, rank), generic_index(&generic, dim));
    MlirValue one = scalar_number(f.body, DTYPE_BOOL, number_of_integer(1));
    MlirValue after = scalar_op(f.body, SCALAR_XOR, DTYPE_BOOL, descending ? below : above, one);
    MlirValue before = choose(f, earlier, after, descending ? above : below);
    before = scalar_cast(f.body, before, DTYPE_BOOL, DTYPE_INT64);
    MlirValue total = plus(count, generic_output(&generic, 0), before);
    return value_new(call->arena, DTYPE_INT64, rank, type->shape, generic_end(&generic, total));
}

/* The indices of the first `count` elements in order. The others are stored behind, and cut off. */
static Value *order(Call *call, Value *self, int dim, bool descending, int64_t count) {
    TensorType type = self->type;
    MlirValue places[MAX_RANK], all[MAX_RANK], rank = ranks(call, self, dim, descending)->mlir;
    int64_t sizes[MAX_RANK];
    memcpy(sizes, type.shape, sizeof sizes);
    bool cuts = count < type.shape[dim];
    type.shape[dim] = count + cuts;
    MlirType result = call_type(call, DTYPE_INT64, type.rank, type.shape);
    MlirValue zero = scalar_number(call->builder, DTYPE_INT64, number_of_integer(0));
    Carried carried =
        carried_begin(call->builder, type.rank, sizes, build_filled(call->builder, result, zero));
    Builder *body = &carried.body;
    for (int i = 0; i < type.rank; i++) places[i] = all[i] = carried.indices[i];
    places[dim] = safe_index(body, build_element(body, rank, type.rank, all), DTYPE_INT64,
                             type.shape[dim], false);
    MlirValue number = build1(body, "arith.index_cast", scalar_type(body, DTYPE_INT64), all[dim]);
    MlirValue next = build_set_element(body, number, carried.tensor, type.rank, places);
    Value *indices =
        value_new(call->arena, DTYPE_INT64, type.rank, type.shape, carried_end(&carried, next));
    return value_slice(call, indices, dim, 0, count, 1);
}

static bool give_ordered(Call *call, Value *self, int dim, bool descending, int64_t count) {
    if (self->type.rank == 0) {
        Stored *zero = stored_splat(call->arena, DTYPE_INT64, 0, NULL, 0, 0);
        return call_result(call, 0, self) &&
               call_result(call, 1, value_constant(call->arena, zero));
    }
    Value *indices = order(call, self, dim, descending, count);
    return call_result(call, 0, value_gather(call, self, indices, dim)) &&
           call_result(call, 1, indices);
}

/* Sorting here is stable, whether that is asked for or not. */
static bool emit_sort(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    bool descending = call_bool(call, "descending");
    return give_ordered(call, self, dim, descending, self->type.shape[dim]);
}

static bool emit_argsort(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor is not supported");
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    bool descending = call_bool(call, "descending");
    return call_result(call, 0, order(call, self, dim, descending, self->type.shape[dim]));
}

static bool emit_topk(Call *call) {
    Value *self = call_tensor(call, "self");
    int64_t count = call_integer(call, "k");
    int dim = 0;
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    int64_t size = self->type.rank ? self->type.shape[dim] : 1;
    if (count < 1 || count > size) {
        return call_fail(call, "k must be 1 to %lld, it is %lld", (long long)size,
                         (long long)count);
    }
    return give_ordered(call, self, dim, call_bool(call, "largest"), count);
}

const Operation cumulative_operations[] = {
    {"aten.cumsum.default", "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     .emit = emit_running},
    {"aten.cumprod.default", "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     .emit = emit_running, .option = 1},
    {"aten.sort.default",
     "(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
     .emit = emit_sort},
    {"aten.sort.stable",
     "(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
     "indices)",
     .emit = emit_sort, .ignored = "stable"},
    {"aten.argsort.default", "(Tensor self, int dim=-1, bool descending=False) -> Tensor",
     .emit = emit_argsort},
    {"aten.argsort.stable",
     "(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
     .emit = emit_argsort, .ignored = "stable"},
    {"aten.topk.default",
     "(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
     "Tensor indices)",
     .emit = emit_topk, .ignored = "sorted"},
    {.name = NULL},
};
