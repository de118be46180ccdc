/* What the choice of unroll factors and of banks share. Private to src/loop.
 *
 * unroll.c lists what each nest can have, unroll_requests.c takes what the command line asks for,
 * banks.c tells what II the ports of a memory force for a cut of it, choose.c picks the best for
 * the whole network, and layouts.c cuts and copies the memories. */
#ifndef TEPAL_LOOP_UNROLLING_H
#define TEPAL_LOOP_UNROLLING_H

#include "loop/partition.h"
#include "loop/transform.h"

/* How a memory is cut into banks. */
typedef struct Layout {
    int factors[MAX_RANK]; /* 1 from the memory's rank on */
} Layout;

/* A memory of a nest, and what the nest does with it. */
typedef struct Accessed {
    int memory;
    int count;
    int *operations;    /* in the order of the body */
    Affine *subscripts; /* MAX_RANK per operation; if the memory can be cut */
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
    double turns; /* of the unrolled nest */
    int interval; /* the II if no memory forces a larger one */
} Trial;

/* What a memory means for a nest, given the nest's factors and the memory's cut. */
typedef struct Ports {
    int interval;      /* the II that its ports force */
    int copies;        /* of each bank, if ports would force more without */
    double selections; /* banks that accesses select from, in all */
} Ports;

/* A nest of the program, and what was chosen for it. */
typedef struct Job {
    Nest *nest;
    double runs; /* of the nest, for the loops around it */
    Subject subject;
    Vector(Trial) trials; /* the best first, as far as can be told without the memories */
    Trial choice;
} Job;

typedef struct Plan {
    Program *program;
    const LoopOptions *options;
    Arena *scratch;
    bool *can_cut;      /* per memory: every access has subscripts, and it may be cut */
    const Users *users; /* per memory */
    Layout *layouts;    /* per memory: what was chosen */
    Vector(Job) jobs;   /* in program order */
    int64_t *offsets;   /* of copies, and `counts`: room for banks.c */
    int *counts;
} Plan;

/* banks.c */
Subject subject_of(const Plan *plan, const Nest *nest);
Layout layout_plain(void);
bool layout_equal(const Layout *a, const Layout *b);
int layout_banks(const Layout *layout);
/* How a nest would cut a memory for its own sake. */
Layout layout_wanted(const Plan *plan, const Subject *subject, const Accessed *accessed,
                     const Trial *trial);
Ports ports_of(const Plan *plan, const Subject *subject, const Accessed *accessed,
               const Trial *trial, const Layout *layout);
/* Copies of a memory of so many bits are not too many. */
bool copies_fit(const Memory *memory, int copies);
/* True if the nest adds up through memory: a loop goes over the same stored element again. */
bool is_recurrent(const Nest *nest, int memory);

/* choose.c: sets the choice of every job, and the layouts. */
void plan_choose(Plan *plan);

/* layouts.c: cuts and copies the first `memories` memories as planned. */
void layouts_apply(const Plan *plan, int memories);

/* unroll_requests.c: false, with a STATUS_USAGE diagnostic, if a request names no nest. */
bool requests_check(const Plan *plan, Diagnostics *diagnostics);
/* Sets the factors, which are all 1, of the nest's loops to those asked for, if there are `any`.
 * False, with a diagnostic, if they cannot be had. */
bool requests_apply(const Plan *plan, const Nest *nest, const bool *parallel, int *factors,
                    bool *any, Diagnostics *diagnostics);

#endif
