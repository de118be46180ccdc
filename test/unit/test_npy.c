/* .npy files: every type is read back as it was written; other types are refused with both names.
 */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "import/import.h"

static const Tensor types[] = {
    {.type = {SCALAR_FLOAT, 16, 5}},
    {.type = {SCALAR_FLOAT, 16, 8}},
    {.type = {SCALAR_FLOAT, 32, 8}},
    {.type = {SCALAR_FLOAT, 64, 11}},
    {.type = {SCALAR_INTEGER, 8, 0}},
    {.type = {SCALAR_INTEGER, 16, 0}},
    {.type = {SCALAR_INTEGER, 32, 0}},
    {.type = {SCALAR_INTEGER, 64, 0}},
    {.type = {SCALAR_INTEGER, 8, 0}, .is_unsigned = true},
    {.type = {SCALAR_INTEGER, 64, 0}, .is_unsigned = true},
    {.type = {SCALAR_INTEGER, 1, 0}, .is_bool = true},
};

/* A tensor of this type and shape, its bytes counting up. */
static Tensor counted(Arena *arena, Tensor type, int rank, const int64_t *shape) {
    type.name = "x";
    type.rank = rank;
    for (int i = 0; i < rank; i++) type.shape[i] = shape[i];
    assert_true(shape_elements(rank, shape, &type.elements));
    size_t size = type.elements * scalar_bytes(type.type);
    unsigned char *bytes = arena_alloc(arena, size + 1);
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(type.is_bool ? i % 2 : i * 7);
    type.data = bytes;
    return type;
}

static const char *scratch(void) {
    static char path[] = "/tmp/tepal_npy_XXXXXX";
    static bool made;
    if (!made) {
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        made = true;
    }
    return path;
}

static void all_types_survive(void **state) {
    Unit *unit = *state;
    static const int64_t shape[] = {3, 1, 5};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (int rank = 0; rank <= 3; rank++) {
            Tensor written = counted(unit->arena, types[i], rank, shape), read;
            assert_true(npy_write(unit->arena, unit->diagnostics, scratch(), &written));
            assert_true(npy_read(unit->arena, unit->diagnostics, scratch(), &written, &read));
            assert_int_equal(read.elements, written.elements);
            assert_memory_equal(read.data, written.data,
                                written.elements * scalar_bytes(written.type));
        }
    }
}

static void data_starts_at_a_multiple_of_64(void **state) {
    Unit *unit = *state;
    static const int64_t shape[] = {2, 2};
    Tensor tensor = counted(unit->arena, types[2], 2, shape);
    char *bytes;
    size_t length;
    assert_true(npy_write(unit->arena, unit->diagnostics, scratch(), &tensor));
    assert_true(file_read(unit->arena, unit->diagnostics, scratch(), 4096, &bytes, &length));
    assert_int_equal((length - 16) % 64, 0);
    assert_int_equal(bytes[length - 17], '\n');
}

static void other_types_are_refused(void **state) {
    Unit *unit = *state;
    static const int64_t shape[] = {2, 2}, other[] = {4};
    Tensor single = counted(unit->arena, types[2], 2, shape), read;
    Tensor whole = counted(unit->arena, types[6], 2, shape);
    Tensor flat = counted(unit->arena, types[2], 1, other);
    assert_true(npy_write(unit->arena, unit->diagnostics, scratch(), &single));
    assert_false(npy_read(unit->arena, unit->diagnostics, scratch(), &whole, &read));
    assert_contains(unit_messages(unit), "x is i32[2, 2], the file has f32[2, 2]");
    assert_false(npy_read(unit->arena, unit->diagnostics, scratch(), &flat, &read));
    assert_contains(unit_messages(unit), "x is f32[4], the file has f32[2, 2]");
    assert_int_equal(diagnostics_status(unit->diagnostics), STATUS_INPUT);
    unlink(scratch());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(all_types_survive),
        UNIT_TEST(data_starts_at_a_multiple_of_64),
        UNIT_TEST(other_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
