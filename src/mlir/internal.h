/* Shared by the files of this folder only: our passes and the pieces of parsing. */
#ifndef TEPAL_MLIR_INTERNAL_H
#define TEPAL_MLIR_INTERNAL_H

#include "mlir/lower.h"

/* Runs upstream passes, given without the "builtin.module(...)" around them. */
bool session_run_elements(Session *session, MlirModule module, const char *elements);

/* Makes dense_resource attributes, whose bytes the C API does not show, into dense elements. `text`
 * is what the module was parsed from; `path` is for messages. */
bool resources_to_elements(Session *session, MlirModule module, const char *path, const char *text);

/* Our passes; each is described in its file. */
bool pass_total(Session *session, MlirModule module, const char *options);
bool pass_generalize(Session *session, MlirModule module, const char *options);
bool pass_math(Session *session, MlirModule module, const char *options);
bool pass_concat(Session *session, MlirModule module, const char *options);
bool pass_pin(Session *session, MlirModule module, const char *options);
bool pass_unpin(Session *session, MlirModule module, const char *options);
bool pass_pad(Session *session, MlirModule module, const char *options);
bool pass_copies(Session *session, MlirModule module, const char *options);
bool pass_views(Session *session, MlirModule module, const char *options);
bool pass_hoist(Session *session, MlirModule module, const char *options);
bool pass_outputs(Session *session, MlirModule module, const char *options);
bool pass_split(Session *session, MlirModule module, const char *options);
bool pass_raise(Session *session, MlirModule module, const char *options);

/* Runs one of our passes and the verifier. */
bool pass_run(Session *session, MlirModule module, const ModulePass *pass, const char *options);

/* Part of pass_total: zeros for memory that may be read before it is written. */
bool total_memory(Session *session, MlirModule module);
/* False for an operation that pass_total has to expand. */
bool op_is_total(MlirOperation op);

/* The text of math.mlir. */
extern const char math_mlir[];
extern const size_t math_mlir_length;

#endif
