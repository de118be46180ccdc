/* The table of subcommands. */
#include "command/command.h"

#include <string.h>

const Subcommand subcommands[] = {
    {"build", "compile a model to SystemVerilog", command_build},
    {"sim", "simulate a built design and check it against the model", command_sim},
    {"run", "execute a model on the CPU, as the reference", command_run},
    {"info", "show what a model is made of", command_info},
    {"synth", "area and timing of a built design on an FPGA", command_synth},
    {"opt", "run passes on an MLIR file", command_opt},
    {"help", "show the manual page of a command", command_help},
    {"version", "show the versions of Tepal and MLIR", command_version},
};
const int subcommand_count = sizeof subcommands / sizeof *subcommands;

const Subcommand *subcommand_find(const char *name) {
    for (int i = 0; i < subcommand_count; i++)
        if (strcmp(subcommands[i].name, name) == 0) return &subcommands[i];
    return NULL;
}
