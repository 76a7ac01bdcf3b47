/* SPDX-License-Identifier: MIT */
/* A comparison as a page: what changed in all launches, in kernels and in memory instructions, with bars. */
#include <math.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { MAX_LOADS = 500 };

typedef struct change_text {
    double by, largest;
    int better; /* 1: B is better, -1: worse */
    char text[SL_METRIC_BYTES];
} change_text;

static void write_change_text(FILE *file, const void *of)
{
    const change_text *c = of;
    char exact[SL_DOUBLE_BYTES];
    fprintf(file, "<td class=n data-v=\"%s\">", sl_double_text(c->by, exact));
    sl_html_text(file, c->text);
    fputs("</td>", file);
}

/* A change as a bar: right for more in B, left for less. */
static void write_change(FILE *file, const void *of)
{
    static const char *const kinds[] = {" worse", "", " better"};
    const change_text *c = of;
    char width[SL_HUMAN_BYTES];
    sl_human_ratio(50 * fabs(c->by) / c->largest, 1, width);
    fprintf(file, "<td><span class=change><i class=\"%s%s\" style=\"width:%s%%\"></i></span></td>",
            c->by > 0 ? "more" : "less", kinds[c->better + 1], width);
}

static void value_cells(sl_table *t, const sl_compared_sides *of, sl_metric metric)
{
    double v[2] = {0, 0};
    change_text *change = sl_table_alloc(t, sizeof *change);
    if (!change)
        return;
    for (int side = 0; side < 2; side++)
        sl_table_metric(t, metric, &(sl_metric_row){.counts = of->there[side] ? &of->counts[side] : NULL});
    bool both = of->there[0] && of->there[1] && sl_compared_metric(of, metric, v);
    change->by = both ? v[1] - v[0] : 0;
    change->largest = fmax(fabs(v[0]), fabs(v[1]));
    change->better = sl_compared_better(of, metric);
    char text[SL_METRIC_BYTES];
    snprintf(change->text, sizeof change->text, "%s", sl_change_text(of, metric, text));
    sl_table_markup(t, write_change_text, change);
    if (both && v[0] != v[1])
        sl_table_markup(t, write_change, change);
    else
        sl_table_none(t);
}

#define VALUE_COLUMNS                                                                                                  \
    SL_NUMBERS("A"), SL_NUMBERS("B"), SL_NUMBERS("change"),                                                            \
    {                                                                                                                  \
        .title = "", .description = "right: more in B; left: less; blue: better, orange: worse"                        \
    }

static void write_metric(FILE *file, const void *of)
{
    const sl_metric_info *m = of;
    sl_htmlf(file, "<td title=\"%s\">%s</td>", m->description, m->long_heading);
}

static sl_status write_total(FILE *file, const sl_comparison *c, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("counter"), VALUE_COLUMNS};
    sl_table *t = SL_TABLE(columns);
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        if (!sl_compared_differs(&c->total, (sl_metric)i))
            continue;
        sl_table_markup(t, write_metric, &sl_metric_infos[i]);
        value_cells(t, &c->total, (sl_metric)i);
    }
    fputs("<section id=total><h2>All launches</h2>\n", file);
    sl_status status = sl_table_html(t, file, "Counters that differ", "sortable compared", error);
    fputs("</section>\n", file);
    return status;
}

static void write_kernel(FILE *file, const void *of)
{
    const sl_compared_kernel *k = of;
    if (k->renamed)
        sl_htmlf(file, "<td title=\"%s\">%s, now %s%s</td>", k->symbol, k->name, k->renamed,
                 k->by_likeness ? " (alike)" : "");
    else
        sl_html_cell_name(file, k->name, k->symbol);
}

static sl_status write_kernels(FILE *file, const sl_comparison *c, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("kernel"), VALUE_COLUMNS};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < c->kernels.count; i++) {
        sl_table_markup(t, write_kernel, &c->kernels.items[i]);
        value_cells(t, &c->kernels.items[i].of, c->effect);
    }
    sl_htmlf(file, "<section id=kernels><h2>Kernels by change of %s</h2>\n", sl_metric_infos[c->effect].long_heading);
    sl_status status = sl_table_html(t, file, "Kernels", "sortable compared", error);
    fputs("</section>\n", file);
    return status;
}

static sl_status write_loads(FILE *file, const sl_comparison *c, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("kernel"), SL_TEXTS("location"), SL_TEXTS("instruction"),
                                        SL_TEXTS("array"), VALUE_COLUMNS};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < c->loads.count && sl_table_rows(t) < MAX_LOADS; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        if (!sl_compared_differs(&l->of, c->load_effect))
            continue;
        sl_table_markup(t, write_kernel, &c->kernels.items[l->kernel]);
        sl_compared_load_cells(t, l);
        value_cells(t, &l->of, c->load_effect);
    }
    sl_htmlf(file, "<section id=loads><h2>Memory instructions by change of %s</h2>\n",
             sl_metric_infos[c->load_effect].long_heading);
    sl_status status = sl_table_html(t, file, "Memory instructions that differ", "sortable compared loads", error);
    fputs("</section>\n", file);
    return status;
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
    sl_status status = write_total(file, c, error);
    if (!status)
        status = write_kernels(file, c, error);
    if (!status)
        status = write_loads(file, c, error);
    if (status)
        return status;
    if (c->verdict.next)
        sl_htmlf(file, "<p>Look next at %s.</p>\n", c->verdict.next);
    fputs("</main>\n<script type=\"application/json\" id=data>{\"kernels\": []}</script>\n", file);
    sl_page_frame_end(file);
    return sl_text_finish(file, "the HTML page", error);
}
