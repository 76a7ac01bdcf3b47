/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <inttypes.h>

#include "analysis/load_sums.h"
#include "base/text.h"
#include "report/page_data.h"

/* ---- events ---- */

/* Footprints overlap: they do not add up. Neither do formulas. */
static bool is_event(const sl_page *page, sl_metric m)
{
    if ((int)m < SL_COUNTERS)
        return sl_counts_has(&page->joined.counts, (sl_counter)m) && !sl_counter_is_size((sl_counter)m);
    return page->input.results.profile && m >= SL_METRICS_OF_REUSE && !sl_metric_is_share(m);
}

static void write_costs(FILE *file, const sl_page *page, const sl_counts *counts, const sl_profile_counts *reuse)
{
    const sl_joined_input *in = &page->input.results;
    const sl_metric_row row = {counts, reuse, in->profile ? &in->profile->profiled_as : NULL};
    for (sl_metric m = 0; m < SL_METRICS; m++)
        if (is_event(page, m))
            fprintf(file, " %" PRIu64, (int)m < SL_COUNTERS ? counts->value[m] : sl_metric_of(m, &row).part);
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

/* ---- kernels ---- */

/* Lines in the order of their first instruction. False when memory runs out. */
static bool write_lines(FILE *file, const sl_page *page, const sl_joined_kernel *k, size_t *names)
{
    sl_load_sums lines = {.rows = SL_ROW_PER_LINE};
    bool good = true;
    for (uint32_t i = 0; good && i < k->loads; i++)
        good = sl_load_sums_add(&lines, (sl_load_sum){.inst = &k->load[i].inst}, &k->load[i].counts, k->load[i].reuse);
    for (size_t i = 0; good && i < lines.count; i++) {
        uint32_t line;
        write_name(file, "fi", *names += 1, sl_inst_line(lines.items[i].inst, &line));
        fprintf(file, "%u", line);
        write_costs(file, page, &lines.items[i].counts, &lines.items[i].reuse);
    }
    sl_load_sums_fini(&lines);
    return good;
}

static bool write_kernel(FILE *file, const sl_page *page, size_t number, size_t *names)
{
    const sl_joined_kernel *k = &page->joined.kernels.items[number];
    uint32_t line;
    const char *source = k->loads ? sl_inst_line(&k->load[0].inst, &line) : "unknown";
    const sl_counts rest = sl_joined_rest(k);
    write_name(file, "\nfl", *names += 1, source);
    write_name(file, "fn", number + 1, k->name);
    fputs("0", file);
    write_costs(file, page, &rest, NULL);
    return write_lines(file, page, k, names);
}

sl_status sl_page_callgrind(FILE *file, const sl_page *page, sl_error *error)
{
    size_t names = 0; /* of files, so far */
    fputs("# callgrind format\nversion: 1\ncreator: sluice " SLUICE_VERSION "\ncmd: ", file);
    write_text(file, page->input.subject);
    fputs("positions: line\n", file);
    write_events(file, page);
    for (size_t i = 0; i < page->joined.kernels.count; i++)
        if (!write_kernel(file, page, i, &names))
            return sl_fail_memory(error);
    return sl_text_finish(file, "the profile for KCachegrind", error);
}
