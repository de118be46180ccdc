/* A map from strings to small integers: open addressing, linear probing, at most half full. */
#include "import/map.h"
#include <string.h>
#include "base/text.h"

struct MapSlot {
    const char *key;
    uint64_t hash;
    int value;
};

Map map_new(Arena *arena) {
    return (Map){.arena = arena};
}

static uint64_t hash_of(const char *key) {
    return hash_bytes(HASH_SEED, key, strlen(key));
}

/* The slot that holds the key, or the empty one where it belongs. */
static struct MapSlot *slot_of(const Map *map, const char *key, uint64_t hash) {
    size_t at = (size_t)hash & (map->capacity - 1);
    while (map->slots[at].key &&
           (map->slots[at].hash != hash || strcmp(map->slots[at].key, key) != 0)) {
        at = (at + 1) & (map->capacity - 1);
    }
    return &map->slots[at];
}

int map_find(const Map *map, const char *key) {
    if (!map->count) return -1;
    const struct MapSlot *slot = slot_of(map, key, hash_of(key));
    return slot->key ? slot->value : -1;
}

static void grow(Map *map) {
    Map larger = {.arena = map->arena, .capacity = map->capacity ? 2 * map->capacity : 64};
    larger.slots = arena_array(map->arena, larger.capacity, sizeof *larger.slots);
    for (size_t i = 0; i < map->capacity; i++) {
        const struct MapSlot *slot = &map->slots[i];
        if (slot->key) *slot_of(&larger, slot->key, slot->hash) = *slot;
    }
    map->slots = larger.slots;
    map->capacity = larger.capacity;
}

bool map_add(Map *map, const char *key, int value) {
    if (2 * (map->count + 1) > map->capacity) grow(map);
    uint64_t hash = hash_of(key);
    struct MapSlot *slot = slot_of(map, key, hash);
    if (slot->key) return false;
    *slot = (struct MapSlot){key, hash, value};
    map->count++;
    return true;
}
