/* What the operations that compute places share. */
#ifndef TEPAL_IMPORT_INDEXING_H
#define TEPAL_IMPORT_INDEXING_H

#include "import/call.h"

/* An index of any integer type as one of MLIR's, in range; a negative one counts from the end if
 * the operation says so. */
MlirValue safe_index(Builder *body, MlirValue index, Dtype dtype, int64_t size, bool wraps);

/* Is it of an integer type? False with a message. */
bool check_index(Call *call, const Value *index);

/* Where the dimensions of the index tensors (NULL: none) of self[i, :, j], broadcast to one shape,
 * stand in the result: at the first indexed dimension if all are side by side, else in front. */
int place_of_indices(int count, Value *const *indices);

#endif
