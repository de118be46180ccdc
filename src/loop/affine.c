/* Affine forms over loop indices, their ranges, and predicates made of them. */
#include "loop/body.h"

/* --- arithmetic that saturates --- */

static int64_t add_saturated(int64_t a, int64_t b) {
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
    return a + b;
}

static int64_t multiply_saturated(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    bool negative = (a < 0) != (b < 0);
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (x > (uint64_t)INT64_MAX / y) return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)(x * y) : (int64_t)(x * y);
}

Range range_add(Range a, Range b) {
    return (Range){add_saturated(a.low, b.low), add_saturated(a.high, b.high)};
}

Range range_scale(Range a, int64_t factor) {
    int64_t x = multiply_saturated(a.low, factor), y = multiply_saturated(a.high, factor);
    return factor < 0 ? (Range){y, x} : (Range){x, y};
}

Range range_union(Range a, Range b) {
    return (Range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

Range range_intersection(Range a, Range b) {
    return (Range){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

int range_width(Range range, bool is_signed) {
    uint64_t most = range.high < 0 ? 0 : (uint64_t)range.high;
    if (range.low < 0) {
        is_signed = true;
        uint64_t below = (uint64_t) - (range.low + 1);
        if (below > most) most = below;
    }
    int width = is_signed;
    while (most) {
        width++;
        most >>= 1;
    }
    return width < 1 ? 1 : width;
}

/* --- forms --- */

Affine affine_new(Arena *arena, int loops, int64_t constant) {
    Affine form = {constant, NULL};
    if (loops > 0) form.coefficients = arena_array(arena, (size_t)loops, sizeof(int64_t));
    return form;
}

Affine affine_copy(Arena *arena, const Affine *form, int loops) {
    Affine copy = affine_new(arena, loops, form->constant);
    for (int i = 0; i < loops; i++) copy.coefficients[i] = form->coefficients[i];
    return copy;
}

bool affine_equal(const Affine *a, const Affine *b, int loops) {
    if (a->constant != b->constant) return false;
    for (int i = 0; i < loops; i++)
        if (a->coefficients[i] != b->coefficients[i]) return false;
    return true;
}

bool affine_is_constant(const Affine *form, int loops) {
    for (int i = 0; i < loops; i++)
        if (form->coefficients[i] != 0) return false;
    return true;
}

Affine affine_sum(Arena *arena, const Affine *a, const Affine *b, int64_t factor, int loops) {
    Affine sum = affine_new(arena, loops, a->constant + factor * b->constant);
    for (int i = 0; i < loops; i++)
        sum.coefficients[i] = a->coefficients[i] + factor * b->coefficients[i];
    return sum;
}

Range affine_range(const Nest *nest, const Affine *form) {
    Range range = {form->constant, form->constant};
    for (int i = 0; i < nest->loop_count; i++) {
        Range loop = {0, nest->loops[i].trip - 1};
        range = range_add(range, range_scale(loop, form->coefficients[i]));
    }
    return range;
}

Range affine_range_in(const Nest *nest, const Affine *form, const Range *box) {
    Range range = {form->constant, form->constant};
    for (int i = 0; i < nest->loop_count; i++)
        range = range_add(range, range_scale(box[i], form->coefficients[i]));
    return range;
}

/* --- predicates --- */

/* form x sign + constant >= 0 (== 0). */
static void add_constraint(Arena *arena, const Nest *nest, const Affine *form, int64_t sign,
                           int64_t constant, bool equality, Constraints *list) {
    Affine scaled = affine_new(arena, nest->loop_count, sign * form->constant + constant);
    for (int i = 0; i < nest->loop_count; i++)
        scaled.coefficients[i] = sign * form->coefficients[i];
    Constraint constraint = {scaled, equality};
    vector_push(arena, list, constraint);
}

/* How `index COMPARE value` becomes sign x index + slack - sign x value >= 0, if it is one
 * constraint. */
static const struct {
    bool affine;
    int sign, slack;
    bool equality, is_unsigned;
} compare_forms[] = {
    [COMPARE_EQ] = {true, 1, 0, true, false},     [COMPARE_NE] = {false, 0, 0, false, false},
    [COMPARE_SLT] = {true, -1, -1, false, false}, [COMPARE_SLE] = {true, -1, 0, false, false},
    [COMPARE_SGT] = {true, 1, -1, false, false},  [COMPARE_SGE] = {true, 1, 0, false, false},
    [COMPARE_ULT] = {true, -1, -1, false, true},  [COMPARE_ULE] = {true, -1, 0, false, true},
    [COMPARE_UGT] = {true, 1, -1, false, true},   [COMPARE_UGE] = {true, 1, 0, false, true},
};

/* The compare of an INDEX with a constant as a constraint. The index must not wrap in its type. */
static bool compare_constraint(Arena *arena, const Nest *nest, const Operation *compare,
                               Constraints *list) {
    const Operation *left = &nest->body.items[compare->operands[0]];
    const Operation *right = &nest->body.items[compare->operands[1]];
    if (left->opcode != OP_INDEX || right->opcode != OP_CONSTANT) return false;
    if (!compare_forms[compare->condition].affine) return false;
    bool is_unsigned = compare_forms[compare->condition].is_unsigned;
    int64_t value = is_unsigned ? (int64_t)right->bits : bits_signed(left->type.width, right->bits);
    Range range = affine_range(nest, &left->affine);
    if (range_width(range, !is_unsigned) > left->type.width) return false;
    if (is_unsigned && (range.low < 0 || value < 0)) return false;
    int64_t sign = compare_forms[compare->condition].sign;
    int64_t constant = compare_forms[compare->condition].slack - sign * value;
    add_constraint(arena, nest, &left->affine, sign, constant,
                   compare_forms[compare->condition].equality, list);
    return true;
}

bool predicate_constraints(Arena *arena, const Nest *nest, int predicate, Constraints *list) {
    if (predicate < 0) return true;
    const Operation *operation = &nest->body.items[predicate];
    if (operation->opcode == OP_AND) {
        bool left = predicate_constraints(arena, nest, operation->operands[0], list);
        bool right = predicate_constraints(arena, nest, operation->operands[1], list);
        return left && right;
    }
    if (operation->opcode == OP_COMPARE) return compare_constraint(arena, nest, operation, list);
    return operation->opcode == OP_CONSTANT && operation->bits == 1;
}

/* The one loop of a form, -1 if there are none or several. */
static int only_loop(const Nest *nest, const Affine *form) {
    int found = -1;
    for (int i = 0; i < nest->loop_count; i++) {
        if (form->coefficients[i] == 0) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

bool constraints_box(const Nest *nest, const Constraints *list, Range *box) {
    for (int i = 0; i < nest->loop_count; i++) box[i] = (Range){0, nest->loops[i].trip - 1};
    for (int i = 0; i < list->count; i++) {
        const Constraint *constraint = &list->items[i];
        int loop = only_loop(nest, &constraint->form);
        if (loop < 0) continue;
        int64_t factor = constraint->form.coefficients[loop], rest = constraint->form.constant;
        /* factor x index >= -rest, and <= -rest too for an equality */
        int64_t least = -floor_divide(rest, factor), most = floor_divide(-rest, factor);
        if (factor < 0) {
            least = -floor_divide(-rest, -factor);
            most = floor_divide(rest, -factor);
        }
        if (constraint->equality || factor > 0)
            box[loop] = range_intersection(box[loop], (Range){least, INT64_MAX});
        if (constraint->equality || factor < 0)
            box[loop] = range_intersection(box[loop], (Range){INT64_MIN, most});
        if (box[loop].low > box[loop].high) return false;
    }
    return true;
}
