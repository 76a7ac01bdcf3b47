/* SPDX-License-Identifier: MIT */
/* The states that a policy describes, as SVG: boxes side by side, transitions as arcs, those to the right above. */
#include <math.h>
#include <string.h>

#include "report/chart.h"
#include "report/html.h"

enum { STATES = 16, STEP = 380, BOX = 96, BOX_HEIGHT = 34, ARC = 92, MARGIN = 170 };

static const char style[] = "<style>text{font:11px Helvetica,Arial,sans-serif;fill:#000;text-anchor:middle}"
                            ".state{fill:#fff;stroke:#000}.arc{fill:none;stroke:#000}.event{font-weight:700}.event,."
                            "action{paint-order:stroke;stroke:#fff;stroke-width:4px}</style>\n";

typedef struct states {
    FILE *file;
    size_t count;
    const char *name[STATES];
    unsigned drawn[STATES][STATES]; /* arcs from one to the other */
    bool labels;                    /* these lie over all arcs */
    double middle;
} states;

static size_t state_of(states *s, const char *name)
{
    size_t i = 0;
    while (i < s->count && strcmp(s->name[i], name))
        i++;
    if (i == s->count && i < STATES)
        s->name[s->count++] = name;
    return i < STATES ? i : STATES - 1;
}

static double place(size_t state)
{
    return MARGIN + (double)state * STEP;
}

static void label(const states *s, double x, double y, const sl_policy_transition *t)
{
    fprintf(s->file, "<text class=\"event\" x=\"%.0f\" y=\"%.0f\">", x, y);
    sl_html_text(s->file, t->event);
    fprintf(s->file, "</text><text class=\"action\" x=\"%.0f\" y=\"%.0f\">", x, y + 13);
    sl_html_text(s->file, t->action);
    fputs("</text>\n", s->file);
}

/* Arcs between the same two lie over each other, longer ones outside of shorter ones. */
static void draw_arc(states *s, const sl_policy_transition *t)
{
    size_t from = state_of(s, t->from), to = state_of(s, t->to);
    bool up = to > from;
    double distance = (double)(up ? to - from : from - to);
    double edge = s->middle + (up ? -BOX_HEIGHT / 2.0 : BOX_HEIGHT / 2.0), x1 = place(from), x2 = place(to);
    double high = ARC * (1.7 * distance - 0.7 + s->drawn[from][to]++), turn = edge + (up ? -high : high);
    if (from == to) {
        if (!s->labels)
            fprintf(s->file, "<path class=\"arc\" d=\"M%.0f,%.0f c-40,-46 40,-46 16,0\" marker-end=\"url(#tip)\"/>\n",
                    x1 - 8, s->middle - BOX_HEIGHT / 2.0);
        else
            label(s, x1, s->middle - BOX_HEIGHT / 2.0 - 52, t);
        return;
    }
    x1 += up ? 20 : -20;
    x2 += up ? -20 : 20;
    if (s->labels)
        label(s, (x1 + x2) / 2, edge + (turn - edge) * 0.75 + (up ? -20 : 14), t);
    else
        fprintf(s->file,
                "<path class=\"arc\" d=\"M%.0f,%.0f C%.0f,%.0f %.0f,%.0f %.0f,%.0f\" marker-end=\"url(#tip)\"/>\n", x1,
                edge, x1, turn, x2, turn, x2, edge);
}

void sl_states_write(FILE *file, const sl_policy_transition *row, const char *title, bool alone)
{
    states s = {.file = file, .middle = 160};
    for (const sl_policy_transition *t = row; t->from; t++) {
        state_of(&s, t->from);
        state_of(&s, t->to);
    }
    double width = 2.0 * MARGIN + (double)(s.count - 1) * STEP,
           height = s.middle + BOX_HEIGHT + 1.5 * ARC * (double)(s.count - 1) + 40;
    fprintf(
        file,
        "%s<svg%s class=\"states\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n%s<title>",
        alone ? "" : "<div class=scroll>", alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", width, height, width,
        height, alone ? style : "");
    sl_html_text(file, title);
    fputs("</title>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
          "markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
          file);
    for (int pass = 0; pass < 2; pass++, s.labels = true) {
        memset(s.drawn, 0, sizeof s.drawn);
        for (const sl_policy_transition *t = row; t->from; t++)
            draw_arc(&s, t);
    }
    for (size_t i = 0; i < s.count; i++) {
        fprintf(file, "<rect class=\"state\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"8\"/>",
                place(i) - BOX / 2.0, s.middle - BOX_HEIGHT / 2.0, BOX, BOX_HEIGHT);
        fprintf(file, "<text x=\"%.0f\" y=\"%.0f\">", place(i), s.middle + 4);
        sl_html_text(file, s.name[i]);
        fputs("</text>\n", file);
    }
    fputs(alone ? "</svg>\n" : "</svg></div>\n", file);
}
