/* The odometer of a nest: loop counters, the valid bit, and registers that follow affine
 * expressions.
 *
 * Each loop has a counter and a bit that says that the counter stands at its last value; the bit is
 * computed one step ahead, so that no comparison stands in the way of a carry. A loop advances when
 * all loops inside it are at their last value. An affine expression is a register that adds, at
 * each step, a constant chosen by the outermost loop that advances:
 *
 *     step[l] = c[l] - sum over loops m inside l of c[m] x (trip[m] - 1)
 *
 * so that no address needs a multiplication. The registers run on while the pipeline drains; the
 * valid bit tells which iterations count. */
#include "calyx/construction.h"

static const Loop *own_loop(const NestConstruction *nest, int loop) {
    return &nest->nest->loops[nest->nest->outer + loop];
}

static int own_loop_count(const NestConstruction *nest) {
    return nest->nest->loop_count - nest->nest->outer;
}

static CalyxProgram *calyx_of(const NestConstruction *nest) {
    return nest->construction->calyx;
}

/* The guard under which the odometer moves: the last cycle of an iteration. */
static int step_slot(NestConstruction *nest) {
    return slot_guard(nest, nest->schedule->interval - 1);
}

static int and_guards(NestConstruction *nest, int left, int right) {
    return guard_and(calyx_of(nest), nest->construction->component, left, right);
}

static const char *loop_name(const NestConstruction *nest, int loop, const char *what) {
    return string_format(calyx_of(nest)->arena, "%s_%s%s", nest->nest->name,
                         own_loop(nest, loop)->name, what);
}

/* Counter and last-value bit of one loop; its carry guard is known already. */
static void loop_counter(NestConstruction *nest, int loop) {
    Construction *c = nest->construction;
    Component *component = c->component;
    int64_t trip = own_loop(nest, loop)->trip;
    int width = bits_to_count((uint64_t)trip);
    int counter = register_add(c, loop_name(nest, loop, ""), width);
    int last = register_add(c, loop_name(nest, loop, "_last"), 1);
    int add = primitive_add(c, loop_name(nest, loop, "_next"), "std_add", 1, (int64_t[]){width});
    int next_last =
        primitive_add(c, loop_name(nest, loop, "_next_last"), "std_eq", 1, (int64_t[]){width});

    int carry = nest->carries[loop];
    int wraps = guard_port(c->calyx, component, register_out(c, last));
    int goes_on = guard_not(c->calyx, component, wraps);
    int moves = and_guards(nest, step_slot(nest), carry);

    assign(c->calyx, component, nest->group, cell_port(component, add, "left"),
           register_out(c, counter), 0);
    assign(c->calyx, component, nest->group, cell_port(component, add, "right"), literal(width, 1),
           0);
    assign(c->calyx, component, nest->group, cell_port(component, next_last, "left"),
           register_out(c, counter), 0);
    assign(c->calyx, component, nest->group, cell_port(component, next_last, "right"),
           literal(width, (Bits)(trip - 2)), 0);

    Port in = cell_port(component, counter, "in");
    assign(c->calyx, component, nest->group, in, cell_port(component, add, "out"), goes_on);
    assign(c->calyx, component, nest->group, in, literal(width, 0), wraps);
    assign(c->calyx, component, nest->group, cell_port(component, counter, "write_en"),
           literal(1, 1), moves);
    register_write(c, nest->group, last, cell_port(component, next_last, "out"), moves);

    register_write(c, nest->start, counter, literal(width, 0), 0);
    register_write(c, nest->start, last, literal(1, 0), 0);
    nest->counters[loop] = counter;
    nest->lasts[loop] = last;
    nest->steps[loop] = and_guards(nest, carry, goes_on);
}

/* The valid bit of stage 0: set at the start, cleared after the last iteration. */
static void stage_valid(NestConstruction *nest, int all_last) {
    Construction *c = nest->construction;
    const char *name = string_format(c->calyx->arena, "%s_valid", nest->nest->name);
    int valid = register_add(c, name, 1);
    register_write(c, nest->start, valid, literal(1, 1), 0);
    register_write(c, nest->group, valid, literal(1, 0),
                   and_guards(nest, step_slot(nest), all_last));
    vector_push(c->calyx->arena, &nest->valid, register_out(c, valid));
}

void odometer_construct(NestConstruction *nest) {
    Construction *c = nest->construction;
    Arena *arena = c->calyx->arena;
    int count = own_loop_count(nest);
    size_t room = (size_t)(count > 0 ? count : 1);
    nest->counters = arena_array(arena, room, sizeof(int));
    nest->lasts = arena_array(arena, room, sizeof(int));
    nest->steps = arena_array(arena, room, sizeof(int));
    nest->carries = arena_array(arena, room, sizeof(int));
    int carry = 0; /* the innermost loop always advances */
    for (int l = count - 1; l >= 0; l--) {
        nest->carries[l] = carry;
        nest->counters[l] = -1;
        if (own_loop(nest, l)->trip < 2) continue;
        loop_counter(nest, l);
        carry = and_guards(nest, carry,
                           guard_port(c->calyx, c->component, register_out(c, nest->lasts[l])));
    }
    stage_valid(nest, carry);
}

Port valid_in_stage(NestConstruction *nest, int stage) {
    Construction *c = nest->construction;
    while (nest->valid.count <= stage) {
        int s = nest->valid.count;
        int cell =
            register_add(c, string_format(c->calyx->arena, "%s_valid_%d", nest->nest->name, s), 1);
        register_write(c, nest->start, cell, literal(1, 0), 0);
        register_write(c, nest->group, cell, nest->valid.items[s - 1], step_slot(nest));
        vector_push(c->calyx->arena, &nest->valid, register_out(c, cell));
    }
    return nest->valid.items[stage];
}

static int64_t coefficient(const Affine *affine, int loop) {
    return affine->coefficients ? affine->coefficients[loop] : 0;
}

static bool affine_equal(const NestConstruction *nest, const Affine *a, const Affine *b) {
    if (a->constant != b->constant) return false;
    for (int l = 0; l < nest->nest->loop_count; l++)
        if (coefficient(a, l) != coefficient(b, l)) return false;
    return true;
}

/* What the expression adds when own loop `loop` advances and all inside it wrap. */
static int64_t step_of(const NestConstruction *nest, const Affine *affine, int loop) {
    int64_t step = coefficient(affine, nest->nest->outer + loop);
    for (int m = loop + 1; m < own_loop_count(nest); m++)
        step -= coefficient(affine, nest->nest->outer + m) * (own_loop(nest, m)->trip - 1);
    return step;
}

static Bits modulo(int64_t value, int width) {
    return (Bits)value & bits_mask(width);
}

/* What enclosing loop `loop` contributes: a register that its groups keep. */
static Port enclosing_part(NestConstruction *nest, const Affine *affine, int loop, int width,
                           const char *name) {
    Construction *c = nest->construction;
    LoopGroups groups = c->enclosing.items[loop];
    const char *stem = string_format(c->calyx->arena, "%s_%s", name, nest->nest->loops[loop].name);
    int part = register_add(c, stem, width);
    int add = primitive_add(c, string_format(c->calyx->arena, "%s_next", stem), "std_add", 1,
                            (int64_t[]){width});
    assign(c->calyx, c->component, groups.advance, cell_port(c->component, add, "left"),
           register_out(c, part), 0);
    assign(c->calyx, c->component, groups.advance, cell_port(c->component, add, "right"),
           literal(width, modulo(coefficient(affine, loop), width)), 0);
    register_write(c, groups.advance, part, cell_port(c->component, add, "out"), 0);
    register_write(c, groups.enter, part, literal(width, 0), 0);
    return register_out(c, part);
}

/* The value at the nest's first iteration, for the start group. */
static Port first_value(NestConstruction *nest, const Affine *affine, int width, const char *name) {
    Construction *c = nest->construction;
    Port value = literal(width, modulo(affine->constant, width));
    for (int l = 0; l < nest->nest->outer; l++) {
        if (coefficient(affine, l) == 0) continue;
        Port part = enclosing_part(nest, affine, l, width, name);
        int add = primitive_add(c, string_format(c->calyx->arena, "%s_first", name), "std_add", 1,
                                (int64_t[]){width});
        assign(c->calyx, c->component, nest->start, cell_port(c->component, add, "left"), value, 0);
        assign(c->calyx, c->component, nest->start, cell_port(c->component, add, "right"), part, 0);
        value = cell_port(c->component, add, "out");
    }
    return value;
}

static bool has_counters(const NestConstruction *nest) {
    for (int l = 0; l < own_loop_count(nest); l++)
        if (nest->counters[l] >= 0) return true;
    return false;
}

/* The register of `affine` takes a step with each iteration. */
static void advance_register(NestConstruction *nest, const Affine *affine, int cell, int width,
                             const char *name) {
    Construction *c = nest->construction;
    int add = primitive_add(c, string_format(c->calyx->arena, "%s_next", name), "std_add", 1,
                            (int64_t[]){width});
    assign(c->calyx, c->component, nest->group, cell_port(c->component, add, "left"),
           register_out(c, cell), 0);
    Port right = cell_port(c->component, add, "right");
    for (int l = 0; l < own_loop_count(nest); l++)
        if (nest->counters[l] >= 0)
            assign(c->calyx, c->component, nest->group, right,
                   literal(width, modulo(step_of(nest, affine, l), width)), nest->steps[l]);
    register_write(c, nest->group, cell, cell_port(c->component, add, "out"), step_slot(nest));
}

/* A register that follows `affine`. In a nest without a loop of its own it keeps its first value.
 */
static Port affine_register(NestConstruction *nest, const Affine *affine, int width,
                            const char *name) {
    Construction *c = nest->construction;
    int cell = register_add(c, name, width);
    register_write(c, nest->start, cell, first_value(nest, affine, width, name), 0);
    if (has_counters(nest)) advance_register(nest, affine, cell, width, name);
    return register_out(c, cell);
}

/* The counter of the one loop that `affine` is equal to, or -1. */
static int plain_counter(const NestConstruction *nest, const Affine *affine) {
    int found = -1;
    if (affine->constant != 0) return -1;
    for (int l = 0; l < nest->nest->loop_count; l++) {
        if (coefficient(affine, l) == 0) continue;
        if (found >= 0 || l < nest->nest->outer || coefficient(affine, l) != 1) return -1;
        found = l - nest->nest->outer;
    }
    return found >= 0 ? nest->counters[found] : -1;
}

static bool is_constant(const NestConstruction *nest, const Affine *affine) {
    for (int l = 0; l < nest->nest->loop_count; l++)
        if (coefficient(affine, l) != 0 && (l < nest->nest->outer || nest->nest->loops[l].trip > 1))
            return false;
    return true;
}

/* The port of an induction, from what costs least. */
static Port induction_port(NestConstruction *nest, const Affine *affine, int width,
                           const char *name) {
    Construction *c = nest->construction;
    if (is_constant(nest, affine)) return literal(width, modulo(affine->constant, width));
    int counter = plain_counter(nest, affine);
    if (counter < 0) return affine_register(nest, affine, width, name);
    Port value = register_out(c, counter);
    if (value.width == width) return value;
    const char *primitive = value.width < width ? "std_pad" : "std_slice";
    int cell = primitive_add(c, name, primitive, 2, (int64_t[]){value.width, width});
    assign(c->calyx, c->component, nest->group, cell_port(c->component, cell, "in"), value, 0);
    return cell_port(c->component, cell, "out");
}

int induction_of(NestConstruction *nest, const Affine *affine, int width, const char *name) {
    for (int i = 0; i < nest->inductions.count; i++)
        if (nest->inductions.items[i].width == width &&
            affine_equal(nest, &nest->inductions.items[i].affine, affine))
            return i;
    Port port = induction_port(nest, affine, width, name);
    Arena *arena = calyx_of(nest)->arena;
    vector_push(arena, &nest->inductions, (Induction){*affine, width, port});
    vector_push(arena, &nest->address_chains,
                (ValueChain){.source = port, .ready = -1, .made = true, .name = name});
    return nest->inductions.count - 1;
}
