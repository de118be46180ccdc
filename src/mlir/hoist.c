/* Pass "tepal-hoist": memory is made once, at the top of its function.
 *
 * Allocations and references to globals move to the start of the function, one reference per
 * global; deallocations go. An allocation in a loop is a new memory in each iteration: as
 * "tepal-total" made sure that memory is written before it is read, one memory can serve them all.
 * A global that is only read is constant; one that is also written becomes a memory that starts as
 * a copy of its initial value. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

static bool is_deallocation(MlirOperation op) {
    return op_is(op, "memref.dealloc") || op_is(op, "memref.assume_alignment") ||
           op_is(op, "bufferization.dealloc");
}

static bool is_allocation(MlirOperation op) {
    return (op_is(op, "memref.alloc") || op_is(op, "memref.alloca")) &&
           mlirOperationGetNumOperands(op) == 0;
}

static void hoist_allocations(Session *session, MlirOperation function) {
    OpList list = ops_collect(session->arena, function, is_allocation);
    MlirBlock entry = op_body(function);
    for (int i = list.count - 1; i >= 0; i--) { /* the first one ends up first */
        MlirOperation op = list.items[i];
        if (mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0)))) {
            op_erase(op);
            continue;
        }
        Builder builder = builder_at_start(entry, mlirOperationGetLocation(op));
        MlirValue memory = build_alloc(&builder, mlirValueGetType(mlirOperationGetResult(op, 0)));
        op_replace(op, 1, &memory);
    }
}

/* One memref.get_global per global, at the top. */
static void hoist_globals(Session *session, MlirOperation function) {
    OpList list = ops_named(session->arena, function, "memref.get_global");
    MlirBlock entry = op_body(function);
    OpList kept = {0};
    for (int i = 0; i < list.count; i++) {
        MlirOperation op = list.items[i];
        MlirValue first = {NULL};
        for (int k = 0; k < kept.count; k++)
            if (mlirAttributeEqual(op_attribute(kept.items[k], "name"), op_attribute(op, "name")))
                first = mlirOperationGetResult(kept.items[k], 0);
        if (first.ptr) {
            op_replace(op, 1, &first);
            continue;
        }
        MlirOperation top = mlirBlockGetFirstOperation(entry);
        if (!mlirOperationEqual(op, top)) mlirOperationMoveBefore(op, top);
        vector_push(session->arena, &kept, op);
    }
}

/* --- globals --- */

static bool is_view(MlirOperation op) {
    static const char *const views[] = {
        "memref.subview",          "memref.cast",    "memref.collapse_shape", "memref.expand_shape",
        "memref.reinterpret_cast", "memref.reshape", "memref.transpose"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (op_is(op, views[i])) return true;
    return false;
}

static bool only_read(Arena *arena, MlirValue memory) {
    OpList users = value_users(arena, memory);
    for (int i = 0; i < users.count; i++) {
        MlirOperation user = users.items[i];
        if (op_is(user, "affine.load") || op_is(user, "memref.load")) continue;
        if (!is_view(user) || !only_read(arena, mlirOperationGetResult(user, 0))) return false;
    }
    return true;
}

static void copy_memory(Builder *builder, MlirValue source, MlirValue target) {
    int rank;
    int64_t shape[MAX_RANK];
    MlirValue indices[MAX_RANK];
    if (!static_shape(mlirValueGetType(source), &rank, shape)) return;
    Builder inside = build_affine_nest(builder, rank, shape, indices);
    MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(builder->context, rank);
    MlirValue element = build_affine_load(&inside, source, map, rank, indices);
    build_affine_store(&inside, element, target, map, rank, indices);
}

/* A global that the function writes: a local memory takes its place, and starts as a copy of it. */
static void localize(MlirOperation get_global) {
    MlirValue global = mlirOperationGetResult(get_global, 0);
    Builder builder = builder_after(get_global);
    MlirValue memory = build_alloc(&builder, mlirValueGetType(global));
    value_replace(global, memory);
    copy_memory(&builder, global, memory);
}

/* The initial value of memory that was not given one. */
static void initialize(MlirOperation global) {
    MlirAttribute value = op_attribute(global, "initial_value");
    if (!mlirAttributeIsNull(value) && !mlirAttributeIsAUnit(value)) return;
    MlirType type = mlirTypeAttrGetValue(op_attribute(global, "type"));
    MlirType element = mlirShapedTypeGetElementType(type);
    int rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(type, &rank, shape)) return;
    op_set(global, "initial_value",
           mlirDenseElementsAttrSplatGet(tensor_of(element, rank, shape), zero_of(element)));
}

static void settle_globals(Session *session, MlirModule module) {
    MlirOperation root = mlirModuleGetOperation(module);
    OpList uses = ops_named(session->arena, root, "memref.get_global");
    for (int i = 0; i < uses.count; i++)
        if (!only_read(session->arena, mlirOperationGetResult(uses.items[i], 0)))
            localize(uses.items[i]);
    OpList globals = ops_named(session->arena, root, "memref.global");
    for (int i = 0; i < globals.count; i++) {
        initialize(globals.items[i]);
        op_set(globals.items[i], "constant", mlirUnitAttrGet(session->context));
    }
}

bool pass_hoist(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList gone = ops_collect(session->arena, root, is_deallocation);
    for (int i = 0; i < gone.count; i++) op_erase(gone.items[i]);
    OpList functions = ops_named(session->arena, root, "func.func");
    for (int i = 0; i < functions.count; i++) {
        if (mlirBlockIsNull(op_body(functions.items[i]))) continue;
        hoist_globals(session, functions.items[i]);
    }
    settle_globals(session, module);
    for (int i = 0; i < functions.count; i++)
        if (!mlirBlockIsNull(op_body(functions.items[i])))
            hoist_allocations(session, functions.items[i]);
    return true;
}
