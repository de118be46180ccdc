/* The walk over the function: loops become LOOP nodes, what stands between them pieces. */
#include "loop/from_affine.h"

#include <mlir-c/BuiltinAttributes.h>

/* --- pieces --- */

Nest *current_piece(Importer *importer) {
    if (importer->piece) return importer->piece;
    Nest *piece = arena_new_of(importer->arena, Nest);
    int loops = importer->levels.count;
    piece->outer = piece->loop_count = loops;
    piece->loops = arena_array(importer->arena, (size_t)loops, sizeof(Loop));
    for (int i = 0; i < loops; i++) piece->loops[i] = importer->levels.items[i].loop;
    return importer->piece = piece;
}

void close_piece(Importer *importer) {
    Nest *piece = importer->piece;
    importer->piece = NULL;
    table_clear(&importer->values);
    table_clear(&importer->predicates);
    if (!piece || importer->survey) return;
    nest_remove_dead(importer->arena, piece);
    if (piece->body.count == 0) return;
    Node *node = node_new(importer->arena, NODE_NEST);
    node->nest = piece;
    vector_push(importer->arena, &importer->sequence->children, node);
}

/* The piece is named after its first store. */
void name_piece(Importer *importer, MlirOperation op) {
    Nest *piece = current_piece(importer);
    if (piece->location) return;
    MlirLocation location = mlirOperationGetLocation(op);
    piece->location = location_place(importer->arena, location);
    piece->name = location_name(importer->arena, location);
}

void append_store(Importer *importer, int memory, int data, int predicate, Linear address) {
    Operation store = operation_new(OP_STORE, importer->program->memories.items[memory].type);
    store.memory = memory;
    store.operands[0] = data;
    store.predicate = predicate;
    set_address(importer, &store, address);
    nest_append(importer->arena, current_piece(importer), store);
}

/* --- splitting loops at the quotients of their counter --- */

static Split *find_split(Importer *importer, MlirOperation loop) {
    for (int i = 0; i < importer->splits.count; i++)
        if (mlirOperationEqual(importer->splits.items[i].loop, loop))
            return &importer->splits.items[i];
    return NULL;
}

/* Splits the part of a loop whose counter is divided. */
static void split_loop(Importer *importer, const Atom *counter, int64_t divisor) {
    Split *split = find_split(importer, counter->loop);
    if (!split || counter->part >= split->trips.count) return;
    int64_t trip = split->trips.items[counter->part];
    if (trip != counter->range.high + 1 || trip % divisor != 0 || trip == divisor) return;
    vector_push(importer->arena, &split->trips, 0);
    for (int i = split->trips.count - 1; i > counter->part + 1; i--)
        split->trips.items[i] = split->trips.items[i - 1];
    split->trips.items[counter->part] = trip / divisor;
    split->trips.items[counter->part + 1] = divisor;
    importer->found_split = true;
}

static void look_for_quotients(Importer *importer, Linear linear) {
    for (int i = 0; i < linear.count; i++) {
        Atom atom = importer->atoms.items[linear.terms[i].atom];
        if (atom.kind != ATOM_QUOTIENT) continue;
        look_for_quotients(importer, atom.numerator);
        if (atom.numerator.count != 1 || atom.numerator.constant != 0) continue;
        Atom counter = importer->atoms.items[atom.numerator.terms[0].atom];
        if (counter.kind == ATOM_LOOP && atom.numerator.terms[0].factor == 1)
            split_loop(importer, &counter, atom.divisor);
    }
}

/* --- operations --- */

static void visit_load(Importer *importer, MlirOperation op) {
    if (importer->survey) {
        look_for_quotients(importer, flat_address(importer, op));
        return;
    }
    MlirValue value = mlirOperationGetResult(op, 0);
    int load = value_operation(importer, value);
    if (!must_spill(importer, op)) return;
    Nest *piece = current_piece(importer);
    int memory = scalar_memory(importer, "value", piece->body.items[load].type);
    append_store(importer, memory, load, block_predicate(importer, mlirOperationGetBlock(op)),
                 linear_constant(0));
    table_put(importer->arena, &importer->spilled, value.ptr, memory);
}

static void visit_store(Importer *importer, MlirOperation op) {
    if (importer->survey) {
        look_for_quotients(importer, flat_address(importer, op));
        return;
    }
    int memory = memory_of(importer, mlirOperationGetOperand(op, 1));
    if (memory < 0) return;
    name_piece(importer, op);
    MlirValue value = mlirOperationGetOperand(op, 0);
    int data = value_operation(importer, value);
    if (is_index_value(value)) data = convert_width(importer, data, 64, true);
    int predicate = block_predicate(importer, mlirOperationGetBlock(op));
    append_store(importer, memory, data, predicate, flat_address(importer, op));
}

static void survey_condition(Importer *importer, MlirOperation op) {
    if (!op_is(op, "affine.if")) return;
    MlirIntegerSet set = set_of_attribute(importer->arena, op_attribute(op, "condition"));
    if (mlirIntegerSetIsNull(set)) return;
    for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++)
        look_for_quotients(importer, form_of_expr(importer, mlirIntegerSetGetConstraint(set, i),
                                                  mlirIntegerSetGetNumDims(set), op, 0));
}

/* If-conversion: both branches stand in the piece, their accesses predicated. */
static void visit_if(Importer *importer, MlirOperation op) {
    if (importer->survey) survey_condition(importer, op);
    if (is_branch(importer, op)) {
        visit_branch(importer, op);
        return;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
        if (!mlirBlockIsNull(block)) walk_block(importer, block);
    }
}

static void visit_nothing(Importer *importer, MlirOperation op) {
    (void)importer, (void)op;
}

static void visit_value(Importer *importer, MlirOperation op) {
    if (importer->survey) return;
    bool supported = value_supported(op);
    if (!supported && mlirOperationGetNumResults(op) == 1 &&
        is_index_value(mlirOperationGetResult(op, 0))) {
        Linear form = form_of_value(importer, mlirOperationGetResult(op, 0));
        supported = form.count != 1 || importer->atoms.items[form.terms[0].atom].kind != ATOM_VALUE;
    }
    if (supported) return;
    importer->refused = true;
    error_at(importer->diagnostics, STATUS_INPUT, op_place(importer->arena, op),
             "'%s' is not supported in hardware", op_name(importer->arena, op));
}

static void visit_loop(Importer *importer, MlirOperation op);

static const struct {
    const char *name;
    void (*visit)(Importer *importer, MlirOperation op);
} visitors[] = {
    {"affine.for", visit_loop},
    {"scf.for", visit_loop},
    {"scf.while", visit_while},
    {"affine.if", visit_if},
    {"scf.if", visit_if},
    {"affine.load", visit_load},
    {"memref.load", visit_load},
    {"affine.store", visit_store},
    {"memref.store", visit_store},
    {"affine.yield", visit_nothing},
    {"scf.yield", visit_nothing},
    {"scf.condition", visit_nothing},
    {"func.return", visit_nothing},
    {"memref.alloc", visit_nothing},
    {"memref.alloca", visit_nothing},
    {"memref.dealloc", visit_nothing},
    {"memref.get_global", visit_nothing},
};

void walk_block(Importer *importer, MlirBlock block) {
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        void (*visit)(Importer *, MlirOperation) = visit_value;
        for (size_t i = 0; i < sizeof visitors / sizeof *visitors; i++)
            if (op_is(op, visitors[i].name)) visit = visitors[i].visit;
        visit(importer, op);
    }
}

/* --- loops --- */

void store_values(Importer *importer, MlirOperation from, intptr_t first, intptr_t count,
                  const int *memories) {
    if (count == 0 || importer->survey) return;
    int *data = arena_array(importer->arena, (size_t)count, sizeof *data);
    name_piece(importer, from);
    for (intptr_t i = 0; i < count; i++) { /* all of them before the first store */
        MlirValue value = mlirOperationGetOperand(from, first + i);
        data[i] = value_operation(importer, value);
        if (is_index_value(value)) data[i] = convert_width(importer, data[i], 64, true);
    }
    int predicate = block_predicate(importer, mlirOperationGetBlock(from));
    for (intptr_t i = 0; i < count; i++) {
        int64_t place; /* a value that is there already stays */
        MlirValue value = mlirOperationGetOperand(from, first + i);
        if (table_get(&importer->spilled, value.ptr, &place) && place == memories[i]) continue;
        append_store(importer, memories[i], data[i], predicate, linear_constant(0));
    }
}

int memory_of_value(Importer *importer, MlirOperation op, MlirValue value) {
    Scalar type;
    if (!scalar_of_type(mlirValueGetType(value), &type)) {
        importer->refused = true;
        error_at(importer->diagnostics, STATUS_INPUT, op_place(importer->arena, op),
                 "'%s' carries a value that is not a number", op_name(importer->arena, op));
        type = SCALAR_I(1);
    }
    return scalar_memory(importer, "carried", type);
}

int *carry(Importer *importer, MlirOperation loop) {
    intptr_t count = mlirOperationGetNumResults(loop);
    int *memories = arena_array(importer->arena, (size_t)count + 1, sizeof *memories);
    for (intptr_t i = 0; i < count; i++) {
        MlirValue result = mlirOperationGetResult(loop, i);
        MlirValue argument = mlirBlockGetArgument(op_body(loop), i + 1);
        memories[i] = memory_of_value(importer, loop, result);
        table_put(importer->arena, &importer->spilled, result.ptr, memories[i]);
        table_put(importer->arena, &importer->spilled, argument.ptr, memories[i]);
    }
    return memories;
}

/* Opens the loops of one operation and sets the form of its counter. Returns the innermost node. */
static Node *enter_loop(Importer *importer, MlirOperation op, const Bounds *bounds) {
    Split *split = find_split(importer, op);
    if (!split) {
        Split fresh = {.loop = op};
        vector_push(importer->arena, &fresh.trips, bounds->trip);
        vector_push(importer->arena, &importer->splits, fresh);
        split = &importer->splits.items[importer->splits.count - 1];
    }
    Linear counter = linear_constant(0);
    Node *inner = importer->sequence;
    for (int i = 0; i < split->trips.count; i++) {
        int64_t trip = split->trips.items[i];
        Atom atom = {.kind = ATOM_LOOP, .range = {0, trip - 1}, .loop = op, .part = i};
        int number = atom_new(importer, atom);
        counter = linear_sum(importer, linear_atom(importer, number), counter, trip);
        const char *name = string_format(importer->arena, "i%d", importer->levels.count);
        Level level = {number, {name, trip, 1}};
        vector_push(importer->arena, &importer->levels, level);
        Node *node = node_new(importer->arena, NODE_LOOP);
        node->loop = level.loop;
        vector_push(importer->arena, &inner->children, node);
        inner = node;
    }
    set_linear(importer, mlirBlockGetArgument(op_body(op), 0),
               linear_sum(importer, bounds->lower, counter, bounds->step));
    return inner;
}

static void walk_body(Importer *importer, MlirOperation op, const Bounds *bounds,
                      const int *memories) {
    bool varies = bounds->count > 0 || bounds->lower_count > 0;
    Node *guard = NULL;
    if (varies && holds_control(importer, op))
        guard = open_guard(importer, op, importer->survey ? -1 : loop_predicate(importer, op));
    walk_block(importer, op_body(op));
    store_values(importer, mlirBlockGetTerminator(op_body(op)), 0, mlirOperationGetNumResults(op),
                 memories);
    close_piece(importer);
    if (guard) close_guard(importer, guard);
}

static void visit_loop(Importer *importer, MlirOperation op) {
    Bounds bounds;
    if (loop_depends_on_data(importer, op)) {
        visit_counted_while(importer, op);
        return;
    }
    if (!loop_bounds(importer, op, &bounds)) {
        importer->refused = true;
        return;
    }
    int *memories = carry(importer, op);
    intptr_t results = mlirOperationGetNumResults(op);
    store_values(importer, op, mlirOperationGetNumOperands(op) - results, results, memories);
    close_piece(importer);
    if (bounds.trip < 1) return;
    Node *sequence = importer->sequence;
    int levels = importer->levels.count, nodes = sequence->children.count;
    Node *inner = importer->sequence = enter_loop(importer, op, &bounds);
    walk_body(importer, op, &bounds, memories);
    importer->levels.count = levels;
    importer->sequence = sequence;
    if (inner->children.count == 0) sequence->children.count = nodes;
}
