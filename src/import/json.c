/* JSON documents of a model archive: parsing and checked access. */
#include "import/json.h"
#include <math.h>
#include <string.h>
#include "base/text.h"

static const char *const type_names[] = {
    [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
    [JSON_INTEGER] = "an integer", [JSON_REAL] = "a float",   [JSON_TRUE] = "a boolean",
    [JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
};

bool json_fault(JsonReader *reader, const char *format, ...) {
    Text text = text_new(reader->arena);
    if (reader->item) text_printf(&text, "%s: ", reader->item);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return error_at(reader->diagnostics, STATUS_INPUT, reader->place, "%s", text_string(&text));
}

static const char *parse_hint(const json_error_t *error) {
    switch (json_error_code(error)) {
    case json_error_stack_overflow: return "JSON nested too deeply";
    case json_error_invalid_utf8: return "invalid UTF-8";
    case json_error_duplicate_key: return "JSON error: the same key twice in one object";
    case json_error_numeric_overflow: return "JSON error: number out of range";
    case json_error_premature_end_of_input: return "JSON error: unexpected end";
    case json_error_end_of_input_expected: return "JSON error: trailing characters";
    case json_error_null_character: return "JSON error: a string holds a NUL character";
    case json_error_out_of_memory: return "JSON error: out of memory";
    default: return "JSON error";
    }
}

json_t *json_document(JsonReader *reader, const char *bytes, size_t length) {
    if (length == 0) {
        error_at(reader->diagnostics, STATUS_INPUT, reader->place,
                 "JSON error: the entry is empty");
        return NULL;
    }
    json_error_t error;
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        const char *place =
            string_format(reader->arena, "%s:%d:%d", reader->place, error.line, error.column);
        error_at(reader->diagnostics, STATUS_INPUT, place, "%s (%s)", parse_hint(&error),
                 string_printable(reader->arena, error.text, 100));
        return NULL;
    }
    if (!json_is_object(root)) {
        error_at(reader->diagnostics, STATUS_INPUT, reader->place, "expected an object, found %s",
                 type_names[json_typeof(root)]);
        json_decref(root);
        return NULL;
    }
    return root;
}

json_t *json_field(JsonReader *reader, const json_t *object, const char *key) {
    if (!json_is_object(object)) {
        json_fault(reader, "expected an object with the field %s", key);
        return NULL;
    }
    json_t *value = json_object_get(object, key);
    if (!value) json_fault(reader, "field %s is missing", key);
    return value;
}

static json_t *typed_field(JsonReader *reader, const json_t *object, const char *key,
                           json_type type) {
    json_t *value = json_field(reader, object, key);
    if (value && json_typeof(value) != type) {
        json_fault(reader, "field %s: expected %s, found %s", key, type_names[type],
                   type_names[json_typeof(value)]);
        return NULL;
    }
    return value;
}

json_t *json_object_field(JsonReader *reader, const json_t *object, const char *key) {
    return typed_field(reader, object, key, JSON_OBJECT);
}

json_t *json_array_field(JsonReader *reader, const json_t *object, const char *key) {
    return typed_field(reader, object, key, JSON_ARRAY);
}

const char *json_string_field(JsonReader *reader, const json_t *object, const char *key) {
    json_t *value = typed_field(reader, object, key, JSON_STRING);
    return value ? json_string_value(value) : NULL;
}

bool json_integer_field(JsonReader *reader, const json_t *object, const char *key, int64_t *value) {
    json_t *field = typed_field(reader, object, key, JSON_INTEGER);
    if (field) *value = (int64_t)json_integer_value(field);
    return field != NULL;
}

bool json_union(JsonReader *reader, const json_t *object, const char **key, json_t **value) {
    if (!json_is_object(object) || json_object_size(object) != 1) {
        return json_fault(reader,
                          "an argument must have one kind: expected an object with one key");
    }
    /* The C API of jansson has no const iterator; the object is not changed. */
    void *first = json_object_iter((json_t *)(uintptr_t)object);
    *key = json_object_iter_key(first);
    *value = json_object_iter_value(first);
    return true;
}

bool json_float(JsonReader *reader, const json_t *value, double *number) {
    static const struct {
        const char *text;
        double number;
    } specials[] = {{"Infinity", INFINITY}, {"-Infinity", -INFINITY}, {"NaN", NAN}};
    if (json_is_number(value)) {
        *number = json_number_value(value);
        return true;
    }
    for (size_t i = 0; json_is_string(value) && i < 3; i++) {
        if (strcmp(json_string_value(value), specials[i].text) == 0) {
            *number = specials[i].number;
            return true;
        }
    }
    return json_fault(reader, "expected a float");
}
