// Drives the design RunningMean (test/ops/cases) as a host does: two runs, a reset after them, two
// runs, a reset in the middle of the third, two runs. A reset starts the state anew, so that the
// first run after each gives the same, and so does the second, which is not the first.
`timescale 1ns / 1ns

module reset_test;
    reg         clk = 0, reset = 0, go = 0, write_enable = 0;
    reg  [2:0]  address = 0;
    reg  [31:0] word = 0;
    wire        done;
    wire [31:0] result;
    wire [63:0] count;
    reg  [31:0] first [0:4], second [0:4];
    integer i, turn, wrong = 0, same = 0;

    RunningMean running (
        .clk(clk), .reset(reset), .go(go), .done(done), .x_addr(address),
        .x_write_en(write_enable), .x_write_data(word), .sub_addr(address), .sub_read_data(result),
        .clone_addr(1'b0), .clone_read_data(count));

    always #5 clk = ~clk;

    task do_reset;
        begin
            reset = 1;
            @(negedge clk) reset = 0;
        end
    endtask

    task run;
        begin
            go = 1;
            @(negedge clk);
            while (!done) @(negedge clk);
            go = 0;
            @(negedge clk);
        end
    endtask

    task check(input integer runs);
        begin
            if (count !== runs) wrong = wrong + 1;
            for (i = 0; i < 5; i = i + 1) begin
                address = i[2:0];
                @(negedge clk);
                if (turn == 0 && runs == 1) first[i] = result;
                if (turn == 0 && runs == 2) second[i] = result;
                if (result !== (runs == 1 ? first[i] : second[i])) wrong = wrong + 1;
            end
        end
    endtask

    initial begin
        @(negedge clk);
        do_reset;
        write_enable = 1;
        for (i = 0; i < 5; i = i + 1) begin
            address = i[2:0];
            word = 32'h40000000 + (i << 20);  // 2.0, 2.25, ...
            @(negedge clk);
        end
        write_enable = 0;
        for (turn = 0; turn < 3; turn = turn + 1) begin
            run;
            check(1);
            run;
            check(2);
            go = turn == 1;
            repeat (9) @(negedge clk);
            go = 0;
            do_reset;
        end
        for (i = 0; i < 5; i = i + 1) if (first[i] == second[i]) same = same + 1;
        $display("%0d wrong, %0d the same", wrong, same);
        $finish;
    end
endmodule
