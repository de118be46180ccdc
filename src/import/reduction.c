/* Reductions along dimensions: sum, mean, maximum, any, variance, norms.
 *
 * Sums of 16-bit floats are accumulated in float32. The order is that of the elements in memory. */
#include <math.h>
#include <string.h>
#include "import/elementwise.h"
#include "import/formulas.h"
#include "import/operations.h"
#include "import/quantized.h"
#include "import/reduce.h"
#include "import/shape.h"

#define BODY(name)                                                                                 \
    static MlirValue name(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs)

#define FORMULA                                                                                    \
    Formula f = {body, dtype};                                                                     \
    (void)call

BODY(divide_by) {
    FORMULA;
    return over(f, inputs[0], inputs[1]);
}

BODY(multiply_by) {
    FORMULA;
    return times(f, inputs[0], inputs[1]);
}

/* --- arguments ----------------------------------------------------------------------------- */

/* `dim` as a list, one number, or not there, and `keepdim`. */
typedef struct Dims {
    bool flags[MAX_RANK];
    bool keep;
} Dims;

static bool dim_is_list(const Call *call) {
    for (int i = 0; i < call->schema.count; i++) {
        const Parameter *parameter = &call->schema.parameters[i];
        if (strcmp(parameter->name, "dim") == 0) return parameter->is_list;
    }
    return false;
}

static bool read_dims(Call *call, const TensorType *type, Dims *dims) {
    *dims = (Dims){.keep = false};
    for (int i = 0; i < type->rank; i++) dims->flags[i] = true;
    if (call_declares(call, "keepdim")) dims->keep = call_bool(call, "keepdim");
    if (!call_declares(call, "dim") || !call_has(call, "dim")) return true;
    if (dim_is_list(call)) return call_dims(call, "dim", type->rank, dims->flags);
    int dim = 0;
    if (!call_dim(call, "dim", type->rank, &dim)) return false;
    for (int i = 0; i < type->rank; i++) dims->flags[i] = i == dim;
    return true;
}

static bool give(Call *call, Value *value, Dtype dtype) {
    return value && call_result(call, 0, call_cast(call, value, dtype));
}

static Value *number_value(Call *call, Dtype dtype, double number) {
    return value_constant(call->arena,
                          stored_splat(call->arena, dtype, 0, NULL, number, (int64_t)number));
}

/* --- sum, product, mean -------------------------------------------------------------------- */

/* Integers and bools are summed as int64, if no dtype is asked for. */
static Dtype sum_dtype(Call *call, Dtype dtype) {
    Dtype natural = dtype_is_float(dtype) ? dtype : DTYPE_INT64;
    return call_declares(call, "dtype") ? call_dtype(call, "dtype", natural) : natural;
}

static bool emit_sum(Call *call) {
    Value *self = call_tensor(call, "self");
    bool product = call->operation->option;
    Dims dims;
    if (!read_dims(call, &self->type, &dims)) return false;
    Dtype dtype = sum_dtype(call, self->type.dtype);
    if (dtype == DTYPE_BOOL) return call_fail(call, "dtype bool is not supported");
    self = call_cast(call, self, dtype);
    Value *result =
        value_reduce(call, self, dims.flags, dims.keep, product ? SCALAR_MULTIPLY : SCALAR_ADD,
                     number_of_integer(product), dtype_compute(dtype));
    return give(call, result, dtype);
}

Value *value_mean(Call *call, Value *value, const bool *flags, bool keep) {
    Dtype dtype = value->type.dtype;
    double count = (double)reduced_count(&value->type, flags);
    Value *sum = value_reduce(call, value, flags, keep, SCALAR_ADD, number_of_integer(0), dtype);
    int exponent;
    bool exact = frexp(count, &exponent) == 0.5;
    /* Multiplication by a power of two is as exact as the division, and cheaper. */
    Value *values[] = {sum, number_value(call, dtype, exact ? 1 / count : count)};
    return element_wise(call, 2, values, dtype, 0, exact ? multiply_by : divide_by);
}

static bool emit_mean(Call *call) {
    Value *self = call_tensor(call, "self");
    Dims dims;
    if (!read_dims(call, &self->type, &dims)) return false;
    Dtype dtype = call_dtype(call, "dtype", self->type.dtype);
    if (!dtype_is_float(dtype))
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    Value *wide = call_cast(call, call_cast(call, self, dtype), dtype_compute(dtype));
    return give(call, value_mean(call, wide, dims.flags, dims.keep), dtype);
}

/* The mean of a dequantized tensor: the sums of its integers. */
static bool integer_mean(Call *call) {
    Value *self = call_tensor(call, "self");
    const Quantized *from = quantized_plain(self);
    Dims dims;
    if (!from || !quantized_activation(self) || !read_dims(call, &self->type, &dims)) return false;
    double count = (double)reduced_count(&self->type, dims.flags);
    if (call_dtype(call, "dtype", DTYPE_FLOAT32) != DTYPE_FLOAT32 || count > (1 << 22))
        return false;
    Value *sums = value_reduce(call, from->terms[0].integers, dims.flags, dims.keep, SCALAR_ADD,
                               number_of_integer(0), DTYPE_INT32);
    return sums && call_result(call, 0, integers_average(call, from, sums, count, count));
}

/* --- maximum and minimum ------------------------------------------------------------------- */

static bool emit_extreme(Call *call) {
    Value *self = call_tensor(call, "self");
    Dtype dtype = self->type.dtype;
    bool minimum = call->operation->option;
    Dims dims;
    if (!read_dims(call, &self->type, &dims)) return false;
    Value *result =
        value_reduce(call, self, dims.flags, dims.keep, minimum ? SCALAR_MINIMUM : SCALAR_MAXIMUM,
                     minimum ? dtype_highest(dtype) : dtype_lowest(dtype), dtype);
    return give(call, result, dtype);
}

/* The better of an element and the best so far: NaN is better than any number; of equals the first
 * stays. */
static MlirValue is_better(Formula f, bool minimum, MlirValue element, MlirValue best) {
    MlirValue better = compare(f, minimum ? ORDER_LESS : ORDER_GREATER, element, best);
    if (!dtype_is_float(f.dtype)) return better;
    MlirValue is_nan = compare(f, ORDER_UNEQUAL, element, element);
    MlirValue was_number = compare(f, ORDER_EQUAL, best, best);
    MlirValue first_nan = scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, is_nan, was_number);
    return scalar_op(f.body, SCALAR_OR, DTYPE_BOOL, better, first_nan);
}

/* Extreme values along a dimension and where they are. */
static void find_extremes(Call *call, Value *self, int dim, bool minimum, Value *results[2]) {
    const TensorType *type = &self->type;
    int rank = type->rank, kept = 0, dims[MAX_RANK];
    int64_t shape[MAX_RANK];
    char iterators[MAX_RANK + 1] = {0};
    for (int i = 0; i < rank; i++) {
        iterators[i] = i == dim ? 'r' : 'p';
        if (i == dim) continue;
        shape[kept] = type->shape[i];
        dims[kept++] = i;
    }
    Dtype dtype = type->dtype, dtypes[] = {dtype, DTYPE_INT64};
    Number start = minimum ? dtype_highest(dtype) : dtype_lowest(dtype);
    MlirValue inits[] = {
        build_filled(call->builder, call_type(call, dtype, kept, shape),
                     scalar_number(call->builder, dtype, start)),
        build_filled(call->builder, call_type(call, DTYPE_INT64, kept, shape),
                     scalar_number(call->builder, DTYPE_INT64, number_of_integer(0))),
    };
    MlirAffineMap output = map_of_dims(call->builder, rank, kept, dims);
    MlirAffineMap maps[] = {map_identity(call->builder, rank), output, output};
    MlirValue input = call_mlir(call, self);
    Generic generic = generic_begin(call->builder, iterators, 1, &input, 2, inits, maps);
    Formula f = {&generic.body, dtype};
    MlirValue element = generic_input(&generic, 0), best = generic_output(&generic, 0);
    MlirValue better = is_better(f, minimum, element, best);
    MlirValue yielded[] = {
        choose(f, better, element, best),
        choose(f, better, generic_index(&generic, dim), generic_output(&generic, 1))};
    MlirValue built[2];
    generic_end_all(&generic, yielded, built);
    for (int i = 0; i < 2; i++) {
        results[i] = value_new(call->arena, dtypes[i], kept, shape, built[i]);
    }
}

static Value *keep_dim(Call *call, Value *value, const TensorType *type, int dim, bool keep) {
    if (!keep) return value;
    int64_t shape[MAX_RANK];
    memcpy(shape, type->shape, sizeof shape);
    shape[dim] = 1;
    return value_reshape(call, value, type->rank, shape);
}

/* max.dim: values and indices. */
static bool emit_extreme_dim(Call *call) {
    Value *self = call_tensor(call, "self"), *results[2];
    int dim = 0;
    if (self->type.rank == 0) return call_fail(call, "a 0-d tensor is not supported");
    if (!call_dim(call, "dim", self->type.rank, &dim)) return false;
    bool keep = call_bool(call, "keepdim");
    find_extremes(call, self, dim, call->operation->option, results);
    return call_result(call, 0, keep_dim(call, results[0], &self->type, dim, keep)) &&
           call_result(call, 1, keep_dim(call, results[1], &self->type, dim, keep));
}

/* argmax: the index along a dimension, or in the flat tensor. */
static bool emit_arg_extreme(Call *call) {
    Value *self = call_tensor(call, "self"), *flat = self, *results[2];
    const TensorType *type = &self->type;
    bool keep = call_bool(call, "keepdim");
    int dim = 0;
    if (call_has(call, "dim") && type->rank > 0) {
        if (!call_dim(call, "dim", type->rank, &dim)) return false;
        find_extremes(call, self, dim, call->operation->option, results);
        return call_result(call, 0, keep_dim(call, results[1], type, dim, keep));
    }
    int64_t elements[] = {tensor_type_elements(type)}, ones[MAX_RANK];
    for (int i = 0; i < type->rank; i++) ones[i] = 1;
    flat = value_reshape(call, self, 1, elements);
    find_extremes(call, flat, 0, call->operation->option, results);
    return call_result(call, 0,
                       keep ? value_reshape(call, results[1], type->rank, ones) : results[1]);
}

/* --- any, all ------------------------------------------------------------------------------ */

static bool emit_logic(Call *call) {
    Value *self = call_tensor(call, "self");
    bool all = call->operation->option;
    Dims dims;
    if (!read_dims(call, &self->type, &dims)) return false;
    Value *result = value_reduce(call, self, dims.flags, dims.keep, all ? SCALAR_AND : SCALAR_OR,
                                 number_of_integer(all), DTYPE_BOOL);
    /* PyTorch keeps the type of uint8 masks. */
    return give(call, result, self->type.dtype == DTYPE_UINT8 ? DTYPE_UINT8 : DTYPE_BOOL);
}

/* --- variance ------------------------------------------------------------------------------ */

BODY(squared_difference) {
    FORMULA;
    MlirValue difference = minus(f, inputs[0], inputs[1]);
    return times(f, difference, difference);
}

BODY(square_root) {
    FORMULA;
    return math(f, "math.sqrt", inputs[0]);
}

Value *value_variance(Call *call, Value *value, const bool *flags, bool keep, double correction) {
    Dtype dtype = value->type.dtype;
    Value *centre = value_mean(call, value, flags, true);
    Value *pair[] = {value, centre};
    Value *squares = element_wise(call, 2, pair, dtype, 0, squared_difference);
    Value *sum = value_reduce(call, squares, flags, keep, SCALAR_ADD, number_of_integer(0), dtype);
    double count = (double)reduced_count(&value->type, flags) - correction;
    Value *values[] = {sum, number_value(call, dtype, count > 0 ? count : 0)};
    return element_wise(call, 2, values, dtype, 0, divide_by);
}

enum { STANDARD_DEVIATION = 1, WITH_CORRECTION = 2 };

static bool emit_variance(Call *call) {
    Value *self = call_tensor(call, "self");
    Dtype dtype = self->type.dtype;
    double correction = 1;
    Dims dims;
    if (!dtype_is_float(dtype))
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    if (!read_dims(call, &self->type, &dims)) return false;
    if (call->operation->option & WITH_CORRECTION) {
        if (call_has(call, "correction")) correction = call_number(call, "correction").real;
    } else if (!call_bool(call, "unbiased")) {
        correction = 0;
    }
    Value *wide = call_cast(call, self, dtype_compute(dtype));
    Value *result = value_variance(call, wide, dims.flags, dims.keep, correction);
    if (call->operation->option & STANDARD_DEVIATION) {
        result = element_wise(call, 1, &result, wide->type.dtype, 0, square_root);
    }
    return give(call, result, dtype);
}

/* var_mean: both results. */
static bool emit_variance_mean(Call *call) {
    Value *self = call_tensor(call, "self");
    Dtype dtype = self->type.dtype;
    Dims dims;
    if (!emit_variance(call) || !read_dims(call, &self->type, &dims)) return false;
    Value *wide = call_cast(call, self, dtype_compute(dtype));
    Value *mean = value_mean(call, wide, dims.flags, dims.keep);
    return call_result(call, 1, call_cast(call, mean, dtype));
}

/* --- norms --------------------------------------------------------------------------------- */

BODY(square) {
    FORMULA;
    return times(f, inputs[0], inputs[0]);
}

BODY(magnitude) {
    FORMULA;
    return absolute(f, inputs[0]);
}

/* With the order as the second input. */
BODY(power_of_magnitude) {
    FORMULA;
    MlirValue value = absolute(f, inputs[0]);
    return build2(body, "math.powf", mlirValueGetType(value), value, inputs[1]);
}

/* With the inverse of the order as the second input. */
BODY(root_of_sum) {
    (void)call, (void)dtype;
    return build2(body, "math.powf", mlirValueGetType(inputs[0]), inputs[0], inputs[1]);
}

BODY(is_not_zero) {
    FORMULA;
    MlirValue differs = compare(f, ORDER_UNEQUAL, inputs[0], real(f, 0));
    return scalar_cast(body, differs, DTYPE_BOOL, dtype);
}

/* What is done to each element, how they are combined, and what to the result, by the order. */
static const struct {
    double order;
    ElementBody before;
    ScalarOp op;
    ElementBody after;
} norms[] = {
    {2, square, SCALAR_ADD, square_root},
    {1, magnitude, SCALAR_ADD, NULL},
    {0, is_not_zero, SCALAR_ADD, NULL},
    {INFINITY, magnitude, SCALAR_MAXIMUM, NULL},
    {-INFINITY, magnitude, SCALAR_MINIMUM, NULL},
    {NAN, power_of_magnitude, SCALAR_ADD, root_of_sum}, /* any other */
};

Value *value_norm(Call *call, Value *value, const bool *flags, bool keep, double order) {
    Dtype dtype = value->type.dtype;
    size_t row = 0;
    while (!isnan(norms[row].order) && norms[row].order != order) row++;
    bool is_general = isnan(norms[row].order);
    Value *inputs[] = {value, is_general ? number_value(call, dtype, order) : NULL};
    Value *terms = element_wise(call, is_general ? 2 : 1, inputs, dtype, 0, norms[row].before);
    Number start = norms[row].op == SCALAR_MINIMUM ? dtype_highest(dtype) : number_of_integer(0);
    Value *sum = value_reduce(call, terms, flags, keep, norms[row].op, start, dtype);
    Value *roots[] = {sum, is_general ? number_value(call, dtype, 1 / order) : NULL};
    if (!norms[row].after) return sum;
    return element_wise(call, is_general ? 2 : 1, roots, dtype, 0, norms[row].after);
}

/* True if the model says that a result has all dimensions, and those to reduce have a size of 1. */
static bool keeps_all(Call *call, const TensorType *type, const Dims *dims) {
    const TensorType *stated = &call->import->program.values.items[call->node->outputs[0]].type;
    for (int i = 0; i < type->rank; i++)
        if (dims->flags[i] && type->shape[i] != 1) return false;
    return stated->rank == type->rank;
}

static bool emit_norm(Call *call) {
    Value *self = call_tensor(call, "self");
    Dims dims;
    double order = call_number(call, "ord").real;
    if (!read_dims(call, &self->type, &dims)) return false;
    /* PyTorch forgets keepdim=False where there is nothing to add. */
    dims.keep |= keeps_all(call, &self->type, &dims);
    Dtype dtype = call_dtype(call, "dtype", self->type.dtype), wide = dtype_compute(dtype);
    if (!dtype_is_float(dtype))
        return call_fail(call, "dtype %s is not supported", dtype_name(dtype));
    self = call_cast(call, self, wide);
    return give(call, value_norm(call, self, dims.flags, dims.keep, order), dtype);
}

/* --- the logarithm of a sum of exponentials ------------------------------------------------- */

/* The maximum, or 0 where it is infinite: exp(x - max) is then defined. */
BODY(finite_or_zero) {
    FORMULA;
    MlirValue infinite = compare(f, ORDER_EQUAL, absolute(f, inputs[0]), real(f, INFINITY));
    return choose(f, infinite, real(f, 0), inputs[0]);
}

BODY(shifted_power) {
    FORMULA;
    return math(f, "math.exp", minus(f, inputs[0], inputs[1]));
}

BODY(logarithm_plus) {
    FORMULA;
    return plus(f, math(f, "math.log", inputs[0]), inputs[1]);
}

static bool emit_logsumexp(Call *call) {
    Value *self = call_tensor(call, "self");
    Dtype dtype = dtype_is_float(self->type.dtype) ? self->type.dtype : DTYPE_FLOAT32;
    Dtype wide = dtype_compute(dtype);
    Dims dims;
    if (!read_dims(call, &self->type, &dims)) return false;
    self = call_cast(call, self, wide);
    const bool *flags = dims.flags;
    Value *most = value_reduce(call, self, flags, true, SCALAR_MAXIMUM, dtype_lowest(wide), wide);
    Value *shift = element_wise(call, 1, &most, wide, 0, finite_or_zero);
    Value *pair[] = {self, shift};
    Value *powers = element_wise(call, 2, pair, wide, 0, shifted_power);
    Value *sum =
        value_reduce(call, powers, flags, dims.keep, SCALAR_ADD, number_of_integer(0), wide);
    Value *values[] = {sum, value_reshape(call, shift, sum->type.rank, sum->type.shape)};
    return give(call, element_wise(call, 2, values, wide, 0, logarithm_plus), dtype);
}

/* Rows that differ in little. */
// clang-format off
#define ROWS(name, function, number)                                                               \
    {"aten." name ".default", "(Tensor self) -> Tensor", .emit = function, .option = number}

#define DTYPE_ROWS(name, function, number)                                                         \
    {"aten." name ".default", "(Tensor self, *, ScalarType? dtype=None) -> Tensor",                \
     .emit = function, .option = number}

#define EXTREMES(name, number)                                                                     \
    ROWS(name, emit_extreme, number),                                                              \
    {"aten.a" name ".default", "(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",       \
     .emit = emit_extreme, .option = number},                                                      \
    {"aten." name ".dim",                                                                          \
     "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",              \
     .emit = emit_extreme_dim, .option = number},                                                  \
    {"aten.arg" name ".default", "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",     \
     .emit = emit_arg_extreme, .option = number}

#define LOGIC(name, number)                                                                        \
    ROWS(name, emit_logic, number),                                                                \
    {"aten." name ".dim", "(Tensor self, int dim, bool keepdim=False) -> Tensor",                  \
     .emit = emit_logic, .option = number},                                                        \
    {"aten." name ".dims", "(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",         \
     .emit = emit_logic, .option = number}

#define VARIANCE(name, number)                                                                     \
    {"aten." name ".default", "(Tensor self, bool unbiased=True) -> Tensor",                       \
     .emit = emit_variance, .option = number},                                                     \
    {"aten." name ".dim",                                                                          \
     "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",               \
     .emit = emit_variance, .option = number},                                                     \
    {"aten." name ".correction",                                                                   \
     "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) "            \
     "-> Tensor",                                                                                  \
     .emit = emit_variance, .option = (number) | WITH_CORRECTION}

#define VARIANCE_MEAN(name, number)                                                                \
    {"aten." name ".default", "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",             \
     .emit = emit_variance_mean, .option = number},                                                \
    {"aten." name ".dim",                                                                          \
     "(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",     \
     .emit = emit_variance_mean, .option = number},                                                \
    {"aten." name ".correction",                                                                   \
     "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) "            \
     "-> (Tensor, Tensor)",                                                                        \
     .emit = emit_variance_mean, .option = (number) | WITH_CORRECTION}
// clang-format on

const Operation reduction_operations[] = {
    DTYPE_ROWS("sum", emit_sum, 0),
    DTYPE_ROWS("prod", emit_sum, 1),
    DTYPE_ROWS("mean", emit_mean, 0),
    {"aten.sum.dim_IntList",
     "(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .emit = emit_sum},
    {"aten.prod.dim_int",
     "(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .emit = emit_sum, .option = 1},
    {"aten.mean.dim",
     "(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .emit = emit_mean, .integers = integer_mean},
    EXTREMES("max", 0),
    EXTREMES("min", 1),
    LOGIC("any", 0),
    LOGIC("all", 1),
    VARIANCE("var", 0),
    VARIANCE("std", STANDARD_DEVIATION),
    VARIANCE_MEAN("var_mean", 0),
    VARIANCE_MEAN("std_mean", STANDARD_DEVIATION),
    {"aten.linalg_vector_norm.default",
     "(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) "
     "-> Tensor",
     .emit = emit_norm},
    {"aten.logsumexp.default", "(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
     .emit = emit_logsumexp},
    {.name = NULL},
};
