/* Views of memory by strides, and sliding windows as dimensions: as_strided, unfold, im2col and its
 * inverse col2im. */
#include <string.h>
#include "import/operations.h"
#include "import/scalar.h"
#include "import/shape.h"
#include "import/windows.h"

/* --- as_strided, unfold ---------------------------------------------------------------------- */

/* result[i, j, ...] = flat[offset + i * strides[0] + j * strides[1] ...] of a flat value. */
static Value *strided(Call *call, Value *flat, int rank, const int64_t *shape,
                      const int64_t *strides, int64_t offset) {
    Builder *builder = call->builder;
    Dtype dtype = flat->type.dtype;
    if (flat->stored) {
        Stored *view = arena_copy(call->arena, flat->stored, sizeof *view);
        int64_t step = view->strides[0];
        view->type = tensor_type(dtype, rank, shape);
        view->offset += offset * step;
        for (int i = 0; i < rank; i++) view->strides[i] = strides[i] * step;
        return value_constant(call->arena, view);
    }
    MlirAffineExpr place = mlirAffineConstantExprGet(builder->context, offset);
    for (int i = 0; i < rank; i++) place = affine_plus(place, affine_dim(builder, i, strides[i]));
    MlirAffineMap maps[] = {mlirAffineMapGet(builder->context, rank, 0, 1, &place),
                            map_identity(builder, rank)};
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)rank);
    MlirValue input = call_mlir(call, flat);
    MlirValue init = build_empty(builder, call_type(call, dtype, rank, shape));
    Generic copy = generic_begin(builder, iterators, 1, &input, 1, &init, maps);
    return value_new(call->arena, dtype, rank, shape, generic_end(&copy, generic_input(&copy, 0)));
}

static Value *flatten(Call *call, Value *value) {
    int64_t elements[] = {tensor_type_elements(&value->type)};
    return value_reshape(call, value, 1, elements);
}

/* The memory is that of a tensor of which we know that its elements stand in row-major order. */
static bool emit_as_strided(Call *call) {
    Value *self = call_tensor(call, "self");
    const Argument *argument = &call->arguments[0];
    int rank, count;
    const int64_t *shape = call_integers(call, "size", &rank);
    const int64_t *strides = call_integers(call, "stride", &count);
    int64_t offset = call_has(call, "storage_offset") ? call_integer(call, "storage_offset") : 0;
    int64_t elements = tensor_type_elements(&self->type), last = offset;
    const GraphValue *memory = &call->import->program.values.items[argument->integer];
    if (!memory->is_contiguous || !memory->is_at_start) {
        return call_fail(call, "it looks at the memory of a tensor that is not contiguous: call "
                               "contiguous() first");
    }
    if (rank != count || rank > MAX_RANK) return call_fail(call, "size and stride do not fit");
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1 || strides[i] < 0 || shape[i] > elements || strides[i] > elements)
            return call_fail(call, "size and stride reach outside of the tensor");
        last += (shape[i] - 1) * strides[i];
        if (last >= elements) break;
    }
    if (offset < 0 || last >= elements)
        return call_fail(call, "size and stride reach outside of the tensor");
    return call_result(call, 0, strided(call, flatten(call, self), rank, shape, strides, offset));
}

/* Windows of `size` elements along a dimension, every `step` ones; they are the last dimension. */
static bool emit_unfold(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    int64_t size = call_integer(call, "size"), step = call_integer(call, "step");
    int64_t shape[MAX_RANK], strides[MAX_RANK], stride = 1;
    int dim = 0, rank = type->rank;
    if (rank == 0 || rank >= MAX_RANK) return call_fail(call, "the rank does not fit");
    if (!call_dim(call, "dimension", rank, &dim)) return false;
    if (size < 1 || step < 1 || size > type->shape[dim])
        return call_fail(call, "size and step do not fit %s", tensor_type_text(call->arena, type));
    for (int i = rank - 1; i >= 0; i--) {
        shape[i] = i == dim ? (type->shape[i] - size) / step + 1 : type->shape[i];
        strides[i] = i == dim && shape[i] > 1 ? stride * step : stride;
        if (i == dim) strides[rank] = stride;
        stride *= type->shape[i];
    }
    shape[rank] = size;
    return call_result(call, 0, strided(call, flatten(call, self), rank + 1, shape, strides, 0));
}

/* --- im2col, col2im -------------------------------------------------------------------------- */

/* Kernel, dilation, padding and stride of two spatial dimensions of this size. */
static bool read_blocks(Call *call, Windows *windows) {
    windows->spatial = 2;
    if (!windows_sizes(call, "kernel_size", 2, 1, windows->kernel) ||
        !windows_sizes(call, "dilation", 2, 1, windows->dilation) ||
        !windows_sizes(call, "padding", 2, 0, windows->before) ||
        !windows_sizes(call, "stride", 2, 1, windows->stride))
        return false;
    memcpy(windows->after, windows->before, sizeof windows->after);
    return windows_count(call, windows, false);
}

/* [batch, channels, h, w] as [batch, channels * kernel, places]. */
static bool emit_im2col(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    Builder *builder = call->builder;
    Windows windows = {0};
    int lead = type->rank - 2;
    if (lead != 1 && lead != 2) return call_fail(call, "the input needs 3 or 4 dimensions");
    memcpy(windows.input, type->shape + lead, 2 * sizeof(int64_t));
    if (!read_blocks(call, &windows)) return false;
    int64_t apart[MAX_RANK], joined[3] = {0};
    MlirAffineExpr places[MAX_RANK];
    for (int i = 0; i < lead; i++) {
        places[i] = affine_dim(builder, i, 1);
        joined[i] = apart[i] = type->shape[i];
    }
    for (int i = 0; i < 2; i++) {
        apart[lead + i] = windows.kernel[i];
        apart[lead + 2 + i] = windows.output[i];
        places[lead + i] = windows_place(call, &windows, i, lead + 2 + i, lead + i);
    }
    joined[lead - 1] *= windows.kernel[0] * windows.kernel[1];
    joined[lead] = windows.output[0] * windows.output[1];
    MlirAffineMap maps[] = {mlirAffineMapGet(builder->context, lead + 4, 0, lead + 2, places),
                            map_identity(builder, lead + 4)};
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)lead + 4);
    MlirValue zero = scalar_number(builder, type->dtype, number_of_integer(0));
    MlirValue input = windows_pad(call, &windows, self, zero);
    MlirValue init = build_empty(builder, call_type(call, type->dtype, lead + 4, apart));
    Generic copy = generic_begin(builder, iterators, 1, &input, 1, &init, maps);
    Value *columns = value_new(call->arena, type->dtype, lead + 4, apart,
                               generic_end(&copy, generic_input(&copy, 0)));
    return call_result(call, 0, value_reshape(call, columns, lead + 1, joined));
}

/* index * factor + other * step, of indices */
static MlirValue place(Builder *body, MlirValue index, int64_t factor, MlirValue other,
                       int64_t step) {
    MlirType type = index_type(body->context);
    MlirValue a = build2(body, "arith.muli", type, index, build_integer(body, type, factor));
    MlirValue b = build2(body, "arith.muli", type, other, build_integer(body, type, step));
    return build2(body, "arith.addi", type, a, b);
}

/* The sum over all blocks that cover a place, kernel row by kernel row: [batch, channels, kernel,
 * kernel, places, places] added up in [batch, channels, height, width] of the padded image. */
static MlirValue add_blocks(Call *call, const Windows *windows, Value *columns, int64_t *padded) {
    Builder *builder = call->builder;
    const TensorType *type = &columns->type;
    for (int i = 0; i < 2; i++)
        padded[2 + i] = windows->input[i] + windows->before[i] + windows->after[i];
    MlirType image = call_type(call, type->dtype, 4, padded);
    MlirValue zero = scalar_number(builder, type->dtype, number_of_integer(0));
    MlirValue source = call_mlir(call, columns);
    Carried carried = carried_begin(builder, 6, type->shape, build_filled(builder, image, zero));
    Builder *body = &carried.body;
    const MlirValue *at = carried.indices;
    MlirValue to[] = {at[0], at[1],
                      place(body, at[4], windows->stride[0], at[2], windows->dilation[0]),
                      place(body, at[5], windows->stride[1], at[3], windows->dilation[1])};
    MlirValue sum =
        scalar_op(body, SCALAR_ADD, type->dtype, build_element(body, carried.tensor, 4, to),
                  build_element(body, source, 6, at));
    return carried_end(&carried, build_set_element(body, sum, carried.tensor, 4, to));
}

/* [batch, channels * kernel, places] as [batch, channels, h, w]: overlapping blocks add up. */
static bool emit_col2im(Call *call) {
    Value *self = call_tensor(call, "self");
    const TensorType *type = &self->type;
    Windows windows = {0};
    bool is_batch = type->rank == 3;
    if (!is_batch && type->rank != 2) return call_fail(call, "the input needs 2 or 3 dimensions");
    if (!windows_sizes(call, "output_size", 2, 1, windows.input) || !read_blocks(call, &windows))
        return false;
    int64_t kernel = windows.kernel[0] * windows.kernel[1];
    int64_t rows = type->shape[type->rank - 2], places = type->shape[type->rank - 1];
    if (rows % kernel != 0 || places != windows.output[0] * windows.output[1])
        return call_fail(call, "%s does not fit its blocks", tensor_type_text(call->arena, type));
    int64_t batch = is_batch ? type->shape[0] : 1, channels = rows / kernel;
    int64_t apart[] = {batch,
                       channels,
                       windows.kernel[0],
                       windows.kernel[1],
                       windows.output[0],
                       windows.output[1]};
    int64_t padded[] = {batch, channels, 0, 0};
    MlirValue sum = add_blocks(call, &windows, value_reshape(call, self, 6, apart), padded);
    Value *image = value_new(call->arena, type->dtype, 4, padded, sum);
    for (int i = 0; i < 2; i++)
        image = value_slice(call, image, 2 + i, windows.before[i], windows.input[i], 1);
    return call_result(call, 0, is_batch ? image : value_drop_dim(call, image, 0));
}

#define BLOCKS "int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor"

const Operation strided_operations[] = {
    {"aten.as_strided.default",
     "(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
     .emit = emit_as_strided},
    {"aten.unfold.default", "(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
     .emit = emit_unfold},
    {"aten.im2col.default", "(Tensor self, " BLOCKS, .emit = emit_im2col},
    {"aten.col2im.default", "(Tensor self, SymInt[2] output_size, " BLOCKS, .emit = emit_col2im},
    {.name = NULL},
};
