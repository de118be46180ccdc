/* A map from pointers to numbers: open addressing, linear probing. */
#include "loop/table.h"

#include <string.h>

static int slot_of(const Table *table, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    int slot = (int)(hash >> 33) & (table->capacity - 1);
    while (table->entries[slot].key && table->entries[slot].key != key)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static void grow(Arena *arena, Table *table) {
    Table larger = {.capacity = table->capacity ? 2 * table->capacity : 32};
    larger.entries = arena_array(arena, (size_t)larger.capacity, sizeof *larger.entries);
    for (int i = 0; i < table->capacity; i++)
        if (table->entries[i].key)
            larger.entries[slot_of(&larger, table->entries[i].key)] = table->entries[i];
    larger.count = table->count;
    *table = larger;
}

void table_put(Arena *arena, Table *table, const void *key, int64_t value) {
    if (4 * (table->count + 1) > 3 * table->capacity) grow(arena, table);
    TableEntry *entry = &table->entries[slot_of(table, key)];
    if (!entry->key) table->count++;
    *entry = (TableEntry){key, value};
}

bool table_get(const Table *table, const void *key, int64_t *value) {
    if (table->capacity == 0) return false;
    const TableEntry *entry = &table->entries[slot_of(table, key)];
    if (!entry->key) return false;
    *value = entry->value;
    return true;
}

void table_clear(Table *table) {
    if (table->count == 0) return;
    memset(table->entries, 0, (size_t)table->capacity * sizeof *table->entries);
    table->count = 0;
}
