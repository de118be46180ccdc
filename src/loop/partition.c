/* Memories cut into banks, and copies of memories: more accesses per cycle.
 *
 * A bank is a memory of its own from here on, so that all later stages treat it like any other one. An access
 * with subscript Q in the cut dimension goes to bank Q mod F, place floor(Q / F). With Q = F x A + B, A and B affine and
 * B in 0 .. F-1, these are B and A. Loops are split where that makes such a B; else B is taken apart by
 * shift and mask, for which F must be a power of two. */
#include "loop/partition.h"

#include <string.h>

#include "loop/reshape.h"

/* What happens to one memory. */
typedef struct Cut {
    Program *program;
    int memory, dimension, factor;
    int first_bank; /* index of bank 0 */
    int64_t stride; /* of the cut dimension, in a bank */
    int64_t weights[MAX_RANK]; /* strides of all dimensions, in a bank */
} Cut;

/* An access of a cut memory: subscript = factor x place + bank + factor x carry of `bank`. */
typedef struct Target {
    Affine bank;    /* B */
    Affine address; /* in the bank, without what B carries over */
    bool carries;   /* B leaves 0 .. factor-1 */
} Target;

static int64_t greatest_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* --- splitting loops --- */

static void split_for_views(Nest *nest, void *context) {
    Program *program = context;
    Affine subscripts[MAX_RANK];
    for (int i = 0, tries = 0; i < nest->body.count; i++) {
        int loop;
        int64_t inner;
        if (!operation_is_access(&nest->body.items[i]) || nest->loop_count >= MAX_RANK) continue;
        if (access_subscripts(program->arena, program, nest, i, subscripts, &loop, &inner)) continue;
        if (loop < 0 || ++tries > MAX_RANK) continue;
        nest_split(program->arena, nest, loop, inner);
        i = -1;
    }
}

void program_split_views(Program *program) { program_each_nest(program, split_for_views, program); }

typedef struct Question {
    Program *program;
    int memory;
    bool answer;
} Question;

static void ask_subscripts(Nest *nest, void *context) {
    Question *question = context;
    Affine subscripts[MAX_RANK];
    int loop;
    int64_t inner;
    for (int i = 0; i < nest->body.count && question->answer; i++) {
        const Operation *operation = &nest->body.items[i];
        if (!operation_is_access(operation) || operation->memory != question->memory) continue;
        question->answer = access_subscripts(question->program->arena, question->program, nest, i,
                                             subscripts, &loop, &inner);
    }
}

bool memory_has_subscripts(Program *program, int memory) {
    Question question = {program, memory, true};
    program_each_nest(program, ask_subscripts, &question);
    return question.answer;
}

/* --- where an access goes --- */

static Target target_of(const Cut *cut, const Nest *nest, int operation) {
    Arena *arena = cut->program->arena;
    int loops = nest->loop_count, loop;
    int64_t inner;
    Affine subscripts[MAX_RANK];
    access_subscripts(arena, cut->program, nest, operation, subscripts, &loop, &inner);
    Affine *subscript = &subscripts[cut->dimension];
    Target target = {affine_new(arena, loops, subscript->constant), affine_new(arena, loops, 0), false};
    Affine place = affine_new(arena, loops, 0);
    for (int l = 0; l < loops; l++) {
        int64_t coefficient = subscript->coefficients[l];
        if (coefficient % cut->factor == 0)
            place.coefficients[l] = coefficient / cut->factor;
        else
            target.bank.coefficients[l] = coefficient;
    }
    Range range = affine_range(nest, &target.bank);
    int64_t whole = floor_divide(range.low, cut->factor);
    target.bank.constant -= whole * cut->factor;
    place.constant = whole;
    target.carries = range.high - whole * cut->factor >= cut->factor;
    *subscript = place;
    for (int d = 0; d < cut->program->memories.items[cut->memory].rank; d++)
        target.address = affine_sum(arena, &target.address, &subscripts[d], cut->weights[d], loops);
    return target;
}

/* Splits one loop so that the bank of an access gets simpler; false if there is none. */
static bool split_for_bank(const Cut *cut, Nest *nest) {
    Arena *arena = cut->program->arena;
    if (nest->loop_count >= MAX_RANK) return false;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (!operation_is_access(operation) || operation->memory != cut->memory) continue;
        Target target = target_of(cut, nest, i);
        for (int l = nest->outer; l < nest->loop_count && target.carries; l++) {
            if (target.bank.coefficients[l] == 0) continue;
            int64_t inner =
                cut->factor / greatest_divisor(target.bank.coefficients[l], cut->factor);
            if (nest->loops[l].trip <= inner || nest->loops[l].trip % inner != 0) continue;
            nest_split(arena, nest, l, inner);
            return true;
        }
    }
    return false;
}

/* --- rewriting accesses --- */

/* The operations that say which bank, and the address, of one access. */
typedef struct Choice {
    const Target *target;
    int index; /* B as a value; -1 if not needed */
    int address; /* computed address, or -1 */
} Choice;

static int index_of_width(Arena *arena, Nest *nest, const Affine *form, int width) {
    Operation operation = operation_new(OP_INDEX, SCALAR_I(width));
    operation.affine = affine_copy(arena, form, nest->loop_count);
    return nest_append(arena, nest, operation);
}

static int binary_constant(Arena *arena, Nest *nest, Opcode opcode, int value, int64_t constant) {
    Scalar type = nest->body.items[value].type;
    int other = append_constant(arena, nest, type, (Bits)constant & bits_mask(type.width));
    return append_binary(arena, nest, opcode, value, other);
}

/* For a bank that carries: value and address by shift and mask. */
static Choice computed_choice(const Cut *cut, Nest *nest, const Target *target) {
    Arena *arena = cut->program->arena;
    Range bank = affine_range(nest, &target->bank), address = affine_range(nest, &target->address);
    Range carried = range_scale(bank, cut->stride);
    int width = range_width(range_union(range_union(bank, range_add(address, carried)), address), true) + 1;
    int shift = 0;
    while (1 << shift < cut->factor) shift++;
    int value = index_of_width(arena, nest, &target->bank, width);
    int carry = binary_constant(arena, nest, OP_SHIFT_RIGHT_SIGNED, value, shift);
    int offset = binary_constant(arena, nest, OP_MULTIPLY, carry, cut->stride);
    int base = index_of_width(arena, nest, &target->address, width);
    Choice choice = {target, binary_constant(arena, nest, OP_AND, value, cut->factor - 1),
                     append_binary(arena, nest, OP_ADD, base, offset)};
    return choice;
}

/* An i1 that is 1 if the access is to `bank`; -1 if it always is. */
static int bank_predicate(const Cut *cut, Nest *nest, const Choice *choice, int bank, bool *never) {
    Arena *arena = cut->program->arena;
    *never = false;
    if (choice->index >= 0) {
        Scalar type = nest->body.items[choice->index].type;
        int constant = append_constant(arena, nest, type, (Bits)bank);
        return append_compare(arena, nest, OP_COMPARE, COMPARE_EQ, choice->index, constant);
    }
    Affine form = affine_copy(arena, &choice->target->bank, nest->loop_count);
    form.constant -= bank;
    return append_constraint(arena, nest, &form, true, never);
}

/* The access `operation` in one bank; -1 if it never happens there. */
static int access_in_bank(const Cut *cut, Nest *nest, Operation operation, const Choice *choice, int bank) {
    Arena *arena = cut->program->arena;
    bool never;
    int chosen = bank_predicate(cut, nest, choice, bank, &never);
    if (never) return -1;
    operation.predicate = append_and(arena, nest, operation.predicate, chosen);
    operation.memory = cut->first_bank + bank;
    operation.affine = affine_copy(arena, &choice->target->address, nest->loop_count);
    if (choice->address >= 0) {
        operation.computed = true;
        operation.operands[operation.opcode == OP_STORE] = choice->address;
    }
    return nest_append(arena, nest, operation);
}

/* The or of the bits of two values of one type: all loads but one give 0. */
static int merge_bits(Arena *arena, Nest *nest, int a, int b) {
    if (nest->body.items[a].type.kind == SCALAR_FLOAT) {
        Scalar type = nest->body.items[a].type, bits = SCALAR_I(type.width);
        a = append_unary(arena, nest, OP_BITCAST, bits, a);
        b = append_unary(arena, nest, OP_BITCAST, bits, b);
        return append_unary(arena, nest, OP_BITCAST, type,
                            append_binary(arena, nest, OP_OR, a, b));
    }
    return append_binary(arena, nest, OP_OR, a, b);
}

/* Merges values pairwise, so that the depth is the logarithm of their number. */
static int merge_all(Arena *arena, Nest *nest, int *values, int count) {
    for (; count > 1; count = (count + 1) / 2)
        for (int i = 0; i < count / 2 + count % 2; i++)
            values[i] = 2 * i + 1 < count ? merge_bits(arena, nest, values[2 * i], values[2 * i + 1])
                                          : values[2 * i];
    return values[0];
}

/* Puts an access of the cut memory into the new body; returns its value. */
static int cut_access(const Cut *cut, Nest *nest, Operation operation, const Target *target) {
    Arena *arena = cut->program->arena;
    Choice choice = {target, -1, -1};
    if (target->carries) choice = computed_choice(cut, nest, target);
    int *values = arena_array(arena, (size_t)cut->factor, sizeof(int)), count = 0;
    for (int bank = 0; bank < cut->factor; bank++) {
        int value = access_in_bank(cut, nest, operation, &choice, bank);
        if (value >= 0) values[count++] = value;
    }
    return operation.opcode == OP_LOAD ? merge_all(arena, nest, values, count) : -1;
}

static void cut_nest(Nest *nest, void *context) {
    const Cut *cut = context;
    while (split_for_bank(cut, nest)) {}
    Arena *arena = cut->program->arena;
    Nest old = *nest;
    Target *targets = arena_array(arena, (size_t)old.body.count + 1, sizeof(Target));
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof(int));
    for (int i = 0; i < old.body.count; i++)
        if (operation_is_access(&old.body.items[i]) && old.body.items[i].memory == cut->memory)
            targets[i] = target_of(cut, nest, i);
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        bool is_cut = operation_is_access(&operation) && operation.memory == cut->memory;
        moved[i] = is_cut ? cut_access(cut, nest, operation, &targets[i])
                          : nest_append(arena, nest, operation);
    }
}

/* --- the memories --- */

/* Bank `bank`'s part of constant data. */
static const void *bank_data(const Cut *cut, const Memory *whole, const Memory *part, int bank) {
    if (!whole->data) return NULL;
    char *data = arena_array(cut->program->arena, part->elements + 1, scalar_bytes(part->type));
    int64_t index[MAX_RANK] = {0};
    for (size_t element = 0; element < whole->elements; element++) {
        if (index[cut->dimension] % cut->factor == bank) {
            int64_t place = 0;
            for (int d = 0; d < whole->rank; d++)
                place += cut->weights[d] * (d == cut->dimension ? index[d] / cut->factor : index[d]);
            bits_store(part->type, data, (size_t)place, bits_load(whole->type, whole->data, element));
        }
        for (int d = whole->rank - 1; d >= 0 && ++index[d] == whole->shape[d]; d--) index[d] = 0;
    }
    return data;
}

static void add_banks(Cut *cut) {
    Program *program = cut->program;
    cut->first_bank = program->memories.count;
    for (int bank = 0; bank < cut->factor; bank++) {
        const Memory whole = program->memories.items[cut->memory];
        Memory part = whole;
        part.name = string_format(program->arena, "%s_bank%d", whole.name, bank);
        part.shape[cut->dimension] = (whole.shape[cut->dimension] + cut->factor - 1) / cut->factor;
        part.elements = 1;
        for (int d = part.rank - 1; d >= 0; d--) {
            cut->weights[d] = (int64_t)part.elements;
            part.elements *= (size_t)part.shape[d];
            part.partition[d] = (Partition){PARTITION_NONE, 1};
        }
        cut->stride = cut->weights[cut->dimension];
        part.data = bank_data(cut, &whole, &part, bank);
        if (whole.kind == MEMORY_INPUT || whole.kind == MEMORY_OUTPUT) {
            part.tensor = whole.is_bank ? whole.tensor : cut->memory;
            part.bank = whole.bank * cut->factor + bank;
            part.is_bank = true;
        }
        vector_push(program->arena, &program->memories, part);
    }
}

/* Nothing accesses the memory any more. The description of a tensor stays, a bank goes. */
static void retire(Program *program, int memory) {
    Memory *old = &program->memories.items[memory];
    if (!old->is_bank) return;
    old->is_bank = false;
    old->kind = MEMORY_LOCAL;
}

static void cut_memory(Program *program, int memory, int dimension, int factor) {
    Cut cut = {.program = program, .memory = memory, .dimension = dimension, .factor = factor};
    add_banks(&cut);
    program_each_nest(program, cut_nest, &cut);
    retire(program, memory);
}

void memory_partition(Program *program, int memory, const int *factors) {
    Vector(int) parts = {0};
    vector_push(program->arena, &parts, memory);
    for (int d = 0; d < program->memories.items[memory].rank; d++) {
        if (factors[d] < 2) continue;
        int count = parts.count;
        for (int i = 0; i < count; i++) {
            int first = program->memories.count;
            cut_memory(program, parts.items[i], d, factors[d]);
            for (int bank = 0; bank < factors[d]; bank++)
                vector_push(program->arena, &parts, first + bank);
        }
        memmove(parts.items, parts.items + count, (size_t)(parts.count - count) * sizeof(int));
        parts.count -= count;
        program->memories.items[memory].partition[d] = (Partition){PARTITION_CYCLIC, factors[d]};
    }
}

/* --- copies --- */

typedef struct Copies {
    Program *program;
    int memory, first, count; /* copy 0 is `memory`, or a new one for an INPUT; the others follow from `first` */
} Copies;

static int copy_index(const Copies *copies, int copy) {
    return copies->first + copy;
}

static void copy_nest(Nest *nest, void *context) {
    const Copies *copies = context;
    Arena *arena = copies->program->arena;
    Nest old = *nest;
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof(int)), loads = 0;
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        bool is_load = operation.opcode == OP_LOAD && operation.memory == copies->memory;
        bool is_store = operation.opcode == OP_STORE && operation.memory == copies->memory;
        if (is_load || is_store) operation.memory = copy_index(copies, is_load ? loads++ % copies->count : 0);
        moved[i] = nest_append(arena, nest, operation);
        for (int copy = 1; is_store && copy < copies->count; copy++) {
            operation.memory = copy_index(copies, copy);
            nest_append(arena, nest, operation);
        }
    }
}

void memory_replicate(Program *program, int memory, int count) {
    Copies copies = {program, memory, program->memories.count, count};
    for (int copy = 0; copy < count; copy++) {
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
    program_each_nest(program, copy_nest, &copies);
    retire(program, memory);
}
