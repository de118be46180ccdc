/* Pass "tepal-inline": calls in public functions are replaced by the bodies of what is called.
 *
 * Upstream's inliner refuses some bodies inside affine loops and leaves the order of other things
 * to heuristics. Hardware has no calls at all, so here every call of a function of one block is
 * replaced, and a recursive one is an error. */
#include "mlir/internal.h"
#include "mlir/ir.h"

enum { MAX_DEPTH = 64 };

static bool find_callee(Session *session, MlirModule module, MlirOperation call,
                        MlirOperation *callee) {
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(op_attribute(call, "callee"));
    OpList functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    for (int i = 0; i < functions.count; i++) {
        *callee = functions.items[i];
        if (!mlirStringRefEqual(mlirStringAttrGetValue(op_attribute(*callee, "sym_name")), name))
            continue;
        MlirBlock body = op_body(*callee);
        if (!mlirBlockIsNull(body) && mlirBlockIsNull(mlirBlockGetNextInRegion(body))) return true;
    }
    return error_at(
        session->diagnostics, STATUS_INPUT, op_place(session->arena, call),
        "a call of '%s', which has no body of structured control flow, is not supported",
        string_printable(session->arena, ref_copy(session->arena, name), 100));
}

static void inline_call(Session *session, MlirOperation call, MlirOperation callee) {
    MlirBlock body = op_body(callee);
    MlirOperation end = mlirBlockGetTerminator(body);
    ValueMap map = {.arena = session->arena};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
        map_value(&map, mlirBlockGetArgument(body, i), mlirOperationGetOperand(call, i));
    Builder builder = builder_before(call);
    build_copy_of_block(&builder, body, &map);
    int count = (int)mlirOperationGetNumOperands(end);
    MlirValue *results = arena_array(session->arena, (size_t)count + 1, sizeof *results);
    for (int i = 0; i < count; i++) results[i] = mapped(&map, mlirOperationGetOperand(end, i));
    op_replace(call, count, results);
}

bool inline_calls(Session *session, MlirModule module, MlirOperation function) {
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        OpList calls = ops_named(session->arena, function, "func.call");
        if (calls.count == 0) return true;
        for (int i = 0; i < calls.count; i++) {
            MlirOperation callee;
            if (!find_callee(session, module, calls.items[i], &callee)) return false;
            inline_call(session, calls.items[i], callee);
        }
    }
    return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, function),
                    "calls are nested more than %d deep, or are recursive", MAX_DEPTH);
}

bool pass_inline(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    for (int i = 0; i < functions.count; i++) {
        char *visibility =
            string_of_attribute(session->arena, op_attribute(functions.items[i], "sym_visibility"));
        if (visibility && !ref_equal(ref(visibility), "public")) continue;
        if (!inline_calls(session, module, functions.items[i])) return false;
    }
    return true;
}
