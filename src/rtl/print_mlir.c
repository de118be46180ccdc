/* Netlists in CIRCT's hw, comb and seq dialects, for circt-opt; in its custom syntax or in MLIR's
 * generic one, which every MLIR parses and read_mlir.c reads again.
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
    bool generic;
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

/* "%name = ", and in the generic form the operation's name, with quotes. */
static void print_start(Printer *p, const char *result, const char *operation) {
    text_printf(p->text, p->generic ? "    %s = \"%s\"" : "    %s = %s", result, operation);
}

static void print_number(Printer *p, const char *result, int width, Bits value) {
    Arena *arena = p->netlist->arena;
    const char *text = value ? "true" : "false";
    if (width > 64)
        text = string_format(arena, "%llu : i%d", (unsigned long long)value, width);
    else if (width > 1)
        text = string_format(arena, "%lld : i%d", (long long)bits_signed(width, value), width);
    print_start(p, result, "hw.constant");
    text_printf(p->text, p->generic ? "() {value = %s} : () -> i%d\n" : " %s\n", text, width);
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

/* Operations of comb, by how their custom syntax gives types. */
typedef enum CombForm {
    COMB_SAME,   /* a, b : type of the operands */
    COMB_RESULT, /* a, b, c : type of the result */
    COMB_EACH,   /* a, b : types of the operands */
    COMB_RESIZE  /* a from LOW : (type of the operand) -> type of the result */
} CombForm;

typedef struct Comb {
    const char *name; /* "add" */
    CombForm form;
    int low, predicate; /* extract, icmp; else -1 */
    int count;
    const char *operands[3];
    int widths[3];
} Comb;

static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                         "sge", "ult", "ule", "ugt", "uge"};

static void print_types(Printer *p, const Comb *comb) {
    for (int i = 0; i < comb->count; i++)
        text_printf(p->text, "%si%d", i ? ", " : "", comb->widths[i]);
}

static void print_operands(Printer *p, const Comb *comb) {
    for (int i = 0; i < comb->count; i++)
        text_printf(p->text, "%s%s", i ? ", " : "", comb->operands[i]);
}

static void print_comb(Printer *p, const char *result, int width, const Comb *comb) {
    print_start(p, result, string_format(p->netlist->arena, "comb.%s", comb->name));
    if (p->generic) {
        text_append(p->text, "(");
        print_operands(p, comb);
        text_append(p->text, ")");
        if (comb->low >= 0) text_printf(p->text, " {lowBit = %d : i32}", comb->low);
        if (comb->predicate >= 0) text_printf(p->text, " {predicate = %d : i64}", comb->predicate);
        text_append(p->text, " : (");
        print_types(p, comb);
        text_printf(p->text, ") -> i%d\n", width);
        return;
    }
    if (comb->predicate >= 0) text_printf(p->text, " %s", predicates[comb->predicate]);
    text_append(p->text, " ");
    print_operands(p, comb);
    if (comb->low >= 0) text_printf(p->text, " from %d", comb->low);
    text_append(p->text, " : ");
    if (comb->form == COMB_EACH)
        print_types(p, comb);
    else if (comb->form == COMB_RESIZE)
        text_printf(p->text, "(i%d) -> i%d", comb->widths[0], width);
    else
        text_printf(p->text, "i%d", comb->form == COMB_SAME ? comb->widths[0] : width);
    text_append(p->text, "\n");
}

static void print_extract(Printer *p, const char *result, int width, const char *value, int from,
                          int low) {
    print_comb(p, result, width, &(Comb){"extract", COMB_RESIZE, low, -1, 1, {value}, {from}});
}

static void print_concat(Printer *p, const char *result, const char *high, int high_width,
                         const char *low, int low_width) {
    print_comb(p, result, high_width + low_width,
               &(Comb){"concat", COMB_EACH, -1, -1, 2, {high, low}, {high_width, low_width}});
}

/* Two operands of one width. */
static void print_binary(Printer *p, const char *result, const char *name, int predicate,
                         const char *left, const char *right, int width) {
    print_comb(p, result, predicate < 0 ? width : 1,
               &(Comb){name, COMB_SAME, -1, predicate, 2, {left, right}, {width, width}});
}

/* `more` bits above a value: zeros, or its sign. */
static const char *high_bits(Printer *p, const char *value, int width, int more, bool with_sign) {
    if (!with_sign) return number(p, more, 0);
    const char *sign = helper(p), *high = helper(p);
    print_extract(p, sign, 1, value, width, width - 1);
    print_comb(p, high, more, &(Comb){"replicate", COMB_RESIZE, -1, -1, 1, {sign}, {1}});
    return high;
}

/* A value extended to `width`. */
static const char *extended(Printer *p, const char *value, int from, int width, bool with_sign) {
    if (from == width) return value;
    const char *high = high_bits(p, value, from, width - from, with_sign), *result = helper(p);
    print_concat(p, result, high, width - from, value, from);
    return result;
}

/* Names of comb; `predicate` + 1 of icmp, else 0. */
static const struct {
    const char *name;
    int predicate;
} operations[EXPRESSION_KINDS] = {
    [EXPRESSION_AND] = {"and", 0},
    [EXPRESSION_OR] = {"or", 0},
    [EXPRESSION_XOR] = {"xor", 0},
    [EXPRESSION_ADD] = {"add", 0},
    [EXPRESSION_SUBTRACT] = {"sub", 0},
    [EXPRESSION_MULTIPLY] = {"mul", 0},
    [EXPRESSION_DIVIDE] = {"divu", 0},
    [EXPRESSION_REMAINDER] = {"modu", 0},
    [EXPRESSION_DIVIDE_SIGNED] = {"divs", 0},
    [EXPRESSION_REMAINDER_SIGNED] = {"mods", 0},
    [EXPRESSION_SHIFT_LEFT] = {"shl", 0},
    [EXPRESSION_SHIFT_RIGHT] = {"shru", 0},
    [EXPRESSION_SHIFT_RIGHT_SIGNED] = {"shrs", 0},
    [EXPRESSION_EQ] = {"icmp", 1},
    [EXPRESSION_NE] = {"icmp", 2},
    [EXPRESSION_LT_SIGNED] = {"icmp", 3},
    [EXPRESSION_LE_SIGNED] = {"icmp", 4},
    [EXPRESSION_GT_SIGNED] = {"icmp", 5},
    [EXPRESSION_GE_SIGNED] = {"icmp", 6},
    [EXPRESSION_LT] = {"icmp", 7},
    [EXPRESSION_LE] = {"icmp", 8},
    [EXPRESSION_GT] = {"icmp", 9},
    [EXPRESSION_GE] = {"icmp", 10},
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
    print_binary(p, wide, operations[node->kind].name, -1, value, amount, common);
    if (common > width) print_extract(p, result, width, wide, common, 0);
}

static void print_extend(Printer *p, Expression e, const ExpressionNode *node) {
    const char *inner = value_of(p, node->operands[0]);
    int from = node_at(p, node->operands[0])->width;
    int more = node->width - from;
    const char *high = high_bits(p, inner, from, more, node->kind == EXPRESSION_EXTEND_SIGNED);
    print_concat(p, value_of(p, e), high, more, inner, from);
}

static void print_against_number(Printer *p, Expression e, ExpressionKind kind, Bits value) {
    Expression inner = node_at(p, e)->operands[0];
    int width = node_at(p, inner)->width;
    const char *right = number(p, width, value & bits_mask(width > 64 ? 64 : width));
    print_binary(p, value_of(p, e), operations[kind].name, operations[kind].predicate - 1,
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
    case EXPRESSION_NOT: print_against_number(p, e, EXPRESSION_XOR, ~(Bits)0); return;
    case EXPRESSION_REDUCE_OR: print_against_number(p, e, EXPRESSION_NE, 0); return;
    case EXPRESSION_REDUCE_AND: print_against_number(p, e, EXPRESSION_EQ, ~(Bits)0); return;
    case EXPRESSION_MUX:
        print_comb(p, result, node->width,
                   &(Comb){"mux",
                           COMB_RESULT,
                           -1,
                           -1,
                           3,
                           {operands[0], operands[1], operands[2]},
                           {widths[0], widths[1], widths[2]}});
        return;
    case EXPRESSION_CONCAT:
        print_concat(p, result, operands[0], widths[0], operands[1], widths[1]);
        return;
    case EXPRESSION_SLICE:
        print_extract(p, result, node->width, operands[0], widths[0], node->low);
        return;
    case EXPRESSION_EXTEND:
    case EXPRESSION_EXTEND_SIGNED: print_extend(p, e, node); return;
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT:
    case EXPRESSION_SHIFT_RIGHT_SIGNED: print_shift(p, e, node); return;
    default:
        print_binary(p, result, operations[node->kind].name, operations[node->kind].predicate - 1,
                     operands[0], operands[1], widths[0]);
    }
}

/* --- signals --- */

/* Operands: value, clock, enable, reset, value on reset; the attribute counts them, and two more
 * for what we do not use. */
static void print_generic_register(Printer *p, const Signal *signal, const char *reset) {
    const char *name = string_format(p->netlist->arena, "%%%s", signal->name);
    bool enabled = signal->enable >= 0;
    print_start(p, name, enabled ? "seq.compreg.ce" : "seq.compreg");
    text_printf(p->text, "(%s, %%clk", value_of(p, signal->value));
    if (enabled) text_printf(p->text, ", %s", value_of(p, signal->enable));
    if (reset) text_printf(p->text, ", %%reset, %s", reset);
    text_printf(p->text,
                ") {name = \"%s\", operandSegmentSizes = array<i32: 1, 1, %s%d, %d, 0>} : "
                "(i%d, !seq.clock",
                signal->name, enabled ? "1, " : "", reset != NULL, reset != NULL, signal->width);
    if (enabled) text_append(p->text, ", i1");
    if (reset) text_printf(p->text, ", i1, i%d", signal->width);
    text_printf(p->text, ") -> i%d\n", signal->width);
}

static void print_register(Printer *p, const Signal *signal) {
    const char *reset = signal->has_reset ? number(p, signal->width, signal->reset_value) : NULL;
    bool enabled = signal->enable >= 0;
    if (p->generic) {
        print_generic_register(p, signal, reset);
        return;
    }
    text_printf(p->text, "    %%%s = seq.compreg%s %s, %%clk", signal->name, enabled ? ".ce" : "",
                value_of(p, signal->value));
    if (enabled) text_printf(p->text, ", %s", value_of(p, signal->enable));
    if (reset) text_printf(p->text, " reset %%reset, %s", reset);
    text_printf(p->text, " : i%d\n", signal->width);
}

static void print_wire(Printer *p, const Signal *signal) {
    const char *value = value_of(p, signal->value);
    if (p->generic)
        text_printf(p->text, "    %%%s = \"hw.wire\"(%s) {name = \"%s\"} : (i%d) -> i%d\n",
                    signal->name, value, signal->name, signal->width, signal->width);
    else
        text_printf(p->text, "    %%%s = hw.wire %s : i%d\n", signal->name, value, signal->width);
}

static void print_signal(Printer *p, const Signal *signal) {
    if (signal->kind == SIGNAL_REGISTER) print_register(p, signal);
    if (signal->kind == SIGNAL_WIRE) print_wire(p, signal);
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

/* Names of the ports on one side, in quotes; types; or values. */
typedef enum PortPart { PORT_NAMES, PORT_TYPES, PORT_VALUES } PortPart;

static void print_port(Printer *p, PortPart part, const char *separator, const char *name,
                       const char *type, const char *value) {
    const char *shown = part == PORT_NAMES ? name : part == PORT_TYPES ? type : value;
    text_printf(p->text, part == PORT_NAMES ? "%s\"%s\"" : "%s%s", separator, shown);
}

static void print_instance_ports(Printer *p, const Instance *instance, bool outputs,
                                 PortPart part) {
    const char *separator = "";
    if (!outputs && instance->has_clock) {
        print_port(p, part, separator, "clk", "!seq.clock", "%clk");
        separator = ", ";
    }
    if (!outputs && instance->has_reset) {
        print_port(p, part, separator, "reset", "i1", "%reset");
        separator = ", ";
    }
    for (int i = 0; i < instance->connections.count; i++) {
        const Connection *connection = &instance->connections.items[i];
        if (connection->is_output != outputs) continue;
        print_port(p, part, separator, connection->port,
                   string_format(p->netlist->arena, "i%d", connection->width),
                   outputs ? "" : value_of(p, connection->value));
        separator = ", ";
    }
}

static void print_generic_parameters(Printer *p, const Instance *instance) {
    for (int i = 0; i < instance->parameters.count; i++) {
        const ModuleParameter *parameter = &instance->parameters.items[i];
        text_printf(p->text, "%s#hw.param.decl<\"%s\": ", i ? ", " : "", parameter->name);
        if (parameter->text)
            text_printf(p->text, "none = \"%s\">", parameter->text);
        else
            text_printf(p->text, "i32 = %lld>", (long long)parameter->value);
    }
}

static void print_generic_instance(Printer *p, const Instance *instance) {
    text_append(p->text, " = \"hw.instance\"(");
    print_instance_ports(p, instance, false, PORT_VALUES);
    text_append(p->text, ") {argNames = [");
    print_instance_ports(p, instance, false, PORT_NAMES);
    text_printf(p->text, "], instanceName = \"%s\", moduleName = @%s, parameters = [",
                instance->name, instance->module);
    print_generic_parameters(p, instance);
    text_append(p->text, "], resultNames = [");
    print_instance_ports(p, instance, true, PORT_NAMES);
    text_append(p->text, "]} : (");
    print_instance_ports(p, instance, false, PORT_TYPES);
    text_append(p->text, ") -> (");
    print_instance_ports(p, instance, true, PORT_TYPES);
    text_append(p->text, ")\n");
}

static void print_instance(Printer *p, const Instance *instance) {
    print_instance_results(p, instance);
    if (p->generic) {
        print_generic_instance(p, instance);
        return;
    }
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

/* The module's own ports, go and done first, as instances have it. */
static void each_port(Printer *p, void (*print)(Printer *p, const Signal *signal)) {
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < p->module->signals.count; s++) {
            const Signal *signal = signal_at(p, s);
            if (is_handshake(signal) == (round == 0)) print(p, signal);
        }
}

static void print_module_port(Printer *p, const Signal *signal) {
    bool input = signal->kind == SIGNAL_INPUT;
    if (!input && signal->kind != SIGNAL_OUTPUT) return;
    const char *direction = p->generic ? (input ? "input " : "output ") : input ? "in %" : "out ";
    text_printf(p->text, ", %s%s : i%d", direction, signal->name, signal->width);
}

static void print_block_argument(Printer *p, const Signal *signal) {
    if (signal->kind == SIGNAL_INPUT)
        text_printf(p->text, ", %%%s: i%d", signal->name, signal->width);
}

/* What the ports get, and of what types. */
static void print_output(Printer *p) {
    Text values = text_new(p->netlist->arena), types = text_new(p->netlist->arena);
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < p->module->signals.count; s++) {
            const Signal *signal = signal_at(p, s);
            if (signal->kind != SIGNAL_OUTPUT || is_handshake(signal) != (round == 0)) continue;
            text_printf(&values, "%s%s", values.length ? ", " : "", value_of(p, signal->value));
            text_printf(&types, "%si%d", types.length ? ", " : "", signal->width);
        }
    if (p->generic)
        text_printf(p->text, "    \"hw.output\"(%s) : (%s) -> ()\n", text_string(&values),
                    text_string(&types));
    else
        text_printf(p->text, "    hw.output %s%s%s\n", text_string(&values),
                    types.length ? " : " : "", text_string(&types));
}

static void print_module_start(Printer *p) {
    if (p->generic) {
        text_append(p->text, "  \"hw.module\"() ({\n  ^bb0(%clk: !seq.clock, %reset: i1");
        each_port(p, print_block_argument);
        text_append(p->text, "):\n");
        return;
    }
    text_printf(p->text, "  hw.module @%s(in %%clk : !seq.clock, in %%reset : i1", p->module->name);
    each_port(p, print_module_port);
    text_append(p->text, ") {\n");
}

static void print_module_end(Printer *p) {
    if (!p->generic) {
        text_append(p->text, "  }\n");
        return;
    }
    text_append(p->text, "  }) {module_type = !hw.modty<input clk : !seq.clock, input reset : i1");
    each_port(p, print_module_port);
    text_printf(p->text, ">, parameters = [], sym_name = \"%s\"} : () -> ()\n", p->module->name);
}

static void print_module(const Netlist *netlist, const Module *module, bool generic, Text *text) {
    Printer p = {.netlist = netlist, .module = module, .text = text, .generic = generic};
    print_module_start(&p);
    for (int e = 0; e < module->expressions.count; e++) print_expression(&p, e);
    for (int s = 0; s < module->signals.count; s++) print_signal(&p, signal_at(&p, s));
    for (int i = 0; i < module->instances.count; i++)
        print_instance(&p, &module->instances.items[i]);
    print_output(&p);
    print_module_end(&p);
}

static bool is_used(const Netlist *netlist, const Primitive *primitive) {
    for (int m = 0; m < netlist->modules.count; m++)
        for (int i = 0; i < netlist->modules.items[m]->instances.count; i++)
            if (!strcmp(netlist->modules.items[m]->instances.items[i].module, primitive->name))
                return true;
    return false;
}

static void print_netlist(const Netlist *netlist, bool generic, Text *text) {
    for (int i = 0; i < primitive_count; i++)
        if (is_used(netlist, &primitives[i]))
            primitive_print_extern(&primitives[i], EXTERN_OF_HW, generic, text);
    for (int m = 0; m < netlist->modules.count; m++)
        print_module(netlist, netlist->modules.items[m], generic, text);
}

void netlist_print_mlir(const Netlist *netlist, Text *text) {
    text_append(text, "module {\n");
    print_netlist(netlist, false, text);
    text_append(text, "}\n");
}

void netlist_print_generic(const Netlist *netlist, Text *text) {
    print_netlist(netlist, true, text);
}
