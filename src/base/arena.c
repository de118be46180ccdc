/* Memory of one compilation: zeroed blocks cut from large chunks that are freed together. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostic.h"
#include "base/process.h"

typedef struct Chunk {
    struct Chunk *next;
    size_t used, size; /* of `bytes` */
    alignas(max_align_t) char bytes[];
} Chunk;

struct Arena {
    Chunk *chunks; /* the first one is the one being filled */
    size_t used;
};

enum {
    ALIGNMENT = alignof(max_align_t),
    CHUNK_SIZE = 1 << 20,
    LARGE_SIZE = CHUNK_SIZE / 4 /* a block of this size or more gets a chunk of its own */
};

/* There is no way on without memory: says so, removes what is half-written, and ends. */
static _Noreturn void out_of_memory(size_t size) {
    fprintf(stderr, "tepal: error: out of memory (%zu bytes wanted)\n", size);
    cleanup_now();
    _Exit(STATUS_TOOL);
}

/* calloc rather than malloc: large chunks come from the system as zero pages that cost nothing
 * until they are touched. */
static Chunk *chunk_new(size_t size) {
    if (size > SIZE_MAX - sizeof(Chunk)) out_of_memory(size);
    Chunk *chunk = calloc(1, sizeof(Chunk) + size);
    if (!chunk) out_of_memory(size);
    chunk->size = size;
    return chunk;
}

Arena *arena_new(void) {
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena) out_of_memory(sizeof *arena);
    return arena;
}

void arena_free(Arena *arena) {
    if (!arena) return;
    for (Chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

static void *alloc_large(Arena *arena, size_t size) {
    Chunk *chunk = chunk_new(size);
    chunk->used = size;
    if (arena->chunks) { /* behind the first chunk, which still has room */
        chunk->next = arena->chunks->next;
        arena->chunks->next = chunk;
    } else {
        arena->chunks = chunk;
    }
    return chunk->bytes;
}

void *arena_alloc(Arena *arena, size_t size) {
    if (size == 0) size = 1;
    if (size > SIZE_MAX - ALIGNMENT) out_of_memory(size);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    arena->used += size;
    if (size >= LARGE_SIZE) return alloc_large(arena, size);
    Chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = chunk_new(CHUNK_SIZE);
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *block = chunk->bytes + chunk->used;
    chunk->used += size;
    return block;
}

void *arena_array(Arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) out_of_memory(SIZE_MAX);
    return arena_alloc(arena, count * size);
}

char *arena_string(Arena *arena, const char *text) {
    return arena_string_of(arena, text, strlen(text));
}

char *arena_string_of(Arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) out_of_memory(length);
    char *copy = arena_alloc(arena, length + 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

void *arena_copy(Arena *arena, const void *bytes, size_t size) {
    void *copy = arena_alloc(arena, size);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

size_t arena_used(const Arena *arena) {
    return arena->used;
}
