/* Scalar types and conversions, against the compiler's own arithmetic. */
#include "unit.h"

#include <math.h>

#include "base/number.h"

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_f32(double value) {
    Bits ours = bits_from_double(SCALAR_F32, value);
    if (isnan(value)) {
        assert_true(bits_is_nan(SCALAR_F32, ours));
        return;
    }
    volatile float cast = (float)value;
    if (ours != float_bits(cast))
        fail_msg("%a: %08x instead of %08x", value, (unsigned)ours, float_bits(cast));
    assert_true(bits_of(bits_to_double(SCALAR_F32, ours)) == bits_of((double)cast));
}

static void f32_rounds_as_the_compiler_does(void **state) {
    (void)state;
    for (int i = 0; i < 2000000; i++) check_f32(double_of(random_bits()));
    /* Exponents where f32 is subnormal, normal or overflows; few bits set, so that ties occur. */
    for (int i = 0; i < 2000000; i++) {
        uint64_t exponent = 1023 - 160 + random_bits() % 300;
        uint64_t fraction = (random_bits() & random_bits() & random_bits()) >> 12;
        if (i % 2) fraction &= ~(uint64_t)0 << (random_bits() % 40);
        check_f32(double_of((random_bits() & 1) << 63 | exponent << 52 | fraction));
    }
    static const double corners[] = {0.0,
                                     -0.0,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     0x1p-149,
                                     0x1p-150,
                                     0x1.8p-150,
                                     -0x1.000002p-150,
                                     0x1.fffffep127,
                                     0x1.ffffffp127,
                                     0x1.fffffefffffffp127,
                                     0x1p128,
                                     0x1.fffffcp-127,
                                     0x1.fffffep-127,
                                     0x1.ffffffp-127,
                                     0x1p-1074,
                                     0x1p-1022};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) check_f32(corners[i]);
}

/* The value of a 16-bit float by its definition. */
static double value_of_half(int exponent_width, unsigned bits) {
    int fraction_width = 15 - exponent_width, bias = (1 << (exponent_width - 1)) - 1;
    int exponent = (int)(bits >> fraction_width) & ((1 << exponent_width) - 1);
    double fraction = bits & ((1u << fraction_width) - 1);
    double value = exponent
                       ? ldexp(fraction + (1 << fraction_width), exponent - bias - fraction_width)
                       : ldexp(fraction, 1 - bias - fraction_width);
    return bits & 0x8000 ? -value : value;
}

static void check_bits(Scalar type, double value, Bits wanted) {
    Bits ours = bits_from_double(type, value);
    if (ours != wanted)
        fail_msg("%s %a: %04x instead of %04x", scalar_name(type), value, (unsigned)ours,
                 (unsigned)wanted);
}

/* Every value, and both sides of and exactly at every boundary between neighbours. */
static void check_half_type(Scalar type) {
    unsigned infinity = (unsigned)bits_mask(type.exponent) << (15 - type.exponent);
    for (unsigned bits = 0; bits < infinity; bits++) {
        double value = value_of_half(type.exponent, bits);
        double next = value_of_half(type.exponent, bits + 1);
        double middle = (value + next) / 2;
        for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
            double factor = sign ? -1 : 1;
            assert_true(bits_of(bits_to_double(type, bits | sign)) == bits_of(value * factor));
            check_bits(type, value * factor, bits | sign);
            check_bits(type, middle * factor, (bits + (bits & 1)) | sign);
            check_bits(type, nextafter(middle, 0) * factor, bits | sign);
            check_bits(type, nextafter(middle, INFINITY) * factor, (bits + 1) | sign);
        }
    }
    check_bits(type, INFINITY, infinity);
    check_bits(type, -INFINITY, infinity | 0x8000);
    check_bits(type, 1e300, infinity);
    check_bits(type, 0x1p-1074, 0);
    assert_true(isinf(bits_to_double(type, infinity)));
    for (unsigned bits = infinity + 1; bits < 0x8000; bits++) {
        assert_true(isnan(bits_to_double(type, bits)) && bits_is_nan(type, bits));
        assert_true(bits_is_nan(type, bits_from_double(type, bits_to_double(type, bits))));
    }
    assert_false(bits_is_nan(type, infinity) || bits_is_nan(type, 0x8000 | infinity));
}

static void f16_and_bf16_are_right_everywhere(void **state) {
    (void)state;
    check_half_type(SCALAR_F16);
    check_half_type(SCALAR_BF16);
}

static void f64_is_unchanged(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = random_bits();
        if (isnan(double_of(bits))) continue;
        assert_true(bits_from_double(SCALAR_F64, double_of(bits)) == bits);
        assert_true(bits_of(bits_to_double(SCALAR_F64, bits)) == bits);
    }
    assert_true(bits_of(bits_to_double(SCALAR_F64, 1)) == 1); /* subnormal */
}

static void names_of_types(void **state) {
    (void)state;
    Scalar type;
    for (int width = 1; width <= 64; width++) {
        assert_true(scalar_parse(scalar_name(SCALAR_I(width)), &type));
        assert_true(scalar_equal(type, SCALAR_I(width)));
    }
    static const char *const names[] = {"f16", "bf16", "f32", "f64"};
    for (int i = 0; i < 4; i++) {
        assert_true(scalar_parse(names[i], &type));
        assert_string_equal(scalar_name(type), names[i]);
    }
    assert_true(scalar_parse("index", &type) && scalar_equal(type, SCALAR_I(64)));
    assert_false(scalar_parse("i0", &type) || scalar_parse("i65", &type) ||
                 scalar_parse("i08", &type) || scalar_parse("", &type) ||
                 scalar_parse("f8", &type));
    assert_false(scalar_equal(SCALAR_F16, SCALAR_BF16) || scalar_equal(SCALAR_F32, SCALAR_I(32)));
}

static void elements_of_arrays(void **state) {
    (void)state;
    static const struct {
        int width;
        size_t bytes;
    } sizes[] = {{1, 1}, {8, 1}, {9, 2}, {16, 2}, {17, 4}, {32, 4}, {33, 8}, {64, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Scalar type = SCALAR_I(sizes[i].width);
        assert_int_equal(scalar_bytes(type), sizes[i].bytes);
        unsigned char array[32];
        memset(array, 0xaa, sizeof array);
        bits_store(type, array, 1, ~(Bits)0);
        assert_true(bits_load(type, array, 1) == bits_mask(type.width));
        assert_int_equal(array[sizes[i].bytes - 1], 0xaa);
        assert_int_equal(array[2 * sizes[i].bytes], 0xaa);
    }
    float values[] = {1.5f, -2.0f};
    assert_true(bits_load(SCALAR_F32, values, 1) == 0xc0000000u);
}

static void signs_and_sizes(void **state) {
    (void)state;
    assert_true(bits_signed(1, 1) == -1 && bits_signed(8, 0x80) == -128);
    assert_true(bits_signed(8, 0x17f) == 127 && bits_signed(64, ~(Bits)0) == -1);
    assert_true(bits_mask(0) == 0 && bits_mask(1) == 1 && bits_mask(64) == ~(Bits)0);
    assert_true(bits_to_count(0) == 1 && bits_to_count(1) == 1 && bits_to_count(2) == 1);
    assert_true(bits_to_count(3) == 2 && bits_to_count(4) == 2 && bits_to_count(5) == 3);
    assert_true(bits_to_count(UINT64_MAX) == 64 && bits_to_count((uint64_t)1 << 63) == 63);
}

static void bits_that_vary(void **state) {
    (void)state;
    assert_int_equal(bits_varying((uint32_t[]){0x3f800000, 0x3f800001, 0xbf800002}, 3, 4), 3);
    assert_int_equal(bits_varying((uint8_t[]){7, 7, 7}, 3, 1), 0);
    assert_int_equal(bits_varying((uint64_t[]){0, UINT64_MAX}, 2, 8), 64);
    assert_int_equal(bits_varying(NULL, 0, 4), 0);
}

static void shapes(void **state) {
    (void)state;
    size_t size;
    assert_true(shape_elements(0, NULL, &size) && size == 1);
    assert_true(shape_elements(3, (int64_t[]){2, 3, 4}, &size) && size == 24);
    assert_true(shape_elements(2, (int64_t[]){INT64_MAX, 0}, &size) && size == 0);
    assert_false(shape_elements(2, (int64_t[]){0, -1}, &size));
    assert_false(shape_elements(3, (int64_t[]){INT64_MAX, INT64_MAX, 2}, &size));
    assert_false(shape_elements(2, (int64_t[]){INT64_MAX, 2}, &size));
    assert_true(shape_bytes(SCALAR_F32, 2, (int64_t[]){3, 5}, &size) && size == 60);
    assert_false(shape_bytes(SCALAR_F64, 1, (int64_t[]){INT64_MAX / 4}, &size));
    assert_false(size_add(SIZE_MAX, 1, &size) || size_multiply(SIZE_MAX, 2, &size));
    assert_true(size_add(SIZE_MAX, 0, &size) && size_multiply(SIZE_MAX, 0, &size) && size == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_rounds_as_the_compiler_does),
        cmocka_unit_test(f16_and_bf16_are_right_everywhere),
        cmocka_unit_test(f64_is_unchanged),
        cmocka_unit_test(names_of_types),
        cmocka_unit_test(elements_of_arrays),
        cmocka_unit_test(signs_and_sizes),
        cmocka_unit_test(bits_that_vary),
        cmocka_unit_test(shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
