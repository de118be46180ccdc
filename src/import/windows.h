/* Sliding windows, shared by convolutions and poolings: 1 to 3 spatial dimensions at the end of a
 * tensor [batch, channels, ...] or [channels, ...]. */
#ifndef TEPAL_IMPORT_WINDOWS_H
#define TEPAL_IMPORT_WINDOWS_H

#include "import/call.h"

enum { MAX_SPATIAL = 3 };

typedef struct Windows {
    int spatial; /* number of spatial dimensions */
    int64_t kernel[MAX_SPATIAL], stride[MAX_SPATIAL], dilation[MAX_SPATIAL];
    int64_t before[MAX_SPATIAL], after[MAX_SPATIAL]; /* padding */
    int64_t input[MAX_SPATIAL], output[MAX_SPATIAL];
} Windows;

/* Reads an argument of one item per spatial dimension (or one for all), at least `least` each. */
bool windows_sizes(Call *call, const char *name, int spatial, int64_t least, int64_t *sizes);

/* Fills `output` from the rest. With `ceil` a window may reach past the end if it starts inside the
 * input or the padding before it. False if there is no window, or too many. */
bool windows_count(Call *call, Windows *windows, bool ceil);

/* The input with its spatial dimensions padded, and so far at the end that the last window fits. */
MlirValue windows_pad(Call *call, const Windows *windows, Value *input, MlirValue scalar);

/* d[output] * stride + d[kernel] * dilation */
MlirAffineExpr windows_place(Call *call, const Windows *windows, int dimension, int output_loop,
                             int kernel_loop);

#endif
