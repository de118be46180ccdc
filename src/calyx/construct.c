/* From a scheduled program to Calyx: memories, groups and control.
 *
 * The program is one component. Each memory is a cell. Each nest is two static groups: one of a
 * single cycle that sets its odometer, and one of II cycles that is one turn of the pipeline and is
 * repeated trip count + stages - 1 times, so that the last iterations drain. Control is the static
 * seq of all nests, which makes the cycle count exact. */
#include "calyx/construction.h"

#include <assert.h>

int primitive_add(Construction *c, const char *name, const char *primitive, int count,
                  const int64_t *parameters) {
    return cell_add(c->calyx, c->component, names_unique(c->names, name), primitive, count,
                    parameters);
}

int register_add(Construction *c, const char *name, int width) {
    return primitive_add(c, name, "std_reg", 1, (int64_t[]){width});
}

Port register_out(const Construction *c, int cell) {
    return cell_port(c->component, cell, "out");
}

void register_write(Construction *c, int group, int cell, Port value, int guard) {
    assign(c->calyx, c->component, group, cell_port(c->component, cell, "in"), value, guard);
    assign(c->calyx, c->component, group, cell_port(c->component, cell, "write_en"), literal(1, 1),
           guard);
}

int slot_guard(NestConstruction *nest, int cycle) {
    int interval = nest->schedule->interval;
    if (interval == 1) return 0;
    int slot = cycle % interval;
    return guard_time(nest->construction->calyx, nest->construction->component, slot, slot + 1);
}

/* --- memories --- */

static void pack_construct(Construction *c, int index) {
    Pack *pack = &c->packs.items[index];
    Scalar type = c->schedule->program->memories.items[pack->first].type;
    int64_t parameters[] = {type.width, (int64_t)pack->words, bits_to_count(pack->words), 0};
    pack->cell = primitive_add(c, "constants", "tepal_rom", 4, parameters);
    Cell *cell = &c->component->cells.items[pack->cell];
    MemoryContents contents = {
        .tensor = cell->name,
        .type = type,
        .elements = pack->words,
        .data = pack_data(c, index),
        .image = string_format(c->calyx->arena, "%s.hex", cell->name),
    };
    cell->memory = c->calyx->contents.count;
    vector_push(c->calyx->arena, &c->calyx->contents, contents);
}

static void memory_construct(Construction *c, int index) {
    if (memory_is_description(c->schedule->program, index)) return; /* its banks are there */
    int pack = c->places[index].pack;
    if (pack >= 0) {
        if (c->packs.items[pack].cell < 0) pack_construct(c, pack);
        c->memory_cells[index] = c->packs.items[pack].cell;
        return;
    }
    const Memory *memory = &c->schedule->program->memories.items[index];
    if (memory_is_register(memory)) {
        c->memory_cells[index] = register_add(c, memory->name, memory->type.width);
        return;
    }
    Arena *arena = c->calyx->arena;
    size_t words = memory->elements > 0 ? memory->elements : 1; /* of a tensor with no elements */
    int width = bits_to_count(words);
    bool constant = memory->kind == MEMORY_CONSTANT;
    int64_t parameters[] = {memory->type.width, (int64_t)words, width, 0};
    int cell =
        primitive_add(c, memory->name, constant ? "tepal_rom" : "tepal_memory", 4, parameters);
    MemoryContents contents = {
        .tensor = memory->is_bank ? c->schedule->program->memories.items[memory->tensor].name
                                  : memory->name,
        .bank = memory->bank,
        .type = memory->type,
        .elements = memory->elements,
        .host_writes = memory->kind == MEMORY_INPUT && !memory->is_state,
        .host_reads = memory->kind == MEMORY_OUTPUT && !memory->is_state,
        .starts_at_zero = memory->kind == MEMORY_INPUT && memory->is_state && memory->elements == 1,
    };
    if (constant) {
        contents.data = memory->data;
        contents.image = string_format(arena, "%s.hex", c->component->cells.items[cell].name);
    }
    c->component->cells.items[cell].external = contents.host_writes || contents.host_reads;
    c->component->cells.items[cell].memory = c->calyx->contents.count;
    vector_push(arena, &c->calyx->contents, contents);
    c->memory_cells[index] = cell;
}

/* --- control --- */

static const char *nest_comment(Construction *c, const NestSchedule *schedule) {
    const Nest *nest = schedule->nest;
    Text text = text_new(c->calyx->arena);
    for (int l = nest->outer; l < nest->loop_count; l++)
        text_printf(&text, "%s%s %lld", l > nest->outer ? " x " : "", nest->loops[l].name,
                    (long long)nest->loops[l].trip);
    if (nest->outer == nest->loop_count) text_append(&text, "once");
    text_printf(&text, "; II %d, depth %d", schedule->interval, schedule->depth);
    return text_string(&text);
}

static Control *nest_construct(Construction *c, const Node *node) {
    CalyxProgram *calyx = c->calyx;
    const Nest *nest = node->nest;
    const NestSchedule *schedule = &c->schedule->nests[c->next_nest++];
    assert(schedule->nest == nest);
    NestConstruction state = {.construction = c, .schedule = schedule, .nest = nest};
    const char *name = names_unique(c->names, nest->name);
    state.start =
        group_add(calyx, c->component,
                  names_unique(c->names, string_format(calyx->arena, "%s_start", name)), 1);
    state.group = group_add(calyx, c->component, name, schedule->interval);
    c->component->groups.items[state.group].comment = nest_comment(c, schedule);
    odometer_construct(&state);
    datapath_construct(&state);

    Control *repeat = control_new(calyx, CONTROL_REPEAT, true);
    repeat->times = schedule->trip + schedule->stages - 1;
    vector_push(calyx->arena, &repeat->children, control_enable(calyx, state.group, true));
    Control *sequence = control_new(calyx, CONTROL_SEQUENCE, true);
    vector_push(calyx->arena, &sequence->children, control_enable(calyx, state.start, true));
    vector_push(calyx->arena, &sequence->children, repeat);
    return sequence;
}

static Control *node_construct(Construction *c, const Node *node);

/* A sequence is static as long as all of it is. The Calyx compiler does not take one that is static
 * and empty. */
static void add_step(Construction *c, Control *sequence, Control *step) {
    if (step->kind == CONTROL_EMPTY) return;
    sequence->is_static = sequence->is_static && step->is_static;
    vector_push(c->calyx->arena, &sequence->children, step);
}

static void children_construct(Construction *c, const Node *node, Control *sequence) {
    for (int i = 0; i < node->children.count; i++)
        add_step(c, sequence, node_construct(c, node->children.items[i]));
}

/* A sequential loop: enter, then body and advance, `trip` times. Its groups keep what the loop's
 * index contributes to the addresses of the nests inside. */
static Control *loop_construct(Construction *c, const Node *node) {
    CalyxProgram *calyx = c->calyx;
    const char *name = names_unique(c->names, node->loop.name);
    LoopGroups groups;
    groups.enter =
        group_add(calyx, c->component,
                  names_unique(c->names, string_format(calyx->arena, "%s_enter", name)), 1);
    groups.advance =
        group_add(calyx, c->component,
                  names_unique(c->names, string_format(calyx->arena, "%s_advance", name)), 1);
    vector_push(calyx->arena, &c->enclosing, groups);
    Control *turn = control_new(calyx, CONTROL_SEQUENCE, true);
    children_construct(c, node, turn);
    vector_push(calyx->arena, &turn->children, control_enable(calyx, groups.advance, true));
    c->enclosing.count--;

    Control *repeat = control_new(calyx, CONTROL_REPEAT, turn->is_static);
    repeat->times = node->loop.trip;
    vector_push(calyx->arena, &repeat->children, turn);
    Control *sequence = control_new(calyx, CONTROL_SEQUENCE, turn->is_static);
    vector_push(calyx->arena, &sequence->children, control_enable(calyx, groups.enter, true));
    vector_push(calyx->arena, &sequence->children, repeat);
    return sequence;
}

static Control *sequence_construct(Construction *c, const Node *node) {
    Control *sequence = control_new(c->calyx, CONTROL_SEQUENCE, true);
    children_construct(c, node, sequence);
    return sequence->children.count > 0 ? sequence : control_new(c->calyx, CONTROL_EMPTY, false);
}

/* A condition is in a register, which is what control looks at. */
static Port condition_of(const Construction *c, const Node *node) {
    return register_out(c, c->memory_cells[node->condition]);
}

/* A register with the negation of a condition, and the group that sets it. */
static Port negated_condition(Construction *c, const Node *node, Control **set) {
    CalyxProgram *calyx = c->calyx;
    Component *component = c->component;
    const char *name = c->schedule->program->memories.items[node->condition].name;
    int inverter =
        primitive_add(c, string_format(calyx->arena, "%s_not", name), "std_not", 1, (int64_t[]){1});
    int fails = register_add(c, string_format(calyx->arena, "%s_fails", name), 1);
    int group =
        group_add(calyx, component,
                  names_unique(c->names, string_format(calyx->arena, "negate_%s", name)), 1);
    assign(calyx, component, group, cell_port(component, inverter, "in"), condition_of(c, node), 0);
    register_write(c, group, fails, cell_port(component, inverter, "out"), 0);
    *set = control_enable(calyx, group, true);
    return register_out(c, fails);
}

/* The Calyx compiler does not take one whose first branch is empty. */
static Control *if_construct(Construction *c, const Node *node) {
    Arena *arena = c->calyx->arena;
    Control *branch = control_new(c->calyx, CONTROL_IF, false);
    Control *yes = node_construct(c, node->children.items[0]);
    Control *no = node_construct(c, node->children.items[1]);
    if (yes->kind != CONTROL_EMPTY) {
        branch->condition = condition_of(c, node);
        vector_push(arena, &branch->children, yes);
        if (no->kind != CONTROL_EMPTY) vector_push(arena, &branch->children, no);
        return branch;
    }
    if (no->kind == CONTROL_EMPTY) return no;
    Control *set, *sequence = control_new(c->calyx, CONTROL_SEQUENCE, false);
    branch->condition = negated_condition(c, node, &set);
    vector_push(arena, &branch->children, no);
    vector_push(arena, &sequence->children, set);
    vector_push(arena, &sequence->children, branch);
    return sequence;
}

/* before; while it holds: do, before. What computes the condition is enabled at both places, but
 * made once. */
static Control *while_construct(Construction *c, const Node *node) {
    Control *loop = control_new(c->calyx, CONTROL_WHILE, false);
    loop->condition = condition_of(c, node);
    Control *before = node_construct(c, node->children.items[0]);
    Control *turn = node_construct(c, node->children.items[1]);
    Control *sequence = control_new(c->calyx, CONTROL_SEQUENCE, false);
    add_step(c, sequence, before);
    add_step(c, sequence, loop);
    Control *again = control_new(c->calyx, CONTROL_SEQUENCE, false);
    add_step(c, again, turn);
    add_step(c, again, before);
    vector_push(c->calyx->arena, &loop->children, again);
    return sequence;
}

static Control *node_construct(Construction *c, const Node *node) {
    static Control *(*const makers[])(Construction *, const Node *) = {
        [NODE_SEQUENCE] = sequence_construct, [NODE_NEST] = nest_construct,
        [NODE_LOOP] = loop_construct,         [NODE_IF] = if_construct,
        [NODE_WHILE] = while_construct,
    };
    return makers[node->kind](c, node);
}

CalyxProgram *calyx_construct(const Schedule *schedule, Arena *arena, Diagnostics *diagnostics) {
    const Program *program = schedule->program;
    CalyxProgram *calyx = arena_new_of(arena, CalyxProgram);
    calyx->arena = arena;
    calyx->top = program->name;
    Construction c = {.schedule = schedule,
                      .calyx = calyx,
                      .component = component_new(calyx, program->name),
                      .names = names_new(arena),
                      .diagnostics = diagnostics};
    names_unique(c.names, program->name); /* a cell must not be called like its module */
    c.memory_cells = arena_array(arena, (size_t)program->memories.count + 1, sizeof(int));
    constants_pack(&c);
    for (int m = 0; m < program->memories.count; m++) memory_construct(&c, m);
    c.component->control = node_construct(&c, program->root);
    if (diagnostics_failed(diagnostics) || !calyx_check(calyx, diagnostics, "construction"))
        return NULL;
    return calyx;
}
