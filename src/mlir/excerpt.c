/* The line of a text that a message is about, as mlir-opt shows it. */
#include <stdlib.h>
#include <string.h>
#include "mlir/internal.h"

/* Lines of weights are long: this much is shown around the place. */
enum { WIDTH = 100 };

/* The numbers of "path:line:column"; false if the place is not in the text that was parsed last. */
static bool read_place(const Session *session, const char *place, long *line, long *column) {
    if (!session->source_path || !place || !string_starts(place, session->source_path))
        return false;
    char *end;
    const char *c = place + strlen(session->source_path);
    if (*c++ != ':') return false;
    *line = strtol(c, &end, 10);
    if (*end != ':') return false;
    *column = strtol(end + 1, &end, 10);
    return *end == '\0' && *line > 0 && *column > 0;
}

static const char *line_at(const char *text, long line) {
    while (--line > 0 && text) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    return text;
}

void note_excerpt(Session *session, const char *place) {
    long line, column;
    if (!read_place(session, place, &line, &column)) return;
    const char *text = line_at(session->source_text, line);
    if (!text) return;
    size_t length = strcspn(text, "\r\n"), at = (size_t)column - 1;
    if (at > length) return;
    size_t start = at > WIDTH / 2 && length > WIDTH ? at - WIDTH / 2 : 0;
    if (length - start > WIDTH) length = start + WIDTH;
    char *shown = arena_string_of(session->arena, text + start, length - start);
    for (char *c = shown; *c; c++)
        if (*c == '\t') *c = ' ';
    note(session->diagnostics, "%s\n%*s^", string_printable(session->arena, shown, 4 * WIDTH),
         (int)(at - start), "");
}
