/* `tepal opt`: the passes that leave MLIR, by the names that they have in CIRCT.
 *
 * lower-scf-to-calyx is Tepal's road from loops to Calyx: scheduled and pipelined. What it makes is
 * kept in memory for the passes behind it; as text, it is CIRCT's, and cannot be read again. */
#include "command/opt_road.h"

#include <string.h>
#include "base/paths.h"
#include "base/process.h"
#include "command/files.h"
#include "mlir/circt.h"
#include "mlir/ir.h"
#include "mlir/lower.h"

/* --- options of a pass --- */

/* The value of "key=value" or the bare "key" (then "") in the text between braces; NULL if it is
 * not there. Values may be in quotes. */
static const char *option_value(Arena *arena, const char *options, const char *key) {
    size_t length = strlen(key);
    for (const char *c = options; *c;) {
        c += strspn(c, " \t\n");
        size_t word = strcspn(c, "= \t\n");
        const char *value = c + word + (c[word] == '=');
        char quote = *value == '"' || *value == '\'' ? *value : '\0';
        size_t size = c[word] != '=' ? 0
                      : quote        ? strcspn(value + 1, quote == '"' ? "\"" : "'")
                                     : strcspn(value, " \t\n");
        if (word == length && strncmp(c, key, length) == 0)
            return arena_string_of(arena, value + (quote != '\0'), size);
        c = value + size;
        if (quote) c += c[1] ? 2 : 1;
    }
    return NULL;
}

/* False, with an error, if `options` holds a key that is none of `keys` (which ends with NULL). */
static bool options_known(Road *road, const char *pass, const char *options,
                          const char *const *keys) {
    for (const char *c = options + strspn(options, " \t\n"); *c; c += strspn(c, " \t\n")) {
        size_t length = strcspn(c, "= \t\n");
        bool known = false;
        for (int i = 0; keys[i] && !known; i++)
            known = strlen(keys[i]) == length && strncmp(c, keys[i], length) == 0;
        if (!known)
            return error_at(road->session->diagnostics, STATUS_USAGE, NULL, "%s has no option '%s'",
                            pass,
                            string_printable(road->session->arena,
                                             arena_string_of(road->session->arena, c, length), 80));
        c += length;
        if (*c == '=') c++;
        char quote = *c == '"' || *c == '\'' ? *c : '\0';
        if (quote) {
            const char *end = strchr(c + 1, quote);
            c = end ? end + 1 : c + strlen(c);
        } else {
            c += strcspn(c, " \t\n");
        }
    }
    return true;
}

static bool option_number(Road *road, const char *options, const char *key, int64_t *value) {
    const char *text = option_value(road->session->arena, options, key);
    if (!text) return true;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits])
        return error_at(road->session->diagnostics, STATUS_USAGE, NULL, "%s must be a number", key);
    *value = 0;
    for (const char *c = text; *c; c++) *value = *value * 10 + (*c - '0');
    return true;
}

/* --- lower-scf-to-calyx --- */

/* What the pass memory-banking asked for; 0 if it did not. */
static int64_t requested_parallel(Road *road) {
    MlirAttribute value = op_attribute(mlirModuleGetOperation(road->module), "tepal.parallel");
    if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value)) return 0;
    return mlirIntegerAttrGetValueInt(value);
}

static void print_element(Text *text, Scalar type, Bits bits) {
    if (type.kind == SCALAR_FLOAT)
        text_printf(text, "%.17g", bits_to_double(type, bits));
    else
        text_printf(text, "%lld", (long long)bits_signed(type.width, bits));
}

/* One memory in Calyx's data format; those of tensors hold zeros. */
static void print_memory(Text *text, const char *name, const MemoryContents *contents) {
    Scalar type = contents->type;
    text_printf(text, "  \"%s\": {\n    \"data\": [", name);
    for (size_t i = 0; i < contents->elements; i++) {
        text_append(text, i ? ", " : "");
        print_element(text, type, contents->data ? bits_load(type, contents->data, i) : 0);
    }
    text_printf(
        text,
        "],\n    \"format\": {\"is_signed\": %s, \"numeric_type\": \"%s\", \"width\": %d}\n  }",
        type.kind == SCALAR_FLOAT ? "false" : "true",
        type.kind == SCALAR_FLOAT ? "ieee754_float" : "bitnum", type.width);
}

/* write-json=DIR: what the memories hold at the start, in DIR/data.json. */
static bool write_json(Road *road, const char *folder) {
    const CalyxProgram *program = road->compilation.calyx;
    const Component *top = program->components.items[program->components.count - 1];
    Text text = text_new(road->session->arena);
    const char *separator = "{\n";
    for (int i = 0; i < top->cells.count; i++) {
        const Cell *cell = &top->cells.items[i];
        if (cell->memory < 0 || !cell->primitive) continue;
        const MemoryContents *contents = &program->contents.items[cell->memory];
        if (!contents->data && !cell->external) continue;
        text_append(&text, separator);
        print_memory(&text, cell->name, contents);
        separator = ",\n";
    }
    text_append(&text, text.length ? "\n}\n" : "{}\n");
    const char *path = string_format(road->session->arena, "%s/data.json", folder);
    return make_folders(road->session->diagnostics, folder) &&
           file_write(road->session->diagnostics, path, text_string(&text), text.length);
}

static bool lower_to_calyx(Road *road, const char *options) {
    static const char *const keys[] = {"top-level-function",
                                       "write-json",
                                       "parallel",
                                       "clock",
                                       "check",
                                       "cider-source-location-metadata",
                                       NULL};
    Arena *arena = road->session->arena;
    int64_t clock = 0;
    if (road->form != FORM_MLIR)
        return error_at(road->session->diagnostics, STATUS_USAGE, NULL,
                        "lower-scf-to-calyx was run already");
    road->options.parallel = requested_parallel(road);
    if (!options_known(road, "lower-scf-to-calyx", options, keys) ||
        !option_number(road, options, "parallel", &road->options.parallel) ||
        !option_number(road, options, "clock", &clock))
        return false;
    road->options.clock = (double)clock;
    road->options.top = option_value(arena, options, "top-level-function");
    road->options.check = option_value(arena, options, "check") != NULL;
    road->compilation.model = (Model){.name = "model", .module = road->module};
    /* What is asked for is shown after the passes that were named, not after all that are inside.
     */
    bool print_after_all = road->session->print_after_all;
    road->session->print_after_all = false;
    bool done = compile_stages(&road->compilation, STAGE_LINALG, STAGE_CALYX);
    road->session->print_after_all = print_after_all;
    if (!done) return false;
    road->form = FORM_CALYX;
    const char *folder = option_value(arena, options, "write-json");
    return !folder || write_json(road, *folder ? folder : ".");
}

/* --- what follows --- */

static bool to_native(Road *road, const char *options) {
    (void)options;
    if (road->form != FORM_CALYX)
        return error_at(
            road->session->diagnostics, STATUS_USAGE, NULL,
            "calyx-native wants a Calyx program: it must follow lower-scf-to-calyx at once");
    road->form = FORM_NATIVE;
    return true;
}

static bool to_hw(Road *road, const char *options) {
    (void)options;
    if (road->compilation.netlist) return true;
    if (!compile_stages(&road->compilation, STAGE_HW, STAGE_HW)) return false;
    road->form = FORM_HW;
    return true;
}

static const char *folder_of(Arena *arena, const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? arena_string_of(arena, path, (size_t)(slash - path) + 1) : ".";
}

/* The images of constant memories are files: they go where the text goes. */
static bool to_verilog(Road *road, const char *options) {
    if (!to_hw(road, options)) return false;
    road->form = FORM_SV;
    return compile_write_images(&road->compilation, folder_of(road->session->arena, road->output));
}

static bool to_folder(Road *road, const char *options) {
    static const char *const keys[] = {"dir-name", NULL};
    const char *folder = option_value(road->session->arena, options, "dir-name");
    if (!options_known(road, "export-split-verilog", options, keys) || !to_hw(road, options))
        return false;
    road->form = FORM_FOLDER;
    if (!folder || !*folder) folder = ".";
    return compile_may_write(road->session->diagnostics, folder) &&
           compile_write(&road->compilation, folder);
}

const RoadPass road_passes[] = {
    {"lower-scf-to-calyx",
     "{top-level-function=NAME write-json=DIR parallel=N clock=MHZ check}: loops become a Calyx "
     "program, scheduled and pipelined; also what memories hold, in DIR/data.json",
     lower_to_calyx},
    {"calyx-native", "after lower-scf-to-calyx: prints native Calyx, for the Calyx compiler",
     to_native},
    {"lower-calyx-to-hw", "after lower-scf-to-calyx: a netlist in the dialects hw, comb and seq",
     to_hw},
    {"export-verilog",
     "prints SystemVerilog, whole; memory images (*.hex) are written beside the output",
     to_verilog},
    {"export-split-verilog", "{dir-name=DIR}: writes what tepal build writes, for tepal sim DIR",
     to_folder},
    {"calyx-remove-comb-groups", "part of lower-scf-to-calyx", NULL},
    {"calyx-gicm", "part of lower-scf-to-calyx", NULL},
    {"calyx-clk-insertion", "part of lower-calyx-to-hw", NULL},
    {"calyx-reset-insertion", "part of lower-calyx-to-hw", NULL},
    {"calyx-go-insertion", "part of lower-calyx-to-hw", NULL},
    {"calyx-compile-control", "part of lower-calyx-to-hw", NULL},
    {"calyx-remove-groups", "part of lower-calyx-to-hw", NULL},
    {"lower-calyx-to-fsm", "part of lower-calyx-to-hw", NULL},
    {"materialize-calyx-to-fsm", "part of lower-calyx-to-hw", NULL},
    {"calyx-remove-groups-fsm", "part of lower-calyx-to-hw", NULL},
    {"convert-fsm-to-sv", "part of lower-calyx-to-hw", NULL},
    {"lower-seq-to-sv", "part of export-verilog", NULL},
    {"hw-legalize-modules", "part of export-verilog", NULL},
    {"prettify-verilog", "part of export-verilog", NULL},
};
const int road_pass_count = sizeof road_passes / sizeof *road_passes;

static const RoadPass *find(const char *name) {
    for (int i = 0; i < road_pass_count; i++)
        if (strcmp(road_passes[i].name, name) == 0) return &road_passes[i];
    return NULL;
}

bool road_is_own(const char *name) {
    return find(name) || mlir_pass_find(name);
}

/* Clean-up that has no more to do: the Calyx program and the netlist are simplified already. */
static bool is_cleanup(const char *name) {
    static const char *const names[] = {"canonicalize", "cse", "symbol-dce", "sccp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool run_own(Road *road, const RoadPass *pass, const char *options) {
    if (pass->run != lower_to_calyx && road->form == FORM_MLIR)
        return error_at(
            road->session->diagnostics, STATUS_USAGE, NULL,
            "%s wants a Calyx program or a netlist: what lower-scf-to-calyx makes before it, "
            "or prints with --mlir-print-op-generic",
            pass->name);
    if (!pass->run) return true;
    if (!pass->run(road, options)) return false;
    if (!road->session->print_after_all || road->form == FORM_FOLDER) return true;
    Text text = text_new(road->session->arena);
    if (!road_print(road, &text)) return false;
    fprintf(stderr, "// -----// IR Dump After %s //----- //\n%s\n", pass->name, text_string(&text));
    return true;
}

static bool run_mlir(Road *road, Text *pending) {
    bool done =
        pending->length == 0 || pipeline_run(road->session, road->module, text_string(pending));
    *pending = text_new(road->session->arena);
    return done;
}

bool road_run(Road *road, const char *pipeline) {
    Arena *arena = road->session->arena;
    PipelineElements elements = pipeline_split(arena, pipeline, road_is_own);
    Text pending = text_new(arena);
    for (int i = 0; i < elements.count; i++) {
        char *name, *options;
        pipeline_element(arena, elements.items[i], &name, &options);
        const RoadPass *pass = find(name);
        if (pass && (!run_mlir(road, &pending) || !run_own(road, pass, options))) return false;
        if (!pass && road->form == FORM_MLIR)
            text_printf(&pending, "%s%s", pending.length ? "," : "", elements.items[i]);
        else if (!pass && !is_cleanup(name))
            return error_at(road->session->diagnostics, STATUS_USAGE, NULL,
                            "%s works on MLIR modules and must come before lower-scf-to-calyx",
                            name);
    }
    return run_mlir(road, &pending);
}

/* --- printing --- */

static bool print_verilog(Road *road, Text *text) {
    HardwareFiles files = {0};
    if (!compile_hardware(&road->compilation, &files)) return false;
    netlist_print_systemverilog(road->compilation.netlist, text);
    for (int i = 0; i < files.count; i++) {
        text_printf(text, "\n// ---- hardware/%s.sv ----\n", files.items[i].name);
        text_append_bytes(text, files.items[i].text, files.items[i].length);
    }
    return true;
}

bool road_begin(Road *road, const char *path) {
    road->compilation = (Compilation){.arena = road->session->arena,
                                      .diagnostics = road->session->diagnostics,
                                      .options = &road->options,
                                      .session = road->session};
    road->options.model = path;
    if (!circt_dialect(road->module)) return true;
    if (!files_begin(&road->compilation, road->module)) return false;
    road->form = road->compilation.first == STAGE_CALYX ? FORM_CALYX : FORM_HW;
    return true;
}

bool road_print(Road *road, Text *text) {
    if (road->generic && (road->form == FORM_CALYX || road->form == FORM_HW)) {
        files_print_generic(&road->compilation, road->form == FORM_HW ? STAGE_HW : STAGE_CALYX,
                            text);
        return true;
    }
    const char *hardware = hardware_folder(road->session->arena);
    if (road->form == FORM_CALYX) calyx_print_mlir(road->compilation.calyx, text);
    if (road->form == FORM_NATIVE)
        calyx_print_native(road->compilation.calyx, hardware ? hardware : "hardware", text);
    if (road->form == FORM_HW) netlist_print_mlir(road->compilation.netlist, text);
    return road->form != FORM_SV || print_verilog(road, text);
}
