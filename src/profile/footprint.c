/* SPDX-License-Identifier: MIT */
#include "profile/accesses.h"

#include <stdlib.h>
#include <string.h>

bool sl_footprint_init(sl_footprint *f, uint32_t windows)
{
    *f = (sl_footprint){.max = windows * 2};
    f->window = calloc(f->max, sizeof *f->window);
    return f->window != NULL;
}

void sl_footprint_fini(sl_footprint *f)
{
    free(f->window);
    f->window = NULL;
}

static void add_neighbors(sl_footprint *f)
{
    for (uint32_t w = 0; w < f->max; w++) {
        uint64_t *from = f->window[w], *into = f->window[w / 2];
        for (unsigned level = 0; level < SL_FOOTPRINT_LEVELS; level++) {
            uint64_t count = from[level];
            from[level] = 0;
            into[level] += count;
        }
    }
    f->log2_window++;
}

void sl_footprint_coarsen(sl_footprint *f, unsigned log2_window)
{
    while (f->log2_window < log2_window)
        add_neighbors(f);
}

uint32_t sl_footprint_windows(const sl_footprint *f)
{
    return f->accesses ? (uint32_t)((f->accesses - 1) >> f->log2_window) + 1 : 0;
}

sl_footprint_window sl_footprint_at(const sl_footprint *f, uint32_t index)
{
    sl_footprint_window w = {0};
    for (unsigned level = 0; level < SL_FOOTPRINT_LEVELS; level++) {
        w.accesses += f->window[index][level];
        if (level >= f->log2_window)
            w.lines += f->window[index][level];
    }
    w.new_lines = f->window[index][SL_FOOTPRINT_FIRST];
    return w;
}
