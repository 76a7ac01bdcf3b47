/* SPDX-License-Identifier: MIT */
/* Profiles as CSV: one value per row. */
#include <inttypes.h>

#include "analysis/inst_name.h"
#include "base/text.h"
#include "report/metrics.h"
#include "report/profile.h"

/* What a row is about; NULL: all. */
typedef struct subject {
    FILE *file;
    const sl_trace_kernel *kernel;
    const sl_profile *launch;
    const sl_profile_load *load;
} subject;

static void row_start(const subject *s, const char *measure)
{
    FILE *file = s->file;
    if (s->launch)
        fprintf(file, "%" PRIu64, s->launch->launch->index);
    fputc(',', file);
    if (s->kernel)
        sl_csv_field(file, s->kernel->symbol);
    fputc(',', file);
    if (s->kernel)
        sl_csv_field(file, s->kernel->name);
    if (s->load) {
        sl_inst_name name = sl_inst_named(s->kernel, s->load->slot, s->kernel->strings);
        fputc(',', file);
        sl_inst_csv(file, &name);
    }
    fprintf(file, ",%s,", measure);
}

static void put_count(const subject *s, const char *measure, uint64_t value)
{
    row_start(s, measure);
    fprintf(s->file, ",,%" PRIu64 "\n", value);
}

static void put_bin(const subject *s, const char *measure, uint64_t min, uint64_t max, uint64_t value)
{
    if (!value)
        return;
    row_start(s, measure);
    fprintf(s->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", min, max, value);
}

static void put_distances(const subject *s, const char *measure, const sl_distances *d)
{
    if (d->never) {
        row_start(s, measure);
        fprintf(s->file, "never,never,%" PRIu64 "\n", d->never);
    }
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
        put_bin(s, measure, sl_distance_min(i), sl_distance_max(i), d->bin[i]);
}

static void put_counts(const subject *s, const sl_profile_counts *c, const sl_profile_options *o)
{
    const sl_metric_row row = {.reuse = c, .options = o};
    for (sl_metric m = SL_METRICS_OF_REUSE; m < SL_METRICS; m++) {
        sl_fraction f = sl_metric_of(m, &row);
        char text[SL_DOUBLE_BYTES];
        if (f.known && sl_metric_is_share(m)) {
            row_start(s, sl_metric_infos[m].name);
            fprintf(s->file, ",,%s\n", sl_double_text((double)f.part / (double)f.whole, text));
        } else if (f.known) {
            put_count(s, sl_metric_infos[m].name, f.part);
        }
    }
    put_distances(s, "line_distance", &c->line_distance);
    put_distances(s, "sector_distance", &c->sector_distance);
    put_distances(s, "line_gap", &c->line_gap);
    for (unsigned i = 0; i < SL_REUSE_BINS; i++)
        put_bin(s, "line_reuses", sl_reuse_min(i), sl_reuse_max(i), c->line_reuses[i]);
}

static void put_footprint(const subject *s, const sl_profile *p, const sl_profile_options *o)
{
    put_count(s, "footprint_bytes", p->footprint_lines * o->line_bytes);
    for (uint32_t w = 0; w < p->windows; w++)
        put_bin(s, "window_lines", w * p->window_accesses, (w + 1) * p->window_accesses - 1, p->window[w].lines);
    uint64_t so_far = 0;
    for (uint32_t w = 0; w < p->windows; w++) {
        so_far += p->window[w].new_lines;
        put_bin(s, "lines_so_far", w * p->window_accesses, (w + 1) * p->window_accesses - 1, so_far);
    }
}

static void put_loads(subject s, const sl_profile_load *load, uint32_t loads, const sl_profile_options *o)
{
    for (uint32_t i = 0; i < loads; i++) {
        s.load = &load[i];
        put_counts(&s, &load[i].counts, o);
    }
}

sl_status sl_profile_report_csv(FILE *file, const sl_profile_report *report, sl_error *error)
{
    const sl_profile_options *o = &report->result->profiled_as;
    fputs("launch,kernel,name,measure,from,to,value\n", file);
    put_counts(&(subject){.file = file}, &report->result->sums.all, o);
    for (size_t k = 0; k < report->result->sums.kernels; k++)
        put_counts(&(subject){.file = file, .kernel = report->result->sums.kernel[k].kernel},
                   &report->result->sums.kernel[k].total, o);
    for (size_t i = 0; i < report->result->launches; i++) {
        const sl_profile *p = &report->result->profile[i];
        subject s = {.file = file, .kernel = p->kernel, .launch = p};
        if (p->launch->failed) {
            put_count(&s, "failed", 1);
            continue;
        }
        put_counts(&s, &p->total, o);
        put_footprint(&s, p, o);
    }
    return sl_text_finish(file, "the CSV report", error);
}

sl_status sl_profile_report_loads(FILE *file, const sl_profile_report *report, sl_error *error)
{
    const sl_profile_options *o = &report->result->profiled_as;
    fputs("launch,kernel,name," SL_INST_CSV ",measure,from,to,value\n", file);
    for (size_t k = 0; k < report->result->sums.kernels; k++) {
        const sl_profile_sum *sum = &report->result->sums.kernel[k];
        put_loads((subject){.file = file, .kernel = sum->kernel}, sum->load, sum->loads, o);
    }
    for (size_t i = 0; i < report->result->launches; i++) {
        const sl_profile *p = &report->result->profile[i];
        if (!p->launch->failed)
            put_loads((subject){.file = file, .kernel = p->kernel, .launch = p}, p->load, p->loads, o);
    }
    return sl_text_finish(file, "the CSV of memory instructions", error);
}
