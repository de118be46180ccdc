/* The lowering pipelines, and the table of our own passes.
 *
 * A pipeline text mixes upstream passes and ours: runs of upstream passes go to MLIR's pass
 * manager, ours are called in between (MLIR's C API has no way to register a pass by name). */
#include "mlir/lower.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "mlir/internal.h"
#include "mlir/ir.h"

static bool pass_scalars(Session *session, MlirModule module, const char *options);
static bool pass_lower_to_total(Session *session, MlirModule module, const char *options);
static bool pass_lower_to_affine(Session *session, MlirModule module, const char *options);

const ModulePass mlir_passes[] = {
    {"tepal-empty", "what computes no elements, or reads none, goes away", pass_empty},
    {"tepal-elementwise", "arithmetic on whole tensors becomes linalg.generic", pass_elementwise},
    {"tepal-generalize", "named elementwise operations that the next two rewrite become generic",
     pass_generalize},
    {"tepal-total", "operations with undefined results get defined ones", pass_total},
    {"tepal-math", "operations of the math dialect become arithmetic", pass_math},
    {"tepal-reassociate",
     "{parallel=N cycles=L}: sums with few outputs are split into partial sums", pass_reassociate},
    {"tepal-concat", "tensor.concat becomes insertions into fresh memory", pass_concat},
    {"tepal-evaluate", "what depends on constants only is computed", pass_evaluate},
    {"tepal-inits", "each operation gets initial values of its own", pass_inits},
    {"tepal-pin", "keeps upstream's fusion from repeating costly producers", pass_pin},
    {"tepal-unpin", "ends the effect of tepal-pin", pass_unpin},
    {"tepal-pad", "tensor.pad becomes one operation that guards its loads", pass_pad},
    {"tepal-inline", "calls are replaced by what they call", pass_inline},
    {"tepal-protect-inputs", "inputs are not written by bufferization", pass_protect_inputs},
    {"tepal-out-params", "results of functions that nobody calls become arguments",
     pass_out_params},
    {"tepal-outputs", "results are computed in the outputs' own memories", pass_outputs},
    {"tepal-aliases", "what is done with one of two memories is done in the branches of an if",
     pass_aliases},
    {"tepal-carried", "a memory that a loop carries is copied to one that is always the same",
     pass_carried},
    {"tepal-choices", "a memory that a condition chooses is copied to one that is always the same",
     pass_choices},
    {"tepal-copies", "memory copies become affine loops", pass_copies},
    {"tepal-scalars", "scalars that go through memories of one element do not", pass_scalars},
    {"tepal-hoist", "memories are made once, at the top of the function", pass_hoist},
    {"tepal-switch", "scf.index_switch becomes a chain of scf.if", pass_switch},
    {"tepal-parallel", "parallel loops become loops from the first iteration to the last",
     pass_parallel},
    {"tepal-raise", "loops, accesses and conditions become affine where they can", pass_raise},
    {"tepal-split", "loops over merged dimensions of inputs and outputs are split", pass_split},
    {"tepal-views", "accesses through views become accesses of the memory", pass_views},
    {"tepal-lower-to-total", "the stage `linalg`: total operations, math expanded",
     pass_lower_to_total},
    {"tepal-lower-to-affine", "linalg on tensors becomes affine loops on memrefs",
     pass_lower_to_affine},
    {"tepal-bf16", "arithmetic of bf16 becomes that of f32 and a rounding by integers", pass_bf16},
    {"flatten-memref", "memories get one dimension, in row-major order", pass_flatten},
    {"memref-copy-to-affine-loops", "memory copies become affine loops", pass_copies},
    {"memref_copy_to_affine_loops", "the same, in another spelling", pass_copies},
    {"handshake-legalize-memrefs",
     "memory copies become loops of loads and stores; nothing is deallocated", pass_legalize},
    {"memory-banking",
     "{factors=N}: lower-scf-to-calyx shall use N units at once, and banks of memory for them",
     pass_banking},
};
const int mlir_pass_count = sizeof mlir_passes / sizeof *mlir_passes;

const ModulePass *mlir_pass_find(const char *name) {
    for (int i = 0; i < mlir_pass_count; i++)
        if (strcmp(mlir_passes[i].name, name) == 0) return &mlir_passes[i];
    return NULL;
}

/* --- pipelines --- */

/* The end of the pipeline element that starts at `c`: a comma outside of all brackets and quotes,
 * or the end of the text. */
static const char *element_end(const char *c) {
    int depth = 0;
    char quote = '\0';
    for (; *c; c++) {
        if (quote) {
            if (*c == quote) quote = '\0';
        } else if (*c == '"' || *c == '\'') {
            quote = *c;
        } else if (strchr("([{<", *c)) {
            depth++;
        } else if (strchr(")]}>", *c)) {
            depth--;
        } else if (*c == ',' && depth <= 0) {
            return c;
        }
    }
    return c;
}

void pipeline_element(Arena *arena, const char *element, char **name, char **options) {
    size_t length = strcspn(element, "{");
    const char *rest = element + length;
    while (length > 0 && isspace((unsigned char)element[length - 1])) length--;
    *name = arena_string_of(arena, element, length);
    *options = arena_string(arena, "");
    if (*rest == '{') {
        size_t inside = strlen(rest + 1);
        while (inside > 0 && isspace((unsigned char)rest[inside])) inside--;
        *options = arena_string_of(arena, rest + 1, inside > 0 ? inside - 1 : 0);
    }
}

bool pass_run(Session *session, MlirModule module, const ModulePass *pass, const char *options) {
    int errors = diagnostics_errors(session->diagnostics);
    if (!pass->run(session, module, options)) {
        if (errors == diagnostics_errors(session->diagnostics))
            error_at(session->diagnostics, STATUS_INTERNAL, NULL, "pass %s failed", pass->name);
        return false;
    }
    if (session->print_after_all) {
        Text text = text_new(session->arena);
        session_print(module, false, &text);
        fprintf(stderr, "// -----// IR Dump After %s //----- //\n%s\n", pass->name,
                text_string(&text));
    }
    if (mlirOperationVerify(mlirModuleGetOperation(module))) return true;
    return error_at(session->diagnostics, STATUS_INTERNAL, NULL,
                    "pass %s left a module that MLIR's verifier refuses", pass->name);
}

static bool run_upstream(Session *session, MlirModule module, Text *elements) {
    bool done =
        elements->length == 0 || session_run_elements(session, module, text_string(elements));
    *elements = text_new(session->arena);
    return done;
}

/* Whether `element` is "anchor(...)" as in "func.func(cse,canonicalize)"; `*inner` gets what is
 * inside. */
static bool is_nested(Arena *arena, const char *element, const char **anchor, const char **inner) {
    size_t name = strcspn(element, "({"), length = strlen(element);
    if (element[name] != '(' || element[length - 1] != ')') return false;
    *anchor = arena_string_of(arena, element, name);
    *inner = arena_string_of(arena, element + name + 1, length - name - 2);
    return true;
}

/* The elements between commas, without spaces around them. */
static PipelineElements split_commas(Arena *arena, const char *pipeline) {
    PipelineElements elements = {0};
    for (const char *c = pipeline; *c;) {
        c += strspn(c, " \t\r\n,");
        if (!*c) break;
        const char *end = element_end(c), *last = end;
        while (last > c && isspace((unsigned char)last[-1])) last--;
        vector_push(arena, &elements, arena_string_of(arena, c, (size_t)(last - c)));
        c = end;
    }
    return elements;
}

static bool holds_own(Arena *arena, const PipelineElements *elements,
                      bool (*is_own)(const char *name)) {
    for (int i = 0; i < elements->count; i++) {
        char *name, *options;
        pipeline_element(arena, elements->items[i], &name, &options);
        if (is_own(name)) return true;
    }
    return false;
}

PipelineElements pipeline_split(Arena *arena, const char *pipeline,
                                bool (*is_own)(const char *name)) {
    PipelineElements outer = split_commas(arena, pipeline), all = {0};
    for (int i = 0; i < outer.count; i++) {
        const char *element = outer.items[i], *anchor, *inside;
        PipelineElements inner = {0};
        bool nested = is_nested(arena, element, &anchor, &inside);
        if (nested && strcmp(anchor, "builtin.module") == 0) {
            inner = pipeline_split(arena, inside, is_own);
            for (int k = 0; k < inner.count; k++) vector_push(arena, &all, inner.items[k]);
            continue;
        }
        if (nested) inner = split_commas(arena, inside);
        if (!nested || !holds_own(arena, &inner, is_own)) {
            vector_push(arena, &all, element);
            continue;
        }
        for (int k = 0; k < inner.count; k++) {
            char *name, *options;
            pipeline_element(arena, inner.items[k], &name, &options);
            const char *one = is_own(name) ? inner.items[k]
                                           : string_format(arena, "%s(%s)", anchor, inner.items[k]);
            vector_push(arena, &all, one);
        }
    }
    return all;
}

static bool is_module_pass(const char *name) {
    return mlir_pass_find(name) != NULL;
}

bool pipeline_run(Session *session, MlirModule module, const char *pipeline) {
    Text upstream = text_new(session->arena);
    PipelineElements elements = pipeline_split(session->arena, pipeline, is_module_pass);
    for (int i = 0; i < elements.count; i++) {
        char *name, *options;
        pipeline_element(session->arena, elements.items[i], &name, &options);
        const ModulePass *pass = mlir_pass_find(name);
        if (!pass) {
            text_printf(&upstream, "%s%s", upstream.length ? "," : "", elements.items[i]);
            continue;
        }
        if (!run_upstream(session, module, &upstream)) return false;
        if (!pass_run(session, module, pass, options)) return false;
    }
    return run_upstream(session, module, &upstream);
}

/* --- the road's pipelines --- */

static const char total_pipeline[] =
    "tepal-empty,tepal-elementwise,tepal-generalize,tepal-total,tepal-math";

static const char affine_pipeline[] =
    "tepal-inline,symbol-dce,canonicalize,cse,"
    "tepal-evaluate,canonicalize,tepal-concat,"
    "tepal-pin,linalg-fuse-elementwise-ops,tepal-unpin,tepal-pad,cse,tepal-inits,"
    "tepal-protect-inputs,eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops},"
    "canonicalize,tepal-carried,tepal-choices,tepal-out-params,canonicalize,cse,"
    "tepal-outputs,tepal-copies,"
    "func.func(convert-linalg-to-affine-loops),"
    "tepal-hoist,tepal-raise,canonicalize,"
    "tepal-split,canonicalize,tepal-views,"
    "func.func(affine-loop-normalize{promote-single-iter=true}),"
    "canonicalize,cse,tepal-hoist,symbol-dce";

/* Only the entry stays public, so that all else can be inlined and dropped. */
static void make_others_private(Session *session, Model *model) {
    OpList functions =
        ops_named(session->arena, mlirModuleGetOperation(model->module), "func.func");
    for (int i = 0; i < functions.count; i++) {
        const char *name =
            string_of_attribute(session->arena, op_attribute(functions.items[i], "sym_name"));
        bool entry = strcmp(name, model->entry) == 0;
        op_set(functions.items[i], "sym_visibility",
               string_attribute(session->context, entry ? "public" : "private"));
    }
}

/* Loops over memories, as other front ends write them: scalars that went through memory, indices
 * that went through floats and integers of odd widths. What is not needed of that should not be
 * made total. */
static const char tidy_pipeline[] =
    "tepal-inline,symbol-dce,canonicalize,tepal-aliases,tepal-scalars,tepal-raise,canonicalize,"
    "tepal-scalars,tepal-raise,canonicalize,tepal-scalars,cse";

static bool is_scalar_memory(MlirOperation op) {
    return (op_is(op, "memref.alloc") || op_is(op, "memref.alloca")) &&
           type_elements(mlirValueGetType(mlirOperationGetResult(op, 0))) == 1;
}

/* Pass "tepal-scalars": upstream's forwarding of stores to loads, where memories of one element ask
 * for it. */
static bool pass_scalars(Session *session, MlirModule module, const char *options) {
    (void)options;
    if (ops_collect(session->arena, mlirModuleGetOperation(module), is_scalar_memory).count == 0)
        return true;
    return session_run_elements(session, module, "func.func(affine-scalrep),canonicalize");
}

static bool takes_memrefs(Session *session, const Model *model) {
    MlirOperation entry = model_entry(session, model);
    MlirType type = mlirTypeAttrGetValue(op_attribute(entry, "function_type"));
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); i++)
        if (is_memref(mlirFunctionTypeGetInput(type, i))) return true;
    return false;
}

bool lower_to_total(Session *session, Model *model) {
    if (!pipeline_run(session, model->module, "tepal-switch,tepal-parallel")) return false;
    if (takes_memrefs(session, model)) {
        make_others_private(session, model);
        if (!pipeline_run(session, model->module, tidy_pipeline)) return false;
    }
    return pipeline_run(session, model->module, total_pipeline);
}

/* Bufferization drops the attributes of arguments and results: they are made anew from the model.
 */
static void set_argument_attributes(Session *session, Model *model) {
    MlirOperation entry = model_entry(session, model);
    int count = model->input_count + model->output_count;
    MlirContext context = session->context;
    MlirAttribute *all = arena_array(session->arena, (size_t)count + 1, sizeof *all);
    for (int i = 0; i < count; i++) {
        bool output = i >= model->input_count;
        const Tensor *tensor = output ? &model->outputs[i - model->input_count] : &model->inputs[i];
        int from_end = (output ? count : model->input_count) - i;
        MlirNamedAttribute attributes[4];
        int used = 0;
        attributes[used++] = named(context, "tepal.name", string_attribute(context, tensor->name));
        if (output) attributes[used++] = named(context, "tepal.output", mlirUnitAttrGet(context));
        if (from_end <= model->state_count)
            attributes[used++] = named(context, "tepal.state", mlirUnitAttrGet(context));
        if (tensor->is_bool || tensor->is_unsigned)
            attributes[used++] =
                named(context, "tepal.type",
                      string_attribute(context, tensor->is_bool ? "bool" : "unsigned"));
        all[i] = mlirDictionaryAttrGet(context, used, attributes);
    }
    op_set(entry, "arg_attrs", mlirArrayAttrGet(context, count, all));
}

bool lower_to_affine(Session *session, Model *model) {
    make_others_private(session, model);
    if (!pipeline_run(session, model->module, affine_pipeline)) return false;
    set_argument_attributes(session, model);
    return affine_check(session, model);
}

/* --- both as passes, for `tepal opt` --- */

static bool pass_lower_to_total(Session *session, MlirModule module, const char *options) {
    (void)options;
    Model model = {.name = "model", .module = module};
    return model_describe(session, &model, NULL) && lower_to_total(session, &model);
}

static bool pass_lower_to_affine(Session *session, MlirModule module, const char *options) {
    (void)options;
    Model model = {.name = "model", .module = module};
    return model_describe(session, &model, NULL) && lower_to_total(session, &model) &&
           lower_to_affine(session, &model);
}
