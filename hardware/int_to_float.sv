// tepal_int_to_float: an integer as the nearest floating-point number, ties to even.
//
// `in` has INT_WIDTH bits (1 to 64), two's complement if SIGNED, else unsigned. The result has WIDTH
// bits: sign, EXPONENT bits of exponent, the rest fraction. Integers beyond the largest finite
// number become infinity (only possible in small formats); 0 becomes +0. One integer per cycle; the
// result appears LATENCY cycles later. No reset, no stall.
//
// How it works: take the magnitude, then normalise and round it in tepal_float_pack. The exponent of
// its top bit is a constant.
//
// Register ranks behind the steps, by LATENCY ("normalise a..b" are pack's levels that shift by a to
// b bits, here those of 32-bit integers):
//   0  none
//   1  output
//   2  normalise 16, 8 | output
//   3  magnitude, normalise 16 | normalise 8..2 | output
//   4  magnitude | normalise 16, 8 | normalise 4..1 | output
//   more  as 4, and the rest behind the output

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_int_to_float #(
/* verilator lint_on DECLFILENAME */
    parameter INT_WIDTH = 32,
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter SIGNED = 1,
    parameter LATENCY = 3
) (
    input  wire                 clk,
    input  wire [INT_WIDTH-1:0] in,
    output wire [WIDTH-1:0]     out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam LEVELS = INT_WIDTH > 2 ? $clog2(INT_WIDTH) : 1;
    // the field is at most BIAS + 63, and pack needs LEVELS + 2 bits
    localparam EXPONENT_WIDTH = EXPONENT > LEVELS ? EXPONENT + 2 : LEVELS + 3;
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;
    localparam [31:0] TOP_EXPONENT = BIAS + INT_WIDTH - 2;

    localparam CUT_OUTPUT = LEVELS + 2;
    localparam EARLY = LEVELS > 2 ? 2 : LEVELS;  // behind the second level, if there are so many
    localparam [31:0] ONE = 1;
    localparam [31:0] CUTS =
        LATENCY == 0 ? 0 :
        (ONE << CUT_OUTPUT) | (
        LATENCY == 1 ? 0 :
        LATENCY == 2 ? ONE << EARLY :
        LATENCY == 3 ? (ONE << (LEVELS > 1 ? 1 : 0)) | (ONE << (LEVELS > 2 ? LEVELS - 1 : LEVELS)) :
                       (ONE << 0) | (ONE << EARLY) | (ONE << (LEVELS + 1)));

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

    wire negative;
    wire [INT_WIDTH-1:0] magnitude = negative ? -in : in;
    generate
        if (SIGNED != 0) begin : two_complement
            assign negative = in[INT_WIDTH-1];
        end else begin : natural
            assign negative = 1'b0;
        end
    endgenerate

    wire [WIDTH-1:0] packed_float;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(INT_WIDTH),
        .EXPONENT_WIDTH(EXPONENT_WIDTH), .LEVELS(LEVELS), .CUTS(CUTS)
    ) pack (
        .clk(clk), .sign(negative), .zero_sign(1'b0), .infinite(1'b0), .nan(1'b0),
        .exponent(TOP_EXPONENT[EXPONENT_WIDTH-1:0]), .value(magnitude), .sticky(1'b0), .out(packed_float));
    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(EXTRA_RANKS)) extra_ranks (
        .clk(clk), .in(packed_float), .out(out));
endmodule

`default_nettype wire
