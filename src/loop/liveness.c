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

static void visit_access(Walk *walk, const Nest *nest, const Access *access) {
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
    else if (access->certain)
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

static void walk_nest(Walk *walk, const Nest *nest) {
    Accesses list = accesses_of(walk, nest);
    if (list.count == 0) return;
    walk->steps += nest_trip_count(nest) * list.count;
    if (walk->steps > most_steps || nest->loop_count > MOST_LOOPS) walk->read = true;
    for (int i = nest->outer; i < nest->loop_count && !walk->read; i++) walk->index[i] = 0;
    while (!walk->read) {
        for (int i = 0; i < list.count; i++) visit_access(walk, nest, &list.items[i]);
        int loop = nest->loop_count - 1;
        while (loop >= nest->outer && ++walk->index[loop] == nest->loops[loop].trip)
            walk->index[loop--] = 0;
        if (loop < nest->outer) break;
    }
    walk->started = walk->started || nest == walk->writer;
}

static void walk_node(Walk *walk, const Node *node, int level);

static void look_at_condition(Walk *walk, const Node *node) {
    if (node->condition == walk->memory) walk->read = walk->read || walk->marks > 0;
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

/* A copy of what is marked now; NULL if that takes too long. */
static bool *copy_marks(Walk *walk) {
    size_t elements = walk->program->memories.items[walk->memory].elements;
    walk->steps += (int64_t)elements;
    if (walk->steps > most_steps) walk->read = true;
    if (walk->read) return NULL;
    bool *copy = arena_array(walk->scratch, elements, sizeof(bool));
    memcpy(copy, walk->marked, elements * sizeof(bool));
    return copy;
}

/* Two ways lead here: what is marked on either of them is. */
static void join_marks(Walk *walk, const bool *other) {
    size_t elements = walk->program->memories.items[walk->memory].elements;
    for (size_t i = 0; i < elements; i++)
        if (other[i]) mark(walk, i, true);
}

/* The second turn reads what the first one wrote; any more do what the second one does. */
static void walk_while(Walk *walk, const Node *node, int level) {
    if (!touches(walk, node)) return;
    walk_node(walk, node->children.items[0], level);
    look_at_condition(walk, node);
    const bool *without = copy_marks(walk);
    if (!without) return;
    for (int turn = 0; turn < 2; turn++) {
        walk_node(walk, node->children.items[1], level);
        walk_node(walk, node->children.items[0], level);
        look_at_condition(walk, node);
    }
    join_marks(walk, without);
}

/* One of the branches is taken: what either leaves is there afterwards. */
static void walk_if(Walk *walk, const Node *node, int level) {
    look_at_condition(walk, node);
    if (!touches(walk, node)) return;
    const bool *before = copy_marks(walk);
    if (!before) return;
    walk_node(walk, node->children.items[0], level);
    const bool *after = copy_marks(walk);
    if (!after) return;
    size_t elements = walk->program->memories.items[walk->memory].elements;
    for (size_t i = 0; i < elements; i++) mark(walk, i, before[i]);
    walk_node(walk, node->children.items[1], level);
    join_marks(walk, after);
}

static void walk_node(Walk *walk, const Node *node, int level) {
    if (is_over(walk, level)) return;
    if (node->kind == NODE_NEST) {
        walk_nest(walk, node->nest);
        return;
    }
    if (level >= MOST_LOOPS) {
        walk->read = true;
        return;
    }
    if (node->kind == NODE_WHILE) {
        walk_while(walk, node, level);
        return;
    }
    if (node->kind == NODE_IF) {
        walk_if(walk, node, level);
        return;
    }
    bool loop = node->kind == NODE_LOOP;
    for (int64_t i = 0; i < (loop ? node->loop.trip : 1) && !walk->read; i++) {
        if (loop) walk->index[level] = i;
        for (int k = 0; k < node->children.count; k++)
            walk_node(walk, node->children.items[k], level + loop);
    }
}

bool is_value_read(const Program *program, int memory, const Nest *writer) {
    Arena *scratch = arena_new();
    const Memory *target = &program->memories.items[memory];
    Walk walk = {.program = program, .scratch = scratch, .memory = memory, .writer = writer};
    walk.marked = arena_array(scratch, target->elements + 1, sizeof(bool));
    walk.started = writer == NULL;
    for (size_t i = 0; i < target->elements && !writer; i++) mark(&walk, i, true);
    walk_node(&walk, program->root, 0);
    bool read = walk.read || (target->kind == MEMORY_OUTPUT && walk.marks > 0);
    arena_free(scratch);
    return read;
}
