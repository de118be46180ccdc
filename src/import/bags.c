/* embedding_bag: rows of a table that indices pick, combined within each bag. A bag starts at its
 * offset in the list of indices; the offsets may be computed. */
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/reduce.h"
#include "import/scatter.h"
#include "import/shape.h"

enum { MODE_SUM, MODE_MEAN, MODE_MAX };

#define BODY(name) static MlirValue name(Call *call, Builder *body, Dtype dtype, const MlirValue *x)

#define FORMULA                                                                                    \
    Formula f = {body, dtype};                                                                     \
    (void)call

BODY(starts_before) {
    FORMULA;
    return compare(f, ORDER_LESS_EQUAL, x[0], x[1]);
}

BODY(one_less) {
    FORMULA;
    return minus(f, x[0], scalar_number(body, dtype, number_of_integer(1)));
}

BODY(differs) {
    FORMULA;
    return compare(f, ORDER_UNEQUAL, x[0], x[1]);
}

BODY(product) {
    FORMULA;
    return times(f, x[0], x[1]);
}

BODY(chosen) {
    (void)call, (void)dtype;
    return build_select(body, x[0], x[1], x[2]);
}

/* 0 where nothing was added. */
BODY(mean) {
    FORMULA;
    return over(f, x[0], highest(f, x[1], real(f, 1)));
}

BODY(some_or_zero) {
    FORMULA;
    return choose(f, compare(f, ORDER_EQUAL, x[1], real(f, 0)), real(f, 0), x[0]);
}

typedef struct Bags {
    Value *weight, *indices;
    int64_t mode, bags;
    Value *bag;   /* that of each index */
    Value *keeps; /* bools: false for indices that are padding; NULL if all count */
} Bags;

static Value *filled(Call *call, Dtype dtype, int rank, const int64_t *shape, Number number) {
    return value_constant(
        call->arena, stored_splat(call->arena, dtype, rank, shape, number.real, number.integer));
}

/* [n] as [n, 1] */
static Value *as_column(Call *call, Value *value) {
    int64_t column[] = {value->type.shape[0], 1};
    return value_reshape(call, value, 2, column);
}

/* The bag of an index is the number of offsets up to its place, less one. */
static Value *find_bags(Call *call, Value *offsets, int64_t count) {
    static const bool rows[] = {false, true};
    int64_t *places = arena_array(call->arena, (size_t)count, sizeof *places);
    for (int64_t i = 0; i < count; i++) places[i] = i;
    Stored *range = stored_new(call->arena, DTYPE_INT64, 1, &count, places);
    if (offsets->stored) {
        const double *starts = stored_doubles(call->arena, offsets->stored);
        for (int64_t i = 0, bag = 0; i < count; places[i++] = bag - 1)
            while (bag < offsets->type.shape[0] && starts[bag] <= (double)i) bag++;
        return value_constant(call->arena, range);
    }
    int64_t one_row[] = {1, offsets->type.shape[0]};
    Value *pair[] = {value_reshape(call, offsets, 2, one_row),
                     as_column(call, value_constant(call->arena, range))};
    Value *before = element_wise(call, 2, pair, DTYPE_INT64, ELEMENT_BOOL, starts_before);
    if (!before) return NULL;
    Value *number =
        value_reduce(call, before, rows, false, SCALAR_ADD, number_of_integer(0), DTYPE_INT64);
    return element_wise(call, 1, &number, DTYPE_INT64, 0, one_less);
}

/* How many indices of each bag count. */
static Value *count_indices(Call *call, const Bags *bags, Dtype dtype) {
    Value *ones = filled(call, dtype, 1, bags->indices->type.shape, number_of_integer(1));
    if (bags->keeps) ones = call_cast(call, bags->keeps, dtype);
    Value *zeros = filled(call, dtype, 1, &bags->bags, number_of_integer(0));
    return as_column(call, value_scatter_rows(call, zeros, bags->bag, ones, SCALAR_ADD));
}

static Value *combine(Call *call, const Bags *bags, Value *rows) {
    Dtype dtype = rows->type.dtype;
    bool is_max = bags->mode == MODE_MAX;
    Number start = is_max ? dtype_lowest(dtype) : number_of_integer(0);
    if (bags->keeps) {
        Value *choice[] = {as_column(call, bags->keeps), rows, filled(call, dtype, 0, NULL, start)};
        rows = element_wise(call, 3, choice, dtype, ELEMENT_CONDITION, chosen);
    }
    int64_t shape[] = {bags->bags, bags->weight->type.shape[1]};
    Value *result = value_scatter_rows(call, filled(call, dtype, 2, shape, start), bags->bag, rows,
                                       is_max ? SCALAR_MAXIMUM : SCALAR_ADD);
    if (bags->mode == MODE_SUM) return result;
    Value *pair[] = {result, count_indices(call, bags, dtype)};
    return element_wise(call, 2, pair, dtype, 0, is_max ? some_or_zero : mean);
}

static bool check_bags(Call *call, const Bags *bags, const Value *offsets) {
    bool fits = bags->weight->type.rank == 2 && bags->indices->type.rank == 1 &&
                offsets->type.rank == 1 && dtype_is_float(bags->weight->type.dtype) &&
                dtype_is_integer(bags->indices->type.dtype) &&
                dtype_is_integer(offsets->type.dtype);
    if (!fits) return call_fail(call, "weight, indices and offsets do not fit");
    if (bags->mode < MODE_SUM || bags->mode > MODE_MAX) return call_fail(call, "unknown mode");
    for (int i = 1; i < 4; i++)
        if (call_wants(call, i)) return call_fail(call, "only its first result is supported");
    return true;
}

static bool emit_embedding_bag(Call *call) {
    Value *offsets = call_tensor(call, "offsets"), *by = call_tensor(call, "per_sample_weights");
    Bags bags = {.weight = call_tensor(call, "weight"),
                 .indices = call_tensor(call, "indices"),
                 .mode = call_integer(call, "mode")};
    if (!check_bags(call, &bags, offsets)) return false;
    Dtype dtype = bags.weight->type.dtype, wide = dtype_compute(dtype);
    bags.bags = offsets->type.shape[0];
    bags.bag = find_bags(call, offsets, bags.indices->type.shape[0]);
    if (call_declares(call, "padding_idx") && call_has(call, "padding_idx")) {
        int64_t padding = call_integer(call, "padding_idx");
        Value *pair[] = {bags.indices, value_of_number(call->arena, number_of_integer(padding))};
        if (padding >= 0)
            bags.keeps = element_wise(call, 2, pair, DTYPE_INT64, ELEMENT_BOOL, differs);
    }
    Value *rows = value_pick(call, bags.weight, bags.indices, 0, false);
    if (!rows || !bags.bag) return false;
    rows = call_cast(call, rows, wide);
    if (by) {
        Value *pair[] = {rows, as_column(call, by)};
        rows = element_wise(call, 2, pair, wide, 0, product);
    }
    Value *result = combine(call, &bags, rows);
    /* The last offset may be the end of the last bag. */
    bool has_end = call_bool(call, "include_last_offset");
    if (has_end && bags.bags < 2) return call_fail(call, "there is no bag");
    if (has_end) result = value_slice(call, result, 0, 0, bags.bags - 1, 1);
    return call_result(call, 0, call_cast(call, result, dtype));
}

/* Gradients do not matter. */
// clang-format off
#define BAG(name, padding)                                                                         \
    {"aten." name,                                                                                 \
     "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, " \
     "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False" padding  \
     ") -> (Tensor, Tensor, Tensor, Tensor)",                                                      \
     .emit = emit_embedding_bag, .ignored = "scale_grad_by_freq sparse"}
// clang-format on

const Operation bag_operations[] = {
    BAG("embedding_bag.default", ""),
    BAG("embedding_bag.padding_idx", ", int? padding_idx=None"),
    BAG("_embedding_bag.default", ", int padding_idx=-1"),
    BAG("_embedding_bag_forward_only.default", ", int padding_idx=-1"),
    {.name = NULL},
};
