/* SPDX-License-Identifier: MIT */
#include "page/metrics.h"

#include "base/text.h"
#include "page/html.h"

typedef enum kind { COUNT, BYTES, RATIO, SHARE, RATE, REUSE } kind;

static const struct metric {
    const char *title, *meaning;
    kind kind;
    sl_counter part, whole;
} metrics[] = {
#define SL_METRIC_COUNT(title, counter)              {title, "", COUNT, SL_COUNTER_##counter, SL_COUNTER_##counter},
#define SL_METRIC_BYTES(title, counter)              {title, "", BYTES, SL_COUNTER_##counter, SL_COUNTER_##counter},
#define SL_METRIC_RATIO(title, part, whole, meaning) {title, meaning, RATIO, SL_COUNTER_##part, SL_COUNTER_##whole},
#define SL_METRIC_SHARE(title, part, whole, meaning) {title, meaning, SHARE, SL_COUNTER_##part, SL_COUNTER_##whole},
#define SL_METRIC_RATE(title, part, whole, meaning)  {title, meaning, RATE, SL_COUNTER_##part, SL_COUNTER_##whole},
#define SL_METRIC_REUSE(title, part, whole, meaning) {title, meaning, REUSE, SL_COUNTERS, SL_COUNTERS},
#include "page/metrics.def"
#undef SL_METRIC_COUNT
#undef SL_METRIC_BYTES
#undef SL_METRIC_RATIO
#undef SL_METRIC_SHARE
#undef SL_METRIC_RATE
#undef SL_METRIC_REUSE
};
enum { METRICS = sizeof metrics / sizeof *metrics };
_Static_assert(METRICS <= 64, "a bit per metric");

typedef struct fraction {
    uint64_t part, whole;
    bool known;
} fraction;

/* What the profile says for a metric, by its number. */
static fraction reuse_of(unsigned metric, const sl_profile_counts *c, const sl_profile_options *o)
{
    const fraction all[] = {
#define SL_METRIC_COUNT(title, counter)                    {0},
#define SL_METRIC_BYTES(title, counter)                    {0},
#define SL_METRIC_RATIO(title, part, whole, meaning)       {0},
#define SL_METRIC_SHARE(title, part, whole, meaning)       {0},
#define SL_METRIC_RATE(title, part, whole, meaning)        {0},
#define SL_METRIC_REUSE(title, some, all_of_them, meaning) {some, all_of_them, true},
#include "page/metrics.def"
#undef SL_METRIC_COUNT
#undef SL_METRIC_BYTES
#undef SL_METRIC_RATIO
#undef SL_METRIC_SHARE
#undef SL_METRIC_RATE
#undef SL_METRIC_REUSE
    };
    return all[metric];
}

static fraction value_of(unsigned metric, const sl_metric_row *row, const sl_profile_options *o)
{
    const struct metric *m = &metrics[metric];
    if (m->kind == REUSE)
        return row->reuse && o ? reuse_of(metric, row->reuse, o) : (fraction){0};
    const sl_counts *c = row->counts;
    return (fraction){c->value[m->part], c->value[m->whole], sl_counts_has(c, m->part) && sl_counts_has(c, m->whole)};
}

uint64_t sl_metrics_of(const sl_metric_row *row, const sl_profile_options *options)
{
    uint64_t columns = 0;
    for (unsigned i = 0; i < METRICS; i++) {
        fraction f = value_of(i, row, options);
        if (f.known && (f.part || (metrics[i].kind == RATE && f.whole)))
            columns |= UINT64_C(1) << i;
    }
    return columns;
}

void sl_metrics_columns(FILE *file, uint64_t columns)
{
    for (unsigned i = 0; i < METRICS; i++)
        if (columns >> i & 1)
            sl_html_column(file, metrics[i].title,
                           *metrics[i].meaning ? metrics[i].meaning : sl_counter_infos[metrics[i].part].meaning, true);
}

void sl_metrics_cells(FILE *file, uint64_t columns, const sl_metric_row *row, const sl_profile_options *options)
{
    for (unsigned i = 0; i < METRICS; i++) {
        fraction f = value_of(i, row, options);
        kind how = metrics[i].kind;
        if (!(columns >> i & 1))
            continue;
        if (!f.known || (how != COUNT && how != BYTES && !f.whole))
            sl_html_cell_none(file);
        else if (how == COUNT)
            sl_html_cell_count(file, f.part);
        else if (how == BYTES)
            sl_html_cell_bytes(file, f.part);
        else if (how == RATIO)
            sl_html_cell_number(file, (double)f.part / (double)f.whole, 2, "");
        else
            sl_html_cell_share(file, f.part, f.whole);
    }
}

/* ---- the bar ---- */

static const struct {
    const char *class, *title;
    sl_counter counter;
} classes[] = {
    {"c-compulsory", "compulsory", SL_COUNTER_compulsory_sectors},
    {"c-capacity", "capacity", SL_COUNTER_capacity_sectors},
    {"c-conflict", "conflict", SL_COUNTER_conflict_sectors},
    {"c-store", "store", SL_COUNTER_store_sectors},
    {"c-mshr", "MSHR", SL_COUNTER_mshr_sectors},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static void put_part(FILE *file, const char *class, uint64_t part, uint64_t whole)
{
    char text[SL_HUMAN_BYTES];
    if (part)
        fprintf(file, "<i class=%s style=\"width:%s%%\"></i>", class,
                sl_human_ratio(100.0 * (double)part / (double)whole, 2, text));
}

static void put_words(FILE *file, const char *title, uint64_t part, uint64_t whole)
{
    char text[SL_HUMAN_BYTES];
    if (part)
        fprintf(file, ", %s %s%%", title, sl_human_ratio(100.0 * (double)part / (double)whole, 1, text));
}

void sl_metrics_bar(FILE *file, const sl_counts *c)
{
    uint64_t all = c->value[SL_COUNTER_ld_sectors], hits = c->value[SL_COUNTER_ld_sector_hits];
    uint64_t late = c->value[SL_COUNTER_latency_sectors], missed = 0;
    char text[SL_HUMAN_BYTES];
    if (!all || !sl_counts_has(c, SL_COUNTER_ld_sector_hits))
        return;
    fprintf(file, "<span class=bar role=img title=\"hit %s%%",
            sl_human_ratio(100.0 * (double)hits / (double)all, 1, text));
    put_words(file, "of which late", late, all);
    for (int i = 0; i < CLASSES; i++)
        put_words(file, classes[i].title, c->value[classes[i].counter], all);
    fputs("\">", file);
    late = late < hits ? late : hits;
    put_part(file, "c-hit", hits - late, all);
    put_part(file, "c-late", late, all);
    for (int i = 0; i < CLASSES; i++) {
        put_part(file, classes[i].class, c->value[classes[i].counter], all);
        missed += c->value[classes[i].counter];
    }
    if (hits + missed < all) /* misses whose class nobody told */
        put_part(file, "c-other", all - hits - missed, all);
    fputs("</span>", file);
}
