/* Calyx programs as native text, for people and for the official Calyx compiler (0.7.1).
 *
 * Units come as `extern` primitives from the files of hardware/. Three things need a primitive that
 * is defined in the text, as Verilog around a module of hardware/:
 *   - tepal_bits, a slice that 0.7.1 does not have;
 *   - memories of tensors: the compiler reads and writes an @external cell CELL at CELL.mem.mem, if
 * the name of its primitive has "mem" in it;
 *   - ROMs, one primitive for each image, as parameters are numbers only. */
#include "calyx/calyx.h"

#include <string.h>

/* Files of hardware/ that a module's file needs beside itself. */
static const struct {
    const char *module;
    const char *needs[3];
} hardware_needs[] = {
    {"float_add", {"float_pack"}},
    {"float_multiply", {"float_pack"}},
    {"float_divide", {"float_pack", "float_unpack"}},
    {"float_divide_iterative", {"float_pack", "float_unpack"}},
    {"float_sqrt", {"float_pack", "float_unpack"}},
    {"float_sqrt_iterative", {"float_pack", "float_unpack"}},
    {"float_minimum", {"float_extremum"}},
    {"float_maximum", {"float_extremum"}},
    {"float_convert", {"float_pack"}},
    {"int_to_float", {"float_pack"}},
};

typedef struct Printer {
    const CalyxProgram *program;
    const Component *component;
    const char *hardware;
    Text *text;
    Vector(const char *) files; /* of hardware/, printed already */
} Printer;

/* --- primitives --- */

static void print_width(const Primitive *primitive, int width, Text *text) {
    if (width < 0)
        text_append(text, primitive->parameters[-width - 1]);
    else
        text_printf(text, "%d", width);
}

static void print_primitive_ports(const Primitive *primitive, PortDirection direction,
                                  const char *attribute, const char *separator, Text *text) {
    for (int i = 0; i < primitive->port_count; i++) {
        const PrimitivePort *port = &primitive->ports[i];
        if (port->direction != direction) continue;
        text_printf(text, "%s%s%s: ", separator, port->is_data ? "@data " : attribute, port->name);
        print_width(primitive, port->width, text);
        separator = ",\n        ";
    }
}

/* Whether a value can pass through a primitive within a cycle, in any cell of the program. */
static bool passes_through(const Printer *p, const Primitive *primitive) {
    for (int i = 0; i < p->program->components.count; i++) {
        const Component *component = p->program->components.items[i];
        for (int k = 0; k < component->cells.count; k++)
            if (component->cells.items[k].primitive == primitive &&
                cell_is_combinational(&component->cells.items[k]))
                return true;
    }
    return false;
}

/* "NAME[WIDTH](@clk clk: 1, @data in: WIDTH) -> (@stable out: WIDTH)", one port a line. An output
 * that is not @stable follows the inputs within the cycle, as the compiler sees it. */
static void print_signature(const Printer *p, const Primitive *primitive, const char *name,
                            Text *text) {
    text_printf(text, "%s[", name);
    for (int i = 0; i < primitive->parameter_count; i++)
        text_printf(text, "%s%s", i ? ", " : "", primitive->parameters[i]);
    text_append(text, "](\n        ");
    if (!primitive->combinational) text_append(text, "@clk clk: 1");
    print_primitive_ports(primitive, PORT_INPUT, "", primitive->combinational ? "" : ",\n        ",
                          text);
    text_append(text, "\n    ) -> (\n        ");
    print_primitive_ports(primitive, PORT_OUTPUT, passes_through(p, primitive) ? "" : "@stable ",
                          "", text);
    text_append(text, "\n    )");
}

static bool is_printed(Printer *p, const char *file) {
    for (int i = 0; i < p->files.count; i++)
        if (!strcmp(p->files.items[i], file)) return true;
    vector_push(p->program->arena, &p->files, file);
    return false;
}

static void print_file(Printer *p, const char *file) {
    if (!is_printed(p, file)) text_printf(p->text, "extern \"%s/%s.sv\" {}\n", p->hardware, file);
}

static void print_extern(Printer *p, const Primitive *primitive) {
    const char *module = primitive->name + strlen("tepal_");
    for (int i = 0; i < p->files.count; i++)
        if (!strcmp(p->files.items[i], module)) return;
    print_file(p, "register_rank");
    for (size_t i = 0; i < sizeof hardware_needs / sizeof *hardware_needs; i++)
        for (int k = 0; k < 3 && !strcmp(hardware_needs[i].module, module); k++)
            if (hardware_needs[i].needs[k]) print_file(p, hardware_needs[i].needs[k]);
    is_printed(p, module);
    text_printf(p->text, "extern \"%s/%s.sv\" {\n    primitive ", p->hardware, module);
    print_signature(p, primitive, primitive->name, p->text);
    text_append(p->text, ";\n}\n");
}

/* A primitive around an instance `mem` of a memory's module. */
static void print_wrapper(Printer *p, const Primitive *primitive, const char *name,
                          const char *image) {
    text_append(p->text, "primitive ");
    print_signature(p, primitive, name, p->text);
    text_printf(p->text, " {\n    %s #(\n        ", primitive->name);
    for (int i = 0; i < primitive->parameter_count; i++)
        text_printf(p->text, "%s.%s(%s)", i ? ", " : "", primitive->parameters[i],
                    primitive->parameters[i]);
    if (image) text_printf(p->text, ", .IMAGE(\"%s\")", image);
    text_append(p->text, "\n    ) mem (\n        .clk(clk)");
    for (int i = 0; i < primitive->port_count; i++)
        text_printf(p->text, ",\n        .%s(%s)", primitive->ports[i].name,
                    primitive->ports[i].name);
    text_append(p->text, "\n    );\n}\n");
}

/* The primitive of a cell, as this text names it. */
static const char *primitive_name(const Printer *p, const Cell *cell) {
    if (!cell->primitive) return cell->definition->name;
    if (!strcmp(cell->primitive->name, "tepal_rom"))
        return string_format(p->program->arena, "tepal_rom_%s", cell->name);
    return cell->external ? "tepal_tensor_memory" : cell->primitive->name;
}

static void print_primitive_of(Printer *p, const Cell *cell) {
    const Primitive *primitive = cell->primitive;
    if (!primitive || strcmp(primitive->library, "tepal")) return;
    const char *name = primitive_name(p, cell);
    if (!strcmp(name, "tepal_bits")) {
        if (is_printed(p, name)) return;
        text_append(p->text, "comb primitive ");
        print_signature(p, primitive, name, p->text);
        text_append(p->text, " {\n    assign out = in[LOW +: OUT_WIDTH];\n}\n");
        return;
    }
    print_extern(p, primitive);
    if (!strcmp(name, primitive->name) || is_printed(p, name)) return;
    const char *image = cell->memory < 0 ? NULL : p->program->contents.items[cell->memory].image;
    print_wrapper(p, primitive, name, image);
}

/* --- ports and guards --- */

static void print_port(const Printer *p, Port port) {
    if (port.cell == LITERAL) {
        text_printf(p->text, "%d'd%llu", port.width, (unsigned long long)port.value);
        return;
    }
    if (port.cell >= 0) text_printf(p->text, "%s.", p->component->cells.items[port.cell].name);
    text_append(p->text, port_info(p->component, port).name);
}

static void print_guard(const Printer *p, int index, GuardKind outer) {
    static const char *const comparisons[] = {
        [GUARD_EQ] = "==", [GUARD_NE] = "!=", [GUARD_LT] = "<",
        [GUARD_LE] = "<=", [GUARD_GT] = ">",  [GUARD_GE] = ">="};
    const Guard *guard = &p->component->guards.items[index];
    bool pair = guard->kind == GUARD_AND || guard->kind == GUARD_OR;
    bool parentheses =
        guard->kind == GUARD_COMPARE || outer == GUARD_NOT || (pair && outer != guard->kind);
    if (outer == GUARD_TRUE || (outer == GUARD_NOT && guard->kind == GUARD_PORT))
        parentheses = false;
    if (parentheses) text_append(p->text, "(");
    switch (guard->kind) {
    case GUARD_TRUE: text_append(p->text, "1'd1"); break;
    case GUARD_PORT: print_port(p, guard->left); break;
    case GUARD_TIME: text_printf(p->text, "%%[%d:%d]", guard->from, guard->to); break;
    case GUARD_NOT:
        text_append(p->text, "!");
        print_guard(p, guard->operands[0], GUARD_NOT);
        break;
    case GUARD_COMPARE:
        print_port(p, guard->left);
        text_printf(p->text, " %s ", comparisons[guard->condition]);
        print_port(p, guard->right);
        break;
    default:
        print_guard(p, guard->operands[0], guard->kind);
        text_append(p->text, guard->kind == GUARD_AND ? " & " : " | ");
        print_guard(p, guard->operands[1], guard->kind);
    }
    if (parentheses) text_append(p->text, ")");
}

static void print_source(const Printer *p, const Assignment *assignment) {
    if (assignment->guard) {
        print_guard(p, assignment->guard, GUARD_TRUE);
        text_append(p->text, " ? ");
    }
    print_port(p, assignment->source);
    text_append(p->text, ";\n");
}

static void print_assignment(const Printer *p, int indent, const Assignment *assignment) {
    text_printf(p->text, "%*s", indent, "");
    print_port(p, assignment->destination);
    text_append(p->text, " = ");
    print_source(p, assignment);
}

/* --- components --- */

static void print_component_ports(const Printer *p, PortDirection direction) {
    const char *separator = "";
    for (int i = 0; i < p->component->ports.count; i++) {
        const ComponentPort *port = &p->component->ports.items[i];
        if (port->direction != direction) continue;
        text_printf(p->text, "%s%s: %d", separator, port->name, port->width);
        separator = ", ";
    }
}

static void print_cells(const Printer *p) {
    text_append(p->text, "    cells {\n");
    for (int i = 0; i < p->component->cells.count; i++) {
        const Cell *cell = &p->component->cells.items[i];
        int count = cell->primitive ? cell->primitive->parameter_count : 0;
        text_printf(p->text, "        %s%s = %s(", cell->external ? "@external " : "", cell->name,
                    primitive_name(p, cell));
        for (int k = 0; k < count; k++)
            text_printf(p->text, "%s%lld", k ? ", " : "", (long long)cell->parameters[k]);
        text_append(p->text, ");\n");
    }
    text_append(p->text, "    }\n");
}

static void print_group(const Printer *p, const Group *group) {
    if (group->comment) text_printf(p->text, "        // %s: %s\n", group->name, group->comment);
    if (group->latency)
        text_printf(p->text, "        static<%d> group %s {\n", group->latency, group->name);
    else
        text_printf(p->text, "        group %s {\n", group->name);
    for (int i = 0; i < group->assignments.count; i++)
        print_assignment(p, 12, &group->assignments.items[i]);
    if (!group->latency) {
        text_printf(p->text, "            %s[done] = ", group->name);
        print_source(p, &group->done);
    }
    text_append(p->text, "        }\n");
}

static void print_wires(const Printer *p) {
    text_append(p->text, "    wires {\n");
    for (int i = 0; i < p->component->continuous.count; i++)
        print_assignment(p, 8, &p->component->continuous.items[i]);
    for (int g = 0; g < p->component->groups.count; g++)
        print_group(p, &p->component->groups.items[g]);
    text_append(p->text, "    }\n");
}

/* --- control --- */

static void print_control(const Printer *p, const Control *control, int indent);

static void print_body(const Printer *p, const Control *control, int first, int last, int indent) {
    text_append(p->text, " {\n");
    for (int i = first; i < last && i < control->children.count; i++)
        print_control(p, control->children.items[i], indent + 4);
    text_printf(p->text, "%*s}", indent, "");
}

static void print_control(const Printer *p, const Control *control, int indent) {
    const char *prefix = control->is_static ? "static " : "";
    text_printf(p->text, "%*s", control->kind == CONTROL_EMPTY ? 0 : indent, "");
    switch (control->kind) {
    case CONTROL_EMPTY: return;
    case CONTROL_ENABLE:
        text_printf(p->text, "%s;\n", p->component->groups.items[control->group].name);
        return;
    case CONTROL_INVOKE:
        text_printf(p->text, "invoke %s()();\n", p->component->cells.items[control->cell].name);
        return;
    case CONTROL_SEQUENCE: text_printf(p->text, "%sseq", prefix); break;
    case CONTROL_PARALLEL: text_printf(p->text, "%spar", prefix); break;
    case CONTROL_REPEAT:
        text_printf(p->text, "%srepeat %lld", prefix, (long long)control->times);
        break;
    case CONTROL_IF:
    case CONTROL_WHILE:
        text_printf(p->text, "%s%s ", prefix, control->kind == CONTROL_IF ? "if" : "while");
        print_port(p, control->condition);
        break;
    }
    print_body(p, control, 0, control->kind == CONTROL_IF ? 1 : control->children.count, indent);
    if (control->kind == CONTROL_IF && control->children.count > 1 &&
        control->children.items[1]->kind != CONTROL_EMPTY) {
        text_append(p->text, " else");
        print_body(p, control, 1, 2, indent);
    }
    text_append(p->text, "\n");
}

static void print_component(Printer *p, const Component *component, bool top) {
    p->component = component;
    text_printf(p->text, "\ncomponent %s%s(", component->name, top ? "<\"toplevel\"=1>" : "");
    print_component_ports(p, PORT_INPUT);
    text_append(p->text, ") -> (");
    print_component_ports(p, PORT_OUTPUT);
    text_append(p->text, ") {\n");
    print_cells(p);
    print_wires(p);
    text_append(p->text, "    control {\n");
    print_control(p, component->control, 8);
    text_append(p->text, "    }\n}\n");
}

void calyx_print_native(const CalyxProgram *program, const char *hardware, Text *text) {
    Printer p = {.program = program, .hardware = hardware, .text = text};
    text_append(
        text,
        "import \"primitives/core.futil\";\nimport \"primitives/binary_operators.futil\";\n\n");
    for (int i = 0; i < program->components.count; i++) {
        p.component = program->components.items[i];
        for (int k = 0; k < p.component->cells.count; k++)
            print_primitive_of(&p, &p.component->cells.items[k]);
    }
    for (int i = 0; i < program->components.count; i++)
        print_component(&p, program->components.items[i], i == program->components.count - 1);
}
