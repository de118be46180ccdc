/* Simplification of expressions while they are made: constants, neutral and absorbing operands, and
 * what makes the printed text plainer. Each rule looks at most two levels down, so that making a
 * netlist takes linear time. */
#include "rtl/fold.h"

/* The netlist, the module and the node: what every rule looks at. */
typedef struct Fold {
    Netlist *netlist;
    Module *module;
    ExpressionNode *node;
} Fold;

static const ExpressionNode *at(const Fold *f, Expression e) {
    return &f->module->expressions.items[e];
}

static Expression operand(const Fold *f, int i) {
    return f->node->operands[i];
}

static bool is_value(const Fold *f, Expression e, Bits value) {
    Bits found;
    return expression_is_constant(f->module, e, &found) && found == value;
}

static bool is_zero(const Fold *f, Expression e) {
    return is_value(f, e, 0);
}

static bool is_ones(const Fold *f, Expression e) {
    return at(f, e)->width <= 64 && is_value(f, e, bits_mask(at(f, e)->width));
}

static Expression constant(const Fold *f, Bits value) {
    return expression_constant(f->netlist, f->module, f->node->width, value);
}

static Expression make(const Fold *f, ExpressionKind kind, Expression a, Expression b) {
    return expression(f->netlist, f->module, kind, f->node->width, a, b, -1);
}

static Expression invert(const Fold *f, Expression e) {
    return expression_not(f->netlist, f->module, e);
}

static bool is_inverse(const Fold *f, Expression a, Expression b) {
    return (at(f, a)->kind == EXPRESSION_NOT && at(f, a)->operands[0] == b) ||
           (at(f, b)->kind == EXPRESSION_NOT && at(f, b)->operands[0] == a);
}

static void swap_operands(Fold *f) {
    Expression first = operand(f, 0);
    f->node->operands[0] = operand(f, 1);
    f->node->operands[1] = first;
}

static void constant_to_the_right(Fold *f) {
    if (expression_is_constant(f->module, operand(f, 0), NULL)) swap_operands(f);
}

/* --- rules, one function for each family of kinds; -1 if none applies --- */

/* The comparison that holds where `kind` does not. */
static ExpressionKind opposite(ExpressionKind kind) {
    switch (kind) {
    case EXPRESSION_EQ: return EXPRESSION_NE;
    case EXPRESSION_NE: return EXPRESSION_EQ;
    case EXPRESSION_LT: return EXPRESSION_GE;
    case EXPRESSION_LE: return EXPRESSION_GT;
    case EXPRESSION_GT: return EXPRESSION_LE;
    case EXPRESSION_GE: return EXPRESSION_LT;
    case EXPRESSION_LT_SIGNED: return EXPRESSION_GE_SIGNED;
    case EXPRESSION_LE_SIGNED: return EXPRESSION_GT_SIGNED;
    case EXPRESSION_GT_SIGNED: return EXPRESSION_LE_SIGNED;
    case EXPRESSION_GE_SIGNED: return EXPRESSION_LT_SIGNED;
    default: return EXPRESSION_KINDS;
    }
}

static Expression fold_not(Fold *f) {
    const ExpressionNode *inner = at(f, operand(f, 0));
    if (inner->kind == EXPRESSION_NOT) return inner->operands[0];
    ExpressionKind kind = opposite(inner->kind);
    if (kind == EXPRESSION_KINDS) return -1;
    return make(f, kind, inner->operands[0], inner->operands[1]);
}

/* x & (x | y) and x | (x & y) are x. */
static bool absorbs(const Fold *f, Expression x, Expression other, ExpressionKind dual) {
    const ExpressionNode *node = at(f, other);
    return node->kind == dual && (node->operands[0] == x || node->operands[1] == x);
}

/* One of the parts of a tree of one kind of at most three operands. */
static bool has_part(const Fold *f, Expression tree, Expression part) {
    const ExpressionNode *node = at(f, tree);
    return node->kind == f->node->kind && (node->operands[0] == part || node->operands[1] == part);
}

static Expression fold_and(Fold *f) {
    constant_to_the_right(f);
    Expression a = operand(f, 0), b = operand(f, 1);
    if (is_zero(f, b)) return b;
    if (is_ones(f, b) || a == b) return a;
    if (is_inverse(f, a, b)) return constant(f, 0);
    if (absorbs(f, a, b, EXPRESSION_OR) || has_part(f, a, b)) return a;
    if (absorbs(f, b, a, EXPRESSION_OR) || has_part(f, b, a)) return b;
    return -1;
}

/* (x & y) | (x & ~y) is x. */
static Expression fold_cases(Fold *f) {
    const ExpressionNode *a = at(f, operand(f, 0)), *b = at(f, operand(f, 1));
    if (a->kind != EXPRESSION_AND || b->kind != EXPRESSION_AND) return -1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (a->operands[i] == b->operands[j] &&
                is_inverse(f, a->operands[1 - i], b->operands[1 - j]))
                return a->operands[i];
    return -1;
}

static Expression fold_or(Fold *f) {
    constant_to_the_right(f);
    Expression a = operand(f, 0), b = operand(f, 1);
    if (is_zero(f, b) || a == b) return a;
    if (is_ones(f, b)) return b;
    if (is_inverse(f, a, b) && f->node->width <= 64) return constant(f, ~(Bits)0);
    if (absorbs(f, a, b, EXPRESSION_AND) || has_part(f, a, b)) return a;
    if (absorbs(f, b, a, EXPRESSION_AND) || has_part(f, b, a)) return b;
    return fold_cases(f);
}

static Expression fold_xor(Fold *f) {
    constant_to_the_right(f);
    Expression a = operand(f, 0), b = operand(f, 1);
    if (is_zero(f, b)) return a;
    if (is_ones(f, b)) return invert(f, a);
    if (a == b && f->node->width <= 64) return constant(f, 0);
    return -1;
}

/* x + k and x - k: one constant, the one with fewer bits. */
static Expression fold_offset(Fold *f, Expression x, Bits k) {
    if (f->node->width == 1) return k & 1 ? invert(f, x) : x;
    if (f->node->width > 64) return -1;
    Bits mask = bits_mask(f->node->width);
    const ExpressionNode *inner = at(f, x);
    bool more = false;
    if (inner->kind == EXPRESSION_ADD || inner->kind == EXPRESSION_SUBTRACT) {
        Bits inner_k;
        more = expression_is_constant(f->module, inner->operands[1], &inner_k);
        if (more) {
            k += inner->kind == EXPRESSION_ADD ? inner_k : (Bits)0 - inner_k;
            x = inner->operands[0];
        }
    }
    k &= mask;
    if (k == 0) return x;
    Bits negative = ((Bits)0 - k) & mask;
    ExpressionKind kind = negative < k ? EXPRESSION_SUBTRACT : EXPRESSION_ADD;
    if (!more && kind == f->node->kind) return -1;
    return make(f, kind, x, constant(f, kind == EXPRESSION_ADD ? k : negative));
}

static Expression fold_add(Fold *f) {
    constant_to_the_right(f);
    Bits k;
    if (!expression_is_constant(f->module, operand(f, 1), &k)) return -1;
    return k == 0 ? operand(f, 0) : fold_offset(f, operand(f, 0), k);
}

static Expression fold_subtract(Fold *f) {
    Bits k;
    if (operand(f, 0) == operand(f, 1) && f->node->width <= 64) return constant(f, 0);
    if (!expression_is_constant(f->module, operand(f, 1), &k)) return -1;
    return k == 0 ? operand(f, 0) : fold_offset(f, operand(f, 0), (Bits)0 - k);
}

static Expression fold_multiply(Fold *f) {
    constant_to_the_right(f);
    Bits k;
    if (!expression_is_constant(f->module, operand(f, 1), &k)) return -1;
    if (k == 0) return operand(f, 1);
    if (k == 1) return operand(f, 0);
    if (k & (k - 1)) return -1;
    int power = 0;
    while (k >> power != 1) power++;
    return make(f, EXPRESSION_SHIFT_LEFT, operand(f, 0), constant(f, (Bits)power));
}

static Expression fold_shift(Fold *f) {
    Bits amount;
    if (!expression_is_constant(f->module, operand(f, 1), &amount)) return -1;
    if (amount == 0) return operand(f, 0);
    bool arithmetic = f->node->kind == EXPRESSION_SHIFT_RIGHT_SIGNED;
    return amount >= (Bits)f->node->width && !arithmetic ? constant(f, 0) : -1;
}

/* A zero-extended value compared with a number: without the extension, if the number fits. */
static Expression fold_extended(Fold *f) {
    const ExpressionNode *left = at(f, operand(f, 0));
    Bits k;
    if (left->kind != EXPRESSION_EXTEND || !expression_is_constant(f->module, operand(f, 1), &k))
        return -1;
    Expression inner = left->operands[0];
    int width = at(f, inner)->width;
    if (width >= 64 || k > bits_mask(width)) return -1;
    Expression number = expression_constant(f->netlist, f->module, width, k);
    return make(f, f->node->kind, inner, number);
}

static Expression fold_equality(Fold *f) {
    constant_to_the_right(f);
    Expression a = operand(f, 0), b = operand(f, 1);
    bool equal = f->node->kind == EXPRESSION_EQ;
    if (a == b) return constant(f, equal);
    Expression shorter = fold_extended(f);
    if (shorter >= 0) return shorter;
    if (at(f, a)->width != 1 || !expression_is_constant(f->module, b, NULL)) return -1;
    return is_zero(f, b) == equal ? invert(f, a) : a;
}

/* The comparison of the operands in the other order. */
static ExpressionKind mirrored(ExpressionKind kind) {
    switch (kind) {
    case EXPRESSION_LT: return EXPRESSION_GT;
    case EXPRESSION_LE: return EXPRESSION_GE;
    case EXPRESSION_GT: return EXPRESSION_LT;
    case EXPRESSION_GE: return EXPRESSION_LE;
    case EXPRESSION_LT_SIGNED: return EXPRESSION_GT_SIGNED;
    case EXPRESSION_LE_SIGNED: return EXPRESSION_GE_SIGNED;
    case EXPRESSION_GT_SIGNED: return EXPRESSION_LT_SIGNED;
    default: return EXPRESSION_LE_SIGNED;
    }
}

static bool is_less(ExpressionKind kind) {
    return kind == EXPRESSION_LT || kind == EXPRESSION_LT_SIGNED;
}
static bool is_less_equal(ExpressionKind kind) {
    return kind == EXPRESSION_LE || kind == EXPRESSION_LE_SIGNED;
}
static bool is_greater(ExpressionKind kind) {
    return kind == EXPRESSION_GT || kind == EXPRESSION_GT_SIGNED;
}

/* Bits in order are gates. With a sign, 1 is the smaller one. */
static Expression fold_order_of_bits(Fold *f) {
    ExpressionKind kind = f->node->kind;
    bool with_sign = kind >= EXPRESSION_LT_SIGNED;
    bool swapped = (is_less(kind) || is_less_equal(kind)) == with_sign;
    Expression low = operand(f, swapped),
               high = operand(f, !swapped); /* now: low < high or low <= high */
    bool strict = is_less(kind) || is_greater(kind);
    return make(f, strict ? EXPRESSION_AND : EXPRESSION_OR, invert(f, low), high);
}

/* Comparisons with the least and the greatest number, and with their neighbours. */
static Expression fold_order_of_limit(Fold *f) {
    ExpressionKind kind = f->node->kind;
    Expression x = operand(f, 0), limit = operand(f, 1);
    int width = at(f, x)->width;
    Bits value;
    if (width > 64 || !expression_is_constant(f->module, limit, &value)) return -1;
    Bits sign = kind >= EXPRESSION_LT_SIGNED ? (Bits)1 << (width - 1) : 0;
    Bits rank = value ^ sign, last = bits_mask(width); /* 0 is the least number */
    bool less = is_less(kind), less_equal = is_less_equal(kind), greater = is_greater(kind);
    if (rank == 0 && (less || (!less_equal && !greater))) return constant(f, !less);
    if (rank == last && (less_equal || greater)) return constant(f, less_equal);
    if (rank == 0) return make(f, less_equal ? EXPRESSION_EQ : EXPRESSION_NE, x, limit);
    if (rank == last) return make(f, less ? EXPRESSION_NE : EXPRESSION_EQ, x, limit);
    return -1;
}

static Expression fold_order(Fold *f) {
    Expression a = operand(f, 0), b = operand(f, 1);
    bool strict = is_less(f->node->kind) || is_greater(f->node->kind);
    if (a == b) return constant(f, !strict);
    if (at(f, a)->width == 1) return fold_order_of_bits(f);
    if (expression_is_constant(f->module, a, NULL)) return make(f, mirrored(f->node->kind), b, a);
    Expression shorter = f->node->kind < EXPRESSION_LT_SIGNED ? fold_extended(f) : -1;
    return shorter >= 0 ? shorter : fold_order_of_limit(f);
}

static Expression fold_reduce(Fold *f) {
    return at(f, operand(f, 0))->width == 1 ? operand(f, 0) : -1;
}

/* A choice of one bit with a constant arm is a gate. */
static Expression fold_mux_bit(Fold *f) {
    Expression c = operand(f, 0), a = operand(f, 1), b = operand(f, 2);
    if (is_ones(f, a)) return make(f, EXPRESSION_OR, c, b);
    if (is_zero(f, a)) return make(f, EXPRESSION_AND, invert(f, c), b);
    if (is_ones(f, b)) return make(f, EXPRESSION_OR, invert(f, c), a);
    if (is_zero(f, b)) return make(f, EXPRESSION_AND, c, a);
    return -1;
}

static Expression fold_mux(Fold *f) {
    Expression c = operand(f, 0), a = operand(f, 1), b = operand(f, 2);
    Bits value;
    if (expression_is_constant(f->module, c, &value)) return value ? a : b;
    if (a == b) return a;
    if (f->node->width == 1) return fold_mux_bit(f);
    const ExpressionNode *then = at(f, a), *otherwise = at(f, b);
    if (then->kind == EXPRESSION_MUX && then->operands[0] == c)
        return expression_mux(f->netlist, f->module, c, then->operands[1], b);
    if (otherwise->kind == EXPRESSION_MUX && otherwise->operands[0] == c)
        return expression_mux(f->netlist, f->module, c, a, otherwise->operands[2]);
    if (otherwise->kind == EXPRESSION_MUX && otherwise->operands[1] == a) { /* c ? a : d ? a : b */
        Expression either = expression_or(f->netlist, f->module, c, otherwise->operands[0]);
        return expression_mux(f->netlist, f->module, either, a, otherwise->operands[2]);
    }
    return -1;
}

static Expression fold_concat(Fold *f) {
    const ExpressionNode *high = at(f, operand(f, 0)), *low = at(f, operand(f, 1));
    if (is_zero(f, operand(f, 0))) return make(f, EXPRESSION_EXTEND, operand(f, 1), -1);
    if (high->kind != EXPRESSION_SLICE || low->kind != EXPRESSION_SLICE) return -1;
    if (high->operands[0] != low->operands[0] || high->low != low->low + low->width) return -1;
    return expression_slice(f->netlist, f->module, low->operands[0], low->low, f->node->width);
}

static Expression fold_slice(Fold *f) {
    const ExpressionNode *inner = at(f, operand(f, 0));
    int low = f->node->low, width = f->node->width;
    if (inner->width == width) return operand(f, 0);
    if (inner->kind == EXPRESSION_SLICE)
        return expression_slice(f->netlist, f->module, inner->operands[0], inner->low + low, width);
    if (inner->kind == EXPRESSION_CONCAT) {
        Expression high = inner->operands[0], below = inner->operands[1];
        int split = at(f, below)->width;
        if (low >= split) return expression_slice(f->netlist, f->module, high, low - split, width);
        if (low + width <= split) return expression_slice(f->netlist, f->module, below, low, width);
    }
    if (inner->kind == EXPRESSION_EXTEND || inner->kind == EXPRESSION_EXTEND_SIGNED) {
        Expression value = inner->operands[0];
        if (low + width <= at(f, value)->width)
            return expression_slice(f->netlist, f->module, value, low, width);
        if (inner->kind == EXPRESSION_EXTEND && low >= at(f, value)->width) return constant(f, 0);
    }
    return -1;
}

static Expression fold_extend(Fold *f) {
    const ExpressionNode *inner = at(f, operand(f, 0));
    if (inner->width == f->node->width) return operand(f, 0);
    if (inner->kind == EXPRESSION_EXTEND) return make(f, EXPRESSION_EXTEND, inner->operands[0], -1);
    if (inner->kind == f->node->kind) return make(f, inner->kind, inner->operands[0], -1);
    return -1;
}

/* --- the table --- */

static Expression (*const rules[EXPRESSION_KINDS])(Fold *) = {
    [EXPRESSION_NOT] = fold_not,
    [EXPRESSION_AND] = fold_and,
    [EXPRESSION_OR] = fold_or,
    [EXPRESSION_XOR] = fold_xor,
    [EXPRESSION_ADD] = fold_add,
    [EXPRESSION_SUBTRACT] = fold_subtract,
    [EXPRESSION_MULTIPLY] = fold_multiply,
    [EXPRESSION_SHIFT_LEFT] = fold_shift,
    [EXPRESSION_SHIFT_RIGHT] = fold_shift,
    [EXPRESSION_SHIFT_RIGHT_SIGNED] = fold_shift,
    [EXPRESSION_EQ] = fold_equality,
    [EXPRESSION_NE] = fold_equality,
    [EXPRESSION_LT] = fold_order,
    [EXPRESSION_LE] = fold_order,
    [EXPRESSION_GT] = fold_order,
    [EXPRESSION_GE] = fold_order,
    [EXPRESSION_LT_SIGNED] = fold_order,
    [EXPRESSION_LE_SIGNED] = fold_order,
    [EXPRESSION_GT_SIGNED] = fold_order,
    [EXPRESSION_GE_SIGNED] = fold_order,
    [EXPRESSION_REDUCE_OR] = fold_reduce,
    [EXPRESSION_REDUCE_AND] = fold_reduce,
    [EXPRESSION_MUX] = fold_mux,
    [EXPRESSION_CONCAT] = fold_concat,
    [EXPRESSION_SLICE] = fold_slice,
    [EXPRESSION_EXTEND] = fold_extend,
    [EXPRESSION_EXTEND_SIGNED] = fold_extend,
};

/* All operands are constants of at most 64 bits. */
static bool all_constant(const Fold *f, Bits operands[3], int widths[3]) {
    int count = expression_operands(f->node->kind);
    if (count == 0 || f->node->width > 64) return false;
    for (int i = 0; i < count; i++) {
        widths[i] = at(f, operand(f, i))->width;
        if (widths[i] > 64) return false;
        if (!expression_is_constant(f->module, operand(f, i), &operands[i])) return false;
    }
    return true;
}

Expression expression_fold(Netlist *netlist, Module *module, ExpressionNode *node) {
    Fold f = {netlist, module, node};
    Bits operands[3] = {0};
    int widths[3] = {0};
    if (all_constant(&f, operands, widths))
        return constant(&f, expression_value(node, operands, widths));
    return rules[node->kind] ? rules[node->kind](&f) : -1;
}
