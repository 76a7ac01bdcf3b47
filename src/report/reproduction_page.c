/* SPDX-License-Identifier: MIT */
/* A paper as an HTML page: tables, and bars of the paper's numbers next to ours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/page_sections.h"
#include "report/results.h"

static const char *const verdict_class[SL_VERDICTS] = {
    "", "v-agrees", "v-direction", "v-differs", "v-unresolved", "v-input", "v-unknown"};

static void write_verdict(FILE *file, const void *of)
{
    const sl_compared *c = of;
    fprintf(file, "<td class=\"%s\"", verdict_class[c->verdict]);
    if (c->why) {
        fputs(" title=\"", file);
        sl_html_text(file, c->why);
        fputs("\"", file);
    }
    fprintf(file, ">%s</td>", sl_verdict_names[c->verdict]);
}

static void verdict_cell(sl_table *t, const sl_compared *c)
{
    sl_compared *copy = sl_table_alloc(t, sizeof *copy);
    if (copy)
        *copy = *c;
    sl_table_markup(t, write_verdict, copy);
}

static void measure_cell(sl_table *t, const sl_paper_measure *m, double value)
{
    sl_table_number(t, value, m->digits, m->unit);
}

/* ---- tables ---- */

/* A row of a figure: of a program (group < 0), or the means of a group. */
static void add_row(sl_table *t, const sl_reproduction *r, const sl_paper_figure *figure, int program, int group)
{
    const sl_paper_group *g = &r->group[group];
    sl_table_cell(t, g->name);
    sl_table_cell(t, program >= 0 ? r->paper->program[program].name : "mean");
    for (size_t c = 0; c < figure->columns; c++) {
        const sl_paper_column *column = &figure->column[c];
        sl_compared value = program >= 0                   ? sl_compare_program(r, column, program)
                            : column->mean != SL_MEAN_NONE ? sl_compare_group(r, column, group)
                                                           : (sl_compared){.ours = NAN, .paper = NAN};
        measure_cell(t, &column->measure, value.ours);
        if (!column->numbers)
            continue;
        measure_cell(t, &column->measure, value.paper);
        verdict_cell(t, &value);
    }
}

/* Where columns are ranked by their means, these come first. */
static void add_rows(sl_table *t, const sl_reproduction *r, const sl_paper_figure *figure, int group)
{
    const sl_paper_group *g = &r->group[group];
    bool means = false;
    for (size_t c = 0; c < figure->columns && g->count; c++)
        means |= figure->column[c].mean != SL_MEAN_NONE;
    if (means && figure->ranked)
        add_row(t, r, figure, -1, group);
    for (size_t i = 0; i < g->count; i++)
        add_row(t, r, figure, g->program[i], group);
    if (means && !figure->ranked)
        add_row(t, r, figure, -1, group);
}

static sl_status write_table(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    sl_column *columns = calloc(2 + 3 * figure->columns, sizeof *columns);
    size_t count = 0;
    if (!columns)
        return sl_fail_memory(error);
    columns[count++] = (sl_column)SL_TEXTS("class");
    columns[count++] = (sl_column)SL_TEXTS("program");
    for (size_t c = 0; c < figure->columns; c++) {
        const sl_paper_column *column = &figure->column[c];
        columns[count++] = (sl_column){.title = column->name, .right = true, .description = column->formula};
        if (!column->numbers)
            continue;
        columns[count++] = (sl_column)SL_NUMBERS("(paper)");
        columns[count++] = (sl_column)SL_TEXTS("verdict");
    }
    sl_table *t = sl_table_create(columns, count);
    for (size_t g = 0; g < figure->groups; g++)
        add_rows(t, r, figure, figure->group[g]);
    free(columns);
    return sl_table_html(t, file, figure->title, "sortable", error);
}

/* ---- claims ---- */

static sl_status write_claims(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("verdict"), SL_TEXTS("claim"), SL_NUMBERS("paper"), SL_NUMBERS("ours"),
                                        SL_TEXTS("explanation")};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < figure->claims; i++) {
        const sl_paper_claim *claim = &figure->claim[i];
        const sl_compared c = sl_compare_claim(r, claim);
        if (c.verdict == SL_VERDICT_NONE)
            continue;
        verdict_cell(t, &c);
        sl_table_cell(t, claim->says);
        measure_cell(t, &claim->measure, claim->number);
        measure_cell(t, &claim->measure, c.ours);
        sl_table_cell(t, c.why);
    }
    return sl_table_html(t, file, "Claims of the paper", "claims", error);
}

static void write_reasons(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure)
{
    bool open = false;
    for (size_t c = 0; c < figure->columns; c++)
        for (size_t i = 0; i < figure->column[c].reasons; i++) {
            const sl_paper_reason *why = &figure->column[c].reason[i];
            sl_compared compared = why->program >= 0 ? sl_compare_program(r, &figure->column[c], why->program)
                                                     : sl_compare_group(r, &figure->column[c], why->group);
            if (compared.verdict <= SL_VERDICT_AGREES)
                continue;
            fputs(open ? "<dt>" : "<dl class=reasons><dt>", file);
            sl_html_text(file,
                         why->program >= 0 ? r->paper->program[why->program].name : r->paper->group[why->group].name);
            fputs("</dt><dd>", file);
            sl_html_text(file, why->text);
            fputs("</dd>\n", file);
            open = true;
        }
    if (open)
        fputs("</dl>\n", file);
}

/* ---- the page ---- */

static bool has_rows(const sl_reproduction *r, const sl_paper_figure *figure)
{
    size_t rows = 0;
    for (size_t g = 0; figure->columns && g < figure->groups; g++)
        rows += r->group[figure->group[g]].count;
    return rows > 0;
}

static bool has_claims(const sl_reproduction *r, const sl_paper_figure *figure)
{
    for (size_t i = 0; i < figure->claims; i++)
        if (sl_compare_claim(r, &figure->claim[i]).verdict != SL_VERDICT_NONE)
            return true;
    return false;
}

/* A quick run may leave nothing of a figure. */
static bool is_shown(const sl_reproduction *r, size_t f)
{
    const sl_paper_figure *figure = &r->paper->figure[f];
    return r->wanted[f] && (figure->states || has_rows(r, figure) || has_claims(r, figure));
}

static sl_status write_figure(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    fputs("<section id=\"", file);
    sl_html_text(file, figure->id);
    fputs("\"><h2>", file);
    sl_html_text(file, figure->title);
    fputs(" <span>", file);
    sl_html_text(file, figure->where);
    fputs("</span></h2>\n", file);
    bool drawn;
    sl_status status = sl_reproduction_chart(file, r, figure, false, &drawn, error);
    if (!status && has_claims(r, figure))
        status = write_claims(file, r, figure, error);
    if (!status && has_rows(r, figure))
        status = write_table(file, r, figure, error);
    write_reasons(file, r, figure);
    if (*figure->note) {
        fputs("<p class=note>", file);
        sl_html_text(file, figure->note);
        fputs("</p>\n", file);
    }
    fputs("</section>\n", file);
    return status;
}

static void write_overview(FILE *file, const sl_reproduction *r)
{
    static const char *const titles[SL_VERDICTS] = {"",       "agree",  "same direction", "differ", "not resolved",
                                                    "inputs", "unknown"};
    size_t tally[SL_VERDICTS];
    bool judged = sl_reproduction_tally(r, tally);
    fputs("<section id=overview><h2>Overview</h2>\n<dl class=tiles>\n", file);
    for (int v = SL_VERDICT_AGREES; v < SL_VERDICTS && judged; v++)
        if (tally[v] || v <= SL_VERDICT_DIFFERS)
            fprintf(file, "<div class=%s><dt>%s</dt><dd>%zu</dd></div>\n", verdict_class[v], titles[v], tally[v]);
    fputs("</dl>\n<p>", file);
    sl_html_text(file, r->paper->summary);
    fputs("</p>\n", file);
    for (size_t i = 0; i < r->points; i++) {
        char text[512];
        if (r->outcome[i].state != SL_OUTCOME_FAILED)
            continue;
        fputs("<p class=\"note bad\">failed: ", file);
        sl_html_text(file, sl_point_text(&r->point[i], text, sizeof text));
        fputs(": ", file);
        sl_html_text(file, r->outcome[i].failure);
        fputs("</p>\n", file);
    }
    fputs("</section>\n", file);
}

static void write_nav(FILE *file, const sl_reproduction *r)
{
    fputs("<nav aria-label=Figures><ul>\n<li><a href=\"#overview\">Overview</a></li>\n", file);
    for (size_t f = 0; f < r->paper->figures; f++) {
        if (!is_shown(r, f))
            continue;
        fputs("<li><a href=\"#", file);
        sl_html_text(file, r->paper->figure[f].id);
        fputs("\">", file);
        sl_html_text(file, r->paper->figure[f].id);
        fputs("</a></li>\n", file);
    }
    fputs("</ul></nav>\n", file);
}

sl_status sl_reproduction_page(FILE *file, const sl_reproduction *r, sl_error *error)
{
    sl_page_frame_head(file, r->paper->title);
    fputs("<body>\n<a class=skip href=\"#main\">Skip to the numbers</a>\n<header><h1>", file);
    sl_html_text(file, r->paper->title);
    fputs("</h1>\n<p class=facts>", file);
    sl_html_text(file, r->paper->source);
    fprintf(file, " \u00b7 sluice " SLUICE_VERSION " reproduce%s</p>\n</header>\n",
            r->quick ? " \u00b7 <b>quick run on few programs</b>" : "");
    write_nav(file, r);
    fputs("<main id=main>\n", file);
    write_overview(file, r);
    sl_status status = SL_OK;
    for (size_t f = 0; f < r->paper->figures && !status; f++)
        if (is_shown(r, f))
            status = write_figure(file, r, &r->paper->figure[f], error);
    fputs("</main>\n<script type=\"application/json\" id=data>{\"kernels\": []}</script>\n", file);
    sl_page_frame_end(file);
    if (!status && (fflush(file) || ferror(file)))
        status = sl_fail_io(error, "write", "the HTML page");
    return status;
}
