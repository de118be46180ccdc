/* tepal_info: what a model is made of. */
#include <stdio.h>

#include "command/shapes.h"
#include "import/import.h"
#include "loop/passes.h"
#include "mlir/lower.h"
#include "report/report.h"
#include "tepal/tepal.h"

/* Reads the model and appends its description. MACs and memory come from the loop nests. */
static bool describe(const TepalInfoOptions *options, Session *session, Text *text) {
    Model model = {0};
    FixedShape *shapes;
    if (!shapes_parse(session->arena, session->diagnostics, &options->shapes, &shapes))
        return false;
    if (!import_model(session, options->model, options->top, options->shapes.count, shapes, &model))
        return false;
    OpCounts operations = model_operations(&model, session->arena);
    if (!lower_to_total(session, &model) || !lower_to_affine(session, &model)) return false;
    const Program *program = program_from_affine(session, &model);
    if (!program) return false;
    report_model(&model, &operations, program, text);
    return true;
}

/* A line for each row of the importer's table: name and schema. */
static int list_operations(void) {
    Arena *arena = arena_new();
    Text text = text_new(arena);
    import_operations(arena, &text);
    fputs(text_string(&text), stdout);
    arena_free(arena);
    return STATUS_DONE;
}

int tepal_info(const TepalInfoOptions *options) {
    if (options->operations) return list_operations();
    Arena *arena = arena_new();
    Diagnostics *diagnostics = diagnostics_new(arena);
    Session *session = session_new(arena, diagnostics);
    Text text = text_new(arena);
    if (session && describe(options, session, &text)) fputs(text_string(&text), stdout);
    diagnostics_print(diagnostics, stderr);
    Status status = diagnostics_status(diagnostics);
    if (session) session_free(session);
    arena_free(arena);
    return (int)status;
}
