/* From assignments to expressions: which value drives a port.
 *
 * A port that must be 0 when nothing drives it (an enable) is the or of its assignments, each gated
 * by its condition: group active and guard. A data port may have any value then, which saves most
 * of the gates: with one source it needs none; within one group only the guards count; the last
 * alternative needs no condition. Groups are told apart by their state registers, which are
 * one-hot, so that many sources make an and-or instead of a long chain of choices. */
#include "rtl/construction.h"

/* Sources of a data port beyond which an and-or is smaller than a chain. */
enum { CHAIN_LIMIT = 3, GUARD_CHAIN_LIMIT = 16 };

/* --- drivers --- */

static int port_number(const Construction *c, Port port) {
    int cell = port.cell == THIS ? c->component->cells.count : port.cell;
    return c->cells[cell].first_port + port.port;
}

/* Calls `visit` for every assignment, groups in order. */
static void each_assignment(Construction *c,
                            void (*visit)(Construction *, const Assignment *, int)) {
    const Component *component = c->component;
    for (int i = 0; i < component->continuous.count; i++)
        visit(c, &component->continuous.items[i], -1);
    for (int g = 0; g < component->groups.count; g++)
        for (int i = 0; i < component->groups.items[g].assignments.count; i++)
            visit(c, &component->groups.items[g].assignments.items[i], g);
}

static void count_driver(Construction *c, const Assignment *assignment, int group) {
    (void)group;
    c->ports[port_number(c, assignment->destination)].driver_count++;
}

static void place_driver(Construction *c, const Assignment *assignment, int group) {
    PortState *port = &c->ports[port_number(c, assignment->destination)];
    c->drivers[port->first_driver + port->driver_count++] = (Driver){assignment, group};
}

void drivers_collect(Construction *c) {
    const Component *component = c->component;
    int ports = c->cells[component->cells.count].first_port + component->ports.count;
    each_assignment(c, count_driver);
    int total = 0;
    for (int i = 0; i < ports; i++) {
        c->ports[i].first_driver = total;
        total += c->ports[i].driver_count;
        c->ports[i].driver_count = 0;
    }
    c->drivers = arena_array(c->netlist->arena, (size_t)total + 1, sizeof *c->drivers);
    each_assignment(c, place_driver);
}

/* --- conditions --- */

static Expression phase_guard(Construction *c, const Guard *guard, Expression phase) {
    if (phase < 0) return constant_of(c, 1, guard->from == 0 && guard->to > 0);
    Bits last = bits_mask(width_of(c, phase));
    Bits from = (Bits)guard->from, to = (Bits)guard->to;
    if (from + 1 == to) {
        Expression now = compare_of(c, EXPRESSION_EQ, phase, from);
        expression_name(c->module, now,
                        string_format(c->netlist->arena, "in_phase_%d", guard->from));
        return now;
    }
    Expression started = compare_of(c, EXPRESSION_GE, phase, from);
    if (to > last) return started;
    return and_of(c, started, compare_of(c, EXPRESSION_LT, phase, to));
}

static Expression make_guard(Construction *c, const Guard *guard, Expression phase) {
    static const ExpressionKind comparisons[] = {
        [GUARD_EQ] = EXPRESSION_EQ, [GUARD_NE] = EXPRESSION_NE, [GUARD_LT] = EXPRESSION_LT,
        [GUARD_LE] = EXPRESSION_LE, [GUARD_GT] = EXPRESSION_GT, [GUARD_GE] = EXPRESSION_GE};
    switch (guard->kind) {
    case GUARD_TRUE: return constant_of(c, 1, 1);
    case GUARD_PORT: return port_value(c, guard->left);
    case GUARD_NOT: return not_of(c, guard_value(c, guard->operands[0], phase));
    case GUARD_TIME: return phase_guard(c, guard, phase);
    case GUARD_COMPARE: {
        Expression left = port_value(c, guard->left), right = port_value(c, guard->right);
        return expression(c->netlist, c->module, comparisons[guard->condition], 1, left, right, -1);
    }
    default: {
        Expression left = guard_value(c, guard->operands[0], phase);
        Expression right = guard_value(c, guard->operands[1], phase);
        return guard->kind == GUARD_AND ? and_of(c, left, right) : or_of(c, left, right);
    }
    }
}

Expression guard_value(Construction *c, int index, Expression phase) {
    if (!c->guard_timed[index] && c->guards[index] >= 0) return c->guards[index];
    Expression value = make_guard(c, &c->component->guards.items[index], phase);
    if (!c->guard_timed[index]) c->guards[index] = value;
    return value;
}

/* 1 while control is in the group, its `done` cycle included. */
static Expression group_state(Construction *c, int group) {
    Expression state = constant_of(c, 1, 0);
    for (int i = 0; i < c->groups[group].uses.count; i++)
        state = or_of(c, state, c->groups[group].uses.items[i].state);
    return state;
}

Expression group_done_value(Construction *c, int group) {
    const Assignment *done = &c->component->groups.items[group].done;
    return and_of(c, guard_value(c, done->guard, -1), port_value(c, done->source));
}

Expression group_active(Construction *c, int group) {
    GroupState *state = &c->groups[group];
    if (state->active >= 0) return state->active;
    Expression active = group_state(c, group);
    if (c->component->groups.items[group].latency == 0)
        active = and_of(c, active, not_of(c, group_done_value(c, group)));
    return state->active = active;
}

/* The guard, wherever the group is enabled; `gated`: and only while it is active. A group whose
 * places disagree on what counts its cycles needs the gate in any case. */
static Expression condition_of(Construction *c, const Driver *driver, bool gated) {
    int guard = driver->assignment->guard;
    if (driver->group < 0) return guard_value(c, guard, -1);
    const GroupState *group = &c->groups[driver->group];
    if (group->uses.count == 0) return constant_of(c, 1, 0);
    bool one_phase = !c->guard_timed[guard];
    for (int i = 1; i < group->uses.count && !one_phase; i++)
        if (group->uses.items[i].phase != group->uses.items[0].phase) gated = true;
    if (one_phase || group->uses.count == 1) {
        Expression value = guard_value(c, guard, group->uses.items[0].phase);
        return gated ? and_of(c, group_active(c, driver->group), value) : value;
    }
    Expression any = constant_of(c, 1, 0);
    for (int i = 0; i < group->uses.count; i++) {
        const GroupUse *use = &group->uses.items[i];
        any = or_of(c, any, and_of(c, use->state, guard_value(c, guard, use->phase)));
    }
    return any;
}

/* --- choices --- */

typedef struct Choice {
    Expression condition, value;
} Choice;
typedef struct Choices {
    Choice *items;
    int count;
} Choices;

/* Adds an alternative; equal values share one. The list is short, but for ports with hundreds of
 * sources only the last ones are looked at. */
static void choices_add(Construction *c, Choices *choices, Expression condition, Expression value) {
    int first = choices->count > 32 ? choices->count - 32 : 0;
    for (int i = first; i < choices->count; i++) {
        if (choices->items[i].value != value) continue;
        choices->items[i].condition = or_of(c, choices->items[i].condition, condition);
        return;
    }
    choices->items[choices->count++] = (Choice){condition, value};
}

static Expression and_or(Construction *c, const Choices *choices, int width) {
    Expression zero = constant_of(c, width, 0), value = zero;
    for (int i = 0; i < choices->count; i++)
        value =
            or_of(c, value, mux_of(c, choices->items[i].condition, choices->items[i].value, zero));
    return value;
}

/* `condition` where `known` is 0 (or, if it is an inversion, its operand is 1): conjunctions lose
 * what is known. */
static Expression without(Construction *c, Expression condition, Expression known) {
    if (condition == not_of(c, known)) return constant_of(c, 1, 1);
    if (condition == known) return constant_of(c, 1, 0);
    const ExpressionNode *node = &c->module->expressions.items[condition];
    if (node->kind != EXPRESSION_AND) return condition;
    Expression left = node->operands[0], right = node->operands[1];
    return and_of(c, without(c, left, known), without(c, right, known));
}

/* first ? a : second ? b : c. What an earlier condition that failed tells of the later ones is
 * used: the alternatives of an odometer become !last_j ? .. : !last_i ? .. : .. */
static Expression chain(Construction *c, Choices *choices, int from) {
    if (from == choices->count - 1) return choices->items[from].value;
    Choice first = choices->items[from];
    for (int i = from + 1; i < choices->count; i++)
        choices->items[i].condition = without(c, choices->items[i].condition, first.condition);
    return mux_of(c, first.condition, first.value, chain(c, choices, from + 1));
}

/* The number of parts of a conjunction. */
static int parts(const Construction *c, Expression condition) {
    const ExpressionNode *node = &c->module->expressions.items[condition];
    if (node->kind != EXPRESSION_AND) return 1;
    return parts(c, node->operands[0]) + parts(c, node->operands[1]);
}

/* Plain conditions first; stable. */
static void sort_by_parts(const Construction *c, Choices *choices) {
    for (int i = 1; i < choices->count; i++) {
        Choice moved = choices->items[i];
        int size = parts(c, moved.condition), k = i;
        for (; k > 0 && parts(c, choices->items[k - 1].condition) > size; k--)
            choices->items[k] = choices->items[k - 1];
        choices->items[k] = moved;
    }
}

/* --- ports --- */

static Choices choices_new(Construction *c, int count) {
    return (Choices){arena_array(c->netlist->arena, (size_t)count + 1, sizeof(Choice)), 0};
}

/* Whether the guards tell the drivers apart by the cycle of the group alone. */
static bool apart_in_time(const Construction *c, const Driver *drivers, int count) {
    for (int i = 0; i < count; i++)
        if (c->component->guards.items[drivers[i].assignment->guard].kind != GUARD_TIME)
            return false;
    return true;
}

/* What the drivers of one group give to a data port while the group is active. */
static Expression data_in_group(Construction *c, const Driver *drivers, int count) {
    if (count == 1) return port_value(c, drivers[0].assignment->source);
    Choices choices = choices_new(c, count);
    bool few = count <= GUARD_CHAIN_LIMIT;
    for (int i = 0; i < count; i++) {
        Choice choice = {condition_of(c, &drivers[i], false),
                         port_value(c, drivers[i].assignment->source)};
        if (few)
            choices.items[choices.count++] = choice; /* equal ones meet in the chain */
        else
            choices_add(c, &choices, choice.condition, choice.value);
    }
    if (!few) return and_or(c, &choices, drivers[0].assignment->destination.width);
    sort_by_parts(c, &choices);
    return chain(c, &choices, 0);
}

/* 1 in the cycles in which one of these drivers of one group may matter. */
static Expression drivers_state(Construction *c, const Driver *drivers, int count) {
    if (drivers[0].group >= 0) return group_state(c, drivers[0].group);
    Expression any = constant_of(c, 1, 0);
    for (int i = 0; i < count; i++) any = or_of(c, any, condition_of(c, &drivers[i], false));
    return any;
}

/* "UNIT_PORT_GROUP": what a group with several sources gives to a port. */
static void name_in_group(Construction *c, Expression value, const Driver *driver) {
    Port port = driver->assignment->destination;
    if (driver->group < 0 || port.cell < 0) return;
    const char *cell = c->component->cells.items[port.cell].name;
    const char *group = c->component->groups.items[driver->group].name;
    expression_name(c->module, value,
                    string_format(c->netlist->arena, "%s_%s_%s", cell,
                                  port_info(c->component, port).name, group));
}

static Expression data_value(Construction *c, const Driver *drivers, int count) {
    Choices choices = choices_new(c, count);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && drivers[next].group == drivers[i].group;) next++;
        Expression state = drivers_state(c, drivers + i, next - i);
        if (is_value(c, state, 0)) continue; /* the group is never enabled */
        if (next - i > 1 && drivers[i].group >= 0 && apart_in_time(c, drivers + i, next - i)) {
            /* Equal values of different groups meet. */
            for (int k = i; k < next; k++)
                choices_add(c, &choices, condition_of(c, &drivers[k], true),
                            port_value(c, drivers[k].assignment->source));
            continue;
        }
        Expression value = data_in_group(c, drivers + i, next - i);
        if (next - i > 1 && next - i < count) name_in_group(c, value, &drivers[i]);
        choices_add(c, &choices, state, value);
    }
    if (choices.count == 0) return constant_of(c, drivers[0].assignment->destination.width, 0);
    if (choices.count <= CHAIN_LIMIT) return chain(c, &choices, 0);
    return and_or(c, &choices, drivers[0].assignment->destination.width);
}

static Expression gated_value(Construction *c, const Driver *drivers, int count) {
    Choices choices = choices_new(c, count);
    for (int i = 0; i < count; i++)
        choices_add(c, &choices, condition_of(c, &drivers[i], true),
                    port_value(c, drivers[i].assignment->source));
    return and_or(c, &choices, drivers[0].assignment->destination.width);
}

static Expression drivers_value(Construction *c, const PortState *port, PortInfo info) {
    const Driver *drivers = c->drivers + port->first_driver;
    if (port->driver_count == 0) return constant_of(c, info.width, 0);
    return info.is_data ? data_value(c, drivers, port->driver_count)
                        : gated_value(c, drivers, port->driver_count);
}

static bool report_cycle(Construction *c, int cell, const char *port) {
    const char *name = cell == THIS ? c->component->name : c->component->cells.items[cell].name;
    if (!c->failed)
        error_at(c->diagnostics, STATUS_INTERNAL, c->component->name,
                 "combinational cycle through %s.%s", name, port);
    c->failed = true;
    return false;
}

Expression input_value(Construction *c, int cell, int port) {
    PortInfo info = port_info(c->component, (Port){.cell = cell, .port = port});
    PortState *state = &c->ports[port_number(c, (Port){.cell = cell, .port = port})];
    if (state->value >= 0) return state->value;
    if (state->in_progress) {
        report_cycle(c, cell, info.name);
        return constant_of(c, info.width, 0);
    }
    state->in_progress = true;
    state->value = drivers_value(c, state, info);
    state->in_progress = false;
    if (state->driver_count > 1 && cell >= 0)
        expression_name(c->module, state->value,
                        string_format(c->netlist->arena, "%s_%s",
                                      c->component->cells.items[cell].name, info.name));
    return state->value;
}
