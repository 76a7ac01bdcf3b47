/* SPDX-License-Identifier: MIT */
/* How long reads take where nothing is in their way: what the machine file says, from the arrival at the first level.
 */
#include "access/partition.h"
#include "simulated.h"

/* An instruction issues in cycle 0 and reaches L1 in cycle 1; what needs its data issues in the cycle in which that is
 * there, and is the last. */
enum { ISSUE = 1, LAST = 1 };

static uint64_t load_and_use(const sl_machine *m)
{
    return RUN_WARP(m, at(LOAD, 0), do_(USE)).cycles;
}

/* A second load from the first one's line. Between the two lies one cycle. */
static uint64_t load_again(const sl_machine *m, op o)
{
    uint64_t once = RUN_WARP(m, at(o, 0), do_(USE)).cycles;
    return RUN_WARP(m, at(o, 0), do_(USE), at(o, 0), do_(USE)).cycles - once;
}

static void a_hit_takes_the_hit_cycles_of_l1(void **state)
{
    (void)state;
    for (uint32_t hit = 1; hit < 40; hit += 13) {
        sl_machine m = tiny();
        m.level[0].hit_cycles = hit;
        assert_int_equal(load_again(&m, LOAD), ISSUE + hit + LAST);
    }
}

static void a_hit_in_l2_takes_its_hit_cycles_more(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(load_again(&m, LOAD_CG), ISSUE + 4 + 40 + LAST);
    m.level[1].hit_cycles = 200;
    assert_int_equal(load_again(&m, LOAD_CG), ISSUE + 4 + 200 + LAST);
    m.level[1].network_cycles = 1;
    assert_int_equal(load_again(&m, LOAD_CG), ISSUE + 4 + 200 + LAST);
}

static void memory_takes_its_latency_more_than_l1(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 100 + LAST);
    m.memory.latency_cycles = 500;
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 500 + LAST);
    m.memory.bytes_per_cycle = 16; /* a line keeps the bus for 8 cycles, which are a part of the latency */
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 500 + LAST);
}

/* The words of a line follow each other: 136 bytes are 5 flits of 32. They are a part of the latency, too. */
static void slow_networks_do_not_change_what_an_unloaded_read_takes(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].network_bytes = 32;
    assert_int_equal(load_again(&m, LOAD_CG), ISSUE + 4 + 40 + LAST);
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 100 + LAST);
    m.level[1].network_bytes = 7; /* 8 bytes of a request need 2 flits, 136 of an answer 20 */
    m.level[1].hit_cycles = 50;
    assert_int_equal(load_again(&m, LOAD_CG), ISSUE + 4 + 50 + LAST);
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 100 + LAST);
}

/* Less than the way there and back, a row opened and read: it takes what these take. */
static void memory_is_no_faster_than_its_parts(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.memory.latency_cycles = 1;
    /* leaves L1, 10 there, reaches the channel's next cycle, rcd 10, cl 10, 1 of the bus, 10 back, L1 */
    assert_int_equal(load_and_use(&m), ISSUE + 1 + 10 + 1 + 10 + 10 + 1 + 10 + 4 + LAST);
}

static sl_machine three_levels(void)
{
    sl_machine m = tiny();
    m.level[2] = m.level[1];
    memcpy(m.level[2].name, "L3", 3);
    m.level[2].hit_cycles = 60;
    m.level[2].network_cycles = 7;
    m.level[2].size_bytes *= 4;
    m.level[2].sets = 0;
    m.levels = 3;
    m.memory.latency_cycles = 300;
    return m;
}

/* Of four lines that share the one set of L2 with ways for one, the first is in L3 only. */
static void a_hit_in_l3_takes_those_of_l2_and_l3_more(void **state)
{
    (void)state;
    sl_machine m = three_levels();
    m.level[1].size_bytes = 128;
    m.level[1].ways = 1;
    m.level[1].sets = 0;
    uint64_t without = RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE)).cycles;
    uint64_t with = RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE), at(LOAD_CG, 0), do_(USE)).cycles;
    assert_int_equal(with - without, ISSUE + 4 + 40 + 60 + LAST);
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 300 + LAST);
    m.level[1].network_bytes = 32;
    m.level[2].network_bytes = 16;
    without = RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE)).cycles;
    with = RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE), at(LOAD_CG, 0), do_(USE)).cycles;
    assert_int_equal(with - without, ISSUE + 4 + 40 + 60 + LAST);
    assert_int_equal(load_and_use(&m), ISSUE + 4 + 300 + LAST);
}

static uint64_t word(const sl_machine *m, op o, int times, uint64_t addr)
{
    act one = lanes(o, addr, 0, 1);
    if (times == 1)
        return RUN_WARP(m, one, do_(USE)).cycles;
    return RUN_WARP(m, one, do_(USE), one, do_(USE)).cycles;
}

/* The word of one lane, on machines with their own times. fermi-gtx470 is left out: it is the reuse-distance model's,
 * and memory there has a shorter latency than its parts. */
static void built_in_machines_have_the_latencies_of_their_files(void **state)
{
    (void)state;
    static const char *const name[] = {"fermi-gtx480", "h200", "v100", "gcn-apu", "rx6900xt", "hd7770"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        sl_machine m;
        sl_error error;
        if (sl_machine_load(name[i], &m, &error) != SL_OK)
            fail_msg("%s", error.text);
        m.core.threads = 32 * m.core.warps;
        m.lanes = 32;
        m.core.lowering = m.core.branch_cycles = 0;
        uint64_t start = m.core.launch_cycles + m.core.block_cycles, l1 = m.level[0].hit_cycles,
                 l2 = m.level[1].hit_cycles;
        uint64_t addr[2] = {0}; /* of a line of each partition, where there are two */
        for (uint64_t line = 1; line < 64 && m.level[1].partitions > 1; line++)
            addr[sl_partition_home(&m.level[1], line)] = line * m.level[1].line_bytes;
        uint64_t both = word(&m, LOAD, 1, addr[0]) + word(&m, LOAD, 1, addr[1]);
        assert_in_range(both / 2, start + ISSUE + l1 + m.memory.latency_cycles + LAST,
                        start + ISSUE + l1 + m.memory.latency_cycles + LAST + (addr[1] > 0));
        assert_int_equal(word(&m, LOAD, 2, 0) - word(&m, LOAD, 1, 0), ISSUE + l1 + LAST);
        /* What bypasses L1 requests the smallest sector of all levels, which is sooner there than what L1 requests. */
        uint64_t asked = m.level[0].fill_bytes, sector = asked;
        for (uint32_t l = 1; l < m.levels; l++)
            sector = m.level[l].sector_bytes < sector ? m.level[l].sector_bytes : sector;
        uint64_t port = m.level[1].network_bytes,
                 sooner = (asked + 8 + port - 1) / port - (sector + 8 + port - 1) / port;
        assert_int_equal(word(&m, LOAD_CG, 2, 0) - word(&m, LOAD_CG, 1, 0), ISSUE + l1 + l2 + LAST - sooner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_takes_the_hit_cycles_of_l1),
        cmocka_unit_test(a_hit_in_l2_takes_its_hit_cycles_more),
        cmocka_unit_test(memory_takes_its_latency_more_than_l1),
        cmocka_unit_test(slow_networks_do_not_change_what_an_unloaded_read_takes),
        cmocka_unit_test(memory_is_no_faster_than_its_parts),
        cmocka_unit_test(a_hit_in_l3_takes_those_of_l2_and_l3_more),
        cmocka_unit_test(built_in_machines_have_the_latencies_of_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
