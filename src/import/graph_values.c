/* models/model.json of an archive: types of values, and arguments of nodes. */
#include <limits.h>
#include <string.h>
#include "import/graph_reader.h"

void graph_item(GraphReader *reader, const char *kind, const char *name) {
    reader->json.item =
        string_format(reader->arena, "%s %s", kind, string_printable(reader->arena, name, 200));
}

/* --- Types of values ---------------------------------------------------------------------- */

/* The expression of a size that data decide; else NULL. */
static const char *open_size(const json_t *value) {
    const json_t *content = json_object_get(value, "as_expr");
    const char *text = json_string_value(json_object_get(content, "expr_str"));
    return text && symbols_depend_on_data(text) ? text : NULL;
}

/* {"as_int": 3}, or {"as_expr": {"expr_str": "...", "hint": ...}} */
bool graph_size(GraphReader *reader, const json_t *value, int64_t *size) {
    const char *key;
    json_t *content;
    if (!json_union(&reader->json, value, &key, &content)) return false;
    if (strcmp(key, "as_int") == 0) {
        if (!json_is_integer(content)) return json_fault(&reader->json, "expected an integer");
        *size = (int64_t)json_integer_value(content);
        return true;
    }
    if (strcmp(key, "as_expr") != 0)
        return json_fault(&reader->json, "unknown kind of size %s", key);
    const char *text = json_string_field(&reader->json, content, "expr_str");
    return text && symbols_evaluate(&reader->json, &reader->symbols, text, size);
}

static bool read_dtype(GraphReader *reader, const json_t *meta, GraphValue *value) {
    int64_t code, layout;
    if (!json_integer_field(&reader->json, meta, "dtype", &code)) return false;
    const DtypeInfo *info = dtype_info(code);
    if (!info) return json_fault(&reader->json, "unknown dtype code %lld", (long long)code);
    if (!json_integer_field(&reader->json, meta, "layout", &layout)) return false;
    if (layout != 7) {
        return json_fault(&reader->json,
                          "layout code %lld (sparse or mkldnn) is not supported, only strided "
                          "tensors are",
                          (long long)layout);
    }
    value->type.dtype = (Dtype)code;
    value->supported = info->is_supported;
    return true;
}

static bool check_size(GraphReader *reader, const TensorType *type) {
    size_t bytes = dtype_info(type->dtype)->size;
    bool empty = false, overflow = false;
    for (int i = 0; i < type->rank; i++) {
        if (type->shape[i] < 0) {
            return json_fault(&reader->json, "negative size %lld", (long long)type->shape[i]);
        }
        empty |= type->shape[i] == 0;
    }
    for (int i = 0; i < type->rank && !empty; i++) {
        overflow |= !size_multiply(bytes, (size_t)type->shape[i], &bytes);
    }
    if (!overflow && bytes <= MAX_TENSOR_BYTES) return true;
    return json_fault(&reader->json,
                      "the tensor is too large: %s %s; at most %llu bytes are allowed",
                      tensor_type_text(reader->arena, type),
                      overflow ? "overflows 64 bits" : "takes too many bytes",
                      (unsigned long long)MAX_TENSOR_BYTES);
}

/* Do these strides give a tensor of this type in row-major order? A stride along a dimension of
 * size 1 does not count. */
static bool is_row_major(GraphReader *reader, const json_t *strides, const TensorType *type) {
    int64_t wanted = 1, stride;
    for (int i = type->rank - 1; i >= 0; i--) {
        const json_t *item = json_array_get(strides, (size_t)i);
        if (type->shape[i] != 1 &&
            (open_size(item) || !graph_size(reader, item, &stride) || stride != wanted)) {
            return false;
        }
        wanted *= type->shape[i];
    }
    return true;
}

static bool read_type(GraphReader *reader, const json_t *meta, GraphValue *value) {
    TensorType *type = &value->type;
    if (!read_dtype(reader, meta, value)) return false;
    json_t *sizes = json_array_field(&reader->json, meta, "sizes");
    json_t *strides = json_array_field(&reader->json, meta, "strides");
    if (!sizes || !strides) return false;
    size_t rank = json_array_size(sizes);
    if (rank > MAX_RANK) {
        return json_fault(&reader->json, "rank %zu is too large, at most %d is supported", rank,
                          MAX_RANK);
    }
    if (json_array_size(strides) != rank) {
        return json_fault(&reader->json, "sizes and strides differ in number: %zu and %zu", rank,
                          json_array_size(strides));
    }
    type->rank = (int)rank;
    for (int i = 0; i < type->rank; i++) {
        const json_t *size = json_array_get(sizes, (size_t)i);
        type->shape[i] = -1;
        value->is_open |= open_size(size) != NULL;
        if (!open_size(size) && !graph_size(reader, size, &type->shape[i])) return false;
    }
    if (value->is_open) return true;
    if (!check_size(reader, type)) return false;
    const json_t *offset = json_object_get(meta, "storage_offset");
    int64_t start = 0;
    value->is_contiguous = is_row_major(reader, strides, type);
    value->is_at_start =
        (!offset || (!open_size(offset) && graph_size(reader, offset, &start))) && start == 0;
    return true;
}

bool graph_values(GraphReader *reader) {
    Program *program = reader->program;
    json_t *table = json_object_field(&reader->json, reader->graph, "tensor_values");
    if (!table) return false;
    const char *key;
    json_t *meta;
    json_object_foreach(table, key, meta) {
        GraphValue value = {.name = arena_string(reader->arena, key), .last_use = -1};
        graph_item(reader, "value", value.name);
        if (!read_type(reader, meta, &value)) return false;
        map_add(&program->names, value.name, program->values.count);
        vector_push(reader->arena, &program->values, value);
    }
    reader->json.item = NULL;
    return true;
}

/* --- Arguments ---------------------------------------------------------------------------- */

/* Makes room for a list; false if the value is none. */
static bool begin_list(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!json_is_array(value)) return json_fault(&reader->json, "an argument must be a list");
    size_t count = json_array_size(value);
    if (count > INT_MAX) return json_fault(&reader->json, "a list is too long");
    argument->count = (int)count;
    argument->integers = arena_array(reader->arena, count + 1, sizeof *argument->integers);
    argument->numbers = arena_array(reader->arena, count + 1, sizeof *argument->numbers);
    return true;
}

static bool read_value_name(GraphReader *reader, const json_t *value, int64_t *index) {
    const char *name = json_string_field(&reader->json, value, "name");
    if (!name) return false;
    *index = map_find(&reader->program->names, name);
    const char *shown = string_printable(reader->arena, name, 200);
    if (*index < 0) return json_fault(&reader->json, "undefined value %s", shown);
    if (!reader->program->values.items[*index].defined) {
        return json_fault(&reader->json,
                          "undefined value %s: it is used before its definition (the nodes are not "
                          "in order, or form a cycle)",
                          shown);
    }
    return true;
}

static bool read_none(GraphReader *reader, const json_t *value, Argument *argument) {
    (void)reader, (void)value, (void)argument;
    return true;
}

static bool read_tensor(GraphReader *reader, const json_t *value, Argument *argument) {
    return read_value_name(reader, value, &argument->integer);
}

static bool read_tensors(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!begin_list(reader, value, argument)) return false;
    for (int i = 0; i < argument->count; i++) {
        const json_t *item = json_array_get(value, (size_t)i);
        if (!read_value_name(reader, item, &argument->integers[i])) return false;
    }
    return true;
}

static bool read_optional_tensor(GraphReader *reader, const json_t *value, int64_t *index) {
    const char *key;
    json_t *content;
    *index = -1;
    if (!json_union(&reader->json, value, &key, &content)) return false;
    if (strcmp(key, "as_none") == 0) return true;
    if (strcmp(key, "as_tensor") == 0) return read_value_name(reader, content, index);
    return json_fault(&reader->json, "unknown argument kind %s",
                      string_printable(reader->arena, key, 80));
}

static bool read_optional(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!read_optional_tensor(reader, value, &argument->integer)) return false;
    if (argument->integer < 0) argument->kind = ARGUMENT_NONE;
    return true;
}

static bool read_optionals(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!begin_list(reader, value, argument)) return false;
    for (int i = 0; i < argument->count; i++) {
        const json_t *item = json_array_get(value, (size_t)i);
        if (!read_optional_tensor(reader, item, &argument->integers[i])) return false;
    }
    return true;
}

static bool read_integer(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!json_is_integer(value)) return json_fault(&reader->json, "expected an integer");
    argument->integer = (int64_t)json_integer_value(value);
    argument->number = (double)argument->integer;
    return true;
}

static bool read_boolean(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!json_is_boolean(value)) return json_fault(&reader->json, "expected true or false");
    argument->integer = json_is_true(value);
    argument->number = (double)argument->integer;
    return true;
}

static bool read_float(GraphReader *reader, const json_t *value, Argument *argument) {
    return json_float(&reader->json, value, &argument->number);
}

static bool read_string(GraphReader *reader, const json_t *value, Argument *argument) {
    if (!json_is_string(value)) return json_fault(&reader->json, "expected a string");
    argument->string = arena_string(reader->arena, json_string_value(value));
    return true;
}

static bool read_device(GraphReader *reader, const json_t *value, Argument *argument) {
    const char *type = json_string_field(&reader->json, value, "type");
    if (type) argument->string = arena_string(reader->arena, type);
    return type != NULL;
}

/* {"as_int": 3} or {"as_name": "sym_size_int"}, whose expression is in sym_int_values. */
static bool read_symbolic(GraphReader *reader, const json_t *value, Argument *argument) {
    const char *key;
    json_t *content;
    if (!json_union(&reader->json, value, &key, &content)) return false;
    if (strcmp(key, "as_int") == 0) return read_integer(reader, content, argument);
    if (strcmp(key, "as_name") != 0 || !json_is_string(content)) {
        return json_fault(&reader->json, "symbolic value of unknown kind %s", key);
    }
    json_t *table = json_object_field(&reader->json, reader->graph, "sym_int_values");
    json_t *size = table ? json_object_get(table, json_string_value(content)) : NULL;
    if (!size) {
        return json_fault(&reader->json, "undefined value %s",
                          string_printable(reader->arena, json_string_value(content), 200));
    }
    if (open_size(size)) {
        argument->kind = ARGUMENT_DATA;
        argument->string = arena_string(reader->arena, json_string_value(content));
        return true;
    }
    if (!graph_size(reader, size, &argument->integer)) return false;
    argument->number = (double)argument->integer;
    return true;
}

/* A list of scalars, each read by the function of its kind. */
static bool read_list(GraphReader *reader, const json_t *value, Argument *argument,
                      bool (*read)(GraphReader *, const json_t *, Argument *)) {
    if (!begin_list(reader, value, argument)) return false;
    for (int i = 0; i < argument->count; i++) {
        Argument item = {0};
        if (!read(reader, json_array_get(value, (size_t)i), &item)) return false;
        argument->integers[i] = item.integer;
        argument->numbers[i] = item.number;
        if (item.kind != ARGUMENT_DATA) continue;
        argument->kind = item.kind;
        argument->string = item.string;
    }
    return true;
}

static bool read_integers(GraphReader *reader, const json_t *value, Argument *argument) {
    return read_list(reader, value, argument, read_integer);
}

static bool read_booleans(GraphReader *reader, const json_t *value, Argument *argument) {
    return read_list(reader, value, argument, read_boolean);
}

static bool read_floats(GraphReader *reader, const json_t *value, Argument *argument) {
    return read_list(reader, value, argument, read_float);
}

static bool read_symbolics(GraphReader *reader, const json_t *value, Argument *argument) {
    return read_list(reader, value, argument, read_symbolic);
}

/* The members of the union of all values. Those without a reader are known to torch.export, but
 * no operation that we compile takes them. */
static const struct {
    const char *name;
    ArgumentKind kind;
    bool (*read)(GraphReader *reader, const json_t *value, Argument *argument);
} argument_kinds[] = {
    {"as_tensor", ARGUMENT_TENSOR, read_tensor},
    {"as_tensors", ARGUMENT_TENSORS, read_tensors},
    {"as_optional_tensor", ARGUMENT_TENSOR, read_optional},
    {"as_optional_tensors", ARGUMENT_TENSORS, read_optionals},
    {"as_none", ARGUMENT_NONE, read_none},
    {"as_int", ARGUMENT_INTEGER, read_integer},
    {"as_ints", ARGUMENT_INTEGERS, read_integers},
    {"as_float", ARGUMENT_FLOAT, read_float},
    {"as_floats", ARGUMENT_FLOATS, read_floats},
    {"as_bool", ARGUMENT_BOOL, read_boolean},
    {"as_bools", ARGUMENT_BOOLS, read_booleans},
    {"as_string", ARGUMENT_STRING, read_string},
    {"as_sym_int", ARGUMENT_INTEGER, read_symbolic},
    {"as_sym_ints", ARGUMENT_INTEGERS, read_symbolics},
    {"as_scalar_type", ARGUMENT_DTYPE, read_integer},
    {"as_memory_format", ARGUMENT_MEMORY_FORMAT, read_integer},
    {"as_layout", ARGUMENT_LAYOUT, read_integer},
    {"as_device", ARGUMENT_DEVICE, read_device},
    {"as_graph", ARGUMENT_GRAPH, graph_inner},
    {"as_strings", ARGUMENT_OTHER, NULL},
    {"as_sym_float", ARGUMENT_OTHER, NULL},
    {"as_sym_floats", ARGUMENT_OTHER, NULL},
    {"as_sym_bool", ARGUMENT_OTHER, NULL},
    {"as_sym_bools", ARGUMENT_OTHER, NULL},
    {"as_complex", ARGUMENT_OTHER, NULL},
    {"as_operator", ARGUMENT_OTHER, NULL},
    {"as_custom_obj", ARGUMENT_OTHER, NULL},
    {"as_nested_tensors", ARGUMENT_OTHER, NULL},
    {"as_int_lists", ARGUMENT_OTHER, NULL},
    {"as_float_lists", ARGUMENT_OTHER, NULL},
    {"as_string_to_argument", ARGUMENT_OTHER, NULL},
};

bool graph_argument(GraphReader *reader, const json_t *value, Argument *argument) {
    const char *key;
    json_t *content;
    if (!json_union(&reader->json, value, &key, &content)) return false;
    for (size_t i = 0; i < sizeof argument_kinds / sizeof *argument_kinds; i++) {
        if (strcmp(key, argument_kinds[i].name) != 0) continue;
        *argument = (Argument){.kind = argument_kinds[i].kind};
        if (argument_kinds[i].read) return argument_kinds[i].read(reader, content, argument);
        argument->string = argument_kinds[i].name;
        return true;
    }
    return json_fault(&reader->json, "unknown argument kind %s",
                      string_printable(reader->arena, key, 80));
}
