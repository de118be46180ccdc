/* Pass "expand": a scalar that the iterations of outer loops use one after the other becomes one
 * element for each of them.
 *
 *     for i, k {                                       for i, k {
 *       store a, t[0] if k == 0                          %0 = load t[i] if not (k == 0)
 *       %1 = load t[0]                                   %1 = select (k == 0), a, %0
 *       store f(%1), t[0] if p                 =>        %2 = select p, f(%1), %1
 *       %3 = load t[0] if k == last                      store %2, t[i]
 *       ... %3 ...                                       ... select (k == last), %2, 0 ...
 *     }                                                }
 *
 * Nothing else may access the scalar, and the first access must be a store in exactly the first
 * iteration of all inner loops: so what is loaded is always of this iteration of the outer ones.
 * The sums of different i do not wait for each other then, and other passes can move i inside k,
 * or make copies of the body. What nobody needs of the elements "contract" takes back. */
#include "loop/fusion.h"

typedef struct Variable {
    int memory;
    int first;      /* the store that starts it */
    Affine address; /* of the element: row-major over the outer ones of the own loops */
} Variable;

/* The address over the own loops before `inner`. */
static Affine address_over(Arena *arena, const Nest *nest, int inner) {
    Affine address = affine_new(arena, nest->loop_count, 0);
    int64_t weight = 1;
    for (int i = inner - 1; i >= nest->outer; i--) {
        address.coefficients[i] = weight;
        weight *= nest->loops[i].trip;
    }
    return address;
}

static int first_access(const Nest *nest, int memory) {
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]) && nest->body.items[i].memory == memory)
            return i;
    return -1;
}

static bool any_computed(const Nest *nest, int memory) {
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *access = &nest->body.items[i];
        if (operation_is_access(access) && access->memory == memory && access->computed)
            return true;
    }
    return false;
}

/* Finds the loops that the scalar lives through, such that there are others around them. */
static bool find_address(Arena *arena, const Nest *nest, Variable *variable) {
    variable->first = first_access(nest, variable->memory);
    if (variable->first < 0 || any_computed(nest, variable->memory)) return false;
    const Operation *store = &nest->body.items[variable->first];
    if (store->opcode != OP_STORE || store->predicate < 0) return false;
    for (int inner = nest->outer + 1; inner < nest->loop_count; inner++) {
        variable->address = address_over(arena, nest, inner);
        if (is_edge_of_repetitions(arena, nest, &variable->address, false, store->predicate))
            return true;
    }
    return false;
}

static Operation access_of_element(Opcode opcode, const Variable *variable, Scalar type) {
    Operation access = operation_new(opcode, type);
    access.memory = variable->memory;
    access.affine = variable->address;
    return access;
}

/* The value of the element before the first store: of the iteration before, or what is stored. */
static int start_value(Arena *arena, Nest *nest, const Variable *variable, const Operation *store) {
    Operation load = access_of_element(OP_LOAD, variable, store->type);
    int one = append_constant(arena, nest, SCALAR_I(1), 1);
    load.predicate = append_binary(arena, nest, OP_XOR, store->predicate, one);
    int before = nest_append(arena, nest, load);
    return append_select(arena, nest, store->predicate, store->operands[0], before);
}

/* Copies the body, with the value of the element in place of all accesses but one of each kind. */
static void rewrite(Arena *arena, Nest *nest, const Variable *variable) {
    Nest result = *nest;
    result.body.items = NULL;
    result.body.count = result.body.capacity = 0;
    int *moved = arena_array(arena, (size_t)nest->body.count + 1, sizeof *moved);
    int value = -1;
    for (int i = 0; i < nest->body.count; i++) {
        Operation operation = nest->body.items[i];
        for (int k = 0; k < operation_operands(&operation); k++)
            operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        if (!operation_is_access(&operation) || operation.memory != variable->memory) {
            moved[i] = nest_append(arena, &result, operation);
        } else if (i == variable->first) {
            value = start_value(arena, &result, variable, &operation);
        } else if (operation.predicate < 0) {
            moved[i] = value;
            if (operation.opcode == OP_STORE) value = operation.operands[0];
        } else if (operation.opcode == OP_STORE) {
            value =
                append_select(arena, &result, operation.predicate, operation.operands[0], value);
        } else {
            int zero = append_constant(arena, &result, operation.type, 0);
            moved[i] = append_select(arena, &result, operation.predicate, value, zero);
        }
    }
    Operation last = access_of_element(OP_STORE, variable, result.body.items[value].type);
    last.operands[0] = value;
    nest_append(arena, &result, last);
    *nest = result;
}

static void resize(Memory *memory, const Nest *nest, const Variable *variable) {
    memory->elements = (size_t)form_iterations(nest, &variable->address);
    memory->rank = 1;
    memory->shape[0] = (int64_t)memory->elements;
    memory->partition[0] = (Partition){PARTITION_NONE, 1};
}

typedef struct Context {
    Program *program;
    const int *users;
} Context;

static void expand_nest(Nest *nest, void *data) {
    const Context *context = data;
    for (int m = 0; m < context->program->memories.count; m++) {
        Memory *memory = &context->program->memories.items[m];
        Variable variable = {.memory = m};
        if (!memory_is_register(memory) || context->users[m] != 1) continue;
        if (!find_address(context->program->arena, nest, &variable)) continue;
        rewrite(context->program->arena, nest, &variable);
        resize(memory, nest, &variable);
    }
}

bool pass_expand(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    Context context = {program, memory_users(program)};
    program_each_nest(program, expand_nest, &context);
    return fold_program(program);
}
