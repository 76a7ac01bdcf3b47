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

static const char *source_text(const sl_plan_load *load, char *buffer, size_t size)
{
    const char *slash = load->source ? strrchr(load->source, '/') : NULL;
    if (load->node == SL_NODE_KERNEL)
        *buffer = '\0';
    else if (load->source_line)
        snprintf(buffer, size, "%s:%u", slash ? slash + 1 : load->source ? load->source : "?", load->source_line);
    else
        snprintf(buffer, size, "line %u", load->line);
    return buffer;
}

/* The mode that is not by level with the greatest gain; 0: none was timed. */
static unsigned best_other(const sl_plan_load *load)
{
    unsigned best = 0;
    for (unsigned m = SL_BYPASS_BY_LEVEL; m < SL_BYPASS_MODES; m++)
        if (!isnan(load->affinity[m]) && (!best || load->affinity[m] > load->affinity[best]))
            best = m;
    return best;
}

static void gain_cell(sl_table *table, const sl_plan_load *load, unsigned mode)
{
    if (isnan(load->affinity[mode]))
        sl_table_cell(table, "");
    else
        sl_table_cellf(table, "%+.2f", load->affinity[mode]);
}

static void other_cell(sl_table *table, const sl_plan_load *load)
{
    unsigned mode = best_other(load);
    if (mode)
        sl_table_cellf(table, "%s %+.2f", sl_bypass_name(mode), load->affinity[mode]);
    else
        sl_table_cell(table, "");
}

static sl_status loads_text(FILE *file, const sl_plan *plan, size_t width, sl_error *error)
{
    static const sl_column plain[] = {{"kernel", false, true}, {"inst", true, false}, {"source", false, true},
                                      {"array", false, true},  {"load", false, true}, {"group", true, false},
                                      {"L1 %", true, false},   {"L2 %", true, false}, {"both %", true, false},
                                      {"mode", false, false},  {"why", false, true}};
    static const sl_column more[] = {{"kernel", false, true},   {"inst", true, false},   {"source", false, true},
                                     {"array", false, true},    {"access", false, true}, {"group", true, false},
                                     {"L1 %", true, false},     {"L2 %", true, false},   {"both %", true, false},
                                     {"other %", false, false}, {"mode", false, false},  {"why", false, true}};
    bool others = false;
    for (uint32_t i = 0; i < plan->loads; i++)
        others |= best_other(&plan->load[i]) || plan->load[i].mode >= SL_BYPASS_BY_LEVEL;
    sl_table *table = others ? SL_TABLE(more) : SL_TABLE(plain);
    for (uint32_t i = 0; i < plan->loads; i++) {
        const sl_plan_load *load = &plan->load[i];
        char buffer[160];
        sl_table_function(table, load->function);
        if (load->node == SL_NODE_KERNEL)
            sl_table_cell(table, "");
        else
            sl_table_cellf(table, "%u", load->inst);
        sl_table_cell(table, source_text(load, buffer, sizeof buffer));
        sl_table_cell(table, load->array ? load->array : load->node == SL_NODE_KERNEL ? "" : "?");
        sl_table_cell(table, load->opcode ? load->opcode : "");
        sl_table_cellf(table, "%u", load->group);
        for (unsigned m = 1; m < SL_BYPASS_BY_LEVEL; m++)
            gain_cell(table, load, m);
        if (others)
            other_cell(table, load);
        sl_table_cell(table, sl_bypass_name(load->mode));
        sl_table_cell(table, load->why ? load->why : "");
    }
    sl_status status = sl_table_finish(table, file, width, error);
    fputc('\n', file);
    return status;
}

sl_status sl_tuning_text(FILE *file, const sl_tuning *tuning, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true},  {"#", true, false},        {"launches", true, false},
                                        {"loads", true, false},   {"groups", true, false},   {"strategy", false, false},
                                        {"bypass", true, false},  {"original", true, false}, {"planned", true, false},
                                        {"speedup", true, false}, {"+- %", true, false},     {"noise %", true, false},
                                        {"", false, true}};
    sl_status status = tuning->plan && tuning->plan->loads ? loads_text(file, tuning->plan, width, error) : SL_OK;
    sl_table *table = SL_TABLE(columns);
    for (size_t i = 0; i < tuning->rows; i++) {
        const sl_tuning_row *row = &tuning->row[i];
        bool ns = !strcmp(tuning->unit, "ns");
        sl_table_function(table, row->kernel);
        sl_table_cellf(table, "%" PRIu64, row->launch);
        sl_table_cellf(table, "%" PRIu64, row->launches);
        sl_table_cellf(table, "%u", row->loads);
        sl_table_cellf(table, "%u", row->groups);
        sl_table_cell(table, row->select);
        sl_table_cellf(table, "%u", row->chosen);
        sl_table_cellf(table, ns ? "%.2f us" : "%.0f", ns ? row->base / 1e3 : row->base);
        sl_table_cellf(table, ns ? "%.2f us" : "%.0f", ns ? row->time / 1e3 : row->time);
        sl_table_cellf(table, "%.3f", speedup(row));
        sl_table_cellf(table, "%.2f", row->gain_spread);
        sl_table_cellf(table, "%.2f", row->noise);
        sl_table_cell(table, row->verdict);
    }
    sl_status printed = sl_table_finish(table, file, width, error);
    status = status ? status : printed;
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
