/* SPDX-License-Identifier: MIT */
/* Profiles as CSV: one value per row. */
#include <inttypes.h>

#include "base/text.h"
#include "report/inst_name.h"
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
    fputc(',', file);
    if (s->load) {
        const sl_inst *inst = &s->kernel->inst[s->kernel->mem_inst[s->load->slot]];
        sl_inst_name name = sl_inst_named(inst, s->kernel->strings);
        sl_inst_csv(file, &name);
    } else {
        fputs(",,,,", file);
    }
    fprintf(file, ",%s,", measure);
}

static void put_count(const subject *s, const char *measure, uint64_t value)
{
    row_start(s, measure);
    fprintf(s->file, ",,%" PRIu64 "\n", value);
}

static void put_share(const subject *s, const char *measure, uint64_t part, uint64_t whole)
{
    char text[SL_DOUBLE_BYTES];
    if (!whole)
        return;
    row_start(s, measure);
    fprintf(s->file, ",,%s\n", sl_double_text((double)part / (double)whole, text));
}

static void put_bin(const subject *s, const char *measure, uint64_t least, uint64_t most, uint64_t value)
{
    if (!value)
        return;
    row_start(s, measure);
    fprintf(s->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", least, most, value);
}

static void put_distances(const subject *s, const char *measure, const sl_distances *d)
{
    if (d->never) {
        row_start(s, measure);
        fprintf(s->file, "never,never,%" PRIu64 "\n", d->never);
    }
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
        put_bin(s, measure, sl_distance_least(i), sl_distance_most(i), d->bin[i]);
}

static void put_counts(const subject *s, const sl_profile_counts *c, const sl_profile_options *o)
{
#define SL_COUNT(name, value)       put_count(s, #name, value);
#define SL_SHARE(name, part, whole) put_share(s, #name, part, whole);
#include "report/profile_measures.def"
#undef SL_COUNT
#undef SL_SHARE
    put_distances(s, "line_distance", &c->line_distance);
    put_distances(s, "sector_distance", &c->sector_distance);
    put_distances(s, "line_gap", &c->line_gap);
    for (unsigned i = 0; i < SL_REUSE_BINS; i++)
        put_bin(s, "line_reuses", sl_reuse_least(i), sl_reuse_most(i), c->line_reuses[i]);
}

static void put_footprint(const subject *s, const sl_profile *p, const sl_profile_options *o)
{
    put_count(s, "footprint_bytes", p->footprint_lines * o->line_bytes);
    for (uint32_t w = 0; w < p->windows; w++)
        put_bin(s, "window_lines", w * p->window_touches, (w + 1) * p->window_touches - 1, p->window[w].lines);
    uint64_t so_far = 0;
    for (uint32_t w = 0; w < p->windows; w++) {
        so_far += p->window[w].new_lines;
        put_bin(s, "lines_so_far", w * p->window_touches, (w + 1) * p->window_touches - 1, so_far);
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
    const sl_profile_options *o = report->options;
    fputs("launch,kernel,name," SL_INST_CSV ",measure,from,to,value\n", file);
    put_counts(&(subject){.file = file}, &report->sums.all, o);
    for (size_t k = 0; k < report->sums.kernels; k++) {
        const sl_profile_sum *sum = &report->sums.kernel[k];
        subject s = {.file = file, .kernel = sum->kernel};
        put_counts(&s, &sum->total, o);
        put_loads(s, sum->load, sum->loads, o);
    }
    for (size_t i = 0; i < report->profiles; i++) {
        const sl_profile *p = &report->profile[i];
        subject s = {.file = file, .kernel = p->kernel, .launch = p};
        put_counts(&s, &p->total, o);
        put_footprint(&s, p, o);
        put_loads(s, p->load, p->loads, o);
    }
    if (fflush(file) || ferror(file))
        return sl_fail_io(error, "write", "the CSV report");
    return SL_OK;
}
