/* SPDX-License-Identifier: MIT */
#include "report/launch_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/bars.h"

enum { MAX_KERNELS = 8, MAX_LOADS = 10, MAX_FAILURES = 10, BAR = 10 };

/* A memory instruction, with its copies: an unrolled loop has many of each. */
typedef struct load_sum {
    const sl_inst_name *inst; /* the first; NULL: it did not run */
    uint32_t copies;
    uint64_t weight;
    sl_counts counts;
} load_sum;

/* The launches of a kernel. */
typedef struct kernel_sum {
    const sl_logged_kernel *kernel;
    uint64_t launches, failed;
    sl_counts counts;
    uint32_t loads;
    load_sum *load; /* [kernel->insts] */
} kernel_sum;

/* ---- sums ---- */

static void free_sums(kernel_sum *sums, uint32_t count)
{
    for (uint32_t k = 0; sums && k < count; k++)
        free(sums[k].load);
    free(sums);
}

static bool add_launch(kernel_sum *sum, const sl_logged_launch *l)
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
        load_sum *load = &sum->load[l->load[i].inst];
        counts = sl_unpack_counts(&l->load[i].counts);
        load->inst = &l->kernel->inst[l->load[i].inst];
        sl_counts_merge(&load->counts, &counts);
    }
    return true;
}

/* One per kernel, in order of first launch; NULL when memory runs out. */
static kernel_sum *sum_kernels(const sl_launch_log *log)
{
    kernel_sum *sums = calloc(log->kernel_count + 1, sizeof *sums);
    bool good = sums;
    for (size_t i = 0; good && i < log->launches.count; i++)
        good = add_launch(&sums[log->launches.items[i].kernel->number], &log->launches.items[i]);
    if (!good)
        free_sums(sums, log->kernel_count);
    return good ? sums : NULL;
}

/* ---- launches ---- */

void sl_launch_cells(sl_table *t, const sl_logged_launch *l)
{
    sl_table_cellf(t, "%" PRIu64, l->index);
    sl_table_cellf(t, "%s%s", l->kernel->name, l->failed ? " (failed)" : "");
}

static void launch_rows(sl_table *t, const sl_launch_log *log, const sl_metric_list *metrics, bool shape)
{
    sl_counts sum = {0};
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        char text[SL_HUMAN_BYTES];
        sl_counts counts = sl_unpack_counts(&l->counts);
        sl_launch_cells(t, l);
        if (shape) {
            sl_table_dims(t, l->grid);
            sl_table_dims(t, l->block);
        }
        sl_table_counts(t, metrics, &counts);
        if (shape)
            sl_table_cell(t, l->trace_bytes ? sl_human_bytes(l->trace_bytes, text) : "");
        sl_counts_merge(&sum, &counts);
    }
    if (log->launches.count < 2)
        return;
    sl_table_cell(t, "");
    sl_table_cellf(t, "all %zu launches", log->launches.count);
    for (int i = 0; i < 2 * shape; i++)
        sl_table_cell(t, "");
    sl_table_counts(t, metrics, &sum);
    if (shape)
        sl_table_cell(t, "");
}

static sl_status print_launches(FILE *file, const sl_launch_log *log, const sl_metric_list *metrics, bool shape,
                                size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel"), SL_NUMBERS("grid"), SL_NUMBERS("block")};
    static const sl_column last[] = {SL_NUMBERS("in trace")};
    sl_table *t = sl_metric_table(first, shape ? 4 : 2, metrics, last, shape);
    launch_rows(t, log, metrics, shape);
    return sl_table_finish(t, file, width, error);
}

static sl_status print_kernels(FILE *file, const sl_launch_log *log, const sl_metric_list *metrics, size_t width,
                               sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("failed")};
    kernel_sum *sums = sum_kernels(log);
    if (!sums)
        return sl_fail_memory(error);
    sl_counts all = {0};
    sl_table *t = sl_metric_table(first, 3, metrics, NULL, 0);
    for (uint32_t k = 0; k < log->kernel_count; k++) {
        sl_table_cell(t, sums[k].kernel->name);
        sl_table_count(t, sums[k].launches);
        if (sums[k].failed)
            sl_table_count(t, sums[k].failed);
        else
            sl_table_cell(t, "");
        sl_table_counts(t, metrics, &sums[k].counts);
        sl_counts_merge(&all, &sums[k].counts);
    }
    if (log->kernel_count > 1) {
        sl_table_cell(t, "all kernels");
        sl_table_count(t, log->launches.count);
        sl_table_cell(t, "");
        sl_table_counts(t, metrics, &all);
    }
    free_sums(sums, log->kernel_count);
    sl_status status = sl_table_finish(t, file, width, error);
    if (!status)
        fprintf(file, "\n%zu launches, summed by kernel; --json and --csv show each\n", log->launches.count);
    return status;
}

sl_status sl_launches_table(FILE *file, const sl_launch_log *log, const sl_metric_list *metrics, bool shape,
                            size_t width, sl_error *error)
{
    if (log->launches.count > SL_MAX_LAUNCH_LINES)
        return print_kernels(file, log, metrics, width, error);
    return print_launches(file, log, metrics, shape, width, error);
}

void sl_failures_text(FILE *file, const sl_launch_log *log)
{
    size_t failed = 0;
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        if (l->failed && failed++ < MAX_FAILURES)
            fprintf(file, "%slaunch %" PRIu64 " failed: %s\n", failed == 1 ? "\n" : "", l->index,
                    *l->failure ? l->failure : "it was not recorded why");
    }
    if (failed > MAX_FAILURES)
        fprintf(file, "%zu more launches failed\n", failed - MAX_FAILURES);
}

/* ---- memory instructions ---- */

void sl_inst_cells(sl_table *t, const sl_inst_name *inst, uint32_t copies, bool opcode)
{
    char place[256];
    sl_inst_place(inst, place, sizeof place);
    if (copies > 1)
        sl_table_cellf(t, "%s (x%u)", place, copies);
    else
        sl_table_cell(t, place);
    sl_table_cell(t, opcode ? inst->opcode : "");
    sl_table_cell(t, inst->array);
}

/* The heaviest first; among equals in program order. */
static int by_weight(const void *left, const void *right)
{
    const load_sum *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->inst > b->inst) - (a->inst < b->inst);
}

static void sort_loads(load_sum *load, uint32_t count, sl_metric weight)
{
    for (uint32_t i = 0; i < count; i++)
        load[i].weight = sl_metric_of(weight, &(sl_metric_row){.counts = &load[i].counts}).part;
    if (count)
        qsort(load, count, sizeof *load, by_weight);
}

static bool same_array(const sl_inst_name *a, const sl_inst_name *b)
{
    return *b->array && !strcmp(a->array, b->array);
}

/* Joins what is the same, in place; sorted. */
static void group_loads(kernel_sum *sum, const sl_load_view *view,
                        bool same(const sl_inst_name *, const sl_inst_name *))
{
    uint32_t used = 0, insts = sum->loads ? sum->loads : sum->kernel->insts;
    for (uint32_t i = 0; i < insts; i++) {
        load_sum *load = &sum->load[i], one = *load;
        if (!load->inst || load->inst->space == SL_MEM_SHARED ||
            !sl_metric_of(view->metrics.metric[0], &(sl_metric_row){.counts = &load->counts}).part)
            continue;
        uint32_t at = 0;
        while (at < used && !same(sum->load[at].inst, load->inst))
            at++;
        if (at < used) {
            sl_counts_merge(&sum->load[at].counts, &load->counts);
        } else {
            one.copies = 0;
            sum->load[used++] = one;
        }
        sum->load[at].copies++;
    }
    sum->loads = used;
    sort_loads(sum->load, used, view->weight);
}

static sl_status print_loads(FILE *file, const kernel_sum *sum, const sl_load_view *view, size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("place"), SL_NAMES("instruction"), SL_NAMES("array")};
    const sl_column last[] = {SL_TEXTS(view->bar)};
    bool bars = sum->loads > 1 && sum->load[0].weight && (!width || width >= view->bar_width);
    sl_table *t = sl_metric_table(first, 3, &view->metrics, last, bars);
    for (uint32_t i = 0; i < sum->loads && i < MAX_LOADS; i++) {
        const load_sum *load = &sum->load[i];
        char bar[SL_BAR_BYTES];
        sl_inst_cells(t, load->inst, load->copies, view->opcodes);
        sl_table_counts(t, &view->metrics, &load->counts);
        if (bars)
            sl_table_cell(t, sl_bar((double)load->weight / (double)sum->load[0].weight, BAR, bar));
    }
    fprintf(file, "\n%s: %s\n", sum->kernel->name, view->title);
    return sl_table_finish(t, file, width, error);
}

/* By array, for kernels that load from several. */
static sl_status print_arrays(FILE *file, kernel_sum *sum, const sl_load_view *view, size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("array")};
    uint32_t named = 0;
    group_loads(sum, view, same_array);
    for (uint32_t i = 0; i < sum->loads; i++)
        if (*sum->load[i].inst->array)
            sum->load[named++] = sum->load[i];
    if (named < 2)
        return SL_OK;
    sl_table *t = sl_metric_table(first, 1, &view->metrics, NULL, 0);
    for (uint32_t i = 0; i < named && i < MAX_LOADS; i++) {
        sl_table_cell(t, sum->load[i].inst->array);
        sl_table_counts(t, &view->metrics, &sum->load[i].counts);
    }
    fprintf(file, "\n%s: arrays\n", sum->kernel->name);
    return sl_table_finish(t, file, width, error);
}

sl_status sl_loads_tables(FILE *file, const sl_launch_log *log, const sl_load_view *view, size_t width, sl_error *error)
{
    kernel_sum *sums = sum_kernels(log);
    sl_status status = sums ? SL_OK : sl_fail_memory(error);
    for (uint32_t k = 0; k < log->kernel_count && k < MAX_KERNELS && !status; k++) {
        group_loads(&sums[k], view, sl_inst_same_place);
        if (sums[k].loads)
            status = print_loads(file, &sums[k], view, width, error);
        if (!status && sums[k].loads && view->arrays)
            status = print_arrays(file, &sums[k], view, width, error);
    }
    if (!status && log->kernel_count > MAX_KERNELS)
        fprintf(file, "\n(%u more kernels; --json and --csv show all)\n", log->kernel_count - MAX_KERNELS);
    free_sums(sums, log->kernel_count);
    return status;
}
