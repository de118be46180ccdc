/* The operator library: latencies by clock and target, what constants and narrow operands save; and
 * banks. */
#include "schedule_nests.h"

#include "schedule/range.h"
#include "schedule/target.h"

static Unit unit_at(const Bench *bench, int operation, const char *name, double clock) {
    Target target = {name, 1000 / clock};
    return operator_unit(&target, bench->nest, &bench->nest->body.items[operation]);
}

static void latency_follows_the_clock(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_F32, 4096);
    bench_nest(&bench, "nest", 10);
    int load = bench_load(&bench, x, 0, 1);
    const Opcode opcodes[] = {OP_FLOAT_ADD, OP_FLOAT_SUBTRACT, OP_FLOAT_MULTIPLY, OP_FLOAT_DIVIDE,
                              OP_FLOAT_MAXIMUM};
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++) {
        int operation = bench_op(&bench, opcodes[k], load, load), last = 0;
        for (double clock = 10; clock <= 100; clock += 5) {
            Unit unit = unit_at(&bench, operation, "ecp5-85k", clock);
            assert_true(unit.latency >= last);
            assert_true(unit.input_delay <= 1000 / clock);
            last = unit.latency;
        }
        /* Beyond what the unit can do it does what it can. */
        assert_true(unit_at(&bench, operation, "ecp5-85k", 1000).latency >= last);
    }
    int add = bench_op(&bench, OP_FLOAT_ADD, load, load),
        product = bench_op(&bench, OP_FLOAT_MULTIPLY, load, load);
    assert_int_equal(unit_at(&bench, add, "generic", 100).latency, 5);
    assert_int_equal(unit_at(&bench, product, "generic", 100).latency, 6);
    assert_int_equal(unit_at(&bench, product, "generic", 80).latency, 4);
    /* A subtraction is done by an adder. */
    Unit sum = unit_at(&bench, add, "generic", 100);
    int minus = bench_op(&bench, OP_FLOAT_SUBTRACT, load, load);
    Unit difference = unit_at(&bench, minus, "generic", 100);
    assert_true(unit_equal(&sum, &difference));
}

static void targets_are_known(void **state) {
    (void)state;
    assert_true(target_known("ecp5-85k") && target_known("ice40-up5k") && target_known("xilinx"));
    assert_false(target_known("abacus"));
    assert_true(target_default_clock("ice40-up5k") < target_default_clock("ecp5-85k"));
    Target slow = {"ice40-up5k", 40}, fast = {"xilinx", 6.5};
    assert_true(accumulation_cycles(&slow, SCALAR_F32) < accumulation_cycles(&fast, SCALAR_F32));
    assert_true(accumulation_cycles(&fast, SCALAR_I(32)) < accumulation_cycles(&fast, SCALAR_F32));
}

static int extended(Bench *bench, int value, int width, Opcode opcode) {
    Operation op = operation_new(opcode, SCALAR_I(width));
    op.operands[0] = value;
    return nest_append(bench->arena, bench->nest, op);
}

static void narrow_products_are_small(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_I(8), 4096),
        y = bench_memory(&bench, "y", SCALAR_I(32), 4096);
    bench_nest(&bench, "nest", 10);
    int byte = bench_load(&bench, x, 0, 1), word = bench_load(&bench, y, 0, 1);
    int wide = extended(&bench, byte, 32, OP_EXTEND_SIGNED),
        natural = extended(&bench, byte, 32, OP_EXTEND_UNSIGNED);
    Unit narrow = unit_at(&bench, bench_op(&bench, OP_MULTIPLY, wide, natural), "generic", 100);
    assert_int_equal(narrow.operand_bits, 9);
    assert_int_equal(narrow.latency, 0);
    assert_true(narrow.shared);
    Unit full = unit_at(&bench, bench_op(&bench, OP_MULTIPLY, word, word), "generic", 100);
    assert_int_equal(full.operand_bits, 32);
    assert_true(full.latency > 0);
    /* By a constant: hardware of its own; by a power of two: wires. */
    Unit three = unit_at(
        &bench, bench_op(&bench, OP_MULTIPLY, wide, bench_constant(&bench, SCALAR_I(32), 3)),
        "generic", 100);
    assert_false(three.shared);
    Unit four = unit_at(
        &bench, bench_op(&bench, OP_MULTIPLY, word, bench_constant(&bench, SCALAR_I(32), 4)),
        "generic", 100);
    assert_int_equal(four.latency, 0);
    assert_true(four.input_delay < 0.01);
    /* More than one block is shared between nests, in few widths, but costs a nest no cycles. */
    Unit scale = unit_at(
        &bench, bench_op(&bench, OP_MULTIPLY, word, bench_constant(&bench, SCALAR_I(32), 3)),
        "generic", 100);
    assert_true(scale.shared && scale.ample && !full.ample);
    assert_false(unit_equal(&scale, &full));
    int longer = extended(&bench, word, 43, OP_EXTEND_SIGNED);
    scale = unit_at(
        &bench, bench_op(&bench, OP_MULTIPLY, longer, bench_constant(&bench, SCALAR_I(43), 70001)),
        "generic", 100);
    assert_int_equal(scale.type.width, 48);
    assert_int_equal(scale.operand_bits, 35);
    /* A conversion takes the bits that the value can have. */
    Operation convert = operation_new(OP_SIGNED_TO_FLOAT, SCALAR_F32);
    convert.operands[0] = wide;
    int real = nest_append(bench.arena, bench.nest, convert);
    assert_int_equal(unit_at(&bench, real, "generic", 100).operand_bits, 9);
    /* Unsigned division of what may be negative needs all bits. */
    Unit divide =
        unit_at(&bench, bench_op(&bench, OP_DIVIDE_UNSIGNED, wide, natural), "generic", 100);
    assert_int_equal(divide.operand_bits, 32);
    divide =
        unit_at(&bench, bench_op(&bench, OP_DIVIDE_UNSIGNED, natural, natural), "generic", 100);
    assert_int_equal(divide.operand_bits, 9);
}

static void ranges(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_I(8), 4096);
    bench_nest(&bench, "nest", 100);
    Operation op = operation_new(OP_INDEX, SCALAR_I(64));
    op.affine = bench_affine(&bench, 5, -3);
    int index = nest_append(bench.arena, bench.nest, op);
    Range range = value_range(bench.nest, index);
    assert_true(range.low == 5 - 3 * 99 && range.high == 5);
    int square = bench_op(&bench, OP_MULTIPLY, index, index);
    range = value_range(bench.nest, square);
    assert_true(range.high == 292 * 292 && range.low == -292 * 5);
    assert_int_equal(range_bits(range), 18);
    /* What leaves the type wraps around: nothing is known then. */
    int byte = bench_load(&bench, x, 0, 1);
    range = value_range(bench.nest, bench_op(&bench, OP_ADD, byte, byte));
    assert_true(range.low == -128 && range.high == 127);
}

/* The banks of a 4 x 6 array in two dimensions. */
static void banks(void **state) {
    Bench bench = bench_new(state);
    int m = bench_memory(&bench, "m", SCALAR_F32, 24);
    Memory *memory = &bench.program->memories.items[m];
    memory->rank = 2;
    memory->shape[0] = 4;
    memory->shape[1] = 6;
    memory->partition[0] = (Partition){PARTITION_BLOCK, 2};
    memory->partition[1] = (Partition){PARTITION_CYCLIC, 3};
    assert_int_equal(memory_banks(memory), 6);
    bench_nest(&bench, "nest", 2);
    /* m[2][3*i + 1]: block 1 of the rows, residue 1 of the columns. */
    int fixed = bench_load(&bench, m, 2 * 6 + 1, 3);
    assert_int_equal(access_bank(bench.program, bench.nest, &bench.nest->body.items[fixed]), 3 + 1);
    /* m[1][i], m[i+1][0]: it varies. */
    int columns = bench_load(&bench, m, 6, 1), rows = bench_load(&bench, m, 6, 6);
    assert_int_equal(access_bank(bench.program, bench.nest, &bench.nest->body.items[columns]), -1);
    assert_int_equal(access_bank(bench.program, bench.nest, &bench.nest->body.items[rows]), -1);
    /* m[i][4]: rows of block 0. */
    int block = bench_load(&bench, m, 4, 6);
    assert_int_equal(access_bank(bench.program, bench.nest, &bench.nest->body.items[block]), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(latency_follows_the_clock), UNIT_TEST(targets_are_known),
        UNIT_TEST(narrow_products_are_small), UNIT_TEST(ranges), UNIT_TEST(banks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
