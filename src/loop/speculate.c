/* Pass "speculate": loads read even where nobody looks at the result.
 *
 * A predicate on a load costs a multiplexer that gives 0 where it is false. It is dropped if the
 * address is in range in every iteration anyway, and what the value reaches is only looked at where
 * the predicate holds: a SELECT that takes the other side then, a STORE under the same predicate.
 */
#include "loop/body.h"
#include "loop/transform.h"

enum { MOST_LEAVES = 32 };

/* The conjuncts of a predicate. */
static int leaves_of(const Nest *nest, int predicate, int *leaves, int count) {
    if (predicate < 0) return count;
    const Operation *operation = &nest->body.items[predicate];
    if (operation->opcode == OP_AND) {
        count = leaves_of(nest, operation->operands[0], leaves, count);
        return leaves_of(nest, operation->operands[1], leaves, count);
    }
    if (count < MOST_LEAVES) leaves[count] = predicate;
    return count + 1;
}

/* True if the first predicate holds only where the second does. */
static bool implies(const Nest *nest, int first, int second) {
    int given[MOST_LEAVES], wanted[MOST_LEAVES];
    int givens = leaves_of(nest, first, given, 0), wants = leaves_of(nest, second, wanted, 0);
    if (givens > MOST_LEAVES || wants > MOST_LEAVES) return false;
    for (int i = 0; i < wants; i++) {
        bool found = false;
        for (int k = 0; k < givens; k++) found = found || given[k] == wanted[i];
        if (!found) return false;
    }
    return true;
}

static bool is_not(const Nest *nest, const Operation *operation, int of) {
    if (operation->opcode != OP_XOR || operation->operands[0] != of) return false;
    const Operation *one = &nest->body.items[operation->operands[1]];
    return one->opcode == OP_CONSTANT && one->bits == 1;
}

/* True if one of the two i1 values is 1 exactly where the other is 0. */
static bool are_opposite(const Nest *nest, int first, int second) {
    const Operation *a = &nest->body.items[first], *b = &nest->body.items[second];
    if (is_not(nest, a, second) || is_not(nest, b, first)) return true;
    return a->opcode == OP_COMPARE && b->opcode == OP_COMPARE && a->operands[0] == b->operands[0] &&
           a->operands[1] == b->operands[1] &&
           ((a->condition == COMPARE_EQ && b->condition == COMPARE_NE) ||
            (a->condition == COMPARE_NE && b->condition == COMPARE_EQ));
}

/* True if operation `user` looks at `value` only where the predicate holds, given that its own
 * result is so looked at (`hidden`). */
static bool looks_under(const Nest *nest, int user, int value, int predicate, bool hidden) {
    const Operation *operation = &nest->body.items[user];
    if (operation->predicate == value) return false;
    if (operation_is_access(operation)) {
        int address = operation_address(operation);
        if (address >= 0 && operation->operands[address] == value) return false;
        return implies(nest, operation->predicate, predicate);
    }
    if (hidden) return true;
    if (operation->opcode != OP_SELECT || operation->operands[0] == value) return false;
    int condition = operation->operands[0];
    bool taken = operation->operands[1] == value, other = operation->operands[2] == value;
    if (taken && other) return false;
    return taken ? condition == predicate : are_opposite(nest, condition, predicate);
}

static bool uses(const Operation *operation, int value) {
    for (int k = 0; k < operation_operands(operation); k++)
        if (operation->operands[k] == value) return true;
    return operation->predicate == value;
}

/* hidden[i]: all that look at operation i do so only where the predicate holds. */
static bool is_hidden(Arena *arena, const Nest *nest, int load) {
    bool *hidden = arena_array(arena, (size_t)nest->body.count, sizeof *hidden);
    int predicate = nest->body.items[load].predicate;
    for (int i = nest->body.count - 1; i >= load; i--) {
        hidden[i] = true;
        for (int user = i + 1; hidden[i] && user < nest->body.count; user++)
            if (uses(&nest->body.items[user], i))
                hidden[i] = looks_under(nest, user, i, predicate, hidden[user]);
    }
    return hidden[load];
}

static bool is_stored(const Nest *nest, int memory) {
    for (int i = 0; i < nest->body.count; i++)
        if (nest->body.items[i].opcode == OP_STORE && nest->body.items[i].memory == memory)
            return true;
    return false;
}

static void speculate_nest(Nest *nest, void *context) {
    const Program *program = context;
    Arena *scratch = arena_new();
    for (int i = 0; i < nest->body.count; i++) {
        Operation *load = &nest->body.items[i];
        if (load->opcode != OP_LOAD || load->predicate < 0 || load->computed) continue;
        Range range = affine_range(nest, &load->affine);
        if (range.low < 0 || range.high >= (int64_t)program->memories.items[load->memory].elements)
            continue;
        /* An affine predicate may keep the load apart from stores: then it stays. */
        Constraints list = {0};
        if (is_stored(nest, load->memory) &&
            predicate_constraints(scratch, nest, load->predicate, &list))
            continue;
        if (is_hidden(scratch, nest, i)) load->predicate = -1;
    }
    nest_remove_dead(program->arena, nest);
    arena_free(scratch);
}

bool pass_speculate(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    program_each_nest(program, speculate_nest, program);
    return true;
}
