/* Models with dynamic shapes: --shape gives numbers to the symbols in the sizes of the inputs. */
#include <string.h>
#include "import/graph_reader.h"

/* The text of a symbolic size; NULL for a number. */
static const char *expression_of(const json_t *size) {
    return json_string_value(json_object_get(json_object_get(size, "as_expr"), "expr_str"));
}

static const json_t *sizes_of(const GraphReader *reader, const char *name) {
    const json_t *table = json_object_get(reader->graph, "tensor_values");
    return json_object_get(json_object_get(table, name), "sizes");
}

static const char *input_name(const json_t *input) {
    return json_string_value(json_object_get(json_object_get(input, "as_tensor"), "name"));
}

/* The model was exported for a range of sizes; outside of it, it may be another model. */
static bool in_range(GraphReader *reader, const char *symbol, int64_t size) {
    const json_t *range = json_object_get(reader->ranges, symbol);
    const json_t *least = json_object_get(range, "min_val");
    const json_t *most = json_object_get(range, "max_val");
    if (!(json_is_integer(least) && size < json_integer_value(least)) &&
        !(json_is_integer(most) && size > json_integer_value(most))) {
        return true;
    }
    return json_fault(&reader->json, "--shape: %s cannot be %lld, it was exported for %lld to %lld",
                      string_printable(reader->arena, symbol, 60), (long long)size,
                      json_is_integer(least) ? (long long)json_integer_value(least) : 0,
                      json_is_integer(most) ? (long long)json_integer_value(most) : INT64_MAX);
}

static bool fix_shape(GraphReader *reader, const FixedShape *shape) {
    const json_t *sizes = sizes_of(reader, shape->name);
    const char *name = string_printable(reader->arena, shape->name, 100);
    if (!json_is_array(sizes)) return json_fault(&reader->json, "--shape: no input %s", name);
    if (json_array_size(sizes) != (size_t)shape->rank) {
        return json_fault(&reader->json, "--shape: input %s has %zu dimensions, not %d", name,
                          json_array_size(sizes), shape->rank);
    }
    for (int i = 0; i < shape->rank; i++) {
        const char *text = expression_of(json_array_get(sizes, (size_t)i));
        const char *symbol = text ? symbols_plain(reader->arena, text) : NULL;
        if (symbol && !in_range(reader, symbol, shape->shape[i])) return false;
        if (!symbol || symbols_fix(&reader->symbols, symbol, shape->shape[i])) continue;
        return json_fault(&reader->json,
                          "--shape: dimension %d of %s is %s, which has another value already", i,
                          name, symbol);
    }
    return true;
}

/* Lists the sizes of the inputs that still have no number, with their values at the export. */
static bool check_free(GraphReader *reader) {
    Text list = text_new(reader->arena);
    size_t at, dimension;
    json_t *input, *size;
    json_array_foreach(json_object_get(reader->graph, "inputs"), at, input) {
        const char *name = input_name(input);
        if (!name) continue;
        json_array_foreach(sizes_of(reader, name), dimension, size) {
            const char *text = expression_of(size);
            const char *symbol = text ? symbols_plain(reader->arena, text) : NULL;
            if (!symbol || map_find(&reader->symbols.names, symbol) >= 0) continue;
            const json_t *hint = json_object_get(json_object_get(size, "as_expr"), "hint");
            text_printf(&list, "%s%s dimension %zu (%s", list.length ? ", " : "",
                        string_printable(reader->arena, name, 60), dimension, symbol);
            const json_t *number = json_object_get(hint, "as_int");
            if (number)
                text_printf(&list, ", %lld at the export", (long long)json_integer_value(number));
            text_append(&list, ")");
        }
    }
    if (!list.length) return true;
    return json_fault(
        &reader->json,
        "the model has dynamic shapes, but hardware has fixed ones: give the sizes of "
        "its inputs with --shape NAME=DIMS; not known yet: %s",
        text_string(&list));
}

bool graph_fix_shapes(GraphReader *reader, int count, const FixedShape *shapes) {
    for (int i = 0; i < count; i++) {
        if (!fix_shape(reader, &shapes[i])) return false;
    }
    return check_free(reader);
}

bool graph_check_shapes(GraphReader *reader, int count, const FixedShape *shapes) {
    for (int i = 0; i < count; i++) {
        int index = map_find(&reader->program->names, shapes[i].name);
        const TensorType *type = index < 0 ? NULL : &reader->program->values.items[index].type;
        if (type &&
            memcmp(type->shape, shapes[i].shape, (size_t)type->rank * sizeof(int64_t)) == 0) {
            continue;
        }
        return json_fault(&reader->json, "--shape: %s has the shape %s in this model",
                          string_printable(reader->arena, shapes[i].name, 100),
                          type ? shape_text(reader->arena, type->rank, type->shape) : "none");
    }
    return true;
}
