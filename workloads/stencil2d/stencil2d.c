/* SPDX-License-Identifier: MIT */
/* Five-point stencil on a 2-D grid, one launch per time step: regular reuse between neighbouring rows, over a distance
 * that the width of the grid sets. */
#include "workloads/common/inputs.h"

static void step(const float *in, float *out, uint32_t width, uint32_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t i = y * width + x;
            out[i] = in[i];
            if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
                out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
        }
}

void sl_workload_stencil2d(sl_host *h)
{
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 32768);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 32768);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 10000);
    uint64_t points = (uint64_t)width * height, bytes = points * sizeof(float);
    float *grid = sl_random_floats(h, points), *result = sl_host_new(h, float, points);
    uint64_t in_dev = sl_host_upload(h, "grid 0", grid, bytes), out_dev = sl_host_device(h, "grid 1", bytes);

    for (uint32_t s = 0; s < steps; s++) {
        sl_host_launch(h, "stencil2d", SL_DIM(sl_blocks(width, 32), sl_blocks(height, 8)), SL_DIM(32, 8), 0, in_dev,
                       out_dev, width, height);
        uint64_t written = out_dev;
        out_dev = in_dev;
        in_dev = written;
    }
    sl_host_download(h, result, in_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *next = sl_host_new(h, float, points);
    for (uint32_t s = 0; s < steps; s++) {
        step(grid, next, width, height);
        float *written = next;
        next = grid;
        grid = written;
    }
    /* Exact as long as the fractions fit 24 bits (six steps); then a rounding error per step, of values up to 1. */
    sl_check_f32(h, "grid", result, grid, points, steps <= 6 ? 0 : steps * 0x1p-23, 0);
}
