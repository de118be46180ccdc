/* What a simulation came to, as a table, a message and JSON. */
#include "simulate/verdict.h"

#include <math.h>

/* --- comparison --- */

static void add_run(Verdict *verdict, int output, int run, const Tensor *expected,
                    const Tensor *actual, double rtol, double atol) {
    Comparison *sum = &verdict->comparisons[output];
    Comparison c = tensor_compare(expected, actual, rtol, atol);
    if (c.different && !sum->different) {
        sum->first = c.first;
        verdict->runs[output] = run;
        verdict->expected[output] = expected;
        verdict->actual[output] = actual;
    }
    sum->different += c.different;
    sum->max_abs_error = fmax(sum->max_abs_error, c.max_abs_error);
    sum->max_ulp = fmax(sum->max_ulp, c.max_ulp);
}

Verdict verdict_make(Arena *arena, int output_count, int run_count, Tensor *const *expected,
                     const RunResult *runs, double rtol, double atol) {
    size_t room = (size_t)output_count + 1;
    Verdict verdict = {.count = output_count, .first = -1};
    verdict.comparisons = arena_array(arena, room, sizeof *verdict.comparisons);
    verdict.runs = arena_array(arena, room, sizeof *verdict.runs);
    verdict.expected = arena_array(arena, room, sizeof *verdict.expected);
    verdict.actual = arena_array(arena, room, sizeof *verdict.actual);
    for (int i = 0; i < output_count; i++) {
        verdict.expected[i] = &expected[0][i];
        verdict.actual[i] = &runs[0].outputs[i];
        for (int run = 0; run < run_count; run++)
            add_run(&verdict, i, run, &expected[run][i], &runs[run].outputs[i], rtol, atol);
        if (verdict.comparisons[i].different && verdict.first < 0) verdict.first = i;
    }
    return verdict;
}

void verdict_table(Arena *arena, const Verdict *verdict, Text *text) {
    Tensor *expected = arena_array(arena, (size_t)verdict->count + 1, sizeof *expected);
    Tensor *actual = arena_array(arena, (size_t)verdict->count + 1, sizeof *actual);
    for (int i = 0; i < verdict->count; i++) {
        expected[i] = *verdict->expected[i];
        actual[i] = *verdict->actual[i];
    }
    comparison_table(arena, text, verdict->count, expected, actual, verdict->comparisons);
}

/* "1.5 (0x3fc00000)". */
static const char *element_text(Arena *arena, const Tensor *tensor, size_t index) {
    return string_format(arena, "%s (0x%0*llx)", tensor_element(arena, tensor, index),
                         (tensor->type.width + 3) / 4,
                         (unsigned long long)bits_load(tensor->type, tensor->data, index));
}

bool verdict_report(Arena *arena, Diagnostics *diagnostics, const char *place,
                    const Verdict *verdict, const char *source) {
    int i = verdict->first;
    if (i < 0) return true;
    const Tensor *expected = verdict->expected[i], *actual = verdict->actual[i];
    size_t index = verdict->comparisons[i].first;
    error_at(diagnostics, STATUS_DIFFERENT, place,
             "output %s differs from %s: element %s is %s, should be %s",
             string_printable(arena, actual->name, 60), source,
             tensor_position(arena, actual, index), element_text(arena, actual, index),
             element_text(arena, expected, index));
    if (verdict->runs[i] > 0)
        note(diagnostics, "in run %d, equal in the runs before", verdict->runs[i] + 1);
    return false;
}

/* --- sim.json --- */

static void print_real(Text *text, const char *key, double value) {
    if (isfinite(value))
        text_printf(text, "\"%s\": %.9g", key, value);
    else
        text_printf(text, "\"%s\": null", key);
}

static void print_outputs(const Verdict *verdict, const char *indent, Text *text) {
    text_printf(text, "\"outputs\": [");
    for (int i = 0; i < verdict->count; i++) {
        const Comparison *c = &verdict->comparisons[i];
        text_printf(text, "%s\n%s{\"name\": \"%s\", ", i ? "," : "", indent,
                    string_json(text->arena, verdict->actual[i]->name));
        print_real(text, "max_abs_error", c->max_abs_error);
        text_append(text, ", ");
        print_real(text, "max_ulp", c->max_ulp);
        text_printf(text, ", \"mismatches\": %zu}", c->different);
    }
    text_append(text, "]");
}

static void print_cycles(const SimulationReport *report, Text *text) {
    const RunResult *runs = report->simulation->runs;
    text_printf(text, "{\"cycles\": %lld,\n", (long long)runs[0].cycles);
    if (report->design->predicted_cycles >= 0)
        text_printf(text, " \"predicted_cycles\": %lld,\n",
                    (long long)report->design->predicted_cycles);
    else
        text_append(text, " \"predicted_cycles\": null,\n");
    text_printf(text, " \"runs\": %d, \"run_cycles\": [", report->run_count);
    for (int run = 0; run < report->run_count; run++)
        text_printf(text, "%s%lld", run ? ", " : "", (long long)runs[run].cycles);
    text_append(text, "],\n");
}

static void print_expected(const SimulationReport *report, Text *text) {
    if (!report->expected) {
        text_append(text, " \"expected\": null,\n");
        return;
    }
    text_printf(text, " \"expected\": {\"equal\": %s, ",
                report->expected->first < 0 ? "true" : "false");
    print_real(text, "rtol", report->rtol < 0 ? INFINITY : report->rtol);
    text_append(text, ", ");
    print_real(text, "atol", report->atol < 0 ? INFINITY : report->atol);
    text_append(text, ",\n  ");
    print_outputs(report->expected, "   ", text);
    text_append(text, "},\n");
}

static void print_files(const SimulationReport *report, Text *text) {
    text_append(text, report->files ? " \"files\": [" : " \"files\": null");
    for (int i = 0; report->files && i < report->reference->count; i++)
        text_printf(text, "%s\"%s\"", i ? ", " : "", report->files[i]);
    text_append(text, report->files ? "],\n" : ",\n");
}

void simulation_json(const SimulationReport *report, Text *text) {
    const Simulation *simulation = report->simulation;
    print_cycles(report, text);
    text_printf(text, " \"equal_to_reference\": %s,\n ",
                report->reference->first < 0 ? "true" : "false");
    print_outputs(report->reference, "  ", text);
    text_append(text, ",\n");
    print_files(report, text);
    print_expected(report, text);
    text_printf(text, " \"simulator\": \"%s\", \"seed\": %lld, ", report->simulator,
                (long long)report->seed);
    print_real(text, "cycles_per_second", simulation->cycles_per_second);
    text_append(text, ",\n \"seconds\": {");
    print_real(text, "build", simulation->build_seconds);
    text_append(text, ", ");
    print_real(text, "simulate", simulation->run_seconds);
    text_append(text, ", ");
    print_real(text, "reference", report->reference_seconds);
    text_append(text, ", ");
    print_real(text, "total", report->seconds);
    text_append(text, "}}\n");
}
