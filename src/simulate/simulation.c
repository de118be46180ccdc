/* Runs a built design in a simulator: writes the job, starts the simulator, judges what it says. */
#include "simulate/simulation.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/process.h"

/* Runs the command that follows. The shell keeps its exit status in a file, and cuts off a design
 * that reports errors without end. */
static const char script[] = "{ \"$@\"; echo $? >\"$0\"; } 2>&1 | head -c 200000";

enum { SHOWN_ERRORS = 10 };
static const size_t results_limit = (size_t)1 << 33;

typedef struct Work {
    Arena *arena;
    Diagnostics *diagnostics;
    const Design *design;
    const SimulationOptions *options;
    int64_t max_cycles;
    const char *folder; /* for the files of this simulation */
    SimulatorRun run;
    bool trace_is_file;
    char *log;  /* what the simulator printed */
    int status; /* its exit status, -1 if it did not exit */
} Work;

static TraceKind trace_kind(const char *trace) {
    if (!trace) return TRACE_NONE;
    return string_ends(trace, ".fst") ? TRACE_FST : TRACE_VCD;
}

static int64_t cycle_limit(const Design *design, const SimulationOptions *options) {
    if (options->max_cycles > 0) return options->max_cycles;
    if (design->predicted_cycles < 0 || design->predicted_cycles > INT64_MAX / 8)
        return options->simulator->max_cycles;
    return design->predicted_cycles * 4 + 100000;
}

/* The simulator runs in the design's folder, so it needs absolute paths. */
static bool set_trace(Work *work) {
    const char *trace = work->options->trace;
    work->run.trace_kind = trace_kind(trace);
    if (!trace) return true;
    char folder[PATH_MAX];
    if (*trace == '/')
        work->run.trace = trace;
    else if (getcwd(folder, sizeof folder))
        work->run.trace = string_format(work->arena, "%s/%s", folder, trace);
    /* Written once to hear of a bad path before the design is compiled. */
    if (!work->run.trace || !file_write(work->diagnostics, work->run.trace, "", 0)) return false;
    /* What is not an ordinary file was there before, a device or a pipe, and is not ours to remove.
     */
    struct stat status;
    work->trace_is_file = lstat(work->run.trace, &status) == 0 && S_ISREG(status.st_mode);
    if (work->trace_is_file) cleanup_register(work->run.trace);
    return true;
}

/* A trace that no simulator wrote is not left. Not all simulators tell of a full disk. */
static void end_trace(Work *work, bool simulated) {
    if (!work->trace_is_file) return;
    struct statvfs disk;
    if (!simulated)
        unlink(work->run.trace);
    else if (statvfs(work->run.trace, &disk) == 0 && disk.f_bavail == 0)
        warning_at(work->diagnostics, work->options->trace,
                   "the disk is full: the trace may be cut short");
    cleanup_forget(work->run.trace);
}

static bool make_folder(Work *work) {
    const char *base = getenv("TMPDIR");
    if (!base || *base != '/') base = "/tmp";
    char *folder = string_format(work->arena, "%s/tepal-sim-XXXXXX", base);
    if (!mkdtemp(folder))
        return error_at(work->diagnostics, STATUS_TOOL, base,
                        "cannot make a folder in it: %s; set TMPDIR to another one",
                        strerror(errno));
    cleanup_register(folder);
    work->folder = folder;
    work->run.job = string_format(work->arena, "%s/job", folder);
    work->run.results = string_format(work->arena, "%s/results", folder);
    if (!work->options->contents) return true;
    work->run.contents = string_format(work->arena, "%s/contents", folder);
    return make_folders(work->diagnostics, work->run.contents);
}

/* Starts the simulator and waits. What it prints, and how it ended, is judged later. */
static bool start(Work *work) {
    Arena *arena = work->arena;
    const char *status_path = string_format(arena, "%s/status", work->folder);
    const char *arguments[SIMULATOR_ARGUMENTS + 5] = {"sh", "-c", script, status_path};
    work->run.progress = isatty(STDERR_FILENO) ? dup(STDERR_FILENO) : -1;
    work->options->simulator->command(arena, &work->run, arguments + 4);
    Command command = {.arguments = arguments, .folder = work->design->path};
    progress_show("simulating");
    bool ok = process_run(arena, work->diagnostics, &command, &work->log);
    progress_done();
    if (work->run.progress >= 0) close(work->run.progress);
    char *status;
    if (!ok || !file_read(arena, work->diagnostics, status_path, 100, &status, NULL)) return false;
    work->status = *status ? atoi(status) : -1;
    return true;
}

/* The lines of the log in which the design or the simulator reports an error. */
static Text errors_in(Work *work, bool *missing_image) {
    static const char *const signs[] = {"Error", "ERROR", "FATAL", "$readmem", "  in cycle "};
    Text errors = text_new(work->arena);
    int count = 0;
    *missing_image = strstr(work->log, "$readmem") != NULL;
    const char *ready = strstr(work->log, "reset done\n");
    const char *start = ready && !*missing_image ? ready : work->log;
    for (const char *line = start; *line && count < SHOWN_ERRORS;) {
        size_t length = strcspn(line, "\n");
        char *copy = arena_string_of(work->arena, line, length);
        bool is_error = false;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (strstr(copy, signs[i])) is_error = true;
        if (is_error) {
            text_printf(&errors, "%s%s", count ? "\n" : "",
                        string_printable(work->arena, copy, 300));
            count++;
        }
        line += length + (line[length] == '\n');
    }
    return errors;
}

/* False with a diagnostic if the simulator failed or the design reported errors. */
static bool judge(Work *work) {
    bool missing_image;
    Text errors = errors_in(work, &missing_image);
    const char *folder = work->design->folder;
    if (missing_image)
        error_at(work->diagnostics, STATUS_INPUT, folder,
                 "a memory image of the design is missing or has not the words it should have");
    else if (errors.length)
        error_at(work->diagnostics, STATUS_DIFFERENT, folder,
                 "the hardware reports an error in simulation");
    else if (work->status != 0 && work->status != 1)
        error_at(work->diagnostics, STATUS_TOOL, folder, "the simulator failed with exit status %d",
                 work->status);
    else
        return true;
    if (errors.length)
        note(work->diagnostics, "%s", text_string(&errors));
    else if (*work->log)
        note(work->diagnostics, "%.2000s", work->log);
    return false;
}

static bool run_job(Work *work, int run_count, Tensor *const *inputs, Simulation *result) {
    Arena *arena = work->arena;
    Text job = text_new(arena);
    char *text;
    double seconds = 0, began = seconds_now();
    job_print(work->design, run_count, inputs, work->max_cycles, &job);
    if (!file_write(work->diagnostics, work->run.job, text_string(&job), job.length) ||
        !start(work) || !judge(work) ||
        !file_read(arena, work->diagnostics, work->run.results, results_limit, &text, NULL) ||
        !results_read(arena, work->diagnostics, work->design, text, run_count, work->max_cycles,
                      result->runs, &seconds) ||
        (work->run.contents &&
         !contents_read(arena, work->diagnostics, work->run.contents, &result->contents)))
        return false;
    result->run_seconds = seconds_now() - began;
    double cycles = 0;
    for (int run = 0; run < run_count; run++) cycles += (double)result->runs[run].cycles;
    if (seconds <= 0) seconds = result->run_seconds;
    result->cycles_per_second = seconds > 0 ? cycles / seconds : 0;
    return true;
}

bool simulate(Arena *arena, Diagnostics *diagnostics, const Design *design,
              const SimulationOptions *options, int run_count, Tensor *const *inputs,
              Simulation *result) {
    Work work = {.arena = arena,
                 .diagnostics = diagnostics,
                 .design = design,
                 .options = options,
                 .max_cycles = cycle_limit(design, options)};
    char *executable = NULL;
    result->runs = arena_array(arena, (size_t)run_count, sizeof *result->runs);
    double began = seconds_now();
    if (!set_trace(&work)) return false;
    bool made =
        options->simulator->make(arena, diagnostics, design, work.run.trace_kind, &executable);
    result->build_seconds = seconds_now() - began;
    work.run.executable = executable;
    work.run.seed = options->seed;
    bool ok = made && make_folder(&work) && run_job(&work, run_count, inputs, result);
    if (work.folder) {
        remove_tree(work.folder);
        cleanup_forget(work.folder);
    }
    end_trace(&work, made);
    return ok;
}
