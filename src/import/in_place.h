/* Operations that write to the memory of their first argument. The graph here has values, not
 * memory: what others see of that memory gets new values. */
#ifndef TEPAL_IMPORT_IN_PLACE_H
#define TEPAL_IMPORT_IN_PLACE_H

#include "import/call.h"

/* Is this result of a node a view of its first argument's memory? */
bool find_view(const Import *import, int node_index, int output, View *view);

/* The value `target` has just been replaced by a write at the call's node. So is then what it is a
 * view of, and all other views of that. False with a message if it cannot be told what they are. */
bool write_through(Call *call, int node_index, int target);

#endif
