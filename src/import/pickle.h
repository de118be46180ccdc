/* torch.save files: how torch 2.6 to 2.8 stored the weights of a program.
 *
 * Such a file is a zip archive with a pickle, a program for a small stack machine of Python's. The
 * reader here knows the few instructions and the four callables that make a dictionary of tensors
 * and refuses everything else: nothing of the file is ever executed. */
#ifndef TEPAL_IMPORT_PICKLE_H
#define TEPAL_IMPORT_PICKLE_H

#include "import/weights.h"

typedef struct SavedTensors SavedTensors;

/* The tensors of a file in memory; NULL with a message. */
SavedTensors *saved_tensors_read(Arena *arena, Diagnostics *diagnostics, const char *place,
                                 const char *bytes, size_t length);
const Stored *saved_tensors_find(const SavedTensors *saved, const char *name);

#endif
