/* Netlists as SystemVerilog for people, Verilator, Icarus and Yosys.
 *
 * A module has its ports, then all declarations, then, section by section, wires, instances and one
 * block of registers. Registers with the same enable stand under one `if`; resets come last and so
 * win. */
#include "rtl/format.h"

#include <string.h>

typedef struct Printer {
    const Netlist *netlist;
    const Module *module;
    Text *text;
    Bits *used; /* bits of each signal that something reads */
    int *next;  /* register to the next one with the same enable in its section, or -1 */
} Printer;

static const Signal *signal_at(const Printer *p, int index) {
    return &p->module->signals.items[index];
}

static bool is_port(const Signal *signal) {
    return signal->kind == SIGNAL_INPUT || signal->kind == SIGNAL_OUTPUT;
}

static Bits full_mask(int width) {
    return width >= 64 ? ~(Bits)0 : bits_mask(width);
}

/* --- which bits are read --- */

static void use_all(Printer *p, Expression e) {
    if (e < 0 || p->module->expressions.items[e].kind != EXPRESSION_SIGNAL) return;
    p->used[p->module->expressions.items[e].signal] = ~(Bits)0;
}

static void use_slice(Printer *p, const ExpressionNode *slice) {
    const ExpressionNode *inner = &p->module->expressions.items[slice->operands[0]];
    if (inner->kind != EXPRESSION_SIGNAL) return;
    bool tracked = inner->width <= 64;
    p->used[inner->signal] |= tracked ? full_mask(slice->width) << slice->low : ~(Bits)0;
}

static void find_used(Printer *p) {
    const Module *module = p->module;
    for (int i = 0; i < module->expressions.count; i++) {
        const ExpressionNode *node = &module->expressions.items[i];
        if (node->kind == EXPRESSION_SLICE) {
            use_slice(p, node);
            continue;
        }
        for (int k = 0; k < expression_operands(node->kind); k++) use_all(p, node->operands[k]);
    }
    for (int s = 0; s < module->signals.count; s++) {
        use_all(p, module->signals.items[s].value);
        use_all(p, module->signals.items[s].enable);
    }
    for (int i = 0; i < module->instances.count; i++)
        for (int k = 0; k < module->instances.items[i].connections.count; k++)
            use_all(p, module->instances.items[i].connections.items[k].value);
}

static bool uses_clock(const Module *module) {
    for (int s = 0; s < module->signals.count; s++)
        if (module->signals.items[s].kind == SIGNAL_REGISTER) return true;
    return module->instances.count > 0;
}

static bool uses_reset(const Module *module) {
    for (int s = 0; s < module->signals.count; s++)
        if (module->signals.items[s].has_reset) return true;
    for (int i = 0; i < module->instances.count; i++)
        if (module->instances.items[i].has_reset) return true;
    return false;
}

static void unused_bits(const Signal *signal, Bits used, Text *text) {
    for (int low = 0; low < signal->width && low < 64;) {
        int high = low;
        if (used >> low & 1) {
            low++;
            continue;
        }
        while (high + 1 < signal->width && high + 1 < 64 && !(used >> (high + 1) & 1)) high++;
        text_printf(text, ",\n        %s", signal->name);
        if (low == high && signal->width > 1)
            text_printf(text, "[%d]", low);
        else if (high - low + 1 < signal->width)
            text_printf(text, "[%d:%d]", high, low);
        low = high + 1;
    }
}

/* Says of bits that nobody reads that this is meant, for linters. */
static void print_unused(Printer *p) {
    Text list = text_new(p->netlist->arena);
    if (!uses_clock(p->module)) text_append(&list, ",\n        clk");
    if (!uses_reset(p->module)) text_append(&list, ",\n        reset");
    for (int s = 0; s < p->module->signals.count; s++) {
        const Signal *signal = signal_at(p, s);
        if (signal->kind != SIGNAL_OUTPUT) unused_bits(signal, p->used[s], &list);
    }
    if (list.length == 0) return;
    text_printf(p->text, "\n    // What nothing reads.\n    wire unused_bits = &{1'b0%s};\n",
                text_string(&list));
}

/* --- declarations --- */

static void range_of(int width, char *range, size_t size) {
    if (width == 1)
        range[0] = 0;
    else
        snprintf(range, size, "[%d:0]", width - 1);
}

static void print_port(Printer *p, const Signal *signal, const char *name, bool last) {
    char range[32];
    range_of(signal ? signal->width : 1, range, sizeof range);
    const char *direction = signal && signal->kind == SIGNAL_OUTPUT ? "output" : "input ";
    text_printf(p->text, "    %s wire %-8s %s%s\n", direction, range, name, last ? "" : ",");
}

static bool is_handshake(const Signal *signal) {
    return is_port(signal) && (!strcmp(signal->name, "go") || !strcmp(signal->name, "done"));
}

/* clk, reset, go and done come first. */
static void print_ports(Printer *p) {
    int last = -1;
    for (int s = 0; s < p->module->signals.count; s++)
        if (is_port(signal_at(p, s)) && !is_handshake(signal_at(p, s))) last = s;
    bool handshake = false;
    for (int s = 0; s < p->module->signals.count; s++)
        handshake = handshake || is_handshake(signal_at(p, s));
    print_port(p, NULL, "clk", false);
    print_port(p, NULL, "reset", last < 0 && !handshake);
    for (int s = 0, seen = 0; s < p->module->signals.count; s++)
        if (is_handshake(signal_at(p, s)))
            print_port(p, signal_at(p, s), signal_at(p, s)->name, last < 0 && ++seen == 2);
    for (int s = 0; s < p->module->signals.count; s++)
        if (is_port(signal_at(p, s)) && !is_handshake(signal_at(p, s)))
            print_port(p, signal_at(p, s), signal_at(p, s)->name, s == last);
}

static void print_title(Printer *p, int section) {
    const char *title = p->module->sections.items[section];
    if (title)
        text_printf(p->text, "\n    // ---- %s ----\n", title);
    else
        text_append(p->text, "\n");
}

static void print_declaration(Printer *p, const Signal *signal) {
    char range[32];
    range_of(signal->width, range, sizeof range);
    text_printf(p->text, "    logic %-7s %s", range, signal->name);
    if (signal->has_reset) { /* as after a reset, so that nothing happens before the first one */
        text_append(p->text, " = ");
        format_constant(signal->width, signal->reset_value, p->text);
    }
    text_append(p->text, ";");
    if (signal->comment) text_printf(p->text, " // %s", signal->comment);
    text_append(p->text, "\n");
}

/* --- one section --- */

static size_t column_of(const Text *text) {
    size_t start = text->length;
    while (start > 0 && text->chars[start - 1] != '\n') start--;
    return text->length - start;
}

/* Length of the last whole line. */
static int column_before_end(const Text *text) {
    size_t end = text->length - 1, start = end;
    while (start > 0 && text->chars[start - 1] != '\n') start--;
    return (int)(end - start);
}

static void print_value(Printer *p, Expression e) {
    format_expression(p->module, e, (int)column_of(p->text), p->text);
}

static void print_assign(Printer *p, const Signal *signal) {
    text_printf(p->text, "    assign %s = ", signal->name);
    print_value(p, signal->value);
    text_append(p->text, ";\n");
}

static void print_parameter_list(Printer *p, const Instance *instance, bool broken) {
    for (int i = 0; i < instance->parameters.count; i++) {
        const ModuleParameter *parameter = &instance->parameters.items[i];
        text_append(p->text, i == 0 ? "" : broken && parameter->text ? ",\n        " : ", ");
        if (parameter->text)
            text_printf(p->text, ".%s(\"%s\")", parameter->name, parameter->text);
        else
            text_printf(p->text, ".%s(%lld)", parameter->name, (long long)parameter->value);
    }
}

/* " #(...)", on a line of its own if the instance's first line would be too long. */
static void print_parameters(Printer *p, const Instance *instance) {
    if (instance->parameters.count == 0) return;
    size_t start = p->text->length;
    text_append(p->text, " #(");
    print_parameter_list(p, instance, false);
    text_append(p->text, ")");
    if (column_of(p->text) + strlen(instance->name) < 96) return;
    p->text->length = start;
    text_append(p->text, " #(\n        ");
    print_parameter_list(p, instance, true);
    text_append(p->text, "\n    )");
}

static void print_instance(Printer *p, const Instance *instance) {
    text_printf(p->text, "    %s", instance->module);
    print_parameters(p, instance);
    text_printf(p->text, " %s (\n", instance->name);
    const char *separator = "";
    if (instance->has_clock) text_append(p->text, "        .clk(clk)"), separator = ",\n";
    if (instance->has_reset) text_append(p->text, ",\n        .reset(reset)");
    for (int i = 0; i < instance->connections.count; i++) {
        const Connection *connection = &instance->connections.items[i];
        text_printf(p->text, "%s        .%s(", separator, connection->port);
        if (!connection->is_output)
            print_value(p, connection->value);
        else if (connection->signal >= 0)
            text_append(p->text, signal_at(p, connection->signal)->name);
        text_append(p->text, ")");
        separator = ",\n";
    }
    text_append(p->text, "\n    );\n");
}

static void print_update(Printer *p, int indent, const Signal *signal) {
    text_printf(p->text, "%*s%s <= ", indent, "", signal->name);
    print_value(p, signal->value);
    text_append(p->text, ";\n");
}

/* All registers with the enable of the first one. */
static void print_enabled(Printer *p, int first) {
    Expression enable = signal_at(p, first)->enable;
    if (enable < 0) {
        for (int s = first; s >= 0; s = p->next[s]) print_update(p, 8, signal_at(p, s));
        return;
    }
    text_append(p->text, "        if (");
    print_value(p, enable);
    text_append(p->text, ")");
    size_t condition_end = p->text->length;
    if (p->next[first] < 0) {
        text_append(p->text, " ");
        print_update(p, 0, signal_at(p, first));
        if (!strchr(p->text->chars + condition_end, '\n')[1] && column_before_end(p->text) < 100)
            return;
        p->text->length = condition_end; /* does not fit into the line */
    }
    text_append(p->text, " begin\n");
    for (int s = first; s >= 0; s = p->next[s]) print_update(p, 12, signal_at(p, s));
    text_append(p->text, "        end\n");
}

static void print_resets(Printer *p, const int *registers, int count) {
    bool any = false;
    for (int i = 0; i < count; i++) {
        const Signal *signal = signal_at(p, registers[i]);
        if (!signal->has_reset) continue;
        if (!any) text_append(p->text, "        if (reset) begin\n");
        any = true;
        text_printf(p->text, "            %s <= ", signal->name);
        format_constant(signal->width, signal->reset_value, p->text);
        text_append(p->text, ";\n");
    }
    if (any) text_append(p->text, "        end\n");
}

/* `heads` is scratch: for each enable + 1, the last register that has it, + 1; all 0 before and
 * after. */
static void print_registers(Printer *p, const int *registers, int count, int *heads) {
    if (count == 0) return;
    text_append(p->text, "    always_ff @(posedge clk) begin\n");
    bool *follows = arena_array(p->netlist->arena, (size_t)count + 1, sizeof *follows);
    for (int i = 0; i < count; i++) {
        int *tail = &heads[signal_at(p, registers[i])->enable + 1];
        if (*tail) p->next[*tail - 1] = registers[i], follows[i] = true;
        *tail = registers[i] + 1;
    }
    for (int i = 0; i < count; i++)
        if (!follows[i]) print_enabled(p, registers[i]);
    print_resets(p, registers, count);
    for (int i = 0; i < count; i++) heads[signal_at(p, registers[i])->enable + 1] = 0;
    text_append(p->text, "    end\n");
}

/* The signals or instances of each section, in order: items[starts[s] .. starts[s+1]-1]. */
typedef struct Sorted {
    int *starts, *items;
} Sorted;

static Sorted sort_by_section(Printer *p, int count, int (*section_of)(const Printer *, int)) {
    int sections = p->module->sections.count;
    Sorted sorted = {arena_array(p->netlist->arena, (size_t)sections + 2, sizeof(int)),
                     arena_array(p->netlist->arena, (size_t)count + 1, sizeof(int))};
    for (int i = 0; i < count; i++) sorted.starts[section_of(p, i) + 2]++;
    for (int s = 2; s < sections + 2; s++) sorted.starts[s] += sorted.starts[s - 1];
    for (int i = 0; i < count; i++) sorted.items[sorted.starts[section_of(p, i) + 1]++] = i;
    return sorted;
}

static int signal_section(const Printer *p, int i) {
    return signal_at(p, i)->section;
}
static int instance_section(const Printer *p, int i) {
    return p->module->instances.items[i].section;
}

static void print_declarations(Printer *p, int section, Sorted signals) {
    bool titled = false;
    for (int i = signals.starts[section]; i < signals.starts[section + 1]; i++) {
        const Signal *signal = signal_at(p, signals.items[i]);
        if (is_port(signal)) continue;
        if (!titled) print_title(p, section);
        titled = true;
        print_declaration(p, signal);
    }
}

static void print_section(Printer *p, int section, Sorted signals, Sorted instances, int *heads) {
    int from = signals.starts[section], to = signals.starts[section + 1];
    int *registers = arena_array(p->netlist->arena, (size_t)(to - from) + 1, sizeof(int)),
        count = 0;
    size_t before = p->text->length;
    print_title(p, section);
    size_t titled = p->text->length;
    for (int i = from; i < to; i++) {
        const Signal *signal = signal_at(p, signals.items[i]);
        if (signal->kind == SIGNAL_WIRE || signal->kind == SIGNAL_OUTPUT) print_assign(p, signal);
        if (signal->kind == SIGNAL_REGISTER) registers[count++] = signals.items[i];
    }
    for (int i = instances.starts[section]; i < instances.starts[section + 1]; i++)
        print_instance(p, &p->module->instances.items[instances.items[i]]);
    print_registers(p, registers, count, heads);
    if (p->text->length == titled) {
        p->text->length = before;
        p->text->chars[before] = 0;
    }
}

static void print_module(const Netlist *netlist, const Module *module, bool top, Text *text) {
    Arena *arena = netlist->arena;
    Printer p = {.netlist = netlist, .module = module, .text = text};
    p.used = arena_array(arena, (size_t)module->signals.count + 1, sizeof *p.used);
    p.next = arena_array(arena, (size_t)module->signals.count + 1, sizeof *p.next);
    for (int s = 0; s < module->signals.count; s++) p.next[s] = -1;
    find_used(&p);
    if (module->comment) text_printf(text, "// %s: %s\n", module->name, module->comment);
    if (!top)
        text_append(text, "/* verilator lint_off DECLFILENAME */ // one file holds all modules\n");
    text_printf(text, "module %s (\n", module->name);
    if (!top) text_append(text, "/* verilator lint_on DECLFILENAME */\n");
    print_ports(&p);
    text_append(text, ");\n");
    Sorted signals = sort_by_section(&p, module->signals.count, signal_section);
    Sorted instances = sort_by_section(&p, module->instances.count, instance_section);
    int *heads = arena_array(arena, (size_t)module->expressions.count + 2, sizeof(int));
    for (int s = 0; s < module->sections.count; s++) print_declarations(&p, s, signals);
    for (int s = 0; s < module->sections.count; s++)
        print_section(&p, s, signals, instances, heads);
    print_unused(&p);
    text_append(text, "endmodule\n");
}

void netlist_print_systemverilog(const Netlist *netlist, Text *text) {
    text_append(text, "`default_nettype none\n");
    for (int i = 0; i < netlist->modules.count; i++) {
        text_append(text, "\n");
        print_module(netlist, netlist->modules.items[i], i == netlist->modules.count - 1, text);
    }
    text_append(text, "\n`default_nettype wire\n");
}
