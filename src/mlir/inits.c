/* Pass "tepal-inits": every operation gets initial values of its own.
 *
 * Where two convolutions start from the same zeros, bufferization fills one memory and copies it.
 * Filling twice is cheaper, so the fill (or the broadcast of a bias) is repeated for each user that
 * overwrites it. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

/* A linalg.generic that only hands its input on. */
static bool only_yields(MlirOperation op) {
    MlirOperation first = mlirBlockGetFirstOperation(op_body(op));
    return op_is(first, "linalg.yield");
}

static bool is_initial_value(MlirOperation op) {
    return op_is(op, "linalg.fill") || op_is(op, "linalg.broadcast") ||
           (op_is(op, "linalg.generic") && only_yields(op));
}

/* Copies the operation for one use, and the tensor.empty that it fills. */
static void repeat(MlirOperation init, MlirOperation user, int operand) {
    Builder builder = builder_before(user);
    MlirOperation copy = mlirOperationClone(init);
    build_insert(&builder, copy);
    int last = (int)mlirOperationGetNumOperands(copy) - 1;
    MlirValue target = mlirOperationGetOperand(copy, last);
    if (op_is(value_definition(target), "tensor.empty")) {
        builder.before = copy;
        mlirOperationSetOperand(copy, last,
                                build_tensor_empty(&builder, mlirValueGetType(target)));
    }
    mlirOperationSetOperand(user, operand, mlirOperationGetResult(copy, 0));
}

static void separate(MlirOperation op) {
    for (int i = linalg_input_count(op); i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = mlirOperationGetOperand(op, i);
        MlirOperation init = value_definition(value);
        if (mlirOperationIsNull(init) || !is_linalg_op(init) || !is_initial_value(init)) continue;
        if (mlirOperationGetNumResults(init) == 1 && value_use_count(value) > 1)
            repeat(init, op, i);
    }
}

bool pass_inits(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list =
        ops_collect(session->arena, mlirModuleGetOperation(module), is_linalg_op);
    for (int i = 0; i < list.count; i++) separate(list.items[i]);
    return true;
}
