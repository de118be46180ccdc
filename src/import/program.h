/* An exported program in memory: what models/model.json says, checked.
 *
 * Invariants after program_read: every value is defined once and before its uses; every tensor
 * has a type whose sizes are known, not negative and of a reasonable total; there is one spec for
 * each input and output. Strings and arrays are in the arena. */
#ifndef TEPAL_IMPORT_PROGRAM_H
#define TEPAL_IMPORT_PROGRAM_H

#include <stdbool.h>
#include <jansson.h>
#include "base/diagnostic.h"
#include "base/vector.h"
#include "import/dtype.h"
#include "import/import.h"
#include "import/map.h"

/* A value of the graph, by its index in Program.values. */
typedef struct GraphValue {
    const char *name;
    TensorType type;
    int uses;     /* by nodes and outputs that matter to the result */
    int last_use; /* the last node that uses it; the number of nodes if it is an output */
    bool defined;
    bool is_given;      /* to a graph that a node holds, as an input */
    bool supported;     /* its dtype is one that we compile */
    bool is_contiguous; /* PyTorch keeps it in row-major order ... */
    bool is_at_start;   /* ... and from the start of its memory */
    bool is_open;       /* data decide on a size of it, which is -1 in its type */
} GraphValue;

typedef enum ArgumentKind {
    ARGUMENT_NONE,
    ARGUMENT_TENSOR,        /* integer: index of the value */
    ARGUMENT_TENSORS,       /* integers: indexes, -1 for none */
    ARGUMENT_INTEGER,       /* integer */
    ARGUMENT_INTEGERS,      /* integers */
    ARGUMENT_FLOAT,         /* number */
    ARGUMENT_FLOATS,        /* numbers */
    ARGUMENT_BOOL,          /* integer */
    ARGUMENT_BOOLS,         /* integers */
    ARGUMENT_STRING,        /* string */
    ARGUMENT_DTYPE,         /* integer: code */
    ARGUMENT_MEMORY_FORMAT, /* integer: code */
    ARGUMENT_LAYOUT,        /* integer: code */
    ARGUMENT_DEVICE,        /* string: type of device */
    ARGUMENT_GRAPH,         /* graph */
    ARGUMENT_DATA,          /* string: a number, or a list with one, that depends on data */
    ARGUMENT_OTHER          /* string: name of a member that no operation here takes */
} ArgumentKind;

typedef struct Argument {
    ArgumentKind kind;
    int count; /* of integers or numbers */
    int64_t integer;
    double number;
    const char *string;
    int64_t *integers;
    double *numbers;
    const struct Graph *graph;
} Argument;

/* A graph that a node holds, such as a branch of `cond`. Its nodes are in Program.nodes before the
 * node itself, from first_node to end_node - 1, with those of the graphs that they hold in turn. */
typedef struct Graph {
    const char *name;
    int first_node, end_node;
    int input_count, output_count;
    int *inputs; /* indexes of values */
    Argument *outputs;
} Graph;

typedef struct NamedArgument {
    const char *name;
    bool is_keyword;
    Argument value;
} NamedArgument;

typedef struct Node {
    const char *name;
    const char *target; /* "torch.ops.aten.conv2d.default" */
    int input_count, output_count;
    NamedArgument *inputs;
    int *outputs; /* indexes of values, -1 for none; lists of tensors are flattened */
    bool is_live; /* the result depends on it */
    int depth;    /* 0; inside a graph that a node holds that node's plus 1 */
    /* The Python line that made it, from the stack trace: file (NULL if unknown), line, code. */
    const char *python_file;
    int python_line;
    const char *python_code;
} Node;

typedef enum InputKind {
    INPUT_PARAMETER,
    INPUT_BUFFER,
    INPUT_CONSTANT, /* a tensor constant, or a buffer that is not persistent */
    INPUT_USER,
    INPUT_NUMBER /* a Python number: already in the graph */
} InputKind;

typedef struct GraphInput {
    InputKind kind;
    int value;        /* -1 for a number */
    const char *name; /* name in the model's state, as "fc1.weight"; the value's for the user's */
} GraphInput;

typedef struct GraphOutput {
    bool is_mutation; /* the new value of a buffer or input, which the caller does not see */
    bool is_input_mutation;
    const char *target; /* of a mutation: the name of what changes */
    Argument value;
} GraphOutput;

typedef struct Program {
    Vector(GraphValue) values;
    Map names;
    Vector(Node) nodes;
    Vector(GraphInput) inputs;
    Vector(GraphOutput) outputs;
} Program;

/* Reads the document of an exported program. `place` is the file and entry. */
bool program_read(Arena *arena, Diagnostics *diagnostics, const char *place, const json_t *document,
                  int shape_count, const FixedShape *shapes, Program *program);

/* An in-place operation (mul_, but not __and__), which may change what others see. */
bool node_is_in_place(const Node *node);

/* "node conv2d" and its Python line as a note of the last message. */
const char *node_text(Arena *arena, const Node *node);
void node_note(Arena *arena, Diagnostics *diagnostics, const Node *node);
/* "self=float32[1, 3], dim=1" */
const char *node_arguments(Arena *arena, const Program *program, const Node *node);
/* Both as notes. */
void node_notes(Arena *arena, Diagnostics *diagnostics, const Program *program, const Node *node);

#endif
