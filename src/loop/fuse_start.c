/* Pass "fuse_start": the nest that fills a sum with its first value becomes the reduction's first
 * step.
 *
 *     for i { s[i] = v(i) }   for i, k { s[i] = s[i] + ... }
 *
 * becomes  for i, k { s[i] = (k == 0 ? v(i) : s[i]) + ... }  with the load predicated; where v is 0
 * the load alone does it, since it gives 0 where its predicate is false. */
#include "loop/fusion.h"

/* The sum of a reduction: one load and one store, at the same place in every iteration. */
typedef struct Sum {
    int load, store;
} Sum;

static bool find_sum(const Nest *nest, int memory, Sum *sum) {
    sum->load = only_access(nest, OP_LOAD, memory);
    sum->store = only_access(nest, OP_STORE, memory);
    if (sum->load < 0 || sum->store < sum->load) return false;
    const Operation *load = &nest->body.items[sum->load], *store = &nest->body.items[sum->store];
    return load->predicate < 0 && store->predicate < 0 && !load->computed && !store->computed &&
           affine_equal(&load->affine, &store->affine, nest->loop_count) &&
           form_repetitions(nest, &load->affine) > 1 && form_is_injective(nest, &load->affine);
}

/* A nest that does nothing but store to the memory, once to each element that it reaches; without
 * arithmetic. */
static bool only_fills(const Nest *nest, int memory) {
    static const bool cheap[OPCODE_COUNT] = {
        [OP_CONSTANT] = true,
        [OP_INDEX] = true,
        [OP_LOAD] = true,
        [OP_STORE] = true,
        [OP_COMPARE] = true,
        [OP_AND] = true,
        [OP_OR] = true,
        [OP_XOR] = true,
        [OP_SELECT] = true,
        [OP_BITCAST] = true,
        [OP_TRUNCATE] = true,
        [OP_FLOAT_CONVERT] = true,
        [OP_EXTEND_SIGNED] = true,
        [OP_EXTEND_UNSIGNED] = true,
    };
    int stores = 0;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        stores += operation->opcode == OP_STORE;
        if (!cheap[operation->opcode]) return false;
        if (operation->opcode == OP_LOAD && operation->memory == memory) return false;
    }
    int store = only_access(nest, OP_STORE, memory);
    return stores == 1 && store >= 0 && nest->body.items[store].predicate < 0 &&
           !nest->body.items[store].computed;
}

/* True if the values that the fill loads are still the same when the reduction ends. */
static bool sources_stay(const Stages *stages, int fill, int reduction) {
    const Nest *nest = stages->items[fill].nest;
    for (int i = 0; i < nest->body.count; i++)
        if (nest->body.items[i].opcode == OP_LOAD &&
            stages_write(stages, fill + 1, reduction, nest->body.items[i].memory))
            return false;
    return true;
}

/* The last stage before `reduction` that touches the memory; -1 if it cannot be fused. */
static int find_fill(const Stages *stages, int reduction, int memory) {
    int fill = reduction - 1;
    while (fill >= 0 && !stages->items[fill].reads[memory] && !stages->items[fill].writes[memory])
        fill--;
    if (fill < 0 || !stages->items[fill].nest || !only_fills(stages->items[fill].nest, memory))
        return -1;
    return sources_stay(stages, fill, reduction) ? fill : -1;
}

/* Rebuilds the reduction with its first step. */
static void fuse(Arena *arena, const Nest *fill, Nest *nest, Sum sum, const Affine *solution) {
    Nest old = *nest;
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof *moved);
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    const Affine *form = &old.body.items[sum.load].affine;
    int first = edge_of_repetitions(arena, nest, form, false);
    int one = append_constant(arena, nest, SCALAR_I(1), 1);
    int later = append_binary(arena, nest, OP_XOR, first, one);
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        if (i == sum.load) operation.predicate = later;
        moved[i] = nest_append(arena, nest, operation);
        if (i != sum.load) continue;
        int store = only_access(fill, OP_STORE, operation.memory);
        Inliner inliner = inliner_new(arena, nest, fill, solution, first);
        int value = inline_value(&inliner, fill->body.items[store].operands[0]);
        const Operation *start = &nest->body.items[value];
        if (start->opcode != OP_CONSTANT || start->bits != 0)
            moved[i] = append_select(arena, nest, first, value, moved[i]);
    }
}

static bool fuse_memory(Program *program, const Stages *stages, int reduction, int memory) {
    Nest *nest = stages->items[reduction].nest;
    Sum sum;
    if (!find_sum(nest, memory, &sum)) return false;
    int fill = find_fill(stages, reduction, memory);
    if (fill < 0) return false;
    const Nest *source = stages->items[fill].nest;
    int store = only_access(source, OP_STORE, memory);
    const Affine *form = &nest->body.items[sum.load].affine;
    if (nest_trip_count(source) != form_iterations(nest, form)) return false;
    Affine *solution =
        solve_iterations(program->arena, source, &source->body.items[store].affine, nest, form);
    if (!solution || adds_port_conflict(nest, source, solution, memory)) return false;
    fuse(program->arena, source, nest, sum, solution);
    stage_remove(stages, fill);
    return true;
}

static bool fuse_one(Program *program, const Stages *stages) {
    for (int i = 0; i < stages->count; i++)
        for (int k = 0; stages->items[i].nest && k < program->memories.count; k++)
            if (stages->items[i].writes[k] && fuse_memory(program, stages, i, k)) return true;
    return false;
}

bool pass_fuse_start(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    each_stages(program, fuse_one);
    return fold_program(program);
}
