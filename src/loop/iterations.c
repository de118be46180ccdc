/* Which iteration of one nest accesses the element that an iteration of another one does.
 *
 * The loops of an injective address are digits of a mixed radix: sorted by coefficient, each one is
 * larger than all that the smaller ones reach together. An affine value is taken apart into those
 * digits, coefficient by coefficient; where every digit stays in its loop's range the result is the
 * only solution. */
#include <stdlib.h>

#include "loop/fusion.h"

/* An own loop with a coefficient. */
typedef struct Digit {
    int loop;
    int64_t weight, trip;
} Digit;

static int compare_digits(const void *left, const void *right) {
    const Digit *a = left, *b = right;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

/* The own loops of the form, the largest weight first; -1 if a weight is negative or two digits
 * overlap. */
static int digits_of(const Nest *nest, const Affine *form, Digit *digits) {
    int count = 0;
    for (int i = nest->outer; i < nest->loop_count; i++) {
        if (form->coefficients[i] < 0) return -1;
        if (form->coefficients[i] > 0)
            digits[count++] = (Digit){i, form->coefficients[i], nest->loops[i].trip};
    }
    qsort(digits, (size_t)count, sizeof *digits, compare_digits);
    int64_t reach = 0;
    for (int i = count - 1; i >= 0; i--) {
        if (digits[i].weight <= reach) return -1;
        reach += digits[i].weight * (digits[i].trip - 1);
    }
    return count;
}

bool form_is_injective(const Nest *nest, const Affine *form) {
    Digit digits[64];
    return nest->loop_count <= 64 && digits_of(nest, form, digits) >= 0;
}

int64_t form_iterations(const Nest *nest, const Affine *form) {
    int64_t count = 1;
    for (int i = nest->outer; i < nest->loop_count; i++)
        if (form->coefficients[i] != 0) count *= nest->loops[i].trip;
    return count;
}

int64_t form_repetitions(const Nest *nest, const Affine *form) {
    return nest_trip_count(nest) / form_iterations(nest, form);
}

/* Moves what a digit has below 0 or above its range to the next larger one: only constants move. */
static void carry(const Nest *in, const Digit *digits, int count, Affine *solution) {
    for (int i = count - 1; i > 0; i--) {
        Affine *digit = &solution[digits[i].loop], *larger = &solution[digits[i - 1].loop];
        if (digits[i - 1].weight % digits[i].weight != 0) continue;
        int64_t ratio = digits[i - 1].weight / digits[i].weight, moved = 0;
        Range range = affine_range(in, digit);
        if (range.low < 0) moved = floor_divide(range.low, ratio);
        if (range.high >= digits[i].trip)
            moved = -floor_divide(digits[i].trip - 1 - range.high, ratio);
        digit->constant -= moved * ratio;
        larger->constant += moved;
    }
}

static bool in_range(const Nest *in, const Digit *digits, int count, const Affine *solution) {
    for (int i = 0; i < count; i++) {
        Range range = affine_range(in, &solution[digits[i].loop]);
        if (range.low < 0 || range.high >= digits[i].trip) return false;
    }
    return true;
}

Affine *solve_iterations(Arena *arena, const Nest *of, const Affine *address, const Nest *in,
                         const Affine *value) {
    Digit digits[64];
    if (of->outer != in->outer || of->loop_count > 64) return NULL;
    int count = digits_of(of, address, digits), loops = in->loop_count;
    if (count != of->loop_count - of->outer)
        return NULL; /* a loop that the address does not show */
    Affine *solution = arena_array(arena, (size_t)of->loop_count + 1, sizeof *solution);
    Affine rest = affine_copy(arena, value, loops);
    rest.constant -= address->constant;
    for (int i = 0; i < of->outer; i++) {
        solution[i] = affine_new(arena, loops, 0);
        solution[i].coefficients[i] = 1;
        rest.coefficients[i] -= address->coefficients[i];
    }
    for (int i = 0; i < count; i++) {
        Affine digit = affine_new(arena, loops, rest.constant / digits[i].weight);
        rest.constant %= digits[i].weight;
        for (int k = 0; k < loops; k++) {
            digit.coefficients[k] = rest.coefficients[k] / digits[i].weight;
            rest.coefficients[k] %= digits[i].weight;
        }
        solution[digits[i].loop] = digit;
    }
    if (rest.constant != 0 || !affine_is_constant(&rest, loops)) return NULL;
    if (!in_range(in, digits, count, solution)) carry(in, digits, count, solution);
    return in_range(in, digits, count, solution) ? solution : NULL;
}
