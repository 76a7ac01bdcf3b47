/* SPDX-License-Identifier: MIT */
/* The miss-ratio curve of a profile, as a table and as a picture. */
#include <stdlib.h>

#include "report/plot.h"
#include "report/results.h"

enum { MAX_KERNELS = 7 };

void sl_document_miss_ratios(sl_document *d, const sl_result *r)
{
    static const sl_column columns[] = {SL_NUMBERS("cache"), SL_DATA("bytes"), SL_NUMBERS_AS("lines", "lines"),
                                        SL_NUMBERS_AS("misses", "miss_percent")};
    const sl_profile_counts *all = &r->sums.all;
    sl_table *t = sl_document_table(d, "miss_ratios", "miss ratio of a fully associative LRU cache on each core",
                                    SL_FORM_TEXT | SL_FORM_JSON, columns, sizeof columns / sizeof *columns);
    for (unsigned size = 0; t && all->line_accesses && size < sl_profile_miss_ratios(all); size++) {
        uint64_t lines = UINT64_C(1) << size;
        sl_table_bytes(t, lines * r->profiled_as.line_bytes);
        sl_table_exact(t, lines * r->profiled_as.line_bytes);
        sl_table_exact(t, lines);
        sl_table_number(t, sl_profile_miss_ratio(all, size), 2, "%");
    }
}

/* ---- the picture ---- */

static sl_plot_series series_of(const char *name, unsigned color, const sl_profile_counts *c, uint64_t line_bytes,
                                unsigned sizes, sl_plot_dot *dot)
{
    for (unsigned size = 0; size < sizes; size++)
        dot[size] =
            (sl_plot_dot){.x = (double)((UINT64_C(1) << size) * line_bytes), .y = sl_profile_miss_ratio(c, size)};
    return (sl_plot_series){.name = name, .color = color, .line = true, .dots = color == 0, .count = sizes, .dot = dot};
}

sl_status sl_miss_ratios_svg(FILE *file, const void *of, sl_error *error)
{
    const sl_result *r = of;
    const sl_profile_sum *chosen[MAX_KERNELS];
    sl_plot_series series[MAX_KERNELS + 2];
    char note[160], full[SL_HUMAN_BYTES], size[SL_HUMAN_BYTES];
    const sl_profile_counts *all = &r->sums.all;
    unsigned sizes = sl_profile_miss_ratios(all);
    size_t kernels = sl_profile_sums_largest(&r->sums, chosen, MAX_KERNELS), count = 0;
    sl_plot_dot *dot = calloc((size_t)sizes * (MAX_KERNELS + 1), sizeof *dot);
    if (!dot)
        return sl_fail_memory(error);
    if (all->line_accesses)
        series[count++] = series_of(kernels ? "all kernels" : NULL, 0, all, r->profiled_as.line_bytes, sizes, dot);
    for (size_t k = 0; k < kernels; k++)
        series[count++] = series_of(chosen[k]->kernel->name, (unsigned)k + 1, &chosen[k]->total,
                                    r->profiled_as.line_bytes, sizes, dot + sizes * (k + 1));
    sl_plot_dot mark[2] = {{.x = (double)r->profiled_as.cache_bytes, .y = 0},
                           {.x = (double)r->profiled_as.cache_bytes, .y = 100}};
    snprintf(full, sizeof full, "cache: %s", sl_tick_bytes((double)r->profiled_as.cache_bytes, size));
    if (r->profiled_as.cache_bytes)
        series[count++] = (sl_plot_series){.color = 7, .line = true, .thin = true, .at = full, .count = 2, .dot = mark};
    snprintf(note, sizeof note, "fully associative, LRU, lines of %u bytes, %u core%s", r->profiled_as.line_bytes,
             r->profiled_as.cores, r->profiled_as.cores == 1 ? "" : "s");
    sl_plot chart = {.title = "Miss ratio by cache size",
                     .note = note,
                     .x = {.title = "cache of each core", .scale = SL_PLOT_LOG2, .tick = sl_tick_bytes},
                     .y = {.title = "accesses to lines that miss", .max = 100, .tick = sl_tick_percent},
                     .count = count,
                     .series = series};
    sl_plot_fit(&chart, true, false, &chart.x);
    sl_status status = sl_plots_svg(file, &chart, 1, error);
    free(dot);
    return status;
}
