/* One MLIR context with all that a compilation needs of it: dialects, passes, pipelines, our own
 * passes, parsing and printing. The first stages of the road (`linalg`, `affine`) are MLIR modules.
 */
#ifndef TEPAL_MLIR_SESSION_H
#define TEPAL_MLIR_SESSION_H

#include <stdbool.h>
#include <mlir-c/IR.h>
#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/tensor.h"
#include "base/text.h"
#include "base/vector.h"

typedef struct Session {
    Arena *arena;
    Diagnostics *diagnostics; /* MLIR's diagnostics arrive here as file:line:column messages */
    MlirContext context;      /* single-threaded; all dialects known, all upstream passes too */
    bool print_after_all;     /* show the module on stderr after each pass */
    const char *source_path, *source_text; /* what was parsed last */
    Vector(const char *) resources;        /* keys of dense_resource attributes parsed so far */
} Session;

Session *session_new(Arena *arena, Diagnostics *diagnostics);
void session_free(Session *session);

/* Parses MLIR text; `path` is for messages. A null module and STATUS_INPUT diagnostics on error. */
MlirModule session_parse(Session *session, const char *path, const char *text, size_t length);

/* Runs an upstream pass pipeline such as "builtin.module(canonicalize,cse)". */
bool session_run(Session *session, MlirModule module, const char *pipeline);

/* True if these passes exist and can run on a module, as in "canonicalize,cse". */
bool session_accepts(Session *session, const char *elements);

/* Appends a piece of what MLIR prints to a Text: for its functions that take a callback. */
void append_piece(MlirStringRef piece, void *text);
/* Appends the module's text, with the places of its operations if `locations`. Large constants are
 * printed whole, as hex strings. */
void session_print(MlirModule module, bool locations, Text *text);

/* The scalar type of an MLIR type (index is i64); false for any other type. */
bool scalar_of_type(MlirType type, Scalar *scalar);
MlirType type_of_scalar(MlirContext context, Scalar scalar);

/* A model at the stage `linalg` (or `affine`): a module with one entry function.
 *
 * Entry function, at the stage `linalg`: public, arguments and results are ranked tensors with
 * static shapes (0-d ones included). Argument and result attributes keep what MLIR's types do not
 * tell: tepal.name = "x"        the tensor's name in the model tepal.type = "bool" | "unsigned"
 * where an i1 or iN is that so that a printed module is the whole model. */
typedef struct Model {
    const char *name; /* an identifier, from the file's name: mlp for dir/mlp.core.pt2 */
    MlirModule module;
    const char *entry; /* name of the entry function: "forward" for what we import */
    int input_count, output_count;
    Tensor *inputs, *outputs; /* names and types; data is NULL */
    /* The last inputs and the last outputs, in the same order, with the attribute tepal.state: what
     * the model keeps from one run to the next. The caller does not see them. */
    int state_count;
    int64_t parameters; /* weights, in elements */
} Model;

/* Fills inputs, outputs and parameters from the entry function of model->module. `top` names the
 * entry; NULL: the only public function, else `forward`, else `main`. A function on memrefs gets
 * the interface of the stage `affine` first: results and written arguments become output arguments.
 */
bool model_describe(Session *session, Model *model, const char *top);

/* Bits of the constant memories of a module at the stage affine, of those of more than `least`;
 * bits that are the same in all elements do not count. */
int64_t model_constant_bits(Session *session, const Model *model, int64_t least);

/* For each input: 0, or, if its elements are used as indices, the least size that they index. */
const int64_t *model_index_limits(Session *session, const Model *model);

/* The function model->entry. */
MlirOperation model_entry(Session *session, const Model *model);

#endif
