/* Normalizations: batch_norm in evaluation mode, and those over parts of the input itself.
 *
 * Of a batch_norm PyTorch computes (x - mean) * (1 / sqrt(var + eps)) * weight + bias. With
 * constant statistics, the usual case, that is x * scale + shift with scale = weight / sqrt(var +
 * eps) and shift = bias - mean * scale for each channel, which are computed here in double and
 * rounded once: two operations for each element in place of four, and closer to the exact value. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/reduce.h"
#include "import/shape.h"

static MlirValue affine_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    (void)call;
    MlirValue product = scalar_op(body, SCALAR_MULTIPLY, dtype, x[0], x[1]);
    return scalar_op(body, SCALAR_ADD, dtype, product, x[2]);
}

/* (x - mean) * (1 / sqrt(var + eps)) [* weight [+ bias]], for x, mean, var, weight, bias. */
static MlirValue statistics_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
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
static Value *per_channel(Call *call, const BatchNorm *norm, Value *value, double otherwise) {
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

static bool all_constant(const BatchNorm *norm) {
    return norm->mean->stored && norm->variance->stored &&
           (!norm->weight || norm->weight->stored) && (!norm->bias || norm->bias->stored);
}

static double *channel_doubles(Call *call, Value *value) {
    return value ? stored_doubles(call->arena, value->stored) : NULL;
}

/* Scale and shift of each channel as two constants. */
static void fold(Call *call, const BatchNorm *norm, Value **scale, Value **shift) {
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

static bool check_channels(Call *call, const BatchNorm *norm, const char *name,
                           const Value *value) {
    if (!value || (value->type.rank == 1 && value->type.shape[0] == norm->channels)) return true;
    return call_fail(call, "%s %s does not fit %lld channels", name,
                     tensor_type_text(call->arena, &value->type), (long long)norm->channels);
}

static bool build(Call *call, BatchNorm *norm) {
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

static bool emit_batch_norm(Call *call) {
    BatchNorm norm = {.input = call_tensor(call, "input"),
                      .weight = call_tensor(call, "weight"),
                      .bias = call_tensor(call, "bias"),
                      .mean = call_tensor(call, "running_mean"),
                      .variance = call_tensor(call, "running_var"),
                      .eps = call_float(call, "eps")};
    if (call->operation->option && call_bool(call, "training")) {
        return call_fail(call,
                         "training mode is not supported: call model.eval() before the export");
    }
    /* The core form also returns the statistics of the batch: empty in evaluation. */
    if (call_wants(call, 1) || call_wants(call, 2)) {
        return call_fail(call, "its second and third result are not supported");
    }
    return build(call, &norm);
}

/* --- statistics of the input itself -------------------------------------------------------- */

static MlirValue inverse_root(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    MlirValue root = math(f, "math.sqrt", plus(f, x[0], real(f, call_float(call, "eps"))));
    return over(f, real(f, 1), root);
}

/* (x - mean) * rstd */
static MlirValue standardized(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return times(f, minus(f, x[0], x[1]), x[2]);
}

static MlirValue product(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return times(f, x[0], x[1]);
}

typedef struct Standardized {
    Value *value, *mean, *rstd;
} Standardized;

/* Over the flagged dimensions; 16-bit floats are computed in float32. */
static Standardized standardize(Call *call, Value *input, const bool *flags) {
    Dtype dtype = dtype_compute(input->type.dtype);
    Value *wide = call_cast(call, input, dtype);
    Standardized result = {.mean = value_mean(call, wide, flags, true)};
    Value *variance = value_variance(call, wide, flags, true, 0);
    result.rstd = element_wise(call, 1, &variance, dtype, 0, inverse_root);
    Value *values[] = {wide, result.mean, result.rstd};
    result.value = element_wise(call, 3, values, dtype, 0, standardized);
    return result;
}

/* value * weight + bias, each of which may be missing, in the dtype of the result. */
static Value *weigh(Call *call, Value *value, Value *weight, Value *bias, Dtype dtype) {
    Value *with_both[] = {value, weight, bias}, *with_one[] = {value, weight};
    Value *one = value_of_number(call->arena, number_of_integer(1));
    Dtype wide = value->type.dtype;
    if (bias && !weight) with_both[1] = one;
    if (bias) value = element_wise(call, 3, with_both, wide, 0, affine_body);
    if (!bias && weight) value = element_wise(call, 2, with_one, wide, 0, product);
    return value ? call_cast(call, value, dtype) : NULL;
}

/* The last dimensions, which must be those of normalized_shape. */
static bool read_normalized(Call *call, const TensorType *type, bool *flags) {
    int count;
    const int64_t *shape = call_integers(call, "normalized_shape", &count);
    bool fits = count >= 1 && count <= type->rank;
    for (int i = 0; fits && i < count; i++) {
        flags[type->rank - count + i] = true;
        fits = type->shape[type->rank - count + i] == shape[i];
    }
    return fits ||
           call_fail(call, "normalized_shape %s does not fit %s",
                     shape_text(call->arena, count, shape), tensor_type_text(call->arena, type));
}

static bool emit_layer_norm(Call *call) {
    Value *input = call_tensor(call, "input");
    Value *weight = call_tensor(call, "weight"), *bias = call_tensor(call, "bias");
    Dtype dtype = input->type.dtype;
    bool flags[MAX_RANK] = {false};
    if (!dtype_is_float(dtype))
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    if (!read_normalized(call, &input->type, flags)) return false;
    Standardized parts = standardize(call, input, flags);
    Value *result = weigh(call, parts.value, weight, bias, dtype);
    if (!result || !call_result(call, 0, result)) return false;
    if (!call->operation->option) return true;
    return call_result(call, 1, parts.mean) && call_result(call, 2, parts.rstd);
}

/* One number for each channel of a tensor of this rank: [channels, 1, 1 ...]. */
static Value *along_channels(Call *call, Value *value, int rank) {
    if (!value) return NULL;
    int64_t shape[MAX_RANK];
    for (int i = 0; i + 1 < rank; i++) shape[i] = i == 0 ? value->type.shape[0] : 1;
    return value_reshape(call, value, rank - 1, shape);
}

static bool check_vector(Call *call, const char *name, const Value *value, int64_t channels) {
    if (!value || (value->type.rank == 1 && value->type.shape[0] == channels)) return true;
    return call_fail(call, "%s does not fit %lld channels", name, (long long)channels);
}

/* [batch, channels, ...] over each group of channels of each batch. */
static bool normalize_groups(Call *call, Value *input, int64_t groups) {
    Value *weight = call_tensor(call, "weight"), *bias = call_tensor(call, "bias");
    const TensorType *type = &input->type;
    int64_t channels = type->rank < 2 ? 0 : type->shape[1];
    bool flags[MAX_RANK] = {false, false, true};
    if (!dtype_is_float(type->dtype) || channels == 0) {
        return call_fail(call, "%s is not supported", tensor_type_text(call->arena, type));
    }
    if (groups < 1 || channels % groups != 0) {
        return call_fail(call, "%lld groups do not fit %lld channels", (long long)groups,
                         (long long)channels);
    }
    if (!check_vector(call, "weight", weight, channels)) return false;
    if (!check_vector(call, "bias", bias, channels)) return false;
    int64_t rest = tensor_type_elements(type) / (type->shape[0] * groups);
    int64_t split[] = {type->shape[0], groups, rest};
    Standardized parts = standardize(call, value_reshape(call, input, 3, split), flags);
    Value *value = value_reshape(call, parts.value, type->rank, type->shape);
    Value *result = weigh(call, value, along_channels(call, weight, type->rank),
                          along_channels(call, bias, type->rank), type->dtype);
    if (!result || !call_result(call, 0, result)) return false;
    if (!call->operation->option) return true;
    return call_result(call, 1, value_reshape(call, parts.mean, 2, split)) &&
           call_result(call, 2, value_reshape(call, parts.rstd, 2, split));
}

static bool emit_group_norm(Call *call) {
    const char *name = call->operation->option ? "group" : "num_groups";
    return normalize_groups(call, call_tensor(call, "input"), call_integer(call, name));
}

static bool emit_instance_norm(Call *call) {
    Value *input = call_tensor(call, "input");
    if (!call_bool(call, "use_input_stats")) {
        return call_fail(call, "running statistics are not supported");
    }
    if (input->type.rank < 2) return call_fail(call, "the input needs at least 2 dimensions");
    return normalize_groups(call, input, input->type.shape[1]);
}

/* Each channel over the whole batch, as in training; the statistics are results. */
static bool emit_batch_statistics(Call *call) {
    Value *input = call_tensor(call, "input");
    Value *weight = call_tensor(call, "weight"), *bias = call_tensor(call, "bias");
    const TensorType *type = &input->type;
    bool flags[MAX_RANK];
    if (!call_bool(call, "training")) {
        return call_fail(call, "without training it needs statistics");
    }
    if (type->rank < 2 || !dtype_is_float(type->dtype)) {
        return call_fail(call, "%s is not supported", tensor_type_text(call->arena, type));
    }
    int64_t channels[] = {type->shape[1]};
    if (!check_vector(call, "weight", weight, channels[0])) return false;
    if (!check_vector(call, "bias", bias, channels[0])) return false;
    for (int i = 0; i < type->rank; i++) flags[i] = i != 1;
    Standardized parts = standardize(call, input, flags);
    Value *result = weigh(call, parts.value, along_channels(call, weight, type->rank),
                          along_channels(call, bias, type->rank), type->dtype);
    return result && call_result(call, 0, result) &&
           call_result(call, 1, value_reshape(call, parts.mean, 1, channels)) &&
           call_result(call, 2, value_reshape(call, parts.rstd, 1, channels));
}

static MlirValue square(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return times(f, x[0], x[0]);
}

/* x / sqrt(mean(x * x) + eps); eps is the smallest step of the type where it is not given. */
static MlirValue inverse_root_mean(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    double eps = dtype == DTYPE_FLOAT64 ? 0x1p-52 : 0x1p-23;
    if (call_has(call, "eps")) eps = call_float(call, "eps");
    return over(f, real(f, 1), math(f, "math.sqrt", plus(f, x[0], real(f, eps))));
}

static bool emit_rms_norm(Call *call) {
    Value *input = call_tensor(call, "input"), *weight = call_tensor(call, "weight");
    Dtype dtype = input->type.dtype, wide = dtype_compute(dtype);
    bool flags[MAX_RANK] = {false};
    if (!dtype_is_float(dtype))
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    if (!read_normalized(call, &input->type, flags)) return false;
    input = call_cast(call, input, wide);
    Value *squares = element_wise(call, 1, &input, wide, 0, square);
    Value *mean = value_mean(call, squares, flags, true);
    Value *factor = element_wise(call, 1, &mean, wide, 0, inverse_root_mean);
    Value *values[] = {input, factor};
    Value *result = element_wise(call, 2, values, wide, 0, product);
    result = weigh(call, result, weight, NULL, dtype);
    return result && call_result(call, 0, result);
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
    {"aten._native_batch_norm_legit.no_stats",
     "(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) "
     "-> (Tensor, Tensor, Tensor)",
     .emit = emit_batch_statistics, .ignored = "momentum"},
    {"aten.layer_norm.default",
     "(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
     "float eps=1e-05, bool cudnn_enable=True) -> Tensor",
     .emit = emit_layer_norm, .ignored = "cudnn_enable"},
    {"aten.native_layer_norm.default",
     "(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) "
     "-> (Tensor, Tensor, Tensor)",
     .emit = emit_layer_norm, .option = 1},
    {"aten.group_norm.default",
     "(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
     "bool cudnn_enabled=True) -> Tensor",
     .emit = emit_group_norm, .ignored = "cudnn_enabled"},
    {"aten.native_group_norm.default",
     "(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, "
     "float eps) -> (Tensor, Tensor, Tensor)",
     .emit = emit_group_norm, .ignored = "N C HxW", .option = 1},
    {"aten.instance_norm.default",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
     "bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
     .emit = emit_instance_norm, .ignored = "running_mean running_var momentum cudnn_enabled"},
    {"aten.rms_norm.default",
     "(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
     .emit = emit_rms_norm},
    {.name = NULL},
};
