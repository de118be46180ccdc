/* `tepal help [COMMAND]` */
#include "command/command.h"

#include <stdio.h>

static void print_overview(void) {
    printf("NAME\n    tepal - compile PyTorch models to hardware\n\n"
           "SYNOPSIS\n    tepal COMMAND ARGUMENT ...\n    tepal --version | --help\n\n"
           "DESCRIPTION\n");
    print_wrapped(
        "Tepal compiles a trained PyTorch model, as torch.export.save writes it (.pt2), or "
        "MLIR text, to SystemVerilog that is ready to synthesize; simulates it and "
        "compares every result with the model; and reports area and timing on FPGAs.",
        4);
    printf("\nCOMMANDS\n");
    for (int i = 0; i < subcommand_count; i++)
        printf("    %-10s%s\n", subcommands[i].name, subcommands[i].summary);
    printf(
        "\n    'tepal COMMAND --help' shows the manual page of a command.\n\n"
        "ENVIRONMENT\n    TEPAL_HARDWARE\n        The folder of the SystemVerilog library, if it "
        "is not where it was built\n        or installed.\n");
    print_exit_status();
    printf("\nEXAMPLES\n"
           "    tepal build model.pt2 -o design --parallel 4\n"
           "    tepal sim design\n");
}

Status command_help(int argc, char **argv) {
    if (argc > 2) return usage_error(NULL, "help takes the name of one command");
    if (argc < 2) {
        print_overview();
        return STATUS_DONE;
    }
    const Subcommand *subcommand = subcommand_find(argv[1]);
    if (!subcommand) return usage_error(NULL, "there is no command '%.60s'", argv[1]);
    if (subcommand->run == command_help || subcommand->run == command_version) {
        printf("tepal %s: %s\n", subcommand->name, subcommand->summary);
        return STATUS_DONE;
    }
    char help[] = "--help";
    char *arguments[] = {argv[1], help, NULL};
    return subcommand->run(2, arguments);
}
