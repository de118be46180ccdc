/* Maxima of windows with the places where they are. */
#ifndef TEPAL_IMPORT_MAXIMA_H
#define TEPAL_IMPORT_MAXIMA_H

#include "import/windows.h"

/* Gives the maxima as result 0 and their places in the input's flat spatial dimensions as result 1.
 * Of the windows, with `adaptive` only input and output count: window i of n in a dimension of s is
 * from floor(i * s / n) to ceil((i + 1) * s / n). */
bool give_maxima(Call *call, const Windows *windows, Value *input, bool adaptive);

#endif
