/* Integer forms of operations that are no products: moves, clamps and sums. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/quantized.h"

/* --- moves ------------------------------------------------------------------------------------ */

const Quantized *quantized_plain(const Value *value) {
    const Quantized *quantized = value ? value->quantized : NULL;
    if (!quantized || quantized->term_count != 1 || quantized->channels != 1) return NULL;
    bool plain = quantized->offsets[0] == 0 && isinf(quantized->low) && isinf(quantized->high);
    return plain ? quantized : NULL;
}

static bool same_scale(const Quantized *a, const Quantized *b) {
    const Term *x = &a->terms[0], *y = &b->terms[0];
    return x->scales[0] == y->scales[0] && x->zeros[0] == y->zeros[0] &&
           x->integers->type.dtype == y->integers->type.dtype;
}

/* The common form of all tensor arguments; NULL if they differ. */
static const Quantized *common_form(Call *call) {
    const Quantized *form = NULL;
    for (int i = 0; i < call->schema.count; i++) {
        const Parameter *parameter = &call->schema.parameters[i];
        const Argument *argument = &call->arguments[i];
        if (parameter->type != PARAMETER_TENSOR || argument->kind == ARGUMENT_NONE) continue;
        if (argument->kind != ARGUMENT_TENSOR && argument->kind != ARGUMENT_TENSORS) return NULL;
        int count = 1;
        Value **list = &call->tensors[i];
        if (parameter->is_list) list = call_tensors(call, parameter->name, &count);
        for (int k = 0; k < count; k++) {
            const Quantized *other = quantized_plain(list[k]);
            if (!other || (form && !same_scale(form, other))) return NULL;
            form = other;
        }
    }
    return form;
}

bool integers_move(Call *call) {
    const Quantized *form = common_form(call);
    if (!form) return false;
    call->as_integers = true;
    bool done = call->operation->emit(call);
    call->as_integers = false;
    if (!done) return false;
    Quantized result = *form;
    Term *term = &result.terms[0];
    const DtypeInfo *info = dtype_info(term->integers->type.dtype);
    if (info->size == 1) {
        term->low = info->is_unsigned ? 0 : INT8_MIN;
        term->high = info->is_unsigned ? UINT8_MAX : INT8_MAX;
    }
    for (int i = 0; i < call->node->output_count; i++) {
        Value *integers = call->results[i];
        if (!integers) continue;
        term->integers = integers;
        call->results[i] =
            value_quantized(call->arena, integers->type.rank, integers->type.shape, &result);
    }
    return true;
}

/* --- clamps ----------------------------------------------------------------------------------- */

/* The bounds by the operation's row: relu, relu6, or its arguments. */
typedef struct Bounds {
    const char *low, *high; /* names of arguments, NULL: the numbers */
    double least, most;
} Bounds;

static bool has_parameter(const Call *call, const char *name) {
    for (int i = 0; i < call->schema.count; i++)
        if (strcmp(call->schema.parameters[i].name, name) == 0) return true;
    return false;
}

static double bound_argument(Call *call, const char *name, double otherwise) {
    if (!has_parameter(call, name) || !call_has(call, name)) return otherwise;
    return call_number(call, name).real;
}

static Bounds read_bounds(Call *call) {
    const char *name = call->operation->name;
    if (strstr(name, "relu6")) return (Bounds){.least = 0, .most = 6};
    if (strstr(name, "relu")) return (Bounds){.least = 0, .most = INFINITY};
    Bounds bounds = {.low = has_parameter(call, "min_val") ? "min_val" : "min",
                     .high = has_parameter(call, "max_val") ? "max_val" : "max"};
    bounds.least = bound_argument(call, bounds.low, -INFINITY);
    bounds.most = bound_argument(call, bounds.high, INFINITY);
    return bounds;
}

bool integers_clamp(Call *call) {
    const Value *value = call_tensor(call, "self");
    if (!value->quantized) return false;
    Bounds bounds = read_bounds(call);
    if (isnan(bounds.least) || isnan(bounds.most)) return false;
    Quantized result = *value->quantized;
    result.low = fmin(fmax(result.low, bounds.least), bounds.most);
    result.high = fmin(fmax(result.high, bounds.least), bounds.most);
    return call_result(call, 0,
                       value_quantized(call->arena, value->type.rank, value->type.shape, &result));
}

/* --- sums ------------------------------------------------------------------------------------- */

/* A number of each channel of the sum, from one with as many channels or with one. */
static double *spread(Call *call, const double *numbers, int from, int channels, double factor) {
    double *result = arena_array(call->arena, (size_t)channels, sizeof *result);
    for (int c = 0; c < channels; c++) result[c] = factor * numbers[from == 1 ? 0 : c];
    return result;
}

static void add_terms(Call *call, Quantized *sum, const Quantized *part, double factor) {
    double *offsets = spread(call, part->offsets, part->channels, sum->channels, factor);
    double *together = arena_array(call->arena, (size_t)sum->channels, sizeof *together);
    for (int c = 0; c < sum->channels; c++)
        together[c] = offsets[c] + (sum->offsets ? sum->offsets[c] : 0);
    sum->offsets = together;
    for (int i = 0; i < part->term_count; i++) {
        Term *term = &sum->terms[sum->term_count++];
        *term = part->terms[i];
        term->scales = spread(call, term->scales, part->channels, sum->channels, factor);
        int64_t *zeros = arena_array(call->arena, (size_t)sum->channels, sizeof *zeros);
        for (int c = 0; c < sum->channels; c++)
            zeros[c] = part->terms[i].zeros[part->channels == 1 ? 0 : c];
        term->zeros = zeros;
    }
}

bool integers_add(Call *call) {
    const Value *left = call_tensor(call, "self"), *right = call_tensor(call, "other");
    const Quantized *a = left->quantized, *b = right->quantized;
    if (!a || !b || !tensor_type_equal(&left->type, &right->type)) return false;
    if (a->term_count + b->term_count > MAX_TERMS) return false;
    if (!isinf(a->low) || !isinf(a->high) || !isinf(b->low) || !isinf(b->high)) return false;
    bool clash = a->channels > 1 && b->channels > 1 && a->axis != b->axis;
    double alpha = call_number(call, "alpha").real;
    if (strstr(call->operation->name, "sub")) alpha = -alpha;
    if (clash || !(alpha > 0 || alpha < 0)) return false;
    const Quantized *wide = a->channels > 1 ? a : b;
    Quantized sum = {
        .axis = wide->axis, .channels = wide->channels, .low = -INFINITY, .high = INFINITY};
    add_terms(call, &sum, a, 1);
    add_terms(call, &sum, b, alpha);
    return call_result(call, 0,
                       value_quantized(call->arena, left->type.rank, left->type.shape, &sum));
}

Value *integers_average(Call *call, const Quantized *from, Value *sums, double count,
                        double divisor) {
    Quantized result = *from;
    Term *term = &result.terms[0];
    double *scale = arena_new_of(call->arena, double);
    int64_t *zero = arena_new_of(call->arena, int64_t);
    *scale = term->scales[0] / divisor;
    *zero = term->zeros[0] * (int64_t)count;
    term->low = (int64_t)((double)term->low * count);
    term->high = (int64_t)((double)term->high * count);
    term->integers = sums;
    term->scales = scale;
    term->zeros = zero;
    return value_quantized(call->arena, sums->type.rank, sums->type.shape, &result);
}

/* --- products of two tensors ------------------------------------------------------------------ */

static int64_t zero_of_tensor(Call *call, const char *name) {
    return call_tensor(call, name)->quantized->terms[0].zeros[0];
}

static MlirValue without_zero(Builder *body, Dtype dtype, MlirValue x, int64_t zero) {
    if (zero == 0) return x;
    return scalar_op(body, SCALAR_SUBTRACT, dtype, x,
                     scalar_number(body, dtype, number_of_integer(zero)));
}

static MlirValue multiply_integers(Call *call, Builder *body, Dtype dtype,
                                   const MlirValue *inputs) {
    MlirValue a = without_zero(body, dtype, inputs[0], zero_of_tensor(call, "self"));
    MlirValue b = without_zero(body, dtype, inputs[1], zero_of_tensor(call, "other"));
    return scalar_op(body, SCALAR_MULTIPLY, dtype, a, b);
}

bool integers_multiply(Call *call) {
    const Term *a = quantized_activation(call_tensor(call, "self"));
    const Term *b = quantized_activation(call_tensor(call, "other"));
    if (!a || !b) return false;
    Value *factors[] = {a->integers, b->integers};
    Value *product = element_wise(call, 2, factors, DTYPE_INT32, 0, multiply_integers);
    if (!product) return false;
    double *scale = arena_new_of(call->arena, double), *offset = arena_new_of(call->arena, double);
    int64_t *zero = arena_new_of(call->arena, int64_t);
    *scale = a->scales[0] * b->scales[0];
    int64_t most = 1;
    for (int i = 0; i < 2; i++) {
        const Term *term = i == 0 ? a : b;
        int64_t below = term->zeros[0] - term->low, above = term->high - term->zeros[0];
        most *= below > above ? below : above;
    }
    if (most > INT32_MAX) return false;
    Quantized result = {.term_count = 1,
                        .terms = {{product, -most, most, scale, zero}},
                        .channels = 1,
                        .offsets = offset,
                        .low = -INFINITY,
                        .high = INFINITY};
    return call_result(
        call, 0, value_quantized(call->arena, product->type.rank, product->type.shape, &result));
}
