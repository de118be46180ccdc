/* What a model asks for and is not there: all of it in one go, with the lines that ask for it. */
#include <string.h>
#include "import/operations.h"

enum { MOST_PLACES = 40 };

/* --- arguments ----------------------------------------------------------------------------- */

static void add_tensor_text(Text *text, Arena *arena, const Program *program, int64_t index) {
    if (index < 0) {
        text_append(text, "None");
    } else {
        text_append(text, tensor_type_text(arena, &program->values.items[index].type));
    }
}

static void add_list_text(Text *text, Arena *arena, const Program *program,
                          const Argument *argument) {
    enum { MOST_ITEMS = 8 };
    text_append(text, "[");
    for (int i = 0; i < argument->count && i < MOST_ITEMS; i++) {
        if (i) text_append(text, ", ");
        if (argument->kind == ARGUMENT_TENSORS) {
            add_tensor_text(text, arena, program, argument->integers[i]);
        } else if (argument->kind == ARGUMENT_BOOLS) {
            text_append(text, argument->integers[i] ? "True" : "False");
        } else if (argument->kind == ARGUMENT_FLOATS) {
            text_printf(text, "%g", argument->numbers[i]);
        } else {
            text_printf(text, "%lld", (long long)argument->integers[i]);
        }
    }
    text_append(text, argument->count > MOST_ITEMS ? ", ...]" : "]");
}

static void add_argument_text(Text *text, Arena *arena, const Program *program,
                              const Argument *argument) {
    const DtypeInfo *dtype;
    switch (argument->kind) {
    case ARGUMENT_NONE: text_append(text, "None"); break;
    case ARGUMENT_TENSOR: add_tensor_text(text, arena, program, argument->integer); break;
    case ARGUMENT_INTEGER: text_printf(text, "%lld", (long long)argument->integer); break;
    case ARGUMENT_FLOAT: text_printf(text, "%g", argument->number); break;
    case ARGUMENT_BOOL: text_append(text, argument->integer ? "True" : "False"); break;
    case ARGUMENT_DTYPE:
        dtype = dtype_info(argument->integer);
        text_append(text, dtype ? dtype->name : "unknown");
        break;
    case ARGUMENT_STRING:
        text_printf(text, "'%s'", string_printable(arena, argument->string, 40));
        break;
    case ARGUMENT_DATA:
        text_printf(text, "%s (depends on data)", string_printable(arena, argument->string, 40));
        break;
    case ARGUMENT_TENSORS:
    case ARGUMENT_INTEGERS:
    case ARGUMENT_FLOATS:
    case ARGUMENT_BOOLS: add_list_text(text, arena, program, argument); break;
    default: text_append(text, "..."); break;
    }
}

const char *node_arguments(Arena *arena, const Program *program, const Node *node) {
    Text text = text_new(arena);
    for (int i = 0; i < node->input_count; i++) {
        const NamedArgument *input = &node->inputs[i];
        if (i) text_append(&text, ", ");
        if (*input->name) text_printf(&text, "%s=", string_printable(arena, input->name, 60));
        add_argument_text(&text, arena, program, &input->value);
    }
    return text_string(&text);
}

void node_notes(Arena *arena, Diagnostics *diagnostics, const Program *program, const Node *node) {
    node_note(arena, diagnostics, node);
    if (node->input_count == 0) return;
    note(diagnostics, "arguments: %s", node_arguments(arena, program, node));
}

/* --- operations ---------------------------------------------------------------------------- */

/* The other nodes with the target of node `first`. */
static void note_others(Import *import, int first) {
    const Program *program = &import->program;
    const char *target = program->nodes.items[first].target;
    int count = 0;
    for (int i = first + 1; i < program->nodes.count; i++) {
        const Node *node = &program->nodes.items[i];
        if (!node->is_live || strcmp(node->target, target) != 0 || ++count > MOST_PLACES) continue;
        note(import->diagnostics, "and at %s:", node_text(import->arena, node));
        node_notes(import->arena, import->diagnostics, program, node);
    }
    if (count > MOST_PLACES) {
        note(import->diagnostics, "and at %d further nodes", count - MOST_PLACES);
    }
}

void missing_report(Import *import, const Table *table, const bool *is_missing) {
    Arena *arena = import->arena;
    const Program *program = &import->program;
    Map reported = map_new(arena);
    int nodes = 0;
    for (int i = 0; i < program->nodes.count; i++) {
        const Node *node = &program->nodes.items[i];
        if (!is_missing[i]) continue;
        nodes++;
        if (!map_add(&reported, node->target, i)) continue;
        const char *place = string_format(arena, "%s: %s", import->path, node_text(arena, node));
        error_at(import->diagnostics, STATUS_INPUT, place, "unsupported operation '%s'",
                 string_printable(arena, node->target, 100));
        node_notes(arena, import->diagnostics, program, node);
        const char *advice = advice_for(table, node->target);
        if (advice) note(import->diagnostics, "instead: %s", advice);
        note_others(import, i);
    }
    if (nodes == 0) return;
    note(import->diagnostics,
         "%zu operation%s of this model %s not supported, in %d node%s; `tepal info --operations` "
         "lists those that are",
         reported.count, reported.count == 1 ? "" : "s", reported.count == 1 ? "is" : "are", nodes,
         nodes == 1 ? "" : "s");
}
