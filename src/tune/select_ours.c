/* SPDX-License-Identifier: MIT */
/* The default selection strategy. It differs from algorithm 1:
 *
 *  - a gain counts when it is above the noise of the timer, not above a fixed percentage;
 *  - a group takes a mode as a whole only when the whole is itself faster than the original, and faster than its loads
 *    in their best individual modes (algorithm 1 takes a group whose loads hurt each other less than their sum, even
 *    when all of them are slower);
 *  - all modes that the timer supports are tried, both levels together included;
 *  - gains do not add up, so combinations of the best candidates are timed, one candidate more each time, and the
 *    fastest is chosen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tune/select.h"

/* A candidate: a load, or the loads of a group, in one mode. */
typedef struct candidate {
    double gain;
    uint32_t first, loads; /* in member */
    uint8_t mode;
} candidate;

typedef struct candidates {
    SL_ARRAY(candidate) list;
    SL_ARRAY(uint32_t) member;
    bool failed;
} candidates;

/* The mode of a row with the greatest gain above the noise; 0: none. */
static unsigned best_mode(const sl_tuner *tuner, const double *gain, const double *spread)
{
    unsigned best = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (!isnan(gain[m]) && sl_tuner_significant(tuner, gain[m], spread[m]) && (!best || gain[m] > gain[best]))
            best = m;
    return best;
}

static void add(candidates *c, const sl_tuner *tuner, const uint32_t *load, uint32_t loads, unsigned mode, double gain)
{
    candidate found = {.gain = gain, .first = (uint32_t)c->member.count, .mode = (uint8_t)mode};
    for (uint32_t i = 0; i < loads; i++)
        if (sl_tuner_modes(tuner, load[i], 1u << mode)) {
            c->failed |= !sl_array_push(&c->member, load[i]);
            found.loads++;
        }
    c->failed |= !sl_array_push(&c->list, found);
}

/* The group as a whole, or its loads one by one, whichever gains more. */
static void add_group(candidates *c, const sl_tuner *tuner, uint32_t g)
{
    const sl_load_group *group = &tuner->graph->group[g];
    unsigned whole = best_mode(tuner, tuner->group[g], tuner->group_spread[g]);
    double separate = 0;
    for (uint32_t i = 0; i < group->loads; i++) {
        uint32_t v = group->load[i];
        unsigned m = best_mode(tuner, tuner->load[v], tuner->load_spread[v]);
        separate += m ? tuner->load[v][m] : 0;
    }
    if (group->loads > 1 && whole && tuner->group[g][whole] >= separate) {
        add(c, tuner, group->load, group->loads, whole, tuner->group[g][whole]);
        return;
    }
    for (uint32_t i = 0; i < group->loads; i++) {
        uint32_t v = group->load[i];
        unsigned m = best_mode(tuner, tuner->load[v], tuner->load_spread[v]);
        if (m)
            add(c, tuner, &v, 1, m, tuner->load[v][m]);
    }
}

/* Groups that only gain together: a mode for all loads may help where each part is within noise. */
static void add_everything(candidates *c, sl_tuner *tuner)
{
    uint32_t loads = tuner->graph->nodes, *all = sl_arena_array(&tuner->arena, uint32_t, loads + 1);
    c->failed |= !all;
    for (uint32_t i = 0; all && i < loads; i++)
        all[i] = i;
    for (unsigned m = 1; all && m < SL_BYPASS_MODES; m++) {
        uint32_t takers = 0;
        for (uint32_t i = 0; i < loads; i++)
            takers += sl_tuner_modes(tuner, i, 1u << m) != 0;
        if (takers && sl_controls[m].node != SL_NODE_KERNEL)
            add(c, tuner, all, loads, m, 0);
    }
}

/* Descending gain; the order of the code among equals. */
static int by_gain(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* A launch has one window: the first that was taken stays. */
static bool has_window(const uint8_t *mode, size_t nodes)
{
    size_t i = 0;
    while (i < nodes && sl_controls[mode[i]].setting != SL_SETTING_WINDOW)
        i++;
    return i < nodes;
}

static void apply(const candidates *c, size_t index, uint8_t *mode, size_t nodes)
{
    const candidate *one = &c->list.items[index];
    if (sl_controls[one->mode].setting == SL_SETTING_WINDOW && has_window(mode, nodes))
        return;
    for (uint32_t i = 0; i < one->loads; i++)
        mode[c->member.items[one->first + i]] = one->mode;
}

/* Times the first 1, 2, … candidates together, and each mode for all loads; copies the fastest to `mode`. */
static sl_status try_sums(sl_tuner *tuner, const candidates *c, size_t single, uint8_t *mode, sl_error *error)
{
    size_t count = c->list.count, loads = tuner->graph->nodes;
    double gain = 0;
    bool better;
    uint8_t *plans = calloc(count + 1, loads + 1);
    const uint8_t **choice = calloc(count + 1, sizeof *choice);
    sl_status status = plans && choice ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++) {
        uint8_t *plan = plans + i * (loads + 1);
        if (i && i < single)
            memcpy(plan, plan - (loads + 1), loads);
        apply(c, i, plan, loads);
        choice[i] = plan;
    }
    if (!status)
        status = sl_tuner_fastest(tuner, choice, count, mode, &gain, &better, error);
    free(plans);
    free(choice);
    return status;
}

static void explain(sl_tuner *tuner, const uint8_t *mode, const char **why)
{
    for (uint32_t i = 0; i < tuner->graph->nodes; i++) {
        double gain = tuner->load[i][mode[i]];
        if (mode[i] && sl_tuner_significant(tuner, gain, tuner->load_spread[i][mode[i]]))
            why[i] = sl_arena_printf(&tuner->arena, "gains %.2f %% by itself, noise is %.2f %%", gain, tuner->noise);
        else if (mode[i])
            why[i] = "gains together with others";
    }
}

sl_status sl_select_ours(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    candidates c = {0};
    sl_status status = sl_tuner_affinities(tuner, ~0u, error);
    for (uint32_t g = 0; g < tuner->graph->groups && !status; g++)
        add_group(&c, tuner, g);
    size_t single = c.list.count;
    if (!status && single)
        qsort(c.list.items, single, sizeof *c.list.items, by_gain);
    if (!status)
        add_everything(&c, tuner);
    if (!status && c.failed)
        status = sl_fail_memory(error);
    if (!status)
        status = try_sums(tuner, &c, single, mode, error);
    if (!status)
        explain(tuner, mode, why);
    sl_array_free(&c.list);
    sl_array_free(&c.member);
    return status;
}
