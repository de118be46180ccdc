/* Distances between points: each of one set to each of another, and between all pairs of one. */
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/reduce.h"
#include "import/shape.h"

static MlirValue difference(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return minus(f, x[0], x[1]);
}

/* The p-norm of a - b over the last dimension. */
static bool give_distance(Call *call, Value *a, Value *b, double p) {
    Dtype dtype = a->type.dtype, wide = dtype_compute(dtype);
    Value *pair[] = {a, b};
    if (p < 0) return call_fail(call, "p must not be negative");
    if (!dtype_is_float(dtype) || b->type.dtype != dtype)
        return call_fail(call, "the points must be floats of one dtype");
    Value *apart = element_wise(call, 2, pair, wide, 0, difference);
    if (!apart) return false;
    bool flags[MAX_RANK] = {false};
    flags[apart->type.rank - 1] = true;
    Value *result = value_norm(call, apart, flags, false, p);
    return result && call_result(call, 0, call_cast(call, result, dtype));
}

/* A set of points [..., n, m] as [..., n, 1, m], or as [..., 1, n, m]. */
static Value *spread(Call *call, Value *points, bool rows) {
    const TensorType *type = &points->type;
    int rank = type->rank, at = rows ? rank - 1 : rank - 2;
    int64_t shape[MAX_RANK];
    for (int i = 0; i <= rank; i++) shape[i] = i == at ? 1 : type->shape[i > at ? i - 1 : i];
    return value_reshape(call, points, rank + 1, shape);
}

/* How PyTorch computes it (compute_mode) does not matter. */
static bool emit_cdist(Call *call) {
    Value *a = call_tensor(call, "x1"), *b = call_tensor(call, "x2");
    double p = call_declares(call, "p") ? call_float(call, "p") : 2;
    if (a->type.rank < 2 || b->type.rank < 2 || a->type.rank >= MAX_RANK ||
        b->type.rank >= MAX_RANK) {
        return call_fail(call, "both sets of points need at least 2 dimensions");
    }
    return give_distance(call, spread(call, a, true), spread(call, b, false), p);
}

/* Of all pairs i < j, in row-major order. */
static bool emit_pdist(Call *call) {
    Value *self = call_tensor(call, "self");
    double p = call_float(call, "p");
    if (self->type.rank != 2) return call_fail(call, "the points need 2 dimensions");
    int64_t points = self->type.shape[0], pairs = points * (points - 1) / 2;
    if (points < 2 || points > 1 << 14) return call_fail(call, "too few or too many points");
    Value *sides[2];
    for (int side = 0; side < 2; side++) {
        int64_t *places = arena_array(call->arena, (size_t)pairs, sizeof *places), n = 0;
        for (int64_t i = 0; i < points; i++)
            for (int64_t j = i + 1; j < points; j++) places[n++] = side ? j : i;
        Stored *index = stored_new(call->arena, DTYPE_INT64, 1, &pairs, places);
        sides[side] = value_pick(call, self, value_constant(call->arena, index), 0, false);
    }
    return give_distance(call, sides[0], sides[1], p);
}

const Operation distance_operations[] = {
    {"aten.cdist.default", "(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor",
     .emit = emit_cdist, .ignored = "compute_mode"},
    {"aten._cdist_forward.default", "(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
     .emit = emit_cdist, .ignored = "compute_mode"},
    {"aten._euclidean_dist.default", "(Tensor x1, Tensor x2) -> Tensor", .emit = emit_cdist},
    {"aten.pdist.default", "(Tensor self, float p=2) -> Tensor", .emit = emit_pdist},
    {"aten._pdist_forward.default", "(Tensor self, float p=2) -> Tensor", .emit = emit_pdist},
    {.name = NULL},
};
