/* From a scheduled program to Calyx. */
#ifndef TEPAL_CALYX_CONSTRUCT_H
#define TEPAL_CALYX_CONSTRUCT_H

#include "calyx/calyx.h"
#include "schedule/schedule.h"

/* One component with one static group per nest (and one that sets its odometer), in a static seq.
 * NULL, with diagnostics, on an internal error. */
CalyxProgram *calyx_construct(const Schedule *schedule, Arena *arena, Diagnostics *diagnostics);

#endif
