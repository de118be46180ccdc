/* Cuts and copies the memories, once factors and cuts are chosen. */
#include "loop/unrolling.h"

/* The most loads in one iteration of an unrolled nest of one of `banks` memories from `first` on.
 */
static int most_loads(const Nest *nest, int first, int banks, Arena *scratch) {
    int *loads = arena_array(scratch, (size_t)banks, sizeof(int)), most = 0;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        int bank = operation->opcode == OP_LOAD ? operation->memory - first : -1;
        if (bank >= 0 && bank < banks && ++loads[bank] > most) most = loads[bank];
    }
    return most;
}

static bool adds_up(const Nest *nest, int first, int banks) {
    for (int m = first; m < first + banks; m++)
        if (is_recurrent(nest, m)) return true;
    return false;
}

/* As many copies of the banks of a memory as the nest that asks most of a bank needs. */
static int copies_needed(const Plan *plan, int memory, int first, int banks) {
    const Memory *memories = plan->program->memories.items;
    const Users *users = &plan->users[memory];
    int copies = 1;
    if (!plan->can_cut[memory] || memory_is_register(&memories[first])) return 1;
    for (int u = 0; u < users->count; u++) {
        int loads = most_loads(users->items[u], first, banks, plan->scratch);
        if (loads > copies && copies_fit(&memories[memory], loads) &&
            !adds_up(users->items[u], first, banks))
            copies = loads;
    }
    return copies;
}

static bool is_cut(const Layout *layout) {
    return layout_banks(layout) > 1;
}

void layouts_apply(const Plan *plan, int memories) {
    for (int m = 0; m < memories; m++) {
        const Users *users = &plan->users[m];
        int first = m, count = 1;
        /* Unrolling may have taken an access apart in a way that hides its subscripts. */
        if (is_cut(&plan->layouts[m]) && memory_has_subscripts(plan->program, users, m)) {
            first = plan->program->memories.count;
            memory_partition(plan->program, users, m, plan->layouts[m].factors);
            count = plan->program->memories.count - first;
        }
        int copies = copies_needed(plan, m, first, count);
        if (copies > 1) memory_replicate(plan->program, users, first, count, copies);
    }
}
