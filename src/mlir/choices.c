/* Pass "tepal-choices": a memory that a condition chooses is copied to one that is always the same.
 *
 *     %m = scf.if %c -> memref { ... yield %a } else { ... yield %b }
 *     %m = arith.select %c, %a, %b : memref
 *
 * become a fresh %m and a copy into it in either branch: in hardware a name stands for one memory.
 */
#include "mlir/internal.h"
#include "mlir/ir.h"

static bool refuse(Session *session, MlirOperation op) {
    return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                    "%s of memories whose sizes are not known is not supported",
                    op_name(session->arena, op));
}

static bool split_select(Session *session, MlirOperation op) {
    Builder builder = builder_before(op);
    MlirValue memory = build_memory_like(&builder, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!memory.ptr) return refuse(session, op);
    MlirRegion regions[2];
    for (int i = 0; i < 2; i++) {
        regions[i] = mlirRegionCreate();
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        mlirRegionAppendOwnedBlock(regions[i], block);
        Builder inside = builder_at_end(block, mlirOperationGetLocation(op));
        build_memory_copy(&inside, mlirOperationGetOperand(op, i + 1), memory);
        build_op(&inside, &(OpParts){.name = "scf.yield"});
    }
    MlirValue condition = mlirOperationGetOperand(op, 0);
    build_op(&builder, &(OpParts){.name = "scf.if",
                                  .operand_count = 1,
                                  .operands = &condition,
                                  .region_count = 2,
                                  .regions = regions});
    op_replace(op, 1, &memory);
    return true;
}

/* The result itself stays, without uses, for canonicalization to remove. */
static bool split_result(Session *session, MlirOperation op, intptr_t index) {
    MlirValue result = mlirOperationGetResult(op, index);
    Builder before = builder_before(op);
    MlirValue memory = build_memory_like(&before, mlirValueGetType(result));
    if (!memory.ptr) return refuse(session, op);
    for (intptr_t i = 0; i < 2; i++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
        MlirOperation yield = mlirBlockGetTerminator(block);
        Builder inside = builder_before(yield);
        build_memory_copy(&inside, mlirOperationGetOperand(yield, index), memory);
    }
    value_replace(result, memory);
    return true;
}

static bool split_results(Session *session, MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_memref(mlirValueGetType(mlirOperationGetResult(op, i))) &&
            !split_result(session, op, i))
            return false;
    return true;
}

bool pass_choices(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList ifs = ops_named(session->arena, root, "scf.if");
    OpList selects = ops_named(session->arena, root, "arith.select");
    for (int i = 0; i < ifs.count; i++)
        if (!split_results(session, ifs.items[i])) return false;
    for (int i = 0; i < selects.count; i++)
        if (is_memref(mlirValueGetType(mlirOperationGetResult(selects.items[i], 0))) &&
            !split_select(session, selects.items[i]))
            return false;
    return true;
}
