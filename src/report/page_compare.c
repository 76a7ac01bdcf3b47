/* SPDX-License-Identifier: MIT */
/* Sections that compare: L1 configurations, policies, and the model with hardware. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

/* ---- sweeps ---- */

static void put_size(FILE *file, const sl_swept *of)
{
    char min[SL_HUMAN_BYTES], max[SL_HUMAN_BYTES];
    if (of->min_l1_bytes == of->max_l1_bytes)
        sl_html_cell_bytes(file, of->max_l1_bytes);
    else
        fprintf(file, "<td class=n data-v=\"%llu\">%s to %s</td>", (unsigned long long)of->max_l1_bytes,
                sl_human_bytes(of->min_l1_bytes, min), sl_human_bytes(of->max_l1_bytes, max));
}

static void size_rows(FILE *file, const sl_sweep *s, const sl_swept *swept, const char *name,
                      const sl_page_columns *columns)
{
    for (size_t p = 0; p < s->points.count; p++) {
        const sl_sweep_point *point = &s->points.items[p];
        const sl_level *first = &point->point.resolved->level[0];
        fputs("<tr>", file);
        sl_html_cell(file, name);
        fprintf(file, "<td>%s%s%s</td>", point->varied ? point->varied : "", point->varied ? " " : "",
                point->factor ? point->factor : "");
        put_size(file, &swept[p]);
        sl_html_cell_count(file, first->ways);
        sl_html_cell_bytes(file, first->line_bytes);
        if (first->mshrs)
            sl_html_cell_count(file, first->mshrs);
        else
            sl_html_cell_none(file);
        sl_page_columns_cells(file, columns, &(sl_metric_row){.counts = &swept[p].counts});
        fputs("</tr>\n", file);
    }
}

static sl_page_columns columns_of(const sl_sweep *s, bool bars)
{
    sl_page_columns columns = {.bars = bars};
    for (size_t p = 0; p < s->points.count; p++)
        sl_page_columns_add(&columns, &(sl_metric_row){.counts = &s->all[p].counts});
    return columns;
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

static void section_end(FILE *file)
{
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

void sl_section_sizes(FILE *file, const sl_page *page)
{
    const sl_sweep *s = page->input.sizes;
    if (!section_start(file, s, "sizes", "Cache sizes", "L1 load misses by class, for each L1 configuration"))
        return;
    sl_page_columns columns = columns_of(s, true);
    sl_html_table(file, "Loads with each L1 configuration", "sortable long");
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "varied", "parameter that differs from the machine description", false);
    sl_html_column(file, "L1 size", NULL, true);
    sl_html_column(file, "ways", NULL, true);
    sl_html_column(file, "line size", NULL, true);
    sl_html_column(file, "MSHRs", "empty: unlimited", true);
    sl_page_columns_head(file, &columns);
    sl_html_table_rows(file);
    if (s->kernels > 1)
        size_rows(file, s, s->all, "all kernels", &columns);
    for (size_t k = 0; k < s->kernels; k++)
        size_rows(file, s, s->kernel[k].swept, s->kernel[k].name, &columns);
    section_end(file);
}

/* ---- policies ---- */

static void policy_row(FILE *file, const sl_sweep *s, const sl_swept *swept, const char *name)
{
    fputs("<tr>", file);
    sl_html_cell(file, name);
    for (size_t p = 0; p < s->points.count; p++)
        sl_html_cell_metric(file, "n", SL_METRIC_l1_hit_rate, &(sl_metric_row){.counts = &swept[p].counts});
    fputs("</tr>\n", file);
}

void sl_section_policies(FILE *file, const sl_page *page)
{
    const sl_sweep *s = page->input.policies;
    if (!section_start(file, s, "policies", "Policies", "L1 load hit rate by replacement policy"))
        return;
    sl_html_table(file, "L1 load hit rates by replacement policy", "sortable");
    sl_html_column(file, "kernel", NULL, false);
    for (size_t p = 0; p < s->points.count; p++)
        sl_html_column(file, s->points.items[p].policy ? s->points.items[p].policy : "", NULL, true);
    sl_html_table_rows(file);
    if (s->kernels > 1)
        policy_row(file, s, s->all, "all kernels");
    for (size_t k = 0; k < s->kernels; k++)
        policy_row(file, s, s->kernel[k].swept, s->kernel[k].name);
    section_end(file);
}

/* ---- policies in the simulator ---- */

/* The first point is the baseline. */
static void simulated_rows(FILE *file, const sl_sweep *s, const sl_swept *swept, const char *name,
                           const sl_page_columns *columns)
{
    double base = (double)swept[0].counts.value[SL_COUNTER_cycles];
    for (size_t p = 0; p < s->points.count; p++) {
        uint64_t cycles = swept[p].counts.value[SL_COUNTER_cycles];
        fputs("<tr>", file);
        sl_html_cell(file, name);
        sl_html_cell(file, s->points.items[p].policy);
        if (cycles)
            sl_html_cell_number(file, base / (double)cycles, 3, "");
        else
            sl_html_cell_none(file);
        sl_page_columns_cells(file, columns, &(sl_metric_row){.counts = &swept[p].counts});
        fputs("</tr>\n", file);
    }
}

void sl_section_simulated(FILE *file, const sl_page *page)
{
    const sl_sweep *s = page->input.simulated;
    if (!section_start(file, s, "simulated", "Simulated policies", "Simulated speedup by L1 policy"))
        return;
    sl_page_columns columns = columns_of(s, false);
    sl_html_table(file, "Simulation with each L1 policy", "sortable long");
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "L1 policy", "the first is the baseline; bypass policies keep its replacement policy", false);
    sl_html_column(file, "speedup", "cycles of the baseline divided by cycles with this policy", true);
    sl_page_columns_head(file, &columns);
    sl_html_table_rows(file);
    if (s->kernels > 1)
        simulated_rows(file, s, s->all, "all kernels", &columns);
    for (size_t k = 0; k < s->kernels; k++)
        simulated_rows(file, s, s->kernel[k].swept, s->kernel[k].name, &columns);
    section_end(file);
}

/* ---- hardware ---- */

static void cell_if(FILE *file, bool known, double value, int digits, const char *unit)
{
    if (known)
        sl_html_cell_number(file, value, digits, unit);
    else
        sl_html_cell_none(file);
}

static const char *unit_of(sl_quantity quantity)
{
    return sl_quantity_is_share(quantity) ? " pt" : "%";
}

static void put_means(FILE *file, const sl_validation *v)
{
    sl_html_table(file, "Mean absolute errors", "sortable");
    sl_html_column(file, "variant", NULL, false);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, q))
            sl_html_column(file, sl_quantity_title(q),
                           sl_quantity_is_share(q) ? "in percentage points" : "in percent of the measured value", true);
    sl_html_table_rows(file);
    for (size_t i = 0; i < v->variants; i++) {
        fputs("<tr>", file);
        sl_html_cell(file, v->variant[i]);
        for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
            sl_mean_error mean = sl_validation_mean(v, i, q);
            if (sl_validation_has(v, q))
                cell_if(file, mean.launches, mean.mean, 2, unit_of(q));
        }
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
}

static void put_compared(FILE *file, const sl_validation *v, const sl_validated *l)
{
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        if (!sl_validation_has(v, q))
            continue;
        const char *unit = sl_quantity_is_share(q) ? "%" : "";
        int digits = sl_quantity_is_share(q);
        double value = 0;
        bool known = sl_quantity_value(q, &l->measured, &value);
        cell_if(file, known, value, digits, unit);
        known = sl_quantity_value(q, &l->model[0], &value);
        cell_if(file, known, value, digits, unit);
        known = sl_quantity_error(q, &l->measured, &l->model[0], &value);
        cell_if(file, known, value, 1, unit_of(q));
    }
}

static void put_launches(FILE *file, const sl_validation *v)
{
    sl_html_table(file, "Launches: measured, modeled, difference", "sortable long");
    sl_html_column(file, "workload", NULL, false);
    sl_html_column(file, "#", NULL, true);
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "in means", "launches with few load sectors are excluded from the means", false);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        char title[64];
        if (!sl_validation_has(v, q))
            continue;
        snprintf(title, sizeof title, "%s, measured", sl_quantity_title(q));
        sl_html_column(file, title, NULL, true);
        sl_html_column(file, v->variant[0], NULL, true);
        sl_html_column(file, "error", sl_quantity_is_share(q) ? "in percentage points" : "in percent", true);
    }
    sl_html_table_rows(file);
    for (size_t i = 0; i < v->launches; i++) {
        const sl_validated *l = &v->launch[i];
        fputs("<tr>", file);
        sl_html_cell(file, l->workload);
        sl_html_cell_count(file, l->index);
        sl_html_cell(file, l->name);
        sl_html_cell(file, sl_validation_counts(v, l) ? "yes" : "no");
        put_compared(file, v, l);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
}

void sl_section_hardware(FILE *file, const sl_page *page)
{
    const sl_validation *v = page->input.validation;
    if (!v)
        return;
    fputs("<section id=hardware><h2>Model and hardware</h2>\n<div class=charts>\n", file);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        char what[64];
        if (!sl_validation_has(v, q))
            continue;
        snprintf(what, sizeof what, "scatter-%s", sl_quantity_infos[q].name);
        sl_section_chart(file, what, SIZE_MAX, sl_quantity_title(q));
    }
    fputs("</div>\n", file);
    if (v->unmeasured)
        fprintf(file, "<p class=note>%llu launches have no hardware counters.</p>\n",
                (unsigned long long)v->unmeasured);
    put_means(file, v);
    put_launches(file, v);
    fputs("</section>\n", file);
}

/* ---- glossary ---- */

static sl_counter_set known_in(const sl_page *page)
{
    sl_counter_set known = page->counts.known;
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

void sl_section_glossary(FILE *file, const sl_page *page)
{
    sl_counter_set known = known_in(page);
    if (!sl_counter_set_any(&known))
        return;
    fputs("<section id=counters><h2>Counters</h2>\n<details><summary>Definitions of all counters</summary>\n", file);
    sl_html_table(file, "Counters", "");
    sl_html_column(file, "counter", NULL, false);
    sl_html_column(file, "unit", NULL, false);
    sl_html_column(file, "description", NULL, false);
    sl_html_column(file, "Nsight Compute metric", NULL, false);
    sl_html_table_rows(file);
    for (int i = 0; i < SL_COUNTERS; i++) {
        const sl_counter_info *c = &sl_counter_infos[i];
        if (!sl_counter_set_has(&known, (sl_counter)i))
            continue;
        fprintf(file, "<tr><td><code>%s</code></td>", c->name);
        sl_html_cell(file, c->unit);
        sl_html_cell(file, c->meaning);
        fprintf(file, "<td><code>%s</code></td></tr>\n", c->metric);
    }
    sl_html_table_end(file);
    fputs("</details></section>\n", file);
}
