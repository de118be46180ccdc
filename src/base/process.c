/* Child processes: outside tools, and our own work that may crash. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2, MAP_ANONYMOUS */
#endif
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/text.h"

enum { CAPTURE_LIMIT = 4 << 20, TAIL_LINES = 12, TAIL_BYTES = 2000 };

/* A child that is being waited for. */
typedef struct Watch {
    pid_t pid;
    int pipe; /* its output, or -1 */
    double start, time_limit;
    const char *progress;
    int seconds_shown;
    Text output; /* the last CAPTURE_LIMIT bytes at most */
    bool timed_out;
    int status; /* as of waitpid */
} Watch;

static void keep_output(Watch *watch, char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\0') bytes[i] = '?';
    Text *output = &watch->output;
    if (output->length + length >= CAPTURE_LIMIT) {
        size_t kept = output->length / 2;
        memmove(output->chars, output->chars + output->length - kept, kept);
        output->length = kept;
    }
    text_append_bytes(output, bytes, length);
}

/* Takes what is in the pipe now; closes it at its end. */
static void read_output(Watch *watch) {
    char bytes[16384];
    while (watch->pipe >= 0) {
        ssize_t got = read(watch->pipe, bytes, sizeof bytes);
        if (got > 0) {
            keep_output(watch, bytes, (size_t)got);
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(watch->pipe);
            watch->pipe = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* Sleeps until there is output, or for `milliseconds`. */
static void wait_a_little(Watch *watch, int milliseconds) {
    struct pollfd entry = {.fd = watch->pipe, .events = POLLIN};
    poll(&entry, watch->pipe >= 0 ? 1 : 0, milliseconds);
    read_output(watch);
}

static bool has_exited(pid_t pid) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

static void show_progress(Watch *watch) {
    int seconds = (int)(seconds_now() - watch->start);
    if (!watch->progress || seconds <= watch->seconds_shown || !progress_on_terminal()) return;
    watch->seconds_shown = seconds;
    progress_show("%s (%d s)", watch->progress, seconds);
}

/* Waits for the end of the child, or of its time. What it leaves running in its group is killed. */
static void watch_child(Watch *watch) {
    if (watch->pipe >= 0) fcntl(watch->pipe, F_SETFL, O_NONBLOCK);
    if (watch->progress) progress_show("%s", watch->progress);
    int pause = 1; /* milliseconds; grows, so that short commands end at once */
    while (!has_exited(watch->pid)) {
        if (watch->time_limit > 0 && seconds_now() - watch->start > watch->time_limit) {
            watch->timed_out = true;
            break;
        }
        wait_a_little(watch, pause);
        if (pause < 50) pause += 1 + pause / 4;
        show_progress(watch);
    }
    kill(-watch->pid, SIGKILL); /* its id cannot be reused yet: it was not reaped */
    child_ended(watch->pid);
    while (waitpid(watch->pid, &watch->status, 0) < 0 && errno == EINTR) continue;
    read_output(watch);
    if (watch->pipe >= 0) close(watch->pipe);
    if (watch->progress) progress_done();
}

bool process_found(const char *program) {
    struct stat status;
    if (strchr(program, '/'))
        return access(program, X_OK) == 0 && stat(program, &status) == 0 && S_ISREG(status.st_mode);
    const char *search = getenv("PATH");
    Arena *arena = arena_new();
    bool found = false;
    while (search && !found) {
        size_t length = strcspn(search, ":");
        const char *folder = length ? arena_string_of(arena, search, length) : ".";
        found = process_found(string_format(arena, "%s/%s", folder, program));
        search = search[length] ? search + length + 1 : NULL;
    }
    arena_free(arena);
    return found;
}

/* The last lines of a tool's output, for a note. */
static const char *tail_of(Arena *arena, const char *output) {
    size_t length = strlen(output);
    while (length && (output[length - 1] == '\n' || output[length - 1] == ' ')) length--;
    size_t start = length;
    int lines = 0;
    while (start > 0 && length - start < TAIL_BYTES) {
        if (output[start - 1] == '\n' && ++lines == TAIL_LINES) break;
        start--;
    }
    return arena_string_of(arena, output + start, length - start);
}

static void note_output(Arena *arena, Diagnostics *diagnostics, const char *output) {
    const char *tail = tail_of(arena, output);
    if (*tail) note(diagnostics, "%s", tail);
}

/* The last part of a file into which a command wrote. */
static char *file_tail(Arena *arena, const char *path) {
    char *tail = arena_alloc(arena, 2 * TAIL_BYTES + 1);
    FILE *file = fopen(path, "rb");
    if (!file) return tail;
    if (fseek(file, -2 * TAIL_BYTES, SEEK_END) != 0) rewind(file);
    size_t length = fread(tail, 1, 2 * TAIL_BYTES, file);
    for (size_t i = 0; i < length; i++)
        if (tail[i] == '\0') tail[i] = '?';
    fclose(file);
    return tail;
}

/* In the child: becomes the command. On failure sends errno through `failure`. */
static _Noreturn void become_command(const Command *command, int output, int failure) {
    setenv("LC_ALL", "C", 1); /* what tools print is read here */
    int none = open("/dev/null", O_RDONLY);
    bool ok = none >= 0 && dup2(none, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
              dup2(output, STDERR_FILENO) >= 0 && (!command->folder || chdir(command->folder) == 0);
    /* POSIX keeps the strings unchanged; only its type says otherwise. */
    if (ok) execvp(command->arguments[0], (char *const *)(uintptr_t)command->arguments);
    int error = errno;
    if (write(failure, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

/* Starts the command; `*output` gets the read end of its output, or -1. Returns errno or 0. */
static int start_command(const Command *command, pid_t *pid, int *output) {
    int failure[2], stream[2] = {-1, -1};
    if (pipe2(failure, O_CLOEXEC) != 0) return errno;
    if (command->output)
        stream[1] = open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    else if (pipe2(stream, O_CLOEXEC) != 0)
        stream[1] = -1;
    int error = errno;
    *pid = -1;
    if (stream[1] >= 0) {
        fflush(NULL); /* or the child would write it again */
        *pid = child_fork();
        error = errno;
        if (*pid == 0) become_command(command, stream[1], failure[1]);
        close(stream[1]);
    }
    close(failure[1]);
    if (*pid > 0 && read(failure[0], &error, sizeof error) != sizeof error) error = 0;
    close(failure[0]);
    if (error == 0) {
        *output = stream[0];
        return 0;
    }
    if (stream[0] >= 0) close(stream[0]);
    if (*pid > 0) {
        child_ended(*pid);
        waitpid(*pid, NULL, 0);
    }
    return error;
}

bool process_run(Arena *arena, Diagnostics *diagnostics, const Command *command, char **captured) {
    const char *program = command->arguments[0];
    if (captured) *captured = arena_string(arena, "");
    if (!strchr(program, '/') && !process_found(program))
        return error_at(diagnostics, STATUS_TOOL, NULL,
                        "the program '%s' is needed, and is not in PATH", program);
    Watch watch = {.output = text_new(arena),
                   .start = seconds_now(),
                   .time_limit = command->time_limit,
                   .progress = command->progress};
    int error = start_command(command, &watch.pid, &watch.pipe);
    if (error)
        return error_at(diagnostics, STATUS_TOOL, NULL, "cannot run '%s': %s", program,
                        strerror(error));
    watch_child(&watch);
    const char *output = text_string(&watch.output);
    if (captured) *captured = arena_string(arena, output);
    if (!watch.timed_out && WIFEXITED(watch.status) && WEXITSTATUS(watch.status) == 0) return true;

    if (watch.timed_out)
        error_at(diagnostics, STATUS_TOOL, NULL, "'%s' was stopped: it took longer than %g s",
                 program, command->time_limit);
    else if (WIFSIGNALED(watch.status))
        error_at(diagnostics, STATUS_TOOL, NULL, "'%s' was killed by signal %d (%s)", program,
                 WTERMSIG(watch.status), strsignal(WTERMSIG(watch.status)));
    else
        error_at(diagnostics, STATUS_TOOL, NULL, "'%s' failed with exit status %d", program,
                 WEXITSTATUS(watch.status));
    note_output(arena, diagnostics, command->output ? file_tail(arena, command->output) : output);
    return false;
}

/* In the child: messages that were there before the fork are the parent's to print. */
static void forget_messages(Diagnostics *diagnostics) {
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere) return;
    diagnostics_print(diagnostics, nowhere);
    fclose(nowhere);
}

typedef struct Work {
    bool (*work)(void *context, void *shared);
    void *context, *shared;
} Work;

static _Noreturn void do_work(Diagnostics *diagnostics, const Work *work, int output) {
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    forget_messages(diagnostics);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    bool ok = work->work(work->context, work->shared);
    diagnostics_print(diagnostics, stderr);
    fflush(NULL);
    _exit(ok ? 0 : 1);
}

/* Forks and waits; false if the system has no room for a child. */
static bool run_work(Diagnostics *diagnostics, const Work *work, Watch *watch) {
    int stream[2];
    if (pipe2(stream, O_CLOEXEC) != 0) return false;
    fflush(NULL);
    watch->pid = child_fork();
    if (watch->pid == 0) do_work(diagnostics, work, stream[1]);
    close(stream[1]);
    watch->pipe = stream[0];
    if (watch->pid > 0)
        watch_child(watch);
    else
        close(stream[0]);
    return watch->pid > 0;
}

bool process_isolated(Arena *arena, Diagnostics *diagnostics, Status status, const char *what,
                      double time_limit, bool (*work)(void *context, void *shared), void *context,
                      void *shared, size_t shared_size) {
    size_t size = shared_size ? shared_size : 1;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return error_at(diagnostics, STATUS_TOOL, NULL, "%s: no memory for %zu bytes of results",
                        what, size);
    if (shared_size) memcpy(block, shared, shared_size);
    Watch watch = {
        .output = text_new(arena), .start = seconds_now(), .time_limit = time_limit, .pipe = -1};
    Work isolated = {work, context, block};
    bool started = run_work(diagnostics, &isolated, &watch);
    int error = errno;
    bool ok =
        started && !watch.timed_out && WIFEXITED(watch.status) && WEXITSTATUS(watch.status) == 0;
    if (ok && shared_size) memcpy(shared, block, shared_size);
    munmap(block, size);
    if (ok) return true;

    if (!started)
        return error_at(diagnostics, STATUS_TOOL, NULL, "cannot start a child process for %s: %s",
                        what, strerror(error));
    if (watch.timed_out)
        error_at(diagnostics, status, NULL, "%s took longer than %g s and was stopped", what,
                 time_limit);
    else if (WIFSIGNALED(watch.status))
        error_at(diagnostics, status, NULL, "%s crashed: signal %d (%s)", what,
                 WTERMSIG(watch.status), strsignal(WTERMSIG(watch.status)));
    else
        error_at(diagnostics, status, NULL, "%s failed", what);
    note_output(arena, diagnostics, text_string(&watch.output));
    return false;
}
