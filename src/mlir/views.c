/* Views of memories; see views.h. */
#include "mlir/views.h"

#include <string.h>

static const char *const view_ops[] = {
    "memref.subview", "memref.cast",      "memref.collapse_shape",   "memref.expand_shape",
    "memref.reshape", "memref.transpose", "memref.reinterpret_cast",
};

bool is_view_op(MlirOperation op) {
    for (size_t i = 0; i < sizeof view_ops / sizeof *view_ops; i++)
        if (op_is(op, view_ops[i])) return true;
    return false;
}

static void row_major(View *view) {
    int64_t stride = 1;
    for (int i = view->rank - 1; i >= 0; i--) {
        view->strides[i] = stride;
        stride *= view->shape[i];
    }
}

bool view_of_memory(MlirValue memory, View *view) {
    memset(view, 0, sizeof *view);
    view->value = view->base = memory;
    MlirType type = mlirValueGetType(memory);
    if (!memref_is_identity(type) || !static_shape(type, &view->rank, view->shape)) return false;
    row_major(view);
    return true;
}

/* Strides from the type's layout; false if one is not static. The offset is the caller's. */
static bool read_layout(MlirType type, View *view) {
    MlirAttribute layout = mlirMemRefTypeGetLayout(type);
    if (memref_is_identity(type)) {
        row_major(view);
        return true;
    }
    if (!mlirAttributeIsAStridedLayout(layout)) return false;
    for (int i = 0; i < view->rank; i++) {
        view->strides[i] = mlirStridedLayoutAttrGetStride(layout, i);
        if (view->strides[i] == mlirShapedTypeGetDynamicStrideOrOffset()) return false;
    }
    return true;
}

/* memref.subview: offsets are static or the operands behind the source, in order. */
static bool add_offsets(Arena *arena, MlirOperation op, const View *source, View *view) {
    MlirAttribute offsets = op_attribute(op, "static_offsets");
    int next = 1;
    for (int i = 0; i < source->rank; i++) {
        int64_t offset = mlirDenseI64ArrayGetElement(offsets, i);
        if (offset == mlirShapedTypeGetDynamicStrideOrOffset()) {
            MlirValue value = mlirOperationGetOperand(op, next++);
            if (constant_integer(value, &offset)) {
                view->offset += offset * source->strides[i];
                continue;
            }
            DynamicTerm term = {value, source->strides[i]};
            vector_push(arena, &view->terms, term);
        } else {
            view->offset += offset * source->strides[i];
        }
    }
    return view->terms.count <= 8;
}

bool view_of_op(Arena *arena, MlirOperation op, const View *source, View *view) {
    MlirValue result = mlirOperationGetResult(op, 0);
    MlirType type = mlirValueGetType(result);
    *view = *source;
    view->value = result;
    memset(&view->terms, 0, sizeof view->terms);
    for (int i = 0; i < source->terms.count; i++)
        vector_push(arena, &view->terms, source->terms.items[i]);
    if (op_is(op, "memref.cast")) return true; /* the type may say less than is known */
    if (!static_shape(type, &view->rank, view->shape) || !read_layout(type, view)) return false;
    if (op_is(op, "memref.subview")) return add_offsets(arena, op, source, view);
    if (!op_is(op, "memref.reinterpret_cast")) return true;
    /* It starts from the memory, whatever the source is. */
    view->terms.count = 0;
    view->offset = mlirDenseI64ArrayGetElement(op_attribute(op, "static_offsets"), 0);
    return view->offset != mlirShapedTypeGetDynamicStrideOrOffset();
}

static int memory_operand(MlirOperation op) {
    if (op_is(op, "affine.load") || op_is(op, "memref.load")) return 0;
    if (op_is(op, "affine.store") || op_is(op, "memref.store")) return 1;
    return -1;
}

static bool collect(Session *session, const View *view, AccessList *accesses, OpList *views) {
    OpList users = value_users(session->arena, view->value);
    for (int i = 0; i < users.count; i++) {
        MlirOperation user = users.items[i];
        int position = memory_operand(user);
        if (position >= 0 && mlirValueEqual(mlirOperationGetOperand(user, position), view->value)) {
            Access access = {user, position, *view};
            vector_push(session->arena, accesses, access);
            continue;
        }
        View next;
        if (!is_view_op(user) || !view_of_op(session->arena, user, view, &next))
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, user),
                            "%s of a memory is not supported here", op_name(session->arena, user));
        vector_push(session->arena, views, user);
        if (!collect(session, &next, accesses, views)) return false;
    }
    return true;
}

bool collect_accesses(Session *session, MlirValue memory, AccessList *accesses, OpList *views) {
    View view;
    if (view_of_memory(memory, &view)) return collect(session, &view, accesses, views);
    MlirOperation definition = value_definition(memory);
    return error_at(session->diagnostics, STATUS_INPUT,
                    mlirOperationIsNull(definition) ? NULL : op_place(session->arena, definition),
                    "a memory without static sizes or with a layout of its own is not supported");
}

/* The outermost dimension whose stride divides the coefficient. */
static int dimension_for(int64_t coefficient, int rank, const int64_t *strides) {
    int dimension = 0;
    while (dimension < rank - 1 && (strides[dimension] == 0 || coefficient % strides[dimension]))
        dimension++;
    return dimension;
}

/* Whether dimension d stays in 0 .. size-1 over all elements of the view. */
static bool in_range(const Position *position, const View *view, int d, int64_t size) {
    int64_t low = position->constants[d], high = low;
    for (int k = 0; k < view->rank; k++) {
        int64_t most = position->factors[d][k] * (view->shape[k] - 1);
        if (most > 0)
            high += most;
        else
            low += most;
    }
    return low >= 0 && high < size;
}

bool position_of_view(const View *view, int rank, const int64_t *shape, Position *position,
                      int *bad) {
    int64_t strides[MAX_RANK], stride = 1, offset = view->offset;
    memset(position, 0, sizeof *position);
    position->rank = rank;
    *bad = 0;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape[d];
    }
    for (int d = 0; d < rank; d++) {
        position->constants[d] = strides[d] ? floor_divide(offset, strides[d]) : 0;
        offset -= position->constants[d] * strides[d];
    }
    for (int k = 0; k < view->rank && rank > 0; k++) {
        if (view->shape[k] == 1 || view->strides[k] == 0) continue; /* the index is 0 */
        int d = dimension_for(view->strides[k], rank, strides);
        position->factors[d][k] = view->strides[k] / strides[d];
    }
    for (int k = 0; k < view->terms.count && rank > 0; k++) {
        int d = dimension_for(view->terms.items[k].coefficient, rank, strides);
        position->term_factors[d][k] = view->terms.items[k].coefficient / strides[d];
    }
    for (int d = rank - 1; d >= 0; d--) {
        *bad = d;
        if (!in_range(position, view, d, shape[d])) return false;
    }
    return true;
}
