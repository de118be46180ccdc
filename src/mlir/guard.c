/* Part of "tepal-total": permissions and promises that a module gives to compilers.
 *
 *   - fast-math and no-overflow flags allow other results than the strict ones: they are taken off;
 *   - an index that comes from data may lie outside of its memory: it is clamped into it;
 *   - a value that is declared to be undefined is 0;
 *   - an assertion has no meaning in hardware: it is dropped, and what it guards is clamped. */
#include "mlir/data.h"
#include "mlir/internal.h"
#include "mlir/linalg.h"

/* --- flags --- */

static void strip_flag(MlirOperation op, const char *name, const char *none) {
    if (!op_has(op, name)) return;
    MlirAttribute strict = mlirAttributeParseGet(mlirOperationGetContext(op), ref(none));
    if (!mlirAttributeEqual(op_attribute(op, name), strict)) op_set(op, name, strict);
}

static void strip_flags(MlirOperation op, void *context) {
    (void)context;
    if (!op_in_dialect(op, "arith") && !op_in_dialect(op, "math")) return;
    strip_flag(op, "fastmath", "#arith.fastmath<none>");
    strip_flag(op, "overflowFlags", "#arith.overflow<none>");
}

/* --- indices --- */

static bool is_clamped(MlirValue index) {
    MlirOperation op = value_definition(index);
    return op_is(op, "arith.minsi") && op_has(op, "tepal.total");
}

static MlirValue clamp(Builder *builder, MlirValue index, int64_t size) {
    MlirType type = mlirValueGetType(index);
    MlirValue low = build_integer(builder, type, 0);
    MlirValue high = build_integer(builder, type, size > 0 ? size - 1 : 0);
    MlirValue above = build2(builder, "arith.maxsi", type, index, low);
    MlirValue clamped = build2(builder, "arith.minsi", type, above, high);
    op_set(value_definition(clamped), "tepal.total", mlirUnitAttrGet(builder->context));
    return clamped;
}

/* The operand that is indexed; the indices follow. -1 for other operations. */
static int indexed_operand(MlirOperation op) {
    if (op_is(op, "tensor.extract") || op_is(op, "memref.load")) return 0;
    return op_is(op, "memref.store") || op_is(op, "tensor.insert") ? 1 : -1;
}

static bool is_indexed(MlirOperation op) {
    return indexed_operand(op) >= 0;
}

static void clamp_indices(MlirOperation op, DataQuery *query) {
    int base = indexed_operand(op), rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(mlirValueGetType(mlirOperationGetOperand(op, base)), &rank, shape)) return;
    for (int i = 0; i < rank; i++) {
        MlirValue index = mlirOperationGetOperand(op, base + 1 + i);
        if (is_clamped(index) || !depends_on_data(query, index)) continue;
        Builder builder = builder_before(op);
        mlirOperationSetOperand(op, base + 1 + i, clamp(&builder, index, shape[i]));
    }
}

/* A value that may be anything is 0. */
static void replace_poison(MlirOperation op) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    Scalar scalar;
    if (!scalar_of_type(type, &scalar)) return;
    Builder builder = builder_before(op);
    MlirValue zero = build_constant(&builder, zero_of(type));
    op_replace(op, 1, &zero);
}

bool total_guards(Session *session, MlirModule module) {
    MlirOperation root = mlirModuleGetOperation(module);
    OpList asserts = ops_named(session->arena, root, "cf.assert");
    for (int i = 0; i < asserts.count; i++) op_erase(asserts.items[i]);
    OpList poison = ops_named(session->arena, root, "ub.poison");
    for (int i = 0; i < poison.count; i++) replace_poison(poison.items[i]);
    ops_each(root, strip_flags, NULL);
    OpList indexed = ops_collect(session->arena, root, is_indexed);
    DataQuery query = {.values.arena = session->arena};
    for (int i = 0; i < indexed.count; i++) clamp_indices(indexed.items[i], &query);
    return true;
}
