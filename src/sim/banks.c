/* SPDX-License-Identifier: MIT */
/* Mapping of addresses to banks; creation and emptying of banks. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/data_observer.h"
#include "sim/lines.h"
#include "sim/network.h"

/* ---- mapping ---- */

static uint32_t bank_in(const sl_sim *sim, uint32_t number, uint32_t partition, uint32_t core, uint64_t addr)
{
    const sl_level *level = &sim->machine.level[number];
    sl_divisor banks = sim->partition_banks[number];
    uint32_t bank = sl_interleave_of(level, sl_divide(addr, sim->interleave[number]), banks);
    uint32_t instance = level->cores_per_instance == sim->machine.cores ? 0 : core / level->cores_per_instance;
    return instance * level->banks + partition * banks.by + bank;
}

uint32_t sl_bank_among(const sl_sim *sim, uint32_t number, uint32_t core, uint64_t addr)
{
    const sl_level *level = &sim->machine.level[number];
    uint32_t partition = level->partitions > 1 ? sl_partition_of(level, &sim->machine.level[0], core) : 0;
    return bank_in(sim, number, partition, core, addr);
}

uint32_t sl_bank_home(const sl_sim *sim, uint32_t number, uint32_t core, uint64_t addr)
{
    const sl_level *level = &sim->machine.level[number];
    if (level->partitions <= 1)
        return sl_bank_for(sim, number, core, addr);
    return bank_in(sim, number, sl_partition_home(level, addr / level->line_bytes), core, addr);
}

/* ---- creation ---- */

static sl_status start_policy(sl_sim *sim, sl_bank *b, const char *text, int role, sl_policy *policy, sl_error *error)
{
    sl_policy_choice choice;
    sl_status status = sl_policy_parse_among(b->level->policies, text, &choice, error);
    if (status)
        return status;
    void **shared = &sim->shared_state[b->number][role];
    if (choice.ops->shared_bytes && !*shared) {
        *shared = calloc(1, choice.ops->shared_bytes);
        if (!*shared)
            return sl_fail_memory(error);
    }
    sl_cache_geometry shape = {.sets = b->sets,
                               .ways = b->ways,
                               .seed = sim->options.seed +
                                       (b->index + (UINT64_C(1) << 32) * b->number) * UINT64_C(0x9e3779b97f4a7c15),
                               .instance = b->index,
                               .instances = sim->banks[b->number],
                               .shared = *shared,
                               .counts = sim->options.counts};
    b->hit_cycles += choice.ops->lookup_cycles;
    return sl_policy_init(policy, &choice, &shape, error);
}

/* State for evictions that take time. */
static bool start_eviction(sl_bank *b)
{
    if (b->level->miss_handling == SL_MISS_OVERLAPPED)
        return true;
    b->eviction_slot = calloc(SL_EVICTION_SLOTS, sizeof *b->eviction_slot);
    if (b->level->miss_handling == SL_MISS_FRC) {
        b->frc = calloc(b->level->frc_entries, sizeof *b->frc);
        b->frc_sets = b->level->frc_entries / b->level->frc_ways;
        return b->eviction_slot && b->frc;
    }
    return b->eviction_slot;
}

/* Sets do not share lines of the host's cache. Behind the last fingerprint are zeroes that may be read with it. */
static uint32_t words_of_set(const sl_level *level)
{
    uint32_t ways = sl_ways_of(level), mask_words = (ways + 63) / 64;
    uint32_t fingerprint_words =
        (ways + SL_FINGERPRINTS_AT_ONCE - 1) / SL_FINGERPRINTS_AT_ONCE * SL_FINGERPRINTS_AT_ONCE / 8;
    return (2 * mask_words + fingerprint_words + 7) / 8 * 8;
}

/* Allocates zeroes, in huge pages where the array is large enough, as it is accessed at random. Pages cost nothing
 * until they are accessed: a small program reaches few lines. Freed by munmap. NULL: out of memory. */
static void *huge_alloc(size_t bytes)
{
    const size_t huge = 2 << 20;
    size_t whole = bytes < huge ? bytes : bytes + huge;
    char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (bytes < huge)
        return memory;
    size_t before = (huge - (uintptr_t)memory % huge) % huge;
    if (before)
        munmap(memory, before);
    munmap(memory + before + (bytes + 4095) / 4096 * 4096, huge - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE);
    return memory + before;
}

/* One allocation for a level: the states of all sets, then all lines, bank by bank. */
static bool alloc_lines(sl_sim *sim, uint32_t number, uint32_t banks)
{
    const sl_level *level = &sim->machine.level[number];
    size_t sets = (size_t)level->sets / (number ? level->banks : 1);
    size_t line_bytes = (sets * sl_ways_of(level) + level->frc_entries) * sizeof(sl_line) * banks;
    size_t set_bytes = sets * words_of_set(level) * sizeof(uint64_t) * banks;
    sim->line_bytes[number] = set_bytes + line_bytes;
    sim->lines[number] = huge_alloc(sim->line_bytes[number]);
    return sim->lines[number];
}

static void assign_lines(sl_sim *sim, sl_bank *b)
{
    size_t set_words = (size_t)b->sets * words_of_set(b->level),
           lines = (size_t)b->sets * b->ways + b->level->frc_entries;
    uint64_t *first = sim->lines[b->number];
    b->mask_words = (b->ways + 63) / 64;
    b->set_words = words_of_set(b->level);
    b->set_state = first + b->index * set_words;
    b->line = (sl_line *)(first + sim->banks[b->number] * set_words) + b->index * lines;
    for (uint32_t set = 0; b->ways > b->level->ways && set < b->sets; set++)
        for (uint32_t way = b->level->ways; way < b->ways; way++)
            sl_close_way(b, set, way);
}

static sl_status start_bank(sl_sim *sim, sl_bank *b, uint32_t number, uint32_t index, sl_error *error)
{
    const sl_level *level = &sim->machine.level[number];
    uint32_t per_instance = number ? level->banks : 1;
    b->level = level;
    b->number = (uint8_t)number;
    b->index = index;
    b->instance = index / per_instance;
    b->partition = index % per_instance / (per_instance / sl_partitions(level));
    b->sets = level->sets / per_instance;
    b->ways = sl_ways_of(level);
    b->all_ways = b->ways < 64 ? (UINT64_C(1) << b->ways) - 1 : UINT64_MAX;
    b->log2_line = (unsigned)__builtin_ctz(level->line_bytes);
    b->by_sets = sl_divisor_of(b->sets);
    b->level_sets = sl_divisor_of(level->sets);
    b->chunk_bytes = sim->interleave[number];
    b->chunk_banks = sim->partition_banks[number];
    b->sector_granules = level->sector_bytes >> sim->log2_granule;
    b->fill_granules = level->fill_bytes >> sim->log2_granule;
    /* L1 sends a request in the cycle after its arrival, other levels in the same cycle. */
    uint32_t on_the_way = number ? sl_network_unloaded(sim, number) + (number == 1) : 0;
    b->hit_cycles = level->hit_cycles > on_the_way ? level->hit_cycles - on_the_way : 0;
    b->own_cycle = level->bank_rate ? 1000 * 1000 / level->bank_rate : 0;
    b->stalled_since = SL_NEVER;
    b->eviction_free = SL_NONE;
    assign_lines(sim, b);
    b->offered = calloc(b->mask_words, sizeof *b->offered);
    if (!b->offered || !start_eviction(b))
        return sl_fail_memory(error);
    if (level->mshrs_per_warp) {
        b->warp_mshrs = calloc((size_t)level->cores_per_instance * SL_CORE_WARPS, sizeof *b->warp_mshrs);
        if (!b->warp_mshrs)
            return sl_fail_memory(error);
    }
    b->room = SL_NO_BANKS;
    sl_status status = start_policy(sim, b, level->replacement, 0, &b->replacement, error);
    if (!status && level->bypass[0])
        status = start_policy(sim, b, level->bypass, 1, &b->bypass, error);
    if (!status && b->bypass.ops)
        b->bypass_policy = &b->bypass;
    else if (!status && sl_policy_bypasses(b->replacement.ops))
        b->bypass_policy = &b->replacement;
    return status;
}

sl_status sl_banks_create(sl_sim *sim, uint32_t number, sl_error *error)
{
    const sl_level *level = &sim->machine.level[number];
    uint32_t count = sim->machine.cores / level->cores_per_instance * (number ? level->banks : 1);
    sim->bank[number] = aligned_alloc(_Alignof(sl_bank), count * sizeof *sim->bank[number]);
    if (!sim->bank[number])
        return sl_fail_memory(error);
    memset(sim->bank[number], 0, count * sizeof *sim->bank[number]);
    sim->banks[number] = count;
    sim->interleave[number] = sl_divisor_of(level->bank_interleave ? level->bank_interleave : 1);
    sim->partition_banks[number] = sl_divisor_of(level->banks / sl_partitions(level));
    if (!alloc_lines(sim, number, count))
        return sl_fail_memory(error);
    sl_status status = number ? sl_wheel_init(&sim->bank_wheel[number], count, error) : SL_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = start_bank(sim, &sim->bank[number][i], number, i, error);
    return status;
}

static void stop_bank(sl_bank *b)
{
    sl_policy_fini(&b->replacement);
    sl_policy_fini(&b->bypass);
    free(b->first_ways);
    free(b->last_ways);
    free(b->stored);
    free(b->offered);
    free(b->mshr_item);
    free(b->warp_mshrs);
    sl_queue_fini(&b->in);
    sl_queue_fini(&b->across);
    sl_queue_fini(&b->out);
    sl_queue_fini(&b->hits);
    sl_queue_fini(&b->fills);
    sl_queue_fini(&b->back);
    sl_queue_fini(&b->invalidated);
    sl_queue_fini(&b->notified);
    free(b->eviction);
    free(b->eviction_slot);
    free(b->frc);
}

void sl_banks_destroy(sl_sim *sim, uint32_t number)
{
    if (sim->bank[number])
        SL_OBSERVE_DATA(sim, on_reset, number);
    for (uint32_t i = 0; sim->bank[number] && i < sim->banks[number]; i++)
        stop_bank(&sim->bank[number][i]);
    free(sim->bank[number]);
    if (sim->lines[number])
        munmap(sim->lines[number], sim->line_bytes[number]);
    sim->lines[number] = NULL;
    sl_wheel_fini(&sim->bank_wheel[number]);
    free(sim->shared_state[number][0]);
    free(sim->shared_state[number][1]);
    sim->bank[number] = NULL;
    sim->shared_state[number][0] = sim->shared_state[number][1] = NULL;
    sim->banks[number] = 0;
}

/* ---- emptying ---- */

/* Policies of a bank that keep their state when it is emptied. */
typedef struct saved_policies {
    sl_policy replacement, bypass;
} saved_policies;

static void save_policy(sl_bank *b, sl_policy *policy, sl_policy *to)
{
    if (!policy->ops || !policy->ops->keeps || policy->ops->shared_bytes)
        return;
    for (uint32_t set = 0; set < b->sets; set++)
        for (uint32_t way = 0; way < b->ways; way++) {
            const sl_line *line = &b->line[(size_t)set * b->ways + way];
            if (line->tag)
                sl_policy_evict(policy, set, way, line->mark & SL_LINE_REUSED);
        }
    *to = *policy;
    *policy = (sl_policy){0};
}

static void restore_policy(const sl_policy *from, sl_policy *policy)
{
    if (!from->ops)
        return;
    sl_policy_fini(policy);
    *policy = *from;
}

static sl_status restart_policy(sl_sim *sim, sl_bank *b, const char *text, int role, sl_policy *policy, sl_error *error)
{
    if (!policy->ops || !policy->ops->needs_counts)
        return SL_OK;
    sl_policy_fini(policy);
    return start_policy(sim, b, text, role, policy, error);
}

sl_status sl_banks_restart_counts(sl_sim *sim, uint32_t number, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < sim->banks[number] && !status; i++) {
        sl_bank *b = &sim->bank[number][i];
        status = restart_policy(sim, b, b->level->replacement, 0, &b->replacement, error);
        if (!status)
            status = restart_policy(sim, b, b->level->bypass, 1, &b->bypass, error);
    }
    return status;
}

void sl_banks_use(sl_sim *sim, uint32_t core)
{
    for (uint32_t number = 0; number < sim->machine.levels; number++) {
        const sl_level *level = &sim->machine.level[number];
        uint32_t per_instance = number ? level->banks : 1, first = core / level->cores_per_instance * per_instance;
        for (uint32_t i = 0; sl_is_private(sim, number) && i < per_instance; i++)
            sim->bank[number][first + i].used = true;
    }
}

/* Whether banks that no core used are as new: the cache is as large as before, and its policies share nothing. */
static bool has_unused_banks(const sl_sim *sim, uint32_t number)
{
    const sl_level *level = &sim->machine.level[number];
    const sl_bank *first = sim->bank[number];
    return first && sl_is_private(sim, number) && first->sets == level->sets / (number ? level->banks : 1) &&
           first->level_sets.by == level->sets && first->ways == sl_ways_of(level) && !sim->shared_state[number][0] &&
           !sim->shared_state[number][1];
}

static sl_status empty_bank(sl_sim *sim, sl_bank *b, sl_error *error)
{
    saved_policies saved = {0};
    uint32_t number = b->number, index = b->index;
    save_policy(b, &b->replacement, &saved.replacement);
    save_policy(b, &b->bypass, &saved.bypass);
    memset(b->set_state, 0, (size_t)b->sets * b->set_words * sizeof *b->set_state);
    memset(b->line, 0, ((size_t)b->sets * b->ways + b->level->frc_entries) * sizeof *b->line);
    stop_bank(b);
    *b = (sl_bank){0};
    sl_status status = start_bank(sim, b, number, index, error);
    restore_policy(&saved.replacement, &b->replacement);
    restore_policy(&saved.bypass, &b->bypass);
    return status;
}

/* A small launch uses few of the cores: emptying all caches was most of its time. */
static sl_status empty_used(sl_sim *sim, uint32_t number, sl_error *error)
{
    sl_status status = sl_banks_restart_counts(sim, number, error);
    SL_OBSERVE_DATA(sim, on_reset, number);
    for (uint32_t i = 0; i < sim->banks[number] && !status; i++)
        if (sim->bank[number][i].used)
            status = empty_bank(sim, &sim->bank[number][i], error);
    return status;
}

sl_status sl_banks_empty(sl_sim *sim, uint32_t number, sl_error *error)
{
    if (has_unused_banks(sim, number))
        return empty_used(sim, number, error);
    uint32_t count = sim->banks[number];
    saved_policies *all = calloc(count + 1, sizeof *all);
    if (!all)
        return sl_fail_memory(error);
    uint32_t sets = count ? sim->bank[number][0].sets : 0, ways = count ? sim->bank[number][0].ways : 0;
    for (uint32_t i = 0; i < count; i++) {
        save_policy(&sim->bank[number][i], &sim->bank[number][i].replacement, &all[i].replacement);
        save_policy(&sim->bank[number][i], &sim->bank[number][i].bypass, &all[i].bypass);
    }
    sl_banks_destroy(sim, number);
    sl_status status = sl_banks_create(sim, number, error);
    /* If the shared-memory carve-out has changed the size of the cache, its policies start over. */
    bool same = !status && count && sim->bank[number][0].sets == sets && sim->bank[number][0].ways == ways;
    for (uint32_t i = 0; i < count; i++) {
        if (same) {
            restore_policy(&all[i].replacement, &sim->bank[number][i].replacement);
            restore_policy(&all[i].bypass, &sim->bank[number][i].bypass);
        } else {
            sl_policy_fini(&all[i].replacement);
            sl_policy_fini(&all[i].bypass);
        }
    }
    free(all);
    return status;
}

void sl_banks_prepare(sl_sim *sim)
{
    sim->watched = sim->options.data_observer || sim->options.observer;
    for (uint32_t number = 0; number < sim->machine.levels; number++) {
        const sl_level *l = &sim->machine.level[number];
        bool plain = !sim->watched && l->miss_handling == SL_MISS_OVERLAPPED && l->partitions <= 1 && !l->inclusive &&
                     !l->stale_sharers && !l->hit_evict && l->hint != SL_HINT_MISS_EVICT && l->hint != SL_HINT_STREAM &&
                     !l->mshrs_per_warp && !(number == 1 && sim->coalescer) && sl_ways_of(l) <= 64;
        for (uint32_t i = 0; i < sim->banks[number]; i++) {
            sl_bank *b = &sim->bank[number][i];
            b->plain = plain && !b->bypass_policy && !b->bypass.ops && !b->first_ways && !b->last_ways && !b->stored;
        }
    }
}

sl_status sl_banks_check(const sl_sim *sim, uint32_t number, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < sim->banks[number] && !status; i++) {
        const sl_bank *b = &sim->bank[number][i];
        status = sl_policy_check(&b->replacement, error);
        if (!status && b->bypass.ops)
            status = sl_policy_check(&b->bypass, error);
    }
    return status;
}
