/* Calyx programs in CIRCT's calyx dialect, in its custom syntax or in MLIR's generic one, which
 * every MLIR parses and read_mlir.c reads again.
 *
 * Std cells have operations of their own; units and memories of hardware/ are calyx.primitive of an
 * hw.module.extern with parameters. Guards are comb operations on i1 in the group that uses them;
 * %[a:b] is the or of calyx.cycle operations. */
#include "calyx/dialect.h"

#include <string.h>

typedef struct Printer {
    const CalyxProgram *program;
    const Component *component;
    Text *text;
    int indent;
    bool generic;
    int next;    /* number of the next guard value %0, %1 ... of the component */
    int *values; /* of each guard, that of the group being printed + 1; 0: not printed yet */
} Printer;

static void line(const Printer *p) {
    text_printf(p->text, "%*s", p->indent, "");
}

/* --- cells --- */

static void print_parameters(const Printer *p, const Cell *cell) {
    if (!cell->primitive->parameter_count) return;
    text_append(p->text, "<");
    for (int i = 0; i < cell->primitive->parameter_count; i++)
        text_printf(p->text, "%s%s: i32 = %lld", i ? ", " : "", cell->primitive->parameters[i],
                    (long long)cell->parameters[i]);
    text_append(p->text, ">");
}

/* What kind of operation a cell is: "calyx.register". */
static const char *cell_operation(const Printer *p, const Cell *cell) {
    if (!cell->primitive) return "calyx.instance";
    if (cell_is_register(cell)) return "calyx.register";
    if (!primitive_is_operation(cell->primitive)) return "calyx.primitive";
    return string_format(p->program->arena, "calyx.%s", cell->primitive->name);
}

/* The attributes of a primitive's cell; what CIRCT does not know is ours, for reading it again. */
static void print_primitive_attributes(const Printer *p, const Cell *cell) {
    text_printf(p->text, "primitiveName = @%s, parameters = [", cell->primitive->name);
    for (int i = 0; i < cell->primitive->parameter_count; i++)
        text_printf(p->text, "%s#hw.param.decl<\"%s\": i32 = %lld>", i ? ", " : "",
                    cell->primitive->parameters[i], (long long)cell->parameters[i]);
    text_append(p->text, "], ");
    if (cell->external) text_append(p->text, "external = true, ");
    if (cell->memory < 0) return;
    const MemoryContents *contents = &p->program->contents.items[cell->memory];
    text_printf(p->text, "tepal.memory = {elements = %zu : i64, bank = %d : i64, type = %s",
                contents->elements, contents->bank, scalar_name(contents->type));
    if (contents->tensor)
        text_printf(p->text, ", tensor = \"%s\"", string_mlir(p->text->arena, contents->tensor));
    if (contents->image) text_printf(p->text, ", image = \"%s\"", contents->image);
    if (contents->host_writes) text_append(p->text, ", host_writes");
    if (contents->starts_at_zero) text_append(p->text, ", starts_at_zero");
    if (contents->host_reads) text_append(p->text, ", host_reads");
    text_append(p->text, "}, ");
}

static void print_generic_cell(const Printer *p, const Cell *cell, int count,
                               const ResultPort *ports) {
    text_printf(p->text, " = \"%s\"() {", cell_operation(p, cell));
    if (!cell->primitive)
        text_printf(p->text, "componentName = @%s, ", cell->definition->name);
    else if (!cell_is_register(cell) && !primitive_is_operation(cell->primitive))
        print_primitive_attributes(p, cell);
    if (cell->starts_at_zero) text_append(p->text, "tepal.starts_at_zero, ");
    text_printf(p->text, "sym_name = \"%s\"} : () -> (", cell->name);
    for (int i = 0; i < count; i++) text_printf(p->text, "%si%d", i ? ", " : "", ports[i].width);
    text_append(p->text, ")\n");
}

static void print_cell(const Printer *p, const Cell *cell) {
    ResultPort ports[MOST_RESULTS];
    int count = cell_results(cell, ports);
    line(p);
    for (int i = 0; i < count; i++)
        text_printf(p->text, "%s%%%s.%s", i ? ", " : "", cell->name, ports[i].name);
    if (p->generic) {
        print_generic_cell(p, cell, count, ports);
        return;
    }
    text_printf(p->text, " = %s @%s", cell_operation(p, cell), cell->name);
    if (!cell->primitive) {
        text_printf(p->text, " of @%s", cell->definition->name);
    } else if (!cell_is_register(cell) && !primitive_is_operation(cell->primitive)) {
        text_printf(p->text, " of @%s", cell->primitive->name);
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
        const char *value =
            number.width == 1
                ? (number.value ? "true" : "false")
                : string_format(p->program->arena, "%lld : i%d",
                                (long long)bits_signed(number.width, number.value), number.width);
        line(p);
        text_printf(p->text, "%%c%llu_i%d = ", (unsigned long long)number.value, number.width);
        if (p->generic)
            text_printf(p->text, "\"hw.constant\"() {value = %s} : () -> i%d\n", value,
                        number.width);
        else
            text_printf(p->text, "hw.constant %s\n", value);
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

/* The next value, of an operation of comb on two values; `predicate` of icmp, else -1. */
static void print_logic(Printer *p, const char *operation, int predicate, const char *left,
                        const char *right, int width) {
    static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                             "sge", "ult", "ule", "ugt", "uge"};
    line(p);
    if (!p->generic) {
        text_printf(p->text, "%%%d = comb.%s%s%s %s, %s : i%d\n", p->next++, operation,
                    predicate < 0 ? "" : " ", predicate < 0 ? "" : predicates[predicate], left,
                    right, width);
        return;
    }
    text_printf(p->text, "%%%d = \"comb.%s\"(%s, %s)", p->next++, operation, left, right);
    if (predicate >= 0) text_printf(p->text, " {predicate = %d : i64}", predicate);
    text_printf(p->text, " : (i%d, i%d) -> i%d\n", width, width, predicate < 0 ? width : 1);
}

/* The or of the cycles from .. to-1; the last of the values made. */
static void print_cycles(Printer *p, const Guard *guard) {
    for (int cycle = guard->from; cycle < guard->to; cycle++) {
        line(p);
        if (p->generic)
            text_printf(p->text, "%%%d = \"calyx.cycle\"() {start = %d : i32} : () -> i1\n",
                        p->next++, cycle);
        else
            text_printf(p->text, "%%%d = calyx.cycle %d\n", p->next++, cycle);
        if (cycle == guard->from) continue;
        print_logic(p, "or", -1, value_named(p, p->next - 2), value_named(p, p->next - 1), 1);
    }
}

static void print_guard(Printer *p, const Guard *guard) {
    static const int predicates[] = {0, 1, 6, 7, 8, 9}; /* of icmp, by GuardCondition */
    if (guard->kind == GUARD_TIME) {
        print_cycles(p, guard);
        return;
    }
    const char *left = NULL, *right = NULL, *operation = "and";
    int width = 1, predicate = -1;
    if (guard->kind == GUARD_COMPARE) {
        left = port_value(p, guard->left);
        right = port_value(p, guard->right);
        operation = "icmp";
        predicate = predicates[guard->condition];
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
    print_logic(p, operation, predicate, left, right, width);
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

/* calyx.assign, or calyx.group_done, which has no destination. */
static void print_assignment(Printer *p, const Assignment *assignment, bool done) {
    const char *guard = assignment->guard ? guard_value(p, assignment->guard) : NULL;
    const char *name = done ? "calyx.group_done" : "calyx.assign";
    const char *destination = done ? NULL : port_value(p, assignment->destination);
    const char *source = port_value(p, assignment->source);
    int width = assignment->source.width;
    line(p);
    if (!p->generic) {
        text_printf(p->text, "%s ", name);
        if (destination) text_printf(p->text, "%s = ", destination);
        if (guard) text_printf(p->text, "%s ? ", guard);
        text_printf(p->text, "%s : i%d\n", source, width);
        return;
    }
    text_printf(p->text, "\"%s\"(", name);
    if (destination) text_printf(p->text, "%s, ", destination);
    text_printf(p->text, "%s%s%s) : (", source, guard ? ", " : "", guard ? guard : "");
    if (destination) text_printf(p->text, "i%d, ", width);
    text_printf(p->text, "i%d%s) -> ()\n", width, guard ? ", i1" : "");
}

static void forget_values(Printer *p) {
    if (p->component->guards.count)
        memset(p->values, 0, (size_t)p->component->guards.count * sizeof *p->values);
}

static void print_group_end(Printer *p, const Group *group) {
    text_append(p->text, "}) {");
    if (group->latency) text_printf(p->text, "latency = %d : i64, ", group->latency);
    if (group->comment)
        text_printf(p->text, "tepal.comment = \"%s\", ",
                    string_mlir(p->text->arena, group->comment));
    text_printf(p->text, "sym_name = \"%s\"} : () -> ()\n", group->name);
}

static void print_group(Printer *p, const Group *group) {
    forget_values(p);
    if (group->comment)
        text_printf(p->text, "%*s// %s: %s\n", p->indent, "", group->name, group->comment);
    const char *name = group->latency ? "calyx.static_group" : "calyx.group";
    line(p);
    if (p->generic)
        text_printf(p->text, "\"%s\"() ({\n", name);
    else if (group->latency)
        text_printf(p->text, "%s latency<%d> @%s {\n", name, group->latency, group->name);
    else
        text_printf(p->text, "%s @%s {\n", name, group->name);
    p->indent += 2;
    for (int i = 0; i < group->assignments.count; i++)
        print_assignment(p, &group->assignments.items[i], false);
    if (!group->latency) print_assignment(p, &group->done, true);
    p->indent -= 2;
    line(p);
    if (!p->generic)
        text_append(p->text, "}\n");
    else
        print_group_end(p, group);
}

/* --- control --- */

static void print_control(Printer *p, const Control *control);

/* The statements first .. last-1 of a block, in braces. */
static void print_block(Printer *p, const Control *control, int first, int last) {
    text_append(p->text, "{\n");
    if (p->generic) text_printf(p->text, "%*s^bb0:\n", p->indent, "");
    p->indent += 2;
    for (int i = first; i < last && i < control->children.count; i++)
        print_control(p, control->children.items[i]);
    p->indent -= 2;
    line(p);
    text_append(p->text, "}");
}

static bool has_else(const Control *control) {
    return control->kind == CONTROL_IF && control->children.count > 1 &&
           control->children.items[1]->kind != CONTROL_EMPTY;
}

static void print_blocks(Printer *p, const Control *control, const char *between) {
    print_block(p, control, 0, control->kind == CONTROL_IF ? 1 : control->children.count);
    if (!has_else(control)) return;
    text_append(p->text, between);
    print_block(p, control, 1, 2);
}

static const char *const control_operations[] = {
    [CONTROL_ENABLE] = "enable", [CONTROL_SEQUENCE] = "seq", [CONTROL_PARALLEL] = "par",
    [CONTROL_REPEAT] = "repeat", [CONTROL_IF] = "if",        [CONTROL_WHILE] = "while",
    [CONTROL_INVOKE] = "invoke",
};

static bool has_condition(const Control *control) {
    return control->kind == CONTROL_IF || control->kind == CONTROL_WHILE;
}

static void print_generic_control(Printer *p, const Control *control, const char *name) {
    const Component *component = p->component;
    const char *condition = has_condition(control) ? port_value(p, control->condition) : "";
    text_printf(p->text, "\"%s\"(%s) ", name, condition);
    if (control->kind == CONTROL_ENABLE) {
        text_printf(p->text, "{groupName = @%s}", component->groups.items[control->group].name);
    } else if (control->kind == CONTROL_INVOKE) {
        text_printf(p->text, "{callee = @%s, portNames = [], inputNames = [], refCellsMap = [{}]}",
                    component->cells.items[control->cell].name);
    } else {
        text_append(p->text, "(");
        print_blocks(p, control, ", ");
        if (control->kind == CONTROL_IF && !has_else(control)) text_append(p->text, ", {\n}");
        text_append(p->text, ")");
    }
    if (control->kind == CONTROL_REPEAT)
        text_printf(p->text, " {count = %lld : i32}", (long long)control->times);
    text_printf(p->text, " : (%s) -> ()\n", *condition ? "i1" : "");
}

static void print_control(Printer *p, const Control *control) {
    if (control->kind == CONTROL_EMPTY) return;
    bool plain = control->kind == CONTROL_ENABLE || control->kind == CONTROL_INVOKE;
    const char *name = string_format(p->program->arena, "calyx.%s%s",
                                     control->is_static && !plain ? "static_" : "",
                                     control_operations[control->kind]);
    line(p);
    if (p->generic) {
        print_generic_control(p, control, name);
        return;
    }
    text_append(p->text, name);
    if (control->kind == CONTROL_ENABLE) {
        text_printf(p->text, " @%s\n", p->component->groups.items[control->group].name);
        return;
    }
    if (control->kind == CONTROL_INVOKE) {
        text_printf(p->text, " @%s[]() -> ()\n", p->component->cells.items[control->cell].name);
        return;
    }
    if (control->kind == CONTROL_REPEAT) text_printf(p->text, " %lld", (long long)control->times);
    if (has_condition(control)) text_printf(p->text, " %s", port_value(p, control->condition));
    text_append(p->text, " ");
    print_blocks(p, control, " else ");
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

/* Bit i of the directions is 1 for an output, in hexadecimal digits, as there may be many ports. */
static const char *directions_text(Arena *arena, int inputs, int outputs) {
    Text text = text_new(arena);
    text_append(&text, "0x");
    for (int digit = (inputs + outputs + 3) / 4 - 1; digit >= 0; digit--) {
        int value = 0;
        for (int bit = 0; bit < 4; bit++) {
            int port = 4 * digit + bit;
            value |= (port >= inputs && port < inputs + outputs) << bit;
        }
        text_printf(&text, "%x", value);
    }
    return text_string(&text);
}

/* Calls for each port, inputs with clk, reset and go first, outputs with done last. */
static void each_port(const Printer *p, void (*print)(const Printer *p, int number,
                                                      const ComponentPort *port, bool special)) {
    static const ComponentPort special[] = {{"clk", PORT_INPUT, 1},
                                            {"reset", PORT_INPUT, 1},
                                            {"go", PORT_INPUT, 1},
                                            {"done", PORT_OUTPUT, 1}};
    int number = 0;
    for (int direction = PORT_INPUT; direction <= PORT_OUTPUT; direction++) {
        for (int i = 0; i < p->component->ports.count; i++)
            if ((int)p->component->ports.items[i].direction == direction)
                print(p, number++, &p->component->ports.items[i], false);
        for (int i = 0; i < 4; i++)
            if ((int)special[i].direction == direction) print(p, number++, &special[i], true);
    }
}

static void print_port_name(const Printer *p, int number, const ComponentPort *port, bool special) {
    (void)special;
    text_printf(p->text, "%s\"%s\"", number ? ", " : "", port->name);
}

static void print_port_type(const Printer *p, int number, const ComponentPort *port, bool special) {
    (void)special;
    text_printf(p->text, "%si%d", number ? ", " : "", port->width);
}

static void print_port_argument(const Printer *p, int number, const ComponentPort *port,
                                bool special) {
    (void)special;
    text_printf(p->text, "%s%%%s: i%d", number ? ", " : "", port->name, port->width);
}

static void print_port_attribute(const Printer *p, int number, const ComponentPort *port,
                                 bool special) {
    text_printf(p->text, "%s{%s}", number ? ", " : "", special ? port->name : "");
}

static void print_generic_end(const Printer *p, bool top) {
    int inputs = 3, outputs = 1;
    for (int i = 0; i < p->component->ports.count; i++)
        *(p->component->ports.items[i].direction == PORT_INPUT ? &inputs : &outputs) += 1;
    text_append(p->text, "  }) {function_type = (");
    each_port(p, print_port_type);
    text_append(p->text, ") -> (), portAttributes = [");
    each_port(p, print_port_attribute);
    text_printf(p->text, "], portDirections = %s : i%d, portNames = [",
                directions_text(p->text->arena, inputs, outputs), inputs + outputs);
    each_port(p, print_port_name);
    text_printf(p->text, "], sym_name = \"%s\"%s} : () -> ()\n", p->component->name,
                top ? ", toplevel" : "");
}

static void print_component(Printer *p, bool top) {
    const Component *component = p->component;
    bool generic = p->generic;
    p->next = 0;
    p->values =
        arena_array(p->program->arena, (size_t)component->guards.count + 1, sizeof *p->values);
    if (generic) {
        text_append(p->text, "  \"calyx.component\"() ({\n  ^bb0(");
        each_port(p, print_port_argument);
        text_append(p->text, "):\n");
    } else {
        print_signature(p);
    }
    p->indent = 4;
    print_numbers(p);
    for (int i = 0; i < component->cells.count; i++) print_cell(p, &component->cells.items[i]);
    text_append(p->text, generic ? "    \"calyx.wires\"() ({\n    ^bb0:\n" : "    calyx.wires {\n");
    p->indent = 6;
    for (int i = 0; i < component->continuous.count; i++)
        print_assignment(p, &component->continuous.items[i], false);
    for (int g = 0; g < component->groups.count; g++) print_group(p, &component->groups.items[g]);
    text_append(p->text, generic ? "    }) : () -> ()\n    \"calyx.control\"() ({\n    ^bb0:\n"
                                 : "    }\n    calyx.control {\n");
    print_control(p, component->control);
    text_append(p->text, generic ? "    }) : () -> ()\n" : "    }\n");
    if (generic)
        print_generic_end(p, top);
    else
        text_printf(p->text, "  }%s\n", top ? " {toplevel}" : "");
}

/* --- modules of hardware/ --- */

static bool is_used(const CalyxProgram *program, const Primitive *primitive) {
    for (int i = 0; i < program->components.count; i++)
        for (int k = 0; k < program->components.items[i]->cells.count; k++)
            if (program->components.items[i]->cells.items[k].primitive == primitive) return true;
    return false;
}

static void print_program(const CalyxProgram *program, bool generic, Text *text) {
    for (int i = 0; i < primitive_count; i++)
        if (!primitive_is_operation(&primitives[i]) && strcmp(primitives[i].name, "std_reg") &&
            is_used(program, &primitives[i]))
            primitive_print_extern(&primitives[i], EXTERN_OF_CALYX, generic, text);
    for (int i = 0; i < program->components.count; i++) {
        Printer p = {.program = program,
                     .component = program->components.items[i],
                     .text = text,
                     .generic = generic};
        print_component(&p, i == program->components.count - 1);
    }
}

void calyx_print_mlir(const CalyxProgram *program, Text *text) {
    text_printf(text, "module attributes {calyx.entrypoint = \"%s\"} {\n", program->top);
    print_program(program, false, text);
    text_append(text, "}\n");
}

void calyx_print_generic(const CalyxProgram *program, Text *text) {
    print_program(program, true, text);
}
