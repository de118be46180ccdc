/* Arena and vectors. */
#include "unit.h"

#include "base/vector.h"

static bool all_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

static void blocks_are_zeroed_aligned_and_apart(void **state) {
    Unit *unit = *state;
    unsigned char *blocks[3000];
    for (size_t i = 0; i < 3000; i++) {
        size_t size = i * 7 % 1000;
        blocks[i] = arena_alloc(unit->arena, size);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        assert_true(all_zero(blocks[i], size));
        memset(blocks[i], (int)(i % 255 + 1), size);
    }
    for (size_t i = 0; i < 3000; i++)
        for (size_t j = 0; j < i * 7 % 1000; j++) assert_int_equal(blocks[i][j], i % 255 + 1);
}

static void large_blocks_do_not_end_the_current_chunk(void **state) {
    Unit *unit = *state;
    char *before = arena_alloc(unit->arena, 16);
    unsigned char *large = arena_alloc(unit->arena, 40 << 20);
    assert_true(all_zero(large, 40 << 20));
    char *after = arena_alloc(unit->arena, 16);
    assert_ptr_equal(after, before + 16);
    assert_true(arena_used(unit->arena) >= (40 << 20) + 32);
}

static void copies(void **state) {
    Unit *unit = *state;
    assert_string_equal(arena_string(unit->arena, "calyx"), "calyx");
    assert_string_equal(arena_string_of(unit->arena, "calyx", 3), "cal");
    assert_string_equal(arena_string_of(unit->arena, NULL, 0), "");
    assert_memory_equal(arena_copy(unit->arena, "a\0b", 3), "a\0b", 3);
    assert_non_null(arena_copy(unit->arena, NULL, 0));
}

static void vector_grows_and_keeps_items(void **state) {
    Unit *unit = *state;
    Vector(int) numbers = {0};
    for (int i = 0; i < 10000; i++) vector_push(unit->arena, &numbers, i * 3);
    assert_int_equal(numbers.count, 10000);
    assert_true(numbers.capacity >= numbers.count);
    for (int i = 0; i < 10000; i++) assert_int_equal(numbers.items[i], i * 3);
}

static void vector_of_structs(void **state) {
    Unit *unit = *state;
    typedef struct Pair {
        char key;
        double value;
    } Pair;
    Vector(Pair) pairs = {0};
    for (int i = 0; i < 100; i++) vector_push(unit->arena, &pairs, (Pair){(char)i, i / 2.0});
    assert_true(pairs.items[99].value == 49.5 && pairs.items[99].key == 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(blocks_are_zeroed_aligned_and_apart),
        UNIT_TEST(large_blocks_do_not_end_the_current_chunk),
        UNIT_TEST(copies),
        UNIT_TEST(vector_grows_and_keeps_items),
        UNIT_TEST(vector_of_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
