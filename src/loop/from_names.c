/* Names: of nests from the model's nodes, of memories from what writes them, of loops from what
 * they count. */
#include "loop/from_affine.h"

#include <string.h>

/* MLIR 19 shows locations only as text. A quoted string followed by ":LINE" is a file, others are
 * names; of several (a fusion) the first is the producer, which does the work. */
char *location_name(Arena *arena, MlirLocation location) {
    Text text = text_new(arena);
    mlirLocationPrint(location, append_piece, &text);
    for (const char *c = strchr(text_string(&text), '"'); c; c = strchr(c, '"')) {
        const char *end = strchr(c + 1, '"');
        if (!end) return NULL;
        if (end[1] != ':' && end > c + 1)
            return arena_string_of(arena, c + 1, (size_t)(end - c - 1));
        c = end + 1;
    }
    return NULL;
}

/* --- nests --- */

/* A nest without a name of the model is called after what it does. */
static const char *nest_kind(const Nest *nest) {
    int loads = 0, works = 0, reductions = 0;
    const char *work = "nest";
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        loads += operation->opcode == OP_LOAD;
        if (operation_is_access(operation) || operation->opcode == OP_CONSTANT ||
            operation->opcode == OP_INDEX)
            continue;
        works++;
        work = opcode_info[operation->opcode].text;
        reductions += operation->opcode == OP_FLOAT_MULTIPLY || operation->opcode == OP_MULTIPLY;
    }
    if (works == 0) return loads > 0 ? "copy" : "fill";
    if (reductions > 0 && works > 1) return "mac";
    return works == 1 ? work : "map";
}

static void name_nest(Nest *nest, void *context) {
    NameSet *names = context;
    nest->name = names_unique(names, nest->name ? nest->name : nest_kind(nest));
    if (!nest->location) nest->location = nest->name;
}

/* --- memories --- */

static void name_written(Nest *nest, void *context) {
    Importer *importer = context;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (operation->opcode != OP_STORE) continue;
        Memory *memory = &importer->program->memories.items[operation->memory];
        if (memory->kind == MEMORY_LOCAL && !memory->name) memory->name = nest->name;
    }
}

static void name_memories(Importer *importer) {
    Program *program = importer->program;
    program_each_nest(program, name_written, importer);
    for (int i = program->input_count + program->output_count; i < program->memories.count; i++) {
        Memory *memory = &program->memories.items[i];
        const char *name = memory->name ? memory->name : "local";
        if (string_starts(name, "__")) name += 2;
        memory->name = names_unique(importer->memory_names, name);
    }
}

/* --- loops --- */

static const char letters[] = "ijklmnopqrstuvwxyz";

static const char *letter(Arena *arena, int depth) {
    int count = (int)sizeof letters - 1;
    if (depth < count) return string_format(arena, "%c", letters[depth]);
    return string_format(arena, "%c%d", letters[depth % count], depth / count);
}

static void name_loops(Importer *importer, Node *node, int depth) {
    if (node->kind == NODE_LOOP) node->loop.name = letter(importer->arena, depth++);
    for (int i = 0; i < node->children.count; i++)
        name_loops(importer, node->children.items[i], depth);
    for (int i = 0; node->nest && i < node->nest->loop_count; i++)
        node->nest->loops[i].name = letter(importer->arena, i);
}

void name_program(Importer *importer) {
    program_each_nest(importer->program, name_nest, names_new(importer->arena));
    name_memories(importer);
    name_loops(importer, importer->program->root, 0);
}
