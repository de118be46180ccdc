/* Poolings: maximum, average, adaptive, of 1 to 3 dimensions.
 *
 * A maximum starts from the lowest value and lets NaN win, as PyTorch does. An average sums the
 * window, rows first, then divides by its number of cells. */
#include <string.h>
#include "import/call.h"
#include "import/maxima.h"
#include "import/operations.h"
#include "import/quantized.h"
#include "import/reduce.h"
#include "import/shape.h"
#include "import/windows.h"

/* The input [batch or channels ..., spatial ...] with all leading dimensions as they are. */
static bool read_input(Call *call, Windows *windows, Value **input) {
    int spatial = call->operation->option;
    *input = call_tensor(call, "self");
    const TensorType *type = &(*input)->type;
    if (type->rank != spatial + 1 && type->rank != spatial + 2) {
        return call_fail(call, "the input needs %d or %d dimensions, it is %s", spatial + 1,
                         spatial + 2, tensor_type_text(call->arena, type));
    }
    windows->spatial = spatial;
    memcpy(windows->input, type->shape + type->rank - spatial, (size_t)spatial * sizeof(int64_t));
    for (int i = 0; i < spatial; i++) windows->dilation[i] = 1;
    return true;
}

/* An empty stride is the kernel's size; padding is at most half the kernel. */
static bool read_windows(Call *call, Windows *windows) {
    int count, spatial = windows->spatial;
    if (!windows_sizes(call, "kernel_size", spatial, 1, windows->kernel)) return false;
    call_integers(call, "stride", &count);
    if (count == 0) {
        memcpy(windows->stride, windows->kernel, sizeof windows->stride);
    } else if (!windows_sizes(call, "stride", spatial, 1, windows->stride)) {
        return false;
    }
    if (!windows_sizes(call, "padding", spatial, 0, windows->before)) return false;
    for (int i = 0; i < spatial; i++) {
        windows->after[i] = windows->before[i];
        if (windows->before[i] > windows->kernel[i] / 2) {
            return call_fail(call, "padding %lld is more than half of the kernel size %lld",
                             (long long)windows->before[i], (long long)windows->kernel[i]);
        }
    }
    return windows_count(call, windows, call_bool(call, "ceil_mode"));
}

static void result_shape(const Windows *windows, const Value *input, int64_t *shape) {
    int first = input->type.rank - windows->spatial;
    memcpy(shape, input->type.shape, (size_t)first * sizeof *shape);
    memcpy(shape + first, windows->output, (size_t)windows->spatial * sizeof *shape);
}

/* Maps of the input, the window and the result; loops are leading, output, kernel. */
static void plan_maps(Call *call, const Windows *windows, int leading, MlirAffineMap *maps) {
    Builder *builder = call->builder;
    MlirAffineExpr input[MAX_RANK], window[MAX_RANK], output[MAX_RANK];
    int spatial = windows->spatial, loops = leading + 2 * spatial;
    for (int i = 0; i < leading; i++) input[i] = output[i] = affine_dim(builder, i, 1);
    for (int i = 0; i < spatial; i++) {
        int place = leading + i, kernel = leading + spatial + i;
        input[place] = windows_place(call, windows, i, place, kernel);
        output[place] = affine_dim(builder, place, 1);
        window[i] = affine_dim(builder, kernel, 1);
    }
    maps[0] = mlirAffineMapGet(builder->context, loops, 0, leading + spatial, input);
    maps[1] = mlirAffineMapGet(builder->context, loops, 0, spatial, window);
    maps[2] = mlirAffineMapGet(builder->context, loops, 0, leading + spatial, output);
}

/* Combines each window of the padded input: result = op(result, element). */
static MlirValue pool(Call *call, const Windows *windows, const Value *input, MlirValue padded,
                      ScalarOp op, Dtype from, Dtype to, Number start) {
    int64_t shape[MAX_RANK];
    int rank = input->type.rank, leading = rank - windows->spatial;
    result_shape(windows, input, shape);
    MlirType type = call_type(call, to, rank, shape);
    MlirValue init = build_filled(call->builder, type, scalar_number(call->builder, to, start));
    /* The window is a tensor without content: its shape bounds the kernel's loops. */
    MlirType window_type = call_type(call, from, windows->spatial, windows->kernel);
    MlirValue window = build_empty(call->builder, window_type);
    bool is_named = windows->spatial == 2 && rank == 4 && from == to && dtype_is_float(from);
    if (is_named) {
        MlirNamedAttribute attributes[] = {
            sizes_attribute(call->builder, "strides", 2, windows->stride),
            sizes_attribute(call->builder, "dilations", 2, windows->dilation),
        };
        const char *name =
            op == SCALAR_MAXIMUM ? "linalg.pooling_nchw_max" : "linalg.pooling_nchw_sum";
        return build_named(call->builder, name, padded, window, init, 2, attributes);
    }
    MlirAffineMap maps[3];
    plan_maps(call, windows, leading, maps);
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)rank);
    memset(iterators + rank, 'r', (size_t)windows->spatial);
    MlirValue inputs[] = {padded, window};
    Generic generic = generic_begin(call->builder, iterators, 2, inputs, 1, &init, maps);
    MlirValue element = scalar_cast(&generic.body, generic_input(&generic, 0), from, to);
    return generic_end(&generic,
                       scalar_op(&generic.body, op, to, generic_output(&generic, 0), element));
}

static bool give(Call *call, const Windows *windows, const Value *input, Dtype from, Dtype to,
                 MlirValue result) {
    int64_t shape[MAX_RANK];
    result_shape(windows, input, shape);
    Value *value = value_new(call->arena, from, input->type.rank, shape, result);
    return call_result(call, 0, call_cast(call, value, to));
}

/* --- maximum ------------------------------------------------------------------------------- */

static bool emit_max_pool(Call *call) {
    Windows windows = {0};
    Value *input;
    if (!read_input(call, &windows, &input)) return false;
    if (!windows_sizes(call, "dilation", windows.spatial, 1, windows.dilation)) return false;
    if (!read_windows(call, &windows)) return false;
    if (call_wants(call, 1)) return give_maxima(call, &windows, input, false);
    Dtype dtype = input->type.dtype;
    Number lowest = dtype_lowest(dtype);
    MlirValue padded =
        windows_pad(call, &windows, input, scalar_number(call->builder, dtype, lowest));
    MlirValue result = pool(call, &windows, input, padded, SCALAR_MAXIMUM, dtype, dtype, lowest);
    return give(call, &windows, input, dtype, dtype, result);
}

/* --- average ------------------------------------------------------------------------------- */

/* Cells that window `at` counts, along one dimension: those of the padded input, or only those of
 * the input itself. The part that ceil_mode lets stick out never counts. */
static int64_t counted(const Windows *windows, int i, int64_t at, bool with_padding) {
    int64_t start = at * windows->stride[i] - windows->before[i];
    int64_t end = start + windows->kernel[i];
    int64_t last = windows->input[i] + (with_padding ? windows->after[i] : 0);
    if (end > last) end = last;
    if (!with_padding && start < 0) start = 0;
    return end - start;
}

/* The number of cells of each window as a constant, of the spatial dimensions only. */
static Value *window_counts(Call *call, const Windows *windows, Dtype dtype, bool with_padding,
                            double *all) {
    size_t total = 1;
    for (int i = 0; i < windows->spatial; i++) total *= (size_t)windows->output[i];
    Scalar scalar = dtype_info(dtype)->scalar;
    void *counts = arena_array(call->arena, total, scalar_bytes(scalar));
    bool same = true;
    for (size_t n = 0; n < total; n++) {
        int64_t cells = 1;
        size_t rest = n;
        for (int i = windows->spatial - 1; i >= 0; i--) {
            size_t size = (size_t)windows->output[i];
            cells *= counted(windows, i, (int64_t)(rest % size), with_padding);
            rest /= size;
        }
        if (n == 0) *all = (double)cells;
        same &= (double)cells == *all;
        bits_store(scalar, counts, n, bits_from_double(scalar, (double)cells));
    }
    if (same) return NULL;
    *all = 0;
    return value_constant(
        call->arena, stored_new(call->arena, dtype, windows->spatial, windows->output, counts));
}

static bool is_power_of_two(double number) {
    int64_t integer = (int64_t)number;
    return integer > 0 && (integer & (integer - 1)) == 0;
}

/* Divides by one number, or by the constant of each place. A division by a power of two is a
 * multiplication that is as exact, and cheaper. */
static MlirValue divide(Call *call, MlirValue sum, Dtype dtype, double number, Value *counts) {
    int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(sum));
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)rank);
    MlirAffineMap maps[3] = {map_identity(call->builder, rank), map_identity(call->builder, rank),
                             map_identity(call->builder, rank)};
    MlirValue inputs[2] = {sum}, init = build_empty(call->builder, mlirValueGetType(sum));
    int dims[MAX_SPATIAL];
    if (counts) {
        int spatial = counts->type.rank;
        for (int i = 0; i < spatial; i++) dims[i] = rank - spatial + i;
        maps[1] = map_of_dims(call->builder, rank, spatial, dims);
        inputs[1] = call_mlir(call, counts);
    }
    Generic generic =
        generic_begin(call->builder, iterators, counts ? 2 : 1, inputs, 1, &init, maps);
    Builder *body = &generic.body;
    bool exact = !counts && is_power_of_two(number);
    MlirValue by = counts  ? generic_input(&generic, 1)
                   : exact ? scalar_real(body, dtype, 1 / number)
                           : scalar_real(body, dtype, number);
    ScalarOp op = exact ? SCALAR_MULTIPLY : SCALAR_DIVIDE;
    return generic_end(&generic, scalar_op(body, op, dtype, generic_input(&generic, 0), by));
}

static bool average(Call *call, const Windows *windows, Value *input, bool with_padding,
                    double divisor) {
    Dtype from = input->type.dtype, to = dtype_compute(from);
    if (!dtype_is_float(from))
        return call_fail(call, "dtype %s is not supported", dtype_name(from));
    MlirValue zero = scalar_number(call->builder, from, number_of_integer(0));
    MlirValue padded = windows_pad(call, windows, input, zero);
    MlirValue sum = pool(call, windows, input, padded, SCALAR_ADD, from, to, number_of_integer(0));
    Value *counts = NULL;
    if (divisor == 0) counts = window_counts(call, windows, to, with_padding, &divisor);
    return give(call, windows, input, to, from, divide(call, sum, to, divisor, counts));
}

/* The arguments of an average; a divisor of 0 counts cells. */
static bool read_average(Call *call, Windows *windows, Value **input, bool *with_padding,
                         double *divisor) {
    *divisor = 0;
    if (!read_input(call, windows, input) || !read_windows(call, windows)) return false;
    *with_padding = call_bool(call, "count_include_pad");
    /* avg_pool1d has no divisor. */
    if (windows->spatial > 1 && call_has(call, "divisor_override")) {
        *divisor = (double)call_integer(call, "divisor_override");
        if (*divisor == 0) return call_fail(call, "divisor_override must not be 0");
    }
    return true;
}

static bool emit_average_pool(Call *call) {
    Windows windows = {0};
    Value *input;
    bool with_padding;
    double divisor;
    return read_average(call, &windows, &input, &with_padding, &divisor) &&
           average(call, &windows, input, with_padding, divisor);
}

/* Windows of one divisor, of a dequantized tensor: the sums of its integers. */
static bool integer_windows(Call *call, const Windows *windows, Value *input, bool with_padding,
                            double divisor) {
    const Quantized *from = quantized_plain(input);
    double count = 1;
    for (int i = 0; i < windows->spatial; i++) count *= (double)windows->kernel[i];
    if (!from || !quantized_activation(input) || count > (1 << 22)) return false;
    if (divisor == 0 && window_counts(call, windows, DTYPE_FLOAT32, with_padding, &divisor))
        return false;
    const Term *term = &from->terms[0];
    Dtype dtype = term->integers->type.dtype;
    MlirValue zero = scalar_number(call->builder, dtype, number_of_integer(term->zeros[0]));
    MlirValue padded = windows_pad(call, windows, term->integers, zero);
    MlirValue sums = pool(call, windows, term->integers, padded, SCALAR_ADD, dtype, DTYPE_INT32,
                          number_of_integer(0));
    int64_t shape[MAX_RANK];
    result_shape(windows, input, shape);
    Value *value = value_new(call->arena, DTYPE_INT32, input->type.rank, shape, sums);
    return call_result(call, 0, integers_average(call, from, value, count, divisor));
}

static bool integer_average_pool(Call *call) {
    Windows windows = {0};
    Value *input;
    bool with_padding;
    double divisor;
    return read_average(call, &windows, &input, &with_padding, &divisor) &&
           integer_windows(call, &windows, input, with_padding, divisor);
}

/* --- adaptive ------------------------------------------------------------------------------ */

/* Where window `at` of `count` starts in a dimension; it ends where the next one starts, or one
 * cell later if that is cut. */
static int64_t adaptive_start(int64_t at, int64_t size, int64_t count) {
    return at * size / count;
}

static int64_t adaptive_end(int64_t at, int64_t size, int64_t count) {
    return ((at + 1) * size + count - 1) / count;
}

/* True if all windows are equal and side by side: the input is a multiple of the output. Then they
 * are those of a plain pooling. */
static bool read_adaptive(Call *call, Windows *windows, Value **input, bool *equal) {
    if (!read_input(call, windows, input)) return false;
    if (!windows_sizes(call, "output_size", windows->spatial, 1, windows->output)) return false;
    *equal = true;
    for (int i = 0; i < windows->spatial; i++) {
        if (windows->output[i] > 4096) return call_fail(call, "output_size is too large");
        *equal = *equal && windows->input[i] % windows->output[i] == 0;
        windows->kernel[i] = windows->stride[i] = windows->input[i] / windows->output[i];
    }
    return true;
}

/* Combines unequal windows along one dimension after the other, each window on its own. */
static Value *pool_unequal(Call *call, const Windows *windows, Value *value, ScalarOp op,
                           Dtype dtype, Number start) {
    for (int i = 0; i < windows->spatial && value; i++) {
        int dim = value->type.rank - windows->spatial + i;
        bool flags[MAX_RANK] = {false};
        int64_t count = windows->output[i], size = windows->input[i];
        Value **parts = arena_array(call->arena, (size_t)count, sizeof(Value *));
        flags[dim] = true;
        for (int64_t n = 0; n < count; n++) {
            int64_t from = adaptive_start(n, size, count), to = adaptive_end(n, size, count);
            Value *window = value_slice(call, value, dim, from, to - from, 1);
            parts[n] = value_reduce(call, window, flags, true, op, start, dtype);
        }
        value = value_concatenate(call, (int)count, parts, dim);
    }
    return value;
}

/* The number of cells in each of these windows. */
static Value *adaptive_counts(Call *call, const Windows *windows, Dtype dtype) {
    size_t total = 1;
    for (int i = 0; i < windows->spatial; i++) total *= (size_t)windows->output[i];
    Scalar scalar = dtype_info(dtype)->scalar;
    void *counts = arena_array(call->arena, total, scalar_bytes(scalar));
    for (size_t n = 0; n < total; n++) {
        double cells = 1;
        size_t rest = n;
        for (int i = windows->spatial - 1; i >= 0; i--) {
            int64_t count = windows->output[i], at = (int64_t)(rest % (size_t)count);
            cells *= (double)(adaptive_end(at, windows->input[i], count) -
                              adaptive_start(at, windows->input[i], count));
            rest /= (size_t)count;
        }
        bits_store(scalar, counts, n, bits_from_double(scalar, cells));
    }
    return value_constant(
        call->arena, stored_new(call->arena, dtype, windows->spatial, windows->output, counts));
}

static bool emit_adaptive_average_pool(Call *call) {
    Windows windows = {0};
    Value *input;
    bool equal = false;
    if (!read_adaptive(call, &windows, &input, &equal)) return false;
    if (equal) return average(call, &windows, input, true, 0);
    Dtype from = input->type.dtype, to = dtype_compute(from);
    if (!dtype_is_float(from))
        return call_fail(call, "dtype %s is not supported", dtype_name(from));
    Value *sums = pool_unequal(call, &windows, input, SCALAR_ADD, to, number_of_integer(0));
    if (!sums) return false;
    Value *counts = adaptive_counts(call, &windows, to);
    return give(call, &windows, input, to, from,
                divide(call, call_mlir(call, sums), to, 0, counts));
}

static bool integer_adaptive_average_pool(Call *call) {
    Windows windows = {0};
    Value *input;
    bool equal = false;
    return read_adaptive(call, &windows, &input, &equal) && equal &&
           integer_windows(call, &windows, input, true, 0);
}

static bool emit_adaptive_max_pool(Call *call) {
    Windows windows = {0};
    Value *input;
    bool equal = false;
    if (!read_adaptive(call, &windows, &input, &equal)) return false;
    if (call_wants(call, 1)) return give_maxima(call, &windows, input, true);
    Dtype dtype = input->type.dtype;
    Number start = dtype_lowest(dtype);
    if (!equal) {
        Value *result = pool_unequal(call, &windows, input, SCALAR_MAXIMUM, dtype, start);
        return result && call_result(call, 0, result);
    }
    MlirValue result =
        pool(call, &windows, input, call_mlir(call, input), SCALAR_MAXIMUM, dtype, dtype, start);
    return give(call, &windows, input, dtype, dtype, result);
}

/* Rows that differ in little. */
// clang-format off
#define MAX_POOL(n, name, results)                                                                 \
    {"aten.max_pool" #n "d" name ".default",                                                       \
     "(Tensor self, int[" #n "] kernel_size, int[" #n "] stride=[], int[" #n "] padding=0, "       \
     "int[" #n "] dilation=1, bool ceil_mode=False) -> " results,                                  \
     .emit = emit_max_pool, .integers = integers_move, .option = n}

#define AVERAGE_POOL(n)                                                                            \
    {"aten.avg_pool" #n "d.default",                                                               \
     "(Tensor self, int[" #n "] kernel_size, int[" #n "] stride=[], int[" #n "] padding=0, "       \
     "bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) "             \
     "-> Tensor",                                                                                  \
     .emit = emit_average_pool, .integers = integer_average_pool, .option = n}

#define ADAPTIVE(n, kind, name, function, on_integers, results)                                                 \
    {"aten." name "adaptive_" kind "_pool" #n "d.default",                                         \
     "(Tensor self, SymInt[" #n "] output_size) -> " results, .emit = function,                \
     .integers = on_integers, .option = n}
// clang-format on

const Operation pooling_operations[] = {
    MAX_POOL(1, "", "Tensor"),
    MAX_POOL(2, "", "Tensor"),
    MAX_POOL(3, "", "Tensor"),
    MAX_POOL(1, "_with_indices", "(Tensor, Tensor)"),
    MAX_POOL(2, "_with_indices", "(Tensor, Tensor)"),
    MAX_POOL(3, "_with_indices", "(Tensor, Tensor)"),
    {"aten.avg_pool1d.default",
     "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, "
     "bool count_include_pad=True) -> Tensor",
     .emit = emit_average_pool, .integers = integer_average_pool, .option = 1},
    AVERAGE_POOL(2),
    AVERAGE_POOL(3),
    ADAPTIVE(1, "avg", "", emit_adaptive_average_pool, integer_adaptive_average_pool, "Tensor"),
    ADAPTIVE(2, "avg", "", emit_adaptive_average_pool, integer_adaptive_average_pool, "Tensor"),
    ADAPTIVE(3, "avg", "", emit_adaptive_average_pool, integer_adaptive_average_pool, "Tensor"),
    ADAPTIVE(2, "avg", "_", emit_adaptive_average_pool, integer_adaptive_average_pool, "Tensor"),
    ADAPTIVE(3, "avg", "_", emit_adaptive_average_pool, integer_adaptive_average_pool, "Tensor"),
    ADAPTIVE(1, "max", "", emit_adaptive_max_pool, integers_move, "(Tensor, Tensor)"),
    ADAPTIVE(2, "max", "", emit_adaptive_max_pool, integers_move, "(Tensor, Tensor)"),
    ADAPTIVE(3, "max", "", emit_adaptive_max_pool, integers_move, "(Tensor, Tensor)"),
    {.name = NULL},
};
