/* Pass "tepal-pad": tensor.pad becomes one elementwise operation, `in range ? source : padding`.
 *
 * Upstream makes two passes over memory of it, a fill and a copy. Here each element is stored once,
 * and the load of the source runs only where it is in range (scf.if, later affine.if), which is
 * also what a consumer needs to absorb the padding. */
#include "mlir/internal.h"
#include "mlir/linalg.h"

enum { CMPI_SLT = 2, CMPI_SGE = 5 };

typedef struct Pad {
    MlirOperation op;
    int rank;
    int64_t low[MAX_RANK], source[MAX_RANK], result[MAX_RANK];
    MlirValue indices[MAX_RANK]; /* of the result's element */
} Pad;

static bool read_pad(Session *session, MlirOperation op, Pad *pad) {
    MlirAttribute low = op_attribute(op, "static_low");
    MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0));
    MlirType result = mlirValueGetType(mlirOperationGetResult(op, 0));
    pad->op = op;
    bool known = static_shape(source, &pad->rank, pad->source) &&
                 static_shape(result, &pad->rank, pad->result);
    for (int i = 0; known && i < pad->rank; i++) {
        pad->low[i] = mlirDenseI64ArrayGetElement(low, i);
        known = pad->low[i] != INT64_MIN; /* how MLIR writes "see the operands" */
    }
    return known || error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                             "tensor.pad with sizes that are not known is not supported");
}

/* The condition that the element comes from the source; null if all do. */
static MlirValue in_range(Builder *builder, const Pad *pad) {
    MlirType bool_type = mlirIntegerTypeGet(builder->context, 1),
             index = index_type(builder->context);
    MlirValue condition = {NULL};
    for (int i = 0; i < 2 * pad->rank; i++) {
        int dimension = i / 2;
        int64_t low = pad->low[dimension], end = low + pad->source[dimension];
        bool lower = i % 2 == 0;
        if (lower ? low <= 0 : end >= pad->result[dimension]) continue;
        MlirValue bound = build_integer(builder, index, lower ? low : end);
        MlirValue test = build_compare(builder, "arith.cmpi", lower ? CMPI_SGE : CMPI_SLT,
                                       pad->indices[dimension], bound);
        condition =
            condition.ptr ? build2(builder, "arith.andi", bool_type, condition, test) : test;
    }
    return condition;
}

static MlirValue extract_source(Builder *builder, const Pad *pad) {
    MlirValue operands[MAX_RANK + 1] = {mlirOperationGetOperand(pad->op, 0)};
    MlirType index = index_type(builder->context);
    for (int i = 0; i < pad->rank; i++) {
        operands[1 + i] = pad->indices[i];
        if (pad->low[i] != 0)
            operands[1 + i] = build2(builder, "arith.subi", index, pad->indices[i],
                                     build_integer(builder, index, pad->low[i]));
    }
    MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(operands[0]));
    MlirOperation op = build_op(builder, &(OpParts){.name = "tensor.extract",
                                                    .operand_count = pad->rank + 1,
                                                    .operands = operands,
                                                    .result_count = 1,
                                                    .results = &type});
    return mlirOperationGetResult(op, 0);
}

/* The padding: what the body of tensor.pad yields for the element. */
static MlirValue padding(Session *session, Builder *builder, const Pad *pad) {
    MlirBlock body = op_body(pad->op);
    ValueMap map = {.arena = session->arena};
    for (int i = 0; i < pad->rank; i++)
        map_value(&map, mlirBlockGetArgument(body, i), pad->indices[i]);
    build_copy_of_block(builder, body, &map);
    return mapped(&map, mlirOperationGetOperand(mlirBlockGetTerminator(body), 0));
}

static void yield(Builder *builder, MlirValue value) {
    build_op(builder, &(OpParts){.name = "scf.yield", .operand_count = 1, .operands = &value});
}

static MlirValue guarded_element(Session *session, Builder *builder, const Pad *pad,
                                 MlirValue condition) {
    MlirType type =
        mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(pad->op, 0)));
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++) {
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        mlirRegionAppendOwnedBlock(regions[i], block);
        Builder inside = builder_at_end(block, builder->location);
        yield(&inside, i == 0 ? extract_source(&inside, pad) : padding(session, &inside, pad));
    }
    MlirOperation op = build_op(builder, &(OpParts){.name = "scf.if",
                                                    .operand_count = 1,
                                                    .operands = &condition,
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .region_count = 2,
                                                    .regions = regions});
    return mlirOperationGetResult(op, 0);
}

static bool expand_pad(Session *session, MlirOperation op) {
    Pad pad;
    if (!read_pad(session, op, &pad)) return false;
    Builder builder = builder_before(op);
    MlirValue target =
        build_tensor_empty(&builder, mlirValueGetType(mlirOperationGetResult(op, 0)));
    MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(session->context, pad.rank);
    MlirBlock body;
    MlirOperation generic =
        build_generic(&builder, &(GenericParts){0, 1, &target, &map, pad.rank, NULL}, &body);
    Builder inside = builder_at_end(body, builder.location);
    for (int i = 0; i < pad.rank; i++) pad.indices[i] = build_linalg_index(&inside, i);
    MlirValue condition = in_range(&inside, &pad);
    MlirValue element = condition.ptr ? guarded_element(session, &inside, &pad, condition)
                                      : extract_source(&inside, &pad);
    build_linalg_yield(body, builder.location, 1, &element);
    MlirValue result = mlirOperationGetResult(generic, 0);
    op_replace(op, 1, &result);
    return true;
}

bool pass_pad(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_named(session->arena, mlirModuleGetOperation(module), "tensor.pad");
    for (int i = 0; i < list.count; i++)
        if (!expand_pad(session, list.items[i])) return false;
    return true;
}
