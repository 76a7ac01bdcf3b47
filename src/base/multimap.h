/* SPDX-License-Identifier: MIT */
/* Hash map from strings to several items, which the caller keeps in an array: the first that is added is item 0, the
 * next is item 1. Items of one key are visited in the order they were added. Keys are borrowed. A zeroed map is empty.
 */
#ifndef SL_BASE_MULTIMAP_H
#define SL_BASE_MULTIMAP_H

#include <string.h>

#include "base/array.h"
#include "base/map.h"

typedef struct sl_multimap {
    sl_map first; /* key -> item + 1 */
    SL_ARRAY(struct sl_multimap_link {
        uint32_t next; /* item + 1; 0: none */
        uint32_t last; /* of the first of a key: its last */
    })
    links;
} sl_multimap;

static inline void sl_multimap_fini(sl_multimap *map)
{
    sl_map_fini(&map->first);
    sl_array_free(&map->links);
}

/* Item + 1; 0: none. */
static inline uint32_t sl_multimap_first(const sl_multimap *map, const char *key)
{
    return (uint32_t)(uintptr_t)sl_map_get(&map->first, key, strlen(key));
}

/* Visits the items of a key. */
#define sl_multimap_for(map, key, item)                                                                                \
    for (uint32_t item##_plus = sl_multimap_first(map, key), item = item##_plus - 1; item##_plus;                      \
         item##_plus = (map)->links.items[item].next, item = item##_plus - 1)

/* False when memory runs out. */
static inline bool sl_multimap_add(sl_multimap *map, const char *key)
{
    uint32_t added = (uint32_t)map->links.count, first = sl_multimap_first(map, key);
    struct sl_multimap_link link = {.last = added};
    if (!sl_array_push(&map->links, link))
        return false;
    if (!first) {
        if (sl_map_put(&map->first, key, strlen(key), (void *)(uintptr_t)(added + 1)))
            return true;
        map->links.count--;
        return false;
    }
    struct sl_multimap_link *links = map->links.items;
    links[links[first - 1].last].next = added + 1;
    links[first - 1].last = added;
    return true;
}

#endif
