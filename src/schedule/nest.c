/* Schedules one nest: the least II, then the least depth, then few units, then few register bits.
 */
#include "schedule/modulo.h"

#include <limits.h>
#include <string.h>

/* What fewer units may cost: one part of so many of the nest's cycles, or of the design's. */
enum { MERGED_SHARE = 8, LEAST_SHARE = 64, DESIGN_SHARE = 200 };

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

/* The first II, from the least that resources and recurrences allow, that works; -1 if none does.
 */
static int schedule_least(const Problem *problem, int *start) {
    int recurrence = recurrence_interval(problem), resource = resource_interval(problem);
    if (recurrence < 0) return -1;
    int least = recurrence > resource ? recurrence : resource, most = least + 1;
    for (int i = 0; i < problem->count; i++) most += problem->span[i] + problem->busy[i];
    for (int interval = least; interval <= most; interval++)
        if (schedule_at(problem, interval, start)) return interval;
    return -1;
}

/* Schedules with other pools at the least II from `interval` on that they allow, up to `most`; -1
 * if none. */
static int schedule_pools(Problem *problem, Pools pools, int interval, int most, int *start) {
    for (; interval <= most; interval++) {
        problem_resources(problem, pools, interval);
        if (resource_interval(problem) <= interval && schedule_at(problem, interval, start))
            return interval;
    }
    return -1;
}

/* Replaces the schedule by one with other pools, if that takes no more than `extra` cycles more.
 * Returns the II. */
static int try_pools(Problem *problem, Pools pools, int64_t trip, int interval, int64_t extra,
                     int *start, bool *taken) {
    int64_t cycles = cycles_of(trip, interval, schedule_depth(problem, start));
    int *other = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    int64_t most = interval + extra / (trip > 0 ? trip : 1);
    if (most > INT_MAX / 2) most = INT_MAX / 2;
    int found = schedule_pools(problem, pools, interval, (int)most, other);
    *taken = found > 0 && cycles_of(trip, found, schedule_depth(problem, other)) - cycles <= extra;
    if (!*taken) return interval;
    memcpy(start, other, (size_t)problem->count * sizeof *start);
    return found;
}

/* Tries to do nearly as well with fewer units. First with few that make digit after digit, as one
 * of those is as large as several adders: this may cost `allowance` cycles. Then without units for
 * the tail, then with no more of a kind than its operations fill. Returns the II. */
static int save_units(Problem *problem, int64_t trip, int interval, int64_t allowance, int *start) {
    Pools pools = {0};
    bool taken = false;
    problem_resources(problem, pools, interval);
    int digit_units = most_digit_units(problem, interval);
    for (int units = 1; !taken && units < digit_units; units *= 2) {
        pools.digit_units = units;
        interval = try_pools(problem, pools, trip, interval, allowance, start, &taken);
    }
    if (!taken) pools.digit_units = 0;
    int64_t cycles = cycles_of(trip, interval, schedule_depth(problem, start));
    Pools least = pools, merged = pools;
    least.least = merged.least = merged.merged = true;
    interval = try_pools(problem, merged, trip, interval, cycles / MERGED_SHARE, start, &taken);
    if (!taken)
        interval = try_pools(problem, least, trip, interval, cycles / LEAST_SHARE, start, &taken);
    if (!taken) problem_resources(problem, pools, interval);
    return interval;
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

bool nest_schedule(const Schedule *design, const Nest *nest, int parallel,
                   const Dependences *dependences, const Schedule *bound, Arena *arena,
                   NestSchedule *schedule) {
    Problem *problem =
        problem_new(design->program, nest, &design->target, parallel, dependences, bound, arena);
    int *start = arena_array(arena, (size_t)problem->count + 1, sizeof(int));
    int64_t trip = nest_trip_count(nest);
    problem_resources(problem, (Pools){0}, 1);
    int interval = schedule_least(problem, start);
    if (interval < 0) return false;
    const char *limit = interval_limit(problem, interval);
    int64_t allowance = bound ? bound->cycles / DESIGN_SHARE : 0;
    for (int l = 0; l < nest->outer; l++) allowance /= nest->loops[l].trip;
    int saved = save_units(problem, trip, interval, allowance, start);
    if (saved > interval) limit = interval_limit(problem, saved);
    interval = saved;
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
