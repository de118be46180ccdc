// tepal_register_rank: an optional pipeline register.
//
// `out` is `in` of RANKS clock cycles ago; RANKS = 0 is a plain wire. There is neither reset nor
// enable, so that synthesis may retime it and use shift-register primitives. Every pipelined unit
// of this library is a chain of combinational steps with one of these behind each step; the unit's
// LATENCY picks which of them hold a register.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_register_rank #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 1,
    parameter RANKS = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] in,
    output wire [WIDTH-1:0] out
);
    generate
        if (RANKS == 0) begin : wires
            wire unused_clk = clk;
            assign out = in;
        end else begin : registers
            reg  [RANKS*WIDTH-1:0] ranks;
            wire [(RANKS+1)*WIDTH-1:0] chain = {ranks, in};
            always @(posedge clk) ranks <= chain[RANKS*WIDTH-1:0];
            assign out = chain[RANKS*WIDTH +: WIDTH];
        end
    endgenerate
endmodule

`default_nettype wire
