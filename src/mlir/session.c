/* The MLIR context of a compilation: parsing, printing, upstream passes, diagnostics. */
#include "mlir/session.h"

#include <string.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>
#include "base/process.h"
#include "mlir/circt.h"
#include "mlir/internal.h"
#include "mlir/ir.h"

void append_piece(MlirStringRef piece, void *text) {
    text_append_bytes(text, piece.data, piece.length);
}

/* MLIR's messages become ours; its notes become further lines. Remarks are for tools' authors. */
static MlirLogicalResult take_diagnostic(MlirDiagnostic diagnostic, void *context) {
    Session *session = context;
    enum MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
    if (severity == MlirDiagnosticRemark) return mlirLogicalResultSuccess();
    Text text = text_new(session->arena);
    mlirDiagnosticPrint(diagnostic, append_piece, &text);
    const char *message = string_printable(session->arena, text_string(&text), 2000);
    const char *place = location_place(session->arena, mlirDiagnosticGetLocation(diagnostic));
    if (severity == MlirDiagnosticWarning)
        warning_at(session->diagnostics, place, "%s", message);
    else
        error_at(session->diagnostics, STATUS_INPUT, place, "%s", message);
    note_excerpt(session, place);
    for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); i++) {
        MlirDiagnostic child = mlirDiagnosticGetNote(diagnostic, i);
        /* "see current operation" prints the whole operation, which may hold all weights. */
        Text line = text_new(session->arena);
        mlirDiagnosticPrint(child, append_piece, &line);
        if (!string_starts(text_string(&line), "see current operation"))
            note(session->diagnostics, "%s",
                 string_printable(session->arena, text_string(&line), 400));
    }
    return mlirLogicalResultSuccess();
}

/* Dialects whose operations our own passes build; the others are loaded when a text uses them. */
static const char *const built_dialects[] = {"affine", "arith",  "bufferization", "func",  "linalg",
                                             "math",   "memref", "scf",           "tensor"};

Session *session_new(Arena *arena, Diagnostics *diagnostics) {
    static bool registered;
    if (!registered) mlirRegisterAllPasses();
    registered = true;
    Session *session = arena_new_of(arena, Session);
    session->arena = arena;
    session->diagnostics = diagnostics;
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    mlirRegisterAllDialects(registry);
    session->context = mlirContextCreateWithRegistry(registry, false);
    mlirDialectRegistryDestroy(registry);
    mlirRegisterAllLLVMTranslations(session->context);
    for (size_t i = 0; i < sizeof built_dialects / sizeof *built_dialects; i++)
        mlirContextGetOrLoadDialect(session->context, ref(built_dialects[i]));
    mlirContextAttachDiagnosticHandler(session->context, take_diagnostic, session, NULL);
    return session;
}

void session_free(Session *session) {
    if (session) mlirContextDestroy(session->context);
}

typedef struct ParseJob {
    Session *session;
    const char *path;
    MlirStringRef text;
} ParseJob;

/* Whether the text holds one module, perhaps after aliases and comments, rather than bare
 * functions. */
static bool holds_module(const char *text) {
    while (*text) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && *text != '!' && !string_starts(text, "//")) break;
        text += strcspn(text, "\n");
    }
    return string_starts(text, "module") || string_starts(text, "builtin.module") ||
           string_starts(text, "\"builtin.module\"");
}

/* The C API either takes a file name or accepts functions without a module around them. In the
 * second case places begin with "-", which location_place replaces. */
static MlirModule parse(const ParseJob *job) {
    MlirContext context = job->session->context;
    MlirModule none = {NULL};
    location_source = job->path;
    if (!holds_module(job->text.data)) return mlirModuleCreateParse(context, job->text);
    MlirOperation op = mlirOperationCreateParse(context, job->text, ref(job->path));
    return mlirOperationIsNull(op) ? none : mlirModuleFromOperation(op);
}

/* The trial run: whatever it finds is found again, and reported, by the real one. */
static bool try_parse(void *context, void *shared) {
    (void)shared;
    ParseJob *job = context;
    MlirModule module = parse(job);
    if (!mlirModuleIsNull(module)) mlirModuleDestroy(module);
    return true;
}

/* MLIR's verifier lets steps of 0 pass, and its passes divide by them. */
static bool check_steps(Session *session, MlirModule module) {
    OpList loops = ops_named(session->arena, mlirModuleGetOperation(module), "affine.for");
    for (int i = 0; i < loops.count; i++)
        if (mlirIntegerAttrGetValueInt(op_attribute(loops.items[i], "step")) < 1)
            return error_at(session->diagnostics, STATUS_INPUT,
                            op_place(session->arena, loops.items[i]),
                            "the step of a loop must be at least 1");
    return true;
}

MlirModule session_parse(Session *session, const char *path, const char *text, size_t length) {
    MlirModule none = {NULL};
    /* The lexer wants a terminating zero behind the text. */
    char *copy = arena_string_of(session->arena, text, length);
    session->source_path = path;
    session->source_text = copy;
    ParseJob job = {session, path, mlirStringRefCreate(copy, length)};
    /* Some faulty texts crash MLIR's parser or verifier (deep nesting, inconsistent attributes), so
     * a child goes first. */
    char unused = 0;
    if (!process_isolated(session->arena, session->diagnostics, STATUS_INPUT,
                          string_format(session->arena, "reading %s", path), 120, try_parse, &job,
                          &unused, 1))
        return none;
    MlirModule module = parse(&job);
    if (mlirModuleIsNull(module)) {
        if (!diagnostics_failed(session->diagnostics))
            error_at(session->diagnostics, STATUS_INPUT, path, "not MLIR that can be parsed");
        if (strstr(copy, "!allo."))
            note(session->diagnostics,
                 "the text holds types of Allo's own; give what its pass lower_fixed_to_int makes");
        if (circt_is_generic(copy))
            note(session->diagnostics,
                 "a program at the stage calyx or hw is for 'tepal build' and "
                 "'tepal opt'; it has no reference of its own");
        else if (strstr(copy, "calyx.component") || strstr(copy, "hw.module"))
            note(
                session->diagnostics,
                "the text is in the syntax of CIRCT's own dialects, which only CIRCT reads; print it "
                "in MLIR's generic form, with --mlir-print-op-generic");
        return none;
    }
    if (check_steps(session, module) && resources_to_elements(session, module, path, copy))
        return module;
    mlirModuleDestroy(module);
    return none;
}

static bool add_elements(MlirPassManager manager, const char *elements, Text *problem) {
    return mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
        mlirPassManagerGetAsOpPassManager(manager), ref(elements), append_piece, problem));
}

bool session_accepts(Session *session, const char *elements) {
    MlirPassManager manager =
        mlirPassManagerCreateOnOperation(session->context, ref("builtin.module"));
    Text problem = text_new(session->arena);
    bool accepted = add_elements(manager, elements, &problem);
    mlirPassManagerDestroy(manager);
    return accepted;
}

/* The first line, without what MLIR puts before it, says it all. */
static bool bad_pipeline(Session *session, const Text *problem) {
    const char *text = text_string(problem), *start = strstr(text, "error: ");
    if (start) text = start + strlen("error: ");
    char *line = arena_string_of(session->arena, text, strcspn(text, "\n"));
    return error_at(session->diagnostics, STATUS_USAGE, NULL, "pass pipeline: %s",
                    string_printable(session->arena, line, 1000));
}

bool session_run_elements(Session *session, MlirModule module, const char *elements) {
    MlirPassManager manager =
        mlirPassManagerCreateOnOperation(session->context, ref("builtin.module"));
    Text problem = text_new(session->arena);
    bool parsed = add_elements(manager, elements, &problem);
    if (session->print_after_all) mlirPassManagerEnableIRPrinting(manager);
    int errors = diagnostics_errors(session->diagnostics);
    bool done = parsed && mlirLogicalResultIsSuccess(
                              mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
    mlirPassManagerDestroy(manager);
    if (!parsed) return bad_pipeline(session, &problem);
    if (!done && errors == diagnostics_errors(session->diagnostics))
        return error_at(session->diagnostics, STATUS_INTERNAL, NULL, "MLIR's passes '%s' failed",
                        elements);
    return done;
}

bool session_run(Session *session, MlirModule module, const char *pipeline) {
    static const char anchor[] = "builtin.module(";
    size_t length = strlen(pipeline);
    if (!string_starts(pipeline, anchor) || pipeline[length - 1] != ')')
        return session_run_elements(session, module, pipeline);
    char *elements =
        arena_string_of(session->arena, pipeline + strlen(anchor), length - strlen(anchor) - 1);
    return session_run_elements(session, module, elements);
}

void session_print(MlirModule module, bool locations, Text *text) {
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    if (locations) mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
    mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, append_piece, text);
    mlirOpPrintingFlagsDestroy(flags);
}

bool scalar_of_type(MlirType type, Scalar *scalar) {
    if (mlirTypeIsAIndex(type)) {
        *scalar = SCALAR_I(64);
        return true;
    }
    if (mlirTypeIsAInteger(type)) {
        unsigned width = mlirIntegerTypeGetWidth(type);
        *scalar = SCALAR_I((int)width);
        return width >= 1 && width <= 64 && mlirIntegerTypeIsSignless(type);
    }
    static const struct {
        bool (*is)(MlirType type);
        Scalar scalar;
    } floats[] = {{mlirTypeIsAF32, {SCALAR_FLOAT, 32, 8}},
                  {mlirTypeIsAF16, {SCALAR_FLOAT, 16, 5}},
                  {mlirTypeIsABF16, {SCALAR_FLOAT, 16, 8}},
                  {mlirTypeIsAF64, {SCALAR_FLOAT, 64, 11}}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        if (!floats[i].is(type)) continue;
        *scalar = floats[i].scalar;
        return true;
    }
    return false;
}

MlirType type_of_scalar(MlirContext context, Scalar scalar) {
    if (scalar.kind == SCALAR_INTEGER) return mlirIntegerTypeGet(context, (unsigned)scalar.width);
    return mlirTypeParseGet(context, ref(scalar_name(scalar)));
}
