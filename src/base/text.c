/* Growable strings and safe forms of text that comes from outside. Files: file.c; names: name.c. */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

Text text_new(Arena *arena) {
    return (Text){.arena = arena};
}

/* Makes room for `length` more characters and the final zero. */
static void text_room(Text *text, size_t length) {
    size_t needed = length < SIZE_MAX - text->length - 1 ? text->length + length + 1 : SIZE_MAX;
    if (needed <= text->capacity) return;
    size_t capacity = text->capacity ? text->capacity : 32;
    while (capacity < needed) capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
    char *moved = arena_alloc(text->arena, capacity);
    if (text->length) memcpy(moved, text->chars, text->length);
    text->chars = moved;
    text->capacity = capacity;
}

void text_append_bytes(Text *text, const char *bytes, size_t length) {
    text_room(text, length);
    if (length) memcpy(text->chars + text->length, bytes, length);
    text->length += length;
    text->chars[text->length] = '\0';
}

void text_append(Text *text, const char *chars) {
    text_append_bytes(text, chars, strlen(chars));
}

void text_vprintf(Text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    size_t space = text->capacity - text->length;
    int length = vsnprintf(space ? text->chars + text->length : NULL, space, format, arguments);
    if (length > 0 && (size_t)length >= space) {
        text_room(text, (size_t)length);
        vsnprintf(text->chars + text->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length > 0) text->length += (size_t)length;
}

void text_printf(Text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

const char *text_string(const Text *text) {
    return text->chars ? text->chars : "";
}

char *string_format(Arena *arena, const char *format, ...) {
    Text text = text_new(arena);
    text_room(&text, 0);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return text.chars;
}

/* Decodes the UTF-8 character at `text`: its length in bytes, or 0 if the bytes are not one. */
static int utf8_decode(const unsigned char *text, uint32_t *code) {
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;
    if (length == 0) return 0;
    *code = length == 1 ? text[0] : (uint32_t)(text[0] & (0xff >> (length + 1)));
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of the length */
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || surrogate || *code > 0x10ffff ? 0 : length;
}

/* Control characters, and those that change the direction or place of other text. */
static bool is_unprintable(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfeff;
}

char *string_printable(Arena *arena, const char *text, size_t limit) {
    Text result = text_new(arena);
    text_room(&result, 0);
    const unsigned char *rest = (const unsigned char *)text;
    while (*rest) {
        uint32_t code;
        int length = utf8_decode(rest, &code);
        int bytes = length ? length : 1;
        if ((size_t)(rest - (const unsigned char *)text) + (size_t)bytes > limit) {
            text_append(&result, "...");
            break;
        }
        if (length == 0 || is_unprintable(code))
            for (int i = 0; i < bytes; i++) text_printf(&result, "\\x%02X", rest[i]);
        else
            text_append_bytes(&result, (const char *)rest, (size_t)bytes);
        rest += bytes;
    }
    return result.chars;
}

/* The two-character escape of `code`, or 0. */
static char json_escape(uint32_t code) {
    switch (code) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

const char *string_grouped(Arena *arena, int64_t number) {
    const char *digits = string_format(arena, "%lld", (long long)number);
    Text text = text_new(arena);
    for (size_t left = strlen(digits); *digits; digits++, left--) {
        text_append_bytes(&text, digits, 1);
        if (left > 1 && left % 3 == 1 && *digits != '-') text_append(&text, ",");
    }
    return text_string(&text);
}

char *string_json(Arena *arena, const char *text) {
    Text result = text_new(arena);
    text_room(&result, 0);
    const unsigned char *rest = (const unsigned char *)text;
    while (*rest) {
        uint32_t code;
        int length = utf8_decode(rest, &code);
        if (length == 0)
            text_append(&result, "\\ufffd"); /* JSON must be UTF-8: the replacement character */
        else if (json_escape(code))
            text_printf(&result, "\\%c", json_escape(code));
        else if (is_unprintable(code) && code < 0x10000)
            text_printf(&result, "\\u%04x", (unsigned)code);
        else
            text_append_bytes(&result, (const char *)rest, (size_t)length);
        rest += length ? length : 1;
    }
    return result.chars;
}

char *string_mlir(Arena *arena, const char *text) {
    Text result = text_new(arena);
    text_room(&result, 0);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\' || *c < ' ' || *c == 127)
            text_printf(&result, "\\%02X", *c);
        else
            text_append_bytes(&result, (const char *)c, 1);
    }
    return result.chars;
}

bool string_is_file_name(const char *text, const char *suffix) {
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return !text[length] && text[0] != '.' && length < 200 && string_ends(text, suffix);
}

bool string_starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool string_ends(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++) seed = (seed ^ byte[i]) * 0x100000001b3u;
    return seed;
}
