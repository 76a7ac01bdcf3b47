/* SPDX-License-Identifier: MIT */
/* DRAM: channels of banks with row buffers. FR-FCFS: the oldest request to an active row first, else the row of the
 * oldest request is activated. Open-page. One command per cycle and channel; the timings are the machine's, converted
 * to core cycles. Refresh is not modeled. */
#ifndef SL_SIM_DRAM_H
#define SL_SIM_DRAM_H

#include "sim/bank.h"

typedef struct sl_dram_bank {
    uint64_t row;                                  /* the active row; SL_NEVER: precharged */
    uint64_t access_at, precharge_at, activate_at; /* earliest cycles of the next access, precharge, activate */
    uint32_t first, last;                          /* requests for the bank, oldest first; SL_NONE: none */
    uint32_t hit;                                  /* the oldest of these to the active row; SL_NONE: none */
} sl_dram_bank;

typedef struct sl_dram_entry {
    uint64_t row, arrival; /* arrival: sequence number */
    uint32_t request, bank;
    uint32_t from;           /* bank of the last level */
    uint32_t next;           /* for the same bank, or of the free ones */
    uint32_t granules, slot; /* copied, as the request is no longer in the host's cache by then */
    bool write, activated;   /* activated: its row was activated for it */
    bool answered;
} sl_dram_entry;

/* The next command of a bank. */
typedef enum sl_dram_next {
    SL_DRAM_TO_READ,
    SL_DRAM_TO_WRITE,
    SL_DRAM_TO_ACTIVATE,
    SL_DRAM_TO_PRECHARGE,
    SL_DRAM_NEXTS
} sl_dram_next;

/* The next command of a bank, and its earliest cycle. The lowest order wins: accesses first, then the oldest. */
typedef struct sl_dram_turn {
    uint64_t order; /* arrival of the request, with SL_DRAM_NO_ACCESS for activate and precharge */
    uint32_t time;
    sl_dram_next command;
} sl_dram_turn;
#define SL_DRAM_NO_ACCESS (UINT64_C(1) << 63)

/* The next command of a channel: when it is issued, and for which bank. */
typedef struct sl_dram_choice {
    uint64_t time, order; /* SL_NEVER: none is */
    uint32_t bank;
} sl_dram_choice;

struct sl_channel {
    sl_dram_entry *entry; /* [queue] */
    uint32_t entries, free;
    uint64_t arrivals;
    sl_dram_bank *bank;
    sl_dram_turn *turn;            /* of each bank that has requests */
    uint64_t waiting;              /* mask of these banks */
    uint64_t limit[SL_DRAM_NEXTS]; /* by command: earliest cycle for any bank */
    sl_dram_choice next;           /* command */
    uint64_t bus_free;             /* in sixteenths of a cycle */
    uint64_t *bank_group_free;     /* of each bank group, the same */
    sl_bank_list room;             /* banks of the last level that wait for a queue entry */
    sl_queue done;                 /* reads, with the time at which their data is at the last level */
};

sl_status sl_dram_create(sl_sim *sim, sl_error *error);
void sl_dram_destroy(sl_sim *sim);
/* All banks precharged, time 0. */
void sl_dram_reset(sl_sim *sim);
/* Enqueues a request of a bank of the last level; false: the queue is full, and the bank is woken when it is not. */
bool sl_dram_enqueue(sl_sim *sim, sl_bank *from, uint32_t number);
/* Unloaded latency of a read, from the last level and back to it. */
uint32_t sl_dram_unloaded(const sl_sim *sim);
uint64_t sl_dram_tick(sl_sim *sim, uint32_t channel);

#endif
