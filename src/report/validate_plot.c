/* SPDX-License-Identifier: MIT */
/* Validations as a scatter plot. Shares are on linear axes from 0 to 100 percent, counts on logarithmic ones. */
#include <math.h>

#include "base/text.h"
#include "report/results.h"
#include "report/svg.h"

enum { SIDE = 340, LEFT = 70, TOP = 66, GAP = 110, DOWN = 90, ACROSS = 2, FOOT = 54, RADIUS = 3 };

static const char style[] = "text{font-family:sans-serif;font-size:12px;fill:#333}"
                            ".name{font-size:15px;font-weight:bold}.tick{font-size:11px;fill:#666}"
                            ".back{fill:#fff}.frame{fill:none;stroke:#888}.grid{stroke:#e6e6e6}"
                            ".equal{stroke:#c33;stroke-dasharray:5 3}.dot{fill:#1f5fbf;fill-opacity:0.45}";

typedef struct panel {
    sl_quantity quantity;
    double x, y;     /* of its upper left corner */
    double min, max; /* of the axes: percent, or powers of ten */
    double step;     /* from a line of the grid to the next */
} panel;

static bool point_of(const sl_validation *v, const sl_validated *l, sl_quantity q, double *measured, double *model)
{
    return sl_validation_counts(v, l) && sl_quantity_value(q, &l->measured, measured) &&
           sl_quantity_value(q, &l->model[0], model);
}

/* A logarithmic axis has no zero: it is drawn at the left or bottom edge. */
static double along(const panel *p, double value)
{
    if (!sl_quantity_is_share(p->quantity))
        value = value > 0 ? log10(value) : p->min;
    value = value < p->min ? p->min : value > p->max ? p->max : value;
    return (value - p->min) / (p->max - p->min) * SIDE;
}

static void choose_axes(panel *p, const sl_validation *v)
{
    p->min = 0;
    p->max = 100;
    p->step = 20;
    if (sl_quantity_is_share(p->quantity))
        return;
    double min = INFINITY, max = 1;
    for (size_t i = 0; i < v->launches; i++) {
        double value[2];
        if (!point_of(v, &v->launch[i], p->quantity, &value[0], &value[1]))
            continue;
        for (int k = 0; k < 2; k++) {
            min = value[k] > 0 && value[k] < min ? value[k] : min;
            max = value[k] > max ? value[k] : max;
        }
    }
    p->max = ceil(log10(max));
    p->min = isfinite(min) ? floor(log10(min)) : 0;
    p->max = p->max > p->min ? p->max : p->min + 1;
    p->step = 1;
}

static void draw_grid(FILE *file, const panel *p)
{
    bool share = sl_quantity_is_share(p->quantity);
    sl_svg_rect(file, "back", p->x, p->y, SIDE, SIDE);
    for (double at = p->min; at <= p->max + p->step / 2; at += p->step) {
        char text[SL_HUMAN_BYTES];
        double offset = (at - p->min) / (p->max - p->min) * SIDE;
        if (share)
            snprintf(text, sizeof text, "%d%%", (int)lround(at));
        else
            sl_human_count((uint64_t)llround(pow(10, at)), text);
        sl_svg_line(file, "grid", p->x + offset, p->y, p->x + offset, p->y + SIDE);
        sl_svg_line(file, "grid", p->x, p->y + SIDE - offset, p->x + SIDE, p->y + SIDE - offset);
        sl_svg_text(file, "tick", SL_ANCHOR_MIDDLE, false, p->x + offset, p->y + SIDE + 16, text);
        sl_svg_text(file, "tick", SL_ANCHOR_END, false, p->x - 6, p->y + SIDE - offset + 4, text);
    }
    sl_svg_line(file, "equal", p->x, p->y + SIDE, p->x + SIDE, p->y);
    sl_svg_rect(file, "frame", p->x, p->y, SIDE, SIDE);
}

static const char *axis_unit(sl_quantity q)
{
    return sl_quantity_is_share((sl_quantity)q) ? "" : q == SL_QUANTITY_cycles ? " cycles" : " sectors";
}

static void draw_words(FILE *file, const panel *p, const sl_validation *v)
{
    sl_mean_error mean = sl_validation_mean(v, 0, p->quantity);
    char text[160], number[SL_HUMAN_BYTES];
    sl_svg_text(file, "name", SL_ANCHOR_START, false, p->x, p->y - 24, sl_quantity_title(p->quantity));
    if (mean.launches)
        snprintf(text, sizeof text, "mean absolute error %s %s over %zu launches", sl_human_ratio(mean.mean, 2, number),
                 sl_quantity_is_share(p->quantity) ? "points" : "%", mean.launches);
    else
        snprintf(text, sizeof text, "nothing to compare");
    sl_svg_text(file, "note", SL_ANCHOR_START, false, p->x, p->y - 8, text);
    snprintf(text, sizeof text, "measured%s", axis_unit(p->quantity));
    sl_svg_text(file, "axis", SL_ANCHOR_MIDDLE, false, p->x + SIDE / 2.0, p->y + SIDE + 36, text);
    snprintf(text, sizeof text, "%s%s", v->variant[0], axis_unit(p->quantity));
    sl_svg_text(file, "axis", SL_ANCHOR_MIDDLE, true, p->x - 52, p->y + SIDE / 2.0, text);
}

static void draw_dots(FILE *file, const panel *p, const sl_validation *v)
{
    bool share = sl_quantity_is_share(p->quantity);
    for (size_t i = 0; i < v->launches; i++) {
        const sl_validated *l = &v->launch[i];
        double measured, model;
        if (!point_of(v, l, p->quantity, &measured, &model))
            continue;
        char title[512], left[SL_HUMAN_BYTES], right[SL_HUMAN_BYTES];
        snprintf(title, sizeof title, "%s%s%s, launch %llu: measured %s, %s %s", l->workload, *l->workload ? ": " : "",
                 l->name, (unsigned long long)l->index, sl_human_ratio(measured, share, left), v->variant[0],
                 sl_human_ratio(model, share, right));
        sl_svg_dot(file, "dot", p->x + along(p, measured), p->y + SIDE - along(p, model), RADIUS, title);
    }
}

sl_status sl_validation_plot(FILE *file, const sl_validation *v, sl_error *error)
{
    unsigned panels = 0;
    for (int q = 0; q < SL_QUANTITIES; q++)
        panels += sl_validation_has(v, (sl_quantity)q);
    unsigned rows = panels ? (panels + ACROSS - 1) / ACROSS : 1, at = 0;
    unsigned width = LEFT + ACROSS * SIDE + (ACROSS - 1) * GAP + LEFT / 2;
    unsigned height = TOP + rows * SIDE + (rows - 1) * DOWN + FOOT;
    sl_svg_start(file, width, height, style);
    sl_svg_rect(file, "back", 0, 0, width, height);
    for (int q = 0; q < SL_QUANTITIES; q++) {
        if (!sl_validation_has(v, (sl_quantity)q))
            continue;
        panel p = {.quantity = (sl_quantity)q,
                   .x = LEFT + (at % ACROSS) * (SIDE + GAP),
                   .y = TOP + (at / ACROSS) * (SIDE + DOWN)};
        at++;
        choose_axes(&p, v);
        draw_grid(file, &p);
        draw_words(file, &p, v);
        draw_dots(file, &p, v);
    }
    return sl_svg_finish(file, error);
}
