/* SPDX-License-Identifier: MIT */
#include "sim/due.h"

#include <stdlib.h>
#include <string.h>

sl_status sl_due_init(sl_due *due, uint32_t parts, sl_error *error)
{
    due->parts = parts;
    due->words = (parts + 63) / 64;
    due->next = malloc(parts * sizeof *due->next);
    due->wheel = malloc(SL_DUE_SLOTS * due->words * sizeof *due->wheel);
    if (!due->next || !due->wheel)
        return sl_fail_memory(error);
    sl_due_reset(due);
    return SL_OK;
}

void sl_due_fini(sl_due *due)
{
    free(due->next);
    free(due->wheel);
    *due = (sl_due){0};
}

void sl_due_reset(sl_due *due)
{
    due->floor = due->slots = 0;
    memset(due->wheel, 0, SL_DUE_SLOTS * due->words * sizeof *due->wheel);
    for (uint32_t i = 0; i < due->parts; i++)
        due->next[i] = SL_NEVER;
}

/* What is left of this cycle is due in the next. */
void sl_due_delay(sl_due *due)
{
    uint64_t *slot = sl_due_slot(due, due->floor), *after = sl_due_slot(due, due->floor + 1);
    for (uint32_t word = 0; word < due->words; word++) {
        for (uint64_t left = slot[word]; left; left &= left - 1) {
            uint32_t part = 64 * word + (uint32_t)__builtin_ctzll(left);
            if (due->next[part] == due->floor)
                due->next[part]++;
        }
        after[word] |= slot[word];
        slot[word] = 0;
    }
    due->slots |= UINT64_C(1) << ((due->floor + 1) % SL_DUE_SLOTS);
}
