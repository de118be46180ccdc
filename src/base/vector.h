/* A growable array in an arena.
 *
 *     Vector(int) numbers = {0};
 *     vector_push(arena, &numbers, 3);
 *     for (int i = 0; i < numbers.count; i++) use(numbers.items[i]);
 *
 * Growth moves the items, so keep indices, not pointers to items, across a push. */
#ifndef TEPAL_BASE_VECTOR_H
#define TEPAL_BASE_VECTOR_H

#include "base/arena.h"

#define Vector(Type)                                                                               \
    struct {                                                                                       \
        Type *items;                                                                               \
        int count, capacity;                                                                       \
    }

#define vector_push(arena, vector, ...)                                                            \
    ((vector)->items = vector_room((arena), (vector)->items, (vector)->count, &(vector)->capacity, \
                                   sizeof *(vector)->items),                                       \
     (vector)->items[(vector)->count++] = (__VA_ARGS__))

/* Room for one item more; used by vector_push. */
void *vector_room(Arena *arena, void *items, int count, int *capacity, size_t item_size);

#endif
