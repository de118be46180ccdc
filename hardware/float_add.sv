// tepal_float_add: out = left + right. IEEE 754, round to nearest even, with subnormals,
// infinities and a canonical quiet NaN. Subtract by flipping the sign bit of `right`.
//
// A number has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. One pair of operands
// per cycle; the sum appears LATENCY cycles later. No reset, no stall.
//
// How it works (the classic single-path adder)
//   compare     which magnitude is larger? As the format sorts like an integer, one comparison.
//   sort        into `larger` and `smaller`; the result has the sign of `larger`
//   distance    the difference of the exponents; a subnormal counts as exponent 1, hidden bit 0.
//               Without a rank behind `sort` both differences are made beside the comparison, which
//               then chooses: one more short subtraction for a shorter way
//   align       the significand of `smaller` moves right by the distance, with two more bits (guard,
//               round) and the sticky bit below. At 2**ALIGN_LEVELS or more it is beyond the last
//               bit that can matter, and it is dropped whole. To subtract, its bits are inverted;
//               the +1 of the two's complement goes in at the empty sticky place of `larger`, which
//               needs no carry-in.
//   add         one adder; the result is never negative
//   pack        normalising, rounding, special values: tepal_float_pack
//   Signs: x + -x is +0 (round to nearest); -0 + -0 is -0.
//   Special values: an infinity or NaN has the largest exponent, so it is always `larger`.
//
// Register ranks behind the steps, by LATENCY. "normalise a..b" are pack's levels that shift by a
// to b bits, the numbers are those of 32-bit floats (LATENCY 5: >= 115 MHz on an ECP5 of speed 6):
//   0  none
//   1  output
//   2  align | output
//   3  distance | add, normalise 16, 8 | output
//   4  distance | align | add, normalise 16..4 | output
//   5  distance | align | add, normalise 16 | normalise 8..2 | output
//   6  sort | distance | align | add, normalise 16 | normalise 8..2 | output
//   7  sort | distance | align | add | normalise 16, 8 | normalise 4..1 | output
//   more  as 7, and the rest behind the output

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_add #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter LATENCY = 5
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire [WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam SIGNIFICAND = FRACTION + 1;          // hidden bit and fraction
    localparam ALIGNED = SIGNIFICAND + 2;           // and guard and round bit
    localparam ALIGN_LEVELS = $clog2(ALIGNED);
    localparam SUM = ALIGNED + 2;                   // and carry and sticky bit
    localparam LEVELS = $clog2(SUM);
    localparam EXPONENT_WIDTH = EXPONENT > LEVELS ? EXPONENT + 1 : LEVELS + 2;

    localparam CUT_COMPARED = 0;
    localparam CUT_SORTED = 1;
    localparam CUT_DISTANCE = 2;
    localparam CUT_ALIGNED = 3;
    localparam CUT_ADDED = 4;                       // the first of pack's positions
    localparam CUT_OUTPUT = CUT_ADDED + LEVELS + 2;
    localparam [31:0] ONE = 1;
    localparam [31:0] CUTS =
        LATENCY == 0 ? 0 :
        (ONE << CUT_OUTPUT) | (
        LATENCY == 1 ? 0 :
        LATENCY == 2 ? ONE << CUT_ALIGNED :
        LATENCY == 3 ? (ONE << CUT_DISTANCE) | (ONE << (CUT_ADDED + 2)) :
        LATENCY == 4 ? (ONE << CUT_DISTANCE) | (ONE << CUT_ALIGNED) | (ONE << (CUT_ADDED + 3)) :
        LATENCY == 5 ? (ONE << CUT_DISTANCE) | (ONE << CUT_ALIGNED) | (ONE << (CUT_ADDED + 1)) |
                       (ONE << (CUT_ADDED + LEVELS - 1)) :
        LATENCY == 6 ? (ONE << CUT_SORTED) | (ONE << CUT_DISTANCE) | (ONE << CUT_ALIGNED) |
                       (ONE << (CUT_ADDED + 1)) | (ONE << (CUT_ADDED + LEVELS - 1)) :
                       (ONE << CUT_SORTED) | (ONE << CUT_DISTANCE) | (ONE << CUT_ALIGNED) |
                       (ONE << CUT_ADDED) | (ONE << (CUT_ADDED + 2)) |
                       (ONE << (CUT_ADDED + LEVELS)));

    // Short formats have fewer levels: two of the above positions may be one.
    function integer count_ones(input [31:0] cuts);
        integer position;
        begin
            count_ones = 0;
            for (position = 0; position < 32; position = position + 1)
                count_ones = count_ones + (cuts[position] ? 1 : 0);
        end
    endfunction
    localparam EXTRA_RANKS = LATENCY - count_ones(CUTS);

    // ---- Compare ----
    wire [WIDTH-1:0] compared_left, compared_right;
    wire compared_less, compared_left_hidden, compared_right_hidden, compared_cancels;
    tepal_register_rank #(.WIDTH(2 * WIDTH + 4), .RANKS(CUTS[CUT_COMPARED] ? 1 : 0)) compared_rank (
        .clk(clk),
        .in({left, right, left[WIDTH-2:0] < right[WIDTH-2:0],
             |left[WIDTH-2:FRACTION], |right[WIDTH-2:FRACTION],
             // infinity minus infinity, if these are infinities
             (&left[WIDTH-2:FRACTION]) & (&right[WIDTH-2:FRACTION]) &
             (left[WIDTH-1] ^ right[WIDTH-1])}),
        .out({compared_left, compared_right, compared_less,
              compared_left_hidden, compared_right_hidden, compared_cancels}));

    // ---- Sort ----
    wire [WIDTH-1:0] larger;
    wire [WIDTH-2:0] smaller;
    wire subtracts, larger_hidden, smaller_hidden, cancels;
    tepal_register_rank #(.WIDTH(2 * WIDTH + 3), .RANKS(CUTS[CUT_SORTED] ? 1 : 0)) sorted_rank (
        .clk(clk),
        .in({compared_less ? compared_right : compared_left,
             compared_less ? compared_left[WIDTH-2:0] : compared_right[WIDTH-2:0],
             compared_left[WIDTH-1] ^ compared_right[WIDTH-1],
             compared_less ? compared_right_hidden : compared_left_hidden,
             compared_less ? compared_left_hidden : compared_right_hidden,
             compared_cancels}),
        .out({larger, smaller, subtracts, larger_hidden, smaller_hidden, cancels}));

    // ---- Distance ----
    wire [EXPONENT-1:0] larger_exponent =
        {larger[WIDTH-2:FRACTION+1], larger[FRACTION] | ~larger_hidden};
    wire [EXPONENT-1:0] difference;
    generate
        if (CUTS[CUT_SORTED]) begin : one_way
            assign difference = larger_exponent -
                {smaller[WIDTH-2:FRACTION+1], smaller[FRACTION] | ~smaller_hidden};
        end else begin : both_ways
            wire [EXPONENT-1:0] left_exponent = {compared_left[WIDTH-2:FRACTION+1],
                                                 compared_left[FRACTION] | ~compared_left_hidden};
            wire [EXPONENT-1:0] right_exponent = {compared_right[WIDTH-2:FRACTION+1],
                                                  compared_right[FRACTION] | ~compared_right_hidden};
            wire [EXPONENT-1:0] left_above = left_exponent - right_exponent;
            wire [EXPONENT-1:0] right_above = right_exponent - left_exponent;
            wire unused_exponent = ^smaller[WIDTH-2:FRACTION];
            assign difference = compared_less ? right_above : left_above;
        end
    endgenerate
    wire                   near_sign, near_subtracts, near_cancels;
    wire [EXPONENT-1:0]    near_exponent, distance;
    wire [SIGNIFICAND-1:0] near_larger, near_smaller;
    tepal_register_rank #(
        .WIDTH(2 * EXPONENT + 2 * SIGNIFICAND + 3), .RANKS(CUTS[CUT_DISTANCE] ? 1 : 0)
    ) distance_rank (
        .clk(clk),
        .in({larger[WIDTH-1], larger_exponent, difference,
             larger_hidden, larger[FRACTION-1:0], smaller_hidden, smaller[FRACTION-1:0],
             subtracts, cancels}),
        .out({near_sign, near_exponent, distance, near_larger, near_smaller,
              near_subtracts, near_cancels}));

    // ---- Align ----
    wire too_far;
    generate
        if (EXPONENT > ALIGN_LEVELS) begin : far
            assign too_far = |distance[EXPONENT-1:ALIGN_LEVELS];
        end else begin : never_far
            assign too_far = 1'b0;
        end
    endgenerate
    reg [ALIGNED-1:0] shifted;
    reg               lost;  // ones have left at the right
    integer           k;
    always_comb begin
        shifted = too_far ? {ALIGNED{1'b0}} : {near_smaller, 2'b00};
        lost = 1'b0;
        for (k = (ALIGN_LEVELS < EXPONENT ? ALIGN_LEVELS : EXPONENT) - 1; k >= 0; k = k - 1)
            if (distance[k]) begin
                lost = lost | (shifted != ((shifted >> (1 << k)) << (1 << k)));
                shifted = shifted >> (1 << k);
            end
    end
    wire special = &near_exponent;

    wire                   aligned_sign, aligned_subtracts, aligned_special, aligned_nan;
    wire [EXPONENT-1:0]    aligned_exponent;
    wire [SIGNIFICAND-1:0] aligned_larger;
    wire [ALIGNED:0]       aligned_smaller;  // with the sticky bit; inverted to subtract
    tepal_register_rank #(
        .WIDTH(EXPONENT + SIGNIFICAND + ALIGNED + 5), .RANKS(CUTS[CUT_ALIGNED] ? 1 : 0)
    ) aligned_rank (
        .clk(clk),
        .in({near_sign, near_exponent, near_larger, near_subtracts, special,
             special & (near_cancels | (|near_larger[FRACTION-1:0])),
             {shifted, lost} ^ {(ALIGNED+1){near_subtracts}}}),
        .out({aligned_sign, aligned_exponent, aligned_larger, aligned_subtracts, aligned_special,
              aligned_nan, aligned_smaller}));

    // ---- Add ----
    wire [SUM-1:0] sum = {1'b0, aligned_larger, 2'b00, aligned_subtracts} +
                         {aligned_subtracts, aligned_smaller};

    // ---- Normalise, round ----
    wire [WIDTH-1:0] packed_sum;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(SUM),
        .EXPONENT_WIDTH(EXPONENT_WIDTH), .LEVELS(LEVELS), .CUTS(CUTS >> CUT_ADDED)
    ) pack (
        .clk(clk), .sign(aligned_sign), .zero_sign(aligned_sign & ~aligned_subtracts),
        .infinite(aligned_special), .nan(aligned_nan),
        .exponent({{(EXPONENT_WIDTH-EXPONENT){1'b0}}, aligned_exponent}),
        .value(sum), .sticky(1'b0), .out(packed_sum));
    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(EXTRA_RANKS)) extra_ranks (
        .clk(clk), .in(packed_sum), .out(out));
endmodule

`default_nettype wire
