/* Operations of arith and math on constants, with the results that the reference and the hardware give. */
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

/* The result of an operation with one result on these operands; `type` is the result's. False if the
 * operation is not known here, or its result is not defined. */
bool scalar_evaluate(MlirOperation op, Scalar type, int count, const ScalarValue *operands,
                     ScalarValue *result);

#endif
