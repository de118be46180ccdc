/* Where a design that computes a wrong result goes wrong first. */
#ifndef TEPAL_COMMAND_LOCATE_H
#define TEPAL_COMMAND_LOCATE_H

#include "simulate/simulation.h"

/* Simulates the design once more on inputs[0 .. run_count-1] and compares what its memories hold in
 * the end with what the loop nests leave in theirs, in the order of the nests. Adds a note to the
 * last diagnostic that names the first memory that differs, the nest that writes it, and a word; or
 * says that all are right but an output. Adds nothing if it cannot tell. */
void locate_difference(Arena *arena, Diagnostics *diagnostics, const Design *design,
                       const SimulationOptions *options, int run_count, Tensor *const *inputs);

#endif
