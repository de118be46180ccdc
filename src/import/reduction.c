/* Reductions along dimensions, and what is made of them: sum, mean, maximum, softmax ... */
#include <string.h>
#include "import/elementwise.h"
#include "import/operations.h"
#include "import/reduce.h"

/* --- softmax ------------------------------------------------------------------------------- */

static MlirValue shifted_exp_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x)
{
    (void)call;
    return scalar_math(body, "math.exp", scalar_op(body, SCALAR_SUBTRACT, dtype, x[0], x[1]));
}

static MlirValue divide_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x)
{
    (void)call;
    return scalar_op(body, SCALAR_DIVIDE, dtype, x[0], x[1]);
}


/* x - log(sum), for x less the maximum */
static MlirValue log_softmax_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x)
{
    (void)call;
    MlirValue shifted = scalar_op(body, SCALAR_SUBTRACT, dtype, x[0], x[1]);
    return scalar_op(body, SCALAR_SUBTRACT, dtype, shifted, scalar_math(body, "math.log", x[2]));
}

Value *value_softmax(Call *call, Value *input, int dim, bool logarithm)
{
    Dtype dtype = input->type.dtype;
    bool flags[MAX_RANK] = {false};
    flags[dim] = true;
    if (input->type.rank == 0) flags[0] = false;
    Value *highest = value_reduce(call, input, flags, true, SCALAR_MAXIMUM, dtype_lowest(dtype), dtype);
    Value *shifted_values[] = {input, highest};
    Value *power = element_wise(call, 2, shifted_values, dtype, 0, shifted_exp_body);
    Value *sum = value_reduce(call, power, flags, true, SCALAR_ADD, number_of_integer(0), dtype);
    if (logarithm) {
        Value *values[] = {input, highest, sum};
        return element_wise(call, 3, values, dtype, 0, log_softmax_body);
    }
    Value *values[] = {power, sum};
    return element_wise(call, 2, values, dtype, 0, divide_body);
}

/* 16-bit floats are computed in float32; with a dtype the input is converted first. */
static bool emit_softmax(Call *call)
{
    Value *input = call_tensor(call, "self");
    int dim;
    Dtype dtype = input->type.dtype;
    bool is_core = call->operation->option & 2;
    if (!call_dim(call, "dim", input->type.rank, &dim)) return false;
    if (is_core && call_bool(call, "half_to_float")) dtype = DTYPE_FLOAT32;
    if (!is_core) dtype = call_dtype(call, "dtype", dtype);
    if (!dtype_is_float(dtype)) return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    input = call_cast(call, input, dtype_compute(dtype));
    Value *result = value_softmax(call, input, dim, call->operation->option & 1);
    return call_result(call, 0, call_cast(call, result, dtype));
}

const Operation reduction_operations[] = {
    {"aten.softmax.int", "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     .emit = emit_softmax},
    {"aten.log_softmax.int", "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     .emit = emit_softmax, .option = 1},
    {"aten._softmax.default", "(Tensor self, int dim, bool half_to_float) -> Tensor",
     .emit = emit_softmax, .option = 2},
    {"aten._log_softmax.default", "(Tensor self, int dim, bool half_to_float) -> Tensor",
     .emit = emit_softmax, .option = 3},
    {.name = NULL},
};
