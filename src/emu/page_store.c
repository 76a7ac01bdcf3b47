/* SPDX-License-Identifier: MIT */
#include "emu/page_store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/index.h"

enum { PAGE = SL_STORED_PAGE_BYTES, CHUNK_PAGES = 512 }; /* a chunk is a large page of the host */

struct sl_page_store {
    uint32_t pages, max_pages;
    SL_ARRAY(unsigned char *) chunks;
    SL_ARRAY(uint64_t) hashes; /* by number */
    sl_index index;
};

sl_page_store *sl_page_store_create(uint32_t max_pages)
{
    sl_page_store *store = calloc(1, sizeof *store);
    if (store)
        store->max_pages = max_pages;
    return store;
}

void sl_page_store_destroy(sl_page_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->chunks.count; i++)
        free(store->chunks.items[i]);
    sl_array_free(&store->chunks);
    sl_array_free(&store->hashes);
    sl_index_fini(&store->index);
    free(store);
}

const unsigned char *sl_page_store_at(const sl_page_store *store, uint32_t number)
{
    return store->chunks.items[number / CHUNK_PAGES] + (size_t)(number % CHUNK_PAGES) * PAGE;
}

static uint64_t hash_of_item(const void *items, uint32_t item)
{
    return ((const uint64_t *)items)[item];
}

static bool add_chunk(sl_page_store *store)
{
    if (!sl_array_reserve(&store->chunks, 1))
        return false;
    unsigned char *chunk = aligned_alloc((size_t)CHUNK_PAGES * PAGE, (size_t)CHUNK_PAGES * PAGE);
    if (!chunk)
        return false;
    madvise(chunk, (size_t)CHUNK_PAGES * PAGE, MADV_HUGEPAGE); /* only faster */
    store->chunks.items[store->chunks.count++] = chunk;
    return true;
}

bool sl_page_store_number(sl_page_store *store, const void *data, size_t bytes, uint32_t *number)
{
    unsigned char padded[PAGE];
    if (bytes < PAGE) {
        memcpy(padded, data, bytes);
        memset(padded + bytes, 0, PAGE - bytes);
        data = padded;
    }
    uint64_t hash = sl_hash64_bulk(data, PAGE);
    sl_index_for(&store->index, hash, at)
    {
        uint32_t item = sl_index_item(&store->index, at);
        if (store->hashes.items[item] != hash || memcmp(sl_page_store_at(store, item), data, PAGE) != 0)
            continue;
        *number = item;
        return true;
    }
    if (store->pages == store->max_pages || !sl_array_push(&store->hashes, hash))
        return false;
    bool good = (store->pages < store->chunks.count * CHUNK_PAGES || add_chunk(store)) &&
                sl_index_add(&store->index, hash, store->pages, hash_of_item, store->hashes.items);
    if (!good) {
        store->hashes.count--;
        return false;
    }
    *number = store->pages++;
    memcpy((unsigned char *)(uintptr_t)sl_page_store_at(store, *number), data, PAGE);
    return true;
}
