/* Bounds of loops: constant, or affine in the enclosing loops, where the longest trip count and a
 * predicate take their place. */
#include "loop/from_affine.h"

#include <mlir-c/BuiltinAttributes.h>

static bool refuse(Importer *importer, MlirOperation op, const char *what) {
    return error_at(importer->diagnostics, STATUS_INPUT, op_place(importer->arena, op), "%s", what);
}

static bool add_limit(Limits *limits, Linear form) {
    if (limits->count == MOST_LIMITS) return false;
    limits->forms[limits->count++] = form;
    return true;
}

/* The forms whose minimum (maximum) a value is. */
static bool limits_of_value(Importer *importer, MlirValue value, bool minimum, Limits *limits) {
    MlirOperation op = value_definition(value);
    if (op_is(op, minimum ? "arith.minsi" : "arith.maxsi"))
        return limits_of_value(importer, mlirOperationGetOperand(op, 0), minimum, limits) &&
               limits_of_value(importer, mlirOperationGetOperand(op, 1), minimum, limits);
    if (op_is(op, minimum ? "affine.min" : "affine.max")) {
        MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, "map"));
        for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
            if (!add_limit(limits, form_of_map(importer, map, i, op, 0))) return false;
        return true;
    }
    return add_limit(limits, form_of_value(importer, value));
}

static bool limits_of_map(Importer *importer, MlirOperation op, const char *name, intptr_t first,
                          Limits *limits) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, name));
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
        if (!add_limit(limits, form_of_map(importer, map, i, op, first))) return false;
    return true;
}

bool read_bounds(Importer *importer, MlirOperation op, Limits *lower, Limits *upper,
                 int64_t *step) {
    if (op_is(op, "affine.for")) {
        MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, "lowerBoundMap"));
        intptr_t operands = mlirAffineMapGetNumInputs(map);
        *step = mlirIntegerAttrGetValueInt(op_attribute(op, "step"));
        return limits_of_map(importer, op, "lowerBoundMap", 0, lower) &&
               limits_of_map(importer, op, "upperBoundMap", operands, upper);
    }
    Linear stride = form_of_value(importer, mlirOperationGetOperand(op, 2));
    *step = stride.count == 0 ? stride.constant : 0;
    return limits_of_value(importer, mlirOperationGetOperand(op, 0), false, lower) &&
           limits_of_value(importer, mlirOperationGetOperand(op, 1), true, upper);
}

static bool limits_depend(const Importer *importer, const Limits *limits) {
    for (int i = 0; i < limits->count; i++)
        if (linear_is_opaque(importer, limits->forms[i])) return true;
    return false;
}

/* Several lower bounds: count from the least value that any of them has, where the step is 1. */
static bool one_lower_bound(Importer *importer, const Limits *lower, int64_t step, Bounds *bounds) {
    bounds->lower = lower->forms[0];
    if (lower->count == 1) return true;
    Range range = linear_range(importer, lower->forms[0]);
    for (int i = 1; i < lower->count; i++) {
        Range other = linear_range(importer, lower->forms[i]);
        if (other.low > range.low) range.low = other.low;
    }
    bounds->lower = linear_constant(range.low);
    return step == 1;
}

bool loop_depends_on_data(Importer *importer, MlirOperation op) {
    Limits lower = {0}, upper = {0};
    int64_t step;
    if (bounds_depend_on_data(&importer->data, op)) return true;
    return read_bounds(importer, op, &lower, &upper, &step) &&
           (limits_depend(importer, &lower) || limits_depend(importer, &upper));
}

bool is_predicated_loop(Importer *importer, MlirOperation op) {
    return is_loop(op) && !loop_depends_on_data(importer, op) && !holds_control(importer, op);
}

bool loop_bounds(Importer *importer, MlirOperation op, Bounds *bounds) {
    Limits lower = {0}, upper = {0};
    *bounds = (Bounds){0};
    if (!read_bounds(importer, op, &lower, &upper, &bounds->step))
        return refuse(importer, op, "the bounds of this loop have too many parts");
    if (bounds->step < 1)
        return refuse(importer, op, "the step of this loop is not a positive constant");
    if (!one_lower_bound(importer, &lower, bounds->step, bounds))
        return refuse(importer, op, "this loop has several lower bounds and a step above 1");
    int64_t longest = INT64_MAX;
    for (int i = 0; i < upper.count; i++) {
        Linear length = linear_sum(importer, upper.forms[i], bounds->lower, -1);
        Range range = linear_range(importer, length);
        if (range.high < longest) longest = range.high;
    }
    bounds->trip = longest < 1 ? 0 : (longest - 1) / bounds->step + 1;
    for (int i = 0; i < upper.count; i++) {
        Linear length = linear_sum(importer, upper.forms[i], bounds->lower, -1);
        if (linear_range(importer, length).low > (bounds->trip - 1) * bounds->step) continue;
        bounds->limits[bounds->count++] = upper.forms[i];
    }
    bounds->lower_count = lower.count > 1 ? lower.count : 0;
    for (int i = 0; i < bounds->lower_count; i++) bounds->lowers[i] = lower.forms[i];
    return true;
}
