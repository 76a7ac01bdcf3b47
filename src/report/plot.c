/* SPDX-License-Identifier: MIT */
#include "report/plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 760, LEFT = 72, RIGHT = 26, TOP = 52, PLOT = 320, FOOT = 44, ROW = 18, COLORS = 8, MAX_TICKS = 40 };
static const double LETTER = 6.6; /* the mean width of one, at 12 px */

const char sl_plot_style[] =
    "text{font-family:sans-serif;font-size:12px;fill:#333}.name{font-size:15px;font-weight:bold}"
    ".tick{font-size:11px;fill:#666}.label{font-size:11px}.back{fill:#fff}.frame{fill:none;stroke:#888}"
    ".grid{stroke:#e6e6e6}.line{fill:none;stroke-width:1.8}.thin{stroke-width:0.8}"
    ".k0{fill:#0072b2;stroke:#0072b2}.k1{fill:#d55e00;stroke:#d55e00}.k2{fill:#009e73;stroke:#009e73}"
    ".k3{fill:#cc79a7;stroke:#cc79a7}.k4{fill:#56b4e9;stroke:#56b4e9}.k5{fill:#7a5ea8;stroke:#7a5ea8}"
    ".k6{fill:#e0c81b;stroke:#e0c81b}.k7{fill:#8f959e;stroke:#8f959e}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7ec}.tick{fill:#9aa3b0}.back{fill:#15181d}.grid{stroke:#333a44}"
    ".k0{fill:#2b8fd0;stroke:#2b8fd0}.k1{fill:#e8792b;stroke:#e8792b}.k2{fill:#1fb98b;stroke:#1fb98b}}";

/* Without zeros behind the point. */
static const char *plain(double value, char text[SL_HUMAN_BYTES])
{
    double whole = round(value);
    if (fabs(value - whole) < 0.005 && fabs(whole) < 1e15)
        snprintf(text, SL_HUMAN_BYTES, "%lld", (long long)whole);
    else
        sl_human_ratio(value, fabs(value) < 0.1 ? 3 : fabs(value * 10 - round(value * 10)) < 0.05 ? 1 : 2, text);
    return text;
}

char *sl_tick_bytes(double value, char text[SL_HUMAN_BYTES])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    char number[SL_HUMAN_BYTES];
    size_t u = 0;
    for (; value >= 1024 && u + 1 < sizeof unit / sizeof *unit; u++)
        value /= 1024;
    snprintf(text, SL_HUMAN_BYTES, "%.20s %s", plain(value, number), unit[u]);
    return text;
}

char *sl_tick_percent(double value, char text[SL_HUMAN_BYTES])
{
    char number[SL_HUMAN_BYTES];
    snprintf(text, SL_HUMAN_BYTES, "%.20s%%", plain(value, number));
    return text;
}

char *sl_tick_count(double value, char text[SL_HUMAN_BYTES])
{
    static const char *const unit[] = {"", " K", " M", " G", " T"};
    char number[SL_HUMAN_BYTES];
    size_t u = 0;
    for (; fabs(value) >= 10000 && u + 1 < sizeof unit / sizeof *unit; u++)
        value /= 1000;
    snprintf(text, SL_HUMAN_BYTES, "%.20s%s", plain(value, number), unit[u]);
    return text;
}

static bool is_log(const sl_plot_axis *a)
{
    return a->scale == SL_PLOT_LOG || a->scale == SL_PLOT_LOG2;
}

static double base_of(const sl_plot_axis *a)
{
    return a->scale == SL_PLOT_LOG2 ? 2 : 10;
}

/* ---- ranges and ticks ---- */

/* 1, 2 or 5 times a power of ten: about `ticks` of them. */
static double linear_step(double range, int ticks)
{
    double rough = range / ticks, power = pow(10, floor(log10(rough))), times = rough / power;
    return power * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

void sl_plot_fit(const sl_plot *chart, bool of_x, bool zero, sl_plot_axis *axis)
{
    double min = INFINITY, max = -INFINITY;
    for (size_t s = 0; s < chart->count; s++)
        for (size_t i = 0; i < chart->series[s].count; i++) {
            double value = of_x ? chart->series[s].dot[i].x : chart->series[s].dot[i].y;
            if (!isfinite(value) || (is_log(axis) && value <= 0))
                continue;
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
    if (!isfinite(min)) {
        min = 1;
        max = 10;
    }
    if (is_log(axis)) {
        double base = log(base_of(axis)), low = floor(log(min) / base + 1e-9), high = ceil(log(max) / base - 1e-9);
        axis->min = exp(low * base);
        axis->max = exp((high > low ? high : low + 1) * base);
        return;
    }
    if (zero && min > 0)
        min = 0;
    double step = linear_step(max > min ? max - min : fabs(max) > 0 ? fabs(max) : 1, 6);
    axis->min = floor(min / step + 1e-9) * step;
    axis->max = ceil(max / step - 1e-9) * step;
    axis->max = axis->max > axis->min ? axis->max : axis->min + step;
}

/* From 0 to 1. */
static double along(const sl_plot_axis *a, double value)
{
    double at = is_log(a) ? log((value > 0 ? value : a->min) / a->min) / log(a->max / a->min)
                          : (value - a->min) / (a->max - a->min);
    if (a->scale == SL_PLOT_NAMES)
        at = (value + 0.5) / (a->max + 1);
    return at < 0 ? 0 : at > 1 ? 1 : at;
}

static size_t ticks_of(const sl_plot_axis *a, double tick[MAX_TICKS])
{
    size_t count = 0;
    if (a->scale == SL_PLOT_NAMES) {
        double step = ceil((a->max + 1) / MAX_TICKS);
        for (double at = 0; at <= a->max && count < MAX_TICKS; at += step)
            tick[count++] = at;
    } else if (is_log(a)) {
        double base = base_of(a), steps = round(log(a->max / a->min) / log(base)), skip = ceil(steps / 12);
        for (double n = 0; n <= steps && count < MAX_TICKS; n += skip)
            tick[count++] = a->min * pow(base, n);
    } else {
        double step = linear_step(a->max - a->min, 6);
        for (double at = a->min; at <= a->max + step / 2 && count < MAX_TICKS; at += step)
            tick[count++] = at;
    }
    return count;
}

static const char *tick_text(const sl_plot_axis *a, double value, char text[SL_HUMAN_BYTES])
{
    if (a->scale == SL_PLOT_NAMES)
        return a->name[(size_t)value];
    return (a->tick ? a->tick : sl_tick_count)(value, text);
}

/* ---- drawing ---- */

typedef struct frame {
    double left, top, width, height;
} frame;

static double down(const frame *f, const sl_plot_axis *y, double value)
{
    return f->top + f->height * (1 - along(y, value));
}

static double right(const frame *f, const sl_plot_axis *x, double value)
{
    return f->left + f->width * along(x, value);
}

static void draw_axes(FILE *file, const sl_plot *c, const frame *f)
{
    double tick[MAX_TICKS];
    char text[SL_HUMAN_BYTES];
    sl_svg_rect(file, "back", f->left, f->top, f->width, f->height);
    size_t count = ticks_of(&c->y, tick);
    for (size_t i = 0; i < count; i++) {
        double at = down(f, &c->y, tick[i]);
        sl_svg_line(file, "grid", f->left, at, f->left + f->width, at);
        sl_svg_text(file, "tick", SL_ANCHOR_END, false, f->left - 6, at + 4, tick_text(&c->y, tick[i], text));
    }
    count = ticks_of(&c->x, tick);
    double free_from = -INFINITY; /* texts next to each other do not overlap */
    for (size_t i = 0; i < count; i++) {
        double at = right(f, &c->x, tick[i]);
        const char *name = tick_text(&c->x, tick[i], text);
        double half = (double)sl_utf8_columns(name) * LETTER / 2;
        sl_svg_line(file, "grid", at, f->top, at, f->top + f->height);
        if (at - half < free_from)
            continue;
        sl_svg_text(file, "tick", SL_ANCHOR_MIDDLE, false, at, f->top + f->height + 16, name);
        free_from = at + half + 6;
    }
    sl_svg_rect(file, "frame", f->left, f->top, f->width, f->height);
    sl_svg_text(file, "axis", SL_ANCHOR_MIDDLE, false, f->left + f->width / 2, f->top + f->height + 36, c->x.title);
    sl_svg_text(file, "axis", SL_ANCHOR_MIDDLE, true, 16, f->top + f->height / 2, c->y.title);
}

static bool shown(const sl_plot *c, const sl_plot_dot *d)
{
    return isfinite(d->x) && isfinite(d->y) && !(is_log(&c->x) && d->x <= 0) && !(is_log(&c->y) && d->y <= 0);
}

static void draw_series(FILE *file, const sl_plot *c, const frame *f, const sl_plot_series *s)
{
    char line[32], dot[32];
    const sl_plot_dot *before = NULL;
    snprintf(line, sizeof line, "%s k%u", s->thin ? "thin" : "line", s->color % COLORS);
    snprintf(dot, sizeof dot, "k%u", s->color % COLORS);
    for (size_t i = 0; i < s->count; i++) {
        const sl_plot_dot *d = &s->dot[i];
        if (!shown(c, d))
            continue;
        if (s->line && before)
            sl_svg_line(file, line, right(f, &c->x, before->x), down(f, &c->y, before->y), right(f, &c->x, d->x),
                        down(f, &c->y, d->y));
        before = d;
    }
    for (size_t i = 0; i < s->count && s->dots; i++) {
        const sl_plot_dot *d = &s->dot[i];
        if (!shown(c, d))
            continue;
        sl_svg_dot(file, dot, right(f, &c->x, d->x), down(f, &c->y, d->y), 4, d->title ? d->title : "");
        if (d->label)
            sl_svg_text(file, "label", SL_ANCHOR_START, false, right(f, &c->x, d->x) + 6, down(f, &c->y, d->y) - 5,
                        d->label);
    }
    if (before && s->at) {
        double x = right(f, &c->x, before->x), y = down(f, &c->y, before->y);
        bool inside = x > f->left + f->width * 0.7;
        sl_svg_text(file, "label", inside ? SL_ANCHOR_END : SL_ANCHOR_START, false, x + (inside ? -6 : 6), y - 5,
                    s->at);
    }
}

/* Draws the legend, or with NULL measures it. Returns its rows. */
static unsigned draw_legend(FILE *file, const sl_plot *c, double y, double width)
{
    double x = LEFT;
    unsigned rows = 0;
    for (size_t s = 0; s < c->count + c->keys; s++) {
        char class[32];
        bool colored = s < c->count;
        const char *name = colored ? c->series[s].name : c->key[s - c->count];
        if (!name)
            continue;
        double room = 30 + (double)sl_utf8_columns(name) * LETTER;
        if (!rows || x + room > width - RIGHT) {
            rows++;
            x = LEFT;
        }
        double row = y + ROW * (rows - 1);
        if (file && colored) {
            snprintf(class, sizeof class, "k%u", c->series[s].color % COLORS);
            sl_svg_rect(file, class, x, row - 9, 10, 10);
        }
        if (file)
            sl_svg_text(file, "note", SL_ANCHOR_START, false, x + (colored ? 15 : 0), row, name);
        x += room;
    }
    return rows;
}

double sl_plot_height(const sl_plot *c, double width)
{
    return TOP + PLOT + FOOT + ROW * draw_legend(NULL, c, 0, width) + ROW;
}

void sl_plot_draw(FILE *file, const sl_plot *c, double y, double width)
{
    const frame f = {LEFT, y + TOP, width - LEFT - RIGHT, PLOT};
    sl_svg_text(file, "name", SL_ANCHOR_START, false, LEFT, y + TOP - 27, c->title);
    sl_svg_text(file, "note", SL_ANCHOR_START, false, LEFT, y + TOP - 9, c->note ? c->note : "");
    draw_axes(file, c, &f);
    for (size_t s = 0; s < c->count; s++)
        draw_series(file, c, &f, &c->series[s]);
    draw_legend(file, c, y + TOP + PLOT + FOOT + ROW, width);
}

sl_status sl_plots_svg(FILE *file, const sl_plot *chart, size_t charts, sl_error *error)
{
    double height = 0, y = 0;
    for (size_t i = 0; i < charts; i++)
        height += sl_plot_height(&chart[i], WIDTH);
    sl_svg_start(file, WIDTH, (unsigned)ceil(height) + 8, sl_plot_style);
    sl_svg_rect(file, "back", 0, 0, WIDTH, ceil(height) + 8);
    for (size_t i = 0; i < charts; i++) {
        sl_plot_draw(file, &chart[i], y, WIDTH);
        y += sl_plot_height(&chart[i], WIDTH);
    }
    return sl_svg_finish(file, error);
}
