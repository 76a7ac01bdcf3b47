/* SPDX-License-Identifier: MIT */
/* A line per launch with cycles, hits and traffic; what schedulers and requests waited for; levels and their policies;
 * the loads with the most misses. */
#include <inttypes.h>

#include "base/text.h"
#include "report/launch_tables.h"
#include "report/sim.h"

#define TRAFFIC                                                                                                        \
    SL_METRIC_ld_sectors, SL_METRIC_l1_hit_rate, SL_METRIC_pending_hits, SL_METRIC_bypass_requests,                    \
        SL_METRIC_l2_read_sectors, SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors
static const sl_metric_list traffic = SL_METRIC_LIST(SL_METRIC_cycles, SL_METRIC_ipc, TRAFFIC);
static const sl_metric_list cycles =
    SL_METRIC_LIST(SL_METRIC_issue_share, SL_METRIC_lsu_share, SL_METRIC_pipeline_share, SL_METRIC_data_share,
                   SL_METRIC_barrier_share, SL_METRIC_idle_share, SL_METRIC_stall_way_cycles,
                   SL_METRIC_stall_mshr_cycles, SL_METRIC_stall_merge_cycles, SL_METRIC_stall_queue_cycles);
static const sl_load_view missing = {"loads with the most misses", "misses", 120,  SL_METRIC_ld_sector_misses,
                                     SL_METRIC_LIST(TRAFFIC),      false,    false};

static bool is_shown(const sl_result *report, size_t launch)
{
    return launch < SL_MAX_LAUNCH_LINES && !report->log->launches.items[launch].failed;
}

static void all_cells(sl_table *t, const sl_result *report)
{
    sl_table_cell(t, "");
    sl_table_cellf(t, "all %u launches", report->launches);
}

/* ---- levels ---- */

static bool has_energy(const sl_result *report)
{
    for (uint32_t i = 0; i < report->machine->levels; i++)
        if (report->machine->level[i].tag_fj || report->machine->level[i].data_fj || report->machine->level[i].leak_uw)
            return true;
    return false;
}

/* Of all launches. */
static sl_sim_level_result level_sum(const sl_result *report, uint32_t level)
{
    sl_sim_level_result sum = {0};
    for (size_t i = 0; i < report->launches; i++)
        if (!report->log->launches.items[i].failed)
            sl_level_add(&sum, &report->launch[i].level[level]);
    return sum;
}

static const int level_shown[] = {SL_LEVEL_accesses,         SL_LEVEL_hits,      SL_LEVEL_pending,
                                  SL_LEVEL_misses,           SL_LEVEL_bypasses,  SL_LEVEL_evictions,
                                  SL_LEVEL_unused_evictions, SL_LEVEL_writebacks};
enum { LEVEL_SHOWN = sizeof level_shown / sizeof *level_shown, LEVEL_FIRST = 2, LEVEL_LAST = 2 };

static void level_row(sl_table *t, const sl_level *level, const sl_sim_level_result *r, bool energy)
{
    char text[SL_HUMAN_BYTES];
    uint64_t stalled = 0;
    for (int i = 0; i < SL_STALLS; i++)
        stalled += r->stall_cycles[i];
    sl_table_cell(t, level->name);
    sl_table_cellf(t, "%s%s%s", level->replacement, *level->bypass ? " + " : "", level->bypass);
    for (int i = 0; i < LEVEL_SHOWN; i++)
        sl_table_count(t, (uint64_t)sl_level_value(r, level_shown[i]));
    sl_table_count(t, stalled);
    if (energy)
        sl_table_cell(t, sl_human_ratio(r->energy_nj / 1000, 2, text));
}

static sl_status print_levels(FILE *file, const sl_result *report, size_t width, sl_error *error)
{
    sl_column columns[LEVEL_FIRST + LEVEL_SHOWN + LEVEL_LAST] = {SL_TEXTS("level"), SL_NAMES("policy")};
    for (int i = 0; i < LEVEL_SHOWN; i++)
        columns[LEVEL_FIRST + i] = (sl_column)SL_NUMBERS(sl_level_metrics[level_shown[i]].heading);
    columns[LEVEL_FIRST + LEVEL_SHOWN] = (sl_column)SL_NUMBERS("stalls");
    columns[LEVEL_FIRST + LEVEL_SHOWN + 1] = (sl_column)SL_NUMBERS("energy uJ");
    bool energy = has_energy(report);
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns - !energy);
    double total_nj = 0;
    for (uint32_t i = 0; i < report->machine->levels; i++) {
        sl_sim_level_result sum = level_sum(report, i);
        total_nj += sum.energy_nj;
        level_row(t, &report->machine->level[i], &sum, energy);
    }
    fputs("\nLevels: requests of all launches, and cycles that they were stalled\n", file);
    sl_status status = sl_table_finish(t, file, width, error);
    char text[SL_HUMAN_BYTES];
    if (!status && energy)
        fprintf(file, "All levels: %s uJ, including leakage\n", sl_human_ratio(total_nj / 1000, 2, text));
    return status;
}

/* ---- misses of a level with non-overlapped miss handling ---- */

/* Operations are thread instructions. */
static void misses_row(sl_table *t, const sl_counts *c, const sl_sim_level_result *r, bool frc)
{
    uint64_t all = c->value[SL_COUNTER_cycles], operations = c->value[SL_COUNTER_thread_insts];
    uint64_t misses = r->misses + r->store_misses;
    sl_table_cellf(t, "%.2f", all ? (double)operations / (double)all : 0.0);
    sl_table_count(t, misses);
    sl_table_cellf(t, "%.3f", operations ? 1000.0 * (double)misses / (double)operations : 0.0);
    sl_table_cellf(t, "%.1f", misses ? (double)r->delay_cycles / (double)misses : 0.0);
    if (frc)
        sl_table_share(t, r->frc_misses, misses);
}

static sl_status print_misses(FILE *file, const sl_result *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {SL_NUMBERS("#"),      SL_NAMES("kernel"), SL_NUMBERS("OPC"),
                                        SL_NUMBERS("misses"), SL_NUMBERS("MPKO"), SL_NUMBERS("delay"),
                                        SL_NUMBERS("by FRC")};
    uint32_t level = report->machine->levels;
    while (level && report->machine->level[level - 1].miss_handling == SL_MISS_OVERLAPPED)
        level--;
    if (!level)
        return SL_OK;
    const sl_level *of = &report->machine->level[--level];
    bool frc = of->miss_handling == SL_MISS_FRC;
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns - !frc);
    sl_counts counts = {0};
    for (size_t i = 0; i < report->launches; i++) {
        sl_counts of_launch = sl_unpack_counts(&report->log->launches.items[i].counts);
        sl_counts_merge(&counts, &of_launch);
        if (!is_shown(report, i))
            continue;
        sl_launch_cells(t, &report->log->launches.items[i]);
        misses_row(t, &of_launch, &report->launch[i].level[level], frc);
    }
    if (report->launches > 1) {
        sl_sim_level_result sum = level_sum(report, level);
        all_cells(t, report);
        misses_row(t, &counts, &sum, frc);
    }
    fprintf(file,
            "\nThread operations per cycle (OPC); misses of %s, also per 1000 operations (MPKO), and mean delay of\n"
            "a miss in cycles, without the latency of the level below\n",
            of->name);
    return sl_table_finish(t, file, width, error);
}

/* Statistics of policies after the last launch; those of levels that are not flushed accumulate. */
static sl_status print_statistics(FILE *file, const sl_result *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("level"), SL_NAMES("policy"), SL_NAMES("statistic"),
                                        SL_NUMBERS("last launch")};
    const sl_result_launch *last = report->launches ? &report->launch[report->launches - 1] : NULL;
    if (!last || !last->statistics)
        return SL_OK;
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < last->statistics; i++) {
        sl_table_cell(t, report->machine->level[last->statistic[i].level].name);
        sl_table_cell(t, last->statistic[i].policy);
        sl_table_cell(t, last->statistic[i].name);
        sl_table_count(t, last->statistic[i].value);
    }
    fputc('\n', file);
    return sl_table_finish(t, file, width, error);
}

/* ---- bound and search ---- */

static void bound_row(sl_table *t, const sl_sim_bound *b)
{
    sl_table_count(t, b->requests);
    sl_table_count(t, b->misses);
    sl_table_share(t, b->misses, b->requests);
    sl_table_count(t, b->min_misses);
    sl_table_share(t, b->min_misses, b->requests);
}

static sl_status print_bound(FILE *file, const sl_result *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {SL_NUMBERS("#"),      SL_NAMES("kernel"), SL_NUMBERS("requests"),
                                        SL_NUMBERS("misses"), SL_NUMBERS(""),     SL_NUMBERS("min misses"),
                                        SL_NUMBERS("")};
    if (!report->bounded)
        return SL_OK;
    sl_table *t = SL_TABLE(columns);
    sl_sim_bound sum = {0};
    for (size_t i = 0; i < report->launches; i++) {
        const sl_sim_bound *b = &report->launch[i].bound;
        sum = (sl_sim_bound){sum.requests + b->requests, sum.misses + b->misses, sum.min_misses + b->min_misses};
        if (!is_shown(report, i))
            continue;
        sl_launch_cells(t, &report->log->launches.items[i]);
        bound_row(t, b);
    }
    if (report->launches > 1) {
        all_cells(t, report);
        bound_row(t, &sum);
    }
    fputs("\nLower bound on the misses of loads in L1 with any policy on the same requests (Belady with bypass).\n"
          "A bound on misses, not on time\n",
          file);
    return sl_table_finish(t, file, width, error);
}

static void print_search(FILE *file, const sl_result *report)
{
    const sl_sim_search *s = &report->search;
    if (!s || !s->params)
        return;
    char text[SL_HUMAN_BYTES];
    fprintf(file, "\nBest of %zu settings:", s->tries);
    for (uint32_t i = 0; i < s->params; i++)
        fprintf(file, "%s %s %s: %s=%llu", i ? "," : "", report->machine->level[s->param[i].level].name,
                s->param[i].ops->name, s->param[i].ops->params[s->param[i].param].name,
                (unsigned long long)s->tried[s->chosen].value[i]);
    fprintf(file, ", %s cycles in all launches\n", sl_human_count(s->tried[s->chosen].cycles, text));
}

sl_status sl_sim_report_text(FILE *file, const sl_result *report, size_t width, sl_error *error)
{
    const sl_launch_log *log = report->log;
    sl_status status = sl_launches_table(file, log, &traffic, false, width, error);
    sl_failures_text(file, log);
    if (sl_launch_log_failed(log) == report->launches)
        return status;
    if (!status) {
        fputs(
            "\nScheduler cycles by cause; cycles that L1 requests stalled for a way, MSHR, merge or miss-queue entry\n",
            file);
        status = sl_launches_table(file, log, &cycles, false, width, error);
    }
    if (!status)
        status = print_misses(file, report, width, error);
    if (!status)
        status = print_levels(file, report, width, error);
    if (!status)
        status = print_statistics(file, report, width, error);
    if (!status)
        status = print_bound(file, report, width, error);
    if (!status)
        print_search(file, report);
    return status ? status : sl_loads_tables(file, log, &missing, width, error);
}
