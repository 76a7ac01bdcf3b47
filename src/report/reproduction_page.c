/* SPDX-License-Identifier: MIT */
/* A paper as an HTML page: tables, and bars of the paper's numbers next to ours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/page_sections.h"
#include "report/results.h"

static const char *const verdict_class[SL_VERDICTS] = {
    "", "v-agrees", "v-direction", "v-differs", "v-unresolved", "v-input", "v-unknown"};

static void write_verdict(FILE *file, const void *of)
{
    const sl_compared *c = of;
    fprintf(file, "<td class=\"%s\"", verdict_class[c->verdict]);
    if (c->why) {
        fputs(" title=\"", file);
        sl_html_text(file, c->why);
        fputs("\"", file);
    }
    fprintf(file, ">%s</td>", sl_verdict_names[c->verdict]);
}

static void verdict_cell(sl_table *t, const sl_compared *c)
{
    sl_compared *copy = sl_table_alloc(t, sizeof *copy);
    if (copy)
        *copy = *c;
    sl_table_markup(t, write_verdict, copy);
}

static void measure_cell(sl_table *t, const sl_paper_measure *m, double value)
{
    sl_table_number(t, value, m->digits, m->unit);
}

/* ---- tables ---- */

/* A row of a figure: of a program (group < 0), or the means of a group. */
static void add_row(sl_table *t, const sl_reproduction *r, const sl_paper_figure *figure, int program, int group)
{
    const sl_paper_group *g = &r->group[group];
    sl_table_cell(t, g->name);
    sl_table_cell(t, program >= 0 ? r->paper->program[program].name : "mean");
    for (size_t c = 0; c < figure->columns; c++) {
        const sl_paper_column *column = &figure->column[c];
        sl_compared value = program >= 0                   ? sl_compare_program(r, column, program)
                            : column->mean != SL_MEAN_NONE ? sl_compare_group(r, column, group)
                                                           : (sl_compared){.ours = NAN, .paper = NAN};
        if (column->numbers)
            measure_cell(t, &column->measure, value.paper);
        measure_cell(t, &column->measure, value.ours);
        if (column->numbers)
            verdict_cell(t, &value);
    }
}

/* Where columns are ranked by their means, these come first. */
static void add_rows(sl_table *t, const sl_reproduction *r, const sl_paper_figure *figure, int group)
{
    const sl_paper_group *g = &r->group[group];
    bool means = false;
    for (size_t c = 0; c < figure->columns && g->count; c++)
        means |= figure->column[c].mean != SL_MEAN_NONE;
    if (means && figure->ranked)
        add_row(t, r, figure, -1, group);
    for (size_t i = 0; i < g->count; i++)
        add_row(t, r, figure, g->program[i], group);
    if (means && !figure->ranked)
        add_row(t, r, figure, -1, group);
}

static sl_status write_table(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    sl_column *columns = calloc(2 + 3 * figure->columns, sizeof *columns);
    size_t count = 0;
    if (!columns)
        return sl_fail_memory(error);
    columns[count++] = (sl_column)SL_TEXTS("class");
    columns[count++] = (sl_column)SL_TEXTS("program");
    for (size_t c = 0; c < figure->columns; c++) {
        const sl_paper_column *column = &figure->column[c];
        if (column->numbers)
            columns[count++] = (sl_column)SL_NUMBERS("paper");
        columns[count++] = (sl_column){.title = column->name, .right = true, .description = column->formula};
        if (column->numbers)
            columns[count++] = (sl_column)SL_TEXTS("verdict");
    }
    sl_table *t = sl_table_create(columns, count);
    for (size_t g = 0; g < figure->groups; g++)
        add_rows(t, r, figure, figure->group[g]);
    free(columns);
    return sl_table_html(t, file, figure->title, "sortable", error);
}

/* ---- bars ---- */

enum { HEIGHT = 200, TOP = 12, GAP = 10, COLORS = 8, FULL_WIDTH = 960 };

typedef struct bars {
    FILE *file;
    const sl_reproduction *r;
    const sl_paper_figure *figure;
    size_t series, rows; /* series: columns, and the paper's where it has numbers */
    double min, max;
    double left, bottom, bar; /* room for the axis and for names; width of a bar */
    double x;
} bars;

static void widen(void *context, const sl_compared_item *item)
{
    bars *b = context;
    if (item->figure != b->figure || !item->column || (b->figure->ranked && !item->mean))
        return;
    double values[] = {item->compared.ours, item->compared.paper};
    for (int i = 0; i < 2; i++)
        if (isfinite(values[i])) {
            b->max = fmax(b->max, values[i]);
            b->min = fmin(b->min, values[i]);
        }
}

/* Where all bars grow from the same neutral value, the axis need not begin at 0; it has a quarter to both sides, so
 * that little does not look like much. */
static void begin_axis(bars *b)
{
    double neutral = b->figure->columns ? b->figure->column[0].measure.neutral : NAN;
    for (size_t c = 1; c < b->figure->columns; c++)
        if (!(b->figure->column[c].measure.neutral == neutral))
            neutral = NAN;
    if (!isnan(neutral) && neutral > 0) {
        b->min = 0.75 * neutral;
        b->max = 1.25 * neutral;
    }
}

static size_t longer(size_t length, const char *name)
{
    return strlen(name) > length ? strlen(name) : length;
}

/* Names are rotated by 50 degrees: 11 pixels high, 6 wide per character on average. */
static void make_room(bars *b)
{
    size_t longest = 0;
    for (size_t g = 0; !b->figure->ranked && g < b->figure->groups; g++) {
        const sl_paper_group *group = &b->r->group[b->figure->group[g]];
        for (size_t i = 0; i < group->count; i++)
            longest = longer(longest, b->r->paper->program[group->program[i]].name);
    }
    for (size_t c = 0; b->figure->ranked && c < b->figure->columns; c++)
        longest = longer(longest, b->figure->column[c].name);
    b->bar = fmax(9, fmin(22, (FULL_WIDTH / (double)b->rows - GAP) / (double)b->series));
    b->bottom = 24 + 5 * (double)longest;
    b->left = fmax(44, 8 + 4.2 * (double)longest - b->bar * (double)b->series / 2);
    b->x = b->left + GAP;
}

static double height_of(const bars *b, double value)
{
    return TOP + (HEIGHT - TOP) * (b->max - value) / (b->max - b->min);
}

static void draw_bar(bars *b, double value, size_t series, bool paper, const char *name, const sl_paper_measure *m)
{
    double base = isnan(m->neutral) ? 0 : fmax(b->min, fmin(b->max, m->neutral));
    double top = height_of(b, fmax(value, base)), bottom = height_of(b, fmin(value, base));
    char text[SL_MEASURE_BYTES];
    if (isfinite(value)) {
        fprintf(b->file, "<rect class=\"s%zu%s%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
                series % COLORS, series < COLORS ? "" : " second", paper ? " paper" : "", b->x, top, b->bar - 1,
                fmax(bottom - top, 0.5));
        sl_html_text(b->file, name);
        fprintf(b->file, " %s</title></rect>\n", sl_measure_text(m, value, text));
    }
    b->x += b->bar;
}

static void draw_name(bars *b, const char *name, const char *class, double start)
{
    fprintf(b->file, "<text class=%s transform=\"translate(%.1f %d) rotate(-50)\">", class, (start + b->x) / 2,
            HEIGHT + 14);
    sl_html_text(b->file, name);
    fputs("</text>\n", b->file);
    b->x += GAP;
}

static void draw_cluster(bars *b, const char *name, int program, int group)
{
    double start = b->x;
    for (size_t c = 0; c < b->figure->columns; c++) {
        const sl_paper_column *column = &b->figure->column[c];
        if (program < 0 && column->mean == SL_MEAN_NONE)
            continue;
        sl_compared value =
            program >= 0 ? sl_compare_program(b->r, column, program) : sl_compare_group(b->r, column, group);
        char label[160];
        snprintf(label, sizeof label, "%s, %s, paper:", name, column->name);
        if (column->numbers)
            draw_bar(b, value.paper, c, true, label, &column->measure);
        snprintf(label, sizeof label, "%s, %s:", name, column->name);
        draw_bar(b, value.ours, c, false, label, &column->measure);
    }
    draw_name(b, name, program < 0 ? "mean" : "row", start);
}

/* A ranking: the means alone, each with the name of its column. */
static void draw_ranking(bars *b, int group)
{
    for (size_t c = 0; c < b->figure->columns; c++) {
        const sl_paper_column *column = &b->figure->column[c];
        double start = b->x;
        draw_bar(b, sl_compare_group(b->r, column, group).ours, 0, false, column->name, &column->measure);
        draw_name(b, column->name, "row", start);
    }
}

static void draw_axis(bars *b, double width)
{
    double raw = (b->max - b->min) / 4, unit = pow(10, floor(log10(raw)));
    double step = raw / unit > 5 ? 10 * unit : raw / unit > 2 ? 5 * unit : raw / unit > 1 ? 2 * unit : unit;
    for (double at = ceil(b->min / step) * step; at <= b->max + step / 100; at += step) {
        double y = height_of(b, at);
        fprintf(b->file, "<line class=grid x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" />", b->left, width, y, y);
        fprintf(b->file, "<text class=tick x=\"%.1f\" y=\"%.1f\">%.3g</text>\n", b->left - 5, y + 4,
                fabs(at) < step / 100 ? 0 : at);
    }
}

static void write_bars(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure)
{
    bars b = {.file = file, .r = r, .figure = figure};
    for (size_t c = 0; c < figure->columns; c++)
        b.series += figure->column[c].numbers ? 2 : 1;
    for (size_t g = 0; g < figure->groups; g++)
        b.rows += figure->ranked ? figure->columns : r->group[figure->group[g]].count + 1;
    b.series = figure->ranked ? 1 : b.series;
    begin_axis(&b);
    sl_reproduction_each(r, widen, &b);
    if (!(b.max > b.min) || !b.rows || !b.series)
        return;
    make_room(&b);
    double width = b.left + GAP + (double)b.rows * ((double)b.series * b.bar + GAP), height = HEIGHT + b.bottom;
    fprintf(file,
            "<div class=scroll><svg class=bars role=img viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\">\n<title>",
            width, height, width, height);
    sl_html_text(file, figure->title);
    fputs("; the numbers are in the table</title>\n", file);
    draw_axis(&b, width);
    for (size_t g = 0; g < figure->groups; g++) {
        const sl_paper_group *group = &r->group[figure->group[g]];
        if (figure->ranked) {
            draw_ranking(&b, figure->group[g]);
            continue;
        }
        for (size_t i = 0; i < group->count; i++)
            draw_cluster(&b, r->paper->program[group->program[i]].name, group->program[i], -1);
        if (group->count)
            draw_cluster(&b, group->name, -1, figure->group[g]);
    }
    fputs("</svg></div>\n", file);
    if (figure->ranked)
        return;
    fputs("<p class=legend>", file);
    for (size_t c = 0; c < figure->columns; c++) {
        if (figure->column[c].numbers)
            fprintf(file, "<span><i class=\"s%zu paper\"></i> paper</span> ", c % COLORS);
        fprintf(file, "<span><i class=\"s%zu%s\"></i> ", c % COLORS, c < COLORS ? "" : " second");
        sl_html_text(file, figure->column[c].name);
        fputs("</span> ", file);
    }
    fputs("</p>\n", file);
}

/* ---- claims ---- */

static sl_status write_claims(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("verdict"), SL_TEXTS("claim"), SL_NUMBERS("paper"), SL_NUMBERS("ours"),
                                        SL_TEXTS("explanation")};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < figure->claims; i++) {
        const sl_paper_claim *claim = &figure->claim[i];
        const sl_compared c = sl_compare_claim(r, claim);
        if (c.verdict == SL_VERDICT_NONE)
            continue;
        verdict_cell(t, &c);
        sl_table_cell(t, claim->says);
        measure_cell(t, &claim->measure, claim->number);
        measure_cell(t, &claim->measure, c.ours);
        sl_table_cell(t, c.why);
    }
    return sl_table_html(t, file, "Claims of the paper", "claims", error);
}

static void write_reasons(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure)
{
    bool open = false;
    for (size_t c = 0; c < figure->columns; c++)
        for (size_t i = 0; i < figure->column[c].reasons; i++) {
            const sl_paper_reason *why = &figure->column[c].reason[i];
            sl_compared compared = why->program >= 0 ? sl_compare_program(r, &figure->column[c], why->program)
                                                     : sl_compare_group(r, &figure->column[c], why->group);
            if (compared.verdict <= SL_VERDICT_AGREES)
                continue;
            fputs(open ? "<dt>" : "<dl class=reasons><dt>", file);
            sl_html_text(file,
                         why->program >= 0 ? r->paper->program[why->program].name : r->paper->group[why->group].name);
            fputs("</dt><dd>", file);
            sl_html_text(file, why->text);
            fputs("</dd>\n", file);
            open = true;
        }
    if (open)
        fputs("</dl>\n", file);
}

/* ---- the page ---- */

static sl_status write_figure(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    fputs("<section id=\"", file);
    sl_html_text(file, figure->id);
    fputs("\"><h2>", file);
    sl_html_text(file, figure->title);
    fputs(" <span>", file);
    sl_html_text(file, figure->where);
    fputs("</span></h2>\n", file);
    if (figure->columns)
        write_bars(file, r, figure);
    sl_status status = figure->claims ? write_claims(file, r, figure, error) : SL_OK;
    if (figure->columns && !status)
        status = write_table(file, r, figure, error);
    write_reasons(file, r, figure);
    if (*figure->note) {
        fputs("<p class=note>", file);
        sl_html_text(file, figure->note);
        fputs("</p>\n", file);
    }
    fputs("</section>\n", file);
    return status;
}

static void write_overview(FILE *file, const sl_reproduction *r)
{
    static const char *const titles[SL_VERDICTS] = {"",       "agree",  "same direction", "differ", "not resolved",
                                                    "inputs", "unknown"};
    size_t tally[SL_VERDICTS];
    bool judged = sl_reproduction_tally(r, tally);
    fputs("<section id=overview><h2>Overview</h2>\n<dl class=tiles>\n", file);
    for (int v = SL_VERDICT_AGREES; v < SL_VERDICTS && judged; v++)
        if (tally[v] || v <= SL_VERDICT_DIFFERS)
            fprintf(file, "<div class=%s><dt>%s</dt><dd>%zu</dd></div>\n", verdict_class[v], titles[v], tally[v]);
    fputs("</dl>\n<p>", file);
    sl_html_text(file, r->paper->summary);
    fputs("</p>\n", file);
    for (size_t i = 0; i < r->points; i++) {
        char text[512];
        if (r->outcome[i].state != SL_OUTCOME_FAILED)
            continue;
        fputs("<p class=\"note bad\">failed: ", file);
        sl_html_text(file, sl_point_text(&r->point[i], text, sizeof text));
        fputs(": ", file);
        sl_html_text(file, r->outcome[i].failure);
        fputs("</p>\n", file);
    }
    fputs("</section>\n", file);
}

static void write_nav(FILE *file, const sl_reproduction *r)
{
    fputs("<nav aria-label=Figures><ul>\n<li><a href=\"#overview\">Overview</a></li>\n", file);
    for (size_t f = 0; f < r->paper->figures; f++) {
        if (!r->wanted[f])
            continue;
        fputs("<li><a href=\"#", file);
        sl_html_text(file, r->paper->figure[f].id);
        fputs("\">", file);
        sl_html_text(file, r->paper->figure[f].id);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n", file);
}

sl_status sl_reproduction_page(FILE *file, const sl_reproduction *r, sl_error *error)
{
    sl_page_frame_head(file, r->paper->title);
    fputs("<body>\n<a class=skip href=\"#main\">Skip to the numbers</a>\n<header><h1>", file);
    sl_html_text(file, r->paper->title);
    fputs("</h1>\n<p class=facts>", file);
    sl_html_text(file, r->paper->source);
    fprintf(file, " \u00b7 sluice " SLUICE_VERSION " reproduce%s</p>\n</header>\n",
            r->quick ? " \u00b7 <b>quick run on few programs</b>" : "");
    write_nav(file, r);
    fputs("<main id=main>\n", file);
    write_overview(file, r);
    sl_status status = SL_OK;
    for (size_t f = 0; f < r->paper->figures && !status; f++)
        if (r->wanted[f])
            status = write_figure(file, r, &r->paper->figure[f], error);
    fputs("</main>\n<script type=\"application/json\" id=data>{\"kernels\": []}</script>\n", file);
    sl_page_frame_end(file);
    if (!status && (fflush(file) || ferror(file)))
        status = sl_fail_io(error, "write", "the HTML page");
    return status;
}
