/* SPDX-License-Identifier: MIT */
#include "report/source_lines.h"

#include <stdlib.h>
#include <string.h>

const sl_line_column sl_line_columns[SL_LINE_COLUMNS] = {
    {SL_METRIC_sectors, "sectors", true},
    {SL_METRIC_per_request, "/req", false},
    {SL_METRIC_l1_hit_rate, "L1 hit", false},
    {SL_METRIC_ld_sector_misses, "misses", true},
    {SL_METRIC_wait_cycles, "wait cycles", true},
    {SL_METRIC_l1_stall_cycles, "L1 stalls", true},
    {SL_METRIC_reuse_accesses_without_reuse, "no reuse", false},
};

static bool is_ptx(const sl_source_text *source)
{
    size_t length = strlen(source->name);
    return length > 4 && !strcmp(source->name + length - 4, ".ptx");
}

uint32_t sl_line_of(const sl_inst_name *inst, const sl_source_text *source)
{
    if (is_ptx(source))
        return inst->ptx_line;
    return strcmp(inst->source_file, source->name) ? 0 : inst->source_line;
}

unsigned sl_line_columns_known(const sl_page *page, const sl_page_kernel *k)
{
    unsigned known = 0;
    for (uint32_t i = 0; i < k->loads; i++) {
        const sl_metric_row row = {&k->load[i].counts, k->load[i].reuse,
                                   page->input.profile ? &page->input.profile->profiled_as : NULL};
        for (int c = 0; c < SL_LINE_COLUMNS; c++) {
            const sl_fraction f = sl_metric_of(sl_line_columns[c].metric, &row);
            bool cycles = !strcmp(sl_metric_infos[sl_line_columns[c].metric].unit, "cycles");
            known |= f.known && (f.part || !cycles) ? 1u << c : 0;
        }
    }
    return known;
}

bool sl_source_lines_init(sl_source_lines *l, const sl_page *page, const sl_page_kernel *k, const sl_page_view *v)
{
    const sl_source_text *s = &page->input.source[v->source];
    *l = (sl_source_lines){.page = page, .kernel = k, .view = v};
    size_t *first = l->first = calloc((size_t)(v->last - v->first) + 3, sizeof *l->first);
    l->load = calloc((size_t)k->loads + 1, sizeof *l->load);
    if (!first || !l->load)
        return false;
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t line = sl_line_of(&k->load[i].inst, s);
        if (line >= v->first && line <= v->last)
            first[line - v->first + 2]++;
    }
    for (uint32_t n = 2; n <= v->last - v->first + 2; n++)
        first[n] += first[n - 1];
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t line = sl_line_of(&k->load[i].inst, s);
        if (line >= v->first && line <= v->last)
            l->load[first[line - v->first + 1]++] = &k->load[i];
    }
    return true;
}

void sl_source_lines_fini(sl_source_lines *l)
{
    free(l->first);
    free(l->load);
}

void sl_source_lines_sum(const sl_source_lines *l, uint32_t line, sl_line_sum *sum)
{
    const size_t *of = &l->first[line - l->view->first];
    bool profiled = false;
    *sum = (sl_line_sum){.loads = of[1] - of[0], .load = l->load + of[0]};
    for (size_t i = 0; i < sum->loads; i++) {
        sl_counts_merge(&sum->counts, &sum->load[i]->counts);
        if (!sum->load[i]->reuse)
            continue;
        sl_profile_counts_merge(&sum->reuse, sum->load[i]->reuse);
        profiled = true;
    }
    sum->row = (sl_metric_row){&sum->counts, profiled ? &sum->reuse : NULL,
                               profiled ? &l->page->input.profile->profiled_as : NULL};
}

bool sl_line_value(const sl_source_lines *l, const sl_line_sum *sum, int column, uint64_t *value, double *share)
{
    const sl_metric metric = sl_line_columns[column].metric;
    const sl_metric_row kernel = {.counts = &l->kernel->counts};
    const sl_fraction f = sl_metric_of(metric, &sum->row), all = sl_metric_of(metric, &kernel);
    bool of_loads = metric == SL_METRIC_ld_sector_misses || metric == SL_METRIC_l1_hit_rate;
    if (!sum->loads || !f.known || (of_loads && !sum->counts.value[SL_COUNTER_ld_sectors]) ||
        (!f.part && (metric == SL_METRIC_sectors || metric == SL_METRIC_per_request)))
        return false;
    *value = f.part;
    *share = all.known && all.part && f.whole == 1 ? 100.0 * (double)f.part / (double)all.part : 0;
    return true;
}

uint32_t sl_source_lines_last(const sl_source_lines *l)
{
    uint32_t lines = l->page->lines[l->view->source].lines;
    return l->view->last < lines ? l->view->last : lines;
}

const char *sl_source_line_text(const sl_source_lines *l, uint32_t line, size_t *bytes)
{
    const sl_page_lines *of = &l->page->lines[l->view->source];
    const char *text = of->start[line - 1];
    *bytes = (size_t)(of->start[line] - text);
    while (*bytes && (text[*bytes - 1] == '\n' || text[*bytes - 1] == '\r'))
        --*bytes;
    return text;
}
