/* Subscripts of accesses, and memories cut into banks. */
#ifndef TEPAL_LOOP_PARTITION_H
#define TEPAL_LOOP_PARTITION_H

#include "loop/body.h"

/* The affine subscript of each dimension of the accessed memory, from the flat address:
 * subscripts[d] is in 0 .. shape[d] - 1 whenever the access happens. False if there are none that
 * are affine; then, if splitting own loop
 * `*loop` by `*inner` would help, these are set, else `*loop` is -1. */
bool access_subscripts(Arena *arena, const Program *program, const Nest *nest, int operation,
                       Affine *subscripts, int *loop, int64_t *inner);

/* Gives buffers that a view flattened the dimensions of the loops that store to them, where all
 * accesses have subscripts in these then. Splits loops as program_split_views does. */
void program_refine_shapes(Program *program);

/* Splits loops until every affine access has subscripts, as far as that goes. */
void program_split_views(Program *program);

/* Nests that access a memory. */
typedef Vector(Nest *) Users;
/* Those of each memory, in program order. */
Users *program_users(Program *program, Arena *arena);

/* True if every access of the memory has subscripts. */
bool memory_has_subscripts(const Program *program, const Users *users, int memory);

/* Cuts a memory cyclically into factors[d] banks (1: none) along each dimension d: index i goes to
 * bank i mod factor. Each bank is a memory of its own. An access whose bank is known goes there;
 * any other one goes to all banks, with the bank as a predicate. INPUT and OUTPUT memories stay as
 * the description of the tensor, with their `partition`. All accesses must have subscripts. */
void memory_partition(Program *program, const Users *users, int memory, const int *factors);

/* Gives each of several loads of a nest its own copy of a memory, so that they can be done in one
 * cycle: each of `banks` memories from `memory` on gets `copies` copies in all, stores go to all of
 * them. */
void memory_replicate(Program *program, const Users *users, int memory, int banks, int copies);

#endif
