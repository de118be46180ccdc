/* Messages to the user, and the exit status that they mean.
 *
 * A function that can fail returns bool and reports here: the place, what is wrong, what to do.
 * Messages are kept in order and printed to stderr by the command, in the form
 *
 *     PLACE: error: MESSAGE
 *
 * The first error decides the exit status. Nothing here exits or aborts. */
#ifndef TEPAL_BASE_DIAGNOSTIC_H
#define TEPAL_BASE_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdio.h>
#include "base/arena.h"

/* Exit status of the command. */
typedef enum Status {
    STATUS_DONE = 0,
    STATUS_DIFFERENT = 1, /* results differ from the reference or from what was expected */
    STATUS_USAGE = 2,     /* the command line is wrong */
    STATUS_INPUT = 3,     /* an input file is wrong, or the model uses what Tepal cannot do */
    STATUS_TOOL = 4,      /* an outside tool or the system failed: missing, full disk ... */
    STATUS_INTERNAL = 70  /* a fault of Tepal */
} Status;

typedef struct Diagnostics Diagnostics;

Diagnostics *diagnostics_new(Arena *arena);

/* `place` is a file, file:line:column or a node of the model; NULL for none. After 50 errors
 * further ones are only counted. Returns false, so that a caller can `return error_at(...)`; the
 * compiler sees that it does, and so knows that results are set where it was not called. */
#define error_at(...) (error_is_false(error_record(__VA_ARGS__)))

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
int error_record(Diagnostics *diagnostics, Status status, const char *place, const char *format,
                 ...);
static inline bool error_is_false(int recorded) {
    (void)recorded;
    return false;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void warning_at(Diagnostics *diagnostics, const char *place, const char *format, ...);

/* A further line of the last message: a Python source line, a hint. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void note(Diagnostics *diagnostics, const char *format, ...);

bool diagnostics_failed(const Diagnostics *diagnostics);
int diagnostics_errors(const Diagnostics *diagnostics);
/* STATUS_DONE, or the status of the first error. */
Status diagnostics_status(const Diagnostics *diagnostics);

/* Prints what was not printed yet. */
void diagnostics_print(Diagnostics *diagnostics, FILE *stream);

#endif
