/* SPDX-License-Identifier: MIT */
#include "emu/repetition.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "emu/page_store.h"
#include "emu/warp.h"

enum {
    PAGE = SL_STORED_PAGE_BYTES,
    MAX_STORED_PAGES = 1 << 18, /* contents: 1 GiB */
    BYTES_PER_INSTRUCTION = 4,  /* that are touched, for each thread instruction: else looking is not worth while */
    LIKELY_INSTRUCTIONS = 8,    /* of a thread, before a launch has run */
    MAX_MISSES = 6,             /* after so many launches on new contents, only each 32nd is watched */
    MAX_GUESSES = 4,            /* first launches of a kernel, with other parameters, that are watched */
    MAX_TOUCHED = 64,           /* allocations, by a launch */
    MAX_ALLOCATIONS = 4096,     /* of a program */
    MAX_ENTRIES = 4096,
};

/* What has to be the same, besides memory. */
typedef struct key {
    const sl_emu_kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes, preferred_shared;
    bool has_preferred_shared;
    uint64_t stream;
} key;

/* What an allocation held when it was last looked at. */
typedef struct shadow {
    uint64_t base, bytes, serial;
    uint64_t version; /* of the allocation then; UINT64_MAX: of none */
    uint64_t blind;   /* launches whose writes are unknown, until then */
    sl_hash state;    /* of all pages: the sum of their hashes and places */
    sl_hash *page;    /* [pages] hash of each; 0: not looked at */
    size_t pages;
} shadow;

typedef struct entry {
    key key;
    void *params;
    uint64_t hash;
    bool learned, useless; /* it is known, or likely, what it touches; that cannot be watched */
    uint64_t generation;   /* of the heap when it was learned */
    uint64_t insts;        /* of threads */
    uint32_t misses, skip;
    uint32_t touched;
    uint64_t base[MAX_TOUCHED]; /* of the allocations, ascending */
} entry;

/* A page that a launch changes. */
typedef struct changed_page {
    uint32_t allocation; /* of those that the launch touches */
    uint32_t number;     /* of its new content, in the store */
    uint64_t page;
    sl_hash hash; /* of the new content */
} changed_page;

/* What one launch did to one state of what it touches. */
typedef struct change {
    sl_known_launch known;
    const entry *of; /* NULL: free */
    uint64_t used;
    sl_hash before;
    sl_hash after[MAX_TOUCHED]; /* of each allocation */
    SL_ARRAY(changed_page) pages;
} change;

struct sl_repetitions {
    sl_page_store *store;
    SL_ARRAY(shadow) shadows;
    SL_ARRAY(entry *) entries;
    sl_index index;
    change change[SL_REPEATABLE];
    uint64_t blind, clock;
    /* Of the launch that runs: */
    entry *entry;   /* NULL: nothing is learned of it */
    change *known;  /* NULL: it is not */
    bool watched;   /* `before` is what it touches */
    bool sees_more; /* its writes are unknown */
    sl_hash before;
    SL_ARRAY(changed_page) pages;
};

sl_repetitions *sl_repetitions_create(void)
{
    return calloc(1, sizeof(sl_repetitions));
}

static void drop_change(change *c)
{
    sl_array_free(&c->pages);
    c->of = NULL;
    c->used = 0;
}

static void forget_changes(sl_repetitions *r, const entry *e)
{
    for (uint32_t i = 0; i < SL_REPEATABLE; i++)
        if (r->change[i].of == e)
            drop_change(&r->change[i]);
}

static void forget_contents(sl_repetitions *r)
{
    for (uint32_t i = 0; i < SL_REPEATABLE; i++)
        drop_change(&r->change[i]);
    sl_page_store_destroy(r->store);
    r->store = NULL;
}

static void drop_shadow(sl_repetitions *r, size_t i)
{
    free(r->shadows.items[i].page);
    r->shadows.items[i] = r->shadows.items[--r->shadows.count];
}

void sl_repetitions_clear(sl_repetitions *r)
{
    if (!r)
        return;
    forget_contents(r);
    while (r->shadows.count)
        drop_shadow(r, r->shadows.count - 1);
    for (size_t i = 0; i < r->entries.count; i++) {
        free(r->entries.items[i]->params);
        free(r->entries.items[i]);
    }
    sl_array_free(&r->entries);
    sl_array_free(&r->shadows);
    sl_array_free(&r->pages);
    sl_index_fini(&r->index);
    memset(r, 0, sizeof *r);
}

void sl_repetitions_destroy(sl_repetitions *r)
{
    sl_repetitions_clear(r);
    free(r);
}

/* ---- memory ---- */

/* Where the contents of two pages differ, so do their hashes, but for one in 2^64 or less: products of 64 bits, each
 * word in two of them. Never 0. */
static sl_hash hash_page(const unsigned char *data)
{
    static const uint64_t salt[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                                     0xd6e8feb86659fd93u};
    sl_hash lane[4] = {salt[0], salt[1], salt[2], salt[3]};
    for (size_t at = 0; at < PAGE; at += 32) {
        uint64_t w[4];
        memcpy(w, data + at, sizeof w);
        for (int k = 0; k < 4; k++) {
            uint64_t high = (uint64_t)(lane[k] >> 64), low = (uint64_t)lane[k];
            lane[k] = (sl_hash)(w[k] ^ low ^ salt[k]) * ((w[(k + 1) & 3] + high) ^ salt[(k + 2) & 3]) + w[k];
        }
    }
    sl_hash hash = 1;
    for (int k = 0; k < 4; k++)
        hash = (hash ^ lane[k]) * (((sl_hash)salt[k] << 64) | salt[3 - k]) + (hash >> 67);
    return hash ? hash : 1;
}

static sl_hash place(sl_hash hash, size_t page)
{
    uint64_t n = sl_hash_mix(page + 1);
    return hash * (((sl_hash)n << 64) | sl_hash_mix(n) | 1);
}

static size_t page_bytes(const shadow *s, size_t page)
{
    size_t left = s->bytes - page * PAGE;
    return left < PAGE ? left : PAGE;
}

static shadow *find_shadow(sl_repetitions *r, const sl_alloc *alloc)
{
    for (size_t i = 0; i < r->shadows.count; i++)
        if (r->shadows.items[i].serial == alloc->serial)
            return &r->shadows.items[i];
    return NULL;
}

static shadow *add_shadow(sl_repetitions *r, const sl_heap *heap, const sl_alloc *alloc)
{
    for (size_t i = r->shadows.count; i-- > 0;) { /* those that were freed */
        const sl_alloc *at = sl_heap_find(heap, r->shadows.items[i].base);
        if (!at || at->serial != r->shadows.items[i].serial)
            drop_shadow(r, i);
    }
    size_t pages = (alloc->bytes + PAGE - 1) / PAGE;
    shadow s = {.base = alloc->base, .bytes = alloc->bytes, .serial = alloc->serial, .pages = pages};
    s.version = UINT64_MAX;
    if (!sl_array_reserve(&r->shadows, 1) || !(s.page = calloc(pages + 1, sizeof *s.page)))
        return NULL;
    r->shadows.items[r->shadows.count++] = s;
    return &r->shadows.items[r->shadows.count - 1];
}

/* Whether the host's own code cannot have written it, and nobody else has. */
static bool is_fresh(const sl_repetitions *r, const shadow *s, const sl_alloc *alloc)
{
    return alloc->kind == SL_ALLOC_DEVICE && s->version == alloc->version && s->blind == r->blind;
}

/* Finds out what an allocation holds, number `index` of those that a launch touches. `note`: which pages are new. NULL:
 * memory ran out. */
static shadow *look_at(sl_repetitions *r, const sl_heap *heap, const sl_alloc *alloc, uint32_t index, bool note)
{
    shadow *s = find_shadow(r, alloc);
    if (s && is_fresh(r, s, alloc))
        return s;
    if (!s && !(s = add_shadow(r, heap, alloc)))
        return NULL;
    const unsigned char *memory = sl_heap_host(heap, alloc->base);
    for (size_t i = 0; i < s->pages; i++) {
        unsigned char last[PAGE];
        const unsigned char *page = memory + i * PAGE;
        if (page_bytes(s, i) < PAGE) {
            memset(last, 0, sizeof last);
            page = memcpy(last, page, page_bytes(s, i));
        }
        sl_hash hash = hash_page(page);
        if (hash == s->page[i])
            continue;
        if (note && !sl_array_push(&r->pages, (changed_page){.allocation = index, .page = i, .hash = hash}))
            return NULL;
        s->state += place(hash, i) - (s->page[i] ? place(s->page[i], i) : 0);
        s->page[i] = hash;
    }
    s->version = alloc->version;
    s->blind = r->blind;
    return s;
}

/* Looks at all that a launch touches, in order of addresses. False: memory ran out. */
static bool look_at_touched(sl_repetitions *r, const sl_heap *heap, const entry *e, bool note, sl_hash *state)
{
    const sl_hash prime = ((sl_hash)1 << 88) | 0x13b;
    *state = 1;
    r->pages.count = 0;
    for (uint32_t i = 0; i < e->touched; i++) {
        const sl_alloc *alloc = sl_heap_find(heap, e->base[i]);
        const shadow *s = alloc ? look_at(r, heap, alloc, i, note) : NULL;
        if (!s)
            return false;
        *state = (*state ^ s->state) * prime + (*state >> 61);
    }
    return true;
}

/* ---- launches ---- */

/* Nothing was gained: the next few are not looked at. */
static void back_off(entry *e)
{
    e->misses += e->misses < MAX_MISSES;
    e->skip = (1u << (e->misses - 1)) - 1;
}

static bool is_eligible(const sl_emu_kernel *kernel, const sl_emu_launch *launch)
{
    const sl_code *code = &kernel->code;
    return !code->sees_more && !(code->specials_used >> SL_SLOT_GRIDID & 1) && !launch->cooperative &&
           !launch->has_parent;
}

static key key_of(const sl_emu_kernel *kernel, const sl_emu_launch *launch)
{
    key k;
    memset(&k, 0, sizeof k); /* the padding, too */
    k.kernel = kernel;
    memcpy(k.grid, launch->grid, sizeof k.grid);
    memcpy(k.block, launch->block, sizeof k.block);
    memcpy(k.cluster, launch->cluster, sizeof k.cluster);
    k.dynamic_shared_bytes = launch->dynamic_shared_bytes;
    k.preferred_shared = launch->preferred_shared;
    k.has_preferred_shared = launch->has_preferred_shared;
    k.stream = launch->stream;
    return k;
}

static uint64_t hash_of_entry(const void *items, uint32_t item)
{
    return ((entry *const *)items)[item]->hash;
}

/* NULL: memory ran out. */
static entry *find_or_add(sl_repetitions *r, const key *k, const void *params, size_t bytes, bool *is_new)
{
    *is_new = false;
    uint64_t hash = sl_hash64(k, sizeof *k) ^ sl_hash_mix(bytes ? sl_hash64(params, bytes) : 0);
    sl_index_for(&r->index, hash, at)
    {
        entry *e = r->entries.items[sl_index_item(&r->index, at)];
        if (e->hash == hash && !memcmp(&e->key, k, sizeof *k) && (!bytes || !memcmp(e->params, params, bytes)))
            return e;
    }
    if (r->entries.count == MAX_ENTRIES)
        sl_repetitions_clear(r);
    entry *e = calloc(1, sizeof *e);
    void *copy = malloc(bytes + 1);
    if (e && copy && sl_array_reserve(&r->entries, 1)) {
        *e = (entry){.key = *k, .params = copy, .hash = hash};
        if (bytes)
            memcpy(copy, params, bytes);
        r->entries.items[r->entries.count] = e;
        if (sl_index_add(&r->index, hash, (uint32_t)r->entries.count, hash_of_entry, r->entries.items)) {
            r->entries.count++;
            *is_new = true;
            return e;
        }
    }
    free(e);
    free(copy);
    return NULL;
}

/* A place for a change: a free one, or that which was not needed for the longest time. */
static change *make_room(sl_repetitions *r)
{
    change *oldest = &r->change[0];
    for (uint32_t i = 1; i < SL_REPEATABLE && oldest->of; i++)
        if (!r->change[i].of || r->change[i].used < oldest->used)
            oldest = &r->change[i];
    drop_change(oldest);
    return oldest;
}

/* What this launch did to what memory holds now. */
static change *find_change(sl_repetitions *r, const entry *e, sl_hash state)
{
    for (uint32_t i = 0; i < SL_REPEATABLE; i++)
        if (r->change[i].of == e && r->change[i].before == state)
            return &r->change[i];
    return NULL;
}

static bool is_watchable(const entry *e, const sl_heap *heap)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < e->touched; i++) {
        const sl_alloc *alloc = sl_heap_find(heap, e->base[i]);
        if (!alloc || alloc->mapped)
            return false;
        bytes += alloc->bytes;
    }
    return bytes / BYTES_PER_INSTRUCTION <= e->insts;
}

/* Before a launch has run for the first time: what its parameters point to is what it touches, mostly. */
static void guess(const sl_repetitions *r, entry *e, const sl_heap *heap, size_t param_bytes)
{
    uint64_t base[MAX_TOUCHED], pointer;
    uint32_t count = 0, like = 0;
    for (size_t i = 0; i < r->entries.count && like <= MAX_GUESSES; i++)
        like += r->entries.items[i]->key.kernel == e->key.kernel;
    for (size_t at = 0; at + 8 <= param_bytes && like <= MAX_GUESSES; at += 8) {
        memcpy(&pointer, (const char *)e->params + at, 8);
        const sl_alloc *alloc = sl_heap_find(heap, pointer);
        if (!alloc || alloc->kind == SL_ALLOC_INTERNAL)
            continue;
        uint32_t i = count;
        while (i && base[i - 1] >= alloc->base)
            i--;
        if (i < count && base[i] == alloc->base)
            continue;
        if (count == MAX_TOUCHED)
            return;
        memmove(&base[i + 1], &base[i], (count - i) * sizeof *base);
        base[i] = alloc->base;
        count++;
    }
    const uint64_t threads = (uint64_t)e->key.grid[0] * e->key.grid[1] * e->key.grid[2] * e->key.block[0] *
                             e->key.block[1] * e->key.block[2];
    e->insts = threads * LIKELY_INSTRUCTIONS;
    e->touched = count;
    memcpy(e->base, base, count * sizeof *base);
    e->learned = count && is_watchable(e, heap);
    e->generation = sl_heap_generation(heap);
}

sl_repetition sl_repetitions_look(sl_repetitions *r, const sl_heap *heap, const sl_emu_kernel *kernel,
                                  const sl_emu_launch *launch, sl_known_launch **known)
{
    *known = NULL;
    if (!r)
        return SL_LAUNCH_UNWATCHED;
    r->known = NULL;
    r->entry = NULL;
    r->watched = false;
    r->sees_more = kernel->code.sees_more || sl_heap_count(heap) > MAX_ALLOCATIONS;
    if (r->sees_more || !is_eligible(kernel, launch))
        return SL_LAUNCH_UNWATCHED;
    const key k = key_of(kernel, launch);
    bool is_new;
    const size_t bytes = kernel->func->param_bytes;
    entry *e = r->entry = find_or_add(r, &k, launch->params, bytes, &is_new);
    if (e && is_new)
        guess(r, e, heap, bytes);
    if (!e || !e->learned)
        return SL_LAUNCH_UNWATCHED;
    if (e->generation != sl_heap_generation(heap)) { /* what addresses mean may have changed */
        forget_changes(r, e);
        e->generation = sl_heap_generation(heap);
        e->useless = !is_watchable(e, heap);
    }
    if (e->useless)
        return SL_LAUNCH_UNWATCHED;
    if (e->skip) {
        e->skip--;
        return SL_LAUNCH_UNWATCHED;
    }
    r->watched = look_at_touched(r, heap, e, false, &r->before);
    r->known = r->watched ? find_change(r, e, r->before) : NULL;
    if (r->known)
        *known = &r->known->known;
    return r->known ? SL_LAUNCH_KNOWN : r->watched ? SL_LAUNCH_WATCHED : SL_LAUNCH_UNWATCHED;
}

void sl_repetitions_apply(sl_repetitions *r, const sl_heap *heap)
{
    change *c = r->known;
    shadow *s = NULL;
    uint32_t of = 0;
    for (size_t i = 0; i < c->pages.count; i++) {
        const changed_page *p = &c->pages.items[i];
        if (!s || p->allocation != of)
            s = find_shadow(r, sl_heap_find(heap, c->of->base[of = p->allocation]));
        if (s->page[p->page] == p->hash)
            continue; /* it has that content: it was just looked at */
        const unsigned char *content = sl_page_store_at(r->store, p->number);
        memcpy((char *)sl_heap_host(heap, s->base) + p->page * PAGE, content, page_bytes(s, p->page));
        s->page[p->page] = p->hash;
    }
    for (uint32_t i = 0; c->pages.count && i < c->of->touched; i++)
        find_shadow(r, sl_heap_find(heap, c->of->base[i]))->state = c->after[i];
    c->used = ++r->clock;
    r->entry->misses = 0;
}

/* Notes what a launch touches, besides what it touched before on other contents. False: it is known. */
static bool learn(sl_repetitions *r, entry *e, const sl_heap *heap, const sl_alloc *const *touched, size_t count)
{
    uint64_t base[2 * MAX_TOUCHED];
    uint32_t total = 0;
    bool again = e->learned && e->generation == sl_heap_generation(heap);
    for (uint32_t i = 0, k = 0, known = again ? e->touched : 0; i < count || k < known;) {
        bool mine = k < known && (i == count || e->base[k] <= touched[i]->base);
        bool its = i < count && (!mine || e->base[k] == touched[i]->base);
        base[total++] = mine ? e->base[k] : touched[i]->base;
        k += mine;
        i += its;
    }
    if (again && total == e->touched)
        return false;
    forget_changes(r, e);
    e->learned = true;
    e->generation = sl_heap_generation(heap);
    e->useless = total > MAX_TOUCHED;
    e->touched = e->useless ? 0 : total;
    memcpy(e->base, base, e->touched * sizeof *base);
    e->useless |= !is_watchable(e, heap);
    return true;
}

/* Keeps what the pages hold that the launch has changed. False: there is no room. */
static bool keep_contents(sl_repetitions *r, const sl_heap *heap, const entry *e)
{
    if (!r->store && r->pages.count && !(r->store = sl_page_store_create(MAX_STORED_PAGES)))
        return false;
    for (size_t i = 0; i < r->pages.count; i++) {
        changed_page *p = &r->pages.items[i];
        const shadow *s = find_shadow(r, sl_heap_find(heap, e->base[p->allocation]));
        const char *page = (const char *)sl_heap_host(heap, s->base) + p->page * PAGE;
        if (!sl_page_store_number(r->store, page, page_bytes(s, p->page), &p->number))
            return false;
    }
    return true;
}

/* The launch is known from now on. */
static sl_known_launch *complete(sl_repetitions *r, const sl_heap *heap, const sl_launch_stats *stats, uint64_t cycles)
{
    sl_hash after;
    entry *e = r->entry;
    if (!look_at_touched(r, heap, e, true, &after))
        return NULL;
    if (r->pages.count)
        back_off(e);
    else
        e->misses = 0;
    if (r->pages.count > MAX_STORED_PAGES / 2)
        return NULL; /* the next one may change less */
    if (!keep_contents(r, heap, e)) {
        forget_contents(r);
        return NULL;
    }
    change *c = r->known ? r->known : make_room(r);
    c->pages.count = 0;
    if (!sl_array_reserve(&c->pages, r->pages.count))
        return NULL;
    if (r->pages.count)
        memcpy(c->pages.items, r->pages.items, r->pages.count * sizeof *c->pages.items);
    c->pages.count = r->pages.count;
    for (uint32_t i = 0; i < e->touched; i++)
        c->after[i] = find_shadow(r, sl_heap_find(heap, e->base[i]))->state;
    c->of = e;
    c->before = r->before;
    c->used = ++r->clock;
    c->known = (sl_known_launch){.number = (uint32_t)(c - r->change), .stats = *stats, .cycles = cycles};
    return &c->known;
}

sl_known_launch *sl_repetitions_ran(sl_repetitions *r, sl_heap *heap, bool good, bool lapsed,
                                    const sl_launch_stats *stats, uint64_t cycles)
{
    const sl_alloc *touched[MAX_TOUCHED];
    if (!r)
        return NULL;
    if (r->sees_more || !good || lapsed) {
        r->blind++;
        return NULL;
    }
    size_t count = sl_heap_take_touched(heap, touched, MAX_TOUCHED);
    entry *e = r->entry;
    if (!e)
        return NULL;
    size_t known = 0; /* parameters are no memory of the program */
    for (size_t i = 0; i < count && i < MAX_TOUCHED; i++)
        if (touched[i]->kind != SL_ALLOC_INTERNAL)
            touched[known++] = touched[i];
    e->insts = stats->thread_insts;
    if (count > MAX_TOUCHED) {
        e->learned = e->useless = true;
        e->generation = sl_heap_generation(heap);
        return NULL;
    }
    if (learn(r, e, heap, touched, known) || !r->watched)
        return NULL;
    return complete(r, heap, stats, cycles);
}
