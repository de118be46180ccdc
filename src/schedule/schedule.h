/* Schedules: when each operation of a nest starts, and on which unit.
 *
 * Time model. Iteration i of a nest is issued at cycle i x II; an operation that starts at cycle t
 * of its iteration starts at i x II + t. A value with latency 0 is there later in the same cycle
 * (combinational); with latency L >= 1 it comes out of the unit in cycle t + L, and only in that
 * cycle: whoever uses it later gets it through registers (value_registers). INDEX and CONSTANT
 * values are there from cycle 0: constants for ever, indices in a register of the nest's odometer
 * that keeps them for II cycles. A STORE that starts at t writes at the end of cycle t: a LOAD of
 * the same word may start at t + 1. No word is read and written in one cycle. */
#ifndef TEPAL_SCHEDULE_SCHEDULE_H
#define TEPAL_SCHEDULE_SCHEDULE_H

#include "loop/passes.h"

/* Cycles that the control program adds to those of the nests (calyx/ and rtl/ make it so). */
enum {
    START_CYCLES = 1, /* of the whole design: from go = 1 to the first group, and to done = 1 */
    LOOP_ENTER_CYCLES = 1, /* of a NODE_LOOP: sets its index */
    LOOP_TURN_CYCLES = 1   /* of each of its turns: advances its index */
};

/* What the clock and the target allow. */
typedef struct Target {
    const char *name; /* "ecp5-85k" ..., or "generic" */
    double period;    /* ns: 1000 / --clock */
} Target;

/* True if the operator library has numbers for a target of this name; others count as "generic". */
bool target_known(const char *name);
/* The clock that the target's units reach without effort, MHz: the default of --clock. */
double target_default_clock(const char *name);

/* A kind of hardware unit: a primitive of hardware/, or combinational logic. */
typedef struct Unit {
    Opcode opcode; /* FLOAT_SUBTRACT uses the unit of FLOAT_ADD */
    Scalar type;   /* of the operands */
    Scalar result; /* of the result; matters to conversions */
    const char
        *primitive; /* module in hardware/ without "tepal_", e.g. "float_add"; NULL: plain logic */
    int latency;    /* cycles; its LATENCY parameter */
    bool pipelined; /* takes operands every cycle; else it is busy for `latency` cycles */
    double input_delay;  /* ns from an input to the first register (all of it, if latency is 0) */
    double output_delay; /* ns from the last register to the output */
    bool shared;      /* worth sharing: instances are numbered; else each operation has its own */
    bool ample;       /* shared between nests, but each has as many as it asks for */
    int input_ranks;  /* 0, or 1: a register between the multiplexer of each operand and the
                         primitive. Part of `latency`; LATENCY is latency - input_ranks */
    int operand_bits; /* int_multiply, int_divide: its OPERAND parameter, int_to_float: its
                         INT_WIDTH: this many low bits of the operands, read as signed, are all of
                         their value; else type.width */
} Unit;

/* The same kind: one instance can do the operations of both. */
bool unit_equal(const Unit *a, const Unit *b);

/* The unit for an operation at a target's clock, from the operator library. */
Unit operator_unit(const Target *target, const Nest *nest, const Operation *operation);

/* Delay of a memory read and write at this target, ns: clock to read_data, address setup. */
double memory_read_delay(const Target *target, const Memory *memory);
double memory_address_delay(const Target *target, const Memory *memory);
/* The logic between a value and the register that it is stored in, or between that register and
 * what a load with a predicate gives. */
double register_access_delay(const Target *target, const Operation *op);

/* The fewest bits of a memory that hardware makes block RAM of, or spends as much on. */
int block_memory_bits(const Target *target);

/* Cycles from LOAD to the next LOAD of a partial sum through one float add of this type. */
int accumulation_cycles(const Target *target, Scalar type);

/* What an operation is to its nest. A MAC nest has a sum of products that runs through a memory:
 * the multiplies and adds of it are MAC, the rest of the nest is TAIL. All of any other nest is
 * OTHER. */
typedef enum Role { ROLE_OTHER, ROLE_MAC, ROLE_TAIL } Role;
extern const char *const role_names[]; /* "other", "mac", "tail" */

typedef struct Slot {
    int start;    /* cycle in the iteration */
    int ready;    /* cycle in which the value is there: start + latency */
    int instance; /* number of the shared unit of its kind, or -1 */
    int unit;     /* index into NestSchedule.units, -1 for CONSTANT, INDEX, LOAD, STORE */
    Role role;
} Slot;

typedef struct NestSchedule {
    const Nest *nest;
    int interval;      /* II */
    int depth;         /* cycles of one iteration: the last one used is depth - 1 */
    int stages;        /* ceil(depth / II) */
    int64_t trip;      /* iterations: own loops only */
    int64_t cycles;    /* of the whole nest: 1 to set the odometer + (trip + stages - 1) x II */
    const char *limit; /* what holds II above 1: "recurrence through sum", "port of x", or NULL */
    Slot *slots;       /* one per operation of the body */
    int unit_count;
    Unit *units;
    Dependences dependences; /* what the schedule was made for */
} NestSchedule;

/* A unit kind and how many of it the whole design has. */
typedef struct UnitCount {
    Unit unit;
    int count;     /* instances, numbered from 0: first those that do MACs, then those of tails */
    int mac, tail; /* how many of them do a MAC; how many do none, but are in a tail */
    const char *role; /* of the first one: "mac", "tail" or "other" */
    int sources;      /* most places that an operand of one of them comes from */
} UnitCount;

typedef struct Schedule {
    const Program *program;
    Target target;
    int nest_count; /* in program order */
    NestSchedule *nests;
    int unit_count;
    UnitCount *units; /* shared ones: Slot.instance counts up to `count` */
    bool is_static;   /* no loop bound or branch depends on data: `cycles` is exact */
    int64_t cycles;   /* rising edges with go = 1 until done = 1 */
} Schedule;

/* Schedules all nests (modulo scheduling: smallest II, then smallest depth), and binds operations
 * to units. The result is checked by schedule_check in check builds. NULL on an internal error. */
Schedule *schedule_program(const Program *program, const Target *target, int parallel, Arena *arena,
                           Diagnostics *diagnostics);

/* Dependences, ports (one read and one write per memory, cycle and bank), units and chaining,
 * checked against the definition. */
bool schedule_check(const Schedule *schedule, Diagnostics *diagnostics);

/* The bank of a memory's partition that all of an access's iterations touch, or -1 if it varies or
 * cannot be told. Banks are numbered row-major over the dimensions. */
int access_bank(const Program *program, const Nest *nest, const Operation *operation);
/* Banks of a memory: the product of its partition's factors. */
int memory_banks(const Memory *memory);

/* Registers that keep the value of `operation` until `cycle`: 0 if it is used in the cycle in which
 * it is there. One register keeps a value for II cycles. */
int value_registers(const NestSchedule *nest, int operation, int cycle);

/* Appends the schedule of a nest to the text of the stage `loops`, as comments. */
void schedule_print(const Schedule *schedule, Text *text);

#endif
