/* Text: a growable string in an arena, and files written at once. */
#ifndef TEPAL_BASE_TEXT_H
#define TEPAL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diagnostic.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

typedef struct Text {
    Arena *arena;
    char *chars; /* zero-terminated once something was appended, else NULL */
    size_t length, capacity;
} Text;

Text text_new(Arena *arena);
void text_append(Text *text, const char *chars);
void text_append_bytes(Text *text, const char *bytes, size_t length);
void text_printf(Text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vprintf(Text *text, const char *format, va_list arguments);

/* The content as a string, never NULL. */
const char *text_string(const Text *text);

/* A formatted string in the arena. */
char *string_format(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* `text` made safe to print: control characters and bytes that are not UTF-8 become \xNN, and what
 * is longer than `limit` bytes is cut with "...". For names that come from a file. */
char *string_printable(Arena *arena, const char *text, size_t limit);

/* An identifier that Verilog, Calyx and MLIR all take, from any name: letters, digits and '_', not
 * starting with a digit, at most 60 characters, not a keyword. Not unique: see NameSet. */
char *string_identifier(Arena *arena, const char *name);

/* "1,234,567": a number for people. */
const char *string_grouped(Arena *arena, int64_t number);

/* `text` as the inside of a JSON string (without the quotes). */
char *string_json(Arena *arena, const char *text);

/* `text` as the inside of a string of MLIR (without the quotes). */
char *string_mlir(Arena *arena, const char *text);

/* True for the name of a file in a folder that is known: letters, digits, '_', '-' and '.', not
 * starting with '.', with this suffix. */
bool string_is_file_name(const char *text, const char *suffix);

bool string_starts(const char *text, const char *prefix);
bool string_ends(const char *text, const char *suffix);

/* 64-bit FNV-1a hash; start with HASH_SEED and chain. */
#define HASH_SEED 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t length);

/* A set that keeps names apart: NAME, NAME_1, NAME_2 ... */
typedef struct NameSet NameSet;
NameSet *names_new(Arena *arena);
/* An identifier made from `name` that this set has not given out before. */
char *names_unique(NameSet *names, const char *name);

/* Reads a whole file of at most `limit` bytes; the result is zero-terminated, `*length` (may be
 * NULL) its size. False, with a diagnostic, if that cannot be done. */
bool file_read(Arena *arena, Diagnostics *diagnostics, const char *path, size_t limit, char **bytes,
               size_t *length);

/* Writes a whole file. False, with a diagnostic that names the cause (disk full ...), if not all
 * bytes reached it; no part of the file is left then. */
bool file_write(Diagnostics *diagnostics, const char *path, const void *bytes, size_t length);

#endif
