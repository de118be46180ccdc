/* The table of operations: every row's schema parses, names are unique, and what a row ignores is
 * one of its arguments. */
#include "unit.h"

#include "import/operations.h"

static void every_schema_parses(void **state) {
    Unit *unit = *state;
    Table table = table_new(unit->arena);
    assert_true(table.rows.count > 250);
    for (int i = 0; i < table.rows.count; i++) {
        const Operation *row = table.rows.items[i];
        Schema schema;
        if (!schema_parse(unit->arena, row->schema, &schema)) fail_msg("%s: bad schema", row->name);
        if (!row->emit) fail_msg("%s: no emit function", row->name);
    }
}

static void names_are_unique(void **state) {
    Unit *unit = *state;
    Table table = table_new(unit->arena);
    Map names = map_new(unit->arena);
    for (int i = 0; i < table.rows.count; i++) {
        const char *name = table.rows.items[i]->name;
        if (!map_add(&names, name, i)) fail_msg("%s: two rows", name);
    }
}

static void in_place_names_are_found(void **state) {
    Unit *unit = *state;
    Table table = table_new(unit->arena);
    bool in_place;
    assert_string_equal(table_find(&table, "torch.ops.aten.add_.Tensor", &in_place)->name,
                        "aten.add.Tensor");
    assert_true(in_place);
    assert_string_equal(table_find(&table, "torch.ops.aten.__and__.Tensor", &in_place)->name,
                        "aten.__and__.Tensor");
    assert_false(in_place);
    assert_null(table_find(&table, "aten.add.Tensor", &in_place));
    assert_null(table_find(&table, "torch.ops._", &in_place));
    assert_string_equal(advice_for(&table, "torch.ops.aten.relu.other"),
                        "aten.relu.default is supported");
    
}

static void defaults_have_their_normal_form(void **state) {
    Unit *unit = *state;
    Schema schema;
    assert_true(schema_parse(unit->arena,
                             "(Tensor(a) self, int[2] stride=1, int[2] step=[], float eps=1e-05, "
                             "*, str mode='none', Tensor? bias=None, Tensor?[] rest) -> Tensor(a)",
                             &schema));
    assert_int_equal(schema.count, 7);
    assert_true(schema.is_view);
    assert_int_equal(schema.parameters[1].fallback.count, 2);
    assert_int_equal(schema.parameters[1].fallback.integers[1], 1);
    assert_int_equal(schema.parameters[2].fallback.count, 0);
    assert_true(schema.parameters[3].fallback.number == 1e-5);
    assert_string_equal(schema.parameters[4].fallback.string, "none");
    assert_true(schema.parameters[5].is_optional);
    assert_true(schema.parameters[6].has_holes);
    assert_false(schema_parse(unit->arena, "(Tensor self", &schema));
    assert_false(schema_parse(unit->arena, "(Thing self) -> Tensor", &schema));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(every_schema_parses),
        UNIT_TEST(names_are_unique),
        UNIT_TEST(in_place_names_are_found),
        UNIT_TEST(defaults_have_their_normal_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
