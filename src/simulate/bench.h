/* The module tepal_bench: a design with one port through which a host reaches all its tensors.
 *
 * It is the same port for every design, so that the test benches (harness.cpp for Verilator,
 * harness.sv for Icarus) are fixed files:
 *
 *     clk, reset
 *     start         for one cycle: compute; `finished` rises when that is done
 *     done          of the design
 *     cycles        rising edges with go = 1 and done = 0 of this computation
 *     select        number of the tensor: inputs first, then outputs
 *     address, write_enable, write_data, read_data
 *
 * All of these pass a register on their way in, so what the test bench does between two clock
 * edges does not matter; the word at an address is in read_data after two edges. The bench drives
 * go as a synchronous host does: it sees done at a clock edge and takes go back at that edge, so
 * that both are 1 in the last cycle. */
#ifndef TEPAL_SIMULATE_BENCH_H
#define TEPAL_SIMULATE_BENCH_H

#include "simulate/interface.h"

/* Appends the module tepal_bench, as SystemVerilog for both simulators. */
void bench_print(const Interface *interface, Text *text);

#endif
