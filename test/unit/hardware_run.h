/* Running outside tools on generated hardware, for tests of src/calyx and src/rtl. */
#ifndef TEPAL_TEST_HARDWARE_RUN_H
#define TEPAL_TEST_HARDWARE_RUN_H

#include <stdlib.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/process.h"
#include "base/text.h"

/* A fresh folder, removed when the program ends normally. */
static inline const char *scratch_folder(Arena *arena) {
    char *path =
        string_format(arena, "%s/tepal_test_XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(path)) fail_msg("no temporary folder");
    return path;
}

static inline void write_text(Unit *unit, const char *folder, const char *name, const char *text) {
    const char *path = string_format(unit->arena, "%s/%s", folder, name);
    if (!file_write(unit->diagnostics, path, text, strlen(text)))
        fail_msg("%s", unit_messages(unit));
}

/* Runs a shell command in a folder and returns what it prints; the test fails if the command does.
 */
static inline const char *run(Unit *unit, const char *folder, const char *command) {
    char *captured = NULL;
    const char *arguments[] = {"sh", "-c", command, NULL};
    Command child = {.arguments = arguments, .folder = folder, .time_limit = 120};
    if (!process_run(unit->arena, unit->diagnostics, &child, &captured))
        fail_msg("%s\n%s", command, unit_messages(unit));
    return captured ? captured : "";
}

/* A tool that set-up puts into the folder build, as an absolute path; NULL if it is not there. */
static inline const char *build_file(Arena *arena, const char *name) {
    const char *folders[] = {getenv("BUILD"), "build"};
    char here[4096];
    if (!getcwd(here, sizeof here)) return NULL;
    for (int i = 0; i < 2; i++) {
        if (!folders[i]) continue;
        const char *path = folders[i][0] == '/'
                               ? string_format(arena, "%s/%s", folders[i], name)
                               : string_format(arena, "%s/%s/%s", here, folders[i], name);
        if (!access(path, X_OK)) return path;
    }
    return NULL;
}

/* Whether a tool is there. Without it the test has nothing to do, and says so. */
static inline bool is_there(bool found, const char *tool) {
    if (!found) printf("%s is not there: nothing tested\n", tool);
    return found;
}

/* The modules of hardware/, all of them, for a command line. */
static inline const char *hardware_files(Unit *unit) {
    return string_format(unit->arena, "%s/*.sv", hardware_folder(unit->arena));
}

/* A Python that has CIRCT, with the script that makes Verilog from MLIR; or NULL. */
static inline const char *circt_to_verilog(Unit *unit) {
    const char *python = build_file(unit->arena, "circt/bin/python");
    char here[4096];
    if (!python || !getcwd(here, sizeof here)) return NULL;
    const char *probe = string_format(
        unit->arena, "%s -c 'import circt' 2>/dev/null && echo found || true", python);
    if (!strstr(run(unit, ".", probe), "found")) return NULL;
    return string_format(unit->arena, "%s %s/test/tool/circt_verilog.py", python, here);
}

#endif
