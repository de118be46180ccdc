/* What a simulation came to: comparisons with the reference and with expected outputs, as a table
 * and as sim.json. */
#ifndef TEPAL_SIMULATE_VERDICT_H
#define TEPAL_SIMULATE_VERDICT_H

#include "simulate/compare.h"
#include "simulate/simulation.h"

/* The outputs of one or more runs against what they should be. */
typedef struct Verdict {
    int count;               /* outputs */
    Comparison *comparisons; /* over all runs; `first` is of the run below */
    int *runs;               /* the first run in which the output differs, else 0 */
    const Tensor **expected; /* the tensors of that run */
    const Tensor **actual;
    int first; /* the first output that differs, or -1 */
} Verdict;

/* expected[run] are the tensors that runs[run].outputs should be. */
Verdict verdict_make(Arena *arena, int output_count, int run_count, Tensor *const *expected,
                     const RunResult *runs, double rtol, double atol);

/* Appends a table with one line per output. */
void verdict_table(Arena *arena, const Verdict *verdict, Text *text);

/* Names the first output and element that differ, with both values. Returns false; true if nothing
 * differs. `source` says what was expected: "the CPU reference". */
bool verdict_report(Arena *arena, Diagnostics *diagnostics, const char *place,
                    const Verdict *verdict, const char *source);

/* What sim.json tells. */
typedef struct SimulationReport {
    const Design *design;
    const char *simulator;
    int run_count;
    int64_t seed;
    const Simulation *simulation;
    const Verdict *reference;
    const Verdict *expected; /* or NULL */
    const char **files;      /* one per output if they were written, else NULL */
    double rtol, atol;       /* as given, negative for the default of the type */
    double reference_seconds, seconds;
} SimulationReport;

/* Appends the text of sim.json:
 *     {"cycles": N,             of the first run
 *      "predicted_cycles": N,   or null
 *      "runs": K, "run_cycles": [N, ...],
 *      "equal_to_reference": true,
 *      "outputs": [{"name": "y", "max_abs_error": 0, "max_ulp": 0, "mismatches": 0}],
 *      "files": ["y.npy"],      in the folder of --output, or null
 *      "expected": null, or {"equal": true, "rtol": X, "atol": Y, "outputs": [as above]},
 *      "simulator": "verilator", "seed": N, "cycles_per_second": X,
 *      "seconds": {"build": X, "simulate": X, "reference": X, "total": X}}
 * Errors are over all runs; an infinite one is null. rtol and atol are null for the default of the
 * type. */
void simulation_json(const SimulationReport *report, Text *text);

#endif
