/* Ranges of integers, by interval arithmetic over the operations that a value is made of.
 *
 * They tell how much of a wide operation is real: an i32 product of two extended i8 takes one
 * multiplier block, not four. Only a few levels of operands are looked at, so that the cost per
 * operation is bounded. */
#include "schedule/range.h"

enum { LEVELS = 5 };

static Range full_range(int width) {
    if (width >= 64) return (Range){INT64_MIN, INT64_MAX};
    int64_t half = (int64_t)1 << (width - 1);
    return (Range){-half, half - 1};
}

int range_bits(Range range) {
    for (int width = 1; width < 64; width++) {
        Range full = full_range(width);
        if (range.low >= full.low && range.high <= full.high) return width;
    }
    return 64;
}

static bool add(int64_t a, int64_t b, int64_t *sum) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *sum = a + b;
    return true;
}

/* Only for factors below 2^31, which is all that counts here: no product of those overflows. */
static bool multiply(int64_t a, int64_t b, int64_t *product) {
    const int64_t limit = (int64_t)1 << 31;
    if (a < -limit || a > limit || b < -limit || b > limit) return false;
    *product = a * b;
    return true;
}

static bool range_add(Range a, Range b, Range *sum) {
    return add(a.low, b.low, &sum->low) && add(a.high, b.high, &sum->high);
}

static bool range_negate(Range a, Range *result) {
    if (a.low == INT64_MIN) return false;
    *result = (Range){-a.high, -a.low};
    return true;
}

static bool range_multiply(Range a, Range b, Range *product) {
    int64_t corners[4];
    if (!multiply(a.low, b.low, &corners[0]) || !multiply(a.low, b.high, &corners[1]) ||
        !multiply(a.high, b.low, &corners[2]) || !multiply(a.high, b.high, &corners[3]))
        return false;
    *product = (Range){corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        if (corners[i] < product->low) product->low = corners[i];
        if (corners[i] > product->high) product->high = corners[i];
    }
    return true;
}

static Range range_union(Range a, Range b) {
    return (Range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

bool index_range(const Nest *nest, const Affine *affine, Range *range) {
    *range = (Range){affine->constant, affine->constant};
    for (int l = 0; l < nest->loop_count; l++) {
        int64_t reach;
        if (affine->coefficients[l] == 0 || nest->loops[l].trip < 2) continue;
        if (!multiply(affine->coefficients[l], nest->loops[l].trip - 1, &reach) ||
            !add(reach < 0 ? range->low : range->high, reach,
                 reach < 0 ? &range->low : &range->high))
            return false;
    }
    return true;
}

static Range range_at(const Nest *nest, int operation, int levels);

static bool range_of_pair(const Operation *op, Range a, Range b, Range *range) {
    switch (op->opcode) {
    case OP_ADD: return range_add(a, b, range);
    case OP_SUBTRACT: return range_negate(b, &b) && range_add(a, b, range);
    case OP_MULTIPLY: return range_multiply(a, b, range);
    case OP_MINIMUM_SIGNED:
    case OP_MAXIMUM_SIGNED: *range = range_union(a, b); return true;
    case OP_AND: /* no more than a part that is never negative */
        if (a.low < 0 && b.low < 0) return false;
        *range = (Range){0, a.low < 0 ? b.high : b.low < 0 || a.high < b.high ? a.high : b.high};
        return true;
    default: return false;
    }
}

/* False where nothing is known but the type. */
static bool range_known(const Nest *nest, const Operation *op, int levels, Range *range) {
    switch (op->opcode) {
    case OP_CONSTANT: {
        int64_t value = bits_signed(op->type.width, op->bits);
        *range = (Range){value, value};
        return true;
    }
    case OP_INDEX: return index_range(nest, &op->affine, range);
    case OP_EXTEND_SIGNED:
    case OP_TRUNCATE: *range = range_at(nest, op->operands[0], levels - 1); return true;
    case OP_EXTEND_UNSIGNED: {
        int width = nest->body.items[op->operands[0]].type.width;
        *range = range_at(nest, op->operands[0], levels - 1);
        if (range->low < 0) *range = (Range){0, width < 63 ? ((int64_t)1 << width) - 1 : INT64_MAX};
        return width < 64;
    }
    case OP_SELECT:
        *range = range_union(range_at(nest, op->operands[1], levels - 1),
                             range_at(nest, op->operands[2], levels - 1));
        return true;
    default: break;
    }
    if (opcode_info[op->opcode].operands != 2 || opcode_info[op->opcode].result != RESULT_SAME)
        return false;
    return range_of_pair(op, range_at(nest, op->operands[0], levels - 1),
                         range_at(nest, op->operands[1], levels - 1), range);
}

static Range range_at(const Nest *nest, int operation, int levels) {
    const Operation *op = &nest->body.items[operation];
    Range full = full_range(op->type.width), range;
    if (levels == 0 || op->type.kind != SCALAR_INTEGER) return full;
    if (!range_known(nest, op, levels, &range)) return full;
    /* What leaves the type wraps around. */
    return range.low < full.low || range.high > full.high ? full : range;
}

Range value_range(const Nest *nest, int operation) {
    return range_at(nest, operation, LEVELS);
}
