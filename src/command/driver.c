/* tepal_build: the road of a model, and the files and the summary that come of it. */
#include <stdio.h>
#include "command/command.h"
#include "command/compile.h"

static Status check_options(const TepalBuildOptions *options, Stage *last) {
    if (options->interface && string_starts(options->interface, "stream"))
        return usage_error("build", "--interface stream is not there yet: memory is");
    if (options->target && !target_known(options->target))
        return usage_error(
            "build",
            "--target: there is no device '%.40s': ecp5-85k, ice40-up5k, xilinx or generic",
            options->target);
    if (!options->output && options->emit.count == 0)
        return usage_error("build", "say where the design is to go with -o DIR");
    *last = options->output ? STAGE_HW : STAGE_LINALG;
    return compile_emit_stage(options, last) ? STATUS_DONE : STATUS_USAGE;
}

static void print_summary(Compilation *c) {
    Text text = text_new(c->arena);
    int parallel = compile_parallel(c);
    report_table(c->schedule, c->times, c->time_count, parallel, &text);
    if (c->area && *c->area) text_printf(&text, "  %s: at least %s\n", c->options->target, c->area);
    if (!c->options->reassociate) report_order(c->schedule, &text);
    fputs(text_string(&text), stdout);
}

int tepal_build(const TepalBuildOptions *options) {
    Stage last;
    Status status = check_options(options, &last);
    if (status != STATUS_DONE) return (int)status;
    Compilation c = {.arena = arena_new(), .options = options};
    c.diagnostics = diagnostics_new(c.arena);
    bool done = (!options->output || compile_may_write(c.diagnostics, options->output)) &&
                compile(&c, last) && (!options->output || compile_fits(&c)) && compile_emit(&c) &&
                (!options->output || compile_write(&c, options->output));
    if (done && c.schedule && options->output) print_summary(&c);
    diagnostics_print(c.diagnostics, stderr);
    status = diagnostics_status(c.diagnostics);
    if (c.session) session_free(c.session);
    arena_free(c.arena);
    return (int)status;
}
