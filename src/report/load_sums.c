/* SPDX-License-Identifier: MIT */
#include "report/load_sums.h"

#include <stdlib.h>
#include <string.h>

bool sl_inst_same_array(const sl_inst_name *a, const sl_inst_name *b)
{
    return !strcmp(a->array, b->array);
}

bool sl_load_sums_add(sl_load_sums *sums, sl_load_sum load, const sl_counts *counts, const sl_profile_counts *reuse,
                      bool same(const sl_inst_name *, const sl_inst_name *))
{
    size_t at = same ? sums->count : 0;
    while (at && !(sums->items[at - 1].kernel == load.kernel && same(sums->items[at - 1].inst, load.inst)))
        at--;
    if (!at) {
        load.order = sums->count;
        if (!sl_array_push(sums, load))
            return false;
        at = sums->count;
    }
    sl_load_sum *to = &sums->items[at - 1];
    to->copies++;
    if (counts)
        sl_counts_merge(&to->counts, counts);
    if (reuse)
        sl_profile_counts_merge(&to->reuse, reuse);
    to->profiled |= reuse != NULL;
    return true;
}

static int by_weight(const void *left, const void *right)
{
    const sl_load_sum *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void sl_load_sums_sort(sl_load_sums *sums, sl_metric weight)
{
    for (size_t i = 0; i < sums->count; i++) {
        sl_load_sum *s = &sums->items[i];
        s->weight = sl_metric_of(weight, &(sl_metric_row){&s->counts, &s->reuse, &(sl_profile_options){0}}).part;
    }
    if (sums->count)
        qsort(sums->items, sums->count, sizeof *sums->items, by_weight);
}
