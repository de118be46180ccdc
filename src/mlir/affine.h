/* Affine expressions over loop counters: ranges, linear forms, and index values as expressions. */
#ifndef TEPAL_MLIR_AFFINE_H
#define TEPAL_MLIR_AFFINE_H

#include "mlir/ir.h"

/* All values between two bounds, which are included. */
typedef struct Range {
    int64_t low, high;
    bool known;
} Range;

/* The counter values of an affine.for with constant bounds; not known for any other value. */
Range range_of_value(MlirValue value);
/* The range of an expression whose dims and then symbols are `operands`. */
Range range_of_expr(MlirAffineExpr expr, int dims, const MlirValue *operands);

/* constant + sum of coefficients[i] x operand i; dims first, then symbols. */
typedef struct Linear {
    int64_t constant;
    int count;
    int64_t *coefficients;
} Linear;
/* False if the expression is not linear (it has floordiv, ceildiv, mod or products). */
bool linear_of_expr(Arena *arena, MlirAffineExpr expr, int dims, int symbols, Linear *linear);

/* The same expression with other ones in place of dims and symbols. */
MlirAffineExpr expr_replace(MlirAffineExpr expr, const MlirAffineExpr *dims,
                            const MlirAffineExpr *symbols);

/* Several expressions over common operands, which all are dims. `user` is the operation that they
 * are for: conditions around it narrow their ranges. It may be null. */
typedef struct Operands {
    Arena *arena;
    MlirContext context;
    MlirOperation user;
    ValueList values;
} Operands;
/* The dim of a value, which is added if it is new. */
MlirAffineExpr operand_dim(Operands *operands, MlirValue value);

/* A value of type index or iN as an affine expression of loop counters: looks through affine.apply,
 * arithmetic with constants, and casts that do not change the value. False if it is none. */
bool expr_of_value(Operands *operands, MlirValue value, MlirAffineExpr *expr);
/* The same for a float that was converted from such an integer without loss. */
bool expr_of_float(Operands *operands, MlirValue value, MlirAffineExpr *expr);

#endif
