/* Banks: how the memories of a nest are cut for a choice of unroll factors, and what II their ports
 * force.
 *
 * A memory is cut cyclically, along the dimension that an unrolled loop indexes, so that each copy
 * has its own bank. How it is cut is for the first nest that stores to it to say (for inputs and
 * constants, that loads it); the others choose what fits. Loads that meet in a bank whatever the
 * cut (the overlapping windows of a convolution) get copies of the memory. */
#include "loop/fusion.h"
#include "loop/unrolling.h"

static const double most_copied_bits = 4e6; /* of one memory, in all */

static const Operation *operation_at(const Nest *nest, int index) {
    return &nest->body.items[index];
}

/* --- the subject --- */

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

static void subscripts_of(const Plan *plan, const Nest *nest, int operation, Affine *subscripts) {
    int loop;
    int64_t inner;
    access_subscripts(plan->scratch, plan->program, nest, operation, subscripts, &loop, &inner);
}

static void add_access(const Plan *plan, Subject *subject, int operation) {
    const Operation *access = operation_at(subject->nest, operation);
    int m = 0;
    while (m < subject->memory_count && subject->memories[m].memory != access->memory) m++;
    Accessed *accessed = &subject->memories[m];
    if (m == subject->memory_count) {
        size_t most = (size_t)subject->nest->body.count;
        *accessed =
            (Accessed){.memory = access->memory,
                       .operations = arena_array(plan->scratch, most, sizeof(int)),
                       .subscripts = arena_array(plan->scratch, most * MAX_RANK, sizeof(Affine)),
                       .recurrent = is_recurrent(subject->nest, access->memory)};
        subject->memory_count++;
    }
    int place = accessed->count++;
    accessed->operations[place] = operation;
    if (plan->layouts[access->memory].usable)
        subscripts_of(plan, subject->nest, operation, &accessed->subscripts[place * MAX_RANK]);
    if (access->opcode == OP_STORE &&
        operation_at(subject->nest, accessed->operations[accessed->deciding])->opcode == OP_LOAD)
        accessed->deciding = place;
}

Subject subject_of(const Plan *plan, const Nest *nest) {
    Subject subject = {.nest = nest};
    subject.memories = arena_array(plan->scratch, (size_t)nest->body.count + 1, sizeof(Accessed));
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(operation_at(nest, i))) add_access(plan, &subject, i);
    return subject;
}

/* --- ports --- */

/* The bank of a dimension is known in each copy: all that varies in the nest is a multiple of the
 * factor. */
static bool is_known_bank(const Nest *nest, const int *unroll, const Affine *subscript,
                          int factor) {
    for (int l = 0; l < nest->loop_count; l++)
        if (subscript->coefficients[l] * unroll[l] % factor != 0 && nest->loops[l].trip > unroll[l])
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

/* What it takes to select one of `factor` banks for an access: a bank number that is no bits of an
 * index is computed. */
static double selection_cost(int factor) {
    enum { DIVISION = 8 };
    return factor + ((factor & (factor - 1)) ? DIVISION : 0);
}

/* The most copies of an access that need one bank in the same cycle. `counts` has an item per bank,
 * all 0. Adds to trial->selections what the copies have to select from. */
static int bank_conflicts(const Nest *nest, int rank, const Affine *subscripts, const int *factors,
                          Trial *trial, int *counts) {
    bool matters[MAX_RANK] = {false}, known[MAX_RANK];
    double choices = 1;
    for (int d = 0; d < rank; d++) {
        known[d] = is_known_bank(nest, trial->unroll, &subscripts[d], factors[d]);
        if (!known[d]) choices *= selection_cost(factors[d]);
        for (int l = 0; l < nest->loop_count; l++)
            matters[l] = matters[l] || (subscripts[d].coefficients[l] != 0 && trial->unroll[l] > 1);
    }
    int most = 0;
    int64_t copy[MAX_RANK] = {0};
    do {
        int bank = 0;
        for (int d = 0; d < rank; d++) {
            int64_t digit = 0;
            if (factors[d] == 1) continue;
            for (int l = 0; known[d] && l < nest->loop_count; l++)
                digit += subscripts[d].coefficients[l] * copy[l];
            digit = ((digit % factors[d]) + factors[d]) % factors[d];
            bank = bank * factors[d] + (int)digit;
        }
        if (++counts[bank] > most) most = counts[bank];
        trial->selections += choices - 1;
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

/* Cuts the dimension that an unrolled loop indexes. For loads only where that gives each copy a
 * bank of its own. */
static void cut_for_access(const Nest *nest, const Memory *memory, bool is_load,
                           const Affine *subscripts, const Trial *trial, Layout *layout) {
    for (int l = nest->outer; l < nest->loop_count; l++) {
        for (int d = 0; d < memory->rank && trial->unroll[l] > 1; d++) {
            if (greatest_common_divisor(subscripts[d].coefficients[l], trial->unroll[l]) != 1)
                continue;
            int factor = layout->factors[d] * trial->unroll[l];
            if (factor > power_above(memory->shape[d])) continue;
            if (is_load && !is_known_bank(nest, trial->unroll, &subscripts[d], factor)) continue;
            layout->factors[d] = factor;
            break;
        }
    }
}

/* Reads and writes of a memory per iteration of the unrolled nest, for its fullest bank. */
typedef struct Ports {
    int reads, writes;
} Ports;

static Ports count_ports(const Plan *plan, const Nest *nest, const Accessed *accessed,
                         const Layout *layout, Trial *trial) {
    Ports ports = {0, 0};
    int rank = plan->program->memories.items[accessed->memory].rank;
    size_t banks = 1;
    for (int d = 0; d < rank; d++) banks *= (size_t)layout->factors[d];
    Arena *scratch = arena_new();
    for (int i = 0; i < accessed->count; i++) {
        const Operation *operation = operation_at(nest, accessed->operations[i]);
        int conflicts = trial->units;
        if (layout->usable)
            conflicts =
                bank_conflicts(nest, rank, &accessed->subscripts[i * MAX_RANK], layout->factors,
                               trial, arena_array(scratch, banks, sizeof(int)));
        *(operation->opcode == OP_LOAD ? &ports.reads : &ports.writes) += conflicts;
    }
    arena_free(scratch);
    return ports;
}

/* Plans one memory of the nest; returns the II that its ports force. */
static int plan_memory(const Plan *plan, const Nest *nest, const Accessed *accessed, Layout *layout,
                       Trial *trial) {
    const Memory *content = &plan->program->memories.items[accessed->memory];
    bool is_load = operation_at(nest, accessed->operations[accessed->deciding])->opcode == OP_LOAD;
    if (!layout->chosen && layout->usable)
        cut_for_access(nest, content, is_load, &accessed->subscripts[accessed->deciding * MAX_RANK],
                       trial, layout);
    /* Who only loads what another nest stores hopes that it will be cut so, but does not decide. */
    layout->chosen = layout->chosen || !is_load || content->kind == MEMORY_INPUT ||
                     content->kind == MEMORY_CONSTANT;
    Ports ports = count_ports(plan, nest, accessed, layout, trial);
    double bits = (double)content->elements * content->type.width;
    int interval = ports.writes > 1 ? ports.writes : 1;
    if (ports.reads > layout->copies) {
        bool may_copy =
            layout->usable && !accessed->recurrent && ports.reads * bits <= most_copied_bits;
        if (may_copy) {
            trial->copied_bits += bits * (ports.reads - layout->copies);
            layout->copies = ports.reads;
        } else if (ports.reads > interval) {
            interval = (ports.reads + layout->copies - 1) / layout->copies;
        }
    }
    return interval;
}

int plan_memories(const Plan *plan, const Subject *subject, Trial *trial) {
    int interval = 1;
    trial->layouts = arena_array(plan->scratch, (size_t)subject->memory_count + 1, sizeof(Layout));
    trial->copied_bits = trial->selections = 0;
    for (int m = 0; m < subject->memory_count; m++) {
        trial->layouts[m] = plan->layouts[subject->memories[m].memory];
        int forced =
            plan_memory(plan, subject->nest, &subject->memories[m], &trial->layouts[m], trial);
        if (forced > interval) interval = forced;
    }
    return interval;
}

/* --- copies, once all cuts are known --- */

/* Loads of a memory per bank in one iteration of an unrolled nest. Loads whose bank is not known
 * need all banks of that dimension. */
static int loads_of_fullest_bank(const Plan *plan, const Nest *nest, int memory, const int *plain) {
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
                needs = needs && (!is_known_bank(nest, plain, &subscripts[d], factor) ||
                                  digit == rest % factor);
            }
            counts[bank] += needs;
            if (counts[bank] > most) most = counts[bank];
        }
    }
    return most;
}

/* Every memory gets as many copies as the nest that asks most of a bank needs. Where unrolling has
 * taken an access apart in a way that hides its subscripts, the memory is one bank. */
static void choose_copies(Plan *plan, int memory) {
    Layout *layout = &plan->layouts[memory];
    const Memory *content = &plan->program->memories.items[memory];
    layout->copies = 1;
    if (!layout->usable) return;
    bool hidden = !memory_has_subscripts(plan->program, memory);
    for (int d = 0; d < MAX_RANK && hidden; d++) layout->factors[d] = 1;
    int plain[MAX_RANK];
    for (int l = 0; l < MAX_RANK; l++) plain[l] = 1;
    for (int j = 0; j < plan->jobs.count; j++) {
        const Nest *nest = plan->jobs.items[j].nest;
        if (is_recurrent(nest, memory)) continue;
        int loads = hidden ? count_accesses(nest, OP_LOAD, memory)
                           : loads_of_fullest_bank(plan, nest, memory, plain);
        bool fits = loads * (double)content->elements * content->type.width <= most_copied_bits;
        if (fits && loads > layout->copies) layout->copies = loads;
    }
}

void layouts_apply(Plan *plan, int memories) {
    for (int m = 0; m < memories; m++) {
        Layout *layout = &plan->layouts[m];
        choose_copies(plan, m);
        bool cut = false;
        for (int d = 0; d < plan->program->memories.items[m].rank; d++)
            cut = cut || layout->factors[d] > 1;
        int first = plan->program->memories.count;
        if (cut) memory_partition(plan->program, m, layout->factors);
        int last = plan->program->memories.count;
        if (layout->copies < 2) continue;
        memory_replicate(plan->program, cut ? first : m, cut ? last - first : 1, layout->copies);
    }
}
