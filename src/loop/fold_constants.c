/* Pass "fold_constants": what is known at compile time is computed, what is equal is computed once,
 * and what nobody needs goes away: operations, stores to memories that nobody reads, nests,
 * memories, loops of one iteration. */
#include <string.h>

#include "loop/body.h"
#include "loop/fold.h"
#include "loop/transform.h"

/* --- equal operations --- */

static uint64_t hash_of(const Operation *operation, int loops) {
    uint64_t hash = hash_bytes(HASH_SEED, operation->operands, sizeof operation->operands);
    int numbers[] = {(int)operation->opcode, operation->type.width, operation->predicate,
                     operation->condition, operation->memory};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_bytes(hash, &operation->bits, sizeof operation->bits);
    bool form =
        operation->opcode == OP_INDEX || (operation_is_access(operation) && !operation->computed);
    if (!form) return hash;
    hash = hash_bytes(hash, &operation->affine.constant, sizeof(int64_t));
    return hash_bytes(hash, operation->affine.coefficients, (size_t)loops * sizeof(int64_t));
}

/* The operations of a body that is being made, by their hash, and its stores, by their memory: the
 * last ones come first. */
typedef struct Known {
    uint64_t *hashes; /* per operation */
    int *next;        /* per operation: an earlier one in its list, -1 after the first */
    int *next_store;  /* the same for stores */
    int *heads, *store_heads;
    int count; /* of the lists: a power of two */
} Known;

static Known known_new(Arena *arena, size_t room) {
    Known known = {.count = 64};
    while ((size_t)known.count < room) known.count *= 2;
    known.hashes = arena_array(arena, room, sizeof(uint64_t));
    known.next = arena_array(arena, room, sizeof(int));
    known.next_store = arena_array(arena, room, sizeof(int));
    known.heads = arena_array(arena, (size_t)known.count, sizeof(int));
    known.store_heads = arena_array(arena, (size_t)known.count, sizeof(int));
    for (int i = 0; i < known.count; i++) known.heads[i] = known.store_heads[i] = -1;
    return known;
}

static int *list_of(const Known *known, int index) {
    return &known->heads[known->hashes[index] & (uint64_t)(known->count - 1)];
}

static int *stores_to(const Known *known, int memory) {
    return &known->store_heads[memory & (known->count - 1)];
}

static void add_known(const Known *known, const Nest *nest, int index) {
    const Operation *operation = &nest->body.items[index];
    int *list = list_of(known, index);
    known->next[index] = *list;
    *list = index;
    if (operation->opcode != OP_STORE) return;
    list = stores_to(known, operation->memory);
    known->next_store[index] = *list;
    *list = index;
}

/* The last store to the memory so far, -1 if there is none. */
static int last_store(const Known *known, const Nest *nest, int memory) {
    int store = *stores_to(known, memory);
    while (store >= 0 && nest->body.items[store].memory != memory) store = known->next_store[store];
    return store;
}

/* An earlier operation with the same value, -1 if there is none. A load counts until its memory is
 * stored to. */
static int find_equal(const Known *known, const Nest *nest, int index) {
    const Operation *operation = &nest->body.items[index];
    if (!operation_is_pure(operation)) return -1;
    int first = operation->opcode == OP_LOAD ? last_store(known, nest, operation->memory) : -1;
    for (int i = *list_of(known, index); i > first; i = known->next[i])
        if (known->hashes[i] == known->hashes[index] &&
            operation_equal(&nest->body.items[i], operation, nest->loop_count))
            return i;
    return -1;
}

/* The data of a store to the same place that the load sees for certain, -1 if there is none. */
static int find_stored(const Known *known, const Nest *nest, int index) {
    const Operation *load = &nest->body.items[index];
    if (load->opcode != OP_LOAD) return -1;
    int last = last_store(known, nest, load->memory);
    if (last < 0) return -1;
    const Operation *store = &nest->body.items[last];
    /* A load whose predicate is false gives 0, not what was stored. */
    if (store->predicate != load->predicate || store->computed != load->computed) return -1;
    bool place = load->computed ? store->operands[1] == load->operands[0]
                                : affine_equal(&store->affine, &load->affine, nest->loop_count);
    return place && load->predicate < 0 ? store->operands[0] : -1;
}

/* One pass over the body: operands and predicates are replaced by what their values became. */
static void simplify_body(Arena *arena, Nest *nest) {
    Nest old = *nest;
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    Arena *scratch = arena_new();
    int *moved = arena_array(scratch, (size_t)old.body.count + 1, sizeof *moved);
    Known known = known_new(scratch, 4 * (size_t)old.body.count + 16);
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        int first = nest->body.count;
        int value = fold_operation(arena, nest, operation);
        for (int k = first; k < nest->body.count; k++)
            known.hashes[k] = hash_of(&nest->body.items[k], nest->loop_count);
        if (value >= first) {
            int stored = find_stored(&known, nest, value);
            int equal = stored >= 0 ? stored : find_equal(&known, nest, value);
            if (equal >= 0) {
                nest->body.count = value; /* the new one is not needed */
                value = equal;
            }
        }
        for (int k = first; k < nest->body.count; k++) add_known(&known, nest, k);
        moved[i] = value;
    }
    arena_free(scratch);
    nest_remove_dead(arena, nest);
}

typedef struct Context {
    Program *program;
    bool *read; /* memories */
    bool changed;
} Context;

void nest_simplify(Arena *arena, Nest *nest) {
    simplify_body(arena, nest);
}

static void simplify_nest(Nest *nest, void *context) {
    Context *fold = context;
    /* A second round sees what the first one made equal. */
    simplify_body(fold->program->arena, nest);
    simplify_body(fold->program->arena, nest);
}

/* --- memories --- */

static void note_reads(Nest *nest, void *context) {
    Context *fold = context;
    for (int i = 0; i < nest->body.count; i++)
        if (nest->body.items[i].opcode == OP_LOAD) fold->read[nest->body.items[i].memory] = true;
}

static void drop_unread_stores(Nest *nest, void *context) {
    Context *fold = context;
    bool *keep = arena_array(fold->program->arena, (size_t)nest->body.count + 1, sizeof *keep);
    bool dropped = false;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        keep[i] = operation->opcode != OP_STORE || fold->read[operation->memory];
        dropped = dropped || !keep[i];
    }
    if (!dropped) return;
    nest_compact(fold->program->arena, nest, keep);
    nest_remove_dead(fold->program->arena, nest);
    fold->changed = true;
}

static void note_conditions(const Node *node, Context *fold) {
    if (node->condition >= 0) fold->read[node->condition] = true;
    for (int i = 0; i < node->children.count; i++) note_conditions(node->children.items[i], fold);
}

static void find_reads(Context *fold) {
    Program *program = fold->program;
    for (int i = 0; i < program->memories.count; i++)
        fold->read[i] =
            i < program->input_count + program->output_count || program->memories.items[i].is_bank;
    program_each_nest(program, note_reads, fold);
    note_conditions(program->root, fold);
}

/* --- renumbering of memories --- */

typedef struct Renumbering {
    const int *moved;
} Renumbering;

static void renumber_nest(Nest *nest, void *context) {
    const Renumbering *renumbering = context;
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]))
            nest->body.items[i].memory = renumbering->moved[nest->body.items[i].memory];
}

static void renumber_conditions(Node *node, const Renumbering *renumbering) {
    if (node->condition >= 0) node->condition = renumbering->moved[node->condition];
    for (int i = 0; i < node->children.count; i++)
        renumber_conditions(node->children.items[i], renumbering);
}

static void drop_memories(Context *fold) {
    Program *program = fold->program;
    int *moved = arena_array(program->arena, (size_t)program->memories.count + 1, sizeof *moved);
    int count = 0;
    for (int i = 0; i < program->memories.count; i++) {
        if (!fold->read[i]) continue;
        moved[i] = count;
        program->memories.items[count++] = program->memories.items[i];
    }
    program->memories.count = count;
    Renumbering renumbering = {moved};
    program_each_nest(program, renumber_nest, &renumbering);
    renumber_conditions(program->root, &renumbering);
}

/* --- the tree --- */

static bool is_empty(const Node *node) {
    if (node->kind == NODE_NEST) return node->nest->body.count == 0;
    if (node->kind == NODE_WHILE) return false;
    for (int i = 0; i < node->children.count; i++)
        if (!is_empty(node->children.items[i])) return false;
    return true;
}

/* Forms may share their coefficients, so they are made anew. */
static void drop_loop(Arena *arena, Nest *nest, int level) {
    for (int i = 0; i < nest->body.count; i++) {
        Affine *form = &nest->body.items[i].affine;
        if (!form->coefficients) continue;
        Affine shorter = affine_new(arena, nest->loop_count - 1, form->constant);
        for (int k = 0; k + 1 < nest->loop_count; k++)
            shorter.coefficients[k] = form->coefficients[k + (k >= level)];
        *form = shorter;
    }
    for (int k = level; k + 1 < nest->loop_count; k++) nest->loops[k] = nest->loops[k + 1];
    nest->loop_count--;
    if (level < nest->outer) nest->outer--;
}

static void drop_level(Arena *arena, Node *node, int level) {
    if (node->nest) drop_loop(arena, node->nest, level);
    for (int i = 0; i < node->children.count; i++)
        drop_level(arena, node->children.items[i], level);
}

static void drop_own_loops(Arena *arena, Nest *nest) {
    for (int i = nest->loop_count - 1; i >= nest->outer; i--)
        if (nest->loops[i].trip == 1) drop_loop(arena, nest, i);
}

/* Removes empty nodes and loops of one iteration; sequences in sequences are spliced. */
static void tidy(Arena *arena, Node *node, int level) {
    if (node->nest) drop_own_loops(arena, node->nest);
    bool loop = node->kind == NODE_LOOP;
    for (int i = 0; i < node->children.count; i++)
        tidy(arena, node->children.items[i], level + loop);
    if (loop && node->loop.trip == 1) {
        for (int i = 0; i < node->children.count; i++)
            drop_level(arena, node->children.items[i], level);
        node->kind = NODE_SEQUENCE;
    }
    if (node->kind != NODE_SEQUENCE && node->kind != NODE_LOOP) return;
    Node list = {0};
    for (int i = 0; i < node->children.count; i++) {
        Node *child = node->children.items[i];
        if (is_empty(child)) continue;
        if (child->kind != NODE_SEQUENCE) {
            vector_push(arena, &list.children, child);
            continue;
        }
        for (int k = 0; k < child->children.count; k++)
            vector_push(arena, &list.children, child->children.items[k]);
    }
    node->children.items = list.children.items;
    node->children.count = list.children.count;
    node->children.capacity = list.children.capacity;
}

bool fold_program(Program *program) {
    Context fold = {.program = program};
    fold.read = arena_array(program->arena, (size_t)program->memories.count + 1, sizeof(bool));
    tidy(program->arena, program->root, 0);
    program_each_nest(program, simplify_nest, &fold);
    do {
        fold.changed = false;
        find_reads(&fold);
        program_each_nest(program, drop_unread_stores, &fold);
    } while (fold.changed);
    tidy(program->arena, program->root, 0);
    drop_memories(&fold);
    return true;
}

bool pass_fold_constants(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    return fold_program(program);
}
