/* program_interpret: executes a program.
 *
 * A nest is compiled once to steps with pointers for operands; every distinct affine form becomes a
 * stream, a number that moves by a constant that depends only on which loop advanced. What depends
 * on loop indices only (positions, predicates) is computed when one of its loops advances, the rest
 * in every iteration. */
#include "loop/interpret.h"

#include <string.h>

#include "base/process.h"
#include "loop/body.h"

typedef struct Stream {
    Bits value; /* in the current iteration */
    Affine form;
    Bits *advance; /* per loop: what is added when it advances and all loops inside it wrap */
} Stream;

typedef struct Code {
    const Nest *nest;
    int step_count, stream_count, position_count;
    Step *steps;
    Step *positions; /* those that depend on loop indices only, by the innermost loop of them */
    int *first;      /* per loop: the first position that has to be computed when it advances */
    int *level;      /* per operation: its innermost loop, -1 for none, loop_count for data */
    Stream *streams;
    Fault fault;
} Code;

/* A node with its compiled nests. */
typedef struct Unit {
    const Node *node;
    struct Unit *children;
    Code *code;
} Unit;

typedef struct Machine {
    const Program *program;
    Arena *arena;
    Diagnostics *diagnostics;
    void **data;           /* of the memories */
    const Nest ***writers; /* of their elements; NULL: nobody asks */
    int64_t *outer;        /* indices of the enclosing loops */
    int depth;
    double start;   /* in seconds_now's time */
    uint64_t turns; /* of all while loops */
} Machine;

static const double time_limit = 600;

/* --- memory accesses --- */

static bool access_is_fine(const Step *step) {
    if (*step->address < step->elements) return true;
    if (!step->fault->step) *step->fault = (Fault){step, *step->address};
    return false;
}

#define ACCESS(bytes, Word)                                                                        \
    static void load_##bytes(const Step *step) {                                                   \
        *step->result = 0;                                                                         \
        if (!*step->predicate || !access_is_fine(step)) return;                                    \
        Word word;                                                                                 \
        memcpy(&word, (const char *)step->data + *step->address * (bytes), (bytes));               \
        *step->result = word & step->mask;                                                         \
    }                                                                                              \
    static void store_##bytes(const Step *step) {                                                  \
        if (!*step->predicate || !access_is_fine(step)) return;                                    \
        Word word = (Word)*step->a;                                                                \
        memcpy((char *)step->data + *step->address * (bytes), &word, (bytes));                     \
    }
ACCESS(1, uint8_t)
ACCESS(2, uint16_t)
ACCESS(4, uint32_t)
ACCESS(8, uint64_t)

static const struct {
    Action load, store;
} access_actions[9] = {[1] = {load_1, store_1},
                       [2] = {load_2, store_2},
                       [4] = {load_4, store_4},
                       [8] = {load_8, store_8}};

static void note_writer(const Step *step) {
    if (*step->predicate && *step->address < step->elements)
        step->writers[*step->address] = step->nest;
}

static void take_index(const Step *step) {
    *step->result = *step->address & step->mask;
}

/* --- compilation --- */

static Bits *stream_of(Machine *machine, Code *code, const Affine *form) {
    int loops = code->nest->loop_count;
    for (int i = 0; i < code->stream_count; i++)
        if (affine_equal(&code->streams[i].form, form, loops)) return &code->streams[i].value;
    Stream *stream = &code->streams[code->stream_count++];
    stream->form = affine_copy(machine->arena, form, loops);
    stream->advance = arena_array(machine->arena, (size_t)loops, sizeof *stream->advance);
    Bits wrap = 0; /* what the loops inside lose when they go back to 0 */
    for (int i = loops - 1; i >= 0; i--) {
        stream->advance[i] = (Bits)form->coefficients[i] - wrap;
        wrap += (Bits)form->coefficients[i] * (Bits)(code->nest->loops[i].trip - 1);
    }
    return &stream->value;
}

static const Bits always_true = 1;

static void compile_access(Machine *machine, Code *code, Step *step, const Operation *operation,
                           Bits *values) {
    size_t bytes = scalar_bytes(operation->type);
    bool store = operation->opcode == OP_STORE;
    step->action = store ? access_actions[bytes].store : access_actions[bytes].load;
    int address = operation_address(operation);
    step->address = address >= 0 ? &values[operation->operands[address]]
                                 : stream_of(machine, code, &operation->affine);
    step->elements = machine->program->memories.items[operation->memory].elements;
    step->data = machine->data[operation->memory];
    step->fault = &code->fault;
}

/* The innermost loop that the value depends on; loop_count if it is made of data. */
static int level_of(const Code *code, const Operation *operation) {
    int loops = code->nest->loop_count, level = -1;
    if (operation_is_access(operation)) return loops;
    for (int i = 0; operation->opcode == OP_INDEX && i < loops; i++)
        if (operation->affine.coefficients[i] != 0) level = i;
    for (int k = 0; k < opcode_info[operation->opcode].operands; k++)
        if (code->level[operation->operands[k]] > level)
            level = code->level[operation->operands[k]];
    return level;
}

/* The step of one operation. */
static void compile_operation(Machine *machine, Code *code, int index, Bits *values, Step *step) {
    const Operation *operation = &code->nest->body.items[index];
    const Bits **operands[3] = {&step->a, &step->b, &step->c};
    for (int k = 0; k < opcode_info[operation->opcode].operands; k++)
        *operands[k] = &values[operation->operands[k]];
    step->operation = index;
    step->result = &values[index];
    step->type = operation->type;
    step->mask = bits_mask(operation->type.width);
    step->predicate = operation->predicate >= 0 ? &values[operation->predicate] : &always_true;
    if (operation_is_access(operation)) {
        compile_access(machine, code, step, operation, values);
    } else if (operation->opcode == OP_INDEX) {
        step->action = take_index;
        step->address = stream_of(machine, code, &operation->affine);
    } else {
        step->from = code->nest->body.items[operation->operands[0]].type;
        /* SELECT is chosen by its condition's type, which is an integer. */
        step->action = action_of(operation, step->from);
        set_test(step, operation);
    }
}

/* After the step of a store, one that notes who it is. */
static void compile_writer(const Machine *machine, Code *code, int index) {
    const Operation *operation = &code->nest->body.items[index];
    if (!machine->writers || operation->opcode != OP_STORE) return;
    Step *step = &code->steps[code->step_count];
    *step = code->steps[code->step_count - 1];
    step->action = note_writer;
    step->nest = code->nest;
    step->writers = machine->writers[operation->memory];
    code->step_count++;
}

/* Appends the positions whose innermost loop is `level`, in their order. */
static void compile_positions(Machine *machine, Code *code, int level, Bits *values) {
    for (int i = 0; i < code->nest->body.count; i++)
        if (code->level[i] == level && code->nest->body.items[i].opcode != OP_CONSTANT)
            compile_operation(machine, code, i, values, &code->positions[code->position_count++]);
}

static Code *compile_nest(Machine *machine, const Nest *nest) {
    Code *code = arena_new_of(machine->arena, Code);
    size_t count = (size_t)nest->body.count + 1, loops = (size_t)nest->loop_count + 1;
    code->nest = nest;
    code->steps = arena_array(machine->arena, 2 * count, sizeof *code->steps);
    code->positions = arena_array(machine->arena, count, sizeof *code->positions);
    code->streams = arena_array(machine->arena, count, sizeof *code->streams);
    code->level = arena_array(machine->arena, count, sizeof *code->level);
    code->first = arena_array(machine->arena, loops, sizeof *code->first);
    Bits *values = arena_array(machine->arena, count, sizeof *values);
    for (int i = 0; i < nest->body.count; i++) {
        const Operation *operation = &nest->body.items[i];
        code->level[i] = level_of(code, operation);
        if (operation->opcode == OP_CONSTANT) values[i] = operation->bits;
        if (operation->opcode == OP_CONSTANT || code->level[i] != nest->loop_count) continue;
        compile_operation(machine, code, i, values, &code->steps[code->step_count++]);
        compile_writer(machine, code, i);
    }
    for (int level = -1; level < nest->loop_count; level++) {
        if (level >= 0) code->first[level] = code->position_count;
        compile_positions(machine, code, level, values);
    }
    return code;
}

static void compile_node(Machine *machine, const Node *node, Unit *unit) {
    unit->node = node;
    if (node->nest) unit->code = compile_nest(machine, node->nest);
    unit->children =
        arena_array(machine->arena, (size_t)node->children.count, sizeof *unit->children);
    for (int i = 0; i < node->children.count; i++)
        compile_node(machine, node->children.items[i], &unit->children[i]);
}

/* --- execution --- */

static bool report_fault(Machine *machine, const Code *code, const int64_t *index) {
    const Nest *nest = code->nest;
    const Operation *operation = &nest->body.items[code->fault.step->operation];
    const Memory *memory = &machine->program->memories.items[operation->memory];
    Text iteration = text_new(machine->arena);
    for (int i = 0; i < nest->loop_count; i++)
        text_printf(&iteration, "%s%s %lld", i ? ", " : "", nest->loops[i].name,
                    (long long)index[i]);
    /* An address that the data computes is the model's fault, an affine one ours. */
    error_at(
        machine->diagnostics, operation->computed ? STATUS_INPUT : STATUS_INTERNAL,
        nest->location ? nest->location : nest->name,
        "nest %s, %%%d (%s), iteration (%s): address %lld is not in %s, which has %zu elements",
        nest->name, code->fault.step->operation, opcode_info[operation->opcode].text,
        text_string(&iteration), (long long)code->fault.address, memory->name, memory->elements);
    return false;
}

static bool run_nest(Machine *machine, Code *code) {
    const Nest *nest = code->nest;
    int64_t index[64] = {0};
    if (nest->loop_count > 64)
        return error_at(machine->diagnostics, STATUS_INTERNAL, nest->name, "more than 64 loops");
    for (int i = 0; i < nest->outer; i++) index[i] = machine->outer[i];
    for (int s = 0; s < code->stream_count; s++) {
        Stream *stream = &code->streams[s];
        stream->value = (Bits)stream->form.constant;
        for (int i = 0; i < nest->outer; i++)
            stream->value += (Bits)stream->form.coefficients[i] * (Bits)index[i];
    }
    for (int from = 0;;) {
        for (int s = from; s < code->position_count; s++)
            code->positions[s].action(&code->positions[s]);
        for (int s = 0; s < code->step_count; s++) code->steps[s].action(&code->steps[s]);
        if (code->fault.step) return report_fault(machine, code, index);
        int loop = nest->loop_count - 1;
        while (loop >= nest->outer && ++index[loop] == nest->loops[loop].trip) index[loop--] = 0;
        if (loop < nest->outer) return true;
        from = code->first[loop];
        for (int s = 0; s < code->stream_count; s++)
            code->streams[s].value += code->streams[s].advance[loop];
    }
}

static bool run_unit(Machine *machine, Unit *unit);

static bool run_children(Machine *machine, Unit *unit) {
    for (int i = 0; i < unit->node->children.count; i++)
        if (!run_unit(machine, &unit->children[i])) return false;
    return true;
}

static bool run_loop(Machine *machine, Unit *unit) {
    int level = machine->depth++;
    bool fine = true;
    for (int64_t i = 0; fine && i < unit->node->loop.trip; i++) {
        machine->outer[level] = i;
        fine = run_children(machine, unit);
    }
    machine->depth--;
    return fine;
}

static bool holds(const Machine *machine, const Unit *unit) {
    return bits_load(SCALAR_I(1), machine->data[unit->node->condition], 0) == 1;
}

static bool run_if(Machine *machine, Unit *unit) {
    return run_unit(machine, &unit->children[holds(machine, unit) ? 0 : 1]);
}

/* Of all loops only these may never end, be it the model's fault or a pass's. */
static bool takes_too_long(Machine *machine, const Unit *unit) {
    enum { TURNS_PER_LOOK = 1024 };
    if (++machine->turns % TURNS_PER_LOOK != 0 || seconds_now() - machine->start < time_limit)
        return false;
    const char *name = machine->program->memories.items[unit->node->condition].name;
    error_at(machine->diagnostics, STATUS_INPUT, machine->program->name,
             "the while loop on %s still runs after %.0f s in the interpreter", name, time_limit);
    return true;
}

static bool run_while(Machine *machine, Unit *unit) {
    if (!run_unit(machine, &unit->children[0])) return false;
    while (holds(machine, unit))
        if (takes_too_long(machine, unit) || !run_unit(machine, &unit->children[1]) ||
            !run_unit(machine, &unit->children[0]))
            return false;
    return true;
}

static bool run_code(Machine *machine, Unit *unit) {
    return run_nest(machine, unit->code);
}

static bool (*const runners[])(Machine *, Unit *) = {
    [NODE_SEQUENCE] = run_children, [NODE_NEST] = run_code,
    [NODE_LOOP] = run_loop,         [NODE_IF] = run_if,
    [NODE_WHILE] = run_while,
};

static bool run_unit(Machine *machine, Unit *unit) {
    return runners[unit->node->kind](machine, unit);
}

/* --- memories and tensors --- */

static int tree_depth(const Node *node) {
    int deepest = 0;
    for (int i = 0; i < node->children.count; i++) {
        int depth = tree_depth(node->children.items[i]);
        if (depth > deepest) deepest = depth;
    }
    return deepest + 1;
}

/* Copies between a tensor and its banks, all of them: `to_banks` or back. */
static void exchange_banks(const Machine *machine, int tensor, void *data, bool to_banks) {
    const Program *program = machine->program;
    const Memory *whole = &program->memories.items[tensor];
    for (int i = 0; i < program->memories.count; i++) {
        const Memory *part = &program->memories.items[i];
        if (!part->is_bank || part->tensor != tensor) continue;
        for (size_t element = 0; element < whole->elements; element++) {
            size_t bank;
            size_t place =
                partition_place(whole->rank, whole->shape, whole->partition, element, &bank);
            if (bank != (size_t)part->bank) continue;
            if (to_banks)
                bits_store(part->type, machine->data[i], place,
                           bits_load(whole->type, data, element));
            else
                bits_store(whole->type, data, element,
                           bits_load(part->type, machine->data[i], place));
        }
    }
}

static void allocate(Machine *machine, Arena *arena, Remains *remains) {
    const Program *program = machine->program;
    if (remains)
        machine->writers =
            arena_array(machine->arena, (size_t)program->memories.count, sizeof *machine->writers);
    machine->data =
        arena_array(machine->arena, (size_t)program->memories.count, sizeof *machine->data);
    for (int i = 0; i < program->memories.count; i++) {
        const Memory *memory = &program->memories.items[i];
        size_t bytes = memory->elements * scalar_bytes(memory->type);
        machine->data[i] = arena_alloc(machine->arena, bytes);
        if (memory->kind == MEMORY_CONSTANT) memcpy(machine->data[i], memory->data, bytes);
        if (!remains) continue;
        remains[i].writers = arena_array(arena, memory->elements, sizeof *remains[i].writers);
        machine->writers[i] = remains[i].writers;
    }
}

static bool take_inputs(const Machine *machine, const Tensor *inputs) {
    const Program *program = machine->program;
    for (int i = 0; i < program->input_count; i++) {
        const Memory *memory = &program->memories.items[i];
        if (!inputs[i].data || inputs[i].elements != memory->elements ||
            !scalar_equal(inputs[i].type, memory->type))
            return error_at(machine->diagnostics, STATUS_INTERNAL, program->name,
                            "the data for input %s is missing or of another type", memory->name);
        memcpy(machine->data[i], inputs[i].data, memory->elements * scalar_bytes(memory->type));
        exchange_banks(machine, i, machine->data[i], true);
    }
    return true;
}

static void deliver(const Machine *machine, Arena *arena, Tensor *outputs) {
    const Program *program = machine->program;
    for (int i = 0; i < program->output_count; i++) {
        const Memory *memory = &program->memories.items[program->input_count + i];
        Tensor *output = &outputs[i];
        exchange_banks(machine, program->input_count + i, machine->data[program->input_count + i],
                       false);
        output->name = memory->tensor_name ? memory->tensor_name : memory->name;
        output->type = memory->type;
        output->is_bool = memory->is_bool;
        output->is_unsigned = memory->is_unsigned;
        output->rank = memory->rank;
        memcpy(output->shape, memory->shape, sizeof output->shape);
        output->elements = memory->elements;
        output->data = arena_copy(arena, machine->data[program->input_count + i],
                                  memory->elements * scalar_bytes(memory->type));
    }
}

static void copy_memories(const Machine *machine, Arena *arena, Remains *remains) {
    for (int i = 0; i < machine->program->memories.count; i++) {
        const Memory *memory = &machine->program->memories.items[i];
        remains[i].data =
            arena_copy(arena, machine->data[i], memory->elements * scalar_bytes(memory->type));
    }
}

bool program_interpret_runs(const Program *program, Arena *arena, Diagnostics *diagnostics,
                            int run_count, const Tensor *const *inputs, Tensor *outputs,
                            Remains *remains) {
    Machine machine = {.program = program,
                       .arena = arena_new(),
                       .diagnostics = diagnostics,
                       .start = seconds_now()};
    Unit root = {0};
    bool fine = true;
    allocate(&machine, arena, remains);
    machine.outer =
        arena_array(machine.arena, (size_t)tree_depth(program->root), sizeof *machine.outer);
    compile_node(&machine, program->root, &root);
    for (int i = 0; fine && i < run_count; i++)
        fine = take_inputs(&machine, inputs[i]) && run_unit(&machine, &root);
    if (fine) deliver(&machine, arena, outputs);
    if (fine && remains) copy_memories(&machine, arena, remains);
    arena_free(machine.arena);
    return fine;
}

bool program_interpret(const Program *program, Arena *arena, Diagnostics *diagnostics,
                       const Tensor *inputs, Tensor *outputs) {
    return program_interpret_runs(program, arena, diagnostics, 1, &inputs, outputs, NULL);
}
