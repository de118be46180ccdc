/* The library of functions (src/mlir/math) against the C library in double: bit patterns of all of
 * f32, evenly spread, and every special value; all bit patterns of f16 and bf16. Prints the largest
 * error of each function.
 *
 * A million arguments of f32 per function; ten million with TEPAL_LONG=1 in the environment. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "import/formulas.h"
#include "mlir/lower.h"
#include "mlir/reference.h"
#include "simulate/inputs.h"

typedef struct Function {
    const char *op; /* or the name of a formula */
    int arguments;
    double limit; /* ulp of f32 */
    double (*exact)(double x, double y);
    MlirValue (*formula)(Formula f, MlirValue x);
} Function;

#define EXACT(name, value)                                                                         \
    static double exact_##name(double x, double y) {                                               \
        (void)y;                                                                                   \
        return value;                                                                              \
    }

EXACT(exp, exp(x))
EXACT(exp2, exp2(x))
EXACT(expm1, expm1(x))
EXACT(log, log(x))
EXACT(log2, log2(x))
EXACT(log10, log10(x))
EXACT(log1p, log1p(x))
EXACT(sqrt, sqrt(x))
EXACT(rsqrt, 1 / sqrt(x))
EXACT(tanh, tanh(x))
EXACT(erf, erf(x))
EXACT(sin, sin(x))
EXACT(cos, cos(x))
EXACT(atan, atan(x))
EXACT(floor, floor(x))
EXACT(ceil, ceil(x))
EXACT(round, round(x))
EXACT(roundeven, rint(x))
EXACT(trunc, trunc(x))
EXACT(sigmoid, 1 / (1 + exp(-x)))

static const Function functions[] = {
    {"math.exp", 1, 2, exact_exp, NULL},
    {"math.exp2", 1, 2, exact_exp2, NULL},
    {"math.expm1", 1, 2, exact_expm1, NULL},
    {"math.log", 1, 2, exact_log, NULL},
    {"math.log2", 1, 2, exact_log2, NULL},
    {"math.log10", 1, 2, exact_log10, NULL},
    {"math.log1p", 1, 2, exact_log1p, NULL},
    {"math.sqrt", 1, 0.5, exact_sqrt, NULL},
    {"math.rsqrt", 1, 2, exact_rsqrt, NULL},
    {"sigmoid", 1, 2, exact_sigmoid, logistic},
    {"math.tanh", 1, 4, exact_tanh, NULL},
    {"math.erf", 1, 4, exact_erf, NULL},
    {"math.sin", 1, 4, exact_sin, NULL},
    {"math.cos", 1, 4, exact_cos, NULL},
    {"math.atan", 1, 4, exact_atan, NULL},
    {"math.floor", 1, 0, exact_floor, NULL},
    {"math.ceil", 1, 0, exact_ceil, NULL},
    {"math.round", 1, 0, exact_round, NULL},
    {"math.roundeven", 1, 0, exact_roundeven, NULL},
    {"math.trunc", 1, 0, exact_trunc, NULL},
    {"math.powf", 2, 16, pow, NULL},
    {"math.atan2", 2, 4, atan2, NULL},
    {"arith.remf", 2, 0, fmod, NULL},
};

static const float specials[] = {
    0.0f,
    -0.0f,
    1.0f,
    -1.0f,
    INFINITY,
    -INFINITY,
    NAN,
    0x1p-149f,
    -0x1p-149f,
    0x1p-126f,
    0x1.fffffcp-127f,
    0x1.fffffep127f,
    -0x1.fffffep127f,
    0.5f,
    -0.5f,
    1.5f,
    -1.5f,
    2.0f,
    -2.0f,
    3.0f,
    -3.0f,
    2.5f,
    -2.5f,
    0x1.000002p0f,
    0x1.fffffep-1f,
    0x1p23f,
    0x1.fffffep22f,
    0x1p24f,
    0x1.8p24f,
    88.0f,
    88.72284f,
    88.73f,
    -87.4f,
    -103.9f,
    -104.1f,
    0x1.921fb6p0f,
    0x1.921fb6p1f,
    9.0f,
    9.1f,
    3.92f,
    3.93f,
    0x1p-12f,
    0x1p-25f,
};
enum { SPECIALS = sizeof specials / sizeof *specials, MAX_ARGUMENTS = 2 };

/* The narrow types are computed in f32 and rounded: half a unit, and a little of what f32 is off.
 */
static const double narrow_limit = 0.51;

static double limit_of(const Function *function, Scalar type) {
    return type.width == 32 || function->limit == 0 ? function->limit : narrow_limit;
}

/* Argument `k` of element `i`. The first are all (pairs of) special values, the others spread over
 * all bit patterns, or, for every second pair, over moderate values. */
static Bits argument(const Function *function, Scalar type, size_t count, size_t i, int k,
                     uint64_t *state) {
    bool pairs = function->arguments == 2;
    double moderate = random_normal(state) * (k == 0 ? 3 : 20);
    Bits spread = random_bits(state) & bits_mask(type.width);
    if (k == 0 && (!pairs || type.width == 16))
        spread = (Bits)((double)i * ldexp(1, type.width) / (double)count);
    if (type.width == 16 && k == 0) return spread; /* all of them, in order */
    if (i < (size_t)(pairs ? SPECIALS * SPECIALS : SPECIALS))
        return bits_from_double(type, (double)specials[k == 0 ? i % SPECIALS : i / SPECIALS]);
    return pairs && i % 2 ? bits_from_double(type, moderate) : spread;
}

/* Distance from the exact value in units of the last place of a number near it. */
static double error_in_ulp(Scalar type, double result, double exact) {
    if (isnan(exact) || isnan(result)) return isnan(exact) && isnan(result) ? 0 : INFINITY;
    int digits = type.width - type.exponent; /* with the one that is not stored */
    int least = 3 - (1 << (type.exponent - 1)) - digits;
    double rounded = bits_to_double(type, bits_from_double(type, exact));
    if (isinf(rounded) || isinf(result)) {
        /* The last float below overflow is as good as infinity where the exact value is between. */
        double overflow = ldexp(1, 1 << (type.exponent - 1)), step = ldexp(overflow, -digits);
        bool between = fabs(fabs(exact) - overflow) <= 2 * step;
        return rounded == result || between ? 0 : INFINITY;
    }
    if (exact == 0 && !signbit(exact) != !signbit(result)) return INFINITY;
    int exponent = least;
    if (exact != 0) frexp(exact, &exponent);
    exponent = exponent - digits < least || exact == 0 ? least : exponent - digits;
    return fabs(result - exact) / ldexp(1, exponent);
}

/* `forward` with the function on whole tensors; a formula takes the place of a negation. */
static MlirModule build(Unit *unit, Session *session, const Function *function, Scalar scalar,
                        size_t count) {
    const char *type = string_format(unit->arena, "tensor<%zux%s>", count, scalar_name(scalar));
    const char *element = scalar_name(scalar);
    const char *op = function->formula ? "arith.negf" : function->op;
    const char *second = function->arguments == 2 ? ", %b" : "";
    char *text = string_format(
        unit->arena,
        "#m = affine_map<(d0) -> (d0)>\n"
        "func.func @forward(%%x: %s, %%y: %s) -> %s {\n  %%e = tensor.empty() : %s\n"
        "  %%r = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = [\"parallel\"]}\n"
        "      ins(%%x, %%y : %s, %s) outs(%%e : %s) {\n"
        "  ^bb0(%%a: %s, %%b: %s, %%o: %s):\n"
        "    %%v = %s %%a%s : %s\n    linalg.yield %%v : %s\n  } -> %s\n  return %%r : %s\n}\n",
        type, type, type, type, type, type, type, element, element, element, op, second, element,
        element, type, type);
    MlirModule module = session_parse(session, function->op, text, strlen(text));
    if (mlirModuleIsNull(module) || !function->formula) return module;
    /* As the importer does it: narrow types are computed in f32. */
    MlirOperation place = ops_named(unit->arena, mlirModuleGetOperation(module), op).items[0];
    Builder builder = builder_before(place);
    MlirValue x = mlirOperationGetOperand(place, 0);
    MlirType narrow = mlirValueGetType(x), f32 = mlirF32TypeGet(session->context);
    if (scalar.width < 32) x = build1(&builder, "arith.extf", f32, x);
    x = function->formula((Formula){&builder, DTYPE_FLOAT32}, x);
    if (scalar.width < 32) x = build1(&builder, "arith.truncf", narrow, x);
    op_replace(place, 1, &x);
    return module;
}

static Tensor *run(Unit *unit, const Function *function, Scalar type, size_t count,
                   void *const *arguments) {
    Session *session = session_new(unit->arena, unit->diagnostics);
    Model model = {.name = "accuracy", .module = build(unit, session, function, type, count)};
    Tensor inputs[MAX_ARGUMENTS], *output = arena_new_of(unit->arena, Tensor);
    if (mlirModuleIsNull(model.module) || !model_describe(session, &model, NULL) ||
        !lower_to_total(session, &model))
        fail_msg("%s: %s", function->op, unit_messages(unit));
    for (int k = 0; k < MAX_ARGUMENTS; k++) {
        inputs[k] = model.inputs[k];
        inputs[k].data = arguments[k];
    }
    if (!reference_run(session, &model, inputs, output, 600))
        fail_msg("%s: %s", function->op, unit_messages(unit));
    session_free(session);
    return output;
}

static void check(Unit *unit, const Function *function, Scalar type, size_t count) {
    void *arguments[MAX_ARGUMENTS];
    uint64_t state = 1;
    for (int k = 0; k < MAX_ARGUMENTS; k++)
        arguments[k] = arena_array(unit->arena, count, scalar_bytes(type));
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < MAX_ARGUMENTS; k++)
            bits_store(type, arguments[k], i, argument(function, type, count, i, k, &state));
    const void *results = run(unit, function, type, count, arguments)->data;
    double worst = 0, worst_x = 0, worst_y = 0, worst_result = 0;
    for (size_t i = 0; i < count; i++) {
        double x = bits_to_double(type, bits_load(type, arguments[0], i));
        double y = bits_to_double(type, bits_load(type, arguments[1], i));
        double result = bits_to_double(type, bits_load(type, results, i));
        double error = error_in_ulp(type, result, function->exact(x, y));
        if (error <= worst) continue;
        worst = error, worst_x = x, worst_y = y, worst_result = result;
    }
    printf("%-16s %-4s %.3f ulp at %a, %a\n", function->op, scalar_name(type), worst, worst_x,
           worst_y);
    if (worst > limit_of(function, type))
        fail_msg("%s of %s: %g ulp at %a, %a: %a", function->op, scalar_name(type), worst, worst_x,
                 worst_y, worst_result);
}

static void check_all(Scalar type, size_t count) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *own;
        unit_setup(&own);
        check(own, &functions[i], type, count);
        unit_teardown(&own);
    }
}

static void test_f32(void **state) {
    (void)state;
    check_all(SCALAR_F32, getenv("TEPAL_LONG") ? 10000000 : 1000000);
}

static void test_narrow(void **state) {
    (void)state;
    check_all(SCALAR_F16, 1 << 16);
    check_all(SCALAR_BF16, 1 << 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(test_f32), UNIT_TEST(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
