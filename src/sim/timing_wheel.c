/* SPDX-License-Identifier: MIT */
#include "sim/timing_wheel.h"

#include <stdlib.h>
#include <string.h>

sl_status sl_wheel_init(sl_timing_wheel *wheel, uint32_t components, sl_error *error)
{
    wheel->components = components;
    wheel->words = (components + 63) / 64;
    wheel->next = malloc(components * sizeof *wheel->next);
    wheel->wheel = malloc(SL_WHEEL_SLOTS * wheel->words * sizeof *wheel->wheel);
    if (!wheel->next || !wheel->wheel)
        return sl_fail_memory(error);
    sl_wheel_reset(wheel);
    return SL_OK;
}

void sl_wheel_fini(sl_timing_wheel *wheel)
{
    free(wheel->next);
    free(wheel->wheel);
    *wheel = (sl_timing_wheel){0};
}

void sl_wheel_reset(sl_timing_wheel *wheel)
{
    wheel->floor = wheel->slots = 0;
    memset(wheel->wheel, 0, SL_WHEEL_SLOTS * wheel->words * sizeof *wheel->wheel);
    for (uint32_t i = 0; i < wheel->components; i++)
        wheel->next[i] = SL_NEVER;
}

/* What remains of this cycle is due in the next. */
void sl_wheel_delay(sl_timing_wheel *wheel)
{
    uint64_t *slot = sl_wheel_slot(wheel, wheel->floor), *after = sl_wheel_slot(wheel, wheel->floor + 1);
    for (uint32_t word = 0; word < wheel->words; word++) {
        for (uint64_t left = slot[word]; left; left &= left - 1) {
            uint32_t component = 64 * word + (uint32_t)__builtin_ctzll(left);
            if (wheel->next[component] == wheel->floor)
                wheel->next[component]++;
        }
        after[word] |= slot[word];
        slot[word] = 0;
    }
    wheel->slots |= UINT64_C(1) << ((wheel->floor + 1) % SL_WHEEL_SLOTS);
}
