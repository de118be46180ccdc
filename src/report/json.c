/* report.json. */
#include <jansson.h>
#include <stdlib.h>

#include "report/figures.h"

/* The loops that --unroll can name, as they were before, and what was chosen for them. */
static json_t *loops_json(const Nest *nest) {
    json_t *list = json_array();
    for (int l = 0; l < nest->unrolling.count; l++) {
        const Unrolling *loop = &nest->unrolling.items[l];
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(loop->loop));
        json_object_set_new(row, "trip_count", json_integer(loop->trip));
        json_object_set_new(row, "unroll", json_integer(loop->factor));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *nests_json(const Schedule *schedule, int parallel) {
    json_t *list = json_array();
    for (int n = 0; n < schedule->nest_count; n++) {
        const NestSchedule *nest = &schedule->nests[n];
        int64_t runs = nest_runs(nest->nest);
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(nest->nest->name));
        if (nest->nest->location)
            json_object_set_new(row, "location", json_string(nest->nest->location));
        json_object_set_new(row, "trip_count", json_integer(nest->trip));
        json_object_set_new(row, "runs", json_integer(runs));
        json_object_set_new(row, "II", json_integer(nest->interval));
        json_object_set_new(row, "depth", json_integer(nest->depth));
        json_object_set_new(row, "cycles", json_integer(nest->cycles * runs));
        json_object_set_new(row, "loops", loops_json(nest->nest));
        json_object_set_new(row, "macs", json_integer(nest->nest->macs));
        json_object_set_new(row, "efficiency", json_real(nest_efficiency(nest, parallel)));
        json_object_set_new(row, "limit", nest->limit ? json_string(nest->limit) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *operators_json(const OperatorRow *rows, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "kind", json_string(rows[i].unit->primitive));
        json_object_set_new(row, "type", json_string(scalar_name(rows[i].unit->type)));
        json_object_set_new(row, "count", json_integer(rows[i].count));
        json_object_set_new(row, "role", json_string(rows[i].role));
        json_object_set_new(row, "latency", json_integer(rows[i].unit->latency));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *memories_json(const Program *program) {
    json_t *list = json_array();
    for (int m = 0; m < program->memories.count; m++) {
        const Memory *memory = &program->memories.items[m];
        if (memory_is_description(program, m)) continue;
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(memory->name));
        json_object_set_new(row, "use", json_string(memory_kind_names[memory->kind]));
        json_object_set_new(row, "type", json_string(scalar_name(memory->type)));
        json_object_set_new(row, "elements", json_integer((json_int_t)memory->elements));
        json_object_set_new(row, "word_bits", json_integer(memory_word_bits(memory)));
        if (memory->holds) json_object_set_new(row, "holds", json_string(memory->holds));
        if (memory->tensor_name)
            json_object_set_new(row, "tensor", json_string(memory->tensor_name));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *seconds_json(const StageTime *times, int count) {
    json_t *seconds = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(seconds, times[i].stage, json_real(times[i].seconds));
    return seconds;
}

json_t *report_object(const Schedule *schedule, const StageTime *times, int count, int parallel,
                      Arena *arena) {
    const Program *program = schedule->program;
    OperatorRow *operators, *logic;
    int operator_count = operator_rows(schedule, arena, &operators);
    int logic_count = logic_rows(schedule, arena, &logic);
    json_t *root = json_object();
    json_object_set_new(root, "name", json_string(program->name));
    json_object_set_new(root, "target", json_string(schedule->target.name));
    json_object_set_new(root, "clock_mhz", json_real(1000 / schedule->target.period));
    json_object_set_new(root, "parallel", json_integer(parallel));
    json_object_set_new(root, "macs", json_integer(program->macs));
    json_object_set_new(root, "cycles", json_integer(schedule->cycles));
    json_object_set_new(root, "cycles_exact", json_boolean(schedule->is_static));
    json_object_set_new(root, "efficiency", json_real(efficiency(schedule, parallel)));
    json_object_set_new(root, "memory_bits", json_integer(memory_bits(program)));
    json_object_set_new(root, "nests", nests_json(schedule, parallel));
    json_object_set_new(root, "operators", operators_json(operators, operator_count));
    json_object_set_new(root, "unshared_operators", operators_json(logic, logic_count));
    json_object_set_new(root, "memories", memories_json(program));
    json_object_set_new(root, "seconds", seconds_json(times, count));
    return root;
}

void report_json(const Schedule *schedule, const StageTime *times, int count, int parallel,
                 Text *text) {
    json_t *root = report_object(schedule, times, count, parallel, text->arena);
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(root);
    if (!dump) return; /* only without memory, which ends the process elsewhere */
    text_append(text, dump);
    text_append(text, "\n");
    free(dump);
}
