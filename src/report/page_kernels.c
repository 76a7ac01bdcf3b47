/* SPDX-License-Identifier: MIT */
/* Overview, kernels, launches; of each kernel its loads and arrays. */
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { WORST_LOADS = 12, MAX_LAUNCHES = 2000 };

void sl_section_chart(FILE *file, const char *what, size_t kernel, const char *caption)
{
    fprintf(file, "<figure class=chart hidden data-chart=%s", what);
    if (kernel != SIZE_MAX)
        fprintf(file, " data-kernel=%zu", kernel);
    fputs("><figcaption>", file);
    sl_html_text(file, caption);
    fputs("</figcaption></figure>\n", file);
}

static sl_metric_row kernel_row(const sl_page *page, const sl_page_kernel *k)
{
    return sl_page_row(page, &k->counts, k->reuse ? &k->reuse->total : NULL);
}

static void kernel_link(FILE *file, const sl_page *page, size_t kernel)
{
    fprintf(file, "<td><a href=\"#kernel-%zu\" title=\"", kernel);
    sl_html_text(file, page->kernels.items[kernel].symbol);
    fputs("\">", file);
    sl_html_text(file, page->kernels.items[kernel].name);
    fputs("</a>", file);
}

/* ---- overview ---- */

static void put_tile(FILE *file, const char *name, const char *value, const char *title)
{
    fputs("<div title=\"", file);
    sl_html_text(file, title);
    fprintf(file, "\"><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

void sl_section_overview(FILE *file, const sl_page *page)
{
    static const sl_metric tiles[] = {SL_METRIC_warp_insts,       SL_METRIC_ld_sectors,        SL_METRIC_l1_hit_rate,
                                      SL_METRIC_l2_read_hit_rate, SL_METRIC_dram_read_sectors, SL_METRIC_cycles,
                                      SL_METRIC_footprint_bytes};
    char text[SL_METRIC_BYTES];
    size_t failed = 0;
    if (!page->kernels.count)
        return;
    fputs("<section id=overview><h2>Overview</h2>\n<dl class=tiles>\n", file);
    put_tile(file, "kernels", sl_human_count(page->kernels.count, text), "different kernels that were launched");
    if (page->launches.count)
        put_tile(file, "launches", sl_human_count(page->launches.count, text), "launches of kernels");
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
    for (size_t i = 0; i < page->launches.count; i++)
        if (page->launches.items[i].failed) {
            const sl_page_launch *l = &page->launches.items[i];
            fprintf(file, "<p class=\"note bad\">Launch %llu failed: ", (unsigned long long)l->index);
            sl_html_text(file, *l->failure ? l->failure : "it was not recorded why");
            fputs("</p>\n", file);
        }
    if (sl_counts_has(&page->counts, SL_COUNTER_ld_sector_hits))
        sl_section_chart(file, "classes", SIZE_MAX, "What becomes of the sectors that each kernel loads, in L1");
    fputs("</section>\n", file);
}

/* ---- the loads that matter most ---- */

/* A place in the source: an unrolled loop has many copies of its loads. */
typedef struct ranked {
    size_t kernel, copies;
    sl_page_load load;
    sl_profile_counts reuse;
    uint64_t weight;
} ranked;
typedef SL_ARRAY(ranked) ranking;

static int by_weight(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->kernel != b->kernel ? (a->kernel > b->kernel) - (a->kernel < b->kernel)
                                  : (a->load.inst.pc > b->load.inst.pc) - (a->load.inst.pc < b->load.inst.pc);
}

static void load_head(FILE *file, const sl_page_columns *columns)
{
    sl_html_column(file, "place", "source line, or line of the PTX", false);
    sl_html_column(file, "instruction", NULL, false);
    sl_html_column(file, "array", "the pointer that the address is made from", false);
    sl_page_columns_head(file, columns);
}

static void load_cells(FILE *file, const sl_page *page, size_t kernel, const sl_page_load *l,
                       const sl_page_columns *columns)
{
    sl_metric_row row = sl_page_row(page, &l->counts, l->reuse);
    fputs("<td>", file);
    sl_section_place(file, page, kernel, &l->inst);
    fputs("</td>", file);
    sl_html_cell(file, l->inst.opcode);
    sl_html_cell(file, l->inst.array);
    sl_page_columns_cells(file, columns, &row);
}

static bool rank(ranking *all, size_t kernel, const sl_page_load *load)
{
    size_t at = all->count;
    while (at > 0 &&
           !(all->items[at - 1].kernel == kernel && sl_inst_same_place(&all->items[at - 1].load.inst, &load->inst)))
        at--;
    if (!at) {
        ranked one = {.kernel = kernel, .load = {.inst = load->inst}};
        if (!sl_array_push(all, one))
            return false;
        at = all->count;
    }
    ranked *to = &all->items[at - 1];
    to->copies++;
    sl_counts_merge(&to->load.counts, &load->counts);
    if (load->reuse)
        sl_profile_counts_merge(&to->reuse, load->reuse);
    to->load.reuse = load->reuse; /* whether there is any: its place is told when nothing moves any more */
    return true;
}

/* By misses where they are known, otherwise by traffic. */
static bool rank_all(const sl_page *page, ranking *all)
{
    sl_counter weight = sl_page_has_bars(page) ? SL_COUNTER_ld_sector_misses : SL_COUNTER_ld_sectors;
    for (size_t k = 0; k < page->kernels.count; k++)
        for (uint32_t i = 0; i < page->kernels.items[k].loads; i++)
            if (!rank(all, k, &page->kernels.items[k].load[i]))
                return false;
    for (size_t i = 0; i < all->count; i++)
        all->items[i].weight = all->items[i].load.counts.value[weight];
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, by_weight);
    if (all->count > WORST_LOADS)
        all->count = WORST_LOADS;
    while (all->count && !all->items[all->count - 1].weight)
        all->count--;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].load.reuse)
            all->items[i].load.reuse = &all->items[i].reuse;
    return true;
}

static void put_ranking(FILE *file, const sl_page *page, const ranking *all)
{
    sl_page_columns columns = {.bars = sl_page_has_bars(page)};
    const char *title = columns.bars ? "Loads that miss most" : "Loads with the most traffic";
    for (size_t i = 0; i < all->count; i++) {
        sl_metric_row row = sl_page_row(page, &all->items[i].load.counts, all->items[i].load.reuse);
        sl_page_columns_add(&columns, &row);
    }
    fprintf(file, "<section id=worst><h2>%s</h2>\n", title);
    sl_html_table(file, title, "sortable");
    sl_html_column(file, "kernel", NULL, false);
    load_head(file, &columns);
    sl_html_column(file, "copies", "instructions that the compiler made of it", true);
    sl_html_table_rows(file);
    for (size_t i = 0; i < all->count; i++) {
        const ranked *r = &all->items[i];
        fputs("<tr>", file);
        kernel_link(file, page, r->kernel);
        fputs("</td>", file);
        load_cells(file, page, r->kernel, &r->load, &columns);
        sl_html_cell_count(file, r->copies);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

sl_status sl_section_worst_loads(FILE *file, const sl_page *page, sl_error *error)
{
    ranking all = {0};
    bool done = rank_all(page, &all);
    if (done && all.count)
        put_ranking(file, page, &all);
    sl_array_free(&all);
    return done ? SL_OK : sl_fail_memory(error);
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
    sl_html_table(file, "Kernels, all launches of each summed", "sortable kernels");
    sl_html_column(file, "kernel", "choose one to see its loads and its source", false);
    sl_html_column(file, "launches", NULL, true);
    sl_page_columns_head(file, &columns);
    sl_html_table_rows(file);
    for (size_t i = 0; i < page->kernels.count; i++) {
        sl_metric_row row = kernel_row(page, &page->kernels.items[i]);
        fputs("<tr>", file);
        kernel_link(file, page, i);
        fputs("</td>", file);
        sl_html_cell_count(file, page->kernels.items[i].launches);
        sl_page_columns_cells(file, &columns, &row);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

void sl_section_launches(FILE *file, const sl_page *page)
{
    sl_page_columns columns = {0};
    size_t shown = page->launches.count < MAX_LAUNCHES ? page->launches.count : MAX_LAUNCHES;
    if (page->launches.count < 2)
        return;
    for (size_t i = 0; i < shown; i++)
        sl_page_columns_add(&columns, &(sl_metric_row){.counts = &page->launches.items[i].counts});
    fputs("<section id=launches><h2>Launches</h2>\n", file);
    if (shown < page->launches.count)
        fprintf(file, "<p class=note>The first %zu of %zu; --json has all.</p>\n", shown, page->launches.count);
    sl_html_table(file, "Launches, in the order of the run", "sortable long");
    sl_html_column(file, "#", "counted from 0 over the whole run", true);
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "grid", "blocks", true);
    sl_html_column(file, "block", "threads of a block", true);
    sl_page_columns_head(file, &columns);
    sl_html_table_rows(file);
    for (size_t i = 0; i < shown; i++) {
        const sl_page_launch *l = &page->launches.items[i];
        fputs("<tr>", file);
        sl_html_cell_count(file, l->index);
        kernel_link(file, page, l->kernel);
        fprintf(file, "%s</td>", l->failed ? " (failed)" : "");
        sl_html_cell_dims(file, l->grid);
        sl_html_cell_dims(file, l->block);
        sl_page_columns_cells(file, &columns, &(sl_metric_row){.counts = &l->counts});
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

/* ---- one kernel ---- */

static void put_loads(FILE *file, const sl_page *page, size_t kernel)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    sl_page_columns columns = {.bars = sl_page_has_bars(page)};
    for (uint32_t i = 0; i < k->loads; i++) {
        sl_metric_row row = sl_page_row(page, &k->load[i].counts, k->load[i].reuse);
        sl_page_columns_add(&columns, &row);
    }
    fputs("<h3>Memory instructions</h3>\n", file);
    sl_html_table(file, "Memory instructions, in the order of the program", "sortable loads");
    sl_html_column(file, "PTX", "line of the PTX; of other traces the address", true);
    load_head(file, &columns);
    if (page->input.plan)
        sl_planned_columns(file);
    sl_html_table_rows(file);
    for (uint32_t i = 0; i < k->loads; i++) {
        const sl_inst_name *inst = &k->load[i].inst;
        fputs("<tr>", file);
        sl_html_cell_count(file, inst->ptx_line ? inst->ptx_line : inst->pc);
        load_cells(file, page, kernel, &k->load[i], &columns);
        if (page->input.plan)
            sl_planned_cells(file, k->load[i].planned);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
}

typedef struct array_sum {
    const char *name;
    sl_counts counts;
    sl_profile_counts reuse;
    bool profiled;
} array_sum;

static uint32_t sum_arrays(const sl_page_kernel *k, array_sum *sum)
{
    uint32_t arrays = 0;
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t at = 0;
        if (!*k->load[i].inst.array)
            continue;
        while (at < arrays && strcmp(sum[at].name, k->load[i].inst.array) != 0)
            at++;
        arrays += at == arrays;
        sum[at].name = k->load[i].inst.array;
        sl_counts_merge(&sum[at].counts, &k->load[i].counts);
        if (k->load[i].reuse)
            sl_profile_counts_merge(&sum[at].reuse, k->load[i].reuse);
        sum[at].profiled |= k->load[i].reuse != NULL;
    }
    return arrays;
}

static sl_metric_row array_row(const sl_page *page, const array_sum *sum)
{
    return sl_page_row(page, &sum->counts, sum->profiled ? &sum->reuse : NULL);
}

static void put_array_table(FILE *file, const sl_page *page, const array_sum *sum, uint32_t arrays)
{
    sl_page_columns columns = {.bars = sl_page_has_bars(page)};
    for (uint32_t i = 0; i < arrays; i++) {
        sl_metric_row row = array_row(page, &sum[i]);
        sl_page_columns_add(&columns, &row);
    }
    fputs("<h3>Arrays</h3>\n", file);
    sl_html_table(file, "Arrays, all accesses to each summed", "sortable");
    sl_html_column(file, "array", "the pointer that addresses are made from", false);
    sl_page_columns_head(file, &columns);
    sl_html_table_rows(file);
    for (uint32_t i = 0; i < arrays; i++) {
        sl_metric_row row = array_row(page, &sum[i]);
        fputs("<tr>", file);
        sl_html_cell(file, sum[i].name);
        sl_page_columns_cells(file, &columns, &row);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
}

static sl_status put_arrays(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    array_sum *sum = calloc(k->loads + 1, sizeof *sum);
    if (!sum)
        return sl_fail_memory(error);
    uint32_t arrays = sum_arrays(k, sum);
    if (arrays > 1)
        put_array_table(file, page, sum, arrays);
    free(sum);
    return SL_OK;
}

sl_status sl_section_kernel(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    fprintf(file, "<section class=kernel id=kernel-%zu tabindex=-1><h2><span>Kernel</span> ", kernel);
    sl_html_text(file, k->name);
    fputs("</h2>\n", file);
    if (strcmp(k->symbol, k->name) != 0) {
        fputs("<p class=symbol><code>", file);
        sl_html_text(file, k->symbol);
        fputs("</code></p>\n", file);
    }
    sl_section_planned(file, page, kernel);
    sl_section_source(file, page, kernel);
    sl_status status = SL_OK;
    if (k->loads) {
        put_loads(file, page, kernel);
        status = put_arrays(file, page, kernel, error);
    } else {
        fputs("<p class=note>Of its memory instructions nothing is known.</p>\n", file);
    }
    sl_section_reuse(file, page, kernel);
    fputs("</section>\n", file);
    return status;
}
