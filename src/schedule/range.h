/* What values the integers of a nest can have. Private to src/schedule. */
#ifndef TEPAL_SCHEDULE_RANGE_H
#define TEPAL_SCHEDULE_RANGE_H

#include "loop/loop.h"

/* low <= value <= high, the value read as signed. */
typedef struct Range {
    int64_t low, high;
} Range;

/* All that an affine expression can be, over all iterations. False if it overflows. */
bool index_range(const Nest *nest, const Affine *affine, Range *range);

/* The range of an integer operation's result, from what it is made of. */
Range value_range(const Nest *nest, int operation);

/* Least width of a signed integer that holds a range. */
int range_bits(Range range);

#endif
