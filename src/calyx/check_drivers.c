/* Drivers: at most one assignment drives a port in any cycle, and no value depends on itself within
 * a cycle.
 *
 * Two assignments to one port are safe if their groups are never active together, or if their
 * guards cannot both hold. The latter is decided by form: g and !g, different cycles of a group,
 * the same port compared with different numbers. */
#include "calyx/check.h"

/* --- guards that cannot both hold --- */

static bool same_operands(const Guard *a, const Guard *b) {
    return port_equal(a->left, b->left) && port_equal(a->right, b->right);
}

/* Neither is a not, an and or an or. `wanted`: the literal, or its inversion. */
static bool literals_exclude(const Guard *a, bool a_wanted, const Guard *b, bool b_wanted) {
    if (a->kind == GUARD_TRUE) return !a_wanted;
    if (b->kind == GUARD_TRUE) return !b_wanted;
    if (a->kind != b->kind) return false;
    if (a->kind == GUARD_PORT) return a_wanted != b_wanted && port_equal(a->left, b->left);
    if (a->kind == GUARD_TIME) {
        if (a_wanted && b_wanted) return a->to <= b->from || b->to <= a->from;
        bool b_in_a = a->from <= b->from && b->to <= a->to,
             a_in_b = b->from <= a->from && a->to <= b->to;
        return (a_wanted && !b_wanted && a_in_b) || (!a_wanted && b_wanted && b_in_a);
    }
    if (a->condition == b->condition && same_operands(a, b)) return a_wanted != b_wanted;
    bool both_numbers =
        a->right.cell == LITERAL && b->right.cell == LITERAL && port_equal(a->left, b->left);
    bool both_equal = a->condition == GUARD_EQ && b->condition == GUARD_EQ && a_wanted && b_wanted;
    return both_numbers && both_equal && a->right.value != b->right.value;
}

typedef struct Literal {
    int guard;
    bool wanted;
} Literal;

/* Looks through inversions. */
static Literal literal_of(const Component *component, int guard, bool wanted) {
    while (component->guards.items[guard].kind == GUARD_NOT) {
        guard = component->guards.items[guard].operands[0];
        wanted = !wanted;
    }
    return (Literal){guard, wanted};
}

static bool is_sum(const Guard *guard, bool wanted) {
    return guard->kind == (wanted ? GUARD_OR : GUARD_AND);
}
static bool is_product(const Guard *guard, bool wanted) {
    return guard->kind == (wanted ? GUARD_AND : GUARD_OR);
}

/* Sums are opened first: each of their parts must exclude the other side. Of a product one part is
 * enough. */
static bool exclude(const Component *component, Literal a, Literal b) {
    a = literal_of(component, a.guard, a.wanted);
    b = literal_of(component, b.guard, b.wanted);
    const Guard *left = &component->guards.items[a.guard],
                *right = &component->guards.items[b.guard];
    if (is_sum(right, b.wanted) && !is_sum(left, a.wanted)) return exclude(component, b, a);
    if (is_sum(left, a.wanted))
        return exclude(component, (Literal){left->operands[0], a.wanted}, b) &&
               exclude(component, (Literal){left->operands[1], a.wanted}, b);
    if (is_product(left, a.wanted))
        return exclude(component, (Literal){left->operands[0], a.wanted}, b) ||
               exclude(component, (Literal){left->operands[1], a.wanted}, b);
    if (is_product(right, b.wanted)) return exclude(component, b, a);
    return literals_exclude(left, a.wanted, right, b.wanted);
}

/* --- drivers of each port --- */

typedef struct Driver {
    const Assignment *assignment;
    int group; /* -1: continuous */
} Driver;

typedef struct Ports {
    int *first_port; /* of each cell; of the component itself at the end */
    int count;
    int *starts; /* drivers of port p: starts[p] .. starts[p+1]-1 */
    Driver *drivers;
} Ports;

static int port_number(const Component *component, const Ports *ports, Port port) {
    return ports->first_port[port.cell == THIS ? component->cells.count : port.cell] + port.port;
}

/* Counting sort by port; within one port, the groups in order. */
static void collect(Check *check, Ports *ports, bool place) {
    const Component *component = check->component;
    for (int g = -1; g < component->groups.count; g++) {
        int count =
            g < 0 ? component->continuous.count : component->groups.items[g].assignments.count;
        const Assignment *items =
            g < 0 ? component->continuous.items : component->groups.items[g].assignments.items;
        for (int i = 0; i < count; i++) {
            int port = port_number(component, ports, items[i].destination);
            if (place)
                ports->drivers[ports->starts[port + 1]++] = (Driver){&items[i], g};
            else
                ports->starts[port + 2]++;
        }
    }
}

static Ports ports_make(Check *check) {
    const Component *component = check->component;
    Ports ports = {.first_port =
                       arena_array(check->arena, (size_t)component->cells.count + 1, sizeof(int))};
    for (int i = 0; i < component->cells.count; i++) {
        ports.first_port[i] = ports.count;
        ports.count += cell_port_count(&component->cells.items[i]);
    }
    ports.first_port[component->cells.count] = ports.count;
    ports.count += component->ports.count;
    ports.starts = arena_array(check->arena, (size_t)ports.count + 3, sizeof(int));
    collect(check, &ports, false);
    for (int p = 2; p <= ports.count + 1; p++) ports.starts[p] += ports.starts[p - 1];
    ports.drivers =
        arena_array(check->arena, (size_t)ports.starts[ports.count + 1] + 1, sizeof(Driver));
    collect(check, &ports, true);
    return ports;
}

static const char *port_text(Check *check, Port port) {
    const char *name = port_info(check->component, port).name;
    if (port.cell < 0) return name;
    return string_format(check->arena, "%s.%s", check->component->cells.items[port.cell].name,
                         name);
}

static void check_pair(Check *check, const Driver *a, const Driver *b) {
    if (exclude(check->component, (Literal){a->assignment->guard, true},
                (Literal){b->assignment->guard, true}))
        return;
    const char *group =
        b->group < 0 ? "the continuous assignments" : check->component->groups.items[b->group].name;
    check_fault(check, port_text(check, a->assignment->destination),
                "it may be driven twice in a cycle (in %s)", group);
}

static void check_port_drivers(Check *check, const Ports *ports, int port, const bool *overlap) {
    int from = ports->starts[port], to = ports->starts[port + 1],
        groups = check->component->groups.count;
    for (int i = from, start = from; i < to && check->fine; i++) {
        const Driver *one = &ports->drivers[i];
        if (ports->drivers[start].group != one->group) start = i;
        for (int k = overlap ? from : start; k < i && check->fine; k++) {
            const Driver *other = &ports->drivers[k];
            bool together = other->group == one->group ||
                            (other->group >= 0 && overlap[one->group * groups + other->group]);
            if (together) check_pair(check, other, one);
        }
        /* Continuous assignments come first and hold beside every group. */
        for (int k = from; one->group >= 0 && k < to && ports->drivers[k].group < 0 && check->fine;
             k++)
            check_pair(check, &ports->drivers[k], one);
    }
}

/* --- combinational cycles --- */

typedef struct Walk {
    Check *check;
    const Ports *ports;
    signed char *colors; /* of cells: 0 not seen, 1 on the path, 2 done */
} Walk;

static bool walk_cell(Walk *walk, int cell);

static bool walk_port(Walk *walk, Port port) {
    return port.cell < 0 || walk_cell(walk, port.cell);
}

static bool walk_guard(Walk *walk, int index) {
    const Guard *guard = &walk->check->component->guards.items[index];
    switch (guard->kind) {
    case GUARD_PORT: return walk_port(walk, guard->left);
    case GUARD_COMPARE: return walk_port(walk, guard->left) && walk_port(walk, guard->right);
    case GUARD_NOT: return walk_guard(walk, guard->operands[0]);
    case GUARD_AND:
    case GUARD_OR:
        return walk_guard(walk, guard->operands[0]) && walk_guard(walk, guard->operands[1]);
    default: return true;
    }
}

static bool walk_cell(Walk *walk, int index) {
    const Cell *cell = &walk->check->component->cells.items[index];
    if (!cell_is_combinational(cell) || walk->colors[index] == 2) return true;
    if (walk->colors[index] == 1)
        return check_fault(walk->check, cell->name, "it depends on itself within one cycle");
    walk->colors[index] = 1;
    int from = walk->ports->first_port[index], to = walk->ports->first_port[index + 1];
    for (int d = walk->ports->starts[from]; d < walk->ports->starts[to]; d++) {
        const Assignment *assignment = walk->ports->drivers[d].assignment;
        if (!walk_port(walk, assignment->source) || !walk_guard(walk, assignment->guard))
            return false;
    }
    walk->colors[index] = 2;
    return true;
}

void check_drivers(Check *check) {
    Ports ports = ports_make(check);
    const bool *overlap = groups_overlap(check);
    for (int p = 0; p < ports.count && check->fine; p++)
        check_port_drivers(check, &ports, p, overlap);
    Walk walk = {check, &ports,
                 arena_alloc(check->arena, (size_t)check->component->cells.count + 1)};
    for (int i = 0; i < check->component->cells.count && check->fine; i++) walk_cell(&walk, i);
}
