/* SPDX-License-Identifier: MIT */
/* Overview, kernels, launches; of each kernel its loads and arrays. */
#include <string.h>

#include "base/text.h"
#include "page/html.h"
#include "page/sections.h"

enum { WORST_LOADS = 12, MOST_LAUNCHES = 2000 };

const sl_profile_options *sl_page_profiled(const sl_page *page)
{
    return page->input.profile ? page->input.profile->options : NULL;
}

void sl_section_chart(FILE *file, const char *what, size_t kernel, const char *caption)
{
    fprintf(file, "<figure class=chart hidden data-chart=%s", what);
    if (kernel != SIZE_MAX)
        fprintf(file, " data-kernel=%zu", kernel);
    fputs("><figcaption>", file);
    sl_html_text(file, caption);
    fputs("</figcaption></figure>\n", file);
}

static sl_metric_row kernel_row(const sl_page_kernel *k)
{
    return (sl_metric_row){&k->counts, k->reuse ? &k->reuse->total : NULL};
}

/* ---- overview ---- */

static void put_tile(FILE *file, const char *name, const char *value, const char *title)
{
    fputs("<div title=\"", file);
    sl_html_text(file, title);
    fprintf(file, "\"><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

static void count_tile(FILE *file, const sl_page *page, const char *name, sl_counter counter)
{
    char text[SL_HUMAN_BYTES];
    if (sl_counts_has(&page->counts, counter))
        put_tile(file, name, sl_human_count(page->counts.value[counter], text), sl_counter_infos[counter].meaning);
}

static void share_tile(FILE *file, const sl_page *page, const char *name, sl_counter part, sl_counter whole)
{
    char text[SL_HUMAN_BYTES], value[SL_HUMAN_BYTES + 8];
    const sl_counts *c = &page->counts;
    if (!sl_counts_has(c, part) || !c->value[whole])
        return;
    snprintf(value, sizeof value, "%s%%",
             sl_human_ratio(100.0 * (double)c->value[part] / (double)c->value[whole], 1, text));
    put_tile(file, name, value, sl_counter_infos[part].meaning);
}

void sl_section_overview(FILE *file, const sl_page *page)
{
    char text[SL_HUMAN_BYTES];
    if (!page->kernels.count)
        return;
    fputs("<section id=overview><h2>Overview</h2>\n<dl class=tiles>\n", file);
    if (page->kernels.count)
        put_tile(file, "kernels", sl_human_count(page->kernels.count, text), "different kernels that were launched");
    if (page->launches.count)
        put_tile(file, "launches", sl_human_count(page->launches.count, text), "launches of kernels");
    count_tile(file, page, "warp instructions", SL_COUNTER_warp_insts);
    count_tile(file, page, "load sectors", SL_COUNTER_ld_sectors);
    share_tile(file, page, "L1 hit rate", SL_COUNTER_ld_sector_hits, SL_COUNTER_ld_sectors);
    share_tile(file, page, "L2 hit rate", SL_COUNTER_l2_read_hits, SL_COUNTER_l2_read_sectors);
    count_tile(file, page, "DRAM reads", SL_COUNTER_dram_read_sectors);
    count_tile(file, page, "cycles", SL_COUNTER_cycles);
    if (sl_counts_has(&page->counts, SL_COUNTER_footprint_bytes))
        put_tile(file, "largest footprint", sl_human_bytes(page->counts.value[SL_COUNTER_footprint_bytes], text),
                 "memory that the launch touches which touches most");
    fputs("</dl>\n", file);
    if (page->input.note && *page->input.note) {
        fputs("<p class=note>", file);
        sl_html_text(file, page->input.note);
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

static void load_head(FILE *file, uint64_t columns, bool bars)
{
    sl_html_column(file, "place", "source line, or line of the PTX", false);
    sl_html_column(file, "instruction", NULL, false);
    sl_html_column(file, "array", "the pointer that the address is made from", false);
    if (bars)
        sl_html_column(file, "in L1", "hits, late hits and misses by class", false);
    sl_metrics_columns(file, columns);
}

static void load_cells(FILE *file, const sl_page *page, size_t kernel, const sl_page_load *l, uint64_t columns,
                       bool bars)
{
    sl_metric_row row = {&l->counts, l->reuse};
    fputs("<td>", file);
    sl_section_place(file, page, kernel, &l->inst);
    fputs("</td>", file);
    sl_html_cell(file, l->inst.opcode);
    sl_html_cell(file, l->inst.array);
    if (bars) {
        fputs("<td>", file);
        sl_metrics_bar(file, &l->counts);
        fputs("</td>", file);
    }
    sl_metrics_cells(file, columns, &row, sl_page_profiled(page));
}

static bool has_bars(const sl_page *page)
{
    return sl_counts_has(&page->counts, SL_COUNTER_ld_sector_hits) && page->counts.value[SL_COUNTER_ld_sectors];
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
    sl_counter weight = has_bars(page) ? SL_COUNTER_ld_sector_misses : SL_COUNTER_ld_sectors;
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
    const char *title = has_bars(page) ? "Loads that miss most" : "Loads with the most traffic";
    uint64_t columns = 0;
    for (size_t i = 0; i < all->count; i++)
        columns |= sl_metrics_of(&(sl_metric_row){&all->items[i].load.counts, all->items[i].load.reuse},
                                 sl_page_profiled(page));
    fprintf(file, "<section id=worst><h2>%s</h2>\n", title);
    sl_html_table(file, title, "sortable");
    sl_html_column(file, "kernel", NULL, false);
    load_head(file, columns, has_bars(page));
    sl_html_column(file, "copies", "instructions that the compiler made of it", true);
    sl_html_table_rows(file);
    for (size_t i = 0; i < all->count; i++) {
        const ranked *r = &all->items[i];
        fprintf(file, "<tr><td><a href=\"#kernel-%zu\">", r->kernel);
        sl_html_text(file, page->kernels.items[r->kernel].name);
        fputs("</a></td>", file);
        load_cells(file, page, r->kernel, &r->load, columns, has_bars(page));
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
    const sl_profile_options *o = sl_page_profiled(page);
    uint64_t columns = 0;
    if (!page->kernels.count)
        return;
    for (size_t i = 0; i < page->kernels.count; i++) {
        sl_metric_row row = kernel_row(&page->kernels.items[i]);
        columns |= sl_metrics_of(&row, o);
    }
    fputs("<section id=kernels><h2>Kernels</h2>\n", file);
    sl_html_table(file, "Kernels, all launches of each summed", "sortable kernels");
    sl_html_column(file, "kernel", "choose one to see its loads and its source", false);
    sl_html_column(file, "launches", NULL, true);
    if (has_bars(page))
        sl_html_column(file, "in L1", "hits, late hits and misses by class", false);
    sl_metrics_columns(file, columns);
    sl_html_table_rows(file);
    for (size_t i = 0; i < page->kernels.count; i++) {
        const sl_page_kernel *k = &page->kernels.items[i];
        sl_metric_row row = kernel_row(k);
        fprintf(file, "<tr><td><a href=\"#kernel-%zu\" title=\"", i);
        sl_html_text(file, k->symbol);
        fputs("\">", file);
        sl_html_text(file, k->name);
        fputs("</a></td>", file);
        sl_html_cell_count(file, k->launches);
        if (has_bars(page)) {
            fputs("<td>", file);
            sl_metrics_bar(file, &k->counts);
            fputs("</td>", file);
        }
        sl_metrics_cells(file, columns, &row, o);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

void sl_section_launches(FILE *file, const sl_page *page)
{
    const sl_profile_options *o = sl_page_profiled(page);
    uint64_t columns = 0;
    size_t shown = page->launches.count < MOST_LAUNCHES ? page->launches.count : MOST_LAUNCHES;
    if (page->launches.count < 2)
        return;
    for (size_t i = 0; i < shown; i++)
        columns |= sl_metrics_of(&(sl_metric_row){&page->launches.items[i].counts, NULL}, o);
    fputs("<section id=launches><h2>Launches</h2>\n", file);
    if (shown < page->launches.count)
        fprintf(file, "<p class=note>The first %zu of %zu; --json has all.</p>\n", shown, page->launches.count);
    sl_html_table(file, "Launches, in the order of the run", "sortable long");
    sl_html_column(file, "#", "counted from 0 over the whole run", true);
    sl_html_column(file, "kernel", NULL, false);
    sl_html_column(file, "grid", "blocks", true);
    sl_html_column(file, "block", "threads of a block", true);
    sl_metrics_columns(file, columns);
    sl_html_table_rows(file);
    for (size_t i = 0; i < shown; i++) {
        const sl_page_launch *l = &page->launches.items[i];
        fputs("<tr>", file);
        sl_html_cell_count(file, l->index);
        fprintf(file, "<td><a href=\"#kernel-%zu\">", l->kernel);
        sl_html_text(file, page->kernels.items[l->kernel].name);
        fprintf(file, "</a>%s</td>", l->failed ? " (failed)" : "");
        sl_html_cell_dims(file, l->grid);
        sl_html_cell_dims(file, l->block);
        sl_metrics_cells(file, columns, &(sl_metric_row){&l->counts, NULL}, o);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    fputs("</section>\n", file);
}

/* ---- one kernel ---- */

static void put_loads(FILE *file, const sl_page *page, size_t kernel)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    uint64_t columns = 0;
    for (uint32_t i = 0; i < k->loads; i++)
        columns |= sl_metrics_of(&(sl_metric_row){&k->load[i].counts, k->load[i].reuse}, sl_page_profiled(page));
    fputs("<h3>Memory instructions</h3>\n", file);
    sl_html_table(file, "Memory instructions, in the order of the program", "sortable loads");
    sl_html_column(file, "PTX", "line of the PTX; of other traces the address", true);
    load_head(file, columns, has_bars(page));
    if (page->input.plan)
        sl_planned_columns(file);
    sl_html_table_rows(file);
    for (uint32_t i = 0; i < k->loads; i++) {
        const sl_inst_name *inst = &k->load[i].inst;
        fputs("<tr>", file);
        sl_html_cell_count(file, inst->ptx_line ? inst->ptx_line : inst->pc);
        load_cells(file, page, kernel, &k->load[i], columns, has_bars(page));
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

static sl_status put_arrays(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    array_sum *sum = calloc(k->loads + 1, sizeof *sum);
    if (!sum)
        return sl_fail_memory(error);
    uint32_t arrays = sum_arrays(k, sum);
    uint64_t columns = 0;
    for (uint32_t i = 0; i < arrays; i++)
        columns |= sl_metrics_of(&(sl_metric_row){&sum[i].counts, sum[i].profiled ? &sum[i].reuse : NULL},
                                 sl_page_profiled(page));
    if (arrays > 1) {
        fputs("<h3>Arrays</h3>\n", file);
        sl_html_table(file, "Arrays, all accesses to each summed", "sortable");
        sl_html_column(file, "array", "the pointer that addresses are made from", false);
        if (has_bars(page))
            sl_html_column(file, "in L1", "hits, late hits and misses by class", false);
        sl_metrics_columns(file, columns);
        sl_html_table_rows(file);
        for (uint32_t i = 0; i < arrays; i++) {
            fputs("<tr>", file);
            sl_html_cell(file, sum[i].name);
            if (has_bars(page)) {
                fputs("<td>", file);
                sl_metrics_bar(file, &sum[i].counts);
                fputs("</td>", file);
            }
            sl_metrics_cells(file, columns, &(sl_metric_row){&sum[i].counts, sum[i].profiled ? &sum[i].reuse : NULL},
                             sl_page_profiled(page));
            fputs("</tr>\n", file);
        }
        sl_html_table_end(file);
    }
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
