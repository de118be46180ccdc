/* A program -> the function `forward` of an MLIR module: inputs, nodes in order, outputs. */
#include <string.h>
#include "import/operations.h"
#include "import/states.h"

static bool fail(Import *import, const char *name, const char *what) {
    return error_at(import->diagnostics, STATUS_INPUT, import->path, "%s: %s",
                    string_printable(import->arena, name, 200), what);
}

/* --- inputs -------------------------------------------------------------------------------- */

bool forward_check(Import *import, const char *name, const TensorType *type) {
    const DtypeInfo *info = dtype_info(type->dtype);
    if (!info->is_supported) {
        return fail(import, name,
                    string_format(import->arena, "dtype %s is not supported", info->name));
    }
    for (int i = 0; i < type->rank; i++) {
        if (type->shape[i] < 0) return fail(import, name, "its size depends on data");
    }
    return true;
}

bool forward_load(Import *import, const GraphInput *input) {
    const GraphValue *graph_value = &import->program.values.items[input->value];
    WeightPool pool = input->kind == INPUT_CONSTANT ? POOL_CONSTANTS : POOL_WEIGHTS;
    const Stored *stored = weights_find(&import->weights, pool, input->name);
    if (!stored) return false;
    if (!tensor_type_equal(&stored->type, &graph_value->type)) {
        const char *what = stored->type.dtype == graph_value->type.dtype ? "shape" : "dtype";
        return fail(import, input->name,
                    string_format(import->arena, "%s differs: stored as %s, the graph says %s",
                                  what, tensor_type_text(import->arena, &stored->type),
                                  tensor_type_text(import->arena, &graph_value->type)));
    }
    import->values[input->value] = value_constant(import->arena, stored);
    return true;
}

static bool add_input(Import *import, const GraphInput *input, MlirBlock block) {
    if (input->value < 0) return true;
    const GraphValue *value = &import->program.values.items[input->value];
    bool is_user = input->kind == INPUT_USER;
    if (!is_user && value->uses == 0) return true;
    if (!forward_check(import, is_user ? value->name : input->name, &value->type)) return false;
    if (!is_user) return forward_load(import, input);
    const TensorType *type = &value->type;
    MlirType tensor =
        tensor_of(scalar_type(&import->builder, type->dtype), type->rank, type->shape);
    MlirValue argument = mlirBlockAddArgument(block, tensor, import->builder.location);
    import->values[input->value] =
        value_new(import->arena, type->dtype, type->rank, type->shape, argument);
    return true;
}

static bool is_state(const Import *import, const GraphInput *input) {
    return input->value >= 0 && import->is_state[input->value];
}

static bool add_inputs(Import *import, MlirBlock block) {
    const Program *program = &import->program;
    bool done = true;
    for (int i = 0; i < program->inputs.count; i++) {
        const GraphInput *input = &program->inputs.items[i];
        if (!is_state(import, input)) done &= add_input(import, input, block);
    }
    return done && states_add(import, block);
}

/* --- nodes --------------------------------------------------------------------------------- */

/* Finds the rows of all live nodes. */
static void find_operations(Import *import) {
    size_t count = (size_t)import->program.nodes.count + 1;
    import->rows = arena_array(import->arena, count, sizeof *import->rows);
    import->in_place = arena_array(import->arena, count, sizeof *import->in_place);
    bool *is_missing = arena_array(import->arena, count, sizeof *is_missing);
    Table table = table_new(import->arena);
    for (int i = 0; i < import->program.nodes.count; i++) {
        const Node *node = &import->program.nodes.items[i];
        if (!node->is_live) continue;
        import->rows[i] = table_find(&table, node->target, &import->in_place[i]);
        is_missing[i] = !import->rows[i];
    }
    missing_report(import, &table, is_missing);
}

/* True if we have what a value holds: no error has left it without. */
static bool is_there(const Import *import, int64_t value) {
    return value < 0 || import->values[import->same[value]];
}

static bool inputs_are_there(const Import *import, const Node *node) {
    for (int i = 0; i < node->input_count; i++) {
        const Argument *argument = &node->inputs[i].value;
        if (argument->kind == ARGUMENT_TENSOR && !is_there(import, argument->integer)) return false;
        if (argument->kind != ARGUMENT_TENSORS) continue;
        for (int k = 0; k < argument->count; k++)
            if (!is_there(import, argument->integers[k])) return false;
    }
    return true;
}

/* After an error, a value of the stated type stands for what could not be made, so that the nodes
 * after it are looked at, too; none where its type is what is not supported. */
static void stand_in(Import *import, int value) {
    const GraphValue *stated = &import->program.values.items[value];
    const TensorType *type = &stated->type;
    if (!stated->supported || stated->is_open || tensor_type_elements(type) < 0) return;
    MlirType tensor =
        tensor_of(scalar_type(&import->builder, type->dtype), type->rank, type->shape);
    import->values[value] = value_new(import->arena, type->dtype, type->rank, type->shape,
                                      build_empty(&import->builder, tensor));
}

/* Messages of later stages then name the node and its Python line. */
static MlirLocation node_location(Import *import, const Node *node) {
    MlirContext context = import->session->context;
    MlirLocation line = mlirLocationUnknownGet(context);
    if (node->python_file) {
        unsigned number = node->python_line > 0 ? (unsigned)node->python_line : 0;
        line = mlirLocationFileLineColGet(context, ref(node->python_file), number, 0);
    }
    return mlirLocationNameGet(context, ref(node->name), line);
}

void forward_nodes(Import *import, int first, int end, int depth) {
    for (int i = first; i < end; i++) {
        const Node *node = &import->program.nodes.items[i];
        if (!node->is_live || node->depth != depth) continue;
        import->builder.location = node_location(import, node);
        bool is_known = import->rows[i] && inputs_are_there(import, node);
        if (is_known && call_node(import, node, i, import->rows[i], import->in_place[i])) continue;
        for (int k = 0; k < node->output_count; k++)
            if (node->outputs[k] >= 0) stand_in(import, node->outputs[k]);
    }
}

/* All nodes that cannot be compiled are reported in one go: first those without an operation, then
 * those with arguments that theirs does not take. */
static bool add_nodes(Import *import) {
    forward_nodes(import, 0, import->program.nodes.count, 0);
    return !diagnostics_failed(import->diagnostics);
}

void forward_warn_input(Import *import, const char *name) {
    if (!map_add(&import->warned, name, 0)) return;
    warning_at(import->diagnostics, import->path,
               "the model writes to its input %s: the design leaves the input as it is",
               string_printable(import->arena, name, 200));
}

/* --- outputs and the function -------------------------------------------------------------- */

typedef struct Ends {
    int count;
    MlirValue *values;
    MlirType *types;
    MlirAttribute *attributes;
} Ends;

/* {tepal.name = "x", tepal.type = "bool"} */
static MlirAttribute port_attribute(Import *import, const char *name, Dtype dtype, bool state) {
    MlirContext context = import->session->context;
    const DtypeInfo *info = dtype_info(dtype);
    MlirNamedAttribute attributes[3];
    int count = 1;
    attributes[0] = named(context, "tepal.name", string_attribute(context, name));
    if (state) attributes[count++] = named(context, "tepal.state", mlirUnitAttrGet(context));
    if (info->is_bool || info->is_unsigned) {
        const char *type = info->is_bool ? "bool" : "unsigned";
        attributes[count++] = named(context, "tepal.type", string_attribute(context, type));
    }
    return mlirDictionaryAttrGet(context, count, attributes);
}

static Ends ends_new(Arena *arena, int most) {
    size_t count = (size_t)most + 1;
    return (Ends){0, arena_array(arena, count, sizeof(MlirValue)),
                  arena_array(arena, count, sizeof(MlirType)),
                  arena_array(arena, count, sizeof(MlirAttribute))};
}

static void add_end(Import *import, Ends *ends, const GraphValue *graph_value, MlirValue value) {
    ends->values[ends->count] = value;
    ends->types[ends->count] = mlirValueGetType(value);
    ends->attributes[ends->count++] =
        port_attribute(import, graph_value->name, graph_value->type.dtype, false);
}

static void add_state_end(Import *import, Ends *ends, const State *state, MlirValue value) {
    ends->values[ends->count] = value;
    ends->types[ends->count] = mlirValueGetType(value);
    ends->attributes[ends->count++] = port_attribute(import, state->name, state->dtype, true);
}

static bool add_outputs(Import *import, Ends *results) {
    Program *program = &import->program;
    import->builder.location = mlirLocationUnknownGet(import->session->context);
    for (int i = 0; i < program->outputs.count; i++) {
        const GraphOutput *output = &program->outputs.items[i];
        if (output->is_mutation) {
            int target = map_find(&program->names, output->target);
            bool is_input = target >= 0 && !import->is_state[target];
            if (is_input && output->is_input_mutation) forward_warn_input(import, output->target);
            continue;
        }
        if (output->value.kind == ARGUMENT_NONE) continue;
        if (output->value.kind != ARGUMENT_TENSOR) {
            return fail(import, "output", "a result that is no tensor is not supported");
        }
        const GraphValue *graph_value = &program->values.items[output->value.integer];
        if (!forward_check(import, graph_value->name, &graph_value->type)) return false;
        Value *value = import->values[import->same[output->value.integer]];
        add_end(import, results, graph_value, value_mlir(&import->builder, import->arena, value));
    }
    if (results->count == 0) return fail(import, "output", "the program has no outputs");
    for (int i = 0; i < import->states.count; i++) {
        const State *state = &import->states.items[i];
        add_state_end(import, results, state, state_next(import, state));
    }
    return true;
}

static Ends input_ends(Import *import) {
    const Program *program = &import->program;
    Ends ends = ends_new(import->arena, program->inputs.count + 1);
    for (int i = 0; i < program->inputs.count; i++) {
        const GraphInput *input = &program->inputs.items[i];
        if (input->kind != INPUT_USER) continue;
        add_end(import, &ends, &program->values.items[input->value],
                import->values[input->value]->mlir);
    }
    for (int i = 0; i < import->states.count; i++) {
        const State *state = &import->states.items[i];
        add_state_end(import, &ends, state, state->argument);
    }
    return ends;
}

static void add_function(Import *import, MlirModule module, MlirBlock block, const Ends *arguments,
                         const Ends *results) {
    MlirContext context = import->session->context;
    OpParts end = {
        .name = "func.return", .operand_count = results->count, .operands = results->values};
    build_op(&import->builder, &end);
    MlirType type = mlirFunctionTypeGet(context, arguments->count, arguments->types, results->count,
                                        results->types);
    MlirNamedAttribute attributes[] = {
        named(context, "sym_name", string_attribute(context, "forward")),
        named(context, "function_type", mlirTypeAttrGet(type)),
        named(context, "arg_attrs",
              mlirArrayAttrGet(context, arguments->count, arguments->attributes)),
        named(context, "res_attrs", mlirArrayAttrGet(context, results->count, results->attributes)),
    };
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    OpParts parts = {.name = "func.func",
                     .attribute_count = 4,
                     .attributes = attributes,
                     .region_count = 1,
                     .regions = &region};
    Builder builder = builder_at_end(mlirModuleGetBody(module), import->builder.location);
    build_op(&builder, &parts);
}

MlirModule forward_build(Import *import) {
    const MlirModule none = {NULL};
    Program *program = &import->program;
    size_t count = (size_t)program->values.count + 1;
    import->values = arena_array(import->arena, count, sizeof *import->values);
    import->same = arena_array(import->arena, count, sizeof *import->same);
    import->storage = arena_array(import->arena, count, sizeof *import->storage);
    import->is_state = arena_array(import->arena, count, sizeof *import->is_state);
    import->warned = map_new(import->arena);
    import->views = arena_array(import->arena, count, sizeof *import->views);
    for (int i = 0; i < program->values.count; i++) {
        import->same[i] = import->storage[i] = i;
        import->views[i].node = -1;
    }

    MlirLocation unknown = mlirLocationUnknownGet(import->session->context);
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    import->builder = builder_at_end(block, unknown);
    find_operations(import);
    states_find(import);
    Ends results = ends_new(import->arena, program->outputs.count + program->inputs.count + 1);
    bool done = add_inputs(import, block);
    Ends arguments = done ? input_ends(import) : (Ends){0};
    if (!add_nodes(import) || !done || !add_outputs(import, &results)) {
        mlirBlockDestroy(block);
        return none;
    }
    MlirModule module = mlirModuleCreateEmpty(unknown);
    add_function(import, module, block, &arguments, &results);
    if (mlirOperationVerify(mlirModuleGetOperation(module))) return module;
    mlirModuleDestroy(module);
    error_at(import->diagnostics, STATUS_INTERNAL, import->path,
             "the imported module is not valid MLIR: this is a bug of Tepal");
    return none;
}
