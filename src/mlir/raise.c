/* Pass "tepal-raise": what can be said in the affine dialect is said there.
 *
 *   - loops hand nothing from iteration to iteration but through memory: iter_args become memories
 *     of one element;
 *   - scf.for with constant bounds becomes affine.for;
 *   - memref.load and store whose indices are affine become affine.load and store;
 *   - scf.if on a conjunction of affine comparisons becomes affine.if. */
#include "mlir/affine.h"
#include "mlir/internal.h"

enum {
    CMPI_EQ,
    CMPI_NE,
    CMPI_SLT,
    CMPI_SLE,
    CMPI_SGT,
    CMPI_SGE,
    CMPI_ULT,
    CMPI_ULE,
    CMPI_UGT,
    CMPI_UGE
};

/* --- iter_args --- */

static bool is_loop_with_results(MlirOperation op) {
    return (op_is(op, "scf.for") || op_is(op, "affine.for")) && mlirOperationGetNumResults(op) > 0;
}

/* A new memory of one element, allocated at the top of the function. */
static MlirValue scalar_memory(MlirOperation inside, MlirType element) {
    MlirOperation function = op_parent_named(inside, "func.func");
    Builder builder = builder_at_start(op_body(function), mlirOperationGetLocation(inside));
    return build_alloc(&builder, memref_of(element, 0, NULL));
}

static MlirValue load_scalar(Builder *builder, MlirValue memory) {
    return build_affine_load(builder, memory, mlirAffineMapEmptyGet(builder->context), 0, NULL);
}

static void store_scalar(Builder *builder, MlirValue value, MlirValue memory) {
    build_affine_store(builder, value, memory, mlirAffineMapEmptyGet(builder->context), 0, NULL);
}

/* Initial value `position` of a loop: the last operands are the initial values. */
static MlirValue initial_value(MlirOperation loop, intptr_t position) {
    intptr_t count = mlirOperationGetNumOperands(loop), results = mlirOperationGetNumResults(loop);
    return mlirOperationGetOperand(loop, count - results + position);
}

/* All values of one iteration are loaded before the first is stored: they may be permuted. */
static void iter_args_to_memory(MlirOperation loop) {
    intptr_t results = mlirOperationGetNumResults(loop);
    MlirBlock body = op_body(loop);
    MlirOperation yield = mlirBlockGetTerminator(body);
    Builder before = builder_before(loop), after = builder_after(loop);
    Builder first = builder_at_start(body, before.location), last = builder_before(yield);
    for (intptr_t i = 0; i < results; i++) {
        MlirValue initial = initial_value(loop, i), argument = mlirBlockGetArgument(body, 1 + i);
        Scalar scalar;
        if (!scalar_of_type(mlirValueGetType(initial), &scalar)) return; /* the checker says so */
        MlirValue memory = scalar_memory(loop, mlirValueGetType(initial));
        store_scalar(&before, initial, memory);
        value_replace(argument, load_scalar(&first, memory));
        store_scalar(&last, mlirOperationGetOperand(yield, i), memory);
        value_replace(mlirOperationGetResult(loop, i), load_scalar(&after, memory));
    }
}

/* --- loops --- */

/* An affine.for in place of a loop whose results are not used; the body moves over. */
static void replace_loop(MlirOperation loop, int64_t low, int64_t high, int64_t step) {
    Builder builder = builder_before(loop);
    MlirContext context = builder.context;
    MlirOperation new = build_affine_for(&builder, high);
    op_set(new, "lowerBoundMap", mlirAffineMapAttrGet(mlirAffineMapConstantGet(context, low)));
    op_set(new, "step", mlirIntegerAttrGet(index_type(context), step));
    MlirBlock from = op_body(loop), to = op_body(new);
    MlirOperation end = mlirBlockGetTerminator(to), old_end = mlirBlockGetTerminator(from);
    for (MlirOperation op = mlirBlockGetFirstOperation(from), next;
         !mlirOperationEqual(op, old_end); op = next) {
        next = mlirOperationGetNextInBlock(op);
        mlirOperationMoveBefore(op, end);
    }
    value_replace(mlirBlockGetArgument(from, 0), mlirBlockGetArgument(to, 0));
    op_erase(loop);
}

static bool results_used(MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i)))) return true;
    MlirBlock body = op_body(op);
    for (intptr_t i = 1; i < mlirBlockGetNumArguments(body); i++)
        if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, i)))) return true;
    return false;
}

static void raise_scf_for(MlirOperation loop) {
    int64_t low, high, step;
    bool known = constant_integer(mlirOperationGetOperand(loop, 0), &low) &&
                 constant_integer(mlirOperationGetOperand(loop, 1), &high) &&
                 constant_integer(mlirOperationGetOperand(loop, 2), &step);
    bool is_index = mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(loop, 0)));
    if (known && is_index && step > 0 && !results_used(loop)) replace_loop(loop, low, high, step);
}

/* An affine.for that no longer hands on values is made anew without them. */
static void strip_affine_for(MlirOperation loop) {
    MlirAffineMap low = mlirAffineMapAttrGetValue(op_attribute(loop, "lowerBoundMap"));
    MlirAffineMap high = mlirAffineMapAttrGetValue(op_attribute(loop, "upperBoundMap"));
    if (!mlirAffineMapIsSingleConstant(low) || !mlirAffineMapIsSingleConstant(high)) return;
    replace_loop(loop, mlirAffineMapGetSingleConstantResult(low),
                 mlirAffineMapGetSingleConstantResult(high),
                 mlirIntegerAttrGetValueInt(op_attribute(loop, "step")));
}

/* Upstream's folding removes such a loop only if it has results. */
static bool never_runs(MlirOperation op) {
    if (!op_is(op, "affine.for") || results_used(op)) return false;
    MlirAffineMap low = mlirAffineMapAttrGetValue(op_attribute(op, "lowerBoundMap"));
    MlirAffineMap high = mlirAffineMapAttrGetValue(op_attribute(op, "upperBoundMap"));
    return mlirAffineMapIsSingleConstant(low) && mlirAffineMapIsSingleConstant(high) &&
           mlirAffineMapGetSingleConstantResult(low) >= mlirAffineMapGetSingleConstantResult(high);
}

static void raise_loops(Session *session, MlirOperation root) {
    OpList list = ops_collect(session->arena, root, is_loop_with_results);
    for (int i = list.count - 1; i >= 0; i--) { /* inner ones first */
        iter_args_to_memory(list.items[i]);
        if (op_is(list.items[i], "affine.for") && !results_used(list.items[i]))
            strip_affine_for(list.items[i]);
    }
    list = ops_named(session->arena, root, "scf.for");
    for (int i = list.count - 1; i >= 0; i--) raise_scf_for(list.items[i]);
    list = ops_collect(session->arena, root, never_runs);
    for (int i = list.count - 1; i >= 0; i--) op_erase(list.items[i]);
}

/* --- loads and stores --- */

static bool is_access(MlirOperation op) {
    return op_is(op, "memref.load") || op_is(op, "memref.store");
}

static void raise_access(Session *session, MlirOperation op) {
    bool is_store = op_is(op, "memref.store");
    int first = is_store ? 2 : 1, rank = (int)mlirOperationGetNumOperands(op) - first;
    Operands operands = {session->arena, session->context, op, {0}};
    MlirAffineExpr exprs[MAX_RANK];
    if (rank > MAX_RANK) return;
    for (int i = 0; i < rank; i++)
        if (!expr_of_value(&operands, mlirOperationGetOperand(op, first + i), &exprs[i])) return;
    MlirAffineMap map = mlirAffineMapGet(session->context, operands.values.count, 0, rank, exprs);
    Builder builder = builder_before(op);
    MlirValue memory = mlirOperationGetOperand(op, first - 1);
    if (is_store) {
        build_affine_store(&builder, mlirOperationGetOperand(op, 0), memory, map,
                           operands.values.count, operands.values.items);
        op_erase(op);
        return;
    }
    MlirValue value =
        build_affine_load(&builder, memory, map, operands.values.count, operands.values.items);
    op_replace(op, 1, &value);
}

/* --- conditions --- */

typedef struct Condition {
    Operands operands;
    Vector(MlirAffineExpr) constraints;
    bool equal[64];
} Condition;

/* True if the constraint holds for all values of the counters. */
static bool always_holds(const Condition *condition, MlirAffineExpr expr, bool equal) {
    const ValueList *values = &condition->operands.values;
    Range range = range_of_expr(expr, values->count, values->items);
    return range.known && range.low >= 0 && (!equal || range.high == 0);
}

/* expr >= 0, or == 0; what always holds is left out. */
static bool add_constraint(Condition *condition, MlirAffineExpr expr, bool equal) {
    if (always_holds(condition, expr, equal)) return true;
    if (condition->constraints.count >= 64) return false;
    condition->equal[condition->constraints.count] = equal;
    vector_push(condition->operands.arena, &condition->constraints, expr);
    return true;
}

/* a - b + constant */
static MlirAffineExpr difference(MlirAffineExpr a, MlirAffineExpr b, int64_t constant) {
    MlirContext context = mlirAffineExprGetContext(a);
    MlirAffineExpr minus = mlirAffineMulExprGet(b, mlirAffineConstantExprGet(context, -1));
    MlirAffineExpr sum = mlirAffineAddExprGet(a, minus);
    return mlirAffineAddExprGet(sum, mlirAffineConstantExprGet(context, constant));
}

/* The predicate of arith.cmpi that says the same of integers as one of arith.cmpf. */
static int64_t integer_predicate(int64_t predicate) {
    static const signed char same[] = {-1,       CMPI_EQ, CMPI_SGT, CMPI_SGE, CMPI_SLT, CMPI_SLE,
                                       CMPI_NE,  -1,      CMPI_EQ,  CMPI_SGT, CMPI_SGE, CMPI_SLT,
                                       CMPI_SLE, CMPI_NE, -1,       -1};
    return predicate >= 0 && predicate < 16 ? same[predicate] : -1;
}

static bool compare_condition(Condition *condition, MlirOperation op) {
    MlirAffineExpr a, b;
    MlirValue x = mlirOperationGetOperand(op, 0), y = mlirOperationGetOperand(op, 1);
    int64_t predicate = mlirIntegerAttrGetValueInt(op_attribute(op, "predicate"));
    Operands *operands = &condition->operands;
    bool of_floats = op_is(op, "arith.cmpf");
    if (of_floats) predicate = integer_predicate(predicate);
    bool known = of_floats ? expr_of_float(operands, x, &a) && expr_of_float(operands, y, &b)
                           : expr_of_value(operands, x, &a) && expr_of_value(operands, y, &b);
    if (!known) return false;
    if (predicate >= CMPI_ULT) { /* the same as signed where nothing is negative */
        const ValueList *values = &operands->values;
        Range low = range_of_expr(a, values->count, values->items);
        Range high = range_of_expr(b, values->count, values->items);
        if (!low.known || !high.known || low.low < 0 || high.low < 0) return false;
        predicate -= CMPI_ULT - CMPI_SLT;
    }
    switch (predicate) {
    case CMPI_EQ: return add_constraint(condition, difference(a, b, 0), true);
    case CMPI_SLT: return add_constraint(condition, difference(b, a, -1), false);
    case CMPI_SLE: return add_constraint(condition, difference(b, a, 0), false);
    case CMPI_SGT: return add_constraint(condition, difference(a, b, -1), false);
    case CMPI_SGE: return add_constraint(condition, difference(a, b, 0), false);
    default: return false; /* NE is no conjunction */
    }
}

static bool read_condition(Condition *condition, MlirValue value) {
    MlirOperation op = value_definition(value);
    if (op_is(op, "arith.andi"))
        return read_condition(condition, mlirOperationGetOperand(op, 0)) &&
               read_condition(condition, mlirOperationGetOperand(op, 1));
    return (op_is(op, "arith.cmpi") || op_is(op, "arith.cmpf")) && compare_condition(condition, op);
}

/* scf.yield at the end of each region becomes affine.yield. */
static void replace_yield(MlirRegion region) {
    MlirOperation yield = mlirBlockGetTerminator(mlirRegionGetFirstBlock(region));
    Builder builder = builder_before(yield);
    MlirValue values[64];
    int count = (int)mlirOperationGetNumOperands(yield);
    for (int i = 0; i < count; i++) values[i] = mlirOperationGetOperand(yield, i);
    build_op(&builder,
             &(OpParts){.name = "affine.yield", .operand_count = count, .operands = values});
    op_erase(yield);
}

/* The operations of the first region take the place of the operation. */
static void keep_first_region(MlirOperation op) {
    MlirBlock block = op_body(op);
    MlirOperation yield = mlirBlockGetTerminator(block);
    for (MlirOperation inner = mlirBlockGetFirstOperation(block), next;
         !mlirOperationEqual(inner, yield); inner = next) {
        next = mlirOperationGetNextInBlock(inner);
        mlirOperationMoveBefore(inner, op);
    }
    MlirValue values[64];
    int count = (int)mlirOperationGetNumOperands(yield);
    for (int i = 0; i < count && i < 64; i++) values[i] = mlirOperationGetOperand(yield, i);
    op_replace(op, count, values);
}

/* Makes an affine.if of a branch. False, and nothing is done, if its condition always holds. */
static bool raise_if(Session *session, MlirOperation op) {
    Condition condition = {.operands = {session->arena, session->context, op, {0}}};
    int results = (int)mlirOperationGetNumResults(op);
    if (results > 64 || !read_condition(&condition, mlirOperationGetOperand(op, 0))) return true;
    if (condition.constraints.count == 0) return false;
    MlirIntegerSet set = mlirIntegerSetGet(session->context, condition.operands.values.count, 0,
                                           condition.constraints.count, condition.constraints.items,
                                           condition.equal);
    MlirAttribute attribute = attribute_of_set(session->arena, set);
    if (mlirAttributeIsNull(attribute)) return true;
    MlirType types[64];
    for (int i = 0; i < results; i++) types[i] = mlirValueGetType(mlirOperationGetResult(op, i));
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++) {
        mlirRegionTakeBody(regions[i], mlirOperationGetRegion(op, i));
        if (!mlirBlockIsNull(mlirRegionGetFirstBlock(regions[i]))) replace_yield(regions[i]);
    }
    Builder builder = builder_before(op);
    MlirNamedAttribute named_set = named(session->context, "condition", attribute);
    MlirOperation new =
        build_op(&builder, &(OpParts){.name = "affine.if",
                                      .operand_count = condition.operands.values.count,
                                      .operands = condition.operands.values.items,
                                      .result_count = results,
                                      .results = types,
                                      .attribute_count = 1,
                                      .attributes = &named_set,
                                      .region_count = 2,
                                      .regions = regions});
    MlirValue values[64];
    for (int i = 0; i < results; i++) values[i] = mlirOperationGetResult(new, i);
    op_replace(op, results, values);
    return true;
}

/* Outer branches before inner ones: they narrow the ranges of indices. Branches that are always
 * taken go away last, and inner ones first, as each takes its other region along. */
static void raise_ifs(Session *session, MlirOperation root) {
    OpList list = ops_named(session->arena, root, "scf.if"), always = {0};
    for (int i = 0; i < list.count; i++)
        if (!raise_if(session, list.items[i])) vector_push(session->arena, &always, list.items[i]);
    for (int i = always.count - 1; i >= 0; i--) keep_first_region(always.items[i]);
}

bool pass_raise(Session *session, MlirModule module, const char *options) {
    (void)options;
    MlirOperation root = mlirModuleGetOperation(module);
    raise_loops(session, root);
    raise_ifs(session, root);
    OpList list = ops_collect(session->arena, root, is_access);
    for (int i = 0; i < list.count; i++) raise_access(session, list.items[i]);
    return true;
}
