/* What the choice of unroll factors and of banks share. Private to src/loop.
 *
 * unroll.c lists and compares the choices for a nest, unroll_requests.c takes those of the command
 * line, banks.c tells how memories are cut for a choice and what II their ports then force. */
#ifndef TEPAL_LOOP_UNROLLING_H
#define TEPAL_LOOP_UNROLLING_H

#include "loop/partition.h"
#include "loop/transform.h"

/* How a memory is cut into banks, and how many copies of each there are. */
typedef struct Layout {
    bool usable; /* every access has subscripts, and it may be cut */
    bool chosen; /* by a nest with more work */
    int factors[MAX_RANK];
    int copies;
} Layout;

/* A memory of a nest, and what the nest does with it. */
typedef struct Accessed {
    int memory;
    int count;
    int *operations;    /* in the order of the body */
    Affine *subscripts; /* MAX_RANK per operation; if the layout is usable */
    int deciding;       /* which of `operations` says how it is cut: a store if there is one */
    bool recurrent;     /* a sum runs through it */
} Accessed;

/* A nest for which factors are chosen. */
typedef struct Subject {
    const Nest *nest;
    int memory_count;
    Accessed *memories;
    bool parallel[MAX_RANK]; /* loops that may be unrolled */
} Subject;

/* One choice for a nest. */
typedef struct Trial {
    int unroll[MAX_RANK]; /* per loop of the nest */
    int units;
    double least_cycles; /* if no memory forces an II */
    double cycles, copied_bits, selections;
    Layout *layouts; /* one per memory of the subject */
} Trial;

/* A nest of the program, and what was chosen for it. */
typedef struct Job {
    Nest *nest;
    int place; /* in program order */
    int64_t work;
    Subject subject;
    Trial choice;
} Job;

typedef struct Plan {
    Program *program;
    const LoopOptions *options;
    Arena *scratch;
    Layout *layouts; /* one per memory */
    Vector(Job) jobs;
    bool any_factor; /* not only powers of two */
} Plan;

/* banks.c */
Subject subject_of(const Plan *plan, const Nest *nest);
/* Sets the trial's layouts, copied_bits and selections; returns the II that ports force. */
int plan_memories(const Plan *plan, const Subject *subject, Trial *trial);
/* Cuts and copies the first `memories` memories as planned. */
void layouts_apply(Plan *plan, int memories);

/* unroll_requests.c: false, with a STATUS_USAGE diagnostic, if a request names no nest. */
bool requests_check(const Plan *plan, Diagnostics *diagnostics);
/* Sets the factors, which are all 1, of the nest's loops to those asked for, if there are `any`.
 * False, with a diagnostic, if they cannot be had. */
bool requests_apply(const Plan *plan, const Nest *nest, const bool *parallel, int *factors,
                    bool *any, Diagnostics *diagnostics);

#endif
