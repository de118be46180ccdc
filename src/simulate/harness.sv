// The test bench of `tepal sim` for Icarus Verilog: what harness.cpp is for Verilator.
//
//     vvp SIMULATOR +job=JOB +results=RESULTS +progress=FD [+trace=FILE] [+contents=FOLDER]
//
// It drives tepal_bench (bench.c) and ends with $finish when all runs were made, or with a line in
// RESULTS that says why not.
`default_nettype none
`timescale 1ns / 1ns

module tepal_test;
    reg         clk = 0, reset = 1, start = 0, write_enable = 0;
    reg  [31:0] select = 0;
    reg  [63:0] address = 0, write_data = 0;
    wire        done, finished;
    wire [63:0] read_data, cycles;

    tepal_bench bench (
        .clk(clk), .reset(reset), .start(start), .done(done), .finished(finished),
        .select(select), .address(address), .write_enable(write_enable),
        .write_data(write_data), .read_data(read_data), .cycles(cycles));

    reg [8191:0] job_path, results_path, trace_path, progress_path;
    integer job, results, progress, count, i;
    reg [63:0] runs, inputs, outputs, max_cycles, predicted, run, word;
    reg [63:0] words [0:20479];  // of each input, then of each output

    task tick;
        begin
            #5 clk = 1;
            #5 clk = 0;
        end
    endtask

    task read_decimal(output [63:0] value);
        begin
            count = $fscanf(job, "%d", value);
            if (count != 1) begin
                $display("the job file ends too early");
                $finish;
            end
        end
    endtask

    task read_job;
        begin
            read_decimal(runs);
            read_decimal(inputs);
            read_decimal(outputs);
            read_decimal(max_cycles);
            read_decimal(predicted);
            for (i = 0; i < inputs + outputs; i = i + 1) read_decimal(words[i]);
        end
    endtask

    task write_inputs;
        begin
            write_enable = 1;
            for (select = 0; select < inputs; select = select + 1)
                for (address = 0; address < words[select]; address = address + 1) begin
                    count = $fscanf(job, "%h", write_data);
                    tick;
                end
            write_enable = 0;
            tick;
        end
    endtask

    task give_up(input [63:0] reason);
        begin
            $fdisplay(results, "run %0d %0d %0s", run, cycles, reason);
            $finish;
        end
    endtask

    task show_progress;
        begin
            $fwrite(progress, "\015\033[Ksimulating: %0d cycles", cycles);
            if (predicted != 0) $fwrite(progress, ", %0d %%", cycles * 100 / predicted);
            $fflush(progress);
        end
    endtask

    task execute;
        begin
            if (done !== 0) give_up("busy");
            start = 1;
            tick;
            start = 0;
            while (finished !== 1) begin
                tick;
                if (cycles > max_cycles) give_up("endless");
                if (progress != 0 && cycles % 10000 == 0) show_progress;
            end
            $fdisplay(results, "run %0d %0d finished", run, cycles);
        end
    endtask

    // tepal_bench has a register before the address, the design one behind it.
    task read_outputs;
        begin
            for (select = inputs; select < inputs + outputs; select = select + 1)
                for (i = 0; i <= words[select]; i = i + 1) begin
                    address = i < words[select] ? i : 0;
                    tick;
                    if (i > 0) $fdisplay(results, "%0h", read_data);
                end
        end
    endtask

    initial begin
        if (!$value$plusargs("job=%s", job_path) || !$value$plusargs("results=%s", results_path))
            $finish;
        progress = 0;
        if ($value$plusargs("progress=%s", progress_path)) progress = $fopen(progress_path, "w");
        job = $fopen(job_path, "r");
        results = $fopen(results_path, "w");
        if ($value$plusargs("trace=%s", trace_path)) begin
            $dumpfile(trace_path);
            $dumpvars(0, tepal_test);
        end
        read_job;
        for (i = 0; i < 4; i = i + 1) tick;
        reset = 0;
        $display("reset done");
        for (run = 0; run < runs; run = run + 1) begin
            write_inputs;
            execute;
            read_outputs;
        end
        $fdisplay(results, "end");
        $finish;
    end
endmodule

`default_nettype wire
