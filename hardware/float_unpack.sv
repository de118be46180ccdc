// tepal_float_unpack: the parts of a floating-point number, with subnormals normalised.
//
//   significand   hidden bit and fraction; the top bit is 1 unless the number is zero
//   exponent      signed (EXPONENT + 2 bits): the field, as if it went on below 1 for subnormals
//   sign, zero, infinite, nan
// For zero, infinity and NaN, exponent and significand have no meaning, save that the significand of
// zero is 0. RANKS registers (0 or more) sit in the middle of normalising.
//
// How it works: level k shifts left by 2**k if the top 2**k bits are zero; the sum of the shifts is
// subtracted from the exponent.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_unpack #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8,
    parameter RANKS = 0
) (
    input  wire                      clk,
    input  wire [WIDTH-1:0]          in,
    output wire                      sign,
    output wire [EXPONENT+1:0]       exponent,
    output wire [WIDTH-EXPONENT-1:0] significand,
    output wire                      zero,
    output wire                      infinite,
    output wire                      nan
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam SIGNIFICAND = FRACTION + 1;
    localparam LEVELS = $clog2(SIGNIFICAND);
    localparam MIDDLE = LEVELS / 2;  // levels behind the registers
    localparam COARSE = LEVELS - MIDDLE;

    wire [EXPONENT-1:0] field = in[WIDTH-2:FRACTION];
    wire [FRACTION-1:0] fraction = in[FRACTION-1:0];
    wire hidden = |field;
    wire special = &field;
    wire has_fraction = |fraction;

    reg [SIGNIFICAND-1:0] coarse_value;
    reg [COARSE-1:0]      coarse_shift;
    integer i;
    always_comb begin
        coarse_value = {hidden, fraction};
        coarse_shift = {COARSE{1'b0}};
        for (i = COARSE - 1; i >= 0; i = i - 1)
            if ((coarse_value >> (SIGNIFICAND - (1 << (MIDDLE + i)))) == {SIGNIFICAND{1'b0}}) begin
                coarse_value = coarse_value << (1 << (MIDDLE + i));
                coarse_shift[i] = 1'b1;
            end
    end

    wire [SIGNIFICAND-1:0] middle_value;
    wire [COARSE-1:0]      middle_shift;
    wire [EXPONENT-1:0]    middle_field;
    tepal_register_rank #(
        .WIDTH(SIGNIFICAND + COARSE + EXPONENT + 4), .RANKS(RANKS)
    ) middle_rank (
        .clk(clk),
        .in({coarse_value, coarse_shift, field[EXPONENT-1:1], field[0] | ~hidden,
             in[WIDTH-1], ~hidden & ~has_fraction, special & ~has_fraction,
             special & has_fraction}),
        .out({middle_value, middle_shift, middle_field, sign, zero, infinite, nan}));

    reg [SIGNIFICAND-1:0] value;
    reg [MIDDLE-1:0]      fine_shift;
    integer j;
    always_comb begin
        value = middle_value;
        fine_shift = {MIDDLE{1'b0}};
        for (j = MIDDLE - 1; j >= 0; j = j - 1)
            if ((value >> (SIGNIFICAND - (1 << j))) == {SIGNIFICAND{1'b0}}) begin
                value = value << (1 << j);
                fine_shift[j] = 1'b1;
            end
    end
    assign significand = value;
    assign exponent = {2'b00, middle_field} -
        {{(EXPONENT+2-LEVELS){1'b0}}, middle_shift, fine_shift};
endmodule

`default_nettype wire
