/* SPDX-License-Identifier: MIT */
/* Machines and programs by chance: whatever is small, odd or contended, launches end, sums hold, and several threads
 * find what one does, as does a simulator that takes no short cuts. */
#include "base/random.h"
#include "conserves.h"
#include "policy/policy.h"
#include "sim/bank.h"
#include "simulated.h"

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 150 }; /* each takes ten times as long */
#else
enum { ROUNDS = 400 };
#endif
enum { MAX_ACTS = 24, MAX_BLOCKS = 12, MAX_WARPS = 4 * MAX_BLOCKS };

static uint32_t pick(sl_random *random, uint32_t count)
{
    return (uint32_t)(sl_random_u64(random) % count);
}

static uint32_t one_of(sl_random *random, const uint32_t *choice, uint32_t count)
{
    return choice[pick(random, count)];
}
#define ONE_OF(...) one_of(random, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* ---- machines ---- */

static void shape_level(sl_random *random, sl_level *level, uint32_t number)
{
    static const char *const replacements[] = {"lru", "fifo", "random", "srrip", "drrip", "plru", "lfu", "ship"};
    static const char *const bypasses[] = {"", "", "", "all", "decoupled", "pc(threshold=1)", "counter", "sdbp", "pdp"};
    level->ways = ONE_OF(1, 2, 4, 9);
    level->size_bytes = (uint64_t)level->line_bytes * level->ways * ONE_OF(4, 8, 12);
    level->sets = 0;
    level->index = pick(random, 4) ? SL_INDEX_MODULO : SL_INDEX_MIX;
    level->mshrs = ONE_OF(0, 0, 1, 2, 8);
    level->mshr_merges = level->mshrs ? ONE_OF(0, 1, 4) : 0;
    level->mshrs_per_warp = level->mshrs ? ONE_OF(0, 1) : 0;
    level->miss_queue = ONE_OF(1, 2, 8);
    level->queue = ONE_OF(1, 2, 8);
    level->ports = ONE_OF(1, 2);
    level->hit_cycles = number ? ONE_OF(2, 20, 40) : ONE_OF(1, 4, 30);
    level->network_cycles = number ? ONE_OF(0, 1) : 0;
    level->network_bytes = ONE_OF(8, 32, 256);
    snprintf(level->replacement, sizeof level->replacement, "%s", replacements[pick(random, 8)]);
    snprintf(level->bypass, sizeof level->bypass, "%s", bypasses[pick(random, 9)]);
    if (!number && !pick(random, 6))
        snprintf(level->bypass, sizeof level->bypass, "mrpb(queues=%u)", ONE_OF(0, 1, 4));
}

static void handle_misses(sl_random *random, sl_level *level)
{
    bool frc = !pick(random, 4);
    level->miss_handling = frc ? SL_MISS_FRC : pick(random, 4) ? SL_MISS_OVERLAPPED : SL_MISS_SERIALIZED;
    level->clean_evict_cycles = ONE_OF(0, 11);
    level->frc_entries = frc ? ONE_OF(2, 8) : 0;
    level->frc_ways = frc ? 2 : 0;
    level->frc_keeps_victims = frc && pick(random, 2);
}

static sl_machine any_machine(sl_random *random, bool many_cores)
{
    sl_machine m = tiny();
    uint32_t lines[3], sector = ONE_OF(32, 64, 128);
    m.cores = many_cores ? ONE_OF(8, 12, 24) : ONE_OF(1, 2, 4);
    m.levels = ONE_OF(1, 2, 2, 2, 3);
    m.core.schedulers = ONE_OF(1, 2, 4);
    m.core.memory_queue = ONE_OF(1, 2, 8);
    m.core.scheduling = (sl_scheduling)pick(random, 4);
    m.core.active_warps = ONE_OF(1, 2);
    m.core.blocks = ONE_OF(1, 3, 8);
    lines[0] = ONE_OF(64, 128);
    lines[1] = lines[0] * ONE_OF(1, 1, 2);
    lines[2] = lines[1];
    for (uint32_t i = 0; i < m.levels; i++) {
        if (i)
            m.level[i] = m.level[1];
        m.level[i].name[1] = (char)('1' + i);
        m.level[i].line_bytes = lines[i];
        m.level[i].sector_bytes = sector < lines[0] ? sector : lines[0];
        m.level[i].fill_bytes = pick(random, 3) ? m.level[i].sector_bytes : lines[0];
        shape_level(random, &m.level[i], i);
        m.level[i].cores_per_instance = i + 1 < m.levels ? (m.cores > 1 ? ONE_OF(1, 2) : 1) : m.cores;
        m.level[i].banks = i ? ONE_OF(1, 2, 4) : 1;
        m.level[i].bank_interleave = lines[2];
        m.level[i].write = i ? (sl_write_policy)ONE_OF(SL_WRITE_BACK, SL_WRITE_BACK, SL_WRITE_THROUGH, SL_WRITE_EVICT)
                             : (sl_write_policy)pick(random, 4);
        m.level[i].write_fetch = m.level[i].write == SL_WRITE_BACK ? pick(random, 2) : 0;
        m.level[i].write_waits = m.level[i].write == SL_WRITE_BACK ? pick(random, 2) : 0;
        m.level[i].join_cycles = i || pick(random, 2) ? 0 : 20;
        m.level[i].hint = pick(random, 2) ? SL_HINT_BYPASS : SL_HINT_STREAM;
        m.level[i].hit_evict = m.level[i].write != SL_WRITE_BACK ? pick(random, 2) : 0;
        if (i)
            handle_misses(random, &m.level[i]);
    }
    m.core.loads_in_flight = ONE_OF(0, 0, 1, 3);
    m.core.volatile_hints = pick(random, 2);
    for (uint32_t i = 1; i + 1 < m.levels; i++)
        if (m.level[i].cores_per_instance < m.level[i - 1].cores_per_instance)
            m.level[i].cores_per_instance = m.level[i - 1].cores_per_instance;
    m.memory.channels = ONE_OF(1, 2);
    m.memory.channel_interleave = 256;
    m.memory.queue = ONE_OF(1, 2, 16);
    m.memory.bytes_per_cycle = ONE_OF(2, 16, 256);
    m.memory.latency_cycles = ONE_OF(1, 100);
    sl_level *last = &m.level[m.levels - 1];
    last->partitions = m.levels > 1 && last->banks > 1 ? ONE_OF(1, 2) : 1;
    last->partition_cores = last->partition_first = pick(random, 3);
    return m;
}

/* ---- programs ---- */

/* Few lines, so that warps meet. Barriers stand at the same places in all warps. */
static act any_act(sl_random *random)
{
    static const op ops[] = {LOAD,   LOAD,      LOAD_2,      LOAD_CG,      LOAD_LONG,   STORE,    STORE,
                             ATOMIC, REDUCTION, SHARED_LOAD, SHARED_STORE, COPY,        PREFETCH, USE,
                             USE_2,  ADD,       CHAIN,       FENCE,        WAIT_COPIES, ROOT,     LOCAL_STORE};
    op o = ops[pick(random, sizeof ops / sizeof *ops)];
    uint32_t mask = ONE_OF(UINT32_MAX, UINT32_MAX, 1, 0xff, 0x0ff0, 0);
    uint64_t base = UINT64_C(4096) + 32 * pick(random, 64);
    if (o == SHARED_LOAD || o == SHARED_STORE || o == LOCAL_STORE)
        base = 0;
    return lanes(o, base, o == LOCAL_STORE ? 0 : ONE_OF(0, 4, 4, 16, 64, 128), mask);
}

/* `pool`: many cores, which its threads simulate together. */
static void run_any(uint64_t seed, sl_pool *pool)
{
    sl_random state = sl_random_seed(seed), *random = &state;
    sl_machine m = any_machine(random, pool);
    uint32_t blocks = 1 + pick(random, pool ? MAX_BLOCKS : 4), warps = 1 + pick(random, 4),
             count = 1 + pick(random, MAX_ACTS);
    act acts[MAX_WARPS][MAX_ACTS];
    warp_acts of[MAX_WARPS];
    for (uint32_t w = 0; w < blocks * warps; w++) {
        for (uint32_t i = 0; i < count; i++)
            acts[w][i] = i % 8 == 7 ? do_(BARRIER) : any_act(random);
        of[w] = (warp_acts){acts[w], count - (pick(random, 4) ? 0 : pick(random, count))};
    }
    const sl_sim_hint hint[MEMORY_OPS] = {[LOAD].bypass = (uint8_t)(pick(random, 4) ? 0 : pick(random, 8))};
    const sl_sim_plan plan = {.hint = hint};
    sl_sim_result r = run_planned(&m, &plan, blocks, warps, of);
    const char *wrong = wrong_sum(&m, &r);
    if (wrong)
        fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
    /* Who is watched takes no short cuts. On larger machines watched banks are ticked in more cycles, in which they may
     * send data a cycle sooner. */
    const sl_sim_observer nobody = {0};
    const sl_sim_options options[] = {{.seed = 1, .pool = pool, .shared_from = 1}, {.seed = 1, .observer = &nobody}};
    for (uint32_t i = 0; i < (pool ? 1 : 2); i++) {
        sl_sim_result again = run_with(&m, &options[i], &plan, blocks, warps, of);
        if (memcmp(&r, &again, sizeof r))
            fail_msg("seed %llu%s: another result: %llu cycles, not %llu", (unsigned long long)seed,
                     i ? ", watched" : "", (unsigned long long)again.cycles, (unsigned long long)r.cycles);
    }
}

static void run_all(sl_pool *pool)
{
    const char *one = getenv("SLUICE_TEST_SEED"); /* to look at one again */
    for (uint64_t seed = one ? strtoull(one, NULL, 10) : 1, end = one ? seed : ROUNDS; seed <= end; seed++)
        run_any(seed, pool);
}

static void all_that_is_asked_for_comes_back(void **state)
{
    (void)state;
    run_all(NULL);
}

static void several_threads_find_what_one_does(void **state)
{
    (void)state;
    sl_pool *pool;
    sl_error error;
    assert_int_equal(sl_pool_create(3, &pool, &error), SL_OK);
    run_all(pool);
    sl_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_is_asked_for_comes_back),
                                       cmocka_unit_test(several_threads_find_what_one_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
