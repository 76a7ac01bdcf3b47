/* SPDX-License-Identifier: MIT */
/* The page as a whole: head, sections, data, scripts. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page_sections.h"

/* Command, options and input that produced the numbers. */
static void write_facts(FILE *file, const sl_page *page)
{
    const sl_report_info *info = &page->input.info;
    sl_htmlf(file, "<p class=facts>sluice " SLUICE_VERSION " %s", info->command);
    if (info->trace)
        sl_htmlf(file, " \u00b7 trace %s", info->trace->path);
    if (info->trace && info->trace->producer)
        sl_htmlf(file, " \u00b7 recorded by <code>%s</code>", info->trace->producer);
    for (size_t i = 0; i < info->options; i++)
        sl_htmlf(file, " \u00b7 %s <b>%s</b>", info->option[i].name, info->option[i].value);
    if (info->seed)
        fprintf(file, " \u00b7 seed <b>%llu</b>", (unsigned long long)*info->seed);
    fputs("</p>\n", file);
    if (info->trace && info->trace->damage)
        sl_htmlf(file, "<p class=\"note bad\">The trace is damaged: %s</p>\n", info->trace->damage);
}

static void write_legend(FILE *file, const sl_page *page)
{
    static const char *const classes[][2] = {
        {"c-hit", "hit"},           {"c-pending", "pending hit"}, {"c-other", "miss"},  {"c-compulsory", "compulsory"},
        {"c-capacity", "capacity"}, {"c-conflict", "conflict"},   {"c-store", "store"}, {"c-mshr", "MSHR"},
        {"c-bypassed", "bypassed"}};
    enum { MISS = 2 }; /* behind the hits: misses as such, or their classes */
    bool classed = page->input.sizes || sl_counts_has(&page->joined.counts, SL_COUNTER_compulsory_sectors);
    if (!sl_counts_has(&page->joined.counts, SL_COUNTER_ld_sector_hits) && !page->input.sizes)
        return;
    fputs("<p class=legend>Load sectors in L1: ", file);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (i < MISS || (i == MISS) != classed)
            fprintf(file, "<span><i class=%s></i> %s</span> ", classes[i][0], classes[i][1]);
    fputs("</p>\n", file);
}

static void write_nav(FILE *file, const sl_page *page)
{
    const sl_page_input *in = &page->input;
    const struct {
        const char *id, *title;
        bool there;
    } links[] = {
        {"findings", "Findings", in->info.findings},
        {"overview", "Overview", page->joined.kernels.count},
        {"time", "Time", sl_section_has_time(page)},
        {"roofline", "Roofline", sl_page_has_roofline(page)},
        {"kernels", "Kernels", page->joined.kernels.count},
        {"sizes", "Cache sizes", sl_page_has_sweep(in->sizes)},
        {"policies", "Policies", sl_page_has_sweep(in->policies)},
        {"simulated", "Simulated", sl_page_has_sweep(in->simulated)},
        {"hardware", "Hardware", in->validation},
        {"launches", "Launches", page->joined.launches.count > 1},
        {"counters", "Counters", true},
    };
    fputs("<nav aria-label=Sections><ul>\n", file);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (links[i].there)
            fprintf(file, "<li><a href=\"#%s\">%s</a></li>\n", links[i].id, links[i].title);
    fputs("</ul>\n", file);
    write_legend(file, page);
    fputs("</nav>\n", file);
}

static sl_status write_sections(FILE *file, const sl_page *page, sl_error *error)
{
    typedef sl_status section(FILE * file, const sl_page *page, sl_error *error);
    static section *const before[] = {sl_section_time, sl_section_roofline, sl_section_kernels, sl_section_worst_loads};
    static section *const after[] = {sl_section_sizes,    sl_section_policies, sl_section_simulated,
                                     sl_section_hardware, sl_section_launches, sl_section_glossary};
    sl_status status = SL_OK;
    sl_section_findings(file, page);
    sl_section_overview(file, page);
    for (size_t i = 0; i < sizeof before / sizeof *before && !status; i++)
        status = before[i](file, page, error);
    for (size_t i = 0; i < page->joined.kernels.count && !status; i++)
        status = sl_section_kernel(file, page, i, error);
    for (size_t i = 0; i < sizeof after / sizeof *after && !status; i++)
        status = after[i](file, page, error);
    return status;
}

/* What the script draws; of many launches without the list of them, which would be most of the page.
 * JSON inside a script element: '<', which could end the element, is escaped. It occurs in strings only. */
static sl_status write_data(FILE *file, const sl_page *page, sl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return sl_fail_memory(error);
    sl_document *d = sl_document_create(&page->input.info, SL_FORM_JSON);
    sl_document_page(d, page, !sl_page_folds_launches(page));
    sl_status status = sl_document_write(d, SL_FORM_JSON, memory, 0, error);
    sl_document_destroy(d);
    if (fclose(memory) && !status)
        status = sl_fail_memory(error);
    if (!status) {
        fputs("<script type=\"application/json\" id=data>\n", file);
        for (size_t i = 0; i < bytes; i++)
            if (text[i] == '<')
                fputs("\\u003c", file);
            else
                fputc(text[i], file);
        fputs("</script>\n", file);
    }
    free(text);
    return status;
}

sl_status sl_page_html(FILE *file, const sl_page *page, sl_error *error)
{
    char *title = NULL;
    const char *machine = page->input.info.machine;
    if (asprintf(&title, "%s%s%s", page->input.subject, machine ? " on " : "", machine ? machine : "") < 0)
        return sl_fail_memory(error);
    sl_page_frame_head(file, title);
    sl_htmlf(file, "<body>\n<a class=skip href=\"#main\">Skip to the numbers</a>\n<header><h1>%s</h1>\n", title);
    free(title);
    write_facts(file, page);
    fputs("</header>\n", file);
    write_nav(file, page);
    fputs("<main id=main>\n", file);
    sl_status status = write_sections(file, page, error);
    fputs("</main>\n", file);
    if (!status)
        status = write_data(file, page, error);
    if (status)
        return status;
    sl_page_frame_end(file);
    return sl_text_finish(file, "the HTML report", error);
}

sl_status sl_page_create(const sl_page_input *input, sl_page **page, sl_error *error)
{
    sl_page *p = calloc(1, sizeof *p);
    if (!p)
        return sl_fail_memory(error);
    p->input = *input;
    sl_arena_init(&p->arena);
    sl_status status = sl_joined_init(&p->joined, &input->results, error);
    if (!status && !sl_page_find_views(p))
        status = sl_fail_memory(error);
    if (status)
        sl_page_destroy(p);
    else
        *page = p;
    return status;
}

void sl_page_destroy(sl_page *page)
{
    if (!page)
        return;
    sl_joined_fini(&page->joined);
    sl_arena_fini(&page->arena);
    free(page);
}
