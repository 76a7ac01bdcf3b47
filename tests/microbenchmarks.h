/* SPDX-License-Identifier: MIT */
/* The reuse-distance paper's two micro-benchmarks (section 5), and what they have to find on its GTX 470: what the
 * machine file says. The tests of the model and of the simulator bring how launches are run. */
#ifndef TESTS_MICROBENCHMARKS_H
#define TESTS_MICROBENCHMARKS_H

#include <stdio.h>

#include "machine/machine.h"
#include "recorded.h"

static inline sl_machine gtx470(const char *const *settings, size_t count)
{
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load_with("fermi-gtx470", settings, count, &machine, &error), SL_OK);
    return machine;
}

/* set_mapping: a launch that loads lines so far apart twice, then one for each probe that loads another line, too.
 * Memory that reaches beyond 2 MB begins at a multiple of that, so that strides and probes are bits. */
static inline sl_trace *record_set_mapping(uint32_t lines, uint64_t stride, uint32_t probes, uint64_t first)
{
    char text[5][48];
    const char *set[5] = {text[0], text[1], text[2], text[3], text[4]};
    snprintf(text[0], sizeof text[0], "lines=%u", lines);
    snprintf(text[1], sizeof text[1], "stride=%llu", (unsigned long long)stride);
    snprintf(text[2], sizeof text[2], "warps=1");
    snprintf(text[3], sizeof text[3], "probes=%u", probes);
    snprintf(text[4], sizeof text[4], "first=%llu", (unsigned long long)(probes ? first : 1u << 22));
    return record("set_mapping", 32, set, 5);
}

/* mshr_count: a launch that warms up, then those with 1 to 8 loads of each warp at once. */
static inline sl_trace *record_mshr_count(uint32_t warps)
{
    char text[48];
    const char *set[] = {text, "least=1", "most=8", "stride=4096"};
    snprintf(text, sizeof text, "warps=%u", warps);
    sl_trace *trace = record("mshr_count", 32, set, 4);
    assert_int_equal(sl_trace_launches(trace), 9);
    return trace;
}

/* Lines that are a large power of two apart share a set: as many as fit there are the ways. Neighboring lines fill the
 * whole cache. */
static inline void finds_ways_and_sets(bool (*fits)(uint32_t lines, uint64_t stride))
{
    uint32_t ways = 1, lines = 1;
    while (fits(ways + 1, 1 << 20))
        ways++;
    assert_int_equal(ways, 4);
    while (fits(2 * lines, 128))
        lines *= 2;
    assert_int_equal(lines, 128);
    assert_int_equal(lines / ways, 32);
}

/* Each bit of the address by itself and in pairs: bits that change nothing are no part of the set's number, pairs that
 * change nothing are XORed. */
static inline void finds_the_hash(bool (*shares_the_set)(uint64_t offset))
{
    const unsigned lower[] = {7, 8, 9, 10, 11}, upper[] = {13, 14, 15, 17, 19};
    for (unsigned bit = 7; bit < 20; bit++)
        assert_int_equal(shares_the_set(UINT64_C(1) << bit), bit == 12 || bit == 16 || bit == 18);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            assert_int_equal(shares_the_set(UINT64_C(1) << lower[i] | UINT64_C(1) << upper[j]), i == j);
}

/* Figure 9: the most loads of each warp that take about as long as one. */
static inline void finds_mshrs(uint32_t (*loads_at_once)(uint32_t warps))
{
    assert_int_equal(loads_at_once(1), 6);
    assert_int_equal(loads_at_once(10), 6);
    assert_int_equal(loads_at_once(11), 5);
    assert_int_equal(loads_at_once(12), 5);
    assert_int_equal(loads_at_once(13), 4);
    assert_int_equal(loads_at_once(16), 4); /* 16 * 4 = 64 */
    assert_int_equal(loads_at_once(17), 3);
    assert_int_equal(loads_at_once(32), 2); /* 32 * 2 = 64 */
}

#endif
