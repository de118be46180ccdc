/* A model file -> a module at the stage `linalg`. */
#include "import/import.h"
#include <string.h>
#include <sys/stat.h>
#include "import/operations.h"
#include "import/json.h"
#include "mlir/circt.h"

static const size_t max_file_bytes = (size_t)4 << 30;
static const uint64_t max_program_bytes = UINT64_C(64) << 20;

/* mlp for dir/mlp.core.pt2 */
static const char *model_name(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return string_identifier(arena, arena_string_of(arena, name, strcspn(name, ".")));
}

/* --- archives of torch.export --------------------------------------------------------------- */

/* The text of a small entry without the blanks at its end. */
static bool read_word(Import *import, const char *entry, const char **word) {
    const char *bytes;
    size_t length;
    if (!archive_read(import->weights.archive, entry, 64, &bytes, &length)) return false;
    *word = arena_string_of(import->arena, bytes, strcspn(bytes, " \r\n"));
    return true;
}

static bool check_word(Import *import, const char *entry, const char *wanted, const char *fault) {
    const char *word;
    if (!read_word(import, entry, &word)) return false;
    if (strcmp(word, wanted) == 0) return true;
    return error_at(import->diagnostics, STATUS_INPUT,
                    archive_place(import->weights.archive, entry), fault,
                    string_printable(import->arena, word, 64));
}

/* The name of the only models/NAME.json. */
static bool find_model(Import *import, const char **model) {
    Archive *archive = import->weights.archive;
    static const char folder[] = "models/", suffix[] = ".json";
    *model = NULL;
    for (int i = 0; i < archive_count(archive); i++) {
        const char *name = archive_name(archive, i);
        if (!string_starts(name, folder) || !string_ends(name, suffix)) continue;
        if (*model) {
            return error_at(import->diagnostics, STATUS_INPUT, import->path,
                            "the archive holds several models (models/%s.json, %s): save one model "
                            "in a file",
                            *model, name);
        }
        size_t length = strlen(name) - strlen(folder) - strlen(suffix);
        *model = arena_string_of(import->arena, name + strlen(folder), length);
    }
    if (*model) return true;
    const char *hint = archive_has(archive, "data.pkl")
                           ? ": this looks like a file of torch.save or TorchScript; use "
                             "torch.export.export and torch.export.save"
                           : "";
    return error_at(import->diagnostics, STATUS_INPUT, import->path,
                    "models/*.json is missing: the archive holds no program%s", hint);
}

/* Checks the small entries that say what the archive is, and finds the program. */
static bool find_program(Import *import, const char **entry) {
    Archive *archive = import->weights.archive;
    static const char old[] = "serialized_exported_program.json";
    if (archive_has(archive, old)) {
        *entry = old;
        return true;
    }
    if (!find_model(import, &import->weights.model)) return false;
    *entry = string_format(import->arena, "models/%s.json", import->weights.model);
    if (!check_word(import, "archive_format", "pt2", "the format is '%s': not a pt2 archive") ||
        !check_word(import, "archive_version", "0", "unknown archive version %s")) {
        return false;
    }
    if (!archive_has(archive, "byteorder")) return true;
    return check_word(import, "byteorder", "little",
                      "weights in %s-endian order are not supported");
}

static bool read_program(Import *import, int shape_count, const FixedShape *shapes) {
    Archive *archive = import->weights.archive;
    const char *entry, *bytes;
    size_t length;
    if (!find_program(import, &entry)) return false;
    if (!archive_read(archive, entry, max_program_bytes, &bytes, &length)) return false;
    const char *place = archive_place(archive, entry);
    JsonReader reader = {import->arena, import->diagnostics, place, NULL};
    json_t *document = json_document(&reader, bytes, length);
    if (!document) return false;
    bool done = program_read(import->arena, import->diagnostics, place, document, shape_count,
                             shapes, &import->program);
    json_decref(document);
    return done;
}

static MlirModule import_archive(Session *session, const char *path, const char *bytes,
                                 size_t length, int shape_count, const FixedShape *shapes) {
    MlirModule module = {NULL};
    Import *import = arena_new_of(session->arena, Import);
    *import = (Import){.session = session,
                       .arena = session->arena,
                       .diagnostics = session->diagnostics,
                       .path = path};
    import->weights = (Weights){.arena = session->arena, .diagnostics = session->diagnostics};
    import->weights.archive =
        archive_open(session->arena, session->diagnostics, path, bytes, length);
    if (!import->weights.archive) return module;
    if (read_program(import, shape_count, shapes) && weights_open(&import->weights)) {
        module = forward_build(import);
    }
    weights_close(&import->weights);
    archive_close(import->weights.archive);
    return module;
}

/* --- any file ------------------------------------------------------------------------------- */

static bool check_file(Session *session, const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return error_at(session->diagnostics, STATUS_INPUT, path,
                        "is a directory, expected a model file (.pt2 or .mlir)");
    }
    return true;
}

static bool is_archive(const char *bytes, size_t length) {
    return length >= 4 && memcmp(bytes, "PK", 2) == 0;
}

bool import_stage(Session *session, const char *path, MlirModule *module) {
    char *bytes;
    size_t length;
    *module = (MlirModule){NULL};
    if (!check_file(session, path) ||
        !file_read(session->arena, session->diagnostics, path, max_file_bytes, &bytes, &length)) {
        return false;
    }
    if (is_archive(bytes, length) || !circt_is_generic(bytes)) return true;
    mlirContextSetAllowUnregisteredDialects(session->context, true);
    *module = session_parse(session, path, bytes, length);
    if (mlirModuleIsNull(*module) || circt_dialect(*module)) return !mlirModuleIsNull(*module);
    return error_at(session->diagnostics, STATUS_INPUT, path,
                    "components of Calyx and modules of hw must stand alone in their module");
}

bool import_model(Session *session, const char *path, const char *top, int shape_count,
                  const FixedShape *shapes, Model *model) {
    char *bytes;
    size_t length;
    *model = (Model){.name = model_name(session->arena, path)};
    if (!check_file(session, path) ||
        !file_read(session->arena, session->diagnostics, path, max_file_bytes, &bytes, &length)) {
        return false;
    }
    if (length == 0) {
        return error_at(session->diagnostics, STATUS_INPUT, path, "the file is empty");
    }
    bool is_zip = is_archive(bytes, length);
    if (!is_zip && string_ends(path, ".pt2")) {
        return error_at(session->diagnostics, STATUS_INPUT, path,
                        "not a zip archive: expected a file of torch.export.save");
    }
    if (is_zip) {
        model->module = import_archive(session, path, bytes, length, shape_count, shapes);
    } else {
        model->module = session_parse(session, path, bytes, length);
    }
    if (mlirModuleIsNull(model->module)) return false;
    return model_describe(session, model, top);
}
