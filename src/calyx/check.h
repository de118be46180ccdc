/* Parts of calyx_check. Private to src/calyx. */
#ifndef TEPAL_CALYX_CHECK_H
#define TEPAL_CALYX_CHECK_H

#include "calyx/calyx.h"

typedef struct Check {
    const CalyxProgram *program;
    const Component *component;
    Arena *arena; /* goes away after the check */
    Diagnostics *diagnostics;
    const char *pass;
    Status status; /* of a fault: of our own, or of a text that was read */
    bool fine;
} Check;

/* Reports a fault of `name` ("what is wrong with it"). Always false. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool check_fault(Check *check, const char *name, const char *format, ...);

/* check_control.c: control, and which groups may be active together. */
void check_control(Check *check);
/* overlap[a x groups + b]: groups a and b may be active in the same cycle; NULL if none may. */
const bool *groups_overlap(Check *check);

/* check_drivers.c: one driver for each port and cycle; no combinational cycle. */
void check_drivers(Check *check);

#endif
