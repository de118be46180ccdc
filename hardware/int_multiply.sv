// tepal_int_multiply: out = left * right, integers of WIDTH bits, modulo 2**WIDTH.
//
// The product modulo 2**WIDTH is the same for signed and unsigned operands. OPERAND says how many low
// bits of the operands, read as two's complement, are all of their value: an i32 product of two
// extended i8 has WIDTH 32 and OPERAND 8, and takes one multiplier block instead of three. One pair
// of operands per cycle; the product appears LATENCY cycles later. No reset, no stall.
//
// How it works
//   cut       operands into parts of 17 bits for the signed 18 x 18 multiplier blocks; the last part
//             has the sign and may have 18
//   products  of all pairs of parts that reach the low WIDTH bits
//   rows      the sum of the products of one part of `left`
//   total     the sum of the rows
//
// Register ranks behind the steps, by LATENCY:
//   0  none
//   1  output
//   2  products | output; if there is one part: input | output
//   3  products | rows | output; if there is one part: input | products | output
//   4  input | products | rows | output
//   more  as 4, and the rest behind the output

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_int_multiply #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter LATENCY = 3,
    parameter OPERAND = WIDTH
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire [WIDTH-1:0] out
);
    localparam PART = 17;                           // bits of a part
    localparam BLOCK = PART + 1;                    // operand of a multiplier block
    localparam PARTS = OPERAND <= BLOCK ? 1 : (OPERAND - 1 + PART - 1) / PART;
    localparam CUT = PARTS * PART + 1;              // operand with its sign up to the last part
    localparam PRODUCT = 2 * BLOCK;
    localparam SUM = (WIDTH > PRODUCT ? WIDTH : PRODUCT) + 1;

    localparam INPUT_RANK = LATENCY >= (PARTS == 1 ? 2 : 4) ? 1 : 0;
    localparam PRODUCTS_RANK = LATENCY >= (PARTS == 1 ? 3 : 2) ? 1 : 0;
    localparam ROWS_RANK = LATENCY >= (PARTS == 1 ? 4 : 3) ? 1 : 0;
    localparam OUTPUT_RANKS = LATENCY - INPUT_RANK - PRODUCTS_RANK - ROWS_RANK;

    // ---- Cut ----
    wire [OPERAND-1:0] left_value, right_value;
    tepal_register_rank #(.WIDTH(2 * OPERAND), .RANKS(INPUT_RANK)) input_rank (
        .clk(clk), .in({left[OPERAND-1:0], right[OPERAND-1:0]}), .out({left_value, right_value}));
    generate
        if (OPERAND < WIDTH) begin : narrow
            wire unused_high = ^{left[WIDTH-1:OPERAND], right[WIDTH-1:OPERAND]};
        end
    endgenerate
    wire [CUT-1:0] left_cut, right_cut;
    generate
        if (OPERAND < CUT) begin : extend
            assign left_cut = {{(CUT-OPERAND){left_value[OPERAND-1]}}, left_value};
            assign right_cut = {{(CUT-OPERAND){right_value[OPERAND-1]}}, right_value};
        end else begin : whole
            assign left_cut = left_value;
            assign right_cut = right_value;
        end
    endgenerate

    // ---- Products ----
    wire [PARTS*PARTS*PRODUCT-1:0] products, products_out;
    genvar i, j;
    generate
        for (i = 0; i < PARTS; i = i + 1) begin : left_part
            for (j = 0; j < PARTS; j = j + 1) begin : right_part
                if ((i + j) * PART < WIDTH) begin : block
                    wire signed [BLOCK-1:0] a =
                        {i == PARTS - 1 ? left_cut[CUT-1] : 1'b0, left_cut[i*PART +: PART]};
                    wire signed [BLOCK-1:0] b =
                        {j == PARTS - 1 ? right_cut[CUT-1] : 1'b0, right_cut[j*PART +: PART]};
                    wire signed [PRODUCT-1:0] product = a * b;
                    assign products[(i*PARTS+j)*PRODUCT +: PRODUCT] = product;
                end else begin : beyond
                    assign products[(i*PARTS+j)*PRODUCT +: PRODUCT] = {PRODUCT{1'b0}};
                end
            end
        end
    endgenerate
    tepal_register_rank #(.WIDTH(PARTS*PARTS*PRODUCT), .RANKS(PRODUCTS_RANK)) products_rank (
        .clk(clk), .in(products), .out(products_out));

    // ---- Rows and total ----
    function [SUM-1:0] extended(input [PRODUCT-1:0] product);
        extended = {{(SUM-PRODUCT){product[PRODUCT-1]}}, product};
    endfunction
    function [PARTS*SUM-1:0] row_sums(input [PARTS*PARTS*PRODUCT-1:0] all);
        integer m, n;
        reg [SUM-1:0] row;
        for (m = 0; m < PARTS; m = m + 1) begin
            row = {SUM{1'b0}};
            for (n = 0; n < PARTS; n = n + 1)
                row = row + (extended(all[(m*PARTS+n)*PRODUCT +: PRODUCT]) << ((m + n) * PART));
            row_sums[m*SUM +: SUM] = row;
        end
    endfunction
    function [SUM-1:0] sum_of(input [PARTS*SUM-1:0] rows);
        integer k;
        begin
            sum_of = {SUM{1'b0}};
            for (k = 0; k < PARTS; k = k + 1) sum_of = sum_of + rows[k*SUM +: SUM];
        end
    endfunction
    wire [PARTS*SUM-1:0] rows = row_sums(products_out);
    wire [PARTS*SUM-1:0] rows_out;
    tepal_register_rank #(.WIDTH(PARTS*SUM), .RANKS(ROWS_RANK)) rows_rank (
        .clk(clk), .in(rows), .out(rows_out));
    wire [SUM-1:0] total = sum_of(rows_out);
    wire unused_total = ^total[SUM-1:WIDTH];
    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(OUTPUT_RANKS)) output_rank (
        .clk(clk), .in(total[WIDTH-1:0]), .out(out));
endmodule

`default_nettype wire
