/* calyx_check: small programs are right; each way of breaking one is found and named. Also the
 * table of primitives, and control_cycles. */
#include "unit.h"
#include "hardware_run.h"
#include "calyx_programs.h"

/* --- programs that are right --- */

static void test_right(void **state) {
    Unit *unit = *state;
    for (int i = 0; i < PROGRAM_CASES; i++) {
        Build b = build_new(unit->arena);
        program_cases[i].build(&b);
        if (!calyx_check(b.program, unit->diagnostics, "the test"))
            fail_msg("%s", unit_messages(unit));
        if (b.top->control->is_static)
            assert_int_equal(control_cycles(b.top, b.top->control), program_cases[i].cycles);
    }
}

/* --- programs that are wrong --- */

static Assignment *first_assignment(Build *b, int g) {
    return &b->top->groups.items[g].assignments.items[0];
}

static void width_differs(Build *b) {
    first_assignment(b, 0)->source = literal(WORD + 1, 0);
}
static void reads_an_input(Build *b) {
    first_assignment(b, 0)->source = port(b, 1, "in");
}
static void drives_an_output(Build *b) {
    first_assignment(b, 0)->destination = out(b, 1);
}
static void cell_is_missing(Build *b) {
    first_assignment(b, 0)->source.cell = 99;
}
static void port_is_missing(Build *b) {
    first_assignment(b, 0)->source.port = 9;
}
static void number_is_too_large(Build *b) {
    Port *source = &first_assignment(b, 0)->source;
    *source = literal(WORD, 1);
    source->value = 0x10000;
}
static void name_is_taken(Build *b) {
    b->top->groups.items[0].name = b->top->cells.items[1].name;
}
static void name_is_no_identifier(Build *b) {
    b->top->cells.items[1].name = "a b";
}

static void driven_twice(Build *b) {
    set(b, 0, 1, "in", literal(WORD, 1), 0);
}
static void driven_twice_guarded(Build *b) {
    int one = guard_port(b->program, b->top, port(b, 1, "done"));
    int add = cell(b, "other", "std_add", WORD);
    set(b, 0, add, "left", literal(WORD, 1), one);
    set(b, 0, add, "left", literal(WORD, 2), guard_and(b->program, b->top, one, one));
}
static void driven_from_outside(Build *b) {
    set(b, -1, 1, "in", literal(WORD, 1), 0);
}
static void slots_meet(Build *b) {
    int g = group(b, "late", 4), add = cell(b, "other", "std_add", WORD);
    set(b, g, add, "left", literal(WORD, 1), guard_time(b->program, b->top, 0, 2));
    set(b, g, add, "left", literal(WORD, 2), guard_time(b->program, b->top, 1, 3));
}
static void parallel_groups_meet(Build *b) {
    int g = group(b, "beside", 1);
    put(b, g, 1, literal(WORD, 1), 0);
    b->top->control = BLOCK(b, CONTROL_PARALLEL, true, enable(b, 0), enable(b, g));
}
static void combinational_cycle(Build *b) {
    int a = cell(b, "a", "std_add", WORD), c = cell(b, "c", "std_add", WORD);
    set(b, 0, a, "left", out(b, c), 0);
    set(b, 1, c, "left", out(b, a), 0);
}
static void cycle_through_a_unit(Build *b) {
    int a = cell_add(b->program, b->top, "a", "tepal_float_add", 3, (int64_t[]){16, 5, 0});
    set(b, 0, a, "left", out(b, a), 0);
}

static void time_outside_the_group(Build *b) {
    first_assignment(b, 0)->guard = guard_time(b->program, b->top, 1, 2);
}
static void time_without_a_group(Build *b) {
    int add = cell(b, "other", "std_add", WORD);
    set(b, -1, add, "left", literal(WORD, 1), guard_time(b->program, b->top, 0, 1));
}
static void guard_is_wide(Build *b) {
    first_assignment(b, 0)->guard = guard_port(b->program, b->top, out(b, 1));
}
static void guard_compares_widths(Build *b) {
    first_assignment(b, 0)->guard =
        guard_compare(b->program, b->top, out(b, 1), GUARD_EQ, literal(3, 1));
}

static void dynamic_in_static(Build *b) {
    int g = group(b, "waits", 0);
    group_done(b->top, g, literal(1, 1), 0);
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, true, control_enable(b->program, g, false));
}
static void static_enable_of_a_dynamic_group(Build *b) {
    int g = group(b, "waits", 0);
    b->top->control = control_enable(b->program, g, true);
}
static void static_while(Build *b) {
    int flag = reg(b, "flag", 1);
    b->top->control = BLOCK(b, CONTROL_WHILE, true, enable(b, 0));
    b->top->control->condition = out(b, flag);
}
static void group_is_missing(Build *b) {
    b->top->control = control_enable(b->program, 77, true);
}
static void no_turn(Build *b) {
    b->top->control = repeat(b, 0, enable(b, 0));
}
static void condition_is_not_kept(Build *b) {
    int test = cell(b, "is_3", "std_eq", WORD);
    b->top->control = BLOCK(b, CONTROL_IF, false, enable(b, 0));
    b->top->control->condition = out(b, test);
}
static void invokes_a_register(Build *b) {
    b->top->control = control_new(b->program, CONTROL_INVOKE, false);
    b->top->control->cell = 1;
}
static void repeat_without_body(Build *b) {
    b->top->control = control_new(b->program, CONTROL_REPEAT, true);
    b->top->control->times = 3;
}
static void done_is_wide(Build *b) {
    int g = group(b, "waits", 0);
    group_done(b->top, g, out(b, 1), 0);
}

static void slice_is_too_wide(Build *b) {
    cell_add(b->program, b->top, "cut", "tepal_bits", 3, (int64_t[]){16, 10, 8});
}
static void widths_do_not_add_up(Build *b) {
    cell_add(b->program, b->top, "pair", "std_cat", 3, (int64_t[]){16, 10, 25});
}
static void address_is_short(Build *b) {
    cell_add(b->program, b->top, "far", "tepal_memory", 4, (int64_t[]){16, 9, 3, 0});
}
static void rom_is_empty(Build *b) {
    cell_add(b->program, b->top, "lost", "tepal_rom", 4, (int64_t[]){16, 8, 3, 0});
}
static void external_register(Build *b) {
    b->top->cells.items[1].external = true;
}
static void instance_of_itself(Build *b) {
    int inside = cell_add_instance(b->program, b->top, "inside", 0);
    (void)inside;
}
static void top_is_another(Build *b) {
    b->program->top = "bottom";
}

static const struct {
    void (*damage)(Build *b);
    const char *message;
} wrong[] = {
    {width_differs, "step: left has 16 bits and takes 17"},
    {reads_an_input, "step: in cannot be read"},
    {drives_an_output, "step: out cannot be driven"},
    {cell_is_missing, "step: it uses a cell that there is not"},
    {port_is_missing, "step: it uses a port that there is not"},
    {number_is_too_large, "step: a number does not fit into its width"},
    {name_is_taken, "count: the name is taken, or is no identifier"},
    {name_is_no_identifier, "a b: the name is taken, or is no identifier"},
    {driven_twice, "count.in: it may be driven twice in a cycle (in step)"},
    {driven_twice_guarded, "other.left: it may be driven twice in a cycle (in step)"},
    {driven_from_outside, "count.in: it may be driven twice in a cycle (in step)"},
    {slots_meet, "other.left: it may be driven twice in a cycle (in late)"},
    {parallel_groups_meet, "count.in: it may be driven twice in a cycle (in beside)"},
    {combinational_cycle, "it depends on itself within one cycle"},
    {cycle_through_a_unit, "a: it depends on itself within one cycle"},
    {time_outside_the_group, "step: a guard's cycle is not one of the group's"},
    {time_without_a_group, "a continuous assignment: a guard's cycle is not one of the group's"},
    {guard_is_wide, "a guard: it is not one bit"},
    {guard_compares_widths, "a guard: it compares different widths"},
    {dynamic_in_static, "control: dynamic control in static control"},
    {static_enable_of_a_dynamic_group, "waits: the group is dynamic where control is static"},
    {static_while, "control: a while or invoke is static"},
    {group_is_missing, "control: it enables a group that there is not"},
    {no_turn, "control: a repeat has no turn"},
    {condition_is_not_kept, "control: a condition is not one bit of a register or an input"},
    {invokes_a_register, "control: it invokes what is no component"},
    {repeat_without_body, "control: a statement has 0 children"},
    {done_is_wide, "waits: its `done` is not one bit"},
    {slice_is_too_wide, "cut: it is wider than what it slices"},
    {widths_do_not_add_up, "pair: its widths do not add up"},
    {address_is_short, "far: its addresses do not reach all words"},
    {rom_is_empty, "lost: the memory has no contents or no image"},
    {external_register, "count: only a memory can be external"},
    {instance_of_itself, "inside: it is an instance of no component before this one"},
    {top_is_another, "the last component is not the top"},
};

static void test_wrong(void **state) {
    Unit *unit = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Diagnostics *fresh = diagnostics_new(unit->arena);
        Unit now = {unit->arena, fresh};
        Build b = build_new(unit->arena);
        program_counter(&b); /* cells: result, count, next; groups: step, keep */
        wrong[i].damage(&b);
        if (calyx_check(b.program, fresh, "the test")) fail_msg("not found: %s", wrong[i].message);
        assert_contains(unit_messages(&now), wrong[i].message);
        assert_int_equal(diagnostics_status(fresh), STATUS_INTERNAL);
    }
}

/* --- guards that exclude each other --- */

/* Two drivers of one port under a pair of guards; whether the check accepts it. */
static bool accepts(Unit *unit, Build *b, int left, int right) {
    int add = cell(b, string_format(unit->arena, "try_%d", b->top->cells.count), "std_add", WORD);
    set(b, 2, add, "left", literal(WORD, 1), left);
    set(b, 2, add, "left", literal(WORD, 2), right);
    bool fine = calyx_check(b->program, diagnostics_new(unit->arena), "the test");
    b->top->groups.items[2].assignments.count -= 2;
    return fine;
}

static void test_exclusive(void **state) {
    Unit *unit = *state;
    Build b = build_new(unit->arena);
    program_counter(&b);
    CalyxProgram *p = b.program;
    int p_register = reg(&b, "p", 1), q_register = reg(&b, "q", 1), late = group(&b, "late", 4);
    assert_int_equal(late, 2);
    int is_p = guard_port(p, b.top, out(&b, p_register)),
        is_q = guard_port(p, b.top, out(&b, q_register));
    int not_p = guard_not(p, b.top, guard_port(p, b.top, out(&b, p_register))),
        not_q = guard_not(p, b.top, is_q);
    int both = guard_and(p, b.top, is_p, is_q), neither = guard_and(p, b.top, not_p, not_q);
    int either = guard_or(p, b.top, is_p, is_q);
    assert_true(accepts(unit, &b, is_p, not_p));
    assert_false(accepts(unit, &b, is_p, is_q));
    assert_false(accepts(unit, &b, is_p, not_q));
    assert_true(accepts(unit, &b, both, neither));
    assert_true(accepts(unit, &b, both, not_q));
    assert_true(accepts(unit, &b, either, neither));
    assert_true(accepts(unit, &b, neither, either));
    assert_true(accepts(unit, &b, both, guard_not(p, b.top, both)));
    assert_true(accepts(unit, &b, guard_not(p, b.top, either), is_p));
    assert_false(accepts(unit, &b, either, not_p));
    assert_true(accepts(unit, &b, guard_time(p, b.top, 0, 2), guard_time(p, b.top, 2, 4)));
    assert_false(accepts(unit, &b, guard_time(p, b.top, 0, 3), guard_time(p, b.top, 2, 4)));
    assert_true(accepts(unit, &b, guard_time(p, b.top, 1, 2),
                        guard_not(p, b.top, guard_time(p, b.top, 0, 2))));
    Port count = out(&b, 1);
    int is_3 = guard_compare(p, b.top, count, GUARD_EQ, literal(WORD, 3));
    int is_4 = guard_compare(p, b.top, count, GUARD_EQ, literal(WORD, 4));
    assert_true(accepts(unit, &b, is_3, is_4));
    assert_false(accepts(unit, &b, is_3, guard_not(p, b.top, is_4)));
    /* An odometer: the first loop that does not wrap. */
    int second = guard_and(p, b.top, is_p, not_q),
        third = guard_and(p, b.top, guard_and(p, b.top, is_p, is_q), is_3);
    assert_true(accepts(unit, &b, not_p, second));
    assert_true(accepts(unit, &b, second, third));
    assert_true(accepts(unit, &b, not_p, third));
}

/* --- the table --- */

static void test_primitives(void **state) {
    (void)state;
    for (int i = 0; i < primitive_count; i++) {
        const Primitive *primitive = &primitives[i];
        assert_ptr_equal(primitive_find(primitive->name), primitive);
        for (int k = 0; k < 6; k++)
            assert_int_equal(primitive->parameters[k] != NULL, k < primitive->parameter_count);
        for (int k = 0; k < 8; k++) {
            assert_int_equal(primitive->ports[k].name != NULL, k < primitive->port_count);
            assert_true(primitive->ports[k].width >= -primitive->parameter_count);
        }
        if (primitive->combinational)
            assert_int_equal(primitive->ports[primitive->port_count - 1].direction, PORT_OUTPUT);
    }
    assert_null(primitive_find("std_nothing"));
}

/* Every module of hardware/ in the table has the parameters and ports that it has there. */
static void test_primitives_in_hardware(void **state) {
    Unit *unit = *state;
    const char *folder = hardware_folder(unit->arena);
    for (int i = 0; i < primitive_count; i++) {
        const Primitive *primitive = &primitives[i];
        if (strcmp(primitive->library, "tepal") || primitive->combinational) continue;
        const char *path =
            string_format(unit->arena, "%s/%s.sv", folder, primitive->name + strlen("tepal_"));
        char *source;
        if (!file_read(unit->arena, unit->diagnostics, path, 1 << 20, &source, NULL))
            fail_msg("%s", unit_messages(unit));
        for (int k = 0; k < primitive->parameter_count; k++)
            assert_contains(source,
                            string_format(unit->arena, "parameter %s ", primitive->parameters[k]));
        for (int k = 0; k < primitive->port_count; k++)
            assert_contains(source, string_format(unit->arena, " %s", primitive->ports[k].name));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_right),
        UNIT_TEST(test_wrong),
        UNIT_TEST(test_exclusive),
        UNIT_TEST(test_primitives),
        UNIT_TEST(test_primitives_in_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
