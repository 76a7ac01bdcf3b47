/* SPDX-License-Identifier: MIT */
/* Networks and DRAM. Times as in test_sim_levels.c: a load that issues in cycle n is at the channel in n + 13, where
 * its row is opened; it is read 10 cycles later (rcd), has its data 10 + 1 later (cl, bus), and 57 + 10 later is at L1.
 */
#include "simulated.h"

enum { MISS = 1 + 100 + 4 + 1 }; /* a load and who uses it, where no row is open */

/* ---- networks ---- */

/* What two loads take that issue one after the other and both hit in L2, past L1. */
static uint64_t two_hits_in_l2(const sl_machine *m)
{
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 1, [LOAD_2] = 1};
    const warp_acts once = WARP(at(LOAD, 0), at(LOAD_2, 128), do_(USE), do_(USE_2));
    const warp_acts twice =
        WARP(at(LOAD, 0), at(LOAD_2, 128), do_(USE), do_(USE_2), at(LOAD, 0), at(LOAD_2, 128), do_(USE), do_(USE_2));
    return run_plan(m, plan, 1, 1, &twice).cycles - run_plan(m, plan, 1, 1, &once).cycles;
}

/* The second is a cycle behind the first, or as much as the answer of the first takes: a line and its header. */
static void an_answer_takes_the_port_for_as_long_as_its_bytes_need(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(two_hits_in_l2(&m), 2 + 44 + 1);
    m.level[1].network_bytes = 68;
    assert_int_equal(two_hits_in_l2(&m), 1 + 44 + 2 + 1);
    m.level[1].network_bytes = 34;
    assert_int_equal(two_hits_in_l2(&m), 1 + 44 + 4 + 1);
    m.level[1].network_bytes = 8; /* 17 of the answer, 1 of the request */
    assert_int_equal(two_hits_in_l2(&m), 1 + 44 + 17 + 1);
}

/* Sectors travel alone. */
static void an_answer_has_the_sectors_that_were_asked_for(void **state)
{
    (void)state;
    sl_machine m = tiny();
    for (int i = 0; i < 2; i++)
        m.level[i].sector_bytes = m.level[i].fill_bytes = 32;
    m.level[1].network_bytes = 40;
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 1, [LOAD_2] = 1};
    const act first = lanes(LOAD, 0, 4, 0xff), second = lanes(LOAD_2, 128, 4, 0xff);
    const warp_acts once = WARP(first, second, do_(USE), do_(USE_2));
    const warp_acts twice = WARP(first, second, do_(USE), do_(USE_2), first, second, do_(USE), do_(USE_2));
    uint64_t cycles = run_plan(&m, plan, 1, 1, &twice).cycles - run_plan(&m, plan, 1, 1, &once).cycles;
    assert_int_equal(cycles, 2 + 44 + 1);
}

/* A bank sends the 17 flits of an answer one after the other, but L1 takes a line in a cycle: two banks send at once.
 */
static void a_cache_may_receive_faster_than_a_bank_sends(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].network_bytes = 8;
    m.level[1].banks = 2;
    m.level[1].bank_interleave = 128;
    assert_int_equal(two_hits_in_l2(&m), 1 + 44 + 17 + 1); /* the port of L1 */
    m.level[1].receive_bytes = 128;
    assert_int_equal(two_hits_in_l2(&m), 2 + 44 + 1);
    m.level[1].banks = 1;
    assert_int_equal(two_hits_in_l2(&m), 1 + 44 + 17 + 1); /* that of the bank */
}

/* Stores have their data with them: each takes the port for 4 cycles; the third leaves in cycle 10 and is there in 20,
 * its last flit in 23. A fence sees it there. */
static void stores_take_the_port_to_l2_for_their_bytes(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].network_bytes = 34;
    sl_sim_result r = RUN_WARP(&m, at(STORE, 0), at(STORE, 128), at(STORE, 256), do_(FENCE));
    assert_int_equal(r.cycles, 24);
}

/* Two cores write to one bank at once: it takes one store in 4 cycles. To banks of their own they do not wait. */
static void cores_share_the_port_of_a_bank(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.cores = 2;
    m.level[1].cores_per_instance = 2;
    m.level[1].network_bytes = 34;
    const warp_acts even = WARP(at(STORE, 0), do_(FENCE)), odd = WARP(at(STORE, 128), do_(FENCE));
    assert_int_equal(RUN(&m, 1, 1, even).cycles, 1 + 1 + 10 + 3 + 1); /* L1 in 1, leaves in 2 */
    assert_int_equal(RUN(&m, 2, 1, even, odd).cycles, 16 + 4);
    m.level[1].banks = 2;
    m.level[1].bank_interleave = 128;
    assert_int_equal(RUN(&m, 2, 1, even, odd).cycles, 16);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Both cores write to bank 0 at once, then one of them to bank 1. If its first store is the one that waits for the port
 * of bank 0, it leaves L1 in 6 instead of 2, and the second in 10, which is seen in 24. Where packets wait at the port
 * that they go to both leave 4 cycles sooner. */
static void with_output_queues_no_packet_waits_for_one_to_another_bank(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.cores = 2;
    m.level[1].cores_per_instance = 2;
    m.level[1].network_bytes = 34;
    m.level[1].banks = 2;
    m.level[1].bank_interleave = 128;
    const warp_acts one = WARP(at(STORE, 0), do_(FENCE)), both = WARP(at(STORE, 256), at(STORE, 128), do_(FENCE));
    assert_int_equal(longer(RUN(&m, 2, 1, one, both).cycles, RUN(&m, 2, 1, both, one).cycles), 24);
    m.level[1].output_queues = 1;
    assert_int_equal(longer(RUN(&m, 2, 1, one, both).cycles, RUN(&m, 2, 1, both, one).cycles), 20);
}

/* L2 takes a request per cycle and port. With room for one before it the others wait in L1, whose miss queue has room
 * for one, too: a store is there in 12, and leaves the queue in that cycle; the next leaves L1 in 12. */
static void requests_wait_above_where_the_queue_of_a_bank_is_full(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].queue = 1;
    sl_sim_result r = RUN_WARP(&m, at(STORE, 0), at(STORE, 128), at(STORE, 256), do_(FENCE));
    assert_int_equal(r.cycles, 12 + 10 + 10 + 1);
    m.level[1].queue = 8;
    r = RUN_WARP(&m, at(STORE, 0), at(STORE, 128), at(STORE, 256), do_(FENCE));
    assert_int_equal(r.cycles, 12 + 2 + 1);
}

/* ---- rows ---- */

/* A row is 1 KB and a channel has 4 banks: row 0 and row 1 are in banks 0 and 1, row 5 is in bank 0 again. */
enum { SAME_ROW = 128, OTHER_BANK = 1024, OTHER_ROW = 5 * 1024 };

static sl_sim_result then(uint64_t second)
{
    sl_machine m = tiny();
    return RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD_CG, second), do_(USE));
}

static void a_row_that_is_open_need_not_be_opened(void **state)
{
    (void)state;
    sl_sim_result r = then(SAME_ROW);
    assert_int_equal(r.cycles, MISS + MISS - 10);
    assert_int_equal(r.dram_row_hits, 1);
    assert_int_equal(r.dram_row_misses, 1);
    r = then(OTHER_BANK);
    assert_int_equal(r.cycles, MISS + MISS);
    assert_int_equal(r.dram_row_misses, 2);
}

static void another_row_has_to_be_closed_first(void **state)
{
    (void)state;
    sl_sim_result r = then(OTHER_ROW);
    assert_int_equal(r.cycles, MISS + MISS + 10); /* rp */
    assert_int_equal(r.dram_row_hits, 0);
    assert_int_equal(r.dram_row_misses, 2);
}

/* Reads of banks 0 and 1 at once: rows open 2 cycles apart (rrd), so do the data come. */
static void rows_of_two_banks_open_one_after_the_other(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_BANK), do_(USE_2));
    assert_int_equal(r.cycles, MISS + 2);
    m.memory.rrd = 30;
    r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_BANK), do_(USE_2));
    assert_int_equal(r.cycles, MISS + 30);
}

/* The row of the first is open from 13 on, and closed no sooner than 33 (ras 20); another opens in 43 (rp 10, rc 30).
 * Were rc 50, in 63. */
static void a_bank_keeps_its_times_between_rows(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_ROW), do_(USE_2));
    assert_int_equal(r.cycles, MISS + (43 - 13));
    m.memory.ras = 25;
    r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_ROW), do_(USE_2));
    assert_int_equal(r.cycles, MISS + (48 - 13));
    m.memory.rc = 50;
    r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_ROW), do_(USE_2));
    assert_int_equal(r.cycles, MISS + (63 - 13));
}

static void reads_of_a_row_follow_each_other_by_ccd_or_the_bus(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, SAME_ROW), do_(USE_2)).cycles, MISS + 1);
    m.memory.ccd = 6;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, SAME_ROW), do_(USE_2)).cycles, MISS + 6);
    m.memory.ccd = 1;
    m.memory.bytes_per_cycle = 16; /* 8 cycles for a line */
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, SAME_ROW), do_(USE_2)).cycles, MISS + 8);
}

/* Banks 0 and 1, whose rows open two cycles apart (rrd). */
static void reads_of_a_bank_group_follow_each_other_by_ccdl(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.memory.bank_groups = 4;
    m.memory.ccdl = 5;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, SAME_ROW), do_(USE_2)).cycles, MISS + 5);
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_BANK), do_(USE_2)).cycles, MISS + 2);
    m.memory.bank_groups = 2;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, OTHER_BANK), do_(USE_2)).cycles, MISS + 5);
    m.memory.bytes_per_cycle = 64; /* two bursts of a line: ccdl for each */
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, SAME_ROW), do_(USE_2)).cycles, MISS + 10);
}

/* Times are in cycles of the memory's clock, which is half of the cores': all but the bus take twice as long. */
static void times_of_memory_are_by_its_own_clock(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.clock_mhz = 1000;
    m.memory.clock_mhz = 500;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), do_(USE)).cycles, MISS); /* the latency is by the cores' */
    assert_int_equal(RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD_CG, SAME_ROW), do_(USE)).cycles, 2 * MISS - 20);
}

/* The write's row opens in 13, it is written in 23, its data is there in 29 (wl 5 and the bus): reads from 34 on
 * (cdlr). The load alone would be read in 24. */
static void a_read_waits_for_the_data_of_a_write(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].write = SL_WRITE_THROUGH;
    sl_sim_result r = RUN_WARP(&m, at(STORE, 0), at(LOAD, SAME_ROW), do_(USE));
    assert_int_equal(r.cycles, MISS + (34 - 23));
    assert_int_equal(r.dram_row_hits, 1);
    /* Another row of the bank: closed in 39 (wr 10 after 29), opened in 49, read in 59. */
    r = RUN_WARP(&m, at(STORE, 0), at(LOAD, OTHER_ROW), do_(USE));
    assert_int_equal(r.cycles, MISS + (59 - 23));
}

/* The third load's row is open, the second one's is not: it overtakes. In the order of arrival three rows would have to
 * be opened. */
static void reads_of_an_open_row_overtake_others(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts first = WARP(at(LOAD_CG, 0)), other = WARP(at(LOAD_CG, OTHER_ROW)),
                    same = WARP(at(LOAD_CG, SAME_ROW));
    sl_sim_result r = RUN(&m, 1, 3, first, other, same);
    assert_int_equal(r.dram_row_hits, 1);
    assert_int_equal(r.dram_row_misses, 2);
    assert_int_equal(r.cycles, MISS + (43 - 13)); /* as without the third */
}

/* Lines of two channels do not meet. */
static void channels_work_side_by_side(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.memory.channels = 2;
    m.memory.channel_interleave = 128;
    m.memory.bytes_per_cycle = 32; /* 16 for each: 8 cycles for a line */
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, 128), do_(USE_2));
    assert_int_equal(r.cycles, MISS + 1);
    r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, 256), do_(USE_2));
    assert_int_equal(r.cycles, MISS + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_takes_the_port_for_as_long_as_its_bytes_need),
        cmocka_unit_test(an_answer_has_the_sectors_that_were_asked_for),
        cmocka_unit_test(a_cache_may_receive_faster_than_a_bank_sends),
        cmocka_unit_test(stores_take_the_port_to_l2_for_their_bytes),
        cmocka_unit_test(cores_share_the_port_of_a_bank),
        cmocka_unit_test(with_output_queues_no_packet_waits_for_one_to_another_bank),
        cmocka_unit_test(requests_wait_above_where_the_queue_of_a_bank_is_full),
        cmocka_unit_test(a_row_that_is_open_need_not_be_opened),
        cmocka_unit_test(another_row_has_to_be_closed_first),
        cmocka_unit_test(rows_of_two_banks_open_one_after_the_other),
        cmocka_unit_test(a_bank_keeps_its_times_between_rows),
        cmocka_unit_test(reads_of_a_row_follow_each_other_by_ccd_or_the_bus),
        cmocka_unit_test(reads_of_a_bank_group_follow_each_other_by_ccdl),
        cmocka_unit_test(times_of_memory_are_by_its_own_clock),
        cmocka_unit_test(a_read_waits_for_the_data_of_a_write),
        cmocka_unit_test(reads_of_an_open_row_overtake_others),
        cmocka_unit_test(channels_work_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
