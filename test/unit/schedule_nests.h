/* Nests for the tests of the scheduler, made by hand, with dependences made by hand. */
#ifndef TEPAL_TEST_SCHEDULE_NESTS_H
#define TEPAL_TEST_SCHEDULE_NESTS_H

/* The scheduler has a Unit of its own. */
#define Unit TestState
#include "unit.h"
#undef Unit

#include "schedule/modulo.h"

/* What a test builds: a program of nests one after the other. */
typedef struct Bench {
    Arena *arena;
    Diagnostics *diagnostics;
    Program *program;
    Nest *nest; /* the one that is being built */
} Bench;

/* Dependences per nest, in the order in which nests were begun. */
enum { MOST_NESTS = 32, MOST_DEPENDENCES = 4096 };
static Dependence bench_items[MOST_NESTS][MOST_DEPENDENCES];
static Dependences bench_dependences[MOST_NESTS];
static const Nest *bench_nests[MOST_NESTS];
static int bench_nest_count;

static inline Bench bench_new(void **state) {
    struct TestState *test = *state;
    Program *program = arena_new_of(test->arena, Program);
    program->arena = test->arena;
    program->name = "program";
    program->root = node_new(test->arena, NODE_SEQUENCE);
    bench_nest_count = 0;
    return (Bench){test->arena, test->diagnostics, program, NULL};
}

static inline void bench_nest(Bench *bench, const char *name, int64_t trip) {
    bench->nest = arena_new_of(bench->arena, Nest);
    bench->nest->name = name;
    bench->nest->loop_count = 1;
    bench->nest->loops = arena_new_of(bench->arena, Loop);
    bench->nest->loops[0] = (Loop){"i", trip, 1};
    Node *node = node_new(bench->arena, NODE_NEST);
    node->nest = bench->nest;
    vector_push(bench->arena, &bench->program->root->children, node);
    bench_nests[bench_nest_count] = bench->nest;
    bench_dependences[bench_nest_count] = (Dependences){0, bench_items[bench_nest_count]};
    bench_nest_count++;
}

static inline int bench_memory(Bench *bench, const char *name, Scalar type, int64_t elements) {
    vector_push(bench->arena, &bench->program->memories,
                (Memory){.name = name,
                         .kind = MEMORY_LOCAL,
                         .type = type,
                         .rank = 1,
                         .shape = {elements},
                         .partition = {{PARTITION_NONE, 1}},
                         .elements = (size_t)elements});
    return bench->program->memories.count - 1;
}

static inline Affine bench_affine(Bench *bench, int64_t constant, int64_t step) {
    Affine affine = {constant, arena_new_of(bench->arena, int64_t)};
    affine.coefficients[0] = step;
    return affine;
}

static inline int bench_load(Bench *bench, int memory, int64_t constant, int64_t step) {
    Operation op = operation_new(OP_LOAD, bench->program->memories.items[memory].type);
    op.memory = memory;
    op.affine = bench_affine(bench, constant, step);
    return nest_append(bench->arena, bench->nest, op);
}

static inline int bench_store(Bench *bench, int memory, int value, int64_t constant, int64_t step) {
    Operation op = operation_new(OP_STORE, bench->program->memories.items[memory].type);
    op.memory = memory;
    op.operands[0] = value;
    op.affine = bench_affine(bench, constant, step);
    return nest_append(bench->arena, bench->nest, op);
}

static inline int bench_op(Bench *bench, Opcode opcode, int left, int right) {
    Operation op = operation_new(opcode, bench->nest->body.items[left].type);
    op.operands[0] = left;
    op.operands[1] = right;
    return nest_append(bench->arena, bench->nest, op);
}

static inline int bench_constant(Bench *bench, Scalar type, Bits bits) {
    Operation op = operation_new(OP_CONSTANT, type);
    op.bits = bits;
    return nest_append(bench->arena, bench->nest, op);
}

static inline void bench_depends(int from, int to, int64_t distance) {
    Dependences *list = &bench_dependences[bench_nest_count - 1];
    list->items[list->count++] = (Dependence){from, to, distance};
}

static inline Dependences bench_find(const Program *program, const Nest *nest, Arena *arena) {
    (void)program;
    (void)arena;
    for (int n = 0; n < bench_nest_count; n++)
        if (bench_nests[n] == nest) return bench_dependences[n];
    return (Dependences){0, NULL};
}

/* Schedules, checks, and fails the test with the messages if that goes wrong. */
static inline Schedule *bench_schedule(Bench *bench, double clock, int parallel) {
    Target target = {"ecp5-85k", 1000 / clock};
    Schedule *schedule = schedule_with(bench->program, &target, parallel, bench_find, bench->arena,
                                       bench->diagnostics);
    bool correct = schedule && schedule_check(schedule, bench->diagnostics);
    if (!correct) {
        diagnostics_print(bench->diagnostics, stderr);
        fail();
    }
    return schedule;
}

#endif
