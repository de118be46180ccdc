// tepal_float_maximum: the larger of two floating-point numbers, as arith.maximumf defines it: NaN if either
// operand is NaN, -0 less than +0. The result appears LATENCY cycles later. See
// tepal_float_extremum, which does the work.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_maximum #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter LATENCY = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire [WIDTH-1:0] out
);
    tepal_float_extremum #(
        .WIDTH(WIDTH), .EXPONENT(EXPONENT), .LATENCY(LATENCY), .MAXIMUM(1)
    ) extremum (
        .clk(clk), .left(left), .right(right), .out(out));
endmodule

`default_nettype wire
