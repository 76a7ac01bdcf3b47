/* SPDX-License-Identifier: MIT */
#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "report/html.h"

enum { HEIGHT = 190, TOP = 24, GAP = 10, COLORS = 8, FULL_WIDTH = 960, PANEL_WIDTH = 300, LEGEND_LINE = 18 };

static const char style[] =
    "<style>text{font:11px Helvetica,Arial,sans-serif;fill:#000;text-anchor:end}.row{}.mean{font-weight:700}"
    ".panel,.axis{text-anchor:middle}.panel{font-weight:700}.key{text-anchor:start}.grid{stroke:#d9dde3}"
    ".edge{stroke:#000}.s0{fill:#0072b2}.s1{fill:#d55e00}.s2{fill:#009e73}.s3{fill:#cc79a7}.s4{fill:#56b4e9}"
    ".s5{fill:#e0c81b}.s6{fill:#8f959e}.s7{fill:#444}"
    ".l0{stroke:#0072b2}.l1{stroke:#d55e00}.l2{stroke:#009e73}.l3{stroke:#cc79a7}.l4{stroke:#56b4e9}"
    ".l5{stroke:#e0c81b}.l6{stroke:#8f959e}.l7{stroke:#444}.line{fill:none;stroke-width:1.5}"
    ".second{fill-opacity:.5;stroke:#000;stroke-dasharray:2}.line.second{fill:none;stroke-opacity:.6}"
    ".paper{fill-opacity:.25;stroke:#000;stroke-width:1}</style>\n";

/* A panel as it is drawn: its position in the picture, and its scale. */
typedef struct panel {
    FILE *file;
    const sl_chart *chart;
    double x, y, width, bottom; /* bottom: room for names */
    double left, bar;           /* room for the axis; width of a bar or of a category of lines */
    double min, max;
    unsigned stacks;
} panel;

static double value_at(const sl_chart *c, size_t category, size_t series)
{
    return c->value[category * c->series + series];
}

bool sl_chart_is_empty(const sl_chart *c)
{
    for (size_t p = 0; p < c->categories; p++)
        for (size_t s = 0; s < c->series; s++)
            if (!c->serie[s].paper && isfinite(value_at(c, p, s)))
                return false;
    return true;
}

/* ---- scale and room ---- */

static void widen(panel *p, double value)
{
    if (!isfinite(value))
        return;
    p->min = fmin(p->min, value);
    p->max = fmax(p->max, value);
}

/* Where bars grow from a neutral value, the axis need not begin at 0; it has a quarter to both sides, so that little
 * does not look like much. */
static void find_scale(panel *p)
{
    const sl_chart *c = p->chart;
    bool ratio = !isnan(c->neutral) && c->neutral > 0;
    p->min = ratio ? 0.75 * c->neutral : 0;
    p->max = ratio ? 1.25 * c->neutral : 0;
    for (size_t i = 0; i < c->categories; i++) {
        double sum[64] = {0};
        for (size_t s = 0; s < c->series; s++) {
            double value = value_at(c, i, s);
            double *stack = &sum[c->serie[s].stack % 64];
            *stack += isfinite(value) ? value : 0;
            widen(p, c->kind == SL_CHART_STACKS ? *stack : value);
        }
    }
    if (!(p->max > p->min))
        p->max = p->min + 1;
}

/* Bars that a cluster has: one per series with a value here, or one per stack. A cluster has room for one. */
static size_t bars_at(const panel *p, size_t category)
{
    const sl_chart *c = p->chart;
    size_t count = 0;
    if (c->kind != SL_CHART_CLUSTERS)
        return c->kind == SL_CHART_STACKS ? p->stacks : 1;
    for (size_t s = 0; s < c->series; s++)
        count += isfinite(value_at(c, category, s));
    return count ? count : 1;
}

static size_t all_bars(const panel *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->chart->categories; i++)
        count += bars_at(p, i);
    return count;
}

/* Names are rotated by 50 degrees: 11 pixels high, 6 wide per character on average. */
static void make_room(panel *p, bool several)
{
    const sl_chart *c = p->chart;
    size_t longest = 0;
    for (size_t i = 0; i < c->categories; i++)
        longest = strlen(c->category[i].name) > longest ? strlen(c->category[i].name) : longest;
    for (size_t s = 0; s < c->series; s++)
        p->stacks = c->serie[s].stack + 1 > p->stacks ? c->serie[s].stack + 1 : p->stacks;
    double bars = fmax(1, (double)all_bars(p)), categories = (double)c->categories;
    double room = several ? PANEL_WIDTH : FULL_WIDTH;
    p->bottom = 24 + 5 * (double)longest;
    p->bar = c->kind == SL_CHART_LINES ? fmax(28, fmin(70, room / (categories + 1)))
                                       : fmax(7, fmin(22, (room - categories * GAP) / bars));
    p->left = fmax(46, 8 + 4.2 * (double)longest - p->bar * (double)bars_at(p, 0) / 2);
    p->width = p->left + GAP + bars * p->bar + categories * (c->kind == SL_CHART_LINES ? 0 : GAP);
}

static double height_of(const panel *p, double value)
{
    return p->y + TOP + (HEIGHT - TOP) * (p->max - value) / (p->max - p->min);
}

/* ---- parts ---- */

static void write_text(FILE *file, const char *class, double x, double y, const char *turn, const char *text)
{
    fprintf(file, "<text class=\"%s\" transform=\"translate(%.1f %.1f)%s\">", class, x, y, turn);
    sl_html_text(file, text);
    fputs("</text>\n", file);
}

static void draw_axis(const panel *p)
{
    double raw = (p->max - p->min) / 5, unit = pow(10, floor(log10(raw)));
    double step = raw / unit > 5 ? 10 * unit : raw / unit > 2 ? 5 * unit : raw / unit > 1 ? 2 * unit : unit;
    for (double at = ceil(p->min / step) * step; at <= p->max + step / 100; at += step) {
        double y = height_of(p, at);
        fprintf(p->file, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", p->x + p->left,
                p->x + p->width, y, y);
        fprintf(p->file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%.6g</text>\n", p->x + p->left - 5, y + 4,
                fabs(at) < step / 100 ? 0 : at);
    }
}

static const char *class_of(const sl_chart_series *s, char kind, char buffer[48])
{
    snprintf(buffer, 48, "%c%u%s%s", kind, s->color % COLORS, s->color < COLORS ? "" : " second",
             s->paper ? " paper" : "");
    return buffer;
}

static void write_title(const panel *p, size_t category, const sl_chart_series *s, double value)
{
    fputs("<title>", p->file);
    sl_html_text(p->file, p->chart->category[category].name);
    if (*s->name)
        fputs(", ", p->file);
    sl_html_text(p->file, s->name);
    fprintf(p->file, "%s: %.*f", s->paper ? ", paper" : "", p->chart->digits, value);
    sl_html_text(p->file, strcmp(p->chart->unit, "%") ? p->chart->unit : " %");
    fputs("</title>", p->file);
}

static void draw_bar(const panel *p, double x, double from, double to, size_t category, size_t series)
{
    const sl_chart_series *s = &p->chart->serie[series];
    double top = height_of(p, fmax(from, to)), bottom = height_of(p, fmin(from, to));
    char class[48];
    fprintf(p->file, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            class_of(s, 's', class), x, top, p->bar - 1, fmax(bottom - top, 0.5));
    write_title(p, category, s, value_at(p->chart, category, series));
    fputs("</rect>\n", p->file);
}

static void draw_names(const panel *p, size_t category, double from, double to)
{
    const sl_chart_category *at = &p->chart->category[category];
    write_text(p->file, at->strong ? "mean" : "row", (from + to) / 2, p->y + HEIGHT + 14, " rotate(-50)", at->name);
}

/* ---- kinds ---- */

static void draw_clusters(const panel *p)
{
    const sl_chart *c = p->chart;
    double base = isnan(c->neutral) ? 0 : fmax(p->min, fmin(p->max, c->neutral)), x = p->x + p->left + GAP;
    for (size_t i = 0; i < c->categories; i++) {
        double start = x;
        for (size_t s = 0; s < c->series; s++) {
            double value = value_at(c, i, s);
            if (!isfinite(value))
                continue;
            draw_bar(p, x, base, value, i, s);
            x += p->bar;
        }
        x = fmax(x, start + p->bar);
        draw_names(p, i, start, x);
        x += GAP;
    }
}

static void draw_stacks(const panel *p)
{
    const sl_chart *c = p->chart;
    double x = p->x + p->left + GAP;
    for (size_t i = 0; i < c->categories; i++) {
        for (unsigned stack = 0; stack < p->stacks; stack++) {
            double sum = 0;
            for (size_t s = 0; s < c->series; s++) {
                double value = value_at(c, i, s);
                if (c->serie[s].stack != stack || !isfinite(value))
                    continue;
                draw_bar(p, x + stack * p->bar, sum, sum + value, i, s);
                sum += value;
            }
        }
        draw_names(p, i, x, x + p->stacks * p->bar);
        x += p->stacks * p->bar + GAP;
    }
}

static void draw_lines(const panel *p)
{
    const sl_chart *c = p->chart;
    char class[48];
    for (size_t s = 0; s < c->series; s++) {
        bool open = false;
        for (size_t i = 0; i < c->categories && !c->serie[s].paper; i++) {
            double value = value_at(c, i, s), x = p->x + p->left + GAP + ((double)i + 0.5) * p->bar;
            if (!isfinite(value))
                continue;
            if (open)
                fprintf(p->file, " %.1f,%.1f", x, height_of(p, value));
            else
                fprintf(p->file, "<polyline class=\"line %s\" points=\"%.1f,%.1f", class_of(&c->serie[s], 'l', class),
                        x, height_of(p, value));
            open = true;
        }
        if (open)
            fputs("\"/>\n", p->file);
        for (size_t i = 0; i < c->categories; i++) {
            double value = value_at(c, i, s), x = p->x + p->left + GAP + ((double)i + 0.5) * p->bar;
            if (!isfinite(value))
                continue;
            fprintf(p->file, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\">",
                    class_of(&c->serie[s], 's', class), x, height_of(p, value), c->serie[s].paper ? 5 : 3);
            write_title(p, i, &c->serie[s], value);
            fputs("</circle>\n", p->file);
        }
    }
    for (size_t i = 0; i < c->categories; i++) {
        double x = p->x + p->left + GAP + (double)i * p->bar;
        draw_names(p, i, x, x + p->bar);
    }
}

static void draw_panel(const panel *p)
{
    static void (*const draw[])(const panel *) = {draw_clusters, draw_stacks, draw_lines};
    draw_axis(p);
    draw[p->chart->kind](p);
    if (*p->chart->title)
        write_text(p->file, "panel", p->x + (p->left + p->width) / 2, p->y + 14, "", p->chart->title);
}

/* ---- the picture ---- */

static bool in_legend(const sl_chart *c, size_t series)
{
    for (size_t i = 0; i < c->categories; i++)
        if (isfinite(value_at(c, i, series)))
            return *c->serie[series].name || c->serie[series].paper;
    return false;
}

/* Returns where the legend ends. Without a file it is only measured. */
static double draw_legend(FILE *file, const sl_chart *c, double from, double width)
{
    double x = 10, y = from;
    size_t shown = 0;
    for (size_t s = 0; s < c->series; s++)
        shown += in_legend(c, s);
    for (size_t s = 0; s < c->series && shown > 1; s++) {
        const sl_chart_series *serie = &c->serie[s];
        char class[48], text[256];
        if (!in_legend(c, s))
            continue;
        snprintf(text, sizeof text, "%s%s%s", serie->name, *serie->name && serie->paper ? ", " : "",
                 serie->paper ? "paper" : "");
        double wide = 28 + 6.4 * (double)strlen(text);
        if (x > 10 && x + wide > width) {
            x = 10;
            y += LEGEND_LINE;
        }
        if (file) {
            fprintf(file, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\"/>",
                    class_of(serie, 's', class), x, y);
            write_text(file, "key", x + 15, y + 9, "", text);
        }
        x += wide;
    }
    return shown > 1 ? y + LEGEND_LINE : from;
}

/* Places of all panels; returns where they end. */
static double lay_out(const sl_chart *chart, size_t count, panel *p, double *width)
{
    double x = 14, y = 4, high = 0;
    for (size_t i = 0; i < count; i++) {
        p[i].chart = &chart[i];
        find_scale(&p[i]);
        make_room(&p[i], count > 1);
        if (x > 14 && x + p[i].width > FULL_WIDTH + 40) {
            x = 14;
            y += high;
            high = 0;
        }
        p[i].x = x;
        p[i].y = y;
        x += p[i].width + 2 * GAP;
        high = fmax(high, HEIGHT + p[i].bottom);
        *width = fmax(*width, x);
    }
    return y + high;
}

void sl_charts_write(FILE *file, const sl_chart *chart, size_t count, const char *title, const char *axis, bool alone)
{
    panel some[SL_CHART_PANELS] = {0};
    double width = 240;
    count = count < SL_CHART_PANELS ? count : SL_CHART_PANELS;
    double below = lay_out(chart, count, some, &width);
    double height = draw_legend(NULL, chart, below, width) + 4;
    if (!alone)
        fputs("<div class=scroll>", file);
    fprintf(file,
            "<svg%s class=\"bars\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n%s<title>",
            alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", width, height, width, height, alone ? style : "");
    sl_html_text(file, title);
    fputs(alone ? "</title>\n" : "; the numbers are in the table</title>\n", file);
    if (alone)
        fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", file);
    if (*axis)
        write_text(file, "axis", 11, 4 + TOP + (HEIGHT - TOP) / 2.0, " rotate(-90)", axis);
    for (size_t i = 0; i < count; i++) {
        some[i].file = file;
        draw_panel(&some[i]);
    }
    draw_legend(file, chart, below, width);
    fputs(alone ? "</svg>\n" : "</svg></div>\n", file);
}
