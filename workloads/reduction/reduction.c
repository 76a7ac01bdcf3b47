/* SPDX-License-Identifier: MIT */
/* Reduction of the AMD APP SDK, used by the FRC paper: the sum of an array of integers.
 *
 * A block of 256 threads reads 512 uint4, adds them as a tree in shared memory and writes one; further launches go on
 * with those until one is left. A stream that is read once and hardly ever written: victims are clean, and FRC lowers
 * the misses more than the time. The original does all that follows its first launch on the host. */
#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { MOST_THREADS = 256 };

void sl_workload_reduction(sl_host *h)
{
    uint32_t n = sl_param_power_of_two(h, "n", 16, 1u << 30), quads = n / 4;
    uint32_t *item = sl_random_indices(h, n, UINT32_MAX), last[4];
    uint64_t from_dev = sl_host_upload(h, "in", item, n * sizeof *item), to_dev[2];
    uint64_t sums_bytes = sl_blocks(quads, 2 * MOST_THREADS) * sizeof last;
    to_dev[0] = sl_host_device(h, "sums 0", sums_bytes);
    to_dev[1] = sl_host_device(h, "sums 1", sums_bytes);

    for (uint32_t turn = 0; quads > 1; turn ^= 1) {
        uint32_t threads = quads / 2 < MOST_THREADS ? quads / 2 : MOST_THREADS;
        quads /= 2 * threads;
        sl_host_launch(h, "reduction", SL_DIM(quads), SL_DIM(threads), 0, from_dev, to_dev[turn]);
        from_dev = to_dev[turn];
    }
    sl_host_download(h, last, from_dev, sizeof last);

    uint32_t sum = last[0] + last[1] + last[2] + last[3], expected = 0;
    if (!sl_host_checks(h))
        return;
    for (uint32_t i = 0; i < n; i++)
        expected += item[i];
    sl_check_u32(h, "sum", &sum, &expected, 1);
}
