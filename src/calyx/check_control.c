/* The invariants of control: shapes, and that static control takes a known number of cycles. */
#include "calyx/check.h"

static bool is_group(const Check *check, int group) {
    return group >= 0 && group < check->component->groups.count;
}

/* Number of children that a kind has; -1: any. */
static const int child_counts[] = {
    [CONTROL_EMPTY] = 0,  [CONTROL_ENABLE] = 0, [CONTROL_SEQUENCE] = -1, [CONTROL_PARALLEL] = -1,
    [CONTROL_REPEAT] = 1, [CONTROL_IF] = -1,    [CONTROL_WHILE] = 1,     [CONTROL_INVOKE] = 0,
};

/* A condition is looked at in the cycle before the branch starts, as it will be then: only of
 * registers is that known. */
static void check_condition(Check *check, Port condition) {
    const Component *component = check->component;
    bool fine = condition.width == 1;
    if (condition.cell == THIS) {
        fine = fine && condition.port >= 0 && condition.port < component->ports.count &&
               component->ports.items[condition.port].direction == PORT_INPUT;
    } else {
        fine = fine && condition.cell >= 0 && condition.cell < component->cells.count;
        const Cell *cell = fine ? &component->cells.items[condition.cell] : NULL;
        fine = fine && cell->primitive && cell->primitive == primitive_find("std_reg") &&
               port_equal(condition, cell_port(component, condition.cell, "out"));
    }
    if (!fine)
        check_fault(check, "control", "a condition is not one bit of a register or an input");
}

static void check_leaf(Check *check, const Control *control) {
    if (control->kind == CONTROL_ENABLE) {
        if (!is_group(check, control->group)) {
            check_fault(check, "control", "it enables a group that there is not");
        } else if (control->is_static !=
                   (check->component->groups.items[control->group].latency > 0)) {
            check_fault(check, check->component->groups.items[control->group].name,
                        "the group is %s where control is %s",
                        control->is_static ? "dynamic" : "static",
                        control->is_static ? "static" : "dynamic");
        }
        return;
    }
    const Component *component = check->component;
    bool found = control->cell >= 0 && control->cell < component->cells.count &&
                 component->cells.items[control->cell].definition;
    if (!found) check_fault(check, "control", "it invokes what is no component");
}

static void check_node(Check *check, const Control *control, bool in_static) {
    int wanted = child_counts[control->kind], count = control->children.count;
    bool can_be_static = control->kind != CONTROL_WHILE && control->kind != CONTROL_INVOKE;
    if ((wanted >= 0 && count != wanted) ||
        (control->kind == CONTROL_IF && (count < 1 || count > 2)))
        check_fault(check, "control", "a statement has %d children", count);
    if (in_static && !control->is_static && control->kind != CONTROL_EMPTY)
        check_fault(check, "control", "dynamic control in static control");
    if (control->is_static && !can_be_static)
        check_fault(check, "control", "a while or invoke is static");
    if (control->kind == CONTROL_ENABLE || control->kind == CONTROL_INVOKE)
        check_leaf(check, control);
    if (control->kind == CONTROL_REPEAT && control->times < 1)
        check_fault(check, "control", "a repeat has no turn");
    if (control->kind == CONTROL_IF || control->kind == CONTROL_WHILE)
        check_condition(check, control->condition);
    for (int i = 0; i < count; i++)
        check_node(check, control->children.items[i],
                   control->is_static && control->kind != CONTROL_EMPTY);
}

void check_control(Check *check) {
    if (!check->component->control)
        check_fault(check, "control", "there is none");
    else
        check_node(check, check->component->control, false);
}

/* --- groups that may be active in the same cycle --- */

static bool has_parallel(const Control *control) {
    if (control->kind == CONTROL_PARALLEL && control->children.count > 1) return true;
    for (int i = 0; i < control->children.count; i++)
        if (has_parallel(control->children.items[i])) return true;
    return false;
}

static void mark_groups(const Control *control, bool *marks) {
    if (control->kind == CONTROL_ENABLE) marks[control->group] = true;
    for (int i = 0; i < control->children.count; i++)
        mark_groups(control->children.items[i], marks);
}

/* Groups of one child of a parallel overlap those of every other child. */
static void mark_overlaps(const Check *check, const Control *control, bool *overlap) {
    int groups = check->component->groups.count;
    for (int i = 0; i < control->children.count; i++)
        mark_overlaps(check, control->children.items[i], overlap);
    if (control->kind != CONTROL_PARALLEL) return;
    for (int i = 0; i < control->children.count; i++) {
        bool *one = arena_array(check->arena, (size_t)groups, sizeof(bool));
        bool *others = arena_array(check->arena, (size_t)groups, sizeof(bool));
        mark_groups(control->children.items[i], one);
        for (int k = 0; k < control->children.count; k++)
            if (k != i) mark_groups(control->children.items[k], others);
        for (int a = 0; a < groups; a++)
            for (int b = 0; one[a] && b < groups; b++)
                if (others[b]) overlap[a * groups + b] = true;
    }
}

const bool *groups_overlap(Check *check) {
    int groups = check->component->groups.count;
    if (groups == 0 || !has_parallel(check->component->control)) return NULL;
    bool *overlap = arena_array(check->arena, (size_t)groups, (size_t)groups);
    mark_overlaps(check, check->component->control, overlap);
    return overlap;
}
