/* Prints the module tepal_bench. */
#include "simulate/bench.h"

static const char head[] = "`default_nettype none\n"
                           "module tepal_bench (\n"
                           "    input  wire        clk,\n"
                           "    input  wire        reset,\n"
                           "    input  wire        start,\n"
                           "    output wire        done,\n"
                           "    output reg         finished,\n"
                           "    output reg  [63:0] cycles,\n"
                           "    input  wire [31:0] select,\n"
                           "    input  wire [63:0] address,\n"
                           "    input  wire        write_enable,\n"
                           "    input  wire [63:0] write_data,\n"
                           "    output reg  [63:0] read_data\n"
                           ");\n"
                           "    reg        reset_q = 1, go = 0, write_enable_q = 0;\n"
                           "    reg [31:0] select_q = 0;\n"
                           "    reg [63:0] address_q = 0, write_data_q = 0;\n"
                           "    always @(posedge clk) begin\n"
                           "        reset_q <= reset;\n"
                           "        select_q <= select;\n"
                           "        address_q <= address;\n"
                           "        write_enable_q <= write_enable;\n"
                           "        write_data_q <= write_data;\n"
                           "        if (reset | start) begin\n"
                           "            go <= start & ~reset;\n"
                           "            finished <= 0;\n"
                           "            cycles <= 0;\n"
                           "        end else if (go & done) begin\n"
                           "            go <= 0;\n"
                           "            finished <= 1;\n"
                           "        end else if (go) cycles <= cycles + 1;\n"
                           "    end\n";

static void print_input(const PortTensor *port, int number, Text *text) {
    text_printf(text, ",\n        .%s_addr(select_q == %d ? address_q[%d:0] : %d'd0)", port->port,
                number, port->address_width - 1, port->address_width);
    text_printf(text, ",\n        .%s_write_en(write_enable_q && select_q == %d)", port->port,
                number);
    text_printf(text, ",\n        .%s_write_data(write_data_q[%d:0])", port->port,
                port->data_width - 1);
}

static void print_output(const PortTensor *port, int number, Text *text) {
    text_printf(text, ",\n        .%s_addr(select_q == %d ? address_q[%d:0] : %d'd0)", port->port,
                number, port->address_width - 1, port->address_width);
    text_printf(text, ",\n        .%s_read_data(word_%d)", port->port, number);
}

/* read_data: the word of the selected output. */
static void print_selection(const Interface *interface, Text *text) {
    text_append(text, "    always @* begin\n"
                      "        read_data = 0;\n"
                      "        case (select_q)\n");
    for (int i = 0; i < interface->output_count; i++) {
        int number = interface->input_count + i, width = interface->outputs[i].data_width;
        text_printf(text, "            %d: read_data[%d:0] = word_%d;\n", number, width - 1,
                    number);
    }
    text_append(text, "            default: read_data = 0;\n"
                      "        endcase\n"
                      "    end\n");
}

void bench_print(const Interface *interface, Text *text) {
    text_printf(text, "// %s with one port for all its tensors, made by tepal sim.\n",
                interface->top);
    text_append(text, head);
    for (int i = 0; i < interface->output_count; i++)
        text_printf(text, "    wire [%d:0] word_%d;\n", interface->outputs[i].data_width - 1,
                    interface->input_count + i);
    text_printf(text, "    %s dut (\n        .%s(clk), .%s(reset_q), .%s(go), .%s(done)",
                interface->top, interface->clock, interface->reset, interface->go, interface->done);
    for (int i = 0; i < interface->input_count; i++) print_input(&interface->inputs[i], i, text);
    for (int i = 0; i < interface->output_count; i++)
        print_output(&interface->outputs[i], interface->input_count + i, text);
    text_append(text, ");\n");
    print_selection(interface, text);
    text_append(text, "endmodule\n`default_nettype wire\n");
}
