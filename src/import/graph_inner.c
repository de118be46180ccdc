/* Graphs that nodes hold, such as the branches of `cond`: values and nodes of their own, in the
 * same lists as those of the whole program, under names of their own. */
#include "import/graph_reader.h"

enum { MAX_DEPTH = 16 };

static bool read_inputs(GraphReader *reader, const json_t *list, Graph *graph) {
    size_t count = json_array_size(list);
    graph->inputs = arena_array(reader->arena, count + 1, sizeof *graph->inputs);
    for (size_t i = 0; i < count; i++) {
        json_t *tensor = json_object_get(json_array_get(list, i), "as_tensor");
        if (!tensor) {
            return json_fault(&reader->json,
                              "an input of graph %s is no tensor, which is not supported",
                              graph->name);
        }
        const char *name = json_string_field(&reader->json, tensor, "name");
        int index = name ? graph_define(reader, name) : -1;
        if (index < 0) return false;
        reader->program->values.items[index].is_given = true;
        graph->inputs[graph->input_count++] = index;
    }
    return true;
}

static bool read_outputs(GraphReader *reader, const json_t *list, Graph *graph) {
    size_t count = json_array_size(list);
    graph->outputs = arena_array(reader->arena, count + 1, sizeof *graph->outputs);
    for (size_t i = 0; i < count; i++) {
        Argument *output = &graph->outputs[graph->output_count++];
        if (!graph_argument(reader, json_array_get(list, i), output)) return false;
        if (output->kind == ARGUMENT_TENSOR) continue;
        return json_fault(&reader->json,
                          "a result of graph %s is no tensor, which is not supported", graph->name);
    }
    return true;
}

static bool read_graph(GraphReader *reader, Graph *graph) {
    json_t *inputs = json_array_field(&reader->json, reader->graph, "inputs");
    json_t *outputs = json_array_field(&reader->json, reader->graph, "outputs");
    if (!inputs || !outputs || !graph_values(reader) || !read_inputs(reader, inputs, graph))
        return false;
    graph->first_node = reader->program->nodes.count;
    if (!graph_nodes(reader)) return false;
    graph->end_node = reader->program->nodes.count;
    return read_outputs(reader, outputs, graph);
}

bool graph_inner(GraphReader *reader, const json_t *value, Argument *argument) {
    const char *name = json_string_field(&reader->json, value, "name");
    json_t *content = name ? json_object_field(&reader->json, value, "graph") : NULL;
    if (!content) return false;
    if (reader->depth == MAX_DEPTH)
        return json_fault(&reader->json, "graphs are nested too deeply");
    Graph *graph = arena_new_of(reader->arena, Graph);
    graph->name = string_printable(reader->arena, name, 100);
    argument->graph = graph;
    GraphReader outer = *reader;
    Map names = reader->program->names;
    reader->graph = content;
    reader->program->names = map_new(reader->arena);
    reader->depth++;
    bool done = read_graph(reader, graph);
    reader->program->names = names;
    reader->graph = outer.graph;
    reader->depth = outer.depth;
    reader->json.item = outer.json.item;
    return done;
}
