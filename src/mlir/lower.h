/* linalg on tensors -> affine loops on memrefs: upstream passes and our own, as one pipeline. */
#ifndef TEPAL_MLIR_LOWER_H
#define TEPAL_MLIR_LOWER_H

#include "mlir/session.h"

/* Our passes on MLIR, by the names that `tepal opt` knows them by. */
typedef struct ModulePass {
    const char *name;        /* as on the command line of mlir-opt, e.g. "tepal-total" */
    const char *description; /* one line for --help */
    /* Transforms the module; `options` is the text between the braces, "" if none. */
    bool (*run)(Session *session, MlirModule module, const char *options);
} ModulePass;

extern const ModulePass mlir_passes[];
extern const int mlir_pass_count;
const ModulePass *mlir_pass_find(const char *name);

/* Runs a pipeline text that may hold our names beside upstream ones. */
bool pipeline_run(Session *session, MlirModule module, const char *pipeline);

/* --- the text of pipelines --- */

typedef Vector(const char *) PipelineElements; /* "cse", "inline{a=b}", "func.func(cse)" */

/* The elements of a pipeline, with or without "builtin.module(...)" around it. Where one that is
 * nested, "func.func(a,b)", holds a pass for which is_own is true, it becomes several: own passes
 * stand alone. */
PipelineElements pipeline_split(Arena *arena, const char *pipeline,
                                bool (*is_own)(const char *name));
/* Splits "name{options}"; the options are "" if there are none. */
void pipeline_element(Arena *arena, const char *element, char **name, char **options);

/* Makes the stage `linalg` of an imported module: operations made total, math expanded. This is
 * what `--emit=linalg` prints and what the reference runs, so that both sides of the road compute
 * the same formula. */
bool lower_to_total(Session *session, Model *model);

/* linalg -> affine. Afterwards the module has one function, model->entry, public, whose arguments
 * are memrefs with static shapes and identity layout: first the inputs, then one per result (in
 * order, each with its own memory); it returns nothing; arguments carry tepal.name, and
 * tepal.output on those of results. Its body holds, beside affine.for / affine.if / scf.for /
 * scf.if / scf.while: memref.alloc (at the top of the function), memref.get_global of constant
 * globals, affine and memref loads and stores, arith operations on scalars, math.sqrt and
 * math.absf. No view, copy, call, tensor or linalg operation. affine.for counts from 0 by 1 and has
 * no results; affine.if and scf.if may have scalar results. */
bool lower_to_affine(Session *session, Model *model);

/* Verifies that contract; each fault is reported. lower_to_affine ends with it. */
bool affine_check(Session *session, const Model *model);

#endif
