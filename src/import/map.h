/* A map from strings to small integers: names of values, entries, operations. */
#ifndef TEPAL_IMPORT_MAP_H
#define TEPAL_IMPORT_MAP_H

#include <stdbool.h>
#include "base/arena.h"

typedef struct Map {
    Arena *arena;
    struct MapSlot *slots;
    size_t capacity, count;
} Map;

Map map_new(Arena *arena);
/* The value of a key, or -1. */
int map_find(const Map *map, const char *key);
/* Adds a key, which stays the caller's. False if it is there already. */
bool map_add(Map *map, const char *key, int value);

#endif
