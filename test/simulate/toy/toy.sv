// A design by hand, with the ports and the folder of one that `tepal build` makes:
//     y[i] = a[i] + b[i]     t = a[0, 0]
// a lies in two banks (cyclic), y in two others (block), b in one; see interface.json.
`default_nettype none

module toy (
    input  wire        clk,
    input  wire        reset,
    input  wire        go,
    output reg         done,
    input  wire [3:0]  a_addr,
    input  wire        a_write_en,
    input  wire [31:0] a_write_data,
    input  wire [3:0]  b_addr,
    input  wire        b_write_en,
    input  wire [31:0] b_write_data,
    input  wire [3:0]  y_addr,
    output reg  [31:0] y_read_data,
    input  wire [0:0]  t_addr,
    output reg  [31:0] t_read_data
);
    reg [31:0] a [0:11];
    reg [31:0] b [0:15];
    reg [31:0] y [0:11];
    reg [31:0] t;
    reg [31:0] offsets [0:0];  // of no effect: it shows how a memory image is read
    initial $readmemh("zero.hex", offsets);

    reg       row, busy;
    reg [2:0] column;
    // Bank and offset of [row, column], as interface.json has them.
    wire [3:0] a_place = (column[0] ? 4'd6 : 4'd0) + (row ? 4'd3 : 4'd0) + {2'b0, column[2:1]};
    wire       y_bank = column >= 3;
    wire [2:0] y_column = y_bank ? column - 3'd3 : column;
    wire [3:0] y_place = (y_bank ? 4'd6 : 4'd0) + (row ? 4'd3 : 4'd0) + {1'b0, y_column};
    wire [3:0] b_place = (row ? 4'd5 : 4'd0) + {1'b0, column};

    always @(posedge clk) begin
        if (a_write_en) a[a_addr] <= a_write_data;
        if (b_write_en) b[b_addr] <= b_write_data;
        y_read_data <= y[y_addr];
        t_read_data <= t_addr[0] ? 32'hdeadbeef : t;
        if (reset) begin
            busy <= 0;
            done <= 0;
        end else if (!busy) begin
            done <= 0;
            row <= 0;
            column <= 0;
            busy <= go & ~done;
        end else begin
            y[y_place] <= a[a_place] + b[b_place] + offsets[0];
            t <= a[0];
`ifdef TOY_RANGE
            $error("%m: write to address %0d of %0d words", 12, 12);
`endif
            column <= column == 4 ? 3'd0 : column + 3'd1;
            row <= row ^ (column == 4);
            if (row && column == 4) begin
                busy <= 0;
                done <= 1;
            end
        end
    end
endmodule

`default_nettype wire
