/* program_check: every invariant of loop.h. */
#include "loop/body.h"

#include <stdlib.h>
#include <string.h>

typedef Vector(const char *) Names;

typedef struct Checker {
    const Program *program;
    Diagnostics *diagnostics;
    const char *pass;
    const Nest *nest; /* the one being looked at, or NULL */
    int operation;    /* in that nest, or -1 */
    Arena *scratch;
    Names nest_names;
    Vector(Loop) outer; /* of enclosing LOOP nodes */
    int conditions;     /* enclosing IF and WHILE nodes */
} Checker;

static const char out_of_range[] = "the address can be out of range";

static int compare_names(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A name that stands twice among these, which are sorted by it; or NULL. */
static const char *name_twice(Names *names) {
    if (names->count == 0) return NULL;
    qsort(names->items, (size_t)names->count, sizeof *names->items, compare_names);
    for (int i = 1; i < names->count; i++)
        if (strcmp(names->items[i - 1], names->items[i]) == 0) return names->items[i];
    return NULL;
}

static bool fault(Checker *checker, const char *what) {
    const char *nest = checker->nest && checker->nest->name ? checker->nest->name : NULL;
    const char *pass = checker->pass;
    if (!nest) return error_at(checker->diagnostics, STATUS_INTERNAL, pass, "%s", what);
    if (checker->operation < 0)
        return error_at(checker->diagnostics, STATUS_INTERNAL, pass, "nest %s: %s", nest, what);
    /* What a program does before any pass has changed it, the model does. */
    bool of_model = what == out_of_range && strcmp(pass, "from_affine") == 0;
    const Operation *operation = &checker->nest->body.items[checker->operation];
    const char *text =
        (unsigned)operation->opcode < OPCODE_COUNT ? opcode_info[operation->opcode].text : "?";
    return error_at(checker->diagnostics, of_model ? STATUS_INPUT : STATUS_INTERNAL, pass,
                    "nest %s, %%%d (%s): %s", nest, checker->operation, text, what);
}

/* --- types --- */

/* What conversions and sources ask for; all other opcodes work within one kind, given by their
 * name. */
typedef enum TypeRule { RULE_ANY, RULE_FLOAT, RULE_INTEGER } TypeRule;
#define TO_FLOAT                                                                                   \
    { RULE_FLOAT, RULE_FLOAT }
#define TO_INTEGER                                                                                 \
    { RULE_INTEGER, RULE_INTEGER }
static const struct {
    TypeRule operand, result;
} type_rules[OPCODE_COUNT] = {
    [OP_INDEX] = {RULE_ANY, RULE_INTEGER},
    [OP_FLOAT_ADD] = TO_FLOAT,
    [OP_FLOAT_SUBTRACT] = TO_FLOAT,
    [OP_FLOAT_MULTIPLY] = TO_FLOAT,
    [OP_FLOAT_DIVIDE] = TO_FLOAT,
    [OP_FLOAT_SQRT] = TO_FLOAT,
    [OP_FLOAT_NEGATE] = TO_FLOAT,
    [OP_FLOAT_ABSOLUTE] = TO_FLOAT,
    [OP_FLOAT_MINIMUM] = TO_FLOAT,
    [OP_FLOAT_MAXIMUM] = TO_FLOAT,
    [OP_FLOAT_COMPARE] = {RULE_FLOAT, RULE_INTEGER},
    [OP_FLOAT_CONVERT] = TO_FLOAT,
    [OP_FLOAT_TO_SIGNED] = {RULE_FLOAT, RULE_INTEGER},
    [OP_FLOAT_TO_UNSIGNED] = {RULE_FLOAT, RULE_INTEGER},
    [OP_SIGNED_TO_FLOAT] = {RULE_INTEGER, RULE_FLOAT},
    [OP_UNSIGNED_TO_FLOAT] = {RULE_INTEGER, RULE_FLOAT},
    [OP_ADD] = TO_INTEGER,
    [OP_SUBTRACT] = TO_INTEGER,
    [OP_MULTIPLY] = TO_INTEGER,
    [OP_DIVIDE_SIGNED] = TO_INTEGER,
    [OP_DIVIDE_UNSIGNED] = TO_INTEGER,
    [OP_REMAINDER_SIGNED] = TO_INTEGER,
    [OP_REMAINDER_UNSIGNED] = TO_INTEGER,
    [OP_AND] = TO_INTEGER,
    [OP_OR] = TO_INTEGER,
    [OP_XOR] = TO_INTEGER,
    [OP_SHIFT_LEFT] = TO_INTEGER,
    [OP_SHIFT_RIGHT_UNSIGNED] = TO_INTEGER,
    [OP_SHIFT_RIGHT_SIGNED] = TO_INTEGER,
    [OP_MINIMUM_SIGNED] = TO_INTEGER,
    [OP_MAXIMUM_SIGNED] = TO_INTEGER,
    [OP_MINIMUM_UNSIGNED] = TO_INTEGER,
    [OP_MAXIMUM_UNSIGNED] = TO_INTEGER,
    [OP_COMPARE] = TO_INTEGER,
    [OP_EXTEND_SIGNED] = TO_INTEGER,
    [OP_EXTEND_UNSIGNED] = TO_INTEGER,
    [OP_TRUNCATE] = TO_INTEGER,
};

static bool rule_holds(TypeRule rule, Scalar type) {
    if (rule == RULE_ANY) return true;
    return (type.kind == SCALAR_FLOAT) == (rule == RULE_FLOAT);
}

static bool is_bool(Scalar type) {
    return type.kind == SCALAR_INTEGER && type.width == 1;
}

static Scalar operand_type(const Checker *checker, const Operation *operation, int k) {
    return checker->nest->body.items[operation->operands[k]].type;
}

/* SELECT, BITCAST, extensions: rules that relate widths. */
static const char *width_fault(const Checker *checker, const Operation *operation) {
    Scalar type = operation->type;
    if (operation->opcode == OP_SELECT) {
        if (!is_bool(operand_type(checker, operation, 0))) return "the condition is not an i1";
        for (int k = 1; k < 3; k++)
            if (!scalar_equal(operand_type(checker, operation, k), type))
                return "an operand has another type than the result";
        return NULL;
    }
    if (opcode_info[operation->opcode].operands != 1) return NULL;
    int from = operand_type(checker, operation, 0).width;
    if (operation->opcode == OP_BITCAST && from != type.width) return "the widths differ";
    if (operation->opcode == OP_EXTEND_SIGNED || operation->opcode == OP_EXTEND_UNSIGNED)
        if (from >= type.width) return "the result is not wider than the operand";
    if (operation->opcode == OP_TRUNCATE && from <= type.width)
        return "the result is not narrower than the operand";
    return NULL;
}

static const char *type_fault(const Checker *checker, const Operation *operation) {
    const OpcodeInfo *info = &opcode_info[operation->opcode];
    if (operation->type.width < 1 || operation->type.width > 64) return "the type has no width";
    if (!rule_holds(type_rules[operation->opcode].result, operation->type))
        return "the result is of the wrong kind";
    if (info->result == RESULT_BOOL && !is_bool(operation->type)) return "the result is not an i1";
    if (operation_is_access(operation)) return NULL;
    for (int k = 0; k < info->operands; k++) {
        Scalar type = operand_type(checker, operation, k);
        if (!rule_holds(type_rules[operation->opcode].operand, type))
            return "an operand is of the wrong kind";
        if (info->result == RESULT_SAME && !scalar_equal(type, operation->type))
            return "an operand has another type than the result";
        if (info->result == RESULT_BOOL && !scalar_equal(type, operand_type(checker, operation, 0)))
            return "the operands have different types";
    }
    return width_fault(checker, operation);
}

/* --- accesses --- */

/* True if the address is in range wherever the access happens. */
static bool address_in_range(const Checker *checker, const Operation *operation) {
    const Nest *nest = checker->nest;
    int64_t last = (int64_t)checker->program->memories.items[operation->memory].elements - 1;
    Range all = affine_range(nest, &operation->affine);
    if (all.low >= 0 && all.high <= last) return true;
    if (operation->predicate < 0) return false;
    Constraints list = {0};
    /* Other parts of the predicate may keep the address in range: the interpreter watches that. */
    if (!predicate_constraints(checker->scratch, nest, operation->predicate, &list)) return true;
    Range *box = arena_array(checker->scratch, (size_t)nest->loop_count + 1, sizeof *box);
    if (!constraints_box(nest, &list, box)) return true;
    Range some = affine_range_in(nest, &operation->affine, box);
    if (some.low >= 0 && some.high <= last) return true;
    for (int i = 0; i < list.count; i++) {
        int loops = 0;
        for (int k = 0; k < nest->loop_count; k++) loops += list.items[i].form.coefficients[k] != 0;
        if (loops > 1) return true; /* a box cannot tell */
    }
    return false;
}

static const char *access_fault(const Checker *checker, const Operation *operation) {
    const Program *program = checker->program;
    if (operation->memory < 0 || operation->memory >= program->memories.count)
        return "there is no such memory";
    const Memory *memory = &program->memories.items[operation->memory];
    if (!scalar_equal(memory->type, operation->type)) return "the memory is of another type";
    if (operation->opcode == OP_STORE) {
        if (memory->kind == MEMORY_CONSTANT) return "a constant is stored to";
        if (!scalar_equal(operand_type(checker, operation, 0), operation->type))
            return "the data is of another type";
    }
    int address = operation_address(operation);
    if (address >= 0) {
        Scalar type = operand_type(checker, operation, address);
        return type.kind == SCALAR_INTEGER ? NULL : "the address is not an integer";
    }
    if (checker->nest->loop_count > 0 && !operation->affine.coefficients)
        return "the address has no coefficients";
    /* Under a condition on data, that may be what keeps it in range. */
    if (checker->conditions > 0 || address_in_range(checker, operation)) return NULL;
    return out_of_range;
}

static const char *operation_fault(const Checker *checker, const Operation *operation) {
    if ((unsigned)operation->opcode >= OPCODE_COUNT) return "there is no such opcode";
    int operands = operation_operands(operation);
    for (int k = 0; k < operands; k++) {
        int operand = operation->operands[k];
        if (operand < 0 || operand >= checker->operation)
            return "an operand is not an operation before its user";
        if (opcode_info[checker->nest->body.items[operand].opcode].result == RESULT_NONE)
            return "an operand has no value";
    }
    int predicate = operation->predicate;
    if (predicate >= 0) {
        if (!operation_is_access(operation)) return "it has a predicate but is no access";
        if (predicate >= checker->operation) return "the predicate does not come before";
        if (!is_bool(checker->nest->body.items[predicate].type))
            return "the predicate is not an i1";
    }
    const char *what = type_fault(checker, operation);
    if (what) return what;
    if (operation->opcode == OP_INDEX && checker->nest->loop_count > 0 &&
        !operation->affine.coefficients)
        return "the index has no coefficients";
    if (operation->opcode == OP_CONSTANT && operation->bits & ~bits_mask(operation->type.width))
        return "the constant is wider than its type";
    if (operation->opcode == OP_COMPARE && (unsigned)operation->condition > COMPARE_UGE)
        return "there is no such condition";
    if (operation->opcode == OP_FLOAT_COMPARE && (unsigned)operation->condition > FLOAT_TRUE)
        return "there is no such condition";
    return operation_is_access(operation) ? access_fault(checker, operation) : NULL;
}

/* --- nests and the tree --- */

static bool check_loops(Checker *checker) {
    const Nest *nest = checker->nest;
    if (nest->outer != checker->outer.count || nest->loop_count < nest->outer)
        return fault(checker, "the number of enclosing loops is wrong");
    for (int i = 0; i < nest->loop_count; i++) {
        const Loop *loop = &nest->loops[i];
        if (!loop->name) return fault(checker, "a loop has no name");
        if (loop->trip < 1) return fault(checker, "a loop has no iterations");
        if (loop->unroll < 1 || loop->unroll > loop->trip)
            return fault(checker, "a loop has a wrong unroll factor");
        for (int k = 0; k < i; k++)
            if (strcmp(nest->loops[k].name, loop->name) == 0)
                return fault(checker, "two loops have one name");
        if (i < nest->outer && (strcmp(loop->name, checker->outer.items[i].name) != 0 ||
                                loop->trip != checker->outer.items[i].trip))
            return fault(checker, "an enclosing loop differs from its node");
    }
    return true;
}

static bool check_nest(Checker *checker, const Nest *nest) {
    checker->nest = nest;
    checker->operation = -1;
    if (!nest->name || !nest->name[0]) return fault(checker, "it has no name");
    vector_push(checker->scratch, &checker->nest_names, nest->name);
    if (!check_loops(checker)) return false;
    for (int i = 0; i < nest->body.count; i++) {
        checker->operation = i;
        const char *what = operation_fault(checker, &nest->body.items[i]);
        if (what) return fault(checker, what);
    }
    checker->nest = NULL;
    return true;
}

/* What each kind of node must have: the number of children (-1: any), and what else. */
static const struct {
    int children;
    bool nest, condition;
} node_rules[] = {
    [NODE_SEQUENCE] = {-1, false, false}, [NODE_NEST] = {0, true, false},
    [NODE_LOOP] = {-1, false, false},     [NODE_IF] = {2, false, true},
    [NODE_WHILE] = {2, false, true},
};

static bool check_node(Checker *checker, const Node *node) {
    if (!node || (unsigned)node->kind > NODE_WHILE) return fault(checker, "a node has no kind");
    int children = node_rules[node->kind].children;
    if (children >= 0 && node->children.count != children)
        return fault(checker, "a node has a wrong number of children");
    if (node_rules[node->kind].nest != (node->nest != NULL))
        return fault(checker, "a node has no nest, or one too many");
    if (node_rules[node->kind].condition) {
        if (node->condition < 0 || node->condition >= checker->program->memories.count)
            return fault(checker, "a branch has no condition");
        const Memory *memory = &checker->program->memories.items[node->condition];
        if (!is_bool(memory->type) || memory->elements != 1)
            return fault(checker, "a condition is not one i1");
    }
    if (node->nest && !check_nest(checker, node->nest)) return false;
    if (node->kind == NODE_LOOP) {
        if (node->loop.trip < 1 || !node->loop.name) return fault(checker, "a loop is empty");
        vector_push(checker->scratch, &checker->outer, node->loop);
    }
    checker->conditions += node_rules[node->kind].condition;
    for (int i = 0; i < node->children.count; i++)
        if (!check_node(checker, node->children.items[i])) return false;
    checker->conditions -= node_rules[node->kind].condition;
    if (node->kind == NODE_LOOP) checker->outer.count--;
    return true;
}

/* --- memories --- */

static const char *memory_fault(const Program *program, int index) {
    const Memory *memory = &program->memories.items[index];
    size_t elements;
    if (!memory->name || !memory->name[0]) return "it has no name";
    if (memory->rank < 0 || memory->rank > MAX_RANK) return "its rank is wrong";
    if (!shape_elements(memory->rank, memory->shape, &elements) || elements != memory->elements)
        return "its number of elements is not that of its shape";
    for (int i = 0; i < memory->rank; i++) {
        const Partition *partition = &memory->partition[i];
        if (partition->factor < 1) return "a partition has no banks";
        if (partition->scheme == PARTITION_NONE && partition->factor != 1)
            return "a dimension without partition has banks";
    }
    if ((memory->kind == MEMORY_CONSTANT) != (memory->data != NULL))
        return "only constants have contents, and all of them do";
    MemoryKind kind = index < program->input_count                           ? MEMORY_INPUT
                      : index < program->input_count + program->output_count ? MEMORY_OUTPUT
                                                                             : memory->kind;
    if (memory->is_bank) {
        const Memory *tensor = &program->memories.items[memory->tensor];
        bool fine = index >= program->input_count + program->output_count &&
                    memory->tensor < program->input_count + program->output_count &&
                    tensor->kind == memory->kind;
        return fine ? NULL : "a bank does not fit its tensor";
    }
    bool interface = memory->kind == MEMORY_INPUT || memory->kind == MEMORY_OUTPUT;
    if (memory->kind != kind || interface != (index < program->input_count + program->output_count))
        return "inputs come first, then outputs, then the others";
    return NULL;
}

static bool check_names(Checker *checker) {
    Names memories = {0};
    for (int i = 0; i < checker->program->memories.count; i++)
        vector_push(checker->scratch, &memories, checker->program->memories.items[i].name);
    const char *memory = name_twice(&memories), *nest = name_twice(&checker->nest_names);
    const char *kind = memory ? "memories" : "nests", *name = memory ? memory : nest;
    return !name || error_at(checker->diagnostics, STATUS_INTERNAL, checker->pass,
                             "two %s have the name %s", kind, name);
}

bool program_check(const Program *program, Diagnostics *diagnostics, const char *pass) {
    Checker checker = {.program = program,
                       .diagnostics = diagnostics,
                       .pass = pass,
                       .operation = -1,
                       .scratch = arena_new()};
    bool fine = program->memories.count >= program->input_count + program->output_count ||
                fault(&checker, "there are fewer memories than inputs and outputs");
    for (int i = 0; fine && i < program->memories.count; i++) {
        const char *what = memory_fault(program, i);
        const char *name = program->memories.items[i].name;
        if (what)
            fine = error_at(diagnostics, STATUS_INTERNAL, pass, "memory %s: %s", name ? name : "?",
                            what);
    }
    fine = fine && (program->root || fault(&checker, "the program has no root"));
    fine = fine && check_node(&checker, program->root) && check_names(&checker);
    arena_free(checker.scratch);
    return fine;
}
