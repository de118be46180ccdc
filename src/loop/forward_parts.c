/* Pass "forward_parts": a memory that several nests fill with parts of others is read where the
 * parts come from.
 *
 * That is what concatenations, stacks and insertions are. Each of the nests copies one part; a load
 * from the whole becomes a load from each part, with a predicate that says whether the element is
 * in it, and a choice. This is for readers that look at each element once: others would choose
 * again and again. Which part an element comes from, as the predicates say it, is compared with
 * what the nests store, element by element. */
#include "loop/fusion.h"

enum { MOST_PARTS = 4, MOST_ITERATIONS = 1 << 21 };

typedef struct Parts {
    int memory, count, last; /* last: the last stage that reads it */
    int stages[MOST_PARTS], stores[MOST_PARTS];
    const Nest *nests[MOST_PARTS];
    signed char *owners; /* of each element: the last part that stores it, -1 for none */
} Parts;

/* What a load is replaced by: for each part the iterations that store the element, and where. */
typedef struct Choice {
    Affine *solutions[MOST_PARTS];
    Constraints where[MOST_PARTS];
} Choice;

/* --- the parts --- */

static int64_t evaluate(const Nest *nest, const Affine *form, const int64_t *index) {
    int64_t value = form->constant;
    for (int i = 0; i < nest->loop_count; i++) value += form->coefficients[i] * index[i];
    return value;
}

/* The next iteration; false after the last one. */
static bool advance(const Nest *nest, int64_t *index) {
    for (int i = nest->loop_count - 1; i >= 0; i--) {
        if (++index[i] < nest->loops[i].trip) return true;
        index[i] = 0;
    }
    return false;
}

static int64_t *first_iteration(Arena *arena, const Nest *nest) {
    return arena_array(arena, (size_t)nest->loop_count + 1, sizeof(int64_t));
}

/* True if no two parts load the same memory: then a choice between them needs no more ports. */
static bool sources_differ(const Parts *parts) {
    for (int a = 0; a < parts->count; a++)
        for (int i = 0; i < parts->nests[a]->body.count; i++) {
            const Operation *load = &parts->nests[a]->body.items[i];
            if (load->opcode != OP_LOAD) continue;
            for (int b = 0; b < parts->count; b++)
                if (b != a && count_accesses(parts->nests[b], OP_LOAD, load->memory) > 0)
                    return false;
        }
    return true;
}

static bool find_parts(Arena *arena, const Program *program, const Stages *stages, Parts *parts) {
    size_t elements = program->memories.items[parts->memory].elements;
    if (elements > MOST_ITERATIONS) return false;
    parts->owners = arena_array(arena, elements, sizeof *parts->owners);
    for (size_t i = 0; i < elements; i++) parts->owners[i] = -1;
    for (int i = 0; i < stages->count; i++) {
        const Nest *nest = stages->items[i].nest;
        if (!stages->items[i].writes[parts->memory]) continue;
        if (!nest || nest->outer > 0 || parts->count == MOST_PARTS) return false;
        int store = free_store(arena, nest, parts->memory), part = parts->count++;
        if (store < 0 || nest_trip_count(nest) > MOST_ITERATIONS) return false;
        parts->stages[part] = i;
        parts->stores[part] = store;
        parts->nests[part] = nest;
        int64_t *index = first_iteration(arena, nest);
        do
            parts->owners[evaluate(nest, &nest->body.items[store].affine, index)] =
                (signed char)part;
        while (advance(nest, index));
    }
    return parts->count > 1 && sources_differ(parts);
}

/* --- the loads --- */

static bool hold(const Nest *nest, const Constraints *where, const int64_t *index) {
    for (int i = 0; i < where->count; i++) {
        int64_t value = evaluate(nest, &where->items[i].form, index);
        if (where->items[i].equality ? value != 0 : value < 0) return false;
    }
    return true;
}

/* True if the last part whose constraints hold is the one that the element comes from. */
static bool chooses_owner(Arena *arena, const Parts *parts, const Nest *reader,
                          const Operation *load, const Choice *choice, size_t elements) {
    int64_t *index = first_iteration(arena, reader);
    do {
        int64_t element = evaluate(reader, &load->affine, index);
        int part = parts->count - 1;
        if (element < 0 || element >= (int64_t)elements) continue; /* its predicate is false */
        while (part >= 0 && !hold(reader, &choice->where[part], index)) part--;
        if (part < 0 || part != parts->owners[element]) return false;
    } while (advance(reader, index));
    return true;
}

static bool find_choice(Arena *arena, const Parts *parts, const Nest *reader, const Operation *load,
                        Choice *choice) {
    *choice = (Choice){0};
    for (int p = 0; p < parts->count; p++) {
        const Operation *store = &parts->nests[p]->body.items[parts->stores[p]];
        choice->solutions[p] = solve_some_iterations(arena, parts->nests[p], &store->affine, reader,
                                                     &load->affine, &choice->where[p]);
        if (!choice->solutions[p] ||
            adds_port_conflict(reader, parts->nests[p], choice->solutions[p], parts->memory))
            return false;
    }
    return true;
}

static bool can_replace(Arena *arena, const Program *program, const Parts *parts,
                        const Nest *reader) {
    size_t elements = program->memories.items[parts->memory].elements;
    int load = reader ? only_access(reader, OP_LOAD, parts->memory) : -1;
    Choice choice;
    return load >= 0 && reader->outer == 0 && !reader->body.items[load].computed &&
           nest_trip_count(reader) <= (int64_t)elements &&
           find_choice(arena, parts, reader, &reader->body.items[load], &choice) &&
           chooses_owner(arena, parts, reader, &reader->body.items[load], &choice, elements);
}

/* -1: always */
static int append_where(Arena *arena, Nest *nest, const Constraints *where) {
    int predicate = -1;
    for (int i = 0; i < where->count; i++) {
        bool never;
        int part =
            append_constraint(arena, nest, &where->items[i].form, where->items[i].equality, &never);
        predicate = append_and(arena, nest, predicate, part);
    }
    return predicate;
}

/* The value of the last part that has the element, but 0 where the load's predicate is false. */
static int replacement(Arena *arena, Nest *nest, const Parts *parts, const Operation *load,
                       const Choice *choice) {
    int value = -1;
    for (int p = 0; p < parts->count; p++) {
        int inside = append_where(arena, nest, &choice->where[p]);
        int predicate = append_and(arena, nest, load->predicate, inside);
        const Nest *part = parts->nests[p];
        Inliner inliner = inliner_new(arena, nest, part, choice->solutions[p], predicate);
        int own = inline_value(&inliner, part->body.items[parts->stores[p]].operands[0]);
        value = value < 0 || inside < 0 ? own : append_select(arena, nest, inside, own, value);
    }
    if (load->predicate < 0) return value;
    int zero = append_constant(arena, nest, load->type, 0);
    return append_select(arena, nest, load->predicate, value, zero);
}

static void replace_load(Arena *arena, const Parts *parts, Nest *reader) {
    Nest old = *reader;
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof *moved);
    int replaced = only_access(&old, OP_LOAD, parts->memory);
    Choice choice;
    find_choice(arena, parts, &old, &old.body.items[replaced], &choice);
    reader->body.items = NULL;
    reader->body.count = reader->body.capacity = 0;
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        moved[i] = i == replaced ? replacement(arena, reader, parts, &operation, &choice)
                                 : nest_append(arena, reader, operation);
    }
}

/* --- the pass --- */

static bool sources_stay(const Stages *stages, const Parts *parts) {
    for (int p = 0; p < parts->count; p++)
        if (sources_change(stages, parts->nests[p], parts->stages[p], parts->last)) return false;
    return true;
}

static bool forward_memory(Program *program, const Stages *stages, int memory) {
    Arena *scratch = arena_new();
    Parts parts = {.memory = memory, .last = -1};
    bool possible = find_parts(scratch, program, stages, &parts);
    int last_part = possible ? parts.stages[parts.count - 1] : 0;
    possible = possible && !stages_read(stages, 0, last_part, memory);
    for (int i = last_part + 1; possible && i < stages->count; i++) {
        if (!stages->items[i].reads[memory]) continue;
        parts.last = i;
        possible = can_replace(scratch, program, &parts, stages->items[i].nest);
    }
    possible = possible && parts.last >= 0 && sources_stay(stages, &parts);
    for (int i = last_part + 1; possible && i <= parts.last; i++)
        if (stages->items[i].reads[memory])
            replace_load(program->arena, &parts, stages->items[i].nest);
    arena_free(scratch);
    return possible;
}

static bool forward_one(Program *program, const Stages *stages) {
    for (int i = program->input_count + program->output_count; i < program->memories.count; i++) {
        bool local = program->memories.items[i].kind == MEMORY_LOCAL && !stages->outside[i];
        if (local && forward_memory(program, stages, i)) return fold_program(program);
    }
    return false;
}

bool pass_forward_parts(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    each_stages(program, forward_one);
    return true;
}
