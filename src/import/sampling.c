/* grid_sampler: an image read at computed places, between its pixels.
 *
 * The formulas are PyTorch's own (GridSampler.h): a coordinate of the grid is from -1 to 1 over the
 * image; one outside reads 0, the border, or what it is reflected to. */
#include <string.h>
#include "import/formulas.h"
#include "import/indexing.h"
#include "import/operations.h"

enum { BILINEAR, NEAREST, BICUBIC };
enum { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION };

typedef struct Sampler {
    Formula f;
    int mode, padding;
    bool align_corners;
    Dtype from;      /* of the image; formulas are computed in f.dtype */
    int64_t size[2]; /* width, height */
    MlirValue image;
    MlirValue batch, channel; /* of type index */
} Sampler;

static MlirValue both(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, a, b);
}

/* From the grid's coordinate to one in pixels. */
static MlirValue in_pixels(const Sampler *s, MlirValue x, int axis) {
    Formula f = s->f;
    double size = (double)s->size[axis];
    MlirValue shifted = plus(f, x, real(f, 1));
    if (s->align_corners) return times(f, times(f, shifted, real(f, 0.5)), real(f, size - 1));
    return times(f, minus(f, times(f, shifted, real(f, size)), real(f, 1)), real(f, 0.5));
}

/* Back and forth between low / 2 and high / 2. */
static MlirValue reflected(Formula f, MlirValue x, double low, double high) {
    double span = (high - low) / 2;
    if (span == 0) return real(f, 0);
    MlirValue distance = absolute(f, minus(f, x, real(f, low / 2)));
    MlirValue extra = scalar_op(f.body, SCALAR_REMAINDER, f.dtype, distance, real(f, span));
    MlirValue turns = math(f, "math.floor", over(f, distance, real(f, span)));
    MlirValue half = times(f, turns, real(f, 0.5));
    MlirValue is_even = compare(f, ORDER_EQUAL, math(f, "math.floor", half), half);
    MlirValue back = minus(f, real(f, span), extra);
    return plus(f, choose(f, is_even, extra, back), real(f, low / 2));
}

/* Where the padding puts a coordinate in pixels. */
static MlirValue padded(const Sampler *s, MlirValue x, int axis) {
    Formula f = s->f;
    double size = (double)s->size[axis];
    if (s->padding == PAD_ZEROS) return x;
    if (s->padding == PAD_REFLECTION) {
        x = s->align_corners ? reflected(f, x, 0, 2 * (size - 1))
                             : reflected(f, x, -1, 2 * size - 1);
    }
    return clamped(f, x, real(f, 0), real(f, size - 1));
}

static MlirValue is_inside(const Sampler *s, MlirValue x, int axis) {
    Formula f = s->f;
    return both(f, compare(f, ORDER_GREATER_EQUAL, x, real(f, 0)),
                compare(f, ORDER_LESS_EQUAL, x, real(f, (double)s->size[axis] - 1)));
}

static MlirValue pixel_index(const Sampler *s, MlirValue x, int axis) {
    MlirValue integer = scalar_cast(s->f.body, x, s->f.dtype, DTYPE_INT32);
    return safe_index(s->f.body, integer, DTYPE_INT32, s->size[axis], false);
}

/* The pixel at whole coordinates; 0 outside of the image. */
static MlirValue pixel(const Sampler *s, MlirValue x, MlirValue y) {
    Formula f = s->f;
    MlirValue places[] = {s->batch, s->channel, pixel_index(s, y, 1), pixel_index(s, x, 0)};
    MlirValue element = build_element(f.body, s->image, 4, places);
    element = scalar_cast(f.body, element, s->from, f.dtype);
    return choose(f, both(f, is_inside(s, x, 0), is_inside(s, y, 1)), element, real(f, 0));
}

static MlirValue bilinear(const Sampler *s, MlirValue x, MlirValue y) {
    Formula f = s->f;
    MlirValue one = real(f, 1), west = math(f, "math.floor", x), north = math(f, "math.floor", y);
    MlirValue east = plus(f, west, one), south = plus(f, north, one);
    MlirValue from_west = minus(f, x, west), from_north = minus(f, y, north);
    MlirValue to_east = minus(f, east, x), to_south = minus(f, south, y);
    MlirValue sum = times(f, pixel(s, west, north), times(f, to_east, to_south));
    sum = plus(f, sum, times(f, pixel(s, east, north), times(f, from_west, to_south)));
    sum = plus(f, sum, times(f, pixel(s, west, south), times(f, to_east, from_north)));
    return plus(f, sum, times(f, pixel(s, east, south), times(f, from_west, from_north)));
}

/* ((a x + b) x + c) x + d */
static MlirValue cubic(Formula f, MlirValue x, double a, double b, double c, double d) {
    MlirValue sum = plus(f, times(f, x, real(f, a)), real(f, b));
    sum = plus(f, times(f, sum, x), real(f, c));
    return plus(f, times(f, sum, x), real(f, d));
}

/* Keys' weights of the four pixels around a place at `t` behind the second of them. */
static void cubic_weights(Formula f, MlirValue t, MlirValue weights[4]) {
    const double a = -0.75;
    MlirValue one = real(f, 1), rest = minus(f, one, t);
    weights[0] = cubic(f, plus(f, t, one), a, -5 * a, 8 * a, -4 * a);
    weights[1] = cubic(f, t, a + 2, -(a + 3), 0, 1);
    weights[2] = cubic(f, rest, a + 2, -(a + 3), 0, 1);
    weights[3] = cubic(f, plus(f, rest, one), a, -5 * a, 8 * a, -4 * a);
}

static MlirValue bicubic(const Sampler *s, MlirValue x, MlirValue y) {
    Formula f = s->f;
    MlirValue west = math(f, "math.floor", x), north = math(f, "math.floor", y);
    MlirValue columns[4], rows[4], across[4], down[4], sum = {NULL};
    cubic_weights(f, minus(f, x, west), across);
    cubic_weights(f, minus(f, y, north), down);
    for (int k = 0; k < 4; k++) {
        columns[k] = padded(s, plus(f, west, real(f, k - 1)), 0);
        rows[k] = padded(s, plus(f, north, real(f, k - 1)), 1);
    }
    for (int j = 0; j < 4; j++) {
        MlirValue row = times(f, pixel(s, columns[0], rows[j]), across[0]);
        for (int i = 1; i < 4; i++)
            row = plus(f, row, times(f, pixel(s, columns[i], rows[j]), across[i]));
        MlirValue term = times(f, row, down[j]);
        sum = j == 0 ? term : plus(f, sum, term);
    }
    return sum;
}

static MlirValue sample(const Sampler *s, MlirValue x, MlirValue y) {
    Formula f = s->f;
    x = in_pixels(s, x, 0);
    y = in_pixels(s, y, 1);
    if (s->mode == BICUBIC) return bicubic(s, x, y);
    x = padded(s, x, 0);
    y = padded(s, y, 1);
    if (s->mode == BILINEAR) return bilinear(s, x, y);
    return pixel(s, math(f, "math.roundeven", x), math(f, "math.roundeven", y));
}

static bool read_sampler(Call *call, const Value *input, const Value *grid, Sampler *sampler) {
    const TensorType *image = &input->type, *places = &grid->type;
    int64_t mode = call_integer(call, "interpolation_mode");
    int64_t padding = call_integer(call, "padding_mode");
    bool fits = image->rank == 4 && places->rank == 4 && places->shape[3] == 2 &&
                image->shape[0] == places->shape[0];
    if (!fits || !dtype_is_float(image->dtype) || places->dtype != image->dtype) {
        return call_fail(call, "only images [n, c, h, w] and grids [n, h, w, 2] of the same float "
                               "dtype are supported");
    }
    if (mode < BILINEAR || mode > BICUBIC || padding < PAD_ZEROS || padding > PAD_REFLECTION)
        return call_fail(call, "unknown interpolation_mode or padding_mode");
    *sampler = (Sampler){.mode = (int)mode,
                         .padding = (int)padding,
                         .align_corners = call_bool(call, "align_corners"),
                         .from = image->dtype,
                         .size = {image->shape[3], image->shape[2]}};
    return true;
}

/* Loops: batch, channel, and the two of the grid. */
static bool emit_grid_sampler(Call *call) {
    Value *input = call_tensor(call, "input"), *grid = call_tensor(call, "grid");
    Builder *builder = call->builder;
    Sampler sampler = {0};
    if (!read_sampler(call, input, grid, &sampler)) return false;
    const int64_t *image = input->type.shape, *places = grid->type.shape;
    int64_t shape[] = {image[0], image[1], places[1], places[2]};
    sampler.image = call_mlir(call, input);
    MlirValue inputs[] = {call_mlir(call, grid), call_mlir(call, grid)};
    MlirAffineMap maps[3] = {[2] = map_identity(builder, 4)};
    for (int axis = 0; axis < 2; axis++) {
        MlirAffineExpr at[] = {affine_dim(builder, 0, 1), affine_dim(builder, 2, 1),
                               affine_dim(builder, 3, 1),
                               mlirAffineConstantExprGet(builder->context, axis)};
        maps[axis] = mlirAffineMapGet(builder->context, 4, 0, 4, at);
    }
    MlirValue init = build_empty(builder, call_type(call, sampler.from, 4, shape));
    Generic generic = generic_begin(builder, "pppp", 2, inputs, 1, &init, maps);
    sampler.f = (Formula){&generic.body, dtype_compute(sampler.from)};
    sampler.batch = loop_index(&generic, 0);
    sampler.channel = loop_index(&generic, 1);
    MlirValue at[2];
    for (int axis = 0; axis < 2; axis++)
        at[axis] = scalar_cast(&generic.body, generic_input(&generic, axis), sampler.from,
                               sampler.f.dtype);
    MlirValue element = sample(&sampler, at[0], at[1]);
    element = scalar_cast(&generic.body, element, sampler.f.dtype, sampler.from);
    return call_give(call, sampler.from, 4, shape, generic_end(&generic, element));
}

#define SAMPLER                                                                                    \
    "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "   \
    "-> Tensor"

const Operation sampling_operations[] = {
    {"aten.grid_sampler.default", SAMPLER, .emit = emit_grid_sampler},
    {"aten.grid_sampler_2d.default", SAMPLER, .emit = emit_grid_sampler},
    {.name = NULL},
};
