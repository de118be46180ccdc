/* The inside of the interpreter: a body as a list of steps with their operands as pointers.
 *
 * interpret.c compiles nests to this form and runs them; arithmetic.c has the action of every
 * opcode. */
#ifndef TEPAL_LOOP_INTERPRET_H
#define TEPAL_LOOP_INTERPRET_H

#include "loop/loop.h"

typedef struct Step Step;
typedef void (*Action)(const Step *step);

/* Where the first fault of a run is noted. */
typedef struct Fault {
    const Step *step; /* NULL: none so far */
    Bits address;
} Fault;

struct Step {
    Action action;
    Bits *result;
    const Bits *a, *b, *c;
    const Bits *predicate;
    Scalar from, type;
    Bits mask; /* of the result */
    bool (*test_float)(double x, double y);
    bool (*test_integer)(const Step *step, Bits x, Bits y);
    const Bits *address; /* accesses */
    Bits elements;
    void *data;
    Fault *fault;
    int operation; /* in the body */
    /* note_writer: */
    const Nest *nest;
    const Nest **writers; /* per element */
};

/* What a memory holds after a run. */
typedef struct Remains {
    void *data;
    const Nest **writers; /* per element: the nest that stored it; NULL: none did */
} Remains;

/* As program_interpret, but runs the program once for each of inputs[run]: memories keep what the
 * run before left in them, as they do in hardware. The outputs are those of the last run, and
 * remains[i] (NULL if not wanted) is what memory i holds then, in `arena`. */
bool program_interpret_runs(const Program *program, Arena *arena, Diagnostics *diagnostics,
                            int run_count, const Tensor *const *inputs, Tensor *outputs,
                            Remains *remains);

/* The action of an operation; NULL for INDEX and CONSTANT and accesses, whose values are there
 * before. `from` is the type of operand 0. Sets the tests of compares. */
Action action_of(const Operation *operation, Scalar from);
void set_test(Step *step, const Operation *operation);

#endif
