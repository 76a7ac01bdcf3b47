/* SPDX-License-Identifier: MIT */
#include "trace/anchors.h"

#include <stdlib.h>
#include <string.h>

void sl_anchor_table_fini(sl_anchor_table *t)
{
    free(t->slot);
    for (int i = 0; i < SL_ANCHOR_ROWS; i++)
        free(t->row[i]);
    *t = (sl_anchor_table){0};
}

bool sl_anchor_table_reset(sl_anchor_table *t, uint32_t slots)
{
    if (slots > t->slots || t->epoch == UINT32_MAX) {
        sl_anchor_table_fini(t);
        t->slot = calloc(slots, sizeof *t->slot);
        if (!t->slot)
            return false;
        t->slots = slots;
    }
    t->epoch++;
    return true;
}

bool sl_anchor_table_warp(sl_anchor_table *t, uint32_t warp)
{
    sl_anchor_cell **row = &t->row[warp % SL_ANCHOR_ROWS];
    if (!*row && t->slots)
        *row = calloc(t->slots, sizeof **row);
    return *row || !t->slots;
}
