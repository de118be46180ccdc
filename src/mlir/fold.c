/* Pass "tepal-views": loads and stores through views become loads and stores of the memory itself.
 *
 * All sizes are static, so a view's element lies at a linear position that is known up to the
 * indices (views.h). That position is spread over the dimensions of the memory. Where a view merges
 * dimensions (a flattened feature map), a local memory or a constant changes its shape to the
 * merged one, as its shape is nobody's business: then every access stays linear in the loop
 * counters. Only inputs and outputs keep their shape; loops over their merged dimensions were split
 * before ("tepal-split"), and what is left is indexed by division. */
#include "mlir/internal.h"
#include "mlir/views.h"

/* --- new indices --- */

static MlirAffineExpr constant_expr(MlirContext context, int64_t value) {
    return mlirAffineConstantExprGet(context, value);
}

static MlirAffineExpr add_scaled(MlirAffineExpr sum, MlirAffineExpr expr, int64_t factor) {
    if (factor == 0) return sum;
    MlirAffineExpr scaled =
        mlirAffineMulExprGet(expr, constant_expr(mlirAffineExprGetContext(expr), factor));
    return mlirAffineAddExprGet(sum, scaled);
}

/* The indices of an affine access as expressions of common dims, and the dynamic terms. */
typedef struct Indices {
    Operands operands;
    MlirAffineExpr exprs[MAX_RANK], terms[8];
} Indices;

static bool read_indices(Session *session, const Access *access, Indices *indices) {
    MlirOperation op = access->op;
    *indices = (Indices){.operands = {session->arena, session->context, op, {0}}};
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, "map"));
    int first = access->memory_operand + 1;
    int count = (int)mlirOperationGetNumOperands(op) - first;
    int dims = (int)mlirAffineMapGetNumDims(map);
    MlirAffineExpr *parts = arena_array(session->arena, (size_t)count + 1, sizeof *parts);
    for (int i = 0; i < count; i++)
        parts[i] = operand_dim(&indices->operands, mlirOperationGetOperand(op, first + i));
    for (int k = 0; k < access->view.rank; k++)
        indices->exprs[k] = expr_replace(mlirAffineMapGetResult(map, k), parts, parts + dims);
    for (int k = 0; k < access->view.terms.count; k++)
        if (!expr_of_value(&indices->operands, access->view.terms.items[k].value,
                           &indices->terms[k]))
            return false;
    return true;
}

/* One dimension of the memory from the view's indices. */
static MlirAffineExpr apply_position(const Position *position, int d, const View *view,
                                     const MlirAffineExpr *indices, const MlirAffineExpr *terms,
                                     MlirContext context) {
    MlirAffineExpr sum = constant_expr(context, position->constants[d]);
    for (int k = 0; k < view->rank; k++) sum = add_scaled(sum, indices[k], position->factors[d][k]);
    for (int k = 0; k < view->terms.count; k++)
        sum = add_scaled(sum, terms[k], position->term_factors[d][k]);
    return sum;
}

/* The view as if each loop counter were a dimension of it: where loops were split, this stays in
 * range although the view's own dimension does not. */
static bool view_of_counters(Session *session, const Access *access, const Indices *indices,
                             View *counters) {
    int count = indices->operands.values.count;
    if (count > MAX_RANK || access->view.terms.count) return false;
    *counters = access->view;
    counters->rank = count;
    for (int i = 0; i < count; i++) {
        Range range = range_of_value(indices->operands.values.items[i]);
        if (!range.known || range.low != 0) return false;
        counters->shape[i] = range.high + 1;
        counters->strides[i] = 0;
    }
    for (int k = 0; k < access->view.rank; k++) {
        Linear linear;
        if (!linear_of_expr(session->arena, indices->exprs[k], count, 0, &linear)) return false;
        counters->offset += access->view.strides[k] * linear.constant;
        for (int i = 0; i < count; i++)
            counters->strides[i] += access->view.strides[k] * linear.coefficients[i];
    }
    return true;
}

/* The last resort: the linear position, divided. */
static void divide(Session *session, const Access *access, const Indices *indices, int rank,
                   const int64_t *shape, MlirAffineExpr *results) {
    MlirContext context = session->context;
    const View *view = &access->view;
    MlirAffineExpr position = constant_expr(context, view->offset);
    for (int k = 0; k < view->rank; k++)
        position = add_scaled(position, indices->exprs[k], view->strides[k]);
    for (int k = 0; k < view->terms.count; k++)
        position = add_scaled(position, indices->terms[k], view->terms.items[k].coefficient);
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        results[d] = mlirAffineFloorDivExprGet(position, constant_expr(context, stride));
        if (d > 0) results[d] = mlirAffineModExprGet(results[d], constant_expr(context, shape[d]));
        stride *= shape[d];
    }
}

static void index_exprs(Session *session, const Access *access, const Indices *indices, int rank,
                        const int64_t *shape, MlirAffineExpr *results) {
    Position position;
    View counters;
    int bad;
    MlirAffineExpr dims[MAX_RANK];
    if (position_of_view(&access->view, rank, shape, &position, &bad)) {
        for (int d = 0; d < rank; d++)
            results[d] = apply_position(&position, d, &access->view, indices->exprs, indices->terms,
                                        session->context);
    } else if (view_of_counters(session, access, indices, &counters) &&
               position_of_view(&counters, rank, shape, &position, &bad)) {
        for (int i = 0; i < counters.rank; i++) dims[i] = mlirAffineDimExprGet(session->context, i);
        for (int d = 0; d < rank; d++)
            results[d] = apply_position(&position, d, &counters, dims, NULL, session->context);
    } else {
        divide(session, access, indices, rank, shape, results);
    }
}

/* --- rewriting accesses --- */

static void replace_access(Builder *builder, const Access *access, MlirValue memory,
                           MlirAffineMap map, int count, const MlirValue *operands) {
    MlirOperation op = access->op;
    if (access->memory_operand == 1) {
        build_affine_store(builder, mlirOperationGetOperand(op, 0), memory, map, count, operands);
        op_erase(op);
        return;
    }
    MlirValue value = build_affine_load(builder, memory, map, count, operands);
    op_replace(op, 1, &value);
}

/* memref.load and store keep their kind: each new index is computed by affine.apply of the old
 * ones, or, where these cannot be dims of an affine map, by arithmetic. */
static MlirValue scaled_sum(Builder *builder, MlirValue sum, MlirValue value, int64_t factor) {
    MlirType index = index_type(builder->context);
    if (factor == 0) return sum;
    if (factor != 1)
        value = build2(builder, "arith.muli", index, value, build_integer(builder, index, factor));
    return sum.ptr ? build2(builder, "arith.addi", index, sum, value) : value;
}

static MlirValue linear_value(Builder *builder, const View *view, int64_t constant,
                              const int64_t *factors, const int64_t *term_factors,
                              const MlirValue *indices) {
    MlirValue sum = {NULL};
    for (int k = 0; k < view->rank; k++) sum = scaled_sum(builder, sum, indices[k], factors[k]);
    for (int k = 0; k < view->terms.count; k++)
        sum = scaled_sum(builder, sum, view->terms.items[k].value, term_factors[k]);
    if (constant == 0 && sum.ptr) return sum;
    MlirValue offset = build_integer(builder, index_type(builder->context), constant);
    return sum.ptr ? scaled_sum(builder, sum, offset, 1) : offset;
}

static MlirValue affine_apply(Builder *builder, MlirAffineMap map, int count,
                              const MlirValue *operands) {
    MlirNamedAttribute attribute = named(builder->context, "map", mlirAffineMapAttrGet(map));
    MlirType type = index_type(builder->context);
    MlirOperation op = build_op(builder, &(OpParts){.name = "affine.apply",
                                                    .operand_count = count,
                                                    .operands = operands,
                                                    .result_count = 1,
                                                    .results = &type,
                                                    .attribute_count = 1,
                                                    .attributes = &attribute});
    return mlirOperationGetResult(op, 0);
}

/* The indices of an access as values. */
static void index_values(Builder *builder, const Access *access, MlirValue *values) {
    MlirOperation op = access->op;
    MlirAttribute attribute = op_attribute(op, "map");
    int first = access->memory_operand + 1;
    int count = (int)mlirOperationGetNumOperands(op) - first;
    MlirValue operands[4 * MAX_RANK];
    for (int i = 0; i < count && i < 4 * MAX_RANK; i++)
        operands[i] = mlirOperationGetOperand(op, first + i);
    for (int k = 0; k < access->view.rank; k++) {
        if (mlirAttributeIsNull(attribute)) {
            values[k] = operands[k];
            continue;
        }
        intptr_t position = k;
        MlirAffineMap one =
            mlirAffineMapGetSubMap(mlirAffineMapAttrGetValue(attribute), 1, &position);
        values[k] = affine_apply(builder, one, count, operands);
    }
}

static void fold_computed(Session *session, const Access *access, MlirValue memory, int rank,
                          const int64_t *shape) {
    MlirOperation op = access->op;
    Builder builder = builder_before(op);
    const View *view = &access->view;
    Position position;
    MlirValue old[MAX_RANK], operands[MAX_RANK + 2];
    MlirType index = index_type(session->context);
    int bad, used = 0;
    index_values(&builder, access, old);
    if (access->memory_operand == 1) operands[used++] = mlirOperationGetOperand(op, 0);
    operands[used++] = memory;
    bool direct = position_of_view(view, rank, shape, &position, &bad);
    int64_t coefficients[8];
    for (int k = 0; k < view->terms.count; k++) coefficients[k] = view->terms.items[k].coefficient;
    int64_t stride = type_elements(mlirValueGetType(memory));
    for (int d = 0; d < rank; d++) {
        if (direct) {
            operands[used++] = linear_value(&builder, view, position.constants[d],
                                            position.factors[d], position.term_factors[d], old);
            continue;
        }
        stride /= shape[d];
        MlirValue linear =
            linear_value(&builder, view, view->offset, view->strides, coefficients, old);
        linear =
            build2(&builder, "arith.divui", index, linear, build_integer(&builder, index, stride));
        operands[used++] = build2(&builder, "arith.remui", index, linear,
                                  build_integer(&builder, index, shape[d]));
    }
    bool store = access->memory_operand == 1;
    MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(memory));
    MlirOperation new =
        build_op(&builder, &(OpParts){.name = store ? "memref.store" : "memref.load",
                                      .operand_count = used,
                                      .operands = operands,
                                      .result_count = store ? 0 : 1,
                                      .results = &type});
    if (store) {
        op_erase(op);
        return;
    }
    MlirValue value = mlirOperationGetResult(new, 0);
    op_replace(op, 1, &value);
}

static void fold_access(Session *session, const Access *access, MlirValue memory, int rank,
                        const int64_t *shape) {
    Indices indices;
    bool affine = op_in_dialect(access->op, "affine") && read_indices(session, access, &indices);
    if (!affine) {
        fold_computed(session, access, memory, rank, shape);
        return;
    }
    MlirAffineExpr results[MAX_RANK];
    index_exprs(session, access, &indices, rank, shape, results);
    MlirAffineMap map =
        mlirAffineMapGet(session->context, indices.operands.values.count, 0, rank, results);
    Builder builder = builder_before(access->op);
    replace_access(&builder, access, memory, map, indices.operands.values.count,
                   indices.operands.values.items);
}

/* --- memories --- */

static void merge(int *rank, int64_t *shape, int d) {
    shape[d - 1] *= shape[d];
    for (int i = d; i + 1 < *rank; i++) shape[i] = shape[i + 1];
    (*rank)--;
}

/* Merges dimensions until every access fits without division. */
static bool choose_shape(const AccessList *accesses, int *rank, int64_t *shape) {
    bool changed = false;
    for (int i = 0; i < accesses->count; i++) {
        Position position;
        int bad;
        if (position_of_view(&accesses->items[i].view, *rank, shape, &position, &bad)) continue;
        if (bad == 0) return changed; /* even a row would not do */
        merge(rank, shape, bad);
        changed = true;
        i = -1;
    }
    return changed;
}

static MlirOperation find_global(Session *session, MlirModule module, MlirOperation get_global) {
    MlirOperation none = {NULL};
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(op_attribute(get_global, "name"));
    OpList globals = ops_named(session->arena, mlirModuleGetOperation(module), "memref.global");
    for (int i = 0; i < globals.count; i++)
        if (mlirStringRefEqual(mlirStringAttrGetValue(op_attribute(globals.items[i], "sym_name")),
                               name))
            return globals.items[i];
    return none;
}

/* Gives a local memory or a constant another shape of as many elements. */
static bool reshape(Session *session, MlirModule module, MlirValue memory, int rank,
                    const int64_t *shape) {
    MlirOperation definition = value_definition(memory);
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
    MlirType type = memref_of(element, rank, shape);
    if (op_is(definition, "memref.get_global")) {
        MlirOperation global = find_global(session, module, definition);
        MlirAttribute value = op_attribute(global, "initial_value");
        if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseElements(value)) return false;
        op_set(global, "initial_value",
               mlirDenseElementsAttrReshapeGet(value, tensor_of(element, rank, shape)));
        op_set(global, "type", mlirTypeAttrGet(type));
    } else if (!op_is(definition, "memref.alloc")) {
        return false;
    }
    mlirValueSetType(memory, type);
    return true;
}

static bool fold_memory(Session *session, MlirModule module, MlirValue memory) {
    AccessList accesses = {0};
    OpList views = {0};
    if (!collect_accesses(session, memory, &accesses, &views)) return false;
    if (views.count == 0) return true;
    int rank;
    int64_t shape[MAX_RANK];
    static_shape(mlirValueGetType(memory), &rank, shape);
    bool changed = false;
    if (!mlirValueIsABlockArgument(memory) && choose_shape(&accesses, &rank, shape)) {
        changed = reshape(session, module, memory, rank, shape);
        if (!changed) static_shape(mlirValueGetType(memory), &rank, shape);
    }
    for (int i = 0; i < accesses.count; i++)
        if (changed || !mlirValueEqual(accesses.items[i].view.value, memory))
            fold_access(session, &accesses.items[i], memory, rank, shape);
    for (int i = views.count - 1; i >= 0; i--) op_erase(views.items[i]);
    return true;
}

static bool is_memory(MlirOperation op) {
    return op_is(op, "memref.alloc") || op_is(op, "memref.get_global");
}

bool pass_views(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    for (int f = 0; f < functions.count; f++) {
        MlirBlock body = op_body(functions.items[f]);
        if (mlirBlockIsNull(body)) continue;
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
            MlirValue argument = mlirBlockGetArgument(body, i);
            if (!is_memref(mlirValueGetType(argument))) continue;
            if (!fold_memory(session, module, argument)) return false;
        }
        OpList memories = ops_collect(session->arena, functions.items[f], is_memory);
        for (int i = 0; i < memories.count; i++)
            if (!fold_memory(session, module, mlirOperationGetResult(memories.items[i], 0)))
                return false;
    }
    return true;
}
