/* SPDX-License-Identifier: MIT */
/* The merge sort of Rodinia's hybridsort, its second phase: 1024 buckets (or more or fewer) of uneven size are sorted
 * side by side, in passes that double the sorted runs. A thread merges two runs of float4, so that lanes read and write
 * different runs, 16 bytes at a time: each line is used eight times over several iterations, if the cache keeps it; and
 * with every pass fewer threads have longer runs. Which of its two runs a lane reads next depends on the data. At the
 * end the lists are packed. The original reads its input through a texture; here it is global memory. */
#include <math.h>
#include <stdlib.h>

#include "workloads/common/inputs.h"

enum { FIRST_THREADS = 256, PASS_THREADS = 208, PACK_THREADS = 256 };

typedef struct lists {
    uint32_t count;
    uint32_t *start;         /* [count + 1], in units of four numbers */
    uint32_t *final_start;   /* [count + 1], in numbers */
    uint32_t units, largest; /* all of them; those of the largest list */
} lists;

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sizes between half and one and a half times the mean. */
static lists make_lists(sl_host *h, uint32_t count, uint32_t mean)
{
    lists l = {.count = count};
    l.start = sl_host_new(h, uint32_t, count + 1ull);
    l.final_start = sl_host_new(h, uint32_t, count + 1ull);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = mean / 2 + (uint32_t)sl_random_below(sl_host_random(h), mean + 1), units = (size + 3) / 4;
        l.final_start[i + 1] = l.final_start[i] + size;
        l.start[i + 1] = l.start[i] + units;
        l.largest = units > l.largest ? units : l.largest;
    }
    l.units = l.start[count];
    return l;
}

/* The numbers of all lists with padding, which sorts to the ends. */
static float *make_numbers(sl_host *h, const lists *l)
{
    float *numbers = sl_uniform_floats(h, 4ull * l->units, 0, 1);
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = l->final_start[i + 1] - l->final_start[i]; k < 4 * (l->start[i + 1] - l->start[i]); k++)
            numbers[4 * l->start[i] + k] = INFINITY;
    return numbers;
}

/* Returns the buffer in which the sorted lists are. */
static uint64_t sort(sl_host *h, const lists *l, uint64_t from_dev, uint64_t to_dev, uint64_t start_dev)
{
    sl_host_launch(h, "merge_first", SL_DIM(sl_blocks(l->units, FIRST_THREADS)), SL_DIM(FIRST_THREADS), 0, from_dev,
                   l->units);
    for (uint32_t run = 2; run / 2 < l->largest; run *= 2) {
        uint32_t threads_per_list = sl_blocks(l->largest, run);
        sl_host_launch(h, "merge_pass", SL_DIM(sl_blocks((uint64_t)threads_per_list * l->count, PASS_THREADS)),
                       SL_DIM(PASS_THREADS), 0, from_dev, to_dev, start_dev, l->count, run, threads_per_list);
        uint64_t written = to_dev;
        to_dev = from_dev;
        from_dev = written;
    }
    return from_dev;
}

void sl_workload_hybridsort_merge(sl_host *h)
{
    uint32_t count = (uint32_t)sl_host_param(h, "lists", 1, 65535);
    lists l = make_lists(h, count, (uint32_t)sl_host_param(h, "mean", 1, 8192));
    float *numbers = make_numbers(h, &l);
    uint32_t n = l.final_start[count];
    uint64_t bytes = 4ull * l.units * sizeof(float);
    uint64_t from_dev = sl_host_upload(h, "lists 0", numbers, bytes), to_dev = sl_host_device(h, "lists 1", bytes);
    uint64_t start_dev = sl_host_upload(h, "starts", l.start, (count + 1ull) * sizeof(uint32_t));
    uint64_t final_dev = sl_host_upload(h, "final starts", l.final_start, (count + 1ull) * sizeof(uint32_t));
    uint64_t out_dev = sl_host_device(h, "sorted", n * sizeof(float));

    uint64_t sorted_dev = sort(h, &l, from_dev, to_dev, start_dev);
    sl_host_launch(h, "merge_pack", SL_DIM(sl_blocks(4ull * l.largest, PACK_THREADS), count), SL_DIM(PACK_THREADS), 0,
                   sorted_dev, out_dev, start_dev, final_dev);
    float *sorted = sl_host_new(h, float, n), *expected = sl_host_new(h, float, n);
    sl_host_download(h, sorted, out_dev, n * sizeof *sorted);

    if (!sl_host_checks(h))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = l.final_start[i], size = l.final_start[i + 1] - first;
        for (uint32_t k = 0; k < size; k++)
            expected[first + k] = numbers[4 * l.start[i] + k];
        qsort(expected + first, size, sizeof *expected, by_value);
    }
    sl_check_f32(h, "sorted", sorted, expected, n, 0, 0);
}
