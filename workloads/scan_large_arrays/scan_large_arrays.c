/* SPDX-License-Identifier: MIT */
/* ScanLargeArrays of the AMD APP SDK, used by the FRC paper: what stands before each value of a large array.
 *
 * Blocks of 256 values are scanned in shared memory by 128 threads; the sums of the blocks are scanned the same way,
 * level by level, until one block is left; then each level's result is added to the one below. The array is read once,
 * written, and then read and written again by a later launch, after everything else: lines are dirty when evicted from
 * the L2 and come back. */
#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { BLOCK = 256, MOST_LEVELS = 4 };

void sl_workload_scan_large_arrays(sl_host *h)
{
    uint32_t n = sl_param_power_of_two(h, "n", 2 * BLOCK, 1u << 28), size[MOST_LEVELS] = {n}, level = 0;
    float *in = sl_random_floats(h, n), *out = sl_host_new(h, float, n);
    uint64_t in_dev[MOST_LEVELS] = {sl_host_upload(h, "in", in, n * sizeof *in)};
    uint64_t out_dev[MOST_LEVELS] = {sl_host_device(h, "out", n * sizeof *out)};

    for (; size[level] > BLOCK; level++) {
        uint32_t blocks = size[level + 1] = size[level] / BLOCK;
        in_dev[level + 1] = sl_host_device(h, "sums", blocks * sizeof(float));
        out_dev[level + 1] = sl_host_device(h, "before", blocks * sizeof(float));
        sl_host_launch(h, "scan_blocks", SL_DIM(blocks), SL_DIM(BLOCK / 2), 0, in_dev[level], out_dev[level],
                       in_dev[level + 1]);
    }
    sl_host_launch(h, "scan_last", SL_DIM(1), SL_DIM(size[level] / 2), 0, in_dev[level], out_dev[level], size[level]);
    while (level--)
        sl_host_launch(h, "add_to_blocks", SL_DIM(size[level + 1]), SL_DIM(BLOCK), 0, out_dev[level + 1],
                       out_dev[level]);
    sl_host_download(h, out, out_dev[0], n * sizeof *out);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, n);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        expected[i] = (float)sum;
        sum += (double)in[i];
    }
    /* Sums of n multiples of 1/16 fit 24 bits up to n = 2^20; beyond, each of 32 additions may round a value up to n.
     */
    sl_check_f32(h, "out", out, expected, n, n <= 1u << 20 ? 0 : 32 * n * 0x1p-24, 0);
}
