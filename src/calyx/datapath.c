/* The operations of a nest: units, plain logic, memory accesses, and the registers that carry
 * values from the cycle in which they are there to the cycles in which they are used. */
#include "calyx/construction.h"

#include <assert.h>
#include <string.h>

static const Operation *operation_at(const NestConstruction *nest, int operation) {
    return &nest->nest->body.items[operation];
}

static const Slot *slot_at(const NestConstruction *nest, int operation) {
    return &nest->schedule->slots[operation];
}

static const char *operation_name(const NestConstruction *nest, int operation) {
    return string_format(nest->construction->calyx->arena, "%s_%s_%d", nest->nest->name,
                         opcode_info[operation_at(nest, operation)->opcode].text, operation);
}

static void drive(NestConstruction *nest, int cell, const char *port, Port source, int guard) {
    Construction *c = nest->construction;
    assign(c->calyx, c->component, nest->group, cell_port(c->component, cell, port), source, guard);
}

static Port out_of(const NestConstruction *nest, int cell, const char *port) {
    return cell_port(nest->construction->component, cell, port);
}

/* --- values --- */

/* Cycles that a delay line keeps a value. Of a unit that serves many operations most results are
 * used soon: registers for each of them would all be inputs of the next unit's multiplexer. */
enum { DELAY_LINE = 3 };

static DelayLine *delay_line_of(Construction *c, Port source) {
    for (int i = 0; i < c->delay_lines.count; i++)
        if (port_equal(c->delay_lines.items[i].source, source)) return &c->delay_lines.items[i];
    vector_push(c->calyx->arena, &c->delay_lines, (DelayLine){.source = source});
    return &c->delay_lines.items[c->delay_lines.count - 1];
}

static Port delayed(Construction *c, Port source, int cycles) {
    if (cycles == 0) return source;
    DelayLine *line = delay_line_of(c, source);
    const char *name =
        string_format(c->calyx->arena, "%s_%s", c->component->cells.items[source.cell].name,
                      port_info(c->component, source).name);
    while (line->registers.count < cycles) {
        int k = line->registers.count;
        int cell =
            register_add(c, string_format(c->calyx->arena, "%s_d%d", name, k + 1), source.width);
        assign(c->calyx, c->component, -1, cell_port(c->component, cell, "in"),
               k == 0 ? source : line->registers.items[k - 1], 0);
        assign(c->calyx, c->component, -1, cell_port(c->component, cell, "write_en"), literal(1, 1),
               0);
        vector_push(c->calyx->arena, &line->registers, register_out(c, cell));
    }
    return line->registers.items[cycles - 1];
}

Port chain_at(NestConstruction *nest, ValueChain *chain, int cycle) {
    assert(chain->made && cycle >= chain->ready);
    if (chain->waits_shortly)
        return delayed(nest->construction, chain->source, cycle - chain->ready);
    int interval = nest->schedule->interval;
    int registers =
        chain->ready < 0 ? cycle / interval : (cycle - chain->ready + interval - 1) / interval;
    if (registers == 0 || chain->source.cell == LITERAL) return chain->source;
    Construction *c = nest->construction;
    /* What the odometer holds changes after the last slot, so that is when it is taken over. */
    int slot = slot_guard(nest, chain->ready < 0 ? interval - 1 : chain->ready);
    while (chain->registers.count < registers) {
        int k = chain->registers.count;
        int cell = register_add(c, string_format(c->calyx->arena, "%s_d%d", chain->name, k + 1),
                                chain->source.width);
        register_write(c, nest->group, cell, k == 0 ? chain->source : chain->registers.items[k - 1],
                       slot);
        vector_push(c->calyx->arena, &chain->registers, register_out(c, cell));
    }
    return chain->registers.items[registers - 1];
}

/* Operand `n` of an operation in the cycle in which the operation starts. */
static Port operand(NestConstruction *nest, int operation, int n) {
    int value = operation_at(nest, operation)->operands[n];
    return chain_at(nest, &nest->values[value], slot_at(nest, operation)->start);
}

static Scalar operand_type(const NestConstruction *nest, int operation, int n) {
    return operation_at(nest, operation_at(nest, operation)->operands[n])->type;
}

/* --- plain logic --- */

/* A cell of a two-operand primitive of one WIDTH parameter. */
static Port logic2(NestConstruction *nest, const char *name, const char *primitive, Port left,
                   Port right) {
    int cell = primitive_add(nest->construction, name, primitive, 1, (int64_t[]){left.width});
    drive(nest, cell, "left", left, 0);
    drive(nest, cell, "right", right, 0);
    return out_of(nest, cell, "out");
}

static Port logic_not(NestConstruction *nest, const char *name, Port in) {
    int cell = primitive_add(nest->construction, name, "std_not", 1, (int64_t[]){in.width});
    drive(nest, cell, "in", in, 0);
    return out_of(nest, cell, "out");
}

static Port multiplexer(NestConstruction *nest, const char *name, Port condition, Port then,
                        Port otherwise) {
    int cell = primitive_add(nest->construction, name, "std_mux", 1, (int64_t[]){then.width});
    drive(nest, cell, "cond", condition, 0);
    drive(nest, cell, "tru", then, 0);
    drive(nest, cell, "fal", otherwise, 0);
    return out_of(nest, cell, "out");
}

static Port resize(NestConstruction *nest, const char *name, const char *primitive, Port in,
                   int width) {
    if (in.width == width) return in;
    int cell = primitive_add(nest->construction, name, primitive, 2, (int64_t[]){in.width, width});
    drive(nest, cell, "in", in, 0);
    return out_of(nest, cell, "out");
}

/* Primitives of integer operations: the operation is one cell over operands 0 and 1. */
static const char *const logic_primitives[OPCODE_COUNT] = {
    [OP_ADD] = "std_add",
    [OP_SUBTRACT] = "std_sub",
    [OP_AND] = "std_and",
    [OP_OR] = "std_or",
    [OP_XOR] = "std_xor",
    [OP_SHIFT_LEFT] = "std_lsh",
    [OP_SHIFT_RIGHT_UNSIGNED] = "std_rsh",
    [OP_SHIFT_RIGHT_SIGNED] = "std_srsh",
};

static const char *const compare_primitives[] = {
    [COMPARE_EQ] = "std_eq",   [COMPARE_NE] = "std_neq",  [COMPARE_SLT] = "std_slt",
    [COMPARE_SLE] = "std_sle", [COMPARE_SGT] = "std_sgt", [COMPARE_SGE] = "std_sge",
    [COMPARE_ULT] = "std_lt",  [COMPARE_ULE] = "std_le",  [COMPARE_UGT] = "std_gt",
    [COMPARE_UGE] = "std_ge"};

/* Minimum and maximum: operand 0 where this comparison with operand 1 holds. */
static const char *const choice_primitives[OPCODE_COUNT] = {
    [OP_MINIMUM_SIGNED] = "std_slt",
    [OP_MAXIMUM_SIGNED] = "std_sgt",
    [OP_MINIMUM_UNSIGNED] = "std_lt",
    [OP_MAXIMUM_UNSIGNED] = "std_gt",
};

static Bits sign_bit(Scalar type) {
    return (Bits)1 << (type.width - 1);
}

/* The result of an operation that takes no cycle and no unit. */
static Port logic(NestConstruction *nest, int operation) {
    const Operation *op = operation_at(nest, operation);
    const char *name = operation_name(nest, operation);
    int width = op->type.width;
    Port a = operand(nest, operation, 0);
    switch (op->opcode) {
    case OP_BITCAST: return a;
    case OP_FLOAT_NEGATE:
        return logic2(nest, name, "std_xor", a, literal(width, sign_bit(op->type)));
    case OP_FLOAT_ABSOLUTE:
        return logic2(nest, name, "std_and", a, literal(width, sign_bit(op->type) - 1));
    case OP_EXTEND_UNSIGNED: return resize(nest, name, "std_pad", a, width);
    case OP_EXTEND_SIGNED: return resize(nest, name, "std_signext", a, width);
    case OP_TRUNCATE: return resize(nest, name, "std_slice", a, width);
    case OP_SELECT:
        return multiplexer(nest, name, a, operand(nest, operation, 1), operand(nest, operation, 2));
    case OP_COMPARE:
        return logic2(nest, name, compare_primitives[op->condition], a,
                      operand(nest, operation, 1));
    default: break;
    }
    Port b = operand(nest, operation, 1);
    if (choice_primitives[op->opcode]) {
        const char *test = string_format(nest->construction->calyx->arena, "%s_test", name);
        return multiplexer(nest, name, logic2(nest, test, choice_primitives[op->opcode], a, b), a,
                           b);
    }
    assert(logic_primitives[op->opcode]);
    return logic2(nest, name, logic_primitives[op->opcode], a, b);
}

/* --- units --- */

/* Float comparisons: the or of these outputs of float_compare, inverted or not. */
enum { LESS = 1, EQUAL = 2, UNORDERED = 4 };
static const struct {
    int outputs;
    bool inverted;
} float_predicates[] = {
    [FLOAT_FALSE] = {0, false},
    [FLOAT_OEQ] = {EQUAL, false},
    [FLOAT_OGT] = {LESS | EQUAL | UNORDERED, true},
    [FLOAT_OGE] = {LESS | UNORDERED, true},
    [FLOAT_OLT] = {LESS, false},
    [FLOAT_OLE] = {LESS | EQUAL, false},
    [FLOAT_ONE] = {EQUAL | UNORDERED, true},
    [FLOAT_ORD] = {UNORDERED, true},
    [FLOAT_UEQ] = {EQUAL | UNORDERED, false},
    [FLOAT_UGT] = {LESS | EQUAL, true},
    [FLOAT_UGE] = {LESS, true},
    [FLOAT_ULT] = {LESS | UNORDERED, false},
    [FLOAT_ULE] = {LESS | EQUAL | UNORDERED, false},
    [FLOAT_UNE] = {EQUAL, true},
    [FLOAT_UNO] = {UNORDERED, false},
    [FLOAT_TRUE] = {0, true},
};

static Port compare_result(NestConstruction *nest, int operation, int cell) {
    static const char *const outputs[] = {"less", "equal", "unordered"};
    int condition = operation_at(nest, operation)->condition;
    const char *name = operation_name(nest, operation);
    Port result = literal(1, 0);
    for (int i = 0; i < 3; i++) {
        if (!(float_predicates[condition].outputs & 1 << i)) continue;
        Port bit = out_of(nest, cell, outputs[i]);
        result = result.cell == LITERAL ? bit : logic2(nest, name, "std_or", result, bit);
    }
    if (!float_predicates[condition].inverted) return result;
    return result.cell == LITERAL ? literal(1, 1) : logic_not(nest, name, result);
}

/* Parameters of a unit's primitive, in the order of its port list in hardware/. */
static int unit_parameters(const Unit *unit, int64_t parameters[6]) {
    int n = 0;
    bool from_integer = unit->opcode == OP_SIGNED_TO_FLOAT || unit->opcode == OP_UNSIGNED_TO_FLOAT;
    bool to_integer = unit->opcode == OP_FLOAT_TO_SIGNED || unit->opcode == OP_FLOAT_TO_UNSIGNED;
    parameters[n++] = from_integer ? unit->operand_bits : unit->type.width;
    if (unit->type.kind == SCALAR_FLOAT) parameters[n++] = unit->type.exponent;
    if (from_integer || to_integer || unit->opcode == OP_FLOAT_CONVERT) {
        parameters[n++] = unit->result.width;
        if (!to_integer) parameters[n++] = unit->result.exponent;
    }
    bool has_sign = from_integer || to_integer || !strcmp(unit->primitive, "int_divide");
    if (has_sign)
        parameters[n++] = unit->opcode == OP_SIGNED_TO_FLOAT ||
                          unit->opcode == OP_FLOAT_TO_SIGNED || unit->opcode == OP_DIVIDE_SIGNED ||
                          unit->opcode == OP_REMAINDER_SIGNED;
    parameters[n++] = unit->latency - unit->input_ranks;
    if (!strcmp(unit->primitive, "int_multiply") || !strcmp(unit->primitive, "int_divide"))
        parameters[n++] = unit->operand_bits;
    return n;
}

static int unit_cell_new(Construction *c, const Unit *unit, const char *name) {
    int64_t parameters[6];
    int count = unit_parameters(unit, parameters);
    const char *primitive = string_format(c->calyx->arena, "tepal_%s", unit->primitive);
    return primitive_add(c, name, primitive, count, parameters);
}

/* The registers between the multiplexers of a unit's operands and its inputs, which they always
 * feed. They take something in every cycle: what is there when no operation starts does not matter,
 * and to tell when one does would take a gate for each of them. */
static void input_ranks_new(Construction *c, const Unit *unit, UnitCell *cell) {
    static const char *const one[] = {"in"}, *const two[] = {"left", "right"};
    const Primitive *primitive = c->component->cells.items[cell->cell].primitive;
    bool single = !strcmp(primitive->ports[0].name, "in");
    for (int i = 0; unit->input_ranks && i < (single ? 1 : 2); i++) {
        const char *port = single ? one[i] : two[i];
        Port input = cell_port(c->component, cell->cell, port);
        const char *name = string_format(c->calyx->arena, "%s_%s",
                                         c->component->cells.items[cell->cell].name, port);
        int rank = register_add(c, name, input.width);
        cell->ranks[i] = primitive_add(c, string_format(c->calyx->arena, "%s_next", name),
                                       "std_wire", 1, (int64_t[]){input.width});
        assign(c->calyx, c->component, -1, cell_port(c->component, rank, "in"),
               cell_port(c->component, cell->ranks[i], "out"), 0);
        assign(c->calyx, c->component, -1, cell_port(c->component, rank, "write_en"), literal(1, 1),
               0);
        assign(c->calyx, c->component, -1, input, register_out(c, rank), 0);
    }
}

static bool same_unit(const Unit *a, const Unit *b) {
    int64_t of_a[6], of_b[6];
    if (strcmp(a->primitive, b->primitive) || a->input_ranks != b->input_ranks ||
        a->ample != b->ample)
        return false;
    int count = unit_parameters(a, of_a);
    return count == unit_parameters(b, of_b) && !memcmp(of_a, of_b, sizeof *of_a * (size_t)count);
}

/* The cell of an operation's unit: shared by number, or its own. */
static UnitCell unit_cell(NestConstruction *nest, int operation) {
    Construction *c = nest->construction;
    const Slot *slot = slot_at(nest, operation);
    const Unit *unit = &nest->schedule->units[slot->unit];
    if (slot->instance < 0)
        return (UnitCell){
            unit, -1, unit_cell_new(c, unit, operation_name(nest, operation)), {-1, -1}};
    for (int i = 0; i < c->units.count; i++)
        if (c->units.items[i].instance == slot->instance && same_unit(c->units.items[i].unit, unit))
            return c->units.items[i];
    UnitCell cell = {unit, slot->instance, unit_cell_new(c, unit, unit->primitive), {-1, -1}};
    input_ranks_new(c, unit, &cell);
    vector_push(c->calyx->arena, &c->units, cell);
    return cell;
}

static Port unit_result(NestConstruction *nest, int operation, int cell) {
    switch (operation_at(nest, operation)->opcode) {
    case OP_FLOAT_COMPARE: return compare_result(nest, operation, cell);
    case OP_DIVIDE_SIGNED:
    case OP_DIVIDE_UNSIGNED: return out_of(nest, cell, "quotient");
    case OP_REMAINDER_SIGNED:
    case OP_REMAINDER_UNSIGNED: return out_of(nest, cell, "remainder");
    default: return out_of(nest, cell, "out");
    }
}

/* Feeds an input of a unit, or the register in front of it. */
static void feed(NestConstruction *nest, const UnitCell *cell, int input, const char *port,
                 Port value, int slot) {
    if (cell->ranks[input] >= 0)
        drive(nest, cell->ranks[input], "in", value, slot);
    else
        drive(nest, cell->cell, port, value, slot);
}

/* An operand as wide as the unit's port: a unit of integers may be wider than the operation, or
 * narrower, where the low bits are all of the value (Unit.operand_bits). */
static Port fitted(NestConstruction *nest, int operation, Port value, int cell, const char *port) {
    int width = out_of(nest, cell, port).width;
    if (value.cell == LITERAL && value.width < width)
        return literal(width, (Bits)bits_signed(value.width, value.value) & bits_mask(width));
    return resize(nest, operation_name(nest, operation),
                  value.width < width ? "std_signext" : "std_slice", value, width);
}

static int result_width(const Operation *op) {
    return opcode_info[op->opcode].result == RESULT_BOOL ? 1 : op->type.width;
}

/* Feeds a unit in the operation's slot and returns its result. */
static Port unit(NestConstruction *nest, int operation) {
    const Operation *op = operation_at(nest, operation);
    UnitCell cell = unit_cell(nest, operation);
    int slot = slot_guard(nest, slot_at(nest, operation)->start);
    Port a = operand(nest, operation, 0);
    if (opcode_info[op->opcode].operands == 1) {
        feed(nest, &cell, 0, "in", fitted(nest, operation, a, cell.cell, "in"), slot);
        return unit_result(nest, operation, cell.cell);
    }
    Port b = operand(nest, operation, 1);
    if (op->opcode == OP_FLOAT_SUBTRACT) {
        const char *name = string_format(nest->construction->calyx->arena, "%s_minus",
                                         operation_name(nest, operation));
        b = logic2(nest, name, "std_xor", b,
                   literal(b.width, sign_bit(operand_type(nest, operation, 1))));
    }
    feed(nest, &cell, 0, "left", fitted(nest, operation, a, cell.cell, "left"), slot);
    feed(nest, &cell, 1, "right", fitted(nest, operation, b, cell.cell, "right"), slot);
    return resize(nest, operation_name(nest, operation), "std_slice",
                  unit_result(nest, operation, cell.cell), result_width(op));
}

/* --- memory --- */

static Port address_of(NestConstruction *nest, int operation, int cell, const char *port) {
    const Operation *op = operation_at(nest, operation);
    const Memory *memory = &nest->construction->schedule->program->memories.items[op->memory];
    int width = out_of(nest, cell, port).width;
    const char *name = string_format(nest->construction->calyx->arena, "%s_%s_address",
                                     nest->nest->name, memory->name);
    if (op->computed) {
        Port address = operand(nest, operation, op->opcode == OP_STORE);
        return resize(nest, name, address.width > width ? "std_slice" : "std_pad", address, width);
    }
    const PackedPlace *place = &nest->construction->places[op->memory];
    int own_width = place->pack < 0 ? width : bits_to_count(memory->elements);
    int induction = induction_of(nest, &op->affine, own_width, name);
    Port address =
        chain_at(nest, &nest->address_chains.items[induction], slot_at(nest, operation)->start);
    address = resize(nest, name, "std_pad", address, width);
    if (place->pack < 0 || place->base == 0) return address;
    return logic2(nest, name, "std_or", address, literal(width, (Bits)place->base));
}

/* The guard of an access: its slot, a valid iteration, and its predicate. */
static int access_guard(NestConstruction *nest, int operation) {
    Construction *c = nest->construction;
    const Operation *op = operation_at(nest, operation);
    int start = slot_at(nest, operation)->start;
    Port valid = valid_in_stage(nest, start / nest->schedule->interval);
    int guard = guard_and(c->calyx, c->component, slot_guard(nest, start),
                          guard_port(c->calyx, c->component, valid));
    if (op->predicate < 0) return guard;
    Port predicate = chain_at(nest, &nest->values[op->predicate], start);
    return guard_and(c->calyx, c->component, guard, guard_port(c->calyx, c->component, predicate));
}

static bool is_register(const NestConstruction *nest, const Operation *op) {
    return memory_is_register(&nest->construction->schedule->program->memories.items[op->memory]);
}

static Port load(NestConstruction *nest, int operation) {
    const Operation *op = operation_at(nest, operation);
    const Slot *slot = slot_at(nest, operation);
    int cell = nest->construction->memory_cells[op->memory];
    if (is_register(nest, op)) {
        Port value = register_out(nest->construction, cell);
        if (op->predicate < 0) return value;
        Port allowed = chain_at(nest, &nest->values[op->predicate], slot->start);
        return multiplexer(nest, operation_name(nest, operation), allowed, value,
                           literal(value.width, 0));
    }
    drive(nest, cell, "read_address", address_of(nest, operation, cell, "read_address"),
          slot_guard(nest, slot->start));
    drive(nest, cell, "read_enable", literal(1, 1), access_guard(nest, operation));
    Port data = out_of(nest, cell, "read_data");
    if (op->predicate < 0) return data;
    Port predicate = chain_at(nest, &nest->values[op->predicate], slot->ready);
    return multiplexer(nest, operation_name(nest, operation), predicate, data,
                       literal(data.width, 0));
}

static void store(NestConstruction *nest, int operation) {
    const Operation *op = operation_at(nest, operation);
    int cell = nest->construction->memory_cells[op->memory];
    int guard = access_guard(nest, operation);
    if (is_register(nest, op)) {
        register_write(nest->construction, nest->group, cell, operand(nest, operation, 0), guard);
        return;
    }
    /* Where several stores share the port, address and data follow the one that happens. */
    drive(nest, cell, "write_address", address_of(nest, operation, cell, "write_address"), guard);
    drive(nest, cell, "write_data", operand(nest, operation, 0), guard);
    drive(nest, cell, "write_enable", literal(1, 1), guard);
}

/* --- the body --- */

/* Whether no one uses the value later than its delay line has it. */
static bool waits_shortly(const NestConstruction *nest, int operation) {
    int last = slot_at(nest, operation)->ready + DELAY_LINE;
    for (int i = operation + 1; i < nest->nest->body.count; i++) {
        const Operation *op = operation_at(nest, i);
        const Slot *slot = slot_at(nest, i);
        bool used = op->predicate == operation;
        for (int n = 0; n < 3; n++) used = used || op->operands[n] == operation;
        /* The predicate of a load is looked at again when its data come. */
        if (used && (op->opcode == OP_LOAD ? slot->ready : slot->start) > last) return false;
    }
    return true;
}

static void value_is(NestConstruction *nest, int operation, Port port, int ready) {
    const Component *component = nest->construction->component;
    bool from_cell = port.cell >= 0 && !cell_is_combinational(&component->cells.items[port.cell]);
    nest->values[operation] =
        (ValueChain){.source = port,
                     .ready = ready,
                     .made = true,
                     .waits_shortly = from_cell && ready >= 0 && waits_shortly(nest, operation),
                     .name = operation_name(nest, operation)};
}

static void index_value(NestConstruction *nest, int operation) {
    const Operation *op = operation_at(nest, operation);
    const char *name = operation_name(nest, operation);
    int induction = induction_of(nest, &op->affine, op->type.width, name);
    value_is(nest, operation, nest->inductions.items[induction].port, -1);
}

void datapath_construct(NestConstruction *nest) {
    int count = nest->nest->body.count;
    nest->values =
        arena_array(nest->construction->calyx->arena, (size_t)count + 1, sizeof(ValueChain));
    for (int i = 0; i < count; i++) {
        const Operation *op = operation_at(nest, i);
        const Slot *slot = slot_at(nest, i);
        switch (op->opcode) {
        case OP_CONSTANT: value_is(nest, i, literal(op->type.width, op->bits), -1); break;
        case OP_INDEX: index_value(nest, i); break;
        case OP_LOAD: value_is(nest, i, load(nest, i), slot->ready); break;
        case OP_STORE: store(nest, i); break;
        default: {
            bool has_unit = slot->unit >= 0 && nest->schedule->units[slot->unit].primitive;
            value_is(nest, i, has_unit ? unit(nest, i) : logic(nest, i), slot->ready);
        }
        }
    }
}
