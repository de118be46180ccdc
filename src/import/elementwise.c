/* Elementwise operations: promotion of dtypes, broadcasting, and the one linalg.generic that all of
 * them become. The operations themselves are in element_ops.c. */
#include "import/elementwise.h"
#include <string.h>

/* --- dtypes -------------------------------------------------------------------------------- */

/* A lower class of operand (0-d tensors, then Python numbers) decides only when it is of a higher
 * kind: bool, integer, float. */
static Dtype combine(Dtype higher, Dtype lower) {
    if (higher == DTYPE_UNKNOWN) return lower;
    if (lower == DTYPE_UNKNOWN || dtype_is_float(higher)) return higher;
    if (higher == DTYPE_BOOL || dtype_is_float(lower)) return dtype_promote(higher, lower);
    return higher;
}

Dtype promote_values(int count, Value *const *values) {
    enum { NUMBERS, SCALARS, TENSORS, CLASSES };
    Dtype of_class[CLASSES] = {DTYPE_UNKNOWN, DTYPE_UNKNOWN, DTYPE_UNKNOWN};
    for (int i = 0; i < count; i++) {
        if (!values[i]) continue;
        int class = values[i]->is_number ? NUMBERS : values[i]->type.rank == 0 ? SCALARS : TENSORS;
        Dtype dtype = values[i]->type.dtype;
        of_class[class] =
            of_class[class] == DTYPE_UNKNOWN ? dtype : dtype_promote(of_class[class], dtype);
    }
    return combine(of_class[TENSORS], combine(of_class[SCALARS], of_class[NUMBERS]));
}

/* --- shapes -------------------------------------------------------------------------------- */

bool broadcast_shape(Call *call, int *rank, int64_t *shape, const TensorType *type) {
    int from = *rank, to = type->rank > from ? type->rank : from;
    int64_t wide[MAX_RANK];
    for (int i = 1; i <= to; i++) {
        int64_t a = i <= from ? shape[from - i] : 1;
        int64_t b = i <= type->rank ? type->shape[type->rank - i] : 1;
        if (a != b && a != 1 && b != 1) {
            return call_fail(call, "the shapes %s and %s do not fit",
                             shape_text(call->arena, from, shape),
                             shape_text(call->arena, type->rank, type->shape));
        }
        wide[to - i] = a == 1 ? b : a;
    }
    memcpy(shape, wide, (size_t)to * sizeof *shape);
    *rank = to;
    return true;
}

/* Result dimensions from the last one backwards; those of size 1 are read at 0. */
static MlirAffineMap broadcast_map(Builder *builder, const TensorType *type, int rank,
                                   const int64_t *shape) {
    int dims[MAX_RANK];
    for (int i = 0; i < type->rank; i++) {
        int at = rank - type->rank + i;
        dims[i] = type->shape[i] == 1 && shape[at] != 1 ? -1 : at;
    }
    return map_of_dims(builder, rank, type->rank, dims);
}

/* --- the generic --------------------------------------------------------------------------- */

static bool is_inline(const Value *value) {
    return value->stored && stored_is_splat(value->stored);
}

static MlirValue inline_constant(Builder *body, const Value *value, Dtype dtype) {
    const DtypeInfo *info = dtype_info(value->type.dtype);
    Number number = {.kind = info->is_float ? NUMBER_FLOAT : NUMBER_INTEGER,
                     .real = stored_first_double(value->stored)};
    Bits bits = stored_first(value->stored);
    number.integer =
        info->is_unsigned || info->is_bool ? (int64_t)bits : bits_signed(info->scalar.width, bits);
    return scalar_number(body, dtype, number);
}

/* The type that input `index` has in the body. */
static Dtype input_dtype(int index, Dtype dtype, int options) {
    bool is_condition = index == 0 && options & ELEMENT_CONDITION;
    return is_condition || options & ELEMENT_ANY ? DTYPE_BOOL : dtype;
}

typedef struct Plan {
    int rank;
    int64_t shape[MAX_RANK];
    int input_count;
    MlirValue inputs[MAX_ELEMENT_INPUTS];
    MlirAffineMap maps[MAX_ELEMENT_INPUTS + 1];
} Plan;

static bool make_plan(Call *call, int count, Value *const *values, Plan *plan) {
    for (int i = 0; i < count; i++) {
        if (!broadcast_shape(call, &plan->rank, plan->shape, &values[i]->type)) return false;
    }
    for (int i = 0; i < count; i++) {
        if (is_inline(values[i])) continue;
        plan->maps[plan->input_count] =
            broadcast_map(call->builder, &values[i]->type, plan->rank, plan->shape);
        plan->inputs[plan->input_count++] = call_mlir(call, values[i]);
    }
    plan->maps[plan->input_count] = map_identity(call->builder, plan->rank);
    return true;
}

Value *element_wise(Call *call, int count, Value *const *values, Dtype dtype, int options,
                    ElementBody body) {
    Plan plan = {0};
    if (options & ELEMENT_REAL && !dtype_is_float(dtype)) {
        call_fail(call, "dtype %s is not supported", dtype_name(dtype));
        return NULL;
    }
    if (!make_plan(call, count, values, &plan)) return NULL;
    Dtype compute = options & ELEMENT_WIDE ? dtype_compute(dtype) : dtype;
    Dtype result = options & ELEMENT_BOOL      ? DTYPE_BOOL
                   : options & ELEMENT_INTEGER ? DTYPE_INT32
                                               : dtype;
    MlirValue init = build_empty(call->builder, call_type(call, result, plan.rank, plan.shape));
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)plan.rank);
    Generic generic =
        generic_begin(call->builder, iterators, plan.input_count, plan.inputs, 1, &init, plan.maps);
    MlirValue elements[MAX_ELEMENT_INPUTS];
    for (int i = 0, next = 0; i < count; i++) {
        Dtype wanted = input_dtype(i, compute, options);
        if (is_inline(values[i])) {
            elements[i] = inline_constant(&generic.body, values[i], wanted);
            continue;
        }
        MlirValue input = generic_input(&generic, next++);
        elements[i] = scalar_cast(&generic.body, input, values[i]->type.dtype, wanted);
    }
    MlirValue element = body(call, &generic.body, compute, elements);
    if (mlirValueIsNull(element)) {
        mlirBlockDestroy(generic.body.block);
        call_fail(call, "dtype %s is not supported", dtype_name(dtype));
        return NULL;
    }
    if (!(options & (ELEMENT_BOOL | ELEMENT_INTEGER))) {
        element = scalar_cast(&generic.body, element, compute, result);
    }
    return value_new(call->arena, result, plan.rank, plan.shape, generic_end(&generic, element));
}

Value *broadcast_to(Call *call, Value *value, int rank, const int64_t *shape) {
    const TensorType *type = &value->type;
    if (type->rank == rank && memcmp(type->shape, shape, (size_t)rank * sizeof *shape) == 0) {
        return value;
    }
    if (value->stored) {
        Stored *view = arena_copy(call->arena, value->stored, sizeof *view);
        view->type = tensor_type(type->dtype, rank, shape);
        for (int i = 0; i < rank; i++) {
            int from = type->rank - rank + i;
            bool repeats = from < 0 || (type->shape[from] == 1 && shape[i] != 1);
            view->strides[i] = repeats ? 0 : value->stored->strides[from];
        }
        return value_constant(call->arena, view);
    }
    MlirValue input = call_mlir(call, value);
    MlirValue init = build_empty(call->builder, call_type(call, type->dtype, rank, shape));
    MlirAffineMap maps[] = {broadcast_map(call->builder, type, rank, shape),
                            map_identity(call->builder, rank)};
    char iterators[MAX_RANK + 1] = {0};
    memset(iterators, 'p', (size_t)rank);
    Generic copy = generic_begin(call->builder, iterators, 1, &input, 1, &init, maps);
    MlirValue result = generic_end(&copy, generic_input(&copy, 0));
    return value_new(call->arena, type->dtype, rank, shape, result);
}
