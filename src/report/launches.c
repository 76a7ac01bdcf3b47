/* SPDX-License-Identifier: MIT */
/* Launches for programs, every value exact, and the tables of launches, kernels and memory instructions for people. */
#include "report/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/launch_groups.h"
#include "analysis/load_sums.h"
#include "base/text.h"
#include "report/findings.h"
#include "report/table.h"

/* ---- cells ---- */

void sl_launch_id_cells(sl_table *t, uint64_t index, const char *symbol, const char *name)
{
    sl_table_exact(t, index);
    sl_table_cell(t, symbol);
    sl_table_cell(t, name);
}

static void launch_shape_cells(sl_table *t, const sl_logged_launch *l)
{
    sl_launch_id_cells(t, l->index, l->kernel->symbol, l->kernel->name);
    sl_table_dims(t, l->grid);
    sl_table_dims(t, l->block);
}

void sl_inst_id_cells(sl_table *t, const sl_inst_name *inst)
{
    char source[512], inlined[4096];
    bool allocated = inst->allocation && *inst->allocation;
    sl_table_exact(t, inst->pc);
    if (inst->ptx_line)
        sl_table_exact(t, inst->ptx_line);
    else
        sl_table_none(t);
    sl_table_known(t, sl_inst_source(inst, source, sizeof source));
    sl_table_cell(t, inst->opcode);
    sl_table_known(t, inst->array);
    sl_table_known(t, inst->allocation);
    if (allocated)
        sl_table_exact(t, inst->allocation_bytes);
    else
        sl_table_none(t);
    sl_table_known(t, sl_inst_inlined(inst, true, inlined, sizeof inlined));
}

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

/* ---- launches for programs ---- */

#define LABEL_COLUMNS                                                                                                  \
    SL_DATA_IN("range", SL_FORM_DATA | SL_FORM_OPTIONAL), SL_DATA_IN("caller", SL_FORM_DATA | SL_FORM_OPTIONAL),       \
        SL_DATA_IN("mark", SL_FORM_DATA | SL_FORM_OPTIONAL)
/* Behind the columns of all launches come, of the simulator, columns that are made here. */
#define LAUNCH_COLUMNS                                                                                                 \
    SL_LAUNCH_SHAPE, SL_DATA_IN("parent", SL_FORM_DATA | SL_FORM_OPTIONAL), SL_DATA_IN("repeats", SL_FORM_JSON),       \
        LABEL_COLUMNS, SL_DATA_IN("blocks_recorded", SL_FORM_JSON), SL_DATA_IN("failed", SL_FORM_JSON),                \
        SL_DATA_IN("failure", SL_FORM_DATA | SL_FORM_OPTIONAL), SL_DATA_IN("trace_bytes", SL_FORM_JSON),               \
        SL_DATA_IN("estimated_from", SL_FORM_DATA | SL_FORM_OPTIONAL), SL_DATA_IN("counters", SL_FORM_DATA)

static void known_count(sl_table *t, bool known, uint64_t value)
{
    if (known)
        sl_table_exact(t, value);
    else
        sl_table_none(t);
}

static void label_cells(sl_table *t, const sl_logged_launch *l)
{
    char text[SL_LABEL_BYTES];
    for (int i = 0; i < SL_LABELS; i++)
        sl_table_known(t, l->label[i] ? sl_label_text((sl_label)i, l->label[i], text, sizeof text) : NULL);
}

static void launch_cells(sl_table *t, const sl_logged_launch *l)
{
    launch_shape_cells(t, l);
    known_count(t, l->has_parent, l->parent);
    known_count(t, l->repeats, l->original);
    label_cells(t, l);
    known_count(t, l->blocks_recorded != l->blocks, l->blocks_recorded);
    if (l->failed)
        sl_table_bool(t, true);
    else
        sl_table_none(t);
    sl_table_known(t, !l->failed ? NULL : *l->failure ? l->failure : "failed");
    known_count(t, l->trace_bytes, l->trace_bytes);
    known_count(t, l->stood_for, l->stand_in);
    sl_table_counters(t, &l->counts);
}

/* The tables of a launch. */
typedef struct launch_children {
    sl_table *loads, *stores, *arrays, *levels, *policies;
} launch_children;

static bool is_store(const sl_inst_name *inst)
{
    return inst->access == SL_ACCESS_STORE || inst->access == SL_ACCESS_REDUCTION;
}

static void add_details(const launch_children *to, const sl_logged_launch *l)
{
    for (uint32_t i = 0; i < l->loads; i++) {
        const sl_inst_name *inst = &l->kernel->inst[l->load[i].inst];
        sl_table *t = is_store(inst) ? to->stores : to->loads;
        sl_inst_id_cells(t, inst);
        sl_table_counters(t, &l->load[i].counts);
    }
    for (size_t i = 0; i < l->arrays; i++) {
        bool allocated = *l->array[i].allocation;
        sl_table_cell(to->arrays, l->array[i].name);
        sl_table_exact(to->arrays, l->array[i].bytes);
        sl_table_known(to->arrays, l->array[i].allocation);
        known_count(to->arrays, allocated, l->array[i].allocation_bytes);
    }
}

/* ---- what the simulator adds ---- */

static sl_table *level_table(sl_table *launches, const sl_machine *machine)
{
    sl_column columns[SL_LEVEL_METRICS + 1] = {SL_DATA("level")};
    (void)machine;
    for (int i = 0; i < SL_LEVEL_METRICS; i++)
        columns[i + 1] = (sl_column)SL_DATA(sl_level_metrics[i].info.name);
    return sl_table_child(launches, "levels", SL_FORM_JSON | SL_FORM_EMPTY, columns, SL_LEVEL_METRICS + 1);
}

static void level_value(sl_table *t, const sl_sim_level_result *r, int metric)
{
    double value = sl_level_value(r, metric);
    if (sl_level_metrics[metric].real)
        sl_table_number(t, value, 2, "");
    else
        sl_table_exact(t, (uint64_t)value);
}

static void simulated_children(const launch_children *to, const sl_machine *machine, const sl_result_launch *launch)
{
    for (uint32_t i = 0; i < machine->levels; i++) {
        sl_table_cell(to->levels, machine->level[i].name);
        for (int m = 0; m < SL_LEVEL_METRICS; m++)
            level_value(to->levels, &launch->level[i], m);
    }
    for (size_t i = 0; i < launch->statistics; i++) {
        const sl_policy_statistic *s = &launch->statistic[i];
        sl_table_cell(to->policies, machine->level[s->level].name);
        sl_table_cell(to->policies, s->policy);
        sl_table_cell(to->policies, s->name);
        sl_table_exact(to->policies, s->value);
    }
}

/* Cells behind those of all launches; none where the launch failed. */
static void simulated_cells(sl_table *t, const sl_result *sim, const sl_result_launch *launch, bool failed)
{
    known_count(t, !failed, launch->l1_bytes);
    known_count(t, !failed, launch->resident_blocks);
    known_count(t, !failed && sim->bounded, launch->bound.requests);
    known_count(t, !failed && sim->bounded, launch->bound.misses);
    known_count(t, !failed && sim->bounded, launch->bound.min_misses);
    for (uint32_t i = 0; i < sim->machine->levels; i++)
        for (int m = 0; m < SL_LEVEL_METRICS; m++)
            if (failed)
                sl_table_none(t);
            else
                level_value(t, &launch->level[i], m);
}

enum {
    SIM_COLUMNS = 5,
    MAX_COLUMNS = 32 + SL_MAX_LEVELS * SL_LEVEL_METRICS,
    KEY = 64,
};

/* In CSV, counters of levels are columns of the launch: "L1.hits". */
static sl_table *launches_table(sl_document *d, const sl_result *sim, sl_column columns[MAX_COLUMNS], char (*key)[KEY])
{
    static const sl_column all[] = {LAUNCH_COLUMNS};
    static const sl_column simulated[SIM_COLUMNS] = {
        SL_DATA("l1_bytes"), SL_DATA("resident_blocks"),
        SL_DATA_IN("bound_on_misses.requests", SL_FORM_DATA | SL_FORM_OPTIONAL),
        SL_DATA_IN("bound_on_misses.misses", SL_FORM_DATA | SL_FORM_OPTIONAL),
        SL_DATA_IN("bound_on_misses.min_misses", SL_FORM_DATA | SL_FORM_OPTIONAL)};
    size_t count = sizeof all / sizeof *all;
    memcpy(columns, all, sizeof all);
    if (sim) {
        memcpy(columns + count, simulated, sizeof simulated);
        count += SIM_COLUMNS;
        for (uint32_t i = 0; i < sim->machine->levels; i++)
            for (int m = 0; m < SL_LEVEL_METRICS; m++) {
                snprintf(*key, KEY, "%s.%s", sim->machine->level[i].name, sl_level_metrics[m].info.name);
                columns[count++] = (sl_column)SL_DATA_IN(*key++, SL_FORM_CSV);
            }
    }
    return sl_document_table(d, "launches", NULL, SL_FORM_DATA | SL_FORM_LOADS, columns, count);
}

/* The policies as they ran, and how parameters given as "best" were searched for. */
static void add_policies(sl_document *d, const sl_result *sim)
{
    static const sl_column columns[] = {SL_DATA("level"), SL_DATA("replacement"), SL_DATA("bypass")};
    sl_table *t = sl_document_table(d, "policies", NULL, SL_FORM_JSON, columns, 3);
    for (uint32_t i = 0; i < sim->machine->levels; i++) {
        const sl_level *level = &sim->machine->level[i];
        sl_table_cell(t, level->name);
        sl_table_cell(t, level->replacement);
        sl_table_known(t, level->bypass);
    }
}

static void add_search(sl_document *d, const sl_sim_search *search)
{
    sl_column columns[SL_MAX_SEARCHED + 1];
    if (!search->params)
        return;
    for (uint32_t i = 0; i < search->params; i++)
        columns[i] = (sl_column)SL_DATA(search->param[i].ops->params[search->param[i].param].name);
    columns[search->params] = (sl_column)SL_DATA("cycles");
    sl_table *t = sl_document_table(d, "tried", NULL, SL_FORM_JSON, columns, search->params + 1);
    for (size_t i = 0; i < search->tries; i++) {
        for (uint32_t p = 0; p < search->params; p++)
            sl_table_exact(t, search->tried[i].value[p]);
        sl_table_exact(t, search->tried[i].cycles);
    }
}

void sl_document_launches(sl_document *d, const sl_launch_log *log, const sl_result *sim)
{
    static const sl_column insts[] = {SL_INST_ID, SL_DATA("counters")},
                           arrays[] = {SL_DATA("array"), SL_DATA("footprint_bytes"), SL_DATA("allocation"),
                                       SL_DATA("allocation_bytes")},
                           policies[] = {SL_DATA("level"), SL_DATA("policy"), SL_DATA("name"), SL_DATA("value")};
    enum { INSTS = sizeof insts / sizeof *insts };
    sl_column *columns = sl_document_alloc(d, MAX_COLUMNS * sizeof *columns);
    char(*keys)[KEY] = sl_document_alloc(d, SL_MAX_LEVELS * SL_LEVEL_METRICS * sizeof *keys);
    if (!columns || !keys)
        return;
    if (sim) {
        add_policies(d, sim);
        add_search(d, &sim->search);
    }
    sl_document_findings(d);
    sl_document_groups_data(d, log);
    sl_table *t = launches_table(d, sim, columns, keys);
    bool detailed = false;
    for (size_t i = 0; i < log->launches.count; i++)
        detailed |= log->launches.items[i].load != NULL;
    unsigned forms = SL_FORM_JSON | SL_FORM_LOADS | (detailed ? SL_FORM_EMPTY : 0);
    launch_children to = {.loads = sl_table_child(t, "loads", forms, insts, INSTS),
                          .stores = sl_table_child(t, "stores", forms, insts, INSTS),
                          .arrays = sl_table_child(t, "arrays", SL_FORM_JSON, arrays, 4)};
    if (sim) {
        to.levels = level_table(t, sim->machine);
        to.policies = sl_table_child(t, "policies", SL_FORM_JSON, policies, 4);
    }
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        launch_cells(t, l);
        if (sim)
            simulated_cells(t, sim, &sim->launch[i], l->failed);
        add_details(&to, l);
        if (sim && !l->failed)
            simulated_children(&to, sim->machine, &sim->launch[i]);
    }
}

/* ---- tables for people ---- */

enum { MAX_KERNELS = 8, MAX_LOADS = 10, MAX_FAILURES = 10, BAR = 10 };

static void text_launch_cells(sl_table *t, const sl_logged_launch *l)
{
    char parent[40] = "", other[40] = "";
    if (l->has_parent)
        snprintf(parent, sizeof parent, " (child of %" PRIu64 ")", l->parent);
    if (l->stood_for)
        snprintf(other, sizeof other, " (as %" PRIu64 ")", l->stand_in);
    sl_table_exact(t, l->index);
    sl_table_cellf(t, "%s%s%s%s", l->kernel->name, parent, other, l->failed ? " (failed)" : "");
}

static void launch_rows(sl_table *t, const sl_launch_log *log, const sl_metric_list *metrics, bool shape)
{
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        const sl_counts counts = sl_unpack_counts(&l->counts);
        text_launch_cells(t, l);
        if (shape) {
            sl_table_dims(t, l->grid);
            sl_table_dims(t, l->block);
        }
        sl_table_counts(t, metrics, &counts);
        if (shape && l->trace_bytes)
            sl_table_bytes(t, l->trace_bytes);
        else if (shape)
            sl_table_none(t);
    }
    if (log->launches.count < 2)
        return;
    const sl_counts sum = sl_launch_log_sum(log);
    sl_table_none(t);
    sl_table_cellf(t, "all %zu launches", log->launches.count);
    for (int i = 0; i < 2 * shape; i++)
        sl_table_none(t);
    sl_table_counts(t, metrics, &sum);
    if (shape)
        sl_table_none(t);
}

static void kernel_rows(sl_table *t, const sl_launch_log *log, const sl_kernel_sum *sums, const sl_metric_list *metrics)
{
    const sl_counts all = sl_launch_log_sum(log);
    for (uint32_t k = 0; sums && k < log->kernel_count; k++) {
        sl_table_cell(t, sums[k].kernel->name);
        sl_table_count(t, sums[k].launches);
        if (sums[k].failed)
            sl_table_count(t, sums[k].failed);
        else
            sl_table_none(t);
        sl_table_counts(t, metrics, &sums[k].counts);
    }
    if (log->kernel_count < 2)
        return;
    sl_table_cell(t, "all kernels");
    sl_table_count(t, log->launches.count);
    sl_table_none(t);
    sl_table_counts(t, metrics, &all);
}

static void add_repeated(sl_document *d, const sl_launch_log *log)
{
    if (log->repeated)
        sl_document_line(d, "\n%zu of %zu launches did exactly what an earlier one did, and were not run again\n",
                         log->repeated, log->launches.count);
}

/* A row per launch, or per kernel where there are many, and their sum. `shape`: with grid, block and bytes in the
 * trace. */
static void add_launches(sl_document *d, const char *title, const sl_launch_log *log, const sl_metric_list *metrics,
                         bool shape)
{
    static const sl_column launch[] = {SL_NUMBERS("#"), SL_NAMES("kernel"), SL_NUMBERS("grid"), SL_NUMBERS("block")};
    static const sl_column kernel[] = {SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("failed")};
    static const sl_column last[] = {SL_NUMBERS("in trace")};
    if (log->grouped) {
        sl_document_groups(d, title, log, metrics);
        add_repeated(d, log);
        return;
    }
    if (log->launches.count <= SL_MAX_LAUNCH_LINES) {
        sl_table *t =
            sl_document_add(d, NULL, title, SL_FORM_TEXT, sl_metric_table(launch, shape ? 4 : 2, metrics, last, shape));
        launch_rows(t, log, metrics, shape);
        add_repeated(d, log);
        return;
    }
    sl_kernel_sum *sums = sl_kernel_sums_of(log);
    sl_table *t =
        sl_document_add(d, NULL, title, SL_FORM_TEXT, sums ? sl_metric_table(kernel, 3, metrics, NULL, 0) : NULL);
    kernel_rows(t, log, sums, metrics);
    sl_kernel_sums_free(sums, log->kernel_count);
    sl_document_line(d, "\n%zu launches, summed by kernel; --json and --csv show each\n", log->launches.count);
    add_repeated(d, log);
}

/* Why launches failed, where some did. */
static void add_failures(sl_document *d, const sl_launch_log *log)
{
    size_t failed = 0;
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        if (l->failed && failed++ < MAX_FAILURES)
            sl_document_line(d, "%slaunch %" PRIu64 " failed: %s\n", failed == 1 ? "\n" : "", l->index,
                             *l->failure ? l->failure : "reason not recorded");
    }
    if (failed > MAX_FAILURES)
        sl_document_line(d, "%zu more launches failed\n", failed - MAX_FAILURES);
}

/* ---- memory instructions for people ---- */

/* What is shown of the memory instructions of a kernel. */
typedef struct load_view {
    const char *title;      /* "memory instructions with the most traffic" */
    const char *bar;        /* what bars show: "traffic" */
    sl_metric weight;       /* sorts them, descending */
    sl_metric_list metrics; /* those without any of the first are left out */
    bool opcodes;           /* with a column for them */
    bool arrays;            /* also sums by array */
} load_view;

/* Memory instructions of the kernel with any of the first metric, sorted by weight. */
static bool sum_loads(const sl_kernel_sum *sum, const load_view *view, sl_load_sums *loads)
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

static void add_loads(sl_document *d, const char *title, const sl_load_sums *loads, const load_view *view)
{
    static const sl_column first[] = {SL_NAMES("location"), SL_NAMES("instruction"), SL_NAMES("array")};
    const sl_column last = {.title = view->bar, .fit = SL_FIT_SPARE};
    bool bars = loads->count > 1 && loads->items[0].weight;
    sl_table *t = sl_document_add(d, NULL, title, SL_FORM_TEXT, sl_metric_table(first, 3, &view->metrics, &last, bars));
    for (size_t i = 0; i < loads->count && i < MAX_LOADS; i++) {
        const sl_load_sum *load = &loads->items[i];
        char bar[SL_BAR_BYTES];
        sl_inst_cells(t, load->inst, load->copies, view->opcodes);
        sl_table_counts(t, &view->metrics, &load->counts);
        if (bars)
            sl_table_cell(t, sl_bar((double)load->weight / (double)loads->items[0].weight, BAR, bar));
    }
}

static void add_arrays(sl_document *d, const char *title, const sl_load_sums *arrays, const load_view *view)
{
    static const sl_column first[] = {SL_NAMES("array")};
    sl_table *t = sl_document_add(d, NULL, title, SL_FORM_TEXT, sl_metric_table(first, 1, &view->metrics, NULL, 0));
    for (size_t i = 0; i < arrays->count && i < MAX_LOADS; i++) {
        sl_table_cell(t, arrays->items[i].inst->array);
        sl_table_counts(t, &view->metrics, &arrays->items[i].counts);
    }
}

static void add_kernel(sl_document *d, const sl_kernel_sum *sum, const load_view *view)
{
    sl_load_sums loads = {.rows = SL_ROW_PER_LOCATION}, arrays = {.rows = SL_ROW_PER_ARRAY};
    char title[512];
    if (!sum_loads(sum, view, &loads) || (view->arrays && !sum_loads(sum, view, &arrays)))
        sl_document_fail(d);
    snprintf(title, sizeof title, "%s: %s", sum->kernel->name, view->title);
    if (loads.count)
        add_loads(d, title, &loads, view);
    snprintf(title, sizeof title, "%s: arrays", sum->kernel->name);
    if (arrays.count > 1)
        add_arrays(d, title, &arrays, view);
    sl_load_sums_fini(&loads);
    sl_load_sums_fini(&arrays);
}

/* Kernels of groups are many: those with the most of the metric first. */
static void add_heaviest(sl_document *d, const sl_launch_log *log, sl_kernel_sum *sums, const load_view *view)
{
    const sl_kernel_sum **kernel = sl_kernel_sums_by_weight(sums, log->kernel_count, view->weight);
    if (!kernel)
        sl_document_fail(d);
    for (uint32_t k = 0; kernel && k < log->kernel_count && k < MAX_KERNELS; k++)
        add_kernel(d, kernel[k], view);
    free(kernel);
}

static void add_kernels(sl_document *d, const sl_launch_log *log, const load_view *view)
{
    sl_kernel_sum *sums = sl_kernel_sums_of(log);
    if (!sums)
        sl_document_fail(d);
    if (sums && log->grouped)
        add_heaviest(d, log, sums, view);
    for (uint32_t k = 0; sums && !log->grouped && k < log->kernel_count && k < MAX_KERNELS; k++)
        add_kernel(d, &sums[k], view);
    if (log->kernel_count > MAX_KERNELS)
        sl_document_line(d, "\n(%u more kernels; --json and --csv show all)\n", log->kernel_count - MAX_KERNELS);
    sl_kernel_sums_free(sums, log->kernel_count);
}

/* ---- counts ---- */

static const sl_metric_list counted =
    SL_METRIC_LIST(SL_METRIC_time_ns, SL_METRIC_warp_insts, SL_METRIC_thread_insts, SL_METRIC_ld_requests,
                   SL_METRIC_ld_sectors, SL_METRIC_sectors_per_request, SL_METRIC_st_requests, SL_METRIC_st_sectors,
                   SL_METRIC_atomics, SL_METRIC_footprint_bytes);
/* Asynchronous copies take the room of sectors per request. */
static const sl_metric_list copied = SL_METRIC_LIST(
    SL_METRIC_time_ns, SL_METRIC_warp_insts, SL_METRIC_thread_insts, SL_METRIC_ld_requests, SL_METRIC_ld_sectors,
    SL_METRIC_st_requests, SL_METRIC_st_sectors, SL_METRIC_copy_sectors, SL_METRIC_atomics, SL_METRIC_footprint_bytes);
/* The column of trace sizes takes the room of thread instructions. */
static const sl_metric_list recorded = SL_METRIC_LIST(
    SL_METRIC_warp_insts, SL_METRIC_ld_requests, SL_METRIC_ld_sectors, SL_METRIC_sectors_per_request,
    SL_METRIC_st_requests, SL_METRIC_st_sectors, SL_METRIC_copy_sectors, SL_METRIC_atomics, SL_METRIC_footprint_bytes);
static const load_view heaviest = {"memory instructions with the most traffic",
                                   "traffic",
                                   SL_METRIC_sectors,
                                   SL_METRIC_LIST(SL_METRIC_requests, SL_METRIC_sectors, SL_METRIC_per_request),
                                   true,
                                   false};

static bool any_in_trace(const sl_launch_log *log)
{
    for (size_t i = 0; i < log->launches.count; i++)
        if (log->launches.items[i].trace_bytes)
            return true;
    return false;
}

static bool any_copies(const sl_launch_log *log)
{
    for (size_t i = 0; i < log->launches.count; i++) {
        sl_counts counts = sl_unpack_counts(&log->launches.items[i].counts);
        double sectors;
        if (sl_counts_metric(SL_METRIC_copy_sectors, &counts, &sectors) && sectors > 0)
            return true;
    }
    return false;
}

void sl_document_counted(sl_document *d, const sl_launch_log *log)
{
    if (!log->launches.count) {
        sl_document_line(d, "no kernel was launched\n");
        return;
    }
    add_launches(d, NULL, log, any_in_trace(log) ? &recorded : any_copies(log) ? &copied : &counted, true);
    add_failures(d, log);
    add_kernels(d, log, &heaviest);
}

/* ---- the model ---- */

#define MODELED                                                                                                        \
    SL_METRIC_ld_sectors, SL_METRIC_l1_hit_rate, SL_METRIC_scalar_hit_rate, SL_METRIC_compulsory, SL_METRIC_capacity,  \
        SL_METRIC_conflict, SL_METRIC_store, SL_METRIC_mshr, SL_METRIC_bypassed, SL_METRIC_pending_hits,               \
        SL_METRIC_l2_read_sectors, SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors
static const sl_metric_list modeled =
    SL_METRIC_LIST(SL_METRIC_est_cycles, SL_METRIC_est_ns, SL_METRIC_est_limit, MODELED);
static const load_view missing = {"loads with the most misses", "misses", SL_METRIC_ld_sector_misses,
                                  SL_METRIC_LIST(MODELED),      false,    true};

void sl_document_modeled(sl_document *d, const sl_launch_log *log)
{
    add_launches(d, NULL, log, &modeled, false);
    add_failures(d, log);
    add_kernels(d, log, &missing);
}

/* ---- the simulator ---- */

#define TRAFFIC                                                                                                        \
    SL_METRIC_ld_sectors, SL_METRIC_l1_hit_rate, SL_METRIC_scalar_hit_rate, SL_METRIC_pending_hits,                    \
        SL_METRIC_bypass_requests, SL_METRIC_l2_read_sectors, SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors
static const sl_metric_list traffic = SL_METRIC_LIST(SL_METRIC_cycles, SL_METRIC_ipc, TRAFFIC);
static const sl_metric_list cycles =
    SL_METRIC_LIST(SL_METRIC_issue_share, SL_METRIC_lsu_share, SL_METRIC_pipeline_share, SL_METRIC_data_share,
                   SL_METRIC_barrier_share, SL_METRIC_idle_share, SL_METRIC_stall_way_cycles,
                   SL_METRIC_stall_mshr_cycles, SL_METRIC_stall_merge_cycles, SL_METRIC_stall_queue_cycles);
static const load_view simulated_loads = {"loads with the most misses", "misses", SL_METRIC_ld_sector_misses,
                                          SL_METRIC_LIST(TRAFFIC),      false,    false};

static bool is_shown(const sl_result *r, size_t launch)
{
    return launch < SL_MAX_LAUNCH_LINES && !r->log->launches.items[launch].failed;
}

static void all_cells(sl_table *t, const sl_result *r)
{
    sl_table_none(t);
    sl_table_cellf(t, "all %u launches", r->launches);
}

static bool has_energy(const sl_result *r)
{
    for (uint32_t i = 0; i < r->machine->levels; i++)
        if (r->machine->level[i].tag_fj || r->machine->level[i].data_fj || r->machine->level[i].leak_uw)
            return true;
    return false;
}

static const int level_shown[] = {SL_LEVEL_accesses,         SL_LEVEL_hits,      SL_LEVEL_pending,
                                  SL_LEVEL_misses,           SL_LEVEL_bypasses,  SL_LEVEL_evictions,
                                  SL_LEVEL_unused_evictions, SL_LEVEL_writebacks};
enum { LEVEL_SHOWN = sizeof level_shown / sizeof *level_shown, LEVEL_FIRST = 2, LEVEL_LAST = 2 };

static void level_row(sl_table *t, const sl_level *level, const sl_sim_level_result *r, bool energy)
{
    uint64_t stalled = 0;
    for (int i = 0; i < SL_STALLS; i++)
        stalled += r->stall_cycles[i];
    sl_table_cell(t, level->name);
    sl_table_cellf(t, "%s%s%s", level->replacement, *level->bypass ? " + " : "", level->bypass);
    for (int i = 0; i < LEVEL_SHOWN; i++)
        sl_table_count(t, (uint64_t)sl_level_value(r, level_shown[i]));
    sl_table_count(t, stalled);
    if (energy)
        sl_table_number(t, r->energy_nj / 1000, 2, "");
}

static void add_levels(sl_document *d, const sl_result *r)
{
    sl_column columns[LEVEL_FIRST + LEVEL_SHOWN + LEVEL_LAST] = {SL_TEXTS("level"), SL_NAMES("policy")};
    for (int i = 0; i < LEVEL_SHOWN; i++)
        columns[LEVEL_FIRST + i] = (sl_column)SL_NUMBERS(sl_level_metrics[level_shown[i]].heading);
    columns[LEVEL_FIRST + LEVEL_SHOWN] = (sl_column)SL_NUMBERS("stalls");
    columns[LEVEL_FIRST + LEVEL_SHOWN + 1] = (sl_column)SL_NUMBERS("energy uJ");
    bool energy = has_energy(r);
    sl_table *t = sl_document_table(d, NULL, "Levels: requests of all launches, and cycles that they were stalled",
                                    SL_FORM_TEXT, columns, sizeof columns / sizeof *columns - !energy);
    double total_nj = 0;
    for (uint32_t i = 0; i < r->machine->levels; i++) {
        const sl_sim_level_result sum = sl_result_level_sum(r, i);
        total_nj += sum.energy_nj;
        level_row(t, &r->machine->level[i], &sum, energy);
    }
    char text[SL_HUMAN_BYTES];
    if (energy)
        sl_document_line(d, "All levels: %s uJ, including leakage\n", sl_human_ratio(total_nj / 1000, 2, text));
}

/* Misses of a level with non-overlapped miss handling; operations are thread instructions. */
static void misses_row(sl_table *t, const sl_counts *c, const sl_sim_level_result *r, bool frc)
{
    uint64_t all = c->value[SL_COUNTER_cycles], operations = c->value[SL_COUNTER_thread_insts];
    uint64_t misses = r->misses + r->store_misses;
    sl_table_number(t, all ? (double)operations / (double)all : 0.0, 2, "");
    sl_table_count(t, misses);
    sl_table_number(t, operations ? 1000.0 * (double)misses / (double)operations : 0.0, 3, "");
    sl_table_number(t, misses ? (double)r->delay_cycles / (double)misses : 0.0, 1, "");
    if (frc)
        sl_table_share(t, r->frc_misses, misses);
}

static void add_misses(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_NUMBERS("#"),      SL_NAMES("kernel"), SL_NUMBERS("OPC"),
                                        SL_NUMBERS("misses"), SL_NUMBERS("MPKO"), SL_NUMBERS("delay"),
                                        SL_NUMBERS("by FRC")};
    uint32_t level = r->machine->levels;
    while (level && r->machine->level[level - 1].miss_handling == SL_MISS_OVERLAPPED)
        level--;
    if (!level)
        return;
    const sl_level *of = &r->machine->level[--level];
    bool frc = of->miss_handling == SL_MISS_FRC;
    char title[256];
    snprintf(title, sizeof title,
             "Thread operations per cycle (OPC); misses of %s, also per 1000 operations (MPKO), and mean delay of\n"
             "a miss in cycles, without the latency of the level below",
             of->name);
    sl_table *t = sl_document_table(d, NULL, title, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns - !frc);
    for (size_t i = 0; i < r->launches; i++) {
        const sl_counts of_launch = sl_unpack_counts(&r->log->launches.items[i].counts);
        if (!is_shown(r, i))
            continue;
        text_launch_cells(t, &r->log->launches.items[i]);
        misses_row(t, &of_launch, &r->launch[i].level[level], frc);
    }
    if (r->launches > 1) {
        const sl_counts counts = sl_launch_log_sum(r->log);
        const sl_sim_level_result sum = sl_result_level_sum(r, level);
        all_cells(t, r);
        misses_row(t, &counts, &sum, frc);
    }
}

/* Statistics of policies after the last launch; those of levels that are not flushed accumulate. */
static void add_statistics(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_TEXTS("level"), SL_NAMES("policy"), SL_NAMES("statistic"),
                                        SL_NUMBERS("last launch")};
    const sl_result_launch *last = r->launches ? &r->launch[r->launches - 1] : NULL;
    if (!last || !last->statistics)
        return;
    sl_document_line(d, "\n");
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, 4);
    for (size_t i = 0; i < last->statistics; i++) {
        sl_table_cell(t, r->machine->level[last->statistic[i].level].name);
        sl_table_cell(t, last->statistic[i].policy);
        sl_table_cell(t, last->statistic[i].name);
        sl_table_count(t, last->statistic[i].value);
    }
}

static void bound_row(sl_table *t, const sl_sim_bound *b)
{
    sl_table_count(t, b->requests);
    sl_table_count(t, b->misses);
    sl_table_share(t, b->misses, b->requests);
    sl_table_count(t, b->min_misses);
    sl_table_share(t, b->min_misses, b->requests);
}

static void add_bound(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_NUMBERS("#"),      SL_NAMES("kernel"), SL_NUMBERS("requests"),
                                        SL_NUMBERS("misses"), SL_NUMBERS(""),     SL_NUMBERS("min misses"),
                                        SL_NUMBERS("")};
    if (!r->bounded)
        return;
    sl_table *t = sl_document_table(
        d, NULL,
        "Lower bound on the misses of loads in L1 with any policy on the same requests (Belady with bypass).\n"
        "A bound on misses, not on time",
        SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->launches; i++) {
        if (!is_shown(r, i))
            continue;
        text_launch_cells(t, &r->log->launches.items[i]);
        bound_row(t, &r->launch[i].bound);
    }
    if (r->launches > 1) {
        const sl_sim_bound sum = sl_result_bound_sum(r);
        all_cells(t, r);
        bound_row(t, &sum);
    }
}

static void write_search(FILE *file, const void *of, size_t width)
{
    const sl_result *r = of;
    const sl_sim_search *s = &r->search;
    (void)width;
    char text[SL_HUMAN_BYTES];
    fprintf(file, "\nBest of %zu settings:", s->tries);
    for (uint32_t i = 0; i < s->params; i++)
        fprintf(file, "%s %s %s: %s=%llu", i ? "," : "", r->machine->level[s->param[i].level].name,
                s->param[i].ops->name, s->param[i].ops->params[s->param[i].param].name,
                (unsigned long long)s->tried[s->chosen].value[i]);
    fprintf(file, ", %s cycles in all launches\n", sl_human_count(s->tried[s->chosen].cycles, text));
}

void sl_document_simulated(sl_document *d, const sl_result *r)
{
    const sl_launch_log *log = r->log;
    add_launches(d, NULL, log, &traffic, false);
    add_failures(d, log);
    if (sl_launch_log_failed(log) == r->launches)
        return;
    add_launches(
        d, "Scheduler cycles by cause; cycles that L1 requests stalled for a way, MSHR, merge or miss-queue entry", log,
        &cycles, false);
    add_misses(d, r);
    add_levels(d, r);
    add_statistics(d, r);
    add_bound(d, r);
    if (r->search.params)
        sl_document_prose(d, write_search, r);
    add_kernels(d, log, &simulated_loads);
}
