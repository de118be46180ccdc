/* The progress line, and the clock. */
#include "base/child.h"
#include "base/process.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool verbose_lines; /* print lines even where they cannot be redrawn */
static bool line_shown;

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool progress_on_terminal(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void progress_verbose(bool verbose) {
    verbose_lines = verbose;
}

void progress_show(const char *format, ...) {
    bool redraw = progress_on_terminal();
    if (!redraw && !verbose_lines) return;
    char line[80]; /* a longer line would wrap, and then could not be erased */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, redraw ? "\r\033[K%s" : "%s\n", line);
    fflush(stderr);
    line_shown = redraw;
}

void progress_done(void) {
    if (!line_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    line_shown = false;
}
