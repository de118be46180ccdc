/* Pass "tepal-split": loops over merged dimensions of inputs and outputs are split.
 *
 * A loop of 784 iterations that reads a flattened 28x28 input would index it by division. As two
 * loops of 28, in the same order, it indexes both dimensions plainly. */
#include "mlir/internal.h"
#include "mlir/views.h"

/* The loop whose counter alone is index k of the access, if it counts 0 .. size-1 by 1. */
static bool counting_loop(const Access *access, int k, MlirOperation *loop) {
    if (!op_in_dialect(access->op, "affine")) return false;
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(access->op, "map"));
    MlirAffineExpr expr = mlirAffineMapGetResult(map, k);
    if (!mlirAffineExprIsADim(expr)) return false;
    intptr_t operand = access->memory_operand + 1 + mlirAffineDimExprGetPosition(expr);
    MlirValue counter = mlirOperationGetOperand(access->op, operand);
    Range range = range_of_value(counter);
    if (!range.known || range.low != 0 || range.high + 1 != access->view.shape[k]) return false;
    *loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(counter));
    return mlirIntegerAttrGetValueInt(op_attribute(*loop, "step")) == 1 &&
           mlirOperationGetNumResults(*loop) == 0;
}

/* The consecutive dimensions of the memory that dimension k of the view runs over; their sizes but
 * 1, outermost first. False if it is one dimension, or no whole ones. */
static bool merged_sizes(const View *view, int k, const View *memory, int *count, int64_t *sizes) {
    int last = memory->rank - 1;
    while (last >= 0 && (memory->strides[last] != view->strides[k] || memory->shape[last] == 1))
        last--;
    int64_t product = 1;
    int first = last + 1;
    while (first > 0 && product < view->shape[k]) product *= memory->shape[--first];
    if (last < 0 || product != view->shape[k]) return false;
    *count = 0;
    for (int d = first; d <= last; d++)
        if (memory->shape[d] != 1) sizes[(*count)++] = memory->shape[d];
    return *count > 1;
}

/* loop(n) { body(i) }  ->  loop(s0) { loop(s1) { body(i0 * s1 + i1) } } */
static void split_loop(MlirOperation loop, int count, const int64_t *sizes) {
    Builder builder = builder_before(loop);
    MlirContext context = builder.context;
    MlirValue counters[MAX_RANK];
    Builder inside = build_affine_nest(&builder, count, sizes, counters);
    MlirAffineExpr sum = mlirAffineConstantExprGet(context, 0);
    for (int i = 0; i < count; i++) {
        MlirAffineExpr size = mlirAffineConstantExprGet(context, sizes[i]);
        sum =
            mlirAffineAddExprGet(mlirAffineMulExprGet(sum, size), mlirAffineDimExprGet(context, i));
    }
    MlirAffineMap map = mlirAffineMapGet(context, count, 0, 1, &sum);
    MlirNamedAttribute attribute = named(context, "map", mlirAffineMapAttrGet(map));
    MlirType type = index_type(context);
    MlirOperation apply = build_op(&inside, &(OpParts){.name = "affine.apply",
                                                       .operand_count = count,
                                                       .operands = counters,
                                                       .result_count = 1,
                                                       .results = &type,
                                                       .attribute_count = 1,
                                                       .attributes = &attribute});
    MlirBlock body = op_body(loop);
    value_replace(mlirBlockGetArgument(body, 0), mlirOperationGetResult(apply, 0));
    MlirOperation end = mlirBlockGetTerminator(inside.block);
    MlirOperation old_end = mlirBlockGetTerminator(body);
    for (MlirOperation op = mlirBlockGetFirstOperation(body), next;
         !mlirOperationEqual(op, old_end); op = next) {
        next = mlirOperationGetNextInBlock(op);
        mlirOperationMoveBefore(op, end);
    }
    op_erase(loop);
}

/* Splits one loop, if there is one to split; the accesses have changed then. */
static bool split_one(const View *memory, const AccessList *accesses) {
    for (int i = 0; i < accesses->count; i++) {
        const Access *access = &accesses->items[i];
        Position position;
        int bad, count;
        if (position_of_view(&access->view, memory->rank, memory->shape, &position, &bad)) continue;
        for (int k = 0; k < access->view.rank; k++) {
            MlirOperation loop;
            int64_t sizes[MAX_RANK];
            if (!merged_sizes(&access->view, k, memory, &count, sizes)) continue;
            if (!counting_loop(access, k, &loop)) continue;
            split_loop(loop, count, sizes);
            return true;
        }
    }
    return false;
}

bool pass_split(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    for (int f = 0; f < functions.count; f++) {
        MlirBlock body = op_body(functions.items[f]);
        if (mlirBlockIsNull(body)) continue;
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
            View memory;
            AccessList accesses;
            if (!view_of_memory(mlirBlockGetArgument(body, i), &memory)) continue;
            do {
                accesses = (AccessList){0};
                OpList views = {0};
                if (!collect_accesses(session, memory.value, &accesses, &views)) return false;
            } while (split_one(&memory, &accesses));
        }
    }
    return true;
}
