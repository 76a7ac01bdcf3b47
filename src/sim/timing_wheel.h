/* SPDX-License-Identifier: MIT */
/* A timing wheel for the components of a kind: for each of the next 64 cycles a mask of the components to tick. A
 * component with a later event is in the last slot, and inserted again when that is reached.
 *
 * A cycle: sl_wheel_begin, wakes and ticks, sl_wheel_end. A component woken after its turn is ticked in the next cycle.
 */
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
    uint64_t slots;  /* mask of slots that are not empty */
    uint64_t floor;  /* current cycle, where the wheel starts */
    uint32_t components, words;
} sl_timing_wheel;

sl_status sl_wheel_init(sl_timing_wheel *wheel, uint32_t components, sl_error *error);
void sl_wheel_fini(sl_timing_wheel *wheel); /* zeroes are fine */
/* No events; the next cycle is 0. */
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

/* Schedules an event of a component, if it is earlier than its next one. The stale entry is skipped later. */
static inline void sl_wake(sl_timing_wheel *wheel, uint32_t component, uint64_t time)
{
    time = time > wheel->floor ? time : wheel->floor;
    if (time >= wheel->next[component])
        return;
    wheel->next[component] = time;
    sl_wheel_insert(wheel, component, time);
}

/* A lower bound on the cycle of the next event. */
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

/* Mask of components, 64 per word, that may have an event now. */
static inline uint64_t sl_wheel_bits(const sl_timing_wheel *wheel, uint32_t word)
{
    return sl_wheel_slot(wheel, wheel->floor)[word];
}

/* Removes and returns the first component in [from, end) with an event now; `end`: there is none. */
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
        if (time != SL_NEVER) /* a later event, or a stale entry */
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
