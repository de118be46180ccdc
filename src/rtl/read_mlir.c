/* Reads netlists from hw, comb and seq in the generic form. See read_mlir.h.
 *
 * Bodies are graphs: signals (registers, wires, outputs of instances) are made first, then
 * expressions as soon as their operands are known, then what the signals get. */
#include "rtl/read_mlir.h"

#include <stdlib.h>
#include <string.h>
#include "calyx/calyx.h"
#include "mlir/circt.h"

enum { WIDEST = 1 << 16 };

typedef struct Reader {
    Session *session;
    Arena *arena;
    Netlist *netlist;
    Module *module;
    MlirValue clock;
    ValueMap values; /* position -> meanings */
    Vector(Expression) meanings;
    OpList later; /* registers and wires, in the order of their signals */
} Reader;

/* --- values --- */

static void define(Reader *r, MlirValue value, Expression meaning) {
    map_value(&r->values, value, value);
    vector_push(r->arena, &r->meanings, meaning);
}

/* What an operand stands for; -1 if that is not known (yet). */
static Expression value_at(Reader *r, MlirOperation op, intptr_t operand) {
    if (operand >= mlirOperationGetNumOperands(op)) return -1;
    int position = map_position(&r->values, mlirOperationGetOperand(op, operand));
    return position < 0 ? -1 : r->meanings.items[position];
}

static int width_of(Reader *r, Expression e) {
    return r->module->expressions.items[e].width;
}

/* The width of the only result; 0, with an error, if there is another number of results, or none of
 * an integer. */
static int result_width(Reader *r, MlirOperation op) {
    int width = mlirOperationGetNumResults(op) == 1
                    ? circt_width(mlirValueGetType(mlirOperationGetResult(op, 0)))
                    : 0;
    if (width >= 1 && width <= WIDEST) return width;
    circt_fault(r->session, op, "it has not one result of an integer type");
    return 0;
}

static bool read_integer(Reader *r, MlirOperation op, const char *name, int64_t *value) {
    MlirAttribute attribute = op_attribute(op, name);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute) ||
        circt_width(mlirAttributeGetType(attribute)) > 64)
        return circt_fault(r->session, op, "it has no number '%s'", name);
    *value = mlirIntegerAttrGetValueInt(attribute);
    return true;
}

/* A constant; one of more than 64 bits is small, or minus one. */
static bool read_constant(Reader *r, MlirOperation op) {
    int width = result_width(r, op);
    MlirAttribute attribute = op_attribute(op, "value");
    if (!width) return false;
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute) ||
        circt_width(mlirAttributeGetType(attribute)) != width)
        return circt_fault(r->session, op, "it has no value of its type");
    Bits value;
    if (width <= 64) {
        value = (Bits)mlirIntegerAttrGetValueInt(attribute);
    } else {
        Text text = text_new(r->arena);
        mlirAttributePrint(attribute, append_piece, &text);
        char *end;
        value = strtoull(text_string(&text), &end, 10);
        if (end == text_string(&text) || end - text_string(&text) > 18 || (int64_t)value < 0)
            return circt_fault(r->session, op, "numbers of more than 64 bits are not supported");
    }
    define(r, mlirOperationGetResult(op, 0),
           expression_constant(r->netlist, r->module, width, value));
    return true;
}

/* --- comb --- */

static Expression make(Reader *r, ExpressionKind kind, int width, Expression a, Expression b) {
    return expression(r->netlist, r->module, kind, width, a, b, -1);
}

/* Two operands of one width that give a result of that width; and, or, xor, add and mul may have
 * any number. */
static const struct {
    const char *name;
    ExpressionKind kind;
    bool any_number;
} binary[] = {
    {"comb.and", EXPRESSION_AND, true},
    {"comb.or", EXPRESSION_OR, true},
    {"comb.xor", EXPRESSION_XOR, true},
    {"comb.add", EXPRESSION_ADD, true},
    {"comb.mul", EXPRESSION_MULTIPLY, true},
    {"comb.sub", EXPRESSION_SUBTRACT, false},
    {"comb.divu", EXPRESSION_DIVIDE, false},
    {"comb.modu", EXPRESSION_REMAINDER, false},
    {"comb.divs", EXPRESSION_DIVIDE_SIGNED, false},
    {"comb.mods", EXPRESSION_REMAINDER_SIGNED, false},
    {"comb.shl", EXPRESSION_SHIFT_LEFT, false},
    {"comb.shru", EXPRESSION_SHIFT_RIGHT, false},
    {"comb.shrs", EXPRESSION_SHIFT_RIGHT_SIGNED, false},
};

/* xor with all ones is the negation. */
static Expression combine(Reader *r, ExpressionKind kind, int width, Expression a, Expression b) {
    Bits value;
    if (kind == EXPRESSION_XOR && width <= 64 && expression_is_constant(r->module, b, &value) &&
        value == bits_mask(width))
        return expression_not(r->netlist, r->module, a);
    return make(r, kind, width, a, b);
}

static Expression read_binary(Reader *r, MlirOperation op, int kind, int width) {
    intptr_t count = mlirOperationGetNumOperands(op);
    if (count < 1 || (count != 2 && !binary[kind].any_number)) return -1;
    Expression result = value_at(r, op, 0);
    if (width_of(r, result) != width) return -1;
    for (intptr_t i = 1; i < count; i++) {
        Expression next = value_at(r, op, i);
        if (width_of(r, next) != width) return -1;
        result = combine(r, binary[kind].kind, width, result, next);
    }
    return result;
}

static Expression read_compare(Reader *r, MlirOperation op, int width) {
    static const ExpressionKind kinds[] = {
        EXPRESSION_EQ,        EXPRESSION_NE,        EXPRESSION_LT_SIGNED, EXPRESSION_LE_SIGNED,
        EXPRESSION_GT_SIGNED, EXPRESSION_GE_SIGNED, EXPRESSION_LT,        EXPRESSION_LE,
        EXPRESSION_GT,        EXPRESSION_GE};
    int64_t predicate;
    if (mlirOperationGetNumOperands(op) != 2 || width != 1) return -1;
    Expression a = value_at(r, op, 0), b = value_at(r, op, 1);
    if (!read_integer(r, op, "predicate", &predicate) || predicate < 0 || predicate > 9 ||
        width_of(r, a) != width_of(r, b))
        return -1;
    return make(r, kinds[predicate], 1, a, b);
}

static Expression read_mux(Reader *r, MlirOperation op, int width) {
    if (mlirOperationGetNumOperands(op) != 3) return -1;
    Expression condition = value_at(r, op, 0), a = value_at(r, op, 1), b = value_at(r, op, 2);
    if (width_of(r, condition) != 1 || width_of(r, a) != width || width_of(r, b) != width)
        return -1;
    return expression_mux(r->netlist, r->module, condition, a, b);
}

static Expression read_concat(Reader *r, MlirOperation op, int width) {
    Expression result = value_at(r, op, 0);
    for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++) {
        Expression next = value_at(r, op, i);
        int sum = width_of(r, result) + width_of(r, next);
        if (sum > WIDEST) return -1;
        result = make(r, EXPRESSION_CONCAT, sum, result, next);
    }
    return width_of(r, result) == width ? result : -1;
}

static Expression read_extract(Reader *r, MlirOperation op, int width) {
    int64_t low;
    Expression value = value_at(r, op, 0);
    if (!read_integer(r, op, "lowBit", &low) || low < 0 || low + width > width_of(r, value))
        return -1;
    return expression_slice(r->netlist, r->module, value, (int)low, width);
}

/* Copies of one bit are that bit with its sign extended. */
static Expression read_replicate(Reader *r, MlirOperation op, int width) {
    Expression value = value_at(r, op, 0);
    return width_of(r, value) == 1 ? make(r, EXPRESSION_EXTEND_SIGNED, width, value, -1) : -1;
}

/* The expression of a comb operation whose operands are known; -1 if it is not supported. */
static Expression read_expression(Reader *r, MlirOperation op, int width) {
    static const struct {
        const char *name;
        Expression (*read)(Reader *r, MlirOperation op, int width);
    } others[] = {{"comb.icmp", read_compare},
                  {"comb.mux", read_mux},
                  {"comb.concat", read_concat},
                  {"comb.extract", read_extract},
                  {"comb.replicate", read_replicate}};
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (op_is(op, binary[i].name)) return read_binary(r, op, (int)i, width);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (op_is(op, others[i].name)) return others[i].read(r, op, width);
    return -1;
}

static bool operands_known(Reader *r, MlirOperation op) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (value_at(r, op, i) < 0) return false;
    return mlirOperationGetNumOperands(op) > 0;
}

/* Rounds over the operations that are left, until none is. Text that was printed in order takes
 * one. */
static bool read_expressions(Reader *r, OpList *left) {
    while (left->count > 0) {
        int kept = 0;
        for (int i = 0; i < left->count; i++) {
            MlirOperation op = left->items[i];
            if (!operands_known(r, op)) {
                left->items[kept++] = op;
                continue;
            }
            int width = result_width(r, op);
            Expression value = width ? read_expression(r, op, width) : -1;
            if (value < 0)
                return circt_fault(r->session, op, "not supported, or of the wrong widths");
            define(r, mlirOperationGetResult(op, 0), value);
        }
        if (kept == left->count)
            return circt_fault(r->session, left->items[0],
                               "an operand is not known, or depends on itself");
        left->count = kept;
    }
    return true;
}

/* --- signals --- */

/* A signal by its name, which is kept as far as it is free. */
static int add_signal(Reader *r, const char *name, SignalKind kind, int width) {
    int signal = signal_add(r->netlist, r->module, name, kind, width);
    bool handshake = !strcmp(name, "go") || !strcmp(name, "done");
    if (handshake && kind != SIGNAL_INSTANCE) r->module->signals.items[signal].name = name;
    return signal;
}

static bool declare_named(Reader *r, MlirOperation op, SignalKind kind) {
    int width = result_width(r, op);
    MlirAttribute attribute = op_attribute(op, "name");
    const char *name =
        mlirAttributeIsNull(attribute) ? NULL : string_of_attribute(r->arena, attribute);
    if (!width) return false;
    if (!name || !*name) name = kind == SIGNAL_WIRE ? "wire" : "register";
    int signal = add_signal(r, name, kind, width);
    define(r, mlirOperationGetResult(op, 0), expression_signal(r->netlist, r->module, signal));
    vector_push(r->arena, &r->later, op);
    return true;
}

static bool give_wire(Reader *r, MlirOperation op, Signal *signal) {
    if (mlirOperationGetNumOperands(op) != 1)
        return circt_fault(r->session, op, "it has not one operand");
    signal->value = value_at(r, op, 0);
    return signal->value >= 0 || circt_fault(r->session, op, "its value is not supported");
}

/* Operands: value, clock, enable (.ce), then reset and the value that it sets, if it has one. */
static bool give_register(Reader *r, MlirOperation op, Signal *signal) {
    bool enabled = op_is(op, "seq.compreg.ce");
    intptr_t count = mlirOperationGetNumOperands(op), first = enabled ? 3 : 2;
    if ((count != first && count != first + 2) ||
        !mlirValueEqual(mlirOperationGetOperand(op, 1), r->clock))
        return circt_fault(r->session, op,
                           "only registers of clk, with a reset or without one, are supported");
    signal->value = value_at(r, op, 0);
    if (enabled) signal->enable = value_at(r, op, 2);
    if (signal->value < 0 || (enabled && signal->enable < 0))
        return circt_fault(r->session, op, "an operand is not supported");
    if (count == first) return true;
    MlirValue reset = mlirBlockGetArgument(mlirOperationGetBlock(op), 1);
    Expression value = value_at(r, op, first + 1);
    if (!mlirValueEqual(mlirOperationGetOperand(op, first), reset) || value < 0 ||
        !expression_is_constant(r->module, value, &signal->reset_value))
        return circt_fault(r->session, op, "its reset is not the module's, or sets no constant");
    signal->has_reset = true;
    return true;
}

/* --- instances --- */

static MlirAttribute list_of(MlirOperation op, const char *name, intptr_t count) {
    MlirAttribute list = op_attribute(op, name), none = {NULL};
    bool fits = !mlirAttributeIsNull(list) && mlirAttributeIsAArray(list) &&
                mlirArrayAttrGetNumElements(list) == count;
    return fits ? list : none;
}

static const char *name_in(Reader *r, MlirAttribute list, intptr_t position) {
    MlirAttribute name = mlirArrayAttrGetElement(list, position);
    const char *text = mlirAttributeIsAString(name) ? string_of_attribute(r->arena, name) : "";
    bool reserved = !strcmp(text, "clk") || !strcmp(text, "reset") || !strcmp(text, "go") ||
                    !strcmp(text, "done");
    return reserved || strcmp(string_identifier(r->arena, text), text) == 0 ? text : NULL;
}

static bool is_known_module(Reader *r, const char *name) {
    for (int m = 0; m < r->netlist->modules.count; m++)
        if (r->netlist->modules.items[m] != r->module &&
            !strcmp(r->netlist->modules.items[m]->name, name))
            return true;
    const Primitive *primitive = primitive_find(name);
    return primitive && !strcmp(primitive->library, "tepal");
}

static bool read_parameters(Reader *r, MlirOperation op, Instance *instance) {
    MlirAttribute list = op_attribute(op, "parameters");
    if (mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list)) return true;
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(list); i++) {
        CirctParameter parameter;
        if (!circt_parameter(r->arena, mlirArrayAttrGetElement(list, i), &parameter) ||
            strcmp(string_identifier(r->arena, parameter.name), parameter.name) != 0 ||
            (parameter.text && !string_is_file_name(parameter.text, ".hex")))
            return circt_fault(r->session, op, "parameter %d is no number and no image", (int)i);
        vector_push(r->arena, &instance->parameters,
                    ((ModuleParameter){parameter.name, parameter.value, parameter.text}));
    }
    return true;
}

/* Results become signals; operands are connected when all expressions are known. */
static bool declare_instance(Reader *r, MlirOperation op) {
    const char *name = circt_name(r->arena, op, "instanceName");
    const char *of = circt_name(r->arena, op, "moduleName");
    intptr_t results = mlirOperationGetNumResults(op);
    MlirAttribute names = list_of(op, "resultNames", results);
    if (!name || !of || mlirAttributeIsNull(names))
        return circt_fault(r->session, op, "its names are missing, or no identifiers");
    if (!is_known_module(r, of))
        return circt_fault(r->session, op, "there is no module '%s' before it", of);
    int number = instance_add(r->netlist, r->module, name, of);
    if (!read_parameters(r, op, &r->module->instances.items[number])) return false;
    for (intptr_t i = 0; i < results; i++) {
        MlirValue result = mlirOperationGetResult(op, i);
        const char *port = name_in(r, names, i);
        int width = circt_width(mlirValueGetType(result));
        if (!port || width < 1 || width > WIDEST)
            return circt_fault(r->session, op, "a result is not supported");
        int signal =
            add_signal(r, string_format(r->arena, "%s_%s", name, port), SIGNAL_INSTANCE, width);
        define(r, result, expression_signal(r->netlist, r->module, signal));
        Connection connection = {
            .port = port, .is_output = true, .width = width, .value = -1, .signal = signal};
        vector_push(r->arena, &r->module->instances.items[number].connections, connection);
    }
    return true;
}

static bool connect_instance(Reader *r, MlirOperation op, Instance *instance) {
    intptr_t count = mlirOperationGetNumOperands(op);
    MlirAttribute names = list_of(op, "argNames", count);
    if (mlirAttributeIsNull(names))
        return circt_fault(r->session, op, "its argNames are not those of its operands");
    MlirValue reset = mlirBlockGetArgument(mlirOperationGetBlock(op), 1);
    for (intptr_t i = 0; i < count; i++) {
        const char *port = name_in(r, names, i);
        MlirValue operand = mlirOperationGetOperand(op, i);
        Expression value = value_at(r, op, i);
        bool is_clock = mlirValueEqual(operand, r->clock);
        if (!port || (value < 0 && !is_clock))
            return circt_fault(r->session, op, "an operand is not supported");
        if (is_clock != !strcmp(port, "clk"))
            return circt_fault(r->session, op, "its clock is not clk");
        instance->has_clock = instance->has_clock || is_clock;
        bool is_reset = !strcmp(port, "reset") && mlirValueEqual(operand, reset);
        instance->has_reset = instance->has_reset || is_reset;
        if (is_clock || is_reset) continue;
        Connection connection = {
            .port = port, .width = width_of(r, value), .value = value, .signal = -1};
        vector_push(r->arena, &instance->connections, connection);
    }
    return true;
}

/* --- modules --- */

/* Arguments of the block: clk, reset, then the inputs; the outputs are those of hw.output. */
static bool declare_ports(Reader *r, MlirOperation op, MlirBlock body) {
    CirctPorts ports = {0};
    if (!circt_ports(r->arena, op_attribute(op, "module_type"), &ports))
        return circt_fault(r->session, op, "its module_type is not supported");
    intptr_t argument = 0, count = mlirBlockGetNumArguments(body);
    for (int i = 0; i < ports.count; i++) {
        const CirctPort *port = &ports.items[i];
        bool special = i == 0 ? !strcmp(port->name, "clk") && port->width == 0
                              : i == 1 && !strcmp(port->name, "reset") && port->width == 1;
        if (special != (i < 2) || (special && port->is_output))
            return circt_fault(r->session, op,
                               "the first ports must be clk, of !seq.clock, and reset");
        if (port->is_output) {
            add_signal(r, port->name, SIGNAL_OUTPUT, port->width);
            continue;
        }
        if (argument >= count ||
            circt_width(mlirValueGetType(mlirBlockGetArgument(body, argument))) != port->width)
            return circt_fault(r->session, op, "its ports are not the arguments of its body");
        MlirValue value = mlirBlockGetArgument(body, argument++);
        if (special) continue;
        int signal = add_signal(r, port->name, SIGNAL_INPUT, port->width);
        define(r, value, expression_signal(r->netlist, r->module, signal));
    }
    return argument >= 2 || circt_fault(r->session, op, "it has no clk and no reset");
}

static bool give_outputs(Reader *r, MlirOperation op) {
    intptr_t next = 0;
    for (int s = 0; s < r->module->signals.count; s++) {
        Signal *signal = &r->module->signals.items[s];
        if (signal->kind != SIGNAL_OUTPUT) continue;
        signal->value = value_at(r, op, next++);
        if (signal->value < 0)
            return circt_fault(r->session, op, "the output %s is not supported", signal->name);
    }
    return next == mlirOperationGetNumOperands(op) ||
           circt_fault(r->session, op, "it has more operands than ports");
}

/* The operations of a body, by what is done with them. */
typedef struct Parts {
    OpList expressions, instances;
    MlirOperation output;
} Parts;

static bool declare(Reader *r, MlirOperation op, Parts *parts) {
    if (op_is(op, "hw.constant")) return read_constant(r, op);
    if (op_is(op, "hw.wire")) return declare_named(r, op, SIGNAL_WIRE);
    if (op_is(op, "seq.compreg") || op_is(op, "seq.compreg.ce"))
        return declare_named(r, op, SIGNAL_REGISTER);
    if (op_is(op, "hw.instance")) {
        vector_push(r->arena, &parts->instances, op);
        return declare_instance(r, op);
    }
    if (op_in_dialect(op, "comb")) {
        vector_push(r->arena, &parts->expressions, op);
        return true;
    }
    if (!op_is(op, "hw.output"))
        return circt_fault(r->session, op, "is not supported in a netlist");
    parts->output = op;
    return true;
}

static bool define_signals(Reader *r, const Parts *parts) {
    int next = 0;
    for (int s = 0; s < r->module->signals.count; s++) {
        Signal *signal = &r->module->signals.items[s];
        bool is_register = signal->kind == SIGNAL_REGISTER;
        if (!is_register && signal->kind != SIGNAL_WIRE) continue;
        MlirOperation op = r->later.items[next++];
        if (!(is_register ? give_register(r, op, signal) : give_wire(r, op, signal))) return false;
    }
    for (int i = 0; i < parts->instances.count; i++)
        if (!connect_instance(r, parts->instances.items[i], &r->module->instances.items[i]))
            return false;
    return give_outputs(r, parts->output);
}

static bool read_module(Reader *r, MlirOperation op) {
    const char *name = circt_name(r->arena, op, "sym_name");
    MlirBlock body = op_body(op);
    if (!name || mlirBlockIsNull(body))
        return circt_fault(r->session, op, "it has no usable name, or no body");
    r->module = module_new(r->netlist, name);
    r->values = (ValueMap){.arena = r->arena};
    r->meanings.count = r->later.count = 0;
    if (!declare_ports(r, op, body)) return false;
    r->clock = mlirBlockGetArgument(body, 0);
    Parts parts = {.output = {NULL}};
    for (MlirOperation part = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(part);
         part = mlirOperationGetNextInBlock(part))
        if (!declare(r, part, &parts)) return false;
    if (mlirOperationIsNull(parts.output))
        return circt_fault(r->session, op, "it has no hw.output");
    return read_expressions(r, &parts.expressions) && define_signals(r, &parts);
}

Netlist *netlist_read_mlir(Session *session, MlirModule module) {
    Reader r = {.session = session, .arena = session->arena};
    r.netlist = arena_new_of(session->arena, Netlist);
    r.netlist->arena = session->arena;
    MlirBlock body = mlirModuleGetBody(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (op_is(op, "hw.module.extern")) continue;
        if (!op_is(op, "hw.module")) {
            circt_fault(r.session, op, "stands beside modules of hw");
            return NULL;
        }
        if (!read_module(&r, op)) return NULL;
    }
    return netlist_check_text(r.netlist, session->diagnostics) ? r.netlist : NULL;
}
