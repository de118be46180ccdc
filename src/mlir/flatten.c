/* Pass "flatten-memref", by CIRCT's name: every memory gets one dimension, in row-major order.
 *
 * The result is correct for every rank, for constants of any form and for constants that are not
 * marked so. Views that do not move elements (casts, reshapes) disappear; subviews are folded into
 * the accesses first, by upstream's pass. Layouts that only say "strides unknown", as bufferization
 * puts on arguments, are taken for the plain one: memories of hardware have no other. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <string.h>

static bool is_flat(MlirType type) {
    return mlirShapedTypeGetRank(type) == 1 && memref_is_identity(type);
}

/* The flat type of a memref with known sizes; null for any other type. */
static MlirType flat_type(MlirType type) {
    int rank;
    int64_t shape[MAX_RANK];
    if (!is_memref(type) || !static_shape(type, &rank, shape)) return (MlirType){NULL};
    int64_t elements = type_elements(type);
    return memref_of(mlirShapedTypeGetElementType(type), 1, &elements);
}

/* --- what can be flattened --- */

/* Operations whose memrefs need no more than another type, or are handled below. */
static const char *const known[] = {
    "memref.alloc",
    "memref.alloca",
    "memref.dealloc",
    "memref.get_global",
    "memref.load",
    "memref.store",
    "memref.copy",
    "memref.cast",
    "memref.expand_shape",
    "memref.collapse_shape",
    "affine.load",
    "affine.store",
    "func.call",
    "func.return",
    "scf.if",
    "scf.for",
    "scf.while",
    "scf.yield",
    "scf.condition",
    "affine.for",
    "affine.if",
    "affine.yield",
};

static bool is_known(MlirOperation op) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (op_is(op, known[i])) return true;
    return false;
}

static bool is_reshape(MlirOperation op) {
    return op_is(op, "memref.cast") || op_is(op, "memref.expand_shape") ||
           op_is(op, "memref.collapse_shape");
}

/* Null or the first type that cannot be flattened. */
static MlirType bad_type(MlirOperation op) {
    intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < operands + results; i++) {
        MlirValue value = i < operands ? mlirOperationGetOperand(op, i)
                                       : mlirOperationGetResult(op, i - operands);
        MlirType type = mlirValueGetType(value);
        if (is_memref(type) && mlirTypeIsNull(flat_type(type))) return type;
    }
    return (MlirType){NULL};
}

static bool uses_memory(MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_memref(mlirValueGetType(mlirOperationGetOperand(op, i)))) return true;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_memref(mlirValueGetType(mlirOperationGetResult(op, i)))) return true;
    return false;
}

static bool check(Session *session, OpList users) {
    for (int i = 0; i < users.count; i++) {
        MlirOperation op = users.items[i];
        if (!mlirTypeIsNull(bad_type(op)))
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                            "flatten-memref: a memory whose sizes are not known");
        if (!is_known(op))
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                            "flatten-memref: %s cannot be flattened; lower it to loops first",
                            op_name(session->arena, op));
    }
    return true;
}

/* --- accesses --- */

/* The strides of a memory before it was flattened. */
static int row_strides(MlirType type, int64_t *strides) {
    int rank = 0;
    int64_t shape[MAX_RANK], stride = 1;
    static_shape(type, &rank, shape);
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape[d];
    }
    return rank;
}

/* sum of strides[d] x index d, as arithmetic on index values. */
static MlirValue linear_index(Builder *builder, int rank, const int64_t *strides,
                              const MlirValue *indices) {
    MlirType type = index_type(builder->context);
    MlirValue sum = {NULL};
    for (int d = 0; d < rank; d++) {
        MlirValue term = indices[d];
        if (strides[d] != 1)
            term =
                build2(builder, "arith.muli", type, term, build_integer(builder, type, strides[d]));
        sum = sum.ptr ? build2(builder, "arith.addi", type, sum, term) : term;
    }
    return sum.ptr ? sum : build_integer(builder, type, 0);
}

/* The same as an affine map with one result. */
static MlirAffineMap linear_map(MlirContext context, MlirAffineMap map, int rank,
                                const int64_t *strides) {
    MlirAffineExpr sum = mlirAffineConstantExprGet(context, 0);
    for (int d = 0; d < rank; d++)
        sum = mlirAffineAddExprGet(
            sum, mlirAffineMulExprGet(mlirAffineMapGetResult(map, d),
                                      mlirAffineConstantExprGet(context, strides[d])));
    return mlirAffineMapGet(context, mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map),
                            1, &sum);
}

static void flatten_access(MlirOperation op, int memory) {
    int64_t strides[MAX_RANK];
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, memory));
    if (is_flat(type)) return;
    int rank = row_strides(type, strides), first = memory + 1;
    MlirAttribute map = op_attribute(op, "map");
    if (!mlirAttributeIsNull(map)) {
        MlirAffineMap flat =
            linear_map(mlirOperationGetContext(op), mlirAffineMapAttrGetValue(map), rank, strides);
        op_set(op, "map", mlirAffineMapAttrGet(flat));
        return;
    }
    MlirValue operands[MAX_RANK + 2];
    for (int i = 0; i < first + rank; i++) operands[i] = mlirOperationGetOperand(op, i);
    Builder builder = builder_before(op);
    operands[first] = linear_index(&builder, rank, strides, operands + first);
    mlirOperationSetOperands(op, first + 1, operands);
}

static void flatten_accesses(OpList users) {
    for (int i = 0; i < users.count; i++) {
        MlirOperation op = users.items[i];
        if (op_is(op, "memref.load") || op_is(op, "affine.load")) flatten_access(op, 0);
        if (op_is(op, "memref.store") || op_is(op, "affine.store")) flatten_access(op, 1);
    }
}

/* --- types --- */

static void flatten_value(MlirValue value) {
    MlirType flat = flat_type(mlirValueGetType(value));
    if (!mlirTypeIsNull(flat)) mlirValueSetType(value, flat);
}

static void flatten_values(MlirOperation op, void *context) {
    (void)context;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        flatten_value(mlirOperationGetResult(op, i));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
                flatten_value(mlirBlockGetArgument(block, i));
}

/* A reshape has the type of its source now, and no purpose. */
static void drop_reshapes(OpList users) {
    for (int i = 0; i < users.count; i++) {
        if (!is_reshape(users.items[i])) continue;
        MlirValue source = mlirOperationGetOperand(users.items[i], 0);
        op_replace(users.items[i], 1, &source);
    }
}

static void flatten_signature(Arena *arena, MlirOperation function) {
    MlirType type = mlirTypeAttrGetValue(op_attribute(function, "function_type"));
    intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
    intptr_t results = mlirFunctionTypeGetNumResults(type);
    MlirType *all = arena_array(arena, (size_t)(inputs + results) + 1, sizeof *all);
    for (intptr_t i = 0; i < inputs + results; i++) {
        all[i] = i < inputs ? mlirFunctionTypeGetInput(type, i)
                            : mlirFunctionTypeGetResult(type, i - inputs);
        MlirType flat = flat_type(all[i]);
        if (!mlirTypeIsNull(flat)) all[i] = flat;
    }
    type = mlirFunctionTypeGet(mlirTypeGetContext(type), inputs, all, results, all + inputs);
    op_set(function, "function_type", mlirTypeAttrGet(type));
}

static void flatten_global(MlirOperation global) {
    MlirType type = mlirTypeAttrGetValue(op_attribute(global, "type")), flat = flat_type(type);
    MlirAttribute value = op_attribute(global, "initial_value");
    if (mlirTypeIsNull(flat) || is_flat(type)) return;
    op_set(global, "type", mlirTypeAttrGet(flat));
    if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseElements(value)) return;
    int64_t elements = type_elements(type);
    MlirType tensor = tensor_of(mlirShapedTypeGetElementType(type), 1, &elements);
    op_set(global, "initial_value", mlirDenseElementsAttrReshapeGet(value, tensor));
}

bool pass_flatten(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    if (ops_named(session->arena, root, "memref.subview").count > 0 &&
        !session_run_elements(session, module, "fold-memref-alias-ops,canonicalize"))
        return false;
    OpList users = ops_collect(session->arena, root, uses_memory);
    if (!check(session, users)) return false;
    flatten_accesses(users);
    ops_each(root, flatten_values, NULL);
    drop_reshapes(users);
    OpList functions = ops_named(session->arena, root, "func.func");
    for (int i = 0; i < functions.count; i++) flatten_signature(session->arena, functions.items[i]);
    OpList globals = ops_named(session->arena, root, "memref.global");
    for (int i = 0; i < globals.count; i++) flatten_global(globals.items[i]);
    return true;
}
