/* SPDX-License-Identifier: MIT */
#include "report/parts.h"

#include <inttypes.h>

#include "base/text.h"

/* ---- JSON ---- */

void sl_json_dims(sl_json *j, const char *key, const uint32_t dims[3])
{
    sl_json_array_member(j, key, false);
    for (int d = 0; d < 3; d++)
        sl_json_u64(j, dims[d]);
    sl_json_close(j, ']');
}

void sl_json_launch(sl_json *j, uint64_t index, const char *symbol, const char *name, const uint32_t grid[3],
                    const uint32_t block[3])
{
    sl_json_u64_member(j, "index", index);
    sl_json_string_member(j, "kernel", symbol);
    sl_json_string_member(j, "name", name);
    sl_json_dims(j, "grid", grid);
    sl_json_dims(j, "block", block);
}

void sl_json_failed(sl_json *j, bool failed, const char *failure)
{
    if (!failed)
        return;
    sl_json_key(j, "failed");
    sl_json_bool(j, true);
    if (failure && *failure)
        sl_json_string_member(j, "failure", failure);
}

void sl_json_counts(sl_json *j, const char *key, const sl_counts *counts)
{
    sl_json_object_member(j, key, false);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(counts, (sl_counter)i) && sl_counter_word((sl_counter)i, counts->value[i]))
            sl_json_string_member(j, sl_counter_infos[i].name, sl_counter_word((sl_counter)i, counts->value[i]));
        else if (sl_counts_has(counts, (sl_counter)i))
            sl_json_u64_member(j, sl_counter_infos[i].name, counts->value[i]);
    sl_json_close(j, '}');
}

static void put_trace(sl_json *j, const sl_report_trace *trace)
{
    sl_json_object_member(j, "trace", false);
    sl_json_string_member(j, "file", trace->path);
    sl_json_string_member(j, "format", trace->format);
    if (trace->bytes)
        sl_json_u64_member(j, "bytes", trace->bytes);
    if (trace->producer)
        sl_json_string_member(j, "producer", trace->producer);
    if (trace->damage)
        sl_json_string_member(j, "damage", trace->damage);
    sl_json_close(j, '}');
}

void sl_report_tool_json(sl_json *j, const char *command)
{
    sl_json_string_member(j, "tool", "sluice");
    sl_json_u64_member(j, "schema", SL_JSON_SCHEMA);
    sl_json_string_member(j, "version", SLUICE_VERSION);
    sl_json_string_member(j, "command", command);
}

void sl_report_head_json(sl_json *j, const sl_report_info *info)
{
    sl_report_tool_json(j, info->command);
    if (info->machine)
        sl_json_string_member(j, "machine", info->machine);
    sl_json_object_member(j, "options", false);
    for (size_t i = 0; i < info->options; i++)
        sl_json_string_member(j, info->option[i].name, info->option[i].value);
    sl_json_close(j, '}');
    if (info->seed)
        sl_json_u64_member(j, "seed", *info->seed);
    if (info->trace)
        put_trace(j, info->trace);
}

/* ---- CSV ---- */

void sl_csv_counters(FILE *file, const sl_counter_set *shown)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counter_set_has(shown, (sl_counter)i))
            fprintf(file, ",%s", sl_counter_infos[i].name);
}

void sl_csv_counts(FILE *file, const sl_counter_set *shown, const sl_counts *counts)
{
    for (int i = 0; i < SL_COUNTERS; i++) {
        if (!sl_counter_set_has(shown, (sl_counter)i))
            continue;
        fputc(',', file);
        if (sl_counts_has(counts, (sl_counter)i) && sl_counter_word((sl_counter)i, counts->value[i]))
            fputs(sl_counter_word((sl_counter)i, counts->value[i]), file);
        else if (sl_counts_has(counts, (sl_counter)i))
            fprintf(file, "%" PRIu64, counts->value[i]);
    }
}

void sl_csv_launch(FILE *file, uint64_t index, const char *symbol, const char *name)
{
    fprintf(file, "%" PRIu64 ",", index);
    sl_csv_field(file, symbol);
    fputc(',', file);
    sl_csv_field(file, name);
    fputc(',', file);
}
