/* SPDX-License-Identifier: MIT */
/* Parboil's stencil: 7-point Jacobi iteration on a 3-D grid, one launch per step. Threads do two points of a plane each
 * and march through the planes with three of them in registers and a tile of one in shared memory, so that most points
 * come from global memory once; what is left for the caches are the rims of the tiles. The border keeps its values. */
#include "workloads/common/inputs.h"

enum { BLOCK_X = 32, BLOCK_Y = 4, TILE_X = 2 * BLOCK_X };
static const float c0 = 0.5f, c1 = 0.25f; /* powers of two, to keep the arithmetic exact for a few steps */

static void step(const float *in, float *out, size_t nx, size_t ny, size_t nz)
{
    size_t plane = nx * ny;
    for (size_t z = 1; z < nz - 1; z++)
        for (size_t y = 1; y < ny - 1; y++)
            for (size_t x = 1; x < nx - 1; x++) {
                size_t i = z * plane + y * nx + x;
                float sum = in[i - plane] + in[i + plane] + in[i - nx] + in[i + nx] + in[i - 1] + in[i + 1];
                out[i] = sum * c1 - in[i] * c0;
            }
}

void sl_workload_stencil(sl_host *h)
{
    uint32_t nx = (uint32_t)sl_host_param(h, "nx", 3, 4096);
    uint32_t ny = (uint32_t)sl_host_param(h, "ny", 3, 4096);
    uint32_t nz = (uint32_t)sl_host_param(h, "nz", 3, 4096);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 1000);
    uint64_t points = (uint64_t)nx * ny * nz, bytes = points * sizeof(float);
    if (points > UINT32_MAX)
        sl_host_fail(h, SL_INVALID, "a grid has at most 2^32 - 1 points");
    float *grid = sl_random_floats(h, points), *result = sl_host_new(h, float, points);
    uint64_t in_dev = sl_host_upload(h, "grid 0", grid, bytes), out_dev = sl_host_upload(h, "grid 1", grid, bytes);

    for (uint32_t s = 0; s < steps; s++) {
        sl_host_launch(h, "stencil", SL_DIM(sl_blocks(nx, TILE_X), sl_blocks(ny, BLOCK_Y)), SL_DIM(BLOCK_X, BLOCK_Y), 0,
                       in_dev, out_dev, nx, ny, nz, c0, c1);
        uint64_t written = out_dev;
        out_dev = in_dev;
        in_dev = written;
    }
    sl_host_download(h, result, in_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *next = sl_host_new(h, float, points);
    for (uint64_t i = 0; i < points; i++)
        next[i] = grid[i];
    for (uint32_t s = 0; s < steps; s++) {
        step(grid, next, nx, ny, nz);
        float *written = next;
        next = grid;
        grid = written;
    }
    /* Exact as long as sums of fractions fit 24 bits (four steps, each two bits finer and twice as large at most);
     * then a few roundings per step of values that can double with each. */
    sl_check_f32(h, "grid", result, grid, points, steps <= 4 ? 0 : steps * 0x1p-20, 1e-4);
}
