/* Which values depend on data; see data.h. */
#include "mlir/data.h"

static bool any_depends(DataQuery *query, MlirOperation op, intptr_t count) {
    for (intptr_t i = 0; i < count; i++)
        if (depends_on_data(query, mlirOperationGetOperand(op, i))) return true;
    return false;
}

bool operands_depend_on_data(DataQuery *query, MlirOperation op) {
    return any_depends(query, op, mlirOperationGetNumOperands(op));
}

/* A loop's operands are its bounds and step, then what it carries. */
bool bounds_depend_on_data(DataQuery *query, MlirOperation loop) {
    return any_depends(query, loop,
                       mlirOperationGetNumOperands(loop) - mlirOperationGetNumResults(loop));
}

/* Loops of one counter have it first, others have an index for each. */
static bool is_counter(MlirOperation owner, MlirValue argument) {
    if (op_is(owner, "affine.for") || op_is(owner, "scf.for"))
        return mlirBlockArgumentGetArgNumber(argument) == 0;
    bool parallel = op_is(owner, "scf.forall") || op_is(owner, "scf.parallel") ||
                    op_is(owner, "affine.parallel");
    return parallel && mlirTypeIsAIndex(mlirValueGetType(argument));
}

static bool argument_depends(DataQuery *query, MlirValue value) {
    MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (is_counter(owner, value)) return bounds_depend_on_data(query, owner);
    return !op_is(owner, "tensor.generate");
}

static bool result_depends(DataQuery *query, MlirOperation op) {
    if (op_is(op, "linalg.index") || op_is(op, "tensor.dim") || op_is(op, "memref.dim"))
        return false;
    if (!op_in_dialect(op, "arith") && !op_in_dialect(op, "affine")) return true;
    if (op_is(op, "affine.load") || mlirOperationGetNumRegions(op) > 0) return true;
    return operands_depend_on_data(query, op);
}

bool depends_on_data(DataQuery *query, MlirValue value) {
    int known = map_position(&query->values, value);
    if (known >= 0) return query->answers.items[known];
    bool depends = mlirValueIsABlockArgument(value)
                       ? argument_depends(query, value)
                       : result_depends(query, mlirOpResultGetOwner(value));
    map_value(&query->values, value, value);
    vector_push(query->values.arena, &query->answers, depends);
    return depends;
}
