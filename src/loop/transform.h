/* The passes, one file each; the table in passes.c says in which order they run. */
#ifndef TEPAL_LOOP_TRANSFORM_H
#define TEPAL_LOOP_TRANSFORM_H

#include "loop/passes.h"

bool pass_perfect(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_fold_constants(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_combine(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_initialize(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_forward(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_forward_parts(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_scalarize(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_fuse_start(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_fuse_tail(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_expand(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_states(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_unroll(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_names(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_interchange(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_contract(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_share(Program *program, const LoopOptions *options, Diagnostics *diagnostics);
bool pass_speculate(Program *program, const LoopOptions *options, Diagnostics *diagnostics);

/* What "fold_constants" does, for passes that leave something to tidy. Always true. Memories get
 * new numbers. */
bool fold_program(Program *program);

#endif
