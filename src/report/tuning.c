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

static sl_status finish(FILE *file, const char *what, sl_error *error)
{
    return fflush(file) || ferror(file) ? sl_fail_io(error, "write", what) : SL_OK;
}

/* ---- text ---- */

static const char *source_text(const sl_plan_load *load, char *buffer, size_t size)
{
    const char *slash = load->source ? strrchr(load->source, '/') : NULL;
    if (load->source_line)
        snprintf(buffer, size, "%s:%u", slash ? slash + 1 : load->source ? load->source : "?", load->source_line);
    else
        snprintf(buffer, size, "line %u", load->line);
    return buffer;
}

static sl_status loads_text(FILE *file, const sl_plan *plan, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true}, {"place", true, false}, {"source", false, true},
                                        {"array", false, true},  {"load", false, true},  {"group", true, false},
                                        {"L1 %", true, false},   {"L2 %", true, false},  {"both %", true, false},
                                        {"mode", false, false},  {"why", false, true}};
    sl_table *table = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!table)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < plan->loads; i++) {
        const sl_plan_load *load = &plan->load[i];
        char buffer[160];
        sl_table_cell(table, load->function);
        sl_table_cellf(table, "%u", load->place);
        sl_table_cell(table, source_text(load, buffer, sizeof buffer));
        sl_table_cell(table, load->array ? load->array : "?");
        sl_table_cell(table, load->opcode ? load->opcode : "");
        sl_table_cellf(table, "%u", load->group);
        for (unsigned m = 1; m < SL_BYPASS_MODES; m++) {
            if (isnan(load->affinity[m]))
                sl_table_cell(table, "");
            else
                sl_table_cellf(table, "%+.2f", load->affinity[m]);
        }
        sl_table_cell(table, sl_bypass_name(load->mode));
        sl_table_cell(table, load->why ? load->why : "");
    }
    sl_status status = sl_table_print(table, file, width, error);
    sl_table_destroy(table);
    fputc('\n', file);
    return status;
}

sl_status sl_tuning_text(FILE *file, const sl_tuning *tuning, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true},   {"launch", true, false},  {"loads", true, false},
                                        {"groups", true, false},   {"select", false, false}, {"bypass", true, false},
                                        {"original", true, false}, {"planned", true, false}, {"speedup", true, false},
                                        {"+- %", true, false},     {"noise %", true, false}, {"", false, true}};
    sl_status status = tuning->plan && tuning->plan->loads ? loads_text(file, tuning->plan, width, error) : SL_OK;
    sl_table *table = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!table)
        return sl_fail_memory(error);
    for (size_t i = 0; i < tuning->rows; i++) {
        const sl_tuning_row *row = &tuning->row[i];
        bool ns = !strcmp(tuning->unit, "ns");
        sl_table_cell(table, row->kernel);
        sl_table_cellf(table, "%" PRIu64 " of %" PRIu64, row->launch, row->launches);
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
    if (!status)
        status = sl_table_print(table, file, width, error);
    sl_table_destroy(table);
    if (tuning->clock)
        fprintf(file, "\nTimed by %s.\n", tuning->clock);
    return status ? status : finish(file, "the report", error);
}

/* ---- CSV and JSON ---- */

/* A field in quotes where it needs them. */
static void csv_text(FILE *file, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputs(quoted ? "\"," : ",", file);
}

static void csv_number(FILE *file, double value, const char *end)
{
    char text[SL_DOUBLE_BYTES];
    fprintf(file, "%s%s", sl_double_text(round(value * 1e4) / 1e4, text), end);
}

sl_status sl_tuning_csv(FILE *file, const sl_tuning *tuning, sl_error *error)
{
    fputs("subject,kernel,launch,launches,loads,groups,select,bypass,unit,original,planned,speedup,spread_percent,"
          "noise_percent,verdict\n",
          file);
    for (size_t i = 0; i < tuning->rows; i++) {
        const sl_tuning_row *row = &tuning->row[i];
        csv_text(file, row->subject);
        csv_text(file, row->kernel);
        fprintf(file, "%" PRIu64 ",%" PRIu64 ",%u,%u,", row->launch, row->launches, row->loads, row->groups);
        csv_text(file, row->select);
        fprintf(file, "%u,%s,", row->chosen, tuning->unit);
        csv_number(file, row->base, ",");
        csv_number(file, row->time, ",");
        csv_number(file, speedup(row), ",");
        csv_number(file, row->gain_spread, ",");
        csv_number(file, row->noise, ",");
        fprintf(file, "\"%s\"\n", row->verdict);
    }
    return finish(file, "the CSV report", error);
}

static void number_json(sl_json *json, const char *key, double value)
{
    sl_json_double_member(json, key, value);
}

static void text_json(sl_json *json, const char *key, const char *value)
{
    sl_json_string_member(json, key, value);
}

sl_status sl_tuning_json(FILE *file, const sl_tuning *tuning, sl_error *error)
{
    sl_json json;
    sl_json_start(&json, file);
    sl_json_object(&json, true);
    sl_report_head_json(&json, &tuning->info);
    text_json(&json, "clock", tuning->clock);
    text_json(&json, "unit", tuning->unit);
    sl_json_array_member(&json, "kernels", true);
    for (size_t i = 0; i < tuning->rows; i++) {
        const sl_tuning_row *row = &tuning->row[i];
        sl_json_object(&json, false);
        text_json(&json, "subject", row->subject);
        text_json(&json, "kernel", row->kernel);
        number_json(&json, "launch", (double)row->launch);
        number_json(&json, "launches", (double)row->launches);
        number_json(&json, "loads", row->loads);
        number_json(&json, "groups", row->groups);
        text_json(&json, "select", row->select);
        number_json(&json, "bypass", row->chosen);
        number_json(&json, "original", row->base);
        number_json(&json, "planned", row->time);
        number_json(&json, "speedup", speedup(row));
        number_json(&json, "spread_percent", row->gain_spread);
        number_json(&json, "noise_percent", row->noise);
        text_json(&json, "verdict", row->verdict);
        sl_json_close(&json, '}');
    }
    sl_json_close(&json, ']');
    sl_json_close(&json, '}');
    return sl_json_finish(&json, error);
}
