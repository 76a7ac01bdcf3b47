/* SPDX-License-Identifier: MIT */
/* dct8x8 of the CUDA SDK: the cosine transform of an image in blocks of 8 x 8, with two kernels and their inverses. The
 * first has a thread per value in blocks of 8 x 8 threads, which read quarter lines of four rows per warp; the second
 * has a thread per eight values and tiles of 32 x 16, which it loads column by column. Every value is read and written
 * once; what the caches can give is the rest of a line to the next block. The original's quantisation is left out, and
 * its first kernel's texture is global memory here. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { EDGE = 8, TILE_X = 32, TILE_Y = 16 };

typedef double matrix[EDGE][EDGE];

static void make_basis(matrix basis)
{
    for (int x = 0; x < EDGE; x++)
        for (int u = 0; u < EDGE; u++)
            basis[x][u] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * 3.14159265358979323846 / 16);
}

/* By the definition: each coefficient is a sum over the 64 values of its block. */
static void transform(const float *in, float *out, matrix basis, uint32_t width, uint32_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const float *corner = in + y / EDGE * EDGE * width + x / EDGE * EDGE;
            double sum = 0;
            for (size_t j = 0; j < EDGE; j++)
                for (size_t i = 0; i < EDGE; i++)
                    sum += corner[j * width + i] * basis[j][y % EDGE] * basis[i][x % EDGE];
            out[y * width + x] = (float)sum;
        }
}

void sl_workload_dct8x8(sl_host *h)
{
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 16384);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 16384);
    if (width % TILE_X || height % TILE_Y)
        sl_host_fail(h, SL_INVALID, "the width must be a multiple of %d, the height of %d", TILE_X, TILE_Y);
    uint64_t points = (uint64_t)width * height, bytes = points * sizeof(float);
    float *image = sl_uniform_floats(h, points, -128, 128), basis_f32[EDGE][EDGE];
    matrix basis;
    make_basis(basis);
    for (int i = 0; i < EDGE * EDGE; i++)
        basis_f32[i / EDGE][i % EDGE] = (float)basis[i / EDGE][i % EDGE];
    sl_host_write(h, sl_host_symbol(h, "basis"), basis_f32, sizeof basis_f32);
    uint64_t image_dev = sl_host_upload(h, "image", image, bytes);
    uint64_t coefficients_dev[2], back_dev[2];
    for (int i = 0; i < 2; i++) {
        coefficients_dev[i] = sl_host_device(h, i ? "coefficients 2" : "coefficients 1", bytes);
        back_dev[i] = sl_host_device(h, i ? "back 2" : "back 1", bytes);
    }

    const sl_dim blocks = SL_DIM(width / EDGE, height / EDGE), threads = SL_DIM(EDGE, EDGE);
    const sl_dim tiles = SL_DIM(width / TILE_X, height / TILE_Y), vectors = SL_DIM(EDGE, TILE_X / EDGE, TILE_Y / EDGE);
    sl_host_launch(h, "dct8x8_1_forward", blocks, threads, 0, coefficients_dev[0], image_dev, width);
    sl_host_launch(h, "dct8x8_1_inverse", blocks, threads, 0, back_dev[0], coefficients_dev[0], width);
    sl_host_launch(h, "dct8x8_2_forward", tiles, vectors, 0, coefficients_dev[1], image_dev, width);
    sl_host_launch(h, "dct8x8_2_inverse", tiles, vectors, 0, back_dev[1], coefficients_dev[1], width);

    float *result = sl_host_new(h, float, points), *expected = sl_host_new(h, float, points);
    if (sl_host_checks(h))
        transform(image, expected, basis, width, height);
    /* Coefficients are below 1024 and values below 128; each is a sum of at most 16 products of such sizes. */
    for (int i = 0; i < 2; i++) {
        sl_host_download(h, result, coefficients_dev[i], bytes);
        if (sl_host_checks(h))
            sl_check_f32(h, i ? "coefficients 2" : "coefficients 1", result, expected, points, 1e-3, 0);
        sl_host_download(h, result, back_dev[i], bytes);
        if (sl_host_checks(h))
            sl_check_f32(h, i ? "back 2" : "back 1", result, image, points, 1e-3, 0);
    }
}
