/* --shape: the sizes of one input, fixed from the command line. */
#include "command/shapes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

static bool parse_sizes(const char *sizes, FixedShape *shape) {
    while (*sizes) {
        char *end;
        errno = 0;
        long long size = strtoll(sizes, &end, 10);
        bool more = *end == ',' || *end == 'x';
        if (end == sizes || errno || size < 0 || shape->rank == MAX_RANK || (*end && !more) ||
            (more && !end[1]))
            return false;
        shape->shape[shape->rank++] = size;
        sizes = more ? end + 1 : end;
    }
    return true;
}

bool shapes_parse(Arena *arena, Diagnostics *diagnostics, const TepalStrings *requests,
                  FixedShape **shapes) {
    *shapes = arena_array(arena, (size_t)requests->count + 1, sizeof **shapes);
    for (int i = 0; i < requests->count; i++) {
        const char *request = requests->items[i];
        const char *equals = strrchr(request, '=');
        if (!equals || equals == request || !parse_sizes(equals + 1, &(*shapes)[i]))
            return error_at(diagnostics, STATUS_USAGE, NULL,
                            "--shape %s: write it as NAME=SIZES, for instance x=1,3,32,32",
                            string_printable(arena, request, 100));
        (*shapes)[i].name = arena_string_of(arena, request, (size_t)(equals - request));
    }
    return true;
}
