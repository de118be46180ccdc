/* Pass "fuse_tail": an elementwise nest is executed in the producer's last step for each element.
 *
 * The consumer reads each element of a memory once; the producer stores its final value in the last
 * iteration of its reduction loops. There the consumer's body follows, with the stored value in
 * place of the load. Producers without a reduction are the same case with every iteration the last.
 */
#include "loop/fusion.h"

typedef struct Match {
    const Stages *stages;
    int producer, consumer, memory;
    int store; /* of the final value, in the producer */
    int load;  /* in the consumer */
    bool reduces;
    bool in_place; /* the consumer stores to the same memory */
    Affine *solution;
} Match;

static const Nest *producer_of(const Match *match) {
    return match->stages->items[match->producer].nest;
}

static const Nest *consumer_of(const Match *match) {
    return match->stages->items[match->consumer].nest;
}

/* --- what has to hold --- */

/* The producer's one store, in the last iteration for each element at least. */
static bool find_store(Arena *arena, Match *match) {
    const Nest *nest = producer_of(match);
    match->store = only_access(nest, OP_STORE, match->memory);
    if (match->store < 0) return false;
    const Operation *store = &nest->body.items[match->store];
    if (store->computed || !form_is_injective(nest, &store->affine)) return false;
    match->reduces = form_repetitions(nest, &store->affine) > 1;
    return store->predicate < 0 ||
           is_edge_of_repetitions(arena, nest, &store->affine, true, store->predicate);
}

/* The consumer's load, one for each of its iterations, and the iterations that the producer's are.
 */
static bool find_load(Arena *arena, Match *match) {
    const Nest *producer = producer_of(match), *consumer = consumer_of(match);
    match->load = only_access(consumer, OP_LOAD, match->memory);
    if (match->load < 0) return false;
    const Operation *load = &consumer->body.items[match->load];
    const Affine *form = &producer->body.items[match->store].affine;
    if (load->computed || load->predicate >= 0) return false;
    if (nest_trip_count(consumer) != form_iterations(producer, form)) return false;
    match->solution = solve_iterations(arena, consumer, &load->affine, producer, form);
    return match->solution != NULL;
}

/* True if the consumer can be executed at the place of the producer: nothing in between and in the
 * producer touches what it stores or changes what it loads. */
static bool can_move(const Match *match) {
    const Stage *producer = &match->stages->items[match->producer];
    const Stage *consumer = &match->stages->items[match->consumer];
    int first = match->producer + 1, last = match->consumer - 1;
    const Nest *nest = consumer->nest;
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *access = &nest->body.items[i];
        if (!operation_is_access(access)) continue;
        int memory = access->memory;
        if (stages_write(match->stages, first, last, memory)) return false;
        bool store = access->opcode == OP_STORE;
        if (store && stages_read(match->stages, first, last, memory)) return false;
        if (memory == match->memory) continue;
        if (producer->writes[memory] || (store && producer->reads[memory])) return false;
        /* A load of what the consumer stores, other than of its own element, would see another
         * order. */
        if (!store && consumer->writes[memory]) return false;
    }
    return true;
}

/* In place: the element itself is stored, and the producer uses it only as its sum. */
static bool fits_in_place(Arena *arena, Match *match) {
    const Nest *producer = producer_of(match), *consumer = consumer_of(match);
    match->in_place = count_accesses(consumer, OP_STORE, match->memory) > 0;
    if (!match->in_place) return true;
    int store = only_access(consumer, OP_STORE, match->memory);
    /* What the consumer did not store would have to stay as the producer left it. */
    if (store < 0 || consumer->body.items[store].computed ||
        consumer->body.items[store].predicate >= 0 ||
        !affine_equal(&consumer->body.items[store].affine,
                      &consumer->body.items[match->load].affine, consumer->loop_count))
        return false;
    const Affine *form = &producer->body.items[match->store].affine;
    int loads = count_accesses(producer, OP_LOAD, match->memory);
    if (loads == 0) return true;
    int load = only_access(producer, OP_LOAD, match->memory);
    if (load < 0 || load > match->store || producer->body.items[load].computed ||
        !affine_equal(&producer->body.items[load].affine, form, producer->loop_count))
        return false;
    if (!match->reduces) return true;
    /* The sum moves to a memory of its own, so it must not start with what is in this one. */
    return is_after_first(arena, producer, form, producer->body.items[load].predicate);
}

/* --- what it costs --- */

/* Opcodes by the unit that they use, 0 for logic; a tail gets one unit of each kind. */
static const int unit_kinds[OPCODE_COUNT] = {
    [OP_FLOAT_ADD] = 1,         [OP_FLOAT_SUBTRACT] = 1,   [OP_FLOAT_MULTIPLY] = 2,
    [OP_FLOAT_DIVIDE] = 3,      [OP_FLOAT_SQRT] = 3,       [OP_FLOAT_TO_SIGNED] = 4,
    [OP_FLOAT_TO_UNSIGNED] = 4, [OP_SIGNED_TO_FLOAT] = 5,  [OP_UNSIGNED_TO_FLOAT] = 5,
    [OP_FLOAT_CONVERT] = 6,     [OP_MULTIPLY] = 7,         [OP_DIVIDE_SIGNED] = 3,
    [OP_DIVIDE_UNSIGNED] = 3,   [OP_REMAINDER_SIGNED] = 3, [OP_REMAINDER_UNSIGNED] = 3,
};
enum { SLOW_KIND = 3, UNIT_KINDS = 8 };

static void count_units(const Nest *nest, const bool *skip, int *counts) {
    for (int i = 0; i < nest->body.count; i++)
        if (!skip || !skip[i]) counts[unit_kinds[nest->body.items[i].opcode]]++;
}

/* Operations of the producer that the stores in every iteration need: what is not tail. */
static bool *main_operations(Arena *arena, const Nest *nest) {
    bool *needed = arena_array(arena, (size_t)nest->body.count + 1, sizeof *needed);
    for (int i = nest->body.count - 1; i >= 0; i--) {
        const Operation *operation = &nest->body.items[i];
        needed[i] = needed[i] || (operation->opcode == OP_STORE && operation->predicate < 0);
        if (!needed[i]) continue;
        for (int k = 0; k < operation_operands(operation); k++)
            needed[operation->operands[k]] = true;
        if (operation->predicate >= 0) needed[operation->predicate] = true;
    }
    return needed;
}

/* In a reduction the tail must not slow down the other iterations: one unit of each kind, none of
 * the slow ones, no port that is taken. */
static bool is_cheap(Arena *arena, const Match *match) {
    const Nest *producer = producer_of(match), *consumer = consumer_of(match);
    if (adds_port_conflict(producer, consumer, match->solution, match->memory)) return false;
    if (!match->reduces) return true;
    int counts[UNIT_KINDS] = {0};
    count_units(consumer, NULL, counts);
    if (counts[SLOW_KIND] > 0) return false;
    count_units(producer, main_operations(arena, producer), counts);
    for (int i = 1; i < UNIT_KINDS; i++)
        if (counts[i] > 1) return false;
    return true;
}

/* --- doing it --- */

/* The sum of an in-place consumer goes elsewhere. */
static void make_room(Program *program, const Match *match, Nest *nest) {
    if (!match->in_place || !match->reduces) return;
    Memory like = program->memories.items[match->memory];
    int memory = local_memory(program, &like, "sum");
    for (int i = 0; i < nest->body.count; i++)
        if (operation_is_access(&nest->body.items[i]) &&
            nest->body.items[i].memory == match->memory)
            nest->body.items[i].memory = memory;
}

static void drop_store(Arena *arena, Nest *nest, int store) {
    bool *keep = arena_array(arena, (size_t)nest->body.count, sizeof *keep);
    for (int i = 0; i < nest->body.count; i++) keep[i] = i != store;
    nest_compact(arena, nest, keep);
}

static void fuse(Program *program, const Match *match) {
    Arena *arena = program->arena;
    Nest *nest = match->stages->items[match->producer].nest;
    const Nest *consumer = consumer_of(match);
    Affine form = nest->body.items[match->store].affine;
    int value = nest->body.items[match->store].operands[0];
    make_room(program, match, nest);
    int last = edge_of_repetitions(arena, nest, &form, true);
    Inliner inliner = inliner_new(arena, nest, consumer, match->solution, last);
    inliner.moved[match->load] = value;
    for (int i = 0; i < consumer->body.count; i++)
        if (consumer->body.items[i].opcode == OP_STORE) inline_value(&inliner, i);
    /* Without a reduction the first value is not stored at all. */
    if (match->in_place && !match->reduces) drop_store(arena, nest, match->store);
    stage_remove(match->stages, match->consumer);
}

static bool try_match(Program *program, Arena *scratch, Match *match) {
    if (!find_store(scratch, match) || !find_load(program->arena, match)) return false;
    if (!can_move(match) || !fits_in_place(scratch, match) || !is_cheap(scratch, match))
        return false;
    fuse(program, match);
    return true;
}

/* The last stage before the consumer that writes a memory it loads is where it can go. */
static bool fuse_consumer(Program *program, Arena *scratch, const Stages *stages, int consumer) {
    for (int producer = consumer - 1; producer >= 0; producer--) {
        if (!stages->items[producer].nest) continue;
        for (int memory = 0; memory < program->memories.count; memory++) {
            Match match = {
                .stages = stages, .producer = producer, .consumer = consumer, .memory = memory};
            if (stages->items[producer].writes[memory] && stages->items[consumer].reads[memory] &&
                try_match(program, scratch, &match))
                return true;
        }
    }
    return false;
}

static bool fuse_one(Program *program, const Stages *stages) {
    Arena *scratch = arena_new();
    bool fused = false;
    for (int i = 1; !fused && i < stages->count; i++)
        fused = stages->items[i].nest && fuse_consumer(program, scratch, stages, i);
    arena_free(scratch);
    return fused && fold_program(program);
}

bool pass_fuse_tail(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    each_stages(program, fuse_one);
    return true;
}
