/* Writing MLIR: building, copying, replacing operations. See ir.h. */
#include "mlir/ir.h"

#include <stdint.h>
#include <string.h>

/* --- builders --- */

Builder builder_before(MlirOperation op) {
    return (Builder){mlirOperationGetContext(op), mlirOperationGetLocation(op),
                     mlirOperationGetBlock(op), op};
}

Builder builder_after(MlirOperation op) {
    return (Builder){mlirOperationGetContext(op), mlirOperationGetLocation(op),
                     mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op)};
}

Builder builder_at_end(MlirBlock block, MlirLocation location) {
    return (Builder){mlirLocationGetContext(location), location, block, {NULL}};
}

Builder builder_at_start(MlirBlock block, MlirLocation location) {
    return (Builder){mlirLocationGetContext(location), location, block,
                     mlirBlockGetFirstOperation(block)};
}

void build_insert(Builder *builder, MlirOperation op) {
    if (mlirOperationIsNull(builder->before))
        mlirBlockAppendOwnedOperation(builder->block, op);
    else
        mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
}

MlirOperation build_op(Builder *builder, const OpParts *parts) {
    MlirOperationState state = mlirOperationStateGet(ref(parts->name), builder->location);
    mlirOperationStateAddOperands(&state, parts->operand_count, parts->operands);
    mlirOperationStateAddResults(&state, parts->result_count, parts->results);
    mlirOperationStateAddAttributes(&state, parts->attribute_count, parts->attributes);
    mlirOperationStateAddOwnedRegions(&state, parts->region_count, parts->regions);
    MlirOperation op = mlirOperationCreate(&state);
    build_insert(builder, op);
    return op;
}

MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute attribute) {
    return mlirNamedAttributeGet(mlirIdentifierGet(context, ref(name)), attribute);
}

/* --- scalar operations --- */

static MlirValue build_n(Builder *builder, const char *name, MlirType type, int count,
                         const MlirValue *operands) {
    MlirOperation op = build_op(builder, &(OpParts){.name = name,
                                                    .operand_count = count,
                                                    .operands = operands,
                                                    .result_count = 1,
                                                    .results = &type});
    return mlirOperationGetResult(op, 0);
}

MlirValue build1(Builder *builder, const char *name, MlirType type, MlirValue a) {
    return build_n(builder, name, type, 1, &a);
}

MlirValue build2(Builder *builder, const char *name, MlirType type, MlirValue a, MlirValue b) {
    return build_n(builder, name, type, 2, (MlirValue[]){a, b});
}

MlirValue build3(Builder *builder, const char *name, MlirType type, MlirValue a, MlirValue b,
                 MlirValue c) {
    return build_n(builder, name, type, 3, (MlirValue[]){a, b, c});
}

MlirValue build_constant(Builder *builder, MlirAttribute value) {
    MlirType type = mlirAttributeGetType(value);
    MlirNamedAttribute attribute = named(builder->context, "value", value);
    MlirOperation op = build_op(builder, &(OpParts){.name = "arith.constant",
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &attribute});
    return mlirOperationGetResult(op, 0);
}

MlirValue build_integer(Builder *builder, MlirType type, int64_t value) {
    return build_constant(builder, mlirIntegerAttrGet(type, value));
}

MlirValue build_float(Builder *builder, MlirType type, double value) {
    return build_constant(builder, mlirFloatAttrDoubleGet(builder->context, type, value));
}

MlirValue build_compare(Builder *builder, const char *name, int64_t predicate, MlirValue a,
                        MlirValue b) {
    MlirContext context = builder->context;
    MlirType type = mlirIntegerTypeGet(context, 1);
    MlirNamedAttribute attribute =
        named(context, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), predicate));
    MlirOperation op = build_op(builder, &(OpParts){.name = name,
                                                    .operand_count = 2,
                                                    .operands = (MlirValue[]){a, b},
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &attribute});
    return mlirOperationGetResult(op, 0);
}

MlirValue build_select(Builder *builder, MlirValue condition, MlirValue a, MlirValue b) {
    return build3(builder, "arith.select", mlirValueGetType(a), condition, a, b);
}

/* --- affine --- */

MlirValue build_affine_load(Builder *builder, MlirValue memref, MlirAffineMap map, int count,
                            const MlirValue *operands) {
    MlirValue all[2 * MAX_RANK + 1] = {memref};
    for (int i = 0; i < count; i++) all[1 + i] = operands[i];
    MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(memref));
    MlirNamedAttribute attribute = named(builder->context, "map", mlirAffineMapAttrGet(map));
    MlirOperation op = build_op(builder, &(OpParts){.name = "affine.load",
                                                    .operand_count = count + 1,
                                                    .operands = all,
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &attribute});
    return mlirOperationGetResult(op, 0);
}

MlirOperation build_affine_store(Builder *builder, MlirValue value, MlirValue memref,
                                 MlirAffineMap map, int count, const MlirValue *operands) {
    MlirValue all[2 * MAX_RANK + 2] = {value, memref};
    for (int i = 0; i < count; i++) all[2 + i] = operands[i];
    MlirNamedAttribute attribute = named(builder->context, "map", mlirAffineMapAttrGet(map));
    return build_op(builder, &(OpParts){.name = "affine.store",
                                        .operand_count = count + 2,
                                        .operands = all,
                                        .attribute_count = 1,
                                        .attributes = &attribute});
}

MlirOperation build_affine_for(Builder *builder, int64_t trip) {
    MlirContext context = builder->context;
    MlirType type = index_type(context);
    MlirBlock body = mlirBlockCreate(1, &type, &builder->location);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, body);
    Builder inside = builder_at_end(body, builder->location);
    build_op(&inside, &(OpParts){.name = "affine.yield"});
    MlirNamedAttribute attributes[] = {
        named(context, "lowerBoundMap", mlirAffineMapAttrGet(mlirAffineMapConstantGet(context, 0))),
        named(context, "upperBoundMap",
              mlirAffineMapAttrGet(mlirAffineMapConstantGet(context, trip))),
        named(context, "step", mlirIntegerAttrGet(type, 1)),
        named(context, "operandSegmentSizes",
              mlirDenseI32ArrayGet(context, 3, (int32_t[]){0, 0, 0})),
    };
    return build_op(builder, &(OpParts){.name = "affine.for",
                                        .attribute_count = 4,
                                        .attributes = attributes,
                                        .region_count = 1,
                                        .regions = &region});
}

Builder build_affine_nest(Builder *builder, int rank, const int64_t *shape, MlirValue *indices) {
    Builder inside = *builder;
    for (int i = 0; i < rank; i++) {
        MlirOperation loop = build_affine_for(&inside, shape[i]);
        MlirBlock body = op_body(loop);
        indices[i] = mlirBlockGetArgument(body, 0);
        inside = builder_at_start(body, builder->location);
    }
    return inside;
}

/* --- memories --- */

MlirValue build_alloc(Builder *builder, MlirType type) {
    MlirNamedAttribute segments =
        named(builder->context, "operandSegmentSizes",
              mlirDenseI32ArrayGet(builder->context, 2, (int32_t[]){0, 0}));
    MlirOperation op = build_op(builder, &(OpParts){.name = "memref.alloc",
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &segments});
    return mlirOperationGetResult(op, 0);
}

MlirValue build_memory_like(Builder *builder, MlirType type) {
    int rank;
    int64_t shape[MAX_RANK];
    if (!static_shape(type, &rank, shape)) return (MlirValue){NULL};
    return build_alloc(builder, memref_of(mlirShapedTypeGetElementType(type), rank, shape));
}

void build_memory_copy(Builder *builder, MlirValue source, MlirValue target) {
    build_op(builder, &(OpParts){.name = "memref.copy",
                                 .operand_count = 2,
                                 .operands = (MlirValue[]){source, target}});
}

/* --- changing --- */

void op_erase(MlirOperation op) {
    mlirOperationDestroy(op);
}

void value_replace(MlirValue old, MlirValue replacement) {
    mlirValueReplaceAllUsesOfWith(old, replacement);
}

void op_replace(MlirOperation op, int count, const MlirValue *values) {
    for (int i = 0; i < count; i++) value_replace(mlirOperationGetResult(op, i), values[i]);
    op_erase(op);
}

static size_t slot_of(const ValueMap *map, MlirValue value) {
    size_t mask = (size_t)map->slot_count - 1;
    size_t slot = (size_t)(((uintptr_t)value.ptr >> 3) * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (map->slots[slot] && !mlirValueEqual(map->from.items[map->slots[slot] - 1], value))
        slot = (slot + 1) & mask;
    return slot;
}

static void grow_slots(ValueMap *map) {
    map->slot_count = map->slot_count ? 2 * map->slot_count : 64;
    map->slots = arena_array(map->arena, (size_t)map->slot_count, sizeof *map->slots);
    for (int i = 0; i < map->from.count; i++) map->slots[slot_of(map, map->from.items[i])] = i + 1;
}

void map_value(ValueMap *map, MlirValue from, MlirValue to) {
    if (2 * (map->from.count + 1) > map->slot_count) grow_slots(map);
    vector_push(map->arena, &map->from, from);
    vector_push(map->arena, &map->to, to);
    map->slots[slot_of(map, from)] = map->from.count;
}

int map_position(const ValueMap *map, MlirValue value) {
    return map->slot_count ? map->slots[slot_of(map, value)] - 1 : -1;
}

MlirValue mapped(const ValueMap *map, MlirValue value) {
    int position = map_position(map, value);
    return position < 0 ? value : map->to.items[position];
}

static void remap_operands(MlirOperation op, void *context) {
    ValueMap *map = context;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue old = mlirOperationGetOperand(op, i), new = mapped(map, old);
        if (!mlirValueEqual(old, new)) mlirOperationSetOperand(op, i, new);
    }
}

MlirOperation build_copy(Builder *builder, MlirOperation op, ValueMap *map) {
    MlirOperation copy = mlirOperationClone(op);
    ops_each(copy, remap_operands, map);
    build_insert(builder, copy);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        map_value(map, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
    return copy;
}

void build_copy_of_block(Builder *builder, MlirBlock block, ValueMap *map) {
    MlirOperation end = mlirBlockGetTerminator(block);
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op))
        build_copy(builder, op, map);
}
