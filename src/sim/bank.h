/* SPDX-License-Identifier: MIT */
/* A bank of a cache level: tags in sets, lines in flight, and the queues before and behind it.
 *
 * A load that misses reserves a line at once (the victim is evicted), takes an MSHR and an entry of the miss queue, and
 * goes on to the next level; later loads of the same sectors are merged with it. A request stalls at the head of the
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
    SL_OUTCOME_HIT,     /* it will be answered */
    SL_OUTCOME_PENDING, /* it waits for a line in flight */
    SL_OUTCOME_MISS,    /* it is in flight to the next level */
    SL_OUTCOME_BYPASS,  /* the same, and will not be kept here */
    SL_OUTCOME_KEPT,    /* a store that ends here */
    SL_OUTCOME_STALL,   /* nothing has happened; see bank->stall */
} sl_bank_outcome;

/* A line in flight, or some sectors of one. It is a line of the host's cache. */
typedef struct __attribute__((aligned(64))) sl_mshr {
    uint32_t next;    /* of the same line, or of the free ones */
    uint32_t asked;   /* granules requested */
    uint32_t primary; /* the request that is in flight; what it was before it went: */
    uint32_t wanted;
    uint64_t addr;
    uint8_t kind;
    bool alone;              /* a store that writes its whole line: nothing was requested below */
    uint32_t line_slot;      /* of the line, unless that is in an entry of FRC, from which it moves, */
    uint32_t set;            /* and its set */
    uint32_t since;          /* when `primary` came to the level */
    uint32_t waiters;        /* `primary` included */
    sl_request_list waiting; /* others; `primary` may be in such a list of the next level */
} sl_mshr;

/* What stores to some words of its sectors have left of a line (stored.c). */
typedef struct sl_stored {
    uint32_t words;    /* that were stored, of sectors that are not valid */
    uint32_t waiting;  /* those of stores that may still be in `out` */
    uint32_t position; /* of the last of these among all that the bank sends */
    uint8_t warp;      /* whose it was */
} sl_stored;

/* Banks of a level that wait for a queue entry, in order. */
typedef struct sl_bank_list {
    uint32_t first, last;
} sl_bank_list;
#define SL_NO_BANKS ((sl_bank_list){SL_NONE, SL_NONE})

/* State of a way, in one struct: an access reads most of it. */
typedef struct sl_line {
    uint64_t tag;              /* line number + 1; 0: none */
    uint32_t valid, in_flight; /* granules that are there, and in flight */
    uint32_t stale;            /* of those in flight: overwritten by a store since */
    uint32_t dirty;
    uint32_t mshr; /* first of the line */
    uint8_t mark;  /* SL_LINE_* */
} sl_line;

/* A line that is being evicted. */
typedef struct sl_eviction {
    uint64_t line;           /* its number + 1; 0: the record is free */
    uint32_t next;           /* of the free ones */
    uint32_t writeback;      /* request that takes its data below; SL_NONE: it is clean */
    uint32_t entry;          /* of FRC, which it is evicted from; SL_NONE: from its way */
    sl_request_list waiting; /* fills of its way, which wait until it has been evicted */
} sl_eviction;

/* An entry of FRC. What it holds is a line behind those of the sets. */
typedef struct sl_frc_entry {
    bool filled;  /* its data has come, but all ways of its set are in flight */
    bool first;   /* it is evicted first */
    uint8_t kind; /* sl_mem_access, and the instruction, that asked for it first */
    uint32_t pc;
} sl_frc_entry;

enum { SL_EVICTION_SLOTS = 256 };

/* Fields that are used together are in one line of the host's cache. */
struct __attribute__((aligned(64))) sl_bank {
    const sl_level *level;
    sl_line *line;       /* [sets * ways] */
    uint64_t *set_state; /* [sets * set_words] (lines.h) */
    sl_mshr *mshr_item;
    uint64_t *offered; /* scratch: a mask of ways */
    uint64_t all_ways; /* a mask, of up to 64 */
    uint32_t mshr_capacity, mshr_free, mshrs;
    unsigned log2_line;

    sl_divisor by_sets, level_sets, chunk_bytes, chunk_banks; /* where an address is (sl_set_of) */
    uint32_t set_words, mask_words;                           /* words of a set in all, and of a mask of its ways */
    uint32_t sets, ways;
    uint32_t sector_granules, fill_granules;
    uint32_t hit_cycles; /* from the access until the answer is sent */
    uint8_t number;      /* of the level */
    bool plain;          /* it has nothing of what most caches do not have (sl_banks_prepare) */

    uint64_t absent, absent_since; /* a line + 1 that was not here, and how many `tag_writes` there had been */
    uint64_t tag_writes;
    sl_policy replacement, bypass;
    sl_policy *bypass_policy; /* `replacement` or `bypass`, which decides on bypassing; NULL: none */
    uint32_t *warp_mshrs;     /* MSHRs of each warp, by core and warp; NULL: they are not limited */
    uint64_t *first_ways;     /* [sets * mask_words]: ways that are evicted first; NULL: none was yet */
    uint64_t *last_ways;      /* the same for those that are evicted last */
    sl_stored *stored;        /* [sets * ways]; NULL: no store has written a sector in part yet */

    __attribute__((aligned(64))) sl_queue back; /* what was asked for below, on the network included */
    sl_queue hits, fills;                       /* answers; of the first level all are in `hits` */
    sl_queue out;                               /* to the next level */
    sl_shard *shard;                            /* of the first level */
    uint64_t stalled_since;                     /* SL_NEVER: it does not */
    uint64_t accepted_at;
    uint32_t accepted;     /* accesses in the last cycle with any: taken_at */
    sl_stall stall;        /* what the request at the head of `in` waits for */
    bool changed;          /* something that it may have waited for */
    uint32_t below_cycles; /* unloaded latency of a miss */
    uint32_t sent;         /* from `out`, ever */
    uint64_t merge_until;  /* first level: some store in `out` waits so long for others */
    uint32_t index;        /* among the banks of the level */
    uint32_t instance;     /* of the level */
    uint32_t partition;    /* of the level: where the home of a line is another one, what is here of it is a copy */

    /* What the network has of it. */
    __attribute__((aligned(64))) uint64_t up_free; /* when its ports are free */
    uint64_t down_free, in_free, back_free;
    uint64_t across_free;  /* the same of the one to another partition */
    uint32_t next_waiting; /* in a list of banks that wait for a queue entry */
    bool out_waits;        /* the head of `out` waits for one, and the bank is in such a list */
    sl_bank_list room;     /* banks of the level above that wait for an entry of `in` */
    sl_queue in;           /* from above; requests on the network included */
    sl_queue across;       /* the same from other partitions: of any length, or two could wait for each other */

    /* not overlapped: */
    sl_eviction *eviction;
    uint32_t eviction_capacity, eviction_free, evictions_in_flight;
    uint16_t
        *eviction_slot; /* [SL_EVICTION_SLOTS]: how many lines are being evicted, by the lowest bits of their numbers */
    sl_queue invalidated; /* records of lines that the levels above will have invalidated by then */
    sl_queue notified;    /* of clean ones that the level below will know of by then */
    /* frc: */
    sl_frc_entry *frc; /* NULL: it has none */
    uint32_t frc_sets, frc_filled;
};

enum {
    SL_LINE_REUSED = 1,
    SL_LINE_BYPASSED = 2,  /* by a request that bypassed the level above */
    SL_LINE_TRANSIENT = 4, /* the victim is not evicted yet */
    SL_LINE_LENT = 8,      /* the levels above may have it */
    SL_LINE_STORED = 16    /* a store that was sent on found it */
};

sl_status sl_banks_create(sl_sim *sim, uint32_t level, sl_error *error);
void sl_banks_destroy(sl_sim *sim, uint32_t level);
/* Makes them anew; policies that keep their state do. */
sl_status sl_banks_empty(sl_sim *sim, uint32_t level, sl_error *error);
/* A launch begins: finds banks of caches as most are, whose accesses skip the checks for everything else. */
void sl_banks_prepare(sl_sim *sim);
/* The policies that look counts up take those of this launch. */
sl_status sl_banks_restart_counts(sl_sim *sim, uint32_t level, sl_error *error);
/* Fails if a policy made an invalid choice. */
sl_status sl_banks_check(const sl_sim *sim, uint32_t level, sl_error *error);

/* The bank of a level that serves an address for a core, and the one that is its home. */
uint32_t sl_bank_among(const sl_sim *sim, uint32_t level, uint32_t core, uint64_t addr); /* several */
static inline uint32_t sl_bank_for(const sl_sim *sim, uint32_t number, uint32_t core, uint64_t addr)
{
    const sl_level *level = &sim->machine.level[number];
    if (number && level->banks > 1)
        return sl_bank_among(sim, number, core, addr);
    /* The banks of the first level are ports of one cache. */
    return level->cores_per_instance == 1 ? core : core / level->cores_per_instance;
}
uint32_t sl_bank_home(const sl_sim *sim, uint32_t level, uint32_t core, uint64_t addr);

/* The number of a bank in what requests carry for each level. A copy comes after its home: a request may wait at both.
 */
static inline uint32_t sl_hop_of(const sl_bank *b, uint64_t addr)
{
    return b->number +
           (!b->plain && b->level->partitions > 1 && sl_partition_home(b->level, addr >> b->log2_line) != b->partition);
}
/* Whether requests of a core come to the bank from the one that serves it. */
static inline bool sl_is_sent_home(const sl_sim *sim, const sl_bank *b, uint32_t core)
{
    return !b->plain && b->level->partitions > 1 &&
           sl_partition_of(b->level, &sim->machine.level[0], core) != b->partition;
}

/* The next request of the bank comes in a later cycle, and will stall: the bank was not to be ticked for what comes
 * behind it, either. */
static inline bool sl_bank_will_stall(const sl_sim *sim, const sl_bank *b)
{
    return b->stalled_since > sim->now && b->stalled_since != SL_NEVER;
}

/* Something can happen to the bank at `time`; of the first level, it has data or an answer then. */
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
/* The level has the data of a request: it was here, or has come. */
void sl_bank_answer(sl_sim *sim, sl_bank *bank, uint32_t number, bool hit);
/* A miss finds no MSHR, or no entry in the miss queue. */
static inline bool sl_bank_is_full(const sl_bank *b)
{
    return (b->level->mshrs && b->mshrs >= b->level->mshrs) || b->out.count >= b->level->miss_queue;
}
/* Whether a request that finds the bank full will stall unless something changes before (bank->stall has the reason).
 * False: it may, too. */
bool sl_bank_foresees_stall(sl_sim *sim, sl_bank *bank, uint32_t number);
/* Data from the level below has arrived. */
void sl_bank_fill(sl_sim *sim, sl_bank *bank, uint32_t number);
/* Moves what is due; returns when it wants to be ticked again. Not of the first level: */
uint64_t sl_bank_tick(sl_sim *sim, sl_bank *bank);
/* Fills of the first level that are due, and its answers to cores. */
void sl_bank_tick_first(sl_sim *sim, sl_bank *bank);

/* ---- words written by partial-sector stores (stored.c) ----
 *
 * L1 keeps them, and loads of them hit (`write: allocate`); a sector that was valid stays so. But when a store to other
 * words of a sector arrives while an earlier one is still to be sent, L1 keeps the words of the later one only, unless
 * the two are merged (measured: papers/h200-micro/stored.csv). A write-back level has a sector when all of its words
 * have been stored. */

/* Of these granules of a line of the first level, those of which the words that a load wants were stored. */
uint32_t sl_stored_granules(const sl_sim *sim, const sl_bank *bank, size_t line_slot, uint32_t words,
                            uint32_t granules);
/* A store to granules of a line of the first level, some of which it writes in part; it is about to be put into `out`.
 */
void sl_stored_write(sl_sim *sim, sl_bank *bank, size_t line_slot, const sl_request *store, uint32_t granules);
/* Whether the store goes on with one of its warp to the same line that has not been sent: its place in `out`, or
 * SL_NONE. */
uint32_t sl_stored_merge(sl_sim *sim, sl_bank *bank, size_t line_slot, const sl_request *store);
/* A store to a level that keeps it: of its granules, those of which all words have been stored by now. */
uint32_t sl_stored_add(sl_sim *sim, sl_bank *bank, size_t line_slot, uint32_t words, uint32_t granules);

#endif
