// tepal_float_compare: IEEE 754 comparison of left and right.
//
//   less        left < right
//   equal       left = right; -0 equals +0
//   unordered   at least one is NaN; then less and equal are 0
// All other predicates follow: left <= right is less | equal, left > right is neither of the three.
//
// A number has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. One pair of operands
// per cycle; the results appear LATENCY cycles later (0: combinational). No reset, no stall.
//
// How it works: magnitudes sort like unsigned integers, so that one integer comparison and one
// equality decide, by the signs. An operand is NaN if its magnitude is above that of infinity.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_compare #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter LATENCY = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire             less,
    output wire             equal,
    output wire             unordered
);
    localparam FRACTION = WIDTH - EXPONENT - 1;

    wire left_negative = left[WIDTH-1];
    wire right_negative = right[WIDTH-1];
    wire [WIDTH-2:0] left_magnitude = left[WIDTH-2:0];
    wire [WIDTH-2:0] right_magnitude = right[WIDTH-2:0];
    wire nan = ((&left[WIDTH-2:FRACTION]) & (|left[FRACTION-1:0])) |
               ((&right[WIDTH-2:FRACTION]) & (|right[FRACTION-1:0]));
    wire both_zero = ~(|left_magnitude) & ~(|right_magnitude);
    wire same = left == right;
    wire smaller = left_magnitude < right_magnitude;
    wire ordered_less = left_negative != right_negative ? left_negative & ~both_zero :
                        left_negative ? ~smaller & ~same : smaller;

    tepal_register_rank #(.WIDTH(3), .RANKS(LATENCY)) output_rank (
        .clk(clk), .in({ordered_less & ~nan, (same | both_zero) & ~nan, nan}),
        .out({less, equal, unordered}));
endmodule

`default_nettype wire
