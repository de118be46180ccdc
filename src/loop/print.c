/* program_print: the text of the stage `loops`.
 *
 *     program NAME
 *     memory KIND NAME : TYPE[DIMS] partition(cyclic F on D, ...)
 *     memory KIND NAME : TYPE[DIMS] holds NAME, NAME ...    (buffers that share it)
 *     nest NAME (LOOP TRIP, LOOP TRIP unroll F, ...) {
 *       %0 = load MEMORY[ADDRESS] : TYPE if %P
 *       store %0, MEMORY[ADDRESS] : TYPE
 *     }
 *     loop NAME TRIP { ... }
 *
 * An address is the flat element number: an affine form of loop indices, or one value. */
#include "loop/body.h"

static const char *const kind_names[] = {"input", "output", "local", "constant"};
static const char *const scheme_names[] = {"none", "cyclic", "block"};
static const char *const integer_conditions[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                 "sge", "ult", "ule", "ugt", "uge"};
static const char *const float_conditions[] = {"false", "oeq", "ogt", "oge", "olt", "ole",
                                               "one",   "ord", "ueq", "ugt", "uge", "ult",
                                               "ule",   "une", "uno", "true"};

static void print_memory(const Memory *memory, Text *text) {
    text_printf(text, "memory %s %s : %s[", kind_names[memory->kind], memory->name,
                scalar_name(memory->type));
    for (int i = 0; i < memory->rank; i++)
        text_printf(text, "%s%lld", i ? "x" : "", (long long)memory->shape[i]);
    text_append(text, "]");
    const char *separator = " partition(";
    for (int i = 0; i < memory->rank; i++) {
        if (memory->partition[i].scheme == PARTITION_NONE) continue;
        text_printf(text, "%s%s %d on %d", separator, scheme_names[memory->partition[i].scheme],
                    memory->partition[i].factor, i);
        separator = ", ";
    }
    if (separator[0] == ',') text_append(text, ")");
    if (memory->holds) text_printf(text, " holds %s", memory->holds);
    text_append(text, "\n");
}

static void print_affine(const Nest *nest, const Affine *form, Text *text) {
    bool empty = true;
    for (int i = 0; i < nest->loop_count; i++) {
        int64_t factor = form->coefficients[i];
        if (factor == 0) continue;
        const char *sign = factor < 0 ? (empty ? "-" : " - ") : (empty ? "" : " + ");
        unsigned long long size =
            factor < 0 ? 0ull - (unsigned long long)factor : (unsigned long long)factor;
        text_append(text, sign);
        if (size != 1) text_printf(text, "%llu*", size);
        text_append(text, nest->loops[i].name);
        empty = false;
    }
    if (empty)
        text_printf(text, "%lld", (long long)form->constant);
    else if (form->constant < 0)
        text_printf(text, " - %llu", 0ull - (unsigned long long)form->constant);
    else if (form->constant > 0)
        text_printf(text, " + %lld", (long long)form->constant);
}

/* A value that reads back as the same bits. */
static void print_bits(Scalar type, Bits bits, Text *text) {
    if (type.kind == SCALAR_INTEGER) {
        text_printf(text, "%lld",
                    (long long)(type.width == 1 ? (int64_t)bits : bits_signed(type.width, bits)));
        return;
    }
    double value = bits_to_double(type, bits);
    bool finite = value - value == 0.0;
    if (finite)
        text_printf(text, "%.*g", type.width > 32 ? 17 : 9, value);
    else
        text_printf(text, "0x%0*llx", (type.width + 3) / 4, (unsigned long long)bits);
}

static void print_access(const Program *program, const Nest *nest, const Operation *operation,
                         Text *text) {
    text_printf(text, " %s[", program->memories.items[operation->memory].name);
    int address = operation_address(operation);
    if (address >= 0)
        text_printf(text, "%%%d", operation->operands[address]);
    else
        print_affine(nest, &operation->affine, text);
    text_append(text, "]");
}

static void print_operation(const Program *program, const Nest *nest, int index, Text *text) {
    const Operation *operation = &nest->body.items[index];
    const OpcodeInfo *info = &opcode_info[operation->opcode];
    if (info->result != RESULT_NONE) text_printf(text, "%%%d = ", index);
    text_append(text, info->text);
    if (operation->opcode == OP_COMPARE)
        text_printf(text, " %s", integer_conditions[operation->condition]);
    if (operation->opcode == OP_FLOAT_COMPARE)
        text_printf(text, " %s", float_conditions[operation->condition]);
    if (operation->opcode == OP_CONSTANT) {
        text_append(text, " ");
        print_bits(operation->type, operation->bits, text);
    }
    if (operation->opcode == OP_INDEX) {
        text_append(text, " ");
        print_affine(nest, &operation->affine, text);
    }
    for (int k = 0; k < info->operands; k++)
        text_printf(text, "%s%%%d", k ? ", " : " ", operation->operands[k]);
    if (operation->opcode == OP_STORE) text_append(text, ",");
    if (operation_is_access(operation)) print_access(program, nest, operation, text);
    text_printf(text, " : %s",
                scalar_name(info->result == RESULT_BOOL
                                ? nest->body.items[operation->operands[0]].type
                                : operation->type));
    if (operation->predicate >= 0) text_printf(text, " if %%%d", operation->predicate);
    text_append(text, "\n");
}

static void indent(int depth, Text *text) {
    for (int i = 0; i < depth; i++) text_append(text, "  ");
}

static void print_nest(const Program *program, const Nest *nest, int depth, Text *text) {
    indent(depth, text);
    text_printf(text, "nest %s (", nest->name);
    for (int i = nest->outer; i < nest->loop_count; i++) {
        const Loop *loop = &nest->loops[i];
        text_printf(text, "%s%s %lld", i > nest->outer ? ", " : "", loop->name,
                    (long long)loop->trip);
        if (loop->unroll > 1) text_printf(text, " unroll %d", loop->unroll);
    }
    text_append(text, ") {\n");
    for (int i = 0; i < nest->body.count; i++) {
        indent(depth + 1, text);
        print_operation(program, nest, i, text);
    }
    indent(depth, text);
    text_append(text, "}\n");
}

/* The words in front of the first and the second block of a node; NULL where there is none. */
static const char *const block_words[][2] = {
    [NODE_SEQUENCE] = {NULL, NULL}, [NODE_NEST] = {NULL, NULL},      [NODE_LOOP] = {NULL, NULL},
    [NODE_IF] = {"then", "else"},   [NODE_WHILE] = {"before", "do"},
};

static void print_node(const Program *program, const Node *node, int depth, Text *text) {
    if (node->kind == NODE_NEST) {
        print_nest(program, node->nest, depth, text);
        return;
    }
    bool braces = node->kind != NODE_SEQUENCE;
    if (braces) indent(depth, text);
    if (node->kind == NODE_LOOP)
        text_printf(text, "loop %s %lld {\n", node->loop.name, (long long)node->loop.trip);
    if (node->condition >= 0)
        text_printf(text, "%s %s {\n", node->kind == NODE_IF ? "if" : "while",
                    program->memories.items[node->condition].name);
    for (int i = 0; i < node->children.count; i++) {
        const char *word = i < 2 ? block_words[node->kind][i] : NULL;
        if (word) {
            indent(depth, text);
            text_printf(text, "%s:\n", word);
        }
        print_node(program, node->children.items[i], depth + braces, text);
    }
    if (braces) {
        indent(depth, text);
        text_append(text, "}\n");
    }
}

void program_print(const Program *program, Text *text) {
    text_printf(text, "program %s\n", program->name);
    for (int i = 0; i < program->memories.count; i++)
        print_memory(&program->memories.items[i], text);
    print_node(program, program->root, 0, text);
}
