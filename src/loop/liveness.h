/* Which values of a memory a program reads. */
#ifndef TEPAL_LOOP_LIVENESS_H
#define TEPAL_LOOP_LIVENESS_H

#include "loop/loop.h"

/* True if a value that `writer` stores to the memory may be read, or is left in an output; with
 * NULL: if what is there at the start may be read. Never false by mistake; true where it takes too
 * long to tell. */
bool is_value_read(const Program *program, int memory, const Nest *writer);

#endif
