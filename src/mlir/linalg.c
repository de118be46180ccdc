/* Reading and building linalg operations; see linalg.h. */
#include "mlir/linalg.h"

bool is_linalg_op(MlirOperation op) {
    return op_in_dialect(op, "linalg") && !op_is(op, "linalg.yield") && !op_is(op, "linalg.index");
}

int linalg_input_count(MlirOperation op) {
    int count = (int)mlirOperationGetNumOperands(op);
    MlirAttribute sizes = op_attribute(op, "operandSegmentSizes");
    if (!mlirAttributeIsNull(sizes) && mlirAttributeIsADenseI32Array(sizes))
        return mlirDenseI32ArrayGetElement(sizes, 0);
    if (op_is(op, "linalg.reduce")) return count / 2;
    return count - 1; /* map, broadcast, transpose, softmax */
}

MlirValue linalg_body_argument(MlirOperation op, int operand) {
    MlirValue none = {NULL};
    MlirBlock body = op_body(op);
    if (mlirBlockIsNull(body) || operand >= mlirBlockGetNumArguments(body)) return none;
    return mlirBlockGetArgument(body, operand);
}

bool linalg_ignores(MlirOperation op, int operand) {
    if (op_is(op, "linalg.map") || op_is(op, "linalg.softmax"))
        return operand >= linalg_input_count(op);
    MlirValue argument = linalg_body_argument(op, operand);
    return argument.ptr && mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
}

static MlirAttribute maps_attribute(MlirContext context, int count, const MlirAffineMap *maps) {
    MlirAttribute all[2 * MAX_RANK + 32];
    for (int i = 0; i < count; i++) all[i] = mlirAffineMapAttrGet(maps[i]);
    return mlirArrayAttrGet(context, count, all);
}

static MlirAttribute iterators_attribute(MlirContext context, const GenericParts *parts) {
    MlirAttribute parallel = mlirAttributeParseGet(context, ref("#linalg.iterator_type<parallel>"));
    MlirAttribute reduction =
        mlirAttributeParseGet(context, ref("#linalg.iterator_type<reduction>"));
    MlirAttribute all[2 * MAX_RANK];
    for (int i = 0; i < parts->loop_count; i++)
        all[i] = parts->reductions && parts->reductions[i] ? reduction : parallel;
    return mlirArrayAttrGet(context, parts->loop_count, all);
}

static MlirBlock body_block(const GenericParts *parts, MlirLocation location) {
    int count = parts->input_count + parts->output_count;
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    for (int i = 0; i < count; i++)
        mlirBlockAddArgument(
            block, mlirShapedTypeGetElementType(mlirValueGetType(parts->operands[i])), location);
    return block;
}

MlirOperation build_generic(Builder *builder, const GenericParts *parts, MlirBlock *body) {
    MlirContext context = builder->context;
    int count = parts->input_count + parts->output_count, results = 0;
    MlirType types[MAX_RANK];
    for (int i = parts->input_count; i < count; i++) {
        MlirType type = mlirValueGetType(parts->operands[i]);
        if (is_tensor(type)) types[results++] = type;
    }
    int32_t segments[] = {parts->input_count, parts->output_count};
    MlirNamedAttribute attributes[] = {
        named(context, "indexing_maps", maps_attribute(context, count, parts->maps)),
        named(context, "iterator_types", iterators_attribute(context, parts)),
        named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)),
    };
    *body = body_block(parts, builder->location);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, *body);
    return build_op(builder, &(OpParts){.name = "linalg.generic",
                                        .operand_count = count,
                                        .operands = parts->operands,
                                        .result_count = results,
                                        .results = types,
                                        .attribute_count = 3,
                                        .attributes = attributes,
                                        .region_count = 1,
                                        .regions = &region});
}

void build_linalg_yield(MlirBlock body, MlirLocation location, int count, const MlirValue *values) {
    Builder builder = builder_at_end(body, location);
    build_op(&builder,
             &(OpParts){.name = "linalg.yield", .operand_count = count, .operands = values});
}

MlirValue build_linalg_index(Builder *builder, int loop) {
    MlirType type = index_type(builder->context);
    MlirNamedAttribute attribute =
        named(builder->context, "dim",
              mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64), loop));
    MlirOperation op = build_op(builder, &(OpParts){.name = "linalg.index",
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &attribute});
    return mlirOperationGetResult(op, 0);
}

MlirValue build_tensor_empty(Builder *builder, MlirType type) {
    MlirOperation op =
        build_op(builder, &(OpParts){.name = "tensor.empty", .result_count = 1, .results = &type});
    return mlirOperationGetResult(op, 0);
}

MlirAttribute zero_of(MlirType element) {
    MlirContext context = mlirTypeGetContext(element);
    if (mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element))
        return mlirIntegerAttrGet(element, 0);
    return mlirFloatAttrDoubleGet(context, element, 0);
}

MlirValue build_linalg_fill(Builder *builder, MlirValue element, MlirValue target) {
    MlirContext context = builder->context;
    MlirType type = mlirValueGetType(target), element_type = mlirValueGetType(element);
    MlirType arguments[] = {element_type, element_type};
    MlirLocation locations[] = {builder->location, builder->location};
    MlirBlock body = mlirBlockCreate(2, arguments, locations);
    MlirValue first = mlirBlockGetArgument(body, 0);
    build_linalg_yield(body, builder->location, 1, &first);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, body);
    MlirNamedAttribute segments =
        named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, (int32_t[]){1, 1}));
    MlirOperation op = build_op(builder, &(OpParts){.name = "linalg.fill",
                                                    .operand_count = 2,
                                                    .operands = (MlirValue[]){element, target},
                                                    .result_count = is_tensor(type),
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &segments,
                                                    .region_count = 1,
                                                    .regions = &region});
    MlirValue none = {NULL};
    return is_tensor(type) ? mlirOperationGetResult(op, 0) : none;
}
