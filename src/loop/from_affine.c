/* program_from_affine: from the stage `affine` to the loop-nest IR. */
#include "loop/from_affine.h"

#include <string.h>

static MlirOperation find_entry(Session *session, const Model *model) {
    MlirOperation none = {NULL};
    MlirBlock body = mlirModuleGetBody(model->module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (!op_is(op, "func.func")) continue;
        char *name = string_of_attribute(session->arena, op_attribute(op, "sym_name"));
        if (name && strcmp(name, model->entry) == 0) return op;
    }
    return none;
}

static Importer start(Session *session, const Model *model, MlirOperation entry) {
    Importer importer = {.session = session,
                         .arena = session->arena,
                         .diagnostics = session->diagnostics,
                         .model = model,
                         .data.values.arena = session->arena,
                         .entry = entry};
    importer.program = arena_new_of(session->arena, Program);
    importer.program->arena = session->arena;
    importer.program->name = string_identifier(session->arena, model->name);
    importer.program->root = node_new(session->arena, NODE_SEQUENCE);
    importer.sequence = importer.program->root;
    importer.memory_names = names_new(session->arena);
    return importer;
}

enum { MOST_SURVEYS = 8 };

/* Walks without building, until no loop has to be split any more: a split can show further
 * quotients. */
static void find_splits(Importer *importer) {
    for (int i = 0; i < MOST_SURVEYS; i++) {
        Importer round = start(importer->session, importer->model, importer->entry);
        round.survey = true;
        round.splits.items = importer->splits.items;
        round.splits.count = importer->splits.count;
        round.splits.capacity = importer->splits.capacity;
        walk_block(&round, op_body(importer->entry));
        importer->splits.items = round.splits.items;
        importer->splits.count = round.splits.count;
        importer->splits.capacity = round.splits.capacity;
        if (round.refused || !round.found_split) return;
    }
}

Program *program_from_affine(Session *session, const Model *model) {
    MlirOperation entry = find_entry(session, model);
    if (mlirOperationIsNull(entry) || mlirBlockIsNull(op_body(entry))) {
        error_at(session->diagnostics, STATUS_INTERNAL, NULL, "the module has no function %s",
                 model->entry);
        return NULL;
    }
    Importer importer = start(session, model, entry);
    find_splits(&importer);
    if (diagnostics_failed(session->diagnostics)) return NULL;
    if (!add_arguments(&importer)) return NULL;
    number_operations(&importer);
    walk_block(&importer, op_body(entry));
    close_piece(&importer);
    if (importer.refused || diagnostics_failed(session->diagnostics)) return NULL;
    LoopOptions options = {.parallel = 1};
    if (!pass_perfect(importer.program, &options, session->diagnostics)) return NULL;
    name_program(&importer);
    importer.program->macs = program_macs(importer.program);
    if (!program_check(importer.program, session->diagnostics, "from_affine")) return NULL;
    return importer.program;
}
