/* Growth of the arrays of vector.h. */
#include "base/vector.h"

#include <limits.h>
#include <string.h>

void *vector_room(Arena *arena, void *items, int count, int *capacity, size_t item_size) {
    if (count < *capacity) return items;
    /* At the limit of int the arena's own overflow check ends the process. */
    size_t wanted = count == INT_MAX      ? (size_t)-1
                    : count > INT_MAX / 2 ? (size_t)INT_MAX
                    : count < 4           ? 8
                                          : (size_t)count * 2;
    void *moved = arena_array(arena, wanted, item_size);
    if (count) memcpy(moved, items, (size_t)count * item_size);
    *capacity = (int)wanted;
    return moved;
}
