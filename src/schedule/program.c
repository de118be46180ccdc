/* Schedules a program: every nest, the units of all, and the cycles of the whole.
 *
 * It is done twice: how long the choice between the operands of a shared unit takes is known only
 * when the units are bound, and what a nest may give for fewer units only when all cycles are. */
#include "schedule/modulo.h"

#include "schedule/target.h"

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
static int64_t node_cycles(const Schedule *schedule, const Node *node, int *next_nest,
                           bool *is_static) {
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

/* What both times share. */
typedef struct Job {
    const Program *program;
    const Target *target;
    int parallel;
    NestList nests;
    Dependences *dependences; /* per nest */
    Arena *arena;
    Diagnostics *diagnostics;
} Job;

static Schedule *schedule_once(const Job *job, const Schedule *bound) {
    Schedule *schedule = arena_new_of(job->arena, Schedule);
    *schedule = (Schedule){
        .program = job->program,
        .target = *job->target,
        .is_static = true,
        .nest_count = job->nests.count,
        .nests = arena_array(job->arena, (size_t)job->nests.count + 1, sizeof(NestSchedule))};
    for (int n = 0; n < schedule->nest_count; n++) {
        const Nest *nest = job->nests.items[n];
        if (nest_schedule(schedule, nest, job->parallel, &job->dependences[n], bound, job->arena,
                          &schedule->nests[n]))
            continue;
        error_at(job->diagnostics, STATUS_INTERNAL, nest->location,
                 "nest %s has no schedule: its dependences contradict each other", nest->name);
        return NULL;
    }
    bind_units(schedule, job->arena);
    int next_nest = 0;
    schedule->cycles =
        START_CYCLES + node_cycles(schedule, job->program->root, &next_nest, &schedule->is_static);
    return schedule;
}

/* The clock period that the units' inputs need, with the multiplexers that they turned out to have,
 * in place of those that they were chosen for (`bound`). Not less than the target's. */
static double needed_period(const Schedule *schedule, const Schedule *bound) {
    double most = 0, budget = target_budget(&schedule->target);
    for (int u = 0; u < schedule->unit_count; u++) {
        const UnitCount *units = &schedule->units[u];
        double delay = units->unit.input_delay -
                       unit_sharing_delay(&schedule->target, bound_sources(bound, &units->unit)) +
                       unit_sharing_delay(&schedule->target, units->sources);
        if (delay > most) most = delay;
    }
    return most > budget ? schedule->target.period * most / budget : schedule->target.period;
}

/* More latency can cost cycles where a recurrence is short: what counts is time. A little of it is
 * given for fewer units. */
static bool is_better(const Schedule *second, const Schedule *first) {
    const double allowed = 1.02;
    return (double)second->cycles * needed_period(second, first) <
           (double)first->cycles * needed_period(first, NULL) * allowed;
}

Schedule *schedule_with(const Program *program, const Target *target, int parallel,
                        DependenceFinder *find, Arena *arena, Diagnostics *diagnostics) {
    int count = 0;
    /* The walk takes a program that may be changed; this one is not. */
    program_each_nest((Program *)program, count_nest, &count);
    Job job = {.program = program,
               .target = target,
               .parallel = parallel > 0 ? parallel : 1,
               .nests = {arena_array(arena, (size_t)count + 1, sizeof(Nest *)), 0},
               .dependences = arena_array(arena, (size_t)count + 1, sizeof(Dependences)),
               .arena = arena,
               .diagnostics = diagnostics};
    program_each_nest((Program *)program, collect_nest, &job.nests);
    for (int n = 0; n < count; n++) job.dependences[n] = find(program, job.nests.items[n], arena);

    Schedule *schedule = schedule_once(&job, NULL), *second = NULL;
    if (schedule && schedule->unit_count > 0) second = schedule_once(&job, schedule);
    if (second && is_better(second, schedule)) schedule = second;
#ifdef TEPAL_CHECK
    if (schedule && !schedule_check(schedule, diagnostics)) return NULL;
#endif
    return schedule;
}

Schedule *schedule_program(const Program *program, const Target *target, int parallel, Arena *arena,
                           Diagnostics *diagnostics) {
    return schedule_with(program, target, parallel, nest_dependences, arena, diagnostics);
}
