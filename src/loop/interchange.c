/* Pass "interchange": independent iterations move inside a reduction.
 *
 * A partial sum that goes through memory is loaded again `distance` iterations after it was loaded,
 * and that takes `recurrence_cycles`: the nest cannot start iterations faster than
 * ceil(recurrence_cycles / distance). Moving parallel loops inside the reduction loops makes the
 * distance the product of their trip counts. The order of the reduction for each element stays: isl
 * proves for each candidate that no two conflicting accesses change places. */
#include <stdlib.h>

#include "loop/body.h"
#include "loop/dependence.h"
#include "loop/transform.h"

enum { MOST_LOOPS = 16, MOST_MOVABLE = 8 };

/* From the load of a value to the next load, where it is only handed on: the read, a multiplexer,
 * the write. */
enum { CHOICE_CYCLES = 3 };

/* An order of the own loops: order[k] becomes the k-th. */
typedef struct Candidate {
    int order[MOST_LOOPS];
    int64_t interval; /* as estimated */
    int displacement; /* how far loops move, in all */
    int64_t strides;  /* of the accesses in the innermost loop: 0 and 1 are best */
} Candidate;

/* --- recurrences --- */

/* How what is stored depends on what is loaded within one iteration. */
typedef enum Path { PATH_NONE, PATH_CHOICE, PATH_ARITHMETIC } Path;

static Path path_through(const Path *paths, const Operation *operation) {
    Path path = operation->predicate >= 0 ? paths[operation->predicate] : PATH_NONE;
    for (int k = 0; k < operation_operands(operation); k++)
        if (paths[operation->operands[k]] > path) path = paths[operation->operands[k]];
    bool chooses = operation->opcode == OP_SELECT || operation->opcode == OP_STORE;
    return path == PATH_NONE || chooses ? path : PATH_ARITHMETIC;
}

static Path path_of(Arena *arena, const Nest *nest, int load, int store) {
    Path *paths = arena_array(arena, (size_t)nest->body.count + 1, sizeof *paths);
    paths[load] = PATH_CHOICE;
    for (int i = load + 1; i <= store; i++) paths[i] = path_through(paths, &nest->body.items[i]);
    return paths[store];
}

/* The II that recurrences through memory force, and the stores that are part of one with
 * arithmetic: those have a long way. */
static int64_t recurrence_interval(const Program *program, const Nest *nest, Arena *arena,
                                   int recurrence_cycles, bool *stores) {
    int64_t interval = 1;
    Dependences dependences = nest_dependences(program, nest, arena);
    for (int i = 0; i < dependences.count; i++) {
        const Dependence *dependence = &dependences.items[i];
        if (nest->body.items[dependence->from].opcode != OP_STORE ||
            nest->body.items[dependence->to].opcode != OP_LOAD || dependence->distance < 1 ||
            dependence->to >= dependence->from)
            continue;
        Path path = path_of(arena, nest, dependence->to, dependence->from);
        if (path == PATH_NONE) continue;
        if (stores && path == PATH_ARITHMETIC) stores[dependence->from] = true;
        int cycles = path == PATH_ARITHMETIC ? recurrence_cycles : CHOICE_CYCLES;
        int64_t needed = (cycles + dependence->distance - 1) / dependence->distance;
        if (needed > interval) interval = needed;
    }
    return interval;
}

/* --- candidates --- */

/* Own loops that tell the elements of every recurrence apart: those can move inside. */
static int movable_loops(const Nest *nest, const bool *stores, int *movable) {
    int count = 0;
    for (int i = nest->outer; i < nest->loop_count && count < MOST_MOVABLE; i++) {
        bool parallel = true;
        for (int k = 0; k < nest->body.count; k++) {
            const Operation *operation = &nest->body.items[k];
            if (!stores[k]) continue;
            parallel = parallel && !operation->computed && operation->affine.coefficients[i] != 0;
        }
        if (parallel) movable[count++] = i - nest->outer;
    }
    return count;
}

static int64_t innermost_strides(const Nest *nest, int loop) {
    int64_t sum = 0;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        if (!operation_is_access(operation) || operation->computed) continue;
        int64_t stride = operation->affine.coefficients[loop];
        sum += stride < 0 ? -stride : stride;
    }
    return sum;
}

/* The loops in `inside` (bits over `movable`) go innermost, in their order. */
static Candidate candidate_of(const Nest *nest, const int *movable, int count, unsigned inside,
                              int recurrence_cycles) {
    Candidate candidate = {0};
    int own = nest->loop_count - nest->outer, place = 0;
    int64_t distance = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < own; i++) {
            bool moves = false;
            for (int k = 0; k < count; k++) moves = moves || (movable[k] == i && (inside >> k & 1));
            if (moves != (pass == 1)) continue;
            candidate.displacement += abs(place - i);
            candidate.order[place++] = i;
            if (moves) distance *= nest->loops[nest->outer + i].trip;
        }
    }
    candidate.interval = (recurrence_cycles + distance - 1) / distance;
    candidate.strides = innermost_strides(nest, nest->outer + candidate.order[own - 1]);
    return candidate;
}

static int compare_candidates(const void *left, const void *right) {
    const Candidate *a = left, *b = right;
    if (a->interval != b->interval) return a->interval < b->interval ? -1 : 1;
    if (a->displacement != b->displacement) return a->displacement - b->displacement;
    return a->strides < b->strides ? -1 : a->strides > b->strides;
}

/* --- applying an order --- */

static Nest reordered(Arena *arena, const Nest *nest, const int *order) {
    Nest result = *nest;
    int loops = nest->loop_count, own = loops - nest->outer;
    result.loops = arena_array(arena, (size_t)loops, sizeof(Loop));
    for (int i = 0; i < loops; i++)
        result.loops[i] = nest->loops[i < nest->outer ? i : nest->outer + order[i - nest->outer]];
    result.body.items = arena_array(arena, (size_t)nest->body.count, sizeof(Operation));
    result.body.capacity = nest->body.count;
    for (int i = 0; i < nest->body.count; i++) {
        Operation operation = nest->body.items[i];
        if (operation.affine.coefficients) {
            Affine form = affine_copy(arena, &operation.affine, loops);
            for (int k = 0; k < own; k++)
                form.coefficients[nest->outer + k] =
                    operation.affine.coefficients[nest->outer + order[k]];
            operation.affine = form;
        }
        result.body.items[i] = operation;
    }
    return result;
}

typedef struct Context {
    const Program *program;
    int recurrence_cycles;
} Context;

/* Tries the candidates from the best on; the first legal one whose real interval is what was hoped
 * for wins. */
static void choose(const Context *context, Nest *nest, Arena *scratch, Candidate *candidates,
                   int count, int64_t interval) {
    Arena *arena = context->program->arena;
    Nest best = *nest;
    for (int i = 0; i < count && candidates[i].interval < interval; i++) {
        if (!nest_allows_order(context->program, nest, candidates[i].order)) continue;
        Nest trial = reordered(arena, nest, candidates[i].order);
        int64_t reached = recurrence_interval(context->program, &trial, scratch,
                                              context->recurrence_cycles, NULL);
        if (reached >= interval) continue;
        best = trial;
        interval = reached;
    }
    *nest = best;
}

static void interchange_nest(Nest *nest, void *data) {
    const Context *context = data;
    int own = nest->loop_count - nest->outer;
    if (own < 2 || own > MOST_LOOPS) return;
    Arena *scratch = arena_new();
    bool *stores = arena_array(scratch, (size_t)nest->body.count + 1, sizeof *stores);
    int64_t interval =
        recurrence_interval(context->program, nest, scratch, context->recurrence_cycles, stores);
    int movable[MOST_MOVABLE];
    int count = interval > 1 ? movable_loops(nest, stores, movable) : 0;
    Candidate candidates[1 << MOST_MOVABLE];
    int total = 0;
    for (unsigned inside = 1; inside < 1u << count; inside++)
        candidates[total++] =
            candidate_of(nest, movable, count, inside, context->recurrence_cycles);
    qsort(candidates, (size_t)total, sizeof *candidates, compare_candidates);
    choose(context, nest, scratch, candidates, total, interval);
    arena_free(scratch);
}

bool pass_interchange(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)diagnostics;
    Context context = {program, options->recurrence_cycles};
    program_each_nest(program, interchange_nest, &context);
    return true;
}
