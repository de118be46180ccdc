/* Pass "contract": partial sums live in a buffer of as many elements as are in flight.
 *
 * A reduction that starts afresh at its first step needs its sums only until the last one. Loops
 * outside of all reduction loops so need no elements of their own: the sums of (oc, oh, ic, kh, kw,
 * ow) are ow elements, whatever the output's size. A memory that is nothing but such sums shrinks
 * to that; where it is read elsewhere too the sums get a buffer of their own, and the memory only
 * their last values. */
#include "loop/fusion.h"

typedef struct Sum {
    int memory, load, store;
    int first_reduction; /* position of the outermost reduction loop */
    int64_t elements;    /* in flight */
    bool alone;          /* nothing else accesses the memory */
} Sum;

static bool find_sum(Arena *arena, const Nest *nest, int memory, Sum *sum) {
    sum->memory = memory;
    sum->load = only_access(nest, OP_LOAD, memory);
    sum->store = only_access(nest, OP_STORE, memory);
    if (sum->load < 0 || sum->store < sum->load) return false;
    const Operation *load = &nest->body.items[sum->load], *store = &nest->body.items[sum->store];
    if (load->computed || store->computed || store->predicate >= 0) return false;
    if (!affine_equal(&load->affine, &store->affine, nest->loop_count)) return false;
    if (!form_is_injective(nest, &load->affine)) return false;
    if (form_repetitions(nest, &load->affine) == 1) return false;
    return is_after_first(arena, nest, &load->affine, load->predicate);
}

static void measure(const Nest *nest, Sum *sum) {
    const Affine *form = &nest->body.items[sum->load].affine;
    sum->first_reduction = nest->outer;
    while (form->coefficients[sum->first_reduction] != 0) sum->first_reduction++;
    sum->elements = 1;
    for (int i = sum->first_reduction; i < nest->loop_count; i++)
        if (form->coefficients[i] != 0) sum->elements *= nest->loops[i].trip;
}

/* The row-major address over the loops that are kept, and their trip counts as the shape. */
static Affine buffer_address(Arena *arena, const Nest *nest, const Sum *sum, Memory *memory) {
    const Affine *form = &nest->body.items[sum->load].affine;
    Affine address = affine_new(arena, nest->loop_count, 0);
    int64_t weight = 1;
    int rank = 0;
    for (int i = nest->loop_count - 1; i >= sum->first_reduction; i--) {
        if (form->coefficients[i] == 0) continue;
        address.coefficients[i] = weight;
        weight *= nest->loops[i].trip;
        rank++;
    }
    memory->rank = rank > 0 ? rank : 1;
    memory->shape[0] = 1;
    for (int i = sum->first_reduction, k = 0; i < nest->loop_count; i++)
        if (form->coefficients[i] != 0) memory->shape[k++] = nest->loops[i].trip;
    for (int i = 0; i < memory->rank; i++) memory->partition[i] = (Partition){PARTITION_NONE, 1};
    memory->elements = (size_t)weight;
    return address;
}

static void contract(Program *program, Nest *nest, const Sum *sum) {
    Arena *arena = program->arena;
    Memory buffer = program->memories.items[sum->memory];
    Operation last = nest->body.items[sum->store];
    Affine form = last.affine;
    Affine address = buffer_address(arena, nest, sum, &buffer);
    nest->body.items[sum->load].affine = address;
    nest->body.items[sum->store].affine = address;
    if (sum->alone) {
        program->memories.items[sum->memory] = buffer;
        return;
    }
    int memory = local_memory(program, &buffer, "sum");
    nest->body.items[sum->load].memory = memory;
    nest->body.items[sum->store].memory = memory;
    last.predicate = edge_of_repetitions(arena, nest, &form, true);
    nest_append(arena, nest, last);
}

typedef struct Context {
    Program *program;
    const int *users;
} Context;

static void contract_nest(Nest *nest, void *context) {
    const Context *contraction = context;
    Arena *scratch = arena_new();
    int last = nest->body.count; /* contracting appends */
    for (int i = 0; i < last; i++) {
        Operation store = nest->body.items[i];
        Sum sum;
        if (store.opcode != OP_STORE || !find_sum(scratch, nest, store.memory, &sum)) continue;
        measure(nest, &sum);
        const Memory *memory = &contraction->program->memories.items[store.memory];
        /* One element that is no register yet becomes one. */
        bool shrinks = sum.elements < (int64_t)memory->elements;
        if (!shrinks && (sum.elements > 1 || memory_is_register(memory))) continue;
        sum.alone = contraction->users[store.memory] == 1;
        contract(contraction->program, nest, &sum);
    }
    arena_free(scratch);
}

bool pass_contract(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    Context context = {program, memory_users(program)};
    program_each_nest(program, contract_nest, &context);
    return fold_program(program);
}
