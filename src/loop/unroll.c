/* Pass "unroll": copies of bodies side by side, and memories in banks to feed them.
 *
 * For each nest the unroll factors of its parallel loops are chosen, with a product of at most options->parallel, and with them
 * how its memories are cut into banks: cyclically, along the dimension that the unrolled loop indexes, so that each
 * copy has its own bank. Nests choose in the order of their work; how a memory is cut is for the first nest that
 * stores to it to say (for inputs and constants, that loads it), and the others choose what fits. Loads that are equal in
 * all copies are one load. Loads that meet in a bank whatever the cut (the overlapping windows of a convolution)
 * get copies of the memory.
 *
 * The cost of a choice is cycles = product of ceil(trip / factor) x II; among equal ones, fewer bits of copies, then fewer
 * banks to select from, then fewer units. Factors are powers of two: a bank number is then some bits of an index. */
#include <stdlib.h>
#include <string.h>

#include "loop/dependence.h"
#include "loop/fold.h"
#include "loop/partition.h"
#include "loop/reshape.h"
#include "loop/transform.h"

enum { MOST_FACTORS = 256 };

static const double most_copied_bits = 4e6; /* of one memory, in all */

typedef struct Layout {
    bool usable;  /* every access has subscripts */
    bool chosen;  /* by a nest with more work */
    int factors[MAX_RANK];
    int copies;
} Layout;

typedef struct Job {
    Nest *nest;
    int place; /* in program order */
    int64_t work;
} Job;

typedef struct Plan {
    Program *program;
    const LoopOptions *options;
    Arena *scratch;
    Layout *layouts; /* one per memory */
    Vector(Job) jobs;
} Plan;

/* One choice for a nest. */
typedef struct Trial {
    int unroll[MAX_RANK]; /* per loop of the nest */
    int units;
    double cycles, copied_bits, selections;
    Layout *layouts;
} Trial;

static void job_add(Nest *nest, void *context) {
    Plan *plan = context;
    int place = plan->jobs.count;
    vector_push(plan->scratch, &plan->jobs, (Job){nest, place, nest_trip_count(nest)});
}

static int compare_jobs(const void *left, const void *right) {
    const Job *a = left, *b = right;
    if (a->work != b->work) return a->work > b->work ? -1 : 1;
    return a->place - b->place;
}

/* --- what a nest allows --- */

static const Operation *operation_at(const Nest *nest, int index) { return &nest->body.items[index]; }

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

/* True if the nest adds up through memory: a loop goes over the same stored element again. */
static bool is_recurrent(const Nest *nest, int memory) {
    bool loaded = false, repeated = false;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        if (!operation_is_access(operation) || operation->memory != memory) continue;
        loaded = loaded || operation->opcode == OP_LOAD;
        for (int l = nest->outer; l < nest->loop_count && operation->opcode == OP_STORE; l++)
            repeated = repeated || operation->computed ||
                       (operation->affine.coefficients[l] == 0 && nest->loops[l].trip > 1);
    }
    return loaded && repeated;
}

/* --- ports --- */

/* The subscripts of an access; all layouts that get here are usable. */
static void subscripts_of(const Plan *plan, const Nest *nest, int operation, Affine *subscripts) {
    int loop;
    int64_t inner;
    access_subscripts(plan->scratch, plan->program, nest, operation, subscripts, &loop, &inner);
}

/* The bank of a dimension is known in each copy: all that varies in the nest is a multiple of the factor. */
static bool is_known_bank(const Nest *nest, const Trial *trial, const Affine *subscript, int factor) {
    for (int l = 0; l < nest->loop_count; l++)
        if (subscript->coefficients[l] * trial->unroll[l] % factor != 0 && nest->loops[l].trip > trial->unroll[l])
            return false;
    for (int l = 0; l < nest->loop_count; l++)
        if (trial->unroll[l] == 1 && nest->loops[l].trip > 1 && subscript->coefficients[l] % factor != 0)
            return false;
    return true;
}

/* Moves on to the next combination of copies over the loops that the access depends on. */
static bool next_copy(const Nest *nest, const Trial *trial, const bool *matters, int64_t *copy) {
    for (int l = 0; l < nest->loop_count; l++) {
        if (!matters[l]) continue;
        if (++copy[l] < trial->unroll[l] && copy[l] < nest->loops[l].trip) return true;
        copy[l] = 0;
    }
    return false;
}

/* The most copies of an access that need one bank in the same cycle. `*selections` counts the banks that each copy has
 * to select from. */
static int bank_conflicts(const Plan *plan, const Nest *nest, int operation, const Trial *trial,
                          const int *factors, double *selections) {
    Affine subscripts[MAX_RANK];
    bool matters[MAX_RANK] = {false}, known[MAX_RANK];
    int rank = plan->program->memories.items[operation_at(nest, operation)->memory].rank;
    subscripts_of(plan, nest, operation, subscripts);
    double choices = 1;
    for (int d = 0; d < rank; d++) {
        known[d] = is_known_bank(nest, trial, &subscripts[d], factors[d]);
        if (!known[d]) choices *= factors[d];
        for (int l = 0; l < nest->loop_count; l++)
            matters[l] = matters[l] || (subscripts[d].coefficients[l] != 0 && trial->unroll[l] > 1);
    }
    int counts[MOST_FACTORS] = {0}, most = 0;
    int64_t copy[MAX_RANK] = {0};
    do {
        int bank = 0;
        for (int d = 0; d < rank; d++) {
            int64_t digit = 0;
            for (int l = 0; l < nest->loop_count; l++) digit += subscripts[d].coefficients[l] * copy[l];
            digit = ((digit % factors[d]) + factors[d]) % factors[d];
            bank = bank * factors[d] + (known[d] ? (int)digit : 0);
        }
        if (++counts[bank] > most) most = counts[bank];
        *selections += choices - 1;
    } while (next_copy(nest, trial, matters, copy));
    return most;
}

/* --- choosing banks --- */

/* A power of two that is at least `count`. */
static int power_above(int64_t count) {
    int power = 1;
    while (power < count) power *= 2;
    return power;
}

/* Cuts the dimension that an unrolled loop indexes. For loads only where that gives each copy a bank of its own. */
static void cut_for_access(const Plan *plan, const Nest *nest, int operation, const Trial *trial, Layout *layout) {
    Affine subscripts[MAX_RANK];
    const Operation *access = operation_at(nest, operation);
    const Memory *memory = &plan->program->memories.items[access->memory];
    subscripts_of(plan, nest, operation, subscripts);
    for (int l = nest->outer; l < nest->loop_count; l++) {
        for (int d = 0; d < memory->rank && trial->unroll[l] > 1; d++) {
            if (subscripts[d].coefficients[l] % 2 == 0) continue;
            int factor = layout->factors[d] * trial->unroll[l];
            if (factor > power_above(memory->shape[d])) continue;
            if (access->opcode == OP_LOAD && !is_known_bank(nest, trial, &subscripts[d], factor)) continue;
            layout->factors[d] = factor;
            break;
        }
    }
}

/* The access that decides about a memory in this nest: a store if there is one. */
static int deciding_access(const Nest *nest, int memory) {
    int found = -1;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        if (!operation_is_access(operation) || operation->memory != memory) continue;
        if (found < 0 || (operation->opcode == OP_STORE && operation_at(nest, found)->opcode == OP_LOAD)) found = i;
    }
    return found;
}

/* Reads and writes of a memory per iteration of the unrolled nest, for its fullest bank. */
typedef struct Ports {
    int reads, writes;
} Ports;

static Ports count_ports(const Plan *plan, const Nest *nest, int memory, Trial *trial) {
    Ports ports = {0, 0};
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        if (!operation_is_access(operation) || operation->memory != memory) continue;
        int conflicts = plan->layouts[memory].usable
                            ? bank_conflicts(plan, nest, i, trial, trial->layouts[memory].factors, &trial->selections)
                            : trial->units;
        *(operation->opcode == OP_LOAD ? &ports.reads : &ports.writes) += conflicts;
    }
    return ports;
}

/* Plans one memory of the nest; returns the II that its ports force. */
static int plan_memory(const Plan *plan, const Nest *nest, int memory, Trial *trial) {
    const Memory *content = &plan->program->memories.items[memory];
    Layout *layout = &trial->layouts[memory];
    int access = deciding_access(nest, memory);
    if (access < 0) return 1;
    if (!layout->chosen && layout->usable) cut_for_access(plan, nest, access, trial, layout);
    /* Who only loads what another nest stores hopes that it will be cut so, but does not decide. */
    layout->chosen = layout->chosen || operation_at(nest, access)->opcode == OP_STORE ||
                     content->kind == MEMORY_INPUT || content->kind == MEMORY_CONSTANT;
    Ports ports = count_ports(plan, nest, memory, trial);
    double bits = (double)content->elements * content->type.width;
    int interval = ports.writes > 1 ? ports.writes : 1;
    if (ports.reads > layout->copies) {
        bool may_copy = layout->usable && !is_recurrent(nest, memory) && ports.reads * bits <= most_copied_bits;
        if (may_copy) {
            trial->copied_bits += bits * (ports.reads - layout->copies);
            layout->copies = ports.reads;
        } else if (ports.reads > interval) {
            interval = (ports.reads + layout->copies - 1) / layout->copies;
        }
    }
    return interval;
}

/* The II that the float units force: nests that are no reductions share options->parallel of each kind. */
static int unit_interval(const Plan *plan, const Nest *nest, const Trial *trial) {
    int counts[OPCODE_COUNT] = {0}, most = 1;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        bool is_float = operation->type.kind == SCALAR_FLOAT && opcode_info[operation->opcode].operands == 2 &&
                        !operation_is_access(operation);
        if (!is_float) continue;
        Opcode kind = operation->opcode == OP_FLOAT_SUBTRACT ? OP_FLOAT_ADD : operation->opcode;
        int interval = (++counts[kind] * trial->units + plan->options->parallel - 1) / plan->options->parallel;
        if (interval > most) most = interval;
    }
    return most;
}

static void evaluate(const Plan *plan, const Nest *nest, const bool *parallel, Trial *trial) {
    size_t size = (size_t)plan->program->memories.count * sizeof(Layout);
    trial->layouts = arena_copy(plan->scratch, plan->layouts, size);
    trial->copied_bits = trial->selections = 0;
    double turns = 1, distance = 1;
    for (int l = nest->outer; l < nest->loop_count; l++) {
        double turn = (double)((nest->loops[l].trip + trial->unroll[l] - 1) / trial->unroll[l]);
        turns *= turn;
        if (parallel[l]) distance *= turn;
    }
    int interval = 1;
    bool recurrent = false;
    for (int m = 0; m < plan->program->memories.count; m++) {
        int forced = plan_memory(plan, nest, m, trial);
        if (forced > interval) interval = forced;
        recurrent = recurrent || is_recurrent(nest, m);
    }
    if (recurrent) {
        int forced = (int)((plan->options->recurrence_cycles + distance - 1) / distance);
        if (forced > interval) interval = forced;
    } else {
        int forced = unit_interval(plan, nest, trial);
        if (forced > interval) interval = forced;
    }
    trial->cycles = turns * interval;
}

static bool is_better(const Trial *a, const Trial *b) {
    if (a->cycles != b->cycles) return a->cycles < b->cycles;
    if (a->copied_bits != b->copied_bits) return a->copied_bits < b->copied_bits;
    if (a->selections != b->selections) return a->selections < b->selections;
    return a->units < b->units;
}

/* Tries all factors of the loops from `loop` on. */
static void search(const Plan *plan, const Nest *nest, int loop, const bool *parallel, Trial *trial, Trial *best) {
    if (loop == nest->loop_count) {
        evaluate(plan, nest, parallel, trial);
        if (is_better(trial, best)) *best = *trial;
        return;
    }
    int most = parallel[loop] ? power_above(nest->loops[loop].trip) : 1;
    int units = trial->units;
    for (int factor = 1; factor <= most && units * factor <= plan->options->parallel; factor *= 2) {
        trial->unroll[loop] = factor;
        trial->units = units * factor;
        search(plan, nest, loop + 1, parallel, trial, best);
    }
    trial->unroll[loop] = 1;
    trial->units = units;
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

static void choose(Plan *plan, Job *job) {
    Nest *nest = job->nest;
    bool parallel[MAX_RANK];
    Trial trial = {.units = 1}, best = {.cycles = 1e300};
    for (int l = 0; l < nest->loop_count; l++) {
        trial.unroll[l] = 1;
        parallel[l] = l >= nest->outer && is_parallel(plan, nest, l);
    }
    search(plan, nest, nest->outer, parallel, &trial, &best);
    for (int m = 0; m < plan->program->memories.count; m++)
        if (best.layouts[m].chosen) plan->layouts[m] = best.layouts[m];
    unroll_nest(plan, nest, &best);
}

/* --- copies, once all cuts are known --- */

/* Loads of a memory per bank in one iteration of an unrolled nest. Loads whose bank is not known need all banks of
 * that dimension. */
static int loads_of_fullest_bank(const Plan *plan, const Nest *nest, int memory, const Trial *plain) {
    const Layout *layout = &plan->layouts[memory];
    int rank = plan->program->memories.items[memory].rank, banks = 1, most = 0;
    for (int d = 0; d < rank; d++) banks *= layout->factors[d];
    int *counts = arena_array(plan->scratch, (size_t)banks, sizeof(int));
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = operation_at(nest, i);
        if (operation->opcode != OP_LOAD || operation->memory != memory) continue;
        Affine subscripts[MAX_RANK];
        subscripts_of(plan, nest, i, subscripts);
        for (int bank = 0; bank < banks; bank++) {
            bool needs = true;
            for (int d = rank - 1, rest = bank; d >= 0; rest /= layout->factors[d--]) {
                int factor = layout->factors[d];
                int64_t digit = ((subscripts[d].constant % factor) + factor) % factor;
                needs = needs && (!is_known_bank(nest, plain, &subscripts[d], factor) || digit == rest % factor);
            }
            counts[bank] += needs;
            if (counts[bank] > most) most = counts[bank];
        }
    }
    return most;
}

/* Every memory gets as many copies as the nest that asks most of a bank needs. */
static void choose_copies(Plan *plan, int memory) {
    Layout *layout = &plan->layouts[memory];
    const Memory *content = &plan->program->memories.items[memory];
    layout->copies = 1;
    if (!layout->usable) return;
    Trial plain = {.units = 1};
    for (int l = 0; l < MAX_RANK; l++) plain.unroll[l] = 1;
    for (int j = 0; j < plan->jobs.count; j++) {
        const Nest *nest = plan->jobs.items[j].nest;
        if (is_recurrent(nest, memory)) continue;
        int loads = loads_of_fullest_bank(plan, nest, memory, &plain);
        bool fits = loads * (double)content->elements * content->type.width <= most_copied_bits;
        if (fits && loads > layout->copies) layout->copies = loads;
    }
}

static void apply_layouts(Plan *plan, int memories) {
    for (int m = 0; m < memories; m++) {
        Layout *layout = &plan->layouts[m];
        /* Unrolling may have taken an access apart in a way that hides its subscripts. */
        layout->usable = layout->usable && memory_has_subscripts(plan->program, m);
        for (int d = 0; d < MAX_RANK && !layout->usable; d++) layout->factors[d] = 1;
        choose_copies(plan, m);
        bool cut = false;
        for (int d = 0; d < plan->program->memories.items[m].rank; d++) cut = cut || layout->factors[d] > 1;
        int first = plan->program->memories.count;
        if (cut) memory_partition(plan->program, m, layout->factors);
        int last = plan->program->memories.count;
        if (layout->copies < 2) continue;
        memory_replicate(plan->program, cut ? first : m, cut ? last - first : 1, layout->copies);
    }
}

bool pass_unroll(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)diagnostics;
    if (options->parallel < 2) return true;
    Plan plan = {.program = program, .options = options, .scratch = arena_new()};
    program_split_views(program);
    int memories = program->memories.count;
    plan.layouts = arena_array(plan.scratch, (size_t)memories + 1, sizeof(Layout));
    for (int m = 0; m < memories; m++) {
        plan.layouts[m] = (Layout){.usable = memory_has_subscripts(program, m), .copies = 1};
        for (int d = 0; d < MAX_RANK; d++) plan.layouts[m].factors[d] = 1;
    }
    program_each_nest(program, job_add, &plan);
    if (plan.jobs.count > 0) qsort(plan.jobs.items, (size_t)plan.jobs.count, sizeof(Job), compare_jobs);
    for (int i = 0; i < plan.jobs.count; i++) choose(&plan, &plan.jobs.items[i]);
    apply_layouts(&plan, memories);
    arena_free(plan.scratch);
    return fold_program(program);
}
