/* SPDX-License-Identifier: MIT */
/* Profiles for programs: every value exact. */
#include "report/results.h"

/* ---- values of JSON ---- */

static void write_bin(sl_json *j, uint64_t min, uint64_t max, uint64_t count)
{
    if (!count)
        return;
    sl_json_array(j, false);
    sl_json_u64(j, min);
    sl_json_u64(j, max);
    sl_json_u64(j, count);
    sl_json_close(j, ']');
}

static void write_distances(sl_json *j, const char *key, const sl_distances *d)
{
    sl_json_object_member(j, key, false);
    sl_json_u64_member(j, "never", d->never);
    sl_json_array_member(j, "bins", false);
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
        write_bin(j, sl_distance_min(i), sl_distance_max(i), d->bin[i]);
    sl_json_close(j, ']');
    sl_json_close(j, '}');
}

/* The counts or the shares of a profile. */
static void write_metrics(sl_json *j, const char *key, const sl_metric_row *row, bool shares)
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

/* Members of an object. */
static void write_counts(sl_json *j, const sl_profile_counts *c, const sl_profile_options *o)
{
    const sl_metric_row row = {.reuse = c, .options = o};
    write_metrics(j, "counters", &row, false);
    write_metrics(j, "shares", &row, true);
    write_distances(j, "line_distance", &c->line_distance);
    write_distances(j, "sector_distance", &c->sector_distance);
    write_distances(j, "line_gap", &c->line_gap);
    sl_json_array_member(j, "line_reuses", false);
    for (unsigned i = 0; i < SL_REUSE_BINS; i++)
        write_bin(j, sl_reuse_min(i), sl_reuse_max(i), c->line_reuses[i]);
    sl_json_close(j, ']');
}

void sl_profile_counts_json(sl_json *j, const void *value)
{
    const sl_profile_value *v = value;
    sl_json_object(j, false);
    write_counts(j, v->counts, v->options);
    sl_json_close(j, '}');
}

/* The same without the braces: members of the row. */
static void write_members(sl_json *j, const void *value)
{
    const sl_profile_value *v = value;
    write_counts(j, v->counts, v->options);
}

void sl_profile_footprint_json(sl_json *j, const void *value)
{
    const sl_profile_value *v = value;
    const sl_profile *p = v->footprint;
    sl_json_object(j, false);
    sl_json_u64_member(j, "bytes", p->footprint_lines * v->options->line_bytes);
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

/* ---- tables of JSON ---- */

static void counts_cell(sl_document *d, sl_table *t, const sl_profile_counts *counts, const sl_profile_options *o)
{
    sl_profile_value *value = t ? sl_document_alloc(d, sizeof *value) : NULL;
    if (value) {
        *value = (sl_profile_value){.counts = counts, .options = o};
        sl_table_json_value(t, write_members, value);
    } else {
        sl_table_none(t);
    }
}

static void footprint_cell(sl_document *d, sl_table *t, const sl_profile *p, const sl_profile_options *o)
{
    sl_profile_value *value = t ? sl_document_alloc(d, sizeof *value) : NULL;
    if (value) {
        *value = (sl_profile_value){.footprint = p, .options = o};
        sl_table_json_value(t, sl_profile_footprint_json, value);
    } else {
        sl_table_none(t);
    }
}

static const sl_column load_columns[] = {SL_INST_ID, SL_DATA("")};
enum { LOAD_COLUMNS = sizeof load_columns / sizeof *load_columns };

static void load_rows(sl_document *d, sl_table *t, const sl_trace_kernel *kernel, const sl_profile_load *load,
                      uint32_t loads, const sl_profile_options *o)
{
    for (uint32_t i = 0; i < loads && t; i++) {
        sl_inst_name name = sl_inst_named(kernel, load[i].slot, kernel->strings, kernel->call);
        sl_inst_id_cells(t, &name);
        counts_cell(d, t, &load[i].counts, o);
    }
}

static void add_kernels(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_DATA("kernel"), SL_DATA("name"), SL_DATA("launches"), SL_DATA("")};
    const sl_profile_options *o = &r->profiled_as;
    sl_table *t = sl_document_table(d, "kernels", NULL, SL_FORM_JSON, columns, sizeof columns / sizeof *columns);
    sl_table *loads = sl_table_child(t, "loads", SL_FORM_JSON | SL_FORM_EMPTY, load_columns, LOAD_COLUMNS);
    for (size_t k = 0; k < r->sums.kernels; k++) {
        const sl_profile_sum *sum = &r->sums.kernel[k];
        sl_table_cell(t, sum->kernel->symbol);
        sl_table_cell(t, sum->kernel->name);
        sl_table_exact(t, sum->launches);
        if (sum->longest) { /* not all of them failed */
            counts_cell(d, t, &sum->total, o);
            load_rows(d, loads, sum->kernel, sum->load, sum->loads, o);
        } else {
            sl_table_none(t);
        }
    }
}

static void add_launches(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_LAUNCH_SHAPE,   SL_DATA("blocks_recorded"),
                                        SL_DATA("failed"), SL_DATA("failure"),
                                        SL_DATA(""),       SL_DATA("footprint")};
    const sl_profile_options *o = &r->profiled_as;
    sl_table *t = sl_document_table(d, "launches", NULL, SL_FORM_JSON, columns, sizeof columns / sizeof *columns);
    sl_table *loads = sl_table_child(t, "loads", SL_FORM_JSON | SL_FORM_EMPTY, load_columns, LOAD_COLUMNS);
    for (size_t i = 0; i < r->launches && t; i++) {
        const sl_profile *p = &r->profile[i];
        const sl_trace_launch *l = p->launch;
        sl_launch_id_cells(t, l->index, p->kernel->symbol, p->kernel->name);
        sl_table_dims(t, l->grid);
        sl_table_dims(t, l->block);
        if (l->blocks_recorded != sl_launch_blocks(l))
            sl_table_exact(t, l->blocks_recorded);
        else
            sl_table_none(t);
        if (l->failed) {
            sl_table_bool(t, true);
            sl_table_known(t, l->failure);
            sl_table_none(t);
            sl_table_none(t);
            continue;
        }
        sl_table_none(t);
        sl_table_none(t);
        counts_cell(d, t, &p->total, o);
        footprint_cell(d, t, p, o);
        load_rows(d, loads, p->kernel, p->load, p->loads, o);
    }
}

/* ---- CSV: a value per row ---- */

#define SUBJECT SL_DATA("launch"), SL_DATA("kernel"), SL_DATA("name")
#define VALUE   SL_DATA("measure"), SL_DATA("from"), SL_DATA("to"), SL_DATA("value")

/* What a row is about; NULL: all. */
typedef struct subject {
    sl_table *table;
    const sl_trace_kernel *kernel;
    const sl_profile *launch;
    const sl_profile_load *load;
} subject;

static void row_start(const subject *s, const char *measure)
{
    sl_table *t = s->table;
    if (s->launch)
        sl_table_exact(t, s->launch->launch->index);
    else
        sl_table_none(t);
    sl_table_cell(t, s->kernel ? s->kernel->symbol : NULL);
    sl_table_cell(t, s->kernel ? s->kernel->name : NULL);
    if (s->load) {
        sl_inst_name name = sl_inst_named(s->kernel, s->load->slot, s->kernel->strings, s->kernel->call);
        sl_inst_id_cells(t, &name);
    }
    sl_table_cell(t, measure);
}

static void value_row(const subject *s, const char *measure, uint64_t value)
{
    row_start(s, measure);
    sl_table_none(s->table);
    sl_table_none(s->table);
    sl_table_exact(s->table, value);
}

static void bin_row(const subject *s, const char *measure, uint64_t min, uint64_t max, uint64_t value)
{
    if (!value)
        return;
    row_start(s, measure);
    sl_table_exact(s->table, min);
    sl_table_exact(s->table, max);
    sl_table_exact(s->table, value);
}

static void distance_rows(const subject *s, const char *measure, const sl_distances *d)
{
    if (d->never) {
        row_start(s, measure);
        sl_table_cell(s->table, "never");
        sl_table_cell(s->table, "never");
        sl_table_exact(s->table, d->never);
    }
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
        bin_row(s, measure, sl_distance_min(i), sl_distance_max(i), d->bin[i]);
}

static void count_rows(const subject *s, const sl_profile_counts *c, const sl_profile_options *o)
{
    const sl_metric_row row = {.reuse = c, .options = o};
    for (sl_metric m = SL_METRICS_OF_REUSE; m < SL_METRICS; m++) {
        sl_fraction f = sl_metric_of(m, &row);
        if (f.known && sl_metric_is_share(m)) {
            row_start(s, sl_metric_infos[m].name);
            sl_table_none(s->table);
            sl_table_none(s->table);
            sl_table_number(s->table, (double)f.part / (double)f.whole, 3, "");
        } else if (f.known) {
            value_row(s, sl_metric_infos[m].name, f.part);
        }
    }
    distance_rows(s, "line_distance", &c->line_distance);
    distance_rows(s, "sector_distance", &c->sector_distance);
    distance_rows(s, "line_gap", &c->line_gap);
    for (unsigned i = 0; i < SL_REUSE_BINS; i++)
        bin_row(s, "line_reuses", sl_reuse_min(i), sl_reuse_max(i), c->line_reuses[i]);
}

static void footprint_rows(const subject *s, const sl_profile *p, const sl_profile_options *o)
{
    value_row(s, "footprint_bytes", p->footprint_lines * o->line_bytes);
    for (uint32_t w = 0; w < p->windows; w++)
        bin_row(s, "window_lines", w * p->window_accesses, (w + 1) * p->window_accesses - 1, p->window[w].lines);
    uint64_t so_far = 0;
    for (uint32_t w = 0; w < p->windows; w++) {
        so_far += p->window[w].new_lines;
        bin_row(s, "lines_so_far", w * p->window_accesses, (w + 1) * p->window_accesses - 1, so_far);
    }
}

static void add_values(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SUBJECT, VALUE};
    const sl_profile_options *o = &r->profiled_as;
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_CSV, columns, sizeof columns / sizeof *columns);
    if (!t)
        return;
    count_rows(&(subject){.table = t}, &r->sums.all, o);
    for (size_t k = 0; k < r->sums.kernels; k++)
        count_rows(&(subject){.table = t, .kernel = r->sums.kernel[k].kernel}, &r->sums.kernel[k].total, o);
    for (size_t i = 0; i < r->launches; i++) {
        const sl_profile *p = &r->profile[i];
        subject s = {.table = t, .kernel = p->kernel, .launch = p};
        if (p->launch->failed) {
            value_row(&s, "failed", 1);
            continue;
        }
        count_rows(&s, &p->total, o);
        footprint_rows(&s, p, o);
    }
}

static void add_load_values(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SUBJECT, SL_INST_ID, VALUE};
    const sl_profile_options *o = &r->profiled_as;
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_LOADS, columns, sizeof columns / sizeof *columns);
    if (!t)
        return;
    for (size_t k = 0; k < r->sums.kernels; k++)
        for (uint32_t i = 0; i < r->sums.kernel[k].loads; i++) {
            const sl_profile_load *load = &r->sums.kernel[k].load[i];
            count_rows(&(subject){.table = t, .kernel = r->sums.kernel[k].kernel, .load = load}, &load->counts, o);
        }
    for (size_t n = 0; n < r->launches; n++) {
        const sl_profile *p = &r->profile[n];
        for (uint32_t i = 0; i < p->loads && !p->launch->failed; i++)
            count_rows(&(subject){.table = t, .kernel = p->kernel, .launch = p, .load = &p->load[i]},
                       &p->load[i].counts, o);
    }
}

void sl_document_profile_data(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_DATA("")};
    sl_table *all = sl_document_table(d, "all", NULL, SL_FORM_JSON | SL_FORM_OBJECT, columns, 1);
    counts_cell(d, all, &r->sums.all, &r->profiled_as);
    add_kernels(d, r);
    add_launches(d, r);
    add_values(d, r);
    add_load_values(d, r);
}
