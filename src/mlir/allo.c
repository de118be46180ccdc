/* Bodies for the library functions of Allo.
 *
 * Allo's front end writes torch's GELU and LayerNorm as calls of private functions without a body,
 * @gelu_ID and @layernorm_ID; its back ends put the bodies in later. These are the same: the tanh
 * form with Allo's rounded constant, and variance as the mean of squares less the square of the
 * mean. */
#include "mlir/internal.h"
#include "mlir/ir.h"

#include <string.h>

/* $N name  $X type of the argument  $R the same without its last dimension  $L type of the last one
 * $D all dimensions  $K all but the last  $E the last  $P iterators of all  $Q the same, the last a
 * reduction  $O iterators of all but the last  $S size of the last */
static const char gelu[] =
    "func.func private @$N(%x: $X) -> $X {\n"
    "  %y = memref.alloc() : $X\n"
    "  linalg.generic {indexing_maps = [affine_map<($D) -> ($D)>, affine_map<($D) -> ($D)>],\n"
    "      iterator_types = [$P]} ins(%x : $X) outs(%y : $X) {\n"
    "  ^bb0(%in: f32, %out: f32):\n"
    "    %half = arith.constant 5.000000e-01 : f32\n"
    "    %three = arith.constant 3.000000e+00 : f32\n"
    "    %a = arith.constant 4.471500e-02 : f32\n"
    "    %b = arith.constant 7.978850e-01 : f32\n"
    "    %one = arith.constant 1.000000e+00 : f32\n"
    "    %0 = arith.mulf %half, %in : f32\n"
    "    %1 = math.powf %in, %three : f32\n"
    "    %2 = arith.mulf %a, %1 : f32\n"
    "    %3 = arith.addf %in, %2 : f32\n"
    "    %4 = arith.mulf %b, %3 : f32\n"
    "    %5 = math.tanh %4 : f32\n"
    "    %6 = arith.addf %one, %5 : f32\n"
    "    %7 = arith.mulf %0, %6 : f32\n"
    "    linalg.yield %7 : f32\n"
    "  }\n"
    "  return %y : $X\n"
    "}\n";

static const char layernorm[] =
    "#all = affine_map<($D) -> ($D)>\n#kept = affine_map<($D) -> ($K)>\n"
    "#last = affine_map<($D) -> ($E)>\n#own = affine_map<($K) -> ($K)>\n"
    "func.func private @$N(%x: $X, %gamma: $L, %beta: $L) -> $X {\n"
    "  %y = memref.alloc() : $X\n"
    "  %sum = memref.alloc() : $R\n"
    "  %squares = memref.alloc() : $R\n"
    "  %mean = memref.alloc() : $R\n"
    "  %variance = memref.alloc() : $R\n"
    "  %zero = arith.constant 0.000000e+00 : f32\n"
    "  %size = arith.constant $S.0 : f32\n"
    "  linalg.fill ins(%zero : f32) outs(%sum : $R)\n"
    "  linalg.fill ins(%zero : f32) outs(%squares : $R)\n"
    "  linalg.generic {indexing_maps = [#all, #kept, #kept], iterator_types = [$Q]}\n"
    "      ins(%x : $X) outs(%sum, %squares : $R, $R) {\n"
    "  ^bb0(%in: f32, %s: f32, %q: f32):\n"
    "    %1 = arith.addf %in, %s : f32\n"
    "    %2 = arith.mulf %in, %in : f32\n"
    "    %3 = arith.addf %2, %q : f32\n"
    "    linalg.yield %1, %3 : f32, f32\n"
    "  }\n"
    "  linalg.generic {indexing_maps = [#own, #own, #own, #own], iterator_types = [$O]}\n"
    "      ins(%sum, %squares : $R, $R) outs(%mean, %variance : $R, $R) {\n"
    "  ^bb0(%s: f32, %q: f32, %out: f32, %out_1: f32):\n"
    "    %1 = arith.divf %s, %size : f32\n"
    "    %2 = arith.divf %q, %size : f32\n"
    "    %3 = arith.mulf %1, %1 : f32\n"
    "    %4 = arith.subf %2, %3 : f32\n"
    "    linalg.yield %1, %4 : f32, f32\n"
    "  }\n"
    "  linalg.generic {indexing_maps = [#kept, #kept, #all, #last, #last, #all],\n"
    "      iterator_types = [$P]} ins(%mean, %variance, %x, %gamma, %beta : $R, $R, $X, $L, $L)\n"
    "      outs(%y : $X) {\n"
    "  ^bb0(%m: f32, %v: f32, %in: f32, %g: f32, %b: f32, %out: f32):\n"
    "    %epsilon = arith.constant 9.99999974E-6 : f32\n"
    "    %1 = arith.subf %in, %m : f32\n"
    "    %2 = arith.mulf %g, %1 : f32\n"
    "    %3 = arith.addf %v, %epsilon : f32\n"
    "    %4 = math.sqrt %3 : f32\n"
    "    %5 = arith.divf %2, %4 : f32\n"
    "    %6 = arith.addf %b, %5 : f32\n"
    "    linalg.yield %6 : f32\n"
    "  }\n"
    "  return %y : $X\n"
    "}\n";

static const struct {
    const char *prefix;
    int argument_count;
    const char *text;
} library[] = {{"gelu_", 1, gelu}, {"layernorm_", 3, layernorm}};

/* "name_" and a number, as Allo makes it. */
static bool has_prefix(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return string_starts(name, prefix) && name[length] &&
           strspn(name + length, "0123456789") == strlen(name + length);
}

static const char *shape_text(Arena *arena, int first, int last, const int64_t *shape) {
    Text text = text_new(arena);
    text_append(&text, "memref<");
    for (int i = first; i < last; i++) text_printf(&text, "%lldx", (long long)shape[i]);
    text_append(&text, "f32>");
    return text_string(&text);
}

/* "d0, d1" or "parallel, parallel" */
static const char *list_text(Arena *arena, int first, int last, bool iterators, bool reduces) {
    Text text = text_new(arena);
    for (int i = first; i < last; i++) {
        text_append(&text, i > first ? ", " : "");
        if (iterators)
            text_append(&text, reduces && i == last - 1 ? "\"reduction\"" : "\"parallel\"");
        else
            text_printf(&text, "d%d", i);
    }
    return text_string(&text);
}

static const char *instantiate(Arena *arena, const char *pattern, const char *name, int rank,
                               const int64_t *shape) {
    const char *values[128] = {NULL};
    values['N'] = name;
    values['X'] = shape_text(arena, 0, rank, shape);
    values['R'] = shape_text(arena, 0, rank - 1, shape);
    values['L'] = shape_text(arena, rank - 1, rank, shape);
    values['D'] = list_text(arena, 0, rank, false, false);
    values['K'] = list_text(arena, 0, rank - 1, false, false);
    values['E'] = list_text(arena, rank - 1, rank, false, false);
    values['P'] = list_text(arena, 0, rank, true, false);
    values['Q'] = list_text(arena, 0, rank, true, true);
    values['O'] = list_text(arena, 0, rank - 1, true, false);
    values['S'] = string_format(arena, "%lld", (long long)shape[rank - 1]);
    Text text = text_new(arena);
    for (const char *c = pattern; *c; c++) {
        if (*c == '$')
            text_append(&text, values[(unsigned char)*++c & 127]);
        else
            text_append_bytes(&text, c, 1);
    }
    return text_string(&text);
}

/* The shape of the first argument, if the declaration has the form that Allo gives it. */
static bool read_shape(MlirOperation function, int argument_count, int *rank, int64_t *shape) {
    MlirType type = mlirTypeAttrGetValue(op_attribute(function, "function_type"));
    if (mlirFunctionTypeGetNumInputs(type) != argument_count ||
        mlirFunctionTypeGetNumResults(type) != 1)
        return false;
    MlirType input = mlirFunctionTypeGetInput(type, 0);
    return is_memref(input) && mlirTypeEqual(input, mlirFunctionTypeGetResult(type, 0)) &&
           mlirTypeIsAF32(mlirShapedTypeGetElementType(input)) && memref_is_identity(input) &&
           static_shape(input, rank, shape) && *rank >= 1;
}

static bool give_body(Session *session, MlirOperation function, const char *text) {
    MlirModule made = mlirModuleCreateParse(session->context, ref(text));
    if (mlirModuleIsNull(made))
        return error_at(session->diagnostics, STATUS_INTERNAL, op_place(session->arena, function),
                        "the body of Allo's function does not parse");
    MlirOperation body =
        ops_named(session->arena, mlirModuleGetOperation(made), "func.func").items[0];
    mlirOperationRemoveFromParent(body);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(function), function, body);
    op_erase(function);
    mlirModuleDestroy(made);
    return true;
}

bool allo_bodies(Session *session, MlirModule module) {
    OpList functions = ops_named(session->arena, mlirModuleGetOperation(module), "func.func");
    for (int i = 0; i < functions.count; i++) {
        MlirOperation function = functions.items[i];
        const char *name = string_of_attribute(session->arena, op_attribute(function, "sym_name"));
        if (!mlirBlockIsNull(op_body(function))) continue;
        for (size_t k = 0; k < sizeof library / sizeof *library; k++) {
            int rank;
            int64_t shape[MAX_RANK];
            if (!has_prefix(name, library[k].prefix) ||
                !read_shape(function, library[k].argument_count, &rank, shape))
                continue;
            const char *text = instantiate(session->arena, library[k].text, name, rank, shape);
            if (!give_body(session, function, text)) return false;
            break;
        }
    }
    return true;
}
