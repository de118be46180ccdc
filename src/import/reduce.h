/* What the reductions offer to the other families. */
#ifndef TEPAL_IMPORT_REDUCE_H
#define TEPAL_IMPORT_REDUCE_H

#include "import/call.h"

/* result = op(... op(op(start, x0), x1) ...) over the flagged dimensions, in row-major order. The
 * elements are converted to `dtype` first. */
Value *value_reduce(Call *call, Value *input, const bool *flags, bool keep, ScalarOp op,
                    Number start, Dtype dtype);

/* result[i] = op(result[i - 1], value[i]) along a dimension; op is an associative operation. */
Value *value_running(Call *call, Value *value, int dim, ScalarOp op);

/* Sum over count, and the mean square of the distance from it, of a float value. */
Value *value_mean(Call *call, Value *value, const bool *flags, bool keep);
Value *value_variance(Call *call, Value *value, const bool *flags, bool keep, double correction);

/* The norm of this order, of a float value: sum(|x| ^ order) ^ (1 / order), the number of elements
 * that are not 0 for order 0, the largest or smallest magnitude for infinite ones. */
Value *value_norm(Call *call, Value *value, const bool *flags, bool keep, double order);

/* exp(x - max) / sum along a dimension, or its logarithm, of a float value. */
Value *value_softmax(Call *call, Value *input, int dim, bool logarithm);

/* The number of elements that are combined into one. */
int64_t reduced_count(const TensorType *type, const bool *flags);

#endif
