/* Shared by the files that read models/model.json: graph.c, graph_values.c, graph_shapes.c. */
#ifndef TEPAL_IMPORT_GRAPH_READER_H
#define TEPAL_IMPORT_GRAPH_READER_H

#include "import/json.h"
#include "import/program.h"
#include "import/symbols.h"

typedef struct GraphReader {
    Arena *arena;
    JsonReader json;
    Program *program;
    Symbols symbols;
    const json_t *graph;
    const json_t *ranges; /* of the symbols; may be NULL */
    int depth;            /* of the graph that is read: 0, and one more in each that a node holds */
} GraphReader;

/* Says in messages what is being read: "node conv2d". */
void graph_item(GraphReader *reader, const char *kind, const char *name);

/* A size, {"as_int": 3} or a symbolic expression with a known value. */
bool graph_size(GraphReader *reader, const json_t *value, int64_t *size);
/* All of tensor_values. */
bool graph_values(GraphReader *reader);
/* An argument, the union of all values. */
bool graph_argument(GraphReader *reader, const json_t *value, Argument *argument);

/* Marks the value as defined in the graph that is read, and returns its index, or -1. */
int graph_define(GraphReader *reader, const char *name);
bool graph_nodes(GraphReader *reader);
/* The graph that a node holds: {"name": ..., "graph": ...}. */
bool graph_inner(GraphReader *reader, const json_t *value, Argument *argument);

/* Gives numbers to the symbols of the inputs' sizes. */
bool graph_fix_shapes(GraphReader *reader, int count, const FixedShape *shapes);
/* After graph_values: the inputs have the shapes that were asked for. */
bool graph_check_shapes(GraphReader *reader, int count, const FixedShape *shapes);

#endif
