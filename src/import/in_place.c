/* Writes in place, through views.
 *
 * A view is a node whose result shows part of its first argument. Which part is found by running
 * the node on a constant that numbers the argument's elements: its result says the place of each of
 * its own. So a write to a view becomes one to the same places of what it is a view of, and so on
 * to the memory's root; the other views are then made anew from that. */
#include "import/in_place.h"
#include <string.h>
#include "import/shape.h"

/* --- which results are views ----------------------------------------------------------------- */

/* Operations whose result is a view only if the argument's elements stand in row-major order. */
static bool copies_what_is_scattered(const char *name) {
    static const char *const names[] = {"aten.reshape.", "aten.flatten.", "aten.contiguous.",
                                        "aten.reshape_as."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (string_starts(name, names[i])) return true;
    return false;
}

static bool asks_for_copy(const Node *node) {
    if (strstr(node->target, "_copy.")) return true;
    for (int i = 0; i < node->input_count; i++)
        if (strcmp(node->inputs[i].name, "copy") == 0 && node->inputs[i].value.integer) return true;
    return false;
}

bool find_view(const Import *import, int node_index, int output, View *view) {
    const Node *node = &import->program.nodes.items[node_index];
    const Operation *row = import->rows[node_index];
    const GraphValue *values = import->program.values.items;
    Schema schema;
    if (!row || node->input_count == 0 || node->inputs[0].value.kind != ARGUMENT_TENSOR ||
        !schema_parse(import->arena, row->schema, &schema) || !schema.is_view ||
        asks_for_copy(node))
        return false;
    const GraphValue *first = &values[node->inputs[0].value.integer];
    view->node = node_index;
    view->is_unsure = copies_what_is_scattered(row->name) && !first->is_contiguous;
    return values[output].type.dtype == first->type.dtype;
}

static int parent_of(const Import *import, int value) {
    const Node *node = &import->program.nodes.items[import->views[value].node];
    return import->same[node->inputs[0].value.integer];
}

static int result_of(const Node *node, int value) {
    int index = 0;
    while (node->outputs[index] != value) index++;
    return index;
}

/* --- the places of a view -------------------------------------------------------------------- */

typedef struct Places {
    int64_t offset, strides[MAX_RANK]; /* flat, in the parent */
} Places;

static Value *numbered(Call *call, const TensorType *type) {
    int64_t count = tensor_type_elements(type);
    int64_t *numbers = arena_array(call->arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = i;
    return value_constant(call->arena,
                          stored_new(call->arena, DTYPE_INT64, type->rank, type->shape, numbers));
}

/* The strides of places that are affine in the view's indices. */
static bool find_strides(const TensorType *type, const int64_t *numbers, Places *places) {
    int64_t step = tensor_type_elements(type), count = step, index[MAX_RANK] = {0};
    places->offset = numbers[0];
    for (int d = 0; d < type->rank; d++) {
        step /= type->shape[d];
        places->strides[d] = type->shape[d] > 1 ? numbers[step] - numbers[0] : 0;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t place = places->offset;
        for (int d = 0; d < type->rank; d++) place += index[d] * places->strides[d];
        if (place != numbers[i]) return false;
        for (int d = type->rank - 1; d >= 0 && ++index[d] == type->shape[d]; d--) index[d] = 0;
    }
    return true;
}

static bool find_places(Call *call, int value, Places *places) {
    Import *import = call->import;
    const View *view = &import->views[value];
    const Node *node = &import->program.nodes.items[view->node];
    const TensorType *parent = &import->program.values.items[parent_of(import, value)].type;
    Value *shown = view->is_unsure ? NULL
                                   : call_view(import, node, import->rows[view->node],
                                               numbered(call, parent), result_of(node, value));
    if (shown && shown->stored &&
        find_strides(&shown->type, stored_dense(call->arena, shown->stored), places))
        return true;
    return call_fail(call,
                     "it writes in place to memory that %s also shows, in a way that cannot be "
                     "followed: rewrite the model without it, or export it with "
                     "run_decompositions()",
                     string_printable(call->arena, import->program.values.items[value].name, 100));
}

/* --- writing --------------------------------------------------------------------------------- */

static Value *flattened(Call *call, Value *value) {
    int64_t elements[] = {tensor_type_elements(&value->type)};
    return value_reshape(call, value, 1, elements);
}

/* The whole with a part's elements at their places. */
static Value *replace_places(Call *call, Value *whole, Value *part, const Places *places) {
    const TensorType *type = &part->type;
    TensorType shape = whole->type;
    if (tensor_type_elements(type) == tensor_type_elements(&shape)) {
        int64_t step = 1;
        bool is_all = places->offset == 0;
        for (int d = type->rank - 1; d >= 0; step *= type->shape[d--])
            is_all &= type->shape[d] == 1 || places->strides[d] == step;
        if (is_all) return value_reshape(call, part, shape.rank, shape.shape);
    }
    static const int64_t one[] = {1};
    MlirType index = index_type(call->builder->context);
    MlirValue from = call_mlir(call, part), flat = call_mlir(call, flattened(call, whole));
    bool is_scalar = type->rank == 0;
    Carried carried = carried_begin(call->builder, is_scalar ? 1 : type->rank,
                                    is_scalar ? one : type->shape, flat);
    Builder *body = &carried.body;
    MlirValue place = build_integer(body, index, places->offset);
    for (int d = 0; d < type->rank; d++) {
        if (places->strides[d] == 0) continue;
        MlirValue step = build2(body, "arith.muli", index, carried.indices[d],
                                build_integer(body, index, places->strides[d]));
        place = build2(body, "arith.addi", index, place, step);
    }
    MlirValue element = build_element(body, from, type->rank, carried.indices);
    MlirValue next = build_set_element(body, element, carried.tensor, 1, &place);
    int64_t elements[] = {tensor_type_elements(&shape)};
    Value *written = value_new(call->arena, shape.dtype, 1, elements, carried_end(&carried, next));
    return value_reshape(call, written, shape.rank, shape.shape);
}

/* Does anyone look at this memory later, by another name than `target`? */
static bool is_seen_later(const Import *import, int node_index, int target) {
    int root = import->storage[target];
    if (root != target && import->is_state[root]) return true;
    for (int i = 0; i < import->program.values.count; i++) {
        if (import->storage[i] != root || import->same[i] == target) continue;
        if (import->program.values.items[i].last_use > node_index) return true;
    }
    return false;
}

/* Views are made anew in the order of their nodes, so that views of views follow what they show. */
static bool renew_views(Call *call, int node_index, int root, const bool *is_done) {
    Import *import = call->import;
    for (int n = 0; n < node_index; n++) {
        const Node *node = &import->program.nodes.items[n];
        bool is_stale = false;
        for (int k = 0; node->is_live && k < node->output_count; k++) {
            int output = node->outputs[k];
            is_stale |= output >= 0 && import->views[output].node == n &&
                        import->storage[output] == root && !is_done[output];
        }
        if (!is_stale) continue;
        for (int k = 0; k < node->output_count; k++) {
            int output = node->outputs[k];
            if (output < 0 || is_done[output] || !import->values[output]) continue;
            Places places;
            if (import->views[output].is_unsure) return find_places(call, output, &places);
            import->values[output] = call_view(import, node, import->rows[n],
                                               import->values[parent_of(import, output)], k);
            if (!import->values[output]) return false;
        }
    }
    return true;
}

bool write_through(Call *call, int node_index, int target) {
    Import *import = call->import;
    int root = import->storage[target];
    if (!is_seen_later(import, node_index, target)) return true;
    bool *is_done =
        arena_array(call->arena, (size_t)import->program.values.count + 1, sizeof(bool));
    for (int value = target; value != root; value = parent_of(import, value)) {
        Places places;
        int parent = parent_of(import, value);
        is_done[value] = true;
        if (!find_places(call, value, &places)) return false;
        import->values[parent] =
            replace_places(call, import->values[parent], import->values[value], &places);
    }
    return renew_views(call, node_index, root, is_done);
}
