/* Iterative modulo scheduling: B. R. Rau, "Iterative modulo scheduling: an algorithm for software
 * pipelining loops", MICRO 1994.
 *
 * Operations are placed by priority (the longest path that follows), each in the first of II cycles
 * that its placed predecessors and the resources allow. Where there is none it is placed by force,
 * and whatever is in its way is taken out and placed again later. */
#include "schedule/modulo.h"

#include <stdlib.h>
#include <string.h>

/* Placements per operation before it gives up; Rau found 2 to be enough nearly always. */
enum { PLACEMENTS = 12 };

/* --- reservations --- */

Reservations reservations_new(const Problem *problem, int interval, Arena *arena) {
    size_t cells = (size_t)problem->resources.count * (size_t)interval + 1;
    return (Reservations){problem, interval, arena_array(arena, cells, sizeof(int))};
}

static int *reservation_cell(const Reservations *table, int resource, int cycle) {
    return &table->used[(size_t)resource * (size_t)table->interval +
                        (size_t)(cycle % table->interval)];
}

bool reservation_fits(const Reservations *table, int operation, int cycle) {
    const Problem *problem = table->problem;
    const IntList *uses = &problem->uses[operation];
    for (int k = 0; k < uses->count; k++) {
        int capacity = problem->resources.items[uses->items[k]].capacity;
        for (int c = 0; c < problem->busy[operation]; c++) {
            /* A long operation may meet itself, one iteration later. */
            int turns = c / table->interval;
            if (*reservation_cell(table, uses->items[k], cycle + c) + turns >= capacity)
                return false;
        }
    }
    return true;
}

void reservation_add(Reservations *table, int operation, int cycle, int amount) {
    const Problem *problem = table->problem;
    const IntList *uses = &problem->uses[operation];
    for (int k = 0; k < uses->count; k++)
        for (int c = 0; c < problem->busy[operation]; c++)
            *reservation_cell(table, uses->items[k], cycle + c) += amount;
}

/* --- priorities --- */

typedef struct Scheduler {
    const Problem *problem;
    int interval;
    int *start;
    bool *placed;
    int *last;   /* cycle of the last placement, -1 before the first */
    int *height; /* longest path to an end */
    int *order;  /* operations by priority */
    int *rank;   /* inverse of order */
    int first;   /* no operation before order[first] is to be placed */
    Reservations table;
} Scheduler;

static void compute_heights(Scheduler *s) {
    const Problem *problem = s->problem;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = problem->count - 1; i >= 0; i--) {
            const IntList *incoming = &problem->incoming[i];
            for (int k = 0; k < incoming->count; k++) {
                const Edge *edge = &problem->edges.items[incoming->items[k]];
                int64_t height = s->height[i] + edge->weight - edge->distance * s->interval;
                if (height <= s->height[edge->from]) continue;
                s->height[edge->from] = (int)height;
                changed = changed || edge->from >= i;
            }
        }
    }
}

typedef struct Priority {
    int height, operation;
} Priority;

static int compare_priorities(const void *left, const void *right) {
    const Priority *a = left, *b = right;
    if (a->height != b->height) return a->height > b->height ? -1 : 1;
    return a->operation < b->operation ? -1 : a->operation > b->operation;
}

static void order_operations(Scheduler *s) {
    const Problem *problem = s->problem;
    Priority *list = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(Priority));
    for (int i = 0; i < problem->count; i++) list[i] = (Priority){s->height[i], i};
    qsort(list, (size_t)problem->count, sizeof *list, compare_priorities);
    for (int r = 0; r < problem->count; r++) {
        s->order[r] = list[r].operation;
        s->rank[list[r].operation] = r;
    }
}

/* --- placing --- */

static void take_out(Scheduler *s, int operation) {
    reservation_add(&s->table, operation, s->start[operation], -1);
    s->placed[operation] = false;
    if (s->rank[operation] < s->first) s->first = s->rank[operation];
}

static int earliest(const Scheduler *s, int operation) {
    int64_t cycle = 0;
    const IntList *incoming = &s->problem->incoming[operation];
    for (int k = 0; k < incoming->count; k++) {
        const Edge *edge = &s->problem->edges.items[incoming->items[k]];
        if (!s->placed[edge->from] || edge->from == operation) continue;
        int64_t bound = s->start[edge->from] + edge->weight - edge->distance * s->interval;
        if (bound > cycle) cycle = bound;
    }
    return (int)cycle;
}

/* True if `other`, which is placed, holds a full resource that `operation` would need at `cycle`.
 */
static bool in_the_way(const Scheduler *s, int other, int operation, int cycle) {
    const Problem *problem = s->problem;
    for (int k = 0; k < problem->uses[operation].count; k++) {
        int resource = problem->uses[operation].items[k];
        bool shares = false;
        for (int j = 0; j < problem->uses[other].count; j++)
            shares = shares || problem->uses[other].items[j] == resource;
        if (!shares) continue;
        for (int c = 0; c < problem->busy[operation]; c++)
            for (int o = 0; o < problem->busy[other]; o++)
                if ((cycle + c - s->start[other] - o) % s->interval == 0 &&
                    *reservation_cell(&s->table, resource, cycle + c) >=
                        problem->resources.items[resource].capacity)
                    return true;
    }
    return false;
}

/* Takes out the users of full resources, the least important ones first, until one more fits. */
static void make_room(Scheduler *s, int operation, int cycle) {
    for (int r = s->problem->count - 1; r >= 0; r--) {
        if (reservation_fits(&s->table, operation, cycle)) return;
        int other = s->order[r];
        if (s->placed[other] && in_the_way(s, other, operation, cycle)) take_out(s, other);
    }
}

static void take_out_neighbours(Scheduler *s, int operation) {
    const Problem *problem = s->problem;
    for (int k = 0; k < problem->outgoing[operation].count; k++) {
        const Edge *edge = &problem->edges.items[problem->outgoing[operation].items[k]];
        int64_t bound = s->start[operation] + edge->weight - edge->distance * s->interval;
        if (edge->to != operation && s->placed[edge->to] && s->start[edge->to] < bound)
            take_out(s, edge->to);
    }
    for (int k = 0; k < problem->incoming[operation].count; k++) {
        const Edge *edge = &problem->edges.items[problem->incoming[operation].items[k]];
        int64_t bound = s->start[edge->from] + edge->weight - edge->distance * s->interval;
        if (edge->from != operation && s->placed[edge->from] && bound > s->start[operation])
            take_out(s, edge->from);
    }
}

static void place(Scheduler *s, int operation) {
    int from = earliest(s, operation), cycle = from;
    while (cycle < from + s->interval && !reservation_fits(&s->table, operation, cycle)) cycle++;
    if (cycle == from + s->interval) {
        cycle = from > s->last[operation] ? from : s->last[operation] + 1;
        make_room(s, operation, cycle);
    }
    s->start[operation] = s->last[operation] = cycle;
    s->placed[operation] = true;
    reservation_add(&s->table, operation, cycle, 1);
    take_out_neighbours(s, operation);
}

bool modulo_schedule(const Problem *problem, int interval, int *start) {
    size_t count = (size_t)problem->count + 1;
    Arena *arena = problem->arena;
    Scheduler s = {.problem = problem,
                   .interval = interval,
                   .start = start,
                   .placed = arena_array(arena, count, sizeof(bool)),
                   .last = arena_array(arena, count, sizeof(int)),
                   .height = arena_array(arena, count, sizeof(int)),
                   .order = arena_array(arena, count, sizeof(int)),
                   .rank = arena_array(arena, count, sizeof(int)),
                   .table = reservations_new(problem, interval, arena)};
    for (int r = 0; r < problem->resources.count; r++)
        if (problem->resources.items[r].capacity < 1) return false;
    memset(start, 0, (size_t)problem->count * sizeof *start);
    for (int i = 0; i < problem->count; i++) s.last[i] = -1;
    compute_heights(&s);
    order_operations(&s);
    int64_t budget = (int64_t)PLACEMENTS * problem->count;
    while (s.first < problem->count) {
        int operation = s.order[s.first];
        if (s.placed[operation]) {
            s.first++;
            continue;
        }
        if (budget-- == 0) return false;
        place(&s, operation);
    }
    return true;
}

int schedule_depth(const Problem *problem, const int *start) {
    int depth = 1;
    for (int i = 0; i < problem->count; i++)
        if (!problem->is_source[i] && start[i] + problem->span[i] > depth)
            depth = start[i] + problem->span[i];
    return depth;
}
