/* Pass "unroll": copies of bodies side by side, and memories in banks to feed them.
 *
 * Each nest lists the unroll factors that its parallel loops can have, with a product of at most
 * options->parallel; choose.c picks one of them for each nest, and with them how memories are cut
 * into banks. Loads that are equal in all copies are one load. */
#include <stdlib.h>
#include <string.h>

#include "loop/dependence.h"
#include "loop/fold.h"
#include "loop/reshape.h"
#include "loop/unrolling.h"

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

/* --- what a nest can have --- */

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

/* Sets the turns, and the II that the memories do not have a part in. */
static void evaluate(const Plan *plan, const Subject *subject, Trial *trial) {
    const Nest *nest = subject->nest;
    double distance = 1;
    trial->turns = 1;
    for (int l = nest->outer; l < nest->loop_count; l++) {
        double turns = (double)((nest->loops[l].trip + trial->unroll[l] - 1) / trial->unroll[l]);
        trial->turns *= turns;
        if (subject->parallel[l]) distance *= turns;
    }
    bool recurrent = false;
    for (int m = 0; m < subject->memory_count; m++)
        recurrent = recurrent || subject->memories[m].recurrent;
    int interval = recurrent ? (int)((plan->options->recurrence_cycles + distance - 1) / distance)
                             : unit_interval(plan, nest, trial);
    trial->interval = interval > 1 ? interval : 1;
}

/* Lists all factors of the loops from `loop` on: powers of two, and the least ones for each number
 * of turns. */
static void list_trials(const Plan *plan, Job *job, int loop, Trial *trial) {
    const Nest *nest = job->nest;
    if (loop == nest->loop_count) {
        evaluate(plan, &job->subject, trial);
        vector_push(plan->scratch, &job->trials, *trial);
        return;
    }
    int64_t trip = nest->loops[loop].trip;
    int units = trial->units;
    for (int factor = 1; factor == 1 || job->subject.parallel[loop]; factor++) {
        int64_t turns = (trip + factor - 1) / factor;
        bool is_power = (factor & (factor - 1)) == 0;
        if (units * factor > plan->options->parallel || (factor > trip && factor / 2 >= trip))
            break;
        if (!is_power && (factor > trip || (trip + factor - 2) / (factor - 1) == turns)) continue;
        trial->unroll[loop] = factor;
        trial->units = units * factor;
        list_trials(plan, job, loop + 1, trial);
    }
    trial->unroll[loop] = 1;
    trial->units = units;
}

static int compare_trials(const void *left, const void *right) {
    const Trial *a = left, *b = right;
    double cost_a = a->turns * a->interval, cost_b = b->turns * b->interval;
    if (cost_a != cost_b) return cost_a < cost_b ? -1 : 1;
    return a->units != b->units ? a->units - b->units
                                : memcmp(a->unroll, b->unroll, sizeof a->unroll);
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

static void job_add(Nest *nest, void *context) {
    Plan *plan = context;
    Job job = {.nest = nest, .runs = 1};
    for (int l = 0; l < nest->outer; l++) job.runs *= (double)nest->loops[l].trip;
    vector_push(plan->scratch, &plan->jobs, job);
}

/* Keeps the best trials of about each number of units: a nest whose memories cannot feed many is
 * best with fewer. */
static void keep_trials(Job *job) {
    enum { MOST = 24 };
    int counts[64] = {0}, kept = 0;
    for (int t = 0; t < job->trials.count; t++) {
        int size = 0;
        while (1 << size < job->trials.items[t].units) size++;
        if (counts[size]++ < MOST) job->trials.items[kept++] = job->trials.items[t];
    }
    job->trials.count = kept;
}

static bool prepare(Plan *plan, Job *job, Diagnostics *diagnostics) {
    Trial trial = {.units = 1};
    bool fixed;
    job->subject = subject_of(plan, job->nest);
    for (int l = 0; l < job->nest->loop_count; l++) {
        trial.unroll[l] = 1;
        job->subject.parallel[l] = l >= job->nest->outer && is_parallel(plan, job->nest, l);
    }
    if (!requests_apply(plan, job->nest, job->subject.parallel, trial.unroll, &fixed, diagnostics))
        return false;
    for (int l = 0; l < job->nest->loop_count; l++) trial.units *= trial.unroll[l];
    list_trials(plan, job, fixed ? job->nest->loop_count : job->nest->outer, &trial);
    qsort(job->trials.items, (size_t)job->trials.count, sizeof(Trial), compare_trials);
    keep_trials(job);
    return true;
}

static void find_cuttable(Plan *plan, int memories) {
    plan->can_cut = arena_array(plan->scratch, (size_t)memories + 1, sizeof(bool));
    plan->users = program_users(plan->program, plan->scratch);
    /* The two memories of a state must look alike. */
    for (int m = 0; m < memories; m++)
        plan->can_cut[m] = !plan->program->memories.items[m].is_state &&
                           memory_has_subscripts(plan->program, &plan->users[m], m);
}

static bool unroll_program(Plan *plan, Diagnostics *diagnostics) {
    int memories = plan->program->memories.count;
    size_t most = (size_t)plan->options->parallel * 2 + 1; /* a factor may be the power above */
    plan->offsets = arena_array(plan->scratch, most, sizeof(int64_t));
    plan->counts = arena_array(plan->scratch, most, sizeof(int));
    find_cuttable(plan, memories);
    for (int i = 0; i < plan->jobs.count; i++)
        if (!prepare(plan, &plan->jobs.items[i], diagnostics)) return false;
    plan_choose(plan);
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
