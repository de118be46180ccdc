/* Cuts and copies the memories, once factors and cuts are chosen. */
#include "loop/fusion.h"
#include "loop/unrolling.h"

/* Loads of a memory per bank in one iteration of an unrolled nest. Loads whose bank is not known
 * need all banks of that dimension. */
static int loads_of_fullest_bank(const Plan *plan, const Nest *nest, int memory, const int *plain) {
    const Layout *layout = &plan->layouts[memory];
    int rank = plan->program->memories.items[memory].rank, banks = 1, most = 0;
    for (int d = 0; d < rank; d++) banks *= layout->factors[d];
    int *counts = arena_array(plan->scratch, (size_t)banks, sizeof(int));
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (operation->opcode != OP_LOAD || operation->memory != memory) continue;
        Affine subscripts[MAX_RANK];
        int loop;
        int64_t inner;
        access_subscripts(plan->scratch, plan->program, nest, i, subscripts, &loop, &inner);
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
    layout->copies = 1;
    if (!plan->can_cut[memory]) return;
    bool hidden = !memory_has_subscripts(plan->program, memory);
    for (int d = 0; d < MAX_RANK && hidden; d++) layout->factors[d] = 1;
    int plain[MAX_RANK];
    for (int l = 0; l < MAX_RANK; l++) plain[l] = 1;
    for (int j = 0; j < plan->jobs.count; j++) {
        const Nest *nest = plan->jobs.items[j].nest;
        if (is_recurrent(nest, memory)) continue;
        int loads = hidden ? count_accesses(nest, OP_LOAD, memory)
                           : loads_of_fullest_bank(plan, nest, memory, plain);
        bool fits = copies_fit(&plan->program->memories.items[memory], loads);
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
