/* The text of a schedule: comments that go with the stage `loops`. */
#include "schedule/schedule.h"

static void print_operation(const NestSchedule *nest, const Program *program, int i, Text *text) {
    const Operation *op = &nest->nest->body.items[i];
    const Slot *slot = &nest->slots[i];
    text_printf(text, "//   %4d  %%%-4d %-9s", slot->start, i, opcode_info[op->opcode].text);
    if (op->opcode == OP_LOAD || op->opcode == OP_STORE)
        text_printf(text, " %s", program->memories.items[op->memory].name);
    if (slot->ready > slot->start) text_printf(text, " -> %d", slot->ready);
    if (slot->unit >= 0 && nest->units[slot->unit].primitive) {
        text_printf(text, "  %s", nest->units[slot->unit].primitive);
        if (slot->instance >= 0) text_printf(text, "[%d]", slot->instance);
    }
    if (slot->role == ROLE_MAC) text_printf(text, "  mac");
    text_append(text, "\n");
}

static void print_nest(const NestSchedule *nest, const Program *program, Text *text) {
    text_printf(text, "// schedule of %s: II %d, depth %d, %lld iterations, %lld cycles\n",
                nest->nest->name, nest->interval, nest->depth, (long long)nest->trip,
                (long long)nest->cycles);
    if (nest->limit) text_printf(text, "//   II is held by: %s\n", nest->limit);
    /* In the order of their start cycles; operations that are nothing in time are left out. */
    for (int cycle = 0; cycle < nest->depth; cycle++)
        for (int i = 0; i < nest->nest->body.count; i++) {
            Opcode opcode = nest->nest->body.items[i].opcode;
            if (opcode != OP_CONSTANT && opcode != OP_INDEX && nest->slots[i].start == cycle)
                print_operation(nest, program, i, text);
        }
}

void schedule_print(const Schedule *schedule, Text *text) {
    for (int n = 0; n < schedule->nest_count; n++)
        print_nest(&schedule->nests[n], schedule->program, text);
    for (int u = 0; u < schedule->unit_count; u++) {
        const UnitCount *count = &schedule->units[u];
        text_printf(text, "// %d x %s %s, latency %d, %s\n", count->count, count->unit.primitive,
                    scalar_name(count->unit.type), count->unit.latency, count->role);
    }
    text_printf(text, "// %lld cycles%s at %.4g MHz\n", (long long)schedule->cycles,
                schedule->is_static ? "" : ", but for what depends on data",
                1000 / schedule->target.period);
}
