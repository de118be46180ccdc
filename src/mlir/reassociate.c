/* Pass "tepal-reassociate{parallel=N cycles=L}": sums with too few outputs are split into partial
 * sums.
 *
 * A sum in strict order adds one term every L cycles; work on other outputs fills the time between.
 * An operation whose outputs are fewer than N x L leaves adders idle: a product of a matrix and a
 * vector, a mean, the sum of a softmax. Its longest reduction loop, of R iterations, becomes R / K
 * of K partial sums each, where term i goes to sum i mod K, and the partial sums are added
 * pairwise:
 *
 *     out += a[i], i < R      becomes      p[k] += a[i K + k], i < R / K, k < K
 *                                          p'[k] = p[k] + p[k + K / 2], k < K / 2, and so on; out
 * += p[0]
 *
 * This changes roundings. It is done before the reference is taken, which so adds in the same
 * order. */
#include <stdlib.h>
#include <string.h>
#include "mlir/internal.h"
#include "mlir/linalg.h"

/* A linalg.generic on tensors that adds up terms. */
typedef struct Sum {
    MlirOperation op;
    int input_count, loop_count;
    MlirAffineMap maps[MAX_RANK]; /* of the inputs, then of the output */
    bool reductions[MAX_RANK];
    int64_t trips[MAX_RANK];
    MlirType element;
    int rank; /* of the output */
    int64_t shape[MAX_RANK];
} Sum;

/* --- reading --- */

static bool read_maps(Sum *sum) {
    MlirAttribute maps = op_attribute(sum->op, "indexing_maps");
    intptr_t count = mlirArrayAttrGetNumElements(maps);
    sum->input_count = linalg_input_count(sum->op);
    if (count != sum->input_count + 1 || count > MAX_RANK) return false;
    for (intptr_t i = 0; i < count; i++)
        sum->maps[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    sum->loop_count = (int)mlirAffineMapGetNumDims(sum->maps[0]);
    return sum->loop_count < MAX_RANK;
}

static void read_iterators(Sum *sum) {
    MlirAttribute iterators = op_attribute(sum->op, "iterator_types");
    MlirAttribute reduction = mlirAttributeParseGet(mlirOperationGetContext(sum->op),
                                                    ref("#linalg.iterator_type<reduction>"));
    for (int l = 0; l < sum->loop_count; l++)
        sum->reductions[l] = mlirAttributeEqual(mlirArrayAttrGetElement(iterators, l), reduction);
}

/* The trip count of a loop is the size of a dimension that it indexes alone. */
static bool read_trips(Sum *sum) {
    for (int i = 0; i <= sum->input_count; i++) {
        int rank;
        int64_t shape[MAX_RANK];
        if (!static_shape(mlirValueGetType(mlirOperationGetOperand(sum->op, i)), &rank, shape))
            return false;
        for (int d = 0; d < rank; d++) {
            MlirAffineExpr expr = mlirAffineMapGetResult(sum->maps[i], d);
            if (mlirAffineExprIsADim(expr))
                sum->trips[mlirAffineDimExprGetPosition(expr)] = shape[d];
        }
    }
    for (int l = 0; l < sum->loop_count; l++)
        if (sum->trips[l] < 1) return false;
    return true;
}

/* True if the body yields the sum of the old element, which it needs for nothing else, and a term.
 */
static bool adds_up(const Sum *sum) {
    MlirBlock body = op_body(sum->op);
    MlirValue old = mlirBlockGetArgument(body, sum->input_count);
    MlirOperation add = value_definition(mlirOperationGetOperand(mlirBlockGetTerminator(body), 0));
    if (mlirOperationIsNull(add) || !op_is(add, "arith.addf") || value_use_count(old) != 1)
        return false;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (op_is(op, "linalg.index") || mlirOperationGetNumRegions(op) > 0) return false;
    return mlirValueEqual(mlirOperationGetOperand(add, 0), old) ||
           mlirValueEqual(mlirOperationGetOperand(add, 1), old);
}

static bool read_sum(MlirOperation op, Sum *sum) {
    *sum = (Sum){.op = op};
    if (mlirOperationGetNumResults(op) != 1 || !read_maps(sum)) return false;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    sum->element = mlirShapedTypeGetElementType(type);
    if (!static_shape(type, &sum->rank, sum->shape) || sum->rank + 2 > MAX_RANK) return false;
    read_iterators(sum);
    return read_trips(sum) && adds_up(sum);
}

/* --- how many partial sums --- */

/* True if the loop indexes a dimension of an input alone. */
static bool indexes_alone(const Sum *sum, int loop) {
    for (int i = 0; i < sum->input_count; i++) {
        intptr_t rank = mlirAffineMapGetNumResults(sum->maps[i]);
        for (intptr_t d = 0; d < rank && rank < MAX_RANK; d++) {
            MlirAffineExpr expr = mlirAffineMapGetResult(sum->maps[i], d);
            if (mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == loop)
                return true;
        }
    }
    return false;
}

/* The reduction loop that splits into most partial sums, at most `wanted`; their number is a power
 * of two that divides the trip count. */
static int choose_loop(const Sum *sum, int64_t wanted, int64_t *partial_sums) {
    int chosen = -1;
    *partial_sums = 1;
    for (int l = 0; l < sum->loop_count; l++) {
        int64_t count = 1;
        bool possible = sum->reductions[l] && indexes_alone(sum, l);
        while (possible && count < wanted && sum->trips[l] % (2 * count) == 0) count *= 2;
        if (count <= *partial_sums) continue;
        *partial_sums = count;
        chosen = l;
    }
    return chosen;
}

static int64_t outputs_of(const Sum *sum) {
    int64_t outputs = 1;
    for (int l = 0; l < sum->loop_count; l++)
        if (!sum->reductions[l]) outputs *= sum->trips[l];
    return outputs;
}

/* --- building --- */

/* The tensor of `count` partial results per output. */
static MlirType partial_type(const Sum *sum, int64_t count) {
    int64_t shape[MAX_RANK] = {count};
    for (int d = 0; d < sum->rank; d++) shape[d + 1] = sum->shape[d];
    return tensor_of(sum->element, sum->rank + 1, shape);
}

/* (loops) -> (first, the output's map) */
static MlirAffineMap partial_map(MlirContext context, int loops, MlirAffineExpr first,
                                 int rest_count, const MlirAffineExpr *rest) {
    MlirAffineExpr results[MAX_RANK] = {first};
    for (int d = 0; d < rest_count; d++) results[d + 1] = rest[d];
    return mlirAffineMapGet(context, loops, 0, rest_count + 1, results);
}

/* A view of an input whose dimension `split` of R elements is two, of R / count and of count. */
static MlirValue build_split_view(Builder *builder, MlirValue input, int split, int64_t count) {
    MlirContext context = builder->context;
    MlirType i64 = mlirIntegerTypeGet(context, 64);
    MlirAttribute groups[MAX_RANK];
    int rank, next = 0;
    int64_t shape[MAX_RANK], wide[MAX_RANK];
    static_shape(mlirValueGetType(input), &rank, shape);
    for (int d = 0; d < rank; d++) {
        MlirAttribute places[2] = {mlirIntegerAttrGet(i64, next),
                                   mlirIntegerAttrGet(i64, next + 1)};
        groups[d] = mlirArrayAttrGet(context, d == split ? 2 : 1, places);
        wide[next++] = d == split ? shape[d] / count : shape[d];
        if (d == split) wide[next++] = count;
    }
    MlirNamedAttribute attributes[] = {
        named(context, "reassociation", mlirArrayAttrGet(context, rank, groups)),
        named(context, "static_output_shape", mlirDenseI64ArrayGet(context, next, wide))};
    MlirType type = tensor_of(mlirShapedTypeGetElementType(mlirValueGetType(input)), next, wide);
    OpParts parts = {.name = "tensor.expand_shape",
                     .operand_count = 1,
                     .operands = &input,
                     .result_count = 1,
                     .results = &type,
                     .attribute_count = 2,
                     .attributes = attributes};
    return mlirOperationGetResult(build_op(builder, &parts), 0);
}

/* What an input is read by after the loop's split: where the loop alone indexes a dimension, that
 * becomes two (linalg wants every loop to index some dimension alone), else loop x count + new loop
 * takes its place. */
static MlirValue split_input(Builder *builder, const Sum *sum, int input, int loop, int64_t count,
                             MlirAffineMap *map) {
    MlirContext context = builder->context;
    MlirAffineExpr dims[MAX_RANK], results[MAX_RANK];
    MlirAffineExpr fresh = mlirAffineDimExprGet(context, sum->loop_count);
    for (int l = 0; l < sum->loop_count; l++) dims[l] = mlirAffineDimExprGet(context, l);
    dims[loop] = mlirAffineAddExprGet(
        mlirAffineMulExprGet(dims[loop], mlirAffineConstantExprGet(context, count)), fresh);
    MlirAffineMap all = mlirAffineMapGet(context, sum->loop_count + 1, 0, sum->loop_count, dims);
    MlirValue value = mlirOperationGetOperand(sum->op, input);
    intptr_t rank = mlirAffineMapGetNumResults(sum->maps[input]), used = 0;
    int split = -1;
    for (intptr_t d = 0; d < rank; d++) {
        MlirAffineExpr expr = mlirAffineMapGetResult(sum->maps[input], d);
        bool alone = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == loop;
        if (alone && split < 0 && rank < MAX_RANK) {
            split = (int)d;
            results[used++] = expr;
            results[used++] = fresh;
        } else {
            results[used++] = mlirAffineExprCompose(expr, all);
        }
    }
    *map = mlirAffineMapGet(context, sum->loop_count + 1, 0, used, results);
    return split < 0 ? value : build_split_view(builder, value, split, count);
}

static MlirValue build_partial_sums(Builder *builder, const Sum *sum, int loop, int64_t count) {
    MlirContext context = builder->context;
    int loops = sum->loop_count + 1;
    MlirAffineExpr outputs[MAX_RANK], fresh = mlirAffineDimExprGet(context, loops - 1);
    MlirAffineMap maps[MAX_RANK];
    MlirValue operands[MAX_RANK];
    for (int i = 0; i < sum->input_count; i++)
        operands[i] = split_input(builder, sum, i, loop, count, &maps[i]);
    for (int d = 0; d < sum->rank; d++)
        outputs[d] = mlirAffineMapGetResult(sum->maps[sum->input_count], d);
    maps[sum->input_count] = partial_map(context, loops, fresh, sum->rank, outputs);
    /* x + -0 is x, for -0 too. */
    MlirValue empty = build_tensor_empty(builder, partial_type(sum, count));
    operands[sum->input_count] =
        build_linalg_fill(builder, build_float(builder, sum->element, -0.0), empty);
    bool reductions[MAX_RANK] = {false};
    for (int l = 0; l < sum->loop_count; l++) reductions[l] = sum->reductions[l];
    MlirBlock body, old = op_body(sum->op);
    MlirOperation made = build_generic(
        builder, &(GenericParts){sum->input_count, 1, operands, maps, loops, reductions}, &body);
    Builder inside = builder_at_end(body, builder->location);
    ValueMap map = {.arena = arena_new()};
    for (int i = 0; i <= sum->input_count; i++)
        map_value(&map, mlirBlockGetArgument(old, i), mlirBlockGetArgument(body, i));
    build_copy_of_block(&inside, old, &map);
    MlirValue total = mapped(&map, mlirOperationGetOperand(mlirBlockGetTerminator(old), 0));
    build_linalg_yield(body, builder->location, 1, &total);
    arena_free(map.arena);
    return mlirOperationGetResult(made, 0);
}

/* left[map] + right[map] for each element of `target`. */
static MlirValue build_addition(Builder *builder, const Sum *sum, int loops,
                                const MlirValue *operands, const MlirAffineMap *maps) {
    MlirBlock body;
    MlirOperation op =
        build_generic(builder, &(GenericParts){2, 1, operands, maps, loops, NULL}, &body);
    Builder inside = builder_at_end(body, builder->location);
    MlirValue added = build2(&inside, "arith.addf", sum->element, mlirBlockGetArgument(body, 0),
                             mlirBlockGetArgument(body, 1));
    build_linalg_yield(body, builder->location, 1, &added);
    return mlirOperationGetResult(op, 0);
}

/* The upper half added to the lower one: both are rows of a view. */
static MlirValue build_halving(Builder *builder, const Sum *sum, MlirValue partial, int64_t half) {
    MlirContext context = builder->context;
    int loops = sum->rank + 1;
    MlirAffineExpr dims[MAX_RANK];
    for (int d = 0; d < loops; d++) dims[d] = mlirAffineDimExprGet(context, d);
    MlirValue rows = build_split_view(builder, partial, 0, half);
    MlirValue target = build_tensor_empty(builder, partial_type(sum, half));
    MlirAffineMap lower =
        partial_map(context, loops, mlirAffineConstantExprGet(context, 0), loops, dims);
    MlirAffineMap upper =
        partial_map(context, loops, mlirAffineConstantExprGet(context, 1), loops, dims);
    return build_addition(
        builder, sum, loops, (MlirValue[]){rows, rows, target},
        (MlirAffineMap[]){lower, upper, mlirAffineMapMultiDimIdentityGet(context, loops)});
}

/* The only partial sum that is left, added to the initial value. */
static MlirValue build_total(Builder *builder, const Sum *sum, MlirValue partial) {
    MlirContext context = builder->context;
    MlirAffineExpr rest[MAX_RANK];
    for (int d = 0; d < sum->rank; d++) rest[d] = mlirAffineDimExprGet(context, d);
    MlirAffineMap here = mlirAffineMapMultiDimIdentityGet(context, sum->rank);
    MlirAffineMap there =
        partial_map(context, sum->rank, mlirAffineConstantExprGet(context, 0), sum->rank, rest);
    MlirValue initial = mlirOperationGetOperand(sum->op, sum->input_count);
    MlirValue target = build_tensor_empty(builder, tensor_of(sum->element, sum->rank, sum->shape));
    return build_addition(builder, sum, sum->rank, (MlirValue[]){initial, partial, target},
                          (MlirAffineMap[]){here, there, here});
}

static void split_sum(const Sum *sum, int loop, int64_t count) {
    Builder builder = builder_before(sum->op);
    MlirValue partial = build_partial_sums(&builder, sum, loop, count);
    for (; count > 1; count /= 2) partial = build_halving(&builder, sum, partial, count / 2);
    MlirValue total = build_total(&builder, sum, partial);
    op_replace(sum->op, 1, &total);
}

static int64_t option(const char *options, const char *key) {
    const char *found = strstr(options, key);
    int64_t value = found ? strtoll(found + strlen(key), NULL, 10) : 1;
    return value < 1 ? 1 : value;
}

bool pass_reassociate(Session *session, MlirModule module, const char *options) {
    int64_t needed = option(options, "parallel=") * option(options, "cycles=");
    OpList list = ops_named(session->arena, mlirModuleGetOperation(module), "linalg.generic");
    for (int i = 0; i < list.count; i++) {
        Sum sum;
        int64_t count;
        if (!read_sum(list.items[i], &sum)) continue;
        int64_t outputs = outputs_of(&sum);
        int loop = choose_loop(&sum, (needed + outputs - 1) / outputs, &count);
        if (loop >= 0) split_sum(&sum, loop, count);
    }
    return true;
}
