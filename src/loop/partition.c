/* Memories cut into banks, and copies of memories: more accesses per cycle.
 *
 * A bank is a memory of its own from here on, so that all later stages treat it like any other one.
 * An access with subscript Q in the cut dimension goes to bank Q mod F, place floor(Q / F). With Q
 * = F x A + B, A and B affine and B in 0 .. F-1, these are B and A. Loops are split where that
 * makes such a B; else B is taken apart by shift and mask if F is a power of two, and if not, by
 * multiplication with a constant. */
#include "loop/cut.h"
#include "loop/reshape.h"

/* --- splitting loops --- */

static void split_for_views(Nest *nest, void *context) {
    Program *program = context;
    Affine subscripts[MAX_RANK];
    for (int i = 0, tries = 0; i < nest->body.count; i++) {
        int loop;
        int64_t inner;
        if (!operation_is_access(&nest->body.items[i]) || nest->loop_count >= MAX_RANK) continue;
        if (access_subscripts(program->arena, program, nest, i, subscripts, &loop, &inner))
            continue;
        if (loop < 0 || ++tries > MAX_RANK) continue;
        nest_split(program->arena, nest, loop, inner);
        i = -1;
    }
}

void program_split_views(Program *program) {
    program_each_nest(program, split_for_views, program);
}

bool memory_has_subscripts(const Program *program, const Users *users, int memory) {
    Affine subscripts[MAX_RANK];
    int loop;
    int64_t inner;
    for (int u = 0; u < users->count; u++) {
        const Nest *nest = users->items[u];
        for (int i = 0; i < nest->body.count; i++) {
            const Operation *operation = &nest->body.items[i];
            if (operation_is_access(operation) && operation->memory == memory &&
                !access_subscripts(program->arena, program, nest, i, subscripts, &loop, &inner))
                return false;
        }
    }
    return true;
}

/* --- who accesses what --- */

typedef struct Finder {
    Arena *arena;
    Users *users;
} Finder;

static void find_users(Nest *nest, void *context) {
    const Finder *finder = context;
    for (int i = 0; i < nest->body.count; i++) {
        if (!operation_is_access(&nest->body.items[i])) continue;
        Users *users = &finder->users[nest->body.items[i].memory];
        if (users->count == 0 || users->items[users->count - 1] != nest)
            vector_push(finder->arena, users, nest);
    }
}

Users *program_users(Program *program, Arena *arena) {
    Finder finder = {arena, arena_array(arena, (size_t)program->memories.count + 1, sizeof(Users))};
    program_each_nest(program, find_users, &finder);
    return finder.users;
}

/* --- where an access goes --- */

/* Takes what belongs to the bank out of a subscript, and leaves the place. */
static void take_bank(const Cut *cut, const Nest *nest, int dimension, Affine *subscript,
                      Target *target) {
    int loops = nest->loop_count, factor = cut->factors[dimension];
    Affine *bank = &target->banks[dimension];
    *bank = affine_new(cut->program->arena, loops, subscript->constant);
    for (int l = 0; l < loops; l++) {
        int64_t coefficient = subscript->coefficients[l];
        bool whole = coefficient % factor == 0;
        bank->coefficients[l] = whole ? 0 : coefficient;
        subscript->coefficients[l] = whole ? coefficient / factor : 0;
    }
    Range range = affine_range(nest, bank);
    subscript->constant = floor_divide(range.low, factor);
    bank->constant -= subscript->constant * factor;
    target->carries[dimension] = range.high - subscript->constant * factor >= factor;
}

bool cut_target(const Cut *cut, const Nest *nest, int operation, Target *target) {
    Arena *arena = cut->program->arena;
    int loop;
    int64_t inner;
    Affine subscripts[MAX_RANK];
    if (!access_subscripts(arena, cut->program, nest, operation, subscripts, &loop, &inner))
        return false;
    target->address = affine_new(arena, nest->loop_count, 0);
    for (int d = 0; d < cut->rank; d++) {
        take_bank(cut, nest, d, &subscripts[d], target);
        target->address =
            affine_sum(arena, &target->address, &subscripts[d], cut->weights[d], nest->loop_count);
    }
    return true;
}

bool cut_accesses(const Cut *cut, const Operation *operation) {
    return operation_is_access(operation) && operation->memory == cut->memory;
}

/* Splits a loop, unless an access has no subscripts then. */
static bool try_split(const Cut *cut, Nest *nest, int loop, int64_t inner) {
    if (nest->loops[loop].trip <= inner || nest->loops[loop].trip % inner != 0) return false;
    Nest old = *nest;
    Target target;
    nest_split(cut->program->arena, nest, loop, inner);
    for (int i = 0; i < nest->body.count; i++) {
        if (!cut_accesses(cut, &nest->body.items[i]) || cut_target(cut, nest, i, &target)) continue;
        *nest = old;
        return false;
    }
    return true;
}

/* Splits one loop so that the bank of an access gets simpler; false if there is none. */
static bool split_for_bank(const Cut *cut, Nest *nest) {
    if (nest->loop_count >= MAX_RANK) return false;
    for (int i = 0; i < nest->body.count; i++) {
        Target target;
        if (!cut_accesses(cut, &nest->body.items[i]) || !cut_target(cut, nest, i, &target))
            continue;
        for (int k = 0; k < cut->rank * nest->loop_count; k++) {
            int d = k / nest->loop_count, l = k % nest->loop_count;
            int64_t coefficient = target.banks[d].coefficients[l];
            if (!target.carries[d] || coefficient == 0 || l < nest->outer) continue;
            if (try_split(cut, nest, l,
                          cut->factors[d] / greatest_common_divisor(coefficient, cut->factors[d])))
                return true;
        }
    }
    return false;
}

static void cut_nest(const Cut *cut, Nest *nest) {
    while (split_for_bank(cut, nest)) {
    }
    cut_body(cut, nest);
}

/* --- the memories --- */

/* Constant data goes to where it is in the banks. */
static void spread_data(const Cut *cut, const Memory *whole, void *const *banks) {
    int64_t index[MAX_RANK] = {0};
    for (size_t element = 0; element < whole->elements; element++) {
        int64_t place = 0, bank = 0;
        for (int d = 0; d < whole->rank; d++) {
            place += cut->weights[d] * (index[d] / cut->factors[d]);
            bank = bank * cut->factors[d] + index[d] % cut->factors[d];
        }
        bits_store(whole->type, banks[bank], (size_t)place,
                   bits_load(whole->type, whole->data, element));
        for (int d = whole->rank - 1; d >= 0 && ++index[d] == whole->shape[d]; d--) index[d] = 0;
    }
}

static void add_banks(Cut *cut) {
    Program *program = cut->program;
    cut->first_bank = program->memories.count;
    void **data = arena_array(program->arena, (size_t)cut->banks, sizeof(void *));
    for (int bank = 0; bank < cut->banks; bank++) {
        const Memory whole = program->memories.items[cut->memory];
        Memory part = whole;
        part.name = string_format(program->arena, "%s_bank%d", whole.name, bank);
        part.elements = 1;
        for (int d = part.rank - 1; d >= 0; d--) {
            part.shape[d] = (whole.shape[d] + cut->factors[d] - 1) / cut->factors[d];
            cut->weights[d] = (int64_t)part.elements;
            part.elements *= (size_t)part.shape[d];
            part.partition[d] = (Partition){PARTITION_NONE, 1};
        }
        if (whole.data)
            part.data = data[bank] =
                arena_array(program->arena, part.elements + 1, scalar_bytes(part.type));
        if (whole.kind == MEMORY_INPUT || whole.kind == MEMORY_OUTPUT) {
            part.tensor = cut->memory;
            part.bank = bank;
            part.is_bank = true;
        }
        vector_push(program->arena, &program->memories, part);
    }
    const Memory *whole = &program->memories.items[cut->memory];
    if (whole->data) spread_data(cut, whole, data);
}

/* Nothing accesses the memory any more. The description of a tensor stays, a bank goes. */
static void retire(Program *program, int memory) {
    Memory *old = &program->memories.items[memory];
    if (!old->is_bank) return;
    old->is_bank = false;
    old->kind = MEMORY_LOCAL;
}

void memory_partition(Program *program, const Users *users, int memory, const int *factors) {
    Cut cut = {.program = program,
               .memory = memory,
               .rank = program->memories.items[memory].rank,
               .banks = 1};
    for (int d = 0; d < cut.rank; d++) {
        cut.factors[d] = factors[d];
        cut.banks *= factors[d];
    }
    add_banks(&cut);
    for (int u = 0; u < users->count; u++) cut_nest(&cut, users->items[u]);
    for (int d = 0; d < cut.rank; d++)
        if (factors[d] > 1)
            program->memories.items[memory].partition[d] =
                (Partition){PARTITION_CYCLIC, factors[d]};
}

/* --- copies --- */

/* Each of `banks` memories from `memory` on gets `count` copies, which follow from `first` on. */
typedef struct Copies {
    Program *program;
    int memory, banks, first, count;
} Copies;

static void copy_nest(const Copies *copies, Nest *nest) {
    Arena *arena = copies->program->arena;
    Nest old = *nest;
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof(int));
    int *loads = arena_array(arena, (size_t)copies->banks, sizeof(int)); /* so far, per bank */
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        int bank = operation_is_access(&operation) ? operation.memory - copies->memory : -1;
        bool is_copied = bank >= 0 && bank < copies->banks, is_store = operation.opcode == OP_STORE;
        int copy = copies->first + bank * copies->count;
        if (is_copied) operation.memory = copy + (is_store ? 0 : loads[bank]++ % copies->count);
        moved[i] = nest_append(arena, nest, operation);
        for (int k = 1; is_copied && is_store && k < copies->count; k++) {
            operation.memory = copy + k;
            nest_append(arena, nest, operation);
        }
    }
}

static void add_copies(const Copies *copies, int memory) {
    Program *program = copies->program;
    for (int copy = 0; copy < copies->count; copy++) {
        Memory part = program->memories.items[memory];
        part.name = string_format(program->arena, "%s_copy%d", part.name, copy);
        /* The host writes all copies of an input and reads one of an output. */
        if (part.kind == MEMORY_OUTPUT && copy > 0) {
            part.kind = MEMORY_LOCAL;
            part.is_bank = false;
        } else if (part.kind != MEMORY_LOCAL && part.kind != MEMORY_CONSTANT && !part.is_bank) {
            part.tensor = memory;
            part.bank = 0;
            part.is_bank = true;
        }
        vector_push(program->arena, &program->memories, part);
    }
}

void memory_replicate(Program *program, const Users *users, int memory, int banks, int count) {
    Copies copies = {program, memory, banks, program->memories.count, count};
    for (int bank = 0; bank < banks; bank++) add_copies(&copies, memory + bank);
    for (int u = 0; u < users->count; u++) copy_nest(&copies, users->items[u]);
    for (int bank = 0; bank < banks; bank++) retire(program, memory + bank);
}
