/* Operations that make a tensor larger by repeating or interpolating its elements. Which element
 * each result reads is known here, so indices and weights are constants. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/shape.h"

enum { MAX_SIZE = 1 << 20 };

/* Each element along a dimension `times` times in a row. */
static Value *repeat_each(Call *call, Value *value, int dim, int64_t times) {
    const TensorType *type = &value->type;
    int64_t apart[MAX_RANK], shape[MAX_RANK];
    int dims[MAX_RANK], rank = 0;
    if (times == 1) return value;
    for (int i = 0; i < type->rank; i++) {
        shape[i] = type->shape[i] * (i == dim ? times : 1);
        dims[i] = rank;
        apart[rank++] = type->shape[i];
        if (i == dim) apart[rank++] = times;
    }
    MlirType wide = call_type(call, type->dtype, rank, apart);
    MlirValue spread = build_spread(call->builder, call_mlir(call, value), wide, dims);
    Value *repeated = value_new(call->arena, type->dtype, rank, apart, spread);
    return value_reshape(call, repeated, type->rank, shape);
}

static bool emit_repeat_interleave(Call *call) {
    Value *self = call_tensor(call, "self");
    int64_t times = call_integer(call, "repeats");
    int dim = 0;
    if (times < 1 || times > MAX_SIZE) return call_fail(call, "bad number of repeats");
    if (self->type.rank >= MAX_RANK) return call_fail(call, "the rank is too large");
    if (!call_has(call, "dim")) {
        int64_t flat[] = {tensor_type_elements(&self->type)};
        self = value_reshape(call, self, 1, flat);
    } else if (!call_dim(call, "dim", self->type.rank, &dim)) {
        return false;
    }
    return call_result(call, 0, repeat_each(call, self, dim, times));
}

/* --- interpolation ------------------------------------------------------------------------- */

typedef struct Resize {
    Value *input;
    int spatial, first; /* number of spatial dimensions, and the first of them */
    int64_t size[3];
    double scale[3]; /* steps in the input for one in the result */
    bool align_corners;
} Resize;

/* Sizes come as output_size, or from scale_factors. Scales, where given, decide the steps. */
static bool read_sizes(Call *call, Resize *resize) {
    const TensorType *type = &resize->input->type;
    bool is_vector = strcmp(call->schema.parameters[0].name, "input") == 0;
    static const char *const scale_names[] = {"scales_d", "scales_h", "scales_w"};
    static const char *const line[] = {"scales"};
    int count = 0, factors = 0;
    const double *scales = NULL;
    const int64_t *sizes = call_integers(call, "output_size", &count);
    if (is_vector) scales = call_floats(call, "scale_factors", &factors);
    if ((count && count != resize->spatial) || (factors && factors != resize->spatial) ||
        (!count && !factors)) {
        return call_fail(call, "output_size or scale_factors do not fit %d dimensions",
                         resize->spatial);
    }
    for (int i = 0; i < resize->spatial; i++) {
        int64_t from = type->shape[resize->first + i];
        double scale = factors ? scales[i] : 0;
        const char *name = resize->spatial == 1 ? line[0] : scale_names[3 - resize->spatial + i];
        if (!is_vector && call_has(call, name)) scale = call_float(call, name);
        double wanted = count ? (double)sizes[i] : floor((double)from * scale);
        if (!(wanted >= 1) || wanted > MAX_SIZE) return call_fail(call, "bad size of the result");
        resize->size[i] = (int64_t)wanted;
        resize->scale[i] = scale > 0 ? 1 / scale : (double)from / wanted;
    }
    return true;
}

/* The elements of a dimension at constant places. */
static Value *pick(Call *call, Value *value, int dim, int64_t count, const int64_t *places) {
    int64_t shape[] = {count};
    int64_t *copy = arena_copy(call->arena, places, (size_t)count * sizeof *places);
    Stored *index = stored_new(call->arena, DTYPE_INT64, 1, shape, copy);
    return value_pick(call, value, value_constant(call->arena, index), dim, false);
}

/* The element where the result's lies, or, with a shift of a half, where its centre lies. */
static Value *nearest_to(Call *call, const Resize *resize, Value *value, int i, float shift) {
    int dim = resize->first + i;
    int64_t from = value->type.shape[dim], to = resize->size[i];
    if (to % from == 0 && resize->scale[i] == (double)from / (double)to) {
        return repeat_each(call, value, dim, to / from);
    }
    int64_t *places = arena_array(call->arena, (size_t)to, sizeof *places);
    for (int64_t n = 0; n < to; n++) {
        int64_t place = (int64_t)floorf(((float)n + shift) * (float)resize->scale[i]);
        places[n] = place < from ? place : from - 1;
    }
    return pick(call, value, dim, to, places);
}

static Value *nearest(Call *call, const Resize *resize, Value *value, int i) {
    return nearest_to(call, resize, value, i, 0);
}

static Value *nearest_exact(Call *call, const Resize *resize, Value *value, int i) {
    return nearest_to(call, resize, value, i, 0.5F);
}

/* Where in the input an element of the result lies, along a dimension. */
static double place_of(const Resize *resize, int i, int64_t from, int64_t n) {
    int64_t to = resize->size[i];
    if (resize->align_corners)
        return to > 1 ? (double)n * ((double)(from - 1) / (double)(to - 1)) : 0;
    return ((double)n + 0.5) * resize->scale[i] - 0.5;
}

/* One number for each place along a dimension, as a value that broadcasts to the others. */
static Value *weights_along(Call *call, const Value *value, int dim, int64_t count,
                            const float *weights) {
    int64_t shape[MAX_RANK];
    int rank = value->type.rank;
    for (int d = dim; d < rank; d++) shape[d - dim] = d == dim ? count : 1;
    return value_constant(call->arena,
                          stored_new(call->arena, DTYPE_FLOAT32, rank - dim, shape, weights));
}

/* low + weight * (high - low), as PyTorch: (1 - weight) * low + weight * high. */
static MlirValue blend(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    MlirValue rest = minus(f, real(f, 1), x[2]);
    return plus(f, times(f, rest, x[0]), times(f, x[2], x[1]));
}

static Value *linear(Call *call, const Resize *resize, Value *value, int i) {
    int dim = resize->first + i;
    int64_t from = value->type.shape[dim], to = resize->size[i];
    if (from == to) return value;
    int64_t *low = arena_array(call->arena, (size_t)to, sizeof *low);
    int64_t *high = arena_array(call->arena, (size_t)to, sizeof *high);
    float *weights = arena_array(call->arena, (size_t)to, sizeof *weights);
    for (int64_t n = 0; n < to; n++) {
        double place = place_of(resize, i, from, n);
        if (place < 0) place = 0;
        low[n] = (int64_t)place < from ? (int64_t)place : from - 1;
        high[n] = low[n] + (low[n] < from - 1);
        weights[n] = (float)(place - (double)low[n]);
        if (weights[n] > 1) weights[n] = 1;
    }
    Value *values[] = {pick(call, value, dim, to, low), pick(call, value, dim, to, high),
                       weights_along(call, value, dim, to, weights)};
    return element_wise(call, 3, values, value->type.dtype, ELEMENT_WIDE, blend);
}

/* The weight of an element at a distance below 2: R. G. Keys, Cubic convolution interpolation, with
 * a = -0.75, as PyTorch has it. */
static double keys(double distance) {
    const double a = -0.75;
    double x = fabs(distance);
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

/* The sum of four elements, each by its weight. */
static MlirValue blend_four(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    MlirValue sum = times(f, x[0], x[4]);
    for (int k = 1; k < 4; k++) sum = plus(f, sum, times(f, x[k], x[4 + k]));
    return sum;
}

/* Four elements around each place; those beyond an end are the one at the end. */
static Value *cubic(Call *call, const Resize *resize, Value *value, int i) {
    int dim = resize->first + i;
    int64_t from = value->type.shape[dim], to = resize->size[i];
    Value *values[8];
    for (int k = 0; k < 4; k++) {
        int64_t *places = arena_array(call->arena, (size_t)to, sizeof *places);
        float *weights = arena_array(call->arena, (size_t)to, sizeof *weights);
        for (int64_t n = 0; n < to; n++) {
            double place = place_of(resize, i, from, n), low = floor(place);
            int64_t at = (int64_t)low - 1 + k;
            places[n] = at < 0 ? 0 : at >= from ? from - 1 : at;
            weights[n] = (float)keys(place - low + 1 - k);
        }
        values[k] = pick(call, value, dim, to, places);
        values[4 + k] = weights_along(call, value, dim, to, weights);
    }
    return element_wise(call, 8, values, value->type.dtype, ELEMENT_WIDE, blend_four);
}

enum { SPATIAL = 3, NEAREST = 0, NEAREST_EXACT = 4, LINEAR = 8, CUBIC = 12 };

/* How a dimension is made larger or smaller, by the option of a row without its lowest bits. */
static Value *(*const methods[])(Call *call, const Resize *resize, Value *value,
                                 int i) = {nearest, nearest_exact, linear, cubic};

static bool emit_resize(Call *call) {
    int method = call->operation->option / (SPATIAL + 1);
    Resize resize = {.spatial = call->operation->option & SPATIAL};
    bool interpolates = methods[method] == linear || methods[method] == cubic;
    resize.input = call_tensor(call, call->schema.parameters[0].name);
    resize.first = 2;
    if (resize.input->type.rank != resize.spatial + 2) {
        return call_fail(call, "the input needs %d dimensions", resize.spatial + 2);
    }
    if (interpolates) resize.align_corners = call_bool(call, "align_corners");
    if (interpolates && !dtype_is_float(resize.input->type.dtype)) {
        return call_fail(call, "only floats can be interpolated");
    }
    if (!read_sizes(call, &resize)) return false;
    Value *value = resize.input;
    /* The last dimension first, as PyTorch adds up. */
    for (int i = resize.spatial - 1; i >= 0 && value; i--) {
        value = methods[method](call, &resize, value, i);
    }
    return value && call_result(call, 0, value);
}

#define SCALES_1 "float? scales=None"
#define SCALES_2 "float? scales_h=None, float? scales_w=None"
#define SCALES_3 "float? scales_d=None, float? scales_h=None, float? scales_w=None"

/* The two overloads of one operation of n dimensions; `corners` is the parameter align_corners. */
// clang-format off
#define UPSAMPLE(name, n, method, corners)                                                         \
    {"aten." name #n "d.default",                                                         \
     "(Tensor self, SymInt[" #n "] output_size, " corners SCALES_##n ") -> Tensor",                \
     .emit = emit_resize, .option = n | method},                                                   \
    {"aten." name #n "d.vec",                                                             \
     "(Tensor input, SymInt[]? output_size, " corners "float[]? scale_factors) -> Tensor",         \
     .emit = emit_resize, .option = n | method}

#define NEAREST_ROWS(name, method)                                                                 \
    UPSAMPLE(name, 1, method, ""), UPSAMPLE(name, 2, method, ""), UPSAMPLE(name, 3, method, "")
// clang-format on

const Operation resize_operations[] = {
    {"aten.repeat_interleave.self_int",
     "(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
     .emit = emit_repeat_interleave, .ignored = "output_size"},
    NEAREST_ROWS("upsample_nearest", NEAREST),
    NEAREST_ROWS("_upsample_nearest_exact", NEAREST_EXACT),
    UPSAMPLE("upsample_linear", 1, LINEAR, "bool align_corners, "),
    UPSAMPLE("upsample_bilinear", 2, LINEAR, "bool align_corners, "),
    UPSAMPLE("upsample_trilinear", 3, LINEAR, "bool align_corners, "),
    UPSAMPLE("upsample_bicubic", 2, CUBIC, "bool align_corners, "),
    {.name = NULL},
};
