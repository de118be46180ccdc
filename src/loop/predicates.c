/* Predicates as conjunctions, and i1 values that exclude each other. */
#include "loop/predicates.h"

/* --- conjuncts --- */

static int add_leaves(const Nest *nest, int predicate, int *leaves, int count) {
    if (predicate < 0) return count;
    const Operation *operation = &nest->body.items[predicate];
    if (operation->opcode == OP_AND) {
        count = add_leaves(nest, operation->operands[0], leaves, count);
        return add_leaves(nest, operation->operands[1], leaves, count);
    }
    if (count < MOST_LEAVES) leaves[count] = predicate;
    return count + 1;
}

int predicate_leaves(const Nest *nest, int predicate, int *leaves) {
    return add_leaves(nest, predicate, leaves, 0);
}

bool predicate_implies(const Nest *nest, int first, int second) {
    int given[MOST_LEAVES], wanted[MOST_LEAVES];
    int givens = predicate_leaves(nest, first, given),
        wants = predicate_leaves(nest, second, wanted);
    if (givens > MOST_LEAVES || wants > MOST_LEAVES) return false;
    for (int i = 0; i < wants; i++) {
        bool found = false;
        for (int k = 0; k < givens; k++) found = found || given[k] == wanted[i];
        if (!found) return false;
    }
    return true;
}

/* --- opposites --- */

/* The conditions that hold exactly where others do not. */
static const int integer_opposite[] = {
    [COMPARE_EQ] = COMPARE_NE,   [COMPARE_NE] = COMPARE_EQ,   [COMPARE_SLT] = COMPARE_SGE,
    [COMPARE_SLE] = COMPARE_SGT, [COMPARE_SGT] = COMPARE_SLE, [COMPARE_SGE] = COMPARE_SLT,
    [COMPARE_ULT] = COMPARE_UGE, [COMPARE_ULE] = COMPARE_UGT, [COMPARE_UGT] = COMPARE_ULE,
    [COMPARE_UGE] = COMPARE_ULT,
};
static const int float_opposite[] = {
    [FLOAT_FALSE] = FLOAT_TRUE, [FLOAT_OEQ] = FLOAT_UNE, [FLOAT_OGT] = FLOAT_ULE,
    [FLOAT_OGE] = FLOAT_ULT,    [FLOAT_OLT] = FLOAT_UGE, [FLOAT_OLE] = FLOAT_UGT,
    [FLOAT_ONE] = FLOAT_UEQ,    [FLOAT_ORD] = FLOAT_UNO, [FLOAT_UEQ] = FLOAT_ONE,
    [FLOAT_UGT] = FLOAT_OLE,    [FLOAT_UGE] = FLOAT_OLT, [FLOAT_ULT] = FLOAT_OGE,
    [FLOAT_ULE] = FLOAT_OGT,    [FLOAT_UNE] = FLOAT_OEQ, [FLOAT_UNO] = FLOAT_ORD,
    [FLOAT_TRUE] = FLOAT_FALSE,
};

int opposite_condition(const Operation *compare) {
    return compare->opcode == OP_COMPARE ? integer_opposite[compare->condition]
                                         : float_opposite[compare->condition];
}

static bool is_not(const Nest *nest, const Operation *operation, int of) {
    if (operation->opcode != OP_XOR || operation->operands[0] != of) return false;
    const Operation *one = &nest->body.items[operation->operands[1]];
    return one->opcode == OP_CONSTANT && one->bits == 1;
}

bool values_are_opposite(const Nest *nest, int first, int second) {
    const Operation *a = &nest->body.items[first], *b = &nest->body.items[second];
    if (is_not(nest, a, second) || is_not(nest, b, first)) return true;
    bool compares = a->opcode == OP_COMPARE || a->opcode == OP_FLOAT_COMPARE;
    return compares && a->opcode == b->opcode && a->operands[0] == b->operands[0] &&
           a->operands[1] == b->operands[1] && opposite_condition(a) == b->condition;
}
