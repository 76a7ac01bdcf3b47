/* SPDX-License-Identifier: MIT */
/* The model and the simulator charge the same loads with the same misses: over all workloads, those whose L1 hit rates
 * differ by more than 10 points are listed here, with the cause. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "support.h"
#include "workloads/workload.h"

enum { MAX_DIFFERENCE = 10 }; /* points */

typedef struct known_difference {
    const char *workload, *kernel;
    uint32_t pc;
    const char *cause;
    bool seen;
} known_difference;

static known_difference known[] = {
    {"mri_gridding", "mri_reorder", 20, "neighboring blocks gather from the same lines: which is first", false},
    {"mri_gridding", "mri_reorder", 22, "the same", false},
    {"myocyte", "solver", 82, "a loop that ptxas unrolls: its loads are batched over iterations", false},
    {"myocyte", "solver", 93, "the same", false},
    {"myocyte", "solver", 100, "the same", false},
};
enum { KNOWN = sizeof known / sizeof *known };

static uint64_t value_of(const sl_packed_counts *packed, sl_counter counter)
{
    return sl_unpack_counts(packed).value[counter];
}

/* Sectors of a load over all launches of its kernel. */
typedef struct charged {
    const sl_logged_kernel *kernel;
    uint32_t inst;
    uint64_t sectors[2], hits[2];
} charged;

enum { MAX_LOADS = 4096 };
typedef struct loads {
    charged load[MAX_LOADS];
    size_t count;
} loads;

static charged *find_load(loads *l, const sl_logged_kernel *kernel, uint32_t inst)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->load[i].inst == inst && l->load[i].kernel->number == kernel->number)
            return &l->load[i];
    assert_true(l->count < MAX_LOADS);
    l->load[l->count] = (charged){.kernel = kernel, .inst = inst};
    return &l->load[l->count++];
}

static void add_loads(loads *l, const sl_launch_log *log, int by)
{
    for (size_t n = 0; n < log->launches.count; n++) {
        const sl_logged_launch *launch = &log->launches.items[n];
        for (uint32_t i = 0; i < launch->loads; i++) {
            charged *c = find_load(l, launch->kernel, launch->load[i].inst);
            c->sectors[by] += value_of(&launch->load[i].counts, SL_COUNTER_ld_sectors);
            c->hits[by] += value_of(&launch->load[i].counts, SL_COUNTER_ld_sector_hits);
        }
    }
}

static known_difference *find_known(const char *workload, const char *kernel, uint32_t pc)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].workload, workload) && !strcmp(known[i].kernel, kernel) && known[i].pc == pc)
            return &known[i];
    return NULL;
}

/* The number of loads that differ and are not known. */
static uint32_t compare_loads(const char *workload, const loads *l)
{
    uint32_t unknown = 0;
    for (size_t i = 0; i < l->count; i++) {
        const charged *c = &l->load[i];
        assert_int_equal(c->sectors[0], c->sectors[1]);
        double rate[2] = {0};
        for (int k = 0; k < 2 && c->sectors[k]; k++)
            rate[k] = 100.0 * (double)c->hits[k] / (double)c->sectors[k];
        double difference = rate[0] > rate[1] ? rate[0] - rate[1] : rate[1] - rate[0];
        uint32_t pc = c->kernel->inst[c->inst].pc;
        if (difference <= MAX_DIFFERENCE)
            continue;
        known_difference *d = find_known(workload, c->kernel->short_name, pc);
        if (d)
            d->seen = true;
        else
            print_error("%s, %s, pc %u: %.1f %% of its sectors hit in the model, %.1f %% in the simulator\n", workload,
                        c->kernel->short_name, pc, rate[0], rate[1]);
        unknown += !d;
    }
    return unknown;
}

static uint32_t compare_workload(const char *name, const sl_machine *machine, const char *scratch)
{
    static const sl_analysis_kind kinds[] = {SL_ANALYSIS_MODEL, SL_ANALYSIS_SIM};
    static loads l;
    sl_input input;
    sl_recording recording;
    sl_result result[2];
    sl_error error;
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = name;
    spec.size = "small";
    const sl_record_options options = {.scratch = scratch};
    if (sl_input_open(&spec, &input, &error) || sl_record(&input, &options, &recording, &error))
        fail_msg("%s: %s", name, error.text);
    l.count = 0;
    for (int k = 0; k < 2; k++) {
        sl_analysis analysis = {.kind = kinds[k], .machine = machine, .seed = 1, .details = true};
        if (sl_analyze(&recording, &analysis, NULL, NULL, &result[k], &error))
            fail_msg("%s: %s", name, error.text);
        add_loads(&l, result[k].log, k);
    }
    uint32_t unknown = compare_loads(name, &l);
    sl_result_fini(&result[0]);
    sl_result_fini(&result[1]);
    sl_recording_close(&recording);
    sl_input_close(&input);
    return unknown;
}

static void loads_hit_alike_in_model_and_simulator(void **state)
{
    (void)state;
    uint32_t unknown = 0;
    sl_machine machine;
    sl_error error;
    char scratch[] = "/tmp/test-loads-XXXXXX";
    assert_non_null(mkdtemp(scratch));
    assert_int_equal(sl_machine_load("h200", &machine, &error), SL_OK);
    for (size_t i = 0; i < sl_workload_count(); i++)
        unknown += compare_workload(sl_workload_at(i)->name, &machine, scratch);
    rmdir(scratch);
    assert_int_equal(unknown, 0);
    for (size_t i = 0; i < KNOWN; i++)
        if (!known[i].seen)
            fail_msg("%s, %s, pc %u is listed and no longer differs", known[i].workload, known[i].kernel, known[i].pc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_hit_alike_in_model_and_simulator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
