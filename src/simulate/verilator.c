/* Verilator: translates the design to C++, which is compiled to a program of its own.
 *
 * What matters is the time until the results are there, so (measured on f32 multiply-adders, GCC
 * 12 and Clang 14):
 *   - what no design changes is compiled once and kept in the cache: Verilator's runtime and
 *     harness.cpp (5 s), and verilated.h as a precompiled header (saves 0.4 s per file);
 *   - -O1: it simulates as fast as -O2 (10 million cycles/s for one multiply-adder) and compiles
 *     a third faster for one unit, three times faster for 32; -O0 simulates ten times slower. Code
 *     that runs once ("Slow") takes -O0;
 *   - Verilator's files are put together into about as large ones, which are compiled in parallel;
 *   - clang++ is taken where it is found: it compiles large designs almost twice as fast as g++. */
#include "simulate/simulator.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/process.h"
#include "base/vector.h"
#include "simulate/bench.h"

static const char *const verilator_flags[] = {
    "--cc", "-O3", "--top-module", "tepal_bench", "--prefix", "Vtepal_bench",
    /* Values that nothing initialises are drawn when the simulation starts. */
    "--x-assign", "unique", "--x-initial", "unique", "--assert",
    /* Statements per file: half a second to compile. */
    "--output-split", "5000", "-Wno-fatal", "-Wno-lint", "-Wno-style"};
enum { FLAG_COUNT = sizeof verilator_flags / sizeof *verilator_flags };

/* -w: what Verilator writes is not ours to correct. */
static const char compile_flags[] = "-std=gnu++17 -w -DVERILATOR=1 -DVM_COVERAGE=0 -DVM_SC=0"
                                    " -DVL_USER_STOP -DVL_USER_FATAL -DVL_USER_FINISH";
static const char *const trace_flags[] = {
    [TRACE_NONE] = "-DVM_TRACE=0 -DVM_TRACE_VCD=0 -DVM_TRACE_FST=0",
    [TRACE_VCD] = "-DVM_TRACE=1 -DVM_TRACE_VCD=1 -DVM_TRACE_FST=0",
    [TRACE_FST] = "-DVM_TRACE=1 -DVM_TRACE_VCD=0 -DVM_TRACE_FST=1",
};
enum { UNIT_BYTES = 300 * 1000 }; /* of C++ text in one compilation */

/* The tools, and what of them goes into the keys of the cache. */
typedef struct Tools {
    Arena *arena;
    Diagnostics *diagnostics;
    const char *cache;
    const char *compiler; /* of C++ */
    bool is_clang;
    TraceKind trace;
    CacheKey key;        /* versions and flags */
    const char *include; /* Verilator's folder of headers; only when something is compiled */
    const char *runtime; /* entry of the cache */
} Tools;

/* --- make --- */

/* A word of a shell command in a makefile. */
static const char *quoted(Arena *arena, const char *word) {
    Text text = text_new(arena);
    text_append(&text, "'");
    for (; *word; word++) {
        if (*word == '\'')
            text_append(&text, "'\\''");
        else if (*word == '$')
            text_append(&text, "$$");
        else
            text_append_bytes(&text, word, 1);
    }
    text_append(&text, "'");
    return text_string(&text);
}

static void print_compile(const Tools *tools, Text *makefile) {
    text_printf(makefile, "COMPILE = %s %s %s%s -I. -I%s -I%s/vltstd\n",
                quoted(tools->arena, tools->compiler), compile_flags, trace_flags[tools->trace],
                tools->is_clang ? " -fno-crash-diagnostics" : "",
                quoted(tools->arena, tools->include), quoted(tools->arena, tools->include));
}

/* A compiler that finds no room says so in its own way, or crashes. */
static void note_full_disk(Diagnostics *diagnostics, const char *folder) {
    struct statvfs status;
    if (statvfs(folder, &status) == 0 && status.f_bavail < ((uint64_t)4 << 20) / status.f_frsize)
        note(diagnostics, "no space is left on the disk of %s; set TEPAL_CACHE to another folder",
             folder);
}

static bool run_make(Tools *tools, Diagnostics *diagnostics, const char *folder,
                     const Text *makefile, const char *progress) {
    Arena *arena = tools->arena;
    const char *path = string_format(arena, "%s/Makefile", folder);
    if (!file_write(diagnostics, path, text_string(makefile), makefile->length)) return false;
    if (!process_found("make"))
        return error_at(diagnostics, STATUS_TOOL, NULL,
                        "make is not installed: apt-get install make, or use --simulator icarus");
    /* We may be run by a make ourselves, whose job server is not ours to use. */
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *jobs = string_format(arena, "-j%ld", processors > 0 ? processors : 1);
    const char *const arguments[] = {"make", "-s", jobs, NULL};
    Command command = {.arguments = arguments, .folder = folder, .progress = progress};
    if (process_run(arena, diagnostics, &command, NULL)) return true;
    note_full_disk(diagnostics, folder);
    return false;
}

/* --- tools --- */

static bool find_compiler(Tools *tools) {
    const char *chosen = getenv("TEPAL_CXX");
    static const char *const names[] = {"clang++", "g++", "c++"};
    if (chosen && *chosen) tools->compiler = chosen;
    for (size_t i = 0; i < sizeof names / sizeof *names && !tools->compiler; i++)
        if (process_found(names[i])) tools->compiler = names[i];
    if (tools->compiler && process_found(tools->compiler)) return true;
    return error_at(tools->diagnostics, STATUS_TOOL, NULL,
                    "there is no C++ compiler%s%s: apt-get install g++, or use --simulator icarus",
                    tools->compiler ? " " : "", tools->compiler ? tools->compiler : "");
}

static bool find_tools(Tools *tools) {
    if (!process_found("verilator"))
        return error_at(tools->diagnostics, STATUS_TOOL, NULL,
                        "verilator is not installed: apt-get install verilator, or use --simulator "
                        "icarus");
    if (!find_compiler(tools)) return false;
    /* The program behind the script `verilator` answers at once. */
    const char *verilator = process_found("verilator_bin") ? "verilator_bin" : "verilator";
    const char *const verilator_version[] = {verilator, "--version", NULL};
    const char *const compiler_version[] = {tools->compiler, "--version", NULL};
    char *version;
    tools->key = key_new();
    if (!key_add_version(tools->arena, tools->diagnostics, verilator_version, &tools->key,
                         &version) ||
        !key_add_version(tools->arena, tools->diagnostics, compiler_version, &tools->key, &version))
        return false;
    tools->is_clang = strstr(version, "clang") != NULL;
    for (int i = 0; i < FLAG_COUNT; i++) key_add_string(&tools->key, verilator_flags[i]);
    key_add_string(&tools->key, compile_flags);
    key_add_string(&tools->key, trace_flags[tools->trace]);
    key_add_string(&tools->key, harness_cpp);
    return true;
}

static char *last_line(char *text) {
    size_t length = strlen(text);
    while (length > 0 && strchr("\r\n", text[length - 1])) text[--length] = '\0';
    while (length > 0 && text[length - 1] != '\n') length--;
    return text + length;
}

static bool find_include(Tools *tools) {
    static const char *const arguments[] = {"verilator", "--getenv", "VERILATOR_ROOT", NULL};
    Command command = {.arguments = arguments, .time_limit = 60};
    char *root;
    if (!process_run(tools->arena, tools->diagnostics, &command, &root)) return false;
    /* A shell or perl may have said before what it does not like here. */
    root = last_line(root);
    tools->include = string_format(tools->arena, "%s/include", root);
    if (access(string_format(tools->arena, "%s/verilated.cpp", tools->include), R_OK) == 0)
        return true;
    return error_at(tools->diagnostics, STATUS_TOOL, tools->include,
                    "Verilator's verilated.cpp is not there");
}

/* --- runtime --- */

static const char *const runtime_sources[] = {"verilated", "verilated_threads", "verilated_vcd_c",
                                              "verilated_fst_c"};

static bool in_runtime(const Tools *tools, const char *source) {
    if (strcmp(source, "verilated_vcd_c") == 0) return tools->trace == TRACE_VCD;
    if (strcmp(source, "verilated_fst_c") == 0) return tools->trace == TRACE_FST;
    return access(string_format(tools->arena, "%s/%s.cpp", tools->include, source), R_OK) == 0;
}

static const char *header_suffix(const Tools *tools) {
    return tools->is_clang ? "pch" : "h.gch";
}

/* A rule that makes a precompiled verilated.h. g++ looks for fast.h.gch when it is told to include
 * fast.h; clang++ reads fast.pch, which must not remember the path of fast.h. */
static void print_header(const Tools *tools, const char *name, const char *level, Text *makefile) {
    const char *header = string_format(tools->arena, "%s/verilated.h", tools->include);
    text_printf(makefile, "%s.%s:\n\t$(COMPILE) %s -x c++-header %s -o $@\n", name,
                header_suffix(tools), level,
                tools->is_clang ? quoted(tools->arena, header)
                                : string_format(tools->arena, "%s.h", name));
}

static bool compile_runtime(Tools *tools, const char *folder) {
    static const char include[] = "#include \"verilated.h\"\n";
    Arena *arena = tools->arena;
    const char *harness = string_format(arena, "%s/harness.cpp", folder);
    if (!file_write(tools->diagnostics, harness, harness_cpp, harness_cpp_length) ||
        !file_write(tools->diagnostics, string_format(arena, "%s/fast.h", folder), include,
                    sizeof include - 1) ||
        !file_write(tools->diagnostics, string_format(arena, "%s/slow.h", folder), include,
                    sizeof include - 1))
        return false;
    const char *suffix = header_suffix(tools);
    Text makefile = text_new(arena), rules = text_new(arena);
    print_compile(tools, &makefile);
    text_append(&makefile, "all:");
    for (size_t i = 0; i < sizeof runtime_sources / sizeof *runtime_sources; i++) {
        const char *name = runtime_sources[i];
        if (!in_runtime(tools, name)) continue;
        const char *path = string_format(arena, "%s/%s.cpp", tools->include, name);
        text_printf(&makefile, " %s.o", name);
        text_printf(&rules, "%s.o:\n\t$(COMPILE) -O1 -c -o $@ %s\n", name, quoted(arena, path));
    }
    text_printf(&makefile, " harness.o fast.%s slow.%s\n%s", suffix, suffix, text_string(&rules));
    text_append(&makefile, "harness.o:\n\t$(COMPILE) -O2 -c -o $@ harness.cpp\n");
    print_header(tools, "fast", "-O1", &makefile);
    print_header(tools, "slow", "-O0", &makefile);
    return run_make(tools, tools->diagnostics, folder, &makefile,
                    "compiling Verilator's runtime, once");
}

/* Makes the runtime if the cache has none; `*made` tells. */
static bool make_runtime(Tools *tools, bool *made) {
    char *folder;
    *made = false;
    tools->runtime = cache_entry(tools->arena, tools->cache, "verilator-runtime", tools->key);
    if (cache_has(tools->arena, tools->runtime)) return true;
    *made = true;
    if (!cache_begin(tools->arena, tools->diagnostics, tools->cache, &folder)) return false;
    if (compile_runtime(tools, folder))
        return cache_finish(tools->arena, tools->diagnostics, tools->cache, folder, tools->runtime);
    cache_abandon(folder);
    return false;
}

/* --- simulator --- */

/* A C++ file of ours that includes some of Verilator's. */
typedef struct Unit {
    bool is_slow;
    size_t bytes;
    Text text;
} Unit;

typedef Vector(Unit) Units;

static void add_source(Arena *arena, Units *units, const char *name, size_t bytes) {
    bool is_slow = strstr(name, "__Slow") || strstr(name, "__Syms") || strstr(name, "__Trace_");
    int index = units->count - 1;
    while (index >= 0 && (units->items[index].is_slow != is_slow ||
                          units->items[index].bytes + bytes > UNIT_BYTES))
        index--;
    if (index < 0) {
        index = units->count;
        vector_push(arena, units, (Unit){.is_slow = is_slow, .text = text_new(arena)});
    }
    units->items[index].bytes += bytes;
    text_printf(&units->items[index].text, "#include \"%s\"\n", name);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts Verilator's files into units, and adds our part that knows its class. */
static bool make_units(Tools *tools, const char *folder, Units *units) {
    Arena *arena = tools->arena;
    Vector(char *) names = {0};
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        if (string_ends(entry->d_name, ".cpp"))
            vector_push(arena, &names, arena_string(arena, entry->d_name));
    if (stream) closedir(stream);
    if (names.count == 0)
        return error_at(tools->diagnostics, STATUS_TOOL, folder, "Verilator wrote no C++ there");
    qsort(names.items, (size_t)names.count, sizeof *names.items, by_name);
    for (int i = 0; i < names.count; i++) {
        struct stat status;
        const char *path = string_format(arena, "%s/%s", folder, names.items[i]);
        size_t bytes = stat(path, &status) == 0 ? (size_t)status.st_size : 0;
        add_source(arena, units, names.items[i], bytes);
    }
    text_append(&units->items[0].text, "#define TEPAL_GLUE\n#include \"harness.cpp\"\n");
    const char *harness = string_format(arena, "%s/harness.cpp", folder);
    return file_write(tools->diagnostics, harness, harness_cpp, harness_cpp_length);
}

static const char *header_option(const Tools *tools, const char *name) {
    const char *path = string_format(tools->arena, "%s/%s.%s", tools->runtime, name,
                                     tools->is_clang ? "pch" : "h");
    return string_format(tools->arena, "%s %s", tools->is_clang ? "-include-pch" : "-include",
                         quoted(tools->arena, path));
}

static void print_link(const Tools *tools, const char *objects, Text *makefile) {
    text_printf(makefile, "simulator:%s\n\t%s -s -o $@ $^ %s/*.o -pthread%s%s\n", objects,
                quoted(tools->arena, tools->compiler), quoted(tools->arena, tools->runtime),
                tools->is_clang ? " -latomic" : "", tools->trace == TRACE_FST ? " -lz" : "");
}

static bool compile_simulator(Tools *tools, Diagnostics *diagnostics, const char *folder,
                              const Units *units) {
    Arena *arena = tools->arena;
    Text makefile = text_new(arena), objects = text_new(arena), rules = text_new(arena);
    for (int i = 0; i < units->count; i++) {
        const Unit *unit = &units->items[i];
        const char *path = string_format(arena, "%s/unit%d.cc", folder, i);
        if (!file_write(diagnostics, path, text_string(&unit->text), unit->text.length))
            return false;
        text_printf(&objects, " unit%d.o", i);
        text_printf(&rules, "unit%d.o:\n\t$(COMPILE) %s -c -o $@ unit%d.cc\n", i,
                    unit->is_slow ? "-O0 $(SLOW)" : "-O1 $(FAST)", i);
    }
    print_compile(tools, &makefile);
    text_printf(&makefile, "FAST = %s\nSLOW = %s\n", header_option(tools, "fast"),
                header_option(tools, "slow"));
    print_link(tools, text_string(&objects), &makefile);
    text_append(&makefile, text_string(&rules));
    return run_make(tools, diagnostics, folder, &makefile, "compiling the simulator");
}

/* Compiles and links; a runtime that an update of the system has made useless is made again. */
static bool compile_and_link(Tools *tools, const char *folder, const Units *units) {
    bool made;
    if (!make_runtime(tools, &made)) return false;
    if (made) return compile_simulator(tools, tools->diagnostics, folder, units);
    if (compile_simulator(tools, diagnostics_new(tools->arena), folder, units)) return true;
    remove_tree(tools->runtime);
    return make_runtime(tools, &made) &&
           compile_simulator(tools, tools->diagnostics, folder, units);
}

/* Verilog to C++, in the design's folder. */
static bool verilate(Tools *tools, const Design *design, const Text *bench, const char *folder) {
    Arena *arena = tools->arena;
    const char *bench_path = string_format(arena, "%s/bench.sv", folder);
    if (!file_write(tools->diagnostics, bench_path, text_string(bench), bench->length))
        return false;
    const char **arguments =
        arena_array(arena, (size_t)design->file_count + FLAG_COUNT + 8, sizeof *arguments);
    int count = 0;
    arguments[count++] = "verilator";
    for (int i = 0; i < FLAG_COUNT; i++) arguments[count++] = verilator_flags[i];
    if (tools->trace == TRACE_VCD) arguments[count++] = "--trace";
    if (tools->trace == TRACE_FST) arguments[count++] = "--trace-fst";
    arguments[count++] = "--Mdir";
    arguments[count++] = folder;
    for (int i = 0; i < design->file_count; i++) arguments[count++] = design->files[i];
    arguments[count++] = bench_path;
    Command command = {.arguments = arguments, .folder = design->path, .progress = "verilating"};
    return process_run(arena, tools->diagnostics, &command, NULL);
}

/* Leaves FOLDER/simulator and nothing else. */
static bool build(Tools *tools, const Design *design, const Text *bench, const char *folder) {
    Arena *arena = tools->arena;
    const char *work = string_format(arena, "%s/work", folder);
    Units units = {0};
    if (!make_folders(tools->diagnostics, work) || !find_include(tools) ||
        !verilate(tools, design, bench, work) || !make_units(tools, work, &units) ||
        !compile_and_link(tools, work, &units))
        return false;
    const char *made = string_format(arena, "%s/simulator", work);
    if (rename(made, string_format(arena, "%s/simulator", folder)) != 0)
        return error_at(tools->diagnostics, STATUS_TOOL, made, "cannot be moved: %s",
                        strerror(errno));
    remove_tree(work);
    return true;
}

static bool verilator_make(Arena *arena, Diagnostics *diagnostics, const Design *design,
                           TraceKind trace, char **executable) {
    Tools tools = {.arena = arena, .diagnostics = diagnostics, .trace = trace};
    Text bench = text_new(arena);
    char *folder;
    bench_print(&design->interface, &bench);
    tools.cache = cache_folder(arena, diagnostics);
    if (!tools.cache || !find_tools(&tools)) return false;
    CacheKey key = tools.key;
    if (!key_add_design(arena, diagnostics, design, &key)) return false;
    key_add_string(&key, text_string(&bench));
    const char *entry = cache_entry(arena, tools.cache, "verilator", key);
    *executable = string_format(arena, "%s/simulator", entry);
    if (cache_has(arena, entry)) return true;
    if (!cache_begin(arena, diagnostics, tools.cache, &folder)) return false;
    if (build(&tools, design, &bench, folder))
        return cache_finish(arena, diagnostics, tools.cache, folder, entry);
    cache_abandon(folder);
    return false;
}

static void verilator_command(Arena *arena, const SimulatorRun *run,
                              const char *arguments[SIMULATOR_ARGUMENTS]) {
    arguments[0] = run->executable;
    arguments[1] = run->job;
    arguments[2] = run->results;
    /* A seed of 0 means "any" to Verilator. */
    arguments[3] = string_format(arena, "%d", (int)(run->seed % 1000003) + 1);
    arguments[4] = string_format(arena, "%d", run->progress);
    int count = 5;
    if (run->contents) arguments[count++] = string_format(arena, "+contents=%s", run->contents);
    if (run->trace) arguments[count++] = run->trace;
    arguments[count] = NULL;
}

const Simulator verilator_simulator = {"verilator", 1000000000, verilator_make, verilator_command};
