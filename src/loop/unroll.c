/* Pass "unroll": copies of bodies side by side, and memories in banks to feed them.
 *
 * For each nest the unroll factors of its parallel loops are chosen, with a product of at most
 * options->parallel, and with them how its memories are cut into banks (banks.c). Nests choose in
 * the order of their work. Loads that are equal in all copies are one load.
 *
 * The cost of a choice is cycles = product of ceil(trip / factor) x II; among equal ones, fewer
 * bits of copies, then fewer banks to select from, then fewer units. */
#include <stdlib.h>
#include <string.h>

#include "loop/dependence.h"
#include "loop/fold.h"
#include "loop/reshape.h"
#include "loop/unrolling.h"

static void job_add(Nest *nest, void *context) {
    Plan *plan = context;
    int place = plan->jobs.count;
    vector_push(plan->scratch, &plan->jobs,
                (Job){.nest = nest, .place = place, .work = nest_trip_count(nest)});
}

static int compare_jobs(const void *left, const void *right) {
    const Job *a = left, *b = right;
    if (a->work != b->work) return a->work > b->work ? -1 : 1;
    return a->place - b->place;
}

/* --- what a nest allows --- */

static const Operation *operation_at(const Nest *nest, int index) {
    return &nest->body.items[index];
}

/* The order with one own loop innermost. */
static bool can_move_innermost(const Program *program, const Nest *nest, int loop) {
    int order[MAX_RANK], own = nest->loop_count - nest->outer, place = 0;
    for (int l = 0; l < own; l++)
        if (l != loop - nest->outer) order[place++] = l;
    order[place] = loop - nest->outer;
    return nest_allows_order(program, nest, order);
}

/* Each iteration of the loop stores to places of its own. */
static bool is_parallel(const Plan *plan, const Nest *nest, int loop) {
    bool stores = false;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        if (operation->opcode != OP_STORE) continue;
        if (operation->computed || operation->affine.coefficients[loop] == 0) return false;
        stores = true;
    }
    return stores && nest->loops[loop].trip > 1 && can_move_innermost(plan->program, nest, loop);
}

/* --- comparing choices --- */

/* The II that the float units force: nests that are no reductions share options->parallel of each
 * kind. */
static int unit_interval(const Plan *plan, const Nest *nest, const Trial *trial) {
    int counts[OPCODE_COUNT] = {0}, most = 1;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        bool is_float = operation->type.kind == SCALAR_FLOAT &&
                        opcode_info[operation->opcode].operands == 2 &&
                        !operation_is_access(operation);
        if (!is_float) continue;
        Opcode kind = operation->opcode == OP_FLOAT_SUBTRACT ? OP_FLOAT_ADD : operation->opcode;
        int interval =
            (++counts[kind] * trial->units + plan->options->parallel - 1) / plan->options->parallel;
        if (interval > most) most = interval;
    }
    return most;
}

/* The cycles that all memories allow. */
static double least_cycles(const Plan *plan, const Subject *subject, const Trial *trial) {
    const Nest *nest = subject->nest;
    double turns = 1, distance = 1;
    for (int l = nest->outer; l < nest->loop_count; l++) {
        double turn = (double)((nest->loops[l].trip + trial->unroll[l] - 1) / trial->unroll[l]);
        turns *= turn;
        if (subject->parallel[l]) distance *= turn;
    }
    bool recurrent = false;
    for (int m = 0; m < subject->memory_count; m++)
        recurrent = recurrent || subject->memories[m].recurrent;
    int interval = recurrent ? (int)((plan->options->recurrence_cycles + distance - 1) / distance)
                             : unit_interval(plan, nest, trial);
    return turns * (interval > 1 ? interval : 1);
}

static double turns_of(const Nest *nest, const Trial *trial) {
    double turns = 1;
    for (int l = nest->outer; l < nest->loop_count; l++)
        turns *= (double)((nest->loops[l].trip + trial->unroll[l] - 1) / trial->unroll[l]);
    return turns;
}

static void evaluate(const Plan *plan, const Subject *subject, Trial *trial) {
    int interval = plan_memories(plan, subject, trial);
    trial->cycles = interval * turns_of(subject->nest, trial);
    if (trial->cycles < trial->least_cycles) trial->cycles = trial->least_cycles;
}

static bool is_better(const Trial *a, const Trial *b) {
    if (a->cycles != b->cycles) return a->cycles < b->cycles;
    if (a->copied_bits != b->copied_bits) return a->copied_bits < b->copied_bits;
    if (a->selections != b->selections) return a->selections < b->selections;
    return a->units < b->units;
}

typedef Vector(Trial) Trials;

/* Lists all factors of the loops from `loop` on: powers of two, and the least ones for each number
 * of turns. */
static void list_trials(const Plan *plan, const Subject *subject, int loop, Trial *trial,
                        Trials *trials) {
    const Nest *nest = subject->nest;
    if (loop == nest->loop_count) {
        trial->least_cycles = least_cycles(plan, subject, trial);
        vector_push(plan->scratch, trials, *trial);
        return;
    }
    int64_t trip = nest->loops[loop].trip;
    int units = trial->units;
    for (int factor = 1; factor == 1 || subject->parallel[loop]; factor++) {
        int64_t turns = (trip + factor - 1) / factor;
        bool is_power = (factor & (factor - 1)) == 0;
        if (units * factor > plan->options->parallel || (factor > trip && factor / 2 >= trip))
            break;
        if (!is_power && !plan->any_factor) continue;
        if (!is_power && (factor > trip || (trip + factor - 2) / (factor - 1) == turns)) continue;
        trial->unroll[loop] = factor;
        trial->units = units * factor;
        list_trials(plan, subject, loop + 1, trial, trials);
    }
    trial->unroll[loop] = 1;
    trial->units = units;
}

static int compare_trials(const void *left, const void *right) {
    const Trial *a = left, *b = right;
    if (a->least_cycles != b->least_cycles) return a->least_cycles < b->least_cycles ? -1 : 1;
    return a->units != b->units ? a->units - b->units
                                : memcmp(a->unroll, b->unroll, sizeof a->unroll);
}

static Trial search(const Plan *plan, const Subject *subject, Trial *first) {
    Trials trials = {0};
    Trial best = {.cycles = 1e300};
    list_trials(plan, subject, subject->nest->outer, first, &trials);
    qsort(trials.items, (size_t)trials.count, sizeof(Trial), compare_trials);
    for (int i = 0; i < trials.count && trials.items[i].least_cycles <= best.cycles; i++) {
        evaluate(plan, subject, &trials.items[i]);
        if (is_better(&trials.items[i], &best)) best = trials.items[i];
    }
    return best;
}

/* --- applying a choice --- */

static void unroll_nest(const Plan *plan, Nest *nest, const Trial *choice) {
    Arena *arena = plan->program->arena;
    for (int l = nest->outer; l < nest->loop_count; l++) {
        if (choice->unroll[l] < 2 || !can_move_innermost(plan->program, nest, l)) continue;
        nest_split(arena, nest, l, choice->unroll[l]);
        nest_move_innermost(arena, nest, l + 1);
        nest_unroll_innermost(arena, nest);
    }
    nest_simplify(arena, nest); /* loads that are equal in all copies become one */
}

/* For the report. */
static void note_choice(const Plan *plan, Nest *nest, const Trial *choice) {
    nest->macs = nest_macs(nest);
    for (int l = nest->outer; l < nest->loop_count; l++) {
        Unrolling unrolling = {nest->loops[l].name, nest->loops[l].trip, choice->unroll[l]};
        vector_push(plan->program->arena, &nest->unrolling, unrolling);
    }
}

/* --- the whole network --- */

static void prepare(Plan *plan) {
    for (int i = 0; i < plan->jobs.count; i++) {
        Job *job = &plan->jobs.items[i];
        job->subject = subject_of(plan, job->nest);
        for (int l = job->nest->outer; l < job->nest->loop_count; l++)
            job->subject.parallel[l] = is_parallel(plan, job->nest, l);
    }
}

/* The layouts before anything is chosen. */
static Layout *plain_layouts(const Plan *plan, int memories) {
    Layout *layouts = arena_array(plan->scratch, (size_t)memories + 1, sizeof(Layout));
    for (int m = 0; m < memories; m++) {
        /* The two memories of a state must look alike. */
        bool is_state = plan->program->memories.items[m].is_state;
        layouts[m] =
            (Layout){.usable = !is_state && memory_has_subscripts(plan->program, m), .copies = 1};
        for (int d = 0; d < MAX_RANK; d++) layouts[m].factors[d] = 1;
    }
    return layouts;
}

static bool choose(Plan *plan, Job *job, Diagnostics *diagnostics) {
    const Subject *subject = &job->subject;
    Trial trial = {.units = 1};
    bool fixed;
    for (int l = 0; l < job->nest->loop_count; l++) trial.unroll[l] = 1;
    if (!requests_apply(plan, job->nest, subject->parallel, trial.unroll, &fixed, diagnostics))
        return false;
    for (int l = 0; l < job->nest->loop_count; l++) trial.units *= trial.unroll[l];
    trial.least_cycles = least_cycles(plan, subject, &trial);
    if (fixed)
        evaluate(plan, subject, &trial);
    else
        trial = search(plan, subject, &trial);
    for (int m = 0; m < subject->memory_count; m++)
        if (trial.layouts[m].chosen) plan->layouts[subject->memories[m].memory] = trial.layouts[m];
    job->choice = trial;
    return true;
}

/* Chooses for all nests; returns the cycles of the network, as cut in the end, or -1 on an error.
 */
static double choose_all(Plan *plan, const Layout *plain, int memories, Diagnostics *diagnostics) {
    double cycles = 0;
    plan->layouts = arena_copy(plan->scratch, plain, (size_t)memories * sizeof(Layout));
    for (int i = 0; i < plan->jobs.count; i++)
        if (!choose(plan, &plan->jobs.items[i], diagnostics)) return -1;
    for (int i = 0; i < plan->jobs.count; i++) {
        Job *job = &plan->jobs.items[i];
        evaluate(plan, &job->subject, &job->choice);
        double runs = 1;
        for (int l = 0; l < job->nest->outer; l++) runs *= (double)job->nest->loops[l].trip;
        cycles += runs * job->choice.cycles;
    }
    return cycles;
}

/* A factor that is no power of two may be the best one for its nest, and bad for those that read
 * what it stores: the network is chosen for without such factors and with them, and the faster one
 * is taken. */
static bool unroll_program(Plan *plan, Diagnostics *diagnostics) {
    int memories = plan->program->memories.count;
    if (plan->jobs.count > 0)
        qsort(plan->jobs.items, (size_t)plan->jobs.count, sizeof(Job), compare_jobs);
    Layout *plain = plain_layouts(plan, memories);
    plan->layouts = plain;
    prepare(plan);
    double powers = choose_all(plan, plain, memories, diagnostics);
    if (powers < 0) return false;
    plan->any_factor = true;
    if (choose_all(plan, plain, memories, diagnostics) >= powers) {
        plan->any_factor = false;
        choose_all(plan, plain, memories, diagnostics);
    }
    for (int i = 0; i < plan->jobs.count; i++) {
        Job *job = &plan->jobs.items[i];
        note_choice(plan, job->nest, &job->choice);
        unroll_nest(plan, job->nest, &job->choice);
    }
    layouts_apply(plan, memories);
    return fold_program(plan->program);
}

bool pass_unroll(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    Plan plan = {.program = program, .options = options, .scratch = arena_new()};
    Trial plain;
    for (int l = 0; l < MAX_RANK; l++) plain.unroll[l] = 1;
    bool may_unroll = options->parallel > 1 || options->unroll_count > 0;
    if (may_unroll) program_refine_shapes(program);
    program_each_nest(program, job_add, &plan);
    bool fine = requests_check(&plan, diagnostics);
    if (fine && may_unroll)
        fine = unroll_program(&plan, diagnostics);
    else
        for (int i = 0; i < plan.jobs.count; i++)
            note_choice(&plan, plan.jobs.items[i].nest, &plain);
    arena_free(plan.scratch);
    return fine;
}
