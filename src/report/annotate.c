/* SPDX-License-Identifier: MIT */
/* Sources in a terminal, as perf annotate and cg_annotate show them: what the memory instructions of a line do, the
 * line, and below it what was found there. Lines far from any of them are left out. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/findings.h"
#include "report/metrics.h"
#include "report/page_data.h"
#include "study/source_lines.h"

enum { LINES_AROUND = 3, TAB = 4, BAD_SHARE = 20, WARN_SHARE = 5, MIN_TEXT = 20, GOOD_TEXT = 40, NOTE_INDENT = 4 };

/* Columns that make room for the text on a narrow terminal, one after the other. */
static const sl_metric spare[] = {SL_METRIC_reuse_accesses_without_reuse, SL_METRIC_l1_stall_cycles,
                                  SL_METRIC_ld_sector_misses, SL_METRIC_wait_cycles, SL_METRIC_per_request};

/* A source of a kernel, as it is written. */
typedef struct annotation {
    const sl_page *page;
    const sl_page_view *view;
    const sl_source_lines *lines;
    unsigned columns; /* a mask */
    int leads;        /* the column whose share comes first: what costs most, as far as it is known */
    size_t width;     /* of the terminal; 0: any */
    FILE *file;
} annotation;

static bool is_shown(const annotation *a, uint32_t line)
{
    const sl_page_view *v = a->view;
    uint32_t from = line > v->first + LINES_AROUND ? line - LINES_AROUND : v->first;
    uint32_t to = line + LINES_AROUND < v->last ? line + LINES_AROUND : v->last;
    return a->lines->first[to - v->first + 1] > a->lines->first[from - v->first];
}

static double leading_share(const annotation *a, const sl_line_sum *sum)
{
    uint64_t value;
    double share;
    return sl_line_value(a->lines, sum, a->leads, &value, &share) ? share : 0;
}

static void add_row(sl_table *t, const annotation *a, uint32_t line)
{
    sl_line_sum sum;
    uint64_t value;
    double share;
    sl_source_lines_sum(a->lines, line, &sum);
    if (sl_line_value(a->lines, &sum, a->leads, &value, &share))
        sl_table_number(t, share, 1, "%");
    else
        sl_table_none(t);
    for (int c = 0; c < SL_LINE_COLUMNS; c++)
        if (a->columns >> c & 1)
            sl_table_metric(t, sl_line_columns[c].metric,
                            sl_line_value(a->lines, &sum, c, &value, &share) ? &sum.row : NULL);
    sl_table_exact(t, line);
}

/* The numbers of all lines that are shown, as lines of text of which the first is the heading. NULL: out of memory. */
static char *make_numbers(const annotation *a, sl_error *error)
{
    sl_column column[SL_LINE_COLUMNS + 2] = {SL_NUMBERS("share")};
    size_t columns = 1, bytes = 0;
    char *text = NULL;
    for (int c = 0; c < SL_LINE_COLUMNS; c++)
        if (a->columns >> c & 1)
            column[columns++] = (sl_column){.title = sl_line_columns[c].title, .right = true};
    column[columns++] = (sl_column){.title = "line", .right = true};
    sl_table *t = sl_table_create(column, columns);
    for (uint32_t line = a->view->first; line <= sl_page_view_last(a->page, a->view); line++)
        if (is_shown(a, line))
            add_row(t, a, line);
    FILE *memory = open_memstream(&text, &bytes);
    sl_status status = memory ? sl_table_print(t, memory, 0, error) : sl_fail_memory(error);
    if (memory && fclose(memory) && !status)
        status = sl_fail_memory(error);
    sl_table_destroy(t);
    if (!status)
        return text;
    free(text);
    return NULL;
}

/* Text of at most the columns that are left behind `at`; tabs become blanks. */
static void write_cut(const annotation *a, const char *text, size_t bytes, size_t at)
{
    size_t left = !a->width ? SIZE_MAX : a->width > at + MIN_TEXT ? a->width - at : MIN_TEXT;
    for (size_t i = 0, columns = 0, length; i < bytes; i += length) {
        size_t width = 1;
        bool tab = text[i] == '\t';
        sl_utf8_next(text + i, &length);
        length = length > bytes - i ? bytes - i : length;
        width = tab ? TAB - columns % TAB : 1;
        if (columns + width > left - 1 && i + length < bytes) {
            fputs("…", a->file);
            return;
        }
        columns += width;
        if (tab)
            fprintf(a->file, "%*s", (int)width, "");
        else
            fwrite(text + i, 1, length, a->file);
    }
}

/* What was found at a line, each rule once. */
static void write_findings(const annotation *a, uint32_t line)
{
    const sl_page_input *in = &a->page->input;
    const sl_findings *all = in->info.findings;
    const sl_source_text *source = &in->results.source[a->view->source];
    const sl_rule *before = NULL;
    for (size_t i = 0; all && i < all->list.count; i++) {
        const sl_finding *f = &all->list.items[i];
        char text[1024], share[SL_HUMAN_BYTES];
        if (!f->inst || f->rule == before || strcmp(f->symbol, a->lines->kernel->symbol) != 0 ||
            sl_line_of(f->inst, source) != line)
            continue;
        before = f->rule;
        snprintf(text, sizeof text, "^ %s, %s%% of the time: %s", f->rule->name,
                 sl_human_ratio(100 * f->share, f->share < 0.2 ? 1 : 0, share), f->text);
        fprintf(a->file, "%*s", NOTE_INDENT, "");
        sl_text_wrap(a->file, text, NOTE_INDENT, NOTE_INDENT + 2, a->width ? a->width : SIZE_MAX);
        fputc('\n', a->file);
    }
}

static void write_line(const annotation *a, uint32_t line, const char *numbers, size_t number_columns)
{
    sl_line_sum sum;
    size_t bytes;
    const char *text = sl_page_line_text(a->page, a->view, line, &bytes);
    sl_source_lines_sum(a->lines, line, &sum);
    double share = leading_share(a, &sum);
    const char *style = share >= BAD_SHARE ? SL_STYLE_BAD : share >= WARN_SHARE ? SL_STYLE_WARN : "";
    fprintf(a->file, "%s%s%s%s", style, numbers, *style ? SL_STYLE_END : "", bytes ? "  " : "");
    write_cut(a, text, bytes, number_columns + 2);
    fputc('\n', a->file);
    write_findings(a, line);
}

static sl_status write_lines(annotation *a, sl_error *error)
{
    char *numbers = make_numbers(a, error);
    for (size_t i = 0; numbers && a->width && i < sizeof spare / sizeof *spare; i++) {
        if (strcspn(numbers, "\n") + GOOD_TEXT <= a->width)
            break;
        for (int c = 0; c < SL_LINE_COLUMNS; c++)
            a->columns &= sl_line_columns[c].metric == spare[i] ? ~(1u << c) : ~0u;
        free(numbers);
        numbers = make_numbers(a, error);
    }
    if (!numbers)
        return error->status;
    char *rest = numbers;
    const char *heading = strsep(&rest, "\n");
    size_t columns = sl_utf8_columns(heading);
    uint32_t shown = a->view->first - 1;
    fprintf(a->file, "%s  source\n", heading);
    for (uint32_t line = shown + 1; rest && line <= sl_page_view_last(a->page, a->view); line++) {
        if (!is_shown(a, line))
            continue;
        if (shown + 1 < line && shown >= a->view->first)
            fprintf(a->file, "%*s\n", (int)columns, "...");
        write_line(a, line, strsep(&rest, "\n"), columns);
        shown = line;
    }
    free(numbers);
    return SL_OK;
}

/* The last of sectors, misses and waits that is known. */
static int leading(unsigned columns)
{
    int leads = 0;
    for (int c = 0; c < SL_LINE_COLUMNS; c++)
        if ((columns >> c & 1) && (sl_line_columns[c].metric == SL_METRIC_sectors ||
                                   sl_line_columns[c].metric == SL_METRIC_ld_sector_misses ||
                                   sl_line_columns[c].metric == SL_METRIC_wait_cycles))
            leads = c;
    return leads;
}

static sl_status write_view(FILE *file, const sl_page *page, const sl_joined_kernel *k, const sl_page_view *v,
                            size_t width, sl_error *error)
{
    const sl_source_text *source = &page->input.results.source[v->source];
    sl_source_lines lines;
    annotation a = {.page = page,
                    .view = v,
                    .lines = &lines,
                    .columns = sl_line_columns_known(&page->joined, k),
                    .width = width,
                    .file = file};
    sl_status status =
        sl_source_lines_init(&lines, &page->joined, k, source, v->first, v->last) ? SL_OK : sl_fail_memory(error);
    a.leads = leading(a.columns);
    if (!status) {
        char heading[1024];
        const char *machine = page->input.info.machine;
        snprintf(heading, sizeof heading, "%s: %s, %llu %s%s%s; share: of the kernel's %s", k->name, source->name,
                 (unsigned long long)k->launches, k->launches == 1 ? "launch" : "launches", machine ? " on " : "",
                 machine ? machine : "", sl_line_columns[a.leads].title);
        sl_text_wrap(file, heading, 0, 0, width ? width : SIZE_MAX);
        fputs("\n\n", file);
        status = write_lines(&a, error);
    }
    sl_source_lines_fini(&lines);
    return status;
}

sl_status sl_page_annotate(FILE *file, const sl_page *page, size_t width, sl_error *error)
{
    sl_status status = SL_OK;
    bool any = false;
    for (size_t i = 0; i < page->joined.kernels.count && !status; i++) {
        const sl_joined_kernel *k = &page->joined.kernels.items[i];
        const sl_page_views *views = &page->views[i];
        bool shown = false;
        if (!k->loads)
            continue;
        for (size_t n = 0; n < views->count && !status; n++) { /* the PTX is last: where there is no other source */
            if (views->view[n].ptx && shown)
                continue;
            fputs(any ? "\n" : "", file);
            status = write_view(file, page, k, &views->view[n], width, error);
            any = shown = true;
        }
        if (!shown)
            fprintf(file, "%s%s: its source was not found; compile with -lineinfo, and name its folder by --source\n",
                    any ? "\n" : "", k->name);
        any = true;
    }
    if (!any)
        fputs("No kernel accessed memory.\n", file);
    return status;
}
