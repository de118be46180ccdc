/* Registers of state machines.
 *
 * A thread is a one-hot state machine, so that "group active" is a register. Each state is a group
 * that is repeated some times without a gap, and two counters are shared by all states of a thread:
 *
 *   phase    cycle of the group, 0 .. latency-1; a registered bit says "last phase". Only if there
 * is a group of more than one cycle. turns    turns left minus 2, loaded with the state. It counts
 * down, and its top bit, set when it passes 0, says "last turn": there is no comparison. Only if
 * something is repeated.
 *
 *   advance = last phase & last turn & nothing to wait for
 *
 * and with `advance` each state register takes the or of the states that lead to it: in a plain
 * sequence the machine is a shift register. A thread that does not run has no state set, and stands
 * at the last phase of the last turn. */
#include "rtl/machine.h"

static Signal *signal_at(Construction *c, int signal) {
    return &c->module->signals.items[signal];
}

/* A name in a thread: those of the component's own have no prefix. */
static const char *thread_name(Construction *c, const Thread *thread, const char *name) {
    if (!thread->name) return name;
    return string_format(c->netlist->arena, "%s_%s", thread->name, name);
}

static int register_new(Construction *c, const char *thread, const char *name, int width) {
    if (thread) name = string_format(c->netlist->arena, "%s_%s", thread, name);
    int signal = signal_add(c->netlist, c->module, name, SIGNAL_REGISTER, width);
    signal_at(c, signal)->has_reset = true;
    return signal;
}

/* Bits of a counter of `turns` turns: 0 .. turns-2, and the sign. */
static int turn_bits(int64_t turns) {
    return bits_to_count((uint64_t)turns - 1) + 1;
}

static Expression top_bit(Construction *c, int signal) {
    int width = signal_at(c, signal)->width;
    return expression_slice(c->netlist, c->module, signal_of(c, signal), width - 1, 1);
}

/* --- declaration --- */

static void thread_declare(Construction *c, Thread *thread) {
    thread->busy = register_new(c, thread->name, "busy", 1);
    thread->phase = thread->phase_last = thread->turn_count = -1;
    thread->phase_ends = thread->turn_ends = constant_of(c, 1, 1);
    thread->ends = thread->start = constant_of(c, 1, 0);
    if (thread->phases > 1) {
        thread->phase =
            register_new(c, thread->name, "phase", bits_to_count((uint64_t)thread->phases));
        thread->phase_last = register_new(c, thread->name, "last_phase", 1);
        signal_at(c, thread->phase_last)->reset_value = 1;
        thread->phase_ends = signal_of(c, thread->phase_last);
        signal_at(c, thread->phase)->comment = "cycle of the group";
    }
    if (thread->turns > 1) {
        int width = turn_bits(thread->turns);
        thread->turn_count = register_new(c, thread->name, "turns", width);
        signal_at(c, thread->turn_count)->reset_value = (Bits)1 << (width - 1);
        signal_at(c, thread->turn_count)->comment = "turns left, minus 2: below 0 in the last one";
        thread->turn_ends = top_bit(c, thread->turn_count);
        expression_name(c->module, thread->turn_ends, "last_turn");
    }
    for (int i = 0; i < thread->counters.count; i++) {
        Counter *counter = &thread->counters.items[i];
        counter->signal = register_new(c, thread->name, "repeats", turn_bits(counter->turns));
        counter->load = counter->step = constant_of(c, 1, 0);
        counter->value = constant_of(c, turn_bits(counter->turns), 0);
    }
}

static const char *state_name(const Construction *c, const State *state) {
    switch (state->kind) {
    case STATE_GROUP: return c->component->groups.items[state->group].name;
    case STATE_INVOKE:
        return string_format(c->netlist->arena, "%s_runs",
                             c->component->cells.items[state->cell].name);
    case STATE_JOIN: return "join_state";
    default: return "pad_state";
    }
}

static void state_declare(Machine *machine, State *state) {
    Construction *c = machine->construction;
    const Thread *thread = &machine->threads.items[state->thread];
    state->signal = register_new(c, NULL, state_name(c, state), 1);
    state->enter = constant_of(c, 1, 0);
    if (state->kind != STATE_GROUP) return;
    signal_at(c, state->signal)->comment = c->component->groups.items[state->group].comment;
    GroupUse use = {.state = signal_of(c, state->signal),
                    .phase = state->latency > 1 ? signal_of(c, thread->phase) : -1};
    vector_push(c->netlist->arena, &c->groups[state->group].uses, use);
}

void machine_declare(Machine *machine) {
    for (int i = 0; i < machine->threads.count; i++)
        thread_declare(machine->construction, &machine->threads.items[i]);
    for (int i = 0; i < machine->states.count; i++)
        state_declare(machine, &machine->states.items[i]);
}

/* --- advance --- */

/* 1 in the last cycle of a child thread, and after it. */
static Expression child_over(Machine *machine, const Thread *child) {
    Construction *c = machine->construction;
    Expression idle = not_of(c, signal_of(c, child->busy));
    return or_of(c, idle, and_of(c, child->advance, child->ends));
}

/* 1 when a state of unknown length ends. */
static Expression state_done(Machine *machine, const State *state) {
    Construction *c = machine->construction;
    if (state->kind == STATE_JOIN) {
        Expression all = constant_of(c, 1, 1);
        for (int i = 0; i < state->children; i++)
            all = and_of(c, all,
                         child_over(machine, &machine->threads.items[state->first_child + i]));
        return all;
    }
    if (state->kind == STATE_INVOKE) return instance_done(c, state->cell);
    return group_done_value(c, state->group);
}

void machine_advance(Machine *machine, int index) {
    Construction *c = machine->construction;
    Thread *thread = &machine->threads.items[index];
    Expression advance = and_of(c, thread->phase_ends, thread->turn_ends);
    for (int i = 0; i < machine->states.count; i++) {
        const State *state = &machine->states.items[i];
        if (state->thread != index || state->latency > 0) continue;
        Expression done = state_done(machine, state);
        Expression here = signal_of(c, state->signal);
        advance = and_of(c, advance, or_of(c, not_of(c, here), done));
        if (state->kind != STATE_INVOKE) continue;
        Expression runs = and_of(c, here, not_of(c, done)), before = c->cells[state->cell].go;
        c->cells[state->cell].go = before < 0 ? runs : or_of(c, before, runs);
    }
    thread->advance = advance;
    const char *name =
        thread->name ? string_format(c->netlist->arena, "%s_advance", thread->name) : "advance";
    expression_name(c->module, advance, name);
}

/* --- definition --- */

static void define(Construction *c, int signal, Expression value, Expression enable) {
    signal_at(c, signal)->value = value;
    signal_at(c, signal)->enable = is_value(c, enable, 1) ? -1 : enable;
}

/* The or over the states of a thread that pass a test, of what they are or of when they are
 * entered. */
static Expression any_state(Machine *machine, int thread, bool entered, int latency) {
    Construction *c = machine->construction;
    Expression any = constant_of(c, 1, 0);
    for (int i = 0; i < machine->states.count; i++) {
        const State *state = &machine->states.items[i];
        bool counts = latency ? state->latency == latency : state->latency > 1;
        if (state->thread == thread && counts)
            any = or_of(c, any, entered ? state->enter : signal_of(c, state->signal));
    }
    return any;
}

/* 1 in the last cycle but one of a turn of more than one cycle. */
static Expression second_last_phase(Machine *machine, int index) {
    Construction *c = machine->construction;
    const Thread *thread = &machine->threads.items[index];
    Expression phase = signal_of(c, thread->phase), any = constant_of(c, 1, 0);
    int lengths = 0;
    for (int latency = 2; latency <= thread->phases; latency++)
        lengths += !is_value(c, any_state(machine, index, false, latency), 0);
    for (int latency = 2; latency <= thread->phases; latency++) {
        Expression here = any_state(machine, index, false, latency);
        if (is_value(c, here, 0)) continue;
        Expression now = compare_of(c, EXPRESSION_EQ, phase, (Bits)latency - 2);
        any = or_of(c, any, lengths == 1 ? now : and_of(c, here, now));
    }
    /* With groups of two cycles only, the phase before the last one is the only one. */
    return thread->phases == 2 ? constant_of(c, 1, 1) : any;
}

static void phase_define(Machine *machine, int index) {
    Construction *c = machine->construction;
    const Thread *thread = &machine->threads.items[index];
    if (thread->phase < 0) return;
    Expression phase = signal_of(c, thread->phase), one = constant_of(c, width_of(c, phase), 1);
    Expression next =
        expression(c->netlist, c->module, EXPRESSION_ADD, width_of(c, phase), phase, one, -1);
    Expression zero = constant_of(c, width_of(c, phase), 0);
    define(c, thread->phase, mux_of(c, thread->phase_ends, zero, next), constant_of(c, 1, 1));
    Expression entered = any_state(machine, index, true, 0),
               here = any_state(machine, index, false, 0);
    expression_name(c->module, entered, thread_name(c, thread, "long_group_next"));
    expression_name(c->module, here, thread_name(c, thread, "long_group"));
    bool always = thread->advance == thread->phase_ends; /* nothing is repeated */
    Expression longer = always ? entered : mux_of(c, thread->advance, entered, here);
    Expression last =
        mux_of(c, thread->phase_ends, not_of(c, longer), second_last_phase(machine, index));
    define(c, thread->phase_last, last, constant_of(c, 1, 1));
}

static Expression minus_one(Construction *c, int signal) {
    int width = signal_at(c, signal)->width;
    return expression(c->netlist, c->module, EXPRESSION_SUBTRACT, width, signal_of(c, signal),
                      constant_of(c, width, 1), -1);
}

/* With `advance`: what the next state wants, or "last turn" if it is not repeated. */
static void turns_define(Machine *machine, int index) {
    Construction *c = machine->construction;
    const Thread *thread = &machine->threads.items[index];
    if (thread->turn_count < 0) return;
    int width = signal_at(c, thread->turn_count)->width - 1;
    Expression zero = constant_of(c, width, 0), number = zero, repeated = constant_of(c, 1, 0);
    for (int i = 0; i < machine->states.count; i++) {
        const State *state = &machine->states.items[i];
        if (state->thread != index || state->turns < 2) continue;
        Expression turns = constant_of(c, width, (Bits)state->turns - 2);
        number = or_of(c, number, mux_of(c, state->enter, turns, zero));
        repeated = or_of(c, repeated, state->enter);
    }
    Expression load = expression(c->netlist, c->module, EXPRESSION_CONCAT, width + 1,
                                 not_of(c, repeated), number, -1);
    expression_name(
        c->module, load,
        string_format(c->netlist->arena, "%s_loaded", signal_at(c, thread->turn_count)->name));
    Expression less = minus_one(c, thread->turn_count);
    if (!thread->waits) { /* advance = last phase & last turn */
        define(c, thread->turn_count, mux_of(c, thread->turn_ends, load, less), thread->phase_ends);
        return;
    }
    Expression moves = or_of(c, thread->advance, not_of(c, thread->turn_ends));
    define(c, thread->turn_count, mux_of(c, thread->advance, load, less),
           and_of(c, thread->phase_ends, moves));
}

static void counters_define(Construction *c, const Thread *thread) {
    for (int i = 0; i < thread->counters.count; i++) {
        const Counter *counter = &thread->counters.items[i];
        Expression moves = and_of(c, thread->advance, or_of(c, counter->load, counter->step));
        Expression value = mux_of(c, counter->load, counter->value, minus_one(c, counter->signal));
        define(c, counter->signal, value, moves);
    }
}

void machine_define(Machine *machine) {
    Construction *c = machine->construction;
    for (int i = 0; i < machine->threads.count; i++) {
        const Thread *thread = &machine->threads.items[i];
        phase_define(machine, i);
        turns_define(machine, i);
        counters_define(c, thread);
        define(c, thread->busy, thread->runs, constant_of(c, 1, 1));
    }
    for (int i = 0; i < machine->states.count; i++) {
        const State *state = &machine->states.items[i];
        define(c, state->signal, state->enter, machine->threads.items[state->thread].advance);
        expression_name(
            c->module, state->enter,
            string_format(c->netlist->arena, "%s_enter", signal_at(c, state->signal)->name));
    }
}
