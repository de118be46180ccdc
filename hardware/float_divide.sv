// tepal_float_divide: out = left / right. IEEE 754, round to nearest even, with subnormals,
// infinities and a canonical quiet NaN.
//
// A number has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. One pair of operands
// per cycle; the quotient appears LATENCY cycles later. No reset, no stall. See also
// tepal_float_divide_iterative, about a third of the size.
//
// How it works
//   unpack   tepal_float_unpack, so that both significands are in [1, 2)
//   rows     non-restoring digit recurrence, one quotient bit per row: with remainder R (first
//            left / 2) and divisor D, both seen as fixed-point numbers,
//                R' = 2R - D if R >= 0, else 2R + D;  quotient bit = (R' >= 0)
//            A row is one adder: the +1 of the two's complement goes in at the empty last place of
//            2R. There is no multiplexer as in restoring division. The bits are the same.
//   sticky   is the remainder zero? A negative one is restored first.
//   pack     denormalising, rounding, special values: tepal_float_pack; PAD zeros above the quotient
//            make room for subnormal results
//   NaN: an operand is NaN, 0 / 0, infinity / infinity. x / 0 is infinity.
//
// Register ranks: every step has a cost (about its delay on an ECP5, in halves of a nanosecond). Ranks
// stand so that the most costly stretch between two of them is as cheap as LATENCY ranks, the last
// of them at the output, can make it. Ranks that would not help are behind the output.
// 32-bit floats: LATENCY 18 is two rows a rank, about 100 MHz on an ECP5 of speed 6.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_divide #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter LATENCY = 18
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire [WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam SIGNIFICAND = FRACTION + 1;
    localparam ROWS = FRACTION + 3;                 // integer bit, fraction, guard, one for q < 1
    localparam REMAINDER = SIGNIFICAND + 2;         // sign, significand, one more place
    localparam PAD_LEVELS = $clog2(FRACTION + 2);
    localparam PAD = 1 << PAD_LEVELS;
    localparam LEVELS = PAD_LEVELS + 1;
    localparam EXPONENT_WIDTH = EXPONENT > LEVELS ? EXPONENT + 3 : LEVELS + 3;
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;
    localparam [31:0] OFFSET = BIAS + PAD - 1;

    // Steps: 0, 1 unpack; 2 .. ROWS+1 the rows; then those of pack.
    localparam STEP_ROWS = 2;
    localparam STEP_PACK = STEP_ROWS + ROWS;
    localparam STEPS = STEP_PACK + LEVELS + 3;
    localparam COST_UNPACK = 14;
    localparam COST_ROW = 9;
    localparam COST_STICKY = 13;
    localparam COST_LEVEL = 4;
    localparam COST_ROUND = 7;
    localparam MOST = COST_UNPACK;                  // the most of these

    function integer step_cost(input integer step);
        step_cost = step < STEP_ROWS ? COST_UNPACK : step < STEP_PACK ? COST_ROW :
                    step == STEP_PACK ? COST_STICKY :
                    step <= STEP_PACK + LEVELS ? COST_LEVEL : COST_ROUND;
    endfunction
    // The number of stretches, none of which costs more than the limit, if each is as long as it can
    // be; and, with behind >= 0, whether one ends at that step (1) or not (0).
    function integer stretches(input integer limit, input integer behind);
        integer step, total, ends;
        begin
            stretches = 1;
            total = 0;
            ends = behind == STEPS - 1 ? 1 : 0;
            for (step = 0; step < STEPS; step = step + 1) begin
                total = total + step_cost(step);
                if (total > limit) begin
                    stretches = stretches + 1;
                    total = step_cost(step);
                    if (step == behind + 1) ends = 1;
                end
            end
            if (behind >= 0) stretches = ends;
        end
    endfunction
    function integer least_limit(input integer ranks_wanted);
        integer low, high, middle;
        begin
            low = MOST;
            high = MOST * STEPS;
            while (low < high) begin
                middle = (low + high) / 2;
                if (stretches(middle, -1) <= ranks_wanted) high = middle;
                else low = middle + 1;
            end
            least_limit = high;
        end
    endfunction
    localparam LIMIT = least_limit(LATENCY);
    localparam INNER_RANKS = LATENCY == 0 ? 0 : stretches(LIMIT, -1);

    // The number of ranks behind steps from .. to-1.
    function integer ranks(input integer from, input integer to);
        integer step;
        begin
            ranks = 0;
            if (LATENCY != 0)
                for (step = from; step < to; step = step + 1)
                    ranks = ranks + stretches(LIMIT, step);
        end
    endfunction
    function [31:0] pack_cuts(input integer first);
        integer position;
        begin
            pack_cuts = 32'd0;
            for (position = first; position < STEPS; position = position + 1)
                pack_cuts[position-first] = ranks(position, position + 1) != 0;
        end
    endfunction

    // ---- Unpack ----
    wire left_sign, left_zero, left_infinite, left_nan;
    wire right_sign, right_zero, right_infinite, right_nan;
    wire [EXPONENT+1:0]    left_exponent, right_exponent;
    wire [SIGNIFICAND-1:0] left_significand, right_significand;
    tepal_float_unpack #(.WIDTH(WIDTH), .EXPONENT(EXPONENT), .RANKS(ranks(0, 1))) left_unpack (
        .clk(clk), .in(left), .sign(left_sign), .exponent(left_exponent),
        .significand(left_significand), .zero(left_zero), .infinite(left_infinite),
        .nan(left_nan));
    tepal_float_unpack #(.WIDTH(WIDTH), .EXPONENT(EXPONENT), .RANKS(ranks(0, 1))) right_unpack (
        .clk(clk), .in(right), .sign(right_sign), .exponent(right_exponent),
        .significand(right_significand), .zero(right_zero), .infinite(right_infinite),
        .nan(right_nan));

    wire nan = left_nan | right_nan | (left_zero & right_zero) | (left_infinite & right_infinite);
    wire [SIGNIFICAND-1:0] dividend, divisor;
    wire [EXPONENT+1:0]    dividend_exponent, divisor_exponent;
    wire unpacked_sign, unpacked_flush, unpacked_infinite, unpacked_nan;
    tepal_register_rank #(
        .WIDTH(2 * SIGNIFICAND + 2 * EXPONENT + 8), .RANKS(ranks(1, 2))
    ) unpacked_rank (
        .clk(clk),
        .in({left_significand, right_significand, left_exponent, right_exponent,
             left_sign ^ right_sign, right_infinite, nan | left_infinite | right_zero, nan}),
        .out({dividend, divisor, dividend_exponent, divisor_exponent,
              unpacked_sign, unpacked_flush, unpacked_infinite, unpacked_nan}));

    // ---- Exponent and special values, beside the rows: a subtraction at their start, and the rest
    // half way ----
    localparam STEP_OFFSET = STEP_ROWS + ROWS / 2;
    wire [EXPONENT+2:0] difference;
    wire sign, flush, infinite, half_way_nan;
    tepal_register_rank #(
        .WIDTH(EXPONENT + 7), .RANKS(ranks(STEP_ROWS, STEP_OFFSET))
    ) difference_ranks (
        .clk(clk),
        .in({{dividend_exponent[EXPONENT+1], dividend_exponent} -
             {divisor_exponent[EXPONENT+1], divisor_exponent},
             unpacked_sign, unpacked_flush, unpacked_infinite, unpacked_nan}),
        .out({difference, sign, flush, infinite, half_way_nan}));

    wire [EXPONENT_WIDTH-1:0] exponent =
        {{(EXPONENT_WIDTH-EXPONENT-2){difference[EXPONENT+2]}}, difference[EXPONENT+1:0]} +
        OFFSET[EXPONENT_WIDTH-1:0];
    // x / infinity: far below all numbers
    wire [EXPONENT_WIDTH-1:0] flushed = {1'b1, {(EXPONENT_WIDTH-1){1'b0}}};
    wire [EXPONENT_WIDTH-1:0] packed_exponent;
    wire packed_sign, packed_infinite, packed_nan;
    tepal_register_rank #(
        .WIDTH(EXPONENT_WIDTH + 3), .RANKS(ranks(STEP_OFFSET, STEP_PACK))
    ) exponent_ranks (
        .clk(clk),
        .in({flush ? flushed : exponent, sign, infinite, half_way_nan}),
        .out({packed_exponent, packed_sign, packed_infinite, packed_nan}));

    // ---- Rows ----
    genvar step;
    generate
        for (step = 0; step < ROWS; step = step + 1) begin : row
            wire [REMAINDER-1:0]   remainder_in;
            wire [SIGNIFICAND-1:0] divisor_in;
            wire [ROWS-1:0]        quotient_in;
            if (step == 0) begin : first
                assign remainder_in = {2'b00, dividend};
                assign divisor_in = divisor;
                assign quotient_in = {ROWS{1'b0}};
            end else begin : next
                assign remainder_in = row[step-1].remainder_out;
                assign divisor_in = row[step-1].divisor_out;
                assign quotient_in = row[step-1].quotient_out;
            end

            wire subtracts = ~remainder_in[REMAINDER-1];
            wire [REMAINDER-1:0] remainder = {remainder_in[REMAINDER-2:0], subtracts} +
                ({1'b0, divisor_in, 1'b0} ^ {REMAINDER{subtracts}});

            wire [REMAINDER-1:0]   remainder_out;
            wire [SIGNIFICAND-1:0] divisor_out;
            wire [ROWS-1:0]        quotient_out;
            wire                   unused_quotient = quotient_in[ROWS-1];
            tepal_register_rank #(
                .WIDTH(REMAINDER + SIGNIFICAND + ROWS),
                .RANKS(ranks(STEP_ROWS + step, STEP_ROWS + step + 1))
            ) row_rank (
                .clk(clk),
                .in({remainder, divisor_in, quotient_in[ROWS-2:0], ~remainder[REMAINDER-1]}),
                .out({remainder_out, divisor_out, quotient_out}));
        end
    endgenerate

    // ---- Sticky bit, denormalise, round ----
    wire [REMAINDER-1:0] remainder = row[ROWS-1].remainder_out;
    wire [REMAINDER-1:0] restored = remainder +
        ({1'b0, row[ROWS-1].divisor_out, 1'b0} & {REMAINDER{remainder[REMAINDER-1]}});
    wire [WIDTH-1:0] packed_quotient;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(PAD + ROWS),
        .EXPONENT_WIDTH(EXPONENT_WIDTH), .LEVELS(LEVELS), .CUTS(pack_cuts(STEP_PACK))
    ) pack (
        .clk(clk), .sign(packed_sign), .zero_sign(packed_sign), .infinite(packed_infinite),
        .nan(packed_nan), .exponent(packed_exponent),
        .value({{PAD{1'b0}}, row[ROWS-1].quotient_out}), .sticky(|restored),
        .out(packed_quotient));
    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(LATENCY - INNER_RANKS)) extra_ranks (
        .clk(clk), .in(packed_quotient), .out(out));
endmodule

`default_nettype wire
