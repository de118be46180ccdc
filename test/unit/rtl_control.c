/* Random control: sequences, repeats, branches, loops and parallels of static and dynamic groups,
 * nested. Each group changes its thread's sum, so that the order in which groups run shows in the
 * result; a walk over the control program tells what the result and the number of cycles must be.
 * The seed is printed; TEPAL_SEED=N repeats a run. */
#include "unit.h"
#include "hardware_run.h"
#include "calyx_programs.h"
#include "rtl/rtl.h"

enum {
    PROGRAMS = 40,
    /* bits of `seen` in the bench */ THREADS = 12,
    DEPTH = 4,
    STEP_LIMIT = 3000
};

static uint64_t random_state;

static int below(int limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)(random_state >> 33) % limit;
}

/* A group adds `amount` to three times its thread's sum; the flag becomes bit `bit` of the sum. */
typedef struct Action {
    int thread, amount, bit;
} Action;

typedef struct Maker {
    Build b;
    int sums[THREADS], flags[THREADS], threads;
    Action actions[256];
} Maker;

static Control *new_group(Maker *m, int thread, bool is_static) {
    Build *b = &m->b;
    Arena *arena = b->program->arena;
    int number = b->top->groups.count, latency = is_static ? 1 + below(3) : 0;
    Action action = {thread, 1 + below(100), 1 + below(4)};
    int g = group(b, string_format(arena, "group_%d", number), latency);
    m->actions[g] = action;
    Port now = out(b, m->sums[thread]);
    Port twice = sum(b, g, string_format(arena, "twice_%d", number), now, now);
    Port thrice = sum(b, g, string_format(arena, "thrice_%d", number), twice, now);
    Port next = sum(b, g, string_format(arena, "next_%d", number), thrice,
                    literal(WORD, (Bits)action.amount));
    int bit = cell_add(b->program, b->top, string_format(arena, "bit_%d", number), "tepal_bits", 3,
                       (int64_t[]){WORD, action.bit, 1});
    set(b, g, bit, "in", next, 0);
    int slot = latency ? below(latency) : 0;
    int guard = latency > 1 ? guard_time(b->program, b->top, slot, slot + 1) : 0;
    put(b, g, m->sums[thread], next, guard);
    put(b, g, m->flags[thread], out(b, bit), guard);
    if (!is_static) group_done(b->top, g, port(b, m->sums[thread], "done"), 0);
    return enable(b, g);
}

/* Control that runs in the order in which it is walked, but for parallels, whose children have
 * threads of their own: each has its own sum. `is_static`: takes a known number of cycles. */
static Control *random_control(Maker *m, int thread, int depth, bool is_static) {
    Build *b = &m->b;
    if (depth == 0 || b->top->groups.count > 200) return new_group(m, thread, is_static);
    Control *control;
    switch (below(is_static ? 9 : 11)) {
    case 0:
    case 1: return new_group(m, thread, is_static);
    case 2:
    case 3:
    case 4:
        control = control_new(b->program, CONTROL_SEQUENCE, is_static);
        for (int i = below(4); i >= 0; i--)
            control_append(b->program, control,
                           random_control(m, thread, depth - 1, is_static || below(2)));
        return control;
    case 5:
    case 6:
        control = control_new(b->program, CONTROL_REPEAT, is_static);
        control->times = 1 + below(5);
        control_append(b->program, control,
                       random_control(m, thread, depth - 1, is_static || below(2)));
        return control;
    case 7:
        control = control_new(b->program, CONTROL_IF, is_static);
        control->condition = out(b, m->flags[thread]);
        control_append(b->program, control,
                       random_control(m, thread, depth - 1, is_static || below(2)));
        if (below(2))
            control_append(b->program, control,
                           random_control(m, thread, depth - 1, is_static || below(2)));
        return control;
    case 8:
        if (m->threads + 3 > THREADS) return new_group(m, thread, is_static);
        control = control_new(b->program, CONTROL_PARALLEL, is_static);
        m->threads += 3;
        for (int i = 0, first = m->threads - 3; i < 3; i++)
            control_append(b->program, control,
                           random_control(m, first + i, depth - 1, is_static || below(2)));
        return control;
    default:
        control = control_new(b->program, CONTROL_WHILE, false);
        control->condition = out(b, m->flags[thread]);
        control_append(b->program, control, random_control(m, thread, depth - 1, below(2)));
        return control;
    }
}

static void maker_start(Maker *m, Arena *arena, int number) {
    m->b = build_new(arena);
    m->b.program->top = string_format(arena, "top_%d", number);
    m->b.top = component_new(m->b.program, m->b.program->top);
    m->threads = 1;
    for (int t = 0; t < THREADS; t++) {
        Port shown = component_port_add(m->b.program, m->b.top, string_format(arena, "total_%d", t),
                                        PORT_OUTPUT, WORD);
        m->sums[t] = reg(&m->b, string_format(arena, "sum_%d", t), WORD);
        m->flags[t] = reg(&m->b, string_format(arena, "flag_%d", t), 1);
        assign(m->b.program, m->b.top, -1, shown, out(&m->b, m->sums[t]), 0);
    }
}

/* --- what must come out --- */

typedef struct Walk {
    const Maker *m;
    uint16_t sums[THREADS];
    bool flags[THREADS];
    int steps;
} Walk;

static bool flag_of(const Walk *w, const Control *control) {
    for (int t = 0; t < THREADS; t++)
        if (w->m->flags[t] == control->condition.cell) return w->flags[t];
    return false;
}

static int64_t at_least_one(int64_t cycles) {
    return cycles > 0 ? cycles : 1;
}

/* Runs control, and returns the cycles that it takes. */
static int64_t walk(Walk *w, const Control *control) {
    int64_t cycles = 0;
    if (w->steps++ > STEP_LIMIT) return 0;
    switch (control->kind) {
    case CONTROL_ENABLE: {
        Action action = w->m->actions[control->group];
        uint16_t next = (uint16_t)(3 * w->sums[action.thread] + action.amount);
        w->sums[action.thread] = next;
        w->flags[action.thread] = next >> action.bit & 1;
        int latency = w->m->b.top->groups.items[control->group].latency;
        return latency ? latency : 2;
    }
    case CONTROL_SEQUENCE:
        for (int i = 0; i < control->children.count; i++)
            cycles += walk(w, control->children.items[i]);
        return cycles;
    case CONTROL_PARALLEL:
        for (int i = 0; i < control->children.count; i++) {
            int64_t child = walk(w, control->children.items[i]);
            cycles = child > cycles ? child : cycles;
        }
        return at_least_one(cycles); /* the state in which the threads join */
    case CONTROL_REPEAT:
        for (int64_t i = 0; i < control->times; i++) cycles += walk(w, control->children.items[0]);
        return cycles;
    case CONTROL_IF: {
        int branch = flag_of(w, control) ? 0 : 1;
        if (branch < control->children.count) cycles = walk(w, control->children.items[branch]);
        return control->is_static ? control_cycles(w->m->b.top, control) : cycles;
    }
    default:
        while (flag_of(w, control) && w->steps < STEP_LIMIT)
            cycles += walk(w, control->children.items[0]);
        return cycles;
    }
}

/* The walk's count is exact where all groups are static and all bodies of loops take a cycle: else
 * there are cycles of nothing in between. */
static bool may_pass(const Control *control) {
    switch (control->kind) {
    case CONTROL_ENABLE:
    case CONTROL_PARALLEL: return false;
    case CONTROL_SEQUENCE:
        for (int i = 0; i < control->children.count; i++)
            if (!may_pass(control->children.items[i])) return false;
        return true;
    case CONTROL_REPEAT: return may_pass(control->children.items[0]);
    case CONTROL_IF:
        return !control->is_static &&
               (control->children.count < 2 || may_pass(control->children.items[0]) ||
                may_pass(control->children.items[1]));
    default: return true;
    }
}

static bool exact(const Component *component, const Control *control) {
    bool loop = control->kind == CONTROL_REPEAT || control->kind == CONTROL_WHILE;
    if (loop && may_pass(control->children.items[0])) return false;
    if (control->kind == CONTROL_ENABLE && component->groups.items[control->group].latency == 0)
        return false;
    for (int i = 0; i < control->children.count; i++)
        if (!exact(component, control->children.items[i])) return false;
    return true;
}

/* --- simulation --- */

static void print_bench(const Maker *m, int number, Text *bench) {
    text_printf(bench,
                "module run_%d(input wire clk, input wire reset, input wire go,\n"
                "    output reg seen);\n    wire done;\n"
                "    integer cycles = 0;\n    initial seen = 0;\n",
                number);
    for (int t = 0; t < m->threads; t++) text_printf(bench, "    wire [15:0] total_%d;\n", t);
    text_printf(bench, "    top_%d dut (.clk(clk), .reset(reset), .go(go), .done(done)", number);
    for (int t = 0; t < THREADS; t++)
        text_printf(bench, t < m->threads ? ", .total_%d(total_%d)" : ", .total_%d()", t, t);
    text_append(
        bench,
        ");\n    always @(posedge clk) begin\n        if (go & ~done) cycles <= cycles + 1;\n"
        "        if (done & ~seen) begin\n            seen <= 1;\n");
    text_printf(bench, "            $display(\"program %d sums", number);
    for (int t = 0; t < m->threads; t++) text_append(bench, " %0d");
    text_append(bench, " cycles %0d.\"");
    for (int t = 0; t < m->threads; t++) text_printf(bench, ", total_%d", t);
    text_append(bench, ", cycles);\n        end\n    end\nendmodule\n");
}

/* A program whose walk ends in time. */
static void random_program(Unit *unit, Maker *m, int number, Text *expected) {
    for (;;) {
        maker_start(m, unit->arena, number);
        bool is_static = below(3) == 0;
        Control *first = new_group(m, 0, is_static),
                *second = random_control(m, 0, DEPTH, is_static);
        m->b.top->control = BLOCK(&m->b, CONTROL_SEQUENCE, is_static, first, second);
        Walk w = {.m = m};
        int64_t cycles = walk(&w, m->b.top->control);
        if (w.steps >= STEP_LIMIT || w.steps < 8) continue;
        text_printf(expected, "program %d sums", number);
        for (int t = 0; t < m->threads; t++) text_printf(expected, " %d", w.sums[t]);
        if (exact(m->b.top, m->b.top->control))
            text_printf(expected, " cycles %lld.", (long long)cycles + RTL_START_CYCLES);
        text_append(expected, "\n");
        return;
    }
}

static void compare(Unit *unit, const char *printed, const char *expected, uint64_t seed,
                    Text *programs) {
    for (int i = 0; *expected; i++) {
        size_t length = strcspn(expected, "\n");
        const char *wanted = arena_string_of(unit->arena, expected, length);
        const char *begin =
            arena_string_of(unit->arena, wanted, (size_t)(strstr(wanted, "sums") - wanted));
        const char *found = strstr(printed, begin);
        if (!strstr(printed, wanted))
            fail_msg(
                "seed %llu: expected %s, printed %.*s\n%s", (unsigned long long)seed, wanted,
                found ? (int)strcspn(found, "\n") : 5, found ? found : "never",
                strstr(text_string(&programs[i]), getenv("TEPAL_ALL") ? "component" : "control {"));
        expected += length + 1;
    }
}

static void test_random_control(void **state) {
    Unit *unit = *state;
    if (!is_there(process_found("iverilog"), "iverilog")) return;
    uint64_t seed = getenv("TEPAL_SEED") ? strtoull(getenv("TEPAL_SEED"), NULL, 10) : 12;
    printf("seed %llu\n", (unsigned long long)seed);
    random_state = seed * 2 + 1;
    Text design = text_new(unit->arena), bench = text_new(unit->arena),
         expected = text_new(unit->arena);
    Maker *m = arena_new_of(unit->arena, Maker);
    Text programs[PROGRAMS];
    for (int i = 0; i < PROGRAMS; i++) {
        random_program(unit, m, i, &expected);
        if (!calyx_check(m->b.program, unit->diagnostics, "the test"))
            fail_msg("%s", unit_messages(unit));
        Netlist *netlist = rtl_construct(m->b.program, unit->arena, unit->diagnostics);
        if (!netlist) fail_msg("%s", unit_messages(unit));
        netlist_print_systemverilog(netlist, &design);
        print_bench(m, i, &bench);
        programs[i] = text_new(unit->arena);
        calyx_print_native(m->b.program, "hardware", &programs[i]);
    }
    text_append(&bench,
                "module bench;\n    reg clk = 0, reset = 1, go = 0;\n    wire [39:0] seen;\n"
                "    always #5 clk = ~clk;\n    initial #1000000 $finish;\n");
    for (int i = 0; i < PROGRAMS; i++)
        text_printf(&bench, "    run_%d r_%d(clk, reset, go, seen[%d]);\n", i, i, i);
    text_append(
        &bench,
        "    initial begin\n        repeat (2) @(negedge clk);\n        reset = 0;\n"
        "        @(negedge clk);\n        go = 1;\n        while (!(&seen)) @(negedge clk);\n"
        "        $finish;\n    end\nendmodule\n");
    const char *folder = scratch_folder(unit->arena);
    write_text(unit, folder, "design.sv", text_string(&design));
    write_text(unit, folder, "bench.sv", text_string(&bench));
    const char *printed =
        run(unit, folder, "iverilog -g2012 -o bench -s bench design.sv bench.sv && ./bench");
    compare(unit, printed, text_string(&expected), seed, programs);
    remove_tree(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(test_random_control)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
