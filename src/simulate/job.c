/* The files between `tepal sim` and a simulator; see job.h. */
#include "simulate/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/compare.h"

/* --- the job --- */

/* The words of a tensor by address. Those that hold no element get all bits set: no result may
 * depend on them. */
static Bits *words_of(Arena *arena, const PortTensor *port, const Tensor *tensor) {
    size_t count = port_words(port);
    Bits *words = arena_array(arena, count, sizeof *words);
    for (size_t i = 0; i < count; i++) words[i] = bits_mask(port->data_width);
    for (size_t i = 0; i < tensor->elements; i++)
        words[port_address(port, i)] = bits_load(tensor->type, tensor->data, i);
    return words;
}

static void print_number(Text *text, Bits number) {
    static const char digits[] = "0123456789abcdef";
    char line[20];
    size_t start = sizeof line;
    line[--start] = '\n';
    do {
        line[--start] = digits[number & 15];
        number >>= 4;
    } while (number);
    text_append_bytes(text, line + start, sizeof line - start);
}

void job_print(const Design *design, int run_count, Tensor *const *inputs, int64_t max_cycles,
               Text *text) {
    const Interface *interface = &design->interface;
    long long predicted = design->predicted_cycles > 0 ? (long long)design->predicted_cycles : 0;
    text_printf(text, "%d %d %d %lld %lld\n", run_count, interface->input_count,
                interface->output_count, (long long)max_cycles, predicted);
    for (int i = 0; i < interface->input_count; i++)
        text_printf(text, "%zu\n", port_words(&interface->inputs[i]));
    for (int i = 0; i < interface->output_count; i++)
        text_printf(text, "%zu\n", port_words(&interface->outputs[i]));
    Arena *scratch = arena_new();
    for (int run = 0; run < run_count; run++)
        for (int i = 0; i < interface->input_count; i++) {
            const PortTensor *port = &interface->inputs[i];
            const Bits *words = words_of(scratch, port, &inputs[run][i]);
            for (size_t w = 0; w < port_words(port); w++) print_number(text, words[w]);
        }
    arena_free(scratch);
}

/* --- the results --- */

typedef struct Reader {
    Arena *arena;
    Diagnostics *diagnostics;
    const Design *design;
    const char *rest; /* of the text */
} Reader;

static bool cut_short(Reader *reader) {
    return error_at(reader->diagnostics, STATUS_TOOL, reader->design->folder,
                    "the simulation ended without all its results");
}

/* The next line as a word: -1 if there is none, 0 if it has undefined bits, else 1. */
static int next_word(Reader *reader, Bits *word) {
    char *end;
    size_t length = strcspn(reader->rest, "\n");
    if (length == 0 || reader->rest[length] != '\n') return -1;
    *word = strtoull(reader->rest, &end, 16);
    int kind = end == reader->rest + length                             ? 1
               : strspn(reader->rest, "0123456789abcdefxzXZ") == length ? 0
                                                                        : -1;
    reader->rest += length + 1;
    return kind;
}

static bool read_output(Reader *reader, int run, const PortTensor *port, Tensor *output) {
    size_t count = port_words(port);
    Bits *words = arena_array(reader->arena, count, sizeof *words);
    char *defined = arena_array(reader->arena, count, 1);
    for (size_t i = 0; i < count; i++) {
        int kind = next_word(reader, &words[i]);
        if (kind < 0) return cut_short(reader);
        defined[i] = (char)kind;
    }
    *output = port->tensor;
    output->data = arena_array(reader->arena, output->elements + 1, scalar_bytes(output->type));
    for (size_t i = 0; i < output->elements; i++) {
        size_t address = port_address(port, i);
        if (!defined[address])
            return error_at(reader->diagnostics, STATUS_DIFFERENT, reader->design->folder,
                            "output %s%s is undefined (X) after run %d", output->name,
                            tensor_position(reader->arena, output, i), run + 1);
        bits_store(output->type, output->data, i, words[address]);
    }
    return true;
}

static bool not_finished(Reader *reader, int run, long long cycles, const char *why,
                         int64_t max_cycles) {
    const Design *design = reader->design;
    if (strcmp(why, "busy") == 0)
        return error_at(reader->diagnostics, STATUS_DIFFERENT, design->folder,
                        "done is 1 before run %d starts", run + 1);
    if (strcmp(why, "endless") != 0) return cut_short(reader);
    error_at(reader->diagnostics, STATUS_DIFFERENT, design->folder,
             "run %d was given up after %lld cycles without done", run + 1, cycles);
    if (design->predicted_cycles >= 0)
        note(reader->diagnostics, "predicted: %lld cycles; the limit is %lld, see --max-cycles",
             (long long)design->predicted_cycles, (long long)max_cycles);
    else
        note(reader->diagnostics, "the limit is %lld, see --max-cycles", (long long)max_cycles);
    return false;
}

/* Steps over the next line of the form "run NUMBER CYCLES WHY". */
static bool next_run(Reader *reader, long long *number, long long *cycles, char why[16]) {
    size_t length = strcspn(reader->rest, "\n");
    if (reader->rest[length] != '\n' ||
        sscanf(reader->rest, "run %lld %lld %15s", number, cycles, why) != 3)
        return cut_short(reader);
    reader->rest += length + 1;
    return true;
}

bool results_read(Arena *arena, Diagnostics *diagnostics, const Design *design, const char *text,
                  int run_count, int64_t max_cycles, RunResult *results, double *seconds) {
    Reader reader = {arena, diagnostics, design, text};
    int output_count = design->interface.output_count;
    for (int run = 0; run < run_count; run++) {
        char why[16];
        long long number, cycles;
        if (!next_run(&reader, &number, &cycles, why)) return false;
        if (strcmp(why, "finished") != 0)
            return not_finished(&reader, run, cycles, why, max_cycles);
        results[run].cycles = cycles;
        results[run].outputs = arena_array(arena, (size_t)output_count + 1, sizeof(Tensor));
        for (int i = 0; i < output_count; i++)
            if (!read_output(&reader, run, &design->interface.outputs[i], &results[run].outputs[i]))
                return false;
    }
    if (!string_starts(reader.rest, "end")) return cut_short(&reader);
    *seconds = strtod(reader.rest + 3, NULL); /* 0 where it is not told */
    return true;
}
