/* Exact search for a schedule of less depth: branch and bound over the operations that compete.
 *
 * Every operation has a window of start cycles, from the edges before it and the depth after it.
 * Fixing one narrows the windows of the others. Operations that never meet a full resource need no
 * branching: when all others are fixed, the earliest start of each is a solution. The number of
 * branches is bounded, so that a hard case costs milliseconds and keeps the schedule that it had.
 */
#include "schedule/modulo.h"

#include <string.h>

enum { MOST_OPERATIONS = 600, MOST_CONTESTED = 64, MOST_BRANCHES = 4000, MOST_DEPTHS = 8 };

typedef struct Window {
    int low, high;
} Window;

typedef struct Exact {
    const Problem *problem;
    int interval;
    Window *window;
    int *queue; /* ring of operations whose window has changed */
    bool *queued;
    int head, waiting;
    int *contested, contested_count;
    bool *fixed;
    Window *saved; /* one copy of all windows per level */
    int branches;
    Reservations table;
} Exact;

static void enqueue(Exact *x, int operation) {
    if (x->queued[operation]) return;
    x->queued[operation] = true;
    x->queue[(x->head + x->waiting++) % x->problem->count] = operation;
}

/* Narrows all windows to what the edges allow; false if one is empty. */
static bool propagate(Exact *x) {
    const Problem *problem = x->problem;
    bool possible = true;
    while (x->waiting > 0) {
        int operation = x->queue[x->head];
        x->head = (x->head + 1) % problem->count;
        x->waiting--;
        x->queued[operation] = false;
        if (!possible) continue; /* only empties the queue */
        for (int k = 0; possible && k < problem->outgoing[operation].count; k++) {
            const Edge *edge = &problem->edges.items[problem->outgoing[operation].items[k]];
            int64_t low = x->window[operation].low + edge->weight - edge->distance * x->interval;
            if (low <= x->window[edge->to].low) continue;
            x->window[edge->to].low = (int)low;
            possible = low <= x->window[edge->to].high;
            enqueue(x, edge->to);
        }
        for (int k = 0; possible && k < problem->incoming[operation].count; k++) {
            const Edge *edge = &problem->edges.items[problem->incoming[operation].items[k]];
            int64_t high = x->window[operation].high - edge->weight + edge->distance * x->interval;
            if (high >= x->window[edge->from].high) continue;
            x->window[edge->from].high = (int)high;
            possible = high >= x->window[edge->from].low;
            enqueue(x, edge->from);
        }
    }
    return possible;
}

/* The windows of a depth. */
static bool open_windows(Exact *x, int depth) {
    const Problem *problem = x->problem;
    for (int i = 0; i < problem->count; i++) {
        x->window[i] = (Window){0, problem->is_source[i] ? 0 : depth - problem->span[i]};
        if (x->window[i].high < 0) return false;
    }
    for (int i = 0; i < problem->count; i++) enqueue(x, i);
    return propagate(x);
}

static bool is_contested(const Problem *problem, int operation) {
    const IntList *uses = &problem->uses[operation];
    for (int k = 0; k < uses->count; k++) {
        const Resource *resource = &problem->resources.items[uses->items[k]];
        if (resource->busy > resource->capacity) return true;
    }
    return false;
}

/* The operation with the fewest cycles to try. */
static int most_constrained(const Exact *x) {
    int best = -1;
    for (int k = 0; k < x->contested_count; k++) {
        int operation = x->contested[k];
        if (x->fixed[operation]) continue;
        if (best < 0 || x->window[operation].high - x->window[operation].low <
                            x->window[best].high - x->window[best].low)
            best = operation;
    }
    return best;
}

/* Recursion is at most MOST_CONTESTED deep. */
static bool search(Exact *x, int level) {
    int operation = most_constrained(x);
    if (operation < 0) return true;
    size_t size = (size_t)x->problem->count * sizeof *x->window;
    Window *saved = x->saved + (size_t)level * (size_t)x->problem->count;
    memcpy(saved, x->window, size);
    x->fixed[operation] = true;
    for (int cycle = saved[operation].low; cycle <= saved[operation].high; cycle++) {
        if (!reservation_fits(&x->table, operation, cycle)) continue;
        if (x->branches++ >= MOST_BRANCHES) break;
        x->window[operation] = (Window){cycle, cycle};
        enqueue(x, operation);
        reservation_add(&x->table, operation, cycle, 1);
        if (propagate(x) && search(x, level + 1)) return true;
        reservation_add(&x->table, operation, cycle, -1);
        memcpy(x->window, saved, size);
    }
    x->fixed[operation] = false;
    return false;
}

static void find_contested(Exact *x) {
    for (int i = 0; i < x->problem->count; i++)
        if (is_contested(x->problem, i)) x->contested[x->contested_count++] = i;
}

bool exact_schedule(const Problem *problem, int interval, int depth, int *start) {
    size_t count = (size_t)problem->count + 1;
    Arena *arena = problem->arena;
    if (problem->count > MOST_OPERATIONS) return false;
    Exact x = {.problem = problem,
               .interval = interval,
               .window = arena_array(arena, count, sizeof(Window)),
               .queue = arena_array(arena, count, sizeof(int)),
               .queued = arena_array(arena, count, sizeof(bool)),
               .contested = arena_array(arena, count, sizeof(int)),
               .fixed = arena_array(arena, count, sizeof(bool)),
               .saved = NULL,
               .table = reservations_new(problem, interval, arena)};
    find_contested(&x);
    if (x.contested_count > MOST_CONTESTED) return false;
    x.saved = arena_array(arena, count * (size_t)(x.contested_count + 1), sizeof(Window));
    int *earliest = arena_array(arena, count, sizeof(int));
    if (!earliest_starts(problem, interval, earliest)) return false;
    int least = schedule_depth(problem, earliest);
    for (int wanted = least; wanted < depth && wanted < least + MOST_DEPTHS; wanted++) {
        x.branches = 0;
        if (!open_windows(&x, wanted) || !search(&x, 0)) continue;
        for (int i = 0; i < problem->count; i++) start[i] = x.window[i].low;
        return true;
    }
    return false;
}
