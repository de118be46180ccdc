// tepal_float_divide_iterative: out = left / right, one quotient bit per cycle; small, and with the
// same results as tepal_float_divide.
//
// In the cycle with go = 1 the operands are taken. `out` is their quotient from exactly LATENCY cycles
// later, whatever the operands, until the next result:
//     LATENCY = FRACTION + 8, FRACTION = WIDTH - EXPONENT - 1     (31 for 32-bit floats)
// go may be 1 again after FRACTION + 4 cycles, that is, before the result is out.
//
// How it works: as tepal_float_divide, with one row used FRACTION + 3 times. In cycles:
//   2              unpack both operands
//   FRACTION + 3   the row
//   3              sticky bit; normalise; round

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_divide_iterative #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8
) (
    input  wire             clk,
    input  wire             go,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output reg  [WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam SIGNIFICAND = FRACTION + 1;
    localparam ROWS = FRACTION + 3;                 // integer bit, fraction, guard, one for q < 1
    localparam REMAINDER = SIGNIFICAND + 2;         // sign, significand, one more place
    localparam COUNT_WIDTH = $clog2(ROWS + 1);
    localparam [31:0] FULL_COUNT = ROWS;
    localparam PAD_LEVELS = $clog2(FRACTION + 2);
    localparam PAD = 1 << PAD_LEVELS;
    localparam LEVELS = PAD_LEVELS + 1;
    localparam EXPONENT_WIDTH = EXPONENT > LEVELS ? EXPONENT + 3 : LEVELS + 3;
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;
    localparam [31:0] OFFSET = BIAS + PAD - 1;
    localparam [31:0] ONE = 1;

    // ---- Unpack ----
    wire left_sign, left_zero, left_infinite, left_nan;
    wire right_sign, right_zero, right_infinite, right_nan;
    wire [EXPONENT+1:0]    left_exponent, right_exponent;
    wire [SIGNIFICAND-1:0] left_significand, right_significand;
    tepal_float_unpack #(.WIDTH(WIDTH), .EXPONENT(EXPONENT), .RANKS(1)) left_unpack (
        .clk(clk), .in(left), .sign(left_sign), .exponent(left_exponent),
        .significand(left_significand), .zero(left_zero), .infinite(left_infinite),
        .nan(left_nan));
    tepal_float_unpack #(.WIDTH(WIDTH), .EXPONENT(EXPONENT), .RANKS(1)) right_unpack (
        .clk(clk), .in(right), .sign(right_sign), .exponent(right_exponent),
        .significand(right_significand), .zero(right_zero), .infinite(right_infinite),
        .nan(right_nan));
    wire nan_result = left_nan | right_nan | (left_zero & right_zero) |
                      (left_infinite & right_infinite);

    // ---- Rows ----
    reg                     unpacked, finished, packing;
    reg [COUNT_WIDTH-1:0]   count;  // rows still to do
    reg [REMAINDER-1:0]     remainder;
    reg [SIGNIFICAND-1:0]   divisor;
    reg [ROWS-1:0]          quotient;
    reg [EXPONENT+2:0]      difference;
    reg                     sign, flush, infinite, nan;
    wire                    subtracts = ~remainder[REMAINDER-1];
    wire [REMAINDER-1:0]    next_remainder = {remainder[REMAINDER-2:0], subtracts} +
        ({1'b0, divisor, 1'b0} ^ {REMAINDER{subtracts}});
    wire                    unused_quotient = quotient[ROWS-1];  // shifted out: from the last time

    initial begin
        unpacked = 1'b0;
        finished = 1'b0;
        packing = 1'b0;
        count = {COUNT_WIDTH{1'b0}};
    end
    always @(posedge clk) begin
        unpacked <= go;
        finished <= count == {{(COUNT_WIDTH-1){1'b0}}, 1'b1};
        packing <= finished;
        if (unpacked) begin
            count <= FULL_COUNT[COUNT_WIDTH-1:0];
            remainder <= {2'b00, left_significand};
            divisor <= right_significand;
            difference <= {left_exponent[EXPONENT+1], left_exponent} -
                          {right_exponent[EXPONENT+1], right_exponent};
            sign <= left_sign ^ right_sign;
            flush <= right_infinite;
            infinite <= nan_result | left_infinite | right_zero;
            nan <= nan_result;
        end else if (count != {COUNT_WIDTH{1'b0}}) begin
            count <= count - {{(COUNT_WIDTH-1){1'b0}}, 1'b1};
            remainder <= next_remainder;
            quotient <= {quotient[ROWS-2:0], ~next_remainder[REMAINDER-1]};
        end
    end

    // ---- Sticky bit, denormalise, round ----
    wire [EXPONENT_WIDTH-1:0] exponent =
        {{(EXPONENT_WIDTH-EXPONENT-2){difference[EXPONENT+2]}}, difference[EXPONENT+1:0]} +
        OFFSET[EXPONENT_WIDTH-1:0];
    wire [REMAINDER-1:0] restored = remainder +
        ({1'b0, divisor, 1'b0} & {REMAINDER{remainder[REMAINDER-1]}});
    wire [WIDTH-1:0] packed_quotient;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(PAD + ROWS),
        .EXPONENT_WIDTH(EXPONENT_WIDTH), .LEVELS(LEVELS),
        .CUTS((ONE << 0) | (ONE << (LEVELS - 1)))
    ) pack (
        .clk(clk), .sign(sign), .zero_sign(sign), .infinite(infinite), .nan(nan),
        .exponent(flush ? {1'b1, {(EXPONENT_WIDTH-1){1'b0}}} : exponent),
        .value({{PAD{1'b0}}, quotient}), .sticky(|restored), .out(packed_quotient));
    reg normalised;
    initial normalised = 1'b0;
    always @(posedge clk) begin
        normalised <= packing;
        if (normalised) out <= packed_quotient;
    end
endmodule

`default_nettype wire
