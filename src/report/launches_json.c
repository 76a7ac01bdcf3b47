/* SPDX-License-Identifier: MIT */
/* Launches as JSON and as CSV: every value exact. */

#include <inttypes.h>
#include <string.h>

#include "analysis/launch_log.h"
#include "base/text.h"
#include "report/findings.h"
#include "report/parts.h"

static bool writes(const sl_inst_name *inst)
{
    return inst->access == SL_ACCESS_STORE || inst->access == SL_ACCESS_REDUCTION;
}

static void put_counts(sl_json *j, const sl_packed_counts *packed)
{
    sl_counts counts = sl_unpack_counts(packed);
    sl_json_counts(j, "counters", &counts);
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
    sl_json_array_member(j, key, true);
    for (uint32_t i = 0; i < launch->loads; i++) {
        const sl_inst_name *inst = &launch->kernel->inst[launch->load[i].inst];
        if (writes(inst) == stores)
            put_load(j, inst, &launch->load[i].counts);
    }
    sl_json_close(j, ']');
}

static void put_arrays(sl_json *j, const sl_logged_launch *launch)
{
    sl_json_array_member(j, "arrays", true);
    for (size_t i = 0; i < launch->arrays; i++) {
        sl_json_object(j, false);
        sl_json_string_member(j, "array", launch->array[i].name);
        sl_json_u64_member(j, "footprint_bytes", launch->array[i].bytes);
        if (*launch->array[i].allocation) {
            sl_json_string_member(j, "allocation", launch->array[i].allocation);
            sl_json_u64_member(j, "allocation_bytes", launch->array[i].allocation_bytes);
        }
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

static void put_launch(sl_json *j, const sl_logged_launch *launch, const sl_launch_json_more *more, size_t n)
{
    sl_json_object(j, true);
    sl_json_launch(j, launch->index, launch->kernel->symbol, launch->kernel->name, launch->grid, launch->block);
    if (launch->has_parent)
        sl_json_u64_member(j, "parent", launch->parent);
    if (launch->blocks_recorded != launch->blocks)
        sl_json_u64_member(j, "blocks_recorded", launch->blocks_recorded);
    sl_json_failed(j, launch->failed, launch->failure);
    if (launch->trace_bytes)
        sl_json_u64_member(j, "trace_bytes", launch->trace_bytes);
    put_counts(j, &launch->counts);
    if (more && !launch->failed)
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
    if (info->findings)
        sl_findings_json(&j, info->findings);
    sl_json_array_member(&j, "launches", true);
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

/* Columns that are there when some launch has something to say in them. */
typedef struct csv_optional {
    bool parent, failure;
} csv_optional;

static void csv_launch(FILE *file, const sl_logged_launch *l, const sl_counter_set *shown,
                       const sl_launch_csv_more *more, size_t columns, size_t n, csv_optional has)
{
    sl_counts counts = sl_unpack_counts(&l->counts);
    sl_csv_launch(file, l->index, l->kernel->symbol, l->kernel->name);
    fprintf(file, "%u,%u,%u,%u,%u,%u", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    sl_csv_counts(file, shown, &counts);
    for (size_t c = 0; c < columns && l->failed; c++)
        fputc(',', file);
    if (more && !l->failed)
        more->launch(file, more->of, n);
    if (has.parent)
        fputc(',', file);
    if (l->has_parent)
        fprintf(file, "%" PRIu64, l->parent);
    if (has.failure)
        fputc(',', file);
    if (l->failed)
        sl_csv_field(file, *l->failure ? l->failure : "failed");
    fputc('\n', file);
}

sl_status sl_launch_report_csv_more(FILE *file, const sl_launch_log *log, const sl_launch_csv_more *more,
                                    sl_error *error)
{
    sl_counter_set shown = {0};
    csv_optional has = {0};
    for (size_t i = 0; i < log->launches.count; i++) {
        sl_counter_set_join(&shown, &log->launches.items[i].counts.known);
        has.parent |= log->launches.items[i].has_parent;
        has.failure |= log->launches.items[i].failed;
    }
    fputs("index,kernel,name,grid_x,grid_y,grid_z,block_x,block_y,block_z", file);
    sl_csv_counters(file, &shown);
    size_t columns = more ? more->columns(file, more->of) : 0;
    fputs(has.parent ? ",parent" : "", file);
    fputs(has.failure ? ",failure\n" : "\n", file);
    for (size_t i = 0; i < log->launches.count; i++)
        csv_launch(file, &log->launches.items[i], &shown, more, columns, i, has);
    return sl_text_finish(file, "the CSV report", error);
}

sl_status sl_launch_report_loads(FILE *file, const sl_launch_log *log, sl_error *error)
{
    sl_counter_set shown = {0};
    for (size_t i = 0; i < log->launches.count; i++)
        for (uint32_t k = 0; k < log->launches.items[i].loads; k++)
            sl_counter_set_join(&shown, &log->launches.items[i].load[k].counts.known);
    fputs("index,kernel,name," SL_INST_CSV, file);
    sl_csv_counters(file, &shown);
    fputc('\n', file);
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        for (uint32_t k = 0; k < l->loads; k++) {
            sl_counts counts = sl_unpack_counts(&l->load[k].counts);
            sl_csv_launch(file, l->index, l->kernel->symbol, l->kernel->name);
            sl_inst_csv(file, &l->kernel->inst[l->load[k].inst]);
            sl_csv_counts(file, &shown, &counts);
            fputc('\n', file);
        }
    }
    return sl_text_finish(file, "the CSV of memory instructions", error);
}

sl_status sl_launch_report_csv(FILE *file, const sl_launch_log *log, sl_error *error)
{
    return sl_launch_report_csv_more(file, log, NULL, error);
}
