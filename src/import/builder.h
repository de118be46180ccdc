/* Short forms for building linalg on tensors, over the builder of src/mlir.
 *
 *     MlirValue inputs[] = {x, y};
 *     Generic add = generic_begin(builder, "pp", 2, inputs, maps, 1, &init);
 *     MlirValue sum = build2(&add.body, "arith.addf", type, generic_input(&add, 0), ...);
 *     MlirValue result = generic_end(&add, sum);
 */
#ifndef TEPAL_IMPORT_BUILDER_H
#define TEPAL_IMPORT_BUILDER_H

#include "base/tensor.h"
#include "mlir/ir.h"

enum { MAX_GENERIC_OPERANDS = 16, MAX_LOOPS = 2 * MAX_RANK };

/* --- affine maps ---
 * The map (d0, ..., d[loops-1]) -> (d[dims[0]], ...); a dim of -1 is the constant 0. */
MlirAffineMap map_of_dims(Builder *builder, int loops, int count, const int *dims);
MlirAffineMap map_identity(Builder *builder, int loops);
/* d[position] * factor, and the sum of two. */
MlirAffineExpr affine_dim(Builder *builder, int position, int64_t factor);
MlirAffineExpr affine_plus(MlirAffineExpr a, MlirAffineExpr b);

/* --- linalg.generic --- */
typedef struct Generic {
    Builder *outer;
    Builder body; /* builds inside */
    const char *iterators;
    int input_count, output_count;
    MlirValue operands[MAX_GENERIC_OPERANDS];
    MlirAffineMap maps[MAX_GENERIC_OPERANDS];
} Generic;

/* `iterators` has a letter for each loop: p for parallel, r for reduction. Maps are those of the
 * inputs, then those of the outputs. */
Generic generic_begin(Builder *builder, const char *iterators, int input_count,
                      const MlirValue *inputs, int output_count, const MlirValue *inits,
                      const MlirAffineMap *maps);
MlirValue generic_input(const Generic *generic, int index);
MlirValue generic_output(const Generic *generic, int index);
/* linalg.index: the number of a loop, as i64. */
MlirValue generic_index(Generic *generic, int loop);
MlirValue generic_end(Generic *generic, MlirValue yielded);
/* With several outputs. */
void generic_end_all(Generic *generic, const MlirValue *yielded, MlirValue *results);

/* --- loops that change a tensor element by element: a nest of scf.for ---
 *
 * What linalg.generic cannot say: writes to computed places, and values of earlier iterations.
 * Iterations follow each other in lexicographic order. */
typedef struct Carried {
    Builder *outer;
    Builder body; /* builds inside the innermost loop */
    int loops;
    MlirValue bounds[MAX_LOOPS], inits[MAX_LOOPS];
    MlirBlock blocks[MAX_LOOPS];
    MlirValue indices[MAX_LOOPS]; /* of type index */
    MlirValue tensor;             /* as an iteration finds it */
} Carried;

/* At least one loop, from 0 to sizes[i] - 1 each. */
Carried carried_begin(Builder *builder, int loops, const int64_t *sizes, MlirValue init);
/* `tensor` is what the iteration leaves. */
MlirValue carried_end(Carried *carried, MlirValue tensor);

/* --- tensors --- */
MlirType element_type(MlirValue tensor);
/* One element; indices are of type index. */
MlirValue build_element(Builder *builder, MlirValue tensor, int rank, const MlirValue *indices);
MlirValue build_set_element(Builder *builder, MlirValue scalar, MlirValue tensor, int rank,
                            const MlirValue *indices);
MlirValue build_empty(Builder *builder, MlirType type);
MlirValue build_filled(Builder *builder, MlirType type, MlirValue scalar);
/* A tensor whose element (i0, i1, ...) is that of source at (i[dims[0]], i[dims[1]], ...). */
MlirValue build_spread(Builder *builder, MlirValue source, MlirType type, const int *dims);
/* The same elements in another shape, by collapse_shape and expand_shape. */
MlirValue build_reshape(Builder *builder, MlirValue source, int rank, const int64_t *shape);
MlirValue build_pad(Builder *builder, MlirValue source, const int64_t *low, const int64_t *high,
                    MlirValue scalar);
MlirValue build_extract(Builder *builder, MlirValue source, const int64_t *offsets,
                        const int64_t *sizes, const int64_t *strides);
MlirValue build_insert_into(Builder *builder, MlirValue source, MlirValue target,
                            const int64_t *offsets);
/* The same, at every strides[i]-th place. */
MlirValue build_scatter(Builder *builder, MlirValue source, MlirValue target,
                        const int64_t *offsets, const int64_t *strides);
/* A named operation of linalg, as "linalg.matmul". */
MlirValue build_named(Builder *builder, const char *name, MlirValue left, MlirValue right,
                      MlirValue init, int attribute_count, const MlirNamedAttribute *attributes);
/* An attribute such as strides = dense<[2, 2]> : tensor<2xi64>. */
MlirNamedAttribute sizes_attribute(Builder *builder, const char *name, int count,
                                   const int64_t *sizes);

#endif
