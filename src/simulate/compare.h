/* Comparison of tensors, and the table that `run` and `sim` print. */
#ifndef TEPAL_SIMULATE_COMPARE_H
#define TEPAL_SIMULATE_COMPARE_H

#include "base/arena.h"
#include "base/tensor.h"
#include "base/text.h"

/* How two tensors of one type and shape differ.
 *
 * Elements are equal if their bits are, or if both are NaN of any payload; -0 differs from +0.
 * With a tolerance, elements also count as equal where |actual - expected| <= atol + rtol *
 * |expected|, and -0 is +0. An infinity is only close to itself, and NaN only to NaN.
 * max_abs_error and max_ulp are taken over all elements, equal or not; where one of the two is
 * NaN or one is infinite, the error is infinite. The distance in ulp counts the values of the type
 * from one to the other, -0 and +0 being one value; for integers it is the absolute difference. */
typedef struct Comparison {
    size_t different; /* elements that are not equal */
    size_t first;     /* index of the first of them */
    double max_abs_error, max_ulp;
} Comparison;

/* Tolerances of 0 and 0 ask for equal bits; negative ones stand for the default of the type. */
Comparison tensor_compare(const Tensor *expected, const Tensor *actual, double rtol, double atol);

/* Defaults: 1e-4 and 1e-5 for f32 and wider; for f16 and bf16 a few units of their own last place;
 * integers and bools must be equal. */
void default_tolerance(Scalar type, double *rtol, double *atol);

/* "[1, 0, 3]" for flat element `index`. */
const char *tensor_position(Arena *arena, const Tensor *tensor, size_t index);
/* An element as text: a float as its shortest exact decimal, NaN with its bits. */
const char *tensor_element(Arena *arena, const Tensor *tensor, size_t index);

/* One line per output: name, type, largest errors, number of mismatches; then the first mismatch of
 * each. */
void comparison_table(Arena *arena, Text *text, int count, const Tensor *expected,
                      const Tensor *actual, const Comparison *comparisons);

#endif
