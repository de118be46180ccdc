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

/* Operations that are others by another name, with the same overloads and arguments. Those that end
 * in _copy give what a view gives, as a tensor of its own. */
static const struct {
    const char *name, *same;
} aliases[] = {
    {"absolute", "abs"},
    {"adjoint", "mT"},
    {"alias_copy", "alias"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"as_strided_copy", "as_strided"},
    {"clip", "clamp"},
    {"conj", "alias"},
    {"detach_copy", "detach"},
    {"diagonal_copy", "diagonal"},
    {"divide", "div"},
    {"expand_copy", "expand"},
    {"fix", "trunc"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"mH", "mT"},
    {"matrix_H", "mT"},
    {"moveaxis", "movedim"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"permute_copy", "permute"},
    {"positive", "alias"},
    {"resolve_conj", "alias"},
    {"resolve_neg", "alias"},
    {"select_copy", "select"},
    {"slice_copy", "slice"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_log1p", "log1p"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_sinc", "sinc"},
    {"special_xlogy", "xlogy"},
    {"split_copy", "split"},
    {"split_with_sizes_copy", "split_with_sizes"},
    {"squeeze_copy", "squeeze"},
    {"subtract", "sub"},
    {"t_copy", "t"},
    {"transpose_copy", "transpose"},
    {"unbind_copy", "unbind"},
    {"unfold_copy", "unfold"},
    {"unsafe_chunk", "chunk"},
    {"unsafe_split", "split"},
    {"unsafe_split_with_sizes", "split_with_sizes"},
    {"unsqueeze_copy", "unsqueeze"},
    {"view_copy", "view"},
    {"_unsafe_index", "index"},
    {"_unsafe_index_put", "index_put"},
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

/* "aten.divide.Tensor" -> "aten.div.Tensor"; NULL if the operation has no other name. */
static const char *plain_name(Arena *arena, const char *name) {
    static const char space[] = "aten.";
    const char *base = name + strlen(space), *overload = strrchr(name, '.');
    if (!string_starts(name, space) || overload < base) return NULL;
    size_t length = (size_t)(overload - base);
    for (int i = 0; i < ALIASES; i++)
        if (strlen(aliases[i].name) == length && strncmp(aliases[i].name, base, length) == 0)
            return string_format(arena, "%s%s%s", space, aliases[i].same, overload);
    return NULL;
}

static const Operation *find_row(const Table *table, const char *name) {
    int row = map_find(&table->names, name);
    const char *plain = row < 0 ? plain_name(table->arena, name) : NULL;
    if (plain) row = map_find(&table->names, plain);
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
    for (int a = 0; a < ALIASES; a++) {
        const char *same = string_format(arena, "aten.%s.", aliases[a].same);
        for (int i = 0; i < table.rows.count; i++) {
            const Operation *row = table.rows.items[i];
            if (!string_starts(row->name, same)) continue;
            text_printf(text, "aten.%s.%s%s\n", aliases[a].name, row->name + strlen(same),
                        row->schema);
        }
    }
}
