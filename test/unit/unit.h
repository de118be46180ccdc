/* What every unit test includes: cmocka, and the headers it wants before it. */
#ifndef TEPAL_TEST_UNIT_H
#define TEPAL_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/diagnostic.h"

/* A fresh arena and diagnostics as the state of each test. */
typedef struct Unit {
    Arena *arena;
    Diagnostics *diagnostics;
} Unit;

static inline int unit_setup(void **state) {
    Arena *arena = arena_new();
    Unit *unit = arena_new_of(arena, Unit);
    unit->arena = arena;
    unit->diagnostics = diagnostics_new(arena);
    *state = unit;
    return 0;
}

static inline int unit_teardown(void **state) {
    Unit *unit = *state;
    arena_free(unit->arena);
    return 0;
}

#define UNIT_TEST(function) cmocka_unit_test_setup_teardown(function, unit_setup, unit_teardown)

/* The messages so far, as they would be printed. */
static inline const char *unit_messages(const Unit *unit) {
    FILE *file = tmpfile();
    assert_non_null(file);
    diagnostics_print(unit->diagnostics, file);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = arena_alloc(unit->arena, length + 1);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        if (!strstr((text), (part))) fail_msg("'%s' is not in '%s'", (part), (text));              \
    } while (0)

#endif
