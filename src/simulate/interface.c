/* Writes and reads interface.json; the place of an element. */
#include "simulate/interface.h"

#include <string.h>

#include "import/json.h"

static const char *const scheme_names[] = {"none", "cyclic", "block"};
enum { SCHEME_COUNT = 3, WIDEST_ADDRESS = 48, LARGEST_FACTOR = 1 << 20, LARGEST_FILE = 1 << 24 };

/* --- places --- */

/* Elements of dimension `d` in one bank. */
static size_t part_size(const PortTensor *port, int d) {
    size_t size = (size_t)port->tensor.shape[d], factor = (size_t)port->partition[d].factor;
    return (size + factor - 1) / factor;
}

size_t port_words(const PortTensor *port) {
    return port->banks * port->depth;
}

size_t port_address(const PortTensor *port, size_t element) {
    size_t bank = 0, offset = 0, banks = 1, depth = 1;
    for (int d = port->tensor.rank - 1; d >= 0; d--) {
        size_t size = (size_t)port->tensor.shape[d], index = element % size;
        size_t factor = (size_t)port->partition[d].factor, part_length = part_size(port, d);
        bool cyclic = port->partition[d].scheme == PARTITION_CYCLIC;
        bank += banks * (cyclic ? index % factor : index / part_length);
        offset += depth * (cyclic ? index / factor : index % part_length);
        banks *= factor;
        depth *= part_length;
        element /= size;
    }
    return bank * port->depth + offset;
}

/* Fills banks, depth and widths from shape and partition; false if there are too many words. */
static bool set_sizes(PortTensor *port) {
    size_t words;
    port->banks = port->depth = 1;
    for (int d = 0; d < port->tensor.rank; d++)
        if (!size_multiply(port->banks, (size_t)port->partition[d].factor, &port->banks) ||
            !size_multiply(port->depth, part_size(port, d), &port->depth))
            return false;
    if (port->depth == 0) port->depth = 1; /* a word that holds no element */
    if (!size_multiply(port->banks, port->depth, &words)) return false;
    port->data_width = port->tensor.type.width;
    port->address_width = bits_to_count(words);
    return port->address_width <= WIDEST_ADDRESS;
}

/* --- writing --- */

static PortTensor port_of_memory(const Memory *memory) {
    PortTensor port = {.port = memory->name};
    port.tensor = (Tensor){.name = memory->tensor_name ? memory->tensor_name : memory->name,
                           .type = memory->type,
                           .is_unsigned = memory->is_unsigned,
                           .is_bool = memory->is_bool,
                           .rank = memory->rank,
                           .elements = memory->elements};
    for (int d = 0; d < memory->rank; d++) {
        port.tensor.shape[d] = memory->shape[d];
        port.partition[d] = memory->partition[d];
        /* A memory that no pass has touched has no factors. */
        if (port.partition[d].factor < 1) port.partition[d].factor = 1;
    }
    set_sizes(&port); /* fits: the memory was built */
    return port;
}

static void write_port(const PortTensor *port, Text *text) {
    const Tensor *tensor = &port->tensor;
    text_printf(text, "    {\"name\": \"%s\", \"port\": \"%s\", \"type\": \"%s\",\n",
                string_json(text->arena, tensor->name), port->port, scalar_name(tensor->type));
    text_printf(text, "     \"bool\": %s, \"unsigned\": %s, \"shape\": [",
                tensor->is_bool ? "true" : "false", tensor->is_unsigned ? "true" : "false");
    for (int d = 0; d < tensor->rank; d++)
        text_printf(text, "%s%lld", d ? ", " : "", (long long)tensor->shape[d]);
    text_printf(text, "], \"elements\": %zu,\n", tensor->elements);
    text_printf(text,
                "     \"address_width\": %d, \"data_width\": %d, \"banks\": %zu, \"depth\": %zu,\n",
                port->address_width, port->data_width, port->banks, port->depth);
    text_append(text, "     \"partition\": [");
    for (int d = 0; d < tensor->rank; d++)
        text_printf(text, "%s{\"scheme\": \"%s\", \"factor\": %d}", d ? ", " : "",
                    scheme_names[port->partition[d].scheme], port->partition[d].factor);
    text_append(text, "]}");
}

static void write_ports(const Program *program, const char *key, int first, int count, Text *text) {
    text_printf(text, ",\n  \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        PortTensor port = port_of_memory(&program->memories.items[first + i]);
        text_append(text, i ? ",\n" : "\n");
        write_port(&port, text);
    }
    text_append(text, "]");
}

void interface_write(const Program *program, Text *text) {
    text_printf(text,
                "{\"top\": \"%s\", \"clock\": \"clk\", \"reset\": \"reset\", \"go\": \"go\", "
                "\"done\": \"done\"",
                program->name);
    int states = program->state_count;
    write_ports(program, "inputs", 0, program->input_count - states, text);
    write_ports(program, "outputs", program->input_count, program->output_count - states, text);
    text_append(text, "}\n");
}

/* --- reading --- */

/* A string that may stand in Verilog text as a name. */
static const char *identifier_field(JsonReader *reader, const json_t *object, const char *key) {
    const char *name = json_string_field(reader, object, key);
    if (!name) return NULL;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (*name && !name[length] && (*name < '0' || *name > '9'))
        return arena_string(reader->arena, name);
    json_fault(reader, "'%s' is not an identifier: \"%s\"", key,
               string_printable(reader->arena, name, 60));
    return NULL;
}

static bool bool_field(JsonReader *reader, const json_t *object, const char *key, bool *value) {
    json_t *field = json_field(reader, object, key);
    if (!field) return false;
    if (!json_is_boolean(field)) return json_fault(reader, "'%s' is not true or false", key);
    *value = json_is_true(field);
    return true;
}

static bool read_shape(JsonReader *reader, const json_t *object, Tensor *tensor) {
    json_t *shape = json_array_field(reader, object, "shape");
    if (!shape) return false;
    if (json_array_size(shape) > MAX_RANK)
        return json_fault(reader, "'shape' has more than %d dimensions", MAX_RANK);
    tensor->rank = (int)json_array_size(shape);
    for (int d = 0; d < tensor->rank; d++) {
        json_t *size = json_array_get(shape, (size_t)d);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return json_fault(reader, "'shape' holds what is not a size");
        tensor->shape[d] = json_integer_value(size);
    }
    size_t bytes;
    if (!shape_elements(tensor->rank, tensor->shape, &tensor->elements) ||
        !shape_bytes(tensor->type, tensor->rank, tensor->shape, &bytes))
        return json_fault(reader, "'shape' has too many elements");
    return true;
}

static bool read_part(JsonReader *reader, const json_t *object, Partition *part) {
    const char *scheme = json_string_field(reader, object, "scheme");
    int64_t factor;
    if (!scheme || !json_integer_field(reader, object, "factor", &factor)) return false;
    int found = 0;
    while (found < SCHEME_COUNT && strcmp(scheme, scheme_names[found]) != 0) found++;
    if (found == SCHEME_COUNT)
        return json_fault(reader, "'scheme' is \"%s\", not none, cyclic or block",
                          string_printable(reader->arena, scheme, 30));
    if (factor < 1 || factor > LARGEST_FACTOR || (found == PARTITION_NONE && factor != 1))
        return json_fault(reader, "'factor' %lld does not fit scheme \"%s\"", (long long)factor,
                          scheme);
    *part = (Partition){(PartitionScheme)found, (int)factor};
    return true;
}

static bool read_partition(JsonReader *reader, const json_t *object, PortTensor *port) {
    json_t *parts = json_array_field(reader, object, "partition");
    if (!parts) return false;
    if (json_array_size(parts) != (size_t)port->tensor.rank)
        return json_fault(reader, "'partition' has not one entry for each dimension");
    for (int d = 0; d < port->tensor.rank; d++)
        if (!read_part(reader, json_array_get(parts, (size_t)d), &port->partition[d])) return false;
    return true;
}

/* What follows from other fields is in the file for its readers; it must agree. */
static bool agrees(JsonReader *reader, const json_t *object, const char *key, size_t expected) {
    int64_t value;
    if (!json_integer_field(reader, object, key, &value)) return false;
    return (value >= 0 && (size_t)value == expected) ||
           json_fault(reader, "'%s' is %lld, but must be %zu", key, (long long)value, expected);
}

static bool read_port(JsonReader *reader, const json_t *object, PortTensor *port) {
    Tensor *tensor = &port->tensor;
    if (!json_is_object(object)) return json_fault(reader, "a tensor is not an object");
    const char *name = json_string_field(reader, object, "name");
    if (!name) return false;
    tensor->name = arena_string(reader->arena, name);
    reader->item = string_format(reader->arena, "tensor %s",
                                 string_printable(reader->arena, tensor->name, 60));
    const char *type = json_string_field(reader, object, "type");
    port->port = identifier_field(reader, object, "port");
    if (!type || !port->port) return false;
    if (!scalar_parse(type, &tensor->type))
        return json_fault(reader, "'type' is no scalar type: \"%s\"",
                          string_printable(reader->arena, type, 30));
    if (!bool_field(reader, object, "bool", &tensor->is_bool) ||
        !bool_field(reader, object, "unsigned", &tensor->is_unsigned) ||
        !read_shape(reader, object, tensor) || !read_partition(reader, object, port))
        return false;
    if (!set_sizes(port)) return json_fault(reader, "the tensor is too large");
    bool ok = agrees(reader, object, "elements", tensor->elements) &&
              agrees(reader, object, "banks", port->banks) &&
              agrees(reader, object, "depth", port->depth) &&
              agrees(reader, object, "address_width", (size_t)port->address_width) &&
              agrees(reader, object, "data_width", (size_t)port->data_width);
    reader->item = NULL;
    return ok;
}

static bool read_ports(JsonReader *reader, const json_t *root, const char *key, int *count,
                       PortTensor **ports) {
    json_t *array = json_array_field(reader, root, key);
    if (!array) return false;
    if (json_array_size(array) > 10000) return json_fault(reader, "too many '%s'", key);
    *count = (int)json_array_size(array);
    *ports = arena_array(reader->arena, (size_t)*count + 1, sizeof **ports);
    for (int i = 0; i < *count; i++)
        if (!read_port(reader, json_array_get(array, (size_t)i), &(*ports)[i])) return false;
    return true;
}

static bool read_root(JsonReader *reader, const json_t *root, Interface *interface) {
    return (interface->top = identifier_field(reader, root, "top")) &&
           (interface->clock = identifier_field(reader, root, "clock")) &&
           (interface->reset = identifier_field(reader, root, "reset")) &&
           (interface->go = identifier_field(reader, root, "go")) &&
           (interface->done = identifier_field(reader, root, "done")) &&
           read_ports(reader, root, "inputs", &interface->input_count, &interface->inputs) &&
           read_ports(reader, root, "outputs", &interface->output_count, &interface->outputs);
}

bool interface_read(Arena *arena, Diagnostics *diagnostics, const char *path,
                    Interface *interface) {
    char *bytes;
    size_t length;
    if (!file_read(arena, diagnostics, path, LARGEST_FILE, &bytes, &length)) return false;
    JsonReader reader = {arena, diagnostics, path, NULL};
    json_t *root = json_document(&reader, bytes, length);
    bool ok = root && read_root(&reader, root, interface);
    if (root) json_decref(root);
    return ok;
}
