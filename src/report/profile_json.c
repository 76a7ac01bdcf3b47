/* SPDX-License-Identifier: MIT */
/* Profiles as JSON: every value exact. */
#include "analysis/inst_name.h"
#include "report/metrics.h"
#include "report/parts.h"
#include "report/profile.h"

static void put_bin(sl_json *j, uint64_t min, uint64_t max, uint64_t count)
{
    if (!count)
        return;
    sl_json_array(j, false);
    sl_json_u64(j, min);
    sl_json_u64(j, max);
    sl_json_u64(j, count);
    sl_json_close(j, ']');
}

static void put_distances(sl_json *j, const char *key, const sl_distances *d)
{
    sl_json_object_member(j, key, false);
    sl_json_u64_member(j, "never", d->never);
    sl_json_array_member(j, "bins", false);
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
        put_bin(j, sl_distance_min(i), sl_distance_max(i), d->bin[i]);
    sl_json_close(j, ']');
    sl_json_close(j, '}');
}

/* The counts or the shares of a profile. */
static void put_metrics(sl_json *j, const char *key, const sl_metric_row *row, bool shares)
{
    sl_json_object_member(j, key, false);
    for (sl_metric m = SL_METRICS_OF_REUSE; m < SL_METRICS; m++) {
        sl_fraction f = sl_metric_of(m, row);
        if (sl_metric_is_share(m) != shares || !f.known)
            continue;
        if (shares)
            sl_json_double_member(j, sl_metric_infos[m].name, (double)f.part / (double)f.whole);
        else
            sl_json_u64_member(j, sl_metric_infos[m].name, f.part);
    }
    sl_json_close(j, '}');
}

void sl_profile_counts_json(sl_json *j, const sl_profile_counts *c, const sl_profile_options *o)
{
    const sl_metric_row row = {.reuse = c, .options = o};
    put_metrics(j, "counters", &row, false);
    put_metrics(j, "shares", &row, true);
    put_distances(j, "line_distance", &c->line_distance);
    put_distances(j, "sector_distance", &c->sector_distance);
    put_distances(j, "line_gap", &c->line_gap);
    sl_json_array_member(j, "line_reuses", false);
    for (unsigned i = 0; i < SL_REUSE_BINS; i++)
        put_bin(j, sl_reuse_min(i), sl_reuse_max(i), c->line_reuses[i]);
    sl_json_close(j, ']');
}

static void put_loads(sl_json *j, const sl_trace_kernel *kernel, const sl_profile_load *load, uint32_t loads,
                      const sl_profile_options *o)
{
    sl_json_array_member(j, "loads", true);
    for (uint32_t i = 0; i < loads; i++) {
        sl_inst_name name = sl_inst_named(kernel, load[i].slot, kernel->strings);
        sl_json_object(j, false);
        sl_inst_json(j, &name);
        sl_profile_counts_json(j, &load[i].counts, o);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

void sl_profile_footprint_json(sl_json *j, const sl_profile *p, const sl_profile_options *o)
{
    sl_json_object_member(j, "footprint", false);
    sl_json_u64_member(j, "bytes", p->footprint_lines * o->line_bytes);
    sl_json_u64_member(j, "cores", p->cores);
    sl_json_u64_member(j, "window_accesses", p->window_accesses);
    sl_json_array_member(j, "windows", false);
    uint64_t so_far = 0;
    for (uint32_t w = 0; w < p->windows; w++) {
        so_far += p->window[w].new_lines;
        sl_json_object(j, false);
        sl_json_u64_member(j, "accesses", p->window[w].accesses);
        sl_json_u64_member(j, "lines", p->window[w].lines);
        sl_json_u64_member(j, "lines_so_far", so_far);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
    sl_json_close(j, '}');
}

static void put_kernel_name(sl_json *j, const sl_trace_kernel *kernel)
{
    sl_json_string_member(j, "kernel", kernel->symbol);
    sl_json_string_member(j, "name", kernel->name);
}

static void put_launch(sl_json *j, const sl_profile *p, const sl_profile_options *o)
{
    sl_json_object(j, true);
    sl_json_u64_member(j, "index", p->launch->index);
    put_kernel_name(j, p->kernel);
    sl_json_dims(j, "grid", p->launch->grid);
    sl_json_dims(j, "block", p->launch->block);
    if (p->launch->blocks_recorded != sl_launch_blocks(p->launch))
        sl_json_u64_member(j, "blocks_recorded", p->launch->blocks_recorded);
    sl_json_failed(j, p->launch->failed, p->launch->failure);
    if (!p->launch->failed) {
        sl_profile_counts_json(j, &p->total, o);
        sl_profile_footprint_json(j, p, o);
        put_loads(j, p->kernel, p->load, p->loads, o);
    }
    sl_json_close(j, '}');
}

static void put_kernel(sl_json *j, const sl_profile_sum *sum, const sl_profile_options *o)
{
    sl_json_object(j, true);
    put_kernel_name(j, sum->kernel);
    sl_json_u64_member(j, "launches", sum->launches);
    if (sum->longest) { /* not all of them failed */
        sl_profile_counts_json(j, &sum->total, o);
        put_loads(j, sum->kernel, sum->load, sum->loads, o);
    }
    sl_json_close(j, '}');
}

sl_status sl_profile_report_json(FILE *file, const sl_profile_report *report, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, &report->info);
    sl_json_object_member(&j, "all", true);
    sl_profile_counts_json(&j, &report->result->sums.all, &report->result->profiled_as);
    sl_json_close(&j, '}');
    sl_json_array_member(&j, "kernels", true);
    for (size_t k = 0; k < report->result->sums.kernels; k++)
        put_kernel(&j, &report->result->sums.kernel[k], &report->result->profiled_as);
    sl_json_close(&j, ']');
    sl_json_array_member(&j, "launches", true);
    for (size_t i = 0; i < report->result->launches; i++)
        put_launch(&j, &report->result->profile[i], &report->result->profiled_as);
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}
