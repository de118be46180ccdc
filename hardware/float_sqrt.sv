// tepal_float_sqrt: out = square root of in. IEEE 754, round to nearest even, with subnormals,
// infinities and a canonical quiet NaN.
//
// A number has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. One operand per
// cycle; the root appears LATENCY cycles later. No reset, no stall. See also
// tepal_float_sqrt_iterative, less than half the size.
//
// How it works
//   unpack   tepal_float_unpack; the radicand is the significand, doubled if the exponent is odd, in
//            [1, 4), so that the root is in [1, 2)
//   rows     non-restoring digit recurrence, one root bit per row: with remainder R (first 0), the
//            root Q so far as an integer, and the next two bits B of the radicand,
//                R' = 4R + B - (4Q + 1) if R >= 0, else 4R + B + (4Q + 3);  root bit = (R' >= 0)
//            A row is one adder, as -(4Q + 1) = ~(4Q). Row i has only i + 3 bits.
//   sticky   is the remainder zero? A negative one is restored first.
//   pack     rounding and special values: tepal_float_pack. The root is never subnormal and never
//            overflows, so that one level of normalising, the least, does.
//   NaN: the operand is NaN or below zero. The root of -0 is -0.
//
// Register ranks: every step has a cost (about its delay on an ECP5, in halves of a nanosecond). Ranks
// stand so that the most costly stretch between two of them is as cheap as LATENCY ranks, the last
// of them at the output, can make it. Ranks that would not help are behind the output.
// 32-bit floats: LATENCY 17 is two rows a rank, about 109 MHz on an ECP5 of speed 6.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_sqrt #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter LATENCY = 17
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] in,
    output wire [WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam SIGNIFICAND = FRACTION + 1;
    localparam ROWS = FRACTION + 2;                 // hidden bit, fraction, guard
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;
    localparam [31:0] OFFSET = BIAS - 2;            // see tepal_float_pack

    // Steps: 0, 1 unpack; 2 .. ROWS+1 the rows; then those of pack.
    localparam STEP_ROWS = 2;
    localparam STEP_PACK = STEP_ROWS + ROWS;
    localparam STEPS = STEP_PACK + 4;
    localparam COST_UNPACK = 14;
    localparam COST_ROW = 8;
    localparam COST_STICKY = 13;
    localparam COST_ROUND = 7;
    localparam MOST = COST_UNPACK;                  // the most of these

    function integer step_cost(input integer step);
        step_cost = step < STEP_ROWS ? COST_UNPACK : step < STEP_PACK ? COST_ROW :
                    step == STEP_PACK ? COST_STICKY : COST_ROUND;
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
    wire in_sign, in_zero, in_infinite, in_nan;
    wire [EXPONENT+1:0]    in_exponent;
    wire [SIGNIFICAND-1:0] significand;
    tepal_float_unpack #(.WIDTH(WIDTH), .EXPONENT(EXPONENT), .RANKS(ranks(0, 1))) unpack (
        .clk(clk), .in(in), .sign(in_sign), .exponent(in_exponent), .significand(significand),
        .zero(in_zero), .infinite(in_infinite), .nan(in_nan));

    wire nan = in_nan | (in_sign & ~in_zero);
    wire [SIGNIFICAND:0] radicand;
    wire [EXPONENT+1:0]  exponent;
    wire sign, infinite, is_nan;
    tepal_register_rank #(
        .WIDTH(SIGNIFICAND + EXPONENT + 6), .RANKS(ranks(1, 2))
    ) unpacked_rank (
        .clk(clk),
        // the bias is odd: an even field is an odd power of two
        .in({in_exponent[0] ? {1'b0, significand} : {significand, 1'b0}, in_exponent,
             in_sign, nan | in_infinite, nan}),
        .out({radicand, exponent, sign, infinite, is_nan}));

    // ---- Exponent and special values, beside the rows ----
    wire [EXPONENT+1:0] doubled = exponent + OFFSET[EXPONENT+1:0];
    wire unused_odd = doubled[0];
    wire [EXPONENT+1:0] packed_exponent;
    wire packed_sign, packed_infinite, packed_nan;
    tepal_register_rank #(
        .WIDTH(EXPONENT + 5), .RANKS(ranks(STEP_ROWS, STEP_PACK))
    ) beside_ranks (
        .clk(clk),
        .in({doubled[EXPONENT+1], doubled[EXPONENT+1:1], sign, infinite, is_nan}),
        .out({packed_exponent, packed_sign, packed_infinite, packed_nan}));

    // ---- Rows ----
    genvar step;
    generate
        for (step = 0; step < ROWS; step = step + 1) begin : row
            wire [step+1:0]      remainder_in;
            wire [SIGNIFICAND:0] radicand_in;
            wire [step:0]        root_in;  // with a zero above
            if (step == 0) begin : first
                assign remainder_in = 2'b00;
                assign radicand_in = radicand;
                assign root_in = 1'b0;
            end else begin : next
                assign remainder_in = row[step-1].remainder_out;
                assign radicand_in = row[step-1].radicand_out;
                assign root_in = row[step-1].root_out;
            end

            wire subtracts = ~remainder_in[step+1];
            wire [step+2:0] remainder = {remainder_in[step:0], radicand_in[SIGNIFICAND -: 2]} +
                {root_in ^ {(step+1){subtracts}}, 2'b11};

            wire [step+2:0]      remainder_out;
            wire [SIGNIFICAND:0] radicand_out;
            wire [step+1:0]      root_out;
            tepal_register_rank #(
                .WIDTH(2 * step + SIGNIFICAND + 6),
                .RANKS(ranks(STEP_ROWS + step, STEP_ROWS + step + 1))
            ) row_rank (
                .clk(clk),
                .in({remainder, radicand_in[SIGNIFICAND-2:0], 2'b00,
                     root_in, ~remainder[step+2]}),
                .out({remainder_out, radicand_out, root_out}));
        end
    endgenerate

    // ---- Sticky bit, round ----
    wire [ROWS+1:0] remainder = row[ROWS-1].remainder_out;
    wire [ROWS:0]   root = row[ROWS-1].root_out;
    wire unused_radicand = &row[ROWS-1].radicand_out;
    wire [ROWS+1:0] restored = remainder + ({root, 1'b1} & {(ROWS+2){remainder[ROWS+1]}});
    wire unused_root = root[ROWS];
    wire [WIDTH-1:0] packed_root;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(ROWS),
        .EXPONENT_WIDTH(EXPONENT + 2), .LEVELS(1), .CUTS(pack_cuts(STEP_PACK))
    ) pack (
        .clk(clk), .sign(packed_sign), .zero_sign(packed_sign), .infinite(packed_infinite),
        .nan(packed_nan), .exponent(packed_exponent),
        .value(root[ROWS-1:0]), .sticky(|restored), .out(packed_root));
    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(LATENCY - INNER_RANKS)) extra_ranks (
        .clk(clk), .in(packed_root), .out(out));
endmodule

`default_nettype wire
