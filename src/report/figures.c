/* Figures of a schedule that more than one report shows. */
#include "report/figures.h"

const char *const memory_kind_names[] = {[MEMORY_INPUT] = "inputs",
                                         [MEMORY_OUTPUT] = "outputs",
                                         [MEMORY_LOCAL] = "buffers",
                                         [MEMORY_CONSTANT] = "constants"};

int64_t memory_kind_bits(const Program *program, MemoryKind kind) {
    int64_t bits = 0;
    for (int m = 0; m < program->memories.count; m++) {
        const Memory *memory = &program->memories.items[m];
        if (memory->kind == kind && !memory_is_description(program, m))
            bits += (int64_t)memory->elements * memory->type.width;
    }
    return bits;
}

int64_t memory_bits(const Program *program) {
    int64_t bits = 0;
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        bits += memory_kind_bits(program, (MemoryKind)kind);
    return bits;
}

int memory_word_bits(const Memory *memory) {
    if (!memory->data) return memory->type.width;
    return bits_varying(memory->data, memory->elements, scalar_bytes(memory->type));
}

int64_t nest_runs(const Nest *nest) {
    int64_t runs = 1;
    for (int l = 0; l < nest->outer; l++) runs *= nest->loops[l].trip;
    return runs;
}

int operator_rows(const Schedule *schedule, Arena *arena, OperatorRow **rows) {
    *rows = arena_array(arena, 3 * (size_t)schedule->unit_count + 1, sizeof **rows);
    int count = 0;
    for (int u = 0; u < schedule->unit_count; u++) {
        const UnitCount *units = &schedule->units[u];
        const int by_role[] = {[ROLE_OTHER] = units->count - units->mac - units->tail,
                               [ROLE_MAC] = units->mac,
                               [ROLE_TAIL] = units->tail};
        const Role order[] = {ROLE_MAC, ROLE_TAIL, ROLE_OTHER};
        for (int k = 0; k < 3; k++)
            if (by_role[order[k]] > 0)
                (*rows)[count++] =
                    (OperatorRow){&units->unit, role_names[order[k]], by_role[order[k]]};
    }
    return count;
}

int logic_rows(const Schedule *schedule, Arena *arena, OperatorRow **rows) {
    int count = 0, most = 0;
    for (int n = 0; n < schedule->nest_count; n++) most += schedule->nests[n].unit_count;
    *rows = arena_array(arena, (size_t)most + 1, sizeof **rows);
    for (int n = 0; n < schedule->nest_count; n++) {
        const NestSchedule *nest = &schedule->nests[n];
        for (int i = 0; i < nest->nest->body.count; i++) {
            const Unit *unit = nest->slots[i].unit < 0 ? NULL : &nest->units[nest->slots[i].unit];
            if (!unit || !unit->primitive || unit->shared) continue;
            int row = 0;
            while (row < count && !unit_equal((*rows)[row].unit, unit)) row++;
            if (row == count) (*rows)[count++] = (OperatorRow){unit, role_names[ROLE_OTHER], 0};
            (*rows)[row].count++;
        }
    }
    return count;
}

double efficiency(const Schedule *schedule, int parallel) {
    double possible = (double)schedule->cycles * parallel;
    return possible > 0 ? (double)schedule->program->macs / possible : 0;
}

double nest_efficiency(const NestSchedule *nest, int parallel) {
    double possible = (double)nest->cycles * (double)nest_runs(nest->nest) * parallel;
    return possible > 0 ? (double)nest->nest->macs / possible : 0;
}
