/* The `tepal` command: picks a subcommand. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "command/command.h"

static Status unknown_command(const char *name) {
    if (name[0] == '-') return usage_error(NULL, "unknown option '%.60s'", name);
    const char *names[32];
    int count = 0;
    for (; count < subcommand_count && count < 32; count++) names[count] = subcommands[count].name;
    const char *nearest = nearest_word(name, names, count);
    if (nearest)
        return usage_error(NULL, "unknown command '%.60s'; did you mean '%s'?", name, nearest);
    return usage_error(NULL, "unknown command '%.60s'", name);
}

static Status dispatch(int argc, char **argv) {
    if (argc < 2) return usage_error(NULL, "a command is missing");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const Subcommand *subcommand = subcommand_find(name);
    return subcommand ? subcommand->run(argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv) {
    process_open_standard_files();
    process_install_signals();
    Status status = dispatch(argc, argv);
    progress_done();
    /* Results that did not reach stdout are no results. */
    if (ferror(stdout) | fflush(stdout)) {
        fprintf(stderr, "tepal: error: cannot write to stdout: %s\n", strerror(errno));
        if (status == STATUS_DONE) status = STATUS_TOOL;
    }
    return (int)status;
}
