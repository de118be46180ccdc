/* The meaning of opcodes: a table of edge cases, and simplification, which must not change a bit of
 * any of them. */
#include "loop_programs.h"

#include "loop/transform.h"

#include <math.h>

/* out[i] = opcode(a[i], b[i]), or with the constant b[0] in place of b[i] or of a[i]. */
typedef struct Case {
    Opcode opcode;
    int condition;
    Scalar operand, result;
    int constant; /* 0: both are loaded, 1: the second is a constant, 2: the first is */
} Case;

static Program *program_of(Arena *arena, const Case *test, int64_t count, Bits fixed) {
    Maker maker = maker_new(arena, 1);
    int a = make_memory(&maker, MEMORY_INPUT, "a", test->operand, count);
    int b = make_memory(&maker, MEMORY_INPUT, "b", test->operand, count);
    int out = make_memory(&maker, MEMORY_OUTPUT, "out", test->result, count);
    const int64_t each[] = {1};
    make_nest(&maker, "nest", 1, &count);
    int value = make_load(&maker, a, make_form(&maker, 0, each));
    int other = test->constant ? append_constant(arena, maker.nest, test->operand, fixed)
                               : make_load(&maker, b, make_form(&maker, 0, each));
    Operation operation = operation_new(test->opcode, test->result);
    operation.condition = test->condition;
    operation.operands[0] = test->constant == 2 ? other : value;
    if (opcode_info[test->opcode].operands == 2)
        operation.operands[1] = test->constant == 2 ? value : other;
    int result = nest_append(arena, maker.nest, operation);
    make_store(&maker, out, result, make_form(&maker, 0, each));
    return maker.program;
}

static void *run(Unit *unit, const Case *test, const Program *program, const Bits *a, const Bits *b,
                 int64_t count) {
    Tensor inputs[2] = {{.name = "a", .type = test->operand, .elements = (size_t)count},
                        {.name = "b", .type = test->operand, .elements = (size_t)count}};
    Tensor outputs[1] = {{0}};
    const Bits *values[] = {a, b};
    for (int i = 0; i < 2; i++) {
        inputs[i].data = arena_array(unit->arena, (size_t)count, 8);
        for (int64_t k = 0; k < count; k++)
            bits_store(test->operand, inputs[i].data, (size_t)k, values[i][k]);
    }
    if (!program_interpret(program, unit->arena, unit->diagnostics, inputs, outputs))
        fail_msg("%s", unit_messages(unit));
    return outputs[0].data;
}

#define I8                                                                                         \
    { SCALAR_INTEGER, 8, 0 }
#define I16                                                                                        \
    { SCALAR_INTEGER, 16, 0 }
#define I32                                                                                        \
    { SCALAR_INTEGER, 32, 0 }
#define I64                                                                                        \
    { SCALAR_INTEGER, 64, 0 }
#define I1                                                                                         \
    { SCALAR_INTEGER, 1, 0 }
#define F16                                                                                        \
    { SCALAR_FLOAT, 16, 5 }
#define BF                                                                                         \
    { SCALAR_FLOAT, 16, 8 }
#define F32                                                                                        \
    { SCALAR_FLOAT, 32, 8 }
#define F64                                                                                        \
    { SCALAR_FLOAT, 64, 11 }

static const struct {
    Case test;
    Bits a, b, expected;
} edge_cases[] = {
    {{OP_DIVIDE_SIGNED, 0, I8, I8, 0}, 0x80, 0xff, 0x80},
    {{OP_DIVIDE_SIGNED, 0, I8, I8, 0}, 7, 0, 0xff},
    {{OP_DIVIDE_SIGNED, 0, I8, I8, 0}, 0xf9, 2, 0xfd},
    {{OP_DIVIDE_UNSIGNED, 0, I8, I8, 0}, 0xf9, 0, 0xff},
    {{OP_REMAINDER_SIGNED, 0, I8, I8, 0}, 0xf9, 4, 0xfd},
    {{OP_REMAINDER_SIGNED, 0, I8, I8, 0}, 0x80, 0xff, 0},
    {{OP_REMAINDER_SIGNED, 0, I8, I8, 0}, 0xf9, 0, 0xf9},
    {{OP_REMAINDER_UNSIGNED, 0, I8, I8, 0}, 0xf9, 0, 0xf9},
    {{OP_DIVIDE_SIGNED, 0, I64, I64, 0}, 0x8000000000000000u, ~(Bits)0, 0x8000000000000000u},
    {{OP_SHIFT_LEFT, 0, I8, I8, 0}, 0x81, 1, 2},
    {{OP_SHIFT_LEFT, 0, I8, I8, 0}, 0x81, 8, 0},
    {{OP_SHIFT_RIGHT_UNSIGNED, 0, I8, I8, 0}, 0x81, 200, 0},
    {{OP_SHIFT_RIGHT_SIGNED, 0, I8, I8, 0}, 0x81, 1, 0xc0},
    {{OP_SHIFT_RIGHT_SIGNED, 0, I8, I8, 0}, 0x81, 9, 0xff},
    {{OP_SHIFT_RIGHT_SIGNED, 0, I64, I64, 0}, 0x8000000000000000u, 64, ~(Bits)0},
    {{OP_MINIMUM_SIGNED, 0, I8, I8, 0}, 0x80, 1, 0x80},
    {{OP_MINIMUM_UNSIGNED, 0, I8, I8, 0}, 0x80, 1, 1},
    {{OP_MULTIPLY, 0, I16, I16, 0}, 0xffff, 0xffff, 1},
    {{OP_EXTEND_SIGNED, 0, I8, I32, 0}, 0x80, 0, 0xffffff80},
    {{OP_EXTEND_UNSIGNED, 0, I8, I32, 0}, 0x80, 0, 0x80},
    {{OP_EXTEND_SIGNED, 0, I1, I8, 0}, 1, 0, 0xff},
    {{OP_TRUNCATE, 0, I32, I8, 0}, 0x1234, 0, 0x34},
    {{OP_COMPARE, COMPARE_SLT, I8, I1, 0}, 0x80, 1, 1},
    {{OP_COMPARE, COMPARE_ULT, I8, I1, 0}, 0x80, 1, 0},
    /* NaN, infinity, out of range: to integers. */
    {{OP_FLOAT_TO_SIGNED, 0, F32, I8, 0}, 0x7fc00000, 0, 0},
    {{OP_FLOAT_TO_SIGNED, 0, F32, I8, 0}, 0x7f800000, 0, 0x7f},
    {{OP_FLOAT_TO_SIGNED, 0, F32, I8, 0}, 0xff800000, 0, 0x80},
    {{OP_FLOAT_TO_SIGNED, 0, F32, I8, 0}, 0xc2fe0000, 0, 0x81}, /* -127 */
    {{OP_FLOAT_TO_SIGNED, 0, F32, I8, 0}, 0xbf7fffff, 0, 0},    /* just above -1 */
    {{OP_FLOAT_TO_SIGNED, 0, F32, I64, 0}, 0x5f000000, 0, 0x7fffffffffffffffu},
    {{OP_FLOAT_TO_UNSIGNED, 0, F32, I8, 0}, 0xbf800000, 0, 0},
    {{OP_FLOAT_TO_UNSIGNED, 0, F32, I8, 0}, 0x437f8000, 0, 0xff}, /* 255.5 */
    {{OP_FLOAT_TO_UNSIGNED, 0, F32, I8, 0}, 0x43800000, 0, 0xff},
    {{OP_FLOAT_TO_UNSIGNED, 0, F64, I64, 0}, 0x43f0000000000000u, 0, ~(Bits)0},
    /* One rounding: 2^62 + 2^54 + 1 lies just above the middle of two bfloat16. */
    {{OP_SIGNED_TO_FLOAT, 0, I64, BF, 0}, 0x4040000000000001u, 0, 0x5e81},
    {{OP_SIGNED_TO_FLOAT, 0, I64, BF, 0}, 0x4040000000000000u, 0, 0x5e80},
    {{OP_UNSIGNED_TO_FLOAT, 0, I64, F32, 0}, 0xffffff7fffffffffu, 0, 0x5f7fffff},
    {{OP_UNSIGNED_TO_FLOAT, 0, I64, F32, 0}, 0xffffff8000000000u, 0, 0x5f800000},
    {{OP_SIGNED_TO_FLOAT, 0, I32, F16, 0}, 65520, 0, 0x7c00},
    {{OP_SIGNED_TO_FLOAT, 0, I32, F16, 0}, 65519, 0, 0x7bff},
    {{OP_FLOAT_CONVERT, 0, F64, F16, 0}, 0x3e60000000000000u, 0, 0}, /* 2^-25, a tie */
    {{OP_FLOAT_CONVERT, 0, F64, F16, 0}, 0x3e60000000000001u, 0, 1},
    {{OP_FLOAT_CONVERT, 0, F32, F64, 0}, 1, 0, 0x36a0000000000000u}, /* least subnormal */
    /* Signs of zero; NaN wins. */
    {{OP_FLOAT_MINIMUM, 0, F32, F32, 0}, 0, 0x80000000, 0x80000000},
    {{OP_FLOAT_MAXIMUM, 0, F32, F32, 0}, 0x80000000, 0, 0},
    {{OP_FLOAT_MAXIMUM, 0, F16, F16, 0}, 0xfc00, 0x3c00, 0x3c00},
    {{OP_FLOAT_ADD, 0, F32, F32, 0}, 0x80000000, 0x80000000, 0x80000000},
    {{OP_FLOAT_SUBTRACT, 0, F32, F32, 0}, 0x3f800000, 0x3f800000, 0},
    {{OP_FLOAT_ADD, 0, F16, F16, 0}, 0x7bff, 0x5000, 0x7c00},
    {{OP_FLOAT_MULTIPLY, 0, BF, BF, 0}, 0x0080, 0x3f00, 0x0040},
    {{OP_FLOAT_NEGATE, 0, F64, F64, 0}, 0, 0, 0x8000000000000000u},
    {{OP_FLOAT_ABSOLUTE, 0, F16, F16, 0}, 0xbc00, 0, 0x3c00},
    {{OP_FLOAT_COMPARE, FLOAT_UNE, F32, I1, 0}, 0x7fc00000, 0x7fc00000, 1},
    {{OP_FLOAT_COMPARE, FLOAT_OEQ, F32, I1, 0}, 0, 0x80000000, 1},
    {{OP_FLOAT_COMPARE, FLOAT_ONE, F32, I1, 0}, 0x7fc00000, 0, 0},
};

static void edge_cases_have_their_values(void **state) {
    Unit *unit = *state;
    for (size_t i = 0; i < sizeof edge_cases / sizeof *edge_cases; i++) {
        const Case *test = &edge_cases[i].test;
        Program *program = program_of(unit->arena, test, 1, 0);
        void *out = run(unit, test, program, &edge_cases[i].a, &edge_cases[i].b, 1);
        Bits got = bits_load(test->result, out, 0);
        if (got != edge_cases[i].expected)
            fail_msg("%s %s of %llx and %llx: %llx, not %llx", opcode_info[test->opcode].text,
                     scalar_name(test->operand), (unsigned long long)edge_cases[i].a,
                     (unsigned long long)edge_cases[i].b, (unsigned long long)got,
                     (unsigned long long)edge_cases[i].expected);
    }
}

/* --- simplification --- */

enum { VALUES = 24 };

/* Values that matter for the type. */
static void interesting_values(Scalar type, Bits *values) {
    static const double floats[VALUES] = {
        0.0,  -0.0,  1.0,   -1.0, 0.5,    2.0,  -4.0,    3.0,     1e-3,   1e30,  -1e30,  0.25,
        1e-7, 1e-38, 6e-39, 1e9,  1e-300, 6e-5, 65504.0, 1.0 / 3, -1e-40, 128.0, -0.125, 0.0};
    static const int64_t integers[VALUES] = {0,    1,   -1,  2,   3,   4,  5,    7,
                                             8,    15,  16,  31,  32,  63, 64,   -2,
                                             -128, 127, 128, 255, 256, -3, 1000, -1000};
    for (int i = 0; i < VALUES; i++)
        values[i] = type.kind == SCALAR_FLOAT ? bits_from_double(type, floats[i])
                                              : (Bits)integers[i] & bits_mask(type.width);
    if (type.kind != SCALAR_FLOAT) return;
    values[VALUES - 1] = bits_from_double(type, NAN);
    values[8] = bits_from_double(type, INFINITY);
    values[9] = bits_from_double(type, -INFINITY);
    values[10] = 1; /* the least subnormal */
}

static void check_folding(Unit *unit, const Case *test) {
    Bits values[VALUES];
    interesting_values(test->operand, values);
    for (int k = 0; k < VALUES; k++) {
        Program *program = program_of(unit->arena, test, VALUES, values[k]);
        const unsigned char *before = run(unit, test, program, values, values, VALUES);
        fold_program(program);
        const unsigned char *after = run(unit, test, program, values, values, VALUES);
        for (size_t i = 0; i < VALUES; i++) {
            Bits x = bits_load(test->result, before, i), y = bits_load(test->result, after, i);
            if (x == y || (bits_is_nan(test->result, x) && bits_is_nan(test->result, y))) continue;
            fail_msg("%s %s of %llx, constant %d of %llx: %llx became %llx",
                     opcode_info[test->opcode].text, scalar_name(test->operand),
                     (unsigned long long)values[i], test->constant, (unsigned long long)values[k],
                     (unsigned long long)x, (unsigned long long)y);
        }
    }
}

static void folding_keeps_every_bit(void **state) {
    Unit *unit = *state;
    static const Scalar types[] = {F16, BF, F32, F64, I1, I8, I32, I64};
    static const Opcode floats[] = {OP_FLOAT_ADD,    OP_FLOAT_SUBTRACT, OP_FLOAT_MULTIPLY,
                                    OP_FLOAT_DIVIDE, OP_FLOAT_MINIMUM,  OP_FLOAT_MAXIMUM};
    static const Opcode integers[] = {OP_ADD,
                                      OP_SUBTRACT,
                                      OP_MULTIPLY,
                                      OP_DIVIDE_SIGNED,
                                      OP_DIVIDE_UNSIGNED,
                                      OP_REMAINDER_SIGNED,
                                      OP_REMAINDER_UNSIGNED,
                                      OP_AND,
                                      OP_OR,
                                      OP_XOR,
                                      OP_SHIFT_LEFT,
                                      OP_SHIFT_RIGHT_UNSIGNED,
                                      OP_SHIFT_RIGHT_SIGNED,
                                      OP_MINIMUM_SIGNED,
                                      OP_MAXIMUM_SIGNED,
                                      OP_MINIMUM_UNSIGNED,
                                      OP_MAXIMUM_UNSIGNED};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        bool is_float = types[t].kind == SCALAR_FLOAT;
        size_t count =
            is_float ? sizeof floats / sizeof *floats : sizeof integers / sizeof *integers;
        for (size_t i = 0; i < count; i++)
            for (int constant = 0; constant <= 2; constant++) {
                Case test = {is_float ? floats[i] : integers[i], 0, types[t], types[t], constant};
                check_folding(unit, &test);
            }
        for (int condition = 0; condition < (is_float ? 16 : 10); condition++) {
            Case test = {is_float ? OP_FLOAT_COMPARE : OP_COMPARE, condition, types[t], I1, 1};
            check_folding(unit, &test);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(edge_cases_have_their_values),
        UNIT_TEST(folding_keeps_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
