/* Delays of a target's logic, and what they leave of a clock period. Private to src/schedule. */
#ifndef TEPAL_SCHEDULE_TARGET_H
#define TEPAL_SCHEDULE_TARGET_H

#include "schedule/schedule.h"

/* All in ns, routing included, at the speed grade that the FPGA drivers assume. */
typedef struct TargetDelays {
    const char *name;
    double clock;       /* MHz: the default of --clock */
    double level;       /* one lookup table */
    double carry;       /* into a carry chain and out of it */
    double carry_bit;   /* one bit of it */
    double multiplier;  /* through a multiplier block, unregistered */
    double overhead;    /* clock to output of a register, and setup of the next */
    double block_read;  /* clock to output of a block RAM, beyond that of a register */
    double access;      /* a multiplexer and the way to a memory's address, data and enables */
    double float_speed; /* of the float units, relative to those on an ECP5 */
    int small_memory;   /* bits up to which a memory is lookup tables with an output register */
    int block_memory;   /* bits from which on it is block RAM, or costs as much */
} TargetDelays;

/* Never NULL: an unknown name counts as "generic". */
const TargetDelays *target_delays(const Target *target);

/* ns that logic between two registers may take: the period without the registers' own share and
 * a margin for what placement does to the estimates. */
double target_budget(const Target *target);

/* A carry chain of some bits, as of an adder or an order comparison. */
double carry_delay(const TargetDelays *delays, int bits);

#endif
