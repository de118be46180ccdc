/* Messages to the user, kept in order until the command prints them. */
#include "base/diagnostic.h"

#include <stdarg.h>
#include <string.h>

#include "base/process.h"
#include "base/text.h"

enum { ERROR_LIMIT = 50 };

typedef struct Message {
    struct Message *next;
    Text text; /* the whole message, notes included, each line ended */
} Message;

struct Diagnostics {
    Arena *arena;
    Message *first, *last;
    Message *unprinted; /* the first message that was not printed yet */
    bool last_dropped;  /* the last error was over the limit: so are its notes */
    int errors;
    int dropped_printed; /* how many of the dropped errors were already owned up to */
    Status status;
};

Diagnostics *diagnostics_new(Arena *arena) {
    Diagnostics *diagnostics = arena_new_of(arena, Diagnostics);
    diagnostics->arena = arena;
    return diagnostics;
}

static void add(Diagnostics *diagnostics, const char *place, const char *kind, const char *format,
                va_list arguments) {
    Message *message = arena_new_of(diagnostics->arena, Message);
    message->text = text_new(diagnostics->arena);
    text_printf(&message->text, "%s: %s: ", place ? place : "tepal", kind);
    text_vprintf(&message->text, format, arguments);
    text_append(&message->text, "\n");
    if (diagnostics->last)
        diagnostics->last->next = message;
    else
        diagnostics->first = message;
    diagnostics->last = message;
    if (!diagnostics->unprinted) diagnostics->unprinted = message;
    diagnostics->last_dropped = false;
}

/* Returns whether the message is kept. */
int error_record(Diagnostics *diagnostics, Status status, const char *place, const char *format,
                 ...) {
    if (diagnostics->errors++ == 0) diagnostics->status = status;
    if (diagnostics->errors > ERROR_LIMIT) {
        diagnostics->last_dropped = true;
        return 0;
    }
    va_list arguments;
    va_start(arguments, format);
    add(diagnostics, place, "error", format, arguments);
    va_end(arguments);
    return 1;
}

void warning_at(Diagnostics *diagnostics, const char *place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diagnostics, place, "warning", format, arguments);
    va_end(arguments);
}

void note(Diagnostics *diagnostics, const char *format, ...) {
    if (!diagnostics->last || diagnostics->last_dropped) return;
    va_list arguments;
    va_start(arguments, format);
    Text line = text_new(diagnostics->arena);
    text_vprintf(&line, format, arguments);
    va_end(arguments);
    /* Each line of a note of several lines is set in. */
    for (const char *rest = text_string(&line); *rest;) {
        size_t length = strcspn(rest, "\n");
        text_append(&diagnostics->last->text, "    ");
        text_append_bytes(&diagnostics->last->text, rest, length);
        text_append(&diagnostics->last->text, "\n");
        rest += length + (rest[length] == '\n');
    }
}

bool diagnostics_failed(const Diagnostics *diagnostics) {
    return diagnostics->errors > 0;
}

int diagnostics_errors(const Diagnostics *diagnostics) {
    return diagnostics->errors;
}

Status diagnostics_status(const Diagnostics *diagnostics) {
    return diagnostics->status;
}

/* A message may quote a file: no byte of it may command the terminal. */
static void print_safely(const char *text, FILE *stream) {
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
        fputc(control ? '?' : byte, stream);
    }
}

void diagnostics_print(Diagnostics *diagnostics, FILE *stream) {
    if (stream == stderr) progress_done();
    for (Message *message = diagnostics->unprinted; message; message = message->next)
        print_safely(text_string(&message->text), stream);
    diagnostics->unprinted = NULL;
    int dropped = diagnostics->errors - ERROR_LIMIT - diagnostics->dropped_printed;
    if (dropped > 0) {
        fprintf(stream, "tepal: error: %d further error%s not shown\n", dropped,
                dropped == 1 ? "" : "s");
        diagnostics->dropped_printed += dropped;
    }
    fflush(stream);
}
