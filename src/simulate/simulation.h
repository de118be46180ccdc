/* Runs a built design in a simulator. */
#ifndef TEPAL_SIMULATE_SIMULATION_H
#define TEPAL_SIMULATE_SIMULATION_H

#include "simulate/contents.h"
#include "simulate/job.h"
#include "simulate/simulator.h"

typedef struct SimulationOptions {
    const Simulator *simulator;
    uint64_t seed;      /* of what nothing initialises */
    int64_t max_cycles; /* 0: from the predicted count */
    const char *trace;  /* file for the waveform: FST if it ends in .fst, else VCD; or NULL */
    bool contents;      /* also gather what the memories hold at the end */
} SimulationOptions;

typedef struct Simulation {
    RunResult *runs;
    ContentsList contents;
    double build_seconds; /* making the simulator, or finding it */
    double run_seconds;   /* all of the simulator's work */
    double cycles_per_second;
} Simulation;

/* Runs the design once for each of inputs[run], one run after the other without a reset. False with
 * diagnostics: STATUS_TOOL if the simulator is missing or fails, STATUS_DIFFERENT if the design
 * reports an error (an address out of range) or does not end. */
bool simulate(Arena *arena, Diagnostics *diagnostics, const Design *design,
              const SimulationOptions *options, int run_count, Tensor *const *inputs,
              Simulation *result);

#endif
