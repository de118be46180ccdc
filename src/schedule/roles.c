/* Roles of operations: which of them are the multiply-accumulates of a nest, and which are its
 * tail.
 *
 * An accumulation runs through a memory (or through a chain of adds within one iteration): its adds
 * lie on a recurrence. Those that add a product which nothing else uses are MACs, and so is the
 * product's multiply. */
#include "schedule/modulo.h"

const char *const role_names[] = {[ROLE_OTHER] = "other", [ROLE_MAC] = "mac", [ROLE_TAIL] = "tail"};

/* An integer times a constant is an address, not work of the model. */
static bool is_product(const Problem *problem, const Operation *op) {
    if (op->opcode != OP_MULTIPLY) return op->opcode == OP_FLOAT_MULTIPLY;
    return problem->body[op->operands[0]].opcode != OP_CONSTANT &&
           problem->body[op->operands[1]].opcode != OP_CONSTANT;
}

static bool is_sum(const Operation *op) {
    return op->opcode == OP_FLOAT_ADD || op->opcode == OP_FLOAT_SUBTRACT || op->opcode == OP_ADD ||
           op->opcode == OP_SUBTRACT;
}

/* The product behind conversions that are wires, or -1. */
static int product_of(const Problem *problem, int value) {
    while (value >= 0) {
        const Operation *op = &problem->body[value];
        if (is_product(problem, op)) return value;
        if (op->opcode != OP_EXTEND_SIGNED && op->opcode != OP_EXTEND_UNSIGNED &&
            op->opcode != OP_TRUNCATE)
            return -1;
        value = op->operands[0];
    }
    return -1;
}

static void count_uses(const Problem *problem, int *uses) {
    for (int i = 0; i < problem->count; i++) {
        const Operation *op = &problem->body[i];
        for (int n = 0; n < 3; n++)
            if (op->operands[n] >= 0) uses[op->operands[n]]++;
        if (op->predicate >= 0) uses[op->predicate]++;
    }
}

void problem_roles(Problem *problem) {
    int *uses = arena_array(problem->arena, (size_t)problem->count + 1, sizeof(int));
    count_uses(problem, uses);
    const bool *recurrent = problem->recurrent;
    bool has_mac = false;
    for (int i = 0; i < problem->count; i++) {
        if (!is_sum(&problem->body[i]) || !recurrent[i]) continue;
        for (int n = 0; n < 2; n++) {
            int product = product_of(problem, problem->body[i].operands[n]);
            if (product < 0 || recurrent[product] || uses[product] != 1) continue;
            problem->roles[i] = problem->roles[product] = ROLE_MAC;
            has_mac = true;
        }
    }
    for (int i = 0; has_mac && i < problem->count; i++)
        if (problem->roles[i] != ROLE_MAC) problem->roles[i] = ROLE_TAIL;
}
