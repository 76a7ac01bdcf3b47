/* SPDX-License-Identifier: MIT */
/* A bank of a cache level: sets of tags, MSHRs, and its input and output queues.
 *
 * A load that misses reserves a line at once (the victim is evicted), takes an MSHR and an entry of the miss queue, and
 * continues to the next level; later loads of the same sectors are merged with it. A request stalls at the head of the
 * queue if it lacks a way that is not in flight, an MSHR, a merge slot or an entry of the miss queue. A request that
 * bypasses the level takes only an entry of the miss queue.
 *
 * That is `miss_handling: overlapped`. Otherwise the victim is evicted step by step (evict.h), and the fill waits
 * for that (serialized), or goes to an FRC entry (evict.h). A request for a line that is being evicted waits, too. */
#ifndef SL_SIM_BANK_H
#define SL_SIM_BANK_H

#include "access/partition.h"
#include "sim/engine.h"

typedef enum sl_bank_outcome {
    SL_BANK_HIT,     /* it will be answered */
    SL_BANK_PENDING, /* a pending hit: it waits for a line in flight */
    SL_BANK_MISS,    /* it is in flight to the next level */
    SL_BANK_BYPASS,  /* the same, but the data will not be filled here; also of forwarded stores */
    SL_BANK_KEPT,    /* a store that ends here */
    SL_BANK_STALL,   /* a reservation failure: nothing has changed; see bank->stall */
} sl_bank_outcome;

/* An MSHR: sectors of a line in flight. Aligned to a line of the host's cache. */
typedef struct __attribute__((aligned(64))) sl_mshr {
    uint32_t next;    /* of the same line, or of the free ones */
    uint32_t asked;   /* granules requested */
    uint32_t primary; /* the request that was sent below; what it was before: */
    uint32_t wanted;
    uint64_t addr;
    uint8_t kind;
    bool alone;              /* a store that writes its whole line: nothing was requested below */
    uint32_t line_slot;      /* of the line; with FRC the line may move (bank_fill.c) */
    uint32_t set;            /* of the line */
    uint32_t since;          /* cycle in which `primary` arrived at the level */
    uint32_t waiters;        /* `primary` included */
    sl_request_list waiting; /* others; `primary` may be in such a list of the next level */
} sl_mshr;

/* Per-line mask of words written by partial-sector stores (stored.c). */
typedef struct sl_stored {
    uint32_t words;    /* stored words of sectors that are not valid */
    uint32_t waiting;  /* of these, words of stores that may still be in `out` */
    uint32_t position; /* of the last such store in `out`, counted over all that the bank ever sent */
    uint8_t warp;      /* that issued it */
} sl_stored;

/* The unit of a slice that executes atomics (access/atomics.h), in thousandths of cycles: from when it is free, and
 * from when floating-point sums on a sector are. */
typedef struct sl_atomic_slice {
    uint64_t free, float_free[8];
} sl_atomic_slice;

/* Banks of a level that wait for a queue entry, in order. */
typedef struct sl_bank_list {
    uint32_t first, last;
} sl_bank_list;
#define SL_NO_BANKS ((sl_bank_list){SL_NONE, SL_NONE})

/* State of a way, in one struct because an access reads most of it. All zero: it holds nothing. */
typedef struct sl_line {
    uint64_t tag;              /* line number + 1; 0: none */
    uint32_t valid, in_flight; /* granules that are valid, and in flight */
    uint32_t stale;            /* of those in flight: a store has overwritten them since they were requested */
    uint32_t dirty;
    uint32_t mshr; /* head of the list of the line's MSHRs */
    uint8_t mark;  /* SL_LINE_* */
} sl_line;

/* A line that is being evicted. */
typedef struct sl_eviction {
    uint64_t line;           /* its number + 1; 0: the record is free */
    uint32_t next;           /* of the free ones */
    uint32_t writeback;      /* request that writes it back; SL_NONE: it is clean */
    uint32_t entry;          /* of FRC that it is evicted from; SL_NONE: from its way */
    sl_request_list waiting; /* fills of its way, which wait until it has been evicted */
} sl_eviction;

/* An entry of FRC. Its line is in bank->line, behind those of the sets. */
typedef struct sl_frc_entry {
    bool filled;  /* its data has arrived, but all ways of its set are in flight */
    bool first;   /* the line has evict-first priority */
    uint8_t kind; /* sl_mem_access and PC of the access that allocated it */
    uint32_t pc;
} sl_frc_entry;

enum { SL_EVICTION_SLOTS = 256, SL_NO_MSHR = 0 };

/* Fields that are used together are in one line of the host's cache. */
struct __attribute__((aligned(64))) sl_bank {
    const sl_level *level;
    sl_line *line;       /* [sets * ways] */
    uint64_t *set_state; /* [sets * set_words] (lines.h) */
    sl_mshr *mshr_item;  /* [mshr_capacity + 1]; the first is not used */
    uint64_t *offered;   /* scratch: a mask of ways */
    uint64_t all_ways;   /* a mask, of up to 64 */
    uint32_t mshr_capacity, mshr_free, mshrs;
    unsigned log2_line;

    sl_divisor by_sets, level_sets, chunk_bytes, chunk_banks; /* for sl_set_of */
    uint32_t set_words, mask_words;                           /* words of a set in all, and of a mask of its ways */
    uint32_t sets, ways;
    uint32_t sector_granules, fill_granules;
    uint32_t hit_cycles; /* from the access until the answer is sent */
    uint8_t number;      /* of the level */
    bool used;           /* of a private level: a core that it serves has had a block since the bank was emptied */
    bool plain; /* has no feature that needs the general path (sl_banks_prepare): its loads take sl_bank_load_plain */

    uint64_t absent, absent_since; /* line + 1 of the last failed tag search, and `tag_writes` then: a stalled request
                                      searches often */
    uint64_t tag_writes;
    sl_policy replacement, bypass;
    sl_policy *bypass_policy; /* `replacement` or `bypass`, which decides on bypassing; NULL: none */
    uint32_t *warp_mshrs;     /* MSHRs in use by core and warp; NULL: no limit per warp */
    uint64_t *first_ways;     /* [sets * mask_words]: ways with evict-first priority; NULL: none so far */
    uint64_t *last_ways;      /* the same with evict-last priority */
    sl_stored *stored;        /* [sets * ways]; NULL: no partial-sector store so far */

    __attribute__((aligned(64))) sl_queue back; /* data from below, in flight on the network included */
    sl_queue hits, fills;                       /* answers to the level above; L1 has all in `hits` */
    sl_queue out;                               /* miss queue: requests to the level below */
    sl_shard *shard;                            /* L1 only */
    uint64_t stalled_since;                     /* SL_NEVER: it is not stalled */
    uint64_t accepted_at;
    uint32_t accepted;     /* accesses in cycle accepted_at, the last one with any */
    sl_stall stall;        /* reason of the last reservation failure */
    bool changed;          /* since then: something that the request may wait for */
    uint32_t below_cycles; /* unloaded latency of a miss */
    uint32_t sent;         /* requests that have ever left `out` */
    uint64_t merge_until;  /* L1: until then a store in `out` waits for others that can be merged with it */
    uint32_t index;        /* among the banks of the level */
    uint32_t instance;     /* of the level */
    uint32_t partition;    /* of the level: lines whose home is another partition are copies here */

    /* Network ports. */
    __attribute__((aligned(64))) uint64_t up_free; /* cycles from which its ports are free */
    uint64_t down_free, in_free, back_free;
    uint64_t accept_at, sent_at;       /* in thousandths of a cycle: when it can take a request, has sent its data */
    uint32_t own_cycle;                /* of the bank, in thousandths of a cycle; 0: as those of the cores */
    uint64_t across_free;              /* the same of the port from other partitions */
    uint64_t atomic_from, across_from; /* when the atomic at the head of `in` and `across` can execute; 0: now */
    sl_atomic_slice atomics;           /* of the unit with the number of the bank */
    uint32_t next_waiting;             /* in a list of banks that wait for a queue entry */
    bool out_waits;                    /* the bank is in such a list */
    sl_bank_list room;                 /* banks of the level above that wait for an entry of `in` */
    sl_queue in;                       /* from above; requests on the network included */
    sl_queue across;                   /* the same from other partitions; unbounded, as two full ones could deadlock */

    /* not overlapped: */
    sl_eviction *eviction;
    uint32_t eviction_capacity, eviction_free, evictions_in_flight;
    uint16_t
        *eviction_slot; /* [SL_EVICTION_SLOTS]: how many lines are being evicted, by the lowest bits of their numbers */
    sl_queue invalidated; /* evictions that wait until the levels above have invalidated the line */
    sl_queue notified;    /* evictions of clean lines that wait for clean_evict_cycles */
    /* frc: */
    sl_frc_entry *frc; /* NULL: it has none */
    uint32_t frc_sets, frc_filled;
};

enum {
    SL_LINE_REUSED = 1,
    SL_LINE_BYPASSED = 2,  /* requested by a load that bypassed the level above */
    SL_LINE_TRANSIENT = 4, /* its victim is still being evicted */
    SL_LINE_LENT = 8,      /* the levels above may have it */
    SL_LINE_STORED = 16    /* hit by a forwarded store */
};

sl_status sl_banks_create(sl_sim *sim, uint32_t level, sl_error *error);
void sl_banks_destroy(sl_sim *sim, uint32_t level);
/* A core gets a block: the banks of its private levels will be accessed. */
void sl_banks_use(sl_sim *sim, uint32_t core);
/* Empties them; policies with `keeps` keep their state. */
sl_status sl_banks_empty(sl_sim *sim, uint32_t level, sl_error *error);
/* At the start of a launch: finds out which banks are plain. */
void sl_banks_prepare(sl_sim *sim);
/* Restarts the policies that use line counts, with those of this launch. */
sl_status sl_banks_restart_counts(sl_sim *sim, uint32_t level, sl_error *error);
/* Fails if a policy made an invalid choice. */
sl_status sl_banks_check(const sl_sim *sim, uint32_t level, sl_error *error);

/* The bank of a level that serves an address for a core, and the one that is its home. */
uint32_t sl_bank_among(const sl_sim *sim, uint32_t level, uint32_t core, uint64_t addr); /* of several banks */
static inline uint32_t sl_bank_for(const sl_sim *sim, uint32_t number, uint32_t core, uint64_t addr)
{
    const sl_level *level = &sim->machine.level[number];
    if (number && level->banks > 1)
        return sl_bank_among(sim, number, core, addr);
    /* The banks of the first level are ports of one cache. */
    return level->cores_per_instance == 1 ? core : core / level->cores_per_instance;
}
uint32_t sl_bank_home(const sl_sim *sim, uint32_t level, uint32_t core, uint64_t addr);

/* Index of a bank in what requests keep per level (mshr, bypass): the level, or for a copy in another partition the
 * level + 1, as a request may wait at the copy and at the home. */
static inline uint32_t sl_hop_of(const sl_bank *b, uint64_t addr)
{
    return b->number +
           (!b->plain && b->level->partitions > 1 && sl_partition_home(b->level, addr >> b->log2_line) != b->partition);
}
/* Whether the bank gets requests of the core from the bank of another partition, which serves it. */
static inline bool sl_is_sent_home(const sl_sim *sim, const sl_bank *b, uint32_t core)
{
    return !b->plain && b->level->partitions > 1 &&
           sl_partition_of(b->level, &sim->machine.level[0], core) != b->partition;
}

/* The next request arrives in a later cycle and is known to stall: arrivals behind it need no tick. */
static inline bool sl_bank_will_stall(const sl_sim *sim, const sl_bank *b)
{
    return b->stalled_since > sim->now && b->stalled_since != SL_NEVER;
}

/* Schedules a tick of the bank; of L1: of its fills and answers. */
static inline void sl_bank_wake(sl_sim *sim, sl_bank *b, uint64_t time)
{
    if (b->number) {
        sl_wake(&sim->bank_wheel[b->number], b->index, time);
        return;
    }
    uint64_t *fill_at = &b->shard->fill_at[b->index % SL_SHARD_CACHES];
    *fill_at = sl_sooner(*fill_at, time);
    b->shard->fill_next = sl_sooner(b->shard->fill_next, time);
}

/* An access: any, or a load at a plain bank that has neither hint nor priority. */
sl_bank_outcome sl_bank_access_any(sl_sim *sim, sl_bank *bank, uint32_t number);
sl_bank_outcome sl_bank_load_plain(sl_sim *sim, sl_bank *bank, sl_request *request, uint32_t number);
static inline sl_bank_outcome sl_bank_access(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    bool plain =
        b->plain && r->kind == SL_REQUEST_LOAD && !((r->no_allocate | r->no_lookup) >> b->number & 1) && !r->priority;
    return plain ? sl_bank_load_plain(sim, b, r, number) : sl_bank_access_any(sim, b, number);
}
/* The cycle from which an atomic can execute that is at the bank; 0: now, and it does. Others: 0. */
uint64_t sl_bank_atomic_from(sl_sim *sim, const sl_bank *bank, uint32_t number);
/* Answers a request whose data is in the bank (`hit`), or has arrived. */
void sl_bank_answer(sl_sim *sim, sl_bank *bank, uint32_t number, bool hit);
/* A miss finds no MSHR, or no entry in the miss queue. */
static inline bool sl_bank_is_full(const sl_bank *b)
{
    return (b->level->mshrs && b->mshrs >= b->level->mshrs) || b->out.count >= b->level->miss_queue;
}
/* Whether a request at a full bank is sure to stall unless something changes (bank->stall: the reason). False: unknown.
 */
bool sl_bank_foresees_stall(sl_sim *sim, sl_bank *bank, uint32_t number);
/* Data from the level below has arrived. */
void sl_bank_fill(sl_sim *sim, sl_bank *bank, uint32_t number);
/* A cycle of a bank below L1; returns the cycle of its next tick. */
uint64_t sl_bank_tick(sl_sim *sim, sl_bank *bank);
/* A cycle of an L1: fills, and answers to cores. Requests come from the load/store unit. */
void sl_bank_tick_first(sl_sim *sim, sl_bank *bank);

/* ---- words written by partial-sector stores (stored.c) ----
 *
 * L1 keeps them, and loads of them hit (`write: allocate`); a sector that was valid stays so. But when a store to other
 * words of a sector arrives while an earlier one is still to be sent, L1 keeps the words of the later one only, unless
 * the two are merged (measured: papers/h200-micro/stored.csv). A write-back level has a sector when all of its words
 * have been stored. */

/* The granules of a line of L1 in which all words that a load reads were stored. */
uint32_t sl_stored_granules(const sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t words,
                            uint32_t granules);
/* Records the words of a partial-sector store to a line of L1, before it is pushed to `out`. */
void sl_stored_write(sl_sim *sim, sl_bank *bank, size_t line_slot, const sl_request *store, uint32_t granules);
/* Merges a store with one of the same warp to the same line in `out`: returns the index of that, or SL_NONE. */
uint32_t sl_stored_merge(sl_sim *sim, sl_bank *bank, size_t line_slot, const sl_request *store);
/* Records the words of a store at a write-back level: returns its granules that are now stored completely. */
uint32_t sl_stored_add(sl_sim *sim, sl_bank *bank, size_t line_slot, uint32_t words, uint32_t granules);

#endif
