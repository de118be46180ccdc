/* models/model.json of an archive -> Program: types of values, arguments, nodes in order, and the
 * signature. Everything is one pass over arrays with a hash table of names; nothing recurses. */
#include "import/program.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "import/json.h"
#include "import/symbols.h"

/* Larger tensors than this have no place in a design, and are mostly a sign of a damaged file. */
static const uint64_t max_tensor_bytes = UINT64_C(1) << 32;

typedef struct GraphReader {
    Arena *arena;
    JsonReader json;
    Program *program;
    Symbols symbols;
    json_t *graph;
    int shape_count;
    const FixedShape *shapes;
} GraphReader;

static bool fault(GraphReader *reader, const char *format, const char *name)
{
    reader->json.item = NULL;
    Text text = text_new(reader->arena);
    text_printf(&text, "%s", string_printable(reader->arena, name, 200));
    const char *shown = text_string(&text);
    const char *mark = strchr(format, '@');
    int before = mark ? (int)(mark - format) : (int)strlen(format);
    return json_fault(&reader->json, "%.*s%s%s", before, format, mark ? shown : "",
                      mark ? mark + 1 : "");
}

static void set_item(GraphReader *reader, const char *kind, const char *name)
{
    reader->json.item = string_format(reader->arena, "%s %s", kind,
                                      string_printable(reader->arena, name, 200));
}

/* --- Types of values ---------------------------------------------------------------------- */

/* {"as_int": 3}, or {"as_expr": {"expr_str": "...", "hint": ...}} */
static bool read_size(GraphReader *reader, const json_t *value, int64_t *size)
{
    const char *key;
    json_t *content;
    if (!json_union(&reader->json, value, &key, &content)) return false;
    if (strcmp(key, "as_int") == 0) {
        if (!json_is_integer(content)) return json_fault(&reader->json, "expected an integer");
        *size = (int64_t)json_integer_value(content);
        return true;
    }
    if (strcmp(key, "as_expr") != 0) return json_fault(&reader->json, "unknown kind of size %s", key);
    const char *text = json_string_field(&reader->json, content, "expr_str");
    return text && symbols_evaluate(&reader->json, &reader->symbols, text, size);
}

static bool read_dtype(GraphReader *reader, const json_t *meta, GraphValue *value)
{
    int64_t code, layout;
    if (!json_integer_field(&reader->json, meta, "dtype", &code)) return false;
    const DtypeInfo *info = dtype_info(code);
    if (!info) return json_fault(&reader->json, "unknown dtype code %lld", (long long)code);
    if (!json_integer_field(&reader->json, meta, "layout", &layout)) return false;
    if (layout != 7) {
        return json_fault(&reader->json,
                          "layout code %lld (sparse or mkldnn) is not supported, only strided "
                          "tensors are", (long long)layout);
    }
    value->type.dtype = (Dtype)code;
    value->supported = info->is_supported;
    return true;
}

static bool check_size(GraphReader *reader, const TensorType *type)
{
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
    if (!overflow && bytes <= max_tensor_bytes) return true;
    return json_fault(&reader->json, "the tensor is too large: %s %s; at most %llu bytes are allowed",
                      tensor_type_text(reader->arena, type),
                      overflow ? "overflows 64 bits" : "takes too many bytes",
                      (unsigned long long)max_tensor_bytes);
}

static bool read_type(GraphReader *reader, const json_t *meta, GraphValue *value)
{
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
        if (!read_size(reader, json_array_get(sizes, (size_t)i), &type->shape[i])) return false;
    }
    return check_size(reader, type);
}

static bool read_values(GraphReader *reader)
{
    Program *program = reader->program;
    json_t *table = json_object_field(&reader->json, reader->graph, "tensor_values");
    if (!table) return false;
    const char *key;
    json_t *meta;
    json_object_foreach(table, key, meta) {
        GraphValue value = {.name = arena_string(reader->arena, key), .last_use = -1};
        set_item(reader, "value", value.name);
        if (!read_type(reader, meta, &value)) return false;
        map_add(&program->names, value.name, program->values.count);
        vector_push(reader->arena, &program->values, value);
    }
    reader->json.item = NULL;
    return true;
}

/* --- Arguments ---------------------------------------------------------------------------- */

/* Makes room for a list; false if the value is none. */
static bool begin_list(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!json_is_array(value)) return json_fault(&reader->json, "an argument must be a list");
    size_t count = json_array_size(value);
    if (count > INT_MAX) return json_fault(&reader->json, "a list is too long");
    argument->count = (int)count;
    argument->integers = arena_array(reader->arena, count + 1, sizeof *argument->integers);
    argument->numbers = arena_array(reader->arena, count + 1, sizeof *argument->numbers);
    return true;
}

static bool read_value_name(GraphReader *reader, const json_t *value, int64_t *index)
{
    const char *name = json_string_field(&reader->json, value, "name");
    if (!name) return false;
    *index = map_find(&reader->program->names, name);
    const char *shown = string_printable(reader->arena, name, 200);
    if (*index < 0) return json_fault(&reader->json, "undefined value %s", shown);
    if (!reader->program->values.items[*index].defined) {
        return json_fault(&reader->json,
                          "undefined value %s: it is used before its definition (the nodes are not "
                          "in order, or form a cycle)", shown);
    }
    return true;
}

static bool read_none(GraphReader *reader, const json_t *value, Argument *argument)
{
    (void)reader, (void)value, (void)argument;
    return true;
}

static bool read_tensor(GraphReader *reader, const json_t *value, Argument *argument)
{
    return read_value_name(reader, value, &argument->integer);
}

static bool read_tensors(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!begin_list(reader, value, argument)) return false;
    for (int i = 0; i < argument->count; i++) {
        const json_t *item = json_array_get(value, (size_t)i);
        if (!read_value_name(reader, item, &argument->integers[i])) return false;
    }
    return true;
}

static bool read_optional_tensor(GraphReader *reader, const json_t *value, int64_t *index)
{
    const char *key;
    json_t *content;
    *index = -1;
    if (!json_union(&reader->json, value, &key, &content)) return false;
    if (strcmp(key, "as_none") == 0) return true;
    if (strcmp(key, "as_tensor") == 0) return read_value_name(reader, content, index);
    return json_fault(&reader->json, "unknown argument kind %s",
                      string_printable(reader->arena, key, 80));
}

static bool read_optional(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!read_optional_tensor(reader, value, &argument->integer)) return false;
    if (argument->integer < 0) argument->kind = ARGUMENT_NONE;
    return true;
}

static bool read_optionals(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!begin_list(reader, value, argument)) return false;
    for (int i = 0; i < argument->count; i++) {
        const json_t *item = json_array_get(value, (size_t)i);
        if (!read_optional_tensor(reader, item, &argument->integers[i])) return false;
    }
    return true;
}

static bool read_integer(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!json_is_integer(value)) return json_fault(&reader->json, "expected an integer");
    argument->integer = (int64_t)json_integer_value(value);
    argument->number = (double)argument->integer;
    return true;
}

static bool read_boolean(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!json_is_boolean(value)) return json_fault(&reader->json, "expected true or false");
    argument->integer = json_is_true(value);
    argument->number = (double)argument->integer;
    return true;
}

static bool read_float(GraphReader *reader, const json_t *value, Argument *argument)
{
    return json_float(&reader->json, value, &argument->number);
}

static bool read_string(GraphReader *reader, const json_t *value, Argument *argument)
{
    if (!json_is_string(value)) return json_fault(&reader->json, "expected a string");
    argument->string = arena_string(reader->arena, json_string_value(value));
    return true;
}

static bool read_device(GraphReader *reader, const json_t *value, Argument *argument)
{
    const char *type = json_string_field(&reader->json, value, "type");
    if (type) argument->string = arena_string(reader->arena, type);
    return type != NULL;
}

/* {"as_int": 3} or {"as_name": "sym_size_int"}, whose expression is in sym_int_values. */
static bool read_symbolic(GraphReader *reader, const json_t *value, Argument *argument)
{
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
    if (!read_size(reader, size, &argument->integer)) return false;
    argument->number = (double)argument->integer;
    return true;
}

/* A list of scalars, each read by the function of its kind. */
static bool read_list(GraphReader *reader, const json_t *value, Argument *argument,
                      bool (*read)(GraphReader *, const json_t *, Argument *))
{
    if (!begin_list(reader, value, argument)) return false;
    for (int i = 0; i < argument->count; i++) {
        Argument item = {0};
        if (!read(reader, json_array_get(value, (size_t)i), &item)) return false;
        argument->integers[i] = item.integer;
        argument->numbers[i] = item.number;
    }
    return true;
}

static bool read_integers(GraphReader *reader, const json_t *value, Argument *argument)
{
    return read_list(reader, value, argument, read_integer);
}

static bool read_booleans(GraphReader *reader, const json_t *value, Argument *argument)
{
    return read_list(reader, value, argument, read_boolean);
}

static bool read_floats(GraphReader *reader, const json_t *value, Argument *argument)
{
    return read_list(reader, value, argument, read_float);
}

static bool read_symbolics(GraphReader *reader, const json_t *value, Argument *argument)
{
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
    {"as_strings", ARGUMENT_OTHER, NULL},
    {"as_sym_float", ARGUMENT_OTHER, NULL},
    {"as_sym_floats", ARGUMENT_OTHER, NULL},
    {"as_sym_bool", ARGUMENT_OTHER, NULL},
    {"as_sym_bools", ARGUMENT_OTHER, NULL},
    {"as_graph", ARGUMENT_OTHER, NULL},
    {"as_complex", ARGUMENT_OTHER, NULL},
    {"as_operator", ARGUMENT_OTHER, NULL},
    {"as_custom_obj", ARGUMENT_OTHER, NULL},
    {"as_nested_tensors", ARGUMENT_OTHER, NULL},
    {"as_int_lists", ARGUMENT_OTHER, NULL},
    {"as_float_lists", ARGUMENT_OTHER, NULL},
    {"as_string_to_argument", ARGUMENT_OTHER, NULL},
};

static bool read_argument(GraphReader *reader, const json_t *value, Argument *argument)
{
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

/* --- Nodes -------------------------------------------------------------------------------- */

/* Marks the value as defined and returns its index, or -1. */
static int define(GraphReader *reader, const char *name)
{
    int index = map_find(&reader->program->names, name);
    const char *shown = string_printable(reader->arena, name, 200);
    if (index < 0) {
        json_fault(&reader->json, "value %s has no type: no entry in tensor_values", shown);
        return -1;
    }
    GraphValue *value = &reader->program->values.items[index];
    if (value->defined) {
        json_fault(&reader->json, "value %s is defined twice", shown);
        return -1;
    }
    value->defined = true;
    return index;
}

static bool add_output(GraphReader *reader, const json_t *tensor, int *index)
{
    const char *name = json_string_field(&reader->json, tensor, "name");
    *index = name ? define(reader, name) : -1;
    return *index >= 0;
}

/* Results are tensors, lists of tensors, none, or numbers of shape arithmetic, which are known by
 * their expressions and need no node. */
static bool read_outputs(GraphReader *reader, const json_t *list, Node *node)
{
    Vector(int) outputs = {0};
    size_t at;
    json_t *item;
    json_array_foreach(list, at, item) {
        const char *key;
        json_t *content;
        int index = -1;
        if (!json_union(&reader->json, item, &key, &content)) return false;
        if (strcmp(key, "as_tensors") == 0) {
            size_t member;
            json_t *tensor;
            json_array_foreach(content, member, tensor) {
                if (!add_output(reader, tensor, &index)) return false;
                vector_push(reader->arena, &outputs, index);
            }
            continue;
        }
        if (strcmp(key, "as_tensor") == 0 && !add_output(reader, content, &index)) return false;
        vector_push(reader->arena, &outputs, index);
    }
    node->outputs = outputs.items;
    node->output_count = outputs.count;
    return true;
}

static bool read_inputs(GraphReader *reader, const json_t *list, Node *node)
{
    size_t count = json_array_size(list);
    node->inputs = arena_array(reader->arena, count + 1, sizeof *node->inputs);
    node->input_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_field(&reader->json, item, "name");
        json_t *value = name ? json_field(&reader->json, item, "arg") : NULL;
        if (!value) return false;
        node->inputs[i].name = arena_string(reader->arena, name);
        node->inputs[i].is_keyword = json_integer_value(json_object_get(item, "kind")) == 2;
        if (!read_argument(reader, value, &node->inputs[i].value)) return false;
    }
    return true;
}

/* The innermost line of the model's own code: torch's own files are of no use to its author. */
static void read_python_line(GraphReader *reader, const json_t *metadata, Node *node)
{
    static const char frame[] = "File \"";
    const char *trace = json_string_value(json_object_get(metadata, "stack_trace"));
    for (const char *at = trace; at && (at = strstr(at, frame)); at++) {
        const char *file = at + strlen(frame);
        const char *end = strchr(file, '"');
        const char *line = end ? strstr(end, "line ") : NULL;
        if (!line) return;
        char *path = arena_string_of(reader->arena, file, (size_t)(end - file));
        if (node->python_file && strstr(path, "site-packages/torch/")) continue;
        node->python_file = path;
        node->python_line = (int)strtol(line + 5, NULL, 10);
        const char *code = strchr(line, '\n');
        node->python_code = "";
        if (!code) return;
        while (*code == '\n' || *code == ' ') code++;
        node->python_code = arena_string_of(reader->arena, code, strcspn(code, "\n"));
    }
}

static const char *node_name(GraphReader *reader, const json_t *item, const Node *node)
{
    const char *name = json_string_value(json_object_get(item, "name"));
    if (name) return arena_string(reader->arena, name);
    json_t *first = json_array_get(json_object_get(item, "outputs"), 0);
    name = json_string_value(json_object_get(json_object_get(first, "as_tensor"), "name"));
    return name ? arena_string(reader->arena, name) : node->target;
}

static bool read_node(GraphReader *reader, const json_t *item)
{
    Node node = {0};
    const char *target = json_string_field(&reader->json, item, "target");
    if (!target) return false;
    node.target = arena_string(reader->arena, target);
    node.name = node_name(reader, item, &node);
    set_item(reader, "node", node.name);
    json_t *inputs = json_array_field(&reader->json, item, "inputs");
    json_t *outputs = json_array_field(&reader->json, item, "outputs");
    if (!inputs || !outputs) return false;
    read_python_line(reader, json_object_get(item, "metadata"), &node);
    if (!read_inputs(reader, inputs, &node) || !read_outputs(reader, outputs, &node)) {
        node_note(reader->arena, reader->json.diagnostics, &node);
        return false;
    }
    vector_push(reader->arena, &reader->program->nodes, node);
    reader->json.item = NULL;
    return true;
}

static bool read_nodes(GraphReader *reader)
{
    json_t *nodes = json_array_field(&reader->json, reader->graph, "nodes");
    if (!nodes) return false;
    size_t at;
    json_t *item;
    json_array_foreach(nodes, at, item) {
        if (!read_node(reader, item)) return false;
    }
    return true;
}

/* --- Signature ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *name_field; /* of the name in the model's state */
    InputKind kind;
} input_kinds[] = {
    {"parameter", "parameter_name", INPUT_PARAMETER},
    {"buffer", "buffer_name", INPUT_BUFFER},
    {"tensor_constant", "tensor_constant_name", INPUT_CONSTANT},
    {"user_input", NULL, INPUT_USER},
    {"constant_input", NULL, INPUT_NUMBER},
};

/* Finds the kind of an input spec; reports one that cannot be compiled. */
static bool find_input_kind(GraphReader *reader, const char *key, size_t *row)
{
    for (size_t i = 0; i < sizeof input_kinds / sizeof *input_kinds; i++) {
        if (strcmp(key, input_kinds[i].name) == 0) {
            *row = i;
            return true;
        }
    }
    if (strcmp(key, "custom_obj") == 0 || strcmp(key, "token") == 0) {
        return fault(reader, "inputs of kind @ are not supported", key);
    }
    return fault(reader, "unknown input kind @", key);
}

/* The name that a spec gives for its graph input. */
static const char *spec_value_name(GraphReader *reader, const json_t *spec, InputKind kind)
{
    json_t *argument = json_object_field(&reader->json, spec, "arg");
    if (argument && kind == INPUT_USER) {
        json_t *tensor = json_object_get(argument, "as_tensor");
        if (!tensor) {
            json_fault(&reader->json, "an input that is no tensor is not supported");
            return NULL;
        }
        argument = tensor;
    }
    return argument ? json_string_field(&reader->json, argument, "name") : NULL;
}

static bool read_input(GraphReader *reader, const json_t *argument, const json_t *spec)
{
    const char *key, *member;
    json_t *content, *value;
    size_t row = 0;
    if (!json_union(&reader->json, spec, &key, &content)) return false;
    if (!find_input_kind(reader, key, &row)) return false;
    GraphInput input = {.kind = input_kinds[row].kind, .value = -1};
    if (input.kind == INPUT_NUMBER) {
        vector_push(reader->arena, &reader->program->inputs, input);
        return true;
    }
    const char *name = spec_value_name(reader, content, input.kind);
    if (!name || !json_union(&reader->json, argument, &member, &value)) return false;
    const char *wanted = json_string_value(json_object_get(value, "name"));
    if (strcmp(member, "as_tensor") != 0 || !wanted || strcmp(wanted, name) != 0) {
        return fault(reader, "input spec @ does not match the graph input at its place", name);
    }
    input.value = define(reader, name);
    if (input.value < 0) return false;
    const char *field = input_kinds[row].name_field;
    const char *state = field ? json_string_field(&reader->json, content, field) : name;
    if (!state) return false;
    input.name = arena_string(reader->arena, state);
    if (input.kind == INPUT_BUFFER && json_is_false(json_object_get(content, "persistent"))) {
        input.kind = INPUT_CONSTANT;
    }
    vector_push(reader->arena, &reader->program->inputs, input);
    return true;
}

/* Both lists have the same length and order. */
static bool same_length(GraphReader *reader, const json_t *graph, const json_t *specs,
                        const char *what)
{
    size_t values = json_array_size(graph), count = json_array_size(specs);
    if (values == count) return true;
    return json_fault(&reader->json, "%zu %s specs in the signature for %zu %ss of the graph", count,
                      what, values, what);
}

static bool read_graph_inputs(GraphReader *reader, const json_t *signature)
{
    json_t *inputs = json_array_field(&reader->json, reader->graph, "inputs");
    json_t *specs = json_array_field(&reader->json, signature, "input_specs");
    if (!inputs || !specs || !same_length(reader, inputs, specs, "input")) return false;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        if (!read_input(reader, json_array_get(inputs, i), json_array_get(specs, i))) return false;
    }
    return true;
}

static const struct {
    const char *name;
    const char *target; /* field with the name of what is written */
} mutations[] = {
    {"user_output", NULL},
    {"buffer_mutation", "buffer_name"},
    {"parameter_mutation", "parameter_name"},
    {"user_input_mutation", "user_input_name"},
};

static bool read_output(GraphReader *reader, const json_t *argument, const json_t *spec)
{
    const char *key;
    json_t *content;
    if (!json_union(&reader->json, spec, &key, &content)) return false;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
        if (strcmp(key, mutations[i].name) != 0) continue;
        GraphOutput output = {.is_mutation = i > 0};
        if (output.is_mutation) {
            const char *target = json_string_field(&reader->json, content, mutations[i].target);
            if (!target) return false;
            output.target = arena_string(reader->arena, target);
        }
        reader->json.item = "output of the graph";
        if (!read_argument(reader, argument, &output.value)) return false;
        reader->json.item = NULL;
        vector_push(reader->arena, &reader->program->outputs, output);
        return true;
    }
    return fault(reader, "outputs of kind @ are not supported", key);
}

static bool read_graph_outputs(GraphReader *reader, const json_t *signature)
{
    json_t *outputs = json_array_field(&reader->json, reader->graph, "outputs");
    json_t *specs = json_array_field(&reader->json, signature, "output_specs");
    if (!outputs || !specs || !same_length(reader, outputs, specs, "output")) return false;
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        if (!read_output(reader, json_array_get(outputs, i), json_array_get(specs, i))) return false;
    }
    return true;
}

/* --- Shapes that --shape fixes ------------------------------------------------------------ */

static bool bind_shape(GraphReader *reader, const FixedShape *shape)
{
    json_t *table = json_object_get(reader->graph, "tensor_values");
    json_t *sizes = json_object_get(json_object_get(table, shape->name), "sizes");
    if (!json_is_array(sizes)) return fault(reader, "--shape: the model has no input @", shape->name);
    if (json_array_size(sizes) != (size_t)shape->rank) {
        return json_fault(&reader->json, "--shape: input %s has %zu dimensions, not %d", shape->name,
                          json_array_size(sizes), shape->rank);
    }
    for (int i = 0; i < shape->rank; i++) {
        json_t *size = json_array_get(sizes, (size_t)i);
        json_t *expression = json_object_get(json_object_get(size, "as_expr"), "expr_str");
        const char *text = json_string_value(expression);
        const char *symbol = text ? symbols_plain(reader->arena, text) : NULL;
        bool same = symbol ? symbols_fix(&reader->symbols, symbol, shape->shape[i])
                           : text || json_integer_value(json_object_get(size, "as_int")) ==
                                         shape->shape[i];
        if (!same) {
            return json_fault(&reader->json,
                              "--shape: dimension %d of input %s cannot be %lld: the model fixes it "
                              "otherwise", i, shape->name, (long long)shape->shape[i]);
        }
    }
    return true;
}

/* --- The whole ---------------------------------------------------------------------------- */

static bool check_version(GraphReader *reader, const json_t *document)
{
    int64_t major, minor;
    json_t *version = json_object_field(&reader->json, document, "schema_version");
    if (!version || !json_integer_field(&reader->json, version, "major", &major) ||
        !json_integer_field(&reader->json, version, "minor", &minor)) {
        return false;
    }
    if (major == 8) return true;
    return json_fault(&reader->json,
                      "schema version %lld.%lld is not supported, 8.x is (torch 2.6 and later): "
                      "export the model again", (long long)major, (long long)minor);
}

static void count_use(Program *program, const Argument *argument, int node)
{
    bool is_list = argument->kind == ARGUMENT_TENSORS;
    if (!is_list && argument->kind != ARGUMENT_TENSOR) return;
    int count = is_list ? argument->count : 1;
    for (int i = 0; i < count; i++) {
        int64_t index = is_list ? argument->integers[i] : argument->integer;
        if (index < 0) continue;
        GraphValue *value = &program->values.items[index];
        value->uses++;
        if (value->last_use < node) value->last_use = node;
    }
}

/* In-place operations (mul_, but not __and__) may change what others see. */
static bool is_in_place(const Node *node)
{
    const char *dot = strrchr(node->target, '.');
    return dot && dot - node->target >= 2 && dot[-1] == '_' && dot[-2] != '_';
}

/* From the outputs back: dead nodes are not compiled and their weights not loaded. */
static void find_live(Program *program)
{
    for (int i = 0; i < program->outputs.count; i++) {
        count_use(program, &program->outputs.items[i].value, program->nodes.count);
    }
    for (int n = program->nodes.count - 1; n >= 0; n--) {
        Node *node = &program->nodes.items[n];
        node->is_live = is_in_place(node);
        for (int i = 0; i < node->output_count; i++) {
            int output = node->outputs[i];
            node->is_live |= output >= 0 && program->values.items[output].uses > 0;
        }
        for (int i = 0; node->is_live && i < node->input_count; i++) {
            count_use(program, &node->inputs[i].value, n);
        }
    }
}

bool program_read(Arena *arena, Diagnostics *diagnostics, const char *place, const json_t *document,
                  int shape_count, const FixedShape *shapes, Program *program)
{
    GraphReader reader = {.arena = arena,
                          .json = {arena, diagnostics, place, NULL},
                          .program = program,
                          .symbols = symbols_new(arena),
                          .shape_count = shape_count,
                          .shapes = shapes};
    *program = (Program){.names = map_new(arena)};
    if (!check_version(&reader, document)) return false;
    json_t *module = json_object_field(&reader.json, document, "graph_module");
    reader.graph = module ? json_object_field(&reader.json, module, "graph") : NULL;
    json_t *signature = reader.graph ? json_object_field(&reader.json, module, "signature") : NULL;
    if (!signature) return false;
    for (int i = 0; i < shape_count; i++) {
        if (!bind_shape(&reader, &shapes[i])) return false;
    }
    if (!read_values(&reader) || !read_graph_inputs(&reader, signature) || !read_nodes(&reader) ||
        !read_graph_outputs(&reader, signature)) {
        return false;
    }
    find_live(program);
    return true;
}

const char *node_text(Arena *arena, const Node *node)
{
    return string_format(arena, "node %s", string_printable(arena, node->name, 120));
}

void node_note(Arena *arena, Diagnostics *diagnostics, const Node *node)
{
    if (!node->python_file) return;
    note(diagnostics, "%s:%d: %s", string_printable(arena, node->python_file, 300),
         node->python_line, string_printable(arena, node->python_code, 200));
}
