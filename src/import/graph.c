/* models/model.json of an archive -> Program: types of values, arguments, nodes in order, and the
 * signature. Everything is one pass over arrays with a hash table of names; nothing recurses. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "import/graph_reader.h"

/* --- Nodes -------------------------------------------------------------------------------- */

int graph_define(GraphReader *reader, const char *name) {
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

static bool add_output(GraphReader *reader, const json_t *tensor, int *index) {
    const char *name = json_string_field(&reader->json, tensor, "name");
    *index = name ? graph_define(reader, name) : -1;
    return *index >= 0;
}

/* Results are tensors, lists of tensors, none, or numbers of shape arithmetic, which are known by
 * their expressions and need no node. */
static bool read_outputs(GraphReader *reader, const json_t *list, Node *node) {
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

static bool read_inputs(GraphReader *reader, const json_t *list, Node *node) {
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
        if (!graph_argument(reader, value, &node->inputs[i].value)) return false;
    }
    return true;
}

/* The innermost line of the model's own code: torch's own files are of no use to its author. */
static void read_python_line(GraphReader *reader, const json_t *metadata, Node *node) {
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

static const char *node_name(GraphReader *reader, const json_t *item, const Node *node) {
    const char *name = json_string_value(json_object_get(item, "name"));
    if (name) return arena_string(reader->arena, name);
    json_t *first = json_array_get(json_object_get(item, "outputs"), 0);
    name = json_string_value(json_object_get(json_object_get(first, "as_tensor"), "name"));
    return name ? arena_string(reader->arena, name) : node->target;
}

static bool read_node(GraphReader *reader, const json_t *item) {
    Node node = {.depth = reader->depth};
    const char *target = json_string_field(&reader->json, item, "target");
    if (!target) return false;
    node.target = arena_string(reader->arena, target);
    node.name = node_name(reader, item, &node);
    graph_item(reader, "node", node.name);
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

bool graph_nodes(GraphReader *reader) {
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
static bool find_input_kind(GraphReader *reader, const char *key, size_t *row) {
    for (size_t i = 0; i < sizeof input_kinds / sizeof *input_kinds; i++) {
        if (strcmp(key, input_kinds[i].name) == 0) {
            *row = i;
            return true;
        }
    }
    if (strcmp(key, "custom_obj") == 0 || strcmp(key, "token") == 0) {
        return json_fault(&reader->json, "inputs of kind %s are not supported", key);
    }
    return json_fault(&reader->json, "unknown input kind %s",
                      string_printable(reader->arena, key, 80));
}

/* The name that a spec gives for its graph input. */
static const char *spec_value_name(GraphReader *reader, const json_t *spec, InputKind kind) {
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

static bool read_input(GraphReader *reader, const json_t *argument, const json_t *spec) {
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
        return json_fault(&reader->json,
                          "input spec %s does not match the graph input at its place",
                          string_printable(reader->arena, name, 200));
    }
    input.value = graph_define(reader, name);
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
                        const char *what) {
    size_t values = json_array_size(graph), count = json_array_size(specs);
    if (values == count) return true;
    return json_fault(&reader->json, "%zu %s specs in the signature for %zu %ss of the graph",
                      count, what, values, what);
}

static bool read_graph_inputs(GraphReader *reader, const json_t *signature) {
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

static bool read_output(GraphReader *reader, const json_t *argument, const json_t *spec) {
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
            output.is_input_mutation = strcmp(key, "user_input_mutation") == 0;
        }
        reader->json.item = "output of the graph";
        if (!graph_argument(reader, argument, &output.value)) return false;
        reader->json.item = NULL;
        vector_push(reader->arena, &reader->program->outputs, output);
        return true;
    }
    return json_fault(&reader->json, "outputs of kind %s are not supported",
                      string_printable(reader->arena, key, 80));
}

static bool read_graph_outputs(GraphReader *reader, const json_t *signature) {
    json_t *outputs = json_array_field(&reader->json, reader->graph, "outputs");
    json_t *specs = json_array_field(&reader->json, signature, "output_specs");
    if (!outputs || !specs || !same_length(reader, outputs, specs, "output")) return false;
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        if (!read_output(reader, json_array_get(outputs, i), json_array_get(specs, i)))
            return false;
    }
    return true;
}

/* --- The whole ---------------------------------------------------------------------------- */

static bool check_version(GraphReader *reader, const json_t *document) {
    int64_t major, minor;
    json_t *version = json_object_field(&reader->json, document, "schema_version");
    if (!version || !json_integer_field(&reader->json, version, "major", &major) ||
        !json_integer_field(&reader->json, version, "minor", &minor)) {
        return false;
    }
    if (major == 8) return true;
    return json_fault(&reader->json,
                      "schema version %lld.%lld is not supported, 8.x is (torch 2.6 and later): "
                      "export the model again",
                      (long long)major, (long long)minor);
}

static void count_use(Program *program, const Argument *argument, int node) {
    const Graph *graph = argument->kind == ARGUMENT_GRAPH ? argument->graph : NULL;
    for (int i = 0; graph && i < graph->output_count; i++)
        count_use(program, &graph->outputs[i], node);
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

bool node_is_in_place(const Node *node) {
    const char *dot = strrchr(node->target, '.');
    return dot && dot - node->target >= 2 && dot[-1] == '_' && dot[-2] != '_';
}

/* From the outputs back: dead nodes are not compiled and their weights not loaded. */
static void find_live(Program *program) {
    for (int i = 0; i < program->outputs.count; i++) {
        count_use(program, &program->outputs.items[i].value, program->nodes.count);
    }
    for (int n = program->nodes.count - 1; n >= 0; n--) {
        Node *node = &program->nodes.items[n];
        node->is_live = node_is_in_place(node);
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
                  int shape_count, const FixedShape *shapes, Program *program) {
    GraphReader reader = {.arena = arena,
                          .json = {arena, diagnostics, place, NULL},
                          .program = program,
                          .symbols = symbols_new(arena)};
    *program = (Program){.names = map_new(arena)};
    if (!check_version(&reader, document)) return false;
    json_t *module = json_object_field(&reader.json, document, "graph_module");
    reader.graph = module ? json_object_field(&reader.json, module, "graph") : NULL;
    json_t *signature = reader.graph ? json_object_field(&reader.json, module, "signature") : NULL;
    if (!signature) return false;
    reader.ranges = json_object_get(document, "range_constraints");
    if (!graph_fix_shapes(&reader, shape_count, shapes) || !graph_values(&reader) ||
        !graph_check_shapes(&reader, shape_count, shapes) ||
        !read_graph_inputs(&reader, signature) || !graph_nodes(&reader) ||
        !read_graph_outputs(&reader, signature)) {
        return false;
    }
    find_live(program);
    return true;
}

const char *node_text(Arena *arena, const Node *node) {
    return string_format(arena, "node %s", string_printable(arena, node->name, 120));
}

void node_note(Arena *arena, Diagnostics *diagnostics, const Node *node) {
    if (!node->python_file) return;
    note(diagnostics, "%s:%d: %s", string_printable(arena, node->python_file, 300),
         node->python_line, string_printable(arena, node->python_code, 200));
}
