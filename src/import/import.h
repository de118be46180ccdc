/* The start of the road: files of a model and of tensors. */
#ifndef TEPAL_IMPORT_IMPORT_H
#define TEPAL_IMPORT_IMPORT_H

#include "mlir/session.h"

/* What --shape fixes: the sizes of one input. */
typedef struct FixedShape {
    const char *name;
    int rank;
    int64_t shape[MAX_RANK];
} FixedShape;

/* Reads a model file, .pt2 (by content: a zip archive) or MLIR text. The result is a verified
 * module at the stage `linalg` (or `affine`, if that is what an .mlir file holds). All unsupported
 * operations of a model are reported in one go. */
bool import_model(Session *session, const char *path, const char *top, int shape_count,
                  const FixedShape *shapes, Model *model);

/* A file that holds MLIR text at the stage calyx or hw, in the generic form, becomes `*module`; for
 * any other file that is null. False, with diagnostics, if it cannot be read. */
bool import_stage(Session *session, const char *path, MlirModule *module);

/* Appends a line for each PyTorch operator that can be compiled: its name and schema. */
void import_operations(Arena *arena, Text *text);

/* NumPy's .npy files (format 1 to 3; C and Fortran order, both byte orders). */

/* Reads `path` as a value of `expected` (its name, type, rank, shape); other types and shapes are
 * an error that says both. bfloat16 is stored as its bits in <u2. Data is in the arena. */
bool npy_read(Arena *arena, Diagnostics *diagnostics, const char *path, const Tensor *expected,
              Tensor *result);
bool npy_write(Arena *arena, Diagnostics *diagnostics, const char *path, const Tensor *tensor);

#endif
