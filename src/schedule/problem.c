/* From a nest to its scheduling problem: units, delays, and the edges between start cycles.
 *
 * Chaining follows system-of-difference-constraints scheduling (Cong and Zhang, DAC 2006): wherever
 * the logic from one operation to another is longer than a period lets it be, an edge of one cycle
 * more separates the two. These edges are exact: a schedule keeps the period if and only if it
 * keeps them. */
#include <assert.h>
#include <string.h>

#include "schedule/modulo.h"
#include "schedule/target.h"

static bool is_access(const Operation *op) {
    return op->opcode == OP_LOAD || op->opcode == OP_STORE;
}

/* --- units and delays --- */

static int unit_kind(Problem *problem, Unit unit) {
    for (int u = 0; u < problem->units.count; u++)
        if (unit_equal(&problem->units.items[u], &unit)) {
            /* Plain logic of one kind can differ in delay. */
            if (problem->units.items[u].input_delay < unit.input_delay)
                problem->units.items[u].input_delay = unit.input_delay;
            return u;
        }
    vector_push(problem->arena, &problem->units, unit);
    return problem->units.count - 1;
}

static void describe_access(Problem *problem, int i) {
    const Operation *op = &problem->body[i];
    const Memory *memory = &problem->program->memories.items[op->memory];
    double level = target_delays(problem->target)->level;
    if (memory_is_register(memory)) {
        problem->input_delay[i] = register_access_delay(problem->target, op);
        return;
    }
    int banks = access_bank(problem->program, problem->nest, op) < 0 ? memory_banks(memory) : 1;
    problem->latency[i] = op->opcode == OP_LOAD ? 1 : 0;
    problem->input_delay[i] = memory_address_delay(problem->target, memory);
    if (op->opcode == OP_STORE) return;
    problem->output_delay[i] = memory_read_delay(problem->target, memory);
    if (op->predicate >= 0) problem->output_delay[i] += level; /* zero where nothing was read */
    for (int choices = 1; choices < banks; choices *= 2) problem->output_delay[i] += level;
}

static void describe_operation(Problem *problem, int i, const Schedule *bound) {
    const Operation *op = &problem->body[i];
    problem->unit_of[i] = -1;
    problem->span[i] = problem->busy[i] = 1;
    if (op->opcode == OP_CONSTANT || op->opcode == OP_INDEX) {
        problem->is_source[i] = true;
    } else if (is_access(op)) {
        describe_access(problem, i);
    } else {
        Unit unit = operator_unit_bound(problem->target, problem->nest, op, bound);
        problem->unit_of[i] = unit_kind(problem, unit);
        problem->latency[i] = unit.latency;
        problem->input_delay[i] = unit.input_delay;
        problem->output_delay[i] = unit.output_delay;
        if (unit.latency > 1) problem->span[i] = unit.latency;
        if (!unit.pipelined) problem->busy[i] = problem->span[i];
    }
}

/* --- edges --- */

static void add_edge(Problem *problem, Edge edge) {
    if (problem->is_source[edge.from] || problem->is_source[edge.to]) return;
    vector_push(problem->arena, &problem->edges, edge);
}

static void data_edges(Problem *problem) {
    for (int i = 0; i < problem->count; i++) {
        const Operation *op = &problem->body[i];
        int used[] = {op->operands[0], op->operands[1], op->operands[2], op->predicate};
        for (int n = 0; n < 4; n++)
            if (used[n] >= 0)
                add_edge(problem, (Edge){used[n], i, problem->latency[used[n]], 0, -1});
    }
}

/* A word that is written can be read one cycle later. The other way round the same cycle would do,
 * as such a read gives the old word; but block RAM that need not promise this is smaller and
 * faster, and one cycle costs nothing: a store nearly always waits for a load anyway. */
static void dependence_edges(Problem *problem) {
    for (int d = 0; d < problem->dependences.count; d++) {
        const Dependence *dependence = &problem->dependences.items[d];
        if (problem->body[dependence->from].opcode == OP_LOAD &&
            problem->body[dependence->to].opcode == OP_LOAD)
            continue;
        add_edge(problem, (Edge){dependence->from, dependence->to, 1, dependence->distance, d});
    }
}

/* Lists of edge numbers per operation, by where they start (or end). */
static IntList *edge_lists(Problem *problem, bool by_start) {
    Arena *arena = problem->arena;
    IntList *lists = arena_array(arena, (size_t)problem->count + 1, sizeof(IntList));
    int *room = arena_array(arena, (size_t)problem->edges.count + 1, sizeof(int));
    for (int e = 0; e < problem->edges.count; e++) {
        const Edge *edge = &problem->edges.items[e];
        lists[by_start ? edge->from : edge->to].count++;
    }
    for (int i = 0; i < problem->count; i++) {
        lists[i].items = room;
        room += lists[i].count;
        lists[i].count = 0;
    }
    for (int e = 0; e < problem->edges.count; e++) {
        const Edge *edge = &problem->edges.items[e];
        IntList *list = &lists[by_start ? edge->from : edge->to];
        list->items[list->count++] = e;
    }
    return lists;
}

static void index_edges(Problem *problem) {
    problem->outgoing = edge_lists(problem, true);
    problem->incoming = edge_lists(problem, false);
}

/* --- chaining --- */

/* Scratch of one walk: how late the signal of the chain's start is at the output of each operation
 * that it reaches in the same cycle; negative: not reached. */
typedef struct Walk {
    double *arrival;
    int *heap, heap_count; /* reached operations, least first: operands come before their users */
} Walk;

static void heap_push(Walk *walk, int operation) {
    int at = walk->heap_count++;
    for (; at > 0 && walk->heap[(at - 1) / 2] > operation; at = (at - 1) / 2)
        walk->heap[at] = walk->heap[(at - 1) / 2];
    walk->heap[at] = operation;
}

static int heap_pop(Walk *walk) {
    int least = walk->heap[0], last = walk->heap[--walk->heap_count], at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= walk->heap_count) break;
        if (child + 1 < walk->heap_count && walk->heap[child + 1] < walk->heap[child]) child++;
        if (walk->heap[child] >= last) break;
        walk->heap[at] = walk->heap[child];
        at = child;
    }
    walk->heap[at] = last;
    return least;
}

/* The signal of `start` is at the output of `operation`: where does it go in the same cycle? */
static void walk_users(Problem *problem, Walk *walk, int start, int operation, double budget) {
    const IntList *outgoing = &problem->outgoing[operation];
    for (int k = 0; k < outgoing->count; k++) {
        Edge edge = problem->edges.items[outgoing->items[k]];
        if (edge.dependence >= 0) continue;
        double delay = problem->input_delay[edge.to];
        double arrival = walk->arrival[operation] + delay;
        if (arrival > budget && delay > 0) {
            add_edge(problem, (Edge){start, edge.to, problem->latency[start] + 1, 0, -1});
        } else if (problem->latency[edge.to] == 0 && problem->body[edge.to].opcode != OP_STORE) {
            if (walk->arrival[edge.to] < 0) heap_push(walk, edge.to);
            if (walk->arrival[edge.to] < arrival) walk->arrival[edge.to] = arrival;
        }
    }
}

static void chain_edges(Problem *problem) {
    size_t count = (size_t)problem->count + 1;
    Walk walk = {.arrival = arena_array(problem->arena, count, sizeof(double)),
                 .heap = arena_array(problem->arena, count, sizeof(int))};
    int *reached = arena_array(problem->arena, count, sizeof(int));
    double budget = target_budget(problem->target);
    for (int i = 0; i < problem->count; i++) walk.arrival[i] = -1;
    for (int start = 0; start < problem->count; start++) {
        /* An operation that takes time launches from its own registers, others from those before.
         */
        double first = problem->latency[start] > 0 ? problem->output_delay[start]
                                                   : problem->input_delay[start];
        if (problem->is_source[start] || first <= 0) continue;
        int reached_count = 0;
        walk.arrival[start] = first;
        heap_push(&walk, start);
        while (walk.heap_count) {
            int operation = heap_pop(&walk);
            reached[reached_count++] = operation;
            walk_users(problem, &walk, start, operation, budget);
        }
        for (int k = 0; k < reached_count; k++) walk.arrival[reached[k]] = -1;
    }
}

Problem *problem_new(const Program *program, const Nest *nest, const Target *target, int parallel,
                     const Dependences *dependences, const Schedule *bound, Arena *arena) {
    Problem *problem = arena_new_of(arena, Problem);
    size_t count = (size_t)nest->body.count + 1;
    *problem = (Problem){.program = program,
                         .nest = nest,
                         .target = target,
                         .arena = arena,
                         .parallel = parallel,
                         .count = nest->body.count,
                         .body = nest->body.items,
                         .dependences = *dependences,
                         .unit_of = arena_array(arena, count, sizeof(int)),
                         .roles = arena_array(arena, count, sizeof(Role)),
                         .latency = arena_array(arena, count, sizeof(int)),
                         .span = arena_array(arena, count, sizeof(int)),
                         .busy = arena_array(arena, count, sizeof(int)),
                         .is_source = arena_array(arena, count, sizeof(bool)),
                         .input_delay = arena_array(arena, count, sizeof(double)),
                         .output_delay = arena_array(arena, count, sizeof(double))};
    for (int i = 0; i < problem->count; i++) describe_operation(problem, i, bound);
    data_edges(problem);
    dependence_edges(problem);
    index_edges(problem);
    problem_components(problem);
    problem_roles(problem);
    chain_edges(problem);
    index_edges(problem);
    return problem;
}
