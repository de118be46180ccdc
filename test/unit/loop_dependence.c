/* Dependences and legal orders: known ones, and random nests against enumeration of all iterations.
 */
#include "loop_programs.h"

#include "loop/dependence.h"

/* The distance of the dependence from -> to that is at least `least`, -1 if there is none. */
static int64_t distance_of(Dependences dependences, int from, int to, int64_t least) {
    for (int i = 0; i < dependences.count; i++) {
        const Dependence *dependence = &dependences.items[i];
        if (dependence->from == from && dependence->to == to && dependence->distance >= least)
            return dependence->distance;
    }
    return -1;
}

/* out[16 i + j] += a[16 i + k] x b[16 k + j] over the loops in some order. */
static Maker matmul(Unit *unit, const int *order, int load_and_store[2]) {
    Maker maker = maker_new(unit->arena, 1);
    int a = make_memory(&maker, MEMORY_INPUT, "a", SCALAR_F32, 256);
    int b = make_memory(&maker, MEMORY_INPUT, "b", SCALAR_F32, 256);
    int out = make_memory(&maker, MEMORY_OUTPUT, "out", SCALAR_F32, 256);
    int64_t trips[] = {16, 16, 16}, left[3], right[3], sum[3];
    const int64_t weights[3][3] = {
        {16, 0, 16}, {0, 1, 1}, {1, 16, 0}}; /* of i, j, k in a, b, out */
    for (int k = 0; k < 3; k++) {
        left[k] = weights[order[k]][0];
        right[k] = weights[order[k]][1];
        sum[k] = weights[order[k]][2];
    }
    make_nest(&maker, "matmul", 3, trips);
    int x = make_load(&maker, a, make_form(&maker, 0, left));
    int y = make_load(&maker, b, make_form(&maker, 0, right));
    int product = make_binary(&maker, OP_FLOAT_MULTIPLY, x, y);
    load_and_store[0] = make_load(&maker, out, make_form(&maker, 0, sum));
    int next = make_binary(&maker, OP_FLOAT_ADD, load_and_store[0], product);
    load_and_store[1] = make_store(&maker, out, next, make_form(&maker, 0, sum));
    return maker;
}

static void distances_of_matmul(void **state) {
    Unit *unit = *state;
    static const int orders[3][3] = {{0, 1, 2}, {0, 2, 1}, {2, 0, 1}};
    static const int64_t distances[] = {1, 16, 256};
    for (int i = 0; i < 3; i++) {
        int access[2];
        Maker maker = matmul(unit, orders[i], access);
        Dependences all = nest_dependences(maker.program, maker.nest, unit->arena);
        assert_int_equal(all.count, 4);
        assert_int_equal(distance_of(all, access[0], access[1], 0), 0);
        assert_int_equal(distance_of(all, access[0], access[1], 1), distances[i]);
        assert_int_equal(distance_of(all, access[1], access[0], 1), distances[i]);
        assert_int_equal(distance_of(all, access[1], access[1], 1), distances[i]);
    }
}

static void orders_of_matmul(void **state) {
    Unit *unit = *state;
    int access[2];
    const int order[] = {0, 1, 2}, moved[] = {2, 0, 1};
    Maker maker = matmul(unit, order, access);
    assert_true(nest_allows_order(maker.program, maker.nest, moved));
}

/* s = s x 2 + x[i][k] over i, k: no other order. */
static void order_of_a_sum_stays(void **state) {
    Unit *unit = *state;
    Maker maker = maker_new(unit->arena, 1);
    int x = make_memory(&maker, MEMORY_INPUT, "x", SCALAR_F32, 12);
    int s = make_memory(&maker, MEMORY_OUTPUT, "s", SCALAR_F32, 1);
    const int64_t trips[] = {3, 4}, none[] = {0, 0}, each[] = {4, 1};
    make_nest(&maker, "sum", 2, trips);
    int before = make_load(&maker, s, make_form(&maker, 0, none));
    int value = make_load(&maker, x, make_form(&maker, 0, each));
    make_store(&maker, s, make_binary(&maker, OP_FLOAT_ADD, before, value),
               make_form(&maker, 0, none));
    const int swapped[] = {1, 0}, same[] = {0, 1};
    assert_false(nest_allows_order(maker.program, maker.nest, swapped));
    assert_true(nest_allows_order(maker.program, maker.nest, same));
}

/* A store in the first iteration of k, a load in all: the next store is a whole round later. */
static void predicates_count(void **state) {
    Unit *unit = *state;
    Maker maker = maker_new(unit->arena, 1);
    int x = make_memory(&maker, MEMORY_OUTPUT, "x", SCALAR_F32, 1);
    const int64_t trips[] = {5, 7}, none[] = {0, 0}, k[] = {0, 1};
    make_nest(&maker, "nest", 2, trips);
    Affine form = make_form(&maker, 0, k);
    bool never;
    int first = append_constraint(unit->arena, maker.nest, &form, true, &never);
    int value = append_constant(unit->arena, maker.nest, SCALAR_F32, 0);
    int store = make_store(&maker, x, value, make_form(&maker, 0, none));
    maker.nest->body.items[store].predicate = first;
    int load = make_load(&maker, x, make_form(&maker, 0, none));
    Dependences all = nest_dependences(maker.program, maker.nest, unit->arena);
    assert_int_equal(distance_of(all, store, store, 1), 7);
    assert_int_equal(distance_of(all, store, load, 0), 0);
    assert_int_equal(distance_of(all, load, store, 1), 1);
}

/* --- against enumeration --- */

typedef struct Trace {
    const Nest *nest;
    int64_t iterations;
    int64_t (*index)[8]; /* of each iteration */
} Trace;

static Trace trace_of(Arena *arena, const Nest *nest, int64_t outer) {
    Trace trace = {.nest = nest, .iterations = nest_trip_count(nest)};
    trace.index = arena_array(arena, (size_t)trace.iterations, sizeof *trace.index);
    for (int64_t t = 0; t < trace.iterations; t++) {
        int64_t rest = t;
        for (int i = nest->loop_count - 1; i >= nest->outer; i--) {
            trace.index[t][i] = rest % nest->loops[i].trip;
            rest /= nest->loops[i].trip;
        }
        for (int i = nest->outer - 1, left = (int)outer; i >= 0; i--) {
            trace.index[t][i] = left % nest->loops[i].trip;
            left /= (int)nest->loops[i].trip;
        }
    }
    return trace;
}

static int64_t value_of(const Trace *trace, const Affine *form, int64_t t) {
    int64_t value = form->constant;
    for (int i = 0; i < trace->nest->loop_count; i++)
        value += form->coefficients[i] * trace->index[t][i];
    return value;
}

/* True if the access happens in iteration t, or may happen if its predicate is not affine. */
static bool happens(Arena *arena, const Trace *trace, const Operation *access, int64_t t) {
    Constraints list = {0};
    predicate_constraints(arena, trace->nest, access->predicate, &list);
    for (int i = 0; i < list.count; i++) {
        int64_t value = value_of(trace, &list.items[i].form, t);
        if (value < 0 || (list.items[i].equality && value != 0)) return false;
    }
    return true;
}

static bool meet(Arena *arena, const Trace *trace, int a, int64_t t, int b, int64_t u) {
    const Operation *from = &trace->nest->body.items[a], *to = &trace->nest->body.items[b];
    if (!happens(arena, trace, from, t) || !happens(arena, trace, to, u)) return false;
    if (from->computed || to->computed) return true;
    return value_of(trace, &from->affine, t) == value_of(trace, &to->affine, u);
}

/* The least distance of at least `least` (0 or 1), over all values of the enclosing loops; -1 for
 * none. */
static int64_t enumerate(Arena *arena, const Nest *nest, int a, int b, int64_t least) {
    int64_t rounds = 1, best = -1;
    for (int i = 0; i < nest->outer; i++) rounds *= nest->loops[i].trip;
    for (int64_t round = 0; round < rounds; round++) {
        Trace trace = trace_of(arena, nest, round);
        for (int64_t t = 0; t < trace.iterations; t++)
            for (int64_t u = t + least; u < trace.iterations && (least || u == t); u++)
                if ((best < 0 || u - t < best) && meet(arena, &trace, a, t, b, u)) best = u - t;
    }
    return best;
}

static bool conflict(const Program *program, const Operation *a, const Operation *b) {
    if (!operation_is_access(a) || !operation_is_access(b) || a->memory != b->memory) return false;
    if (program->memories.items[a->memory].kind == MEMORY_CONSTANT) return false;
    return a->opcode == OP_STORE || b->opcode == OP_STORE;
}

static int pairs_checked;

static void check_nest(Nest *nest, void *context) {
    const Program *program = context;
    Arena *arena = arena_new();
    Dependences all = nest_dependences(program, nest, arena);
    for (int a = 0; a < nest->body.count; a++)
        for (int b = 0; b < nest->body.count; b++) {
            const Operation *from = &nest->body.items[a], *to = &nest->body.items[b];
            if (!conflict(program, from, to)) continue;
            int64_t expected = enumerate(arena, nest, a, b, 1);
            int64_t same = a < b ? enumerate(arena, nest, a, b, 0) : -1;
            int64_t got = distance_of(all, a, b, 1);
            bool got_same = false;
            for (int i = 0; i < all.count; i++)
                got_same = got_same || (all.items[i].from == a && all.items[i].to == b &&
                                        all.items[i].distance == 0);
            if (got != expected || got_same != (same == 0))
                fail_msg(
                    "nest %s, %%%d -> %%%d: distance %lld, not %lld; same iteration %d, not %d",
                    nest->name, a, b, (long long)got, (long long)expected, got_same, same == 0);
            pairs_checked++;
        }
    arena_free(arena);
}

static void random_nests_agree_with_enumeration(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Arena *arena = arena_new();
        Program *program = random_program(arena, seed);
        program_each_nest(program, check_nest, program);
        arena_free(arena);
    }
    print_message("%d pairs of accesses\n", pairs_checked);
    assert_true(pairs_checked > 500);
}

/* --- orders against enumeration --- */

static bool order_is_legal(Arena *arena, const Program *program, const Nest *nest,
                           const int *order) {
    Trace trace = trace_of(arena, nest, 0);
    int64_t *moved = arena_array(arena, (size_t)trace.iterations, sizeof *moved);
    for (int64_t t = 0; t < trace.iterations; t++)
        for (int k = nest->outer; k < nest->loop_count; k++) {
            int loop = nest->outer + order[k - nest->outer];
            moved[t] = moved[t] * nest->loops[loop].trip + trace.index[t][loop];
        }
    for (int a = 0; a < nest->body.count; a++)
        for (int b = 0; b < nest->body.count; b++) {
            if (!conflict(program, &nest->body.items[a], &nest->body.items[b])) continue;
            for (int64_t t = 0; t < trace.iterations; t++)
                for (int64_t u = t + 1; u < trace.iterations; u++)
                    if (moved[u] < moved[t] && meet(arena, &trace, a, t, b, u)) return false;
        }
    return true;
}

static int orders_checked, orders_legal;

static void check_orders(Nest *nest, void *context) {
    static const int orders[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    if (nest->loop_count != 3 || nest->outer != 0) return;
    for (int i = 0; i < 5; i++) {
        Arena *arena = arena_new();
        bool legal = order_is_legal(arena, context, nest, orders[i]);
        assert_int_equal(nest_allows_order(context, nest, orders[i]), legal);
        orders_checked++;
        orders_legal += legal;
        arena_free(arena);
    }
}

static void random_orders_agree_with_enumeration(void **state) {
    (void)state;
    for (uint64_t seed = 1000; seed < 1200; seed++) {
        Arena *arena = arena_new();
        Program *program = random_program(arena, seed);
        program_each_nest(program, check_orders, program);
        arena_free(arena);
    }
    print_message("%d orders, %d of them legal\n", orders_checked, orders_legal);
    assert_true(orders_checked > 100 && orders_legal > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(distances_of_matmul),
        UNIT_TEST(orders_of_matmul),
        UNIT_TEST(order_of_a_sum_stays),
        UNIT_TEST(predicates_count),
        cmocka_unit_test(random_nests_agree_with_enumeration),
        cmocka_unit_test(random_orders_agree_with_enumeration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
