/* Quantization as torchao's PT2E flow writes it: conversions between integers and floats around
 * float operations. What is dequantized is kept as integers (quantized.h), so that the operations
 * between two conversions work on these. */
#include <math.h>
#include <stdlib.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/quantized.h"
#include "import/shape.h"

/* x * (1 / scale), rounded. */
static MlirValue in_steps(Formula f, Call *call, MlirValue x) {
    return times(f, x, real(f, 1 / call_float(call, "scale")));
}

/* clamp(round(x * (1 / scale)) + zero_point, quant_min, quant_max) */
static MlirValue quantize(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs) {
    Formula f = {body, dtype};
    MlirValue rounded = math(f, "math.roundeven", in_steps(f, call, inputs[0]));
    MlirValue moved = plus(f, rounded, real(f, (double)call_integer(call, "zero_point")));
    return clamped(f, moved, real(f, (double)call_integer(call, "quant_min")),
                   real(f, (double)call_integer(call, "quant_max")));
}

/* Sums with it have the integer in their low bits, rounded to even: 1.5 * 2^23. */
static const double rounder = 0x1.8p23;
static const int64_t rounder_bits = 0x4B400000;

/* The same for results near zero: clamped first, which the rounding does not change as the bounds
 * are integers, and rounded by one addition. NaN is 0. */
static MlirValue quantize_small(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs) {
    Formula f = {body, dtype}, g = {body, DTYPE_INT32};
    int64_t zero = call_integer(call, "zero_point");
    MlirValue steps = in_steps(f, call, inputs[0]);
    MlirValue is_number = compare(f, ORDER_EQUAL, steps, steps);
    MlirValue near = clamped(f, steps, real(f, (double)(call_integer(call, "quant_min") - zero)),
                             real(f, (double)(call_integer(call, "quant_max") - zero)));
    MlirValue sum = plus(f, near, real(f, rounder));
    MlirValue bits = build1(body, "arith.bitcast", scalar_type(body, DTYPE_INT32), sum);
    MlirValue offset = scalar_number(body, DTYPE_INT32, number_of_integer(zero - rounder_bits));
    MlirValue none = scalar_number(body, DTYPE_INT32, number_of_integer(0));
    return choose(g, is_number, plus(g, bits, offset), none);
}

static bool is_small(Call *call) {
    const int64_t most = 1 << 20;
    return llabs(call_integer(call, "zero_point")) < most &&
           llabs(call_integer(call, "quant_min")) < most &&
           llabs(call_integer(call, "quant_max")) < most;
}

/* A number as PyTorch quantizes it, by operations of f32. */
static int64_t quantized_number(double x, double scale, double zero, double low, double high) {
    float moved = rintf((float)x * (float)(1 / scale)) + (float)zero;
    return isnan(moved) ? 0 : (int64_t)fmax(fmin((double)moved, high), low);
}

/* A constant weight, quantized by the compiler. Scales and zeros are those of each place along
 * `axis`, or one. */
static Value *quantized_constant(Call *call, const Value *input, Dtype dtype, int axis,
                                 int channels, const double *scales, const double *zeros) {
    const Stored *stored = input->stored;
    double low = (double)call_integer(call, "quant_min");
    double high = (double)call_integer(call, "quant_max");
    const double *numbers = stored_doubles(call->arena, stored);
    int64_t elements = tensor_type_elements(&stored->type), inner = 1;
    for (int i = axis + 1; i < stored->type.rank; i++) inner *= stored->type.shape[i];
    Scalar scalar = dtype_info(dtype)->scalar;
    void *bytes = arena_array(call->arena, (size_t)elements + 1, scalar_bytes(scalar));
    for (int64_t i = 0; i < elements; i++) {
        int64_t c = channels > 1 ? i / inner % channels : 0;
        int64_t integer = quantized_number(numbers[i], scales[c], zeros[c], low, high);
        bits_store(scalar, bytes, (size_t)i, (Bits)integer & bits_mask(scalar.width));
    }
    return value_constant(
        call->arena, stored_new(call->arena, dtype, stored->type.rank, stored->type.shape, bytes));
}

/* The integer of a float32 tensor: from what it is known as, or by float operations. */
static Value *quantized_value(Call *call, Value *input, Dtype dtype) {
    int64_t zero = call_integer(call, "zero_point");
    int64_t low = call_integer(call, "quant_min"), high = call_integer(call, "quant_max");
    if (input->stored) {
        double scale = call_float(call, "scale"), number = (double)zero;
        return quantized_constant(call, input, dtype, 0, 1, &scale, &number);
    }
    if (input->quantized && is_small(call)) {
        Value *result = requantize(call, input, call_float(call, "scale"), zero, low, high, dtype);
        if (result) return result;
    }
    if (is_small(call)) {
        Value *wide = element_wise(call, 1, &input, DTYPE_FLOAT32, ELEMENT_INTEGER, quantize_small);
        return wide ? call_cast(call, wide, dtype) : NULL;
    }
    Value *result = element_wise(call, 1, &input, DTYPE_FLOAT32, 0, quantize);
    return result ? call_cast(call, result, dtype) : NULL;
}

static bool emit_quantize(Call *call) {
    Value *input = call_tensor(call, "input");
    Dtype dtype = call_dtype(call, "dtype", DTYPE_INT8);
    if (input->type.dtype != DTYPE_FLOAT32) {
        return call_fail(call, "dtype %s is not supported", dtype_name(input->type.dtype));
    }
    if (!(call_float(call, "scale") > 0)) return call_fail(call, "scale must be positive");
    if (dtype_is_float(dtype) || dtype == DTYPE_BOOL)
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    Value *result = quantized_value(call, input, dtype);
    return result && call_result(call, 0, result);
}

static bool check_scales(Call *call, const Value *input, const Value *scales, const Value *points,
                         int axis) {
    const TensorType *type = &input->type;
    if (type->rank > 0 && scales->type.rank == 1 && scales->type.shape[0] == type->shape[axis] &&
        (!points || (points->type.rank == 1 && points->type.shape[0] == type->shape[axis])))
        return true;
    return call_fail(call, "scales and zero_points do not fit %s",
                     tensor_type_text(call->arena, type));
}

/* For each channel, of weights only: activations have one scale. */
static bool emit_quantize_channel(Call *call) {
    Value *input = call_tensor(call, "input"), *scales = call_tensor(call, "scales");
    Value *points = call_tensor(call, "zero_points");
    Dtype dtype = call_dtype(call, "dtype", DTYPE_INT8);
    int axis = 0;
    if (!call_dim(call, "axis", input->type.rank, &axis) ||
        !check_scales(call, input, scales, points, axis))
        return false;
    call_integer(call, "quant_min");
    call_integer(call, "quant_max");
    if (!input->stored || !scales->stored || !points->stored ||
        input->type.dtype != DTYPE_FLOAT32 || dtype_is_float(dtype))
        return call_fail(call, "only constant float32 tensors are quantized for each channel");
    Value *result = quantized_constant(call, input, dtype, axis, (int)scales->type.shape[0],
                                       stored_doubles(call->arena, scales->stored),
                                       stored_doubles(call->arena, points->stored));
    return call_result(call, 0, result);
}

/* --- back to floats -------------------------------------------------------------------------- */

/* (q - zero_point) * scale; for each channel they are tensors. */
static MlirValue dequantize(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs) {
    Formula f = {body, dtype};
    MlirValue moved = minus(f, inputs[0], real(f, (double)call_integer(call, "zero_point")));
    return times(f, moved, real(f, call_float(call, "scale")));
}

static MlirValue dequantize_channel(Call *call, Builder *body, Dtype dtype,
                                    const MlirValue *inputs) {
    Formula f = {body, dtype};
    (void)call;
    return times(f, minus(f, inputs[0], inputs[2]), inputs[1]);
}

/* The stated dtype must be the input's: it is what the number means. */
static bool check_stated(Call *call, const Value *input) {
    Dtype stated = call_dtype(call, "dtype", input->type.dtype);
    if (stated == input->type.dtype) return true;
    return call_fail(call, "the input is %s, but dtype says %s", dtype_name(input->type.dtype),
                     dtype_name(stated));
}

/* Kept as integers: NULL if the numbers are too large for that, or scales are not positive. */
static Value *kept(Call *call, Value *input, int axis, int channels, const double *scales,
                   const double *zeros) {
    const DtypeInfo *info = dtype_info(input->type.dtype);
    if (info->is_float || info->is_bool || info->size > 2) return NULL;
    int64_t *points = arena_array(call->arena, (size_t)channels, sizeof *points);
    for (int c = 0; c < channels; c++) {
        if (!(scales[c] > 0) || !(fabs(zeros[c]) < 0x1p20)) return NULL;
        points[c] = (int64_t)zeros[c];
    }
    Term term = {.integers = input,
                 .low = dtype_lowest(info->dtype).integer,
                 .high = dtype_highest(info->dtype).integer,
                 .scales = scales,
                 .zeros = points};
    Quantized quantized = {.term_count = 1,
                           .terms = {term},
                           .axis = axis,
                           .channels = channels,
                           .offsets = arena_array(call->arena, (size_t)channels, sizeof(double)),
                           .low = -INFINITY,
                           .high = INFINITY};
    return value_quantized(call->arena, input->type.rank, input->type.shape, &quantized);
}

static double *one_number(Call *call, double number) {
    double *result = arena_new_of(call->arena, double);
    *result = number;
    return result;
}

static bool emit_dequantize(Call *call) {
    Value *input = call_tensor(call, "input");
    Dtype dtype = call_dtype(call, "out_dtype", DTYPE_FLOAT32);
    if (!check_stated(call, input)) return false;
    Value *result = NULL;
    const double *scale = one_number(call, call_float(call, "scale"));
    const double *zero = one_number(call, (double)call_integer(call, "zero_point"));
    if (dtype == DTYPE_FLOAT32) result = kept(call, input, 0, 1, scale, zero);
    if (!result) result = element_wise(call, 1, &input, dtype, 0, dequantize);
    return result && call_result(call, 0, result);
}

/* A vector along dimension `axis` of a tensor of this rank. */
static Value *along(Call *call, Value *vector, int axis, int rank) {
    int64_t shape[MAX_RANK];
    for (int i = axis; i < rank; i++) shape[i - axis] = i == axis ? vector->type.shape[0] : 1;
    return value_reshape(call, vector, rank - axis, shape);
}

static Value *kept_channels(Call *call, Value *input, Value *scales, Value *points, int axis) {
    if (!scales->stored || (points && !points->stored)) return NULL;
    int channels = (int)scales->type.shape[0];
    const double *zeros = points ? stored_doubles(call->arena, points->stored)
                                 : arena_array(call->arena, (size_t)channels, sizeof *zeros);
    return kept(call, input, axis, channels, stored_doubles(call->arena, scales->stored), zeros);
}

static bool emit_dequantize_channel(Call *call) {
    Value *input = call_tensor(call, "input"), *scales = call_tensor(call, "scales");
    Value *points = call_tensor(call, "zero_points");
    Dtype dtype = call_dtype(call, "out_dtype", DTYPE_FLOAT32);
    const TensorType *type = &input->type;
    int axis = 0;
    if (!check_stated(call, input) || !call_dim(call, "axis", type->rank, &axis)) return false;
    if (!check_scales(call, input, scales, points, axis)) return false;
    Value *result = NULL;
    if (dtype == DTYPE_FLOAT32) result = kept_channels(call, input, scales, points, axis);
    if (result) return call_result(call, 0, result);
    Value *values[] = {input, along(call, scales, axis, type->rank),
                       points ? along(call, points, axis, type->rank)
                              : value_of_number(call->arena, number_of_integer(0))};
    result = element_wise(call, 3, values, dtype, 0, dequantize_channel);
    return result && call_result(call, 0, result);
}

const Operation quantize_operations[] = {
    {"quantized_decomposed.quantize_per_tensor.default",
     "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) "
     "-> Tensor",
     .emit = emit_quantize},
    {"quantized_decomposed.quantize_per_channel.default",
     "(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, "
     "ScalarType dtype) -> Tensor",
     .emit = emit_quantize_channel},
    /* The bounds are those of the integers that are there already. */
    {"quantized_decomposed.dequantize_per_tensor.default",
     "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, "
     "*, ScalarType? out_dtype=None) -> Tensor",
     .emit = emit_dequantize, .ignored = "quant_min quant_max"},
    {"quantized_decomposed.dequantize_per_channel.default",
     "(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, "
     "ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
     .emit = emit_dequantize_channel, .ignored = "quant_min quant_max"},
    {.name = NULL},
};
