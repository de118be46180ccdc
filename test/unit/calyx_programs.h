/* Small Calyx programs, built by hand, with what they compute and how long they take: for tests of
 * src/calyx and src/rtl. Each writes `result`, a memory of RESULTS words of 16 bits that the host
 * reads; some read `data`, which holds 3 x i + 1 at i. */
#ifndef TEPAL_TEST_CALYX_PROGRAMS_H
#define TEPAL_TEST_CALYX_PROGRAMS_H

#include "calyx/calyx.h"

enum { RESULTS = 8, DATA = 8, ADDRESS = 3, WORD = 16 };

typedef struct Build {
    CalyxProgram *program;
    Component *top;
    int result, data; /* cells; data -1 if there is none */
} Build;

static Build build_new(Arena *arena) {
    CalyxProgram *program = arena_new_of(arena, CalyxProgram);
    program->arena = arena;
    program->top = "top";
    return (Build){.program = program, .result = -1, .data = -1};
}

static int memory_add(Build *b, const char *name, bool writes) {
    int cell = cell_add(b->program, b->top, name, "tepal_memory", 4,
                        (int64_t[]){WORD, RESULTS, ADDRESS, 0});
    MemoryContents contents = {.tensor = name,
                               .type = SCALAR_I(WORD),
                               .elements = RESULTS,
                               .host_writes = writes,
                               .host_reads = !writes};
    b->top->cells.items[cell].external = true;
    b->top->cells.items[cell].memory = b->program->contents.count;
    vector_push(b->program->arena, &b->program->contents, contents);
    return cell;
}

static void top_begin(Build *b) {
    b->top = component_new(b->program, "top");
    b->result = memory_add(b, "result", false);
}

static int reg(Build *b, const char *name, int width) {
    int index = cell_add(b->program, b->top, name, "std_reg", 1, (int64_t[]){width});
    b->top->cells.items[index].starts_at_zero = true;
    return index;
}

static int cell(Build *b, const char *name, const char *primitive, int width) {
    return cell_add(b->program, b->top, name, primitive, 1, (int64_t[]){width});
}

static Port port(Build *b, int of, const char *name) {
    return cell_port(b->top, of, name);
}
static Port out(Build *b, int of) {
    return cell_port(b->top, of, "out");
}

static void set(Build *b, int group, int of, const char *name, Port source, int guard) {
    assign(b->program, b->top, group, cell_port(b->top, of, name), source, guard);
}

/* Writes a register. */
static void put(Build *b, int group, int of, Port value, int guard) {
    set(b, group, of, "in", value, guard);
    set(b, group, of, "write_en", literal(1, 1), guard);
}

static int group(Build *b, const char *name, int latency) {
    return group_add(b->program, b->top, name, latency);
}

/* A cell that adds; returns its output. */
static Port sum(Build *b, int group_index, const char *name, Port left, Port right) {
    int add = cell(b, name, "std_add", left.width);
    set(b, group_index, add, "left", left, 0);
    set(b, group_index, add, "right", right, 0);
    return out(b, add);
}

/* A static group of one cycle that writes a value to a word of `result`. */
static int store(Build *b, const char *name, int word, Port value) {
    int g = group(b, name, 1);
    set(b, g, b->result, "write_address", literal(ADDRESS, (Bits)word), 0);
    set(b, g, b->result, "write_data", value, 0);
    set(b, g, b->result, "write_enable", literal(1, 1), 0);
    return g;
}

static Control *enable(Build *b, int g) {
    return control_enable(b->program, g, b->top->groups.items[g].latency > 0);
}

static Control *block(Build *b, ControlKind kind, bool is_static, int count,
                      Control *const *children) {
    Control *control = control_new(b->program, kind, is_static);
    for (int i = 0; i < count; i++) control_append(b->program, control, children[i]);
    return control;
}
#define BLOCK(b, kind, is_static, ...)                                                             \
    block((b), (kind), (is_static), (int)(sizeof((Control *[]){__VA_ARGS__}) / sizeof(Control *)), \
          (Control *[]){__VA_ARGS__})

static Control *repeat(Build *b, int64_t times, Control *body) {
    Control *control = BLOCK(b, CONTROL_REPEAT, body->is_static, body);
    control->times = times;
    return control;
}

/* --- the programs --- */

/* One group, repeated. */
static void program_counter(Build *b) {
    top_begin(b);
    int count = reg(b, "count", WORD), step = group(b, "step", 1);
    put(b, step, count, sum(b, step, "next", out(b, count), literal(WORD, 3)), 0);
    int keep = store(b, "keep", 2, out(b, count));
    b->top->groups.items[step].comment = "adds 3";
    b->top->control =
        BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, 10, enable(b, step)), enable(b, keep));
}

/* Repeats in repeats, of one group and of more, some of a single turn. */
static void program_nested(Build *b) {
    top_begin(b);
    int x = reg(b, "x", WORD), y = reg(b, "y", WORD), more = group(b, "more", 1),
        mix = group(b, "mix", 2);
    put(b, more, x, sum(b, more, "x_next", out(b, x), literal(WORD, 1)), 0);
    put(b, mix, y, sum(b, mix, "y_next", out(b, y), out(b, x)),
        guard_time(b->program, b->top, 1, 2));
    int keep_x = store(b, "keep_x", 0, out(b, x)), keep_y = store(b, "keep_y", 1, out(b, y));
    Control *inner = BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, 4, enable(b, more)),
                           repeat(b, 2, enable(b, mix)));
    Control *middle = BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, 2, inner), enable(b, more));
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, 3, middle),
                            repeat(b, 1, enable(b, keep_x)), enable(b, keep_y));
}

/* Two groups use one adder; a third writes a register with the other's value. */
static void program_shared(Build *b) {
    top_begin(b);
    int add = cell(b, "add", "std_add", WORD), x = reg(b, "x", WORD), y = reg(b, "y", WORD);
    int first = group(b, "first", 1), second = group(b, "second", 1), third = group(b, "third", 1);
    set(b, first, add, "left", out(b, x), 0);
    set(b, first, add, "right", literal(WORD, 5), 0);
    put(b, first, x, out(b, add), 0);
    set(b, second, add, "left", out(b, x), 0);
    set(b, second, add, "right", out(b, y), 0);
    put(b, second, y, out(b, add), 0);
    put(b, third, x, out(b, y), 0);
    int keep = store(b, "keep", 7, out(b, x));
    Control *turn =
        BLOCK(b, CONTROL_SEQUENCE, true, enable(b, first), enable(b, second), enable(b, third));
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, 3, turn), enable(b, keep));
}

/* A group of three cycles, whose slots share an adder. */
static void program_slots(Build *b) {
    top_begin(b);
    int add = cell(b, "add", "std_add", WORD), x = reg(b, "x", WORD), y = reg(b, "y", WORD),
        z = reg(b, "z", WORD);
    int turn = group(b, "turn", 3);
    int registers[] = {x, y, z};
    Port left[] = {out(b, x), out(b, x), out(b, y)};
    Port right[] = {literal(WORD, 1), out(b, y), out(b, z)};
    for (int i = 0; i < 3; i++) {
        int slot = guard_time(b->program, b->top, i, i + 1);
        set(b, turn, add, "left", left[i], slot);
        set(b, turn, add, "right", right[i], slot);
        put(b, turn, registers[i], out(b, add), slot);
    }
    int keep_y = store(b, "keep_y", 0, out(b, y)), keep_z = store(b, "keep_z", 1, out(b, z));
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, 5, enable(b, turn)),
                            enable(b, keep_y), enable(b, keep_z));
}

/* result[i] = data[i] + 100, one word per cycle: the address runs ahead of the data by one stage.
 */
static void program_copy(Build *b) {
    top_begin(b);
    b->data = memory_add(b, "data", true);
    int i = reg(b, "i", ADDRESS), before = reg(b, "i_d1", ADDRESS), valid = reg(b, "valid", 1);
    int start = group(b, "copy_start", 1), copy = group(b, "copy", 1);
    b->top->cells.items[i].starts_at_zero = b->top->cells.items[before].starts_at_zero = false;
    put(b, start, i, literal(ADDRESS, 0), 0);
    put(b, start, valid, literal(1, 0), 0);
    set(b, copy, b->data, "read_address", out(b, i), 0);
    set(b, copy, b->data, "read_enable", literal(1, 1), 0);
    put(b, copy, i, sum(b, copy, "i_next", out(b, i), literal(ADDRESS, 1)), 0);
    put(b, copy, before, out(b, i), 0);
    put(b, copy, valid, literal(1, 1), 0);
    int is_valid = guard_port(b->program, b->top, out(b, valid));
    set(b, copy, b->result, "write_address", out(b, before), 0);
    set(b, copy, b->result, "write_data",
        sum(b, copy, "plus", port(b, b->data, "read_data"), literal(WORD, 100)), 0);
    set(b, copy, b->result, "write_enable", literal(1, 1), is_valid);
    b->top->groups.items[copy].comment = "i 8; II 1, depth 2";
    b->top->control =
        BLOCK(b, CONTROL_SEQUENCE, true, enable(b, start), repeat(b, RESULTS + 1, enable(b, copy)));
}

/* Static and dynamic parallel children of different lengths. */
static void program_parallel(Build *b) {
    top_begin(b);
    int x = reg(b, "x", WORD), y = reg(b, "y", WORD), one = group(b, "one", 1),
        two = group(b, "two", 2);
    put(b, one, x, sum(b, one, "x_next", out(b, x), literal(WORD, 2)), 0);
    put(b, two, y, sum(b, two, "y_next", out(b, y), literal(WORD, 7)),
        guard_time(b->program, b->top, 0, 1));
    int keep_x = store(b, "keep_x", 3, out(b, x)), keep_y = store(b, "keep_y", 4, out(b, y));
    Control *first = BLOCK(b, CONTROL_PARALLEL, true, repeat(b, 5, enable(b, one)),
                           repeat(b, 4, enable(b, two)));
    Control *second =
        BLOCK(b, CONTROL_PARALLEL, false, repeat(b, 6, enable(b, one)), enable(b, two));
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, false, repeat(b, 2, first), second,
                            enable(b, keep_x), enable(b, keep_y));
}

/* Collatz steps from 6 to 1: while and if with a condition that a register holds. */
static void program_while(Build *b) {
    CalyxProgram *program = b->program;
    top_begin(b);
    int x = reg(b, "x", WORD), steps = reg(b, "steps", WORD), odd = reg(b, "odd", 1),
        goes_on = reg(b, "goes_on", 1);
    int start = group(b, "start_6", 1), test = group(b, "test", 1), half = group(b, "half", 1),
        triple = group(b, "triple", 1);
    put(b, start, x, literal(WORD, 6), 0);
    put(b, start, goes_on, literal(1, 1), 0);

    int bit = cell_add(program, b->top, "bit_0", "std_slice", 2, (int64_t[]){WORD, 1});
    set(b, test, bit, "in", out(b, x), 0);
    put(b, test, odd, out(b, bit), 0);
    put(b, test, steps, sum(b, test, "steps_next", out(b, steps), literal(WORD, 1)), 0);

    int shift = cell(b, "shift", "std_rsh", WORD), last = cell(b, "last", "std_neq", WORD);
    set(b, half, shift, "left", out(b, x), 0);
    set(b, half, shift, "right", literal(WORD, 1), 0);
    put(b, half, x, out(b, shift), 0);
    set(b, half, last, "left", out(b, shift), 0);
    set(b, half, last, "right", literal(WORD, 1), 0);
    put(b, half, goes_on, out(b, last), 0);

    Port twice = sum(b, triple, "twice", out(b, x), out(b, x));
    Port thrice = sum(b, triple, "thrice", twice, out(b, x));
    put(b, triple, x, sum(b, triple, "thrice_1", thrice, literal(WORD, 1)), 0);

    int keep = store(b, "keep", 0, out(b, steps)), keep_x = store(b, "keep_x", 1, out(b, x));
    Control *branch = BLOCK(b, CONTROL_IF, true, enable(b, triple), enable(b, half));
    branch->condition = out(b, odd);
    Control *loop =
        BLOCK(b, CONTROL_WHILE, false, BLOCK(b, CONTROL_SEQUENCE, true, enable(b, test), branch));
    loop->condition = out(b, goes_on);
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, false, enable(b, start), loop, enable(b, keep),
                            enable(b, keep_x));
}

/* Dynamic groups, repeated, with a branch that may be empty. */
static void program_dynamic(Build *b) {
    top_begin(b);
    int x = reg(b, "x", WORD), flag = reg(b, "flag", 1), add = group(b, "add", 0),
        flip = group(b, "flip", 0);
    int often = group(b, "often", 0), rare = group(b, "rare", 0), y = reg(b, "y", WORD);
    put(b, add, x, sum(b, add, "x_next", out(b, x), literal(WORD, 9)), 0);
    group_done(b->top, add, port(b, x, "done"), 0);
    int invert = cell(b, "invert", "std_not", 1);
    set(b, flip, invert, "in", out(b, flag), 0);
    put(b, flip, flag, out(b, invert), 0);
    group_done(b->top, flip, port(b, flag, "done"), 0);
    put(b, rare, y, sum(b, rare, "y_next", out(b, y), out(b, x)), 0);
    group_done(b->top, rare, literal(1, 1), guard_port(b->program, b->top, port(b, y, "done")));
    set(b, often, b->result, "write_address", literal(ADDRESS, 5), 0);
    set(b, often, b->result, "write_data", out(b, y), 0);
    int wait = reg(b, "wait_1", 1);
    set(b, often, b->result, "write_enable", literal(1, 1), 0);
    put(b, often, wait, literal(1, 1), 0);
    group_done(b->top, often, port(b, wait, "done"), 0);
    Control *branch =
        BLOCK(b, CONTROL_IF, false, enable(b, rare), control_new(b->program, CONTROL_EMPTY, false));
    branch->condition = out(b, flag);
    Control *turn = BLOCK(b, CONTROL_SEQUENCE, false, enable(b, add), enable(b, flip), branch);
    b->top->control =
        BLOCK(b, CONTROL_SEQUENCE, false, repeat(b, 4, turn), repeat(b, 2, enable(b, often)));
}

/* A component that adds 4 times what is at its input to its register, invoked twice. */
static void program_invoke(Build *b) {
    CalyxProgram *program = b->program;
    b->top = component_new(program, "accumulate");
    Port in = component_port_add(program, b->top, "amount", PORT_INPUT, WORD);
    Port total = component_port_add(program, b->top, "total", PORT_OUTPUT, WORD);
    int x = reg(b, "x", WORD), step = group(b, "step", 1);
    put(b, step, x, sum(b, step, "x_next", out(b, x), in), 0);
    assign(program, b->top, -1, total, out(b, x), 0);
    b->top->control = repeat(b, 4, enable(b, step));

    top_begin(b);
    int unit = cell_add_instance(program, b->top, "unit_0", 0),
        keep = store(b, "keep", 6, port(b, unit, "total"));
    assign(program, b->top, -1, port(b, unit, "amount"), literal(WORD, 11), 0);
    Control *invoke = control_new(program, CONTROL_INVOKE, false);
    invoke->cell = unit;
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, false, invoke, invoke, enable(b, keep));
}

/* A unit of hardware/ with a pipeline: result[0] = the f16 sum of 1.5 and 2.25. */
static void program_float(Build *b) {
    top_begin(b);
    int add = cell_add(b->program, b->top, "add", "tepal_float_add", 3, (int64_t[]){16, 5, 3});
    int x = reg(b, "x", 16), turn = group(b, "turn", 4);
    int first = guard_time(b->program, b->top, 0, 1), last = guard_time(b->program, b->top, 3, 4);
    set(b, turn, add, "left", literal(16, 0x3e00), first);
    set(b, turn, add, "right", literal(16, 0x4080), first);
    put(b, turn, x, out(b, add), last);
    int keep = store(b, "keep", 0, out(b, x));
    b->top->control = BLOCK(b, CONTROL_SEQUENCE, true, enable(b, turn), enable(b, keep));
}

/* The sum of a ROM's words. */
static const uint16_t rom_words[RESULTS] = {5, 1000, 65535, 7, 0, 12, 40000, 1};
static void program_rom(Build *b) {
    top_begin(b);
    int rom = cell_add(b->program, b->top, "weights", "tepal_rom", 4,
                       (int64_t[]){WORD, RESULTS, ADDRESS, 0});
    MemoryContents contents = {.tensor = "weights",
                               .type = SCALAR_I(WORD),
                               .elements = RESULTS,
                               .data = rom_words,
                               .image = "weights.hex"};
    b->top->cells.items[rom].memory = b->program->contents.count;
    vector_push(b->program->arena, &b->program->contents, contents);
    int i = reg(b, "i", ADDRESS), total = reg(b, "total", WORD), valid = reg(b, "valid", 1),
        add = group(b, "add_all", 1);
    set(b, add, rom, "read_enable", literal(1, 1), 0);
    set(b, add, rom, "read_address", out(b, i), 0);
    put(b, add, i, sum(b, add, "i_next", out(b, i), literal(ADDRESS, 1)), 0);
    put(b, add, valid, literal(1, 1), 0);
    put(b, add, total, sum(b, add, "total_next", out(b, total), port(b, rom, "read_data")),
        guard_port(b->program, b->top, out(b, valid)));
    int keep = store(b, "keep", 1, out(b, total));
    b->top->control =
        BLOCK(b, CONTROL_SEQUENCE, true, repeat(b, RESULTS + 1, enable(b, add)), enable(b, keep));
}

typedef struct ProgramCase {
    const char *name;
    void (*build)(Build *b);
    int cycles; /* of control: groups and what stands between them; without the start */
    int slack;  /* the official compiler's hardware may take so many more: for dynamic control only
                 */
    uint16_t result[RESULTS];
} ProgramCase;

static const ProgramCase program_cases[] = {
    {"counter", program_counter, 11, 0, {0, 0, 30}},
    {"nested", program_nested, 53, 0, {27, 180}},
    {"shared", program_shared, 10, 0, {0, 0, 0, 0, 0, 0, 0, 35}},
    {"slots", program_slots, 17, 0, {15, 35}},
    {"copy", program_copy, 10, 0, {101, 104, 107, 110, 113, 116, 119, 122}},
    {"parallel", program_parallel, 24, 0, {0, 0, 0, 32, 63}},
    {"while", program_while, 19, 4, {8, 1}},
    {"dynamic", program_dynamic, 24, 16, {0, 0, 0, 0, 0, 36}},
    {"invoke", program_invoke, 13, 0, {0, 0, 0, 0, 0, 0, 88}},
    {"float", program_float, 5, 0, {0x4380}},
    {"rom", program_rom, 10, 0, {0, 41024}},
};
enum { PROGRAM_CASES = sizeof program_cases / sizeof *program_cases };

#endif
