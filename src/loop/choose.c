/* The choice of unroll factors and of cuts, for the whole network at once.
 *
 * All nests that access a memory live with one cut of it: a factor that is the best for one nest
 * may hold up the next. So the cycles of the network are minimised over the cuts of all memories
 * and the factors of all nests, by dynamic programming in program order: a state is the cuts of the
 * memories that both the nests so far and later ones access, and keeps the least cost of the nests
 * so far. In a chain of layers that is one memory, and the choice is the best there is; where many
 * memories are alive at a time, the states of least cost are kept.
 *
 * For each nest and each of its memories there is a table, factors x cuts, of the II that the
 * memory's ports force; a nest takes the factors with the least product of turns and II. Memories
 * that only one nest accesses are cut as its factors want.
 *
 * Area is paid in cycles, at prices that let it decide between choices that are nearly as fast. */
#include <stdlib.h>
#include <string.h>

#include "loop/unrolling.h"

/* Most of each that are looked at. */
enum { CUTS = 48, STATES = 256 };

/* A share of the network's cycles, for what a choice adds to the area. */
static const double bit_price = 2e-9, selection_price = 1e-6, unit_price = 1e-7;

/* A memory that several nests access. */
typedef struct Shared {
    int first_job, last_job; /* -1 if none accesses it */
    Vector(Layout) cuts;
    Vector(double) votes; /* per cut: for how many nests it is the best, in parts */
} Shared;

/* What a memory of a nest does to each of its trials: an item per trial and cut. */
typedef struct Table {
    int cuts;
    int *intervals;
    double *costs;
} Table;

typedef struct State {
    double cost;     /* of the nests so far */
    const int *cuts; /* one per memory that is alive */
    const struct State *parent;
    int memory, cut; /* what this state has decided more than its parent; memory -1: nothing */
    int *intervals;  /* per trial of the nest at hand: the II so far, ... */
    double *costs;   /* ... and the price of its area */
} State;

typedef Vector(State) States;

typedef struct Choice {
    Plan *plan;
    Shared *shared;      /* per memory */
    double least_cycles; /* of the network, if memories forced nothing */
    Vector(int) alive;   /* memories that are cut and that later nests access */
    States states;
} Choice;

static bool is_shared(const Choice *choice, int memory) {
    return choice->shared[memory].first_job < choice->shared[memory].last_job;
}

/* --- costs --- */

static double cycles_of(const Job *job, const Trial *trial, int interval) {
    return job->runs * trial->turns * (interval > trial->interval ? interval : trial->interval);
}

static double price_of(const Choice *choice, const Memory *memory, const Ports *ports) {
    double bits = (double)memory->elements * memory->type.width * (ports->copies - 1);
    return choice->least_cycles * (bits * bit_price + ports->selections * selection_price);
}

static Ports private_ports(const Choice *choice, const Job *job, const Accessed *accessed,
                           const Trial *trial, Layout *layout) {
    *layout = layout_wanted(choice->plan, &job->subject, accessed, trial);
    return ports_of(choice->plan, &job->subject, accessed, trial, layout);
}

static Table table_of(const Choice *choice, const Job *job, const Accessed *accessed,
                      Arena *arena) {
    const Shared *shared = &choice->shared[accessed->memory];
    const Memory *memory = &choice->plan->program->memories.items[accessed->memory];
    size_t trials = (size_t)job->trials.count;
    Table table = {.cuts = shared->cuts.count};
    size_t count = trials * (size_t)table.cuts;
    table.intervals = arena_array(arena, count, sizeof(int));
    table.costs = arena_array(arena, count, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        Ports ports = ports_of(choice->plan, &job->subject, accessed,
                               &job->trials.items[i % trials], &shared->cuts.items[i / trials]);
        table.intervals[i] = ports.interval;
        table.costs[i] = price_of(choice, memory, &ports);
    }
    return table;
}

/* --- cuts to choose from --- */

static void vote(const Plan *plan, Shared *shared, const Layout *cut, double weight) {
    int i = 0;
    while (i < shared->cuts.count && !layout_equal(&shared->cuts.items[i], cut)) i++;
    if (i == shared->cuts.count) {
        vector_push(plan->scratch, &shared->cuts, *cut);
        vector_push(plan->scratch, &shared->votes, 0);
    }
    shared->votes.items[i] += weight;
}

/* A nest has one vote for each cut that one of its trials wants: the share of its speed that the
 * best of these has. */
static void vote_job(const Choice *choice, const Job *job, const Accessed *accessed) {
    Shared *shared = &choice->shared[accessed->memory];
    Shared own = {0};
    const Plan *plan = choice->plan;
    double best = cycles_of(job, &job->trials.items[0], 1);
    for (int t = 0; t < job->trials.count; t++) {
        const Trial *trial = &job->trials.items[t];
        Layout cut = layout_wanted(plan, &job->subject, accessed, trial);
        int before = own.cuts.count;
        vote(plan, &own, &cut, 0);
        if (own.cuts.count > before) vote(plan, shared, &cut, best / cycles_of(job, trial, 1));
    }
}

/* Keeps the cuts with most votes, and in front of them the memory as it is. */
static void keep_cuts(const Plan *plan, Shared *shared) {
    Shared kept = {.first_job = shared->first_job, .last_job = shared->last_job};
    Layout plain = layout_plain();
    vote(plan, &kept, &plain, 0);
    while (kept.cuts.count < CUTS) {
        int best = -1;
        for (int i = 0; i < shared->cuts.count; i++)
            if (shared->votes.items[i] > 0 &&
                (best < 0 || shared->votes.items[i] > shared->votes.items[best]))
                best = i;
        if (best < 0) break;
        vote(plan, &kept, &shared->cuts.items[best], 0);
        shared->votes.items[best] = 0;
    }
    *shared = kept;
}

static void find_shared(Choice *choice) {
    Plan *plan = choice->plan;
    int memories = plan->program->memories.count;
    choice->shared = arena_array(plan->scratch, (size_t)memories + 1, sizeof(Shared));
    for (int m = 0; m < memories; m++)
        choice->shared[m].first_job = choice->shared[m].last_job = -1;
    for (int j = 0; j < plan->jobs.count; j++) {
        const Subject *subject = &plan->jobs.items[j].subject;
        for (int m = 0; m < subject->memory_count; m++) {
            Shared *shared = &choice->shared[subject->memories[m].memory];
            if (shared->first_job < 0) shared->first_job = j;
            shared->last_job = j;
        }
    }
    for (int j = 0; j < plan->jobs.count; j++) {
        const Job *job = &plan->jobs.items[j];
        for (int m = 0; m < job->subject.memory_count; m++)
            if (is_shared(choice, job->subject.memories[m].memory))
                vote_job(choice, job, &job->subject.memories[m]);
    }
    for (int m = 0; m < memories; m++)
        if (is_shared(choice, m)) keep_cuts(plan, &choice->shared[m]);
}

/* --- one nest --- */

static double least_cost(const Job *job, const int *intervals, const double *costs) {
    double least = 1e300;
    for (int t = 0; t < job->trials.count; t++) {
        double cost = cycles_of(job, &job->trials.items[t], intervals[t]) + costs[t];
        if (cost < least) least = cost;
    }
    return least;
}

/* Adds what a memory with one cut means to all trials. */
static void add_cut(const Job *job, const Table *table, int cut, int *intervals, double *costs) {
    int trials = job->trials.count;
    for (int t = 0; t < trials; t++) {
        int interval = table->intervals[cut * trials + t];
        if (interval > intervals[t]) intervals[t] = interval;
        costs[t] += table->costs[cut * trials + t];
    }
}

/* The trials as the memories that only this nest accesses leave them. */
static void begin_trials(const Choice *choice, const Job *job, int *intervals, double *costs) {
    for (int t = 0; t < job->trials.count; t++) {
        const Trial *trial = &job->trials.items[t];
        intervals[t] = 1;
        costs[t] = choice->least_cycles * unit_price * trial->units;
        for (int m = 0; m < job->subject.memory_count; m++) {
            const Accessed *accessed = &job->subject.memories[m];
            Layout layout;
            if (is_shared(choice, accessed->memory)) continue;
            Ports ports = private_ports(choice, job, accessed, trial, &layout);
            if (ports.interval > intervals[t]) intervals[t] = ports.interval;
            costs[t] +=
                price_of(choice, &choice->plan->program->memories.items[accessed->memory], &ports);
        }
    }
}

static int place_alive(const Choice *choice, int memory) {
    int place = 0;
    while (place < choice->alive.count && choice->alive.items[place] != memory) place++;
    return place < choice->alive.count ? place : -1;
}

/* All states get trials of their own for the nest at hand. */
static void begin_states(Choice *choice, const Job *job, const Table *tables, Arena *arena) {
    size_t trials = (size_t)job->trials.count;
    int *intervals = arena_array(arena, trials, sizeof(int));
    double *costs = arena_array(arena, trials, sizeof(double));
    begin_trials(choice, job, intervals, costs);
    for (int s = 0; s < choice->states.count; s++) {
        State *state = &choice->states.items[s];
        state->intervals = arena_copy(arena, intervals, trials * sizeof(int));
        state->costs = arena_copy(arena, costs, trials * sizeof(double));
        for (int m = 0; m < job->subject.memory_count; m++) {
            int place = place_alive(choice, job->subject.memories[m].memory);
            if (place >= 0)
                add_cut(job, &tables[m], state->cuts[place], state->intervals, state->costs);
        }
    }
}

/* A state and a cut of one memory more. */
typedef struct Step {
    int state, cut;
    double cost; /* with the nest at hand, as far as is decided */
} Step;

static int compare_steps(const void *left, const void *right) {
    const Step *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    return a->state != b->state ? a->state - b->state : a->cut - b->cut;
}

static State take_step(const Choice *choice, const Job *job, const Table *table, const Step *step,
                       int memory, Arena *arena) {
    Arena *lasting = choice->plan->scratch;
    State *parent = arena_copy(lasting, &choice->states.items[step->state], sizeof(State));
    size_t trials = (size_t)job->trials.count, alive = (size_t)choice->alive.count;
    int *cuts = arena_array(lasting, alive + 1, sizeof(int));
    if (alive > 0) memcpy(cuts, parent->cuts, alive * sizeof(int));
    cuts[alive] = step->cut;
    State state = {.cost = parent->cost,
                   .cuts = cuts,
                   .parent = parent,
                   .memory = memory,
                   .cut = step->cut,
                   .intervals = arena_copy(arena, parent->intervals, trials * sizeof(int)),
                   .costs = arena_copy(arena, parent->costs, trials * sizeof(double))};
    add_cut(job, table, step->cut, state.intervals, state.costs);
    return state;
}

/* Every state times every cut of a memory that no nest before accesses; the best are kept. */
static void decide(Choice *choice, const Job *job, const Table *table, int memory, Arena *arena) {
    Vector(Step) steps = {0};
    size_t trials = (size_t)job->trials.count;
    const Shared *shared = &choice->shared[memory];
    int *intervals = arena_array(arena, trials, sizeof(int));
    double *costs = arena_array(arena, trials, sizeof(double));
    for (int s = 0; s < choice->states.count; s++) {
        const State *state = &choice->states.items[s];
        for (int cut = 0; cut < table->cuts; cut++) {
            memcpy(intervals, state->intervals, trials * sizeof(int));
            memcpy(costs, state->costs, trials * sizeof(double));
            add_cut(job, table, cut, intervals, costs);
            double area =
                choice->least_cycles * unit_price * layout_banks(&shared->cuts.items[cut]);
            Step step = {s, cut, state->cost + area + least_cost(job, intervals, costs)};
            vector_push(arena, &steps, step);
        }
    }
    qsort(steps.items, (size_t)steps.count, sizeof(Step), compare_steps);
    States kept = {0};
    for (int i = 0; i < steps.count && i < STATES; i++)
        vector_push(choice->plan->scratch, &kept,
                    take_step(choice, job, table, &steps.items[i], memory, arena));
    for (int i = 0; i < kept.count; i++)
        kept.items[i].cost += choice->least_cycles * unit_price *
                              layout_banks(&shared->cuts.items[kept.items[i].cut]);
    choice->states = kept;
    vector_push(choice->plan->scratch, &choice->alive, memory);
}

/* Forgets memories that no later nest accesses; of states that are equal then the best remains. */
static void end_states(Choice *choice, int job) {
    Arena *arena = choice->plan->scratch;
    States old = choice->states;
    int count = 0;
    int *kept = arena_array(arena, (size_t)choice->alive.count + 1, sizeof(int));
    for (int k = 0; k < choice->alive.count; k++)
        if (choice->shared[choice->alive.items[k]].last_job > job) kept[count++] = k;
    choice->states = (States){0};
    for (int s = 0; s < old.count; s++) {
        int *cuts = arena_array(arena, (size_t)count + 1, sizeof(int)), same = 0;
        for (int k = 0; k < count; k++) cuts[k] = old.items[s].cuts[kept[k]];
        while (same < choice->states.count &&
               memcmp(choice->states.items[same].cuts, cuts, (size_t)count * sizeof(int)) != 0)
            same++;
        State state = old.items[s];
        state.cuts = cuts;
        if (same == choice->states.count)
            vector_push(arena, &choice->states, state);
        else if (state.cost < choice->states.items[same].cost)
            choice->states.items[same] = state;
    }
    for (int k = 0; k < count; k++) choice->alive.items[k] = choice->alive.items[kept[k]];
    choice->alive.count = count;
}

static void advance(Choice *choice, int job_number) {
    Arena *arena = arena_new();
    const Job *job = &choice->plan->jobs.items[job_number];
    const Subject *subject = &job->subject;
    Table *tables = arena_array(arena, (size_t)subject->memory_count + 1, sizeof(Table));
    for (int m = 0; m < subject->memory_count; m++)
        if (is_shared(choice, subject->memories[m].memory))
            tables[m] = table_of(choice, job, &subject->memories[m], arena);
    begin_states(choice, job, tables, arena);
    for (int m = 0; m < subject->memory_count; m++) {
        int memory = subject->memories[m].memory;
        if (is_shared(choice, memory) && choice->shared[memory].first_job == job_number)
            decide(choice, job, &tables[m], memory, arena);
    }
    for (int s = 0; s < choice->states.count; s++) {
        State *state = &choice->states.items[s];
        state->cost += least_cost(job, state->intervals, state->costs);
        state->intervals = NULL, state->costs = NULL;
    }
    end_states(choice, job_number);
    arena_free(arena);
}

/* --- the whole network --- */

/* The best trial of a nest, now that the cuts of what it shares are chosen; and the cuts of what it
 * does not share. */
static void settle(const Choice *choice, Job *job) {
    Plan *plan = choice->plan;
    double least = 1e300;
    for (int t = 0; t < job->trials.count; t++) {
        const Trial *trial = &job->trials.items[t];
        double cost = choice->least_cycles * unit_price * trial->units;
        int interval = 1;
        if (cycles_of(job, trial, 1) >= least) continue;
        for (int m = 0; m < job->subject.memory_count; m++) {
            const Accessed *accessed = &job->subject.memories[m];
            Layout layout = plan->layouts[accessed->memory];
            Ports ports = is_shared(choice, accessed->memory)
                              ? ports_of(plan, &job->subject, accessed, trial, &layout)
                              : private_ports(choice, job, accessed, trial, &layout);
            if (ports.interval > interval) interval = ports.interval;
            cost += price_of(choice, &plan->program->memories.items[accessed->memory], &ports);
        }
        cost += cycles_of(job, trial, interval);
        if (cost >= least) continue;
        least = cost;
        job->choice = *trial;
    }
    for (int m = 0; m < job->subject.memory_count; m++) {
        const Accessed *accessed = &job->subject.memories[m];
        if (!is_shared(choice, accessed->memory))
            private_ports(choice, job, accessed, &job->choice, &plan->layouts[accessed->memory]);
    }
}

void plan_choose(Plan *plan) {
    Choice choice = {.plan = plan};
    int memories = plan->program->memories.count;
    plan->layouts = arena_array(plan->scratch, (size_t)memories + 1, sizeof(Layout));
    for (int m = 0; m < memories; m++) plan->layouts[m] = layout_plain();
    for (int j = 0; j < plan->jobs.count; j++)
        choice.least_cycles +=
            cycles_of(&plan->jobs.items[j], &plan->jobs.items[j].trials.items[0], 1);
    find_shared(&choice);
    vector_push(plan->scratch, &choice.states, (State){.memory = -1});
    for (int j = 0; j < plan->jobs.count; j++) advance(&choice, j);
    /* All memories are forgotten at the end: one state is left. */
    for (const State *state = &choice.states.items[0]; state; state = state->parent)
        if (state->memory >= 0)
            plan->layouts[state->memory] = choice.shared[state->memory].cuts.items[state->cut];
    for (int j = 0; j < plan->jobs.count; j++) settle(&choice, &plan->jobs.items[j]);
}
