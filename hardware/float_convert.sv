// tepal_float_convert: from one floating-point format to another, to the nearest number, ties to
// even. A format is its WIDTH and the number of EXPONENT bits; the rest is sign and fraction.
//
// Subnormals, infinities and signed zeros are kept or arise as IEEE 754 says; NaN becomes the
// canonical quiet NaN. One number per cycle; the result appears LATENCY cycles later. No reset, no
// stall.
//
// How it works: tepal_float_pack with the exponent moved to the bias of the other format. If that has
// fewer exponent bits, PAD zeros above the significand make room for subnormal results. Bits of the
// significand that cannot matter go into the sticky bit at the start.
//
// Register ranks behind the steps, by LATENCY:
//   0  none
//   1  output
//   2  about half of the levels of normalising | output
//   3  unpack | normalise | output
//   more  as 3, and the rest behind the output

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_convert #(
/* verilator lint_on DECLFILENAME */
    parameter IN_WIDTH = 32,
    parameter IN_EXPONENT = 8,
    parameter OUT_WIDTH = 16,
    parameter OUT_EXPONENT = 5,
    parameter LATENCY = 2
) (
    input  wire                 clk,
    input  wire [IN_WIDTH-1:0]  in,
    output wire [OUT_WIDTH-1:0] out
);
    localparam IN_FRACTION = IN_WIDTH - IN_EXPONENT - 1;
    localparam OUT_FRACTION = OUT_WIDTH - OUT_EXPONENT - 1;
    localparam NARROWS = IN_EXPONENT > OUT_EXPONENT ? 1 : 0;
    localparam WIDENS = IN_EXPONENT < OUT_EXPONENT ? 1 : 0;
    localparam PAD_LEVELS = $clog2(OUT_FRACTION + 2);
    localparam PAD = NARROWS != 0 ? 1 << PAD_LEVELS : 0;
    // subnormals are normalised only on the way to a larger range of exponents
    localparam LEVELS = NARROWS != 0 ? PAD_LEVELS + 1 : WIDENS != 0 ? $clog2(IN_FRACTION + 1) : 1;
    localparam LONGEST = OUT_FRACTION + 1 + (1 << LEVELS) - PAD;
    localparam KEPT = IN_FRACTION + 1 < LONGEST ? IN_FRACTION + 1 : LONGEST;
    localparam WIDER = NARROWS != 0 ? IN_EXPONENT : OUT_EXPONENT;
    localparam EXPONENT_WIDTH = WIDER > LEVELS ? WIDER + 2 : LEVELS + 2;
    localparam IN_BIAS = (1 << (IN_EXPONENT - 1)) - 1;
    localparam OUT_BIAS = (1 << (OUT_EXPONENT - 1)) - 1;
    localparam [31:0] OFFSET = OUT_BIAS - IN_BIAS + PAD - 1;

    localparam CUT_OUTPUT = LEVELS + 2;
    localparam [31:0] ONE = 1;
    localparam [31:0] CUTS =
        LATENCY == 0 ? 0 :
        (ONE << CUT_OUTPUT) | (
        LATENCY == 1 ? 0 :
        LATENCY == 2 ? ONE << ((LEVELS + 1) / 2) :
                       (ONE << 0) | (ONE << LEVELS));

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

    wire sign = in[IN_WIDTH-1];
    wire [IN_EXPONENT-1:0] field = in[IN_WIDTH-2:IN_FRACTION];
    wire [IN_FRACTION-1:0] fraction = in[IN_FRACTION-1:0];
    wire hidden = |field;
    wire special = &field;
    wire [EXPONENT_WIDTH-1:0] exponent = OFFSET[EXPONENT_WIDTH-1:0] +
        {{(EXPONENT_WIDTH-IN_EXPONENT){1'b0}}, field[IN_EXPONENT-1:1], field[0] | ~hidden};

    wire [IN_FRACTION:0] significand = {hidden, fraction};
    wire [PAD+KEPT-1:0]  value;
    wire                 sticky;
    generate
        if (NARROWS != 0) begin : padded
            assign value = {{PAD{1'b0}}, significand[IN_FRACTION -: KEPT]};
        end else begin : plain
            assign value = significand[IN_FRACTION -: KEPT];
        end
        if (KEPT < IN_FRACTION + 1) begin : cut_off
            assign sticky = |significand[IN_FRACTION-KEPT:0];
        end else begin : entire
            assign sticky = 1'b0;
        end
    endgenerate

    wire [OUT_WIDTH-1:0] packed_float;
    tepal_float_pack #(
        .EXPONENT(OUT_EXPONENT), .FRACTION(OUT_FRACTION), .VALUE_WIDTH(PAD + KEPT),
        .EXPONENT_WIDTH(EXPONENT_WIDTH), .LEVELS(LEVELS), .CUTS(CUTS)
    ) pack (
        .clk(clk), .sign(sign), .zero_sign(sign), .infinite(special),
        .nan(special & (|fraction)), .exponent(exponent), .value(value), .sticky(sticky),
        .out(packed_float));
    tepal_register_rank #(.WIDTH(OUT_WIDTH), .RANKS(EXTRA_RANKS)) extra_ranks (
        .clk(clk), .in(packed_float), .out(out));
endmodule

`default_nettype wire
