/* Small Calyx programs as native text: compiled by the official Calyx compiler, whose Verilog must
 * give the same results as ours, in nearly as many cycles. Skipped where the compiler is not
 * installed. */
#include "unit.h"
#include "hardware_run.h"
#include "calyx_programs.h"

static const char *compiler(Arena *arena) {
    const char *built = build_file(arena, "calyx/bin/calyx");
    return built ? built : process_found("calyx") ? "calyx" : NULL;
}

/* The simulated memories come out in DATA/result.out. */
static const char bench[] =
    "module bench;\n"
    "    logic clk = 0, reset = 1, go = 0;\n    wire done;\n    integer cycles = 0;\n"
    "    always #5 clk = ~clk;\n"
    "    always @(posedge clk) if (go & ~done) cycles <= cycles + 1;\n"
    "    top dut (.clk(clk), .reset(reset), .go(go), .done(done));\n"
    "    initial begin\n        repeat (2) @(negedge clk);\n        reset = 0;\n"
    "        @(negedge clk);\n        go = 1;\n        while (!done) @(negedge clk);\n"
    "        $display(\"cycles %0d\", cycles);\n        $finish;\n    end\n"
    "    initial #100000 begin $display(\"never done\"); $finish; end\n"
    "endmodule\n";

static void write_memory(Unit *unit, const char *folder, const char *name, bool is_data) {
    Text words = text_new(unit->arena);
    for (int i = 0; i < RESULTS; i++) text_printf(&words, "%04x\n", is_data ? 3 * i + 1 : 0);
    write_text(unit, folder, name, text_string(&words));
}

static void write_program(Unit *unit, const char *folder, const ProgramCase *test) {
    Build b = build_new(unit->arena);
    test->build(&b);
    if (!calyx_check(b.program, unit->diagnostics, test->name)) fail_msg("%s", unit_messages(unit));
    Text program = text_new(unit->arena), image = text_new(unit->arena);
    calyx_print_native(b.program, hardware_folder(unit->arena), &program);
    write_text(unit, folder, "top.futil", text_string(&program));
    for (int i = 0; i < RESULTS; i++) text_printf(&image, "%04x\n", rom_words[i]);
    write_text(unit, folder, "weights.hex", text_string(&image));
}

static void check_results(Unit *unit, const char *folder, const ProgramCase *test) {
    char *bytes;
    if (!file_read(unit->arena, unit->diagnostics,
                   string_format(unit->arena, "%s/result.out", folder), 4096, &bytes, NULL))
        fail_msg("%s: %s", test->name, unit_messages(unit));
    char *line = strtok(bytes, "\n");
    for (int i = 0; i < RESULTS; line = strtok(NULL, "\n")) {
        if (!line) fail_msg("%s: too few words in result.out", test->name);
        if (string_starts(line, "//")) continue; /* Icarus says where the words start */
        unsigned long word = strtoul(line, NULL, 16);
        if (word != test->result[i])
            fail_msg("%s: result[%d] is %lu where %u is expected", test->name, i, word,
                     test->result[i]);
        i++;
    }
}

static void test_official_compiler(void **state) {
    Unit *unit = *state;
    const char *calyx = compiler(unit->arena);
    if (!is_there(calyx && process_found("iverilog"), "calyx or iverilog")) return;
    const char *folder = scratch_folder(unit->arena);
    write_text(unit, folder, "bench.sv", bench);
    for (int i = 0; i < PROGRAM_CASES; i++) {
        const ProgramCase *test = &program_cases[i];
        write_program(unit, folder, test);
        write_memory(unit, folder, "result.dat", false);
        write_memory(unit, folder, "data.dat", true);
        const char *command = string_format(
            unit->arena,
            "%s -l \"$HOME/.calyx\" -b verilog --disable-verify top.futil >top.sv 2>errors ||"
            " { cat errors; exit 1; }\n"
            "iverilog -g2012 -o bench -s bench top.sv bench.sv && ./bench +DATA=.",
            calyx);
        const char *printed = run(unit, folder, command), *cycles = strstr(printed, "cycles ");
        if (!cycles) fail_msg("%s: %s", test->name, printed);
        int count = atoi(cycles + strlen("cycles "));
        check_results(unit, folder, test);
        if (count > test->cycles + test->slack)
            fail_msg("%s takes %d cycles, %d by our count", test->name, count, test->cycles);
    }
    remove_tree(folder);
}

/* --- the text alone --- */

/* A program with one cell of a primitive; its parameters are all 1, but for those that would be too
 * small. */
static void program_of(Build *b, const Primitive *primitive) {
    top_begin(b);
    int64_t parameters[6];
    for (int i = 0; i < primitive->parameter_count; i++)
        parameters[i] = strstr(primitive->parameters[i], "WIDTH") ? 16 : 1;
    int index = cell_add(b->program, b->top, "unit_0", primitive->name, primitive->parameter_count,
                         parameters);
    if (strcmp(primitive->name, "tepal_rom")) return;
    MemoryContents contents = {
        .type = SCALAR_I(WORD), .elements = 1, .data = rom_words, .image = "words.hex"};
    b->top->cells.items[index].memory = b->program->contents.count;
    vector_push(b->program->arena, &b->program->contents, contents);
}

/* Every module of hardware/ that a source named in `text` instantiates must be in it, too. */
static void check_files(Unit *unit, const char *text, const char *source) {
    for (const char *at = source; (at = strstr(at, "tepal_"));) {
        at += strlen("tepal_");
        const char *name =
            arena_string_of(unit->arena, at, strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789"));
        const char *file =
            string_format(unit->arena, "%s/%s.sv", hardware_folder(unit->arena), name);
        if (strncmp(at + strlen(name), " #(", 3) || access(file, R_OK)) continue;
        assert_contains(text, string_format(unit->arena, "extern \"%s\"", file));
    }
}

static void test_files_of_units(void **state) {
    Unit *unit = *state;
    for (int i = 0; i < primitive_count; i++) {
        if (strcmp(primitives[i].library, "tepal")) continue;
        Build b = build_new(unit->arena);
        program_of(&b, &primitives[i]);
        Text text = text_new(unit->arena);
        calyx_print_native(b.program, hardware_folder(unit->arena), &text);
        const char *printed = text_string(&text);
        for (const char *at = printed; (at = strstr(at, "extern \""));) {
            at += strlen("extern \"");
            char *source;
            const char *path = arena_string_of(unit->arena, at, strcspn(at, "\""));
            if (!file_read(unit->arena, unit->diagnostics, path, 1 << 20, &source, NULL))
                fail_msg("%s", unit_messages(unit));
            check_files(unit, printed, source);
        }
    }
}

/* In CIRCT's dialect every value is defined once, and all that are used are defined. */
static void test_values_of_dialect(void **state) {
    Unit *unit = *state;
    for (int i = 0; i < PROGRAM_CASES; i++) {
        Build b = build_new(unit->arena);
        program_cases[i].build(&b);
        Text text = text_new(unit->arena);
        calyx_print_mlir(b.program, &text);
        const char *component = strstr(text_string(&text), "calyx.component @top");
        for (const char *at = component; (at = strchr(at, '%'));) {
            size_t length = 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_.0123456789");
            const char *name = arena_string_of(unit->arena, at, length);
            int definitions = 0;
            for (const char *line = component; line && *line;
                 line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
                const char *end = line + strcspn(line, "\n"), *equals = strstr(line, " = ");
                bool defines = equals && equals < end && line[strspn(line, " ")] == '%';
                bool signature = !strncmp(line, "calyx.component", 15);
                const char *found = strstr(line, name);
                char after = found ? found[length] : 0;
                bool whole = found && found < end && (after == ',' || after == ' ' || after == ':');
                if (whole && ((defines && found < equals) || signature)) definitions++;
            }
            if (definitions != 1)
                fail_msg("%s: %s has %d definitions", program_cases[i].name, name, definitions);
            at += length;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_official_compiler),
        UNIT_TEST(test_files_of_units),
        UNIT_TEST(test_values_of_dialect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
