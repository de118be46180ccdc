/* Operations of bodies: their shape, equality, and appending them. */
#include "loop/body.h"

#include <string.h>

bool operation_is_access(const Operation *operation) {
    return operation->opcode == OP_LOAD || operation->opcode == OP_STORE;
}

int operation_operands(const Operation *operation) {
    bool computed = operation_is_access(operation) && operation->computed;
    return opcode_info[operation->opcode].operands + computed;
}

int operation_address(const Operation *operation) {
    if (!operation_is_access(operation) || !operation->computed) return -1;
    return operation->opcode == OP_STORE ? 1 : 0;
}

bool operation_is_pure(const Operation *operation) {
    return operation->opcode != OP_STORE;
}

bool operation_equal(const Operation *a, const Operation *b, int loops) {
    if (a->opcode != b->opcode || !scalar_equal(a->type, b->type)) return false;
    if (memcmp(a->operands, b->operands, sizeof a->operands) != 0) return false;
    if (a->predicate != b->predicate || a->condition != b->condition || a->bits != b->bits ||
        a->memory != b->memory || a->computed != b->computed)
        return false;
    bool has_form = a->opcode == OP_INDEX || (operation_is_access(a) && !a->computed);
    return !has_form || affine_equal(&a->affine, &b->affine, loops);
}

void nest_compact(Arena *arena, Nest *nest, const bool *keep) {
    int *moved = arena_array(arena, (size_t)nest->body.count, sizeof *moved);
    int count = 0;
    for (int i = 0; i < nest->body.count; i++) {
        if (!keep[i]) continue;
        Operation operation = nest->body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        moved[i] = count;
        nest->body.items[count++] = operation;
    }
    nest->body.count = count;
}

void nest_remove_dead(Arena *arena, Nest *nest) {
    bool *live = arena_array(arena, (size_t)nest->body.count, sizeof *live);
    for (int i = nest->body.count - 1; i >= 0; i--) {
        const Operation *operation = &nest->body.items[i];
        live[i] = live[i] || !operation_is_pure(operation);
        if (!live[i]) continue;
        for (int k = 0; k < operation_operands(operation); k++) live[operation->operands[k]] = true;
        if (operation->predicate >= 0) live[operation->predicate] = true;
    }
    nest_compact(arena, nest, live);
}

int append_constant(Arena *arena, Nest *nest, Scalar type, Bits bits) {
    Operation operation = operation_new(OP_CONSTANT, type);
    operation.bits = bits & bits_mask(type.width);
    return nest_append(arena, nest, operation);
}

int append_index(Arena *arena, Nest *nest, const Affine *form) {
    int width = range_width(affine_range(nest, form), true);
    if (affine_is_constant(form, nest->loop_count))
        return append_constant(arena, nest, SCALAR_I(width), (Bits)form->constant);
    Operation operation = operation_new(OP_INDEX, SCALAR_I(width));
    operation.affine = affine_copy(arena, form, nest->loop_count);
    return nest_append(arena, nest, operation);
}

int append_unary(Arena *arena, Nest *nest, Opcode opcode, Scalar type, int a) {
    Operation operation = operation_new(opcode, type);
    operation.operands[0] = a;
    return nest_append(arena, nest, operation);
}

int append_binary(Arena *arena, Nest *nest, Opcode opcode, int a, int b) {
    Operation operation = operation_new(opcode, nest->body.items[a].type);
    operation.operands[0] = a;
    operation.operands[1] = b;
    return nest_append(arena, nest, operation);
}

int append_select(Arena *arena, Nest *nest, int condition, int a, int b) {
    Operation operation = operation_new(OP_SELECT, nest->body.items[a].type);
    operation.operands[0] = condition;
    operation.operands[1] = a;
    operation.operands[2] = b;
    return nest_append(arena, nest, operation);
}

int append_compare(Arena *arena, Nest *nest, Opcode opcode, int condition, int a, int b) {
    Operation operation = operation_new(opcode, SCALAR_I(1));
    operation.condition = condition;
    operation.operands[0] = a;
    operation.operands[1] = b;
    return nest_append(arena, nest, operation);
}

int append_and(Arena *arena, Nest *nest, int a, int b) {
    if (a < 0 || a == b) return b;
    if (b < 0) return a;
    return append_binary(arena, nest, OP_AND, a, b);
}

static bool leads_negative(const Affine *form, int loops) {
    for (int i = 0; i < loops; i++)
        if (form->coefficients[i] != 0) return form->coefficients[i] < 0;
    return false;
}

int append_constraint(Arena *arena, Nest *nest, const Affine *form, bool equality, bool *never) {
    Range range = affine_range(nest, form);
    *never = range.high < 0 || (equality && range.low > 0);
    if (*never) return -1;
    if (range.low >= 0 && (!equality || range.high == 0)) return -1;
    /* A form at the end of its range means equality, which is the cheapest compare. */
    if (range.high == 0) equality = true;
    /* index >= bound, or index <= bound where the first coefficient of the form is negative: so
     * that the compares of one index share it. */
    bool negated = leads_negative(form, nest->loop_count);
    Affine zero = affine_new(arena, nest->loop_count, 0);
    Affine index = affine_sum(arena, &zero, form, negated ? -1 : 1, nest->loop_count);
    index.constant = 0;
    int64_t bound = negated ? form->constant : -form->constant;
    Range values = range_union(affine_range(nest, &index), (Range){bound, bound});
    Scalar type = SCALAR_I(range_width(values, true));
    int left = append_index(arena, nest, &index);
    nest->body.items[left].type = type;
    int right = append_constant(arena, nest, type, (Bits)bound);
    int condition = equality ? COMPARE_EQ : negated ? COMPARE_SLE : COMPARE_SGE;
    return append_compare(arena, nest, OP_COMPARE, condition, left, right);
}

static void note_name(Nest *nest, void *context) {
    names_unique(context, nest->name);
}

char *unique_nest_name(Program *program, const char *name) {
    NameSet *names = names_new(program->arena);
    program_each_nest(program, note_name, names);
    return names_unique(names, name);
}

Node *copy_node(Program *program, const char *name, int source, int target) {
    Arena *arena = program->arena;
    const Memory *memory = &program->memories.items[source];
    Nest *nest = arena_new_of(arena, Nest);
    nest->name = name;
    nest->location = memory->name;
    nest->loop_count = 1;
    nest->loops = arena_new_of(arena, Loop);
    nest->loops[0] = (Loop){"i", (int64_t)memory->elements, 1};
    Operation load = operation_new(OP_LOAD, memory->type);
    load.memory = source;
    load.affine = affine_new(arena, 1, 0);
    load.affine.coefficients[0] = 1;
    Operation store = load;
    store.opcode = OP_STORE;
    store.memory = target;
    store.operands[0] = nest_append(arena, nest, load);
    nest_append(arena, nest, store);
    Node *node = node_new(arena, NODE_NEST);
    node->nest = nest;
    return node;
}
