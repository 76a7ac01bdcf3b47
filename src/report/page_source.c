/* SPDX-License-Identifier: MIT */
/* Sources of a kernel, line by line, with what the memory instructions of each line do. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"
#include "study/source_lines.h"

enum { SHORT_FILE = 300, LINES_BEFORE = 20, LINES_BEHIND = 12, MAX_LINES = 4000 };

/* Where its lines start; false when memory runs out. */
static bool find_lines(sl_arena *arena, const sl_source_text *s, sl_page_lines *found)
{
    const char *end = s->text + s->bytes;
    uint32_t lines = s->bytes && end[-1] != '\n';
    for (const char *at = s->text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    found->start = sl_arena_array(arena, const char *, (size_t)lines + 1);
    if (!found->start)
        return false;
    for (const char *at = s->text; found->lines < lines;) {
        found->start[found->lines++] = at;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : end;
    }
    found->start[lines] = end;
    return true;
}

static size_t line_bytes(const sl_page_lines *l, uint32_t line)
{
    return (size_t)(l->start[line] - l->start[line - 1]);
}

/* ---- PTX ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* The kernel that a line declares: ".entry SYMBOL", with a body or the start of one. NULL: none. */
static const char *declared(const char *line, size_t bytes, size_t *length)
{
    const char *entry = memmem(line, bytes, ".entry", 6);
    if (!entry)
        return NULL;
    const char *at = entry + 6, *end = line + bytes;
    while (at < end && isspace((unsigned char)*at))
        at++;
    for (*length = 0; at + *length < end && is_name(at[*length]);)
        ++*length;
    return *length ? at : NULL;
}

/* Symbol -> the first line that declares it. False when memory runs out. */
static bool find_entries(const sl_page_lines *l, sl_map *entries)
{
    for (uint32_t line = 1; line <= l->lines; line++) {
        size_t length;
        const char *symbol = declared(l->start[line - 1], line_bytes(l, line), &length);
        if (symbol && !sl_map_get(entries, symbol, length) &&
            !sl_map_put(entries, symbol, length, (void *)(uintptr_t)line))
            return false;
    }
    return true;
}

/* From the declaration to the brace that closes the body. */
static bool find_body(const sl_page_lines *l, uint32_t first, uint32_t *last)
{
    int depth = 0;
    for (uint32_t line = first; first && line <= l->lines; line++)
        for (const char *at = l->start[line - 1]; at < l->start[line]; at++) {
            depth += *at == '{';
            if (*at == '}' && --depth == 0) {
                *last = line;
                return true;
            }
        }
    return false;
}

/* Another version of the PTX has other instructions at these lines. */
static bool fits(const sl_page_lines *l, const sl_joined_kernel *k)
{
    for (uint32_t i = 0; i < k->loads; i++) {
        const sl_inst_name *inst = &k->load[i].inst;
        if (!inst->ptx_line || inst->ptx_line > l->lines ||
            !memmem(l->start[inst->ptx_line - 1], line_bytes(l, inst->ptx_line), inst->opcode, strlen(inst->opcode)))
            return false;
    }
    return true;
}

static bool view_ptx(const sl_joined_kernel *k, const sl_page_lines *l, const sl_map *entries, sl_page_view *v)
{
    v->ptx = true;
    v->first = (uint32_t)(uintptr_t)sl_map_get(entries, k->code_symbol, strlen(k->code_symbol));
    return find_body(l, v->first, &v->last) && fits(l, k);
}

/* ---- other languages ---- */

/* Short files are shown whole, of others what surrounds the loads. */
static bool view_source(const sl_joined_kernel *k, const sl_source_text *s, uint32_t lines, sl_page_view *v)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < k->loads; i++) {
        uint32_t line = sl_line_of(&k->load[i].inst, s);
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

static bool view_of(const sl_page *page, const sl_joined_kernel *k, size_t number, const sl_map *entries,
                    sl_page_view *v)
{
    const sl_source_text *source = &page->input.results.source[number];
    const sl_page_lines *l = &page->lines[number];
    *v = (sl_page_view){.source = number};
    if (!k->loads || !(sl_source_is_ptx(source) ? view_ptx(k, l, entries, v) : view_source(k, source, l->lines, v)))
        return false;
    if (v->last - v->first >= MAX_LINES)
        v->last = v->first + MAX_LINES - 1;
    return true;
}

/* `entries`: of each source. */
static bool find_views(sl_page *page, size_t kernel, const sl_map *entries)
{
    const sl_joined_kernel *k = &page->joined.kernels.items[kernel];
    sl_page_views *of = &page->views[kernel];
    const sl_page_input *in = &page->input;
    of->view = sl_arena_array(&page->arena, sl_page_view, in->results.sources);
    if (!of->view)
        return false;
    for (int ptx = 0; ptx < 2; ptx++)
        for (size_t i = 0; i < in->results.sources; i++)
            if (sl_source_is_ptx(&in->results.source[i]) == (ptx == 1) &&
                view_of(page, k, i, &entries[i], &of->view[of->count])) {
                of->count++;
                if (ptx) /* a program may carry it for several architectures */
                    break;
            }
    return true;
}

bool sl_page_find_views(sl_page *page)
{
    const sl_page_input *in = &page->input;
    sl_map *entries = calloc(in->results.sources + 1, sizeof *entries);
    page->lines = sl_arena_array(&page->arena, sl_page_lines, in->results.sources + 1);
    page->views = sl_arena_array(&page->arena, sl_page_views, page->joined.kernels.count + 1);
    bool good = entries && page->lines && page->views;
    for (size_t i = 0; i < in->results.sources && good; i++)
        good = find_lines(&page->arena, &in->results.source[i], &page->lines[i]) &&
               (!sl_source_is_ptx(&in->results.source[i]) || find_entries(&page->lines[i], &entries[i]));
    for (size_t n = 0; n < page->joined.kernels.count && good; n++)
        good = find_views(page, n, entries);
    for (size_t i = 0; entries && i < in->results.sources; i++)
        sl_map_fini(&entries[i]);
    free(entries);
    return good;
}

uint32_t sl_page_view_last(const sl_page *page, const sl_page_view *v)
{
    uint32_t lines = page->lines[v->source].lines;
    return v->last < lines ? v->last : lines;
}

const char *sl_page_line_text(const sl_page *page, const sl_page_view *v, uint32_t line, size_t *bytes)
{
    const sl_page_lines *of = &page->lines[v->source];
    const char *text = of->start[line - 1];
    *bytes = line_bytes(of, line);
    while (*bytes && (text[*bytes - 1] == '\n' || text[*bytes - 1] == '\r'))
        --*bytes;
    return text;
}

/* ---- lines ---- */

/* A source of a kernel, as it is written. */
typedef struct shown_source {
    const sl_page *page;
    size_t kernel;
    const sl_page_view *view;
    sl_source_lines lines;
    unsigned columns; /* a mask */
} shown_source;

/* The line of the CUDA source that a line of PTX was compiled from. */
static void write_origin(FILE *file, const shown_source *s, const sl_line_sum *sum)
{
    const sl_joined_input *in = &s->page->input.results;
    for (size_t i = 0; s->view->ptx && i < sum->loads; i++) {
        const sl_inst_name *inst = &sum->load[i]->inst;
        for (size_t n = 0; n < in->sources; n++)
            if (!sl_source_is_ptx(&in->source[n]) && sl_line_of(inst, &in->source[n])) {
                fprintf(file, " data-from=k%zu-s%zu-l%u", s->kernel, n, inst->source_line);
                return;
            }
    }
}

/* The background shows its share of the kernel's. */
static void write_shaded(FILE *file, uint64_t value, double of_kernel, bool misses)
{
    char shown[SL_HUMAN_BYTES], share[SL_HUMAN_BYTES];
    sl_human_ratio(of_kernel, 1, share);
    fprintf(file,
            "<td class=\"n heat%s\" style=\"--share:%s%%\" data-v=\"%" PRIu64 "\" title=\"%" PRIu64
            ", %s%% of the kernel's\">%s</td>",
            misses ? "" : " all", share, value, value, share, sl_human_count(value, shown));
}

enum { BAR_AT = 2 }; /* the column before which the bar of hits and misses is */

static void write_numbers(FILE *file, const shown_source *s, const sl_line_sum *sum)
{
    for (int c = 0; c < SL_LINE_COLUMNS; c++) {
        uint64_t value;
        double share;
        bool bar = c == BAR_AT && sl_page_has_bars(s->page);
        if (bar)
            fputs("<td>", file);
        if (bar && sum->loads)
            sl_page_bar(file, &sum->counts);
        if (!(s->columns >> c & 1))
            continue;
        if (!sl_line_value(&s->lines, sum, c, &value, &share))
            sl_html_cell_none(file);
        else if (sl_line_columns[c].shaded)
            write_shaded(file, value, share, sl_line_columns[c].metric == SL_METRIC_ld_sector_misses);
        else
            sl_html_cell_metric(file, sl_line_columns[c].metric, &sum->row);
    }
}

/* More loads in one line are rare, and similar to these. */
enum { MAX_PLANNED = 64 };

static void write_planned(FILE *file, const sl_line_sum *sum)
{
    const sl_plan_load *planned[MAX_PLANNED];
    size_t count = 0;
    for (size_t i = 0; i < sum->loads && count < MAX_PLANNED; i++)
        if (sum->load[i]->planned)
            planned[count++] = sum->load[i]->planned;
    if (count)
        sl_planned_line(file, planned, count);
    else
        sl_html_cell_none(file);
}

static void write_line(FILE *file, const shown_source *s, uint32_t line)
{
    sl_line_sum sum;
    size_t bytes;
    const char *text = sl_page_line_text(s->page, s->view, line, &bytes);
    sl_source_lines_sum(&s->lines, line, &sum);
    fputs("<tr", file);
    if (sum.loads) {
        fprintf(file, " id=k%zu-s%zu-l%u class=busy", s->kernel, s->view->source, line);
        write_origin(file, s, &sum);
    }
    fprintf(file, "><th scope=row>%u</th>", line);
    write_numbers(file, s, &sum);
    if (s->page->input.results.plan)
        write_planned(file, &sum);
    fputs("<td><code>", file);
    sl_html_text_n(file, text, bytes);
    fputs("</code></td></tr>\n", file);
}

static void write_columns(FILE *file, const sl_page *page, unsigned columns)
{
    sl_html_column(file, "line", NULL, true);
    for (int c = 0; c < SL_LINE_COLUMNS; c++) {
        if (c == BAR_AT && sl_page_has_bars(page))
            sl_html_column(file, "in L1", "hits, pending hits and misses by class, of its loads", false);
        if (columns >> c & 1)
            sl_html_column(file, sl_line_columns[c].title, sl_metric_infos[sl_line_columns[c].metric].description,
                           true);
    }
    if (page->input.results.plan)
        sl_planned_line_column(file);
    sl_html_column(file, "", NULL, false);
}

static bool write_view(FILE *file, const sl_page *page, size_t kernel, const sl_page_view *v)
{
    const sl_source_text *source = &page->input.results.source[v->source];
    const sl_joined_kernel *k = &page->joined.kernels.items[kernel];
    shown_source s = {.page = page, .kernel = kernel, .view = v, .columns = sl_line_columns_known(&page->joined, k)};
    bool good = sl_source_lines_init(&s.lines, &page->joined, k, source, v->first, v->last);
    sl_htmlf(file, "<details class=source%s><summary>%s</summary>\n", v == page->views[kernel].view ? " open" : "",
             source->name);
    sl_html_table(file, v->ptx ? "PTX" : "Source", v->ptx ? "code ptx" : "code");
    write_columns(file, page, s.columns);
    sl_html_table_rows(file);
    for (uint32_t line = v->first; good && line <= sl_page_view_last(page, v); line++)
        write_line(file, &s, line);
    sl_html_table_end(file);
    fputs("</details>\n", file);
    sl_source_lines_fini(&s.lines);
    return good;
}

sl_status sl_section_source(FILE *file, const sl_page *page, size_t kernel, sl_error *error)
{
    const sl_page_views *views = &page->views[kernel];
    bool good = true;
    if (!views->count)
        return SL_OK;
    bool both = views->count > 1 && views->view[views->count - 1].ptx;
    fprintf(file, "<h3>Source</h3>\n<div class=\"sources%s\">\n", both ? " two" : "");
    for (size_t i = 0; i < views->count && good; i++)
        good = write_view(file, page, kernel, &views->view[i]);
    fputs("</div>\n", file);
    return good ? SL_OK : sl_fail_memory(error);
}

void sl_section_location(FILE *file, const sl_page *page, size_t kernel, const sl_inst_name *inst)
{
    const sl_page_views *views = &page->views[kernel];
    char location[256];
    sl_inst_location(inst, location, sizeof location);
    for (size_t i = 0; i < views->count; i++) {
        const sl_page_view *v = &views->view[i];
        uint32_t line = sl_line_of(inst, &page->input.results.source[v->source]);
        if (line < v->first || line > v->last)
            continue;
        sl_htmlf(file, "<a href=\"#k%zu-s%zu-l%u\">%s</a>", kernel, v->source, line, location);
        return;
    }
    sl_html_text(file, location);
}
