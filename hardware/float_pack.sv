// tepal_float_pack: from an exact fixed-point value to the nearest floating-point number.
//
// The last part of every unit with a float result. It normalises, denormalises where the result is
// subnormal, rounds to nearest even, and puts in the special values. One value per cycle; the
// latency is the number of ones in CUTS.
//
// Ports
//   value, sticky   the magnitude, as a fixed-point number; sticky says that it continues with
//                   ones somewhere below the last bit
//   exponent        signed; the exponent field of a number whose leading one is the top bit of
//                   `value`, minus 1
//   sign            sign of the result; zero_sign replaces it when `value` is all zeros
//   infinite, nan   force the result; nan wins and gives the canonical quiet NaN (sign 0, fraction
//                   100...0). With nan, `infinite` must be set too.
// Requirements: VALUE_WIDTH <= FRACTION + 1 + 2**LEVELS, EXPONENT_WIDTH >= LEVELS + 2,
//   EXPONENT_WIDTH >= EXPONENT + 1; 2**LEVELS - 1 is the longest shift that will ever be needed.
//
// How it works
//   Normalising is a chain of LEVELS levels. Level k (k = LEVELS-1 down to 0) shifts left by 2**k
//   if the top 2**k bits are zero and the exponent is still large enough, that is, it finds
//       shift = min(leading zeros, exponent)
//   bit by bit while it shifts; no separate leading-zero counter is needed. Then
//       field = exponent - shift + (top bit)
//   is the exponent field of a normal number and, as the shift stopped at the exponent, 0 for a
//   subnormal one: gradual underflow costs nothing. `unlimited` says that a higher bit of the
//   exponent than those still to come is left over, so that the exponent cannot limit the shift.
//
//   A unit whose result may lie below the normal range before rounding passes the value with zeros
//   above it (and counts them in the exponent). The first level usually removes them; where the
//   exponent does not allow it they stay, which is a right shift. A negative exponent then means a
//   result far below half the smallest subnormal: zero.
//
//   After level k, at most 2**k - 1 more places can be shifted in, so only the top
//   FRACTION + 2 + 2**k - 1 bits (hidden bit, fraction, guard, and those) are kept as they are;
//   the rest goes into the sticky bit.
//
//   The tests for zero at levels k >= 2 look at one flag per group of four bits. The flags are made
//   once and shifted along with the value: that is shorter and smaller than fresh wide ORs.
//
//   Rounding adds the round bit to {field, fraction}: a carry out of the fraction increments the
//   field, and one out of the largest finite number gives exactly infinity.
//
// Cut positions (bit of CUTS: a register rank behind this step)
//   0          input
//   1 + i      level LEVELS-1-i of normalising, i = 0 .. LEVELS-1
//   LEVELS+1   exponent field and rounding decision
//   LEVELS+2   output: rounding and special values

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_pack #(
/* verilator lint_on DECLFILENAME */
    parameter EXPONENT = 8,
    parameter FRACTION = 23,
    parameter VALUE_WIDTH = 28,
    parameter EXPONENT_WIDTH = 9,
    parameter LEVELS = 5,
    parameter [31:0] CUTS = 0
) (
    input  wire                       clk,
    input  wire                       sign,
    input  wire                       zero_sign,
    input  wire                       infinite,
    input  wire                       nan,
    input  wire [EXPONENT_WIDTH-1:0]  exponent,
    input  wire [VALUE_WIDTH-1:0]     value,
    input  wire                       sticky,
    output wire [EXPONENT+FRACTION:0] out
);
    localparam KEPT = FRACTION + 2;  // hidden bit, fraction, guard bit
    localparam PADDING = VALUE_WIDTH < KEPT ? KEPT - VALUE_WIDTH : 0;
    localparam FULL = VALUE_WIDTH + PADDING;
    localparam CUT_DECIDED = LEVELS + 1;
    localparam CUT_OUTPUT = LEVELS + 2;

    // The number of register ranks between the input rank and the rounding decision's.
    function integer middle_ranks(input [31:0] cuts);
        integer position;
        begin
            middle_ranks = 0;
            for (position = 1; position <= CUT_DECIDED; position = position + 1)
                middle_ranks = middle_ranks + (cuts[position] ? 1 : 0);
        end
    endfunction

    // ---- Input ----
    wire [FULL-1:0] padded;
    generate
        if (PADDING > 0) begin : pad
            assign padded = {value, {PADDING{1'b0}}};
        end else begin : no_pad
            assign padded = value;
        end
    endgenerate

    wire [FULL-1:0]           first_value;
    wire [EXPONENT_WIDTH-1:0] first_exponent;
    wire                      first_sticky, first_unlimited;
    wire                      first_sign, first_zero_sign, first_infinite, first_nan;
    tepal_register_rank #(.WIDTH(FULL + EXPONENT_WIDTH + 6), .RANKS(CUTS[0] ? 1 : 0)) input_rank (
        .clk(clk),
        .in({padded, exponent, sticky, |exponent[EXPONENT_WIDTH-1:LEVELS],
             sign, zero_sign, infinite, nan}),
        .out({first_value, first_exponent, first_sticky, first_unlimited,
              first_sign, first_zero_sign, first_infinite, first_nan}));

    // ---- Normalising ----
    genvar step, index;
    generate
        for (step = 0; step < LEVELS; step = step + 1) begin : level
            localparam K = LEVELS - 1 - step;
            localparam DISTANCE = 1 << K;
            localparam WIDTH_IN = KEPT + 2 * DISTANCE - 1 < FULL ? KEPT + 2 * DISTANCE - 1 : FULL;
            localparam WIDTH_OUT = KEPT + DISTANCE - 1 < FULL ? KEPT + DISTANCE - 1 : FULL;
            localparam RANKS = CUTS[1 + step] ? 1 : 0;

            wire [WIDTH_IN-1:0]       value_in;
            wire [EXPONENT_WIDTH-1:0] exponent_in;
            wire [LEVELS-1:0]         shift_in;
            wire                      sticky_in, unlimited_in;
            if (step == 0) begin : from_input
                assign value_in = first_value;
                assign exponent_in = first_exponent;
                assign shift_in = {LEVELS{1'b0}};
                assign sticky_in = first_sticky;
                assign unlimited_in = first_unlimited;
            end else begin : from_level
                assign value_in = level[step-1].value_out;
                assign exponent_in = level[step-1].exponent_out;
                assign shift_in = level[step-1].shift_out;
                assign sticky_in = level[step-1].sticky_out;
                assign unlimited_in = level[step-1].unlimited_out;
            end

            // Are the top 2**k bits zero?
            wire top_is_zero;
            wire shifts = top_is_zero & (unlimited_in | exponent_in[K]);
            if (K >= 2) begin : grouped
                localparam TOP = DISTANCE / 4;  // flags of this level's bits
                localparam FLAGS = 2 * TOP - 1; // and of those of all levels below down to k = 2
                wire [FLAGS-1:0] flags;
                if (step == 0) begin : make
                    wire [FULL+4*FLAGS-1:0] extended = {first_value, {(4*FLAGS){1'b0}}};
                    wire [FULL-1:0] unused_low = extended[FULL-1:0];
                    for (index = 0; index < FLAGS; index = index + 1) begin : flag
                        assign flags[index] = ~(|extended[FULL+4*index +: 4]);
                    end
                end else begin : take
                    assign flags = level[step-1].grouped.rest.flags_out;
                end
                assign top_is_zero = &flags[FLAGS-1 -: TOP];
                if (K >= 3) begin : rest
                    wire [TOP-2:0] flags_out;
                    tepal_register_rank #(.WIDTH(TOP - 1), .RANKS(RANKS)) flag_rank (
                        .clk(clk),
                        .in(shifts ? flags[TOP-2:0] : flags[FLAGS-1 -: TOP-1]),
                        .out(flags_out));
                end
            end else begin : single
                assign top_is_zero = ~(|value_in[WIDTH_IN-1 -: DISTANCE]);
            end

            wire [WIDTH_IN-1:0] moved = shifts ? value_in << DISTANCE : value_in;
            wire lost;
            if (WIDTH_IN > WIDTH_OUT) begin : drop  // a shift brings zeros to where bits are dropped
                assign lost = ~shifts & (|value_in[WIDTH_IN-WIDTH_OUT-1:0]);
                wire unused_moved = &moved[WIDTH_IN-WIDTH_OUT-1:0];
            end else begin : keep
                assign lost = 1'b0;
            end

            wire [LEVELS-1:0] shift;
            for (index = 0; index < LEVELS; index = index + 1) begin : shift_bit
                assign shift[index] = index == K ? shifts : shift_in[index];
            end

            wire [WIDTH_OUT-1:0]      value_out;
            wire [EXPONENT_WIDTH-1:0] exponent_out;
            wire [LEVELS-1:0]         shift_out;
            wire                      sticky_out, unlimited_out;
            tepal_register_rank #(
                .WIDTH(WIDTH_OUT + EXPONENT_WIDTH + LEVELS + 2), .RANKS(RANKS)
            ) rank (
                .clk(clk),
                .in({moved[WIDTH_IN-1 -: WIDTH_OUT], exponent_in, shift, sticky_in | lost,
                     unlimited_in | (exponent_in[K] & ~top_is_zero)}),
                .out({value_out, exponent_out, shift_out, sticky_out, unlimited_out}));
        end
    endgenerate

    // ---- Exponent field and rounding decision ----
    wire [KEPT-1:0]           normal = level[LEVELS-1].value_out;
    wire [EXPONENT_WIDTH-1:0] last_exponent = level[LEVELS-1].exponent_out;
    wire                      unused_unlimited = level[LEVELS-1].unlimited_out;
    wire                      negative = last_exponent[EXPONENT_WIDTH-1];
    wire                      hidden = normal[KEPT-1] & ~negative;
    wire                      guard = normal[0];
    wire                      round_up = guard & (normal[1] | level[LEVELS-1].sticky_out) & ~negative;
    // without the hidden bit's 1, which the rounding adder adds
    wire [EXPONENT_WIDTH-2:0] field = last_exponent[EXPONENT_WIDTH-2:0] -
        {{(EXPONENT_WIDTH-1-LEVELS){1'b0}}, level[LEVELS-1].shift_out};

    wire [EXPONENT_WIDTH-2:0] decided_field;
    wire [FRACTION-1:0]       decided_fraction;
    wire                      decided_hidden, decided_up;
    tepal_register_rank #(
        .WIDTH(EXPONENT_WIDTH + FRACTION + 1), .RANKS(CUTS[CUT_DECIDED] ? 1 : 0)
    ) decided_rank (
        .clk(clk),
        .in({hidden ? field : {(EXPONENT_WIDTH-1){1'b0}},
             negative ? {FRACTION{1'b0}} : normal[FRACTION:1], hidden, round_up}),
        .out({decided_field, decided_fraction, decided_hidden, decided_up}));

    // Sign and special values take the same ranks beside the value.
    wire decided_sign, decided_infinite, decided_nan;
    wire zero = ~(|first_value);
    tepal_register_rank #(.WIDTH(3), .RANKS(middle_ranks(CUTS))) beside_ranks (
        .clk(clk),
        .in({(zero ? first_zero_sign : first_sign) & ~first_nan, first_infinite, first_nan}),
        .out({decided_sign, decided_infinite, decided_nan}));

    // ---- Output: rounding and special values ----
    wire too_large;  // the exponent field would be all ones or more
    generate
        if (EXPONENT_WIDTH - 1 > EXPONENT) begin : wide
            assign too_large = (|decided_field[EXPONENT_WIDTH-2:EXPONENT]) |
                               (&decided_field[EXPONENT-1:1]);
        end else begin : exact
            assign too_large = &decided_field[EXPONENT-1:1];
        end
    endgenerate
    wire [EXPONENT+FRACTION-1:0] rounded = {decided_field[EXPONENT-1:0], decided_fraction} +
        {{(EXPONENT-1){1'b0}}, decided_hidden, {(FRACTION-1){1'b0}}, decided_up};
    tepal_register_rank #(
        .WIDTH(EXPONENT + FRACTION + 1), .RANKS(CUTS[CUT_OUTPUT] ? 1 : 0)
    ) output_rank (
        .clk(clk),
        .in({decided_sign, (decided_infinite | too_large) ?
             {{EXPONENT{1'b1}}, decided_nan, {(FRACTION-1){1'b0}}} : rounded}),
        .out(out));
endmodule

`default_nettype wire
