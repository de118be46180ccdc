// The test bench of `tepal sim` for Verilator.
//
// It drives the module tepal_bench (bench.c), whose ports are the same for every design. So this
// file is compiled once per Verilator and kept. Only its part TEPAL_GLUE, which knows the class
// that Verilator made of a design, is compiled with each design.
//
//     simulator JOB RESULTS SEED PROGRESS [+contents=FOLDER] [TRACE]
//
// JOB holds the inputs of all runs and RESULTS gets the outputs; job.h describes both. PROGRESS is
// a file descriptor for a line that shows how far it is, or -1. FOLDER gets the words of the memories. Exit status: 0 if all runs were
// made, 1 if the design reported errors, ended the simulation or did not end, 2 if a file cannot be
// read or written.
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
typedef VerilatedFstC Trace;
#elif VM_TRACE
#include "verilated_vcd_c.h"
typedef VerilatedVcdC Trace;
#endif

// The ports of tepal_bench, wherever the model keeps them.
struct Bench {
    void *model;
    CData *clk, *reset, *start, *write_enable, *done, *finished;
    IData *select;
    QData *address, *write_data, *read_data, *cycles;
};

void bench_open(VerilatedContext *context, Bench *bench);
void bench_evaluate(void *model);
void bench_close(void *model);
#if VM_TRACE
void bench_trace(void *model, Trace *trace);
#endif

#ifdef TEPAL_GLUE

#include "Vtepal_bench.h"

void bench_open(VerilatedContext *context, Bench *bench) {
    Vtepal_bench *top = new Vtepal_bench(context);
    *bench = {top,
              &top->clk,
              &top->reset,
              &top->start,
              &top->write_enable,
              &top->done,
              &top->finished,
              &top->select,
              &top->address,
              &top->write_data,
              &top->read_data,
              &top->cycles};
}

void bench_evaluate(void *model) {
    static_cast<Vtepal_bench *>(model)->eval();
}

void bench_close(void *model) {
    Vtepal_bench *top = static_cast<Vtepal_bench *>(model);
    top->final();
    delete top;
}

#if VM_TRACE
void bench_trace(void *model, Trace *trace) {
    static_cast<Vtepal_bench *>(model)->trace(trace, 99);
}
#endif

#else // the part that no design changes

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace {

const int error_limit = 10;
int errors = 0;
bool ready = false; // before the reset a design may do anything
FILE *results = nullptr;
#if VM_TRACE
Trace *trace = nullptr;
#endif

// From wherever the simulation is; no destructors, the model may be in the middle of a step.
[[noreturn]] void stop(int status) {
#if VM_TRACE
    if (trace) trace->close();
#endif
    if (results && fclose(results) != 0 && status == 0) {
        printf("the results cannot be written: %s\n", strerror(errno));
        status = 2;
    }
    fflush(stdout);
    _exit(status);
}

[[noreturn]] void file_fault(const char *path, const char *what) {
    printf("%s: %s\n", path, what);
    stop(2);
}

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The file of numbers that tells what to do.
class Job {
  public:
    explicit Job(const char *path) : path_(path), file_(fopen(path, "rb")) {
        if (!file_) file_fault(path, "cannot be read");
    }
    uint64_t decimal() { return number(10); }
    uint64_t hexadecimal() { return number(16); }

  private:
    uint64_t number(unsigned base) {
        int c = getc(file_);
        while (c == ' ' || c == '\n') c = getc(file_);
        if (c == EOF) file_fault(path_, "ends too early");
        uint64_t value = 0;
        for (; c != EOF && c != ' ' && c != '\n'; c = getc(file_)) {
            unsigned digit = c <= '9' ? unsigned(c - '0') : unsigned(c - 'a') + 10;
            if (digit >= base) file_fault(path_, "holds what is no number");
            value = value * base + digit;
        }
        return value;
    }

    const char *path_;
    FILE *file_;
};

class Simulation {
  public:
    Simulation(VerilatedContext *context, Job &job, int progress)
        : context_(context), job_(job), progress_(progress) {
        runs_ = job.decimal();
        inputs_ = job.decimal();
        outputs_ = job.decimal();
        max_cycles_ = job.decimal();
        predicted_ = job.decimal();
        for (uint64_t i = 0; i < inputs_ + outputs_; i++) words_.push_back(job.decimal());
        bench_open(context, &bench_);
    }

#if VM_TRACE
    void trace_to(const char *path) {
        context_->traceEverOn(true);
        trace = new Trace;
        bench_trace(bench_.model, trace);
        trace->open(path);
        if (!trace->isOpen()) file_fault(path, "cannot be written");
    }
#endif

    void run_all() {
        *bench_.clk = *bench_.start = *bench_.write_enable = 0;
        *bench_.select = 0;
        *bench_.address = *bench_.write_data = 0;
        *bench_.reset = 1;
        // Before the first edge with reset, registers hold anything: no address is meant yet.
        context_->assertOn(false);
        for (int i = 0; i < 4; i++) tick();
        context_->assertOn(true);
        *bench_.reset = 0;
        puts("reset done");
        ready = true;
        for (uint64_t run = 0; run < runs_; run++) {
            write_inputs();
            execute(run);
            read_outputs();
        }
        bench_close(bench_.model);
        fprintf(results, "end %.6f\n", seconds_);
    }

    uint64_t cycles() const {
        return *bench_.cycles;
    }

  private:
    void tick() {
        *bench_.clk = 1;
        evaluate();
        *bench_.clk = 0;
        evaluate();
    }

    void evaluate() {
        bench_evaluate(bench_.model);
#if VM_TRACE
        if (trace) trace->dump(context_->time());
        context_->timeInc(5);
#endif
    }

    void write_inputs() {
        *bench_.write_enable = 1;
        for (uint64_t i = 0; i < inputs_; i++) {
            *bench_.select = IData(i);
            for (uint64_t address = 0; address < words_[i]; address++) {
                *bench_.address = address;
                *bench_.write_data = job_.hexadecimal();
                tick();
            }
        }
        *bench_.write_enable = 0;
        tick();
    }

    // From the start to the end of one computation.
    void execute(uint64_t run) {
        if (*bench_.done) give_up(run, "busy");
        double start = now();
        *bench_.start = 1;
        tick();
        *bench_.start = 0;
        const uint64_t chunk = 4096; // between two looks at the limit and the clock
        while (!*bench_.finished) {
            uint64_t left = max_cycles_ - *bench_.cycles, ticks = left < chunk ? left + 1 : chunk;
            for (uint64_t i = 0; i < ticks && !*bench_.finished; i++) tick();
            if (!*bench_.finished && *bench_.cycles > max_cycles_) give_up(run, "endless");
            if (progress_ >= 0) show_progress(run);
        }
        seconds_ += now() - start;
        fprintf(results, "run %" PRIu64 " %" PRIu64 " finished\n", run, uint64_t(*bench_.cycles));
    }

    // tepal_bench has a register before the address, the design one behind it.
    void read_outputs() {
        for (uint64_t i = inputs_; i < inputs_ + outputs_; i++) {
            *bench_.select = IData(i);
            for (uint64_t address = 0; address <= words_[i]; address++) {
                *bench_.address = address < words_[i] ? address : 0;
                tick();
                if (address > 0) fprintf(results, "%" PRIx64 "\n", uint64_t(*bench_.read_data));
            }
        }
    }

    [[noreturn]] void give_up(uint64_t run, const char *why) {
        fprintf(results, "run %" PRIu64 " %" PRIu64 " %s\n", run, uint64_t(*bench_.cycles), why);
        stop(1);
    }

    void show_progress(uint64_t run) {
        double time = now();
        if (time < shown_ + 0.2) return;
        shown_ = time;
        char line[120];
        uint64_t cycles = *bench_.cycles;
        int length = snprintf(line, sizeof line, "\r\033[Ksimulating: %" PRIu64 " cycles", cycles);
        if (predicted_)
            length += snprintf(line + length, sizeof line - size_t(length), ", %.0f %%",
                               100.0 * double(cycles) / double(predicted_));
        if (runs_ > 1)
            length += snprintf(line + length, sizeof line - size_t(length),
                               ", run %" PRIu64 " of %" PRIu64, run + 1, runs_);
        if (write(progress_, line, size_t(length)) < 0) progress_ = -1;
    }

    VerilatedContext *context_;
    Job &job_;
    Bench bench_{};
    uint64_t runs_, inputs_, outputs_, max_cycles_, predicted_;
    std::vector<uint64_t> words_; // of each input, then of each output
    int progress_;
    double seconds_ = 0, shown_ = now();
};

Simulation *simulation = nullptr;

} // namespace

double sc_time_stamp() {
    return 0;
}

// What the model calls for $error and $stop, for faults of its own, and for $finish. The message of
// $error was printed; go on, as further messages may help, but not for ever.
void vl_stop(const char *, int, const char *) {
    if (!ready) return;
    if (simulation) printf("    in cycle %" PRIu64 "\n", simulation->cycles());
    if (++errors >= error_limit) stop(1);
}

// Without a file it is no fault of the design: the trace cannot be written. It holds a lock then,
// and so must not be closed.
void vl_fatal(const char *file, int line, const char *, const char *message) {
#if VM_TRACE
    if (!*file) trace = nullptr;
#endif
    if (!*file) file_fault("trace", message);
    printf("%%Error: %s:%d: %s\n", file, line, message);
    stop(1);
}

void vl_finish(const char *file, int line, const char *) {
    printf("%%Error: %s:%d: the design called $finish\n", file, line);
    stop(1);
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    Job job(argv[1]);
    results = fopen(argv[2], "w");
    if (!results) file_fault(argv[2], "cannot be written");
    VerilatedContext context;
    // What no reset and no initial block sets has a random value: no result may depend on it.
    context.randReset(2);
    context.randSeed(atoi(argv[3]));
    context.commandArgs(argc, argv);
    simulation = new Simulation(&context, job, atoi(argv[4]));
#if VM_TRACE
    if (argc > 5 && argv[argc - 1][0] != '+') simulation->trace_to(argv[argc - 1]);
#endif
    simulation->run_all();
    stop(errors > 0 ? 1 : 0);
}

#endif
