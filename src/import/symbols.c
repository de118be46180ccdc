/* Symbolic sizes: a reader of the small part of sympy's notation that torch.export writes. The
 * text comes from a file: it is parsed, with limits, and never run. */
#include "import/symbols.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/vector.h"

enum { MAX_DEPTH = 64, MAX_NAME = 64 };

Symbols symbols_new(Arena *arena) {
    return (Symbols){.names = map_new(arena)};
}

bool symbols_fix(Symbols *symbols, const char *name, int64_t value) {
    int index = map_find(&symbols->names, name);
    if (index >= 0) return symbols->values[index] == value;
    symbols->values = vector_room(symbols->names.arena, symbols->values, symbols->count,
                                  &symbols->capacity, sizeof *symbols->values);
    symbols->values[symbols->count] = value;
    return map_add(&symbols->names, name, symbols->count++);
}

typedef struct Parser {
    const Symbols *symbols;
    const char *at;
    int depth;
    bool failed;
} Parser;

static bool fold_add(int64_t *left, int64_t right) {
    if (right > 0 ? *left > INT64_MAX - right : *left < INT64_MIN - right) return false;
    *left += right;
    return true;
}

static bool fold_multiply(int64_t *left, int64_t right) {
    /* Sizes are far below these bounds, which keep the product exact. */
    const int64_t bound = INT64_C(3000000000);
    if (*left > bound || *left < -bound || right > bound || right < -bound) return false;
    *left *= right;
    return true;
}

static bool fold_divide(int64_t *left, int64_t right) {
    if (right <= 0) return false;
    int64_t quotient = *left / right;
    *left = *left % right < 0 ? quotient - 1 : quotient;
    return true;
}

static bool fold_modulo(int64_t *left, int64_t right) {
    if (right <= 0) return false;
    int64_t rest = *left % right;
    *left = rest < 0 ? rest + right : rest;
    return true;
}

static bool fold_max(int64_t *left, int64_t right) {
    if (right > *left) *left = right;
    return true;
}

static bool fold_min(int64_t *left, int64_t right) {
    if (right < *left) *left = right;
    return true;
}

static bool fold_power(int64_t *left, int64_t right) {
    int64_t base = *left, power = 1;
    if (right < 0 || right > 62) return false;
    for (int64_t i = 0; i < right; i++) {
        if (!fold_multiply(&power, base)) return false;
    }
    *left = power;
    return true;
}

static const struct {
    const char *name;
    bool (*fold)(int64_t *left, int64_t right);
} functions[] = {
    {"Add", fold_add},         {"Mul", fold_multiply}, {"FloorDiv", fold_divide},
    {"CleanDiv", fold_divide}, {"Mod", fold_modulo},   {"PythonMod", fold_modulo},
    {"Max", fold_max},         {"Min", fold_min},      {"Pow", fold_power},
};

static bool accept(Parser *parser, char wanted) {
    while (*parser->at == ' ') parser->at++;
    if (*parser->at != wanted) return false;
    parser->at++;
    return true;
}

static void read_word(Parser *parser, char word[MAX_NAME]) {
    int length = 0;
    while (*parser->at == ' ') parser->at++;
    while ((isalnum((unsigned char)*parser->at) || *parser->at == '_') && length < MAX_NAME - 1) {
        word[length++] = *parser->at++;
    }
    word[length] = '\0';
}

static int64_t fail(Parser *parser) {
    parser->failed = true;
    return 0;
}

static int64_t read_integer(Parser *parser) {
    char *end;
    long long value = strtoll(parser->at, &end, 10);
    if (end == parser->at || end - parser->at > 19) return fail(parser);
    parser->at = end;
    return accept(parser, ')') ? value : fail(parser);
}

/* Symbol('s27', positive=True, integer=True): the name counts, the assumptions do not. */
static bool read_symbol(Parser *parser, char name[MAX_NAME]) {
    if (!accept(parser, '\'')) return false;
    read_word(parser, name);
    if (!accept(parser, '\'')) return false;
    while (isalnum((unsigned char)*parser->at) || (*parser->at && strchr("=,_ ", *parser->at))) {
        parser->at++;
    }
    return accept(parser, ')');
}

static int64_t symbol_value(Parser *parser) {
    char name[MAX_NAME];
    if (!read_symbol(parser, name)) return fail(parser);
    int index = map_find(&parser->symbols->names, name);
    return index < 0 ? fail(parser) : parser->symbols->values[index];
}

static int64_t read_expression(Parser *parser) {
    char word[MAX_NAME];
    read_word(parser, word);
    if (parser->depth >= MAX_DEPTH || !accept(parser, '(')) return fail(parser);
    if (strcmp(word, "Integer") == 0) return read_integer(parser);
    if (strcmp(word, "Symbol") == 0) return symbol_value(parser);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(word, functions[i].name) != 0) continue;
        parser->depth++;
        int64_t value = read_expression(parser);
        while (!parser->failed && accept(parser, ',')) {
            int64_t right = read_expression(parser);
            if (!parser->failed && !functions[i].fold(&value, right)) return fail(parser);
        }
        parser->depth--;
        return accept(parser, ')') ? value : fail(parser);
    }
    return fail(parser);
}

const char *symbols_plain(Arena *arena, const char *text) {
    Parser parser = {.at = text};
    char word[MAX_NAME], name[MAX_NAME];
    read_word(&parser, word);
    if (strcmp(word, "Symbol") != 0 || !accept(&parser, '(')) return NULL;
    if (!read_symbol(&parser, name) || *parser.at) return NULL;
    return arena_string(arena, name);
}

bool symbols_depend_on_data(const char *text) {
    return strstr(text, "Symbol('u") || strstr(text, "Symbol('zuf");
}

bool symbols_evaluate(JsonReader *reader, const Symbols *symbols, const char *text,
                      int64_t *value) {
    Parser parser = {.symbols = symbols, .at = text};
    *value = read_expression(&parser);
    if (!parser.failed && *parser.at == '\0') return true;
    return json_fault(reader,
                      "symbolic size %s has no known value (the model was exported with dynamic "
                      "shapes: fix the input shapes with --shape NAME=DIMS)",
                      string_printable(reader->arena, text, 120));
}
