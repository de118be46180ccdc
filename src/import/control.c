/* Control that data decides: torch.cond as scf.if, while_loop as scf.while, on tensors. */
#include "import/operations.h"
#include "import/shape.h"

/* --- graphs that the node holds ----------------------------------------------------------------
 */

/* The values that a graph computes from `inputs`, at the end of a block. Each gets a copy of its
 * own: a constant that it makes is not seen outside of the block. False if they do not fit. */
static bool run_graph(Call *call, const Graph *graph, MlirBlock block, int count, Value **inputs,
                      MlirValue *results) {
    Import *import = call->import;
    if (count != graph->input_count) {
        return call_fail(call, "graph %s takes %d tensors, it is given %d", graph->name,
                         graph->input_count, count);
    }
    Builder outer = import->builder;
    import->builder = builder_at_end(block, outer.location);
    import->builder.context = outer.context;
    for (int i = 0; i < count; i++) {
        const GraphValue *stated = &import->program.values.items[graph->inputs[i]];
        if (!tensor_type_equal(&stated->type, &inputs[i]->type)) {
            call_fail(call, "input %d of graph %s must be %s, it is %s", i, graph->name,
                      tensor_type_text(call->arena, &stated->type),
                      tensor_type_text(call->arena, &inputs[i]->type));
        }
        import->values[graph->inputs[i]] = arena_copy(call->arena, inputs[i], sizeof *inputs[i]);
    }
    if (!call->failed)
        forward_nodes(import, graph->first_node, graph->end_node, call->node->depth + 1);
    for (int i = 0; i < graph->output_count && !diagnostics_failed(import->diagnostics); i++) {
        Value *value = import->values[import->same[graph->outputs[i].integer]];
        if (value) results[i] = value_mlir(&import->builder, call->arena, value);
        if (!value) call_fail(call, "a result of graph %s is missing", graph->name);
    }
    import->builder = outer;
    call->failed |= diagnostics_failed(import->diagnostics);
    return !call->failed;
}

static void end_block(Call *call, MlirBlock block, const char *name, int count,
                      const MlirValue *operands) {
    Builder builder = builder_at_end(block, call->builder->location);
    builder.context = call->builder->context;
    OpParts parts = {.name = name, .operand_count = count, .operands = operands};
    build_op(&builder, &parts);
}

/* The only element of a tensor of bools, where `builder` is. */
static MlirValue decision(Call *call, Builder *builder, MlirValue tensor) {
    int rank;
    int64_t shape[MAX_RANK];
    static_shape(mlirValueGetType(tensor), &rank, shape);
    MlirValue indices[MAX_RANK];
    for (int i = 0; i < rank; i++)
        indices[i] = build_integer(builder, mlirIndexTypeGet(call->builder->context), 0);
    return build_element(builder, tensor, rank, indices);
}

static bool is_decision(Call *call, const TensorType *type) {
    if (type->dtype == DTYPE_BOOL && tensor_type_elements(type) == 1) return true;
    return call_fail(call, "what decides must be one bool, it is %s",
                     tensor_type_text(call->arena, type));
}

/* Whether what a graph gives has the types of the values that get it. */
static bool results_fit(Call *call, const Graph *graph, int count, const TensorType *const *types) {
    if (graph->output_count != count) {
        return call_fail(call, "graph %s gives %d tensors, %d are wanted", graph->name,
                         graph->output_count, count);
    }
    for (int i = 0; i < count; i++) {
        int64_t index = graph->outputs[i].integer;
        const TensorType *type = &call->import->program.values.items[index].type;
        if (tensor_type_equal(type, types[i])) continue;
        return call_fail(call, "result %d of graph %s is %s, %s is wanted", i, graph->name,
                         tensor_type_text(call->arena, type),
                         tensor_type_text(call->arena, types[i]));
    }
    return true;
}

/* What a graph gets from outside and need not be a constant: made before the operation. */
static void make_values(Call *call, int count, Value **values) {
    for (int i = 0; i < count; i++)
        if (!values[i]->stored) call_mlir(call, values[i]);
}

/* Takes over the regions; gives the operation's results to the node. */
static bool give_all(Call *call, OpParts *parts, const TensorType *const *types) {
    MlirType *results = arena_array(call->arena, (size_t)parts->result_count + 1, sizeof *results);
    for (int i = 0; i < parts->result_count; i++)
        results[i] = call_type(call, types[i]->dtype, types[i]->rank, types[i]->shape);
    parts->results = results;
    MlirOperation op = build_op(call->builder, parts);
    for (int i = 0; i < parts->result_count; i++) {
        MlirValue value = mlirOperationGetResult(op, i);
        if (!call_result(
                call, i,
                value_new(call->arena, types[i]->dtype, types[i]->rank, types[i]->shape, value)))
            return false;
    }
    return true;
}

/* --- cond --------------------------------------------------------------------------------------
 */

static bool emit_cond(Call *call) {
    int count;
    Value *pred = call_tensor(call, "pred");
    const Graph *graphs[] = {call_graph(call, "true_graph"), call_graph(call, "false_graph")};
    Value **operands = call_tensors(call, "operands", &count);
    int results = call->node->output_count;
    const TensorType **types = arena_array(call->arena, (size_t)results + 1, sizeof *types);
    MlirValue *values = arena_array(call->arena, (size_t)results + 1, sizeof *values);
    for (int i = 0; i < results; i++) {
        if (call->node->outputs[i] < 0) return call_fail(call, "result %d is no tensor", i);
        types[i] = &call->import->program.values.items[call->node->outputs[i]].type;
    }
    if (!is_decision(call, &pred->type) || !results_fit(call, graphs[0], results, types) ||
        !results_fit(call, graphs[1], results, types))
        return false;
    MlirValue condition = decision(call, call->builder, call_mlir(call, pred));
    make_values(call, count, operands);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    bool done = true;
    for (int i = 0; i < 2; i++) {
        MlirBlock block = mlirBlockCreate(0, NULL, NULL);
        mlirRegionAppendOwnedBlock(regions[i], block);
        done = done && run_graph(call, graphs[i], block, count, operands, values);
        if (done) end_block(call, block, "scf.yield", results, values);
    }
    OpParts parts = {.name = "scf.if",
                     .operand_count = 1,
                     .operands = &condition,
                     .result_count = results,
                     .region_count = 2,
                     .regions = regions};
    if (done) return give_all(call, &parts, types);
    mlirRegionDestroy(regions[0]);
    mlirRegionDestroy(regions[1]);
    return false;
}

/* --- while_loop --------------------------------------------------------------------------------
 */

/* A block with an argument for each of the first `carried` values, which these become inside. */
static MlirBlock carrying_block(Call *call, int carried, int count, Value *const *values,
                                Value **inside) {
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    for (int i = 0; i < count; i++) {
        const TensorType *type = &values[i]->type;
        inside[i] = values[i];
        if (i >= carried) continue;
        MlirValue argument = mlirBlockAddArgument(
            block, call_type(call, type->dtype, type->rank, type->shape), call->builder->location);
        inside[i] = value_new(call->arena, type->dtype, type->rank, type->shape, argument);
    }
    return block;
}

/* `values` are those carried, then those that only are read. */
static bool build_while(Call *call, int carried, int count, Value **values,
                        const TensorType *const *types, MlirRegion *regions) {
    const Graph *test = call_graph(call, "cond_graph"), *body = call_graph(call, "body_graph");
    size_t room = (size_t)count + 1;
    Value **inside = arena_array(call->arena, room, sizeof *inside);
    MlirValue *results = arena_array(call->arena, room + 1, sizeof *results);
    MlirBlock before = carrying_block(call, carried, count, values, inside);
    mlirRegionAppendOwnedBlock(regions[0], before);
    if (!run_graph(call, test, before, count, inside, results)) return false;
    Builder end = builder_at_end(before, call->builder->location);
    end.context = call->builder->context;
    results[0] = decision(call, &end, results[0]);
    for (int i = 0; i < carried; i++) results[i + 1] = inside[i]->mlir;
    end_block(call, before, "scf.condition", carried + 1, results);
    MlirBlock after = carrying_block(call, carried, count, values, inside);
    mlirRegionAppendOwnedBlock(regions[1], after);
    if (!results_fit(call, body, carried, types) ||
        !run_graph(call, body, after, count, inside, results))
        return false;
    end_block(call, after, "scf.yield", carried, results);
    return true;
}

static bool emit_while(Call *call) {
    int carried, more;
    Value **carries = call_tensors(call, "carried_inputs", &carried);
    Value **reads = call_tensors(call, "additional_inputs", &more);
    const Graph *test = call_graph(call, "cond_graph");
    size_t room = (size_t)carried + (size_t)more + 1;
    Value **values = arena_array(call->arena, room, sizeof *values);
    const TensorType **types = arena_array(call->arena, room, sizeof *types);
    MlirValue *inits = arena_array(call->arena, room, sizeof *inits);
    for (int i = 0; i < carried + more; i++) {
        values[i] = i < carried ? carries[i] : reads[i - carried];
        types[i] = &values[i]->type;
        if (i < carried) inits[i] = call_mlir(call, values[i]);
    }
    if (call->node->output_count != carried || test->output_count != 1)
        return call_fail(call, "its graphs do not fit what it carries");
    int64_t decides = test->outputs[0].integer;
    if (!is_decision(call, &call->import->program.values.items[decides].type)) return false;
    make_values(call, carried + more, values);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    OpParts parts = {.name = "scf.while",
                     .operand_count = carried,
                     .operands = inits,
                     .result_count = carried,
                     .region_count = 2,
                     .regions = regions};
    if (build_while(call, carried, carried + more, values, types, regions))
        return give_all(call, &parts, types);
    mlirRegionDestroy(regions[0]);
    mlirRegionDestroy(regions[1]);
    return false;
}

const Operation control_operations[] = {
    {"higher_order.cond",
     "(Tensor pred, Graph true_graph, Graph false_graph, Tensor[] operands) -> Tensor[]",
     .emit = emit_cond},
    {"higher_order.while_loop",
     "(Graph cond_graph, Graph body_graph, Tensor[] carried_inputs, Tensor[] additional_inputs) "
     "-> Tensor[]",
     .emit = emit_while},
    {.name = NULL},
};
