/* Binding: which instance of a shared unit does which operation, over the whole design.
 *
 * Nests run one after the other, so an instance serves all of them. Every operand that comes to a
 * port from another place costs an input of a multiplexer there. Operations are bound one by one to
 * the free instance whose ports know the most of their operands already; MACs come first, so that
 * they get the first instances, side by side in all nests, and their sums get the adders next to
 * their multipliers. */
#include "schedule/modulo.h"

/* Where an operand comes from, as the hardware sees it. */
typedef enum SourceKind {
    SOURCE_OWN,    /* a register or logic of one nest */
    SOURCE_MEMORY, /* a read port */
    SOURCE_UNIT    /* the output of an instance */
} SourceKind;

typedef struct Source {
    SourceKind kind;
    int first, second; /* nest and operation; memory and bank; unit and instance */
} Source;

enum { PORTS = 2 };

typedef struct Instance {
    Role role; /* the highest that it serves: MAC, TAIL, OTHER */
    Vector(Source) sources[PORTS];
    bool **taken; /* per nest (NULL: not used there): cycles modulo II in which it takes operands */
} Instance;

typedef struct Kind {
    Unit unit;
    Vector(Instance) instances;
} Kind;

typedef struct Binding {
    Schedule *schedule;
    Arena *arena;
    Vector(Kind) kinds;
    int **kind_of; /* per nest and unit of the nest: index into kinds, -1 if not shared */
} Binding;

static int kind_of_unit(Binding *binding, const Unit *unit) {
    if (!unit->shared) return -1;
    for (int k = 0; k < binding->kinds.count; k++)
        if (unit_equal(&binding->kinds.items[k].unit, unit)) return k;
    vector_push(binding->arena, &binding->kinds, (Kind){.unit = *unit});
    return binding->kinds.count - 1;
}

static void find_kinds(Binding *binding) {
    Schedule *schedule = binding->schedule;
    binding->kind_of = arena_array(binding->arena, (size_t)schedule->nest_count + 1, sizeof(int *));
    for (int n = 0; n < schedule->nest_count; n++) {
        const NestSchedule *nest = &schedule->nests[n];
        binding->kind_of[n] =
            arena_array(binding->arena, (size_t)nest->unit_count + 1, sizeof(int));
        for (int u = 0; u < nest->unit_count; u++)
            binding->kind_of[n][u] = kind_of_unit(binding, &nest->units[u]);
    }
}

static int kind_at(const Binding *binding, int n, int operation) {
    const Slot *slot = &binding->schedule->nests[n].slots[operation];
    return slot->unit < 0 ? -1 : binding->kind_of[n][slot->unit];
}

/* --- sources --- */

static Source source_of(const Binding *binding, int n, int value, int cycle) {
    const NestSchedule *nest = &binding->schedule->nests[n];
    const Operation *op = &nest->nest->body.items[value];
    const Slot *slot = &nest->slots[value];
    if (value_registers(nest, value, cycle) == 0) {
        if (op->opcode == OP_LOAD && op->predicate < 0)
            return (Source){SOURCE_MEMORY, op->memory,
                            access_bank(binding->schedule->program, nest->nest, op)};
        if (slot->instance >= 0)
            return (Source){SOURCE_UNIT, kind_at(binding, n, value), slot->instance};
    }
    return (Source){SOURCE_OWN, n, value};
}

static bool source_known(const Instance *instance, int port, Source source) {
    for (int k = 0; k < instance->sources[port].count; k++) {
        const Source *known = &instance->sources[port].items[k];
        if (known->kind == source.kind && known->first == source.first &&
            known->second == source.second)
            return true;
    }
    return false;
}

/* --- choosing --- */

static int busy_cycles(const Binding *binding, int n, int operation, int kind) {
    const Slot *slot = &binding->schedule->nests[n].slots[operation];
    int latency = slot->ready - slot->start;
    return binding->kinds.items[kind].unit.pipelined || latency < 1 ? 1 : latency;
}

/* True if the instance does another operation of the nest in one of this one's cycles. */
static bool is_taken(const Binding *binding, int n, int operation, int kind,
                     const Instance *instance) {
    const NestSchedule *nest = &binding->schedule->nests[n];
    if (!instance->taken[n]) return false;
    for (int c = 0; c < busy_cycles(binding, n, operation, kind); c++)
        if (instance->taken[n][(nest->slots[operation].start + c) % nest->interval]) return true;
    return false;
}

static void take(Binding *binding, int n, int operation, int kind, Instance *instance) {
    const NestSchedule *nest = &binding->schedule->nests[n];
    if (!instance->taken[n])
        instance->taken[n] = arena_array(binding->arena, (size_t)nest->interval, sizeof(bool));
    for (int c = 0; c < busy_cycles(binding, n, operation, kind); c++)
        instance->taken[n][(nest->slots[operation].start + c) % nest->interval] = true;
}

/* What a choice costs: new inputs of multiplexers, and MACs beside other work. */
static int cost_of(const Binding *binding, int n, int operation, const Instance *instance) {
    const NestSchedule *nest = &binding->schedule->nests[n];
    const Operation *op = &nest->nest->body.items[operation];
    int cost = 0;
    for (int port = 0; port < PORTS; port++) {
        if (op->operands[port] < 0) continue;
        Source source = source_of(binding, n, op->operands[port], nest->slots[operation].start);
        if (!source_known(instance, port, source)) cost += 2;
    }
    if (instance->role == ROLE_MAC && nest->slots[operation].role != ROLE_MAC) cost++;
    return cost;
}

static void bind_to(Binding *binding, int n, int operation, int kind, int chosen) {
    NestSchedule *nest = &binding->schedule->nests[n];
    Instance *instance = &binding->kinds.items[kind].instances.items[chosen];
    const Operation *op = &nest->nest->body.items[operation];
    Slot *slot = &nest->slots[operation];
    for (int port = 0; port < PORTS; port++) {
        if (op->operands[port] < 0) continue;
        Source source = source_of(binding, n, op->operands[port], slot->start);
        if (!source_known(instance, port, source))
            vector_push(binding->arena, &instance->sources[port], source);
    }
    if (slot->role == ROLE_MAC || instance->role == ROLE_OTHER) instance->role = slot->role;
    slot->instance = chosen;
    take(binding, n, operation, kind, instance);
}

static void bind_operation(Binding *binding, int n, int operation, int kind) {
    Kind *units = &binding->kinds.items[kind];
    int best = -1, best_cost = 0;
    for (int k = 0; k < units->instances.count; k++) {
        int cost = cost_of(binding, n, operation, &units->instances.items[k]);
        if (best >= 0 && cost >= best_cost) continue;
        if (is_taken(binding, n, operation, kind, &units->instances.items[k])) continue;
        best = k;
        best_cost = cost;
    }
    if (best < 0) {
        size_t nests = (size_t)binding->schedule->nest_count;
        Instance fresh = {.role = ROLE_OTHER,
                          .taken = arena_array(binding->arena, nests, sizeof(bool *))};
        vector_push(binding->arena, &units->instances, fresh);
        best = units->instances.count - 1;
    }
    bind_to(binding, n, operation, kind, best);
}

static void bind_role(Binding *binding, Role role) {
    for (int n = 0; n < binding->schedule->nest_count; n++) {
        const NestSchedule *nest = &binding->schedule->nests[n];
        for (int i = 0; i < nest->nest->body.count; i++) {
            int kind = kind_at(binding, n, i);
            if (kind >= 0 && nest->slots[i].role == role) bind_operation(binding, n, i, kind);
        }
    }
}

static void count_units(Binding *binding) {
    Schedule *schedule = binding->schedule;
    schedule->unit_count = binding->kinds.count;
    schedule->units =
        arena_array(binding->arena, (size_t)binding->kinds.count + 1, sizeof(UnitCount));
    for (int k = 0; k < binding->kinds.count; k++) {
        const Kind *kind = &binding->kinds.items[k];
        UnitCount *count = &schedule->units[k];
        *count = (UnitCount){
            .unit = kind->unit, .count = kind->instances.count, .role = role_names[ROLE_OTHER]};
        for (int i = 0; i < kind->instances.count; i++) {
            count->mac += kind->instances.items[i].role == ROLE_MAC;
            count->tail += kind->instances.items[i].role == ROLE_TAIL;
            for (int port = 0; port < PORTS; port++)
                if (kind->instances.items[i].sources[port].count > count->sources)
                    count->sources = kind->instances.items[i].sources[port].count;
        }
        if (kind->instances.count > 0) count->role = role_names[kind->instances.items[0].role];
    }
}

void bind_units(Schedule *schedule, Arena *arena) {
    Binding binding = {.schedule = schedule, .arena = arena};
    find_kinds(&binding);
    bind_role(&binding, ROLE_MAC);
    bind_role(&binding, ROLE_TAIL);
    bind_role(&binding, ROLE_OTHER);
    count_units(&binding);
}
