/* --unroll NEST:LOOP=F, or a file of them. */
#ifndef TEPAL_COMMAND_UNROLLS_H
#define TEPAL_COMMAND_UNROLLS_H

#include "loop/passes.h"
#include "tepal/tepal.h"

/* Reads the values of --unroll into options->unroll, in the arena. A value without '=' is a file
 * with one NEST:LOOP=F in a line; what follows a '#' is a comment. False, with a diagnostic, if one
 * of them is written otherwise or cannot be read. */
bool unrolls_parse(Arena *arena, Diagnostics *diagnostics, const TepalStrings *values,
                   LoopOptions *options);

#endif
