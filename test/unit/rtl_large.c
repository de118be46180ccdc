/* A large design must be checked, built and printed in a moment: nothing may look through all of it
 * for each part. */
#include "unit.h"
#include "hardware_run.h"
#include "calyx_programs.h"
#include "rtl/rtl.h"

enum { NESTS = 60, STAGES = 20, SHARED = 4 };

static const char *name_of(Arena *arena, int nest, const char *what, int number) {
    return string_format(arena, "nest_%d_%s_%d", nest, what, number);
}

/* A nest: a counter, and pipelines of registers and adders from shared memory through shared units.
 */
static Control *add_nest(Build *b, int n, const int units[SHARED]) {
    Arena *arena = b->program->arena;
    int start = group(b, name_of(arena, n, "start", 0), 1),
        run_group = group(b, string_format(arena, "nest_%d", n), 2);
    b->top->groups.items[run_group].comment = "II 2";
    int count = reg(b, name_of(arena, n, "count", 0), ADDRESS);
    put(b, start, count, literal(ADDRESS, 0), 0);
    put(b, run_group, count,
        sum(b, run_group, name_of(arena, n, "next", 0), out(b, count), literal(ADDRESS, 1)), 0);
    int slot = guard_time(b->program, b->top, n % 2, n % 2 + 1);
    set(b, run_group, b->data, "read_address", out(b, count), slot);
    set(b, run_group, b->data, "read_enable", literal(1, 1), slot);
    Port value = port(b, b->data, "read_data");
    for (int s = 0; s < STAGES; s++) {
        int unit = units[s % SHARED];
        if (s < SHARED) {
            set(b, run_group, unit, "left", value, slot);
            set(b, run_group, unit, "right", literal(WORD, (Bits)n + 3), slot);
            value = port(b, unit, "out");
        }
        int stage = reg(b, name_of(arena, n, "stage", s), WORD),
            twice = reg(b, name_of(arena, n, "twice", s), WORD);
        put(b, run_group, stage,
            sum(b, run_group, name_of(arena, n, "sum", s), value, literal(WORD, (Bits)s)), slot);
        put(b, run_group, twice, sum(b, run_group, name_of(arena, n, "double", s), value, value),
            slot);
        value = sum(b, run_group, name_of(arena, n, "join", s), out(b, stage), out(b, twice));
    }
    set(b, run_group, b->result, "write_address", out(b, count), slot);
    set(b, run_group, b->result, "write_data", value, slot);
    set(b, run_group, b->result, "write_enable", literal(1, 1), slot);
    return BLOCK(b, CONTROL_SEQUENCE, true, enable(b, start),
                 repeat(b, 100 + n, enable(b, run_group)));
}

static void program_large(Build *b) {
    top_begin(b);
    b->data = memory_add(b, "data", true);
    int units[SHARED];
    for (int i = 0; i < SHARED; i++) {
        const char *name = string_format(b->program->arena, "unit_%d", i);
        units[i] = cell(b, name, "std_add", WORD);
        /* A pipelined unit, so that no cycle goes through it. */
        b->top->cells.items[units[i]].primitive = primitive_find("tepal_int_multiply");
        b->top->cells.items[units[i]].parameters[1] = 1;
        b->top->cells.items[units[i]].parameters[2] = WORD;
    }
    b->top->control = control_new(b->program, CONTROL_SEQUENCE, true);
    for (int n = 0; n < NESTS; n++)
        control_append(b->program, b->top->control, add_nest(b, n, units));
}

static void test_large(void **state) {
    Unit *unit = *state;
    Build b = build_new(unit->arena);
    program_large(&b);
    double start = seconds_now();
    if (!calyx_check(b.program, unit->diagnostics, "the test")) fail_msg("%s", unit_messages(unit));
    double checked = seconds_now();
    Netlist *netlist = rtl_construct(b.program, unit->arena, unit->diagnostics);
    if (!netlist) fail_msg("%s", unit_messages(unit));
    double made = seconds_now();
    Text design = text_new(unit->arena), program = text_new(unit->arena);
    netlist_print_systemverilog(netlist, &design);
    calyx_print_native(b.program, "hardware", &program);
    double printed = seconds_now();
    printf("%d cells: check %.3f s, netlist %.3f s, %zu + %zu bytes printed in %.3f s\n",
           b.top->cells.count, checked - start, made - checked, design.length, program.length,
           printed - made);
    assert_true(b.top->cells.count > 5000);
    /* 0.05 s with -O2; sanitizers, a debug build and a loaded machine take longer. */
    assert_true(printed - start < 3);
    assert_contains(text_string(&design), "nest_59_stage_19");
    const ProgramCase *first = &program_cases[0];
    assert_non_null(first->build);
    if (!is_there(process_found("verilator"), "verilator")) return;
    const char *folder = scratch_folder(unit->arena);
    write_text(unit, folder, "top.sv", text_string(&design));
    run(unit, folder,
        string_format(unit->arena, "verilator --lint-only -Wall --top-module top top.sv %s",
                      hardware_files(unit)));
    remove_tree(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
