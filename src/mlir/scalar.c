/* Scalar operations on constants; see scalar.h.
 *
 * Floats are computed in double and rounded once: for f16, bf16 and f32 the double result of one add,
 * subtract, multiply, divide or square root rounds to what the operation itself would give, as double has
 * more than twice as many digits and two. f64 is computed as it is. */
#include "mlir/scalar.h"

#include <math.h>

bool scalar_of_attribute(MlirAttribute attribute, ScalarValue *value) {
    if (mlirAttributeIsNull(attribute) ||
        !scalar_of_type(mlirAttributeGetType(attribute), &value->type))
        return false;
    if (mlirAttributeIsAInteger(attribute)) {
        value->bits = (Bits)mlirIntegerAttrGetValueInt(attribute) & bits_mask(value->type.width);
        return true;
    }
    if (!mlirAttributeIsAFloat(attribute)) return false;
    value->bits = bits_from_double(value->type, mlirFloatAttrGetValueDouble(attribute));
    return true;
}

MlirAttribute attribute_of_scalar(MlirType type, ScalarValue value) {
    if (value.type.kind == SCALAR_INTEGER)
        return mlirIntegerAttrGet(type, bits_signed(value.type.width, value.bits));
    return mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type,
                                  bits_to_double(value.type, value.bits));
}

/* --- floats --- */

static double as_double(ScalarValue value) { return bits_to_double(value.type, value.bits); }

/* max(+0, -0) is +0, min(+0, -0) is -0; NaN if either is. */
static double maximum(double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}
static double minimum(double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}
static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }

static const struct {
    const char *name;
    double (*compute)(double a, double b);
} float_binaries[] = {
    {"arith.addf", add},         {"arith.subf", subtract},     {"arith.mulf", multiply},
    {"arith.divf", divide},      {"arith.maximumf", maximum},  {"arith.minimumf", minimum},
};

static bool compare_floats(int64_t predicate, double a, double b) {
    /* Predicates of arith.cmpf: bit 0 is equal, bit 1 greater, bit 2 less, bit 3 unordered; the
     * order of the numbers is false, oeq, ogt, oge, olt, ole, one, ord, ueq, ... true. */
    static const unsigned char sets[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15};
    unsigned outcome = isnan(a) || isnan(b) ? 8u : a == b ? 1u : a > b ? 2u : 4u;
    return predicate >= 0 && predicate < 16 && (sets[predicate] & outcome);
}

/* --- integers --- */

static bool compare_integers(int64_t predicate, int width, Bits a, Bits b) {
    int64_t x = bits_signed(width, a), y = bits_signed(width, b);
    switch (predicate) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return x < y;
    case 3: return x <= y;
    case 4: return x > y;
    case 5: return x >= y;
    case 6: return a < b;
    case 7: return a <= b;
    case 8: return a > b;
    default: return a >= b;
    }
}

typedef enum IntegerOp {
    INT_ADD, INT_SUB, INT_MUL, INT_AND, INT_OR, INT_XOR, INT_SHL, INT_SHRU, INT_SHRS,
    INT_MINS, INT_MAXS, INT_MINU, INT_MAXU, INT_DIVS, INT_DIVU, INT_REMS, INT_REMU
} IntegerOp;

static const struct {
    const char *name;
    IntegerOp op;
} integer_binaries[] = {
    {"arith.addi", INT_ADD},    {"arith.subi", INT_SUB},    {"arith.muli", INT_MUL},
    {"arith.andi", INT_AND},    {"arith.ori", INT_OR},      {"arith.xori", INT_XOR},
    {"arith.shli", INT_SHL},    {"arith.shrui", INT_SHRU},  {"arith.shrsi", INT_SHRS},
    {"arith.minsi", INT_MINS},  {"arith.maxsi", INT_MAXS},  {"arith.minui", INT_MINU},
    {"arith.maxui", INT_MAXU},  {"arith.divsi", INT_DIVS},  {"arith.divui", INT_DIVU},
    {"arith.remsi", INT_REMS},  {"arith.remui", INT_REMU},
};

static bool divide_integers(IntegerOp op, int width, Bits a, Bits b, Bits *result) {
    int64_t x = bits_signed(width, a), y = bits_signed(width, b);
    if (b == 0 || y == -1) return false; /* what is defined for these is in select's of "tepal-total" */
    *result = op == INT_DIVS   ? (Bits)(x / y)
              : op == INT_DIVU ? a / b
              : op == INT_REMS ? (Bits)(x % y)
                               : a % b;
    return true;
}

static bool compute_integer(IntegerOp op, int width, Bits a, Bits b, Bits *result) {
    int64_t x = bits_signed(width, a), y = bits_signed(width, b);
    bool shift = op == INT_SHL || op == INT_SHRU || op == INT_SHRS;
    if (shift && b >= (Bits)width) return false;
    switch (op) {
    case INT_ADD: *result = a + b; break;
    case INT_SUB: *result = a - b; break;
    case INT_MUL: *result = a * b; break;
    case INT_AND: *result = a & b; break;
    case INT_OR: *result = a | b; break;
    case INT_XOR: *result = a ^ b; break;
    case INT_SHL: *result = a << b; break;
    case INT_SHRU: *result = a >> b; break;
    case INT_SHRS: *result = x < 0 ? ~(~(Bits)x >> b) : a >> b; break;
    case INT_MINS: *result = x < y ? a : b; break;
    case INT_MAXS: *result = x > y ? a : b; break;
    case INT_MINU: *result = a < b ? a : b; break;
    case INT_MAXU: *result = a > b ? a : b; break;
    default: return divide_integers(op, width, a, b, result);
    }
    return true;
}

/* --- conversions --- */

static bool float_to_integer(Scalar type, bool is_signed, double x, Bits *result) {
    double limit = ldexp(1, is_signed ? type.width - 1 : type.width), low = is_signed ? -limit : 0;
    if (!(x >= low && x < limit)) return false;
    *result = is_signed ? (Bits)(int64_t)x : (Bits)x;
    return true;
}

/* Only what double holds exactly, so that rounding happens once. */
static bool integer_to_float(Scalar type, bool is_signed, ScalarValue x, Bits *result) {
    const int64_t exact = (int64_t)1 << 53;
    int64_t value = is_signed ? bits_signed(x.type.width, x.bits) : (int64_t)x.bits;
    if (value < -exact || value > exact) return false;
    *result = bits_from_double(type, (double)value);
    return true;
}

static bool convert(MlirOperation op, Scalar type, ScalarValue x, Bits *result) {
    if (op_is(op, "arith.extf") || op_is(op, "arith.truncf")) {
        *result = bits_from_double(type, as_double(x));
        return true;
    }
    if (op_is(op, "arith.sitofp")) return integer_to_float(type, true, x, result);
    if (op_is(op, "arith.uitofp")) return integer_to_float(type, false, x, result);
    if (op_is(op, "arith.fptosi")) return float_to_integer(type, true, as_double(x), result);
    if (op_is(op, "arith.fptoui")) return float_to_integer(type, false, as_double(x), result);
    bool is_signed = op_is(op, "arith.extsi") || op_is(op, "arith.index_cast");
    if (is_signed || op_is(op, "arith.extui") || op_is(op, "arith.index_castui") ||
        op_is(op, "arith.trunci") || op_is(op, "arith.bitcast")) {
        *result = is_signed ? (Bits)bits_signed(x.type.width, x.bits) : x.bits;
        return true;
    }
    Bits sign = (Bits)1 << (x.type.width - 1);
    if (op_is(op, "arith.negf")) *result = x.bits ^ sign;
    else if (op_is(op, "math.absf")) *result = x.bits & ~sign;
    else if (op_is(op, "math.sqrt")) *result = bits_from_double(type, sqrt(as_double(x)));
    else return false;
    return true;
}

static bool compute_binary(MlirOperation op, Scalar type, const ScalarValue *x, Bits *result) {
    for (size_t i = 0; i < sizeof float_binaries / sizeof *float_binaries; i++) {
        if (!op_is(op, float_binaries[i].name)) continue;
        double value = float_binaries[i].compute(as_double(x[0]), as_double(x[1]));
        *result = bits_from_double(type, value);
        return true;
    }
    for (size_t i = 0; i < sizeof integer_binaries / sizeof *integer_binaries; i++)
        if (op_is(op, integer_binaries[i].name))
            return compute_integer(integer_binaries[i].op, type.width, x[0].bits, x[1].bits,
                                   result);
    bool of_floats = op_is(op, "arith.cmpf");
    if (!of_floats && !op_is(op, "arith.cmpi")) return false;
    int64_t predicate = mlirIntegerAttrGetValueInt(op_attribute(op, "predicate"));
    *result = of_floats ? compare_floats(predicate, as_double(x[0]), as_double(x[1]))
                        : compare_integers(predicate, x[0].type.width, x[0].bits, x[1].bits);
    return true;
}

bool scalar_evaluate(MlirOperation op, Scalar type, int count, const ScalarValue *operands,
                     ScalarValue *result) {
    Bits bits = 0;
    bool known = false;
    if (count == 1) known = convert(op, type, operands[0], &bits);
    if (count == 2) known = compute_binary(op, type, operands, &bits);
    if (count == 3 && op_is(op, "arith.select")) {
        bits = operands[0].bits & 1 ? operands[1].bits : operands[2].bits;
        known = true;
    }
    *result = (ScalarValue){type, bits & bits_mask(type.width)};
    return known;
}
