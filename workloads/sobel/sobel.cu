#include "common/cuda_vector.h"

static __device__ float4 pixel(const uchar4 *p)
{
    uchar4 v = *p;
    return {(float)v.x, (float)v.y, (float)v.z, (float)v.w};
}

static __device__ unsigned char strength(float x, float y)
{
    return (unsigned char)(unsigned)fminf(sqrtf(x * x + y * y) * 0.5f, 255.0f);
}

/* Half the length of the gradient, for each channel; the border is left as it is. */
KERNEL sobel(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1)
        return;
    const uchar4 *above = in + (y - 1) * width + x, *here = above + width, *below = here + width;
    float4 nw = pixel(above - 1), n = pixel(above), ne = pixel(above + 1);
    float4 w = pixel(here - 1), e = pixel(here + 1);
    float4 sw = pixel(below - 1), s = pixel(below), se = pixel(below + 1);
    float4 down = (sw + 2.0f * s + se) - (nw + 2.0f * n + ne);
    float4 right = (ne + 2.0f * e + se) - (nw + 2.0f * w + sw);
    out[y * width + x] = {strength(right.x, down.x), strength(right.y, down.y), strength(right.z, down.z),
                          strength(right.w, down.w)};
}
