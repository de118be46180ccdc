/* Modulo scheduling: known II and depth, limits and their names, and random bodies against the
 * checker. */
#include "schedule_nests.h"

#include <time.h>

static void elementwise_add(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_F32, 4096),
        y = bench_memory(&bench, "y", SCALAR_F32, 4096);
    int z = bench_memory(&bench, "z", SCALAR_F32, 4096);
    bench_nest(&bench, "add", 300);
    int a = bench_load(&bench, x, 0, 1), b = bench_load(&bench, y, 0, 1);
    int sum = bench_op(&bench, OP_FLOAT_ADD, a, b);
    bench_store(&bench, z, sum, 0, 1);
    Schedule *schedule = bench_schedule(&bench, 100, 1);
    const NestSchedule *nest = &schedule->nests[0];
    assert_int_equal(nest->interval, 1);
    assert_null(nest->limit);
    /* Read, a rank behind the block RAM, five cycles of add, write. */
    assert_int_equal(nest->slots[sum].start - nest->slots[a].start, 2);
    assert_int_equal(nest->depth, 1 + 1 + 5 + 1);
    assert_int_equal(nest->cycles, 1 + 300 + 8 - 1);
    assert_int_equal(schedule->cycles, START_CYCLES + nest->cycles);
    assert_true(schedule->is_static);
    assert_int_equal(schedule->unit_count, 1);
    assert_int_equal(schedule->units[0].count, 1);
    assert_string_equal(schedule->units[0].role, "other");
    assert_int_equal(value_registers(nest, sum, nest->slots[sum].ready), 0);
    assert_int_equal(value_registers(nest, a, nest->slots[sum].start), 1);
}

/* sum[j] += a[..] * b[..], with the next access to the same sum `distance` iterations later. */
static Schedule *matmul(Bench *bench, int64_t distance, int parallel) {
    int a = bench_memory(bench, "a", SCALAR_F32, 4096),
        b = bench_memory(bench, "b", SCALAR_F32, 4096);
    int c = bench_memory(bench, "sum", SCALAR_F32, 4096);
    bench_nest(bench, "matmul", 4096);
    int product =
        bench_op(bench, OP_FLOAT_MULTIPLY, bench_load(bench, a, 0, 0), bench_load(bench, b, 0, 1));
    int before = bench_load(bench, c, 0, 1);
    int after = bench_store(bench, c, bench_op(bench, OP_FLOAT_ADD, before, product), 0, 1);
    bench_depends(after, before, distance);
    bench_depends(before, after, 0);
    bench_depends(after, after, distance);
    return bench_schedule(bench, 100, parallel);
}

static void matmul_far(void **state) {
    Bench bench = bench_new(state);
    Schedule *schedule = matmul(&bench, 16, 1);
    assert_int_equal(schedule->nests[0].interval, 1);
    /* Read a and b, rank, multiply 6, add 5, write. */
    assert_int_equal(schedule->nests[0].depth, 1 + 1 + 6 + 5 + 1);
    assert_int_equal(schedule->unit_count, 2);
    for (int u = 0; u < 2; u++) {
        assert_string_equal(schedule->units[u].role, "mac");
        assert_int_equal(schedule->units[u].count, 1);
        assert_int_equal(schedule->units[u].mac, 1);
    }
}

static void matmul_near(void **state) {
    const struct {
        int64_t distance;
        int interval;
    } cases[] = {{8, 1}, {7, 2}, {4, 2}, {3, 3}, {2, 4}, {1, 8}};
    Target target = {"ecp5-85k", 10};
    /* One more than is needed here: in a design the adder may have a multiplexer in front. */
    assert_int_equal(accumulation_cycles(&target, SCALAR_F32), 9);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Bench bench = bench_new(state);
        Schedule *schedule = matmul(&bench, cases[k].distance, 1);
        assert_int_equal(schedule->nests[0].interval, cases[k].interval);
        if (cases[k].interval > 1)
            assert_string_equal(schedule->nests[0].limit, "recurrence through sum");
    }
}

static void port_conflict(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_F32, 4096),
        y = bench_memory(&bench, "y", SCALAR_F32, 4096);
    bench_nest(&bench, "pairs", 100);
    int a = bench_load(&bench, x, 0, 2), b = bench_load(&bench, x, 1, 2);
    bench_store(&bench, y, bench_op(&bench, OP_FLOAT_MAXIMUM, a, b), 0, 1);
    Schedule *schedule = bench_schedule(&bench, 100, 1);
    assert_int_equal(schedule->nests[0].interval, 2);
    assert_string_equal(schedule->nests[0].limit, "read port of x");

    /* In two banks the two loads never meet. */
    Memory *memory = &bench.program->memories.items[x];
    memory->partition[0] = (Partition){PARTITION_CYCLIC, 2};
    assert_int_equal(access_bank(bench.program, bench.nest, &bench.nest->body.items[a]), 0);
    assert_int_equal(access_bank(bench.program, bench.nest, &bench.nest->body.items[b]), 1);
    schedule = bench_schedule(&bench, 100, 1);
    assert_int_equal(schedule->nests[0].interval, 1);
}

/* One adder for three adds. */
static void few_units(void **state) {
    Bench bench = bench_new(state);
    int x[4], y = bench_memory(&bench, "y", SCALAR_F32, 4096);
    for (int i = 0; i < 4; i++) x[i] = bench_memory(&bench, "x", SCALAR_F32, 4096);
    bench_nest(&bench, "sum", 100);
    int sum = bench_load(&bench, x[0], 0, 1);
    for (int i = 1; i < 4; i++)
        sum = bench_op(&bench, OP_FLOAT_ADD, sum, bench_load(&bench, x[i], 0, 1));
    bench_store(&bench, y, sum, 0, 1);
    const int intervals[] = {0, 3, 2, 1};
    for (int parallel = 1; parallel <= 3; parallel++) {
        Schedule *schedule = bench_schedule(&bench, 100, parallel);
        assert_int_equal(schedule->nests[0].interval, intervals[parallel]);
        assert_int_equal(schedule->unit_count, 1);
        assert_int_equal(schedule->units[0].count, parallel);
        /* 2 for the load, 3 x 5 for the adds, 1 for the store: and one where II 3 makes two adds
         * collide. */
        assert_in_range(schedule->nests[0].depth, 18, 23);
    }
}

/* A tail has units of its own; nests that run at other times share all units. */
static void roles_and_sharing(void **state) {
    Bench bench = bench_new(state);
    matmul(&bench, 16, 1);
    int c = bench.program->memories.count - 1;
    int scale = bench_memory(&bench, "scale", SCALAR_F32, 64),
        out = bench_memory(&bench, "out", SCALAR_F32, 4096);
    int sum = bench.nest->body.count - 2;
    bench_store(&bench, out,
                bench_op(&bench, OP_FLOAT_MULTIPLY, sum, bench_load(&bench, scale, 0, 1)), 0, 1);
    bench_nest(&bench, "scaled", 64);
    int a = bench_load(&bench, c, 0, 1), b = bench_load(&bench, scale, 0, 1);
    bench_store(&bench, out, bench_op(&bench, OP_FLOAT_MULTIPLY, a, b), 0, 1);
    Schedule *schedule = bench_schedule(&bench, 100, 1);
    assert_int_equal(schedule->nests[0].interval, 1);
    const UnitCount *multiply = &schedule->units[0];
    assert_string_equal(multiply->unit.primitive, "float_multiply");
    assert_int_equal(multiply->count, 2);
    assert_int_equal(multiply->mac, 1);
    assert_int_equal(multiply->tail, 1);
    /* The tail's multiplier knows `scale` already: the second nest takes that one. */
    assert_int_equal(schedule->nests[1].slots[2].instance, 1);
}

/* At a slow recurrence the tail does with the unit of the MACs. */
static void merged_pools(void **state) {
    Bench bench = bench_new(state);
    matmul(&bench, 4, 1);
    int out = bench_memory(&bench, "out", SCALAR_F32, 4096), sum = bench.nest->body.count - 2;
    bench_store(&bench, out, bench_op(&bench, OP_FLOAT_MULTIPLY, sum, sum), 0, 1);
    Schedule *schedule = bench_schedule(&bench, 100, 1);
    assert_int_equal(schedule->nests[0].interval, 2);
    assert_int_equal(schedule->units[0].count, 1);
    assert_int_equal(schedule->units[0].mac, 1);
}

/* Eight integer adds of 2.68 ns one after the other and a write of 3.4 ns, in as many cycles as the
 * clock makes of them: at 100 MHz three adds fit in a cycle, at 200 MHz one. */
static void chain_splitting(void **state) {
    const struct {
        double clock;
        int depth;
    } cases[] = {{25, 2}, {50, 3}, {100, 5}, {200, 10}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Bench bench = bench_new(state);
        int x = bench_memory(&bench, "x", SCALAR_I(8), 16),
            y = bench_memory(&bench, "y", SCALAR_I(8), 16);
        bench_nest(&bench, "chain", 16);
        int value = bench_load(&bench, x, 0, 1);
        for (int i = 0; i < 8; i++) value = bench_op(&bench, OP_ADD, value, value);
        bench_store(&bench, y, value, 0, 1);
        Schedule *schedule = bench_schedule(&bench, cases[k].clock, 1);
        assert_int_equal(schedule->nests[0].interval, 1);
        assert_int_equal(schedule->nests[0].depth, cases[k].depth);
    }
}

/* Loads are done late where their address is narrower than what they read. */
static void short_lifetimes(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_F32, 1024),
        y = bench_memory(&bench, "y", SCALAR_F32, 1024);
    int late = bench_memory(&bench, "late", SCALAR_F32, 1024),
        z = bench_memory(&bench, "z", SCALAR_F32, 1024);
    bench_nest(&bench, "fma", 100);
    int a = bench_load(&bench, x, 0, 1), b = bench_load(&bench, y, 0, 1),
        c = bench_load(&bench, late, 0, 1);
    int product = bench_op(&bench, OP_FLOAT_MULTIPLY, a, b),
        sum = bench_op(&bench, OP_FLOAT_ADD, product, c);
    bench_store(&bench, z, sum, 0, 1);
    Schedule *schedule = bench_schedule(&bench, 100, 1);
    const Slot *slots = schedule->nests[0].slots;
    assert_int_equal(slots[sum].start - slots[c].start, 2);
    assert_int_equal(slots[sum].start, slots[product].ready);
}

static void loops_count(void **state) {
    Bench bench = bench_new(state);
    int x = bench_memory(&bench, "x", SCALAR_F32, 1024);
    Node *loop = node_new(bench.arena, NODE_LOOP);
    loop->loop = (Loop){"outer", 10, 1};
    bench_nest(&bench, "copy", 100);
    bench_store(&bench, x, bench_load(&bench, x, 0, 1), 0, 1);
    vector_push(bench.arena, &loop->children, bench.program->root->children.items[0]);
    bench.program->root->children.items[0] = loop;
    Schedule *schedule = bench_schedule(&bench, 100, 1);
    int64_t turn = schedule->nests[0].cycles + LOOP_TURN_CYCLES;
    assert_int_equal(schedule->cycles, START_CYCLES + LOOP_ENTER_CYCLES + 10 * turn);
    loop->kind = NODE_WHILE;
    assert_false(bench_schedule(&bench, 100, 1)->is_static);
}

/* --- random bodies --- */

static uint64_t random_state;

static int random_below(int limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)limit);
}

static const Opcode random_opcodes[] = {OP_FLOAT_ADD,     OP_FLOAT_MULTIPLY, OP_FLOAT_SUBTRACT,
                                        OP_FLOAT_MAXIMUM, OP_FLOAT_DIVIDE,   OP_FLOAT_ADD,
                                        OP_FLOAT_MULTIPLY};

/* Loads, operations on any values so far, and stores, some with a predicate, with dependences
 * between accesses of a memory. Two of the memories have two banks. */
static void random_operation(Bench *bench, int i, int *values, int *count, int *predicate) {
    int choice = random_below(10), memory = random_below(6);
    int left = values[random_below(*count)];
    int right = values[*count - 1 - random_below(*count < 4 ? *count : 4)];
    if (choice == 9) {
        *predicate = bench_op(bench, OP_FLOAT_COMPARE, left, right);
        bench->nest->body.items[*predicate].type = SCALAR_I(1);
    } else if (choice < 3) {
        int access = choice < 2 ? bench_load(bench, memory, i, 1 + random_below(2))
                                : bench_store(bench, memory, right, i, 1 + random_below(2));
        if (choice < 2) values[(*count)++] = access;
        if (random_below(2)) bench->nest->body.items[access].predicate = *predicate;
    } else {
        values[(*count)++] = bench_op(bench, random_opcodes[random_below(7)], left, right);
    }
}

static void random_body(Bench *bench, int size) {
    for (int m = 0; m < 6; m++) {
        int memory = bench_memory(bench, "memory", SCALAR_F32, m < 2 ? 16 : 1024);
        if (m > 3)
            bench->program->memories.items[memory].partition[0] = (Partition){PARTITION_CYCLIC, 2};
    }
    bench_nest(bench, "random", 100);
    int *values = arena_array(bench->arena, (size_t)size + 2, sizeof(int)), count = 0;
    int predicate = -1;
    for (int i = 0; i < 2; i++) values[count++] = bench_load(bench, i, 0, 1);
    for (int i = 0; i < size; i++) random_operation(bench, i, values, &count, &predicate);
    for (int k = 0; k < size / 2 + 2; k++) {
        int from = random_below(bench->nest->body.count),
            to = random_below(bench->nest->body.count);
        const Operation *a = &bench->nest->body.items[from], *b = &bench->nest->body.items[to];
        bool accesses = a->memory >= 0 && a->memory == b->memory;
        if (!accesses || (a->opcode == OP_LOAD && b->opcode == OP_LOAD)) continue;
        bench_depends(from, to, from < to ? random_below(3) : 1 + random_below(20));
    }
}

static void random_bodies(void **state) {
    uint64_t seed = (uint64_t)time(NULL);
    print_message("seed %llu\n", (unsigned long long)seed);
    random_state = seed * 0x9e3779b97f4a7c15u | 1;
    for (int k = 0; k < 300; k++) {
        Bench bench = bench_new(state);
        random_body(&bench, 1 + random_below(k < 250 ? 30 : 120));
        bench_schedule(&bench, 30 + random_below(150), 1 + random_below(4));
    }
}

/* A long body takes no time: sixteen sums of products side by side, 1,000 operations. */
static void long_body(void **state) {
    Bench bench = bench_new(state);
    bench_nest(&bench, "long", 1000);
    for (int k = 0; k < 125; k++) {
        int a = bench_memory(&bench, "a", SCALAR_F32, 1024),
            b = bench_memory(&bench, "b", SCALAR_F32, 1024);
        int c = bench_memory(&bench, "c", SCALAR_F32, 1024);
        int x = bench_load(&bench, a, 0, 1), y = bench_load(&bench, b, 0, 1),
            z = bench_load(&bench, c, 0, 1);
        int product = bench_op(&bench, OP_FLOAT_MULTIPLY, x, y);
        int sum = bench_op(&bench, OP_FLOAT_ADD, z, product);
        int most = bench_op(&bench, OP_FLOAT_MAXIMUM, sum, x);
        int store = bench_store(&bench, c, bench_op(&bench, OP_FLOAT_NEGATE, most, -1), 0, 1);
        bench_depends(store, z, 9);
    }
    assert_int_equal(bench.nest->body.count, 1000);
    for (int parallel = 16; parallel <= 128; parallel *= 8) {
        clock_t begin = clock();
        Schedule *schedule = bench_schedule(&bench, 100, parallel);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        print_message("parallel %d: II %d, depth %d, %.3f s\n", parallel,
                      schedule->nests[0].interval, schedule->nests[0].depth, seconds);
        assert_int_equal(schedule->nests[0].interval, parallel < 128 ? 8 : 1);
        assert_true(seconds < 2); /* a tenth of it, on a machine that does nothing else */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(elementwise_add), UNIT_TEST(matmul_far),      UNIT_TEST(matmul_near),
        UNIT_TEST(port_conflict),   UNIT_TEST(few_units),       UNIT_TEST(roles_and_sharing),
        UNIT_TEST(merged_pools),    UNIT_TEST(chain_splitting), UNIT_TEST(short_lifetimes),
        UNIT_TEST(loops_count),     UNIT_TEST(random_bodies),   UNIT_TEST(long_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
