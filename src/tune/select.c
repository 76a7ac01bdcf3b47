/* SPDX-License-Identifier: MIT */
/* The table of selection strategies, and those that need only affinities: Mpache's algorithm 1, its restriction to one
 * mode, and the schemes that the paper compares it with. */
#include "tune/select.h"

#include <math.h>
#include <string.h>

#include "base/suggest.h"

#define X(function, name, summary) {name, summary, sl_select_##function},
const sl_selector sl_selectors[] = {
#include "tune/selectors.def"
    {0},
};
#undef X

bool sl_selector_reverts(const sl_selector *selector)
{
    return selector == &sl_selectors[0];
}

sl_status sl_selector_find(const char *name, const sl_selector **selector, sl_error *error)
{
    const char *names[16];
    size_t count = 0;
    for (const sl_selector *s = sl_selectors; s->name; s++) {
        if (!strcmp(s->name, name)) {
            *selector = s;
            return SL_OK;
        }
        if (count < sizeof names / sizeof *names)
            names[count++] = s->name;
    }
    const char *near = sl_suggest(name, names, count);
    return sl_fail(error, SL_NOT_FOUND, "unknown selection strategy '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

/* ---- algorithm 1 ---- */

typedef struct run {
    const sl_load_graph *graph;
    const sl_affinities *a;
    const sl_mpache_rules *rules;
    uint8_t *mode;
    const char **why;
    sl_arena *arena;
    bool failed;
} run;

static double group_affinity(const run *r, uint32_t g, unsigned m)
{
    const sl_load_group *group = &r->graph->group[g];
    return group->loads == 1 ? r->a->load[group->load[0]][m] : r->a->group[g][m];
}

/* A(g, m) minus the sum of what its loads gain one by one: what they gain together. NaN: no load can take m. */
static double combined(const run *r, uint32_t g, unsigned m)
{
    const sl_load_group *group = &r->graph->group[g];
    double com = group_affinity(r, g, m);
    for (uint32_t i = 0; i < group->loads; i++)
        if (!isnan(r->a->load[group->load[i]][m]))
            com -= r->a->load[group->load[i]][m];
    return com;
}

static void explain(run *r, uint32_t load, const char *text)
{
    if (!r->why)
        return;
    r->why[load] = text;
    r->failed |= !text;
}

/* Lines 2 to 11: true when the group as a whole took a mode. */
static bool cooperate(run *r, uint32_t g, double *record)
{
    const sl_load_group *group = &r->graph->group[g];
    double best = -INFINITY;
    for (unsigned k = 0; k < r->rules->modes; k++) {
        unsigned m = r->rules->mode[k];
        double com = record[m] = combined(r, g, m);
        if (!(com > r->rules->thresh1 * group->loads) || !(com > best))
            continue;
        best = com;
        for (uint32_t i = 0; i < group->loads; i++) {
            uint32_t v = group->load[i];
            if (isnan(r->a->load[v][m]))
                continue;
            r->mode[v] = (uint8_t)m;
            explain(r, v,
                    sl_arena_printf(r->arena, "its group gains %.2f %% more together than one by one (%s)", com,
                                    sl_bypass_name(m)));
        }
    }
    return best != -INFINITY;
}

/* Lines 12 to 24. */
static void contend(run *r, uint32_t g, const double *record)
{
    const sl_load_group *group = &r->graph->group[g];
    for (uint32_t i = 0; i < group->loads; i++) {
        uint32_t v = group->load[i];
        double best = -INFINITY;
        for (unsigned k = 0; k < r->rules->modes; k++) {
            unsigned m = r->rules->mode[k];
            double score = r->a->load[v][m];
            if (group->loads != 1 && record[m] < 0)
                score += r->rules->weight * record[m];
            if (!(score > r->rules->thresh2) || !(score > best))
                continue;
            best = score;
            r->mode[v] = (uint8_t)m;
            explain(r, v, sl_arena_printf(r->arena, "scores %.2f %% by itself (%s)", score, sl_bypass_name(m)));
        }
    }
}

sl_status sl_mpache_select(const sl_load_graph *graph, const sl_affinities *affinities, const sl_mpache_rules *rules,
                           uint8_t *mode, const char **why, sl_arena *arena, sl_error *error)
{
    run r = {.graph = graph, .a = affinities, .rules = rules, .mode = mode, .why = why, .arena = arena};
    for (uint32_t g = 0; g < graph->groups; g++) {
        double record[SL_BYPASS_MODES] = {0};
        if (!cooperate(&r, g, record))
            contend(&r, g, record);
    }
    return r.failed ? sl_fail_memory(error) : SL_OK;
}

/* ---- by affinities ---- */

static sl_status by_algorithm(sl_tuner *tuner, unsigned modes, const uint8_t *mode_list, uint8_t *mode,
                              const char **why, sl_error *error)
{
    sl_mpache_rules rules = {.modes = modes,
                             .thresh1 = tuner->options.thresh1,
                             .thresh2 = tuner->options.thresh2,
                             .weight = tuner->options.weight};
    uint32_t mask = 0;
    for (unsigned i = 0; i < modes; i++) {
        rules.mode[i] = mode_list[i];
        mask |= 1u << mode_list[i];
    }
    sl_status status = sl_tuner_affinities(tuner, mask, error);
    sl_affinities a = {(const double(*)[SL_BYPASS_MODES])tuner->load, (const double(*)[SL_BYPASS_MODES])tuner->group};
    return status ? status : sl_mpache_select(tuner->graph, &a, &rules, mode, why, &tuner->arena, error);
}

sl_status sl_select_paper(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    return by_algorithm(tuner, 2, (const uint8_t[]){SL_BYPASS_L2, SL_BYPASS_L1}, mode, why, error);
}

sl_status sl_select_select_l2(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    return by_algorithm(tuner, 1, (const uint8_t[]){SL_BYPASS_L2}, mode, why, error);
}

sl_status sl_select_select_l1(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    return by_algorithm(tuner, 1, (const uint8_t[]){SL_BYPASS_L1}, mode, why, error);
}

/* The static half of Liang et al. as the paper reproduces it: loads one by one, the first levels alone. */
sl_status sl_select_liang(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    sl_status status = sl_tuner_affinities(tuner, 1u << SL_BYPASS_L1, error);
    for (uint32_t i = 0; i < tuner->graph->nodes && !status; i++)
        if (tuner->load[i][SL_BYPASS_L1] > tuner->options.thresh2) {
            mode[i] = SL_BYPASS_L1;
            why[i] = sl_arena_printf(&tuner->arena, "gains %.2f %% by itself", tuner->load[i][SL_BYPASS_L1]);
        }
    return status;
}

/* ---- without affinities ---- */

sl_status sl_select_cache_all(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    (void)tuner, (void)mode, (void)why, (void)error;
    return SL_OK;
}

static sl_status pass(sl_tuner *tuner, unsigned m, uint8_t *mode, const char **why)
{
    for (uint32_t i = 0; i < tuner->graph->nodes; i++)
        if (sl_tuner_modes(tuner, i, 1u << m)) {
            mode[i] = (uint8_t)m;
            why[i] = "every load does";
        }
    return SL_OK;
}

sl_status sl_select_pass_l2(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    (void)error;
    return pass(tuner, SL_BYPASS_L2, mode, why);
}

sl_status sl_select_pass_l1(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error)
{
    (void)error;
    return pass(tuner, SL_BYPASS_L1, mode, why);
}
