/* What each kind of expression computes. Folding uses it, and so do tests that compare with a
 * simulator. */
#include "rtl/netlist.h"

static Bits shift(ExpressionKind kind, int width, Bits value, Bits amount) {
    bool negative = kind == EXPRESSION_SHIFT_RIGHT_SIGNED && (value >> (width - 1) & 1);
    if (amount >= (Bits)width) return negative ? bits_mask(width) : 0;
    if (kind == EXPRESSION_SHIFT_LEFT) return value << amount;
    Bits shifted = value >> amount;
    return negative ? shifted | ~(bits_mask(width) >> amount) : shifted;
}

/* Division by zero has no value in Verilog; here all ones, and the remainder is the dividend. */
static Bits divide(ExpressionKind kind, int width, Bits left, Bits right) {
    bool quotient = kind == EXPRESSION_DIVIDE || kind == EXPRESSION_DIVIDE_SIGNED;
    if (right == 0) return quotient ? bits_mask(width) : left;
    if (kind == EXPRESSION_DIVIDE) return left / right;
    if (kind == EXPRESSION_REMAINDER) return left % right;
    int64_t a = bits_signed(width, left), b = bits_signed(width, right);
    if (b == -1) return quotient ? (Bits)0 - left : 0; /* INT64_MIN / -1 traps in C */
    return quotient ? (Bits)(a / b) : (Bits)(a % b);
}

static bool compare(ExpressionKind kind, int width, Bits left, Bits right) {
    int64_t a = bits_signed(width, left), b = bits_signed(width, right);
    switch (kind) {
    case EXPRESSION_EQ: return left == right;
    case EXPRESSION_NE: return left != right;
    case EXPRESSION_LT: return left < right;
    case EXPRESSION_LE: return left <= right;
    case EXPRESSION_GT: return left > right;
    case EXPRESSION_GE: return left >= right;
    case EXPRESSION_LT_SIGNED: return a < b;
    case EXPRESSION_LE_SIGNED: return a <= b;
    case EXPRESSION_GT_SIGNED: return a > b;
    default: return a >= b;
    }
}

static Bits value_of(const ExpressionNode *node, const Bits operands[3], const int widths[3]) {
    Bits a = operands[0], b = operands[1];
    switch (node->kind) {
    case EXPRESSION_CONSTANT: return node->value;
    case EXPRESSION_SIGNAL: return a; /* the caller knows */
    case EXPRESSION_NOT: return ~a;
    case EXPRESSION_AND: return a & b;
    case EXPRESSION_OR: return a | b;
    case EXPRESSION_XOR: return a ^ b;
    case EXPRESSION_ADD: return a + b;
    case EXPRESSION_SUBTRACT: return a - b;
    case EXPRESSION_MULTIPLY: return a * b;
    case EXPRESSION_DIVIDE:
    case EXPRESSION_REMAINDER:
    case EXPRESSION_DIVIDE_SIGNED:
    case EXPRESSION_REMAINDER_SIGNED: return divide(node->kind, node->width, a, b);
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT:
    case EXPRESSION_SHIFT_RIGHT_SIGNED: return shift(node->kind, node->width, a, b);
    case EXPRESSION_REDUCE_OR: return a != 0;
    case EXPRESSION_REDUCE_AND: return a == bits_mask(widths[0]);
    case EXPRESSION_MUX: return a ? b : operands[2];
    case EXPRESSION_CONCAT: return widths[1] < 64 ? a << widths[1] | b : b;
    case EXPRESSION_SLICE: return a >> node->low;
    case EXPRESSION_EXTEND: return a;
    case EXPRESSION_EXTEND_SIGNED: return (Bits)bits_signed(widths[0], a);
    default: return compare(node->kind, widths[0], a, b);
    }
}

Bits expression_value(const ExpressionNode *node, const Bits operands[3], const int widths[3]) {
    return value_of(node, operands, widths) & bits_mask(node->width);
}
