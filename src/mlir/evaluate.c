/* Pass "tepal-evaluate": what depends on constants only is computed now.
 *
 * Scalar operations that upstream does not fold (a constant of f64 rounded to f32), transposes of
 * weights, and small elementwise work on them such as 1 / sqrt(variance + epsilon). No result is
 * made larger than what it comes from: a broadcast bias stays a small table. */
#include <string.h>
#include "mlir/affine.h"
#include "mlir/internal.h"
#include "mlir/linalg.h"
#include "mlir/scalar.h"

/* Operations of one body, times iterations, that are worth the time of the compilation. */
static const double work_limit = 4e6;

/* --- scalars --- */

enum { MAX_OPERANDS = 3 };

static bool constant_scalar(MlirValue value, ScalarValue *scalar) {
    MlirOperation op = value_definition(value);
    return op_is(op, "arith.constant") && scalar_of_attribute(op_attribute(op, "value"), scalar);
}

static bool is_scalar_op(MlirOperation op) {
    Scalar type;
    return (op_in_dialect(op, "arith") || op_in_dialect(op, "math")) &&
           !op_is(op, "arith.constant") && mlirOperationGetNumResults(op) == 1 &&
           mlirOperationGetNumOperands(op) <= MAX_OPERANDS &&
           scalar_of_type(mlirValueGetType(mlirOperationGetResult(op, 0)), &type);
}

static void fold_scalar(MlirOperation op) {
    int count = (int)mlirOperationGetNumOperands(op);
    ScalarValue operands[MAX_OPERANDS], result;
    for (int i = 0; i < count; i++)
        if (!constant_scalar(mlirOperationGetOperand(op, i), &operands[i])) return;
    ScalarOperation operation;
    if (!scalar_resolve(op, &operation) || !scalar_compute(&operation, operands, &result)) return;
    MlirType result_type = mlirValueGetType(mlirOperationGetResult(op, 0));
    Builder builder = builder_before(op);
    MlirValue value = build_constant(&builder, attribute_of_scalar(result_type, result));
    op_replace(op, 1, &value);
}

/* --- constant tensors --- */

/* The elements of a constant operand; or, with data NULL, of a result to be. */
typedef struct Elements {
    Scalar type;
    const void *data;
    bool is_splat;
    int rank;
    int64_t shape[MAX_RANK];
    int64_t count;
} Elements;

static bool describe(MlirType type, Elements *elements) {
    elements->data = NULL;
    elements->is_splat = false;
    elements->count = type_elements(type);
    return static_shape(type, &elements->rank, elements->shape) &&
           scalar_of_type(mlirShapedTypeGetElementType(type), &elements->type) &&
           elements->type.width % 8 == 0; /* MLIR packs others */
}

static bool constant_tensor(MlirValue value, Elements *elements) {
    MlirOperation op = value_definition(value);
    if (!op_is(op, "arith.constant") || !describe(mlirValueGetType(value), elements)) return false;
    MlirAttribute attribute = op_attribute(op, "value");
    if (!mlirAttributeIsADenseElements(attribute)) return false;
    elements->data = mlirDenseElementsAttrGetRawData(attribute);
    elements->is_splat = mlirDenseElementsAttrIsSplat(attribute);
    return true;
}

static void replace_by_constant(MlirOperation op, const Elements *result, const void *bytes) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    size_t size = (size_t)result->count * scalar_bytes(result->type);
    Builder builder = builder_before(op);
    MlirValue value =
        build_constant(&builder, mlirDenseElementsAttrRawBufferGet(type, size, bytes));
    op_replace(op, 1, &value);
}

/* Where element [d0, d1 ...] of the loops lies in an operand: offset + sum of strides x loop. */
typedef struct Walk {
    int64_t offset;
    int64_t strides[2 * MAX_RANK];
} Walk;

static bool walk_of_map(Arena *arena, MlirAffineMap map, const Elements *elements, Walk *walk) {
    int dims = (int)mlirAffineMapGetNumDims(map);
    int64_t stride = 1;
    memset(walk, 0, sizeof *walk);
    if (elements->is_splat) return true;
    for (int k = elements->rank - 1; k >= 0; k--) {
        Linear linear;
        if (!linear_of_expr(arena, mlirAffineMapGetResult(map, k), dims, 0, &linear)) return false;
        walk->offset += stride * linear.constant;
        for (int d = 0; d < dims; d++) walk->strides[d] += stride * linear.coefficients[d];
        stride *= elements->shape[k];
    }
    return true;
}

/* --- transposes --- */

static void copy_elements(char *target, const char *source, size_t size, int rank,
                          const int64_t *shape, const int64_t *strides) {
    int64_t index[MAX_RANK] = {0}, position = 0, count = 1;
    for (int i = 0; i < rank; i++) count *= shape[i];
    for (int64_t n = 0; n < count; n++) {
        memcpy(target, source + (size_t)position * size, size);
        target += size;
        for (int d = rank - 1; d >= 0; d--) {
            position += strides[d];
            if (++index[d] < shape[d]) break;
            position -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

static void fold_transpose(Arena *arena, MlirOperation op) {
    Elements source, result;
    if (!constant_tensor(mlirOperationGetOperand(op, 0), &source) || source.is_splat) return;
    if (!describe(mlirValueGetType(mlirOperationGetResult(op, 0)), &result)) return;
    MlirAttribute permutation = op_attribute(op, "permutation");
    int64_t own[MAX_RANK], strides[MAX_RANK], stride = 1;
    for (int i = source.rank - 1; i >= 0; i--) {
        own[i] = stride;
        stride *= source.shape[i];
    }
    for (int i = 0; i < result.rank; i++)
        strides[i] = own[mlirDenseI64ArrayGetElement(permutation, i)];
    size_t size = scalar_bytes(source.type);
    char *bytes = arena_array(arena, (size_t)result.count + 1, size);
    copy_elements(bytes, source.data, size, result.rank, result.shape, strides);
    replace_by_constant(op, &result, bytes);
}

/* --- linalg.generic --- */

/* One operation of the body. */
typedef struct Step {
    ScalarOperation operation;
    int count, operands[MAX_OPERANDS], result; /* slots */
} Step;

typedef struct Evaluation {
    Arena *arena;
    MlirOperation op;
    int inputs, loops;
    int64_t sizes[2 * MAX_RANK];
    Elements elements[16]; /* of the operands, the output last */
    Walk walks[16];
    ValueMap slots; /* body values -> themselves; the index is the slot */
    ScalarValue *values;
    Vector(Step) steps;
} Evaluation;

static int slot_of(const Evaluation *e, MlirValue value) {
    return map_position(&e->slots, value);
}

/* Gives each value of the body a slot; constants from outside get theirs filled. */
static bool prepare_body(Evaluation *e) {
    MlirBlock body = op_body(e->op);
    size_t uses = 1;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
        map_value(&e->slots, mlirBlockGetArgument(body, i), mlirBlockGetArgument(body, i));
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        uses += (size_t)mlirOperationGetNumOperands(op);
        if (op_is(op, "arith.constant") || op_is(op, "linalg.yield")) continue;
        if (!is_scalar_op(op)) return false;
        map_value(&e->slots, mlirOperationGetResult(op, 0), mlirOperationGetResult(op, 0));
    }
    e->values = arena_array(e->arena, (size_t)e->slots.from.count + uses, sizeof *e->values);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
            MlirValue value = mlirOperationGetOperand(op, i);
            if (slot_of(e, value) >= 0) continue;
            if (!constant_scalar(value, &e->values[e->slots.from.count])) return false;
            map_value(&e->slots, value, value);
        }
    return true;
}

/* The operations of the body, with the slots of their values. */
static bool prepare_steps(Evaluation *e) {
    for (MlirOperation op = mlirBlockGetFirstOperation(op_body(e->op)); !op_is(op, "linalg.yield");
         op = mlirOperationGetNextInBlock(op)) {
        if (op_is(op, "arith.constant")) continue;
        Step step = {.count = (int)mlirOperationGetNumOperands(op),
                     .result = slot_of(e, mlirOperationGetResult(op, 0))};
        if (!scalar_resolve(op, &step.operation)) return false;
        for (int i = 0; i < step.count; i++)
            step.operands[i] = slot_of(e, mlirOperationGetOperand(op, i));
        vector_push(e->arena, &e->steps, step);
    }
    return true;
}

static bool run_body(Evaluation *e) {
    for (int i = 0; i < e->steps.count; i++) {
        const Step *step = &e->steps.items[i];
        ScalarValue operands[MAX_OPERANDS];
        for (int k = 0; k < step->count; k++) operands[k] = e->values[step->operands[k]];
        if (!scalar_compute(&step->operation, operands, &e->values[step->result])) return false;
    }
    return true;
}

static int64_t place(const Evaluation *e, int operand, const int64_t *index) {
    int64_t place = e->walks[operand].offset;
    for (int d = 0; d < e->loops; d++) place += e->walks[operand].strides[d] * index[d];
    return place;
}

static bool run_loops(Evaluation *e, void *bytes) {
    MlirOperation yield = mlirBlockGetTerminator(op_body(e->op));
    int result = slot_of(e, mlirOperationGetOperand(yield, 0));
    Scalar type = e->elements[e->inputs].type;
    int64_t index[2 * MAX_RANK] = {0};
    for (int d = 0; d >= 0;) {
        for (int i = 0; i <= e->inputs; i++) {
            const void *data = i < e->inputs ? e->elements[i].data : bytes;
            e->values[i].type = e->elements[i].type;
            e->values[i].bits = bits_load(e->elements[i].type, data, (size_t)place(e, i, index));
        }
        if (!run_body(e)) return false;
        bits_store(type, bytes, (size_t)place(e, e->inputs, index), e->values[result].bits);
        for (d = e->loops - 1; d >= 0 && ++index[d] == e->sizes[d]; d--) index[d] = 0;
    }
    return true;
}

/* Sizes of the loops, from the dimensions that each indexes alone. */
static bool loop_sizes(Evaluation *e) {
    MlirAttribute maps = op_attribute(e->op, "indexing_maps");
    e->loops = (int)mlirArrayAttrGetNumElements(op_attribute(e->op, "iterator_types"));
    if (e->loops > 2 * MAX_RANK) return false;
    for (int i = 0; i <= e->inputs; i++) {
        MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
        if (!walk_of_map(e->arena, map, &e->elements[i], &e->walks[i])) return false;
        for (int k = 0; k < e->elements[i].rank; k++) {
            MlirAffineExpr expr = mlirAffineMapGetResult(map, k);
            if (mlirAffineExprIsADim(expr))
                e->sizes[mlirAffineDimExprGetPosition(expr)] = e->elements[i].shape[k];
        }
    }
    for (int d = 0; d < e->loops; d++)
        if (e->sizes[d] < 1) return false;
    return true;
}

/* The initial contents of the output: of no interest, or a constant. */
static bool initial_output(Evaluation *e, void *bytes) {
    Elements *output = &e->elements[e->inputs];
    if (linalg_ignores(e->op, e->inputs)) return true;
    MlirOperation init = value_definition(mlirOperationGetOperand(e->op, e->inputs));
    ScalarValue value;
    if (!op_is(init, "linalg.fill") || !constant_scalar(mlirOperationGetOperand(init, 0), &value))
        return false;
    for (int64_t i = 0; i < output->count; i++)
        bits_store(output->type, bytes, (size_t)i, value.bits);
    return true;
}

static void fold_generic(Arena *arena, MlirOperation op) {
    Evaluation e = {.arena = arena, .op = op, .inputs = linalg_input_count(op)};
    e.slots.arena = arena;
    if (e.inputs < 1 || e.inputs > 15 || mlirOperationGetNumResults(op) != 1) return;
    int64_t source_elements = 0;
    for (int i = 0; i < e.inputs; i++) {
        if (!constant_tensor(mlirOperationGetOperand(op, i), &e.elements[i])) return;
        if (!e.elements[i].is_splat) source_elements += e.elements[i].count;
    }
    Elements *output = &e.elements[e.inputs];
    if (!describe(mlirValueGetType(mlirOperationGetResult(op, 0)), output)) return;
    if (output->count > source_elements || !loop_sizes(&e) || !prepare_body(&e) ||
        !prepare_steps(&e))
        return;
    double work = e.steps.count + e.inputs + 1;
    for (int d = 0; d < e.loops; d++) work *= (double)e.sizes[d];
    if (work > work_limit) return;
    void *bytes = arena_array(arena, (size_t)output->count + 1, scalar_bytes(output->type));
    if (initial_output(&e, bytes) && run_loops(&e, bytes)) replace_by_constant(op, output, bytes);
}

/* --- the pass --- */

static bool is_candidate(MlirOperation op) {
    return op_is(op, "linalg.transpose") || op_is(op, "linalg.generic");
}

bool pass_evaluate(Session *session, MlirModule module, const char *options) {
    (void)options;
    Arena *arena = session->arena;
    OpList list = ops_collect(arena, mlirModuleGetOperation(module), is_scalar_op);
    for (int i = 0; i < list.count; i++) fold_scalar(list.items[i]);
    /* Users come after what they use, so that one round does. */
    list = ops_collect(arena, mlirModuleGetOperation(module), is_candidate);
    for (int i = 0; i < list.count; i++)
        if (op_is(list.items[i], "linalg.transpose"))
            fold_transpose(arena, list.items[i]);
        else
            fold_generic(arena, list.items[i]);
    return true;
}
