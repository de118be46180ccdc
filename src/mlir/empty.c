/* Pass "tepal-empty": tensors without elements, where a size is 0.
 *
 * An operation of linalg that reads or writes one has no iterations, as each of them accesses an
 * element of every operand: its results are its initial values. What inserts one changes nothing;
 * padding of one is a fill. A value of such a type is as good as tensor.empty. So none is left but
 * where the function takes or gives it. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

static bool is_empty(MlirValue value) {
    MlirType type = mlirValueGetType(value);
    return is_tensor(type) && mlirShapedTypeHasStaticShape(type) && type_elements(type) == 0;
}

static bool takes_empty(MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_empty(mlirOperationGetOperand(op, i))) return true;
    return false;
}

static void skip_linalg(Session *session, MlirOperation op) {
    int results = (int)mlirOperationGetNumResults(op), inputs = linalg_input_count(op);
    MlirValue *inits = arena_array(session->arena, (size_t)results + 1, sizeof *inits);
    if (results == 0 || !takes_empty(op)) return;
    for (int i = 0; i < results; i++) inits[i] = mlirOperationGetOperand(op, inputs + i);
    op_replace(op, results, inits);
}

static void skip_insert(Session *session, MlirOperation op) {
    (void)session;
    MlirValue target = mlirOperationGetOperand(op, 1);
    if (is_empty(mlirOperationGetOperand(op, 0))) op_replace(op, 1, &target);
}

/* Leaves the parts that have elements. */
static void drop_parts(Session *session, MlirOperation op) {
    intptr_t count = mlirOperationGetNumOperands(op), kept = 0;
    MlirValue *parts = arena_array(session->arena, (size_t)count + 1, sizeof *parts);
    if (!takes_empty(op)) return;
    for (intptr_t i = 0; i < count; i++) {
        MlirValue part = mlirOperationGetOperand(op, i);
        if (!is_empty(part)) parts[kept++] = part;
    }
    mlirOperationSetOperands(op, kept, parts);
}

/* A fill with what the body yields, if that is the same everywhere. */
static void fill_pad(Session *session, MlirOperation op) {
    (void)session;
    if (!is_empty(mlirOperationGetOperand(op, 0))) return;
    MlirValue element = mlirOperationGetOperand(mlirBlockGetTerminator(op_body(op)), 0);
    MlirOperation source = value_definition(element);
    Builder builder = builder_before(op);
    if (!mlirOperationIsNull(source) && op_is_inside(source, op)) {
        if (!op_is(source, "arith.constant")) return;
        element = build_constant(&builder, op_attribute(source, "value"));
    } else if (mlirOperationIsNull(source) &&
               mlirBlockEqual(mlirBlockArgumentGetOwner(element), op_body(op))) {
        return;
    }
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    MlirValue filled = build_linalg_fill(&builder, element, build_tensor_empty(&builder, type));
    op_replace(op, 1, &filled);
}

/* What is left with one result of no elements, and has no regions or calls, may be anything. */
static bool is_idle(MlirOperation op) {
    return mlirOperationGetNumResults(op) == 1 && is_empty(mlirOperationGetResult(op, 0)) &&
           (op_in_dialect(op, "tensor") || op_in_dialect(op, "arith") ||
            op_in_dialect(op, "math")) &&
           !op_is(op, "tensor.empty");
}

static const struct {
    const char *name;
    void (*simplify)(Session *session, MlirOperation op);
} rules[] = {
    {"tensor.insert_slice", skip_insert},
    {"tensor.concat", drop_parts},
    {"tensor.pad", fill_pad},
};

static void simplify(Session *session, MlirOperation op) {
    if (is_linalg_op(op)) {
        skip_linalg(session, op);
        return;
    }
    if (is_idle(op)) {
        Builder builder = builder_before(op);
        MlirValue empty =
            build_tensor_empty(&builder, mlirValueGetType(mlirOperationGetResult(op, 0)));
        op_replace(op, 1, &empty);
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!op_is(op, rules[i].name)) continue;
        rules[i].simplify(session, op);
        return;
    }
}

static bool may_be_empty(MlirOperation op) {
    return is_linalg_op(op) || op_in_dialect(op, "tensor") || op_in_dialect(op, "arith") ||
           op_in_dialect(op, "math");
}

bool pass_empty(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_collect(session->arena, mlirModuleGetOperation(module), may_be_empty);
    /* From the last one back: what an operation holds goes with it, and comes after it. */
    for (int i = list.count - 1; i >= 0; i--) simplify(session, list.items[i]);
    return true;
}
