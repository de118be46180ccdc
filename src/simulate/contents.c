/* Reads what the memories of a design hold at the end of a simulation. */
#include "simulate/contents.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const size_t file_limit = (size_t)1 << 30;

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* Lines that are no word: comments, and addresses. */
static bool is_word(const char *line) {
    return *line && !strchr("/@\r\n", *line);
}

static Contents parse(Arena *arena, const char *name, const char *text) {
    size_t most = count_lines(text) + 1;
    uint64_t *words = arena_array(arena, most, sizeof *words);
    bool *undefined = arena_array(arena, most, sizeof *undefined);
    Contents contents = {name, 0, words, undefined};
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (is_word(line)) {
            char *end;
            words[contents.count] = strtoull(line, &end, 16);
            undefined[contents.count++] = strchr("xXzZ", *end) && *end;
        }
        line += length + (line[length] == '\n');
    }
    return contents;
}

bool contents_read(Arena *arena, Diagnostics *diagnostics, const char *folder, ContentsList *list) {
    DIR *stream = opendir(folder);
    if (!stream)
        return error_at(diagnostics, STATUS_TOOL, folder, "cannot be read: %s", strerror(errno));
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(stream));) {
        if (*entry->d_name == '.') continue;
        char *text, *path = string_format(arena, "%s/%s", folder, entry->d_name);
        const char *dot = strrchr(path, '.');
        ok = file_read(arena, diagnostics, path, file_limit, &text, NULL);
        if (ok && dot) vector_push(arena, list, parse(arena, dot + 1, text));
    }
    closedir(stream);
    return ok;
}

const Contents *contents_find(const ContentsList *list, const char *name) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0) return &list->items[i];
    return NULL;
}
