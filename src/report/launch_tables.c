/* SPDX-License-Identifier: MIT */
#include "report/launch_tables.h"

#include <inttypes.h>

#include "base/text.h"
#include "report/bars.h"
#include "report/kernel_sums.h"
#include "report/load_sums.h"

enum { MAX_KERNELS = 8, MAX_LOADS = 10, MAX_FAILURES = 10, BAR = 10 };

/* ---- launches ---- */

void sl_launch_cells(sl_table *t, const sl_logged_launch *l)
{
    char parent[40] = "";
    if (l->has_parent)
        snprintf(parent, sizeof parent, " (child of %" PRIu64 ")", l->parent);
    sl_table_cellf(t, "%" PRIu64, l->index);
    sl_table_cellf(t, "%s%s%s", l->kernel->name, parent, l->failed ? " (failed)" : "");
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
    sl_kernel_sum *sums = sl_kernel_sums_of(log);
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
    sl_kernel_sums_free(sums, log->kernel_count);
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
                    *l->failure ? l->failure : "reason not recorded");
    }
    if (failed > MAX_FAILURES)
        fprintf(file, "%zu more launches failed\n", failed - MAX_FAILURES);
}

/* ---- memory instructions ---- */

void sl_inst_cells(sl_table *t, const sl_inst_name *inst, uint32_t copies, bool opcode)
{
    char location[256], array[256];
    sl_inst_location(inst, location, sizeof location);
    if (copies > 1)
        sl_table_cellf(t, "%s (x%u)", location, copies);
    else
        sl_table_cell(t, location);
    sl_table_cell(t, opcode ? inst->opcode : "");
    sl_table_cell(t, sl_inst_array(inst, array, sizeof array));
}

/* Memory instructions of the kernel with any of the first metric, sorted by weight. */
static bool sum_loads(const sl_kernel_sum *sum, const sl_load_view *view, sl_load_sums *loads)
{
    for (uint32_t i = 0; i < sum->kernel->insts; i++) {
        const sl_inst_name *inst = &sum->kernel->inst[i];
        const sl_metric_row row = {.counts = &sum->load[i]};
        if (inst->space == SL_MEM_SHARED || !sl_metric_of(view->metrics.metric[0], &row).part ||
            (loads->rows == SL_ROW_PER_ARRAY && !*inst->array))
            continue;
        if (!sl_load_sums_add(loads, (sl_load_sum){.inst = inst}, &sum->load[i], NULL))
            return false;
    }
    sl_load_sums_sort(loads, view->weight);
    return true;
}

static sl_status print_loads(FILE *file, const sl_load_sums *loads, const sl_load_view *view, size_t width,
                             sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("location"), SL_NAMES("instruction"), SL_NAMES("array")};
    const sl_column last[] = {SL_TEXTS(view->bar)};
    bool bars = loads->count > 1 && loads->items[0].weight && (!width || width >= view->bar_width);
    sl_table *t = sl_metric_table(first, 3, &view->metrics, last, bars);
    for (size_t i = 0; i < loads->count && i < MAX_LOADS; i++) {
        const sl_load_sum *load = &loads->items[i];
        char bar[SL_BAR_BYTES];
        sl_inst_cells(t, load->inst, load->copies, view->opcodes);
        sl_table_counts(t, &view->metrics, &load->counts);
        if (bars)
            sl_table_cell(t, sl_bar((double)load->weight / (double)loads->items[0].weight, BAR, bar));
    }
    return sl_table_finish(t, file, width, error);
}

static sl_status print_arrays(FILE *file, const sl_load_sums *arrays, const sl_load_view *view, size_t width,
                              sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("array")};
    sl_table *t = sl_metric_table(first, 1, &view->metrics, NULL, 0);
    for (size_t i = 0; i < arrays->count && i < MAX_LOADS; i++) {
        sl_table_cell(t, arrays->items[i].inst->array);
        sl_table_counts(t, &view->metrics, &arrays->items[i].counts);
    }
    return sl_table_finish(t, file, width, error);
}

static sl_status print_kernel(FILE *file, const sl_kernel_sum *sum, const sl_load_view *view, size_t width,
                              sl_error *error)
{
    sl_load_sums loads = {.rows = SL_ROW_PER_LOCATION}, arrays = {.rows = SL_ROW_PER_ARRAY};
    bool good = sum_loads(sum, view, &loads) && (!view->arrays || sum_loads(sum, view, &arrays));
    sl_status status = good ? SL_OK : sl_fail_memory(error);
    if (!status && loads.count) {
        fprintf(file, "\n%s: %s\n", sum->kernel->name, view->title);
        status = print_loads(file, &loads, view, width, error);
    }
    if (!status && arrays.count > 1) {
        fprintf(file, "\n%s: arrays\n", sum->kernel->name);
        status = print_arrays(file, &arrays, view, width, error);
    }
    sl_load_sums_fini(&loads);
    sl_load_sums_fini(&arrays);
    return status;
}

sl_status sl_loads_tables(FILE *file, const sl_launch_log *log, const sl_load_view *view, size_t width, sl_error *error)
{
    sl_kernel_sum *sums = sl_kernel_sums_of(log);
    sl_status status = sums ? SL_OK : sl_fail_memory(error);
    for (uint32_t k = 0; k < log->kernel_count && k < MAX_KERNELS && !status; k++)
        status = print_kernel(file, &sums[k], view, width, error);
    if (!status && log->kernel_count > MAX_KERNELS)
        fprintf(file, "\n(%u more kernels; --json and --csv show all)\n", log->kernel_count - MAX_KERNELS);
    sl_kernel_sums_free(sums, log->kernel_count);
    return status;
}
