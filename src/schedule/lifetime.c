/* Fewer register bits at the same II and depth.
 *
 * A value that is used some cycles after it is there waits in registers, one per II cycles; so do
 * the address of an affine access and an index, which the odometer has at cycle 0. Operations are
 * moved one by one within the cycles that the edges and resources leave them, to where the
 * registers of what they use and make are fewest. A sweep from the last operation to the first lets
 * whole chains move: a tie goes to the later cycle.
 *
 * Such steps stop where several operations would have to move together. So they are taken from
 * several starts: the schedule as it is; all as late as can be; and one in which every user of a
 * value pays its part of the registers, as if the others were to follow. The best is kept. */
#include "schedule/modulo.h"

#include <string.h>

enum { SWEEPS = 6, LONGEST_WINDOW = 256, COST_SCALE = 64 };

/* What a sweep goes by. */
typedef enum Sweep { EXACT, LATEST, SHARED } Sweep;

/* Something that waits in registers: the value of an operation, or an address. */
typedef struct Held {
    int operation; /* that makes it; -1: the odometer holds it from cycle 0 on */
    int width;
    IntList users; /* operations */
    IntList late;  /* per user: 1 if it needs it one cycle after its start */
} Held;

typedef struct Lifetimes {
    const Problem *problem;
    int interval, depth;
    int *start;
    Vector(Held) held;
    IntList *needs; /* per operation: what it uses */
    int *own;       /* per operation: the value that it makes, -1 for none */
    Reservations table;
} Lifetimes;

/* --- what is held --- */

static void list_push(Arena *arena, IntList *list, int item) {
    /* The room is the power of two that holds `count`. */
    if ((list->count & (list->count - 1)) == 0) {
        int *items = arena_array(arena, list->count ? 2 * (size_t)list->count : 1, sizeof(int));
        if (list->count) memcpy(items, list->items, (size_t)list->count * sizeof(int));
        list->items = items;
    }
    list->items[list->count++] = item;
}

static void use(Lifetimes *l, int held, int user, int late) {
    list_push(l->problem->arena, &l->held.items[held].users, user);
    list_push(l->problem->arena, &l->held.items[held].late, late);
    list_push(l->problem->arena, &l->needs[user], held);
}

static bool affine_same(const Problem *problem, const Affine *a, const Affine *b) {
    if (a->constant != b->constant) return false;
    for (int k = 0; k < problem->nest->loop_count; k++)
        if (a->coefficients[k] != b->coefficients[k]) return false;
    return true;
}

static int address_width(const Problem *problem, const Operation *op) {
    return bits_to_count(problem->program->memories.items[op->memory].elements);
}

/* Accesses of the same address share its registers. */
static int address_of(Lifetimes *l, int operation, int *first_address) {
    const Problem *problem = l->problem;
    const Operation *op = &problem->body[operation];
    int width = address_width(problem, op);
    for (int h = *first_address; h < l->held.count; h++) {
        const Operation *other = &problem->body[l->held.items[h].users.items[0]];
        if (l->held.items[h].width == width && affine_same(problem, &other->affine, &op->affine))
            return h;
    }
    vector_push(problem->arena, &l->held, (Held){.operation = -1, .width = width});
    return l->held.count - 1;
}

static void find_held(Lifetimes *l) {
    const Problem *problem = l->problem;
    for (int i = 0; i < problem->count; i++) {
        const Operation *op = &problem->body[i];
        l->own[i] = -1;
        if (op->opcode == OP_STORE || op->opcode == OP_CONSTANT) continue;
        l->own[i] = l->held.count;
        vector_push(problem->arena, &l->held,
                    (Held){.operation = op->opcode == OP_INDEX ? -1 : i, .width = op->type.width});
    }
    int first_address = l->held.count;
    for (int i = 0; i < problem->count; i++) {
        const Operation *op = &problem->body[i];
        for (int n = 0; n < 3; n++)
            if (op->operands[n] >= 0 && l->own[op->operands[n]] >= 0)
                use(l, l->own[op->operands[n]], i, 0);
        bool access = op->opcode == OP_LOAD || op->opcode == OP_STORE;
        bool in_register =
            access && memory_is_register(&problem->program->memories.items[op->memory]);
        /* A load's predicate masks what was read, one cycle later. */
        if (op->predicate >= 0 && l->own[op->predicate] >= 0)
            use(l, l->own[op->predicate], i, op->opcode == OP_LOAD && !in_register);
        if (access && !op->computed && !in_register) use(l, address_of(l, i, &first_address), i, 0);
    }
}

/* --- cost --- */

static int64_t held_bits(const Lifetimes *l, const Held *held, int made, int last) {
    if (last < 0) return 0;
    int64_t registers =
        held->operation < 0 ? last / l->interval : (last - made + l->interval - 1) / l->interval;
    return registers * held->width;
}

/* The last use, not counting those by `but`. */
static int last_use(const Lifetimes *l, const Held *held, int but) {
    int last = -1;
    for (int k = 0; k < held->users.count; k++) {
        int cycle = l->start[held->users.items[k]] + held->late.items[k];
        if (held->users.items[k] != but && cycle > last) last = cycle;
    }
    return last;
}

static int made_at(const Lifetimes *l, const Held *held) {
    return held->operation < 0 ? 0
                               : l->start[held->operation] + l->problem->latency[held->operation];
}

static int64_t total_bits(const Lifetimes *l) {
    int64_t bits = 0;
    for (int h = 0; h < l->held.count; h++) {
        const Held *held = &l->held.items[h];
        bits += held_bits(l, held, made_at(l, held), last_use(l, held, -1));
    }
    return bits;
}

/* --- moving --- */

static void window_of(const Lifetimes *l, int operation, int *low, int *high) {
    const Problem *problem = l->problem;
    int64_t first = 0, last = l->depth - problem->span[operation];
    for (int k = 0; k < problem->incoming[operation].count; k++) {
        const Edge *edge = &problem->edges.items[problem->incoming[operation].items[k]];
        int64_t bound = l->start[edge->from] + edge->weight - edge->distance * l->interval;
        if (edge->from != operation && bound > first) first = bound;
    }
    for (int k = 0; k < problem->outgoing[operation].count; k++) {
        const Edge *edge = &problem->edges.items[problem->outgoing[operation].items[k]];
        int64_t bound = l->start[edge->to] - edge->weight + edge->distance * l->interval;
        if (edge->to != operation && bound < last) last = bound;
    }
    *low = (int)first;
    *high = (int)last;
}

/* Costs of one operation's place: what it makes, and what it uses, given where all others are. */
typedef struct Costs {
    int64_t bits[LONGEST_WINDOW];
    int low, high;
} Costs;

/* Registers of what an operation uses, if it starts at `cycle`: all that `others` and it need; or,
 * as SHARED, its part of what it needs alone. */
static int64_t use_cost(const Lifetimes *l, const Held *held, Sweep sweep, int others, int cycle) {
    if (sweep == SHARED)
        return held_bits(l, held, made_at(l, held), cycle) * COST_SCALE / held->users.count;
    return held_bits(l, held, made_at(l, held), cycle > others ? cycle : others) * COST_SCALE;
}

static void compute_costs(const Lifetimes *l, int operation, Sweep sweep, Costs *costs) {
    int latency = l->problem->latency[operation];
    const Held *own = l->own[operation] < 0 ? NULL : &l->held.items[l->own[operation]];
    int own_last = own ? last_use(l, own, -1) : -1;
    for (int t = costs->low; t <= costs->high; t++)
        costs->bits[t - costs->low] =
            own ? held_bits(l, own, t + latency, own_last) * COST_SCALE : 0;
    for (int k = 0; k < l->needs[operation].count; k++) {
        const Held *held = &l->held.items[l->needs[operation].items[k]];
        int others = last_use(l, held, operation), late = 0;
        for (int j = 0; j < held->users.count; j++)
            if (held->users.items[j] == operation && held->late.items[j] > late)
                late = held->late.items[j];
        for (int t = costs->low; t <= costs->high; t++)
            costs->bits[t - costs->low] += use_cost(l, held, sweep, others, t + late);
    }
}

/* Moves an operation to its cheapest cycle, the latest of equal ones; as LATEST to the latest. */
static bool move(Lifetimes *l, int operation, Sweep sweep) {
    Costs costs;
    window_of(l, operation, &costs.low, &costs.high);
    if (costs.low >= costs.high) return false;
    if (costs.high - costs.low >= LONGEST_WINDOW) costs.low = costs.high - LONGEST_WINDOW + 1;
    compute_costs(l, operation, sweep, &costs);
    int before = l->start[operation], best = -1;
    reservation_add(&l->table, operation, before, -1);
    for (int t = costs.high; t >= costs.low; t--) {
        bool better = best < 0 || costs.bits[t - costs.low] < costs.bits[best - costs.low];
        if (best >= 0 && (sweep == LATEST || !better)) continue;
        if (reservation_fits(&l->table, operation, t)) best = t;
    }
    if (best < 0) best = before; /* it was before the window's part that was looked at */
    l->start[operation] = best;
    reservation_add(&l->table, operation, best, 1);
    return best != before;
}

/* Two sweeps as the plan says, then exact ones until nothing moves. Returns the register bits. */
static int64_t improve(Lifetimes *l, const Sweep plan[2]) {
    const Problem *problem = l->problem;
    l->table = reservations_new(problem, l->interval, problem->arena);
    for (int i = 0; i < problem->count; i++) reservation_add(&l->table, i, l->start[i], 1);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool moved = false;
        for (int i = problem->count - 1; i >= 0; i--)
            if (!problem->is_source[i] && move(l, i, sweep < 2 ? plan[sweep] : EXACT)) moved = true;
        if (!moved && sweep >= 2) break;
    }
    return total_bits(l);
}

static Lifetimes lifetimes_of(const Problem *problem, int interval, int depth, int *start) {
    size_t count = (size_t)problem->count + 1;
    Lifetimes l = {.problem = problem,
                   .interval = interval,
                   .depth = depth,
                   .start = start,
                   .needs = arena_array(problem->arena, count, sizeof(IntList)),
                   .own = arena_array(problem->arena, count, sizeof(int))};
    find_held(&l);
    return l;
}

int64_t register_bits(const Problem *problem, int interval, const int *start) {
    size_t size = (size_t)problem->count * sizeof(int);
    int *copy = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    memcpy(copy, start, size);
    Lifetimes l = lifetimes_of(problem, interval, schedule_depth(problem, start), copy);
    return total_bits(&l);
}

void save_registers(const Problem *problem, int interval, int depth, int *start) {
    static const Sweep plans[][2] = {
        {EXACT, EXACT}, {LATEST, EXACT}, {SHARED, EXACT}, {LATEST, SHARED}};
    size_t size = (size_t)problem->count * sizeof(int);
    int *begin = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    int *moved = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    memcpy(begin, start, size);
    Lifetimes l = lifetimes_of(problem, interval, depth, moved);
    int64_t best = INT64_MAX;
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        memcpy(moved, begin, size);
        int64_t bits = improve(&l, plans[k]);
        if (bits >= best) continue;
        best = bits;
        memcpy(start, moved, size);
    }
}
