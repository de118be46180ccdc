/* Yosys and nextpnr: where they are, which version they have, and how they are run.
 *
 * A native program in PATH is taken first, then the same tool compiled to WebAssembly (YoWASP), in
 * PATH or in the folder where `make setup-fpga` puts it. */
#include "fpga/fpga.h"

#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/process.h"

enum { VERSION_SECONDS = 300 }; /* YoWASP compiles itself when it is run for the first time */

/* `name` in the folder of `make setup-fpga`, which is in the source folder as hardware/ is. */
static const char *set_up_program(Arena *arena, const char *name) {
    const char *hardware = hardware_folder(arena);
    return string_format(arena, "%s/../build/venv/bin/%s", hardware ? hardware : ".", name);
}

static const char *find_program(Arena *arena, const char *native, const char *portable) {
    const char *candidates[] = {native, portable, set_up_program(arena, portable)};
    for (int i = 0; i < 3; i++)
        if (process_found(candidates[i])) return candidates[i];
    return NULL;
}

/* "Yosys 0.23" or "nextpnr-0.11.1" of what the tool says. */
static const char *version_in(Arena *arena, const char *output) {
    const char *start = strstr(output, "Yosys ");
    if (start) return arena_string_of(arena, start, 6 + strcspn(start + 6, " \n"));
    start = strstr(output, "nextpnr-0");
    if (!start) start = strstr(output, "Version ");
    if (!start) return "of unknown version";
    if (string_starts(start, "Version ")) start += strlen("Version ");
    return arena_string_of(arena, start, strcspn(start, " )\n"));
}

bool tool_find(Synthesis *synthesis, const char *native, const char *portable, Tool *tool) {
    Arena *arena = synthesis->arena;
    tool->program = find_program(arena, native, portable);
    if (!tool->program)
        return error_at(synthesis->diagnostics, STATUS_TOOL, NULL,
                        "neither %s nor %s is in PATH: run 'make setup-fpga' in Tepal's source "
                        "folder, or install %s",
                        native, portable, native);
    const char *option = strcmp(native, "yosys") == 0 ? "-V" : "--version";
    const char *const arguments[] = {tool->program, option, NULL};
    Command command = {.arguments = arguments,
                       .time_limit = VERSION_SECONDS,
                       .progress = string_format(arena, "looking for %s", native)};
    char *output;
    if (!process_run(arena, synthesis->diagnostics, &command, &output)) return false;
    tool->version = version_in(arena, output);
    return true;
}

bool tool_run(Synthesis *synthesis, Tool *tool, const char *const *arguments, const char *log,
              const char *progress) {
    Command command = {.arguments = arguments,
                       .folder = synthesis->design.path,
                       .output = log,
                       .progress = progress};
    double start = seconds_now();
    bool ok = process_run(synthesis->arena, synthesis->diagnostics, &command, NULL);
    tool->seconds = seconds_now() - start;
    return ok;
}
