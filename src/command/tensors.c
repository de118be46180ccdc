/* Tensors of a run; see tensors.h. */
#include "command/tensors.h"

#include "base/process.h"
#include "import/import.h"
#include "simulate/compare.h"
#include "simulate/inputs.h"

bool tensors_read(Arena *arena, Diagnostics *diagnostics, const char *option,
                  const TepalStrings *files, int count, const Tensor *types, Tensor *result) {
    if (files->count != count)
        return error_at(diagnostics, STATUS_USAGE, NULL, "--%s: %d %s given, but the model has %d",
                        option, files->count, files->count == 1 ? "file is" : "files are", count);
    for (int i = 0; i < count; i++)
        if (!npy_read(arena, diagnostics, files->items[i], &types[i], &result[i])) return false;
    return true;
}

void tensors_draw(Arena *arena, int count, const Tensor *types, const int64_t *limits,
                  uint64_t *state, Tensor *result) {
    for (int i = 0; i < count; i++) {
        result[i] = types[i];
        tensor_random_below(arena, &result[i], limits ? limits[i] : 0, state);
    }
}

const char **tensors_files(Arena *arena, int count, const Tensor *tensors) {
    const char **files = arena_array(arena, (size_t)count + 1, sizeof *files);
    NameSet *names = names_new(arena);
    for (int i = 0; i < count; i++)
        files[i] = string_format(arena, "%s.npy", names_unique(names, tensors[i].name));
    return files;
}

bool tensors_write(Arena *arena, Diagnostics *diagnostics, const char *folder, int count,
                   const Tensor *tensors) {
    if (!make_folders(diagnostics, folder)) return false;
    const char **files = tensors_files(arena, count, tensors);
    for (int i = 0; i < count; i++) {
        const char *path = string_format(arena, "%s/%s", folder, files[i]);
        if (!npy_write(arena, diagnostics, path, &tensors[i])) return false;
    }
    return true;
}

bool tensors_check(Arena *arena, Text *text, int count, const Tensor *expected,
                   const Tensor *actual, double rtol, double atol) {
    Comparison *comparisons = arena_array(arena, (size_t)count + 1, sizeof *comparisons);
    bool equal = true;
    for (int i = 0; i < count; i++) {
        comparisons[i] = tensor_compare(&expected[i], &actual[i], rtol, atol);
        equal = equal && comparisons[i].different == 0;
    }
    comparison_table(arena, text, count, expected, actual, comparisons);
    return equal;
}
