/* Tensors that a model makes from numbers: full, zeros, arange ... They are constants. */
#include <math.h>
#include "import/elementwise.h"
#include "import/operations.h"

/* Layouts, devices and memory formats do not change a value. */
#define OPTIONS "layout device pin_memory memory_format requires_grad"

static Dtype dtype_of_number(Number number) {
    static const Dtype dtypes[] = {
        [NUMBER_INTEGER] = DTYPE_INT64, [NUMBER_FLOAT] = DTYPE_FLOAT32, [NUMBER_BOOL] = DTYPE_BOOL};
    return dtypes[number.kind];
}

static bool give_full(Call *call, Dtype dtype, int rank, const int64_t *shape, Number number) {
    int64_t integer = number.kind == NUMBER_FLOAT ? (int64_t)number.real : number.integer;
    if (dtype == DTYPE_BOOL) integer = number.real != 0;
    if (number.kind == NUMBER_FLOAT && !dtype_is_float(dtype) && fabs(number.real) > 0x1p62) {
        return call_fail(call, "the value does not fit dtype %s", dtype_name(dtype));
    }
    Stored *stored = stored_splat(call->arena, dtype, rank, shape, number.real, integer);
    return call_result(call, 0, value_constant(call->arena, stored));
}

/* A shape that is given as a list of sizes, none of them too large. */
static bool read_sizes(Call *call, int *rank, int64_t *shape) {
    size_t elements;
    const int64_t *sizes = call_integers(call, "size", rank);
    if (*rank > MAX_RANK) return call_fail(call, "rank %d is too large", *rank);
    for (int i = 0; i < *rank; i++) shape[i] = sizes[i];
    if (!shape_elements(*rank, shape, &elements) || elements > UINT32_MAX) {
        return call_fail(call, "bad size %s", shape_text(call->arena, *rank, sizes));
    }
    return true;
}

static bool emit_full(Call *call) {
    Number number = call_number(call, "fill_value");
    int64_t shape[MAX_RANK];
    int rank = 0;
    if (!read_sizes(call, &rank, shape)) return false;
    return give_full(call, call_dtype(call, "dtype", dtype_of_number(number)), rank, shape, number);
}

/* zeros and ones; empty is taken as zeros, which is what fresh memory holds here. */
static bool emit_filled(Call *call) {
    int64_t shape[MAX_RANK];
    int rank = 0;
    if (!read_sizes(call, &rank, shape)) return false;
    return give_full(call, call_dtype(call, "dtype", DTYPE_FLOAT32), rank, shape,
                     number_of_integer(call->operation->option));
}

static bool emit_full_like(Call *call) {
    const TensorType *type = &call_tensor(call, "self")->type;
    return give_full(call, call_dtype(call, "dtype", type->dtype), type->rank, type->shape,
                     call_number(call, "fill_value"));
}

static bool emit_filled_like(Call *call) {
    const TensorType *type = &call_tensor(call, "self")->type;
    return give_full(call, call_dtype(call, "dtype", type->dtype), type->rank, type->shape,
                     number_of_integer(call->operation->option));
}

static bool emit_new_full(Call *call) {
    const TensorType *type = &call_tensor(call, "self")->type;
    int64_t shape[MAX_RANK];
    int rank = 0;
    if (!read_sizes(call, &rank, shape)) return false;
    return give_full(call, call_dtype(call, "dtype", type->dtype), rank, shape,
                     call_number(call, "fill_value"));
}

static bool emit_new_filled(Call *call) {
    const TensorType *type = &call_tensor(call, "self")->type;
    int64_t shape[MAX_RANK];
    int rank = 0;
    if (!read_sizes(call, &rank, shape)) return false;
    return give_full(call, call_dtype(call, "dtype", type->dtype), rank, shape,
                     number_of_integer(call->operation->option));
}

/* fill_(x, 3): in place, so the dtype is that of x. */
static bool emit_fill(Call *call) {
    const TensorType *type = &call_tensor(call, "self")->type;
    Number number = call->operation->option ? number_of_integer(0) : call_number(call, "value");
    return give_full(call, type->dtype, type->rank, type->shape, number);
}

/* The same with a tensor of one element. */
static bool emit_fill_tensor(Call *call) {
    const TensorType *type = &call_tensor(call, "self")->type;
    Value *value = call_tensor(call, "value");
    if (value->type.rank != 0) return call_fail(call, "the value must have no dimensions");
    value = call_cast(call, value, type->dtype);
    return call_result(call, 0, broadcast_to(call, value, type->rank, type->shape));
}

static bool emit_scalar_tensor(Call *call) {
    Number number = call_number(call, "s");
    return give_full(call, call_dtype(call, "dtype", DTYPE_FLOAT32), 0, NULL, number);
}

/* --- ranges -------------------------------------------------------------------------------- */

static Number optional_number(Call *call, int option, int least, const char *name,
                              int64_t otherwise) {
    return option >= least ? call_number(call, name) : number_of_integer(otherwise);
}

/* arange(end), arange(start, end), arange(start, end, step): the option counts the numbers. */
static bool emit_arange(Call *call) {
    int option = call->operation->option;
    Number start = optional_number(call, option, 2, "start", 0), end = call_number(call, "end");
    Number step = optional_number(call, option, 3, "step", 1);
    bool real = start.kind == NUMBER_FLOAT || end.kind == NUMBER_FLOAT || step.kind == NUMBER_FLOAT;
    Dtype dtype = call_dtype(call, "dtype", real ? DTYPE_FLOAT32 : DTYPE_INT64);
    double length = ceil((end.real - start.real) / step.real);
    if (!(length >= 0) || length > 0x1p28) return call_fail(call, "its bounds do not fit its step");
    int64_t shape[] = {(int64_t)length};
    Scalar scalar = dtype_info(dtype)->scalar;
    void *bytes = arena_array(call->arena, (size_t)length + 1, scalar_bytes(scalar));
    for (int64_t i = 0; i < shape[0]; i++) {
        double value = start.real + (double)i * step.real;
        Bits bits = dtype_is_float(dtype) ? bits_from_double(scalar, value)
                    : real                ? (Bits)(int64_t)value
                                          : (Bits)(start.integer + i * step.integer);
        bits_store(scalar, bytes, (size_t)i, bits & bits_mask(scalar.width));
    }
    Stored *stored = stored_new(call->arena, dtype, 1, shape, bytes);
    return call_result(call, 0, value_constant(call->arena, stored));
}

static bool emit_eye(Call *call) {
    int64_t rows = call_integer(call, "n");
    int64_t columns = call->operation->option ? call_integer(call, "m") : rows;
    Dtype dtype = call_dtype(call, "dtype", DTYPE_FLOAT32);
    if (rows < 1 || columns < 1 || rows > 65536 || columns > 65536) {
        return call_fail(call, "bad size %lld x %lld", (long long)rows, (long long)columns);
    }
    Scalar scalar = dtype_info(dtype)->scalar;
    Bits one = dtype_is_float(dtype) ? bits_from_double(scalar, 1) : 1;
    void *bytes = arena_array(call->arena, (size_t)(rows * columns), scalar_bytes(scalar));
    for (int64_t i = 0; i < rows && i < columns; i++) {
        bits_store(scalar, bytes, (size_t)(i * columns + i), one);
    }
    int64_t shape[] = {rows, columns};
    Stored *stored = stored_new(call->arena, dtype, 2, shape, bytes);
    return call_result(call, 0, value_constant(call->arena, stored));
}

#define TYPED                                                                                      \
    ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "                      \
    "bool? pin_memory=None"
#define FORMATTED TYPED ", MemoryFormat? memory_format=None) -> Tensor"

/* Rows that differ in little. */
// clang-format off
#define FILLED(name, number)                                                                       \
    {"aten." name ".default", "(SymInt[] size" TYPED ") -> Tensor", .emit = emit_filled,           \
     .ignored = OPTIONS, .option = number},                                                        \
    {"aten." name "_like.default", "(Tensor self" FORMATTED, .emit = emit_filled_like,             \
     .ignored = OPTIONS, .option = number},                                                        \
    {"aten.new_" name ".default", "(Tensor self, SymInt[] size" TYPED ") -> Tensor",               \
     .emit = emit_new_filled, .ignored = OPTIONS, .option = number}
// clang-format on

const Operation creation_operations[] = {
    FILLED("zeros", 0),
    FILLED("ones", 1),
    {"aten.empty.memory_format", "(SymInt[] size" FORMATTED, .emit = emit_filled,
     .ignored = OPTIONS},
    {"aten.empty_like.default", "(Tensor self" FORMATTED, .emit = emit_filled_like,
     .ignored = OPTIONS},
    {"aten.new_empty.default", "(Tensor self, SymInt[] size" TYPED ") -> Tensor",
     .emit = emit_new_filled, .ignored = OPTIONS},
    /* A design lays out its memories itself. */
    {"aten.empty_strided.default", "(SymInt[] size, SymInt[] stride" TYPED ") -> Tensor",
     .emit = emit_filled, .ignored = "stride " OPTIONS},
    {"aten.full.default", "(SymInt[] size, Scalar fill_value" TYPED ") -> Tensor",
     .emit = emit_full, .ignored = OPTIONS},
    {"aten.full_like.default", "(Tensor self, Scalar fill_value" FORMATTED, .emit = emit_full_like,
     .ignored = OPTIONS},
    {"aten.new_full.default", "(Tensor self, SymInt[] size, Scalar fill_value" TYPED ") -> Tensor",
     .emit = emit_new_full, .ignored = OPTIONS},
    {"aten.fill.Scalar", "(Tensor self, Scalar value) -> Tensor", .emit = emit_fill},
    {"aten.fill.Tensor", "(Tensor self, Tensor value) -> Tensor", .emit = emit_fill_tensor},
    {"aten.zero.default", "(Tensor self) -> Tensor", .emit = emit_fill, .option = 1},
    {"aten.scalar_tensor.default", "(Scalar s" TYPED ") -> Tensor", .emit = emit_scalar_tensor,
     .ignored = OPTIONS},
    {"aten.arange.default", "(Scalar end" TYPED ") -> Tensor", .emit = emit_arange,
     .ignored = OPTIONS, .option = 1},
    {"aten.arange.start", "(Scalar start, Scalar end" TYPED ") -> Tensor", .emit = emit_arange,
     .ignored = OPTIONS, .option = 2},
    {"aten.arange.start_step", "(Scalar start, Scalar end, Scalar step=1" TYPED ") -> Tensor",
     .emit = emit_arange, .ignored = OPTIONS, .option = 3},
    {"aten.eye.default", "(SymInt n" TYPED ") -> Tensor", .emit = emit_eye, .ignored = OPTIONS},
    {"aten.eye.m", "(SymInt n, SymInt m" TYPED ") -> Tensor", .emit = emit_eye, .ignored = OPTIONS,
     .option = 1},
    {.name = NULL},
};
