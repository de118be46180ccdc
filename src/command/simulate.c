/* tepal_sim: simulates a built design and compares it with the CPU reference. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/process.h"
#include "command/command.h"
#include "command/locate.h"
#include "command/tensors.h"
#include "import/import.h"
#include "mlir/reference.h"
#include "simulate/verdict.h"

static const double reference_time_limit = 3600;
enum { MOST_RUNS = 100000 };

typedef struct Sim {
    Arena *arena;
    Diagnostics *diagnostics;
    const TepalSimOptions *options;
    const Simulator *simulator;
    Design design;
    Session *session;
    Model model; /* the reference */
    int run_count;
    Tensor **inputs;    /* of each run */
    Tensor **reference; /* outputs of each run */
    Tensor **expected;  /* outputs of the first runs, or NULL */
    int expected_runs;
    Simulation simulation;
    double reference_seconds;
} Sim;

/* --- the design and its reference --- */

/* The same tensor in interface.json and in the reference. */
static bool same_tensor(const Tensor *a, const Tensor *b) {
    bool same = scalar_equal(a->type, b->type) && a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++) same = a->shape[d] == b->shape[d];
    return same;
}

static bool same_tensors(Sim *sim, const char *kind, int count, const PortTensor *ports,
                         int model_count, const Tensor *tensors) {
    if (count != model_count)
        return error_at(sim->diagnostics, STATUS_INPUT, sim->design.folder,
                        "interface.json has %d %ss, but the reference %d", count, kind,
                        model_count);
    for (int i = 0; i < count; i++)
        if (!same_tensor(&ports[i].tensor, &tensors[i]))
            return error_at(sim->diagnostics, STATUS_INPUT, sim->design.folder,
                            "%s %s has not the same type or shape in interface.json and in the "
                            "reference",
                            kind, string_printable(sim->arena, ports[i].tensor.name, 60));
    return true;
}

/* Only what tepal build has made may be written to, and that it can be is better known at once. */
static bool open_design(Sim *sim) {
    const TepalSimOptions *options = sim->options;
    if (!design_open(sim->arena, sim->diagnostics, options->folder, &sim->design)) return false;
    if (access(sim->design.path, W_OK | X_OK) != 0)
        return error_at(sim->diagnostics, STATUS_TOOL, options->folder,
                        "cannot write sim.json there: %s", strerror(errno));
    /* An old one would be taken for the result of this run, if this run fails. */
    unlink(design_path(sim->arena, &sim->design, "sim.json"));
    sim->session = session_new(sim->arena, sim->diagnostics);
    const Interface *interface = &sim->design.interface;
    const Model *model = &sim->model;
    return import_model(sim->session, sim->design.reference, NULL, 0, NULL, &sim->model) &&
           same_tensors(sim, "input", interface->input_count, interface->inputs,
                        model->input_count - model->state_count, model->inputs) &&
           same_tensors(sim, "output", interface->output_count, interface->outputs,
                        model->output_count - model->state_count, model->outputs);
}

/* --- tensors --- */

static Tensor *tensor_room(Sim *sim, int count) {
    return arena_array(sim->arena, (size_t)count + 1, sizeof(Tensor));
}

static bool read_expected(Sim *sim) {
    const TepalStrings *files = &sim->options->expected;
    const Model *model = &sim->model;
    int count = model->output_count - model->state_count;
    sim->expected_runs = tensors_runs(files, count);
    if (sim->expected_runs > sim->run_count)
        return error_at(sim->diagnostics, STATUS_USAGE, NULL,
                        "--expect: files for %d runs, but there are %d", sim->expected_runs,
                        sim->run_count);
    sim->expected = arena_array(sim->arena, (size_t)sim->expected_runs, sizeof *sim->expected);
    for (int run = 0; run < sim->expected_runs; run++) {
        TepalStrings part = tensors_of_run(files, count, run);
        sim->expected[run] = tensor_room(sim, count);
        if (!tensors_read(sim->arena, sim->diagnostics, "expect", &part, count, model->outputs,
                          sim->expected[run]))
            return false;
    }
    return true;
}

/* The inputs of the first runs may come from files; those of all others are random. */
static bool make_inputs(Sim *sim) {
    const TepalSimOptions *options = sim->options;
    const Model *model = &sim->model;
    int count = model->input_count - model->state_count;
    int files = options->inputs.count ? tensors_runs(&options->inputs, count) : 0;
    if (files > sim->run_count) sim->run_count = files;
    uint64_t state = (uint64_t)options->seed;
    sim->inputs = arena_array(sim->arena, (size_t)sim->run_count, sizeof *sim->inputs);
    const int64_t *limits = model_index_limits(sim->session, model);
    for (int run = 0; run < sim->run_count; run++) {
        TepalStrings part = tensors_of_run(&options->inputs, count, run);
        sim->inputs[run] = tensor_room(sim, model->input_count);
        if (run >= files)
            tensors_draw(sim->arena, count, model->inputs, limits, &state, sim->inputs[run]);
        else if (!tensors_read(sim->arena, sim->diagnostics, "input", &part, count, model->inputs,
                               sim->inputs[run]))
            return false;
        states_begin(sim->arena, model, sim->inputs[run]);
    }
    return options->expected.count == 0 || read_expected(sim);
}

static bool run_reference(Sim *sim) {
    double start = seconds_now();
    sim->reference = arena_array(sim->arena, (size_t)sim->run_count, sizeof *sim->reference);
    for (int run = 0; run < sim->run_count; run++) {
        sim->reference[run] = tensor_room(sim, sim->model.output_count);
        if (run > 0) states_pass(&sim->model, sim->reference[run - 1], sim->inputs[run]);
        if (!reference_run(sim->session, &sim->model, sim->inputs[run], sim->reference[run],
                           reference_time_limit))
            return false;
    }
    sim->reference_seconds = seconds_now() - start;
    return true;
}

static SimulationOptions simulation_options(const Sim *sim) {
    return (SimulationOptions){.simulator = sim->simulator,
                               .seed = (uint64_t)sim->options->seed,
                               .max_cycles = sim->options->max_cycles,
                               .trace = sim->options->trace};
}

static bool run_simulation(Sim *sim) {
    SimulationOptions options = simulation_options(sim);
    return simulate(sim->arena, sim->diagnostics, &sim->design, &options, sim->run_count,
                    sim->inputs, &sim->simulation);
}

/* --- results --- */

static void print_cycles(Sim *sim, Text *text) {
    int64_t cycles = sim->simulation.runs[0].cycles, predicted = sim->design.predicted_cycles;
    int different = 0;
    for (int run = 0; run < sim->run_count; run++)
        if (sim->simulation.runs[run].cycles != cycles) different++;
    text_printf(text, "%s cycles", string_grouped(sim->arena, cycles));
    if (different) text_printf(text, " in the first of %d runs", sim->run_count);
    if (predicted >= 0)
        text_printf(text, cycles == predicted ? ", as predicted" : ", predicted were %s",
                    string_grouped(sim->arena, predicted));
    text_printf(text, "; %s: %.3g million cycles per second\n", sim->simulator->name,
                sim->simulation.cycles_per_second / 1e6);
    if (predicted >= 0 && cycles != predicted && !different)
        warning_at(sim->diagnostics, sim->design.folder,
                   "the design takes %lld cycles, but %lld were predicted", (long long)cycles,
                   (long long)predicted);
}

/* The first wrong tensor, which says more than the outputs that come of it. */
static void locate(Sim *sim, const Verdict *verdict) {
    if (sim->model.state_count > 0) return; /* the runs before have left what no input tells */
    SimulationOptions options = simulation_options(sim);
    locate_difference(sim->arena, sim->diagnostics, &sim->design, &options,
                      verdict->runs[verdict->first] + 1, sim->inputs);
}

/* The outputs of the first run, and of further ones that inputs are given for in folders of their
 * own: run_2, run_3 ... */
static bool write_outputs(Sim *sim, int count) {
    const char *folder = sim->options->output;
    int inputs = sim->model.input_count - sim->model.state_count;
    int given = inputs > 0 ? (int)sim->options->inputs.count / inputs : 1;
    for (int run = 0; folder && (run == 0 || run < given) && run < sim->run_count; run++) {
        const char *place =
            run == 0 ? folder : string_format(sim->arena, "%s/run_%d", folder, run + 1);
        if (!tensors_write(sim->arena, sim->diagnostics, place, count,
                           sim->simulation.runs[run].outputs))
            return false;
    }
    return true;
}

static bool report(Sim *sim, double start) {
    const TepalSimOptions *options = sim->options;
    int count = sim->model.output_count - sim->model.state_count;
    const RunResult *runs = sim->simulation.runs;
    Verdict reference = verdict_make(sim->arena, count, sim->run_count, sim->reference, runs, 0, 0);
    Verdict expected = {.first = -1};
    Text text = text_new(sim->arena), json = text_new(sim->arena);
    print_cycles(sim, &text);
    text_append(&text, "against the CPU reference, bit for bit:\n");
    verdict_table(sim->arena, &reference, &text);
    if (sim->expected) {
        expected = verdict_make(sim->arena, count, sim->expected_runs, sim->expected, runs,
                                options->rtol, options->atol);
        text_append(&text, "against the expected outputs, with tolerance:\n");
        verdict_table(sim->arena, &expected, &text);
    }
    if (reference.first < 0 && expected.first < 0) text_append(&text, "all equal\n");
    fputs(text_string(&text), stdout);
    SimulationReport summary = {
        .design = &sim->design,
        .simulator = sim->simulator->name,
        .run_count = sim->run_count,
        .seed = options->seed,
        .reference = &reference,
        .simulation = &sim->simulation,
        .rtol = options->rtol,
        .atol = options->atol,
        .expected = sim->expected ? &expected : NULL,
        .files = options->output ? tensors_files(sim->arena, count, runs[0].outputs) : NULL,
        .reference_seconds = sim->reference_seconds,
        .seconds = seconds_now() - start};
    simulation_json(&summary, &json);
    bool written = design_write(sim->arena, sim->diagnostics, &sim->design, "sim.json", &json) &&
                   write_outputs(sim, count);
    const char *place = sim->design.folder;
    bool equal =
        verdict_report(sim->arena, sim->diagnostics, place, &reference, "the CPU reference");
    if (!equal) locate(sim, &reference);
    return verdict_report(sim->arena, sim->diagnostics, place, &expected, "the expected output") &&
           equal && written;
}

static Status check_options(Sim *sim) {
    const TepalSimOptions *options = sim->options;
    if (!options->folder) return usage_error("sim", "the folder of the design is missing");
    sim->simulator = simulator_find(options->simulator);
    if (!sim->simulator)
        return usage_error("sim", "there is no simulator '%.40s': verilator or icarus",
                           options->simulator);
    if (options->runs > MOST_RUNS) return usage_error("sim", "--runs: at most %d", MOST_RUNS);
    sim->run_count = options->runs > 0 ? (int)options->runs : 1;
    return STATUS_DONE;
}

int tepal_sim(const TepalSimOptions *options) {
    Sim sim = {.options = options};
    double start = seconds_now();
    Status status = check_options(&sim);
    if (status != STATUS_DONE) return (int)status;
    sim.arena = arena_new();
    sim.diagnostics = diagnostics_new(sim.arena);
    bool done = open_design(&sim) && make_inputs(&sim) && run_simulation(&sim) &&
                run_reference(&sim) && report(&sim, start);
    diagnostics_print(sim.diagnostics, stderr);
    status = diagnostics_status(sim.diagnostics);
    if (!done && status == STATUS_DONE) status = STATUS_INTERNAL;
    if (sim.session) session_free(sim.session);
    arena_free(sim.arena);
    return (int)status;
}
