/* Tensors of a run: inputs from files or drawn at random, expected outputs, results. Used by `run`
 * and `sim`. */
#ifndef TEPAL_COMMAND_TENSORS_H
#define TEPAL_COMMAND_TENSORS_H

#include "base/diagnostic.h"
#include "base/tensor.h"
#include "base/text.h"
#include "mlir/session.h"
#include "tepal/tepal.h"

/* Reads one .npy file per tensor of `types`. `option` is what the command line calls them; another
 * number of files is an error. */
bool tensors_read(Arena *arena, Diagnostics *diagnostics, const char *option,
                  const TepalStrings *files, int count, const Tensor *types, Tensor *result);

/* The files of run `run`. */
TepalStrings tensors_of_run(const TepalStrings *files, int count, int run);

/* How many runs the files are for, with as many of them for each run as `count`; 1 if there is
 * none. */
int tensors_runs(const TepalStrings *files, int count);

/* What the model keeps before its first run: zeros. The last model->state_count inputs. */
void states_begin(Arena *arena, const Model *model, Tensor *inputs);
/* What a run left is what the next one finds. */
void states_pass(const Model *model, const Tensor *outputs, Tensor *inputs);

/* Draws all tensors, in their order, from a random state; limits[i] > 0 says that tensor i holds
 * indices below it (limits may be NULL). */
void tensors_draw(Arena *arena, int count, const Tensor *types, const int64_t *limits,
                  uint64_t *state, Tensor *result);

/* The names that tensors_write gives to the files: those of the tensors as identifiers, told apart
 * where they are equal, and ".npy". */
const char **tensors_files(Arena *arena, int count, const Tensor *tensors);

/* Writes FOLDER/NAME.npy for each tensor; the folder is made. */
bool tensors_write(Arena *arena, Diagnostics *diagnostics, const char *folder, int count,
                   const Tensor *tensors);

/* Compares with `expected` and appends the table to `text`. False if an element differs. */
bool tensors_check(Arena *arena, Text *text, int count, const Tensor *expected,
                   const Tensor *actual, double rtol, double atol);

#endif
