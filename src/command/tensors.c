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

TepalStrings tensors_of_run(const TepalStrings *files, int count, int run) {
    TepalStrings part = *files;
    if (files->count >= (run + 1) * count) {
        part.items += run * count;
        part.count = files->count - run * count;
    }
    if (tensors_runs(files, count) > 1) part.count = count;
    return part;
}

int tensors_runs(const TepalStrings *files, int count) {
    return count > 0 && files->count > count && files->count % count == 0 ? files->count / count
                                                                          : 1;
}

void states_begin(Arena *arena, const Model *model, Tensor *inputs) {
    for (int i = model->input_count - model->state_count; i < model->input_count; i++) {
        inputs[i] = model->inputs[i];
        inputs[i].data = arena_array(arena, inputs[i].elements + 1, scalar_bytes(inputs[i].type));
    }
}

void states_pass(const Model *model, const Tensor *outputs, Tensor *inputs) {
    for (int i = model->state_count; i > 0; i--)
        inputs[model->input_count - i].data = outputs[model->output_count - i].data;
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
