/* SPDX-License-Identifier: MIT */
#include "page/callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "page/data.h"

/* ---- events ---- */

/* Counters first, then what the profile counts. */
typedef enum reuse_event {
#define SL_COUNT(name, value) REUSE_##name,
#define SL_SHARE(name, part, whole)
#include "report/profile_measures.def"
#undef SL_COUNT
#undef SL_SHARE
    REUSE_EVENTS
} reuse_event;

static const char *const reuse_names[REUSE_EVENTS] = {
#define SL_COUNT(name, value) #name,
#define SL_SHARE(name, part, whole)
#include "report/profile_measures.def"
#undef SL_COUNT
#undef SL_SHARE
};

typedef struct costs {
    uint64_t counter[SL_COUNTERS], reuse[REUSE_EVENTS];
} costs;

static void add_reuse(costs *to, const sl_profile_counts *c, const sl_profile_options *o)
{
#define SL_COUNT(name, value) to->reuse[REUSE_##name] += value;
#define SL_SHARE(name, part, whole)
#include "report/profile_measures.def"
#undef SL_COUNT
#undef SL_SHARE
}

static void add_counts(costs *to, const sl_counts *counts)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        to->counter[i] += counts->value[i];
}

/* Footprints overlap: they do not add up. */
static bool is_event(const sl_page *page, int counter)
{
    return sl_counts_has(&page->counts, (sl_counter)counter) && counter != SL_COUNTER_footprint_bytes;
}

static void put_costs(FILE *file, const sl_page *page, const costs *c)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (is_event(page, i))
            fprintf(file, " %" PRIu64, c->counter[i]);
    for (int i = 0; page->input.profile && i < REUSE_EVENTS; i++)
        fprintf(file, " %" PRIu64, c->reuse[i]);
    fputc('\n', file);
}

static void put_events(FILE *file, const sl_page *page)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (is_event(page, i))
            fprintf(file, "event: %s : %s\n", sl_counter_infos[i].name, sl_counter_infos[i].meaning);
    fputs("events:", file);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (is_event(page, i))
            fprintf(file, " %s", sl_counter_infos[i].name);
    for (int i = 0; page->input.profile && i < REUSE_EVENTS; i++)
        fprintf(file, " %s", reuse_names[i]);
    fputc('\n', file);
}

/* ---- names ---- */

/* A name ends with its line. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, file);
    fputc('\n', file);
}

/* Always with a number, so that no name can look like one. */
static void put_name(FILE *file, const char *key, size_t number, const char *name)
{
    fprintf(file, "%s=(%zu) ", key, number);
    put_text(file, name);
}

/* Where an instruction stands: a source line, else a line of the PTX, else an address. */
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

static bool same_line(const sl_inst_name *a, const sl_inst_name *b)
{
    return line_of(a) == line_of(b) && !strcmp(file_of(a), file_of(b));
}

static bool is_first(const sl_page_kernel *k, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (same_line(&k->load[i].inst, &k->load[at].inst))
            return false;
    return true;
}

static costs costs_of(const sl_page *page, const sl_page_kernel *k, uint32_t at)
{
    costs sum = {0};
    for (uint32_t i = at; i < k->loads; i++) {
        if (!same_line(&k->load[i].inst, &k->load[at].inst))
            continue;
        add_counts(&sum, &k->load[i].counts);
        if (k->load[i].reuse)
            add_reuse(&sum, k->load[i].reuse, page->input.profile->options);
    }
    return sum;
}

/* What the lines leave of the kernel's sums. */
static costs rest_of(const sl_page_kernel *k)
{
    costs all = {0}, lines = {0};
    add_counts(&all, &k->counts);
    for (uint32_t i = 0; i < k->loads; i++)
        add_counts(&lines, &k->load[i].counts);
    for (int i = 0; i < SL_COUNTERS; i++)
        all.counter[i] -= lines.counter[i] < all.counter[i] ? lines.counter[i] : all.counter[i];
    return all;
}

static void put_kernel(FILE *file, const sl_page *page, size_t number, size_t *names)
{
    const sl_page_kernel *k = &page->kernels.items[number];
    const char *own = k->loads ? file_of(&k->load[0].inst) : "unknown";
    costs rest = rest_of(k);
    put_name(file, "\nfl", *names += 1, own);
    put_name(file, "fn", number + 1, k->name);
    fputs("0", file);
    put_costs(file, page, &rest);
    for (uint32_t i = 0; i < k->loads; i++) {
        if (!is_first(k, i))
            continue;
        costs line = costs_of(page, k, i);
        put_name(file, "fi", *names += 1, file_of(&k->load[i].inst));
        fprintf(file, "%u", line_of(&k->load[i].inst));
        put_costs(file, page, &line);
    }
}

sl_status sl_page_callgrind(FILE *file, const sl_page *page, sl_error *error)
{
    size_t names = 0; /* of files, so far */
    fputs("# callgrind format\nversion: 1\ncreator: sluice " SLUICE_VERSION "\ncmd: ", file);
    put_text(file, page->input.subject);
    fputs("positions: line\n", file);
    put_events(file, page);
    for (size_t i = 0; i < page->kernels.count; i++)
        put_kernel(file, page, i, &names);
    if (fflush(file) || ferror(file))
        return sl_fail_io(error, "write", "the profile for KCachegrind");
    return SL_OK;
}
