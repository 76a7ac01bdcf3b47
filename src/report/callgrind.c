/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/metrics.h"
#include "report/page_data.h"

/* ---- events ---- */

/* Counters, then what the profile counts. */
typedef struct costs {
    uint64_t of[SL_METRICS];
} costs;

static void add_reuse(costs *to, const sl_profile_counts *c, const sl_profile_options *o)
{
    const sl_metric_row row = {.reuse = c, .options = o};
    for (sl_metric m = SL_METRICS_OF_REUSE; m < SL_METRICS; m++)
        to->of[m] += sl_metric_of(m, &row).part;
}

static void add_counts(costs *to, const sl_counts *counts)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        to->of[i] += counts->value[i];
}

/* Footprints overlap: they do not add up. Neither do formulas. */
static bool is_event(const sl_page *page, sl_metric m)
{
    if ((int)m < SL_COUNTERS)
        return sl_counts_has(&page->counts, (sl_counter)m) && !sl_counter_is_size((sl_counter)m);
    return page->input.profile && m >= SL_METRICS_OF_REUSE && !sl_metric_is_share(m);
}

static void write_costs(FILE *file, const sl_page *page, const costs *c)
{
    for (sl_metric m = 0; m < SL_METRICS; m++)
        if (is_event(page, m))
            fprintf(file, " %" PRIu64, c->of[m]);
    fputc('\n', file);
}

static void write_events(FILE *file, const sl_page *page)
{
    for (sl_metric m = 0; m < SL_METRICS; m++)
        if (is_event(page, m))
            fprintf(file, "event: %s : %s\n", sl_metric_infos[m].name, sl_metric_infos[m].description);
    fputs("events:", file);
    for (sl_metric m = 0; m < SL_METRICS; m++)
        if (is_event(page, m))
            fprintf(file, " %s", sl_metric_infos[m].name);
    fputc('\n', file);
}

/* ---- names ---- */

/* A name ends with its line. */
static void write_text(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, file);
    fputc('\n', file);
}

/* Always with a number, so that no name can look like one. */
static void write_name(FILE *file, const char *key, size_t number, const char *name)
{
    fprintf(file, "%s=(%zu) ", key, number);
    write_text(file, name);
}

/* The location of an instruction: a source line, else a PTX line, else an address. */
static const char *file_of(const sl_inst_name *inst)
{
    if (inst->source_line)
        return *inst->source_file ? inst->source_file : "unknown";
    return inst->ptx_line ? "PTX" : "addresses";
}

static uint32_t line_of(const sl_inst_name *inst)
{
    return inst->source_line ? inst->source_line : inst->ptx_line ? inst->ptx_line : inst->pc;
}

/* ---- kernels ---- */

/* Where an instruction is, to bring those of one line together. */
typedef struct located {
    const char *file;
    uint32_t line, load;
} located;

static bool same_line(const located *a, const located *b)
{
    return a->line == b->line && !strcmp(a->file, b->file);
}

static int by_line(const void *left, const void *right)
{
    const located *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    int order = strcmp(a->file, b->file);
    return order ? order : (a->load > b->load) - (a->load < b->load);
}

/* Costs of the line that starts at `at` of the sorted ones. */
static costs costs_of(const sl_page *page, const sl_page_kernel *k, const located *sorted, uint32_t at)
{
    costs sum = {0};
    for (uint32_t i = at; i < k->loads && same_line(&sorted[i], &sorted[at]); i++) {
        const sl_page_load *load = &k->load[sorted[i].load];
        add_counts(&sum, &load->counts);
        if (load->reuse)
            add_reuse(&sum, load->reuse, &page->input.profile->profiled_as);
    }
    return sum;
}

/* Lines in the order of their first instruction. False when memory runs out. */
static bool write_lines(FILE *file, const sl_page *page, const sl_page_kernel *k, size_t *names)
{
    located *sorted = calloc((size_t)k->loads + 1, sizeof *sorted);
    uint32_t *start = calloc((size_t)k->loads + 1, sizeof *start); /* of an instruction that is the first of its line:
                                                                      where that starts, + 1 */
    bool good = sorted && start;
    for (uint32_t i = 0; good && i < k->loads; i++)
        sorted[i] = (located){file_of(&k->load[i].inst), line_of(&k->load[i].inst), i};
    if (good)
        qsort(sorted, k->loads, sizeof *sorted, by_line);
    for (uint32_t i = 0; good && i < k->loads; i++)
        if (!i || !same_line(&sorted[i - 1], &sorted[i]))
            start[sorted[i].load] = i + 1;
    for (uint32_t i = 0; good && i < k->loads; i++) {
        if (!start[i])
            continue;
        costs line = costs_of(page, k, sorted, start[i] - 1);
        write_name(file, "fi", *names += 1, file_of(&k->load[i].inst));
        fprintf(file, "%u", line_of(&k->load[i].inst));
        write_costs(file, page, &line);
    }
    free(sorted);
    free(start);
    return good;
}

/* The kernel's sums minus those of its lines. */
static costs rest_of(const sl_page_kernel *k)
{
    costs all = {0}, lines = {0};
    add_counts(&all, &k->counts);
    for (uint32_t i = 0; i < k->loads; i++)
        add_counts(&lines, &k->load[i].counts);
    for (int i = 0; i < SL_COUNTERS; i++)
        all.of[i] -= lines.of[i] < all.of[i] ? lines.of[i] : all.of[i];
    return all;
}

static bool write_kernel(FILE *file, const sl_page *page, size_t number, size_t *names)
{
    const sl_page_kernel *k = &page->kernels.items[number];
    const char *source = k->loads ? file_of(&k->load[0].inst) : "unknown";
    costs rest = rest_of(k);
    write_name(file, "\nfl", *names += 1, source);
    write_name(file, "fn", number + 1, k->name);
    fputs("0", file);
    write_costs(file, page, &rest);
    return write_lines(file, page, k, names);
}

sl_status sl_page_callgrind(FILE *file, const sl_page *page, sl_error *error)
{
    size_t names = 0; /* of files, so far */
    fputs("# callgrind format\nversion: 1\ncreator: sluice " SLUICE_VERSION "\ncmd: ", file);
    write_text(file, page->input.subject);
    fputs("positions: line\n", file);
    write_events(file, page);
    for (size_t i = 0; i < page->kernels.count; i++)
        if (!write_kernel(file, page, i, &names))
            return sl_fail_memory(error);
    return sl_text_finish(file, "the profile for KCachegrind", error);
}
