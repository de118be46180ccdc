/* Pass "initialize": what is read before it is written gets zeros at the start, and what is
 * overwritten before it is read is not written.
 *
 * Fresh memory is zero, but hardware that runs a second time finds what the first run left. */
#include "loop/body.h"
#include "loop/liveness.h"
#include "loop/transform.h"

/* for i { memory[i] = 0 } */
static Node *fill_node(Program *program, int memory) {
    Arena *arena = program->arena;
    const Memory *target = &program->memories.items[memory];
    Nest *nest = arena_new_of(arena, Nest);
    nest->name = unique_nest_name(program, string_format(arena, "zero_%s", target->name));
    nest->location = target->name;
    nest->loop_count = target->rank;
    nest->loops = arena_array(arena, (size_t)target->rank, sizeof(Loop));
    Affine form = affine_new(arena, target->rank, 0);
    int64_t weight = 1;
    for (int i = target->rank - 1; i >= 0; i--) {
        const char *name = string_format(arena, "%c", "ijklmnopqrstuvwx"[i]);
        nest->loops[i] = (Loop){name, target->shape[i], 1};
        form.coefficients[i] = weight;
        weight *= target->shape[i];
    }
    int zero = append_constant(arena, nest, target->type, 0);
    Operation store = operation_new(OP_STORE, target->type);
    store.memory = memory;
    store.operands[0] = zero;
    store.affine = form;
    nest_append(arena, nest, store);
    Node *node = node_new(arena, NODE_NEST);
    node->nest = nest;
    return node;
}

static void add_fills(Program *program) {
    Node *first = node_new(program->arena, NODE_SEQUENCE), *root = program->root;
    for (int i = program->input_count; i < program->memories.count; i++)
        if (program->memories.items[i].kind != MEMORY_CONSTANT && is_value_read(program, i, NULL))
            vector_push(program->arena, &first->children, fill_node(program, i));
    if (first->children.count == 0) return;
    for (int i = 0; i < root->children.count; i++)
        vector_push(program->arena, &first->children, root->children.items[i]);
    program->root = first;
}

/* The other way round: stores of a nest that only fills a memory which others fill too. */
static void drop_dead_stores(Nest *nest, void *context) {
    Program *program = context;
    bool *keep = arena_array(program->arena, (size_t)nest->body.count + 1, sizeof *keep);
    bool *loaded = arena_array(program->arena, (size_t)program->memories.count + 1, sizeof *loaded);
    for (int i = 0; i < nest->body.count; i++)
        if (nest->body.items[i].opcode == OP_LOAD) loaded[nest->body.items[i].memory] = true;
    bool dropped = false;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        keep[i] = operation->opcode != OP_STORE || loaded[operation->memory] ||
                  is_value_read(program, operation->memory, nest);
        dropped = dropped || !keep[i];
    }
    if (dropped) nest_compact(program->arena, nest, keep);
}

bool pass_initialize(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    program_each_nest(program, drop_dead_stores, program);
    fold_program(program);
    add_fills(program);
    return true;
}
