/* The files between `tepal sim` and a simulator: what to do, and what came out.
 *
 * JOB: numbers separated by spaces or ends of lines.
 *     RUNS INPUTS OUTPUTS MAX_CYCLES PREDICTED     decimal; PREDICTED 0: not known
 *     words of each input, then of each output     decimal
 *     for each run, for each input: its words in the order of their addresses, hexadecimal
 *
 * RESULTS: lines.
 *     run R CYCLES finished                        and then for each output its words, one a line,
 *                                                  hexadecimal, with x for undefined bits
 *     run R CYCLES endless | busy                  the end: MAX_CYCLES passed | done is 1 before go
 *     end [SECONDS]                                after the last run; seconds from start to done
 */
#ifndef TEPAL_SIMULATE_JOB_H
#define TEPAL_SIMULATE_JOB_H

#include "simulate/design.h"

/* What one run gave. */
typedef struct RunResult {
    int64_t cycles;
    Tensor *outputs;
} RunResult;

/* Appends a job: inputs[run][input]. */
void job_print(const Design *design, int run_count, Tensor *const *inputs, int64_t max_cycles,
               Text *text);

/* Reads the results of all runs. False with a diagnostic if a run did not end (STATUS_DIFFERENT),
 * an output is undefined (STATUS_DIFFERENT) or lines are missing (STATUS_TOOL). */
bool results_read(Arena *arena, Diagnostics *diagnostics, const Design *design, const char *text,
                  int run_count, int64_t max_cycles, RunResult *results, double *seconds);

#endif
