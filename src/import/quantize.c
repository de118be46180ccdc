/* Quantization as torchao's PT2E flow writes it: conversions between integers and floats around
 * float operations. */
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/shape.h"

/* clamp(round(x * (1 / scale)) + zero_point, quant_min, quant_max) */
static MlirValue quantize(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs) {
    Formula f = {body, dtype};
    MlirValue scaled = times(f, inputs[0], real(f, 1 / call_float(call, "scale")));
    MlirValue rounded = math(f, "math.roundeven", scaled);
    MlirValue moved = plus(f, rounded, real(f, (double)call_integer(call, "zero_point")));
    return clamped(f, moved, real(f, (double)call_integer(call, "quant_min")),
                   real(f, (double)call_integer(call, "quant_max")));
}

static bool emit_quantize(Call *call) {
    Value *input = call_tensor(call, "input");
    Dtype dtype = call_dtype(call, "dtype", DTYPE_INT8);
    if (input->type.dtype != DTYPE_FLOAT32) {
        return call_fail(call, "dtype %s is not supported", dtype_name(input->type.dtype));
    }
    if (!(call_float(call, "scale") > 0)) return call_fail(call, "scale must be positive");
    Value *result = element_wise(call, 1, &input, DTYPE_FLOAT32, 0, quantize);
    return result && call_result(call, 0, call_cast(call, result, dtype));
}

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

static bool emit_dequantize(Call *call) {
    Value *input = call_tensor(call, "input");
    Dtype dtype = call_dtype(call, "out_dtype", DTYPE_FLOAT32);
    if (!check_stated(call, input)) return false;
    Value *result = element_wise(call, 1, &input, dtype, 0, dequantize);
    return result && call_result(call, 0, result);
}

/* A vector along dimension `axis` of a tensor of this rank. */
static Value *along(Call *call, Value *vector, int axis, int rank) {
    int64_t shape[MAX_RANK];
    for (int i = axis; i < rank; i++) shape[i - axis] = i == axis ? vector->type.shape[0] : 1;
    return value_reshape(call, vector, rank - axis, shape);
}

static bool emit_dequantize_channel(Call *call) {
    Value *input = call_tensor(call, "input"), *scales = call_tensor(call, "scales");
    Value *points = call_tensor(call, "zero_points");
    Dtype dtype = call_dtype(call, "out_dtype", DTYPE_FLOAT32);
    const TensorType *type = &input->type;
    int axis = 0;
    if (!check_stated(call, input) || !call_dim(call, "axis", type->rank, &axis)) return false;
    if (type->rank == 0 || scales->type.rank != 1 || scales->type.shape[0] != type->shape[axis] ||
        (points && !(points->type.rank == 1 && points->type.shape[0] == type->shape[axis]))) {
        return call_fail(call, "scales and zero_points do not fit %s",
                         tensor_type_text(call->arena, type));
    }
    Value *values[] = {input, along(call, scales, axis, type->rank),
                       points ? along(call, points, axis, type->rank)
                              : value_of_number(call->arena, number_of_integer(0))};
    Value *result = element_wise(call, 3, values, dtype, 0, dequantize_channel);
    return result && call_result(call, 0, result);
}

const Operation quantize_operations[] = {
    {"quantized_decomposed.quantize_per_tensor.default",
     "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) "
     "-> Tensor",
     .emit = emit_quantize},
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
