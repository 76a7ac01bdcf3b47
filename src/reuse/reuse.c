/* SPDX-License-Identifier: MIT */
/* Each access has a distinct time, and each key has one bit: that of the time of its last access. The distance is the
 * number of bits set behind the key's bit.
 *
 * Bits are counted by words: those of the word that is being filled and of its neighbors one by one, those of all
 * others with a Fenwick tree over words. A word joins the tree when it is full, so that an access changes the tree only
 * where its key's old bit was. When all times are used up the keys are renumbered from 0 in the order of their
 * accesses; where they take more than half of the times, there are twice as many then.
 *
 * A removed key becomes a hole. An access of a key older than the newest hole fills that hole, and the key's old time
 * becomes the hole instead. */
#include "reuse/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum {
    FIRST_SLOTS_LOG2 = 8,
    FIRST_WORDS = 8,
    MAX_WORDS = 1 << 25,
    NEAR_WORDS = 8, /* counting this many is cheaper than asking the tree */
};

typedef struct slot {
    uint64_t key;
    uint32_t time; /* of its last access, + 1; 0: the slot is free; REMOVED */
    uint32_t id;
} slot;

#define REMOVED UINT32_MAX

struct sl_reuse {
    slot *slots;
    unsigned slots_log2;
    uint32_t words;
    uint32_t now;             /* the next time */
    uint64_t *live;           /* [words]: bit per time, set where it is some key's last access */
    uint32_t *tree;           /* [words + 1]: Fenwick tree over the live bits of full words, from index 1 */
    uint32_t keys, bits;      /* bits: set in `live` */
    SL_ARRAY(uint32_t) empty; /* heap of the times of holes, latest first */
    bool failed;
};

sl_reuse *sl_reuse_create(void)
{
    sl_reuse *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->slots_log2 = FIRST_SLOTS_LOG2;
    r->words = FIRST_WORDS;
    r->slots = calloc((size_t)1 << FIRST_SLOTS_LOG2, sizeof *r->slots);
    r->live = calloc(FIRST_WORDS, sizeof *r->live);
    r->tree = calloc(FIRST_WORDS + 1, sizeof *r->tree);
    if (!r->slots || !r->live || !r->tree) {
        sl_reuse_destroy(r);
        return NULL;
    }
    return r;
}

void sl_reuse_destroy(sl_reuse *r)
{
    if (!r)
        return;
    free(r->slots);
    free(r->live);
    free(r->tree);
    sl_array_free(&r->empty);
    free(r);
}

void sl_reuse_reset(sl_reuse *r)
{
    memset(r->slots, 0, sizeof *r->slots << r->slots_log2);
    memset(r->live, 0, sizeof *r->live * r->words);
    r->now = r->keys = r->bits = 0;
    r->empty.count = 0;
    r->failed = false;
}

uint64_t sl_reuse_keys(const sl_reuse *r)
{
    return r->keys;
}

bool sl_reuse_failed(const sl_reuse *r)
{
    return r->failed;
}

/* ---- keys ---- */

/* The key's slot, or the free one where it belongs. Slots hold what is needed of a key: an sl_index would cost a second
 * cache miss for each access. */
static inline slot *find(slot *slots, unsigned log2, uint64_t key)
{
    size_t mask = ((size_t)1 << log2) - 1, at = sl_hash_slot(key, log2);
    while (slots[at].time && slots[at].key != key)
        at = (at + 1) & mask;
    return &slots[at];
}

static bool more_slots(sl_reuse *r)
{
    unsigned log2 = r->slots_log2 + 1;
    slot *slots = calloc((size_t)1 << log2, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < (size_t)1 << r->slots_log2; i++)
        if (r->slots[i].time)
            *find(slots, log2, r->slots[i].key) = r->slots[i];
    free(r->slots);
    r->slots = slots;
    r->slots_log2 = log2;
    return true;
}

/* ---- times ---- */

static inline unsigned ones(uint64_t word)
{
    return (unsigned)__builtin_popcountll(word);
}

/* Bits of a word at and below that of `time`. */
static inline uint64_t up_to(uint32_t time)
{
    return UINT64_MAX >> (63 - time % 64);
}

/* `word` has become full: it joins the tree, with those before it whose sums it takes in. */
static void word_is_full(sl_reuse *r, uint32_t word)
{
    uint32_t i = word + 1, sum = ones(r->live[word]);
    for (uint32_t step = 1; step < (i & -i); step <<= 1)
        sum += r->tree[i - step];
    r->tree[i] = sum;
}

static bool more_words(sl_reuse *r)
{
    if (r->words >= MAX_WORDS)
        return false;
    size_t words = (size_t)r->words * 2;
    uint64_t *live = realloc(r->live, words * sizeof *live);
    if (live)
        r->live = live;
    uint32_t *tree = realloc(r->tree, (words + 1) * sizeof *tree);
    if (tree)
        r->tree = tree;
    if (!live || !tree)
        return false;
    r->words = (uint32_t)words;
    return true;
}

/* While `tree` holds the bits before each word: bits at and before `time`. */
static inline uint32_t rank_of(const sl_reuse *r, uint32_t time)
{
    return r->tree[time / 64] + ones(r->live[time / 64] & up_to(time));
}

/* Renumbers the last accesses of all keys, and the holes, from 0 on. */
static bool compact(sl_reuse *r)
{
    uint32_t before = 0;
    for (uint32_t w = 0; w < r->words; w++) {
        r->tree[w] = before; /* not a tree for a moment */
        before += ones(r->live[w]);
    }
    for (size_t i = 0; i < (size_t)1 << r->slots_log2; i++) {
        slot *s = &r->slots[i];
        if (s->time && s->time != REMOVED)
            s->time = rank_of(r, s->time - 1);
    }
    for (size_t i = 0; i < r->empty.count; i++)
        r->empty.items[i] = rank_of(r, r->empty.items[i]) - 1;
    if (before > r->words * UINT64_C(32) && !more_words(r))
        return false;
    memset(r->live, 0, sizeof *r->live * r->words);
    memset(r->live, 0xff, before / 64 * sizeof *r->live);
    if (before % 64)
        r->live[before / 64] = up_to(before - 1);
    for (uint32_t w = 0; w < before / 64; w++)
        word_is_full(r, w);
    r->now = before;
    return true;
}

/* How many bits are set behind that of `time`. */
static uint64_t live_since(const sl_reuse *r, uint32_t time)
{
    uint32_t word = time / 64, last = (r->now - 1) / 64;
    uint64_t behind = r->live[word] & ~up_to(time);
    if (last - word <= NEAR_WORDS) {
        uint64_t count = ones(behind);
        for (uint32_t w = word + 1; w <= last; w++)
            count += ones(r->live[w]);
        return count;
    }
    uint32_t before = ones(r->live[word] ^ behind);
    for (uint32_t i = word; i; i &= i - 1)
        before += r->tree[i];
    return r->bits - before;
}

static void clear(sl_reuse *r, uint32_t time)
{
    r->live[time / 64] &= ~(UINT64_C(1) << time % 64);
    r->bits--;
    uint32_t full = r->now / 64;
    for (uint32_t i = time / 64 + 1; i <= full; i += i & -i)
        r->tree[i]--;
}

/* ---- holes ---- */

static void sink_first(sl_reuse *r)
{
    uint32_t *heap = r->empty.items, first = heap[0];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < r->empty.count) {
        child += child + 1 < r->empty.count && heap[child + 1] > heap[child];
        if (heap[child] < first)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = first;
}

static bool add_empty(sl_reuse *r, uint32_t time)
{
    if (!sl_array_push(&r->empty, time))
        return false;
    uint32_t *heap = r->empty.items;
    size_t at = r->empty.count - 1;
    for (; at && heap[(at - 1) / 2] < time; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = time;
    return true;
}

/* A new key fills the newest hole. */
static void fill_empty(sl_reuse *r)
{
    clear(r, r->empty.items[0]);
    r->empty.items[0] = r->empty.items[--r->empty.count];
    if (r->empty.count)
        sink_first(r);
}

/* A key moves to the front: the newest hole before it, if there is one, moves to its old time. */
static void vacate(sl_reuse *r, uint32_t time)
{
    if (!r->empty.count || r->empty.items[0] < time) {
        clear(r, time);
        return;
    }
    clear(r, r->empty.items[0]);
    r->empty.items[0] = time;
    sink_first(r);
}

/* ---- accessing ---- */

/* Room for one more key at one more time. */
static bool has_room(sl_reuse *r)
{
    if (!r->failed && r->keys >= (uint64_t)1 << r->slots_log2 >> 1)
        r->failed = !more_slots(r);
    if (!r->failed && r->now == r->words * UINT64_C(64))
        r->failed = !compact(r);
    return !r->failed;
}

uint64_t sl_reuse_access_id(sl_reuse *r, uint64_t key, uint32_t *id)
{
    *id = 0;
    if (!has_room(r))
        return SL_REUSE_NEVER;
    slot *s = find(r->slots, r->slots_log2, key);
    uint64_t distance = SL_REUSE_NEVER;
    if (s->time && s->time != REMOVED) {
        distance = live_since(r, s->time - 1);
        vacate(r, s->time - 1);
    } else {
        if (!s->time) {
            s->key = key;
            s->id = r->keys++;
        }
        if (r->empty.count)
            fill_empty(r);
    }
    *id = s->id;
    uint32_t now = r->now++;
    r->bits++;
    s->time = now + 1;
    r->live[now / 64] |= UINT64_C(1) << now % 64;
    if (now % 64 == 63)
        word_is_full(r, now / 64);
    return distance;
}

uint64_t sl_reuse_access(sl_reuse *r, uint64_t key)
{
    uint32_t id;
    return sl_reuse_access_id(r, key, &id);
}

uint64_t sl_reuse_look(const sl_reuse *r, uint64_t key, uint32_t *id)
{
    const slot *s = find(r->slots, r->slots_log2, key);
    *id = s->time ? s->id : UINT32_MAX;
    return s->time && s->time != REMOVED ? live_since(r, s->time - 1) : SL_REUSE_NEVER;
}

void sl_reuse_remove(sl_reuse *r, uint64_t key)
{
    slot *s = find(r->slots, r->slots_log2, key);
    if (!s->time || s->time == REMOVED)
        return;
    if (!add_empty(r, s->time - 1)) {
        r->failed = true;
        return;
    }
    s->time = REMOVED;
}
