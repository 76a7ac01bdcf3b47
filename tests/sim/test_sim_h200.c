/* SPDX-License-Identifier: MIT */
/* What was measured on an H200 and no older machine has: times of branches, barriers and new code, blocks that start at
 * a rate, banks of L1, and stored words. */
#include "simulated.h"

#include "access/partition.h"

static void a_jump_takes_the_branch_cycles(void **state)
{
    (void)state;
    sl_machine m = tiny();
    uint64_t before = RUN_WARP(&m, do_(USE), do_(USE), do_(USE_2)).cycles;
    m.core.branch_cycles = 10;
    /* USE_2 lies behind USE: only the second USE is a jump. */
    assert_int_equal(RUN_WARP(&m, do_(USE), do_(USE), do_(USE_2)).cycles, before + 9);
}

static void a_barrier_takes_its_cycles_and_some_for_each_warp(void **state)
{
    (void)state;
    sl_machine m = tiny();
    warp_acts both = WARP(do_(BARRIER), do_(FENCE));
    uint64_t before = RUN(&m, 1, 2, both, both).cycles;
    m.core.barrier_cycles = 12;
    m.core.barrier_warp_cycles = 2;
    assert_int_equal(RUN(&m, 1, 2, both, both).cycles, before + 11 + 4);
}

static void the_first_code_comes_with_the_launch(void **state)
{
    (void)state;
    sl_machine m = tiny();
    uint64_t before = RUN_WARP(&m, do_(USE), do_(USE)).cycles;
    m.core.fetch_cycles = 50; /* the first instructions are those of the launch */
    assert_int_equal(RUN_WARP(&m, do_(USE), do_(USE)).cycles, before);
}

static void blocks_start_after_their_cycles_and_end_at_their_rate(void **state)
{
    (void)state;
    sl_machine m = tiny();
    warp_acts one = WARP(do_(USE));
    uint64_t before = RUN(&m, 4, 1, one, one, one, one).cycles;
    m.core.block_cycles = 100;
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, before + 100);
    m.core.block_rate = 50; /* one in 20 cycles */
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, 4 * 20 + 100 + 1);
    m.core.block_rate = 0;
    m.core.block_interval = 30; /* each starts 30 cycles after the one before it on its core */
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, before + 100 + 3 * 30 - 3);
    m.core.block_warp_interval = 40;
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, before + 100 + 3 * 40 - 3);
}

/* Lines in one of four banks of tags one after the other, words in one of 32 banks, too. */
static void l1_takes_as_long_as_its_busiest_bank(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].sets = 0;
    m.level[0].size_bytes = 64 * 128 * 2;
    m.level[0].hit_cycles = 4;
    uint64_t line = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE)).cycles;
    uint64_t lines = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE), strided(LOAD, 0, 128), do_(USE)).cycles;
    m.level[0].banks = 4;
    m.level[0].data_banks = 32;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE)).cycles, line);
    uint64_t banked = RUN_WARP(&m, strided(LOAD, 0, 132), do_(USE), strided(LOAD, 0, 132), do_(USE)).cycles;
    assert_true(banked + 20 < lines); /* 34 lines in 4 banks, words in all 32 */
    /* Words of different lines in one bank: as long as one by one. */
    uint64_t conflict = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE), strided(LOAD, 0, 128), do_(USE)).cycles;
    assert_true(conflict > banked + 20);
}

/* Lines that are 1284 bytes apart: 10, 7, 7 and 8 in the four banks of tags, and no two words in one bank of data.
 * After a load that hits another one waits for 10 cycles. */
static void banks_of_tags_are_chosen_by_a_hash(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].sets = 0;
    m.level[0].size_bytes = 1024 * 128 * 2;
    m.level[0].banks = 4;
    m.level[0].data_banks = 32;
    act load = strided(LOAD, 0, 1284), again = strided(LOAD_2, 0, 1284);
    uint64_t one = RUN_WARP(&m, load, do_(USE), load, do_(USE)).cycles;
    uint64_t two = RUN_WARP(&m, load, do_(USE), load, again, do_(USE), do_(USE_2)).cycles;
    assert_int_equal(two - one, 10);
}

static sl_machine that_keeps_stores(void)
{
    sl_machine m = tiny();
    m.level[0].write = SL_WRITE_ALLOCATE;
    m.level[0].sector_bytes = m.level[0].fill_bytes = 32;
    m.level[1].sector_bytes = m.level[1].fill_bytes = 32;
    return m;
}

static void stored_words_hit_and_their_neighbours_miss(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act store = lanes(STORE, 0, 4, 1), word = lanes(LOAD, 0, 4, 1), next = lanes(LOAD, 0, 4, 2);
    assert_int_equal(RUN_WARP(&m, store, do_(FENCE), word, do_(USE)).level[0].misses, 0);
    assert_int_equal(RUN_WARP(&m, store, do_(FENCE), next, do_(USE)).level[0].misses, 1);
    /* A whole sector was valid before. */
    act sector = lanes(STORE, 0, 4, 0xff);
    assert_int_equal(RUN_WARP(&m, sector, do_(FENCE), next, do_(USE)).level[0].misses, 0);
}

/* 32 lines of one word each: the second store comes while the first is being sent. */
static void a_store_makes_l1_forget_one_that_is_still_to_be_sent(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    m.level[0].sets = m.level[1].sets = 0;
    m.level[0].size_bytes = m.level[1].size_bytes = 64 * 128 * 2;
    m.level[0].miss_queue = 64;
    m.level[0].banks = 4; /* it takes stores faster than they are sent */
    m.level[0].data_banks = 32;
    m.level[1].network_bytes = 32;
    m.level[1].network_partial = 2;
    assert_int_equal(sl_machine_check(&m, NULL), SL_OK);
    act word = strided(STORE, 0, 160), next = strided(STORE, 4, 160);
    act first = strided(LOAD, 0, 160), second = strided(LOAD, 4, 160), third = strided(LOAD_2, 8, 160);
    assert_int_equal(RUN_WARP(&m, word, do_(FENCE), next, do_(FENCE), first, do_(USE)).level[0].misses, 0);
    assert_true(RUN_WARP(&m, word, next, do_(FENCE), first, do_(USE)).level[0].misses > 16);
    assert_int_equal(RUN_WARP(&m, word, next, do_(FENCE), second, do_(USE)).level[0].misses, 0);
    /* Sectors that were valid are so no more. */
    assert_int_equal(RUN_WARP(&m, first, do_(USE), word, do_(FENCE), third, do_(USE_2)).level[0].misses, 32);
    assert_true(RUN_WARP(&m, first, do_(USE), word, next, do_(FENCE), third, do_(USE_2)).level[0].misses > 32 + 16);
    /* Stores to few lines join. */
    act few = lanes(STORE, 0, 160, 0xfff), more = lanes(STORE, 4, 160, 0xfff), read = lanes(LOAD, 0, 160, 0xfff);
    assert_int_equal(RUN_WARP(&m, few, more, do_(FENCE), read, do_(USE)).level[0].misses, 0);
}

static void a_sector_whose_words_were_all_stored_is_in_l2(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act half = lanes(STORE, 0, 4, 0x0f), rest = lanes(STORE, 0, 4, 0xf0), read = lanes(LOAD_CG, 0, 4, 0xff);
    assert_int_equal(RUN_WARP(&m, half, do_(FENCE), read, do_(USE)).dram_read_sectors, 1);
    assert_int_equal(RUN_WARP(&m, half, do_(FENCE), rest, do_(FENCE), read, do_(USE)).dram_read_sectors, 0);
}

static void stores_of_a_warp_to_one_line_go_on_as_one(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act half = lanes(STORE, 0, 4, 0x0f), rest = lanes(STORE, 0, 4, 0xf0), read = lanes(LOAD_CG, 0, 4, 0xff);
    assert_int_equal(RUN_WARP(&m, half, rest).level[1].accesses, 2);
    uint64_t alone = RUN_WARP(&m, half, at(LOAD, 256), do_(USE)).cycles;
    m.level[0].join_cycles = 20;
    sl_sim_result r = RUN_WARP(&m, half, rest);
    assert_int_equal(r.level[1].accesses, 1);
    assert_int_equal(r.level[1].written_sectors, 1);
    assert_int_equal(r.level[0].coalesced, 1);
    assert_int_equal(RUN_WARP(&m, half, rest, do_(FENCE), read, do_(USE)).dram_read_sectors, 0); /* it is whole */
    assert_int_equal(RUN_WARP(&m, half, do_(FENCE), rest).level[1].accesses, 2);
    assert_int_equal(RUN(&m, 1, 2, WARP(half), WARP(rest)).level[1].accesses, 2);
    /* With a load behind it, it goes at once, in the cycle before. */
    assert_int_equal(RUN_WARP(&m, half, at(LOAD, 256), do_(USE)).cycles, alone + 1);
    /* 4 bytes of 32 sectors in 8 lines, and the next 4 bytes of them; the model counts the same (test_core.c). */
    m.level[0].miss_queue = 64;
    m.level[0].sets = m.level[1].sets = 0;
    m.level[0].size_bytes = m.level[1].size_bytes = 64 * 128 * 2;
    assert_int_equal(sl_machine_check(&m, NULL), SL_OK);
    act word = strided(STORE, 0, 32), next = strided(STORE, 4, 32);
    assert_int_equal(RUN_WARP(&m, word, next).level[1].written_sectors, 32);
    assert_int_equal(RUN_WARP(&m, strided(STORE, 0, 128), strided(STORE, 4, 128)).level[1].written_sectors, 64);
    assert_int_equal(RUN(&m, 1, 2, WARP(word), WARP(next)).level[1].written_sectors, 64);
}

static void a_store_into_a_sector_in_flight_is_kept(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act word = lanes(LOAD, 0, 4, 1), store = lanes(STORE, 0, 4, 2), stored = lanes(LOAD_2, 0, 4, 2);
    sl_sim_result r = RUN_WARP(&m, word, store, do_(USE), stored, do_(USE_2));
    assert_int_equal(r.level[0].misses, 1);
}

/* A load is at L2 in cycle 13 and has its line there in 92; the store behind it is at L2 in cycle 14. */
static void a_store_waits_in_l2_for_its_sector_in_flight(void **state)
{
    (void)state;
    for (uint32_t waits = 0; waits < 2; waits++) {
        sl_machine m = tiny();
        m.level[1].write_waits = waits;
        sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(STORE, 0));
        assert_int_equal(r.level[1].stall_cycles[SL_STALL_MERGE], waits ? 92 - 14 : 0);
        assert_int_equal(r.dram_read_sectors, 1);
        r = RUN_WARP(&m, at(LOAD, 0), at(STORE, 128));
        assert_int_equal(r.level[1].stall_cycles[SL_STALL_MERGE], 0);
    }
}

static void a_partial_store_takes_its_share_of_the_network(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    m.level[1].network_bytes = 32;
    act parts = strided(STORE, 0, 32);
    uint64_t before = RUN_WARP(&m, parts, do_(FENCE)).cycles;
    m.level[1].network_partial = 4;
    assert_true(RUN_WARP(&m, parts, do_(FENCE)).cycles >= before + 3 * 32 - 8);
    act whole = at(STORE, 0);
    uint64_t line = RUN_WARP(&m, whole, do_(FENCE)).cycles;
    m.level[1].network_partial = 1;
    assert_int_equal(RUN_WARP(&m, whole, do_(FENCE)).cycles, line);
}

/* ---- partitions ---- */

enum { NEAR, FAR, HOMES };

/* Two cores, each with a partition of L2 of its own; lines whose home is that of the first core, and of the second. */
static sl_machine with_partitions(uint64_t line[HOMES])
{
    sl_machine m = tiny();
    m.cores = 2;
    m.level[1].cores_per_instance = 2;
    m.level[1].banks = m.level[1].partitions = 2;
    m.level[1].partition_first = m.level[1].partition_cores = 1;
    for (uint64_t n = 0; n < 16; n++)
        line[sl_partition_home(&m.level[1], n)] = n * 128;
    return m;
}

/* 100 on average: what another partition asks for crosses its network of 10 cycles twice. */
static void memory_takes_longer_through_another_partition(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line), whole = m;
    whole.level[1].partitions = 1;
    uint64_t alone = RUN_WARP(&whole, at(LOAD, line[NEAR]), do_(USE)).cycles;
    assert_int_equal(RUN_WARP(&m, at(LOAD, line[NEAR]), do_(USE)).cycles, alone - 10);
    assert_int_equal(RUN_WARP(&m, at(LOAD, line[FAR]), do_(USE)).cycles, alone + 10);
    /* The copy is as near as any line. */
    uint64_t near = RUN_WARP(&m, at(LOAD_CG, line[NEAR]), do_(USE), at(LOAD_CG, line[NEAR]), do_(USE)).cycles;
    assert_int_equal(RUN_WARP(&m, at(LOAD_CG, line[FAR]), do_(USE), at(LOAD_CG, line[FAR]), do_(USE)).cycles,
                     near + 20);
}

static void a_line_misses_once_in_each_partition(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line);
    for (int home = NEAR; home < HOMES; home++) {
        warp_acts one = WARP(at(LOAD, line[home]), do_(USE));
        sl_sim_result r = RUN(&m, 2, 1, one, one);
        assert_int_equal(r.level[1].misses, 2);
        assert_int_equal(r.level[1].copies, 1);
        assert_int_equal(r.level[1].read_hit_sectors, 0);
        assert_int_equal(r.dram_read_sectors, 1);
    }
    m.level[1].partitions = 1;
    warp_acts one = WARP(at(LOAD, line[FAR]), do_(USE));
    sl_sim_result r = RUN(&m, 2, 1, one, one);
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.level[1].copies, 0);
}

/* A store goes by the copy of its core's partition, which takes it, to the home of its line. */
static void a_copy_takes_stores(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line);
    sl_sim_result r = RUN_WARP(&m, at(LOAD_CG, line[FAR]), do_(USE), at(STORE, line[FAR]), do_(FENCE),
                               at(LOAD_CG, line[FAR]), do_(USE));
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.level[1].hits, 2); /* the store at home, and the second load at the copy */
    r = RUN_WARP(&m, at(LOAD_CG, line[FAR]), do_(USE), at(ATOMIC, line[FAR]), do_(USE), at(LOAD_CG, line[FAR]),
                 do_(USE));
    assert_int_equal(r.level[1].misses, 2); /* what an atomic has made of it is known at home */
    assert_int_equal(r.level[1].copies, 1);
}

/* What is stored from another partition leaves a copy there. */
static void a_store_allocates_a_copy(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line);
    sl_sim_result r = RUN_WARP(&m, at(STORE, line[FAR]), do_(FENCE), at(LOAD_CG, line[FAR]), do_(USE));
    assert_int_equal(r.level[1].read_hit_sectors, 1);
    assert_int_equal(r.level[1].copies, 0);
}

/* ---- banks ---- */

static void neighbouring_lines_fill_all_sets_of_all_banks(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].index = SL_INDEX_ROTATE;
    m.level[1].banks = 2;
    m.level[1].bank_interleave = 256;
    for (uint64_t base = 0; base < 1 << 20; base += 1 << 16) {
        act all[34];
        for (uint64_t i = 0; i < 16; i++)
            all[i] = all[i + 17] = at(LOAD_CG, base + i * 128);
        all[16] = all[33] = do_(USE);
        sl_sim_result r = RUN(&m, 1, 1, {all, 34});
        assert_int_equal(r.level[1].misses, 16); /* as many lines as it has */
        assert_int_equal(r.level[1].hits, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_takes_the_branch_cycles),
        cmocka_unit_test(a_barrier_takes_its_cycles_and_some_for_each_warp),
        cmocka_unit_test(the_first_code_comes_with_the_launch),
        cmocka_unit_test(blocks_start_after_their_cycles_and_end_at_their_rate),
        cmocka_unit_test(l1_takes_as_long_as_its_busiest_bank),
        cmocka_unit_test(banks_of_tags_are_chosen_by_a_hash),
        cmocka_unit_test(stored_words_hit_and_their_neighbours_miss),
        cmocka_unit_test(a_store_makes_l1_forget_one_that_is_still_to_be_sent),
        cmocka_unit_test(a_sector_whose_words_were_all_stored_is_in_l2),
        cmocka_unit_test(a_store_allocates_a_copy),
        cmocka_unit_test(neighbouring_lines_fill_all_sets_of_all_banks),
        cmocka_unit_test(stores_of_a_warp_to_one_line_go_on_as_one),
        cmocka_unit_test(a_store_into_a_sector_in_flight_is_kept),
        cmocka_unit_test(memory_takes_longer_through_another_partition),
        cmocka_unit_test(a_line_misses_once_in_each_partition),
        cmocka_unit_test(a_copy_takes_stores),
        cmocka_unit_test(a_store_waits_in_l2_for_its_sector_in_flight),
        cmocka_unit_test(a_partial_store_takes_its_share_of_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
