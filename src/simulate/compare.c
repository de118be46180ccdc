/* Comparison of tensors; see compare.h for what counts as equal. */
#include "simulate/compare.h"

#include <math.h>

void default_tolerance(Scalar type, double *rtol, double *atol) {
    *rtol = *atol = 0;
    if (type.kind != SCALAR_FLOAT) return;
    int fraction = type.width - type.exponent - 1;
    *rtol = fraction >= 23 ? 1e-4 : ldexp(16, -fraction - 1);
    *atol = fraction >= 23 ? 1e-5 : ldexp(4, -fraction - 1);
}

/* Floats in the order of their values as integers; -0 and +0 are both 0. */
static int64_t ordered(Scalar type, Bits bits) {
    Bits sign = (Bits)1 << (type.width - 1);
    int64_t magnitude = (int64_t)(bits & (sign - 1));
    return bits & sign ? -magnitude : magnitude;
}

static double distance(int64_t a, int64_t b) {
    return fabs((double)a - (double)b);
}

static void note_error(Comparison *result, double error, double ulp) {
    if (!(error <= result->max_abs_error)) result->max_abs_error = error;
    if (!(ulp <= result->max_ulp)) result->max_ulp = ulp;
}

/* Each returns true if the elements are equal. */
static bool compare_floats(Scalar type, Bits a, Bits b, double rtol, double atol,
                           Comparison *result) {
    bool nan_a = bits_is_nan(type, a), nan_b = bits_is_nan(type, b);
    if (a == b || (nan_a && nan_b)) return true;
    double expected = bits_to_double(type, a), actual = bits_to_double(type, b);
    if (nan_a || nan_b || isinf(expected) || isinf(actual)) {
        note_error(result, INFINITY, INFINITY);
        return false;
    }
    double error = fabs(actual - expected);
    note_error(result, error, distance(ordered(type, a), ordered(type, b)));
    if (rtol == 0 && atol == 0) return false;
    return error <= atol + rtol * fabs(expected);
}

static bool compare_integers(const Tensor *tensor, Bits a, Bits b, double rtol, double atol,
                             Comparison *result) {
    if (a == b) return true;
    double expected = (double)a, actual = (double)b;
    if (!tensor->is_unsigned && tensor->type.width > 1) {
        expected = (double)bits_signed(tensor->type.width, a);
        actual = (double)bits_signed(tensor->type.width, b);
    }
    double error = fabs(actual - expected);
    note_error(result, error, error);
    return (rtol != 0 || atol != 0) && error <= atol + rtol * fabs(expected);
}

Comparison tensor_compare(const Tensor *expected, const Tensor *actual, double rtol, double atol) {
    Comparison result = {0};
    double default_rtol, default_atol;
    Scalar type = expected->type;
    default_tolerance(type, &default_rtol, &default_atol);
    if (rtol < 0) rtol = default_rtol;
    if (atol < 0) atol = default_atol;
    for (size_t i = 0; i < expected->elements; i++) {
        Bits a = bits_load(type, expected->data, i), b = bits_load(type, actual->data, i);
        bool equal = type.kind == SCALAR_FLOAT
                         ? compare_floats(type, a, b, rtol, atol, &result)
                         : compare_integers(expected, a, b, rtol, atol, &result);
        if (equal) continue;
        if (result.different++ == 0) result.first = i;
    }
    return result;
}

const char *tensor_position(Arena *arena, const Tensor *tensor, size_t index) {
    size_t position[MAX_RANK];
    for (int i = tensor->rank - 1; i >= 0; i--) {
        size_t size = tensor->shape[i] > 0 ? (size_t)tensor->shape[i] : 1;
        position[i] = index % size;
        index /= size;
    }
    Text text = text_new(arena);
    text_append(&text, "[");
    for (int i = 0; i < tensor->rank; i++) text_printf(&text, "%s%zu", i ? ", " : "", position[i]);
    text_append(&text, "]");
    return text_string(&text);
}

const char *tensor_element(Arena *arena, const Tensor *tensor, size_t index) {
    Scalar type = tensor->type;
    Bits bits = bits_load(type, tensor->data, index);
    if (type.kind == SCALAR_INTEGER && (tensor->is_unsigned || type.width == 1))
        return string_format(arena, "%llu", (unsigned long long)bits);
    if (type.kind == SCALAR_INTEGER)
        return string_format(arena, "%lld", (long long)bits_signed(type.width, bits));
    if (bits_is_nan(type, bits))
        return string_format(arena, "nan(0x%llx)", (unsigned long long)bits);
    double value = bits_to_double(type, bits);
    if (value == rint(value) && fabs(value) < 1e9) return string_format(arena, "%.0f", value);
    for (int digits = 1; digits < 17; digits++) {
        char *text = string_format(arena, "%.*g", digits, value);
        double back;
        if (sscanf(text, "%lf", &back) == 1 && bits_from_double(type, back) == bits) return text;
    }
    return string_format(arena, "%.17g", value);
}

static const char *shape_text(Arena *arena, const Tensor *tensor) {
    Text text = text_new(arena);
    for (int i = 0; i < tensor->rank; i++) text_printf(&text, "%lldx", (long long)tensor->shape[i]);
    text_append(&text, tensor->is_bool ? "bool" : scalar_name(tensor->type));
    return text_string(&text);
}

void comparison_table(Arena *arena, Text *text, int count, const Tensor *expected,
                      const Tensor *actual, const Comparison *comparisons) {
    text_printf(text, "%-24s %-20s %14s %12s %12s\n", "output", "type", "max abs error", "max ulp",
                "mismatches");
    for (int i = 0; i < count; i++) {
        const Comparison *c = &comparisons[i];
        text_printf(text, "%-24s %-20s %14.6g %12.6g %12zu\n", actual[i].name,
                    shape_text(arena, &actual[i]), c->max_abs_error, c->max_ulp, c->different);
    }
    for (int i = 0; i < count; i++) {
        const Comparison *c = &comparisons[i];
        if (c->different == 0) continue;
        text_printf(text, "%s%s: expected %s, got %s\n", actual[i].name,
                    tensor_position(arena, &actual[i], c->first),
                    tensor_element(arena, &expected[i], c->first),
                    tensor_element(arena, &actual[i], c->first));
    }
}
