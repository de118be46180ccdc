/* What the fusing passes share: who accesses which memory, which iterations of one nest meet those
 * of another, and copying operations from one nest to another.
 *
 * A pass looks at the children of one SEQUENCE or LOOP, its stages, which are executed one after
 * the other. */
#ifndef TEPAL_LOOP_FUSION_H
#define TEPAL_LOOP_FUSION_H

#include "loop/body.h"
#include "loop/transform.h"

typedef struct Stage {
    Node *node;
    Nest *nest;           /* NULL for a LOOP, IF, WHILE */
    bool *reads, *writes; /* per memory */
} Stage;

typedef struct Stages {
    Node *parent;
    int count;
    Stage *items;
    bool *outside; /* memories that the rest of the program accesses */
} Stages;

Stages stages_of(const Program *program, Node *parent, Arena *arena);
void stage_remove(const Stages *stages, int stage);

/* Calls `change` with the stages of every SEQUENCE and LOOP, the inner ones first, again and again
 * until it returns false for all of them. It returns true after each change that makes the stages
 * it was given out of date. */
void each_stages(Program *program, bool (*change)(Program *program, const Stages *stages));

/* True if a stage in first .. last reads (writes) the memory. */
bool stages_read(const Stages *stages, int first, int last, int memory);
bool stages_write(const Stages *stages, int first, int last, int memory);

/* The only LOAD or STORE of a memory in a nest, -1 if there are none or several. */
int only_access(const Nest *nest, Opcode opcode, int memory);
int count_accesses(const Nest *nest, Opcode opcode, int memory);

/* Per memory, how many nests access it; what is used outside of nests counts as one more. */
int *memory_users(Program *program);

/* A new local memory of the type and shape of `like`, named after it and `suffix`. */
int local_memory(Program *program, const Memory *like, const char *suffix);

/* --- iterations --- */

/* True if the form takes a different value for all values of those own loops that it has a
 * coefficient for. */
bool form_is_injective(const Nest *nest, const Affine *form);
/* Iterations of the own loops that the form has (has no) coefficient for. */
int64_t form_iterations(const Nest *nest, const Affine *form);
int64_t form_repetitions(const Nest *nest, const Affine *form);

/* For every loop of `of` its index as a form over the loops of `in`, such that `address` (over
 * `of`) equals `value` (over `in`): the iteration of `of` that accesses the element. NULL if there
 * is no such affine map into the iterations. Both nests have the same enclosing loops. */
Affine *solve_iterations(Arena *arena, const Nest *of, const Affine *address, const Nest *in,
                         const Affine *value);

/* The same where the element may be one that `of` does not access: the map counts where all
 * constraints over the loops of `in`, which are appended, hold. That there is no other iteration
 * for the element is for the caller to see. */
Affine *solve_some_iterations(Arena *arena, const Nest *of, const Affine *address, const Nest *in,
                              const Affine *value, Constraints *where);

/* --- rearrangements --- */

/* The store of a nest whose value costs no arithmetic: loads, constants, and choices by position;
 * -1 if it has none. */
int free_store(Arena *arena, const Nest *nest, int memory);
/* True if what the writer loads is overwritten in the stages first .. last. */
bool sources_change(const Stages *stages, const Nest *writer, int first, int last);

/* --- copying --- */

typedef struct Inliner {
    Arena *arena;
    Nest *target;
    const Nest *source;
    const Affine *solution; /* of solve_iterations */
    int predicate;          /* joined to the predicates of accesses; -1 for none */
    int *moved;             /* from operations of the source to those of the target, -1: not yet */
} Inliner;

Inliner inliner_new(Arena *arena, Nest *target, const Nest *source, const Affine *solution,
                    int predicate);
/* The value of operation `index` of the source, appended to the target with all it needs. */
int inline_value(Inliner *inliner, int index);

/* An i1 that is 1 in the first (last) iteration of the own loops without a coefficient in the form;
 * -1 for always. */
int edge_of_repetitions(Arena *arena, Nest *nest, const Affine *form, bool last);
/* True if the predicate says exactly that. */
bool is_edge_of_repetitions(Arena *arena, const Nest *nest, const Affine *form, bool last,
                            int predicate);
/* True if it says exactly that it is not the first one. */
bool is_after_first(Arena *arena, const Nest *nest, const Affine *form, int predicate);

/* --- costs --- */

/* True if a nest with the bodies of both would load one memory at two addresses where each alone
 * does not. */
bool adds_port_conflict(const Nest *nest, const Nest *source, const Affine *solution, int ignored);

#endif
