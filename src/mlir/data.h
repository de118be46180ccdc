/* Which values the data that a program reads decides, and which only constants and loop counters
 * do. */
#ifndef TEPAL_MLIR_DATA_H
#define TEPAL_MLIR_DATA_H

#include "mlir/ir.h"

/* What was asked before, as values share operands. Starts with the arena in `values` only. */
typedef struct DataQuery {
    ValueMap values; /* position -> answers */
    Vector(bool) answers;
} DataQuery;

/* True if loads, calls or what control carries may decide the value. False for constants, sizes,
 * counters of loops whose bounds do not depend on data, and arithmetic on these. */
bool depends_on_data(DataQuery *query, MlirValue value);
/* The same of any operand of an operation. */
bool operands_depend_on_data(DataQuery *query, MlirOperation op);
/* The same of the bounds and the step of a loop; what it carries does not matter. */
bool bounds_depend_on_data(DataQuery *query, MlirOperation loop);

#endif
