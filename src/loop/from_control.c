/* Control that depends on data: scf.while, loops whose bounds depend on data, and the ifs that hold
 * any of these. They become WHILE and IF nodes, whose condition is a memory of one i1.
 *
 * Other ifs are converted: both branches stand in one piece, with predicates. Where a loop stands
 * in one whose condition depends on data, a branch is better: only the one that is taken costs
 * time. */
#include "loop/from_affine.h"

/* --- what is control --- */

typedef struct Inside {
    bool control, loop;
} Inside;

static Inside look_inside(Importer *importer, MlirOperation op);

static void look_at(Importer *importer, MlirOperation op, Inside *inside) {
    if (mlirOperationGetNumRegions(op) == 0) return;
    Inside deeper = look_inside(importer, op);
    bool loop = is_loop(op), branch = is_if(op) && is_branch(importer, op);
    inside->loop = inside->loop || loop || deeper.loop;
    inside->control = inside->control || deeper.control || branch || op_is(op, "scf.while") ||
                      (loop && bounds_depend_on_data(&importer->data, op));
}

static Inside look_inside(Importer *importer, MlirOperation op) {
    enum { CONTROL = 1, LOOP = 2 };
    int64_t known;
    if (table_get(&importer->insides, op.ptr, &known))
        return (Inside){(known & CONTROL) != 0, (known & LOOP) != 0};
    Inside inside = {false, false};
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
        if (mlirBlockIsNull(block)) continue;
        for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(inner);
             inner = mlirOperationGetNextInBlock(inner))
            look_at(importer, inner, &inside);
    }
    table_put(importer->arena, &importer->insides, op.ptr,
              (inside.control ? CONTROL : 0) | (inside.loop ? LOOP : 0));
    return inside;
}

bool holds_control(Importer *importer, MlirOperation op) {
    return look_inside(importer, op).control;
}

bool is_branch(Importer *importer, MlirOperation op) {
    if (!is_if(op)) return false;
    Inside inside = look_inside(importer, op);
    return inside.control || (inside.loop && operands_depend_on_data(&importer->data, op));
}

bool makes_pieces(Importer *importer, MlirOperation op) {
    return is_loop(op) || op_is(op, "scf.while") || is_branch(importer, op);
}

/* --- values that cross control --- */

/* A memory of one element for each of the values; -1 for one whose type is no number. */
static int *value_memories(Importer *importer, MlirOperation op, intptr_t count,
                           MlirValue (*value_at)(MlirOperation op, intptr_t index)) {
    int *memories = arena_array(importer->arena, (size_t)count + 1, sizeof *memories);
    for (intptr_t i = 0; i < count; i++)
        memories[i] = memory_of_value(importer, op, value_at(op, i));
    return memories;
}

static void lies_in(Importer *importer, MlirValue value, int memory) {
    table_put(importer->arena, &importer->spilled, value.ptr, memory);
}

/* --- nodes --- */

/* A child of a node; what is built next goes there. */
static void open_child(Importer *importer, Node *node) {
    Node *child = node_new(importer->arena, NODE_SEQUENCE);
    vector_push(importer->arena, &node->children, child);
    importer->sequence = child;
}

static Node *open_node(Importer *importer, NodeKind kind, int condition) {
    Node *node = node_new(importer->arena, kind);
    node->condition = condition;
    vector_push(importer->arena, &importer->sequence->children, node);
    return node;
}

static int condition_memory(Importer *importer) {
    return scalar_memory(importer, "condition", SCALAR_I(1));
}

static void store_condition(Importer *importer, MlirOperation op, int memory, int condition) {
    name_piece(importer, op);
    append_store(importer, memory, condition, -1, linear_constant(0));
}

/* --- ifs --- */

static MlirValue result_at(MlirOperation op, intptr_t index) {
    return mlirOperationGetResult(op, index);
}

static void walk_branch(Importer *importer, MlirOperation op, intptr_t branch,
                        const int *memories) {
    MlirBlock block = {NULL};
    if (branch < mlirOperationGetNumRegions(op))
        block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, branch));
    if (mlirBlockIsNull(block)) return;
    walk_block(importer, block);
    store_values(importer, mlirBlockGetTerminator(block), 0, mlirOperationGetNumResults(op),
                 memories);
    close_piece(importer);
}

void visit_branch(Importer *importer, MlirOperation op) {
    intptr_t results = mlirOperationGetNumResults(op);
    int *memories = value_memories(importer, op, results, result_at);
    int condition = condition_memory(importer);
    for (intptr_t i = 0; i < results; i++)
        lies_in(importer, mlirOperationGetResult(op, i), memories[i]);
    if (!importer->survey) store_condition(importer, op, condition, if_condition(importer, op));
    close_piece(importer);
    Node *sequence = importer->sequence, *node = open_node(importer, NODE_IF, condition);
    for (intptr_t branch = 0; branch < 2; branch++) {
        open_child(importer, node);
        walk_branch(importer, op, branch, memories);
    }
    importer->sequence = sequence;
}

/* The body of a loop with varying bounds that holds control: no predicate keeps that from running.
 */
Node *open_guard(Importer *importer, MlirOperation loop, int predicate) {
    int condition = condition_memory(importer);
    if (!importer->survey) store_condition(importer, loop, condition, predicate);
    close_piece(importer);
    Node *node = open_node(importer, NODE_IF, condition);
    open_child(importer, node);
    return node;
}

void close_guard(Importer *importer, Node *node) {
    open_child(importer, node);
}

/* --- while --- */

static MlirValue before_argument(MlirOperation op, intptr_t index) {
    return mlirBlockGetArgument(region_block(op, 0), index);
}

/* The memories of the results, which the region `do` gets too. What the condition hands on
 * unchanged stays where it is. */
static int *passed_memories(Importer *importer, MlirOperation op, const int *carried) {
    intptr_t count = mlirOperationGetNumResults(op);
    int *memories = arena_array(importer->arena, (size_t)count + 1, sizeof *memories);
    MlirBlock before = region_block(op, 0);
    MlirOperation condition = mlirBlockGetTerminator(before);
    for (intptr_t i = 0; i < count; i++) {
        MlirValue passed = mlirOperationGetOperand(condition, i + 1);
        bool same = mlirValueIsABlockArgument(passed) &&
                    mlirBlockEqual(mlirBlockArgumentGetOwner(passed), before);
        memories[i] = same ? carried[mlirBlockArgumentGetArgNumber(passed)]
                           : memory_of_value(importer, op, passed);
        lies_in(importer, mlirOperationGetResult(op, i), memories[i]);
        lies_in(importer, mlirBlockGetArgument(region_block(op, 1), i), memories[i]);
    }
    return memories;
}

void visit_while(Importer *importer, MlirOperation op) {
    intptr_t count = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
    MlirBlock before = region_block(op, 0), body = region_block(op, 1);
    int *carried = value_memories(importer, op, count, before_argument);
    for (intptr_t i = 0; i < count; i++) lies_in(importer, before_argument(op, i), carried[i]);
    int *passed = passed_memories(importer, op, carried), condition = condition_memory(importer);
    store_values(importer, op, 0, count, carried);
    close_piece(importer);
    Node *sequence = importer->sequence, *node = open_node(importer, NODE_WHILE, condition);
    open_child(importer, node);
    walk_block(importer, before);
    MlirOperation end = mlirBlockGetTerminator(before);
    store_values(importer, end, 1, results, passed);
    if (!importer->survey)
        store_condition(importer, op, condition,
                        value_operation(importer, mlirOperationGetOperand(end, 0)));
    close_piece(importer);
    open_child(importer, node);
    walk_block(importer, body);
    store_values(importer, mlirBlockGetTerminator(body), 0, count, carried);
    close_piece(importer);
    importer->sequence = sequence;
}

/* --- loops --- */

/* The extreme of some bounds, as an i64. */
static int extreme(Importer *importer, const Limits *limits, Opcode opcode) {
    int best = -1;
    for (int i = 0; i < limits->count; i++) {
        int next = materialize(importer, limits->forms[i], 64);
        best = best < 0
                   ? next
                   : append_binary(importer->arena, current_piece(importer), opcode, best, next);
    }
    return best;
}

/* A loop that counts by itself: its memories, and its step where that is no constant. */
typedef struct Counter {
    int count, limit, condition;
    int64_t step; /* 0: in memory */
    int step_memory;
} Counter;

static void start_counter(Importer *importer, MlirOperation op, Counter *counter) {
    Limits lower = {0}, upper = {0};
    if (!read_bounds(importer, op, &lower, &upper, &counter->step)) return;
    name_piece(importer, op);
    int first = extreme(importer, &lower, OP_MAXIMUM_SIGNED);
    int limit = extreme(importer, &upper, OP_MINIMUM_SIGNED);
    append_store(importer, counter->count, first, -1, linear_constant(0));
    append_store(importer, counter->limit, limit, -1, linear_constant(0));
    if (counter->step > 0) return;
    Linear step = form_of_value(importer, mlirOperationGetOperand(op, 2));
    counter->step_memory = scalar_memory(importer, "step", SCALAR_I(64));
    append_store(importer, counter->step_memory, materialize(importer, step, 64), -1,
                 linear_constant(0));
}

static void test_counter(Importer *importer, MlirOperation op, const Counter *counter) {
    int count = load_scalar(importer, counter->count),
        limit = load_scalar(importer, counter->limit);
    int more = append_compare(importer->arena, current_piece(importer), OP_COMPARE, COMPARE_SLT,
                              count, limit);
    store_condition(importer, op, counter->condition, more);
}

static void advance_counter(Importer *importer, MlirOperation op, const Counter *counter) {
    name_piece(importer, op);
    int count = load_scalar(importer, counter->count);
    int step = counter->step > 0 ? append_constant(importer->arena, current_piece(importer),
                                                   SCALAR_I(64), (Bits)counter->step)
                                 : load_scalar(importer, counter->step_memory);
    int next = append_binary(importer->arena, current_piece(importer), OP_ADD, count, step);
    append_store(importer, counter->count, next, -1, linear_constant(0));
}

void visit_counted_while(Importer *importer, MlirOperation op) {
    Counter counter = {.count = scalar_memory(importer, "counter", SCALAR_I(64)),
                       .limit = scalar_memory(importer, "limit", SCALAR_I(64)),
                       .condition = condition_memory(importer)};
    MlirBlock body = op_body(op);
    int *carried = carry(importer, op);
    intptr_t results = mlirOperationGetNumResults(op);
    lies_in(importer, mlirBlockGetArgument(body, 0), counter.count);
    store_values(importer, op, mlirOperationGetNumOperands(op) - results, results, carried);
    if (!importer->survey) start_counter(importer, op, &counter);
    close_piece(importer);
    Node *sequence = importer->sequence, *node = open_node(importer, NODE_WHILE, counter.condition);
    open_child(importer, node);
    if (!importer->survey) test_counter(importer, op, &counter);
    close_piece(importer);
    open_child(importer, node);
    walk_block(importer, body);
    store_values(importer, mlirBlockGetTerminator(body), 0, results, carried);
    if (!importer->survey) advance_counter(importer, op, &counter);
    close_piece(importer);
    importer->sequence = sequence;
}
