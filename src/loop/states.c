/* Pass "states": at the end, what the model keeps for the next run is copied to where the next run
 * reads it. */
#include "loop/transform.h"

static Nest *copy_nest(Program *program, int from, int to) {
    Arena *arena = program->arena;
    const Memory *memory = &program->memories.items[to];
    Nest *nest = arena_new_of(arena, Nest);
    nest->name = string_format(arena, "keep_%s", memory->name);
    nest->location = memory->tensor_name;
    nest->loop_count = 1;
    nest->loops = arena_new_of(arena, Loop);
    nest->loops[0] = (Loop){"i", (int64_t)memory->elements, 1};
    Operation load = operation_new(OP_LOAD, memory->type);
    load.memory = from;
    load.affine.coefficients = arena_new_of(arena, int64_t);
    load.affine.coefficients[0] = 1;
    Operation store = load;
    store.opcode = OP_STORE;
    store.memory = to;
    store.operands[0] = nest_append(arena, nest, load);
    nest_append(arena, nest, store);
    return nest;
}

bool pass_states(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    int inputs = program->input_count, outputs = program->output_count;
    for (int i = program->state_count; i > 0; i--) {
        Node *node = node_new(program->arena, NODE_NEST);
        node->nest = copy_nest(program, inputs + outputs - i, inputs - i);
        vector_push(program->arena, &program->root->children, node);
    }
    return true;
}
