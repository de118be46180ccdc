/* Icarus Verilog: compiles to a file that vvp interprets. Slow, but it knows X. */
#include "simulate/simulator.h"

#include <string.h>

#include "base/process.h"
#include "simulate/bench.h"

static const char flags[] = "-g2012";

static bool tools_found(Diagnostics *diagnostics) {
    if (process_found("iverilog") && process_found("vvp")) return true;
    return error_at(diagnostics, STATUS_TOOL, NULL,
                    "Icarus Verilog is not installed: apt-get install iverilog, or use --simulator "
                    "verilator");
}

/* Runs the compiler in the design's folder. */
static bool compile(Arena *arena, Diagnostics *diagnostics, const Design *design,
                    const char *folder, const Text *bench) {
    const char *bench_path = string_format(arena, "%s/bench.sv", folder);
    const char *harness_path = string_format(arena, "%s/harness.sv", folder);
    if (!file_write(diagnostics, bench_path, text_string(bench), bench->length) ||
        !file_write(diagnostics, harness_path, harness_sv, harness_sv_length))
        return false;
    const char **arguments = arena_array(arena, (size_t)design->file_count + 12, sizeof *arguments);
    const char *first[] = {"iverilog",   flags, "-s",
                           "tepal_test", "-o",  string_format(arena, "%s/simulator.vvp", folder)};
    memcpy(arguments, first, sizeof first);
    int count = (int)(sizeof first / sizeof *first);
    for (int i = 0; i < design->file_count; i++) arguments[count++] = design->files[i];
    arguments[count++] = bench_path;
    arguments[count++] = harness_path;
    Command command = {
        .arguments = arguments, .folder = design->path, .progress = "compiling with Icarus"};
    return process_run(arena, diagnostics, &command, NULL);
}

static bool icarus_make(Arena *arena, Diagnostics *diagnostics, const Design *design,
                        TraceKind trace, char **executable) {
    (void)trace; /* every simulator can write one */
    static const char *const version_arguments[] = {"iverilog", "-V", NULL};
    CacheKey key = key_new();
    char *version, *folder;
    Text bench = text_new(arena);
    bench_print(&design->interface, &bench);
    const char *cache = cache_folder(arena, diagnostics);
    if (!cache || !tools_found(diagnostics) ||
        !key_add_version(arena, diagnostics, version_arguments, &key, &version) ||
        !key_add_design(arena, diagnostics, design, &key))
        return false;
    key_add_string(&key, flags);
    key_add_string(&key, text_string(&bench));
    key_add_string(&key, harness_sv);
    const char *entry = cache_entry(arena, cache, "icarus", key);
    *executable = string_format(arena, "%s/simulator.vvp", entry);
    if (cache_has(arena, entry)) return true;
    if (!cache_begin(arena, diagnostics, cache, &folder)) return false;
    if (compile(arena, diagnostics, design, folder, &bench))
        return cache_finish(arena, diagnostics, cache, folder, entry);
    cache_abandon(folder);
    return false;
}

static void icarus_command(Arena *arena, const SimulatorRun *run,
                           const char *arguments[SIMULATOR_ARGUMENTS]) {
    int count = 0;
    arguments[count++] = "vvp";
    arguments[count++] = "-n"; /* $stop ends it */
    arguments[count++] = run->executable;
    arguments[count++] = string_format(arena, "+job=%s", run->job);
    arguments[count++] = string_format(arena, "+results=%s", run->results);
    if (run->progress >= 0)
        arguments[count++] = string_format(arena, "+progress=/dev/fd/%d", run->progress);
    if (run->trace) arguments[count++] = string_format(arena, "+trace=%s", run->trace);
    if (run->contents) arguments[count++] = string_format(arena, "+contents=%s", run->contents);
    if (run->trace_kind == TRACE_FST) arguments[count++] = "-fst";
    arguments[count] = NULL;
}

const Simulator icarus_simulator = {"icarus", 10000000, icarus_make, icarus_command};
