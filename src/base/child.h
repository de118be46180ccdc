/* Inside of base: forked children that die with us. */
#ifndef TEPAL_BASE_CHILD_H
#define TEPAL_BASE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* As fork, but the child leads a process group of its own, has default signal handlers, and is
 * killed with its group when a signal ends us. The parent calls child_ended before it reaps it. */
pid_t child_fork(void);
void child_ended(pid_t pid);

/* True if stderr is a terminal, where a line can be redrawn. */
bool progress_on_terminal(void);

#endif
