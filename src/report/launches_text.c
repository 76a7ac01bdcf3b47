/* SPDX-License-Identifier: MIT */
/* Launches as tables for people: a line per launch, or per kernel where there are many; then, per kernel, the memory
 * instructions that cause the most traffic. */
#include <string.h>

#include "base/text.h"
#include "report/bars.h"
#include "report/launch_log.h"
#include "report/table.h"

enum { MOST_LAUNCH_LINES = 40, MOST_KERNELS = 8, MOST_LOADS = 10, BAR = 10, WIDE = 90 };

static uint64_t value_of(const sl_counts *counts, sl_counter counter)
{
    return counts->value[counter];
}

static void cell_count(sl_table *t, const sl_counts *counts, sl_counter counter)
{
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, sl_counts_has(counts, counter) ? sl_human_count(value_of(counts, counter), text) : "");
}

/* How many sectors a request needs: 4 for neighbouring 4-byte words, 32 for words far apart. */
static void cell_ratio(sl_table *t, uint64_t amount, uint64_t requests)
{
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, requests ? sl_human_ratio((double)amount / (double)requests, 2, text) : "");
}

static void cell_time(sl_table *t, const sl_counts *c)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    char text[SL_HUMAN_BYTES];
    double time = (double)value_of(c, SL_COUNTER_time_ns);
    int unit = 0;
    for (; time >= 1000 && unit < 3; unit++)
        time /= 1000;
    if (sl_counts_has(c, SL_COUNTER_time_ns))
        sl_table_cellf(t, "%s %s", sl_human_ratio(time, unit ? 2 : 0, text), units[unit]);
    else
        sl_table_cell(t, "");
}

static void cell_counters(sl_table *t, const sl_counts *c)
{
    cell_time(t, c);
    cell_count(t, c, SL_COUNTER_warp_insts);
    cell_count(t, c, SL_COUNTER_thread_insts);
    cell_count(t, c, SL_COUNTER_ld_requests);
    cell_count(t, c, SL_COUNTER_ld_sectors);
    cell_ratio(t, value_of(c, SL_COUNTER_ld_sectors), value_of(c, SL_COUNTER_ld_requests));
    cell_count(t, c, SL_COUNTER_st_requests);
    cell_count(t, c, SL_COUNTER_st_sectors);
    sl_counts atomics = {.known = c->known >> SL_COUNTER_atom_sectors & 1,
                         .value = {value_of(c, SL_COUNTER_atom_sectors) + value_of(c, SL_COUNTER_red_sectors)}};
    cell_count(t, &atomics, (sl_counter)0);
}

static void cell_footprint(sl_table *t, const sl_counts *c)
{
    char text[SL_HUMAN_BYTES];
    bool known = sl_counts_has(c, SL_COUNTER_footprint_bytes);
    sl_table_cell(t, known ? sl_human_bytes(value_of(c, SL_COUNTER_footprint_bytes), text) : "");
}

#define COUNTER_COLUMNS                                                                                                \
    {"time", true, false}, {"warp insts", true, false}, {"thread insts", true, false}, {"ld req", true, false},        \
        {"ld sectors", true, false}, {"sect/req", true, false}, {"st req", true, false}, {"st sectors", true, false},  \
    {                                                                                                                  \
        "atomics", true, false                                                                                         \
    }

static sl_status print_launches(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"#", true, false},       {"kernel", false, true}, {"grid", true, false},
                                        {"block", true, false},   COUNTER_COLUMNS,         {"footprint", true, false},
                                        {"in trace", true, false}};
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        sl_counts counts = sl_unpack_counts(&l->counts);
        sl_table_cellf(t, "%llu", (unsigned long long)l->index);
        sl_table_cellf(t, "%s%s", l->kernel->name, l->failed ? " (failed)" : "");
        sl_table_dims(t, l->grid);
        sl_table_dims(t, l->block);
        cell_counters(t, &counts);
        cell_footprint(t, &counts);
        char text[SL_HUMAN_BYTES];
        sl_table_cell(t, l->trace_bytes ? sl_human_bytes(l->trace_bytes, text) : "");
    }
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* Sums over the launches of one kernel. */
typedef struct kernel_sum {
    const sl_logged_kernel *kernel;
    uint64_t launches;
    sl_counts counts;
    sl_counts *load; /* [kernel->insts] */
} kernel_sum;

static void free_sums(kernel_sum *sums, uint32_t count)
{
    for (uint32_t k = 0; sums && k < count; k++)
        free(sums[k].load);
    free(sums);
}

/* One per kernel, in order of first launch; NULL when memory runs out. */
static kernel_sum *sum_kernels(const sl_launch_log *log)
{
    kernel_sum *sums = calloc(log->kernel_count ? log->kernel_count : 1, sizeof *sums);
    for (size_t i = 0; sums && i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        kernel_sum *sum = &sums[l->kernel->number];
        if (!sum->load)
            sum->load = calloc(l->kernel->insts ? l->kernel->insts : 1, sizeof *sum->load);
        if (!sum->load) {
            free_sums(sums, log->kernel_count);
            return NULL;
        }
        sl_counts counts = sl_unpack_counts(&l->counts);
        sum->kernel = l->kernel;
        sum->launches++;
        sl_counts_merge(&sum->counts, &counts);
        for (uint32_t k = 0; k < l->loads; k++) {
            sl_counts load = sl_unpack_counts(&l->load[k].counts);
            sl_counts_merge(&sum->load[l->load[k].inst], &load);
        }
    }
    return sums;
}

static sl_status print_kernels(FILE *file, const kernel_sum *sums, uint32_t count, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true}, {"launches", true, false}, COUNTER_COLUMNS};
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (uint32_t k = 0; k < count; k++) {
        char text[SL_HUMAN_BYTES];
        sl_table_cell(t, sums[k].kernel->name);
        sl_table_cell(t, sl_human_count(sums[k].launches, text));
        cell_counters(t, &sums[k].counts);
    }
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* ---- memory instructions ---- */

/* Instructions of one place, opcode and array: an unrolled loop has many copies of each. */
typedef struct load_group {
    const sl_inst_name *inst; /* the first */
    uint32_t copies;
    uint64_t requests, amount; /* amount: sectors */
} load_group;

static void add_to_group(load_group *group, const sl_counts *c)
{
    group->copies++;
    for (int i = 0; i < SL_COUNTERS; i++)
        if (!strcmp(sl_counter_infos[i].unit, "requests"))
            group->requests += c->value[i];
        else
            group->amount += c->value[i];
}

/* The heaviest first; among equals in program order. */
static int compare_groups(const void *left, const void *right)
{
    const load_group *a = left, *b = right;
    if (a->amount != b->amount)
        return a->amount > b->amount ? -1 : 1;
    return (a->inst > b->inst) - (a->inst < b->inst);
}

/* Groups of what reaches beyond the multiprocessor, sorted. *count of them; NULL when memory runs out. */
static load_group *group_loads(const kernel_sum *sum, size_t *count)
{
    load_group *groups = calloc(sum->kernel->insts ? sum->kernel->insts : 1, sizeof *groups);
    *count = 0;
    for (uint32_t s = 0; groups && s < sum->kernel->insts; s++) {
        const sl_inst_name *inst = &sum->kernel->inst[s];
        if (!sum->load[s].known || inst->space == SL_MEM_SHARED)
            continue;
        size_t g = 0;
        while (g < *count && !sl_inst_same_place(groups[g].inst, inst))
            g++;
        if (g == *count)
            groups[(*count)++].inst = inst;
        add_to_group(&groups[g], &sum->load[s]);
    }
    if (groups)
        qsort(groups, *count, sizeof *groups, compare_groups);
    return groups;
}

/* The bar is as long as the longest for the heaviest of the kernel. */
static void cell_group(sl_table *t, const load_group *group, uint64_t most)
{
    char bar[SL_BAR_BYTES];
    char text[SL_HUMAN_BYTES], place[256];
    sl_inst_place(group->inst, place, sizeof place);
    if (group->copies > 1)
        sl_table_cellf(t, "  %s (x%u)", place, group->copies);
    else
        sl_table_cellf(t, "  %s", place);
    sl_table_cell(t, group->inst->opcode);
    sl_table_cell(t, group->inst->array);
    sl_table_cell(t, sl_human_count(group->requests, text));
    sl_table_cell(t, group->amount ? sl_human_count(group->amount, text) : "");
    cell_ratio(t, group->amount, group->amount ? group->requests : 0);
    sl_table_cell(t, most ? sl_bar((double)group->amount / (double)most, BAR, bar) : "");
}

static sl_status print_loads(FILE *file, const kernel_sum *sum, size_t width, sl_error *error)
{
    static const sl_column columns[] = {
        {"  place", false, true}, {"instruction", false, true}, {"array", false, true},   {"requests", true, false},
        {"sectors", true, false}, {"per req", true, false},     {"traffic", false, false}};
    size_t count;
    load_group *groups = group_loads(sum, &count);
    uint64_t most = groups && count > 1 && (!width || width >= WIDE) ? groups[0].amount : 0;
    sl_table *t = groups ? sl_table_create(columns, sizeof columns / sizeof *columns) : NULL;
    sl_status status = t ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; !status && i < count && i < MOST_LOADS; i++)
        cell_group(t, &groups[i], most);
    if (!status && count) {
        fprintf(file, "\n%s: memory instructions with the most traffic\n", sum->kernel->name);
        status = sl_table_print(t, file, width, error);
    }
    sl_table_destroy(t);
    free(groups);
    return status;
}

sl_status sl_launch_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    if (!log->launches.count) {
        fputs("no kernel was launched\n", file);
        return SL_OK;
    }
    kernel_sum *sums = sum_kernels(log);
    if (!sums)
        return sl_fail_memory(error);
    sl_status status;
    if (log->launches.count <= MOST_LAUNCH_LINES)
        status = print_launches(file, log, width, error);
    else
        status = print_kernels(file, sums, log->kernel_count, width, error);
    for (uint32_t k = 0; k < log->kernel_count && k < MOST_KERNELS && !status; k++)
        status = print_loads(file, &sums[k], width, error);
    if (!status && log->kernel_count > MOST_KERNELS)
        fprintf(file, "\n(%u more kernels; --json and --csv show all)\n", log->kernel_count - MOST_KERNELS);
    if (!status && log->launches.count > MOST_LAUNCH_LINES)
        fprintf(file, "\n%zu launches, summed by kernel; --json and --csv show each\n", log->launches.count);
    free_sums(sums, log->kernel_count);
    return status;
}
