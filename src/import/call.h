/* One operation of the graph while it is compiled: its arguments by name, its results, errors.
 *
 * Every argument must be asked for, or be listed in the operation's row as one that does not change
 * the result: what no code looks at is an error, so that no option is silently lost. */
#ifndef TEPAL_IMPORT_CALL_H
#define TEPAL_IMPORT_CALL_H

#include "import/builder.h"
#include "import/program.h"
#include "import/scalar.h"
#include "import/schema.h"
#include "import/weights.h"

/* A tensor while the graph is compiled. Constants stay bytes until an operation needs them as a
 * value, so that views of weights cost nothing. */
typedef struct Value {
    TensorType type;
    bool is_number;       /* a Python number: of rank 0, does not decide the result's dtype */
    MlirValue mlir;       /* null while it is only stored */
    const Stored *stored; /* a constant's elements; NULL for computed values */
    const struct Quantized *quantized; /* integers that it is known as; else NULL (quantized.h) */
} Value;

/* What the model keeps from one run to the next: a buffer that it changes. */
typedef struct State {
    const char *name;
    Dtype dtype;
    int input;          /* the value of the graph; -1 for `valid` */
    int next;           /* the value that it gets; -1: what `input` stands for at the end */
    MlirValue argument; /* what the run before left */
} State;

/* How a value shares the memory of another one. */
typedef struct View {
    int node;       /* that shows part of its first argument; -1: the value is no view */
    bool is_unsure; /* PyTorch may have copied it */
} View;

typedef struct Operation Operation;

typedef struct Import {
    Session *session;
    Arena *arena;
    Diagnostics *diagnostics;
    const char *path;
    Program program;
    Weights weights;
    Builder builder;
    Value **values; /* by index of the graph's values; NULL before the definition */
    int *same;      /* the value that stands for this one: results of in-place operations */
    Map warned;     /* names of inputs that are written to, which was warned of */
    bool *is_state; /* by index: an input of the graph that the model changes and keeps */
    Vector(State) states;
    int *storage; /* the value whose memory this one shares, itself if none */
    View *views;
    const Operation **rows; /* of the live nodes; NULL where there is none */
    bool *in_place;         /* that row is of the plain form of an in-place operation */
} Import;

typedef struct Call Call;

/* The body of an elementwise operation: from elements of `dtype` to one of the same type, or a bool
 * for comparisons. */
typedef MlirValue (*ElementBody)(Call *call, Builder *body, Dtype dtype, const MlirValue *inputs);

/* A row of the table of operations. */
struct Operation {
    const char *name;   /* "aten.conv2d.default" */
    const char *schema; /* as in native_functions.yaml */
    bool (*emit)(Call *call);
    const char *ignored; /* arguments that do not change the result, with blanks around each */
    ElementBody body;    /* for emit functions that take one */
    int option;          /* the same */
    /* The operation on values that are known as integers. False if it has no such form for these;
     * then emit takes them as floats. */
    bool (*integers)(Call *call);
};

struct Call {
    Import *import;
    Arena *arena;
    Builder *builder;
    const Node *node;
    const Operation *operation;
    Schema schema;
    Argument arguments[MAX_PARAMETERS];
    Value *tensors[MAX_PARAMETERS]; /* of tensor arguments */
    unsigned used;                  /* a bit for each parameter */
    bool in_place;                  /* the result replaces the first argument */
    bool as_integers;               /* tensors are the integers of what they stand for */
    Value **results;                /* as many as the node's outputs */
    bool failed;
};

/* Warns that the model writes to an input, which the design leaves as it is; once. */
void forward_warn_input(Import *import, const char *name);

/* Compiles the live nodes of a graph, from `first` to end - 1, those of the graphs that they hold
 * left out. All that cannot be compiled are reported. */
void forward_nodes(Import *import, int first, int end, int depth);

/* Compiles one node; finds its row by the table's names. */
bool call_node(Import *import, const Node *node, int node_index, const Operation *operation,
               bool in_place);

/* Result `index` of a view's node for another first argument. NULL with a message. */
Value *call_view(Import *import, const Node *node, const Operation *operation, Value *first,
                 int index);

/* --- errors: at the node, with its Python line; return false --- */
bool call_fail(Call *call, const char *format, ...) PRINTF_LIKE(2, 3);

/* --- arguments; the name must be one of the schema's --- */
/* True if the overload has a parameter of this name, whether given or not. */
bool call_declares(const Call *call, const char *name);
bool call_has(Call *call, const char *name); /* given and not None; counts as looked at if None */
Value *call_tensor(Call *call, const char *name); /* NULL for None */
/* A list of tensors; NULL for an item that is None. */
Value **call_tensors(Call *call, const char *name, int *count);
int64_t call_integer(Call *call, const char *name);
double call_float(Call *call, const char *name);
Number call_number(Call *call, const char *name);
bool call_bool(Call *call, const char *name);
const char *call_string(Call *call, const char *name);
/* The given dtype, or `otherwise` for None. */
Dtype call_dtype(Call *call, const char *name, Dtype otherwise);
/* A list of integers, and its length. */
const int64_t *call_integers(Call *call, const char *name, int *count);
const Graph *call_graph(Call *call, const char *name);
/* A list of floats. */
const double *call_floats(Call *call, const char *name, int *count);
/* A dimension of a tensor of this rank, counted from the end if negative. */
bool call_dim(Call *call, const char *name, int rank, int *dim);
bool call_wrap_dim(Call *call, const char *name, int64_t number, int rank, int *dim);
/* A list of different dimensions as flags; an empty or missing list means all. */
bool call_dims(Call *call, const char *name, int rank, bool *flags);

/* --- values --- */
Value *value_new(Arena *arena, Dtype dtype, int rank, const int64_t *shape, MlirValue mlir);
Value *value_constant(Arena *arena, const Stored *stored);
Value *value_of_number(Arena *arena, Number number);
/* The value as one of MLIR's; makes a constant of a stored one. */
MlirValue value_mlir(Builder *builder, Arena *arena, Value *value);
MlirValue call_mlir(Call *call, Value *value);
MlirType call_type(Call *call, Dtype dtype, int rank, const int64_t *shape);
/* The value converted to another dtype. */
Value *call_cast(Call *call, Value *value, Dtype dtype);

/* --- results --- */
/* Is result `index` used by anyone? */
bool call_wants(const Call *call, int index);
/* Sets a result; its type must be the one that the model states. */
bool call_result(Call *call, int index, Value *value);
/* The same, for a value just built. */
bool call_give(Call *call, Dtype dtype, int rank, const int64_t *shape, MlirValue mlir);

#endif
