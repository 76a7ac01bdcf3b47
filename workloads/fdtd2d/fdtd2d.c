/* SPDX-License-Identifier: MIT */
/* FDTD-2D of PolyBench/GPU: finite differences in the time domain, three launches per time step, one thread per cell in
 * blocks of 32 x 8. Each kernel streams over two or three arrays and reads the neighbour above, to the left or behind;
 * rows of ex have one element more than the others, so that they are not aligned to lines.
 *
 * The suite's default is 2048 x 2048 cells and 500 steps. */
#include "workloads/common/inputs.h"

typedef struct fields {
    float *ex, *ey, *hz;
} fields;

static void step(const fields *f, float source, size_t n)
{
    for (size_t j = 0; j < n; j++)
        f->ey[j] = source;
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < n; j++)
            f->ey[i * n + j] -= 0.5f * (f->hz[i * n + j] - f->hz[(i - 1) * n + j]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j < n; j++)
            f->ex[i * (n + 1) + j] -= 0.5f * (f->hz[i * n + j] - f->hz[i * n + j - 1]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            f->hz[i * n + j] -= 0.7f * (f->ex[i * (n + 1) + j + 1] - f->ex[i * (n + 1) + j] + f->ey[(i + 1) * n + j] -
                                        f->ey[i * n + j]);
}

void sl_workload_fdtd2d(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 16384), steps = (uint32_t)sl_host_param(h, "steps", 1, 1000);
    uint64_t cells = (uint64_t)n * n, edges = (uint64_t)n * (n + 1), bytes = cells * sizeof(float);
    fields f = {sl_random_floats(h, edges), sl_random_floats(h, edges), sl_random_floats(h, cells)};
    float *source = sl_random_floats(h, steps), *result = sl_host_new(h, float, cells);
    uint64_t source_dev = sl_host_upload(h, "source", source, steps * sizeof *source);
    uint64_t ex_dev = sl_host_upload(h, "ex", f.ex, edges * sizeof(float));
    uint64_t ey_dev = sl_host_upload(h, "ey", f.ey, edges * sizeof(float));
    uint64_t hz_dev = sl_host_upload(h, "hz", f.hz, bytes);

    sl_dim grid = SL_DIM(sl_blocks(n, 32), sl_blocks(n, 8)), block = SL_DIM(32, 8);
    for (uint32_t t = 0; t < steps; t++) {
        sl_host_launch(h, "fdtd_step1_kernel", grid, block, 0, source_dev, ey_dev, hz_dev, t, n);
        sl_host_launch(h, "fdtd_step2_kernel", grid, block, 0, ex_dev, hz_dev, n);
        sl_host_launch(h, "fdtd_step3_kernel", grid, block, 0, ex_dev, ey_dev, hz_dev, n);
    }
    sl_host_download(h, result, hz_dev, bytes);

    if (!sl_host_checks(h))
        return;
    for (uint32_t t = 0; t < steps; t++)
        step(&f, source[t], n);
    /* A few roundings per step, of values below 16. */
    sl_check_f32(h, "hz", result, f.hz, cells, steps * 4 * 0x1p-20, 0);
}
