/* State shared by the files that make Calyx from a schedule: construct.c (program and control),
 * odometer.c (counters and addresses), datapath.c (operations). Private to src/calyx. */
#ifndef TEPAL_CALYX_CONSTRUCTION_H
#define TEPAL_CALYX_CONSTRUCTION_H

#include "calyx/construct.h"

/* A unit that nests share: Slot.instance numbers those of one kind. */
typedef struct UnitCell {
    const Unit *unit;
    int instance;
    int cell;
    int ranks[2]; /* wires to the registers in front of its inputs (Unit.input_ranks), or -1 */
} UnitCell;

/* A ROM of several constants. */
typedef struct Pack {
    int first; /* of the memories in it */
    int members;
    size_t words;
    int cell; /* -1 before it is made */
} Pack;

/* Where a constant lies: from word `base` on; pack is -1 if it has a ROM of its own. */
typedef struct PackedPlace {
    int pack;
    size_t base;
} PackedPlace;

/* What came out of a unit or memory 1, 2, ... cycles ago, for all values that come from there. */
typedef struct DelayLine {
    Port source;
    Vector(Port) registers;
} DelayLine;

/* An enclosing sequential loop (NODE_LOOP) and the groups that start and advance it. */
typedef struct LoopGroups {
    int enter, advance;
} LoopGroups;

typedef struct Construction {
    const Schedule *schedule;
    CalyxProgram *calyx;
    Component *component;
    NameSet *names;
    Diagnostics *diagnostics;
    int *memory_cells;   /* one per memory of the program */
    PackedPlace *places; /* one per memory */
    Vector(Pack) packs;
    Vector(UnitCell) units;
    Vector(DelayLine) delay_lines;
    Vector(LoopGroups) enclosing; /* outermost first */
    int next_nest;                /* nests are met in the order of schedule->nests */
} Construction;

/* The value of an affine expression in the iteration at stage 0: a register, or a number. */
typedef struct Induction {
    Affine affine;
    int width;
    Port port;
} Induction;

/* A value of the iteration: its port when it is there, and the registers that keep it longer. */
typedef struct ValueChain {
    Port source;
    int ready; /* cycle of `source`; -1 for what the odometer holds from cycle 0 on */
    bool made;
    bool waits_shortly;     /* in the delay line of `source`, not in registers of its own */
    Vector(Port) registers; /* registers[k] keeps it for k+1 times II cycles */
    const char *name;       /* stem of the registers' names */
} ValueChain;

typedef struct NestConstruction {
    Construction *construction;
    const NestSchedule *schedule;
    const Nest *nest;
    int start, group;      /* the group that sets the odometer, and the pipelined one */
    int *counters, *lasts; /* register cells of the loops; own loops only */
    int *steps;            /* guards: loop l advances and does not wrap */
    int *carries;          /* guards: all loops inside l are at their last value */
    Vector(Induction) inductions;
    Vector(ValueChain) address_chains; /* beside `inductions`: addresses at later cycles */
    ValueChain *values;                /* one per operation */
    Vector(Port) valid;                /* valid[s]: the iteration in stage s is one */
} NestConstruction;

/* A register (std_reg) with a unique name. */
int register_add(Construction *construction, const char *name, int width);
/* Drives a register's `in` and `write_en` in a group. */
void register_write(Construction *construction, int group, int cell, Port value, int guard);
/* The output port of a register. */
Port register_out(const Construction *construction, int cell);
/* A primitive cell with a unique name. */
int primitive_add(Construction *construction, const char *name, const char *primitive, int count,
                  const int64_t *parameters);

/* The guard of the cycle `cycle` of the iteration: its slot of the group, TRUE if II is 1. */
int slot_guard(NestConstruction *nest, int cycle);

/* pack.c: fills `packs` and `places`; before the memories are made. */
void constants_pack(Construction *construction);
/* The words of a pack, those between its constants 0; in the arena. */
const void *pack_data(const Construction *construction, int pack);

/* odometer.c: counters and the valid bit, made before the body. */
void odometer_construct(NestConstruction *nest);
/* The value of `affine` in stage 0, modulo 2^width; equal ones share a register. Returns an index
 * into nest->inductions. */
int induction_of(NestConstruction *nest, const Affine *affine, int width, const char *name);
/* 1 while stage `stage` holds an iteration. */
Port valid_in_stage(NestConstruction *nest, int stage);

/* datapath.c: the operations of the body. */
void datapath_construct(NestConstruction *nest);
/* The port that carries a chain's value in cycle `cycle`, through as many registers as that needs.
 */
Port chain_at(NestConstruction *nest, ValueChain *chain, int cycle);

#endif
