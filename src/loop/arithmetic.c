/* The meaning of every opcode, as the interpreter executes it.
 *
 * f32 and f64 use the host's arithmetic (this file is compiled with -ffp-contract=off and without
 * fast-math). The 16-bit types compute in double and round once more: for add, subtract, multiply,
 * divide and square root that gives the correctly rounded result, since double has more than 2p + 2
 * bits of precision and neither sums nor products of the narrow type lose bits that decide
 * (Figueroa 1995). */
#include "loop/interpret.h"

#include <math.h>
#include <string.h>

/* --- floating point --- */

static float as_float(Bits bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static Bits of_float(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static double as_double(Bits bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static Bits of_double(double value) {
    Bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Three actions for a formula of x and y: f32, f64, and the narrow types through double. */
#define FLOAT_BINARY(name, formula_float, formula_double)                                          \
    static void name##_f32(const Step *step) {                                                     \
        float x = as_float(*step->a), y = as_float(*step->b);                                      \
        *step->result = of_float(formula_float);                                                   \
    }                                                                                              \
    static void name##_f64(const Step *step) {                                                     \
        double x = as_double(*step->a), y = as_double(*step->b);                                   \
        *step->result = of_double(formula_double);                                                 \
    }                                                                                              \
    static void name##_narrow(const Step *step) {                                                  \
        double x = bits_to_double(step->type, *step->a), y = bits_to_double(step->type, *step->b); \
        *step->result = bits_from_double(step->type, formula_double);                              \
    }

/* NaN if one is; -0 below +0. */
static double minimum(double x, double y) {
    if (isnan(x) || isnan(y)) return x + y;
    if (x == y) return signbit(x) ? x : y;
    return x < y ? x : y;
}

static double maximum(double x, double y) {
    if (isnan(x) || isnan(y)) return x + y;
    if (x == y) return signbit(x) ? y : x;
    return x > y ? x : y;
}

FLOAT_BINARY(add, x + y, x + y)
FLOAT_BINARY(subtract, x - y, x - y)
FLOAT_BINARY(multiply, x *y, x *y)
FLOAT_BINARY(divide, x / y, x / y)
FLOAT_BINARY(minimum, (float)minimum((double)x, (double)y), minimum(x, y))
FLOAT_BINARY(maximum, (float)maximum((double)x, (double)y), maximum(x, y))

static void sqrt_f32(const Step *step) {
    *step->result = of_float(sqrtf(as_float(*step->a)));
}

static void sqrt_f64(const Step *step) {
    *step->result = of_double(sqrt(as_double(*step->a)));
}

static void sqrt_narrow(const Step *step) {
    *step->result = bits_from_double(step->type, sqrt(bits_to_double(step->type, *step->a)));
}

static Bits sign_of(const Step *step) {
    return (Bits)1 << (step->type.width - 1);
}

static void float_negate(const Step *step) {
    *step->result = *step->a ^ sign_of(step);
}

static void float_absolute(const Step *step) {
    *step->result = *step->a & ~sign_of(step);
}

static void float_compare(const Step *step) {
    double x = bits_to_double(step->from, *step->a), y = bits_to_double(step->from, *step->b);
    *step->result = step->test_float(x, y);
}

static void float_compare_f32(const Step *step) {
    *step->result = step->test_float((double)as_float(*step->a), (double)as_float(*step->b));
}

static bool never(double x, double y) {
    (void)x, (void)y;
    return false;
}
static bool ordered_eq(double x, double y) {
    return x == y;
}
static bool ordered_gt(double x, double y) {
    return x > y;
}
static bool ordered_ge(double x, double y) {
    return x >= y;
}
static bool ordered_lt(double x, double y) {
    return x < y;
}
static bool ordered_le(double x, double y) {
    return x <= y;
}
static bool ordered_ne(double x, double y) {
    return x < y || x > y;
}
static bool ordered(double x, double y) {
    return !isnan(x) && !isnan(y);
}
static bool unordered_eq(double x, double y) {
    return !ordered_ne(x, y);
}
static bool unordered_gt(double x, double y) {
    return !(x <= y);
}
static bool unordered_ge(double x, double y) {
    return !(x < y);
}
static bool unordered_lt(double x, double y) {
    return !(x >= y);
}
static bool unordered_le(double x, double y) {
    return !(x > y);
}
static bool unordered_ne(double x, double y) {
    return !(x == y);
}
static bool unordered(double x, double y) {
    return isnan(x) || isnan(y);
}
static bool always(double x, double y) {
    (void)x, (void)y;
    return true;
}

static bool (*const float_tests[])(double, double) = {
    [FLOAT_FALSE] = never,      [FLOAT_OEQ] = ordered_eq,   [FLOAT_OGT] = ordered_gt,
    [FLOAT_OGE] = ordered_ge,   [FLOAT_OLT] = ordered_lt,   [FLOAT_OLE] = ordered_le,
    [FLOAT_ONE] = ordered_ne,   [FLOAT_ORD] = ordered,      [FLOAT_UEQ] = unordered_eq,
    [FLOAT_UGT] = unordered_gt, [FLOAT_UGE] = unordered_ge, [FLOAT_ULT] = unordered_lt,
    [FLOAT_ULE] = unordered_le, [FLOAT_UNE] = unordered_ne, [FLOAT_UNO] = unordered,
    [FLOAT_TRUE] = always,
};

/* --- conversions --- */

static void float_convert(const Step *step) {
    *step->result = bits_from_double(step->type, bits_to_double(step->from, *step->a));
}

/* Toward zero between low and high, which are powers of two or one less. */
static void float_to_signed(const Step *step) {
    double x = bits_to_double(step->from, *step->a);
    double limit = ldexp(1.0, step->type.width - 1);
    if (isnan(x))
        *step->result = 0;
    else if (x >= limit)
        *step->result = step->mask >> 1;
    else if (x <= -limit)
        *step->result = (step->mask >> 1) + 1;
    else
        *step->result = (Bits)(int64_t)x & step->mask;
}

static void float_to_unsigned(const Step *step) {
    double x = bits_to_double(step->from, *step->a);
    if (!(x > 0))
        *step->result = 0;
    else if (x >= ldexp(1.0, step->type.width))
        *step->result = step->mask;
    else
        *step->result = (Bits)x & step->mask;
}

/* A magnitude as a double that rounds to the same value in any type of fewer bits: what does not
 * fit into 53 bits leaves a sticky one behind. f64 itself takes the host's own rounding. */
static double sticky_double(Bits magnitude) {
    if (magnitude >> 53 == 0) return (double)magnitude;
    Bits low = magnitude & bits_mask(11);
    return (double)((magnitude & ~bits_mask(11)) | (Bits)(low != 0) << 11);
}

static void signed_to_float(const Step *step) {
    int64_t value = bits_signed(step->from.width, *step->a);
    double magnitude = sticky_double(value < 0 ? 0 - (Bits)value : (Bits)value);
    if (step->type.width == 64)
        *step->result = of_double((double)value);
    else
        *step->result = bits_from_double(step->type, value < 0 ? -magnitude : magnitude);
}

static void unsigned_to_float(const Step *step) {
    if (step->type.width == 64)
        *step->result = of_double((double)*step->a);
    else
        *step->result = bits_from_double(step->type, sticky_double(*step->a));
}

/* --- integers --- */

static int64_t signed_a(const Step *step) {
    return bits_signed(step->from.width, *step->a);
}
static int64_t signed_b(const Step *step) {
    return bits_signed(step->from.width, *step->b);
}

#define INTEGER(name, formula)                                                                     \
    static void name(const Step *step) {                                                           \
        *step->result = (Bits)(formula)&step->mask;                                                \
    }

/* MIN / -1 is MIN, as a negation that wraps. */
static Bits divide_signed(int64_t x, int64_t y) {
    return y == 0 ? ~(Bits)0 : y == -1 ? 0 - (Bits)x : (Bits)(x / y);
}

static Bits remainder_signed(int64_t x, int64_t y) {
    return y == 0 ? (Bits)x : y == -1 ? 0 : (Bits)(x % y);
}

/* Right shift of a signed number, without the implementation-defined one. */
static Bits shift_signed(int64_t x, Bits by, int width) {
    int64_t sign = x < 0 ? -1 : 0;
    if (by >= (Bits)width) return (Bits)sign;
    return ((Bits)(x ^ sign) >> by) ^ (Bits)sign;
}

INTEGER(integer_add, *step->a + *step->b)
INTEGER(integer_subtract, *step->a - *step->b)
INTEGER(integer_multiply, *step->a * * step->b)
INTEGER(integer_divide_signed, divide_signed(signed_a(step), signed_b(step)))
INTEGER(integer_divide_unsigned, *step->b == 0 ? ~(Bits)0 : *step->a / *step->b)
INTEGER(integer_remainder_signed, remainder_signed(signed_a(step), signed_b(step)))
INTEGER(integer_remainder_unsigned, *step->b == 0 ? *step->a : *step->a % *step->b)
INTEGER(integer_and, *step->a & * step->b)
INTEGER(integer_or, *step->a | *step->b)
INTEGER(integer_xor, *step->a ^ *step->b)
INTEGER(shift_left, *step->b >= (Bits)step->type.width ? 0 : *step->a << *step->b)
INTEGER(shift_right_unsigned, *step->b >= (Bits)step->type.width ? 0 : *step->a >> *step->b)
INTEGER(shift_right_signed, shift_signed(signed_a(step), *step->b, step->type.width))
INTEGER(minimum_signed, signed_a(step) < signed_b(step) ? *step->a : *step->b)
INTEGER(maximum_signed, signed_a(step) > signed_b(step) ? *step->a : *step->b)
INTEGER(minimum_unsigned, *step->a < *step->b ? *step->a : *step->b)
INTEGER(maximum_unsigned, *step->a > *step->b ? *step->a : *step->b)
INTEGER(extend_signed, signed_a(step))
INTEGER(keep, *step->a)
INTEGER(integer_select, *step->a ? *step->b : *step->c)

static void integer_compare(const Step *step) {
    *step->result = step->test_integer(step, *step->a, *step->b);
}

#define INTEGER_TEST(name, formula)                                                                \
    static bool name(const Step *step, Bits x, Bits y) {                                           \
        int64_t s = bits_signed(step->from.width, x), t = bits_signed(step->from.width, y);        \
        (void)s, (void)t;                                                                          \
        return formula;                                                                            \
    }
INTEGER_TEST(test_eq, x == y)
INTEGER_TEST(test_ne, x != y)
INTEGER_TEST(test_slt, s < t)
INTEGER_TEST(test_sle, s <= t)
INTEGER_TEST(test_sgt, s > t)
INTEGER_TEST(test_sge, s >= t)
INTEGER_TEST(test_ult, x < y)
INTEGER_TEST(test_ule, x <= y)
INTEGER_TEST(test_ugt, x > y)
INTEGER_TEST(test_uge, x >= y)

static bool (*const integer_tests[])(const Step *, Bits, Bits) = {
    [COMPARE_EQ] = test_eq,   [COMPARE_NE] = test_ne,   [COMPARE_SLT] = test_slt,
    [COMPARE_SLE] = test_sle, [COMPARE_SGT] = test_sgt, [COMPARE_SGE] = test_sge,
    [COMPARE_ULT] = test_ult, [COMPARE_ULE] = test_ule, [COMPARE_UGT] = test_ugt,
    [COMPARE_UGE] = test_uge,
};

/* --- the table --- */

/* Actions for operands in f32, in f64, and in any other type. */
static const struct {
    Action f32, f64, other;
} actions[OPCODE_COUNT] = {
    [OP_FLOAT_ADD] = {add_f32, add_f64, add_narrow},
    [OP_FLOAT_SUBTRACT] = {subtract_f32, subtract_f64, subtract_narrow},
    [OP_FLOAT_MULTIPLY] = {multiply_f32, multiply_f64, multiply_narrow},
    [OP_FLOAT_DIVIDE] = {divide_f32, divide_f64, divide_narrow},
    [OP_FLOAT_SQRT] = {sqrt_f32, sqrt_f64, sqrt_narrow},
    [OP_FLOAT_NEGATE] = {float_negate, float_negate, float_negate},
    [OP_FLOAT_ABSOLUTE] = {float_absolute, float_absolute, float_absolute},
    [OP_FLOAT_MINIMUM] = {minimum_f32, minimum_f64, minimum_narrow},
    [OP_FLOAT_MAXIMUM] = {maximum_f32, maximum_f64, maximum_narrow},
    [OP_FLOAT_COMPARE] = {float_compare_f32, float_compare, float_compare},
    [OP_FLOAT_CONVERT] = {float_convert, float_convert, float_convert},
    [OP_FLOAT_TO_SIGNED] = {float_to_signed, float_to_signed, float_to_signed},
    [OP_FLOAT_TO_UNSIGNED] = {float_to_unsigned, float_to_unsigned, float_to_unsigned},
    [OP_SIGNED_TO_FLOAT] = {NULL, NULL, signed_to_float},
    [OP_UNSIGNED_TO_FLOAT] = {NULL, NULL, unsigned_to_float},
    [OP_ADD] = {NULL, NULL, integer_add},
    [OP_SUBTRACT] = {NULL, NULL, integer_subtract},
    [OP_MULTIPLY] = {NULL, NULL, integer_multiply},
    [OP_DIVIDE_SIGNED] = {NULL, NULL, integer_divide_signed},
    [OP_DIVIDE_UNSIGNED] = {NULL, NULL, integer_divide_unsigned},
    [OP_REMAINDER_SIGNED] = {NULL, NULL, integer_remainder_signed},
    [OP_REMAINDER_UNSIGNED] = {NULL, NULL, integer_remainder_unsigned},
    [OP_AND] = {NULL, NULL, integer_and},
    [OP_OR] = {NULL, NULL, integer_or},
    [OP_XOR] = {NULL, NULL, integer_xor},
    [OP_SHIFT_LEFT] = {NULL, NULL, shift_left},
    [OP_SHIFT_RIGHT_UNSIGNED] = {NULL, NULL, shift_right_unsigned},
    [OP_SHIFT_RIGHT_SIGNED] = {NULL, NULL, shift_right_signed},
    [OP_MINIMUM_SIGNED] = {NULL, NULL, minimum_signed},
    [OP_MAXIMUM_SIGNED] = {NULL, NULL, maximum_signed},
    [OP_MINIMUM_UNSIGNED] = {NULL, NULL, minimum_unsigned},
    [OP_MAXIMUM_UNSIGNED] = {NULL, NULL, maximum_unsigned},
    [OP_COMPARE] = {NULL, NULL, integer_compare},
    [OP_EXTEND_SIGNED] = {NULL, NULL, extend_signed},
    [OP_EXTEND_UNSIGNED] = {NULL, NULL, keep},
    [OP_TRUNCATE] = {NULL, NULL, keep},
    [OP_SELECT] = {NULL, NULL, integer_select},
    [OP_BITCAST] = {keep, keep, keep},
};

Action action_of(const Operation *operation, Scalar from) {
    if (scalar_equal(from, SCALAR_F32)) return actions[operation->opcode].f32;
    if (scalar_equal(from, SCALAR_F64)) return actions[operation->opcode].f64;
    return actions[operation->opcode].other;
}

void set_test(Step *step, const Operation *operation) {
    if (operation->opcode == OP_FLOAT_COMPARE) step->test_float = float_tests[operation->condition];
    if (operation->opcode == OP_COMPARE) step->test_integer = integer_tests[operation->condition];
}
