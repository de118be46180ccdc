/* scaled_dot_product_attention: softmax(q k^T * scale + mask) v. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/products.h"
#include "import/reduce.h"
#include "import/shape.h"

static MlirValue scaled(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return times(f, x[0], x[1]);
}

static MlirValue masked(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return choose(f, x[0], x[1], real(f, -INFINITY));
}

static MlirValue sum(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return plus(f, x[0], x[1]);
}

/* Where no key may be seen the result is 0, not NaN. */
static MlirValue visible_or_zero(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    MlirValue hidden = compare(f, ORDER_EQUAL, x[1], real(f, -INFINITY));
    return choose(f, hidden, real(f, 0), x[0]);
}

/* mask[i, j] = j <= i, as a constant. */
static Value *causal_mask(Call *call, int64_t rows, int64_t columns) {
    int64_t shape[] = {rows, columns};
    unsigned char *bytes = arena_array(call->arena, (size_t)(rows * columns), 1);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) bytes[i * columns + j] = j <= i;
    }
    return value_constant(call->arena, stored_new(call->arena, DTYPE_BOOL, 2, shape, bytes));
}

static Value *apply_mask(Call *call, Value *scores, Value *mask) {
    Dtype dtype = scores->type.dtype;
    Value *choice[] = {mask, scores}, *terms[] = {scores, mask};
    if (mask->type.dtype == DTYPE_BOOL) {
        return element_wise(call, 2, choice, dtype, ELEMENT_CONDITION, masked);
    }
    return element_wise(call, 2, terms, dtype, 0, sum);
}

static Value *weights_of(Call *call, Value *scores, bool has_mask) {
    int last = scores->type.rank - 1;
    Dtype dtype = scores->type.dtype;
    Value *weights = value_softmax(call, scores, last, false);
    if (!has_mask || !weights) return weights;
    bool flags[MAX_RANK] = {false};
    flags[last] = true;
    Value *most =
        value_reduce(call, scores, flags, true, SCALAR_MAXIMUM, dtype_lowest(dtype), dtype);
    Value *values[] = {weights, most};
    return element_wise(call, 2, values, dtype, 0, visible_or_zero);
}

static bool check_inputs(Call *call, const Value *query, const Value *key, const Value *value) {
    int rank = query->type.rank;
    Dtype dtype = query->type.dtype;
    if (rank < 2 || key->type.rank != rank || value->type.rank != rank ||
        key->type.shape[rank - 2] != value->type.shape[rank - 2]) {
        return call_fail(call, "the shapes of query, key and value do not fit");
    }
    if (!dtype_is_float(dtype) || key->type.dtype != dtype || value->type.dtype != dtype) {
        return call_fail(call, "query, key and value must have one float dtype");
    }
    if (call_float(call, "dropout_p") != 0) {
        return call_fail(call, "dropout is not supported: call model.eval() before the export");
    }
    if (call_bool(call, "enable_gqa")) return call_fail(call, "enable_gqa is not supported");
    return true;
}

static bool emit_attention(Call *call) {
    Value *query = call_tensor(call, "query"), *key = call_tensor(call, "key");
    Value *value = call_tensor(call, "value"), *mask = call_tensor(call, "attn_mask");
    bool is_causal = call_bool(call, "is_causal");
    if (!check_inputs(call, query, key, value)) return false;
    int rank = query->type.rank;
    Dtype dtype = query->type.dtype, wide = dtype_compute(dtype);
    double factor = 1 / sqrt((double)query->type.shape[rank - 1]);
    if (call_has(call, "scale")) factor = call_float(call, "scale");
    if (is_causal && mask) return call_fail(call, "a mask and is_causal exclude each other");
    if (is_causal) mask = causal_mask(call, query->type.shape[rank - 2], key->type.shape[rank - 2]);
    Value *scores =
        value_product(call, call_cast(call, query, wide), call_cast(call, key, wide), true, NULL);
    if (!scores) return false;
    Value *by[] = {scores, value_of_number(call->arena, number_of_real(factor))};
    scores = element_wise(call, 2, by, wide, 0, scaled);
    if (scores && mask) scores = apply_mask(call, scores, mask);
    Value *weights = scores ? weights_of(call, scores, mask && !is_causal) : NULL;
    if (!weights) return false;
    Value *result = value_product(call, weights, call_cast(call, value, wide), false, NULL);
    return result && call_result(call, 0, call_cast(call, result, dtype));
}

const Operation attention_operations[] = {
    {"aten.scaled_dot_product_attention.default",
     "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
     "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
     .emit = emit_attention},
    {.name = NULL},
};
