/* Pass "forward": a memory that only holds a rearrangement of others is read where it comes from.
 *
 * A nest that copies, transposes, broadcasts or pads writes values that cost no arithmetic: loads,
 * constants, and choices by position. Every load from its result becomes those operations, with the
 * indices that make the element; then nobody reads the result, and its nest and memory go away.
 * Padding so becomes a load with a predicate. */
#include "loop/fusion.h"

/* True if all loads of the memory in the reader can be replaced. */
static bool can_replace(Arena *arena, const Nest *writer, int store, const Nest *reader,
                        int memory) {
    bool costly = nest_trip_count(reader) > nest_trip_count(writer);
    for (int i = 0; i < reader->body.count; i++) {
        const Operation *load = &reader->body.items[i];
        if (load->opcode != OP_LOAD || load->memory != memory) continue;
        if (load->computed) return false;
        Affine *solution = solve_iterations(arena, writer, &writer->body.items[store].affine,
                                            reader, &load->affine);
        if (!solution) return false;
        if (costly && adds_port_conflict(reader, writer, solution, memory)) return false;
    }
    return true;
}

/* What a load gives: the writer's value, but 0 where its predicate is false. */
static int replacement(Arena *arena, Nest *nest, const Nest *writer, int store,
                       const Operation *load) {
    const Operation *source = &writer->body.items[store];
    Affine *solution = solve_iterations(arena, writer, &source->affine, nest, &load->affine);
    Inliner inliner = inliner_new(arena, nest, writer, solution, load->predicate);
    int value = inline_value(&inliner, source->operands[0]);
    if (load->predicate < 0 || nest->body.items[value].opcode == OP_LOAD) return value;
    int zero = append_constant(arena, nest, load->type, 0);
    return append_select(arena, nest, load->predicate, value, zero);
}

static void replace_loads(Arena *arena, const Nest *writer, int store, Nest *reader, int memory) {
    Nest old = *reader;
    int *moved = arena_array(arena, (size_t)old.body.count + 1, sizeof *moved);
    reader->body.items = NULL;
    reader->body.count = reader->body.capacity = 0;
    for (int i = 0; i < old.body.count; i++) {
        Operation operation = old.body.items[i];
        for (int k = 0; k < 3; k++)
            if (operation.operands[k] >= 0) operation.operands[k] = moved[operation.operands[k]];
        if (operation.predicate >= 0) operation.predicate = moved[operation.predicate];
        bool load = operation.opcode == OP_LOAD && operation.memory == memory;
        moved[i] = load ? replacement(arena, reader, writer, store, &operation)
                        : nest_append(arena, reader, operation);
    }
}

/* The only stage that writes the memory, -1 if there are none or several. */
static int only_writer(const Stages *stages, int memory) {
    int writer = -1;
    for (int i = 0; i < stages->count; i++) {
        if (!stages->items[i].writes[memory]) continue;
        if (writer >= 0) return -1;
        writer = i;
    }
    return writer;
}

static bool forward_memory(Program *program, const Stages *stages, int memory) {
    Arena *scratch = arena_new();
    int writer = only_writer(stages, memory), last = -1, store = -1;
    const Nest *source = writer >= 0 ? stages->items[writer].nest : NULL;
    if (source) store = free_store(scratch, source, memory);
    bool possible = store >= 0 && !stages_read(stages, 0, writer, memory);
    for (int i = writer + 1; possible && i < stages->count; i++) {
        if (!stages->items[i].reads[memory]) continue;
        last = i;
        possible = stages->items[i].nest &&
                   can_replace(scratch, source, store, stages->items[i].nest, memory);
    }
    possible = possible && last >= 0 && !sources_change(stages, source, writer, last);
    for (int i = writer + 1; possible && i <= last; i++)
        if (stages->items[i].reads[memory])
            replace_loads(program->arena, source, store, stages->items[i].nest, memory);
    arena_free(scratch);
    return possible;
}

/* The memory that was forwarded is gone after this, and others have new numbers. */
static bool forward_one(Program *program, const Stages *stages) {
    for (int i = program->input_count + program->output_count; i < program->memories.count; i++) {
        bool local = program->memories.items[i].kind == MEMORY_LOCAL && !stages->outside[i];
        if (local && forward_memory(program, stages, i)) return fold_program(program);
    }
    return false;
}

bool pass_forward(Program *program, const LoopOptions *options, Diagnostics *diagnostics) {
    (void)options, (void)diagnostics;
    each_stages(program, forward_one);
    return true;
}
