/* Subscripts of accesses, from their flat addresses.
 *
 * The flat address is a number in the mixed radix of the memory's shape. Coefficients are taken
 * apart from the innermost dimension outwards; the constant is then spread so that each subscript
 * stays within its dimension, which makes the decomposition the right one. Predicates such as "the
 * row is inside the image" bound subscripts too. */
#include "loop/partition.h"

/* The range of a form without its constant, where the constraints of the access hold. */
static Range bounded_range(const Nest *nest, const Affine *form, const Constraints *constraints,
                           const Range *box) {
    Affine linear = {0, form->coefficients};
    Range range = affine_range_in(nest, &linear, box);
    for (int i = 0; i < constraints->count; i++) {
        const Constraint *constraint = &constraints->items[i];
        bool same = true, opposite = true;
        for (int l = 0; l < nest->loop_count; l++) {
            same = same && constraint->form.coefficients[l] == form->coefficients[l];
            opposite = opposite && constraint->form.coefficients[l] == -form->coefficients[l];
        }
        int64_t constant = constraint->form.constant;
        if (same) range = range_intersection(range, (Range){-constant, INT64_MAX});
        if (opposite) range = range_intersection(range, (Range){INT64_MIN, constant});
        if (same && constraint->equality)
            range = range_intersection(range, (Range){INT64_MIN, -constant});
    }
    return range;
}

/* A loop that alone runs over more than one dimension, where splitting it makes the parts fit. */
static bool splits(const Nest *nest, const Affine *form, int64_t size, int *loop, int64_t *inner) {
    for (int l = nest->outer; l < nest->loop_count; l++) {
        int64_t step = form->coefficients[l] < 0 ? -form->coefficients[l] : form->coefficients[l];
        if (step == 0 || step * (nest->loops[l].trip - 1) < size || size % step != 0) continue;
        if (nest->loops[l].trip % (size / step) != 0 || size / step < 2) continue;
        *loop = l;
        *inner = size / step;
        return true;
    }
    return false;
}

/* Takes what belongs to a dimension of `size` out of `rest`; what remains counts the next
 * dimension. */
static Affine take_dimension(Arena *arena, const Nest *nest, Affine *rest, int64_t size) {
    Affine form = affine_new(arena, nest->loop_count, 0);
    for (int l = 0; l < nest->loop_count; l++) {
        form.coefficients[l] = rest->coefficients[l] % size;
        rest->coefficients[l] = (rest->coefficients[l] - form.coefficients[l]) / size;
    }
    return form;
}

bool access_subscripts(Arena *arena, const Program *program, const Nest *nest, int operation,
                       Affine *subscripts, int *loop, int64_t *inner) {
    const Operation *access = &nest->body.items[operation];
    const Memory *memory = &program->memories.items[access->memory];
    *loop = -1;
    if (access->computed) return false;
    Constraints constraints = {0};
    predicate_constraints(arena, nest, access->predicate, &constraints);
    Range *box = arena_array(arena, (size_t)nest->loop_count + 1, sizeof(Range));
    constraints_box(nest, &constraints, box);
    Affine rest = affine_copy(arena, &access->affine, nest->loop_count);
    for (int d = memory->rank - 1; d >= 0; d--) {
        int64_t size = memory->shape[d];
        /* The outermost dimension takes all that is left. */
        Affine form = d > 0 ? take_dimension(arena, nest, &rest, size) : rest;
        Range range = bounded_range(nest, &form, &constraints, box);
        int64_t constant = rest.constant;
        if (d > 0) {
            constant -= floor_divide(constant + range.low, size) * size;
            if (constant + range.high >= size) return splits(nest, &form, size, loop, inner), false;
            rest.constant = (rest.constant - constant) / size;
        } else if (constant + range.low < 0 || constant + range.high >= size) {
            return false;
        }
        form.constant = constant;
        subscripts[d] = form;
    }
    return true;
}
