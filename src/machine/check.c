/* SPDX-License-Identifier: MIT */
/* What follows from the keys of a machine, and what cannot be. */
#include <inttypes.h>
#include <string.h>

#include "machine/keys.h"
#include "policy/policy.h"

/* `return blame(…)` with the key, the level and sl_fail's arguments. */
#define BLAME(at, number, ...) ((*fault = (sl_machine_fault){at, number}), sl_fail(error, SL_INVALID, __VA_ARGS__))

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* ---- cores ---- */

static sl_status check_unified(sl_machine *m, sl_machine_fault *fault, sl_error *error)
{
    sl_core_limits *core = &m->core;
    if (!core->unified_bytes && !core->carve_outs && !core->carve_out_needs)
        return SL_OK;
    if (!core->unified_bytes)
        return BLAME(core->carve_outs ? SL_AT_core_carve_outs : SL_AT_core_carve_out_needs, 0,
                     "'carve_outs' are parts of 'unified', which is absent");
    if (!core->carve_outs)
        return BLAME(SL_AT_core_unified, 0, "'unified' needs 'carve_outs', the possible sizes of shared memory in it");
    for (uint32_t i = 0; i < core->carve_outs; i++) {
        if (core->carve_out[i] + core->l1_reserved >= core->unified_bytes)
            return BLAME(SL_AT_core_carve_outs, 0, "a carve-out of %u bytes takes all of the %u unified bytes",
                         core->carve_out[i], core->unified_bytes);
        if (i && core->carve_out[i] <= core->carve_out[i - 1])
            return BLAME(SL_AT_core_carve_outs, 0, "carve-outs ascend, but %u follows %u", core->carve_out[i],
                         core->carve_out[i - 1]);
    }
    if (core->carve_out_needs && core->carve_out_needs != core->carve_outs)
        return BLAME(SL_AT_core_carve_out_needs, 0, "%u needs for %u carve-outs", core->carve_out_needs,
                     core->carve_outs);
    for (uint32_t i = 0; i < core->carve_out_needs; i++)
        if (core->carve_out_need[i] > core->carve_out[i])
            return BLAME(SL_AT_core_carve_out_needs, 0, "a need of %u bytes exceeds a carve-out of %u",
                         core->carve_out_need[i], core->carve_out[i]);
    uint32_t max = core->carve_out[core->carve_outs - 1];
    if (!core->shared_bytes)
        core->shared_bytes = max;
    if (core->shared_bytes > max)
        return BLAME(SL_AT_core_shared, 0, "%u bytes of shared memory are more than the largest carve-out, %u",
                     core->shared_bytes, max);
    return SL_OK;
}

/* `*field` where it is given, otherwise `value`. */
static void set_default(uint32_t *field, uint64_t value)
{
    if (!*field)
        *field = (uint32_t)value;
}

static void derive_pace(sl_core_limits *core)
{
    set_default(&core->active_warps, 8);
    set_default(&core->alu_cycles, 4);
    set_default(&core->f64_cycles, 2 * core->alu_cycles);
    set_default(&core->sfu_cycles, 5 * core->alu_cycles);
    set_default(&core->tensor_cycles, 8 * core->alu_cycles);
    set_default(&core->shared_cycles, 20);
    set_default(&core->alu_interval, 1);
    set_default(&core->f64_interval, 2 * core->alu_interval);
    set_default(&core->sfu_interval, 4 * core->alu_interval);
    set_default(&core->tensor_interval, 8 * core->alu_interval);
    set_default(&core->tensor_columns, 2);
    set_default(&core->memory_queue, 8);
    set_default(&core->scalar_ways, 4);
    set_default(&core->scalar_cycles, core->shared_cycles);
}

static sl_status check_core(sl_machine *m, sl_machine_fault *fault, sl_error *error)
{
    if (m->lanes != 32 && m->lanes != 64)
        return BLAME(SL_AT_machine_lanes, 0, "a warp has 32 or 64 lanes, not %u", m->lanes);
    if (!m->cores)
        return BLAME(SL_AT_machine_cores, 0, "a machine has at least one core");
    sl_core_limits *core = &m->core;
    if ((uint64_t)core->warps * m->lanes < core->threads)
        return BLAME(SL_AT_core_warps, 0, "%u warps of %u lanes do not match the %u threads of a core", core->warps,
                     m->lanes, core->threads);
    if (core->register_granularity > core->registers && core->registers)
        return BLAME(SL_AT_core_register_granularity, 0, "registers in multiples of %u, but there are only %u",
                     core->register_granularity, core->registers);
    set_default(&core->schedulers, 1);
    set_default(&core->block_threads, core->threads < 1024 ? core->threads : 1024);
    derive_pace(core);
    if (core->small_gpc_cores >= m->cores)
        return BLAME(SL_AT_core_small_gpc_cores, 0, "a small GPC of %u cores, but there are %u cores in all",
                     core->small_gpc_cores, m->cores);
    if (core->small_gpc_cores && !core->small_gpc_interval)
        return BLAME(
            SL_AT_core_small_gpc_cores, 0,
            "'small_gpc_cores' needs 'small_gpc_interval', the blocks scheduled to other cores between its waves");
    return check_unified(m, fault, error);
}

/* What a carve-out changes of the first level: an index of bits has its sets, and the ways change; any other takes as
 * many sets as there are. */
static uint64_t unit_bytes(const sl_level *level)
{
    return (uint64_t)level->line_bytes * (level->index == SL_INDEX_BITS ? level->sets : level->ways);
}

static sl_status check_carved_level(const sl_machine *m, sl_machine_fault *fault, sl_error *error)
{
    const sl_core_limits *core = &m->core;
    const sl_level *level = &m->level[0];
    if (!core->unified_bytes)
        return SL_OK;
    uint64_t max = (uint64_t)core->unified_bytes - core->carve_out[0] - core->l1_reserved;
    if (level->size_bytes != max)
        return BLAME(SL_AT_level_size, 0,
                     "%s has %" PRIu64 " bytes, but %" PRIu64
                     " of the unified part are left for L1 by the smallest carve-out",
                     level->name, level->size_bytes, max);
    for (uint32_t i = 0; i < core->carve_outs; i++) {
        uint64_t left = (uint64_t)core->unified_bytes - core->carve_out[i] - core->l1_reserved;
        if (left % unit_bytes(level))
            return BLAME(SL_AT_core_carve_outs, 0,
                         "a carve-out of %u bytes leaves %" PRIu64
                         " for %s, which is not a whole number of %s (%" PRIu64 " bytes each)",
                         core->carve_out[i], left, level->name, level->index == SL_INDEX_BITS ? "ways" : "sets",
                         unit_bytes(level));
    }
    return SL_OK;
}

static sl_status check_scalar(const sl_machine *m, sl_machine_fault *fault, sl_error *error)
{
    uint64_t set = (uint64_t)m->core.scalar_ways * m->level[0].line_bytes;
    if (m->core.scalar_bytes % set)
        return BLAME(SL_AT_core_scalar, 0,
                     "a scalar data cache of %u bytes is not a whole number of sets (%" PRIu64 " bytes each)",
                     m->core.scalar_bytes, set);
    return SL_OK;
}

/* ---- a level ---- */

static sl_status check_line(sl_level *level, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    if (!power_of_two(level->line_bytes))
        return BLAME(SL_AT_level_line, at, "a line of %u bytes: it must be a power of two", level->line_bytes);
    if (!level->sector_bytes)
        level->sector_bytes = level->line_bytes;
    if (level->line_bytes % level->sector_bytes)
        return BLAME(SL_AT_level_sector, at, "sectors of %u bytes do not divide a line of %u", level->sector_bytes,
                     level->line_bytes);
    if (!level->fill_bytes)
        level->fill_bytes = level->sector_bytes;
    if (level->fill_bytes > level->line_bytes)
        return BLAME(SL_AT_level_fill, at, "a fill of %u bytes is more than a line of %u", level->fill_bytes,
                     level->line_bytes);
    if (level->fill_bytes % level->sector_bytes || level->line_bytes % level->fill_bytes)
        return BLAME(SL_AT_level_fill, at, "a fill of %u bytes is not a whole part of a line of %u with sectors of %u",
                     level->fill_bytes, level->line_bytes, level->sector_bytes);
    return SL_OK;
}

/* Which sizes would do: those that are whole numbers of `unit` next to `size`. Returns `text`. */
enum { FITTING_BYTES = 96 };
static char *fitting(uint64_t size, uint64_t unit, char text[FITTING_BYTES])
{
    static const char suffix[] = {0, 'K', 'M', 'G'};
    uint64_t below = size / unit * unit, sizes[] = {below ? below : unit, below ? below + unit : 2 * unit};
    size_t used = (size_t)snprintf(text, FITTING_BYTES, "; these sizes fit:");
    for (int i = 0; i < 2 && used < FITTING_BYTES; i++) {
        int k = 0;
        for (; k < 3 && sizes[i] % 1024 == 0; k++)
            sizes[i] /= 1024;
        used += (size_t)snprintf(text + used, FITTING_BYTES - used, "%s %" PRIu64 "%.1s", i ? "," : "", sizes[i],
                                 &suffix[k]);
    }
    return text;
}

static sl_status check_sets(sl_level *level, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    char text[FITTING_BYTES];
    if (!level->ways)
        return BLAME(SL_AT_level_ways, at, "a set has at least one way");
    uint64_t lines = level->size_bytes / level->line_bytes, sets = lines / level->ways;
    if (level->size_bytes % level->line_bytes || lines % level->ways || !sets || sets > UINT32_MAX)
        return BLAME(SL_AT_level_size, at, "%" PRIu64 " bytes are not a whole number of sets of %u lines of %u bytes%s",
                     level->size_bytes, level->ways, level->line_bytes,
                     fitting(level->size_bytes,
                             (uint64_t)level->ways * level->line_bytes * (level->banks ? level->banks : 1), text));
    if (level->sets && level->sets != sets)
        return BLAME(SL_AT_level_sets, at,
                     "%u sets of %u ways of %u bytes are %" PRIu64 " bytes, but the size is %" PRIu64 " (%" PRIu64
                     " sets)",
                     level->sets, level->ways, level->line_bytes,
                     (uint64_t)level->sets * level->ways * level->line_bytes, level->size_bytes, sets);
    level->sets = (uint32_t)sets;
    return SL_OK;
}

/* Set bits that are a function of others: some sets would have no addresses. */
static bool independent(const uint64_t *mask, uint32_t count)
{
    uint64_t row[SL_MAX_SET_BITS];
    memcpy(row, mask, count * sizeof *row);
    for (uint32_t i = 0; i < count; i++) {
        if (!row[i])
            return false;
        uint64_t pivot = row[i] & -row[i];
        for (uint32_t j = i + 1; j < count; j++)
            if (row[j] & pivot)
                row[j] ^= row[i];
    }
    return true;
}

static sl_status check_index(sl_level *level, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    char text[FITTING_BYTES];
    uint32_t bits = 0;
    if (level->index != SL_INDEX_BITS) {
        memset(level->set_bits, 0, sizeof level->set_bits);
        return SL_OK;
    }
    while (bits < SL_MAX_SET_BITS && level->set_bits[bits])
        bits++;
    if (!bits && level->sets > 1)
        return BLAME(SL_AT_level_index, at, "'index: bits' needs 'set_bits'");
    if (!power_of_two(level->sets))
        return BLAME(SL_AT_level_size, at, "%u sets cannot be chosen by bits%s", level->sets,
                     fitting(level->size_bytes,
                             (UINT64_C(1) << (31 - __builtin_clz(level->sets))) * level->ways * level->line_bytes,
                             text));
    if (1u << bits != level->sets)
        return BLAME(SL_AT_level_set_bits, at, "%u bits choose among %u sets, but there are %u", bits, 1u << bits,
                     level->sets);
    for (uint32_t i = 0; i < bits; i++)
        if (level->set_bits[i] & (level->line_bytes - 1))
            return BLAME(SL_AT_level_set_bits, at,
                         "bit %u of the set depends on address bit %u, which is within a line of %u", i,
                         (unsigned)__builtin_ctzll(level->set_bits[i]), level->line_bytes);
    if (!independent(level->set_bits, bits))
        return BLAME(SL_AT_level_set_bits, at, "a set bit is a function of the others: some sets would never be used");
    return SL_OK;
}

static sl_status check_requests(sl_level *level, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    char text[FITTING_BYTES];
    if (!level->mshrs && (level->mshrs_per_warp || level->mshr_merges))
        return BLAME(level->mshrs_per_warp ? SL_AT_level_mshrs_per_warp : SL_AT_level_mshr_merges, at,
                     "this limits MSHRs, but 'mshrs' is 0 or absent, which means no limit");
    if (level->mshrs_per_warp > level->mshrs)
        return BLAME(SL_AT_level_mshrs_per_warp, at, "a warp cannot have %u of %u MSHRs", level->mshrs_per_warp,
                     level->mshrs);
    if (!level->banks)
        level->banks = 1;
    if (!level->bank_interleave)
        level->bank_interleave = level->line_bytes;
    if (level->sets % level->banks)
        return BLAME(SL_AT_level_banks, at, "%u sets do not spread evenly over %u banks%s", level->sets, level->banks,
                     fitting(level->size_bytes, (uint64_t)level->ways * level->line_bytes * level->banks, text));
    if (level->data_banks && (level->data_banks != 32 || level->banks > 64 || level->banks & (level->banks - 1)))
        return BLAME(SL_AT_level_data_banks, at, "'data_banks' is 32, with 1, 2, 4 … 64 banks of tags");
    if (level->bank_interleave % level->line_bytes)
        return BLAME(SL_AT_level_bank_interleave, at, "banks interleave at %u bytes, within a line of %u",
                     level->bank_interleave, level->line_bytes);
    return SL_OK;
}

/* What only the simulator goes by. */
static sl_status check_traffic(sl_level *level, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    set_default(&level->ports, 1);
    set_default(&level->queue, 8);
    set_default(&level->miss_queue, 8);
    set_default(&level->network_bytes, 32);
    set_default(&level->network_partial, 1);
    if (at)
        set_default(&level->network_cycles, level->hit_cycles / 3);
    else if (level->network_cycles)
        return BLAME(SL_AT_level_network_cycles, at, "there is no network before the first level");
    if (2 * (uint64_t)level->network_cycles > level->hit_cycles)
        return BLAME(SL_AT_level_network_cycles, at,
                     "the network takes %u cycles both ways, more than the %u of a hit, which include them",
                     2 * level->network_cycles, level->hit_cycles);
    if (level->miss_handling != SL_MISS_FRC && (level->frc_entries || level->frc_ways || level->frc_keeps_victims))
        return BLAME(level->frc_entries ? SL_AT_level_frc_entries
                     : level->frc_ways  ? SL_AT_level_frc_ways
                                        : SL_AT_level_frc_keeps_victims,
                     at, "this is for 'miss_handling: frc'");
    if (level->miss_handling == SL_MISS_FRC) {
        set_default(&level->frc_entries, 64);
        set_default(&level->frc_ways, level->frc_entries < 8 ? level->frc_entries : 8);
        if (level->frc_entries % level->frc_ways)
            return BLAME(SL_AT_level_frc_ways, at, "%u entries are not a whole number of sets of %u",
                         level->frc_entries, level->frc_ways);
    }
    if (level->hint == SL_HINT_MISS_EVICT && level->write == SL_WRITE_BACK)
        return BLAME(SL_AT_level_hint, at, "a level that keeps stores cannot evict lines that are read: 'miss_evict'");
    if (level->hit_evict && level->write == SL_WRITE_BACK)
        return BLAME(SL_AT_level_hit_evict, at,
                     "a level that keeps stores cannot evict lines that are read: 'hit_evict'");
    if (!at && level->miss_handling != SL_MISS_OVERLAPPED)
        return BLAME(SL_AT_level_miss_handling, at, "the first level handles misses 'overlapped'");
    return SL_OK;
}

static sl_status check_memory(sl_machine *m, sl_machine_fault *fault, sl_error *error)
{
    sl_memory *memory = &m->memory;
    const sl_level *last = &m->level[m->levels - 1];
    set_default(&memory->channels, last->banks);
    set_default(&memory->channel_interleave, last->bank_interleave);
    set_default(&memory->banks, 16);
    set_default(&memory->bank_groups, 1);
    set_default(&memory->row_bytes, 2048);
    set_default(&memory->bytes_per_cycle, 8 * (uint64_t)memory->channels);
    set_default(&memory->queue, 16);
    set_default(&memory->clock_mhz, m->clock_mhz);
    if (memory->channel_interleave % last->line_bytes)
        return BLAME(SL_AT_memory_channel_interleave, 0, "channels interleave at %u bytes, within a line of %u",
                     memory->channel_interleave, last->line_bytes);
    if (memory->banks % memory->bank_groups)
        return BLAME(SL_AT_memory_bank_groups, 0, "%u banks do not spread evenly over %u bank groups", memory->banks,
                     memory->bank_groups);
    if (memory->ccdl && memory->ccdl < memory->ccd)
        return BLAME(SL_AT_memory_ccdl, 0, "'ccdl' of %u is below 'ccd' of %u", memory->ccdl, memory->ccd);
    if (memory->row_bytes % last->line_bytes)
        return BLAME(SL_AT_memory_row_bytes, 0, "a row of %u bytes is not a whole number of lines of %u",
                     memory->row_bytes, last->line_bytes);
    return SL_OK;
}

static sl_status check_policies(sl_level *level, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    sl_policy_choice choice;
    sl_error reason;
    if (!level->replacement[0])
        strcpy(level->replacement, "lru");
    if (sl_policy_parse_among(level->policies, level->replacement, &choice, &reason))
        return BLAME(SL_AT_level_replacement, at, "%s", reason.text);
    if (!sl_policy_replaces(choice.ops))
        return BLAME(SL_AT_level_replacement, at, "policy '%s' chooses no victims: it can be 'bypass'",
                     choice.ops->name);
    if (!level->bypass[0])
        return SL_OK;
    if (sl_policy_parse_among(level->policies, level->bypass, &choice, &reason))
        return BLAME(SL_AT_level_bypass, at, "%s", reason.text);
    if (!sl_policy_bypasses(choice.ops))
        return BLAME(SL_AT_level_bypass, at, "policy '%s' does not bypass: it can be 'replacement'", choice.ops->name);
    if (at && choice.ops->first_level_only)
        return BLAME(SL_AT_level_bypass, at, "policy '%s' is for the first level only", choice.ops->name);
    return SL_OK;
}

static sl_status check_place(sl_machine *m, uint32_t at, sl_machine_fault *fault, sl_error *error)
{
    sl_level *level = &m->level[at], *above = at ? level - 1 : NULL;
    if (level->cores_per_instance == SL_ALL_CORES)
        level->cores_per_instance = m->cores;
    if (m->cores % level->cores_per_instance)
        return BLAME(SL_AT_level_cores_per_instance, at, "%u cores cannot be divided among instances for %u cores each",
                     m->cores, level->cores_per_instance);
    if (above && level->cores_per_instance % above->cores_per_instance)
        return BLAME(SL_AT_level_cores_per_instance, at,
                     "an instance for %u cores cannot serve whole instances of %s, for %u each",
                     level->cores_per_instance, above->name, above->cores_per_instance);
    if (above && above->fill_bytes > level->line_bytes)
        return BLAME(SL_AT_level_line, at, "a fill of %s, %u bytes, is more than a line of %u", above->name,
                     above->fill_bytes, level->line_bytes);
    if (level->coalesce_requests > m->cores)
        return BLAME(SL_AT_level_coalesce_requests, at, "requests of %u cores, but there are only %u",
                     level->coalesce_requests, m->cores);
    for (uint32_t i = 0; i < at; i++)
        if (!strcmp(level->name, m->level[i].name))
            return BLAME(SL_AT_level_name, at, "there are two levels '%s'", level->name);
    return SL_OK;
}

sl_status sl_machine_check_at(sl_machine *m, sl_machine_fault *fault, sl_error *error)
{
    sl_status status = check_core(m, fault, error);
    for (uint32_t i = 0; i < m->levels && !status; i++) {
        sl_level *level = &m->level[i];
        level->policies = m->policies;
        status = check_line(level, i, fault, error);
        status = status ? status : check_sets(level, i, fault, error);
        status = status ? status : check_index(level, i, fault, error);
        status = status ? status : check_requests(level, i, fault, error);
        status = status ? status : check_traffic(level, i, fault, error);
        status = status ? status : check_policies(level, i, fault, error);
        status = status ? status : check_place(m, i, fault, error);
    }
    status = status ? status : check_memory(m, fault, error);
    status = status ? status : check_scalar(m, fault, error);
    return status ? status : check_carved_level(m, fault, error);
}

sl_status sl_machine_resize_first(sl_machine *machine, uint64_t size_bytes, sl_error *error)
{
    sl_level *level = &machine->level[0];
    bool bits = level->index == SL_INDEX_BITS;
    uint64_t unit = unit_bytes(level);
    if (!size_bytes || size_bytes % unit)
        return sl_fail(error, SL_INVALID,
                       "%s, %s: %" PRIu64 " bytes are not a whole number of %s (%" PRIu64 " bytes each)", machine->name,
                       level->name, size_bytes, bits ? "ways" : "sets", unit);
    level->size_bytes = size_bytes;
    *(bits ? &level->ways : &level->sets) = (uint32_t)(size_bytes / unit);
    return SL_OK;
}

sl_status sl_machine_check(sl_machine *machine, sl_error *error)
{
    sl_machine_fault fault;
    sl_error reason;
    sl_status status = sl_machine_check_at(machine, &fault, &reason);
    if (!status)
        return SL_OK;
    const sl_key *key = &sl_keys[fault.key];
    const char *owner =
        key->section == SL_SECTION_level ? machine->level[fault.level].name : sl_section_names[key->section];
    return sl_fail(error, status, "%s, %s, %s: %s", machine->name, owner, key->name, reason.text);
}
