/* What a module's entry function says about the model: inputs, outputs, parameters. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <string.h>

static bool is_called(Session *session, MlirModule module, const char *name) {
    OpList calls = ops_named(session->arena, mlirModuleGetOperation(module), "func.call");
    for (int i = 0; i < calls.count; i++)
        if (ref_equal(mlirFlatSymbolRefAttrGetValue(op_attribute(calls.items[i], "callee")), name))
            return true;
    return false;
}

/* The entry: `top`, or the only public function with a body that no other calls, else `forward`,
 * else `main`. */
static bool find_entry(Session *session, MlirModule module, const char *top, MlirOperation *entry) {
    Arena *arena = session->arena;
    OpList functions = ops_named(arena, mlirModuleGetOperation(module), "func.func");
    MlirOperation only = {NULL}, forward = {NULL}, main_function = {NULL}, chosen = {NULL};
    int public_count = 0;
    for (int i = 0; i < functions.count; i++) {
        MlirOperation function = functions.items[i];
        const char *name = string_of_attribute(arena, op_attribute(function, "sym_name"));
        const char *visibility =
            string_of_attribute(arena, op_attribute(function, "sym_visibility"));
        if (mlirBlockIsNull(op_body(function))) continue;
        if (top && strcmp(name, top) == 0) chosen = function;
        if (visibility && strcmp(visibility, "public") != 0) continue;
        if (is_called(session, module, name)) continue;
        public_count++;
        only = function;
        if (strcmp(name, "forward") == 0) forward = function;
        if (strcmp(name, "main") == 0) main_function = function;
    }
    if (top && mlirOperationIsNull(chosen))
        return error_at(
            session->diagnostics, STATUS_INPUT, NULL,
            "the model has no function '%s' with a body%s%s", string_printable(arena, top, 100),
            public_count == 1 ? "; its only public one is " : "",
            public_count == 1 ? string_of_attribute(arena, op_attribute(only, "sym_name")) : "");
    if (!top && public_count == 1) chosen = only;
    if (!top && public_count != 1) chosen = mlirOperationIsNull(forward) ? main_function : forward;
    if (mlirOperationIsNull(chosen))
        return error_at(session->diagnostics, STATUS_INPUT, NULL,
                        public_count == 0
                            ? "the model has no public function with a body that is not called"
                            : "the model has %d public functions and none is called "
                              "'forward' or 'main'; name one with --top",
                        public_count);
    *entry = chosen;
    return true;
}

static const char *argument_attribute(Session *session, MlirAttribute array, int index,
                                      const char *name) {
    if (mlirAttributeIsNull(array) || index >= mlirArrayAttrGetNumElements(array)) return NULL;
    MlirAttribute value =
        mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(array, index), ref(name));
    if (mlirAttributeIsNull(value)) return NULL;
    return mlirAttributeIsAString(value) ? string_of_attribute(session->arena, value) : "";
}

static const char *type_text(Session *session, MlirType type) {
    Text text = text_new(session->arena);
    mlirTypePrint(type, append_piece, &text);
    return string_printable(session->arena, text_string(&text), 200);
}

/* One argument or result. `what` and `index` name it in messages. */
static bool describe(Session *session, MlirOperation entry, MlirType type, const char *what,
                     int index, Tensor *tensor) {
    const char *place = op_place(session->arena, entry);
    if (!is_tensor(type) && !is_memref(type))
        return error_at(session->diagnostics, STATUS_INPUT, place,
                        "%s %d is a %s; a model takes and gives tensors of known sizes", what,
                        index, type_text(session, type));
    if (!mlirShapedTypeHasStaticShape(type))
        return error_at(session->diagnostics, STATUS_INPUT, place,
                        "%s %d has unknown sizes (%s); hardware needs all of them: fix them with "
                        "--shape",
                        what, index, type_text(session, type));
    if (!static_shape(type, &tensor->rank, tensor->shape))
        return error_at(session->diagnostics, STATUS_INPUT, place,
                        "%s %d has more than %d dimensions", what, index, MAX_RANK);
    if (!scalar_of_type(mlirShapedTypeGetElementType(type), &tensor->type))
        return error_at(session->diagnostics, STATUS_INPUT, place,
                        "%s %d holds elements of a type that is not supported (%s)", what, index,
                        type_text(session, type));
    size_t bytes;
    if (!shape_elements(tensor->rank, tensor->shape, &tensor->elements) ||
        !shape_bytes(tensor->type, tensor->rank, tensor->shape, &bytes) || bytes > MAX_TENSOR_BYTES)
        return error_at(session->diagnostics, STATUS_INPUT, place,
                        "%s %d is too large (%s): 4 GiB are the most", what, index,
                        type_text(session, type));
    return true;
}

static void describe_names(Session *session, MlirAttribute attributes, int position,
                           const char *prefix, int index, Tensor *tensor) {
    const char *name = argument_attribute(session, attributes, position, "tepal.name");
    const char *type = argument_attribute(session, attributes, position, "tepal.type");
    tensor->name = name ? name : string_format(session->arena, "%s%d", prefix, index);
    tensor->is_bool = type && strcmp(type, "bool") == 0;
    tensor->is_unsigned = type && strcmp(type, "unsigned") == 0;
}

/* Counts the states among the inputs and outputs, which must be the last ones and fit each other.
 */
static bool count_states(Session *session, MlirOperation entry, Model *model, int inputs,
                         int outputs) {
    int first_input = model->input_count - inputs, first_output = model->output_count - outputs;
    bool fine = inputs == outputs;
    for (int i = 0; fine && i < inputs; i++) {
        const Tensor *from = &model->inputs[first_input + i];
        const Tensor *to = &model->outputs[first_output + i];
        fine = scalar_equal(from->type, to->type) && from->rank == to->rank &&
               memcmp(from->shape, to->shape, (size_t)from->rank * sizeof *from->shape) == 0;
    }
    model->state_count = inputs;
    return fine || error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, entry),
                            "each argument with tepal.state needs a result of its type with "
                            "tepal.state");
}

static void count_parameters(MlirOperation op, void *context) {
    int64_t *parameters = context;
    MlirAttribute value = mlirAttributeGetNull();
    if (op_is(op, "arith.constant")) value = op_attribute(op, "value");
    if (op_is(op, "memref.global")) value = op_attribute(op, "initial_value");
    if (!mlirAttributeIsNull(value) && mlirAttributeIsAElements(value) &&
        !(mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value)))
        *parameters += mlirElementsAttrGetNumElements(value);
}

/* Allo writes the signs of what a function takes and gives as letters, "u" for unsigned: itypes =
 * "_us". They become our attributes, which stay with their arguments when these move. */
static void read_letters(Session *session, MlirOperation entry, const char *letters_name,
                         const char *attributes_name, intptr_t count) {
    const char *letters = string_of_attribute(session->arena, op_attribute(entry, letters_name));
    MlirAttribute old = op_attribute(entry, attributes_name);
    if (!letters) return;
    mlirOperationRemoveAttributeByName(entry, ref(letters_name));
    if (!strchr(letters, 'u') || !mlirAttributeIsNull(old) || (intptr_t)strlen(letters) != count)
        return;
    MlirAttribute *all = arena_array(session->arena, (size_t)count + 1, sizeof *all);
    MlirNamedAttribute is_unsigned =
        named(session->context, "tepal.type", string_attribute(session->context, "unsigned"));
    for (intptr_t i = 0; i < count; i++)
        all[i] = mlirDictionaryAttrGet(session->context, letters[i] == 'u', &is_unsigned);
    op_set(entry, attributes_name, mlirArrayAttrGet(session->context, count, all));
}

bool model_describe(Session *session, Model *model, const char *top) {
    MlirOperation entry;
    if (!allo_bodies(session, model->module) || !find_entry(session, model->module, top, &entry))
        return false;
    MlirType written = mlirTypeAttrGetValue(op_attribute(entry, "function_type"));
    read_letters(session, entry, "itypes", "arg_attrs", mlirFunctionTypeGetNumInputs(written));
    read_letters(session, entry, "otypes", "res_attrs", mlirFunctionTypeGetNumResults(written));
    if (!entry_interface(session, model->module, entry)) return false;
    MlirType type = mlirTypeAttrGetValue(op_attribute(entry, "function_type"));
    int arguments = (int)mlirFunctionTypeGetNumInputs(type);
    int results = (int)mlirFunctionTypeGetNumResults(type);
    MlirAttribute names = op_attribute(entry, "arg_attrs"),
                  result_names = op_attribute(entry, "res_attrs");
    model->entry = string_of_attribute(session->arena, op_attribute(entry, "sym_name"));
    model->inputs = arena_array(session->arena, (size_t)arguments + 1, sizeof(Tensor));
    model->outputs = arena_array(session->arena, (size_t)(arguments + results) + 1, sizeof(Tensor));
    model->input_count = model->output_count = 0;
    int states = 0, next_states = 0;
    for (int i = 0; i < arguments; i++) {
        bool output = argument_attribute(session, names, i, "tepal.output") != NULL;
        int index = output ? model->output_count++ : model->input_count++;
        Tensor *tensor = output ? &model->outputs[index] : &model->inputs[index];
        bool state = argument_attribute(session, names, i, "tepal.state") != NULL;
        int *counted = output ? &next_states : &states;
        if (!state && *counted > 0)
            return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, entry),
                            "arguments with tepal.state must be the last ones");
        *counted += state;
        describe_names(session, names, i, output ? "out" : "in", index, tensor);
        if (!describe(session, entry, mlirFunctionTypeGetInput(type, i),
                      output ? "output argument" : "argument", index, tensor))
            return false;
    }
    for (int i = 0; i < results; i++) {
        int index = model->output_count++;
        next_states += argument_attribute(session, result_names, i, "tepal.state") != NULL;
        describe_names(session, result_names, i, "out", index, &model->outputs[index]);
        if (!describe(session, entry, mlirFunctionTypeGetResult(type, i), "result", index,
                      &model->outputs[index]))
            return false;
    }
    if (!count_states(session, entry, model, states, next_states)) return false;
    if (model->output_count == model->state_count)
        return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, entry),
                        "the function '%s' has no result", model->entry);
    model->parameters = 0;
    ops_each(mlirModuleGetOperation(model->module), count_parameters, &model->parameters);
    return true;
}

/* Bits of each element of a constant that differ between elements. */
static int constant_word_bits(MlirAttribute value, Scalar type, int64_t elements) {
    if (!mlirAttributeIsADenseElements(value) || type.width % 8 != 0) return type.width;
    const void *words = mlirDenseElementsAttrGetRawData(value);
    return bits_varying(words, (size_t)elements, (size_t)type.width / 8);
}

int64_t model_constant_bits(Session *session, const Model *model, int64_t least) {
    int64_t total = 0;
    OpList globals =
        ops_named(session->arena, mlirModuleGetOperation(model->module), "memref.global");
    for (int i = 0; i < globals.count; i++) {
        int64_t elements = 0;
        Scalar scalar;
        MlirType type = mlirTypeAttrGetValue(op_attribute(globals.items[i], "type"));
        count_parameters(globals.items[i], &elements);
        if (elements == 0 || !scalar_of_type(mlirShapedTypeGetElementType(type), &scalar)) continue;
        MlirAttribute value = op_attribute(globals.items[i], "initial_value");
        int64_t bits = elements * constant_word_bits(value, scalar, elements);
        if (bits > least) total += bits;
    }
    return total;
}

MlirOperation model_entry(Session *session, const Model *model) {
    MlirOperation entry = {NULL};
    OpList functions =
        ops_named(session->arena, mlirModuleGetOperation(model->module), "func.func");
    for (int i = 0; i < functions.count; i++) {
        const char *name =
            string_of_attribute(session->arena, op_attribute(functions.items[i], "sym_name"));
        if (strcmp(name, model->entry) == 0) entry = functions.items[i];
    }
    return entry;
}
