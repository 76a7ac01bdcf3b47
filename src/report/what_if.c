/* SPDX-License-Identifier: MIT */
#include "report/results.h"

#include <math.h>

#include "base/text.h"

static double ratio_of(uint64_t before, uint64_t after)
{
    return after && before ? (double)before / (double)after : NAN;
}

static void add_row(sl_table *t, const sl_what_if_results *r, uint32_t n)
{
    const sl_logged_launch *launch = &r->before->log->launches.items[n];
    uint64_t before = sl_result_launch_cycles(r->before, n), after = sl_result_launch_cycles(r->after, n);
    sl_table_exact(t, launch->index);
    sl_table_function(t, launch->kernel->symbol);
    sl_table_count(t, before);
    sl_table_count(t, after);
    sl_table_number(t, ratio_of(before, after), 2, "x");
}

void sl_document_what_if(sl_document *d, const sl_what_if_results *r)
{
    const sl_column columns[] = {SL_NUMBERS_AS("#", "index"), SL_NAMES_AS("kernel", "kernel"),
                                 SL_NUMBERS_AS("cycles before", "before_cycles"),
                                 SL_NUMBERS_AS("cycles after", "after_cycles"), SL_NUMBERS_AS("faster", "speedup")};
    const sl_what_if_info *info = &sl_what_if_infos[r->what_if->id];
    const char *kind = r->before->kind == SL_ANALYSIS_SIM ? "simulated" : "estimated";
    uint64_t before = sl_result_cycles(r->before), after = sl_result_cycles(r->after);
    char line[32] = "";
    if (r->what_if->line)
        snprintf(line, sizeof line, " (line %u)", r->what_if->line);
    sl_document_line(d, "what if%s: %s\n", line, info->summary);
    sl_document_open(d, "what_if");
    sl_document_string(d, "rule", info->name);
    if (r->what_if->line)
        sl_document_count(d, "line", r->what_if->line);
    sl_document_string(d, "cycles_are", kind);
    sl_document_count(d, "before_cycles", before);
    sl_document_count(d, "after_cycles", after);
    if (before && after)
        sl_document_number(d, "speedup", ratio_of(before, after));
    sl_table *t = sl_document_table(d, "launches", "", SL_FORM_ALL, columns, sizeof columns / sizeof *columns);
    for (uint32_t n = 0; t && n < r->before->launches; n++)
        add_row(t, r, n);
    sl_document_close(d);
    if (before && after)
        sl_document_line(d, "\nthe program is %.2fx as fast (%s)\n", ratio_of(before, after), kind);
    else
        sl_document_line(d, "\nno cycles are known on this GPU\n");
}
