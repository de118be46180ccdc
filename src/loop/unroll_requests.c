/* --unroll: the factors of a nest's loops as the user wants them. */
#include <string.h>

#include "loop/unrolling.h"

static const char *nest_names(const Plan *plan) {
    Text text = text_new(plan->scratch);
    for (int i = 0; i < plan->jobs.count; i++)
        text_printf(&text, "%s%s", i ? ", " : "", plan->jobs.items[i].nest->name);
    return text_string(&text);
}

static const char *loop_names(const Plan *plan, const Nest *nest, const bool *parallel) {
    Text text = text_new(plan->scratch);
    for (int l = nest->outer; l < nest->loop_count; l++)
        if (parallel[l]) text_printf(&text, "%s%s", text.length ? ", " : "", nest->loops[l].name);
    return text.length ? text_string(&text) : "none of its loops";
}

bool requests_check(const Plan *plan, Diagnostics *diagnostics) {
    for (int r = 0; r < plan->options->unroll_count; r++) {
        const UnrollRequest *request = &plan->options->unroll[r];
        bool found = false;
        for (int i = 0; i < plan->jobs.count; i++)
            found = found || strcmp(plan->jobs.items[i].nest->name, request->nest) == 0;
        if (!found)
            return error_at(diagnostics, STATUS_USAGE, request->origin,
                            "there is no nest '%s': there are %s",
                            string_printable(plan->scratch, request->nest, 60), nest_names(plan));
    }
    return true;
}

static bool apply(const Plan *plan, const Nest *nest, const bool *parallel,
                  const UnrollRequest *request, int *factors, Diagnostics *diagnostics) {
    int loop = nest->outer;
    while (loop < nest->loop_count && strcmp(nest->loops[loop].name, request->loop) != 0) loop++;
    if (loop == nest->loop_count)
        return error_at(diagnostics, STATUS_USAGE, request->origin,
                        "nest %s has no loop '%s'; what can be unrolled: %s", nest->name,
                        string_printable(plan->scratch, request->loop, 60),
                        loop_names(plan, nest, parallel));
    if (request->factor > nest->loops[loop].trip)
        return error_at(diagnostics, STATUS_USAGE, request->origin,
                        "%s:%s=%lld: the loop has %lld iterations", nest->name, request->loop,
                        (long long)request->factor, (long long)nest->loops[loop].trip);
    if (request->factor > 1 && !parallel[loop])
        return error_at(diagnostics, STATUS_USAGE, request->origin,
                        "%s:%s: the iterations of this loop depend on each other; what can be "
                        "unrolled: %s",
                        nest->name, request->loop, loop_names(plan, nest, parallel));
    factors[loop] = (int)request->factor;
    return true;
}

bool requests_apply(const Plan *plan, const Nest *nest, const bool *parallel, int *factors,
                    bool *any, Diagnostics *diagnostics) {
    int64_t units = 1;
    *any = false;
    for (int r = 0; r < plan->options->unroll_count; r++) {
        const UnrollRequest *request = &plan->options->unroll[r];
        if (strcmp(request->nest, nest->name) != 0) continue;
        if (!apply(plan, nest, parallel, request, factors, diagnostics)) return false;
        *any = true;
    }
    for (int l = nest->outer; *any && l < nest->loop_count; l++) {
        units *= factors[l];
        if (units <= plan->options->parallel) continue;
        return error_at(diagnostics, STATUS_USAGE, "--unroll",
                        "nest %s would have %lld copies of its body or more: give --parallel as "
                        "many as are to work at once",
                        nest->name, (long long)units);
    }
    return true;
}
