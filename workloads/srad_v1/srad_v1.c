/* SPDX-License-Identifier: MIT */
/* Speckle reducing anisotropic diffusion, as Rodinia's srad_v1: one thread per point in blocks of 512, without tiles in
 * shared memory. Per iteration the image is copied to two arrays (prepare), summed up in place with strides of 512
 * (reduce), and diffused by two kernels that find neighbours through tables of row and column indices. Neighbours and
 * tables are read by many threads close together, which is what an L1 cache is good for (Decoupled L1D counts it among
 * the friendly). The image lies column by column, so that lanes run along columns.
 *
 * Simplified: the last block of a reduction adds zeros where the original has a loop for the odd rest. */
#include <math.h>

#include "workloads/common/srad.h"

enum { BLOCK = 512 };
static const float rate = 0.5f;

typedef struct image {
    uint32_t rows, columns, points;
    uint64_t pixels, sum, squares, coefficient, north, south, east, west;
    uint64_t row_above, row_below, column_after, column_before;
} image;

/* The neighbour of each of `count` positions, within the image. */
static uint64_t upload_neighbours(sl_host *h, const char *label, uint32_t count, bool after)
{
    int32_t *neighbour = sl_host_new(h, int32_t, count);
    for (uint32_t i = 0; i < count; i++)
        neighbour[i] = (int32_t)(after ? (i + 1 < count ? i + 1 : i) : (i ? i - 1 : 0));
    return sl_host_upload(h, label, neighbour, count * sizeof *neighbour);
}

static image make_image(sl_host *h, uint32_t rows, uint32_t columns, const float *pixels)
{
    uint64_t bytes = (uint64_t)rows * columns * sizeof(float);
    return (image){
        .rows = rows,
        .columns = columns,
        .points = rows * columns,
        .pixels = sl_host_upload(h, "image", pixels, bytes),
        .sum = sl_host_device(h, "sum", bytes),
        .squares = sl_host_device(h, "squares", bytes),
        .coefficient = sl_host_device(h, "coefficient", bytes),
        .north = sl_host_device(h, "north", bytes),
        .south = sl_host_device(h, "south", bytes),
        .east = sl_host_device(h, "east", bytes),
        .west = sl_host_device(h, "west", bytes),
        .row_above = upload_neighbours(h, "row above", rows, false),
        .row_below = upload_neighbours(h, "row below", rows, true),
        .column_after = upload_neighbours(h, "column after", columns, true),
        .column_before = upload_neighbours(h, "column before", columns, false),
    };
}

static double speckle_of(sl_host *h, const image *m)
{
    uint32_t values = m->points, stride = 1;
    float sum, squares;
    sl_host_launch(h, "prepare", SL_DIM(sl_blocks(values, BLOCK)), SL_DIM(BLOCK), 0, m->points, m->pixels, m->sum,
                   m->squares);
    while (values > 1) {
        uint32_t blocks = sl_blocks(values, BLOCK);
        sl_host_launch(h, "reduce", SL_DIM(blocks), SL_DIM(BLOCK), 0, values, stride, m->sum, m->squares);
        values = blocks;
        stride *= BLOCK;
    }
    sl_host_download(h, &sum, m->sum, sizeof sum);
    sl_host_download(h, &squares, m->squares, sizeof squares);
    return sl_speckle((double)sum, (double)squares, m->points);
}

static void iterate(sl_host *h, const image *m)
{
    sl_dim grid = SL_DIM(sl_blocks(m->points, BLOCK)), block = SL_DIM(BLOCK);
    float speckle = (float)speckle_of(h, m);
    sl_host_launch(h, "srad", grid, block, 0, m->rows, m->points, m->row_above, m->row_below, m->column_after,
                   m->column_before, m->north, m->south, m->east, m->west, speckle, m->coefficient, m->pixels);
    sl_host_launch(h, "srad2", grid, block, 0, rate, m->rows, m->points, m->row_below, m->column_after, m->north,
                   m->south, m->east, m->west, m->coefficient, m->pixels);
}

void sl_workload_srad_v1(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 16384);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 16384), points = rows * columns;
    uint32_t iterations = (uint32_t)sl_host_param(h, "iterations", 1, 10000);
    float *pixels = sl_host_new(h, float, points), *result = sl_host_new(h, float, points);
    for (uint32_t i = 0; i < points; i++)
        pixels[i] = (float)sl_random_below(sl_host_random(h), 256);
    image m = make_image(h, rows, columns, pixels);

    sl_dim grid = SL_DIM(sl_blocks(points, BLOCK)), block = SL_DIM(BLOCK);
    sl_host_launch(h, "extract", grid, block, 0, points, m.pixels);
    for (uint32_t i = 0; i < iterations; i++)
        iterate(h, &m);
    sl_host_launch(h, "compress", grid, block, 0, points, m.pixels);
    sl_host_download(h, result, m.pixels, points * sizeof *result);

    if (!sl_host_checks(h))
        return;
    for (uint32_t i = 0; i < points; i++)
        pixels[i] = expf(pixels[i] / 255);
    /* Column by column is row by row of the transposed image, to which the diffusion does the same. */
    for (uint32_t i = 0; i < iterations; i++)
        sl_reference_srad(h, pixels, columns, rows, (float)sl_speckle_of(pixels, rows, columns, rows), rate);
    for (uint32_t i = 0; i < points; i++)
        pixels[i] = logf(pixels[i]) * 255;
    /* The logarithm, times 255, is off by 2^-13 from approximations alone. An iteration rounds values below 4 a few
     * times, and the slopes of its coefficient are of the order of 1 / speckle, about 10. */
    sl_check_f32(h, "image", result, pixels, points, 0x1p-12 + iterations * 0x1p-10, 0);
}
