/* Scalar types of tensors and values, checked sizes, and exact conversions. */
#ifndef TEPAL_BASE_NUMBER_H
#define TEPAL_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A scalar type. Integers are signless, as in MLIR: operations choose the sign. */
typedef enum ScalarKind { SCALAR_INTEGER, SCALAR_FLOAT } ScalarKind;

typedef struct Scalar {
    ScalarKind kind;
    int width;    /* bits, 1 to 64 */
    int exponent; /* bits of the exponent field of a float, else 0 */
} Scalar;

#define SCALAR_I(bits) ((Scalar){SCALAR_INTEGER, (bits), 0})
#define SCALAR_F16     ((Scalar){SCALAR_FLOAT, 16, 5})
#define SCALAR_BF16    ((Scalar){SCALAR_FLOAT, 16, 8})
#define SCALAR_F32     ((Scalar){SCALAR_FLOAT, 32, 8})
#define SCALAR_F64     ((Scalar){SCALAR_FLOAT, 64, 11})

bool scalar_equal(Scalar a, Scalar b);
/* "f32", "bf16", "i8" ... */
const char *scalar_name(Scalar type);
/* The type of an MLIR or report name; false if there is none. */
bool scalar_parse(const char *name, Scalar *type);
/* Bytes of one element in a dense array: i1 takes one, i17 four. */
size_t scalar_bytes(Scalar type);

/* A value of any scalar type as its bits, zero-extended. */
typedef uint64_t Bits;
Bits bits_mask(int width);
double bits_to_double(Scalar type, Bits bits);    /* exact, for float types */
Bits bits_from_double(Scalar type, double value); /* rounds to nearest even, for float types */
int64_t bits_signed(int width, Bits bits);
/* NaN of a float type, of any payload. */
bool bits_is_nan(Scalar type, Bits bits);
/* Reads and writes element `index` of a dense array of `type`. */
Bits bits_load(Scalar type, const void *array, size_t index);
void bits_store(Scalar type, void *array, size_t index, Bits bits);

/* False when the result does not fit. */
bool size_multiply(size_t a, size_t b, size_t *product);
bool size_add(size_t a, size_t b, size_t *sum);
/* Number of elements and bytes of a shape; false if negative or too large to count. */
bool shape_elements(int rank, const int64_t *shape, size_t *elements);
bool shape_bytes(Scalar type, int rank, const int64_t *shape, size_t *bytes);

/* The quotient rounded down; b is not 0. */
int64_t floor_divide(int64_t a, int64_t b);
/* Not negative; 0 only if both are. */
int64_t greatest_common_divisor(int64_t a, int64_t b);

/* How many bits of a word are not the same in all of `count` words of `bytes` bytes, at most 8. */
int bits_varying(const void *words, size_t count, size_t bytes);

/* Bits to count 0 .. count-1, at least 1. */
int bits_to_count(uint64_t count);

#endif
