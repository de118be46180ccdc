/* Interchange: which loop goes inside a reduction, and when nothing may move. */
#include "loop_programs.h"

#include "loop/transform.h"

/* out[form] = out[form] + x[form] over the loops, then the pass; the trip counts from outside in.
 */
static const Nest *interchanged(Unit *unit, int loops, const int64_t *trips, const int64_t *sum,
                                const int64_t *value, int recurrence_cycles) {
    Maker maker = maker_new(unit->arena, 1);
    int x = make_memory(&maker, MEMORY_INPUT, "x", SCALAR_F32, 100000);
    int out = make_memory(&maker, MEMORY_OUTPUT, "out", SCALAR_F32, 100000);
    make_nest(&maker, "nest", loops, trips);
    int before = make_load(&maker, out, make_form(&maker, 0, sum));
    int term = make_load(&maker, x, make_form(&maker, 0, value));
    make_store(&maker, out, make_binary(&maker, OP_FLOAT_ADD, before, term),
               make_form(&maker, 0, sum));
    assert_true(program_check(maker.program, unit->diagnostics, "test"));
    LoopOptions options = {.parallel = 1, .recurrence_cycles = recurrence_cycles};
    assert_true(pass_interchange(maker.program, &options, unit->diagnostics));
    assert_true(program_check(maker.program, unit->diagnostics, "interchange"));
    return maker.nest;
}

/* The names of the loops, outermost first. */
static const char *order_of(Unit *unit, const Nest *nest) {
    Text text = text_new(unit->arena);
    for (int i = 0; i < nest->loop_count; i++) text_append(&text, nest->loops[i].name);
    return text_string(&text);
}

static void the_nearest_loop_moves_inside(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {16, 16, 16}, sum[] = {16, 1, 0}, value[] = {16, 0, 1};
    assert_string_equal(order_of(unit, interchanged(unit, 3, trips, sum, value, 7)), "ikj");
}

static void one_loop_moves_past_all_reduction_loops(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {8, 16, 16, 3, 5, 5};
    const int64_t sum[] = {256, 16, 1, 0, 0, 0}, value[] = {0, 20, 1, 400, 20, 1};
    assert_string_equal(order_of(unit, interchanged(unit, 6, trips, sum, value, 7)), "ijlmnk");
}

static void two_loops_move_where_one_is_too_short(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {8, 3, 4, 9}, sum[] = {12, 4, 1, 0}, value[] = {300, 50, 1, 7};
    assert_string_equal(order_of(unit, interchanged(unit, 4, trips, sum, value, 7)), "iljk");
}

static void a_short_loop_is_better_than_none(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {4, 48}, sum[] = {1, 0}, value[] = {48, 1};
    assert_string_equal(order_of(unit, interchanged(unit, 2, trips, sum, value, 7)), "ji");
}

static void what_is_fast_stays(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {48, 9}, sum[] = {0, 1}, value[] = {9, 1};
    assert_string_equal(order_of(unit, interchanged(unit, 2, trips, sum, value, 7)), "ij");
}

static void a_sum_of_all_stays(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {10, 10}, sum[] = {0, 0}, value[] = {10, 1};
    assert_string_equal(order_of(unit, interchanged(unit, 2, trips, sum, value, 7)), "ij");
}

/* out[i + k] += ...: iterations that share an element would change places. */
static void overlapping_sums_stay(void **state) {
    Unit *unit = *state;
    const int64_t trips[] = {10, 10}, sum[] = {1, 1}, value[] = {10, 1};
    assert_string_equal(order_of(unit, interchanged(unit, 2, trips, sum, value, 7)), "ij");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(the_nearest_loop_moves_inside),
        UNIT_TEST(one_loop_moves_past_all_reduction_loops),
        UNIT_TEST(two_loops_move_where_one_is_too_short),
        UNIT_TEST(a_short_loop_is_better_than_none),
        UNIT_TEST(what_is_fast_stays),
        UNIT_TEST(a_sum_of_all_stays),
        UNIT_TEST(overlapping_sums_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
