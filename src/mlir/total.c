/* Pass "tepal-total": gives every operation a result for every operand.
 *
 * MLIR leaves some results undefined (x / 0, a shift by the width, a float that does not fit an
 * integer, memory that was never written) or open (the sign of max(+0, -0)). The reference and the
 * hardware must agree on all of them, so each such operation is rewritten here, at the start of the
 * road, into operations whose results are defined. docs/numerics.md lists the results.
 *
 * Where a constant operand shows that the case cannot occur, the operation stays as it is. The
 * guarded operation inside an expansion is marked with the attribute tepal.total, so that the
 * pass can run twice. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <math.h>
#include <string.h>

enum { CMPI_EQ = 0, CMPI_SLT = 2, CMPI_SGT = 4, CMPI_ULT = 6 };
enum { CMPF_OGT = 2, CMPF_OGE = 3, CMPF_OLT = 4, CMPF_UNO = 14 };

static MlirValue operand(MlirOperation op, int index) {
    return mlirOperationGetOperand(op, index);
}

static MlirType result_type(MlirOperation op) {
    return mlirValueGetType(mlirOperationGetResult(op, 0));
}

static int width_of(MlirType type) {
    Scalar scalar;
    return scalar_of_type(type, &scalar) ? scalar.width : 0;
}

static MlirType bool_type(Builder *builder) {
    return mlirIntegerTypeGet(builder->context, 1);
}

static MlirValue both(Builder *b, MlirValue x, MlirValue y) {
    return build2(b, "arith.andi", bool_type(b), x, y);
}

static MlirValue either(Builder *b, MlirValue x, MlirValue y) {
    return build2(b, "arith.ori", bool_type(b), x, y);
}

static int64_t least(int width) {
    return (int64_t)(~(uint64_t)0 << (width - 1));
}

/* The same operation on operands that are in range; marked, so that it is not expanded again. */
static MlirValue guarded(Builder *b, MlirOperation op, int count, const MlirValue *operands) {
    MlirOperation copy = mlirOperationClone(op);
    for (int i = 0; i < count; i++) mlirOperationSetOperand(copy, i, operands[i]);
    op_set(copy, "tepal.total", mlirUnitAttrGet(b->context));
    build_insert(b, copy);
    return mlirOperationGetResult(copy, 0);
}

/* --- division --- */

/* The divisor, with 1 in place of 0 and, where signed, of -1 under MIN: the quotient of MIN / 1 is
 * MIN, its remainder 0, as it should be. */
static MlirValue safe_divisor(Builder *b, MlirOperation op, bool is_signed, MlirValue *is_zero) {
    MlirValue x = operand(op, 0), y = operand(op, 1);
    MlirType type = mlirValueGetType(y);
    *is_zero = build_compare(b, "arith.cmpi", CMPI_EQ, y, build_integer(b, type, 0));
    MlirValue unsafe = *is_zero;
    if (is_signed) {
        MlirValue smallest = build_integer(b, type, least(width_of(type)));
        MlirValue is_least = build_compare(b, "arith.cmpi", CMPI_EQ, x, smallest);
        MlirValue minus_one = build_integer(b, type, -1);
        MlirValue is_minus_one = build_compare(b, "arith.cmpi", CMPI_EQ, y, minus_one);
        unsafe = either(b, unsafe, both(b, is_least, is_minus_one));
    }
    return build_select(b, unsafe, build_integer(b, type, 1), y);
}

static bool divides_safely(MlirOperation op) {
    int64_t divisor;
    return constant_integer(operand(op, 1), &divisor) && divisor != 0 && divisor != -1;
}

static MlirValue expand_division(Builder *b, MlirOperation op, bool is_signed) {
    MlirValue is_zero, divisor = safe_divisor(b, op, is_signed, &is_zero);
    MlirValue quotient = guarded(b, op, 2, (MlirValue[]){operand(op, 0), divisor});
    return build_select(b, is_zero, build_integer(b, result_type(op), -1), quotient);
}

static MlirValue expand_remainder(Builder *b, MlirOperation op, bool is_signed) {
    MlirValue is_zero, divisor = safe_divisor(b, op, is_signed, &is_zero);
    MlirValue remainder = guarded(b, op, 2, (MlirValue[]){operand(op, 0), divisor});
    return build_select(b, is_zero, operand(op, 0), remainder);
}

static MlirValue expand_divsi(Builder *b, MlirOperation op) {
    return expand_division(b, op, true);
}
static MlirValue expand_divui(Builder *b, MlirOperation op) {
    return expand_division(b, op, false);
}
static MlirValue expand_remsi(Builder *b, MlirOperation op) {
    return expand_remainder(b, op, true);
}
static MlirValue expand_remui(Builder *b, MlirOperation op) {
    return expand_remainder(b, op, false);
}

/* An operation of another name on the same operands, guarded. */
static MlirValue guarded_as(Builder *b, const char *name, MlirValue x, MlirValue y) {
    MlirValue value = build2(b, name, mlirValueGetType(x), x, y);
    op_set(value_definition(value), "tepal.total", mlirUnitAttrGet(b->context));
    return value;
}

/* floor and ceil of a quotient: the truncated one, one off where a remainder is left and the signs
 * say so. x / 0 is -1 here too. */
static MlirValue expand_rounded_division(Builder *b, MlirOperation op, bool up) {
    MlirValue is_zero, x = operand(op, 0), divisor = safe_divisor(b, op, true, &is_zero);
    MlirType type = result_type(op);
    MlirValue zero = build_integer(b, type, 0);
    MlirValue quotient = guarded_as(b, "arith.divsi", x, divisor);
    MlirValue product = build2(b, "arith.muli", type, quotient, divisor);
    MlirValue exact = build_compare(b, "arith.cmpi", CMPI_EQ, product, x);
    MlirValue negative_x = build_compare(b, "arith.cmpi", CMPI_SLT, x, zero);
    MlirValue negative_y = build_compare(b, "arith.cmpi", CMPI_SLT, divisor, zero);
    MlirValue differ = build2(b, "arith.xori", bool_type(b), negative_x, negative_y);
    MlirValue adjusted =
        build2(b, "arith.addi", type, quotient, build_integer(b, type, up ? 1 : -1));
    MlirValue rounded = up ? build_select(b, differ, quotient, adjusted)
                           : build_select(b, differ, adjusted, quotient);
    rounded = build_select(b, exact, quotient, rounded);
    return build_select(b, is_zero, build_integer(b, type, -1), rounded);
}

static MlirValue expand_floordivsi(Builder *b, MlirOperation op) {
    return expand_rounded_division(b, op, false);
}
static MlirValue expand_ceildivsi(Builder *b, MlirOperation op) {
    return expand_rounded_division(b, op, true);
}

static MlirValue expand_ceildivui(Builder *b, MlirOperation op) {
    MlirValue is_zero, x = operand(op, 0), divisor = safe_divisor(b, op, false, &is_zero);
    MlirType type = result_type(op);
    MlirValue quotient = guarded_as(b, "arith.divui", x, divisor);
    MlirValue product = build2(b, "arith.muli", type, quotient, divisor);
    MlirValue exact = build_compare(b, "arith.cmpi", CMPI_EQ, product, x);
    MlirValue next = build2(b, "arith.addi", type, quotient, build_integer(b, type, 1));
    MlirValue rounded = build_select(b, exact, quotient, next);
    return build_select(b, is_zero, build_integer(b, type, -1), rounded);
}

/* --- shifts --- */

static bool shifts_safely(MlirOperation op) {
    int64_t amount;
    return constant_integer(operand(op, 1), &amount) && amount >= 0 &&
           amount < width_of(result_type(op));
}

static MlirValue expand_shift(Builder *b, MlirOperation op) {
    MlirType type = result_type(op);
    int width = width_of(type);
    MlirValue limit = build_integer(b, type, width), zero = build_integer(b, type, 0);
    if (width == 1) { /* the width is no number of the type; only a shift by 0 is in range */
        MlirValue moves = operand(op, 1), value = operand(op, 0);
        return op_is(op, "arith.shrsi") ? value : build_select(b, moves, zero, value);
    }
    MlirValue fits = build_compare(b, "arith.cmpi", CMPI_ULT, operand(op, 1), limit);
    bool keeps_sign = op_is(op, "arith.shrsi");
    MlirValue otherwise = keeps_sign ? build_integer(b, type, width - 1) : zero;
    MlirValue amount = build_select(b, fits, operand(op, 1), otherwise);
    MlirValue shifted = guarded(b, op, 2, (MlirValue[]){operand(op, 0), amount});
    return keeps_sign ? shifted : build_select(b, fits, shifted, zero);
}

/* --- floats --- */

static double largest_finite(Scalar type) {
    Bits infinity = (((Bits)1 << type.exponent) - 1) << (type.width - type.exponent - 1);
    return bits_to_double(type, infinity - 1);
}

/* Toward zero; what does not fit gives the nearest integer that does, NaN gives 0. Both bounds are
 * powers of two, or 0, so that they are exact in the float type if they are in its range. */
static MlirValue expand_to_integer(Builder *b, MlirOperation op, bool is_signed) {
    MlirType from = mlirValueGetType(operand(op, 0)), to = result_type(op);
    Scalar type;
    if (!scalar_of_type(from, &type)) return operand(op, 0);
    int width = width_of(to);
    double largest = largest_finite(type), limit = ldexp(1, is_signed ? width - 1 : width);
    double low = is_signed ? -limit : 0;
    MlirValue x = operand(op, 0), zero = build_integer(b, to, 0);
    MlirValue low_value = build_float(b, from, low < -largest ? -largest : low);
    MlirValue high_value = build_float(b, from, limit > largest ? INFINITY : limit);
    MlirValue not_below = build_compare(b, "arith.cmpf", CMPF_OGE, x, low_value);
    MlirValue not_above = build_compare(b, "arith.cmpf", CMPF_OLT, x, high_value);
    MlirValue fits = both(b, not_below, not_above);
    MlirValue safe = build_select(b, fits, x, build_float(b, from, 0));
    MlirValue converted = guarded(b, op, 1, &safe);
    /* NaN is neither; below the range `not_above` alone holds. */
    int64_t most = is_signed ? ~least(width) : -1;
    MlirValue edge = zero;
    if (is_signed) edge = build_select(b, not_above, build_integer(b, to, least(width)), zero);
    edge = build_select(b, not_below, build_integer(b, to, most), edge);
    return build_select(b, fits, converted, edge);
}

static MlirValue expand_fptosi(Builder *b, MlirOperation op) {
    return expand_to_integer(b, op, true);
}
static MlirValue expand_fptoui(Builder *b, MlirOperation op) {
    return expand_to_integer(b, op, false);
}

/* x if it is larger (smaller) or y is NaN, else y: of two zeros the second one. */
static MlirValue expand_number(Builder *b, MlirOperation op, int64_t predicate) {
    MlirValue x = operand(op, 0), y = operand(op, 1);
    MlirValue wins = build_compare(b, "arith.cmpf", predicate, x, y);
    MlirValue y_is_nan = build_compare(b, "arith.cmpf", CMPF_UNO, y, y);
    return build_select(b, either(b, wins, y_is_nan), x, y);
}

static MlirValue expand_maxnumf(Builder *b, MlirOperation op) {
    return expand_number(b, op, CMPF_OGT);
}
static MlirValue expand_minnumf(Builder *b, MlirOperation op) {
    return expand_number(b, op, CMPF_OLT);
}

/* --- the table --- */

typedef struct Expansion {
    const char *name;
    bool (*is_safe)(MlirOperation op); /* NULL: never */
    MlirValue (*expand)(Builder *builder, MlirOperation op);
} Expansion;

static const Expansion expansions[] = {
    {"arith.divsi", divides_safely, expand_divsi}, {"arith.divui", divides_safely, expand_divui},
    {"arith.remsi", divides_safely, expand_remsi}, {"arith.remui", divides_safely, expand_remui},
    {"arith.floordivsi", NULL, expand_floordivsi}, {"arith.ceildivsi", NULL, expand_ceildivsi},
    {"arith.ceildivui", NULL, expand_ceildivui},   {"arith.shli", shifts_safely, expand_shift},
    {"arith.shrui", shifts_safely, expand_shift},  {"arith.shrsi", shifts_safely, expand_shift},
    {"arith.fptosi", NULL, expand_fptosi},         {"arith.fptoui", NULL, expand_fptoui},
    {"arith.maxnumf", NULL, expand_maxnumf},       {"arith.minnumf", NULL, expand_minnumf},
};

static const Expansion *find_expansion(MlirOperation op) {
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
        if (op_is(op, expansions[i].name)) return &expansions[i];
    return NULL;
}

bool op_is_total(MlirOperation op) {
    const Expansion *expansion = find_expansion(op);
    return !expansion || op_has(op, "tepal.total") ||
           (expansion->is_safe && expansion->is_safe(op));
}

static bool needs_expansion(MlirOperation op) {
    Scalar scalar;
    return !op_is_total(op) && scalar_of_type(result_type(op), &scalar);
}

bool pass_total(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList list = ops_collect(session->arena, root, needs_expansion);
    for (int i = 0; i < list.count; i++) {
        MlirOperation op = list.items[i];
        Builder builder = builder_before(op);
        MlirValue value = find_expansion(op)->expand(&builder, op);
        op_replace(op, 1, &value);
    }
    return total_guards(session, module) && total_memory(session, module);
}
