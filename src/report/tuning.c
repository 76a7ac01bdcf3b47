/* SPDX-License-Identifier: MIT */
#include "report/results.h"

#include <math.h>
#include <string.h>

static double speedup(const sl_tuned_kernel *row)
{
    return 100 / (100 - row->gain);
}

/* Where an access is; of a setting nothing. */
static const char *source_text(const sl_plan_load *load, char *buffer, size_t size)
{
    const char *slash = load->source ? strrchr(load->source, '/') : NULL;
    *buffer = 0;
    if (load->source_line)
        snprintf(buffer, size, "%s:%u", slash ? slash + 1 : load->source ? load->source : "?", load->source_line);
    else if (load->line)
        snprintf(buffer, size, "line %u", load->line);
    return buffer;
}

/* By mode: what was measured, or, where nothing was timed, what is expected. */
static const double *gains_of(const sl_plan *plan, const sl_plan_load *load)
{
    return plan->timer ? load->affinity : load->predicted;
}

/* The mode with the largest gain; 0: none is known. */
static unsigned best_mode(const double *gain)
{
    unsigned best = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (!isnan(gain[m]) && (!best || gain[m] > gain[best]))
            best = m;
    return best;
}

static unsigned worst_mode(const double *gain)
{
    unsigned worst = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (!isnan(gain[m]) && (!worst || gain[m] < gain[worst]))
            worst = m;
    return worst;
}

static double noise_of(const sl_plan *plan, const char *function)
{
    for (uint32_t i = 0; i < plan->kernels; i++)
        if (!strcmp(plan->kernel[i].function, function))
            return plan->kernel[i].noise;
    return 0;
}

/* Whether there is something to say about a node: it is changed, or would make a difference, or cannot be changed. */
static bool matters(const sl_plan *plan, const sl_plan_load *load)
{
    const double *gain = gains_of(plan, load), noise = noise_of(plan, load->function);
    return load->mode || load->why || gain[best_mode(gain)] > noise || gain[worst_mode(gain)] < -noise;
}

static void effect_cells(sl_table *t, const double *gain, unsigned mode)
{
    sl_table_cell(t, mode ? sl_bypass_name(mode) : NULL);
    if (mode)
        sl_table_cellf(t, "%+.2f", gain[mode]);
    else
        sl_table_none(t);
}

static void add_loads(sl_document *d, const sl_plan *plan)
{
    static const sl_column columns[] = {SL_NAMES("kernel"),   SL_NAMES("source"),  SL_NAMES("array"),
                                        SL_NAMES("access"),   SL_NUMBERS("group"), SL_TEXTS("best"),
                                        SL_NUMBERS("gain %"), SL_TEXTS("worst"),   SL_NUMBERS("gain %"),
                                        SL_TEXTS("chosen"),   SL_NAMES("why")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    uint32_t silent = 0;
    for (uint32_t i = 0; i < plan->loads; i++) {
        const sl_plan_load *load = &plan->load[i];
        const double *gain = gains_of(plan, load);
        char buffer[160];
        if (!matters(plan, load)) {
            silent++;
            continue;
        }
        sl_table_function(t, load->function);
        sl_table_cell(t, source_text(load, buffer, sizeof buffer));
        sl_table_cell(t, load->array ? load->array : load->node == SL_NODE_KERNEL ? "" : "?");
        sl_table_cell(t, load->opcode);
        sl_table_exact(t, load->group);
        effect_cells(t, gain, best_mode(gain));
        effect_cells(t, gain, worst_mode(gain));
        sl_table_cell(t, load->mode ? sl_bypass_name(load->mode) : NULL);
        sl_table_cell(t, load->why);
    }
    if (silent)
        sl_document_line(d, "%s%u load%s, store%s and settings %s\n", silent < plan->loads ? "\nother " : "", silent,
                         silent == 1 ? "" : "s", silent == 1 ? "" : "s",
                         plan->timer ? "make no difference beyond noise" : "should make no difference");
    sl_document_line(d, "\n");
}

/* How timings were ordered; once where it is the same for kernels that follow each other. */
static void add_ranking(sl_document *d, const sl_plan *plan)
{
    const char *before = "";
    for (uint32_t i = 0; i < plan->kernels; i++) {
        const char *ranking = plan->kernel[i].ranking;
        if (ranking && strcmp(ranking, before) != 0)
            sl_document_line(d, "%sranking: %s\n", *before ? "" : "\n", ranking);
        before = ranking ? ranking : before;
    }
}

/* Rounded to the precision of timings. */
static void number(sl_table *t, double value, int digits, const char *unit)
{
    sl_table_number(t, round(value * 1e4) / 1e4, digits, unit);
}

void sl_document_tuning(sl_document *d, const sl_tuning *tuning)
{
    static const sl_column columns[] = {SL_DATA("subject"),
                                        SL_NAMES("kernel"),
                                        SL_DATA("kernel"),
                                        SL_NUMBERS_AS("#", "launch"),
                                        SL_NUMBERS_AS("launches", "launches"),
                                        SL_NUMBERS_AS("loads", "loads"),
                                        SL_NUMBERS_AS("groups", "groups"),
                                        SL_TEXTS_AS("strategy", "select"),
                                        SL_NUMBERS_AS("changed", "bypass"),
                                        SL_DATA_IN("unit", SL_FORM_CSV),
                                        SL_NUMBERS("original"),
                                        SL_DATA("original"),
                                        SL_NUMBERS("planned"),
                                        SL_DATA("planned"),
                                        SL_NUMBERS_AS("speedup", "speedup"),
                                        SL_NUMBERS_AS("+- %", "spread_percent"),
                                        SL_NUMBERS_AS("noise %", "noise_percent"),
                                        SL_NAMES_AS("", "verdict")};
    bool ns = !strcmp(tuning->unit, "ns");
    sl_document_string(d, "timer", tuning->timer);
    sl_document_string(d, "unit", tuning->unit);
    if (tuning->plan && tuning->plan->loads)
        add_loads(d, tuning->plan);
    sl_table *t = sl_document_table(d, "kernels", NULL, SL_FORM_ALL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < tuning->kernels; i++) {
        const sl_tuned_kernel *row = &tuning->kernel[i];
        double timed = row->base > 0 ? 1 : NAN; /* where only a ranking was asked for, nothing was timed */
        sl_table_cell(t, tuning->subject);
        sl_table_function(t, row->kernel);
        sl_table_cell(t, row->kernel);
        sl_table_exact(t, row->launch);
        sl_table_exact(t, row->launches);
        sl_table_exact(t, row->loads);
        sl_table_exact(t, row->groups);
        sl_table_cell(t, row->select);
        sl_table_exact(t, row->chosen);
        sl_table_cell(t, tuning->unit);
        sl_table_number(t, timed * row->base / (ns ? 1e3 : 1), ns ? 2 : 0, ns ? " us" : "");
        number(t, timed * row->base, 0, "");
        sl_table_number(t, timed * row->time / (ns ? 1e3 : 1), ns ? 2 : 0, ns ? " us" : "");
        number(t, timed * row->time, 0, "");
        number(t, timed * speedup(row), 3, "");
        number(t, timed * row->gain_spread, 2, "");
        number(t, timed * row->noise, 2, "");
        sl_table_cell(t, row->verdict);
    }
    if (tuning->plan)
        add_ranking(d, tuning->plan);
}
