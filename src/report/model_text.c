/* SPDX-License-Identifier: MIT */
/* A line per launch with hit rates and classes of misses, then per kernel the loads that miss most, and its arrays. */
#include "report/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/bars.h"
#include "report/launch_log.h"
#include "report/table.h"

enum { MOST_LOADS = 10, MOST_KERNELS = 8, BAR = 10, WIDE = 140 };

static void cell_count(sl_table *t, const sl_counts *c, sl_counter counter)
{
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, sl_counts_has(c, counter) ? sl_human_count(c->value[counter], text) : "");
}

static void cell_share(sl_table *t, const sl_counts *c, sl_counter part, sl_counter whole)
{
    char text[SL_HUMAN_BYTES];
    if (!sl_counts_has(c, part) || !c->value[whole])
        sl_table_cell(t, "");
    else
        sl_table_cellf(t, "%s%%", sl_human_ratio(100.0 * (double)c->value[part] / (double)c->value[whole], 1, text));
}

#define MODEL_COLUMNS                                                                                                  \
    {"ld sectors", true, false}, {"L1 hit", true, false}, {"compuls", true, false}, {"capac", true, false},            \
        {"confl", true, false}, {"store", true, false}, {"mshr", true, false}, {"(late)", true, false},                \
        {"L2 reads", true, false}, {"L2 hit", true, false},                                                            \
    {                                                                                                                  \
        "DRAM reads", true, false                                                                                      \
    }

static void cell_model(sl_table *t, const sl_counts *c)
{
    cell_count(t, c, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_ld_sector_hits, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_compulsory_sectors, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_capacity_sectors, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_conflict_sectors, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_store_sectors, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_mshr_sectors, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_latency_sectors, SL_COUNTER_ld_sectors);
    cell_count(t, c, SL_COUNTER_l2_read_sectors);
    cell_share(t, c, SL_COUNTER_l2_read_hits, SL_COUNTER_l2_read_sectors);
    cell_count(t, c, SL_COUNTER_dram_read_sectors);
}

/* As long as the longest for `most`; terminals without room for it have none. */
static void cell_bar(sl_table *t, uint64_t value, uint64_t most)
{
    char bar[SL_BAR_BYTES];
    sl_table_cell(t, most ? sl_bar((double)value / (double)most, BAR, bar) : "");
}

/* ---- launches ---- */

static sl_status print_launches(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"#", true, false}, {"kernel", false, true}, MODEL_COLUMNS};
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        sl_counts counts = sl_unpack_counts(&l->counts);
        sl_table_cellf(t, "%llu", (unsigned long long)l->index);
        sl_table_cell(t, l->kernel->name);
        cell_model(t, &counts);
    }
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* ---- loads ---- */

typedef struct load_sum {
    const sl_inst_name *inst;
    sl_counts counts;
} load_sum;

static int by_misses(const void *left, const void *right)
{
    const load_sum *a = left, *b = right;
    uint64_t x = a->counts.value[SL_COUNTER_ld_sector_misses], y = b->counts.value[SL_COUNTER_ld_sector_misses];
    if (x != y)
        return x < y ? 1 : -1;
    return (a->inst > b->inst) - (a->inst < b->inst);
}

static sl_status print_loads(FILE *file, const sl_logged_kernel *kernel, const load_sum *sums, size_t width,
                             sl_error *error)
{
    static const sl_column columns[] = {
        {"place", false, true}, {"array", false, true}, MODEL_COLUMNS, {"misses", false, false}};
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    uint64_t most = !width || width >= WIDE ? sums[0].counts.value[SL_COUNTER_ld_sector_misses] : 0;
    fprintf(file, "\n%s: loads with the most misses\n", kernel->name);
    for (uint32_t i = 0; i < kernel->insts && i < MOST_LOADS; i++) {
        if (!sums[i].counts.value[SL_COUNTER_ld_sectors])
            break;
        char place[256];
        sl_table_cell(t, sl_inst_place(sums[i].inst, place, sizeof place));
        sl_table_cell(t, sums[i].inst->array);
        cell_model(t, &sums[i].counts);
        cell_bar(t, sums[i].counts.value[SL_COUNTER_ld_sector_misses], most);
    }
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* The same by array, for kernels that load from several. */
static sl_status print_arrays(FILE *file, const sl_logged_kernel *kernel, const load_sum *sums, size_t width,
                              sl_error *error)
{
    static const sl_column columns[] = {{"array", false, true}, MODEL_COLUMNS};
    uint32_t arrays = 0;
    load_sum *array = calloc(kernel->insts ? kernel->insts : 1, sizeof *array);
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    sl_status status = array && t ? SL_OK : sl_fail_memory(error);
    for (uint32_t i = 0; i < kernel->insts && !status; i++) {
        uint32_t at = 0;
        if (!sums[i].counts.value[SL_COUNTER_ld_sectors] || !*sums[i].inst->array)
            continue;
        while (at < arrays && strcmp(array[at].inst->array, sums[i].inst->array))
            at++;
        arrays += at == arrays;
        array[at].inst = sums[i].inst;
        sl_counts_merge(&array[at].counts, &sums[i].counts);
    }
    qsort(array, arrays, sizeof *array, by_misses);
    for (uint32_t i = 0; i < arrays && i < MOST_LOADS && !status; i++) {
        sl_table_cell(t, array[i].inst->array);
        cell_model(t, &array[i].counts);
    }
    if (!status && arrays > 1) {
        fprintf(file, "\n%s: arrays\n", kernel->name);
        status = sl_table_print(t, file, width, error);
    }
    sl_table_destroy(t);
    free(array);
    return status;
}

static sl_status print_kernel(FILE *file, const sl_launch_log *log, uint32_t number, size_t width, sl_error *error)
{
    const sl_logged_kernel *kernel = NULL;
    load_sum *sums = NULL;
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        if (l->kernel->number != number)
            continue;
        if (!kernel) {
            kernel = l->kernel;
            sums = calloc(kernel->insts ? kernel->insts : 1, sizeof *sums);
            if (!sums)
                return sl_fail_memory(error);
            for (uint32_t s = 0; s < kernel->insts; s++)
                sums[s].inst = &kernel->inst[s];
        }
        for (uint32_t s = 0; s < l->loads; s++) {
            sl_counts counts = sl_unpack_counts(&l->load[s].counts);
            sl_counts_merge(&sums[l->load[s].inst].counts, &counts);
        }
    }
    sl_status status = SL_OK;
    if (kernel) {
        qsort(sums, kernel->insts, sizeof *sums, by_misses);
        if (kernel->insts && sums[0].counts.value[SL_COUNTER_ld_sectors])
            status = print_loads(file, kernel, sums, width, error);
        if (!status)
            status = print_arrays(file, kernel, sums, width, error);
    }
    free(sums);
    return status;
}

sl_status sl_model_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    sl_status status = print_launches(file, log, width, error);
    for (uint32_t k = 0; k < log->kernel_count && k < MOST_KERNELS && !status; k++)
        status = print_kernel(file, log, k, width, error);
    return status;
}
