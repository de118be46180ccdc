/* The reports of a design: report.json and the table. */
#include "schedule_nests.h"

#include <stdlib.h>
#include <jansson.h>
#include "report/report.h"

static const StageTime times[] = {{"linalg", 0.125}, {"loops", 1.5}};

/* A sum of products with a tail, and `more` copies after it. */
static Schedule *design(Bench *bench, int more) {
    int a = bench_memory(bench, "a", SCALAR_F32, 4096),
        sum = bench_memory(bench, "sum", SCALAR_F32, 64);
    int out = bench_memory(bench, "out", SCALAR_F32, 64);
    bench->program->memories.items[a].kind = MEMORY_INPUT;
    bench->program->memories.items[out].kind = MEMORY_OUTPUT;
    bench_nest(bench, "dense", 4096);
    int x = bench_load(bench, a, 0, 1), before = bench_load(bench, sum, 0, 1);
    int after = bench_op(bench, OP_FLOAT_ADD, before, bench_op(bench, OP_FLOAT_MULTIPLY, x, x));
    int store = bench_store(bench, sum, after, 0, 1);
    bench_store(bench, out, bench_op(bench, OP_FLOAT_MULTIPLY, after, after), 0, 1);
    bench_depends(store, before, 4);
    bench->program->macs = program_macs(bench->program);
    for (int k = 0; k < more; k++) {
        bench_nest(bench, string_format(bench->arena, "copy_of_a_tensor_with_a_long_name_%d", k),
                   64);
        bench_store(bench, out, bench_load(bench, sum, 0, 1), 0, 1);
    }
    return bench_schedule(bench, 100, 1);
}

static void json_is_complete(void **state) {
    Bench bench = bench_new(state);
    Schedule *schedule = design(&bench, 1);
    Text text = text_new(bench.arena);
    report_json(schedule, times, 2, 1, &text);
    json_error_t error;
    json_t *root = json_loads(text_string(&text), 0, &error);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "cycles")), schedule->cycles);
    assert_int_equal(json_integer_value(json_object_get(root, "macs")), 4096);
    assert_int_equal(json_integer_value(json_object_get(root, "parallel")), 1);
    assert_int_equal(json_integer_value(json_object_get(root, "memory_bits")),
                     (4096 + 64 + 64) * 32);
    json_t *nest = json_array_get(json_object_get(root, "nests"), 0);
    assert_string_equal(json_string_value(json_object_get(nest, "name")), "dense");
    assert_int_equal(json_integer_value(json_object_get(nest, "trip_count")), 4096);
    assert_int_equal(json_integer_value(json_object_get(nest, "II")), 2);
    assert_string_equal(json_string_value(json_object_get(nest, "limit")),
                        "recurrence through sum");
    json_t *operators = json_object_get(root, "operators");
    assert_int_equal(json_array_size(operators), 2);
    json_t *first = json_array_get(operators, 0);
    assert_string_equal(json_string_value(json_object_get(first, "role")), "mac");
    assert_int_equal(json_integer_value(json_object_get(first, "count")), 1);
    assert_true(json_number_value(json_object_get(json_object_get(root, "seconds"), "loops")) >
                1.49);
    json_decref(root);
}

static void table_fits(void **state) {
    Bench bench = bench_new(state);
    Schedule *schedule = design(&bench, 24);
    Text text = text_new(bench.arena);
    report_table(schedule, times, 2, 1, &text);
    const char *table = text_string(&text);
    if (getenv("SHOW")) fputs(table, stdout);
    assert_contains(table, "dense");
    assert_contains(table, "recurrence through sum");
    assert_contains(table, "float_multiply");
    assert_contains(table, "and 5 more");
    size_t column = 0;
    for (const char *at = table; *at; at++, column++) {
        if (*at != '\n') continue;
        assert_in_range(column, 0, 100);
        column = (size_t)-1;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(json_is_complete), UNIT_TEST(table_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
