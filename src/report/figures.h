/* Figures that the reports share. Private to src/report. */
#ifndef TEPAL_REPORT_FIGURES_H
#define TEPAL_REPORT_FIGURES_H

#include "report/report.h"

/* Bits of all memories of a kind. */
int64_t memory_kind_bits(const Program *program, MemoryKind kind);
int64_t memory_bits(const Program *program);
extern const char *const memory_kind_names[]; /* "inputs", "outputs", "buffers", "constants" */
enum { MEMORY_KINDS = MEMORY_CONSTANT + 1 };

/* The bits of a word that are not the same in all words of a constant; of other memories, all.
 * Synthesis stores no others. */
int memory_word_bits(const Memory *memory);

/* How often a nest runs: the turns of the sequential loops around it. */
int64_t nest_runs(const Nest *nest);

/* One row of the list of operators: some units of one kind with one role. */
typedef struct OperatorRow {
    const Unit *unit;
    const char *role;
    int count;
} OperatorRow;
/* The shared units by role; returns how many rows. */
int operator_rows(const Schedule *schedule, Arena *arena, OperatorRow **rows);
/* Units that are not shared, but primitives of hardware/ too (comparisons ...): one row per kind.
 */
int logic_rows(const Schedule *schedule, Arena *arena, OperatorRow **rows);

/* Multiply-accumulates per cycle and unit, 0 to 1: of all, and of one nest. */
double efficiency(const Schedule *schedule, int parallel);
double nest_efficiency(const NestSchedule *nest, int parallel);

#endif
