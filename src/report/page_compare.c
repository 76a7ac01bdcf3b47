/* SPDX-License-Identifier: MIT */
/* Sections that compare: L1 configurations, policies, and the model with hardware. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

/* ---- sweeps ---- */

static void write_size(FILE *file, const void *swept)
{
    const sl_swept *of = swept;
    char min[SL_HUMAN_BYTES], max[SL_HUMAN_BYTES];
    fprintf(file, "<td class=n data-v=\"%llu\">%s to %s</td>", (unsigned long long)of->max_l1_bytes,
            sl_human_bytes(of->min_l1_bytes, min), sl_human_bytes(of->max_l1_bytes, max));
}

/* Adds what a sweep gave for a kernel. */
typedef void swept_rows(sl_table *table, const sl_sweep *sweep, const sl_swept *swept, const char *name);

static void size_rows(sl_table *t, const sl_sweep *s, const sl_swept *swept, const char *name)
{
    for (size_t p = 0; p < s->points.count; p++) {
        const sl_sweep_point *point = &s->points.items[p];
        const sl_level *first = &point->point.resolved->level[0];
        sl_table_cell(t, name);
        sl_table_cellf(t, "%s%s%s", point->varied ? point->varied : "", point->varied ? " " : "",
                       point->factor ? point->factor : "");
        if (swept[p].min_l1_bytes == swept[p].max_l1_bytes)
            sl_table_bytes(t, swept[p].max_l1_bytes);
        else
            sl_table_markup(t, write_size, &swept[p]);
        sl_table_count(t, first->ways);
        sl_table_bytes(t, first->line_bytes);
        if (first->mshrs)
            sl_table_count(t, first->mshrs);
        else
            sl_table_none(t);
        sl_page_cells(t, &(sl_metric_row){.counts = &swept[p].counts}, true);
    }
}

/* A section with a chart, a note and a table of all kernels. */
static sl_status write_sweep(FILE *file, const sl_sweep *s, sl_table *t, swept_rows *rows, const char *caption,
                             sl_error *error)
{
    if (s->kernels > 1)
        rows(t, s, s->all, "all kernels");
    for (size_t k = 0; k < s->kernels; k++)
        rows(t, s, s->kernel[k].swept, s->kernel[k].name);
    sl_status status = sl_table_html(t, file, caption, "sortable long", error);
    fputs("</section>\n", file);
    return status;
}

/* Writes the title, chart and note of a section; false where there is nothing to show. */
static bool section_start(FILE *file, const sl_sweep *s, const char *id, const char *title, const char *caption)
{
    if (!sl_page_has_sweep(s))
        return false;
    fprintf(file, "<section id=%s><h2>%s</h2>\n", id, title);
    sl_section_chart(file, id, SIZE_MAX, caption);
    if (*s->note)
        sl_html_note(file, s->note);
    return true;
}

sl_status sl_section_sizes(FILE *file, const sl_page *page, sl_error *error)
{
    static const sl_column first[] = {SL_TEXTS("kernel"), SL_TEXTS("varied"), SL_NUMBERS("L1 size"),
                                      SL_NUMBERS("ways"), SL_NUMBERS("line"), SL_NUMBERS("MSHRs")};
    const sl_sweep *s = page->input.sizes;
    if (!section_start(file, s, "sizes", "Cache sizes", "L1 load misses by class, for each L1 configuration"))
        return SL_OK;
    return write_sweep(file, s, sl_page_table(first, sizeof first / sizeof *first, NULL, 0), size_rows,
                       "Loads with each L1 configuration", error);
}

/* ---- policies ---- */

static void policy_rows(sl_table *t, const sl_sweep *s, const sl_swept *swept, const char *name)
{
    sl_table_cell(t, name);
    for (size_t p = 0; p < s->points.count; p++)
        sl_table_metric(t, SL_METRIC_l1_hit_rate, &(sl_metric_row){.counts = &swept[p].counts});
}

sl_status sl_section_policies(FILE *file, const sl_page *page, sl_error *error)
{
    const sl_sweep *s = page->input.policies;
    if (!section_start(file, s, "policies", "Policies", "L1 load hit rate by replacement policy"))
        return SL_OK;
    sl_column *columns = calloc(s->points.count + 1, sizeof *columns);
    if (!columns)
        return sl_fail_memory(error);
    columns[0] = (sl_column)SL_TEXTS("kernel");
    for (size_t p = 0; p < s->points.count; p++)
        columns[p + 1] = (sl_column)SL_NUMBERS(s->points.items[p].policy ? s->points.items[p].policy : "");
    sl_table *t = sl_table_create(columns, s->points.count + 1);
    free(columns);
    return write_sweep(file, s, t, policy_rows, "L1 load hit rates by replacement policy", error);
}

/* ---- policies in the simulator ---- */

/* The first point is the baseline. */
static void simulated_rows(sl_table *t, const sl_sweep *s, const sl_swept *swept, const char *name)
{
    double base = (double)swept[0].counts.value[SL_COUNTER_cycles];
    for (size_t p = 0; p < s->points.count; p++) {
        uint64_t cycles = swept[p].counts.value[SL_COUNTER_cycles];
        sl_table_cell(t, name);
        sl_table_cell(t, s->points.items[p].policy);
        sl_table_number(t, cycles ? base / (double)cycles : NAN, 3, "");
        sl_page_cells(t, &(sl_metric_row){.counts = &swept[p].counts}, false);
    }
}

sl_status sl_section_simulated(FILE *file, const sl_page *page, sl_error *error)
{
    static const sl_column first[] = {
        SL_TEXTS("kernel"),
        {.title = "L1 policy", .description = "the first is the baseline; bypass policies keep its replacement policy"},
        {.title = "speedup",
         .right = true,
         .description = "cycles of the baseline divided by cycles with this policy"}};
    const sl_sweep *s = page->input.simulated;
    if (!section_start(file, s, "simulated", "Simulated policies", "Simulated speedup by L1 policy"))
        return SL_OK;
    return write_sweep(file, s, sl_page_table(first, sizeof first / sizeof *first, NULL, 0), simulated_rows,
                       "Simulation with each L1 policy", error);
}

/* ---- hardware ---- */

static const char *unit_of(sl_quantity quantity)
{
    return sl_quantity_is_share(quantity) ? " pt" : "%";
}

static sl_status write_means(FILE *file, const sl_validation *v, sl_error *error)
{
    sl_column columns[SL_QUANTITIES + 1] = {{.title = "variant"}};
    size_t count = 1;
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, q))
            columns[count++] = (sl_column){.title = sl_quantity_title(q),
                                           .right = true,
                                           .description = sl_quantity_is_share(q) ? "in percentage points"
                                                                                  : "in percent of the measured value"};
    sl_table *t = sl_table_create(columns, count);
    for (size_t i = 0; i < v->variants; i++) {
        sl_table_cell(t, v->variant[i]);
        for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
            sl_mean_error mean = sl_validation_mean(v, i, q);
            if (sl_validation_has(v, q))
                sl_table_number(t, mean.launches ? mean.mean : NAN, 2, unit_of(q));
        }
    }
    return sl_table_html(t, file, "Mean absolute errors", "sortable", error);
}

static void compared_cells(sl_table *t, const sl_validation *v, const sl_validated *l)
{
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        if (!sl_validation_has(v, q))
            continue;
        const char *unit = sl_quantity_is_share(q) ? "%" : "";
        int digits = sl_quantity_is_share(q);
        double value;
        sl_table_number(t, sl_quantity_value(q, &l->measured, &value) ? value : NAN, digits, unit);
        sl_table_number(t, sl_quantity_value(q, &l->model[0], &value) ? value : NAN, digits, unit);
        sl_table_number(t, sl_quantity_error(q, &l->measured, &l->model[0], &value) ? value : NAN, 1, unit_of(q));
    }
}

static sl_status write_launches(FILE *file, const sl_validation *v, sl_error *error)
{
    enum { FIRST = 4, TITLE = 64 };
    sl_column columns[FIRST + 3 * SL_QUANTITIES] = {
        SL_TEXTS("workload"),
        SL_NUMBERS("#"),
        SL_TEXTS("kernel"),
        {.title = "in means", .description = "launches with few load sectors are excluded from the means"}};
    char title[SL_QUANTITIES][TITLE];
    size_t count = FIRST;
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        if (!sl_validation_has(v, q))
            continue;
        snprintf(title[q], TITLE, "%s, measured", sl_quantity_title(q));
        columns[count++] = (sl_column)SL_NUMBERS(title[q]);
        columns[count++] = (sl_column)SL_NUMBERS(v->variant[0]);
        columns[count++] = (sl_column)SL_NUMBERS("error");
    }
    sl_table *t = sl_table_create(columns, count);
    for (size_t i = 0; i < v->launches; i++) {
        const sl_validated *l = &v->launch[i];
        sl_table_cell(t, l->workload);
        sl_table_count(t, l->index);
        sl_table_cell(t, l->name);
        sl_table_cell(t, sl_validation_counts(v, l) ? "yes" : "no");
        compared_cells(t, v, l);
    }
    return sl_table_html(t, file, "Launches: measured, modeled, difference", "sortable long", error);
}

sl_status sl_section_hardware(FILE *file, const sl_page *page, sl_error *error)
{
    const sl_validation *v = page->input.validation;
    if (!v)
        return SL_OK;
    fputs("<section id=hardware><h2>Model and hardware</h2>\n<div class=charts>\n", file);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        char what[64];
        if (!sl_validation_has(v, q))
            continue;
        snprintf(what, sizeof what, "scatter-%s", sl_quantity_infos[q].name);
        sl_section_chart(file, what, SIZE_MAX, sl_quantity_title(q));
    }
    fputs("</div>\n", file);
    if (v->stood_for)
        fprintf(file, "<p class=note>%llu of %zu launches have the prediction of one that counts alike.</p>\n",
                (unsigned long long)v->stood_for, v->launches);
    if (v->unmeasured)
        fprintf(file, "<p class=note>%llu launches have no hardware counters.</p>\n",
                (unsigned long long)v->unmeasured);
    sl_status status = write_means(file, v, error);
    if (!status)
        status = write_launches(file, v, error);
    fputs("</section>\n", file);
    return status;
}

/* ---- glossary ---- */

static sl_counter_set known_in(const sl_page *page)
{
    sl_counter_set known = page->joined.counts.known;
    const sl_sweep *sweeps[] = {page->input.sizes, page->input.policies, page->input.simulated};
    for (int i = 0; i < 3; i++)
        for (size_t p = 0; sl_page_has_sweep(sweeps[i]) && p < sweeps[i]->points.count; p++)
            sl_counter_set_join(&known, &sweeps[i]->all[p].counts.known);
    const sl_validation *v = page->input.validation;
    for (size_t i = 0; v && i < v->launches; i++) {
        sl_counter_set_join(&known, &v->launch[i].measured.known);
        sl_counter_set_join(&known, &v->launch[i].model[0].known);
    }
    return known;
}

static void write_code(FILE *file, const void *of)
{
    sl_htmlf(file, "<td><code>%s</code></td>", (const char *)of);
}

sl_status sl_section_glossary(FILE *file, const sl_page *page, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("counter"), SL_TEXTS("unit"), SL_TEXTS("description"),
                                        SL_TEXTS("Nsight Compute metric")};
    sl_counter_set known = known_in(page);
    if (!sl_counter_set_any(&known))
        return SL_OK;
    sl_table *t = SL_TABLE(columns);
    for (int i = 0; i < SL_COUNTERS; i++) {
        const sl_counter_info *c = &sl_counter_infos[i];
        if (!sl_counter_set_has(&known, (sl_counter)i))
            continue;
        sl_table_markup(t, write_code, c->name);
        sl_table_cell(t, c->unit);
        sl_table_cell(t, c->meaning);
        sl_table_markup(t, write_code, c->metric);
    }
    fputs("<section id=counters><h2>Counters</h2>\n<details><summary>Definitions of all counters</summary>\n", file);
    sl_status status = sl_table_html(t, file, "Counters", "", error);
    fputs("</details></section>\n", file);
    return status;
}
