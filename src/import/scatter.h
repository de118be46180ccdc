/* What the scatters offer to the other families. */
#ifndef TEPAL_IMPORT_SCATTER_H
#define TEPAL_IMPORT_SCATTER_H

#include "import/call.h"

/* self[index[n]] = op(self[index[n]], rows[n]) for one n after the other; the index has one
 * dimension, and rows have the sizes of self but for the first. */
Value *value_scatter_rows(Call *call, Value *self, Value *index, Value *rows, ScalarOp op);

#endif
