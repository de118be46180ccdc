/* `tepal info`: what a model is made of. */
#include <stdlib.h>
#include <string.h>

#include "mlir/ir.h"
#include "report/figures.h"

/* --- operations --- */

/* What is not work: constants, and how the function ends. */
static bool is_counted(MlirOperation op) {
    return !op_is(op, "arith.constant") && !op_is(op, "func.return") &&
           !op_is(op, "tensor.empty") && !op_is(op, "ml_program.global") &&
           !op_is(op, "memref.get_global");
}

static int compare_counts(const void *left, const void *right) {
    const OpCount *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The function's own operations: not what their bodies compute per element. */
OpCounts model_operations(const Model *model, Arena *arena) {
    Vector(OpCount) counts = {0};
    OpList functions = ops_named(arena, mlirModuleGetOperation(model->module), "func.func");
    for (int f = 0; f < functions.count; f++) {
        MlirBlock block = op_body(functions.items[f]);
        if (mlirBlockIsNull(block)) continue;
        for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
             op = mlirOperationGetNextInBlock(op)) {
            const char *name = op_name(arena, op);
            int k = 0;
            if (!is_counted(op)) continue;
            while (k < counts.count && strcmp(counts.items[k].name, name)) k++;
            if (k == counts.count) vector_push(arena, &counts, (OpCount){name, 0});
            counts.items[k].count++;
        }
    }
    if (counts.count)
        qsort(counts.items, (size_t)counts.count, sizeof *counts.items, compare_counts);
    return (OpCounts){counts.items, counts.count};
}

/* --- tensors --- */

static const char *type_text(Arena *arena, const Tensor *tensor) {
    Text text = text_new(arena);
    if (tensor->is_bool)
        text_append(&text, "bool");
    else
        text_printf(&text, "%s%s", tensor->is_unsigned ? "u" : "", scalar_name(tensor->type));
    for (int d = 0; d < tensor->rank; d++)
        text_printf(&text, "%s%lld", d ? " x " : "  ", (long long)tensor->shape[d]);
    return text_string(&text);
}

static void list_tensors(const char *title, const Tensor *tensors, int count, Text *text) {
    for (int i = 0; i < count; i++) {
        const char *name = string_printable(text->arena, tensors[i].name, 40);
        text_printf(text, "%-12s %-28s %s\n", i ? "" : title, name,
                    type_text(text->arena, &tensors[i]));
    }
}

void report_model(const Model *model, const OpCounts *operations, const Program *program,
                  Text *text) {
    Arena *arena = text->arena;
    text_printf(text, "%-12s %s\n", "model", model->name);
    list_tensors("inputs", model->inputs, model->input_count, text);
    list_tensors("outputs", model->outputs, model->output_count, text);
    text_printf(text, "%-12s %s\n", "parameters", string_grouped(arena, model->parameters));
    for (int i = 0; i < operations->count; i++)
        text_printf(text, "%-12s %-28s %d\n", i ? "" : "operations", operations->items[i].name,
                    operations->items[i].count);
    if (!program) return;
    text_printf(text, "%-12s %s\n", "MACs", string_grouped(arena, program->macs));
    text_printf(text, "%-12s %s bits\n", "memory", string_grouped(arena, memory_bits(program)));
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        if (memory_kind_bits(program, (MemoryKind)kind) > 0)
            text_printf(text, "%-12s %-28s %s\n", "", memory_kind_names[kind],
                        string_grouped(arena, memory_kind_bits(program, (MemoryKind)kind)));
}
