/* Pass "states": at the end, what the model keeps for the next run is copied to where the next run
 * reads it. */
#include "loop/body.h"
#include "loop/transform.h"

bool pass_states(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    int inputs = program->input_count, outputs = program->output_count;
    for (int i = program->state_count; i > 0; i--) {
        const Memory *kept = &program->memories.items[inputs - i];
        const char *name = string_format(program->arena, "keep_%s", kept->name);
        Node *node = copy_node(program, name, inputs + outputs - i, inputs - i);
        node->nest->location = kept->tensor_name;
        vector_push(program->arena, &program->root->children, node);
    }
    return true;
}
