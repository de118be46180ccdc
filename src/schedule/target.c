/* The targets' delays, one row each.
 *
 * ECP5: measured with Yosys and nextpnr on the LFE5U-85F, speed grade 6, over three seeds: a level
 * of logic is 0.24 ns and 0.5 to 1.2 ns of routing; a chain of 28 to 32 bits 1.3 to 1.9 ns, and 1
 * ns to get in; a MULT18X18D 3.9 ns, with its routing 6.6; the block RAM is that of nextpnr's
 * timing data. The other rows are estimates: iCE40 UltraPlus from the timing data of Project
 * IceStorm, Xilinx from the data sheet of the Artix-7, speed grade -1, with the routing of well
 * placed logic; their float units are scaled by the same ratio. */
#include "schedule/target.h"

#include <string.h>

/* clang-format off */
static const TargetDelays targets[] = {
    /* name        clock level carry /bit  mult. over. block access float small block */
    {"generic",     100, 1.0, 2.4, 0.035,  6.6, 0.7, 6.6, 3.4, 1.00, 512, 2048},
    {"ecp5-85k",    100, 1.0, 2.4, 0.035,  6.6, 0.7, 6.6, 3.4, 1.00, 512, 2048},
    {"ice40-up5k",   24, 2.7, 2.4, 0.280, 14.0, 2.6, 5.0, 3.5, 0.36,   0,  512},
    {"xilinx",      150, 0.7, 0.8, 0.030,  4.6, 0.6, 2.1, 1.2, 1.50, 2048, 2048},
};
/* clang-format on */
enum { TARGETS = sizeof targets / sizeof *targets };

/* Placement moves every estimate by about this share of the period. */
static const double placement_margin = 0.05;

static const TargetDelays *target_find(const char *name) {
    for (int i = 0; i < TARGETS; i++)
        if (name && strcmp(targets[i].name, name) == 0) return &targets[i];
    return NULL;
}

bool target_known(const char *name) {
    return target_find(name) != NULL;
}

double target_default_clock(const char *name) {
    const TargetDelays *found = target_find(name);
    return found ? found->clock : targets[0].clock;
}

const TargetDelays *target_delays(const Target *target) {
    const TargetDelays *found = target_find(target->name);
    return found ? found : &targets[0];
}

double target_budget(const Target *target) {
    double budget = target->period * (1 - placement_margin) - target_delays(target)->overhead;
    return budget > 0 ? budget : 0;
}

double carry_delay(const TargetDelays *delays, int bits) {
    return delays->carry + delays->carry_bit * bits;
}

int block_memory_bits(const Target *target) {
    return target_delays(target)->block_memory;
}

static bool is_small(const TargetDelays *delays, const Memory *memory) {
    return memory->elements <= (size_t)delays->small_memory &&
           memory->elements * (size_t)memory->type.width <= (size_t)delays->small_memory;
}

/* A memory of many blocks chooses between them behind their outputs, which lie far apart. */
double memory_read_delay(const Target *target, const Memory *memory) {
    enum { BLOCK_BITS = 18 * 1024 };
    const TargetDelays *delays = target_delays(target);
    if (is_small(delays, memory)) return 0;
    double delay = delays->block_read;
    size_t blocks = memory->elements / BLOCK_BITS * (size_t)memory->type.width;
    for (; blocks > 1; blocks /= 4) delay += 1.5 * delays->level;
    return delay;
}

double memory_address_delay(const Target *target, const Memory *memory) {
    const TargetDelays *delays = target_delays(target);
    return delays->access + (is_small(delays, memory) ? delays->level : 0);
}

double register_access_delay(const Target *target, const Operation *op) {
    bool chooses = op->opcode == OP_STORE || op->predicate >= 0;
    return chooses ? target_delays(target)->level : 0;
}
