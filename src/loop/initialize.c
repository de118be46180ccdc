/* Pass "initialize": what is read before it is written gets zeros at the start.
 *
 * Fresh memory is zero, but hardware that runs a second time finds what the first run left. Which
 * elements a program reads first is found by walking over all iterations of the nests that access
 * the memory, with predicates that are not affine taken the careful way: a load happens, a store
 * does not. */
#include "loop/body.h"
#include "loop/transform.h"

enum { MOST_LOOPS = 64 };

static const int64_t most_steps = 40000000;

typedef struct Walk {
    const Program *program;
    Arena *scratch;
    int memory;
    bool *written;  /* per element */
    size_t missing; /* elements not written yet */
    bool early;     /* an element is read before it is written */
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

static void visit_access(Walk *walk, const Access *access, int loops, bool certain) {
    const Operation *operation = access->operation;
    if (!happens(walk, access, loops)) return;
    if (operation->computed) {
        walk->early = walk->early || (operation->opcode == OP_LOAD && walk->missing > 0);
        return;
    }
    int64_t address = evaluate(walk, &operation->affine, loops);
    /* Out of range: the other parts of the predicate keep that from happening. */
    if (address < 0 || address >= (int64_t)walk->program->memories.items[walk->memory].elements)
        return;
    bool *written = &walk->written[address];
    if (operation->opcode == OP_LOAD) {
        walk->early = walk->early || !*written;
    } else if (certain && access->certain && !*written) {
        *written = true;
        walk->missing--;
    }
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

static void walk_nest(Walk *walk, const Nest *nest, bool certain) {
    Accesses list = accesses_of(walk, nest);
    if (list.count == 0) return;
    walk->steps += nest_trip_count(nest) * list.count;
    if (walk->steps > most_steps || nest->loop_count > MOST_LOOPS) walk->early = true;
    for (int i = nest->outer; i < nest->loop_count && !walk->early; i++) walk->index[i] = 0;
    while (!walk->early) {
        for (int i = 0; i < list.count; i++)
            visit_access(walk, &list.items[i], nest->loop_count, certain);
        int loop = nest->loop_count - 1;
        while (loop >= nest->outer && ++walk->index[loop] == nest->loops[loop].trip)
            walk->index[loop--] = 0;
        if (loop < nest->outer) return;
    }
}

static void walk_node(Walk *walk, const Node *node, int level, bool certain) {
    if (walk->early || walk->missing == 0) return;
    if (node->kind == NODE_NEST) {
        walk_nest(walk, node->nest, certain);
        return;
    }
    if (level >= MOST_LOOPS) {
        walk->early = true;
        return;
    }
    if (node->condition == walk->memory) walk->early = walk->missing > 0;
    bool loop = node->kind == NODE_LOOP;
    /* A branch may not be taken: its stores do not count. */
    certain = certain && (loop || node->kind == NODE_SEQUENCE);
    for (int64_t i = 0; i < (loop ? node->loop.trip : 1) && !walk->early; i++) {
        if (loop) walk->index[level] = i;
        for (int k = 0; k < node->children.count; k++)
            walk_node(walk, node->children.items[k], level + loop, certain);
    }
}

static bool is_read_early(const Program *program, int memory) {
    Arena *scratch = arena_new();
    size_t elements = program->memories.items[memory].elements;
    Walk walk = {.program = program, .scratch = scratch, .memory = memory, .missing = elements};
    walk.written = arena_array(scratch, elements + 1, sizeof(bool));
    walk_node(&walk, program->root, 0, true);
    arena_free(scratch);
    return walk.early;
}

/* for i { memory[i] = 0 } */
static Node *fill_node(Program *program, int memory) {
    Arena *arena = program->arena;
    const Memory *target = &program->memories.items[memory];
    Nest *nest = arena_new_of(arena, Nest);
    nest->name = unique_nest_name(program, string_format(arena, "zero_%s", target->name));
    nest->location = target->name;
    nest->loop_count = target->rank;
    nest->loops = arena_array(arena, (size_t)target->rank, sizeof(Loop));
    Affine form = affine_new(arena, target->rank, 0);
    int64_t weight = 1;
    for (int i = target->rank - 1; i >= 0; i--) {
        const char *name = string_format(arena, "%c", "ijklmnopqrstuvwx"[i]);
        nest->loops[i] = (Loop){name, target->shape[i], 1};
        form.coefficients[i] = weight;
        weight *= target->shape[i];
    }
    int zero = append_constant(arena, nest, target->type, 0);
    Operation store = operation_new(OP_STORE, target->type);
    store.memory = memory;
    store.operands[0] = zero;
    store.affine = form;
    nest_append(arena, nest, store);
    Node *node = node_new(arena, NODE_NEST);
    node->nest = nest;
    return node;
}

bool pass_initialize(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    Node *first = node_new(program->arena, NODE_SEQUENCE), *root = program->root;
    for (int i = program->input_count; i < program->memories.count; i++) {
        if (program->memories.items[i].kind == MEMORY_CONSTANT || !is_read_early(program, i))
            continue;
        vector_push(program->arena, &first->children, fill_node(program, i));
    }
    if (first->children.count == 0) return true;
    for (int i = 0; i < root->children.count; i++)
        vector_push(program->arena, &first->children, root->children.items[i]);
    program->root = first;
    return true;
}
