/* Scalar values: MLIR operations to operations of the piece, evaluated where they are needed. */
#include "loop/from_affine.h"

#include <mlir-c/BuiltinAttributes.h>

bool is_index_value(MlirValue value) {
    return mlirTypeIsAIndex(mlirValueGetType(value));
}

static int operand_operation(Importer *importer, MlirOperation op, intptr_t k) {
    return value_operation(importer, mlirOperationGetOperand(op, k));
}

/* The type of a value of the piece. Index values have the width that their range needs. */
static Scalar value_type(Importer *importer, MlirValue value) {
    Scalar type = SCALAR_I(64);
    if (is_index_value(value))
        return SCALAR_I(range_width(linear_range(importer, form_of_value(importer, value)), true));
    scalar_of_type(mlirValueGetType(value), &type);
    return type;
}

int convert_width(Importer *importer, int value, int width, bool is_signed) {
    Nest *piece = current_piece(importer);
    int from = piece->body.items[value].type.width;
    if (from == width) return value;
    Opcode opcode = from > width ? OP_TRUNCATE : is_signed ? OP_EXTEND_SIGNED : OP_EXTEND_UNSIGNED;
    return append_unary(importer->arena, piece, opcode, SCALAR_I(width), value);
}

/* --- accesses --- */

Linear flat_address(Importer *importer, MlirOperation op) {
    bool store = op_is(op, "affine.store") || op_is(op, "memref.store");
    bool affine = op_in_dialect(op, "affine");
    intptr_t first = store ? 2 : 1;
    int rank;
    int64_t shape[MAX_RANK];
    Linear address = linear_constant(0);
    if (!static_shape(mlirValueGetType(mlirOperationGetOperand(op, first - 1)), &rank, shape))
        return address;
    for (int i = 0; i < rank; i++) {
        Linear index =
            affine ? form_of_map(importer, mlirAffineMapAttrGetValue(op_attribute(op, "map")), i,
                                 op, first)
                   : form_of_value(importer, mlirOperationGetOperand(op, first + i));
        address = linear_sum(importer, index, address, shape[i]);
    }
    return address;
}

void set_address(Importer *importer, Operation *operation, Linear address) {
    if (linear_to_affine(importer, address, &operation->affine)) return;
    Range range = linear_range(importer, address);
    int value = materialize(importer, address, range_width(range, range.low < 0));
    operation->computed = true;
    operation->operands[opcode_info[operation->opcode].operands] = value;
}

int load_scalar(Importer *importer, int memory) {
    Nest *piece = current_piece(importer);
    Operation load = operation_new(OP_LOAD, importer->program->memories.items[memory].type);
    load.memory = memory;
    load.affine = affine_new(importer->arena, piece->loop_count, 0);
    return nest_append(importer->arena, piece, load);
}

int load_operation(Importer *importer, MlirOperation op) {
    int memory = memory_of(importer, mlirOperationGetOperand(op, 0));
    if (memory < 0)
        return append_constant(importer->arena, current_piece(importer), SCALAR_I(1), 0);
    Operation load = operation_new(OP_LOAD, importer->program->memories.items[memory].type);
    load.memory = memory;
    load.predicate = block_predicate(importer, mlirOperationGetBlock(op));
    set_address(importer, &load, flat_address(importer, op));
    return nest_append(importer->arena, current_piece(importer), load);
}

/* --- conditions --- */

int negate_condition(Importer *importer, int condition) {
    Nest *piece = current_piece(importer);
    int one = append_constant(importer->arena, piece, SCALAR_I(1), 1);
    return append_binary(importer->arena, piece, OP_XOR, condition, one);
}

int if_condition(Importer *importer, MlirOperation op) {
    if (op_is(op, "scf.if")) return operand_operation(importer, op, 0);
    MlirIntegerSet set = set_of_attribute(importer->arena, op_attribute(op, "condition"));
    if (mlirIntegerSetIsNull(set)) {
        importer->refused = true;
        error_at(importer->diagnostics, STATUS_INPUT, op_place(importer->arena, op),
                 "the condition of affine.if cannot be read");
        return append_constant(importer->arena, current_piece(importer), SCALAR_I(1), 1);
    }
    int holds = -1;
    for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++) {
        Linear linear = form_of_expr(importer, mlirIntegerSetGetConstraint(set, i),
                                     mlirIntegerSetGetNumDims(set), op, 0);
        int part = materialize_constraint(importer, linear, mlirIntegerSetIsConstraintEq(set, i));
        holds = append_and(importer->arena, current_piece(importer), holds, part);
    }
    if (holds < 0)
        holds = append_constant(importer->arena, current_piece(importer), SCALAR_I(1), 1);
    return holds;
}

int loop_predicate(Importer *importer, MlirOperation op) {
    Bounds bounds;
    int holds = -1;
    if (!loop_bounds(importer, op, &bounds)) return holds;
    Linear index = form_of_value(importer, mlirBlockGetArgument(op_body(op), 0));
    for (int i = 0; i < bounds.count; i++) {
        Linear room = linear_sum(importer, bounds.limits[i], index, -1);
        room = linear_sum(importer, room, linear_constant(-1), 1);
        int part = materialize_constraint(importer, room, false);
        holds = append_and(importer->arena, current_piece(importer), holds, part);
    }
    for (int i = 0; i < bounds.lower_count; i++) {
        Linear above = linear_sum(importer, index, bounds.lowers[i], -1);
        int part = materialize_constraint(importer, above, false);
        holds = append_and(importer->arena, current_piece(importer), holds, part);
    }
    return holds;
}

/* True for the else block of an if. */
static bool is_else_block(MlirOperation op, MlirBlock block) {
    return mlirRegionEqual(mlirBlockGetParentRegion(block), mlirOperationGetRegion(op, 1));
}

int block_predicate(Importer *importer, MlirBlock block) {
    int64_t known;
    if (table_get(&importer->predicates, block.ptr, &known)) return (int)known;
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (mlirOperationEqual(parent, importer->entry)) return -1;
    int outer = block_predicate(importer, mlirOperationGetBlock(parent));
    int own = -1;
    if (makes_pieces(importer, parent) && !is_predicated_loop(importer, parent)) {
        own = -1; /* control keeps it from running */
    } else if (is_loop(parent)) {
        own = loop_predicate(importer, parent);
    } else if (is_if(parent)) {
        own = if_condition(importer, parent);
        if (is_else_block(parent, block)) own = negate_condition(importer, own);
    }
    int both = append_and(importer->arena, current_piece(importer), outer, own);
    table_put(importer->arena, &importer->predicates, block.ptr, both);
    return both;
}

/* --- operations --- */

typedef struct ValueRule ValueRule;
struct ValueRule {
    const char *name;
    int (*evaluate)(Importer *importer, const ValueRule *rule, MlirOperation op, MlirValue value);
    Opcode opcode;
};

static int evaluate_constant(Importer *importer, const ValueRule *rule, MlirOperation op,
                             MlirValue value) {
    (void)rule;
    MlirAttribute attribute = op_attribute(op, "value");
    Scalar type = value_type(importer, value);
    Bits bits = 0;
    if (mlirAttributeIsAFloat(attribute))
        bits = bits_from_double(type, mlirFloatAttrGetValueDouble(attribute));
    else if (mlirAttributeIsAInteger(attribute))
        bits = (Bits)mlirIntegerAttrGetValueInt(attribute);
    return append_constant(importer->arena, current_piece(importer), type, bits);
}

/* The operands at the width of the widest of them and of the result: for index operations that are
 * no linear form. */
static int evaluate_index(Importer *importer, const ValueRule *rule, MlirOperation op,
                          MlirValue value) {
    Linear forms[2];
    Range range = linear_range(importer, form_of_value(importer, value)), all = range;
    for (int k = 0; k < 2; k++) {
        forms[k] = form_of_value(importer, mlirOperationGetOperand(op, k));
        all = range_union(all, linear_range(importer, forms[k]));
    }
    int width = range_width(all, true);
    int a = materialize(importer, forms[0], width), b = materialize(importer, forms[1], width);
    int result = append_binary(importer->arena, current_piece(importer), rule->opcode, a, b);
    return convert_width(importer, result, range_width(range, true), true);
}

static int evaluate_plain(Importer *importer, const ValueRule *rule, MlirOperation op,
                          MlirValue value) {
    int operands = opcode_info[rule->opcode].operands;
    if (is_index_value(value) && operands == 2) return evaluate_index(importer, rule, op, value);
    Operation operation = operation_new(rule->opcode, value_type(importer, value));
    for (int k = 0; k < operands; k++) operation.operands[k] = operand_operation(importer, op, k);
    return nest_append(importer->arena, current_piece(importer), operation);
}

/* affine.min and affine.max: a chain over the results of the map. */
static int evaluate_extreme(Importer *importer, const ValueRule *rule, MlirOperation op,
                            MlirValue value) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(op_attribute(op, "map"));
    intptr_t count = mlirAffineMapGetNumResults(map);
    Range range = linear_range(importer, form_of_value(importer, value)), all = range;
    for (intptr_t i = 0; i < count; i++)
        all = range_union(all, linear_range(importer, form_of_map(importer, map, i, op, 0)));
    int width = range_width(all, true), best = -1;
    for (intptr_t i = 0; i < count; i++) {
        int next = materialize(importer, form_of_map(importer, map, i, op, 0), width);
        best = best < 0 ? next
                        : append_binary(importer->arena, current_piece(importer), rule->opcode,
                                        best, next);
    }
    return convert_width(importer, best, range_width(range, true), true);
}

static int evaluate_compare(Importer *importer, const ValueRule *rule, MlirOperation op,
                            MlirValue value) {
    (void)value;
    int condition = (int)mlirIntegerAttrGetValueInt(op_attribute(op, "predicate"));
    MlirValue left = mlirOperationGetOperand(op, 0), right = mlirOperationGetOperand(op, 1);
    if (is_index_value(left))
        return materialize_compare(importer, condition, form_of_value(importer, left),
                                   form_of_value(importer, right));
    int a = value_operation(importer, left), b = value_operation(importer, right);
    return append_compare(importer->arena, current_piece(importer), rule->opcode, condition, a, b);
}

/* Two alternatives at the width of the result. */
static int choose(Importer *importer, int condition, MlirValue yes, MlirValue no, MlirValue value) {
    int a = value_operation(importer, yes), b = value_operation(importer, no);
    if (is_index_value(value)) {
        int width = value_type(importer, value).width;
        a = convert_width(importer, a, width, true);
        b = convert_width(importer, b, width, true);
    }
    return append_select(importer->arena, current_piece(importer), condition, a, b);
}

static int evaluate_select(Importer *importer, const ValueRule *rule, MlirOperation op,
                           MlirValue value) {
    (void)rule;
    return choose(importer, operand_operation(importer, op, 0), mlirOperationGetOperand(op, 1),
                  mlirOperationGetOperand(op, 2), value);
}

MlirValue yielded(MlirOperation op, intptr_t branch, intptr_t index) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, branch));
    return mlirOperationGetOperand(mlirBlockGetTerminator(block), index);
}

static int evaluate_if(Importer *importer, const ValueRule *rule, MlirOperation op,
                       MlirValue value) {
    (void)rule;
    intptr_t index = mlirOpResultGetResultNumber(value);
    int condition = if_condition(importer, op);
    return choose(importer, condition, yielded(op, 0, index), yielded(op, 1, index), value);
}

static int evaluate_cast(Importer *importer, const ValueRule *rule, MlirOperation op,
                         MlirValue value) {
    MlirValue operand = mlirOperationGetOperand(op, 0);
    int width = value_type(importer, value).width;
    if (is_index_value(operand))
        return materialize(importer, form_of_value(importer, operand), width);
    return convert_width(importer, value_operation(importer, operand), width,
                         rule->opcode == OP_EXTEND_SIGNED);
}

static int evaluate_load(Importer *importer, const ValueRule *rule, MlirOperation op,
                         MlirValue value) {
    (void)rule, (void)value;
    return load_operation(importer, op);
}

static const ValueRule value_rules[] = {
    {"arith.constant", evaluate_constant, OP_CONSTANT},
    {"affine.load", evaluate_load, OP_LOAD},
    {"memref.load", evaluate_load, OP_LOAD},
    {"arith.addf", evaluate_plain, OP_FLOAT_ADD},
    {"arith.subf", evaluate_plain, OP_FLOAT_SUBTRACT},
    {"arith.mulf", evaluate_plain, OP_FLOAT_MULTIPLY},
    {"arith.divf", evaluate_plain, OP_FLOAT_DIVIDE},
    {"math.sqrt", evaluate_plain, OP_FLOAT_SQRT},
    {"arith.negf", evaluate_plain, OP_FLOAT_NEGATE},
    {"math.absf", evaluate_plain, OP_FLOAT_ABSOLUTE},
    {"arith.minimumf", evaluate_plain, OP_FLOAT_MINIMUM},
    {"arith.maximumf", evaluate_plain, OP_FLOAT_MAXIMUM},
    {"arith.cmpf", evaluate_compare, OP_FLOAT_COMPARE},
    {"arith.extf", evaluate_plain, OP_FLOAT_CONVERT},
    {"arith.truncf", evaluate_plain, OP_FLOAT_CONVERT},
    {"arith.fptosi", evaluate_plain, OP_FLOAT_TO_SIGNED},
    {"arith.fptoui", evaluate_plain, OP_FLOAT_TO_UNSIGNED},
    {"arith.sitofp", evaluate_plain, OP_SIGNED_TO_FLOAT},
    {"arith.uitofp", evaluate_plain, OP_UNSIGNED_TO_FLOAT},
    {"arith.addi", evaluate_plain, OP_ADD},
    {"arith.subi", evaluate_plain, OP_SUBTRACT},
    {"arith.muli", evaluate_plain, OP_MULTIPLY},
    {"arith.divsi", evaluate_plain, OP_DIVIDE_SIGNED},
    {"arith.divui", evaluate_plain, OP_DIVIDE_UNSIGNED},
    {"arith.remsi", evaluate_plain, OP_REMAINDER_SIGNED},
    {"arith.remui", evaluate_plain, OP_REMAINDER_UNSIGNED},
    {"arith.andi", evaluate_plain, OP_AND},
    {"arith.ori", evaluate_plain, OP_OR},
    {"arith.xori", evaluate_plain, OP_XOR},
    {"arith.shli", evaluate_plain, OP_SHIFT_LEFT},
    {"arith.shrui", evaluate_plain, OP_SHIFT_RIGHT_UNSIGNED},
    {"arith.shrsi", evaluate_plain, OP_SHIFT_RIGHT_SIGNED},
    {"arith.minsi", evaluate_plain, OP_MINIMUM_SIGNED},
    {"arith.maxsi", evaluate_plain, OP_MAXIMUM_SIGNED},
    {"arith.minui", evaluate_plain, OP_MINIMUM_UNSIGNED},
    {"arith.maxui", evaluate_plain, OP_MAXIMUM_UNSIGNED},
    {"arith.cmpi", evaluate_compare, OP_COMPARE},
    {"arith.extsi", evaluate_plain, OP_EXTEND_SIGNED},
    {"arith.extui", evaluate_plain, OP_EXTEND_UNSIGNED},
    {"arith.trunci", evaluate_plain, OP_TRUNCATE},
    {"arith.bitcast", evaluate_plain, OP_BITCAST},
    {"arith.select", evaluate_select, OP_SELECT},
    {"arith.index_cast", evaluate_cast, OP_EXTEND_SIGNED},
    {"arith.index_castui", evaluate_cast, OP_EXTEND_UNSIGNED},
    {"affine.min", evaluate_extreme, OP_MINIMUM_SIGNED},
    {"affine.max", evaluate_extreme, OP_MAXIMUM_SIGNED},
    {"affine.if", evaluate_if, OP_SELECT},
    {"scf.if", evaluate_if, OP_SELECT},
};

static const ValueRule *find_rule(MlirOperation op) {
    for (size_t i = 0; i < sizeof value_rules / sizeof *value_rules; i++)
        if (op_is(op, value_rules[i].name)) return &value_rules[i];
    return NULL;
}

bool value_supported(MlirOperation op) {
    if (op_is(op, "affine.apply")) return true;
    const ValueRule *rule = find_rule(op);
    if (!rule) return false;
    Scalar type;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (!scalar_of_type(mlirValueGetType(mlirOperationGetResult(op, i)), &type)) return false;
    return true;
}

static int evaluate(Importer *importer, MlirValue value) {
    int64_t memory;
    if (table_get(&importer->spilled, value.ptr, &memory))
        return load_scalar(importer, (int)memory);
    /* A form of other values; only an opaque one is its own atom. */
    if (is_index_value(value)) {
        Linear linear = form_of_value(importer, value);
        bool own = linear.count == 1 && linear.constant == 0 && linear.terms[0].factor == 1 &&
                   importer->atoms.items[linear.terms[0].atom].kind == ATOM_VALUE &&
                   mlirValueEqual(importer->atoms.items[linear.terms[0].atom].value, value);
        if (!own) return materialize(importer, linear, value_type(importer, value).width);
    }
    MlirOperation op = value_definition(value);
    const ValueRule *rule = mlirOperationIsNull(op) ? NULL : find_rule(op);
    if (rule) return rule->evaluate(importer, rule, op, value);
    importer->refused = true; /* its diagnostic comes from the walk */
    return append_constant(importer->arena, current_piece(importer), value_type(importer, value),
                           0);
}

int value_operation(Importer *importer, MlirValue value) {
    int64_t known;
    if (table_get(&importer->values, value.ptr, &known)) return (int)known;
    int operation = evaluate(importer, value);
    table_put(importer->arena, &importer->values, value.ptr, operation);
    return operation;
}
