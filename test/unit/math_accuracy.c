/* The library of functions (src/mlir/math) against the C library in long double: bit patterns of
 * all of f32 and f64, evenly spread, and every special value; all bit patterns of f16 and bf16.
 * Prints the largest error of each function.
 *
 * A million arguments of f32 and f64 per function; ten million with TEPAL_LONG=1 in the
 * environment. f64 is left out where long double has no more digits. */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "import/formulas.h"
#include "mlir/lower.h"
#include "mlir/reference.h"
#include "simulate/inputs.h"

typedef struct Function {
    const char *op; /* or the name of a formula */
    int arguments;
    double limit; /* ulp of f32 and f64 */
    long double (*exact)(long double x, long double y);
    MlirValue (*formula)(Formula f, MlirValue x);
} Function;

#define EXACT(name, value)                                                                         \
    static long double exact_##name(long double x, long double y) {                                \
        (void)y;                                                                                   \
        return value;                                                                              \
    }

EXACT(exp, expl(x))
EXACT(exp2, exp2l(x))
EXACT(expm1, expm1l(x))
EXACT(log, logl(x))
EXACT(log2, log2l(x))
EXACT(log10, log10l(x))
EXACT(log1p, log1pl(x))
EXACT(sqrt, sqrtl(x))
EXACT(rsqrt, 1 / sqrtl(x))
EXACT(tanh, tanhl(x))
EXACT(erf, erfl(x))
EXACT(sin, sinl(x))
EXACT(cos, cosl(x))
EXACT(atan, atanl(x))
EXACT(tan, tanl(x))
EXACT(asin, asinl(x))
EXACT(acos, acosl(x))
EXACT(sinh, sinhl(x))
EXACT(cosh, coshl(x))
EXACT(asinh, asinhl(x))
EXACT(acosh, acoshl(x))
EXACT(atanh, atanhl(x))
EXACT(floor, floorl(x))
EXACT(ceil, ceill(x))
EXACT(round, roundl(x))
EXACT(roundeven, rintl(x))
EXACT(trunc, truncl(x))
EXACT(sigmoid, 1 / (1 + expl(-x)))

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
    {"math.tan", 1, 8, exact_tan, NULL},
    {"math.asin", 1, 4, exact_asin, NULL},
    {"math.acos", 1, 4, exact_acos, NULL},
    {"math.sinh", 1, 4, exact_sinh, NULL},
    {"math.cosh", 1, 4, exact_cosh, NULL},
    {"math.asinh", 1, 4, exact_asinh, NULL},
    {"math.acosh", 1, 4, exact_acosh, NULL},
    {"math.atanh", 1, 4, exact_atanh, NULL},
    {"math.floor", 1, 0, exact_floor, NULL},
    {"math.ceil", 1, 0, exact_ceil, NULL},
    {"math.round", 1, 0, exact_round, NULL},
    {"math.roundeven", 1, 0, exact_roundeven, NULL},
    {"math.trunc", 1, 0, exact_trunc, NULL},
    {"math.powf", 2, 16, powl, NULL},
    {"math.atan2", 2, 4, atan2l, NULL},
    {"arith.remf", 2, 0, fmodl, NULL},
};

static const double specials[] = {
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
    0x1p-1074,
    -0x1p-1074,
    0x1p-1022,
    0x1.ffffffffffffep-1023,
    0x1.fffffffffffffp1023,
    -0x1.fffffffffffffp1023,
    0x1.0000000000001p0,
    0x1.fffffffffffffp-1,
    0x1p52,
    0x1.fffffffffffffp51,
    0x1p53,
    709.782712893384,
    709.79,
    -708.4,
    -745.1,
    -745.2,
    0x1.921fb54442d18p0,
    0x1.921fb54442d18p1,
    19.06,
    19.07,
    5.93,
    5.95,
    0x1p-27,
    0x1p-55,
};
enum { SPECIALS = sizeof specials / sizeof *specials, MAX_ARGUMENTS = 2 };

/* The narrow types are computed in f32 and rounded: half a unit, and a little of what f32 is off.
 */
static const double narrow_limit = 0.51;

static double limit_of(const Function *function, Scalar type) {
    return type.width >= 32 || function->limit == 0 ? function->limit : narrow_limit;
}

/* Argument `k` of element `i`. The first are all (pairs of) special values, the others spread over
 * all bit patterns, or, for every second pair, over moderate values. */
static Bits argument(const Function *function, Scalar type, size_t count, size_t i, int k,
                     uint64_t *state) {
    bool pairs = function->arguments == 2;
    double moderate = random_normal(state) * (k == 0 ? 3 : 20);
    Bits spread = random_bits(state) & bits_mask(type.width);
    if (k == 0 && (!pairs || type.width == 16) && type.width < 64)
        spread = (Bits)((double)i * ldexp(1, type.width) / (double)count);
    if (type.width == 16 && k == 0) return spread; /* all of them, in order */
    if (i < (size_t)(pairs ? SPECIALS * SPECIALS : SPECIALS))
        return bits_from_double(type, specials[k == 0 ? i % SPECIALS : i / SPECIALS]);
    /* Most bit patterns of f64 are of no interest: too large or too near 0. */
    bool is_moderate = pairs || type.width == 64;
    return is_moderate && i % 2 ? bits_from_double(type, moderate) : spread;
}

/* Distance from the exact value in units of the last place of a number near it. */
static double error_in_ulp(Scalar type, double result, long double exact) {
    if (isnan(exact) || isnan(result)) return isnan(exact) && isnan(result) ? 0 : INFINITY;
    int digits = type.width - type.exponent; /* with the one that is not stored */
    int least = 3 - (1 << (type.exponent - 1)) - digits;
    double rounded = bits_to_double(type, bits_from_double(type, (double)exact));
    if (isinf(rounded) || isinf(result)) {
        /* The last float below overflow is as good as infinity where the exact value is between. */
        long double overflow = ldexpl(1, 1 << (type.exponent - 1));
        long double step = ldexpl(overflow, -digits);
        bool between = fabsl(fabsl(exact) - overflow) <= 2 * step;
        return rounded == result || between ? 0 : INFINITY;
    }
    if (exact == 0 && !signbit(exact) != !signbit(result)) return INFINITY;
    int exponent = least;
    if (exact != 0) frexpl(exact, &exponent);
    exponent = exponent - digits < least || exact == 0 ? least : exponent - digits;
    return (double)(fabsl(result - exact) / ldexpl(1, exponent));
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
    Dtype dtype = scalar.width == 64 ? DTYPE_FLOAT64 : DTYPE_FLOAT32;
    x = function->formula((Formula){&builder, dtype}, x);
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
        if (type.width == 64 && strcmp(functions[i].op, "arith.remf") == 0) continue;
        unit_setup(&own);
        check(own, &functions[i], type, count);
        unit_teardown(&own);
    }
}

static void test_f32(void **state) {
    (void)state;
    check_all(SCALAR_F32, getenv("TEPAL_LONG") ? 10000000 : 1000000);
}

/* All but remf. */
static void test_f64(void **state) {
    (void)state;
    if (LDBL_MANT_DIG >= 64) check_all(SCALAR_F64, getenv("TEPAL_LONG") ? 10000000 : 1000000);
}

static void test_narrow(void **state) {
    (void)state;
    check_all(SCALAR_F16, 1 << 16);
    check_all(SCALAR_BF16, 1 << 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {UNIT_TEST(test_f32), UNIT_TEST(test_f64),
                                       UNIT_TEST(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
