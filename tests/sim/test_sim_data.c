/* SPDX-License-Identifier: MIT */
/* No data is lost: in random programs without races every load sees the last store that was issued before it, by its
 * own warp, by others of its block before a barrier, or by any in an earlier launch; and the sum of all atomics. On
 * random machines: levels, sectors, ways of writing and of handling misses, policies. */
#include "base/random.h"
#include "conserves.h"
#include "data_check.h"
#include "simulated.h"

enum { LINES = 20, MAX_UNITS = LINES * 4, MAX_WARPS = 4, MAX_BLOCKS = 5, PHASES = 3, LAUNCHES = 3, MAX_ACTS = 64 };

static uint32_t below(sl_random *random, uint32_t n)
{
    return (uint32_t)(sl_random_u64(random) % n);
}

/* ---- programs ---- */

/* Who may use a unit of memory in a phase of a launch. */
typedef enum use { READ_BY_ALL, ATOMICS_BY_ALL, OF_A_WARP, READ_BY_A_BLOCK } use;

typedef struct unit_use {
    use use;
    uint32_t block, warp;
} unit_use;

typedef struct program {
    uint32_t blocks, warps, unit_bytes, units;
    unit_use unit[MAX_UNITS];
    act act[MAX_BLOCKS * MAX_WARPS][MAX_ACTS];
    warp_acts acts[MAX_BLOCKS * MAX_WARPS];
} program;

/* What is written in a launch belongs to one block in all of it, and to one warp or to its readers in a phase. */
static void schedule_launch(sl_random *random, program *p)
{
    for (uint32_t i = 0; i < p->units; i++) {
        static const use uses[] = {READ_BY_ALL, ATOMICS_BY_ALL, OF_A_WARP, OF_A_WARP, OF_A_WARP, OF_A_WARP};
        p->unit[i] = (unit_use){.use = uses[below(random, 6)], .block = below(random, p->blocks)};
    }
}

static void schedule_phase(sl_random *random, program *p)
{
    for (uint32_t i = 0; i < p->units; i++)
        if (p->unit[i].use >= OF_A_WARP) {
            p->unit[i].use = below(random, 4) ? OF_A_WARP : READ_BY_A_BLOCK;
            p->unit[i].warp = below(random, p->warps);
        }
}

static bool allowed(const program *p, uint64_t addr, uint32_t block, uint32_t warp, op o)
{
    if (addr / p->unit_bytes >= p->units)
        return false;
    const unit_use *u = &p->unit[addr / p->unit_bytes];
    bool atomic = o == ATOMIC || o == REDUCTION, reads = o == LOAD || o == LOAD_2 || o == LOAD_CG;
    switch (u->use) {
    case READ_BY_ALL:
        return reads;
    case ATOMICS_BY_ALL:
        return atomic;
    case OF_A_WARP:
        return u->block == block && u->warp == warp;
    default:
        return u->block == block && reads;
    }
}

static act random_access(sl_random *random, const program *p, uint32_t block, uint32_t warp)
{
    static const op ops[] = {LOAD, LOAD, LOAD_2, LOAD_CG, STORE, STORE, STORE, ATOMIC, REDUCTION};
    static const uint32_t strides[] = {4, 4, 4, 32, 64, 128};
    op o = ops[below(random, sizeof ops / sizeof *ops)];
    act a = strided(o, below(random, LINES) * 128, strides[below(random, 6)]);
    uint32_t thin = below(random, 3) ? UINT32_MAX : (uint32_t)sl_random_u64(random); /* some write units in part */
    for (uint32_t lane = 0; lane < 32; lane++)
        if (!allowed(p, a.base + lane * a.stride, block, warp, o))
            a.lanes &= ~(1u << lane);
    a.lanes &= thin;
    return a;
}

static void write_program(sl_random *random, program *p)
{
    uint32_t used[MAX_BLOCKS * MAX_WARPS] = {0};
    schedule_launch(random, p);
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        schedule_phase(random, p);
        for (uint32_t w = 0; w < p->blocks * p->warps; w++) {
            for (uint32_t n = below(random, MAX_ACTS / PHASES - 1); n > 0; n--) {
                uint32_t kind = below(random, 12);
                op other = kind == 0 ? USE : kind == 1 ? FENCE : ADD;
                p->act[w][used[w]++] = kind > 2 ? random_access(random, p, w / p->warps, w % p->warps) : do_(other);
            }
            p->act[w][used[w]++] = do_(BARRIER);
        }
    }
    for (uint32_t w = 0; w < p->blocks * p->warps; w++)
        p->acts[w] = (warp_acts){p->act[w], used[w]};
}

/* ---- machines ---- */

static const char *pick_text(sl_random *random, const char *const *texts, uint32_t count)
{
    return texts[below(random, count)];
}
#define PICK(random, ...)                                                                                              \
    pick_text(random, (const char *const[]){__VA_ARGS__},                                                              \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static uint32_t pick_number(sl_random *random, uint32_t a, uint32_t b)
{
    return below(random, 2) ? a : b;
}

static void random_level(sl_random *random, sl_level *level, bool last)
{
    snprintf(level->replacement, sizeof level->replacement, "%s",
             PICK(random, "lru", "fifo", "random", "plru", "srrip", "brrip", "drrip", "ship", "lfu"));
    if (below(random, 2))
        snprintf(level->bypass, sizeof level->bypass, "%s",
                 PICK(random, "all", "decoupled", "pc", "counter", "sdbp", "pdp"));
    level->mshrs = below(random, 2) ? 0 : 2 + below(random, 4);
    level->mshr_merges = level->mshrs ? pick_number(random, 2, 8) : 0;
    level->queue = pick_number(random, 1, 8);
    level->miss_queue = pick_number(random, 2, 8);
    level->ports = pick_number(random, 1, 2);
    level->write = (sl_write_policy)below(random, 4);
    if (level->write == SL_WRITE_ALLOCATE || (last && below(random, 4)))
        level->write = SL_WRITE_BACK;
    level->write_fetch = level->write == SL_WRITE_BACK && below(random, 2);
    level->write_waits = level->write == SL_WRITE_BACK && below(random, 2);
    level->join_cycles = below(random, 2) ? 0 : 20;
    level->miss_handling = (sl_miss_handling)below(random, 3);
    if (level->miss_handling == SL_MISS_FRC) {
        level->frc_ways = pick_number(random, 1, 2);
        level->frc_entries = level->frc_ways * pick_number(random, 1, 2);
        level->frc_keeps_victims = below(random, 2);
    }
    level->clean_evict_cycles = below(random, 20);
    level->hint = (sl_hint)below(random, level->write == SL_WRITE_BACK ? 2 : 3);
    level->inclusive = below(random, 2);
    level->invalidate_cycles = level->inclusive ? below(random, 30) : 0;
    level->stale_sharers = level->inclusive && below(random, 2);
}

/* Two or three levels of a few lines. */
static sl_machine random_machine(sl_random *random)
{
    sl_machine m = tiny();
    m.cores = 2;
    m.level[1].cores_per_instance = 2;
    if (below(random, 3) == 0) {
        m.level[2] = m.level[1];
        m.level[1].cores_per_instance = pick_number(random, 1, 2);
        m.levels = 3;
        snprintf(m.level[2].name, sizeof m.level[2].name, "L3");
    }
    for (uint32_t i = 1; i < m.levels; i++)
        random_level(random, &m.level[i], i + 1 == m.levels);
    sl_level *first = &m.level[0];
    first->write = (sl_write_policy)below(random, 4);
    first->hint = (sl_hint)below(random, first->write == SL_WRITE_BACK ? 2 : 3);
    first->mshrs = below(random, 2) ? 0 : 3;
    first->miss_queue = pick_number(random, 2, 8);
    if (below(random, 2))
        snprintf(first->bypass, sizeof first->bypass, "%s",
                 PICK(random, "all", "decoupled", "pc", "counter", "sdbp", "mrpb", "pdp"));
    for (uint32_t i = 1; i < m.levels; i++)
        if (m.level[0].write == SL_WRITE_BACK || (i == 2 && m.level[1].write == SL_WRITE_BACK))
            m.level[i].inclusive = m.level[i].invalidate_cycles = 0; /* the simulator does not do that */
    if (below(random, 2))
        first->coalesce_requests = first->coalesce_cores = 2;
    bool sectors = below(random, 2);
    for (uint32_t i = 0; i < m.levels; i++) {
        m.level[i].sector_bytes = sectors ? 32 : 128;
        m.level[i].fill_bytes = sectors ? pick_number(random, 32, 64) : 128;
    }
    if (below(random, 2)) {
        m.level[1].banks = 2;
        m.level[1].bank_interleave = 128;
    }
    m.core.scheduling = (sl_scheduling)below(random, 4);
    m.core.schedulers = pick_number(random, 1, 2);
    if (m.levels == 2 && m.level[1].banks == 2 && below(random, 2)) {
        m.level[1].partitions = 2;
        m.level[1].partition_cores = m.level[1].partition_first = 1;
    }
    return m;
}

/* ---- the test ---- */

static void describe(const sl_machine *m, char *text, size_t size)
{
    static const char *const writes[] = {"allocate", "through", "evict", "back"};
    static const char *const misses[] = {"overlapped", "serialized", "frc"};
    static const char *const hints[] = {"bypass", "evict_first", "miss_evict"};
    size_t used = 0;
    for (uint32_t i = 0; i < m->levels && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s: %s+%s, write %s%s, %s, hint %s, inclusive %u, sector %u; ",
                             m->level[i].name, m->level[i].replacement, m->level[i].bypass, writes[m->level[i].write],
                             m->level[i].write_fetch ? " (fetches)" : "", misses[m->level[i].miss_handling],
                             hints[m->level[i].hint], m->level[i].inclusive, m->level[i].sector_bytes);
}

static void run_program(uint64_t seed)
{
    sl_random random = sl_random_seed(seed);
    sl_machine m = random_machine(&random);
    sl_error error;
    sl_sim *sim;
    char text[1024];
    sl_sim_hint hint[MEMORY_OPS];
    sl_sim_plan plan = {.hint = hint};
    describe(&m, text, sizeof text);
    data_check *check = data_check_create();
    assert_non_null(check);
    const sl_sim_options options = {.seed = seed, .data_observer = data_check_observer(check), .cold = seed % 5 == 0};
    if (sl_machine_check(&m, &error) != SL_OK || sl_sim_create_with(&m, &options, &sim, &error))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, error.text, text);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        program *p = calloc(1, sizeof *p);
        written w;
        sl_sim_result result;
        p->blocks = 1 + below(&random, MAX_BLOCKS);
        p->warps = 1 + below(&random, MAX_WARPS);
        p->unit_bytes = m.level[0].sector_bytes;
        p->units = LINES * 128 / p->unit_bytes;
        write_program(&random, p);
        for (int i = 0; i < MEMORY_OPS; i++)
            hint[i] = (sl_sim_hint){.bypass = below(&random, 3) ? 0 : (uint8_t)below(&random, 1u << m.levels),
                                    .first = below(&random, 4) ? 0 : (uint8_t)below(&random, 1u << m.levels),
                                    .last = below(&random, 4) ? 0 : (uint8_t)below(&random, 1u << m.levels),
                                    .half = below(&random, 2),
                                    .log2_fetch = below(&random, 3) ? 0 : (uint8_t)(5 + below(&random, 4))};
        plan.log2_fewer = (uint8_t)below(&random, 3);
        write_launch(&w, p->blocks, p->warps, p->acts);
        sl_status status = sl_sim_launch(sim, w.loaded, &plan, &result, &error);
        if (!status)
            status = data_check_result(check, &error);
        if (status != SL_OK)
            fail_msg("seed %llu, launch %d: %s\n%s\n%s", (unsigned long long)seed, launch, error.text, text,
                     sl_sim_state_text(sim) ? sl_sim_state_text(sim) : "");
        const char *wrong = wrong_sum(&m, &result);
        if (wrong)
            fail_msg("seed %llu, launch %d: %s\n%s", (unsigned long long)seed, launch, wrong, text);
        sl_sim_result_fini(&result);
        drop_launch(&w);
        free(p);
    }
    sl_sim_destroy(sim);
    data_check_destroy(check);
}

#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 120 }; /* each takes ten times as long */
#else
enum { SEEDS = 500 };
#endif

static void every_load_sees_the_last_store(void **state)
{
    (void)state;
    const char *first = getenv("SEED"), *count = getenv("SEEDS"); /* to look at one, or at more */
    uint64_t from = first ? strtoull(first, NULL, 10) : 1, seeds = count ? strtoull(count, NULL, 10) : SEEDS;
    for (uint64_t seed = from; seed < from + seeds; seed++)
        run_program(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_load_sees_the_last_store)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
