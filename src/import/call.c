/* One operation of the graph while it is compiled: arguments checked against the schema, asked for
 * by name, and results checked against the model's types. */
#include "import/call.h"
#include <string.h>
#include "import/in_place.h"
#include "import/quantized.h"

bool call_fail(Call *call, const char *format, ...) {
    Import *import = call->import;
    Text text = text_new(call->arena);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    const char *place =
        string_format(call->arena, "%s: %s", import->path, node_text(call->arena, call->node));
    call->failed = true;
    error_at(import->diagnostics, STATUS_INPUT, place, "%s: %s", call->operation->name,
             text_string(&text));
    node_notes(call->arena, import->diagnostics, &import->program, call->node);
    return false;
}

/* --- arguments ----------------------------------------------------------------------------- */

/* The index of a parameter, which counts as looked at. A name that is none of the schema's is a
 * fault of the emit function. */
static int look_at(Call *call, const char *name) {
    for (int i = 0; i < call->schema.count; i++) {
        if (strcmp(call->schema.parameters[i].name, name) == 0) {
            call->used |= 1u << i;
            return i;
        }
    }
    call->failed = true;
    error_at(call->import->diagnostics, STATUS_INTERNAL, call->import->path,
             "the operation %s has no parameter %s: this is a bug of Tepal", call->operation->name,
             name);
    return 0;
}

bool call_declares(const Call *call, const char *name) {
    for (int i = 0; i < call->schema.count; i++)
        if (strcmp(call->schema.parameters[i].name, name) == 0) return true;
    return false;
}

bool call_has(Call *call, const char *name) {
    return call->arguments[look_at(call, name)].kind != ARGUMENT_NONE;
}

/* What an operation on integers sees of a tensor. */
static Value *as_seen(const Call *call, Value *value) {
    return call->as_integers && value ? value->quantized->terms[0].integers : value;
}

Value *call_tensor(Call *call, const char *name) {
    return as_seen(call, call->tensors[look_at(call, name)]);
}

Value **call_tensors(Call *call, const char *name, int *count) {
    const Argument *argument = &call->arguments[look_at(call, name)];
    *count = argument->count;
    Value **values = arena_array(call->arena, (size_t)argument->count + 1, sizeof(Value *));
    for (int i = 0; i < argument->count; i++) {
        int64_t index = argument->integers[i];
        if (index < 0) continue;
        values[i] = as_seen(call, call->import->values[call->import->same[index]]);
    }
    return values;
}

const Graph *call_graph(Call *call, const char *name) {
    return call->arguments[look_at(call, name)].graph;
}

int64_t call_integer(Call *call, const char *name) {
    return call->arguments[look_at(call, name)].integer;
}

double call_float(Call *call, const char *name) {
    return call->arguments[look_at(call, name)].number;
}

static Number number_of_argument(const Argument *argument) {
    Number number = {.integer = argument->integer, .real = argument->number};
    number.kind = argument->kind == ARGUMENT_FLOAT  ? NUMBER_FLOAT
                  : argument->kind == ARGUMENT_BOOL ? NUMBER_BOOL
                                                    : NUMBER_INTEGER;
    return number;
}

Number call_number(Call *call, const char *name) {
    return number_of_argument(&call->arguments[look_at(call, name)]);
}

bool call_bool(Call *call, const char *name) {
    return call->arguments[look_at(call, name)].integer != 0;
}

const char *call_string(Call *call, const char *name) {
    return call->arguments[look_at(call, name)].string;
}

Dtype call_dtype(Call *call, const char *name, Dtype otherwise) {
    const Argument *argument = &call->arguments[look_at(call, name)];
    if (argument->kind == ARGUMENT_NONE) return otherwise;
    const DtypeInfo *info = dtype_info(argument->integer);
    if (info && info->is_supported) return info->dtype;
    call_fail(call, "dtype %s is not supported", info ? info->name : "unknown");
    return otherwise;
}

const int64_t *call_integers(Call *call, const char *name, int *count) {
    const Argument *argument = &call->arguments[look_at(call, name)];
    *count = argument->count;
    return argument->integers;
}

const double *call_floats(Call *call, const char *name, int *count) {
    const Argument *argument = &call->arguments[look_at(call, name)];
    *count = argument->count;
    return argument->numbers;
}

bool call_wrap_dim(Call *call, const char *name, int64_t number, int rank, int *dim) {
    /* PyTorch treats a 0-d tensor as one of rank 1 here. */
    int64_t most = rank > 0 ? rank : 1;
    if (number < -most || number >= most) {
        return call_fail(call, "%s %lld is out of range for %d dimensions", name, (long long)number,
                         rank);
    }
    *dim = (int)(number < 0 ? number + most : number);
    return true;
}

bool call_dim(Call *call, const char *name, int rank, int *dim) {
    return call_wrap_dim(call, name, call_integer(call, name), rank, dim);
}

bool call_dims(Call *call, const char *name, int rank, bool *flags) {
    int count, dim = 0;
    const int64_t *dims = call_integers(call, name, &count);
    for (int i = 0; i < rank; i++) flags[i] = count == 0;
    for (int i = 0; i < count; i++) {
        if (!call_wrap_dim(call, name, dims[i], rank, &dim)) return false;
        if (rank && flags[dim]) return call_fail(call, "%s names dimension %d twice", name, dim);
        flags[dim] = true;
    }
    return true;
}

/* --- values -------------------------------------------------------------------------------- */

Value *value_new(Arena *arena, Dtype dtype, int rank, const int64_t *shape, MlirValue mlir) {
    Value *value = arena_new_of(arena, Value);
    value->type = tensor_type(dtype, rank, shape);
    value->mlir = mlir;
    return value;
}

Value *value_constant(Arena *arena, const Stored *stored) {
    Value *value = arena_new_of(arena, Value);
    value->type = stored->type;
    value->stored = stored;
    return value;
}

Value *value_of_number(Arena *arena, Number number) {
    static const Dtype dtypes[] = {
        [NUMBER_INTEGER] = DTYPE_INT64, [NUMBER_FLOAT] = DTYPE_FLOAT32, [NUMBER_BOOL] = DTYPE_BOOL};
    Value *value = value_constant(
        arena, stored_splat(arena, dtypes[number.kind], 0, NULL, number.real, number.integer));
    value->is_number = true;
    return value;
}

/* MLIR keeps bools as bits, files keep them as bytes. */
static MlirAttribute bool_elements(Arena *arena, MlirType type, const Stored *stored) {
    const unsigned char *bytes = stored_dense(arena, stored);
    int64_t elements = tensor_type_elements(&stored->type);
    int *bools = arena_array(arena, (size_t)elements + 1, sizeof *bools);
    for (int64_t i = 0; i < elements; i++) bools[i] = bytes[i] != 0;
    return mlirDenseElementsAttrBoolGet(type, elements, bools);
}

MlirValue value_mlir(Builder *builder, Arena *arena, Value *value) {
    if (!mlirValueIsNull(value->mlir)) return value->mlir;
    if (value->quantized) return value->mlir = quantized_mlir(builder, arena, value);
    const TensorType *type = &value->type;
    const DtypeInfo *info = dtype_info(type->dtype);
    MlirType tensor = tensor_of(scalar_type(builder, type->dtype), type->rank, type->shape);
    MlirAttribute elements;
    if (tensor_type_elements(type) == 0) return value->mlir = build_empty(builder, tensor);
    if (info->is_bool) {
        elements = bool_elements(arena, tensor, value->stored);
    } else if (stored_is_splat(value->stored)) {
        /* One element given for a whole tensor is a splat. */
        size_t at = (size_t)value->stored->offset * info->size;
        elements = mlirDenseElementsAttrRawBufferGet(tensor, info->size, value->stored->bytes + at);
    } else {
        elements = mlirDenseElementsAttrRawBufferGet(
            tensor, info->size * (size_t)tensor_type_elements(type),
            stored_dense(arena, value->stored));
    }
    value->mlir = build_constant(builder, elements);
    return value->mlir;
}

MlirValue call_mlir(Call *call, Value *value) {
    return value_mlir(call->builder, call->arena, value);
}

MlirType call_type(Call *call, Dtype dtype, int rank, const int64_t *shape) {
    return tensor_of(scalar_type(call->builder, dtype), rank, shape);
}

Value *call_cast(Call *call, Value *value, Dtype dtype) {
    if (value->type.dtype == dtype) return value;
    Stored *folded = value->stored ? stored_as_float(call->arena, value->stored, dtype) : NULL;
    if (folded) return value_constant(call->arena, folded);
    const TensorType *type = &value->type;
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)type->rank);
    MlirAffineMap identity = map_identity(call->builder, type->rank), maps[] = {identity, identity};
    MlirValue input = call_mlir(call, value);
    MlirValue init = build_empty(call->builder, call_type(call, dtype, type->rank, type->shape));
    Generic cast = generic_begin(call->builder, iterators, 1, &input, 1, &init, maps);
    MlirValue element = scalar_cast(&cast.body, generic_input(&cast, 0), type->dtype, dtype);
    return value_new(call->arena, dtype, type->rank, type->shape, generic_end(&cast, element));
}

/* --- results ------------------------------------------------------------------------------- */

bool call_wants(const Call *call, int index) {
    if (index >= call->node->output_count) return false;
    int output = call->node->outputs[index];
    return output >= 0 && call->import->program.values.items[output].uses > 0;
}

bool call_result(Call *call, int index, Value *value) {
    if (call->failed) return false;
    if (index >= call->node->output_count) {
        return call_fail(call, "the node has %d results, but the operation has more",
                         call->node->output_count);
    }
    call->results[index] = value;
    return true;
}

bool call_give(Call *call, Dtype dtype, int rank, const int64_t *shape, MlirValue mlir) {
    return call_result(call, 0, value_new(call->arena, dtype, rank, shape, mlir));
}

static bool check_result(Call *call, int index) {
    const GraphValue *stated = &call->import->program.values.items[call->node->outputs[index]];
    Value *value = call->results[index];
    if (!value) return call_fail(call, "result %d is not supported", index);
    if (tensor_type_equal(&value->type, &stated->type)) return true;
    return call_fail(call,
                     "the result is %s by the operation's rules, but the model says %s: the shapes "
                     "or types do not fit",
                     tensor_type_text(call->arena, &value->type),
                     tensor_type_text(call->arena, &stated->type));
}

/* --- one node ------------------------------------------------------------------------------ */

static bool find_parameter(Call *call, const char *name, int *found) {
    for (int i = 0; i < call->schema.count; i++) {
        if (strcmp(call->schema.parameters[i].name, name) == 0) {
            *found = i;
            return true;
        }
    }
    return call_fail(call, "unknown argument %s", string_printable(call->arena, name, 100));
}

static bool bind_tensor(Call *call, int index) {
    const Argument *argument = &call->arguments[index];
    if (argument->kind != ARGUMENT_TENSOR) {
        if (argument->kind != ARGUMENT_NONE) {
            call->tensors[index] = value_of_number(call->arena, number_of_argument(argument));
        }
        return true;
    }
    Import *import = call->import;
    const GraphValue *graph_value = &import->program.values.items[argument->integer];
    if (!graph_value->supported) {
        return call_fail(call, "dtype %s of %s is not supported",
                         dtype_name(graph_value->type.dtype), graph_value->name);
    }
    call->tensors[index] = import->values[import->same[argument->integer]];
    return true;
}

static bool bind_arguments(Call *call) {
    bool given[MAX_PARAMETERS] = {false};
    for (int i = 0; i < call->node->input_count; i++) {
        const NamedArgument *input = &call->node->inputs[i];
        int index = 0;
        const char *wanted = NULL;
        bool is_named = input->name[0] != '\0';
        if (!is_named) index = i; /* of higher-order operations */
        if (is_named && !find_parameter(call, input->name, &index)) return false;
        if (index >= call->schema.count) return call_fail(call, "it has too many arguments");
        if (given[index]) return call_fail(call, "argument %s is given twice", input->name);
        given[index] = true;
        call->arguments[index] = input->value;
        const Parameter *parameter = &call->schema.parameters[index];
        if (input->value.kind == ARGUMENT_DATA) {
            return call_fail(call,
                             "argument %s depends on data (%s): it must be known when the "
                             "design is built",
                             input->name, string_printable(call->arena, input->value.string, 60));
        }
        if (!parameter_accept(call->arena, parameter, &call->arguments[index], &wanted)) {
            return call_fail(call, "argument %s must be %s", input->name, wanted);
        }
    }
    for (int i = 0; i < call->schema.count; i++) {
        const Parameter *parameter = &call->schema.parameters[i];
        if (!given[i] && !parameter->has_default) {
            return call_fail(call, "argument %s is missing", parameter->name);
        }
        if (!given[i]) call->arguments[i] = parameter->fallback;
        bool is_tensor_argument = parameter->type == PARAMETER_TENSOR && !parameter->is_list;
        if (is_tensor_argument && !bind_tensor(call, i)) return false;
    }
    return true;
}

static bool is_ignored(const Operation *operation, const char *name) {
    const char *at = operation->ignored;
    size_t length = strlen(name);
    while (at && (at = strstr(at, name)) != NULL) {
        bool starts = at == operation->ignored || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0')) return true;
        at += length;
    }
    return false;
}

static bool check_used(Call *call) {
    for (int i = 0; i < call->schema.count; i++) {
        const char *name = call->schema.parameters[i].name;
        if (call->used >> i & 1 || is_ignored(call->operation, name)) continue;
        return call_fail(call, "argument %s is not supported", name);
    }
    return true;
}

/* A model that writes to what its caller gave it has a result there, too. */
static void warn_of_input(Import *import, int target) {
    for (int i = 0; i < import->program.inputs.count; i++) {
        const GraphInput *input = &import->program.inputs.items[i];
        if (input->value == target && input->kind == INPUT_USER)
            forward_warn_input(import, input->name);
    }
}

/* What is written has the dtype of what it is written to. */
static bool cast_to_first(Call *call) {
    if (call->arguments[0].kind != ARGUMENT_TENSOR || !call->results[0])
        return call_fail(call, "the first argument must be a tensor");
    Value *old = call->import->values[call->import->same[call->arguments[0].integer]];
    call->results[0] = call_cast(call, call->results[0], old->type.dtype);
    return true;
}

/* An in-place operation writes to the memory of its first argument. */
static bool replace_first(Call *call, int node_index) {
    Import *import = call->import;
    const Argument *self = &call->arguments[0];
    int target = import->same[self->integer];
    warn_of_input(import, import->storage[target]);
    import->values[target] = call->results[0];
    int output = call->node->outputs[0];
    if (output >= 0) {
        import->same[output] = target;
        import->storage[output] = import->storage[target];
    }
    if (import->program.values.items[import->storage[target]].is_given) {
        return call_fail(call, "it writes in place to what is given to the graph that it is in");
    }
    return write_through(call, node_index, target);
}

static bool store_results(Call *call, int node_index) {
    Import *import = call->import;
    if (call->in_place && !cast_to_first(call)) return false;
    for (int i = 0; i < call->node->output_count; i++) {
        int output = call->node->outputs[i];
        if (output < 0) continue;
        if ((call_wants(call, i) || call->in_place) && !check_result(call, i)) return false;
        import->values[output] = call->results[i];
        if (!call->in_place && find_view(import, node_index, output, &import->views[output]))
            import->storage[output] = import->storage[call->arguments[0].integer];
    }
    return !call->in_place || replace_first(call, node_index);
}

/* An operation whose results have no elements computes nothing: true if that is so, and they are
 * there. */
static bool gives_nothing(Call *call) {
    const Node *node = call->node;
    int count = 0;
    for (int i = 0; i < node->output_count; i++) {
        if (node->outputs[i] < 0) continue;
        const GraphValue *stated = &call->import->program.values.items[node->outputs[i]];
        const TensorType *type = &stated->type;
        if (!stated->supported || stated->is_open || tensor_type_elements(type) > 0) return false;
        MlirType empty = call_type(call, type->dtype, type->rank, type->shape);
        call->results[i] = value_new(call->arena, type->dtype, type->rank, type->shape,
                                     build_empty(call->builder, empty));
        count++;
    }
    return count > 0;
}

/* A call whose schema is read and whose arguments are bound; NULL with a message. */
static Call *call_begin(Import *import, const Node *node, const Operation *operation) {
    Call *call = arena_new_of(import->arena, Call);
    *call = (Call){.import = import,
                   .arena = import->arena,
                   .builder = &import->builder,
                   .node = node,
                   .operation = operation};
    size_t outputs = (size_t)node->output_count + 1;
    call->results = arena_array(import->arena, outputs, sizeof *call->results);
    if (!schema_parse(import->arena, operation->schema, &call->schema)) {
        error_at(import->diagnostics, STATUS_INTERNAL, operation->name,
                 "bad schema in the table of operations: this is a bug of Tepal");
        return NULL;
    }
    return bind_arguments(call) ? call : NULL;
}

Value *call_view(Import *import, const Node *node, const Operation *operation, Value *first,
                 int index) {
    Call *call = call_begin(import, node, operation);
    if (!call) return NULL;
    call->tensors[0] = first;
    return operation->emit(call) && !call->failed ? call->results[index] : NULL;
}

bool call_node(Import *import, const Node *node, int node_index, const Operation *operation,
               bool in_place) {
    Call *call = call_begin(import, node, operation);
    if (!call) return false;
    call->in_place = in_place;
    if (gives_nothing(call)) return store_results(call, node_index);
    bool done = operation->integers && operation->integers(call);
    if (call->failed || (!done && !operation->emit(call)) || call->failed) return false;
    return check_used(call) && store_results(call, node_index);
}
