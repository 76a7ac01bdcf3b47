/* SPDX-License-Identifier: MIT */
/* 3DCONV of PolyBench/GPU: convolution of a volume, a launch per plane, one thread per point of the plane in blocks of
 * 32 x 8. The suite's kernel names fifteen neighbours, some of them more than once: eleven points remain, in the plane
 * itself (a column of three), the one before and the one after it. So a plane is read by three launches.
 *
 * The suite's default is 256 x 256 x 256. */
#include "workloads/common/inputs.h"

typedef struct point {
    int z, y, x;
    float weight;
} point;

/* Small whole weights: exact with inputs that are multiples of 1/16. */
static const point points[] = {
    {-1, -1, -1, -1}, {1, -1, -1, 21}, {0, -1, 0, -3}, {0, 0, 0, 6},   {0, 1, 0, -9}, {-1, -1, 1, 2},
    {1, -1, 1, 4},    {-1, 0, 1, 5},   {1, 0, 1, 7},   {-1, 1, 1, -8}, {1, 1, 1, 10},
};

static float convolved(const float *in, int64_t height, int64_t width, int64_t z, int64_t y, int64_t x)
{
    float sum = 0;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const point *p = &points[i];
        sum += p->weight * in[((z + p->z) * height + y + p->y) * width + x + p->x];
    }
    return sum;
}

void sl_workload_conv3d(sl_host *h)
{
    uint32_t depth = (uint32_t)sl_host_param(h, "depth", 3, 1024);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 1024);
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 1024);
    uint64_t items = (uint64_t)depth * height * width, bytes = items * sizeof(float);
    float *in = sl_random_floats(h, items), *out = sl_host_new(h, float, items);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), out_dev = sl_host_device(h, "out", bytes);
    sl_host_fill(h, out_dev, 0, bytes);

    for (uint32_t z = 1; z < depth - 1; z++)
        sl_host_launch(h, "conv3d_kernel", SL_DIM(sl_blocks(width, 32), sl_blocks(height, 8)), SL_DIM(32, 8), 0, in_dev,
                       out_dev, depth, height, width, z);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (uint32_t z = 1; z + 1 < depth; z++)
        for (uint32_t y = 1; y + 1 < height; y++)
            for (uint32_t x = 1; x + 1 < width; x++)
                expected[((size_t)z * height + y) * width + x] = convolved(in, height, width, z, y, x);
    sl_check_f32(h, "out", out, expected, items, 0, 0);
}
