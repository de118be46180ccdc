/* Expressions as SystemVerilog text: no more parentheses than a reader wants, long ones over
 * several lines.
 *
 * All operands have the width that the operation wants, so Verilog's rules for widths never extend
 * anything. */
#include "rtl/format.h"

#include <string.h>

enum { LINE_LIMIT = 100 };

/* How an operator is written, and how tightly it binds. */
typedef struct Operator {
    const char *text;
    int binding; /* 0: not an operator between two operands */
    bool is_signed;
    bool chains; /* a op b op c needs no parentheses */
} Operator;

static const Operator operators[EXPRESSION_KINDS] = {
    [EXPRESSION_OR] = {"|", 1, false, true},
    [EXPRESSION_XOR] = {"^", 2, false, true},
    [EXPRESSION_AND] = {"&", 3, false, true},
    [EXPRESSION_EQ] = {"==", 4, false, false},
    [EXPRESSION_NE] = {"!=", 4, false, false},
    [EXPRESSION_LT] = {"<", 5, false, false},
    [EXPRESSION_LE] = {"<=", 5, false, false},
    [EXPRESSION_GT] = {">", 5, false, false},
    [EXPRESSION_GE] = {">=", 5, false, false},
    [EXPRESSION_LT_SIGNED] = {"<", 5, true, false},
    [EXPRESSION_LE_SIGNED] = {"<=", 5, true, false},
    [EXPRESSION_GT_SIGNED] = {">", 5, true, false},
    [EXPRESSION_GE_SIGNED] = {">=", 5, true, false},
    [EXPRESSION_SHIFT_LEFT] = {"<<", 6, false, false},
    [EXPRESSION_SHIFT_RIGHT] = {">>", 6, false, false},
    [EXPRESSION_SHIFT_RIGHT_SIGNED] = {">>>", 6, true, false},
    [EXPRESSION_ADD] = {"+", 7, false, true},
    [EXPRESSION_SUBTRACT] = {"-", 7, false, false},
    [EXPRESSION_MULTIPLY] = {"*", 8, false, false},
    [EXPRESSION_DIVIDE] = {"/", 8, false, false},
    [EXPRESSION_REMAINDER] = {"%", 8, false, false},
    [EXPRESSION_DIVIDE_SIGNED] = {"/", 8, true, false},
    [EXPRESSION_REMAINDER_SIGNED] = {"%", 8, true, false},
};

static const ExpressionNode *at(const Module *module, Expression e) {
    return &module->expressions.items[e];
}

void format_constant(int width, Bits value, Text *text) {
    const char *form = width == 1 ? "%d'b%llu" : value < 1024 ? "%d'd%llu" : "%d'h%llx";
    text_printf(text, form, width, (unsigned long long)value);
}

static void flat(const Module *module, Expression e, Text *text);

/* An operand of an operator, in parentheses unless it reads well without. */
static void flat_operand(const Module *module, Expression e, ExpressionKind outer, bool first,
                         Text *text) {
    const ExpressionNode *node = at(module, e);
    bool atom = operators[node->kind].binding == 0 && node->kind != EXPRESSION_MUX &&
                node->kind != EXPRESSION_REDUCE_OR && node->kind != EXPRESSION_REDUCE_AND;
    bool same = node->kind == outer && (operators[outer].chains || first);
    bool bare = atom || same;
    if (!bare) text_append(text, "(");
    flat(module, e, text);
    if (!bare) text_append(text, ")");
}

static void flat_signed(const Module *module, Expression e, Text *text) {
    text_append(text, "$signed(");
    flat(module, e, text);
    text_append(text, ")");
}

static void flat_binary(const Module *module, const ExpressionNode *node, Text *text) {
    const Operator *symbol = &operators[node->kind];
    bool shift = node->kind == EXPRESSION_SHIFT_RIGHT_SIGNED;
    /* A signed result is unsigned again before it meets others: one unsigned operand around it
     * would make the whole expression unsigned, and its shift a logical one. */
    bool back = symbol->is_signed && symbol->binding != 5;
    if (back) text_append(text, "$unsigned(");
    if (symbol->is_signed)
        flat_signed(module, node->operands[0], text);
    else
        flat_operand(module, node->operands[0], node->kind, true, text);
    text_printf(text, " %s ", symbol->text);
    if (symbol->is_signed && !shift)
        flat_signed(module, node->operands[1], text);
    else
        flat_operand(module, node->operands[1], node->kind, false, text);
    if (back) text_append(text, ")");
}

static void flat_mux(const Module *module, const ExpressionNode *node, Text *text) {
    flat_operand(module, node->operands[0], EXPRESSION_KINDS, false, text);
    text_append(text, " ? ");
    flat_operand(module, node->operands[1], EXPRESSION_KINDS, false, text);
    text_append(text, " : ");
    bool chain = at(module, node->operands[2])->kind == EXPRESSION_MUX;
    if (chain)
        flat(module, node->operands[2], text);
    else
        flat_operand(module, node->operands[2], EXPRESSION_KINDS, false, text);
}

static void flat_concat(const Module *module, Expression e, Text *text) {
    const ExpressionNode *node = at(module, e);
    if (node->kind != EXPRESSION_CONCAT) {
        flat(module, e, text);
        return;
    }
    flat_concat(module, node->operands[0], text);
    text_append(text, ", ");
    flat_concat(module, node->operands[1], text);
}

static void flat_extend(const Module *module, const ExpressionNode *node, Text *text) {
    const ExpressionNode *inner = at(module, node->operands[0]);
    int more = node->width - inner->width;
    text_append(text, "{");
    if (node->kind == EXPRESSION_EXTEND) {
        format_constant(more, 0, text);
    } else { /* a name, see simplify.c */
        text_printf(text, "{%d{", more);
        flat(module, node->operands[0], text);
        if (inner->width > 1) text_printf(text, "[%d]", inner->width - 1);
        text_append(text, "}}");
    }
    text_append(text, ", ");
    flat(module, node->operands[0], text);
    text_append(text, "}");
}

static void flat_slice(const Module *module, const ExpressionNode *node, Text *text) {
    flat(module, node->operands[0], text);
    if (node->width == 1)
        text_printf(text, "[%d]", node->low);
    else
        text_printf(text, "[%d:%d]", node->low + node->width - 1, node->low);
}

/* In one line. */
static void flat(const Module *module, Expression e, Text *text) {
    const ExpressionNode *node = at(module, e);
    switch (node->kind) {
    case EXPRESSION_CONSTANT: format_constant(node->width, node->value, text); return;
    case EXPRESSION_SIGNAL: text_append(text, module->signals.items[node->signal].name); return;
    case EXPRESSION_NOT:
    case EXPRESSION_REDUCE_OR:
    case EXPRESSION_REDUCE_AND:
        text_append(text, node->kind == EXPRESSION_NOT         ? "~"
                          : node->kind == EXPRESSION_REDUCE_OR ? "|"
                                                               : "&");
        flat_operand(module, node->operands[0], node->kind, false, text);
        return;
    case EXPRESSION_MUX: flat_mux(module, node, text); return;
    case EXPRESSION_CONCAT:
        text_append(text, "{");
        flat_concat(module, e, text);
        text_append(text, "}");
        return;
    case EXPRESSION_SLICE: flat_slice(module, node, text); return;
    case EXPRESSION_EXTEND:
    case EXPRESSION_EXTEND_SIGNED: flat_extend(module, node, text); return;
    default: flat_binary(module, node, text);
    }
}

/* --- several lines --- */

static void new_line(int column, Text *text) {
    text_printf(text, "\n%*s", column, "");
}

static void broken_chain(const Module *module, Expression e, ExpressionKind kind, int column,
                         bool first, Text *text) {
    const ExpressionNode *node = at(module, e);
    if (node->kind == kind) {
        broken_chain(module, node->operands[0], kind, column, first, text);
        broken_chain(module, node->operands[1], kind, column, false, text);
        return;
    }
    if (!first) {
        new_line(column - (int)strlen(operators[kind].text) - 1, text);
        text_printf(text, "%s ", operators[kind].text);
    }
    flat_operand(module, e, kind, true, text);
}

static void broken_mux(const Module *module, Expression e, int column, Text *text) {
    for (; at(module, e)->kind == EXPRESSION_MUX; e = at(module, e)->operands[2]) {
        const ExpressionNode *node = at(module, e);
        flat_operand(module, node->operands[0], EXPRESSION_KINDS, false, text);
        text_append(text, " ? ");
        flat_operand(module, node->operands[1], EXPRESSION_KINDS, false, text);
        new_line(column - 2, text);
        text_append(text, ": ");
    }
    flat_operand(module, e, EXPRESSION_KINDS, false, text);
}

static void broken_concat(const Module *module, Expression e, int column, Text *text) {
    const ExpressionNode *node = at(module, e);
    if (node->kind != EXPRESSION_CONCAT) {
        format_expression(module, e, column, text);
        return;
    }
    broken_concat(module, node->operands[0], column, text);
    text_append(text, ",");
    new_line(column, text);
    broken_concat(module, node->operands[1], column, text);
}

void format_expression(const Module *module, Expression e, int column, Text *text) {
    size_t start = text->length;
    flat(module, e, text);
    const ExpressionNode *node = at(module, e);
    if (column + (int)(text->length - start) < LINE_LIMIT) return;
    bool chain = operators[node->kind].chains;
    if (!chain && node->kind != EXPRESSION_MUX && node->kind != EXPRESSION_CONCAT) return;
    text->length = start;
    text->chars[start] = 0;
    if (chain) {
        broken_chain(module, e, node->kind, column, true, text);
    } else if (node->kind == EXPRESSION_MUX) {
        broken_mux(module, e, column, text);
    } else {
        text_append(text, "{");
        broken_concat(module, e, column + 1, text);
        text_append(text, "}");
    }
}
