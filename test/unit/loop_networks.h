/* Random networks: chains of copies, fills, reductions and elementwise nests that fit each other,
 * as models give them. The fusing passes find work in these. */
#ifndef TEPAL_TEST_LOOP_NETWORKS_H
#define TEPAL_TEST_LOOP_NETWORKS_H

#include "loop_programs.h"

/* A tensor in a memory. */
typedef struct Value {
    int memory, rank;
    int64_t shape[3];
} Value;

typedef struct Network {
    Maker maker;
    Vector(Value) values;
    int nests, memories;
} Network;

static inline int64_t value_elements(const Value *value) {
    int64_t elements = 1;
    for (int i = 0; i < value->rank; i++) elements *= value->shape[i];
    return elements;
}

static inline Value network_value(Network *network, MemoryKind kind, int rank,
                                  const int64_t *shape) {
    Value value = {.rank = rank};
    for (int i = 0; i < rank; i++) value.shape[i] = shape[i];
    const char *name = string_format(network->maker.arena, "m%d", network->memories++);
    value.memory = make_memory(&network->maker, kind, name, SCALAR_F32, value_elements(&value));
    Memory *memory = &network->maker.program->memories.items[value.memory];
    if (kind == MEMORY_CONSTANT) random_contents(&network->maker, memory);
    return value;
}

static inline void network_nest(Network *network, int loops, const int64_t *trips) {
    Maker *maker = &network->maker;
    make_nest(maker, string_format(maker->arena, "nest%d", network->nests++), loops, trips);
}

/* The address of an element whose index in dimension d is loop loops[d] (plus offsets[d]). */
static inline Affine network_address(Network *network, const Value *value, const int *loops,
                                     const int64_t *offsets) {
    Affine form = affine_new(network->maker.arena, network->maker.nest->loop_count, 0);
    int64_t weight = 1;
    for (int d = value->rank - 1; d >= 0; d--) {
        if (loops[d] >= 0) form.coefficients[loops[d]] += weight;
        if (offsets) form.constant += weight * offsets[d];
        weight *= value->shape[d];
    }
    return form;
}

static inline Affine network_identity(Network *network, const Value *value) {
    static const int loops[] = {0, 1, 2};
    return network_address(network, value, loops, NULL);
}

static inline Value *network_any(Network *network) {
    /* The latest ones most often. */
    int count = network->values.count, back = make_below(&network->maker, 3);
    return &network->values.items[count - 1 - (back < count ? back : 0)];
}

static inline int network_constant(Network *network, double value) {
    return append_constant(network->maker.arena, network->maker.nest, SCALAR_F32,
                           bits_from_double(SCALAR_F32, value));
}

/* One of: relu, + constant, x itself, negation, / 3. */
static inline int network_function(Network *network, int value) {
    Maker *maker = &network->maker;
    int zero, flag;
    switch (make_below(maker, 5)) {
    case 0:
        zero = network_constant(network, 0);
        flag = append_compare(maker->arena, maker->nest, OP_FLOAT_COMPARE, FLOAT_UGT, value, zero);
        return append_select(maker->arena, maker->nest, flag, value, zero);
    case 1: return make_binary(maker, OP_FLOAT_ADD, value, network_constant(network, 0.5));
    case 2: return make_binary(maker, OP_FLOAT_MULTIPLY, value, value);
    case 3: return append_unary(maker->arena, maker->nest, OP_FLOAT_NEGATE, SCALAR_F32, value);
    default:
        return make_binary(maker, OP_FLOAT_DIVIDE, value,
                           network_constant(network, make_below(maker, 2) ? 3 : -0.25));
    }
}

/* y = f(x), perhaps + another value of that shape, perhaps in place, perhaps with one loop over
 * all. */
static inline void network_elementwise(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network), y = x;
    bool in_place =
        make_below(maker, 3) == 0 && maker->program->memories.items[x.memory].kind == MEMORY_LOCAL;
    if (!in_place) y = network_value(network, MEMORY_LOCAL, x.rank, x.shape);
    int64_t flat[] = {value_elements(&x)};
    bool collapsed = make_below(maker, 4) == 0;
    network_nest(network, collapsed ? 1 : x.rank, collapsed ? flat : x.shape);
    Affine form = affine_new(maker->arena, 1, 0);
    form.coefficients[0] = 1;
    if (!collapsed) form = network_identity(network, &x);
    int value = network_function(network, make_load(maker, x.memory, form));
    for (int i = 0; i < network->values.count && make_below(maker, 2); i++) {
        const Value *other = &network->values.items[i];
        if (other->rank != x.rank || memcmp(other->shape, x.shape, sizeof x.shape) != 0) continue;
        value = make_binary(maker, OP_FLOAT_ADD, value, make_load(maker, other->memory, form));
        break;
    }
    if (make_below(maker, 10) == 0) { /* and what it stores itself, in the other direction */
        Affine back = affine_new(maker->arena, maker->nest->loop_count, flat[0] - 1);
        for (int i = 0; i < maker->nest->loop_count; i++)
            back.coefficients[i] = -form.coefficients[i];
        value = make_binary(maker, OP_FLOAT_ADD, value, make_load(maker, y.memory, back));
    }
    int predicate = make_below(maker, 8) ? -1 : random_condition(maker);
    int store = make_store(maker, y.memory, value, form);
    maker->nest->body.items[store].predicate = predicate;
    if (predicate >= 0 && make_below(maker, 2)) { /* else something else */
        int one = append_constant(maker->arena, maker->nest, SCALAR_I(1), 1);
        int other = append_binary(maker->arena, maker->nest, OP_XOR, predicate, one);
        store = make_store(maker, y.memory, network_constant(network, 4), form);
        maker->nest->body.items[store].predicate = other;
    }
    if (!in_place) vector_push(maker->arena, &network->values, y);
}

/* y[a, b, c] = x[some order of them]; a dimension may be new (a broadcast). */
static inline void network_transpose(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    int loops[3] = {-1, -1, -1}, free_loops[3] = {0, 1, 2};
    int64_t shape[3];
    for (int i = 0; i < 3; i++) shape[i] = 1 + make_below(maker, 3);
    for (int d = 0, left = 3; d < x.rank; d++, left--) {
        int pick = make_below(maker, left);
        loops[d] = free_loops[pick];
        free_loops[pick] = free_loops[left - 1];
        shape[loops[d]] = x.shape[d];
    }
    Value y = network_value(network, MEMORY_LOCAL, 3, shape);
    network_nest(network, 3, shape);
    int value = make_load(maker, x.memory, network_address(network, &x, loops, NULL));
    make_store(maker, y.memory, value, network_identity(network, &y));
    vector_push(maker->arena, &network->values, y);
}

/* y = x with a border of zeros (or another number) in the last two dimensions, by a predicate. */
static inline void network_pad(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    if (x.rank != 3) return;
    const int64_t shape[] = {x.shape[0], x.shape[1] + 2, x.shape[2] + 1};
    Value y = network_value(network, MEMORY_LOCAL, 3, shape);
    network_nest(network, 3, shape);
    static const int loops[] = {0, 1, 2};
    static const int64_t offsets[] = {0, -1, -1};
    int inside = -1;
    for (int d = 1; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            Affine edge = affine_new(maker->arena, 3, side ? x.shape[d] : -1);
            edge.coefficients[d] = side ? -1 : 1;
            bool never;
            int part = append_constraint(maker->arena, maker->nest, &edge, false, &never);
            inside = append_and(maker->arena, maker->nest, inside, part);
        }
    int value = make_load(maker, x.memory, network_address(network, &x, loops, offsets));
    maker->nest->body.items[value].predicate = inside;
    if (make_below(maker, 2))
        value = append_select(maker->arena, maker->nest, inside, value,
                              network_constant(network, make_below(maker, 2) ? 0 : -7));
    make_store(maker, y.memory, value, network_identity(network, &y));
    vector_push(maker->arena, &network->values, y);
}

/* A fill of y: a number, or a bias by the first dimension. */
static inline void network_fill(Network *network, const Value *y) {
    Maker *maker = &network->maker;
    Value bias = {0};
    bool has_bias = make_below(maker, 2);
    if (has_bias) bias = network_value(network, MEMORY_CONSTANT, 1, y->shape);
    network_nest(network, y->rank, y->shape);
    static const int loops[] = {0};
    int value = has_bias
                    ? make_load(maker, bias.memory, network_address(network, &bias, loops, NULL))
                    : network_constant(network, make_below(maker, 2));
    make_store(maker, y->memory, value, network_identity(network, y));
}

/* y[o, h, w] += x[c, h + a, w + b] x weight[o, c, a, b] */
static inline void network_convolution(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    if (x.rank != 3) return;
    int64_t a = 1 + make_below(maker, (int)x.shape[1]), b = 1 + make_below(maker, (int)x.shape[2]);
    const int64_t shape[] = {1 + make_below(maker, 3), x.shape[1] - a + 1, x.shape[2] - b + 1};
    const int64_t weights[] = {shape[0], x.shape[0] * a * b};
    Value y = network_value(network, MEMORY_LOCAL, 3, shape);
    Value weight = network_value(network, MEMORY_CONSTANT, 2, weights);
    if (make_below(maker, 5)) network_fill(network, &y);
    const int64_t trips[] = {shape[0], shape[1], shape[2], x.shape[0], a, b};
    network_nest(network, 6, trips);
    static const int x_loops[] = {3, 1, 2};
    Affine x_form = network_address(network, &x, x_loops, NULL);
    x_form.coefficients[4] = x.shape[2];
    x_form.coefficients[5] = 1;
    const int64_t w_form[] = {weights[1], 0, 0, a * b, b, 1};
    int value = make_load(maker, x.memory, x_form);
    int factor = make_load(maker, weight.memory, make_form(maker, 0, w_form));
    int sum = make_load(maker, y.memory, network_identity(network, &y));
    int product = make_binary(maker, OP_FLOAT_MULTIPLY, value, factor);
    bool maximum = make_below(maker, 4) == 0;
    int next = make_binary(maker, maximum ? OP_FLOAT_MAXIMUM : OP_FLOAT_ADD, sum, product);
    make_store(maker, y.memory, next, network_identity(network, &y));
    vector_push(maker->arena, &network->values, y);
}

/* y[i] += x[i, j, k]: a reduction over some dimensions of the value itself. */
static inline void network_reduce(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    int kept = make_below(maker, x.rank);
    Value y = network_value(network, MEMORY_LOCAL, 1, &x.shape[kept]);
    network_fill(network, &y);
    network_nest(network, x.rank, x.shape);
    const int loops[] = {kept};
    Affine form = network_address(network, &y, loops, NULL);
    int value = make_load(maker, x.memory, network_identity(network, &x));
    int sum = make_load(maker, y.memory, form);
    make_store(maker, y.memory, make_binary(maker, OP_FLOAT_ADD, sum, value), form);
    vector_push(maker->arena, &network->values, y);
}

/* t[0] = f(x[i, j]) where k is 0, y[i, k] += t[0] x weight[j, k]: a scalar that lives through k. */
static inline void network_scalar(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    if (x.rank != 3) return;
    const int64_t one[] = {1};
    const int64_t trips[] = {x.shape[0], x.shape[1] * x.shape[2], 1 + make_below(maker, 4)};
    const int64_t shape[] = {trips[0], trips[2]}, weights[] = {trips[1], trips[2]};
    Value y = network_value(network, MEMORY_LOCAL, 2, shape);
    Value weight = network_value(network, MEMORY_CONSTANT, 2, weights);
    Value scalar = network_value(network, MEMORY_LOCAL, 1, one);
    network_nest(network, 3, trips);
    const int64_t x_form[] = {trips[1], 1, 0}, w_form[] = {0, trips[2], 1},
                  y_form[] = {trips[2], 0, 1};
    const int64_t last[] = {0, 0, 1}, none[] = {0, 0, 0};
    bool never;
    Affine edge = make_form(maker, 0, last);
    int first = append_constraint(maker->arena, maker->nest, &edge, true, &never);
    int value = make_load(maker, x.memory, make_form(maker, 0, x_form));
    if (make_below(maker, 2)) maker->nest->body.items[value].predicate = first;
    if (make_below(maker, 6) == 0)
        value = make_load(maker, weight.memory, make_form(maker, 0, w_form)); /* depends on k */
    int stored = make_below(maker, 2) ? network_function(network, value) : value;
    int store = make_store(maker, scalar.memory, stored, make_form(maker, 0, none));
    if (make_below(maker, 4)) maker->nest->body.items[store].predicate = first;
    int kept = make_load(maker, scalar.memory, make_form(maker, 0, none));
    if (make_below(maker, 4) == 0) kept = make_binary(maker, OP_FLOAT_ADD, kept, value);
    int factor = make_load(maker, weight.memory, make_form(maker, 0, w_form));
    int sum = make_load(maker, y.memory, make_form(maker, 0, y_form));
    int product = make_binary(maker, OP_FLOAT_MULTIPLY, kept, factor);
    make_store(maker, y.memory, make_binary(maker, OP_FLOAT_ADD, sum, product),
               make_form(maker, 0, y_form));
    vector_push(maker->arena, &network->values, y);
}

/* An i1 that is 1 in the first (last) iteration of loops inner .. loop_count - 1. */
static inline int network_edge(Network *network, int inner, bool last) {
    Maker *maker = &network->maker;
    int predicate = -1;
    for (int i = inner; i < maker->nest->loop_count; i++) {
        Affine edge = affine_new(maker->arena, maker->nest->loop_count,
                                 last ? 1 - maker->nest->loops[i].trip : 0);
        edge.coefficients[i] = 1;
        bool never;
        int part = append_constraint(maker->arena, maker->nest, &edge, true, &never);
        predicate = append_and(maker->arena, maker->nest, predicate, part);
    }
    return predicate;
}

/* y[i] = the sum of f(x[i, j, k]), or y[i, j] that over k: in a scalar, as C programs do it. Often
 * under a condition, and sometimes with another start than that of the loops. */
static inline void network_running_sum(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    if (x.rank != 3) return;
    int inner = 1 + make_below(maker, 2);
    const int64_t one[] = {1};
    Value y = network_value(network, MEMORY_LOCAL, inner, x.shape);
    Value scalar = network_value(network, MEMORY_LOCAL, 1, one);
    network_nest(network, 3, x.shape);
    Affine element = affine_new(maker->arena, 3, 0);
    int start = make_below(maker, 6) ? inner : make_below(maker, 3);
    int first = network_edge(network, start, false), last = network_edge(network, inner, true);
    int store = make_store(maker, scalar.memory, network_constant(network, 1.5), element);
    maker->nest->body.items[store].predicate = first;
    int predicate = make_below(maker, 2) ? -1 : random_condition(maker);
    int value = make_load(maker, x.memory, network_identity(network, &x));
    maker->nest->body.items[value].predicate = predicate;
    int sum = make_load(maker, scalar.memory, element);
    if (make_below(maker, 3)) maker->nest->body.items[sum].predicate = predicate;
    int next = make_binary(maker, OP_FLOAT_ADD, sum, network_function(network, value));
    store = make_store(maker, scalar.memory, next, element);
    maker->nest->body.items[store].predicate = predicate;
    int result = make_load(maker, scalar.memory, element);
    if (make_below(maker, 2)) maker->nest->body.items[result].predicate = last;
    if (make_below(maker, 3) == 0) result = make_binary(maker, OP_FLOAT_ADD, result, sum);
    store = make_store(maker, y.memory, result, network_identity(network, &y));
    if (make_below(maker, 6)) maker->nest->body.items[store].predicate = last;
    vector_push(maker->arena, &network->values, make_below(maker, 6) ? y : scalar);
}

/* Numbers over some elements of a value that others have used or will use. */
static inline void network_overwrite(Network *network) {
    Maker *maker = &network->maker;
    Value x = *network_any(network);
    if (maker->program->memories.items[x.memory].kind != MEMORY_LOCAL) return;
    const int64_t trips[] = {1 + make_below(maker, 3), 1 + make_below(maker, 3)};
    network_nest(network, 2, trips);
    int value = network_constant(network, make_below(maker, 9));
    if (make_below(maker, 2)) {
        const Value *other = &network->values.items[0];
        value = make_load(maker, other->memory, random_form(maker, value_elements(other)));
    }
    make_store(maker, x.memory, value, random_form(maker, value_elements(&x)));
}

static inline Program *random_network(Arena *arena, uint64_t seed) {
    static void (*const layers[])(Network *) = {
        network_elementwise, network_elementwise, network_transpose, network_pad,
        network_convolution, network_convolution, network_reduce,    network_scalar,
        network_overwrite,   network_running_sum,
    };
    enum { LAYERS = sizeof layers / sizeof *layers };
    Network network = {.maker = maker_new(arena, seed)};
    Maker *maker = &network.maker;
    int64_t shape[3], all[] = {0};
    for (int i = 0; i < 3; i++) shape[i] = 1 + make_below(maker, 4);
    Value x = network_value(&network, MEMORY_INPUT, 3, shape);
    vector_push(arena, &network.values, x);
    /* The output is the second memory, large enough for any value: filled from the last ones. */
    all[0] = 400;
    Value out = network_value(&network, MEMORY_OUTPUT, 1, all);
    int count = 1 + make_below(maker, 7);
    for (int i = 0; i < count; i++) layers[make_below(maker, LAYERS)](&network);
    int64_t offset = 0;
    for (int i = network.values.count - 1; i >= 0 && i >= network.values.count - 2; i--) {
        Value value = network.values.items[i];
        int64_t elements = value_elements(&value);
        if (offset + elements > all[0]) break;
        network_nest(&network, value.rank, value.shape);
        Affine form = network_identity(&network, &value);
        int data = make_load(maker, value.memory, form);
        form = affine_copy(arena, &form, value.rank);
        form.constant += offset;
        make_store(maker, out.memory, network_function(&network, data), form);
        offset += elements;
    }
    return maker->program;
}

#endif
