/* Operations of arith and math on constants, with the results that reference and hardware give. */
#ifndef TEPAL_MLIR_SCALAR_H
#define TEPAL_MLIR_SCALAR_H

#include "mlir/ir.h"

typedef struct ScalarValue {
    Scalar type;
    Bits bits;
} ScalarValue;

/* The value of a constant attribute. */
bool scalar_of_attribute(MlirAttribute attribute, ScalarValue *value);
MlirAttribute attribute_of_scalar(MlirType type, ScalarValue value);

/* An operation, looked up once and computed many times. */
typedef struct ScalarOperation {
    bool (*compute)(const struct ScalarOperation *operation, const ScalarValue *operands,
                    Bits *result);
    double (*of_doubles)(double a, double b); /* of float operations */
    int code;                                 /* of integer operations and conversions */
    int64_t predicate;                        /* of comparisons */
    Scalar type;                              /* of the result */
} ScalarOperation;

/* False if the operation is not known here, or has more than one result. */
bool scalar_resolve(MlirOperation op, ScalarOperation *operation);
/* False if the result is not defined for these operands. */
bool scalar_compute(const ScalarOperation *operation, const ScalarValue *operands,
                    ScalarValue *result);

#endif
