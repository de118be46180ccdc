/* What took long to make and will be needed again: compiled simulators.
 *
 * The cache is a folder of entries: $TEPAL_CACHE, else $XDG_CACHE_HOME/tepal, else ~/.cache/tepal.
 * An entry is a folder KIND-KEY, where the key is a hash of all that went into it, so entries
 * never become wrong. It is made under another name and renamed when it is whole: processes
 * that make the same entry at once do not meet. When all entries take more than $TEPAL_CACHE_LIMIT
 * MiB (2048 by default), those that were used longest ago go, but none of the last ten minutes. */
#ifndef TEPAL_SIMULATE_CACHE_H
#define TEPAL_SIMULATE_CACHE_H

#include "base/diagnostic.h"
#include "base/text.h"

/* A hash that grows piece by piece. Pieces are kept apart: ("ab", "c") is not ("a", "bc"). */
typedef struct CacheKey {
    uint64_t halves[2];
} CacheKey;

CacheKey key_new(void);
void key_add(CacheKey *key, const void *bytes, size_t length);
void key_add_string(CacheKey *key, const char *string);

/* Makes the cache's folder if need be and returns its path, or NULL with a diagnostic that says how
 * to choose another one. */
const char *cache_folder(Arena *arena, Diagnostics *diagnostics);

/* The path of an entry, whether it exists or not. */
char *cache_entry(Arena *arena, const char *cache, const char *kind, CacheKey key);

/* True if the entry exists; it then counts as just used. One that lacks a file, or has one of
 * another size than was written, is removed. */
bool cache_has(Arena *arena, const char *entry);

/* Makes an empty folder in which an entry can be made. It is removed if the process is cut short.
 */
bool cache_begin(Arena *arena, Diagnostics *diagnostics, const char *cache, char **folder);
/* Turns that folder into the entry; if it exists by now, that one stays. Old entries make room. */
bool cache_finish(Arena *arena, Diagnostics *diagnostics, const char *cache, const char *folder,
                  const char *entry);
/* Gives that folder up. */
void cache_abandon(const char *folder);

#endif
