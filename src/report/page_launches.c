/* SPDX-License-Identifier: MIT */
/* The list of launches. Where there are many, those of one kernel and shape are one row, with their sums: a program of
 * 100,000 launches has few rows, and a page of a few MB. */
#include "analysis/launch_groups.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { MAX_ROWS = 1000 };

static void write_launches(FILE *file, const void *of)
{
    unsigned long long launches = ((const sl_joined_launch *)of)->launches;
    fprintf(file, "<td class=n data-v=\"%llu\">\u00d7%llu</td>", launches, launches);
}

static sl_status write_table(FILE *file, const sl_page *page, const sl_joined_launches *rows, bool fold,
                             sl_error *error)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("grid"),
                                      SL_NUMBERS("block")};
    size_t shown = rows->count < MAX_ROWS ? rows->count : MAX_ROWS;
    sl_table *t = sl_page_table(first, sizeof first / sizeof *first, NULL, 0);
    if (fold)
        fprintf(file,
                "<p class=note>%zu launches: those of one kernel, grid and block are one row with their sums, at "
                "the first of them%s. --json lists each launch.</p>\n",
                page->joined.launches.count, shown < rows->count ? "; the first rows are shown" : "");
    for (size_t i = 0; i < shown; i++) {
        const sl_joined_launch *row = &rows->items[i];
        sl_table_count(t, row->index);
        sl_page_kernel_cell(t, page, row->kernel, row->failed);
        if (fold)
            sl_table_markup(t, write_launches, row);
        else
            sl_table_none(t);
        sl_table_dims(t, row->grid);
        sl_table_dims(t, row->block);
        sl_page_cells(t, &(sl_metric_row){.counts = &row->counts}, false);
    }
    return sl_table_html(t, file,
                         fold ? "Launches by kernel and shape, in order of the first" : "Launches, in execution order",
                         "sortable long paged", error);
}

/* Groups with what they enclose, down to their kernels. */
static sl_status write_groups(FILE *file, const sl_launch_log *log, sl_error *error)
{
    static const char indents[][13] = {"", "\u2003", "\u2003\u2003", "\u2003\u2003\u2003", "\u2003\u2003\u2003\u2003"};
    enum { DEEPEST = sizeof indents / sizeof *indents - 1 };
    const sl_column first[] = {{.title = sl_group_heading(log->by)}, SL_NUMBERS("launches")};
    sl_groups groups;
    sl_table *t = sl_page_table(first, sizeof first / sizeof *first, NULL, 0);
    bool good = sl_groups_of(log, &groups);
    for (size_t i = 0; good && i + 1 < groups.list.count && i < MAX_ROWS; i++) {
        const sl_group *g = &groups.list.items[groups.order[i]];
        sl_table_cellf(t, "%s%s%.*s", indents[g->depth - 1 < DEEPEST ? g->depth - 1 : DEEPEST], g->kernel ? "- " : "",
                       (int)g->name_bytes, g->name);
        sl_table_count(t, g->launches);
        sl_page_cells(t, &(sl_metric_row){.counts = &g->counts}, false);
    }
    sl_status status = sl_table_html(t, file, "Launches by group, with what each group encloses", "long", error);
    sl_groups_fini(&groups);
    return good ? status : sl_fail_memory(error);
}

sl_status sl_section_launches(FILE *file, const sl_page *page, sl_error *error)
{
    const sl_launch_log *groups = sl_joined_groups(&page->joined);
    bool fold = sl_page_folds_launches(page);
    sl_joined_launches shapes = {0};
    if (page->joined.launches.count < 2)
        return SL_OK;
    sl_status status = !fold || sl_joined_shapes(&page->joined, &shapes) ? SL_OK : sl_fail_memory(error);
    fputs("<section id=launches><h2>Launches</h2>\n", file);
    if (!status && groups)
        status = write_groups(file, groups, error);
    if (!status)
        status = write_table(file, page, fold ? &shapes : &page->joined.launches, fold, error);
    fputs("</section>\n", file);
    sl_array_free(&shapes);
    return status;
}
