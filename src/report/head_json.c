/* SPDX-License-Identifier: MIT */
#include "report/head_json.h"

void sl_json_dims(sl_json *j, const char *key, const uint32_t dims[3])
{
    sl_json_key(j, key);
    sl_json_array(j, false);
    for (int d = 0; d < 3; d++)
        sl_json_u64(j, dims[d]);
    sl_json_close(j, ']');
}

void sl_json_launch(sl_json *j, uint64_t index, const char *symbol, const char *name, const uint32_t grid[3],
                    const uint32_t block[3])
{
    sl_json_key(j, "index");
    sl_json_u64(j, index);
    sl_json_key(j, "kernel");
    sl_json_string(j, symbol);
    sl_json_key(j, "name");
    sl_json_string(j, name);
    sl_json_dims(j, "grid", grid);
    sl_json_dims(j, "block", block);
}

void sl_json_failed(sl_json *j, bool failed, const char *failure)
{
    if (!failed)
        return;
    sl_json_key(j, "failed");
    sl_json_bool(j, true);
    if (failure && *failure) {
        sl_json_key(j, "failure");
        sl_json_string(j, failure);
    }
}

void sl_json_counts(sl_json *j, const char *key, const sl_counts *counts)
{
    sl_json_key(j, key);
    sl_json_object(j, false);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(counts, (sl_counter)i)) {
            sl_json_key(j, sl_counter_infos[i].name);
            sl_json_u64(j, counts->value[i]);
        }
    sl_json_close(j, '}');
}

static void put_trace(sl_json *j, const sl_report_trace *trace)
{
    sl_json_key(j, "trace");
    sl_json_object(j, false);
    sl_json_key(j, "file");
    sl_json_string(j, trace->path);
    sl_json_key(j, "format");
    sl_json_string(j, trace->format);
    if (trace->bytes) {
        sl_json_key(j, "bytes");
        sl_json_u64(j, trace->bytes);
    }
    if (trace->producer) {
        sl_json_key(j, "producer");
        sl_json_string(j, trace->producer);
    }
    if (trace->damage) {
        sl_json_key(j, "damage");
        sl_json_string(j, trace->damage);
    }
    sl_json_close(j, '}');
}

void sl_report_tool_json(sl_json *j, const char *command)
{
    sl_json_key(j, "tool");
    sl_json_string(j, "sluice");
    sl_json_key(j, "version");
    sl_json_string(j, SLUICE_VERSION);
    sl_json_key(j, "command");
    sl_json_string(j, command);
}

void sl_report_head_json(sl_json *j, const sl_report_info *info)
{
    sl_report_tool_json(j, info->command);
    if (info->machine) {
        sl_json_key(j, "machine");
        sl_json_string(j, info->machine);
    }
    sl_json_key(j, "options");
    sl_json_object(j, false);
    for (size_t i = 0; i < info->options; i++) {
        sl_json_key(j, info->option[i].name);
        sl_json_string(j, info->option[i].value);
    }
    sl_json_close(j, '}');
    if (info->seed) {
        sl_json_key(j, "seed");
        sl_json_u64(j, *info->seed);
    }
    if (info->trace)
        put_trace(j, info->trace);
}
