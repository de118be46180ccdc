/* Schemas of operations: a parser of PyTorch's notation, and arguments checked against it. */
#include "import/schema.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parser {
    Arena *arena;
    const char *at;
} Parser;

static const struct {
    const char *name;
    ParameterType type;
} types[] = {
    {"Tensor", PARAMETER_TENSOR},
    {"int", PARAMETER_INTEGER},
    {"SymInt", PARAMETER_INTEGER},
    {"float", PARAMETER_FLOAT},
    {"Scalar", PARAMETER_NUMBER},
    {"bool", PARAMETER_BOOL},
    {"str", PARAMETER_STRING},
    {"ScalarType", PARAMETER_DTYPE},
    {"Layout", PARAMETER_LAYOUT},
    {"Device", PARAMETER_DEVICE},
    {"MemoryFormat", PARAMETER_MEMORY_FORMAT},
    {"Graph", PARAMETER_GRAPH},
};

static bool accept(Parser *parser, const char *wanted) {
    while (*parser->at == ' ') parser->at++;
    if (!string_starts(parser->at, wanted)) return false;
    parser->at += strlen(wanted);
    return true;
}

static const char *read_word(Parser *parser) {
    while (*parser->at == ' ') parser->at++;
    const char *start = parser->at;
    while (isalnum((unsigned char)*parser->at) || *parser->at == '_') parser->at++;
    return arena_string_of(parser->arena, start, (size_t)(parser->at - start));
}

/* (a), (a!) or (a -> *): what a tensor shares memory with. */
static void skip_alias(Parser *parser) {
    if (*parser->at != '(') return;
    const char *end = strchr(parser->at, ')');
    if (end) parser->at = end + 1;
}

static bool read_type(Parser *parser, Parameter *parameter) {
    const char *word = read_word(parser);
    size_t row = 0, count = sizeof types / sizeof *types;
    while (row < count && strcmp(word, types[row].name) != 0) row++;
    if (row == count) return false;
    parameter->type = types[row].type;
    skip_alias(parser);
    bool item_optional = accept(parser, "?");
    if (accept(parser, "[")) {
        parameter->is_list = true;
        parameter->has_holes = item_optional;
        parameter->length = (int)strtol(parser->at, (char **)(uintptr_t)&parser->at, 10);
        /* int[1] takes lists of any length. */
        if (parameter->length == 1) parameter->length = 0;
        if (!accept(parser, "]")) return false;
        item_optional = accept(parser, "?");
    }
    parameter->is_optional = item_optional;
    return true;
}

static bool read_text(Parser *parser, Argument *argument) {
    const char *end = strchr(parser->at + 1, *parser->at);
    if (!end) return false;
    argument->kind = ARGUMENT_STRING;
    argument->string =
        arena_string_of(parser->arena, parser->at + 1, (size_t)(end - parser->at - 1));
    parser->at = end + 1;
    return true;
}

static bool read_number(Parser *parser, Argument *argument) {
    char *end_integer, *end_real;
    argument->integer = strtoll(parser->at, &end_integer, 10);
    argument->number = strtod(parser->at, &end_real);
    argument->kind = end_real > end_integer ? ARGUMENT_FLOAT : ARGUMENT_INTEGER;
    bool found = end_real > parser->at;
    parser->at = end_real;
    return found;
}

static bool read_integers(Parser *parser, Argument *argument) {
    argument->kind = ARGUMENT_INTEGERS;
    argument->integers = arena_array(parser->arena, MAX_RANK, sizeof *argument->integers);
    while (!accept(parser, "]")) {
        Argument item = {0};
        if (argument->count == MAX_RANK || !read_number(parser, &item)) return false;
        argument->integers[argument->count++] = item.integer;
        accept(parser, ",");
    }
    return true;
}

static bool read_default(Parser *parser, Argument *argument) {
    static const struct {
        const char *name;
        Argument value;
    } words[] = {
        {"None", {.kind = ARGUMENT_NONE}},
        {"True", {.kind = ARGUMENT_BOOL, .integer = 1, .number = 1}},
        {"False", {.kind = ARGUMENT_BOOL}},
        {"contiguous_format", {.kind = ARGUMENT_MEMORY_FORMAT, .integer = 1}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!accept(parser, words[i].name)) continue;
        *argument = words[i].value;
        return true;
    }
    if (*parser->at == '\'' || *parser->at == '"') return read_text(parser, argument);
    if (accept(parser, "[")) return read_integers(parser, argument);
    return read_number(parser, argument);
}

static bool read_parameter(Parser *parser, Parameter *parameter) {
    if (!read_type(parser, parameter)) return false;
    parameter->name = read_word(parser);
    if (!parameter->name[0]) return false;
    parameter->has_default = accept(parser, "=");
    if (!parameter->has_default) return true;
    const char *wanted;
    return read_default(parser, &parameter->fallback) &&
           parameter_accept(parser->arena, parameter, &parameter->fallback, &wanted);
}

bool schema_parse(Arena *arena, const char *text, Schema *schema) {
    Parser parser = {arena, text};
    *schema = (Schema){0};
    if (!accept(&parser, "(")) return false;
    while (!accept(&parser, ")")) {
        if (accept(&parser, "*")) {
            if (!accept(&parser, ",")) return false;
            continue;
        }
        if (schema->count == MAX_PARAMETERS) return false;
        if (!read_parameter(&parser, &schema->parameters[schema->count++])) return false;
        accept(&parser, ",");
    }
    schema->is_view = strstr(parser.at, "Tensor(a") != NULL;
    return accept(&parser, "->");
}

/* --- arguments ----------------------------------------------------------------------------- */

static bool is_number(const Argument *argument) {
    return argument->kind == ARGUMENT_INTEGER || argument->kind == ARGUMENT_FLOAT ||
           argument->kind == ARGUMENT_BOOL;
}

static bool accept_tensor(Argument *argument) {
    /* A Python number may stand for a tensor: mul.Tensor(x, 0.5). */
    return argument->kind == ARGUMENT_TENSOR || is_number(argument);
}

static bool accept_integer(Argument *argument) {
    return argument->kind == ARGUMENT_INTEGER;
}

static bool accept_float(Argument *argument) {
    if (argument->kind == ARGUMENT_INTEGER) argument->kind = ARGUMENT_FLOAT;
    return argument->kind == ARGUMENT_FLOAT;
}

static bool accept_number(Argument *argument) {
    return is_number(argument);
}

static bool accept_bool(Argument *argument) {
    return argument->kind == ARGUMENT_BOOL;
}

static bool accept_string(Argument *argument) {
    return argument->kind == ARGUMENT_STRING;
}

static bool accept_dtype(Argument *argument) {
    return argument->kind == ARGUMENT_DTYPE;
}

static bool accept_layout(Argument *argument) {
    return argument->kind == ARGUMENT_LAYOUT;
}

static bool accept_device(Argument *argument) {
    return argument->kind == ARGUMENT_DEVICE;
}

static bool accept_memory_format(Argument *argument) {
    /* Schemas write the default of contiguous() as a number. */
    if (argument->kind == ARGUMENT_INTEGER) argument->kind = ARGUMENT_MEMORY_FORMAT;
    return argument->kind == ARGUMENT_MEMORY_FORMAT;
}

static bool accept_graph(Argument *argument) {
    return argument->kind == ARGUMENT_GRAPH;
}

static const struct {
    bool (*accept)(Argument *argument);
    ArgumentKind list; /* kind of a list of these */
    const char *name, *list_name;
} rules[] = {
    [PARAMETER_TENSOR] = {accept_tensor, ARGUMENT_TENSORS, "a tensor", "a list of tensors"},
    [PARAMETER_INTEGER] = {accept_integer, ARGUMENT_INTEGERS, "an integer", "a list of integers"},
    [PARAMETER_FLOAT] = {accept_float, ARGUMENT_FLOATS, "a float", "a list of floats"},
    [PARAMETER_NUMBER] = {accept_number, ARGUMENT_FLOATS, "a number", "a list of numbers"},
    [PARAMETER_BOOL] = {accept_bool, ARGUMENT_BOOLS, "true or false", "a list of booleans"},
    [PARAMETER_STRING] = {accept_string, ARGUMENT_OTHER, "a string", "a list of strings"},
    [PARAMETER_DTYPE] = {accept_dtype, ARGUMENT_OTHER, "a dtype", "a list of dtypes"},
    [PARAMETER_LAYOUT] = {accept_layout, ARGUMENT_OTHER, "a layout", "a list of layouts"},
    [PARAMETER_DEVICE] = {accept_device, ARGUMENT_OTHER, "a device", "a list of devices"},
    [PARAMETER_MEMORY_FORMAT] = {accept_memory_format, ARGUMENT_OTHER, "a memory format",
                                 "a list of memory formats"},
    [PARAMETER_GRAPH] = {accept_graph, ARGUMENT_OTHER, "a graph", "a list of graphs"},
};

/* Makes one number the list of `count` copies of it. */
static void spread(Arena *arena, Argument *argument, int count) {
    int64_t *integers = arena_array(arena, (size_t)count, sizeof *integers);
    for (int i = 0; i < count; i++) integers[i] = argument->integer;
    *argument = (Argument){.kind = ARGUMENT_INTEGERS, .count = count, .integers = integers};
}

static bool accept_list(Arena *arena, const Parameter *parameter, Argument *argument) {
    if (argument->kind == ARGUMENT_INTEGER && parameter->type == PARAMETER_INTEGER) {
        spread(arena, argument, parameter->length ? parameter->length : 1);
    }
    if (argument->kind != rules[parameter->type].list) {
        /* An empty list of numbers has the kind of integers, whatever it is of. */
        return argument->kind == ARGUMENT_INTEGERS && argument->count == 0;
    }
    if (parameter->type == PARAMETER_INTEGER && argument->count == 1 && parameter->length > 1) {
        argument->integer = argument->integers[0];
        spread(arena, argument, parameter->length);
    }
    for (int i = 0; argument->kind == ARGUMENT_TENSORS && i < argument->count; i++) {
        if (argument->integers[i] < 0 && !parameter->has_holes) return false;
    }
    /* An empty list stands for "not given" where that is the default (stride of a pooling). */
    bool may_be_empty = parameter->has_default && parameter->fallback.count == 0;
    if (argument->count == 0 && may_be_empty) return true;
    return parameter->length == 0 || argument->count == parameter->length;
}

bool parameter_accept(Arena *arena, const Parameter *parameter, Argument *argument,
                      const char **wanted) {
    if (argument->kind == ARGUMENT_NONE && parameter->is_optional) return true;
    *wanted = rules[parameter->type].name;
    if (!parameter->is_list) return rules[parameter->type].accept(argument);
    *wanted = rules[parameter->type].list_name;
    if (parameter->length > 1) {
        *wanted = string_format(arena, "%s with 1 or %d items", *wanted, parameter->length);
    }
    return accept_list(arena, parameter, argument);
}
