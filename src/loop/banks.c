/* Banks: how a nest would cut a memory for its unroll factors, and what II the ports of a cut
 * force.
 *
 * A memory is cut cyclically, along the dimension that an unrolled loop indexes, so that each copy
 * of the body has its own bank. Loads that meet in a bank (the overlapping windows of a
 * convolution) get copies of the memory. */
#include <stdlib.h>
#include <string.h>

#include "loop/unrolling.h"

static const double most_copied_bits = 4e6; /* of one memory, in all */

static const Operation *operation_at(const Nest *nest, int index) {
    return &nest->body.items[index];
}

/* --- layouts --- */

Layout layout_plain(void) {
    Layout layout;
    for (int d = 0; d < MAX_RANK; d++) layout.factors[d] = 1;
    return layout;
}

bool layout_equal(const Layout *a, const Layout *b) {
    return memcmp(a->factors, b->factors, sizeof a->factors) == 0;
}

int layout_banks(const Layout *layout) {
    int banks = 1;
    for (int d = 0; d < MAX_RANK; d++) banks *= layout->factors[d];
    return banks;
}

bool copies_fit(const Memory *memory, int copies) {
    return copies * (double)memory->elements * memory->type.width <= most_copied_bits;
}

/* --- the subject --- */

bool is_recurrent(const Nest *nest, int memory) {
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
    int place = accessed->count++, loop;
    int64_t inner;
    accessed->operations[place] = operation;
    if (plan->can_cut[access->memory])
        access_subscripts(plan->scratch, plan->program, subject->nest, operation,
                          &accessed->subscripts[place * MAX_RANK], &loop, &inner);
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

/* --- the cut that a nest wants --- */

/* The bank of a dimension is known in each copy: all that varies in the nest is a multiple of the
 * factor. */
static bool is_known_bank(const Nest *nest, const int *unroll, const Affine *subscript,
                          int factor) {
    for (int l = 0; l < nest->loop_count; l++)
        if (subscript->coefficients[l] * unroll[l] % factor != 0 && nest->loops[l].trip > unroll[l])
            return false;
    return true;
}

/* A power of two that is at least `count`. */
static int power_above(int64_t count) {
    int power = 1;
    while (power < count) power *= 2;
    return power;
}

/* The least cut, by doubling, that has `copies` subscripts that are `step` apart in different
 * banks.
 */
static int64_t banks_apart(int64_t step, int copies) {
    int64_t factor = copies;
    while (factor / greatest_common_divisor(step, factor) < copies) factor *= 2;
    return factor;
}

static int64_t most_banks(const Plan *plan) {
    return 2 * (int64_t)plan->options->parallel;
}

/* Each unrolled loop cuts the dimension that it indexes, so that each copy has a bank of its own.
 */
Layout layout_wanted(const Plan *plan, const Subject *subject, const Accessed *accessed,
                     const Trial *trial) {
    const Nest *nest = subject->nest;
    const Memory *memory = &plan->program->memories.items[accessed->memory];
    const Affine *subscripts = &accessed->subscripts[accessed->deciding * MAX_RANK];
    Layout layout = layout_plain();
    if (!plan->can_cut[accessed->memory]) return layout;
    for (int l = nest->outer; l < nest->loop_count; l++) {
        for (int d = 0; d < memory->rank && trial->unroll[l] > 1; d++) {
            if (subscripts[d].coefficients[l] == 0) continue;
            int64_t factor =
                layout.factors[d] * banks_apart(subscripts[d].coefficients[l], trial->unroll[l]);
            int64_t others = layout_banks(&layout) / layout.factors[d];
            if (factor > power_above(memory->shape[d]) || factor * others > most_banks(plan))
                continue;
            layout.factors[d] = (int)factor;
            break;
        }
    }
    return layout;
}

/* --- ports --- */

static int copies_of(const Nest *nest, const Trial *trial, int loop) {
    int64_t trip = nest->loops[loop].trip;
    return trial->unroll[loop] < trip ? trial->unroll[loop] : (int)trip;
}

static int compare_offsets(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* The different subscripts that copies have in a dimension in one iteration, relative to the first
 * one's, in plan->offsets; returns how many. Loops that are `counted` indexed a dimension before
 * this one. */
static int list_offsets(const Plan *plan, const Nest *nest, const Trial *trial,
                        const Affine *subscript, bool *counted) {
    int count = 1;
    plan->offsets[0] = 0;
    for (int l = 0; l < nest->loop_count; l++) {
        int64_t step = subscript->coefficients[l];
        int copies = copies_of(nest, trial, l), kept = 1;
        if (step == 0 || copies < 2 || counted[l]) continue;
        counted[l] = true;
        for (int k = 1; k < copies; k++)
            for (int i = 0; i < count; i++)
                plan->offsets[k * count + i] = plan->offsets[i] + k * step;
        count *= copies;
        qsort(plan->offsets, (size_t)count, sizeof(int64_t), compare_offsets);
        for (int i = 1; i < count; i++)
            if (plan->offsets[i] != plan->offsets[kept - 1])
                plan->offsets[kept++] = plan->offsets[i];
        count = kept;
    }
    return count;
}

/* The most of `count` offsets that are equal modulo the factor. */
static int most_in_a_bank(const Plan *plan, int count, int factor) {
    int most = 0;
    memset(plan->counts, 0, (size_t)factor * sizeof(int));
    for (int i = 0; i < count; i++) {
        int64_t digit = ((plan->offsets[i] % factor) + factor) % factor;
        if (++plan->counts[digit] > most) most = plan->counts[digit];
    }
    return most;
}

/* What it takes to select one of `factor` banks for an access: a bank number that is no bits of an
 * index is computed. */
static double selection_cost(int factor) {
    enum { DIVISION = 8 };
    return factor + ((factor & (factor - 1)) ? DIVISION : 0);
}

/* The most copies of an access that need one bank in the same cycle: those whose bank is not known
 * are apart if `shares` and their banks differ by a constant. Adds to `selections` what the copies
 * have to select from. */
static int bank_conflicts(const Plan *plan, const Nest *nest, int rank, const Affine *subscripts,
                          const Layout *layout, const Trial *trial, bool shares,
                          double *selections) {
    bool counted[MAX_RANK] = {false};
    double choices = 1, accesses = 1;
    int conflicts = 1;
    for (int d = 0; d < rank; d++) {
        int factor = layout->factors[d];
        int count = list_offsets(plan, nest, trial, &subscripts[d], counted);
        bool known = is_known_bank(nest, trial->unroll, &subscripts[d], factor);
        accesses *= count;
        if (!known) choices *= selection_cost(factor);
        if (count > 1) conflicts *= known || shares ? most_in_a_bank(plan, count, factor) : count;
    }
    *selections += accesses * (choices - 1);
    return conflicts;
}

/* The same for a memory that is not cut. */
static int plain_conflicts(const Nest *nest, const Operation *access, const Trial *trial) {
    int conflicts = 1;
    for (int l = 0; l < nest->loop_count; l++)
        if (access->computed || access->affine.coefficients[l] != 0)
            conflicts *= copies_of(nest, trial, l);
    return conflicts;
}

Ports ports_of(const Plan *plan, const Subject *subject, const Accessed *accessed,
               const Trial *trial, const Layout *layout) {
    const Nest *nest = subject->nest;
    const Memory *memory = &plan->program->memories.items[accessed->memory];
    bool can_cut = plan->can_cut[accessed->memory];
    Ports ports = {1, 1, 0};
    int reads = 0, writes = 0;
    bool stores = operation_at(nest, accessed->operations[accessed->deciding])->opcode == OP_STORE;
    for (int i = 0; i < accessed->count; i++) {
        const Operation *access = operation_at(nest, accessed->operations[i]);
        int conflicts =
            can_cut ? bank_conflicts(plan, nest, memory->rank, &accessed->subscripts[i * MAX_RANK],
                                     layout, trial, !stores, &ports.selections)
                    : plain_conflicts(nest, access, trial);
        *(access->opcode == OP_LOAD ? &reads : &writes) += conflicts;
    }
    if (memory_is_register(memory)) reads = 1;
    if (writes > 1) ports.interval = writes;
    /* An address in a bank that is selected is computed: nothing is known of where it meets
     * others, and each load waits for the store before it. */
    if (reads > 0 && writes > 0 && ports.selections > 0)
        ports.interval = plan->options->recurrence_cycles * trial->units;
    if (reads > 1 && can_cut && !accessed->recurrent && copies_fit(memory, reads))
        ports.copies = reads;
    else if (reads > ports.interval)
        ports.interval = reads;
    return ports;
}
