/* SPDX-License-Identifier: MIT */
/* A hash join of a database: the host builds an open-addressing table (linear probing, half full, 8 bytes per slot)
 * over the keys of one relation, kernels look up those of the other. Three of four keys are found, and which they are
 * follows Zipf's law: some lines of a table larger than the caches are hot, the others are read at random, one sector
 * for 8 useful bytes; lanes exit the loop after different numbers of slots. Two more launches write the matches
 * without gaps, streaming. Simplified: the table is built by the host, because the order in which threads win slots
 * would decide where keys lie; keys of the built relation are unique. */
#include "workloads/common/inputs.h"
#include "workloads/common/zipf.h"

enum { THREADS = 256, SCAN_THREADS = 1024 };

typedef struct slot {
    uint32_t key, payload;
} slot;

typedef struct pair {
    uint32_t position, payload;
} pair;

/* Different numbers give different keys, which look random; only 0 gives 0, the mark of a free slot. */
static uint32_t key_number(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x85ebca6bu;
    i ^= i >> 13;
    i *= 0xc2b2ae35u;
    return i ^ i >> 16;
}

/* Key number i + 1 belongs to payload i. */
static slot *build_table(sl_host *h, uint32_t build, uint32_t slots_log2)
{
    slot *table = sl_host_new(h, slot, 1ull << slots_log2);
    for (uint32_t i = 0; i < build; i++) {
        uint32_t key = key_number(i + 1), at = key * 0x9e3779b1u >> (32 - slots_log2);
        while (table[at].key)
            at = (at + 1) & ((1u << slots_log2) - 1);
        table[at] = (slot){key, i};
    }
    return table;
}

/* `number` of each key to look up: up to build are in the table, those above are not. */
static uint32_t *draw_numbers(sl_host *h, uint32_t build, uint32_t n)
{
    uint32_t *number = sl_zipf_indices(h, n, build);
    for (uint32_t i = 0; i < n; i++)
        number[i] += 1 + (sl_random_below(sl_host_random(h), 4) ? 0 : build);
    return number;
}

static void check(sl_host *h, const uint32_t *number, uint32_t build, uint32_t n, uint32_t matches, const pair *joined)
{
    pair *expected = sl_host_new(h, pair, n);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (number[i] <= build)
            expected[count++] = (pair){i, number[i] - 1};
    sl_check_u32(h, "matches", &matches, &count, 1);
    sl_check_u32(h, "joined", &joined->position, &expected->position, 2ull * count);
}

void sl_workload_hash_join(sl_host *h)
{
    uint32_t build = (uint32_t)sl_host_param(h, "build", 1, 1u << 28);
    uint32_t n = (uint32_t)sl_host_param(h, "probe", 1, 1u << 28);
    uint32_t slots_log2 = 1, blocks = sl_blocks(n, THREADS), matches = 0;
    while (1u << slots_log2 < 2 * build)
        slots_log2++;
    slot *table = build_table(h, build, slots_log2);
    uint32_t *number = draw_numbers(h, build, n), *key = sl_host_new(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        key[i] = key_number(number[i]);
    pair *joined = sl_host_new(h, pair, n);
    uint64_t table_dev = sl_host_upload(h, "table", table, sizeof *table << slots_log2);
    uint64_t key_dev = sl_host_upload(h, "key", key, n * sizeof *key);
    uint64_t found_dev = sl_host_device(h, "found", n * sizeof(int32_t));
    uint64_t matches_dev = sl_host_device(h, "matches", (blocks + 1ull) * sizeof matches);
    uint64_t joined_dev = sl_host_device(h, "joined", n * sizeof *joined);

    sl_host_launch(h, "probe", SL_DIM(blocks), SL_DIM(THREADS), 0, table_dev, key_dev, found_dev, matches_dev,
                   slots_log2, n);
    sl_host_launch(h, "scan_matches", SL_DIM(1), SL_DIM(SCAN_THREADS), 0, matches_dev, blocks);
    sl_host_launch(h, "write_matches", SL_DIM(blocks), SL_DIM(THREADS), 0, found_dev, matches_dev, joined_dev, n);
    sl_host_download(h, &matches, matches_dev + blocks * sizeof matches, sizeof matches);
    if (matches > n)
        sl_host_fail(h, SL_MISMATCH, "%u matches of %u keys", matches, n);
    if (matches)
        sl_host_download(h, joined, joined_dev, matches * sizeof *joined);
    if (sl_host_checks(h))
        check(h, number, build, n, matches, joined);
}
