/* Pass "tepal-concat": tensor.concat becomes insertions into fresh memory, as upstream cannot
 * bufferize it. Bufferization then lets the producers write in place where it can. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

static MlirAttribute i64_array(MlirContext context, int count, const int64_t *values) {
    return mlirDenseI64ArrayGet(context, count, values);
}

static MlirValue insert_slice(Builder *builder, MlirValue source, MlirValue target, int rank,
                              const int64_t *offsets, const int64_t *sizes) {
    MlirContext context = builder->context;
    int64_t ones[MAX_RANK];
    for (int i = 0; i < rank; i++) ones[i] = 1;
    MlirType type = mlirValueGetType(target);
    MlirNamedAttribute attributes[] = {
        named(context, "static_offsets", i64_array(context, rank, offsets)),
        named(context, "static_sizes", i64_array(context, rank, sizes)),
        named(context, "static_strides", i64_array(context, rank, ones)),
        named(context, "operandSegmentSizes",
              mlirDenseI32ArrayGet(context, 5, (int32_t[]){1, 1, 0, 0, 0})),
    };
    MlirOperation op = build_op(builder, &(OpParts){.name = "tensor.insert_slice",
                                                    .operand_count = 2,
                                                    .operands = (MlirValue[]){source, target},
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 4,
                                                    .attributes = attributes});
    return mlirOperationGetResult(op, 0);
}

/* A part without the cast that hides its sizes. */
static MlirValue known_part(MlirValue part) {
    MlirOperation cast = value_definition(part);
    return !mlirOperationIsNull(cast) && op_is(cast, "tensor.cast") &&
                   !mlirShapedTypeHasStaticShape(mlirValueGetType(part))
               ? mlirOperationGetOperand(cast, 0)
               : part;
}

static bool expand_concat(Session *session, MlirOperation op) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    int rank, dimension = (int)mlirIntegerAttrGetValueInt(op_attribute(op, "dim"));
    int64_t shape[MAX_RANK], offsets[MAX_RANK] = {0};
    if (!static_shape(type, &rank, shape))
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                        "tensor.concat with sizes that are not known is not supported");
    Builder builder = builder_before(op);
    MlirValue whole = build_tensor_empty(&builder, type);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue part = known_part(mlirOperationGetOperand(op, i));
        if (!static_shape(mlirValueGetType(part), &rank, shape))
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                            "tensor.concat with sizes that are not known is not supported");
        whole = insert_slice(&builder, part, whole, rank, offsets, shape);
        offsets[dimension] += shape[dimension];
    }
    op_replace(op, 1, &whole);
    return true;
}

bool pass_concat(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_named(session->arena, mlirModuleGetOperation(module), "tensor.concat");
    for (int i = 0; i < list.count; i++)
        if (!expand_concat(session, list.items[i])) return false;
    return true;
}
