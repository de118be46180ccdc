/* Control as state machines.
 *
 * First the control program becomes a plan: leaves are states, sequences are flat, empty control is
 * gone, the child of a parallel is a plan of its own, for a thread of its own. A repeat around one
 * static group is turns of its state; one around more has a counter.
 *
 * Then conditions flow through the plan: what goes into a leaf is when its state comes next, what
 * comes out of it is the state itself. All conditions hold together with `advance` of the thread. A
 * branch looks at the value that its condition will have in the next cycle, when the group it leads
 * to starts, so that a decision takes no cycle.
 *
 * `done` of a register is 1 in the cycle after a write. A dynamic group that waits for it must not
 * start in the cycle after a static group that wrote the same register, or it would end at once: a
 * cycle of nothing is put between. */
#include "rtl/machine.h"

typedef enum PlanKind { PLAN_STATE, PLAN_SEQUENCE, PLAN_REPEAT, PLAN_IF, PLAN_WHILE } PlanKind;

struct Plan {
    PlanKind kind;
    int state;               /* STATE */
    int counter;             /* REPEAT: of the thread */
    int64_t times;           /* REPEAT */
    int repeats;             /* levels of counters inside, itself included */
    const Control *control;  /* IF, WHILE: has the condition */
    Vector(Plan *) children; /* IF: NULL for an empty branch */
    bool may_pass;           /* may take no cycle at all */
    bool begins_dynamic;     /* may begin with a dynamic group */
    bool ends_static;        /* may end with a static group */
    Expression exits; /* when control leaves it, if that does not depend on how it came; else -1 */
};

/* --- the plan --- */

static Plan *plan_new(Machine *machine, PlanKind kind) {
    Plan *plan = arena_new_of(machine->construction->netlist->arena, Plan);
    plan->kind = kind;
    plan->exits = -1;
    return plan;
}

static Plan *plan_state(Machine *machine, State state) {
    Plan *plan = plan_new(machine, PLAN_STATE);
    Thread *thread = &machine->threads.items[state.thread];
    thread->phases = state.latency > thread->phases ? state.latency : thread->phases;
    thread->waits = thread->waits || state.latency == 0;
    plan->begins_dynamic = state.kind == STATE_GROUP && state.latency == 0;
    plan->ends_static = state.kind == STATE_GROUP && state.latency > 0;
    plan->state = machine->states.count;
    vector_push(machine->construction->netlist->arena, &machine->states, state);
    return plan;
}

static Plan *plan_make(Machine *machine, const Control *control, int thread);

static Plan *plan_pad(Machine *machine, int thread, int64_t cycles);

/* Appends a plan, or the parts of a sequence. */
static void append(Machine *machine, Plan *sequence, Plan *part, int thread) {
    Arena *arena = machine->construction->netlist->arena;
    if (!part) return;
    if (part->kind == PLAN_SEQUENCE) {
        for (int i = 0; i < part->children.count; i++)
            append(machine, sequence, part->children.items[i], thread);
        return;
    }
    if (sequence->ends_static && part->begins_dynamic) {
        vector_push(arena, &sequence->children, plan_pad(machine, thread, 1));
        sequence->ends_static = false;
    }
    vector_push(arena, &sequence->children, part);
    sequence->ends_static = part->ends_static || (part->may_pass && sequence->ends_static);
}

static Plan *sequence_done(Plan *sequence) {
    if (sequence->children.count == 0) return NULL;
    if (sequence->children.count == 1) return sequence->children.items[0];
    bool passed = true; /* the children so far may all take no cycle */
    for (int i = 0; i < sequence->children.count; i++) {
        const Plan *child = sequence->children.items[i];
        sequence->begins_dynamic = sequence->begins_dynamic || (passed && child->begins_dynamic);
        passed = passed && child->may_pass;
        sequence->repeats = child->repeats > sequence->repeats ? child->repeats : sequence->repeats;
    }
    sequence->may_pass = passed;
    return sequence;
}

static Plan *plan_sequence(Machine *machine, const Control *control, int thread) {
    Plan *sequence = plan_new(machine, PLAN_SEQUENCE);
    for (int i = 0; i < control->children.count; i++)
        append(machine, sequence, plan_make(machine, control->children.items[i], thread), thread);
    return sequence_done(sequence);
}

static void turns_add(Machine *machine, State *state, int64_t times) {
    state->turns *= times;
    Thread *thread = &machine->threads.items[state->thread];
    thread->turns = state->turns > thread->turns ? state->turns : thread->turns;
}

/* The counter of a level is shared by all repeats of that level in the thread. */
static int counter_of(Machine *machine, int thread, int level, int64_t times) {
    Thread *owner = &machine->threads.items[thread];
    while (owner->counters.count <= level)
        vector_push(machine->construction->netlist->arena, &owner->counters,
                    (Counter){.signal = -1});
    Counter *counter = &owner->counters.items[level];
    counter->turns = times > counter->turns ? times : counter->turns;
    return level;
}

static Plan *plan_pad(Machine *machine, int thread, int64_t cycles) {
    State pad = {.kind = STATE_PAD, .thread = thread, .latency = 1, .turns = 1};
    Plan *plan = plan_state(machine, pad);
    turns_add(machine, &machine->states.items[plan->state], cycles);
    return plan;
}

/* The body of a loop. It takes at least one cycle, as conditions must not run in a circle; and it
 * follows itself. */
static Plan *plan_body(Machine *machine, const Control *body, int thread) {
    Plan *plan = plan_make(machine, body, thread);
    if (plan && !plan->may_pass && !(plan->begins_dynamic && plan->ends_static)) return plan;
    Plan *sequence = plan_new(machine, PLAN_SEQUENCE);
    append(machine, sequence, plan, thread);
    append(machine, sequence, plan_pad(machine, thread, 1), thread);
    return sequence_done(sequence);
}

/* A plan around a body. */
static Plan *plan_loop(Machine *machine, PlanKind kind, Plan *body) {
    Plan *plan = plan_new(machine, kind);
    plan->repeats = body->repeats;
    plan->begins_dynamic = body->begins_dynamic;
    plan->ends_static = body->ends_static;
    vector_push(machine->construction->netlist->arena, &plan->children, body);
    return plan;
}

static Plan *plan_repeat(Machine *machine, const Control *control, int thread) {
    const Control *child = control->children.items[0];
    if (control->times < 1 || child->kind == CONTROL_EMPTY) return NULL;
    if (control->times == 1) return plan_make(machine, child, thread);
    Plan *body = plan_body(machine, child, thread);
    State *state = body->kind == PLAN_STATE ? &machine->states.items[body->state] : NULL;
    if (state && state->latency > 0 && control->times <= INT64_MAX / 2 / state->turns) {
        turns_add(machine, state, control->times);
        return body;
    }
    Plan *plan = plan_loop(machine, PLAN_REPEAT, body);
    plan->times = control->times;
    plan->counter = counter_of(machine, thread, body->repeats, control->times);
    plan->repeats = body->repeats + 1;
    return plan;
}

/* A branch of a static if takes as long as the other. */
static Plan *plan_branch(Machine *machine, const Control *control, int branch, int thread) {
    const Component *component = machine->construction->component;
    Plan *sequence = plan_new(machine, PLAN_SEQUENCE);
    const Control *child =
        branch < control->children.count ? control->children.items[branch] : NULL;
    if (child) append(machine, sequence, plan_make(machine, child, thread), thread);
    if (control->is_static) {
        int64_t own = child ? control_cycles(component, child) : 0;
        int64_t missing = control_cycles(component, control) - own;
        if (missing > 0) append(machine, sequence, plan_pad(machine, thread, missing), thread);
    }
    return sequence_done(sequence);
}

static Plan *plan_if(Machine *machine, const Control *control, int thread) {
    Plan *plan = plan_new(machine, PLAN_IF);
    plan->control = control;
    for (int i = 0; i < 2; i++) {
        Plan *branch = plan_branch(machine, control, i, thread);
        vector_push(machine->construction->netlist->arena, &plan->children, branch);
        plan->may_pass = plan->may_pass || !branch || branch->may_pass;
        if (!branch) continue;
        plan->repeats = branch->repeats > plan->repeats ? branch->repeats : plan->repeats;
        plan->begins_dynamic = plan->begins_dynamic || branch->begins_dynamic;
        plan->ends_static = plan->ends_static || branch->ends_static;
    }
    return plan->children.items[0] || plan->children.items[1] ? plan : NULL;
}

static Plan *plan_while(Machine *machine, const Control *control, int thread) {
    Plan *body = plan_body(machine, control->children.items[0], thread);
    Plan *plan = plan_loop(machine, PLAN_WHILE, body);
    plan->control = control;
    plan->may_pass = true;
    return plan;
}

static int thread_new(Machine *machine, const char *name) {
    Arena *arena = machine->construction->netlist->arena;
    Thread thread = {.name = name, .phases = 1, .turns = 1};
    vector_push(arena, &machine->threads, thread);
    vector_push(arena, &machine->plans, (Plan *)NULL);
    return machine->threads.count - 1;
}

/* All children get their threads first, so that those of one parallel are next to each other. */
static Plan *plan_parallel(Machine *machine, const Control *control, int thread) {
    Arena *arena = machine->construction->netlist->arena;
    if (control->children.count == 0) return NULL;
    if (control->children.count == 1) return plan_make(machine, control->children.items[0], thread);
    State state = {.kind = STATE_JOIN, .thread = thread, .turns = 1};
    state.first_child = machine->threads.count;
    state.children = control->children.count;
    for (int i = 0; i < state.children; i++)
        thread_new(machine, string_format(arena, "thread_%d", machine->threads.count));
    Plan *plan = plan_state(machine, state);
    for (int i = 0; i < state.children; i++) {
        Plan *child = plan_make(machine, control->children.items[i], state.first_child + i);
        machine->plans.items[state.first_child + i] = child;
        plan->begins_dynamic = plan->begins_dynamic || (child && child->begins_dynamic);
        plan->ends_static = plan->ends_static || (child && child->ends_static);
    }
    return plan;
}

static Plan *plan_enable(Machine *machine, const Control *control, int thread) {
    int latency = machine->construction->component->groups.items[control->group].latency;
    State state = {.kind = STATE_GROUP,
                   .thread = thread,
                   .group = control->group,
                   .latency = latency,
                   .turns = 1};
    return plan_state(machine, state);
}

static Plan *plan_invoke(Machine *machine, const Control *control, int thread) {
    State state = {.kind = STATE_INVOKE, .thread = thread, .cell = control->cell, .turns = 1};
    return plan_state(machine, state);
}

static Plan *plan_make(Machine *machine, const Control *control, int thread) {
    static Plan *(*const makers[])(Machine *, const Control *,
                                   int) = {[CONTROL_ENABLE] = plan_enable,
                                           [CONTROL_SEQUENCE] = plan_sequence,
                                           [CONTROL_PARALLEL] = plan_parallel,
                                           [CONTROL_REPEAT] = plan_repeat,
                                           [CONTROL_IF] = plan_if,
                                           [CONTROL_WHILE] = plan_while,
                                           [CONTROL_INVOKE] = plan_invoke};
    return control->kind == CONTROL_EMPTY ? NULL : makers[control->kind](machine, control, thread);
}

/* --- conditions --- */

static Expression condition(Machine *machine, const Plan *plan) {
    return next_value(machine->construction, plan->control->condition);
}

static Expression last_repeat(Machine *machine, int thread, const Plan *plan) {
    Construction *c = machine->construction;
    int signal = machine->threads.items[thread].counters.items[plan->counter].signal;
    int width = c->module->signals.items[signal].width;
    return expression_slice(c->netlist, c->module, signal_of(c, signal), width - 1, 1);
}

/* When control leaves a plan that it entered on `enter`. */
static Expression exits(Machine *machine, int thread, Plan *plan, Expression enter) {
    Construction *c = machine->construction;
    if (!plan) return enter;
    if (plan->exits >= 0) return plan->exits;
    Expression result = enter, none = constant_of(c, 1, 0);
    switch (plan->kind) {
    case PLAN_STATE: result = signal_of(c, machine->states.items[plan->state].signal); break;
    case PLAN_SEQUENCE:
        for (int i = 0; i < plan->children.count; i++)
            result = exits(machine, thread, plan->children.items[i], result);
        break;
    case PLAN_REPEAT:
        result = and_of(c, exits(machine, thread, plan->children.items[0], none),
                        last_repeat(machine, thread, plan));
        break;
    case PLAN_IF: {
        Expression yes = condition(machine, plan), no = not_of(c, yes);
        result = or_of(c, exits(machine, thread, plan->children.items[0], and_of(c, enter, yes)),
                       exits(machine, thread, plan->children.items[1], and_of(c, enter, no)));
        break;
    }
    case PLAN_WHILE: {
        Expression at_test = or_of(c, enter, exits(machine, thread, plan->children.items[0], none));
        result = and_of(c, at_test, not_of(c, condition(machine, plan)));
        break;
    }
    }
    if (!plan->may_pass) plan->exits = result;
    return result;
}

/* 1 if control would pass a plan without a cycle. */
static Expression passes(Machine *machine, const Plan *plan) {
    Construction *c = machine->construction;
    Expression all = constant_of(c, 1, 1);
    if (plan && !plan->may_pass) return not_of(c, all);
    if (!plan) return all;
    if (plan->kind == PLAN_WHILE) return not_of(c, condition(machine, plan));
    if (plan->kind == PLAN_IF)
        return mux_of(c, condition(machine, plan), passes(machine, plan->children.items[0]),
                      passes(machine, plan->children.items[1]));
    for (int i = 0; i < plan->children.count; i++)
        all = and_of(c, all, passes(machine, plan->children.items[i]));
    return all;
}

static void enter_plan(Machine *machine, int thread, Plan *plan, Expression enter);

static void enter_state(Machine *machine, State *state, Expression enter) {
    Construction *c = machine->construction;
    state->enter = or_of(c, state->enter, enter);
    if (state->kind != STATE_JOIN) return;
    Expression starts = and_of(c, machine->threads.items[state->thread].advance, enter);
    for (int i = 0; i < state->children; i++) {
        int child = state->first_child + i;
        if (!machine->plans.items[child]) continue;
        Thread *thread = &machine->threads.items[child];
        thread->start = or_of(c, thread->start, starts);
    }
}

static void enter_repeat(Machine *machine, int thread, Plan *plan, Expression enter) {
    Construction *c = machine->construction;
    Plan *body = plan->children.items[0];
    Expression ends = exits(machine, thread, body, constant_of(c, 1, 0));
    Expression again = and_of(c, ends, not_of(c, last_repeat(machine, thread, plan)));
    Counter *counter = &machine->threads.items[thread].counters.items[plan->counter];
    int width = width_of(c, counter->value);
    Expression turns = constant_of(c, width, (Bits)plan->times - 2);
    counter->load = or_of(c, counter->load, enter);
    counter->step = or_of(c, counter->step, again);
    counter->value = or_of(c, counter->value, mux_of(c, enter, turns, constant_of(c, width, 0)));
    enter_plan(machine, thread, body, or_of(c, enter, again));
}

static void enter_plan(Machine *machine, int thread, Plan *plan, Expression enter) {
    Construction *c = machine->construction;
    if (!plan) return;
    switch (plan->kind) {
    case PLAN_STATE: enter_state(machine, &machine->states.items[plan->state], enter); break;
    case PLAN_SEQUENCE:
        for (int i = 0; i < plan->children.count; i++) {
            enter_plan(machine, thread, plan->children.items[i], enter);
            enter = exits(machine, thread, plan->children.items[i], enter);
        }
        break;
    case PLAN_REPEAT: enter_repeat(machine, thread, plan, enter); break;
    case PLAN_IF: {
        Expression yes = condition(machine, plan), no = not_of(c, yes);
        enter_plan(machine, thread, plan->children.items[0], and_of(c, enter, yes));
        enter_plan(machine, thread, plan->children.items[1], and_of(c, enter, no));
        break;
    }
    case PLAN_WHILE: {
        Plan *body = plan->children.items[0];
        Expression again = exits(machine, thread, body, constant_of(c, 1, 0));
        enter_plan(machine, thread, body,
                   and_of(c, or_of(c, enter, again), condition(machine, plan)));
        break;
    }
    }
}

/* --- the component --- */

/* go, done and the start: see RTL_START_CYCLES in rtl.h. */
static void handshake(Machine *machine, int finished) {
    Construction *c = machine->construction;
    Thread *root = &machine->threads.items[0];
    int go = control_signal(c, "go", SIGNAL_INPUT), done = control_signal(c, "done", SIGNAL_OUTPUT);
    Expression over = signal_of(c, finished);
    c->module->signals.items[done].value = over;
    Expression waits = not_of(c, or_of(c, signal_of(c, root->busy), over));
    root->start = and_of(c, signal_of(c, go), waits);
    expression_name(c->module, root->start, "start");
    c->module->signals.items[finished].value = and_of(c, over, signal_of(c, go));
}

static void enter_thread(Machine *machine, int index) {
    Construction *c = machine->construction;
    Thread *thread = &machine->threads.items[index];
    Plan *plan = machine->plans.items[index];
    enter_plan(machine, index, plan, thread->start);
    Expression pass = and_of(c, thread->start, passes(machine, plan));
    Expression ends = and_of(c, thread->advance, thread->ends);
    thread->over = or_of(c, pass, ends);
    Expression goes_on = and_of(c, signal_of(c, thread->busy), not_of(c, ends));
    thread->runs = or_of(c, and_of(c, thread->start, not_of(c, pass)), goes_on);
    const char *name =
        thread->name ? string_format(c->netlist->arena, "%s_ends", thread->name) : "ends";
    expression_name(c->module, ends, name);
}

static int finished_register(Construction *c) {
    int finished = signal_add(c->netlist, c->module, "finished", SIGNAL_REGISTER, 1);
    c->module->signals.items[finished].has_reset = true;
    return finished;
}

void control_construct(Construction *c) {
    Machine machine = {.construction = c};
    thread_new(&machine, NULL);
    Plan *root = plan_make(&machine, c->component->control, 0);
    machine.plans.items[0] = root;
    machine_declare(&machine);
    c->busy = machine.threads.items[0].busy;
    int finished = finished_register(c);
    for (int i = machine.threads.count - 1; i >= 0; i--) {
        if (machine.plans.items[i])
            machine.threads.items[i].ends =
                exits(&machine, i, machine.plans.items[i], constant_of(c, 1, 0));
        machine_advance(&machine, i);
    }
    handshake(&machine, finished);
    for (int i = 0; i < machine.threads.count; i++) enter_thread(&machine, i);
    Signal *signal = &c->module->signals.items[finished];
    signal->value = or_of(c, machine.threads.items[0].over, signal->value);
    machine_define(&machine);
}
