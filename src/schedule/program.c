/* Schedules a program: every nest, the units of all, and the cycles of the whole. */
#include "schedule/modulo.h"

static void count_nest(Nest *nest, void *context) {
    (void)nest;
    ++*(int *)context;
}

typedef struct NestList {
    const Nest **items;
    int count;
} NestList;

static void collect_nest(Nest *nest, void *context) {
    NestList *list = context;
    list->items[list->count++] = nest;
}

/* Cycles of a node; nests are met in program order. What depends on data is counted once. */
static int64_t node_cycles(const Schedule *schedule, const Node *node, int *next_nest, bool *is_static) {
    int64_t cycles = 0, longest = 0;
    if (node->kind == NODE_NEST) return schedule->nests[(*next_nest)++].cycles;
    for (int i = 0; i < node->children.count; i++) {
        int64_t child = node_cycles(schedule, node->children.items[i], next_nest, is_static);
        cycles += child;
        if (child > longest) longest = child;
    }
    switch (node->kind) {
    case NODE_LOOP: return LOOP_ENTER_CYCLES + node->loop.trip * (cycles + LOOP_TURN_CYCLES);
    case NODE_IF: *is_static = false; return longest;
    case NODE_WHILE: *is_static = false; return cycles;
    default: return cycles;
    }
}

Schedule *schedule_with(const Program *program, const Target *target, int parallel,
                        DependenceFinder *find, Arena *arena, Diagnostics *diagnostics) {
    Schedule *schedule = arena_new_of(arena, Schedule);
    *schedule = (Schedule){.program = program, .target = *target, .is_static = true};
    /* The walk takes a program that may be changed; this one is not. */
    program_each_nest((Program *)program, count_nest, &schedule->nest_count);
    NestList nests = {arena_array(arena, (size_t)schedule->nest_count + 1, sizeof(Nest *)), 0};
    program_each_nest((Program *)program, collect_nest, &nests);
    schedule->nests = arena_array(arena, (size_t)schedule->nest_count + 1, sizeof(NestSchedule));
    for (int n = 0; n < schedule->nest_count; n++) {
        Dependences dependences = find(program, nests.items[n], arena);
        if (!nest_schedule(program, nests.items[n], target, parallel > 0 ? parallel : 1, &dependences,
                           arena, &schedule->nests[n])) {
            error_at(diagnostics, STATUS_INTERNAL, nests.items[n]->location,
                     "nest %s has no schedule: its dependences contradict each other",
                     nests.items[n]->name);
            return NULL;
        }
    }
    bind_units(schedule, arena);
    int next_nest = 0;
    schedule->cycles = START_CYCLES + node_cycles(schedule, program->root, &next_nest, &schedule->is_static);
#ifdef TEPAL_CHECK
    if (!schedule_check(schedule, diagnostics)) return NULL;
#endif
    return schedule;
}

Schedule *schedule_program(const Program *program, const Target *target, int parallel, Arena *arena,
                           Diagnostics *diagnostics) {
    return schedule_with(program, target, parallel, nest_dependences, arena, diagnostics);
}
