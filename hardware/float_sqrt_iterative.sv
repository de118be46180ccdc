// tepal_float_sqrt_iterative: out = square root of in, one root bit per cycle; small, and with the
// same results as tepal_float_sqrt.
//
// In the cycle with go = 1 the operand is taken. `out` is its root from exactly LATENCY cycles later,
// whatever the operand, until the next result:
//     LATENCY = FRACTION + 6, FRACTION = WIDTH - EXPONENT - 1     (29 for 32-bit floats)
// go may be 1 again after FRACTION + 3 cycles, that is, before the result is out.
//
// How it works: as tepal_float_sqrt, with one row used FRACTION + 2 times. In cycles:
//   2              unpack the operand
//   FRACTION + 2   the row
//   2              sticky bit; round

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_float_sqrt_iterative #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter EXPONENT = 8
) (
    input  wire             clk,
    input  wire             go,
    input  wire [WIDTH-1:0] in,
    output reg  [WIDTH-1:0] out
);
    localparam FRACTION = WIDTH - EXPONENT - 1;
    localparam SIGNIFICAND = FRACTION + 1;
    localparam ROWS = FRACTION + 2;                 // hidden bit, fraction, guard
    localparam REMAINDER = ROWS + 2;
    localparam COUNT_WIDTH = $clog2(ROWS + 1);
    localparam [31:0] FULL_COUNT = ROWS;
    localparam BIAS = (1 << (EXPONENT - 1)) - 1;
    localparam [31:0] OFFSET = BIAS - 2;            // see tepal_float_pack
    localparam [31:0] ONE = 1;

    // ---- Unpack ----
    wire in_sign, in_zero, in_infinite, in_nan;
    wire [EXPONENT+1:0]    in_exponent;
    wire [SIGNIFICAND-1:0] significand;
    tepal_float_unpack #(.WIDTH(WIDTH), .EXPONENT(EXPONENT), .RANKS(1)) unpack (
        .clk(clk), .in(in), .sign(in_sign), .exponent(in_exponent), .significand(significand),
        .zero(in_zero), .infinite(in_infinite), .nan(in_nan));
    wire [EXPONENT+1:0] doubled = in_exponent + OFFSET[EXPONENT+1:0];
    wire unused_odd = doubled[0];
    wire nan_result = in_nan | (in_sign & ~in_zero);

    // ---- Rows ----
    reg                   unpacked, finished, packing;
    reg [COUNT_WIDTH-1:0] count;  // rows still to do
    reg [REMAINDER-1:0]   remainder;
    reg [SIGNIFICAND:0]   radicand;
    reg [ROWS-1:0]        root;
    reg [EXPONENT+1:0]    exponent;
    reg                   sign, infinite, nan;
    wire                  subtracts = ~remainder[REMAINDER-1];
    wire [REMAINDER-1:0]  next_remainder = {remainder[REMAINDER-3:0], radicand[SIGNIFICAND -: 2]} +
        {root ^ {ROWS{subtracts}}, 2'b11};
    wire                  unused_remainder = remainder[REMAINDER-2];  // equal to the sign

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
            remainder <= {REMAINDER{1'b0}};
            root <= {ROWS{1'b0}};
            // the bias is odd: an even field is an odd power of two
            radicand <= in_exponent[0] ? {1'b0, significand} : {significand, 1'b0};
            exponent <= {doubled[EXPONENT+1], doubled[EXPONENT+1:1]};
            sign <= in_sign;
            infinite <= nan_result | in_infinite;
            nan <= nan_result;
        end else if (count != {COUNT_WIDTH{1'b0}}) begin
            count <= count - {{(COUNT_WIDTH-1){1'b0}}, 1'b1};
            remainder <= next_remainder;
            radicand <= {radicand[SIGNIFICAND-2:0], 2'b00};
            root <= {root[ROWS-2:0], ~next_remainder[REMAINDER-1]};
        end
    end

    // ---- Sticky bit, round ----
    wire [REMAINDER-1:0] restored = remainder +
        ({1'b0, root, 1'b1} & {REMAINDER{remainder[REMAINDER-1]}});
    wire [WIDTH-1:0] packed_root;
    tepal_float_pack #(
        .EXPONENT(EXPONENT), .FRACTION(FRACTION), .VALUE_WIDTH(ROWS),
        .EXPONENT_WIDTH(EXPONENT + 2), .LEVELS(1), .CUTS(ONE << 0)
    ) pack (
        .clk(clk), .sign(sign), .zero_sign(sign), .infinite(infinite), .nan(nan),
        .exponent(exponent),
        .value(root), .sticky(|restored), .out(packed_root));
    always @(posedge clk) if (packing) out <= packed_root;
endmodule

`default_nettype wire
