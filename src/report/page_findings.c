/* SPDX-License-Identifier: MIT */
/* What costs most, first on the page; and where the time of simulated kernels goes. */
#include <string.h>

#include "base/text.h"
#include "report/findings.h"
#include "report/html.h"
#include "report/page_sections.h"

enum { MAX_FINDINGS = 30, MAX_ALSO = 12 };

static size_t kernel_of(const sl_page *page, const char *symbol)
{
    uint32_t first = sl_multimap_first(&page->joined.symbols, symbol);
    return first ? first - 1 : SIZE_MAX;
}

static void write_place(FILE *file, const sl_page *page, const sl_finding *f)
{
    size_t kernel = kernel_of(page, f->symbol);
    if (kernel != SIZE_MAX && f->inst)
        sl_section_location(file, page, kernel, f->inst);
    if (f->inst)
        sl_htmlf(file, " <code>%s</code>%s%s", f->inst->opcode, *f->inst->array ? " of " : "", f->inst->array);
}

/* How a load of a library came to the line that the finding names. */
static void write_inlined(FILE *file, const sl_finding *f)
{
    char chain[1024];
    if (f->inst && *sl_inst_inlined(f->inst, false, chain, sizeof chain))
        sl_htmlf(file, " <span class=inlined>Inlined: %s.</span>", chain);
}

/* The findings of one rule and kernel, of which `first` is the first; returns where they end. */
static size_t write_group(FILE *file, const sl_page *page, const sl_findings *all, size_t first, size_t number)
{
    const sl_finding *f = &all->list.items[first];
    size_t kernel = kernel_of(page, f->symbol), named = 0;
    char text[SL_HUMAN_BYTES], count[SL_HUMAN_BYTES];
    sl_finding sum;
    size_t end = sl_finding_group(all, first, &sum);
    if (number > MAX_FINDINGS)
        return end;
    double share = sum.share > 1 ? 1 : sum.share;
    sl_human_ratio(100 * share, share < 0.2 ? 1 : 0, text);
    fprintf(file,
            "<li><div class=effect role=img title=\"about %s%% of the estimated time\"><b>%s%%</b><i "
            "style=\"width:%s%%\"></i></div>\n<div><h3>",
            text, text, text);
    sl_htmlf(file, "<span title=\"sluice explain %s\">%s</span> in ", f->rule->name, f->rule->title);
    if (kernel != SIZE_MAX)
        sl_htmlf(file, "<a href=\"#kernel-%zu\">", kernel);
    sl_html_name(file, f->kernel, NULL);
    fputs(kernel != SIZE_MAX ? "</a>" : "", file);
    if (f->inst) {
        fputs(", ", file);
        write_place(file, page, f);
    }
    sl_htmlf(file, "</h3>\n<p>%s Costs %s %s.", f->text, sl_human_count((uint64_t)sum.effect, count), f->rule->unit);
    for (size_t i = first + 1; i < end && named < MAX_ALSO; i++, named++) {
        fputs(named ? ", " : " Also ", file);
        write_place(file, page, &all->list.items[i]);
    }
    fputs(named ? "." : "", file);
    write_inlined(file, f);
    sl_htmlf(file, "</p>\n<p class=out>%s</p></div></li>\n", f->fix);
    return end;
}

void sl_section_findings(FILE *file, const sl_page *page)
{
    const sl_findings *all = page->input.info.findings;
    size_t groups = 0;
    if (!all)
        return;
    sl_htmlf(file, "<section id=findings><h2>Findings <span>on %s, largest %s first</span></h2>\n", all->machine,
             all->estimated ? "estimated cost" : "part of the work");
    if (all->list.count && all->counted)
        sl_html_note(file, "Counted work, memory read once: 'sluice model' estimates times.");
    if (!all->list.count)
        sl_html_note(file, "None: nothing costs enough to be named.");
    fputs("<ol class=findings>\n", file);
    for (size_t i = 0; i < all->list.count;)
        i = write_group(file, page, all, i, ++groups);
    fputs("</ol>\n", file);
    for (size_t i = 0; i < all->quiet.count; i++) {
        const sl_quiet_kernel *k = &all->quiet.items[i];
        char share[SL_HUMAN_BYTES], text[512];
        snprintf(text, sizeof text, "Nothing found in %.300s (%s%% of the estimated time), which is limited by: %s",
                 k->name, sl_human_ratio(100 * k->share, 0, share), k->limit);
        sl_html_note(file, text);
    }
    fputs("</section>\n", file);
}

/* ---- simulated time ---- */

static const struct {
    const char *class, *name;
    sl_metric metric;
} causes[] = {{"y-issue", "issue", SL_METRIC_issue_share},       {"y-pipe", "pipelines", SL_METRIC_pipeline_share},
              {"y-data", "memory", SL_METRIC_data_share},        {"y-lsu", "LSU full", SL_METRIC_lsu_share},
              {"y-barrier", "barrier", SL_METRIC_barrier_share}, {"y-idle", "no warp", SL_METRIC_idle_share}};
enum { CAUSES = sizeof causes / sizeof *causes };

static void write_causes(FILE *file, const void *of)
{
    const sl_counts *counts = of;
    char text[SL_HUMAN_BYTES], title[256];
    size_t used = 0;
    *title = 0;
    for (int i = 0; i < CAUSES && used < sizeof title; i++) {
        double share;
        if (sl_counts_metric(causes[i].metric, counts, &share) && share > 0)
            used += (size_t)snprintf(title + used, sizeof title - used, "%s%s %s%%", used ? ", " : "", causes[i].name,
                                     sl_human_ratio(share, 1, text));
    }
    sl_htmlf(file, "<td><span class=\"bar wide\" role=img title=\"%s\">", title);
    for (int i = 0; i < CAUSES; i++) {
        double share;
        if (sl_counts_metric(causes[i].metric, counts, &share) && share > 0)
            fprintf(file, "<i class=%s style=\"width:%s%%\"></i>", causes[i].class, sl_human_ratio(share, 2, text));
    }
    fputs("</span></td>", file);
}

const sl_counts *sl_page_simulated(const sl_page *page, size_t kernel)
{
    const sl_joined_kernel *k = &page->joined.kernels.items[kernel];
    if (sl_counts_has(&k->counts, SL_COUNTER_cycles))
        return &k->counts;
    const sl_sweep *s = page->input.simulated;
    const sl_swept_kernel *run = s ? sl_sweep_kernel(s, k->symbol) : NULL;
    return run ? &run->swept[0].counts : NULL;
}

bool sl_section_has_time(const sl_page *page)
{
    for (size_t i = 0; page->input.machine && i < page->joined.kernels.count; i++) {
        const sl_counts *c = sl_page_simulated(page, i);
        if (c && c->value[SL_COUNTER_cycles])
            return true;
    }
    return false;
}

sl_status sl_section_time(FILE *file, const sl_page *page, sl_error *error)
{
    static const sl_column columns[] = {
        SL_NAMES("kernel"),
        SL_NUMBERS("cycles"),
        {.title = "schedulers", .description = "what they did, or what their warps waited for"}};
    if (!sl_section_has_time(page))
        return SL_OK;
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < page->joined.kernels.count; i++) {
        const sl_counts *c = sl_page_simulated(page, i);
        if (!c || !c->value[SL_COUNTER_cycles])
            continue;
        sl_page_kernel_cell(t, page, i, false);
        sl_table_count(t, c->value[SL_COUNTER_cycles]);
        sl_table_markup(t, write_causes, c);
    }
    fputs("<section id=time><h2>Where the time goes <span>simulated</span></h2>\n<p class=legend>Cycles of the "
          "schedulers: ",
          file);
    for (int n = 0; n < CAUSES; n++)
        fprintf(file, "<span><i class=%s></i> %s</span> ", causes[n].class, causes[n].name);
    fputs("</p>\n", file);
    sl_status status = sl_table_html(t, file, "Cycles by cause", "sortable", error);
    fputs("</section>\n", file);
    return status;
}
