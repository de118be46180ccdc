/* tepal_run: executes a model on the CPU reference and compares or shows what comes out. */
#include <stdio.h>
#include "base/process.h"
#include "command/shapes.h"
#include "command/tensors.h"
#include "mlir/lower.h"
#include "mlir/reference.h"
#include "simulate/compare.h"

static const double time_limit = 3600;

typedef struct Run {
    Arena *arena;
    Diagnostics *diagnostics;
    const TepalRunOptions *options;
    Session *session;
    Model model;
    Tensor *inputs, *outputs;
} Run;

static bool load(Run *run) {
    const TepalRunOptions *options = run->options;
    FixedShape *shapes;
    return shapes_parse(run->arena, run->diagnostics, &options->shapes, &shapes) &&
           import_model(run->session, options->model, options->top, options->shapes.count, shapes,
                        &run->model) &&
           lower_to_total(run->session, &run->model);
}

static bool make_inputs(Run *run) {
    const Model *model = &run->model;
    int count = model->input_count;
    run->inputs = arena_array(run->arena, (size_t)count + 1, sizeof(Tensor));
    run->outputs = arena_array(run->arena, (size_t)model->output_count + 1, sizeof(Tensor));
    if (run->options->inputs.count)
        return tensors_read(run->arena, run->diagnostics, "input", &run->options->inputs, count,
                            model->inputs, run->inputs);
    uint64_t state = (uint64_t)run->options->seed;
    tensors_draw(run->arena, count, model->inputs, model_index_limits(run->session, model), &state,
                 run->inputs);
    return true;
}

/* Name and first elements of each output. */
static void show_outputs(Run *run, Text *text) {
    for (int i = 0; i < run->model.output_count; i++) {
        const Tensor *output = &run->outputs[i];
        enum { SHOWN = 16 };
        text_printf(text, "%s:", output->name);
        for (size_t k = 0; k < output->elements && k < SHOWN; k++)
            text_printf(text, " %s", tensor_element(run->arena, output, k));
        text_printf(text, "%s (%zu elements)\n", output->elements > SHOWN ? " ..." : "",
                    output->elements);
    }
}

static bool report(Run *run) {
    const TepalRunOptions *options = run->options;
    int count = run->model.output_count;
    if (options->output &&
        !tensors_write(run->arena, run->diagnostics, options->output, count, run->outputs))
        return false;
    Text text = text_new(run->arena);
    bool equal = true;
    if (options->expected.count) {
        Tensor *expected = arena_array(run->arena, (size_t)count + 1, sizeof(Tensor));
        if (!tensors_read(run->arena, run->diagnostics, "expect", &options->expected, count,
                          run->model.outputs, expected))
            return false;
        equal = tensors_check(run->arena, &text, count, expected, run->outputs, options->rtol,
                              options->atol);
    } else if (!options->output) {
        show_outputs(run, &text);
    }
    fputs(text_string(&text), stdout);
    return equal || error_at(run->diagnostics, STATUS_DIFFERENT, options->model,
                             "the outputs differ from what was expected");
}

int tepal_run(const TepalRunOptions *options) {
    Run run = {.arena = arena_new(), .options = options};
    run.diagnostics = diagnostics_new(run.arena);
    run.session = session_new(run.arena, run.diagnostics);
    bool done = load(&run) && make_inputs(&run) &&
                reference_run(run.session, &run.model, run.inputs, run.outputs, time_limit) &&
                report(&run);
    diagnostics_print(run.diagnostics, stderr);
    Status status = diagnostics_status(run.diagnostics);
    if (!done && status == STATUS_DONE) status = STATUS_INTERNAL;
    session_free(run.session);
    arena_free(run.arena);
    return (int)status;
}
