/* SPDX-License-Identifier: MIT */
/* When the components of a kind want to be ticked: a wheel of the next 64 cycles, with a mask of components for each. A
 * component that has longer to wait stands in the last of these, and is put on again when that comes.
 *
 * A cycle of the kind: sl_wheel_begin, then wakes and ticks, sl_wheel_end; those that are woken after their turn are
 * due in the next cycle. */
#ifndef SL_SIM_TIMING_WHEEL_H
#define SL_SIM_TIMING_WHEEL_H

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

enum { SL_WHEEL_SLOTS = 64 };

typedef struct sl_timing_wheel {
    uint64_t *next;  /* [components] */
    uint64_t *wheel; /* [SL_WHEEL_SLOTS * words]: components by cycle */
    uint64_t slots;  /* those of the wheel with any components */
    uint64_t floor;  /* the earliest cycle at which they can still be ticked: the wheel begins there */
    uint32_t components, words;
} sl_timing_wheel;

sl_status sl_wheel_init(sl_timing_wheel *wheel, uint32_t components, sl_error *error);
void sl_wheel_fini(sl_timing_wheel *wheel); /* zeroes are fine */
/* Nothing is due, and the next cycle is 0. */
void sl_wheel_reset(sl_timing_wheel *wheel);

static inline uint64_t *sl_wheel_slot(const sl_timing_wheel *wheel, uint64_t time)
{
    return &wheel->wheel[time % SL_WHEEL_SLOTS * wheel->words];
}

static inline uint64_t sl_wheel_clamp(const sl_timing_wheel *wheel, uint64_t time)
{
    return time - wheel->floor < SL_WHEEL_SLOTS ? time : wheel->floor + SL_WHEEL_SLOTS - 1;
}

static inline void sl_wheel_insert(sl_timing_wheel *wheel, uint32_t component, uint64_t time)
{
    uint64_t shown = sl_wheel_clamp(wheel, time);
    sl_wheel_slot(wheel, shown)[component / 64] |= UINT64_C(1) << (component % 64);
    wheel->slots |= UINT64_C(1) << (shown % SL_WHEEL_SLOTS);
}

/* Something can happen to a component at `time`. Where it stood before, it is passed over. */
static inline void sl_wake(sl_timing_wheel *wheel, uint32_t component, uint64_t time)
{
    time = time > wheel->floor ? time : wheel->floor;
    if (time >= wheel->next[component])
        return;
    wheel->next[component] = time;
    sl_wheel_insert(wheel, component, time);
}

/* The next cycle in which a component may want to be ticked. */
static inline uint64_t sl_wheel_soonest(const sl_timing_wheel *wheel)
{
    unsigned at = (unsigned)(wheel->floor % SL_WHEEL_SLOTS);
    uint64_t turned = at ? wheel->slots >> at | wheel->slots << (SL_WHEEL_SLOTS - at) : wheel->slots;
    return turned ? wheel->floor + (uint64_t)__builtin_ctzll(turned) : SL_NEVER;
}

static inline void sl_wheel_begin(sl_timing_wheel *wheel, uint64_t now)
{
    wheel->floor = now;
}

static inline bool sl_wheel_any(const sl_timing_wheel *wheel)
{
    return wheel->slots >> (wheel->floor % SL_WHEEL_SLOTS) & 1;
}

/* Of 64 components each, those that may be due now; some have longer to wait. */
static inline uint64_t sl_wheel_bits(const sl_timing_wheel *wheel, uint32_t word)
{
    return sl_wheel_slot(wheel, wheel->floor)[word];
}

/* The first component in [from, end) that is due, and is so no longer then; `end`: there is none. */
static inline uint32_t sl_wheel_pop(sl_timing_wheel *wheel, uint32_t from, uint32_t end)
{
    uint64_t *slot = sl_wheel_slot(wheel, wheel->floor);
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
        uint64_t time = wheel->next[from];
        if (time == wheel->floor) {
            wheel->next[from] = SL_NEVER;
            return from;
        }
        if (time != SL_NEVER) /* it has longer to wait, or was ticked sooner and waits for another cycle */
            sl_wheel_insert(wheel, from, time);
        from++;
    }
    return end;
}

void sl_wheel_delay(sl_timing_wheel *wheel); /* for sl_wheel_end */

static inline void sl_wheel_end(sl_timing_wheel *wheel)
{
    if (sl_wheel_any(wheel)) {
        uint64_t left = 0;
        for (uint32_t word = 0; word < wheel->words; word++)
            left |= sl_wheel_bits(wheel, word);
        wheel->slots &= ~(UINT64_C(1) << (wheel->floor % SL_WHEEL_SLOTS));
        if (left)
            sl_wheel_delay(wheel);
    }
    wheel->floor++;
}

#endif
