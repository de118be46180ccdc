/* What must not be left behind: running children and half-written folders.
 *
 * A signal may come in the middle of MLIR or of malloc, so its handler uses async-signal-safe calls
 * only: it kills the process groups of the children, has rm(1) remove the registered paths, and
 * dies of the same signal. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* _Fork */
#endif
#include "base/child.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { CHILD_LIMIT = 64, PATH_LIMIT = 64 };

static volatile pid_t children[CHILD_LIMIT];
static char *volatile paths[PATH_LIMIT];
static volatile pid_t owner; /* the process whose children and paths these are */

/* Signals that end us from outside, and those that tell of a fault of our own. */
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* fork() may wait for a lock of malloc that the interrupted code holds; _Fork does not. */
static pid_t fork_in_handler(void) {
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    return _Fork();
#else
    return fork();
#endif
#else
    return fork();
#endif
}

static void remove_paths(void) {
    char *arguments[PATH_LIMIT + 4] = {(char[]){"rm"}, (char[]){"-rf"}, (char[]){"--"}};
    int count = 3;
    for (int i = 0; i < PATH_LIMIT; i++)
        if (paths[i]) arguments[count++] = paths[i];
    if (count == 3) return;
    pid_t pid = fork_in_handler();
    if (pid == 0) {
        setpgid(0, 0); /* a second Ctrl-C must not stop it */
        execv("/bin/rm", arguments);
        execv("/usr/bin/rm", arguments);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

void cleanup_now(void) {
    if (getpid() != owner) return;
    for (int i = 0; i < CHILD_LIMIT; i++)
        if (children[i] > 0) kill(-children[i], SIGKILL);
    remove_paths();
}

static void reset_signal(int number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void on_ending_signal(int number) {
    cleanup_now();
    reset_signal(number);
    sigset_t self;
    sigemptyset(&self);
    sigaddset(&self, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &self, NULL);
}

static void on_fault(int number) {
    char text[] = "tepal: internal error: signal 00. This is a fault of Tepal: please report it.\n";
    char *digits = strstr(text, "00");
    digits[0] = (char)('0' + number / 10 % 10);
    digits[1] = (char)('0' + number % 10);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) { /* nothing left to do about it */
    }
    cleanup_now();
    _exit(STATUS_INTERNAL);
}

/* The sanitizers report faults in their own way. */
static bool faults_are_ours(void) {
#if defined(__SANITIZE_ADDRESS__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return false;
#else
    return true;
#endif
#else
    return true;
#endif
}

void process_install_signals(void) {
    owner = getpid();
    struct sigaction action = {.sa_handler = on_ending_signal}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(ending_signals); i++)
        sigaddset(&action.sa_mask, ending_signals[i]);
    for (size_t i = 0; i < COUNT(ending_signals); i++) {
        sigaction(ending_signals[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(ending_signals[i], &action, NULL); /* nohup */
    }
    signal(SIGXFSZ, SIG_IGN); /* too large a file is an error of write() */
    if (!faults_are_ours()) return;
    static char fault_stack[64 * 1024]; /* the usual stack may be what overflowed */
    stack_t stack = {.ss_sp = fault_stack, .ss_size = sizeof fault_stack};
    sigaltstack(&stack, NULL);
    action.sa_handler = on_fault;
    action.sa_flags = SA_ONSTACK | (int)SA_RESETHAND;
    for (size_t i = 0; i < COUNT(fault_signals); i++) sigaction(fault_signals[i], &action, NULL);
}

void process_open_standard_files(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void block_ending_signals(sigset_t *old) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < COUNT(ending_signals); i++) sigaddset(&set, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &set, old);
}

static void become_child(pid_t parent) {
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* even if we are killed in a way that cannot be caught */
    if (getppid() != parent) _exit(127);
#else
    (void)parent;
#endif
    for (size_t i = 0; i < COUNT(ending_signals); i++) reset_signal(ending_signals[i]);
    for (size_t i = 0; i < COUNT(fault_signals); i++) reset_signal(fault_signals[i]);
    reset_signal(SIGXFSZ);
}

pid_t child_fork(void) {
    sigset_t old;
    block_ending_signals(&old); /* no signal may come between the fork and the entry in the table */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) become_child(parent);
    if (pid > 0) {
        setpgid(pid, pid); /* in both, as either may run first */
        if (owner == 0) owner = parent;
        for (int i = 0; i < CHILD_LIMIT; i++) {
            if (children[i] > 0) continue;
            children[i] = pid;
            break;
        }
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return pid;
}

void child_ended(pid_t pid) {
    for (int i = 0; i < CHILD_LIMIT; i++)
        if (children[i] == pid) children[i] = 0;
}

/* The working folder may change before the path is used. NULL if there is no memory. */
static char *absolute_path(const char *path) {
    char folder[PATH_MAX];
    if (*path == '/' || !getcwd(folder, sizeof folder)) return strdup(path);
    size_t length = strlen(folder), tail = strlen(path);
    char *result = malloc(length + tail + 2);
    if (!result) return NULL;
    memcpy(result, folder, length);
    result[length] = '/';
    memcpy(result + length + 1, path, tail + 1);
    return result;
}

void cleanup_register(const char *path) {
    if (owner == 0) owner = getpid();
    char *copy = absolute_path(path);
    for (int i = 0; i < PATH_LIMIT && copy; i++) {
        if (paths[i]) continue;
        paths[i] = copy;
        return;
    }
    free(copy);
}

void cleanup_forget(const char *path) {
    char *copy = absolute_path(path);
    for (int i = 0; i < PATH_LIMIT && copy; i++) {
        char *entry = paths[i];
        if (!entry || strcmp(entry, copy) != 0) continue;
        paths[i] = NULL;
        free(entry);
    }
    free(copy);
}
