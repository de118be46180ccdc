// tepal_memory: a memory of DEPTH words of WIDTH bits with one synchronous read port and one write
// port; all zeros at the start.
//
//   read_enable    read_data becomes the word at read_address one clock cycle later (two with
//                  OUTPUT_REGISTER); without it, it stays as it is
//   read_clear     read_data becomes 0 instead, as early; block RAM has a reset for that. Banks of
//                  which one is read and the others are cleared need only an or between them
//   write_enable   the word at write_address becomes write_data
// No word may be read and written in one cycle: simulation reports it. With COLLISIONS = 1 it may be,
// and such a read gives the old word; where the FPGA's block RAM does not promise that, synthesis adds
// registers and a bypass around it (about WIDTH * 2 + ADDRESS_WIDTH flip-flops).
// ADDRESS_WIDTH must be at least $clog2(DEPTH), and at least 1.
//
// Synthesis makes block RAM of it, or distributed RAM or registers where it is small. OUTPUT_REGISTER
// takes the block RAM's slow clock-to-output out of the following logic.
//
// In simulation every address that has a meaning is checked: an access out of range is an error
// message with the instance's name (in Verilator with --assert); such a write is dropped, such a read
// gives an arbitrary word.
// The words are in `mem`, which a testbench may load with $readmemh at time 0. With the plusarg
// +contents=FOLDER each memory writes its words to FOLDER/INSTANCE at the end of the simulation.

`default_nettype none

/* verilator lint_off DECLFILENAME */ // the files of this library go without the module's prefix
module tepal_memory #(
/* verilator lint_on DECLFILENAME */
    parameter WIDTH = 32,
    parameter DEPTH = 1,
    parameter ADDRESS_WIDTH = 1,
    parameter OUTPUT_REGISTER = 0,
    parameter COLLISIONS = 0
) (
    input  wire                     clk,
    input  wire                     read_enable,
    input  wire                     read_clear,
    input  wire [ADDRESS_WIDTH-1:0] read_address,
    output wire [WIDTH-1:0]         read_data,
    input  wire                     write_enable,
    input  wire [ADDRESS_WIDTH-1:0] write_address,
    input  wire [WIDTH-1:0]         write_data
);
    localparam INDEX_WIDTH = DEPTH > 1 ? $clog2(DEPTH) : 1;

    reg [WIDTH-1:0] mem [0:DEPTH-1];
    reg [WIDTH-1:0] word;
    wire [INDEX_WIDTH-1:0] read_index = read_address[INDEX_WIDTH-1:0];
    wire [INDEX_WIDTH-1:0] write_index = write_address[INDEX_WIDTH-1:0];
    wire write_in_range;

    always @(posedge clk) if (write_enable & write_in_range) mem[write_index] <= write_data;

    wire collision = read_enable & write_enable & (read_index == write_index);
    generate
        if (COLLISIONS != 0) begin : old_word
            wire unused_collision = collision;
            always @(posedge clk)
                if (read_clear) word <= {WIDTH{1'b0}};
                else if (read_enable) word <= mem[read_index];
        end else begin : any_word
            always @(posedge clk)
                if (read_clear) word <= {WIDTH{1'b0}};
                else if (read_enable) word <= collision ? {WIDTH{1'bx}} : mem[read_index];
            `ifndef SYNTHESIS
            always @(posedge clk)
                if (collision) $error("%m: read and write of address %0d at once", read_address);
            `endif
        end
    endgenerate

    tepal_register_rank #(.WIDTH(WIDTH), .RANKS(OUTPUT_REGISTER)) output_rank (
        .clk(clk), .in(word), .out(read_data));

`ifdef SYNTHESIS
    assign write_in_range = 1'b1;
    generate
        if (ADDRESS_WIDTH > INDEX_WIDTH) begin : wide
            wire unused_high = (&read_address[ADDRESS_WIDTH-1:INDEX_WIDTH]) |
                               (&write_address[ADDRESS_WIDTH-1:INDEX_WIDTH]);
        end
    endgenerate
    // FPGA block RAM without initial contents holds zeros after configuration. Saying so anyway
    // costs Yosys time that grows with the square of DEPTH; small memories may become registers.
    integer i;
    initial if (DEPTH <= 256) for (i = 0; i < DEPTH; i = i + 1) mem[i] = {WIDTH{1'b0}};
`else
    localparam [31:0] WORDS = DEPTH;
    localparam MEASURE = ADDRESS_WIDTH + 1;  // one more bit than an address: DEPTH fits
    assign write_in_range = {1'b0, write_address} < WORDS[MEASURE-1:0];
    always @(posedge clk) begin
        assert (~write_enable | write_in_range)
            else $error("%m: write to address %0d of %0d words", write_address, DEPTH);
        assert (~read_enable | {1'b0, read_address} < WORDS[MEASURE-1:0])
            else $error("%m: read from address %0d of %0d words", read_address, DEPTH);
    end

    // The initial value of a variable is set before all initial blocks run, so that a testbench's
    // $readmemh is not overwritten, in whichever order these run.
    function make_zero(input value);
        integer i;
        begin
            for (i = 0; i < DEPTH; i = i + 1) mem[i] = {WIDTH{1'b0}};
            word = {WIDTH{1'b0}};
            make_zero = value;
        end
    endfunction
    reg unused_zeroed = make_zero(1'b0);

    reg [8191:0] contents_folder;
    final
        if ($value$plusargs("contents=%s", contents_folder))
            $writememh($sformatf("%0s/%m", contents_folder), mem);
`endif
endmodule

`default_nettype wire
