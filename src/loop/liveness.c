/* Which values a program reads, element by element: by walking over all iterations of the nests
 * that access a memory. Predicates that are not affine are taken the careful way: a load happens, a
 * store does not overwrite. */
#include "loop/liveness.h"

#include <string.h>

#include "loop/body.h"

enum { MOST_LOOPS = 64 };

static const int64_t most_steps = 40000000;

typedef struct Walk {
    const Program *program;
    Arena *scratch;
    int memory;
    const Nest *writer; /* whose values are followed; NULL: what is there at the start */
    bool *marked;       /* elements that hold such a value */
    size_t marks;
    bool started; /* the writer was met */
    bool read;    /* such a value is read, or it may be */
    int64_t steps;
    int64_t index[MOST_LOOPS];
} Walk;

/* An access of the memory with its affine predicate. */
typedef struct Access {
    const Operation *operation;
    Constraints domain;
    bool certain; /* the predicate has no other parts */
} Access;

typedef Vector(Access) Accesses;

static int64_t evaluate(const Walk *walk, const Affine *form, int loops) {
    int64_t value = form->constant;
    for (int i = 0; i < loops; i++) value += form->coefficients[i] * walk->index[i];
    return value;
}

static bool happens(const Walk *walk, const Access *access, int loops) {
    for (int i = 0; i < access->domain.count; i++) {
        int64_t value = evaluate(walk, &access->domain.items[i].form, loops);
        if (value < 0 || (access->domain.items[i].equality && value != 0)) return false;
    }
    return true;
}

static void mark(Walk *walk, size_t element, bool marked) {
    if (walk->marked[element] == marked) return;
    walk->marked[element] = marked;
    if (marked)
        walk->marks++;
    else
        walk->marks--;
}

static void visit_access(Walk *walk, const Nest *nest, const Access *access, bool certain) {
    const Operation *operation = access->operation;
    bool load = operation->opcode == OP_LOAD, own = nest == walk->writer;
    if (!happens(walk, access, nest->loop_count)) return;
    if (operation->computed) {
        walk->read = walk->read || (load ? walk->marks > 0 : own);
        return;
    }
    int64_t address = evaluate(walk, &operation->affine, nest->loop_count);
    /* Out of range: the other parts of the predicate keep that from happening. */
    if (address < 0 || address >= (int64_t)walk->program->memories.items[walk->memory].elements)
        return;
    if (load)
        walk->read = walk->read || walk->marked[address];
    else if (own)
        mark(walk, (size_t)address, true);
    else if (certain && access->certain)
        mark(walk, (size_t)address, false);
}

static Accesses accesses_of(const Walk *walk, const Nest *nest) {
    Accesses list = {0};
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (!operation_is_access(operation) || operation->memory != walk->memory) continue;
        Access access = {.operation = operation};
        access.certain =
            predicate_constraints(walk->scratch, nest, operation->predicate, &access.domain);
        vector_push(walk->scratch, &list, access);
    }
    return list;
}

/* Nothing is left to be found: nothing marked, and nothing will be. */
static bool is_over(const Walk *walk, int level) {
    return walk->read || (walk->marks == 0 && walk->started && level == 0);
}

static void walk_nest(Walk *walk, const Nest *nest, bool certain) {
    Accesses list = accesses_of(walk, nest);
    if (list.count == 0) return;
    walk->steps += nest_trip_count(nest) * list.count;
    if (walk->steps > most_steps || nest->loop_count > MOST_LOOPS) walk->read = true;
    for (int i = nest->outer; i < nest->loop_count && !walk->read; i++) walk->index[i] = 0;
    while (!walk->read) {
        for (int i = 0; i < list.count; i++) visit_access(walk, nest, &list.items[i], certain);
        int loop = nest->loop_count - 1;
        while (loop >= nest->outer && ++walk->index[loop] == nest->loops[loop].trip)
            walk->index[loop--] = 0;
        if (loop < nest->outer) break;
    }
    walk->started = walk->started || nest == walk->writer;
}

static void walk_node(Walk *walk, const Node *node, int level, bool certain);

static void look_at_condition(Walk *walk, const Node *node) {
    if (node->condition == walk->memory) walk->read = walk->read || walk->marks > 0;
}

/* Only the first test is certain; a second turn reads what the first one wrote. */
static void walk_while(Walk *walk, const Node *node, int level, bool certain) {
    for (int turn = 0; turn < 2; turn++) {
        walk_node(walk, node->children.items[0], level, certain && turn == 0);
        look_at_condition(walk, node);
        walk_node(walk, node->children.items[1], level, false);
    }
}

/* True if something inside accesses the memory. */
static bool touches(const Walk *walk, const Node *node) {
    if (node->nest && accesses_of(walk, node->nest).count > 0) return true;
    bool tests = node->kind == NODE_IF || node->kind == NODE_WHILE;
    if (tests && node->condition == walk->memory) return true;
    for (int i = 0; i < node->children.count; i++)
        if (touches(walk, node->children.items[i])) return true;
    return false;
}

/* One of the branches is taken: what either leaves is there afterwards. */
static void walk_if(Walk *walk, const Node *node, int level, bool certain) {
    size_t elements = walk->program->memories.items[walk->memory].elements;
    look_at_condition(walk, node);
    if (!touches(walk, node)) return;
    walk->steps += (int64_t)elements;
    if (walk->steps > most_steps) walk->read = true;
    if (walk->read) return;
    bool *before = arena_array(walk->scratch, elements, sizeof(bool));
    bool *after = arena_array(walk->scratch, elements, sizeof(bool));
    memcpy(before, walk->marked, elements * sizeof(bool));
    walk_node(walk, node->children.items[0], level, certain);
    memcpy(after, walk->marked, elements * sizeof(bool));
    for (size_t i = 0; i < elements; i++) mark(walk, i, before[i]);
    walk_node(walk, node->children.items[1], level, certain);
    for (size_t i = 0; i < elements; i++)
        if (after[i]) mark(walk, i, true);
}

static void walk_node(Walk *walk, const Node *node, int level, bool certain) {
    if (is_over(walk, level)) return;
    if (node->kind == NODE_NEST) {
        walk_nest(walk, node->nest, certain);
        return;
    }
    if (level >= MOST_LOOPS) {
        walk->read = true;
        return;
    }
    if (node->kind == NODE_WHILE) {
        walk_while(walk, node, level, certain);
        return;
    }
    if (node->kind == NODE_IF) {
        walk_if(walk, node, level, certain);
        return;
    }
    bool loop = node->kind == NODE_LOOP;
    for (int64_t i = 0; i < (loop ? node->loop.trip : 1) && !walk->read; i++) {
        if (loop) walk->index[level] = i;
        for (int k = 0; k < node->children.count; k++)
            walk_node(walk, node->children.items[k], level + loop, certain);
    }
}

bool is_value_read(const Program *program, int memory, const Nest *writer) {
    Arena *scratch = arena_new();
    const Memory *target = &program->memories.items[memory];
    Walk walk = {.program = program, .scratch = scratch, .memory = memory, .writer = writer};
    walk.marked = arena_array(scratch, target->elements + 1, sizeof(bool));
    walk.started = writer == NULL;
    for (size_t i = 0; i < target->elements && !writer; i++) mark(&walk, i, true);
    walk_node(&walk, program->root, 0, true);
    bool read = walk.read || (target->kind == MEMORY_OUTPUT && walk.marks > 0);
    arena_free(scratch);
    return read;
}
