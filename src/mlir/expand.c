/* Pass "tepal-math": operations of the math dialect become arithmetic.
 *
 * Most of them are functions of the library in src/mlir/math, one per operation and type,
 * NAME_TYPE: its body is copied in place of the operation. Bodies are straight lines of arith
 * operations that hardware has: add, multiply, compare, select, integer add and shift, bitcast. No
 * operation there has an undefined result for any argument (so no fptosi of a value that may not
 * fit: adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum). Polynomials are
 * minimax fits made by math/minimax.py; docs/numerics.md has the measured errors.
 *
 * f16 and bf16 are computed in f32 and rounded. Square roots stay: hardware has them. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <math.h>
#include <string.h>

/* Operations that are no calls of the library stay as they are. */
static const char *const primitives[] = {"math.sqrt", "math.absf"};

enum { MAX_ARGUMENTS = 4 };

typedef struct Library {
    Session *session;
    MlirModule module;
    OpList functions;
} Library;

static bool load(Session *session, Library *library) {
    /* The library is our own text: it needs no trial run. */
    MlirModule module =
        mlirModuleCreateParse(session->context, mlirStringRefCreate(math_mlir, math_mlir_length));
    if (mlirModuleIsNull(module))
        return error_at(session->diagnostics, STATUS_INTERNAL, NULL,
                        "the library of functions does not parse");
    *library = (Library){.session = session, .module = module};
    library->functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    return true;
}

static bool find_function(Library *library, const char *name, MlirOperation *function) {
    for (int i = 0; i < library->functions.count; i++) {
        MlirStringRef own =
            mlirStringAttrGetValue(op_attribute(library->functions.items[i], "sym_name"));
        if (!ref_equal(own, name)) continue;
        *function = library->functions.items[i];
        return true;
    }
    return false;
}

static MlirValue inline_call(Library *library, Builder *builder, MlirOperation call,
                             const ValueMap *map);

/* The body of a library function on these values; functions that it calls are put in, too. */
static MlirValue inline_function(Library *library, Builder *builder, MlirOperation function,
                                 int count, const MlirValue *arguments) {
    MlirBlock body = op_body(function);
    MlirOperation end = mlirBlockGetTerminator(body);
    ValueMap map = {.arena = library->session->arena};
    for (int i = 0; i < count; i++) map_value(&map, mlirBlockGetArgument(body, i), arguments[i]);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op)) {
        if (op_is(op, "func.call"))
            map_value(&map, mlirOperationGetResult(op, 0), inline_call(library, builder, op, &map));
        else
            build_copy(builder, op, &map);
    }
    return mapped(&map, mlirOperationGetOperand(end, 0));
}

static MlirValue inline_call(Library *library, Builder *builder, MlirOperation call,
                             const ValueMap *map) {
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(op_attribute(call, "callee"));
    MlirOperation function = {NULL};
    find_function(library, ref_copy(library->session->arena, name), &function);
    int count = (int)mlirOperationGetNumOperands(call);
    MlirValue arguments[MAX_ARGUMENTS];
    for (int i = 0; i < count && i < MAX_ARGUMENTS; i++)
        arguments[i] = mapped(map, mlirOperationGetOperand(call, i));
    return inline_function(library, builder, function, count, arguments);
}

/* --- operations with an expansion of their own --- */

static MlirValue expand_absi(Builder *b, MlirOperation op) {
    MlirValue x = mlirOperationGetOperand(op, 0);
    MlirType type = mlirValueGetType(x);
    MlirValue zero = build_integer(b, type, 0);
    MlirValue negated = build2(b, "arith.subi", type, zero, x);
    enum { SLT = 2 };
    return build_select(b, build_compare(b, "arith.cmpi", SLT, x, zero), negated, x);
}

/* Powers by repeated squaring up to here: the error is that of a few multiplications. */
enum { LARGEST_POWER = 8 };

static MlirValue reciprocal(Builder *b, MlirValue x) {
    MlirType type = mlirValueGetType(x);
    return build2(b, "arith.divf", type, build_float(b, type, 1), x);
}

static MlirValue power_of(Builder *b, MlirValue x, int64_t exponent) {
    MlirValue result = {NULL}, square = x;
    MlirType type = mlirValueGetType(x);
    for (int64_t left = exponent < 0 ? -exponent : exponent; left > 0; left >>= 1) {
        if (left & 1) result = result.ptr ? build2(b, "arith.mulf", type, result, square) : square;
        if (left > 1) square = build2(b, "arith.mulf", type, square, square);
    }
    if (!result.ptr) return build_float(b, type, 1);
    return exponent > 0 ? result : reciprocal(b, result);
}

/* With an exponent that is not constant, or large, it is powf. */
static MlirValue expand_fpowi(Builder *b, MlirOperation op) {
    MlirValue x = mlirOperationGetOperand(op, 0), exponent = mlirOperationGetOperand(op, 1);
    MlirType type = mlirValueGetType(x);
    int64_t constant;
    if (constant_integer(exponent, &constant) && constant >= -LARGEST_POWER &&
        constant <= LARGEST_POWER)
        return power_of(b, x, constant);
    MlirValue power = build1(b, "arith.sitofp", type, exponent);
    return build2(b, "math.powf", type, x, power);
}

/* sqrt(x), but pow(-0, 1/2) is +0 and pow(-infinity, 1/2) is +infinity. */
static MlirValue power_of_half(Builder *b, MlirValue x) {
    enum { OEQ = 1 };
    MlirType type = mlirValueGetType(x);
    MlirValue root = build1(b, "math.sqrt", type, x);
    MlirValue positive = build2(b, "arith.addf", type, root, build_float(b, type, 0));
    MlirValue low = build_compare(b, "arith.cmpf", OEQ, x, build_float(b, type, -INFINITY));
    return build_select(b, low, build_float(b, type, INFINITY), positive);
}

/* Constant exponents that need no logarithm: small integers and +-1/2. */
static MlirValue expand_powf(Builder *b, MlirOperation op) {
    MlirValue x = mlirOperationGetOperand(op, 0), none = {NULL};
    MlirOperation exponent = value_definition(mlirOperationGetOperand(op, 1));
    MlirAttribute value = op_is(exponent, "arith.constant") ? op_attribute(exponent, "value")
                                                            : mlirAttributeGetNull();
    if (mlirAttributeIsNull(value) || !mlirAttributeIsAFloat(value)) return none;
    double power = mlirFloatAttrGetValueDouble(value);
    if (fabs(power) <= LARGEST_POWER && power == rint(power)) return power_of(b, x, (int64_t)power);
    if (fabs(power) != 0.5) return none;
    MlirValue root = power_of_half(b, x);
    return power > 0 ? root : reciprocal(b, root);
}

typedef struct Special {
    const char *name;
    MlirValue (*expand)(Builder *builder, MlirOperation op); /* null value: cannot */
} Special;

static const Special specials[] = {
    {"math.absi", expand_absi},
    {"math.fpowi", expand_fpowi},
    {"math.powf", expand_powf},
};

/* --- the pass --- */

static bool is_partial_math(MlirOperation op) {
    if (!op_in_dialect(op, "math") && !op_is(op, "arith.remf")) return false;
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (op_is(op, primitives[i])) return false;
    return true;
}

static bool no_expansion(Session *session, MlirOperation op, const char *type) {
    return error_at(session->diagnostics, STATUS_INPUT, op_place(session->arena, op),
                    "%s of %s is not supported: the library of functions has none",
                    op_name(session->arena, op), type);
}

/* Calls the library function for `name`, in f32 where the type is a narrower float. */
static bool call_library(Library *library, MlirOperation op, MlirValue *result) {
    Session *session = library->session;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    Scalar scalar;
    if (!scalar_of_type(type, &scalar)) return no_expansion(session, op, "tensors or vectors");
    bool narrow = scalar.kind == SCALAR_FLOAT && scalar.width < 32;
    MlirType computed = narrow ? mlirF32TypeGet(session->context) : type;
    const char *name = strchr(op_name(session->arena, op), '.') + 1;
    const char *type_name = narrow ? "f32" : scalar_name(scalar);
    const char *function_name = string_format(session->arena, "%s_%s", name, type_name);
    MlirOperation function;
    int count = (int)mlirOperationGetNumOperands(op);
    if (!find_function(library, function_name, &function) || count > MAX_ARGUMENTS ||
        mlirBlockGetNumArguments(op_body(function)) != count)
        return no_expansion(session, op, scalar_name(scalar));
    Builder builder = builder_before(op);
    MlirValue arguments[MAX_ARGUMENTS];
    for (int i = 0; i < count; i++) {
        arguments[i] = mlirOperationGetOperand(op, i);
        if (narrow) arguments[i] = build1(&builder, "arith.extf", computed, arguments[i]);
    }
    *result = inline_function(library, &builder, function, count, arguments);
    if (narrow) *result = build1(&builder, "arith.truncf", type, *result);
    return true;
}

static bool expand(Library *library, MlirOperation op) {
    MlirValue result = {NULL};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (!op_is(op, specials[i].name)) continue;
        Builder builder = builder_before(op);
        result = specials[i].expand(&builder, op);
    }
    if (!result.ptr && !call_library(library, op, &result)) return false;
    op_replace(op, 1, &result);
    return true;
}

bool pass_math(Session *session, MlirModule module, const char *options) {
    (void)options;
    OpList list = ops_collect(session->arena, mlirModuleGetOperation(module), is_partial_math);
    if (list.count == 0) return true;
    Library library;
    if (!load(session, &library)) return false;
    bool done = true;
    for (int i = 0; i < list.count; i++) done = expand(&library, list.items[i]) && done;
    list = ops_collect(session->arena, mlirModuleGetOperation(module), is_partial_math);
    for (int i = 0; done && i < list.count; i++) done = expand(&library, list.items[i]);
    mlirModuleDestroy(library.module);
    return done;
}
