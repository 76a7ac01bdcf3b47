/* SPDX-License-Identifier: MIT */
/* Sources of a kernel, line by line, with what the memory instructions of each line do. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { SHORT_FILE = 300, LINES_BEFORE = 20, LINES_BEHIND = 12, MAX_LINES = 4000 };

static bool is_ptx(const sl_source_text *source)
{
    size_t length = strlen(source->name);
    return length > 4 && !strcmp(source->name + length - 4, ".ptx");
}

static uint32_t line_of(const sl_inst_name *inst, const sl_source_text *source)
{
    if (is_ptx(source))
        return inst->ptx_line;
    return strcmp(inst->source_file, source->name) ? 0 : inst->source_line;
}

/* The start of the line after the one that starts at `at`; NULL: there is none. */
static const char *next_line(const sl_source_text *s, const char *at)
{
    const char *end = memchr(at, '\n', s->bytes - (size_t)(at - s->text));
    return end && end + 1 < s->text + s->bytes ? end + 1 : NULL;
}

static uint32_t count_lines(const sl_source_text *s)
{
    uint32_t lines = 0;
    for (const char *at = s->bytes ? s->text : NULL; at; at = next_line(s, at))
        lines++;
    return lines;
}

/* ---- PTX ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Whether the line declares the kernel: ".entry SYMBOL", with a body or the start of one. */
static bool declares(const char *line, size_t bytes, const char *symbol)
{
    const char *entry = memmem(line, bytes, ".entry", 6);
    if (!entry)
        return false;
    const char *at = entry + 6, *end = line + bytes;
    while (at < end && isspace((unsigned char)*at))
        at++;
    size_t length = strlen(symbol);
    return (size_t)(end - at) >= length && !memcmp(at, symbol, length) && (at + length == end || !is_name(at[length]));
}

/* From the declaration to the brace that closes the body. */
static bool find_body(const sl_source_text *s, const char *symbol, uint32_t *first, uint32_t *last)
{
    uint32_t line = 0;
    int depth = 0;
    *first = 0;
    for (const char *at = s->bytes ? s->text : NULL; at; at = next_line(s, at)) {
        const char *end = next_line(s, at);
        size_t bytes = (size_t)((end ? end : s->text + s->bytes) - at);
        line++;
        if (!*first && !declares(at, bytes, symbol))
            continue;
        if (!*first)
            *first = line;
        for (size_t i = 0; i < bytes; i++) {
            depth += at[i] == '{';
            if (at[i] == '}' && --depth == 0) {
                *last = line;
                return true;
            }
        }
    }
    return false;
}

/* Another version of the PTX has other instructions at these lines. */
static bool fits(const sl_source_text *s, const sl_page_kernel *k)
{
    uint32_t line = 0, seen = 0;
    for (const char *at = s->text; at; at = next_line(s, at)) {
        const char *end = next_line(s, at);
        size_t bytes = (size_t)((end ? end : s->text + s->bytes) - at);
        line++;
        for (uint32_t i = 0; i < k->loads; i++) {
            const sl_inst_name *inst = &k->load[i].inst;
            if (inst->ptx_line != line)
                continue;
            if (!memmem(at, bytes, inst->opcode, strlen(inst->opcode)))
                return false;
            seen++;
        }
    }
    return seen == k->loads;
}

static bool view_ptx(const sl_page_kernel *k, const sl_source_text *s, sl_page_view *v)
{
    v->ptx = true;
    return find_body(s, k->symbol, &v->first, &v->last) && fits(s, k);
}

/* ---- other languages ---- */

/* Short files are shown whole, of others what surrounds the loads. */
static bool view_source(const sl_page_kernel *k, const sl_source_text *s, sl_page_view *v)
{
    uint32_t lines = count_lines(s), first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t line = line_of(&k->load[i].inst, s);
        if (line && line < first)
            first = line;
        if (line > last)
            last = line;
    }
    if (!last || last > lines)
        return false;
    bool whole = lines <= SHORT_FILE;
    v->first = whole || first <= LINES_BEFORE ? 1 : first - LINES_BEFORE;
    v->last = whole || last + LINES_BEHIND > lines ? lines : last + LINES_BEHIND;
    return true;
}

static bool view_of(const sl_page_kernel *k, const sl_source_text *source, size_t number, sl_page_view *v)
{
    *v = (sl_page_view){.source = number};
    if (!k->loads || !(is_ptx(source) ? view_ptx(k, source, v) : view_source(k, source, v)))
        return false;
    if (v->last - v->first >= MAX_LINES)
        v->last = v->first + MAX_LINES - 1;
    return true;
}

bool sl_page_find_views(sl_page *page)
{
    const sl_page_input *in = &page->input;
    for (size_t n = 0; n < page->kernels.count; n++) {
        sl_page_kernel *k = &page->kernels.items[n];
        k->view = sl_arena_array(&page->arena, sl_page_view, in->sources);
        if (!k->view)
            return false;
        for (int ptx = 0; ptx < 2; ptx++)
            for (size_t i = 0; i < in->sources; i++)
                if (is_ptx(&in->source[i]) == (ptx == 1) && view_of(k, &in->source[i], i, &k->view[k->views])) {
                    k->views++;
                    if (ptx) /* a program may carry it for several architectures */
                        break;
                }
    }
    return true;
}

/* ---- lines ---- */

typedef struct line_sum {
    sl_counts counts;
    sl_profile_counts reuse;
    bool any, profiled;
} line_sum;

static void sum_line(const sl_page_kernel *k, const sl_source_text *source, uint32_t line, line_sum *sum)
{
    *sum = (line_sum){0};
    for (uint32_t i = 0; i < k->loads; i++) {
        if (line_of(&k->load[i].inst, source) != line)
            continue;
        sum->any = true;
        sl_counts_merge(&sum->counts, &k->load[i].counts);
        if (!k->load[i].reuse)
            continue;
        sl_profile_counts_merge(&sum->reuse, k->load[i].reuse);
        sum->profiled = true;
    }
}

/* The line of the CUDA source that a line of PTX was compiled from. */
static void put_origin(FILE *file, const sl_page *page, size_t kernel, const sl_page_view *v, uint32_t line)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    for (uint32_t i = 0; v->ptx && i < k->loads; i++) {
        const sl_inst_name *inst = &k->load[i].inst;
        for (size_t n = 0; inst->ptx_line == line && n < page->input.sources; n++)
            if (!is_ptx(&page->input.source[n]) && line_of(inst, &page->input.source[n])) {
                fprintf(file, " data-from=k%zu-s%zu-l%u", kernel, n, inst->source_line);
                return;
            }
    }
}

/* Misses of the line; the background shows their share of the kernel's misses. */
static void put_misses(FILE *file, const line_sum *sum, uint64_t of_kernel)
{
    uint64_t misses = sum->counts.value[SL_COUNTER_ld_sector_misses];
    char shown[SL_HUMAN_BYTES], share[SL_HUMAN_BYTES];
    if (!sl_counts_has(&sum->counts, SL_COUNTER_ld_sector_misses) || !sum->counts.value[SL_COUNTER_ld_sectors]) {
        sl_html_cell_none(file);
        return;
    }
    sl_human_ratio(of_kernel ? 100.0 * (double)misses / (double)of_kernel : 0, 1, share);
    fprintf(file,
            "<td class=\"n heat\" style=\"--share:%s%%\" data-v=\"%" PRIu64 "\" title=\"%" PRIu64
            ", %s%% of the kernel's\">%s</td>",
            share, misses, misses, share, sl_human_count(misses, shown));
}

/* The same of all sectors, of loads and stores. */
static void put_sectors(FILE *file, uint64_t sectors, uint64_t of_kernel)
{
    char shown[SL_HUMAN_BYTES], share[SL_HUMAN_BYTES];
    if (!sectors) {
        sl_html_cell_none(file);
        return;
    }
    sl_human_ratio(of_kernel ? 100.0 * (double)sectors / (double)of_kernel : 0, 1, share);
    fprintf(file,
            "<td class=\"n heat all\" style=\"--share:%s%%\" data-v=\"%" PRIu64 "\" title=\"%" PRIu64
            ", %s%% of the kernel's\">%s</td>",
            share, sectors, sectors, share, sl_human_count(sectors, shown));
}

static void put_numbers(FILE *file, const sl_page *page, const line_sum *sum, const sl_counts *kernel)
{
    if (!sum->any) {
        fputs("<td><td><td><td><td>", file);
        return;
    }
    const sl_metric_row row = sl_page_row(page, &sum->counts, sum->profiled ? &sum->reuse : NULL);
    uint64_t sectors = sl_metric_of(SL_METRIC_sectors, &row).part;
    uint64_t of_all = sl_metric_of(SL_METRIC_sectors, &(sl_metric_row){.counts = kernel}).part;
    const sl_metric_row accessed = {.counts = sectors ? &sum->counts : NULL};
    put_sectors(file, sectors, of_all);
    sl_html_cell_metric(file, "n", SL_METRIC_per_request, &accessed);
    fputs("<td>", file);
    sl_page_bar(file, &sum->counts);
    fputs("</td>", file);
    put_misses(file, sum, kernel->value[SL_COUNTER_ld_sector_misses]);
    sl_html_cell_metric(file, "n", SL_METRIC_reuse_accesses_without_reuse, &row);
}

/* More loads in one line are rare, and similar to these. */
enum { MAX_PLANNED = 64 };

static void put_planned(FILE *file, const sl_page_kernel *k, const sl_source_text *source, uint32_t line)
{
    const sl_plan_load *planned[MAX_PLANNED];
    size_t count = 0;
    for (uint32_t i = 0; i < k->loads && count < MAX_PLANNED; i++)
        if (k->load[i].planned && line_of(&k->load[i].inst, source) == line)
            planned[count++] = k->load[i].planned;
    if (count)
        sl_planned_line(file, planned, count);
    else
        sl_html_cell_none(file);
}

static void put_line(FILE *file, const sl_page *page, size_t kernel, const sl_page_view *v, uint32_t line,
                     const char *text, size_t bytes)
{
    line_sum sum;
    sum_line(&page->kernels.items[kernel], &page->input.source[v->source], line, &sum);
    fputs("<tr", file);
    if (sum.any) {
        fprintf(file, " id=k%zu-s%zu-l%u class=busy", kernel, v->source, line);
        put_origin(file, page, kernel, v, line);
    }
    fprintf(file, "><th scope=row>%u</th>", line);
    put_numbers(file, page, &sum, &page->kernels.items[kernel].counts);
    if (page->input.plan)
        put_planned(file, &page->kernels.items[kernel], &page->input.source[v->source], line);
    while (bytes && (text[bytes - 1] == '\n' || text[bytes - 1] == '\r'))
        bytes--;
    fputs("<td><code>", file);
    sl_html_text_n(file, text, bytes);
    fputs("</code></td></tr>\n", file);
}

static void put_view(FILE *file, const sl_page *page, size_t kernel, const sl_page_view *v)
{
    const sl_source_text *s = &page->input.source[v->source];
    uint32_t line = 0;
    sl_htmlf(file, "<details class=source%s><summary>%s</summary>\n",
             v == page->kernels.items[kernel].view ? " open" : "", s->name);
    sl_html_table(file, v->ptx ? "PTX" : "Source", v->ptx ? "code ptx" : "code");
    sl_html_column(file, "line", NULL, true);
    sl_html_column(file, "sectors", "sectors that its loads, stores and atomics access", true);
    sl_html_column(file, "/req", "sectors per request, on average", true);
    sl_html_column(file, "in L1", "hits, pending hits and misses by class, of its loads", false);
    sl_html_column(file, "misses", "load sectors that miss in L1", true);
    sl_html_column(file, "no reuse", "accesses to lines that are never accessed again", true);
    if (page->input.plan)
        sl_planned_line_column(file);
    sl_html_column(file, "", NULL, false);
    sl_html_table_rows(file);
    for (const char *at = s->text; at && ++line <= v->last; at = next_line(s, at)) {
        const char *end = next_line(s, at);
        size_t bytes = (size_t)((end ? end : s->text + s->bytes) - at);
        if (line >= v->first)
            put_line(file, page, kernel, v, line, at, bytes);
    }
    sl_html_table_end(file);
    fputs("</details>\n", file);
}

void sl_section_source(FILE *file, const sl_page *page, size_t kernel)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    if (!k->views)
        return;
    bool both = k->views > 1 && k->view[k->views - 1].ptx;
    fprintf(file, "<h3>Source</h3>\n<div class=\"sources%s\">\n", both ? " two" : "");
    for (size_t i = 0; i < k->views; i++)
        put_view(file, page, kernel, &k->view[i]);
    fputs("</div>\n", file);
}

void sl_section_location(FILE *file, const sl_page *page, size_t kernel, const sl_inst_name *inst)
{
    const sl_page_kernel *k = &page->kernels.items[kernel];
    char location[256];
    sl_inst_location(inst, location, sizeof location);
    for (size_t i = 0; i < k->views; i++) {
        const sl_page_view *v = &k->view[i];
        uint32_t line = line_of(inst, &page->input.source[v->source]);
        if (line < v->first || line > v->last)
            continue;
        sl_htmlf(file, "<a href=\"#k%zu-s%zu-l%u\">%s</a>", kernel, v->source, line, location);
        return;
    }
    sl_html_text(file, location);
}
