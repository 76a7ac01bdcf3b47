/* SPDX-License-Identifier: MIT */
/* Reuse of the data of a kernel: histograms, which the script draws, and tables. */
#include <inttypes.h>

#include "analysis/load_sums.h"
#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

/* A bin: its range of values, as long as the table lives. */
static void range_cell(sl_table *t, uint64_t min, uint64_t max)
{
    char from[SL_HUMAN_BYTES], to[SL_HUMAN_BYTES];
    if (max > min)
        sl_table_cellf(t, "%s\u2013%s", sl_human_count(min, from), sl_human_count(max, to));
    else
        sl_table_count(t, min);
}

static void distance_cells(sl_table *t, const sl_profile_counts *c, uint64_t lines, uint64_t sectors)
{
    sl_table_count(t, lines);
    sl_table_share(t, lines, c->line_accesses);
    sl_table_count(t, sectors);
    sl_table_share(t, sectors, c->sector_accesses);
}

static sl_status write_distances(FILE *file, const sl_profile_counts *c, sl_error *error)
{
    static const sl_column columns[] = {SL_NUMBERS("reuse distance"), SL_NUMBERS("lines"), SL_NUMBERS(""),
                                        SL_NUMBERS("sectors"), SL_NUMBERS("")};
    sl_table *t = SL_TABLE(columns);
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++) {
        if (!c->line_distance.bin[i] && !c->sector_distance.bin[i])
            continue;
        range_cell(t, sl_distance_min(i), sl_distance_max(i));
        distance_cells(t, c, c->line_distance.bin[i], c->sector_distance.bin[i]);
    }
    sl_table_cell(t, "first access");
    distance_cells(t, c, c->line_distance.never, c->sector_distance.never);
    return sl_table_html(t, file, "Reuse distance: distinct lines or sectors accessed in between", "", error);
}

static sl_status write_reuses(FILE *file, const sl_profile_counts *c, sl_error *error)
{
    static const sl_column columns[] = {SL_NUMBERS("reuses"), SL_NUMBERS("lines"), SL_NUMBERS("")};
    sl_table *t = SL_TABLE(columns);
    for (unsigned i = 0; i < SL_REUSE_BINS; i++) {
        if (!c->line_reuses[i])
            continue;
        range_cell(t, sl_reuse_min(i), sl_reuse_max(i));
        sl_table_count(t, c->line_reuses[i]);
        sl_table_share(t, c->line_reuses[i], c->lines);
    }
    return sl_table_html(t, file, "Lines by number of reuses", "", error);
}

/* ---- heat map ---- */

enum { MAX_HEAT_ROWS = 40 };

/* Accesses of memory instructions by the distance of their reuse; the hotter, the more of them. */
static void write_heat(FILE *file, const sl_page *page, size_t kernel)
{
    const sl_joined_kernel *k = &page->joined.kernels.items[kernel];
    const sl_profile_options *o = &page->input.results.profile->profiled_as;
    const uint64_t lines = o->cache_bytes / o->line_bytes;
    sl_load_sums rows = {.rows = SL_ROW_PER_LOCATION};
    unsigned last = 0;
    bool good = true;
    for (uint32_t i = 0; i < k->loads && good; i++)
        if (k->load[i].reuse)
            good = sl_load_sums_add(&rows, (sl_load_sum){.inst = &k->load[i].inst}, NULL, k->load[i].reuse);
    for (size_t r = 0; r < rows.count; r++)
        for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
            last = rows.items[r].reuse.line_distance.bin[i] && i > last ? i : last;
    if (good && rows.count) {
        sl_html_table(file, "Accesses by reuse distance, in lines", "heatmap");
        sl_html_column(file, "memory instruction", NULL, false);
        for (unsigned i = 0; i <= last; i++) {
            char text[SL_HUMAN_BYTES];
            bool fits = sl_distance_max(i) < lines;
            sl_html_column_classed(file, fits ? "n" : "n beyond", sl_human_count(sl_distance_min(i), text),
                                   fits ? "lines accessed in between, at least; fits into L1"
                                        : "lines accessed in between, at least; more than L1 holds");
        }
        sl_html_column(file, "first", "first access to a line", true);
        sl_html_table_rows(file);
    }
    for (size_t r = 0; r < rows.count && r < MAX_HEAT_ROWS && good; r++) {
        const sl_profile_counts *c = &rows.items[r].reuse;
        fputs("<tr><td>", file);
        sl_section_location(file, page, kernel, rows.items[r].inst);
        sl_htmlf(file, " <code>%s</code> %s</td>", rows.items[r].inst->opcode, rows.items[r].inst->array);
        for (unsigned i = 0; i <= last + 1; i++) {
            uint64_t part = i <= last ? c->line_distance.bin[i] : c->line_distance.never;
            char share[SL_HUMAN_BYTES];
            sl_human_ratio(c->line_accesses ? 100.0 * (double)part / (double)c->line_accesses : 0, 1, share);
            fprintf(file, "<td class=n style=\"--heat:%s%%\" title=\"%" PRIu64 " accesses, %s%%\">%s</td>", share, part,
                    share, part ? share : "");
        }
        fputs("</tr>\n", file);
    }
    if (good && rows.count)
        sl_html_table_end(file);
    sl_load_sums_fini(&rows);
}

sl_status sl_section_reuse(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_profile_sum *sum = page->joined.kernels.items[kernel].reuse;
    if (!sum || !sum->total.line_accesses)
        return SL_OK;
    fputs("<h3>Reuse</h3>\n<div class=charts>\n", file);
    sl_section_chart(file, "distance", kernel, "Reuse distance of lines and sectors");
    sl_section_chart(file, "reuses", kernel, "Reuses per line");
    if (sum->longest->windows)
        sl_section_chart(file, "footprint", kernel, "Footprint over time, in the launch with the most accesses");
    fputs("</div>\n<h3>Reuse by memory instruction <span>% of its accesses, by lines accessed in between</span></h3>\n",
          file);
    write_heat(file, page, kernel);
    fputs("<details><summary>Reuse tables</summary>\n<div class=side>\n", file);
    sl_status status = write_distances(file, &sum->total, error);
    if (!status)
        status = write_reuses(file, &sum->total, error);
    fputs("</div></details>\n", file);
    return status;
}
