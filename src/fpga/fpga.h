/* Area and timing of a built design on an FPGA: what the files of src/fpga share.
 *
 * Yosys maps the SystemVerilog of a design to the cells of a device and counts them. nextpnr then
 * places and routes it, for the devices that it knows, and tells how fast it can be clocked. For
 * that the design is put in a shell of one flip-flop per port bit (shell.c), so that the host's
 * ports need no pins, paths to them count like paths to a host inside the FPGA, and none of the
 * shell is counted as area: Yosys counts before. */
#ifndef TEPAL_FPGA_FPGA_H
#define TEPAL_FPGA_FPGA_H

#include <jansson.h>
#include "simulate/design.h"

/* What a device has a number of. */
typedef enum Resource {
    RESOURCE_LUT,
    RESOURCE_FLIP_FLOP,
    RESOURCE_DSP,
    RESOURCE_BLOCK_RAM,
    RESOURCES
} Resource;
extern const char *const resource_names[RESOURCES]; /* as in messages: "LUTs" ... */

/* A cell of the device, and what one of it takes. */
typedef struct CellKind {
    const char *cell;
    Resource resource;
    int64_t units;
    bool is_memory; /* LUTs as distributed RAM */
} CellKind;

/* Words and bits of a block RAM in one of its shapes. */
typedef struct BlockShape {
    int64_t words;
    int bits;
} BlockShape;

/* Place and route. */
typedef struct Router {
    const char *native, *portable; /* programs: the first that is found is taken */
    const char *const *arguments;  /* ends with NULL */
} Router;

typedef struct Device {
    const char *name;  /* of --target */
    const char *title; /* for a person */
    const char
        *synthesis; /* Yosys commands that map the design to the device; %s is the top module */
    int64_t available[RESOURCES];
    const CellKind *cells;    /* ends with a NULL name */
    const BlockShape *shapes; /* ends with 0 words */
    int small_memory; /* bits up to which a memory may be made of other cells than block RAM */
    int multiplier_bits[2]; /* of one DSP block's operands, unsigned; 0: it is not used */
    const Router *router;   /* NULL: area only */
    const char *flip_flop;  /* of the shell, up to its name: "SB_DFF" with parameters */
    const char *flip_flop_input;
    const char *flip_flop_clock;
    const char *vivado_part; /* NULL: no script for Vivado */
} Device;

/* NULL if there is none of this name. */
const Device *device_find(const char *name);
/* The names of all, for messages: "a, b or c". */
const char *device_names(Arena *arena);

/* The cells of a design on a device. */
typedef struct CellCount {
    const char *cell;
    int64_t count;
} CellCount;
typedef struct Area {
    int64_t used[RESOURCES];
    int64_t memory_luts; /* of the LUTs, those that are distributed RAM or shift registers */
    int cell_count;
    CellCount *cells; /* all of them, as Yosys calls them */
} Area;

/* An end of the critical path. */
typedef struct PathEnd {
    const char *cell;   /* of the device, as nextpnr calls it */
    const char *signal; /* the signal or instance of the SystemVerilog that it belongs to */
    const char
        *part; /* what that is: "port of the host", "nest relu_1 ...", "unit tepal_float_add" */
} PathEnd;

typedef struct Timing {
    double maximum;              /* MHz; 0 if no path limits the clock */
    double path, logic, routing; /* ns: the whole critical path, and its parts */
    int levels;                  /* cells with logic in it */
    PathEnd from, to;
} Timing;

/* A tool that is there. */
typedef struct Tool {
    const char *program; /* to run */
    const char *version; /* "Yosys 0.23" */
    double seconds;      /* that it ran */
} Tool;

typedef struct Synthesis {
    Arena *arena;
    Diagnostics *diagnostics;
    const Device *device;
    Design design;
    json_t *report; /* report.json */
    double clock;   /* MHz asked for */
    int64_t seed;
    bool area_only;      /* do not place and route */
    const char *scratch; /* a temporary folder inside the design's, named relative to it */
    Tool yosys, router;
    bool estimated; /* the area is what the design needs at least: it was not synthesized */
    bool fits, routed;
    Area area;
    Timing timing;
} Synthesis;

/* The program of a tool, in PATH or where `make setup-fpga` puts it, and its version. */
bool tool_find(Synthesis *synthesis, const char *native, const char *portable, Tool *tool);
/* Runs it in the design's folder; the arguments end with NULL. What it prints goes to the file
 * `log`. */
bool tool_run(Synthesis *synthesis, Tool *tool, const char *const *arguments, const char *log,
              const char *progress);

/* Bits that all block RAMs of a device hold together. */
int64_t block_memory_capacity(const Device *device);

/* What the design of a report (report.json) needs at least, of what can be told before synthesis.
 */
Area area_estimate(const Device *device, const json_t *report);
/* True if the area is no more than the device has. */
bool area_fits(const Area *area, const Device *device);
/* "907 of 83,640 LUTs, 4 of 156 DSP blocks": what it takes of the device. */
const char *area_text(const Area *area, const Device *device, Arena *arena);
/* "4,120 LUTs of 2,000, 12 DSP blocks of 8": what the device lacks. */
const char *area_lacking(const Area *area, const Device *device, Arena *arena);

/* Appends Verilog: the module `shell_name`, with the top module as its instance `shell_instance`.
 */
extern const char shell_name[], shell_instance[];
void shell_print(const Device *device, const Interface *interface, Text *text);

/* Sets `area`, and leaves the netlist for nextpnr in the scratch folder. */
bool yosys_run(Synthesis *synthesis);
/* Sets `timing`. */
bool router_run(Synthesis *synthesis);

/* Says what a cell or net of the synthesized design is in the terms of the SystemVerilog. */
typedef struct Names Names;
Names *names_read(Synthesis *synthesis);
PathEnd names_find(const Names *names, const char *cell, const char *name);

/* The results, as the text of synth.json and as a table. */
void synthesis_json(const Synthesis *synthesis, Text *text);
void synthesis_table(const Synthesis *synthesis, Text *text);
/* A script that makes Vivado synthesize the design. */
void vivado_print(const Synthesis *synthesis, Text *text);

#endif
