/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/roofline.h"
#include "report/html.h"
#include "report/page_sections.h"
#include "report/plot.h"

enum { NAMED = 9, CURVE = 2, SERIES = SL_ROOFS * 2 + 1 + NAMED, PAGE_WIDTH = 820 };

static const char *const roof_name[SL_ROOFS] = {"L1", "L2", "DRAM"};

/* A kernel of the page, the longest first. */
typedef struct used {
    size_t kernel;
    sl_roof_use use;
    char number[16], name[80], title[SL_ROOFS][400];
} used;

typedef struct roofline {
    sl_roofs roofs;
    double cycles; /* of all kernels */
    size_t count;
    used *used; /* [count] */
} roofline;

static int longest_first(const void *left, const void *right)
{
    const used *a = left, *b = right;
    if (a->use.cycles != b->use.cycles)
        return a->use.cycles > b->use.cycles ? -1 : 1;
    return a->kernel < b->kernel ? -1 : 1;
}

static bool use_of(const sl_page *page, size_t kernel, sl_roof_use *use)
{
    const sl_counts *simulated = sl_page_simulated(page, kernel);
    return sl_roof_use_of(page->input.machine, simulated ? simulated : &page->joined.kernels.items[kernel].counts, use);
}

bool sl_page_has_roofline(const sl_page *page)
{
    sl_roof_use use;
    for (size_t i = 0; page->input.machine && i < page->joined.kernels.count; i++)
        if (use_of(page, i, &use))
            return true;
    return false;
}

/* "3 kernel(float const*…": a kernel by its number in the picture. */
static void shorten(const char *number, const char *name, char *text, size_t size)
{
    size_t whole = strlen(name), bytes = sl_utf8_prefix(name, 48);
    snprintf(text, size, "%s %.*s%s", number, (int)(bytes < size - 20 ? bytes : size - 20), name,
             bytes < whole ? "…" : "");
}

static sl_status roofline_of(const sl_page *page, roofline *r, sl_error *error)
{
    *r = (roofline){.roofs = sl_roofs_of(page->input.machine)};
    r->used = calloc(page->joined.kernels.count + 1, sizeof *r->used);
    if (!r->used)
        return sl_fail_memory(error);
    for (size_t i = 0; i < page->joined.kernels.count; i++) {
        used *u = &r->used[r->count];
        u->kernel = i;
        if (!use_of(page, i, &u->use))
            continue;
        r->cycles += u->use.cycles;
        r->count++;
    }
    if (r->count)
        qsort(r->used, r->count, sizeof *r->used, longest_first);
    for (size_t i = 0; i < r->count; i++) {
        used *u = &r->used[i];
        snprintf(u->number, sizeof u->number, "%zu", i + 1);
        shorten(u->number, page->joined.kernels.items[u->kernel].name, u->name, sizeof u->name);
        for (int l = 0; l < SL_ROOFS; l++) {
            char insts[SL_HUMAN_BYTES], bytes[SL_HUMAN_BYTES], cycles[SL_HUMAN_BYTES];
            snprintf(u->title[l], sizeof u->title[l],
                     "%.200s, %s: %s warp instructions and %s bytes per cycle, %s %s cycles",
                     page->joined.kernels.items[u->kernel].name, roof_name[l], sl_human_ratio(u->use.insts, 2, insts),
                     sl_human_ratio(u->use.bytes[l], 1, bytes), sl_human_count((uint64_t)u->use.cycles, cycles),
                     u->use.simulated ? "simulated" : "estimated");
        }
    }
    return SL_OK;
}

/* ---- the picture ---- */

typedef struct picture {
    sl_plot chart;
    sl_plot_series series[SERIES];
    sl_plot_dot roof[SL_ROOFS][CURVE], issue[CURVE], across[NAMED][CURVE];
    const char *key[NAMED];
    char text[SL_ROOFS + 1][96], note[160];
    sl_plot_dot *dot; /* [SL_ROOFS][count] */
} picture;

static void add_kernels(picture *p, const roofline *r)
{
    for (int l = 0; l < SL_ROOFS; l++) {
        sl_plot_dot *dot = &p->dot[(size_t)l * r->count];
        for (size_t i = 0; i < r->count; i++) {
            const sl_roof_use *u = &r->used[i].use;
            dot[i] = (sl_plot_dot){
                .x = u->bytes[l] > 0 ? u->insts / u->bytes[l] : NAN, .y = u->insts, .title = r->used[i].title[l]};
        }
        p->series[l] =
            (sl_plot_series){.name = p->text[l], .color = (unsigned)l, .dots = true, .count = r->count, .dot = dot};
    }
}

/* Roofs across the whole range of x. */
static void add_roofs(picture *p, const roofline *r)
{
    double left = p->chart.x.min, right = p->chart.x.max, top = r->roofs.insts;
    for (int l = 0; l < SL_ROOFS; l++) {
        double bytes = r->roofs.bytes[l], knee = bytes > 0 ? top / bytes : 0;
        double from = p->chart.y.min / (bytes > 0 ? bytes : 1);
        from = from > left ? from : left;
        p->roof[l][0] = (sl_plot_dot){.x = from, .y = from * bytes};
        p->roof[l][1] = (sl_plot_dot){.x = knee < right ? knee : right, .y = knee < right ? top : right * bytes};
        p->series[SL_ROOFS + l] = (sl_plot_series){
            .color = (unsigned)l, .line = true, .count = bytes > 0 && from < knee ? CURVE : 0, .dot = p->roof[l]};
    }
    p->issue[0] = (sl_plot_dot){.x = left, .y = top};
    p->issue[1] = (sl_plot_dot){.x = right, .y = top};
    p->series[2 * SL_ROOFS] =
        (sl_plot_series){.name = p->text[SL_ROOFS], .color = 7, .line = true, .count = CURVE, .dot = p->issue};
}

/* A line through the dots of each of the longest kernels, with its number. */
static void add_numbers(picture *p, const roofline *r)
{
    for (size_t i = 0; i < r->count && i < NAMED; i++) {
        sl_plot_dot *across = p->across[i];
        across[0] = across[1] = (sl_plot_dot){.x = NAN};
        for (int l = 0; l < SL_ROOFS; l++) {
            const sl_plot_dot *d = &p->dot[(size_t)l * r->count + i];
            if (isnan(d->x))
                continue;
            across[0] = isnan(across[0].x) || d->x < across[0].x ? *d : across[0];
            across[1] = isnan(across[1].x) || d->x >= across[1].x ? *d : across[1];
        }
        p->series[2 * SL_ROOFS + 1 + i] = (sl_plot_series){.color = 7,
                                                           .line = true,
                                                           .thin = true,
                                                           .at = r->used[i].number,
                                                           .count = isnan(across[0].x) ? 0 : CURVE,
                                                           .dot = across};
        p->key[p->chart.keys++] = r->used[i].name;
    }
    p->chart.key = p->key;
}

static sl_status picture_of(const roofline *r, picture *p, sl_error *error)
{
    char number[SL_HUMAN_BYTES];
    *p = (picture){.dot = calloc(SL_ROOFS * (r->count + 1), sizeof *p->dot)};
    if (!p->dot)
        return sl_fail_memory(error);
    for (int l = 0; l < SL_ROOFS; l++)
        snprintf(p->text[l], sizeof p->text[l], "%s: %s bytes per cycle", roof_name[l],
                 sl_human_count((uint64_t)r->roofs.bytes[l], number));
    snprintf(p->text[SL_ROOFS], sizeof p->text[SL_ROOFS], "issue: %s warp instructions per cycle",
             sl_human_count((uint64_t)r->roofs.insts, number));
    snprintf(p->note, sizeof p->note, "%s cycles; kernels are numbered by their time%s",
             r->count && r->used[0].use.simulated ? "simulated" : "estimated",
             r->count > NAMED ? ", the longest alone" : "");
    p->chart = (sl_plot){.title = "Roofline of instructions",
                         .note = p->note,
                         .x = {.title = "warp instructions per byte", .scale = SL_PLOT_LOG},
                         .y = {.title = "warp instructions per cycle", .scale = SL_PLOT_LOG},
                         .count = SL_ROOFS,
                         .series = p->series};
    add_kernels(p, r);
    sl_plot_fit(&p->chart, true, false, &p->chart.x);
    sl_plot_fit(&p->chart, false, false, &p->chart.y);
    double knee = r->roofs.bytes[SL_ROOF_DRAM] > 0 ? r->roofs.insts / r->roofs.bytes[SL_ROOF_DRAM] : 1;
    p->chart.x.max = p->chart.x.max > knee * 2 ? p->chart.x.max : pow(10, ceil(log10(knee * 2)));
    p->chart.y.max = p->chart.y.max > r->roofs.insts ? p->chart.y.max : pow(10, ceil(log10(r->roofs.insts * 1.2)));
    p->chart.count = SERIES;
    add_roofs(p, r);
    add_numbers(p, r);
    return SL_OK;
}

/* ---- the section ---- */

/* A share of what the GPU can do, in percent, with a bar. */
static void write_fraction(FILE *file, const void *of)
{
    char text[SL_HUMAN_BYTES], exact[SL_DOUBLE_BYTES];
    double share = *(const double *)of;
    sl_human_ratio(share, 1, text);
    fprintf(file, "<td class=n data-v=\"%s\">%s%%<span class=light><i style=\"width:%s%%\"></i></span></td>",
            sl_double_text(share, exact), text, text);
}

static void fraction_cell(sl_table *t, double part, double all)
{
    double *share = all > 0 ? sl_table_alloc(t, sizeof *share) : NULL;
    if (share) {
        *share = 100 * part / all;
        sl_table_markup(t, write_fraction, share);
    } else {
        sl_table_none(t);
    }
}

static sl_status write_table(FILE *file, const sl_page *page, const roofline *r, sl_error *error)
{
    bool simulated = r->count && r->used[0].use.simulated;
    const sl_column columns[] = {
        SL_NUMBERS("#"),
        SL_NAMES("kernel"),
        {.title = simulated ? "cycles" : "est cycles",
         .right = true,
         .description = simulated ? "simulated" : "estimated"},
        {.title = "% of time", .right = true, .description = "of the cycles of all kernels"},
        {.title = "insts/cycle", .right = true, .description = "warp instructions executed per cycle, on all SMs"},
        {.title = "% of issue", .right = true, .description = "of the warp instructions that the GPU can issue"},
        {.title = "% of L1", .right = true, .description = "of the bytes that all L1s can deliver"},
        {.title = "% of L2", .right = true, .description = "of the bytes that L2 can deliver"},
        {.title = "% of DRAM", .right = true, .description = "of the bytes that DRAM can deliver"},
        {.title = "limit", .description = "what takes most of the estimated time"}};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < r->count; i++) {
        const used *u = &r->used[i];
        const sl_counts *c = &page->joined.kernels.items[u->kernel].counts;
        bool limited = sl_counts_has(c, SL_COUNTER_est_limit);
        sl_table_exact(t, i + 1);
        sl_page_kernel_cell(t, page, u->kernel, false);
        sl_table_count(t, (uint64_t)u->use.cycles);
        sl_table_number(t, 100 * u->use.cycles / r->cycles, 1, "%");
        sl_table_number(t, u->use.insts, 2, "");
        fraction_cell(t, u->use.insts, r->roofs.insts);
        for (int l = 0; l < SL_ROOFS; l++)
            fraction_cell(t, u->use.bytes[l], r->roofs.bytes[l]);
        sl_table_known(t, limited ? sl_counter_word(SL_COUNTER_est_limit, c->value[SL_COUNTER_est_limit]) : NULL);
    }
    return sl_table_html(t, file, "How much of each roof the kernels use, by time", "sortable long", error);
}

sl_status sl_section_roofline(FILE *file, const sl_page *page, sl_error *error)
{
    roofline r = {0};
    picture p = {0};
    if (!sl_page_has_roofline(page))
        return SL_OK;
    sl_status status = roofline_of(page, &r, error);
    if (!status)
        status = picture_of(&r, &p, error);
    if (!status) {
        fputs("<section id=roofline><h2>Roofline <span>of warp instructions</span></h2>\n"
              "<figure class=drawn>",
              file);
        sl_svg_start(file, PAGE_WIDTH, (unsigned)ceil(sl_plot_height(&p.chart, PAGE_WIDTH)), NULL);
        sl_plot_draw(file, &p.chart, 0, PAGE_WIDTH);
        fputs("</svg></figure>\n", file);
        status = write_table(file, page, &r, error);
        fputs("</section>\n", file);
    }
    free(p.dot);
    free(r.used);
    return status;
}

sl_status sl_page_roofline(FILE *file, const sl_page *page, sl_error *error)
{
    roofline r = {0};
    picture p = {0};
    if (!sl_page_has_roofline(page))
        return sl_fail(error, SL_UNSUPPORTED, "a roofline needs cycles, which are not known of any kernel");
    sl_status status = roofline_of(page, &r, error);
    if (!status)
        status = picture_of(&r, &p, error);
    if (!status)
        status = sl_plots_svg(file, &p.chart, 1, error);
    free(p.dot);
    free(r.used);
    return status;
}
