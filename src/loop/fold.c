/* Simplification of single operations: constants, identities, predicates that are known. */
#include "loop/fold.h"

#include "loop/body.h"
#include "loop/predicates.h"
#include "loop/interpret.h"

typedef struct Folder {
    Arena *arena;
    Nest *nest;
    Operation *operation;
} Folder;

static const Operation *operand(const Folder *folder, int k) {
    return &folder->nest->body.items[folder->operation->operands[k]];
}

static bool is_constant(const Folder *folder, int k, Bits *bits) {
    const Operation *source = operand(folder, k);
    if (source->opcode != OP_CONSTANT) return false;
    *bits = source->bits;
    return true;
}

static int constant(const Folder *folder, Scalar type, Bits bits) {
    return append_constant(folder->arena, folder->nest, type, bits);
}

/* --- all operands are constants --- */

static bool evaluate(const Folder *folder, Bits *result) {
    const Operation *operation = folder->operation;
    int operands = opcode_info[operation->opcode].operands;
    Bits values[3] = {0, 0, 0};
    if (operands == 0 || operation_is_access(operation)) return false;
    for (int k = 0; k < operands; k++)
        if (!is_constant(folder, k, &values[k])) return false;
    Step step = {.result = result,
                 .a = &values[0],
                 .b = &values[1],
                 .c = &values[2],
                 .from = operand(folder, 0)->type,
                 .type = operation->type,
                 .mask = bits_mask(operation->type.width)};
    set_test(&step, operation);
    Action action = action_of(operation, step.from);
    if (!action) return false;
    action(&step);
    return true;
}

/* --- identities --- */

/* For a constant operand: what the operation is then. */
typedef enum Identity { IDENTITY_NONE, IDENTITY_OTHER, IDENTITY_CONSTANT } Identity;

typedef enum Special { ZERO, ONE, ALL_ONES, MINUS_ZERO, FLOAT_ONE_VALUE } Special;

/* `opcode` with the special constant at `side` (2: either side) is the other operand, or that
 * constant. Float rules hold for every value: x + -0 is x, x + 0 is not (for x = -0). */
static const struct {
    Opcode opcode;
    Special special;
    int side;
    Identity identity;
} identities[] = {
    {OP_ADD, ZERO, 2, IDENTITY_OTHER},
    {OP_SUBTRACT, ZERO, 1, IDENTITY_OTHER},
    {OP_MULTIPLY, ONE, 2, IDENTITY_OTHER},
    {OP_MULTIPLY, ZERO, 2, IDENTITY_CONSTANT},
    {OP_DIVIDE_SIGNED, ONE, 1, IDENTITY_OTHER},
    {OP_DIVIDE_UNSIGNED, ONE, 1, IDENTITY_OTHER},
    {OP_AND, ALL_ONES, 2, IDENTITY_OTHER},
    {OP_AND, ZERO, 2, IDENTITY_CONSTANT},
    {OP_OR, ZERO, 2, IDENTITY_OTHER},
    {OP_OR, ALL_ONES, 2, IDENTITY_CONSTANT},
    {OP_XOR, ZERO, 2, IDENTITY_OTHER},
    {OP_SHIFT_LEFT, ZERO, 1, IDENTITY_OTHER},
    {OP_SHIFT_RIGHT_UNSIGNED, ZERO, 1, IDENTITY_OTHER},
    {OP_SHIFT_RIGHT_SIGNED, ZERO, 1, IDENTITY_OTHER},
    {OP_FLOAT_ADD, MINUS_ZERO, 2, IDENTITY_OTHER},
    {OP_FLOAT_SUBTRACT, ZERO, 1, IDENTITY_OTHER},
    {OP_FLOAT_MULTIPLY, FLOAT_ONE_VALUE, 2, IDENTITY_OTHER},
    {OP_FLOAT_DIVIDE, FLOAT_ONE_VALUE, 1, IDENTITY_OTHER},
};

static bool is_special(Special special, Scalar type, Bits bits) {
    Bits values[] = {[ZERO] = 0,
                     [ONE] = 1,
                     [ALL_ONES] = bits_mask(type.width),
                     [MINUS_ZERO] = (Bits)1 << (type.width - 1),
                     [FLOAT_ONE_VALUE] = 0};
    if (special == FLOAT_ONE_VALUE)
        return type.kind == SCALAR_FLOAT && bits == bits_from_double(type, 1.0);
    return bits == values[special];
}

/* An operand that is the result; -1 if there is none. */
static int identity_operand(const Folder *folder) {
    const Operation *operation = folder->operation;
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        if (identities[i].opcode != operation->opcode) continue;
        for (int k = 0; k < 2; k++) {
            Bits bits;
            if (identities[i].side != 2 && identities[i].side != k) continue;
            if (!is_constant(folder, k, &bits)) continue;
            if (!is_special(identities[i].special, operation->type, bits)) continue;
            return operation->operands[identities[i].identity == IDENTITY_OTHER ? 1 - k : k];
        }
    }
    return -1;
}

static int fold_select(const Folder *folder) {
    const Operation *operation = folder->operation;
    Bits bits, yes, no;
    if (is_constant(folder, 0, &bits)) return operation->operands[bits ? 1 : 2];
    if (operation->operands[1] == operation->operands[2]) return operation->operands[1];
    /* Where its predicate is false a load gives 0 by itself. */
    const Operation *load = operand(folder, 1);
    bool loads = load->opcode == OP_LOAD && load->predicate == operation->operands[0];
    if (loads && is_constant(folder, 2, &no) && no == 0) return operation->operands[1];
    bool flag = operation->type.width == 1 && operation->type.kind == SCALAR_INTEGER;
    if (flag && is_constant(folder, 1, &yes) && is_constant(folder, 2, &no) && yes && !no)
        return operation->operands[0];
    return -1;
}

/* x / 2^k is x * 2^-k, bit for bit, where 2^-k is a normal number: both round the same exact value.
 */
static int fold_float_divide(const Folder *folder) {
    Bits bits;
    Scalar type = folder->operation->type;
    if (!is_constant(folder, 1, &bits)) return -1;
    int fraction_width = type.width - 1 - type.exponent;
    int64_t special = (int64_t)bits_mask(type.exponent), bias = special / 2;
    int64_t exponent = (int64_t)(bits >> fraction_width & bits_mask(type.exponent));
    int64_t inverse = 2 * bias - exponent;
    if ((bits & bits_mask(fraction_width)) != 0 || exponent < 1 || exponent >= special ||
        inverse < 1 || inverse >= special)
        return -1;
    Bits sign = bits >> (type.width - 1) << (type.width - 1);
    int factor = constant(folder, type, sign | (Bits)inverse << fraction_width);
    return append_binary(folder->arena, folder->nest, OP_FLOAT_MULTIPLY,
                         folder->operation->operands[0], factor);
}

/* --- compares --- */

/* Compares of an index with a constant that its range decides. */
static int fold_index_compare(const Folder *folder) {
    const Nest *nest = folder->nest;
    Constraints list = {0};
    int index = folder->nest->body.count;
    nest_append(folder->arena, folder->nest, *folder->operation);
    bool affine = predicate_constraints(folder->arena, nest, index, &list);
    folder->nest->body.count--;
    if (!affine || list.count != 1) return -1;
    Range range = affine_range(nest, &list.items[0].form);
    bool equality = list.items[0].equality;
    if (range.high < 0 || (equality && range.low > 0)) return constant(folder, SCALAR_I(1), 0);
    if (range.low >= 0 && (!equality || range.high == 0)) return constant(folder, SCALAR_I(1), 1);
    return -1;
}

/* NOT of a compare is the opposite compare; NOT of NOT is the first value. */
static int fold_not(const Folder *folder) {
    Bits bits;
    if (folder->operation->type.width != 1 || !is_constant(folder, 1, &bits) || bits != 1)
        return -1;
    Operation inner = *operand(folder, 0);
    if (inner.opcode == OP_XOR) {
        const Operation *by = &folder->nest->body.items[inner.operands[1]];
        return by->opcode == OP_CONSTANT && by->bits == 1 ? inner.operands[0] : -1;
    }
    if (inner.opcode != OP_COMPARE && inner.opcode != OP_FLOAT_COMPARE) return -1;
    inner.condition = opposite_condition(&inner);
    return nest_append(folder->arena, folder->nest, inner);
}

static int fold_same_operands(const Folder *folder) {
    const Operation *operation = folder->operation;
    return operation->operands[0] == operation->operands[1] ? operation->operands[0] : -1;
}

static int fold_xor(const Folder *folder) {
    const Operation *operation = folder->operation;
    if (operation->operands[0] == operation->operands[1])
        return constant(folder, operation->type, 0);
    return fold_not(folder);
}

/* --- sources and accesses --- */

static int fold_index(const Folder *folder) {
    const Operation *operation = folder->operation;
    if (!affine_is_constant(&operation->affine, folder->nest->loop_count)) return -1;
    return constant(folder, operation->type, (Bits)operation->affine.constant);
}

/* A computed address that is an index or a constant after all becomes affine. */
static void fold_address(const Folder *folder) {
    Operation *operation = folder->operation;
    int k = operation_address(operation);
    if (k < 0) return;
    const Operation *address = operand(folder, k);
    Nest *nest = folder->nest;
    if (address->opcode == OP_CONSTANT && address->bits <= INT64_MAX) {
        operation->affine = affine_new(folder->arena, nest->loop_count, (int64_t)address->bits);
    } else if (address->opcode == OP_INDEX) {
        Range range = affine_range(nest, &address->affine);
        if (range.low < 0 || range_width(range, false) > address->type.width) return;
        operation->affine = affine_copy(folder->arena, &address->affine, nest->loop_count);
    } else {
        return;
    }
    operation->operands[k] = -1;
    operation->computed = false;
}

/* False if the access never happens. */
static bool fold_predicate(const Folder *folder) {
    Operation *operation = folder->operation;
    if (operation->predicate < 0) return true;
    const Operation *predicate = &folder->nest->body.items[operation->predicate];
    if (predicate->opcode != OP_CONSTANT) return true;
    operation->predicate = -1;
    return predicate->bits != 0;
}

static int fold_access(const Folder *folder) {
    if (!fold_predicate(folder)) {
        if (folder->operation->opcode == OP_STORE) return -2;
        return constant(folder, folder->operation->type, 0);
    }
    fold_address(folder);
    return -1;
}

/* --- the table --- */

/* Each gives the operation that has the value, -1 if it knows none, -2 if the operation does
 * nothing. */
static int (*const folds[OPCODE_COUNT])(const Folder *folder) = {
    [OP_INDEX] = fold_index,
    [OP_LOAD] = fold_access,
    [OP_STORE] = fold_access,
    [OP_SELECT] = fold_select,
    [OP_FLOAT_DIVIDE] = fold_float_divide,
    [OP_COMPARE] = fold_index_compare,
    [OP_XOR] = fold_xor,
    [OP_AND] = fold_same_operands,
    [OP_OR] = fold_same_operands,
    [OP_MINIMUM_SIGNED] = fold_same_operands,
    [OP_MAXIMUM_SIGNED] = fold_same_operands,
    [OP_MINIMUM_UNSIGNED] = fold_same_operands,
    [OP_MAXIMUM_UNSIGNED] = fold_same_operands,
};

int fold_operation(Arena *arena, Nest *nest, Operation operation) {
    Folder folder = {arena, nest, &operation};
    Bits bits;
    if (evaluate(&folder, &bits)) return append_constant(arena, nest, operation.type, bits);
    int value = identity_operand(&folder);
    if (value < 0 && folds[operation.opcode]) value = folds[operation.opcode](&folder);
    if (value == -2) return -1;
    return value >= 0 ? value : nest_append(arena, nest, operation);
}
