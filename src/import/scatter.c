/* Tensors of which some elements are replaced: scatter, index_put, index_add, select_scatter ...
 *
 * Updates are applied one after the other, in row-major order of the indices: of several for one
 * place, the last one stays. An index out of range writes the nearest element, so that no access
 * leaves its memory. */
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/indexing.h"
#include "import/operations.h"
#include "import/reduce.h"
#include "import/scatter.h"
#include "import/shape.h"

/* --- elements --------------------------------------------------------------------------------- */

#define BODY(name)                                                                                 \
    static MlirValue name(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs)

#define BINARY(name, operation)                                                                    \
    BODY(name) {                                                                                   \
        (void)call;                                                                                \
        return scalar_op(body, operation, dtype, inputs[0], inputs[1]);                            \
    }

BINARY(sum, SCALAR_ADD)
BINARY(difference, SCALAR_SUBTRACT)
BINARY(scale, SCALAR_MULTIPLY)
BINARY(quotient, SCALAR_DIVIDE)
BINARY(larger, SCALAR_MAXIMUM)

BODY(either) {
    (void)call, (void)dtype;
    return build_select(body, inputs[0], inputs[1], inputs[2]);
}

/* --- updates at computed places --------------------------------------------------------------- */

/* self[place] = updates, or op(self[place], updates), over loops of these sizes. Dimensions are
 * read at the number of a loop, or, if that is -1, of self: at an index; of others: at 0. */
typedef struct Scatter {
    Value *self, *updates;
    bool combines, wraps;
    ScalarOp op;
    int loops;
    int64_t sizes[MAX_RANK];
    int place_loops[MAX_RANK], sources[MAX_RANK]; /* of dimensions of self */
    int count;
    Value *indices[MAX_RANK];
    int index_loops[MAX_RANK][MAX_RANK], update_loops[MAX_RANK];
} Scatter;

/* The element of a tensor that an iteration reads. */
static MlirValue read_element(Call *call, Carried *carried, Value *value, const int *loops) {
    MlirValue places[MAX_RANK];
    MlirType index = index_type(call->builder->context);
    for (int i = 0; i < value->type.rank; i++) {
        places[i] =
            loops[i] < 0 ? build_integer(&carried->body, index, 0) : carried->indices[loops[i]];
    }
    return build_element(&carried->body, value->mlir, value->type.rank, places);
}

static Value *build_updates(Call *call, const Scatter *scatter) {
    Value *self = scatter->self;
    const TensorType *type = &self->type;
    MlirValue places[MAX_RANK], init = call_mlir(call, self);
    for (int i = 0; i < scatter->count; i++) call_mlir(call, scatter->indices[i]);
    call_mlir(call, scatter->updates);
    Carried carried = carried_begin(call->builder, scatter->loops, scatter->sizes, init);
    for (int i = 0; i < type->rank; i++) {
        if (scatter->place_loops[i] >= 0) {
            places[i] = carried.indices[scatter->place_loops[i]];
            continue;
        }
        int source = scatter->sources[i];
        Value *index = scatter->indices[source];
        places[i] = safe_index(&carried.body,
                               read_element(call, &carried, index, scatter->index_loops[source]),
                               index->type.dtype, type->shape[i], scatter->wraps);
    }
    MlirValue update = read_element(call, &carried, scatter->updates, scatter->update_loops);
    if (scatter->combines) {
        MlirValue old = build_element(&carried.body, carried.tensor, type->rank, places);
        update = scalar_op(&carried.body, scatter->op, type->dtype, old, update);
    }
    MlirValue next = build_set_element(&carried.body, update, carried.tensor, type->rank, places);
    return value_new(call->arena, type->dtype, type->rank, type->shape,
                     carried_end(&carried, next));
}

Value *value_scatter_rows(Call *call, Value *self, Value *index, Value *rows, ScalarOp op) {
    Scatter scatter = {.self = self,
                       .updates = rows,
                       .combines = true,
                       .op = op,
                       .loops = self->type.rank,
                       .count = 1,
                       .indices = {index}};
    for (int i = 0; i < self->type.rank; i++) {
        scatter.sizes[i] = rows->type.shape[i];
        scatter.place_loops[i] = i == 0 ? -1 : i;
        scatter.update_loops[i] = i;
    }
    return build_updates(call, &scatter);
}

static Value *number_tensor(Call *call, Dtype dtype, Number number) {
    int64_t integer = number.kind == NUMBER_FLOAT ? (int64_t)number.real : number.integer;
    if (dtype == DTYPE_BOOL) integer = number.real != 0;
    return value_constant(call->arena,
                          stored_splat(call->arena, dtype, 0, NULL, number.real, integer));
}

/* --- scatter ---------------------------------------------------------------------------------- */

/* self[index[i, j], j] = src[i, j] for dim 0; `updates` may be a number instead. */
static bool plan_scatter(Call *call, Scatter *scatter, Value *index, int *dim) {
    Value *self = scatter->self, *updates = scatter->updates;
    static const int64_t one[] = {1};
    if (self->type.rank == 0) scatter->self = self = value_reshape(call, self, 1, one);
    if (index->type.rank == 0) index = value_reshape(call, index, 1, one);
    bool is_number = updates->is_number || updates->type.rank == 0;
    int rank = self->type.rank;
    if (!check_index(call, index) || !call_dim(call, "dim", rank, dim)) return false;
    if (index->type.rank != rank || (!is_number && updates->type.rank != rank)) {
        return call_fail(call, "self, index and src need the same number of dimensions");
    }
    if (updates->type.dtype != self->type.dtype) {
        scatter->updates = call_cast(call, updates, self->type.dtype);
    }
    scatter->indices[0] = index;
    scatter->count = 1;
    scatter->loops = rank;
    for (int i = 0; i < rank; i++) {
        int64_t size = scatter->sizes[i] = index->type.shape[i];
        bool fits = i == *dim || size <= self->type.shape[i];
        if (!is_number) fits &= size <= updates->type.shape[i];
        if (!fits) return call_fail(call, "the index is too large in dimension %d", i);
        scatter->place_loops[i] = i == *dim ? -1 : i;
        scatter->index_loops[0][i] = scatter->update_loops[i] = i;
    }
    return true;
}

static bool give_like(Call *call, Value *like, Value *value) {
    if (!value) return false;
    return call_result(call, 0, value_reshape(call, value, like->type.rank, like->type.shape));
}

/* The source: a tensor `src`, or a number `value`. */
static Value *read_source(Call *call, Dtype dtype) {
    if (call_declares(call, "src")) return call_tensor(call, "src");
    return number_tensor(call, dtype, call_number(call, "value"));
}

enum { SCATTER_SET, SCATTER_ADD, SCATTER_REDUCE };

static bool emit_scatter(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0, kind = call->operation->option;
    Scatter scatter = {.self = self, .updates = read_source(call, self->type.dtype)};
    scatter.combines = kind != SCATTER_SET;
    scatter.op = SCALAR_ADD;
    if (kind == SCATTER_REDUCE) {
        const char *reduce = call_string(call, "reduce");
        bool multiplies = strcmp(reduce, "multiply") == 0;
        if (!multiplies && strcmp(reduce, "add") != 0)
            return call_fail(call, "reduce must be 'add' or 'multiply'");
        if (multiplies) scatter.op = SCALAR_MULTIPLY;
    }
    if (!plan_scatter(call, &scatter, call_tensor(call, "index"), &dim)) return false;
    return give_like(call, self, build_updates(call, &scatter));
}

/* How scatter_reduce combines, and what changes nothing. */
static const struct {
    const char *name;
    ScalarOp op;
    enum { START_ZERO, START_ONE, START_LOWEST, START_HIGHEST } start;
} reductions[] = {
    {"sum", SCALAR_ADD, START_ZERO},         {"prod", SCALAR_MULTIPLY, START_ONE},
    {"mean", SCALAR_ADD, START_ZERO},        {"amax", SCALAR_MAXIMUM, START_LOWEST},
    {"amin", SCALAR_MINIMUM, START_HIGHEST},
};

static Number neutral(int row, Dtype dtype) {
    switch (reductions[row].start) {
    case START_LOWEST: return dtype_lowest(dtype);
    case START_HIGHEST: return dtype_highest(dtype);
    case START_ONE: return number_of_integer(1);
    default: return number_of_integer(0);
    }
}

/* The sums over the number of their terms: one more if self is one of them; at least one. */
static Value *divide_by_counts(Call *call, const Scatter *scatter, Value *sums, bool with_self) {
    const TensorType *type = &sums->type;
    Scatter counting = *scatter;
    Number first = number_of_integer(with_self);
    counting.self =
        value_constant(call->arena, stored_splat(call->arena, type->dtype, type->rank, type->shape,
                                                 first.real, first.integer));
    counting.updates = number_tensor(call, type->dtype, number_of_integer(1));
    Value *one = counting.updates, *counts = build_updates(call, &counting);
    Value *both[] = {counts, one};
    if (!with_self) counts = element_wise(call, 2, both, type->dtype, 0, larger);
    Value *pair[] = {sums, counts};
    return element_wise(call, 2, pair, type->dtype, 0, quotient);
}

static bool emit_scatter_reduce(Call *call) {
    Value *self = call_tensor(call, "self");
    Dtype dtype = self->type.dtype;
    Scatter scatter = {.self = self, .updates = call_tensor(call, "src"), .combines = true};
    const char *name = call_string(call, "reduce");
    bool with_self = call_bool(call, "include_self");
    int row = 0, count = sizeof reductions / sizeof *reductions, dim = 0;
    while (row < count && strcmp(name, reductions[row].name) != 0) row++;
    if (row == count) {
        return call_fail(call, "reduce '%s' is not one of sum, prod, mean, amax, amin",
                         string_printable(call->arena, name, 40));
    }
    bool averages = strcmp(name, "mean") == 0;
    if (averages && !dtype_is_float(dtype)) {
        return call_fail(call, "the mean of dtype %s is not supported", dtype_name(dtype));
    }
    scatter.op = reductions[row].op;
    if (!plan_scatter(call, &scatter, call_tensor(call, "index"), &dim)) return false;
    if (!with_self) {
        Scatter clear = scatter;
        clear.combines = false;
        clear.updates = number_tensor(call, dtype, neutral(row, dtype));
        scatter.self = build_updates(call, &clear);
    }
    Value *result = build_updates(call, &scatter);
    if (averages) result = divide_by_counts(call, &scatter, result, with_self);
    return give_like(call, self, result);
}

/* --- index_add, index_copy, index_fill -------------------------------------------------------- */

/* self[:, index[n], :] from source[:, n, :]. */
static bool emit_along(Call *call) {
    Value *self = call_tensor(call, "self"), *index = call_tensor(call, "index");
    static const int64_t one[] = {1};
    bool adds = call->operation->option == SCATTER_ADD, fills = !call_declares(call, "source");
    int dim = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor is not supported");
    if (index->type.rank == 0) index = value_reshape(call, index, 1, one);
    if (index->type.rank > 1) return call_fail(call, "the index needs one dimension");
    if (!check_index(call, index) || !call_dim(call, "dim", self->type.rank, &dim)) return false;
    Value *source = fills ? read_source(call, self->type.dtype) : call_tensor(call, "source");
    source = call_cast(call, source, self->type.dtype);
    if (adds && call_number(call, "alpha").real != 1) {
        Value *pair[] = {source, value_of_number(call->arena, call_number(call, "alpha"))};
        source = element_wise(call, 2, pair, self->type.dtype, ELEMENT_WIDE, scale);
    }
    Scatter scatter = {.self = self,
                       .updates = source,
                       .combines = adds,
                       .op = SCALAR_ADD,
                       .wraps = fills,
                       .loops = self->type.rank,
                       .count = 1,
                       .indices = {index}};
    scatter.index_loops[0][0] = dim;
    for (int i = 0; i < self->type.rank; i++) {
        scatter.sizes[i] = i == dim ? index->type.shape[0] : self->type.shape[i];
        scatter.place_loops[i] = i == dim ? -1 : i;
        scatter.update_loops[i] = i;
    }
    if (!fills && (source->type.rank != self->type.rank ||
                   memcmp(source->type.shape, scatter.sizes,
                          (size_t)self->type.rank * sizeof *scatter.sizes) != 0)) {
        return call_fail(call, "source %s does not fit",
                         tensor_type_text(call->arena, &source->type));
    }
    return call_result(call, 0, build_updates(call, &scatter));
}

/* --- self[i, :, j] = values ------------------------------------------------------------------- */

/* self[mask] = values, where the number of places is not known: each must get the same values. */
static bool put_masked(Call *call, Value *self, Value *mask, Value *values, bool adds) {
    const TensorType *type = &self->type;
    int64_t shape[MAX_RANK];
    int trailing = type->rank - mask->type.rank;
    if (trailing < 0 || values->type.rank > trailing + 1 ||
        (values->type.rank == trailing + 1 && values->type.shape[0] != 1)) {
        return call_fail(call, "a mask needs values that do not depend on the number of places: "
                               "use torch.where");
    }
    for (int i = 0; i < type->rank; i++) {
        shape[i] = i < mask->type.rank ? mask->type.shape[i] : 1;
    }
    if (values->type.rank == trailing + 1) values = value_drop_dim(call, values, 0);
    values = call_cast(call, values, type->dtype);
    if (adds) {
        Value *terms[] = {self, values};
        values = element_wise(call, 2, terms, type->dtype, 0, sum);
    }
    Value *choice[] = {value_reshape(call, mask, type->rank, shape), values, self};
    Value *result =
        values ? element_wise(call, 3, choice, type->dtype, ELEMENT_CONDITION, either) : NULL;
    return result && call_result(call, 0, result);
}

/* Loops are the dimensions of the result of self[indices]. */
static bool plan_put(Call *call, Scatter *scatter, int count, Value *const *indices) {
    const TensorType *type = &scatter->self->type;
    int rank = 0, first = 0;
    int64_t shape[MAX_RANK];
    for (int i = 0; i < count; i++) {
        if (!indices[i]) continue;
        if (!check_index(call, indices[i])) return false;
        if (!broadcast_shape(call, &rank, shape, &indices[i]->type)) return false;
        scatter->indices[scatter->count++] = indices[i];
    }
    if (type->rank - scatter->count + rank > MAX_RANK)
        return call_fail(call, "the rank is too large");
    int front = place_of_indices(count, indices), source = 0;
    for (int i = 0; i <= type->rank; i++) {
        if (i == front) first = scatter->loops;
        for (int n = 0; i == front && n < rank; n++) scatter->sizes[scatter->loops++] = shape[n];
        if (i == type->rank) break;
        bool indexed = i < count && indices[i];
        scatter->place_loops[i] = indexed ? -1 : scatter->loops;
        if (indexed) scatter->sources[i] = source++;
        if (!indexed) scatter->sizes[scatter->loops++] = type->shape[i];
    }
    for (int s = 0; s < scatter->count; s++) {
        const TensorType *by = &scatter->indices[s]->type;
        for (int n = 0; n < by->rank; n++) {
            scatter->index_loops[s][n] = by->shape[n] == 1 ? -1 : first + rank - by->rank + n;
        }
    }
    return true;
}

static bool emit_index_put(Call *call) {
    Value *self = call_tensor(call, "self"), *values = call_tensor(call, "values");
    int count, given = 0, loops;
    Value **indices = call_tensors(call, "indices", &count), *mask = NULL;
    bool adds = call_bool(call, "accumulate");
    if (count > self->type.rank) return call_fail(call, "more indices than dimensions");
    for (int i = 0; i < count; i++) {
        given += indices[i] != NULL;
        if (indices[i] && indices[i]->type.dtype == DTYPE_BOOL) mask = indices[i];
    }
    if (mask && given == 1 && indices[0] == mask) return put_masked(call, self, mask, values, adds);
    Scatter scatter = {.self = self, .combines = adds, .op = SCALAR_ADD, .wraps = true};
    if (!plan_put(call, &scatter, count, indices)) return false;
    values = call_cast(call, values, self->type.dtype);
    loops = scatter.loops;
    if (!broadcast_shape(call, &loops, scatter.sizes, &values->type)) return false;
    if (loops != scatter.loops) return call_fail(call, "the values have too many dimensions");
    for (int i = 0; i < values->type.rank; i++) {
        scatter.update_loops[i] = values->type.shape[i] == 1 ? -1 : loops - values->type.rank + i;
    }
    scatter.updates = values;
    if (loops == 0) scatter.sizes[scatter.loops++] = 1;
    return call_result(call, 0, build_updates(call, &scatter));
}

/* --- at places that are known ----------------------------------------------------------------- */

/* self with src in place of self[..., start : : step, ...] along a dimension. */
static bool insert(Call *call, Value *self, Value *src, int dim, int64_t start, int64_t step) {
    int64_t offsets[MAX_RANK] = {0}, strides[MAX_RANK];
    for (int i = 0; i < self->type.rank; i++) strides[i] = i == dim ? step : 1;
    offsets[dim] = start;
    src = call_cast(call, src, self->type.dtype);
    MlirValue result =
        build_scatter(call->builder, call_mlir(call, src), call_mlir(call, self), offsets, strides);
    return call_give(call, self->type.dtype, self->type.rank, self->type.shape, result);
}

static bool check_part(Call *call, Value *self, Value *src, int dim, int64_t count) {
    bool fits = src->type.rank == self->type.rank;
    for (int i = 0; fits && i < self->type.rank; i++) {
        fits &= src->type.shape[i] == (i == dim ? count : self->type.shape[i]);
    }
    return fits ||
           call_fail(call, "src %s does not fit", tensor_type_text(call->arena, &src->type));
}

static bool emit_select_scatter(Call *call) {
    Value *self = call_tensor(call, "self"), *src = call_tensor(call, "src");
    int64_t index = call_integer(call, "index"), shape[MAX_RANK];
    int dim = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor is not supported");
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    int64_t size = self->type.shape[dim];
    if (index < -size || index >= size) return call_fail(call, "the index is out of range");
    memcpy(shape, self->type.shape, sizeof shape);
    shape[dim] = 1;
    int64_t elements = tensor_type_elements(&self->type) / size;
    if (tensor_type_elements(&src->type) != elements) return call_fail(call, "src does not fit");
    src = value_reshape(call, src, self->type.rank, shape);
    return insert(call, self, src, dim, index < 0 ? index + size : index, 1);
}

static bool emit_slice_scatter(Call *call) {
    Value *self = call_tensor(call, "self"), *src = call_tensor(call, "src");
    int dim = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor is not supported");
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    Slice slice;
    if (!read_slice(call, self->type.shape[dim], &slice)) return false;
    if (slice.count == 0) return call_result(call, 0, self);
    return check_part(call, self, src, dim, slice.count) &&
           insert(call, self, src, dim, slice.start, slice.step);
}

/* --- masked_scatter --------------------------------------------------------------------------- */

/* The n-th place where the mask is set gets source's n-th element. */
static bool emit_masked_scatter(Call *call) {
    Value *self = call_tensor(call, "self"), *source = call_tensor(call, "source");
    const TensorType *type = &self->type;
    Value *mask = broadcast_to(call, call_tensor(call, "mask"), type->rank, type->shape);
    int64_t flat[] = {tensor_type_elements(type)}, all[] = {tensor_type_elements(&source->type)};
    Value *ones = call_cast(call, value_reshape(call, mask, 1, flat), DTYPE_INT64);
    Value *numbers = value_running(call, ones, 0, SCALAR_ADD);
    Value *pair[] = {numbers, value_of_number(call->arena, number_of_integer(1))};
    Value *places = element_wise(call, 2, pair, DTYPE_INT64, 0, difference);
    Value *picked = value_pick(call, value_reshape(call, source, 1, all), places, 0, false);
    if (!picked) return false;
    Value *choice[] = {mask, value_reshape(call, picked, type->rank, type->shape), self};
    Value *result = element_wise(call, 3, choice, type->dtype, ELEMENT_CONDITION, either);
    return result && call_result(call, 0, result);
}

const Operation scatter_operations[] = {
    {"aten.scatter.src", "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
     .emit = emit_scatter},
    {"aten.scatter.value", "(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
     .emit = emit_scatter},
    {"aten.scatter.reduce",
     "(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
     .emit = emit_scatter, .option = SCATTER_REDUCE},
    {"aten.scatter.value_reduce",
     "(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
     .emit = emit_scatter, .option = SCATTER_REDUCE},
    {"aten.scatter_add.default", "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
     .emit = emit_scatter, .option = SCATTER_ADD},
    {"aten.scatter_reduce.two",
     "(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
     "-> Tensor",
     .emit = emit_scatter_reduce},
    {"aten.index_put.default",
     "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
     .emit = emit_index_put},
    {"aten.index_add.default",
     "(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
     .emit = emit_along, .option = SCATTER_ADD},
    {"aten.index_copy.default", "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
     .emit = emit_along},
    {"aten.index_fill.int_Scalar", "(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
     .emit = emit_along},
    {"aten.select_scatter.default", "(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
     .emit = emit_select_scatter},
    {"aten.slice_scatter.default",
     "(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) "
     "-> Tensor",
     .emit = emit_slice_scatter},
    {"aten.masked_scatter.default", "(Tensor self, Tensor mask, Tensor source) -> Tensor",
     .emit = emit_masked_scatter},
    {.name = NULL},
};
