/* The invariants of a netlist, as netlist.h states them. */
#include "rtl/netlist.h"

#include <string.h>

typedef struct Check {
    const Netlist *netlist;
    const Module *module;
    Diagnostics *diagnostics;
    const char *pass;
    Status status;       /* of a fault: of our own, or of a text that was read */
    signed char *colors; /* of signals: 0 not visited, 1 on the path, 2 done */
    bool *visited;       /* expressions */
    bool fine;
} Check;

static bool fault(Check *c, const char *what, const char *name) {
    c->fine = error_at(c->diagnostics, c->status, c->module->name, "after %s: %s: %s", c->pass,
                       name, what);
    return false;
}

static const ExpressionNode *node_at(const Check *c, Expression e) {
    return &c->module->expressions.items[e];
}

static int width_at(const Check *c, Expression e) {
    return e >= 0 && e < c->module->expressions.count ? node_at(c, e)->width : 0;
}

/* --- widths --- */

static bool comparison(ExpressionKind kind) {
    return kind >= EXPRESSION_EQ && kind <= EXPRESSION_GE_SIGNED;
}

static bool widths_agree(const Check *c, const ExpressionNode *node) {
    int a = width_at(c, node->operands[0]), b = width_at(c, node->operands[1]);
    int width = node->width;
    if (comparison(node->kind)) return width == 1 && a == b;
    switch (node->kind) {
    case EXPRESSION_CONSTANT: return width >= 64 || node->value <= bits_mask(width);
    case EXPRESSION_SIGNAL:
        return node->signal >= 0 && node->signal < c->module->signals.count &&
               c->module->signals.items[node->signal].width == width;
    case EXPRESSION_NOT: return a == width;
    case EXPRESSION_REDUCE_OR:
    case EXPRESSION_REDUCE_AND: return width == 1;
    case EXPRESSION_MUX: return a == 1 && b == width && width_at(c, node->operands[2]) == width;
    case EXPRESSION_CONCAT: return a + b == width;
    case EXPRESSION_SLICE: return node->low >= 0 && node->low + width <= a;
    case EXPRESSION_EXTEND:
    case EXPRESSION_EXTEND_SIGNED: return a <= width;
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT:
    case EXPRESSION_SHIFT_RIGHT_SIGNED: return a == width;
    default: return a == width && b == width;
    }
}

static void check_expressions(Check *c) {
    for (int i = 0; i < c->module->expressions.count; i++) {
        const ExpressionNode *node = node_at(c, i);
        if (node->width < 1) fault(c, "width below 1", "an expression");
        for (int k = 0; k < expression_operands(node->kind); k++)
            if (node->operands[k] < 0 || node->operands[k] >= i)
                fault(c, "its operand does not come before it", "an expression");
        if (c->fine && !widths_agree(c, node)) fault(c, "its widths do not agree", "an expression");
    }
}

/* --- signals --- */

static void check_signal(Check *c, const Signal *signal) {
    bool has_value = signal->kind == SIGNAL_OUTPUT || signal->kind == SIGNAL_WIRE ||
                     signal->kind == SIGNAL_REGISTER;
    if (has_value && width_at(c, signal->value) != signal->width)
        fault(c, signal->value < 0 ? "it has no definition" : "its value has another width",
              signal->name);
    if (!has_value && signal->value >= 0) fault(c, "it has two definitions", signal->name);
    if (signal->enable >= 0 &&
        (signal->kind != SIGNAL_REGISTER || width_at(c, signal->enable) != 1))
        fault(c, "its enable is not one bit of a register", signal->name);
}

static void check_instances(Check *c, int *drivers) {
    for (int i = 0; i < c->module->instances.count; i++) {
        const Instance *instance = &c->module->instances.items[i];
        for (int k = 0; k < instance->connections.count; k++) {
            const Connection *connection = &instance->connections.items[k];
            if (!connection->is_output && width_at(c, connection->value) == 0)
                fault(c, "an input of it is not connected", instance->name);
            if (!connection->is_output || connection->signal < 0) continue;
            if (c->module->signals.items[connection->signal].kind != SIGNAL_INSTANCE)
                fault(c, "an output of it drives what is no wire for that", instance->name);
            drivers[connection->signal]++;
        }
    }
    for (int s = 0; s < c->module->signals.count; s++)
        if (c->module->signals.items[s].kind == SIGNAL_INSTANCE && drivers[s] != 1)
            fault(c, "it is not driven by exactly one instance", c->module->signals.items[s].name);
}

/* --- cycles --- */

static bool visit_signal(Check *c, int index);

static bool visit_expression(Check *c, Expression index) {
    if (index < 0 || c->visited[index]) return true;
    const ExpressionNode *node = node_at(c, index);
    if (node->kind == EXPRESSION_SIGNAL && !visit_signal(c, node->signal)) return false;
    for (int i = 0; i < expression_operands(node->kind); i++)
        if (!visit_expression(c, node->operands[i])) return false;
    return c->visited[index] = true;
}

/* Registers and instances end a path: a unit without latency is left to calyx_check. */
static bool visit_signal(Check *c, int index) {
    const Signal *signal = &c->module->signals.items[index];
    if (c->colors[index] == 2 || (signal->kind != SIGNAL_WIRE && signal->kind != SIGNAL_OUTPUT))
        return true;
    if (c->colors[index] == 1)
        return fault(c, "it depends on itself within one cycle", signal->name);
    c->colors[index] = 1;
    bool fine = visit_expression(c, signal->value);
    c->colors[index] = 2;
    return fine;
}

/* --- names --- */

static void check_names(Check *c, Arena *arena) {
    NameSet *names = names_new(arena);
    for (int s = 0; s < c->module->signals.count; s++) {
        const char *name = c->module->signals.items[s].name;
        if (!strcmp(name, "go") || !strcmp(name, "done")) continue; /* reserved */
        if (strcmp(names_unique(names, name), name))
            fault(c, "its name is taken or is no identifier", name);
    }
    for (int i = 0; i < c->module->instances.count; i++) {
        const char *name = c->module->instances.items[i].name;
        if (strcmp(names_unique(names, name), name))
            fault(c, "its name is taken or is no identifier", name);
    }
}

static bool module_check(const Netlist *netlist, const Module *module, Diagnostics *diagnostics,
                         const char *pass, Status status) {
    Arena *arena = arena_new();
    Check c = {netlist, module, diagnostics, pass, status, NULL, NULL, true};
    c.colors = arena_alloc(arena, (size_t)module->signals.count + 1);
    c.visited = arena_array(arena, (size_t)module->expressions.count + 1, sizeof(bool));
    check_expressions(&c);
    for (int s = 0; s < module->signals.count; s++) check_signal(&c, &module->signals.items[s]);
    check_instances(&c, arena_array(arena, (size_t)module->signals.count + 1, sizeof(int)));
    check_names(&c, arena);
    for (int s = 0; c.fine && s < module->signals.count; s++) visit_signal(&c, s);
    arena_free(arena);
    return c.fine;
}

static bool check_all(const Netlist *netlist, Diagnostics *diagnostics, const char *pass,
                      Status status) {
    for (int i = 0; i < netlist->modules.count; i++)
        if (!module_check(netlist, netlist->modules.items[i], diagnostics, pass, status))
            return false;
    return true;
}

bool netlist_check(const Netlist *netlist, Diagnostics *diagnostics, const char *pass) {
    return check_all(netlist, diagnostics, pass, STATUS_INTERNAL);
}

bool netlist_check_text(const Netlist *netlist, Diagnostics *diagnostics) {
    return check_all(netlist, diagnostics, "reading", STATUS_INPUT);
}
