/* Tepal's public C API: what the `tepal` command itself calls.
 *
 * Each function does what the subcommand of its name does, from a struct of options. Zero a struct
 * and fill in what matters: NULL and zero mean the default unless the field says otherwise.
 * Messages go to stderr, results to files and stdout. The result is the exit status of the command:
 *
 *     0 done and equal    1 results differ    2 an option is wrong    3 bad input file or model
 *     4 a tool is missing or failed    70 internal error
 *
 * Strings and lists must live until the function returns. The functions are not reentrant. */
#ifndef TEPAL_H
#define TEPAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TepalStrings {
    const char *const *items;
    int count;
} TepalStrings;

/* Compiles a model to SystemVerilog. */
typedef struct TepalBuildOptions {
    const char *model;     /* a .pt2 file, or MLIR text */
    const char *output;    /* the folder to make; NULL writes only what `emit` asks for */
    int64_t parallel;      /* the most multiply-accumulate units that work at once; 0 is 1 */
    double clock;          /* MHz; 0: the default of the target */
    const char *target;    /* an FPGA device as of `tepal synth`, or NULL for a generic one */
    TepalStrings emit;     /* STAGE=FILE, or STAGE alone for stdout */
    const char *top;       /* the entry function, where the model has several */
    TepalStrings shapes;   /* NAME=DIMS: sizes that the model leaves open, as in x=1x3x32 */
    bool check;            /* run one random input through every stage */
    bool reassociate;      /* let reductions change their order */
    TepalStrings unroll;   /* NEST:LOOP=FACTOR, or files with one of them in a line */
    const char *interface; /* "memory" (the default) or "stream" */
} TepalBuildOptions;

int tepal_build(const TepalBuildOptions *options);

/* Simulates a design that tepal_build made, and compares it with the CPU reference. */
typedef struct TepalSimOptions {
    const char *folder;    /* as made by tepal_build */
    TepalStrings inputs;   /* .npy files in the model's order; none: random inputs from `seed` */
    TepalStrings expected; /* .npy files with the outputs of the model; may be none */
    const char *output;    /* folder that gets the outputs as .npy files, or NULL */
    int64_t seed;
    const char *simulator; /* "verilator" (the default) or "icarus" */
    const char *trace;     /* file for the waveform, or NULL */
    double rtol, atol;     /* tolerance against `expected`; negative: from its type */
    int64_t runs;          /* runs of the design with further random inputs; 0 is 1 */
    int64_t max_cycles;    /* cycles after which a run is given up; 0: from the predicted count */
} TepalSimOptions;

int tepal_sim(const TepalSimOptions *options);

/* Executes a model on the CPU, as the reference that simulations are compared with. */
typedef struct TepalRunOptions {
    const char *model;   /* as in TepalBuildOptions */
    const char *top;     /* as in TepalBuildOptions */
    TepalStrings shapes; /* as in TepalBuildOptions */
    TepalStrings inputs; /* as in TepalSimOptions, and so on */
    TepalStrings expected;
    const char *output;
    int64_t seed;
    double rtol, atol;
} TepalRunOptions;

int tepal_run(const TepalRunOptions *options);

/* Prints a model's inputs, outputs, operations, parameters and multiply-accumulates to stdout. */
typedef struct TepalInfoOptions {
    const char *model;
    const char *top;
    TepalStrings shapes;
    bool operations; /* print what PyTorch operators can be compiled instead; no model is needed */
} TepalInfoOptions;

int tepal_info(const TepalInfoOptions *options);

/* Area and timing of a design on an FPGA. */
typedef struct TepalSynthOptions {
    const char *folder; /* as made by tepal_build */
    const char *target; /* the FPGA device; required */
    double clock;       /* MHz to place and route for; 0: what the design was built for */
    int64_t seed;       /* of the placement; 0 is 1 */
    bool area_only;     /* neither place nor route: no clock is known */
} TepalSynthOptions;

int tepal_synth(const TepalSynthOptions *options);

#ifdef __cplusplus
}
#endif

#endif
