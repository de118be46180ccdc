/* The contract of the stage `affine` (lower.h), verified. */
#include "base/tensor.h"
#include "mlir/internal.h"
#include "mlir/ir.h"

/* Operations that may be in the entry function, beside those of the dialect arith. */
static const char *const allowed[] = {
    "func.func",         "func.return",   "affine.for",   "affine.if",
    "affine.yield",      "affine.load",   "affine.store", "affine.apply",
    "affine.min",        "affine.max",    "scf.for",      "scf.if",
    "scf.while",         "scf.condition", "scf.yield",    "memref.alloc",
    "memref.get_global", "memref.load",   "memref.store", "math.sqrt",
    "math.absf",
};

typedef struct Check {
    Session *session;
    MlirOperation entry;
    bool failed;
} Check;

/* A model that cannot be lowered so far is the user's to change; what we broke is our fault. */
static void fault(Check *check, Status status, MlirOperation op, const char *what) {
    check->failed = true;
    error_at(check->session->diagnostics, status, op_place(check->session->arena, op), "%s %s",
             op_name(check->session->arena, op), what);
}

static bool is_allowed(MlirOperation op) {
    if (op_in_dialect(op, "arith")) return true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (op_is(op, allowed[i])) return true;
    return false;
}

static bool is_memory_type(MlirType type) {
    Scalar scalar;
    int rank;
    int64_t shape[MAX_RANK];
    return is_memref(type) && memref_is_identity(type) && static_shape(type, &rank, shape) &&
           scalar_of_type(mlirShapedTypeGetElementType(type), &scalar);
}

/* What is wrong with the size of a memory, or NULL. */
static const char *size_fault(MlirType type) {
    Scalar scalar;
    int rank;
    int64_t shape[MAX_RANK];
    size_t bytes;
    scalar_of_type(mlirShapedTypeGetElementType(type), &scalar);
    static_shape(type, &rank, shape);
    bool fits = shape_bytes(scalar, rank, shape, &bytes) && bytes <= MAX_TENSOR_BYTES;
    return fits ? NULL : "is too large: 4 GiB are the most";
}

static void check_alloc(Check *check, MlirOperation op) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!is_memory_type(type))
        fault(check, STATUS_INPUT, op, "has no static size or a layout of its own");
    else if (size_fault(type))
        fault(check, STATUS_INPUT, op, size_fault(type));
    else if (!mlirOperationEqual(mlirOperationGetParentOperation(op), check->entry))
        fault(check, STATUS_INTERNAL, op, "is not at the top of the function");
}

static void check_loop(Check *check, MlirOperation op) {
    MlirAffineMap low = mlirAffineMapAttrGetValue(op_attribute(op, "lowerBoundMap"));
    MlirAffineMap high = mlirAffineMapAttrGetValue(op_attribute(op, "upperBoundMap"));
    if (mlirOperationGetNumResults(op) > 0)
        fault(check, STATUS_INPUT, op, "with results is not supported");
    if (!mlirAffineMapIsSingleConstant(low) || mlirAffineMapGetSingleConstantResult(low) != 0 ||
        mlirIntegerAttrGetValueInt(op_attribute(op, "step")) != 1)
        fault(check, STATUS_INTERNAL, op, "does not count from 0 by 1");
    if (mlirAffineMapIsSingleConstant(high) && mlirAffineMapGetSingleConstantResult(high) < 1)
        fault(check, STATUS_INTERNAL, op, "never runs");
}

static void check_values(Check *check, MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        Scalar scalar;
        MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
        if (is_memref(type) && (op_is(op, "memref.alloc") || op_is(op, "memref.get_global")))
            continue;
        if (!scalar_of_type(type, &scalar))
            fault(check, STATUS_INPUT, op, "gives a value that is no scalar of at most 64 bits");
    }
}

static void check_one(MlirOperation op, void *context) {
    Check *check = context;
    if (op_is(op, "builtin.module") || op_is(op, "memref.global")) return;
    if (op_is(op, "func.func") && !mlirOperationEqual(op, check->entry))
        fault(check, STATUS_INTERNAL, op, "beside the entry function is left");
    else if (!is_allowed(op))
        fault(check, STATUS_INPUT, op, "is not supported");
    else if (op_is(op, "memref.alloc"))
        check_alloc(check, op);
    else if (op_is(op, "affine.for"))
        check_loop(check, op);
    if (is_allowed(op)) check_values(check, op);
}

static void check_globals(Check *check, MlirModule module) {
    OpList globals =
        ops_named(check->session->arena, mlirModuleGetOperation(module), "memref.global");
    for (int i = 0; i < globals.count; i++) {
        MlirOperation global = globals.items[i];
        MlirAttribute value = op_attribute(global, "initial_value");
        if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseElements(value) ||
            !op_has(global, "constant"))
            fault(check, STATUS_INPUT, global, "is no constant of dense elements");
        else if (!is_memory_type(mlirTypeAttrGetValue(op_attribute(global, "type"))))
            fault(check, STATUS_INPUT, global, "has no static size or a layout of its own");
    }
}

static void check_arguments(Check *check, const Model *model) {
    MlirBlock body = op_body(check->entry);
    intptr_t count = mlirBlockGetNumArguments(body);
    if (count != model->input_count + model->output_count)
        fault(check, STATUS_INTERNAL, check->entry,
              "does not have an argument per input and output");
    for (intptr_t i = 0; i < count; i++)
        if (!is_memory_type(mlirValueGetType(mlirBlockGetArgument(body, i))))
            fault(check, STATUS_INTERNAL, check->entry, "has an argument that is no plain memory");
    MlirOperation end = mlirBlockGetTerminator(body);
    if (mlirOperationGetNumOperands(end) > 0) fault(check, STATUS_INTERNAL, end, "has results");
}

bool affine_check(Session *session, const Model *model) {
    Check check = {.session = session, .entry = model_entry(session, model)};
    check_arguments(&check, model);
    check_globals(&check, model->module);
    ops_each(mlirModuleGetOperation(model->module), check_one, &check);
    return !check.failed;
}
