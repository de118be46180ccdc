/* Inside of the construction of programs from affine modules.
 *
 * The walk over the function (from_blocks.c) cuts it into pieces of straight-line code: what stands
 * between two loop headers or ends. Each piece becomes a nest without loops of its own under LOOP
 * nodes; the pass `perfect` then makes perfect nests of that. Stores and loads are appended in
 * their order; all other operations are evaluated where they are needed (from_values.c), in each
 * piece anew. What a piece loads and another one needs is loaded again if nothing overwrites it,
 * else it goes through a memory of one element.
 *
 * Index arithmetic is kept as linear forms of atoms (from_linear.c): loop counters, quotients, and
 * opaque values. */
#ifndef TEPAL_LOOP_FROM_AFFINE_H
#define TEPAL_LOOP_FROM_AFFINE_H

#include "loop/body.h"
#include "loop/transform.h"
#include "loop/table.h"
#include "mlir/data.h"
#include "mlir/ir.h"

/* factor x atom */
typedef struct Term {
    int atom;
    int64_t factor;
} Term;

/* constant + sum of terms. Atoms ascend, factors are not 0. */
typedef struct Linear {
    int64_t constant;
    int count;
    Term *terms;
} Linear;

typedef enum AtomKind {
    ATOM_LOOP,    /* the counter of a loop */
    ATOM_VALUE,   /* an index value that is computed otherwise */
    ATOM_QUOTIENT /* floor(numerator / divisor), divisor > 1 */
} AtomKind;

typedef struct Atom {
    AtomKind kind;
    Range range;
    MlirValue value;  /* VALUE */
    Linear numerator; /* QUOTIENT */
    int64_t divisor;
    MlirOperation loop; /* LOOP: the operation it comes from */
    int part;           /* and which part of its split */
} Atom;

/* A loop around the current place. */
typedef struct Level {
    int atom;
    Loop loop;
} Level;

/* Loops of the model that are split into several, so that quotients of their counter vanish:
 * counter = (part 0 x trip of part 1 + part 1) x trip of part 2 ... */
typedef struct Split {
    MlirOperation loop;
    Vector(int64_t) trips; /* outermost first */
} Split;

/* Where an operation stands in the function. */
typedef struct Position {
    int order, last;       /* number in a walk in order; that of the last operation inside it */
    int piece, last_piece; /* number of the piece at its start and end */
} Position;

typedef struct StoreAt {
    int order, memory;
} StoreAt;

typedef struct Importer {
    Session *session;
    Arena *arena;
    Diagnostics *diagnostics;
    Program *program;
    const Model *model;
    MlirOperation entry;
    NameSet *memory_names;

    Table memories;  /* memref values -> index */
    Table positions; /* operations -> index into position_list */
    Vector(Position) position_list;
    Vector(StoreAt) stores;
    Table spilled; /* values -> memory of one element */
    DataQuery data;
    Table insides; /* operations with regions -> what is in them (from_control.c) */

    Vector(Atom) atoms;
    Table linears; /* index values -> index into linear_list */
    Vector(Linear) linear_list;
    Vector(Split) splits;
    bool survey; /* only looking for splits */
    bool found_split;

    Vector(Level) levels;
    Node *sequence;   /* takes the next piece */
    Nest *piece;      /* being filled, or NULL */
    Table values;     /* of the piece: values -> operation */
    Table predicates; /* of the piece: blocks -> operation */
    bool refused;     /* an unsupported operation was met */
} Importer;

/* --- from_linear.c --- */

Linear linear_constant(int64_t constant);
Linear linear_atom(Importer *importer, int atom);
Linear linear_sum(Importer *importer, Linear a, Linear b, int64_t factor); /* a + factor x b */
Linear linear_scale(Importer *importer, Linear a, int64_t factor);
Linear linear_floor_divide(Importer *importer, Linear a, int64_t divisor);
Linear linear_modulo(Importer *importer, Linear a, int64_t divisor);
Range linear_range(Importer *importer, Linear a);
/* True if it has terms of loop counters only. */
bool linear_is_affine(const Importer *importer, Linear a);
/* True if loads decide its value. */
bool linear_is_opaque(const Importer *importer, Linear a);
int atom_new(Importer *importer, Atom atom);
/* Result `index` of an affine map on values. */
Linear form_of_map(Importer *importer, MlirAffineMap map, intptr_t index, MlirOperation op,
                   intptr_t first_operand);
Linear form_of_expr(Importer *importer, MlirAffineExpr expr, intptr_t dims, MlirOperation op,
                    intptr_t first_operand);

/* --- from_index.c: index values --- */

/* The value of an index as a linear form. */
Linear form_of_value(Importer *importer, MlirValue value);
/* Sets it, for loop counters. */
void set_linear(Importer *importer, MlirValue value, Linear linear);
/* The value modulo 2^width as an operation of the piece. */
int materialize(Importer *importer, Linear linear, int width);
/* The same as an affine form of the piece's loops; false if it is not one. */
bool linear_to_affine(Importer *importer, Linear linear, Affine *form);
/* linear >= 0 (== 0) as an i1. */
int materialize_constraint(Importer *importer, Linear linear, bool equality);
/* cmpi of two index values. */
int materialize_compare(Importer *importer, int condition, Linear a, Linear b);

/* --- from_values.c --- */

/* The operation of the piece that has the value. */
int value_operation(Importer *importer, MlirValue value);
/* The predicate under which the operations of a block are executed, -1 for always. */
int block_predicate(Importer *importer, MlirBlock block);
/* The i1 of an if's own condition. */
int if_condition(Importer *importer, MlirOperation op);
/* An i1 that is its negation. */
int negate_condition(Importer *importer, int condition);
/* Appends the load, or the load of its spilled value, to the piece. */
int load_operation(Importer *importer, MlirOperation op);
/* The flat address of a load or store, whose indices start at operand `first`. */
Linear flat_address(Importer *importer, MlirOperation op);
/* Sets the address of an access of the piece. */
void set_address(Importer *importer, Operation *operation, Linear address);
/* A load of the one element of a scalar memory. */
int load_scalar(Importer *importer, int memory);
/* The i1 that keeps a loop with varying bounds in them, -1 for always. */
int loop_predicate(Importer *importer, MlirOperation op);
/* Integer to `width` bits. */
int convert_width(Importer *importer, int value, int width, bool is_signed);
bool value_supported(MlirOperation op);
bool is_index_value(MlirValue value);
/* The value that a branch (0: then, 1: else) of an if yields as its result `index`. */
MlirValue yielded(MlirOperation op, intptr_t branch, intptr_t index);

/* --- from_memories.c --- */

/* The index of the memory of a memref value; -1 with a diagnostic if it has none. */
int memory_of(Importer *importer, MlirValue memref);
bool add_arguments(Importer *importer);
/* A local memory of one element. */
int scalar_memory(Importer *importer, const char *name, Scalar type);

/* --- from_spills.c --- */

/* Numbers all operations of the function, and notes the stores. */
void number_operations(Importer *importer);
/* True if the value of a load is needed where loading it again would read something else. */
bool must_spill(Importer *importer, MlirOperation load);

/* --- from_blocks.c --- */

void walk_block(Importer *importer, MlirBlock block);
Nest *current_piece(Importer *importer);
void close_piece(Importer *importer);
/* Names the current piece after an operation, if it has no name. */
void name_piece(Importer *importer, MlirOperation op);
void append_store(Importer *importer, int memory, int data, int predicate, Linear address);
/* A memory for a value that control carries; with a diagnostic if the value is no number. */
int memory_of_value(Importer *importer, MlirOperation op, MlirValue value);
/* Memories for what a for loop carries. */
int *carry(Importer *importer, MlirOperation loop);
/* Stores the operands first .. first+count-1 of `from` to memories of one element. */
void store_values(Importer *importer, MlirOperation from, intptr_t first, intptr_t count,
                  const int *memories);

/* --- from_bounds.c --- */

enum { MOST_LIMITS = 8 };

typedef struct Limits {
    int count;
    Linear forms[MOST_LIMITS];
} Limits;

/* The affine constraints, each linear >= 0, that keep a loop with varying bounds in its bounds. */
typedef struct Bounds {
    int64_t trip, step;
    Linear lower;
    int count, lower_count;
    Linear limits[MOST_LIMITS]; /* upper bounds that the trip count alone does not ensure */
    Linear lowers[MOST_LIMITS]; /* lower bounds beside `lower` */
} Bounds;
bool loop_bounds(Importer *importer, MlirOperation op, Bounds *bounds);
/* Lower bounds, upper bounds and step (0 if it is no constant) of affine.for or scf.for; false if
 * there are too many. */
bool read_bounds(Importer *importer, MlirOperation op, Limits *lower, Limits *upper, int64_t *step);
bool loop_depends_on_data(Importer *importer, MlirOperation op);
/* True for a loop whose varying bounds are predicates of its body. */
bool is_predicated_loop(Importer *importer, MlirOperation op);

/* --- from_control.c --- */

/* True if there is a while, a loop whose bounds depend on data, or a branch inside. */
bool holds_control(Importer *importer, MlirOperation op);
/* True for an if that becomes an IF node. */
bool is_branch(Importer *importer, MlirOperation op);
/* True if what is inside stands in other pieces than what is around it. */
bool makes_pieces(Importer *importer, MlirOperation op);
void visit_branch(Importer *importer, MlirOperation op);
void visit_while(Importer *importer, MlirOperation op);
/* A loop whose bounds depend on data, as a while. */
void visit_counted_while(Importer *importer, MlirOperation op);
/* What is built between the two runs only where the predicate holds. */
Node *open_guard(Importer *importer, MlirOperation loop, int predicate);
void close_guard(Importer *importer, Node *node);

/* --- from_names.c --- */

/* The most telling name in a location; NULL if it has none. */
char *location_name(Arena *arena, MlirLocation location);
/* Final names of nests, loops and memories. */
void name_program(Importer *importer);

#endif
