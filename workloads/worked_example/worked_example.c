/* SPDX-License-Identifier: MIT */
/* The examples with which Nugteren et al., HPCA 2014, explain reuse distances of a GPU, as kernels. 1: table 1, where
 * one thread loads x[0], x[5], x[3], x[9], x[3], x[3], x[5]. 2: tables 2 to 4, where each of four threads loads x[2
 * tid] and x[2 tid + 1]. 3: table 5, with two of these threads. Elements are 32 bytes apart, so that a line of 128
 * bytes has the four of the tables; each thread is a block, and so has a warp of its own. */
#include "workloads/common/inputs.h"

enum { ELEMENTS = 16, WORDS = 8, MAX_BLOCKS = 4, BITS = 4 };

typedef struct example {
    uint64_t elements;
    uint32_t loads, step, blocks;
} example;

static const example examples[] = {
    {0x5339350, 7, 0, 1},
    {0x10, 2, 2, 4},
    {0x10, 2, 4, 2},
};

void sl_workload_worked_example(sl_host *h)
{
    const example *e = &examples[sl_host_param(h, "example", 1, 3) - 1];
    uint32_t *x = sl_random_indices(h, ELEMENTS * WORDS, UINT32_MAX), sums[MAX_BLOCKS], expected[MAX_BLOCKS] = {0};
    uint64_t x_dev = sl_host_upload(h, "x", x, ELEMENTS * WORDS * sizeof *x);
    uint64_t sums_dev = sl_host_device(h, "sums", e->blocks * sizeof *sums);
    sl_host_launch(h, "worked_example", SL_DIM(e->blocks), SL_DIM(1), 0, x_dev, sums_dev, e->elements, e->loads,
                   e->step);
    if (!sl_host_checks(h))
        return;
    sl_host_download(h, sums, sums_dev, e->blocks * sizeof *sums);
    for (uint32_t b = 0; b < e->blocks; b++)
        for (uint32_t i = 0; i < e->loads; i++)
            expected[b] += x[((e->elements >> BITS * i) % ELEMENTS + e->step * b) * WORDS];
    sl_check_u32(h, "sums", sums, expected, e->blocks);
}
