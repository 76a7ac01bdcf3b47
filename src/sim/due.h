/* SPDX-License-Identifier: MIT */
/* When the parts of a kind want to be ticked: a wheel of the next 64 cycles, with a mask of parts for each. A part that
 * has longer to wait stands in the last of these, and is put on again when that comes.
 *
 * A cycle of the kind: sl_due_begin, then wakes and ticks, sl_due_end; those that are woken after their turn are due in
 * the next cycle. */
#ifndef SL_SIM_DUE_H
#define SL_SIM_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sluice/error.h"

static const uint64_t SL_NEVER = UINT64_MAX;
static inline uint64_t sl_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
static inline uint64_t sl_sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum { SL_DUE_SLOTS = 64 };

typedef struct sl_due {
    uint64_t *next;  /* [parts] */
    uint64_t *wheel; /* [SL_DUE_SLOTS * words]: parts by cycle */
    uint64_t slots;  /* those of the wheel with any parts */
    uint64_t floor;  /* the earliest cycle at which they can still be ticked: the wheel begins there */
    uint32_t parts, words;
} sl_due;

sl_status sl_due_init(sl_due *due, uint32_t parts, sl_error *error);
void sl_due_fini(sl_due *due); /* zeroes are fine */
/* Nothing is due, and the next cycle is 0. */
void sl_due_reset(sl_due *due);

static inline uint64_t *sl_due_slot(const sl_due *due, uint64_t time)
{
    return &due->wheel[time % SL_DUE_SLOTS * due->words];
}

static inline uint64_t sl_due_shown(const sl_due *due, uint64_t time)
{
    return time - due->floor < SL_DUE_SLOTS ? time : due->floor + SL_DUE_SLOTS - 1;
}

static inline void sl_due_put(sl_due *due, uint32_t part, uint64_t time)
{
    uint64_t shown = sl_due_shown(due, time);
    sl_due_slot(due, shown)[part / 64] |= UINT64_C(1) << (part % 64);
    due->slots |= UINT64_C(1) << (shown % SL_DUE_SLOTS);
}

/* Something can happen to a part at `time`. Where it stood before, it is passed over. */
static inline void sl_wake(sl_due *due, uint32_t part, uint64_t time)
{
    time = time > due->floor ? time : due->floor;
    if (time >= due->next[part])
        return;
    due->next[part] = time;
    sl_due_put(due, part, time);
}

/* The next cycle in which a part may want to be ticked. */
static inline uint64_t sl_due_soonest(const sl_due *due)
{
    unsigned at = (unsigned)(due->floor % SL_DUE_SLOTS);
    uint64_t turned = at ? due->slots >> at | due->slots << (SL_DUE_SLOTS - at) : due->slots;
    return turned ? due->floor + (uint64_t)__builtin_ctzll(turned) : SL_NEVER;
}

static inline void sl_due_begin(sl_due *due, uint64_t now)
{
    due->floor = now;
}

static inline bool sl_due_any(const sl_due *due)
{
    return due->slots >> (due->floor % SL_DUE_SLOTS) & 1;
}

/* Of 64 parts each, those that may be due now; some have longer to wait. */
static inline uint64_t sl_due_bits(const sl_due *due, uint32_t word)
{
    return sl_due_slot(due, due->floor)[word];
}

/* The first part in [from, end) that is due, and is so no longer then; `end`: there is none. */
static inline uint32_t sl_due_take(sl_due *due, uint32_t from, uint32_t end)
{
    uint64_t *slot = sl_due_slot(due, due->floor);
    while (from < end) {
        uint64_t bits = slot[from / 64] >> (from % 64);
        if (!bits) {
            from = (from | 63) + 1;
            continue;
        }
        from += (uint32_t)__builtin_ctzll(bits);
        if (from >= end)
            return end;
        slot[from / 64] &= ~(UINT64_C(1) << (from % 64));
        uint64_t time = due->next[from];
        if (time == due->floor) {
            due->next[from] = SL_NEVER;
            return from;
        }
        if (time != SL_NEVER) /* it has longer to wait, or was ticked sooner and waits for another cycle */
            sl_due_put(due, from, time);
        from++;
    }
    return end;
}

void sl_due_delay(sl_due *due); /* for sl_due_end */

static inline void sl_due_end(sl_due *due)
{
    if (sl_due_any(due)) {
        uint64_t left = 0;
        for (uint32_t word = 0; word < due->words; word++)
            left |= sl_due_bits(due, word);
        due->slots &= ~(UINT64_C(1) << (due->floor % SL_DUE_SLOTS));
        if (left)
            sl_due_delay(due);
    }
    due->floor++;
}

#endif
