/* Pass "share": buffers that never live together become one memory.
 *
 *     a: written by nest 1, read by nest 2            a, c: one memory of max(|a|, |c|) elements
 *     b: written by nest 2, read by nest 3       =>   b
 *     c: written by nest 3, read by nest 4
 *
 * A buffer lives from the first node that accesses it to the last one, in program order; if that
 * meets a loop or a while loop, through all of the loop, as the next turn may read what this one
 * wrote. Nodes run one after the other, so two buffers of which one is dead before the other is
 * born can be in one place: what is read before it is written got zeros by the pass "initialize",
 * which is an access as any other.
 *
 * Where a nest reads its last of one buffer and writes its first of another, these can be in one
 * place if it writes no element that it reads afterwards.
 *
 * The larger buffers choose first, so that no memory grows: a buffer goes to the smallest memory
 * that has room and time for it. One that is not block RAM in hardware stays alone: it costs less
 * than the multiplexers in front of shared ports. */
#include <stdlib.h>

#include "loop/body.h"
#include "loop/names.h"
#include "loop/transform.h"

/* A memory and when it lives. */
typedef struct Life {
    int memory;
    size_t elements;
    int first, last; /* nodes, in program order; first > last: it never does */
} Life;

typedef struct Lives {
    const Program *program;
    Arena *arena;
    Life *items;                /* per memory */
    Vector(const Nest *) nests; /* per node: NULL for a condition, and for what is in a loop */
    int loops;                  /* around what is visited */
} Lives;

/* --- lives --- */

static void touch(Lives *lives, int memory, int first, int last) {
    Life *life = &lives->items[memory];
    if (first < life->first) life->first = first;
    if (last > life->last) life->last = last;
}

static int next_node(Lives *lives, const Nest *nest) {
    vector_push(lives->arena, &lives->nests, lives->loops == 0 ? nest : NULL);
    return lives->nests.count - 1;
}

static void visit_nest(Lives *lives, const Nest *nest) {
    int now = next_node(lives, nest);
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]))
            touch(lives, nest->body.items[i].memory, now, now);
}

/* What is accessed inside, or lives on from before, lives all the time. */
static void visit_loop(Lives *lives, int first, int last) {
    for (int m = 0; m < lives->program->memories.count; m++)
        if (lives->items[m].last >= first) touch(lives, m, first, last);
}

static void visit(Lives *lives, const Node *node) {
    bool loop = node->kind == NODE_LOOP || node->kind == NODE_WHILE;
    int first = lives->nests.count;
    if (node->kind == NODE_NEST) visit_nest(lives, node->nest);
    if (node->condition >= 0) {
        int now = next_node(lives, NULL);
        touch(lives, node->condition, now, now);
    }
    lives->loops += loop;
    for (int i = 0; i < node->children.count; i++) visit(lives, node->children.items[i]);
    lives->loops -= loop;
    if (loop) visit_loop(lives, first, lives->nests.count - 1);
}

static Lives lives_of(const Program *program, Arena *arena) {
    Lives lives = {.program = program, .arena = arena};
    lives.items = arena_array(arena, (size_t)program->memories.count + 1, sizeof *lives.items);
    for (int m = 0; m < program->memories.count; m++)
        lives.items[m] = (Life){m, program->memories.items[m].elements, INT32_MAX, -1};
    visit(&lives, program->root);
    return lives;
}

/* --- which ones can be together --- */

/* All accesses of the memory in the nest are of this kind, with addresses that can be compared. */
static bool all_accesses_are(const Nest *nest, int memory, Opcode opcode) {
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *access = &nest->body.items[i];
        if (!operation_is_access(access) || access->memory != memory) continue;
        if (access->opcode != opcode || access->computed) return false;
    }
    return true;
}

/* True if the nest may store to `to` what it loads from `from` only afterwards, both in one place.
 */
static bool overwrites(const Program *program, const Nest *nest, int from, int to) {
    if (!all_accesses_are(nest, from, OP_LOAD) || !all_accesses_are(nest, to, OP_STORE))
        return true;
    Arena *scratch = arena_new();
    Nest merged = *nest;
    merged.body.items = NULL;
    merged.body.count = merged.body.capacity = 0;
    for (int i = 0; i < nest->body.count; i++) {
        Operation operation = nest->body.items[i];
        if (operation_is_access(&operation) && operation.memory == to) operation.memory = from;
        nest_append(scratch, &merged, operation);
    }
    Dependences dependences = nest_dependences(program, &merged, scratch);
    bool found = false;
    for (int i = 0; !found && i < dependences.count; i++) {
        const Operation *store = &merged.body.items[dependences.items[i].from],
                        *load = &merged.body.items[dependences.items[i].to];
        found = store->opcode == OP_STORE && load->opcode == OP_LOAD && load->memory == from;
    }
    arena_free(scratch);
    return found;
}

static bool are_apart(const Lives *lives, const Life *a, const Life *b) {
    const Life *earlier = a->first <= b->first ? a : b, *later = earlier == a ? b : a;
    if (earlier->last < later->first) return true;
    if (earlier->last > later->first || !lives->nests.items[later->first]) return false;
    return !overwrites(lives->program, lives->nests.items[later->first], earlier->memory,
                       later->memory);
}

static bool can_share(const Memory *memory, int least_bits) {
    return memory->kind == MEMORY_LOCAL && !memory_is_register(memory) &&
           memory->elements * (size_t)memory->type.width >= (size_t)least_bits;
}

/* --- the memories --- */

/* Buffers that become one memory, which has the size of the first one. */
typedef struct Group {
    Vector(const Life *) lives;
} Group;

typedef Vector(Group) Groups;

static int compare_lives(const void *left, const void *right) {
    const Life *a = *(const Life *const *)left, *b = *(const Life *const *)right;
    if (a->elements != b->elements) return a->elements > b->elements ? -1 : 1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->memory - b->memory;
}

static bool has_room(const Lives *lives, const Group *group, const Life *life) {
    const Memory *memories = lives->program->memories.items;
    Scalar type = memories[group->lives.items[0]->memory].type;
    if (!scalar_equal(type, memories[life->memory].type)) return false;
    for (int i = 0; i < group->lives.count; i++)
        if (!are_apart(lives, group->lives.items[i], life)) return false;
    return true;
}

static void place(const Lives *lives, Arena *arena, Groups *groups, const Life *life) {
    int group = groups->count - 1; /* the last ones are the smallest */
    while (group >= 0 && !has_room(lives, &groups->items[group], life)) group--;
    if (group < 0) {
        vector_push(arena, groups, (Group){0});
        group = groups->count - 1;
    }
    vector_push(arena, &groups->items[group].lives, life);
}

static Groups groups_of(const Lives *lives, int least_bits, Arena *arena) {
    Vector(const Life *) chosen = {0};
    for (int m = 0; m < lives->program->memories.count; m++)
        if (lives->items[m].last >= 0 && can_share(&lives->program->memories.items[m], least_bits))
            vector_push(arena, &chosen, &lives->items[m]);
    Groups groups = {0};
    if (chosen.count == 0) return groups;
    qsort(chosen.items, (size_t)chosen.count, sizeof *chosen.items, compare_lives);
    for (int i = 0; i < chosen.count; i++) place(lives, arena, &groups, chosen.items[i]);
    return groups;
}

/* --- the change --- */

typedef struct Change {
    Program *program;
    int *moved; /* per memory: the one that it becomes */
} Change;

static void move_accesses(Nest *nest, void *context) {
    const Change *change = context;
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]))
            nest->body.items[i].memory = change->moved[nest->body.items[i].memory];
}

static void merge(const Change *change, const Group *group, const char *name) {
    Arena *arena = change->program->arena;
    Memory *memories = change->program->memories.items;
    Memory *shared = &memories[group->lives.items[0]->memory];
    Text holds = text_new(arena);
    for (int i = 0; i < group->lives.count; i++) {
        int memory = group->lives.items[i]->memory;
        change->moved[memory] = group->lives.items[0]->memory;
        text_printf(&holds, "%s%s", i ? ", " : "", memories[memory].name);
    }
    shared->name = name;
    shared->holds = text_string(&holds);
    shared->rank = 1;
    shared->shape[0] = (int64_t)shared->elements;
    shared->partition[0] = (Partition){PARTITION_NONE, 1};
}

bool pass_share(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)diagnostics;
    Arena *scratch = arena_new();
    Lives lives = lives_of(program, scratch);
    Groups groups = groups_of(&lives, options->least_shared_bits, scratch);
    Change change = {program, NULL};
    change.moved = arena_array(scratch, (size_t)program->memories.count + 1, sizeof(int));
    NameSet *names = names_new(scratch);
    for (int m = 0; m < program->memories.count; m++) {
        change.moved[m] = m;
        names_unique(names, program->memories.items[m].name);
    }
    for (int i = 0; i < groups.count; i++)
        if (groups.items[i].lives.count > 1)
            merge(&change, &groups.items[i],
                  arena_string(program->arena, names_unique(names, "shared")));
    program_each_nest(program, move_accesses, &change);
    arena_free(scratch);
    return fold_program(program);
}
