/* Schedules one nest: the least II, then the least depth, then few units, then few register bits. */
#include "schedule/modulo.h"

#include <string.h>

/* A schedule of fewer units may take this share of the nest's cycles more. */
enum { CYCLES_PER_EXTRA = 64 };

static int64_t cycles_of(int64_t trip, int interval, int depth) {
    int64_t stages = (depth + interval - 1) / interval;
    return 1 + (trip + stages - 1) * interval;
}

/* A schedule at exactly this II. */
static bool schedule_at(const Problem *problem, int interval, int *start) {
    int depth_limit = 1 << 28; /* of no schedule yet: any is better */
    bool found = modulo_schedule(problem, interval, start);
    if (found) depth_limit = schedule_depth(problem, start);
    return exact_schedule(problem, interval, depth_limit, start) || found;
}

/* The first II, from the least that resources and recurrences allow, that works; -1 if none does. */
static int schedule_least(const Problem *problem, int *start) {
    int recurrence = recurrence_interval(problem), resource = resource_interval(problem);
    if (recurrence < 0) return -1;
    int least = recurrence > resource ? recurrence : resource, most = least + 1;
    for (int i = 0; i < problem->count; i++) most += problem->span[i] + problem->busy[i];
    for (int interval = least; interval <= most; interval++)
        if (schedule_at(problem, interval, start)) return interval;
    return -1;
}

/* Tries to do the same with fewer units. */
static void save_units(Problem *problem, int64_t trip, int interval, int *start) {
    static const Pools choices[] = {{true, true}, {false, true}};
    int64_t cycles = cycles_of(trip, interval, schedule_depth(problem, start));
    int *other = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        problem_resources(problem, choices[k], interval);
        if (resource_interval(problem) > interval || !schedule_at(problem, interval, other)) continue;
        int64_t taken = cycles_of(trip, interval, schedule_depth(problem, other));
        if (taken - cycles > cycles / CYCLES_PER_EXTRA) continue;
        memcpy(start, other, (size_t)problem->count * sizeof *start);
        return;
    }
    problem_resources(problem, (Pools){false, false}, interval);
}

static void fill_slots(const Problem *problem, const int *start, NestSchedule *schedule) {
    schedule->slots = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(Slot));
    for (int i = 0; i < problem->count; i++)
        schedule->slots[i] = (Slot){.start = start[i],
                                    .ready = start[i] + problem->latency[i],
                                    .instance = -1,
                                    .unit = problem->unit_of[i],
                                    .role = problem->roles[i]};
    schedule->unit_count = problem->units.count;
    schedule->units = problem->units.items;
}

bool nest_schedule(const Program *program, const Nest *nest, const Target *target, int parallel,
                   const Dependences *dependences, Arena *arena, NestSchedule *schedule) {
    Problem *problem = problem_new(program, nest, target, parallel, dependences, arena);
    int *start = arena_array(arena, (size_t)problem->count + 1, sizeof(int));
    int64_t trip = nest_trip_count(nest);
    problem_resources(problem, (Pools){false, false}, 1);
    int interval = schedule_least(problem, start);
    if (interval < 0) return false;
    const char *limit = interval_limit(problem, interval);
    save_units(problem, trip, interval, start);
    int depth = schedule_depth(problem, start);
    save_registers(problem, interval, depth, start);

    *schedule = (NestSchedule){.nest = nest,
                               .interval = interval,
                               .depth = depth,
                               .stages = (depth + interval - 1) / interval,
                               .trip = trip,
                               .cycles = cycles_of(trip, interval, depth),
                               .limit = limit,
                               .dependences = *dependences};
    fill_slots(problem, start, schedule);
    return true;
}

int value_registers(const NestSchedule *nest, int operation, int cycle) {
    Opcode opcode = nest->nest->body.items[operation].opcode;
    if (opcode == OP_CONSTANT) return 0;
    if (opcode == OP_INDEX) return cycle / nest->interval;
    return (cycle - nest->slots[operation].ready + nest->interval - 1) / nest->interval;
}
