/* SPDX-License-Identifier: MIT */
#include "machine/vary.h"

#include <string.h>

#include "policy/policy.h"

#define CHANGED(field) (now->field != before->field)

/* ---- levels ---- */

static void follow_line(sl_level *now, const sl_level *before)
{
    uint32_t line = now->line_bytes, old = before->line_bytes;
    if (!CHANGED(bank_interleave) && now->bank_interleave == old)
        now->bank_interleave = 0;
    if (!CHANGED(fill_bytes) && (now->fill_bytes == now->sector_bytes || now->fill_bytes > line))
        now->fill_bytes = 0;
    if (!CHANGED(sector_bytes) && (now->sector_bytes == old || now->sector_bytes > line))
        now->sector_bytes = 0;
    for (uint32_t i = 0; i < SL_MAX_SET_BITS && now->set_bits[i]; i++) {
        for (uint32_t bytes = old; bytes < line; bytes *= 2)
            now->set_bits[i] <<= 1;
        for (uint32_t bytes = old; bytes > line; bytes /= 2)
            now->set_bits[i] >>= 1;
    }
}

/* The hash of another number of sets; the check finds what cannot be. */
static void follow_sets(sl_level *now)
{
    uint64_t sets = now->line_bytes && now->ways ? now->size_bytes / now->line_bytes / now->ways : 0;
    uint32_t bits = 0;
    if (now->index != SL_INDEX_BITS)
        return;
    for (; bits < SL_MAX_SET_BITS && (UINT64_C(1) << bits) < sets; bits++)
        if (!now->set_bits[bits])
            now->set_bits[bits] = (uint64_t)now->line_bytes << bits;
    memset(&now->set_bits[bits], 0, (SL_MAX_SET_BITS - bits) * sizeof *now->set_bits);
}

static void follow_level(sl_level *now, const sl_level *before)
{
    bool own_bits = memcmp(now->set_bits, before->set_bits, sizeof now->set_bits) != 0;
    if (CHANGED(line_bytes) && !own_bits && before->line_bytes && !(now->line_bytes & (now->line_bytes - 1)))
        follow_line(now, before);
    if (CHANGED(size_bytes) || CHANGED(line_bytes) || CHANGED(ways)) {
        now->sets = CHANGED(sets) ? now->sets : 0;
        if (!own_bits)
            follow_sets(now);
    }
    if (CHANGED(mshrs) && !CHANGED(mshrs_per_warp) && now->mshrs_per_warp > now->mshrs)
        now->mshrs_per_warp = now->mshrs;
    if (!now->mshrs && !CHANGED(mshr_merges))
        now->mshr_merges = 0;
}

/* ---- cores ---- */

/* Cores of an instance: a number that divides all of them, and that whole instances of the level above make. */
static uint32_t fewer_cores(uint32_t cores, uint32_t of_instance, uint32_t above)
{
    while (of_instance > above && (cores % of_instance || of_instance % above))
        of_instance--;
    return of_instance < above ? above : of_instance;
}

static void follow_cores(sl_machine *now, const sl_machine *before)
{
    uint32_t above = 1;
    if (!CHANGED(core.small_gpc_cores) && now->core.small_gpc_cores >= now->cores)
        now->core.small_gpc_cores = 0;
    for (uint32_t i = 0; i < now->levels; i++) {
        uint32_t *share = &now->level[i].cores_per_instance;
        if (!CHANGED(level[i].cores_per_instance) && *share != SL_ALL_CORES)
            *share = fewer_cores(now->cores, *share == before->cores ? now->cores : *share, above);
        above = *share ? *share : now->cores;
        if (!CHANGED(level[i].coalesce_requests) && now->level[i].coalesce_requests > now->cores)
            now->level[i].coalesce_requests = now->cores;
    }
}

/* ---- shared memory ---- */

/* L1 and shared memory become two memories of fixed sizes. */
static void separate(sl_core_limits *core)
{
    if (core->unified_bytes && core->carve_outs && !core->shared_bytes)
        core->shared_bytes = core->carve_out[core->carve_outs - 1];
    core->unified_bytes = core->carve_outs = core->carve_out_needs = 0;
}

static void follow_unified(sl_core_limits *now, const sl_core_limits *before, sl_level *first, const sl_level *was)
{
    uint32_t fit = 0;
    if (!now->unified_bytes || !before->unified_bytes || !now->carve_outs)
        return;
    if (first->size_bytes != was->size_bytes) {
        if (!CHANGED(unified_bytes))
            separate(now);
    } else if (CHANGED(unified_bytes) || CHANGED(l1_reserved) || now->carve_out[0] != before->carve_out[0]) {
        while (fit < now->carve_outs && (uint64_t)now->carve_out[fit] + now->l1_reserved < now->unified_bytes)
            fit++;
        if (!fit)
            return;
        now->carve_out_needs = now->carve_out_needs == now->carve_outs ? fit : now->carve_out_needs;
        now->carve_outs = fit;
        if (!CHANGED(shared_bytes) && now->shared_bytes > now->carve_out[fit - 1])
            now->shared_bytes = now->carve_out[fit - 1];
        first->size_bytes = (uint64_t)now->unified_bytes - now->carve_out[0] - now->l1_reserved;
    }
}

void sl_machine_adapt(sl_machine *now, const sl_machine *before)
{
    if (CHANGED(cores))
        follow_cores(now, before);
    if (CHANGED(core.warps) && !CHANGED(core.threads) && now->core.threads > (uint64_t)now->core.warps * now->lanes)
        now->core.threads = now->core.warps * now->lanes;
    else if (CHANGED(core.threads) && !CHANGED(core.warps) &&
             now->core.threads > (uint64_t)now->core.warps * now->lanes)
        now->core.warps = (now->core.threads + now->lanes - 1) / now->lanes;
    follow_unified(&now->core, &before->core, &now->level[0], &before->level[0]);
    for (uint32_t i = 0; i < now->levels; i++)
        follow_level(&now->level[i], &before->level[i]);
    uint32_t line = now->levels ? now->level[now->levels - 1].line_bytes : 0;
    if (line && !CHANGED(memory.channel_interleave) && now->memory.channel_interleave % line)
        now->memory.channel_interleave = line; /* memory keeps lines whole */
}

sl_status sl_machine_vary(sl_machine *machine, const sl_first_level *change, sl_error *error)
{
    sl_level *level = &machine->level[0];
    const sl_machine before = *machine;
    if (change->size_bytes) {
        level->size_bytes = change->size_bytes;
        separate(&machine->core);
    }
    if (change->ways)
        level->ways = change->ways;
    if (change->line_bytes)
        level->line_bytes = change->line_bytes;
    if (change->mshrs != SL_MSHRS_AS_THEY_ARE)
        level->mshrs = change->mshrs;
    sl_machine_adapt(machine, &before);
    return sl_machine_check(machine, error);
}

/* ---- policies ---- */

static sl_status copy_policy(char to[SL_MACHINE_POLICY], const char *from, size_t bytes, sl_error *error)
{
    if (bytes >= SL_MACHINE_POLICY)
        return sl_fail(error, SL_INVALID, "'%.60s…' is too long for a policy and its parameters", from);
    memset(to, 0, SL_MACHINE_POLICY);
    memcpy(to, from, bytes);
    return SL_OK;
}

sl_status sl_level_set_policies(sl_machine *machine, uint32_t number, const char *text, sl_error *error)
{
    sl_level *level = &machine->level[number];
    sl_policy_pair pair;
    sl_policy_choice first;
    sl_status status = sl_policies_parse(machine->policies, text, &pair, error);
    if (status)
        return status;
    const char *plus = strchr(text, '+');
    size_t bytes = plus ? (size_t)(plus - text) : strlen(text);
    char part[SL_MACHINE_POLICY];
    status = copy_policy(part, text, bytes, error);
    if (!status)
        status = sl_policy_parse_among(machine->policies, part, &first, error);
    if (status)
        return status;
    bool replaces = pair.replacement.ops == first.ops;
    level->bypass[0] = 0;
    memcpy(replaces ? level->replacement : level->bypass, part, sizeof part);
    if (plus)
        status = copy_policy(replaces ? level->bypass : level->replacement, plus + 1, strlen(plus + 1), error);
    return status ? status : sl_machine_check(machine, error);
}
