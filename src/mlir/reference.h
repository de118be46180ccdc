/* The reference: a module executed on the CPU by MLIR's JIT. */
#ifndef TEPAL_MLIR_REFERENCE_H
#define TEPAL_MLIR_REFERENCE_H

#include "mlir/session.h"

/* Runs the entry function of a model at the stage `linalg` or `affine` on `inputs` (as many as
 * model->inputs, with data) and allocates the data of `outputs` (model->output_count tensors). No
 * fast-math, no contraction. The code runs in a forked child with a time limit in seconds: a trap
 * or an endless loop is a diagnostic. The module is cloned, not changed. */
bool reference_run(Session *session, const Model *model, const Tensor *inputs, Tensor *outputs,
                   double time_limit);

#endif
