/* What the shape family offers to the others. Of a constant, most of these are only another view of
 * its bytes. */
#ifndef TEPAL_IMPORT_SHAPE_H
#define TEPAL_IMPORT_SHAPE_H

#include "import/call.h"

/* The same elements, in row-major order, in another shape of as many. */
Value *value_reshape(Call *call, Value *value, int rank, const int64_t *shape);
/* Dimension i of the result is dims[i] of the value. */
Value *value_permute(Call *call, Value *value, const int *dims);
/* Without dimension `dim`, whose size is 1. */
Value *value_drop_dim(Call *call, Value *value, int dim);
/* Elements start, start + step ... along a dimension. */
Value *value_slice(Call *call, Value *value, int dim, int64_t start, int64_t count, int64_t step);
/* Turned around along the flagged dimensions. */
Value *value_flip(Call *call, Value *value, const bool *flags);
/* One behind the other along a dimension; the other sizes are equal. NULL with a message if not. */
Value *value_concatenate(Call *call, int count, Value *const *values, int dim);

/* Dimension `dim` replaced by the dimensions of an index tensor of integers, whose elements say
 * which element to take. An index out of range takes the nearest; with `wraps` a negative one
 * counts from the end. NULL with a message. */
Value *value_pick(Call *call, Value *value, Value *index, int dim, bool wraps);

/* result[i, j] = self[index[i, j], j] for dimension 0; both of the same rank. NULL with a message.
 */
Value *value_gather(Call *call, Value *self, Value *index, int dim);

#endif
