/* Pass "combine": two stores to one element, of which one or the other happens, become one.
 *
 *     store a, m[i] if p and c                        %0 = select c, a, b
 *     store b, m[i] if p and not c              =>    store %0, m[i] if p
 *
 * Nothing in between accesses the memory. One store needs the write port for one cycle, and it
 * always happens where c alone decided: so nothing has to be there before. */
#include "loop/body.h"
#include "loop/predicates.h"
#include "loop/transform.h"

/* Two stores, and what they differ in. */
typedef struct Pair {
    int first, second; /* operations */
    int condition;     /* the conjunct of the first one whose opposite the second one has */
    int common[MOST_LEAVES], common_count; /* their other conjuncts */
} Pair;

static int find(const int *list, int count, int value) {
    for (int i = 0; i < count; i++)
        if (list[i] == value) return i;
    return -1;
}

/* The only item of a that b does not have; -1 if there are none or several. */
static int only_difference(const int *a, int a_count, const int *b, int b_count) {
    int difference = -1;
    for (int i = 0; i < a_count; i++) {
        if (find(b, b_count, a[i]) >= 0) continue;
        if (difference >= 0) return -1;
        difference = a[i];
    }
    return difference;
}

static bool exclude_each_other(const Nest *nest, Pair *pair) {
    int a[MOST_LEAVES], b[MOST_LEAVES];
    int a_count = predicate_leaves(nest, nest->body.items[pair->first].predicate, a);
    int b_count = predicate_leaves(nest, nest->body.items[pair->second].predicate, b);
    if (a_count > MOST_LEAVES || b_count > MOST_LEAVES) return false;
    pair->condition = only_difference(a, a_count, b, b_count);
    int other = only_difference(b, b_count, a, a_count);
    if (pair->condition < 0 || other < 0 || !values_are_opposite(nest, pair->condition, other))
        return false;
    pair->common_count = 0;
    for (int i = 0; i < a_count; i++)
        if (a[i] != pair->condition) pair->common[pair->common_count++] = a[i];
    return true;
}

static int next_access(const Nest *nest, int index) {
    int memory = nest->body.items[index].memory;
    for (int i = index + 1; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]) && nest->body.items[i].memory == memory)
            return i;
    return -1;
}

static bool find_pair(const Nest *nest, Pair *pair) {
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *first = &nest->body.items[i];
        if (first->opcode != OP_STORE || first->computed) continue;
        *pair = (Pair){.first = i, .second = next_access(nest, i)};
        if (pair->second < 0) continue;
        const Operation *second = &nest->body.items[pair->second];
        if (second->opcode == OP_STORE && !second->computed &&
            affine_equal(&first->affine, &second->affine, nest->loop_count) &&
            exclude_each_other(nest, pair))
            return true;
    }
    return false;
}

/* The second store becomes both of them. */
static void combine(Arena *arena, Nest *nest, const Pair *pair) {
    Vector(Operation) rest = {0};
    for (int i = pair->second; i < nest->body.count; i++)
        vector_push(arena, &rest, nest->body.items[i]);
    nest->body.count = pair->second;
    int data = append_select(arena, nest, pair->condition,
                             nest->body.items[pair->first].operands[0], rest.items[0].operands[0]);
    rest.items[0].operands[0] = data;
    rest.items[0].predicate = -1;
    for (int i = 0; i < pair->common_count; i++)
        rest.items[0].predicate = append_and(arena, nest, rest.items[0].predicate, pair->common[i]);
    int shift = nest->body.count - pair->second;
    for (int i = 0; i < rest.count; i++) {
        Operation operation = rest.items[i];
        for (int k = 0; k < operation_operands(&operation); k++)
            if (operation.operands[k] >= pair->second && i > 0) operation.operands[k] += shift;
        if (operation.predicate >= pair->second && i > 0) operation.predicate += shift;
        nest_append(arena, nest, operation);
    }
    bool *keep = arena_array(arena, (size_t)nest->body.count, sizeof *keep);
    for (int i = 0; i < nest->body.count; i++) keep[i] = i != pair->first;
    nest_compact(arena, nest, keep);
}

static void combine_nest(Nest *nest, void *context) {
    const Program *program = context;
    Pair pair;
    while (find_pair(nest, &pair)) combine(program->arena, nest, &pair);
}

bool pass_combine(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    program_each_nest(program, combine_nest, program);
    return fold_program(program);
}
