/* Small Calyx programs as SystemVerilog: simulated in Icarus with expected results and cycle
 * counts; read by Verilator without a warning, and by Yosys. */
#include "unit.h"
#include "hardware_run.h"
#include "calyx_programs.h"
#include "rtl/rtl.h"

static Netlist *netlist_of(Unit *unit, const ProgramCase *test, Build *b) {
    *b = build_new(unit->arena);
    test->build(b);
    if (!calyx_check(b->program, unit->diagnostics, test->name))
        fail_msg("%s", unit_messages(unit));
    Netlist *netlist = rtl_construct(b->program, unit->arena, unit->diagnostics);
    if (!netlist) fail_msg("%s: %s", test->name, unit_messages(unit));
    return netlist;
}

/* Writes `data`, runs twice, reads `result`: "cycles N" and the words, for each run. */
static const char *test_bench(Unit *unit, bool has_data) {
    Text t = text_new(unit->arena);
    text_append(
        &t, "module bench;\n    reg clk = 0, reset = 1, go = 0, write_en = 0;\n    wire done;\n"
            "    reg [2:0] addr = 0;\n    reg [15:0] write_data = 0;\n    wire [15:0] read_data;\n"
            "    integer cycles = 0, i, r;\n    always #5 clk = ~clk;\n"
            "    always @(posedge clk) if (go & ~done) cycles <= cycles + 1;\n"
            "    top dut (.clk(clk), .reset(reset), .go(go), .done(done),\n");
    if (has_data)
        text_append(
            &t,
            "        .data_addr(addr), .data_write_en(write_en), .data_write_data(write_data),\n");
    text_append(
        &t,
        "        .result_addr(addr), .result_read_data(read_data));\n    initial begin\n"
        "        repeat (2) @(negedge clk);\n        reset = 0;\n"
        "        for (i = 0; i < 8; i = i + 1) begin\n"
        "            addr = i; write_data = 3 * i + 1; write_en = 1;\n            @(negedge clk);\n"
        "        end\n        write_en = 0;\n"
        "        for (r = 0; r < 2; r = r + 1) begin\n            cycles = 0; go = 1;\n"
        "            while (!done) @(negedge clk);\n"
        "            $display(\"cycles %0d\", cycles);\n            repeat (3) @(negedge clk);\n"
        "            if (!done) $display(\"done was not held\");\n"
        "            go = 0;\n            @(negedge clk);\n"
        "            if (done) $display(\"done stayed\");\n"
        "            for (i = 0; i < 8; i = i + 1) begin\n                addr = i;\n"
        "                @(negedge clk);\n                $display(\"%0d\", read_data);\n"
        "            end\n            reset = 1; @(negedge clk); reset = 0;\n"
        "        end\n        $finish;\n    end\n"
        "    initial #100000 begin $display(\"never done\"); $finish; end\nendmodule\n");
    return text_string(&t);
}

static void write_images(Unit *unit, const char *folder, const CalyxProgram *program) {
    for (int i = 0; i < program->contents.count; i++) {
        const MemoryContents *contents = &program->contents.items[i];
        if (!contents->data) continue;
        Text image = text_new(unit->arena);
        rtl_print_image(contents, &image);
        write_text(unit, folder, contents->image, text_string(&image));
    }
}

/* Prints a design in one of its forms, and what its simulation needs. Returns the text. */
static const char *write_design(Unit *unit, const char *folder, const ProgramCase *test,
                                const char *file, void (*print)(const Netlist *, Text *)) {
    Build b;
    Netlist *netlist = netlist_of(unit, test, &b);
    Text design = text_new(unit->arena);
    print(netlist, &design);
    write_text(unit, folder, file, text_string(&design));
    write_text(unit, folder, "bench.sv", test_bench(unit, b.data >= 0));
    write_images(unit, folder, b.program);
    return text_string(&design);
}

/* Simulates top.sv; results and cycles must be those of the case. */
static void simulate(Unit *unit, const char *folder, const ProgramCase *test, const char *design) {
    const char *command = string_format(
        unit->arena,
        "iverilog -g2012 -Wall -Wno-timescale -o bench -s bench top.sv bench.sv %s && ./bench",
        hardware_files(unit));
    const char *printed = run(unit, folder, command);
    Text expected = text_new(unit->arena);
    for (int r = 0; r < 2; r++) {
        text_printf(&expected, "cycles %d\n", test->cycles + RTL_START_CYCLES);
        for (int k = 0; k < RESULTS; k++) text_printf(&expected, "%d\n", test->result[k]);
    }
    if (!strstr(printed, text_string(&expected)))
        fail_msg("%s printed\n%s\nexpected\n%s\n%s", test->name, printed, text_string(&expected),
                 design);
}

static void test_simulation(void **state) {
    Unit *unit = *state;
    if (!is_there(process_found("iverilog"), "iverilog")) return;
    const char *folder = scratch_folder(unit->arena);
    for (int i = 0; i < PROGRAM_CASES; i++) {
        const ProgramCase *test = &program_cases[i];
        simulate(unit, folder, test,
                 write_design(unit, folder, test, "top.sv", netlist_print_systemverilog));
    }
    remove_tree(folder);
}

/* The same through CIRCT: its Verilog of our hw dialect. */
static void test_circt(void **state) {
    Unit *unit = *state;
    const char *circt = circt_to_verilog(unit);
    if (!is_there(circt && process_found("iverilog"), "CIRCT or iverilog")) return;
    const char *folder = scratch_folder(unit->arena);
    for (int i = 0; i < PROGRAM_CASES; i++) {
        const ProgramCase *test = &program_cases[i];
        const char *design = write_design(unit, folder, test, "top.mlir", netlist_print_mlir);
        run(unit, folder, string_format(unit->arena, "%s <top.mlir >top.sv", circt));
        simulate(unit, folder, test, design);
    }
    remove_tree(folder);
}

static void test_verilator_lint(void **state) {
    Unit *unit = *state;
    if (!is_there(process_found("verilator"), "verilator")) return;
    const char *folder = scratch_folder(unit->arena);
    for (int i = 0; i < PROGRAM_CASES; i++) {
        write_design(unit, folder, &program_cases[i], "top.sv", netlist_print_systemverilog);
        run(unit, folder,
            string_format(unit->arena, "verilator --lint-only -Wall --top-module top top.sv %s",
                          hardware_files(unit)));
    }
    remove_tree(folder);
}

static void test_yosys(void **state) {
    Unit *unit = *state;
    if (!is_there(process_found("yosys"), "yosys")) return;
    const char *folder = scratch_folder(unit->arena);
    for (int i = 0; i < PROGRAM_CASES; i++) {
        write_design(unit, folder, &program_cases[i], "top.sv", netlist_print_systemverilog);
        run(unit, folder,
            string_format(unit->arena,
                          "yosys -q -p 'read_verilog -sv -defer -DSYNTHESIS top.sv %s; "
                          "hierarchy -check -top top; proc; check -assert'",
                          hardware_files(unit)));
    }
    remove_tree(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_simulation),
        UNIT_TEST(test_circt),
        UNIT_TEST(test_verilator_lint),
        UNIT_TEST(test_yosys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
