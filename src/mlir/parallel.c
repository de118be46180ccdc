/* Pass "tepal-parallel": loops whose iterations may run at once become loops in order.
 *
 *   - scf.parallel becomes scf.for, one per dimension; what scf.reduce combines is carried by them;
 *   - affine.parallel becomes affine.for; its reductions start from their neutral elements.
 *
 * The order is from the first iteration to the last one, which is what MLIR's own lowering to a
 * CPU takes. Which of them the hardware runs at once is decided later, from the dependences. */
#include <math.h>
#include "mlir/internal.h"
#include "mlir/ir.h"

/* A loop nest in place of one operation, while it is made. */
typedef struct Nest {
    Arena *arena;
    MlirOperation op;
    int rank, carried; /* dimensions, values that are carried */
    MlirType *types;   /* of what is carried, after that of the counter */
    MlirValue *values; /* what is carried where the next loop is made */
    Builder builder;
} Nest;

static Nest nest_new(Arena *arena, MlirOperation op) {
    Nest nest = {.arena = arena, .op = op, .builder = builder_before(op)};
    nest.carried = (int)mlirOperationGetNumResults(op);
    nest.rank = (int)mlirBlockGetNumArguments(op_body(op));
    nest.types = arena_array(arena, (size_t)nest.carried + 1, sizeof *nest.types);
    nest.values = arena_array(arena, (size_t)nest.carried + 1, sizeof *nest.values);
    nest.types[0] = index_type(nest.builder.context);
    for (int i = 0; i < nest.carried; i++)
        nest.types[1 + i] = mlirValueGetType(mlirOperationGetResult(op, i));
    return nest;
}

/* Makes a loop that carries nest->values over its body, and goes into it. The operation's counter
 * of dimension `dim` is replaced. `count` bounds come before the carried values. */
static MlirOperation nest_enter(Nest *nest, int dim, const char *name, int count,
                                const MlirValue *bounds, int attribute_count,
                                const MlirNamedAttribute *attributes) {
    MlirValue *operands =
        arena_array(nest->arena, (size_t)(count + nest->carried) + 1, sizeof *operands);
    MlirLocation *places = arena_array(nest->arena, (size_t)nest->carried + 1, sizeof *places);
    for (int i = 0; i < count; i++) operands[i] = bounds[i];
    for (int i = 0; i < nest->carried; i++) operands[count + i] = nest->values[i];
    for (int i = 0; i <= nest->carried; i++) places[i] = nest->builder.location;
    MlirBlock body = mlirBlockCreate(1 + nest->carried, nest->types, places);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, body);
    MlirOperation loop = build_op(&nest->builder, &(OpParts){.name = name,
                                                             .operand_count = count + nest->carried,
                                                             .operands = operands,
                                                             .result_count = nest->carried,
                                                             .results = nest->types + 1,
                                                             .attribute_count = attribute_count,
                                                             .attributes = attributes,
                                                             .region_count = 1,
                                                             .regions = &region});
    value_replace(mlirBlockGetArgument(op_body(nest->op), dim), mlirBlockGetArgument(body, 0));
    for (int i = 0; i < nest->carried; i++) nest->values[i] = mlirBlockGetArgument(body, 1 + i);
    nest->builder = builder_at_end(body, nest->builder.location);
    return loop;
}

static void build_yield(Nest *nest, MlirBlock body, const char *name, const MlirValue *values) {
    Builder end = builder_at_end(body, nest->builder.location);
    build_op(&end, &(OpParts){.name = name, .operand_count = nest->carried, .operands = values});
}

/* The results of a loop. */
static const MlirValue *results_of(Nest *nest, MlirOperation loop) {
    MlirValue *results = arena_array(nest->arena, (size_t)nest->carried + 1, sizeof *results);
    for (int i = 0; i < nest->carried; i++) results[i] = mlirOperationGetResult(loop, i);
    return results;
}

/* Moves what comes before the terminator into the innermost loop. */
static void move_body(Nest *nest) {
    MlirBlock from = op_body(nest->op), to = nest->builder.block;
    MlirOperation end = mlirBlockGetTerminator(from);
    for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !mlirOperationEqual(op, end);
         op = next) {
        next = mlirOperationGetNextInBlock(op);
        mlirOperationRemoveFromParent(op);
        mlirBlockAppendOwnedOperation(to, op);
    }
}

/* Every loop gives what the one inside of it gives; the innermost one `combined`. */
static void finish(Nest *nest, const MlirOperation *loops, const char *yield,
                   const MlirValue *combined) {
    build_yield(nest, op_body(loops[nest->rank - 1]), yield, combined);
    for (int d = nest->rank - 2; d >= 0; d--)
        build_yield(nest, op_body(loops[d]), yield, results_of(nest, loops[d + 1]));
    op_replace(nest->op, nest->carried, results_of(nest, loops[0]));
}

/* --- scf.parallel --- */

/* What scf.reduce makes of a carried value and the iteration's own. */
static MlirValue combine_region(Nest *nest, MlirOperation reduce, int position) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(reduce, position));
    ValueMap map = {.arena = nest->arena};
    map_value(&map, mlirBlockGetArgument(block, 0), nest->values[position]);
    map_value(&map, mlirBlockGetArgument(block, 1), mlirOperationGetOperand(reduce, position));
    build_copy_of_block(&nest->builder, block, &map);
    return mapped(&map, mlirOperationGetOperand(mlirBlockGetTerminator(block), 0));
}

/* Operands: lower bounds, upper bounds, steps, then what is carried. */
static void replace_scf(Session *session, MlirOperation op) {
    Nest nest = nest_new(session->arena, op);
    MlirOperation *loops = arena_array(nest.arena, (size_t)nest.rank, sizeof *loops);
    for (int i = 0; i < nest.carried; i++)
        nest.values[i] = mlirOperationGetOperand(op, 3 * nest.rank + i);
    for (int d = 0; d < nest.rank; d++) {
        MlirValue bounds[3];
        for (int i = 0; i < 3; i++) bounds[i] = mlirOperationGetOperand(op, i * nest.rank + d);
        loops[d] = nest_enter(&nest, d, "scf.for", 3, bounds, 0, NULL);
    }
    MlirValue *combined = arena_array(nest.arena, (size_t)nest.carried + 1, sizeof *combined);
    MlirOperation reduce = mlirBlockGetTerminator(op_body(op));
    move_body(&nest);
    for (int i = 0; i < nest.carried; i++) combined[i] = combine_region(&nest, reduce, i);
    finish(&nest, loops, "scf.yield", combined);
}

/* --- affine.parallel --- */

/* How values are combined, by the number of arith's AtomicRMWKind, and what changes nothing. MLIR's
 * verifier lets no other kind pass for types of the arith dialect. */
typedef struct Reduction {
    const char *operation;
    double neutral;
} Reduction;

static const Reduction reductions[] = {
    [0] = {"arith.addf", -0.0},
    [1] = {"arith.addi", 0},
    [3] = {"arith.maximumf", -INFINITY},
    [6] = {"arith.minimumf", INFINITY},
    [9] = {"arith.mulf", 1},
    [10] = {"arith.muli", 1},
    [11] = {"arith.ori", 0},
    [12] = {"arith.andi", -1},
};

static const Reduction *reduction_of(MlirOperation op, int position) {
    int64_t kind = mlirIntegerAttrGetValueInt(
        mlirArrayAttrGetElement(op_attribute(op, "reductions"), position));
    bool known = kind >= 0 && kind < (int64_t)(sizeof reductions / sizeof *reductions) &&
                 reductions[kind].operation;
    return known ? &reductions[kind] : NULL;
}

static MlirValue build_neutral(Builder *builder, const Reduction *reduction, MlirType type) {
    if (mlirTypeIsAFloat(type)) return build_float(builder, type, reduction->neutral);
    return build_integer(builder, type, (int64_t)reduction->neutral);
}

/* Results first .. first+count-1 of a map with bounds of all dimensions. */
static MlirAffineMap bounds_of(Nest *nest, MlirAffineMap map, int64_t first, int64_t count) {
    intptr_t *positions = arena_array(nest->arena, (size_t)count + 1, sizeof *positions);
    for (int64_t i = 0; i < count; i++) positions[i] = first + i;
    return mlirAffineMapGetSubMap(map, count, positions);
}

/* The bounds of the dimensions, one after the other, in the map of a side ("lower", "upper"). */
typedef struct Side {
    MlirAffineMap map;
    MlirAttribute groups; /* how many bounds each dimension has */
    int64_t next;
    int operand_count;
} Side;

static Side side_of(Nest *nest, const char *name) {
    MlirAttribute map = op_attribute(nest->op, string_format(nest->arena, "%sBoundsMap", name));
    MlirAttribute groups =
        op_attribute(nest->op, string_format(nest->arena, "%sBoundsGroups", name));
    MlirAffineMap bounds = mlirAffineMapAttrGetValue(map);
    return (Side){bounds, groups, 0, (int)mlirAffineMapGetNumInputs(bounds)};
}

static MlirAttribute next_bounds(Nest *nest, Side *side, int dim) {
    int64_t count = mlirDenseElementsAttrGetInt32Value(side->groups, dim);
    MlirAffineMap map = bounds_of(nest, side->map, side->next, count);
    side->next += count;
    return mlirAffineMapAttrGet(map);
}

static void enter_affine(Nest *nest, MlirOperation *loops) {
    MlirContext context = nest->builder.context;
    Side lower = side_of(nest, "lower"), upper = side_of(nest, "upper");
    int count = lower.operand_count + upper.operand_count;
    MlirValue *operands = arena_array(nest->arena, (size_t)count + 1, sizeof *operands);
    for (int i = 0; i < count; i++) operands[i] = mlirOperationGetOperand(nest->op, i);
    int32_t segments[] = {lower.operand_count, upper.operand_count, nest->carried};
    for (int d = 0; d < nest->rank; d++) {
        MlirAttribute step = mlirArrayAttrGetElement(op_attribute(nest->op, "steps"), d);
        MlirNamedAttribute attributes[] = {
            named(context, "lowerBoundMap", next_bounds(nest, &lower, d)),
            named(context, "upperBoundMap", next_bounds(nest, &upper, d)),
            named(context, "step",
                  mlirIntegerAttrGet(index_type(context), mlirIntegerAttrGetValueInt(step))),
            named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 3, segments)),
        };
        loops[d] = nest_enter(nest, d, "affine.for", count, operands, 4, attributes);
    }
}

static bool replace_affine(Session *session, MlirOperation op) {
    Nest nest = nest_new(session->arena, op);
    if (nest.rank == 0)
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                        "affine.parallel without a counter is not supported");
    for (int i = 0; i < nest.carried; i++) {
        const Reduction *reduction = reduction_of(op, i);
        if (!reduction)
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                            "affine.parallel reduces in a way that is not supported");
        nest.values[i] = build_neutral(&nest.builder, reduction, nest.types[1 + i]);
    }
    MlirOperation *loops = arena_array(nest.arena, (size_t)nest.rank, sizeof *loops);
    enter_affine(&nest, loops);
    MlirOperation yield = mlirBlockGetTerminator(op_body(op));
    MlirValue *combined = arena_array(nest.arena, (size_t)nest.carried + 1, sizeof *combined);
    move_body(&nest);
    for (int i = 0; i < nest.carried; i++)
        combined[i] = build2(&nest.builder, reduction_of(op, i)->operation, nest.types[1 + i],
                             nest.values[i], mlirOperationGetOperand(yield, i));
    finish(&nest, loops, "affine.yield", combined);
    return true;
}

/* Inner ones first: they are in the bodies that move. */
bool pass_parallel(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    OpList list = ops_named(session->arena, root, "scf.parallel");
    for (int i = list.count - 1; i >= 0; i--) replace_scf(session, list.items[i]);
    list = ops_named(session->arena, root, "affine.parallel");
    for (int i = list.count - 1; i >= 0; i--)
        if (!replace_affine(session, list.items[i])) return false;
    return true;
}
