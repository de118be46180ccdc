/* Simulators of Verilog: how a design becomes something that can be run.
 *
 * Both drivers give the same: a file in the cache that is made once per design, and the command
 * that runs it. It reads a job and writes results (job.h). */
#ifndef TEPAL_SIMULATE_SIMULATOR_H
#define TEPAL_SIMULATE_SIMULATOR_H

#include "simulate/cache.h"
#include "simulate/design.h"

typedef enum TraceKind { TRACE_NONE, TRACE_VCD, TRACE_FST } TraceKind;

/* What one run of a simulator reads and writes; absolute paths. */
typedef struct SimulatorRun {
    const char *executable; /* what `make` gave */
    const char *job, *results;
    const char *trace; /* or NULL */
    TraceKind trace_kind;
    const char *contents; /* folder that gets what the memories hold at the end, or NULL */
    uint64_t seed;        /* of the values of what nothing initialises */
    int progress;         /* file descriptor that shows the progress, or -1 */
} SimulatorRun;

enum { SIMULATOR_ARGUMENTS = 12 };

typedef struct Simulator {
    const char *name;
    int64_t max_cycles; /* of a run whose cycles are not known before: minutes for a small design */
    /* Makes the simulator of a design, or finds it in the cache. False with a STATUS_TOOL
     * diagnostic. */
    bool (*make)(Arena *arena, Diagnostics *diagnostics, const Design *design, TraceKind trace,
                 char **executable);
    /* Fills in the command that runs it. */
    void (*command)(Arena *arena, const SimulatorRun *run,
                    const char *arguments[SIMULATOR_ARGUMENTS]);
} Simulator;

extern const Simulator verilator_simulator, icarus_simulator;

/* The simulator of this name ("verilator", "icarus"; NULL is Verilator), or NULL. */
const Simulator *simulator_find(const char *name);

/* The text of harness.cpp and harness.sv. */
extern const char harness_cpp[], harness_sv[];
extern const size_t harness_cpp_length, harness_sv_length;

/* Used by the drivers. */

/* Adds all sources of a design to a key. */
bool key_add_design(Arena *arena, Diagnostics *diagnostics, const Design *design, CacheKey *key);
/* Runs a command and adds its output, as a version of a tool. */
bool key_add_version(Arena *arena, Diagnostics *diagnostics, const char *const *arguments,
                     CacheKey *key, char **version);

#endif
