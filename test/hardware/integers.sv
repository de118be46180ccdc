// Checks tepal_int_multiply and tepal_int_divide, at many widths and latencies, against Verilog's own
// arithmetic: all pairs of corner values, then random pairs, a new pair in every cycle. Runs in
// Icarus and in Verilator (--binary); each instance prints one line of its result.
`timescale 1ns / 1ps

// One unit under test. KIND 0: multiply; 1: divide, unsigned; 2: divide, signed.
module check #(
    parameter KIND = 0,
    parameter WIDTH = 32,
    parameter OPERAND = WIDTH,
    parameter LATENCY = 1
) (
    input wire        clk,
    input wire [31:0] cycle,
    input wire [31:0] cycles,
    input wire [63:0] left_bits,
    input wire [63:0] right_bits
);
    // Operands as OPERAND promises: its low bits are the value. Unsigned ones have no sign.
    function [63:0] operand(input [63:0] bits);
        reg [63:0] cut;
        begin
            cut = bits << (64 - OPERAND);
            if (KIND == 1 && OPERAND < WIDTH) cut[63] = 1'b0;
            operand = $signed(cut) >>> (64 - OPERAND);
        end
    endfunction
    wire [63:0] left_wide = operand(left_bits);
    wire [63:0] right_wide = operand(right_bits);
    wire [WIDTH-1:0] left = left_wide[WIDTH-1:0];
    wire [WIDTH-1:0] right = right_wide[WIDTH-1:0];

    wire [WIDTH-1:0] first, second;
    reg  [WIDTH-1:0] expected_first, expected_second;
    generate
        if (KIND == 0) begin : multiply
            tepal_int_multiply #(.WIDTH(WIDTH), .LATENCY(LATENCY), .OPERAND(OPERAND)) unit (
                .clk(clk), .left(left), .right(right), .out(first));
            assign second = {WIDTH{1'b0}};
        end else begin : divide
            tepal_int_divide #(
                .WIDTH(WIDTH), .SIGNED(KIND - 1), .LATENCY(LATENCY), .OPERAND(OPERAND)
            ) unit (
                .clk(clk), .left(left), .right(right), .quotient(first), .remainder(second));
        end
    endgenerate

    localparam [WIDTH-1:0] ONE = 1;
    wire [WIDTH-1:0] least = ONE << (WIDTH - 1);
    wire signed [WIDTH-1:0] left_signed = left, right_signed = right;
    always @* begin
        expected_second = {WIDTH{1'b0}};
        if (KIND == 0) expected_first = left * right;
        else if (right == {WIDTH{1'b0}}) begin
            expected_first = {WIDTH{1'b1}};
            expected_second = left;
        end else if (KIND == 1) begin
            expected_first = left / right;
            expected_second = left % right;
        end else if (left == least && right == {WIDTH{1'b1}}) expected_first = least;
        else begin
            expected_first = left_signed / right_signed;
            expected_second = left_signed % right_signed;
        end
    end

    // What was expected, up to LATENCY cycles ago.
    reg  [(LATENCY+1)*2*WIDTH-1:0] history;
    wire [(LATENCY+2)*2*WIDTH-1:0] expected = {history, expected_first, expected_second};
    integer faults;
    initial faults = 0;
    always @(posedge clk) begin
        history <= expected[(LATENCY+1)*2*WIDTH-1:0];
        if (cycle > LATENCY && {first, second} !== expected[LATENCY*2*WIDTH +: 2*WIDTH])
            faults <= faults + 1;
        if (cycle == cycles)
            $display("%s: kind %0d, width %0d, operand %0d, latency %0d: %0d faults",
                     faults == 0 ? "good" : "bad", KIND, WIDTH, OPERAND, LATENCY, faults);
    end
endmodule

module integers;
    parameter CYCLES = 20000;
    reg         clk = 0;
    reg  [31:0] cycle = 0;
    reg  [63:0] left = 0, right = 0;

    // Corner values of every width, and near them.
    function [63:0] corner(input integer index);
        integer bit_number;
        begin
            bit_number = index / 4;
            case (index % 4)
                0: corner = 64'd1 << bit_number;
                1: corner = (64'd1 << bit_number) - 1;
                2: corner = -(64'd1 << bit_number);
                default: corner = ~(64'd1 << bit_number);
            endcase
        end
    endfunction
    integer shift_left, shift_right;
    always begin
        #1 clk = 1;
        #1 clk = 0;
        cycle = cycle + 1;
        if (cycle < CYCLES / 2) begin
            left = corner($urandom % 256);
            right = corner($urandom % 256);
        end else begin
            shift_left = $urandom % 64;
            shift_right = $urandom % 64;
            left = {$urandom, $urandom} >> shift_left;
            right = {$urandom, $urandom} >> shift_right;
        end
        if (cycle > CYCLES + 1) $finish;
    end

    genvar w, l, kind;
    generate
        // Every small width, where corners are everything; then the usual ones at all ranks.
        for (w = 1; w <= 20; w = w + 1) begin : each_width
            for (kind = 0; kind < 3; kind = kind + 1) begin : kinds
                check #(.KIND(kind), .WIDTH(w), .LATENCY(w % 6)) unit (clk, cycle, CYCLES, left, right);
            end
        end
        for (l = 0; l <= 6; l = l + 1) begin : ranks
            check #(.KIND(0), .WIDTH(32), .LATENCY(l)) i32 (clk, cycle, CYCLES, left, right);
            check #(.KIND(0), .WIDTH(32), .OPERAND(9), .LATENCY(l)) i9 (clk, cycle, CYCLES, left, right);
            check #(.KIND(0), .WIDTH(64), .OPERAND(18), .LATENCY(l)) i18 (clk, cycle, CYCLES, left, right);
            check #(.KIND(0), .WIDTH(64), .OPERAND(35), .LATENCY(l)) i35 (clk, cycle, CYCLES, left, right);
            check #(.KIND(0), .WIDTH(64), .LATENCY(l)) i64 (clk, cycle, CYCLES, left, right);
            for (kind = 1; kind < 3; kind = kind + 1) begin : divides
                check #(.KIND(kind), .WIDTH(32), .LATENCY(l * 8)) i32 (clk, cycle, CYCLES, left, right);
                check #(.KIND(kind), .WIDTH(32), .OPERAND(9), .LATENCY(l * 2)) i9 (clk, cycle, CYCLES, left, right);
                check #(.KIND(kind), .WIDTH(64), .OPERAND(18), .LATENCY(l * 5)) i18 (clk, cycle, CYCLES, left, right);
            end
        end
        for (kind = 1; kind < 3; kind = kind + 1) begin : wide
            check #(.KIND(kind), .WIDTH(64), .LATENCY(34)) i64 (clk, cycle, CYCLES, left, right);
            check #(.KIND(kind), .WIDTH(64), .LATENCY(80)) i64_long (clk, cycle, CYCLES, left, right);
        end
    endgenerate
endmodule
