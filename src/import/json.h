/* JSON documents of a model archive: parsing and checked access, with errors that name the place.
 *
 * A document belongs to jansson (json_decref); strings taken from it live as long as it does. */
#ifndef TEPAL_IMPORT_JSON_H
#define TEPAL_IMPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>
#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/text.h"

/* Where messages go, and what they say about the place. */
typedef struct JsonReader {
    Arena *arena;
    Diagnostics *diagnostics;
    const char *place; /* the file and the entry */
    const char *item;  /* what is being read, as "node conv2d"; may be NULL */
} JsonReader;

/* A parsed document, or NULL with a message that has line and column. */
json_t *json_document(JsonReader *reader, const char *bytes, size_t length);

/* Reports an error at the reader's place and item. Returns false. */
bool json_fault(JsonReader *reader, const char *format, ...) PRINTF_LIKE(2, 3);

/* Fields of an object: the field is there and has the type, or there is a message. The first
 * three return NULL on error. */
json_t *json_field(JsonReader *reader, const json_t *object, const char *key);
json_t *json_object_field(JsonReader *reader, const json_t *object, const char *key);
json_t *json_array_field(JsonReader *reader, const json_t *object, const char *key);
const char *json_string_field(JsonReader *reader, const json_t *object, const char *key);
bool json_integer_field(JsonReader *reader, const json_t *object, const char *key, int64_t *value);

/* The only member of a union: an object with one key. */
bool json_union(JsonReader *reader, const json_t *object, const char **key, json_t **value);

/* A float, which may be the string "Infinity", "-Infinity" or "NaN". */
bool json_float(JsonReader *reader, const json_t *value, double *number);

#endif
