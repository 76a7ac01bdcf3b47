/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/results.h"

static double ns_of(const sl_variants *r, double cycles)
{
    return r->clock_mhz ? cycles * 1000 / r->clock_mhz : 0;
}

/* A time for people, in cycles where the clock is unknown. */
static void time_cell(sl_table *t, const sl_variants *r, const sl_ranked_time *time)
{
    char text[SL_HUMAN_BYTES];
    if (time->cycles <= 0)
        sl_table_none(t);
    else if (r->clock_mhz)
        sl_table_cell(t, sl_human_time(ns_of(r, time->cycles), text));
    else
        sl_table_cellf(t, "%s cycles", sl_human_count((uint64_t)llround(time->cycles), text));
}

/* "4.9 to 6.7 us": the unit once where both have it. */
static void interval_cell(sl_table *t, const sl_variants *r, const sl_ranked_time *time)
{
    char low[SL_HUMAN_BYTES], high[SL_HUMAN_BYTES];
    if (time->high <= 0) {
        sl_table_none(t);
        return;
    }
    const char *unit = strchr(sl_human_time(ns_of(r, time->high), high), ' ');
    char *same = strchr(sl_human_time(ns_of(r, time->low), low), ' ');
    if (same && unit && !strcmp(same, unit))
        *same = 0;
    sl_table_cellf(t, "%s to %s", low, high);
}

static double times_first(const sl_variants *r, size_t at)
{
    double first = sl_ranked_by(&r->variant[0])->cycles, own = sl_ranked_by(&r->variant[at])->cycles;
    return at < r->ranked && first > 0 && own > 0 ? own / first : NAN;
}

static void rank_cell(sl_table *t, const sl_variants *r, size_t at)
{
    if (at < r->ranked)
        sl_table_exact(t, at + 1);
    else
        sl_table_none(t);
}

static const char *limit_of(const sl_ranked *v)
{
    return v->estimated.cycles > 0 ? sl_time_limit_names[v->limit] : NULL;
}

static void result_cell(sl_table *t, const sl_ranked *v)
{
    sl_table_cellf(t, "%s%s%s", sl_ranked_result_names[v->result], *v->reason ? ": " : "", v->reason);
}

static void add_text(sl_document *d, const sl_variants *r)
{
    static const sl_column columns[] = {SL_NUMBERS("rank"),     SL_NAMES("variant"),    SL_NUMBERS("est time"),
                                        SL_NUMBERS("interval"), SL_TEXTS("limit"),      SL_NUMBERS("time"),
                                        SL_NUMBERS("interval"), SL_NUMBERS("of first"), SL_PROSE("results")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->variants; i++) {
        const sl_ranked *v = &r->variant[i];
        rank_cell(t, r, i);
        sl_table_cell(t, v->name);
        time_cell(t, r, &v->estimated);
        interval_cell(t, r, &v->estimated);
        sl_table_known(t, limit_of(v));
        time_cell(t, r, &v->simulated);
        interval_cell(t, r, &v->simulated);
        sl_table_number(t, times_first(r, i), 2, "x");
        result_cell(t, v);
    }
}

/* What the intervals mean, and what they leave open. */
static void add_notes(sl_document *d, const sl_variants *r)
{
    char open[400] = "";
    size_t used = 0;
    for (size_t i = 1; i < r->ranked && used < sizeof open; i++)
        if (sl_ranked_may_be_first(r, i))
            used += (size_t)snprintf(open + used, sizeof open - used, "%s%zu", used ? ", " : "", i + 1);
    sl_document_line(d, "\n");
    if (!r->intervals)
        sl_document_line(d, "no intervals: times of this GPU model were not compared with hardware\n");
    else if (used)
        sl_document_line(d, "intervals hold 8 of 10 kernels on an H200 (docs/rank.md); as fast as 1 may be: %s\n",
                         open);
    else
        sl_document_line(d, "intervals hold 8 of 10 kernels on an H200 (docs/rank.md)\n");
}

static void time_data(sl_table *t, const sl_variants *r, const sl_ranked_time *time)
{
    double known = time->cycles > 0 ? 1 : NAN, bounded = time->high > 0 ? 1 : NAN, ns = r->clock_mhz ? 1 : NAN;
    sl_table_number(t, round(time->cycles) * known, 0, "");
    sl_table_number(t, round(ns_of(r, time->cycles)) * known * ns, 0, "");
    sl_table_number(t, round(ns_of(r, time->low)) * bounded * ns, 0, "");
    sl_table_number(t, round(ns_of(r, time->high)) * bounded * ns, 0, "");
}

static void add_data(sl_document *d, const sl_variants *r)
{
    static const sl_column columns[] = {
        SL_DATA("rank"),        SL_DATA("variant"),      SL_DATA("result"),   SL_DATA("reason"),
        SL_DATA("launches"),    SL_DATA("est_cycles"),   SL_DATA("est_ns"),   SL_DATA("est_ns_low"),
        SL_DATA("est_ns_high"), SL_DATA("est_limit"),    SL_DATA("cycles"),   SL_DATA("time_ns"),
        SL_DATA("time_ns_low"), SL_DATA("time_ns_high"), SL_DATA("of_first"), SL_DATA("may_be_first")};
    if (r->reference)
        sl_document_string(d, "reference", r->reference);
    sl_document_count(d, "per_launch", r->per_launch);
    sl_document_count(d, "intervals", r->intervals);
    sl_table *t = sl_document_table(d, "variants", NULL, SL_FORM_DATA, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->variants; i++) {
        const sl_ranked *v = &r->variant[i];
        rank_cell(t, r, i);
        sl_table_cell(t, v->name);
        sl_table_cell(t, sl_ranked_result_names[v->result]);
        sl_table_known(t, v->reason);
        sl_table_exact(t, v->launches);
        time_data(t, r, &v->estimated);
        sl_table_known(t, limit_of(v));
        time_data(t, r, &v->simulated);
        sl_table_number(t, times_first(r, i), 2, "x");
        sl_table_bool(t, i < r->ranked && (!i || sl_ranked_may_be_first(r, i)));
    }
}

void sl_document_ranking(sl_document *d, const sl_variants *ranking)
{
    add_text(d, ranking);
    if (ranking->reference)
        sl_document_line(d, "\nresults are compared with those of %s%s", ranking->reference,
                         ranking->ranked ? "" : "\n");
    if (ranking->per_launch)
        sl_document_line(d, "\ntimes are of one launch, on average");
    if (ranking->ranked)
        add_notes(d, ranking);
    add_data(d, ranking);
}
