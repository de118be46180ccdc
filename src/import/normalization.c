/* Normalizations: batch_norm and its relatives in evaluation mode.
 *
 * PyTorch computes (x - mean) * (1 / sqrt(var + eps)) * weight + bias. With constant statistics,
 * the usual case, that is x * scale + shift with scale = weight / sqrt(var + eps) and
 * shift = bias - mean * scale for each channel, which are computed here in double and rounded once:
 * two operations for each element in place of four, and closer to the exact value. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/operations.h"

static MlirValue affine_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x)
{
    (void)call;
    MlirValue product = scalar_op(body, SCALAR_MULTIPLY, dtype, x[0], x[1]);
    return scalar_op(body, SCALAR_ADD, dtype, product, x[2]);
}

/* (x - mean) * (1 / sqrt(var + eps)) [* weight [+ bias]], for x, mean, var, weight, bias. */
static MlirValue statistics_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x)
{
    MlirValue eps = scalar_real(body, dtype, call_float(call, "eps"));
    MlirValue variance = scalar_op(body, SCALAR_ADD, dtype, x[2], eps);
    MlirValue root = scalar_math(body, "math.sqrt", variance);
    MlirValue inverse = scalar_op(body, SCALAR_DIVIDE, dtype, scalar_real(body, dtype, 1), root);
    MlirValue centred = scalar_op(body, SCALAR_SUBTRACT, dtype, x[0], x[1]);
    MlirValue scaled = scalar_op(body, SCALAR_MULTIPLY, dtype, centred, inverse);
    MlirValue weighted = scalar_op(body, SCALAR_MULTIPLY, dtype, scaled, x[3]);
    return scalar_op(body, SCALAR_ADD, dtype, weighted, x[4]);
}

typedef struct BatchNorm {
    Value *input, *weight, *bias, *mean, *variance;
    double eps;
    int64_t channels;
} BatchNorm;

/* One number for each channel, as a value that broadcasts along dimension 1 of the input. */
static Value *per_channel(Call *call, const BatchNorm *norm, Value *value, double otherwise)
{
    if (!value) {
        return value_constant(call->arena, stored_splat(call->arena, norm->input->type.dtype, 0,
                                                        NULL, otherwise, (int64_t)otherwise));
    }
    int64_t shape[MAX_RANK];
    int rank = norm->input->type.rank - 1;
    for (int i = 0; i < rank; i++) shape[i] = i == 0 ? norm->channels : 1;
    if (!value->stored) {
        MlirValue wide = build_reshape(call->builder, call_mlir(call, value), rank, shape);
        return value_new(call->arena, value->type.dtype, rank, shape, wide);
    }
    Stored *view = arena_copy(call->arena, value->stored, sizeof *view);
    view->type = tensor_type(value->type.dtype, rank, shape);
    for (int i = 1; i < rank; i++) view->strides[i] = 0;
    return value_constant(call->arena, view);
}

static bool all_constant(const BatchNorm *norm)
{
    return norm->mean->stored && norm->variance->stored && (!norm->weight || norm->weight->stored) &&
           (!norm->bias || norm->bias->stored);
}

static double *channel_doubles(Call *call, Value *value)
{
    return value ? stored_doubles(call->arena, value->stored) : NULL;
}

/* Scale and shift of each channel as two constants. */
static void fold(Call *call, const BatchNorm *norm, Value **scale, Value **shift)
{
    size_t channels = (size_t)norm->channels;
    Dtype dtype = dtype_compute(norm->input->type.dtype);
    Scalar scalar = dtype_info(dtype)->scalar;
    double *mean = channel_doubles(call, norm->mean);
    double *variance = channel_doubles(call, norm->variance);
    double *weight = channel_doubles(call, norm->weight);
    double *bias = channel_doubles(call, norm->bias);
    char *scales = arena_array(call->arena, channels, scalar_bytes(scalar));
    char *shifts = arena_array(call->arena, channels, scalar_bytes(scalar));
    for (size_t i = 0; i < channels; i++) {
        double factor = (weight ? weight[i] : 1) / sqrt(variance[i] + norm->eps);
        double rest = (bias ? bias[i] : 0) - mean[i] * factor;
        bits_store(scalar, scales, i, bits_from_double(scalar, factor));
        bits_store(scalar, shifts, i, bits_from_double(scalar, rest));
    }
    int64_t shape[] = {norm->channels};
    *scale = value_constant(call->arena, stored_new(call->arena, dtype, 1, shape, scales));
    *shift = value_constant(call->arena, stored_new(call->arena, dtype, 1, shape, shifts));
}

static bool check_channels(Call *call, const BatchNorm *norm, const char *name, const Value *value)
{
    if (!value || (value->type.rank == 1 && value->type.shape[0] == norm->channels)) return true;
    return call_fail(call, "%s %s does not fit %lld channels", name,
                     tensor_type_text(call->arena, &value->type), (long long)norm->channels);
}

static bool build(Call *call, BatchNorm *norm)
{
    const TensorType *type = &norm->input->type;
    if (type->rank < 2) return call_fail(call, "the input needs at least 2 dimensions");
    if (!dtype_is_float(type->dtype)) {
        return call_fail(call, "dtype %s is not supported", dtype_name(type->dtype));
    }
    norm->channels = type->shape[1];
    if (!norm->mean || !norm->variance) {
        return call_fail(call, "without running statistics is not supported");
    }
    if (!check_channels(call, norm, "weight", norm->weight) ||
        !check_channels(call, norm, "bias", norm->bias) ||
        !check_channels(call, norm, "running_mean", norm->mean) ||
        !check_channels(call, norm, "running_var", norm->variance)) {
        return false;
    }
    Value *result;
    if (all_constant(norm)) {
        Value *scale, *shift;
        fold(call, norm, &scale, &shift);
        Value *values[] = {norm->input, per_channel(call, norm, scale, 1),
                           per_channel(call, norm, shift, 0)};
        result = element_wise(call, 3, values, type->dtype, ELEMENT_WIDE, affine_body);
    } else {
        Value *values[] = {norm->input, per_channel(call, norm, norm->mean, 0),
                           per_channel(call, norm, norm->variance, 1),
                           per_channel(call, norm, norm->weight, 1),
                           per_channel(call, norm, norm->bias, 0)};
        result = element_wise(call, 5, values, type->dtype, ELEMENT_WIDE, statistics_body);
    }
    return result && call_result(call, 0, result);
}

static bool emit_batch_norm(Call *call)
{
    BatchNorm norm = {.input = call_tensor(call, "input"),
                      .weight = call_tensor(call, "weight"),
                      .bias = call_tensor(call, "bias"),
                      .mean = call_tensor(call, "running_mean"),
                      .variance = call_tensor(call, "running_var"),
                      .eps = call_float(call, "eps")};
    if (call->operation->option && call_bool(call, "training")) {
        return call_fail(call, "training mode is not supported: call model.eval() before the export");
    }
    /* The core form also returns the statistics of the batch: empty in evaluation. */
    if (call_wants(call, 1) || call_wants(call, 2)) {
        return call_fail(call, "its second and third result are not supported");
    }
    return build(call, &norm);
}

const Operation normalization_operations[] = {
    {"aten.batch_norm.default",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
     "bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
     .emit = emit_batch_norm, .ignored = "momentum cudnn_enabled", .option = 1},
    {"aten._native_batch_norm_legit_no_training.default",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, "
     "float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     .emit = emit_batch_norm, .ignored = "momentum"},
    {.name = NULL},
};
