/* What Tepal says of a model and of a design: `tepal info`, report.json, and the table at the end
 * of a build. */
#ifndef TEPAL_REPORT_REPORT_H
#define TEPAL_REPORT_REPORT_H

#include <jansson.h>
#include "schedule/schedule.h"

/* Wall time of a stage of the compilation. */
typedef struct StageTime {
    const char *stage;
    double seconds;
} StageTime;

/* What report.json holds: macs, parallel, cycles, nests, operators, memory_bits, seconds per stage
 * ... The caller frees it with json_decref. */
json_t *report_object(const Schedule *schedule, const StageTime *times, int count, int parallel,
                      Arena *arena);
/* Appends report.json. */
void report_json(const Schedule *schedule, const StageTime *times, int count, int parallel,
                 Text *text);

/* Appends the table that `tepal build` prints at its end; at most 100 columns. */
void report_table(const Schedule *schedule, const StageTime *times, int count, int parallel,
                  Text *text);

/* Appends which sums in strict order leave adders waiting, and how long, if that is worth saying.
 */
void report_order(const Schedule *schedule, Text *text);

/* How often each operation stands in a model at the stage `linalg`, most frequent first. */
typedef struct OpCount {
    const char *name;
    int count;
} OpCount;
typedef struct OpCounts {
    OpCount *items;
    int count;
} OpCounts;
OpCounts model_operations(const Model *model, Arena *arena);

/* Appends what `tepal info` prints: inputs, outputs, parameters, operations, and, if `program` is
 * not NULL, MACs and memory. The operations are counted before, as lowering changes the module. */
void report_model(const Model *model, const OpCounts *operations, const Program *program,
                  Text *text);

#endif
