/* Convolutions of 1 to 3 dimensions, grouped, dilated and transposed.
 *
 * The accumulator starts with the bias. The order of the sum is that of linalg's named operation:
 * input channels, then the kernel's rows and columns. Two dimensions without groups become that
 * operation; everything else is the same loops as a linalg.generic. */
#include <string.h>
#include "import/elementwise.h"
#include "import/operations.h"
#include "import/quantized.h"
#include "import/shape.h"
#include "import/windows.h"

typedef struct Convolution {
    Windows windows;
    Value *input, *weight, *bias;
    int64_t groups;
    int64_t batch, channels, filters; /* of the whole */
    Dtype from, to;                   /* of the tensors and of the accumulator */
    Dtype weight_from;                /* the same as from, but for integers */
    int64_t padding;                  /* what stands for 0 */
    const IntegerProduct *integers;   /* if the sums are those of a quantized convolution */
    int channel_axis;                 /* of the weight in it */
    bool unbatched;                   /* the input had no batch dimension */
} Convolution;

static MlirValue spread_bias(Call *call, const Convolution *conv, int rank, const int64_t *shape,
                             bool grouped) {
    MlirType type = call_type(call, conv->to, rank, shape);
    if (!conv->bias) {
        MlirValue zero = scalar_number(call->builder, conv->to, number_of_integer(0));
        return build_filled(call->builder, type, zero);
    }
    MlirValue bias = call_mlir(call, call_cast(call, conv->bias, conv->to));
    int dims[] = {1, 2};
    if (grouped) {
        int64_t split[] = {conv->groups, conv->filters / conv->groups};
        bias = build_reshape(call->builder, bias, 2, split);
    }
    return build_spread(call->builder, bias, type, dims);
}

static MlirValue named_convolution(Call *call, const Convolution *conv, MlirValue input,
                                   MlirValue init) {
    MlirNamedAttribute attributes[] = {
        sizes_attribute(call->builder, "strides", 2, conv->windows.stride),
        sizes_attribute(call->builder, "dilations", 2, conv->windows.dilation),
    };
    return build_named(call->builder, "linalg.conv_2d_nchw_fchw", input,
                       call_mlir(call, conv->weight), init, 2, attributes);
}

/* Loops: batch, [group,] filter, output places, channel, kernel places. Depthwise convolutions
 * (one channel for each filter) have no channel loop and need no groups. */
typedef struct Loops {
    int count, batch, group, filter, output, channel, kernel;
} Loops;

static Loops plan_loops(const Convolution *conv, bool grouped, bool depthwise) {
    Loops loops = {.batch = 0, .group = -1, .channel = -1};
    int next = 1;
    if (grouped) loops.group = next++;
    loops.filter = next++;
    loops.output = next;
    next += conv->windows.spatial;
    if (!depthwise) loops.channel = next++;
    loops.kernel = next;
    loops.count = next + conv->windows.spatial;
    return loops;
}

static void plan_maps(Call *call, const Convolution *conv, const Loops *loops,
                      MlirAffineMap *maps) {
    Builder *builder = call->builder;
    MlirAffineExpr input[MAX_RANK], weight[MAX_RANK], output[MAX_RANK];
    int inputs = 0, weights = 0, outputs = 0;
    input[inputs++] = affine_dim(builder, loops->batch, 1);
    output[outputs++] = affine_dim(builder, loops->batch, 1);
    if (loops->group >= 0) {
        input[inputs++] = weight[weights++] = output[outputs++] =
            affine_dim(builder, loops->group, 1);
    }
    bool depthwise = loops->channel < 0;
    input[inputs++] = affine_dim(builder, depthwise ? loops->filter : loops->channel, 1);
    weight[weights++] = output[outputs++] = affine_dim(builder, loops->filter, 1);
    weight[weights++] = depthwise ? mlirAffineConstantExprGet(builder->context, 0)
                                  : affine_dim(builder, loops->channel, 1);
    for (int i = 0; i < conv->windows.spatial; i++) {
        input[inputs++] =
            windows_place(call, &conv->windows, i, loops->output + i, loops->kernel + i);
        weight[weights++] = affine_dim(builder, loops->kernel + i, 1);
        output[outputs++] = affine_dim(builder, loops->output + i, 1);
    }
    maps[0] = mlirAffineMapGet(builder->context, loops->count, 0, inputs, input);
    maps[1] = mlirAffineMapGet(builder->context, loops->count, 0, weights, weight);
    maps[2] = mlirAffineMapGet(builder->context, loops->count, 0, outputs, output);
}

static MlirValue generic_convolution(Call *call, const Convolution *conv, const Loops *loops,
                                     MlirValue input, MlirValue weight, MlirValue init) {
    MlirAffineMap maps[3];
    plan_maps(call, conv, loops, maps);
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)loops->count);
    int first = loops->channel >= 0 ? loops->channel : loops->kernel;
    memset(iterators + first, 'r', (size_t)(loops->count - first));
    MlirValue inputs[] = {input, weight};
    Generic sum = generic_begin(call->builder, iterators, 2, inputs, 1, &init, maps);
    MlirValue a = scalar_cast(&sum.body, generic_input(&sum, 0), conv->from, conv->to);
    MlirValue b = scalar_cast(&sum.body, generic_input(&sum, 1), conv->weight_from, conv->to);
    MlirValue term = scalar_op(&sum.body, SCALAR_MULTIPLY, conv->to, a, b);
    MlirValue total = scalar_op(&sum.body, SCALAR_ADD, conv->to, generic_output(&sum, 0), term);
    return generic_end(&sum, total);
}

/* [a, groups * b, ...] as [a, groups, b, ...], at dimension `at`. */
static MlirValue split_dimension(Call *call, MlirValue value, int at, int64_t groups) {
    int rank, count = 0;
    int64_t shape[MAX_RANK], split[MAX_RANK];
    static_shape(mlirValueGetType(value), &rank, shape);
    for (int i = 0; i < rank; i++) {
        if (i == at) split[count++] = groups;
        split[count++] = i == at ? shape[i] / groups : shape[i];
    }
    return build_reshape(call->builder, value, count, split);
}

static MlirValue build_convolution(Call *call, const Convolution *conv, const int64_t *shape) {
    const Windows *windows = &conv->windows;
    MlirValue zero = scalar_number(call->builder, conv->from, number_of_integer(conv->padding));
    MlirValue input = windows_pad(call, windows, conv->input, zero);
    int rank = windows->spatial + 2;
    bool depthwise =
        conv->groups > 1 && conv->groups == conv->channels && conv->groups == conv->filters;
    bool grouped = conv->groups > 1 && !depthwise;
    if (!grouped) {
        MlirValue init = spread_bias(call, conv, rank, shape, false);
        bool named = windows->spatial == 2 && !depthwise && !dtype_is_unsigned(conv->from);
        if (named) return named_convolution(call, conv, input, init);
        Loops loops = plan_loops(conv, false, depthwise);
        return generic_convolution(call, conv, &loops, input, call_mlir(call, conv->weight), init);
    }
    int64_t split[MAX_RANK] = {conv->batch, conv->groups, conv->filters / conv->groups};
    memcpy(split + 3, windows->output, (size_t)windows->spatial * sizeof *split);
    MlirValue init = spread_bias(call, conv, rank + 1, split, true);
    Loops loops = plan_loops(conv, true, false);
    MlirValue weight = split_dimension(call, call_mlir(call, conv->weight), 0, conv->groups);
    input = split_dimension(call, input, 1, conv->groups);
    MlirValue result = generic_convolution(call, conv, &loops, input, weight, init);
    return build_reshape(call->builder, result, rank, shape);
}

/* Gives the result, without the batch dimension if the input had none. */
static bool give(Call *call, const Convolution *conv) {
    int spatial = conv->windows.spatial;
    int64_t shape[MAX_RANK] = {conv->batch, conv->filters};
    memcpy(shape + 2, conv->windows.output, (size_t)spatial * sizeof *shape);
    MlirValue sum = build_convolution(call, conv, shape);
    if (conv->integers) {
        return call_result(call, 0,
                           integer_product_result(call, conv->integers, conv->channel_axis,
                                                  spatial + 2, shape, 1, sum));
    }
    Value *result = value_new(call->arena, conv->to, spatial + 2, shape, sum);
    result = call_cast(call, result, conv->from);
    if (!conv->unbatched) return call_result(call, 0, result);
    MlirValue value = build_reshape(call->builder, result->mlir, spatial + 1, shape + 1);
    return call_give(call, conv->from, spatial + 1, shape + 1, value);
}

/* --- transposed ---------------------------------------------------------------------------- */

/* The weight [in, out / groups, ...] as that of a plain convolution: [out, in / groups, ...], its
 * kernel turned around. */
static Value *turn_weight(Call *call, Value *weight, int64_t groups) {
    const TensorType *type = &weight->type;
    int rank = type->rank, dims[MAX_RANK];
    int64_t split[MAX_RANK] = {groups, type->shape[0] / groups, type->shape[1]};
    int64_t shape[MAX_RANK] = {groups * type->shape[1], type->shape[0] / groups};
    bool flags[MAX_RANK] = {false, false};
    for (int i = 0; i <= rank; i++) dims[i] = i == 1 ? 2 : i == 2 ? 1 : i;
    for (int i = 2; i < rank; i++) {
        flags[i] = true;
        shape[i] = split[i + 1] = type->shape[i];
    }
    weight = value_permute(call, value_reshape(call, weight, rank + 1, split), dims);
    return value_flip(call, value_reshape(call, weight, rank, shape), flags);
}

/* The input with stride - 1 zeros between its elements: then it is a plain convolution. */
static Value *stretch_input(Call *call, const Convolution *conv, const int64_t *stride) {
    const TensorType *type = &conv->input->type;
    int64_t shape[MAX_RANK], offsets[MAX_RANK] = {0}, strides[MAX_RANK];
    bool apart = false;
    for (int i = 0; i < type->rank; i++) {
        int64_t step = i < 2 ? 1 : stride[i - 2];
        shape[i] = (type->shape[i] - 1) * step + 1;
        strides[i] = step;
        apart |= step > 1;
    }
    if (!apart) return conv->input;
    MlirValue zero = scalar_number(call->builder, conv->from, number_of_integer(conv->padding));
    MlirType wide = call_type(call, conv->from, type->rank, shape);
    MlirValue stretched = build_scatter(call->builder, call_mlir(call, conv->input),
                                        build_filled(call->builder, wide, zero), offsets, strides);
    return value_new(call->arena, type->dtype, type->rank, shape, stretched);
}

/* A padding larger than the kernel takes elements of the input away. */
static bool crop_input(Call *call, Convolution *conv, int i) {
    int64_t *before = &conv->windows.before[i], *after = &conv->windows.after[i];
    int64_t low = *before < 0 ? -*before : 0, high = *after < 0 ? -*after : 0;
    int64_t left = conv->input->type.shape[i + 2] - low - high;
    if (low == 0 && high == 0) return true;
    if (left < 1) return call_fail(call, "the padding leaves nothing of its input");
    conv->input = value_slice(call, conv->input, i + 2, low, left, 1);
    *before += low;
    *after += high;
    return true;
}

static bool transpose_convolution(Call *call, Convolution *conv, const int64_t *output_padding) {
    Windows *windows = &conv->windows;
    int64_t stride[MAX_SPATIAL];
    memcpy(stride, windows->stride, sizeof stride);
    conv->weight = turn_weight(call, conv->weight, conv->groups);
    conv->input = stretch_input(call, conv, stride);
    for (int i = 0; i < windows->spatial; i++) {
        int64_t span = windows->dilation[i] * (windows->kernel[i] - 1);
        if (output_padding[i] >= stride[i] && output_padding[i] >= windows->dilation[i]) {
            return call_fail(call, "output_padding must be smaller than stride or dilation");
        }
        int64_t padding = windows->before[i];
        windows->stride[i] = 1;
        windows->before[i] = span - padding;
        windows->after[i] = span - padding + output_padding[i];
        if (!crop_input(call, conv, i)) return false;
        windows->input[i] = conv->input->type.shape[i + 2];
    }
    return windows_count(call, windows, false) && give(call, conv);
}

/* --- the operations ------------------------------------------------------------------------ */

static bool check_tensors(Call *call, Convolution *conv, bool transposed) {
    const TensorType *input = &conv->input->type, *weight = &conv->weight->type;
    int64_t inner = weight->shape[1];
    if (conv->groups < 1) {
        return call_fail(call, "groups must be positive, it is %lld", (long long)conv->groups);
    }
    if (conv->from == DTYPE_BOOL) return call_fail(call, "dtype bool is not supported");
    conv->channels = input->shape[1];
    conv->batch = input->shape[0];
    conv->filters = transposed ? inner * conv->groups : weight->shape[0];
    bool fits =
        transposed ? conv->channels == weight->shape[0] && conv->channels % conv->groups == 0
                   : conv->channels % conv->groups == 0 && conv->channels / conv->groups == inner &&
                         conv->filters % conv->groups == 0;
    if (!fits) {
        return call_fail(call, "input %s, weight %s and groups %lld do not fit",
                         tensor_type_text(call->arena, input),
                         tensor_type_text(call->arena, weight), (long long)conv->groups);
    }
    if (conv->bias && (conv->bias->type.rank != 1 || conv->bias->type.shape[0] != conv->filters)) {
        return call_fail(call, "bias %s does not fit %lld filters",
                         tensor_type_text(call->arena, &conv->bias->type),
                         (long long)conv->filters);
    }
    if (weight->dtype != input->dtype || (conv->bias && conv->bias->type.dtype != input->dtype)) {
        return call_fail(call, "its tensors have different dtypes");
    }
    return true;
}

/* Takes the integers of a quantized convolution in place of its tensors: input, weight, and what
 * pads. Channels are the filters, also of a transposed weight if it has one group. */
static void take_integers(Call *call, Convolution *conv, bool transposed) {
    int axis = transposed ? 1 : 0;
    if (conv->unbatched || (transposed && conv->groups > 1)) return;
    IntegerProduct product;
    if (!integer_product(call, conv->input, conv->weight, conv->bias, axis, &product) ||
        !integer_product_fits(call, &product, axis))
        return;
    conv->channel_axis = axis;
    conv->integers = arena_copy(call->arena, &product, sizeof product);
    conv->input = product.input.integers;
    conv->weight = product.weight;
    conv->bias = NULL;
    conv->from = conv->input->type.dtype;
    conv->weight_from = conv->weight->type.dtype;
    conv->to = DTYPE_INT32;
    conv->padding = product.input.zeros[0];
}

/* Reads the tensors; the number of spatial dimensions is the weight's. */
static bool read_tensors(Call *call, Convolution *conv, bool transposed) {
    conv->input = call_tensor(call, "input");
    conv->weight = call_tensor(call, "weight");
    conv->bias = call_tensor(call, "bias");
    conv->groups = call_integer(call, "groups");
    conv->from = conv->input->type.dtype;
    conv->weight_from = conv->from;
    conv->to = dtype_compute(conv->from);
    int rank = conv->weight->type.rank, spatial = rank - 2;
    int wanted = call->operation->option;
    if (spatial < 1 || spatial > MAX_SPATIAL || (wanted && spatial != wanted)) {
        return call_fail(call, "the weight has the wrong rank: %s",
                         tensor_type_text(call->arena, &conv->weight->type));
    }
    conv->windows.spatial = spatial;
    if (conv->input->type.rank == rank - 1) {
        conv->unbatched = true;
        int64_t shape[MAX_RANK] = {1};
        memcpy(shape + 1, conv->input->type.shape, (size_t)(rank - 1) * sizeof *shape);
        MlirValue input = build_reshape(call->builder, call_mlir(call, conv->input), rank, shape);
        conv->input = value_new(call->arena, conv->from, rank, shape, input);
    }
    if (conv->input->type.rank != rank) {
        return call_fail(call, "input %s does not fit weight %s",
                         tensor_type_text(call->arena, &conv->input->type),
                         tensor_type_text(call->arena, &conv->weight->type));
    }
    memcpy(conv->windows.kernel, conv->weight->type.shape + 2, (size_t)spatial * sizeof(int64_t));
    memcpy(conv->windows.input, conv->input->type.shape + 2, (size_t)spatial * sizeof(int64_t));
    if (!check_tensors(call, conv, transposed)) return false;
    take_integers(call, conv, transposed);
    return true;
}

static bool read_steps(Call *call, Windows *windows) {
    return windows_sizes(call, "stride", windows->spatial, 1, windows->stride) &&
           windows_sizes(call, "dilation", windows->spatial, 1, windows->dilation);
}

static bool read_padding(Call *call, Windows *windows) {
    if (!windows_sizes(call, "padding", windows->spatial, 0, windows->before)) return false;
    memcpy(windows->after, windows->before, sizeof windows->after);
    return true;
}

static bool emit_convolution(Call *call) {
    Convolution conv = {0};
    return read_tensors(call, &conv, false) && read_steps(call, &conv.windows) &&
           read_padding(call, &conv.windows) && windows_count(call, &conv.windows, false) &&
           give(call, &conv);
}

/* padding='same' or 'valid': of an odd total, the larger half is at the end. */
static bool emit_padded_convolution(Call *call) {
    Convolution conv = {0};
    const char *padding = call_string(call, "padding");
    if (!read_tensors(call, &conv, false) || !read_steps(call, &conv.windows)) return false;
    bool same = strcmp(padding, "same") == 0;
    if (!same && strcmp(padding, "valid") != 0) {
        return call_fail(call, "padding must be 'same' or 'valid'");
    }
    for (int i = 0; same && i < conv.windows.spatial; i++) {
        int64_t total = conv.windows.dilation[i] * (conv.windows.kernel[i] - 1);
        if (conv.windows.stride[i] != 1) return call_fail(call, "padding 'same' needs stride 1");
        conv.windows.before[i] = total / 2;
        conv.windows.after[i] = total - total / 2;
    }
    return windows_count(call, &conv.windows, false) && give(call, &conv);
}

static bool emit_transposed_convolution(Call *call) {
    Convolution conv = {0};
    int64_t output_padding[MAX_SPATIAL];
    return read_tensors(call, &conv, true) && read_steps(call, &conv.windows) &&
           read_padding(call, &conv.windows) &&
           windows_sizes(call, "output_padding", conv.windows.spatial, 0, output_padding) &&
           transpose_convolution(call, &conv, output_padding);
}

/* The core operation that all of them decompose into. */
static bool emit_any_convolution(Call *call) {
    int count;
    if (call_bool(call, "transposed")) return emit_transposed_convolution(call);
    const int64_t *output_padding = call_integers(call, "output_padding", &count);
    for (int i = 0; i < count; i++) {
        if (output_padding[i]) return call_fail(call, "output_padding without transposed");
    }
    return emit_convolution(call);
}

/* Rows that differ in little. */
// clang-format off
#define CONVOLUTION(n)                                                                             \
    {"aten.conv" #n "d.default",                                                                   \
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[" #n "] stride=1, "                  \
     "SymInt[" #n "] padding=0, SymInt[" #n "] dilation=1, SymInt groups=1) -> Tensor",            \
     .emit = emit_convolution, .option = n},                                                       \
    {"aten.conv" #n "d.padding",                                                                   \
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[" #n "] stride=1, "                  \
     "str padding=\"valid\", SymInt[" #n "] dilation=1, SymInt groups=1) -> Tensor",               \
     .emit = emit_padded_convolution, .option = n}

#define TRANSPOSED(n, overload)                                                                    \
    {"aten.conv_transpose" #n "d." overload,                                                       \
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[" #n "] stride=1, "                  \
     "SymInt[" #n "] padding=0, SymInt[" #n "] output_padding=0, SymInt groups=1, "                \
     "SymInt[" #n "] dilation=1) -> Tensor",                                                       \
     .emit = emit_transposed_convolution, .option = n}
// clang-format on

const Operation convolution_operations[] = {
    CONVOLUTION(1),
    CONVOLUTION(2),
    CONVOLUTION(3),
    TRANSPOSED(1, "default"),
    TRANSPOSED(2, "input"),
    TRANSPOSED(3, "input"),
    {"aten.convolution.default",
     "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
     "SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
     .emit = emit_any_convolution},
    {.name = NULL},
};
