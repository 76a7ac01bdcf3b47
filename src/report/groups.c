/* SPDX-License-Identifier: MIT */
#include "analysis/launch_groups.h"

#include "report/results.h"

void sl_document_groups(sl_document *d, const char *title, const sl_launch_log *log, const sl_metric_list *metrics)
{
    enum { INDENT = 2 };
    const sl_column columns[] = {
        {.title = sl_group_heading(log->by), .fit = SL_FIT_SHRINKS}, SL_NUMBERS("launches"), SL_NUMBERS("failed")};
    sl_groups groups;
    sl_table *t = sl_document_add(d, NULL, title, SL_FORM_TEXT, sl_metric_table(columns, 3, metrics, NULL, 0));
    if (!sl_groups_of(log, &groups))
        sl_document_fail(d);
    for (size_t i = 0; groups.order && i <= groups.list.count - 1; i++) {
        bool all = i == groups.list.count - 1;
        const sl_group *g = &groups.list.items[all ? 0 : groups.order[i]];
        if (all)
            sl_table_cell(t, "all launches");
        else
            sl_table_cellf(t, "%*s%s%.*s", (int)(g->depth - 1) * INDENT, "", g->kernel ? "- " : "", (int)g->name_bytes,
                           g->name);
        sl_table_count(t, g->launches);
        if (g->failed)
            sl_table_count(t, g->failed);
        else
            sl_table_none(t);
        sl_table_counts(t, metrics, &g->counts);
    }
    sl_groups_fini(&groups);
}

void sl_document_groups_data(sl_document *d, const sl_launch_log *log)
{
    static const sl_column columns[] = {SL_DATA("by"),       SL_DATA("group"),  SL_DATA("depth"),
                                        SL_DATA("launches"), SL_DATA("failed"), SL_DATA("counters")};
    char path[SL_LABEL_BYTES], text[SL_LABEL_BYTES];
    sl_groups groups;
    sl_table *t = log->grouped
                      ? sl_document_table(d, "groups", NULL, SL_FORM_JSON, columns, sizeof columns / sizeof *columns)
                      : NULL;
    if (!t)
        return;
    if (!sl_groups_of(log, &groups))
        sl_document_fail(d);
    for (size_t i = 0; groups.order && i + 1 < groups.list.count; i++) {
        const sl_group *g = &groups.list.items[groups.order[i]];
        if (g->kernel)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)g->path_bytes, g->path);
        sl_table_cell(t, sl_label_names[log->by]);
        sl_table_cell(t, sl_label_text(log->by, path, text, sizeof text));
        sl_table_exact(t, g->depth);
        sl_table_exact(t, g->launches);
        if (g->failed)
            sl_table_exact(t, g->failed);
        else
            sl_table_none(t);
        sl_counts *counts = sl_document_alloc(d, sizeof *counts); /* the table borrows them */
        if (!counts)
            break;
        *counts = g->counts;
        sl_table_all_counts(t, counts);
    }
    sl_groups_fini(&groups);
}
