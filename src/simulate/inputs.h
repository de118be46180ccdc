/* Random inputs, the same for the reference and for simulations.
 *
 * The generator is splitmix64 (Steele, Lea, Flood 2014); `*state` is its state, the seed at first.
 * Element after element, tensors in the model's order:
 *   floats    standard normal, by Box and Muller, in double, rounded to the type;
 *   bools     0 or 1, equally likely;
 *   integers  -8 .. 7, unsigned ones 0 .. 15, kept within the type;
 *   indices   0 .. limit - 1, where `limit` says that an integer tensor holds indices. */
#ifndef TEPAL_SIMULATE_INPUTS_H
#define TEPAL_SIMULATE_INPUTS_H

#include "base/arena.h"
#include "base/tensor.h"

uint64_t random_bits(uint64_t *state);
/* Normally distributed. */
double random_normal(uint64_t *state);

/* Allocates and fills tensor->data. */
void tensor_random(Arena *arena, Tensor *tensor, uint64_t *state);
/* The same for indices into `limit` places; limit 0: no indices. */
void tensor_random_below(Arena *arena, Tensor *tensor, int64_t limit, uint64_t *state);

#endif
