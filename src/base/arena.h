/* Memory of one compilation.
 *
 * Everything that a compilation builds lives in one arena and goes away with it: no free() inside
 * passes. Blocks are zeroed and aligned for any type. When the system has no memory left the
 * process ends with status 70 and a message: there is nothing that a pass could do about it.
 * Sizes that come from a file are checked against a limit before they are taken from here. */
#ifndef TEPAL_BASE_ARENA_H
#define TEPAL_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena);

/* `size` zeroed bytes. Never NULL. */
void *arena_alloc(Arena *arena, size_t size);

/* `count` zeroed items of `size` bytes; the product is checked for overflow. */
void *arena_array(Arena *arena, size_t count, size_t size);

/* One zeroed object of a type. */
#define arena_new_of(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))

/* Copies of a string, of its first `length` bytes, and of a block. */
char *arena_string(Arena *arena, const char *text);
char *arena_string_of(Arena *arena, const char *text, size_t length);
void *arena_copy(Arena *arena, const void *bytes, size_t size);

/* Bytes handed out so far. */
size_t arena_used(const Arena *arena);

#endif
