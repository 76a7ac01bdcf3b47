/* SPDX-License-Identifier: MIT */
#include "report/results.h"

/* A count of a result. */
typedef struct count {
    const char *name, *title;
    uint64_t value;
} count;

void sl_document_hpca14(sl_document *d, const sl_hpca14_result *r)
{
    const count list[] = {
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
    enum { COUNTS = sizeof list / sizeof *list };
    static const sl_column text[] = {SL_NAMES("counter of the authors' program"), SL_NUMBERS("")};
    sl_column columns[COUNTS + 1];
    for (int i = 0; i < COUNTS; i++)
        columns[i] = (sl_column)SL_DATA(list[i].name);
    columns[COUNTS] = (sl_column)SL_DATA("miss_rate");
    sl_document_line(d, "blocks of %ux%ux%u threads, %u at a time on one core; L1 of 16 KiB, 4 ways, 64 MSHRs\n",
                     r->block[0], r->block[1], r->block[2], r->resident_blocks);
    sl_document_count(d, "resident_blocks", r->resident_blocks);
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, text, 2);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, columns, COUNTS + 1);
    for (int i = 0; i < COUNTS; i++) {
        sl_table_cell(t, list[i].title);
        sl_table_exact(t, list[i].value);
        sl_table_exact(csv, list[i].value);
        sl_document_count(d, list[i].name, list[i].value);
    }
    sl_table_number(csv, r->miss_rate, 4, "");
    sl_document_number(d, "miss_rate", r->miss_rate);
    sl_document_line(d, "miss rate: %.4g %%\n", 100 * r->miss_rate);
}
