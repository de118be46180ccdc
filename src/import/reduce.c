/* One linalg.generic for all reductions. */
#include "import/reduce.h"
#include <string.h>

int64_t reduced_count(const TensorType *type, const bool *flags) {
    int64_t count = 1;
    for (int i = 0; i < type->rank; i++) count *= flags[i] ? type->shape[i] : 1;
    return count;
}

Value *value_reduce(Call *call, Value *input, const bool *flags, bool keep, ScalarOp op,
                    Number start, Dtype dtype) {
    const TensorType *type = &input->type;
    int64_t shape[MAX_RANK], kept[MAX_RANK];
    int dims[MAX_RANK], rank = 0;
    char iterators[MAX_RANK + 1] = {0};
    for (int i = 0; i < type->rank; i++) {
        iterators[i] = flags[i] ? 'r' : 'p';
        kept[i] = flags[i] ? 1 : type->shape[i];
        if (flags[i]) continue;
        shape[rank] = type->shape[i];
        dims[rank++] = i;
    }
    MlirValue value = call_mlir(call, input);
    MlirValue init = build_filled(call->builder, call_type(call, dtype, rank, shape),
                                  scalar_number(call->builder, dtype, start));
    MlirAffineMap maps[] = {map_identity(call->builder, type->rank),
                            map_of_dims(call->builder, type->rank, rank, dims)};
    Generic generic = generic_begin(call->builder, iterators, 1, &value, 1, &init, maps);
    MlirValue element = scalar_cast(&generic.body, generic_input(&generic, 0), type->dtype, dtype);
    MlirValue next = scalar_op(&generic.body, op, dtype, generic_output(&generic, 0), element);
    MlirValue result = generic_end(&generic, next);
    if (!keep) return value_new(call->arena, dtype, rank, shape, result);
    MlirValue wide = build_reshape(call->builder, result, type->rank, kept);
    return value_new(call->arena, dtype, type->rank, kept, wide);
}
