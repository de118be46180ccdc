/* The passes, one file each; the table in passes.c says in which order they run. */
#ifndef TEPAL_LOOP_TRANSFORM_H
#define TEPAL_LOOP_TRANSFORM_H

#include "loop/passes.h"

bool pass_perfect(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_fold_constants(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_interchange(Program *program, const LoopOptions *options, Diagnostics *diagnostics);

#endif
