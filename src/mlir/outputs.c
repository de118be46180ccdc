/* Pass "tepal-outputs": what is copied into an output as a whole is computed there.
 *
 * Upstream leaves a copy at the end where the result is a reshaped local memory. If that memory is
 * not used after the copy, and the output for nothing else, the output takes the place of the
 * memory. */
#include "mlir/internal.h"
#include "mlir/views.h"

/* The operation of the block of `other` that holds `op`. */
static MlirOperation ancestor_beside(MlirOperation op, MlirOperation other) {
    MlirBlock block = mlirOperationGetBlock(other);
    while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
        op = mlirOperationGetParentOperation(op);
    return op;
}

static bool comes_after(MlirOperation op, MlirOperation other) {
    op = ancestor_beside(op, other);
    for (MlirOperation next = mlirOperationGetNextInBlock(other); !mlirOperationIsNull(next);
         next = mlirOperationGetNextInBlock(next))
        if (mlirOperationEqual(next, op)) return true;
    return false;
}

static bool used_after(Arena *arena, MlirValue memory, MlirOperation copy) {
    OpList users = value_users(arena, memory);
    for (int i = 0; i < users.count; i++) {
        if (!op_is(users.items[i], "memref.dealloc") && comes_after(users.items[i], copy))
            return true;
        if (is_view_op(users.items[i]) &&
            used_after(arena, mlirOperationGetResult(users.items[i], 0), copy))
            return true;
    }
    return false;
}

/* The view `value` is of, through operations that only reshape; false at any other. */
static bool reshaped_memory(Arena *arena, MlirValue value, View *view) {
    MlirOperation op = value_definition(value);
    if (op_is(op, "memref.alloc")) return view_of_memory(value, view);
    View source;
    if (mlirOperationIsNull(op) || !is_view_op(op) || op_is(op, "memref.transpose")) return false;
    return reshaped_memory(arena, mlirOperationGetOperand(op, 0), &source) &&
           view_of_op(arena, op, &source, view);
}

static bool is_whole(const View *view, const View *memory) {
    int64_t elements = 1, all = 1, stride = 1;
    for (int i = 0; i < memory->rank; i++) all *= memory->shape[i];
    for (int i = 0; i < view->rank; i++) elements *= view->shape[i];
    for (int i = view->rank - 1; i >= 0; i--) {
        if (view->shape[i] != 1 && view->strides[i] != stride) return false;
        stride *= view->shape[i];
    }
    return elements == all && view->offset == 0 && view->terms.count == 0;
}

/* `memory` with another shape of as many elements. */
static MlirValue reinterpret(Builder *builder, MlirValue memory, const View *shape) {
    MlirContext context = builder->context;
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
    MlirType type = memref_of(element, shape->rank, shape->shape);
    int64_t zero = 0;
    MlirNamedAttribute attributes[] = {
        named(context, "static_offsets", mlirDenseI64ArrayGet(context, 1, &zero)),
        named(context, "static_sizes", mlirDenseI64ArrayGet(context, shape->rank, shape->shape)),
        named(context, "static_strides",
              mlirDenseI64ArrayGet(context, shape->rank, shape->strides)),
        named(context, "operandSegmentSizes",
              mlirDenseI32ArrayGet(context, 4, (int32_t[]){1, 0, 0, 0})),
    };
    MlirOperation op = build_op(builder, &(OpParts){.name = "memref.reinterpret_cast",
                                                    .operand_count = 1,
                                                    .operands = &memory,
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 4,
                                                    .attributes = attributes});
    return mlirOperationGetResult(op, 0);
}

static bool is_output(MlirValue value) {
    if (!mlirValueIsABlockArgument(value)) return false;
    return op_is(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "func.func") &&
           value_use_count(value) == 1;
}

static void forward(Session *session, MlirOperation copy) {
    MlirValue source = mlirOperationGetOperand(copy, 0), output = mlirOperationGetOperand(copy, 1);
    View view, memory, target;
    if (!is_output(output) || !view_of_memory(output, &target)) return;
    if (!reshaped_memory(session->arena, source, &view) || !view_of_memory(view.base, &memory))
        return;
    MlirOperation alloc = value_definition(view.base);
    if (!mlirBlockEqual(mlirOperationGetBlock(alloc), mlirOperationGetBlock(copy))) return;
    if (!is_whole(&view, &memory) || used_after(session->arena, view.base, copy)) return;
    op_erase(copy);
    Builder builder = builder_before(alloc);
    bool same = mlirTypeEqual(mlirValueGetType(output), mlirValueGetType(view.base));
    MlirValue replacement = same ? output : reinterpret(&builder, output, &memory);
    op_replace(alloc, 1, &replacement);
}

bool pass_outputs(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList copies = ops_named(session->arena, mlirModuleGetOperation(module), "memref.copy");
    for (int i = 0; i < copies.count; i++) forward(session, copies.items[i]);
    return true;
}
