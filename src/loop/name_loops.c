/* Names of loops: those of convolutions and dense layers after what they count (n, oc, oh, ow, ic,
 * kh, kw), all others i, j, k ... from outside in. */
#include <string.h>

#include "loop/body.h"
#include "loop/names.h"

/* --- loops of convolutions --- */

/* The loads of a multiplication by a constant, and the largest step of each loop in what is stored.
 */
typedef struct Layer {
    const Affine *x, *weight;
    Affine out;
} Layer;

/* The load that a value is, through conversions; NULL if it is none. */
static const Operation *load_of(const Nest *nest, int value) {
    const Operation *operation = &nest->body.items[value];
    while (opcode_info[operation->opcode].operands == 1 && !operation_is_access(operation))
        operation = &nest->body.items[operation->operands[0]];
    return operation->opcode == OP_LOAD && !operation->computed ? operation : NULL;
}

static bool find_layer(const Program *program, const Nest *nest, Layer *layer) {
    *layer = (Layer){NULL, NULL, affine_new(program->arena, nest->loop_count, 0)};
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        bool store = operation->opcode == OP_STORE && !operation->computed;
        for (int k = 0; store && k < nest->loop_count; k++)
            if (operation->affine.coefficients[k] > layer->out.coefficients[k])
                layer->out.coefficients[k] = operation->affine.coefficients[k];
        bool multiply = operation->opcode == OP_FLOAT_MULTIPLY || operation->opcode == OP_MULTIPLY;
        if (!multiply || layer->x) continue;
        const Operation *a = load_of(nest, operation->operands[0]);
        const Operation *b = load_of(nest, operation->operands[1]);
        if (!a || !b) continue;
        bool swapped = program->memories.items[a->memory].kind == MEMORY_CONSTANT;
        const Operation *weight = swapped ? a : b, *x = swapped ? b : a;
        if (program->memories.items[weight->memory].kind != MEMORY_CONSTANT) continue;
        layer->x = &x->affine;
        layer->weight = &weight->affine;
    }
    return layer->x != NULL;
}

bool is_weight(const Nest *nest, int memory) {
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        bool multiply = operation->opcode == OP_FLOAT_MULTIPLY || operation->opcode == OP_MULTIPLY;
        for (int k = 0; multiply && k < 2; k++) {
            const Operation *load = load_of(nest, operation->operands[k]);
            if (load && load->memory == memory) return true;
        }
    }
    return false;
}

/* Loops of one role, the largest stride first. */
typedef struct Group {
    int count;
    int loops[16];
} Group;

static void group_add(Group *group, int loop, const Affine *strides) {
    if (group->count == 16) return;
    int place = group->count++;
    while (place > 0 &&
           strides->coefficients[group->loops[place - 1]] < strides->coefficients[loop]) {
        group->loops[place] = group->loops[place - 1];
        place--;
    }
    group->loops[place] = loop;
}

static void name_group(Nest *nest, const Group *group, const char *const *names) {
    for (int i = 0; i < group->count; i++) nest->loops[group->loops[i]].name = names[i];
}

/* The input channel is the innermost of x's strides in a channels-last layout, else the outermost.
 */
static bool channels_last(const Layer *layer, const Group *positions, const Group *kernel) {
    if (positions->count == 0 || kernel->count < 3) return false;
    int64_t step = layer->x->coefficients[positions->loops[positions->count - 1]];
    int64_t second = layer->x->coefficients[kernel->loops[kernel->count - 2]];
    return second > 0 && step % second == 0;
}

/* False if the loops are more than these names can tell apart. */
static bool name_layer(Nest *nest, const Layer *layer) {
    static const char *const positions_names[4][3] = {{0}, {"n"}, {"oh", "ow"}, {"n", "oh", "ow"}};
    static const char *const channel_names[3][2] = {{0}, {"oc"}, {"g", "oc"}};
    static const char *const kernel_names[4][3] = {{0}, {"ic"}, {"kh", "kw"}, {"ic", "kh", "kw"}};
    static const char *const last_names[] = {"kh", "kw", "ic"};
    Group positions = {0}, channels = {0}, kernel = {0};
    for (int i = nest->outer; i < nest->loop_count; i++) {
        if (layer->out.coefficients[i] == 0)
            group_add(&kernel, i, layer->x);
        else if (layer->weight->coefficients[i] == 0)
            group_add(&positions, i, &layer->out);
        else
            group_add(&channels, i, &layer->out);
    }
    if (positions.count > 3 || channels.count > 2 || kernel.count > 3 || kernel.count == 0)
        return false;
    name_group(nest, &positions, positions_names[positions.count]);
    name_group(nest, &channels, channel_names[channels.count]);
    bool last = channels_last(layer, &positions, &kernel);
    name_group(nest, &kernel, last ? last_names : kernel_names[kernel.count]);
    return true;
}

/* --- loops --- */

static bool is_taken(const Nest *nest, int loop, const char *name) {
    for (int i = 0; i < loop; i++)
        if (strcmp(nest->loops[i].name, name) == 0) return true;
    return false;
}

static void name_letters(Arena *arena, Nest *nest) {
    static const char letters[] = "ijklmnpqrstuvwxyz";
    int next = 0, count = (int)sizeof letters - 1;
    for (int i = nest->outer; i < nest->loop_count; i++) {
        const char *name;
        do {
            name = next < count ? string_format(arena, "%c", letters[next])
                                : string_format(arena, "i%d", next);
            next++;
        } while (is_taken(nest, i, name));
        nest->loops[i].name = name;
    }
}

static bool names_differ(const Nest *nest) {
    for (int i = 0; i < nest->loop_count; i++)
        if (is_taken(nest, i, nest->loops[i].name)) return false;
    return true;
}

void name_loops(Nest *nest, void *context) {
    Program *program = context;
    Layer layer;
    /* The loops may be shared with the nest that this one was made from. */
    Loop *loops = arena_array(program->arena, (size_t)nest->loop_count, sizeof(Loop));
    for (int i = 0; i < nest->loop_count; i++) loops[i] = nest->loops[i];
    nest->loops = loops;
    bool named = find_layer(program, nest, &layer) && name_layer(nest, &layer);
    if (!named || !names_differ(nest)) name_letters(program->arena, nest);
}
