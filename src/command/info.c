/* `tepal info`: reads the command line for tepal_info. */
#include "command/command.h"

#include "tepal/tepal.h"

#define FIELD(name) offsetof(TepalInfoOptions, name)

static const Option options[] = {
    {"top", 0, OPTION_STRING, "NAME", FIELD(top),
     .help = "The function to show, where MLIR text holds several."},
    {"shape", 0, OPTION_STRINGS, "NAME=DIMS", FIELD(shapes), .further = "=",
     .help = "The sizes of an input that the model leaves open, as in --shape x=1x3x32x32."},
    {"operations", 0, OPTION_FLAG, NULL, FIELD(operations), .replaces_operand = true,
     .help = "Lists the PyTorch operators that can be compiled, with their schemas; MODEL is not "
             "read."},
};

static const CommandLine line = {
    .name = "info",
    .operand = "MODEL",
    .operand_offset = FIELD(model),
    .description = "Prints what MODEL, a .pt2 file or MLIR text, is made of: inputs and outputs, "
                   "operations, parameters, multiply-accumulates and memory.",
    .examples = "tepal info model.pt2\n"
                "tepal info model.pt2 --shape x=1x3x32x32\n"
                "tepal info --operations",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

Status command_info(int argc, char **argv) {
    Arena *arena = arena_new();
    TepalInfoOptions info = {0};
    Status status;
    if (options_parse(arena, &line, argc, argv, &info, &status)) status = (Status)tepal_info(&info);
    arena_free(arena);
    return status;
}
