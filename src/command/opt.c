/* tepal opt: runs MLIR passes, upstream ones and ours, on an MLIR file. Its options are those of
 * mlir-opt, where nearly every option is the name of a pass, so it reads its own command line. */
#include "command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/opt_road.h"
#include "mlir/circt.h"
#include "mlir/lower.h"

typedef struct OptOptions {
    const char *file, *output, *pipeline;
    const char *elide; /* constants with more elements than this are shown as "..."; NULL: none */
    bool print_after_all, allow_unregistered, generic, local_scope, locations;
    Vector(const char *) passes; /* "name" or "name{options}" */
} OptOptions;

static const char synopsis[] =
    "NAME\n"
    "    tepal opt - run passes on an MLIR file\n\n"
    "SYNOPSIS\n"
    "    tepal opt [FILE] [-o FILE] [--pass-pipeline=TEXT | --PASS[=OPTIONS] ...]\n\n"
    "DESCRIPTION\n"
    "    Reads MLIR text (from the standard input without FILE, or if it is -), runs\n"
    "    the passes in the order given and prints the result. Passes are MLIR's own,\n"
    "    as mlir-opt calls them, and those of Tepal below. Some of these have the\n"
    "    names of passes of circt-opt and stand in their place.\n\n"
    "OPTIONS\n"
    "    --PASS[=OPTIONS]\n        Run a pass; OPTIONS as in --one-shot-bufferize=\"a b=c\".\n"
    "    --pass-pipeline=TEXT\n        Run \"builtin.module(PASS{a b=c},func.func(PASS))\".\n"
    "    -o FILE\n        Write the result there. Default: the standard output.\n"
    "    --mlir-print-op-generic\n        Print all operations in the generic form. Calyx programs and netlists can\n"
    "        be read again in this form only.\n"
    "    --mlir-print-local-scope\n        Print without aliases.\n"
    "    --mlir-print-debuginfo\n        Print locations, too.\n"
    "    --mlir-elide-elementsattrs-if-larger=N\n"
    "        Leave out the values of constants of more than N elements.\n"
    "    --mlir-print-ir-after-all\n        Show the module on stderr after each pass.\n"
    "    --allow-unregistered-dialect\n        Accept operations that MLIR does not know.\n"
    "    --verify-each, --mlir-disable-threading, --no-implicit-module\n"
    "        Accepted; the verifier always runs after each pass, in one thread.\n\n"
    "EXAMPLES\n"
    "    tepal opt add.mlir --lower-affine --flatten-memref -o flat.mlir\n"
    "    tepal opt flat.mlir --lower-scf-to-calyx=top-level-function=forward\n"
    "    tepal opt flat.mlir --lower-scf-to-calyx --lower-calyx-to-hw --export-verilog\n"
    "    tepal opt flat.mlir --lower-scf-to-calyx --export-split-verilog=dir-name=design\n";

static void print_manual(void) {
    printf("%s\nPASSES\n", synopsis);
    for (int i = 0; i < mlir_pass_count; i++) {
        printf("    %s\n", mlir_passes[i].name);
        print_wrapped(mlir_passes[i].description, 8);
    }
    for (int i = 0; i < road_pass_count; i++) {
        printf("    %s\n", road_passes[i].name);
        print_wrapped(road_passes[i].description, 8);
    }
    print_exit_status();
}

/* "name=a b=c" or "name={a b=c}", without the dashes, as a pipeline element. */
static const char *pass_element(Arena *arena, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals) return text;
    int length = (int)(equals - text);
    if (equals[1] == '{') return string_format(arena, "%.*s%s", length, text, equals + 1);
    return string_format(arena, "%.*s{%s}", length, text, equals + 1);
}

static bool flag_is(const char *argument, const char *name) {
    argument += strspn(argument, "-");
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 &&
           (argument[length] == '\0' || argument[length] == '=');
}

/* The value of "--name=value" or "--name value"; NULL, said on stderr, if there is none. */
static const char *value_of(int argc, char **argv, int *next, Status *status) {
    const char *equals = strchr(argv[*next - 1], '=');
    if (equals) return equals + 1;
    if (*next < argc) return argv[(*next)++];
    *status = usage_error("opt", "%s needs a value", argv[*next - 1]);
    return NULL;
}

/* Options that have no value, and those of mlir-opt that change nothing here. */
static bool take_flag(OptOptions *options, const char *argument) {
    const struct {
        const char *name;
        bool *field;
    } flags[] = {
        {"mlir-print-ir-after-all", &options->print_after_all},
        {"allow-unregistered-dialect", &options->allow_unregistered},
        {"mlir-print-op-generic", &options->generic},
        {"mlir-print-local-scope", &options->local_scope},
        {"mlir-print-debuginfo", &options->locations},
        {"verify-each", NULL},
        {"verbose", NULL},
        {"mlir-disable-threading", NULL},
        {"no-implicit-module", NULL},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!flag_is(argument, flags[i].name)) continue;
        if (flags[i].field) *flags[i].field = true;
        return true;
    }
    return false;
}

static bool take_argument(Arena *arena, OptOptions *options, int argc, char **argv, int *next,
                          Status *status) {
    const char *argument = argv[(*next)++];
    if (argument[0] != '-' || argument[1] == '\0') {
        if (options->file) {
            *status = usage_error("opt", "more than one input file");
            return false;
        }
        options->file = argument;
        return true;
    }
    if (flag_is(argument, "o"))
        return (options->output = value_of(argc, argv, next, status)) != NULL;
    if (flag_is(argument, "pass-pipeline"))
        return (options->pipeline = value_of(argc, argv, next, status)) != NULL;
    if (flag_is(argument, "mlir-elide-elementsattrs-if-larger"))
        return (options->elide = value_of(argc, argv, next, status)) != NULL;
    if (!take_flag(options, argument))
        vector_push(arena, &options->passes, pass_element(arena, argument + strspn(argument, "-")));
    return true;
}

static bool parse_options(Arena *arena, OptOptions *options, int argc, char **argv,
                          Status *status) {
    for (int next = 1; next < argc;) {
        if (flag_is(argv[next], "help") || strcmp(argv[next], "-h") == 0) {
            print_manual();
            return false;
        }
        if (!take_argument(arena, options, argc, argv, &next, status)) return false;
    }
    if (!options->file) options->file = "-";
    if (options->pipeline && options->passes.count)
        *status = usage_error("opt", "--pass-pipeline and --%s exclude each other",
                              options->passes.items[0]);
    else
        return true;
    return false;
}

static bool read_input(Arena *arena, Diagnostics *diagnostics, const char *file, char **text,
                       size_t *length) {
    enum { LIMIT = 1 << 30 };
    if (strcmp(file, "-") == 0) file = "/dev/stdin";
    return file_read(arena, diagnostics, file, LIMIT, text, length);
}

/* Options name passes without saying on what they run; those for functions only are nested. */
static const char *pipeline_of(Session *session, const OptOptions *options) {
    if (options->pipeline) return options->pipeline;
    Text text = text_new(session->arena);
    for (int i = 0; i < options->passes.count; i++) {
        const char *element = options->passes.items[i], *nested = NULL;
        size_t length = strcspn(element, "{");
        if (!road_is_own(arena_string_of(session->arena, element, length)) &&
            !session_accepts(session, element))
            nested = string_format(session->arena, "func.func(%s)", element);
        if (nested && !session_accepts(session, nested)) nested = NULL;
        text_printf(&text, "%s%s", i ? "," : "", nested ? nested : element);
    }
    return text_string(&text);
}

static void print_module(const OptOptions *options, MlirModule module, Text *text) {
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    if (options->generic) mlirOpPrintingFlagsPrintGenericOpForm(flags);
    if (options->local_scope) mlirOpPrintingFlagsUseLocalScope(flags);
    if (options->locations) mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
    if (options->elide)
        mlirOpPrintingFlagsElideLargeElementsAttrs(flags, strtol(options->elide, NULL, 10));
    mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, append_piece, text);
    mlirOpPrintingFlagsDestroy(flags);
}

static bool write_output(Road *road, const OptOptions *options) {
    Diagnostics *diagnostics = road->session->diagnostics;
    Text text = text_new(road->session->arena);
    if (road->form == FORM_MLIR)
        print_module(options, road->module, &text);
    else if (!road_print(road, &text))
        return false;
    if (options->output && strcmp(options->output, "-") != 0)
        return file_write(diagnostics, options->output, text_string(&text), text.length);
    bool written = fwrite(text_string(&text), 1, text.length, stdout) == text.length;
    if (written && fflush(stdout) == 0) return true;
    return error_at(diagnostics, STATUS_TOOL, NULL, "cannot write to the standard output");
}

static bool run_passes(Session *session, const OptOptions *options, MlirModule module) {
    Road road = {.session = session,
                 .module = module,
                 .output = options->output,
                 .generic = options->generic};
    session->print_after_all = options->print_after_all;
    return road_begin(&road, options->file) && road_run(&road, pipeline_of(session, options)) &&
           (road.form == FORM_FOLDER || write_output(&road, options));
}

static bool optimize(Arena *arena, Diagnostics *diagnostics, const OptOptions *options) {
    char *text;
    size_t length;
    if (!read_input(arena, diagnostics, options->file, &text, &length)) return false;
    Session *session = session_new(arena, diagnostics);
    mlirContextSetAllowUnregisteredDialects(session->context,
                                            options->allow_unregistered || circt_is_generic(text));
    const char *path = strcmp(options->file, "-") == 0 ? "<stdin>" : options->file;
    MlirModule module = session_parse(session, path, text, length);
    bool done = !mlirModuleIsNull(module) && run_passes(session, options, module);
    if (!mlirModuleIsNull(module)) mlirModuleDestroy(module);
    session_free(session);
    return done;
}

Status command_opt(int argc, char **argv) {
    Arena *arena = arena_new();
    Diagnostics *diagnostics = diagnostics_new(arena);
    OptOptions options = {0};
    Status status = STATUS_DONE;
    if (parse_options(arena, &options, argc, argv, &status)) {
        bool done = optimize(arena, diagnostics, &options);
        diagnostics_print(diagnostics, stderr);
        status = diagnostics_status(diagnostics);
        if (!done && status == STATUS_DONE) status = STATUS_INTERNAL;
    }
    arena_free(arena);
    return status;
}
