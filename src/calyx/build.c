/* Construction of Calyx programs. */
#include "calyx/calyx.h"

#include <assert.h>
#include <string.h>

/* --- components and cells --- */

Component *component_new(CalyxProgram *program, const char *name) {
    Component *component = arena_new_of(program->arena, Component);
    component->name = name;
    component->control = control_new(program, CONTROL_EMPTY, true);
    vector_push(program->arena, &component->guards, (Guard){.kind = GUARD_TRUE});
    vector_push(program->arena, &program->components, component);
    return component;
}

Port component_port_add(CalyxProgram *program, Component *component, const char *name,
                        PortDirection direction, int width) {
    vector_push(program->arena, &component->ports, (ComponentPort){name, direction, width});
    return (Port){.cell = THIS, .port = component->ports.count - 1, .width = width};
}

int cell_add(CalyxProgram *program, Component *component, const char *name, const char *primitive,
             int parameter_count, const int64_t *parameters) {
    Cell cell = {
        .name = name, .primitive = primitive_find(primitive), .component = -1, .memory = -1};
    assert(cell.primitive && cell.primitive->parameter_count == parameter_count);
    memcpy(cell.parameters, parameters, (size_t)parameter_count * sizeof *parameters);
    vector_push(program->arena, &component->cells, cell);
    return component->cells.count - 1;
}

int cell_add_instance(CalyxProgram *program, Component *component, const char *name, int of) {
    Cell cell = {.name = name, .component = of, .memory = -1};
    cell.definition = program->components.items[of];
    vector_push(program->arena, &component->cells, cell);
    return component->cells.count - 1;
}

/* --- ports --- */

int cell_port_count(const Cell *cell) {
    return cell->primitive ? cell->primitive->port_count : cell->definition->ports.count;
}

PortInfo cell_port_info(const Cell *cell, int port) {
    if (!cell->primitive) {
        const ComponentPort *found = &cell->definition->ports.items[port];
        return (PortInfo){found->name, found->direction, found->width, false};
    }
    const PrimitivePort *found = &cell->primitive->ports[port];
    int width = found->width < 0 ? (int)cell->parameters[-found->width - 1] : found->width;
    return (PortInfo){found->name, found->direction, width, found->is_data};
}

PortInfo port_info(const Component *component, Port port) {
    if (port.cell >= 0) return cell_port_info(&component->cells.items[port.cell], port.port);
    if (port.cell == LITERAL) return (PortInfo){"literal", PORT_OUTPUT, port.width, false};
    /* Seen from inside, an input of the component is a source. */
    const ComponentPort *found = &component->ports.items[port.port];
    PortDirection direction = found->direction == PORT_INPUT ? PORT_OUTPUT : PORT_INPUT;
    return (PortInfo){found->name, direction, found->width, false};
}

Port cell_port(const Component *component, int cell, const char *name) {
    const Cell *owner = &component->cells.items[cell];
    for (int i = 0; i < cell_port_count(owner); i++) {
        PortInfo info = cell_port_info(owner, i);
        if (!strcmp(info.name, name)) return (Port){.cell = cell, .port = i, .width = info.width};
    }
    assert(false && "the cell has no such port");
    return (Port){.cell = LITERAL, .width = 1};
}

Port literal(int width, Bits value) {
    return (Port){.cell = LITERAL, .width = width, .value = value & bits_mask(width)};
}

bool port_equal(Port a, Port b) {
    if (a.cell != b.cell || a.width != b.width) return false;
    return a.cell == LITERAL ? a.value == b.value : a.port == b.port;
}

/* --- groups and assignments --- */

int group_add(CalyxProgram *program, Component *component, const char *name, int latency) {
    Group group = {.name = name, .latency = latency, .done = {.source = literal(1, 0)}};
    vector_push(program->arena, &component->groups, group);
    return component->groups.count - 1;
}

void assign(CalyxProgram *program, Component *component, int group, Port destination, Port source,
            int guard) {
    Assignment assignment = {destination, source, guard};
    if (group < 0)
        vector_push(program->arena, &component->continuous, assignment);
    else
        vector_push(program->arena, &component->groups.items[group].assignments, assignment);
}

void group_done(Component *component, int group, Port source, int guard) {
    component->groups.items[group].done = (Assignment){.source = source, .guard = guard};
}

/* --- guards --- */

static int guard_add(CalyxProgram *program, Component *component, Guard guard) {
    vector_push(program->arena, &component->guards, guard);
    return component->guards.count - 1;
}

int guard_port(CalyxProgram *program, Component *component, Port port) {
    return guard_add(program, component, (Guard){.kind = GUARD_PORT, .left = port});
}

int guard_not(CalyxProgram *program, Component *component, int guard) {
    const Guard *inner = &component->guards.items[guard];
    if (inner->kind == GUARD_NOT) return inner->operands[0];
    return guard_add(program, component, (Guard){.kind = GUARD_NOT, .operands = {guard, 0}});
}

int guard_and(CalyxProgram *program, Component *component, int left, int right) {
    if (left == 0 || left == right) return right;
    if (right == 0) return left;
    return guard_add(program, component, (Guard){.kind = GUARD_AND, .operands = {left, right}});
}

int guard_or(CalyxProgram *program, Component *component, int left, int right) {
    if (left == 0 || left == right) return left;
    if (right == 0) return right;
    return guard_add(program, component, (Guard){.kind = GUARD_OR, .operands = {left, right}});
}

int guard_compare(CalyxProgram *program, Component *component, Port left, GuardCondition condition,
                  Port right) {
    Guard guard = {.kind = GUARD_COMPARE, .condition = condition, .left = left, .right = right};
    return guard_add(program, component, guard);
}

int guard_time(CalyxProgram *program, Component *component, int from, int to) {
    return guard_add(program, component, (Guard){.kind = GUARD_TIME, .from = from, .to = to});
}

/* --- control --- */

Control *control_new(CalyxProgram *program, ControlKind kind, bool is_static) {
    Control *control = arena_new_of(program->arena, Control);
    control->kind = kind;
    control->is_static = is_static;
    control->group = control->cell = -1;
    return control;
}

Control *control_enable(CalyxProgram *program, int group, bool is_static) {
    Control *control = control_new(program, CONTROL_ENABLE, is_static);
    control->group = group;
    return control;
}

void control_append(CalyxProgram *program, Control *control, Control *child) {
    vector_push(program->arena, &control->children, child);
}

int64_t control_cycles(const Component *component, const Control *control) {
    int64_t cycles = 0;
    switch (control->kind) {
    case CONTROL_ENABLE: return component->groups.items[control->group].latency;
    case CONTROL_SEQUENCE:
        for (int i = 0; i < control->children.count; i++)
            cycles += control_cycles(component, control->children.items[i]);
        return cycles;
    case CONTROL_PARALLEL:
    case CONTROL_IF: /* static: the shorter branch waits for the longer one */
        for (int i = 0; i < control->children.count; i++) {
            int64_t child = control_cycles(component, control->children.items[i]);
            cycles = child > cycles ? child : cycles;
        }
        return cycles;
    case CONTROL_REPEAT:
        return control->times * control_cycles(component, control->children.items[0]);
    default: return 0;
    }
}
