/* Child processes, isolated work, folders, and what is cleaned up after a signal. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

static bool run(Unit *unit, const char *script, double time_limit, char **captured) {
    const char *arguments[] = {"sh", "-c", script, NULL};
    Command command = {.arguments = arguments, .time_limit = time_limit};
    return process_run(unit->arena, unit->diagnostics, &command, captured);
}

static void output_is_captured(void **state) {
    Unit *unit = *state;
    char *captured;
    assert_true(run(unit, "echo out; echo err >&2; cat", 0, &captured)); /* stdin is empty */
    assert_string_equal(captured, "out\nerr\n");
    assert_true(run(unit, "head -c 20000000 /dev/zero; echo end", 20, &captured));
    assert_true(strlen(captured) <= 4 << 20 && strlen(captured) >= 1 << 20);
    assert_true(string_ends(captured, "???end\n"));
    assert_true(run(unit, "true", 0, NULL));
    assert_false(diagnostics_failed(unit->diagnostics));
}

static void failures_are_told(void **state) {
    Unit *unit = *state;
    char *captured;
    assert_false(run(unit, "seq 100; echo why; exit 3", 0, &captured));
    const char *text = unit_messages(unit);
    assert_contains(text, "tepal: error: 'sh' failed with exit status 3\n    90\n    91\n");
    assert_contains(text, "    100\n    why\n");
    assert_int_equal(diagnostics_status(unit->diagnostics), STATUS_TOOL);
    assert_false(run(unit, "kill -9 $$", 0, NULL));
    assert_contains(unit_messages(unit), "was killed by signal 9");
    Command missing = {.arguments = (const char *[]){"tepal-no-such-program", NULL}};
    assert_false(process_run(unit->arena, unit->diagnostics, &missing, &captured));
    assert_contains(unit_messages(unit), "'tepal-no-such-program' is needed, and is not in PATH");
    Command no_folder = {.arguments = (const char *[]){"sh", NULL}, .folder = "/no/such/folder"};
    assert_false(process_run(unit->arena, unit->diagnostics, &no_folder, NULL));
    assert_contains(unit_messages(unit), "cannot run 'sh': No such file");
    Command no_output = {.arguments = (const char *[]){"sh", NULL}, .output = "/no/such/file"};
    assert_false(process_run(unit->arena, unit->diagnostics, &no_output, NULL));
    Command not_program = {.arguments = (const char *[]){"/etc/passwd", NULL}};
    assert_false(process_run(unit->arena, unit->diagnostics, &not_program, NULL));
    assert_contains(unit_messages(unit), "cannot run '/etc/passwd': Permission denied");
}

static void output_and_folder(void **state) {
    Unit *unit = *state;
    char folder[] = "/tmp/tepal-unit-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = string_format(unit->arena, "%s/log", folder);
    Command command = {.arguments = (const char *[]){"sh", "-c", "pwd; exit 1", NULL},
                       .folder = folder,
                       .output = path};
    assert_false(process_run(unit->arena, unit->diagnostics, &command, NULL));
    char *bytes;
    assert_true(file_read(unit->arena, unit->diagnostics, path, 1000, &bytes, NULL));
    assert_string_equal(bytes, string_format(unit->arena, "%s\n", folder));
    assert_contains(unit_messages(unit), string_format(unit->arena, "    %s\n", folder));
    assert_true(remove_tree(folder));
}

static void time_limit_is_kept(void **state) {
    Unit *unit = *state;
    double start = seconds_now();
    assert_false(run(unit, "sleep 60 & sleep 60", 0.3, NULL));
    assert_contains(unit_messages(unit), "took longer than 0.3 s");
    /* What a command leaves running does not keep us. */
    assert_true(run(unit, "sleep 60 & exit 0", 0, NULL));
    /* Nor does a command that closes its output end the wait. */
    assert_true(run(unit, "exec >&- 2>&-; sleep 0.2", 0, NULL));
    double seconds = seconds_now() - start;
    assert_true(seconds > 0.5 && seconds < 10);
}

static void programs_are_found(void **state) {
    (void)state;
    assert_true(process_found("sh") && process_found("/bin/sh"));
    assert_false(process_found("tepal-no-such-program") || process_found("/etc/passwd"));
    assert_false(process_found("/bin"));
}

static bool square(void *context, void *shared) {
    *(int *)shared = *(int *)context * *(int *)context + *(int *)shared;
    return true;
}

static bool crash(void *context, void *shared) {
    (void)context, (void)shared;
    fprintf(stderr, "about to crash\n");
    raise(SIGSEGV);
    return true;
}

static bool hang(void *context, void *shared) {
    (void)context, (void)shared;
    for (;;) sleep(1);
    return true;
}

static bool refuse(void *context, void *shared) {
    (void)shared;
    return error_at(context, STATUS_INPUT, "node", "no such thing");
}

static void isolated_work(void **state) {
    Unit *unit = *state;
    int seven = 7, result = 1;
    assert_true(process_isolated(unit->arena, unit->diagnostics, STATUS_INPUT, "the square", 10,
                                 square, &seven, &result, sizeof result));
    assert_int_equal(result, 50);
    error_at(unit->diagnostics, STATUS_INPUT, NULL, "an earlier message");
    assert_false(process_isolated(unit->arena, unit->diagnostics, STATUS_INPUT, "the work", 10,
                                  crash, NULL, NULL, 0));
    const char *text = unit_messages(unit);
    assert_contains(text, "the work crashed: signal 11");
    assert_contains(text, "    about to crash\n");
    double start = seconds_now();
    assert_false(process_isolated(unit->arena, unit->diagnostics, STATUS_INPUT, "the work", 0.2,
                                  hang, NULL, NULL, 0));
    assert_contains(unit_messages(unit), "the work took longer than 0.2 s");
    assert_true(seconds_now() - start < 5);
    error_at(unit->diagnostics, STATUS_INPUT, NULL, "another message");
    assert_false(process_isolated(unit->arena, unit->diagnostics, STATUS_INPUT, "the work", 10,
                                  refuse, unit->diagnostics, NULL, 0));
    assert_string_equal(unit_messages(unit),
                        "tepal: error: another message\ntepal: error: the work failed\n"
                        "    node: error: no such thing\n");
}

static void folders(void **state) {
    Unit *unit = *state;
    char folder[] = "/tmp/tepal-unit-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *deep = string_format(unit->arena, "%s/a//b/c/", folder);
    assert_true(make_folders(unit->diagnostics, deep) && make_folders(unit->diagnostics, deep));
    const char *file = string_format(unit->arena, "%s/a/file", folder);
    assert_true(file_write(unit->diagnostics, file, "", 0));
    assert_false(make_folders(unit->diagnostics, string_format(unit->arena, "%s/x", file)));
    assert_contains(unit_messages(unit), "cannot make the folder: Not a directory");
    const char *outside = string_format(unit->arena, "%s-outside", folder);
    assert_true(file_write(unit->diagnostics, outside, "", 0));
    assert_int_equal(symlink(outside, string_format(unit->arena, "%s/a/link", folder)), 0);
    assert_int_equal(symlink("/tmp", string_format(unit->arena, "%s/a/up", folder)), 0);
    assert_true(remove_tree(folder));
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(access(outside, F_OK), 0);
    assert_true(remove_tree(outside) && remove_tree(outside));
}

/* A process as `tepal` is, in the middle of its work; never returns. */
static void be_a_tepal(const char *folder, int signal_number) {
    freopen("/dev/null", "w", stderr); /* what on_fault says */
    signal(SIGINT, SIG_DFL);           /* background jobs of a shell ignore it */
    process_install_signals();
    Arena *arena = arena_new();
    Diagnostics *diagnostics = diagnostics_new(arena);
    if (chdir("/tmp") != 0) _exit(99);
    cleanup_register("/tmp/tepal-unit-forgotten");
    cleanup_forget("/tmp/tepal-unit-forgotten");
    cleanup_register(strrchr(folder, '/') + 1); /* relative */
    if (chdir("/") != 0) _exit(99);
    if (signal_number == SIGABRT) abort();
    const char *script = string_format(arena, "echo $$ > %s/pid; exec sleep 60", folder);
    const char *arguments[] = {"sh", "-c", script, NULL};
    process_run(arena, diagnostics, &(Command){.arguments = arguments}, NULL);
    _exit(98);
}

static void pause_briefly(void) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void check_signal(Unit *unit, int signal_number) {
    char folder[] = "/tmp/tepal-unit-XXXXXX";
    assert_non_null(mkdtemp(folder));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) be_a_tepal(folder, signal_number);
    const char *path = string_format(unit->arena, "%s/pid", folder);
    int sleeper = 0, status;
    for (int i = 0; i < 500 && sleeper == 0 && signal_number != SIGABRT; i++) {
        pause_briefly();
        FILE *file = fopen(path, "r");
        if (!file) continue;
        if (fscanf(file, "%d", &sleeper) != 1) sleeper = 0;
        fclose(file);
    }
    if (signal_number != SIGABRT) kill(pid, signal_number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (signal_number == SIGABRT)
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_INTERNAL);
    else
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal_number && sleeper > 0);
    if (signal_number != SIGKILL) assert_int_equal(access(folder, F_OK), -1);
    bool gone = sleeper == 0;
    for (int i = 0; i < 100 && !gone; i++) {
        /* An orphan that nobody reaps stays as a zombie. */
        char *text = NULL;
        gone =
            !file_read(unit->arena, unit->diagnostics,
                       string_format(unit->arena, "/proc/%d/stat", sleeper), 4096, &text, NULL) ||
            strstr(text, ") Z");
        if (!gone) pause_briefly();
    }
    assert_true(gone);
    remove_tree(folder);
}

static void nothing_is_left_after_a_signal(void **state) {
    check_signal(*state, SIGINT);
    check_signal(*state, SIGTERM);
    check_signal(*state, SIGHUP);
    check_signal(*state, SIGKILL); /* the child dies at least */
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

static void nothing_is_left_after_an_abort(void **state) {
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
    (void)state; /* the sanitizer handles faults */
#else
    check_signal(*state, SIGABRT);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(output_is_captured),
        UNIT_TEST(failures_are_told),
        UNIT_TEST(output_and_folder),
        UNIT_TEST(time_limit_is_kept),
        UNIT_TEST(programs_are_found),
        UNIT_TEST(isolated_work),
        UNIT_TEST(folders),
        UNIT_TEST(nothing_is_left_after_a_signal),
        UNIT_TEST(nothing_is_left_after_an_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
