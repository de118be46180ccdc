/* Accesses of a memory become accesses of its banks.
 *
 * An access whose bank varies goes to every bank that it may be in, with the bank as a predicate.
 * Copies of one load that are always in different banks (a window that moves over an image: x[8 i +
 * u + k] for u = 0 .. 7, in 8 banks) share the banks: each bank is loaded once, at the address of
 * the copy that is in it. */
#include <assert.h>

#include "loop/cut.h"

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

/* --- single accesses --- */

/* An i1 that is 1 if an access with this predicate is in the bank; -1 if it always is. */
static int bank_predicate(const Cut *cut, Nest *nest, const Choice *choice, int predicate, int bank,
                          bool *never) {
    *never = false;
    for (int d = 0; d < cut->rank && !*never; d++) {
        if (cut->factors[d] < 2) continue;
        int chosen = part_predicate(cut, nest, choice, d, part_of_bank(cut, bank, d), never);
        if (!*never) predicate = append_and(cut->program->arena, nest, predicate, chosen);
    }
    return predicate;
}

/* The operation, in a bank. */
static int append_access(const Cut *cut, Nest *nest, Operation operation, const Choice *choice,
                         int bank, int predicate) {
    operation.predicate = predicate;
    operation.memory = cut->first_bank + bank;
    operation.affine = affine_copy(cut->program->arena, &choice->target->address, nest->loop_count);
    if (choice->address >= 0) {
        operation.computed = true;
        operation.operands[operation.opcode == OP_STORE] = choice->address;
    }
    return nest_append(cut->program->arena, nest, operation);
}

/* Puts an access of the cut memory into the new body; returns its value. */
static int cut_access(const Cut *cut, Nest *nest, Operation operation, const Target *target) {
    Arena *arena = cut->program->arena;
    Choice choice = choice_of(cut, nest, target);
    int *values = arena_array(arena, (size_t)cut->banks, sizeof(int)), count = 0;
    for (int bank = 0; bank < cut->banks; bank++) {
        bool never;
        int predicate = bank_predicate(cut, nest, &choice, operation.predicate, bank, &never);
        if (never) continue;
        values[count++] = append_access(cut, nest, operation, &choice, bank, predicate);
    }
    assert(count > 0);
    return operation.opcode == OP_LOAD ? merge_all(arena, nest, values, count) : -1;
}

/* --- loads that share the banks --- */

/* Loads that are in different banks in every iteration. */
typedef struct Group {
    Vector(int) members; /* operations of the old body */
} Group;

/* A body that is being made from another one. */
typedef struct Body {
    const Cut *cut;
    Nest *nest;
    Nest old;
    Target *targets; /* per old operation that accesses the memory */
    bool *found;     /* ... and has such a target */
    int *group_of;   /* per old operation: -1 if it shares nothing */
    Vector(Group) groups;
    bool *steady; /* per old operation: a value that depends on no memory */
    bool *done;
    int *moved; /* to operations of the new body */
} Body;

static bool varies(const Body *body, const Target *target) {
    for (int d = 0; d < body->cut->rank; d++)
        if (body->cut->factors[d] > 1 &&
            (target->carries[d] || !affine_is_constant(&target->banks[d], body->old.loop_count)))
            return true;
    return false;
}

/* True if both are never in one bank: their banks differ by a constant. */
static bool are_apart(const Body *body, const Target *a, const Target *b) {
    for (int d = 0; d < body->cut->rank; d++) {
        bool parallel = true;
        for (int l = 0; l < body->old.loop_count; l++)
            parallel = parallel && a->banks[d].coefficients[l] == b->banks[d].coefficients[l];
        int64_t difference = a->banks[d].constant - b->banks[d].constant;
        if (parallel && difference % body->cut->factors[d] != 0) return true;
    }
    return false;
}

static bool joins(const Body *body, const Group *group, int load) {
    for (int k = 0; k < group->members.count; k++)
        if (!are_apart(body, &body->targets[group->members.items[k]], &body->targets[load]))
            return false;
    return true;
}

static void find_groups(Body *body) {
    Arena *arena = body->cut->program->arena;
    const Nest *old = &body->old;
    for (int i = 0; i < old->body.count; i++) body->group_of[i] = -1;
    for (int i = 0; i < old->body.count; i++)
        if (old->body.items[i].opcode == OP_STORE && cut_accesses(body->cut, &old->body.items[i]))
            return; /* a load must stay on its side of a store */
    for (int i = 0; i < old->body.count; i++) {
        int predicate = old->body.items[i].predicate, g = 0;
        if (!body->found[i] || !varies(body, &body->targets[i])) continue;
        if (predicate >= 0 && !body->steady[predicate]) continue;
        while (g < body->groups.count && !joins(body, &body->groups.items[g], i)) g++;
        if (g == body->groups.count) vector_push(arena, &body->groups, (Group){0});
        vector_push(arena, &body->groups.items[g].members, i);
        body->group_of[i] = g;
    }
}

/* The value where the predicate holds, else 0. */
static int masked(Arena *arena, Nest *nest, int predicate, int value) {
    if (predicate < 0) return value;
    int zero = append_constant(arena, nest, nest->body.items[value].type, 0);
    return append_select(arena, nest, predicate, value, zero);
}

/* The address of an access in its bank, as a value. */
static int address_value(const Cut *cut, Nest *nest, const Choice *choice, int width) {
    Arena *arena = cut->program->arena;
    if (choice->address < 0) return index_of_width(arena, nest, &choice->target->address, width);
    if (nest->body.items[choice->address].type.width == width) return choice->address;
    return append_unary(arena, nest, OP_EXTEND_SIGNED, SCALAR_I(width), choice->address);
}

/* Members that may be in one bank, and their predicates there. */
typedef struct Sharing {
    int count;
    int *members; /* numbers in the group */
    int *predicates;
} Sharing;

/* One load of a bank for all who share it. */
static int shared_load(const Body *body, const Group *group, const Choice *choices,
                       const Sharing *sharing, int bank) {
    const Cut *cut = body->cut;
    Nest *nest = body->nest;
    Arena *arena = cut->program->arena;
    const Choice *first = &choices[sharing->members[0]];
    bool same = true;
    int width = 1, predicate = sharing->predicates[0];
    for (int k = 0; k < sharing->count; k++) {
        const Choice *choice = &choices[sharing->members[k]];
        int needed = choice->address >= 0 ? nest->body.items[choice->address].type.width
                                          : choice_width(cut, nest, choice->target);
        if (needed > width) width = needed;
        same = same && choice->address < 0 &&
               affine_equal(&choice->target->address, &first->target->address, nest->loop_count);
        if (k > 0) predicate = append_binary(arena, nest, OP_OR, predicate, sharing->predicates[k]);
    }
    Operation load = body->old.body.items[group->members.items[sharing->members[0]]];
    if (same) return append_access(cut, nest, load, first, bank, predicate);
    int *addresses = arena_array(arena, (size_t)sharing->count, sizeof(int));
    for (int k = 0; k < sharing->count; k++)
        addresses[k] = masked(arena, nest, sharing->predicates[k],
                              address_value(cut, nest, &choices[sharing->members[k]], width));
    Choice together = {.target = first->target,
                       .address = merge_all(arena, nest, addresses, sharing->count)};
    return append_access(cut, nest, load, &together, bank, predicate);
}

/* Who of the group may be in the bank. */
static Sharing sharing_of(const Body *body, const Group *group, const Choice *choices, int bank) {
    Arena *arena = body->cut->program->arena;
    size_t most = (size_t)group->members.count;
    Sharing sharing = {0, arena_array(arena, most, sizeof(int)),
                       arena_array(arena, most, sizeof(int))};
    for (int k = 0; k < group->members.count; k++) {
        int predicate = body->old.body.items[group->members.items[k]].predicate;
        bool never;
        predicate = bank_predicate(body->cut, body->nest, &choices[k],
                                   predicate < 0 ? -1 : body->moved[predicate], bank, &never);
        if (never) continue;
        sharing.members[sharing.count] = k;
        sharing.predicates[sharing.count++] = predicate;
    }
    return sharing;
}

static void move_steady(Body *body, int i) {
    if (i < 0 || body->done[i]) return;
    Operation operation = body->old.body.items[i];
    for (int k = 0; k < 3; k++) {
        move_steady(body, operation.operands[k]);
        if (operation.operands[k] >= 0) operation.operands[k] = body->moved[operation.operands[k]];
    }
    body->done[i] = true;
    body->moved[i] = nest_append(body->cut->program->arena, body->nest, operation);
}

/* All loads of a group, at the place of the first one. */
static void move_group(Body *body, const Group *group) {
    const Cut *cut = body->cut;
    Arena *arena = cut->program->arena;
    size_t count = (size_t)group->members.count;
    Choice *choices = arena_array(arena, count, sizeof(Choice));
    int *values = arena_array(arena, count * (size_t)cut->banks, sizeof(int));
    int *counts = arena_array(arena, count, sizeof(int));
    for (size_t k = 0; k < count; k++) {
        int load = group->members.items[k];
        move_steady(body, body->old.body.items[load].predicate);
        choices[k] = choice_of(cut, body->nest, &body->targets[load]);
    }
    for (int bank = 0; bank < cut->banks; bank++) {
        Sharing sharing = sharing_of(body, group, choices, bank);
        if (sharing.count == 0) continue;
        int value = shared_load(body, group, choices, &sharing, bank);
        for (int s = 0; s < sharing.count; s++) {
            int k = sharing.members[s];
            /* A load that is not shared gives 0 by itself. */
            values[(size_t)k * (size_t)cut->banks + (size_t)counts[k]++] =
                sharing.count == 1 ? value
                                   : masked(arena, body->nest, sharing.predicates[s], value);
        }
    }
    for (size_t k = 0; k < count; k++) {
        int load = group->members.items[k];
        body->done[load] = true;
        body->moved[load] =
            merge_all(arena, body->nest, &values[k * (size_t)cut->banks], counts[k]);
    }
}

static void move_operation(Body *body, int i) {
    Arena *arena = body->cut->program->arena;
    Operation operation = body->old.body.items[i];
    for (int k = 0; k < 3; k++)
        if (operation.operands[k] >= 0) operation.operands[k] = body->moved[operation.operands[k]];
    if (operation.predicate >= 0) operation.predicate = body->moved[operation.predicate];
    body->done[i] = true;
    body->moved[i] = body->found[i]
                         ? cut_access(body->cut, body->nest, operation, &body->targets[i])
                         : nest_append(arena, body->nest, operation);
}

static Body body_begin(const Cut *cut, Nest *nest) {
    Arena *arena = cut->program->arena;
    size_t count = (size_t)nest->body.count + 1;
    Body body = {.cut = cut,
                 .nest = nest,
                 .old = *nest,
                 .targets = arena_array(arena, count, sizeof(Target)),
                 .found = arena_array(arena, count, sizeof(bool)),
                 .group_of = arena_array(arena, count, sizeof(int)),
                 .steady = arena_array(arena, count, sizeof(bool)),
                 .done = arena_array(arena, count, sizeof(bool)),
                 .moved = arena_array(arena, count, sizeof(int))};
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        body.found[i] = cut_accesses(cut, operation) && cut_target(cut, nest, i, &body.targets[i]);
        body.steady[i] = !operation_is_access(operation);
        for (int k = 0; k < operation_operands(operation); k++)
            body.steady[i] = body.steady[i] && body.steady[operation->operands[k]];
    }
    nest->body.items = NULL;
    nest->body.count = nest->body.capacity = 0;
    return body;
}

void cut_body(const Cut *cut, Nest *nest) {
    Body body = body_begin(cut, nest);
    find_groups(&body);
    for (int i = 0; i < body.old.body.count; i++) {
        if (body.done[i]) continue;
        const Group *group = body.group_of[i] >= 0 ? &body.groups.items[body.group_of[i]] : NULL;
        if (group && group->members.count > 1)
            move_group(&body, group);
        else
            move_operation(&body, i);
    }
}
