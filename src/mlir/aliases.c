/* Pass "tepal-aliases": what is done with one of two memories is done in the branches of an if.
 *
 *     %m = arith.select %c, %a, %b : memref         %v = scf.if %c { yield load %a[..] }
 *     %v = load %m[..]                       =>                else { yield load %b[..] }
 *
 * In programs over memories another name for %a is %a itself: a copy of it, which is good enough
 * for what bufferization makes of tensors ("tepal-choices"), would lose what is stored there.
 * Upstream has made selects of ifs whose branches yield memories from outside of them. */
#include "mlir/internal.h"
#include "mlir/ir.h"

enum { MOST_RESULTS = 64 };

static bool refuse(Session *session, MlirOperation op, const char *what) {
    return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op), "%s %s",
                    op_name(session->arena, op), what);
}

static bool is_memory_select(MlirOperation op) {
    return op_is(op, "arith.select") && is_memref(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

/* `user` with memory `chosen` in place of the select's result. */
static MlirOperation build_user(Session *session, Builder *builder, MlirOperation user,
                                MlirValue result, MlirValue chosen) {
    ValueMap map = {.arena = session->arena};
    map_value(&map, result, chosen);
    return build_copy(builder, user, &map);
}

/* A view of the chosen memory is chosen of views of both. */
static void choose_view(Session *session, MlirOperation user, MlirOperation select) {
    MlirValue result = mlirOperationGetResult(select, 0), views[2];
    Builder builder = builder_before(user);
    for (int i = 0; i < 2; i++)
        views[i] = mlirOperationGetResult(
            build_user(session, &builder, user, result, mlirOperationGetOperand(select, i + 1)), 0);
    MlirValue chosen =
        build_select(&builder, mlirOperationGetOperand(select, 0), views[0], views[1]);
    op_replace(user, 1, &chosen);
}

static void choose_branch(Session *session, MlirOperation user, MlirOperation select) {
    MlirValue result = mlirOperationGetResult(select, 0);
    MlirValue condition = mlirOperationGetOperand(select, 0), values[MOST_RESULTS];
    MlirType types[MOST_RESULTS];
    int count = (int)mlirOperationGetNumResults(user);
    MlirRegion regions[2];
    for (int i = 0; i < 2; i++) {
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        regions[i] = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(regions[i], block);
        Builder inside = builder_at_end(block, mlirOperationGetLocation(user));
        MlirOperation copy =
            build_user(session, &inside, user, result, mlirOperationGetOperand(select, i + 1));
        for (int k = 0; k < count; k++) values[k] = mlirOperationGetResult(copy, k);
        build_op(&inside,
                 &(OpParts){.name = "scf.yield", .operand_count = count, .operands = values});
    }
    for (int k = 0; k < count; k++) types[k] = mlirValueGetType(mlirOperationGetResult(user, k));
    Builder builder = builder_before(user);
    MlirOperation branch = build_op(&builder, &(OpParts){.name = "scf.if",
                                                         .operand_count = 1,
                                                         .operands = &condition,
                                                         .result_count = count,
                                                         .results = types,
                                                         .region_count = 2,
                                                         .regions = regions});
    for (int k = 0; k < count; k++) values[k] = mlirOperationGetResult(branch, k);
    op_replace(user, count, values);
}

static bool gives_memory(MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_memref(mlirValueGetType(mlirOperationGetResult(op, i)))) return true;
    return false;
}

static bool replace_user(Session *session, MlirOperation user, MlirOperation select) {
    intptr_t results = mlirOperationGetNumResults(user);
    MlirOperation end = mlirBlockGetTerminator(mlirOperationGetBlock(user));
    if (mlirOperationGetNumRegions(user) > 0 || mlirOperationEqual(end, user) ||
        results > MOST_RESULTS || (gives_memory(user) && results > 1))
        return refuse(session, user, "of a memory that a condition chooses is not supported");
    (gives_memory(user) ? choose_view : choose_branch)(session, user, select);
    return true;
}

/* A user that is to be replaced. Selects of selects go once nobody uses them; a result of the
 * function may stay chosen: it is copied at the end. */
static MlirOperation next_user(Session *session, MlirOperation select) {
    OpList users = value_users(session->arena, mlirOperationGetResult(select, 0));
    for (int i = 0; i < users.count; i++)
        if (!op_is(users.items[i], "func.return") && !is_memory_select(users.items[i]))
            return users.items[i];
    return (MlirOperation){NULL};
}

/* The first select that something is done with, and what. Views leave new ones. */
static MlirOperation next_select(Session *session, MlirOperation root, MlirOperation *user) {
    OpList list = ops_collect(session->arena, root, is_memory_select);
    for (int i = 0; i < list.count; i++) {
        *user = next_user(session, list.items[i]);
        if (!mlirOperationIsNull(*user)) return list.items[i];
    }
    return (MlirOperation){NULL};
}

static bool hands_on_memory(MlirOperation op) {
    static const char *const control[] = {"scf.if", "scf.for", "scf.while", "affine.if",
                                          "affine.for"};
    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        if (op_is(op, control[i]) && gives_memory(op)) return true;
    return false;
}

bool pass_aliases(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList list = ops_collect(session->arena, root, hands_on_memory);
    if (list.count > 0)
        return refuse(session, list.items[0],
                      "that hands on memories is not supported: let it hand on tensors or numbers");
    MlirOperation user;
    for (;;) {
        MlirOperation select = next_select(session, root, &user);
        if (mlirOperationIsNull(select)) break;
        if (!replace_user(session, user, select)) return false;
    }
    list = ops_collect(session->arena, root, is_memory_select);
    for (int i = list.count - 1; i >= 0; i--)
        if (value_use_count(mlirOperationGetResult(list.items[i], 0)) == 0) op_erase(list.items[i]);
    return true;
}
