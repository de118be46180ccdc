/* Pass "scalarize": a value that is kept in a memory through some loops, but does not depend on
 * them, is computed where it is used.
 *
 *     for j, k { t[0] = x[j] if k == 0;  ... t[0] ... }   becomes   for j, k { ... x[j] ... }
 *
 * The store happens in the first iteration of the loops that neither its address nor its value
 * depends on, and every load comes after it: so what is loaded is the value of this iteration. */
#include "loop/fusion.h"

/* copied[i]: operation i gives the same value in every iteration of the loops without a coefficient
 * in the form, its loads with their predicate dropped. */
static bool *steady_operations(const Program *program, Arena *arena, const Nest *nest,
                               const Affine *form, int predicate) {
    bool *steady = arena_array(arena, (size_t)nest->body.count + 1, sizeof *steady);
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (operation->opcode == OP_STORE) continue;
        steady[i] = true;
        for (int k = 0; k < operation_operands(operation); k++)
            steady[i] = steady[i] && steady[operation->operands[k]];
        bool load = operation->opcode == OP_LOAD;
        for (int k = nest->outer; k < nest->loop_count && operation->affine.coefficients; k++)
            if (form->coefficients[k] == 0 && operation->affine.coefficients[k] != 0)
                steady[i] = false;
        if (!load) continue;
        Range range = affine_range(nest, &operation->affine);
        const Memory *memory = &program->memories.items[operation->memory];
        if (operation->computed || range.low < 0 || range.high >= (int64_t)memory->elements)
            steady[i] = false;
        if (operation->predicate >= 0 && operation->predicate != predicate) steady[i] = false;
        if (count_accesses(nest, OP_STORE, operation->memory) > 0) steady[i] = false;
    }
    return steady;
}

/* True if nothing but the store looks at what the loads of the value give: then they may lose the
 * predicate. */
static bool is_private(Arena *arena, const Nest *nest, int store) {
    bool *inside = arena_array(arena, (size_t)nest->body.count + 1, sizeof *inside);
    inside[nest->body.items[store].operands[0]] = true;
    for (int i = store; i >= 0; i--) {
        const Operation *operation = &nest->body.items[i];
        if (!inside[i]) continue;
        for (int k = 0; k < operation_operands(operation); k++)
            inside[operation->operands[k]] = true;
    }
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *user = &nest->body.items[i];
        if (inside[i] || i == store) continue;
        for (int k = 0; k < operation_operands(user); k++) {
            Opcode source = nest->body.items[user->operands[k]].opcode;
            if (inside[user->operands[k]] && source != OP_CONSTANT && source != OP_INDEX)
                return false;
        }
        if (user->predicate >= 0 && inside[user->predicate]) return false;
    }
    return true;
}

/* The store that all loads of the memory see, -1 if there is none such. */
static int find_store(const Program *program, Arena *arena, const Nest *nest, int memory) {
    int index = only_access(nest, OP_STORE, memory);
    if (index < 0) return -1;
    const Operation *store = &nest->body.items[index];
    if (store->computed || !form_is_injective(nest, &store->affine)) return -1;
    if (store->predicate >= 0 &&
        !is_edge_of_repetitions(arena, nest, &store->affine, false, store->predicate))
        return -1;
    bool *steady = steady_operations(program, arena, nest, &store->affine, store->predicate);
    if (store->predicate >= 0 && (!steady[store->operands[0]] || !is_private(arena, nest, index)))
        return -1;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *load = &nest->body.items[i];
        if (load->opcode != OP_LOAD || load->memory != memory) continue;
        if (i < index || load->computed || load->predicate >= 0 ||
            !affine_equal(&load->affine, &store->affine, nest->loop_count))
            return -1;
    }
    return index;
}

/* Drops the predicates of the loads that the stored value is made of. */
static void drop_predicates(Nest *nest, int value) {
    Operation *operation = &nest->body.items[value];
    if (operation->opcode == OP_LOAD) operation->predicate = -1;
    for (int k = 0; k < operation_operands(operation); k++)
        drop_predicates(nest, operation->operands[k]);
}

static void scalarize(Arena *arena, Nest *nest, int memory, int store) {
    bool *keep = arena_array(arena, (size_t)nest->body.count, sizeof *keep);
    int value = nest->body.items[store].operands[0];
    if (nest->body.items[store].predicate >= 0) drop_predicates(nest, value);
    for (int i = 0; i < nest->body.count; i++) {
        Operation *operation = &nest->body.items[i];
        for (int k = 0; k < 3; k++) {
            if (operation->operands[k] < 0) continue;
            const Operation *source = &nest->body.items[operation->operands[k]];
            if (source->opcode == OP_LOAD && source->memory == memory)
                operation->operands[k] = value;
        }
        if (operation->predicate >= 0) {
            const Operation *source = &nest->body.items[operation->predicate];
            if (source->opcode == OP_LOAD && source->memory == memory) operation->predicate = value;
        }
        keep[i] = !operation_is_access(operation) || operation->memory != memory;
    }
    nest_compact(arena, nest, keep);
}

static bool scalarize_one(Program *program, const Stages *stages) {
    Arena *scratch = arena_new();
    bool changed = false;
    for (int i = 0; !changed && i < stages->count; i++) {
        Nest *nest = stages->items[i].nest;
        for (int k = 0; !changed && nest && k < program->memories.count; k++) {
            bool alone = stages->items[i].writes[k] && !stages->outside[k];
            for (int l = 0; alone && l < stages->count; l++)
                alone = l == i || (!stages->items[l].reads[k] && !stages->items[l].writes[k]);
            int store =
                alone && stages->items[i].reads[k] ? find_store(program, scratch, nest, k) : -1;
            if (store < 0) continue;
            scalarize(program->arena, nest, k, store);
            changed = fold_program(program);
        }
    }
    arena_free(scratch);
    return changed;
}

bool pass_scalarize(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    each_stages(program, scalarize_one);
    return true;
}
