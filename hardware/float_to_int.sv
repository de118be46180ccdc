// tepal_float_to_int: a floating-point number as an integer, rounded toward zero, saturating.
//
// `in` has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. `out` has INT_WIDTH bits,
// two's complement if SIGNED, else unsigned. A number beyond either end of the integers, infinity
// included, gives that end; NaN gives 0. One number per cycle; the result appears LATENCY cycles
// later. No reset, no stall.
//
// How it works: the significand stands at the left end of the integer, as for the largest exponent
// that fits; it moves right by the distance to that exponent, and what leaves is truncated. Then it
// is negated for negative numbers; last come the values out of range.
//
// Register ranks behind the steps, by LATENCY:
//   0  none
//   1  output (sign and range)
//   2  shift | output
//   3  distance | shift | output
//   more  as 3, and the rest behind the output

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_to_int #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter INT_WIDTH = 32,
    parameter SIGNED = 1,
    parameter LATENCY = 2
) (
    input  wire                 clk,
    input  wire [WIDTH-1:0]     in,
    output wire [INT_WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;
    localparam SHIFT_BITS = INT_WIDTH > 2 ? $clog2(INT_WIDTH) : 1;
    // signed, so that BIAS + INT_WIDTH - 1 and every exponent field fit
    localparam FIELD_WIDTH = (EXPONENT > SHIFT_BITS ? EXPONENT : SHIFT_BITS) + 2;
    localparam [31:0] ZERO_FIELD = BIAS;                   // below: magnitude < 1
    localparam [31:0] TOP_FIELD = BIAS + INT_WIDTH - 1;    // of 2**(INT_WIDTH-1)
    localparam [31:0] LIMIT_FIELD = SIGNED != 0 ? TOP_FIELD : TOP_FIELD + 1;
    localparam CUT_DISTANCE = LATENCY >= 3 ? 1 : 0;
    localparam CUT_SHIFTED = LATENCY >= 2 ? 1 : 0;
    localparam OUTPUT_RANKS = LATENCY - CUT_DISTANCE - CUT_SHIFTED;

    // ---- Distance and range ----
    wire [FIELD_WIDTH-1:0] field = {{(FIELD_WIDTH-EXPONENT){1'b0}}, in[WIDTH-2:FRACTION]};
    wire [FIELD_WIDTH-1:0] distance = TOP_FIELD[FIELD_WIDTH-1:0] - field;
    wire unused_distance = &distance[FIELD_WIDTH-1:SHIFT_BITS];  // zeros when in range
    wire nan = (&in[WIDTH-2:FRACTION]) & (|in[FRACTION-1:0]);

    wire [FRACTION:0]     significand;
    wire [SHIFT_BITS-1:0] shift;
    wire distance_sign, distance_nan, distance_small, distance_large;
    tepal_register_rank #(.WIDTH(FRACTION + SHIFT_BITS + 5), .RANKS(CUT_DISTANCE)) distance_rank (
        .clk(clk),
        .in({1'b1, in[FRACTION-1:0], distance[SHIFT_BITS-1:0],
             in[WIDTH-1], nan,
             field < ZERO_FIELD[FIELD_WIDTH-1:0],
             (&in[WIDTH-2:FRACTION]) | (field >= LIMIT_FIELD[FIELD_WIDTH-1:0])}),
        .out({significand, shift, distance_sign, distance_nan, distance_small, distance_large}));

    // ---- Shift ----
    wire [INT_WIDTH-1:0] left_aligned;
    generate
        if (INT_WIDTH > FRACTION + 1) begin : fill
            assign left_aligned = {significand, {(INT_WIDTH-FRACTION-1){1'b0}}};
        end else if (INT_WIDTH == FRACTION + 1) begin : fits
            assign left_aligned = significand;
        end else begin : truncate
            assign left_aligned = significand[FRACTION -: INT_WIDTH];
            wire unused_low = &significand[FRACTION-INT_WIDTH:0];
        end
    endgenerate

    wire [INT_WIDTH-1:0] magnitude;
    wire negative, not_a_number, too_large;
    tepal_register_rank #(.WIDTH(INT_WIDTH + 3), .RANKS(CUT_SHIFTED)) shifted_rank (
        .clk(clk),
        .in({distance_small ? {INT_WIDTH{1'b0}} : left_aligned >> shift,
             distance_sign, distance_nan, distance_large}),
        .out({magnitude, negative, not_a_number, too_large}));

    // ---- Sign and range ----
    wire [INT_WIDTH-1:0] result;
    generate
        if (SIGNED != 0) begin : two_complement
            wire [INT_WIDTH:0] ends = {1'b1, {INT_WIDTH{1'b0}}};
            wire unused_ends = ends[0];
            // smallest 100...0, largest 011...1
            assign result = not_a_number ? {INT_WIDTH{1'b0}} :
                too_large ? ends[INT_WIDTH:1] ^ {INT_WIDTH{~negative}} :
                negative ? -magnitude : magnitude;
        end else begin : natural
            assign result = (not_a_number | negative) ? {INT_WIDTH{1'b0}} :
                            too_large ? {INT_WIDTH{1'b1}} : magnitude;
        end
    endgenerate
    tepal_register_rank #(.WIDTH(INT_WIDTH), .RANKS(OUTPUT_RANKS)) output_rank (
        .clk(clk), .in(result), .out(out));
endmodule

`default_nettype wire
