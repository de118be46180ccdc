/* The table at the end of a build: what a person wants to know of a design, in 100 columns. */
#include <stdlib.h>
#include <string.h>

#include "report/figures.h"

enum { MOST_NESTS = 20, NAME_WIDTH = 24, LIMIT_WIDTH = 44, LOOPS_WIDTH = 56, LINE_WIDTH = 100 };

/* A text cut to a number of columns; of names the last few characters often tell them apart. */
static const char *cut(Arena *arena, const char *name, size_t width) {
    enum { TAIL = 8 };
    size_t length = strlen(name);
    if (length <= width) return name;
    return string_format(arena, "%.*s..%s", (int)width - TAIL - 2, name, name + length - TAIL);
}

/* --- stages --- */

static void table_stages(const StageTime *times, int count, Text *text) {
    double total = 0;
    size_t column = 0;
    for (int i = 0; i <= count; i++) {
        const char *name = i < count ? times[i].stage : "in all";
        double seconds = i < count ? times[i].seconds : total;
        const char *item = string_format(text->arena, "%s %.2f s", name, seconds);
        total += seconds;
        if (column > 0 && column + strlen(item) + 4 > LINE_WIDTH) {
            text_append(text, "\n");
            column = 0;
        }
        text_printf(text, "%s%s", column > 0 ? "   " : "  ", item);
        column += strlen(item) + 3;
    }
    text_append(text, "\n");
}

/* --- nests --- */

static int64_t all_cycles(const NestSchedule *nest) {
    return nest->cycles * nest_runs(nest->nest);
}

static int compare_cycles(const void *left, const void *right) {
    const NestSchedule *a = *(const NestSchedule *const *)left,
                       *b = *(const NestSchedule *const *)right;
    int64_t of_a = all_cycles(a), of_b = all_cycles(b);
    if (of_a != of_b) return of_a > of_b ? -1 : 1;
    return a < b ? -1 : a > b; /* both are of one array: program order */
}

static void table_nest(const Schedule *schedule, const NestSchedule *nest, Text *text) {
    Arena *arena = text->arena;
    int64_t runs = nest_runs(nest->nest), cycles = all_cycles(nest);
    const char *trip = string_grouped(arena, nest->trip);
    if (runs > 1) trip = string_format(arena, "%s x %s", string_grouped(arena, runs), trip);
    text_printf(text, "  %-*s %13s %4d %6d %12s %4.0f %%", NAME_WIDTH,
                cut(arena, nest->nest->name, NAME_WIDTH), trip, nest->interval, nest->depth,
                string_grouped(arena, cycles), 100 * (double)cycles / (double)schedule->cycles);
    if (nest->limit) text_printf(text, "  %s", cut(arena, nest->limit, LIMIT_WIDTH));
    text_append(text, "\n");
}

static const NestSchedule **sorted_nests(const Schedule *schedule, Arena *arena) {
    const NestSchedule **sorted =
        arena_array(arena, (size_t)schedule->nest_count + 1, sizeof *sorted);
    for (int n = 0; n < schedule->nest_count; n++) sorted[n] = &schedule->nests[n];
    qsort(sorted, (size_t)schedule->nest_count, sizeof *sorted, compare_cycles);
    return sorted;
}

static void table_nests(const Schedule *schedule, Text *text) {
    const NestSchedule **sorted = sorted_nests(schedule, text->arena);
    bool any_limit = false;
    for (int n = 0; n < schedule->nest_count; n++) any_limit = any_limit || sorted[n]->limit;
    text_printf(text, "  %-*s %13s %4s %6s %12s%s\n", NAME_WIDTH, "nest", "trip count", "II",
                "depth", "cycles", any_limit ? "         II is held by" : "");
    int64_t rest = 0;
    for (int n = 0; n < schedule->nest_count; n++) {
        if (n < MOST_NESTS)
            table_nest(schedule, sorted[n], text);
        else
            rest += all_cycles(sorted[n]);
    }
    if (schedule->nest_count > MOST_NESTS)
        text_printf(text, "  %-*s %13s %4s %6s %12s %4.0f %%\n", NAME_WIDTH,
                    string_format(text->arena, "and %d more", schedule->nest_count - MOST_NESTS),
                    "", "", "", string_grouped(text->arena, rest),
                    100 * (double)rest / (double)schedule->cycles);
}

/* --- unrolling --- */

static bool is_unrolled(const Nest *nest) {
    for (int l = 0; l < nest->unrolling.count; l++)
        if (nest->unrolling.items[l].factor > 1) return true;
    return false;
}

/* "oc 16/4 oh 28 ow 28": trip counts, and by what they are divided. */
static const char *loops_text(Arena *arena, const Nest *nest) {
    Text text = text_new(arena);
    for (int l = 0; l < nest->unrolling.count; l++) {
        const Unrolling *loop = &nest->unrolling.items[l];
        text_printf(&text, "%s%s %lld", l ? "  " : "", loop->loop, (long long)loop->trip);
        if (loop->factor > 1) text_printf(&text, "/%d", loop->factor);
    }
    return text_string(&text);
}

static int units_of(const Nest *nest) {
    int units = 1;
    for (int l = 0; l < nest->unrolling.count; l++) units *= nest->unrolling.items[l].factor;
    return units;
}

/* What --parallel or --unroll did to the loops of the nests that take most cycles. */
static void table_unrolling(const Schedule *schedule, int parallel, Text *text) {
    const NestSchedule **sorted = sorted_nests(schedule, text->arena);
    int shown = 0;
    for (int n = 0; n < schedule->nest_count && shown < MOST_NESTS; n++) {
        const Nest *nest = sorted[n]->nest;
        if (!is_unrolled(nest)) continue;
        if (shown++ == 0)
            text_printf(text, "\n  %-*s %6s %6s  %s\n", NAME_WIDTH, "nest", "copies", "busy",
                        "loops: trip count / copies side by side");
        text_printf(text, "  %-*s %6d ", NAME_WIDTH, cut(text->arena, nest->name, NAME_WIDTH),
                    units_of(nest));
        if (nest->macs > 0)
            text_printf(text, "%4.0f %%", 100 * nest_efficiency(sorted[n], parallel));
        text_printf(text, "%*s  %s\n", nest->macs > 0 ? 0 : 6, "",
                    cut(text->arena, loops_text(text->arena, nest), LOOPS_WIDTH));
    }
}

/* --- operators --- */

static void table_operators(const Schedule *schedule, Text *text) {
    OperatorRow *rows;
    int count = operator_rows(schedule, text->arena, &rows);
    if (count == 0) return;
    text_printf(text, "\n  %-*s %13s %4s %6s %12s\n", NAME_WIDTH, "operator", "type", "role",
                "count", "latency");
    for (int i = 0; i < count; i++)
        text_printf(text, "  %-*s %13s %4s %6d %12d\n", NAME_WIDTH, rows[i].unit->primitive,
                    scalar_name(rows[i].unit->type), rows[i].role, rows[i].count,
                    rows[i].unit->latency);
}

/* --- memory and time --- */

static void table_memory(const Program *program, Text *text) {
    const char *separator = "";
    text_printf(text, "\n  memory   %s bits: ", string_grouped(text->arena, memory_bits(program)));
    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        int64_t bits = memory_kind_bits(program, (MemoryKind)kind);
        if (bits == 0) continue;
        text_printf(text, "%s%s %s", separator, memory_kind_names[kind],
                    string_grouped(text->arena, bits));
        separator = ", ";
    }
    text_append(text, "\n");
}

static const char *duration(Arena *arena, double microseconds) {
    if (microseconds < 1000) return string_format(arena, "%.4g us", microseconds);
    if (microseconds < 1e6) return string_format(arena, "%.4g ms", microseconds / 1e3);
    return string_format(arena, "%.4g s", microseconds / 1e6);
}

static void table_time(const Schedule *schedule, int parallel, Text *text) {
    Arena *arena = text->arena;
    double clock = 1000 / schedule->target.period;
    int64_t macs = schedule->program->macs;
    text_printf(
        text, "  cycles   %s%s = %s at %.4g MHz (%s)%s\n",
        schedule->is_static ? "" : "depend on data: ", string_grouped(arena, schedule->cycles),
        duration(arena, (double)schedule->cycles / clock), clock, schedule->target.name,
        schedule->is_static ? "" : " with one turn of each loop on it");
    if (macs == 0) return;
    text_printf(text, "  MACs     %s, %.3g %% of what %d %s could do in this time\n",
                string_grouped(arena, macs), 100 * efficiency(schedule, parallel), parallel,
                parallel == 1 ? "unit" : "units");
}

void report_table(const Schedule *schedule, const StageTime *times, int count, int parallel,
                  Text *text) {
    table_stages(times, count, text);
    text_append(text, "\n");
    table_nests(schedule, text);
    table_unrolling(schedule, parallel, text);
    table_operators(schedule, text);
    table_memory(schedule->program, text);
    table_time(schedule, parallel, text);
}
