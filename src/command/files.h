/* The files of a built design that do not follow from its netlist, and how the text of a Calyx
 * program or a netlist carries them, so that the road can begin at that text. */
#ifndef TEPAL_COMMAND_FILES_H
#define TEPAL_COMMAND_FILES_H

#include "command/compile.h"

/* interface.json, report.json, NAME.linalg.mlir and the images of memories (*.hex): of this
 * compilation, or, if it began at a text, those that the text carried. */
DesignFiles design_files(Compilation *compilation);

/* A whole module in MLIR's generic form at the stage calyx or hw, with the files as its attribute
 * tepal.files. */
void files_print_generic(Compilation *compilation, Stage stage, Text *text);

/* Begins a compilation at a module that circt_dialect knows: compilation->first is its stage.
 * False, with diagnostics, if the module is faulty. */
bool files_begin(Compilation *compilation, MlirModule module);

#endif
