/* Pass "tepal-elementwise": arith and math operations on whole tensors become linalg.generic.
 *
 * As upstream's convert-elementwise-to-linalg, which however folds constants on the way: with the C
 * library's functions in place of ours, and maxnumf as if it were maximumf. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

enum { MAX_OPERANDS = 8 };

static bool is_elementwise(MlirOperation op) {
    if (!op_in_dialect(op, "arith") && !op_in_dialect(op, "math")) return false;
    return !op_is(op, "arith.constant") && mlirOperationGetNumResults(op) == 1 &&
           mlirOperationGetNumOperands(op) <= MAX_OPERANDS &&
           is_tensor(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

/* The same operation on elements. */
static MlirValue build_scalar(Arena *arena, Builder *builder, MlirOperation op,
                              const MlirValue *operands) {
    intptr_t count = mlirOperationGetNumAttributes(op);
    MlirNamedAttribute *attributes = arena_array(arena, (size_t)count + 1, sizeof *attributes);
    for (intptr_t i = 0; i < count; i++) attributes[i] = mlirOperationGetAttribute(op, i);
    MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(op, 0)));
    MlirOperation scalar =
        build_op(builder, &(OpParts){.name = op_name(arena, op),
                                     .operand_count = (int)mlirOperationGetNumOperands(op),
                                     .operands = operands,
                                     .result_count = 1,
                                     .results = &type,
                                     .attribute_count = (int)count,
                                     .attributes = attributes});
    return mlirOperationGetResult(scalar, 0);
}

static void convert(Session *session, MlirOperation op) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    int rank = (int)mlirShapedTypeGetRank(type), inputs = 0;
    int count = (int)mlirOperationGetNumOperands(op);
    MlirValue generic_operands[MAX_OPERANDS + 1], operands[MAX_OPERANDS];
    MlirAffineMap maps[MAX_OPERANDS + 1];
    Builder builder = builder_before(op);
    for (int i = 0; i < count; i++) /* a scalar condition of arith.select stays outside */
        if (is_tensor(mlirValueGetType(mlirOperationGetOperand(op, i))))
            generic_operands[inputs++] = mlirOperationGetOperand(op, i);
    generic_operands[inputs] = build_tensor_empty(&builder, type);
    for (int i = 0; i <= inputs; i++)
        maps[i] = mlirAffineMapMultiDimIdentityGet(session->context, rank);
    MlirBlock body;
    MlirOperation generic = build_generic(
        &builder, &(GenericParts){inputs, 1, generic_operands, maps, rank, NULL}, &body);
    for (int i = 0, k = 0; i < count; i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        bool whole = is_tensor(mlirValueGetType(operand));
        operands[i] = whole ? mlirBlockGetArgument(body, k++) : operand;
    }
    Builder inside = builder_at_end(body, builder.location);
    MlirValue element = build_scalar(session->arena, &inside, op, operands);
    build_linalg_yield(body, builder.location, 1, &element);
    MlirValue result = mlirOperationGetResult(generic, 0);
    op_replace(op, 1, &result);
}

bool pass_elementwise(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_collect(session->arena, mlirModuleGetOperation(module), is_elementwise);
    for (int i = 0; i < list.count; i++) {
        MlirType type = mlirValueGetType(mlirOperationGetResult(list.items[i], 0));
        if (!mlirShapedTypeHasStaticShape(type))
            return error_at(session->diagnostics, STATUS_INPUT,
                            op_place(session->arena, list.items[i]),
                            "%s of a tensor whose sizes are not known is not supported",
                            op_name(session->arena, list.items[i]));
        convert(session, list.items[i]);
    }
    return true;
}
