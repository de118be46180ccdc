/* Values in integer form: making them, computing them in floats, and products with weights. */
#include "import/quantized.h"

#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"

Value *value_quantized(Arena *arena, int rank, const int64_t *shape, const Quantized *quantized) {
    Value *value = arena_new_of(arena, Value);
    value->type = tensor_type(DTYPE_FLOAT32, rank, shape);
    value->quantized = arena_copy(arena, quantized, sizeof *quantized);
    return value;
}

const Term *quantized_activation(const Value *value) {
    const Quantized *quantized = value->quantized;
    if (!quantized || quantized->term_count != 1 || quantized->channels != 1) return NULL;
    const Term *term = &quantized->terms[0];
    bool narrow = dtype_info(term->integers->type.dtype)->size == 1;
    bool plain = quantized->offsets[0] == 0 && isinf(quantized->low) && isinf(quantized->high);
    /* Padding is the integer that stands for 0: there must be one. */
    bool has_zero = term->zeros[0] >= term->low && term->zeros[0] <= term->high;
    return narrow && plain && has_zero && !term->integers->stored ? term : NULL;
}

/* --- in floats ------------------------------------------------------------------------------ */

/* A number of each channel in the body of a generic: a constant, or an input read by the channel.
 */
typedef struct PerChannel {
    Dtype dtype;
    const double *numbers;
    int input; /* -1: all are the same */
} PerChannel;

typedef struct FloatPlan {
    Builder *builder;
    Arena *arena;
    const Quantized *quantized;
    int rank, input_count;
    MlirValue inputs[MAX_GENERIC_OPERANDS];
    MlirAffineMap maps[MAX_GENERIC_OPERANDS];
} FloatPlan;

static PerChannel per_channel(FloatPlan *plan, Dtype dtype, const double *numbers) {
    int channels = plan->quantized->channels;
    PerChannel result = {dtype, numbers, -1};
    bool same = true;
    for (int c = 1; c < channels; c++) same = same && numbers[c] == numbers[0];
    if (same) return result;
    Scalar scalar = dtype_info(dtype)->scalar;
    int64_t shape = channels;
    void *bytes = arena_array(plan->arena, (size_t)channels, scalar_bytes(scalar));
    for (int c = 0; c < channels; c++) {
        Bits bits = dtype_is_float(dtype) ? bits_from_double(scalar, numbers[c])
                                          : (Bits)(int64_t)numbers[c] & bits_mask(scalar.width);
        bits_store(scalar, bytes, (size_t)c, bits);
    }
    Value *constant = value_constant(plan->arena, stored_new(plan->arena, dtype, 1, &shape, bytes));
    result.input = plan->input_count++;
    plan->inputs[result.input] = value_mlir(plan->builder, plan->arena, constant);
    plan->maps[result.input] = map_of_dims(plan->builder, plan->rank, 1, &plan->quantized->axis);
    return result;
}

static MlirValue channel_number(Generic *generic, const PerChannel *numbers) {
    if (numbers->input >= 0) return generic_input(generic, numbers->input);
    Number number = dtype_is_float(numbers->dtype)
                        ? number_of_real(numbers->numbers[0])
                        : number_of_integer((int64_t)numbers->numbers[0]);
    return scalar_number(&generic->body, numbers->dtype, number);
}

static bool all_zero(const PerChannel *numbers) {
    return numbers->input < 0 && numbers->numbers[0] == 0;
}

typedef struct TermPlan {
    int input;
    Dtype from, wide; /* integer minus zero fits `wide` */
    PerChannel scale, zero;
} TermPlan;

static TermPlan plan_term(FloatPlan *plan, const Term *term) {
    int channels = plan->quantized->channels;
    TermPlan result = {
        .input = plan->input_count++, .from = term->integers->type.dtype, .wide = DTYPE_INT32};
    plan->inputs[result.input] = value_mlir(plan->builder, plan->arena, term->integers);
    plan->maps[result.input] = map_identity(plan->builder, plan->rank);
    double *zeros = arena_array(plan->arena, (size_t)channels, sizeof *zeros);
    for (int c = 0; c < channels; c++) {
        zeros[c] = (double)term->zeros[c];
        double low = (double)term->low - zeros[c], high = (double)term->high - zeros[c];
        if (low < INT32_MIN || high > INT32_MAX) result.wide = DTYPE_INT64;
    }
    result.zero = per_channel(plan, result.wide, zeros);
    result.scale = per_channel(plan, DTYPE_FLOAT32, term->scales);
    return result;
}

static MlirValue float_of_term(Generic *generic, const TermPlan *term) {
    Formula f = {&generic->body, DTYPE_FLOAT32};
    MlirValue integer =
        scalar_cast(&generic->body, generic_input(generic, term->input), term->from, term->wide);
    if (!all_zero(&term->zero))
        integer = minus((Formula){&generic->body, term->wide}, integer,
                        channel_number(generic, &term->zero));
    MlirValue real = scalar_cast(&generic->body, integer, term->wide, DTYPE_FLOAT32);
    return times(f, real, channel_number(generic, &term->scale));
}

MlirValue quantized_mlir(Builder *builder, Arena *arena, const Value *value) {
    const Quantized *quantized = value->quantized;
    FloatPlan plan = {
        .builder = builder, .arena = arena, .quantized = quantized, .rank = value->type.rank};
    TermPlan terms[MAX_TERMS];
    for (int i = 0; i < quantized->term_count; i++)
        terms[i] = plan_term(&plan, &quantized->terms[i]);
    PerChannel offset = per_channel(&plan, DTYPE_FLOAT32, quantized->offsets);
    MlirType type =
        tensor_of(scalar_type(builder, DTYPE_FLOAT32), value->type.rank, value->type.shape);
    MlirValue init = build_empty(builder, type);
    plan.maps[plan.input_count] = map_identity(builder, plan.rank);
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)plan.rank);
    Generic generic =
        generic_begin(builder, iterators, plan.input_count, plan.inputs, 1, &init, plan.maps);
    Formula f = {&generic.body, DTYPE_FLOAT32};
    MlirValue sum = float_of_term(&generic, &terms[0]);
    for (int i = 1; i < quantized->term_count; i++)
        sum = plus(f, sum, float_of_term(&generic, &terms[i]));
    if (!all_zero(&offset)) sum = plus(f, sum, channel_number(&generic, &offset));
    if (!isinf(quantized->low)) sum = highest(f, sum, real(f, quantized->low));
    if (!isinf(quantized->high)) sum = lowest(f, sum, real(f, quantized->high));
    return generic_end(&generic, sum);
}

/* --- products with constant weights ---------------------------------------------------------- */

/* The weight's integers with the zero of their channel taken off. NULL if 16 bits are too few. */
static Value *weight_without_zero(Call *call, const Quantized *quantized, int64_t inner) {
    const Term *term = &quantized->terms[0];
    const Stored *stored = term->integers->stored;
    const double *numbers = stored_doubles(call->arena, stored);
    int64_t elements = tensor_type_elements(&stored->type);
    Dtype dtype = DTYPE_INT8;
    int64_t *integers = arena_array(call->arena, (size_t)elements + 1, sizeof *integers);
    for (int64_t i = 0; i < elements; i++) {
        int64_t channel = i / inner % quantized->channels;
        integers[i] = (int64_t)numbers[i] - term->zeros[channel];
        if (integers[i] < INT16_MIN || integers[i] > INT16_MAX) return NULL;
        if (integers[i] < INT8_MIN || integers[i] > INT8_MAX) dtype = DTYPE_INT16;
    }
    Scalar scalar = dtype_info(dtype)->scalar;
    void *bytes = arena_array(call->arena, (size_t)elements + 1, scalar_bytes(scalar));
    for (int64_t i = 0; i < elements; i++)
        bits_store(scalar, bytes, (size_t)i, (Bits)integers[i] & bits_mask(scalar.width));
    return value_constant(
        call->arena, stored_new(call->arena, dtype, stored->type.rank, stored->type.shape, bytes));
}

/* Elements from one place along `axis` to the next. */
static int64_t inner_elements(const TensorType *type, int axis) {
    int64_t inner = 1;
    for (int i = axis + 1; i < type->rank; i++) inner *= type->shape[i];
    return inner;
}

static bool is_constant_weight(const Value *weight) {
    const Quantized *quantized = weight->quantized;
    if (!quantized || quantized->term_count != 1) return false;
    for (int c = 0; c < quantized->channels; c++)
        if (quantized->offsets[c] != 0) return false;
    return quantized->terms[0].integers->stored && isinf(quantized->low) &&
           isinf(quantized->high) &&
           dtype_info(quantized->terms[0].integers->type.dtype)->size == 1;
}

bool integer_product(Call *call, const Value *input, Value *weight, Value *bias, int axis,
                     IntegerProduct *product) {
    const Term *term = quantized_activation(input);
    if (!term || !is_constant_weight(weight)) return false;
    const Quantized *quantized = weight->quantized;
    if (quantized->channels > 1 && quantized->axis != axis) return false;
    int channels = (int)weight->type.shape[axis];
    if (bias && !(bias->stored && bias->type.rank == 1 && bias->type.shape[0] == channels))
        return false;
    int64_t inner = quantized->channels > 1 ? inner_elements(&weight->type, quantized->axis) : 1;
    *product = (IntegerProduct){.input = *term, .channels = channels};
    product->weight = weight_without_zero(call, quantized, inner);
    if (!product->weight) return false;
    product->scales = arena_array(call->arena, (size_t)channels, sizeof(double));
    product->offsets = bias ? stored_doubles(call->arena, bias->stored)
                            : arena_array(call->arena, (size_t)channels, sizeof(double));
    for (int c = 0; c < channels; c++)
        product->scales[c] =
            term->scales[0] * quantized->terms[0].scales[quantized->channels > 1 ? c : 0];
    return true;
}

/* Sums over the weights of each channel: of the weights, and the bounds of their products. */
static void weight_sums(Call *call, const IntegerProduct *product, int axis, int64_t *sums,
                        int64_t *low, int64_t *high) {
    const Stored *stored = product->weight->stored;
    const double *weights = stored_doubles(call->arena, stored);
    int64_t inner = inner_elements(&stored->type, axis);
    int64_t elements = tensor_type_elements(&stored->type);
    memset(sums, 0, (size_t)product->channels * sizeof *sums);
    *low = *high = 0;
    int64_t *lows = arena_array(call->arena, (size_t)product->channels, sizeof *lows);
    int64_t *highs = arena_array(call->arena, (size_t)product->channels, sizeof *highs);
    for (int64_t i = 0; i < elements; i++) {
        int64_t channel = i / inner % product->channels, weight = (int64_t)weights[i];
        int64_t a = weight * product->input.low, b = weight * product->input.high;
        sums[channel] += weight;
        lows[channel] += a < b ? a : b;
        highs[channel] += a > b ? a : b;
        /* The partial sums are bounds, too: each product may be of either sign. */
        if (lows[channel] < *low) *low = lows[channel];
        if (highs[channel] > *high) *high = highs[channel];
    }
}

bool integer_product_fits(Call *call, const IntegerProduct *product, int weight_axis) {
    int64_t low, high;
    int64_t *sums = arena_array(call->arena, (size_t)product->channels, sizeof *sums);
    weight_sums(call, product, weight_axis, sums, &low, &high);
    return low >= INT32_MIN && high <= INT32_MAX;
}

Value *integer_product_result(Call *call, const IntegerProduct *product, int weight_axis, int rank,
                              const int64_t *shape, int axis, MlirValue sums) {
    int64_t *zeros = arena_array(call->arena, (size_t)product->channels, sizeof *zeros);
    Term term = {.scales = product->scales, .zeros = zeros};
    weight_sums(call, product, weight_axis, zeros, &term.low, &term.high);
    for (int c = 0; c < product->channels; c++) zeros[c] *= product->input.zeros[0];
    term.integers = value_new(call->arena, DTYPE_INT32, rank, shape, sums);
    Quantized result = {.term_count = 1,
                        .terms = {term},
                        .axis = axis,
                        .channels = product->channels,
                        .offsets = product->offsets,
                        .low = -INFINITY,
                        .high = INFINITY};
    return value_quantized(call->arena, rank, shape, &result);
}
