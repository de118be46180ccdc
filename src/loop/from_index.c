/* Index values: from MLIR to linear forms, and from those to INDEX and integer operations. */
#include "loop/from_affine.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>

static const Range everything = {INT64_MIN, INT64_MAX};

/* --- values to linear forms --- */

void set_linear(Importer *importer, MlirValue value, Linear linear) {
    vector_push(importer->arena, &importer->linear_list, linear);
    table_put(importer->arena, &importer->linears, value.ptr, importer->linear_list.count - 1);
}

static Linear operand_linear(Importer *importer, MlirOperation op, intptr_t k) {
    return form_of_value(importer, mlirOperationGetOperand(op, k));
}

/* A value of its own, with what is known of its range. */
static Linear opaque(Importer *importer, MlirValue value, Range range) {
    Atom atom = {.kind = ATOM_VALUE, .range = range, .value = value};
    return linear_atom(importer, atom_new(importer, atom));
}

static Linear add_form(Importer *importer, MlirOperation op, MlirValue value) {
    (void)value;
    return linear_sum(importer, operand_linear(importer, op, 0), operand_linear(importer, op, 1),
                      1);
}

static Linear subtract_form(Importer *importer, MlirOperation op, MlirValue value) {
    (void)value;
    return linear_sum(importer, operand_linear(importer, op, 0), operand_linear(importer, op, 1),
                      -1);
}

static Linear multiply_form(Importer *importer, MlirOperation op, MlirValue value) {
    Linear a = operand_linear(importer, op, 0), b = operand_linear(importer, op, 1);
    if (a.count == 0) return linear_scale(importer, b, a.constant);
    if (b.count == 0) return linear_scale(importer, a, b.constant);
    Range x = linear_range(importer, a), y = linear_range(importer, b);
    return opaque(importer, value, range_union(range_scale(x, y.low), range_scale(x, y.high)));
}

static Linear constant_form(Importer *importer, MlirOperation op, MlirValue value) {
    (void)importer, (void)value;
    return linear_constant(mlirIntegerAttrGetValueInt(op_attribute(op, "value")));
}

static Linear apply_form(Importer *importer, MlirOperation op, MlirValue value) {
    (void)value;
    return form_of_map(importer, mlirAffineMapAttrGetValue(op_attribute(op, "map")), 0, op, 0);
}

/* Division by a positive constant; exact as floor division if the dividend is not negative. */
static bool divides_simply(Importer *importer, MlirOperation op, Linear *a, int64_t *divisor) {
    Linear b = operand_linear(importer, op, 1);
    *a = operand_linear(importer, op, 0);
    *divisor = b.constant;
    return b.count == 0 && b.constant >= 1 && linear_range(importer, *a).low >= 0;
}

static Linear divide_form(Importer *importer, MlirOperation op, MlirValue value) {
    Linear a;
    int64_t divisor;
    if (!divides_simply(importer, op, &a, &divisor)) return opaque(importer, value, everything);
    if (op_is(op, "arith.ceildivsi") || op_is(op, "arith.ceildivui"))
        a = linear_sum(importer, a, linear_constant(divisor - 1), 1);
    return linear_floor_divide(importer, a, divisor);
}

static Linear remainder_form(Importer *importer, MlirOperation op, MlirValue value) {
    Linear a;
    int64_t divisor;
    if (!divides_simply(importer, op, &a, &divisor)) return opaque(importer, value, everything);
    return linear_modulo(importer, a, divisor);
}

/* Minimum or maximum of several forms: one of them, if the ranges tell which. */
static Linear extreme_form(Importer *importer, MlirValue value, const Linear *forms, int count,
                           bool maximum) {
    Range range = linear_range(importer, forms[0]);
    for (int i = 1; i < count; i++) {
        Range other = linear_range(importer, forms[i]);
        if (maximum ? other.low > range.low : other.low < range.low) range.low = other.low;
        if (maximum ? other.high > range.high : other.high < range.high) range.high = other.high;
    }
    for (int i = 0; i < count; i++) {
        bool wins = true;
        for (int k = 0; k < count; k++) {
            Range gap = linear_range(importer, linear_sum(importer, forms[i], forms[k], -1));
            wins = wins && (k == i || (maximum ? gap.low >= 0 : gap.high <= 0));
        }
        if (wins) return forms[i];
    }
    return opaque(importer, value, range);
}

static Linear minimum_form(Importer *importer, MlirOperation op, MlirValue value) {
    Linear forms[] = {operand_linear(importer, op, 0), operand_linear(importer, op, 1)};
    return extreme_form(importer, value, forms, 2, false);
}

static Linear maximum_form(Importer *importer, MlirOperation op, MlirValue value) {
    Linear forms[] = {operand_linear(importer, op, 0), operand_linear(importer, op, 1)};
    return extreme_form(importer, value, forms, 2, true);
}

static Linear map_extreme_form(Importer *importer, MlirOperation op, MlirValue value) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, "map"));
    int count = (int)mlirAffineMapGetNumResults(map);
    Linear *forms = arena_array(importer->arena, (size_t)count, sizeof *forms);
    for (int i = 0; i < count; i++) forms[i] = form_of_map(importer, map, i, op, 0);
    return extreme_form(importer, value, forms, count, op_is(op, "affine.max"));
}

static Linear cast_form(Importer *importer, MlirOperation op, MlirValue value) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
    int width = mlirTypeIsAInteger(type) ? (int)mlirIntegerTypeGetWidth(type) : 64;
    if (width >= 64) return opaque(importer, value, everything);
    if (op_is(op, "arith.index_castui"))
        return opaque(importer, value, (Range){0, (int64_t)bits_mask(width)});
    int64_t half = (int64_t)1 << (width - 1);
    return opaque(importer, value, (Range){-half, half - 1});
}

static Linear select_form(Importer *importer, MlirOperation op, MlirValue value) {
    Range a = linear_range(importer, operand_linear(importer, op, 1));
    Range b = linear_range(importer, operand_linear(importer, op, 2));
    return opaque(importer, value, range_union(a, b));
}

static const struct {
    const char *name;
    Linear (*form)(Importer *importer, MlirOperation op, MlirValue value);
} index_forms[] = {
    {"arith.constant", constant_form}, {"arith.addi", add_form},
    {"arith.subi", subtract_form},     {"arith.muli", multiply_form},
    {"affine.apply", apply_form},      {"affine.min", map_extreme_form},
    {"affine.max", map_extreme_form},  {"arith.minsi", minimum_form},
    {"arith.maxsi", maximum_form},     {"arith.divsi", divide_form},
    {"arith.divui", divide_form},      {"arith.floordivsi", divide_form},
    {"arith.ceildivsi", divide_form},  {"arith.ceildivui", divide_form},
    {"arith.remsi", remainder_form},   {"arith.remui", remainder_form},
    {"arith.index_cast", cast_form},   {"arith.index_castui", cast_form},
    {"arith.select", select_form},
};

static Linear compute_linear(Importer *importer, MlirValue value) {
    MlirOperation op = value_definition(value);
    if (mlirOperationIsNull(op)) return opaque(importer, value, everything);
    for (size_t i = 0; i < sizeof index_forms / sizeof *index_forms; i++)
        if (op_is(op, index_forms[i].name)) return index_forms[i].form(importer, op, value);
    return opaque(importer, value, everything);
}

Linear form_of_value(Importer *importer, MlirValue value) {
    int64_t index;
    if (table_get(&importer->linears, value.ptr, &index)) return importer->linear_list.items[index];
    Linear linear = compute_linear(importer, value);
    set_linear(importer, value, linear);
    return linear;
}

/* --- linear forms to operations of the piece --- */

bool linear_to_affine(Importer *importer, Linear linear, Affine *form) {
    const Nest *piece = current_piece(importer);
    *form = affine_new(importer->arena, piece->loop_count, linear.constant);
    for (int i = 0; i < linear.count; i++) {
        int level = 0;
        while (level < importer->levels.count &&
               importer->levels.items[level].atom != linear.terms[i].atom)
            level++;
        if (level == importer->levels.count) return false;
        form->coefficients[level] = linear.terms[i].factor;
    }
    return true;
}

/* log2 of a power of two, else -1. */
static int power_of_two(int64_t value) {
    if (value < 1 || (value & (value - 1)) != 0) return -1;
    int power = 0;
    while (value > 1) {
        value >>= 1;
        power++;
    }
    return power;
}

static int constant(Importer *importer, int width, int64_t value) {
    return append_constant(importer->arena, current_piece(importer), SCALAR_I(width), (Bits)value);
}

static int binary(Importer *importer, Opcode opcode, int a, int b) {
    return append_binary(importer->arena, current_piece(importer), opcode, a, b);
}

/* floor(numerator / divisor) where the numerator is 0 .. limit: a shift, or a multiplication by a
 * rounded reciprocal m / 2^s, which is exact where (m x divisor - 2^s) x limit < 2^s. */
static int divide_by_constant(Importer *importer, Linear numerator, int64_t limit, int64_t divisor,
                              int width) {
    int power = power_of_two(divisor);
    int own = range_width((Range){0, limit}, false);
    if (power >= 0) {
        int value = materialize(importer, numerator, own);
        int quotient =
            binary(importer, OP_SHIFT_RIGHT_UNSIGNED, value, constant(importer, own, power));
        return convert_width(importer, quotient, width, false);
    }
    for (int shift = 1; shift < 62; shift++) {
        int64_t unit = (int64_t)1 << shift, factor = (unit + divisor - 1) / divisor;
        int64_t excess = factor * divisor - unit;
        if (excess > 0 && limit > (unit - 1) / excess) continue;
        if (limit > INT64_MAX / factor) break;
        int wide = range_width((Range){0, limit * factor}, false);
        if (wide <= shift) wide = shift + 1;
        int product = binary(importer, OP_MULTIPLY, materialize(importer, numerator, wide),
                             constant(importer, wide, factor));
        int quotient =
            binary(importer, OP_SHIFT_RIGHT_UNSIGNED, product, constant(importer, wide, shift));
        return convert_width(importer, quotient, width, false);
    }
    int divided = binary(importer, OP_DIVIDE_UNSIGNED, materialize(importer, numerator, own),
                         constant(importer, own, divisor));
    return convert_width(importer, divided, width, false);
}

/* Floor division of what may be anything: divsi rounds toward zero, so negative ones that leave a
 * remainder are one too high. */
static int divide_signed(Importer *importer, Linear numerator, int64_t divisor, int width) {
    Nest *piece = current_piece(importer);
    int value = materialize(importer, numerator, 64), by = constant(importer, 64, divisor);
    int quotient = binary(importer, OP_DIVIDE_SIGNED, value, by);
    int rest = binary(importer, OP_REMAINDER_SIGNED, value, by);
    int below = append_compare(importer->arena, piece, OP_COMPARE, COMPARE_SLT, rest,
                               constant(importer, 64, 0));
    int lower = append_unary(importer->arena, piece, OP_EXTEND_SIGNED, SCALAR_I(64), below);
    return convert_width(importer, binary(importer, OP_ADD, quotient, lower), width, true);
}

static int materialize_quotient(Importer *importer, const Atom *atom, int width) {
    Range range = linear_range(importer, atom->numerator);
    Linear numerator = atom->numerator;
    int64_t divisor = atom->divisor;
    if (range.low == INT64_MIN || range.high == INT64_MAX)
        return divide_signed(importer, numerator, divisor, width);
    if (range.low >= 0) return divide_by_constant(importer, numerator, range.high, divisor, width);
    /* Lifted by a multiple of the divisor it is not negative. */
    int64_t lift = -floor_divide(range.low, divisor);
    Linear lifted = linear_sum(importer, numerator, linear_constant(lift * divisor), 1);
    int quotient =
        divide_by_constant(importer, lifted, range.high + lift * divisor, divisor, width);
    return binary(importer, OP_SUBTRACT, quotient, constant(importer, width, lift));
}

static int materialize_atom(Importer *importer, int number, int width) {
    Atom atom = importer->atoms.items[number];
    if (atom.kind == ATOM_QUOTIENT) return materialize_quotient(importer, &atom, width);
    return convert_width(importer, value_operation(importer, atom.value), width, true);
}

/* sum + factor x value, where sum may be -1 for nothing. */
static int add_term(Importer *importer, int sum, int value, int64_t factor, int width) {
    bool subtract = factor < 0 && sum >= 0;
    int64_t size = subtract ? -factor : factor;
    int power = power_of_two(size);
    if (power > 0)
        value = binary(importer, OP_SHIFT_LEFT, value, constant(importer, width, power));
    else if (power < 0)
        value = binary(importer, OP_MULTIPLY, value, constant(importer, width, size));
    if (sum < 0) return value;
    return binary(importer, subtract ? OP_SUBTRACT : OP_ADD, sum, value);
}

int materialize(Importer *importer, Linear linear, int width) {
    Linear loops = {linear.constant, 0, NULL}, others = {0, 0, NULL};
    loops.terms = arena_array(importer->arena, (size_t)linear.count, sizeof(Term));
    others.terms = arena_array(importer->arena, (size_t)linear.count, sizeof(Term));
    for (int i = 0; i < linear.count; i++) {
        bool loop = importer->atoms.items[linear.terms[i].atom].kind == ATOM_LOOP;
        Linear *part = loop ? &loops : &others;
        part->terms[part->count++] = linear.terms[i];
    }
    int sum = -1;
    if (loops.count > 0) {
        Operation index = operation_new(OP_INDEX, SCALAR_I(width));
        if (!linear_to_affine(importer, loops, &index.affine))
            error_at(importer->diagnostics, STATUS_INTERNAL, NULL,
                     "a loop index is used outside of its loop");
        sum = nest_append(importer->arena, current_piece(importer), index);
    } else if (loops.constant != 0 || others.count == 0) {
        sum = constant(importer, width, loops.constant);
    }
    for (int i = 0; i < others.count; i++) {
        int value = materialize_atom(importer, others.terms[i].atom, width);
        sum = add_term(importer, sum, value, others.terms[i].factor, width);
    }
    return sum;
}

/* --- conditions --- */

int materialize_constraint(Importer *importer, Linear linear, bool equality) {
    Nest *piece = current_piece(importer);
    Range range = linear_range(importer, linear);
    bool never = range.high < 0 || (equality && (range.low > 0 || range.high < 0));
    if (never) return constant(importer, 1, 0);
    if (range.low >= 0 && (!equality || range.high == 0)) return constant(importer, 1, 1);
    Affine form;
    if (linear_to_affine(importer, linear, &form))
        return append_constraint(importer->arena, piece, &form, equality, &never);
    int width = range_width(range_union(range, (Range){0, 0}), true);
    return append_compare(importer->arena, piece, OP_COMPARE, equality ? COMPARE_EQ : COMPARE_SGE,
                          materialize(importer, linear, width), constant(importer, width, 0));
}

/* Signed compares as constraints on sign x (a - b) + slack. */
static const struct {
    int sign, slack;
    bool equality, negated;
} compare_rules[] = {
    [COMPARE_EQ] = {1, 0, true, false},     [COMPARE_NE] = {1, 0, true, true},
    [COMPARE_SLT] = {-1, -1, false, false}, [COMPARE_SLE] = {-1, 0, false, false},
    [COMPARE_SGT] = {1, -1, false, false},  [COMPARE_SGE] = {1, 0, false, false},
    [COMPARE_ULT] = {-1, -1, false, false}, [COMPARE_ULE] = {-1, 0, false, false},
    [COMPARE_UGT] = {1, -1, false, false},  [COMPARE_UGE] = {1, 0, false, false},
};

int materialize_compare(Importer *importer, int condition, Linear a, Linear b) {
    Range x = linear_range(importer, a), y = linear_range(importer, b);
    Linear gap = linear_sum(importer, a, b, -1);
    Range range = linear_range(importer, gap);
    bool is_unsigned = condition >= COMPARE_ULT;
    bool wraps = range.low == INT64_MIN || range.high == INT64_MAX ||
                 (is_unsigned && (x.low < 0 || y.low < 0));
    if (wraps) {
        int width = is_unsigned ? 64 : range_width(range_union(x, y), true);
        int left = materialize(importer, a, width), right = materialize(importer, b, width);
        return append_compare(importer->arena, current_piece(importer), OP_COMPARE, condition, left,
                              right);
    }
    Linear form = linear_sum(importer, linear_constant(compare_rules[condition].slack), gap,
                             compare_rules[condition].sign);
    int holds = materialize_constraint(importer, form, compare_rules[condition].equality);
    return compare_rules[condition].negated ? negate_condition(importer, holds) : holds;
}
