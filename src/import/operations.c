/* The table of operations: all families, found by name. */
#include "import/operations.h"
#include <string.h>
#include "import/import.h"

static const Operation *const families[] = {
    elementwise_operations,   activation_operations, convolution_operations, pooling_operations,
    linear_operations,        softmax_operations,    reduction_operations,   shape_operations,
    normalization_operations, join_operations,       creation_operations,    indexing_operations,
    quantize_operations,      attention_operations,  recurrent_operations,   einsum_operations,
    resize_operations,        scatter_operations,    cumulative_operations,  strided_operations,
    distance_operations,      sampling_operations,   bag_operations,         control_operations,
};

Table table_new(Arena *arena) {
    Table table = {.arena = arena, .names = map_new(arena)};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (const Operation *row = families[i]; row->name; row++) {
            map_add(&table.names, row->name, table.rows.count);
            vector_push(arena, &table.rows, row);
        }
    }
    return table;
}

static const char prefix[] = "torch.ops.";

static const Operation *find_row(const Table *table, const char *name) {
    int row = map_find(&table->names, name);
    return row < 0 ? NULL : table->rows.items[row];
}

const Operation *table_find(const Table *table, const char *target, bool *in_place) {
    *in_place = false;
    if (!string_starts(target, prefix)) return NULL;
    const char *name = target + strlen(prefix);
    const Operation *row = find_row(table, name);
    const char *dot = strrchr(name, '.');
    if (row || !dot || dot == name || dot[-1] != '_') return row;
    /* aten.add_.Tensor is aten.add.Tensor, written to its first argument. */
    const char *plain = string_format(table->arena, "%.*s%s", (int)(dot - name - 1), name, dot);
    *in_place = true;
    return find_row(table, plain);
}

void import_operations(Arena *arena, Text *text) {
    Table table = table_new(arena);
    for (int i = 0; i < table.rows.count; i++)
        text_printf(text, "%s%s\n", table.rows.items[i]->name, table.rows.items[i]->schema);
}
