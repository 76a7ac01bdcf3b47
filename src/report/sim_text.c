/* SPDX-License-Identifier: MIT */
/* A line per launch with cycles, hits and traffic; what schedulers and requests waited for; the loads that miss most.
 */
#include <stdlib.h>

#include "base/text.h"
#include "report/launch_log.h"
#include "report/sim.h"
#include "report/table.h"

enum { MOST_LOADS = 10, MOST_LAUNCHES = 40 };

static void cell_count(sl_table *t, const sl_counts *c, sl_counter counter)
{
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, sl_counts_has(c, counter) ? sl_human_count(c->value[counter], text) : "");
}

static void cell_part(sl_table *t, uint64_t part, uint64_t whole)
{
    char text[SL_HUMAN_BYTES];
    if (whole)
        sl_table_cellf(t, "%s%%", sl_human_ratio(100.0 * (double)part / (double)whole, 1, text));
    else
        sl_table_cell(t, "");
}

static void cell_share(sl_table *t, const sl_counts *c, sl_counter part, sl_counter whole)
{
    cell_part(t, c->value[part], c->value[whole]);
}

static void cell_ipc(sl_table *t, const sl_counts *c)
{
    uint64_t cycles = c->value[SL_COUNTER_cycles];
    sl_table_cellf(t, "%.2f", cycles ? (double)c->value[SL_COUNTER_warp_insts] / (double)cycles : 0.0);
}

static void cell_traffic(sl_table *t, const sl_counts *c)
{
    cell_count(t, c, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_ld_sector_hits, SL_COUNTER_ld_sectors);
    cell_share(t, c, SL_COUNTER_latency_sectors, SL_COUNTER_ld_sectors);
    cell_count(t, c, SL_COUNTER_bypass_requests);
    cell_count(t, c, SL_COUNTER_l2_read_sectors);
    cell_share(t, c, SL_COUNTER_l2_read_hits, SL_COUNTER_l2_read_sectors);
    cell_count(t, c, SL_COUNTER_dram_read_sectors);
}
#define TRAFFIC_COLUMNS                                                                                                \
    {"ld sectors", true, false}, {"L1 hit", true, false}, {"(late)", true, false}, {"bypass", true, false},            \
        {"L2 reads", true, false}, {"L2 hit", true, false},                                                            \
    {                                                                                                                  \
        "DRAM reads", true, false                                                                                      \
    }

/* ---- launches ---- */

typedef void (*row)(sl_table *t, const sl_counts *counts);

static void traffic_row(sl_table *t, const sl_counts *c)
{
    cell_count(t, c, SL_COUNTER_cycles);
    cell_ipc(t, c);
    cell_traffic(t, c);
}

static void cycles_row(sl_table *t, const sl_counts *c)
{
    static const sl_counter kinds[] = {SL_COUNTER_issue_cycles, SL_COUNTER_lsu_cycles,     SL_COUNTER_pipeline_cycles,
                                       SL_COUNTER_data_cycles,  SL_COUNTER_barrier_cycles, SL_COUNTER_idle_cycles};
    static const sl_counter stalls[] = {SL_COUNTER_stall_way_cycles, SL_COUNTER_stall_mshr_cycles,
                                        SL_COUNTER_stall_merge_cycles, SL_COUNTER_stall_queue_cycles};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        all += c->value[kinds[i]];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        cell_part(t, c->value[kinds[i]], all);
    for (size_t i = 0; i < sizeof stalls / sizeof *stalls; i++)
        cell_count(t, c, stalls[i]);
}

static sl_status print_launches(FILE *file, const sl_launch_log *log, const sl_column *columns, size_t count, row fill,
                                size_t width, sl_error *error)
{
    sl_table *t = sl_table_create(columns, count);
    if (!t)
        return sl_fail_memory(error);
    sl_counts total = {0};
    for (size_t i = 0; i < log->launches.count; i++) {
        const sl_logged_launch *l = &log->launches.items[i];
        sl_counts counts = sl_unpack_counts(&l->counts);
        sl_counts_merge(&total, &counts);
        if (i >= MOST_LAUNCHES)
            continue;
        sl_table_cellf(t, "%llu", (unsigned long long)l->index);
        sl_table_cell(t, l->kernel->name);
        fill(t, &counts);
    }
    if (log->launches.count > 1) {
        sl_table_cell(t, "");
        sl_table_cellf(t, "all %zu launches", log->launches.count);
        fill(t, &total);
    }
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* ---- loads ---- */

typedef struct load_sum {
    const sl_logged_kernel *kernel;
    const sl_inst_name *inst;
    sl_counts counts;
} load_sum;

static int by_misses(const void *left, const void *right)
{
    const load_sum *a = left, *b = right;
    uint64_t x = a->counts.value[SL_COUNTER_ld_sector_misses], y = b->counts.value[SL_COUNTER_ld_sector_misses];
    if (x != y)
        return x < y ? 1 : -1;
    if (a->kernel != b->kernel)
        return a->kernel->number < b->kernel->number ? -1 : 1;
    return (a->inst > b->inst) - (a->inst < b->inst);
}

static size_t gather_loads(const sl_launch_log *log, load_sum *sums)
{
    size_t first = 0;
    for (uint32_t k = 0; k < log->kernel_count; k++) {
        const sl_logged_kernel *kernel = NULL;
        for (size_t i = 0; i < log->launches.count; i++) {
            const sl_logged_launch *l = &log->launches.items[i];
            if (l->kernel->number != k)
                continue;
            kernel = l->kernel;
            for (uint32_t s = 0; s < l->loads; s++) {
                load_sum *sum = &sums[first + l->load[s].inst];
                sl_counts counts = sl_unpack_counts(&l->load[s].counts);
                sum->kernel = kernel;
                sum->inst = &kernel->inst[l->load[s].inst];
                sl_counts_merge(&sum->counts, &counts);
            }
        }
        first += kernel ? kernel->insts : 0;
    }
    size_t used = 0;
    for (size_t i = 0; i < first; i++)
        if (sums[i].inst && sums[i].counts.value[SL_COUNTER_ld_sectors])
            sums[used++] = sums[i];
    return used;
}

static sl_status print_loads(FILE *file, const sl_launch_log *log, size_t width, sl_error *error)
{
    static const sl_column columns[] = {
        {"kernel", false, true}, {"place", false, true}, {"array", false, true}, TRAFFIC_COLUMNS};
    size_t insts = 0;
    for (size_t i = 0; i < log->launches.count; i++)
        insts += log->launches.items[i].kernel->insts;
    load_sum *sums = calloc(insts ? insts : 1, sizeof *sums);
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    sl_status status = sums && t ? SL_OK : sl_fail_memory(error);
    if (!status) {
        size_t used = gather_loads(log, sums);
        qsort(sums, used, sizeof *sums, by_misses);
        fputs("\nLoads with the most misses\n", file);
        for (size_t i = 0; i < used && i < MOST_LOADS; i++) {
            char place[256];
            sl_table_cell(t, sums[i].kernel->name);
            sl_table_cell(t, sl_inst_place(sums[i].inst, place, sizeof place));
            sl_table_cell(t, sums[i].inst->array);
            cell_traffic(t, &sums[i].counts);
        }
        status = sl_table_print(t, file, width, error);
    }
    sl_table_destroy(t);
    free(sums);
    return status;
}

/* ---- levels ---- */

static bool has_energy(const sl_sim_report *report)
{
    for (uint32_t i = 0; i < report->machine->levels; i++)
        if (report->machine->level[i].tag_fj || report->machine->level[i].data_fj || report->machine->level[i].leak_uw)
            return true;
    return false;
}

static void add_level(sl_sim_level_result *to, const sl_sim_level_result *from)
{
#define SL_LEVEL_COUNT(field) to->field += from->field;
#include "sim/level_counts.def"
#undef SL_LEVEL_COUNT
    for (int i = 0; i < SL_STALLS; i++)
        to->stall_cycles[i] += from->stall_cycles[i];
    to->energy_nj += from->energy_nj;
}

static void level_row(sl_table *t, const sl_level *level, const sl_sim_level_result *r, bool energy)
{
    char text[SL_HUMAN_BYTES];
    uint64_t waited = 0;
    for (int i = 0; i < SL_STALLS; i++)
        waited += r->stall_cycles[i];
    const uint64_t value[] = {r->accesses,         r->hits,       r->pending, r->misses, r->bypasses, r->evictions,
                              r->unused_evictions, r->writebacks, waited};
    sl_table_cell(t, level->name);
    sl_table_cellf(t, "%s%s%s", level->replacement, *level->bypass ? " + " : "", level->bypass);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        sl_table_cell(t, sl_human_count(value[i], text));
    if (energy)
        sl_table_cellf(t, "%s", sl_human_ratio(r->energy_nj / 1000, 2, text));
}

static sl_status print_levels(FILE *file, const sl_sim_report *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {
        {"level", false, false}, {"policy", false, true},       {"requests", true, false}, {"hits", true, false},
        {"late", true, false},   {"misses", true, false},       {"bypass", true, false},   {"evicted", true, false},
        {"unused", true, false}, {"written back", true, false}, {"waits", true, false},    {"energy uJ", true, false}};
    bool energy = has_energy(report);
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns - !energy);
    if (!t)
        return sl_fail_memory(error);
    double total_nj = 0;
    for (uint32_t i = 0; i < report->machine->levels; i++) {
        sl_sim_level_result sum = {0};
        for (size_t n = 0; n < report->launches; n++)
            add_level(&sum, &report->launch[n].level[i]);
        total_nj += sum.energy_nj;
        level_row(t, &report->machine->level[i], &sum, energy);
    }
    fputs("\nLevels: requests of all launches, and cycles that they waited before the level\n", file);
    sl_status status = sl_table_print(t, file, width, error);
    char text[SL_HUMAN_BYTES];
    if (!status && energy)
        fprintf(file, "All levels take %s uJ, leakage included\n", sl_human_ratio(total_nj / 1000, 2, text));
    sl_table_destroy(t);
    return status;
}

/* ---- misses of a level that takes its time with them ---- */

/* Operations are those of threads: an instruction of a warp is as many as it has active lanes. */
static void misses_row(sl_table *t, const sl_counts *c, const sl_sim_level_result *r, bool frc)
{
    char text[SL_HUMAN_BYTES];
    uint64_t cycles = c->value[SL_COUNTER_cycles], operations = c->value[SL_COUNTER_thread_insts];
    uint64_t misses = r->misses + r->store_misses;
    sl_table_cellf(t, "%.2f", cycles ? (double)operations / (double)cycles : 0.0);
    sl_table_cell(t, sl_human_count(misses, text));
    sl_table_cellf(t, "%.3f", operations ? 1000.0 * (double)misses / (double)operations : 0.0);
    sl_table_cellf(t, "%.1f", misses ? (double)r->delay_cycles / (double)misses : 0.0);
    if (frc)
        cell_part(t, r->frc_misses, misses);
}

static void misses_rows(sl_table *t, const sl_sim_report *report, uint32_t level)
{
    bool frc = report->machine->level[level].miss_handling == SL_MISS_FRC;
    sl_counts counts = {0};
    sl_sim_level_result sum = {0};
    for (size_t i = 0; i < report->launches; i++) {
        const sl_logged_launch *l = &report->log->launches.items[i];
        sl_counts of_launch = sl_unpack_counts(&l->counts);
        sl_counts_merge(&counts, &of_launch);
        add_level(&sum, &report->launch[i].level[level]);
        if (i >= MOST_LAUNCHES)
            continue;
        sl_table_cellf(t, "%llu", (unsigned long long)l->index);
        sl_table_cell(t, l->kernel->name);
        misses_row(t, &of_launch, &report->launch[i].level[level], frc);
    }
    if (report->launches > 1) {
        sl_table_cell(t, "");
        sl_table_cellf(t, "all %zu launches", report->launches);
        misses_row(t, &counts, &sum, frc);
    }
}

static sl_status print_misses(FILE *file, const sl_sim_report *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"#", true, false},      {"kernel", false, true}, {"OPC", true, false},
                                        {"misses", true, false}, {"MPKO", true, false},   {"delay", true, false},
                                        {"by FRC", true, false}};
    uint32_t level = report->machine->levels;
    while (level && report->machine->level[level - 1].miss_handling == SL_MISS_OVERLAPPED)
        level--;
    if (!level)
        return SL_OK;
    const sl_level *of = &report->machine->level[--level];
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns - (of->miss_handling != SL_MISS_FRC));
    if (!t)
        return sl_fail_memory(error);
    misses_rows(t, report, level);
    fprintf(
        file,
        "\nOperations of threads per cycle; misses of %s, also per 1000 operations, and cycles that one took beside "
        "the access below\n",
        of->name);
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* What policies say of themselves, after the last launch: tables of levels that are kept go on counting. */
static sl_status print_told(FILE *file, const sl_sim_report *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"level", false, false},
                                        {"policy", false, true},
                                        {"reports", false, true},
                                        {"of the last launch", true, false}};
    const sl_sim_reported *last = report->launches ? &report->launch[report->launches - 1] : NULL;
    if (!last || !last->told)
        return SL_OK;
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (size_t i = 0; i < last->told; i++) {
        char text[SL_HUMAN_BYTES];
        sl_table_cell(t, report->machine->level[last->tell[i].level].name);
        sl_table_cell(t, last->tell[i].policy);
        sl_table_cell(t, last->tell[i].name);
        sl_table_cell(t, sl_human_count(last->tell[i].value, text));
    }
    fputc('\n', file);
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

/* ---- bound and search ---- */

static void bound_row(sl_table *t, const sl_sim_bound *b)
{
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, sl_human_count(b->requests, text));
    sl_table_cell(t, sl_human_count(b->misses, text));
    cell_part(t, b->misses, b->requests);
    sl_table_cell(t, sl_human_count(b->fewest, text));
    cell_part(t, b->fewest, b->requests);
}

static sl_status print_bound(FILE *file, const sl_sim_report *report, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"#", true, false},      {"kernel", false, true}, {"requests", true, false},
                                        {"misses", true, false}, {"", true, false},       {"fewest", true, false},
                                        {"", true, false}};
    if (!report->bounded)
        return SL_OK;
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    sl_sim_bound sum = {0};
    for (size_t i = 0; i < report->launches; i++) {
        const sl_sim_bound *b = &report->launch[i].bound;
        sum = (sl_sim_bound){sum.requests + b->requests, sum.misses + b->misses, sum.fewest + b->fewest};
        if (i >= MOST_LAUNCHES)
            continue;
        sl_table_cellf(t, "%llu", (unsigned long long)report->log->launches.items[i].index);
        sl_table_cell(t, report->log->launches.items[i].kernel->name);
        bound_row(t, b);
    }
    if (report->launches > 1) {
        sl_table_cell(t, "");
        sl_table_cellf(t, "all %zu launches", report->launches);
        bound_row(t, &sum);
    }
    fputs("\nThe fewest misses of loads in L1 that any policy could have on the same requests: Belady with bypass.\n"
          "A bound on misses, not on time\n",
          file);
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

static void print_search(FILE *file, const sl_sim_report *report)
{
    const sl_sim_search *s = report->search;
    if (!s || !s->params)
        return;
    char text[SL_HUMAN_BYTES];
    fprintf(file, "\nBest of %zu tries:", s->tries);
    for (uint32_t i = 0; i < s->params; i++)
        fprintf(file, "%s %s %s: %s=%llu", i ? "," : "", report->machine->level[s->param[i].level].name,
                s->param[i].ops->name, s->param[i].ops->params[s->param[i].param].name,
                (unsigned long long)s->tried[s->chosen].value[i]);
    fprintf(file, ", %s cycles in all launches\n", sl_human_count(s->tried[s->chosen].cycles, text));
}

sl_status sl_sim_report_text(FILE *file, const sl_sim_report *report, size_t width, sl_error *error)
{
    const sl_launch_log *log = report->log;
    static const sl_column traffic[] = {
        {"#", true, false}, {"kernel", false, true}, {"cycles", true, false}, {"IPC", true, false}, TRAFFIC_COLUMNS};
    static const sl_column cycles[] = {{"#", true, false},       {"kernel", false, true}, {"issue", true, false},
                                       {"lsu", true, false},     {"pipe", true, false},   {"data", true, false},
                                       {"barrier", true, false}, {"idle", true, false},   {"way", true, false},
                                       {"mshr", true, false},    {"merge", true, false},  {"queue", true, false}};
    sl_status status = print_launches(file, log, traffic, sizeof traffic / sizeof *traffic, traffic_row, width, error);
    if (!status) {
        fputs("\nWhat schedulers did, and cycles that requests waited before L1 for a way, an MSHR, a merge, the miss "
              "queue\n",
              file);
        status = print_launches(file, log, cycles, sizeof cycles / sizeof *cycles, cycles_row, width, error);
    }
    if (!status)
        status = print_misses(file, report, width, error);
    if (!status)
        status = print_levels(file, report, width, error);
    if (!status)
        status = print_told(file, report, width, error);
    if (!status)
        status = print_bound(file, report, width, error);
    if (!status)
        print_search(file, report);
    return status ? status : print_loads(file, log, width, error);
}
