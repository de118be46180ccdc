/* Affine expressions; see affine.h. */
#include "mlir/affine.h"

/* --- ranges --- */

static Range constant_range(int64_t value) {
    return (Range){value, value, true};
}

static bool constant_bound(MlirOperation loop, const char *name, int64_t *bound) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(loop, name));
    if (!mlirAffineMapIsSingleConstant(map)) return false;
    *bound = mlirAffineMapGetSingleConstantResult(map);
    return true;
}

Range range_of_value(MlirValue value) {
    Range unknown = {0, 0, false};
    int64_t constant, low, high;
    if (constant_integer(value, &constant)) return constant_range(constant);
    if (!mlirValueIsABlockArgument(value)) return unknown;
    MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (!op_is(loop, "affine.for") || mlirBlockArgumentGetArgNumber(value) != 0) return unknown;
    if (!constant_bound(loop, "lowerBoundMap", &low) ||
        !constant_bound(loop, "upperBoundMap", &high) || high <= low)
        return unknown;
    int64_t step = mlirIntegerAttrGetValueInt(op_attribute(loop, "step"));
    return (Range){low, low + (high - 1 - low) / step * step, true};
}

/* Larger numbers than these come from no sane program, and sums of products of smaller ones do not
 * overflow. */
static bool moderate(Range range) {
    const int64_t limit = (int64_t)1 << 40;
    return range.known && range.low > -limit && range.high < limit;
}

static Range range_sum(Range a, Range b) {
    return (Range){a.low + b.low, a.high + b.high, true};
}

static Range range_times(Range a, int64_t factor) {
    const int64_t limit = (int64_t)1 << 20;
    if (factor > limit || factor < -limit) return (Range){0, 0, false};
    int64_t x = a.low * factor, y = a.high * factor;
    return x < y ? (Range){x, y, true} : (Range){y, x, true};
}

static Range range_divided(MlirAffineExpr expr, Range a, int64_t divisor) {
    if (mlirAffineExprIsAFloorDiv(expr))
        return (Range){floor_divide(a.low, divisor), floor_divide(a.high, divisor), true};
    if (mlirAffineExprIsACeilDiv(expr))
        return (Range){-floor_divide(-a.low, divisor), -floor_divide(-a.high, divisor), true};
    bool unchanged = a.low >= 0 && a.high < divisor; /* mod */
    return unchanged ? a : (Range){0, divisor - 1, true};
}

static Range range_of_binary(MlirAffineExpr expr, int dims, const MlirValue *operands) {
    Range unknown = {0, 0, false};
    Range a = range_of_expr(mlirAffineBinaryOpExprGetLHS(expr), dims, operands);
    Range b = range_of_expr(mlirAffineBinaryOpExprGetRHS(expr), dims, operands);
    if (!moderate(a) || !moderate(b)) return unknown;
    if (mlirAffineExprIsAAdd(expr)) return range_sum(a, b);
    if (mlirAffineExprIsAMul(expr) && b.low == b.high) return range_times(a, b.low);
    if (mlirAffineExprIsAMul(expr) && a.low == a.high) return range_times(b, a.low);
    if (mlirAffineExprIsAMul(expr) || b.low != b.high || b.low <= 0) return unknown;
    return range_divided(expr, a, b.low);
}

Range range_of_expr(MlirAffineExpr expr, int dims, const MlirValue *operands) {
    if (mlirAffineExprIsAConstant(expr))
        return constant_range(mlirAffineConstantExprGetValue(expr));
    if (mlirAffineExprIsADim(expr))
        return range_of_value(operands[mlirAffineDimExprGetPosition(expr)]);
    if (mlirAffineExprIsASymbol(expr))
        return range_of_value(operands[dims + mlirAffineSymbolExprGetPosition(expr)]);
    return range_of_binary(expr, dims, operands);
}

/* --- linear forms --- */

static bool add_linear(MlirAffineExpr expr, int dims, int64_t factor, Linear *linear) {
    if (mlirAffineExprIsAConstant(expr)) {
        linear->constant += factor * mlirAffineConstantExprGetValue(expr);
        return true;
    }
    if (mlirAffineExprIsADim(expr)) {
        linear->coefficients[mlirAffineDimExprGetPosition(expr)] += factor;
        return true;
    }
    if (mlirAffineExprIsASymbol(expr)) {
        linear->coefficients[dims + mlirAffineSymbolExprGetPosition(expr)] += factor;
        return true;
    }
    MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expr);
    MlirAffineExpr right = mlirAffineBinaryOpExprGetRHS(expr);
    if (mlirAffineExprIsAAdd(expr))
        return add_linear(left, dims, factor, linear) && add_linear(right, dims, factor, linear);
    if (!mlirAffineExprIsAMul(expr)) return false;
    if (mlirAffineExprIsAConstant(right))
        return add_linear(left, dims, factor * mlirAffineConstantExprGetValue(right), linear);
    return mlirAffineExprIsAConstant(left) &&
           add_linear(right, dims, factor * mlirAffineConstantExprGetValue(left), linear);
}

bool linear_of_expr(Arena *arena, MlirAffineExpr expr, int dims, int symbols, Linear *linear) {
    linear->constant = 0;
    linear->count = dims + symbols;
    linear->coefficients = arena_array(arena, (size_t)linear->count + 1, sizeof(int64_t));
    return add_linear(expr, dims, 1, linear);
}

/* --- substitution --- */

MlirAffineExpr expr_replace(MlirAffineExpr expr, const MlirAffineExpr *dims,
                            const MlirAffineExpr *symbols) {
    if (mlirAffineExprIsAConstant(expr)) return expr;
    if (mlirAffineExprIsADim(expr)) return dims[mlirAffineDimExprGetPosition(expr)];
    if (mlirAffineExprIsASymbol(expr)) return symbols[mlirAffineSymbolExprGetPosition(expr)];
    static const struct {
        bool (*is)(MlirAffineExpr expr);
        MlirAffineExpr (*get)(MlirAffineExpr left, MlirAffineExpr right);
    } kinds[] = {{mlirAffineExprIsAAdd, mlirAffineAddExprGet},
                 {mlirAffineExprIsAMul, mlirAffineMulExprGet},
                 {mlirAffineExprIsAMod, mlirAffineModExprGet},
                 {mlirAffineExprIsAFloorDiv, mlirAffineFloorDivExprGet},
                 {mlirAffineExprIsACeilDiv, mlirAffineCeilDivExprGet}};
    MlirAffineExpr left = expr_replace(mlirAffineBinaryOpExprGetLHS(expr), dims, symbols);
    MlirAffineExpr right = expr_replace(mlirAffineBinaryOpExprGetRHS(expr), dims, symbols);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].is(expr)) return kinds[i].get(left, right);
    return expr;
}

MlirAffineExpr operand_dim(Operands *operands, MlirValue value) {
    int position = 0;
    while (position < operands->values.count &&
           !mlirValueEqual(operands->values.items[position], value))
        position++;
    if (position == operands->values.count) vector_push(operands->arena, &operands->values, value);
    return mlirAffineDimExprGet(operands->context, position);
}

/* --- values as expressions --- */

static bool is_counter(MlirValue value) {
    if (!mlirValueIsABlockArgument(value)) return false;
    MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    return op_is(loop, "affine.for") && mlirBlockArgumentGetArgNumber(value) == 0;
}

static int width_of_value(MlirValue value) {
    MlirType type = mlirValueGetType(value);
    return mlirTypeIsAInteger(type) ? (int)mlirIntegerTypeGetWidth(type) : 64;
}

/* If a constraint, `form` >= 0, bounds `expr` from below or above by a constant, narrows the range.
 */
static void narrow_by(const Operands *operands, const Linear *form, MlirAffineExpr expr,
                      Range *range) {
    Linear own;
    if (!linear_of_expr(operands->arena, expr, operands->values.count, 0, &own)) return;
    bool same = true, opposite = true;
    for (int i = 0; i < own.count; i++) {
        same = same && own.coefficients[i] == form->coefficients[i];
        opposite = opposite && own.coefficients[i] == -form->coefficients[i];
    }
    int64_t low = own.constant - form->constant, high = own.constant + form->constant;
    if (same && range->low < low) range->low = low;
    if (opposite && range->high > high) range->high = high;
}

/* The constraints of an affine.if around the user, in the branch where they hold. */
static void narrow_by_condition(Operands *operands, MlirOperation condition, MlirAffineExpr expr,
                                Range *range) {
    MlirIntegerSet set = set_of_attribute(operands->arena, op_attribute(condition, "condition"));
    if (mlirIntegerSetIsNull(set)) return;
    int dims = (int)mlirIntegerSetGetNumDims(set), count = (int)mlirIntegerSetGetNumInputs(set);
    MlirAffineExpr *parts = arena_array(operands->arena, (size_t)count + 1, sizeof *parts);
    for (int i = 0; i < count; i++)
        if (!expr_of_value(operands, mlirOperationGetOperand(condition, i), &parts[i])) return;
    for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++) {
        MlirAffineExpr constraint =
            expr_replace(mlirIntegerSetGetConstraint(set, i), parts, parts + dims);
        Linear form;
        if (linear_of_expr(operands->arena, constraint, operands->values.count, 0, &form))
            narrow_by(operands, &form, expr, range);
    }
}

static bool in_first_region(MlirOperation op, MlirOperation parent) {
    MlirBlock block = mlirOperationGetBlock(op);
    return mlirRegionEqual(mlirBlockGetParentRegion(block), mlirOperationGetRegion(parent, 0));
}

static Range range_here(Operands *operands, MlirAffineExpr expr) {
    Range range = range_of_expr(expr, operands->values.count, operands->values.items);
    if (!range.known || mlirOperationIsNull(operands->user)) return range;
    MlirOperation inner = operands->user, user = operands->user, none = {NULL};
    operands->user = none; /* the conditions themselves are taken as they are */
    for (MlirOperation op = mlirOperationGetParentOperation(inner); !mlirOperationIsNull(op);
         inner = op, op = mlirOperationGetParentOperation(op))
        if (op_is(op, "affine.if") && in_first_region(inner, op))
            narrow_by_condition(operands, op, expr, &range);
    operands->user = user;
    return range;
}

/* True if the value of `expr` survives in a signed integer of that width. */
static bool fits(Operands *operands, MlirAffineExpr expr, int width) {
    if (width >= 64) return true;
    Range range = range_here(operands, expr);
    int64_t limit = (int64_t)1 << (width - 1);
    return range.known && range.low >= -limit && range.high < limit;
}

static bool not_negative(Operands *operands, MlirAffineExpr expr) {
    Range range = range_here(operands, expr);
    return range.known && range.low >= 0;
}

static bool expr_of_apply(Operands *operands, MlirOperation op, MlirAffineExpr *expr) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, "map"));
    int count = (int)mlirOperationGetNumOperands(op), dims = (int)mlirAffineMapGetNumDims(map);
    MlirAffineExpr *parts = arena_array(operands->arena, (size_t)count + 1, sizeof *parts);
    for (int i = 0; i < count; i++)
        if (!expr_of_value(operands, mlirOperationGetOperand(op, i), &parts[i])) return false;
    *expr = expr_replace(mlirAffineMapGetResult(map, 0), parts, parts + dims);
    return true;
}

typedef enum ArithmeticKind {
    KIND_ADD,
    KIND_SUBTRACT,
    KIND_MULTIPLY,
    KIND_DIVIDE,
    KIND_MOD
} ArithmeticKind;

static bool combine(Operands *operands, ArithmeticKind kind, MlirAffineExpr a, MlirAffineExpr b,
                    MlirAffineExpr *expr) {
    bool constant = mlirAffineExprIsAConstant(b);
    int64_t value = constant ? mlirAffineConstantExprGetValue(b) : 0;
    switch (kind) {
    case KIND_ADD: *expr = mlirAffineAddExprGet(a, b); return true;
    case KIND_SUBTRACT: {
        MlirAffineExpr minus = mlirAffineConstantExprGet(operands->context, -1);
        *expr = mlirAffineAddExprGet(a, mlirAffineMulExprGet(b, minus));
        return true;
    }
    case KIND_MULTIPLY:
        if (!constant && !mlirAffineExprIsAConstant(a)) return false;
        *expr = constant ? mlirAffineMulExprGet(a, b) : mlirAffineMulExprGet(b, a);
        return true;
    case KIND_DIVIDE:
        if (value <= 0 || !not_negative(operands, a)) return false;
        *expr = mlirAffineFloorDivExprGet(a, b);
        return true;
    case KIND_MOD:
        if (value <= 0 || !not_negative(operands, a)) return false;
        *expr = mlirAffineModExprGet(a, b);
        return true;
    }
    return false;
}

static bool expr_of_arithmetic(Operands *operands, MlirOperation op, MlirAffineExpr *expr) {
    static const struct {
        const char *name;
        ArithmeticKind kind;
    } kinds[] = {{"arith.addi", KIND_ADD},      {"arith.subi", KIND_SUBTRACT},
                 {"arith.muli", KIND_MULTIPLY}, {"arith.divsi", KIND_DIVIDE},
                 {"arith.divui", KIND_DIVIDE},  {"arith.floordivsi", KIND_DIVIDE},
                 {"arith.remsi", KIND_MOD},     {"arith.remui", KIND_MOD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!op_is(op, kinds[i].name)) continue;
        MlirAffineExpr a, b;
        return expr_of_value(operands, mlirOperationGetOperand(op, 0), &a) &&
               expr_of_value(operands, mlirOperationGetOperand(op, 1), &b) &&
               combine(operands, kinds[i].kind, a, b, expr) &&
               fits(operands, *expr, width_of_value(mlirOperationGetResult(op, 0)));
    }
    return false;
}

/* Casts that keep the value, seen as signed. */
static bool expr_of_cast(Operands *operands, MlirOperation op, MlirAffineExpr *expr) {
    static const struct {
        const char *name;
        bool is_unsigned, from_float;
    } casts[] = {{"arith.index_cast", false, false},  {"arith.extsi", false, false},
                 {"arith.trunci", false, false},      {"arith.extui", true, false},
                 {"arith.index_castui", true, false}, {"arith.fptosi", false, true},
                 {"arith.fptoui", true, true}};
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        if (!op_is(op, casts[i].name)) continue;
        MlirValue source = mlirOperationGetOperand(op, 0);
        bool known = casts[i].from_float ? expr_of_float(operands, source, expr)
                                         : expr_of_value(operands, source, expr);
        if (!known || (casts[i].is_unsigned && !not_negative(operands, *expr))) return false;
        return fits(operands, *expr, width_of_value(mlirOperationGetResult(op, 0)));
    }
    return false;
}

/* An integral constant float. */
static bool expr_of_float_constant(Operands *operands, MlirOperation op, MlirAffineExpr *expr) {
    const double limit = 1e9;
    MlirAttribute attribute = op_attribute(op, "value");
    if (!mlirAttributeIsAFloat(attribute)) return false;
    double value = mlirFloatAttrGetValueDouble(attribute);
    if (!(value > -limit && value < limit) || value != (double)(int64_t)value) return false;
    *expr = mlirAffineConstantExprGet(operands->context, (int64_t)value);
    return true;
}

bool expr_of_float(Operands *operands, MlirValue value, MlirAffineExpr *expr) {
    Scalar type;
    MlirOperation op = value_definition(value);
    if (!scalar_of_type(mlirValueGetType(value), &type) || mlirOperationIsNull(op)) return false;
    if (op_is(op, "arith.constant")) return expr_of_float_constant(operands, op, expr);
    bool is_unsigned = op_is(op, "arith.uitofp");
    if (!is_unsigned && !op_is(op, "arith.sitofp")) return false;
    if (!expr_of_value(operands, mlirOperationGetOperand(op, 0), expr)) return false;
    if (is_unsigned && !not_negative(operands, *expr)) return false;
    int digits = type.width - type.exponent; /* with the hidden bit and the sign */
    Range range = range_of_expr(*expr, operands->values.count, operands->values.items);
    int64_t limit = (int64_t)1 << (digits < 40 ? digits : 40);
    return range.known && range.low >= -limit && range.high <= limit;
}

bool expr_of_value(Operands *operands, MlirValue value, MlirAffineExpr *expr) {
    int64_t constant;
    if (constant_integer(value, &constant)) {
        *expr = mlirAffineConstantExprGet(operands->context, constant);
        return true;
    }
    if (is_counter(value)) {
        *expr = operand_dim(operands, value);
        return true;
    }
    MlirOperation op = value_definition(value);
    if (mlirOperationIsNull(op)) return false;
    if (op_is(op, "affine.apply")) return expr_of_apply(operands, op, expr);
    return expr_of_arithmetic(operands, op, expr) || expr_of_cast(operands, op, expr);
}
