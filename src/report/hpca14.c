/* SPDX-License-Identifier: MIT */
#include "report/hpca14.h"

#include <inttypes.h>

#include "base/text.h"
#include "report/parts.h"
#include "report/table.h"

/* The counts of a result, in the order of the reports. */
typedef struct count {
    const char *name, *title;
    uint64_t value;
} count;

enum { COUNTS = 13 };

static void list_counts(const sl_hpca14_result *r, count out[COUNTS])
{
    const count list[COUNTS] = {
        {"threads", "threads", r->threads},
        {"thread_loads", "thread loads", r->thread_loads},
        {"accesses", "accesses", r->accesses},
        {"hits", "hits", r->hits},
        {"misses", "misses", r->misses},
        {"compulsory", "  compulsory", r->compulsory},
        {"capacity", "  capacity", r->capacity},
        {"associativity", "  associativity", r->associativity},
        {"latency", "  latency", r->latency},
        {"mshr", "  MSHR", r->mshr},
        {"misses_full_associativity", "misses, fully associative", r->misses_full_associativity},
        {"misses_no_latency", "misses, zero latency", r->misses_no_latency},
        {"misses_unlimited_mshrs", "misses, unlimited MSHRs", r->misses_unlimited_mshrs},
    };
    for (int i = 0; i < COUNTS; i++)
        out[i] = list[i];
}

sl_status sl_hpca14_report_text(FILE *file, const sl_hpca14_report *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"counter of the authors' program", false, true}, {"", true, false}};
    const sl_hpca14_result *r = report->result;
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    count counts[COUNTS];
    list_counts(r, counts);
    for (int i = 0; i < COUNTS; i++) {
        sl_table_cell(t, counts[i].title);
        sl_table_cellf(t, "%" PRIu64, counts[i].value);
    }
    fprintf(file, "blocks of %ux%ux%u threads, %u at a time on one core; L1 of 16 KiB, 4 ways, 64 MSHRs\n", r->block[0],
            r->block[1], r->block[2], r->resident_blocks);
    sl_status status = sl_table_print(t, file, width, error);
    fprintf(file, "miss rate: %.4g %%\n", 100 * r->miss_rate);
    sl_table_destroy(t);
    return status;
}

sl_status sl_hpca14_report_json(FILE *file, const sl_hpca14_report *report, sl_error *error)
{
    sl_json json;
    count counts[COUNTS];
    list_counts(report->result, counts);
    sl_json_start(&json, file);
    sl_json_object(&json, true);
    sl_report_head_json(&json, &report->info);
    sl_json_dims(&json, "block", report->result->block);
    sl_json_u64_member(&json, "resident_blocks", report->result->resident_blocks);
    for (int i = 0; i < COUNTS; i++) {
        sl_json_u64_member(&json, counts[i].name, counts[i].value);
    }
    sl_json_double_member(&json, "miss_rate", report->result->miss_rate);
    sl_json_close(&json, '}');
    return sl_json_finish(&json, error);
}

sl_status sl_hpca14_report_csv(FILE *file, const sl_hpca14_report *report, sl_error *error)
{
    count counts[COUNTS];
    char rate[SL_DOUBLE_BYTES];
    (void)error;
    list_counts(report->result, counts);
    for (int i = 0; i < COUNTS; i++)
        fprintf(file, "%s,", counts[i].name);
    fputs("miss_rate\n", file);
    for (int i = 0; i < COUNTS; i++)
        fprintf(file, "%" PRIu64 ",", counts[i].value);
    fprintf(file, "%s\n", sl_double_text(report->result->miss_rate, rate));
    return SL_OK;
}
