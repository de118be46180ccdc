/* `tepal sim`: reads the command line for tepal_sim. */
#include "command/command.h"

#include "tepal/tepal.h"

#define FIELD(name) offsetof(TepalSimOptions, name)

static const Option options[] = {
    {"input", 0, OPTION_STRINGS, "FILE.npy", FIELD(inputs), .further = ".npy",
     .help = "The inputs, in the model's order; as many again for each further run. Without this, "
             "random ones."},
    {"expect", 0, OPTION_STRINGS, "FILE.npy", FIELD(expected), .further = ".npy",
     .help =
         "The outputs that the model gives for these inputs, compared with a tolerance; as many "
         "again for each further run."},
    {"output", 'o', OPTION_STRING, "DIR", FIELD(output),
     .help =
         "A folder that gets the outputs as .npy files; those of further given runs go to run_2, run_3 ... in it."},
    {"seed", 0, OPTION_INTEGER, "N", FIELD(seed), 0, 9e15, .shown_default = "0",
     .help = "Chooses the random inputs."},
    {"simulator", 0, OPTION_CHOICE, "verilator|icarus", FIELD(simulator),
     .shown_default = "verilator", .help = "The simulator to use."},
    {"trace", 0, OPTION_STRING, "FILE", FIELD(trace), .help = "Write the waveform to a file."},
    {"rtol", 0, OPTION_REAL, "X", FIELD(rtol), 0, 1e9, .shown_default = "1e-4 for f32",
     .help = "Relative tolerance against --expect."},
    {"atol", 0, OPTION_REAL, "Y", FIELD(atol), 0, 1e300, .shown_default = "1e-5 for f32",
     .help = "Absolute tolerance against --expect."},
    {"runs", 0, OPTION_INTEGER, "K", FIELD(runs), 1, 1e9, .shown_default = "1",
     .help = "Run the design K times, each with other random inputs after the first."},
    {"max-cycles", 0, OPTION_INTEGER, "N", FIELD(max_cycles), 1, 9e15,
     .shown_default =
         "4 x the predicted count and 100,000; where data decides 10^9, with icarus 10^7",
     .help = "Give up a run after N clock cycles."},
};

static const CommandLine line = {
    .name = "sim",
    .operand = "DIR",
    .operand_offset = FIELD(folder),
    .description =
        "Simulates the design that 'tepal build' wrote to DIR, and compares every element of every "
        "output with the CPU reference, bit for bit. With --expect it also compares with the "
        "given outputs: |output - expected| <= atol + rtol * |expected|.\n\n"
        "Writes DIR/sim.json with the cycles and the largest errors. If results differ, names the "
        "first tensor of the model that is wrong.",
    .examples = "tepal sim design\n"
                "tepal sim design --input x.npy --expect y.npy\n"
                "tepal sim design --runs 10 --seed 7 --simulator icarus",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

Status command_sim(int argc, char **argv) {
    Arena *arena = arena_new();
    TepalSimOptions sim = {.simulator = "verilator", .rtol = -1, .atol = -1, .runs = 1};
    Status status;
    if (options_parse(arena, &line, argc, argv, &sim, &status)) status = (Status)tepal_sim(&sim);
    arena_free(arena);
    return status;
}
