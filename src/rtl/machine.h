/* The state machine that control becomes, between control.c (which states there are, and when one
 * follows another) and machine.c (registers and counters). Private to src/rtl. */
#ifndef TEPAL_RTL_MACHINE_H
#define TEPAL_RTL_MACHINE_H

#include "rtl/construction.h"

typedef enum StateKind {
    STATE_GROUP,  /* `turns` turns of a group */
    STATE_INVOKE, /* a component instance runs */
    STATE_JOIN,   /* child threads run */
    STATE_PAD     /* nothing, for `turns` cycles */
} StateKind;

typedef struct State {
    StateKind kind;
    int thread;
    int group;                 /* GROUP */
    int cell;                  /* INVOKE */
    int first_child, children; /* JOIN: threads */
    int latency;               /* cycles of a turn; 0: until it is done */
    int64_t turns;
    int signal;       /* register: 1 while control is here */
    Expression enter; /* or of the conditions under which it comes next */
} State;

/* A repeat around more than one state: counts down the turns left, and its top bit says "the last
 * one". */
typedef struct Counter {
    int64_t turns; /* most turns of the repeats that share it */
    int signal;
    Expression load, value; /* set to `value` */
    Expression step;        /* one turn less */
} Counter;

/* A state machine: the component's, or that of one child of a parallel. */
typedef struct Thread {
    const char *name;                        /* NULL: the component's */
    int phases;                              /* most cycles of a turn of its states */
    int64_t turns;                           /* most turns */
    bool waits;                              /* has a state of unknown length */
    int busy, phase, phase_last, turn_count; /* signals, or -1 */
    Expression phase_ends, turn_ends;        /* in the last cycle of a turn; in the last turn */
    Expression advance;                      /* the current state ends with this cycle */
    Expression start;                        /* enters the first state */
    Expression ends;                         /* with `advance`: nothing follows the current state */
    Expression over; /* ends with this cycle, or in the cycle of its start */
    Expression runs; /* is busy in the next cycle */
    Vector(Counter) counters;
} Thread;

typedef struct Plan Plan;

typedef struct Machine {
    Construction *construction;
    Vector(State) states;
    Vector(Thread) threads; /* children after their parents */
    Vector(Plan *) plans;   /* one per thread; NULL: nothing to do */
} Machine;

/* --- machine.c --- */
/* Registers of all threads and states. */
void machine_declare(Machine *machine);
/* `advance` of a thread, once `ends` of its children's threads is known. */
void machine_advance(Machine *machine, int thread);
/* What the registers take, once all transitions are known. */
void machine_define(Machine *machine);

#endif
