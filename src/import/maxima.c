/* Maxima of windows with the places where they are: the indices of max_pool and adaptive_max_pool.
 *
 * As in PyTorch's kernel, of equal elements the first one counts, of several NaN the last, and what
 * pads the input never. */
#include "import/maxima.h"
#include <string.h>
#include "import/formulas.h"
#include "import/indexing.h"

/* Loops are the leading dimensions, those of the result, those of the kernel. */
typedef struct Maxima {
    const Windows *windows;
    Value *input;
    int leading, inputs;
    int64_t kernel[MAX_SPATIAL], shape[MAX_RANK];
    MlirValue operands[MAX_GENERIC_OPERANDS];
    MlirAffineMap maps[MAX_GENERIC_OPERANDS];
} Maxima;

static void add_operand(Maxima *maxima, MlirValue operand, MlirAffineMap map) {
    maxima->operands[maxima->inputs] = operand;
    maxima->maps[maxima->inputs++] = map;
}

static int loop_count(const Maxima *maxima) {
    return maxima->leading + 2 * maxima->windows->spatial;
}

/* A tensor without content bounds the loops of the kernel. */
static void add_window(Call *call, Maxima *maxima) {
    int dims[MAX_SPATIAL], spatial = maxima->windows->spatial;
    for (int i = 0; i < spatial; i++) dims[i] = maxima->leading + spatial + i;
    MlirType type = call_type(call, maxima->input->type.dtype, spatial, maxima->kernel);
    add_operand(maxima, build_empty(call->builder, type),
                map_of_dims(call->builder, loop_count(maxima), spatial, dims));
}

/* The padded input, at the places of plain windows. */
static void add_padded(Call *call, Maxima *maxima) {
    const Windows *windows = maxima->windows;
    Dtype dtype = maxima->input->type.dtype;
    MlirAffineExpr places[MAX_RANK];
    for (int i = 0; i < maxima->leading; i++) places[i] = affine_dim(call->builder, i, 1);
    for (int i = 0; i < windows->spatial; i++) {
        int loop = maxima->leading + i;
        places[loop] = windows_place(call, windows, i, loop, loop + windows->spatial);
    }
    MlirValue lowest = scalar_number(call->builder, dtype, dtype_lowest(dtype));
    add_operand(maxima, windows_pad(call, windows, maxima->input, lowest),
                mlirAffineMapGet(call->builder->context, loop_count(maxima), 0,
                                 maxima->leading + windows->spatial, places));
}

/* Start and end of each adaptive window, as constants along each dimension. */
static void add_bounds(Call *call, Maxima *maxima) {
    const Windows *windows = maxima->windows;
    for (int i = 0; i < windows->spatial; i++) {
        int64_t count = windows->output[i], size = windows->input[i];
        int loop = maxima->leading + i;
        maxima->kernel[i] = 0;
        for (int end = 0; end < 2; end++) {
            int64_t *bounds = arena_array(call->arena, (size_t)count, sizeof *bounds);
            for (int64_t n = 0; n < count; n++) {
                int64_t start = n * size / count;
                bounds[n] = end ? ((n + 1) * size + count - 1) / count : start;
                if (bounds[n] - start > maxima->kernel[i]) maxima->kernel[i] = bounds[n] - start;
            }
            Stored *stored = stored_new(call->arena, DTYPE_INT64, 1, &count, bounds);
            add_operand(maxima, call_mlir(call, value_constant(call->arena, stored)),
                        map_of_dims(call->builder, loop_count(maxima), 1, &loop));
        }
    }
}

static MlirValue integer(Formula f, int64_t number) {
    return scalar_number(f.body, f.dtype, number_of_integer(number));
}

/* Where the iteration is in the input, along each dimension, and whether that is inside. */
static MlirValue find_places(const Maxima *maxima, Generic *generic, bool adaptive,
                             MlirValue *places) {
    const Windows *windows = maxima->windows;
    Formula f = {&generic->body, DTYPE_INT64};
    MlirValue inside = scalar_number(f.body, DTYPE_BOOL, number_of_integer(1));
    for (int i = 0; i < windows->spatial; i++) {
        int loop = maxima->leading + i;
        MlirValue cell = generic_index(generic, loop + windows->spatial);
        MlirValue end = integer(f, windows->input[i]);
        if (adaptive) {
            places[i] = plus(f, generic_input(generic, 2 * i), cell);
            end = generic_input(generic, 2 * i + 1);
        } else {
            MlirValue start =
                times(f, generic_index(generic, loop), integer(f, windows->stride[i]));
            places[i] = plus(f, minus(f, start, integer(f, windows->before[i])),
                             times(f, cell, integer(f, windows->dilation[i])));
        }
        MlirValue low = compare(f, ORDER_GREATER_EQUAL, places[i], integer(f, 0));
        MlirValue high = compare(f, ORDER_LESS, places[i], end);
        inside = scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, inside,
                           scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, low, high));
    }
    return inside;
}

/* The element of the input at places that are computed. */
static MlirValue element_at(const Maxima *maxima, Generic *generic, const MlirValue *places) {
    const TensorType *type = &maxima->input->type;
    MlirValue indices[MAX_RANK];
    for (int i = 0; i < type->rank; i++) {
        indices[i] = i < maxima->leading ? loop_index(generic, i)
                                         : safe_index(&generic->body, places[i - maxima->leading],
                                                      DTYPE_INT64, type->shape[i], false);
    }
    return build_element(&generic->body, maxima->input->mlir, type->rank, indices);
}

static bool build_maxima(Call *call, Maxima *maxima, bool adaptive) {
    Builder *builder = call->builder;
    const TensorType *type = &maxima->input->type;
    int dims[MAX_RANK];
    for (int i = 0; i < type->rank; i++) dims[i] = i;
    maxima->maps[maxima->inputs] = maxima->maps[maxima->inputs + 1] =
        map_of_dims(builder, loop_count(maxima), type->rank, dims);
    MlirValue inits[] = {
        build_filled(builder, call_type(call, type->dtype, type->rank, maxima->shape),
                     scalar_number(builder, type->dtype, dtype_lowest(type->dtype))),
        build_filled(builder, call_type(call, DTYPE_INT64, type->rank, maxima->shape),
                     scalar_number(builder, DTYPE_INT64, number_of_integer(-1))),
    };
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)type->rank);
    memset(iterators + type->rank, 'r', (size_t)maxima->windows->spatial);
    Generic generic =
        generic_begin(builder, iterators, maxima->inputs, maxima->operands, 2, inits, maxima->maps);
    Formula f = {&generic.body, type->dtype}, whole = {&generic.body, DTYPE_INT64};
    MlirValue places[MAX_SPATIAL];
    MlirValue inside = find_places(maxima, &generic, adaptive, places);
    MlirValue element =
        adaptive ? element_at(maxima, &generic, places) : generic_input(&generic, 0);
    MlirValue best = generic_output(&generic, 0), best_place = generic_output(&generic, 1);
    MlirValue flat = places[0];
    for (int i = 1; i < maxima->windows->spatial; i++)
        flat =
            plus(whole, times(whole, flat, integer(whole, maxima->windows->input[i])), places[i]);
    MlirValue better = compare(f, ORDER_GREATER, element, best);
    MlirValue is_nan = compare(f, ORDER_UNEQUAL, element, element);
    MlirValue is_first = compare(whole, ORDER_LESS, best_place, integer(whole, 0));
    better = scalar_op(f.body, SCALAR_OR, DTYPE_BOOL, better, is_nan);
    better = scalar_op(f.body, SCALAR_OR, DTYPE_BOOL, better, is_first);
    better = scalar_op(f.body, SCALAR_AND, DTYPE_BOOL, better, inside);
    MlirValue yielded[] = {choose(f, better, element, best), choose(f, better, flat, best_place)};
    MlirValue built[2];
    generic_end_all(&generic, yielded, built);
    return call_result(call, 0,
                       value_new(call->arena, type->dtype, type->rank, maxima->shape, built[0])) &&
           call_result(call, 1,
                       value_new(call->arena, DTYPE_INT64, type->rank, maxima->shape, built[1]));
}

bool give_maxima(Call *call, const Windows *windows, Value *input, bool adaptive) {
    int spatial = windows->spatial;
    Maxima maxima = {.windows = windows, .input = input, .leading = input->type.rank - spatial};
    memcpy(maxima.shape, input->type.shape, sizeof maxima.shape);
    memcpy(maxima.shape + maxima.leading, windows->output, (size_t)spatial * sizeof(int64_t));
    memcpy(maxima.kernel, windows->kernel, sizeof maxima.kernel);
    call_mlir(call, input);
    if (adaptive) {
        add_bounds(call, &maxima);
    } else {
        add_padded(call, &maxima);
    }
    add_window(call, &maxima);
    return build_maxima(call, &maxima, adaptive);
}
