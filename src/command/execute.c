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
    int run_count;
    Tensor **inputs, **outputs; /* of each run */
} Run;

static bool load(Run *run) {
    const TepalRunOptions *options = run->options;
    FixedShape *shapes;
    return shapes_parse(run->arena, run->diagnostics, &options->shapes, &shapes) &&
           import_model(run->session, options->model, options->top, options->shapes.count, shapes,
                        &run->model) &&
           lower_to_total(run->session, &run->model);
}

/* Files for several runs are run one after the other; a model may keep something between them. */
static bool make_inputs(Run *run) {
    const Model *model = &run->model;
    const TepalStrings *files = &run->options->inputs;
    int count = model->input_count - model->state_count;
    size_t room = (size_t)model->input_count + 1;
    uint64_t state = (uint64_t)run->options->seed;
    run->run_count = tensors_runs(files, count);
    run->inputs = arena_array(run->arena, (size_t)run->run_count, sizeof *run->inputs);
    for (int i = 0; i < run->run_count; i++) {
        TepalStrings part = tensors_of_run(files, count, i);
        run->inputs[i] = arena_array(run->arena, room, sizeof(Tensor));
        if (!files->count)
            tensors_draw(run->arena, count, model->inputs, model_index_limits(run->session, model),
                         &state, run->inputs[i]);
        else if (!tensors_read(run->arena, run->diagnostics, "input", &part, count, model->inputs,
                               run->inputs[i]))
            return false;
    }
    states_begin(run->arena, model, run->inputs[0]);
    return true;
}

static bool execute(Run *run) {
    const Model *model = &run->model;
    run->outputs = arena_array(run->arena, (size_t)run->run_count, sizeof *run->outputs);
    for (int i = 0; i < run->run_count; i++) {
        run->outputs[i] = arena_array(run->arena, (size_t)model->output_count + 1, sizeof(Tensor));
        if (i > 0) states_begin(run->arena, model, run->inputs[i]);
        if (i > 0) states_pass(model, run->outputs[i - 1], run->inputs[i]);
        if (!reference_run(run->session, model, run->inputs[i], run->outputs[i], time_limit))
            return false;
    }
    return true;
}

/* Name and first elements of each output. */
static void show_outputs(Run *run, Text *text) {
    const Model *model = &run->model;
    for (int i = 0; i < model->output_count - model->state_count; i++) {
        const Tensor *output = &run->outputs[run->run_count - 1][i];
        enum { SHOWN = 16 };
        text_printf(text, "%s:", output->name);
        for (size_t k = 0; k < output->elements && k < SHOWN; k++)
            text_printf(text, " %s", tensor_element(run->arena, output, k));
        text_printf(text, "%s (%zu elements)\n", output->elements > SHOWN ? " ..." : "",
                    output->elements);
    }
}

/* Compares each run with the files that are for it. */
static bool compare(Run *run, Text *text, bool *equal) {
    const TepalStrings *files = &run->options->expected;
    int count = run->model.output_count - run->model.state_count;
    int runs = tensors_runs(files, count);
    if (runs > run->run_count)
        return error_at(run->diagnostics, STATUS_USAGE, NULL,
                        "--expect: files for %d runs, but inputs for %d", runs, run->run_count);
    for (int i = 0; i < runs; i++) {
        TepalStrings part = tensors_of_run(files, count, i);
        Tensor *expected = arena_array(run->arena, (size_t)count + 1, sizeof(Tensor));
        if (!tensors_read(run->arena, run->diagnostics, "expect", &part, count, run->model.outputs,
                          expected))
            return false;
        *equal &= tensors_check(run->arena, text, count, expected, run->outputs[i],
                                run->options->rtol, run->options->atol);
    }
    return true;
}

static bool report(Run *run) {
    const TepalRunOptions *options = run->options;
    int count = run->model.output_count - run->model.state_count;
    if (options->output && !tensors_write(run->arena, run->diagnostics, options->output, count,
                                          run->outputs[run->run_count - 1]))
        return false;
    Text text = text_new(run->arena);
    bool equal = true;
    if (options->expected.count) {
        if (!compare(run, &text, &equal)) return false;
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
    bool done = load(&run) && make_inputs(&run) && execute(&run) && report(&run);
    diagnostics_print(run.diagnostics, stderr);
    Status status = diagnostics_status(run.diagnostics);
    if (!done && status == STATUS_DONE) status = STATUS_INTERNAL;
    session_free(run.session);
    arena_free(run.arena);
    return (int)status;
}
