/* From the names of a synthesized design back to the SystemVerilog.
 *
 * Yosys flattens the design and names a cell after the path of instances to the signal that it
 * drives, with its own kind behind that: design.float_add.larger_LUT4_Z. The top's SystemVerilog
 * has a heading
 * `// ---- title ----` in front of the signals of each nest, and one instance per unit and memory.
 */
#include "fpga/fpga.h"

#include <string.h>

#include "base/vector.h"

typedef struct NamedPart {
    const char *name; /* of a signal or instance of the top */
    const char *part; /* what it belongs to or is */
} NamedPart;

struct Names {
    Arena *arena;
    const Device *device;
    Vector(NamedPart) parts;
};

enum { SOURCE_LIMIT = 1 << 28 };
static const char identifier[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* --- the SystemVerilog --- */

/* The identifier behind type and range: of `logic [8:0]   add_k;` add_k. */
static const char *declared_name(Arena *arena, const char *rest) {
    rest += strspn(rest, " ");
    if (*rest == '[') rest += strcspn(rest, "]") + 1;
    rest += strspn(rest, " ");
    size_t length = strspn(rest, identifier);
    return length ? arena_string_of(arena, rest, length) : NULL;
}

/* The last identifier before the bracket that ends a line: of `) float_add (` float_add. */
static const char *instance_name(Arena *arena, const char *line) {
    size_t end = strlen(line);
    while (end && strchr(" (", line[end - 1])) end--;
    size_t start = end;
    while (start && strchr(identifier, line[start - 1])) start--;
    return end > start ? arena_string_of(arena, line + start, end - start) : NULL;
}

static void add_part(Names *names, const char *name, const char *part) {
    if (name) vector_push(names->arena, &names->parts, (NamedPart){name, part});
}

/* One line of the top's source; `*section` is the title that is in force, `*unit` the module of an
 * instance whose name is still to come. */
static void read_line(Names *names, const char *line, const char **section, const char **unit) {
    static const char heading[] = "// ---- ", end[] = " ----";
    Arena *arena = names->arena;
    line += strspn(line, " ");
    if (string_starts(line, heading)) {
        const char *title = line + strlen(heading), *stop = strstr(title, end);
        *section = arena_string_of(arena, title, stop ? (size_t)(stop - title) : strlen(title));
    } else if (string_starts(line, "logic ")) {
        add_part(names, declared_name(arena, line + 6), *section);
    } else if (string_starts(line, "input ") || string_starts(line, "output ")) {
        const char *type = strstr(line, "wire");
        if (type) add_part(names, declared_name(arena, type + 4), "port");
    } else if (string_starts(line, "tepal_")) {
        *unit = arena_string_of(arena, line, strspn(line, identifier));
    }
    if (*unit && string_ends(line, "(") && !string_ends(line, "#(")) {
        add_part(names, instance_name(arena, line), *unit);
        *unit = NULL;
    }
}

Names *names_read(Synthesis *synthesis) {
    const Design *design = &synthesis->design;
    Names *names = arena_new_of(synthesis->arena, Names);
    names->arena = synthesis->arena;
    names->device = synthesis->device;
    const char *file = string_format(synthesis->arena, "%s/%s", design->path,
                                     design->files[design->file_count - 1]);
    char *text;
    if (!file_read(synthesis->arena, synthesis->diagnostics, file, SOURCE_LIMIT, &text, NULL))
        return NULL;
    const char *section = NULL, *unit = NULL;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool last = line[length] == '\0';
        line[length] = '\0';
        read_line(names, line, &section, &unit);
        line += length + (last ? 0 : 1);
    }
    return names;
}

/* --- what a name means --- */

static const char *part_of(const Names *names, const char *name) {
    for (int i = 0; i < names->parts.count; i++)
        if (strcmp(names->parts.items[i].name, name) == 0) return names->parts.items[i].part;
    return NULL;
}

/* Where the kind of cell begins that Yosys put behind a name. */
static size_t length_without_kind(const Names *names, const char *name) {
    size_t length = strcspn(name, "[$");
    for (const CellKind *kind = names->device->cells; kind->cell; kind++) {
        const char *found = strstr(name, string_format(names->arena, "_%s", kind->cell));
        if (found && (size_t)(found - name) < length) length = (size_t)(found - name);
    }
    return length;
}

PathEnd names_find(const Names *names, const char *cell, const char *name) {
    Arena *arena = names->arena;
    PathEnd end = {.cell = arena_string(arena, cell)};
    const char *from = name ? name : cell;
    const char *inside = string_format(arena, "%s.", shell_instance);
    if (!string_starts(from, inside)) {
        end.signal = arena_string_of(arena, from, length_without_kind(names, from));
        end.part = "port of the host";
        return end;
    }
    from += strlen(inside);
    end.signal = arena_string_of(arena, from, length_without_kind(names, from));
    end.part = part_of(names, arena_string_of(arena, end.signal, strcspn(end.signal, ".")));
    return end;
}
