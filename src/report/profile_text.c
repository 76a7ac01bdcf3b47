/* SPDX-License-Identifier: MIT */
/* Profiles as tables and charts for terminals: a row per launch, or per kernel where there are many; then, per kernel,
 * its histograms, its footprint over time and its memory instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/bars.h"
#include "report/launch_tables.h"
#include "report/load_sums.h"
#include "report/profile.h"

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
    sl_table_cell(t, max ? sl_bar((double)part / (double)max, BAR, bar) : "");
}

/* ---- launches and kernels ---- */

static sl_status print_launches(FILE *file, const sl_profile_report *r, size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel"), SL_NUMBERS("grid"), SL_NUMBERS("block")};
    static const sl_column last[] = {SL_NUMBERS("footprint")};
    sl_table *t = sl_metric_table(first, 4, &reuse, last, 1);
    for (size_t i = 0; i < r->result->launches; i++) {
        const sl_profile *p = &r->result->profile[i];
        char text[SL_HUMAN_BYTES];
        sl_table_cellf(t, "%" PRIu64, p->launch->index);
        sl_table_cellf(t, "%s%s", p->kernel->name, p->launch->failed ? " (failed)" : "");
        sl_table_dims(t, p->launch->grid);
        sl_table_dims(t, p->launch->block);
        if (p->launch->failed)
            sl_table_metrics(t, &reuse, NULL);
        else
            reuse_cells(t, &p->total, &r->result->profiled_as);
        sl_table_cell(
            t, p->launch->failed ? "" : sl_human_bytes(p->footprint_lines * r->result->profiled_as.line_bytes, text));
    }
    return sl_table_finish(t, file, width, error);
}

static void print_failures(FILE *file, const sl_profile_report *r)
{
    bool any = false;
    for (size_t i = 0; i < r->result->launches; i++) {
        const sl_trace_launch *l = r->result->profile[i].launch;
        if (l->failed)
            fprintf(file, "%slaunch %" PRIu64 " failed: %s\n", any ? "" : "\n", l->index,
                    l->failure && *l->failure ? l->failure : "reason not recorded");
        any |= l->failed;
    }
}

static sl_status print_kernels(FILE *file, const sl_profile_report *r, size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("kernel"), SL_NUMBERS("launches")};
    sl_table *t = sl_metric_table(first, 2, &reuse, NULL, 0);
    for (size_t k = 0; k < r->result->sums.kernels; k++) {
        sl_table_cell(t, r->result->sums.kernel[k].kernel->name);
        sl_table_count(t, r->result->sums.kernel[k].launches);
        reuse_cells(t, &r->result->sums.kernel[k].total, &r->result->profiled_as);
    }
    return sl_table_finish(t, file, width, error);
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

static sl_status print_distances(FILE *file, const sl_profile_counts *c, size_t width, sl_error *error)
{
    static const sl_column columns[] = {
        {"  reuse distance", false, false}, {"lines", true, false}, {"", false, false},
        {"sectors", true, false},           {"", false, false},     {"gap", true, false}};
    sl_table *t = SL_TABLE(columns);
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
    return sl_table_finish(t, file, width, error);
}

static sl_status print_reuses(FILE *file, const sl_profile_counts *c, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"  reuses", false, false}, {"lines", true, false}, {"", false, false}};
    sl_table *t = SL_TABLE(columns);
    uint64_t max = 0;
    unsigned bins = bins_used(c->line_reuses, SL_REUSE_BINS);
    for (unsigned i = 0; i < bins; i++)
        max = c->line_reuses[i] > max ? c->line_reuses[i] : max;
    for (unsigned i = 0; i < bins; i++) {
        cell_range(t, sl_reuse_min(i), sl_reuse_max(i));
        cell_bar(t, c->line_reuses[i], c->lines, max);
    }
    return sl_table_finish(t, file, width, error);
}

static void print_share(FILE *file, const char *before, uint64_t part, uint64_t whole, const char *after)
{
    char text[SL_HUMAN_BYTES];
    fprintf(file, "%s%s%%%s", before, sl_human_ratio(whole ? 100.0 * (double)part / (double)whole : 0, 1, text), after);
}

static void print_fills(FILE *file, const sl_profile_counts *c, const sl_profile_options *o)
{
    char text[SL_HUMAN_BYTES];
    uint64_t once = sl_profile_once(c);
    fprintf(file, "  LRU, %s: ", sl_human_bytes(o->cache_bytes, text));
    print_share(file, "", c->line_accesses - c->fills, c->line_accesses, " of accesses hit; ");
    print_share(file, "", once + c->evicted_before_reuse, c->fills, " of fills are evicted without a hit:\n");
    print_share(file, "    ", once, c->fills, " are never accessed again, ");
    print_share(file, "", c->evicted_before_reuse, c->fills, " are accessed only before or after\n");
}

/* ---- footprint over time ---- */

static void print_footprint(FILE *file, const sl_profile *p, const sl_profile_options *o)
{
    char count[SL_HUMAN_BYTES], bytes[SL_HUMAN_BYTES];
    uint64_t max = 0, all = 0, so_far = 0;
    if (!p->windows)
        return;
    for (uint32_t w = 0; w < p->windows; w++) {
        max = p->window[w].lines > max ? p->window[w].lines : max;
        all += p->window[w].new_lines;
    }
    fprintf(file, "  footprint of a core over launch %" PRIu64 ", by windows of %s accesses:\n", p->launch->index,
            sl_human_count(p->window_accesses, count));
    fputs("    lines in the window  ", file);
    for (uint32_t w = 0; w < p->windows; w++)
        fputs(sl_spark(p->window[w].lines, max), file);
    uint64_t mean = max / p->cores, mean_all = all / p->cores;
    fprintf(file, "  max %s (%s)\n", sl_human_count(mean, count), sl_human_bytes(mean * o->line_bytes, bytes));
    fputs("    lines so far         ", file);
    for (uint32_t w = 0; w < p->windows; w++)
        fputs(sl_spark(so_far += p->window[w].new_lines, all), file);
    fprintf(file, "  all %s (%s)\n", sl_human_count(mean_all, count), sl_human_bytes(mean_all * o->line_bytes, bytes));
}

/* ---- memory instructions ---- */

static sl_status print_loads(FILE *file, const sl_profile_sum *sum, const sl_profile_options *o, size_t width,
                             sl_error *error)
{
    static const sl_column first[] = {SL_NAMES("location"), SL_NAMES("instruction"), SL_NAMES("array")};
    sl_inst_name *name = calloc(sum->loads + 1, sizeof *name);
    sl_load_sums loads = {.rows = SL_ROW_PER_LOCATION};
    bool good = name;
    for (uint32_t i = 0; good && i < sum->loads; i++)
        name[i] = sl_inst_named(sum->kernel, sum->load[i].slot, sum->kernel->strings);
    good = good && sl_insts_tell_apart(name, sum->loads);
    for (uint32_t i = 0; good && i < sum->loads; i++)
        good = sl_load_sums_add(&loads, (sl_load_sum){.inst = &name[i]}, NULL, &sum->load[i].counts);
    sl_load_sums_sort(&loads, SL_METRIC_reuse_line_accesses);
    sl_table *t = good ? sl_metric_table(first, 3, &reuse, NULL, 0) : NULL;
    for (size_t i = 0; i < loads.count && i < MAX_LOADS; i++) {
        sl_inst_cells(t, loads.items[i].inst, loads.items[i].copies, true);
        reuse_cells(t, &loads.items[i].reuse, o);
    }
    sl_load_sums_fini(&loads);
    free(name);
    return sl_table_finish(t, file, width, error);
}

/* ---- all of it ---- */

static sl_status print_kernel(FILE *file, const sl_profile_sum *sum, const sl_profile_options *o, size_t width,
                              sl_error *error)
{
    char count[SL_HUMAN_BYTES];
    if (!sum->longest) /* all of its launches failed */
        return SL_OK;
    fprintf(file, "\n%s: %s line accesses", sum->kernel->name, sl_human_count(sum->total.line_accesses, count));
    fprintf(file, ", %s sector accesses\n", sl_human_count(sum->total.sector_accesses, count));
    if (!sum->total.line_accesses)
        return SL_OK;
    sl_status status = print_distances(file, &sum->total, width, error);
    fputc('\n', file);
    if (!status)
        status = print_reuses(file, &sum->total, width, error);
    fputc('\n', file);
    print_fills(file, &sum->total, o);
    fputc('\n', file);
    print_footprint(file, sum->longest, o);
    fputc('\n', file);
    return status ? status : print_loads(file, sum, o, width, error);
}

static void print_head(FILE *file, const sl_profile_options *o)
{
    fprintf(file, "%u %s, %u %s each at a time; lines of %u B, sectors of %u B%s\n\n", o->cores,
            o->cores == 1 ? "core" : "cores", o->blocks_per_core, o->blocks_per_core == 1 ? "block" : "blocks",
            o->line_bytes, o->sector_bytes, o->loads_only ? "; loads only" : "");
}

static void print_legend(FILE *file, const sl_profile_options *o)
{
    char cache[SL_HUMAN_BYTES];
    fputc('\n', file);
    for (size_t i = 0; i < reuse.count; i++)
        fprintf(file, "%-13s %s\n", sl_metric_infos[reuse.metric[i]].heading,
                sl_metric_infos[reuse.metric[i]].description);
    fprintf(file, "%-13s %s\n", "gap", "accesses between two accesses to a line, to any line");
    fprintf(file, "--cache is %s: %" PRIu64 " lines\n", sl_human_bytes(o->cache_bytes, cache),
            o->cache_bytes / o->line_bytes);
}

sl_status sl_profile_report_text(FILE *file, const sl_profile_report *r, size_t width, sl_error *error)
{
    if (!r->result->launches) {
        fputs("no launch to profile\n", file);
        return SL_OK;
    }
    print_head(file, &r->result->profiled_as);
    bool many = r->result->launches > MAX_LAUNCH_LINES;
    sl_status status = many ? print_kernels(file, r, width, error) : print_launches(file, r, width, error);
    print_failures(file, r);
    for (size_t k = 0; k < r->result->sums.kernels && k < MAX_KERNELS && !status; k++)
        status = print_kernel(file, &r->result->sums.kernel[k], &r->result->profiled_as, width, error);
    if (!status && r->result->sums.kernels > MAX_KERNELS)
        fprintf(file, "\n(%zu more kernels; --json and --csv show all)\n", r->result->sums.kernels - MAX_KERNELS);
    if (!status && many)
        fprintf(file, "\n%u launches, summed by kernel; --json and --csv show each\n", r->result->launches);
    if (!status)
        print_legend(file, &r->result->profiled_as);
    return status;
}
