/* Checks a schedule against the definition in schedule.h: written from that, not from the
 * scheduler. */
#include <assert.h>

#include "schedule/schedule.h"
#include "schedule/target.h"

typedef struct Checker {
    const Schedule *schedule;
    const NestSchedule *nest;
    const Operation *body;
    int count;
    Diagnostics *diagnostics;
} Checker;

static bool fault(const Checker *c, int operation, const char *what) {
    return error_at(c->diagnostics, STATUS_INTERNAL, c->nest->nest->location,
                    "schedule of %s: operation %d (%s): %s", c->nest->nest->name, operation,
                    opcode_info[c->body[operation].opcode].text, what);
}

static bool is_source(const Operation *op) {
    return op->opcode == OP_CONSTANT || op->opcode == OP_INDEX;
}

static const Unit *unit_of(const Checker *c, int i) {
    int unit = c->nest->slots[i].unit;
    return unit < 0 ? NULL : &c->nest->units[unit];
}

static const Memory *memory_of(const Checker *c, int i) {
    return &c->schedule->program->memories.items[c->body[i].memory];
}

static bool is_register(const Checker *c, int i) {
    return memory_is_register(memory_of(c, i));
}

static int latency_of(const Checker *c, int i) {
    const Unit *unit = unit_of(c, i);
    if (unit) return unit->latency;
    return c->body[i].opcode == OP_LOAD && !is_register(c, i) ? 1 : 0;
}

/* --- times --- */

static bool check_times(const Checker *c) {
    for (int i = 0; i < c->count; i++) {
        const Slot *slot = &c->nest->slots[i];
        const Operation *op = &c->body[i];
        int latency = latency_of(c, i), last = slot->start + (latency > 1 ? latency : 1);
        if (slot->start < 0 || (!is_source(op) && last > c->nest->depth))
            return fault(c, i, "out of depth");
        if (slot->ready != slot->start + latency) return fault(c, i, "wrong ready cycle");
        int used[] = {op->operands[0], op->operands[1], op->operands[2], op->predicate};
        for (int n = 0; n < 4; n++)
            if (used[n] >= 0 && !is_source(&c->body[used[n]]) &&
                c->nest->slots[used[n]].ready > slot->start)
                return fault(c, i, "starts before an operand is there");
    }
    return true;
}

static bool check_dependences(const Checker *c) {
    const Dependences *all = &c->nest->dependences;
    for (int d = 0; d < all->count; d++) {
        Dependence dependence = all->items[d];
        if (c->body[dependence.from].opcode == OP_LOAD && c->body[dependence.to].opcode == OP_LOAD)
            continue;
        int64_t first = c->nest->slots[dependence.from].start;
        if (c->nest->slots[dependence.to].start + dependence.distance * c->nest->interval <= first)
            return fault(c, dependence.to, "comes before an access that it depends on is done");
    }
    return true;
}

/* --- ports and units --- */

static bool same_cycle(const Checker *c, int a, int b, int busy_a, int busy_b) {
    for (int i = 0; i < busy_a; i++)
        for (int j = 0; j < busy_b; j++)
            if ((c->nest->slots[a].start + i - c->nest->slots[b].start - j) % c->nest->interval ==
                0)
                return true;
    return false;
}

static bool ports_collide(const Checker *c, int a, int b) {
    if (c->body[a].opcode != c->body[b].opcode || c->body[a].memory != c->body[b].memory)
        return false;
    if (!same_cycle(c, a, b, 1, 1)) return false;
    if (c->body[a].opcode == OP_LOAD && is_register(c, a)) return false;
    int bank_a = access_bank(c->schedule->program, c->nest->nest, &c->body[a]);
    int bank_b = access_bank(c->schedule->program, c->nest->nest, &c->body[b]);
    return bank_a < 0 || bank_b < 0 || bank_a == bank_b;
}

static bool units_collide(const Checker *c, int a, int b) {
    const Unit *unit_a = unit_of(c, a), *unit_b = unit_of(c, b);
    if (!unit_a || !unit_b || c->nest->slots[a].instance < 0 ||
        c->nest->slots[a].instance != c->nest->slots[b].instance || !unit_equal(unit_a, unit_b))
        return false;
    int busy = unit_a->pipelined || unit_a->latency < 1 ? 1 : unit_a->latency;
    return same_cycle(c, a, b, busy, busy);
}

/* Only accesses of one memory, and operations on units of one number, can collide: lists of them.
 */
typedef struct Rivals {
    int *memories, *instances; /* per memory and number: the last operation so far, plus 1 */
    int *next;                 /* per operation: the one before it in its list, plus 1 */
} Rivals;

static Rivals rivals_new(const Checker *c, Arena *arena) {
    int instances = 0;
    for (int i = 0; i < c->count; i++)
        if (c->nest->slots[i].instance >= instances) instances = c->nest->slots[i].instance + 1;
    size_t memories = (size_t)c->schedule->program->memories.count;
    return (Rivals){arena_array(arena, memories + 1, sizeof(int)),
                    arena_array(arena, (size_t)instances + 1, sizeof(int)),
                    arena_array(arena, (size_t)c->count + 1, sizeof(int))};
}

static bool check_resources(const Checker *c, Arena *arena) {
    Rivals rivals = rivals_new(c, arena);
    for (int i = 0; i < c->count; i++) {
        bool access = c->body[i].opcode == OP_LOAD || c->body[i].opcode == OP_STORE;
        int instance = c->nest->slots[i].instance;
        if (!access && instance < 0) continue;
        int *list = access ? &rivals.memories[c->body[i].memory] : &rivals.instances[instance];
        for (int j = *list; j > 0; j = rivals.next[j - 1]) {
            if (access && ports_collide(c, i, j - 1))
                return fault(c, i, "shares a port with another access");
            if (!access && units_collide(c, i, j - 1))
                return fault(c, i, "shares a unit with another operation");
        }
        rivals.next[i] = *list;
        *list = i + 1;
    }
    return true;
}

static const UnitCount *count_of(const Schedule *schedule, const Unit *unit) {
    for (int u = 0; u < schedule->unit_count; u++)
        if (unit_equal(&schedule->units[u].unit, unit)) return &schedule->units[u];
    return NULL;
}

static bool check_instances(const Checker *c) {
    for (int i = 0; i < c->count; i++) {
        const Unit *unit = unit_of(c, i);
        if (!unit || !unit->shared) continue;
        const UnitCount *count = count_of(c->schedule, unit);
        int instance = c->nest->slots[i].instance;
        if (!count || instance < 0 || instance >= count->count) return fault(c, i, "has no unit");
    }
    return true;
}

/* --- chaining --- */

/* Of the operation itself: units of a kind can differ, with constants and narrow operands. */
static double input_delay(const Checker *c, int i) {
    const Unit *unit = unit_of(c, i);
    if (unit && unit->shared) return unit->input_delay;
    if (unit) return operator_unit(&c->schedule->target, c->nest->nest, &c->body[i]).input_delay;
    if (is_register(c, i)) return register_access_delay(&c->schedule->target, &c->body[i]);
    return memory_address_delay(&c->schedule->target, memory_of(c, i));
}

/* How late the latest operand is, in the cycle in which the operation starts. */
static double operands_arrival(const Checker *c, int i, const double *arrival) {
    const Operation *op = &c->body[i];
    int used[] = {op->operands[0], op->operands[1], op->operands[2], op->predicate};
    double latest = 0;
    for (int n = 0; n < 4; n++) {
        if (used[n] < 0 || c->nest->slots[used[n]].ready != c->nest->slots[i].start) continue;
        if (!is_source(&c->body[used[n]]) && arrival[used[n]] > latest) latest = arrival[used[n]];
    }
    return latest;
}

static bool check_chains(const Checker *c, Arena *arena) {
    double *arrival = arena_array(arena, (size_t)c->count + 1, sizeof(double));
    double budget = target_budget(&c->schedule->target) + 1e-9;
    for (int i = 0; i < c->count; i++) {
        if (is_source(&c->body[i])) continue;
        const Unit *unit = unit_of(c, i);
        double before = operands_arrival(c, i, arrival), delay = input_delay(c, i);
        if (before > 0 && delay > 0 && before + delay > budget)
            return fault(c, i, "ends a chain that is longer than the clock period");
        if (c->body[i].opcode == OP_LOAD && !is_register(c, i))
            arrival[i] = memory_read_delay(&c->schedule->target, memory_of(c, i));
        else
            arrival[i] = latency_of(c, i) > 0 ? (unit ? unit->output_delay : 0) : before + delay;
    }
    return true;
}

static bool check_nest(const Checker *c, Arena *arena) {
    const NestSchedule *nest = c->nest;
    assert(nest->interval > 0);
    int64_t cycles = 1 + (nest->trip + nest->stages - 1) * nest->interval;
    if (nest->stages != (nest->depth + nest->interval - 1) / nest->interval ||
        nest->cycles != cycles)
        return error_at(c->diagnostics, STATUS_INTERNAL, nest->nest->location,
                        "schedule of %s: wrong number of cycles", nest->nest->name);
    return check_times(c) && check_dependences(c) && check_resources(c, arena) &&
           check_instances(c) && check_chains(c, arena);
}

bool schedule_check(const Schedule *schedule, Diagnostics *diagnostics) {
    Arena *arena = arena_new();
    bool correct = true;
    for (int n = 0; correct && n < schedule->nest_count; n++) {
        const NestSchedule *nest = &schedule->nests[n];
        Checker checker = {schedule, nest, nest->nest->body.items, nest->nest->body.count,
                           diagnostics};
        correct = check_nest(&checker, arena);
    }
    arena_free(arena);
    return correct;
}
