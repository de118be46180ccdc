/* --shape NAME=DIMS. */
#ifndef TEPAL_COMMAND_SHAPES_H
#define TEPAL_COMMAND_SHAPES_H

#include "import/import.h"
#include "tepal/tepal.h"

/* Reads `x=1,3,32,32` (or `x=1x3x32x32`); `*shapes` gets requests->count of them, in the arena.
 * False with a STATUS_USAGE diagnostic. */
bool shapes_parse(Arena *arena, Diagnostics *diagnostics, const TepalStrings *requests,
                  FixedShape **shapes);

#endif
