/* SPDX-License-Identifier: MIT */
/* The best plan that timing whole plans finds: every plan of modes by level where there are no more than the limit,
 * otherwise the best start known; then load by load in all modes. A bound for strategies that time less, within noise.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/select.h"

enum { BY_LEVEL = (1u << SL_BYPASS_BY_LEVEL) - 1 };

/* How many plans of modes by level there are; stops counting above `limit`. */
static uint64_t count_plans(const sl_tuner *tuner, uint64_t limit)
{
    uint64_t plans = 1;
    for (uint32_t i = 0; i < tuner->graph->nodes && plans <= limit; i++)
        plans *= 1 + (uint64_t)__builtin_popcount(sl_tuner_modes(tuner, i, BY_LEVEL));
    return plans;
}

/* The next plan in the order of an odometer; false: that was the last. */
static bool next_plan(const sl_tuner *tuner, uint8_t *plan)
{
    for (uint32_t i = 0; i < tuner->graph->nodes; i++) {
        uint32_t above = sl_tuner_modes(tuner, i, BY_LEVEL) & ~((2u << plan[i]) - 1);
        if (above) {
            plan[i] = (uint8_t)__builtin_ctz(above);
            return true;
        }
        plan[i] = 0;
    }
    return false;
}

static sl_status try_all(sl_tuner *tuner, uint64_t plans, uint8_t *mode, double *gain, sl_error *error)
{
    size_t loads = tuner->graph->nodes, count = 0;
    uint8_t *memory = calloc(plans + 1, loads + 1);
    const uint8_t **plan = calloc(plans + 1, sizeof *plan);
    sl_status status = memory && plan ? SL_OK : sl_fail_memory(error);
    bool better;
    if (!status) {
        while (count + 1 < plans) {
            uint8_t *next = memory + (count + 1) * (loads + 1);
            memcpy(next, next - (loads + 1), loads);
            if (!next_plan(tuner, next))
                break;
            plan[count++] = next;
        }
        status = sl_tuner_fastest(tuner, plan, count, mode, gain, &better, error);
    }
    free(memory);
    free(plan);
    return status;
}

/* The best of every plan that differs from `mode` in one load. */
static sl_status improve(sl_tuner *tuner, uint8_t *mode, double *gain, bool *better, sl_error *error)
{
    size_t loads = tuner->graph->nodes, count = 0;
    uint8_t *memory = calloc(loads * (SL_BYPASS_MODES - 1) + 1, loads + 1);
    const uint8_t **plan = calloc(loads * (SL_BYPASS_MODES - 1) + 1, sizeof *plan);
    sl_status status = memory && plan ? SL_OK : sl_fail_memory(error);
    for (uint32_t i = 0; i < loads && !status; i++) {
        uint32_t modes = sl_tuner_modes(tuner, i, ~0u) | 1;
        for (unsigned m = 0; m < SL_BYPASS_MODES; m++) {
            if (m == mode[i] || !(modes >> m & 1) || isnan(m ? tuner->load[i][m] : 0)) /* NaN: over the limit */
                continue;
            if (m >= SL_BYPASS_BY_LEVEL && tuner->load[i][m] < -tuner->noise)
                continue;
            uint8_t *next = memory + count * (loads + 1);
            memcpy(next, mode, loads);
            next[i] = (uint8_t)m;
            plan[count++] = next;
        }
    }
    if (!status)
        status = sl_tuner_fastest(tuner, plan, count, mode, gain, better, error);
    free(memory);
    free(plan);
    return status;
}

/* Changes one load at a time. */
static sl_status climb(sl_tuner *tuner, uint8_t *mode, double *gain, sl_error *error)
{
    uint64_t start = tuner->timed;
    bool better = true;
    sl_status status = SL_OK;
    while (better && !status && tuner->timed - start < tuner->options.search)
        status = improve(tuner, mode, gain, &better, error);
    return status;
}

/* The best plan of the cheaper strategies. */
static sl_status best_way(sl_tuner *tuner, uint8_t *mode, const char **why, double *gain, sl_error *error)
{
    static sl_status (*const ways[])(sl_tuner *, uint8_t *, const char **, sl_error *) = {
        sl_select_ours, sl_select_paper, sl_select_liang, sl_select_pass_l1, sl_select_pass_l2};
    enum { WAYS = sizeof ways / sizeof *ways };
    size_t loads = tuner->graph->nodes;
    uint8_t *memory = calloc(WAYS, loads + 1);
    const uint8_t *plan[WAYS];
    bool better;
    sl_status status = memory ? SL_OK : sl_fail_memory(error);
    for (int i = 0; i < WAYS && !status; i++) {
        plan[i] = memory + i * (loads + 1);
        status = ways[i](tuner, memory + i * (loads + 1), why, error);
    }
    if (!status)
        status = sl_tuner_fastest(tuner, plan, WAYS, mode, gain, &better, error);
    free(memory);
    return status;
}

sl_status sl_select_bound(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    uint64_t plans = count_plans(tuner, tuner->options.search);
    double gain = 0;
    sl_status status = sl_tuner_affinities(tuner, ~0u, error);
    if (!status)
        status = plans <= tuner->options.search ? try_all(tuner, plans, mode, &gain, error)
                                                : best_way(tuner, mode, why, &gain, error);
    if (!status && plans <= tuner->options.search && !(tuner->timer->modes & ~(uint32_t)BY_LEVEL))
        plans = 0; /* there is nothing else to try */
    if (!status && plans)
        status = climb(tuner, mode, &gain, error);
    for (uint32_t i = 0; i < tuner->graph->nodes; i++)
        why[i] = mode[i] ? "part of the fastest plan found" : NULL;
    return status;
}
