/* Pass "tepal-copies": memref.copy and linalg.copy of memrefs become affine loops.
 *
 * Any layout will do: the loops run over the shape, and loads and stores go through the views,
 * which later passes resolve. */
#include "mlir/internal.h"
#include "mlir/ir.h"

static bool is_copy(MlirOperation op) {
    return op_is(op, "memref.copy") ||
           (op_is(op, "linalg.copy") && mlirOperationGetNumResults(op) == 0 &&
            mlirOperationGetNumOperands(op) == 2);
}

static void copy_to_loops(MlirOperation op) {
    MlirValue source = mlirOperationGetOperand(op, 0), target = mlirOperationGetOperand(op, 1);
    int rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(mlirValueGetType(source), &rank, shape)) return; /* the checker will say so */
    Builder builder = builder_before(op);
    MlirValue indices[MAX_RANK];
    Builder inside = build_affine_nest(&builder, rank, shape, indices);
    MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(builder.context, rank);
    MlirValue element = build_affine_load(&inside, source, map, rank, indices);
    build_affine_store(&inside, element, target, map, rank, indices);
    op_erase(op);
}

bool pass_copies(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList copies = ops_collect(session->arena, mlirModuleGetOperation(module), is_copy);
    for (int i = 0; i < copies.count; i++) copy_to_loops(copies.items[i]);
    return true;
}
