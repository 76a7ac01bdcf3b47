/* SPDX-License-Identifier: MIT */
/* Reproductions of papers as text, CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_write.h"
#include "base/text.h"
#include "report/reproduction.h"
#include "report/table.h"

char *sl_measure_text(const sl_paper_measure *m, double value, char buffer[SL_MEASURE_BYTES])
{
    char number[SL_HUMAN_BYTES];
    if (isnan(value))
        *buffer = 0;
    else
        snprintf(buffer, SL_MEASURE_BYTES, "%s%s", sl_human_ratio(value, m->digits, number), m->unit);
    return buffer;
}

/* ---- text ---- */

static bool states(const sl_paper_column *column)
{
    return column->numbers > 0;
}

static const char *verdict_style(sl_verdict verdict)
{
    static const char *const styles[SL_VERDICTS] = {[SL_VERDICT_AGREES] = SL_STYLE_GOOD,
                                                    [SL_VERDICT_DIRECTION] = SL_STYLE_WARN,
                                                    [SL_VERDICT_DIFFERS] = SL_STYLE_BAD};
    return styles[verdict] ? styles[verdict] : "";
}

static void put_cells(sl_table *t, const sl_paper_figure *figure, const sl_compared *row)
{
    char text[SL_MEASURE_BYTES];
    for (size_t c = 0; c < figure->columns; c++) {
        const sl_paper_column *column = &figure->column[c];
        if (states(column))
            sl_table_cell(t, sl_measure_text(&column->measure, row[c].paper, text));
        sl_table_cell(t, isnan(row[c].ours) ? "-" : sl_measure_text(&column->measure, row[c].ours, text));
        if (states(column))
            sl_table_cellf(t, "%s%s%s", verdict_style(row[c].verdict), sl_verdict_names[row[c].verdict],
                           *verdict_style(row[c].verdict) ? SL_STYLE_END : "");
    }
}

static void put_group(sl_table *t, const sl_reproduction *r, const sl_paper_figure *figure, int group, sl_compared *row)
{
    const sl_paper_group *g = &r->group[group];
    bool means = false;
    for (size_t i = 0; i < g->count; i++) {
        sl_table_cell(t, g->name);
        sl_table_cell(t, r->paper->program[g->program[i]].name);
        for (size_t c = 0; c < figure->columns; c++)
            row[c] = sl_compare_program(r, &figure->column[c], g->program[i]);
        put_cells(t, figure, row);
    }
    for (size_t c = 0; c < figure->columns; c++) {
        bool mean = figure->column[c].mean != SL_MEAN_NONE;
        row[c] = mean ? sl_compare_group(r, &figure->column[c], group) : (sl_compared){.ours = NAN, .paper = NAN};
        means |= mean;
    }
    if (!means || !g->count)
        return;
    sl_table_cell(t, g->name);
    sl_table_cell(t, "mean");
    put_cells(t, figure, row);
}

static sl_status put_table(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, size_t width,
                           sl_error *error)
{
    sl_column *columns = calloc(2 + 3 * figure->columns, sizeof *columns);
    sl_compared *row = calloc(figure->columns + 1, sizeof *row);
    size_t count = 0;
    sl_status status = columns && row ? SL_OK : sl_fail_memory(error);
    if (!status) {
        columns[count++] = (sl_column){"class", false, false};
        columns[count++] = (sl_column){"program", false, false};
        for (size_t c = 0; c < figure->columns; c++) {
            if (states(&figure->column[c]))
                columns[count++] = (sl_column){"paper", true, false};
            columns[count++] = (sl_column){figure->column[c].name, true, false};
            if (states(&figure->column[c]))
                columns[count++] = (sl_column){"", false, false};
        }
        sl_table *t = sl_table_create(columns, count);
        for (size_t g = 0; t && g < figure->groups; g++)
            put_group(t, r, figure, figure->group[g], row);
        status = t ? sl_table_print(t, file, width, error) : sl_fail_memory(error);
        sl_table_destroy(t);
    }
    free(columns);
    free(row);
    return status;
}

static void put_claim(FILE *file, const sl_reproduction *r, const sl_paper_claim *claim)
{
    char ours[SL_MEASURE_BYTES], paper[SL_MEASURE_BYTES];
    sl_compared c = sl_compare_claim(r, claim);
    if (c.verdict == SL_VERDICT_NONE)
        return;
    fprintf(file, "  %s%-14s" SL_STYLE_END "  %s", verdict_style(c.verdict), sl_verdict_names[c.verdict], claim->says);
    if (claim->value && !isnan(c.ours)) {
        if (!isnan(claim->number))
            fprintf(file, ": paper %s,", sl_measure_text(&claim->measure, claim->number, paper));
        fprintf(file, "%s ours %s%s", isnan(claim->number) ? ":" : "", sl_measure_text(&claim->measure, c.ours, ours),
                c.holes ? " (not all programs)" : "");
    }
    fputc('\n', file);
    if (c.why)
        fprintf(file, "  %-14s  because %s\n", "", c.why);
}

static void put_reasons(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure)
{
    for (size_t c = 0; c < figure->columns; c++)
        for (size_t i = 0; i < figure->column[c].reasons; i++) {
            const sl_paper_reason *why = &figure->column[c].reason[i];
            sl_compared compared = why->program >= 0 ? sl_compare_program(r, &figure->column[c], why->program)
                                                     : sl_compare_group(r, &figure->column[c], why->group);
            if (compared.verdict > SL_VERDICT_AGREES && compared.why)
                fprintf(file, "  %s: %s\n",
                        why->program >= 0 ? r->paper->program[why->program].name : r->paper->group[why->group].name,
                        why->text);
        }
}

static sl_status put_figure(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, size_t width,
                            sl_error *error)
{
    fprintf(file, "\n%s: %s%s%s%s\n", figure->id, figure->title, *figure->where ? " (" : "", figure->where,
            *figure->where ? ")" : "");
    sl_status status = figure->columns ? put_table(file, r, figure, width, error) : SL_OK;
    if (status)
        return status;
    put_reasons(file, r, figure);
    for (size_t c = 0; c < figure->claims; c++)
        put_claim(file, r, &figure->claim[c]);
    if (*figure->note)
        fprintf(file, "  %s\n", figure->note);
    return SL_OK;
}

static void put_failures(FILE *file, const sl_reproduction *r)
{
    for (size_t i = 0; i < r->points; i++) {
        char text[512];
        if (r->outcome[i].state == SL_OUTCOME_FAILED)
            fprintf(file, "failed: %s: %s\n", sl_point_text(&r->point[i], text, sizeof text), r->outcome[i].failure);
    }
}

static sl_status put_paper(FILE *file, const sl_reproduction *r, size_t width, sl_error *error)
{
    size_t tally[SL_VERDICTS];
    fprintf(file, "%s: %s\n%s%s\n", r->paper->name, r->paper->title, r->paper->source,
            r->quick ? "; quick run on few programs" : "");
    sl_status status = SL_OK;
    for (size_t f = 0; f < r->paper->figures && !status; f++)
        if (r->wanted[f])
            status = put_figure(file, r, &r->paper->figure[f], width, error);
    if (sl_reproduction_tally(r, tally)) {
        fprintf(file, "\n%s: %zu agree, %zu have the same direction, %zu differ", r->paper->name,
                tally[SL_VERDICT_AGREES], tally[SL_VERDICT_DIRECTION], tally[SL_VERDICT_DIFFERS]);
        if (tally[SL_VERDICT_HOLE])
            fprintf(file, ", %zu are unknown", tally[SL_VERDICT_HOLE]);
        fputc('\n', file);
    }
    put_failures(file, r);
    return status;
}

sl_status sl_reproductions_text(FILE *file, const void *reproductions, sl_error *error)
{
    const sl_reproductions *all = reproductions;
    sl_status status = SL_OK;
    for (size_t i = 0; i < all->count && !status; i++) {
        if (i)
            fputc('\n', file);
        status = put_paper(file, &all->item[i], all->width, error);
    }
    return status;
}

/* ---- CSV ---- */

typedef struct csv {
    FILE *file;
    const char *paper;
} csv;

static void csv_number(FILE *file, double value)
{
    char text[SL_DOUBLE_BYTES];
    fprintf(file, ",%s", isnan(value) ? "" : sl_double_text(value, text));
}

static void csv_item(void *context, const sl_compared_item *item)
{
    const csv *c = context;
    const char *fields[] = {c->paper,
                            item->figure->id,
                            item->within,
                            item->mean ? "mean" : item->row,
                            item->column ? item->column->name : item->claim->says,
                            item->column ? item->column->measure.unit : item->claim->measure.unit};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (i)
            fputc(',', c->file);
        sl_csv_field(c->file, fields[i]);
    }
    csv_number(c->file, item->compared.paper);
    csv_number(c->file, item->compared.ours);
    fprintf(c->file, ",%s,", sl_verdict_names[item->compared.verdict]);
    sl_csv_field(c->file, item->compared.why ? item->compared.why : "");
    fputc('\n', c->file);
}

sl_status sl_reproductions_csv(FILE *file, const void *reproductions, sl_error *error)
{
    const sl_reproductions *all = reproductions;
    fputs("paper,figure,class,program,what,unit,stated,ours,verdict,why\n", file);
    for (size_t i = 0; i < all->count; i++)
        sl_reproduction_each(&all->item[i], csv_item, &(csv){file, all->item[i].paper->name});
    return ferror(file) ? sl_fail_io(error, "write", "the CSV") : SL_OK;
}

/* ---- JSON ---- */

static void json_item(void *context, const sl_compared_item *item)
{
    sl_json *json = context;
    const char *names[] = {"figure", "class", "program", "what", "unit", "verdict", "why"};
    const char *texts[] = {item->figure->id,
                           item->within,
                           item->mean ? "mean" : item->row,
                           item->column ? item->column->name : item->claim->says,
                           item->column ? item->column->measure.unit : item->claim->measure.unit,
                           sl_verdict_names[item->compared.verdict],
                           item->compared.why};
    sl_json_object(json, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!texts[i] || !*texts[i])
            continue;
        sl_json_string_member(json, names[i], texts[i]);
    }
    if (!isnan(item->compared.paper)) {
        sl_json_double_member(json, "stated", item->compared.paper);
    }
    sl_json_double_member(json, "ours", item->compared.ours);
    sl_json_close(json, '}');
}

/* How many statements there are of each verdict. */
static void json_tally(sl_json *json, const sl_reproduction *r)
{
    size_t tally[SL_VERDICTS];
    sl_reproduction_tally(r, tally);
    sl_json_object_member(json, "statements", false);
    for (int v = SL_VERDICT_AGREES; v < SL_VERDICTS; v++)
        sl_json_u64_member(json, sl_verdict_names[v], tally[v]);
    sl_json_close(json, '}');
}

static void json_failures(sl_json *json, const sl_reproduction *r)
{
    sl_json_array_member(json, "failed_points", true);
    for (size_t i = 0; i < r->points; i++) {
        char text[512];
        if (r->outcome[i].state != SL_OUTCOME_FAILED)
            continue;
        sl_json_object(json, false);
        sl_json_string_member(json, "point", sl_point_text(&r->point[i], text, sizeof text));
        sl_json_string_member(json, "error", r->outcome[i].failure);
        sl_json_close(json, '}');
    }
    sl_json_close(json, ']');
}

sl_status sl_reproductions_json(FILE *file, const void *reproductions, sl_error *error)
{
    const sl_reproductions *all = reproductions;
    sl_json json;
    sl_json_start(&json, file);
    sl_json_object(&json, true);
    sl_json_string_member(&json, "version", SLUICE_VERSION);
    sl_json_array_member(&json, "papers", true);
    for (size_t i = 0; i < all->count; i++) {
        const sl_reproduction *r = &all->item[i];
        sl_json_object(&json, true);
        sl_json_string_member(&json, "name", r->paper->name);
        sl_json_string_member(&json, "title", r->paper->title);
        sl_json_key(&json, "quick");
        sl_json_bool(&json, r->quick);
        json_tally(&json, r);
        sl_json_array_member(&json, "numbers", true);
        sl_reproduction_each(r, json_item, &json);
        sl_json_close(&json, ']');
        json_failures(&json, r);
        sl_json_close(&json, '}');
    }
    sl_json_close(&json, ']');
    sl_json_close(&json, '}');
    return sl_json_finish(&json, error);
}
