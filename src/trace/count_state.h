/* SPDX-License-Identifier: MIT */
/* What count.c and count_live.c share. */
#ifndef SL_TRACE_COUNT_STATE_H
#define SL_TRACE_COUNT_STATE_H

#include "base/array.h"
#include "trace/codec.h"
#include "trace/count.h"
#include "trace/sparse_set.h"

enum { SL_IN_GLOBAL, SL_IN_SHARED, SL_IN_LOCAL, SL_IN_TEXTURE, SL_IN_SPACES };

typedef struct sl_tally {
    uint64_t requests, amount; /* amount: sectors, or passes over the banks, or bytes (matrices) */
    uint64_t bytes;            /* of active lanes; global memory */
} sl_tally;

/* What counting an access needs to know of its instruction. */
typedef struct sl_slot_facts {
    uint32_t group; /* which array it accesses */
    uint16_t width;
    uint8_t space, access; /* sl_mem_space, sl_mem_access */
} sl_slot_facts;

/* Some of 64 neighboring sectors: numbers 64 * word and up. */
typedef struct sl_sector_word {
    uint64_t word, bits;
    uint32_t group;
} sl_sector_word;

/* How the lanes of a shared access lay last time: at these distances passes are the same wherever they start. */
typedef struct sl_bank_memo {
    uint64_t mask;
    uint32_t passes;
    uint32_t distance[SL_MAX_LANES];
} sl_bank_memo;

/* The sectors of an array that an access had last time: when it has them again, they are noted already. */
typedef struct sl_sector_memo {
    uint64_t emptied; /* sl_part_state.emptied then */
    uint32_t count, different;
    uint64_t *sector; /* of `count` lanes */
} sl_sector_memo;

/* The same of lanes in a line, each in a sector of its own: the line is known for the whole launch. */
typedef struct sl_far_memo {
    uint64_t first, stride;
    uint32_t count;
} sl_far_memo;

enum { SL_RECENT_WORDS = 512 };

/* What a part has besides: it is emptied after every block, so that what it holds is found without a search. */
typedef struct sl_part_state {
    uint32_t tallied_count;                     /* tallies that are not zero */
    uint32_t *tallied;                          /* [SL_IN_SPACES * mem_slots]: which; slot * SL_IN_SPACES + space */
    sl_bank_memo *memo;                         /* [mem_slots] */
    sl_sector_memo *last;                       /* [groups of the whole] */
    sl_far_memo *far;                           /* the same */
    uint64_t emptied;                           /* how often, and one */
    uint64_t *sectors;                          /* room for SL_MAX_LANES of each of them, and of one more… */
    uint64_t *spare;                            /* …of which this is free */
    sl_sector_word recent[SL_RECENT_WORDS];     /* a cache, by word and group */
    uint16_t used[SL_RECENT_WORDS], used_count; /* entries of it with bits */
    SL_ARRAY(sl_sector_word) older;             /* what was displaced from it */
    bool failed;                                /* memory ran out */
    bool avx2;                                  /* the CPU has it */
} sl_part_state;

struct sl_launch_counter {
    const sl_trace_kernel *kernel;
    const sl_trace_launch *launch;
    unsigned log2_sector;
    bool footprint, no_shared;
    uint64_t warp_insts, thread_insts, blocks;
    sl_predictor *predictor;           /* [mem_slots]: scratch of the decoder */
    sl_tally (*tallies)[SL_IN_SPACES]; /* [mem_slots] */
    const sl_slot_facts *slot;         /* [mem_slots]; a part's are those of the whole */
    uint32_t groups;
    sl_sparse_set *accessed; /* [groups] */
    /* made by sl_launch_counter_result */
    sl_counts *slot_counts;
    sl_array_footprint *arrays;
    const sl_trace_range *range; /* allocations of the launch */
    size_t ranges;
    sl_part_state *part; /* NULL: this is not a part */
};

#endif
