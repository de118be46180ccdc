/* Names that say what a loop counts. */
#ifndef TEPAL_LOOP_NAMES_H
#define TEPAL_LOOP_NAMES_H

#include "loop/loop.h"

/* Names the own loops of a nest; `context` is the program. */
void name_loops(Nest *nest, void *context);
/* True if what the memory holds is a factor of a multiplication. */
bool is_weight(const Nest *nest, int memory);

#endif
