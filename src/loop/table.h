/* A map from pointers to numbers, in an arena. */
#ifndef TEPAL_LOOP_TABLE_H
#define TEPAL_LOOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

typedef struct TableEntry {
    const void *key; /* NULL: free */
    int64_t value;
} TableEntry;

typedef struct Table {
    TableEntry *entries;
    int count, capacity; /* a power of two */
} Table;

/* Keys are not NULL. A second put replaces the value. */
void table_put(Arena *arena, Table *table, const void *key, int64_t value);
/* False if the key is not there. */
bool table_get(const Table *table, const void *key, int64_t *value);
/* Forgets all entries, but keeps the room. */
void table_clear(Table *table);

#endif
