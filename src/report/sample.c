/* SPDX-License-Identifier: MIT */
#include "report/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

char *sl_sample_heading(const sl_result_sample *s, uint32_t launches, const char *verb, char *text, size_t size)
{
    *text = 0;
    if (s->stand_in)
        snprintf(text, size, "%s%" PRIu32 " of %" PRIu32 " launches %s, sums with 95%% intervals",
                 s->stopped ? "stopped: " : "", s->analyzed, launches, verb);
    return text;
}

/* The table of the intervals alone; NULL: there are none. */
static sl_table *sample_table(const sl_result_sample *s)
{
    static const sl_column columns[] = {SL_TEXTS_AS("sum over all launches", "counter"),
                                        SL_NUMBERS_AS("estimate", "total"), SL_NUMBERS_AS("low", "low"),
                                        SL_NUMBERS_AS("high", "high"), SL_NUMBERS_AS("+/-", "half_percent")};
    sl_table *t = s->intervals ? SL_TABLE(columns) : NULL;
    for (size_t i = 0; i < s->intervals; i++) {
        const sl_sampled_total *of = &s->interval[i];
        double low = of->total > of->half ? of->total - of->half : 0;
        sl_table_cell(t, sl_counter_infos[of->counter].name);
        sl_table_count(t, (uint64_t)llround(of->total));
        sl_table_count(t, (uint64_t)floor(low));
        sl_table_count(t, (uint64_t)ceil(of->total + of->half));
        sl_table_number(t, of->total > 0 ? 100 * of->half / of->total : 0, 2, "%");
    }
    return t;
}

void sl_document_sample(sl_document *d, const sl_result *result)
{
    const sl_result_sample *s = &result->sample;
    sl_table *totals = s->stand_in ? sample_table(s) : NULL;
    if (!totals)
        return;
    sl_document_open(d, "sample");
    sl_document_count(d, "launches", result->launches);
    sl_document_count(d, "analyzed", s->analyzed);
    sl_document_string(d, "chosen_by", s->chosen ? "strata" : "end of the run");
    sl_document_count(d, "stopped", s->stopped);
    if (s->chosen)
        sl_document_number(d, "target_percent", 100 * s->target);
    sl_document_number(d, "work_saved_percent", 100 * s->saved);
    sl_document_add(d, "totals", "Estimated sums with 95% intervals", SL_FORM_TEXT | SL_FORM_JSON, totals);
    sl_document_close(d);
}
