/* SPDX-License-Identifier: MIT */
/* Bypass plans of every selection strategy but the bound on a simulated machine, and their results. As in
 * `sluice tune`, a kernel is represented by its largest launch. */
#include "analysis/tune_input.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tune/tune.h"

typedef struct tuning {
    const sl_machine *machine;
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

/* Counters of the machine under a choice. */
static sl_status add_run(const tuning *t, const sl_sim_timer *timer, const char *way, const uint8_t *choice,
                         sl_error *error)
{
    sl_sim_result result = {0};
    sl_status status = sl_sim_timer_run(timer, choice, &result, error);
    for (uint32_t i = 0; i < t->machine->levels && !status; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_hits", t->machine->level[i].name);
        status = add(t, way, name, (double)result.level[i].read_hit_sectors, error);
        snprintf(name, sizeof name, "%s_hit_requests", t->machine->level[i].name);
        if (!status)
            status = add(t, way, name, (double)(result.level[i].hits + result.level[i].pending), error);
        snprintf(name, sizeof name, "%s_reads", t->machine->level[i].name);
        if (!status)
            status = add(t, way, name, (double)result.level[i].read_sectors, error);
    }
    if (!status)
        status = add(t, way, "dram_reads", (double)result.dram_read_sectors, error);
    sl_sim_result_fini(&result);
    return status;
}

/* "affinity_L2_3": the gain of the third load alone, in percent. */
static sl_status add_affinities(const tuning *t, const sl_tuner *tuner, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < tuner->graph->loads; i++)
        for (unsigned m = 1; m < SL_BYPASS_BY_LEVEL && !status; m++) {
            char name[SL_VALUE_NAME];
            snprintf(name, sizeof name, "%s_%u", sl_bypass_name(m), i + 1);
            if (!isnan(tuner->load[i][m]))
                status = add(t, "affinity", name, tuner->load[i][m], error);
        }
    return status;
}

/* Times the original as often as the plans. */
static sl_status time_original(sl_tuner *tuner, double *cycles, sl_error *error)
{
    sl_timing timing = {0};
    const uint8_t *none = sl_arena_array(&tuner->arena, uint8_t, tuner->graph->nodes + 1);
    sl_status status = none ? sl_tuner_final(tuner, none, &timing, error) : sl_fail_memory(error);
    *cycles = timing.base;
    return status;
}

static double cycles_of(const sl_tuned *tuned, double original)
{
    return tuned->chosen ? tuned->timing.time : original;
}

/* Algorithm 1 with other settings; repeated plans are not timed again. */
static sl_status add_try(const tuning *t, sl_tuner *tuner, const char *setting, unsigned hundredths, double original,
                         sl_error *error)
{
    const sl_selector *paper;
    sl_tuned tuned;
    char name[32];
    snprintf(name, sizeof name, "%s_%u", setting, hundredths);
    sl_status status = sl_selector_find("paper", &paper, error);
    if (!status)
        status = sl_tune(tuner, paper, &tuned, error);
    return status ? status : add(t, name, "cycles", cycles_of(&tuned, original), error);
}

/* The settings of figure 7 of the paper, each other than 1.5, 1.0 and 0.1 alone. */
static sl_status add_sensitivity(const tuning *t, sl_tuner *tuner, double original, sl_error *error)
{
    enum { THRESH1 = 150, THRESH2 = 100, WEIGHT = 10 };
    const sl_tuner_options kept = tuner->options;
    sl_status status = SL_OK;
    tuner->options.thresh1 = THRESH1 / 100.0;
    tuner->options.thresh2 = THRESH2 / 100.0;
    tuner->options.weight = WEIGHT / 100.0;
    const sl_tuner_options published = tuner->options;
    for (unsigned value = 100; value <= 200 && !status; value += 10) {
        tuner->options.thresh1 = value / 100.0;
        status = value == THRESH1 ? SL_OK : add_try(t, tuner, "thresh1", value, original, error);
        tuner->options = published;
        tuner->options.thresh2 = value / 100.0;
        if (!status && value != THRESH2)
            status = add_try(t, tuner, "thresh2", value, original, error);
        tuner->options = published;
    }
    for (unsigned value = 0; value <= 50 && !status; value += 10) {
        tuner->options.weight = value / 100.0;
        status = value == WEIGHT ? SL_OK : add_try(t, tuner, "weight", value, original, error);
    }
    tuner->options = kept;
    return status;
}

static sl_status choose(const tuning *t, sl_tuner *tuner, const sl_sim_timer *timer, sl_error *error)
{
    double original;
    sl_status status = time_original(tuner, &original, error);
    if (!status)
        status = add(t, "kernel", "loads", tuner->graph->loads, error);
    if (!status)
        status = add_run(t, timer, "original", NULL, error);
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
            status = add_run(t, timer, way->name, tuned.mode, error);
        if (!status)
            status = add(t, way->name, "cycles", cycles_of(&tuned, original), error);
        if (!status)
            status = add(t, way->name, "loads", tuned.chosen, error);
    }
    if (!status)
        status = add_sensitivity(t, tuner, original, error);
    return status ? status : add_affinities(t, tuner, error);
}

static sl_status tune_launch(void *context, const sl_timed_launch *launch, sl_error *error)
{
    const tuning *t = context;
    sl_tuner tuner;
    sl_status status = sl_tuner_init(&tuner, launch->graph, launch->timer, NULL, error);
    if (!status) {
        status = choose(t, &tuner, launch->sim, error);
        sl_tuner_fini(&tuner);
    }
    return status;
}

sl_status sl_tune_strategies(const sl_timed_kernels *kernels, sl_values *values, sl_error *error)
{
    tuning t = {.machine = kernels->machine, .values = values};
    sl_timed_kernels timed = *kernels;
    timed.visit = tune_launch;
    timed.context = &t;
    return sl_time_on_sim(&timed, error);
}
