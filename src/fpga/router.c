/* Place and route with nextpnr, and what its report says of the clock. */
#include "fpga/fpga.h"

#include <string.h>
#include <unistd.h>

#include "base/vector.h"

enum { REPORT_LIMIT = 1 << 28 };

static const char *scratch_file(const Synthesis *synthesis, const char *name) {
    return string_format(synthesis->arena, "%s/%s", synthesis->scratch, name);
}

/* --- critical path --- */

static const char *string_at(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static double path_delay(const json_t *path) {
    const json_t *steps = json_object_get(path, "path");
    double delay = 0;
    for (size_t i = 0; i < json_array_size(steps); i++)
        delay += json_number_value(json_object_get(json_array_get(steps, i), "delay"));
    return delay;
}

/* The longest path that begins and ends at a clock edge. */
static const json_t *longest_path(const json_t *report) {
    const json_t *paths = json_object_get(report, "critical_paths"), *longest = NULL;
    for (size_t i = 0; i < json_array_size(paths); i++) {
        const json_t *path = json_array_get(paths, i);
        const char *from = string_at(path, "from"), *to = string_at(path, "to");
        if (!from || !to || *from == '<' || *to == '<') continue;
        if (!longest || path_delay(path) > path_delay(longest)) longest = path;
    }
    return longest;
}

/* Sums up the path. Every way that takes time leads to one more level of logic, the last to a
 * register. */
static void measure_path(Synthesis *synthesis, const json_t *path) {
    Timing *timing = &synthesis->timing;
    const json_t *steps = json_object_get(path, "path");
    const char *net = NULL, *from = NULL, *to = NULL;
    int ways = 0;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        double delay = json_number_value(json_object_get(step, "delay"));
        const char *type = string_at(step, "type");
        bool is_way = type && strcmp(type, "routing") == 0;
        *(is_way ? &timing->routing : &timing->logic) += delay;
        if (is_way && delay > 0) ways++;
        if (!net) net = string_at(step, "net");
        if (!from) from = string_at(json_object_get(step, "from"), "cell");
        to = string_at(json_object_get(step, "to"), "cell");
    }
    timing->path = timing->logic + timing->routing;
    timing->levels = ways > 0 ? ways - 1 : 0;
    Names *names = names_read(synthesis);
    if (!names) return;
    if (from) timing->from = names_find(names, from, net);
    if (to) timing->to = names_find(names, to, NULL);
}

static bool read_report(Synthesis *synthesis) {
    const char *path = string_format(synthesis->arena, "%s/%s", synthesis->design.path,
                                     scratch_file(synthesis, "timing.json"));
    if (access(path, R_OK) != 0)
        return error_at(synthesis->diagnostics, STATUS_TOOL, NULL, "%s (%s) ended without a result",
                        synthesis->router.program, synthesis->router.version);
    char *text;
    size_t length;
    if (!file_read(synthesis->arena, synthesis->diagnostics, path, REPORT_LIMIT, &text, &length))
        return false;
    json_t *report = json_loadb(text, length, 0, NULL);
    if (!report)
        return error_at(synthesis->diagnostics, STATUS_TOOL, NULL,
                        "%s (%s) wrote a report that cannot be read", synthesis->router.program,
                        synthesis->router.version);
    Timing *timing = &synthesis->timing;
    *timing = (Timing){0};
    const char *clock;
    json_t *figures;
    json_object_foreach(json_object_get(report, "fmax"), clock, figures) {
        double achieved = json_number_value(json_object_get(figures, "achieved"));
        if (timing->maximum <= 0 || achieved < timing->maximum) timing->maximum = achieved;
    }
    const json_t *longest = longest_path(report);
    if (longest) measure_path(synthesis, longest);
    json_decref(report);
    synthesis->routed = true;
    return true;
}

bool router_run(Synthesis *synthesis) {
    Arena *arena = synthesis->arena;
    Vector(const char *) arguments = {0};
    vector_push(arena, &arguments, synthesis->router.program);
    for (const char *const *next = synthesis->device->router->arguments; *next; next++)
        vector_push(arena, &arguments, *next);
    const char *const more[] = {"--json",
                                scratch_file(synthesis, "netlist.json"),
                                "--report",
                                scratch_file(synthesis, "timing.json"),
                                "--freq",
                                string_format(arena, "%g", synthesis->clock),
                                "--seed",
                                string_format(arena, "%lld", (long long)synthesis->seed),
                                "--timing-allow-fail",
                                NULL};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) vector_push(arena, &arguments, more[i]);
    const char *log = string_format(arena, "%s/%s", synthesis->design.path,
                                    scratch_file(synthesis, "router.log"));
    const char *progress =
        string_format(arena, "%s places and routes %s", synthesis->device->router->native,
                      synthesis->design.interface.top);
    return tool_run(synthesis, &synthesis->router, arguments.items, log, progress) &&
           read_report(synthesis);
}
