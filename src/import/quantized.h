/* Tensors of real numbers that are known as integers: what a quantized model computes with.
 *
 * A dequantized tensor, a sum of products of such tensors and the sum of two of them are kept in
 * this form, so that the quantization that follows works on integers alone. Nothing is computed in
 * floats until an operation without an integer form asks for the tensor (value_mlir). */
#ifndef TEPAL_IMPORT_QUANTIZED_H
#define TEPAL_IMPORT_QUANTIZED_H

#include "import/call.h"

enum { MAX_TERMS = 4 };

/* scale * (integer - zero), with a scale and a zero for each channel. */
typedef struct Term {
    Value *integers;   /* of the whole's shape, or broadcast to it; int8, uint8, int16 or int32 */
    int64_t low, high; /* of its elements */
    const double *scales;
    const int64_t *zeros;
} Term;

/* A float32 tensor: the sum of the terms and of the channel's offset, then clamped. */
typedef struct Quantized {
    int term_count;
    Term terms[MAX_TERMS];
    int axis, channels; /* a channel for each place along dimension `axis`, or 1 channel in all */
    const double *offsets; /* for each channel */
    double low, high;      /* infinities: not clamped */
} Quantized;

/* A float32 value of this shape in integer form. */
Value *value_quantized(Arena *arena, int rank, const int64_t *shape, const Quantized *quantized);

/* Computes a value in floats: float(integer - zero) * scale, terms and offset added in order. */
MlirValue quantized_mlir(Builder *builder, Arena *arena, const Value *value);

/* One term of 8 bits with one scale, without offset or clamp: a dequantized activation. NULL for
 * any other value. */
const Term *quantized_activation(const Value *value);

/* --- products with constant weights --- */

typedef struct IntegerProduct {
    Term input;    /* the activation */
    Value *weight; /* int8 or int16, the zero taken off */
    int channels; /* results of different scales: one for each place of the weight's channel axis */
    double *scales;  /* of input times weight, for each channel */
    double *offsets; /* the bias */
} IntegerProduct;

/* The factors of input * weight + bias as integers; `axis` is the weight's channel axis, bias NULL
 * or a constant for each channel. False if one of them is not known so. */
bool integer_product(Call *call, const Value *input, Value *weight, Value *bias, int axis,
                     IntegerProduct *product);

/* The result of a product: `sums` are the int32 sums of integer * weight, with the input's zero in
 * place of padding. `axis` is its channel dimension; `weight_axis` that of product->weight. */
Value *integer_product_result(Call *call, const IntegerProduct *product, int weight_axis, int rank,
                              const int64_t *shape, int axis, MlirValue sums);
/* True if no sum can leave int32. */
bool integer_product_fits(Call *call, const IntegerProduct *product, int weight_axis);

/* --- quantization --- */

/* clamp(round(value / scale) + zero, low, high) with integers; NULL if 64 bits are too few. */
Value *requantize(Call *call, const Value *value, double scale, int64_t zero, int64_t low,
                  int64_t high, Dtype dtype);

/* --- integer forms of operations (Operation.integers) --- */

/* Operations that move elements or choose among them: the same on the integers. */
bool integers_move(Call *call);
/* relu, relu6, hardtanh and clamp with numbers. */
bool integers_clamp(Call *call);
/* self + alpha * other, or minus. */
bool integers_add(Call *call);
/* self * other, which may broadcast. */
bool integers_multiply(Call *call);

/* Sums of `count` integers of a plain dequantized tensor each, zeros of padding among them, as the
 * average by `divisor`. Sums of more than fit into int32 must not come here. */
Value *integers_average(Call *call, const Quantized *from, Value *sums, double count,
                        double divisor);
/* A plain dequantized tensor, of any integers and one scale; NULL for any other value. */
const Quantized *quantized_plain(const Value *value);

#endif
