/* Short forms for building linalg on tensors. */
#include "import/builder.h"
#include <string.h>
#include <mlir-c/Dialect/Linalg.h>

/* --- affine maps --------------------------------------------------------------------------- */

MlirAffineExpr affine_dim(Builder *builder, int position, int64_t factor) {
    MlirAffineExpr dim = mlirAffineDimExprGet(builder->context, position);
    if (factor == 1) return dim;
    return mlirAffineMulExprGet(dim, mlirAffineConstantExprGet(builder->context, factor));
}

MlirAffineExpr affine_plus(MlirAffineExpr a, MlirAffineExpr b) {
    return mlirAffineAddExprGet(a, b);
}

MlirAffineMap map_of_dims(Builder *builder, int loops, int count, const int *dims) {
    MlirAffineExpr results[MAX_LOOPS];
    for (int i = 0; i < count; i++) {
        results[i] = dims[i] < 0 ? mlirAffineConstantExprGet(builder->context, 0)
                                 : mlirAffineDimExprGet(builder->context, dims[i]);
    }
    return mlirAffineMapGet(builder->context, loops, 0, count, results);
}

MlirAffineMap map_identity(Builder *builder, int loops) {
    return mlirAffineMapMultiDimIdentityGet(builder->context, loops);
}

/* --- linalg.generic ------------------------------------------------------------------------ */

MlirType element_type(MlirValue tensor) {
    return mlirShapedTypeGetElementType(mlirValueGetType(tensor));
}

Generic generic_begin(Builder *builder, const char *iterators, int input_count,
                      const MlirValue *inputs, int output_count, const MlirValue *inits,
                      const MlirAffineMap *maps) {
    Generic generic = {.outer = builder,
                       .iterators = iterators,
                       .input_count = input_count,
                       .output_count = output_count};
    MlirType types[MAX_GENERIC_OPERANDS];
    MlirLocation locations[MAX_GENERIC_OPERANDS];
    int count = input_count + output_count;
    for (int i = 0; i < count; i++) {
        generic.operands[i] = i < input_count ? inputs[i] : inits[i - input_count];
        generic.maps[i] = maps[i];
        types[i] = element_type(generic.operands[i]);
        locations[i] = builder->location;
    }
    generic.body = builder_at_end(mlirBlockCreate(count, types, locations), builder->location);
    generic.body.context = builder->context;
    return generic;
}

MlirValue generic_input(const Generic *generic, int index) {
    return mlirBlockGetArgument(generic->body.block, index);
}

MlirValue generic_output(const Generic *generic, int index) {
    return mlirBlockGetArgument(generic->body.block, generic->input_count + index);
}

MlirValue generic_index(Generic *generic, int loop) {
    Builder *body = &generic->body;
    MlirType index = mlirIndexTypeGet(body->context), i64 = mlirIntegerTypeGet(body->context, 64);
    MlirNamedAttribute dim = named(body->context, "dim",
                                   mlirIntegerAttrGet(mlirIntegerTypeGet(body->context, 64), loop));
    OpParts parts = {.name = "linalg.index",
                     .result_count = 1,
                     .results = &index,
                     .attribute_count = 1,
                     .attributes = &dim};
    MlirValue number = mlirOperationGetResult(build_op(body, &parts), 0);
    return build1(body, "arith.index_cast", i64, number);
}

static MlirAttribute maps_attribute(const Generic *generic) {
    MlirAttribute maps[MAX_GENERIC_OPERANDS];
    int count = generic->input_count + generic->output_count;
    for (int i = 0; i < count; i++) maps[i] = mlirAffineMapAttrGet(generic->maps[i]);
    return mlirArrayAttrGet(generic->outer->context, count, maps);
}

static MlirAttribute iterators_attribute(const Generic *generic) {
    MlirContext context = generic->outer->context;
    MlirAttribute parallel = mlirAttributeParseGet(context, ref("#linalg.iterator_type<parallel>"));
    MlirAttribute reduction =
        mlirAttributeParseGet(context, ref("#linalg.iterator_type<reduction>"));
    MlirAttribute iterators[MAX_LOOPS];
    int count = (int)strlen(generic->iterators);
    for (int i = 0; i < count; i++) {
        iterators[i] = generic->iterators[i] == 'r' ? reduction : parallel;
    }
    return mlirArrayAttrGet(context, count, iterators);
}

static MlirNamedAttribute segments_attribute(Builder *builder, int count, const int32_t *segments) {
    return named(builder->context, "operandSegmentSizes",
                 mlirDenseI32ArrayGet(builder->context, count, segments));
}

void generic_end_all(Generic *generic, const MlirValue *yielded, MlirValue *results) {
    Builder *builder = generic->outer;
    OpParts yield = {
        .name = "linalg.yield", .operand_count = generic->output_count, .operands = yielded};
    build_op(&generic->body, &yield);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, generic->body.block);
    int32_t segments[] = {generic->input_count, generic->output_count};
    MlirNamedAttribute attributes[] = {
        named(builder->context, "indexing_maps", maps_attribute(generic)),
        named(builder->context, "iterator_types", iterators_attribute(generic)),
        segments_attribute(builder, 2, segments),
    };
    MlirType types[MAX_GENERIC_OPERANDS];
    for (int i = 0; i < generic->output_count; i++) {
        types[i] = mlirValueGetType(generic->operands[generic->input_count + i]);
    }
    OpParts parts = {.name = "linalg.generic",
                     .operand_count = generic->input_count + generic->output_count,
                     .operands = generic->operands,
                     .result_count = generic->output_count,
                     .results = types,
                     .attribute_count = 3,
                     .attributes = attributes,
                     .region_count = 1,
                     .regions = &region};
    MlirOperation op = build_op(builder, &parts);
    for (int i = 0; i < generic->output_count; i++) results[i] = mlirOperationGetResult(op, i);
}

MlirValue generic_end(Generic *generic, MlirValue yielded) {
    MlirValue result;
    generic_end_all(generic, &yielded, &result);
    return result;
}

/* --- loops that carry a tensor --------------------------------------------------------------- */

Carried carried_begin(Builder *builder, int loops, const int64_t *sizes, MlirValue init) {
    Carried carried = {.outer = builder, .loops = loops, .tensor = init};
    MlirType index = mlirIndexTypeGet(builder->context);
    MlirType types[] = {index, mlirValueGetType(init)};
    MlirLocation locations[] = {builder->location, builder->location};
    for (int i = 0; i < loops; i++) {
        carried.bounds[i] = build_integer(builder, index, sizes[i]);
        carried.inits[i] = carried.tensor;
        carried.blocks[i] = mlirBlockCreate(2, types, locations);
        carried.indices[i] = mlirBlockGetArgument(carried.blocks[i], 0);
        carried.tensor = mlirBlockGetArgument(carried.blocks[i], 1);
    }
    carried.body = builder_at_end(carried.blocks[loops - 1], builder->location);
    carried.body.context = builder->context;
    return carried;
}

MlirValue carried_end(Carried *carried, MlirValue tensor) {
    Builder *outer = carried->outer;
    MlirType index = mlirIndexTypeGet(outer->context), type = mlirValueGetType(tensor);
    MlirValue zero = build_integer(outer, index, 0), one = build_integer(outer, index, 1);
    for (int i = carried->loops - 1; i >= 0; i--) {
        Builder inside = builder_at_end(carried->blocks[i], outer->location);
        inside.context = outer->context;
        OpParts yield = {.name = "scf.yield", .operand_count = 1, .operands = &tensor};
        build_op(&inside, &yield);
        MlirRegion region = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(region, carried->blocks[i]);
        MlirValue operands[] = {zero, carried->bounds[i], one, carried->inits[i]};
        OpParts parts = {.name = "scf.for",
                         .operand_count = 4,
                         .operands = operands,
                         .result_count = 1,
                         .results = &type,
                         .region_count = 1,
                         .regions = &region};
        Builder around = *outer;
        if (i > 0) around = builder_at_end(carried->blocks[i - 1], outer->location);
        around.context = outer->context;
        tensor = mlirOperationGetResult(build_op(&around, &parts), 0);
    }
    return tensor;
}

/* --- named operations ---------------------------------------------------------------------- */

static MlirValue build_result(Builder *builder, const char *name, int operand_count,
                              const MlirValue *operands, MlirType type, int attribute_count,
                              const MlirNamedAttribute *attributes) {
    OpParts parts = {.name = name,
                     .operand_count = operand_count,
                     .operands = operands,
                     .result_count = 1,
                     .results = &type,
                     .attribute_count = attribute_count,
                     .attributes = attributes};
    return mlirOperationGetResult(build_op(builder, &parts), 0);
}

MlirValue build_element(Builder *builder, MlirValue tensor, int rank, const MlirValue *indices) {
    MlirValue operands[MAX_RANK + 1] = {tensor};
    for (int i = 0; i < rank; i++) operands[i + 1] = indices[i];
    return build_result(builder, "tensor.extract", rank + 1, operands, element_type(tensor), 0,
                        NULL);
}

MlirValue build_set_element(Builder *builder, MlirValue scalar, MlirValue tensor, int rank,
                            const MlirValue *indices) {
    MlirValue operands[MAX_RANK + 2] = {scalar, tensor};
    for (int i = 0; i < rank; i++) operands[i + 2] = indices[i];
    return build_result(builder, "tensor.insert", rank + 2, operands, mlirValueGetType(tensor), 0,
                        NULL);
}

MlirValue build_empty(Builder *builder, MlirType type) {
    return build_result(builder, "tensor.empty", 0, NULL, type, 0, NULL);
}

/* A structured operation of linalg: its body follows from its name. */
static MlirValue build_structured(Builder *builder, const char *name, int input_count,
                                  const MlirValue *operands, int attribute_count,
                                  const MlirNamedAttribute *attributes) {
    enum { MOST = 4 };
    MlirNamedAttribute all[MOST];
    int32_t segments[] = {input_count, 1};
    all[0] = segments_attribute(builder, 2, segments);
    for (int i = 0; i < attribute_count && i + 1 < MOST; i++) all[i + 1] = attributes[i];
    MlirType type = mlirValueGetType(operands[input_count]);
    MlirRegion region = mlirRegionCreate();
    OpParts parts = {.name = name,
                     .operand_count = input_count + 1,
                     .operands = operands,
                     .result_count = 1,
                     .results = &type,
                     .attribute_count = attribute_count + 1,
                     .attributes = all,
                     .region_count = 1,
                     .regions = &region};
    MlirOperation op = build_op(builder, &parts);
    mlirLinalgFillBuiltinNamedOpRegion(op);
    return mlirOperationGetResult(op, 0);
}

MlirValue build_named(Builder *builder, const char *name, MlirValue left, MlirValue right,
                      MlirValue init, int attribute_count, const MlirNamedAttribute *attributes) {
    MlirValue operands[] = {left, right, init};
    return build_structured(builder, name, 2, operands, attribute_count, attributes);
}

MlirValue build_filled(Builder *builder, MlirType type, MlirValue scalar) {
    MlirValue operands[] = {scalar, build_empty(builder, type)};
    return build_structured(builder, "linalg.fill", 1, operands, 0, NULL);
}

MlirNamedAttribute sizes_attribute(Builder *builder, const char *name, int count,
                                   const int64_t *sizes) {
    int64_t shape[] = {count};
    MlirType type = tensor_of(mlirIntegerTypeGet(builder->context, 64), 1, shape);
    return named(builder->context, name, mlirDenseElementsAttrInt64Get(type, count, sizes));
}

MlirValue build_spread(Builder *builder, MlirValue source, MlirType type, const int *dims) {
    int loops = (int)mlirShapedTypeGetRank(type);
    int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(source));
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)loops);
    MlirAffineMap maps[] = {map_of_dims(builder, loops, rank, dims), map_identity(builder, loops)};
    MlirValue init = build_empty(builder, type);
    Generic spread = generic_begin(builder, iterators, 1, &source, 1, &init, maps);
    return generic_end(&spread, generic_input(&spread, 0));
}

/* --- shapes -------------------------------------------------------------------------------- */

typedef struct Groups {
    int count;
    int sizes[MAX_LOOPS]; /* dimensions of the larger shape in each group */
} Groups;

static MlirNamedAttribute groups_attribute(Builder *builder, const Groups *groups) {
    MlirAttribute lists[MAX_LOOPS];
    int next = 0;
    MlirType i64 = mlirIntegerTypeGet(builder->context, 64);
    for (int g = 0; g < groups->count; g++) {
        MlirAttribute dims[MAX_LOOPS];
        for (int i = 0; i < groups->sizes[g]; i++) dims[i] = mlirIntegerAttrGet(i64, next++);
        lists[g] = mlirArrayAttrGet(builder->context, groups->sizes[g], dims);
    }
    return named(builder->context, "reassociation",
                 mlirArrayAttrGet(builder->context, groups->count, lists));
}

static MlirValue build_collapse(Builder *builder, MlirValue source, MlirType type,
                                const Groups *groups) {
    MlirNamedAttribute reassociation = groups_attribute(builder, groups);
    return build_result(builder, "tensor.collapse_shape", 1, &source, type, 1, &reassociation);
}

static MlirValue build_expand(Builder *builder, MlirValue source, MlirType type, int rank,
                              const int64_t *shape, const Groups *groups) {
    MlirNamedAttribute attributes[] = {
        groups_attribute(builder, groups),
        named(builder->context, "static_output_shape",
              mlirDenseI64ArrayGet(builder->context, rank, shape)),
    };
    return build_result(builder, "tensor.expand_shape", 1, &source, type, 2, attributes);
}

/* Cuts both shapes at the places where their products of sizes meet. `middle` gets the sizes
 * between, the finest shape that both are expansions of; dimensions of size 1 that are left over at
 * the end join the last group. Returns the number of groups. */
static int match_shapes(int rank_a, const int64_t *a, int rank_b, const int64_t *b, int64_t *middle,
                        Groups *groups_a, Groups *groups_b) {
    int i = 0, j = 0, count = 0;
    while (i < rank_a && j < rank_b) {
        int from_a = i, from_b = j;
        int64_t left = a[i++], right = b[j++];
        while (left != right) {
            if (left < right) {
                left *= a[i++];
            } else {
                right *= b[j++];
            }
        }
        middle[count] = left;
        groups_a->sizes[count] = i - from_a;
        groups_b->sizes[count++] = j - from_b;
    }
    if (count) groups_a->sizes[count - 1] += rank_a - i;
    if (count) groups_b->sizes[count - 1] += rank_b - j;
    groups_a->count = groups_b->count = count;
    return count;
}

MlirValue build_reshape(Builder *builder, MlirValue source, int rank, const int64_t *shape) {
    int from_rank;
    int64_t from[MAX_RANK], middle[MAX_RANK];
    Groups before = {0}, after = {0};
    MlirType element = element_type(source);
    static_shape(mlirValueGetType(source), &from_rank, from);
    if (type_elements(mlirValueGetType(source)) == 0)
        return build_empty(builder, tensor_of(element, rank, shape));
    int groups = match_shapes(from_rank, from, rank, shape, middle, &before, &after);
    if (from_rank != groups) {
        source = build_collapse(builder, source, tensor_of(element, groups, middle), &before);
    }
    if (rank == groups) return source;
    return build_expand(builder, source, tensor_of(element, rank, shape), rank, shape, &after);
}

MlirValue build_pad(Builder *builder, MlirValue source, const int64_t *low, const int64_t *high,
                    MlirValue scalar) {
    int rank;
    int64_t shape[MAX_RANK];
    MlirType types[MAX_RANK], index = mlirIndexTypeGet(builder->context);
    MlirLocation locations[MAX_RANK];
    static_shape(mlirValueGetType(source), &rank, shape);
    for (int i = 0; i < rank; i++) {
        shape[i] += low[i] + high[i];
        types[i] = index;
        locations[i] = builder->location;
    }
    MlirBlock block = mlirBlockCreate(rank, types, locations);
    Builder body = builder_at_end(block, builder->location);
    body.context = builder->context;
    OpParts yield = {.name = "tensor.yield", .operand_count = 1, .operands = &scalar};
    build_op(&body, &yield);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    int32_t segments[] = {1, 0, 0};
    MlirNamedAttribute attributes[] = {
        named(builder->context, "static_low", mlirDenseI64ArrayGet(builder->context, rank, low)),
        named(builder->context, "static_high", mlirDenseI64ArrayGet(builder->context, rank, high)),
        segments_attribute(builder, 3, segments),
    };
    MlirType type = tensor_of(element_type(source), rank, shape);
    OpParts parts = {.name = "tensor.pad",
                     .operand_count = 1,
                     .operands = &source,
                     .result_count = 1,
                     .results = &type,
                     .attribute_count = 3,
                     .attributes = attributes,
                     .region_count = 1,
                     .regions = &region};
    return mlirOperationGetResult(build_op(builder, &parts), 0);
}

static MlirNamedAttribute slice_attribute(Builder *builder, const char *name, int rank,
                                          const int64_t *numbers) {
    return named(builder->context, name, mlirDenseI64ArrayGet(builder->context, rank, numbers));
}

MlirValue build_extract(Builder *builder, MlirValue source, const int64_t *offsets,
                        const int64_t *sizes, const int64_t *strides) {
    int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(source));
    int32_t segments[] = {1, 0, 0, 0};
    MlirNamedAttribute attributes[] = {
        slice_attribute(builder, "static_offsets", rank, offsets),
        slice_attribute(builder, "static_sizes", rank, sizes),
        slice_attribute(builder, "static_strides", rank, strides),
        segments_attribute(builder, 4, segments),
    };
    MlirType type = tensor_of(element_type(source), rank, sizes);
    return build_result(builder, "tensor.extract_slice", 1, &source, type, 4, attributes);
}

MlirValue build_scatter(Builder *builder, MlirValue source, MlirValue target,
                        const int64_t *offsets, const int64_t *strides) {
    int rank;
    int64_t sizes[MAX_RANK];
    static_shape(mlirValueGetType(source), &rank, sizes);
    int32_t segments[] = {1, 1, 0, 0, 0};
    MlirNamedAttribute attributes[] = {
        slice_attribute(builder, "static_offsets", rank, offsets),
        slice_attribute(builder, "static_sizes", rank, sizes),
        slice_attribute(builder, "static_strides", rank, strides),
        segments_attribute(builder, 5, segments),
    };
    MlirValue operands[] = {source, target};
    return build_result(builder, "tensor.insert_slice", 2, operands, mlirValueGetType(target), 4,
                        attributes);
}

MlirValue build_insert_into(Builder *builder, MlirValue source, MlirValue target,
                            const int64_t *offsets) {
    int64_t ones[MAX_RANK];
    for (int i = 0; i < MAX_RANK; i++) ones[i] = 1;
    return build_scatter(builder, source, target, offsets, ones);
}
