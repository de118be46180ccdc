/* Programs for the tests of the loop-nest IR: by hand, and random ones from a seed.
 *
 * Random programs are valid by construction: every access is in range wherever it happens. Some of
 * their nests write what others read, in other orders, under predicates, at computed addresses, in
 * loops around several nests. */
#ifndef TEPAL_TEST_LOOP_PROGRAMS_H
#define TEPAL_TEST_LOOP_PROGRAMS_H

#include "unit.h"

#include "loop/body.h"
#include "loop/passes.h"

typedef struct Maker {
    Arena *arena;
    uint64_t state; /* of the random numbers */
    Program *program;
    Nest *nest;
} Maker;

/* --- by hand --- */

static inline Maker maker_new(Arena *arena, uint64_t seed) {
    Program *program = arena_new_of(arena, Program);
    program->arena = arena;
    program->name = "test";
    program->root = node_new(arena, NODE_SEQUENCE);
    return (Maker){arena, seed * 0x9e3779b97f4a7c15u + 0x1234567, program, NULL};
}

static inline int make_memory(Maker *maker, MemoryKind kind, const char *name, Scalar type,
                              int64_t elements) {
    Program *program = maker->program;
    Memory memory = {.name = name, .kind = kind, .type = type, .rank = 1, .shape = {elements}};
    memory.partition[0] = (Partition){PARTITION_NONE, 1};
    memory.elements = (size_t)elements;
    program->input_count += kind == MEMORY_INPUT;
    program->output_count += kind == MEMORY_OUTPUT;
    vector_push(maker->arena, &program->memories, memory);
    return program->memories.count - 1;
}

static inline void make_nest_in(Maker *maker, Node *parent, const char *name, int outer, int loops,
                                const int64_t *trips) {
    static const char *const names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    Nest *nest = arena_new_of(maker->arena, Nest);
    nest->name = name;
    nest->outer = outer;
    nest->loop_count = loops;
    nest->loops = arena_array(maker->arena, (size_t)loops, sizeof(Loop));
    for (int i = 0; i < loops; i++) nest->loops[i] = (Loop){names[i], trips[i], 1};
    Node *node = node_new(maker->arena, NODE_NEST);
    node->nest = nest;
    vector_push(maker->arena, &parent->children, node);
    maker->nest = nest;
}

static inline void make_nest(Maker *maker, const char *name, int loops, const int64_t *trips) {
    make_nest_in(maker, maker->program->root, name, 0, loops, trips);
}

static inline Affine make_form(Maker *maker, int64_t constant, const int64_t *coefficients) {
    Affine form = affine_new(maker->arena, maker->nest->loop_count, constant);
    for (int i = 0; i < maker->nest->loop_count; i++) form.coefficients[i] = coefficients[i];
    return form;
}

static inline int make_load(Maker *maker, int memory, Affine form) {
    Operation load = operation_new(OP_LOAD, maker->program->memories.items[memory].type);
    load.memory = memory;
    load.affine = form;
    return nest_append(maker->arena, maker->nest, load);
}

static inline int make_store(Maker *maker, int memory, int data, Affine form) {
    Operation store = operation_new(OP_STORE, maker->program->memories.items[memory].type);
    store.memory = memory;
    store.operands[0] = data;
    store.affine = form;
    return nest_append(maker->arena, maker->nest, store);
}

static inline int make_binary(Maker *maker, Opcode opcode, int a, int b) {
    return append_binary(maker->arena, maker->nest, opcode, a, b);
}

static inline const char *make_text(const Program *program) {
    Text text = text_new(program->arena);
    program_print(program, &text);
    return text_string(&text);
}

/* --- random --- */

static inline uint64_t make_random(Maker *maker) {
    maker->state ^= maker->state << 13;
    maker->state ^= maker->state >> 7;
    maker->state ^= maker->state << 17;
    return maker->state;
}

static inline int make_below(Maker *maker, int limit) {
    return (int)(make_random(maker) >> 33) % limit;
}

/* A form over the loops of the nest whose values all lie in 0 .. elements-1. */
static inline Affine random_form(Maker *maker, int64_t elements) {
    const Nest *nest = maker->nest;
    Affine form = affine_new(maker->arena, nest->loop_count, 0);
    int64_t room = elements - 1, least = 0;
    for (int tries = 0; tries < nest->loop_count + 2; tries++) {
        if (nest->loop_count == 0) break;
        int loop = make_below(maker, nest->loop_count);
        int64_t reach = nest->loops[loop].trip - 1;
        if (form.coefficients[loop] != 0 || reach == 0) continue;
        int64_t most = room / reach;
        if (most == 0) continue;
        int64_t factor = 1 + make_below(maker, (int)(most < 6 ? most : 6));
        /* Often the factor that makes a row-major address. */
        if (make_below(maker, 2)) factor = most < 4 ? most : 1;
        room -= factor * reach;
        if (make_below(maker, 5) == 0) {
            factor = -factor;
            least += factor * reach;
        }
        form.coefficients[loop] = factor;
    }
    form.constant = -least + (room > 0 ? make_below(maker, (int)room + 1) : 0);
    return form;
}

/* Any operation of the body with the type; makes a constant if there is none. */
static inline int random_value(Maker *maker, Scalar type) {
    for (int tries = 0; tries < 8 && maker->nest->body.count > 0; tries++) {
        int value = make_below(maker, maker->nest->body.count);
        const Operation *operation = &maker->nest->body.items[value];
        if (opcode_info[operation->opcode].result != RESULT_NONE &&
            scalar_equal(operation->type, type))
            return value;
    }
    static const double numbers[] = {0, 1, -1, 2, 0.5, -0.0, 3.25, 100};
    Bits bits = make_random(maker) & bits_mask(type.width);
    if (type.kind == SCALAR_FLOAT) bits = bits_from_double(type, numbers[make_below(maker, 8)]);
    if (type.kind == SCALAR_INTEGER && make_below(maker, 2)) bits &= 3;
    return append_constant(maker->arena, maker->nest, type, bits);
}

static inline int random_condition(Maker *maker) {
    Nest *nest = maker->nest;
    int kind = make_below(maker, 6);
    if (kind < 3 && nest->loop_count > 0) { /* an edge of a loop, or any affine constraint */
        Affine form = affine_new(maker->arena, nest->loop_count, 0);
        int loop = make_below(maker, nest->loop_count);
        form.coefficients[loop] = make_below(maker, 4) ? 1 : -1;
        form.constant = -make_below(maker, (int)nest->loops[loop].trip);
        if (form.coefficients[loop] < 0) form.constant = -form.constant;
        if (kind == 2) form.coefficients[make_below(maker, nest->loop_count)] += 1;
        bool never;
        int value = append_constraint(maker->arena, nest, &form, make_below(maker, 2), &never);
        if (never) return append_constant(maker->arena, nest, SCALAR_I(1), 0);
        if (value >= 0) return value;
        return append_constant(maker->arena, nest, SCALAR_I(1), 1);
    }
    if (kind == 3) {
        int a = random_value(maker, SCALAR_I(1)), b = random_value(maker, SCALAR_I(1));
        static const Opcode opcodes[] = {OP_AND, OP_AND, OP_OR, OP_XOR};
        return make_binary(maker, opcodes[make_below(maker, 4)], a, b);
    }
    bool is_float = make_below(maker, 2);
    Scalar type = is_float ? SCALAR_F32 : SCALAR_I(32);
    int a = random_value(maker, type), b = random_value(maker, type);
    return append_compare(maker->arena, nest, is_float ? OP_FLOAT_COMPARE : OP_COMPARE,
                          make_below(maker, is_float ? 16 : 10), a, b);
}

/* LOAD or STORE; `data` is -1 for a load. */
static inline int random_access(Maker *maker, int memory, int data) {
    const Memory *target = &maker->program->memories.items[memory];
    Operation access = operation_new(data < 0 ? OP_LOAD : OP_STORE, target->type);
    access.memory = memory;
    access.operands[0] = data;
    if (make_below(maker, 3) == 0) access.predicate = random_condition(maker);
    if (make_below(maker, 8) == 0) {
        int value = random_value(maker, SCALAR_I(32));
        int size = append_constant(maker->arena, maker->nest, SCALAR_I(32), target->elements);
        access.computed = true;
        access.operands[data < 0 ? 0 : 1] = make_binary(maker, OP_REMAINDER_UNSIGNED, value, size);
    } else {
        access.affine = random_form(maker, (int64_t)target->elements);
    }
    return nest_append(maker->arena, maker->nest, access);
}

static inline void random_operation(Maker *maker) {
    static const Opcode floats[] = {OP_FLOAT_ADD,     OP_FLOAT_ADD,     OP_FLOAT_MULTIPLY,
                                    OP_FLOAT_MAXIMUM, OP_FLOAT_MINIMUM, OP_FLOAT_SUBTRACT,
                                    OP_FLOAT_DIVIDE};
    static const Opcode integers[] = {
        OP_ADD,           OP_SUBTRACT,       OP_MULTIPLY,          OP_AND, OP_XOR, OP_SHIFT_LEFT,
        OP_DIVIDE_SIGNED, OP_MAXIMUM_SIGNED, OP_SHIFT_RIGHT_SIGNED};
    Nest *nest = maker->nest;
    int kind = make_below(maker, 10);
    Scalar type = make_below(maker, 2) ? SCALAR_F32 : SCALAR_I(32);
    if (kind < 3) {
        random_access(maker, make_below(maker, maker->program->memories.count), -1);
    } else if (kind == 3 && nest->loop_count > 0) {
        Operation index = operation_new(OP_INDEX, SCALAR_I(32));
        index.affine = random_form(maker, 1000);
        nest_append(maker->arena, nest, index);
    } else if (kind == 4) {
        int a = random_value(maker, type), b = random_value(maker, type);
        append_select(maker->arena, nest, random_condition(maker), a, b);
    } else if (kind == 5) {
        random_condition(maker);
    } else if (type.kind == SCALAR_FLOAT) {
        int a = random_value(maker, type), b = random_value(maker, type);
        make_binary(maker, floats[make_below(maker, 7)], a, b);
    } else {
        int a = random_value(maker, type), b = random_value(maker, type);
        make_binary(maker, integers[make_below(maker, 9)], a, b);
    }
}

static inline int random_stored_memory(Maker *maker) {
    for (;;) {
        int memory = make_below(maker, maker->program->memories.count);
        MemoryKind kind = maker->program->memories.items[memory].kind;
        if (kind == MEMORY_OUTPUT || kind == MEMORY_LOCAL) return memory;
    }
}

/* sum[form] = (first ? init : sum[form]) + a x b: what the passes are made for. */
static inline void random_reduction(Maker *maker) {
    Nest *nest = maker->nest;
    int sum = random_stored_memory(maker);
    while (maker->program->memories.items[sum].type.kind != SCALAR_FLOAT)
        sum = random_stored_memory(maker);
    Affine form = random_form(maker, (int64_t)maker->program->memories.items[sum].elements);
    int before = make_load(maker, sum, form);
    int product = make_binary(maker, OP_FLOAT_MULTIPLY, random_value(maker, SCALAR_F32),
                              random_value(maker, SCALAR_F32));
    if (make_below(maker, 2)) {
        int init = random_value(maker, SCALAR_F32);
        before = append_select(maker->arena, nest, random_condition(maker), init, before);
    }
    make_store(maker, sum, make_binary(maker, OP_FLOAT_ADD, before, product), form);
}

static inline void random_body(Maker *maker) {
    int count = 1 + make_below(maker, 8);
    for (int i = 0; i < count; i++) random_operation(maker);
    if (make_below(maker, 3) == 0) random_reduction(maker);
    int stores = 1 + make_below(maker, 2);
    for (int i = 0; i < stores; i++) {
        int memory = random_stored_memory(maker);
        int data = random_value(maker, maker->program->memories.items[memory].type);
        random_access(maker, memory, data);
    }
}

static inline void random_nodes(Maker *maker, Node *parent, int outer, int64_t *trips, int *names) {
    int nodes = 1 + make_below(maker, 3);
    for (int i = 0; i < nodes; i++) {
        if (outer < 2 && make_below(maker, 4) == 0) {
            static const char *const loops[] = {"i", "j", "k"};
            Node *loop = node_new(maker->arena, NODE_LOOP);
            trips[outer] = 1 + make_below(maker, 4);
            loop->loop = (Loop){loops[outer], trips[outer], 1};
            vector_push(maker->arena, &parent->children, loop);
            random_nodes(maker, loop, outer + 1, trips, names);
            continue;
        }
        int own = make_below(maker, 4);
        for (int k = 0; k < own; k++) trips[outer + k] = 1 + make_below(maker, 5);
        make_nest_in(maker, parent, string_format(maker->arena, "nest%d", (*names)++), outer,
                     outer + own, trips);
        random_body(maker);
    }
}

static inline void random_contents(Maker *maker, Memory *memory) {
    uint8_t *data = arena_array(maker->arena, memory->elements, 4);
    for (size_t i = 0; i < memory->elements; i++) {
        Bits bits = make_random(maker) & 0xff;
        if (memory->type.kind == SCALAR_FLOAT)
            bits = bits_from_double(memory->type, ((double)bits - 128) / 16);
        bits_store(memory->type, data, i, bits);
    }
    memory->data = data;
}

static inline Program *random_program(Arena *arena, uint64_t seed) {
    Maker maker = maker_new(arena, seed);
    static const char *const names[] = {"x", "y", "p", "q", "s", "t", "c", "d"};
    static const MemoryKind kinds[] = {MEMORY_INPUT,    MEMORY_INPUT,   MEMORY_OUTPUT,
                                       MEMORY_OUTPUT,   MEMORY_LOCAL,   MEMORY_LOCAL,
                                       MEMORY_CONSTANT, MEMORY_CONSTANT};
    for (int i = 0; i < 8; i++) {
        Scalar type = i % 2 ? SCALAR_I(32) : SCALAR_F32;
        int memory = make_memory(&maker, kinds[i], names[i], type, 1 + make_below(&maker, 40));
        if (kinds[i] == MEMORY_CONSTANT)
            random_contents(&maker, &maker.program->memories.items[memory]);
    }
    int64_t trips[8];
    int count = 0;
    random_nodes(&maker, maker.program->root, 0, trips, &count);
    return maker.program;
}

static inline Tensor *random_inputs(Arena *arena, const Program *program, uint64_t seed) {
    Maker maker = maker_new(arena, seed);
    Tensor *inputs = arena_array(arena, (size_t)program->input_count + 1, sizeof *inputs);
    for (int i = 0; i < program->input_count; i++) {
        Memory memory = program->memories.items[i];
        random_contents(&maker, &memory);
        inputs[i] = (Tensor){.name = memory.name, .type = memory.type, .rank = memory.rank};
        memcpy(inputs[i].shape, memory.shape, sizeof inputs[i].shape);
        inputs[i].elements = memory.elements;
        inputs[i].data = (void *)(uintptr_t)memory.data;
    }
    return inputs;
}

#endif
