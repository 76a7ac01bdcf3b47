/* SPDX-License-Identifier: MIT */
#include "analysis/load_sums.h"

#include <stdlib.h>
#include <string.h>

bool sl_inst_same_array(const sl_inst_name *a, const sl_inst_name *b)
{
    return !strcmp(a->array, b->array);
}

static uint64_t key_of(sl_load_rows rows, const sl_load_sum *load)
{
    const sl_inst_name *inst = load->inst;
    uint32_t line;
    const char *text = rows == SL_ROW_PER_LINE ? sl_inst_line(inst, &line) : inst->array;
    if (rows == SL_ROW_PER_LOCATION)
        return sl_hash_mix(sl_inst_location_hash(inst) + inst->which + load->kernel);
    return sl_hash_mix(sl_hash64(text, strlen(text)) + (rows == SL_ROW_PER_LINE ? line : 0) + load->kernel);
}

static bool is_one_row(sl_load_rows rows, const sl_inst_name *a, const sl_inst_name *b)
{
    uint32_t line[2];
    if (rows == SL_ROW_PER_LINE)
        return !strcmp(sl_inst_line(a, &line[0]), sl_inst_line(b, &line[1])) && line[0] == line[1];
    return rows == SL_ROW_PER_ARRAY ? sl_inst_same_array(a, b) : sl_inst_same_row(a, b);
}

static uint64_t array_key(const void *items, uint32_t item)
{
    return key_of(SL_ROW_PER_ARRAY, (const sl_load_sum *)items + item);
}

static uint64_t line_key(const void *items, uint32_t item)
{
    return key_of(SL_ROW_PER_LINE, (const sl_load_sum *)items + item);
}

static uint64_t location_key(const void *items, uint32_t item)
{
    return key_of(SL_ROW_PER_LOCATION, (const sl_load_sum *)items + item);
}

/* The row of an instruction; SIZE_MAX: there is none yet. */
static size_t find_row(const sl_load_sums *sums, const sl_load_sum *load, uint64_t key)
{
    sl_index_for(&sums->index, key, at)
    {
        const sl_load_sum *row = &sums->items[sl_index_item(&sums->index, at)];
        if (row->kernel == load->kernel && is_one_row(sums->rows, row->inst, load->inst))
            return sl_index_item(&sums->index, at);
    }
    return SIZE_MAX;
}

bool sl_load_sums_add(sl_load_sums *sums, sl_load_sum load, const sl_counts *counts, const sl_profile_counts *reuse)
{
    sl_index_key *const keys[] = {
        [SL_ROW_PER_LOCATION] = location_key, [SL_ROW_PER_LINE] = line_key, [SL_ROW_PER_ARRAY] = array_key};
    bool indexed = sums->rows != SL_ROW_PER_INST;
    uint64_t key = indexed ? key_of(sums->rows, &load) : 0;
    size_t at = indexed ? find_row(sums, &load, key) : SIZE_MAX;
    if (at == SIZE_MAX) {
        at = load.order = sums->count;
        if (!sl_array_reserve(sums, 1) ||
            (indexed && !sl_index_add(&sums->index, key, (uint32_t)at, keys[sums->rows], sums->items)))
            return false;
        sums->items[sums->count++] = load;
    }
    sl_load_sum *to = &sums->items[at];
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

void sl_load_sums_fini(sl_load_sums *sums)
{
    sl_array_free(sums);
    sl_index_fini(&sums->index);
}

void sl_kernel_sums_free(sl_kernel_sum *sums, uint32_t count)
{
    for (uint32_t k = 0; sums && k < count; k++)
        free(sums[k].load);
    free(sums);
}

static bool add_launch(sl_kernel_sum *sum, const sl_logged_launch *l)
{
    if (!sum->load)
        sum->load = calloc(l->kernel->insts + 1, sizeof *sum->load);
    if (!sum->load)
        return false;
    sl_counts counts = sl_unpack_counts(&l->counts);
    sum->kernel = l->kernel;
    sum->launches++;
    sum->failed += l->failed;
    sl_counts_merge(&sum->counts, &counts);
    for (uint32_t i = 0; i < l->loads; i++) {
        counts = sl_unpack_counts(&l->load[i].counts);
        sl_counts_merge(&sum->load[l->load[i].inst], &counts);
    }
    return true;
}

sl_kernel_sum *sl_kernel_sums_of(const sl_launch_log *log)
{
    sl_kernel_sum *sums = calloc(log->kernel_count + 1, sizeof *sums);
    bool good = sums;
    for (size_t i = 0; good && i < log->launches.count; i++)
        good = add_launch(&sums[log->launches.items[i].kernel->number], &log->launches.items[i]);
    if (!good)
        sl_kernel_sums_free(sums, log->kernel_count);
    return good ? sums : NULL;
}

static int by_kernel_weight(const void *left, const void *right)
{
    const sl_kernel_sum *a = *(const sl_kernel_sum *const *)left, *b = *(const sl_kernel_sum *const *)right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a > b) - (a < b);
}

const sl_kernel_sum **sl_kernel_sums_by_weight(sl_kernel_sum *sums, uint32_t count, sl_metric weight)
{
    const sl_kernel_sum **order = calloc(count + 1u, sizeof *order);
    for (uint32_t k = 0; order && k < count; k++) {
        order[k] = &sums[k];
        sums[k].weight = 0;
        for (uint32_t i = 0; i < sums[k].kernel->insts && sums[k].load; i++)
            sums[k].weight += sl_metric_of(weight, &(sl_metric_row){.counts = &sums[k].load[i]}).part;
    }
    if (order && count)
        qsort(order, count, sizeof *order, by_kernel_weight);
    return order;
}
