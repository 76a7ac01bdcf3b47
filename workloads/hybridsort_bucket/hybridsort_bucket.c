/* SPDX-License-Identifier: MIT */
/* The bucket sort of Rodinia's hybridsort, its first phase: numbers go into 1024 buckets by bisection among pivots.
 * Single warps take 4096 numbers each, so that few threads run; bisection reads a table of 4 KB at ten random addresses
 * per number; the scatter writes as many different lines as lanes. The pivots are quantiles that the host takes from a
 * sorted sample, instead of the original's histogram; they are read from global memory, not from a texture. Buckets
 * start at multiples of four, as the merge sort that follows wants them. */
#include <stdlib.h>

#include "workloads/common/inputs.h"

enum { BUCKETS = 1024, THREADS = 32, PER_BLOCK = 4096, OFFSET_THREADS = 128, SAMPLE = 16 * BUCKETS };

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Numbers around 1/2, more of them near it. */
static float *make_numbers(sl_host *h, uint32_t n)
{
    float *numbers = sl_uniform_floats(h, n, 0, 1), *others = sl_uniform_floats(h, n, 0, 1);
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = 0.5f * (numbers[i] + others[i]);
    return numbers;
}

static float *make_pivots(sl_host *h, const float *numbers, uint32_t n)
{
    float *sample = sl_host_new(h, float, SAMPLE), *pivots = sl_host_new(h, float, BUCKETS - 1);
    for (uint32_t i = 0; i < SAMPLE; i++)
        sample[i] = numbers[(uint64_t)i * n / SAMPLE];
    qsort(sample, SAMPLE, sizeof *sample, by_value);
    for (uint32_t b = 0; b < BUCKETS - 1; b++)
        pivots[b] = sample[(b + 1) * (SAMPLE / BUCKETS)];
    return pivots;
}

/* Buckets between their bounds, and as a whole the numbers that went in. */
static void check(sl_host *h, float *numbers, uint32_t n, const float *pivots, const float *out, const uint32_t *start,
                  const uint32_t *size)
{
    uint32_t *expected = sl_host_new(h, uint32_t, BUCKETS), below = 0;
    float *sorted = sl_host_new(h, float, n);
    qsort(numbers, n, sizeof *numbers, by_value);
    for (uint32_t b = 0, done = 0; b < BUCKETS; b++) {
        uint32_t first = below;
        while (below < n && (b == BUCKETS - 1 || numbers[below] < pivots[b]))
            below++;
        expected[b] = below - first;
        for (uint32_t i = 0; i < size[b]; i++)
            sorted[done++] = out[start[b] + i];
        qsort(sorted + done - size[b], size[b], sizeof *sorted, by_value);
    }
    sl_check_u32(h, "sizes", size, expected, BUCKETS);
    sl_check_f32(h, "buckets", sorted, numbers, n, 0, 0);
}

void sl_workload_hybridsort_bucket(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 1u << 26), blocks = sl_blocks(n, PER_BLOCK);
    float *numbers = make_numbers(h, n), *pivots = make_pivots(h, numbers, n);
    uint32_t room = n + 3 * BUCKETS, size[BUCKETS], start[BUCKETS];
    uint64_t in_dev = sl_host_upload(h, "numbers", numbers, n * sizeof *numbers);
    uint64_t pivot_dev = sl_host_upload(h, "pivots", pivots, (BUCKETS - 1) * sizeof *pivots);
    uint64_t place_dev = sl_host_device(h, "places", n * sizeof(uint32_t));
    uint64_t offset_dev = sl_host_device(h, "offsets", (uint64_t)blocks * BUCKETS * sizeof(uint32_t));
    uint64_t size_dev = sl_host_device(h, "sizes", sizeof size), start_dev = sl_host_device(h, "starts", sizeof start);
    uint64_t out_dev = sl_host_device(h, "buckets", room * sizeof(float));

    sl_host_launch(h, "bucket_count", SL_DIM(blocks), SL_DIM(THREADS), 0, in_dev, place_dev, offset_dev, pivot_dev, n);
    sl_host_launch(h, "bucket_offsets", SL_DIM(BUCKETS / OFFSET_THREADS), SL_DIM(OFFSET_THREADS), 0, offset_dev,
                   size_dev, blocks);
    sl_host_download(h, size, size_dev, sizeof size);
    for (uint32_t b = 0, next = 0; b < BUCKETS; b++) {
        start[b] = next;
        next += (size[b] + 3) / 4 * 4;
        if (next > room)
            sl_host_fail(h, SL_MISMATCH, "the buckets have more members than there are numbers");
    }
    sl_host_write(h, start_dev, start, sizeof start);
    sl_host_fill(h, out_dev, 0, room * sizeof(float));
    sl_host_launch(h, "bucket_scatter", SL_DIM(blocks), SL_DIM(THREADS), 0, in_dev, place_dev, out_dev, offset_dev,
                   start_dev, n);
    float *out = sl_host_new(h, float, room);
    sl_host_download(h, out, out_dev, room * sizeof *out);
    if (sl_host_checks(h))
        check(h, numbers, n, pivots, out, start, size);
}
