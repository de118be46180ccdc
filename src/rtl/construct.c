/* From Calyx to a netlist: one module for each component.
 *
 * std_reg cells become registers, units and memories instances of hardware/, instances of
 * components instances of their modules; combinational cells become expressions, which take the
 * cell's name where they need a wire. What drives a port is worked out on demand (drive.c), control
 * becomes a state machine (control.c). */
#include "calyx/dialect.h"
#include "rtl/construction.h"
#include "rtl/rtl.h"

#include <string.h>

/* --- shorthands --- */

Expression constant_of(Construction *c, int width, Bits value) {
    return expression_constant(c->netlist, c->module, width, value);
}
Expression signal_of(Construction *c, int signal) {
    return expression_signal(c->netlist, c->module, signal);
}
Expression not_of(Construction *c, Expression value) {
    return expression_not(c->netlist, c->module, value);
}
Expression and_of(Construction *c, Expression left, Expression right) {
    return expression_and(c->netlist, c->module, left, right);
}
Expression or_of(Construction *c, Expression left, Expression right) {
    return expression_or(c->netlist, c->module, left, right);
}
Expression mux_of(Construction *c, Expression condition, Expression then, Expression otherwise) {
    return expression_mux(c->netlist, c->module, condition, then, otherwise);
}
Expression compare_of(Construction *c, ExpressionKind kind, Expression left, Bits right) {
    Expression number = constant_of(c, width_of(c, left), right);
    return expression(c->netlist, c->module, kind, 1, left, number, -1);
}
int width_of(const Construction *c, Expression value) {
    return c->module->expressions.items[value].width;
}
bool is_value(const Construction *c, Expression value, Bits number) {
    Bits found;
    return expression_is_constant(c->module, value, &found) && found == number;
}
int control_signal(Construction *c, const char *name, SignalKind kind) {
    int signal = signal_add(c->netlist, c->module, name, kind, 1);
    c->module->signals.items[signal].name = name;
    return signal;
}

/* --- combinational cells --- */

/* Primitives that are one expression over their inputs, in the order of the inputs. */
static const struct {
    const char *primitive;
    ExpressionKind kind;
} simple_cells[] = {
    {"std_not", EXPRESSION_NOT},
    {"std_add", EXPRESSION_ADD},
    {"std_sub", EXPRESSION_SUBTRACT},
    {"std_and", EXPRESSION_AND},
    {"std_or", EXPRESSION_OR},
    {"std_xor", EXPRESSION_XOR},
    {"std_lsh", EXPRESSION_SHIFT_LEFT},
    {"std_rsh", EXPRESSION_SHIFT_RIGHT},
    {"std_eq", EXPRESSION_EQ},
    {"std_neq", EXPRESSION_NE},
    {"std_lt", EXPRESSION_LT},
    {"std_le", EXPRESSION_LE},
    {"std_gt", EXPRESSION_GT},
    {"std_ge", EXPRESSION_GE},
    {"std_slt", EXPRESSION_LT_SIGNED},
    {"std_sle", EXPRESSION_LE_SIGNED},
    {"std_sgt", EXPRESSION_GT_SIGNED},
    {"std_sge", EXPRESSION_GE_SIGNED},
    {"std_pad", EXPRESSION_EXTEND},
    {"std_signext", EXPRESSION_EXTEND_SIGNED},
    {"std_mux", EXPRESSION_MUX},
    {"std_cat", EXPRESSION_CONCAT},
    {"std_srsh", EXPRESSION_SHIFT_RIGHT_SIGNED},
};

static ExpressionKind simple_kind(const Primitive *primitive) {
    for (size_t i = 0; i < sizeof simple_cells / sizeof *simple_cells; i++)
        if (!strcmp(simple_cells[i].primitive, primitive->name)) return simple_cells[i].kind;
    return EXPRESSION_KINDS;
}

static Expression cell_expression(Construction *c, int index) {
    const Cell *cell = &c->component->cells.items[index];
    if (cell_is_register(cell))
        return constant_of(c, (int)cell->parameters[0], 0); /* never written */
    int inputs = cell->primitive->port_count - 1;           /* the last port is `out` */
    Expression operands[3] = {-1, -1, -1};
    for (int i = 0; i < inputs; i++) operands[i] = input_value(c, index, i);
    int width = cell_port_info(cell, inputs).width;
    ExpressionKind kind = simple_kind(cell->primitive);
    if (kind != EXPRESSION_KINDS)
        return expression(c->netlist, c->module, kind, width, operands[0], operands[1],
                          operands[2]);
    if (!strcmp(cell->primitive->name, "std_wire")) return operands[0];
    int low = (int)cell_parameter(cell, "LOW", 0); /* std_slice, tepal_bits */
    return expression_slice(c->netlist, c->module, operands[0], low, width);
}

/* --- values of ports --- */

/* The register that is 1 in the cycle after a write: std_reg's `done`. */
static int done_register(Construction *c, int cell) {
    CellState *state = &c->cells[cell];
    if (state->done >= 0) return state->done;
    const char *name =
        string_format(c->netlist->arena, "%s_done", c->component->cells.items[cell].name);
    state->done = signal_add(c->netlist, c->module, name, SIGNAL_REGISTER, 1);
    c->module->signals.items[state->done].has_reset = true;
    return state->done;
}

/* The signal of an output of an instance, connected when it is first asked for. */
static int instance_output(Construction *c, int cell, const char *port, int width) {
    Instance *instance = &c->module->instances.items[c->cells[cell].instance];
    for (int i = 0; i < instance->connections.count; i++)
        if (!strcmp(instance->connections.items[i].port, port))
            return instance->connections.items[i].signal;
    const char *name = string_format(c->netlist->arena, "%s_%s", instance->name, port);
    int section = c->module->section;
    c->module->section = instance->section;
    int signal = signal_add(c->netlist, c->module, name, SIGNAL_INSTANCE, width);
    c->module->section = section;
    Connection connection = {
        .port = port, .is_output = true, .width = width, .value = -1, .signal = signal};
    vector_push(c->netlist->arena, &instance->connections, connection);
    return signal;
}

Expression instance_done(Construction *c, int cell) {
    return signal_of(c, instance_output(c, cell, "done", 1));
}

static Expression output_value(Construction *c, Port port) {
    const Cell *cell = &c->component->cells.items[port.cell];
    const CellState *state = &c->cells[port.cell];
    PortInfo info = cell_port_info(cell, port.port);
    if (state->signal >= 0)
        return signal_of(c,
                         strcmp(info.name, "done") ? state->signal : done_register(c, port.cell));
    if (state->instance >= 0)
        return signal_of(c, instance_output(c, port.cell, info.name, info.width));
    Expression value = cell_expression(c, port.cell);
    expression_name(c->module, value, cell->name);
    return value;
}

Expression port_value(Construction *c, Port port) {
    if (port.cell == LITERAL) return constant_of(c, port.width, port.value);
    if (port.cell == THIS) /* signals of the component's ports come first */
        return signal_of(c, port.port);
    PortState *state = &c->ports[c->cells[port.cell].first_port + port.port];
    if (state->value < 0) state->value = output_value(c, port);
    return state->value;
}

/* The number of a port; of `go` and `done` of a component instance, one below 0. */
static int port_index(const Cell *cell, const char *name) {
    for (int i = 0; i < cell_port_count(cell); i++)
        if (!strcmp(cell_port_info(cell, i).name, name)) return i;
    return strcmp(name, "go") ? -1 : -2;
}

Expression next_value(Construction *c, Port port) {
    Expression now = port_value(c, port);
    if (port.cell < 0 || c->cells[port.cell].signal < 0) return now;
    const Cell *cell = &c->component->cells.items[port.cell];
    Expression enable = input_value(c, port.cell, port_index(cell, "write_en"));
    Expression next = mux_of(c, enable, input_value(c, port.cell, port_index(cell, "in")), now);
    expression_name(c->module, next, string_format(c->netlist->arena, "%s_next", cell->name));
    return next;
}

/* --- cells --- */

static void parameters_add(Construction *c, const Cell *cell, Instance *instance) {
    Arena *arena = c->netlist->arena;
    for (int i = 0; i < cell->primitive->parameter_count; i++) {
        ModuleParameter parameter = {cell->primitive->parameters[i], cell->parameters[i], NULL};
        vector_push(arena, &instance->parameters, parameter);
    }
    if (cell->memory < 0 || !c->program->contents.items[cell->memory].image) return;
    const char *image = c->program->contents.items[cell->memory].image;
    vector_push(arena, &instance->parameters, (ModuleParameter){"IMAGE", 0, image});
}

static bool is_written(const Construction *c, int index) {
    int port = port_index(&c->component->cells.items[index], "write_en");
    return c->ports[c->cells[index].first_port + port].driver_count > 0;
}

static void cell_declare(Construction *c, int index) {
    const Cell *cell = &c->component->cells.items[index];
    CellState *state = &c->cells[index];
    state->signal = state->done = state->instance = state->go = -1;
    if (!cell->primitive) {
        state->instance = instance_add(c->netlist, c->module, cell->name, cell->definition->name);
        Instance *instance = &c->module->instances.items[state->instance];
        instance->has_clock = instance->has_reset = true;
    } else if (cell_is_register(cell)) {
        if (!is_written(c, index)) return;
        int width = (int)cell->parameters[0];
        state->signal = signal_add(c->netlist, c->module, cell->name, SIGNAL_REGISTER, width);
        c->module->signals.items[state->signal].has_reset = cell->starts_at_zero;
    } else if (!cell->primitive->combinational) {
        state->instance = instance_add(c->netlist, c->module, cell->name, cell->primitive->name);
        Instance *instance = &c->module->instances.items[state->instance];
        instance->has_clock = true;
        parameters_add(c, cell, instance);
    }
}

static void register_define(Construction *c, int index) {
    const Cell *cell = &c->component->cells.items[index];
    Expression value = input_value(c, index, port_index(cell, "in"));
    Expression enable = input_value(c, index, port_index(cell, "write_en"));
    Signal *signal = &c->module->signals.items[c->cells[index].signal];
    signal->value = value;
    if (!expression_is_constant(c->module, enable, NULL))
        signal->enable = enable;
    else if (is_value(c, enable, 0))
        signal->value = signal_of(c, c->cells[index].signal);
}

/* Last, when all that is read is known. */
static void dones_define(Construction *c) {
    for (int i = 0; i < c->component->cells.count; i++) {
        if (c->cells[i].done < 0) continue;
        int port = port_index(&c->component->cells.items[i], "write_en");
        Expression written = input_value(c, i, port);
        c->module->signals.items[c->cells[i].done].value = written;
    }
}

static void connect(Construction *c, int instance, const char *port, Expression value) {
    Connection connection = {
        .port = port, .width = width_of(c, value), .value = value, .signal = -1};
    vector_push(c->netlist->arena, &c->module->instances.items[instance].connections, connection);
}

static bool is_cleared(const Construction *c, const Cell *cell) {
    return cell->memory >= 0 && c->program->contents.items[cell->memory].starts_at_zero;
}

/* 1 during a reset, from its second cycle on, and in the cycle after it. */
static int clearing_signal(Construction *c, const char *cell) {
    const char *name = string_format(c->netlist->arena, "%s_clear", cell);
    int signal = signal_add(c->netlist, c->module, name, SIGNAL_REGISTER, 1);
    c->module->signals.items[signal].has_reset = true;
    c->module->signals.items[signal].reset_value = 1;
    c->module->signals.items[signal].value = constant_of(c, 1, 0);
    return signal;
}

/* A port of a memory of one element that is 0 after a reset: 0 is written to it then. */
static Expression cleared_input(Construction *c, int clearing, PortInfo info, Expression own) {
    Expression clear = signal_of(c, clearing);
    if (!strcmp(info.name, "write_enable")) return or_of(c, clear, own);
    if (!string_starts(info.name, "write")) return own;
    return mux_of(c, clear, constant_of(c, info.width, 0), own);
}

static void instance_define(Construction *c, int index) {
    const Cell *cell = &c->component->cells.items[index];
    int instance = c->cells[index].instance;
    int clearing = is_cleared(c, cell) ? clearing_signal(c, cell->name) : -1;
    for (int i = 0; i < cell_port_count(cell); i++) {
        PortInfo info = cell_port_info(cell, i);
        if (info.direction == PORT_OUTPUT) {
            instance_output(c, index, info.name, info.width);
            continue;
        }
        Expression value = cell->external ? memory_input(c, index, i) : input_value(c, index, i);
        if (clearing >= 0) value = cleared_input(c, clearing, info, value);
        connect(c, instance, info.name, value);
    }
    if (cell->primitive) return;
    Expression go = c->cells[index].go;
    connect(c, instance, "go", go < 0 ? constant_of(c, 1, 0) : go);
    instance_output(c, index, "done", 1);
}

/* Connections in the order of the ports, whatever order they were made in. */
static void connections_sort(Construction *c, int index) {
    const Cell *cell = &c->component->cells.items[index];
    Instance *instance = &c->module->instances.items[c->cells[index].instance];
    for (int i = 1; i < instance->connections.count; i++) {
        Connection moved = instance->connections.items[i];
        int place = port_index(cell, moved.port), k = i;
        for (; k > 0 && port_index(cell, instance->connections.items[k - 1].port) > place; k--)
            instance->connections.items[k] = instance->connections.items[k - 1];
        instance->connections.items[k] = moved;
    }
}

static void cell_define(Construction *c, int index) {
    if (c->cells[index].signal >= 0) register_define(c, index);
    if (c->cells[index].instance < 0) return;
    instance_define(c, index);
    connections_sort(c, index);
}

/* --- sections: a nest and what belongs to it alone --- */

enum { SECTION_CONTROL = 1, SECTION_SHARED = 2, SECTION_GROUPS = 3 };

/* One section for each group with a comment. sections[g]: that of group g, or 0. */
static int *sections_make(Construction *c) {
    const Component *component = c->component;
    int *sections =
        arena_array(c->netlist->arena, (size_t)component->groups.count + 1, sizeof(int));
    section_begin(c->netlist, c->module, "control");
    section_begin(c->netlist, c->module, "shared units and memories");
    for (int g = 0; g < component->groups.count; g++) {
        const Group *group = &component->groups.items[g];
        if (!group->comment) continue;
        section_begin(c->netlist, c->module,
                      string_format(c->netlist->arena, "%s: %s", group->name, group->comment));
        sections[g] = c->module->section;
    }
    return sections;
}

/* The section of the only commented group that drives a cell; SHARED if there are more, or if it is
 * driven at all times. */
static int cell_section(const Construction *c, int index, const int *sections) {
    int found = 0;
    bool shared = c->component->cells.items[index].memory >= 0;
    for (int p = c->cells[index].first_port; p < c->cells[index + 1].first_port; p++) {
        for (int d = 0; d < c->ports[p].driver_count; d++) {
            int group = c->drivers[c->ports[p].first_driver + d].group;
            int section = group < 0 ? 0 : sections[group];
            if (section && found && section != found) return SECTION_SHARED;
            if (section) found = section;
            if (group < 0) shared = true;
        }
    }
    return shared ? SECTION_SHARED : found;
}

/* --- resets --- */

/* Marks the registers that an expression reads. */
static void mark_registers(Construction *c, Expression index, bool *seen) {
    if (index < 0 || seen[index]) return;
    seen[index] = true;
    const ExpressionNode *node = &c->module->expressions.items[index];
    if (node->kind == EXPRESSION_SIGNAL &&
        c->module->signals.items[node->signal].kind == SIGNAL_REGISTER)
        c->module->signals.items[node->signal].has_reset = true;
    for (int i = 0; i < expression_operands(node->kind); i++)
        mark_registers(c, node->operands[i], seen);
}

static bool is_data_input(const Instance *instance, const Connection *connection) {
    const Primitive *primitive = primitive_find(instance->module);
    if (!primitive) return false;
    for (int i = 0; i < primitive->port_count; i++)
        if (!strcmp(primitive->ports[i].name, connection->port)) return primitive->ports[i].is_data;
    return false;
}

/* A register starts at 0 only if that can matter to control: if it is read by an enable, a state,
 * an output, or by logic before one. Data registers are written before they are read. */
static void resets_choose(Construction *c) {
    Module *module = c->module;
    bool *seen =
        arena_array(c->netlist->arena, (size_t)module->expressions.count + 1, sizeof(bool));
    for (int s = 0; s < module->signals.count; s++) {
        const Signal *signal = &module->signals.items[s];
        mark_registers(c, signal->enable, seen);
        bool control = signal->kind == SIGNAL_OUTPUT || signal->section == SECTION_CONTROL;
        if (control) mark_registers(c, signal->value, seen);
    }
    for (int i = 0; i < module->instances.count; i++)
        for (int k = 0; k < module->instances.items[i].connections.count; k++) {
            const Connection *connection = &module->instances.items[i].connections.items[k];
            if (!connection->is_output && !is_data_input(&module->instances.items[i], connection))
                mark_registers(c, connection->value, seen);
        }
}

/* --- components --- */

static bool *timed_guards(Construction *c) {
    const Component *component = c->component;
    bool *timed = arena_array(c->netlist->arena, (size_t)component->guards.count, sizeof(bool));
    for (int i = 0; i < component->guards.count; i++) { /* operands come before */
        const Guard *guard = &component->guards.items[i];
        bool pair = guard->kind == GUARD_AND || guard->kind == GUARD_OR;
        timed[i] = guard->kind == GUARD_TIME ||
                   ((pair || guard->kind == GUARD_NOT) && timed[guard->operands[0]]) ||
                   (pair && timed[guard->operands[1]]);
    }
    return timed;
}

static void tables_make(Construction *c) {
    const Component *component = c->component;
    Arena *arena = c->netlist->arena;
    int cells = component->cells.count, ports = 0;
    c->cells = arena_array(arena, (size_t)cells + 1, sizeof *c->cells);
    for (int i = 0; i < cells; i++) {
        c->cells[i].first_port = ports;
        ports += cell_port_count(&component->cells.items[i]);
    }
    c->cells[cells].first_port = ports;
    ports += component->ports.count;
    c->ports = arena_array(arena, (size_t)ports + 1, sizeof *c->ports);
    for (int i = 0; i < ports; i++) c->ports[i].value = -1;
    c->guards = arena_array(arena, (size_t)component->guards.count, sizeof *c->guards);
    for (int i = 0; i < component->guards.count; i++) c->guards[i] = -1;
    c->guard_timed = timed_guards(c);
    c->groups = arena_array(arena, (size_t)component->groups.count + 1, sizeof *c->groups);
    for (int i = 0; i < component->groups.count; i++) c->groups[i].active = -1;
    drivers_collect(c);
}

/* Ports first, in the order of the component, so that port i is signal i. */
static void ports_declare(Construction *c) {
    const Component *component = c->component;
    for (int i = 0; i < component->ports.count; i++) {
        const ComponentPort *port = &component->ports.items[i];
        SignalKind kind = port->direction == PORT_INPUT ? SIGNAL_INPUT : SIGNAL_OUTPUT;
        signal_add(c->netlist, c->module, port->name, kind, port->width);
    }
}

static void outputs_define(Construction *c) {
    for (int i = 0; i < c->component->ports.count; i++)
        if (c->component->ports.items[i].direction == PORT_OUTPUT)
            c->module->signals.items[i].value = input_value(c, THIS, i);
}

static bool component_construct(const CalyxProgram *program, const Component *component,
                                Netlist *netlist, Diagnostics *diagnostics) {
    Construction c = {.program = program,
                      .component = component,
                      .netlist = netlist,
                      .module = module_new(netlist, component->name),
                      .diagnostics = diagnostics};
    tables_make(&c);
    ports_declare(&c);
    int *sections = sections_make(&c);
    c.module->section = 0;
    if (component == program->components.items[program->components.count - 1])
        host_ports_construct(&c);
    for (int i = 0; i < component->cells.count; i++) {
        c.module->section = cell_section(&c, i, sections);
        cell_declare(&c, i);
    }
    c.module->section = SECTION_CONTROL;
    control_construct(&c);
    for (int i = 0; i < component->cells.count; i++) {
        c.module->section = cell_section(&c, i, sections);
        cell_define(&c, i);
    }
    outputs_define(&c);
    c.module->section = SECTION_SHARED;
    host_outputs_define(&c);
    dones_define(&c);
    resets_choose(&c);
    return !c.failed;
}

Netlist *rtl_construct(const CalyxProgram *program, Arena *arena, Diagnostics *diagnostics) {
    Netlist *netlist = arena_new_of(arena, Netlist);
    netlist->arena = arena;
    for (int i = 0; i < program->components.count; i++)
        if (!component_construct(program, program->components.items[i], netlist, diagnostics))
            return NULL;
    netlist_simplify(netlist);
    return netlist_check(netlist, diagnostics, "construction") ? netlist : NULL;
}
