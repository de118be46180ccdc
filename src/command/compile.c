/* The road of a model: one function per stage, called in order. */
#include "command/compile.h"

#include <string.h>
#include "base/process.h"
#include "command/files.h"
#include "command/shapes.h"
#include "command/unrolls.h"
#include "mlir/lower.h"
#include "mlir/reference.h"
#include "simulate/compare.h"
#include "simulate/inputs.h"

/* Seconds that a stage may take in the reference of --check. */
static const double check_time_limit = 120;

typedef struct Check {
    Tensor *inputs, *expected; /* of the reference of the stage linalg */
} Check;

static const char *print_module(Compilation *c, bool locations) {
    Text text = text_new(c->arena);
    session_print(c->model.module, locations, &text);
    return text_string(&text);
}

/* Runs a stage in the JIT on the check's inputs. */
static Tensor *check_reference(Compilation *c, const Check *check) {
    Tensor *outputs = arena_array(c->arena, (size_t)c->model.output_count + 1, sizeof(Tensor));
    return reference_run(c->session, &c->model, check->inputs, outputs, check_time_limit) ? outputs
                                                                                          : NULL;
}

static bool check_begin(Compilation *c, Check *check) {
    uint64_t state = 1;
    check->inputs = arena_array(c->arena, (size_t)c->model.input_count + 1, sizeof(Tensor));
    for (int i = 0; i < c->model.input_count; i++) {
        check->inputs[i] = c->model.inputs[i];
        tensor_random(c->arena, &check->inputs[i], &state);
    }
    check->expected = check_reference(c, check);
    return check->expected != NULL;
}

/* Compares a stage's outputs with the reference; a difference is a fault of Tepal. */
static bool check_equal(Compilation *c, const Check *check, const Tensor *outputs,
                        const char *stage) {
    for (int i = 0; i < c->model.output_count; i++) {
        Comparison comparison = tensor_compare(&check->expected[i], &outputs[i], 0, 0);
        if (comparison.different == 0) continue;
        return error_at(
            c->diagnostics, STATUS_INTERNAL, c->model.name,
            "stage %s computes another result than stage linalg: output %s, element %zu "
            "and %zu more",
            stage, c->model.outputs[i].name, comparison.first, comparison.different - 1);
    }
    return true;
}

/* A module that the caller has: it takes its name from its entry. */
static bool describe_module(Compilation *c) {
    if (!model_describe(c->session, &c->model, c->options->top)) return false;
    c->model.name = string_identifier(c->arena, c->model.entry);
    return true;
}

static Target target_of(const TepalBuildOptions *options) {
    const char *name = options->target ? options->target : "generic";
    return (Target){name,
                    1000 / (options->clock > 0 ? options->clock : target_default_clock(name))};
}

int compile_parallel(const Compilation *c) {
    return c->options->parallel > 0 ? (int)c->options->parallel : 1;
}

/* Before the reference is taken: that is a sum in the same order. */
static bool reassociate(Compilation *c) {
    Target target = target_of(c->options);
    const char *pipeline = string_format(
        c->arena,
        "linalg-generalize-named-ops,tepal-reassociate{parallel=%d cycles=%d},canonicalize,cse",
        compile_parallel(c), accumulation_cycles(&target, SCALAR_F32));
    return pipeline_run(c->session, c->model.module, pipeline);
}

static bool make_linalg(Compilation *c, Check *check) {
    const TepalBuildOptions *options = c->options;
    FixedShape *shapes;
    if (!shapes_parse(c->arena, c->diagnostics, &options->shapes, &shapes)) return false;
    bool known = mlirModuleIsNull(c->model.module)
                     ? import_model(c->session, options->model, options->top, options->shapes.count,
                                    shapes, &c->model)
                     : describe_module(c);
    if (!known || !lower_to_total(c->session, &c->model)) return false;
    if (options->reassociate && !reassociate(c)) return false;
    c->linalg_text = print_module(c, false);
    c->reference_text = print_module(c, true);
    return !options->check || check_begin(c, check);
}

static bool make_affine(Compilation *c, Check *check) {
    if (!lower_to_affine(c->session, &c->model)) return false;
    if (c->options->output && !compile_weights_fit(c)) return false;
    c->affine_text = print_module(c, false);
    if (!c->options->check) return true;
    Tensor *outputs = check_reference(c, check);
    return outputs && check_equal(c, check, outputs, "affine");
}

static bool make_loops(Compilation *c, Check *check) {
    Target target = target_of(c->options);
    int parallel = compile_parallel(c);
    LoopOptions options = {.parallel = parallel,
                           .recurrence_cycles = accumulation_cycles(&target, SCALAR_F32),
                           .least_shared_bits = block_memory_bits(&target)};
    if (!unrolls_parse(c->arena, c->diagnostics, &c->options->unroll, &options)) return false;
    c->program = program_from_affine(c->session, &c->model);
    if (!c->program || !program_check(c->program, c->diagnostics, "construction")) return false;
    if (!program_transform(c->program, &options, c->diagnostics, check->inputs)) return false;
    if (c->options->check) {
        Tensor *outputs = arena_array(c->arena, (size_t)c->model.output_count + 1, sizeof(Tensor));
        if (!program_interpret(c->program, c->arena, c->diagnostics, check->inputs, outputs) ||
            !check_equal(c, check, outputs, "loops"))
            return false;
    }
    c->schedule = schedule_program(c->program, &target, parallel, c->arena, c->diagnostics);
    return c->schedule != NULL;
}

static bool make_calyx(Compilation *c, Check *check) {
    (void)check;
    c->calyx = calyx_construct(c->schedule, c->arena, c->diagnostics);
    return c->calyx != NULL;
}

static bool make_hw(Compilation *c, Check *check) {
    (void)check;
    c->netlist = rtl_construct(c->calyx, c->arena, c->diagnostics);
    if (!c->netlist) return false;
    netlist_simplify(c->netlist);
    return netlist_check(c->netlist, c->diagnostics, "simplification");
}

static const struct {
    const char *name;
    bool (*make)(Compilation *compilation, Check *check);
} stages[STAGE_COUNT] = {
    [STAGE_LINALG] = {"linalg", make_linalg},
    [STAGE_AFFINE] = {"affine", make_affine},
    [STAGE_LOOPS] = {"loops", make_loops},
    [STAGE_CALYX] = {"calyx", make_calyx},
    [STAGE_HW] = {"hw", make_hw},
};

bool compile_stages(Compilation *c, Stage first, Stage last) {
    Check check = {0};
    for (int stage = (int)first; stage <= (int)last; stage++) {
        double start = seconds_now();
        progress_show("%s ...", stages[stage].name);
        bool made = stages[stage].make(c, &check);
        progress_done();
        c->times[c->time_count++] = (StageTime){stages[stage].name, seconds_now() - start};
        if (!made) return false;
    }
    return true;
}

/* What the stages before the text were to do. */
static bool options_have_effect(Compilation *c) {
    const TepalBuildOptions *options = c->options;
    const char *option = options->parallel > 1   ? "--parallel"
                         : options->clock > 0    ? "--clock"
                         : options->target       ? "--target"
                         : options->top          ? "--top"
                         : options->shapes.count ? "--shape"
                         : options->check        ? "--check"
                         : options->unroll.count ? "--unroll"
                         : options->reassociate  ? "--reassociate"
                                                 : NULL;
    return !option ||
           error_at(c->diagnostics, STATUS_USAGE, options->model,
                    "%s has no effect on a model at the stage %s", option, stages[c->first].name);
}

bool compile(Compilation *c, Stage last) {
    c->session = session_new(c->arena, c->diagnostics);
    MlirModule module;
    if (!import_stage(c->session, c->options->model, &module)) return false;
    if (mlirModuleIsNull(module)) return compile_stages(c, STAGE_LINALG, last);
    bool begun = files_begin(c, module);
    mlirModuleDestroy(module);
    return begun && options_have_effect(c) && compile_stages(c, (Stage)(c->first + 1), last);
}
