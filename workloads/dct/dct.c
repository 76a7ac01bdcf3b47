/* SPDX-License-Identifier: MIT */
/* DCT of the AMD APP SDK, used by the FRC paper: the discrete cosine transform of 8 x 8 blocks of a picture.
 *
 * A block of 8 x 8 threads makes two products with the matrix of cosines. The picture and the matrix are read from
 * global memory, eight times by each block, in rows of 32 bytes with the stride of the picture; only the first
 * product is kept in shared memory. Each line of 64 bytes is shared by two blocks and written half by half. */
#include <math.h>

#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { SIDE = 8 };

static double cosine(uint32_t frequency, uint32_t at)
{
    const double pi = 3.14159265358979323846;
    return (frequency ? 0.5 : sqrt(0.125)) * cos((2 * at + 1) * frequency * pi / (2 * SIDE));
}

/* The definition: each coefficient is a sum over the 64 pixels of its block. */
static void transform_block(const float *in, float *out, uint32_t width, double table[SIDE][SIDE])
{
    for (uint32_t v = 0; v < SIDE; v++)
        for (uint32_t u = 0; u < SIDE; u++) {
            double sum = 0;
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++)
                    sum += table[v][y] * table[u][x] * (double)in[(size_t)y * width + x];
            out[(size_t)v * width + u] = (float)sum;
        }
}

static float *reference(sl_host *h, const float *in, uint32_t width, uint32_t height)
{
    float *out = sl_host_new(h, float, (uint64_t)width *height);
    double table[SIDE][SIDE];
    for (uint32_t u = 0; u < SIDE; u++)
        for (uint32_t x = 0; x < SIDE; x++)
            table[u][x] = cosine(u, x);
    for (uint32_t y = 0; y < height; y += SIDE)
        for (uint32_t x = 0; x < width; x += SIDE)
            transform_block(in + (size_t)y * width + x, out + (size_t)y * width + x, width, table);
    return out;
}

void sl_workload_dct(sl_host *h)
{
    uint32_t width = sl_param_multiple(h, "width", SIDE, 32768), height = sl_param_multiple(h, "height", SIDE, 32768);
    uint64_t pixels = (uint64_t)width * height, bytes = pixels * sizeof(float);
    float *in = sl_random_floats(h, pixels), *out = sl_host_new(h, float, pixels), basis[SIDE * SIDE];
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
        basis[k] = (float)cosine(k % SIDE, k / SIDE);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), basis_dev = sl_host_upload(h, "basis", basis, sizeof basis);
    uint64_t out_dev = sl_host_device(h, "out", bytes);

    sl_host_launch(h, "dct", SL_DIM(width / SIDE, height / SIDE), SL_DIM(SIDE, SIDE), 0, in_dev, basis_dev, out_dev,
                   width);
    sl_host_download(h, out, out_dev, bytes);

    /* Two sums of eight products each, of values up to 8. */
    if (sl_host_checks(h))
        sl_check_f32(h, "out", out, reference(h, in, width, height), pixels, 8 * 16 * 0x1p-24, 0);
}
