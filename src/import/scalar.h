/* Arithmetic on single elements, in the bodies of linalg.generic, by PyTorch's scalar types. */
#ifndef TEPAL_IMPORT_SCALAR_H
#define TEPAL_IMPORT_SCALAR_H

#include "import/dtype.h"
#include "mlir/ir.h"

/* A Python number. */
typedef struct Number {
    enum { NUMBER_INTEGER, NUMBER_FLOAT, NUMBER_BOOL } kind;
    int64_t integer;
    double real; /* of all kinds */
} Number;

Number number_of_integer(int64_t integer);
Number number_of_real(double real);

MlirType scalar_type(Builder *builder, Dtype dtype);
MlirValue scalar_number(Builder *builder, Dtype dtype, Number number);
MlirValue scalar_real(Builder *builder, Dtype dtype, double real);

/* PyTorch's conversion (`x.to(dtype)`). */
MlirValue scalar_cast(Builder *builder, MlirValue value, Dtype from, Dtype to);

/* Binary operations on two elements of one type; of integers they wrap, of bools add is or and
 * multiply is and. */
typedef enum ScalarOp {
    SCALAR_ADD,
    SCALAR_SUBTRACT,
    SCALAR_MULTIPLY,
    SCALAR_DIVIDE,    /* of floats; of integers towards zero */
    SCALAR_REMAINDER, /* with the sign of the first */
    SCALAR_MAXIMUM,   /* NaN wins */
    SCALAR_MINIMUM,
    SCALAR_AND, /* bits, of integers and bools */
    SCALAR_OR,
    SCALAR_XOR,
    SCALAR_SHIFT_LEFT,
    SCALAR_SHIFT_RIGHT
} ScalarOp;

/* A null value if the type has no such operation. */
MlirValue scalar_op(Builder *builder, ScalarOp op, Dtype dtype, MlirValue a, MlirValue b);

typedef enum ScalarOrder {
    ORDER_EQUAL,
    ORDER_UNEQUAL,
    ORDER_LESS,
    ORDER_LESS_EQUAL,
    ORDER_GREATER,
    ORDER_GREATER_EQUAL,
    ORDER_GREATER_UNORDERED /* greater, or one is NaN */
} ScalarOrder;

MlirValue scalar_compare(Builder *builder, ScalarOrder order, Dtype dtype, MlirValue a,
                         MlirValue b);
/* An operation of the math dialect, or arith.negf, on one float. */
MlirValue scalar_math(Builder *builder, const char *name, MlirValue a);

/* The type to compute composite formulas in: float32 for the 16-bit floats, as PyTorch does. */
Dtype dtype_compute(Dtype dtype);
/* The lowest and the highest value of a type; infinities for floats. */
Number dtype_lowest(Dtype dtype);
Number dtype_highest(Dtype dtype);

#endif
