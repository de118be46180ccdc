/* Random expressions: what Icarus computes from the printed SystemVerilog must be what C computes
 * from the operations as they were asked for, so that simplification, naming and printing are
 * tested together. The seed is printed; TEPAL_SEED=N repeats a run. */
#include "unit.h"
#include "hardware_run.h"
#include "rtl/netlist.h"

enum { MODULES = 30, INPUTS = 5, NODES = 40, VECTORS = 12, OUTPUTS = 8 };

static uint64_t random_state;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1du;
}

static int below(int limit) {
    return (int)(random_bits() >> 33) % limit;
}

/* An operation as it was asked for, and what expression() made of it. */
typedef struct Operation {
    ExpressionNode
        node; /* operands are indices of operations; SIGNAL: `signal` is the number of the input */
    Expression made;
} Operation;

typedef struct Sample {
    Netlist *netlist;
    Module *module;
    Operation operations[INPUTS + NODES * 2];
    int count, outputs[OUTPUTS];
} Sample;

static int width_at(const Sample *s, int i) {
    return s->operations[i].node.width;
}

static int add_operation(Sample *s, ExpressionNode node) {
    Operation *operation = &s->operations[s->count];
    operation->node = node;
    Expression made[3];
    for (int i = 0; i < 3; i++)
        made[i] = node.operands[i] < 0 ? -1 : s->operations[node.operands[i]].made;
    if (node.kind == EXPRESSION_CONSTANT)
        operation->made = expression_constant(s->netlist, s->module, node.width, node.value);
    else if (node.kind == EXPRESSION_SLICE)
        operation->made = expression_slice(s->netlist, s->module, made[0], node.low, node.width);
    else
        operation->made =
            expression(s->netlist, s->module, node.kind, node.width, made[0], made[1], made[2]);
    return s->count++;
}

static ExpressionNode node_new(ExpressionKind kind, int width, int a, int b, int c) {
    return (ExpressionNode){.kind = kind, .width = width, .operands = {a, b, c}, .signal = -1};
}

static int add_constant(Sample *s, int width) {
    static const Bits plain[] = {0, 1, 2, 3, ~(Bits)0};
    ExpressionNode node = node_new(EXPRESSION_CONSTANT, width, -1, -1, -1);
    node.value = (below(2) ? plain[below(5)] : random_bits()) & bits_mask(width);
    return add_operation(s, node);
}

/* An operation of a width: one that is there, made to fit, or a number. */
static int operand(Sample *s, int width) {
    if (below(5) == 0) return add_constant(s, width);
    int from = below(s->count), have = width_at(s, from);
    for (int tries = 0; have != width && tries < 4; tries++)
        have = width_at(s, from = below(s->count));
    if (have == width) return from;
    if (have < width)
        return add_operation(s, node_new(below(2) ? EXPRESSION_EXTEND : EXPRESSION_EXTEND_SIGNED,
                                         width, from, -1, -1));
    ExpressionNode node = node_new(EXPRESSION_SLICE, width, from, -1, -1);
    node.low = below(have - width + 1);
    return add_operation(s, node);
}

/* A divisor that is not 0, which has no value in Verilog. */
static int divisor(Sample *s, int width) {
    ExpressionNode one = node_new(EXPRESSION_CONSTANT, width, -1, -1, -1);
    one.value = 1;
    int number = add_operation(s, one), value = operand(s, width);
    return add_operation(s, node_new(EXPRESSION_OR, width, value, number, -1));
}

static void add_random(Sample *s) {
    static const int widths[] = {1, 1, 2, 5, 8, 16, 17, 32, 33, 63, 64};
    ExpressionKind kind =
        (ExpressionKind)(EXPRESSION_NOT + below(EXPRESSION_KINDS - EXPRESSION_NOT));
    int width = widths[below(11)], inner = widths[below(11)];
    switch (kind) {
    case EXPRESSION_NOT: add_operation(s, node_new(kind, width, operand(s, width), -1, -1)); return;
    case EXPRESSION_REDUCE_OR:
    case EXPRESSION_REDUCE_AND:
        add_operation(s, node_new(kind, 1, operand(s, inner), -1, -1));
        return;
    case EXPRESSION_MUX: {
        int c = operand(s, 1), a = operand(s, width), b = operand(s, width);
        add_operation(s, node_new(kind, width, c, a, b));
        return;
    }
    case EXPRESSION_CONCAT: {
        int high = operand(s, 1 + below(20)), low = operand(s, 1 + below(40));
        add_operation(s, node_new(kind, width_at(s, high) + width_at(s, low), high, low, -1));
        return;
    }
    case EXPRESSION_SLICE:
    case EXPRESSION_EXTEND:
    case EXPRESSION_EXTEND_SIGNED: operand(s, width); return;
    case EXPRESSION_DIVIDE:
    case EXPRESSION_REMAINDER:
    case EXPRESSION_DIVIDE_SIGNED:
    case EXPRESSION_REMAINDER_SIGNED: {
        int right = divisor(s, inner), left = operand(s, inner);
        add_operation(s, node_new(kind, inner, left, right, -1));
        return;
    }
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT:
    case EXPRESSION_SHIFT_RIGHT_SIGNED: {
        int value = operand(s, width), amount = operand(s, 1 + below(8));
        add_operation(s, node_new(kind, width, value, amount, -1));
        return;
    }
    default: {
        bool compares = kind >= EXPRESSION_EQ && kind <= EXPRESSION_GE_SIGNED;
        int left = operand(s, width), right = operand(s, width);
        add_operation(s, node_new(kind, compares ? 1 : width, left, right, -1));
    }
    }
}

static void sample_make(Sample *s, Netlist *netlist, int number) {
    s->netlist = netlist;
    s->module = module_new(netlist, string_format(netlist->arena, "sample_%d", number));
    s->count = 0;
    static const int input_widths[INPUTS] = {1, 8, 16, 32, 64};
    for (int i = 0; i < INPUTS; i++) {
        int signal = signal_add(netlist, s->module, string_format(netlist->arena, "in_%d", i),
                                SIGNAL_INPUT, input_widths[i]);
        s->operations[s->count++] =
            (Operation){.node = {.kind = EXPRESSION_SIGNAL,
                                 .width = input_widths[i],
                                 .operands = {-1, -1, -1},
                                 .signal = i},
                        .made = expression_signal(netlist, s->module, signal)};
    }
    while (s->count < NODES) add_random(s);
    for (int i = 0; i < OUTPUTS; i++) {
        s->outputs[i] = i < 4 ? s->count - 1 - i : below(s->count);
        const char *name = string_format(netlist->arena, "out_%d", i);
        int signal =
            signal_add(netlist, s->module, name, SIGNAL_OUTPUT, width_at(s, s->outputs[i]));
        s->module->signals.items[signal].value = s->operations[s->outputs[i]].made;
    }
}

static Bits evaluate(const Sample *s, const Bits inputs[INPUTS], int output) {
    Bits values[INPUTS + NODES * 2] = {0};
    for (int i = 0; i <= output; i++) {
        const ExpressionNode *node = &s->operations[i].node;
        Bits operands[3] = {0};
        int widths[3] = {0};
        for (int k = 0; k < expression_operands(node->kind); k++) {
            operands[k] = values[node->operands[k]];
            widths[k] = width_at(s, node->operands[k]);
        }
        if (node->kind == EXPRESSION_SIGNAL) operands[0] = inputs[node->signal];
        values[i] = expression_value(node, operands, widths);
    }
    return values[output];
}

/* A bench that gives each module all vectors, and what it should print. */
static void bench_make(Unit *unit, const Sample *samples, Bits vectors[VECTORS][INPUTS],
                       Text *bench, Text *expected) {
    (void)unit;
    text_append(bench,
                "module bench;\n    reg clk = 0, reset = 0;\n    reg in_0;\n    reg [7:0] in_1;\n"
                "    reg [15:0] in_2;\n"
                "    reg [31:0] in_3;\n    reg [63:0] in_4;\n");
    for (int m = 0; m < MODULES; m++) {
        for (int o = 0; o < OUTPUTS; o++)
            text_printf(bench, "    wire [%d:0] out_%d_%d;\n",
                        width_at(&samples[m], samples[m].outputs[o]) - 1, m, o);
        text_printf(bench, "    sample_%d dut_%d (.clk(clk), .reset(reset)", m, m);
        for (int i = 0; i < INPUTS; i++) text_printf(bench, ", .in_%d(in_%d)", i, i);
        for (int o = 0; o < OUTPUTS; o++) text_printf(bench, ", .out_%d(out_%d_%d)", o, m, o);
        text_append(bench, ");\n");
    }
    text_append(bench, "    initial begin\n");
    for (int v = 0; v < VECTORS; v++) {
        for (int i = 0; i < INPUTS; i++)
            text_printf(bench, "        in_%d = 64'h%llx;\n", i, (unsigned long long)vectors[v][i]);
        text_append(bench, "        #1;\n");
        for (int m = 0; m < MODULES; m++)
            for (int o = 0; o < OUTPUTS; o++) {
                Bits value = evaluate(&samples[m], vectors[v], samples[m].outputs[o]);
                text_printf(bench, "        $display(\"%d %d %d %%0h\", out_%d_%d);\n", v, m, o, m,
                            o);
                text_printf(expected, "%d %d %d %llx\n", v, m, o, (unsigned long long)value);
            }
    }
    text_append(bench, "        $finish;\n    end\nendmodule\n");
}

static void compare(const char *printed, const char *expected, uint64_t seed) {
    while (*expected) {
        size_t length = strcspn(expected, "\n");
        if (strncmp(printed, expected, length + 1) != 0)
            fail_msg("seed %llu: Icarus says %.*s, expected %.*s (vector, module, output, value)",
                     (unsigned long long)seed, (int)strcspn(printed, "\n"), printed, (int)length,
                     expected);
        expected += length + 1;
        printed += strcspn(printed, "\n") + 1;
    }
}

static void test_random(void **state) {
    Unit *unit = *state;
    if (!is_there(process_found("iverilog"), "iverilog")) return;
    uint64_t seed = getenv("TEPAL_SEED") ? strtoull(getenv("TEPAL_SEED"), NULL, 10) : 20240607;
    printf("seed %llu\n", (unsigned long long)seed);
    random_state = seed * 2 + 1;
    Netlist *netlist = arena_new_of(unit->arena, Netlist);
    netlist->arena = unit->arena;
    Sample *samples = arena_array(unit->arena, MODULES, sizeof *samples);
    for (int m = 0; m < MODULES; m++) sample_make(&samples[m], netlist, m);
    netlist_simplify(netlist);
    if (!netlist_check(netlist, unit->diagnostics, "simplification"))
        fail_msg("%s", unit_messages(unit));
    Bits vectors[VECTORS][INPUTS];
    static const int widths[INPUTS] = {1, 8, 16, 32, 64};
    for (int v = 0; v < VECTORS; v++)
        for (int i = 0; i < INPUTS; i++)
            vectors[v][i] = (v == 0 ? 0 : v == 1 ? ~(Bits)0 : random_bits()) & bits_mask(widths[i]);
    Text design = text_new(unit->arena), bench = text_new(unit->arena),
         expected = text_new(unit->arena);
    netlist_print_systemverilog(netlist, &design);
    bench_make(unit, samples, vectors, &bench, &expected);
    const char *folder = scratch_folder(unit->arena);
    write_text(unit, folder, "design.sv", text_string(&design));
    write_text(unit, folder, "bench.sv", text_string(&bench));
    const char *printed =
        run(unit, folder, "iverilog -g2012 -o bench -s bench design.sv bench.sv && ./bench");
    compare(printed, text_string(&expected), seed);
    if (process_found("verilator"))
        run(unit, folder, "verilator --lint-only -Wall -Wno-MULTITOP design.sv");
    const char *circt = circt_to_verilog(unit);
    if (circt) {
        Text mlir = text_new(unit->arena);
        netlist_print_mlir(netlist, &mlir);
        write_text(unit, folder, "design.mlir", text_string(&mlir));
        printed =
            run(unit, folder,
                string_format(
                    unit->arena,
                    "%s <design.mlir >design.sv && iverilog -g2012 -o bench -s bench design.sv "
                    "bench.sv && ./bench",
                    circt));
        compare(printed, text_string(&expected), seed);
    }
    remove_tree(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
