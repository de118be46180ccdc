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
#include <string.h>

#include "loop/body.h"
#include "loop/names.h"
#include "loop/transform.h"

/* A memory and when it lives. */
typedef struct Life {
    int memory;
    size_t elements;
    int first, last; /* nodes, in program order; first > last: it never does */
} Life;

/* What a nest does with a memory. */
typedef struct Use {
    int memory;
    int first, last; /* operations */
    bool loads, stores;
    bool computed; /* an address, or a part of a predicate */
    Vector(int64_t) key;
    int form; /* the same for those of the nest that have equal keys */
} Use;

/* Whether a nest that loads and stores in these forms overwrites what it needs. */
typedef struct Answer {
    int from, to; /* forms */
    bool before;  /* all loads stand before all stores, not after them */
    bool overwrites;
} Answer;

typedef struct Uses {
    Vector(Use) items; /* sorted by memory */
    Vector(Answer) answers;
} Uses;

typedef struct Lives {
    const Program *program;
    Arena *arena;
    Life *items;                /* per memory */
    Vector(const Nest *) nests; /* per node: NULL for a condition, and for what is in a loop */
    int loops;                  /* around what is visited */
    Uses *uses;                 /* per node, once they are asked for */
    int *places;                /* per memory, while the uses of a nest are found */
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
    lives.uses = arena_array(arena, (size_t)lives.nests.count + 1, sizeof(Uses));
    lives.places = arena_array(arena, (size_t)program->memories.count + 1, sizeof(int));
    return lives;
}

/* --- what a nest does with its memories --- */

static void key_form(Arena *arena, const Nest *nest, const Affine *form, Use *use) {
    vector_push(arena, &use->key, form->constant);
    for (int l = 0; l < nest->loop_count; l++) vector_push(arena, &use->key, form->coefficients[l]);
}

/* Adds an access to what the nest does with its memory. The key is all that its place and time
 * depend on. */
static void add_access(Arena *arena, const Nest *nest, int index, Use *use) {
    const Operation *access = &nest->body.items[index];
    Constraints constraints = {0};
    use->last = index;
    use->loads = use->loads || access->opcode == OP_LOAD;
    use->stores = use->stores || access->opcode == OP_STORE;
    use->computed = use->computed || access->computed ||
                    !predicate_constraints(arena, nest, access->predicate, &constraints);
    if (use->computed) return;
    key_form(arena, nest, &access->affine, use);
    vector_push(arena, &use->key, constraints.count);
    for (int i = 0; i < constraints.count; i++) {
        vector_push(arena, &use->key, constraints.items[i].equality);
        key_form(arena, nest, &constraints.items[i].form, use);
    }
}

static int compare_uses(const void *left, const void *right) {
    const Use *a = left, *b = right;
    return a->memory - b->memory;
}

static bool same_key(const Use *a, const Use *b) {
    return a->key.count == b->key.count &&
           memcmp(a->key.items, b->key.items, (size_t)a->key.count * sizeof(int64_t)) == 0;
}

static void find_uses(const Lives *lives, const Nest *nest, Uses *uses) {
    Arena *arena = lives->arena;
    Vector(int) forms = {0}; /* a use of each key */
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *access = &nest->body.items[i];
        if (!operation_is_access(access)) continue;
        int place = lives->places[access->memory];
        if (place >= uses->items.count || uses->items.items[place].memory != access->memory) {
            place = lives->places[access->memory] = uses->items.count;
            vector_push(arena, &uses->items, (Use){.memory = access->memory, .first = i});
        }
        add_access(arena, nest, i, &uses->items.items[place]);
    }
    for (int u = 0; u < uses->items.count; u++) {
        int form = 0;
        while (form < forms.count &&
               !same_key(&uses->items.items[forms.items[form]], &uses->items.items[u]))
            form++;
        if (form == forms.count) vector_push(arena, &forms, u);
        uses->items.items[u].form = form;
    }
    if (uses->items.count > 0)
        qsort(uses->items.items, (size_t)uses->items.count, sizeof(Use), compare_uses);
}

static const Use *use_of(const Uses *uses, int memory) {
    Use wanted = {.memory = memory};
    return bsearch(&wanted, uses->items.items, (size_t)uses->items.count, sizeof(Use),
                   compare_uses);
}

/* --- which ones can be together --- */

/* Marks the accesses of two memories, and what their predicates are made of. */
static void keep_accesses(const Nest *nest, int from, int to, bool *keep) {
    for (int i = nest->body.count - 1; i >= 0; i--) {
        const Operation *operation = &nest->body.items[i];
        if (operation_is_access(operation) &&
            (operation->memory == from || operation->memory == to)) {
            keep[i] = true;
            if (operation->predicate >= 0) keep[operation->predicate] = true;
        } else if (keep[i]) {
            for (int k = 0; k < operation_operands(operation); k++)
                keep[operation->operands[k]] = true;
        }
    }
}

/* True if an element is stored to before it is loaded. */
static bool stores_before_load(const Program *program, const Nest *nest, int memory,
                               Arena *scratch) {
    Dependences dependences = nest_dependences(program, nest, scratch);
    for (int i = 0; i < dependences.count; i++) {
        const Operation *from = &nest->body.items[dependences.items[i].from],
                        *to = &nest->body.items[dependences.items[i].to];
        if (from->opcode == OP_STORE && to->opcode == OP_LOAD && to->memory == memory) return true;
    }
    return false;
}

/* True if the nest stores to `to` what it loads from `from` only afterwards, both in one place. */
static bool meets(const Program *program, const Nest *nest, int from, int to) {
    Arena *scratch = arena_new();
    bool *keep = arena_array(scratch, (size_t)nest->body.count + 1, sizeof(bool));
    Nest merged = *nest;
    keep_accesses(nest, from, to, keep);
    merged.body.items =
        arena_copy(scratch, nest->body.items, (size_t)nest->body.count * sizeof(Operation));
    for (int i = 0; i < nest->body.count; i++) {
        Operation *store = &merged.body.items[i];
        if (store->opcode != OP_STORE || store->memory != to) continue;
        store->memory = from;
        store->operands[0] = -1; /* what it stores does not matter */
    }
    nest_compact(scratch, &merged, keep);
    bool found = stores_before_load(program, &merged, from, scratch);
    arena_free(scratch);
    return found;
}

/* The same, from what is known of both memories: banks that are alike have one answer. */
static bool overwrites(const Lives *lives, int node, int from, int to) {
    const Nest *nest = lives->nests.items[node];
    Uses *uses = &lives->uses[node];
    if (uses->items.count == 0) find_uses(lives, nest, uses);
    const Use *source = use_of(uses, from), *target = use_of(uses, to);
    if (source->stores || target->loads || source->computed || target->computed) return true;
    bool before = source->last < target->first, after = target->last < source->first;
    if (!before && !after) return true;
    for (int i = 0; i < uses->answers.count; i++) {
        const Answer *answer = &uses->answers.items[i];
        if (answer->from == source->form && answer->to == target->form && answer->before == before)
            return answer->overwrites;
    }
    Answer answer = {source->form, target->form, before, meets(lives->program, nest, from, to)};
    vector_push(lives->arena, &uses->answers, answer);
    return answer.overwrites;
}

static bool are_apart(const Lives *lives, const Life *a, const Life *b) {
    const Life *earlier = a->first <= b->first ? a : b, *later = earlier == a ? b : a;
    if (earlier->last < later->first) return true;
    if (earlier->last > later->first || !lives->nests.items[later->first]) return false;
    return !overwrites(lives, later->first, earlier->memory, later->memory);
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
