/* The one parser of command lines, driven by a table per subcommand. Manual pages: manual.c. */
#include "command/command.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/vector.h"
#include "tepal/tepal.h"

typedef struct Parser {
    Arena *arena;
    const CommandLine *line;
    int argc, next; /* `next` is the argument to read next */
    char **argv;
    char *result;
    bool has_operand, options_ended;
    bool *given; /* by option */
} Parser;

Status usage_error(const char *command, const char *format, ...) {
    fprintf(stderr, "tepal%s%s: error: ", command ? " " : "", command ? command : "");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'tepal%s%s --help'.\n", command ? " " : "", command ? command : "");
    return STATUS_USAGE;
}

/* Number of letters to insert, delete or replace to make `b` of `a`; at most `limit` matters. */
static int edit_distance(const char *a, const char *b) {
    enum { LONGEST = 64 };
    int row[LONGEST + 1], width = (int)strlen(b);
    if (width > LONGEST || strlen(a) > LONGEST) return LONGEST;
    for (int j = 0; j <= width; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= width; j++) {
            int replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int shifted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replaced < shifted ? replaced : shifted;
        }
    }
    return row[width];
}

const char *nearest_word(const char *word, const char *const *words, int count) {
    int best_distance = 1 + (int)strlen(word) / 3;
    const char *best = NULL;
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(word, words[i]);
        if (*word && string_starts(words[i], word)) distance = 0;
        if (distance > best_distance || (best && distance == best_distance)) continue;
        best_distance = distance;
        best = words[i];
    }
    return best;
}

static bool unknown_option(Parser *parser, const char *name, bool is_letter) {
    const char *dashes = is_letter ? "-" : "--";
    const char *shown = string_printable(parser->arena, name, 60);
    Vector(const char *) names = {0};
    vector_push(parser->arena, &names, "help");
    vector_push(parser->arena, &names, "verbose");
    for (int i = 0; i < parser->line->option_count; i++)
        vector_push(parser->arena, &names, parser->line->options[i].name);
    const char *nearest = is_letter ? NULL : nearest_word(name, names.items, names.count);
    if (nearest)
        usage_error(parser->line->name, "unknown option '%s%s'; did you mean '--%s'?", dashes,
                    shown, nearest);
    else
        usage_error(parser->line->name, "unknown option '%s%s'", dashes, shown);
    return false;
}

static bool bad_value(Parser *parser, const Option *option, const char *value, const char *wanted) {
    usage_error(parser->line->name, "--%s %s: %s", option->name,
                string_printable(parser->arena, value, 60), wanted);
    return false;
}

static bool bad_range(Parser *parser, const Option *option, const char *value) {
    return bad_value(parser, option, value,
                     string_format(parser->arena, "not in the range %.15g to %.15g",
                                   option->minimum, option->maximum));
}

static bool store_integer(Parser *parser, const Option *option, const char *value) {
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end == value || *end) return bad_value(parser, option, value, "not an integer");
    if (errno || (double)number < option->minimum || (double)number > option->maximum)
        return bad_range(parser, option, value);
    *(int64_t *)(void *)(parser->result + option->offset) = number;
    return true;
}

static bool store_real(Parser *parser, const Option *option, const char *value) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number))
        return bad_value(parser, option, value, "not a number");
    if (number < option->minimum || number > option->maximum)
        return bad_range(parser, option, value);
    *(double *)(void *)(parser->result + option->offset) = number;
    return true;
}

static bool store_choice(Parser *parser, const Option *option, const char *value) {
    size_t length = strlen(value);
    for (const char *word = option->placeholder; *word;) {
        size_t word_length = strcspn(word, "|");
        if (word_length == length && strncmp(word, value, length) == 0) {
            *(const char **)(void *)(parser->result + option->offset) = value;
            return true;
        }
        word += word_length + (word[word_length] == '|');
    }
    return bad_value(parser, option, value,
                     string_format(parser->arena, "not one of %s", option->placeholder));
}

static void append_string(Parser *parser, const Option *option, const char *value) {
    TepalStrings *list = (TepalStrings *)(void *)(parser->result + option->offset);
    const char **items = arena_array(parser->arena, (size_t)list->count + 1, sizeof(const char *));
    if (list->count) memcpy(items, list->items, (size_t)list->count * sizeof *items);
    items[list->count++] = value;
    list->items = items;
}

static bool store(Parser *parser, const Option *option, const char *value) {
    if (!*value) return bad_value(parser, option, "", "needs a value");
    switch (option->kind) {
    case OPTION_FLAG: return false;
    case OPTION_STRING:
        *(const char **)(void *)(parser->result + option->offset) = value;
        return true;
    case OPTION_CHOICE: return store_choice(parser, option, value);
    case OPTION_STRINGS: append_string(parser, option, value); return true;
    case OPTION_INTEGER: return store_integer(parser, option, value);
    case OPTION_REAL: return store_real(parser, option, value);
    }
    return false;
}

/* "-" alone is a file name, and "-5" may be a number. */
static bool looks_like_option(const Option *option, const char *argument) {
    if (argument[0] != '-' || argument[1] == '\0') return false;
    bool is_number = option->kind == OPTION_INTEGER || option->kind == OPTION_REAL;
    return !(is_number && strchr(".0123456789", argument[1]));
}

/* The further values of an option that takes several. */
static bool take_further(Parser *parser, const Option *option) {
    while (option->further && parser->next < parser->argc) {
        const char *value = parser->argv[parser->next];
        if (looks_like_option(option, value)) break;
        if (!parser->has_operand && !strstr(value, option->further)) break;
        parser->next++;
        if (!store(parser, option, value)) return false;
    }
    return true;
}

static bool take_option(Parser *parser, const Option *option, const char *attached) {
    parser->given[option - parser->line->options] = true;
    if (option->kind == OPTION_FLAG) {
        if (attached) return bad_value(parser, option, attached, "takes no value");
        *(bool *)(parser->result + option->offset) = true;
        return true;
    }
    if (attached) return store(parser, option, attached);
    if (parser->next >= parser->argc || looks_like_option(option, parser->argv[parser->next])) {
        usage_error(parser->line->name, "--%s needs a value: --%s %s", option->name, option->name,
                    option->placeholder);
        return false;
    }
    return store(parser, option, parser->argv[parser->next++]) && take_further(parser, option);
}

static bool take_long(Parser *parser, const char *argument) {
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const char *name = arena_string_of(parser->arena, argument, length);
    if (strcmp(name, "verbose") == 0 && !equals) {
        progress_verbose(true);
        return true;
    }
    for (int i = 0; i < parser->line->option_count; i++)
        if (strcmp(parser->line->options[i].name, name) == 0)
            return take_option(parser, &parser->line->options[i], equals ? equals + 1 : NULL);
    return unknown_option(parser, name, false);
}

/* -o FILE, -oFILE or -o=FILE */
static bool take_short(Parser *parser, const char *argument) {
    const char *attached = argument[1] == '=' ? argument + 2 : argument[1] ? argument + 1 : NULL;
    if (argument[0] == 'v' && !attached) {
        progress_verbose(true);
        return true;
    }
    for (int i = 0; i < parser->line->option_count; i++)
        if (parser->line->options[i].letter == argument[0])
            return take_option(parser, &parser->line->options[i], attached);
    return unknown_option(parser, argument, true);
}

static bool take_operand(Parser *parser, const char *argument) {
    const CommandLine *line = parser->line;
    if (!*argument || parser->has_operand) {
        usage_error(line->name, "unexpected argument '%s'",
                    string_printable(parser->arena, argument, 60));
        return false;
    }
    parser->has_operand = true;
    *(const char **)(void *)(parser->result + line->operand_offset) = argument;
    return true;
}

static bool take_argument(Parser *parser) {
    const char *argument = parser->argv[parser->next++];
    if (parser->options_ended || argument[0] != '-' || argument[1] == '\0')
        return take_operand(parser, argument);
    if (strcmp(argument, "--") == 0) {
        parser->options_ended = true;
        return true;
    }
    return argument[1] == '-' ? take_long(parser, argument + 2) : take_short(parser, argument + 1);
}

static bool nothing_missing(Parser *parser) {
    const CommandLine *line = parser->line;
    bool needs_operand = !parser->has_operand;
    for (int i = 0; i < line->option_count; i++) {
        if (parser->given[i] && line->options[i].replaces_operand) needs_operand = false;
    }
    if (needs_operand) {
        usage_error(line->name, "%s is missing", line->operand);
        return false;
    }
    for (int i = 0; i < line->option_count; i++) {
        const Option *option = &line->options[i];
        if (!option->required || parser->given[i]) continue;
        usage_error(line->name, "--%s %s is missing", option->name, option->placeholder);
        return false;
    }
    return true;
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

bool options_parse(Arena *arena, const CommandLine *line, int argc, char **argv, void *result,
                   Status *status) {
    *status = STATUS_DONE;
    if (asks_for_help(argc, argv)) {
        options_help(line);
        return false;
    }
    Parser parser = {.arena = arena, .line = line, .argc = argc, .argv = argv, .next = 1};
    parser.result = result;
    parser.given = arena_array(arena, (size_t)line->option_count, sizeof(bool));
    bool ok = true;
    while (ok && parser.next < argc) ok = take_argument(&parser);
    ok = ok && nothing_missing(&parser);
    if (!ok) *status = STATUS_USAGE;
    return ok;
}
