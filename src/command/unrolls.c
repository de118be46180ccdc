/* --unroll: factors of loops from the command line, or from a file. */
#include "command/unrolls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20 };

typedef Vector(UnrollRequest) Requests;

/* One NEST:LOOP=F, of `length` bytes. */
static bool parse_request(Arena *arena, Diagnostics *diagnostics, const char *text, size_t length,
                          const char *origin, Status status, Requests *requests) {
    const char *request = arena_string_of(arena, text, length);
    const char *colon = strchr(request, ':'), *equals = strrchr(request, '=');
    char *end = NULL;
    errno = 0;
    long long factor = equals ? strtoll(equals + 1, &end, 10) : 0;
    if (!colon || !equals || colon == request || equals < colon + 2 || end == equals + 1 || *end ||
        errno || factor < 1)
        return error_at(diagnostics, status, origin,
                        "%s: write it as NEST:LOOP=FACTOR, for instance conv2d:oc=4",
                        string_printable(arena, request, 100));
    UnrollRequest parsed = {arena_string_of(arena, request, (size_t)(colon - request)),
                            arena_string_of(arena, colon + 1, (size_t)(equals - colon - 1)), factor,
                            origin};
    vector_push(arena, requests, parsed);
    return true;
}

static bool parse_file(Arena *arena, Diagnostics *diagnostics, const char *path,
                       Requests *requests) {
    char *text;
    if (!file_read(arena, diagnostics, path, FILE_LIMIT, &text, NULL)) return false;
    for (int number = 1; *text; number++) {
        size_t line = strcspn(text, "\n"), length = strcspn(text, "\n#");
        const char *first = text;
        while (length > 0 && strchr(" \t\r", first[length - 1])) length--;
        while (length > 0 && strchr(" \t\r", *first)) first++, length--;
        const char *origin = string_format(arena, "%s:%d", path, number);
        if (length > 0 &&
            !parse_request(arena, diagnostics, first, length, origin, STATUS_INPUT, requests))
            return false;
        text += line + (text[line] == '\n');
    }
    return true;
}

bool unrolls_parse(Arena *arena, Diagnostics *diagnostics, const TepalStrings *values,
                   LoopOptions *options) {
    Requests requests = {0};
    for (int i = 0; i < values->count; i++) {
        const char *value = values->items[i];
        bool fine = strchr(value, '=') ? parse_request(arena, diagnostics, value, strlen(value),
                                                       "--unroll", STATUS_USAGE, &requests)
                                       : parse_file(arena, diagnostics, value, &requests);
        if (!fine) return false;
    }
    options->unroll = requests.items;
    options->unroll_count = requests.count;
    return true;
}
