/* Where the files are that belong to Tepal but are not part of the executable. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The folder of the running executable, or NULL. */
static char *executable_folder(Arena *arena) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || length == (ssize_t)sizeof path) return NULL;
    while (length > 1 && path[length - 1] != '/') length--;
    return arena_string_of(arena, path, (size_t)length);
}

/* `path` without "..", so that what is written into other files reads well. */
static char *resolved(Arena *arena, const char *path) {
    char *real = realpath(path, NULL);
    char *copy = arena_string(arena, real ? real : path);
    free(real);
    return copy;
}

const char *hardware_folder(Arena *arena) {
    const char *chosen = getenv("TEPAL_HARDWARE");
    if (chosen && *chosen) return is_folder(chosen) ? resolved(arena, chosen) : NULL;
    const char *beside = executable_folder(arena);
    static const char *const places[] = {"../hardware", "../share/tepal/hardware"};
    for (size_t i = 0; beside && i < sizeof places / sizeof *places; i++) {
        const char *path = string_format(arena, "%s%s", beside, places[i]);
        if (is_folder(path)) return resolved(arena, path);
    }
    static const char source[] = TEPAL_SOURCE_FOLDER "/hardware";
    return is_folder(source) ? source : NULL;
}

const char *mlir_library_folder(void) {
    return MLIR_LIBRARY_FOLDER;
}
