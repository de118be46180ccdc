// tepal_float_extremum: the smaller or the larger of two floating-point numbers; the common body of
// tepal_float_minimum (MAXIMUM = 0) and tepal_float_maximum (MAXIMUM = 1).
//
// As arith.minimumf and arith.maximumf (IEEE 754-2019 minimum, maximum): NaN, in its canonical quiet
// form, if either operand is NaN; -0 is less than +0.
//
// A number has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. One pair of operands
// per cycle; the result appears LATENCY cycles later (0: combinational). No reset, no stall.
//
// How it works: without NaN the order is that of sign-and-magnitude integers, zeros included.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_extremum #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter LATENCY = 1,
    parameter MAXIMUM = 0
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire [WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam [0:0] WANT_LARGER = MAXIMUM != 0;

    wire nan = ((&left[WIDTH-2:FRACTION]) & (|left[FRACTION-1:0])) |
               ((&right[WIDTH-2:FRACTION]) & (|right[FRACTION-1:0]));
    wire smaller = left[WIDTH-2:0] < right[WIDTH-2:0];
    // Of equal operands either will do.
    wire left_first = left[WIDTH-1] != right[WIDTH-1] ? left[WIDTH-1] : smaller ^ left[WIDTH-1];
    wire take_left = left_first ^ WANT_LARGER;

    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(LATENCY)) output_rank (
        .clk(clk),
        .in(nan ? {1'b0, {(EXPONENT+1){1'b1}}, {(FRACTION-1){1'b0}}} : take_left ? left : right),
        .out(out));
endmodule

`default_nettype wire
