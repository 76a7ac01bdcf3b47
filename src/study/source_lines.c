/* SPDX-License-Identifier: MIT */
#include "study/source_lines.h"

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

bool sl_source_is_ptx(const sl_source_text *source)
{
    size_t length = strlen(source->name);
    return length > 4 && !strcmp(source->name + length - 4, ".ptx");
}

uint32_t sl_line_of(const sl_inst_name *inst, const sl_source_text *source)
{
    if (sl_source_is_ptx(source))
        return inst->ptx_line;
    return strcmp(inst->source_file, source->name) ? 0 : inst->source_line;
}

unsigned sl_line_columns_known(const sl_joined *joined, const sl_joined_kernel *k)
{
    unsigned known = 0;
    for (uint32_t i = 0; i < k->loads; i++) {
        const sl_metric_row row = {&k->load[i].counts, k->load[i].reuse,
                                   joined->of.profile ? &joined->of.profile->profiled_as : NULL};
        for (int c = 0; c < SL_LINE_COLUMNS; c++) {
            const sl_fraction f = sl_metric_of(sl_line_columns[c].metric, &row);
            bool cycles = !strcmp(sl_metric_infos[sl_line_columns[c].metric].unit, "cycles");
            known |= f.known && (f.part || !cycles) ? 1u << c : 0;
        }
    }
    return known;
}

bool sl_source_lines_init(sl_source_lines *l, const sl_joined *joined, const sl_joined_kernel *k,
                          const sl_source_text *s, uint32_t from, uint32_t last)
{
    *l = (sl_source_lines){.joined = joined, .kernel = k, .from = from};
    size_t *first = l->first = calloc((size_t)(last - from) + 3, sizeof *l->first);
    l->load = calloc((size_t)k->loads + 1, sizeof *l->load);
    if (!first || !l->load)
        return false;
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t line = sl_line_of(&k->load[i].inst, s);
        if (line >= from && line <= last)
            first[line - from + 2]++;
    }
    for (uint32_t n = 2; n <= last - from + 2; n++)
        first[n] += first[n - 1];
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t line = sl_line_of(&k->load[i].inst, s);
        if (line >= from && line <= last)
            l->load[first[line - from + 1]++] = &k->load[i];
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
    const size_t *of = &l->first[line - l->from];
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
                               profiled ? &l->joined->of.profile->profiled_as : NULL};
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
