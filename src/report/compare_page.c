/* SPDX-License-Identifier: MIT */
/* A comparison as a page: what changed in all launches, in kernels and in memory instructions, with bars. */
#include <math.h>

#include "base/text.h"
#include "report/compare.h"
#include "report/html.h"
#include "report/page_frame.h"

enum { MAX_LOADS = 500 };

static void value_cells(FILE *file, const sl_compared_sides *of, sl_metric metric)
{
    double v[2], most;
    char text[SL_METRIC_BYTES], exact[SL_DOUBLE_BYTES];
    for (int side = 0; side < 2; side++) {
        const sl_metric_row row = {.counts = of->there[side] ? &of->counts[side] : NULL};
        if (sl_metric_value(metric, &row, &v[side]))
            sl_html_cell_exact(file, sl_double_text(v[side], exact), sl_metric_text(metric, &row, 1, text));
        else
            sl_html_cell_none(file);
    }
    bool both = of->there[0] && of->there[1] && sl_compared_metric(of, metric, v);
    double by = both ? v[1] - v[0] : 0;
    fprintf(file, "<td class=n data-v=\"%s\">", sl_double_text(by, exact));
    sl_html_text(file, sl_change_text(of, metric, text));
    fputs("</td><td>", file);
    most = both ? fmax(fabs(v[0]), fabs(v[1])) : 0;
    if (both && most > 0 && by != 0) {
        char width[SL_HUMAN_BYTES];
        sl_human_ratio(50 * fabs(by) / most, 1, width);
        int better = sl_compared_better(of, metric);
        fprintf(file, "<span class=change><i class=\"%s%s\" style=\"width:%s%%\"></i></span>", by > 0 ? "more" : "less",
                better > 0   ? " better"
                : better < 0 ? " worse"
                             : "",
                width);
    }
    fputs("</td>", file);
}

static void value_columns(FILE *file)
{
    sl_html_column(file, "A", NULL, true);
    sl_html_column(file, "B", NULL, true);
    sl_html_column(file, "change", "of B, relative to A", true);
    sl_html_column(file, "", "right: more in B; left: less; blue: better, orange: worse", false);
}

static bool differs(const sl_compared_sides *of, sl_metric metric)
{
    double v[2];
    return of->there[0] != of->there[1] || (sl_compared_metric(of, metric, v) && v[0] != v[1]);
}

static void put_total(FILE *file, const sl_comparison *c)
{
    fputs("<section id=total><h2>All launches</h2>\n", file);
    sl_html_table(file, "Counters that differ", "sortable compared");
    sl_html_column(file, "counter", NULL, false);
    value_columns(file);
    sl_html_table_rows(file);
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        if (!differs(&c->total, (sl_metric)i))
            continue;
        sl_htmlf(file, "<tr><td title=\"%s\">%s</td>", sl_metric_infos[i].description, sl_metric_infos[i].long_heading);
        value_cells(file, &c->total, (sl_metric)i);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

static void put_kernels(FILE *file, const sl_comparison *c)
{
    sl_htmlf(file, "<section id=kernels><h2>Kernels by change of %s</h2>\n", sl_metric_infos[c->effect].long_heading);
    sl_html_table(file, "Kernels", "sortable compared");
    sl_html_column(file, "kernel", NULL, false);
    value_columns(file);
    sl_html_table_rows(file);
    for (size_t i = 0; i < c->kernels.count; i++) {
        const sl_compared_kernel *k = &c->kernels.items[i];
        fputs("<tr>", file);
        if (k->renamed)
            sl_htmlf(file, "<td title=\"%s\">%s, now %s%s</td>", k->symbol, k->name, k->renamed,
                     k->by_likeness ? " (alike)" : "");
        else
            sl_html_cell_name(file, k->name, k->symbol);
        value_cells(file, &k->of, c->effect);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

static void put_loads(FILE *file, const sl_comparison *c)
{
    size_t shown = 0;
    sl_htmlf(file, "<section id=loads><h2>Memory instructions by change of %s</h2>\n",
             sl_metric_infos[c->load_effect].long_heading);
    sl_html_table(file, "Memory instructions that differ", "sortable compared loads");
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "location", NULL, false);
    sl_html_column(file, "instruction", NULL, false);
    sl_html_column(file, "array", NULL, false);
    value_columns(file);
    sl_html_table_rows(file);
    for (size_t i = 0; i < c->loads.count && shown < MAX_LOADS; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        const sl_compared_kernel *k = &c->kernels.items[l->kernel];
        if (!differs(&l->of, c->load_effect))
            continue;
        shown++;
        fputs("<tr>", file);
        sl_html_cell_name(file, k->name, k->symbol);
        if (l->moved)
            sl_htmlf(file, "<td>%s, now %s</td>", l->source, l->moved);
        else
            sl_html_cell(file, l->source);
        sl_html_cell(file, l->opcode);
        sl_html_cell(file, l->array_text);
        value_cells(file, &l->of, c->load_effect);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

sl_status sl_comparison_page(FILE *file, const sl_comparison *c, sl_error *error)
{
    sl_page_frame_head(file, "Comparison");
    sl_htmlf(file,
             "<body>\n<a class=skip href=\"#main\">Skip to the numbers</a>\n<header><h1>Comparison</h1>\n"
             "<p class=facts>sluice " SLUICE_VERSION " compare</p>\n"
             "<p class=sides><b>A</b> %s<br><b>B</b> %s</p>\n<p class=verdict><b>%s</b></p>\n</header>\n",
             c->label[0], c->label[1], c->verdict.text);
    fputs("<nav aria-label=Sections><ul>\n<li><a href=\"#total\">All launches</a></li>\n"
          "<li><a href=\"#kernels\">Kernels</a></li>\n<li><a href=\"#loads\">Memory instructions</a></li>\n"
          "</ul></nav>\n<main id=main>\n",
          file);
    put_total(file, c);
    put_kernels(file, c);
    put_loads(file, c);
    if (c->verdict.next)
        sl_htmlf(file, "<p>Look next at %s.</p>\n", c->verdict.next);
    fputs("</main>\n<script type=\"application/json\" id=data>{\"kernels\": []}</script>\n", file);
    sl_page_frame_end(file);
    return sl_text_finish(file, "the HTML page", error);
}
