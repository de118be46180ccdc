/* Every pass on random programs: the interpreter must give the same bits before and after. */
#include "loop_networks.h"

#include "loop/interpret.h"

#include <stdlib.h>
#include <time.h>

enum { PROGRAMS = 1000 };

static uint64_t first_seed(void) {
    const char *seed = getenv("SEED");
    return seed ? strtoull(seed, NULL, 0) : 1;
}

/* After the passes a second run must not see what the first one left. */
static void check_second_run(Unit *unit, const Program *program, const Tensor *inputs) {
    const Tensor *const both[] = {inputs, inputs};
    Tensor *once = arena_array(unit->arena, (size_t)program->output_count, sizeof *once);
    Tensor *twice = arena_array(unit->arena, (size_t)program->output_count, sizeof *twice);
    assert_true(program_interpret(program, unit->arena, unit->diagnostics, inputs, once));
    assert_true(
        program_interpret_runs(program, unit->arena, unit->diagnostics, 2, both, twice, NULL));
    for (int i = 0; i < program->output_count; i++)
        assert_memory_equal(once[i].data, twice[i].data,
                            once[i].elements * scalar_bytes(once[i].type));
}

/* Runs all passes on the programs of PROGRAMS seeds. */
static void check_programs(Program *(*make)(Arena *arena, uint64_t seed)) {
    uint64_t seed = first_seed();
    clock_t start = clock();
    for (int i = 0; i < PROGRAMS; i++, seed++) {
        void *test;
        unit_setup(&test);
        Unit *unit = test;
        Program *program = make(unit->arena, seed);
        const char *text = make_text(program);
        if (!program_check(program, unit->diagnostics, "random"))
            fail_msg("SEED=%llu: %s%s", (unsigned long long)seed, unit_messages(unit), text);
        Tensor *inputs = random_inputs(unit->arena, program, seed);
        LoopOptions options = {
            .parallel = 1 + (int)(seed % 4), .recurrence_cycles = 7, .least_shared_bits = 1};
        if (!program_transform(program, &options, unit->diagnostics, inputs)) {
            printf("before:\n%s\nafter:\n%s\n", text, make_text(program));
            fail_msg("SEED=%llu: %s", (unsigned long long)seed, unit_messages(unit));
        }
        check_second_run(unit, program, inputs);
        unit_teardown(&test);
    }
    print_message("%d programs, SEED=%llu and up, %.1f s\n", PROGRAMS,
                  (unsigned long long)first_seed(), (double)(clock() - start) / CLOCKS_PER_SEC);
}

static void passes_keep_the_meaning_of_any_program(void **state) {
    (void)state;
    check_programs(random_program);
}

static void passes_keep_the_meaning_of_networks(void **state) {
    (void)state;
    check_programs(random_network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_keep_the_meaning_of_any_program),
        cmocka_unit_test(passes_keep_the_meaning_of_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
