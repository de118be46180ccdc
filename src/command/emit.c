/* --emit: the text of any stage, to a file or stdout. */
#include <stdio.h>
#include <string.h>
#include "base/paths.h"
#include "command/command.h"
#include "command/compile.h"

static void emit_linalg(Compilation *c, Text *text) {
    text_append(text, c->linalg_text);
}

static void emit_affine(Compilation *c, Text *text) {
    text_append(text, c->affine_text);
}

static void emit_loops(Compilation *c, Text *text) {
    program_print(c->program, text);
    schedule_print(c->schedule, text);
}

static void emit_calyx(Compilation *c, Text *text) {
    const char *hardware = hardware_folder(c->arena);
    calyx_print_native(c->calyx, hardware ? hardware : "hardware", text);
}

static void emit_calyx_mlir(Compilation *c, Text *text) {
    calyx_print_mlir(c->calyx, text);
}

static void emit_hw(Compilation *c, Text *text) {
    netlist_print_mlir(c->netlist, text);
}

static void emit_sv(Compilation *c, Text *text) {
    netlist_print_systemverilog(c->netlist, text);
}

static const struct {
    const char *name;
    Stage stage; /* that it needs */
    void (*print)(Compilation *compilation, Text *text);
} emissions[] = {
    {"linalg", STAGE_LINALG, emit_linalg},
    {"affine", STAGE_AFFINE, emit_affine},
    {"loops", STAGE_LOOPS, emit_loops},
    {"calyx", STAGE_CALYX, emit_calyx},
    {"calyx-mlir", STAGE_CALYX, emit_calyx_mlir},
    {"hw", STAGE_HW, emit_hw},
    {"sv", STAGE_HW, emit_sv},
};
enum { EMISSION_COUNT = sizeof emissions / sizeof *emissions };

/* The emission that STAGE=FILE or STAGE names, or -1; `*file` is NULL for stdout. */
static int emission_find(const char *request, const char **file) {
    const char *equals = strchr(request, '=');
    size_t length = equals ? (size_t)(equals - request) : strlen(request);
    *file = equals && strcmp(equals + 1, "-") ? equals + 1 : NULL;
    for (int i = 0; i < EMISSION_COUNT; i++)
        if (strlen(emissions[i].name) == length && !strncmp(request, emissions[i].name, length))
            return i;
    return -1;
}

bool compile_emit_stage(const TepalBuildOptions *options, Stage *last) {
    const char *file;
    for (int i = 0; i < options->emit.count; i++) {
        int emission = emission_find(options->emit.items[i], &file);
        if (emission < 0 || (file && !*file)) {
            usage_error(
                "build",
                "--emit %s: the stages are linalg, affine, loops, calyx, calyx-mlir, hw and "
                "sv; write STAGE=FILE, or STAGE alone for stdout",
                options->emit.items[i]);
            return false;
        }
        if (emissions[emission].stage > *last) *last = emissions[emission].stage;
    }
    return true;
}

bool compile_emit(Compilation *c) {
    for (int i = 0; i < c->options->emit.count; i++) {
        const char *file;
        int emission = emission_find(c->options->emit.items[i], &file);
        if (emissions[emission].stage < c->first)
            return error_at(c->diagnostics, STATUS_USAGE, c->options->model,
                            "--emit %s: the model begins at a later stage",
                            emissions[emission].name);
        Text text = text_new(c->arena);
        emissions[emission].print(c, &text);
        if (file && !file_write(c->diagnostics, file, text_string(&text), text.length))
            return false;
        if (!file &&
            (fwrite(text_string(&text), 1, text.length, stdout) != text.length || fflush(stdout)))
            return error_at(c->diagnostics, STATUS_TOOL, "stdout", "cannot write");
    }
    return true;
}
