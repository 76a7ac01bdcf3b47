/* SPDX-License-Identifier: MIT */
/* Speckle reducing anisotropic diffusion, as Rodinia's srad_v2: two kernels per iteration over tiles of 16 x 16 points
 * in shared memory, with the image's statistics taken on the CPU in between. Every thread of a tile loads the point
 * beyond each of its four sides, which whole rows or columns of threads share; six arrays of the image's size are read
 * or written once, with nothing left for a second use of the same lines in time: bypassing L1 helps (Decoupled L1D: by
 * 36 %).
 *
 * Simplified: where tiles lie at the border of the image, the original first reads beyond it and then corrects that. */
#include <math.h>

#include "workloads/common/srad.h"

enum { TILE = 16, SAMPLE = 128 };
static const float rate = 0.5f;

typedef struct buffers {
    uint64_t image, coefficient, east, west, north, south;
} buffers;

static void iterate(sl_host *h, const buffers *dev, uint32_t rows, uint32_t columns, float speckle)
{
    sl_dim grid = SL_DIM(columns / TILE, rows / TILE), block = SL_DIM(TILE, TILE);
    sl_host_launch(h, "srad1", grid, block, 0, dev->east, dev->west, dev->north, dev->south, dev->image,
                   dev->coefficient, columns, speckle);
    sl_host_launch(h, "srad2", grid, block, 0, dev->east, dev->west, dev->north, dev->south, dev->image,
                   dev->coefficient, columns, rate);
}

/* The statistics are of the upper left corner. */
static float speckle_of(const float *image, uint32_t rows, uint32_t columns)
{
    return (float)sl_speckle_of(image, columns, rows < SAMPLE ? rows : SAMPLE, columns < SAMPLE ? columns : SAMPLE);
}

void sl_workload_srad_v2(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", TILE, 32768);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", TILE, 32768);
    uint32_t iterations = (uint32_t)sl_host_param(h, "iterations", 1, 10000);
    if (rows % TILE || columns % TILE)
        sl_host_fail(h, SL_INVALID, "rows and columns must be multiples of %d", TILE);
    uint64_t points = (uint64_t)rows * columns, bytes = points * sizeof(float);
    float *image = sl_host_new(h, float, points), *result = sl_host_new(h, float, points);
    for (uint64_t i = 0; i < points; i++)
        result[i] = image[i] = expf(sl_random_f32(sl_host_random(h)));
    buffers dev = {sl_host_upload(h, "image", image, bytes), sl_host_device(h, "coefficient", bytes),
                   sl_host_device(h, "east", bytes),         sl_host_device(h, "west", bytes),
                   sl_host_device(h, "north", bytes),        sl_host_device(h, "south", bytes)};

    for (uint32_t i = 0; i < iterations; i++) {
        iterate(h, &dev, rows, columns, speckle_of(result, rows, columns));
        sl_host_download(h, result, dev.image, bytes);
    }

    if (!sl_host_checks(h))
        return;
    for (uint32_t i = 0; i < iterations; i++)
        sl_reference_srad(h, image, rows, columns, speckle_of(image, rows, columns), rate);
    /* An iteration rounds values below 4 a few times, and the slopes of its coefficient are of the order of 1 /
     * speckle, about 10. */
    sl_check_f32(h, "image", result, image, points, iterations * 0x1p-18, 0);
}
