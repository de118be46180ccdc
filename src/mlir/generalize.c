/* Pass "tepal-generalize": named linalg operations whose body is to be rewritten become
 * linalg.generic, and linalg.softmax is taken apart.
 *
 * The body of a named operation follows from its name, so it cannot be changed in place. Those
 * that compute something total and without math functions (matmul, convolutions, pooling) stay
 * named; elementwise ones with math or with partial operations do not. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

static const char *const with_own_body[] = {"linalg.generic", "linalg.map", "linalg.reduce"};

static bool needs_rewriting(MlirOperation op) {
    if (!is_linalg_op(op)) return false;
    for (size_t i = 0; i < sizeof with_own_body / sizeof *with_own_body; i++)
        if (op_is(op, with_own_body[i])) return false;
    MlirBlock body = op_body(op);
    if (mlirBlockIsNull(body)) return false;
    for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(inner);
         inner = mlirOperationGetNextInBlock(inner))
        if (op_in_dialect(inner, "math") || !op_is_total(inner)) return true;
    return false;
}

static int rank_of(MlirValue value) {
    MlirType type = mlirValueGetType(value);
    return mlirTypeIsAShaped(type) ? (int)mlirShapedTypeGetRank(type) : 0;
}

/* All operands of an elementwise operation are indexed alike; scalars are broadcast. */
static bool generalize(Session *session, MlirOperation op) {
    int inputs = linalg_input_count(op), count = (int)mlirOperationGetNumOperands(op);
    int loops = rank_of(mlirOperationGetOperand(op, count - 1));
    MlirValue operands[16];
    MlirAffineMap maps[16];
    MlirContext context = session->context;
    for (int i = 0; i < count; i++) {
        bool same = count <= 16 && rank_of(mlirOperationGetOperand(op, i)) == loops;
        if (!same)
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                            "%s on these types is not supported", op_name(session->arena, op));
        operands[i] = mlirOperationGetOperand(op, i);
        maps[i] = mlirAffineMapMultiDimIdentityGet(context, loops);
    }
    Builder builder = builder_before(op);
    MlirBlock body;
    MlirOperation generic = build_generic(
        &builder, &(GenericParts){inputs, count - inputs, operands, maps, loops, NULL}, &body);
    ValueMap map = {.arena = session->arena};
    for (int i = 0; i < count; i++)
        map_value(&map, linalg_body_argument(op, i), mlirBlockGetArgument(body, i));
    Builder inside = builder_at_end(body, builder.location);
    build_copy_of_block(&inside, op_body(op), &map);
    MlirValue result =
        mapped(&map, mlirOperationGetOperand(mlirBlockGetTerminator(op_body(op)), 0));
    build_linalg_yield(body, builder.location, 1, &result);
    MlirValue results[16];
    int result_count = (int)mlirOperationGetNumResults(op);
    for (int i = 0; i < result_count; i++) results[i] = mlirOperationGetResult(generic, i);
    op_replace(op, result_count, results);
    return true;
}

bool pass_generalize(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_named(session->arena, mlirModuleGetOperation(module), "linalg.softmax");
    for (int i = 0; i < list.count; i++)
        if (!expand_softmax(session, list.items[i])) return false;
    list = ops_collect(session->arena, mlirModuleGetOperation(module), needs_rewriting);
    for (int i = 0; i < list.count; i++)
        if (!generalize(session, list.items[i])) return false;
    return true;
}
