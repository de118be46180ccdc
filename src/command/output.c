/* The folder of a built design. It is made beside its place under another name and moved there when
 * it is whole, so that a failed build leaves nothing and a repeated one never a mixture. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/paths.h"
#include "base/process.h"
#include "base/vector.h"
#include "command/files.h"

/* Marks a folder as ours to replace. */
static const char marker[] = ".tepal";

bool compile_may_write(Diagnostics *diagnostics, const char *folder) {
    struct stat status;
    if (lstat(folder, &status)) {
        if (errno == ENOENT) return true;
        return error_at(diagnostics, STATUS_TOOL, folder, "%s", strerror(errno));
    }
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, marker);
    bool ours = S_ISDIR(status.st_mode) && length > 0 && (size_t)length < sizeof path &&
                !access(path, F_OK);
    return ours ||
           error_at(diagnostics, STATUS_INPUT, folder,
                    "exists and was not made by tepal build; it is left as it is. Remove it, "
                    "or choose another folder with -o");
}

static bool write_text(Compilation *c, const char *folder, const char *name, const Text *text) {
    const char *path = string_format(c->arena, "%s/%s", folder, name);
    return file_write(c->diagnostics, path, text_string(text), text->length);
}

static bool write_string(Compilation *c, const char *folder, const char *name, const char *string) {
    const char *path = string_format(c->arena, "%s/%s", folder, name);
    return file_write(c->diagnostics, path, string, strlen(string));
}

static bool write_files(Compilation *c, const char *folder, const char *suffix) {
    DesignFiles files = design_files(c);
    for (int i = 0; i < files.count; i++) {
        const DesignFile *file = &files.items[i];
        const char *path = string_format(c->arena, "%s/%s", folder, file->name);
        if (string_ends(file->name, suffix) &&
            !file_write(c->diagnostics, path, file->text, file->length))
            return false;
    }
    return true;
}

bool compile_write_images(Compilation *c, const char *folder) {
    return write_files(c, folder, ".hex");
}

typedef Vector(const char *) Names;

static void add_name(Arena *arena, Names *names, const char *name) {
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->items[i], name)) return;
    vector_push(arena, names, name);
}

/* True if a line comment begins between the start of the line and `at`. */
static bool in_comment(const char *source, const char *at) {
    for (; at > source && at[-1] != '\n'; at--)
        if (at[0] == '/' && at[-1] == '/') return true;
    return false;
}

/* Adds the modules of the library that a source file of it instantiates. */
static void add_used(Arena *arena, const char *library, const char *source, Names *names) {
    static const char prefix[] = "tepal_";
    for (const char *at = source; (at = strstr(at, prefix));) {
        bool comment = in_comment(source, at);
        at += strlen(prefix);
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        const char *name = arena_string_of(arena, at, length);
        if (!comment && !access(string_format(arena, "%s/%s.sv", library, name), R_OK))
            add_name(arena, names, name);
    }
}

bool compile_hardware(Compilation *c, HardwareFiles *files) {
    const char *library = hardware_folder(c->arena);
    if (!library)
        return error_at(
            c->diagnostics, STATUS_TOOL, "hardware",
            "Tepal's SystemVerilog library is not found; set TEPAL_HARDWARE to its folder");
    const char **used;
    int count = rtl_hardware_modules(c->netlist, c->arena, &used);
    Names names = {0};
    for (int i = 0; i < count; i++) add_name(c->arena, &names, used[i]);
    for (int i = 0; i < names.count; i++) { /* grows as files name further modules */
        char *bytes;
        size_t length;
        const char *source = string_format(c->arena, "%s/%s.sv", library, names.items[i]);
        if (!file_read(c->arena, c->diagnostics, source, (size_t)1 << 22, &bytes, &length))
            return false;
        vector_push(c->arena, files, ((HardwareFile){names.items[i], bytes, length}));
        add_used(c->arena, library, bytes, &names);
    }
    return true;
}

/* Copies the modules of hardware/ that the design uses, and lists all Verilog files in files.f. */
static bool write_hardware(Compilation *c, const char *folder) {
    HardwareFiles files = {0};
    if (!compile_hardware(c, &files) ||
        !make_folders(c->diagnostics, string_format(c->arena, "%s/hardware", folder)))
        return false;
    Text list = text_new(c->arena);
    for (int i = 0; i < files.count; i++) {
        const HardwareFile *file = &files.items[i];
        const char *copy = string_format(c->arena, "hardware/%s.sv", file->name);
        if (!file_write(c->diagnostics, string_format(c->arena, "%s/%s", folder, copy), file->text,
                        file->length))
            return false;
        text_printf(&list, "%s\n", copy);
    }
    text_printf(&list, "%s.sv\n", c->model.name);
    return write_text(c, folder, "files.f", &list);
}

static bool write_all(Compilation *c, const char *folder) {
    Text sv = text_new(c->arena);
    netlist_print_systemverilog(c->netlist, &sv);
    const char *name = c->model.name;
    return write_string(c, folder, marker, "made by tepal build\n") &&
           write_text(c, folder, string_format(c->arena, "%s.sv", name), &sv) &&
           write_files(c, folder, "") && write_hardware(c, folder);
}

/* Without these `tepal sim` has nothing to go by. */
static bool has_files(Compilation *c) {
    if (c->first == STAGE_LINALG) return true;
    for (int i = 0; i < c->files.count; i++)
        if (!strcmp(c->files.items[i].name, "interface.json")) return true;
    return error_at(
        c->diagnostics, STATUS_INPUT, c->options->model,
        "the text does not say what the tensors are: its module has no tepal.files with "
        "interface.json, as 'tepal opt --mlir-print-op-generic' prints it");
}

/* Moves the finished folder to its place, an older one of ours out of the way. */
static bool move_into_place(Compilation *c, const char *made, const char *folder) {
    const char *old = string_format(c->arena, "%s.old", made);
    bool replaced = rename(folder, old) == 0;
    if (!replaced && errno != ENOENT)
        return error_at(c->diagnostics, STATUS_TOOL, folder, "cannot be replaced: %s",
                        strerror(errno));
    if (rename(made, folder)) {
        int cause = errno;
        if (replaced) rename(old, folder);
        return error_at(c->diagnostics, STATUS_TOOL, folder, "cannot be made: %s", strerror(cause));
    }
    if (replaced) remove_tree(old);
    return true;
}

bool compile_write(Compilation *c, const char *folder) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    folder = arena_string_of(c->arena, folder, length);
    const char *made = string_format(c->arena, "%s.%ld.partial", folder, (long)getpid());
    double start = seconds_now();
    cleanup_register(made);
    bool done = has_files(c) && make_folders(c->diagnostics, made) && write_all(c, made) &&
                compile_may_write(c->diagnostics, folder) && move_into_place(c, made, folder);
    if (!done) remove_tree(made);
    cleanup_forget(made);
    c->times[c->time_count++] = (StageTime){"sv", seconds_now() - start};
    return done;
}
