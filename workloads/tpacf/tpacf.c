/* SPDX-License-Identifier: MIT */
/* Parboil's tpacf: two-point angular correlation of astronomical bodies, observed ones and random sets of as many. One
 * block of 256 threads per pair of sets: 256 points of one set are in shared memory while all points of the other
 * stream by, so that a set is read again for every 256 points, at a reuse distance of its size. Distances are put into
 * bins by bisection in constant memory and counted with atomics on 32 copies of the histogram in shared memory. Sets
 * are smaller than the suite's, for the work grows with their square. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { THREADS = 256, BINS = 20, BINS_PER_DECADE = 5 };

/* Points on the sphere: half of them anywhere, half in clusters of a few degrees. */
static void make_set(sl_random *random, float *x, float *y, float *z, uint32_t n)
{
    double at[3] = {0, 0, 1};
    for (uint32_t i = 0; i < n; i++) {
        double v[3], length = 0, spread = i % 16 < 8 ? 2 : 0.1;
        for (int axis = 0; axis < 3; axis++) {
            v[axis] = (spread == 2 ? 0 : at[axis]) + spread * (sl_random_f64(random) - 0.5);
            length += v[axis] * v[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            v[axis] /= sqrt(length);
        if (i % 16 == 7)
            for (int axis = 0; axis < 3; axis++)
                at[axis] = v[axis];
        x[i] = (float)v[0];
        y[i] = (float)v[1];
        z[i] = (float)v[2];
    }
}

/* Adds the pairs of two sets; of a set with itself, each pair once. */
static void count_pairs(uint32_t *histogram, const float *a[3], const float *b[3], uint32_t n, const float *edges)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = a[0] == b[0] ? i + 1 : 0; j < n; j++) {
            float cosine = fmaf(b[2][j], a[2][i], fmaf(b[1][j], a[1][i], b[0][j] * a[0][i]));
            uint32_t bin = 0;
            while (bin < BINS - 1 && cosine < edges[bin + 1])
                bin++;
            histogram[bin]++;
        }
}

void sl_workload_tpacf(sl_host *h)
{
    uint32_t sets = (uint32_t)sl_host_param(h, "sets", 1, 1000), n = (uint32_t)sl_host_param(h, "points", 2, 65535);
    uint32_t blocks = 2 * sets + 1;
    uint64_t all = (sets + 1ull) * n, bytes = all * sizeof(float);
    float *x = sl_host_new(h, float, all), *y = sl_host_new(h, float, all), *z = sl_host_new(h, float, all);
    for (uint32_t s = 0; s <= sets; s++)
        make_set(sl_host_random(h), x + (uint64_t)s * n, y + (uint64_t)s * n, z + (uint64_t)s * n, n);
    float edges[BINS + 1]; /* from one arc minute on */
    for (int b = 0; b <= BINS; b++)
        edges[b] = (float)cos(pow(10, (double)b / (double)BINS_PER_DECADE) / 60 * 3.14159265358979323846 / 180);
    sl_host_write(h, sl_host_symbol(h, "bin_edges"), edges, sizeof edges);
    uint64_t x_dev = sl_host_upload(h, "x", x, bytes), y_dev = sl_host_upload(h, "y", y, bytes);
    uint64_t z_dev = sl_host_upload(h, "z", z, bytes);
    uint64_t histogram_dev = sl_host_device(h, "histograms", (uint64_t)blocks * BINS * sizeof(uint32_t));

    sl_host_launch(h, "tpacf", SL_DIM(blocks), SL_DIM(THREADS), 0, histogram_dev, x_dev, y_dev, z_dev, sets, n);
    uint32_t *histograms = sl_host_new(h, uint32_t, (uint64_t)blocks * BINS);
    sl_host_download(h, histograms, histogram_dev, (uint64_t)blocks * BINS * sizeof *histograms);

    if (!sl_host_checks(h))
        return;
    uint32_t *expected = sl_host_new(h, uint32_t, (uint64_t)blocks * BINS);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t left = b <= sets ? (uint64_t)b * n : 0, right = b <= sets ? left : (uint64_t)(b - sets) * n;
        count_pairs(expected + (uint64_t)b * BINS, (const float *[]){x + left, y + left, z + left},
                    (const float *[]){x + right, y + right, z + right}, n, edges);
    }
    sl_check_u32(h, "histograms", histograms, expected, (uint64_t)blocks * BINS);
}
