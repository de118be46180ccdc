/* State: buffers that a model changes, and keeps from one run to the next.
 *
 * Each becomes an argument and a result of the function, both with the attribute tepal.state. One
 * more state, `valid`, says whether there was a run since the last reset, which makes it 0: the
 * buffers have their stored contents until then. */
#ifndef TEPAL_IMPORT_STATES_H
#define TEPAL_IMPORT_STATES_H

#include "import/call.h"

/* Fills import->is_state. */
void states_find(Import *import);
/* After all other inputs: adds the arguments, and gives the buffers their values. */
bool states_add(Import *import, MlirBlock block);
/* After all nodes: what the next run will find. */
MlirValue state_next(Import *import, const State *state);

/* What forward.c offers to it: is the type one that can be compiled (else a message); and the
 * stored contents of an input, which become its value. */
bool forward_check(Import *import, const char *name, const TensorType *type);
bool forward_load(Import *import, const GraphInput *input);

#endif
