/* Scalar operations on constants; see scalar.h.
 *
 * Floats are computed in double and rounded once: for f16, bf16 and f32 the double result of one
 * add, subtract, multiply, divide or square root rounds to what the operation itself would give, as
 * double has more than twice as many digits and two. f64 is computed as it is. */
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

static double as_double(ScalarValue value) {
    return bits_to_double(value.type, value.bits);
}

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
static double add(double a, double b) {
    return a + b;
}
static double subtract(double a, double b) {
    return a - b;
}
static double multiply(double a, double b) {
    return a * b;
}
static double divide(double a, double b) {
    return a / b;
}

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
    INT_ADD,
    INT_SUB,
    INT_MUL,
    INT_AND,
    INT_OR,
    INT_XOR,
    INT_SHL,
    INT_SHRU,
    INT_SHRS,
    INT_MINS,
    INT_MAXS,
    INT_MINU,
    INT_MAXU,
    INT_DIVS,
    INT_DIVU,
    INT_REMS,
    INT_REMU
} IntegerOp;

static bool divide_integers(IntegerOp op, int width, Bits a, Bits b, Bits *result) {
    int64_t x = bits_signed(width, a), y = bits_signed(width, b);
    if (b == 0 || y == -1)
        return false; /* what is defined for these is in select's of "tepal-total" */
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

/* --- one function per kind of operation --- */

static bool on_floats(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    *result =
        bits_from_double(operation->type, operation->of_doubles(as_double(x[0]), as_double(x[1])));
    return true;
}

static bool on_integers(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    return compute_integer((IntegerOp)operation->code, operation->type.width, x[0].bits, x[1].bits,
                           result);
}

static bool float_comparison(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    *result = compare_floats(operation->predicate, as_double(x[0]), as_double(x[1]));
    return true;
}

static bool integer_comparison(const ScalarOperation *operation, const ScalarValue *x,
                               Bits *result) {
    *result = compare_integers(operation->predicate, x[0].type.width, x[0].bits, x[1].bits);
    return true;
}

static bool choice(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    (void)operation;
    *result = x[0].bits & 1 ? x[1].bits : x[2].bits;
    return true;
}

static bool float_to_float(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    *result = bits_from_double(operation->type, as_double(x[0]));
    return true;
}

/* `code` of conversions: whether the integer is signed. */
static bool from_integer(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    return integer_to_float(operation->type, operation->code, x[0], result);
}

static bool to_integer(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    return float_to_integer(operation->type, operation->code, as_double(x[0]), result);
}

static bool resized(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    *result = operation->code ? (Bits)bits_signed(x[0].type.width, x[0].bits) : x[0].bits;
    return true;
}

static Bits sign_bit(ScalarValue x) {
    return (Bits)1 << (x.type.width - 1);
}

static bool negated(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    (void)operation;
    *result = x[0].bits ^ sign_bit(x[0]);
    return true;
}

static bool magnitude(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    (void)operation;
    *result = x[0].bits & ~sign_bit(x[0]);
    return true;
}

static bool root(const ScalarOperation *operation, const ScalarValue *x, Bits *result) {
    *result = bits_from_double(operation->type, sqrt(as_double(x[0])));
    return true;
}

/* --- the table --- */

enum { IS_UNSIGNED = 0, IS_SIGNED = 1 };

static const struct {
    const char *name;
    bool (*compute)(const ScalarOperation *operation, const ScalarValue *operands, Bits *result);
    double (*of_doubles)(double a, double b);
    int code;
} operations[] = {
    {"arith.addf", on_floats, add, 0},
    {"arith.subf", on_floats, subtract, 0},
    {"arith.mulf", on_floats, multiply, 0},
    {"arith.divf", on_floats, divide, 0},
    {"arith.maximumf", on_floats, maximum, 0},
    {"arith.minimumf", on_floats, minimum, 0},
    {"arith.addi", on_integers, NULL, INT_ADD},
    {"arith.subi", on_integers, NULL, INT_SUB},
    {"arith.muli", on_integers, NULL, INT_MUL},
    {"arith.andi", on_integers, NULL, INT_AND},
    {"arith.ori", on_integers, NULL, INT_OR},
    {"arith.xori", on_integers, NULL, INT_XOR},
    {"arith.shli", on_integers, NULL, INT_SHL},
    {"arith.shrui", on_integers, NULL, INT_SHRU},
    {"arith.shrsi", on_integers, NULL, INT_SHRS},
    {"arith.minsi", on_integers, NULL, INT_MINS},
    {"arith.maxsi", on_integers, NULL, INT_MAXS},
    {"arith.minui", on_integers, NULL, INT_MINU},
    {"arith.maxui", on_integers, NULL, INT_MAXU},
    {"arith.divsi", on_integers, NULL, INT_DIVS},
    {"arith.divui", on_integers, NULL, INT_DIVU},
    {"arith.remsi", on_integers, NULL, INT_REMS},
    {"arith.remui", on_integers, NULL, INT_REMU},
    {"arith.cmpf", float_comparison, NULL, 0},
    {"arith.cmpi", integer_comparison, NULL, 0},
    {"arith.select", choice, NULL, 0},
    {"arith.extf", float_to_float, NULL, 0},
    {"arith.truncf", float_to_float, NULL, 0},
    {"arith.sitofp", from_integer, NULL, IS_SIGNED},
    {"arith.uitofp", from_integer, NULL, IS_UNSIGNED},
    {"arith.fptosi", to_integer, NULL, IS_SIGNED},
    {"arith.fptoui", to_integer, NULL, IS_UNSIGNED},
    {"arith.extsi", resized, NULL, IS_SIGNED},
    {"arith.extui", resized, NULL, IS_UNSIGNED},
    {"arith.trunci", resized, NULL, IS_UNSIGNED},
    {"arith.bitcast", resized, NULL, IS_UNSIGNED},
    {"arith.index_cast", resized, NULL, IS_SIGNED},
    {"arith.index_castui", resized, NULL, IS_UNSIGNED},
    {"arith.negf", negated, NULL, 0},
    {"math.absf", magnitude, NULL, 0},
    {"math.sqrt", root, NULL, 0},
};

bool scalar_resolve(MlirOperation op, ScalarOperation *operation) {
    if (mlirOperationGetNumResults(op) != 1) return false;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (!op_is(op, operations[i].name)) continue;
        MlirAttribute predicate = op_attribute(op, "predicate");
        bool compares = operations[i].compute == float_comparison ||
                        operations[i].compute == integer_comparison;
        *operation = (ScalarOperation){.compute = operations[i].compute,
                                       .of_doubles = operations[i].of_doubles,
                                       .code = operations[i].code};
        if (compares) operation->predicate = mlirIntegerAttrGetValueInt(predicate);
        return scalar_of_type(mlirValueGetType(mlirOperationGetResult(op, 0)), &operation->type);
    }
    return false;
}

bool scalar_compute(const ScalarOperation *operation, const ScalarValue *operands,
                    ScalarValue *result) {
    Bits bits = 0;
    if (!operation->compute(operation, operands, &bits)) return false;
    *result = (ScalarValue){operation->type, bits & bits_mask(operation->type.width)};
    return true;
}
