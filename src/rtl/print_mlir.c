/* Netlists in CIRCT's hw, comb and seq dialects, for circt-opt.
 *
 * Expressions become comb operations on %0, %1 ..., signals keep their names. Bodies of hw modules
 * are graphs, so registers may be used before they are printed. Modules of hardware/ are
 * hw.module.extern with parameters. */
#include "rtl/netlist.h"
#include "calyx/calyx.h"

#include <string.h>

typedef struct Printer {
    const Netlist *netlist;
    const Module *module;
    Text *text;
    int next; /* number of the next helper value %h0, %h1 ... */
} Printer;

static const Signal *signal_at(const Printer *p, int index) {
    return &p->module->signals.items[index];
}
static const ExpressionNode *node_at(const Printer *p, Expression e) {
    return &p->module->expressions.items[e];
}

/* "%name" or "%12": the SSA value of an expression. */
static const char *value_of(const Printer *p, Expression e) {
    const ExpressionNode *node = node_at(p, e);
    Arena *arena = p->netlist->arena;
    if (node->kind == EXPRESSION_SIGNAL)
        return string_format(arena, "%%%s", signal_at(p, node->signal)->name);
    return string_format(arena, "%%%d", e);
}

/* --- expressions --- */

static void print_number(Printer *p, const char *result, int width, Bits value) {
    if (width == 1)
        text_printf(p->text, "    %s = hw.constant %s\n", result, value ? "true" : "false");
    else if (width <= 64)
        text_printf(p->text, "    %s = hw.constant %lld : i%d\n", result,
                    (long long)bits_signed(width, value), width);
    else
        text_printf(p->text, "    %s = hw.constant %llu : i%d\n", result, (unsigned long long)value,
                    width);
}

/* A helper value for a constant. */
static const char *number(Printer *p, int width, Bits value) {
    const char *name = string_format(p->netlist->arena, "%%h%d", p->next++);
    print_number(p, name, width, value);
    return name;
}

static const char *helper(Printer *p) {
    return string_format(p->netlist->arena, "%%h%d", p->next++);
}

/* `more` bits above a value: zeros, or its sign. */
static const char *high_bits(Printer *p, const char *value, int width, int more, bool with_sign) {
    if (!with_sign) return number(p, more, 0);
    const char *sign = helper(p), *high = helper(p);
    text_printf(p->text, "    %s = comb.extract %s from %d : (i%d) -> i1\n", sign, value, width - 1,
                width);
    text_printf(p->text, "    %s = comb.replicate %s : (i1) -> i%d\n", high, sign, more);
    return high;
}

/* A value extended to `width`. */
static const char *extended(Printer *p, const char *value, int from, int width, bool with_sign) {
    if (from == width) return value;
    const char *high = high_bits(p, value, from, width - from, with_sign), *result = helper(p);
    text_printf(p->text, "    %s = comb.concat %s, %s : i%d, i%d\n", result, high, value,
                width - from, from);
    return result;
}

static const char *const operations[EXPRESSION_KINDS] = {
    [EXPRESSION_AND] = "and",
    [EXPRESSION_OR] = "or",
    [EXPRESSION_XOR] = "xor",
    [EXPRESSION_ADD] = "add",
    [EXPRESSION_SUBTRACT] = "sub",
    [EXPRESSION_MULTIPLY] = "mul",
    [EXPRESSION_DIVIDE] = "divu",
    [EXPRESSION_REMAINDER] = "modu",
    [EXPRESSION_DIVIDE_SIGNED] = "divs",
    [EXPRESSION_REMAINDER_SIGNED] = "mods",
    [EXPRESSION_SHIFT_LEFT] = "shl",
    [EXPRESSION_SHIFT_RIGHT] = "shru",
    [EXPRESSION_SHIFT_RIGHT_SIGNED] = "shrs",
    [EXPRESSION_EQ] = "icmp eq",
    [EXPRESSION_NE] = "icmp ne",
    [EXPRESSION_LT] = "icmp ult",
    [EXPRESSION_LE] = "icmp ule",
    [EXPRESSION_GT] = "icmp ugt",
    [EXPRESSION_GE] = "icmp uge",
    [EXPRESSION_LT_SIGNED] = "icmp slt",
    [EXPRESSION_LE_SIGNED] = "icmp sle",
    [EXPRESSION_GT_SIGNED] = "icmp sgt",
    [EXPRESSION_GE_SIGNED] = "icmp sge",
};

/* comb wants one width for the value and the amount. */
static void print_shift(Printer *p, Expression e, const ExpressionNode *node) {
    int width = node->width, amount_width = node_at(p, node->operands[1])->width;
    int common = width > amount_width ? width : amount_width;
    bool with_sign = node->kind == EXPRESSION_SHIFT_RIGHT_SIGNED;
    const char *value = extended(p, value_of(p, node->operands[0]), width, common, with_sign);
    const char *amount = extended(p, value_of(p, node->operands[1]), amount_width, common, false);
    const char *result = value_of(p, e), *wide = result;
    if (common > width) wide = helper(p);
    text_printf(p->text, "    %s = comb.%s %s, %s : i%d\n", wide, operations[node->kind], value,
                amount, common);
    if (common > width)
        text_printf(p->text, "    %s = comb.extract %s from 0 : (i%d) -> i%d\n", result, wide,
                    common, width);
}

static void print_extend(Printer *p, Expression e, const ExpressionNode *node) {
    const char *inner = value_of(p, node->operands[0]);
    int from = node_at(p, node->operands[0])->width;
    int more = node->width - from;
    const char *high = high_bits(p, inner, from, more, node->kind == EXPRESSION_EXTEND_SIGNED);
    text_printf(p->text, "    %s = comb.concat %s, %s : i%d, i%d\n", value_of(p, e), high, inner,
                more, from);
}

static void print_against_number(Printer *p, Expression e, const char *operation, Bits value) {
    Expression inner = node_at(p, e)->operands[0];
    int width = node_at(p, inner)->width;
    const char *right = number(p, width, value & bits_mask(width > 64 ? 64 : width));
    text_printf(p->text, "    %s = comb.%s %s, %s : i%d\n", value_of(p, e), operation,
                value_of(p, inner), right, width);
}

static void print_expression(Printer *p, Expression e) {
    const ExpressionNode *node = node_at(p, e);
    const char *result = value_of(p, e), *operands[3] = {NULL};
    int widths[3] = {0};
    for (int i = 0; i < expression_operands(node->kind); i++) {
        operands[i] = value_of(p, node->operands[i]);
        widths[i] = node_at(p, node->operands[i])->width;
    }
    switch (node->kind) {
    case EXPRESSION_SIGNAL: return;
    case EXPRESSION_CONSTANT: print_number(p, result, node->width, node->value); return;
    case EXPRESSION_NOT: print_against_number(p, e, "xor", ~(Bits)0); return;
    case EXPRESSION_REDUCE_OR: print_against_number(p, e, "icmp ne", 0); return;
    case EXPRESSION_REDUCE_AND: print_against_number(p, e, "icmp eq", ~(Bits)0); return;
    case EXPRESSION_MUX:
        text_printf(p->text, "    %s = comb.mux %s, %s, %s : i%d\n", result, operands[0],
                    operands[1], operands[2], node->width);
        return;
    case EXPRESSION_CONCAT:
        text_printf(p->text, "    %s = comb.concat %s, %s : i%d, i%d\n", result, operands[0],
                    operands[1], widths[0], widths[1]);
        return;
    case EXPRESSION_SLICE:
        text_printf(p->text, "    %s = comb.extract %s from %d : (i%d) -> i%d\n", result,
                    operands[0], node->low, widths[0], node->width);
        return;
    case EXPRESSION_EXTEND:
    case EXPRESSION_EXTEND_SIGNED: print_extend(p, e, node); return;
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT:
    case EXPRESSION_SHIFT_RIGHT_SIGNED: print_shift(p, e, node); return;
    default:
        text_printf(p->text, "    %s = comb.%s %s, %s : i%d\n", result, operations[node->kind],
                    operands[0], operands[1], widths[0]);
    }
}

/* --- signals --- */

static void print_register(Printer *p, const Signal *signal) {
    const char *reset = signal->has_reset ? number(p, signal->width, signal->reset_value) : NULL;
    bool enabled = signal->enable >= 0;
    text_printf(p->text, "    %%%s = seq.compreg%s %s, %%clk", signal->name, enabled ? ".ce" : "",
                value_of(p, signal->value));
    if (enabled) text_printf(p->text, ", %s", value_of(p, signal->enable));
    if (reset) text_printf(p->text, " reset %%reset, %s", reset);
    text_printf(p->text, " : i%d\n", signal->width);
}

static void print_signal(Printer *p, const Signal *signal) {
    if (signal->kind == SIGNAL_REGISTER) print_register(p, signal);
    if (signal->kind == SIGNAL_WIRE)
        text_printf(p->text, "    %%%s = hw.wire %s : i%d\n", signal->name,
                    value_of(p, signal->value), signal->width);
}

/* --- instances --- */

static void print_instance_results(Printer *p, const Instance *instance) {
    const char *separator = "    ";
    for (int i = 0; i < instance->connections.count; i++) {
        const Connection *connection = &instance->connections.items[i];
        if (!connection->is_output) continue;
        if (connection->signal >= 0)
            text_printf(p->text, "%s%%%s", separator, signal_at(p, connection->signal)->name);
        else
            text_printf(p->text, "%s%%h%d", separator, p->next++);
        separator = ", ";
    }
}

static void print_instance_parameters(Printer *p, const Instance *instance) {
    if (instance->parameters.count == 0) return;
    text_append(p->text, "<");
    for (int i = 0; i < instance->parameters.count; i++) {
        const ModuleParameter *parameter = &instance->parameters.items[i];
        text_append(p->text, i ? ", " : "");
        if (parameter->text)
            text_printf(p->text, "%s: none = \"%s\"", parameter->name, parameter->text);
        else
            text_printf(p->text, "%s: i32 = %lld", parameter->name, (long long)parameter->value);
    }
    text_append(p->text, ">");
}

static void print_instance(Printer *p, const Instance *instance) {
    print_instance_results(p, instance);
    text_printf(p->text, " = hw.instance \"%s\" @%s", instance->name, instance->module);
    print_instance_parameters(p, instance);
    text_append(p->text, "(");
    const char *separator = "";
    if (instance->has_clock) text_append(p->text, "clk: %clk: !seq.clock"), separator = ", ";
    if (instance->has_reset) text_append(p->text, ", reset: %reset: i1");
    for (int i = 0; i < instance->connections.count; i++) {
        const Connection *connection = &instance->connections.items[i];
        if (connection->is_output) continue;
        text_printf(p->text, "%s%s: %s: i%d", separator, connection->port,
                    value_of(p, connection->value), node_at(p, connection->value)->width);
        separator = ", ";
    }
    text_append(p->text, ") -> (");
    separator = "";
    for (int i = 0; i < instance->connections.count; i++) {
        const Connection *connection = &instance->connections.items[i];
        if (!connection->is_output) continue;
        text_printf(p->text, "%s%s: i%d", separator, connection->port, connection->width);
        separator = ", ";
    }
    text_append(p->text, ")\n");
}

/* --- modules --- */

static bool is_handshake(const Signal *signal) {
    return !strcmp(signal->name, "go") || !strcmp(signal->name, "done");
}

/* go and done first, as instances have it. */
static void print_ports(Printer *p) {
    text_append(p->text, "in %clk : !seq.clock, in %reset : i1");
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < p->module->signals.count; s++) {
            const Signal *signal = signal_at(p, s);
            if (is_handshake(signal) != (round == 0)) continue;
            if (signal->kind == SIGNAL_INPUT)
                text_printf(p->text, ", in %%%s : i%d", signal->name, signal->width);
            if (signal->kind == SIGNAL_OUTPUT)
                text_printf(p->text, ", out %s : i%d", signal->name, signal->width);
        }
}

static void print_output(Printer *p) {
    Text types = text_new(p->netlist->arena);
    const char *separator = "";
    text_append(p->text, "    hw.output ");
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < p->module->signals.count; s++) {
            const Signal *signal = signal_at(p, s);
            if (signal->kind != SIGNAL_OUTPUT || is_handshake(signal) != (round == 0)) continue;
            text_printf(p->text, "%s%s", separator, value_of(p, signal->value));
            text_printf(&types, "%si%d", separator, signal->width);
            separator = ", ";
        }
    if (types.length) text_printf(p->text, " : %s", text_string(&types));
    text_append(p->text, "\n");
}

static void print_module(const Netlist *netlist, const Module *module, Text *text) {
    Printer p = {netlist, module, text, 0};
    text_printf(text, "  hw.module @%s(", module->name);
    print_ports(&p);
    text_append(text, ") {\n");
    for (int e = 0; e < module->expressions.count; e++) print_expression(&p, e);
    for (int s = 0; s < module->signals.count; s++) print_signal(&p, signal_at(&p, s));
    for (int i = 0; i < module->instances.count; i++)
        print_instance(&p, &module->instances.items[i]);
    print_output(&p);
    text_append(text, "  }\n");
}

/* --- modules of hardware/ --- */

static void print_extern_ports(const Primitive *primitive, Text *text) {
    text_append(text, "in %clk : !seq.clock");
    for (int i = 0; i < primitive->port_count; i++) {
        const PrimitivePort *port = &primitive->ports[i];
        bool input = port->direction == PORT_INPUT;
        text_printf(text, ", %s%s : ", input ? "in %" : "out ", port->name);
        if (port->width > 0)
            text_printf(text, "i%d", port->width);
        else
            text_printf(text, "!hw.int<#hw.param.decl.ref<\"%s\">>",
                        primitive->parameters[-port->width - 1]);
    }
}

static void print_extern(const Primitive *primitive, Text *text) {
    text_printf(text, "  hw.module.extern @%s<", primitive->name);
    for (int i = 0; i < primitive->parameter_count; i++)
        text_printf(text, "%s%s: i32", i ? ", " : "", primitive->parameters[i]);
    if (!strcmp(primitive->name, "tepal_rom")) text_append(text, ", IMAGE: none");
    text_append(text, ">(");
    print_extern_ports(primitive, text);
    text_append(text, ")\n");
}

static bool is_used(const Netlist *netlist, const Primitive *primitive) {
    for (int m = 0; m < netlist->modules.count; m++)
        for (int i = 0; i < netlist->modules.items[m]->instances.count; i++)
            if (!strcmp(netlist->modules.items[m]->instances.items[i].module, primitive->name))
                return true;
    return false;
}

void netlist_print_mlir(const Netlist *netlist, Text *text) {
    text_append(text, "module {\n");
    for (int i = 0; i < primitive_count; i++)
        if (is_used(netlist, &primitives[i])) print_extern(&primitives[i], text);
    for (int m = 0; m < netlist->modules.count; m++)
        print_module(netlist, netlist->modules.items[m], text);
    text_append(text, "}\n");
}
