/* The table of operations: one row for each overload that can be compiled.
 *
 * A file per family holds the rows and their emit functions; operations.c lists the families. To
 * add an operation, add a row to its family. */
#ifndef TEPAL_IMPORT_OPERATIONS_H
#define TEPAL_IMPORT_OPERATIONS_H

#include "import/call.h"

/* A family's rows end with one whose name is NULL. */
extern const Operation elementwise_operations[];
extern const Operation activation_operations[];
extern const Operation convolution_operations[];
extern const Operation pooling_operations[];
extern const Operation linear_operations[];
extern const Operation normalization_operations[];
extern const Operation reduction_operations[];
extern const Operation shape_operations[];
extern const Operation join_operations[];
extern const Operation softmax_operations[];
extern const Operation creation_operations[];
extern const Operation indexing_operations[];
extern const Operation quantize_operations[];
extern const Operation attention_operations[];
extern const Operation recurrent_operations[];
extern const Operation einsum_operations[];
extern const Operation resize_operations[];
extern const Operation scatter_operations[];
extern const Operation cumulative_operations[];
extern const Operation strided_operations[];
extern const Operation distance_operations[];
extern const Operation sampling_operations[];
extern const Operation bag_operations[];
extern const Operation control_operations[];

typedef struct Table {
    Arena *arena;
    Vector(const Operation *) rows;
    Map names;
} Table;

Table table_new(Arena *arena);

/* The row of a target such as "torch.ops.aten.relu.default", or NULL. An in-place operation
 * ("aten.relu_.default") is found as the plain one, with *in_place set. */
const Operation *table_find(const Table *table, const char *target, bool *in_place);

/* What to write in place of an operation that is not in the table; NULL if nothing is known. */
const char *advice_for(const Table *table, const char *target);

/* Reports the operations of the nodes that are marked, each with its arguments, its Python line and
 * what to write instead. */
void missing_report(Import *import, const Table *table, const bool *is_missing);

/* Builds the function `forward` of a program in a new module; null with messages on error. */
MlirModule forward_build(Import *import);

#endif
