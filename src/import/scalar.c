/* Arithmetic on single elements by PyTorch's scalar types: tables of MLIR's operations. */
#include "import/scalar.h"
#include <math.h>

Number number_of_integer(int64_t integer) {
    return (Number){NUMBER_INTEGER, integer, (double)integer};
}

Number number_of_real(double real) {
    return (Number){NUMBER_FLOAT, 0, real};
}

MlirType scalar_type(Builder *builder, Dtype dtype) {
    return type_of_scalar(builder->context, dtype_info(dtype)->scalar);
}

/* Towards zero; what does not fit becomes the nearest number, NaN becomes 0. */
static int64_t truncated(double real) {
    if (real >= 0x1p63) return INT64_MAX;
    if (real <= -0x1p63) return INT64_MIN;
    return real == real ? (int64_t)real : 0;
}

/* PyTorch converts a Python float for an integer tensor towards zero. */
MlirValue scalar_number(Builder *builder, Dtype dtype, Number number) {
    MlirType type = scalar_type(builder, dtype);
    if (dtype_is_float(dtype)) return build_float(builder, type, number.real);
    int64_t integer = number.kind == NUMBER_FLOAT ? truncated(number.real) : number.integer;
    if (dtype == DTYPE_BOOL) integer = number.real != 0;
    return build_integer(builder, type, integer);
}

MlirValue scalar_real(Builder *builder, Dtype dtype, double real) {
    return scalar_number(builder, dtype, number_of_real(real));
}

/* --- conversions --------------------------------------------------------------------------- */

static MlirValue cast_float(Builder *builder, MlirValue value, const DtypeInfo *from,
                            const DtypeInfo *to) {
    MlirType type = scalar_type(builder, to->dtype);
    if (from->size < to->size) return build1(builder, "arith.extf", type, value);
    if (from->size > to->size) return build1(builder, "arith.truncf", type, value);
    /* float16 and bfloat16 have no direct way. */
    value = build1(builder, "arith.extf", scalar_type(builder, DTYPE_FLOAT32), value);
    return build1(builder, "arith.truncf", type, value);
}

static MlirValue cast_integer(Builder *builder, MlirValue value, const DtypeInfo *from,
                              const DtypeInfo *to) {
    MlirType type = scalar_type(builder, to->dtype);
    int narrow = from->scalar.width, wide = to->scalar.width;
    if (narrow == wide) return value;
    if (narrow > wide) return build1(builder, "arith.trunci", type, value);
    bool zeros = from->is_unsigned || from->is_bool;
    return build1(builder, zeros ? "arith.extui" : "arith.extsi", type, value);
}

MlirValue scalar_cast(Builder *builder, MlirValue value, Dtype from, Dtype to) {
    if (from == to) return value;
    const DtypeInfo *source = dtype_info(from), *target = dtype_info(to);
    if (target->is_bool) {
        MlirValue zero = scalar_number(builder, from, number_of_integer(0));
        return scalar_compare(builder, ORDER_UNEQUAL, from, value, zero);
    }
    if (source->is_float && target->is_float) return cast_float(builder, value, source, target);
    if (!source->is_float && !target->is_float) return cast_integer(builder, value, source, target);
    MlirType type = scalar_type(builder, to);
    if (source->is_float) {
        return build1(builder, target->is_unsigned ? "arith.fptoui" : "arith.fptosi", type, value);
    }
    bool is_unsigned = source->is_unsigned || source->is_bool;
    return build1(builder, is_unsigned ? "arith.uitofp" : "arith.sitofp", type, value);
}

/* --- operations ---------------------------------------------------------------------------- */

static const struct {
    const char *of_float, *of_signed, *of_unsigned, *of_bool;
} ops[] = {
    [SCALAR_ADD] = {"arith.addf", "arith.addi", "arith.addi", "arith.ori"},
    [SCALAR_SUBTRACT] = {"arith.subf", "arith.subi", "arith.subi", NULL},
    [SCALAR_MULTIPLY] = {"arith.mulf", "arith.muli", "arith.muli", "arith.andi"},
    [SCALAR_DIVIDE] = {"arith.divf", "arith.divsi", "arith.divui", NULL},
    [SCALAR_REMAINDER] = {"arith.remf", "arith.remsi", "arith.remui", NULL},
    [SCALAR_MAXIMUM] = {"arith.maximumf", "arith.maxsi", "arith.maxui", "arith.ori"},
    [SCALAR_MINIMUM] = {"arith.minimumf", "arith.minsi", "arith.minui", "arith.andi"},
    [SCALAR_AND] = {NULL, "arith.andi", "arith.andi", "arith.andi"},
    [SCALAR_OR] = {NULL, "arith.ori", "arith.ori", "arith.ori"},
    [SCALAR_XOR] = {NULL, "arith.xori", "arith.xori", "arith.xori"},
    [SCALAR_SHIFT_LEFT] = {NULL, "arith.shli", "arith.shli", NULL},
    [SCALAR_SHIFT_RIGHT] = {NULL, "arith.shrsi", "arith.shrui", NULL},
};

MlirValue scalar_op(Builder *builder, ScalarOp op, Dtype dtype, MlirValue a, MlirValue b) {
    const DtypeInfo *info = dtype_info(dtype);
    const char *name = info->is_float      ? ops[op].of_float
                       : info->is_bool     ? ops[op].of_bool
                       : info->is_unsigned ? ops[op].of_unsigned
                                           : ops[op].of_signed;
    if (!name) return (MlirValue){NULL};
    return build2(builder, name, scalar_type(builder, dtype), a, b);
}

/* Predicates of arith.cmpf (ordered, but for unequal) and arith.cmpi. */
static const struct {
    int64_t of_float, of_signed, of_unsigned;
} orders[] = {
    [ORDER_EQUAL] = {1, 0, 0},
    [ORDER_UNEQUAL] = {13, 1, 1},
    [ORDER_LESS] = {4, 2, 6},
    [ORDER_LESS_EQUAL] = {5, 3, 7},
    [ORDER_GREATER] = {2, 4, 8},
    [ORDER_GREATER_EQUAL] = {3, 5, 9},
    [ORDER_GREATER_UNORDERED] = {9, 4, 8},
};

MlirValue scalar_compare(Builder *builder, ScalarOrder order, Dtype dtype, MlirValue a,
                         MlirValue b) {
    if (dtype_is_float(dtype)) {
        return build_compare(builder, "arith.cmpf", orders[order].of_float, a, b);
    }
    int64_t predicate =
        dtype_is_unsigned(dtype) ? orders[order].of_unsigned : orders[order].of_signed;
    return build_compare(builder, "arith.cmpi", predicate, a, b);
}

MlirValue scalar_math(Builder *builder, const char *name, MlirValue a) {
    return build1(builder, name, mlirValueGetType(a), a);
}

Dtype dtype_compute(Dtype dtype) {
    return dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16 ? DTYPE_FLOAT32 : dtype;
}

Number dtype_lowest(Dtype dtype) {
    const DtypeInfo *info = dtype_info(dtype);
    if (info->is_float) return number_of_real(-INFINITY);
    if (info->is_unsigned || info->is_bool) return number_of_integer(0);
    return number_of_integer(bits_signed(info->scalar.width, (Bits)1 << (info->scalar.width - 1)));
}

Number dtype_highest(Dtype dtype) {
    const DtypeInfo *info = dtype_info(dtype);
    if (info->is_float) return number_of_real(INFINITY);
    if (info->is_unsigned || info->is_bool) {
        return number_of_integer((int64_t)bits_mask(info->scalar.width));
    }
    return number_of_integer((int64_t)(bits_mask(info->scalar.width) >> 1));
}
