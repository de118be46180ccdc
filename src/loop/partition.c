/* Memories cut into banks, and copies of memories: more accesses per cycle.
 *
 * A bank is a memory of its own from here on, so that all later stages treat it like any other one.
 * An access with subscript Q in the cut dimension goes to bank Q mod F, place floor(Q / F). With Q
 * = F x A + B, A and B affine and B in 0 .. F-1, these are B and A. Loops are split where that
 * makes such a B; else B is taken apart by shift and mask if F is a power of two, and if not, by
 * multiplication with a constant. */
#include "loop/partition.h"

#include <assert.h>

#include "loop/reshape.h"

/* What happens to one memory. */
typedef struct Cut {
    Program *program;
    int memory, rank;
    int factors[MAX_RANK];     /* per dimension */
    int banks;                 /* in all */
    int first_bank;            /* index of bank 0 */
    int64_t weights[MAX_RANK]; /* strides of the dimensions, in a bank */
} Cut;

/* An access of a cut memory: in each dimension, subscript = factor x place + bank + factor x carry
 * of `bank`. All dimensions are cut at once, as a computed address has no subscripts any more. */
typedef struct Target {
    Affine banks[MAX_RANK]; /* B */
    bool carries[MAX_RANK]; /* B leaves 0 .. factor-1 */
    Affine address;         /* in the bank, without what B carries over */
} Target;

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

static bool target_of(const Cut *cut, const Nest *nest, int operation, Target *target) {
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

/* True if the nest accesses one of `count` memories from `first` on. */
static bool nest_accesses(const Nest *nest, int first, int count) {
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (operation_is_access(operation) && operation->memory >= first &&
            operation->memory < first + count)
            return true;
    }
    return false;
}

static bool is_cut(const Cut *cut, const Operation *operation) {
    return operation_is_access(operation) && operation->memory == cut->memory;
}

/* Splits a loop, unless an access has no subscripts then. */
static bool try_split(const Cut *cut, Nest *nest, int loop, int64_t inner) {
    if (nest->loops[loop].trip <= inner || nest->loops[loop].trip % inner != 0) return false;
    Nest old = *nest;
    Target target;
    nest_split(cut->program->arena, nest, loop, inner);
    for (int i = 0; i < nest->body.count; i++) {
        if (!is_cut(cut, &nest->body.items[i]) || target_of(cut, nest, i, &target)) continue;
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
        if (!is_cut(cut, &nest->body.items[i]) || !target_of(cut, nest, i, &target)) continue;
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

/* --- rewriting accesses --- */

/* The operations that say which bank, and the address, of one access. */
typedef struct Choice {
    const Target *target;
    int indices[MAX_RANK]; /* B as a value, modulo the factor; -1 where not needed */
    int address;           /* computed address, or -1 */
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

/* The width of all that computed_choice computes. */
static int choice_width(const Cut *cut, const Nest *nest, const Target *target) {
    Range sum = affine_range(nest, &target->address), all = sum;
    for (int d = 0; d < cut->rank; d++) {
        if (!target->carries[d]) continue;
        Range bank = affine_range(nest, &target->banks[d]),
              carried = range_scale(bank, cut->weights[d]);
        sum = range_add(sum, carried);
        all = range_union(range_union(all, sum), range_union(bank, carried));
    }
    return range_width(all, true) + 1;
}

/* floor(value / factor) of a value in 0 .. most: (value x multiplier) >> shift. With e = multiplier
 * x factor - 2^shift in 0 .. factor-1 that is exact where most x e < 2^shift (Granlund and
 * Montgomery, PLDI 1994). */
static int divide(Arena *arena, Nest *nest, int value, int factor, int64_t most) {
    Scalar type = nest->body.items[value].type;
    int shift = 0;
    int64_t multiplier = 1;
    if ((factor & (factor - 1)) == 0) {
        while (1 << shift < factor) shift++;
    } else {
        for (shift = 1;; shift++) {
            multiplier = ((INT64_C(1) << shift) + factor - 1) / factor;
            int64_t error = multiplier * factor - (INT64_C(1) << shift);
            if (most < (INT64_C(1) << shift) / (error + 1)) break;
        }
        int width = range_width((Range){0, most * multiplier}, true) + 1;
        if (width > type.width)
            value = append_unary(arena, nest, OP_EXTEND_SIGNED, SCALAR_I(width), value);
        value = binary_constant(arena, nest, OP_MULTIPLY, value, multiplier);
    }
    value = binary_constant(arena, nest, OP_SHIFT_RIGHT_SIGNED, value, shift);
    if (nest->body.items[value].type.width == type.width) return value;
    return append_unary(arena, nest, OP_TRUNCATE, type, value);
}

/* value mod factor, given floor(value / factor). */
static int remainder_of(Arena *arena, Nest *nest, int value, int quotient, int factor) {
    if ((factor & (factor - 1)) == 0)
        return binary_constant(arena, nest, OP_AND, value, factor - 1);
    return append_binary(arena, nest, OP_SUBTRACT, value,
                         binary_constant(arena, nest, OP_MULTIPLY, quotient, factor));
}

/* For banks that carry: value and address, computed. */
static Choice choice_of(const Cut *cut, Nest *nest, const Target *target) {
    Arena *arena = cut->program->arena;
    Choice choice = {.target = target, .address = -1};
    int width = choice_width(cut, nest, target);
    for (int d = 0; d < cut->rank; d++) {
        choice.indices[d] = -1;
        if (!target->carries[d]) continue;
        int64_t most = affine_range(nest, &target->banks[d]).high;
        int value = index_of_width(arena, nest, &target->banks[d], width);
        int carry = divide(arena, nest, value, cut->factors[d], most);
        int offset = binary_constant(arena, nest, OP_MULTIPLY, carry, cut->weights[d]);
        if (choice.address < 0)
            choice.address = index_of_width(arena, nest, &target->address, width);
        choice.indices[d] = remainder_of(arena, nest, value, carry, cut->factors[d]);
        choice.address = append_binary(arena, nest, OP_ADD, choice.address, offset);
    }
    return choice;
}

/* An i1 that is 1 if the access is to part `part` of a dimension; -1 if it always is. */
static int part_predicate(const Cut *cut, Nest *nest, const Choice *choice, int dimension, int part,
                          bool *never) {
    Arena *arena = cut->program->arena;
    int index = choice->indices[dimension];
    *never = false;
    if (index >= 0) {
        int constant = append_constant(arena, nest, nest->body.items[index].type, (Bits)part);
        return append_compare(arena, nest, OP_COMPARE, COMPARE_EQ, index, constant);
    }
    Affine form = affine_copy(arena, &choice->target->banks[dimension], nest->loop_count);
    form.constant -= part;
    return append_constraint(arena, nest, &form, true, never);
}

/* The part of a bank in a dimension. */
static int part_of_bank(const Cut *cut, int bank, int dimension) {
    for (int d = cut->rank - 1; d > dimension; d--) bank /= cut->factors[d];
    return bank % cut->factors[dimension];
}

/* The access `operation` in one bank; -1 if it never happens there. */
static int access_in_bank(const Cut *cut, Nest *nest, Operation operation, const Choice *choice,
                          int bank) {
    Arena *arena = cut->program->arena;
    for (int d = 0; d < cut->rank; d++) {
        bool never = false;
        if (cut->factors[d] < 2) continue;
        int chosen = part_predicate(cut, nest, choice, d, part_of_bank(cut, bank, d), &never);
        if (never) return -1;
        operation.predicate = append_and(arena, nest, operation.predicate, chosen);
    }
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
        return append_unary(arena, nest, OP_BITCAST, type, append_binary(arena, nest, OP_OR, a, b));
    }
    return append_binary(arena, nest, OP_OR, a, b);
}

/* Merges values pairwise, so that the depth is the logarithm of their number. */
static int merge_all(Arena *arena, Nest *nest, int *values, int count) {
    for (; count > 1; count = (count + 1) / 2)
        for (int i = 0; i < count / 2 + count % 2; i++)
            values[i] = 2 * i + 1 < count
                            ? merge_bits(arena, nest, values[2 * i], values[2 * i + 1])
                            : values[2 * i];
    return values[0];
}

/* Puts an access of the cut memory into the new body; returns its value. */
static int cut_access(const Cut *cut, Nest *nest, Operation operation, const Target *target) {
    Arena *arena = cut->program->arena;
    Choice choice = choice_of(cut, nest, target);
    int *values = arena_array(arena, (size_t)cut->banks, sizeof(int)), count = 0;
    for (int bank = 0; bank < cut->banks; bank++) {
        int value = access_in_bank(cut, nest, operation, &choice, bank);
        if (value >= 0) values[count++] = value;
    }
    assert(count > 0);
    return operation.opcode == OP_LOAD ? merge_all(arena, nest, values, count) : -1;
}

static void cut_nest(Nest *nest, void *context) {
    const Cut *cut = context;
    if (!nest_accesses(nest, cut->memory, 1)) return;
    while (split_for_bank(cut, nest)) {
    }
    Arena *arena = cut->program->arena;
    Nest old = *nest;
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof(int));
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        Target target;
        bool found = is_cut(cut, &operation) && target_of(cut, &old, i, &target);
        moved[i] =
            found ? cut_access(cut, nest, operation, &target) : nest_append(arena, nest, operation);
    }
}

/* --- the memories --- */

/* Bank `bank`'s part of constant data. */
static const void *bank_data(const Cut *cut, const Memory *whole, const Memory *part, int bank) {
    if (!whole->data) return NULL;
    char *data = arena_array(cut->program->arena, part->elements + 1, scalar_bytes(part->type));
    int64_t index[MAX_RANK] = {0};
    for (size_t element = 0; element < whole->elements; element++) {
        int64_t place = 0, found = 0;
        for (int d = 0; d < whole->rank; d++) {
            place += cut->weights[d] * (index[d] / cut->factors[d]);
            found = found * cut->factors[d] + index[d] % cut->factors[d];
        }
        if (found == bank)
            bits_store(part->type, data, (size_t)place,
                       bits_load(whole->type, whole->data, element));
        for (int d = whole->rank - 1; d >= 0 && ++index[d] == whole->shape[d]; d--) index[d] = 0;
    }
    return data;
}

static void add_banks(Cut *cut) {
    Program *program = cut->program;
    cut->first_bank = program->memories.count;
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
        part.data = bank_data(cut, &whole, &part, bank);
        if (whole.kind == MEMORY_INPUT || whole.kind == MEMORY_OUTPUT) {
            part.tensor = cut->memory;
            part.bank = bank;
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

void memory_partition(Program *program, int memory, const int *factors) {
    Cut cut = {.program = program,
               .memory = memory,
               .rank = program->memories.items[memory].rank,
               .banks = 1};
    for (int d = 0; d < cut.rank; d++) {
        cut.factors[d] = factors[d];
        cut.banks *= factors[d];
    }
    add_banks(&cut);
    program_each_nest(program, cut_nest, &cut);
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

static void copy_nest(Nest *nest, void *context) {
    const Copies *copies = context;
    Arena *arena = copies->program->arena;
    if (!nest_accesses(nest, copies->memory, copies->banks)) return;
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

void memory_replicate(Program *program, int memory, int banks, int count) {
    Copies copies = {program, memory, banks, program->memories.count, count};
    for (int bank = 0; bank < banks; bank++) add_copies(&copies, memory + bank);
    program_each_nest(program, copy_nest, &copies);
    for (int bank = 0; bank < banks; bank++) retire(program, memory + bank);
}
