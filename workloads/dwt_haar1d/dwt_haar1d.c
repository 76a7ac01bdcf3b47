/* SPDX-License-Identifier: MIT */
/* DwtHaar1D of the AMD APP SDK, used by the FRC paper: the Haar wavelet transform of a signal.
 *
 * A block of 256 threads takes 512 values through nine levels in shared memory; the next launch goes on with the means
 * of all blocks, until one is left. The signal is read once; the differences of each level are written to another half,
 * quarter, eighth… of the output, so that blocks write to many lines at once and most lines are dirty.
 *
 * Reading the means of the last launch as the signal of the next takes two buffers that change roles, where the
 * original copies them on the host. */
#include <math.h>

#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { MOST_THREADS = 256 };

static float *reference(sl_host *h, const float *in, uint32_t n)
{
    double *mean = sl_host_new(h, double, n), scale = 1 / sqrt(n), half = sqrt(0.5);
    float *out = sl_host_new(h, float, n);
    for (uint32_t i = 0; i < n; i++)
        mean[i] = (double)in[i] * scale;
    for (uint32_t length = n / 2; length > 0; length /= 2)
        for (uint32_t i = 0; i < length; i++) {
            out[length + i] = (float)((mean[2 * i] - mean[2 * i + 1]) * half);
            mean[i] = (mean[2 * i] + mean[2 * i + 1]) * half;
        }
    out[0] = (float)mean[0];
    return out;
}

static uint32_t log2_of(uint32_t power)
{
    uint32_t log2 = 0;
    while (power >>= 1)
        log2++;
    return log2;
}

void sl_workload_dwt_haar1d(sl_host *h)
{
    uint32_t n = sl_param_power_of_two(h, "n", 2, 1u << 30);
    float *signal = sl_random_floats(h, n), *out = sl_host_new(h, float, n);
    uint64_t in_dev = sl_host_upload(h, "signal", signal, n * sizeof *signal);
    uint64_t details_dev = sl_host_device(h, "details", n * sizeof *out);
    uint64_t mean_count = sl_blocks(n, 2 * MOST_THREADS), means_dev[2];
    means_dev[0] = sl_host_device(h, "means 0", mean_count * sizeof(float));
    means_dev[1] = sl_host_device(h, "means 1", mean_count * sizeof(float));

    uint32_t turn = 0, length = n;
    for (float scale = 1.0f / sqrtf((float)n); length > 1; scale = 1, turn ^= 1) {
        uint32_t threads = length / 2 < MOST_THREADS ? length / 2 : MOST_THREADS;
        uint32_t blocks = length / (2 * threads), levels = log2_of(2 * threads);
        sl_host_launch(h, "dwt_haar1d", SL_DIM(blocks), SL_DIM(threads), 0, in_dev, details_dev, means_dev[turn],
                       length, levels, scale);
        in_dev = means_dev[turn];
        length = blocks;
    }
    sl_host_download(h, out, details_dev, n * sizeof *out);
    sl_host_download(h, out, in_dev, sizeof *out); /* the mean of everything, in front of the differences */

    /* Values shrink with the square root of n and are rounded three times per level. */
    if (sl_host_checks(h))
        sl_check_f32(h, "out", out, reference(h, signal, n), n, 3 * log2_of(n) * 0x1p-24, 0);
}
