/* Construction of the loop-nest IR, and its transformations. */
#ifndef TEPAL_LOOP_PASSES_H
#define TEPAL_LOOP_PASSES_H

#include "loop/loop.h"
#include "mlir/session.h"

/* --unroll NEST:LOOP=F. */
typedef struct UnrollRequest {
    const char *nest, *loop;
    int64_t factor;
    const char *origin; /* for messages: "--unroll", or FILE:LINE */
} UnrollRequest;

typedef struct LoopOptions {
    int parallel;                /* most multiply-accumulate units that may work at once */
    int recurrence_cycles;       /* cycles from a load of a partial sum to the next load of it: the
                                    distance in iterations that interchange aims for (schedule/ knows) */
    int least_shared_bits;       /* of a memory that is worth sharing */
    const UnrollRequest *unroll; /* overrides what the pass "unroll" would choose for these nests */
    int unroll_count;
} LoopOptions;

/* Builds the program from a module of the stage `affine` (see mlir/lower.h for its form). NULL,
 * with diagnostics, if it holds what the IR cannot say. */
Program *program_from_affine(Session *session, const Model *model);

/* A transformation: one purpose, one file of its name. Returns false only on an internal error. */
typedef struct LoopPass {
    const char *name;
    const char *description;
    bool (*run)(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
} LoopPass;

/* In the order in which they run. */
extern const LoopPass loop_passes[];
extern const int loop_pass_count;

/* Runs all passes, checking after each; with `inputs` not NULL it also interprets the program
 * after each and compares with the first result (`--check`): the first pass, output and element
 * that differ is reported. */
bool program_transform(Program *program, const LoopOptions *options, Diagnostics *diagnostics,
                       const Tensor *inputs);

/* A dependence between two accesses of one nest: `to` in iteration i + distance must not start
 * before `from` in iteration i is done. */
typedef struct Dependence {
    int from, to;     /* operations of the body */
    int64_t distance; /* least distance in collapsed iterations of the own loops, >= 0; 0 only if
                         from comes before to */
} Dependence;

typedef struct Dependences {
    int count;
    Dependence *items;
} Dependences;

/* All flow, anti and output dependences of a nest's own loops (exact for affine accesses, by isl;
 * "same memory" for computed ones, and where isl runs into its operation limit). */
Dependences nest_dependences(const Program *program, const Nest *nest, Arena *arena);

#endif
