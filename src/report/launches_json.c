/* SPDX-License-Identifier: MIT */
/* Launches as JSON and as CSV: every value exact. */
#include "report/launches_json.h"

#include <string.h>

#include "base/text.h"
#include "report/head_json.h"
#include "report/launch_log.h"

static bool writes(const sl_inst_name *inst)
{
    return inst->access == SL_ACCESS_STORE || inst->access == SL_ACCESS_REDUCTION;
}

static void put_counts(sl_json *j, const sl_packed_counts *packed)
{
    size_t used = 0;
    sl_json_key(j, "counters");
    sl_json_object(j, false);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (packed->known >> i & 1) {
            sl_json_key(j, sl_counter_infos[i].name);
            sl_json_u64(j, packed->value[used++]);
        }
    sl_json_close(j, '}');
}

static void put_load(sl_json *j, const sl_inst_name *inst, const sl_packed_counts *counts)
{
    sl_json_object(j, false);
    sl_inst_json(j, inst);
    put_counts(j, counts);
    sl_json_close(j, '}');
}

static void put_loads(sl_json *j, const sl_logged_launch *launch, const char *key, bool stores)
{
    sl_json_key(j, key);
    sl_json_array(j, true);
    for (uint32_t i = 0; i < launch->loads; i++) {
        const sl_inst_name *inst = &launch->kernel->inst[launch->load[i].inst];
        if (writes(inst) == stores)
            put_load(j, inst, &launch->load[i].counts);
    }
    sl_json_close(j, ']');
}

static void put_arrays(sl_json *j, const sl_logged_launch *launch)
{
    sl_json_key(j, "arrays");
    sl_json_array(j, true);
    for (size_t i = 0; i < launch->arrays; i++) {
        sl_json_object(j, false);
        sl_json_key(j, "array");
        sl_json_string(j, launch->array[i].name);
        sl_json_key(j, "footprint_bytes");
        sl_json_u64(j, launch->array[i].bytes);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

static void put_launch(sl_json *j, const sl_logged_launch *launch, const sl_launch_json_more *more, size_t n)
{
    sl_json_object(j, true);
    sl_json_launch(j, launch->index, launch->kernel->symbol, launch->kernel->name, launch->grid, launch->block);
    if (launch->blocks_recorded != launch->blocks) {
        sl_json_key(j, "blocks_recorded");
        sl_json_u64(j, launch->blocks_recorded);
    }
    sl_json_failed(j, launch->failed, launch->failure);
    if (launch->trace_bytes) {
        sl_json_key(j, "trace_bytes");
        sl_json_u64(j, launch->trace_bytes);
    }
    put_counts(j, &launch->counts);
    if (more)
        more->launch(j, more->of, n);
    if (launch->load) {
        put_loads(j, launch, "loads", false);
        put_loads(j, launch, "stores", true);
    }
    if (launch->arrays)
        put_arrays(j, launch);
    sl_json_close(j, '}');
}

sl_status sl_launch_report_json_more(FILE *file, const sl_launch_log *log, const sl_report_info *info,
                                     const sl_launch_json_more *more, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, info);
    if (more)
        more->head(&j, more->of);
    sl_json_key(&j, "launches");
    sl_json_array(&j, true);
    for (size_t i = 0; i < log->launches.count; i++)
        put_launch(&j, &log->launches.items[i], more, i);
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

sl_status sl_launch_report_json(FILE *file, const sl_launch_log *log, const sl_report_info *info, sl_error *error)
{
    return sl_launch_report_json_more(file, log, info, NULL, error);
}

/* ---- CSV ---- */

static void csv_counts(FILE *file, const sl_packed_counts *packed, uint64_t shown)
{
    size_t used = 0;
    for (int i = 0; i < SL_COUNTERS; i++) {
        bool known = packed->known >> i & 1;
        if (shown >> i & 1) {
            fputc(',', file);
            if (known)
                fprintf(file, "%llu", (unsigned long long)packed->value[used]);
        }
        used += known;
    }
}

static void csv_launch(FILE *file, const sl_logged_launch *l)
{
    fprintf(file, "%llu,", (unsigned long long)l->index);
    sl_csv_field(file, l->kernel->symbol);
    fputc(',', file);
    sl_csv_field(file, l->kernel->name);
    fprintf(file, ",%u,%u,%u,%u,%u,%u", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
}

sl_status sl_launch_report_csv_more(FILE *file, const sl_launch_log *log, const sl_launch_csv_more *more,
                                    sl_error *error)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < log->launches.count; i++)
        shown |= log->launches.items[i].counts.known;
    fputs("index,kernel,name,grid_x,grid_y,grid_z,block_x,block_y,block_z," SL_INST_CSV, file);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (shown >> i & 1)
            fprintf(file, ",%s", sl_counter_infos[i].name);
    size_t columns = more ? more->columns(file, more->of) : 0;
    fputc('\n', file);
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        csv_launch(file, l);
        fputs(",,,,,", file);
        csv_counts(file, &l->counts, shown);
        if (more)
            more->launch(file, more->of, i);
        fputc('\n', file);
        for (uint32_t k = 0; k < l->loads; k++) {
            csv_launch(file, l);
            fputc(',', file);
            sl_inst_csv(file, &l->kernel->inst[l->load[k].inst]);
            csv_counts(file, &l->load[k].counts, shown);
            for (size_t c = 0; c < columns; c++)
                fputc(',', file);
            fputc('\n', file);
        }
    }
    if (fflush(file) || ferror(file))
        return sl_fail_io(error, "write", "the CSV report");
    return SL_OK;
}

sl_status sl_launch_report_csv(FILE *file, const sl_launch_log *log, sl_error *error)
{
    return sl_launch_report_csv_more(file, log, NULL, error);
}
