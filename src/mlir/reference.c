/* The CPU reference: the entry function of a module, executed by MLIR's JIT.
 *
 * All of it - lowering to LLVM, compiling, running - happens in a forked child, so that the
 * module of the parent stays as it is and a crash is a message. Results come back through memory
 * that parent and child share. */
#include "mlir/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mlir-c/ExecutionEngine.h>
#include "base/process.h"
#include "mlir/affine.h"
#include "mlir/internal.h"

/* Tensors become memrefs, results become arguments, operations on memrefs become loops. A module
 * at the stage `affine` passes through this unchanged. */
static const char to_loops[] =
    "tepal-inline,tepal-elementwise,tepal-concat,tepal-pad,"
    "tepal-protect-inputs,empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops},"
    "tepal-out-params,canonicalize,cse,tepal-outputs,tepal-copies,"
    "func.func(convert-linalg-to-affine-loops)";

static const char to_llvm[] =
    "lower-affine,canonicalize,cse,convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "tepal-bf16,convert-arith-to-llvm,"
    "convert-math-to-llvm,convert-index-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts";

enum { MESSAGE_SIZE = 4096, ALIGNMENT = 64 };

/* LLVM's optimizer takes longer than a small model runs: it is worth its time from this many
 * stores on. */
static const double many_iterations = 3e8;

/* What MLIR passes for a memref: this, then sizes and strides. */
typedef struct Descriptor {
    void *allocated, *aligned;
    int64_t offset;
    int64_t sizes_and_strides[2 * MAX_RANK];
} Descriptor;

/* The start of the shared block; the data of the outputs follow, each aligned. */
typedef struct Answer {
    bool done;
    Status status;
    char message[MESSAGE_SIZE];
} Answer;

typedef struct Job {
    Session *session;
    const Model *model;
    const Tensor *inputs, *outputs;
    size_t *offsets; /* of the outputs in the shared block */
    double iterations;
} Job;

static Descriptor *describe(Arena *arena, const Tensor *tensor, void *data) {
    Descriptor *descriptor = arena_new_of(arena, Descriptor);
    descriptor->allocated = descriptor->aligned = data;
    int64_t stride = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        descriptor->sizes_and_strides[i] = tensor->shape[i];
        descriptor->sizes_and_strides[tensor->rank + i] = stride;
        stride *= tensor->shape[i];
    }
    return descriptor;
}

/* The code may overwrite an input where the model does; the caller's data stays as it is. */
static void *copy_input(Arena *arena, const Tensor *tensor) {
    size_t size = tensor->elements * scalar_bytes(tensor->type);
    char *block = arena_alloc(arena, size + 2 * ALIGNMENT);
    block += (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;
    memcpy(block, tensor->data, size);
    return block;
}

/* What compiled code calls to round an f64 to bf16, which compilers' own libraries have only since
 * GCC 13. The result is in the register of a float, in its low half. */
static float round_to_bf16(double value) {
    uint32_t bits = (uint32_t)bits_from_double(SCALAR_BF16, value);
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static void register_functions(MlirExecutionEngine engine) {
    float (*function)(double) = round_to_bf16;
    void *address;
    memcpy(&address, &function, sizeof address);
    mlirExecutionEngineRegisterSymbol(engine, ref("__truncdfbf2"), address);
}

static bool invoke(Job *job, char *shared) {
    Session *session = job->session;
    const Model *model = job->model;
    int count = model->input_count + model->output_count;
    Descriptor **descriptors = arena_array(session->arena, (size_t)count + 1, sizeof *descriptors);
    void **arguments = arena_array(session->arena, (size_t)count + 1, sizeof *arguments);
    for (int i = 0; i < count; i++) {
        int output = i - model->input_count;
        descriptors[i] = output < 0 ? describe(session->arena, &job->inputs[i],
                                               copy_input(session->arena, &job->inputs[i]))
                                    : describe(session->arena, &job->outputs[output],
                                               shared + job->offsets[output]);
        arguments[i] = &descriptors[i];
    }
    /* The engine writes a log for perf(1), which nobody asked for and nobody would remove. That
     * cannot be turned off; here there can be no folder for it. */
    setenv("JITDUMPDIR", "/dev/null", 1);
    int optimization = job->iterations > many_iterations ? 2 : 0;
    MlirExecutionEngine engine =
        mlirExecutionEngineCreate(model->module, optimization, 0, NULL, false);
    if (mlirExecutionEngineIsNull(engine))
        return error_at(session->diagnostics, STATUS_INTERNAL, NULL,
                        "MLIR's JIT cannot translate the reference");
    register_functions(engine);
    if (mlirLogicalResultIsFailure(
            mlirExecutionEngineInvokePacked(engine, ref(model->entry), arguments)))
        return error_at(session->diagnostics, STATUS_INTERNAL, NULL,
                        "MLIR's JIT cannot run the reference");
    return true;
}

/* How often a store runs, as far as trip counts are known. */
static void count_iterations(MlirOperation op, Job *job) {
    double product = 1;
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
        if (!op_is(op, "affine.for")) continue;
        Range range = range_of_value(mlirBlockGetArgument(op_body(op), 0));
        if (range.known) product *= (double)(range.high - range.low + 1);
    }
    job->iterations += product;
}

static bool execute(Job *job, char *shared) {
    op_set(model_entry(job->session, job->model), "llvm.emit_c_interface",
           mlirUnitAttrGet(job->session->context));
    if (!pipeline_run(job->session, job->model->module, to_loops)) return false;
    OpList stores =
        ops_named(job->session->arena, mlirModuleGetOperation(job->model->module), "affine.store");
    for (int i = 0; i < stores.count; i++) count_iterations(stores.items[i], job);
    return pipeline_run(job->session, job->model->module, to_llvm) && invoke(job, shared);
}

/* In the child: its messages go to the parent, not to stderr. */
static bool work(void *context, void *shared) {
    Job *job = context;
    Answer *answer = shared;
    Diagnostics *diagnostics = diagnostics_new(job->session->arena);
    job->session->diagnostics = diagnostics;
    answer->done = execute(job, shared);
    answer->status = diagnostics_status(diagnostics);
    FILE *stream = fmemopen(answer->message, MESSAGE_SIZE - 1, "w");
    if (stream) {
        diagnostics_print(diagnostics, stream);
        fclose(stream);
    }
    return true;
}

/* Places the outputs behind the answer. */
static bool place_outputs(Job *job, size_t *total) {
    const Model *model = job->model;
    *total = sizeof(Answer);
    for (int i = 0; i < model->output_count; i++) {
        const Tensor *output = &model->outputs[i];
        size_t bytes;
        if (!size_add(*total, ALIGNMENT - 1, total)) return false;
        *total -= *total % ALIGNMENT;
        job->offsets[i] = *total;
        if (!shape_bytes(output->type, output->rank, output->shape, &bytes) ||
            !size_add(*total, bytes, total))
            return false;
    }
    return true;
}

bool reference_run(Session *session, const Model *model, const Tensor *inputs, Tensor *outputs,
                   double time_limit) {
    Arena *arena = session->arena;
    size_t *offsets = arena_array(arena, (size_t)model->output_count + 1, sizeof *offsets), total;
    Job job = {.session = session,
               .model = model,
               .inputs = inputs,
               .outputs = model->outputs,
               .offsets = offsets};
    if (!place_outputs(&job, &total))
        return error_at(session->diagnostics, STATUS_INPUT, NULL, "the outputs are too large");
    char *shared = arena_alloc(arena, total);
    if (!process_isolated(arena, session->diagnostics, STATUS_INTERNAL, "the CPU reference",
                          time_limit, work, &job, shared, total))
        return false;
    const Answer *answer = (const Answer *)(const void *)shared;
    if (!answer->done) {
        error_at(session->diagnostics, answer->status ? answer->status : STATUS_INTERNAL, NULL,
                 "the CPU reference could not be built");
        note(session->diagnostics, "%s", answer->message);
        return false;
    }
    for (int i = 0; i < model->output_count; i++) {
        outputs[i] = model->outputs[i];
        outputs[i].data = shared + offsets[i];
    }
    return true;
}
