/* SPDX-License-Identifier: MIT */
/* Profiles of small traces, with every number worked out by hand. */
#include "sluice/profile.h"

#include "profile/sums.h"
#include "profile_maker.h"
#include "reuse/reuse.h"

static const sl_profile_options usual = {
    .line_bytes = 128,
    .sector_bytes = 32,
    .cores = 1,
    .blocks_per_core = 8,
    .cache_bytes = 2 * 128,
    .windows = 4,
};

static void profile(maker *m, const sl_profile_options *options, sl_pool *pool, sl_profile *p)
{
    sl_error error;
    assert_int_equal(sl_profile_launch(m->trace, 0, options, pool, NULL, p, &error), SL_OK);
}

/* One block of one warp. */
static void profile_warp(const act *acts, const sl_profile_options *options, sl_profile *p, maker *m)
{
    make_trace(m, 1, 1, &(warp_acts){0, 0, acts});
    profile(m, options, NULL, p);
}

static void drop(sl_profile *p, maker *m)
{
    sl_profile_fini(p);
    drop_trace(m);
}

static const sl_profile_counts *load_of(const sl_profile *p, uint32_t slot)
{
    for (uint32_t i = 0; i < p->loads; i++)
        if (p->load[i].slot == slot)
            return &p->load[i].counts;
    fail_msg("slot %u accessed nothing", slot);
    return NULL;
}

#define LINE(letter) (UINT64_C(128) * ((letter) - 'a'))
#define AT(letter)                                                                                                     \
    {                                                                                                                  \
        LOAD, 1, LINE(letter), 0                                                                                       \
    }

/* Nugteren et al., table 2: x[2 * tid], then x[2 * tid + 1]; four threads, each a warp; four elements per line. */
static void table_2_of_the_paper(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS({LOAD, 1, 0, 0}, {SECOND_LOAD, 1, 4, 0})},
                              {0, 1, ACTS({LOAD, 1, 8, 0}, {SECOND_LOAD, 1, 12, 0})},
                              {0, 2, ACTS({LOAD, 1, 16, 0}, {SECOND_LOAD, 1, 20, 0})},
                              {0, 3, ACTS({LOAD, 1, 24, 0}, {SECOND_LOAD, 1, 28, 0})}};
    sl_profile_options options = usual;
    options.line_bytes = 16;
    options.sector_bytes = 4;
    maker m;
    sl_profile p;
    make_trace(&m, 1, 4, acts);
    profile(&m, &options, NULL, &p);
    assert_int_equal(p.total.line_accesses, 8);
    assert_int_equal(p.total.line_distance.never, 2);
    assert_int_equal(p.total.line_distance.bin[0], 4);
    assert_int_equal(p.total.line_distance.bin[1], 2);
    assert_int_equal(p.total.sector_distance.never, 8);
    assert_int_equal(load_of(&p, LOAD)->line_distance.never, 2);
    assert_int_equal(load_of(&p, LOAD)->line_distance.bin[0], 2);
    assert_int_equal(load_of(&p, SECOND_LOAD)->line_distance.bin[0], 2);
    assert_int_equal(load_of(&p, SECOND_LOAD)->line_distance.bin[1], 2);
    assert_int_equal(load_of(&p, LOAD)->lines, 2);
    assert_int_equal(load_of(&p, LOAD)->line_reuses[3], 2); /* each three times again */
    assert_int_equal(p.footprint_lines, 2);
    drop(&p, &m);
}

/* a b b b a: one line and three accesses in between. */
static void the_gap_counts_accesses_and_the_distance_lines(void **state)
{
    (void)state;
    maker m;
    sl_profile p;
    profile_warp(ACTS(AT('a'), AT('b'), AT('b'), AT('b'), AT('a')), &usual, &p, &m);
    assert_int_equal(p.total.line_distance.bin[1], 1); /* 1 */
    assert_int_equal(p.total.line_distance.bin[0], 2);
    assert_int_equal(p.total.line_gap.bin[2], 1); /* 2-3 */
    assert_int_equal(p.total.line_gap.bin[0], 2);
    assert_int_equal(p.total.line_gap.never, 2);
    drop(&p, &m);
}

/* Two lines fit. a b c a a d: a is brought in, evicted by c without a hit, brought in again, hit. */
static void fills_without_a_hit_are_told_apart(void **state)
{
    (void)state;
    maker m;
    sl_profile p;
    profile_warp(
        ACTS(AT('a'), {SECOND_LOAD, 1, LINE('b'), 0}, AT('c'), {SECOND_LOAD, 1, LINE('a'), 0}, AT('a'), AT('d')),
        &usual, &p, &m);
    assert_int_equal(p.total.fills, 5);
    assert_int_equal(sl_profile_once(&p.total), 3);    /* b, c, d */
    assert_int_equal(p.total.evicted_before_reuse, 1); /* the first a */
    assert_int_equal(load_of(&p, LOAD)->fills, 3);
    assert_int_equal(load_of(&p, LOAD)->evicted_before_reuse, 1);
    assert_int_equal(load_of(&p, SECOND_LOAD)->fills, 2);
    assert_int_equal(load_of(&p, SECOND_LOAD)->evicted_before_reuse, 0);
    assert_int_equal(sl_profile_once(load_of(&p, SECOND_LOAD)), 1);
    assert_int_equal(p.total.lines, 4);
    assert_int_equal(p.total.line_reuses[2], 1); /* a, twice again */
    drop(&p, &m);
}

/* a b c a b c: all evicted before reuse, those of the second round too. */
static void a_line_evicted_in_the_end_counts_as_evicted_before_reuse(void **state)
{
    (void)state;
    maker m;
    sl_profile p;
    profile_warp(ACTS(AT('a'), AT('b'), AT('c'), AT('a'), AT('b'), AT('c')), &usual, &p, &m);
    assert_int_equal(p.total.fills, 6);
    assert_int_equal(p.total.evicted_before_reuse, 6);
    assert_int_equal(sl_profile_once(&p.total), 0);
    drop(&p, &m);
}

static void bytes_asked_for_are_counted_once_as_used(void **state)
{
    (void)state;
    maker m;
    sl_profile p;
    profile_warp(ACTS({LOAD, ALL_LANES, 0x1000, 4},         /* 4 sectors, 1 line, all used */
                      {SECOND_LOAD, ALL_LANES, 0x2000, 8},  /* 8 sectors, 2 lines, half used */
                      {STORE, ALL_LANES, 0x3000, 0},        /* one word */
                      {ATOMIC, 0xff, 0x4002, 4},            /* 32 bytes across two sectors */
                      {WIDE_LOAD, ALL_LANES, 0x8000, 128}), /* 32 sectors, half used, 32 lines */
                 &usual, &p, &m);
    assert_int_equal(load_of(&p, LOAD)->requested_bytes, 128);
    assert_int_equal(load_of(&p, LOAD)->used_bytes, 128);
    assert_int_equal(load_of(&p, LOAD)->sector_accesses, 4);
    assert_int_equal(load_of(&p, LOAD)->line_accesses, 1);
    assert_int_equal(load_of(&p, SECOND_LOAD)->used_bytes, 128);
    assert_int_equal(load_of(&p, SECOND_LOAD)->sector_accesses, 8);
    assert_int_equal(load_of(&p, SECOND_LOAD)->line_accesses, 2);
    assert_int_equal(load_of(&p, STORE)->requested_bytes, 128);
    assert_int_equal(load_of(&p, STORE)->used_bytes, 4);
    assert_int_equal(load_of(&p, STORE)->sector_accesses, 1);
    assert_int_equal(load_of(&p, ATOMIC)->used_bytes, 32);
    assert_int_equal(load_of(&p, ATOMIC)->sector_accesses, 2);
    assert_int_equal(load_of(&p, WIDE_LOAD)->used_bytes, 512);
    assert_int_equal(load_of(&p, WIDE_LOAD)->sector_accesses, 32);
    assert_int_equal(load_of(&p, WIDE_LOAD)->line_accesses, 32);
    assert_int_equal(p.total.requests, 5);
    drop(&p, &m);
}

static void stores_can_be_left_out(void **state)
{
    (void)state;
    sl_profile_options options = usual;
    options.loads_only = true;
    maker m;
    sl_profile p;
    profile_warp(ACTS(AT('a'), {STORE, 1, LINE('b'), 0}, {ATOMIC, 1, LINE('c'), 0}, AT('a')), &options, &p, &m);
    assert_int_equal(p.total.requests, 2);
    assert_int_equal(p.total.line_distance.bin[0], 1);
    assert_int_equal(p.loads, 1);
    drop(&p, &m);
}

static void shared_memory_and_prefetches_are_not_looked_at(void **state)
{
    (void)state;
    maker m;
    sl_profile p;
    profile_warp(ACTS({SHARED_LOAD, ALL_LANES, 0, 4}, {PREFETCH, 1, LINE('x'), 0},
                      {GENERIC_LOAD, ALL_LANES, SHARED_WINDOW, 4}, AT('a')),
                 &usual, &p, &m);
    assert_int_equal(p.total.requests, 1);
    assert_int_equal(p.total.line_accesses, 1);
    drop(&p, &m);
}

/* A row of words of all lanes is one line. The store's second word is the load's next row. */
static void local_memory_of_a_warp_lies_side_by_side(void **state)
{
    (void)state;
    maker m;
    sl_profile p;
    profile_warp(ACTS({LOCAL_LOAD, ALL_LANES, 0, 0}, {LOCAL_STORE, ALL_LANES, 0, 0}, {LOCAL_LOAD, ALL_LANES, 4, 0},
                      {GENERIC_LOAD, ALL_LANES, LOCAL_WINDOW + 4, 0}),
                 &usual, &p, &m);
    assert_int_equal(load_of(&p, LOCAL_LOAD)->line_accesses, 2);
    assert_int_equal(load_of(&p, LOCAL_LOAD)->sector_accesses, 8);
    assert_int_equal(load_of(&p, LOCAL_STORE)->line_accesses, 2);
    assert_int_equal(load_of(&p, GENERIC_LOAD)->line_distance.bin[0], 1);
    assert_int_equal(p.total.lines, 2);
    assert_int_equal(p.total.line_distance.never, 2);
    assert_int_equal(p.total.line_distance.bin[0], 3); /* the store's first row, and its second twice */
    drop(&p, &m);
}

static void local_memory_is_each_warps_own_until_the_next_block_takes_its_place(void **state)
{
    (void)state;
    const act *const same = ACTS({LOCAL_LOAD, ALL_LANES, 0, 0});
    const warp_acts acts[] = {{0, 0, same}, {0, 1, same}, {1, 0, same}, {1, 1, same}};
    sl_profile_options options = usual;
    maker m;
    sl_profile p;
    make_trace(&m, 2, 2, acts);
    profile(&m, &options, NULL, &p);
    assert_int_equal(p.total.lines, 4);
    sl_profile_fini(&p);
    options.blocks_per_core = 1;
    profile(&m, &options, NULL, &p);
    assert_int_equal(p.total.lines, 2);
    sl_profile_fini(&p);
    options.cores = 2;
    profile(&m, &options, NULL, &p);
    assert_int_equal(p.total.lines, 4);
    assert_int_equal(p.footprint_lines, 4);
    drop(&p, &m);
}

/* Both blocks access a, then separate lines. */
static void cores_look_back_on_their_own_accesses_alone(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(AT('a'), AT('b'))}, {1, 0, ACTS(AT('a'), AT('c'))}};
    sl_profile_options options = usual;
    maker m;
    sl_profile p;
    make_trace(&m, 2, 1, acts);
    profile(&m, &options, NULL, &p);
    assert_int_equal(p.total.line_distance.never, 3);
    assert_int_equal(p.total.lines, 3);
    assert_int_equal(p.footprint_lines, 3);
    assert_int_equal(p.cores, 1);
    sl_profile_fini(&p);
    options.cores = 3;
    profile(&m, &options, NULL, &p);
    assert_int_equal(p.total.line_distance.never, 4);
    assert_int_equal(p.total.lines, 4);
    assert_int_equal(p.footprint_lines, 3);
    assert_int_equal(p.cores, 2);
    assert_int_equal(p.window_accesses, 1);
    assert_int_equal(p.windows, 2);
    assert_int_equal(p.window[0].lines, 2);
    assert_int_equal(p.window[1].new_lines, 2);
    drop(&p, &m);
}

/* Four cores with unlike amounts of work. */
static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    enum { BLOCKS = 40, STEPS = 100 };
    static act acts[BLOCKS][STEPS + 1];
    static warp_acts warps[BLOCKS];
    for (uint32_t b = 0; b < BLOCKS; b++) {
        for (uint32_t i = 0; i < (uint32_t)STEPS >> b % 4; i++)
            acts[b][i] = (act){i % 3, ALL_LANES, (b * 37 + i * i) % 64 * 128, i % 5 * 4};
        warps[b] = (warp_acts){b, 0, acts[b]};
    }
    sl_profile_options options = usual;
    options.cores = 4;
    options.blocks_per_core = 3;
    maker m;
    make_trace(&m, BLOCKS, 1, warps);
    sl_profile one, many;
    sl_pool *pool;
    sl_error error;
    assert_int_equal(sl_pool_create(4, &pool, &error), SL_OK);
    profile(&m, &options, NULL, &one);
    profile(&m, &options, pool, &many);
    assert_memory_equal(&one.total, &many.total, sizeof one.total);
    assert_int_equal(one.loads, many.loads);
    assert_memory_equal(one.load, many.load, one.loads * sizeof *one.load);
    assert_int_equal(one.windows, many.windows);
    assert_memory_equal(one.window, many.window, one.windows * sizeof *one.window);
    assert_int_equal(one.footprint_lines, many.footprint_lines);
    sl_pool_destroy(pool);
    sl_profile_fini(&one);
    drop(&many, &m);
}

static void a_kernels_launches_are_summed_load_by_load(void **state)
{
    (void)state;
    maker m;
    sl_profile p[2];
    profile_warp(ACTS(AT('a'), AT('a'), {STORE, 1, LINE('b'), 0}), &usual, &p[0], &m);
    profile(&m, &usual, NULL, &p[1]);
    sl_profile_sums sums;
    sl_error error;
    assert_int_equal(sl_profile_sums_init(&sums, p, 2, &error), SL_OK);
    assert_int_equal(sums.kernels, 1);
    assert_int_equal(sums.kernel[0].launches, 2);
    assert_int_equal(sums.kernel[0].loads, 2);
    assert_int_equal(sums.kernel[0].load[1].slot, STORE);
    assert_int_equal(sums.kernel[0].load[0].counts.line_accesses, 4);
    assert_int_equal(sums.all.line_accesses, 6);
    assert_ptr_equal(sums.kernel[0].longest, &p[0]);
    sl_profile_sums_fini(&sums);
    sl_profile_fini(&p[1]);
    drop(&p[0], &m);
}

static void options_that_make_no_sense_are_named(void **state)
{
    (void)state;
    sl_error error;
    sl_profile_options options = usual;
    options.line_bytes = 96;
    assert_int_equal(sl_profile_check(&options, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "line of 96 bytes"));
    options = usual;
    options.sector_bytes = 256;
    assert_int_equal(sl_profile_check(&options, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "sector of 256 bytes"));
    options = usual;
    options.cache_bytes = 64;
    assert_int_equal(sl_profile_check(&options, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "cache of 64 bytes"));
    options = usual;
    options.cores = 0;
    assert_int_equal(sl_profile_check(&options, &error), SL_INVALID);
    assert_int_equal(sl_profile_check(&usual, &error), SL_OK);
}

static void bins_of_reuses_end_at_powers_of_two(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 1000; n++) {
        assert_in_range(n, sl_reuse_min(sl_reuse_bin(n)), sl_reuse_max(sl_reuse_bin(n)));
        assert_true(!n || sl_reuse_bin(n) - sl_reuse_bin(n - 1) <= 1);
    }
    assert_int_equal(sl_reuse_bin(UINT32_MAX), SL_REUSE_BINS - 1);
    assert_int_equal(sl_reuse_min(3), 3);
    assert_int_equal(sl_reuse_max(4), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_2_of_the_paper),
        cmocka_unit_test(the_gap_counts_accesses_and_the_distance_lines),
        cmocka_unit_test(fills_without_a_hit_are_told_apart),
        cmocka_unit_test(a_line_evicted_in_the_end_counts_as_evicted_before_reuse),
        cmocka_unit_test(bytes_asked_for_are_counted_once_as_used),
        cmocka_unit_test(stores_can_be_left_out),
        cmocka_unit_test(shared_memory_and_prefetches_are_not_looked_at),
        cmocka_unit_test(local_memory_of_a_warp_lies_side_by_side),
        cmocka_unit_test(local_memory_is_each_warps_own_until_the_next_block_takes_its_place),
        cmocka_unit_test(cores_look_back_on_their_own_accesses_alone),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(a_kernels_launches_are_summed_load_by_load),
        cmocka_unit_test(options_that_make_no_sense_are_named),
        cmocka_unit_test(bins_of_reuses_end_at_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
