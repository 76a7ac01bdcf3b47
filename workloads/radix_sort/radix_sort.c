/* SPDX-License-Identifier: MIT */
/* Radix sort of keys of `bits` bits with values, by digits of eight bits, three launches per digit: count the digits of
 * each tile of 1024 keys, scan the counts, scatter. The keys stream in twice per digit; the scatter writes into 256
 * locations at once, of which each gets a few keys per block, so that a line is completed by several blocks. Counts are
 * written with the stride of the number of tiles. Simplified: the scatter does not gather a tile's keys by digit in
 * shared memory first, and digits are counted anew for each pass. */
#include <stdlib.h>

#include "workloads/common/inputs.h"

enum { THREADS = 256, TILE = 1024, DIGITS = 256 };

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Values are the positions of the keys, so ordering by key and value is ordering stably by key. */
static void check(sl_host *h, const uint32_t *unsorted, const uint32_t *key, const uint32_t *value, uint32_t n)
{
    uint64_t *pair = sl_host_new(h, uint64_t, n);
    uint32_t *expected_key = sl_host_new(h, uint32_t, n), *expected_value = sl_host_new(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        pair[i] = (uint64_t)unsorted[i] << 32 | i;
    qsort(pair, n, sizeof *pair, ascending);
    for (uint32_t i = 0; i < n; i++) {
        expected_key[i] = (uint32_t)(pair[i] >> 32);
        expected_value[i] = (uint32_t)pair[i];
    }
    sl_check_u32(h, "key", key, expected_key, n);
    sl_check_u32(h, "value", value, expected_value, n);
}

static uint32_t *random_keys(sl_host *h, uint32_t n, uint32_t bits, uint32_t *value)
{
    sl_random *random = sl_host_random(h);
    uint32_t *key = sl_host_new(h, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        key[i] = (uint32_t)(sl_random_u64(random) >> (64 - bits));
        value[i] = i;
    }
    return key;
}

void sl_workload_radix_sort(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 1u << 28), tiles = sl_blocks(n, TILE);
    uint32_t bits = (uint32_t)sl_host_param(h, "bits", 1, 32), passes = sl_blocks(bits, 8);
    uint64_t bytes = n * sizeof(uint32_t);
    uint32_t *sorted = sl_host_new(h, uint32_t, n), *value = sl_host_new(h, uint32_t, n);
    uint32_t *key = random_keys(h, n, bits, value);
    uint64_t key_dev[2] = {sl_host_upload(h, "key 0", key, bytes), sl_host_device(h, "key 1", bytes)};
    uint64_t value_dev[2] = {sl_host_upload(h, "value 0", value, bytes), sl_host_device(h, "value 1", bytes)};
    uint64_t count_dev = sl_host_device(h, "count", (uint64_t)tiles * DIGITS * sizeof(uint32_t));
    uint64_t total_dev = sl_host_device(h, "total", DIGITS * sizeof(uint32_t));

    for (uint32_t pass = 0; pass < passes; pass++) {
        uint32_t in = pass % 2, out = !in, shift = 8 * pass;
        sl_host_launch(h, "count_digits", SL_DIM(tiles), SL_DIM(THREADS), 0, key_dev[in], count_dev, n, shift);
        sl_host_launch(h, "scan_counts", SL_DIM(DIGITS * 32 / THREADS), SL_DIM(THREADS), 0, count_dev, total_dev,
                       tiles);
        sl_host_launch(h, "scatter", SL_DIM(tiles), SL_DIM(THREADS), 0, key_dev[in], value_dev[in], key_dev[out],
                       value_dev[out], count_dev, total_dev, n, shift);
    }
    sl_host_download(h, sorted, key_dev[passes % 2], bytes);
    sl_host_download(h, value, value_dev[passes % 2], bytes);
    if (sl_host_checks(h))
        check(h, key, sorted, value, n);
}
