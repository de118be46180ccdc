/* Pass "tepal-bf16": arithmetic of bf16 becomes f32 arithmetic, rounded once by integer operations.
 *
 * For the reference only. What a processor's own conversions do is not what the model says: those
 * of x86 (vcvtneps2bf16) take subnormals for zeros. A sum, product, quotient or root of two bf16 is
 * the same rounded to f32 first, as f32 has more than twice as many digits; integers go through
 * f64, with what is lost there kept in the last bit. */
#include "mlir/internal.h"
#include "mlir/ir.h"

enum { CMPI_NE = 1, CMPI_UGT = 8, CMPF_UNO = 14 };
enum { DOUBLE_DIGITS = 53 };

static bool is_bf16(MlirValue value) {
    return mlirTypeIsABF16(mlirValueGetType(value));
}

static MlirType integer_type(Builder *b, unsigned width) {
    return mlirIntegerTypeGet(b->context, width);
}

/* Exact: a bf16 is the upper half of an f32. */
static MlirValue widen(Builder *b, MlirValue x) {
    MlirType i32 = integer_type(b, 32);
    MlirValue bits = build1(b, "arith.bitcast", integer_type(b, 16), x);
    bits = build1(b, "arith.extui", i32, bits);
    bits = build2(b, "arith.shli", i32, bits, build_integer(b, i32, 16));
    return build1(b, "arith.bitcast", mlirF32TypeGet(b->context), bits);
}

/* To nearest even: half a unit, less the smallest part of it if the result is even already. */
static MlirValue narrow(Builder *b, MlirValue x) {
    MlirType i32 = integer_type(b, 32), i16 = integer_type(b, 16);
    MlirValue sixteen = build_integer(b, i32, 16);
    MlirValue bits = build1(b, "arith.bitcast", i32, x);
    MlirValue odd = build2(b, "arith.shrui", i32, bits, sixteen);
    odd = build2(b, "arith.andi", i32, odd, build_integer(b, i32, 1));
    MlirValue moved = build2(b, "arith.addi", i32, bits, build_integer(b, i32, 0x7FFF));
    moved = build2(b, "arith.addi", i32, moved, odd);
    MlirValue upper = build2(b, "arith.shrui", i32, moved, sixteen);
    upper = build1(b, "arith.trunci", i16, upper);
    MlirValue is_nan = build_compare(b, "arith.cmpf", CMPF_UNO, x, x);
    upper = build_select(b, is_nan, build_integer(b, i16, 0x7FC0), upper);
    return build1(b, "arith.bitcast", mlirBF16TypeGet(b->context), upper);
}

/* An integer of as many digits as an f64 has, and the same rounding to any shorter format: the bits
 * that do not fit leave a mark in the last one that does. */
static MlirValue mark_lost_bits(Builder *b, MlirValue x) {
    MlirType type = mlirValueGetType(x);
    int lost = (int)mlirIntegerTypeGetWidth(type) - DOUBLE_DIGITS;
    if (lost <= 0) return x;
    MlirValue mask = build_integer(b, type, ((int64_t)1 << lost) - 1);
    MlirValue rest = build2(b, "arith.andi", type, x, mask);
    MlirValue some = build2(b, "arith.addi", type, rest, mask); /* carries if any is set */
    MlirValue mark = build_integer(b, type, (int64_t)1 << lost);
    some = build2(b, "arith.andi", type, some, mark);
    MlirValue kept = build2(b, "arith.subi", type, x, rest);
    MlirValue marked = build2(b, "arith.ori", type, kept, some);
    /* A small integer has no bits to lose. */
    MlirValue half = build_integer(b, type, (int64_t)1 << (DOUBLE_DIGITS - 1));
    MlirValue moved = build2(b, "arith.addi", type, x, half);
    MlirValue span = build_integer(b, type, (int64_t)1 << DOUBLE_DIGITS);
    MlirValue large = build_compare(b, "arith.cmpi", CMPI_UGT, moved, span);
    return build_select(b, large, marked, x);
}

enum { MOST_OPERANDS = 3, MOST_ATTRIBUTES = 4 };

/* The operation with a result of another type, on its operands as f32. */
static MlirValue rebuild(Arena *arena, Builder *b, MlirOperation op, MlirType type) {
    MlirNamedAttribute attributes[MOST_ATTRIBUTES];
    MlirValue operands[MOST_OPERANDS];
    int attribute_count = (int)mlirOperationGetNumAttributes(op);
    int operand_count = (int)mlirOperationGetNumOperands(op);
    for (int i = 0; i < attribute_count; i++) attributes[i] = mlirOperationGetAttribute(op, i);
    for (int i = 0; i < operand_count; i++) {
        operands[i] = mlirOperationGetOperand(op, i);
        if (is_bf16(operands[i])) operands[i] = widen(b, operands[i]);
    }
    OpParts parts = {.name = op_name(arena, op),
                     .operand_count = operand_count,
                     .operands = operands,
                     .result_count = 1,
                     .results = &type,
                     .attribute_count = attribute_count,
                     .attributes = attributes};
    return mlirOperationGetResult(build_op(b, &parts), 0);
}

static bool is_integer_to_float(MlirOperation op) {
    return op_is(op, "arith.sitofp") || op_is(op, "arith.uitofp");
}

/* What computes with bf16, other than moving its bits. */
static bool is_arithmetic(MlirOperation op) {
    if (!op_in_dialect(op, "arith") && !op_in_dialect(op, "math")) return false;
    if (op_is(op, "arith.constant") || op_is(op, "arith.select") || op_is(op, "arith.bitcast"))
        return false;
    if (mlirOperationGetNumOperands(op) > MOST_OPERANDS ||
        mlirOperationGetNumAttributes(op) > MOST_ATTRIBUTES)
        return false;
    bool found = is_bf16(mlirOperationGetResult(op, 0));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        found |= is_bf16(mlirOperationGetOperand(op, i));
    return found;
}

/* Null if the operation is right as it is: f64 to bf16 is a function of reference.c. */
static MlirValue rewritten(Arena *arena, Builder *b, MlirOperation op) {
    MlirValue x = mlirOperationGetOperand(op, 0), none = {NULL};
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (op_is(op, "arith.extf")) {
        MlirValue wide = widen(b, x);
        return mlirTypeIsAF32(type) ? wide : build1(b, "arith.extf", type, wide);
    }
    if (op_is(op, "arith.truncf")) return mlirTypeIsAF32(mlirValueGetType(x)) ? narrow(b, x) : none;
    if (is_integer_to_float(op)) {
        const char *name = op_name(arena, op);
        MlirType f64 = mlirF64TypeGet(b->context);
        return build1(b, "arith.truncf", type, build1(b, name, f64, mark_lost_bits(b, x)));
    }
    if (!mlirTypeIsABF16(type)) return rebuild(arena, b, op, type);
    return narrow(b, rebuild(arena, b, op, mlirF32TypeGet(b->context)));
}

bool pass_bf16(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_collect(session->arena, mlirModuleGetOperation(module), is_arithmetic);
    for (int i = 0; i < list.count; i++) {
        Builder builder = builder_before(list.items[i]);
        MlirValue value = rewritten(session->arena, &builder, list.items[i]);
        if (!mlirValueIsNull(value)) op_replace(list.items[i], 1, &value);
    }
    return true;
}
