/* The invariants of Calyx programs, as calyx.h states them: cells, ports and assignments here,
 * control in check_control.c, drivers in check_drivers.c. */
#include "calyx/check.h"

#include <stdarg.h>
#include <string.h>

bool check_fault(Check *check, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Text text = text_new(check->arena);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return check->fine = error_at(check->diagnostics, check->status, check->component->name,
                                  "after %s: %s: %s", check->pass, name, text_string(&text));
}

/* --- cells --- */

/* Conditions that parameters of a primitive must meet. */
static void check_parameters(Check *check, const Cell *cell) {
    for (int i = 0; i < cell->primitive->port_count; i++)
        if (cell_port_info(cell, i).width < 1) check_fault(check, cell->name, "a port has no bits");
    int64_t in = cell_parameter(cell, "IN_WIDTH", 0), out = cell_parameter(cell, "OUT_WIDTH", 0);
    const char *name = cell->primitive->name;
    if (!strcmp(name, "std_slice") && out > in)
        check_fault(check, cell->name, "it is wider than what it slices");
    if (!strcmp(name, "tepal_bits") && cell_parameter(cell, "LOW", 0) + out > in)
        check_fault(check, cell->name, "it is wider than what it slices");
    if ((!strcmp(name, "std_pad") || !strcmp(name, "std_signext")) && out < in)
        check_fault(check, cell->name, "it is narrower than what it extends");
    int64_t left = cell_parameter(cell, "LEFT_WIDTH", 0),
            right = cell_parameter(cell, "RIGHT_WIDTH", 0);
    if (!strcmp(name, "std_cat") && left + right != out)
        check_fault(check, cell->name, "its widths do not add up");
    int64_t depth = cell_parameter(cell, "DEPTH", 0),
            address = cell_parameter(cell, "ADDRESS_WIDTH", 0);
    if (cell_parameter(cell, "DEPTH", 1) < 1 || (address < 63 && depth > (int64_t)1 << address))
        check_fault(check, cell->name, "its addresses do not reach all words");
}

static void check_memory(Check *check, const Cell *cell) {
    const CalyxProgram *program = check->program;
    bool rom = cell->primitive && !strcmp(cell->primitive->name, "tepal_rom");
    bool memory = cell->primitive && !strcmp(cell->primitive->name, "tepal_memory");
    if (cell->memory >= program->contents.count || (cell->memory >= 0 && !rom && !memory)) {
        check_fault(check, cell->name, "it holds no memory");
        return;
    }
    const MemoryContents *contents =
        cell->memory < 0 ? NULL : &program->contents.items[cell->memory];
    if (rom && (!contents || !contents->image))
        check_fault(check, cell->name, "the memory has no contents or no image");
    if (!cell->external) return;
    if (!memory || !contents) check_fault(check, cell->name, "only a memory can be external");
    if (check->component != program->components.items[program->components.count - 1])
        check_fault(check, cell->name, "only the top component has external memories");
}

static void check_instance(Check *check, const Cell *cell) {
    bool found = cell->component >= 0 && cell->component < check->program->components.count &&
                 check->program->components.items[cell->component] == cell->definition;
    for (int i = 0; found && check->program->components.items[i] != check->component; i++)
        if (i == cell->component) return;
    check_fault(check, cell->name, "it is an instance of no component before this one");
}

static void check_cells(Check *check) {
    for (int i = 0; i < check->component->cells.count; i++) {
        const Cell *cell = &check->component->cells.items[i];
        if (cell->primitive)
            check_parameters(check, cell);
        else
            check_instance(check, cell);
        check_memory(check, cell);
    }
}

/* --- names --- */

static void check_name(Check *check, NameSet *names, const char *name) {
    if (strcmp(names_unique(names, name), name))
        check_fault(check, name, "the name is taken, or is no identifier");
}

static void check_names(Check *check) {
    NameSet *names = names_new(check->arena);
    const Component *component = check->component;
    for (int i = 0; i < component->ports.count; i++)
        check_name(check, names, component->ports.items[i].name);
    for (int i = 0; i < component->cells.count; i++)
        check_name(check, names, component->cells.items[i].name);
    for (int i = 0; i < component->groups.count; i++)
        check_name(check, names, component->groups.items[i].name);
}

/* --- ports and guards --- */

static bool check_port(Check *check, Port port, PortDirection direction, const char *where) {
    const Component *component = check->component;
    int count = port.cell == THIS ? component->ports.count : 1;
    if (port.cell < LITERAL || port.cell >= component->cells.count)
        return check_fault(check, where, "it uses a cell that there is not");
    if (port.cell >= 0) count = cell_port_count(&component->cells.items[port.cell]);
    if (port.port < 0 || port.port >= count)
        return check_fault(check, where, "it uses a port that there is not");
    if (port.cell == LITERAL && (port.width > 64 || port.value > bits_mask(port.width)))
        return check_fault(check, where, "a number does not fit into its width");
    PortInfo info = port_info(component, port);
    if (info.width != port.width)
        return check_fault(check, where, "the width of %s is not %d", info.name, port.width);
    if (info.direction != direction)
        return check_fault(check, where,
                           direction == PORT_OUTPUT ? "%s cannot be read" : "%s cannot be driven",
                           info.name);
    return true;
}

static void check_guard(Check *check, int index) {
    const Guard *guard = &check->component->guards.items[index];
    bool pair = guard->kind == GUARD_AND || guard->kind == GUARD_OR;
    if ((pair || guard->kind == GUARD_NOT) &&
        (guard->operands[0] < 0 || guard->operands[0] >= index))
        check_fault(check, "a guard", "its operand does not come before it");
    if (pair && (guard->operands[1] < 0 || guard->operands[1] >= index))
        check_fault(check, "a guard", "its operand does not come before it");
    if (guard->kind == GUARD_PORT && check_port(check, guard->left, PORT_OUTPUT, "a guard") &&
        guard->left.width != 1)
        check_fault(check, "a guard", "it is not one bit");
    if (guard->kind == GUARD_COMPARE && check_port(check, guard->left, PORT_OUTPUT, "a guard") &&
        check_port(check, guard->right, PORT_OUTPUT, "a guard") &&
        guard->left.width != guard->right.width)
        check_fault(check, "a guard", "it compares different widths");
}

/* Cycles that a guard's timing asks for: the latency of its group must be at least this; -1: no
 * timing. */
static int guard_end(const Component *component, int index) {
    const Guard *guard = &component->guards.items[index];
    int left = -1, right = -1;
    if (guard->kind == GUARD_TIME)
        return guard->from < 0 || guard->to <= guard->from ? INT32_MAX : guard->to;
    if (guard->kind == GUARD_NOT || guard->kind == GUARD_AND || guard->kind == GUARD_OR)
        left = guard_end(component, guard->operands[0]);
    if (guard->kind == GUARD_AND || guard->kind == GUARD_OR)
        right = guard_end(component, guard->operands[1]);
    return left > right ? left : right;
}

static void check_timing(Check *check, int guard, int latency, const char *where) {
    if (guard < 0 || guard >= check->component->guards.count) {
        check_fault(check, where, "it uses a guard that there is not");
        return;
    }
    int end = guard_end(check->component, guard);
    if (end > latency) check_fault(check, where, "a guard's cycle is not one of the group's");
}

static void check_assignment(Check *check, const Assignment *assignment, int latency,
                             const char *where) {
    bool fine = check_port(check, assignment->destination, PORT_INPUT, where) &&
                check_port(check, assignment->source, PORT_OUTPUT, where);
    if (fine && assignment->destination.width != assignment->source.width)
        check_fault(check, where, "%s has %d bits and takes %d",
                    port_info(check->component, assignment->destination).name,
                    assignment->destination.width, assignment->source.width);
    check_timing(check, assignment->guard, latency, where);
}

static void check_groups(Check *check) {
    const Component *component = check->component;
    for (int i = 0; i < component->guards.count; i++) check_guard(check, i);
    for (int i = 0; i < component->continuous.count && check->fine; i++)
        check_assignment(check, &component->continuous.items[i], 0, "a continuous assignment");
    for (int g = 0; g < component->groups.count && check->fine; g++) {
        const Group *group = &component->groups.items[g];
        if (group->latency < 0) check_fault(check, group->name, "its latency is negative");
        for (int i = 0; i < group->assignments.count; i++)
            check_assignment(check, &group->assignments.items[i], group->latency, group->name);
        if (group->latency > 0) continue;
        if (check_port(check, group->done.source, PORT_OUTPUT, group->name) &&
            group->done.source.width != 1)
            check_fault(check, group->name, "its `done` is not one bit");
        check_timing(check, group->done.guard, 0, group->name);
    }
}

/* --- the program --- */

static bool component_check(const CalyxProgram *program, const Component *component,
                            Diagnostics *diagnostics, const char *pass, Status status) {
    Arena *arena = arena_new();
    Check check = {program, component, arena, diagnostics, pass, status, true};
    check_names(&check);
    check_cells(&check);
    if (check.fine) check_groups(&check);
    if (check.fine) check_control(&check);
    if (check.fine) check_drivers(&check);
    arena_free(arena);
    return check.fine;
}

static bool check_all(const CalyxProgram *program, Diagnostics *diagnostics, const char *pass,
                      Status status) {
    if (program->components.count == 0)
        return error_at(diagnostics, status, program->top, "after %s: there is no component", pass);
    const Component *last = program->components.items[program->components.count - 1];
    if (strcmp(program->top, last->name))
        return error_at(diagnostics, status, program->top,
                        "after %s: the last component is not the top", pass);
    for (int i = 0; i < program->components.count; i++)
        if (!component_check(program, program->components.items[i], diagnostics, pass, status))
            return false;
    return true;
}

bool calyx_check(const CalyxProgram *program, Diagnostics *diagnostics, const char *pass) {
    return check_all(program, diagnostics, pass, STATUS_INTERNAL);
}

bool calyx_check_text(const CalyxProgram *program, Diagnostics *diagnostics) {
    return check_all(program, diagnostics, "reading", STATUS_INPUT);
}
