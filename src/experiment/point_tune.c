/* SPDX-License-Identifier: MIT */
/* Points that tune: which loads of a program's kernels should go past which caches of a simulated machine, by every way
 * to choose but the search for the bound, and what the machine then does. As `sluice tune` does it, each kernel is that
 * of its largest launch. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bypass/clock_sim.h"
#include "bypass/ptx_loads.h"
#include "bypass/tune.h"
#include "experiment/point_tune.h"
#include "workloads/workload.h"

typedef struct tuning {
    const sl_point *point;
    const sl_machine *machine;
    const sl_trace *trace;
    sl_ptx_module *module;
    sl_values *values;
} tuning;

/* "SelectL0/1" and "cycles" make SelectL0_1_cycles. */
static sl_status add(const tuning *t, const char *way, const char *what, double amount, sl_error *error)
{
    char name[SL_VALUE_NAME];
    snprintf(name, sizeof name, "%s_%s", way, what);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return sl_values_add(t->values, name, amount) ? SL_OK : sl_fail_memory(error);
}

/* What the machine did with a choice. */
static sl_status add_run(const tuning *t, sl_sim_clock *clock, const char *way, const uint8_t *choice, sl_error *error)
{
    sl_sim_result result = {0};
    sl_status status = sl_sim_clock_run(clock, choice, &result, error);
    for (uint32_t i = 0; i < t->machine->levels && !status; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_hits", t->machine->level[i].name);
        status = add(t, way, name, (double)result.level[i].read_hit_sectors, error);
        snprintf(name, sizeof name, "%s_reads", t->machine->level[i].name);
        if (!status)
            status = add(t, way, name, (double)result.level[i].read_sectors, error);
    }
    if (!status)
        status = add(t, way, "dram_reads", (double)result.dram_read_sectors, error);
    sl_sim_result_fini(&result);
    return status;
}

/* "affinity_L2_3": what the third load gains alone, in percent. */
static sl_status add_affinities(const tuning *t, const sl_tuner *tuner, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < tuner->graph->loads; i++)
        for (unsigned m = 1; m < SL_BYPASS_MODES && !status; m++) {
            char name[SL_VALUE_NAME];
            snprintf(name, sizeof name, "%s_%u", sl_bypass_name(m), i + 1);
            if (!isnan(tuner->load[i][m]))
                status = add(t, "affinity", name, tuner->load[i][m], error);
        }
    return status;
}

/* Of the original, in as many rounds as plans get. */
static sl_status time_original(sl_tuner *tuner, double *cycles, sl_error *error)
{
    sl_timing timing = {0};
    const uint8_t *none = sl_arena_array(&tuner->arena, uint8_t, tuner->graph->loads + 1);
    sl_status status = none ? sl_tuner_final(tuner, none, &timing, error) : sl_fail_memory(error);
    *cycles = timing.base;
    return status;
}

static double cycles_of(const sl_tuned *tuned, double original)
{
    return tuned->chosen ? tuned->timing.time : original;
}

/* Algorithm 1 with other thresholds and weights: figure 7 of the paper. Plans that come up again are not timed again.
 */
static sl_status add_sensitivity(const tuning *t, sl_tuner *tuner, double original, sl_error *error)
{
    static const struct {
        const char *name;
        double thresh1, thresh2, weight;
    } tries[] = {{"thresh1_100", 1, 1, 0.1},   {"thresh1_200", 2, 1, 0.1}, {"thresh2_150", 1.5, 1.5, 0.1},
                 {"thresh2_200", 1.5, 2, 0.1}, {"weight_0", 1.5, 1, 0},    {"weight_30", 1.5, 1, 0.3},
                 {"weight_50", 1.5, 1, 0.5}};
    const sl_tuner_options kept = tuner->options;
    const sl_selector *paper;
    sl_status status = sl_selector_find("paper", &paper, error);
    for (size_t i = 0; i < sizeof tries / sizeof *tries && !status; i++) {
        sl_tuned tuned;
        tuner->options.thresh1 = tries[i].thresh1;
        tuner->options.thresh2 = tries[i].thresh2;
        tuner->options.weight = tries[i].weight;
        status = sl_tune(tuner, paper, &tuned, error);
        if (!status)
            status = add(t, tries[i].name, "cycles", cycles_of(&tuned, original), error);
    }
    tuner->options = kept;
    return status;
}

static sl_status choose(const tuning *t, sl_tuner *tuner, sl_sim_clock *clock, sl_error *error)
{
    double original;
    sl_status status = time_original(tuner, &original, error);
    if (!status)
        status = add(t, "kernel", "loads", tuner->graph->loads, error);
    if (!status)
        status = add_run(t, clock, "original", NULL, error);
    if (!status)
        status = add(t, "original", "cycles", original, error);
    if (!status)
        status = sl_tuner_affinities(tuner, 0, error);
    if (!status)
        status = add(t, "noise", "percent", tuner->noise, error);
    for (const sl_selector *way = sl_selectors; way->name && !status; way++) {
        sl_tuned tuned;
        if (!strcmp(way->name, "bound") || !strcmp(way->name, "CacheAll"))
            continue;
        status = sl_tune(tuner, way, &tuned, error);
        if (!status)
            status = add_run(t, clock, way->name, tuned.mode, error);
        if (!status)
            status = add(t, way->name, "cycles", cycles_of(&tuned, original), error);
        if (!status)
            status = add(t, way->name, "loads", tuned.chosen, error);
    }
    if (!status)
        status = add_sensitivity(t, tuner, original, error);
    return status ? status : add_affinities(t, tuner, error);
}

static sl_status tune_launch(const tuning *t, sl_loaded *loaded, sl_arena *arena, sl_error *error)
{
    const sl_trace_kernel *kernel = sl_loaded_kernel(loaded);
    const sl_ptx_func *func = sl_ptx_find(t->module, kernel->symbol);
    uint32_t *load_of = sl_arena_array(arena, uint32_t, kernel->mem_slots + 1);
    const sl_sim_clock_options options = {.input = kernel->symbol, .seed = t->point->seed, .cold = t->point->cold};
    sl_load_graph graph;
    sl_sim_clock *clock = NULL;
    sl_tuner tuner;
    if (!func || !load_of)
        return func ? sl_fail_memory(error)
                    : sl_fail(error, SL_NOT_FOUND, "%s has no kernel '%s'", t->point->workload, kernel->symbol);
    sl_status status = sl_ptx_loads(t->module, func, SL_PTX_L2_SM, arena, &graph, error);
    for (uint32_t i = 0; i < kernel->mem_slots && !status; i++)
        load_of[i] = sl_ptx_load_of(&graph, &kernel->inst[kernel->mem_inst[i]]);
    if (!status)
        status = sl_sim_clock_create(t->machine, loaded, load_of, &options, &clock, error);
    if (status)
        return status;
    status = sl_tuner_init(&tuner, &graph, sl_sim_clock_interface(clock), NULL, error);
    if (!status) {
        status = choose(t, &tuner, clock, error);
        sl_tuner_fini(&tuner);
    }
    sl_sim_clock_destroy(clock);
    return status;
}

/* The launch of a kernel whose streams are longest; of equals the first. */
static sl_status tune_kernel(const tuning *t, uint32_t kernel, sl_error *error)
{
    sl_loaded *largest = NULL;
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < sl_trace_launches(t->trace) && !status; n++) {
        sl_loaded *loaded = NULL;
        if (sl_trace_launch_at(t->trace, n)->kernel != kernel)
            continue;
        status = sl_loaded_create(t->trace, n, NULL, &loaded, error);
        bool larger = !status && (!largest || sl_loaded_bytes(loaded) > sl_loaded_bytes(largest));
        sl_loaded_destroy(larger ? largest : loaded);
        largest = larger ? loaded : largest;
    }
    sl_arena arena;
    sl_arena_init(&arena);
    if (!status)
        status = tune_launch(t, largest, &arena, error);
    sl_arena_fini(&arena);
    sl_loaded_destroy(largest);
    return status;
}

/* Whether launch n is the first of its kernel. */
static bool first_of_kernel(const sl_trace *trace, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (sl_trace_launch_at(trace, i)->kernel == sl_trace_launch_at(trace, n)->kernel)
            return false;
    return true;
}

sl_status sl_point_tune(const sl_point *point, const sl_machine *machine, const sl_trace *trace, sl_values *values,
                        sl_error *error)
{
    tuning t = {.point = point, .machine = machine, .trace = trace, .values = values};
    const sl_workload *workload;
    bool any = false;
    if (*point->trace)
        return sl_fail(error, SL_UNSUPPORTED, "'kind: tune' needs the code of a workload; %s is a trace", point->trace);
    sl_status status = sl_workload_find(point->workload, &workload, error);
    if (!status)
        status =
            sl_ptx_parse(workload->ptx, (size_t)(workload->ptx_end - workload->ptx), workload->name, &t.module, error);
    for (uint32_t n = 0; n < sl_trace_launches(trace) && !status; n++) {
        uint32_t kernel = sl_trace_launch_at(trace, n)->kernel;
        if (*point->kernel && strcmp(sl_trace_kernel_at(trace, kernel)->symbol, point->kernel))
            continue;
        any = true;
        if (first_of_kernel(trace, n))
            status = tune_kernel(&t, kernel, error);
    }
    if (!status && !any)
        status = sl_fail(error, SL_NOT_FOUND, "%s launches no kernel '%s'", point->workload, point->kernel);
    sl_ptx_free(t.module);
    return status;
}
