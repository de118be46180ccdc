/* The subcommands of `tepal`, and how each describes and reads its command line. */
#ifndef TEPAL_COMMAND_COMMAND_H
#define TEPAL_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/text.h"

/* A subcommand. Its arguments begin with its own name: argv[0] is "build". */
typedef struct Subcommand {
    const char *name;
    const char *summary; /* one line, for lists */
    Status (*run)(int argc, char **argv);
} Subcommand;

extern const Subcommand subcommands[];
extern const int subcommand_count;
const Subcommand *subcommand_find(const char *name);

Status command_build(int argc, char **argv);
Status command_sim(int argc, char **argv);
Status command_run(int argc, char **argv);
Status command_opt(int argc, char **argv);
Status command_info(int argc, char **argv);
Status command_synth(int argc, char **argv);
Status command_help(int argc, char **argv);
Status command_version(int argc, char **argv);

/* What an option stores, and the type of its field in the struct of options. */
typedef enum OptionKind {
    OPTION_FLAG,    /* bool */
    OPTION_STRING,  /* const char * */
    OPTION_CHOICE,  /* const char *; one of the words of the placeholder: "memory|stream" */
    OPTION_STRINGS, /* TepalStrings; may be repeated */
    OPTION_INTEGER, /* int64_t within `minimum` and `maximum` */
    OPTION_REAL     /* double within `minimum` and `maximum` */
} OptionKind;

typedef struct Option {
    const char *name; /* without dashes */
    char letter;      /* the short form, or 0 */
    OptionKind kind;
    const char *placeholder; /* of its value; NULL for a flag */
    size_t offset;           /* of the field */
    double minimum, maximum;
    /* OPTION_STRINGS: one option may take several values. An argument that follows is one more if
     * it holds this text, or if the operand was given already. NULL: one value each. */
    const char *further;
    bool required;
    bool replaces_operand;     /* given this one, the operand may be left out */
    const char *shown_default; /* for --help, or NULL */
    const char *help;
} Option;

/* All that --help shows and the parser needs. Every subcommand also has --help and --verbose. */
typedef struct CommandLine {
    const char *name;        /* of the subcommand */
    const char *operand;     /* "MODEL" */
    size_t operand_offset;   /* of its field, a const char * */
    const char *description; /* paragraphs with an empty line between */
    const char *examples;    /* lines, shown as they are */
    const Option *options;
    int option_count;
} CommandLine;

/* Reads the arguments into `result`, a struct that holds the defaults. False if the command ends
 * here, with `*status`: help was asked for, or the arguments are wrong, which was said on stderr.
 */
bool options_parse(Arena *arena, const CommandLine *line, int argc, char **argv, void *result,
                   Status *status);

/* Prints the manual page of a subcommand. */
void options_help(const CommandLine *line);

/* The word of `words` that `word` is most likely meant to be, or NULL. */
const char *nearest_word(const char *word, const char *const *words, int count);

/* Says what is wrong with a command line and where to look: STATUS_USAGE. */
Status usage_error(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Prints text broken into lines of at most 80 characters, each set in by `indent` spaces. */
void print_wrapped(const char *text, int indent);
void print_exit_status(void);

#endif
