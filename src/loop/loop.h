/* The loop-nest IR: the stage `loops`.
 *
 * A program is a tree of nests over a set of memories. A nest is a perfect band of counted loops
 * around one straight-line body; it is what becomes one pipelined Calyx group. Order of execution:
 * nodes of a sequence one after the other; the iterations of a nest in lexicographic order; the
 * operations of a body in the order of their array. (Hardware overlaps them only where the
 * dependences of schedule/ allow it.)
 *
 * Ownership: everything is in program->arena.
 *
 * Invariants, checked by program_check:
 *   - trip counts are at least 1; loops count 0 .. trip-1 (bounds and steps are folded into the
 * affine expressions);
 *   - an operand is an operation before its user, with the type that the opcode asks for;
 *   - a predicate is an i1 value; only LOAD and STORE have one. A LOAD whose predicate is false
 * reads nothing and gives 0;
 *   - an affine address lies in 0 .. elements-1 in every iteration in which the access happens
 *     (all of them, if it has no predicate);
 *   - CONSTANT memories are not stored to; INPUT and CONSTANT memories have contents before the
 *     program starts, all others are zero then;
 *   - names of memories, and names of nests, are unique identifiers (string_identifier). */
#ifndef TEPAL_LOOP_LOOP_H
#define TEPAL_LOOP_LOOP_H

#include "base/number.h"
#include "base/tensor.h"
#include "base/text.h"
#include "base/vector.h"

typedef enum Opcode {
#define OPCODE(name, text, operands, result) OP_##name,
#include "loop/opcodes.def"
#undef OPCODE
    OPCODE_COUNT
} Opcode;

typedef enum ResultKind { RESULT_NONE, RESULT_SAME, RESULT_BOOL, RESULT_OWN } ResultKind;

typedef struct OpcodeInfo {
    const char *text;
    int operands;
    ResultKind result;
} OpcodeInfo;
extern const OpcodeInfo opcode_info[OPCODE_COUNT];

/* Same order as MLIR's arith.cmpi and arith.cmpf. */
typedef enum IntegerPredicate {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_SLT,
    COMPARE_SLE,
    COMPARE_SGT,
    COMPARE_SGE,
    COMPARE_ULT,
    COMPARE_ULE,
    COMPARE_UGT,
    COMPARE_UGE
} IntegerPredicate;
typedef enum FloatPredicate {
    FLOAT_FALSE,
    FLOAT_OEQ,
    FLOAT_OGT,
    FLOAT_OGE,
    FLOAT_OLT,
    FLOAT_OLE,
    FLOAT_ONE,
    FLOAT_ORD,
    FLOAT_UEQ,
    FLOAT_UGT,
    FLOAT_UGE,
    FLOAT_ULT,
    FLOAT_ULE,
    FLOAT_UNE,
    FLOAT_UNO,
    FLOAT_TRUE
} FloatPredicate;

typedef enum MemoryKind { MEMORY_INPUT, MEMORY_OUTPUT, MEMORY_LOCAL, MEMORY_CONSTANT } MemoryKind;

/* How one dimension is spread over banks. */
typedef enum PartitionScheme { PARTITION_NONE, PARTITION_CYCLIC, PARTITION_BLOCK } PartitionScheme;
typedef struct Partition {
    PartitionScheme scheme;
    int factor; /* number of banks in this dimension, 1 for none */
} Partition;

/* One dense row-major array. */
typedef struct Memory {
    const char *name;        /* identifier, from the model where it has a name */
    const char *tensor_name; /* the model's own name, for messages; NULL for locals */
    const char
        *holds; /* names of the buffers that live here one after the other; NULL: it is one */
    MemoryKind kind;
    Scalar type;
    bool is_state;             /* INPUT, OUTPUT: see Program.state_count */
    bool is_bool, is_unsigned; /* of the model's tensor, for files and reports */
    int rank;
    int64_t shape[MAX_RANK];
    Partition partition[MAX_RANK];
    size_t elements;
    const void *data; /* CONSTANT: elements x scalar_bytes(type) bytes, else NULL */
    /* An INPUT or OUTPUT tensor whose partition has several banks is a description only, which
     * nothing accesses; its banks are memories of the same kind with: */
    bool is_bank;
    int tensor; /* index of the tensor's memory */
    int bank; /* which one it is: the parts of all dimensions as a row-major index into the factors
               */
} Memory;

/* constant + sum of coefficients[i] x index of loop i of the nest (the enclosing loops first). */
typedef struct Affine {
    int64_t constant;
    int64_t *coefficients; /* nest->loop_count of them; NULL only if there are no loops */
} Affine;

typedef struct Operation {
    Opcode opcode;
    Scalar type;     /* of the result; of the data for STORE */
    int operands[3]; /* indices into the body, -1 where there is none */
    int predicate;   /* LOAD, STORE: an i1 value, or -1 for always */
    int condition;   /* COMPARE: IntegerPredicate; FLOAT_COMPARE: FloatPredicate */
    Bits bits;       /* CONSTANT */
    int memory;      /* LOAD, STORE: index into program->memories */
    bool computed;   /* LOAD, STORE: the address is an operand, not `affine` */
    Affine affine;   /* INDEX; LOAD and STORE: the flat element number */
} Operation;

typedef struct Loop {
    const char *name; /* identifier, unique in the nest: "i", "oc" */
    int64_t trip;
    int unroll; /* copies side by side; 1 for none */
} Loop;

/* How a loop was unrolled: its trip count before, and how many copies stand side by side. */
typedef struct Unrolling {
    const char *loop;
    int64_t trip;
    int factor;
} Unrolling;

typedef struct Nest {
    const char *name;     /* identifier from the model's node: "conv", "relu_1" */
    const char *location; /* the model's place, for messages */
    int outer;            /* loops[0 .. outer-1] are those of enclosing LOOP nodes */
    int loop_count;
    Loop *loops; /* outermost first */
    Vector(Operation) body;
    Vector(Unrolling) unrolling; /* of the own loops before the pass "unroll": what it chose */
    int64_t macs;                /* of the nest in all, counted then */
} Nest;

typedef enum NodeKind {
    NODE_SEQUENCE, /* children one after the other */
    NODE_NEST,
    NODE_LOOP, /* `loop` around children: sequential control, where no perfect nest can be made */
    NODE_IF,   /* children[0] if memory `condition` (one i1 element) holds 1, else children[1] */
    NODE_WHILE /* runs children[0], then, while `condition` holds 1, children[1] and children[0]
                  again */
} NodeKind;

typedef struct Node {
    NodeKind kind;
    Vector(struct Node *) children;
    Nest *nest;    /* NEST */
    Loop loop;     /* LOOP */
    int condition; /* IF, WHILE: a memory */
} Node;

typedef struct Program {
    Arena *arena;
    const char *name;
    Vector(Memory) memories; /* inputs first, then outputs, in the model's order, then the others */
    int input_count, output_count;
    /* The last inputs and the last outputs, in the same order, are what the design keeps from one
     * run to the next: the host does not see them. The pass "states" copies each output to its
     * input at the end. After a reset a state of one element is 0, and others hold anything. */
    int state_count;
    int64_t macs; /* multiply-accumulates of the model, counted before any transformation */
    Node *root;
} Program;

/* --- construction, shared by the passes --- */

/* Where element `element` (row-major) of a tensor is: `*bank`, and the offset in it. A dimension of
 * size n with factor F has F parts of ceil(n / F) places; index i is in part i mod F, place i div F
 * (cyclic) or part i div ceil(n / F), place i mod ceil(n / F) (block). Bank and offset are the
 * parts and the places of all dimensions, row-major. */
size_t partition_place(int rank, const int64_t *shape, const Partition *partition, size_t element,
                       size_t *bank);
/* True if the memory is the description of a tensor whose banks are memories of their own. */
bool memory_is_description(const Program *program, int memory);
/* True if hardware keeps it in a register: one element that the host does not reach. It is read at
 * any number of places, in the cycle in which its value is used. */
bool memory_is_register(const Memory *memory);

Node *node_new(Arena *arena, NodeKind kind);
/* Appends an operation and returns its index. */
int nest_append(Arena *arena, Nest *nest, Operation operation);
/* An operation with no operand, predicate or memory (all -1). */
Operation operation_new(Opcode opcode, Scalar type);
int64_t nest_trip_count(const Nest *nest); /* own loops only: those from `outer` on */
/* Calls visit for every nest in program order. */
void program_each_nest(Program *program, void (*visit)(Nest *nest, void *context), void *context);

/* --- what can be done with a program --- */

/* Every invariant above; the first fault is reported as STATUS_INTERNAL with the name of `pass`. */
bool program_check(const Program *program, Diagnostics *diagnostics, const char *pass);

/* The text of the stage `loops`. */
void program_print(const Program *program, Text *text);

/* Executes the program. inputs[i].data is read, outputs[i].data is allocated in `arena`. */
bool program_interpret(const Program *program, Arena *arena, Diagnostics *diagnostics,
                       const Tensor *inputs, Tensor *outputs);

/* Multiply-accumulates: executions of a float or integer multiply whose only use is an add. */
int64_t nest_macs(const Nest *nest);
int64_t program_macs(const Program *program);

#endif
