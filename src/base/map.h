/* SPDX-License-Identifier: MIT */
/* Hash map from strings to pointers. Keys are borrowed: the caller keeps them alive. Iteration is by insertion order,
 * so that output made from a map is deterministic. */
#ifndef SL_BASE_MAP_H
#define SL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"

typedef struct sl_map_entry {
    const char *key;
    uint32_t length;
    uint64_t hash;
    void *value;
} sl_map_entry;

typedef struct sl_map {
    sl_map_entry *entries; /* in insertion order */
    size_t count, capacity;
    sl_index index;
} sl_map;

void sl_map_init(sl_map *map);
void sl_map_fini(sl_map *map);
/* Inserts or replaces; false when memory runs out. */
bool sl_map_put(sl_map *map, const char *key, size_t length, void *value);
/* NULL when absent. */
void *sl_map_get(const sl_map *map, const char *key, size_t length);

#endif
