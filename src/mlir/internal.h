/* Shared by the files of this folder only: our passes and the pieces of parsing. */
#ifndef TEPAL_MLIR_INTERNAL_H
#define TEPAL_MLIR_INTERNAL_H

#include "mlir/lower.h"

/* Runs upstream passes, given without the "builtin.module(...)" around them. */
bool session_run_elements(Session *session, MlirModule module, const char *elements);

/* Makes dense_resource attributes, whose bytes the C API does not show, into dense elements. `text`
 * is what the module was parsed from; `path` is for messages. */
bool resources_to_elements(Session *session, MlirModule module, const char *path, const char *text);

/* Notes the line that a place is in, and marks the column, if the place is in the text that was
 * parsed last. */
void note_excerpt(Session *session, const char *place);

/* Our passes; each is described in its file. */
bool pass_total(Session *session, MlirModule module, const char *options);
bool pass_elementwise(Session *session, MlirModule module, const char *options);
bool pass_generalize(Session *session, MlirModule module, const char *options);
bool pass_math(Session *session, MlirModule module, const char *options);
bool pass_concat(Session *session, MlirModule module, const char *options);
bool pass_empty(Session *session, MlirModule module, const char *options);
bool pass_evaluate(Session *session, MlirModule module, const char *options);
bool pass_inits(Session *session, MlirModule module, const char *options);
bool pass_pin(Session *session, MlirModule module, const char *options);
bool pass_unpin(Session *session, MlirModule module, const char *options);
bool pass_pad(Session *session, MlirModule module, const char *options);
bool pass_aliases(Session *session, MlirModule module, const char *options);
bool pass_carried(Session *session, MlirModule module, const char *options);
bool pass_reassociate(Session *session, MlirModule module, const char *options);
bool pass_choices(Session *session, MlirModule module, const char *options);
bool pass_copies(Session *session, MlirModule module, const char *options);
bool pass_views(Session *session, MlirModule module, const char *options);
bool pass_hoist(Session *session, MlirModule module, const char *options);
bool pass_inline(Session *session, MlirModule module, const char *options);
bool pass_protect_inputs(Session *session, MlirModule module, const char *options);
bool pass_out_params(Session *session, MlirModule module, const char *options);
bool pass_outputs(Session *session, MlirModule module, const char *options);
bool pass_split(Session *session, MlirModule module, const char *options);
bool pass_switch(Session *session, MlirModule module, const char *options);
bool pass_parallel(Session *session, MlirModule module, const char *options);
bool pass_raise(Session *session, MlirModule module, const char *options);
bool pass_flatten(Session *session, MlirModule module, const char *options);
bool pass_legalize(Session *session, MlirModule module, const char *options);
bool pass_bf16(Session *session, MlirModule module, const char *options);
bool pass_banking(Session *session, MlirModule module, const char *options);

/* Runs one of our passes and the verifier. */
bool pass_run(Session *session, MlirModule module, const ModulePass *pass, const char *options);

/* Gives an entry function of memrefs and scalars the standard interface (interface.c). */
bool entry_interface(Session *session, MlirModule module, MlirOperation function);

/* Gives bodies to the library functions of Allo that a module declares (allo.c). */
bool allo_bodies(Session *session, MlirModule module);

/* Replaces all calls in a function; false if one cannot be. */
bool inline_calls(Session *session, MlirModule module, MlirOperation function);

/* True if `memory`, an argument of the function, may be read before it was written as a whole. */
bool reads_before_writing(Session *session, MlirOperation function, MlirValue memory);

/* Part of pass_total: zeros for memory that may be read before it is written. */
bool total_memory(Session *session, MlirModule module);
/* Part of pass_generalize: takes a linalg.softmax apart. */
bool expand_softmax(Session *session, MlirOperation op);

/* Part of pass_total: flags, indices, assertions. */
bool total_guards(Session *session, MlirModule module);
/* False for an operation that pass_total has to expand. */
bool op_is_total(MlirOperation op);

/* The texts of math/, one after the other. */
extern const char math_mlir[];
extern const size_t math_mlir_length;

#endif
