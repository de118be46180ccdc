/* Pass "scalarize": a value that is kept in a memory through some loops, but does not depend on
 * them, is computed where it is used.
 *
 *     for j, k { t[0] = x[j] if k == 0;  ... t[0] ... }   becomes   for j, k { ... x[j] ... }
 *
 * The store happens in the first iteration of the loops that neither its address nor its value
 * depends on, and every load comes after it: so what is loaded is the value of this iteration. */
#include "loop/fusion.h"

/* The own loops that the predicate pins to their first iteration. False if it says anything else.
 */
static bool pinned_loops(Arena *arena, const Nest *nest, int predicate, bool *pinned) {
    Constraints list = {0};
    if (!predicate_constraints(arena, nest, predicate, &list)) return false;
    for (int i = 0; i < list.count; i++) {
        const Affine *form = &list.items[i].form;
        int loops = 0, loop = -1;
        for (int k = 0; k < nest->loop_count; k++) {
            if (form->coefficients[k] == 0) continue;
            loops++;
            loop = k;
        }
        bool first = list.items[i].equality || (loops == 1 && form->coefficients[loop] < 0);
        if (loops != 1 || loop < nest->outer || form->constant != 0 || !first) return false;
        pinned[loop] = true;
    }
    return true;
}

/* Between the store and the loads of its value only pinned loops may advance, or loops that the
 * address tells apart. */
static bool value_stays(const Nest *nest, const Affine *form, const bool *pinned) {
    bool inside = false;
    for (int i = nest->outer; i < nest->loop_count; i++) {
        inside = inside || pinned[i];
        if (pinned[i] ? form->coefficients[i] != 0 : inside && form->coefficients[i] == 0)
            return false;
    }
    return true;
}

/* Operations that give the same value in every iteration of the pinned loops, loads without their
 * predicate. */
static bool *steady_operations(const Program *program, Arena *arena, const Nest *nest,
                               const bool *pinned, int predicate) {
    bool *steady = arena_array(arena, (size_t)nest->body.count + 1, sizeof *steady);
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (operation->opcode == OP_STORE) continue;
        steady[i] = true;
        for (int k = 0; k < operation_operands(operation); k++)
            steady[i] = steady[i] && steady[operation->operands[k]];
        bool form = operation->opcode == OP_INDEX || operation->opcode == OP_LOAD;
        for (int k = 0; k < nest->loop_count && form && !operation->computed; k++)
            if (pinned[k] && operation->affine.coefficients[k] != 0) steady[i] = false;
        if (operation->opcode != OP_LOAD) continue;
        const Memory *memory = &program->memories.items[operation->memory];
        if (operation->computed || count_accesses(nest, OP_STORE, operation->memory) > 0) {
            steady[i] = false;
            continue;
        }
        Range range = affine_range(nest, &operation->affine);
        if (range.low < 0 || range.high >= (int64_t)memory->elements ||
            (operation->predicate >= 0 && operation->predicate != predicate))
            steady[i] = false;
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
    if (store->predicate >= 0) {
        bool *pinned = arena_array(arena, (size_t)nest->loop_count + 1, sizeof *pinned);
        if (!pinned_loops(arena, nest, store->predicate, pinned)) return -1;
        if (!value_stays(nest, &store->affine, pinned)) return -1;
        bool *steady = steady_operations(program, arena, nest, pinned, store->predicate);
        if (!steady[store->operands[0]] || !is_private(arena, nest, index)) return -1;
    }
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
