/* `tepal synth`: reads the command line for tepal_synth. */
#include "command/command.h"

#include "tepal/tepal.h"

#define FIELD(name) offsetof(TepalSynthOptions, name)

static const Option options[] = {
    {"target", 0, OPTION_STRING, "T", FIELD(target), .required = true,
     .help = "The FPGA device: ecp5-85k, ice40-up5k or xilinx."},
    {"clock", 0, OPTION_REAL, "MHZ", FIELD(clock), 0.001, 1e5, .shown_default = "that of the build",
     .help = "The clock to place and route for."},
    {"seed", 0, OPTION_INTEGER, "N", FIELD(seed), 1, 2147483647, .shown_default = "1",
     .help = "Chooses another placement."},
    {"area-only", 0, OPTION_FLAG, NULL, FIELD(area_only),
     .help = "Counts cells with Yosys alone, which takes less time: no clock is known."},
};

static const CommandLine line = {
    .name = "synth",
    .operand = "DIR",
    .operand_offset = FIELD(folder),
    .description =
        "Synthesizes the design that 'tepal build' wrote to DIR with Yosys, places and "
        "routes it with nextpnr where that knows the device, and prints area, clock and the "
        "path that limits it. 'make setup-fpga' installs both tools.\n\n"
        "Writes DIR/synth.json, and for xilinx DIR/vivado.tcl, a script for Vivado. The host's "
        "ports end at flip-flops, which are not counted.",
    .examples = "tepal synth design --target ecp5-85k\n"
                "tepal synth design --target ecp5-85k --clock 120 --seed 3",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

Status command_synth(int argc, char **argv) {
    Arena *arena = arena_new();
    TepalSynthOptions synth = {0};
    Status status;
    if (options_parse(arena, &line, argc, argv, &synth, &status))
        status = (Status)tepal_synth(&synth);
    arena_free(arena);
    return status;
}
