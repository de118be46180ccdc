/* Quantization of a tensor in integer form, in fixed point.
 *
 * With F bits behind the point, round(x / scale) + zero is (sum of M * integer + A) >> F: M is
 * the term's scale over the new one, and A holds zeros, offset, the new zero and the half that
 * rounds. F is chosen so that the sum is off by less than 2^-16 of a step. Halfway between two
 * steps is what is so within 2^-15 of a step, and goes to the even one. */
#include <math.h>
#include <string.h>
#include "import/quantized.h"

enum { EXACT_BITS = 16, HALFWAY_BITS = EXACT_BITS - 2, LARGEST_SUM = 61 };
enum { CMPI_EQ = 0, CMPI_SLE = 3, CMPI_SGT = 4 };

typedef struct FixedPoint {
    Call *call;
    const Quantized *from;
    double scale;
    int64_t zero, low, high; /* low and high: of the result without its zero */
    Dtype dtype;
    int fraction;                /* F */
    int64_t *factors[MAX_TERMS]; /* M of each channel */
    int64_t *addend;             /* A */
    int64_t least, most;         /* of the sum */
} FixedPoint;

/* The largest distance from zero at which a term still matters: farther ones are clamped. */
static double term_reach(const FixedPoint *f, const Term *term, int c) {
    double zero = (double)term->zeros[c];
    double reach = fmax(fabs((double)term->low - zero), fabs((double)term->high - zero));
    if (f->from->term_count > 1) return reach;
    double steps = fmax(fabs((double)f->low), fabs((double)f->high)) + 1;
    steps += fabs(f->from->offsets[c] / f->scale);
    return fmin(reach, steps * f->scale / term->scales[c]);
}

static bool choose_fraction(FixedPoint *f) {
    double reach = 0;
    for (int c = 0; c < f->from->channels; c++) {
        double sum = 1;
        for (int i = 0; i < f->from->term_count; i++) sum += term_reach(f, &f->from->terms[i], c);
        reach = fmax(reach, sum);
    }
    if (!(reach < 0x1p40)) return false;
    f->fraction = (int)ceil(log2(reach)) + EXACT_BITS - 1;
    return true;
}

/* round(number * 2^fraction); false if it is too large. */
static bool scaled(const FixedPoint *f, double number, int64_t *result, bool *exact) {
    double wide = ldexp(number, f->fraction);
    if (!(fabs(wide) < 0x1p52)) return false;
    *result = (int64_t)rint(wide);
    *exact = *exact && (double)*result == wide;
    return true;
}

static bool choose_factors(FixedPoint *f) {
    const Quantized *from = f->from;
    bool exact = true;
    int64_t all = 0; /* bits that are set in any of them */
    size_t channels = (size_t)from->channels;
    f->addend = arena_array(f->call->arena, channels, sizeof *f->addend);
    for (int i = 0; i < from->term_count; i++)
        f->factors[i] = arena_array(f->call->arena, channels, sizeof *f->factors[i]);
    for (int c = 0; c < from->channels; c++) {
        if (!scaled(f, from->offsets[c] / f->scale, &f->addend[c], &exact)) return false;
        all |= f->addend[c];
        for (int i = 0; i < from->term_count; i++) {
            const Term *term = &from->terms[i];
            double largest = fmax(fabs((double)term->low), fabs((double)term->high));
            largest = fmax(largest, fabs((double)term->zeros[c]));
            if (!scaled(f, term->scales[c] / f->scale, &f->factors[i][c], &exact)) return false;
            if (fabs((double)f->factors[i][c]) * largest > ldexp(1, LARGEST_SUM - 4)) return false;
            all |= f->factors[i][c];
            f->addend[c] -= f->factors[i][c] * term->zeros[c];
        }
    }
    /* Bits behind the point that are 0 in all of them. */
    while (exact && f->fraction > 0 && !(all & 1)) {
        for (int c = 0; c < from->channels; c++) {
            f->addend[c] /= 2;
            for (int i = 0; i < from->term_count; i++) f->factors[i][c] /= 2;
        }
        all >>= 1;
        f->fraction--;
    }
    return true;
}

/* The result's zero, the half that rounds, and what makes nearly halfway no less than halfway; then
 * the bounds of the sum. */
static bool finish_addend(FixedPoint *f) {
    f->least = INT64_MAX;
    f->most = INT64_MIN;
    if (f->fraction > LARGEST_SUM - 21) return false; /* zero has 20 bits at most */
    int64_t more = f->zero * ((int64_t)1 << f->fraction);
    if (f->fraction > 0) more += (int64_t)1 << (f->fraction - 1);
    if (f->fraction > HALFWAY_BITS) more += (int64_t)1 << (f->fraction - HALFWAY_BITS - 1);
    for (int c = 0; c < f->from->channels; c++) {
        f->addend[c] += more;
        int64_t least = f->addend[c], most = f->addend[c];
        for (int i = 0; i < f->from->term_count; i++) {
            int64_t a = f->factors[i][c] * f->from->terms[i].low;
            int64_t b = f->factors[i][c] * f->from->terms[i].high;
            least += a < b ? a : b;
            most += a > b ? a : b;
        }
        if (least < f->least) f->least = least;
        if (most > f->most) f->most = most;
    }
    return f->least > -((int64_t)1 << LARGEST_SUM) && f->most < (int64_t)1 << LARGEST_SUM;
}

/* --- the operation ---------------------------------------------------------------------------- */

/* Least width of a signed integer for all of these. */
static int width_for(int64_t least, int64_t most) {
    int width = 1;
    while (least < -((int64_t)1 << (width - 1)) || most > ((int64_t)1 << (width - 1)) - 1) width++;
    return width;
}

static MlirType integer_of(Builder *b, int width) {
    return mlirIntegerTypeGet(b->context, (unsigned)width);
}

/* The same number in another width. */
static MlirValue resized(Builder *b, MlirValue value, int width) {
    int from = (int)mlirIntegerTypeGetWidth(mlirValueGetType(value));
    if (from == width) return value;
    return build1(b, from > width ? "arith.trunci" : "arith.extsi", integer_of(b, width), value);
}

typedef struct ChannelInputs {
    int count;
    MlirValue inputs[MAX_GENERIC_OPERANDS];
    MlirAffineMap maps[MAX_GENERIC_OPERANDS];
} ChannelInputs;

/* A number of each channel: the index of the input that has it, or -1 if they are all the same. */
static int add_numbers(const FixedPoint *f, ChannelInputs *list, int rank, const int64_t *numbers) {
    int channels = f->from->channels;
    int64_t least = numbers[0], most = numbers[0], shape = channels;
    for (int c = 1; c < channels; c++) {
        if (numbers[c] < least) least = numbers[c];
        if (numbers[c] > most) most = numbers[c];
    }
    if (least == most) return -1;
    Dtype dtype = width_for(least, most) <= 32 ? DTYPE_INT32 : DTYPE_INT64;
    Scalar scalar = dtype_info(dtype)->scalar;
    void *bytes = arena_array(f->call->arena, (size_t)channels, scalar_bytes(scalar));
    for (int c = 0; c < channels; c++)
        bits_store(scalar, bytes, (size_t)c, (Bits)numbers[c] & bits_mask(scalar.width));
    Value *constant =
        value_constant(f->call->arena, stored_new(f->call->arena, dtype, 1, &shape, bytes));
    list->inputs[list->count] = call_mlir(f->call, constant);
    list->maps[list->count] = map_of_dims(f->call->builder, rank, 1, &f->from->axis);
    return list->count++;
}

/* Least and most of a channel's numbers decide how wide the operand of a multiplication is. */
static MlirValue number_in_body(Generic *generic, int input, const int64_t *numbers, int channels,
                                int width) {
    Builder *b = &generic->body;
    if (input < 0) return build_integer(b, integer_of(b, width), numbers[0]);
    int64_t least = numbers[0], most = numbers[0];
    for (int c = 1; c < channels; c++) {
        if (numbers[c] < least) least = numbers[c];
        if (numbers[c] > most) most = numbers[c];
    }
    MlirValue number = generic_input(generic, input);
    return resized(b, resized(b, number, width_for(least, most)), width);
}

/* An element as a signed integer, no wider than its range needs. */
static MlirValue element_in_body(Generic *generic, int input, const Term *term, int width) {
    Builder *b = &generic->body;
    MlirValue element = generic_input(generic, input);
    if (dtype_is_unsigned(term->integers->type.dtype))
        return build1(b, "arith.extui", integer_of(b, width), element);
    int needed = width_for(term->low, term->high);
    int own = (int)mlirIntegerTypeGetWidth(mlirValueGetType(element));
    return resized(b, needed < own ? resized(b, element, needed) : element, width);
}

/* Where the first bits behind the point are all 0, half a step was added to halfway: of the two
 * steps the even one is right, before zero was added. Gives the bit that is to be subtracted. */
static MlirValue ties_to_even(const FixedPoint *f, Builder *b, MlirValue sum, MlirValue rounded) {
    MlirType bit = integer_of(b, 1), wide = mlirValueGetType(sum);
    int bits = f->fraction < HALFWAY_BITS ? f->fraction : HALFWAY_BITS;
    if (bits < f->fraction)
        sum = build2(b, "arith.shrsi", wide, sum, build_integer(b, wide, f->fraction - bits));
    MlirValue behind = resized(b, sum, bits);
    MlirValue none = build_integer(b, integer_of(b, bits), 0);
    MlirValue tie = build_compare(b, "arith.cmpi", CMPI_EQ, behind, none);
    MlirValue odd = resized(b, rounded, 1);
    if (f->zero % 2 != 0) odd = build2(b, "arith.xori", bit, odd, build_integer(b, bit, 1));
    return build2(b, "arith.andi", bit, tie, odd);
}

/* The sum without its fraction, clamped, in the result's type. The comparisons are those of the
 * number before a tie went down, so that they take no time behind it: the low bound itself stays.
 */
static MlirValue finished(const FixedPoint *f, Builder *b, MlirValue sum, int width) {
    int64_t low = f->low + f->zero, high = f->high + f->zero;
    MlirType wide = integer_of(b, width);
    MlirType type = integer_of(b, dtype_info(f->dtype)->scalar.width);
    MlirValue rounded = sum;
    if (f->fraction > 0)
        rounded = build2(b, "arith.shrsi", wide, sum, build_integer(b, wide, f->fraction));
    MlirType whole = integer_of(b, width - f->fraction);
    rounded = resized(b, rounded, width - f->fraction);
    MlirValue result = resized(b, rounded, dtype_info(f->dtype)->scalar.width);
    if (f->fraction > 0) {
        MlirValue down = ties_to_even(f, b, sum, rounded);
        result = build2(b, "arith.subi", type, result, build1(b, "arith.extui", type, down));
    }
    if (f->least >> f->fraction <= low) {
        MlirValue is_low =
            build_compare(b, "arith.cmpi", CMPI_SLE, rounded, build_integer(b, whole, low));
        result = build_select(b, is_low, build_integer(b, type, low), result);
    }
    if (f->most >> f->fraction > high) {
        MlirValue is_high =
            build_compare(b, "arith.cmpi", CMPI_SGT, rounded, build_integer(b, whole, high));
        result = build_select(b, is_high, build_integer(b, type, high), result);
    }
    return result;
}

/* True if the integers are the result already. */
static bool is_identity(const FixedPoint *f) {
    const Term *term = &f->from->terms[0];
    if (f->from->term_count != 1 || f->fraction != 0 || term->integers->type.dtype != f->dtype)
        return false;
    for (int c = 0; c < f->from->channels; c++)
        if (f->factors[0][c] != 1 || f->addend[c] != 0) return false;
    return term->low >= f->low + f->zero && term->high <= f->high + f->zero;
}

static Value *build_fixed_point(const FixedPoint *f, const TensorType *type) {
    Call *call = f->call;
    ChannelInputs list = {0};
    int factor_inputs[MAX_TERMS], terms = f->from->term_count, channels = f->from->channels;
    for (int i = 0; i < terms; i++) {
        list.inputs[list.count] = call_mlir(call, f->from->terms[i].integers);
        list.maps[list.count++] = map_identity(call->builder, type->rank);
    }
    for (int i = 0; i < terms; i++)
        factor_inputs[i] = add_numbers(f, &list, type->rank, f->factors[i]);
    int addend_input = add_numbers(f, &list, type->rank, f->addend);
    MlirValue init = build_empty(call->builder, call_type(call, f->dtype, type->rank, type->shape));
    list.maps[list.count] = map_identity(call->builder, type->rank);
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)type->rank);
    Generic generic =
        generic_begin(call->builder, iterators, list.count, list.inputs, 1, &init, list.maps);
    Builder *b = &generic.body;
    /* One bit more than the bounds: sums in between may pass them. */
    int reach = width_for(f->least < -f->most ? f->least : -f->most,
                          f->most > -f->least ? f->most : -f->least);
    int width = reach + 2;
    int least = f->fraction + dtype_info(f->dtype)->scalar.width + 2;
    if (width < least) width = least;
    MlirType wide = integer_of(b, width);
    MlirValue sum = number_in_body(&generic, addend_input, f->addend, channels, width);
    for (int i = 0; i < terms; i++) {
        MlirValue term = element_in_body(&generic, i, &f->from->terms[i], width);
        bool one = factor_inputs[i] < 0 && f->factors[i][0] == 1;
        if (!one)
            term =
                build2(b, "arith.muli", wide, term,
                       number_in_body(&generic, factor_inputs[i], f->factors[i], channels, width));
        sum = build2(b, "arith.addi", wide, sum, term);
    }
    MlirValue result = finished(f, b, sum, width);
    return value_new(call->arena, f->dtype, type->rank, type->shape, generic_end(&generic, result));
}

/* A bound of the clamp in steps of the new scale; rounding keeps the order, so that it may come
 * after it. */
static int64_t bound_in_steps(double bound, double scale, int64_t otherwise, bool lower) {
    if (isinf(bound)) return otherwise;
    double steps = rint(bound / scale);
    if (lower) return steps > (double)otherwise ? (int64_t)fmin(steps, INT32_MAX) : otherwise;
    return steps < (double)otherwise ? (int64_t)fmax(steps, INT32_MIN) : otherwise;
}

Value *requantize(Call *call, const Value *value, double scale, int64_t zero, int64_t low,
                  int64_t high, Dtype dtype) {
    const Quantized *from = value->quantized;
    FixedPoint f = {.call = call, .from = from, .scale = scale, .zero = zero, .dtype = dtype};
    f.low = bound_in_steps(from->low, scale, low - zero, true);
    f.high = bound_in_steps(from->high, scale, high - zero, false);
    if (f.low > high - zero) f.low = high - zero;
    if (f.high < f.low) f.high = f.low;
    if (!choose_fraction(&f) || !choose_factors(&f) || !finish_addend(&f)) return NULL;
    if (is_identity(&f)) return from->terms[0].integers;
    return build_fixed_point(&f, &value->type);
}
