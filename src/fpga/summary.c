/* What `tepal synth` says in the end: synth.json, and a table for a person. */
#include "fpga/fpga.h"

#include <stdlib.h>
#include <string.h>

static const char *const resource_keys[RESOURCES] = {"lut", "ff", "dsp", "block_ram"};

/* --- synth.json --- */

static json_t *area_json(const Synthesis *synthesis) {
    json_t *cells = json_object();
    for (int i = 0; i < synthesis->area.cell_count; i++)
        json_object_set_new(cells, synthesis->area.cells[i].cell,
                            json_integer(synthesis->area.cells[i].count));
    return cells;
}

static json_t *end_json(const PathEnd *end) {
    return json_pack("{s:s?, s:s?, s:s?}", "signal", end->signal, "part", end->part, "cell",
                     end->cell);
}

static json_t *timing_json(const Timing *timing) {
    return json_pack("{s:f, s:f, s:f, s:i, s:o, s:o}", "delay_ns", timing->path, "logic_ns",
                     timing->logic, "routing_ns", timing->routing, "levels", timing->levels, "from",
                     end_json(&timing->from), "to", end_json(&timing->to));
}

static json_t *tools_json(const Synthesis *synthesis) {
    json_t *tools = json_object();
    if (synthesis->yosys.version)
        json_object_set_new(tools, "yosys", json_string(synthesis->yosys.version));
    if (synthesis->router.version)
        json_object_set_new(tools, "nextpnr", json_string(synthesis->router.version));
    return tools;
}

static json_t *seconds_json(const Synthesis *synthesis) {
    json_t *seconds = json_object();
    json_object_set_new(seconds, "yosys", json_real(synthesis->yosys.seconds));
    if (synthesis->routed)
        json_object_set_new(seconds, "nextpnr", json_real(synthesis->router.seconds));
    return seconds;
}

void synthesis_json(const Synthesis *synthesis, Text *text) {
    const Timing *timing = &synthesis->timing;
    json_t *root = json_object(), *available = json_object();
    json_object_set_new(root, "target", json_string(synthesis->device->name));
    json_object_set_new(root, "device", json_string(synthesis->device->title));
    json_object_set_new(root, "fits", json_boolean(synthesis->fits));
    json_object_set_new(root, "estimated", json_boolean(synthesis->estimated));
    for (int r = 0; r < RESOURCES; r++) {
        int64_t memory = r == RESOURCE_LUT ? synthesis->area.memory_luts : 0;
        json_object_set_new(root, resource_keys[r], json_integer(synthesis->area.used[r] - memory));
        json_object_set_new(available, resource_keys[r],
                            json_integer(synthesis->device->available[r]));
    }
    json_object_set_new(root, "lut_memory", json_integer(synthesis->area.memory_luts));
    json_object_set_new(root, "available", available);
    json_object_set_new(root, "cells", area_json(synthesis));
    json_object_set_new(root, "clock_mhz", json_real(synthesis->clock));
    bool timed = synthesis->routed && timing->maximum > 0;
    json_object_set_new(root, "fmax_mhz", timed ? json_real(timing->maximum) : json_null());
    json_object_set_new(root, "meets_clock",
                        timed ? json_boolean(timing->maximum >= synthesis->clock) : json_null());
    json_object_set_new(root, "critical_path", timed ? timing_json(timing) : json_null());
    json_object_set_new(root, "seed", json_integer(synthesis->seed));
    json_object_set_new(root, "tools", tools_json(synthesis));
    json_object_set_new(root, "seconds", seconds_json(synthesis));
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(root);
    if (!dump) return; /* only without memory, which ends the process elsewhere */
    text_append(text, dump);
    text_append(text, "\n");
    free(dump);
}

/* --- table --- */

/* "572 LUT4 + 66 CCU2C": the cells that make up a resource, where there is more than one kind. */
static const char *cells_of(const Synthesis *synthesis, Resource resource) {
    Text text = text_new(synthesis->arena);
    int kinds = 0;
    for (const CellKind *kind = synthesis->device->cells; kind->cell; kind++)
        for (int i = 0; kind->resource == resource && i < synthesis->area.cell_count; i++) {
            const CellCount *cell = &synthesis->area.cells[i];
            if (strcmp(cell->cell, kind->cell) != 0) continue;
            text_append(&text, kinds++ ? " + " : "");
            if (kind->units > 1) text_printf(&text, "%lld x ", (long long)kind->units);
            text_printf(&text, "%s %s", string_grouped(synthesis->arena, cell->count), cell->cell);
        }
    return kinds > 1 ? text_string(&text) : "";
}

static void table_area(const Synthesis *synthesis, Text *text) {
    Arena *arena = synthesis->arena;
    for (int r = 0; r < RESOURCES; r++) {
        int64_t used = synthesis->area.used[r], available = synthesis->device->available[r];
        text_printf(text, "  %-12s %8s of %8s %6.1f %%   %s\n", resource_names[r],
                    string_grouped(arena, used), string_grouped(arena, available),
                    100 * (double)used / (double)available, cells_of(synthesis, (Resource)r));
    }
}

static void table_end(const char *label, const PathEnd *end, Text *text) {
    enum { SIGNAL_WIDTH = 40 };
    const char *signal = end->signal ? end->signal : "?";
    text_printf(text, "  %-14s %-*s %s\n", label, SIGNAL_WIDTH, signal, end->part ? end->part : "");
}

static void table_clock(const Synthesis *synthesis, Text *text) {
    const Timing *timing = &synthesis->timing;
    if (timing->maximum <= 0) {
        text_append(text, "  clock          no path limits it\n");
        return;
    }
    text_printf(text, "  %-12s %8.1f MHz%s, asked for were %g\n", "clock", timing->maximum,
                timing->maximum < synthesis->clock ? " only" : "", synthesis->clock);
    text_printf(text, "  longest path %8.2f ns: logic %.2f, routing %.2f, %d levels\n",
                timing->path, timing->logic, timing->routing, timing->levels);
    table_end("  from", &timing->from, text);
    table_end("  to", &timing->to, text);
}

void synthesis_table(const Synthesis *synthesis, Text *text) {
    text_printf(text, "  %s on %s: %s\n\n", synthesis->design.interface.top,
                synthesis->device->name, synthesis->device->title);
    table_area(synthesis, text);
    if (synthesis->routed) table_clock(synthesis, text);
    text_printf(text, "\n  %s %.0f s", synthesis->yosys.version, synthesis->yosys.seconds);
    if (synthesis->routed)
        text_printf(text, ", %s %.0f s, seed %lld", synthesis->router.version,
                    synthesis->router.seconds, (long long)synthesis->seed);
    text_append(text, "\n");
    if (synthesis->device->vivado_part)
        text_printf(text, "  for timing: cd %s && vivado -mode batch -source vivado.tcl\n",
                    synthesis->design.folder);
}
