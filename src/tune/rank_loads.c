/* SPDX-License-Identifier: MIT */
#include "tune/ranking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tune/effects.h"

enum { L1, L2, LEVELS };

/* Sectors of accesses at each level. */
typedef struct traffic {
    double hits[LEVELS];
    double again[LEVELS]; /* that miss though they were there before: for lack of room */
    double fills[LEVELS]; /* that are allocated */
} traffic;

typedef struct model_ranks {
    const sl_machine *machine;
    const sl_load_graph *graph;
    const traffic *node; /* [nodes] */
    traffic all;         /* with what belongs to no node */
    double cost[LEVELS]; /* cycles of a miss more than of a hit */
    double waits;        /* cycles of all loads */
} model_ranks;

static double value(const sl_counts *counts, sl_counter counter)
{
    return (double)counts->value[counter];
}

/* Whether the L2 evicts anything: what the whole launch reads does not fit, with the copies that its partitions have of
 * it, or something that was written did not stay. */
static bool l2_evicts(const sl_machine *machine, const sl_counts *total, double share)
{
    const sl_level *level = &machine->level[1];
    double copies = level->partitions > 1 ? level->partitions : 1;
    double bytes = value(total, SL_COUNTER_dram_read_sectors) * level->sector_bytes * copies / share;
    return value(total, SL_COUNTER_dram_write_sectors) > 0 || bytes > (double)level->size_bytes;
}

static traffic traffic_of(const sl_machine *machine, const sl_counts *c, bool evicts)
{
    double writes = value(c, SL_COUNTER_l2_write_sectors), reads = value(c, SL_COUNTER_dram_read_sectors);
    traffic t = {
        .hits[L1] = value(c, SL_COUNTER_ld_sector_hits),
        .again[L1] = value(c, SL_COUNTER_capacity_sectors) + value(c, SL_COUNTER_conflict_sectors),
        .fills[L1] = value(c, SL_COUNTER_ld_sector_misses) - value(c, SL_COUNTER_bypassed_sectors),
    };
    if (machine->level[0].write == SL_WRITE_ALLOCATE)
        t.fills[L1] += writes;
    if (!evicts)
        return t;
    t.hits[L2] = value(c, SL_COUNTER_l2_read_hits);
    t.again[L2] = reads;
    t.fills[L2] = reads + writes;
    return t;
}

static void add(traffic *to, const traffic *from)
{
    for (int l = 0; l < LEVELS; l++) {
        to->hits[l] += from->hits[l];
        to->again[l] += from->again[l];
        to->fills[l] += from->fills[l];
    }
}

/* Misses in L2 of the array that a window lies over. */
static double window_misses(const model_ranks *r, uint32_t param)
{
    char name[32];
    double misses = 0;
    snprintf(name, sizeof name, "param_%u", param);
    for (uint32_t i = 0; i < r->graph->loads; i++)
        if (r->graph->load[i].array && !strcmp(r->graph->load[i].array, name))
            misses += r->node[i].again[L2];
    return misses;
}

/* Cycles that a mode wins for its node itself, or of a setting for all. */
static double kept(const model_ranks *r, uint32_t node, unsigned mode, sl_sim_hint hint)
{
    const traffic *t = &r->node[node];
    double l2 = r->cost[L2] * t->again[L2];
    const sl_control *control = &sl_controls[mode];
    if (control->setting == SL_SETTING_WINDOW)
        return r->cost[L2] * window_misses(r, r->graph->load[node].inst - SL_SETTING_WINDOW);
    if ((control->setting == SL_SETTING_CARVE_OUT && !control->shared_percent) || control->log2_fewer_blocks)
        return r->cost[L1] * r->all.again[L1];
    if (control->prefetch_size || control->prefetch_distance > 0)
        return l2;
    return (hint.last & 1 ? r->cost[L1] * t->again[L1] : 0) + (hint.last & ~1 ? l2 : 0) * (hint.half ? 0.5 : 1);
}

static double predict(const sl_ranking *ranking, const uint8_t *choice)
{
    const model_ranks *r = ranking->context;
    traffic given_up = {0};
    double cycles = 0;
    for (uint32_t i = 0; i < r->graph->nodes; i++) {
        if (!choice[i])
            continue;
        const sl_sim_hint hint = sl_sim_hint_of(choice[i], r->machine);
        unsigned first = hint.bypass | hint.first;
        traffic t = r->node[i];
        double share[LEVELS] = {first & 1, (first & ~1u ? 1 : 0) * (hint.half ? 0.5 : 1)};
        for (int l = 0; l < LEVELS; l++) {
            t.hits[l] *= share[l];
            t.again[l] *= share[l];
            t.fills[l] *= share[l];
        }
        add(&given_up, &t);
        cycles += kept(r, i, choice[i], hint);
    }
    for (int l = 0; l < LEVELS; l++)
        cycles += r->cost[l] * (fmin(r->all.again[l] - given_up.again[l], given_up.fills[l]) - given_up.hits[l]);
    return r->waits > 0 ? 100 * cycles / r->waits : 0;
}

static void fill_ranks(model_ranks *r, traffic *node, const sl_model_result *modeled, double share,
                       const uint32_t *node_of)
{
    const sl_counts *total = &modeled->counts.total;
    const sl_level *level = r->machine->level;
    bool evicts = r->machine->levels > 1 && l2_evicts(r->machine, total, share);
    double memory = r->machine->memory.latency_cycles, l2 = r->machine->levels > 1 ? level[1].hit_cycles : memory;
    for (uint32_t slot = 0; slot < modeled->counts.slots; slot++) {
        traffic t = traffic_of(r->machine, &modeled->counts.slot[slot], evicts);
        add(&r->all, &t);
        if (node_of[slot] != UINT32_MAX)
            add(&node[node_of[slot]], &t);
    }
    r->cost[L1] = l2;
    r->cost[L2] = fmax(memory - l2, 0);
    r->waits = value(total, SL_COUNTER_ld_sectors) * level[0].hit_cycles +
               value(total, SL_COUNTER_ld_sector_misses) * r->cost[L1] +
               value(total, SL_COUNTER_dram_read_sectors) * r->cost[L2];
}

sl_status sl_rank_loads(const sl_machine *machine, const sl_loaded *loaded, double share, const sl_load_graph *graph,
                        const uint32_t *node_of, uint64_t seed, sl_pool *pool, sl_arena *arena, sl_ranking *ranking,
                        sl_error *error)
{
    const sl_model_options options = {.seed = seed};
    sl_model_result modeled;
    model_ranks *r = sl_arena_new(arena, model_ranks);
    traffic *node = sl_arena_array(arena, traffic, graph->nodes + 1);
    const char *text = sl_arena_printf(arena, "by model %s", machine->name);
    if (!r || !node || !text)
        return sl_fail_memory(error);
    *r = (model_ranks){.machine = machine, .graph = graph, .node = node};
    sl_status status = sl_model_loaded(machine, loaded, &options, NULL, pool, NULL, &modeled, error);
    if (!status)
        fill_ranks(r, node, &modeled, share, node_of);
    sl_model_result_fini(&modeled);
    if (!status)
        *ranking = (sl_ranking){.text = text, .predict = predict, .context = r};
    return status;
}

sl_status sl_not_ranked(const sl_error *why, sl_arena *arena, sl_ranking *ranking, sl_error *error)
{
    char text[sizeof *why];
    *ranking = (sl_ranking){.text = sl_arena_printf(arena, "not ranked: %s", sl_error_format(why, text, sizeof text))};
    return ranking->text ? SL_OK : sl_fail_memory(error);
}
