// tepal_float_multiply: out = left * right. IEEE 754, round to nearest even, with subnormals,
// infinities and a canonical quiet NaN.
//
// A number has WIDTH bits: sign, EXPONENT bits of exponent, the rest fraction. One pair of operands
// per cycle; the product appears LATENCY cycles later. No reset, no stall.
//
// How it works
//   unpack    hidden bits and special operands; a subnormal counts as exponent 1, hidden bit 0, and
//             is not normalised here
//   multiply  the significands, in the FPGA's multiplier blocks. A significand of more than
//             DSP_WIDTH bits is split in two, which gives four partial products ...
//   middle    ... of which the two in the middle are added here,
//   sum       and the rest here. Two adders behind each other are smaller than a carry-save tree.
//   pack      normalising, rounding, special values: tepal_float_pack. PAD zeros above the product
//             let the same left shift normalise the products of subnormal operands and
//             denormalise subnormal results.
//   NaN: an operand is NaN, or 0 * infinity.
//
// Register ranks behind the steps, by LATENCY. "normalise a..b" are pack's levels that shift by a
// to b bits, the numbers are those of 32-bit floats (LATENCY 5: >= 115 MHz on an ECP5 of speed 6):
//   0  none
//   1  output
//   2  sum | output
//   3  multiply | sum, normalise 32, 16 | output
//   4  multiply | sum, normalise 32, 16 | normalise 8..2 | output
//   5  unpack | multiply | sum, normalise 32 | normalise 16..4 | output
//   6  unpack | multiply | middle | sum, normalise 32, 16 | normalise 8..2 | output
//   7  unpack | multiply | middle | sum, normalise 32 | normalise 16..4 | normalise 2, 1 | output
//   more  as 7, and the rest behind the output

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_multiply #(
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
    localparam PRODUCT = 2 * SIGNIFICAND;
    localparam DSP_WIDTH = 18;                      // unsigned operands of a multiplier block
    localparam PAD_LEVELS = $clog2(FRACTION + 2);
    localparam PAD = 1 << PAD_LEVELS;
    localparam LEVELS = PAD_LEVELS + 1;
    localparam EXPONENT_WIDTH = EXPONENT > LEVELS ? EXPONENT + 2 : LEVELS + 2;
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;

    localparam CUT_UNPACKED = 0;
    localparam CUT_MULTIPLIED = 1;
    localparam CUT_MIDDLE = 2;
    localparam CUT_SUM = 3;                         // the first of pack's positions
    localparam CUT_OUTPUT = CUT_SUM + LEVELS + 2;
    localparam [31:0] ONE = 1;
    localparam [31:0] CUTS =
        LATENCY == 0 ? 0 :
        (ONE << CUT_OUTPUT) | (
        LATENCY == 1 ? 0 :
        LATENCY == 2 ? ONE << CUT_SUM :
        LATENCY == 3 ? (ONE << CUT_MULTIPLIED) | (ONE << (CUT_SUM + 2)) :
        LATENCY == 4 ? (ONE << CUT_MULTIPLIED) | (ONE << (CUT_SUM + 2)) |
                       (ONE << (CUT_SUM + LEVELS - 1)) :
        LATENCY == 5 ? (ONE << CUT_UNPACKED) | (ONE << CUT_MULTIPLIED) | (ONE << (CUT_SUM + 1)) |
                       (ONE << (CUT_SUM + LEVELS - 2)) :
        LATENCY == 6 ? (ONE << CUT_UNPACKED) | (ONE << CUT_MULTIPLIED) | (ONE << CUT_MIDDLE) |
                       (ONE << (CUT_SUM + 2)) | (ONE << (CUT_SUM + LEVELS - 1)) :
                       (ONE << CUT_UNPACKED) | (ONE << CUT_MULTIPLIED) | (ONE << CUT_MIDDLE) |
                       (ONE << (CUT_SUM + 1)) | (ONE << (CUT_SUM + LEVELS - 2)) |
                       (ONE << (CUT_SUM + LEVELS)));

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

    // ---- Unpack ----
    wire [EXPONENT-1:0] left_field = left[WIDTH-2:FRACTION];
    wire [EXPONENT-1:0] right_field = right[WIDTH-2:FRACTION];
    wire [FRACTION-1:0] left_fraction = left[FRACTION-1:0];
    wire [FRACTION-1:0] right_fraction = right[FRACTION-1:0];
    wire left_hidden = |left_field, left_special = &left_field;
    wire right_hidden = |right_field, right_special = &right_field;
    wire left_zero = ~left_hidden & ~(|left_fraction);
    wire right_zero = ~right_hidden & ~(|right_fraction);

    wire [SIGNIFICAND-1:0] left_factor, right_factor;
    wire [EXPONENT-1:0]    left_exponent, right_exponent;
    wire                   unpacked_sign, unpacked_special, unpacked_nan;
    tepal_register_rank #(
        .WIDTH(2 * SIGNIFICAND + 2 * EXPONENT + 3), .RANKS(CUTS[CUT_UNPACKED] ? 1 : 0)
    ) unpacked_rank (
        .clk(clk),
        .in({left_hidden, left_fraction, right_hidden, right_fraction,
             left_field[EXPONENT-1:1], left_field[0] | ~left_hidden,
             right_field[EXPONENT-1:1], right_field[0] | ~right_hidden,
             left[WIDTH-1] ^ right[WIDTH-1], left_special | right_special,
             (left_special & ((|left_fraction) | right_zero)) |
             (right_special & ((|right_fraction) | left_zero))}),
        .out({left_factor, right_factor, left_exponent, right_exponent,
              unpacked_sign, unpacked_special, unpacked_nan}));

    // ---- Multiply; beside it, the exponents' sum ----
    wire [EXPONENT:0] sum_of_exponents;
    wire multiplied_sign, multiplied_special, multiplied_nan;
    tepal_register_rank #(
        .WIDTH(EXPONENT + 4), .RANKS(CUTS[CUT_MULTIPLIED] ? 1 : 0)
    ) exponent_rank (
        .clk(clk),
        .in({{1'b0, left_exponent} + {1'b0, right_exponent},
             unpacked_sign, unpacked_special, unpacked_nan}),
        .out({sum_of_exponents, multiplied_sign, multiplied_special, multiplied_nan}));

    localparam [31:0] OFFSET = PAD - BIAS;  // of the top bit, see tepal_float_pack
    wire [EXPONENT_WIDTH-1:0] exponent;
    wire sign, special, nan;
    tepal_register_rank #(
        .WIDTH(EXPONENT_WIDTH + 3), .RANKS(CUTS[CUT_MIDDLE] ? 1 : 0)
    ) offset_rank (
        .clk(clk),
        .in({{{(EXPONENT_WIDTH-EXPONENT-1){1'b0}}, sum_of_exponents} + OFFSET[EXPONENT_WIDTH-1:0],
             multiplied_sign, multiplied_special, multiplied_nan}),
        .out({exponent, sign, special, nan}));

    wire [PRODUCT-1:0] product;
    generate
        if (SIGNIFICAND > DSP_WIDTH) begin : split
            localparam HIGH = SIGNIFICAND - DSP_WIDTH;
            wire [DSP_WIDTH-1:0] left_low = left_factor[DSP_WIDTH-1:0];
            wire [DSP_WIDTH-1:0] right_low = right_factor[DSP_WIDTH-1:0];
            wire [HIGH-1:0]      left_high = left_factor[SIGNIFICAND-1:DSP_WIDTH];
            wire [HIGH-1:0]      right_high = right_factor[SIGNIFICAND-1:DSP_WIDTH];
            wire [2*DSP_WIDTH-1:0] low_product = left_low * right_low;
            wire [SIGNIFICAND-1:0] left_cross = left_high * right_low;
            wire [SIGNIFICAND-1:0] right_cross = left_low * right_high;
            wire [2*HIGH-1:0]      high_product = left_high * right_high;

            wire [PRODUCT-1:0]     outer;  // high and low product side by side
            wire [SIGNIFICAND-1:0] cross1, cross2;
            tepal_register_rank #(
                .WIDTH(2 * PRODUCT), .RANKS(CUTS[CUT_MULTIPLIED] ? 1 : 0)
            ) multiplied_rank (
                .clk(clk),
                .in({high_product, low_product, left_cross, right_cross}),
                .out({outer, cross1, cross2}));

            wire [PRODUCT-1:0]   middle_outer;
            wire [SIGNIFICAND:0] middle;
            tepal_register_rank #(
                .WIDTH(PRODUCT + SIGNIFICAND + 1), .RANKS(CUTS[CUT_MIDDLE] ? 1 : 0)
            ) middle_rank (
                .clk(clk),
                .in({outer, {1'b0, cross1} + {1'b0, cross2}}),
                .out({middle_outer, middle}));

            wire [PRODUCT-DSP_WIDTH-1:0] upper = middle_outer[PRODUCT-1:DSP_WIDTH] +
                {{(PRODUCT-DSP_WIDTH-SIGNIFICAND-1){1'b0}}, middle};
            assign product = {upper, middle_outer[DSP_WIDTH-1:0]};
        end else begin : whole
            wire [PRODUCT-1:0] whole_product = left_factor * right_factor;
            tepal_register_rank #(
                .WIDTH(PRODUCT),
                .RANKS((CUTS[CUT_MULTIPLIED] ? 1 : 0) + (CUTS[CUT_MIDDLE] ? 1 : 0))
            ) multiplied_rank (
                .clk(clk), .in(whole_product), .out(product));
        end
    endgenerate

    // ---- Normalise, round ----
    wire [WIDTH-1:0] packed_product;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(PAD + PRODUCT),
        .EXPONENT_WIDTH(EXPONENT_WIDTH), .LEVELS(LEVELS), .CUTS(CUTS >> CUT_SUM)
    ) pack (
        .clk(clk), .sign(sign), .zero_sign(sign), .infinite(special), .nan(nan),
        .exponent(exponent), .value({{PAD{1'b0}}, product}), .sticky(1'b0), .out(packed_product));
    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(EXTRA_RANKS)) extra_ranks (
        .clk(clk), .in(packed_product), .out(out));
endmodule

`default_nettype wire
