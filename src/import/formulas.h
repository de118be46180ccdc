/* Short forms for the formulas of elementwise operations: each takes elements of one dtype. */
#ifndef TEPAL_IMPORT_FORMULAS_H
#define TEPAL_IMPORT_FORMULAS_H

#include "import/call.h"

typedef struct Formula {
    Builder *body;
    Dtype dtype;
} Formula;

static inline MlirValue real(Formula f, double number) {
    return scalar_real(f.body, f.dtype, number);
}

static inline MlirValue number_argument(Formula f, Call *call, const char *name) {
    return scalar_number(f.body, f.dtype, call_number(call, name));
}

static inline MlirValue plus(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_ADD, f.dtype, a, b);
}

static inline MlirValue minus(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_SUBTRACT, f.dtype, a, b);
}

static inline MlirValue times(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_MULTIPLY, f.dtype, a, b);
}

static inline MlirValue over(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_DIVIDE, f.dtype, a, b);
}

static inline MlirValue highest(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_MAXIMUM, f.dtype, a, b);
}

static inline MlirValue lowest(Formula f, MlirValue a, MlirValue b) {
    return scalar_op(f.body, SCALAR_MINIMUM, f.dtype, a, b);
}

static inline MlirValue negative(Formula f, MlirValue a) {
    if (dtype_is_float(f.dtype)) return scalar_math(f.body, "arith.negf", a);
    return minus(f, scalar_number(f.body, f.dtype, number_of_integer(0)), a);
}

static inline MlirValue absolute(Formula f, MlirValue a) {
    if (dtype_is_float(f.dtype)) return scalar_math(f.body, "math.absf", a);
    return dtype_is_unsigned(f.dtype) ? a : scalar_math(f.body, "math.absi", a);
}

static inline MlirValue compare(Formula f, ScalarOrder order, MlirValue a, MlirValue b) {
    return scalar_compare(f.body, order, f.dtype, a, b);
}

static inline MlirValue choose(Formula f, MlirValue condition, MlirValue a, MlirValue b) {
    return build_select(f.body, condition, a, b);
}

/* An operation of the math dialect on a float. */
static inline MlirValue math(Formula f, const char *name, MlirValue a) {
    return scalar_math(f.body, name, a);
}

/* min(max(x, low), high); NaN stays. */
static inline MlirValue clamped(Formula f, MlirValue x, MlirValue low, MlirValue high) {
    return lowest(f, highest(f, x, low), high);
}

/* 1 / (1 + exp(-x)), with t = exp(-|x|): no exponential overflows, so that results down to the
 * subnormals are right. Below 0 it is t / (1 + t) = t - t * t / (1 + t), where what the sum and the
 * quotient lose hardly counts. */
static inline MlirValue logistic(Formula f, MlirValue x) {
    MlirValue one = real(f, 1);
    MlirValue power = math(f, "math.exp", negative(f, absolute(f, x)));
    MlirValue below = compare(f, ORDER_LESS, x, real(f, 0));
    MlirValue quotient = over(f, choose(f, below, power, one), plus(f, one, power));
    return choose(f, below, minus(f, power, times(f, power, quotient)), quotient);
}

#endif
