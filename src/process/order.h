/* SPDX-License-Identifier: MIT */
/* What waits for what among streams, for --check=race: kernels that the program's time or its end does not wait for.
 *
 * Work runs when it is issued here, so that a result is there even if nothing waits for it; on a GPU it may not be.
 * Each stream has a clock: for every stream the last piece of work that comes before its next one. The host has one,
 * too. Reported is, once for each kernel:
 * - a launch between two events whose time is asked for, which the second event does not come after: harnesses that
 * time one stream miss what runs in another;
 * - a launch that the host never waited for when the program ends. */
#ifndef SL_PROCESS_ORDER_H
#define SL_PROCESS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef SL_ARRAY(uint64_t) sl_proc_clock; /* by slot: what was issued up to that number has ended */

typedef struct sl_proc_order_slot {
    sl_proc_clock clock;
    bool blocking;           /* the default stream waits for it, and it for the default stream */
    uint64_t last, launched; /* numbers of its last work and launch; 0: none */
    char kernel[128];        /* of that launch */
} sl_proc_order_slot;

typedef struct sl_proc_order {
    bool on;
    uint64_t issued;
    SL_ARRAY(sl_proc_order_slot) slots; /* 0: the default stream; of streams that are gone, too */
    sl_proc_clock host;
} sl_proc_order;

/* When an event was recorded: what had not ended by then, of streams that it does not come after. */
typedef struct sl_proc_order_mark {
    sl_proc_clock clock;
    uint64_t at;      /* number of the last work that was issued then */
    uint64_t missing; /* of the last such launch; 0: none */
    char kernel[128];
} sl_proc_order_mark;

/* All do nothing where the order is not checked. Slots are numbers of streams here, 0 the default stream. */
void sl_proc_order_start(sl_proc_order *order);
void sl_proc_order_fini(sl_proc_order *order);
uint32_t sl_proc_order_add_stream(sl_proc_order *order, bool blocking);
/* A piece of work; `kernel`: its name; NULL: it is no launch. */
void sl_proc_order_issue(sl_proc_order *order, uint32_t slot, const char *kernel);
void sl_proc_order_record(sl_proc_order *order, uint32_t slot, sl_proc_order_mark *mark);
/* Work of a stream after what an event comes after; the host waits for an event, a stream, all streams. */
void sl_proc_order_wait(sl_proc_order *order, uint32_t slot, const sl_proc_order_mark *mark);
void sl_proc_order_host_event(sl_proc_order *order, const sl_proc_order_mark *mark);
void sl_proc_order_host(sl_proc_order *order, uint32_t slot);
void sl_proc_order_host_all(sl_proc_order *order);

/* The kernel that the time between two events is without, or that nothing waited for; NULL: none. */
const char *sl_proc_order_untimed(const sl_proc_order_mark *start, const sl_proc_order_mark *end);
const char *sl_proc_order_unwaited(const sl_proc_order *order);

#endif
