/* What the operations that compute places share. */
#ifndef TEPAL_IMPORT_INDEXING_H
#define TEPAL_IMPORT_INDEXING_H

#include "import/call.h"

/* An index of any integer type as one of MLIR's, in range; a negative one counts from the end if
 * the operation says so. */
MlirValue safe_index(Builder *body, MlirValue index, Dtype dtype, int64_t size, bool wraps);

/* The number of a loop as an index. */
MlirValue loop_index(Generic *generic, int loop);

/* Is it of an integer type? False with a message. */
bool check_index(Call *call, const Value *index);

/* The arguments start, end and step of a dimension of `size`, as Python takes them. */
typedef struct Slice {
    int64_t start, count; /* count 0: empty */
    int64_t step;         /* 1 if there is one element only */
} Slice;
/* False with a message if the step is not positive. */
bool read_slice(Call *call, int64_t size, Slice *slice);

/* Where the dimensions of the index tensors (NULL: none) of self[i, :, j], broadcast to one shape,
 * stand in the result: at the first indexed dimension if all are side by side, else in front. */
int place_of_indices(int count, Value *const *indices);

#endif
