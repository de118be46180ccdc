/* Opens a folder that `tepal build` made. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "simulate/design.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "import/json.h"

enum { LIST_LIMIT = 1 << 20, REPORT_LIMIT = 1 << 26, SOURCE_LIMIT = 1 << 28 };

char *design_path(Arena *arena, const Design *design, const char *name) {
    return string_format(arena, "%s/%s", design->folder, name);
}

static bool folder_found(Arena *arena, Diagnostics *diagnostics, Design *design) {
    struct stat status;
    char *path = realpath(design->folder, NULL);
    if (!path)
        return error_at(diagnostics, STATUS_INPUT, design->folder, "cannot open the design: %s",
                        strerror(errno));
    design->path = arena_string(arena, path);
    free(path);
    if (stat(design->path, &status) != 0 || !S_ISDIR(status.st_mode))
        return error_at(diagnostics, STATUS_INPUT, design->folder,
                        "is not a folder: sim takes the folder that tepal build -o made");
    if (access(design_path(arena, design, "interface.json"), F_OK) != 0)
        return error_at(diagnostics, STATUS_INPUT, design->folder,
                        "is not the folder of a design: it has no interface.json");
    return true;
}

/* A file that `list` names must be in the folder. */
static bool file_found(Arena *arena, Diagnostics *diagnostics, const Design *design,
                       const char *list, const char *name) {
    const char *path = design_path(arena, design, name);
    if (access(path, R_OK) == 0) return true;
    return error_at(diagnostics, STATUS_INPUT, path, "the design's file is missing (%s names it)",
                    list);
}

/* Checks the images of memories that a Verilog file names: every "NAME.hex". */
static bool images_found(Arena *arena, Diagnostics *diagnostics, const Design *design,
                         const char *file) {
    char *text;
    if (!file_read(arena, diagnostics, design_path(arena, design, file), SOURCE_LIMIT, &text, NULL))
        return false;
    bool found = true;
    for (char *end = text; (end = strstr(end, ".hex\"")); end++) {
        char *start = end;
        while (start > text && start[-1] != '"' && start[-1] != '\n') start--;
        const char *name = arena_string_of(arena, start, (size_t)(end - start) + 4);
        bool comment = start == text || start[-1] != '"';
        if (!comment && strcmp(name, "image.hex") != 0) /* the default of tepal_rom */
            found = file_found(arena, diagnostics, design, file, name) && found;
    }
    return found;
}

/* One line of files.f: a path in the folder. What might be an option of a tool is none. */
static bool add_file(Arena *arena, Diagnostics *diagnostics, Design *design, const char *name) {
    const char *list = design_path(arena, design, "files.f");
    if (*name == '-' || *name == '+' || *name == '/' || strstr(name, ".."))
        return error_at(diagnostics, STATUS_INPUT, list, "not a file of the design: %s",
                        string_printable(arena, name, 100));
    if (!file_found(arena, diagnostics, design, "files.f", name) ||
        !images_found(arena, diagnostics, design, name))
        return false;
    design->files[design->file_count++] = name;
    return true;
}

static bool read_files(Arena *arena, Diagnostics *diagnostics, Design *design) {
    char *text;
    size_t length;
    const char *list = design_path(arena, design, "files.f");
    if (!file_read(arena, diagnostics, list, LIST_LIMIT, &text, &length)) return false;
    design->files = arena_array(arena, length / 2 + 1, sizeof *design->files);
    bool ok = true;
    for (char *line = text; *line;) {
        size_t size = strcspn(line, "\r\n");
        const char *name = arena_string_of(arena, line, size);
        if (size > 0 && *name != '#' && !string_starts(name, "//"))
            ok = add_file(arena, diagnostics, design, name) && ok;
        line += size + strspn(line + size, "\r\n");
    }
    if (ok && design->file_count == 0)
        return error_at(diagnostics, STATUS_INPUT, list, "names no file");
    return ok;
}

static bool read_report(Arena *arena, Diagnostics *diagnostics, Design *design) {
    char *text;
    size_t length;
    const char *path = design_path(arena, design, "report.json");
    if (!file_read(arena, diagnostics, path, REPORT_LIMIT, &text, &length)) return false;
    JsonReader reader = {arena, diagnostics, path, NULL};
    json_t *root = json_document(&reader, text, length);
    if (!root) return false;
    json_t *cycles = json_object_get(root, "cycles");
    bool known = json_is_integer(cycles) && json_integer_value(cycles) >= 0 &&
                 !json_is_false(json_object_get(root, "cycles_exact"));
    design->predicted_cycles = known ? json_integer_value(cycles) : -1;
    design->parallel = json_integer_value(json_object_get(root, "parallel"));
    design->clock = json_number_value(json_object_get(root, "clock_mhz"));
    const char *target = json_string_value(json_object_get(root, "target"));
    design->target = target ? arena_string_of(arena, target, strlen(target)) : NULL;
    json_decref(root);
    return true;
}

bool design_open(Arena *arena, Diagnostics *diagnostics, const char *folder, Design *design) {
    *design = (Design){.folder = folder, .predicted_cycles = -1};
    if (!folder_found(arena, diagnostics, design) ||
        !interface_read(arena, diagnostics, design_path(arena, design, "interface.json"),
                        &design->interface))
        return false;
    const char *name = string_format(arena, "%s.linalg.mlir", design->interface.top);
    design->reference = design_path(arena, design, name);
    bool files = read_files(arena, diagnostics, design);
    bool reference = file_found(arena, diagnostics, design, "interface.json", name);
    return files && reference && read_report(arena, diagnostics, design);
}

bool design_write(Arena *arena, Diagnostics *diagnostics, const Design *design, const char *name,
                  const Text *text) {
    const char *path = design_path(arena, design, name);
    const char *partial = string_format(arena, "%s.%ld.partial", path, (long)getpid());
    cleanup_register(partial);
    bool ok = file_write(diagnostics, partial, text_string(text), text->length);
    if (ok && rename(partial, path) != 0) {
        ok = error_at(diagnostics, STATUS_TOOL, path, "cannot be written: %s", strerror(errno));
        remove_tree(partial);
    }
    cleanup_forget(partial);
    return ok;
}
