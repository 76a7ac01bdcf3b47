/* SPDX-License-Identifier: MIT */
#include "growth_plot.h"

#include <math.h>

#include "report/svg.h"

enum { WIDTH = 640, HEIGHT = 380, LEFT = 64, RIGHT = 24, TOP = 64, BOTTOM = 64, RADIUS = 4 };

static const char style[] = "text{font-family:sans-serif;font-size:12px;fill:#333}"
                            ".name{font-size:15px;font-weight:bold}.tick{font-size:11px;fill:#666}"
                            ".back{fill:#fff}.frame{fill:none;stroke:#888}.grid{stroke:#e6e6e6}"
                            ".fit{stroke:#c33;stroke-dasharray:5 3}.dot{fill:#1f5fbf}";

typedef struct axes {
    double min, max;  /* loads, as powers of ten, with a margin */
    double top, step; /* nanoseconds */
} axes;

void growth_fit(const growth_point *point, size_t count, double *constant, double *slope)
{
    double n = (double)count, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        double log_lines = log2(point[i].lines);
        x += log_lines;
        y += point[i].nanoseconds;
        xx += log_lines * log_lines;
        xy += log_lines * point[i].nanoseconds;
    }
    *slope = (n * xy - x * y) / (n * xx - x * x);
    *constant = (y - *slope * x) / n;
}

static double across(const axes *a, double loads)
{
    return LEFT + (log10(loads) - a->min) / (a->max - a->min) * (WIDTH - LEFT - RIGHT);
}

static double down(const axes *a, double nanoseconds)
{
    return HEIGHT - BOTTOM - nanoseconds / a->top * (HEIGHT - TOP - BOTTOM);
}

static axes choose_axes(const growth_point *point, size_t count)
{
    double max = 0;
    axes a = {.min = log10(point[0].loads) - 0.15, .max = log10(point[count - 1].loads) + 0.15};
    for (size_t i = 0; i < count; i++)
        max = point[i].nanoseconds > max ? point[i].nanoseconds : max;
    a.step = pow(10, floor(log10(max)));
    a.step /= max / a.step < 2 ? 4 : max / a.step < 5 ? 2 : 1;
    a.top = ceil(max * 1.1 / a.step) * a.step;
    return a;
}

static void draw_grid(FILE *file, const axes *a)
{
    char text[32];
    for (double power = ceil(a->min); power <= a->max; power++) {
        double x = across(a, pow(10, power));
        sl_svg_line(file, "grid", x, TOP, x, HEIGHT - BOTTOM);
        snprintf(text, sizeof text, power < 6 ? "%.0f K" : "%.0f M", pow(10, power < 6 ? power - 3 : power - 6));
        sl_svg_text(file, "tick", SL_ANCHOR_MIDDLE, false, x, HEIGHT - BOTTOM + 16, text);
    }
    for (double at = 0; at <= a->top + a->step / 2; at += a->step) {
        sl_svg_line(file, "grid", LEFT, down(a, at), WIDTH - RIGHT, down(a, at));
        snprintf(text, sizeof text, "%.4g", at);
        sl_svg_text(file, "tick", SL_ANCHOR_END, false, LEFT - 6, down(a, at) + 4, text);
    }
    sl_svg_rect(file, "frame", LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

static void draw_words(FILE *file, double constant, double slope)
{
    char text[160];
    sl_svg_text(file, "name", SL_ANCHOR_START, false, LEFT, 26, "Cost of modeling as the trace grows");
    snprintf(text, sizeof text,
             "dots: measured; dashes: %.4g + %.3g log2 M ns, which for N loads of M lines is N log M", constant, slope);
    sl_svg_text(file, "note", SL_ANCHOR_START, false, LEFT, 46, text);
    sl_svg_text(file, "axis", SL_ANCHOR_MIDDLE, false, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 40,
                "thread loads in the trace (N)");
    sl_svg_text(file, "axis", SL_ANCHOR_MIDDLE, true, 20, (TOP + HEIGHT - BOTTOM) / 2.0, "ns per load");
}

bool growth_plot(const char *path, const growth_point *point, size_t count)
{
    FILE *file = fopen(path, "w");
    sl_error error;
    double constant, slope;
    if (!file) {
        perror(path);
        return false;
    }
    growth_fit(point, count, &constant, &slope);
    axes a = choose_axes(point, count);
    sl_svg_start(file, WIDTH, HEIGHT, style);
    sl_svg_rect(file, "back", 0, 0, WIDTH, HEIGHT);
    draw_grid(file, &a);
    draw_words(file, constant, slope);
    for (size_t i = 0; i + 1 < count; i++)
        sl_svg_line(file, "fit", across(&a, point[i].loads), down(&a, constant + slope * log2(point[i].lines)),
                    across(&a, point[i + 1].loads), down(&a, constant + slope * log2(point[i + 1].lines)));
    for (size_t i = 0; i < count; i++) {
        char title[120];
        snprintf(title, sizeof title, "N = %.0f, M = %.0f: %.1f ns per load", point[i].loads, point[i].lines,
                 point[i].nanoseconds);
        sl_svg_dot(file, "dot", across(&a, point[i].loads), down(&a, point[i].nanoseconds), RADIUS, title);
    }
    sl_status status = sl_svg_finish(file, &error);
    if (fclose(file) || status) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return false;
    }
    return true;
}
