/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* The machine without what levels of one pass may differ in. */
static void strip(sl_machine *machine)
{
    sl_level *level = &machine->level[0];
    level->size_bytes = 0;
    level->ways = level->sets = level->mshrs = level->mshrs_per_warp = level->mshr_lines = level->mshr_merges = 0;
    level->index = SL_INDEX_MODULO;
    memset(level->set_bits, 0, sizeof level->set_bits);
    memset(&machine->level[1], 0, sizeof machine->level - sizeof *machine->level);
}

static bool same_options(const sl_model_options *a, const sl_model_options *b)
{
    return a->no_latency == b->no_latency && a->no_associativity == b->no_associativity && a->no_mshr == b->no_mshr &&
           a->no_divergence == b->no_divergence;
}

static bool is_pure(const sl_model_variant *v)
{
    const sl_level *first = &v->machine.level[0];
    return sl_model_is_pure(&v->options) && v->machine.levels == 1 && !strcmp(first->replacement, "lru") &&
           first->write != SL_WRITE_ALLOCATE; /* stacks know nothing of single bytes */
}

/* Whether one pass does for both: all but their first levels' sets and ways are alike. Nothing is random then. */
static bool in_one_pass(const sl_model_variant *a, const sl_model_variant *b)
{
    if (!is_pure(a) || !is_pure(b) || !same_options(&a->options, &b->options))
        return false;
    sl_machine x = a->machine, y = b->machine;
    strip(&x);
    strip(&y);
    return !memcmp(&x, &y, sizeof x);
}

static bool same(const sl_model_variant *a, const sl_model_variant *b)
{
    return same_options(&a->options, &b->options) && a->options.seed == b->options.seed && a->warm == b->warm &&
           !memcmp(&a->machine, &b->machine, sizeof a->machine);
}

/* The first variant whose pass this one can share; itself where there is none before it. */
static size_t leader_of(const sl_model_variant *variant, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same(&variant[i], &variant[at]) || in_one_pass(&variant[i], &variant[at]))
            return i;
    return at;
}

/* All variants of that leader, of which there are `count`, in one pass. */
static sl_status run_together(const sl_loaded *loaded, const sl_model_variant *variant, const size_t *member,
                              size_t count, sl_pool *pool, sl_counts *total, sl_error *error)
{
    const sl_model_variant *leader = &variant[member[0]];
    sl_level *level = calloc(count, sizeof *level);
    sl_counts *sums = calloc(count, sizeof *sums);
    sl_status status = level && sums ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++)
        status = sl_model_first_level(&variant[member[i]].machine, loaded, &level[i], NULL, error);
    if (!status)
        status = sl_model_stacks(&leader->machine, loaded, &leader->options, level, count, pool, sums, error);
    for (size_t i = 0; i < count && !status; i++)
        total[member[i]] = sums[i];
    free(level);
    free(sums);
    return status;
}

static sl_status run_leader(const sl_loaded *loaded, const sl_model_variant *variant, const size_t *member,
                            size_t count, sl_model_caches *caches, sl_pool *pool, sl_model_each each, void *to,
                            sl_counts *total, sl_error *error)
{
    const sl_model_variant *leader = &variant[member[0]];
    if (count > 1 && is_pure(leader))
        return run_together(loaded, variant, member, count, pool, total, error);
    sl_model_result result = {0};
    sl_status status = sl_model_loaded(&leader->machine, loaded, &leader->options, caches ? &caches[member[0]] : NULL,
                                       pool, NULL, &result, error);
    if (!status && each)
        status = each(to, member[0], loaded, &result, error);
    for (size_t i = 0; i < count; i++)
        total[member[i]] = result.counts.total;
    sl_model_result_fini(&result);
    return status;
}

sl_status sl_model_variants(const sl_loaded *loaded, const sl_model_variant *variant, size_t count,
                            sl_model_caches *caches, sl_pool *pool, sl_model_each each, void *to, sl_counts *total,
                            sl_error *error)
{
    size_t *member = malloc((count ? count : 1) * sizeof *member);
    sl_status status = member ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++) {
        size_t members = 0;
        if (leader_of(variant, i) != i)
            continue;
        for (size_t k = i; k < count; k++)
            if (leader_of(variant, k) == i)
                member[members++] = k;
        status = run_leader(loaded, variant, member, members, caches, pool, each, to, total, error);
    }
    free(member);
    return status;
}

size_t sl_model_variants_passes(const sl_model_variant *variant, size_t count)
{
    size_t passes = 0;
    for (size_t i = 0; i < count; i++)
        passes += leader_of(variant, i) == i;
    return passes;
}
