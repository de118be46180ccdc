/* The manual pages that --help prints, made from the same tables that the parser reads. */
#include "command/command.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 80, INDENT = 4 };

/* Prints words from `text` on lines that begin with `indent` spaces; the first line begins at
 * `column`, where the cursor is. A single newline is a space, two begin a new paragraph. */
static void wrap(const char *text, int indent, int column) {
    bool line_empty = true;
    while (*text) {
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n\n%*s", indent, "");
            column = indent;
            line_empty = true;
            text += 2;
            continue;
        }
        if (*text == ' ' || *text == '\n') {
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (!line_empty && column + 1 + length > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            line_empty = true;
        }
        if (!line_empty) column += printf(" ");
        column += printf("%.*s", length, text);
        line_empty = false;
        text += length;
    }
    printf("\n");
}

void print_wrapped(const char *text, int indent) {
    printf("%*s", indent, "");
    wrap(text, indent, indent);
}

/* An option as the synopsis shows it; '~' stands for a space that does not break the line. */
static void append_usage(Text *text, const Option *option) {
    const char *dots = option->kind == OPTION_STRINGS ? "~..." : "";
    const char *open = option->required ? "" : "[", *close = option->required ? "" : "]";
    text_append(text, " ");
    if (option->letter)
        text_printf(text, "%s-%c~%s%s%s", open, option->letter, option->placeholder, dots, close);
    else if (option->kind == OPTION_FLAG)
        text_printf(text, "%s--%s%s", open, option->name, close);
    else
        text_printf(text, "%s--%s~%s%s%s", open, option->name, option->placeholder, dots, close);
}

static void print_synopsis(const CommandLine *line) {
    Arena *arena = arena_new();
    Text text = text_new(arena);
    text_printf(&text, "tepal~%s %s", line->name, line->operand);
    for (int required = 1; required >= 0; required--)
        for (int i = 0; i < line->option_count; i++)
            if (line->options[i].required == required) append_usage(&text, &line->options[i]);
    /* Broken here, as the words hold spaces. */
    int column = printf("    ") - 1;
    for (char *rest = text.chars; *rest;) {
        int length = (int)strcspn(rest, " ");
        if (column + 1 + length > LINE_WIDTH) column = printf("\n          ") - 1;
        if (column > 3) printf(" ");
        for (int i = 0; i < length; i++) putchar(rest[i] == '~' ? ' ' : rest[i]);
        column += 1 + length;
        rest += length + (rest[length] == ' ');
    }
    printf("\n");
    arena_free(arena);
}

static void print_option(const Option *option) {
    const char *value = option->placeholder ? option->placeholder : "";
    const char *space = option->placeholder ? " " : "";
    printf("%*s", INDENT, "");
    if (option->letter) printf("-%c%s%s, ", option->letter, space, value);
    printf("--%s%s%s%s\n", option->name, space, value, option->further ? " ..." : "");
    Arena *arena = arena_new();
    const char *help = option->help;
    if (option->shown_default)
        help = string_format(arena, "%s Default: %s.", help, option->shown_default);
    print_wrapped(help, 2 * INDENT);
    arena_free(arena);
}

void print_exit_status(void) {
    static const struct {
        Status status;
        const char *meaning;
    } meanings[] = {
        {STATUS_DONE, "done, and all results are equal"},
        {STATUS_DIFFERENT, "results differ"},
        {STATUS_USAGE, "the command line is wrong"},
        {STATUS_INPUT, "an input file is wrong, or the model uses what is not supported"},
        {STATUS_TOOL, "an outside tool is missing or failed, or the disk is full"},
        {STATUS_INTERNAL, "a fault of Tepal"},
    };
    printf("\nEXIT STATUS\n");
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        printf("    %-4d%s\n", (int)meanings[i].status, meanings[i].meaning);
}

void options_help(const CommandLine *line) {
    const Subcommand *subcommand = subcommand_find(line->name);
    printf("NAME\n    tepal %s - %s\n\nSYNOPSIS\n", line->name,
           subcommand ? subcommand->summary : "");
    print_synopsis(line);
    printf("\nDESCRIPTION\n");
    print_wrapped(line->description, INDENT);
    printf("\nOPTIONS\n");
    for (int i = 0; i < line->option_count; i++) print_option(&line->options[i]);
    printf(
        "    -v, --verbose\n        Print a line for each step, even where stderr is no terminal.\n"
        "    -h, --help\n        Print this page.\n\n"
        "    A value may also follow its option after '=', as in --seed=3. '--' ends\n"
        "    the options.\n");
    print_exit_status();
    printf("\nEXAMPLES\n");
    for (const char *rest = line->examples; *rest;) {
        int length = (int)strcspn(rest, "\n");
        printf("    %.*s\n", length, rest);
        rest += length + (rest[length] == '\n');
    }
}
