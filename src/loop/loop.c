/* The loop-nest IR: table of opcodes, construction, counting. */
#include "loop/loop.h"

#include "loop/body.h"

const OpcodeInfo opcode_info[OPCODE_COUNT] = {
#define OPCODE(name, text, operands, result) {text, operands, RESULT_##result},
#include "loop/opcodes.def"
#undef OPCODE
};

size_t partition_place(int rank, const int64_t *shape, const Partition *partition, size_t element,
                       size_t *bank) {
    size_t offset = 0, bank_weight = 1, offset_weight = 1;
    *bank = 0;
    for (int d = rank - 1; d >= 0; d--) {
        size_t size = (size_t)shape[d], factor = (size_t)partition[d].factor;
        size_t places = (size + factor - 1) / factor, index = element % size;
        element /= size;
        bool block = partition[d].scheme == PARTITION_BLOCK;
        *bank += (block ? index / places : index % factor) * bank_weight;
        offset += (block ? index % places : index / factor) * offset_weight;
        bank_weight *= factor;
        offset_weight *= places;
    }
    return offset;
}

bool memory_is_register(const Memory *memory) {
    return memory->kind == MEMORY_LOCAL && memory->elements == 1;
}

bool memory_is_description(const Program *program, int memory) {
    if (memory >= program->input_count + program->output_count) return false;
    for (int i = 0; i < program->memories.count; i++)
        if (program->memories.items[i].is_bank && program->memories.items[i].tensor == memory)
            return true;
    return false;
}

Node *node_new(Arena *arena, NodeKind kind) {
    Node *node = arena_new_of(arena, Node);
    node->kind = kind;
    node->condition = -1;
    return node;
}

int nest_append(Arena *arena, Nest *nest, Operation operation) {
    vector_push(arena, &nest->body, operation);
    return nest->body.count - 1;
}

Operation operation_new(Opcode opcode, Scalar type) {
    return (Operation){
        .opcode = opcode, .type = type, .operands = {-1, -1, -1}, .predicate = -1, .memory = -1};
}

int64_t nest_trip_count(const Nest *nest) {
    int64_t trip = 1;
    for (int i = nest->outer; i < nest->loop_count; i++) trip *= nest->loops[i].trip;
    return trip;
}

static void each_nest(Node *node, void (*visit)(Nest *nest, void *context), void *context) {
    if (node->kind == NODE_NEST) visit(node->nest, context);
    for (int i = 0; i < node->children.count; i++)
        each_nest(node->children.items[i], visit, context);
}

void program_each_nest(Program *program, void (*visit)(Nest *nest, void *context), void *context) {
    each_nest(program->root, visit, context);
}

/* --- multiply-accumulates --- */

static bool is_multiply(const Nest *nest, const Operation *operation) {
    if (operation->opcode == OP_FLOAT_MULTIPLY) return true;
    if (operation->opcode != OP_MULTIPLY) return false;
    /* An integer times a constant is an address, not work of the model. */
    for (int i = 0; i < 2; i++)
        if (nest->body.items[operation->operands[i]].opcode == OP_CONSTANT) return false;
    return true;
}

static bool is_add(const Operation *operation) {
    return operation->opcode == OP_FLOAT_ADD || operation->opcode == OP_FLOAT_SUBTRACT ||
           operation->opcode == OP_ADD || operation->opcode == OP_SUBTRACT;
}

/* True if operation `value` has one use, which is an add. */
static bool feeds_one_add(const Nest *nest, int value) {
    int uses = 0, adds = 0;
    for (int i = value + 1; i < nest->body.count; i++) {
        const Operation *user = &nest->body.items[i];
        for (int k = 0; k < 3; k++) {
            if (user->operands[k] != value) continue;
            uses++;
            adds += is_add(user);
        }
    }
    return uses == 1 && adds == 1;
}

int64_t nest_macs(const Nest *nest) {
    int64_t iterations = 1, multiplies = 0;
    for (int i = 0; i < nest->loop_count; i++) iterations *= nest->loops[i].trip;
    for (int i = 0; i < nest->body.count; i++)
        multiplies += is_multiply(nest, &nest->body.items[i]) && feeds_one_add(nest, i);
    return iterations * multiplies;
}

static int64_t node_macs(const Node *node) {
    int64_t macs = node->kind == NODE_NEST ? nest_macs(node->nest) : 0;
    for (int i = 0; i < node->children.count; i++) macs += node_macs(node->children.items[i]);
    return macs;
}

int64_t program_macs(const Program *program) {
    return node_macs(program->root);
}
