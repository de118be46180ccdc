/* State: buffers that a model changes, and keeps from one run to the next; see states.h. */
#include "import/states.h"
#include "import/in_place.h"
#include <string.h>

/* --- which buffers are state ------------------------------------------------------------------ */

static int input_named(const Program *program, const char *name) {
    for (int i = 0; i < program->inputs.count; i++) {
        const GraphInput *input = &program->inputs.items[i];
        if (input->kind != INPUT_USER && input->value >= 0 && strcmp(input->name, name) == 0)
            return input->value;
    }
    return -1;
}

static bool is_buffer(const Program *program, int value) {
    for (int i = 0; i < program->inputs.count; i++) {
        const GraphInput *input = &program->inputs.items[i];
        if (input->value == value) return input->kind != INPUT_USER;
    }
    return false;
}

/* In a graph that is not functional, an in-place operation (add_, but not __and__), on the buffer
 * or on a view of it, is all that tells. */
static void find_written(Import *import) {
    const Program *program = &import->program;
    size_t count = (size_t)program->values.count + 1;
    int *root = arena_array(import->arena, count, sizeof *root);
    for (int i = 0; i < program->values.count; i++) root[i] = i;
    for (int n = 0; n < program->nodes.count; n++) {
        const Node *node = &program->nodes.items[n];
        View view;
        if (node->input_count == 0) continue;
        const Argument *first = &node->inputs[0].value;
        if (first->kind != ARGUMENT_TENSOR) continue;
        int written = root[first->integer];
        for (int i = 0; i < node->output_count; i++) {
            int output = node->outputs[i];
            if (output >= 0 && find_view(import, n, output, &view)) root[output] = written;
        }
        if (!node_is_in_place(node)) continue;
        if (node->output_count > 0 && node->outputs[0] >= 0) root[node->outputs[0]] = written;
        if (is_buffer(program, written)) import->is_state[written] = true;
    }
}

void states_find(Import *import) {
    const Program *program = &import->program;
    find_written(import);
    for (int i = 0; i < program->outputs.count; i++) {
        const GraphOutput *output = &program->outputs.items[i];
        if (!output->is_mutation || output->is_input_mutation) continue;
        int value = input_named(program, output->target);
        if (value >= 0) import->is_state[value] = true;
    }
    /* What nobody reads need not be kept. */
    for (int i = 0; i < program->values.count; i++)
        import->is_state[i] &= program->values.items[i].uses > 0;
}

/* --- arguments ---------------------------------------------------------------------------------
 */

static MlirValue add_argument(Import *import, MlirBlock block, const TensorType *type) {
    MlirType tensor =
        tensor_of(scalar_type(&import->builder, type->dtype), type->rank, type->shape);
    return mlirBlockAddArgument(block, tensor, import->builder.location);
}

/* valid ? what the run before left : what is stored */
static MlirValue choose_contents(Import *import, MlirValue valid, MlirValue kept, Value *stored) {
    Builder *builder = &import->builder;
    int rank = stored->type.rank;
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)rank);
    MlirAffineMap identity = map_identity(builder, rank);
    MlirAffineMap maps[] = {map_of_dims(builder, rank, 0, NULL), identity, identity, identity};
    MlirValue inputs[] = {valid, kept, value_mlir(builder, import->arena, stored)};
    MlirValue init = build_empty(builder, mlirValueGetType(kept));
    Generic generic = generic_begin(builder, iterators, 3, inputs, 1, &init, maps);
    MlirValue chosen = build_select(&generic.body, generic_input(&generic, 0),
                                    generic_input(&generic, 1), generic_input(&generic, 2));
    return generic_end(&generic, chosen);
}

/* The value that a functional graph gives the buffer in the end, or -1. */
static int next_value(const Program *program, const char *name) {
    for (int i = 0; i < program->outputs.count; i++) {
        const GraphOutput *output = &program->outputs.items[i];
        bool is_it =
            output->is_mutation && !output->is_input_mutation && strcmp(output->target, name) == 0;
        if (is_it && output->value.kind == ARGUMENT_TENSOR) return (int)output->value.integer;
    }
    return -1;
}

bool states_add(Import *import, MlirBlock block) {
    const Program *program = &import->program;
    TensorType flag = tensor_type(DTYPE_BOOL, 0, NULL);
    for (int i = 0; i < program->inputs.count; i++) {
        const GraphInput *input = &program->inputs.items[i];
        if (input->value < 0 || !import->is_state[input->value]) continue;
        const TensorType *type = &program->values.items[input->value].type;
        if (!forward_check(import, input->name, type) || !forward_load(import, input)) return false;
        if (import->states.count == 0) {
            State valid = {.name = "valid", .dtype = DTYPE_BOOL, .input = -1};
            valid.argument = add_argument(import, block, &flag);
            vector_push(import->arena, &import->states, valid);
        }
        State state = {.name = input->name, .dtype = type->dtype, .input = input->value};
        state.next = next_value(program, input->name);
        state.argument = add_argument(import, block, type);
        MlirValue contents = choose_contents(import, import->states.items[0].argument,
                                             state.argument, import->values[input->value]);
        import->values[input->value] =
            value_new(import->arena, type->dtype, type->rank, type->shape, contents);
        vector_push(import->arena, &import->states, state);
    }
    return true;
}

MlirValue state_next(Import *import, const State *state) {
    if (state->input < 0) {
        Value *set =
            value_constant(import->arena, stored_splat(import->arena, DTYPE_BOOL, 0, NULL, 1, 1));
        return value_mlir(&import->builder, import->arena, set);
    }
    int value = state->next >= 0 ? state->next : state->input;
    return value_mlir(&import->builder, import->arena, import->values[import->same[value]]);
}
