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

/* The value, less what the address has without its loops, as digits; `rest` is what no digit takes.
 * NULL if the address is none of digits, or does not show a loop. */
static Affine *take_apart(Arena *arena, const Nest *of, const Affine *address, const Nest *in,
                          const Affine *value, Digit digits[64], int *count, Affine *rest) {
    if (of->outer != in->outer || of->loop_count > 64) return NULL;
    int loops = in->loop_count;
    *count = digits_of(of, address, digits);
    if (*count != of->loop_count - of->outer) return NULL;
    Affine *solution = arena_array(arena, (size_t)of->loop_count + 1, sizeof *solution);
    *rest = affine_copy(arena, value, loops);
    rest->constant -= address->constant;
    for (int i = 0; i < of->outer; i++) {
        solution[i] = affine_new(arena, loops, 0);
        solution[i].coefficients[i] = 1;
        rest->coefficients[i] -= address->coefficients[i];
    }
    for (int i = 0; i < *count; i++) {
        Affine digit = affine_new(arena, loops, rest->constant / digits[i].weight);
        rest->constant %= digits[i].weight;
        for (int k = 0; k < loops; k++) {
            digit.coefficients[k] = rest->coefficients[k] / digits[i].weight;
            rest->coefficients[k] %= digits[i].weight;
        }
        solution[digits[i].loop] = digit;
    }
    return solution;
}

Affine *solve_iterations(Arena *arena, const Nest *of, const Affine *address, const Nest *in,
                         const Affine *value) {
    Digit digits[64];
    Affine rest;
    int count;
    Affine *solution = take_apart(arena, of, address, in, value, digits, &count, &rest);
    if (!solution || rest.constant != 0 || !affine_is_constant(&rest, in->loop_count)) return NULL;
    if (!in_range(in, digits, count, solution)) carry(in, digits, count, solution);
    return in_range(in, digits, count, solution) ? solution : NULL;
}

/* form >= 0, or form == 0, where that is not always so. */
static void require(Arena *arena, const Nest *in, const Affine *form, bool equality,
                    Constraints *where) {
    Range range = affine_range(in, form);
    if (equality ? range.low == 0 && range.high == 0 : range.low >= 0) return;
    vector_push(arena, where, ((Constraint){*form, equality}));
}

static Range range_at(const Nest *in, const Affine *form, int loop, int64_t index) {
    Range range = affine_range(in, form);
    int64_t coefficient = form->coefficients[loop], last = in->loops[loop].trip - 1;
    range.low += coefficient * index - (coefficient < 0 ? coefficient * last : 0);
    range.high += coefficient * index - (coefficient > 0 ? coefficient * last : 0);
    return range;
}

/* The only index of a loop for which all digits can be in their range and the rest can be 0; -1 if
 * there are several. */
static int64_t only_index(const Nest *in, int loop, const Digit *digits, int count,
                          const Affine *solution, const Affine *rest) {
    int64_t only = -1;
    for (int64_t index = 0; index < in->loops[loop].trip; index++) {
        Range range = range_at(in, rest, loop, index);
        bool possible = range.low <= 0 && range.high >= 0;
        for (int i = 0; possible && i < count; i++) {
            range = range_at(in, &solution[digits[i].loop], loop, index);
            possible = range.high >= 0 && range.low < digits[i].trip;
        }
        if (possible && only >= 0) return -1;
        if (possible) only = index;
    }
    return only;
}

static void set_index(Affine *form, int loop, int64_t index) {
    form->constant += form->coefficients[loop] * index;
    form->coefficients[loop] = 0;
}

/* Loops that can be at one index only: the map says the index, and the constraints that it is. */
static void pin_loops(Arena *arena, const Nest *in, const Digit *digits, int count,
                      Affine *solution, Affine *rest, Constraints *where) {
    for (int loop = in->outer; loop < in->loop_count; loop++) {
        if (in->loops[loop].trip == 1) continue;
        int64_t index = only_index(in, loop, digits, count, solution, rest);
        if (index < 0) continue;
        for (int i = 0; i < count; i++) set_index(&solution[digits[i].loop], loop, index);
        set_index(rest, loop, index);
        Affine form = affine_new(arena, in->loop_count, -index);
        form.coefficients[loop] = 1;
        vector_push(arena, where, ((Constraint){form, true}));
    }
}

Affine *solve_some_iterations(Arena *arena, const Nest *of, const Affine *address, const Nest *in,
                              const Affine *value, Constraints *where) {
    Digit digits[64];
    Affine rest;
    int count = 0, loops = in->loop_count;
    Affine *solution = take_apart(arena, of, address, in, value, digits, &count, &rest);
    if (solution) pin_loops(arena, in, digits, count, solution, &rest, where);
    for (int i = 0; solution && i < count; i++) {
        const Affine *digit = &solution[digits[i].loop];
        Affine last = affine_new(arena, loops, digits[i].trip - 1);
        last = affine_sum(arena, &last, digit, -1, loops);
        require(arena, in, digit, false, where);
        require(arena, in, &last, false, where);
    }
    if (solution) require(arena, in, &rest, true, where);
    return solution;
}
