/* The least II of a nest, from its resources and its recurrences, and what it is that holds it. */
#include "schedule/modulo.h"

#include <string.h>

/* No body has a recurrence of so many cycles, unless a dependence on itself has distance 0. */
enum { INTERVAL_LIMIT = 1 << 24 };

int resource_interval(const Problem *problem) {
    int interval = 1;
    for (int r = 0; r < problem->resources.count; r++) {
        const Resource *resource = &problem->resources.items[r];
        int needed = (resource->busy + resource->capacity - 1) / resource->capacity;
        if (needed > interval) interval = needed;
    }
    return interval;
}

/* A start later than this can only come from a cycle of edges that adds up to more than it may. */
static int64_t latest_sensible(const Problem *problem) {
    int64_t sum = 1;
    for (int i = 0; i < problem->count; i++) {
        int most = 1;
        for (int k = 0; k < problem->outgoing[i].count; k++) {
            int weight = problem->edges.items[problem->outgoing[i].items[k]].weight;
            if (weight > most) most = weight;
        }
        sum += most;
    }
    return sum;
}

/* One edge: moves the later end if it is too early. `cause` (may be NULL) keeps the edge that moved
 * it. */
static bool relax(const Problem *problem, int edge_number, int interval, int *start, int *cause) {
    const Edge *edge = &problem->edges.items[edge_number];
    int64_t earliest = start[edge->from] + edge->weight - edge->distance * interval;
    if (earliest <= start[edge->to]) return false;
    start[edge->to] = (int)earliest;
    if (cause) cause[edge->to] = edge_number;
    return true;
}

/* Longest paths by sweeps in program order, in which data flow needs but one; false if there is a
 * cycle of positive length. `stuck` (may be NULL) gets an operation that it pushes on. */
static bool longest_paths(const Problem *problem, int interval, bool recurrences_only, int *start,
                          int *cause, int *stuck) {
    int64_t limit = latest_sensible(problem);
    memset(start, 0, (size_t)problem->count * sizeof *start);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < problem->count; i++) {
            const IntList *outgoing = &problem->outgoing[i];
            if (recurrences_only && !problem->recurrent[i]) continue;
            for (int k = 0; k < outgoing->count; k++) {
                int to = problem->edges.items[outgoing->items[k]].to;
                if (recurrences_only && problem->component[to] != problem->component[i]) continue;
                if (!relax(problem, outgoing->items[k], interval, start, cause)) continue;
                changed = changed || to <= i;
                if (start[to] <= limit) continue;
                if (stuck) *stuck = to;
                return false;
            }
        }
    }
    return true;
}

bool earliest_starts(const Problem *problem, int interval, int *start) {
    return longest_paths(problem, interval, false, start, NULL, NULL);
}

int recurrence_interval(const Problem *problem) {
    int *start = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    int low = 1, high = 1;
    /* The least II is found between one that is too small and one that is not. */
    while (!longest_paths(problem, high, true, start, NULL, NULL)) {
        if (high > INTERVAL_LIMIT) return -1;
        low = high + 1;
        high *= 2;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (longest_paths(problem, middle, true, start, NULL, NULL))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* The memory through which a cycle runs that is too long for `interval`, or NULL. */
static const char *critical_memory(const Problem *problem, int interval) {
    size_t count = (size_t)problem->count + 1;
    int *start = arena_array(problem->arena, count, sizeof(int));
    int *cause = arena_array(problem->arena, count, sizeof(int));
    int stuck = 0;
    for (int i = 0; i < problem->count; i++) cause[i] = -1;
    if (longest_paths(problem, interval, true, start, cause, &stuck)) return NULL;
    /* Back along the causes for long enough, the walk is on the cycle. */
    for (int step = 0; step < 2 * problem->count && cause[stuck] >= 0; step++) {
        const Edge *edge = &problem->edges.items[cause[stuck]];
        if (step >= problem->count && edge->dependence >= 0)
            return problem->program->memories.items[problem->body[edge->to].memory].name;
        stuck = edge->from;
    }
    return NULL;
}

static const char *resource_text(const Problem *problem, const Resource *resource) {
    Arena *arena = problem->arena;
    if (resource->memory >= 0) {
        const Memory *memory = &problem->program->memories.items[resource->memory];
        const char *port = resource->writes ? "write" : "read";
        if (memory_banks(memory) == 1)
            return string_format(arena, "%s port of %s", port, memory->name);
        return string_format(arena, "%s port of a bank of %s", port, memory->name);
    }
    const Unit *unit = &problem->units.items[resource->unit];
    return string_format(arena, "%d %s %s for %d operations", resource->capacity,
                         scalar_name(unit->type), unit->primitive, resource->users);
}

const char *interval_limit(const Problem *problem, int interval) {
    if (interval <= 1) return NULL;
    const char *memory = critical_memory(problem, interval - 1);
    if (memory) return string_format(problem->arena, "recurrence through %s", memory);
    for (int r = 0; r < problem->resources.count; r++) {
        const Resource *resource = &problem->resources.items[r];
        if (resource->busy > resource->capacity * (interval - 1))
            return resource_text(problem, resource);
    }
    return "units and ports together";
}
