/* What the drivers of the simulators share. */
#include "simulate/simulator.h"

#include <string.h>

#include "base/process.h"

static const Simulator *const simulators[] = {&verilator_simulator, &icarus_simulator};

const Simulator *simulator_find(const char *name) {
    if (!name) return simulators[0];
    for (size_t i = 0; i < sizeof simulators / sizeof *simulators; i++)
        if (strcmp(simulators[i]->name, name) == 0) return simulators[i];
    return NULL;
}

bool key_add_design(Arena *arena, Diagnostics *diagnostics, const Design *design, CacheKey *key) {
    for (int i = 0; i < design->file_count; i++) {
        char *text;
        size_t length;
        const char *path = design_path(arena, design, design->files[i]);
        if (!file_read(arena, diagnostics, path, (size_t)1 << 28, &text, &length)) return false;
        key_add_string(key, design->files[i]);
        key_add(key, text, length);
    }
    return true;
}

bool key_add_version(Arena *arena, Diagnostics *diagnostics, const char *const *arguments,
                     CacheKey *key, char **version) {
    Command command = {.arguments = arguments, .time_limit = 60};
    if (!process_run(arena, diagnostics, &command, version)) return false;
    key_add_string(key, arguments[0]);
    key_add_string(key, *version);
    return true;
}
