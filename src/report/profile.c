/* SPDX-License-Identifier: MIT */
/* Profiles for people: a row per launch, or per kernel where there are many; then, per kernel, its histograms, its
 * footprint over time and its memory instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/load_sums.h"
#include "base/text.h"
#include "report/results.h"
#include "report/table.h"

enum { MAX_LAUNCH_LINES = 40, MAX_KERNELS = 8, MAX_LOADS = 10, BAR = 16 };

static const sl_metric_list reuse = SL_METRIC_LIST(SL_METRIC_reuse_line_accesses, SL_METRIC_reuse_coalescing_efficiency,
                                                   SL_METRIC_reuse_accesses_without_reuse,
                                                   SL_METRIC_reuse_cache_hit_rate, SL_METRIC_reuse_zero_reuse_rate);

static void reuse_cells(sl_table *t, const sl_profile_counts *c, const sl_profile_options *o)
{
    sl_table_metrics(t, &reuse, &(sl_metric_row){.reuse = c, .options = o});
}

/* A share and its bar, which is as long as the longest for `max`. */
static void cell_bar(sl_table *t, uint64_t part, uint64_t whole, uint64_t max)
{
    char bar[SL_BAR_BYTES];
    sl_table_share(t, part, whole);
    sl_table_cell(t, max ? sl_bar((double)part / (double)max, BAR, bar) : NULL);
}

/* ---- launches and kernels ---- */

static void add_launches(sl_document *d, const sl_result *r)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel"), SL_NUMBERS("grid"), SL_NUMBERS("block")};
    static const sl_column last[] = {SL_NUMBERS("footprint")};
    sl_table *t = sl_document_add(d, NULL, NULL, SL_FORM_TEXT, sl_metric_table(first, 4, &reuse, last, 1));
    for (size_t i = 0; i < r->launches; i++) {
        const sl_profile *p = &r->profile[i];
        sl_table_exact(t, p->launch->index);
        sl_table_cellf(t, "%s%s", p->kernel->name, p->launch->failed ? " (failed)" : "");
        sl_table_dims(t, p->launch->grid);
        sl_table_dims(t, p->launch->block);
        if (p->launch->failed) {
            sl_table_metrics(t, &reuse, NULL);
            sl_table_none(t);
        } else {
            reuse_cells(t, &p->total, &r->profiled_as);
            sl_table_bytes(t, p->footprint_lines * r->profiled_as.line_bytes);
        }
    }
}

static void add_failures(sl_document *d, const sl_result *r)
{
    bool any = false;
    for (size_t i = 0; i < r->launches; i++) {
        const sl_trace_launch *l = r->profile[i].launch;
        if (l->failed)
            sl_document_line(d, "%slaunch %" PRIu64 " failed: %s\n", any ? "" : "\n", l->index,
                             l->failure && *l->failure ? l->failure : "reason not recorded");
        any |= l->failed;
    }
}

static void add_kernels(sl_document *d, const sl_result *r)
{
    static const sl_column first[] = {SL_NAMES("kernel"), SL_NUMBERS("launches")};
    sl_table *t = sl_document_add(d, NULL, NULL, SL_FORM_TEXT, sl_metric_table(first, 2, &reuse, NULL, 0));
    for (size_t k = 0; k < r->sums.kernels; k++) {
        sl_table_cell(t, r->sums.kernel[k].kernel->name);
        sl_table_count(t, r->sums.kernel[k].launches);
        reuse_cells(t, &r->sums.kernel[k].total, &r->profiled_as);
    }
}

/* ---- histograms ---- */

static uint64_t largest(const sl_distances *d)
{
    uint64_t max = d->never;
    for (unsigned i = 0; i < SL_DISTANCE_BINS; i++)
        max = d->bin[i] > max ? d->bin[i] : max;
    return max;
}

static unsigned bins_used(const uint64_t *bin, unsigned bins)
{
    while (bins && !bin[bins - 1])
        bins--;
    return bins;
}

static void cell_range(sl_table *t, uint64_t min, uint64_t max)
{
    char from[SL_HUMAN_BYTES], to[SL_HUMAN_BYTES];
    if (min == max)
        sl_table_cellf(t, "  %s", sl_human_count(min, from));
    else
        sl_table_cellf(t, "  %s-%s", sl_human_count(min, from), sl_human_count(max, to));
}

static void distance_row(sl_table *t, const sl_profile_counts *c, uint64_t lines, uint64_t sectors, uint64_t gaps)
{
    cell_bar(t, lines, c->line_accesses, largest(&c->line_distance));
    cell_bar(t, sectors, c->sector_accesses, largest(&c->sector_distance));
    sl_table_share(t, gaps, c->line_accesses);
}

static void add_distances(sl_document *d, const sl_profile_counts *c)
{
    static const sl_column columns[] = {SL_TEXTS("  reuse distance"), SL_NUMBERS("lines"), SL_TEXTS(""),
                                        SL_NUMBERS("sectors"),        SL_TEXTS(""),        SL_NUMBERS("gap")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    unsigned bins = bins_used(c->line_distance.bin, SL_DISTANCE_BINS);
    unsigned sector_bins = bins_used(c->sector_distance.bin, SL_DISTANCE_BINS);
    unsigned gap_bins = bins_used(c->line_gap.bin, SL_DISTANCE_BINS);
    bins = bins > sector_bins ? bins : sector_bins;
    bins = bins > gap_bins ? bins : gap_bins;
    sl_table_cell(t, "  first access");
    distance_row(t, c, c->line_distance.never, c->sector_distance.never, c->line_gap.never);
    for (unsigned i = 0; i < bins; i++) {
        cell_range(t, sl_distance_min(i), sl_distance_max(i));
        distance_row(t, c, c->line_distance.bin[i], c->sector_distance.bin[i], c->line_gap.bin[i]);
    }
}

static void add_reuses(sl_document *d, const sl_profile_counts *c)
{
    static const sl_column columns[] = {SL_TEXTS("  reuses"), SL_NUMBERS("lines"), SL_TEXTS("")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, 3);
    uint64_t max = 0;
    unsigned bins = bins_used(c->line_reuses, SL_REUSE_BINS);
    for (unsigned i = 0; i < bins; i++)
        max = c->line_reuses[i] > max ? c->line_reuses[i] : max;
    for (unsigned i = 0; i < bins; i++) {
        cell_range(t, sl_reuse_min(i), sl_reuse_max(i));
        cell_bar(t, c->line_reuses[i], c->lines, max);
    }
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_fills(sl_document *d, const sl_profile_counts *c, const sl_profile_options *o)
{
    char text[SL_HUMAN_BYTES];
    uint64_t once = sl_profile_once(c);
    sl_document_line(d, "\n  LRU, %s: %.1f%% of accesses hit; %.1f%% of fills are evicted without a hit:\n",
                     sl_human_bytes(o->cache_bytes, text), percent(c->line_accesses - c->fills, c->line_accesses),
                     percent(once + c->evicted_before_reuse, c->fills));
    sl_document_line(d, "    %.1f%% are never accessed again, %.1f%% are accessed only before or after\n",
                     percent(once, c->fills), percent(c->evicted_before_reuse, c->fills));
}

/* ---- footprint over time ---- */

static void add_sparks(sl_document *d, const sl_profile *p, bool so_far, uint64_t max)
{
    char chart[SL_BAR_BYTES * 8] = "";
    size_t used = 0;
    uint64_t sum = 0;
    for (uint32_t w = 0; w < p->windows && used + 4 < sizeof chart; w++) {
        sum += p->window[w].new_lines;
        used +=
            (size_t)snprintf(chart + used, sizeof chart - used, "%s", sl_spark(so_far ? sum : p->window[w].lines, max));
    }
    sl_document_line(d, "    %-20s %s", so_far ? "lines so far" : "lines in the window", chart);
}

static void add_footprint(sl_document *d, const sl_profile *p, const sl_profile_options *o)
{
    char count[SL_HUMAN_BYTES], bytes[SL_HUMAN_BYTES];
    uint64_t max = 0, all = 0;
    if (!p->windows)
        return;
    for (uint32_t w = 0; w < p->windows; w++) {
        max = p->window[w].lines > max ? p->window[w].lines : max;
        all += p->window[w].new_lines;
    }
    uint64_t mean = max / p->cores, mean_all = all / p->cores;
    sl_document_line(d, "\n  footprint of a core over launch %" PRIu64 ", by windows of %s accesses:\n",
                     p->launch->index, sl_human_count(p->window_accesses, count));
    add_sparks(d, p, false, max);
    sl_document_line(d, "  max %s (%s)\n", sl_human_count(mean, count), sl_human_bytes(mean * o->line_bytes, bytes));
    add_sparks(d, p, true, all);
    sl_document_line(d, "  all %s (%s)\n", sl_human_count(mean_all, count),
                     sl_human_bytes(mean_all * o->line_bytes, bytes));
}

/* ---- memory instructions ---- */

static void add_loads(sl_document *d, const sl_profile_sum *sum, const sl_profile_options *o)
{
    static const sl_column first[] = {SL_NAMES("location"), SL_NAMES("instruction"), SL_NAMES("array")};
    sl_inst_name *name = calloc(sum->loads + 1, sizeof *name);
    sl_load_sums loads = {.rows = SL_ROW_PER_LOCATION};
    bool good = name;
    for (uint32_t i = 0; good && i < sum->loads; i++)
        name[i] = sl_inst_named(sum->kernel, sum->load[i].slot, sum->kernel->strings, sum->kernel->call);
    good = good && sl_insts_distinguish(name, sum->loads);
    for (uint32_t i = 0; good && i < sum->loads; i++)
        good = sl_load_sums_add(&loads, (sl_load_sum){.inst = &name[i]}, NULL, &sum->load[i].counts);
    sl_load_sums_sort(&loads, SL_METRIC_reuse_line_accesses);
    sl_table *t =
        sl_document_add(d, NULL, NULL, SL_FORM_TEXT, good ? sl_metric_table(first, 3, &reuse, NULL, 0) : NULL);
    for (size_t i = 0; i < loads.count && i < MAX_LOADS; i++) {
        sl_inst_cells(t, loads.items[i].inst, loads.items[i].copies, true);
        reuse_cells(t, &loads.items[i].reuse, o);
    }
    sl_load_sums_fini(&loads);
    free(name);
}

/* ---- all of it ---- */

static void add_kernel(sl_document *d, const sl_profile_sum *sum, const sl_profile_options *o)
{
    char lines[SL_HUMAN_BYTES], sectors[SL_HUMAN_BYTES];
    if (!sum->longest) /* all of its launches failed */
        return;
    sl_document_line(d, "\n%s: %s line accesses, %s sector accesses\n", sum->kernel->name,
                     sl_human_count(sum->total.line_accesses, lines),
                     sl_human_count(sum->total.sector_accesses, sectors));
    if (!sum->total.line_accesses)
        return;
    add_distances(d, &sum->total);
    sl_document_line(d, "\n");
    add_reuses(d, &sum->total);
    add_fills(d, &sum->total, o);
    add_footprint(d, sum->longest, o);
    sl_document_line(d, "\n");
    add_loads(d, sum, o);
}

static void add_legend(sl_document *d, const sl_profile_options *o)
{
    char cache[SL_HUMAN_BYTES];
    sl_document_line(d, "\n");
    for (size_t i = 0; i < reuse.count; i++)
        sl_document_line(d, "%-13s %s\n", sl_metric_infos[reuse.metric[i]].heading,
                         sl_metric_infos[reuse.metric[i]].description);
    sl_document_line(d, "%-13s %s\n", "gap", "accesses between two accesses to a line, to any line");
    sl_document_line(d, "--cache is %s: %" PRIu64 " lines\n", sl_human_bytes(o->cache_bytes, cache),
                     o->cache_bytes / o->line_bytes);
}

void sl_document_profile(sl_document *d, const sl_result *r)
{
    const sl_profile_options *o = &r->profiled_as;
    bool many = r->launches > MAX_LAUNCH_LINES;
    sl_document_profile_data(d, r);
    if (!r->launches) {
        sl_document_line(d, "no launch to profile\n");
        return;
    }
    sl_document_line(d, "%u %s, %u %s each at a time; lines of %u B, sectors of %u B%s\n\n", o->cores,
                     o->cores == 1 ? "core" : "cores", o->blocks_per_core, o->blocks_per_core == 1 ? "block" : "blocks",
                     o->line_bytes, o->sector_bytes, o->loads_only ? "; loads only" : "");
    (many ? add_kernels : add_launches)(d, r);
    add_failures(d, r);
    for (size_t k = 0; k < r->sums.kernels && k < MAX_KERNELS; k++)
        add_kernel(d, &r->sums.kernel[k], o);
    if (r->sums.kernels > MAX_KERNELS)
        sl_document_line(d, "\n(%zu more kernels; --json and --csv show all)\n", r->sums.kernels - MAX_KERNELS);
    sl_document_miss_ratios(d, r);
    if (many)
        sl_document_line(d, "\n%u launches, summed by kernel; --json and --csv show each\n", r->launches);
    add_legend(d, o);
}
