/* softmax and log_softmax: exp(x - max) / sum, in float32 for 16-bit floats. */
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/reduce.h"

static MlirValue shifted_power(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return math(f, "math.exp", minus(f, x[0], x[1]));
}

static MlirValue quotient(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return over(f, x[0], x[1]);
}

/* x - max - log(sum) */
static MlirValue log_quotient(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    Formula f = {body, dtype};
    (void)call;
    return minus(f, minus(f, x[0], x[1]), math(f, "math.log", x[2]));
}

Value *value_softmax(Call *call, Value *input, int dim, bool logarithm) {
    Dtype dtype = input->type.dtype;
    bool flags[MAX_RANK] = {false};
    if (input->type.rank > 0) flags[dim] = true;
    Value *most =
        value_reduce(call, input, flags, true, SCALAR_MAXIMUM, dtype_lowest(dtype), dtype);
    Value *pair[] = {input, most};
    Value *powers = element_wise(call, 2, pair, dtype, 0, shifted_power);
    Value *sum = value_reduce(call, powers, flags, true, SCALAR_ADD, number_of_integer(0), dtype);
    Value *of_logarithm[] = {input, most, sum}, *plain[] = {powers, sum};
    if (logarithm) return element_wise(call, 3, of_logarithm, dtype, 0, log_quotient);
    return element_wise(call, 2, plain, dtype, 0, quotient);
}

enum { LOGARITHM = 1, CORE = 2 };

/* With a dtype the input is converted first. */
static bool emit_softmax(Call *call) {
    Value *input = call_tensor(call, "self");
    int dim = 0;
    Dtype dtype = input->type.dtype;
    bool is_core = call->operation->option & CORE;
    if (!call_dim(call, "dim", input->type.rank, &dim)) return false;
    if (is_core && call_bool(call, "half_to_float")) dtype = DTYPE_FLOAT32;
    if (!is_core) dtype = call_dtype(call, "dtype", dtype);
    if (!dtype_is_float(dtype))
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    input = call_cast(call, input, dtype_compute(dtype));
    Value *result = value_softmax(call, input, dim, call->operation->option & LOGARITHM);
    return call_result(call, 0, call_cast(call, result, dtype));
}

const Operation softmax_operations[] = {
    {"aten.softmax.int", "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     .emit = emit_softmax},
    {"aten.log_softmax.int", "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     .emit = emit_softmax, .option = LOGARITHM},
    {"aten._softmax.default", "(Tensor self, int dim, bool half_to_float) -> Tensor",
     .emit = emit_softmax, .option = CORE},
    {"aten._log_softmax.default", "(Tensor self, int dim, bool half_to_float) -> Tensor",
     .emit = emit_softmax, .option = CORE | LOGARITHM},
    {.name = NULL},
};
