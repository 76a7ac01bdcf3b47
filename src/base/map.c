/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static uint32_t hash_key(const char *key, size_t length)
{
    uint64_t hash = sl_hash64(key, length);
    return (uint32_t)(hash ^ hash >> 32);
}

void sl_map_init(sl_map *map)
{
    *map = (sl_map){0};
}

void sl_map_fini(sl_map *map)
{
    free(map->entries);
    free(map->slots);
    *map = (sl_map){0};
}

/* The slot that holds the key, or the free slot where it belongs. */
static size_t find_slot(const sl_map *map, const char *key, size_t length, uint32_t hash)
{
    size_t mask = map->slot_count - 1;
    for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
        if (!map->slots[slot])
            return slot;
        const sl_map_entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->hash == hash && entry->length == length && !memcmp(entry->key, key, length))
            return slot;
    }
}

static bool grow(sl_map *map)
{
    size_t slot_count = map->slot_count ? map->slot_count * 2 : 16;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    sl_map_entry *entries = realloc(map->entries, slot_count / 2 * sizeof *entries);
    if (entries)
        map->entries = entries;
    if (!slots || !entries) {
        free(slots);
        return false;
    }
    free(map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    map->capacity = slot_count / 2;
    for (size_t i = 0; i < map->count; i++) {
        const sl_map_entry *entry = &map->entries[i];
        slots[find_slot(map, entry->key, entry->length, entry->hash)] = (uint32_t)i + 1;
    }
    return true;
}

bool sl_map_put(sl_map *map, const char *key, size_t length, void *value)
{
    if (map->count == map->capacity && !grow(map))
        return false;
    uint32_t hash = hash_key(key, length);
    size_t slot = find_slot(map, key, length, hash);
    if (!map->slots[slot]) {
        map->entries[map->count] = (sl_map_entry){key, (uint32_t)length, hash, NULL};
        map->slots[slot] = (uint32_t)++map->count;
    }
    map->entries[map->slots[slot] - 1].value = value;
    return true;
}

void *sl_map_get(const sl_map *map, const char *key, size_t length)
{
    if (!map->slot_count)
        return NULL;
    size_t slot = find_slot(map, key, length, hash_key(key, length));
    return map->slots[slot] ? map->entries[map->slots[slot] - 1].value : NULL;
}
