/* SPDX-License-Identifier: MIT */
#include "report/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"
#include "report/parts.h"
#include "report/table.h"

static double speedup(const sl_tuning_row *row)
{
    return 100 / (100 - row->gain);
}

/* ---- text ---- */

/* Where an access is; of a setting nothing. */
static const char *source_text(const sl_plan_load *load, char *buffer, size_t size)
{
    const char *slash = load->source ? strrchr(load->source, '/') : NULL;
    *buffer = 0;
    if (load->source_line)
        snprintf(buffer, size, "%s:%u", slash ? slash + 1 : load->source ? load->source : "?", load->source_line);
    else if (load->line)
        snprintf(buffer, size, "line %u", load->line);
    return buffer;
}

/* By mode: what was measured, or, where nothing was timed, what is expected. */
static const double *gains_of(const sl_plan *plan, const sl_plan_load *load)
{
    return plan->timer ? load->affinity : load->predicted;
}

/* The mode with the largest gain; 0: none is known. */
static unsigned best_mode(const double *gain)
{
    unsigned best = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (!isnan(gain[m]) && (!best || gain[m] > gain[best]))
            best = m;
    return best;
}

static unsigned worst_mode(const double *gain)
{
    unsigned worst = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (!isnan(gain[m]) && (!worst || gain[m] < gain[worst]))
            worst = m;
    return worst;
}

static double noise_of(const sl_plan *plan, const char *function)
{
    for (uint32_t i = 0; i < plan->kernels; i++)
        if (!strcmp(plan->kernel[i].function, function))
            return plan->kernel[i].noise;
    return 0;
}

/* Whether there is something to say about a node: it is changed, or would make a difference, or cannot be changed. */
static bool matters(const sl_plan *plan, const sl_plan_load *load)
{
    const double *gain = gains_of(plan, load), noise = noise_of(plan, load->function);
    return load->mode || load->why || gain[best_mode(gain)] > noise || gain[worst_mode(gain)] < -noise;
}

static void effect_cells(sl_table *table, const double *gain, unsigned mode)
{
    sl_table_cell(table, mode ? sl_bypass_name(mode) : "");
    if (mode)
        sl_table_cellf(table, "%+.2f", gain[mode]);
    else
        sl_table_cell(table, "");
}

static sl_status loads_text(FILE *file, const sl_plan *plan, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true},  {"source", false, true}, {"array", false, true},
                                        {"access", false, true},  {"group", true, false},  {"best", false, false},
                                        {"gain %", true, false},  {"worst", false, false}, {"gain %", true, false},
                                        {"chosen", false, false}, {"why", false, true}};
    sl_table *table = SL_TABLE(columns);
    uint32_t silent = 0;
    for (uint32_t i = 0; i < plan->loads; i++) {
        const sl_plan_load *load = &plan->load[i];
        const double *gain = gains_of(plan, load);
        char buffer[160];
        if (!matters(plan, load)) {
            silent++;
            continue;
        }
        sl_table_function(table, load->function);
        sl_table_cell(table, source_text(load, buffer, sizeof buffer));
        sl_table_cell(table, load->array ? load->array : load->node == SL_NODE_KERNEL ? "" : "?");
        sl_table_cell(table, load->opcode ? load->opcode : "");
        sl_table_cellf(table, "%u", load->group);
        effect_cells(table, gain, best_mode(gain));
        effect_cells(table, gain, worst_mode(gain));
        sl_table_cell(table, load->mode ? sl_bypass_name(load->mode) : "");
        sl_table_cell(table, load->why ? load->why : "");
    }
    sl_status status = silent < plan->loads ? sl_table_finish(table, file, width, error) : SL_OK;
    if (silent == plan->loads)
        sl_table_destroy(table);
    if (silent)
        fprintf(file, "%s%u load%s, store%s and settings %s\n", silent < plan->loads ? "\nother " : "", silent,
                silent == 1 ? "" : "s", silent == 1 ? "" : "s",
                plan->timer ? "make no difference beyond noise" : "should make no difference");
    fputc('\n', file);
    return status;
}

/* How timings were ordered; once where it is the same for kernels that follow each other. */
static void ranking_text(FILE *file, const sl_plan *plan)
{
    const char *before = "";
    for (uint32_t i = 0; i < plan->kernels; i++) {
        const char *ranking = plan->kernel[i].ranking;
        if (ranking && strcmp(ranking, before) != 0)
            fprintf(file, "%sranking: %s\n", *before ? "" : "\n", ranking);
        before = ranking ? ranking : before;
    }
}

/* What was timed; nothing where only a ranking was asked for. */
static void time_cells(sl_table *table, const sl_tuning_row *row, bool ns)
{
    if (!(row->base > 0)) {
        for (int i = 0; i < 5; i++)
            sl_table_cell(table, "");
        return;
    }
    sl_table_cellf(table, ns ? "%.2f us" : "%.0f", ns ? row->base / 1e3 : row->base);
    sl_table_cellf(table, ns ? "%.2f us" : "%.0f", ns ? row->time / 1e3 : row->time);
    sl_table_cellf(table, "%.3f", speedup(row));
    sl_table_cellf(table, "%.2f", row->gain_spread);
    sl_table_cellf(table, "%.2f", row->noise);
}

sl_status sl_tuning_text(FILE *file, const sl_tuning *tuning, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true},  {"#", true, false},        {"launches", true, false},
                                        {"loads", true, false},   {"groups", true, false},   {"strategy", false, false},
                                        {"changed", true, false}, {"original", true, false}, {"planned", true, false},
                                        {"speedup", true, false}, {"+- %", true, false},     {"noise %", true, false},
                                        {"", false, true}};
    sl_status status = tuning->plan && tuning->plan->loads ? loads_text(file, tuning->plan, width, error) : SL_OK;
    sl_table *table = SL_TABLE(columns);
    for (size_t i = 0; i < tuning->rows; i++) {
        const sl_tuning_row *row = &tuning->row[i];
        sl_table_function(table, row->kernel);
        sl_table_cellf(table, "%" PRIu64, row->launch);
        sl_table_cellf(table, "%" PRIu64, row->launches);
        sl_table_cellf(table, "%u", row->loads);
        sl_table_cellf(table, "%u", row->groups);
        sl_table_cell(table, row->select);
        sl_table_cellf(table, "%u", row->chosen);
        time_cells(table, row, !strcmp(tuning->unit, "ns"));
        sl_table_cell(table, row->verdict);
    }
    sl_status printed = sl_table_finish(table, file, width, error);
    status = status ? status : printed;
    if (!status && tuning->plan)
        ranking_text(file, tuning->plan);
    return status ? status : sl_text_finish(file, "the report", error);
}

/* ---- CSV and JSON ---- */

/* A column of CSV and a member of JSON: a text, or a number. */
typedef struct field {
    const char *name, *text;
    double number;
} field;
enum { FIELDS = 14 };

static void list_fields(const sl_tuning_row *row, field out[FIELDS])
{
    const field list[FIELDS] = {{"subject", row->subject, 0},
                                {"kernel", row->kernel, 0},
                                {"launch", NULL, (double)row->launch},
                                {"launches", NULL, (double)row->launches},
                                {"loads", NULL, row->loads},
                                {"groups", NULL, row->groups},
                                {"select", row->select, 0},
                                {"bypass", NULL, row->chosen},
                                {"original", NULL, row->base},
                                {"planned", NULL, row->time},
                                {"speedup", NULL, speedup(row)},
                                {"spread_percent", NULL, row->gain_spread},
                                {"noise_percent", NULL, row->noise},
                                {"verdict", row->verdict, 0}};
    memcpy(out, list, sizeof list);
}

sl_status sl_tuning_csv(FILE *file, const sl_tuning *tuning, sl_error *error)
{
    fputs("subject,kernel,launch,launches,loads,groups,select,bypass,unit,original,planned,speedup,spread_percent,"
          "noise_percent,verdict\n",
          file);
    for (size_t i = 0; i < tuning->rows; i++) {
        field fields[FIELDS];
        list_fields(&tuning->row[i], fields);
        for (int f = 0; f < FIELDS; f++) {
            char number[SL_DOUBLE_BYTES];
            if (!strcmp(fields[f].name, "original"))
                fprintf(file, ",%s", tuning->unit);
            if (f)
                fputc(',', file);
            if (fields[f].text)
                sl_csv_field(file, fields[f].text);
            else
                fputs(sl_double_text(round(fields[f].number * 1e4) / 1e4, number), file);
        }
        fputc('\n', file);
    }
    return sl_text_finish(file, "the CSV report", error);
}

sl_status sl_tuning_json(FILE *file, const sl_tuning *tuning, sl_error *error)
{
    sl_json json;
    sl_json_start(&json, file);
    sl_json_object(&json, true);
    sl_report_head_json(&json, &tuning->info);
    sl_json_string_member(&json, "timer", tuning->timer);
    sl_json_string_member(&json, "unit", tuning->unit);
    sl_json_array_member(&json, "kernels", true);
    for (size_t i = 0; i < tuning->rows; i++) {
        field fields[FIELDS];
        list_fields(&tuning->row[i], fields);
        sl_json_object(&json, false);
        for (int f = 0; f < FIELDS; f++)
            if (fields[f].text)
                sl_json_string_member(&json, fields[f].name, fields[f].text);
            else
                sl_json_double_member(&json, fields[f].name, fields[f].number);
        sl_json_close(&json, '}');
    }
    sl_json_close(&json, ']');
    sl_json_close(&json, '}');
    return sl_json_finish(&json, error);
}
