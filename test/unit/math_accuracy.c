/* The library of functions (src/mlir/math.mlir) against the C library in double: bit patterns of
 * all of f32, evenly spread, and every special value. Prints the largest error of each function.
 *
 * A million arguments per function; ten million with TEPAL_LONG=1 in the environment. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "mlir/lower.h"
#include "mlir/reference.h"
#include "simulate/inputs.h"

typedef struct Function {
    const char *op;
    int arguments;
    double limit; /* ulp */
    double (*exact)(double x, double y);
} Function;

static double exact_exp(double x, double y) {
    (void)y;
    return exp(x);
}
static double exact_exp2(double x, double y) {
    (void)y;
    return exp2(x);
}
static double exact_expm1(double x, double y) {
    (void)y;
    return expm1(x);
}
static double exact_log(double x, double y) {
    (void)y;
    return log(x);
}
static double exact_log2(double x, double y) {
    (void)y;
    return log2(x);
}
static double exact_log10(double x, double y) {
    (void)y;
    return log10(x);
}
static double exact_log1p(double x, double y) {
    (void)y;
    return log1p(x);
}
static double exact_rsqrt(double x, double y) {
    (void)y;
    return 1 / sqrt(x);
}
static double exact_tanh(double x, double y) {
    (void)y;
    return tanh(x);
}
static double exact_erf(double x, double y) {
    (void)y;
    return erf(x);
}
static double exact_sin(double x, double y) {
    (void)y;
    return sin(x);
}
static double exact_cos(double x, double y) {
    (void)y;
    return cos(x);
}
static double exact_atan(double x, double y) {
    (void)y;
    return atan(x);
}
static double exact_floor(double x, double y) {
    (void)y;
    return floor(x);
}
static double exact_ceil(double x, double y) {
    (void)y;
    return ceil(x);
}
static double exact_round(double x, double y) {
    (void)y;
    return round(x);
}
static double exact_roundeven(double x, double y) {
    (void)y;
    return rint(x);
}
static double exact_trunc(double x, double y) {
    (void)y;
    return trunc(x);
}

static const Function functions[] = {
    {"math.exp", 1, 2, exact_exp},
    {"math.exp2", 1, 2, exact_exp2},
    {"math.expm1", 1, 2, exact_expm1},
    {"math.log", 1, 2, exact_log},
    {"math.log2", 1, 2, exact_log2},
    {"math.log10", 1, 2, exact_log10},
    {"math.log1p", 1, 2, exact_log1p},
    {"math.rsqrt", 1, 2, exact_rsqrt},
    {"math.tanh", 1, 4, exact_tanh},
    {"math.erf", 1, 4, exact_erf},
    {"math.sin", 1, 4, exact_sin},
    {"math.cos", 1, 4, exact_cos},
    {"math.atan", 1, 4, exact_atan},
    {"math.floor", 1, 0, exact_floor},
    {"math.ceil", 1, 0, exact_ceil},
    {"math.round", 1, 0, exact_round},
    {"math.roundeven", 1, 0, exact_roundeven},
    {"math.trunc", 1, 0, exact_trunc},
    {"math.powf", 2, 16, pow},
    {"math.atan2", 2, 4, atan2},
    {"arith.remf", 2, 0, fmod},
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

/* The first elements are all (pairs of) special values, the others spread over all bit patterns,
 * or, for every second pair, over moderate values. */
static void fill(const Function *function, size_t count, float **arguments) {
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < function->arguments; k++) {
            size_t index = k == 0 ? i % SPECIALS : i / SPECIALS;
            uint32_t bits = function->arguments == 1
                                ? (uint32_t)((double)i * 4294967296.0 / (double)count)
                                : (uint32_t)random_bits(&state);
            memcpy(&arguments[k][i], &bits, sizeof bits);
            if (function->arguments == 2 && i % 2)
                arguments[k][i] = (float)(random_normal(&state) * (k == 0 ? 3 : 20));
            bool special = i < (function->arguments == 1 ? SPECIALS : SPECIALS * SPECIALS);
            if (special) arguments[k][i] = specials[index];
        }
    }
}

/* Distance from the exact value in units of the last place of a float near it. */
static double error_in_ulp(float result, double exact) {
    if (isnan(exact) || isnan(result)) return isnan(exact) && isnan(result) ? 0 : INFINITY;
    if (isinf((float)exact) || isinf(result)) {
        /* The last float below overflow is as good as infinity where the exact value is between. */
        bool between = fabs(exact) > 0x1.fffffcp127 && fabs(exact) < 0x1.000002p128;
        return (float)exact == result || between ? 0 : INFINITY;
    }
    if (exact == 0 && !signbit(exact) != !signbit(result)) return INFINITY;
    int exponent = -149;
    if (exact != 0) frexp(exact, &exponent);
    exponent = exponent - 24 < -149 || exact == 0 ? -149 : exponent - 24;
    return fabs((double)result - exact) / ldexp(1, exponent);
}

static Tensor *run(Unit *unit, const Function *function, size_t count, float **arguments) {
    Session *session = session_new(unit->arena, unit->diagnostics);
    const char *type = string_format(unit->arena, "tensor<%zuxf32>", count);
    const char *second = function->arguments == 2 ? ", %y" : "";
    char *text = string_format(
        unit->arena,
        "func.func @forward(%%x: %s, %%y: %s) -> %s {\n  %%r = %s %%x%s : %s\n  return %%r : %s\n}\n",
        type, type, type, function->op, second, type, type);
    Model model = {.name = "accuracy",
                   .module = session_parse(session, function->op, text, strlen(text))};
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

static void check(Unit *unit, const Function *function, size_t count) {
    float *arguments[MAX_ARGUMENTS];
    for (int k = 0; k < MAX_ARGUMENTS; k++)
        arguments[k] = arena_array(unit->arena, count, sizeof(float));
    fill(function, count, arguments);
    const float *results = run(unit, function, count, arguments)->data;
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        double x = (double)arguments[0][i], y = (double)arguments[1][i];
        double error = error_in_ulp(results[i], function->exact(x, y));
        if (error <= worst) continue;
        worst = error;
        at = i;
    }
    printf("%-16s %.3f ulp at %a, %a\n", function->op, worst, (double)arguments[0][at],
           (double)arguments[1][at]);
    if (worst > function->limit)
        fail_msg("%s: %g ulp at %a, %a: %a", function->op, worst, (double)arguments[0][at],
                 (double)arguments[1][at], (double)results[at]);
}

static void test_accuracy(void **state) {
    (void)state;
    size_t count = getenv("TEPAL_LONG") ? 10000000 : 1000000;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *own;
        unit_setup(&own);
        check(own, &functions[i], count);
        unit_teardown(&own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(test_accuracy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
