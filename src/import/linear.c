/* Matrix products: linear, addmm, mm, bmm, matmul ...
 *
 * The accumulator starts with the bias, so that no pass over the result follows; k goes upwards.
 * 16-bit floats are accumulated in float32 and rounded once, as PyTorch's CPU kernels do. */
#include <string.h>
#include "import/elementwise.h"
#include "import/operations.h"
#include "import/products.h"
#include "import/quantized.h"

/* One product: out[batch..., m, n] = init + sum over k of left * right. A side may lack batch
 * dimensions of size 1 (read at 0) and the matrix dimension (a vector). */
typedef struct Product {
    int batch; /* batch dimensions of the result */
    int64_t batch_shape[MAX_RANK];
    int64_t m, n, k; /* m or n of 0: the side is a vector */
    Value *left, *right;
    bool right_is_transposed; /* [n, k] */
} Product;

static MlirValue zero_scalar(Call *call, Dtype dtype) {
    return scalar_number(call->builder, dtype, number_of_integer(0));
}

/* The accumulator: zeros, or the bias spread over the result. */
static MlirValue accumulator(Call *call, Value *bias, Dtype dtype, int rank, const int64_t *shape) {
    MlirType type = call_type(call, dtype, rank, shape);
    if (!bias) return build_filled(call->builder, type, zero_scalar(call, dtype));
    Value *start = call_cast(call, bias, dtype);
    const TensorType *from = &start->type;
    if (from->rank == rank && memcmp(from->shape, shape, (size_t)rank * sizeof *shape) == 0) {
        return call_mlir(call, start);
    }
    /* A constant of the whole result would be a needless memory: spread it at run time. */
    int dims[MAX_RANK];
    for (int i = 0; i < from->rank; i++) {
        int at = rank - from->rank + i;
        dims[i] = from->shape[i] == 1 && shape[at] != 1 ? -1 : at;
    }
    return build_spread(call->builder, call_mlir(call, start), type, dims);
}

/* The map of one side: its batch dimensions, then its two matrix loops in its own order; a loop of
 * -1 is not there. */
static MlirAffineMap side_map(Call *call, const Product *product, const Value *side, int loops,
                              int first, int second) {
    int dims[MAX_RANK], count = 0;
    int matrix = (first >= 0) + (second >= 0), batch = side->type.rank - matrix;
    for (int i = 0; i < batch; i++) {
        int at = product->batch - batch + i;
        dims[count++] = side->type.shape[i] == 1 && product->batch_shape[at] != 1 ? -1 : at;
    }
    if (first >= 0) dims[count++] = first;
    if (second >= 0) dims[count++] = second;
    return map_of_dims(call->builder, loops, count, dims);
}

static const char *named_product(const Product *product) {
    if (!product->m || !product->n) return NULL;
    if (product->batch == 0) {
        return product->right_is_transposed ? "linalg.matmul_transpose_b" : "linalg.matmul";
    }
    bool same = product->left->type.rank == 3 && product->right->type.rank == 3 &&
                product->left->type.shape[0] == product->right->type.shape[0];
    return product->batch == 1 && same && !product->right_is_transposed ? "linalg.batch_matmul"
                                                                        : NULL;
}

static MlirValue generic_product(Call *call, const Product *product, MlirValue init, Dtype to) {
    int batch = product->batch, loops = batch;
    int m = product->m ? loops++ : -1, n = product->n ? loops++ : -1, k = loops++;
    char iterators[MAX_LOOPS + 1] = {0};
    memset(iterators, 'p', (size_t)loops);
    iterators[k] = 'r';
    int dims[MAX_LOOPS];
    for (int i = 0; i < k; i++) dims[i] = i;
    MlirAffineMap maps[] = {
        side_map(call, product, product->left, loops, m, k),
        product->right_is_transposed ? side_map(call, product, product->right, loops, n, k)
                                     : side_map(call, product, product->right, loops, k, n),
        map_of_dims(call->builder, loops, k, dims),
    };
    MlirValue inputs[] = {call_mlir(call, product->left), call_mlir(call, product->right)};
    Generic sum = generic_begin(call->builder, iterators, 2, inputs, 1, &init, maps);
    Dtype of_left = product->left->type.dtype, of_right = product->right->type.dtype;
    MlirValue a = scalar_cast(&sum.body, generic_input(&sum, 0), of_left, to);
    MlirValue b = scalar_cast(&sum.body, generic_input(&sum, 1), of_right, to);
    MlirValue term = scalar_op(&sum.body, SCALAR_MULTIPLY, to, a, b);
    return generic_end(&sum, scalar_op(&sum.body, SCALAR_ADD, to, generic_output(&sum, 0), term));
}

static int result_shape(const Product *product, int64_t *shape) {
    int rank = 0;
    for (int i = 0; i < product->batch; i++) shape[rank++] = product->batch_shape[i];
    if (product->m) shape[rank++] = product->m;
    if (product->n) shape[rank++] = product->n;
    return rank;
}

/* left * right + init by its sums, in type `to`. */
static MlirValue build_sums(Call *call, const Product *product, MlirValue init, Dtype to) {
    bool named = !dtype_is_unsigned(product->left->type.dtype);
    const char *name = named ? named_product(product) : NULL;
    return name ? build_named(call->builder, name, call_mlir(call, product->left),
                              call_mlir(call, product->right), init, 0, NULL)
                : generic_product(call, product, init, to);
}

/* The product of a quantized activation and a constant weight; NULL if it is none. */
static Value *build_integer_product(Call *call, const Product *product, Value *bias) {
    IntegerProduct integers;
    int axis = product->right_is_transposed ? 0 : 1;
    if (!product->n || product->right->type.rank != 2 ||
        !integer_product(call, product->left, product->right, bias, axis, &integers) ||
        !integer_product_fits(call, &integers, axis))
        return NULL;
    Product sums = *product;
    sums.left = integers.input.integers;
    sums.right = integers.weight;
    int64_t shape[MAX_RANK];
    int rank = result_shape(product, shape);
    MlirValue init = accumulator(call, NULL, DTYPE_INT32, rank, shape);
    return integer_product_result(call, &integers, axis, rank, shape, rank - 1,
                                  build_sums(call, &sums, init, DTYPE_INT32));
}

/* Builds the product with its bias (may be NULL) and gives it as the result. */
static Value *build_product(Call *call, const Product *product, Value *bias) {
    Value *integers = build_integer_product(call, product, bias);
    if (integers) return integers;
    Dtype from = product->left->type.dtype, to = dtype_compute(from);
    if (product->right->type.dtype != from || (bias && bias->type.dtype != from)) {
        call_fail(call, "its tensors have different dtypes");
        return NULL;
    }
    if (from == DTYPE_BOOL) {
        call_fail(call, "dtype bool is not supported");
        return NULL;
    }
    int64_t shape[MAX_RANK];
    int rank = result_shape(product, shape);
    MlirValue result = build_sums(call, product, accumulator(call, bias, to, rank, shape), to);
    return call_cast(call, value_new(call->arena, to, rank, shape, result), from);
}

/* Splits shapes as torch.matmul does: a vector is a row on the left, a column on the right. */
static bool plan_product(Call *call, Value *left, Value *right, bool transposed, Product *product) {
    const TensorType *a = &left->type, *b = &right->type;
    *product = (Product){.left = left, .right = right, .right_is_transposed = transposed};
    if (a->rank < 1 || b->rank < 1) return call_fail(call, "its tensors need at least 1 dimension");
    int64_t right_k = b->shape[b->rank - 1];
    product->k = a->shape[a->rank - 1];
    if (a->rank > 1) product->m = a->shape[a->rank - 2];
    if (b->rank > 1) {
        product->n = b->shape[transposed ? b->rank - 2 : b->rank - 1];
        if (!transposed) right_k = b->shape[b->rank - 2];
    }
    if (product->k != right_k) {
        return call_fail(call, "the shapes %s and %s do not fit: the inner sizes are %lld and %lld",
                         shape_text(call->arena, a->rank, a->shape),
                         shape_text(call->arena, b->rank, b->shape), (long long)product->k,
                         (long long)right_k);
    }
    TensorType batch_a = tensor_type(a->dtype, a->rank > 2 ? a->rank - 2 : 0, a->shape);
    TensorType batch_b = tensor_type(b->dtype, b->rank > 2 ? b->rank - 2 : 0, b->shape);
    return broadcast_shape(call, &product->batch, product->batch_shape, &batch_a) &&
           broadcast_shape(call, &product->batch, product->batch_shape, &batch_b);
}

Value *value_product(Call *call, Value *left, Value *right, bool transposed, Value *bias) {
    Product product;
    if (!plan_product(call, left, right, transposed, &product)) return NULL;
    return build_product(call, &product, bias);
}

static bool need_rank(Call *call, const char *name, const Value *value, int rank) {
    if (value->type.rank == rank) return true;
    return call_fail(call, "%s must have %d dimensions, it is %s", name, rank,
                     tensor_type_text(call->arena, &value->type));
}

/* input [..., k] times weight [n, k]: the leading dimensions are like rows. */
static bool emit_linear(Call *call) {
    Value *input = call_tensor(call, "input"), *weight = call_tensor(call, "weight");
    Value *bias = call_tensor(call, "bias");
    Product product;
    if (weight->type.rank == 1) return call_fail(call, "a weight of rank 1 is not supported");
    if (!need_rank(call, "weight", weight, 2)) return false;
    if (!plan_product(call, input, weight, true, &product)) return false;
    if (bias && (bias->type.rank > 1 || (bias->type.rank && bias->type.shape[0] != product.n))) {
        return call_fail(call, "bias %s does not fit weight %s",
                         tensor_type_text(call->arena, &bias->type),
                         tensor_type_text(call->arena, &weight->type));
    }
    Value *result = build_product(call, &product, bias);
    return result && call_result(call, 0, result);
}

static bool emit_product(Call *call, const char *left, const char *right, int rank) {
    Value *a = call_tensor(call, left), *b = call_tensor(call, right);
    Product product;
    if (rank && (!need_rank(call, left, a, rank) || !need_rank(call, right, b, rank))) return false;
    if (rank == 3 && a->type.shape[0] != b->type.shape[0]) {
        return call_fail(call, "the batch sizes %lld and %lld differ", (long long)a->type.shape[0],
                         (long long)b->type.shape[0]);
    }
    if (!plan_product(call, a, b, false, &product)) return false;
    Value *result = build_product(call, &product, NULL);
    return result && call_result(call, 0, result);
}

/* mm, bmm and mv state their ranks, matmul does not. */
static bool emit_matmul(Call *call) {
    static const char *const right[] = {"other", NULL, "mat2", "mat2"};
    return emit_product(call, "self", right[call->operation->option], call->operation->option);
}

static bool emit_mv(Call *call) {
    return need_rank(call, "vec", call_tensor(call, "vec"), 1) &&
           need_rank(call, "self", call_tensor(call, "self"), 2) &&
           emit_product(call, "self", "vec", 0);
}

static bool emit_dot(Call *call) {
    return need_rank(call, "self", call_tensor(call, "self"), 1) &&
           need_rank(call, "tensor", call_tensor(call, "tensor"), 1) &&
           emit_product(call, "self", "tensor", 0);
}

/* beta * self + alpha * (left @ right) */
static MlirValue mix_body(Call *call, Builder *body, Dtype dtype, const MlirValue *x) {
    MlirValue alpha = scalar_number(body, dtype, call_number(call, "alpha"));
    MlirValue beta = scalar_number(body, dtype, call_number(call, "beta"));
    MlirValue product = scalar_op(body, SCALAR_MULTIPLY, dtype, x[0], alpha);
    MlirValue bias = scalar_op(body, SCALAR_MULTIPLY, dtype, x[1], beta);
    return scalar_op(body, SCALAR_ADD, dtype, product, bias);
}

static bool emit_addmm(Call *call) {
    bool batched = call->operation->option == 3;
    Value *self = call_tensor(call, "self");
    Value *left = call_tensor(call, batched ? "batch1" : "mat1");
    Value *right = call_tensor(call, batched ? "batch2" : "mat2");
    Number alpha = call_number(call, "alpha"), beta = call_number(call, "beta");
    int rank = call->operation->option;
    Product product;
    if (!need_rank(call, "the left matrix", left, rank)) return false;
    if (!need_rank(call, "the right matrix", right, rank)) return false;
    if (!plan_product(call, left, right, false, &product)) return false;
    int64_t shape[] = {product.m, product.n, 0};
    if (batched) shape[0] = product.batch_shape[0], shape[1] = product.m, shape[2] = product.n;
    int result_rank = rank;
    if (!broadcast_shape(call, &result_rank, shape, &self->type)) return false;
    if (alpha.real == 1 && beta.real == 1) {
        Value *result = build_product(call, &product, self);
        return result && call_result(call, 0, result);
    }
    Value *plain = build_product(call, &product, NULL);
    if (!plain) return false;
    /* A beta of 0 ignores self, even its NaN. */
    if (beta.real == 0) self = value_of_number(call->arena, number_of_integer(0));
    Value *values[] = {plain, self};
    Value *result = element_wise(call, 2, values, plain->type.dtype, ELEMENT_WIDE, mix_body);
    return result && call_result(call, 0, result);
}

const Operation linear_operations[] = {
    {"aten.linear.default", "(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
     .emit = emit_linear},
    {"aten.matmul.default", "(Tensor self, Tensor other) -> Tensor", .emit = emit_matmul},
    {"aten.mm.default", "(Tensor self, Tensor mat2) -> Tensor", .emit = emit_matmul, .option = 2},
    {"aten.bmm.default", "(Tensor self, Tensor mat2) -> Tensor", .emit = emit_matmul, .option = 3},
    {"aten.mv.default", "(Tensor self, Tensor vec) -> Tensor", .emit = emit_mv},
    {"aten.dot.default", "(Tensor self, Tensor tensor) -> Tensor", .emit = emit_dot},
    {"aten.addmm.default",
     "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     .emit = emit_addmm, .option = 2},
    {"aten.baddbmm.default",
     "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     .emit = emit_addmm, .option = 3},
    {.name = NULL},
};
