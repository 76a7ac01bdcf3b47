/* SPDX-License-Identifier: MIT */
/* The list of launches. Where there are many, those of one kernel and shape are one row, with their sums: a program of
 * 100,000 launches has few rows, and a page of a few MB. */
#include <string.h>

#include "analysis/launch_groups.h"
#include "base/index.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { MAX_ROWS = 1000 };

typedef struct launch_row {
    const sl_page_launch *first;
    uint64_t launches;
    sl_counts counts;
} launch_row;

typedef struct launch_rows {
    launch_row *items;
    size_t count, capacity;
    sl_index index;
} launch_rows;

static uint64_t shape_key(const sl_page_launch *l)
{
    uint64_t key = l->kernel * 2 + l->failed;
    for (int i = 0; i < 3; i++)
        key = sl_hash_mix(key) ^ ((uint64_t)l->grid[i] << 32 | l->block[i]);
    return key;
}

static uint64_t row_key(const void *items, uint32_t item)
{
    return shape_key(((const launch_row *)items)[item].first);
}

static bool same_shape(const sl_page_launch *a, const sl_page_launch *b)
{
    return a->kernel == b->kernel && a->failed == b->failed && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block);
}

/* The row of a launch; NULL: there is none yet. */
static launch_row *find_row(const launch_rows *rows, const sl_page_launch *l, uint64_t key)
{
    sl_index_for(&rows->index, key, at)
    {
        launch_row *row = &rows->items[sl_index_item(&rows->index, at)];
        if (same_shape(row->first, l))
            return row;
    }
    return NULL;
}

/* False when memory runs out. */
static bool add_launch(launch_rows *rows, const sl_page_launch *l, bool fold)
{
    uint64_t key = shape_key(l);
    launch_row *row = fold ? find_row(rows, l, key) : NULL;
    if (!row) {
        if (!sl_array_reserve(rows, 1))
            return false;
        row = &rows->items[rows->count++];
        *row = (launch_row){.first = l};
        if (fold && !sl_index_add(&rows->index, key, (uint32_t)rows->count - 1, row_key, rows->items))
            return false;
    }
    row->launches++;
    sl_counts_merge(&row->counts, &l->counts);
    return true;
}

static void write_launches(FILE *file, const void *of)
{
    unsigned long long launches = ((const launch_row *)of)->launches;
    fprintf(file, "<td class=n data-v=\"%llu\">\u00d7%llu</td>", launches, launches);
}

static sl_status write_table(FILE *file, const sl_page *page, const launch_rows *rows, bool fold, sl_error *error)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("grid"),
                                      SL_NUMBERS("block")};
    size_t shown = rows->count < MAX_ROWS ? rows->count : MAX_ROWS;
    sl_table *t = sl_page_table(first, sizeof first / sizeof *first, NULL, 0);
    if (fold)
        fprintf(file,
                "<p class=note>%zu launches: those of one kernel, grid and block are one row with their sums, at "
                "the first of them%s. --json lists each launch.</p>\n",
                page->launches.count, shown < rows->count ? "; the first rows are shown" : "");
    for (size_t i = 0; i < shown; i++) {
        const launch_row *row = &rows->items[i];
        sl_table_count(t, row->first->index);
        sl_page_kernel_cell(t, page, row->first->kernel, row->first->failed);
        if (fold)
            sl_table_markup(t, write_launches, row);
        else
            sl_table_none(t);
        sl_table_dims(t, row->first->grid);
        sl_table_dims(t, row->first->block);
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
    bool fold = sl_page_folds_launches(page), good = true;
    launch_rows rows = {0};
    if (page->launches.count < 2)
        return SL_OK;
    for (size_t i = 0; i < page->launches.count && good; i++)
        good = add_launch(&rows, &page->launches.items[i], fold);
    fputs("<section id=launches><h2>Launches</h2>\n", file);
    sl_status status = good ? SL_OK : sl_fail_memory(error);
    if (!status && sl_page_groups(page))
        status = write_groups(file, sl_page_groups(page), error);
    if (!status)
        status = write_table(file, page, &rows, fold, error);
    fputs("</section>\n", file);
    sl_array_free(&rows);
    sl_index_fini(&rows.index);
    return status;
}
