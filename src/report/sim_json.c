/* SPDX-License-Identifier: MIT */
/* Simulated launches as JSON and CSV: every value exact. */
#include <inttypes.h>

#include "report/parts.h"
#include "report/sim.h"

static void put_level(sl_json *j, const sl_level *level, const sl_sim_level_result *r)
{
    sl_json_object(j, false);
    sl_json_string_member(j, "level", level->name);
    for (int i = 0; i < SL_LEVEL_METRICS; i++)
        if (sl_level_metrics[i].real)
            sl_json_double_member(j, sl_level_metrics[i].info.name, sl_level_value(r, i));
        else
            sl_json_u64_member(j, sl_level_metrics[i].info.name, (uint64_t)sl_level_value(r, i));
    sl_json_close(j, '}');
}

static void put_statistics(sl_json *j, const sl_machine *machine, const sl_result_launch *launch)
{
    sl_json_array_member(j, "policies", true);
    for (size_t i = 0; i < launch->statistics; i++) {
        const sl_policy_statistic *t = &launch->statistic[i];
        sl_json_object(j, false);
        sl_json_string_member(j, "level", machine->level[t->level].name);
        sl_json_string_member(j, "policy", t->policy);
        sl_json_string_member(j, "name", t->name);
        sl_json_u64_member(j, "value", t->value);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

static void put_launch(sl_json *j, const void *of, size_t n)
{
    const sl_result *report = of;
    const sl_result_launch *launch = &report->launch[n];
    sl_json_u64_member(j, "l1_bytes", launch->l1_bytes);
    sl_json_u64_member(j, "resident_blocks", launch->resident_blocks);
    sl_json_array_member(j, "levels", true);
    for (uint32_t i = 0; i < report->machine->levels; i++)
        put_level(j, &report->machine->level[i], &launch->level[i]);
    sl_json_close(j, ']');
    if (launch->statistics)
        put_statistics(j, report->machine, launch);
    if (report->bounded) {
        sl_json_object_member(j, "bound_on_misses", false);
        sl_json_u64_member(j, "requests", launch->bound.requests);
        sl_json_u64_member(j, "misses", launch->bound.misses);
        sl_json_u64_member(j, "min_misses", launch->bound.min_misses);
        sl_json_close(j, '}');
    }
}

/* The policies as they ran, and how parameters given as "best" were searched for. */
static void put_head(sl_json *j, const void *of)
{
    const sl_result *report = of;
    const sl_sim_search *search = &report->search;
    sl_json_array_member(j, "policies", true);
    for (uint32_t i = 0; i < report->machine->levels; i++) {
        const sl_level *level = &report->machine->level[i];
        sl_json_object(j, false);
        sl_json_string_member(j, "level", level->name);
        sl_json_string_member(j, "replacement", level->replacement);
        sl_json_string_member(j, "bypass", *level->bypass ? level->bypass : NULL);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
    if (!search->params)
        return;
    sl_json_array_member(j, "tried", true);
    for (size_t t = 0; t < search->tries; t++) {
        sl_json_object(j, false);
        for (uint32_t i = 0; i < search->params; i++)
            sl_json_u64_member(j, search->param[i].ops->params[search->param[i].param].name, search->tried[t].value[i]);
        sl_json_u64_member(j, "cycles", search->tried[t].cycles);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

sl_status sl_sim_report_json(FILE *file, const sl_result *report, const sl_report_info *info, sl_error *error)
{
    const sl_launch_json_more more = {.of = report, .head = put_head, .launch = put_launch};
    return sl_launch_report_json_more(file, report->log, info, &more, error);
}

/* ---- CSV ---- */

static size_t csv_columns(FILE *file, const void *of)
{
    size_t count = 0;
    const sl_result *report = of;
    for (uint32_t i = 0; i < report->machine->levels; i++) {
        const char *name = report->machine->level[i].name;
        for (int m = 0; m < SL_LEVEL_METRICS; m++)
            fprintf(file, ",%s.%s", name, sl_level_metrics[m].info.name);
        count += SL_LEVEL_METRICS;
    }
    if (report->bounded)
        fputs(",bound_requests,bound_misses,min_misses", file);
    return count + (report->bounded ? 3 : 0);
}

static void csv_launch(FILE *file, const void *of, size_t n)
{
    const sl_result *report = of;
    const sl_result_launch *launch = &report->launch[n];
    for (uint32_t i = 0; i < report->machine->levels; i++) {
        const sl_sim_level_result *r = &launch->level[i];
        for (int m = 0; m < SL_LEVEL_METRICS; m++)
            fprintf(file, ",%.17g", sl_level_value(r, m));
    }
    if (report->bounded)
        fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, launch->bound.requests, launch->bound.misses,
                launch->bound.min_misses);
}

sl_status sl_sim_report_csv(FILE *file, const sl_result *report, sl_error *error)
{
    const sl_launch_csv_more more = {.of = report, .columns = csv_columns, .launch = csv_launch};
    return sl_launch_report_csv_more(file, report->log, &more, error);
}
