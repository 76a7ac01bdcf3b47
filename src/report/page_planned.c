/* SPDX-License-Identifier: MIT */
/* Gains of loads that bypass a cache, as measured for a plan: cells of the tables of lines and loads. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

static const unsigned shown[] = {SL_BYPASS_L1, SL_BYPASS_L2, SL_BYPASS_BOTH};
enum { SHOWN = sizeof shown / sizeof *shown };

/* Minimum and maximum over several loads; values that were not measured are NaN and ignored. */
static bool range_of(const sl_plan_load *const *planned, size_t count, unsigned mode, double *min, double *max)
{
    *min = INFINITY;
    *max = -INFINITY;
    for (size_t n = 0; n < count; n++) {
        double value = planned[n]->affinity[mode];
        *min = value < *min ? value : *min;
        *max = value > *max ? value : *max;
    }
    return *min <= *max;
}

static const char *sign_of(double value)
{
    return value >= 0.05 ? "gain" : "loss";
}

static void write_mode(FILE *file, unsigned mode)
{
    fprintf(file, "<b class=plan>%s</b>", sl_bypass_name(mode));
}

/* ---- of a load ---- */

const sl_column sl_planned_columns[SL_PLANNED_COLUMNS] = {SL_NUMBERS("bypass L1"), SL_NUMBERS("bypass L2"),
                                                          SL_NUMBERS("bypass both"), SL_TEXTS("plan")};

static void write_gain(FILE *file, const void *of)
{
    double value = *(const double *)of;
    fprintf(file, "<td class=\"n %s\" data-v=\"%.4f\">%+.1f%%</td>", sign_of(value), value, value);
}

static void write_plan(FILE *file, const void *of)
{
    const sl_plan_load *planned = of;
    sl_htmlf(file, "<td title=\"%s\">", planned->why ? planned->why : "");
    if (planned->mode != SL_BYPASS_NONE)
        write_mode(file, planned->mode);
    fputs("</td>", file);
}

void sl_planned_cells(sl_table *t, const sl_plan_load *planned)
{
    for (int i = 0; i < SHOWN; i++)
        if (planned && !isnan(planned->affinity[shown[i]]))
            sl_table_markup(t, write_gain, &planned->affinity[shown[i]]);
        else
            sl_table_none(t);
    if (planned)
        sl_table_markup(t, write_plan, planned);
    else
        sl_table_none(t);
}

/* ---- of a line ---- */

void sl_planned_line_column(FILE *file)
{
    sl_html_column(file, "affinity",
                   "largest share of kernel time saved when one of the line's loads bypasses a cache, and which "
                   "cache; boxed: what the plan does",
                   true);
}

static void write_title(FILE *file, const sl_plan_load *const *planned, size_t count)
{
    fprintf(file, "%zu load%s", count, count == 1 ? "" : "s");
    for (int i = 0; i < SHOWN; i++) {
        double min, max;
        if (!range_of(planned, count, shown[i], &min, &max))
            continue;
        fprintf(file, "; bypass %s %+.1f", sl_bypass_name(shown[i]), min);
        if (max - min >= 0.05)
            fprintf(file, " to %+.1f", max);
        fputs(" %", file);
    }
}

void sl_planned_line(FILE *file, const sl_plan_load *const *planned, size_t count)
{
    double best = -INFINITY;
    unsigned modes = 0, of = SL_BYPASS_NONE;
    for (int i = 0; i < SHOWN; i++) {
        double min, max;
        if (range_of(planned, count, shown[i], &min, &max) && max > best) {
            best = max;
            of = shown[i];
        }
    }
    for (size_t n = 0; n < count; n++)
        modes |= 1u << planned[n]->mode;
    if (of == SL_BYPASS_NONE && modes <= 1u << SL_BYPASS_NONE) {
        sl_html_cell_none(file);
        return;
    }
    fprintf(file, "<td class=\"n %s\"", sign_of(best));
    if (of != SL_BYPASS_NONE)
        fprintf(file, " data-v=\"%.4f\"", best);
    fputs(" title=\"", file);
    write_title(file, planned, count);
    fputs("\">", file);
    if (of != SL_BYPASS_NONE)
        fprintf(file, "%s %+.1f%%", sl_bypass_name(of), best);
    for (unsigned mode = SL_BYPASS_NONE + 1; mode < SL_BYPASS_MODES; mode++)
        if (modes >> mode & 1) {
            fputc(' ', file);
            write_mode(file, mode);
        }
    fputs("</td>", file);
}

/* ---- of a kernel ---- */

void sl_section_planned(FILE *file, const sl_page *page, size_t kernel)
{
    const sl_plan *plan = page->input.results.plan;
    const sl_plan_kernel *k = page->joined.kernels.items[kernel].planned;
    if (!k || !k->base)
        return;
    sl_htmlf(file, "<p class=note>Plan timed on <b>%s</b>", plan->timer ? plan->timer : "no timer");
    if (plan->select)
        sl_htmlf(file, ", selection strategy <b>%s</b>", plan->select);
    char base[SL_HUMAN_BYTES], with[SL_HUMAN_BYTES];
    fprintf(file, ": %s %s original, %s with the plan (%+.1f %%)", sl_human_count((uint64_t)k->base, base),
            plan->unit ? plan->unit : "", sl_human_count((uint64_t)k->planned, with), k->gain);
    if (k->verdict)
        sl_htmlf(file, "; %s", k->verdict);
    fputs(".</p>\n", file);
}
