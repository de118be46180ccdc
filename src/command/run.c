/* `tepal run`: reads the command line for tepal_run. */
#include "command/command.h"

#include "tepal/tepal.h"

#define FIELD(name) offsetof(TepalRunOptions, name)

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
         "A folder that gets the outputs as .npy files. Without this, a summary of each is printed."},
    {"seed", 0, OPTION_INTEGER, "N", FIELD(seed), 0, 9e15, .shown_default = "0",
     .help = "Chooses the random inputs."},
    {"rtol", 0, OPTION_REAL, "X", FIELD(rtol), 0, 1e9, .shown_default = "1e-4 for f32",
     .help = "Relative tolerance against --expect."},
    {"atol", 0, OPTION_REAL, "Y", FIELD(atol), 0, 1e300, .shown_default = "1e-5 for f32",
     .help = "Absolute tolerance against --expect."},
    {"top", 0, OPTION_STRING, "NAME", FIELD(top),
     .help = "The function to run, where MLIR text holds several."},
    {"shape", 0, OPTION_STRINGS, "NAME=DIMS", FIELD(shapes), .further = "=",
     .help = "The sizes of an input that the model leaves open, as in --shape x=1x3x32x32."},
};

static const CommandLine line = {
    .name = "run",
    .operand = "MODEL",
    .operand_offset = FIELD(model),
    .description =
        "Executes MODEL, a .pt2 file or MLIR text, on the CPU. This is the reference that hardware "
        "is compared with: no fast-math, no contraction, every sum in the model's order.\n\n"
        "With --expect it compares: |output - expected| <= atol + rtol * |expected|.",
    .examples = "tepal run model.pt2 --input x.npy --expect y.npy\n"
                "tepal run model.pt2 --seed 3 --output results",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

Status command_run(int argc, char **argv) {
    Arena *arena = arena_new();
    TepalRunOptions run = {.rtol = -1, .atol = -1};
    Status status;
    if (options_parse(arena, &line, argc, argv, &run, &status)) status = (Status)tepal_run(&run);
    arena_free(arena);
    return status;
}
