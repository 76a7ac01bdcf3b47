/* SPDX-License-Identifier: MIT */
/* Counted and modelled launches as tables for terminals: a row per launch, or per kernel where there are many; then,
 * per kernel, the memory instructions with the most traffic or misses. */
#include "report/launch_tables.h"
#include "report/launches.h"

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
static const sl_load_view heaviest = {"memory instructions with the most traffic",
                                      "traffic",
                                      90,
                                      SL_METRIC_sectors,
                                      SL_METRIC_LIST(SL_METRIC_requests, SL_METRIC_sectors, SL_METRIC_per_request),
                                      true,
                                      false};

#define MODELLED                                                                                                       \
    SL_METRIC_ld_sectors, SL_METRIC_l1_hit_rate, SL_METRIC_compulsory, SL_METRIC_capacity, SL_METRIC_conflict,         \
        SL_METRIC_store, SL_METRIC_mshr, SL_METRIC_bypassed, SL_METRIC_pending_hits, SL_METRIC_l2_read_sectors,        \
        SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors
static const sl_metric_list modelled =
    SL_METRIC_LIST(SL_METRIC_est_cycles, SL_METRIC_est_ns, SL_METRIC_est_limit, MODELLED);
static const sl_load_view missing = {"loads with the most misses", "misses", 140, SL_METRIC_ld_sector_misses,
                                     SL_METRIC_LIST(MODELLED),     false,    true};

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

sl_status sl_launch_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    if (!log->launches.count) {
        fputs("no kernel was launched\n", file);
        return SL_OK;
    }
    const sl_metric_list *metrics = any_in_trace(log) ? &recorded : any_copies(log) ? &copied : &counted;
    sl_status status = sl_launches_table(file, log, metrics, true, width, error);
    sl_failures_text(file, log);
    return status ? status : sl_loads_tables(file, log, &heaviest, width, error);
}

sl_status sl_model_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    sl_status status = sl_launches_table(file, log, &modelled, false, width, error);
    sl_failures_text(file, log);
    return status ? status : sl_loads_tables(file, log, &missing, width, error);
}
