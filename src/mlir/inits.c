/* Pass "tepal-inits": which memory an operation writes, decided before bufferization.
 *
 *   - Every operation gets a tensor.empty of its own: shared ones make upstream copy.
 *   - Every operation gets initial values of its own: where two convolutions start from the same
 *     zeros, upstream would fill one memory and copy it. The fill (or the broadcast of a bias) is
 *     repeated for each user that overwrites it.
 *   - An elementwise operation writes over an input that nobody else uses, which saves a memory. */
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
        mlirOperationSetOperand(copy, last, build_tensor_empty(&builder, mlirValueGetType(target)));
    }
    mlirOperationSetOperand(user, operand, mlirOperationGetResult(copy, 0));
}

static void separate_empty(MlirOperation op, int operand) {
    MlirValue value = mlirOperationGetOperand(op, operand);
    if (!op_is(value_definition(value), "tensor.empty") || value_use_count(value) < 2) return;
    Builder builder = builder_before(op);
    mlirOperationSetOperand(op, operand, build_tensor_empty(&builder, mlirValueGetType(value)));
}

static void separate_init(MlirOperation op, int operand) {
    MlirValue value = mlirOperationGetOperand(op, operand);
    MlirOperation init = value_definition(value);
    if (mlirOperationIsNull(init) || !is_linalg_op(init) || !is_initial_value(init)) return;
    if (mlirOperationGetNumResults(init) == 1 && value_use_count(value) > 1)
        repeat(init, op, operand);
}

static bool is_elementwise(MlirOperation op) {
    if (!op_is(op, "linalg.generic") || mlirOperationGetNumResults(op) != 1) return false;
    MlirAttribute iterators = op_attribute(op, "iterator_types");
    MlirAttribute parallel =
        mlirAttributeParseGet(mlirOperationGetContext(op), ref("#linalg.iterator_type<parallel>"));
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(iterators); i++)
        if (!mlirAttributeEqual(mlirArrayAttrGetElement(iterators, i), parallel)) return false;
    return true;
}

/* True if nothing but this use of the value matters, and its memory may be written: it is the
 * result of another linalg operation. */
static bool may_be_overwritten(MlirValue value) {
    MlirOperation definition = value_definition(value);
    return !mlirOperationIsNull(definition) && is_linalg_op(definition) &&
           value_use_count(value) == 1;
}

/* Upstream sees that each element is read before it is written over. */
static void write_over_input(MlirOperation op) {
    int inputs = linalg_input_count(op);
    MlirValue output = mlirOperationGetOperand(op, inputs);
    if (!is_elementwise(op) || !linalg_ignores(op, inputs) ||
        !op_is(value_definition(output), "tensor.empty"))
        return;
    MlirAttribute maps = op_attribute(op, "indexing_maps");
    MlirAttribute own = mlirArrayAttrGetElement(maps, inputs);
    for (int i = 0; i < inputs; i++) {
        MlirValue input = mlirOperationGetOperand(op, i);
        if (!mlirAttributeEqual(mlirArrayAttrGetElement(maps, i), own) ||
            !mlirTypeEqual(mlirValueGetType(input), mlirValueGetType(output)) ||
            !may_be_overwritten(input))
            continue;
        mlirOperationSetOperand(op, inputs, input);
        return;
    }
}

bool pass_inits(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_collect(session->arena, mlirModuleGetOperation(module), is_linalg_op);
    for (int i = 0; i < list.count; i++) {
        MlirOperation op = list.items[i];
        for (int k = linalg_input_count(op); k < mlirOperationGetNumOperands(op); k++) {
            separate_empty(op, k);
            separate_init(op, k);
        }
    }
    for (int i = 0; i < list.count; i++) write_over_input(list.items[i]);
    return true;
}
