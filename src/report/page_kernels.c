/* SPDX-License-Identifier: MIT */
/* Overview and kernels; of each kernel its loads and arrays. */
#include <string.h>

#include "analysis/load_sums.h"
#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { WORST_LOADS = 12, MAX_FAILURES = 10 };

void sl_section_chart(FILE *file, const char *what, size_t kernel, const char *caption)
{
    fprintf(file, "<figure class=chart hidden data-chart=%s", what);
    if (kernel != SIZE_MAX)
        fprintf(file, " data-kernel=%zu", kernel);
    sl_htmlf(file, "><figcaption>%s</figcaption></figure>\n", caption);
}

static sl_metric_row kernel_row(const sl_page *page, const sl_joined_kernel *k)
{
    return sl_page_row(page, &k->counts, k->reuse ? &k->reuse->total : NULL);
}

/* A kernel, as its cell shows it. */
typedef struct linked_kernel {
    const sl_joined_kernel *kernel;
    size_t number;
    bool failed;
} linked_kernel;

static void write_kernel(FILE *file, const void *of)
{
    const linked_kernel *k = of;
    sl_htmlf(file, "<td><a href=\"#kernel-%zu\">", k->number);
    sl_html_name(file, k->kernel->name, k->kernel->symbol);
    fprintf(file, "</a>%s</td>", k->failed ? " (failed)" : "");
}

void sl_page_kernel_cell(sl_table *t, const sl_page *page, size_t kernel, bool failed)
{
    linked_kernel *of = sl_table_alloc(t, sizeof *of);
    if (of)
        *of = (linked_kernel){&page->joined.kernels.items[kernel], kernel, failed};
    sl_table_markup(t, write_kernel, of);
}

/* ---- overview ---- */

static void write_tile(FILE *file, const char *name, const char *value, const char *title)
{
    sl_htmlf(file, "<div title=\"%s\"><dt>%s</dt><dd>%s</dd></div>\n", title, name, value);
}

void sl_section_overview(FILE *file, const sl_page *page)
{
    static const sl_metric tiles[] = {SL_METRIC_warp_insts,  SL_METRIC_ld_sectors,       SL_METRIC_st_sectors,
                                      SL_METRIC_l1_hit_rate, SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors,
                                      SL_METRIC_cycles,      SL_METRIC_est_cycles,       SL_METRIC_footprint_bytes};
    char text[SL_METRIC_BYTES];
    size_t failed = 0;
    if (!page->joined.kernels.count)
        return;
    fputs("<section id=overview><h2>Overview</h2>\n<dl class=tiles>\n", file);
    write_tile(file, "kernels", sl_human_count(page->joined.kernels.count, text), "distinct kernels launched");
    if (page->joined.launches.count)
        write_tile(file, "launches", sl_human_count(page->joined.launches.count, text), "kernel launches");
    for (size_t i = 0; i < page->joined.launches.count; i++)
        failed += page->joined.launches.items[i].failed;
    if (failed)
        write_tile(file, "failed launches", sl_human_count(failed, text), "launches that ended with an error");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (*sl_metric_text(tiles[i], &(sl_metric_row){.counts = &page->joined.counts}, 1, text))
            write_tile(file, sl_metric_infos[tiles[i]].long_heading, text, sl_metric_infos[tiles[i]].description);
    fputs("</dl>\n", file);
    if (page->input.note && *page->input.note)
        sl_html_note(file, page->input.note);
    size_t named = 0;
    for (size_t i = 0; i < page->joined.launches.count && named < MAX_FAILURES; i++)
        if (page->joined.launches.items[i].failed) {
            named++;
            const sl_joined_launch *l = &page->joined.launches.items[i];
            sl_htmlf(file, "<p class=\"note bad\">Launch %llu failed: %s</p>\n", (unsigned long long)l->index,
                     *l->failure ? l->failure : "reason not recorded");
        }
    if (failed > named)
        fprintf(file, "<p class=\"note bad\">%zu more launches failed.</p>\n", failed - named);
    if (sl_counts_has(&page->joined.counts, SL_COUNTER_ld_sector_hits))
        sl_section_chart(file, "classes", SIZE_MAX, "L1 outcome of the sectors that each kernel loads");
    fputs("</section>\n", file);
}

/* ---- tables of memory instructions ---- */

static bool add_load(sl_load_sums *sums, size_t kernel, const sl_joined_load *load)
{
    return sl_load_sums_add(sums, (sl_load_sum){.kernel = kernel, .inst = &load->inst, .of = load}, &load->counts,
                            load->reuse);
}

/* Columns that a table has. */
enum { OF_KERNEL = 1, PTX = 2, LOCATION = 4, COPIES = 8, PLANNED = 16 };

typedef struct located_load {
    const sl_page *page;
    const sl_load_sum *sum;
    bool copies;
} located_load;

static void write_location(FILE *file, const void *of)
{
    const located_load *l = of;
    fputs("<td>", file);
    sl_section_location(file, l->page, l->sum->kernel, l->sum->inst);
    if (l->copies && l->sum->copies > 1)
        fprintf(file, " <span title=\"instructions that the compiler generated from it\">(x%u)</span>", l->sum->copies);
    fputs("</td>", file);
}

static void location_cells(sl_table *t, const sl_page *page, const sl_load_sum *r, unsigned with)
{
    located_load *of = with & LOCATION ? sl_table_alloc(t, sizeof *of) : NULL;
    if (of) {
        *of = (located_load){page, r, with & COPIES};
        sl_table_markup(t, write_location, of);
    } else {
        sl_table_none(t);
    }
    sl_table_known(t, with & LOCATION ? r->inst->opcode : NULL);
}

static void load_cells(sl_table *t, const sl_page *page, const sl_load_sum *r, unsigned with)
{
    char array[256];
    const sl_inst_name *inst = r->inst;
    const sl_metric_row row = sl_page_row(page, &r->counts, r->profiled ? &r->reuse : NULL);
    if (with & OF_KERNEL)
        sl_page_kernel_cell(t, page, r->kernel, false);
    else
        sl_table_none(t);
    if (with & PTX)
        sl_table_exact(t, inst->ptx_line ? inst->ptx_line : inst->pc);
    else
        sl_table_none(t);
    location_cells(t, page, r, with);
    sl_table_known(t, sl_inst_array(inst, array, sizeof array));
    sl_page_cells(t, &row, true);
    sl_planned_cells(t, with & PLANNED ? ((const sl_joined_load *)r->of)->planned : NULL);
}

static sl_status write_load_table(FILE *file, const sl_page *page, const char *caption, const char *class,
                                  const sl_load_sums *rows, unsigned with, sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("kernel"), SL_NUMBERS("PTX"), SL_TEXTS("location"),
                                      SL_TEXTS("instruction"), SL_NAMES("array")};
    sl_table *t = sl_page_table(first, sizeof first / sizeof *first, sl_planned_columns, SL_PLANNED_COLUMNS);
    for (size_t i = 0; i < rows->count; i++)
        load_cells(t, page, &rows->items[i], with);
    return sl_table_html(t, file, caption, class, error);
}

/* ---- the heaviest loads, stores and atomics ---- */

static bool writes(const sl_inst_name *inst)
{
    return inst->access == SL_ACCESS_STORE || inst->access == SL_ACCESS_ATOMIC || inst->access == SL_ACCESS_REDUCTION;
}

/* Loads by misses where they are known, otherwise by traffic; stores and atomics by traffic. */
static sl_status write_worst(FILE *file, const sl_page *page, bool stores, const char *title, sl_metric weight,
                             sl_error *error)
{
    sl_load_sums rows = {.rows = SL_ROW_PER_LOCATION};
    sl_status status = SL_OK;
    for (size_t k = 0; k < page->joined.kernels.count; k++)
        for (uint32_t i = 0; i < page->joined.kernels.items[k].loads && !status; i++)
            if (writes(&page->joined.kernels.items[k].load[i].inst) == stores &&
                !add_load(&rows, k, &page->joined.kernels.items[k].load[i]))
                status = sl_fail_memory(error);
    sl_load_sums_sort(&rows, weight);
    rows.count = rows.count > WORST_LOADS ? WORST_LOADS : rows.count;
    while (rows.count && !rows.items[rows.count - 1].weight)
        rows.count--;
    if (!status && rows.count) {
        fprintf(file, "<h2>%s</h2>\n", title);
        status = write_load_table(file, page, title, "sortable", &rows,
                                  (page->joined.kernels.count > 1 ? OF_KERNEL : 0) | LOCATION | COPIES, error);
    }
    sl_load_sums_fini(&rows);
    return status;
}

sl_status sl_section_worst_loads(FILE *file, const sl_page *page, sl_error *error)
{
    bool misses = sl_page_has_bars(page);
    fputs("<section id=worst>\n", file);
    sl_status status =
        write_worst(file, page, false, misses ? "Loads with the most misses" : "Loads with the most traffic",
                    misses ? SL_METRIC_ld_sector_misses : SL_METRIC_sectors, error);
    if (!status)
        status = write_worst(file, page, true, "Stores and atomics with the most traffic", SL_METRIC_sectors, error);
    fputs("</section>\n", file);
    return status;
}

/* ---- kernels ---- */

sl_status sl_section_kernels(FILE *file, const sl_page *page, sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("kernel"), SL_NUMBERS("launches")};
    if (!page->joined.kernels.count)
        return SL_OK;
    sl_table *t = sl_page_table(first, 2, NULL, 0);
    for (size_t i = 0; i < page->joined.kernels.count; i++) {
        const sl_metric_row row = kernel_row(page, &page->joined.kernels.items[i]);
        sl_page_kernel_cell(t, page, i, false);
        sl_table_count(t, page->joined.kernels.items[i].launches);
        sl_page_cells(t, &row, true);
    }
    fputs("<section id=kernels><h2>Kernels</h2>\n", file);
    sl_status status = sl_table_html(t, file, "Kernels, summed over their launches", "sortable kernels", error);
    fputs("</section>\n", file);
    return status;
}

/* ---- one kernel ---- */

static sl_status write_loads(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_joined_kernel *k = &page->joined.kernels.items[kernel];
    sl_load_sums loads = {.rows = SL_ROW_PER_INST}, arrays = {.rows = SL_ROW_PER_ARRAY};
    bool good = true;
    for (uint32_t i = 0; i < k->loads && good; i++)
        good = add_load(&loads, kernel, &k->load[i]) &&
               (!*k->load[i].inst.array || add_load(&arrays, kernel, &k->load[i]));
    sl_status status = good ? SL_OK : sl_fail_memory(error);
    if (!status) {
        fputs("<h3>Memory instructions</h3>\n", file);
        status = write_load_table(file, page, "Memory instructions, in program order", "sortable loads", &loads,
                                  PTX | LOCATION | (page->input.results.plan ? PLANNED : 0), error);
    }
    if (!status && arrays.count > 1) {
        fputs("<h3>Arrays</h3>\n", file);
        status = write_load_table(file, page, "Arrays, summed over all accesses", "sortable", &arrays, 0, error);
    }
    sl_load_sums_fini(&loads);
    sl_load_sums_fini(&arrays);
    return status;
}

sl_status sl_section_kernel(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_joined_kernel *k = &page->joined.kernels.items[kernel];
    sl_htmlf(file, "<section class=kernel id=kernel-%zu tabindex=-1><h2><span>Kernel</span> %s</h2>\n", kernel,
             k->name);
    if (strcmp(k->symbol, k->name) != 0)
        sl_htmlf(file, "<p class=symbol><code>%s</code></p>\n", k->symbol);
    sl_section_planned(file, page, kernel);
    sl_status status = sl_section_source(file, page, kernel, error);
    if (k->loads && !status)
        status = write_loads(file, page, kernel, error);
    else if (!status)
        sl_html_note(file, "Nothing was recorded about its memory instructions.");
    if (!status)
        status = sl_section_reuse(file, page, kernel, error);
    fputs("</section>\n", file);
    return status;
}
