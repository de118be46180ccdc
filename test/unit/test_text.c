/* Growable strings, identifiers, safe forms of foreign text, and files. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static void text_grows(void **state) {
    Unit *unit = *state;
    Text text = text_new(unit->arena);
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++) text_printf(&text, "%d,", i);
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(text_string(&text)), text.length);
    assert_true(string_ends(text_string(&text), "998,999,"));
    text_append_bytes(&text, "x\0y", 3);
    assert_memory_equal(text.chars + text.length - 3, "x\0y", 4);
}

static void printf_at_every_fill(void **state) {
    Unit *unit = *state;
    for (int fill = 0; fill < 100; fill++) {
        Text text = text_new(unit->arena);
        for (int i = 0; i < fill; i++) text_append(&text, "a");
        text_printf(&text, "%s", "0123456789");
        assert_int_equal(text.length, fill + 10);
        assert_string_equal(text_string(&text) + fill, "0123456789");
    }
    assert_string_equal(string_format(unit->arena, "%s", ""), "");
}

static void identifiers(void **state) {
    Unit *unit = *state;
    static const char *const pairs[][2] = {
        {"x", "x"},
        {"layer1.0.conv-weight", "layer1_0_conv_weight"},
        {"a::b", "a_b"},
        {"a__b", "a__b"},
        {"_private", "_private"},
        {"0", "_0"},
        {"9.1", "_9_1"},
        {"", "unnamed"},
        {"...", "unnamed"},
        {"___", "unnamed"},
        {"gr\xc3\xbc\xc3\x9f", "gr_"},
        {"\xff\xfe", "unnamed"},
        {"reg", "reg_"},
        {"output", "output_"},
        {"always_ff", "always_ff_"},
        {"component", "component_"},
        {"go", "go_"},
        {"clk", "clk_"},
        {"class", "class_"},
        {"xor", "xor_"},
        {"accept_on", "accept_on_"},
        {"Reg", "Reg"},
        {"x\n; endmodule", "x_endmodule"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(string_identifier(unit->arena, pairs[i][0]), pairs[i][1]);
    char longest[500];
    memset(longest, 'q', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(strlen(string_identifier(unit->arena, longest)), 60);
}

static void names_are_unique(void **state) {
    Unit *unit = *state;
    NameSet *names = names_new(unit->arena);
    assert_string_equal(names_unique(names, "x"), "x");
    assert_string_equal(names_unique(names, "x_1"), "x_1");
    assert_string_equal(names_unique(names, "x"), "x_2");
    assert_string_equal(names_unique(names, "x"), "x_3");
    assert_string_equal(names_unique(names, "x.1"), "x_1_1");
    assert_string_equal(names_unique(names, "reg"), "reg_");
    char longest[100] = {0};
    memset(longest, 'q', sizeof longest - 1);
    NameSet *seen = names_new(unit->arena);
    for (int i = 0; i < 5000; i++) {
        char *name = names_unique(names, longest);
        assert_true(strlen(name) <= 60);
        assert_string_equal(names_unique(seen, name), name);
    }
}

static void printable(void **state) {
    Unit *unit = *state;
    static const char *const pairs[][2] = {
        {"plain text", "plain text"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\xb8",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\xb8"},
        {"a\nb\x1b[31m", "a\\x0Ab\\x1B[31m"},
        {"\xff", "\\xFF"},
        {"\xc3", "\\xC3"},                            /* cut short */
        {"\xc0\xaf", "\\xC0\\xAF"},                   /* overlong */
        {"\xed\xa0\x80", "\\xED\\xA0\\x80"},          /* surrogate */
        {"\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"}, /* beyond Unicode */
        {"\xe2\x80\xae", "\\xE2\\x80\\xAE"},          /* right-to-left override */
        {"\xc2\x9b", "\\xC2\\x9B"},                   /* C1 control */
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(string_printable(unit->arena, pairs[i][0], 100), pairs[i][1]);
    assert_string_equal(string_printable(unit->arena, "abcdef", 3), "abc...");
    assert_string_equal(string_printable(unit->arena, "abc", 3), "abc");
    assert_string_equal(string_printable(unit->arena, "ab\xc3\xbc", 3), "ab...");
}

static void json(void **state) {
    Unit *unit = *state;
    assert_string_equal(string_json(unit->arena, "a\"b\\c\n\t\x01"), "a\\\"b\\\\c\\n\\t\\u0001");
    assert_string_equal(string_json(unit->arena, "\xc3\xbc"), "\xc3\xbc");
    assert_string_equal(string_json(unit->arena, "\xff"), "\\ufffd");
    assert_string_equal(string_json(unit->arena, "\xe2\x80\xa8"), "\\u2028");
}

static void prefixes_and_hash(void **state) {
    (void)state;
    assert_true(string_starts("tepal-total", "tepal-") && !string_starts("te", "tepal"));
    assert_true(string_ends("a.pt2", ".pt2") && !string_ends("2", ".pt2"));
    assert_true(hash_bytes(HASH_SEED, "", 0) == 0xcbf29ce484222325u);
    assert_true(hash_bytes(HASH_SEED, "foobar", 6) == 0x85944171f73967e8u);
    assert_true(hash_bytes(hash_bytes(HASH_SEED, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
}

static void files(void **state) {
    Unit *unit = *state;
    char folder[] = "/tmp/tepal-unit-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = string_format(unit->arena, "%s/file", folder);
    assert_true(file_write(unit->diagnostics, path, "a\0b\n", 4));
    char *bytes;
    size_t length;
    assert_true(file_read(unit->arena, unit->diagnostics, path, 4, &bytes, &length));
    assert_int_equal(length, 4);
    assert_memory_equal(bytes, "a\0b\n", 5);
    assert_false(file_read(unit->arena, unit->diagnostics, path, 3, &bytes, &length));
    assert_contains(unit_messages(unit), "larger than the limit of 3 bytes");
    assert_int_equal(diagnostics_status(unit->diagnostics), STATUS_INPUT);
    assert_false(file_read(unit->arena, unit->diagnostics, folder, 100, &bytes, NULL));
    assert_contains(unit_messages(unit), "Is a directory");
    unlink(path);
    assert_false(file_read(unit->arena, unit->diagnostics, path, 100, &bytes, NULL));
    assert_contains(unit_messages(unit), "No such file");
    rmdir(folder);
}

static void a_full_disk_is_an_error(void **state) {
    Unit *unit = *state;
    assert_false(file_write(unit->diagnostics, "/dev/full", "a", 1));
    assert_contains(unit_messages(unit), "/dev/full: error: cannot write the file: No space left");
    assert_int_equal(diagnostics_status(unit->diagnostics), STATUS_TOOL);
    assert_int_equal(access("/dev/full", F_OK), 0); /* a device is not removed */
    assert_true(file_write(unit->diagnostics, "/dev/null", "a", 1));
}

static void files_without_size_are_read(void **state) {
    Unit *unit = *state;
    char *bytes;
    size_t length;
    assert_true(
        file_read(unit->arena, unit->diagnostics, "/proc/self/maps", 1 << 20, &bytes, &length));
    assert_true(length > 1000 && strlen(bytes) == length);
}

static void diagnostics_keep_order_and_first_status(void **state) {
    Unit *unit = *state;
    note(unit->diagnostics, "nothing to note");
    warning_at(unit->diagnostics, "f.mlir:1:2", "odd");
    assert_false(diagnostics_failed(unit->diagnostics));
    assert_false(error_at(unit->diagnostics, STATUS_INPUT, "conv1", "bad %s", "stride\x1b["));
    note(unit->diagnostics, "line 1\nline 2");
    error_at(unit->diagnostics, STATUS_TOOL, NULL, "worse");
    assert_string_equal(unit_messages(unit),
                        "f.mlir:1:2: warning: odd\nconv1: error: bad stride?[\n"
                        "    line 1\n    line 2\ntepal: error: worse\n");
    assert_string_equal(unit_messages(unit), "");
    assert_int_equal(diagnostics_status(unit->diagnostics), STATUS_INPUT);
    assert_int_equal(diagnostics_errors(unit->diagnostics), 2);
}

static void many_errors_are_counted(void **state) {
    Unit *unit = *state;
    for (int i = 0; i < 60; i++) {
        error_at(unit->diagnostics, STATUS_INPUT, NULL, "number %d", i);
        note(unit->diagnostics, "note %d", i);
    }
    const char *text = unit_messages(unit);
    assert_contains(text, "number 49\n    note 49\ntepal: error: 10 further errors not shown\n");
    assert_null(strstr(text, "note 50"));
    assert_string_equal(unit_messages(unit), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(text_grows),
        UNIT_TEST(printf_at_every_fill),
        UNIT_TEST(identifiers),
        UNIT_TEST(names_are_unique),
        UNIT_TEST(printable),
        UNIT_TEST(json),
        UNIT_TEST(prefixes_and_hash),
        UNIT_TEST(files),
        UNIT_TEST(a_full_disk_is_an_error),
        UNIT_TEST(files_without_size_are_read),
        UNIT_TEST(diagnostics_keep_order_and_first_status),
        UNIT_TEST(many_errors_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
