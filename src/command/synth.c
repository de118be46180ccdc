/* `tepal synth`: reads the command line for tepal_synth. */
#include "command/command.h"

#include "tepal/tepal.h"

#define FIELD(name) offsetof(TepalSynthOptions, name)

static const Option options[] = {
    {"target", 0, OPTION_STRING, "T", FIELD(target), .required = true,
     .help = "The FPGA device: ecp5-85k, ice40-up5k, xilinx ..."},
};

static const CommandLine line = {
    .name = "synth",
    .operand = "DIR",
    .operand_offset = FIELD(folder),
    .description =
        "Synthesizes the design that 'tepal build' wrote to DIR with Yosys, places and "
        "routes it with nextpnr where that knows the device, and prints area and timing.",
    .examples = "tepal synth design --target ecp5-85k",
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
