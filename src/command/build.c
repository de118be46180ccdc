/* `tepal build`: reads the command line for tepal_build. */
#include "command/command.h"

#include "tepal/tepal.h"

#define FIELD(name) offsetof(TepalBuildOptions, name)

static const Option options[] = {
    {"output", 'o', OPTION_STRING, "DIR", FIELD(output),
     .help =
         "The folder to make. An existing folder is replaced only if Tepal made it. May be left out "
         "if there is an --emit."},
    {"parallel", 0, OPTION_INTEGER, "N", FIELD(parallel), 1, 256, .shown_default = "1",
     .help = "The most multiply-accumulate units that may work at once."},
    {"clock", 0, OPTION_REAL, "MHZ", FIELD(clock), 1, 2000, .shown_default = "the target's",
     .help = "The clock frequency to schedule for."},
    {"target", 0, OPTION_STRING, "T", FIELD(target),
     .help = "The FPGA device to schedule for: ecp5-85k, ice40-up5k, xilinx, or generic."},
    {"emit", 0, OPTION_STRINGS, "STAGE=FILE", FIELD(emit), .further = "=",
     .help =
         "Also write a stage of the compilation to a file: linalg, affine, loops, calyx, calyx-mlir, "
         "hw or sv. Without =FILE, to stdout."},
    {"top", 0, OPTION_STRING, "NAME", FIELD(top),
     .help = "The function to compile, where MLIR text holds several."},
    {"shape", 0, OPTION_STRINGS, "NAME=DIMS", FIELD(shapes), .further = "=",
     .help = "The sizes of an input that the model leaves open, as in --shape x=1x3x32x32."},
    {"check", 0, OPTION_FLAG, NULL, FIELD(check),
     .help = "Execute every stage on one random input, and stop at the first that differs."},
    {"reassociate", 0, OPTION_FLAG, NULL, FIELD(reassociate),
     .help =
         "Split sums whose outputs are too few to keep the adders busy into partial sums, which "
         "changes roundings. The CPU reference of the design adds in the same order."},
    {"unroll", 0, OPTION_STRINGS, "NEST:LOOP=F", FIELD(unroll), .further = "=",
     .help =
         "Unroll a loop of a nest F times, instead of what --parallel would choose for this "
         "nest; its other loops stay as they are. report.json names the nests and loops. A FILE "
         "with one NEST:LOOP=F in a line, and comments after '#', stands for all of them."},
    {"interface", 0, OPTION_CHOICE, "memory|stream", FIELD(interface), .shown_default = "memory",
     .help = "The ports of the design: tensors in memories inside, or streams."},
};

static const CommandLine line = {
    .name = "build",
    .operand = "MODEL",
    .operand_offset = FIELD(model),
    .description =
        "Compiles MODEL, a file that torch.export.save wrote (.pt2) or MLIR text (linalg on tensors, "
        "loops over memrefs, or what 'tepal opt --mlir-print-op-generic' prints of a Calyx program or a "
        "netlist), to SystemVerilog.\n\n"
        "DIR gets NAME.sv with the top module, files.f with the list of all source files, memory "
        "images (*.hex), interface.json with the tensors and ports, and report.json with cycles, "
        "operators and memory. Nothing of it is written if the build fails.\n\n"
        "Every element of every output is, bit for bit, what the CPU reference ('tepal run') gives; with "
        "--reassociate, what the reference of the design (NAME.linalg.mlir) gives.",
    .examples = "tepal build model.pt2 -o design\n"
                "tepal build model.pt2 -o design --parallel 16 --clock 100\n"
                "tepal build model.mlir --emit=calyx",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

Status command_build(int argc, char **argv) {
    Arena *arena = arena_new();
    TepalBuildOptions build = {.parallel = 1, .interface = "memory"};
    Status status;
    if (options_parse(arena, &line, argc, argv, &build, &status)) {
        if (build.output || build.emit.count)
            status = (Status)tepal_build(&build);
        else
            status = usage_error("build", "-o DIR is missing");
    }
    arena_free(arena);
    return status;
}
