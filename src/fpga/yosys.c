/* Synthesis with Yosys: the cells that a design becomes on a device, and the netlist for nextpnr.
 *
 * Yosys works in the folder of the design, for the images of its memories are named relative to it.
 * It counts the cells of the design before the shell is put around it. */
#include "fpga/fpga.h"

#include <string.h>
#include <unistd.h>

enum { STATISTICS_LIMIT = 1 << 24 };

/* The commands go into a script, where other names might be commands. */
static bool is_plain(const char *name) {
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_./-")] == '\0';
}

static bool names_are_plain(Synthesis *synthesis) {
    const Design *design = &synthesis->design;
    for (int i = 0; i < design->file_count; i++)
        if (!is_plain(design->files[i]))
            return error_at(synthesis->diagnostics, STATUS_INPUT, design->folder,
                            "Yosys cannot read a file of this name: %s",
                            string_printable(synthesis->arena, design->files[i], 100));
    return is_plain(design->interface.top) ||
           error_at(synthesis->diagnostics, STATUS_INPUT, design->folder,
                    "not the name of a module: %s",
                    string_printable(synthesis->arena, design->interface.top, 100));
}

static const char *scratch_path(const Synthesis *synthesis, const char *name) {
    return string_format(synthesis->arena, "%s/%s/%s", synthesis->design.path, synthesis->scratch,
                         name);
}

static void print_script(const Synthesis *synthesis, Text *script) {
    const Design *design = &synthesis->design;
    text_append(script, "read_verilog -sv");
    for (int i = 0; i < design->file_count; i++) text_printf(script, " %s", design->files[i]);
    const char *synthesis_command = synthesis->device->synthesis;
    const char *top = strstr(synthesis_command, "%s");
    text_printf(script, "\n%.*s%s%s\n", (int)(top - synthesis_command), synthesis_command,
                design->interface.top, top + 2);
    text_printf(script, "tee -q -o %s/cells.json stat -json\n", synthesis->scratch);
    if (synthesis->device->router)
        text_printf(script,
                    "read_verilog %s/shell.v\nhierarchy -top %s\nflatten\n"
                    "write_json %s/netlist.json\n",
                    synthesis->scratch, shell_name, synthesis->scratch);
}

static bool write_inputs(Synthesis *synthesis) {
    Text script = text_new(synthesis->arena), shell = text_new(synthesis->arena);
    print_script(synthesis, &script);
    if (synthesis->device->router)
        shell_print(synthesis->device, &synthesis->design.interface, &shell);
    return file_write(synthesis->diagnostics, scratch_path(synthesis, "script.ys"),
                      text_string(&script), script.length) &&
           file_write(synthesis->diagnostics, scratch_path(synthesis, "shell.v"),
                      text_string(&shell), shell.length);
}

/* --- cells --- */

/* The object {"LUT4": 572, ...} in Yosys's statistics, which name either the whole design or each
 * module. */
static const json_t *cells_in(const json_t *statistics) {
    const json_t *of = json_object_get(statistics, "design");
    if (!of) {
        json_t *modules = json_object_get(statistics, "modules");
        of = json_object_iter_value(json_object_iter(modules));
    }
    return json_object_get(of, "num_cells_by_type");
}

static void count_cell(Synthesis *synthesis, const char *cell, int64_t count) {
    Area *area = &synthesis->area;
    if (*cell == '$') return; /* notes of Yosys, no hardware */
    area->cells[area->cell_count++] = (CellCount){arena_string(synthesis->arena, cell), count};
    for (const CellKind *kind = synthesis->device->cells; kind->cell; kind++) {
        if (strcmp(kind->cell, cell) != 0) continue;
        area->used[kind->resource] += count * kind->units;
        if (kind->is_memory) area->memory_luts += count * kind->units;
    }
}

static bool read_cells(Synthesis *synthesis) {
    const char *path = scratch_path(synthesis, "cells.json");
    char *text;
    size_t length;
    if (access(path, R_OK) != 0)
        return error_at(synthesis->diagnostics, STATUS_TOOL, NULL,
                        "%s (%s) ended without a result; install yosys from your distribution",
                        synthesis->yosys.program, synthesis->yosys.version);
    if (!file_read(synthesis->arena, synthesis->diagnostics, path, STATISTICS_LIMIT, &text,
                   &length))
        return false;
    const char *start = strchr(text, '{'); /* older versions print a heading */
    size_t skipped = start ? (size_t)(start - text) : 0;
    json_t *statistics = json_loadb(text + skipped, length - skipped, JSON_DISABLE_EOF_CHECK, NULL);
    const json_t *cells = cells_in(statistics);
    synthesis->area = (Area){0};
    synthesis->area.cells =
        arena_array(synthesis->arena, json_object_size(cells) + 1, sizeof(CellCount));
    const char *cell;
    json_t *count;
    json_object_foreach((json_t *)(uintptr_t)cells, cell, count)
        count_cell(synthesis, cell, json_integer_value(count));
    json_decref(statistics);
    return cells != NULL || error_at(synthesis->diagnostics, STATUS_TOOL, NULL,
                                     "%s (%s) printed statistics that cannot be read",
                                     synthesis->yosys.program, synthesis->yosys.version);
}

bool yosys_run(Synthesis *synthesis) {
    if (!names_are_plain(synthesis) || !write_inputs(synthesis)) return false;
    Arena *arena = synthesis->arena;
    const char *const arguments[] = {synthesis->yosys.program, "-q", "-s",
                                     string_format(arena, "%s/script.ys", synthesis->scratch),
                                     NULL};
    const char *progress = string_format(arena, "yosys maps %s to %s",
                                         synthesis->design.interface.top, synthesis->device->name);
    return tool_run(synthesis, &synthesis->yosys, arguments, scratch_path(synthesis, "yosys.log"),
                    progress) &&
           read_cells(synthesis);
}
