/* SPDX-License-Identifier: MIT */
/* Overview and kernels; of each kernel its loads and arrays. */
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/load_sums.h"
#include "report/page_sections.h"

enum { WORST_LOADS = 12, MAX_FAILURES = 10 };

void sl_section_chart(FILE *file, const char *what, size_t kernel, const char *caption)
{
    fprintf(file, "<figure class=chart hidden data-chart=%s", what);
    if (kernel != SIZE_MAX)
        fprintf(file, " data-kernel=%zu", kernel);
    sl_htmlf(file, "><figcaption>%s</figcaption></figure>\n", caption);
}

static sl_metric_row kernel_row(const sl_page *page, const sl_page_kernel *k)
{
    return sl_page_row(page, &k->counts, k->reuse ? &k->reuse->total : NULL);
}

void sl_section_kernel_cell(FILE *file, const sl_page *page, size_t kernel)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    sl_htmlf(file, "<td><a href=\"#kernel-%zu\">", kernel);
    sl_html_name(file, k->name, k->symbol);
    fputs("</a>", file);
}

void sl_section_kernel_link(FILE *file, const sl_page *page, size_t kernel)
{
    sl_section_kernel_cell(file, page, kernel);
    fputs("</td>", file);
}

/* ---- overview ---- */

static void put_tile(FILE *file, const char *name, const char *value, const char *title)
{
    sl_htmlf(file, "<div title=\"%s\"><dt>%s</dt><dd>%s</dd></div>\n", title, name, value);
}

void sl_section_overview(FILE *file, const sl_page *page)
{
    static const sl_metric tiles[] = {SL_METRIC_warp_insts,  SL_METRIC_ld_sectors,       SL_METRIC_st_sectors,
                                      SL_METRIC_l1_hit_rate, SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors,
                                      SL_METRIC_cycles,      SL_METRIC_footprint_bytes};
    char text[SL_METRIC_BYTES];
    size_t failed = 0;
    if (!page->kernels.count)
        return;
    fputs("<section id=overview><h2>Overview</h2>\n<dl class=tiles>\n", file);
    put_tile(file, "kernels", sl_human_count(page->kernels.count, text), "distinct kernels launched");
    if (page->launches.count)
        put_tile(file, "launches", sl_human_count(page->launches.count, text), "kernel launches");
    for (size_t i = 0; i < page->launches.count; i++)
        failed += page->launches.items[i].failed;
    if (failed)
        put_tile(file, "failed launches", sl_human_count(failed, text), "launches that ended with an error");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (*sl_metric_text(tiles[i], &(sl_metric_row){.counts = &page->counts}, 1, text))
            put_tile(file, sl_metric_infos[tiles[i]].long_heading, text, sl_metric_infos[tiles[i]].description);
    fputs("</dl>\n", file);
    if (page->input.note && *page->input.note)
        sl_html_note(file, page->input.note);
    size_t named = 0;
    for (size_t i = 0; i < page->launches.count && named < MAX_FAILURES; i++)
        if (page->launches.items[i].failed) {
            named++;
            const sl_page_launch *l = &page->launches.items[i];
            sl_htmlf(file, "<p class=\"note bad\">Launch %llu failed: %s</p>\n", (unsigned long long)l->index,
                     *l->failure ? l->failure : "reason not recorded");
        }
    if (failed > named)
        fprintf(file, "<p class=\"note bad\">%zu more launches failed.</p>\n", failed - named);
    if (sl_counts_has(&page->counts, SL_COUNTER_ld_sector_hits))
        sl_section_chart(file, "classes", SIZE_MAX, "L1 outcome of the sectors that each kernel loads");
    fputs("</section>\n", file);
}

/* ---- tables of memory instructions ---- */

static bool add_load(sl_load_sums *sums, size_t kernel, const sl_page_load *load)
{
    return sl_load_sums_add(sums, (sl_load_sum){.kernel = kernel, .inst = &load->inst, .of = load}, &load->counts,
                            load->reuse);
}

/* Columns before and behind the metrics. */
enum { OF_KERNEL = 1, PTX = 2, LOCATION = 4, COPIES = 8, PLANNED = 16 };

static void load_head(FILE *file, const sl_page_columns *columns, unsigned with)
{
    if (with & OF_KERNEL)
        sl_html_column(file, "kernel", NULL, false);
    if (with & PTX)
        sl_html_column(file, "PTX", "PTX line; the address in imported traces", true);
    if (with & LOCATION) {
        sl_html_column(file, "location", "source line, or PTX line", false);
        sl_html_column(file, "instruction", NULL, false);
    }
    sl_html_column(file, "array", "base pointer of the address", false);
    sl_page_columns_head(file, columns);
    if (with & PLANNED)
        sl_planned_columns(file);
    sl_html_table_rows(file);
}

static void put_load(FILE *file, const sl_page *page, const sl_load_sum *r, const sl_page_columns *columns,
                     unsigned with)
{
    const sl_inst_name *inst = r->inst;
    sl_metric_row row = sl_page_row(page, &r->counts, r->profiled ? &r->reuse : NULL);
    fputs("<tr>", file);
    if (with & OF_KERNEL) {
        sl_section_kernel_cell(file, page, r->kernel);
        fputs("</td>", file);
    }
    if (with & PTX)
        sl_html_cell_count(file, inst->ptx_line ? inst->ptx_line : inst->pc);
    if (with & LOCATION) {
        fputs("<td>", file);
        sl_section_location(file, page, r->kernel, inst);
        if (with & COPIES && r->copies > 1)
            fprintf(file, " <span title=\"instructions that the compiler generated from it\">(x%u)</span>", r->copies);
        fputs("</td>", file);
        sl_html_cell(file, inst->opcode);
    }
    char array[256];
    sl_html_cell_name(file, sl_inst_array(inst, array, sizeof array), NULL);
    sl_page_columns_cells(file, columns, &row);
    if (with & PLANNED)
        sl_planned_cells(file, ((const sl_page_load *)r->of)->planned);
    fputs("</tr>\n", file);
}

static void put_load_table(FILE *file, const sl_page *page, const char *caption, const char *class,
                           const sl_load_sums *rows, unsigned with)
{
    sl_page_columns columns = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const sl_load_sum *r = &rows->items[i];
        columns.bars |= sl_counts_has(&r->counts, SL_COUNTER_ld_sector_hits) && r->counts.value[SL_COUNTER_ld_sectors];
        sl_metric_row row = sl_page_row(page, &r->counts, r->profiled ? &r->reuse : NULL);
        sl_page_columns_add(&columns, &row);
    }
    sl_html_table(file, caption, class);
    load_head(file, &columns, with);
    for (size_t i = 0; i < rows->count; i++)
        put_load(file, page, &rows->items[i], &columns, with);
    sl_html_table_end(file);
}

/* ---- the heaviest loads, stores and atomics ---- */

static bool writes(const sl_inst_name *inst)
{
    return inst->access == SL_ACCESS_STORE || inst->access == SL_ACCESS_ATOMIC || inst->access == SL_ACCESS_REDUCTION;
}

/* Loads by misses where they are known, otherwise by traffic; stores and atomics by traffic. */
static bool put_worst(FILE *file, const sl_page *page, bool stores, const char *title, sl_metric weight)
{
    sl_load_sums rows = {.rows = SL_ROW_PER_LOCATION};
    bool good = true;
    for (size_t k = 0; k < page->kernels.count; k++)
        for (uint32_t i = 0; i < page->kernels.items[k].loads && good; i++)
            if (writes(&page->kernels.items[k].load[i].inst) == stores)
                good = add_load(&rows, k, &page->kernels.items[k].load[i]);
    sl_load_sums_sort(&rows, weight);
    rows.count = rows.count > WORST_LOADS ? WORST_LOADS : rows.count;
    while (rows.count && !rows.items[rows.count - 1].weight)
        rows.count--;
    if (good && rows.count) {
        fprintf(file, "<h2>%s</h2>\n", title);
        put_load_table(file, page, title, "sortable", &rows,
                       (page->kernels.count > 1 ? OF_KERNEL : 0) | LOCATION | COPIES);
    }
    sl_load_sums_fini(&rows);
    return good;
}

sl_status sl_section_worst_loads(FILE *file, const sl_page *page, sl_error *error)
{
    bool misses = sl_page_has_bars(page);
    fputs("<section id=worst>\n", file);
    bool good = put_worst(file, page, false, misses ? "Loads with the most misses" : "Loads with the most traffic",
                          misses ? SL_METRIC_ld_sector_misses : SL_METRIC_sectors) &&
                put_worst(file, page, true, "Stores and atomics with the most traffic", SL_METRIC_sectors);
    fputs("</section>\n", file);
    return good ? SL_OK : sl_fail_memory(error);
}

/* ---- kernels ---- */

void sl_section_kernels(FILE *file, const sl_page *page)
{
    sl_page_columns columns = {.bars = sl_page_has_bars(page)};
    if (!page->kernels.count)
        return;
    for (size_t i = 0; i < page->kernels.count; i++) {
        sl_metric_row row = kernel_row(page, &page->kernels.items[i]);
        sl_page_columns_add(&columns, &row);
    }
    fputs("<section id=kernels><h2>Kernels</h2>\n", file);
    sl_html_table(file, "Kernels, summed over their launches", "sortable kernels");
    sl_html_column(file, "kernel", "select one to see its loads and source", false);
    sl_html_column(file, "launches", NULL, true);
    sl_page_columns_head(file, &columns);
    sl_html_table_rows(file);
    for (size_t i = 0; i < page->kernels.count; i++) {
        sl_metric_row row = kernel_row(page, &page->kernels.items[i]);
        fputs("<tr>", file);
        sl_section_kernel_cell(file, page, i);
        fputs("</td>", file);
        sl_html_cell_count(file, page->kernels.items[i].launches);
        sl_page_columns_cells(file, &columns, &row);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

/* ---- one kernel ---- */

static sl_status put_loads(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    sl_load_sums loads = {.rows = SL_ROW_PER_INST}, arrays = {.rows = SL_ROW_PER_ARRAY};
    bool good = true;
    for (uint32_t i = 0; i < k->loads && good; i++)
        good = add_load(&loads, kernel, &k->load[i]) &&
               (!*k->load[i].inst.array || add_load(&arrays, kernel, &k->load[i]));
    if (good) {
        fputs("<h3>Memory instructions</h3>\n", file);
        put_load_table(file, page, "Memory instructions, in program order", "sortable loads", &loads,
                       PTX | LOCATION | (page->input.plan ? PLANNED : 0));
    }
    if (good && arrays.count > 1) {
        fputs("<h3>Arrays</h3>\n", file);
        put_load_table(file, page, "Arrays, summed over all accesses", "sortable", &arrays, 0);
    }
    sl_load_sums_fini(&loads);
    sl_load_sums_fini(&arrays);
    return good ? SL_OK : sl_fail_memory(error);
}

sl_status sl_section_kernel(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    sl_htmlf(file, "<section class=kernel id=kernel-%zu tabindex=-1><h2><span>Kernel</span> %s</h2>\n", kernel,
             k->name);
    if (strcmp(k->symbol, k->name) != 0)
        sl_htmlf(file, "<p class=symbol><code>%s</code></p>\n", k->symbol);
    sl_section_planned(file, page, kernel);
    sl_status status = sl_section_source(file, page, kernel, error);
    if (k->loads && !status)
        status = put_loads(file, page, kernel, error);
    else if (!status)
        sl_html_note(file, "Nothing was recorded about its memory instructions.");
    sl_section_reuse(file, page, kernel);
    fputs("</section>\n", file);
    return status;
}
