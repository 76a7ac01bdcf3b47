/* SPDX-License-Identifier: MIT */
/* FastWalshTransform of the AMD APP SDK, used by the FRC paper: the Walsh-Hadamard transform, one launch per step.
 *
 * Each of the log2(n) launches reads and writes the whole array in place, in pairs at distances of 1, 2, 4…: hardly
 * any work per byte, every line that is fetched becomes dirty, and two streams at a distance of a power of two meet in
 * the same sets. One of the two programs that gain most from FRC. */
#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { THREADS = 256 };

/* The transform of the sums of both halves and that of their differences, side by side. */
static void transform(double *value, uint32_t n)
{
    if (n == 1)
        return;
    uint32_t half = n / 2;
    for (uint32_t i = 0; i < half; i++) {
        double a = value[i], b = value[half + i];
        value[i] = a + b;
        value[half + i] = a - b;
    }
    transform(value, half);
    transform(value + half, half);
}

void sl_workload_fast_walsh(sl_host *h)
{
    uint32_t n = sl_param_power_of_two(h, "n", 2 * THREADS, 1u << 30);
    float *value = sl_random_floats(h, n), *result = sl_host_new(h, float, n);
    uint64_t value_dev = sl_host_upload(h, "value", value, n * sizeof *value);

    for (uint32_t step = 1; step < n; step *= 2)
        sl_host_launch(h, "fast_walsh", SL_DIM(n / (2 * THREADS)), SL_DIM(THREADS), 0, value_dev, step);
    sl_host_download(h, result, value_dev, n * sizeof *result);

    if (!sl_host_checks(h))
        return;
    double *exact = sl_host_new(h, double, n);
    float *expected = sl_host_new(h, float, n);
    for (uint32_t i = 0; i < n; i++)
        exact[i] = (double)value[i];
    transform(exact, n);
    for (uint32_t i = 0; i < n; i++)
        expected[i] = (float)exact[i];
    /* Sums of n multiples of 1/16 fit 24 bits up to n = 2^20; beyond, each step may round a value up to n. */
    sl_check_f32(h, "value", result, expected, n, n <= 1u << 20 ? 0 : 32 * n * 0x1p-24, 0);
}
