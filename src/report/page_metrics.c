/* SPDX-License-Identifier: MIT */
/* Columns of metrics in the tables of a page: those of the list below that have a value in some row. */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

/* Loads, stores and all other accesses alike first; the rest is shown on request. */
static const sl_metric shown[SL_PAGE_COLUMNS - 1] = {SL_METRIC_cycles,
                                                     SL_METRIC_time_ns,
                                                     SL_METRIC_est_cycles,
                                                     SL_METRIC_est_ns,
                                                     SL_METRIC_est_limit,
                                                     SL_METRIC_requests,
                                                     SL_METRIC_sectors,
                                                     SL_METRIC_per_request,
                                                     SL_METRIC_reuse_coalescing_efficiency,
                                                     SL_METRIC_l1_hit_rate,
                                                     SL_METRIC_ld_sector_misses,
                                                     SL_METRIC_reuse_accesses_without_reuse,
                                                     SL_METRIC_l2_read_sectors,
                                                     SL_METRIC_dram_read_sectors,
                                                     SL_METRIC_warp_insts,
                                                     SL_METRIC_ld_sectors,
                                                     SL_METRIC_st_sectors,
                                                     SL_METRIC_compulsory,
                                                     SL_METRIC_capacity,
                                                     SL_METRIC_conflict,
                                                     SL_METRIC_store,
                                                     SL_METRIC_mshr,
                                                     SL_METRIC_bypassed,
                                                     SL_METRIC_pending_hits,
                                                     SL_METRIC_working_set_bytes,
                                                     SL_METRIC_l2_read_hit_rate,
                                                     SL_METRIC_l2_write_sectors,
                                                     SL_METRIC_dram_write_sectors,
                                                     SL_METRIC_atom_requests,
                                                     SL_METRIC_red_requests,
                                                     SL_METRIC_async_sectors,
                                                     SL_METRIC_bulk_ld_sectors,
                                                     SL_METRIC_bulk_st_sectors,
                                                     SL_METRIC_local_ld_sectors,
                                                     SL_METRIC_local_st_sectors,
                                                     SL_METRIC_shared_ld_requests,
                                                     SL_METRIC_shared_wavefronts_per_load,
                                                     SL_METRIC_tex_requests,
                                                     SL_METRIC_ipc,
                                                     SL_METRIC_bypass_share,
                                                     SL_METRIC_unused_share,
                                                     SL_METRIC_stall_way_cycles,
                                                     SL_METRIC_stall_mshr_cycles,
                                                     SL_METRIC_stall_merge_cycles,
                                                     SL_METRIC_stall_queue_cycles,
                                                     SL_METRIC_energy_nj,
                                                     SL_METRIC_footprint_bytes};
enum { FIRST_MORE = 14 }; /* of the list: hidden until all columns are asked for */

sl_metric_row sl_page_row(const sl_page *page, const sl_counts *counts, const sl_profile_counts *reuse)
{
    return (sl_metric_row){counts, reuse,
                           page->input.results.profile ? &page->input.results.profile->profiled_as : NULL};
}

bool sl_page_has_bars(const sl_page *page)
{
    return sl_counts_has(&page->joined.counts, SL_COUNTER_ld_sector_hits) &&
           page->joined.counts.value[SL_COUNTER_ld_sectors];
}

static void page_columns(sl_column columns[SL_PAGE_COLUMNS])
{
    columns[0] = (sl_column){.title = "in L1", .description = "hits, pending hits and misses by class"};
    for (int i = 0; i < SL_PAGE_COLUMNS - 1; i++) {
        const sl_metric_info *m = &sl_metric_infos[shown[i]];
        bool word = !strchr(m->long_heading, ' '); /* a long one fits */
        columns[i + 1] = (sl_column){.title = word ? m->long_heading : m->heading,
                                     .right = true,
                                     .fit = i < FIRST_MORE ? SL_FIT_OCCURS : SL_FIT_SPARE,
                                     .description = m->description};
    }
}

static void write_bar(FILE *file, const void *of)
{
    fputs("<td>", file);
    sl_page_bar(file, of);
    fputs("</td>", file);
}

void sl_page_cells(sl_table *t, const sl_metric_row *row, bool bar)
{
    const sl_counts *c = row->counts;
    if (bar && c && sl_counts_has(c, SL_COUNTER_ld_sector_hits) && c->value[SL_COUNTER_ld_sectors])
        sl_table_markup(t, write_bar, c);
    else
        sl_table_none(t);
    sl_table_metrics(t, &(sl_metric_list){shown, SL_PAGE_COLUMNS - 1}, row);
}

sl_table *sl_page_table(const sl_column *first, size_t firsts, const sl_column *last, size_t lasts)
{
    enum { MAX_OTHERS = 16 };
    sl_column columns[SL_PAGE_COLUMNS + MAX_OTHERS];
    assert(firsts + lasts <= MAX_OTHERS);
    memcpy(columns, first, firsts * sizeof *first);
    page_columns(columns + firsts);
    if (lasts)
        memcpy(columns + firsts + SL_PAGE_COLUMNS, last, lasts * sizeof *last);
    return sl_table_create(columns, firsts + SL_PAGE_COLUMNS + lasts);
}

void sl_html_cell_metric(FILE *file, sl_metric metric, const sl_metric_row *row)
{
    char text[SL_METRIC_BYTES], exact[SL_DOUBLE_BYTES];
    double value;
    sl_fraction f = sl_metric_of(metric, row);
    if (!sl_metric_value(metric, row, &value)) {
        sl_html_cell_classed(file, "n", "", "");
        return;
    }
    if (f.whole == 1 && !sl_metric_is_share(metric))
        snprintf(exact, sizeof exact, "%llu", (unsigned long long)f.part);
    else
        sl_double_text(value, exact);
    sl_html_cell_classed(file, "n", exact, sl_metric_text(metric, row, 1, text));
}

/* ---- the bar ---- */

static const struct {
    const char *class;
    sl_metric metric;
} classes[] = {
    {"c-compulsory", SL_METRIC_compulsory}, {"c-capacity", SL_METRIC_capacity}, {"c-conflict", SL_METRIC_conflict},
    {"c-store", SL_METRIC_store},           {"c-mshr", SL_METRIC_mshr},         {"c-bypassed", SL_METRIC_bypassed}};
enum { CLASSES = sizeof classes / sizeof *classes };

static void write_part(FILE *file, const char *class, uint64_t part, uint64_t whole)
{
    char text[SL_HUMAN_BYTES];
    if (part)
        fprintf(file, "<i class=%s style=\"width:%s%%\"></i>", class,
                sl_human_ratio(100.0 * (double)part / (double)whole, 2, text));
}

static void write_words(FILE *file, const char *title, uint64_t part, uint64_t whole)
{
    char text[SL_HUMAN_BYTES];
    if (part)
        fprintf(file, ", %s %s%%", title, sl_human_ratio(100.0 * (double)part / (double)whole, 1, text));
}

void sl_page_bar(FILE *file, const sl_counts *c)
{
    uint64_t all = c->value[SL_COUNTER_ld_sectors], hits = c->value[SL_COUNTER_ld_sector_hits];
    uint64_t pending = c->value[SL_COUNTER_pending_hit_sectors], missed = 0, part[CLASSES];
    char text[SL_HUMAN_BYTES];
    if (!all || !sl_counts_has(c, SL_COUNTER_ld_sector_hits))
        return;
    fprintf(file, "<span class=bar role=img title=\"hit %s%%",
            sl_human_ratio(100.0 * (double)hits / (double)all, 1, text));
    write_words(file, "of which pending", pending, all);
    for (int i = 0; i < CLASSES; i++) {
        part[i] = sl_metric_of(classes[i].metric, &(sl_metric_row){.counts = c}).part;
        missed += part[i];
        write_words(file, sl_metric_infos[classes[i].metric].long_heading, part[i], all);
    }
    fputs("\">", file);
    pending = pending < hits ? pending : hits;
    write_part(file, "c-hit", hits - pending, all);
    write_part(file, "c-pending", pending, all);
    for (int i = 0; i < CLASSES; i++)
        write_part(file, classes[i].class, part[i], all);
    if (hits + missed < all) /* misses of unknown class */
        write_part(file, "c-other", all - hits - missed, all);
    fputs("</span>", file);
}
