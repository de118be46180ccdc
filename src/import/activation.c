/* Activation functions: elementwise formulas of one input. They follow PyTorch's own kernels, in
 * float32 for 16-bit floats. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/quantized.h"
#include "import/shape.h"

/* Every formula has this form; the macro keeps the table of them readable. */
#define BODY(name)                                                                                 \
    static MlirValue name(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs)

#define FORMULA                                                                                    \
    Formula f = {body, dtype};                                                                     \
    MlirValue x = inputs[0];                                                                       \
    (void)call

enum { SMOOTH = ELEMENT_FLOAT | ELEMENT_WIDE, REAL = ELEMENT_REAL | ELEMENT_WIDE };

/* x unless it is ordered and not above 0: NaN stays. */
BODY(relu) {
    FORMULA;
    MlirValue zero = scalar_number(body, dtype, number_of_integer(0));
    return choose(f, compare(f, ORDER_GREATER_UNORDERED, x, zero), x, zero);
}

BODY(relu6) {
    FORMULA;
    return clamped(f, x, real(f, 0), real(f, 6));
}

BODY(hardtanh) {
    FORMULA;
    return clamped(f, x, number_argument(f, call, "min_val"), number_argument(f, call, "max_val"));
}

BODY(hardsigmoid) {
    FORMULA;
    MlirValue inner = clamped(f, plus(f, x, real(f, 3)), real(f, 0), real(f, 6));
    return over(f, inner, real(f, 6));
}

BODY(hardswish) {
    FORMULA;
    MlirValue inner = clamped(f, plus(f, x, real(f, 3)), real(f, 0), real(f, 6));
    return over(f, times(f, x, inner), real(f, 6));
}

BODY(sigmoid) {
    FORMULA;
    return logistic(f, x);
}

/* x / (1 + exp(-x)), with exp(-|x|) as in the logistic function. */
BODY(silu) {
    FORMULA;
    MlirValue power = math(f, "math.exp", negative(f, absolute(f, x)));
    MlirValue below = compare(f, ORDER_LESS, x, real(f, 0));
    return over(f, choose(f, below, times(f, x, power), x), plus(f, real(f, 1), power));
}

/* min(x, 0) - log1p(exp(-|x|)) */
BODY(log_sigmoid) {
    FORMULA;
    MlirValue power = math(f, "math.exp", negative(f, absolute(f, x)));
    return minus(f, lowest(f, x, real(f, 0)), math(f, "math.log1p", power));
}

BODY(leaky_relu) {
    FORMULA;
    MlirValue scaled = times(f, x, number_argument(f, call, "negative_slope"));
    return choose(f, compare(f, ORDER_GREATER, x, real(f, 0)), x, scaled);
}

BODY(elu) {
    FORMULA;
    double alpha = call_number(call, "alpha").real, scale = call_number(call, "scale").real;
    MlirValue inner = times(f, x, number_argument(f, call, "input_scale"));
    MlirValue below = times(f, math(f, "math.expm1", inner), real(f, alpha * scale));
    MlirValue above = times(f, x, real(f, scale));
    return choose(f, compare(f, ORDER_LESS_EQUAL, x, real(f, 0)), below, above);
}

BODY(selu) {
    FORMULA;
    const double alpha = 1.6732632423543772848170429916717,
                 scale = 1.0507009873554804934193349852946;
    MlirValue below = times(f, math(f, "math.expm1", x), real(f, alpha * scale));
    MlirValue above = times(f, x, real(f, scale));
    return choose(f, compare(f, ORDER_LESS_EQUAL, x, real(f, 0)), below, above);
}

BODY(celu) {
    FORMULA;
    double alpha = call_number(call, "alpha").real;
    MlirValue inner = times(f, x, real(f, 1 / alpha));
    MlirValue below = times(f, math(f, "math.expm1", inner), real(f, alpha));
    return choose(f, compare(f, ORDER_LESS_EQUAL, x, real(f, 0)), below, x);
}

static MlirValue softplus_of(Formula f, MlirValue x) {
    return math(f, "math.log1p", math(f, "math.exp", x));
}

BODY(softplus) {
    FORMULA;
    MlirValue beta = number_argument(f, call, "beta");
    MlirValue scaled = times(f, x, beta);
    MlirValue linear = compare(f, ORDER_GREATER, scaled, number_argument(f, call, "threshold"));
    return choose(f, linear, x, over(f, softplus_of(f, scaled), beta));
}

BODY(mish) {
    FORMULA;
    return times(f, x, math(f, "math.tanh", softplus_of(f, x)));
}

/* 0.5 x (1 + erf(x / sqrt(2))), or its approximation by tanh. */
BODY(gelu) {
    FORMULA;
    MlirValue half = times(f, x, real(f, 0.5)), inner;
    if (strcmp(call_string(call, "approximate"), "tanh") == 0) {
        MlirValue cube = times(f, times(f, x, x), x);
        MlirValue sum = plus(f, x, times(f, cube, real(f, 0.044715)));
        inner = math(f, "math.tanh", times(f, sum, real(f, 0.79788456080286535588)));
    } else {
        inner = math(f, "math.erf", times(f, x, real(f, 0.70710678118654752440)));
    }
    return times(f, half, plus(f, inner, real(f, 1)));
}

BODY(softshrink) {
    FORMULA;
    MlirValue edge = number_argument(f, call, "lambd"), zero = real(f, 0);
    MlirValue below =
        choose(f, compare(f, ORDER_LESS, x, negative(f, edge)), plus(f, x, edge), zero);
    /* NaN stays: x * 0 is NaN then. */
    below = choose(f, compare(f, ORDER_EQUAL, x, x), below, x);
    return choose(f, compare(f, ORDER_GREATER, x, edge), minus(f, x, edge), below);
}

/* PyTorch rounds this edge, unlike others, to the type of the tensor. */
BODY(hardshrink) {
    FORMULA;
    Scalar type = dtype_info(call_tensor(call, "self")->type.dtype)->scalar;
    double number = call_number(call, "lambd").real;
    MlirValue edge = real(f, bits_to_double(type, bits_from_double(type, number)));
    MlirValue small = scalar_op(body, SCALAR_AND, DTYPE_BOOL,
                                compare(f, ORDER_GREATER_EQUAL, x, negative(f, edge)),
                                compare(f, ORDER_LESS_EQUAL, x, edge));
    return choose(f, small, real(f, 0), x);
}

BODY(threshold) {
    FORMULA;
    MlirValue low = compare(f, ORDER_LESS_EQUAL, x, number_argument(f, call, "threshold"));
    return choose(f, low, number_argument(f, call, "value"), x);
}

static MlirValue prelu(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs) {
    FORMULA;
    MlirValue scaled = times(f, x, inputs[1]);
    return choose(f, compare(f, ORDER_GREATER, x, real(f, 0)), x, scaled);
}

/* The weight has one element, or one for each channel: dimension 1. */
static bool emit_prelu(Call *call) {
    Value *self = call_tensor(call, "self"), *weight = call_tensor(call, "weight");
    int64_t count = tensor_type_elements(&weight->type), shape[MAX_RANK];
    int rank = self->type.rank > 1 ? self->type.rank - 1 : 1;
    for (int i = 0; i < rank; i++) shape[i] = i == 0 ? count : 1;
    if (count != 1 && (self->type.rank < 2 || self->type.shape[1] != count)) {
        return call_fail(call, "%lld weights do not fit the channels", (long long)count);
    }
    Value *values[] = {self, value_reshape(call, weight, rank, shape)};
    Value *result = element_wise(call, 2, values, self->type.dtype, REAL, prelu);
    return result && call_result(call, 0, result);
}

BODY(gated) {
    FORMULA;
    return times(f, x, logistic(f, inputs[1]));
}

/* The first half along a dimension, times the sigmoid of the second. */
static bool emit_glu(Call *call) {
    Value *self = call_tensor(call, "self");
    int dim = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor is not supported");
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    int64_t size = self->type.shape[dim];
    if (size % 2 != 0) return call_fail(call, "the size %lld is odd", (long long)size);
    Value *halves[] = {value_slice(call, self, dim, 0, size / 2, 1),
                       value_slice(call, self, dim, size / 2, size / 2, 1)};
    Value *result = element_wise(call, 2, halves, self->type.dtype, REAL, gated);
    return result && call_result(call, 0, result);
}

/* A formula with known names of a text argument. */
static bool emit_gelu(Call *call) {
    const char *approximate = call_string(call, "approximate");
    if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0) {
        return call_fail(call, "approximate must be 'none' or 'tanh'");
    }
    return emit_elementwise(call);
}

/* Rows that differ in little. */
// clang-format off
#define ACTIVATION(name, parameters, formula, options)                                             \
    {"aten." name ".default", "(Tensor self" parameters ") -> Tensor",                             \
     .emit = emit_elementwise, .body = formula, .option = options}

#define CLAMP(name, parameters, formula)                                                           \
    {"aten." name ".default", "(Tensor self" parameters ") -> Tensor",                             \
     .emit = emit_elementwise, .body = formula, .integers = integers_clamp}
// clang-format on

const Operation activation_operations[] = {
    CLAMP("relu", "", relu),
    CLAMP("relu6", "", relu6),
    CLAMP("hardtanh", ", Scalar min_val=-1, Scalar max_val=1", hardtanh),
    ACTIVATION("hardsigmoid", "", hardsigmoid, REAL),
    ACTIVATION("hardswish", "", hardswish, REAL),
    ACTIVATION("sigmoid", "", sigmoid, SMOOTH),
    ACTIVATION("silu", "", silu, REAL),
    ACTIVATION("log_sigmoid", "", log_sigmoid, REAL),
    ACTIVATION("leaky_relu", ", Scalar negative_slope=0.01", leaky_relu, REAL),
    ACTIVATION("elu", ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1", elu, REAL),
    ACTIVATION("selu", "", selu, REAL),
    ACTIVATION("celu", ", Scalar alpha=1.0", celu, REAL),
    ACTIVATION("softplus", ", Scalar beta=1, Scalar threshold=20", softplus, REAL),
    ACTIVATION("softshrink", ", Scalar lambd=0.5", softshrink, REAL),
    ACTIVATION("hardshrink", ", Scalar lambd=0.5", hardshrink, REAL),
    ACTIVATION("mish", "", mish, REAL),
    ACTIVATION("threshold", ", Scalar threshold, Scalar value", threshold, ELEMENT_WIDE),
    {"aten.gelu.default", "(Tensor self, *, str approximate='none') -> Tensor", .emit = emit_gelu,
     .body = gelu, .option = REAL},
    {"aten.glu.default", "(Tensor self, int dim=-1) -> Tensor", .emit = emit_glu},
    {"aten.prelu.default", "(Tensor self, Tensor weight) -> Tensor", .emit = emit_prelu},
    {"aten._prelu_kernel.default", "(Tensor self, Tensor weight) -> Tensor",
     .emit = emit_elementwise, .body = prelu, .option = REAL},
    {.name = NULL},
};
