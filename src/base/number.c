/* Scalar types, checked sizes, and conversions that round once. */
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* Names of the integer types by width. */
static const char integer_names[65][4] = {
    "",    "i1",  "i2",  "i3",  "i4",  "i5",  "i6",  "i7",  "i8",  "i9",  "i10", "i11", "i12",
    "i13", "i14", "i15", "i16", "i17", "i18", "i19", "i20", "i21", "i22", "i23", "i24", "i25",
    "i26", "i27", "i28", "i29", "i30", "i31", "i32", "i33", "i34", "i35", "i36", "i37", "i38",
    "i39", "i40", "i41", "i42", "i43", "i44", "i45", "i46", "i47", "i48", "i49", "i50", "i51",
    "i52", "i53", "i54", "i55", "i56", "i57", "i58", "i59", "i60", "i61", "i62", "i63", "i64"};

static const struct {
    const char *name;
    Scalar type;
} float_types[] = {
    {"f16", {SCALAR_FLOAT, 16, 5}},
    {"bf16", {SCALAR_FLOAT, 16, 8}},
    {"f32", {SCALAR_FLOAT, 32, 8}},
    {"f64", {SCALAR_FLOAT, 64, 11}},
};
enum { FLOAT_TYPES = sizeof float_types / sizeof *float_types };

bool scalar_equal(Scalar a, Scalar b) {
    return a.kind == b.kind && a.width == b.width && a.exponent == b.exponent;
}

const char *scalar_name(Scalar type) {
    if (type.kind == SCALAR_INTEGER)
        return type.width >= 1 && type.width <= 64 ? integer_names[type.width] : "integer";
    for (int i = 0; i < FLOAT_TYPES; i++)
        if (scalar_equal(float_types[i].type, type)) return float_types[i].name;
    return "float";
}

bool scalar_parse(const char *name, Scalar *type) {
    for (int i = 0; i < FLOAT_TYPES; i++) {
        if (strcmp(name, float_types[i].name) == 0) {
            *type = float_types[i].type;
            return true;
        }
    }
    for (int width = 1; width <= 64; width++) {
        if (strcmp(name, integer_names[width]) == 0) {
            *type = SCALAR_I(width);
            return true;
        }
    }
    if (strcmp(name, "index") != 0) return false;
    *type = SCALAR_I(64);
    return true;
}

size_t scalar_bytes(Scalar type) {
    return type.width <= 8 ? 1 : type.width <= 16 ? 2 : type.width <= 32 ? 4 : 8;
}

Bits bits_mask(int width) {
    return width <= 0 ? 0 : width >= 64 ? ~(Bits)0 : ((Bits)1 << width) - 1;
}

enum { DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023, DOUBLE_SPECIAL = 2047 };

static double double_of(Bits sign, int exponent_field, Bits fraction) {
    Bits bits = sign << 63 | (Bits)exponent_field << DOUBLE_FRACTION | fraction;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double bits_to_double(Scalar type, Bits bits) {
    int fraction_width = type.width - 1 - type.exponent;
    int special = (int)bits_mask(type.exponent), bias = special / 2;
    int widen = DOUBLE_FRACTION - fraction_width;
    Bits sign = bits >> (type.width - 1) & 1;
    int exponent = (int)(bits >> fraction_width & bits_mask(type.exponent));
    Bits fraction = bits & bits_mask(fraction_width);
    if (exponent == special) return double_of(sign, DOUBLE_SPECIAL, fraction << widen);
    if (exponent == 0) {
        if (fraction == 0 || widen == 0) return double_of(sign, 0, fraction);
        /* A subnormal of a narrower type is a normal double. */
        exponent = 1;
        while (!(fraction >> fraction_width)) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= bits_mask(fraction_width);
    }
    return double_of(sign, exponent - bias + DOUBLE_BIAS, fraction << widen);
}

/* value / 2^shift, rounded to nearest, ties to even. */
static Bits shift_round(Bits value, int shift) {
    if (shift <= 0) return value;
    if (shift > 63) return 0; /* a significand has 53 bits: less than half of one */
    Bits quotient = value >> shift, rest = value & bits_mask(shift);
    Bits half = (Bits)1 << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

Bits bits_from_double(Scalar type, double value) {
    Bits source;
    memcpy(&source, &value, sizeof source);
    int fraction_width = type.width - 1 - type.exponent;
    int special = (int)bits_mask(type.exponent), bias = special / 2;
    int narrow = DOUBLE_FRACTION - fraction_width;
    Bits sign = (source >> 63) << (type.width - 1);
    Bits infinity = (Bits)special << fraction_width;
    int exponent = (int)(source >> DOUBLE_FRACTION & DOUBLE_SPECIAL);
    Bits fraction = source & bits_mask(DOUBLE_FRACTION);
    if (narrow == 0) return source;
    if (exponent == DOUBLE_SPECIAL) {
        if (fraction == 0) return sign | infinity;
        return sign | infinity | (Bits)1 << (fraction_width - 1) | fraction >> narrow;
    }
    if (exponent == 0) return sign; /* a subnormal double is far below half of the least value */
    Bits significand = fraction | (Bits)1 << DOUBLE_FRACTION;
    int field = exponent - DOUBLE_BIAS + bias; /* exponent field in the new type, if normal */
    if (field >= special) return sign | infinity;
    if (field < 1) return sign | shift_round(significand, narrow + 1 - field);
    /* The leading bit adds one to the field; a carry of the rounding adds another, up to infinity.
     */
    return sign | (((Bits)(field - 1) << fraction_width) + shift_round(significand, narrow));
}

int64_t bits_signed(int width, Bits bits) {
    if (width >= 64) return (int64_t)bits;
    Bits top = (Bits)1 << (width - 1);
    return (int64_t)(((bits & bits_mask(width)) ^ top) - top);
}

bool bits_is_nan(Scalar type, Bits bits) {
    if (type.kind != SCALAR_FLOAT) return false;
    int fraction_width = type.width - 1 - type.exponent;
    return (bits & bits_mask(type.width - 1)) > bits_mask(type.exponent) << fraction_width;
}

Bits bits_load(Scalar type, const void *array, size_t index) {
    const unsigned char *element = (const unsigned char *)array + index * scalar_bytes(type);
    uint16_t half;
    uint32_t word;
    uint64_t bits;
    switch (scalar_bytes(type)) {
    case 1: bits = *element; break;
    case 2: bits = (memcpy(&half, element, sizeof half), half); break;
    case 4: bits = (memcpy(&word, element, sizeof word), word); break;
    default: memcpy(&bits, element, sizeof bits); break;
    }
    return bits & bits_mask(type.width);
}

void bits_store(Scalar type, void *array, size_t index, Bits bits) {
    unsigned char *element = (unsigned char *)array + index * scalar_bytes(type);
    bits &= bits_mask(type.width);
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    switch (scalar_bytes(type)) {
    case 1: *element = (unsigned char)bits; break;
    case 2: memcpy(element, &half, sizeof half); break;
    case 4: memcpy(element, &word, sizeof word); break;
    default: memcpy(element, &bits, sizeof bits); break;
    }
}

bool size_multiply(size_t a, size_t b, size_t *product) {
    if (b && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

bool size_add(size_t a, size_t b, size_t *sum) {
    if (a > SIZE_MAX - b) return false;
    *sum = a + b;
    return true;
}

bool shape_elements(int rank, const int64_t *shape, size_t *elements) {
    if (rank < 0) return false;
    size_t product = 1;
    bool empty = false;
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 0) return false;
        if (shape[i] == 0) empty = true;
    }
    for (int i = 0; i < rank && !empty; i++)
        if (!size_multiply(product, (size_t)shape[i], &product)) return false;
    if (product > INT64_MAX) return false;
    *elements = empty ? 0 : product;
    return true;
}

bool shape_bytes(Scalar type, int rank, const int64_t *shape, size_t *bytes) {
    size_t elements;
    return shape_elements(rank, shape, &elements) &&
           size_multiply(elements, scalar_bytes(type), bytes) && *bytes <= INT64_MAX;
}

int bits_varying(const void *words, size_t count, size_t bytes) {
    const unsigned char *all = words;
    unsigned char varying[sizeof(Bits)] = {0};
    for (size_t i = 0; i < count * bytes; i++) varying[i % bytes] |= all[i] ^ all[i % bytes];
    int bits = 0;
    for (size_t i = 0; i < bytes; i++)
        for (unsigned rest = varying[i]; rest; rest &= rest - 1) bits++;
    return bits;
}

int bits_to_count(uint64_t count) {
    int bits = 1;
    while (bits < 64 && count > (uint64_t)1 << bits) bits++;
    return bits;
}

int64_t floor_divide(int64_t a, int64_t b) {
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t greatest_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}
