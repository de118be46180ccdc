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
    bool bilinear, align_corners;
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

static Value *nearest(Call *call, const Resize *resize, Value *value, int i) {
    int dim = resize->first + i;
    int64_t from = value->type.shape[dim], to = resize->size[i];
    if (to % from == 0 && resize->scale[i] == (double)from / (double)to) {
        return repeat_each(call, value, dim, to / from);
    }
    int64_t *places = arena_array(call->arena, (size_t)to, sizeof *places);
    for (int64_t n = 0; n < to; n++) {
        int64_t place = (int64_t)floorf((float)n * (float)resize->scale[i]);
        places[n] = place < from ? place : from - 1;
    }
    return pick(call, value, dim, to, places);
}

/* low + weight * (high - low), as PyTorch: (1 - weight) * low + weight * high. */
static MlirValue blend(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    MlirValue rest = minus(f, real(f, 1), x[2]);
    return plus(f, times(f, rest, x[0]), times(f, x[2], x[1]));
}

static Value *linear(Call *call, const Resize *resize, Value *value, int i) {
    int dim = resize->first + i, rank = value->type.rank;
    int64_t from = value->type.shape[dim], to = resize->size[i], shape[MAX_RANK];
    if (from == to) return value;
    double corners = to > 1 ? (double)(from - 1) / (double)(to - 1) : 0;
    int64_t *low = arena_array(call->arena, (size_t)to, sizeof *low);
    int64_t *high = arena_array(call->arena, (size_t)to, sizeof *high);
    float *weights = arena_array(call->arena, (size_t)to, sizeof *weights);
    for (int64_t n = 0; n < to; n++) {
        double place = resize->align_corners ? (double)n * corners
                                             : ((double)n + 0.5) * resize->scale[i] - 0.5;
        if (place < 0) place = 0;
        low[n] = (int64_t)place < from ? (int64_t)place : from - 1;
        high[n] = low[n] + (low[n] < from - 1);
        weights[n] = (float)(place - (double)low[n]);
        if (weights[n] > 1) weights[n] = 1;
    }
    for (int d = dim; d < rank; d++) shape[d - dim] = d == dim ? to : 1;
    Stored *weight = stored_new(call->arena, DTYPE_FLOAT32, rank - dim, shape, weights);
    Value *values[] = {pick(call, value, dim, to, low), pick(call, value, dim, to, high),
                       value_constant(call->arena, weight)};
    return element_wise(call, 3, values, value->type.dtype, ELEMENT_WIDE, blend);
}

static bool emit_resize(Call *call) {
    Resize resize = {.spatial = call->operation->option & 3,
                     .bilinear = call->operation->option & 4};
    resize.input = call_tensor(call, call->schema.parameters[0].name);
    resize.first = 2;
    if (resize.input->type.rank != resize.spatial + 2) {
        return call_fail(call, "the input needs %d dimensions", resize.spatial + 2);
    }
    if (resize.bilinear) resize.align_corners = call_bool(call, "align_corners");
    if (resize.bilinear && !dtype_is_float(resize.input->type.dtype)) {
        return call_fail(call, "only floats can be interpolated");
    }
    if (!read_sizes(call, &resize)) return false;
    Value *value = resize.input;
    /* The last dimension first, as PyTorch adds up. */
    for (int i = resize.spatial - 1; i >= 0 && value; i--) {
        value =
            resize.bilinear ? linear(call, &resize, value, i) : nearest(call, &resize, value, i);
    }
    return value && call_result(call, 0, value);
}

const Operation resize_operations[] = {
    {"aten.repeat_interleave.self_int",
     "(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
     .emit = emit_repeat_interleave, .ignored = "output_size"},
    {"aten.upsample_nearest1d.default",
     "(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", .emit = emit_resize,
     .option = 1},
    {"aten.upsample_nearest2d.default",
     "(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
     .emit = emit_resize, .option = 2},
    {"aten.upsample_nearest3d.default",
     "(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, "
     "float? scales_w=None) -> Tensor",
     .emit = emit_resize, .option = 3},
    {"aten.upsample_nearest1d.vec",
     "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", .emit = emit_resize,
     .option = 1},
    {"aten.upsample_nearest2d.vec",
     "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", .emit = emit_resize,
     .option = 2},
    {"aten.upsample_nearest3d.vec",
     "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", .emit = emit_resize,
     .option = 3},
    {"aten.upsample_bilinear2d.default",
     "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
     "float? scales_w=None) -> Tensor",
     .emit = emit_resize, .option = 2 | 4},
    {"aten.upsample_bilinear2d.vec",
     "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
     .emit = emit_resize, .option = 2 | 4},
    {.name = NULL},
};
