/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include "base/array.h"

void sl_map_init(sl_map *map)
{
    *map = (sl_map){0};
}

void sl_map_fini(sl_map *map)
{
    free(map->entries);
    sl_index_fini(&map->index);
    *map = (sl_map){0};
}

static uint64_t hash_of(const void *entries, uint32_t entry)
{
    return ((const sl_map_entry *)entries)[entry].hash;
}

static sl_map_entry *find(const sl_map *map, const char *key, size_t length, uint64_t hash)
{
    sl_index_for(&map->index, hash, at)
    {
        sl_map_entry *entry = &map->entries[sl_index_item(&map->index, at)];
        if (entry->hash == hash && entry->length == length && !memcmp(entry->key, key, length))
            return entry;
    }
    return NULL;
}

bool sl_map_put(sl_map *map, const char *key, size_t length, void *value)
{
    uint64_t hash = sl_hash64(key, length);
    sl_map_entry *entry = find(map, key, length, hash);
    if (entry) {
        entry->value = value;
        return true;
    }
    if (!sl_array_grow((void **)&map->entries, &map->capacity, map->count + 1, sizeof *map->entries))
        return false;
    map->entries[map->count] = (sl_map_entry){key, (uint32_t)length, hash, value};
    if (!sl_index_add(&map->index, hash, (uint32_t)map->count, hash_of, map->entries))
        return false;
    map->count++;
    return true;
}

void *sl_map_get(const sl_map *map, const char *key, size_t length)
{
    const sl_map_entry *entry = find(map, key, length, sl_hash64(key, length));
    return entry ? entry->value : NULL;
}
