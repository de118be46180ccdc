/* What the strict order of sums costs. */
#include <string.h>
#include "report/figures.h"
#include "report/report.h"

/* A nest that adds floats, each sum waiting for the one before. */
static bool waits_for_sums(const NestSchedule *schedule) {
    if (schedule->interval < 2 || !schedule->limit || !string_starts(schedule->limit, "recurrence"))
        return false;
    for (int i = 0; i < schedule->nest->body.count; i++)
        if (schedule->nest->body.items[i].opcode == OP_FLOAT_ADD) return true;
    return false;
}

void report_order(const Schedule *schedule, Text *text) {
    enum { NAMED = 3 };
    int64_t waited = 0;
    int count = 0;
    Text names = text_new(text->arena);
    for (int n = 0; n < schedule->nest_count; n++) {
        const NestSchedule *nest = &schedule->nests[n];
        if (!waits_for_sums(nest)) continue;
        waited += nest->trip * nest_runs(nest->nest) * (nest->interval - 1);
        if (count++ < NAMED) text_printf(&names, "%s%s", count > 1 ? ", " : "", nest->nest->name);
    }
    enum { WORTH_SAYING = 50 }; /* 2 % */
    if (waited * WORTH_SAYING < schedule->cycles) return;
    if (count > NAMED) text_printf(&names, " and %d more", count - NAMED);
    text_printf(text,
                "\n  In %s each sum waits for its own last term: %s of the cycles are waiting.\n"
                "  --reassociate adds partial sums instead, which changes roundings.\n",
                text_string(&names), string_grouped(text->arena, waited));
}
