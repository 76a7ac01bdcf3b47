/* SPDX-License-Identifier: MIT */
/* First levels and policies side by side, and the model beside hardware. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "page/html.h"
#include "page/sections.h"

/* ---- sweeps ---- */

static void put_size(FILE *file, const sl_page_size *size)
{
    char least[SL_HUMAN_BYTES], most[SL_HUMAN_BYTES];
    if (size->least == size->most)
        sl_html_cell_bytes(file, size->most);
    else
        fprintf(file, "<td class=n data-v=\"%llu\">%s to %s</td>", (unsigned long long)size->most,
                sl_human_bytes(size->least, least), sl_human_bytes(size->most, most));
}

static void size_rows(FILE *file, const sl_sweep *s, const sl_counts *counts, const sl_page_size *size,
                      const char *name, uint64_t columns)
{
    for (size_t p = 0; p < s->points; p++) {
        const sl_sweep_point *point = &s->point[p];
        fputs("<tr>", file);
        sl_html_cell(file, name);
        fprintf(file, "<td>%s%s%s</td>", point->varied ? point->varied : "", point->varied ? " " : "",
                point->factor ? point->factor : "");
        put_size(file, &size[p]);
        sl_html_cell_count(file, point->ways);
        sl_html_cell_bytes(file, point->line_bytes);
        if (point->mshrs)
            sl_html_cell_count(file, point->mshrs);
        else
            sl_html_cell_none(file);
        fputs("<td>", file);
        sl_metrics_bar(file, &counts[p]);
        fputs("</td>", file);
        sl_metrics_cells(file, columns, &(sl_metric_row){&counts[p], NULL}, NULL);
        fputs("</tr>\n", file);
    }
}

static void put_note(FILE *file, const sl_sweep *s)
{
    if (!s->note)
        return;
    fputs("<p class=note>", file);
    sl_html_text(file, s->note);
    fputs("</p>\n", file);
}

void sl_section_sizes(FILE *file, const sl_page *page)
{
    const sl_page_sweep *sum = &page->sizes;
    const sl_sweep *s = sum->sweep;
    uint64_t columns = 0;
    if (!sum->kernels)
        return;
    for (size_t p = 0; p < s->points; p++)
        columns |= sl_metrics_of(&(sl_metric_row){&sum->all[p], NULL}, NULL);
    fputs("<section id=sizes><h2>Cache sizes</h2>\n", file);
    sl_section_chart(file, "sizes", SIZE_MAX, "Misses of L1 by class, for each first level");
    put_note(file, s);
    sl_html_table(file, "Loads under each first level", "sortable long");
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "varied", "what differs from the machine", false);
    sl_html_column(file, "L1 size", NULL, true);
    sl_html_column(file, "ways", NULL, true);
    sl_html_column(file, "line", NULL, true);
    sl_html_column(file, "MSHRs", "empty: any number", true);
    sl_html_column(file, "in L1", "hits, late hits and misses by class", false);
    sl_metrics_columns(file, columns);
    sl_html_table_rows(file);
    if (sum->kernels > 1)
        size_rows(file, s, sum->all, sum->all_size, "all kernels", columns);
    for (size_t k = 0; k < sum->kernels; k++)
        size_rows(file, s, &sum->counts[k * s->points], &sum->size[k * s->points], sum->first[k]->name, columns);
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

/* ---- policies ---- */

static void policy_row(FILE *file, const sl_counts *counts, size_t points, const char *name)
{
    fputs("<tr>", file);
    sl_html_cell(file, name);
    for (size_t p = 0; p < points; p++)
        sl_html_cell_share(file, counts[p].value[SL_COUNTER_ld_sector_hits], counts[p].value[SL_COUNTER_ld_sectors]);
    fputs("</tr>\n", file);
}

void sl_section_policies(FILE *file, const sl_page *page)
{
    const sl_page_sweep *sum = &page->policies;
    const sl_sweep *s = sum->sweep;
    if (!sum->kernels)
        return;
    fputs("<section id=policies><h2>Policies</h2>\n", file);
    sl_section_chart(file, "policies", SIZE_MAX, "Hit rate of loads in L1 with each replacement policy");
    put_note(file, s);
    sl_html_table(file, "Hit rates of loads in L1, by replacement policy", "sortable");
    sl_html_column(file, "kernel", NULL, false);
    for (size_t p = 0; p < s->points; p++)
        sl_html_column(file, s->point[p].replacement ? s->point[p].replacement : "", NULL, true);
    sl_html_table_rows(file);
    if (sum->kernels > 1)
        policy_row(file, sum->all, s->points, "all kernels");
    for (size_t k = 0; k < sum->kernels; k++)
        policy_row(file, &sum->counts[k * s->points], s->points, sum->first[k]->name);
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

/* ---- policies in the simulator ---- */

static uint64_t simulated_columns(const sl_page_sweep *sum)
{
    uint64_t columns = 0;
    for (size_t p = 0; p < sum->sweep->points; p++)
        columns |= sl_metrics_of(&(sl_metric_row){&sum->all[p], NULL}, NULL);
    return columns;
}

/* The first point is the machine as it is: the others are as fast as they take fewer cycles. */
static void simulated_rows(FILE *file, const sl_sweep *s, const sl_counts *counts, const char *name, uint64_t columns)
{
    double base = (double)counts[0].value[SL_COUNTER_cycles];
    for (size_t p = 0; p < s->points; p++) {
        uint64_t cycles = counts[p].value[SL_COUNTER_cycles];
        fputs("<tr>", file);
        sl_html_cell(file, name);
        sl_html_cell(file, s->point[p].replacement);
        if (cycles)
            sl_html_cell_number(file, base / (double)cycles, 3, "");
        else
            sl_html_cell_none(file);
        sl_metrics_cells(file, columns, &(sl_metric_row){&counts[p], NULL}, NULL);
        fputs("</tr>\n", file);
    }
}

void sl_section_simulated(FILE *file, const sl_page *page)
{
    const sl_page_sweep *sum = &page->simulated;
    const sl_sweep *s = sum->sweep;
    if (!sum->kernels)
        return;
    uint64_t columns = simulated_columns(sum);
    fputs("<section id=simulated><h2>Policies, cycle by cycle</h2>\n", file);
    sl_section_chart(file, "simulated", SIZE_MAX, "Speed with each policy of L1 in the simulator");
    put_note(file, s);
    sl_html_table(file, "Simulated with each policy of L1", "sortable long");
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "L1 policy", "the first is the machine's own; those that bypass have its replacement", false);
    sl_html_column(file, "speed", "cycles of the machine's own policy for each cycle of this one", true);
    sl_metrics_columns(file, columns);
    sl_html_table_rows(file);
    if (sum->kernels > 1)
        simulated_rows(file, s, sum->all, "all kernels", columns);
    for (size_t k = 0; k < sum->kernels; k++)
        simulated_rows(file, s, &sum->counts[k * s->points], sum->first[k]->name, columns);
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

/* ---- hardware ---- */

static const char *unit_of(int quantity)
{
    return sl_quantity_infos[quantity].share ? " pt" : "%";
}

static void put_means(FILE *file, const sl_validation *v)
{
    sl_html_table(file, "Mean absolute errors", "sortable");
    sl_html_column(file, "variant", NULL, false);
    for (int q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, (sl_quantity)q))
            sl_html_column(file, sl_quantity_infos[q].title,
                           sl_quantity_infos[q].share ? "in points of a hundred" : "in percent of what was measured",
                           true);
    sl_html_table_rows(file);
    for (size_t i = 0; i < v->variants; i++) {
        fputs("<tr>", file);
        sl_html_cell(file, v->variant[i]);
        for (int q = 0; q < SL_QUANTITIES; q++) {
            if (!sl_validation_has(v, (sl_quantity)q))
                continue;
            sl_mean_error mean = sl_validation_mean(v, i, (sl_quantity)q);
            if (mean.launches)
                sl_html_cell_number(file, mean.mean, 2, unit_of(q));
            else
                sl_html_cell_none(file);
        }
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
}

static void put_compared(FILE *file, const sl_validation *v, const sl_validated *l)
{
    for (int q = 0; q < SL_QUANTITIES; q++) {
        if (!sl_validation_has(v, (sl_quantity)q))
            continue;
        const char *unit = sl_quantity_infos[q].share ? "%" : "";
        int digits = sl_quantity_infos[q].share;
        double measured, model, difference;
        if (sl_quantity_value((sl_quantity)q, &l->measured, &measured))
            sl_html_cell_number(file, measured, digits, unit);
        else
            sl_html_cell_none(file);
        if (sl_quantity_value((sl_quantity)q, &l->model[0], &model))
            sl_html_cell_number(file, model, digits, unit);
        else
            sl_html_cell_none(file);
        if (sl_quantity_error((sl_quantity)q, &l->measured, &l->model[0], &difference))
            sl_html_cell_number(file, difference, 1, unit_of(q));
        else
            sl_html_cell_none(file);
    }
}

static void put_launches(FILE *file, const sl_validation *v)
{
    sl_html_table(file, "Launches: measured, modelled, difference", "sortable long");
    sl_html_column(file, "workload", NULL, false);
    sl_html_column(file, "#", NULL, true);
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "in means", "launches with few load sectors are left out of the means", false);
    for (int q = 0; q < SL_QUANTITIES; q++) {
        char title[64];
        if (!sl_validation_has(v, (sl_quantity)q))
            continue;
        snprintf(title, sizeof title, "%s, measured", sl_quantity_infos[q].title);
        sl_html_column(file, title, NULL, true);
        sl_html_column(file, v->variant[0], NULL, true);
        sl_html_column(file, "error", sl_quantity_infos[q].share ? "in points" : "in percent", true);
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
    for (int q = 0; q < SL_QUANTITIES; q++) {
        char what[64];
        if (!sl_validation_has(v, (sl_quantity)q))
            continue;
        snprintf(what, sizeof what, "scatter-%s", sl_quantity_infos[q].name);
        sl_section_chart(file, what, SIZE_MAX, sl_quantity_infos[q].title);
    }
    fputs("</div>\n", file);
    if (v->unmeasured)
        fprintf(file, "<p class=note>The counters have nothing of %llu launches.</p>\n",
                (unsigned long long)v->unmeasured);
    put_means(file, v);
    put_launches(file, v);
    fputs("</section>\n", file);
}

/* ---- glossary ---- */

static uint64_t known_in(const sl_page *page)
{
    uint64_t known = page->counts.known;
    const sl_page_sweep *sums[] = {&page->sizes, &page->policies, &page->simulated};
    for (int i = 0; i < 3; i++)
        for (size_t p = 0; sums[i]->kernels && p < sums[i]->sweep->points; p++)
            known |= sums[i]->all[p].known;
    const sl_validation *v = page->input.validation;
    for (size_t i = 0; v && i < v->launches; i++)
        known |= v->launch[i].measured.known | v->launch[i].model[0].known;
    return known;
}

void sl_section_glossary(FILE *file, const sl_page *page)
{
    uint64_t known = known_in(page);
    if (!known)
        return;
    fputs("<section id=counters><h2>Counters</h2>\n<details><summary>What each counter means</summary>\n", file);
    sl_html_table(file, "Counters", "");
    sl_html_column(file, "counter", NULL, false);
    sl_html_column(file, "unit", NULL, false);
    sl_html_column(file, "meaning", NULL, false);
    sl_html_column(file, "in Nsight Compute", NULL, false);
    sl_html_table_rows(file);
    for (int i = 0; i < SL_COUNTERS; i++) {
        const sl_counter_info *c = &sl_counter_infos[i];
        if (!(known >> i & 1))
            continue;
        fprintf(file, "<tr><td><code>%s</code></td>", c->name);
        sl_html_cell(file, c->unit);
        sl_html_cell(file, c->meaning);
        fprintf(file, "<td><code>%s</code></td></tr>\n", c->metric);
    }
    sl_html_table_end(file);
    fputs("</details></section>\n", file);
}
