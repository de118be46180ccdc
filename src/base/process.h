/* Child processes, and what must not be left behind when a run is cut short. */
#ifndef TEPAL_BASE_PROCESS_H
#define TEPAL_BASE_PROCESS_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/diagnostic.h"

typedef struct Command {
    const char *const *arguments; /* ends with NULL; the first is looked up in PATH */
    const char *folder;           /* working folder, or NULL */
    const char *output;           /* file that takes stdout and stderr, or NULL to capture */
    double time_limit;            /* seconds, 0 for none */
    const char *progress;         /* text of the progress line while it runs, or NULL */
} Command;

/* Runs a command to its end. `*captured` (may be NULL) gets its output when `output` is NULL (at
 * most 4 MiB of it). False with a diagnostic (STATUS_TOOL) if it is missing, fails to start, runs
 * out of time, is killed, or exits other than 0 - for the last the tail of the output is in the
 * note. The child is its own process group, which dies with us on SIGINT, SIGTERM, SIGHUP. */
bool process_run(Arena *arena, Diagnostics *diagnostics, const Command *command, char **captured);

/* Runs `work(context)` in a forked child with a time limit in seconds (0: none), for code that may
 * trap, assert or never end (MLIR's JIT). The child's result is what `work` leaves in `shared`, a
 * block of `shared_size` bytes that parent and child share and that is copied to the parent's
 * `shared`. False with a diagnostic of `status` that says `what` crashed, or ran out of time, or if
 * `work` returned false. */
bool process_isolated(Arena *arena, Diagnostics *diagnostics, Status status, const char *what,
                      double time_limit, bool (*work)(void *context, void *shared), void *context,
                      void *shared, size_t shared_size);

/* True if a program of this name is in PATH and can be run. */
bool process_found(const char *program);

/* Ctrl-C, SIGTERM and SIGHUP kill running children, remove the registered paths (files or whole
 * folders made by us) and end the process with the signal's usual status. */
void process_install_signals(void);
/* Where stdin, stdout or stderr is closed, a file that is opened later would take its place and
 * get what is printed. This puts something in these places that cannot be read or written. */
void process_open_standard_files(void);
void cleanup_register(const char *path);
void cleanup_forget(const char *path);
/* Kills the running children and removes the registered paths now: before an end without return. */
void cleanup_now(void);

/* Removes a file or a folder with all it holds; does not follow links. */
bool remove_tree(const char *path);
/* Makes a folder and its parents. */
bool make_folders(Diagnostics *diagnostics, const char *path);

/* Seconds since some start, for timing. */
double seconds_now(void);

/* One line on stderr that is redrawn, if stderr is a terminal; plain lines otherwise only when
 * `verbose` was asked for. progress_done erases it. */
void progress_show(const char *format, ...);
void progress_done(void);
void progress_verbose(bool verbose);

#endif
