/* The scheduling problem of one nest, and the steps of its solution. Private to src/schedule.
 *
 * A schedule gives each operation a start cycle such that
 *     start(to) - start(from) >= weight - distance x II     for every edge (data flow, dependences,
 * chaining), and in no cycle modulo II more operations use a resource than its capacity.
 *
 * problem.c builds it, recurrence.c finds its least II, modulo.c and exact.c solve it, lifetime.c
 * moves operations to save registers, nest.c calls them in order. */
#ifndef TEPAL_SCHEDULE_MODULO_H
#define TEPAL_SCHEDULE_MODULO_H

#include "schedule/schedule.h"

typedef struct Edge {
    int from, to;
    int weight;
    int64_t distance;
    int dependence; /* index into problem->dependences, or -1: data flow or chaining */
} Edge;

/* What operations of one cycle (modulo II) compete for: a port of a bank, or units of a kind. */
typedef struct Resource {
    int memory;  /* of a port, else -1 */
    bool writes; /* the port ... */
    int bank;    /* ... of this bank */
    int unit;    /* of a unit kind: index into problem->units, else -1 */
    Role role;   /* units: MAC, TAIL or OTHER have instances of their own */
    int capacity;
    int users; /* operations that use it */
    int busy;  /* cycles that they all use it */
} Resource;

typedef struct IntList {
    int *items;
    int count;
} IntList;

typedef struct Problem {
    const Program *program;
    const Nest *nest;
    const Target *target;
    Arena *arena;
    int parallel;
    int count; /* operations */
    const Operation *body;

    Dependences dependences;
    Vector(Unit) units; /* kinds */
    int *unit_of;       /* per operation: index into units, or -1 */
    Role *roles;
    int *latency;
    int *span;       /* cycles after which nothing of it is in use: latency, but at least 1 */
    bool *is_source; /* CONSTANT, INDEX: not scheduled, start is 0 */
    double *input_delay, *output_delay;

    int *component;  /* strongly connected component, by data flow and dependences */
    bool *recurrent; /* lies on a recurrence: there are more in its component */
    Vector(Edge) edges;
    IntList *outgoing, *incoming; /* per operation: indices into edges */

    Vector(Resource) resources;
    IntList *uses; /* per operation: indices into resources */
    int *busy;     /* per operation: cycles for which it holds them */
} Problem;

/* How many units there are. In general MACs and tails have units of their own, as --parallel
 * promises; `merged` lets the tail use the MACs'. With `least` a kind has just as many units as its
 * operations fill at this II. `digit_units`, if not 0, is the most of a kind that makes one digit
 * after another. */
typedef struct Pools {
    bool merged, least;
    int digit_units;
} Pools;

/* operators.c: operator_unit for a design whose units were bound before, in `bound` (may be NULL):
 * it tells how many sources they choose from. */
Unit operator_unit_bound(const Target *target, const Nest *nest, const Operation *op,
                         const Schedule *bound);
/* How many sources a kind of unit was bound to in `bound` (may be NULL). */
int bound_sources(const Schedule *bound, const Unit *unit);
/* ns that the choice between so many sources takes, in front of a shared unit. */
double unit_sharing_delay(const Target *target, int sources);

/* problem.c */
Problem *problem_new(const Program *program, const Nest *nest, const Target *target, int parallel,
                     const Dependences *dependences, const Schedule *bound, Arena *arena);
/* resources.c: (re)makes the resources for a choice of pools; `interval` matters to `least` only.
 */
void problem_resources(Problem *problem, Pools pools, int interval);
/* The most units of a kind that makes one digit after another (divide, square root). */
int most_digit_units(const Problem *problem, int interval);
/* components.c: fills problem->component. Needs the edges. */
void problem_components(Problem *problem);
/* roles.c: fills problem->roles. Needs the components. */
void problem_roles(Problem *problem);

/* recurrence.c: least II that the resources, and the recurrences, allow. */
int resource_interval(const Problem *problem);
int recurrence_interval(const Problem *problem); /* -1: dependences that contradict each other */
/* Earliest starts, regardless of resources; false if II is below the recurrences' least. */
bool earliest_starts(const Problem *problem, int interval, int *start);
/* What holds II at `interval` > 1. */
const char *interval_limit(const Problem *problem, int interval);

/* modulo.c: iterative modulo scheduling. False if it gave up. */
bool modulo_schedule(const Problem *problem, int interval, int *start);
/* exact.c: a schedule of less depth than `depth`, if a bounded search finds one. */
bool exact_schedule(const Problem *problem, int interval, int depth, int *start);
/* lifetime.c: fewer register bits at the same II and depth. */
void save_registers(const Problem *problem, int interval, int depth, int *start);
int64_t register_bits(const Problem *problem, int interval, const int *start);

int schedule_depth(const Problem *problem, const int *start);

/* A table of what is in use in each cycle modulo II. */
typedef struct Reservations {
    const Problem *problem;
    int interval;
    int *used; /* resource x II */
} Reservations;

Reservations reservations_new(const Problem *problem, int interval, Arena *arena);
bool reservation_fits(const Reservations *table, int operation, int cycle);
void reservation_add(Reservations *table, int operation, int cycle,
                     int amount); /* 1, or -1 to remove */

/* nest.c: schedules one nest, but for the binding to instances. False on an internal error. */
bool nest_schedule(const Schedule *design, const Nest *nest, int parallel,
                   const Dependences *dependences, const Schedule *bound, Arena *arena,
                   NestSchedule *schedule);

/* program.c: schedule_program, with the dependences from elsewhere than loop/. */
typedef Dependences DependenceFinder(const Program *program, const Nest *nest, Arena *arena);
Schedule *schedule_with(const Program *program, const Target *target, int parallel,
                        DependenceFinder *find, Arena *arena, Diagnostics *diagnostics);

/* bind.c: numbers the instances of shared units over all nests and fills schedule->units. */
void bind_units(Schedule *schedule, Arena *arena);

#endif
