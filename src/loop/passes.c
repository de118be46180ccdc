/* The table of passes, and running them: each result is checked, and executed if there are inputs.
 */
#include "loop/transform.h"

#include <string.h>

const LoopPass loop_passes[] = {
    {"perfect", "loops around loops and statements become perfect nests", pass_perfect},
    {"fold_constants", "known and equal values are computed once, what nobody needs is dropped",
     pass_fold_constants},
    {"combine", "stores of which one or the other happens become one", pass_combine},
    {"initialize", "what is read before it is written gets zeros at the start", pass_initialize},
    {"forward", "copies, transposes, broadcasts and padding are read where they come from",
     pass_forward},
    {"forward_parts", "concatenations are read where their parts come from", pass_forward_parts},
    {"scalarize", "values that loops do not change are computed where they are used",
     pass_scalarize},
    {"fuse_start", "fills become the first step of the reduction that follows", pass_fuse_start},
    {"fuse_tail", "elementwise nests become the last step of what they read", pass_fuse_tail},
    /* Loops that held several nests may hold one now, which then has neighbours of its own. */
    {"perfect", "again, after the fusions", pass_perfect},
    {"forward", "again", pass_forward},
    {"forward_parts", "again", pass_forward_parts},
    {"fuse_start", "again", pass_fuse_start},
    {"fuse_tail", "again", pass_fuse_tail},
    {"expand", "scalars that start afresh get an element for each iteration around them", pass_expand},
    {"names", "nests, memories and loops are called after what they do", pass_names},
    {"unroll", "bodies are copied side by side, and memories cut into banks", pass_unroll},
    {"interchange", "independent iterations move inside reductions", pass_interchange},
    {"contract", "partial sums move to buffers of as many elements as are in flight",
     pass_contract},
    {"speculate", "loads read without a predicate where nobody looks at the rest", pass_speculate},
    {"states", "what the model keeps is copied to where the next run reads it", pass_states},
    {"share", "buffers that never live together become one memory", pass_share},
};
const int loop_pass_count = sizeof loop_passes / sizeof *loop_passes;

static Tensor *run(const Program *program, Arena *arena, Diagnostics *diagnostics,
                   const Tensor *inputs) {
    Tensor *outputs = arena_array(arena, (size_t)program->output_count, sizeof *outputs);
    return program_interpret(program, arena, diagnostics, inputs, outputs) ? outputs : NULL;
}

static void print_value(Text *text, Scalar type, Bits bits) {
    if (type.kind == SCALAR_FLOAT)
        text_printf(text, "%.9g", bits_to_double(type, bits));
    else
        text_printf(text, "%lld", (long long)bits_signed(type.width, bits));
}

/* Bit by bit; any NaN equals any NaN. */
static bool compare(const Program *program, Diagnostics *diagnostics, const char *pass,
                    const Tensor *expected, const Tensor *got) {
    for (int i = 0; i < program->output_count; i++) {
        for (size_t k = 0; k < expected[i].elements; k++) {
            Scalar type = expected[i].type;
            Bits x = bits_load(type, expected[i].data, k), y = bits_load(type, got[i].data, k);
            if (x == y || (bits_is_nan(type, x) && bits_is_nan(type, y))) continue;
            Text text = text_new(program->arena);
            text_printf(&text, "output %s, element %zu: ", expected[i].name, k);
            print_value(&text, type, y);
            text_append(&text, " instead of ");
            print_value(&text, type, x);
            return error_at(diagnostics, STATUS_INTERNAL, pass, "the pass changed the result: %s",
                            text_string(&text));
        }
    }
    return true;
}

/* To see whether a pass did anything. */
static uint64_t fingerprint(const Program *program, Arena *arena) {
    Text text = text_new(arena);
    program_print(program, &text);
    return hash_bytes(HASH_SEED, text_string(&text), text.length);
}

bool program_transform(Program *program, const LoopOptions *options, Diagnostics *diagnostics,
                       const Tensor *inputs) {
    Arena *arena = arena_new();
    const Tensor *expected = inputs ? run(program, arena, diagnostics, inputs) : NULL;
    bool fine = !inputs || expected;
    for (int i = 0; fine && i < loop_pass_count; i++) {
        const LoopPass *pass = &loop_passes[i];
        uint64_t before = inputs ? fingerprint(program, arena) : 0;
        fine = pass->run(program, options, diagnostics) &&
               program_check(program, diagnostics, pass->name);
        if (!fine || !inputs || fingerprint(program, arena) == before) continue;
        const Tensor *got = run(program, arena, diagnostics, inputs);
        fine = got && compare(program, diagnostics, pass->name, expected, got);
    }
    arena_free(arena);
    return fine;
}
