/* Calyx programs in CIRCT's calyx dialect, in its custom syntax.
 *
 * Std cells have operations of their own; units and memories of hardware/ are calyx.primitive of an
 * hw.module.extern with parameters. Guards are comb operations on i1 in the group that uses them;
 * %[a:b] is the or of calyx.cycle operations. */
#include "calyx/calyx.h"

#include <string.h>

typedef struct Printer {
    const CalyxProgram *program;
    const Component *component;
    Text *text;
    int indent;
    int next;    /* number of the next guard value %0, %1 ... of the component */
    int *values; /* of each guard, that of the group being printed + 1; 0: not printed yet */
} Printer;

static void line(const Printer *p) {
    text_printf(p->text, "%*s", p->indent, "");
}

/* --- cells --- */

/* Std cells that are operations of the dialect. */
static const char *const operations[] = {
    "std_wire", "std_not", "std_add",  "std_sub", "std_and", "std_or",  "std_xor", "std_lsh",
    "std_rsh",  "std_eq",  "std_neq",  "std_lt",  "std_le",  "std_gt",  "std_ge",  "std_slice",
    "std_pad",  "std_mux", "std_srsh", "std_slt", "std_sle", "std_sgt", "std_sge", "std_signext",
};

static bool is_operation(const Primitive *primitive) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(operations[i], primitive->name)) return true;
    return false;
}

static bool is_register(const Cell *cell) {
    return cell->primitive && !strcmp(cell->primitive->name, "std_reg");
}

/* Ports of a cell in the order of its operation's results. */
typedef struct ResultPort {
    const char *name;
    int width;
} ResultPort;

static int result_ports(const Cell *cell, ResultPort ports[16]) {
    int count = 0, total = cell_port_count(cell);
    bool clocked = cell->primitive && !cell->primitive->combinational && !is_register(cell);
    if (clocked) ports[count++] = (ResultPort){"clk", 1};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < total && count < 12; i++) {
            PortInfo info = cell_port_info(cell, i);
            /* Modules of hardware/ keep the order of their ports; components have inputs first. */
            bool now = cell->primitive
                           ? round == (is_register(cell) && info.direction == PORT_OUTPUT)
                           : (info.direction == PORT_INPUT) == (round == 0);
            if (now) ports[count++] = (ResultPort){info.name, info.width};
        }
        if (round == 0 && (is_register(cell) || !cell->primitive)) {
            ports[count++] = (ResultPort){"clk", 1};
            ports[count++] = (ResultPort){"reset", 1};
        }
        if (!cell->primitive) ports[count++] = (ResultPort){round == 0 ? "go" : "done", 1};
    }
    return count;
}

static void print_parameters(const Printer *p, const Cell *cell) {
    if (!cell->primitive->parameter_count) return;
    text_append(p->text, "<");
    for (int i = 0; i < cell->primitive->parameter_count; i++)
        text_printf(p->text, "%s%s: i32 = %lld", i ? ", " : "", cell->primitive->parameters[i],
                    (long long)cell->parameters[i]);
    text_append(p->text, ">");
}

static void print_cell(const Printer *p, const Cell *cell) {
    ResultPort ports[16];
    int count = result_ports(cell, ports);
    line(p);
    for (int i = 0; i < count; i++)
        text_printf(p->text, "%s%%%s.%s", i ? ", " : "", cell->name, ports[i].name);
    if (!cell->primitive) {
        text_printf(p->text, " = calyx.instance @%s of @%s", cell->name, cell->definition->name);
    } else if (is_register(cell)) {
        text_printf(p->text, " = calyx.register @%s", cell->name);
    } else if (is_operation(cell->primitive)) {
        text_printf(p->text, " = calyx.%s @%s", cell->primitive->name, cell->name);
    } else {
        text_printf(p->text, " = calyx.primitive @%s of @%s", cell->name, cell->primitive->name);
        print_parameters(p, cell);
        if (cell->external) text_append(p->text, " {external = true}");
    }
    for (int i = 0; i < count; i++) text_printf(p->text, "%s i%d", i ? "," : " :", ports[i].width);
    text_append(p->text, "\n");
}

/* --- numbers --- */

typedef struct Number {
    int width;
    Bits value;
} Number;

typedef struct Numbers {
    Vector(Number) list;
} Numbers;

static void number_add(const Printer *p, Numbers *numbers, Port port) {
    if (port.cell != LITERAL) return;
    /* Those of one component are few, but for addresses: the last ones are the likely ones. */
    for (int i = numbers->list.count - 1; i >= 0; i--)
        if (numbers->list.items[i].width == port.width &&
            numbers->list.items[i].value == port.value)
            return;
    vector_push(p->program->arena, &numbers->list, (Number){port.width, port.value});
}

static void print_numbers(const Printer *p) {
    const Component *component = p->component;
    Numbers numbers = {0};
    number_add(p, &numbers, literal(1, 1));
    for (int i = 0; i < component->guards.count; i++) {
        number_add(p, &numbers, component->guards.items[i].left);
        number_add(p, &numbers, component->guards.items[i].right);
    }
    for (int i = 0; i < component->continuous.count; i++)
        number_add(p, &numbers, component->continuous.items[i].source);
    for (int g = 0; g < component->groups.count; g++) {
        const Group *group = &component->groups.items[g];
        for (int i = 0; i < group->assignments.count; i++)
            number_add(p, &numbers, group->assignments.items[i].source);
        if (group->latency == 0) number_add(p, &numbers, group->done.source);
    }
    for (int i = 0; i < numbers.list.count; i++) {
        Number number = numbers.list.items[i];
        if (number.width < 1) continue;
        line(p);
        text_printf(p->text, "%%c%llu_i%d = hw.constant ", (unsigned long long)number.value,
                    number.width);
        if (number.width == 1)
            text_printf(p->text, "%s\n", number.value ? "true" : "false");
        else
            text_printf(p->text, "%lld : i%d\n", (long long)bits_signed(number.width, number.value),
                        number.width);
    }
}

/* --- assignments --- */

static const char *port_value(const Printer *p, Port port) {
    Arena *arena = p->program->arena;
    if (port.cell == LITERAL)
        return string_format(arena, "%%c%llu_i%d", (unsigned long long)port.value, port.width);
    const char *name = port_info(p->component, port).name;
    if (port.cell == THIS) return string_format(arena, "%%%s", name);
    return string_format(arena, "%%%s.%s", p->component->cells.items[port.cell].name, name);
}

static const char *guard_value(Printer *p, int index);

static const char *value_named(const Printer *p, int number) {
    return string_format(p->program->arena, "%%%d", number);
}

/* The or of the cycles from .. to-1; the last of the values made. */
static void print_cycles(Printer *p, const Guard *guard) {
    for (int cycle = guard->from; cycle < guard->to; cycle++) {
        line(p);
        text_printf(p->text, "%%%d = calyx.cycle %d\n", p->next++, cycle);
        if (cycle == guard->from) continue;
        line(p);
        text_printf(p->text, "%%%d = comb.or %%%d, %%%d : i1\n", p->next, p->next - 2, p->next - 1);
        p->next++;
    }
}

static void print_guard(Printer *p, const Guard *guard) {
    static const char *const comparisons[] = {"eq", "ne", "ult", "ule", "ugt", "uge"};
    if (guard->kind == GUARD_TIME) {
        print_cycles(p, guard);
        return;
    }
    const char *left = NULL, *right = NULL, *operation = "and";
    int width = 1;
    if (guard->kind == GUARD_COMPARE) {
        left = port_value(p, guard->left);
        right = port_value(p, guard->right);
        operation = string_format(p->program->arena, "icmp %s", comparisons[guard->condition]);
        width = guard->left.width;
    } else if (guard->kind == GUARD_NOT) {
        left = guard_value(p, guard->operands[0]);
        right = "%c1_i1";
        operation = "xor";
    } else {
        left = guard_value(p, guard->operands[0]);
        right = guard_value(p, guard->operands[1]);
        if (guard->kind == GUARD_OR) operation = "or";
    }
    line(p);
    text_printf(p->text, "%%%d = comb.%s %s, %s : i%d\n", p->next++, operation, left, right, width);
}

/* The value of a guard, which is printed when a group first asks for it. */
static const char *guard_value(Printer *p, int index) {
    const Guard *guard = &p->component->guards.items[index];
    if (guard->kind == GUARD_TRUE) return "%c1_i1";
    if (guard->kind == GUARD_PORT) return port_value(p, guard->left);
    if (!p->values[index]) {
        print_guard(p, guard);
        p->values[index] = p->next; /* the last one printed, + 1 */
    }
    return value_named(p, p->values[index] - 1);
}

static void print_source(Printer *p, const Assignment *assignment, const char *start) {
    const char *guard = assignment->guard ? guard_value(p, assignment->guard) : NULL;
    line(p);
    text_append(p->text, start);
    if (guard) text_printf(p->text, "%s ? ", guard);
    text_printf(p->text, "%s : i%d\n", port_value(p, assignment->source), assignment->source.width);
}

static void print_assignment(Printer *p, const Assignment *assignment) {
    const char *destination = port_value(p, assignment->destination);
    print_source(p, assignment,
                 string_format(p->program->arena, "calyx.assign %s = ", destination));
}

static void forget_values(Printer *p) {
    if (p->component->guards.count)
        memset(p->values, 0, (size_t)p->component->guards.count * sizeof *p->values);
}

static void print_group(Printer *p, const Group *group) {
    forget_values(p);
    if (group->comment)
        text_printf(p->text, "%*s// %s: %s\n", p->indent, "", group->name, group->comment);
    line(p);
    if (group->latency)
        text_printf(p->text, "calyx.static_group latency<%d> @%s {\n", group->latency, group->name);
    else
        text_printf(p->text, "calyx.group @%s {\n", group->name);
    p->indent += 2;
    for (int i = 0; i < group->assignments.count; i++)
        print_assignment(p, &group->assignments.items[i]);
    if (!group->latency) print_source(p, &group->done, "calyx.group_done ");
    p->indent -= 2;
    line(p);
    text_append(p->text, "}\n");
}

/* --- control --- */

static void print_control(Printer *p, const Control *control);

static void print_block(Printer *p, const Control *control, int first, int last) {
    text_append(p->text, " {\n");
    p->indent += 2;
    for (int i = first; i < last && i < control->children.count; i++)
        print_control(p, control->children.items[i]);
    p->indent -= 2;
    line(p);
    text_append(p->text, "}");
}

static void print_control(Printer *p, const Control *control) {
    const char *prefix = control->is_static ? "static_" : "";
    if (control->kind == CONTROL_EMPTY) return;
    line(p);
    switch (control->kind) {
    case CONTROL_ENABLE:
        text_printf(p->text, "calyx.enable @%s\n", p->component->groups.items[control->group].name);
        return;
    case CONTROL_INVOKE:
        text_printf(p->text, "calyx.invoke @%s[]() -> ()\n",
                    p->component->cells.items[control->cell].name);
        return;
    case CONTROL_SEQUENCE: text_printf(p->text, "calyx.%sseq", prefix); break;
    case CONTROL_PARALLEL: text_printf(p->text, "calyx.%spar", prefix); break;
    case CONTROL_REPEAT:
        text_printf(p->text, "calyx.%srepeat %lld", prefix, (long long)control->times);
        break;
    case CONTROL_IF:
        text_printf(p->text, "calyx.%sif %s", prefix, port_value(p, control->condition));
        break;
    default: text_printf(p->text, "calyx.while %s", port_value(p, control->condition));
    }
    bool branches = control->kind == CONTROL_IF;
    print_block(p, control, 0, branches ? 1 : control->children.count);
    if (branches && control->children.count > 1 &&
        control->children.items[1]->kind != CONTROL_EMPTY) {
        text_append(p->text, " else");
        print_block(p, control, 1, 2);
    }
    text_append(p->text, "\n");
}

/* --- components --- */

static void print_signature(const Printer *p) {
    const Component *component = p->component;
    text_printf(p->text, "  calyx.component @%s(", component->name);
    for (int i = 0; i < component->ports.count; i++)
        if (component->ports.items[i].direction == PORT_INPUT)
            text_printf(p->text, "%%%s: i%d, ", component->ports.items[i].name,
                        component->ports.items[i].width);
    text_append(p->text, "%clk: i1 {clk}, %reset: i1 {reset}, %go: i1 {go}) -> (");
    for (int i = 0; i < component->ports.count; i++)
        if (component->ports.items[i].direction == PORT_OUTPUT)
            text_printf(p->text, "%%%s: i%d, ", component->ports.items[i].name,
                        component->ports.items[i].width);
    text_append(p->text, "%done: i1 {done}) {\n");
}

static void print_component(Printer *p, bool top) {
    const Component *component = p->component;
    p->next = 0;
    p->values =
        arena_array(p->program->arena, (size_t)component->guards.count + 1, sizeof *p->values);
    print_signature(p);
    p->indent = 4;
    print_numbers(p);
    for (int i = 0; i < component->cells.count; i++) print_cell(p, &component->cells.items[i]);
    text_append(p->text, "    calyx.wires {\n");
    p->indent = 6;
    for (int i = 0; i < component->continuous.count; i++)
        print_assignment(p, &component->continuous.items[i]);
    for (int g = 0; g < component->groups.count; g++) print_group(p, &component->groups.items[g]);
    text_append(p->text, "    }\n    calyx.control {\n");
    print_control(p, component->control);
    text_printf(p->text, "    }\n  }%s\n", top ? " {toplevel}" : "");
}

/* --- modules of hardware/ --- */

static bool is_used(const CalyxProgram *program, const Primitive *primitive) {
    for (int i = 0; i < program->components.count; i++)
        for (int k = 0; k < program->components.items[i]->cells.count; k++)
            if (program->components.items[i]->cells.items[k].primitive == primitive) return true;
    return false;
}

static void print_extern(const Primitive *primitive, Text *text) {
    text_printf(text, "  hw.module.extern @%s<", primitive->name);
    for (int i = 0; i < primitive->parameter_count; i++)
        text_printf(text, "%s%s: i32", i ? ", " : "", primitive->parameters[i]);
    text_append(text, ">(");
    const char *separator = "";
    if (!primitive->combinational) text_append(text, "in %clk : i1 {calyx.clk}"), separator = ", ";
    for (int i = 0; i < primitive->port_count; i++) {
        const PrimitivePort *port = &primitive->ports[i];
        text_printf(text, "%s%s%s : ", separator, port->direction == PORT_INPUT ? "in %" : "out ",
                    port->name);
        if (port->width > 0)
            text_printf(text, "i%d", port->width);
        else
            text_printf(text, "!hw.int<#hw.param.decl.ref<\"%s\">>",
                        primitive->parameters[-port->width - 1]);
        separator = ", ";
    }
    bool own = !strcmp(primitive->library, "tepal");
    text_printf(text, ") attributes {filename = \"%s%s.sv\"}\n", own ? "hardware/" : "primitives/",
                own ? primitive->name + strlen("tepal_") : primitive->library);
}

void calyx_print_mlir(const CalyxProgram *program, Text *text) {
    text_printf(text, "module attributes {calyx.entrypoint = \"%s\"} {\n", program->top);
    for (int i = 0; i < primitive_count; i++)
        if (!is_operation(&primitives[i]) && strcmp(primitives[i].name, "std_reg") &&
            is_used(program, &primitives[i]))
            print_extern(&primitives[i], text);
    for (int i = 0; i < program->components.count; i++) {
        Printer p = {.program = program, .component = program->components.items[i], .text = text};
        print_component(&p, i == program->components.count - 1);
    }
    text_append(text, "}\n");
}
