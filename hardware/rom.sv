// tepal_rom: a read-only memory of DEPTH words of WIDTH bits, with the contents of the file IMAGE
// (hexadecimal, one word a line, as $readmemh reads it); without IMAGE it has no contents.
//
//   read_enable    read_data becomes the word at read_address one clock cycle later (two with
//                  OUTPUT_REGISTER); without it, it stays as it is
// ADDRESS_WIDTH must be at least $clog2(DEPTH), and at least 1. A relative IMAGE is looked up in the
// folder in which the simulator or synthesis tool runs.
//
// Synthesis makes block RAM of it, or logic where it is small. In simulation, an enabled read out
// of range is an error message with the instance's name (in Verilator with --assert) and gives an
// arbitrary word.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_rom #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter DEPTH = 1,
    parameter ADDRESS_WIDTH = 1,
    parameter IMAGE = "",
    parameter OUTPUT_REGISTER = 0
) (
    input  wire                     clk,
    input  wire                     read_enable,
    input  wire [ADDRESS_WIDTH-1:0] read_address,
    output wire [WIDTH-1:0]         read_data
);
    localparam INDEX_WIDTH = DEPTH > 1 ? $clog2(DEPTH) : 1;

    reg [WIDTH-1:0] mem [0:DEPTH-1];
    reg [WIDTH-1:0] word;
    wire [INDEX_WIDTH-1:0] read_index = read_address[INDEX_WIDTH-1:0];

    initial if (IMAGE != "") $readmemh(IMAGE, mem);
    always @(posedge clk) if (read_enable) word <= mem[read_index];

    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(OUTPUT_REGISTER)) output_rank (
        .clk(clk), .in(word), .out(read_data));

`ifdef SYNTHESIS
    generate
        if (ADDRESS_WIDTH > INDEX_WIDTH) begin : wide
            wire unused_high = &read_address[ADDRESS_WIDTH-1:INDEX_WIDTH];
        end
    endgenerate
`else
    localparam [31:0] WORDS = DEPTH;
    localparam MEASURE = ADDRESS_WIDTH + 1;  // one more bit than an address: DEPTH fits
    always @(posedge clk)
        assert (~read_enable | {1'b0, read_address} < WORDS[MEASURE-1:0])
            else $error("%m: read from address %0d of %0d words", read_address, DEPTH);
`endif
endmodule

`default_nettype wire
