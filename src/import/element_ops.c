/* Elementwise arithmetic, comparisons, logic, bits and conversions: a formula and rows for each.
 * Formulas follow PyTorch's own kernels. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/quantized.h"

#define BODY(name)                                                                                 \
    static MlirValue name(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs)

#define FORMULA                                                                                    \
    Formula f = {body, dtype};                                                                     \
    MlirValue x = inputs[0];                                                                       \
    (void)call

/* --- one input ----------------------------------------------------------------------------- */

/* Formulas that are one operation of the math dialect. */
#define MATH(name, operation)                                                                      \
    BODY(name) {                                                                                   \
        FORMULA;                                                                                   \
        return math(f, "math." operation, x);                                                      \
    }

MATH(exp_body, "exp")
MATH(exp2_body, "exp2")
MATH(expm1_body, "expm1")
MATH(log_body, "log")
MATH(log2_body, "log2")
MATH(log10_body, "log10")
MATH(log1p_body, "log1p")
MATH(sqrt_body, "sqrt")
MATH(rsqrt_body, "rsqrt")
MATH(sin_body, "sin")
MATH(cos_body, "cos")
MATH(tan_body, "tan")
MATH(asin_body, "asin")
MATH(acos_body, "acos")
MATH(atan_body, "atan")
MATH(sinh_body, "sinh")
MATH(cosh_body, "cosh")
MATH(tanh_body, "tanh")
MATH(asinh_body, "asinh")
MATH(acosh_body, "acosh")
MATH(atanh_body, "atanh")
MATH(erf_body, "erf")

/* Roundings leave integers as they are. */
#define ROUNDING(name, operation)                                                                  \
    BODY(name) {                                                                                   \
        FORMULA;                                                                                   \
        return dtype_is_float(dtype) ? math(f, "math." operation, x) : x;                          \
    }

ROUNDING(ceil_body, "ceil")
ROUNDING(floor_body, "floor")
ROUNDING(trunc_body, "trunc")
ROUNDING(round_body, "roundeven")

BODY(abs_body) {
    FORMULA;
    return absolute(f, x);
}

BODY(neg_body) {
    FORMULA;
    return negative(f, x);
}

BODY(square_body) {
    FORMULA;
    return times(f, x, x);
}

BODY(reciprocal_body) {
    FORMULA;
    return over(f, real(f, 1), x);
}

/* (0 < x) - (x < 0): 0 for NaN. */
BODY(sign_body) {
    FORMULA;
    MlirValue zero = scalar_number(body, dtype, number_of_integer(0));
    if (dtype_is_unsigned(dtype)) {
        return scalar_cast(body, compare(f, ORDER_UNEQUAL, x, zero), DTYPE_BOOL, dtype);
    }
    MlirValue one = scalar_number(body, dtype, number_of_integer(1));
    MlirValue minus_one = scalar_number(body, dtype, number_of_integer(-1));
    MlirValue rest = choose(f, compare(f, ORDER_LESS, x, zero), minus_one, zero);
    return choose(f, compare(f, ORDER_GREATER, x, zero), one, rest);
}

BODY(frac_body) {
    FORMULA;
    return minus(f, x, math(f, "math.trunc", x));
}

BODY(erfc_body) {
    FORMULA;
    return minus(f, real(f, 1), math(f, "math.erf", x));
}

BODY(isnan_body) {
    FORMULA;
    return compare(f, ORDER_UNEQUAL, x, x);
}

BODY(isinf_body) {
    FORMULA;
    if (!dtype_is_float(dtype)) return scalar_number(body, DTYPE_BOOL, number_of_integer(0));
    return compare(f, ORDER_EQUAL, absolute(f, x), real(f, INFINITY));
}

BODY(isfinite_body) {
    FORMULA;
    if (!dtype_is_float(dtype)) return scalar_number(body, DTYPE_BOOL, number_of_integer(1));
    return compare(f, ORDER_LESS, absolute(f, x), real(f, INFINITY));
}

BODY(isposinf_body) {
    FORMULA;
    if (!dtype_is_float(dtype)) return scalar_number(body, DTYPE_BOOL, number_of_integer(0));
    return compare(f, ORDER_EQUAL, x, real(f, INFINITY));
}

BODY(isneginf_body) {
    FORMULA;
    if (!dtype_is_float(dtype)) return scalar_number(body, DTYPE_BOOL, number_of_integer(0));
    return compare(f, ORDER_EQUAL, x, real(f, -INFINITY));
}

BODY(deg2rad_body) {
    FORMULA;
    return times(f, x, real(f, 0.017453292519943295));
}

BODY(rad2deg_body) {
    FORMULA;
    return times(f, x, real(f, 57.29577951308232));
}

/* sin(pi x) / (pi x), 1 at 0. */
BODY(sinc_body) {
    FORMULA;
    MlirValue angle = times(f, x, real(f, 3.141592653589793));
    MlirValue quotient = over(f, math(f, "math.sin", angle), angle);
    return choose(f, compare(f, ORDER_EQUAL, x, real(f, 0)), real(f, 1), quotient);
}

/* log(x / (1 - x)), of x kept eps away from 0 and 1. */
BODY(logit_body) {
    FORMULA;
    if (call_has(call, "eps")) {
        double eps = call_float(call, "eps");
        x = clamped(f, x, real(f, eps), real(f, 1 - eps));
    }
    return math(f, "math.log", over(f, x, minus(f, real(f, 1), x)));
}

/* NaN and infinities become numbers; those that are not given are 0 and the type's extremes. */
BODY(nan_to_num_body) {
    FORMULA;
    static const char *const names[] = {"nan", "posinf", "neginf"};
    Scalar scalar = dtype_info(dtype)->scalar;
    if (!dtype_is_float(dtype)) return x;
    /* The largest number is one unit below infinity. */
    double most = bits_to_double(scalar, bits_from_double(scalar, INFINITY) - 1);
    double numbers[] = {0, most, -most};
    for (int i = 0; i < 3; i++)
        if (call_has(call, names[i])) numbers[i] = call_float(call, names[i]);
    MlirValue y = choose(f, compare(f, ORDER_UNEQUAL, x, x), real(f, numbers[0]), x);
    y = choose(f, compare(f, ORDER_EQUAL, x, real(f, INFINITY)), real(f, numbers[1]), y);
    return choose(f, compare(f, ORDER_EQUAL, x, real(f, -INFINITY)), real(f, numbers[2]), y);
}

BODY(logical_not_body) {
    FORMULA;
    return scalar_op(body, SCALAR_XOR, f.dtype, x,
                     scalar_number(body, DTYPE_BOOL, number_of_integer(1)));
}

BODY(bitwise_not_body) {
    FORMULA;
    if (dtype_is_float(dtype)) return (MlirValue){NULL};
    int64_t ones = dtype == DTYPE_BOOL ? 1 : -1;
    return scalar_op(body, SCALAR_XOR, f.dtype, x,
                     scalar_number(body, dtype, number_of_integer(ones)));
}

/* --- arithmetic on two --------------------------------------------------------------------- */

/* a + alpha * b or a - alpha * b; a product by an alpha is computed as one step, in float32 for
 * 16-bit floats. */
static MlirValue scaled(Call *call, Formula f, ScalarOp op, MlirValue a, MlirValue b) {
    Number alpha = call_number(call, "alpha");
    if (alpha.real == 1) return scalar_op(f.body, op, f.dtype, a, b);
    Formula wide = {f.body, dtype_compute(f.dtype)};
    a = scalar_cast(f.body, a, f.dtype, wide.dtype);
    b = scalar_cast(f.body, b, f.dtype, wide.dtype);
    MlirValue product = times(wide, b, number_argument(wide, call, "alpha"));
    MlirValue result = scalar_op(f.body, op, wide.dtype, a, product);
    return mlirValueIsNull(result) ? result : scalar_cast(f.body, result, wide.dtype, f.dtype);
}

BODY(add_body) {
    FORMULA;
    return scaled(call, f, SCALAR_ADD, x, inputs[1]);
}

BODY(sub_body) {
    FORMULA;
    return scaled(call, f, SCALAR_SUBTRACT, x, inputs[1]);
}

BODY(rsub_body) {
    FORMULA;
    return scaled(call, f, SCALAR_SUBTRACT, inputs[1], x);
}

BODY(mul_body) {
    FORMULA;
    return times(f, x, inputs[1]);
}

BODY(div_body) {
    FORMULA;
    return over(f, x, inputs[1]);
}

/* The quotient towards minus infinity, and the remainder with the divisor's sign. */
static MlirValue signs_differ(Formula f, MlirValue rest, MlirValue divisor) {
    MlirValue zero = scalar_number(f.body, f.dtype, number_of_integer(0));
    MlirValue inexact = compare(f, ORDER_UNEQUAL, rest, zero);
    MlirValue differ = scalar_op(f.body, SCALAR_XOR, DTYPE_BOOL, compare(f, ORDER_LESS, rest, zero),
                                 compare(f, ORDER_LESS, divisor, zero));
    return scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, inexact, differ);
}

static MlirValue floor_integers(Formula f, MlirValue x, MlirValue y) {
    MlirValue quotient = over(f, x, y);
    if (dtype_is_unsigned(f.dtype) || mlirValueIsNull(quotient)) return quotient;
    MlirValue rest = scalar_op(f.body, SCALAR_REMAINDER, f.dtype, x, y);
    MlirValue lower = minus(f, quotient, scalar_number(f.body, f.dtype, number_of_integer(1)));
    return choose(f, signs_differ(f, rest, y), lower, quotient);
}

/* As PyTorch: from the exact remainder, so that (x - rest) / y is near an integer. */
static MlirValue floor_floats(Formula f, MlirValue x, MlirValue y) {
    MlirValue zero = real(f, 0), one = real(f, 1);
    MlirValue rest = scalar_op(f.body, SCALAR_REMAINDER, f.dtype, x, y);
    MlirValue quotient = over(f, minus(f, x, rest), y);
    quotient = choose(f, signs_differ(f, rest, y), minus(f, quotient, one), quotient);
    MlirValue rounded = math(f, "math.floor", quotient);
    MlirValue low = compare(f, ORDER_GREATER, minus(f, quotient, rounded), real(f, 0.5));
    rounded = choose(f, low, plus(f, rounded, one), rounded);
    MlirValue plain = over(f, x, y);
    /* A quotient of 0 is a plain one between -1 and 1: it keeps its sign. */
    MlirValue signed_zero = math(f, "math.trunc", plain);
    MlirValue result = choose(f, compare(f, ORDER_EQUAL, quotient, zero), signed_zero, rounded);
    return choose(f, compare(f, ORDER_EQUAL, y, zero), plain, result);
}

BODY(floor_divide_body) {
    FORMULA;
    return dtype_is_float(dtype) ? floor_floats(f, x, inputs[1]) : floor_integers(f, x, inputs[1]);
}

BODY(div_mode_body) {
    FORMULA;
    const char *mode = call_string(call, "rounding_mode");
    if (!mode) return over(f, x, inputs[1]);
    if (strcmp(mode, "floor") == 0) return floor_divide_body(call, body, dtype, inputs);
    MlirValue quotient = over(f, x, inputs[1]);
    return dtype_is_float(dtype) ? math(f, "math.trunc", quotient) : quotient;
}

BODY(fmod_body) {
    FORMULA;
    return scalar_op(body, SCALAR_REMAINDER, f.dtype, x, inputs[1]);
}

BODY(remainder_body) {
    FORMULA;
    MlirValue rest = scalar_op(body, SCALAR_REMAINDER, dtype, x, inputs[1]);
    if (dtype_is_unsigned(dtype) || mlirValueIsNull(rest)) return rest;
    return choose(f, signs_differ(f, rest, inputs[1]), plus(f, rest, inputs[1]), rest);
}

BODY(maximum_body) {
    FORMULA;
    return highest(f, x, inputs[1]);
}

BODY(minimum_body) {
    FORMULA;
    return lowest(f, x, inputs[1]);
}

BODY(atan2_body) {
    FORMULA;
    return build2(f.body, "math.atan2", mlirValueGetType(x), x, inputs[1]);
}

BODY(copysign_body) {
    FORMULA;
    return build2(f.body, "math.copysign", mlirValueGetType(x), x, inputs[1]);
}

BODY(lerp_body) {
    FORMULA;
    MlirValue weight = call->schema.parameters[2].type == PARAMETER_TENSOR
                           ? inputs[2]
                           : number_argument(f, call, "weight");
    MlirValue step = minus(f, inputs[1], x);
    MlirValue from_start = plus(f, x, times(f, weight, step));
    MlirValue from_end = minus(f, inputs[1], times(f, step, minus(f, real(f, 1), weight)));
    return choose(f, compare(f, ORDER_LESS, absolute(f, weight), real(f, 0.5)), from_start,
                  from_end);
}

BODY(addcmul_body) {
    FORMULA;
    MlirValue value = number_argument(f, call, "value");
    bool plain = call_number(call, "value").real == 1;
    MlirValue product = times(f, plain ? inputs[1] : times(f, value, inputs[1]), inputs[2]);
    return plus(f, x, product);
}

BODY(addcdiv_body) {
    FORMULA;
    MlirValue value = number_argument(f, call, "value");
    bool plain = call_number(call, "value").real == 1;
    MlirValue quotient = over(f, plain ? inputs[1] : times(f, value, inputs[1]), inputs[2]);
    return plus(f, x, quotient);
}

/* --- powers -------------------------------------------------------------------------------- */

static MlirValue integer_power(Formula f, MlirValue x, int64_t exponent) {
    MlirValue result = scalar_number(f.body, f.dtype, number_of_integer(1));
    for (bool first = true; exponent > 0; exponent >>= 1, x = times(f, x, x)) {
        if (exponent & 1) result = first ? x : times(f, result, x);
        if (exponent & 1) first = false;
    }
    return result;
}

/* Small powers as PyTorch computes them; all others by pow. */
BODY(pow_scalar_body) {
    FORMULA;
    Number exponent = call_number(call, "exponent");
    double e = exponent.real;
    if (!dtype_is_float(dtype)) {
        if (exponent.kind == NUMBER_FLOAT || exponent.integer < 0) return (MlirValue){NULL};
        return integer_power(f, x, exponent.integer);
    }
    if (e == 0) return real(f, 1);
    if (e == 1) return x;
    if (e == 0.5) return math(f, "math.sqrt", x);
    if (e == 2) return times(f, x, x);
    if (e == 3) return times(f, times(f, x, x), x);
    if (e == -0.5) return math(f, "math.rsqrt", x);
    if (e == -1) return over(f, real(f, 1), x);
    if (e == -2) return over(f, real(f, 1), times(f, x, x));
    return build2(body, "math.powf", mlirValueGetType(x), x, real(f, e));
}

BODY(pow_body) {
    FORMULA;
    if (!dtype_is_float(f.dtype)) return (MlirValue){NULL};
    return build2(body, "math.powf", mlirValueGetType(x), x, inputs[1]);
}

/* --- comparisons, logic, bits -------------------------------------------------------------- */

#define COMPARISON(name, order)                                                                    \
    BODY(name) {                                                                                   \
        FORMULA;                                                                                   \
        return compare(f, order, x, inputs[1]);                                                    \
    }

COMPARISON(eq_body, ORDER_EQUAL)
COMPARISON(ne_body, ORDER_UNEQUAL)
COMPARISON(lt_body, ORDER_LESS)
COMPARISON(le_body, ORDER_LESS_EQUAL)
COMPARISON(gt_body, ORDER_GREATER)
COMPARISON(ge_body, ORDER_GREATER_EQUAL)

#define BITS(name, operation)                                                                      \
    BODY(name) {                                                                                   \
        FORMULA;                                                                                   \
        return scalar_op(body, operation, f.dtype, x, inputs[1]);                                  \
    }

BITS(and_body, SCALAR_AND)
BITS(or_body, SCALAR_OR)
BITS(xor_body, SCALAR_XOR)

/* Shifts by the width and more: 0, or the sign. PyTorch treats negative numbers as such too. */
static MlirValue in_range(Formula f, MlirValue count) {
    MlirValue zero = scalar_number(f.body, f.dtype, number_of_integer(0));
    int width = dtype_info(f.dtype)->scalar.width;
    MlirValue bound = scalar_number(f.body, f.dtype, number_of_integer(width));
    MlirValue below = compare(f, ORDER_LESS, count, bound);
    if (dtype_is_unsigned(f.dtype)) return below;
    return scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, below,
                     compare(f, ORDER_GREATER_EQUAL, count, zero));
}

BODY(shift_left_body) {
    FORMULA;
    if (!dtype_is_integer(dtype)) return (MlirValue){NULL};
    MlirValue zero = scalar_number(body, dtype, number_of_integer(0));
    MlirValue shifted = scalar_op(body, SCALAR_SHIFT_LEFT, dtype, x, inputs[1]);
    return choose(f, in_range(f, inputs[1]), shifted, zero);
}

BODY(shift_right_body) {
    FORMULA;
    if (!dtype_is_integer(dtype)) return (MlirValue){NULL};
    int width = dtype_info(dtype)->scalar.width;
    bool is_signed = !dtype_is_unsigned(dtype);
    MlirValue most = scalar_number(body, dtype, number_of_integer(width - 1));
    MlirValue count = choose(f, in_range(f, inputs[1]), inputs[1], most);
    MlirValue shifted = scalar_op(body, SCALAR_SHIFT_RIGHT, dtype, x, count);
    MlirValue zero = scalar_number(body, dtype, number_of_integer(0));
    return is_signed ? shifted : choose(f, in_range(f, inputs[1]), shifted, zero);
}

/* The larger or smaller one; a number rather than a NaN. */
BODY(fmax_body) {
    FORMULA;
    MlirValue y = inputs[1], more = highest(f, x, y);
    if (!dtype_is_float(dtype)) return more;
    more = choose(f, compare(f, ORDER_UNEQUAL, y, y), x, more);
    return choose(f, compare(f, ORDER_UNEQUAL, x, x), y, more);
}

BODY(fmin_body) {
    FORMULA;
    MlirValue y = inputs[1], less = lowest(f, x, y);
    if (!dtype_is_float(dtype)) return less;
    less = choose(f, compare(f, ORDER_UNEQUAL, y, y), x, less);
    return choose(f, compare(f, ORDER_UNEQUAL, x, x), y, less);
}

/* x log(y): 0 where x is, but NaN where y is. */
BODY(xlogy_body) {
    FORMULA;
    MlirValue y = inputs[1], product = times(f, x, math(f, "math.log", y));
    MlirValue zero = choose(f, compare(f, ORDER_EQUAL, x, real(f, 0)), real(f, 0), product);
    return choose(f, compare(f, ORDER_UNEQUAL, y, y), y, zero);
}

/* max + log(1 + exp(-|x - y|)); equal infinities are what they are. */
BODY(logaddexp_body) {
    FORMULA;
    MlirValue y = inputs[1], most = highest(f, x, y);
    MlirValue apart = negative(f, absolute(f, minus(f, x, y)));
    MlirValue sum = plus(f, most, math(f, "math.log1p", math(f, "math.exp", apart)));
    MlirValue infinite = compare(f, ORDER_EQUAL, absolute(f, x), real(f, INFINITY));
    MlirValue same =
        scalar_op(body, SCALAR_AND, DTYPE_BOOL, infinite, compare(f, ORDER_EQUAL, x, y));
    return choose(f, same, x, sum);
}

/* 0 below 0, 1 above, the second argument at 0. */
BODY(heaviside_body) {
    FORMULA;
    MlirValue zero = scalar_number(body, dtype, number_of_integer(0));
    MlirValue one = scalar_number(body, dtype, number_of_integer(1));
    MlirValue at_zero = choose(f, compare(f, ORDER_EQUAL, x, zero), inputs[1], zero);
    return choose(f, compare(f, ORDER_GREATER, x, zero), one, at_zero);
}

/* --- choices ------------------------------------------------------------------------------- */

BODY(where_body) {
    (void)call, (void)dtype;
    return build_select(body, inputs[0], inputs[1], inputs[2]);
}

BODY(clamp_body) {
    FORMULA;
    if (call_has(call, "min")) x = highest(f, x, number_argument(f, call, "min"));
    if (call_has(call, "max")) x = lowest(f, x, number_argument(f, call, "max"));
    return x;
}

/* The bounds are operands, so that their types count. */
static bool emit_clamp(Call *call) {
    static const char *const names[] = {"min", "max"};
    Value *values[3] = {call_tensor(call, "self")};
    for (int i = 0; i < 2; i++) {
        bool given = call_has(call, names[i]);
        values[i + 1] = given ? value_of_number(call->arena, call_number(call, names[i])) : NULL;
    }
    if (!values[1] && !values[2]) return call_fail(call, "one of min and max must be given");
    Dtype dtype = promote_values(3, values);
    Value *result = element_wise(call, 1, values, dtype, 0, clamp_body);
    return result && call_result(call, 0, result);
}

static bool emit_clamp_tensors(Call *call) {
    Value *value = call_tensor(call, "self"), *low = call_tensor(call, "min");
    Value *high = call_tensor(call, "max"), *all[] = {value, low, high};
    Dtype dtype = promote_values(3, all);
    Value *first[] = {value, low};
    if (low) value = element_wise(call, 2, first, dtype, 0, maximum_body);
    Value *second[] = {value, high};
    if (high && value) value = element_wise(call, 2, second, dtype, 0, minimum_body);
    return value && call_result(call, 0, value);
}

/* The dtype is that of self, whatever the value's. */
static bool emit_masked_fill(Call *call) {
    Value *self = call_tensor(call, "self");
    bool is_tensor_value = call->schema.parameters[2].type == PARAMETER_TENSOR;
    Value *value = is_tensor_value ? call_tensor(call, "value")
                                   : value_of_number(call->arena, call_number(call, "value"));
    Value *values[] = {call_tensor(call, "mask"), value, self};
    Value *result = element_wise(call, 3, values, self->type.dtype, ELEMENT_CONDITION, where_body);
    return result && call_result(call, 0, result);
}

static bool emit_clamp_one(Call *call) {
    bool low = call->operation->option;
    const char *name = low ? "min" : "max";
    bool is_tensor_bound = call->schema.parameters[1].type == PARAMETER_TENSOR;
    Value *bound = is_tensor_bound ? call_tensor(call, name)
                                   : value_of_number(call->arena, call_number(call, name));
    Value *values[] = {call_tensor(call, "self"), bound};
    Value *result = element_wise(call, 2, values, promote_values(2, values), 0,
                                 low ? maximum_body : minimum_body);
    return result && call_result(call, 0, result);
}

/* --- conversions --------------------------------------------------------------------------- */

static bool emit_to(Call *call) {
    Value *self = call_tensor(call, "self");
    return call_result(call, 0, call_cast(call, self, call_dtype(call, "dtype", self->type.dtype)));
}

static bool emit_to_other(Call *call) {
    Value *self = call_tensor(call, "self"), *other = call_tensor(call, "other");
    return call_result(call, 0, call_cast(call, self, other->type.dtype));
}

/* --- emit ---------------------------------------------------------------------------------- */

/* Numbers with these names are operands; the others are read by the formulas. */
static bool is_operand(const char *name) {
    return strcmp(name, "other") == 0 || strcmp(name, "exponent") == 0 || strcmp(name, "self") == 0;
}

static int gather_operands(Call *call, Value **values) {
    int count = 0;
    for (int i = 0; i < call->schema.count && count < MAX_ELEMENT_INPUTS; i++) {
        const Parameter *parameter = &call->schema.parameters[i];
        if (parameter->type == PARAMETER_TENSOR) {
            values[count++] = call_tensor(call, parameter->name);
        } else if (parameter->type == PARAMETER_NUMBER && is_operand(parameter->name)) {
            values[count++] = value_of_number(call->arena, call_number(call, parameter->name));
        }
    }
    return count;
}

bool emit_elementwise(Call *call) {
    Value *values[MAX_ELEMENT_INPUTS];
    int count = gather_operands(call, values), options = call->operation->option;
    int skipped = options & ELEMENT_CONDITION ? 1 : 0;
    Dtype dtype = promote_values(count - skipped, values + skipped);
    if (options & ELEMENT_FLOAT && !dtype_is_float(dtype)) dtype = DTYPE_FLOAT32;
    if (options & ELEMENT_ANY) dtype = DTYPE_BOOL;
    Value *result = element_wise(call, count, values, dtype, options, call->operation->body);
    return result && call_result(call, 0, result);
}

/* Without a mode the quotient is a float; with one, integers stay. */
static bool emit_div_mode(Call *call) {
    const char *mode = call_string(call, "rounding_mode");
    if (mode && strcmp(mode, "floor") != 0 && strcmp(mode, "trunc") != 0) {
        return call_fail(call, "rounding_mode must be None, 'floor' or 'trunc'");
    }
    Value *values[MAX_ELEMENT_INPUTS];
    int count = gather_operands(call, values);
    Dtype dtype = promote_values(count, values);
    if (!mode && !dtype_is_float(dtype)) dtype = DTYPE_FLOAT32;
    Value *result = element_wise(call, count, values, dtype, ELEMENT_WIDE, div_mode_body);
    return result && call_result(call, 0, result);
}

/* Rows that differ in little. */
// clang-format off
#define UNARY(name, formula, options)                                                              \
    {"aten." name ".default", "(Tensor self) -> Tensor", .emit = emit_elementwise,                 \
     .body = formula, .option = options}

#define BINARY(name, formula, options)                                                             \
    {"aten." name, "(Tensor self, Tensor other) -> Tensor", .emit = emit_elementwise,              \
     .body = formula, .option = options}

#define WITH_NUMBER(name, formula, options)                                                        \
    {"aten." name, "(Tensor self, Scalar other) -> Tensor", .emit = emit_elementwise,              \
     .body = formula, .option = options}

/* The overloads Tensor and Scalar. */
#define BOTH(name, formula, options)                                                               \
    BINARY(name ".Tensor", formula, options),                                                      \
    WITH_NUMBER(name ".Scalar", formula, options)

#define SCALED(name, formula, on_integers)                                                         \
    {"aten." name ".Tensor", "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",           \
     .emit = emit_elementwise, .body = formula, .integers = on_integers},                          \
    {"aten." name ".Scalar", "(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",              \
     .emit = emit_elementwise, .body = formula}
// clang-format on

enum { SMOOTH = ELEMENT_FLOAT | ELEMENT_WIDE, LOGIC = ELEMENT_ANY | ELEMENT_BOOL };

#define DEVICE_OPTIONS "layout device pin_memory non_blocking memory_format copy"

const Operation elementwise_operations[] = {
    UNARY("exp", exp_body, SMOOTH),
    UNARY("exp2", exp2_body, SMOOTH),
    UNARY("expm1", expm1_body, SMOOTH),
    UNARY("log", log_body, SMOOTH),
    UNARY("log2", log2_body, SMOOTH),
    UNARY("log10", log10_body, SMOOTH),
    UNARY("log1p", log1p_body, SMOOTH),
    UNARY("sqrt", sqrt_body, SMOOTH),
    UNARY("rsqrt", rsqrt_body, SMOOTH),
    UNARY("sin", sin_body, SMOOTH),
    UNARY("cos", cos_body, SMOOTH),
    UNARY("tan", tan_body, SMOOTH),
    UNARY("asin", asin_body, SMOOTH),
    UNARY("acos", acos_body, SMOOTH),
    UNARY("atan", atan_body, SMOOTH),
    UNARY("sinh", sinh_body, SMOOTH),
    UNARY("cosh", cosh_body, SMOOTH),
    UNARY("tanh", tanh_body, SMOOTH),
    UNARY("asinh", asinh_body, SMOOTH),
    UNARY("acosh", acosh_body, SMOOTH),
    UNARY("atanh", atanh_body, SMOOTH),
    UNARY("erf", erf_body, SMOOTH),
    UNARY("erfc", erfc_body, SMOOTH),
    UNARY("frac", frac_body, ELEMENT_REAL),
    UNARY("reciprocal", reciprocal_body, SMOOTH),
    UNARY("ceil", ceil_body, 0),
    UNARY("floor", floor_body, 0),
    UNARY("trunc", trunc_body, 0),
    UNARY("round", round_body, 0),
    UNARY("abs", abs_body, 0),
    UNARY("neg", neg_body, 0),
    UNARY("square", square_body, 0),
    UNARY("sign", sign_body, 0),
    UNARY("sgn", sign_body, 0),
    UNARY("isnan", isnan_body, ELEMENT_BOOL),
    UNARY("isinf", isinf_body, ELEMENT_BOOL),
    UNARY("isfinite", isfinite_body, ELEMENT_BOOL),
    UNARY("isposinf", isposinf_body, ELEMENT_BOOL),
    UNARY("isneginf", isneginf_body, ELEMENT_BOOL),
    UNARY("deg2rad", deg2rad_body, SMOOTH),
    UNARY("rad2deg", rad2deg_body, SMOOTH),
    UNARY("sinc", sinc_body, SMOOTH),
    {"aten.logit.default", "(Tensor self, float? eps=None) -> Tensor", .emit = emit_elementwise,
     .body = logit_body, .option = SMOOTH},
    {"aten.nan_to_num.default",
     "(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
     .emit = emit_elementwise, .body = nan_to_num_body, .ignored = "nan posinf neginf"},
    UNARY("logical_not", logical_not_body, LOGIC),
    UNARY("bitwise_not", bitwise_not_body, 0),
    SCALED("add", add_body, integers_add),
    SCALED("sub", sub_body, integers_add),
    SCALED("rsub", rsub_body, NULL),
    {"aten.mul.Tensor", "(Tensor self, Tensor other) -> Tensor", .emit = emit_elementwise,
     .body = mul_body, .integers = integers_multiply},
    WITH_NUMBER("mul.Scalar", mul_body, 0),
    BOTH("div", div_body, ELEMENT_FLOAT),
    BOTH("fmod", fmod_body, 0),
    BOTH("remainder", remainder_body, 0),
    BINARY("true_divide.Tensor", div_body, ELEMENT_FLOAT),
    BINARY("floor_divide.default", floor_divide_body, ELEMENT_WIDE),
    WITH_NUMBER("floor_divide.Scalar", floor_divide_body, ELEMENT_WIDE),
    {"aten.div.Tensor_mode", "(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
     .emit = emit_div_mode},
    {"aten.div.Scalar_mode", "(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
     .emit = emit_div_mode},
    BINARY("maximum.default", maximum_body, 0),
    BINARY("minimum.default", minimum_body, 0),
    BINARY("max.other", maximum_body, 0),
    BINARY("min.other", minimum_body, 0),
    BINARY("fmax.default", fmax_body, 0),
    BINARY("fmin.default", fmin_body, 0),
    BINARY("xlogy.Tensor", xlogy_body, SMOOTH),
    WITH_NUMBER("xlogy.Scalar_Other", xlogy_body, SMOOTH),
    {"aten.xlogy.Scalar_Self", "(Scalar self, Tensor other) -> Tensor", .emit = emit_elementwise,
     .body = xlogy_body, .option = SMOOTH},
    BINARY("logaddexp.default", logaddexp_body, SMOOTH),
    {"aten.heaviside.default", "(Tensor self, Tensor values) -> Tensor", .emit = emit_elementwise,
     .body = heaviside_body},
    BINARY("atan2.default", atan2_body, SMOOTH),
    BINARY("copysign.Tensor", copysign_body, ELEMENT_FLOAT),
    {"aten.lerp.Scalar", "(Tensor self, Tensor end, Scalar weight) -> Tensor",
     .emit = emit_elementwise, .body = lerp_body, .option = ELEMENT_WIDE | ELEMENT_REAL},
    {"aten.lerp.Tensor", "(Tensor self, Tensor end, Tensor weight) -> Tensor",
     .emit = emit_elementwise, .body = lerp_body, .option = ELEMENT_WIDE | ELEMENT_REAL},
    {"aten.addcmul.default",
     "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
     .emit = emit_elementwise, .body = addcmul_body, .option = ELEMENT_WIDE},
    {"aten.addcdiv.default",
     "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
     .emit = emit_elementwise, .body = addcdiv_body, .option = ELEMENT_WIDE | ELEMENT_REAL},
    {"aten.pow.Tensor_Scalar", "(Tensor self, Scalar exponent) -> Tensor", .emit = emit_elementwise,
     .body = pow_scalar_body, .option = ELEMENT_WIDE},
    {"aten.pow.Tensor_Tensor", "(Tensor self, Tensor exponent) -> Tensor", .emit = emit_elementwise,
     .body = pow_body, .option = ELEMENT_WIDE},
    {"aten.pow.Scalar", "(Scalar self, Tensor exponent) -> Tensor", .emit = emit_elementwise,
     .body = pow_body, .option = ELEMENT_WIDE},
    BOTH("eq", eq_body, ELEMENT_BOOL),
    BOTH("ne", ne_body, ELEMENT_BOOL),
    BOTH("lt", lt_body, ELEMENT_BOOL),
    BOTH("le", le_body, ELEMENT_BOOL),
    BOTH("gt", gt_body, ELEMENT_BOOL),
    BOTH("ge", ge_body, ELEMENT_BOOL),
    BINARY("logical_and.default", and_body, LOGIC),
    BINARY("logical_or.default", or_body, LOGIC),
    BINARY("logical_xor.default", xor_body, LOGIC),
    BOTH("bitwise_and", and_body, 0),
    BOTH("bitwise_or", or_body, 0),
    BOTH("bitwise_xor", xor_body, 0),
    BINARY("bitwise_left_shift.Tensor", shift_left_body, 0),
    WITH_NUMBER("bitwise_left_shift.Tensor_Scalar", shift_left_body, 0),
    BINARY("bitwise_right_shift.Tensor", shift_right_body, 0),
    WITH_NUMBER("bitwise_right_shift.Tensor_Scalar", shift_right_body, 0),
    BOTH("__and__", and_body, 0),
    BOTH("__or__", or_body, 0),
    BOTH("__xor__", xor_body, 0),
    BOTH("__lshift__", shift_left_body, 0),
    BOTH("__rshift__", shift_right_body, 0),
    {"aten.where.self", "(Tensor condition, Tensor self, Tensor other) -> Tensor",
     .emit = emit_elementwise, .body = where_body, .option = ELEMENT_CONDITION},
    {"aten.where.ScalarOther", "(Tensor condition, Tensor self, Scalar other) -> Tensor",
     .emit = emit_elementwise, .body = where_body, .option = ELEMENT_CONDITION},
    {"aten.where.ScalarSelf", "(Tensor condition, Scalar self, Tensor other) -> Tensor",
     .emit = emit_elementwise, .body = where_body, .option = ELEMENT_CONDITION},
    {"aten.where.Scalar", "(Tensor condition, Scalar self, Scalar other) -> Tensor",
     .emit = emit_elementwise, .body = where_body, .option = ELEMENT_CONDITION},
    {"aten.masked_fill.Scalar", "(Tensor self, Tensor mask, Scalar value) -> Tensor",
     .emit = emit_masked_fill},
    {"aten.masked_fill.Tensor", "(Tensor self, Tensor mask, Tensor value) -> Tensor",
     .emit = emit_masked_fill},
    {"aten.clamp.default", "(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
     .emit = emit_clamp, .integers = integers_clamp},
    {"aten.clamp.Tensor", "(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
     .emit = emit_clamp_tensors},
    {"aten.clamp_min.default", "(Tensor self, Scalar min) -> Tensor", .emit = emit_clamp_one,
     .option = 1, .integers = integers_clamp},
    {"aten.clamp_max.default", "(Tensor self, Scalar max) -> Tensor", .emit = emit_clamp_one,
     .integers = integers_clamp},
    {"aten.clamp_min.Tensor", "(Tensor self, Tensor min) -> Tensor", .emit = emit_clamp_one,
     .option = 1},
    {"aten.clamp_max.Tensor", "(Tensor self, Tensor max) -> Tensor", .emit = emit_clamp_one},
    {"aten.to.dtype",
     "(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     .emit = emit_to, .ignored = DEVICE_OPTIONS},
    {"aten.to.device",
     "(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     .emit = emit_to, .ignored = DEVICE_OPTIONS},
    {"aten.to.dtype_layout",
     "(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
     "bool? pin_memory=None, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     .emit = emit_to, .ignored = DEVICE_OPTIONS},
    {"aten.to.other",
     "(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     .emit = emit_to_other, .ignored = DEVICE_OPTIONS},
    {"aten.type_as.default", "(Tensor self, Tensor other) -> Tensor", .emit = emit_to_other},
    {"aten._to_copy.default",
     "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
     "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
     .emit = emit_to, .ignored = DEVICE_OPTIONS},
    {.name = NULL},
};
