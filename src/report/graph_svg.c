/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { LEFT = 20, TOP = 60, BOX = 150, GAP = 14, ROW = 190, COLUMNS = 6, RADIUS = 13 };

static const char STYLE[] =
    "svg{background:#fff;font:12px sans-serif}text{fill:#222}.title{font-size:15px;font-weight:bold}"
    ".kernel{font-weight:bold}.box{fill:#f4f4f4;stroke:#888}.edge{stroke:#999;stroke-width:1.2}"
    ".none{fill:#fff;stroke:#333}.L1{fill:#56b4e9;stroke:#333}.L2{fill:#e69f00;stroke:#333}"
    ".both{fill:#009e73;stroke:#333}.small{font-size:10px}"
    "@media(prefers-color-scheme:dark){svg{background:#111}text{fill:#eee}.box{fill:#222}.none{fill:#444;stroke:#eee}}";

static bool belongs(const sl_plan_load *a, const sl_plan_load *b)
{
    return a->group == b->group && !strcmp(a->function, b->function);
}

/* Whether load i is the first of its group; *count: how many it has. */
static bool starts_group(const sl_plan *plan, uint32_t i, uint32_t *count)
{
    *count = 0;
    if (plan->load[i].node == SL_NODE_KERNEL)
        return false;
    for (uint32_t k = 0; k < plan->loads; k++) {
        if (!belongs(&plan->load[i], &plan->load[k]))
            continue;
        if (k < i)
            return false;
        ++*count;
    }
    return true;
}

static void position(double x, double y, uint32_t index, uint32_t count, double *cx, double *cy)
{
    double radius = count == 1 ? 0 : 42, angle = 2 * M_PI * index / (count ? count : 1) - M_PI / 2;
    *cx = x + BOX / 2.0 + radius * cos(angle);
    *cy = y + BOX / 2.0 + 8 + radius * sin(angle);
}

/* The class of a dot: one for each mode by level, and one for the others. */
static const char *class_of(unsigned mode)
{
    return mode < SL_BYPASS_BY_LEVEL ? sl_bypass_name(mode) : "other";
}

static void title_of(const sl_plan_load *load, char *text, size_t size)
{
    size_t used =
        (size_t)snprintf(text, size, "%s, instruction %u, line %u: %s", load->opcode ? load->opcode : "load",
                         load->inst, load->source_line ? load->source_line : load->line, sl_bypass_name(load->mode));
    for (unsigned m = 1; m < SL_BYPASS_MODES && used < size; m++)
        if (!isnan(load->affinity[m]))
            used += (size_t)snprintf(text + used, size - used, "; %s %+.2f %%", sl_bypass_name(m), load->affinity[m]);
}

static void draw_group(FILE *file, const sl_plan *plan, uint32_t first, uint32_t count, double x, double y)
{
    char text[512];
    const char *array = plan->load[first].array;
    sl_svg_rect(file, "box", x, y, BOX, BOX);
    snprintf(text, sizeof text, "%.24s", array ? array : "unknown array");
    sl_svg_text(file, "small", SL_ANCHOR_MIDDLE, false, x + BOX / 2.0, y + 14, text);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count && count <= 12; b++) {
            double x1, y1, x2, y2;
            position(x, y, a, count, &x1, &y1);
            position(x, y, b, count, &x2, &y2);
            sl_svg_line(file, "edge", x1, y1, x2, y2);
        }
    uint32_t index = 0;
    for (uint32_t k = first; k < plan->loads; k++) {
        const sl_plan_load *load = &plan->load[k];
        double cx, cy;
        if (!belongs(&plan->load[first], load))
            continue;
        position(x, y, index++, count, &cx, &cy);
        title_of(load, text, sizeof text);
        sl_svg_dot(file, class_of(load->mode), cx, cy, count > 12 ? 6 : RADIUS, text);
        snprintf(text, sizeof text, "%u", load->source_line ? load->source_line : load->line);
        if (count <= 12)
            sl_svg_text(file, "small", SL_ANCHOR_MIDDLE, false, cx, cy + 4, text);
    }
}

static void draw_legend(FILE *file, double y)
{
    double x = LEFT + 10;
    for (unsigned m = 0; m <= SL_BYPASS_BY_LEVEL; m++, x += 90) {
        sl_svg_dot(file, class_of(m), x, y - 4, 7, class_of(m));
        sl_svg_text(file, "small", SL_ANCHOR_START, false, x + 12, y, m ? class_of(m) : "cached");
    }
}

/* Rows that the groups of all kernels take. */
static uint32_t count_rows(const sl_plan *plan)
{
    uint32_t rows = 0, column = 0, count;
    for (uint32_t i = 0; i < plan->loads; i++) {
        bool kernel = !i || strcmp(plan->load[i].function, plan->load[i - 1].function);
        if (!starts_group(plan, i, &count))
            continue;
        if (kernel || column == COLUMNS) {
            rows++;
            column = 0;
        }
        column++;
    }
    return rows;
}

sl_status sl_graph_svg(FILE *file, const sl_plan *plan, sl_error *error)
{
    uint32_t rows = count_rows(plan), column = 0, row = 0, count;
    char text[200];
    sl_svg_start(file, LEFT * 2 + COLUMNS * (BOX + GAP), TOP + rows * ROW + 30, STYLE);
    snprintf(text, sizeof text, "Loads of %.100s by group; numbers are lines", plan->code ? plan->code : "the code");
    sl_svg_text(file, "title", SL_ANCHOR_START, false, LEFT, 24, text);
    for (uint32_t i = 0; i < plan->loads; i++) {
        bool kernel = !i || strcmp(plan->load[i].function, plan->load[i - 1].function);
        if (!starts_group(plan, i, &count))
            continue;
        if (kernel || column == COLUMNS) {
            row++;
            column = 0;
        }
        double x = LEFT + column * (BOX + GAP), y = TOP + (row - 1) * ROW + 18;
        if (kernel)
            sl_svg_text(file, "kernel", SL_ANCHOR_START, false, LEFT, y - 6, plan->load[i].function);
        draw_group(file, plan, i, count, x, y);
        column++;
    }
    draw_legend(file, TOP + rows * ROW + 14);
    return sl_svg_finish(file, error);
}
