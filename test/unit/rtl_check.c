/* netlist_check finds each kind of fault; netlist_simplify keeps what matters and names what is
 * shared; and some expressions become what they should. */
#include "unit.h"
#include "rtl/netlist.h"
#include "rtl/rtl.h"

typedef struct Small {
    Netlist *netlist;
    Module *module;
    int a, b, c, out, state;
} Small;

/* out = a + b; state takes a where c is 1. */
static Small small_new(Arena *arena) {
    Small s = {.netlist = arena_new_of(arena, Netlist)};
    s.netlist->arena = arena;
    s.module = module_new(s.netlist, "small");
    s.a = signal_add(s.netlist, s.module, "a", SIGNAL_INPUT, 8);
    s.b = signal_add(s.netlist, s.module, "b", SIGNAL_INPUT, 8);
    s.c = signal_add(s.netlist, s.module, "c", SIGNAL_INPUT, 1);
    s.out = signal_add(s.netlist, s.module, "out", SIGNAL_OUTPUT, 8);
    s.state = signal_add(s.netlist, s.module, "state", SIGNAL_REGISTER, 8);
    Expression a = expression_signal(s.netlist, s.module, s.a);
    Expression b = expression_signal(s.netlist, s.module, s.b);
    s.module->signals.items[s.out].value =
        expression(s.netlist, s.module, EXPRESSION_ADD, 8, a, b, -1);
    s.module->signals.items[s.state].value = a;
    s.module->signals.items[s.state].enable = expression_signal(s.netlist, s.module, s.c);
    return s;
}

static Signal *signal_at(Small *s, int signal) {
    return &s->module->signals.items[signal];
}

/* --- faults --- */

static void no_definition(Small *s) {
    signal_at(s, s->out)->value = -1;
}
static void two_definitions(Small *s) {
    signal_at(s, s->a)->value = signal_at(s, s->out)->value;
}
static void wrong_width(Small *s) {
    signal_at(s, s->out)->width = 9;
}
static void wide_enable(Small *s) {
    signal_at(s, s->state)->enable = signal_at(s, s->out)->value;
}
static void same_names(Small *s) {
    signal_at(s, s->b)->name = "a";
}
static void widths_differ(Small *s) {
    ExpressionNode node = {.kind = EXPRESSION_AND, .width = 8, .signal = -1};
    node.operands[0] = signal_at(s, s->state)->value;
    node.operands[1] = signal_at(s, s->state)->enable;
    node.operands[2] = -1;
    expression_intern(s->netlist, s->module, node);
}
static void cycle(Small *s) {
    int wire = signal_add(s->netlist, s->module, "wire_1", SIGNAL_WIRE, 8);
    Expression value = expression_signal(s->netlist, s->module, wire);
    signal_at(s, wire)->value = expression_not(s->netlist, s->module, value);
}
static void not_driven(Small *s) {
    signal_add(s->netlist, s->module, "unit_out", SIGNAL_INSTANCE, 8);
}
static void input_is_open(Small *s) {
    int unit = instance_add(s->netlist, s->module, "unit_0", "tepal_float_add");
    Connection connection = {.port = "left", .value = -1, .signal = -1};
    vector_push(s->netlist->arena, &s->module->instances.items[unit].connections, connection);
}

static const struct {
    void (*damage)(Small *s);
    const char *message;
} wrong[] = {
    {no_definition, "out: it has no definition"},
    {two_definitions, "a: it has two definitions"},
    {wrong_width, "out: its value has another width"},
    {wide_enable, "state: its enable is not one bit of a register"},
    {same_names, "a: its name is taken or is no identifier"},
    {widths_differ, "an expression: its widths do not agree"},
    {cycle, "wire_1: it depends on itself within one cycle"},
    {not_driven, "unit_out: it is not driven by exactly one instance"},
    {input_is_open, "unit_0: an input of it is not connected"},
};

static void test_wrong(void **state) {
    Unit *unit = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Unit now = {unit->arena, diagnostics_new(unit->arena)};
        Small s = small_new(unit->arena);
        assert_true(netlist_check(s.netlist, now.diagnostics, "the test"));
        wrong[i].damage(&s);
        if (netlist_check(s.netlist, now.diagnostics, "the test"))
            fail_msg("not found: %s", wrong[i].message);
        assert_contains(unit_messages(&now), wrong[i].message);
    }
}

/* --- simplification --- */

static void test_dead_parts_go(void **state) {
    Unit *unit = *state;
    Small s = small_new(unit->arena);
    netlist_simplify(s.netlist); /* nothing reads `state` */
    for (int i = 0; i < s.module->signals.count; i++)
        assert_string_not_equal(s.module->signals.items[i].name, "state");
    assert_int_equal(s.module->signals.count, 4);
    assert_true(netlist_check(s.netlist, unit->diagnostics, "simplification"));
}

static void test_shared_parts_get_names(void **state) {
    Unit *unit = *state;
    Small s = small_new(unit->arena);
    Expression sum = signal_at(&s, s.out)->value;
    expression_name(s.module, sum, "total");
    int other = signal_add(s.netlist, s.module, "other", SIGNAL_OUTPUT, 8);
    signal_at(&s, other)->value = expression_not(s.netlist, s.module, sum);
    netlist_simplify(s.netlist);
    Text text = text_new(unit->arena);
    netlist_print_systemverilog(s.netlist, &text);
    assert_contains(text_string(&text), "    assign total = a + b;\n");
    assert_contains(text_string(&text), "    assign out = total;\n");
    assert_contains(text_string(&text), "    assign other = ~total;\n");
}

static void test_folding(void **state) {
    Unit *unit = *state;
    Small s = small_new(unit->arena);
    Netlist *n = s.netlist;
    Module *m = s.module;
    Expression a = expression_signal(n, m, s.a), c = expression_signal(n, m, s.c);
    Expression zero = expression_constant(n, m, 8, 0), one = expression_constant(n, m, 1, 1);
    Expression not_c = expression_not(n, m, c);
    assert_int_equal(expression(n, m, EXPRESSION_ADD, 8, zero, a, -1), a);
    assert_int_equal(expression_and(n, m, a, zero), zero);
    assert_int_equal(expression_or(n, m, c, not_c), one);
    assert_int_equal(expression_not(n, m, not_c), c);
    assert_int_equal(expression_mux(n, m, c, a, a), a);
    assert_int_equal(expression_mux(n, m, c, one, expression_constant(n, m, 1, 0)), c);
    assert_int_equal(expression_slice(n, m, a, 0, 8), a);
    Expression wide = expression(n, m, EXPRESSION_EXTEND, 12, a, -1, -1);
    assert_int_equal(expression_slice(n, m, wide, 0, 8), a);
    Expression high = expression_slice(n, m, a, 4, 4), low = expression_slice(n, m, a, 0, 4);
    assert_int_equal(expression(n, m, EXPRESSION_CONCAT, 8, high, low, -1), a);
    /* -1 is printed as a subtraction, and offsets add up. */
    Expression minus =
        expression(n, m, EXPRESSION_ADD, 8, a, expression_constant(n, m, 8, 255), -1);
    assert_int_equal(m->expressions.items[minus].kind, EXPRESSION_SUBTRACT);
    Expression plus =
        expression(n, m, EXPRESSION_ADD, 8, minus, expression_constant(n, m, 8, 1), -1);
    assert_int_equal(plus, a);
    /* Equal expressions are one, in either order. */
    Expression b = expression_signal(n, m, s.b);
    assert_int_equal(expression_and(n, m, a, b), expression_and(n, m, b, a));
}

/* --- images and modules --- */

static void test_image(void **state) {
    Unit *unit = *state;
    static const uint16_t words[] = {0, 1, 0xabc, 0xffff};
    static const uint8_t bits[] = {1, 0};
    MemoryContents halves = {.type = SCALAR_F16, .elements = 4, .data = words};
    MemoryContents bools = {.type = SCALAR_I(1), .elements = 2, .data = bits};
    Text text = text_new(unit->arena);
    rtl_print_image(&halves, &text);
    rtl_print_image(&bools, &text);
    assert_string_equal(text_string(&text), "0000\n0001\n0abc\nffff\n1\n0\n");
}

static void test_modules(void **state) {
    Unit *unit = *state;
    Small s = small_new(unit->arena);
    instance_add(s.netlist, s.module, "x", "tepal_float_add");
    instance_add(s.netlist, s.module, "y", "other");
    instance_add(s.netlist, s.module, "z", "tepal_memory");
    instance_add(s.netlist, s.module, "w", "tepal_float_add");
    const char **names;
    assert_int_equal(rtl_hardware_modules(s.netlist, unit->arena, &names), 2);
    assert_string_equal(names[0], "float_add");
    assert_string_equal(names[1], "memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_wrong),
        UNIT_TEST(test_dead_parts_go),
        UNIT_TEST(test_shared_parts_get_names),
        UNIT_TEST(test_folding),
        UNIT_TEST(test_image),
        UNIT_TEST(test_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
