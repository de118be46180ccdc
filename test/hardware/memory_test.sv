// Behaviour of tepal_memory and tepal_rom. With +misuse=N it does one forbidden thing instead, which
// the memories must report: 1 a write and 2 a read out of range, 3 a collision, 4 a ROM read out of
// range. words.hex, in the current folder, holds the words 8'h10 .. 8'h17.

`default_nettype none
`timescale 1ns / 1ns

module memory_test;
    localparam DEPTH = 5;
    reg clk = 1'b0;
    reg read_enable = 1'b0, read_clear = 1'b0, write_enable = 1'b0, rom_enable = 1'b0;
    reg [2:0] read_address = 3'd0, write_address = 3'd0;
    reg [7:0] write_data = 8'h00;
    wire [7:0] direct_data, delayed_data, apart_data, loaded_data, rom_data;
    integer failures = 0, misuse = 0, i;

    tepal_memory #(.WIDTH(8), .DEPTH(DEPTH), .ADDRESS_WIDTH(3), .COLLISIONS(1)) direct (
        .clk(clk), .read_enable(read_enable), .read_clear(read_clear), .read_address(read_address),
        .read_data(direct_data),
        .write_enable(write_enable), .write_address(write_address), .write_data(write_data));
    tepal_memory #(.WIDTH(8), .DEPTH(DEPTH), .ADDRESS_WIDTH(3), .OUTPUT_REGISTER(1),
        .COLLISIONS(1)) delayed (
        .clk(clk), .read_enable(read_enable), .read_clear(read_clear), .read_address(read_address),
        .read_data(delayed_data),
        .write_enable(write_enable), .write_address(write_address), .write_data(write_data));
    tepal_memory #(.WIDTH(8), .DEPTH(8), .ADDRESS_WIDTH(3)) apart (
        .clk(clk), .read_enable(read_enable & (misuse == 3)), .read_clear(read_clear),
        .read_address(read_address),
        .read_data(apart_data),
        .write_enable(write_enable), .write_address(write_address), .write_data(write_data));
    tepal_memory #(.WIDTH(8), .DEPTH(8), .ADDRESS_WIDTH(3)) loaded (
        .clk(clk), .read_enable(read_enable), .read_clear(1'b0), .read_address(read_address),
        .read_data(loaded_data),
        .write_enable(1'b0), .write_address(3'd0), .write_data(8'h00));
    tepal_rom #(.WIDTH(8), .DEPTH(8), .ADDRESS_WIDTH(4), .IMAGE("words.hex")) rom (
        .clk(clk), .read_enable(rom_enable), .read_address({misuse == 4, read_address}),
        .read_data(rom_data));
    initial $readmemh("words.hex", loaded.mem);

    task step;
        begin
            #1 clk = 1'b1;
            #1 clk = 1'b0;
        end
    endtask
    task expect_data(input integer place, input [7:0] data, input [7:0] wanted);
        if (data !== wanted) begin
            $display("check %0d: %h instead of %h", place, data, wanted);
            failures = failures + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("misuse=%d", misuse)) misuse = 0;
        if (misuse != 0) begin
            read_enable = misuse != 1;
            write_enable = misuse == 1 || misuse == 3;
            rom_enable = misuse == 4;
            read_address = misuse == 2 ? 3'd5 : 3'd1;
            write_address = misuse == 1 ? 3'd5 : 3'd1;
            step;
            if (misuse == 1 && direct.mem[0] === 8'h00) $display("not written");
            $finish;
        end else begin
            // zeros at the start, unless loaded from outside
            read_enable = 1'b1;
            rom_enable = 1'b1;
            for (i = 0; i < DEPTH; i = i + 1) begin
                read_address = i[2:0];
                step;
                expect_data(1, direct_data, 8'h00);
                expect_data(2, loaded_data, 8'h10 + i[7:0]);
                expect_data(3, rom_data, 8'h10 + i[7:0]);
            end
            // a read of the word being written gives the old word, the next read the new one
            write_enable = 1'b1;
            for (i = 0; i < DEPTH; i = i + 1) begin
                read_address = i[2:0];
                write_address = i[2:0];
                write_data = 8'ha0 + i[7:0];
                step;
                expect_data(4, direct_data, 8'h00);
            end
            write_enable = 1'b0;
            write_data = 8'hff;
            read_address = 3'd3;
            step;
            expect_data(5, direct_data, 8'ha3);
            expect_data(6, delayed_data, 8'h00);
            read_address = 3'd4;
            step;
            expect_data(7, direct_data, 8'ha4);
            expect_data(8, delayed_data, 8'ha3);
            // without enable the data stays, and the address has no meaning
            read_enable = 1'b0;
            rom_enable = 1'b0;
            read_address = 3'd7;
            step;
            step;
            expect_data(9, direct_data, 8'ha4);
            expect_data(10, delayed_data, 8'ha4);
            expect_data(11, rom_data, 8'h14);
            // cleared data, whether it is read at the same time or not; the words stay
            read_clear = 1'b1;
            step;
            expect_data(12, direct_data, 8'h00);
            expect_data(13, delayed_data, 8'ha4);
            read_clear = 1'b0;
            read_enable = 1'b1;
            read_address = 3'd4;
            step;
            expect_data(14, direct_data, 8'ha4);
            expect_data(15, delayed_data, 8'h00);
            read_clear = 1'b1;
            step;
            expect_data(16, direct_data, 8'h00);
            expect_data(17, apart_data, 8'h00);
            if (failures == 0) $display("memories behave");
            $finish;
        end
    end
endmodule

`default_nettype wire
