// tepal_int_divide: quotient and remainder of integers of WIDTH bits, two's complement if SIGNED.
//
// The quotient is rounded toward zero and the remainder has the sign of `left`. The cases that
// division leaves open: x / 0 is all ones, x % 0 is x; MIN / -1 is MIN, MIN % -1 is 0. OPERAND says
// how many low bits of the operands, read as two's complement, are all of their value; less than
// WIDTH makes the divider smaller. (Unsigned operands then have a zero in the highest of these.)
// One pair of operands per cycle; the results appear LATENCY cycles later. No reset, no stall.
//
// How it works
//   magnitudes  of the operands, and the signs of the results
//   rows        non-restoring digit recurrence, one quotient bit per row: with remainder R (first 0),
//               divisor D and the next bit B of the dividend,
//                   R' = 2R + B - D if R >= 0, else 2R + B + D;  quotient bit = (R' >= 0)
//               A row is one adder. A divisor of 0 leaves R = the dividend and quotient bits 1.
//   restore     a negative remainder
//   signs       of the results
// Every step is about one carry chain.
//
// Register ranks: LATENCY ranks are spread evenly over the OPERAND + 3 steps, the last one is at the
// output. More than that many go behind the output.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_int_divide #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter SIGNED = 1,
    parameter LATENCY = 18,
    parameter OPERAND = WIDTH
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] left,
    input  wire [WIDTH-1:0] right,
    output wire [WIDTH-1:0] quotient,
    output wire [WIDTH-1:0] remainder
);
    localparam STEPS = OPERAND + 3;
    localparam INNER_RANKS = LATENCY < STEPS ? LATENCY : STEPS;
    localparam OUTER_RANKS = LATENCY - INNER_RANKS;
    localparam [0:0] IS_SIGNED = SIGNED != 0;

    // The number of ranks behind steps from .. to-1.
    function integer ranks(input integer from, input integer to);
        ranks = to * INNER_RANKS / STEPS - from * INNER_RANKS / STEPS;
    endfunction

    // ---- Magnitudes ----
    wire [OPERAND-1:0] left_value = left[OPERAND-1:0];
    wire [OPERAND-1:0] right_value = right[OPERAND-1:0];
    wire left_negative = IS_SIGNED & left_value[OPERAND-1];
    wire right_negative = IS_SIGNED & right_value[OPERAND-1];
    wire [OPERAND-1:0] dividend, divisor;
    tepal_register_rank #(.WIDTH(2 * OPERAND), .RANKS(ranks(0, 1))) magnitude_rank (
        .clk(clk),
        .in({left_negative ? -left_value : left_value, right_negative ? -right_value : right_value}),
        .out({dividend, divisor}));
    wire by_zero, negates_quotient, negates_remainder;
    tepal_register_rank #(.WIDTH(3), .RANKS(ranks(0, STEPS - 1))) signs_rank (
        .clk(clk),
        .in({~(|right_value), left_negative ^ right_negative, left_negative}),
        .out({by_zero, negates_quotient, negates_remainder}));
    generate
        if (OPERAND < WIDTH) begin : narrow
            wire unused_high = ^{left[WIDTH-1:OPERAND], right[WIDTH-1:OPERAND]};
        end
    endgenerate

    // ---- Rows ----
    // `digits` holds what is left of the dividend above the quotient bits so far.
    genvar step;
    generate
        for (step = 0; step < OPERAND; step = step + 1) begin : row
            wire [OPERAND:0]   rest_in;
            wire [OPERAND-1:0] divisor_in, digits_in;
            if (step == 0) begin : first
                assign rest_in = {(OPERAND+1){1'b0}};
                assign divisor_in = divisor;
                assign digits_in = dividend;
            end else begin : next
                assign rest_in = row[step-1].rest_out;
                assign divisor_in = row[step-1].divisor_out;
                assign digits_in = row[step-1].digits_out;
            end

            // One more place at the right makes the carry in: the +1 of the two's complement.
            wire subtracts = ~rest_in[OPERAND];
            wire [OPERAND+1:0] sum =
                {rest_in[OPERAND-1:0], digits_in[OPERAND-1], subtracts} +
                {{1'b0, divisor_in} ^ {(OPERAND+1){subtracts}}, subtracts};
            wire [OPERAND:0] rest = sum[OPERAND+1:1];
            wire unused_place = sum[0];
            wire [OPERAND:0] digits = {digits_in, ~rest[OPERAND]};
            wire unused_digit = digits[OPERAND];

            wire [OPERAND:0]   rest_out;
            wire [OPERAND-1:0] divisor_out, digits_out;
            tepal_register_rank #(.WIDTH(3 * OPERAND + 1), .RANKS(ranks(step + 1, step + 2))) rank (
                .clk(clk),
                .in({rest, divisor_in, digits[OPERAND-1:0]}),
                .out({rest_out, divisor_out, digits_out}));
        end
    endgenerate

    // ---- Restore ----
    wire [OPERAND:0]   last_rest = row[OPERAND-1].rest_out;
    wire [OPERAND-1:0] last_divisor = row[OPERAND-1].divisor_out;
    wire [OPERAND-1:0] rest_magnitude, quotient_magnitude;
    tepal_register_rank #(.WIDTH(2 * OPERAND), .RANKS(ranks(OPERAND + 1, OPERAND + 2))) restored_rank (
        .clk(clk),
        .in({last_rest[OPERAND-1:0] + (last_divisor & {OPERAND{last_rest[OPERAND]}}),
             row[OPERAND-1].digits_out}),
        .out({rest_magnitude, quotient_magnitude}));

    // ---- Signs ----
    wire [WIDTH-1:0] rest_wide, quotient_wide;
    generate
        if (OPERAND < WIDTH) begin : widen
            assign rest_wide = {{(WIDTH-OPERAND){1'b0}}, rest_magnitude};
            assign quotient_wide = {{(WIDTH-OPERAND){1'b0}}, quotient_magnitude};
        end else begin : same
            assign rest_wide = rest_magnitude;
            assign quotient_wide = quotient_magnitude;
        end
    endgenerate
    tepal_register_rank #(.WIDTH(2 * WIDTH), .RANKS(ranks(STEPS - 1, STEPS) + OUTER_RANKS)) output_rank (
        .clk(clk),
        .in({by_zero ? {WIDTH{1'b1}} : negates_quotient ? -quotient_wide : quotient_wide,
             negates_remainder ? -rest_wide : rest_wide}),
        .out({quotient, remainder}));
endmodule

`default_nettype wire
