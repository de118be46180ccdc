/* `tepal version` */
#include "command/command.h"

#include <stdio.h>

Status command_version(int argc, char **argv) {
    (void)argv;
    if (argc > 1) return usage_error(NULL, "version takes no arguments");
    printf("tepal %s (MLIR %s)\n", TEPAL_VERSION, MLIR_VERSION);
    return STATUS_DONE;
}
